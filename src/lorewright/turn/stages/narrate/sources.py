"""The narrator's input -> the numbered evidence that a narration may rest on, cut to fit. Evidence in the stable part
of a prompt keeps its numbers, turn after turn, while a scene lasts.

The order: lore of the place, lore that stands in every scene, lore that the sitting began with, the story so far, the
people here; then the turn's own: outcomes and changes, the acts of others, what was learned, lore retrieved for the
player's words, descriptions of what is near, established facts, and the last narrations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from lorewright.packs.markdown.chunking import plain_text
from lorewright.rules.verbs import is_answered
from lorewright.turn.stages.variables import (
    AROUND,
    MESSAGE_CHARACTERS,
    act_in_words,
    changes_in_words,
    claims_in_words,
    cost,
    cut,
    in_words,
    name_of,
    outcome_in_words,
)
from lorewright.values.packet import PacketPassage
from lorewright.values.records import Evidence, LoreLine, NarratorInput
from lorewright.values.scenery import TOLD

# The tokens, as estimated, that are shown of each kind. The turn's own part has at most TURN_TOKENS, with the player's
# words and the planner's notes, but without outcomes and learned items, which are never cut. With the people, who come
# and go, it stays below the 1,500 that may change between two turns of a scene.
PLACE_TOKENS = 900
STANDING_TOKENS = 500
SESSION_TOKENS = 400
STORY_TOKENS = 700
PERSON_TOKENS = 80
TURN_TOKENS = 1_150
TOLD_TOKENS = 550
ASKED_TOKENS = 300
NEAR_TOKENS = 150
FACTS_TOKENS = 120
# The most tokens of the player's words and of a planner's note; the most notes and things.
WORDS_TOKENS = 120
NOTE_TOKENS = 30
NOTES = 4
THINGS = 12
# The tokens of the template's own tags and lines.
_TEMPLATE = 130

Kind = Literal["chunk", "item", "event"]


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered piece of evidence: a sentence of a chunk, an item, or an event; `id` is the chunk's, the item's, or
    names the event (`outcome:0`, `act:0`, `clock:heat`, `told:-1` for the last narration)."""

    number: int
    kind: Kind
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class EvidenceSheet:
    """The evidence by its place in the prompt; `people` by the person's ID, `learned` each with how it was learned."""

    place: tuple[Source, ...]
    session: tuple[Source, ...]
    story: tuple[Source, ...]
    people: Mapping[str, tuple[Source, ...]]
    happened: tuple[Source, ...]
    acts: tuple[Source, ...]
    learned: tuple[tuple[Source, str], ...]
    asked: tuple[Source, ...]
    near: tuple[Source, ...]
    facts: tuple[Source, ...]
    told: tuple[Source, ...]

    def all(self) -> tuple[Source, ...]:
        """Return every source, by number."""
        people = [line for lines in self.people.values() for line in lines]
        learned = [source for source, _ in self.learned]
        turn = (*self.happened, *self.acts, *learned, *self.asked, *self.near, *self.facts, *self.told)
        return (*self.place, *self.session, *self.story, *people, *turn)


def sources_of(given: NarratorInput) -> tuple[Source, ...]:
    """Return all that a narration may cite, by number from 1; exactly what the narrator's prompt shows."""
    return sheet_of(given).all()


@dataclass(slots=True)
class _Numbers:
    """A counter that numbers sources; `used` counts their tokens."""

    last: int = 0
    used: int = 0
    seen: set[tuple[str, str]] = field(default_factory=set)

    def source(self, kind: Kind, source_id: str, text: str) -> Source:
        self.last += 1
        self.used += cost(text)
        self.seen.add((source_id, text))
        return Source(self.last, kind, source_id, text)

    def lines(self, lines: Iterable[tuple[Kind, str, str]], budget: int) -> tuple[Source, ...]:
        """Return sources of (kind, ID, text) while they fit; the first that does not is cut at a sentence's end."""
        found: list[Source] = []
        for kind, source_id, text in lines:
            if not text.strip() or (source_id, text) in self.seen:
                continue
            if cost(text) > budget:
                short = cut(text, budget - AROUND)
                found += [self.source(kind, source_id, short)] if short else []
                break
            budget -= cost(text)
            found.append(self.source(kind, source_id, text))
        return tuple(found)


def sheet_of(given: NarratorInput) -> EvidenceSheet:
    """Return the evidence by group; see the module for the order."""
    numbers = _Numbers()
    scene, lore = given.scene, given.packet.lore_context
    place = numbers.lines(_chunks((*scene.atmosphere, *scene.overview)), PLACE_TOKENS)
    place += numbers.lines(_chunks(scene.standing), STANDING_TOKENS)
    session = numbers.lines(_retrieved(lore.session.chunks), SESSION_TOKENS)
    story = numbers.lines(_story(given), STORY_TOKENS)
    # Everybody has the same budget, so that an arrival or departure changes nobody else's lines.
    people = {person.id: numbers.lines(_chunks(person.disposition), PERSON_TOKENS) for person in scene.people}
    # Chunks that are shown anyway are not shown again.
    shown = {source.id for source in (*place, *session)} | {evidence.chunk_id for evidence in given.evidence}
    numbers.used = _unnumbered_tokens(given)
    happened = tuple(numbers.source("event", source_id, text) for source_id, text in _happened(given))
    acts = tuple(numbers.source("event", f"act:{at}", act_in_words(act, given)) for at, act in enumerate(given.acts))
    learned = tuple(
        (numbers.source("item", evidence.item_id, evidence.text), _how(evidence, given)) for evidence in given.evidence
    )

    def left(budget: int) -> int:
        return min(budget, max(TURN_TOKENS - numbers.used, 0))

    told = _told(given, left(TOLD_TOKENS))
    numbers.used += sum(cost(text) for _, text in told)
    asked = (line for line in _retrieved(lore.asked) if line[1] not in shown)
    found = numbers.lines(asked, left(ASKED_TOKENS))
    near = numbers.lines(_near(given), left(NEAR_TOKENS))
    facts = numbers.lines(_facts(given), left(FACTS_TOKENS))
    before = tuple(numbers.source("event", source_id, text) for source_id, text in told)
    return EvidenceSheet(place, session, story, people, happened, acts, learned, found, near, facts, before)


def words_shown(given: NarratorInput) -> str:
    """Return what the player typed, as far as it is shown."""
    return cut(given.player_text, WORDS_TOKENS) or given.player_text[: WORDS_TOKENS * 2]


def beats_shown(given: NarratorInput) -> tuple[str, ...]:
    """Return the planner's notes, as far as they are shown."""
    return tuple(short for beat in given.plan.beats[:NOTES] if (short := cut(beat, NOTE_TOKENS)))


def _unnumbered_tokens(given: NarratorInput) -> int:
    """Return the tokens of the turn's own texts that have no number."""
    things = (*given.scene.things[:THINGS], *given.carried[:THINGS])
    lines = [words_shown(given), *beats_shown(given), *(thing.name for thing in things)]
    return _TEMPLATE + sum(cost(line) for line in lines)


def _chunks(lines: Iterable[LoreLine]) -> Iterator[tuple[Kind, str, str]]:
    return (("chunk", line.chunk_id, line.text) for line in lines)


def _retrieved(passages: Iterable[PacketPassage]) -> list[tuple[Kind, str, str]]:
    return [("chunk", passage.chunk_id, plain_text(passage.text)) for passage in passages]


def _story(given: NarratorInput) -> Iterator[tuple[Kind, str, str]]:
    """Yield the story before the last narrations; it changes once in many turns."""
    return (("event", f"story:{at}", told.text) for at, told in enumerate(given.packet.summary.story))


def _happened(given: NarratorInput) -> Iterator[tuple[str, str]]:
    for outcome in given.outcomes:
        yield f"outcome:{outcome.action_index}", outcome_in_words(outcome, given)
    for number, line in enumerate(claims_in_words(given.premises, given.names)):
        yield f"claim:{number}", line
    yield from changes_in_words(given)


def _how(evidence: Evidence, given: NarratorInput) -> str:
    """Return how an item came to be known: `Viktor tells`, `Viktor tells Mara, overheard`, `found`."""
    how = f"{name_of(given, evidence.speaker_id)} tells" if evidence.speaker_id else evidence.how
    for outcome in (outcome for act in given.acts for outcome in act.outcomes if evidence.item_id in outcome.item_ids):
        who, whom = outcome.actor_id, outcome.target_id or ""
        # The target of a question or of pressure is the one who speaks.
        who, whom = (whom, who) if is_answered(outcome.type) else (who, whom)
        how = f"{name_of(given, who)} tells" + (
            f" {name_of(given, whom)}, overheard" if evidence.how == "overheard" else ""
        )
    return f"{how}, known before" if evidence.known_before else how


def _near(given: NarratorInput) -> Iterator[tuple[Kind, str, str]]:
    for noun in given.scenery:
        for line in noun.lines[:1]:
            if line.key.startswith(TOLD):
                yield "event", line.key, line.text
            else:
                yield "item" if "#" in line.chunk_id else "chunk", line.chunk_id, line.text
    for lines in given.described.values():
        yield from _chunks(lines)


def _facts(given: NarratorInput) -> Iterator[tuple[Kind, str, str]]:
    ids_here = {given.player_id, given.scene.place_id, *(person.id for person in given.scene.people)}
    for fact in given.packet.facts:
        if fact.subject_id in ids_here:
            text = f"{name_of(given, fact.subject_id)}: {fact.predicate}: {in_words(fact.object)}"
            yield "event", f"fact:{fact.id}", text


def _told(given: NarratorInput, budget: int) -> list[tuple[str, str]]:
    """Return the last narrations that fit, oldest first, each with how many turns back it was; the newest is cut rather
    than left out."""
    found: list[tuple[str, str]] = []
    for back, text in enumerate(reversed(given.recent), start=1):
        text = text[:MESSAGE_CHARACTERS]
        if cost(text) > budget:
            short = cut(text, budget - AROUND) if not found else ""
            found += [(f"told:-{back}", short)] if short else []
            break
        budget -= cost(text)
        found.append((f"told:-{back}", text))
    return found[::-1]
