"""What a replay would ask of whom -> about what it costs, by what the same stages read and wrote then."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lorewright.llm.taxonomy import Row
from lorewright.replay.casting import Overrides
from lorewright.replay.recording import RecordedTurn
from lorewright.tokens import count_tokens
from lorewright.values.stage_run import BUILTIN

# What a stage reads beside its input, and writes, where no model ran it then.
_PROMPT, _ANSWER = 800, 300


@dataclass(frozen=True, slots=True)
class Estimate:
    """How many times models that may cost money would be asked, which (by key, sorted), and about what that costs in
    millionths of a dollar, if nothing has to be repaired; of those in `unpriced` nobody says what they cost."""

    calls: int
    keys: tuple[str, ...]
    microusd: int
    unpriced: tuple[str, ...] = ()


def estimate_of(
    turns: Iterable[RecordedTurn], overrides: Overrides, rows: Mapping[str, Row], may_cost: Callable[[Row], bool]
) -> Estimate:
    """The estimate for turns; `rows` has the row of every key that would be asked, `may_cost` says of which of them
    somebody is to be asked first."""
    calls, keys, microusd = 0, set[str](), 0
    for turn in turns:
        for stage, key in overrides.keys(turn.asked()).items():
            if key is None or key == BUILTIN or not may_cost(rows[key]):
                continue
            prices = rows[key].prices
            for record in (one for one in turn.records if one["stage"] == stage):
                read, written = _size_of(record)
                calls, microusd = calls + 1, microusd + (prices.cost_microusd(read, written) if prices else 0)
                keys.add(key)
    unpriced = tuple(sorted(key for key in keys if rows[key].prices is None))
    return Estimate(calls, tuple(sorted(keys)), microusd, unpriced)


def _size_of(record: Mapping[str, Any]) -> tuple[int, int]:
    """Tokens that a stage read and wrote."""
    if record["calls"]:
        return sum(one["input_tokens"] for one in record["calls"]), sum(one["output_tokens"] for one in record["calls"])
    return _PROMPT + count_tokens(json.dumps(record["input"], ensure_ascii=False)), _ANSWER
