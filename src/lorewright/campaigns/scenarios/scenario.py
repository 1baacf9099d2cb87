"""A scenario as its author writes it: YAML -> Scenario, every key known and every value of its type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from lorewright.bounded_files import read_text
from lorewright.builtin.narrator.grammar import phrase_problems
from lorewright.campaigns.scenarios.faults import FileFault, faults_in_lines, faults_of, yaml_fault
from lorewright.campaigns.scenarios.names import PLAYER_NAMES, NameLookup
from lorewright.errors import NotFound, ScenarioError
from lorewright.index.generation import Generation
from lorewright.packs import models
from lorewright.packs.bounded_yaml import YamlProblem, lines_of_yaml, load_yaml
from lorewright.packs.schemas import CHARACTER_KEYS
from lorewright.retrieval.view import merge_entity
from lorewright.rules.actions import Deed
from lorewright.rules.conditions import ClockIs, Condition
from lorewright.rules.effects import Effect
from lorewright.rules.rulesets import Hindrance, Inquiry, Phrase, Profile, Rule, ThreatRule, TurnProfile
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.state import Entity, EntityType
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
    """Where a character is at the start (`offstage`: nowhere yet), how much they trust the player, what they will
    do; who they are (`profile`), what they are in (`conditions`), what moves them (`states`), how far they go, what
    they remember (`observations`).

    `baked` ones act in every turn in which they are there, others roll against their `chattiness`; where neither is
    said, what their file in a pack says holds. `acts` are what they do of their own accord.
    """

    at: str
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

_KEYS = "see docs/authoring.md for the keys of a scenario"
# A scenario made from a large vault names every place and thing of it.
_MAX_YAML_NODES = 500_000
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
    """An open question and who it is about; with `inquiry` it is counted how far it has been looked into."""

    title: str
    status: str = "open"
    stakes: str = ""
    related: tuple[str, ...] = ()
    inquiry: Inquiry | None = None


_TIME = r"^([01]\d|2[0-3]):[0-5]\d$"
MEANING = 300


class ScenarioClock(Frozen):
    """A clock; `at[value]` happens when it rises to it. With `cost` mixed or failed attempts tick it where no rule says
    otherwise; `good` ones are no threat. `means` tells the player what it counts and what a full one brings, as far as
    they may know; one with `until` counts the time of day from when the story `begins` to that hour."""

    name: str | None = None
    means: str = Field(default="", max_length=MEANING, exclude_if=lambda means: not means)
    until: str = Field(default="", pattern=f"^$|{_TIME}")
    max: int = Field(ge=1, le=100)
    value: int = Field(default=0, ge=0)
    cost: bool = False
    good: bool = Field(default=False, exclude_if=lambda good: not good)
    at: FrozenMap[int, tuple[Effect, ...]] = Field(default_factory=dict)


class ScenarioEnding(Frozen):
    """An ending: reached by an `end` effect, or when the condition holds after a turn."""

    say: str
    when: Condition | None = None


class Scenario(Frozen):
    """A playable situation on top of packs, or of none. IDs of entities may be bare or `pack:id`.

    `profile` says which rounds a turn has, where it is another than the ruleset's; `begins` is the time of day at the
    start. `stat_blocks` and `scene_seed` begin what the ruleset's schemas describe; a `scene_seed` for a ruleset that
    describes no scene is kept and read by no rule, as are `calibration`, `system` and `genre_rules`. `gauges` says of
    bounded numbers of that scene what they mean, as `means` does of a clock.
    """

    id: str
    name: str = ""
    summary: str = ""
    stakes: str = ""
    goals: FrozenMap[str, Written] = Field(default_factory=dict)
    tone: str = ""
    intro_seed: Written
    stat_blocks: FrozenMap[str, FrozenMap[str, Any]] = Field(default_factory=dict)
    scene_seed: Any = None
    calibration: FrozenMap[str, Any] = Field(default_factory=dict)
    system: FrozenMap[str, Any] = Field(default_factory=dict)
    genre_rules: FrozenMap[str, Any] = Field(default_factory=dict)
    content_packs: tuple[str, ...] = ()
    ruleset: str = "freeform"
    profile: TurnProfile | None = None
    start: str
    begins: str = Field(default="", pattern=f"^$|{_TIME}")
    player: ScenarioPlayer = Field(default_factory=ScenarioPlayer)
    personas: FrozenMap[str, ScenarioPersona] = Field(default_factory=dict)
    places: FrozenMap[str, ScenarioPlace]
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
    grammar: FrozenMap[str, tuple[Phrase, ...]] = Field(default_factory=dict)
    demo: tuple[str, ...] = ()
    demo_seed: int = 1

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
        return self

    @model_validator(mode="before")
    @classmethod
    def _one_pack(cls, data: Any) -> Any:
        """Read `content_pack: x` as `content_packs: [x]`, and a key without a value as no pack."""
        if not isinstance(data, dict):
            return data
        if "content_pack" in data and "content_packs" not in data:
            pack = data["content_pack"]
            data = {**{k: v for k, v in data.items() if k != "content_pack"}, "content_packs": pack and [pack]}
        if data.get("content_packs", ()) is None:
            return {k: v for k, v in data.items() if k != "content_packs"}
        return data


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
        raise NotFound(f"there is no scenario at {path}", hint="see: lorewright scenario list")
    try:
        text = scenario_text(path)
        data = load_yaml(text, max_nodes=_MAX_YAML_NODES).data
    except UnicodeDecodeError:
        return None, [FileFault(1, "the file is not UTF-8", "save it as UTF-8")]
    except ScenarioError as problem:
        return None, [FileFault(1, problem.message.removeprefix(f"{path}: "), problem.hint or _KEYS)]
    except YamlProblem as problem:
        return None, [yaml_fault(problem)]
    if not isinstance(data, dict):
        return None, [FileFault(1, "a scenario is `key: value` lines", _KEYS)]
    try:
        return Scenario.model_validate(data), []
    except ValidationError as problem:
        lines = lines_of_yaml(text, max_nodes=_MAX_YAML_NODES)
        return None, faults_of(problem, lines, data=data, model=Scenario, hint=_KEYS)


# The entities that a campaign begins with: copies of the packs', and the scenario's own.

_TYPES: dict[str, EntityType] = {"location": "location", "npc": "npc", "faction": "faction", "item": "item"}

# What a scenario may add to a pack's entity, or make itself: a place, a member of the cast, another entity.
_Added = ScenarioPlace | ScenarioCast | ScenarioEntity


def names_made(scenario: Scenario) -> list[str]:
    """Return the names of all that is named in the scenario and needs no pack."""
    return [key for key, added in _added(scenario).items() if added.name and ":" not in key]


def entities_of(scenario: Scenario, names: NameLookup, generations: Sequence[Generation]) -> Iterator[Entity]:
    """Yield the player, personas, places, cast, others known, those of threads, things; note unknown names."""
    player = scenario.player
    yield Entity(id=names.player_id, type="player", name=player.name, pronoun=player.pronoun, traits=player.traits)
    for key, persona in scenario.personas.items():
        yield Entity(
            id=names.entity(key, where=f"personas.{key}"),
            type="player",
            name=persona.name,
            aliases=persona.aliases,
            pronoun=persona.pronoun,
            traits=persona.traits,
        )
    added = _added(scenario)
    related = [related_name for thread in scenario.threads.values() for related_name in thread.related]
    for name in dict.fromkeys([*added, *related]):
        if name in scenario.things or name in scenario.personas or name in PLAYER_NAMES:
            continue
        entity_id = names.entity(name, where=where_of(scenario, name))
        source = merge_entity(entity_id, generations)
        kind: EntityType = "npc" if name in scenario.cast else "location"
        if source is not None:
            given = kind if name in scenario.cast or name in scenario.places else _TYPES.get(source.type, "other")
            yield _copied(source, added.get(name), given)
        elif (own := added.get(name)) is not None and own.name:
            yield _own(entity_id, own.name, own, kind)
    for name, thing in scenario.things.items():
        if not thing.name:
            names.problems.append(f"things.{name}: name: is missing, and no pack has {name}{names.remark(name)}")
        yield _thing(names.entity(name, where=f"things.{name}"), thing, generations)


def where_of(scenario: Scenario, name: str) -> str:
    """Return where in a scenario a name stands, as it is shown in errors."""
    groups = {"places": scenario.places, "cast": scenario.cast, "things": scenario.things}
    found = next((group for group, names in groups.items() if name in names), None)
    if found is None:
        return "entities" if any(entity.id == name for entity in scenario.entities) else "threads"
    return f"{found}.{name}"


def _added(scenario: Scenario) -> dict[str, _Added]:
    return {**{entity.id: entity for entity in scenario.entities}, **scenario.cast, **scenario.places}


def _copied(source: models.PackEntity, added: _Added | None, kind: EntityType) -> Entity:
    """Return the campaign's own copy of a pack's entity, with the scenario's name, aliases, attrs and tags on top."""
    attrs, tags = _more(added)
    given = getattr(added, "pronoun", None) or source.attrs.get("pronoun")
    aliases = (*(added.aliases if added else ()), *source.aliases, source.name)
    return Entity(
        id=source.id,
        type=kind,
        name=(added.name if added else None) or source.name,
        aliases=tuple(dict.fromkeys(aliases)),
        pronoun=given if given in ("he", "she", "they", "it") else "they",
        attrs={**_plain(source.attrs), **attrs},
        tags=tuple(dict.fromkeys((*source.tags, *tags))),
        origin="pack",
        pack_id=source.id.partition(":")[0],
        pack_entity_id=source.id,
    )


def _own(entity_id: str, name: str, added: _Added, kind: EntityType) -> Entity:
    attrs, tags = _more(added)
    return Entity(
        id=entity_id,
        type=added.type if isinstance(added, ScenarioEntity) else kind,
        name=name,
        aliases=added.aliases,
        pronoun=getattr(added, "pronoun", None) or "they",
        attrs=attrs,
        tags=tags,
    )


def _thing(entity_id: str, thing: ScenarioThing, generations: Sequence[Generation]) -> Entity:
    source = merge_entity(entity_id, generations) if thing.entity else None
    own = Entity(id=entity_id, type=thing.kind, name=thing.name, aliases=thing.aliases, pronoun="it")
    if source is None:
        return own
    return own.model_copy(
        update={
            "aliases": tuple(dict.fromkeys((*thing.aliases, *source.aliases, source.name))),
            "tags": source.tags,
            "origin": "pack",
            "pack_id": source.id.partition(":")[0],
            "pack_entity_id": source.id,
        }
    )


def _more(added: _Added | None) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    if isinstance(added, ScenarioPlace):
        return {}, added.tags
    return (added.attrs, added.tags) if isinstance(added, ScenarioEntity) else ({}, ())


def _plain(attrs: dict[str, Any]) -> dict[str, Any]:
    # Those that have a field of their own are left out.
    return {key: value for key, value in attrs.items() if key not in ("pronoun", "exits", *CHARACTER_KEYS)}
