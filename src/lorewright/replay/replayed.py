"""What came of a turn that was thought again, beside what was recorded of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from lorewright.replay.comparing import Difference
from lorewright.replay.figures import TurnFigures
from lorewright.rules.outcomes import Roll
from lorewright.values.result import TurnResult
from lorewright.world.state_diff import StateDiff

# What of a turn others see; a stage that is given or makes something else may still come to the same.
_OUTWARD = ("dice", "state", "narration", "result")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReplay:
    """One turn of a replay.

    `differences` are in the order in which they came about. `note` says why a turn was taken over as it was recorded.
    `anew` are the stages that did not answer as recorded, by stage with the key of who did; `stale` those that did
    although they were given something else. `same_truth` says whether the two states are the same but for the
    narrator's memory, None where the turn failed. Diffs are there where the states differ. `result` is None where the
    turn failed, with `error`, or was taken over.
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
        """Whether it was thought again."""
        return not self.note

    @property
    def is_identical(self) -> bool:
        """Whether state, dice, narration and result are as recorded."""
        return self.error is None and all(one.aspect not in _OUTWARD for one in self.differences)

    def as_dict(self) -> dict[str, Any]:
        """For JSON; the result itself is left out, because all that differs is named."""
        return {
            "turn_no": self.turn_no,
            "turn_id": self.turn_id,
            "kind": self.kind,
            "player_text": self.player_text,
            "identical": self.is_identical,
            "note": self.note,
            "error": self.error,
            "differences": [asdict(one) for one in self.differences],
            "asked_anew": dict(self.anew),
            "answered_as_recorded_though_given_something_else": list(self.stale),
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
