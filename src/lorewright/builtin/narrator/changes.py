"""Ops, clocks and movements -> beats: what an attempt cost or won, who came and went, how near the clocks are."""

from __future__ import annotations

from collections.abc import Iterator

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.acts import moved_by_acts, things_of_acts
from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.views import Beat, Kind, Person
from lorewright.builtin.parser.clauses import listed, place_name
from lorewright.values.records import ClockTick, NarratorInput
from lorewright.world.ops import ChangeInventory, ChangeRelation, SetDoor

# A price is named by one or two things; more of them would be a bill.
_MOST_PRICES = 2
# From this quarter on a clock's pressure says more than that it is the price.
_NEAR = 3


def prices(given: NarratorInput) -> list[Beat]:
    """What the attempt cost: somebody's regard, a thing, a clock; after a failure something in any case."""
    banded = [outcome for outcome in given.outcomes if outcome.band in ("mixed", "fail")]
    kind: Kind = "price" if banded else "gain"
    found = [*_regard(given, "price.relation", kind, worse=True), *_lost(given, kind)]
    if banded:
        found += [
            Beat("price", "price.clock", {"clock": tick.id}, {"clock": _clock_name(tick)})
            for tick in _far_off(given)[:1]
        ]
        moved = given.movements or any(tick.after > tick.before for tick in given.clocks)
        if not found and not moved and not given.minutes_lost and any(outcome.band == "fail" for outcome in banded):
            found.append(Beat("price", "price.none"))
    return found[:_MOST_PRICES]


def gains(given: NarratorInput) -> list[Beat]:
    """What was won beside what was told: somebody's regard, a thing, an open door."""
    taken = {outcome.target_id for outcome in given.outcomes if outcome.code == "taken"} | things_of_acts(given)
    beats = _regard(given, "gain.relation", "gain", worse=False)
    for op in given.ops:
        match op:
            case ChangeInventory(delta=delta) if delta > 0 and _is_own(given, op) and op.item_id not in taken:
                beats += _with_thing("gain.thing", "gain", "thing", views.thing(given, op.item_id))
            case SetDoor(locked=False) if op.door_id not in taken:
                beats += _with_thing("gain.door", "gain", "door", views.thing(given, op.door_id))
            case _:
                pass
    return beats[:2]


def movements(given: NarratorInput) -> Iterator[Beat]:
    """Who came, then who went, one sentence each; where that is all that a bad roll brought, it is the price."""
    banded = any(outcome.band in ("mixed", "fail") for outcome in given.outcomes)
    kind: Kind = "price" if banded and not prices(given) else "movement"
    told = moved_by_acts(given)
    for group in ("arrival", "departure"):
        moved = [one for one in given.movements if one.kind == group and one.entity_id not in told]
        names = [place_name(plain(one.name)) for one in moved if plain(one.name)]
        if names:
            yield Beat(kind, group, slots={"names": listed(names)}, plural=len(names) > 1)


def pressure(given: NarratorInput) -> list[Beat]:
    """The clock nearest its end; where it is still far off and has just been named as the price, nothing.

    A clock that stays in the first or second quarter was told of when it came there.
    """
    moved = [tick for tick in given.clocks if tick.after != tick.before and plain(tick.name) and _is_news(tick)]
    if not moved:
        return []
    tick = max(moved, key=_urgency)
    level, name = level_of(tick), _clock_name(tick)
    if any(beat.slots.get("clock") == name for beat in prices(given)):
        return []
    is_price = level >= _NEAR and any(outcome.band in ("mixed", "fail") for outcome in given.outcomes)
    kind: Kind = "price" if is_price else "pressure"
    facts: dict[str, Fact] = {"level": level, "full": tick.after >= tick.max, "clock": tick.id}
    return [Beat(kind, "pressure", facts, {"clock": name})]


def level_of(tick: ClockTick) -> int:
    """The quarter that a rising clock has come to, 1..4; 0 for one that fell."""
    if tick.after <= tick.before:
        return 0
    return max(1, quarter(tick.after, tick.max))


def quarter(value: int, most: int) -> int:
    """The quarter that a value lies in, 0 (nothing yet) to 4."""
    return min(4, -(-4 * max(value, 0) // max(most, 1)))


def _is_news(tick: ClockTick) -> bool:
    return level_of(tick) not in (1, 2) or quarter(tick.before, tick.max) != level_of(tick)


def _urgency(tick: ClockTick) -> tuple[bool, float, str]:
    return (tick.after > tick.before, tick.after / max(tick.max, 1), tick.id)


def _far_off(given: NarratorInput) -> list[ClockTick]:
    """The clocks that rose and are not near their end, the fullest first."""
    risen = [tick for tick in given.clocks if 0 < level_of(tick) < _NEAR and _clock_name(tick)]
    return sorted(risen, key=_urgency, reverse=True)


def _clock_name(tick: ClockTick) -> str:
    return place_name(plain(tick.name))


def _regard(given: NarratorInput, group: str, kind: Kind, *, worse: bool) -> list[Beat]:
    """The people whose regard for the player got worse, or better; one at most."""
    for op in given.ops:
        if isinstance(op, ChangeRelation) and given.player_id in (op.a, op.b):
            balance = op.trust + op.closeness - op.tension
            other = views.person(given, op.a if op.b == given.player_id else op.b)
            if other and (balance < 0 if worse else balance > 0):
                return [_of_person(group, kind, other)]
    return []


def _lost(given: NarratorInput, kind: Kind) -> list[Beat]:
    told = things_of_acts(given)
    ops = [op for op in given.ops if isinstance(op, ChangeInventory) and op.item_id not in told]
    lost = [op for op in ops if op.delta < 0 and _is_own(given, op)]
    return [
        beat for op in lost[:1] for beat in _with_thing("price.lost", kind, "thing", views.thing(given, op.item_id))
    ]


def _is_own(given: NarratorInput, op: ChangeInventory) -> bool:
    return op.owner_id == given.player_id


def _of_person(group: str, kind: Kind, who: Person) -> Beat:
    return Beat(kind, group, slots={"who": who})


def _with_thing(group: str, kind: Kind, slot: str, name: str) -> list[Beat]:
    return [Beat(kind, group, slots={slot: name})] if name else []
