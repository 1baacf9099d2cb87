"""What a player asks beside the story, without a turn being played: lore, who is here, where one has been, why.

All of it is read with the player's eyes at the head; nothing here changes anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.errors import NotFound
from lorewright.ids import shown_item
from lorewright.index.generation import Generation
from lorewright.retrieval.query import LoreRetrievalQuery, LoreRetrievalResult
from lorewright.retrieval.retriever import retrieve, retrieve_for_entity
from lorewright.retrieval.view import LoreView
from lorewright.scene_lore.gather import in_sentences, sentences
from lorewright.turn.stages.narrate.sources import Kind, Source, sources_of
from lorewright.turn.stages.narrate.stage import Narrate
from lorewright.turn.views.player_ids import PlayerIds, readable
from lorewright.turn.views.scope import ways_out
from lorewright.values.known_facts import lore_conditions
from lorewright.values.records import BUILTIN, NarratorInput, TurnResult
from lorewright.world.state import WorldState

# A turn -> what each sentence of its narration rests on: chunks, items and events that its narrator was shown, with
# the file and section of what stands in a pack. Nothing here that the player was not told of in that turn.


@dataclass(frozen=True, slots=True)
class Ground:
    """What a sentence rests on: `id` as it is shown (`viktor/knows#pier9`, `outcome:0`), the text that the narrator was
    shown of it, and where that stands in a pack; of what happened there is neither file nor section."""

    kind: Kind
    id: str
    text: str
    file_path: str | None = None
    section_path: str | None = None


@dataclass(frozen=True, slots=True)
class GroundedSentence:
    """A sentence of a narration and what it rests on, in order."""

    sentence: str
    grounds: tuple[Ground, ...]


@dataclass(frozen=True, slots=True)
class Support:
    """The narration of a turn, sentence by sentence, and who told it.

    `unsupported_share` is how many of a model's sentences rest on nothing that they name; None for a built-in
    narration, which quotes packs or tells what the rules did, and nothing else.
    """

    turn_no: int
    model_key: str
    sentences: tuple[GroundedSentence, ...]

    @property
    def is_builtin(self) -> bool:
        """Whether no model told it."""
        return self.model_key == BUILTIN

    @property
    def unsupported_share(self) -> float | None:
        """See the class."""
        if self.is_builtin or not self.sentences:
            return None
        return sum(not one.grounds for one in self.sentences) / len(self.sentences)


def support_of(campaigns: Campaigns, campaign_id: str, turn_no: int) -> Support:
    """What the sentences of a turn on the way to the head rest on.

    Raises:
        NotFound: there is no such campaign or turn, or nothing was narrated in it.
    """
    with campaigns.open(campaign_id) as campaign:
        found = [turn for turn in campaign.store.turns() if turn["turn_no"] == turn_no]
        if not found:
            raise NotFound(f"there is no turn {turn_no}", hint=f"see: lorewright campaign log {campaign_id}")
        records = [one for one in campaign.store.stage_records(found[0]["turn_id"]) if one["stage"] == Narrate.name]
        if not records:
            raise NotFound(
                f"nothing was narrated in turn {turn_no}", hint="choose a turn in which something was played"
            )
        # A narration that contradicted the record was written once more: the last one was told.
        record, ids = records[-1], campaign.player_ids()
        if record["model_key"] == BUILTIN:
            sentences = tuple(_quoted(TurnResult.model_validate(ids.told(found[0]["result"]))))
        else:
            sentences = tuple(_cited(record, campaign.setting.generations, ids))
        return Support(turn_no, record["model_key"], sentences)


def _cited(record: Mapping[str, Any], generations: Sequence[Generation], ids: PlayerIds) -> Iterator[GroundedSentence]:
    """The sentences of a model, with what they cite."""
    shown: dict[str, list[Source]] = {}
    given = NarratorInput.model_validate(record["input"])
    for source in sources_of(given):
        shown.setdefault(source.id, []).append(source)
    chunks = {one.item_id: one.chunk_id for one in given.evidence}
    for told in record["output"]["support"]:
        grounds = (_ground(one, shown.get(one, ()), chunks.get(one, one), generations, ids) for one in told["ids"])
        yield GroundedSentence(told["sentence"], tuple(grounds))


def _ground(
    cited: str, shown: Sequence[Source], chunk_id: str, generations: Sequence[Generation], ids: PlayerIds
) -> Ground:
    kind: Kind = shown[0].kind if shown else "event"
    # A chunk may be shown in several sentences; which of them is meant is not recorded.
    text = " ".join(dict.fromkeys(source.text for source in shown))
    if kind == "event":
        return Ground(kind, cited, text)
    chunk = next((found for one in generations if (found := one.chunk(chunk_id)) is not None), None)
    if chunk is None:
        return Ground(kind, shown_item(cited), text)
    where = {"cite": shown_item(cited), "file_path": chunk.file_path, "section_path": chunk.section_path}
    told = ids.told({"chunk_id": chunk_id, **where})
    return Ground(kind, told["cite"], text, told["file_path"], told["section_path"])


def _quoted(result: TurnResult) -> Iterator[GroundedSentence]:
    """The sentences of the built-in narrator, with what they quote."""
    for sentence in in_sentences(result.final_text):
        yield GroundedSentence(sentence, tuple(_quotations(sentence, result)))


def _quotations(sentence: str, result: TurnResult) -> Iterable[Ground]:
    for one in result.citations:
        if one.quote in sentence or sentence.strip(' “”"') in one.quote:
            kind: Kind = "chunk" if one.item_id is None else "item"
            yield Ground(kind, one.cite, one.quote, one.file_path, one.section_path)


# What is asked at the prompt is answered on one screen.
_LORE_SECTIONS = 3
_LORE_TOKENS = 700
_INTRODUCTION_TOKENS = 400


def ask_lore(campaign: OpenCampaign, text: str) -> LoreRetrievalResult:
    """The lore and the history that the player may read, for some words, best first."""
    head = campaign.store.head()
    with campaign.setting.history(head, 0) as happened:
        view = LoreView(
            (*campaign.setting.generations, *happened),
            viewer="player",
            revealed=readable(head.state, campaign.setting.generations),
            conditions=lore_conditions(head.state),
        )
        query = LoreRetrievalQuery(keywords=text, viewer="player", limit=_LORE_SECTIONS, max_tokens=_LORE_TOKENS)
        return retrieve(view, query, takes_in=False).result


@dataclass(frozen=True, slots=True)
class Introduction:
    """Somebody who is here, with the first sentence that anyone may read of them; empty where there is none."""

    name: str
    line: str


def introductions(campaign: OpenCampaign) -> list[Introduction]:
    """Who is with the player, by ID."""
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
    """A way out of a place: where it leads, whether the player has been there, and the door in it that is locked, or
    shut where one has to open it."""

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
    """The places that the player has been to with their ways, the one at hand first, then by ID. A state as the player
    may see it has no name for a place that they may not hear of: `to` is empty then."""
    here = state.scene.location_id
    visited = sorted((place for place, times in state.visits.items() if times), key=lambda one: (one != here, one))
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


def why(campaign: OpenCampaign) -> Reasons:
    """What stands behind the last turn."""
    turns = campaign.store.turns()
    result = TurnResult.model_validate(campaign.player_ids().told(turns[-1]["result"]))
    if len(turns) == 1:
        return Reasons(result)
    before = campaign.store.state_at(turns[-2]["turn_id"])
    after = campaign.store.state_at(turns[-1]["turn_id"])
    return Reasons(result, after.minutes - before.minutes, tuple(_moved(before, after)))


def _moved(before: WorldState, after: WorldState) -> Iterator[tuple[str, int]]:
    for clock_id, clock in sorted(after.clocks.items()):
        was = before.clocks.get(clock_id)
        if was is not None and was.value != clock.value:
            yield clock.name, clock.value - was.value
