"""Plays of shipped scenarios with scripted models -> the prompts that each stage was asked with, and the states.

    PYTHONPATH=tests python -m support.captured_prompts FOLDER [SCENARIO …]

writes FOLDER/SCENARIO/STAGE.txt, the last prompt of each stage (one for each character where several are asked), for
somebody who is to say from these alone how things stand; and FOLDER/SCENARIO/state.json, to check what they say.
"""

from __future__ import annotations

import asyncio
import dataclasses
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from lorewright.bootstrap import App, open_app
from lorewright.ids import canonical_json
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelRequest
from lorewright.lore_bootstrap import make_workspace
from lorewright.turn.run.commit import run_turn
from lorewright.turn.stages.stage import Stage
from lorewright.turn.stages.stages import Stages, make_stages
from lorewright.turn.views.draft import Submission
from support.prompted_campaigns import campaigns

LINES: Mapping[str, tuple[str, ...]] = {
    "dead_drop": (
        *("ask Viktor about Jin", "promise Viktor to pay his debt", "threaten Viktor", "attack Viktor"),
        *("ask Viktor about Mira", "juggle three glasses", "look"),
    ),
    "night_desk": (
        *("go lot", "promise Bram the key of room 12", "ask Bram about the law", "threaten Bram", "attack Bram"),
        *("juggle three stones", "ask Bram about Wendell"),
    ),
    "seven_minutes": (
        *("promise Lena to write to the city", "ask Teo about the hat", "threaten Teo", "whistle a tune", "wait"),
        *("promise Teo to stay off the biscuits",),
    ),
}
SEED = 4
# The stages that models run. The interpreter is not asked: the grammar reads these lines.
ANSWERED = (
    *("narrator", "planner", "npc_intent", "resolution"),
    *("persona_extractor", "character_extractor", "lore_extractor"),
)


@dataclass(slots=True)
class Capture:
    """What was asked in a play: stage -> its prompts, in order; and the state afterwards, as JSON."""

    asked: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    state: str = ""


def captured(app: App, scenario: str, folder: Path) -> Capture:
    """Play the scenario with models that answer each prompt as the built-in stage would."""
    found, inputs = Capture(), {}
    models = {stage: _model(stage, inputs, found) for stage in ANSWERED}
    stories = campaigns(app, models, folder)
    stories.new(scenario, campaign_id="game", seed=SEED)
    with stories.open("game") as campaign:
        for number, line in enumerate(LINES[scenario], start=1):
            stages = noting_inputs(campaign.stages, inputs)
            asyncio.run(run_turn(campaign.store, Submission(line, f"line-{number}"), campaign.setting, stages))
        found.state = canonical_json(campaign.store.head().state.model_dump(mode="json"))
    return found


def _model(stage: str, inputs: Mapping[str, Any], found: Capture) -> ScriptedModel:
    builtin = builtin_stage(stage)

    def answer(request: ModelRequest) -> Any:
        found.asked[_asked_of(stage, request.prompt.text)].append(request.prompt.text)
        return as_answered(stage, builtin.builtin_answer(inputs[stage]))

    return ScriptedModel(answer)


def builtin_stage(name: str) -> Stage[Any, Any, Any]:
    """The built-in stage of a name."""
    return next(stage for stage in make_stages({}) if stage.name == name)


def noting_inputs(stages: Stages, inputs: dict[str, Any]) -> Stages:
    """Return the same stages, which note the input of what is asked."""

    def noting(stage: Stage[Any, Any, Any]) -> Stage[Any, Any, Any]:
        class Noting(type(stage)):  # type: ignore[misc]
            def context(self, given: Any) -> Mapping[str, Any]:
                inputs[self.name] = given
                found: Mapping[str, Any] = super().context(given)
                return found

        return cast("Stage[Any, Any, Any]", Noting(stage.model, stage.prompts))

    fields = {one.name: getattr(stages, one.name) for one in dataclasses.fields(stages)}
    return Stages(**{name: noting(stage) if stage.name in ANSWERED else stage for name, stage in fields.items()})


def _asked_of(stage: str, text: str) -> str:
    """Return the stage, with the name of the character where each of the cast is asked."""
    named = {"npc_intent": r"^You are ([A-Z][\w’' -]{0,40})\.$", "character_extractor": r"^Character: (.+)$"}.get(stage)
    who = named and re.search(named, text, re.M)
    return f"{stage}_{who[1].lower().replace(' ', '_')}" if who else stage


def as_answered(stage: str, output: Any) -> Any:
    """Return a built-in stage's output as a model answers it; the extractors find nothing to note."""
    match stage:
        case "narrator":
            return output.final_text
        case "planner":
            return {"beats": list(output.beats), "tension_move": output.tension_move}
        case "npc_intent":
            said = {"action_text": output.action_text, "thought": output.thought}
            return {**said, "choice": output.act_id} if output.act_id else said
        case "resolution":
            return {"resolved_outcome": "no roll"}
    return {}


def main(folder: str, *scenarios: str) -> None:
    """Write the prompts of all scenarios, or of some."""
    with tempfile.TemporaryDirectory() as scratch:
        for scenario in scenarios or LINES:
            make_workspace(Path(scratch) / scenario)
            found = captured(open_app(Path(scratch) / scenario), scenario, Path(scratch) / f"{scenario}-played")
            there = Path(folder) / scenario
            there.mkdir(parents=True, exist_ok=True)
            (there / "state.json").write_text(found.state, encoding="utf-8")
            for stage, texts in found.asked.items():
                (there / f"{stage}.txt").write_text(texts[-1], encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
