"""Models that play along without anybody writing their lines: by turns they answer well, badly at first, and with what
contradicts the record; for tests of what becomes of recorded answers."""

from __future__ import annotations

import re
from typing import Any

from lorewright.bootstrap import App
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelReply, ModelRequest

# What is typed in the harbour, so that the story goes on for as long as one likes.
LINES = (
    "look",
    "ask Osk about the weather",
    "go door",
    "look",
    "go tavern",
    "search under the counter",
    "ask Osk about the debt",
    "frobnicate the",
    "take rope",
    "look at Osk",
    "ask Osk about Lin",
    "go to the opera",
    "drop rope",
)


def lines(number: int) -> list[str]:
    """So many lines to type."""
    return [LINES[n % len(LINES)] for n in range(number)]


class Teller:
    """A narrator: of ten narrations two are first answered with data, and one twice."""

    def __init__(self, *, voice: str = "You wait a little") -> None:
        self.voice = voice
        self.told = 0
        self._bad = 0

    def __call__(self, request: ModelRequest) -> ModelReply:
        if not self._bad and not request.talk:
            self.told += 1
            self._bad = {2: 1, 5: 1, 7: 2}.get(self.told % 10, 0)
        is_bad, self._bad = self._bad > 0, max(self._bad - 1, 0)
        text = '{"final_text": 1}' if is_bad else f"{self.voice}, {self.told} [1]. It is quiet."
        return ModelReply(text, "teller-1", 900, 12, cache_read_tokens=600, cost_microusd=450)


class Reader:
    """An extractor: it establishes of every place that it is dusty, says so of it again and again, and once in a while
    what speaks against that."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, request: ModelRequest) -> dict[str, Any]:
        self.asked += 1
        place = re.search(r"Place: (\S+)", request.prompt.changing)
        assert place is not None
        detail = "swept clean" if self.asked % 5 == 0 else "dusty"
        memory = {"character_id": "game:player", "content": "It was quiet.", "importance": 2}
        return {
            "established_facts": [{"subject_id": place[1], "predicate": "floor", "detail": detail}],
            "new_observations": [memory],
        }


def models(*, voice: str = "You wait a little") -> dict[str, ScriptedModel]:
    """A narrator and an extractor, each new."""
    return {"narrator": ScriptedModel(Teller(voice=voice)), "lore_extractor": ScriptedModel(Reader())}


def newer_version(app: App, name: str) -> None:
    """A version v9 of a prompt, in the workspace: the third one with a sentence more."""
    text = app.stage_models.library.get(name, "v3").source.replace("version: v3", "version: v9")
    folder = app.workspace.root / "prompts"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}_v9.hbs").write_text(text.replace("=== system ===\n", "=== system ===\nBe slow.\n"), "utf-8")
