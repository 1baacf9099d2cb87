"""The record of a turn, and its replay -> where they part first, and every other difference."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from lorewright.replay.figures import TurnFigures
from lorewright.replay.recording import OtherVersion, RecordedTurn
from lorewright.rules.patch import Roll
from lorewright.turn.stages.interpret.stage import PAST_RECORDS
from lorewright.turn.views.draft import StageRecord
from lorewright.values.records import TurnResult
from lorewright.world.state_diff import StateDiff

Aspect = Literal["input", "output", "missing", "extra", "dice", "state", "narration", "result"]

# The most characters of a value that are shown.
_SHOWN = 160
NOTHING = "(nothing)"


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between a replay and its record.

    `stage` names the stage (empty where it is the turn's own), `path` the place in it, as in `packet.facts.0.id`;
    `recorded` and `replayed` are short texts of both values. A stage `missing` took part in the turn and does not now;
    one that is `extra` did not.
    """

    aspect: Aspect
    stage: str = ""
    path: str = ""
    recorded: str = ""
    replayed: str = ""

    def __str__(self) -> str:
        where = f"{self.stage} {self.aspect}" if self.stage else self.aspect
        where += f" at {self.path}" if self.path else ""
        return f"{where}: recorded {self.recorded}, replayed {self.replayed}"


def stage_differences(recorded: Sequence[Mapping[str, Any]], replayed: Sequence[StageRecord]) -> Iterator[Difference]:
    """Yield the differences between the stages, in the order in which they ran: of each its input, then its output."""
    then, seen = _by_run(record["stage"] for record in recorded), Counter[str]()
    now = _by_run(record.stage for record in replayed)
    for name, place in now.items():
        record = replayed[place]
        if name not in then:
            yield Difference("extra", record.stage, recorded=NOTHING, replayed="a run")
            continue
        seen[name] += 1
        was = recorded[then[name]]
        yield from _differences_in("input", record.stage, was["input"], json.loads(record.input_json))
        yield from _differences_in("output", record.stage, was["output"], json.loads(record.output_json))
    for name, place in then.items():
        if not seen[name] and recorded[place]["stage"] not in PAST_RECORDS:
            yield Difference("missing", recorded[place]["stage"], recorded="a run", replayed=NOTHING)


def turn_differences(
    turn: RecordedTurn, *, kind: str, state_hash: str, narration: str, told: str, result: Mapping[str, Any]
) -> Iterator[Difference]:
    """Yield the differences between the results of a turn; `told` is the recorded narration."""
    for difference in first_difference(list(turn.result["rolls"]), list(result["rolls"])):
        yield Difference("dice", "", *difference)
    if state_hash != turn.state_hash:
        yield Difference("state", "", "", turn.state_hash[:16], state_hash[:16])
    if narration != told:
        yield Difference("narration", "", "", *_excerpts(told, narration))
    if kind != turn.kind:
        yield Difference("result", "", "kind", turn.kind, kind)
    # What the recorded version did not tell yet is not compared.
    told_then = {key: value for key, value in result.items() if key in turn.result}
    if "messages" in told_then:
        told_then["messages"] = list(_as_kept_then(turn.result["messages"], told_then["messages"]))
    for difference in first_difference(dict(turn.result), told_then):
        yield Difference("result", "", *difference)


def _as_kept_then(recorded: Sequence[dict[str, Any]], replayed: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield replayed messages; of the player's words nothing is kept where the recorded version kept nothing with
    them, as the first versions did."""
    for place, message in enumerate(replayed):
        was = recorded[place] if place < len(recorded) else message
        is_bare = message["type"] == was["type"] == "intention" and not was["payload"]
        yield {**message, "payload": {}} if is_bare else message


def first_difference(recorded: Any, replayed: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield (path, recorded, replayed) of the first place in which two JSON values differ; nothing where they are the
    same."""
    if isinstance(recorded, dict) and isinstance(replayed, dict):
        keys = [*recorded, *(key for key in replayed if key not in recorded)]
        pairs = ((key, recorded.get(key, _ABSENT), replayed.get(key, _ABSENT)) for key in keys)
    elif isinstance(recorded, list) and isinstance(replayed, list):
        longest = max(len(recorded), len(replayed))
        both = ([*values, *[_ABSENT] * (longest - len(values))] for values in (recorded, replayed))
        pairs = ((n, *pair) for n, pair in enumerate(zip(*both, strict=True)))
    else:
        if recorded != replayed or type(recorded) is not type(replayed):
            yield path, *_excerpts(_as_text(recorded), _as_text(replayed))
        return
    for key, was, now in pairs:
        for found in first_difference(was, now, f"{path}.{key}" if path else str(key)):
            yield found
            return


class _Absent:
    """Stands where one of two values does not exist."""


_ABSENT = _Absent()


def _differences_in(aspect: Aspect, stage: str, recorded: Any, replayed: Any) -> Iterator[Difference]:
    for path, was, now in first_difference(recorded, replayed):
        yield Difference(aspect, stage, path, was, now)


def _by_run(stages: Iterator[str]) -> dict[str, int]:
    """Return the place of every run by its stage and the number of that stage's run, in order."""
    runs = Counter[str]()
    places: dict[str, int] = {}
    for place, stage in enumerate(stages):
        runs[stage] += 1
        places[f"{stage} {runs[stage]}"] = place
    return places


def _as_text(value: Any) -> str:
    return NOTHING if isinstance(value, _Absent) else json.dumps(value, ensure_ascii=False)


def _excerpts(recorded: str, replayed: str) -> tuple[str, str]:
    """Return both texts from shortly before the place where they part."""
    same = next((n for n, (a, b) in enumerate(zip(recorded, replayed, strict=False)) if a != b), 0)
    start = max(same - _SHOWN // 4, 0)
    return _cut(recorded, start), _cut(replayed, start)


def _cut(text: str, start: int) -> str:
    before, after = "…" if start else "", "…" if len(text) > start + _SHOWN else ""
    return f"{before}{text[start : start + _SHOWN]}{after}"


# The result of a replayed turn beside its record.

# The parts of a turn that others see; a stage with another input or output may still lead to the same.
_OUTWARD = ("dice", "state", "narration", "result")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReplay:
    """A turn of a replay.

    `differences` are in the order in which they came about. `note` says why a turn was taken over as it was recorded.
    `anew` are the stages that did not answer as recorded, by stage with the key of the model that did; `stale` those
    that did although their input differs. `taken` are the runs of built-in stages that were taken as recorded, because
    another version made them, `rethought` those in whose place the present version was run. `same_truth` tells whether
    the two states are the same except for the narrator's memory, None where the turn failed. Diffs are set where the
    states differ. `result` is None where the turn failed, with `error`, or was taken over.
    """

    turn_no: int
    turn_id: str
    kind: str
    player_text: str
    recorded_text: str
    text: str = ""
    note: str = ""
    differences: tuple[Difference, ...] = ()
    anew: Mapping[str, str] = field(default_factory=dict)
    stale: tuple[str, ...] = ()
    taken: tuple[OtherVersion, ...] = ()
    rethought: tuple[OtherVersion, ...] = ()
    recorded_hash: str = ""
    state_hash: str = ""
    state_json: str = ""
    same_truth: bool | None = None
    recorded_diff: StateDiff | None = None
    diff: StateDiff | None = None
    recorded_rolls: tuple[Roll, ...] = ()
    rolls: tuple[Roll, ...] = ()
    result: TurnResult | None = None
    error: str | None = None
    recorded_figures: TurnFigures | None = None
    figures: TurnFigures | None = None

    @property
    def is_thought(self) -> bool:
        """Tell whether it was thought again."""
        return not self.note

    @property
    def is_identical(self) -> bool:
        """Tell whether state, dice, narration and result are as recorded."""
        return self.error is None and all(difference.aspect not in _OUTWARD for difference in self.differences)

    def as_dict(self) -> dict[str, Any]:
        """Return the turn as values for JSON; without the result, because all differences are named."""
        return {
            "turn_no": self.turn_no,
            "turn_id": self.turn_id,
            "kind": self.kind,
            "player_text": self.player_text,
            "identical": self.is_identical,
            "note": self.note,
            "error": self.error,
            "differences": [asdict(difference) for difference in self.differences],
            "asked_anew": dict(self.anew),
            "answered_as_recorded_though_given_something_else": list(self.stale),
            "taken_as_recorded": [asdict(other) for other in self.taken],
            "rethought": [asdict(other) for other in self.rethought],
            "state": {
                "recorded": self.recorded_hash,
                "replayed": self.state_hash,
                "same_but_for_memory": self.same_truth,
            },
            "state_diff": {
                "recorded": None if self.recorded_diff is None else self.recorded_diff.model_dump(mode="json"),
                "replayed": None if self.diff is None else self.diff.model_dump(mode="json"),
            },
            "rolls": {
                "recorded": [roll.model_dump(mode="json") for roll in self.recorded_rolls],
                "replayed": [roll.model_dump(mode="json") for roll in self.rolls],
            },
            "narration": {"recorded": self.recorded_text, "replayed": self.text},
        }
