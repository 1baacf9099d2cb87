"""Recorded inputs of built-in stages, and the answers that each version gives to them: `fixtures/builtin_answers.json.gz`.

    PYTHONPATH=tests python -m support.builtin_answers                  # after a version was raised
    PYTHONPATH=tests python -m support.builtin_answers DIR              # with the inputs of other plays

DIR is a folder that `benchmarks/golden_bytes.py record` wrote. The answers of a version are never replaced: where they
differ, the version must be raised first. Of the answers hashes are kept.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from lorewright.ids import canonical_json, content_hash
from lorewright.turn.stages.stage import Stage
from lorewright.turn.stages.stages import STAGE_TYPES, make_stages

KEPT = Path(__file__).parents[1] / "fixtures" / "builtin_answers.json.gz"
# The most inputs that are kept of a stage, of as many plays as there are. The other stages answer every input alike.
MOST = {
    "interpreter": 90,
    "planner": 30,
    "narrator": 25,
    "npc_intent": 40,
    "persona_extractor": 30,
    "character_extractor": 30,
    "summariser": 10,
}

# Stage -> `version`, and `answers`: the hash of the answer to each input, by the input as JSON.
Answers = dict[str, dict[str, Any]]


def kept_answers() -> Answers:
    """Return what is kept."""
    found: Answers = json.loads(gzip.decompress(KEPT.read_bytes()))
    return found


def stages() -> dict[str, Stage[Any, Any, Any]]:
    """Return the built-in stages whose answers are kept, by name."""
    return {stage.name: stage for stage in make_stages({}) if stage.name in MOST}


def answer_hash(stage: Stage[Any, Any, Any], input_json: str) -> str | None:
    """Return the hash of the present answer; None where the input cannot be read any more."""
    try:
        given = STAGE_TYPES[stage.name]["input"].model_validate_json(input_json)
    except ValidationError:
        return None
    return content_hash(canonical_json(stage.builtin_answer(given).model_dump(mode="json", by_alias=True)))


def _inputs_of(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield (stage, input as JSON) of recorded plays: the first of each play, then the second …"""
    plays = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("bytes/plays/*/packets.json"))]
    runs = [[(record["stage"], record["input_json"]) for record in play] for play in plays]
    for place in range(max(map(len, runs), default=0)):
        for play in runs:
            if place < len(play) and play[place][0] in MOST:
                yield play[place][0], canonical_json(play[place][1])


def renewed(kept: Answers, inputs: Mapping[str, list[str]]) -> Answers:
    """Return the answers to the kept and to further inputs, by the present versions.

    Raises:
        SystemExit: an answer of a version differs from the one that is kept.
    """
    made: Answers = {}
    for name, stage in stages().items():
        was = kept.get(name, {"version": 0, "answers": {}})
        answers: dict[str, str] = {}
        for input_json in dict.fromkeys((*was["answers"], *inputs.get(name, ()))):
            now = answer_hash(stage, input_json) if len(answers) < MOST[name] else None
            if now is None:
                continue
            if was["version"] == stage.builtin_version and was["answers"].get(input_json, now) != now:
                raise SystemExit(f"the {name} answers otherwise: raise its builtin_version, {stage.builtin_version}")
            answers[input_json] = now
        made[name] = {"version": stage.builtin_version, "answers": answers}
    return made


def main(*folders: str) -> None:
    """Write the file anew."""
    inputs: dict[str, list[str]] = {}
    for folder in folders:
        for stage, input_json in _inputs_of(Path(folder)):
            inputs.setdefault(stage, []).append(input_json)
    made = renewed(kept_answers() if KEPT.exists() else {}, inputs)
    KEPT.write_bytes(gzip.compress(canonical_json(made).encode(), 9, mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
