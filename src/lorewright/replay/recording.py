"""A turn as it was recorded -> models that answer as they did then, and the dice that fell."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.errors import ProviderError
from lorewright.llm.model import ModelReply, ModelRequest, OnText, ToolCall
from lorewright.llm.prompt import Prompt, RenderedPrompt
from lorewright.rules.dice import Dice
from lorewright.rules.outcomes import Roll
from lorewright.turn.views.leaks import LEAKS, Refusal, Refusals

# Kinds of turns that were thought, and so can be thought again. Any other is what its ops say.
THOUGHT = ("play", "clarification")


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A turn of a campaign's file. `records` are as `CampaignStore.stage_records` gives them."""

    turn_no: int
    turn_id: str
    kind: str
    action_id: str
    player_text: str
    state_hash: str
    session_id: str | None
    lore_cached: bool | None
    result: Mapping[str, Any]
    records: Sequence[Mapping[str, Any]]

    @property
    def is_thought(self) -> bool:
        """Whether stages made it."""
        return self.kind in THOUGHT

    @property
    def rolls(self) -> tuple[Roll, ...]:
        """The dice that fell, in order."""
        return tuple(Roll.model_validate(roll) for roll in self.result["rolls"])

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """The texts that were refused for telling a secret, beside those that quoted one."""
        kept = (Refusals.model_validate(one["output"]) for one in self.records if one["stage"] == LEAKS)
        return tuple(refusal for one in kept for refusal in one.refused)

    def asked(self) -> dict[str, str]:
        """The stages that a model ran, each with that model's key."""
        return {one["stage"]: one["model_key"] for one in self.records if one["calls"]}


def recorded_turn(turn: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> RecordedTurn:
    """A turn as `CampaignStore.turns` gives it, with its records."""
    fields = {name: turn[name] for name in RecordedTurn.__slots__ if name != "records"}
    return RecordedTurn(**fields, records=records)


class RecordedModel:
    """Answers what was answered then, call by call, so that it is validated, repaired and asked anew as it was.

    What it is asked is not compared: who wants to know compares what the stages were given.
    """

    def __init__(self, stage: str, records: Iterable[Mapping[str, Any]], *, settled: bool = False) -> None:
        """The calls of some records of a stage, in order. Once `settled` it gives the last of these answers, the one
        that was kept, as often as it is asked."""
        records = list(records)
        calls = [call for record in records for call in record["calls"]]
        self._stage = stage
        self._settled = settled
        self._calls = deque(calls[-1:] if settled else calls)
        self._key = str(records[-1]["model_key"]) if records else ""
        self._provider = str(records[-1]["provider"]) if records else ""

    @property
    def key(self) -> str:
        """The key of the model that answered."""
        return self._key

    @property
    def provider(self) -> str:
        """Who ran it."""
        return self._provider

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """The next recorded answer.

        Raises:
            ProviderError: there is none, or there was none then.
        """
        if not self._calls:
            raise ProviderError(f"the recording has no further answer of the {self._stage}")
        call = self._calls[0] if self._settled else self._calls.popleft()
        if call.get("error"):
            raise ProviderError(call["error"], tries=tuple(call.get("tries", ())))
        if on_text is not None:
            on_text(call["text"])
        return ModelReply(
            text=call["text"],
            model_name=call["model_name"],
            input_tokens=call["input_tokens"],
            output_tokens=call["output_tokens"],
            cache_read_tokens=call["cache_read_tokens"],
            cache_write_tokens=call["cache_write_tokens"],
            cost_microusd=call["cost_microusd"],
            calls=tuple(
                ToolCall(f"recorded_{n}", name, arguments) for n, (name, arguments, _) in enumerate(call["calls"])
            ),
            tries=tuple(call["tries"]),
            unfinished=call["unfinished"],
        )


@dataclass(frozen=True, slots=True)
class RecordedPrompt:
    """Stands for a prompt whose answer is known: it is not filled in, because nobody reads it."""

    name: str
    version: str
    content_hash: str
    source: str = ""

    def render(self, context: Mapping[str, Any]) -> RenderedPrompt:
        """Nothing but what it is called."""
        return RenderedPrompt(self.name, self.version, self.content_hash, "", "", "")


class PromptsOfTurn:
    """The prompts of one replayed turn: those of stages that a model runs now, and for all others what they were."""

    def __init__(self, now: Mapping[str, Prompt], records: Iterable[Mapping[str, Any]]) -> None:
        """`now` are the prompts that models are shown, by name."""
        used = [one["prompt"] for one in records if one["prompt"]]
        self._then = {one["name"]: RecordedPrompt(one["name"], one["version"], one["content_hash"]) for one in used}
        self._now = dict(now)

    def prompt(self, name: str) -> Prompt:
        """The one of that name."""
        return self._now.get(name) or self._then.get(name) or RecordedPrompt(name, "", "")


class RecordedDice:
    """Dice that fall as they fell then: a throw of the same dice, by the same actor, for the same purpose, however
    often it is asked for. What was not thrown then is thrown by the dice of the action."""

    def __init__(self, rolls: Iterable[Roll], otherwise: Dice) -> None:
        self._rolls = {(roll.expression, roll.purpose, roll.actor_id): roll for roll in rolls}
        self._otherwise = otherwise

    def roll(self, expression: str, *, purpose: str, actor_id: str, modifier: int = 0) -> Roll:
        """The recorded throw of its kind, with the modifier of now.

        Raises:
            ValueError: the expression is malformed.
        """
        kept = self._rolls.get((expression, purpose, actor_id))
        if kept is None:
            return self._otherwise.roll(expression, purpose=purpose, actor_id=actor_id, modifier=modifier)
        total = kept.total - kept.modifier + modifier
        return kept.model_copy(update={"modifier": modifier, "total": total, "band": None})
