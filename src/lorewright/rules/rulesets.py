"""Rulesets and a campaign's own rules, as data: bands, action types, what a scenario adds."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from lorewright.rules.cast import ANYBODY, CastRule
from lorewright.rules.conditions import Condition
from lorewright.rules.effects import Effect
from lorewright.rules.hardships import Inquiry, Profile, ThreatRule
from lorewright.rules.mechanics import ActionType, Band, BandName, Check, Mechanics, Owner
from lorewright.world.frozen import Frozen, FrozenMap

__all__ = [
    "ActionType",
    "Band",
    "BandName",
    "CampaignRules",
    "Check",
    "Ending",
    "Phrase",
    "Rule",
    "RuleTrigger",
    "Ruleset",
]

# Who tries what a rule is about, where it is anybody of the cast.
ANY_NPC = "npc"

TurnProfile = Literal["freeform", "ensemble", "stream"]


class Ruleset(Mechanics):
    """How things are resolved. `bands` stand highest first and the last one catches everything.

    The two schemas shape the stat blocks and the ruleset's scene; `owners` says of each of their paths
    (`scene.minutes_left`, `stats.warmth`, `stats.*`) who may change it, `allowed_ops` what kinds of ops each owner may
    propose. `decay_lambda` is how fast memories fade, per in-world minute. `rulebook_summary` is for the narrator.
    What an extractor is less sure of than `review_below` (0 to 1; 0: nothing) waits until somebody has reviewed it.
    """

    schema_version: Literal[1] = 1
    id: str
    name: str
    profile: TurnProfile
    summary: str
    rulebook_text: str
    rulebook_summary: str = ""
    mechanics_guidance: FrozenMap[str, Any] = Field(default_factory=dict)
    character_stat_schema: FrozenMap[str, Any] = Field(default_factory=dict)
    scene_state_schema: FrozenMap[str, Any] = Field(default_factory=dict)
    owners: FrozenMap[str, Owner] = Field(default_factory=dict)
    allowed_ops: FrozenMap[Owner, tuple[str, ...]] = Field(default_factory=dict)
    decay_lambda: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    review_below: float = Field(default=0.6, ge=0, le=1, allow_inf_nan=False)

    def verbs(self) -> dict[str, str]:
        """What a player types for the ruleset's own types of action, in lower case, and the type."""
        return {verb.lower(): kind for kind, action in self.actions.items() for verb in action.verbs}

    def owner_of(self, path: str) -> Owner | None:
        """Who may change a path (`scene.minutes_left`, `stats.warmth`); None where nothing is said of it."""
        first = ".".join(path.split(".")[:2])
        return self.owners.get(path) or self.owners.get(first) or self.owners.get(f"{path.partition('.')[0]}.*")


class RuleTrigger(Frozen):
    """Which attempts a rule is about, by one act or several; what is not said does not matter.

    `topic` is an item's name, an entity or a word, or several of them; `item` the thing that goes along, or the target
    where none does. `by` is who tries: the player unless somebody is named, or `npc` for anybody of the cast.
    """

    act: str | tuple[str, ...]
    target: str | None = None
    item: str | None = None
    topic: str | tuple[str, ...] | None = None
    at: str | None = None
    by: str | None = None

    @property
    def acts(self) -> tuple[str, ...]:
        """The types of action that it is about."""
        return (self.act,) if isinstance(self.act, str) else self.act

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that it is about; none where it does not matter what is spoken of."""
        return (self.topic,) if isinstance(self.topic, str) else self.topic or ()


class Rule(Frozen):
    """What a scenario says comes of an attempt: with a check the effects of the band, without one `success`.

    The rule adds to what the action does by itself, which is left undone when the check fails. An empty `critical`
    means `success`. `say` gives the authored sentence of a band. A rule with `once` works
    once in a branch.
    """

    id: str = ""
    on: RuleTrigger
    when: Condition | None = None
    once: bool = False
    check: Check | None = None
    critical: tuple[Effect, ...] = ()
    success: tuple[Effect, ...] = ()
    mixed: tuple[Effect, ...] = ()
    fail: tuple[Effect, ...] = ()
    say: FrozenMap[BandName, str] = Field(default_factory=dict)


class Phrase(Frozen):
    """A sentence that a scenario adds to a group of the narrator's grammar, and what must hold for it."""

    text: str
    when: FrozenMap[str, str | bool | int] = Field(default_factory=dict)
    rank: int = 0


class Ending(Frozen):
    """A way in which the campaign ends: by `when`, judged after every turn, or by an `end` effect alone."""

    id: str
    when: Condition | None = None
    say: str


class CampaignRules(Frozen):
    """Everything that a campaign is resolved by; every ID in it is fully qualified.

    `clock_effects[clock][value]` happen when the clock first reaches the value from below; `on_find[item]`
    when the player finds a discoverable item. `escalation[npc]` is how far that one goes, in place of the ruleset's.
    `inquiries` are the threads that are looked into, by ID. `grammar` is what the scenario adds to the narrator.
    `profile` says which rounds a turn has (campaigns from before there were several go on with one), `cast` how
    readily whom of the cast acts, and what they do of their own accord.
    """

    ruleset: Ruleset
    profile: TurnProfile = "freeform"
    cast: FrozenMap[str, CastRule] = Field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    clock_effects: FrozenMap[str, FrozenMap[int, tuple[Effect, ...]]] = Field(default_factory=dict)
    on_find: FrozenMap[str, tuple[Effect, ...]] = Field(default_factory=dict)
    threats: FrozenMap[str, ThreatRule] = Field(default_factory=dict)
    escalation: FrozenMap[str, Profile] = Field(default_factory=dict)
    inquiries: FrozenMap[str, Inquiry] = Field(default_factory=dict)
    endings: tuple[Ending, ...] = ()
    grammar: FrozenMap[str, tuple[Phrase, ...]] = Field(default_factory=dict)

    def of_cast(self, who: str) -> CastRule:
        """What is said of one of the cast; of whom nothing is said, what holds for anybody."""
        return self.cast.get(who, ANYBODY)

    def ending(self, ending_id: str) -> Ending | None:
        """The ending of that ID, or None."""
        return next((ending for ending in self.endings if ending.id == ending_id), None)
