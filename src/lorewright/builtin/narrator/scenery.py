"""The place -> beats: its atmosphere line by line, who is here, what lies here, the ways out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.authored import is_named_in, plain
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.views import Beat, Kind, Slot
from lorewright.builtin.parser.clauses import is_called, listed, place_name
from lorewright.ids import content_hash
from lorewright.rules.patch import Outcome
from lorewright.values.records import LoreLine, NarratorInput
from lorewright.world.state import SHELF_TAG

# The last narrations -> what a listener still has in the ear: whole sentences, runs of words, the last opening.

_SENTENCE_END = re.compile(r"(?<=[.!?…:])\s+|(?<=[.!?…]”)\s+")
_WORD = re.compile(r"[\w'’-]+")
_RUN = 4
# A turn of several rounds has so many narrations, or hardly more.
_OPENINGS = 5

Run = tuple[str, ...]


class SceneryMemory:
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
        found = [
            at for sentence in sentences(text) for at, told in enumerate(reversed(self._texts)) if sentence in told
        ]
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


def scene_beats(given: NarratorInput, memory: SceneryMemory) -> Iterator[Beat]:
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


def _is_told(beat: Beat, memory: SceneryMemory) -> bool:
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


# Minutes -> how one says them in a sentence: `five minutes`, `a quarter of an hour`, `two hours`.

_ONES = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty")
_BY_NAME = {1: "a minute", 15: "a quarter of an hour", 30: "half an hour", 60: "an hour", 90: "an hour and a half"}
_DAY = 24 * 60


def duration(minutes: int) -> str:
    """In words; from an hour on to the nearest hour, from two days on to the nearest day."""
    if minutes in _BY_NAME:
        return _BY_NAME[minutes]
    if minutes < 60:
        return f"{_number(max(minutes, 0))} minutes"
    if minutes < 90:
        return "over an hour"
    if minutes < 2 * _DAY:
        return f"{_number(round(minutes / 60))} hours"
    return f"{_number(round(minutes / _DAY))} days"


def is_plural(minutes: int) -> bool:
    """Whether a verb after the duration stands in the plural."""
    return minutes not in _BY_NAME and not 60 <= minutes < 90


def _number(value: int) -> str:
    if value < len(_ONES):
        return _ONES[value]
    if value < 60:
        tens, ones = divmod(value, 10)
        return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")
    return "many"


# A telling that is too short -> what may be added: a line of lore nobody has heard, or what is here, by name.

# From this share of a clock on it is felt without having moved.
_FELT = 0.5
_VERBS = {"look": "look", "search": "search", "ask": "ask", "wait": "wait"}


def fillers(given: NarratorInput, beats: Sequence[Beat]) -> list[Beat]:
    """What may be added, best first: lore in every second turn, then one thing after another that is here.

    An ending is enough to read; before it nothing is added.
    """
    if given.ending:
        return []
    own = _turned(list(_own(given, beats)), given.turn_no)
    lore = list(lore_left(given, beats))
    if given.turn_no % 2:
        return [*own[:1], *lore, *own[1:]]
    return [*lore, *own]


def lore_left(given: NarratorInput, beats: Sequence[Beat]) -> Iterator[Beat]:
    """An unheard line of somebody who is here, one of the place, then what people say; who was asked or looked at comes
    first."""
    used = {key for beat in beats for key in beat.keys}
    meant = {outcome.target_id for outcome in given.outcomes}
    people = sorted(given.scene.people, key=lambda view: view.id not in meant)
    shows = any(key in used for view in people for key in (line.key for line in view.disposition))
    lines = [] if shows else [line for view in people for line in views.unseen(view.disposition, given.recall)[:1]]
    place = [line for line in views.unseen(given.scene.atmosphere, given.recall) if line.key not in used]
    place = [line for line in place if not _names_somebody_absent(given, line.text)]
    found = [*lines[:1], *place[:1]] if given.turn_no % 4 < 2 else [*place[:1], *lines[:1]]
    for line in found:
        yield lore_beat(line)
    yield from (beat for beat in around(given) if not used.intersection(beat.keys))


def _names_somebody_absent(given: NarratorInput, text: str) -> bool:
    """Whether a line speaks of somebody by a name that nobody here has."""
    here = {view.id for view in given.scene.people}
    others = [name for entity_id, name in given.names.items() if entity_id not in here and entity_id in _people(given)]
    return is_named_in(others, text)


def _people(given: NarratorInput) -> set[str]:
    return {movement.entity_id for movement in given.movements} | {
        outcome.target_id for outcome in given.outcomes if outcome.type == "ask" and outcome.target_id
    }


def _own(given: NarratorInput, beats: Sequence[Beat]) -> Iterator[Beat]:
    """One sentence each on who is here, the place, what lies here, what is carried, a way out, a clock."""
    told = {beat.kind for beat in beats}
    place = {"place": views.place(given)}
    yield from _of_people(given)
    yield Beat("filler", "still.place", slots=place)
    if "exits" not in told and given.scene.exits:
        yield _way(given)
    things = [name for view in given.scene.things if (name := views.thing(given, view.id))]
    if things and "things" not in told:
        yield Beat("filler", "still.thing", slots={"thing": things[given.turn_no % len(things)], **place})
    named = " ".join(str(beat.slots.get("thing", "")) for beat in beats)
    carried = [name for name in views.carried(given) if name not in named]
    if carried:
        yield Beat("filler", "still.carried", slots={"thing": carried[given.turn_no % len(carried)], **place})
    if "pressure" not in told and "price" not in told:
        yield from _felt(given)


def _of_people(given: NarratorInput) -> Iterator[Beat]:
    here = [who for view in given.scene.people if (who := views.person(given, view.id))]
    verb = next((_VERBS.get(outcome.type, "other") for outcome in given.outcomes), "other")
    target = next((outcome.target_id for outcome in given.outcomes), None)
    if not here:
        yield Beat("filler", "still.alone", slots={"place": views.place(given)})
        return
    who = next((one for one in here if one.id == target), here[given.turn_no % len(here)])
    facts: dict[str, Fact] = {"verb": verb} if verb != "ask" or who.id == target else {}
    yield Beat("filler", "still.person", facts, {"who": who})
    others = [one for one in here if one.id != who.id]
    if others:
        yield Beat("filler", "still.pair", slots={"who": who, "other": others[0].name})


def _way(given: NarratorInput) -> Beat:
    """One of the ways out, with how long it is and what door is in it."""
    way = given.scene.exits[given.turn_no % len(given.scene.exits)]
    place = views.place(given, way.to)
    if not views.name_of(given, way.to):
        return Beat("filler", "still.place", slots={"place": views.place(given)})
    door = views.thing(given, way.door)
    slots = {"place": place, "minutes": duration(way.minutes), "door": door}
    return Beat("filler", "still.way", {"door": True} if door else {}, slots)


def _felt(given: NarratorInput) -> Iterator[Beat]:
    """A clock that stands high although it has not moved."""
    moved = {tick.name for tick in given.clocks}
    for clock in given.packet.get("clocks", ()):
        name, value, most = plain(str(clock["name"])), clock["value"], clock["max"]
        if name and name not in moved and value >= most * _FELT:
            yield Beat(
                "filler",
                "still.clock",
                {"near": value >= most - 2, "clock": str(clock["id"])},
                {"clock": place_name(name)},
            )


def _turned(beats: list[Beat], turn_no: int) -> list[Beat]:
    start = turn_no % len(beats) if beats else 0
    return beats[start:] + beats[:start]
