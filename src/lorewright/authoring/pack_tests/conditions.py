"""The conditions of a pack and the scenarios that use it -> those that can never hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import assert_never

from lorewright.campaigns.scenario import Scenario
from lorewright.ids import local
from lorewright.packs.conditions import of_item
from lorewright.packs.models import Chunk, When, WhenClock, WhenFact, WhenPart, WhenThread


@dataclass(frozen=True, slots=True)
class NeverHolds:
    """What stands under a condition that cannot hold: a section, or with `item` one item of it. With `surely` nothing
    can make it hold; else only no scenario of the workspace does."""

    line: int
    item: str | None
    why: str
    hint: str
    surely: bool


def never_holding(chunk: Chunk, scenarios: Sequence[Scenario]) -> Iterator[NeverHolds]:
    """The conditions of a section and of its items that cannot hold."""
    if chunk.conditions and (found := _judge(chunk.conditions, scenarios)):
        yield NeverHolds(chunk.conditions[0].line, None, *found)
    for item in chunk.items:
        when = of_item(item)
        if when is not None and (found := _judge((*chunk.conditions, when), scenarios)):
            yield NeverHolds(item.line, item.id, *found)


def _judge(whens: Sequence[When], scenarios: Sequence[Scenario]) -> tuple[str, str, bool] | None:
    if any(not when.parts for when in whens):
        return "its condition cannot be read", "see: lorewright pack validate", True
    parts = [part for when in whens for part in when.parts]
    if contradiction := _contradiction(parts):
        return contradiction, "all conditions of a file, a section and an item must hold together", True
    if not scenarios:
        return None
    for part in parts:
        missing = [_lacks(part, scenario) for scenario in scenarios]
        if all(missing):
            return _told(part, scenarios, unknown=all(one == "unknown" for one in missing))
    return None


def _contradiction(parts: Iterable[WhenPart]) -> str | None:
    """Parts of which only one can hold at a time, or none at any."""
    statuses: dict[str, str] = {}
    clocks: dict[str, tuple[int, int | None]] = {}
    for part in parts:
        if isinstance(part, WhenThread):
            before = statuses.setdefault(part.thread, part.status)
            if before != part.status:
                return f"thread {part.thread} would have to be {before} and {part.status} at once"
        elif isinstance(part, WhenClock):
            low, high = clocks.get(part.clock, (0, None))
            low = max(low, part.min or 0)
            high = part.max if high is None else high if part.max is None else min(high, part.max)
            if high is not None and high < low:
                return f"clock {part.clock} would have to be at least {low} and at most {high} at once"
            clocks[part.clock] = (low, high)
    return None


def _lacks(part: WhenPart, scenario: Scenario) -> str | None:
    """Why a condition cannot hold in a scenario: `unknown`, or `never`; None where it can, as far as can be told."""
    match part:
        case WhenThread():
            if part.thread not in scenario.threads:
                return "unknown"
            began = scenario.threads[part.thread].status == part.status
            return None if began or _effects(scenario, "thread", part.thread, status=part.status) else "never"
        case WhenClock():
            clock = scenario.clocks.get(part.clock)
            if clock is None:
                return "unknown"
            return "never" if part.min is not None and part.min > clock.max else None
        case WhenFact():
            return None if _effects(scenario, "fact", part.fact) else "never"
        case _:
            assert_never(part)


def _effects(scenario: Scenario, key: str, value: str, **also: str) -> bool:
    """Whether anything in a scenario has a key of this value, as the effect that brings it about would."""
    waiting: list[object] = [scenario.model_dump(mode="json", exclude={"demo", "grammar"})]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if one.get(key) == value and all(one.get(name) == wanted for name, wanted in also.items()):
                return True
            waiting += one.values()
        elif isinstance(one, (list, tuple)):
            waiting += one
    return False


def _told(part: WhenPart, scenarios: Sequence[Scenario], *, unknown: bool) -> tuple[str, str, bool]:
    names = ", ".join(scenario.id for scenario in scenarios)
    match part:
        case WhenThread():
            known = {thread for scenario in scenarios for thread in scenario.threads}
            if unknown:
                return (
                    f"no scenario that uses the pack has a thread {part.thread} ({names})",
                    _near(part.thread, known),
                    True,
                )
            return (
                f"in no scenario that uses the pack thread {part.thread} comes to be {part.status} ({names})",
                _MOVE,
                False,
            )
        case WhenClock():
            known = {clock for scenario in scenarios for clock in scenario.clocks}
            if unknown:
                return (
                    f"no scenario that uses the pack has a clock {part.clock} ({names})",
                    _near(part.clock, known),
                    True,
                )
            return f"in no scenario that uses the pack clock {part.clock} rises to {part.min} ({names})", _MOVE, False
        case WhenFact():
            about = local(part.subject)
            return f"no scenario that uses the pack establishes {part.fact} of {about} ({names})", _MOVE, False
        case _:
            assert_never(part)


_MOVE = "have a rule of a scenario bring it about, or mend the condition"


def _near(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, sorted(known), n=1)
    return f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(known)) or 'none'}"
