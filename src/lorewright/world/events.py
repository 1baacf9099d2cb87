"""EngineEvent: something that happened, as one typed class a kind, named in the past tense.

An event is made once: where the rules decide something (`patch.tell(ItemTaken(...))`), or of two states by `changes`.
In JSON every kind has the shape `{type, details, tags, scope, audience?}`, with the fields of its class in `details`:
so events stand in stored results and records, in answers and in the views of the database.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    ModelWrapValidatorHandler,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    Strict,
    TypeAdapter,
    ValidationError,
    model_serializer,
    model_validator,
)
from pydantic_core import CoreSchema, core_schema

from lorewright.world.frozen import Frozen, FrozenMap

# The keys of an event's JSON beside `details`.
_COMMON = ("type", "tags", "scope", "audience")

# Numbers are read as they were written: 3.0 and true are no 3.
Number = Annotated[int, Strict()]


class Event(Frozen):
    """What every kind of event has; the fields of a kind are IDs and numbers, never a text of the lore.

    `audience` are those who may know of it, where these are not all at the scene's place: the two ends of a whisper,
    the people of another place. An event is `world_affecting` where it would matter beyond the campaign.
    """

    model_config = ConfigDict(validate_by_name=True, serialize_by_alias=True)

    type: str
    tags: tuple[str, ...] = ()
    scope: Literal["campaign", "world_affecting"] = "campaign"
    # Newer fields are written only where they have a value: other turns keep their bytes.
    audience: tuple[str, ...] | None = Field(default=None, exclude_if=lambda audience: audience is None)

    def reaches(self, who: str) -> bool:
        """Tell whether somebody who is at the scene's place may know of it."""
        return self.audience is None or who in self.audience

    def texts(self) -> Iterator[str]:
        """Yield every string in the fields of its kind, with the keys of mappings, in their order."""
        for name in type(self).model_fields:
            if name not in _COMMON:
                yield from _texts_in(getattr(self, name))

    @model_validator(mode="wrap")
    @classmethod
    def _unfolded(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Read the JSON shape; fields by name are taken as they are.

        What would be written otherwise than it was read is refused, and so becomes an `UnknownEvent`.
        """
        if not isinstance(data, Mapping) or "type" not in data or "details" in cls.model_fields:
            return handler(data)
        common = {key: value for key, value in data.items() if key != "details"}
        details = data.get("details", {})
        own = {field.alias or name: field for name, field in cls.model_fields.items() if name not in _COMMON}
        if not isinstance(details, Mapping) or not (common.keys() <= set(_COMMON) and details.keys() <= own.keys()):
            raise ValueError("these are not the details of an event of this kind")
        if any(value is None and own[key].exclude_if for key, value in details.items()):
            raise ValueError("a field without a value is left out")
        return handler({**common, **details})

    @model_serializer(mode="wrap")
    def _folded(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields = handler(self)
        details = {key: value for key, value in fields.items() if key not in _COMMON}
        folded = {"type": fields["type"], "details": details.get("details", details)}
        return folded | {key: fields[key] for key in _COMMON if key in fields}


class UnknownEvent(Event):
    """An event of a kind or with details that this version does not know, as another version or program wrote it."""

    details: FrozenMap[str, Any] = Field(default_factory=dict)


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, member in value.items():
            yield str(key)
            yield from _texts_in(member)
    elif isinstance(value, (list, tuple)):
        for member in value:
            yield from _texts_in(member)


# Events of the world: `changes` derives them from two states.


class ClockTicked(Event):
    """A clock moved."""

    type: Literal["clock_ticked"] = "clock_ticked"
    clock: str
    before: Number
    after: Number


class PathChanged(Event):
    """A value of the ruleset's scene (`scene.PATH`) or of the player's own stats (`stats.PATH`) became another."""

    type: Literal["path_changed"] = "path_changed"
    path: str
    before: Any
    after: Any


class ThreadChanged(Event):
    """A thread got another status."""

    type: Literal["thread_changed"] = "thread_changed"
    scope: Literal["campaign", "world_affecting"] = "world_affecting"
    thread: str
    before: str
    after: str


class ProgressMade(Event):
    """An inquiry came further, or fell back."""

    type: Literal["progress_made"] = "progress_made"
    thread: str
    before: Number
    after: Number


class FactEstablished(Event):
    """A fact that the player may know was added, or became another."""

    type: Literal["fact_established"] = "fact_established"
    fact: str
    subject: str
    predicate: str


class ConditionGained(Event):
    """Somebody present came to be in a condition."""

    type: Literal["condition_gained"] = "condition_gained"
    entity: str
    condition: str


class ConditionLost(Event):
    """Somebody present was rid of a condition."""

    type: Literal["condition_lost"] = "condition_lost"
    entity: str
    condition: str


class Escalated(Event):
    """Somebody went another step against the player; the steps are by name."""

    type: Literal["escalated"] = "escalated"
    entity: str
    before: str
    after: str


class ThreatBegan(Event):
    """A threat was announced."""

    type: Literal["threat_began"] = "threat_began"
    threat: str


class ThreatEnded(Event):
    """A threat is no longer pending, whether it came or not."""

    type: Literal["threat_ended"] = "threat_ended"
    threat: str


class SituationBegan(Event):
    """A circumstance began."""

    type: Literal["situation_began"] = "situation_began"
    situation: str


class SituationEnded(Event):
    """A circumstance ended."""

    type: Literal["situation_ended"] = "situation_ended"
    situation: str


class TurnPassed(Event):
    """The turn passed to somebody, in an order of turns."""

    type: Literal["turn_passed"] = "turn_passed"
    to: str


class SceneChanged(Event):
    """Another scene opened, in another place or in the same."""

    type: Literal["scene_changed"] = "scene_changed"
    from_id: str = Field(alias="from")
    to_id: str = Field(alias="to")


class Departed(Event):
    """Somebody other than the player left the scene."""

    type: Literal["departure"] = "departure"
    entity: str


class Arrived(Event):
    """Somebody other than the player came into the scene."""

    type: Literal["arrival"] = "arrival"
    entity: str


class CampaignEnded(Event):
    """The story ended."""

    type: Literal["campaign_ended"] = "campaign_ended"
    scope: Literal["campaign", "world_affecting"] = "world_affecting"
    ending: str


# Events of the rules: they are told where the rules decide. Bands and reasons are those of `rules`, which this package
# does not know.


class EffectRefused(Event):
    """An effect did not fit: `effect` is what an author wrote, without its texts, or the kind of an op."""

    type: Literal["effect_refused"] = "effect_refused"
    reason: str
    effect: FrozenMap[str, Any]


class ItemTaken(Event):
    """Somebody took some of a thing."""

    type: Literal["item_taken"] = "item_taken"
    item: str | None
    quantity: Number


class ItemDropped(Event):
    """Somebody put some of a thing down."""

    type: Literal["item_dropped"] = "item_dropped"
    item: str | None
    quantity: Number


class ItemGiven(Event):
    """Somebody gave a thing to somebody."""

    type: Literal["item_given"] = "item_given"
    item: str | None
    to: str | None


class ItemFound(Event):
    """The player found an item of the lore."""

    type: Literal["item_found"] = "item_found"
    item: str


class ClockTriggered(Event):
    """A clock rose to a mark that has effects."""

    type: Literal["clock_triggered"] = "clock_triggered"
    clock: str
    value: Number


class StreakBroke(Event):
    """The player failed so often in a row that it had a consequence."""

    type: Literal["streak_broke"] = "streak_broke"
    entity: str
    failures: Number


class ThreatAverted(Event):
    """A threat was averted."""

    type: Literal["threat_averted"] = "threat_averted"
    threat: str


class ThreatCame(Event):
    """A threat fell due."""

    type: Literal["threat_came"] = "threat_came"
    threat: str


class InquiryCompleted(Event):
    """An inquiry had what it needed."""

    type: Literal["inquiry_complete"] = "inquiry_complete"
    thread: str


class RuledByTheBook(Event):
    """A rulebook decided an attempt; without a roll there is no band."""

    type: Literal["ruled_by_the_book"] = "ruled_by_the_book"
    band: str | None


class ActionBlocked(Event):
    """An attempt was not possible; `action` is its place in the turn."""

    type: Literal["action_blocked"] = "action_blocked"
    action: Number
    reason: str | None


class Triggered(Event):
    """A trigger fired, with the turning that was taken if it has several."""

    type: Literal["triggered"] = "triggered"
    trigger: str
    turning: str | None = Field(default=None, exclude_if=lambda turning: turning is None)


class CheckRolled(Event):
    """A check was rolled for a rule or a type of action; `roll` is the place of its dice."""

    type: Literal["check_rolled"] = "check_rolled"
    rule: str
    roll: Number
    total: Number
    band: str
    stat: str | None = Field(default=None, exclude_if=lambda stat: stat is None)


class StatSpokeUp(Event):
    """A stat took over from the one that was rolled for, being clearly higher."""

    type: Literal["stat_spoke_up"] = "stat_spoke_up"
    stat: str
    over: str


class ConsequenceEnacted(Event):
    """A check's band had its consequence, of the tier of the check."""

    type: Literal["consequence"] = "consequence"
    tier: Number
    band: str


class TimeLost(Event):
    """The player lost time."""

    type: Literal["time_lost"] = "time_lost"
    minutes: Number


# Events of a turn as a whole.


class TimeSkipped(Event):
    """So much time passed that the next turn is to begin with it."""

    type: Literal["time_skipped"] = "time_skipped"
    minutes: Number


class SceneClosed(Event):
    """The scene was closed, and another opened in the same place."""

    type: Literal["scene_closed"] = "scene_closed"
    at: str


class NobodyActed(Event):
    """Nobody of those who could have acted did."""

    type: Literal["nobody_acted"] = "nobody_acted"
    who: tuple[str, ...]


class _ByKind:
    """Reads and writes events by the class of their kind, each of which is built when it is first met.

    A tagged union of pydantic builds all of them at once, in every model that has it: a tenth of a second.
    """

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        written = core_schema.plain_serializer_function_ser_schema(_written, info_arg=True)
        return core_schema.no_info_plain_validator_function(_read, serialization=written)


KnownEvent = (
    ClockTicked
    | PathChanged
    | ThreadChanged
    | ProgressMade
    | FactEstablished
    | ConditionGained
    | ConditionLost
    | Escalated
    | ThreatBegan
    | ThreatEnded
    | SituationBegan
    | SituationEnded
    | TurnPassed
    | SceneChanged
    | Departed
    | Arrived
    | CampaignEnded
    | EffectRefused
    | ItemTaken
    | ItemDropped
    | ItemGiven
    | ItemFound
    | ClockTriggered
    | StreakBroke
    | ThreatAverted
    | ThreatCame
    | InquiryCompleted
    | RuledByTheBook
    | ActionBlocked
    | Triggered
    | CheckRolled
    | StatSpokeUp
    | ConsequenceEnacted
    | TimeLost
    | TimeSkipped
    | SceneClosed
    | NobodyActed
)

EngineEvent = Annotated[KnownEvent | UnknownEvent, _ByKind()]

_CLASSES: Mapping[str, type[Event]] = {kind.model_fields["type"].default: kind for kind in get_args(KnownEvent)}
# The `type` of every kind, in the order of the union.
EVENT_KINDS: tuple[str, ...] = tuple(_CLASSES)

# Reads and writes the events of a stored result.
EVENTS: TypeAdapter[tuple[EngineEvent, ...]] = TypeAdapter(tuple[EngineEvent, ...], config=ConfigDict(defer_build=True))


def _read(data: Any) -> Event:
    """Return the event of its JSON shape; an event is returned as it is."""
    if isinstance(data, Event):
        return data
    kind = _CLASSES.get(str(data.get("type"))) if isinstance(data, Mapping) else None
    try:
        return (kind or UnknownEvent).model_validate(data)
    except ValidationError:
        if kind is None:
            raise
        return UnknownEvent.model_validate(data)


def _written(event: Event, info: SerializationInfo) -> dict[str, Any]:
    return event.model_dump(mode=info.mode)
