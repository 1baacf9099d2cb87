"""Stage: typed input -> typed output, by a model where one was chosen, else by its built-in counterpart."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from lorewright.errors import LorewrightError
from lorewright.ids import canonical_json
from lorewright.llm.gateway import Options, run_structured
from lorewright.llm.model import CallLog, Model, Toolbox
from lorewright.llm.prompt_template import PlainPrompts, Prompts
from lorewright.values.records import SILENT, StageRun, TurnListener

Given = TypeVar("Given", bound=BaseModel)
Answer = TypeVar("Answer", bound=BaseModel)
Made = TypeVar("Made", bound=BaseModel)

# The name of the prompt that repairs the output of every stage.
REPAIR = "repair"


class StageRecorder(Protocol):
    """A recorder of the inputs and outputs of stages, also of a turn that then fails."""

    def keep(self, run: StageRun[Any]) -> None:
        """Record a run."""
        ...


class StageListener(Protocol):
    """A receiver of an answer while it is written."""

    def piece(self, text: str) -> None:
        """Take the next piece."""
        ...

    def rejected(self, problem: str) -> None:
        """Discard what was written so far, because of a problem; it is written anew."""
        ...


class Stage(Generic[Given, Answer, Made]):
    """A stage of the turn. Subclasses define its name, the type of a model's answer, and `builtin_answer`.

    `prose` says that a model answers with a text, which is the only required field of `answer_type`.
    """

    name: str
    answer_type: type[Answer]
    prose: bool = False
    max_tokens: int = 4_096

    def __init__(self, model: Model | None = None, prompts: Prompts | None = None) -> None:
        self.model = model
        self.prompts: Prompts = prompts or PlainPrompts()

    @property
    def is_builtin(self) -> bool:
        """Return True if no model is asked."""
        return self.model is None

    def builtin_answer(self, given: Given) -> Made:
        """Return the deterministic built-in answer."""
        raise NotImplementedError

    def answer_without_model(self, given: Given) -> Made | None:
        """Return the answer where no model need be asked although there is one; None where it must be."""
        return None

    def context(self, given: Given) -> Mapping[str, Any]:
        """Return the variables of the prompt's template."""
        return given.model_dump(mode="json")

    def wrong_with(self, answer: Answer, given: Given) -> str | None:
        """Return what is wrong with an answer that fits its schema, by the stage's input alone; None where nothing
        is."""
        return None

    def made_of(self, answer: Answer, given: Given) -> Made:
        """Return the stage's output, made from a model's answer."""
        raise NotImplementedError

    def heard(self, listener: TurnListener) -> StageListener | None:
        """Return a receiver of the answer while it is written; None unless it is told to the player."""
        return None

    async def run(
        self,
        given: Given,
        keeper: StageRecorder,
        *,
        check: Callable[[Answer], str | None] = lambda _: None,
        listener: TurnListener = SILENT,
        toolbox: Toolbox | None = None,
        rejected: tuple[str, str] | None = None,
    ) -> Made:
        """Run the stage and return its output; `check` returns what is wrong with a model's answer in this turn, or
        None. `rejected` is an earlier answer that turned out to be invalid, and why: a model is asked to mend it.

        Raises:
            OutputRejected: the model's output stayed invalid after a repair and a retry.
            ProviderError: the model could not be asked.
        Whatever is raised, `keeper` has what was asked and answered.
        """
        input_json = canonical_json(given.model_dump(mode="json"))
        known = self.builtin_answer(given) if self.model is None else self.answer_without_model(given)
        if known is not None or self.model is None:
            assert known is not None
            keeper.keep(StageRun(self.name, input_json, known))
            return known
        log = CallLog()
        heard = self.heard(listener)
        listener.stage_began(self.name, self.model.key)
        options: Options[Answer] = Options(
            model=self.model,
            stage=self.name,
            repair=self.prompts.prompt(REPAIR),
            check=lambda answer: self.wrong_with(answer, given) or check(answer),
            prose=self.prose,
            on_text=None if heard is None else heard.piece,
            on_rejected=None if heard is None else heard.rejected,
            toolbox=toolbox,
            max_tokens=self.max_tokens,
            rejected=rejected,
            log=log,
        )
        try:
            response = await run_structured(
                self.prompts.prompt(self.name), self.context(given), self.answer_type, options
            )
        except (LorewrightError, CancelledError):
            keeper.keep(StageRun(self.name, input_json, None, log))
            raise
        made = self.made_of(response.output, given)
        keeper.keep(StageRun(self.name, input_json, made, log))
        return made
