"""What was measured -> JSON files in `benchmarks/results/`, and back. The page is written from these alone.

across-packs.json, stages.json, removed.json, plateau.json, peers-quality.json:
    {"sets": {"eclipse-phase": {"questions": {"lookup": 22, …}, "arms": [ARM, …]}, …}}
    ARM = {"arm", "what", "kinds": {"lookup": {"MRR": [value, low, high, difference, low, high], …}, …, "all": {…}}}
The first arm is ours, and has no differences: the others' are theirs minus ours, question by question.
`ratios` of an arm say how many times as much ours has, as [value, low, high]; across-packs.json tells besides which
numbers were chosen without each pack (`settings`) and which ship (`ships`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measures import EVERY, Estimate, Measured, Question

RESULTS = Path(__file__).parent / "results"
OURS = "Lorewright"


@dataclass(frozen=True, slots=True)
class ArmResult:
    """One arm on one set: kind -> metric -> what was measured."""

    arm: str
    what: str
    kinds: Mapping[str, Mapping[str, Measured]]
    # How many times as much ours has; none where that was not asked.
    ratios: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)

    def value(self, kind: str, metric: str) -> float:
        """The metric itself."""
        return self.kinds[kind][metric].estimate.value


@dataclass(frozen=True, slots=True)
class SetResult:
    """Every arm on one set, ours first; how many questions there are of each kind, and under `all` in all."""

    questions: Mapping[str, int]
    arms: Sequence[ArmResult]

    @property
    def ours(self) -> ArmResult:
        """What ships."""
        return self.arms[0]

    @property
    def others(self) -> Sequence[ArmResult]:
        """What it is compared with."""
        return self.arms[1:]

    def arm(self, name: str) -> ArmResult:
        """An arm by its name.

        Raises:
            KeyError: it was not measured.
        """
        for one in self.arms:
            if one.arm == name:
                return one
        raise KeyError(name)


def counted(questions: Sequence[Question]) -> dict[str, int]:
    """How many questions there are of each kind, and in all."""
    return {**Counter(question.kind for question in questions), EVERY: len(questions)}


def save(
    name: str, sets: Mapping[str, SetResult], folder: Path = RESULTS, *, told: Mapping[str, Any] | None = None
) -> Path:
    """Write one file of results, with what else is `told` beside its sets; its path. A set that was not measured now
    stays as it was."""
    path = folder / f"{name}.json"
    before = json.loads(path.read_text(encoding="utf-8"))["sets"] if path.is_file() else {}
    written = {**before, **{key: _plain(one) for key, one in sets.items()}}
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(_text({**(told or {}), "sets": written}), encoding="utf-8")
    return path


def load(name: str, folder: Path = RESULTS) -> dict[str, SetResult]:
    """The sets of one file; none where nothing was measured yet."""
    path = folder / f"{name}.json"
    if not path.is_file():
        return {}
    read = json.loads(path.read_text(encoding="utf-8"))
    return {key: _result(one) for key, one in read["sets"].items()}


def load_told(name: str, folder: Path = RESULTS) -> dict[str, Any]:
    """What a file tells beside its sets; nothing where nothing was measured yet."""
    path = folder / f"{name}.json"
    read = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {key: value for key, value in read.items() if key != "sets"}


def load_rows(name: str, folder: Path = RESULTS) -> list[dict[str, Any]]:
    """The rows of a table of speed: the file is a list of them, or an object that holds it as `rows`."""
    path = folder / f"{name}.json"
    if not path.is_file():
        return []
    read = json.loads(path.read_text(encoding="utf-8"))
    rows: list[dict[str, Any]] = read["rows"] if isinstance(read, dict) else read
    return rows


def _plain(result: SetResult) -> dict[str, Any]:
    arms = [
        {
            "arm": one.arm,
            "what": one.what,
            "kinds": {
                kind: {metric: _numbers(measured) for metric, measured in metrics.items()}
                for kind, metrics in one.kinds.items()
            },
            **({"ratios": _plain_ratios(one)} if one.ratios else {}),
        }
        for one in result.arms
    ]
    return {"questions": dict(result.questions), "arms": arms}


def _plain_ratios(arm: ArmResult) -> dict[str, Any]:
    return {
        kind: {metric: [one.value, one.low, one.high] for metric, one in metrics.items()}
        for kind, metrics in arm.ratios.items()
    }


def _numbers(measured: Measured) -> list[float]:
    both = (measured.estimate, measured.difference)
    return [number for one in both if one is not None for number in (one.value, one.low, one.high)]


def _result(read: Mapping[str, Any]) -> SetResult:
    arms = [
        ArmResult(
            one["arm"],
            one["what"],
            {
                kind: {metric: _measured(numbers) for metric, numbers in metrics.items()}
                for kind, metrics in one["kinds"].items()
            },
            {
                kind: {metric: Estimate(*numbers) for metric, numbers in metrics.items()}
                for kind, metrics in one.get("ratios", {}).items()
            },
        )
        for one in read["arms"]
    ]
    return SetResult(read["questions"], arms)


def _measured(numbers: Sequence[float]) -> Measured:
    return Measured(Estimate(*numbers[:3]), Estimate(*numbers[3:]) if len(numbers) > 3 else None)


def _text(value: Any) -> str:
    """JSON in which the numbers of one metric stand on one line: a change of one shows as one line."""
    return _broken(value, 0) + "\n"


def _broken(value: Any, depth: int) -> str:
    if not isinstance(value, dict | list) or not value or (isinstance(value, list) and not isinstance(value[0], dict)):
        return json.dumps(value, ensure_ascii=False)
    inner, outer = " " * (depth + 1), " " * depth
    if isinstance(value, list):
        return "[\n" + ",\n".join(inner + _broken(one, depth + 1) for one in value) + f"\n{outer}]"
    pairs = (f"{inner}{json.dumps(key, ensure_ascii=False)}: {_broken(one, depth + 1)}" for key, one in value.items())
    return "{\n" + ",\n".join(pairs) + f"\n{outer}}}"
