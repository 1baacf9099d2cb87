"""Scenario and packs -> what the conditions of its places and people name that it does not have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from lorewright.campaigns.names import Names
from lorewright.campaigns.scenario import Scenario
from lorewright.ids import qualify
from lorewright.index.conditions import StoredCondition, conditions_of
from lorewright.index.generation import Generation
from lorewright.packs.models import WhenClock, WhenFact, WhenPart, WhenThread
from lorewright.retrieval.overrides import ids_of, things


def condition_problems(
    scenario: Scenario, names: Names, generations: Sequence[Generation], *, entity_ids: Iterable[str]
) -> Iterator[str]:
    """A line for each unknown name, with the file and line of its pack: else what it hides would never be seen."""
    same = things(generations)
    concerned = {told_as for one in entity_ids for told_as in ids_of(one, same)}
    for generation in generations:
        for stored in conditions_of(generation):
            if stored.entity_id in concerned:
                for wrong in _problems(stored, scenario, names, generation.pack_id):
                    yield f"{generation.pack_id}/{stored.file_path}:{stored.when.line}: {wrong}"


def _problems(stored: StoredCondition, scenario: Scenario, names: Names, pack_id: str) -> Iterator[str]:
    if not stored.when.parts:
        yield "the condition cannot be read"
    for part in stored.when.parts:
        missing = _missing(part, scenario, names, pack_id)
        if missing:
            yield f"a condition names the {missing}, which scenario {scenario.id} does not have"


def _missing(part: WhenPart, scenario: Scenario, names: Names, pack_id: str) -> str | None:
    match part:
        case WhenThread():
            return None if part.thread in scenario.threads else f"thread {part.thread}"
        case WhenClock():
            return None if part.clock in scenario.clocks else f"clock {part.clock}"
        case WhenFact():
            known = names.is_own(part.subject) or names.in_packs(qualify(pack_id, part.subject))
            return None if known else f"subject {part.subject}"
        case _:
            assert_never(part)
