"""A scenario as its author writes it: YAML -> Scenario, every key known and every value of its type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, ValidationError, field_validator, model_validator

from lorewright.bounded_files import read_text
from lorewright.builtin.narrator.grammar import phrase_problems
from lorewright.campaigns.scenarios.faults import SCENARIO_EXAMPLES, FileFault, faults_in_lines, faults_of, yaml_fault
from lorewright.campaigns.scenarios.other_keys import with_known_keys
from lorewright.errors import NotFound, ScenarioError
from lorewright.ids import did_you_mean
from lorewright.index.generation import Generation
from lorewright.packs.bounded_yaml import YamlProblem, lines_of_yaml, load_yaml
from lorewright.rules.actions import Deed
from lorewright.rules.conditions import ClockIs, Condition, Nudge
from lorewright.rules.effects import Effect
from lorewright.rules.rulesets import Hindrance, Inquiry, Phrase, Profile, Rule, ThreatRule, TurnProfile
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.things import CharacterState

Written = Annotated[str, Field(pattern=r"\S")]


class ScenarioMemory(Frozen):
    """Something that a character remembers from the start, and how much it matters to them."""

    content: str = Field(min_length=1, max_length=500)
    importance: int = Field(default=3, ge=1, le=5)


class ScenarioPlayer(Frozen):
    """Who the player is, what moves them (`states`), and what they remember from the start (`observations`)."""

    name: str = "the traveller"
    pronoun: Literal["he", "she", "they", "it"] = "they"
    items: tuple[str, ...] = ()
    traits: FrozenMap[str, int] = Field(default_factory=dict)
    profile: FrozenMap[str, Any] = Field(default_factory=dict)
    states: FrozenMap[str, CharacterState] = Field(default_factory=dict)
    conditions: tuple[str, ...] = ()
    observations: tuple[ScenarioMemory, ...] = ()


class ScenarioPersona(ScenarioPlayer):
    """Somebody else whom the player may play: where they are at the start (where the story starts, if it is not said),
    and how much some of the cast trust them."""

    name: Written
    at: str | None = None
    aliases: tuple[str, ...] = ()
    trust: FrozenMap[str, int] = Field(default_factory=dict)


# The longest sentence and thought of an act, in characters: a record of a turn holds no more.
_SAID = 600
# At most this many sentences are told of one act.
_SENTENCES = 5


class AgendaStep(Frozen):
    """What a character does once a clock has risen to `min`: effects, or the name of one of the scenario's `deeds`."""

    when: ClockIs
    do: str | tuple[Effect, ...]


class ScenarioAct(Frozen):
    """Something that a character does of their own accord when their turn comes and `when` holds; without an `id` it is
    called by its number, `act_1`. `say` tells it as one sees it: a sentence, or several."""

    id: str = Field(default="", pattern=r"^[a-z0-9_]*$")
    when: Condition | None = None
    do: Deed
    say: tuple[Annotated[str, Field(pattern=r"\S", max_length=_SAID)], ...] = Field(default=(), max_length=_SENTENCES)
    thought: str = Field(default="", max_length=_SAID)
    once: bool = False

    @field_validator("say", mode="before")
    @classmethod
    def _one_sentence(cls, data: Any) -> Any:
        return (data,) if isinstance(data, str) else data


class ScenarioCast(Frozen):
    """Where a character is at the start (`offstage`: nowhere yet; by default where the story starts), how much they
    trust the player, what they will do; who they are (`profile`), what they are in (`conditions`), what moves them
    (`states`), how far they go, what they remember (`observations`).

    `baked` ones act in every turn in which they are there, others roll against their `chattiness`; where neither is
    said, what their file in a pack says holds. `acts` are what they do of their own accord.
    """

    at: str = ""
    trust: int = 0
    name: str | None = None
    aliases: tuple[str, ...] = ()
    pronoun: Literal["he", "she", "they", "it"] | None = None
    baked: bool | None = None
    chattiness: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    acts: tuple[ScenarioAct, ...] = ()
    agenda: tuple[AgendaStep, ...] = ()
    profile: FrozenMap[str, Any] = Field(default_factory=dict)
    conditions: tuple[str, ...] = ()
    states: FrozenMap[str, CharacterState] = Field(default_factory=dict)
    escalation: Profile = Field(default_factory=dict)
    observations: tuple[ScenarioMemory, ...] = ()


# The scenario: YAML -> Scenario, every key known and every value of its type.

_KEYS = "see docs/scenario_reference.md for the keys of a scenario"
# A scenario made from a large vault names every place and thing of it.
MAX_YAML_NODES = 500_000
# The largest that ships has 64 KB; one made from thousands of notes has some MB.
MAX_SCENARIO_BYTES = 4 * 1024 * 1024


class ScenarioExit(Frozen):
    """A way out: where to, how long it takes, through which door."""

    to: str
    minutes: int = Field(default=1, ge=0)
    via: str | None = None


class ScenarioPlace(Frozen):
    """What a scenario adds to a pack's location; a place of its own needs a name. `listener` is one of the cast, to
    whom words are said here that are put to nobody by name."""

    name: str | None = None
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    listener: str | None = None
    exits: FrozenMap[str, ScenarioExit] = Field(default_factory=dict)


class ScenarioWay(Frozen):
    """A line of `map`: a way from one place to another and, unless `one_way`, back. Unnamed it is called as where it
    leads."""

    from_: str = Field(alias="from")
    to: str
    name: str | None = None
    back: str | None = None
    minutes: int = Field(default=1, ge=0)
    via: str | None = None
    one_way: bool = False


class ScenarioThing(Frozen):
    """A thing or door. `at` is a place for a thing, the two places for a door; `key` the thing that opens the door.
    With `entity` the thing is what that file of a pack tells of; without a `name` it is the pack's entity of its key.

    A door with `shut_bars` has to be opened before one can pass; `bolt_at` is the place on whose side its bolt is.
    """

    name: str = ""
    kind: Literal["item", "door"] = "item"
    aliases: tuple[str, ...] = ()
    at: str | tuple[str, str] | None = None
    held_by: str | None = None
    locked: bool = False
    open: bool = False
    key: str | None = None
    shut_bars: bool = False
    bolt_at: str | None = None
    entity: str | None = None

    @model_validator(mode="after")
    def _locked_is_shut(self) -> Self:
        if self.locked and self.open:
            raise ValueError("a door cannot be locked and open")
        return self

    @model_validator(mode="after")
    def _doors_bar(self) -> Self:
        if self.kind != "door" and (self.shut_bars or self.bolt_at is not None):
            raise ValueError("only a door can bar the way or have a bolt: say `kind: door`")
        return self


class ScenarioTie(Frozen):
    """What one of the cast is to another, or to the player: the first of `between` is the `type` of the second."""

    between: tuple[str, str]
    type: str
    intensity: int = 0


class ScenarioEntity(Frozen):
    """Somebody or something that is known and has no place: what it adds to a pack's entity, or one of its own."""

    id: str
    type: Literal["npc", "location", "faction", "item", "other"] = "other"
    name: str | None = None
    aliases: tuple[str, ...] = ()
    attrs: FrozenMap[str, Any] = Field(default_factory=dict)
    tags: tuple[str, ...] = ()


class ScenarioThread(Frozen):
    """An open question, who it is about, tags of its lore; with `inquiry` it is counted how far one has come."""

    title: str
    status: str = "open"
    stakes: str = ""
    related: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    inquiry: Inquiry | None = None


_TIME, MEANING = r"^([01]\d|2[0-3]):[0-5]\d$", 300


_SPAN = re.compile(r"^\s*(\d{1,4}|an?|half an)?\s*(m|min|mins|minutes?|h|hours?)?\s*$", re.IGNORECASE)
SPAN_HINT = "write `every: 10 minutes` or `every: 1 hour`"


def _in_minutes(value: Any) -> Any:
    """Return `10 minutes`, `an hour` or a number as minutes; anything else as it is."""
    found = _SPAN.match(value) if isinstance(value, str) else None
    if found is None or not (found[1] or found[2]):
        return value
    unit = 60 if (found[2] or "m").lower().startswith("h") else 1
    count = (found[1] or "1").lower()
    return unit // 2 if count == "half an" else unit * (1 if count in ("a", "an") else int(count))


Span = Annotated[int, BeforeValidator(_in_minutes), Field(ge=1, le=10_000)]


class ScenarioClock(Frozen):
    """A clock; `at[value]` happens when it rises to it. It rises by one `every` so many minutes of the story, where
    that is said. With `cost` mixed or failed attempts tick it where no rule says otherwise; `good` ones are no threat.
    `means` tells the player what it counts and what a full one brings, as far as they may know; one with `until`
    counts the time of day from when the story `begins` to that hour."""

    name: str | None = None
    means: str = Field(default="", max_length=MEANING, exclude_if=lambda means: not means)
    until: str = Field(default="", pattern=f"^$|{_TIME}")
    max: int = Field(ge=1, le=100)
    value: int = Field(default=0, ge=0)
    every: Span | None = Field(default=None, exclude_if=lambda every: every is None)
    cost: bool = False
    good: bool = Field(default=False, exclude_if=lambda good: not good)
    at: FrozenMap[int, tuple[Effect, ...]] = Field(default_factory=dict)


class ScenarioEnding(Frozen):
    """An ending: reached by an `end` effect, or when the condition holds after a turn."""

    say: str
    when: Condition | None = None


class Scenario(Frozen):
    """A playable situation on top of packs, or of none. IDs of entities may be bare or `pack:id`. On top of packs it
    need not say its `places`, its `start` and its first words: those are made of the packs.

    `profile` says which rounds a turn has, where it is another than the ruleset's; `begins` is the time of day at the
    start. With a `pace` clocks that count `until` an hour rise as the minutes pass, and a turn takes at least so many.
    `stat_blocks` and `scene_seed` begin what the ruleset's schemas describe; a `scene_seed` for a ruleset that
    describes no scene is kept and read by no rule, as are `calibration`, `system` and `genre_rules`. `gauges` says of
    bounded numbers of that scene what they mean, as `means` does of a clock. With `add_to_packs` the places, ways,
    people and things that are written come beside those of the packs, else in their place.
    """

    id: str
    name: str = ""
    summary: str = ""
    stakes: str = ""
    goals: FrozenMap[str, Written] = Field(default_factory=dict)
    tone: str = ""
    intro_seed: Written = Field(default="", validate_default=False)
    stat_blocks: FrozenMap[str, FrozenMap[str, Any]] = Field(default_factory=dict)
    scene_seed: Any = None
    calibration: FrozenMap[str, Any] = Field(default_factory=dict)
    system: FrozenMap[str, Any] = Field(default_factory=dict)
    genre_rules: FrozenMap[str, Any] = Field(default_factory=dict)
    content_packs: tuple[str, ...] = ()
    ruleset: str = "freeform"
    profile: TurnProfile | None = None
    start: str = ""
    begins: str = Field(default="", pattern=f"^$|{_TIME}")
    pace: Span | None = Field(default=None, exclude_if=lambda pace: pace is None)
    player: ScenarioPlayer = Field(default_factory=ScenarioPlayer)
    personas: FrozenMap[str, ScenarioPersona] = Field(default_factory=dict)
    places: FrozenMap[str, ScenarioPlace] = Field(default_factory=dict)
    map: tuple[ScenarioWay, ...] = ()
    things: FrozenMap[str, ScenarioThing] = Field(default_factory=dict)
    cast: FrozenMap[str, ScenarioCast] = Field(default_factory=dict)
    entities: tuple[ScenarioEntity, ...] = ()
    deeds: FrozenMap[str, tuple[Effect, ...]] = Field(default_factory=dict)
    threads: FrozenMap[str, ScenarioThread] = Field(default_factory=dict)
    threats: FrozenMap[str, ThreatRule] = Field(default_factory=dict)
    situations: FrozenMap[str, Hindrance] = Field(default_factory=dict)
    ties: tuple[ScenarioTie, ...] = ()
    turn_order: tuple[str, ...] = ()
    clocks: FrozenMap[str, ScenarioClock] = Field(default_factory=dict)
    gauges: FrozenMap[str, Annotated[Written, Field(max_length=MEANING)]] = Field(
        default_factory=dict, exclude_if=lambda gauges: not gauges
    )
    rules: tuple[Rule, ...] = ()
    finds: FrozenMap[str, tuple[Effect, ...]] = Field(default_factory=dict)
    endings: FrozenMap[str, ScenarioEnding] = Field(default_factory=dict)
    nudges: tuple[Nudge, ...] = Field(default=(), exclude_if=lambda nudges: not nudges)
    grammar: FrozenMap[str, tuple[Phrase, ...]] = Field(default_factory=dict)
    demo: tuple[str, ...] = ()
    demo_seed: int = 1
    add_to_packs: bool = Field(default=False, exclude_if=lambda adds: not adds)

    @field_validator("grammar", mode="before")
    @classmethod
    def _phrases(cls, data: Any) -> Any:
        """Accept a bare text as a row, as the narrator's own grammar does."""
        if not isinstance(data, dict):
            return data
        return {
            group: tuple({"text": row} if isinstance(row, str) else row for row in rows)
            if isinstance(rows, list)
            else rows
            for group, rows in data.items()
        }

    @field_validator("grammar", mode="after")
    @classmethod
    def _fitting(cls, grammar: FrozenMap[str, tuple[Phrase, ...]]) -> FrozenMap[str, tuple[Phrase, ...]]:
        """Refuse a phrase that does not fit its group: it would never be told, or fail when it is told."""
        problems = phrase_problems(grammar)
        if problems:
            raise ValueError("; ".join(problems[:3]))
        return grammar

    @model_validator(mode="after")
    def _times_begin(self) -> Self:
        if not self.begins and any(clock.until for clock in self.clocks.values()):
            raise ValueError('a clock counts `until` an hour, and the story has no `begins: "HH:MM"`')
        if self.pace and not any(clock.until for clock in self.clocks.values()):
            raise ValueError("the story has a `pace`, and no clock counts `until` an hour")
        return self

    @model_validator(mode="before")
    @classmethod
    def _one_pack(cls, data: Any) -> Any:
        """Read `content_pack: x` as the first of the `content_packs`, and a key without a value as no pack."""
        if not isinstance(data, dict):
            return data
        if "content_pack" in data:
            first, others = data["content_pack"], data.get("content_packs") or []
            packs = [first, *(pack for pack in others if pack != first)] if isinstance(others, list) else others
            rest = {key: value for key, value in data.items() if key != "content_pack"}
            data = {**rest, "content_packs": (packs if first else others) or None}
        if isinstance(data.get("content_packs"), str):
            data = {**data, "content_packs": [data["content_packs"]]}
        if data.get("content_packs", ()) is None:
            return {k: v for k, v in data.items() if k != "content_packs"}
        return data

    @model_validator(mode="before")
    @classmethod
    def _has_ground(cls, data: Any) -> Any:
        """Refuse a scenario without packs that does not say where it plays."""
        if isinstance(data, dict) and not (data.get("content_pack") or data.get("content_packs")):
            missing = [key for key in ("places", "start", "intro_seed") if key not in data]
            if missing:
                raise ValueError(f"{', '.join(missing)}: missing, and there is no pack to make it of")
        return data

    @property
    def is_complete(self) -> bool:
        """Tell whether it says its places, where it starts and its first words, who and what is there, and where
        everybody of the cast is. Without packs there is nobody and nothing that it does not write."""
        if self.content_packs and self.add_to_packs:
            return False
        if self.content_packs and not self.model_fields_set.issuperset(("cast", "things")):
            return False
        return bool(self.places and self.start and self.intro_seed) and all(who.at for who in self.cast.values())


# Gives a scenario that is not complete the places of its packs, and what goes with them.
Complete = Callable[[Scenario, Sequence[Generation]], Scenario]


def effects_of(scenario: Scenario) -> Iterator[Effect]:
    """Yield every effect that a scenario can have."""
    for rule in scenario.rules:
        yield from (*rule.critical, *rule.success, *rule.mixed, *rule.fail)
    for clock in scenario.clocks.values():
        yield from (effect for effects in clock.at.values() for effect in effects)
    for effects in (*scenario.finds.values(), *scenario.deeds.values()):
        yield from effects
    for threat in scenario.threats.values():
        yield from threat.effects
    for thread in scenario.threads.values():
        yield from thread.inquiry.effects if thread.inquiry else ()
    for member in scenario.cast.values():
        for step in member.agenda:
            yield from step.do if not isinstance(step.do, str) else ()
        for level in member.escalation.values():
            yield from level.effects


def with_profile(scenario: Scenario, profile: TurnProfile | None) -> Scenario:
    """Return the scenario as it is played in a profile; with None in its own."""
    return scenario if profile is None else scenario.model_copy(update={"profile": profile})


def load_scenario(path: Path) -> Scenario:
    """Read a scenario file and return its scenario.

    Raises:
        NotFound: there is no such file.
        ScenarioError: it is not a scenario; the message has file, line and key.
    """
    scenario, faults = read_scenario(path)
    if scenario is None:
        raise ScenarioError(faults_in_lines(path, faults), hint=faults[0].hint)
    return scenario


def scenario_text(path: Path) -> str:
    """Return the text of a scenario's file.

    Raises:
        ScenarioError: it is larger than a scenario may be.
        UnicodeDecodeError: it is not UTF-8.
    """
    return read_text(path, MAX_SCENARIO_BYTES, ScenarioError)


def read_scenario(path: Path) -> tuple[Scenario | None, list[FileFault]]:
    """Return a scenario and no faults, or None and every fault of the file.

    Raises:
        NotFound: there is no such file.
    """
    if not path.is_file():
        near = did_you_mean(path.stem, [file.stem for file in path.parent.glob("*.y*ml")])
        raise NotFound(f"there is no scenario at {path}", hint=near or "see: lorewright scenario list")
    try:
        text = scenario_text(path)
        data = load_yaml(text, max_nodes=MAX_YAML_NODES).data
    except UnicodeDecodeError:
        return None, [FileFault(1, "the file is not UTF-8", "save it as UTF-8")]
    except ScenarioError as problem:
        return None, [FileFault(1, problem.message.removeprefix(f"{path}: "), problem.hint or _KEYS)]
    except YamlProblem as problem:
        return None, [yaml_fault(problem)]
    if not isinstance(data, dict):
        return None, [FileFault(1, "a scenario is `key: value` lines", _KEYS)]
    data = with_known_keys(data)
    try:
        return Scenario.model_validate(data), []
    except ValidationError as problem:
        lines = lines_of_yaml(text, max_nodes=MAX_YAML_NODES)
        return None, faults_of(problem, lines, data=data, model=Scenario, hint=_KEYS, examples=SCENARIO_EXAMPLES)
