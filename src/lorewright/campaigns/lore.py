"""Lore for authors and players: views of installed packs, or of a campaign as a viewer at its head."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.history import Histories
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.viewers import turns_told, viewer_in
from lorewright.campaigns.watching import learned_in_the_open
from lorewright.errors import NotFound, SettingsError
from lorewright.formats.shown import Audience
from lorewright.ids import shown_item
from lorewright.index.generation import Generation
from lorewright.index.library import Library, report_damage
from lorewright.packs.content_hash import READING, reading_of
from lorewright.packs.loader import load_pack
from lorewright.packs.models import Pack
from lorewright.retrieval.pack_views import (
    PackViews,
    close_with,
    qualified_viewer,
)
from lorewright.retrieval.query import CorpusFilter, LoreRetrievalQuery, LoreRetrievalResult
from lorewright.retrieval.retriever import retrieve, retrieve_for_entity
from lorewright.retrieval.view import (
    EntryHistory,
    LoreView,
    find_same_things,
    has_entry_rules,
    hidden_entities,
    ids_of,
    in_force,
)
from lorewright.scene_lore.gather import in_sentences, sentences
from lorewright.turn.stages.narrate.sources import Kind, Source, sources_of
from lorewright.turn.stages.narrate.stage import Narrate
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.views.player_ids import PlayerIds, readable
from lorewright.turn.views.scope import ways_out
from lorewright.values.entries import entry_history, lore_conditions
from lorewright.values.records import BUILTIN, NarratorInput, TurnResult
from lorewright.visibility import Viewer
from lorewright.world.changes import clock_changes, minutes_passed
from lorewright.world.state import WorldState

# What a player asks besides playing a turn: lore, who is present, the map, why a turn came out as it did. All of it is
# read as the player at the head may see it; nothing here changes anything.


@dataclass(frozen=True, slots=True)
class SentenceSource:
    """A source of a sentence: `id` as it is shown (`viktor/knows#pier9`, `outcome:0`), its text as the narrator was
    shown it, and where that stands in a pack; events have neither file nor section."""

    kind: Kind
    id: str
    text: str
    file_path: str | None = None
    section_path: str | None = None


@dataclass(frozen=True, slots=True)
class GroundedSentence:
    """A sentence of a narration and its sources, in order."""

    sentence: str
    grounds: tuple[SentenceSource, ...]


@dataclass(frozen=True, slots=True)
class Support:
    """The narration of a turn, sentence by sentence with the chunks, items and events that its narrator was shown, and
    the model that told it.

    `unsupported_share` is the share of a model's sentences that cite no source; None for a built-in narration, which
    only quotes packs or tells what the rules did.
    """

    turn_no: int
    model_key: str
    sentences: tuple[GroundedSentence, ...]

    @property
    def is_builtin(self) -> bool:
        """Tell whether the built-in narrator told it."""
        return self.model_key == BUILTIN

    @property
    def unsupported_share(self) -> float | None:
        """Return the share of sentences without a source; see the class."""
        if self.is_builtin or not self.sentences:
            return None
        return sum(not sentence.grounds for sentence in self.sentences) / len(self.sentences)


def support_of(campaigns: Campaigns, campaign_id: str, turn_no: int, *, viewer: str = "player") -> Support:
    """Return the sources of the sentences of a turn on the path to the head, for the game master or a player. A turn in
    which another persona was played has none for a player.

    Raises:
        NotFound: there is no such campaign, turn or persona, or nothing was narrated in it.
        SettingsError: the viewer is neither the game master nor a player.
    """
    with campaigns.open(campaign_id) as campaign:
        return support_in(campaign, turn_no, viewer=viewer)


def support_in(campaign: OpenCampaign, turn_no: int, *, viewer: str = "player") -> Support:
    """Return the sources of the sentences of a turn of an open campaign; see `support_of`."""
    found = [turn for turn in campaign.store.turns() if turn["turn_no"] == turn_no]
    if found != turns_told(campaign.store, found, viewer):
        raise NotFound(
            f"turn {turn_no} was played by somebody else", hint="only they and the game master see its sources"
        )
    if not found:
        raise NotFound(f"there is no turn {turn_no}", hint=f"see: lorewright campaign log {campaign.store.campaign_id}")
    records = [
        stage_record
        for stage_record in campaign.store.stage_records(found[0]["turn_id"])
        if stage_record["stage"] == Narrate.name
    ]
    if not records:
        raise NotFound(f"nothing was narrated in turn {turn_no}", hint="choose a turn in which something was played")
    # A narration that contradicted established facts was written again: the last one was told.
    record, ids = records[-1], campaign.player_ids()
    if record["model_key"] == BUILTIN:
        sentences = tuple(_quoted(TurnResult.model_validate(ids.told(found[0]["result"]))))
    else:
        sentences = tuple(_cited(record, campaign.setting.generations, ids))
    return Support(turn_no, record["model_key"], sentences)


def _cited(record: Mapping[str, Any], generations: Sequence[Generation], ids: PlayerIds) -> Iterator[GroundedSentence]:
    """Yield the sentences of a model, with what they cite."""
    shown: dict[str, list[Source]] = {}
    given = NarratorInput.model_validate(record["input"])
    for source in sources_of(given):
        shown.setdefault(source.id, []).append(source)
    chunks = {chunk.item_id: chunk.chunk_id for chunk in given.evidence}
    for sentence in record["output"]["support"]:
        grounds = (
            _ground(cited, shown.get(cited, ()), chunks.get(cited, cited), generations, ids)
            for cited in sentence["ids"]
        )
        yield GroundedSentence(sentence["sentence"], tuple(grounds))


def _ground(
    cited: str, shown: Sequence[Source], chunk_id: str, generations: Sequence[Generation], ids: PlayerIds
) -> SentenceSource:
    kind: Kind = shown[0].kind if shown else "event"
    # A chunk may be shown in several sentences; which of them is meant is not recorded.
    text = " ".join(dict.fromkeys(source.text for source in shown))
    if kind == "event":
        return SentenceSource(kind, cited, text)
    chunk = next((found for generation in generations if (found := generation.chunk(chunk_id)) is not None), None)
    if chunk is None:
        return SentenceSource(kind, shown_item(cited), text)
    where = {"cite": shown_item(cited), "file_path": chunk.file_path, "section_path": chunk.section_path}
    names = ids.told({"chunk_id": chunk_id, **where})
    return SentenceSource(kind, names["cite"], text, names["file_path"], names["section_path"])


def _quoted(result: TurnResult) -> Iterator[GroundedSentence]:
    """Yield the sentences of the built-in narrator, with what they quote."""
    for sentence in in_sentences(result.final_text):
        yield GroundedSentence(sentence, tuple(_quotations(sentence, result)))


def _quotations(sentence: str, result: TurnResult) -> Iterable[SentenceSource]:
    for citation in result.citations:
        if citation.quote in sentence or sentence.strip(' “”"') in citation.quote:
            kind: Kind = "chunk" if citation.item_id is None else "item"
            yield SentenceSource(kind, citation.cite, citation.quote, citation.file_path, citation.section_path)


# Answers at the prompt fit on one screen.
_LORE_SECTIONS = 3
_LORE_TOKENS = 700
_INTRODUCTION_TOKENS = 400


def ask_lore(campaign: OpenCampaign, text: str) -> LoreRetrievalResult:
    """Return the lore and the history for some words that the player may read, best first."""
    head = campaign.store.head()
    with campaign.setting.history(head, 0) as history:
        view = LoreView(
            (*campaign.setting.generations, *history),
            viewer="player",
            revealed=readable(head.state, campaign.setting.generations),
            conditions=lore_conditions(head.state),
        )
        query = LoreRetrievalQuery(keywords=text, viewer="player", limit=_LORE_SECTIONS, max_tokens=_LORE_TOKENS)
        return retrieve(view, query, takes_in=False).result


@dataclass(frozen=True, slots=True)
class Introduction:
    """Somebody who is present, with the first sentence about them that anyone may read; empty where there is none."""

    name: str
    line: str


def introductions(campaign: OpenCampaign) -> list[Introduction]:
    """Return the people who are with the player, by ID."""
    state = campaign.store.head().state
    view = LoreView(campaign.setting.generations, viewer="player", conditions=lore_conditions(state))
    return [
        Introduction(state.name_of(who), _first_open_line(view, who))
        for who in state.present()
        if who != state.player_id
    ]


def _first_open_line(view: LoreView, entity_id: str) -> str:
    chunks = retrieve_for_entity(view, entity_id, max_tokens=_INTRODUCTION_TOKENS).result.chunks
    own = [chunk for chunk in chunks if chunk.chunk_id.startswith(f"{entity_id}:")]
    return next((line for chunk in own for line in sentences(chunk.text)[:1]), "")


@dataclass(frozen=True, slots=True)
class MapWay:
    """A way out of a place: where it leads, whether the player has been there, and its door if that is locked, or shut
    and has to be opened."""

    name: str
    to: str
    visited: bool
    minutes: int
    locked_door: str | None = None
    shut_door: str | None = None
    has_key: bool = False


@dataclass(frozen=True, slots=True)
class MapPlace:
    """A place where the player has been."""

    name: str
    here: bool
    ways: tuple[MapWay, ...]


def map_of(state: WorldState) -> list[MapPlace]:
    """Return the places that the player has been to with their ways, the current one first, then by ID. In a state as
    the player may see it, a place that they may not hear of has no name: `to` is empty then."""
    here = state.scene.location_id
    visited = sorted(
        (place for place, times in state.visits.items() if times), key=lambda place_id: (place_id != here, place_id)
    )
    return [MapPlace(state.name_of(place), place == here, tuple(_ways(state, place))) for place in visited]


def _ways(state: WorldState, place: str) -> Iterator[MapWay]:
    scene = state.scene.model_copy(update={"location_id": place})
    for way in ways_out(state.model_copy(update={"scene": scene})):
        door = state.doors.get(way.door or "")
        locked = door is not None and door.locked
        yield MapWay(
            name=way.name,
            to=way.to_name,
            visited=bool(state.visits.get(way.to)),
            minutes=way.minutes,
            locked_door=state.name_of(way.door) if way.door and locked else None,
            shut_door=state.name_of(way.door) if way.door and way.barred and not locked else None,
            has_key=door is not None and door.key_id in state.held_by(state.player_id),
        )


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why the last turn came out as it did: its result, how long it took, and by how much which clock moved."""

    result: TurnResult
    minutes: int = 0
    clocks: tuple[tuple[str, int], ...] = ()


def explain_last_turn(campaign: OpenCampaign) -> Reasons:
    """Return the reasons for the last turn's result."""
    turns = campaign.store.turns()
    result = TurnResult.model_validate(campaign.player_ids().told(turns[-1]["result"]))
    if len(turns) == 1:
        return Reasons(result)
    before = campaign.store.state_at(turns[-2]["turn_id"])
    after = campaign.store.state_at(turns[-1]["turn_id"])
    # Not of the result's events: these leave out what happened where the player was not.
    ticks = clock_changes(before, after)
    moved = tuple((after.clocks[tick.clock].name, tick.after - tick.before) for tick in ticks)
    return Reasons(result, minutes_passed(before, after), moved)


@contextmanager
def learned_pack(
    campaigns: Campaigns, campaign_id: str, pack_id: str, *, viewer: str = "player"
) -> Iterator[tuple[Pack, Audience]]:
    """Open the pack that a campaign pins, with a player at the head as the audience: `player` or `pc:ID`. The text lies
    in a temporary folder, which is deleted when the block ends.

    Raises:
        NotFound: there is no such campaign or persona, or it has no such pack.
        SettingsError: the viewer is no player.
    """
    with ExitStack() as stack:
        store = stack.enter_context(campaigns.reading(campaign_id))
        row, state = store.campaign(), store.head().state
        seer = viewer_in(state, viewer)
        if not seer.is_player:
            raise SettingsError(f"{viewer} is no player", hint="have it exported as player or pc:ID")
        pin = next((pinned for pinned in row.pins if pinned.pack_id == pack_id), None)
        if pin is None:
            has = ", ".join(pinned.pack_id for pinned in row.pins) or "no pack"
            raise NotFound(f"the campaign {campaign_id} has no pack {pack_id}", hint=f"it has {has}")
        root = Path(stack.enter_context(tempfile.TemporaryDirectory())) / pack_id
        root.mkdir()
        campaigns.kept.unpack(pin.content_hash, root)
        generations = tuple(close_with(stack, generation) for generation in campaigns.generations(row))
        conditions, revealed = lore_conditions(state), readable(state, generations, seer.id)
        lore = in_force(LoreView(generations, viewer=seer.name, revealed=revealed, conditions=conditions))
        visible = {chunk.id for generation in lore.view.generations for chunk in generation.all_chunks()}
        pack = load_pack(root, reading=reading_of(root, pin.content_hash) or READING)
        hidden = frozenset(chunk.id for chunk in pack.chunks) - visible
        view = LoreView((), viewer=seer.name, revealed=revealed, conditions=conditions)
        yield pack, Audience(view, not_in_force=hidden, story=campaign_id)


class CampaignViews:
    """Opens the packs that a campaign pins, as a viewer at its head sees them; without a campaign the installed
    packs."""

    def __init__(self, library: Library, campaigns: Campaigns, histories: Histories) -> None:
        self._packs = PackViews(library)
        self._campaigns = campaigns
        self._histories = histories

    @contextmanager
    def open(
        self,
        viewer: str,
        packs: Sequence[str] = (),
        *,
        campaign_id: str | None = None,
        corpus: CorpusFilter = "authored",
    ) -> Iterator[LoreView]:
        """Open the named packs (all, if none is named), and what happened in the campaign where the corpus has that;
        closed when the block ends.

        Raises:
            NotFound: a pack, campaign or character does not exist.
            SettingsError: history is asked for without a campaign.
        """
        if campaign_id is None:
            with self._packs.open(viewer, packs, corpus=corpus) as view:
                yield view
            return
        named, history = () if corpus == "history" else packs, corpus != "authored"
        with ExitStack() as stack:
            with self._campaigns.reading(campaign_id) as store:
                turns = store.turns()
                state = store.state_at(turns[-1]["turn_id"])
                generations = tuple(
                    close_with(stack, generation) for generation in self._campaigns.generations(store.campaign())
                )
                stack.enter_context(report_damage(generation.folder for generation in generations))
                wanted = tuple(generation for generation in generations if not named or generation.pack_id in named)
                seer = _viewer(viewer, state, wanted)
                heard = learned_in_the_open(store) if seer.is_watcher else None
                if seer.is_watcher:
                    # No record of a history says that every persona witnessed it in the open.
                    history, wanted = False, () if corpus == "history" else wanted
                if history:
                    witness = _witness(seer, state, generations)
                    read = self._histories.read(store, turns, generations, witness=witness)
                    wanted += (stack.enter_context(read),)
                entries = _entries(store, turns[-1]["turn_id"], state, wanted, viewer=seer)
            who = seer.id or state.player_id
            is_played = seer.is_player or seer.is_watcher
            revealed = readable(state, generations, who) if is_played else state.learned_by(seer.id)
            if heard is not None:
                revealed &= heard
            conditions = lore_conditions(state)
            everything = LoreView(
                generations, viewer=seer.name, revealed=revealed, conditions=conditions, entries=entries
            )
            # History is tied to the people that it is about, whichever packs are searched.
            unknown = hidden_entities(everything) if history else frozenset()
            yield replace(everything, generations=wanted, unknown=unknown)


def _entries(
    store: CampaignStore, turn_id: str, state: WorldState, generations: Sequence[Generation], *, viewer: Viewer
) -> EntryHistory | None:
    """Return what the rules of entries depend on in the next turn; entries that other people's words have triggered do
    not count for a character or a watcher, nor for a player whose persona is one of several."""
    if not has_entry_rules(generations):
        return None
    found = entry_history(store.database, store.campaign().seed, turn_id, state)
    is_of_others = viewer.kind in ("npc", "watcher") or (viewer.kind == "pc" and viewer.id != state.player_id)
    return replace(found, found={}) if is_of_others else found


def _viewer(viewer: str, state: WorldState, generations: Sequence[Generation]) -> Viewer:
    """Return a viewer with a full ID: of a persona as the campaign has it, of a character as packs have it. `npc:ID` of
    a persona is `pc:ID`.

    Raises:
        SettingsError: there is no such kind of viewer.
        NotFound: there is no such character or persona.
    """
    seer = Viewer(viewer)
    if seer.kind == "npc":
        try:
            return Viewer(qualified_viewer(viewer, generations, _people_of_no_pack(state)))
        except NotFound:
            # It may be a persona, or somebody whom another pack has.
            found = viewer_in(state, viewer)
            if not found.is_player:
                raise
            return found
    return viewer_in(state, viewer)


def _people_of_no_pack(state: WorldState) -> list[str]:
    return [entity.id for entity in state.entities.values() if entity.type == "npc" and entity.origin == "campaign"]


def _witness(viewer: Viewer, state: WorldState, generations: Sequence[Generation]) -> str | None:
    """Return the ID of the person in the story whose view it is; None for the game master, who saw everything."""
    if viewer.is_gm:
        return None
    if viewer.is_player:
        return viewer.id or state.player_id
    return next(
        (entity_id for entity_id in ids_of(viewer.id, find_same_things(generations)) if entity_id in state.entities),
        viewer.id,
    )
