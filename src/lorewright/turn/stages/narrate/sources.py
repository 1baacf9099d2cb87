"""The narrator's input -> the numbered evidence that a narration may rest on, cut to fit. The same numbers for what
stands in the stable part of a prompt, turn after turn, while a scene lasts.

First what the packs say of the place, what the sitting began with, the story so far, how the people here are; then what
is this turn's: outcomes and changes, the acts of others, what was learned, what was asked after, what is near, what is
established, and what was told before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from lorewright.packs.chunking import plain_text
from lorewright.turn.stages.variables import (
    ANSWERED_BY_OTHERS,
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
    rows_of,
)
from lorewright.values.records import Evidence, LoreLine, NarratorInput

# How much of each kind is shown, in tokens as estimated. What is this turn's comes to TURN_TOKENS at most, the player's
# words and the planner's notes included, but for what happened and what was learned, which is never cut. With the
# people, who come and go, it stays below the 1,500 that may change between two turns of a scene.
PLACE_TOKENS = 900
SESSION_TOKENS = 400
STORY_TOKENS = 700
PERSON_TOKENS = 80
TURN_TOKENS = 1_150
TOLD_TOKENS = 550
ASKED_TOKENS = 300
NEAR_TOKENS = 150
FACTS_TOKENS = 120
# What the player typed is shown so far at most, and the planner's notes; of things so many.
WORDS_TOKENS = 120
NOTE_TOKENS = 30
NOTES = 4
THINGS = 12
# The tags and lines that are the template's own.
_TEMPLATE = 130

Kind = Literal["chunk", "item", "event"]


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered piece of evidence: a sentence of a chunk, an item, or something that happened; `id` is the chunk's,
    the item's, or names the event (`outcome:0`, `act:0`, `clock:heat`, `told:-1` for what was told last)."""

    number: int
    kind: Kind
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class EvidenceSheet:
    """The evidence by where it stands in the prompt; `people` by the person's ID, `learned` with how it was."""

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
        """Every source, by number."""
        held = [line for lines in self.people.values() for line in lines]
        learned = [one for one, _ in self.learned]
        turn = (*self.happened, *self.acts, *learned, *self.asked, *self.near, *self.facts, *self.told)
        return (*self.place, *self.session, *self.story, *held, *turn)


def sources_of(given: NarratorInput) -> tuple[Source, ...]:
    """All that a narration may cite, by number from 1; exactly what the narrator's prompt shows."""
    return sheet_of(given).all()


@dataclass(slots=True)
class _Numbers:
    """Numbers sources in turn; `used` counts the tokens of those that count for the turn."""

    last: int = 0
    used: int = 0
    seen: set[tuple[str, str]] = field(default_factory=set)

    def source(self, kind: Kind, one_id: str, text: str) -> Source:
        self.last += 1
        self.used += cost(text)
        self.seen.add((one_id, text))
        return Source(self.last, kind, one_id, text)

    def lines(self, lines: Iterable[tuple[Kind, str, str]], budget: int) -> tuple[Source, ...]:
        """Sources of (kind, ID, text) while they fit; the first that does not is cut at a sentence's end."""
        kept: list[Source] = []
        for kind, one_id, text in lines:
            if not text.strip() or (one_id, text) in self.seen:
                continue
            if cost(text) > budget:
                short = cut(text, budget - AROUND)
                kept += [self.source(kind, one_id, short)] if short else []
                break
            budget -= cost(text)
            kept.append(self.source(kind, one_id, text))
        return tuple(kept)


def sheet_of(given: NarratorInput) -> EvidenceSheet:
    """The evidence by group; see the module for the order."""
    numbers = _Numbers()
    scene = given.scene
    place = numbers.lines(_chunks((*scene.atmosphere, *scene.overview)), PLACE_TOKENS)
    session = numbers.lines(_retrieved(given, "session"), SESSION_TOKENS)
    story = numbers.lines(_story(given), STORY_TOKENS)
    # Everybody has the same room, so that who comes or goes changes nobody else's lines.
    people = {person.id: numbers.lines(_chunks(person.disposition), PERSON_TOKENS) for person in scene.people}
    # What is shown anyway need not be looked up.
    shown = {*(one.id for one in (*place, *session)), *(one.chunk_id for one in given.evidence)}
    numbers.used = _beside(given)
    happened = tuple(numbers.source("event", one_id, text) for one_id, text in _happened(given))
    acts = tuple(numbers.source("event", f"act:{at}", act_in_words(act, given)) for at, act in enumerate(given.acts))
    learned = tuple((numbers.source("item", one.item_id, one.text), _how(one, given)) for one in given.evidence)

    def left(budget: int) -> int:
        return min(budget, max(TURN_TOKENS - numbers.used, 0))

    told = _told(given, left(TOLD_TOKENS))
    numbers.used += sum(cost(text) for _, text in told)
    asked = (one for one in _retrieved(given, "asked") if one[1] not in shown)
    found = numbers.lines(asked, left(ASKED_TOKENS))
    near = numbers.lines(_near(given), left(NEAR_TOKENS))
    facts = numbers.lines(_facts(given), left(FACTS_TOKENS))
    before = tuple(numbers.source("event", one_id, text) for one_id, text in told)
    return EvidenceSheet(place, session, story, people, happened, acts, learned, found, near, facts, before)


def words_shown(given: NarratorInput) -> str:
    """What the player typed, as far as it is shown."""
    return cut(given.player_text, WORDS_TOKENS) or given.player_text[: WORDS_TOKENS * 2]


def beats_shown(given: NarratorInput) -> tuple[str, ...]:
    """The planner's notes, as far as they are shown."""
    return tuple(short for beat in given.plan.beats[:NOTES] if (short := cut(beat, NOTE_TOKENS)))


def _beside(given: NarratorInput) -> int:
    """The tokens of what is this turn's and has no number."""
    things = (*given.scene.things[:THINGS], *given.carried[:THINGS])
    lines = [words_shown(given), *beats_shown(given), *(thing.name for thing in things)]
    return _TEMPLATE + sum(cost(line) for line in lines)


def _chunks(lines: Iterable[LoreLine]) -> Iterator[tuple[Kind, str, str]]:
    return (("chunk", line.chunk_id, line.text) for line in lines)


def _retrieved(given: NarratorInput, key: Literal["asked", "session"]) -> list[tuple[Kind, str, str]]:
    path = ("lore_context", "asked") if key == "asked" else ("lore_context", "session", "chunks")
    rows = rows_of(given.packet, *path)
    return [("chunk", str(row.get("chunk_id", "")), plain_text(str(row.get("text", "")))) for row in rows]


def _story(given: NarratorInput) -> Iterator[tuple[Kind, str, str]]:
    """The story before what was told last; it changes once in many turns."""
    rows = rows_of(given.packet, "summary", "story")
    return (("event", f"story:{at}", str(row.get("text", ""))) for at, row in enumerate(rows))


def _happened(given: NarratorInput) -> Iterator[tuple[str, str]]:
    for outcome in given.outcomes:
        yield f"outcome:{outcome.action_index}", outcome_in_words(outcome, given)
    for number, line in enumerate(claims_in_words(given.premises, given.names)):
        yield f"claim:{number}", line
    yield from changes_in_words(given)


def _how(one: Evidence, given: NarratorInput) -> str:
    """How an item came to be known: `Viktor tells`, `Viktor tells Mara, overheard`, `found`."""
    how = f"{name_of(given, one.speaker_id)} tells" if one.speaker_id else one.how
    for outcome in (outcome for act in given.acts for outcome in act.outcomes if one.item_id in outcome.item_ids):
        who, whom = outcome.actor_id, outcome.target_id or ""
        # Whoever is asked or pressed is the one who says it.
        who, whom = (whom, who) if outcome.type in ANSWERED_BY_OTHERS else (who, whom)
        how = f"{name_of(given, who)} tells" + (f" {name_of(given, whom)}, overheard" if one.how == "overheard" else "")
    return f"{how}, known before" if one.known_before else how


def _near(given: NarratorInput) -> Iterator[tuple[Kind, str, str]]:
    for lines in given.described.values():
        yield from _chunks(lines)


def _facts(given: NarratorInput) -> Iterator[tuple[Kind, str, str]]:
    here = {given.player_id, given.scene.place_id, *(person.id for person in given.scene.people)}
    for row in rows_of(given.packet, "facts"):
        subject = str(row.get("subject_id", ""))
        if subject in here:
            text = f"{name_of(given, subject)}: {row.get('predicate', '')}: {in_words(row.get('object'))}"
            yield "event", f"fact:{row.get('id', '')}", text


def _told(given: NarratorInput, budget: int) -> list[tuple[str, str]]:
    """The last narrations that fit, oldest first, by how many there were since; the newest is cut rather than left."""
    kept: list[tuple[str, str]] = []
    for back, text in enumerate(reversed(given.recent), start=1):
        text = text[:MESSAGE_CHARACTERS]
        if cost(text) > budget:
            short = cut(text, budget - AROUND) if not kept else ""
            kept += [(f"told:-{back}", short)] if short else []
            break
        budget -= cost(text)
        kept.append((f"told:-{back}", text))
    return kept[::-1]
