"""The sections of a pack, asked for themselves -> those that nothing brings, and those that starve."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import assert_never

from lorewright.authoring.pack_tests.baseline import Case
from lorewright.authoring.pack_tests.probing import Bounds, Probed, headings_of
from lorewright.campaigns.scenario import Scenario
from lorewright.ids import local
from lorewright.index.keywords import content_words
from lorewright.packs.conditions import of_item
from lorewright.packs.models import Chunk, Pack, When, WhenClock, WhenFact, WhenPart, WhenThread

# The conditions of a pack and the scenarios that use it -> those that can never hold.


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


# A heading that stands in so many files tells none of them apart.
_COMMON_HEADING = 5
_INSTEAD = 3


def retrievable_cases(pack: Pack, probed: Sequence[Probed], scenarios: Sequence[Scenario]) -> list[Case]:
    """A case for each section: can anybody ever be given it?"""
    by_id = {one.chunk.id: one for one in probed}
    cases = []
    for chunk in pack.chunks:
        never = list(never_holding(chunk, scenarios))
        if chunk.id in by_id:
            cases.append(_retrievable(chunk, by_id[chunk.id], [one for one in never if one.item is None]))
        elif not chunk.text.strip():
            cases.append(_empty(chunk, pack))
        cases += [_condition(chunk, one) for one in never if one.item is not None]
    return cases


def starved_cases(probed: Sequence[Probed], *, given: Collection[str], bounds: Bounds) -> list[Case]:
    """A case for each section that can be found: is it in a golden query's answer (`given`) or in that to its own
    title?"""
    headings = headings_of([one.chunk for one in probed])
    sections: dict[str, list[Probed]] = {}
    for one in probed:
        if one.found:
            sections.setdefault(one.chunk.section_id, []).append(one)
    cases = []
    for parts in sections.values():
        missing = [one for one in parts if not one.by_title and one.chunk.id not in given]
        cases.append(_starved(parts, missing, headings, bounds) if missing else _passed("starved", parts[0]))
    return cases


def _passed(kind: str, one: Probed) -> Case:
    return Case("starved" if kind == "starved" else "retrievable", one.chunk.id, one.chunk.file_path, one.chunk.line)


def _retrievable(chunk: Chunk, one: Probed, never: Sequence[NeverHolds]) -> Case:
    if never:
        return _condition(chunk, never[0])
    if not one.found:
        return _never_found(one)
    if not one.by_content and one.twin is not None:
        return _only_by_title(one, *one.twin)
    return _passed("retrievable", one)


def _never_found(one: Probed) -> Case:
    instead = ", ".join(one.last.instead[:_INSTEAD]) if one.last and one.last.instead else "nothing"
    why, hint = (one.last.why, one.last.hint) if one.last else ("", "")
    if one.twin is not None:
        why = f"{one.twin[0]} says the same ({int(one.twin[1] * 100)} % of the words) and goes before it"
        hint = "keep one of the two, or say in this one what sets it apart"
    return Case(
        "retrievable",
        one.chunk.id,
        one.chunk.file_path,
        one.chunk.line,
        "failed",
        expected="some question brings it: its title, its own words, or a sentence that speaks of it",
        found=f"{len(one.asked)} questions were asked and none did; the answer was {instead}",
        why=why,
        hint=hint,
    )


def _only_by_title(one: Probed, twin: str, share: float) -> Case:
    """Whoever asks about what it says is always given the other."""
    return Case(
        "retrievable",
        one.chunk.id,
        one.chunk.file_path,
        one.chunk.line,
        "failed" if share == 1.0 else "warned",
        expected="its own words bring it",
        found=f"asked in its own words, {twin} is given in its place; only its title brings it",
        why=f"{twin} says the same ({int(share * 100)} % of the words) and goes before it",
        hint="keep one of the two, or say in this one what sets it apart",
    )


def _empty(chunk: Chunk, pack: Pack) -> Case:
    """A file may begin with a section at once; a heading that has nothing below it promises what is not there."""
    alone = sum(other.entity_id == chunk.entity_id for other in pack.chunks) == 1
    if not chunk.section and not alone:
        why = "the title has no text of its own"
        return Case("retrievable", chunk.id, chunk.file_path, chunk.line, "skipped", why=why)
    return Case(
        "retrievable",
        chunk.id,
        chunk.file_path,
        chunk.line,
        "warned",
        expected="a section that says something",
        found="an empty section: it can never be found",
        why="there is nothing below its heading",
        hint="write something below it, or take the heading out",
    )


def _condition(chunk: Chunk, never: NeverHolds) -> Case:
    return Case(
        "retrievable",
        never.item or chunk.id,
        chunk.file_path,
        never.line,
        "failed" if never.surely else "warned",
        expected="a condition that holds at some time",
        found="it is never found in a campaign: its condition never holds",
        why=never.why,
        hint=never.hint,
    )


def _starved(parts: Sequence[Probed], missing: Sequence[Probed], headings: Mapping[str, int], bounds: Bounds) -> Case:
    """A section that is not given, or of whose parts some are not."""
    first = missing[0]
    chunk, left = first.chunk, first.in_place
    tokens = sum(one.chunk.token_count for one in parts)
    reasons = [left.why] if left and len(parts) == 1 else []
    hints = []
    if len(parts) > 1 or tokens > bounds.max_tokens:
        reasons.append(f"it is long: {tokens} tokens in {len(parts)} parts, and an answer holds {bounds.max_tokens}")
        hints.append("split it under headings of their own")
    if chunk.section and not content_words(chunk.section):
        reasons.append(f"its heading says nothing: {chunk.section}")
        hints.append("give it a heading that says what it is about")
    elif chunk.section and headings.get(chunk.section.casefold(), 0) >= _COMMON_HEADING:
        files = headings[chunk.section.casefold()]
        reasons.append(f"its heading stands in {files} files: {chunk.section}")
        hints.append("name in the text what it is about, or give it a heading of its own")
    if first.twin is not None:
        hints.append(f"{first.twin[0]} says the same: keep one of the two")
    elif not hints:
        hints.append("use in it the words of its title, or write a golden query that asks for it")
    others = [one for one in left.instead if one.partition("~")[0] != chunk.section_id] if left else []
    pushed = f"; in its place: {', '.join(others[:_INSTEAD])}" if others else ""
    whole = len(missing) == len(parts)
    return Case(
        "starved",
        chunk.section_id,
        chunk.file_path,
        parts[0].chunk.line,
        "warned",
        expected="its own title or a golden query brings it",
        found=f"only its own words do{pushed}"
        if whole
        else f"{len(missing)} of its {len(parts)} parts are found only by their own words{pushed}",
        why="; ".join(reasons),
        hint="; ".join(hints),
    )
