"""Toolbox: what a model may call while it answers, run by code. The loop that runs it is bounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lorewright.llm.model import ToolCall, ToolResult, ToolSpec

# So many times a model may call tools before it must conclude.
MAX_ROUNDS = 4
# And so many calls in one go.
MAX_CALLS = 8


@dataclass(frozen=True, slots=True)
class Toolbox:
    """Tools by name: the spec that a model is shown, and what runs: arguments as JSON text -> a text for the model.

    A tool raises ValueError for arguments that are none; the model is told and may call again. `begin` is called before
    each attempt at an answer: what was called for an answer that did not hold is no part of the next one.
    """

    specs: tuple[ToolSpec, ...]
    run: Mapping[str, Callable[[str], str]]
    begin: Callable[[], None] = lambda: None

    def result(self, call: ToolCall) -> ToolResult:
        """What came of a call; a call that cannot be run says why."""
        tool = self.run.get(call.name)
        if tool is None:
            return ToolResult(call.id, call.name, f"there is no tool {call.name}")
        try:
            return ToolResult(call.id, call.name, tool(call.arguments))
        except ValueError as problem:
            return ToolResult(call.id, call.name, f"error: {problem}")
