"""A recorded turn, and what is to be otherwise -> the stages that think it again: some with a model that is asked now,
the others answered from the recording."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from lorewright.errors import SettingsError
from lorewright.llm.model import Model
from lorewright.llm.prompt import Prompt
from lorewright.replay.recording import PromptsOfTurn, RecordedModel, RecordedTurn
from lorewright.replay.shelf import PromptShelf
from lorewright.turn.run.casting import STAGES, make_stages
from lorewright.turn.stages.extract.stage import Extract
from lorewright.turn.stages.narrate.stage import Narrate
from lorewright.turn.stages.stage import REPAIR
from lorewright.turn.stages.stages import Stages
from lorewright.values.stage_run import BUILTIN

# Those that tell the turn and read what was told, until it holds.
_TELLING = (Narrate.name, Extract.name)

# A model's key -> the model.
OpenModel = Callable[[str], Model]
# A model's key -> which stages ask it where a campaign has no other model: each with its key.
StagesOf = Callable[[str], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Overrides:
    """What is otherwise than it was recorded: versions of prompts by name, keys of models by stage (`builtin` is
    one)."""

    prompts: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises SettingsError where there is no such prompt or stage."""
        _known(self.prompts, (*STAGES, REPAIR), "prompt of a turn")
        _known(self.models, STAGES, "stage of a turn")

    def __bool__(self) -> bool:
        return bool(self.prompts or self.models)

    def keys(self, asked: Mapping[str, str]) -> dict[str, str | None]:
        """Of every stage that does not stay built in: the key of who answers now, or None where it answers as recorded;
        `asked` are the stages that a model ran, with its key."""
        keys: dict[str, str | None] = {
            stage: key for stage, key in self.models.items() if key != BUILTIN or stage in asked
        }
        for stage, key in asked.items():
            if stage not in self.models:
                keys[stage] = key if stage in self.prompts or REPAIR in self.prompts else None
        return keys


def _known(names: Iterable[str], there: tuple[str, ...], what: str) -> None:
    for name in names:
        if name not in there:
            raise SettingsError(f"there is no {what} called {name}", hint=f"one of {', '.join(there)}")


def no_model(key: str) -> Model:
    """Refuse to open any model.

    Raises:
        SettingsError: always.
    """
    raise SettingsError(f"the model {key} cannot be opened here", hint="replay without --model and --prompt")


def every_stage(key: str) -> dict[str, str]:
    """A model for every stage of a turn."""
    return dict.fromkeys(STAGES, key)


@dataclass(frozen=True, slots=True)
class Cast:
    """The stages of one replayed turn; `anew` are those that do not answer as recorded, by stage with the key of who
    answers now."""

    stages: Stages
    anew: Mapping[str, str]


class Casting:
    """Casts turns; a model is opened once."""

    def __init__(
        self, overrides: Overrides, open_model: OpenModel, shelf: PromptShelf, begin_turn: Callable[[], None]
    ) -> None:
        """`begin_turn` is called before each turn: what models may cost is counted by turns."""
        self._overrides = overrides
        self._open_model = open_model
        self._shelf = shelf
        self._begin_turn = begin_turn
        self._opened: dict[str, Model] = {}

    def cast(self, turn: RecordedTurn) -> Cast:
        """The stages for one turn: whoever is not overridden answers as recorded, or is built in as it was then.

        Raises:
            SettingsError: a model or a prompt cannot be had.
        """
        self._begin_turn()
        keys = self._overrides.keys(turn.asked())
        anew = {stage: key for stage, key in keys.items() if key is not None}
        asked = {stage: key for stage, key in anew.items() if key != BUILTIN}
        models: dict[str, Model] = {stage: self._model(key) for stage, key in asked.items()}
        for stage in (stage for stage, key in keys.items() if key is None):
            # Where another stage is asked anew, a narration may be made or read another number of times than then.
            settled = bool(anew) and stage in _TELLING
            models[stage] = RecordedModel(
                stage, (one for one in turn.records if one["stage"] == stage), settled=settled
            )
        used = {one["stage"]: one["prompt"]["content_hash"] for one in turn.records if one["prompt"]}
        now = {name: self._prompt(name, used.get(name)) for name in (*asked, *((REPAIR,) if asked else ()))}
        return Cast(make_stages(models, PromptsOfTurn(now, turn.records)), anew)

    def _prompt(self, name: str, used: str | None) -> Prompt:
        version = self._overrides.prompts.get(name)
        return self._shelf.used(name, used) if version is None else self._shelf.version(name, version)

    def _model(self, key: str) -> Model:
        if key not in self._opened:
            self._opened[key] = self._open_model(key)
        return self._opened[key]
