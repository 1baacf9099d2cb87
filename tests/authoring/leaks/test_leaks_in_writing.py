"""A secret that its author wrote down where others read it is found, with the file and line of both."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.authoring.leaks.planting import Tally, secrets_of
from lorewright.authoring.leaks.suite import leaks_in_writing, over_blocked_sentences
from lorewright.authoring.leaks.surfaces import surfaces_of, surfaces_of_scenario
from lorewright.packs.loader import load_pack
from lorewright.packs.models import Pack
from support import leaky_town
from support.harbour import FILES, SCENARIO, dedent
from support.pack_builder import TOWN, loaded


def leaks(tmp_path: Path, files: dict[str, str], scenario: str = SCENARIO) -> set[tuple[str, str, str, str]]:
    """(secret, viewer, channel, where) of what is found in writing alone."""
    leaky_town.suite_over(tmp_path, files, scenario)
    pack = loaded_pack(tmp_path)
    tally = Tally()
    texts = [*surfaces_of(pack), *surfaces_of_scenario(tmp_path / "workspace" / "scenarios" / "night_boat.yaml")]
    leaks_in_writing(texts, secrets_of(pack), tally)
    return {(one.secret.removeprefix("harbour:"), one.viewer, one.channel, one.where) for one in tally.leaks}


def loaded_pack(tmp_path: Path) -> Pack:
    return load_pack(tmp_path / "workspace" / "content_packs" / "harbour")


DEBT = "osk:withholds#debt"


def test_a_town_whose_secrets_keep_has_no_leak(tmp_path: Path) -> None:
    assert leaks(tmp_path, dict(FILES)) == set()


def test_a_secret_copied_into_an_atmosphere_is_found_where_it_stands(tmp_path: Path) -> None:
    files = leaky_town.spoiled(locations_quay=f"\nThey all say it. {leaky_town.DEBT}")
    assert leaks(tmp_path, files) == {(DEBT, "everyone", "atmosphere", "locations/quay.md:12")}


@pytest.mark.parametrize(
    "copy",
    [
        leaky_town.DEBT.upper(),
        "I sold her passage – to the *harbour master*, for a marmoset; and a month of quiet!",
        "I sold her passage to the harbour-master for a mar\u00admoset and a month of quiet",
        "“I sold her passáge to the [[harbour master]] for a marmoset and a month of quiet.”",
        "And then I sold her passage to the harbour master for a marmoset and some quiet.",
    ],
)
def test_other_letters_signs_and_a_word_or_two_do_not_hide_it(tmp_path: Path, copy: str) -> None:
    assert {one[0] for one in leaks(tmp_path, leaky_town.spoiled(locations_quay=f"\n{copy}"))} == {DEBT}


def test_what_one_withholds_another_may_not_know(tmp_path: Path) -> None:
    files = leaky_town.spoiled(npcs_bea=f"- {{#gossip}} Osk told me: {leaky_town.DEBT}")
    assert leaks(tmp_path, files) == {(DEBT, "npc:harbour:bea, and anybody who asks", "knows", "npcs/bea.md:13")}


def test_several_people_may_know_the_same(tmp_path: Path) -> None:
    boat = "Lin took the night boat on Tuesday, with a cage under her arm and a kestrel in it."
    assert leaks(tmp_path, leaky_town.spoiled(npcs_bea=f"- {{#boat}} {boat}")) == set()


@pytest.mark.parametrize(
    ("key", "channel"),
    [
        (f"summary: {leaky_town.DEBT}", "frontmatter key summary"),
        (f'notes: {{deep: ["{leaky_town.DEBT}"]}}', "frontmatter key notes"),
        (f'aliases: ["{leaky_town.DEBT}"]', "names"),
        (f'tags: ["{leaky_town.DEBT}"]', "names"),
    ],
)
def test_frontmatter_is_read_too(tmp_path: Path, key: str, channel: str) -> None:
    files = {**FILES, "npcs/lin.md": FILES["npcs/lin.md"].replace("type: npc\n", f"type: npc\n        {key}\n", 1)}
    assert leaks(tmp_path, files) == {(DEBT, "everyone", channel, "npcs/lin.md:1")}


def test_a_hint_does_not_say_what_it_leads_to(tmp_path: Path) -> None:
    found_by = "- {#letter} search under the counter: " + leaky_town.LETTER
    hinted = FILES["locations/tavern.md"].replace(found_by, f"{found_by}\n          - hint: {leaky_town.LETTER}")
    files = {**FILES, "locations/tavern.md": hinted}
    (found,) = leaks(tmp_path, files)
    assert (found[0], found[2]) == ("tavern:discoverable#letter", "hint")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("intro_seed: The rain", f"intro_seed: {leaky_town.DEBT} The rain"),
        ('say: "You run', f'say: "{leaky_town.DEBT} You run'),
        ("[{clock: dread}]\n    finds", f'[{{clock: dread}}]\n        say: {{fail: "{leaky_town.DEBT}"}}\n    finds'),
        ('title: "Where is Lin?"', f'title: "{leaky_town.DEBT}"'),
    ],
    ids=["intro", "ending", "a failure", "a thread"],
)
def test_what_a_scenario_says_to_whoever_has_not_learned_it_is_found(tmp_path: Path, old: str, new: str) -> None:
    assert old in SCENARIO
    scenario = SCENARIO.replace(old, new, 1)
    found = leaks(tmp_path, dict(FILES), scenario)
    line = next(number for number, text in enumerate(dedent(scenario).split("\n"), start=1) if leaky_town.DEBT in text)
    assert found == {(DEBT, "player", "scenario", f"night_boat.yaml:{line}")}


def test_a_scenario_may_say_it_where_it_is_revealed(tmp_path: Path) -> None:
    fail = "        fail: [{clock: dread}]\n"
    told = SCENARIO.replace(
        fail, f'{fail}        say: {{success: "{leaky_town.DEBT}", critical: "{leaky_town.DEBT}"}}\n'
    )
    found = told.replace("[{give: hatch_key}]", f'[{{give: hatch_key}}, {{observe: "{leaky_town.LETTER}", of: you}}]')
    assert leaks(tmp_path, dict(FILES), found) == set()


def test_what_somebody_is_after_is_not_told_and_may_name_it(tmp_path: Path) -> None:
    scenario = SCENARIO.replace("    cast:\n", f'    goals: {{osk: "{leaky_town.DEBT}"}}\n    cast:\n', 1)
    assert leaks(tmp_path, dict(FILES), scenario) == set()


def test_a_shared_phrase_is_no_leak_and_is_counted_as_what_a_narrator_could_not_say(tmp_path: Path) -> None:
    phrase = "He pays for a marmoset and a month of quiet, they say."
    files = leaky_town.spoiled(locations_quay=f"\n{phrase}")
    assert leaks(tmp_path, files) == set()
    pack = loaded_pack(tmp_path)
    blocked = over_blocked_sentences([pack], secrets_of(pack))
    (worst,) = blocked.worst
    assert (blocked.refused, worst.file, worst.what) == (
        1,
        "locations/quay.md",
        "“for a marmoset and a month”, 1 times",
    )
    assert "osk:withholds#debt at npcs/osk.md:24" in worst.why


def test_every_item_and_hidden_section_is_a_secret_and_nothing_else(tmp_path: Path) -> None:
    pack = loaded(tmp_path, TOWN)
    by_kind: dict[str, int] = {}
    for secret in secrets_of(pack):
        by_kind[secret.kind] = by_kind.get(secret.kind, 0) + 1
    assert by_kind == {
        "discoverable": 3,
        "threads": 2,
        "knows": 4,
        "withholds": 3,
        "capabilities": 1,
        "disposition": 2,
        "secret": 1,
    }
