"""The narrator's input -> the numbered evidence that a narration may rest on, cut to fit. Evidence in the stable part
of a prompt keeps its numbers, turn after turn, while a scene lasts.

The order: lore of the place, lore that stands in every scene, lore retrieved for the place, lore that the sitting began
with, the story so far, the people here, each with what was retrieved of them; then the turn's own: outcomes and
changes, the acts of others, what was learned, lore retrieved for the player's words, descriptions of what is near,
established facts, and the last narrations.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Literal

from lorewright.ids import holder_of
from lorewright.packs.markdown.chunking import plain_text
from lorewright.rules.verbs import is_answered
from lorewright.settings import USUAL_LORE
from lorewright.tokens import count_tokens
from lorewright.turn.stages.standing import fact_in_words, relations_in_words
from lorewright.turn.stages.variables import (
    AROUND,
    MESSAGE_CHARACTERS,
    act_in_words,
    changes_in_words,
    claims_in_words,
    cost,
    cut,
    name_of,
    outcome_in_words,
)
from lorewright.values.packet import PacketFact, PacketPassage, PacketSection
from lorewright.values.records import FIRST_CODE, Evidence, LoreLine, NarratorInput, PersonView
from lorewright.values.scenery import TOLD
from lorewright.world.schemas import plain

# The tokens, as estimated, that are shown of each kind besides lore, whose budgets are the game's. The turn's own part
# has at most TURN_TOKENS, with the player's words and the planner's notes, but without outcomes and learned items,
# which are never cut. With the people, who come and go, it stays below the 1,500 that may change between two turns of a
# scene.
STORY_TOKENS = 700
PERSON_TOKENS = 80
INTRODUCTION_TOKENS = 40
TOLD_OF_TOKENS = 30
TURN_TOKENS = 1_100
TOLD_TOKENS = 550
NEAR_TOKENS = 150
FACTS_TOKENS = 120
# The most tokens of the player's words and of a planner's note; the most notes and things.
WORDS_TOKENS = 120
NOTE_TOKENS = 30
NOTES = 4
THINGS = 12
# The most relations that are shown.
RELATIONS = 8
# The tokens of the template's own tags and lines.
_TEMPLATE = 130

Kind = Literal["chunk", "item", "event"]


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered piece of evidence: a sentence of a chunk, an item, or an event; `id` is the chunk's, the item's, or
    names the event (`outcome:0`, `act:0`, `clock:heat`, `told:-1` for the last narration). `title` names whom or what
    a chunk is about, and its section; empty where the prompt says so anyway, as of the people here."""

    number: int
    kind: Kind
    id: str
    text: str
    title: str = ""


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


# A sentence ends at one of these signs, and the next one begins after a space.
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”’»)]*\s+")
_NO_WORD = re.compile(r"\W+")
# The sign behind a text that was cut within a sentence.
_CUT = "…"

# What may become a source: kind, ID, text, title.
Line = tuple[Kind, str, str, str]


@dataclass(slots=True)
class _Numbers:
    """A counter that numbers sources; `used` counts their tokens. `said` has every sentence that was shown: none is
    shown twice; None in turns of the first version, whose texts were compared as a whole."""

    last: int = 0
    used: int = 0
    seen: set[tuple[str, str]] = field(default_factory=set)
    said: set[str] | None = field(default_factory=set)

    def source(self, kind: Kind, source_id: str, text: str, title: str = "") -> Source:
        self.last += 1
        self.used += cost(f"{title} {text}" if title else text)
        self.seen.add((source_id, text))
        self.hear((text,))
        return Source(self.last, kind, source_id, text, title)

    def lines(self, lines: Iterable[Line], budget: int) -> tuple[Source, ...]:
        """Return sources while they fit, without sentences that were shown before; the first that does not fit is cut
        at a sentence's end."""
        found: list[Source] = []
        for kind, source_id, given, title in lines:
            text = self._unsaid(given)
            if not text.strip() or (source_id, text) in self.seen:
                continue
            around = count_tokens(title) if title else 0
            if cost(text) + around > budget:
                short = cut(text, budget - around - AROUND)
                # Part of a sentence is of use only where nothing else is shown.
                if short and (self.said is None or not found or not short.endswith(_CUT)):
                    found.append(self.source(kind, source_id, short, title))
                break
            budget -= cost(text) + around
            found.append(self.source(kind, source_id, text, title))
        return tuple(found)

    def hear(self, texts: Iterable[str]) -> None:
        """Note texts that are shown elsewhere."""
        if self.said is not None:
            self.said.update(_compared(sentence) for text in texts for sentence in _sentences(text))

    def _unsaid(self, text: str) -> str:
        sentences = _sentences(text)
        new = [sentence for sentence in sentences if self.said is None or _compared(sentence) not in self.said]
        return text if len(new) == len(sentences) else " ".join(new)


def _sentences(text: str) -> list[str]:
    ends = [0, *(found.end() for found in _SENTENCE_END.finditer(text)), len(text)]
    return [part for at, end in pairwise(ends) if (part := text[at:end].strip())]


def _compared(sentence: str) -> str:
    return _NO_WORD.sub(" ", sentence).strip().casefold()


def sheet_of(given: NarratorInput) -> EvidenceSheet:
    """Return the evidence by group; see the module for the order. Turns of the first version have their numbers."""
    is_first = given.code_version == FIRST_CODE
    numbers = _Numbers(said=None if is_first else set())
    scene, lore, budgets = given.scene, given.packet.lore_context, given.lore or USUAL_LORE
    place = numbers.lines(_chunks((*scene.atmosphere, *scene.overview), given), budgets.narrator_place_tokens)
    place += numbers.lines(_chunks(scene.standing, given), budgets.narrator_standing_tokens)
    sections = lore.scene.retrieved or ()
    # What is about threads changes within a scene, and is the planner's.
    of_place = (section for section in sections if section.about == "place")
    around = numbers.lines(_sections(of_place), budgets.narrator_scene_tokens)
    session = (*around, *numbers.lines(_retrieved(lore.session.chunks), budgets.narrator_session_tokens))
    story = numbers.lines(_story(given), STORY_TOKENS)
    # Everybody has the same budget, so that an arrival or departure changes nobody else's lines.
    people = {
        person.id: (
            *_person(person, numbers, is_first),
            *numbers.lines(
                _sections(part for part in sections if part.about == "cast" and holder_of(part.chunk_id) == person.id),
                TOLD_OF_TOKENS,
            ),
        )
        for person in scene.people
    }
    numbers.used = _unnumbered_tokens(given)
    turn_tokens = TURN_TOKENS - USUAL_LORE.narrator_asked_tokens + budgets.narrator_asked_tokens
    happened = tuple(numbers.source("event", source_id, text) for source_id, text in _happened(given))
    acts = tuple(numbers.source("event", f"act:{at}", act_in_words(act, given)) for at, act in enumerate(given.acts))
    learned = tuple(
        (numbers.source("item", evidence.item_id, evidence.text), _how(evidence, given)) for evidence in given.evidence
    )

    def left(budget: int) -> int:
        return min(budget, max(turn_tokens - numbers.used, 0))

    told = _told(given, left(TOLD_TOKENS))
    numbers.used += sum(cost(text) for _, text in told)
    numbers.hear(text for _, text in told)
    # In the first version chunks that were shown in part were not shown again.
    shown = {source.id for source in (*place, *session)} | {evidence.chunk_id for evidence in given.evidence}
    asked = (line for line in _retrieved(lore.asked) if not is_first or line[1] not in shown)
    found = numbers.lines(asked, left(budgets.narrator_asked_tokens))
    near = numbers.lines(_near(given), left(NEAR_TOKENS))
    facts = numbers.lines(_facts(given), left(FACTS_TOKENS))
    before = tuple(numbers.source("event", source_id, text) for source_id, text in told)
    return EvidenceSheet(place, session, story, people, happened, acts, learned, found, near, facts, before)


def _person(person: PersonView, numbers: _Numbers, is_first: bool) -> tuple[Source, ...]:
    lines: Iterator[Line] = (("chunk", line.chunk_id, line.text, "") for line in person.disposition)
    nature = numbers.lines(lines, PERSON_TOKENS)
    if is_first or person.introduction is None:
        return nature
    line = person.introduction
    return (*nature, *numbers.lines([("chunk", line.chunk_id, line.text, "")], INTRODUCTION_TOKENS))


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
    if given.code_version > FIRST_CODE:
        lines += standing_lines(given)
    return _TEMPLATE + sum(cost(line) for line in lines)


def standing_lines(given: NarratorInput) -> tuple[str, ...]:
    """Return how things stand just now, which no source says: relations, the ruleset's scene, circumstances, the
    markers of earlier turns."""
    return (*relations_shown(given), *scene_shown(given), *given.markers_before)


def relations_shown(given: NarratorInput) -> tuple[str, ...]:
    """Return the relations between those who are here, in words."""
    lines = relations_in_words(given.packet, _names(given), player_id=given.player_id)
    return tuple(islice(lines, RELATIONS))


def _sections(sections: Iterable[PacketSection]) -> Iterator[Line]:
    """Yield sections that were retrieved for the scene, each with its title."""
    for section in sections:
        yield "chunk", section.chunk_id, plain_text(section.text), section.section_path.replace(" > ", ", ")


def scene_shown(given: NarratorInput) -> tuple[str, ...]:
    """Return the ruleset's scene and the circumstances, in words."""
    situations = (situation.summary for situation in given.packet.active_situations if situation.summary)
    return (*given.packet.scene.constraints.scene_in_words, *situations)


def _names(given: NarratorInput) -> dict[str, str]:
    """Return the display names in the narrator's input, of the entities of its packet too."""
    people = {person.id: person.name for person in given.scene.people}
    named = {entity.id: entity.name for entity in given.packet.entities if entity.name}
    return {**named, **given.names, **people, given.player_id: given.player.name}


def _chunks(lines: Iterable[LoreLine], given: NarratorInput) -> Iterator[Line]:
    first = given.code_version == FIRST_CODE
    return (("chunk", line.chunk_id, line.text, "" if first else _title(line.chunk_id, given)) for line in lines)


def _title(chunk_id: str, given: NarratorInput) -> str:
    """Return whom or what a chunk is about, as far as the player knows the name, and its section."""
    section = chunk_id.partition("#")[0].rpartition(":")[2].partition("~")[0].replace("-", " ").replace("_", " ")
    owner = holder_of(chunk_id)
    name = given.scene.place_name if owner == given.scene.place_id else _names(given).get(owner, "")
    return ", ".join(part for part in (name, section[:1].upper() + section[1:]) if part)


def _retrieved(passages: Iterable[PacketPassage]) -> list[Line]:
    return [("chunk", passage.chunk_id, plain_text(passage.text), passage.title) for passage in passages]


def _story(given: NarratorInput) -> Iterator[Line]:
    """Yield the story before the last narrations; it changes once in many turns."""
    return (("event", f"story:{at}", told.text, "") for at, told in enumerate(given.packet.summary.story))


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


def _near(given: NarratorInput) -> Iterator[Line]:
    for noun in given.scenery:
        for line in noun.lines[:1]:
            if line.key.startswith(TOLD):
                yield "event", line.key, line.text, ""
            else:
                yield "item" if "#" in line.chunk_id else "chunk", line.chunk_id, line.text, ""
    for lines in given.described.values():
        yield from _chunks(lines, given)


def _facts(given: NarratorInput) -> Iterator[Line]:
    ids_here = {given.player_id, given.scene.place_id, *(person.id for person in given.scene.people)}
    for fact in given.packet.facts:
        if fact.subject_id in ids_here:
            yield "event", f"fact:{fact.id}", _fact(fact, given), ""


def _fact(fact: PacketFact, given: NarratorInput) -> str:
    if given.code_version > FIRST_CODE:
        return fact_in_words(fact, _names(given))
    said = fact.object
    if not isinstance(said, str):
        said = json.dumps(plain(said), ensure_ascii=False, sort_keys=True, default=str)
    return f"{name_of(given, fact.subject_id)}: {fact.predicate}: {said}"


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
