"""The place -> beats: its atmosphere line by line, who is here, what lies here, the ways out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.views import Beat, Kind, Slot
from lorewright.builtin.parser.naming import is_called, listed
from lorewright.ids import content_hash
from lorewright.rules.outcomes import Outcome
from lorewright.values.records import LoreLine, NarratorInput
from lorewright.world.state import SHELF_TAG

# The last narrations -> what a listener still has in the ear: whole sentences, runs of words, the last opening.

_SENTENCE_END = re.compile(r"(?<=[.!?…:])\s+|(?<=[.!?…]”)\s+")
_WORD = re.compile(r"[\w'’-]+")
_RUN = 4
# A turn of several rounds has so many narrations, or hardly more.
_OPENINGS = 5

Run = tuple[str, ...]


class Memory:
    """What was told in the last turns, oldest first, and so far in this one."""

    def __init__(self, recent: Sequence[str]) -> None:
        self._texts = list(recent)
        self._runs = {run for text in recent for run in _runs(text)}
        self._last = _words(recent[-1])[:2] if recent else []
        self._openings = [_words(text)[:2] for text in recent[-_OPENINGS:]]

    def add(self, text: str) -> None:
        """Something more was told in this turn."""
        self._texts.append(text)
        self._runs.update(_runs(text))

    def age(self, text: str) -> int | None:
        """How many tellings ago the latest of the text's sentences was told; None where none of them was."""
        found = [at for one in sentences(text) for at, told in enumerate(reversed(self._texts)) if one in told]
        return min(found, default=None)

    def holds_all(self, names: Sequence[str], *, last: int) -> bool:
        """Whether one of the last tellings has all of the names."""
        return any(all(name in text for name in names) for text in self._texts[-last:])

    def opens_alike(self, text: str) -> bool:
        """Whether the text would open as the last turn did: its first two words, or `You`."""
        first = _words(text)[:2]
        return bool(self._last) and (first == self._last or first[:1] == self._last[:1] == ["you"])

    def opened_lately(self, text: str) -> bool:
        """Whether one of the last narrations opened with the same two words."""
        return _words(text)[:2] in self._openings

    def last(self) -> str:
        """What was told last; empty where nothing was."""
        return self._texts[-1] if self._texts else ""

    def worn(self, text: str) -> int:
        """How many four-word runs of the text are still in the ear."""
        return sum(1 for run in _runs(text) if run in self._runs)


def sentences(text: str) -> list[str]:
    """The sentences of a text; what stands before a colon is one."""
    return [part for part in _SENTENCE_END.split(text) if len(_words(part)) > 1]


def jars(one: str, two: str) -> bool:
    """Whether two sentences in a row begin alike, or the second takes up two of the last words of the first. Speech
    does neither: its words are somebody else's."""
    if one[:1] in ("“", "") or two[:1] in ("“", ""):
        return False
    first, second = _words(one), _words(two)
    if first[:1] == second[:1]:
        return True
    tail = first[-5:]
    return any(tail[at : at + 2] == second[:2] for at in range(len(tail)))


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _runs(text: str) -> list[Run]:
    words = _words(text)
    return [tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)]


# NarratorInput -> lines of the notes as what people say: of the place, of whom a turn was about, of what is here.

# `Use: …` is an entry of a table, and has a colon too many after a frame with one.
_LABEL = re.compile(r"\W*(?:[\w'’/-]+\s?){1,3}:\s")

# What goes on with the sentence before it, which is not told with it; and what speaks of a person by pronoun alone.
_GOES_ON = re.compile(
    r"(?:However|But|And|Or|So|Thus|Hence|Therefore|Instead|Also|Then|Otherwise|Additionally|Moreover|Furthermore|"
    r"For example|For instance|In addition|That said|Likewise|Similarly|Nevertheless|Still|Yet|See)\b"
)
_OF_SOMEBODY = re.compile(r"(?:He|She|His|Her|Him)\b")


def said_of(given: NarratorInput, entity_id: str | None, *, kind: Kind = "atmosphere") -> list[Beat]:
    """The next line of what is openly known of a place, a person or a thing; empty where all of it was told."""
    name = _name(given, entity_id)
    lines = _unheard(given, entity_id)[:1] if name else []
    facts: dict[str, Fact] = {"kind": _kind(given, entity_id)}
    return [_beat(kind, "known", facts, {"place": name}, line) for line in lines]


def answer(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """What somebody who does not know passes on of what was asked about, as what is said; empty where nothing is."""
    who = views.person(given, outcome.target_id)
    about = next((one for one in given.described if one != outcome.target_id and _is_meant(given, one, outcome)), None)
    lines = _unheard(given, about)[:1]
    if who is None or about is None:
        return []
    slots: dict[str, Slot] = {"who": who, "topic": _name(given, about)}
    return [_beat("evidence", "passed_on", {}, slots, line) for line in lines]


def around(given: NarratorInput) -> Iterator[Beat]:
    """One line of each that is here, of the place first."""
    people = [view.id for view in given.scene.people]
    things = [view.id for view in given.scene.things]
    for entity_id in (given.scene.place_id, *(one for one in given.described if one in (*people, *things))):
        yield from said_of(given, entity_id)


def is_shelf(given: NarratorInput) -> bool:
    """Whether what lies here are notes."""
    return SHELF_TAG in views.place_tags(given)


def _is_meant(given: NarratorInput, entity_id: str, outcome: Outcome) -> bool:
    return is_called(outcome.words, views.name_of(given, entity_id))


def _unheard(given: NarratorInput, entity_id: str | None) -> list[LoreLine]:
    """The lines that were not told before, and whose words were not: notes copy from each other."""
    if entity_id is None:
        return []
    overview = given.scene.overview if entity_id == given.scene.place_id else ()
    lines = (*overview, *given.described.get(entity_id, ()))
    is_person = _kind(given, entity_id) == "person"
    alone = [line for line in lines if not _LABEL.match(line.text) and (is_person or not _OF_SOMEBODY.match(line.text))]
    whole = [line for line in alone if not _GOES_ON.match(line.text)]
    return [line for line in views.unseen(whole, given.recall) if not given.recall.get(_words_key(line))]


def _words_key(line: LoreLine) -> str:
    return f"heard:{content_hash(plain(line.text))[:12]}"


def _name(given: NarratorInput, entity_id: str | None) -> str:
    if entity_id is None or not views.name_of(given, entity_id):
        return ""
    person = views.person(given, entity_id) if _kind(given, entity_id) == "person" else None
    return person.name if person else views.thing(given, entity_id)


def _kind(given: NarratorInput, entity_id: str | None) -> str:
    if any(view.id == entity_id for view in given.scene.people):
        return "person"
    if entity_id == given.scene.place_id:
        return "place"
    return "note" if is_shelf(given) else "thing"


def _beat(kind: Kind, group: str, facts: dict[str, Fact], slots: Mapping[str, Slot], line: LoreLine) -> Beat:
    return Beat(
        kind, group, facts, slots, authored=plain(line.text), cites=(line.chunk_id,), keys=(line.key, _words_key(line))
    )


# For so many tellings one keeps in mind who is here, and where the ways lead.
_PEOPLE_KEPT = 2
_LISTS_KEPT = 10


def scene_beats(given: NarratorInput, memory: Memory) -> Iterator[Beat]:
    """On a first visit all of it, after a return who is there, on a look the next line that was not told before.

    Who is here and where the ways lead is not told again as long as it is in the ear.
    """
    looks = any(is_place_look(given, outcome) for outcome in given.outcomes)
    if not given.scene_changed and not looks:
        return
    if given.scene_changed and not any(outcome.code == "moved" for outcome in given.outcomes):
        yield Beat("lead", "lead", slots={"place": views.place(given)})
    is_first = given.scene_changed and given.scene.first_visit
    if is_first or looks:
        yield from atmosphere(given, limit=2 if is_first else 1)
    if given.scene_changed or not memory.holds_all(_names_here(given), last=_PEOPLE_KEPT):
        yield from people(given)
    if is_first or looks:
        yield from (beat for beat in things(given) if is_first or not _is_told(beat, memory))
        yield from (beat for beat in exits(given) if is_first or not _is_told(beat, memory))


def _names_here(given: NarratorInput) -> list[str]:
    return [one.name for view in given.scene.people if (one := views.person(given, view.id))]


def _is_told(beat: Beat, memory: Memory) -> bool:
    """Whether the very list stands in one of the last tellings."""
    return memory.holds_all([str(beat.slots["list"])], last=_LISTS_KEPT)


def is_place_look(given: NarratorInput, outcome: Outcome) -> bool:
    """Whether the place itself was looked at."""
    if outcome.code != "looked":
        return False
    return outcome.target_id == given.scene.place_id or (outcome.target_id is None and not outcome.words)


def atmosphere(given: NarratorInput, *, limit: int) -> list[Beat]:
    """The next lines that were not told before; where a place has none left, what is said of it or of what is here."""
    if given.scene.atmosphere:
        new = views.unseen(given.scene.atmosphere, given.recall)[:limit]
        return [lore_beat(line) for line in new] or said_of(given, given.scene.place_id)
    return next(([beat] for beat in around(given)), [])


def lore_beat(line: LoreLine) -> Beat:
    """An authored line as a sentence of its own."""
    return Beat("atmosphere", authored=plain(line.text), cites=(line.chunk_id,), keys=(line.key,))


def people(given: NarratorInput) -> list[Beat]:
    """Who is here, all but those whose arrival is told."""
    came = {movement.entity_id for movement in given.movements if movement.kind == "arrival"}
    found = [views.person(given, view.id) for view in given.scene.people if view.id not in came]
    names = [one.name for one in found if one]
    if not names:
        # That the last one has just gone says as much, and on a shelf nobody is looked for.
        return (
            []
            if given.movements or is_shelf(given)
            else [Beat("people", "people.none", slots={"place": views.place(given)})]
        )
    facts: dict[str, Fact] = {"one": len(names) == 1}
    return [Beat("people", "people", facts, {"list": listed(names, limit=6)}, plural=len(names) > 1)]


def things(given: NarratorInput) -> list[Beat]:
    """What lies here."""
    names = [name for view in given.scene.things if (name := views.thing(given, view.id))]
    facts: dict[str, Fact] = {"kind": "note"} if is_shelf(given) else {}
    beat = Beat("things", "things", facts, {"list": listed(names, limit=6)}, plural=len(names) > 1)
    return [beat] if names else []


def exits(given: NarratorInput) -> list[Beat]:
    """The ways out."""
    names = views.exit_names(given.scene.exits)
    facts = {"one": len(names) == 1}
    beat = Beat("exits", "exits", facts, {"list": listed(names, limit=5)}, plural=len(names) > 1)
    return [beat] if names else []
