"""A scene tells what came by its ID and what was found beside it, for whoever looks and within one budget."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.errors import NotFound
from lorewright.index.generation import Generation
from lorewright.packs.conditions import LoreConditions
from lorewright.retrieval.view import LoreView
from lorewright.scene_lore.scene_trace import SceneFound, find_scene
from support.pack_builder import TOWN, opened_packs

Town = tuple[Generation, ...]


def scene(view: LoreView, **fields: object) -> SceneFound:
    asked = {"location": "bar", "present": ["viktor"], "limit": 10, "max_tokens": 2000, **fields}
    return find_scene(view, **asked)  # type: ignore[arg-type]


def test_the_game_master_is_told_whose_each_section_is_and_how_much_of_it_is_kept_back(town: Town) -> None:
    trace = scene(LoreView(town), threads=["main_case"]).trace
    told = {one.chunk_id: (one.why, one.of, one.role, one.lines, one.kept) for one in trace.by_id}
    assert told["town:bar:atmosphere"] == ("place", "town:bar", "atmosphere", 3, 0)
    assert told["town:bar:discoverable"] == ("place", "town:bar", "discoverable", 3, 3)
    assert told["town:viktor:withholds"] == ("person", "town:viktor", "withholds", 2, 2)
    assert told["town:bar:threads"] == ("thread", "town:bar", "threads", 1, 1)
    assert trace.by_id_tokens == sum(one.tokens for one in trace.by_id)


def test_what_is_found_beside_is_nothing_that_is_there_already_and_fits_what_is_left(town: Town) -> None:
    found = scene(LoreView(town))
    own = {one.chunk_id for one in found.trace.by_id}
    beside = [chunk.chunk_id for chunk in found.beside.result.chunks]
    assert beside
    assert not own & set(beside)
    assert not own & {chunk.chunk_id for chunk in found.trace.by_retrieval.chunks}
    assert found.trace.by_id_tokens + found.beside.result.total_tokens <= 2000


def test_a_budget_that_the_scene_itself_spends_leaves_nothing_for_the_rest(town: Town) -> None:
    found = scene(LoreView(town), max_tokens=10)
    assert found.beside.result.chunks == ()
    assert {chunk.reason for chunk in found.trace.by_retrieval.chunks} == {"over_budget"}
    assert found.lines


def test_a_player_is_shown_what_is_open_and_told_of_nothing_else(town: Town) -> None:
    found = scene(LoreView(town, viewer="player"), threads=["main_case"])
    assert {line.role for line in found.lines} == {"atmosphere", "lore"}
    assert all(one.kept is None for one in found.trace.by_id)
    assert found.trace.conditions == ()
    everything = f"{found.shown} {found.lines} {found.trace.model_dump_json()} {found.beside.result.model_dump_json()}"
    for secret in (":withholds", "debt of forty", "ledger", ":discoverable", "shotgun", "Drowned"):
        assert secret not in everything


def test_what_was_revealed_is_shown(town: Town) -> None:
    view = LoreView(town, viewer="player", revealed=frozenset({"town:viktor:withholds#debt"}))
    found = scene(view)
    assert [line.text for line in found.lines if line.role == "withholds"] == [
        "Zenith bought his debt of forty thousand."
    ]


def test_a_character_is_shown_their_own_sheet_and_nobody_elses(town: Town) -> None:
    found = scene(LoreView(town, viewer="npc:town:mara"), present=["viktor", "mara"])
    assert {line.of for line in found.lines if line.role in ("withholds", "knows", "disposition")} == {"town:mara"}


def test_nobody_and_nowhere_are_said_to_be_so_and_so_is_whatever_is_hidden(town: Town) -> None:
    for view in (LoreView(town), LoreView(town, viewer="player")):
        with pytest.raises(NotFound, match="there is no place nowhere"):
            scene(view, location="nowhere")
    with pytest.raises(NotFound, match="there is no character cult"):
        scene(LoreView(town, viewer="player"), present=["cult"])
    assert scene(LoreView(town), present=["cult"]).present[0].name == "The Drowned Choir"


def test_conditions_are_told_to_the_game_master_and_keep_things_from_all_others(tmp_path: Path) -> None:
    vault = "---\nid: vault\n---\n# Vault\n\nA round door.\n\n## Discoverable\n\n- {#seam} (when thread heist is open) search: A seam.\n"
    gone = "---\nid: alley\nwhen: {clock: heat, min: 3}\n---\n# Alley\n\n## Atmosphere\n\nSirens wail.\n"
    files = {"locations/vault.md": vault, "locations/alley.md": gone}
    with opened_packs(tmp_path, {"town": files}) as generations:
        alone = scene(LoreView(generations), location="vault", present=[])
        (condition,) = alone.trace.conditions
        assert (condition.item_id, condition.condition, condition.holds) == (
            "town:vault:discoverable#seam",
            "thread heist is open",
            None,
        )
        judged = scene(LoreView(generations, conditions=LoreConditions()), location="vault", present=[])
        assert judged.trace.conditions[0].holds is False
        assert [line.text for line in judged.lines] == ["A round door."]
        held = scene(
            LoreView(generations, conditions=LoreConditions(threads={"heist": "open"})), location="vault", present=[]
        )
        assert held.trace.conditions[0].holds is True
        with pytest.raises(NotFound):
            scene(LoreView(generations, viewer="player"), location="alley", present=[])


def test_what_is_always_there_stands_in_every_scene_and_is_not_found_a_second_time(tmp_path: Path) -> None:
    law = "---\nid: law\nlore: {always: true}\n---\n# Law\n\nNobody may carry iron after dark.\n"
    with opened_packs(tmp_path, {"town": {**TOWN, "law.md": law}}) as generations:
        found = scene(LoreView(generations, viewer="player"))
    assert [(line.text, line.why) for line in found.lines if line.of == "town:law"] == [
        ("Nobody may carry iron after dark.", "always")
    ]
    assert all(chunk.chunk_id != "town:law:overview" for chunk in found.trace.by_retrieval.chunks)
