"""Stage: typed input -> typed output, by a model where one was chosen, else by its built-in counterpart."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

from pydantic import BaseModel, ValidationError

from lorewright.errors import CampaignError, LorewrightError, OutputRejected, ProviderError
from lorewright.ids import canonical_json
from lorewright.llm.gateway import Options, run_structured
from lorewright.llm.model import CallLog, Model, Narrow, Toolbox
from lorewright.llm.prompt_template import PlainPrompts, Prompts
from lorewright.values.records import SILENT, StageRun, TurnListener

Given = TypeVar("Given", bound=BaseModel)
Answer = TypeVar("Answer", bound=BaseModel)
Made = TypeVar("Made", bound=BaseModel)

# The name of the prompt that repairs the output of every stage.
REPAIR = "repair"


# More choices than a model can weigh, and than a server's grammar should hold.
_MOST_CHOICES = 250
# What narrows a list to an empty one.
NONE_OF_THEM: Mapping[str, Any] = {"maxItems": 0}


def one_of(choices: Iterable[str | int]) -> Mapping[str, Any]:
    """Return the keywords that narrow a field to some values, in their order; none where there are too many. Of no
    values a field that may be null is null."""
    listed = list(dict.fromkeys(choices))
    return {} if len(listed) > _MOST_CHOICES else {"enum": listed}


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


# The version of a built-in stage in records that name none: those of files that were written before versions were.
FIRST_VERSION = 1


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run of a stage as it was recorded, its output as JSON values: by a model, or by this version of the built-in
    stage, which may also have been asked before the model."""

    stage: str
    input_json: str
    output: Any
    builtin_version: int
    by_model: bool


class RecordedRuns:
    """The recorded runs of one stage in one turn, in order. Each is taken once."""

    def __init__(self, runs: Iterable[RecordedRun]) -> None:
        self._left = list(runs)
        self.versions = frozenset(run.builtin_version for run in self._left)

    def first(self, stage: str) -> RecordedRun | None:
        """Return the first run under a name that is left, without taking it; None where there is none."""
        return next((run for run in self._left if run.stage == stage), None)

    def take(self, stage: str, input_json: str) -> RecordedRun | None:
        """Return the next run with this input; where there is none the next run, because the input may differ now; None
        where all were taken."""
        left = [run for run in self._left if run.stage == stage]
        run = next((run for run in left if run.input_json == input_json), left[0] if left else None)
        if run is not None:
            self._left.remove(run)
        return run


class Stage(Generic[Given, Answer, Made]):
    """A stage of the turn. Subclasses define its name, the types of a model's answer and of the output,
    `builtin_answer` and its version.

    `builtin_version` is raised with every change of `builtin_answer` that gives an input another output: turns of
    another version are replayed with the recorded outputs. `prose` says that a model answers with a text, which is the
    only required field of `answer_type`; `asks_builtin_first` that a model is asked only where the built-in stage is
    unsure. `falls_back_on` are the errors of a model after which the built-in stage answers, so that no turn is lost
    for them (both runs are recorded); by default that its output stayed invalid.
    """

    name: str
    answer_type: type[Answer]
    made_type: type[Made]
    builtin_version: int
    asks_builtin_first: bool = False
    falls_back_on: tuple[type[ProviderError], ...] = (OutputRejected,)
    prose: bool = False

    def __init__(
        self, model: Model | None = None, prompts: Prompts | None = None, recorded: RecordedRuns | None = None
    ) -> None:
        """Take the model, None for the built-in stage. Where a run is among the `recorded` ones and another version of
        the built-in stage made it, its output is the recorded one."""
        self.model = model
        self.prompts: Prompts = prompts or PlainPrompts()
        self.recorded = recorded

    @property
    def is_builtin(self) -> bool:
        """Return True if no model is asked."""
        return self.model is None

    def without_model(self) -> Self:
        """Return the same stage, built in."""
        return type(self)(None, self.prompts, self.recorded)

    def builtin_answer(self, given: Given) -> Made:
        """Return the deterministic built-in answer."""
        raise NotImplementedError

    def answer_without_model(self, given: Given) -> Made | None:
        """Return the answer where no model need be asked although there is one; None where it must be."""
        return None

    def context(self, given: Given) -> Mapping[str, Any]:
        """Return the variables of the prompt's template."""
        return given.model_dump(mode="json")

    def narrow(self, given: Given) -> Narrow:
        """Return what the schema of the answer is narrowed to by this input: IDs that it lists, and bounds to which an
        answer is cut anyway. What `wrong_with` accepts of an answer that keeps to the prompt fits it."""
        return {}

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
            OutputRejected: the model's output stayed invalid after a repair and a retry, and the stage does not fall
                back on that.
            ProviderError: the model could not be asked, and the stage does not fall back on that.
            CampaignError: the output is to be taken from a record that cannot be read.
        Whatever is raised, `keeper` has what was asked and answered.
        """
        input_json = canonical_json(given.model_dump(mode="json"))
        known, version = self._known_answer(given, input_json)
        if known is not None or self.model is None:
            assert known is not None
            keeper.keep(StageRun(self.name, input_json, known, builtin_version=version))
            return known
        asked_first = version if self.asks_builtin_first else None
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
            narrow=self.narrow(given),
            rejected=rejected,
            log=log,
        )
        try:
            response = await run_structured(
                self.prompts.prompt(self.name), self.context(given), self.answer_type, options
            )
        except (LorewrightError, CancelledError) as error:
            keeper.keep(StageRun(self.name, input_json, None, log, asked_first))
            if isinstance(error, self.falls_back_on):
                return await self.without_model().run(given, keeper)
            raise
        made = self.made_of(response.output, given)
        keeper.keep(StageRun(self.name, input_json, made, log, asked_first))
        return made

    def _known_answer(self, given: Given, input_json: str) -> tuple[Made | None, int]:
        """Return the answer for which no model is asked, None where one must be; and the version of the built-in stage
        that gave it, or did not know it."""
        run = self.taken_run(self.name, input_json)
        if run is not None and not run.by_model:
            return self.output_of(run), run.builtin_version
        if run is not None and self.model is not None:
            return None, run.builtin_version
        known = self.builtin_answer(given) if self.model is None else self.answer_without_model(given)
        return known, self.builtin_version

    def taken_run(self, stage: str, input_json: str) -> RecordedRun | None:
        """Return the recorded run that holds in place of a new one; None where there is none, or where it is of the
        present version of the built-in stage. `stage` is the name under which it was recorded."""
        run = None if self.recorded is None else self.recorded.take(stage, input_json)
        return run if run is not None and run.builtin_version != self.builtin_version else None

    def output_of(self, run: RecordedRun) -> Made:
        """Return a recorded output.

        Raises:
            CampaignError: it cannot be read.
        """
        try:
            return self.made_type.model_validate(run.output)
        except ValidationError:
            message = f"the recorded output of the {run.stage} (version {run.builtin_version}) cannot be read any more"
            raise CampaignError(message, hint="replay the turn with --rethink") from None
