"""A model server at which every stage of a turn is answered sensibly, from nothing but what the request shows; and a
workspace whose campaigns are played through it, by the real SDKs."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.scenarios.scenario import load_scenario
from lorewright.campaigns.stage_models import ModelKeys
from lorewright.llm.prompt_template import read_template
from lorewright.lore_bootstrap import make_workspace
from support.model_apis.server import ModelServer
from support.model_apis.wire import Asked, Use
from support.trusted_settings import trusted

PROJECT = Path(__file__).parents[2]
_SOURCE = re.compile(r"^\[(\d+)\] (.+)$", re.MULTILINE)
# A model of each SDK.
ANTHROPIC = ModelKeys("claude-haiku", "claude-sonnet")
OPENAI = ModelKeys("gpt-5.2", "gpt-5.2")


def stage_of(asked: Asked) -> str:
    """Which stage asks, by its system prompt: no two have the same."""
    for path in sorted((PROJECT / "prompts").glob("*_v1.hbs")):
        template = read_template(path)
        opening = template.parts["system"].text.strip()[:60]
        if opening and asked.system.startswith(opening):
            return template.name
    raise AssertionError(f"no stage has this system prompt: {asked.system[:80]}")


def answer(asked: Asked) -> Any:
    """What a model of good will says."""
    return _ANSWERS[stage_of(asked)](asked)


def _narrated(asked: Asked) -> str:
    """Two sentences that rest on the first and the last of what was shown, each in its own words."""
    shown = _SOURCE.findall(asked.messages[-1][1]) or [("", "")]
    (first, _), (last, _) = shown[0], shown[-1]
    marks = f"[{first}]" if first else ""
    return f"You take it in, and go on {marks}. Something comes of it [{last}].\n\n{_PADDING}" if last else "You go on."


def _read(asked: Asked) -> dict[str, Any]:
    if "juggle" in asked.messages[-1][1]:
        return {"intent": "juggle", "actions": [{"type": "attempt", "words": "juggle on the spot"}]}
    return {"intent": "wait a little", "actions": [{"type": "wait", "minutes": 5}]}


def _planned(asked: Asked) -> dict[str, Any]:
    return {"beats": ["Keep it short."], "tension_move": "", "tension_move_type": "", "next_suggestions": []}


def _extracted(asked: Asked) -> dict[str, Any]:
    place = re.search(r"^Place: (\S+)", asked.text, re.MULTILINE)
    assert place is not None
    fact = {"subject_id": place[1], "predicate": "draught", "detail": "There is a draught from somewhere."}
    return {"established_facts": [fact]}


def _resolved(asked: Asked) -> Any:
    if not any('"total"' in text for _, text in asked.messages):
        return Use("roll_dice", {"expression": "2d6", "context": {"character_id": "", "check_type": "nerve"}})
    total = int(re.findall(r'"total": (\d+)', asked.text)[-1])
    band = "critical" if total >= 12 else "success" if total >= 10 else "mixed" if total >= 7 else "fail"
    return {"dice_request": ["2d6"], "resolved_outcome": band, "new_observations": [], "state_ops": []}


_ANSWERS: dict[str, Callable[[Asked], Any]] = {
    "narrator": _narrated,
    "interpreter": _read,
    "planner": _planned,
    "lore_extractor": _extracted,
    "persona_extractor": lambda asked: {"changes": []},
    "character_extractor": lambda asked: {"changes": []},
    "resolution": _resolved,
}


# A narration is as long as its prompt asks for: what was told before is a large part of the next request.
_PADDING = " ".join(
    [
        "The light shifts a little, and what was grey a moment ago has edges now.",
        "Somebody further off drops a thing that rolls, and nobody bends for it.",
        "You hear water, or a pipe that would like to be taken for water.",
        "The air is warmer here than it was, and it smells of metal and of old rain.",
        "A hand is wiped on a sleeve, a chair is turned the right way round, a breath is let go.",
        "Nothing of it is meant for you, and you see it all the same.",
        "There is time to look twice, and the second look is kinder than the first.",
        "What was said a while ago is still in the room, as a smell is.",
        "It would be easy to stay; it would be as easy to go.",
    ]
)


class Heard:
    """A listener that keeps what it hears."""

    def __init__(self) -> None:
        self.stages: list[str] = []
        self.pieces: list[str] = []
        self.taken_back: list[str] = []

    def stage_began(self, stage: str, model_key: str) -> None:
        self.stages.append(stage)

    def told(self, text: str) -> None:
        self.pieces.append(text)

    def not_so(self, reason: str) -> None:
        self.taken_back.append(reason)
        self.pieces.clear()


def dead_drop(
    folder: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch, keys: ModelKeys, *, settings: str = ""
) -> App:
    """A trusted workspace with Dead Drop begun as `game`, its models at the server."""
    for name, value in server.environ.items():
        monkeypatch.setenv(name, value)
    root = folder / "workspace"
    make_workspace(root)
    (root / "lorewright.toml").write_text(settings, encoding="utf-8")
    app = open_app(trusted(root))
    seed = load_scenario(app.campaigns.scenario_path("dead_drop")).demo_seed
    app.campaigns.new("dead_drop", campaign_id="game", seed=seed, keys=keys)
    return app


def demo_lines(app: App) -> tuple[str, ...]:
    """The lines of Dead Drop's demo."""
    return load_scenario(app.campaigns.scenario_path("dead_drop")).demo


def submit(campaign: OpenCampaign, line: str, **how: Any) -> dict[str, Any]:
    """Play a line; the result as data."""
    return dict(json.loads(asyncio.run(campaign.submit(line, **how))))
