"""Walks in notes as authors keep them who never heard of types: places, people and things where the notes tell of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from lorewright.bootstrap import open_app
from lorewright.campaigns.scenarios.scenario import Scenario
from lorewright.generate.explore.explorer import ReadyPack, placed_notes
from lorewright.generate.explore.survey import survey
from lorewright.lore_bootstrap import make_workspace
from support import natural_notes, walking_player
from support.pack_builder import MANIFEST
from support.reached_notes import answered, refused_lines, steps_to_places
from support.small_vault import write_vault

# Ten notes that were written for this project by somebody who had not seen how they are read.
TEN_NOTES = Path(__file__).parents[2] / "fixtures" / "vaults" / "ten_notes"
FOLDERS = {name.lower(): getattr(natural_notes, name) for name in ("ABBEY", "HARBOUR", "STATION", "VALLEY", "UNLINKED")}


def walk_in(folder: Path, root: Path) -> tuple[ReadyPack, list[str]]:
    """The walk in a folder, and the notes of it that are nowhere in the walk."""
    make_workspace(root / "workspace")
    app = open_app(root / "workspace")
    found = app.explorer.walk(*app.explorer.pack(str(folder)), seed=1)
    generation = app.library.open(found.pack.key)
    seen = survey(generation, guessing=True)
    generation.close()
    return found, sorted(set(seen.notes) - set(placed_notes(seen, found.scenario)))


def walk_of(files: Mapping[str, str | bytes], root: Path) -> Scenario:
    found, missing = walk_in(write_vault(root, dict(files)), root)
    assert missing == []
    return found.scenario


def whereabouts(scenario: Scenario) -> dict[str, str]:
    """The name of each person and thing, with that of its place."""
    names = {key: place.name or key for key, place in scenario.places.items()}
    people = {str(who.name): names[who.at] for who in scenario.cast.values()}
    return people | {thing.name: names[str(thing.at)] for thing in scenario.things.values()}


def test_ten_notes_by_another_hand_give_places_and_people_and_every_note_is_near(tmp_path: Path) -> None:
    found, missing = walk_in(TEN_NOTES, tmp_path)
    scenario = found.scenario
    assert len(scenario.places) + len(scenario.cast) >= 5
    assert missing == []
    steps = steps_to_places(scenario)
    assert set(steps) == set(scenario.places)
    assert max(steps.values()) <= 3
    assert found.lines[-1] == "every note can be reached on foot"


@pytest.mark.campaign
def test_ten_notes_by_another_hand_are_gone_to_talked_to_and_read(tmp_path: Path) -> None:
    found, _ = walk_in(TEN_NOTES, tmp_path)
    assert refused_lines(open_app(tmp_path / "workspace"), found, tmp_path / "games") == []


@pytest.mark.campaign
def test_from_where_a_note_is_one_goes_to_each_place_that_its_text_links(tmp_path: Path) -> None:
    found, _ = walk_in(TEN_NOTES, tmp_path)
    app, scenario = open_app(tmp_path / "workspace"), found.scenario
    generation = app.library.open(found.pack.key)
    notes = survey(generation, guessing=True).notes
    generation.close()
    things = {thing.entity: thing.at for thing in scenario.things.values()}
    campaigns = walking_player.begun(app, found, tmp_path / "games")
    refused = []
    with campaigns.open("game") as opened:
        for note in notes.values():
            key = note.id.partition(":")[2]
            at = str(things.get(note.id) or (scenario.cast[key].at if key in scenario.cast else key))
            for target in (to.partition(":")[2] for to in note.links):
                if target in scenario.places and target != at:
                    lines = [f"go to {scenario.places[at].name}", f"go to {scenario.places[target].name}"]
                    results = [json.loads(asyncio.run(opened.submit(line))) for line in lines]
                    refused += [(at, target)] if not answered(results[-1]) else []
    assert refused == []


@pytest.mark.campaign
@pytest.mark.parametrize("name", FOLDERS)
def test_everything_in_notes_of_several_manners_is_gone_to_talked_to_or_read(name: str, tmp_path: Path) -> None:
    found, missing = walk_in(write_vault(tmp_path, FOLDERS[name]), tmp_path)
    assert missing == []
    assert refused_lines(open_app(tmp_path / "workspace"), found, tmp_path / "games") == []


def test_people_and_things_stand_where_their_notes_or_those_of_places_put_them(tmp_path: Path) -> None:
    assert whereabouts(walk_of(natural_notes.ABBEY, tmp_path)) == {
        "Abbot Pell": "Greywater Abbey",
        "Nan Copperthwaite": "Tollin",
        "Oswin": "Scriptorium",
        "Salt Psalter": "Scriptorium",
        "the note on Start here": "Greywater Abbey",
        "the note on the Drowned Court": "Greywater Abbey",
    }


def test_keys_and_headings_place_people_without_a_sentence_of_prose(tmp_path: Path) -> None:
    at = whereabouts(walk_of(natural_notes.STATION, tmp_path))
    assert (at["Teo"], at["Dr. Imani Roe"], at["Vasquez"]) == ("The Long Bar", "Med Bay", "Lock 9")


def test_what_is_said_in_german_is_understood(tmp_path: Path) -> None:
    scenario = walk_of(natural_notes.HARBOUR, tmp_path)
    assert {place.name for place in scenario.places.values()} == {"Kaltenhafen", "Leuchtturm", "Zum Roten Aal"}
    assert {who.name for who in scenario.cast.values()} == {"Grete Harms", "Hinnerk", "Kapitän Voss"}


@pytest.mark.parametrize("typed", ["Greywater Abbey", "Tollin", "Salt Psalter"])
def test_one_type_among_many_notes_takes_nothing_from_the_walk(typed: str, tmp_path: Path) -> None:
    def count(files: Mapping[str, str | bytes], root: Path) -> int:
        scenario = walk_of(files, root)
        return len(scenario.places) + len(scenario.cast)

    bare = {path: str(text).replace("---\ntype: location\n---\n", "") for path, text in natural_notes.ABBEY.items()}
    kind = "item" if typed == "Salt Psalter" else "location"
    one = {**bare, f"{typed}.md": f"---\ntype: {kind}\n---\n{bare[f'{typed}.md']}"}
    assert count(one, tmp_path / "one") >= count(bare, tmp_path / "bare") >= 7


def test_the_report_says_what_was_guessed_and_by_which_rule(tmp_path: Path) -> None:
    found, _ = walk_in(write_vault(tmp_path, natural_notes.ABBEY), tmp_path)
    assert found.lines[0] == "10 notes: 4 location, 3 npc, 2 to read, 1 item"
    assert set(found.lines) >= {
        "3 notes taken for places: 2 by name (Kitchen Garden: “Garden”), 1 by what the text calls it (Tollin: “village”)",
        "1 note taken for people: 1 by a pronoun (Oswin: “he”)",
        "1 note taken for things: 1 by what the text calls it (Salt Psalter: “book”)",
        "every note can be reached on foot",
    }


def test_more_than_lies_in_the_places_stands_on_shelves_behind_the_start(tmp_path: Path) -> None:
    ideas: dict[str, str | bytes] = {f"Ideas/Idea {number}.md": f"What if {number}?\n" for number in range(20)}
    scenario = walk_of({**natural_notes.ABBEY, **ideas}, tmp_path)
    shelves = [place for place in scenario.places.values() if "shelf" in place.tags]
    assert {"The front shelf", "The shelf Ideas"} <= {place.name for place in shelves}
    assert set(steps_to_places(scenario)) == set(scenario.places)


def test_a_few_guesses_among_many_notes_leave_a_reference_work_on_its_shelves(tmp_path: Path) -> None:
    rules: dict[str, str | bytes] = {f"One/Rule {number}.md": f"Roll {number} dice.\n" for number in range(130)}
    places: dict[str, str | bytes] = {f"One/{name}.md": f"A {name}.\n" for name in ("forest", "marsh", "cave", "hill")}
    people: dict[str, str | bytes] = {f"One/{name}.md": f"A {name}.\n" for name in ("thief", "bard")}
    found, missing = walk_in(write_vault(tmp_path, {**rules, **places, **people, "One/coast.md": "A coast."}), tmp_path)
    assert missing == []
    assert {place.tags for place in found.scenario.places.values()} == {("shelf",)}
    assert found.scenario.cast == {}
    assert found.lines[0] == "137 notes: 137 to read"


def test_people_without_any_place_are_met_among_the_notes(tmp_path: Path) -> None:
    cast: dict[str, str | bytes] = {f"{name}.md": f"{name} is a smith.\n" for name in ("Ada", "Bo")}
    scenario = walk_of({**cast, "Theme.md": "Everything rusts.\n"}, tmp_path)
    assert {who.name for who in scenario.cast.values()} == {"Ada", "Bo"}


def test_a_pack_whose_author_typed_every_note_is_walked_as_before(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "locations/hall.md": "# Hall\n\nSwept. It leads to the [[Yard]].\n",
        "locations/yard.md": "# Yard\n\nGeese.\n",
        "history/war.md": "# War\n\nIt was in the [[Hall]].\n",
    }
    folder = write_vault(tmp_path, files)
    (folder / "pack.yaml").write_text(MANIFEST.format(id="vault"), encoding="utf-8")
    found, missing = walk_in(folder, tmp_path)
    assert missing == ["vault:war"]
    assert found.scenario.things == {}
    assert {place.tags for place in found.scenario.places.values()} == {()}
    assert found.lines[-1] == "1 note never reachable on foot; /lore and questions find them"


def test_what_is_hidden_is_neither_guessed_nor_told_of(tmp_path: Path) -> None:
    files = {
        **natural_notes.ABBEY,
        "Crypt of Glass.md": "---\nvisibility: gm\n---\nA crypt below the [[Scriptorium]].\n",
        "Brother Vance.md": "---\ntags: [gm-only]\n---\nA monk who poisons. He lives in [[Tollin]].\n",
        "Tollin.md": f"{natural_notes.ABBEY['Tollin.md']!s}\n## Secrets\n\n[[The Weir]] is a gate of bones.\n",
        "The Weir.md": "Nobody swims there.\n",
    }
    found, missing = walk_in(write_vault(tmp_path, files), tmp_path)
    assert missing == []
    told = "\n".join((found.scenario.model_dump_json(), *found.lines))
    assert [name for name in ("Crypt of Glass", "Vance", "bones") if name in told] == []
    assert "the note on the Weir" in whereabouts(found.scenario), (
        "a secret's words are no reason to take it for a place"
    )


def test_names_hold_no_code_of_plugins(tmp_path: Path) -> None:
    code = "# `=this.file.name`\n\n```dataview\nTABLE x FROM #npc\n```\n\n`INPUT[text:name]` {text}\n"
    files = {
        "Bluehill.md": code.format(text="A town above [[Marta Vey]]."),
        "Marta Vey.md": code.format(text="She lives in [[Bluehill]]."),
        "Edict.md": code.format(text="Read in [[Bluehill]]."),
    }
    scenario = walk_of(files, tmp_path)
    assert {place.name for place in scenario.places.values()} == {"Bluehill"}
    assert whereabouts(scenario) == {"Marta Vey": "Bluehill", "the note on Edict": "Bluehill"}
    assert not any(sign in scenario.model_dump_json() for sign in ("=this", "dataview", "INPUT", "`"))


def test_a_note_of_any_type_is_the_place_or_the_person_that_the_scenario_makes_of_it(tmp_path: Path) -> None:
    found, _ = walk_in(write_vault(tmp_path, natural_notes.VALLEY), tmp_path)
    campaigns = walking_player.begun(open_app(tmp_path / "workspace"), found, tmp_path / "games")
    with campaigns.reading("game") as store:
        types = {entity.name: entity.type for entity in store.head().state.entities.values()}
    assert (types["Forge"], types["Bastien"], types["la dague"]) == ("location", "npc", "item")
