"""Stage: typed input -> typed output, by a model where one was chosen, else by the built-in twin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from lorewright.ids import canonical_json
from lorewright.llm.model import Model, run_structured

Given = TypeVar("Given", bound=BaseModel)
Answer = TypeVar("Answer", bound=BaseModel)
Made = TypeVar("Made", bound=BaseModel)

BUILTIN = "builtin"


@dataclass(frozen=True, slots=True)
class StageRun(Generic[Made]):
    """What a stage was given and made, for the record. `attempts` are a model's; tokens are 0 for a twin."""

    stage: str
    input_json: str
    output: Made
    model_key: str = BUILTIN
    model_name: str = BUILTIN
    attempts: tuple[tuple[str, str, str | None], ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0


class Stage(Generic[Given, Answer, Made]):
    """One stage of the turn. Subclasses name it, what a model answers with, and its twin."""

    name: str
    answer_type: type[Answer]

    def __init__(self, model: Model | None = None) -> None:
        self.model = model

    @property
    def is_builtin(self) -> bool:
        """Whether no model is asked."""
        return self.model is None

    def twin(self, given: Given) -> Made:
        """The deterministic built-in answer."""
        raise NotImplementedError

    def made_of(self, answer: Answer, given: Given) -> Made:
        """What a model's answer comes to."""
        raise NotImplementedError

    async def run(self, given: Given, *, check: Callable[[Answer], str | None] = lambda _: None) -> StageRun[Made]:
        """Run the stage; `check` says what is wrong with a model's answer that fits its schema, or None.

        Raises:
            OutputRejected: the model's output stayed invalid after a repair and a retry.
            ProviderError: the model could not be asked.
        """
        input_json = canonical_json(given.model_dump(mode="json"))
        if self.model is None:
            return StageRun(self.name, input_json, self.twin(given))
        response = await run_structured(
            self.model, stage=self.name, context=input_json, schema=self.answer_type, check=check
        )
        return StageRun(
            self.name,
            input_json,
            self.made_of(response.output, given),
            response.model_key,
            response.model_name,
            response.attempts,
            response.input_tokens,
            response.output_tokens,
        )
