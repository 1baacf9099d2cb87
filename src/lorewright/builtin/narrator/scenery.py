"""Scenery: the place -> beats: its atmosphere line by line, who is here, what lies here, the ways out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from sys import intern

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_words import Telling, telling_of
from lorewright.builtin.narrator.authored import is_named_in, lowered, plain, said_gone
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.views import Beat, Kind, Line, Slot
from lorewright.builtin.words.clauses import is_called, listed, place_name
from lorewright.ids import content_hash
from lorewright.index.keywords import content_words
from lorewright.rules.patch import Outcome
from lorewright.scene_lore.models import LoreText
from lorewright.values.records import LoreLine, NarratorInput
from lorewright.world.state import SHELF_TAG

# Recently told: the last narrations -> their sentences, runs of words, and last opening.

_SENTENCE_END = re.compile(r"(?<=[.!?…:])\s+|(?<=[.!?…]”)\s+")
_WORD = re.compile(r"[\w'’-]+")
_RUN = 4
# Narrations that are kept: a turn of several rounds has about so many.
_OPENINGS = 5


class SceneryMemory:
    """The narrations of the last turns, oldest first, and of this one so far."""

    def __init__(self, recent: Sequence[str]) -> None:
        self._texts = list(recent)
        self._runs = {run for text in recent for run in _runs(text)}
        self._last = _words(recent[-1])[:2] if recent else ()
        self._openings = [_words(text)[:2] for text in recent[-_OPENINGS:]]

    def add(self, text: str) -> None:
        """Add a text that was told in this turn."""
        self._texts.append(text)
        self._runs.update(_runs(text))

    def age(self, text: str) -> int | None:
        """Return how many narrations ago the latest of the text's sentences was told; None where none of them was."""
        found = [
            at for sentence in sentences(text) for at, told in enumerate(reversed(self._texts)) if sentence in told
        ]
        return min(found, default=None)

    def holds_all(self, names: Sequence[str], *, last: int) -> bool:
        """Tell whether one of the last narrations has all of the names."""
        return any(all(name in text for name in names) for text in self._texts[-last:])

    def opens_alike(self, text: str) -> bool:
        """Tell whether the text would open as the last turn did: its first two words, or `You`."""
        first = _words(text)[:2]
        return bool(self._last) and (first == self._last or first[:1] == self._last[:1] == ("you",))

    def opened_lately(self, text: str) -> bool:
        """Tell whether one of the last narrations opened with the same two words."""
        return _words(text)[:2] in self._openings

    def last(self) -> str:
        """The text that was told last; empty where there is none."""
        return self._texts[-1] if self._texts else ""

    def worn(self, text: str) -> int:
        """Return how many four-word runs of the text were recently told."""
        return sum(1 for run in _runs(text) if run in self._runs)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; the text before a colon is one."""
    return [part for part in _SENTENCE_END.split(text) if len(_words(part)) > 1]


def jars(first_text: str, second_text: str) -> bool:
    """Tell whether two sentences in a row begin alike, or the second takes up two of the last words of the first.
    Speech never jars: its words are somebody else's.
    """
    if first_text[:1] in ("“", "") or second_text[:1] in ("“", ""):
        return False
    first, second = _words(first_text), _words(second_text)
    if first[:1] == second[:1]:
        return True
    tail = first[-5:]
    return any(tail[at : at + 2] == second[:2] for at in range(len(tail)))


# Every variant that might be told is compared with what was told lately; the same words stand in all of it.
@lru_cache(maxsize=256)
def _words(text: str) -> tuple[str, ...]:
    return tuple(intern(word.lower()) for word in _WORD.findall(text))


def _runs(text: str) -> list[tuple[str, ...]]:
    words = _words(text)
    return [words[at : at + _RUN] for at in range(len(words) - _RUN + 1)]


# Hearsay: NarratorInput -> lines of the notes as what people say: of the place, of those a turn was about, of what is
# here.

# `Use: …` is an entry of a table, and has a colon too many after a frame with a colon.
_LABEL = re.compile(r"\W*(?:[\w'’/-]+\s?){1,3}:\s")

# Lines that continue the sentence before them, which is not told with them; and lines with a pronoun for a person.
_GOES_ON = re.compile(
    r"(?:However|But|And|Or|So|Thus|Hence|Therefore|Instead|Also|Then|Otherwise|Additionally|Moreover|Furthermore|"
    r"For example|For instance|In addition|That said|Likewise|Similarly|Nevertheless|Still|Yet|See)\b"
)
_OF_SOMEBODY = re.compile(r"(?:He|She|His|Her|Him)\b")


def said_of(given: NarratorInput, entity_id: str | None, *, kind: Kind = "atmosphere") -> list[Beat]:
    """Return the next line of what is openly known of a place, a person or a thing; empty where all of it was told."""
    name = _name(given, entity_id)
    lines = _unheard_lines(given, entity_id)[:1] if name else []
    facts: dict[str, Fact] = {"kind": _kind(given, entity_id)}
    return [_beat(kind, "known", facts, {"place": name}, line) for line in lines]


def answer(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Return what somebody who does not know passes on about the topic, as hearsay; empty where there is nothing."""
    who = views.person(given, outcome.target_id)
    others = [entity_id for entity_id in given.described if entity_id != outcome.target_id]
    meant = [entity_id for entity_id in others if _is_meant(given, entity_id, outcome)]
    # Who is not here is described only where a question named them, perhaps among other words.
    said = set(content_words(outcome.words))
    people, things = given.scene.people, (*given.scene.things, *given.carried)
    here = {given.scene.place_id, *(view.id for view in people), *(thing.id for thing in things)}
    absent = (other for other in others if other not in here and said & set(content_words(views.name_of(given, other))))
    about = next(iter(meant), None) or next(absent, None)
    lines = _unheard_lines(given, about)[:1]
    if who is None or about is None:
        return []
    slots: dict[str, Slot] = {"who": who, "topic": _name(given, about)}
    return [_beat("evidence", "passed_on", {}, slots, line) for line in lines]


def around(given: NarratorInput) -> Iterator[Beat]:
    """Yield one line about everything that is here, the place first."""
    people = [view.id for view in given.scene.people]
    things = [view.id for view in given.scene.things]
    for entity_id in (
        given.scene.place_id,
        *(described_id for described_id in given.described if described_id in (*people, *things)),
    ):
        yield from said_of(given, entity_id)


def is_shelf(given: NarratorInput) -> bool:
    """Tell whether the things here are notes."""
    return SHELF_TAG in views.place_tags(given)


def _is_meant(given: NarratorInput, entity_id: str, outcome: Outcome) -> bool:
    return is_called(outcome.words, views.name_of(given, entity_id))


def _unheard_lines(given: NarratorInput, entity_id: str | None) -> list[LoreLine]:
    """Return the lines that were not told before, and whose words were not: notes copy from each other."""
    lines = [] if entity_id is None else open_lines(given, entity_id)
    return [line for line in views.unseen(lines, given.recall) if not given.recall.get(words_key(line))]


def open_lines(given: NarratorInput, entity_id: str) -> list[LoreLine]:
    """Return the lines openly known of somebody or something that can be told one by one."""
    overview = given.scene.overview if entity_id == given.scene.place_id else ()
    lines = (*overview, *given.described.get(entity_id, ()))
    whole = _alone(lines, is_person=_kind(given, entity_id) == "person")
    # Of one person: their own pronoun is clear, but not what stands for several.
    is_one = any(view.id == entity_id and view.pronoun != "they" for view in given.scene.people)
    return [line for line in whole if not (is_one and _OF_SEVERAL.match(line.text))]


def _alone(lines: Sequence[Line], *, is_person: bool) -> list[Line]:
    """Return the lines that can be told one by one."""
    alone = [line for line in lines if not _LABEL.match(line.text) and (is_person or not _OF_SOMEBODY.match(line.text))]
    return [line for line in alone if not _GOES_ON.match(line.text)]


def unheard(lines: Sequence[Line], recall: Mapping[str, int], *, is_person: bool = False) -> list[Line]:
    """Return the lines of somebody or something that stand alone and that were not told before in this branch."""
    alone = _alone(lines, is_person=is_person)
    return [line for line in views.unseen(alone, recall) if not recall.get(words_key(line))]


def words_key(line: LoreLine | LoreText) -> str:
    """Return the key under which the words of a line count as told, whichever note they stand in."""
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
        kind, group, facts, slots, authored=plain(line.text), cites=(line.chunk_id,), keys=(line.key, words_key(line))
    )


# Scenery: the place -> beats: its atmosphere line by line, who is here, what lies here, the ways out.

# For so many narrations the list of people and the ways out are remembered.
_PEOPLE_KEPT = 2
_LISTS_KEPT = 10


def scene_beats(given: NarratorInput, memory: SceneryMemory) -> Iterator[Beat]:
    """Yield the whole scene on a first visit, the people there after a return, and the next untold line on a look.

    People and ways out are not told again while they were told recently.
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
    return [somebody.name for view in given.scene.people if (somebody := views.person(given, view.id))]


def _is_told(beat: Beat, memory: SceneryMemory) -> bool:
    """Tell whether the same list stands in one of the last narrations."""
    return memory.holds_all([str(beat.slots["list"])], last=_LISTS_KEPT)


def is_place_look(given: NarratorInput, outcome: Outcome) -> bool:
    """Tell whether the place itself was looked at."""
    if outcome.code != "looked" or outcome.form in ("listen", "smell", "count"):
        return False
    return outcome.target_id == given.scene.place_id or (outcome.target_id is None and not outcome.words)


def passed_by(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Return that one looked round a place before one left it; what is seen where one stands now is told with it."""
    is_left = any(other.code == "moved" and other.action_index > outcome.action_index for other in given.outcomes)
    return [Beat("outcome", "looked.passing")] if is_left else []


def atmosphere(given: NarratorInput, *, limit: int) -> list[Beat]:
    """Return the next lines that were not told before; where none are left, hearsay about the place or what is here."""
    if given.scene.atmosphere:
        new = [told for told in wholes(given.scene.atmosphere) if views.unseen(told[:1], given.recall)][:limit]
        return [lore_beat(*told) for told in new] or said_of(given, given.scene.place_id)
    return next(([beat] for beat in around(given)), [])


def lore_beat(*lines: LoreLine) -> Beat:
    """Return an authored line, with those that depend on it, as sentences of their own."""
    return Beat(
        "atmosphere",
        authored=" ".join(plain(line.text) for line in lines),
        cites=tuple(dict.fromkeys(line.chunk_id for line in lines)),
        keys=tuple(line.key for line in lines),
    )


# Beginnings that point to the sentence before, and pronouns that stand for several.
_POINTS_BACK = re.compile(
    r"(?:They|Them|Their|Theirs|It|Its|He|She|His|Her|Both|Neither|Either|These|Those|This|That|The others?|Another|"
    r"(?:One|Two|Some|None|Most|All|Each) of (?:them|these|those))\b"
)
_OF_SEVERAL = re.compile(r"\b(?:they|them|their|theirs)\b", re.IGNORECASE)
# What such a pronoun can stand for, before it: several things, or two joined. A verb has an s, too, but none of the
# words before it that a noun has.
_SEVERAL = re.compile(
    r"\b(?:people|men|women|children|fish|each|every|any|\w+ and (?:the |a |an )?\w+)\b"
    r"|^(?!It|This|His|Its)\w+[^\Wsui]s\b"
    r"|\b(?:the|these|those|some|many|few|several|all|both|no|two|three|four|five|six|seven|eight|nine|ten|his|her|its|"
    r"your|of|with|between|from|by|on|in|or|where|when|as)(?: [\w'’-]+)? [\w'’-]*[^\Wsui]s\b"
    r"|\b(?:of|with)(?: [\w'’-]+){2} [\w'’-]*[^\Wsui]s\b",
    re.IGNORECASE,
)
# `It` that stands for nothing: `It is raining`.
_OF_NOTHING = re.compile(r"It (?:is|was|has been|rains|snows|takes|seems|smells of|looks like|feels like)\b")


def depends(text: str) -> bool:
    """Tell whether a sentence cannot be told without the one before it: a pronoun in it has nothing to stand for."""
    if _POINTS_BACK.match(text) and not _OF_NOTHING.match(text):
        return True
    several = _OF_SEVERAL.search(text)
    return several is not None and not _SEVERAL.search(text[: several.start()])


def wholes(lines: Sequence[LoreLine]) -> list[tuple[LoreLine, ...]]:
    """Return the lines in their order, each with those after it that depend on it; such a line alone is left out."""
    found: list[tuple[LoreLine, ...]] = []
    for at, line in enumerate(lines):
        if not depends(plain(line.text)):
            found.append((line,))
        elif at and found and found[-1][-1] is lines[at - 1]:
            found[-1] = (*found[-1], line)
    return found


def people(given: NarratorInput) -> list[Beat]:
    """Return who is here, except those whose arrival is told."""
    came = {movement.entity_id for movement in given.movements if movement.kind == "arrival"}
    found = [views.person(given, view.id) for view in given.scene.people if view.id not in came]
    names = [somebody.name for somebody in found if somebody]
    if not names:
        # A departure of the last person says as much, and nobody is expected on a shelf.
        return (
            []
            if given.movements or is_shelf(given)
            else [Beat("people", "people.none", slots={"place": views.place(given)})]
        )
    facts: dict[str, Fact] = {"one": len(names) == 1}
    return [Beat("people", "people", facts, {"list": listed(names, limit=6)}, plural=len(names) > 1)]


def things(given: NarratorInput) -> list[Beat]:
    """Return what lies here."""
    names = [name for view in given.scene.things if (name := views.thing(given, view.id))]
    facts: dict[str, Fact] = {"kind": "note"} if is_shelf(given) else {}
    beat = Beat("things", "things", facts, {"list": listed(names, limit=6)}, plural=len(names) > 1)
    return [beat] if names else []


def exits(given: NarratorInput) -> list[Beat]:
    """Return the ways out."""
    names = views.exit_names(given.scene.exits)
    facts = {"one": len(names) == 1}
    beat = Beat("exits", "exits", facts, {"list": listed(names, limit=5)}, plural=len(names) > 1)
    return [beat] if names else []


# Fillers: a short narration -> what may be added: an untold line of lore, or what is here, by name.

# From this share of a clock on it is felt without having moved.
_FELT = 0.5


def fillers(given: NarratorInput, beats: Sequence[Beat]) -> list[Beat]:
    """Return what may be added, best first: lore in every second turn, then one thing after another that is here.

    With an ending nothing is added.
    """
    if given.ending:
        return []
    own = _turned(list(_still_beats(given, beats)), given.turn_no)
    lore = list(lore_left(given, beats))
    if given.turn_no % 2:
        return [*own[:1], *lore, *own[1:]]
    return [*lore, *own]


def lore_left(given: NarratorInput, beats: Sequence[Beat]) -> Iterator[Beat]:
    """Yield an untold line about somebody who is here, one about the place, then hearsay; the person asked or looked at
    comes first.
    """
    used = {key for beat in beats for key in beat.keys}
    meant = {outcome.target_id for outcome in given.outcomes}
    people = sorted(given.scene.people, key=lambda view: view.id not in meant)
    shows = any(key in used for view in people for key in (line.key for line in view.disposition))
    lines = [] if shows else [line for view in people for line in views.unseen(view.disposition, given.recall)[:1]]
    fresh = [told for told in wholes(given.scene.atmosphere) if views.unseen(told[:1], given.recall)]
    place = [told for told in fresh if used.isdisjoint(line.key for line in told)]
    place = [told for told in place if not any(_names_somebody_absent(given, line.text) for line in told)]
    own = [(line,) for line in lines]
    found = [*own[:1], *place[:1]] if given.turn_no % 4 < 2 else [*place[:1], *own[:1]]
    for told in found:
        yield lore_beat(*told)
    yield from (beat for beat in around(given) if not used.intersection(beat.keys))


def _names_somebody_absent(given: NarratorInput, text: str) -> bool:
    """Tell whether a line names a person who is not here."""
    here = {view.id for view in given.scene.people}
    others = [name for entity_id, name in given.names.items() if entity_id not in here and entity_id in _people(given)]
    return is_named_in(others, text)


def _people(given: NarratorInput) -> set[str]:
    return {movement.entity_id for movement in given.movements} | {
        outcome.target_id
        for outcome in given.outcomes
        if telling_of(outcome.type).target_is_person and outcome.target_id
    }


def _still_beats(given: NarratorInput, beats: Sequence[Beat]) -> Iterator[Beat]:
    """Yield one sentence each on who is here, the place, what lies here, what is carried, a way out, a clock."""
    kinds = {beat.kind for beat in beats}
    place = {"place": views.place(given)}
    yield from _of_people(given)
    yield Beat("filler", "still.place", slots=place)
    if "exits" not in kinds and given.scene.exits:
        yield _way_beat(given)
    things = [name for view in given.scene.things if (name := views.thing(given, view.id))]
    if things and "things" not in kinds:
        yield Beat("filler", "still.thing", slots={"thing": things[given.turn_no % len(things)], **place})
    named = " ".join(str(beat.slots.get("thing", "")) for beat in beats)
    carried = [name for name in views.carried(given) if name not in named]
    if carried:
        yield Beat("filler", "still.carried", slots={"thing": carried[given.turn_no % len(carried)], **place})
    if "pressure" not in kinds and "price" not in kinds:
        yield from _felt_clocks(given)


def _of_people(given: NarratorInput) -> Iterator[Beat]:
    present = [who for view in given.scene.people if (who := views.person(given, view.id))]
    first = next(iter(given.outcomes), None)
    target, telling = (None, Telling()) if first is None else (first.target_id, telling_of(first.type))
    if not present:
        yield Beat("filler", "still.alone", slots={"place": views.place(given)})
        return
    who = next((somebody for somebody in present if somebody.id == target), present[given.turn_no % len(present)])
    facts: dict[str, Fact] = {"verb": telling.watched_as or "other"}
    if telling.target_is_person and who.id != target:
        facts = {}
    yield Beat("filler", "still.person", facts, {"who": who})
    others = [somebody for somebody in present if somebody.id != who.id]
    if others:
        yield Beat("filler", "still.pair", slots={"who": who, "other": others[0].name})


def _way_beat(given: NarratorInput) -> Beat:
    """Return one of the ways out, with its length and its door."""
    way = given.scene.exits[given.turn_no % len(given.scene.exits)]
    place = views.place(given, way.to)
    if not views.name_of(given, way.to):
        return Beat("filler", "still.place", slots={"place": views.place(given)})
    door = views.thing(given, way.door)
    slots = {"place": place, "minutes": views.duration(way.minutes), "door": door}
    return Beat("filler", "still.way", {"door": True} if door else {}, slots)


def _felt_clocks(given: NarratorInput) -> Iterator[Beat]:
    """Yield a clock that stands high although it has not moved."""
    moved = {tick.name for tick in given.clocks}
    for clock in given.packet.clocks:
        name, value, most = plain(clock.name), clock.value, clock.max
        if name and name not in moved and value >= most * _FELT:
            yield Beat(
                "filler",
                "still.clock",
                {"near": value >= most - 2, "clock": clock.id},
                {"clock": place_name(name)},
            )


def _turned(beats: list[Beat], turn_no: int) -> list[Beat]:
    start = turn_no % len(beats) if beats else 0
    return beats[start:] + beats[:start]


# Forms of deeds that are done from afar, or to what is not there any more.
_FROM_AFAR = frozenset("look listen smell read search seek gesture pose write perform phone".split())


def gone_beat(given: NarratorInput, outcome: Outcome) -> Beat | None:
    """Return that a deed comes to nothing because the thing is gone or stands still, in the words that say so, or does
    not start; None where neither is so."""
    shown = None if outcome.form in _FROM_AFAR else views.shown_in_prose(given, outcome)
    for line in () if shown is None else shown.lines:
        noun = shown.name.split()[-1] if shown else ""
        if clause := said_gone(line.text, noun, is_run=_RUNS.match(outcome.deed) is not None):
            return Beat("outcome", "form.undone", {}, {"reminder": lowered(clause)})
    if shown is not None and _STARTS.match(outcome.deed):
        group = "form.unlit" if re.match(r"(?:light|ignite)\b", outcome.deed) else "form.unstarted"
        return Beat("outcome", group, {}, {"thing": shown.name})
    return None


_RUNS = re.compile(r"(?:ride|take|board|use|start|repair|fix|mend|restore)\b", re.IGNORECASE)
_STARTS = re.compile(
    r"(?:turn|switch|power) (?:(?:on|off)\b|.*\b(?:on|off)$)|(?:turn|switch|power|get) .*\b(?:going|running|working)\b"
    r"|(?:start|restart|switch|ignite|activate|reactivate|fire up|boot|reboot|light)\b",
    re.IGNORECASE,
)
