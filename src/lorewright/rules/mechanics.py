"""What a ruleset is made of, as data: bands, checks, action types, stats, what happens by itself, who owns what."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator

from lorewright.rules.conditions import Condition
from lorewright.rules.effects import Effect
from lorewright.rules.hardships import Contradiction, Hindrance, Need, Profile, Streak
from lorewright.world.frozen import Frozen, FrozenMap

BandName = Literal["critical", "success", "mixed", "fail"]
Risk = Literal["safe", "risky", "dangerous"]
# Who may change a path: the resolver, the extractor that reads the narration, or nobody once the scenario has set it.
Owner = Literal["resolve", "extract", "scenario"]
OWNERS: tuple[Owner, ...] = ("resolve", "extract", "scenario")


class Band(Frozen):
    """A result of the dice: the band holds from `minimum` (a total, modifier included) upward.

    `title` is what the ruleset calls it, `summary` what it means.
    """

    name: BandName
    minimum: int
    title: str = ""
    summary: str = ""


class Check(Frozen):
    """Dice to be rolled: the expression, the trait or stat that is added, and what is at stake.

    Of several `stats` the actor's highest counts, the first of them where two are equal. `roll` is a formula in place
    of the ruleset's. With `when` there are dice only while the condition holds.
    """

    dice: str | None = None
    add: str | None = None
    risk: Risk = "risky"
    roll: str | None = None
    stats: tuple[str, ...] = ()
    when: Condition | None = None


class ActionType(Frozen):
    """What every action of a type costs, whatever comes of it; its check is rolled where no rule of a scenario speaks.

    A cost is a clock's name or a number of the ruleset's scene. A free attempt adds the trait that its verb calls for
    in place of the check's own. `needs` must hold, and `at_least` so much of a stat or trait. `effects` come with the
    band, without a check with `success`. Of a type that `ends_turn` one does one, where there is an order of turns.
    `provokes` are the bands after which whoever it was aimed at goes a step further. `verbs` are what a player types
    for a type that is the ruleset's own.
    """

    summary: str
    minutes: int = Field(default=0, ge=0)
    costs: FrozenMap[str, int] = Field(default_factory=dict)
    check: Check | None = None
    needs: tuple[Need, ...] = ()
    at_least: FrozenMap[str, int] = Field(default_factory=dict)
    effects: FrozenMap[BandName, tuple[Effect, ...]] = Field(default_factory=dict)
    ends_turn: bool = False
    provokes: tuple[BandName, ...] = ()
    verbs: tuple[str, ...] = ()


class Stat(Frozen):
    """A stat: what it stands for, who has much or little of it, what comes of its checks.

    `say` are sentences for the narrator, told in turn; `effects` come with the band on top of the ruleset's own.
    """

    name: str
    represents: str
    high: str = ""
    low: str = ""
    success: str = ""
    fail: str = ""
    say: FrozenMap[BandName, tuple[str, ...]] = Field(default_factory=dict)
    effects: FrozenMap[BandName, tuple[Effect, ...]] = Field(default_factory=dict)


class ClearlyHigher(Frozen):
    """After a failed check another stat that is higher by `margin` or more speaks up, and the band is `band`."""

    margin: int = Field(ge=1)
    band: BandName = "mixed"


class Turning(Frozen):
    """One thing that may come of a trigger; it is open while `when` holds."""

    id: str
    when: Condition | None = None
    effects: tuple[Effect, ...] = ()
    say: str = ""


class Trigger(Frozen):
    """Something that happens by itself as soon as `when` comes to hold: one of `turnings`, by a die of as many sides as
    are open, then `effects`. It happens again when `when` has ceased to hold and holds anew."""

    id: str
    when: Condition
    turnings: tuple[Turning, ...] = ()
    effects: tuple[Effect, ...] = ()
    say: str = ""


def several(value: Any) -> Any:
    """One name stands for a list of one."""
    return (value,) if isinstance(value, str) else value


class Mechanics(Frozen):
    """The moving parts of a ruleset: how dice are read, and what follows from them.

    `roll` is the formula of every check that has none of its own; in it `stat` is the stat that the check calls for,
    any other name a stat of the actor, `target_NAME` one of whoever it is aimed at, `scene_NAME` a number of the scene.
    Without `roll` it is `dice`, and the trait or stat added. `traits` say which stats stand for a free attempt's trait.
    `consequences` follow every check by its band, in place of the price that is otherwise exacted. `timers` move a
    number of the scene with every in-world minute. `conditions` and `situations` say what each of them hinders;
    `escalation` is how far people go whose scenario does not say it. With `npcs_pay` what NPCs do costs time and all
    else that it costs the player.
    """

    dice: str
    roll: str | None = None
    bands: tuple[Band, ...] = Field(min_length=1)
    stats: FrozenMap[str, Stat] = Field(default_factory=dict)
    traits: FrozenMap[str, tuple[str, ...]] = Field(default_factory=dict)
    clearly_higher: ClearlyHigher | None = None
    actions: FrozenMap[str, ActionType]
    consequences: FrozenMap[BandName, tuple[Effect, ...]] = Field(default_factory=dict)
    conditions: FrozenMap[str, Hindrance] = Field(default_factory=dict)
    situations: FrozenMap[str, Hindrance] = Field(default_factory=dict)
    contradictions: tuple[Contradiction, ...] = ()
    streak: Streak | None = None
    escalation: Profile = Field(default_factory=dict)
    npcs_pay: bool = False
    triggers: tuple[Trigger, ...] = ()
    timers: FrozenMap[str, int] = Field(default_factory=dict)

    @field_validator("traits", mode="before")
    @classmethod
    def _lists(cls, data: Any) -> Any:
        return {key: several(value) for key, value in data.items()} if isinstance(data, dict) else data
