"""Each cell of the three tables counts: with another value in it, an answer or a play changes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from lorewright import visibility
from lorewright.bootstrap import App
from lorewright.campaigns.history import contradictions, summaries, turn_keys, turn_records
from lorewright.campaigns.sessions import active_or_new_session, end
from lorewright.errors import SettingsError
from lorewright.index.generation import Generation
from lorewright.index.history import TurnKey, history_generation
from lorewright.packs.conditions import LoreConditions
from lorewright.packs.models import ITEM_ROLES
from lorewright.retrieval.pack_views import entity_lore
from lorewright.retrieval.view import LoreView, generations_in_force, in_force, visible_text
from lorewright.scene_lore.lore_retriever import LoreRetriever
from lorewright.scene_lore.models import SceneFocus, SceneLore, scene_view
from lorewright.turn.checks.tools import state_seen
from lorewright.turn.views.packet import build_packet
from lorewright.values.annotations import LorebookEntry
from lorewright.values.entries import Agenda
from lorewright.visibility import FACTS, MESSAGES, SECTIONS, Viewer, sees_fact
from lorewright.world import ops as o
from lorewright.world.things import Relationship
from support import harbour as h
from support import harbour_crew as c
from support import two_at_a_table as t

# Every kind of section, in the file of the character who looks and in another's.
_SHEET = """
    ## Disposition

    {who} counts coins.

    ## Capabilities

    {who} is strong.

    ## Motivation

    {who} wants to leave.

    ## Knows

    - {{#boat}} {who} saw the boat.
    - {{#cage}} {who} saw the cage.

    ## Withholds

    - {{#debt}} {who} took money.
    - {{#theft}} {who} stole a rope.

    ## Threads

    - {{#lost}} {who} is tied to it.
    - {{#found}} {who} is tied to that.

"""
_PERSON = """
    ---
    id: {id}
    type: npc
    age: 40
    ---
    # {who}

    {who} works for [[lin|a woman]].
"""
FILES = {
    **h.FILES,
    **{
        f"npcs/{who.lower()}.md": h.dedent(_PERSON.format(id=who.lower(), who=who))
        + "\n"
        + h.dedent(_SHEET.format(who=who))
        for who in ("Osk", "Bea")
    },
    "locations/tavern.md": h.dedent(h.FILES["locations/tavern.md"]).replace(
        "type: location", "type: location\nsection_when: {Rain: {thread: lost, status: open}}"
    )
    + "- {#coin} search the floor: A coin.\n\n## Rain\n\nThe roof leaks.\n",
}
FILES["npcs/mask.md"] = """
    ---
    id: mask
    type: npc
    visibility: gm
    ---
    # The Mask

    Nobody has seen the Mask.
"""
REVEALED = frozenset(
    f"harbour:{item}"
    for item in (
        "bea:knows#boat",
        "bea:withholds#debt",
        "bea:threads#lost",
        "osk:threads#lost",
        "tavern:discoverable#letter",
    )
)


@pytest.fixture(scope="module")
def generations(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Generation, ...]]:
    app = h.harbour(tmp_path_factory.mktemp("sections"), files=FILES)
    (pack,) = app.library.packs()
    generation = app.library.open(pack.key)
    yield (generation,)
    generation.close()


def answered(reader: str, generations: tuple[Generation, ...], *, npc: str = "osk") -> str:
    """All that a viewer is answered about people and a place, or a stage is shown of the scene."""
    if reader in ("gm", "player", "npc"):
        view = LoreView(generations, viewer=f"npc:harbour:{npc}" if reader == "npc" else reader, revealed=REVEALED)
        texts = [
            visible_text(view, generation, chunk)
            for generation in in_force(view).view.generations
            for chunk in generation.all_chunks()
        ]
        found = (entity_lore(view, name, max_tokens=20_000) for name in ("osk", "bea", "tavern"))
        lore = [(entity.entity, [chunk.text for chunk in entity.lore.result.chunks]) for entity in found]
        return f"{texts} {lore}"
    view = LoreView(generations_in_force(generations, LoreConditions()), viewer="gm", conditions=LoreConditions())
    people = ("harbour:bea", "harbour:osk")
    lore = LoreRetriever.of(view).retrieve_for_scene(
        SceneFocus(scene_id="1", location_id="harbour:tavern", present_ids=people)
    )
    more = {"standing": lore.overview, "thread_connections": lore.briefings[0].knows}
    return json.dumps(scene_view(lore.model_copy(update=more), reader, learned=REVEALED))  # type: ignore[arg-type]


def section_flips() -> Iterator[tuple[str, str, str]]:
    """Each cell with each value that says something else in it: an item's section may be shown in part, and a file may
    be the viewer's own."""
    for role, row in SECTIONS.items():
        for reader, sight in row.items():
            # Where a section has no items, nothing of it can be learned.
            others = {"all", "none"} if role in ITEM_ROLES or sight != "learned" else {"all"}
            if reader == "npc" and role not in ("lore", "atmosphere", "discoverable", "written", "attrs", "undecided"):
                others.add("own")
            if role in ITEM_ROLES and reader in ("player", "planner", "narrator"):
                others.add("learned")
            if role in ITEM_ROLES - {"threads", "discoverable"} and reader in ("planner", "narrator"):
                others |= {"topics", "count"}
            yield from ((role, reader, other) for other in sorted(others - {sight}))


@pytest.fixture(scope="module")
def answered_before(generations: tuple[Generation, ...]) -> dict[tuple[str, str], str]:
    """What is answered by the tables as they are, by reader and NPC."""
    pairs = product({reader for _, reader, _ in section_flips()}, ("osk", "mask"))
    return {(reader, npc): answered(reader, generations, npc=npc) for reader, npc in pairs}


@pytest.mark.parametrize(("role", "reader", "sight"), list(section_flips()))
def test_a_cell_of_the_sections_counts(
    monkeypatch: pytest.MonkeyPatch,
    generations: tuple[Generation, ...],
    answered_before: dict[tuple[str, str], str],
    role: str,
    reader: str,
    sight: str,
) -> None:
    # Only a file for the game master has sections that are secret whole.
    npc = "mask" if role == "secret" else "osk"
    before = answered_before[reader, npc]
    row = MappingProxyType({**SECTIONS[role], reader: sight})
    monkeypatch.setattr(visibility, "SECTIONS", MappingProxyType({**SECTIONS, role: row}))
    assert answered(reader, generations, npc=npc) != before


# Facts.


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> App:
    """Ada and Osk at the tavern, Bo and Bea at the quay; a whisper, a clock that moves, a thread that changes."""
    app = t.begun(tmp_path_factory.mktemp("table"))
    t.plant(app)
    tie = Relationship(a=c.OSK, b=c.BEA, rel_type="uncle")
    with app.campaigns.open("game") as campaign:
        campaign.edit([o.Move(entity_id=c.BEA, to="harbour:tavern")], action_id="came")
        asyncio.run(campaign.submit("ask about the ibis", persona="ada", whisper_to="osk"))
        asyncio.run(campaign.submit("ask Osk about the fulmar"))
        campaign.edit([o.Move(entity_id=c.BEA, to="harbour:quay")], action_id="went")
        asyncio.run(campaign.submit("ask Bea about the gibbon", persona="bo"))
        moved = (
            o.TickClock(clock_id="dread", delta=1),
            o.UpdateThread(thread_id="lost", status="resolved"),
            o.SetRelationship(relationship=tie),
        )
        campaign.edit(moved, action_id="moved")
    return app


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> App:
    """A sitting of one persona, ended with its recap."""
    app = h.harbour(tmp_path_factory.mktemp("alone"))
    with app.campaigns.open("game") as campaign:
        session = active_or_new_session(campaign)
        asyncio.run(campaign.submit("look around"))
        end(campaign, session)
    return app


def shown(table: App, alone: App) -> dict[str, Any]:
    """All that is shown of facts: states to viewers, packets to stages, the history to witnesses."""
    found: dict[str, Any] = {}
    with table.campaigns.open("game") as campaign:
        store, setting = campaign.store, campaign.setting
        # Made anew, because facts that were sorted once are remembered.
        state = store.head().state
        state = state.with_fields(facts=dict(state.facts))
        for viewer in ("gm", "player", f"npc:{c.OSK}", f"npc:{c.BEA}"):
            found[viewer] = state_seen(state, viewer, turn_no=1).model_dump_json()
        focus = SceneFocus(scene_id="1", location_id="harbour:tavern", present_ids=(c.OSK,))
        view = LoreView(setting.generations, viewer="gm", conditions=LoreConditions())
        lore: SceneLore = LoreRetriever.of(view).retrieve_for_scene(focus)
        at_tavern = state.with_fields(
            player_id=c.ADA, scene=state.scene.model_copy(update={"location_id": "harbour:tavern"})
        )
        for stage in ("planner", "narrator"):
            agendas = {c.OSK: Agenda(goal="Sell the house.")}
            found[stage] = build_packet(at_tavern, setting.rules, lore, (), viewer=stage, agendas=agendas)  # type: ignore[arg-type]
        turns = store.turns()
        flagged = LorebookEntry(subject_id=c.OSK, predicate="is", detail="tall", confidence=1.0, flag="contradicts")
        keys = turn_keys("", turns)
        records = {key: (*turn_records(store, key.turn_id, *_around(store, keys, at)),) for at, key in enumerate(keys)}
        records[TurnKey("flagged", 98, "x")] = contradictions([flagged], state)
    with alone.campaigns.reading("game") as store:
        for recap in summaries(store, store.turns()).values():
            records[TurnKey("recap", 99, "x")] = tuple(recap)
    for witness in (None, c.ADA, c.BO, c.OSK, c.BEA):
        generation = history_generation(records, name="game", witness=witness)
        found[f"history of {witness}"] = [chunk.text for chunk in generation.all_chunks()]
        generation.close()
    return found


@pytest.fixture(scope="module")
def shown_before(table: App, alone: App) -> dict[str, Any]:
    """What is shown by the tables as they are."""
    return shown(table, alone)


def _around(store: Any, keys: Any, at: int) -> tuple[Any, Any]:
    return None if at == 0 else store.state_at(keys[at - 1].turn_id), store.state_at(keys[at].turn_id)


CELLS = [
    (kind, reader, other)
    for kind, row in FACTS.items()
    for reader, sight in row.items()
    for other in ("all", "none")
    if other != sight
]


@pytest.mark.parametrize(("kind", "reader", "sight"), CELLS)
def test_a_cell_of_the_facts_counts(
    monkeypatch: pytest.MonkeyPatch,
    table: App,
    alone: App,
    shown_before: dict[str, Any],
    kind: str,
    reader: str,
    sight: str,
) -> None:
    row = {**FACTS[kind], reader: sight}  # type: ignore[index]
    monkeypatch.setattr(visibility, "FACTS", MappingProxyType({**FACTS, kind: row}))
    assert shown(table, alone) != shown_before


def test_a_fact_of_one_persona_is_shown_to_the_game_master_and_that_persona() -> None:
    seen = {
        (reader, who): sees_fact(reader, visibility="player", knowers=("bo",), who=who)  # type: ignore[arg-type]
        for reader in ("gm", "player", "npc", "planner", "narrator")
        for who in ("ada", "bo")
    }
    assert {one for one, is_seen in seen.items() if is_seen} == {
        *((reader, who) for reader in ("gm", "planner") for who in ("ada", "bo")),
        *((reader, "bo") for reader in ("player", "narrator")),
    }


# Messages: `tests/turn/test_visibility_matrix.py` has each cell against the filter; here they are played.

PLAYED = [
    (reader, kind)
    for reader in (
        "player",
        "npc_intent",
        "interpreter",
        "planner",
        "narrator",
        "persona_extractor",
        "character_extractor",
    )
    for kind, sight in MESSAGES[reader].items()  # type: ignore[index]
    if sight != "none"
]


def played(folder: Path) -> str:
    """What every stage was given and the player was told, in a play in which all is said that can be."""
    app = c.crew(folder, profile="ensemble", together=True)
    with app.campaigns.open("game") as campaign:
        for line, more in (
            ("ask Osk about the weather", {"thought": "I wonder."}),
            ("again", {}),
            ("go to the quay", {}),
            ("look around", {}),
        ):
            asyncio.run(campaign.submit(line, **more))  # type: ignore[arg-type]
        turns = campaign.store.turns()
        records = [campaign.store.stage_records(turn["turn_id"]) for turn in turns]
    given = [[(record["stage"], record["input"]) for record in each] for each in records]
    return json.dumps([given, [turn["result"] for turn in turns]], default=str)


@pytest.mark.campaign
@pytest.mark.parametrize(("reader", "kind"), PLAYED)
def test_a_play_without_a_cell_is_another(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, reader: str, kind: str
) -> None:
    before = played(tmp_path / "before")
    row: Mapping[str, str] = MappingProxyType({**MESSAGES[reader], kind: "none"})  # type: ignore[index]
    monkeypatch.setattr(visibility, "MESSAGES", MappingProxyType({**MESSAGES, reader: row}))
    assert played(tmp_path / "after") != before


# Viewers.


def test_a_viewer_is_read_in_one_place() -> None:
    names = ("gm", "player", "npc:osk", "npc:harbour:osk", "pc:bo", "pc:game:bo")
    assert [(Viewer(name).kind, Viewer(name).id, Viewer(name).column) for name in names] == [
        ("gm", "", "gm"),
        ("player", "", "player"),
        ("npc", "osk", "npc"),
        ("npc", "harbour:osk", "npc"),
        ("pc", "bo", "player"),
        ("pc", "game:bo", "player"),
    ]
    assert [name for name in names if Viewer(name).is_gm] == ["gm"]
    assert [name for name in names if Viewer(name).is_player] == ["player", "pc:bo", "pc:game:bo"]


@pytest.mark.parametrize("name", ["", "GM", "open", "npc", "npc:", "npc: osk", "pc:a:b:c", "player\n", "watchers"])
def test_a_viewer_of_no_kind_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="unknown viewer"):
        Viewer(name)
