"""Rulesets and a campaign's own rules, as data: bands, action types, a scenario's additions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from lorewright.rules.actions import ANYBODY, CastRule
from lorewright.rules.conditions import Condition, EscalationName, Nudge
from lorewright.rules.effects import Effect
from lorewright.rules.verbs import Verb, verb_of, verbs
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.things import CharacterState

# Hardships of a ruleset or scenario, as data: conditions and circumstances that forbid things, facts that speak against
# an act, rows of failures, escalation, threats that fall due.

ESCALATION_STEPS: tuple[EscalationName, ...] = ("soft", "hard", "lethal")


class Hindrance(Frozen):
    """A condition of a character (`bound`) or a circumstance of the scene (`blackout`): the types of action that it
    forbids, and what it adds to dice. `*` forbids all that take time. `say` is told when the player comes into it."""

    summary: str = ""
    say: str = ""
    forbids: tuple[str, ...] = ()
    modifier: int = Field(default=0, ge=-20, le=20)


class Contradiction(Frozen):
    """A known fact of that predicate about a part of an attempt speaks against actions of these types."""

    fact: str
    about: Literal["target", "item", "place", "actor"] = "target"
    forbids: tuple[str, ...] = Field(min_length=1)


class Need(Frozen):
    """What must hold for an action of a type; `say` is told where it does not. `$target` is the target's own name."""

    when: Condition
    say: str = Field(min_length=1, max_length=200)


class Streak(Frozen):
    """What so many failed checks in a row bring, whatever else each of them brought; then the row begins anew."""

    threshold: int = Field(ge=2)
    effects: tuple[Effect, ...] = ()
    say: str = ""


class EscalationStep(Frozen):
    """What somebody does who goes so far; in a ruleset `target` is that somebody."""

    effects: tuple[Effect, ...] = ()
    say: str = ""


Profile = FrozenMap[EscalationName, EscalationStep]


class ThreatRule(Frozen):
    """A threat of a scenario: what players are told hangs over them, what happens when it falls due, and what averts
    it by itself."""

    title: str = Field(min_length=1, max_length=120)
    effects: tuple[Effect, ...] = ()
    say: str = ""
    unless: Condition | None = None
    averted: str = ""


class Inquiry(Frozen):
    """A thread that is looked into: items each of which is a step, and what comes of it when enough are known."""

    clues: tuple[str, ...] = ()
    needed: int = Field(ge=1)
    effects: tuple[Effect, ...] = ()
    say: str = ""


# Parts of a ruleset, as data: bands, checks, action types, stats, automatic effects, owners.

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

    A cost is a clock's name or a number of the ruleset's scene; a free attempt at what a word of `costs_by_word` means
    costs that on top. A free attempt adds the trait that its verb calls for
    in place of the check's own. `needs` must hold, and `at_least` so much of a stat or trait. `effects` come with the
    band, without a check with `success`. Of a type that `ends_turn` one does one, where there is an order of turns.
    `provokes` are the bands after which the target goes a step further. `verbs` are what a player types
    for a type that is the ruleset's own.
    """

    summary: str
    minutes: int = Field(default=0, ge=0)
    costs: FrozenMap[str, int] = Field(default_factory=dict)
    costs_by_word: FrozenMap[str, FrozenMap[str, int]] = Field(
        default_factory=dict, exclude_if=lambda by_word: not by_word
    )
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
    """Wrap a single name into a list."""
    return (value,) if isinstance(value, str) else value


class Mechanics(Frozen):
    """The moving parts of a ruleset: how dice are read, and what follows from them.

    `roll` is the formula of every check that has none of its own; in it `stat` is the stat that the check calls for,
    any other name a stat of the actor, `target_NAME` a stat of the target, `scene_NAME` a number of the scene.
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


# Rulesets and a campaign's own rules.

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

# The actor of a rule that is about anybody of the cast.
ANY_NPC = "npc"

TurnProfile = Literal["freeform", "ensemble", "stream"]


def _is_own(row: Any) -> bool:
    """Tell whether a type of action can be meant or does something without a verb's record; true of what is no row."""
    if isinstance(row, Mapping):
        return bool(row.get("verbs") or row.get("effects"))
    return not isinstance(row, ActionType) or bool(row.verbs or row.effects)


def _allowing(value: Any, missing: Collection[str]) -> Any:
    """Return hindrances or contradictions, as written, without these types of action; of a list those are left out
    that forbid nothing else."""
    if isinstance(value, Mapping):
        return {key: _allowing_row(row, missing) for key, row in value.items()}
    if not isinstance(value, Sequence) or isinstance(value, str):
        return value
    rows = [(row, _allowing_row(row, missing)) for row in value]
    return [now for was, now in rows if now is was or now["forbids"]]


def _allowing_row(row: Any, missing: Collection[str]) -> Any:
    forbids = row.get("forbids") if isinstance(row, Mapping) else None
    if not isinstance(forbids, (list, tuple)) or not any(kind in missing for kind in forbids):
        return row
    return {**row, "forbids": [kind for kind in forbids if kind not in missing]}


class Ruleset(Mechanics):
    """How things are resolved. `bands` stand highest first and the last one catches everything.

    The two schemas shape the stat blocks and the ruleset's scene; `owners` says of each of their paths
    (`scene.minutes_left`, `stats.warmth`, `stats.*`) who may change it, `allowed_ops` what kinds of ops each owner may
    propose. `decay_lambda` is how fast memories fade, per in-world minute. `rulebook_summary` is for the narrator.
    What an extractor is less sure of than `review_below` (0 to 1; 0: nothing) waits until somebody has reviewed it.
    `states` are the inner states that everybody has whose scenario does not say them, until something moves them;
    extractors may open so many `new_states` beside them.
    With `by_rulebook` a model applies the rulebook to every attempt that takes time and that no rule of the scenario is
    about; code throws its dice, the rulebook says what they mean, and the checks of the types hold without a model.
    """

    schema_version: Literal[1] = 1
    id: str
    name: str
    profile: TurnProfile
    summary: str
    rulebook_text: str
    rulebook_summary: str = ""
    by_rulebook: bool = Field(default=False, exclude_if=lambda by_rulebook: not by_rulebook)
    mechanics_guidance: FrozenMap[str, Any] = Field(default_factory=dict)
    character_stat_schema: FrozenMap[str, Any] = Field(default_factory=dict)
    scene_state_schema: FrozenMap[str, Any] = Field(default_factory=dict)
    owners: FrozenMap[str, Owner] = Field(default_factory=dict)
    allowed_ops: FrozenMap[Owner, tuple[str, ...]] = Field(default_factory=dict)
    decay_lambda: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    states: FrozenMap[str, CharacterState] = Field(default_factory=dict, exclude_if=lambda states: not states)
    new_states: int = Field(default=0, ge=0, le=20, exclude_if=lambda most: not most)
    review_below: float = Field(default=0.6, ge=0, le=1, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _without_missing_verbs(cls, data: Any) -> Any:
        """Leave out the types of action that no verb stands for and that the ruleset itself gives neither phrases nor
        effects, and their names among what is forbidden."""
        actions = data.get("actions") if isinstance(data, Mapping) else None
        if not isinstance(actions, Mapping):
            return data
        missing = {kind for kind, row in actions.items() if verb_of(str(kind)) is None and not _is_own(row)}
        if not missing:
            return data
        kept = {kind: row for kind, row in actions.items() if kind not in missing}
        hindering = {key: data[key] for key in ("conditions", "situations", "contradictions") if key in data}
        return {**data, "actions": kept, **{key: _allowing(value, missing) for key, value in hindering.items()}}

    def find_row(self, kind: str) -> ActionType | None:
        """Return the row of a type of action: its own, else that of a verb that needs none; None without."""
        own = self.actions.get(kind)
        verb = None if own is not None else verb_of(kind)
        if verb is None or not verb.like:
            return own
        free = next((self.actions[name] for name in self._names_like("free")), None)
        return None if free is None else ActionType(summary=verb.summary, minutes=min(verb.usual_minutes, free.minutes))

    def row(self, kind: str) -> ActionType:
        """Return the same.

        Raises:
            KeyError: there is no such type of action here.
        """
        found = self.find_row(kind)
        if found is None:
            raise KeyError(kind)
        return found

    def kinds(self) -> tuple[str, ...]:
        """Return the types of action: those with rows, then the verbs that need none."""
        more = (name for name in verbs() if name not in self.actions and self.find_row(name) is not None)
        return (*self.actions, *more)

    def is_among(self, kind: str, forbidden: Collection[str]) -> bool:
        """Tell whether a type of action is one of these, by its name or, where it has no row, by that of the verb which
        it is like."""
        verb = verb_of(kind)
        if kind in forbidden or kind in self.actions or verb is None or not verb.like:
            return kind in forbidden
        return next(self._names_like(verb.like), None) in forbidden

    def _names_like(self, like: str) -> Iterator[str]:
        """Yield the verbs with a row that are free, or speech, by their ranks."""

        def is_meant(verb: Verb) -> bool:
            return verb.is_free if like == "free" else verb.is_speech

        return (name for name, verb in verbs().items() if name in self.actions and is_meant(verb))

    def verbs(self) -> dict[str, str]:
        """Verbs that a player types for the ruleset's own types of action, in lower case, with the type."""
        return {verb.lower(): kind for kind, action in self.actions.items() for verb in action.verbs}

    def owner_of(self, path: str) -> Owner | None:
        """Return who may change a path (`scene.minutes_left`, `stats.warmth`); None where the ruleset does not say."""
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
        """The topics that it is about; empty where the topic does not matter."""
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


class OpenIntroduction(Frozen):
    """How the packs openly introduce somebody, and the chunk that says so."""

    text: str
    chunk_id: str


class CampaignRules(Frozen):
    """Everything that a campaign is resolved by; every ID in it is fully qualified.

    `clock_effects[clock][value]` happen when the clock first reaches the value from below; a clock of `clock_every`
    rises by one each time so many minutes have passed; `good_clocks` bring what the player wants, `clock_means` says
    what each one counts; `on_find[item]` when the player finds a discoverable item. `escalation[npc]` is how far that
    one goes, in place of the ruleset's. `inquiries` are the threads that are looked into, by ID. `grammar` is what the
    scenario adds to the narrator.
    `profile` says which rounds a turn has (campaigns from before there were several go on with one), `cast` how
    readily whom of the cast acts, and what they do of their own accord. `listeners` are those of the cast to whom words
    are said that are put to nobody, by place, `introductions` what stands for the profile of those without one: what
    the packs openly say of them. `begins` is the time of day at the start, `until` the hours that clocks count to;
    with a `pace` every turn takes at least so many minutes, and those clocks and the minutes go together.
    """

    ruleset: Ruleset
    profile: TurnProfile = "freeform"
    cast: FrozenMap[str, CastRule] = Field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    clock_effects: FrozenMap[str, FrozenMap[int, tuple[Effect, ...]]] = Field(default_factory=dict)
    clock_every: FrozenMap[str, int] = Field(default_factory=dict, exclude_if=lambda every: not every)
    good_clocks: tuple[str, ...] = Field(default=(), exclude_if=lambda clocks: not clocks)
    clock_means: FrozenMap[str, str] = Field(default_factory=dict, exclude_if=lambda means: not means)
    on_find: FrozenMap[str, tuple[Effect, ...]] = Field(default_factory=dict)
    threats: FrozenMap[str, ThreatRule] = Field(default_factory=dict)
    escalation: FrozenMap[str, Profile] = Field(default_factory=dict)
    inquiries: FrozenMap[str, Inquiry] = Field(default_factory=dict)
    endings: tuple[Ending, ...] = ()
    nudges: tuple[Nudge, ...] = Field(default=(), exclude_if=lambda nudges: not nudges)
    grammar: FrozenMap[str, tuple[Phrase, ...]] = Field(default_factory=dict)
    listeners: FrozenMap[str, str] = Field(default_factory=dict)
    introductions: FrozenMap[str, OpenIntroduction] = Field(default_factory=dict, exclude_if=lambda found: not found)
    begins: str = Field(default="", exclude_if=lambda begins: not begins)
    until: FrozenMap[str, str] = Field(default_factory=dict, exclude_if=lambda until: not until)
    pace: int = Field(default=0, exclude_if=lambda pace: not pace)

    def introduced(self, who: str, written: str = "") -> str:
        """Return the profile of somebody in a sentence or two: what the author wrote, else the packs' introduction."""
        found = self.introductions.get(who)
        return written or ("" if found is None else found.text)

    def of_cast(self, who: str) -> CastRule:
        """Return the rule of one of the cast, else the default rule."""
        return self.cast.get(who, ANYBODY)

    def ending(self, ending_id: str) -> Ending | None:
        """Return the ending of that ID, or None."""
        return next((ending for ending in self.endings if ending.id == ending_id), None)


# Campaigns of one scenario have the same rules, of some .7 MB; a service has many of them open.
@lru_cache(maxsize=64)
def read_rules(rules_json: str) -> CampaignRules:
    """Return the rules of a campaign from their JSON."""
    return CampaignRules.model_validate_json(rules_json)
