"""Minutes -> how one says them in a sentence: `five minutes`, `a quarter of an hour`, `two hours`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.authored import is_named_in, plain
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.scenery import around, lore_beat
from lorewright.builtin.narrator.views import Beat
from lorewright.builtin.parser.naming import place_name
from lorewright.values.records import NarratorInput

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
