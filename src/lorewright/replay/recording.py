"""A turn as it was recorded -> models that answer as they did then, and dice that fall as they did."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lorewright.errors import ProviderError, SettingsError
from lorewright.ids import canonical_json
from lorewright.llm.model import Model, ModelReply, ModelRequest, OnText, ToolCall
from lorewright.llm.prompt_library import PromptLibrary, load_stored_template
from lorewright.llm.prompt_template import Prompt, RenderedPrompt
from lorewright.rules.dice import Dice
from lorewright.rules.patch import Roll
from lorewright.settings import PlayLore
from lorewright.storage.annotation_rows import stored_prompt
from lorewright.storage.database import Database
from lorewright.storage.heads import is_on_path
from lorewright.storage.sittings import session_rows
from lorewright.turn.stages.extract.stage import Extract
from lorewright.turn.stages.interpret.stage import SETTLE, STEPS, TAGGED, Interpret
from lorewright.turn.stages.narrate.stage import Narrate
from lorewright.turn.stages.stage import FIRST_VERSION, REPAIR, RecordedRun, RecordedRuns
from lorewright.turn.stages.stages import STAGES, MakeStages, Stages, make_stages, pinned_library
from lorewright.turn.store.rows import summary_at, turns_to_summarise
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.views.draft import BY_WORDS, FoundByWords, Head
from lorewright.turn.views.leaks import LEAKS, LeakRefusal, Refusals
from lorewright.values.entries import RECENT_TURNS, markers_of, options_of
from lorewright.values.records import BUILTIN, FIRST_CODE
from lorewright.world.state import WorldState
from lorewright.world.things import NARRATED

# The prompts that a replay shows to models: another version, or the very text of then.


class CampaignPrompts:
    """The prompts of one campaign, and all versions that there are."""

    def __init__(self, database: Database, library: PromptLibrary) -> None:
        self._database = database
        self._library = library

    def version(self, name: str, version: str) -> Prompt:
        """Return a prompt in one version.

        Raises:
            NotFound: there is no such version.
            PromptError: it cannot be read as a prompt.
        """
        return self._library.get(name, version)

    def used(self, name: str, content_hash: str | None) -> Prompt:
        """Return a prompt as it was used, by the hash of its text; where that is unknown, the one that the campaign
        uses now.

        Raises:
            NotFound: there is no such prompt.
            PromptError: it cannot be read as a prompt.
        """
        kept = None if content_hash is None else stored_prompt(self._database, content_hash)
        if kept is not None and kept.source:
            return load_stored_template(kept.source, name=kept.name, version=kept.version)
        return pinned_library(self._database, self._library).prompt(name)


# The head as it was at a turn of a campaign's file.


def head_at(store: CampaignStore, turn: Mapping[str, Any], state: WorldState, *, session_id: str | None) -> Head:
    """Return the head that the next turn began with, in the sitting that it was played in; without the cached scene
    lore, which changes no answer. `turn` is as `CampaignStore.turns` gives it, and `state` the one after it."""
    turn_id, result = turn["turn_id"], dict(turn["result"])
    session = next((session_row for session_row in session_rows(store.database) if session_row.id == session_id), None)
    summary = summary_at(store.database, turn_id)
    known = session is not None and is_on_path(store.database, session.start_turn_id, to=turn_id)
    return Head(
        campaign_id=store.campaign_id,
        turn_id=turn_id,
        turn_no=turn["turn_no"],
        # No turn is committed upon it.
        revision=0,
        state=state,
        options=options_of(result),
        recent=tuple(store.messages(turn_id, last=RECENT_TURNS)),
        markers=markers_of(result),
        session_id=session_id,
        # The start of a sitting does not move when an earlier turn becomes the head.
        session_lore=session.session_lore if session is not None and known else {},
        upgrade_id=store.upgrade_id(turn_id),
        summary=summary,
        untold=turns_to_summarise(store.database, turn_id, turn["turn_no"], state, summary),
    )


# A recorded turn -> models that answer as they did then, and dice that fall as they did.

# Kinds of turns that stages made, and so can be replayed. Any other is given by its ops.
THOUGHT = ("play", "clarification", "aside")


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
        """Tell whether stages made it."""
        return self.kind in THOUGHT

    @property
    def rolls(self) -> tuple[Roll, ...]:
        """Return the dice that fell, in order."""
        return tuple(Roll.model_validate(roll) for roll in self.result["rolls"])

    @property
    def refusals(self) -> tuple[LeakRefusal, ...]:
        """Return the texts that were refused for telling a secret, besides those that quoted one."""
        kept = (Refusals.model_validate(record["output"]) for record in self.records if record["stage"] == LEAKS)
        return tuple(refusal for check in kept for refusal in check.refused)

    @property
    def by_words(self) -> tuple[str, ...]:
        """Return the packs, by ID, that had no vectors yet."""
        kept = (FoundByWords.model_validate(record["output"]) for record in self.records if record["stage"] == BY_WORDS)
        return tuple(pack_id for found in kept for pack_id in found.packs)

    @property
    def renews_narrated(self) -> bool:
        """Return False if a fact that was only narrated did not give way to another narration, as in older versions."""
        accepted = (record["output"] or {} for record in self.records if record["stage"] == "accept")
        flagged = (entry["against"] or "" for made in accepted for entry in made.get("lorebook", ()) if entry["flag"])
        return not any(f":{NARRATED}." in against for against in flagged)

    @property
    def code_version(self) -> int:
        """Return the version of what code made of it: the words of memories, the numbers of sources."""
        told = (record["input"] for record in self.records if record["stage"] == Narrate.name)
        return max((given.get("code_version", FIRST_CODE) for given in told), default=FIRST_CODE)

    @property
    def lore(self) -> PlayLore | None:
        """Return the budgets of lore that the turn was played with; None where there were none yet."""
        kept = (record["input"].get("lore") for record in self.records if record["stage"] == Narrate.name)
        found = next((budgets for budgets in kept if budgets), None)
        return None if found is None else PlayLore.model_validate(found)

    def asked(self) -> dict[str, str]:
        """Return the stages that a model ran, each with that model's key."""
        return {record["stage"]: record["model_key"] for record in self.records if record["calls"]}

    def runs(self) -> dict[str, RecordedRuns]:
        """Return the runs of each stage, by its name."""
        runs: dict[str, list[RecordedRun]] = {}
        for record in self.records:
            stage = _stage_of(record["stage"])
            if stage in STAGES:
                runs.setdefault(stage, []).append(
                    RecordedRun(
                        record["stage"],
                        canonical_json(record["input"]),
                        record["output"],
                        record["builtin_version"] or FIRST_VERSION,
                        by_model=bool(record["calls"]),
                    )
                )
        return {stage: RecordedRuns(of_stage) for stage, of_stage in runs.items()}

    def builtin_runs(self) -> Iterator[tuple[str, int]]:
        """Yield (stage, version) of every run that a built-in stage made, in order."""
        for record in self.records:
            if record["stage"] in STAGES and not record["calls"]:
                yield record["stage"], record["builtin_version"] or FIRST_VERSION


def _stage_of(name: str) -> str:
    """Return the stage whose built-in version a record of that name has."""
    return Interpret.name if name in (TAGGED, SETTLE, STEPS) else name


def recorded_turn(turn: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> RecordedTurn:
    """Return a turn as `CampaignStore.turns` gives it, with its records."""
    fields = {name: turn[name] for name in RecordedTurn.__slots__ if name != "records"}
    return RecordedTurn(**fields, records=records)


class RecordedModel:
    """A model that gives the recorded answers, call by call, so that they are validated, repaired and asked for again
    as they were.

    Its requests are not compared: a comparison of the stages' inputs does that.
    """

    def __init__(self, stage: str, records: Iterable[Mapping[str, Any]], *, settled: bool = False) -> None:
        """Take the calls of some records of a stage, in order. Once `settled` it gives the last of these answers, which
        was the accepted one, as often as it is asked."""
        records = list(records)
        calls = [call for record in records for call in record["calls"]]
        self._stage = stage
        self._settled = settled
        self._calls = deque(calls[-1:] if settled else calls)
        self._key = str(records[-1]["model_key"]) if records else ""
        self._provider = str(records[-1]["provider"]) if records else ""

    @property
    def key(self) -> str:
        """Return the key of the model that answered."""
        return self._key

    @property
    def provider(self) -> str:
        """Return the provider that ran it."""
        return self._provider

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Return the next recorded answer.

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
    """A placeholder for a prompt whose answer is known: it is not filled in, because nobody reads it."""

    name: str
    version: str
    content_hash: str
    source: str = ""

    def render(self, context: Mapping[str, Any]) -> RenderedPrompt:
        """Return a prompt that holds only its name, version and hash."""
        return RenderedPrompt(self.name, self.version, self.content_hash, "", "", "")


class PromptsOfTurn:
    """The prompts of one replayed turn: those of stages that a model runs now, and for all others the recorded ones."""

    def __init__(self, now: Mapping[str, Prompt], records: Iterable[Mapping[str, Any]]) -> None:
        """Take the prompts; `now` are those that models are shown, by name."""
        used = [record["prompt"] for record in records if record["prompt"]]
        self._then = {
            prompt["name"]: RecordedPrompt(prompt["name"], prompt["version"], prompt["content_hash"]) for prompt in used
        }
        self._now = dict(now)

    def prompt(self, name: str) -> Prompt:
        """Return the prompt of that name."""
        return self._now.get(name) or self._then.get(name) or RecordedPrompt(name, "", "")


class RecordedDice:
    """Dice that fall as they fell then: a throw of the same dice, by the same actor, for the same purpose, however
    often it is asked for. A throw that was not made then is made by the dice of the action."""

    def __init__(self, rolls: Iterable[Roll], otherwise: Dice) -> None:
        self._rolls = {(roll.expression, roll.purpose, roll.actor_id): roll for roll in rolls}
        self._otherwise = otherwise

    def roll(self, expression: str, *, purpose: str, actor_id: str, modifier: int = 0) -> Roll:
        """Return the recorded throw of its kind, with the modifier of now.

        Raises:
            ValueError: the expression is malformed.
        """
        kept = self._rolls.get((expression, purpose, actor_id))
        if kept is None:
            return self._otherwise.roll(expression, purpose=purpose, actor_id=actor_id, modifier=modifier)
        total = kept.total - kept.modifier + modifier
        return kept.model_copy(update={"modifier": modifier, "total": total, "band": None})


# The stages of a replayed turn: some with a model that is asked now, the others answered from the recording.

# The stages that narrate the turn and check the narration, until it is accepted.
_TELLING = (Narrate.name, Extract.name)

# Returns a model by its key.
OpenModel = Callable[[str], Model]
# Returns the stages that ask a model by default, each with its key, by the model's key.
StagesOf = Callable[[str], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Overrides:
    """The overrides of a replay: versions of prompts by name, keys of models by stage (`builtin` is one). With
    `rethink` the built-in stages are run anew where another version of them made the turn."""

    prompts: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    rethink: bool = False

    def __post_init__(self) -> None:
        """Raise SettingsError where there is no such prompt or stage."""
        _check_names(self.prompts, (*STAGES, REPAIR), "prompt of a turn")
        _check_names(self.models, STAGES, "stage of a turn")

    def __bool__(self) -> bool:
        return bool(self.prompts or self.models or self.rethink)

    def is_anew(self, stage: str) -> bool:
        """Tell whether a built-in stage is run anew, whichever version of it made the turn."""
        return self.rethink or stage in self.models

    def keys(self, asked: Mapping[str, str]) -> dict[str, str | None]:
        """Return for every stage that does not stay builtin the key of the model that answers now, or None where it
        answers as recorded; `asked` are the stages that a model ran, with its key."""
        keys: dict[str, str | None] = {
            stage: key for stage, key in self.models.items() if key != BUILTIN or stage in asked
        }
        for stage, key in asked.items():
            if stage not in self.models:
                keys[stage] = key if stage in self.prompts or REPAIR in self.prompts else None
        return keys


def _check_names(names: Iterable[str], there: tuple[str, ...], what: str) -> None:
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
    """Return a model for every stage of a turn."""
    return dict.fromkeys(STAGES, key)


@dataclass(frozen=True, slots=True)
class ReplayStages:
    """The stages of one replayed turn; `anew` are those that do not answer as recorded, by stage with the key of the
    model that answers now; `rethought` the built-in ones that are run anew in place of another version, with their
    recorded runs; `versions` the present versions of the built-in stages."""

    stages: Stages
    anew: Mapping[str, str]
    rethought: tuple[OtherVersion, ...]
    versions: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class OtherVersion:
    """Runs that another version of a built-in stage made than the present one."""

    stage: str
    recorded: int
    present: int
    runs: int

    def __str__(self) -> str:
        return f"{self.stage} (version {self.recorded}, now {self.present})"


def other_versions(runs: Iterable[tuple[str, int]], present: Mapping[str, int]) -> tuple[OtherVersion, ...]:
    """Return the runs, given as (stage, version), that are not of the present versions: by stage and version, in the
    order of their first runs."""
    counted = Counter(run for run in runs if run[1] != present[run[0]])
    return tuple(OtherVersion(stage, version, present[stage], times) for (stage, version), times in counted.items())


class ReplayModels:
    """Gives replayed turns their stages; a model is opened once."""

    def __init__(
        self,
        overrides: Overrides,
        open_model: OpenModel,
        shelf: CampaignPrompts,
        begin_turn: Callable[[], None],
        make: MakeStages = make_stages,
    ) -> None:
        """Take the overrides and what opens models; `begin_turn` is called before each turn: the limit of costs is
        counted by turns. `make` makes the stages."""
        self._make = make
        self._overrides = overrides
        self._open_model = open_model
        self._shelf = shelf
        self._begin_turn = begin_turn
        self._opened: dict[str, Model] = {}

    def cast(self, turn: RecordedTurn) -> ReplayStages:
        """Return the stages for one turn: a stage that is not overridden answers as recorded, or is builtin as it was
        then; where another version of it was, its recorded output is taken.

        Raises:
            SettingsError: a model or a prompt is not available.
        """
        self._begin_turn()
        keys = self._overrides.keys(turn.asked())
        anew = {stage: key for stage, key in keys.items() if key is not None}
        asked = {stage: key for stage, key in anew.items() if key != BUILTIN}
        models: dict[str, Model] = {stage: self._model(key) for stage, key in asked.items()}
        for stage in (stage for stage, key in keys.items() if key is None):
            # Where another stage is asked anew, a narration may be made or checked another number of times than then.
            settled = bool(anew) and stage in _TELLING
            models[stage] = RecordedModel(
                stage, (record for record in turn.records if record["stage"] == stage), settled=settled
            )
        used = {record["stage"]: record["prompt"]["content_hash"] for record in turn.records if record["prompt"]}
        now = {name: self._prompt(name, used.get(name)) for name in (*asked, *((REPAIR,) if asked else ()))}
        kept = {
            stage: runs
            for stage, runs in turn.runs().items()
            if stage not in anew and not self._overrides.is_anew(stage)
        }
        stages = self._make(models, PromptsOfTurn(now, turn.records), kept)
        present = {stage.name: stage.builtin_version for stage in stages}
        rethought = other_versions(
            (run for run in turn.builtin_runs() if run[0] not in kept and run[0] not in anew), present
        )
        return ReplayStages(stages, anew, rethought, present)

    def _prompt(self, name: str, used: str | None) -> Prompt:
        version = self._overrides.prompts.get(name)
        return self._shelf.used(name, used) if version is None else self._shelf.version(name, version)

    def _model(self, key: str) -> Model:
        if key not in self._opened:
            self._opened[key] = self._open_model(key)
        return self._opened[key]
