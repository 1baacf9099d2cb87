"""Two worlds that differ in hidden names alone: what a player is answered is the same in both, or it is a leak."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.authoring.leaks.planting import Tally
from lorewright.authoring.leaks.suite import LeakSuite, Plays
from lorewright.authoring.leaks.surfaces import EntityNames, copy_disguised, disguised_scenario, disguises_of
from lorewright.authoring.leaks.twin_worlds import TwinsFound, TwinWorlds
from lorewright.index.library import Library
from lorewright.llm.prompt_library import PromptLibrary
from lorewright.packs.loader import load_pack
from lorewright.packs.models import OPEN_ROLES, Chunk, PackEntity
from lorewright.turn.views import acquaintance
from lorewright.turn.views.player_ids import PlayerIds
from support import harbour as h
from support import hidden_people as folk
from support import leaky_town

# Names that are words, parts of open names, in other scripts, or of one letter.
ODD = {
    folk.PERSON: folk.Called("counter", "Counter", "the inn"),
    folk.OTHER: folk.Called("vikto", "Vikto", "Toria"),
    folk.PLACE: folk.Called("tap", "The Tap", "Room"),
    folk.ITEM: folk.Called("mug2", "Mug of Smoke", "smoke"),
    folk.FACTION: folk.Called("灰面具", "灰面具", "Гильдия пепла"),
    folk.EVENT: folk.Called("x", "X", "look around"),
}


def compared(
    tmp_path: Path, called: dict[str, folk.Called] = folk.FIRST, *, lines: int = 15, scenario: bool = True
) -> tuple[TwinsFound, Tally]:
    root = h.write_pack(tmp_path / "inn", folk.files(called))
    tally = Tally()
    twins = TwinWorlds([root], PromptLibrary((leaky_town.PROMPTS,)), tally, lines=lines)
    texts = [("night.yaml", h.dedent(folk.scenario(called)))] if scenario else []
    return twins.compare(texts, tmp_path), tally


@pytest.mark.campaign
def test_a_pack_that_keeps_its_people_and_places_is_the_same_in_both_worlds(tmp_path: Path) -> None:
    found, tally = compared(tmp_path)
    assert (found.hidden, found.lines, found.remarks) == (6, 30, ())
    assert [str(leak) for leak in tally.leaks] == []
    assert tally.checks["twin world"] > 100


@pytest.mark.campaign
def test_names_that_are_words_or_parts_of_others_give_nothing_away_either(tmp_path: Path) -> None:
    found, tally = compared(tmp_path, ODD)
    assert found.lines
    assert [str(leak) for leak in tally.leaks] == []


@pytest.mark.campaign
def test_what_people_do_of_their_own_accord_is_no_leak_where_somebody_hidden_is_staged(tmp_path: Path) -> None:
    root = h.write_pack(tmp_path / "inn", folk.files())
    text = """
        id: guests
        name: Guests
        intro_seed: It rains.
        content_packs: [inn]
        profile: stream
        start: taproom
        player: {name: Jo}
        places: {taproom: {exits: {}}}
        cast:
          vik: {at: taproom, chattiness: 0.5}
          grey_mask: {at: taproom, name: the stranger, chattiness: 0.5}
    """
    tally = Tally()
    twins = TwinWorlds([root], PromptLibrary((leaky_town.PROMPTS,)), tally, lines=10)
    found = twins.compare([("guests.yaml", h.dedent(text))], tmp_path)
    assert [str(leak) for leak in tally.leaks] == []
    assert found.lines == 20
    assert found.remarks == ("guests.yaml stages somebody hidden: in twin worlds nobody acted of their own accord",)


@pytest.mark.campaign
def test_a_way_to_a_hidden_place_that_is_taken_is_no_leak(tmp_path: Path) -> None:
    pack = {
        "pack.yaml": "id: quay\nname: Quay\nversion: 1.0.0\nlayer: setting\n",
        "locations/pier.md": "---\nid: pier\ntype: location\nname: Pier\n---\nA long pier.\n",
        "locations/vault.md": "---\nid: vault\ntype: location\nname: Drowned Vault\nvisibility: gm\n---\nCold.\n",
    }
    text = """
        id: below
        name: Below
        intro_seed: You stand on the pier.
        content_packs: [quay]
        start: pier
        player: {name: Jo}
        places: {pier: {exits: {down: {to: vault}}}, vault: {exits: {up: {to: pier}}}}
    """
    tally = Tally()
    twins = TwinWorlds([h.write_pack(tmp_path / "quay", pack)], PromptLibrary((leaky_town.PROMPTS,)), tally, lines=30)
    found = twins.compare([("below.yaml", h.dedent(text))], tmp_path)
    assert [str(leak) for leak in tally.leaks] == []
    assert any("led to somebody or something hidden" in one for one in found.remarks)


@pytest.mark.campaign
def test_a_hole_in_the_rule_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acquaintance, "hidden_entities", lambda view: frozenset())
    _, tally = compared(tmp_path, lines=4, scenario=False)
    assert tally.leaks
    assert {leak.channel for leak in tally.leaks} == {"twin world"}


def test_only_hidden_text_and_references_differ_in_the_copy(tmp_path: Path) -> None:
    root = h.write_pack(tmp_path / "inn", folk.files())
    pack = load_pack(root)
    disguises, remarks = disguises_of([pack], names=_second)
    assert (len(disguises), remarks) == (6, [])
    copy_disguised(root, tmp_path / "copy" / "inn", pack, disguises)
    written = {
        path.relative_to(tmp_path / "copy" / "inn").as_posix(): path.read_text(encoding="utf-8")
        for path in (tmp_path / "copy").rglob("*")
        if path.is_file()
    }
    whole = "\n".join((*written, *written.values(), disguised_scenario(h.dedent(folk.scenario()), disguises)))
    assert [
        name
        for one in folk.FIRST.values()
        for name in (one.id, one.name, one.alias)
        if name.casefold() in whole.casefold()
    ] == []
    assert "related_entities: [zuquilvok]" in written["locations/taproom.md"]
    assert written["locations/yard.md"] == (root / "locations" / "yard.md").read_text(encoding="utf-8")
    assert load_pack(tmp_path / "copy" / "inn").findings == pack.findings


def _second(entity: PackEntity) -> EntityNames:
    kind = next(kind for kind, one in folk.FIRST.items() if entity.id == f"inn:{one.id}")
    made_up = folk.SECOND[kind]
    return EntityNames(made_up.id, made_up.name, (made_up.alias,))


def test_who_is_named_in_open_text_is_remarked_on_and_left_as_they_are(tmp_path: Path) -> None:
    files = {
        **folk.files(),
        "npcs/vik.md": folk.files()["npcs/vik.md"].replace("keeps the inn.", "fears The Grey Mask."),
    }
    disguises, remarks = disguises_of([load_pack(h.write_pack(tmp_path / "inn", files))])
    assert len(disguises) == 5
    assert remarks == ["inn:grey_mask is hidden, and npcs/vik.md names it: it was not renamed"]


@pytest.mark.campaign
@pytest.mark.parametrize("kind", [folk.PERSON, folk.PLACE, folk.ITEM, folk.FACTION, folk.EVENT])
def test_the_leak_suite_runs_with_something_hidden_of_every_type(tmp_path: Path, kind: str) -> None:
    path, text = folk.hidden_file(kind, folk.FIRST[kind])
    open_files = {name: one for name, one in folk.files({**folk.FIRST}).items() if "visibility: gm" not in one}
    open_files["locations/taproom.md"] = open_files["locations/taproom.md"].replace(
        "related_entities: [grey_mask]", "tags: [inn]"
    )
    root = h.write_pack(tmp_path / "inn", {**open_files, path: text})
    suite = LeakSuite(
        Library(tmp_path / "indexes"),
        tmp_path / "scenarios",
        tmp_path / "content_packs",
        PromptLibrary((leaky_town.PROMPTS,)),
        plays=Plays(builtin=1, parrot=0, twins=2),
    )
    report = suite.pack(str(root))
    assert report.leaks == ()
    assert "1 hidden entities; 2 lines were typed in worlds that differ in their names" in report.remarks


def in_markup_only() -> dict[str, str]:
    """The pack, in whose open text markup alone names the hidden: targets and titles of links, a comment, a tag, keys."""
    files = folk.files()
    return {
        **files,
        "locations/taproom.md": files["locations/taproom.md"]
        .replace(
            "A door bangs somewhere.",
            """[A guest](../npcs/grey_mask.md "The Grey Mask") sits [[The Grey Mask|in the corner]] <b title="Sister Wren">
            alone</b>, and [[npcs/wren.md|a sister]] reads of [a night][keys]. %% The Widow Maker is hers. %%

            [keys]: ../history/night_of_keys.md "The Night of Keys"
            """,
        )
        .replace(
            "related_entities: [grey_mask]", 'related_entities: ["Sister Wren"]\n            tags: [Order of Ash]'
        ),
    }


def test_who_is_named_in_markup_alone_is_renamed_there_as_well(tmp_path: Path) -> None:
    root = h.write_pack(tmp_path / "inn", in_markup_only())
    pack = load_pack(root)
    disguises, remarks = disguises_of([pack], names=_second)
    assert (len(disguises), remarks) == (6, [])
    copy = tmp_path / "copy" / "inn"
    copy_disguised(root, copy, pack, disguises)
    copied = load_pack(copy)
    whole = "\n".join(path.read_text("utf-8") for path in copy.rglob("*.md"))
    named = [name for one in folk.FIRST.values() for name in (one.id, one.name, one.alias)]
    assert [name for name in named if name.casefold() in whole.casefold()] == []
    assert [one.code for one in copied.findings] == [one.code for one in pack.findings]
    shown = [[chunk.shown for chunk in one.chunks if chunk.role in OPEN_ROLES] for one in (pack, copied)]
    assert shown[0] == shown[1]
    assert any("A guest sits in the corner" in text for text in shown[0])


@pytest.mark.campaign
@pytest.mark.parametrize("leak", ["text", "source"])
def test_a_link_target_that_is_told_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, leak: str) -> None:
    root = h.write_pack(tmp_path / "inn", in_markup_only())
    tally = Tally()
    twins = TwinWorlds([root], PromptLibrary((leaky_town.PROMPTS,)), tally, lines=3)
    assert twins.compare([], tmp_path).remarks == ()
    assert [str(one) for one in tally.leaks] == []
    # Readers are given what the author wrote, and not its words.
    monkeypatch.setattr(Chunk, "shown", property(lambda chunk: getattr(chunk, leak)))
    twins.compare([], tmp_path)
    assert tally.leaks
    assert {one.channel for one in tally.leaks} == {"twin world"}


@pytest.mark.campaign
def test_who_is_staged_under_another_name_is_the_same_in_both_worlds(tmp_path: Path) -> None:
    root = h.write_pack(tmp_path / "inn", folk.files())
    staged = folk.scenario().replace("grey_mask: {at: sunken_treasury}", "grey_mask: {at: taproom, name: the stranger}")
    assert "the stranger" in staged
    tally = Tally()
    twins = TwinWorlds([root], PromptLibrary((leaky_town.PROMPTS,)), tally, lines=20)
    twins.compare([("night.yaml", h.dedent(staged))], tmp_path)
    assert [str(one) for one in tally.leaks] == []


@pytest.mark.campaign
def test_an_id_that_undoes_a_disguise_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = h.write_pack(tmp_path / "inn", folk.files())
    staged = folk.scenario().replace("grey_mask: {at: sunken_treasury}", "grey_mask: {at: taproom, name: the stranger}")
    tally = Tally()
    twins = TwinWorlds([root], PromptLibrary((leaky_town.PROMPTS,)), tally, lines=2)
    monkeypatch.setattr(PlayerIds, "_told", lambda ids, value: value)
    twins.compare([("night.yaml", h.dedent(staged))], tmp_path)
    assert "inn:grey_mask" in " ".join(str(one) for one in tally.leaks)
