"""Verb: all that the program knows of a kind of action, as one record; and the records that are there.

A family of verbs is a module of `lorewright.verbs` with a tuple VERBS. The modules are found when a verb is first asked
for, like plug-ins: rules, parser, narrator and the others know the shape of a record, never a verb by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeVar

from pydantic import Field

from lorewright.plugins import modules_of
from lorewright.world.frozen import Frozen
from lorewright.world.ops import StateOp
from lorewright.world.state import WorldState

if TYPE_CHECKING:
    from lorewright.rules.actions import Action, Attempt
    from lorewright.rules.acts import Answer
    from lorewright.rules.patch import Outcome, Patch, ReasonCode
    from lorewright.rules.rulesets import CampaignRules

T = TypeVar("T")


class NoMetadata(Frozen):
    """For actions that need none."""


class ItemMetadata(Frozen):
    """The thing that goes along: what is given, the key in the lock, what is used on the target."""

    item_id: str | None = None


class DetailMetadata(Frozen):
    """The words for what is meant where it is no entity. `detail_is` says what the parser knows of it: the prose shows
    it (`scenery`), or nothing of that name is there (`absent`); empty where it does not know."""

    detail: str = Field(default="", max_length=200)
    detail_is: Literal["", "scenery", "absent"] = ""


@dataclass(frozen=True, slots=True)
class Sight:
    """What is seen of an act: a sentence without its full stop, and how much it matters (1 to 5). `{about}` is the
    subject of the talk, as far as that names anybody, else `otherwise`."""

    text: str
    importance: int
    otherwise: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleNames:
    """The names that a line may have which is typed for a rule of the scenario; without a target, an item or a place in
    the rule any may be meant.

    `target` and `item` are empty where the rule names none; `aim` is the target as it is typed after a verb, `along`
    begins with `with`. `word` is the first word of the topics that the rule itself names, `finds` are lines that find
    what it is about.
    """

    target: str
    aim: str
    is_at_person: bool
    item: str
    along: str
    word: str
    people: Sequence[str]
    things: Sequence[str]
    aims: Sequence[str]
    places: Sequence[str]
    topics: Sequence[str]
    finds: Sequence[str]

    def said(self, word: str, joint: str = " about") -> Iterator[str]:
        """Yield a line that says something to each of the people, on each of the topics."""
        yield from (f"{word} {person}{joint} {topic}" for person in self.people for topic in self.topics)

    def done(self, word: str) -> Iterator[str]:
        """Yield a line that does something to each of the people."""
        yield from (f"{word} {person}{self.along}" for person in self.people)


@dataclass(frozen=True, slots=True)
class KeyTurn:
    """A part of the verb that the use of a key on its door amounts to, where the door is locked or is not."""

    of_locked: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Verb:
    """A kind of action. What only one part of the program asks (parser, narrator) is in `parts`, in that part's own
    classes.

    The functions are pure. A value that is not given is that of an act which needs its target to be here, changes
    nothing and is seen by nobody.
    """

    name: str
    # Place in lists that are shown or sent to models.
    rank: int
    # Type of an action's metadata.
    metadata: type[Frozen] = NoMetadata
    # What its target is, where the author of a scenario gives one: anybody or anything, a person, a place.
    aim: Literal["any", "person", "place"] = "any"
    # Keys that an author's `do` of this type must have.
    needs: tuple[str, ...] = ()
    # Keys of which it must have one, and how that is said.
    needs_one_of: tuple[tuple[str, ...], str] = ((), "")

    # Why it is not possible, by place, presence and possession; None where it is.
    requires: Callable[[Action, WorldState], ReasonCode | None] | None = None
    # In-world minutes, given those of the ruleset.
    minutes: Callable[[Action, WorldState, int], int] | None = None
    # Why it is not possible for what its words were matched to.
    grounded: Callable[[Attempt, WorldState], ReasonCode | None] | None = None
    # What it changes without checks and rules.
    ops: Callable[[Action, WorldState], tuple[StateOp, ...]] | None = None
    # What it does, its ops included; the flag says that a rule of the scenario has decided.
    does: Callable[[Patch, Attempt, CampaignRules, bool], Answer] | None = None
    # The actions, one after the other, that it is done by; empty where it is done at once.
    steps: Callable[[Action, WorldState], tuple[Action, ...]] | None = None
    # The action whose rules in a scenario count for this one too, if they ask for no dice. Where the verb is `like`
    # another, it is that action as soon as there is such a rule, dice or not.
    also_ruled_as: Callable[[Action], Action | None] | None = None
    # What is seen of it, with the place; it is not asked about blocked attempts. `place` is where the actor stood.
    sights: Callable[[Outcome, str], Iterable[tuple[Sight, str]]] | None = None

    # It is said to somebody: what one of the cast says to the player is never rolled for.
    is_speech: bool = False
    # Where a walk ends at a door that is shut, it is done to that door.
    is_done_at_doors: bool = False
    # It is to make somebody give way: dice that go well win more of what they know, or their regard.
    is_pressing: bool = False
    # Blows are struck, whichever side wins.
    is_violent: bool = False
    # It is done with the hands, whatever a rule of the scenario makes somebody say to it.
    is_hands_on: bool = False
    # What it comes to by itself is told even where that is nothing and a rule of the scenario has spoken.
    is_told_anyway: bool = False
    # It is whatever no other verb means: rolled for where it has a target, and ruled on by a model's rulebook.
    is_free: bool = False
    # By how much trust and tension of the target towards the actor change where nothing else changed them.
    regard: tuple[int, int] = (0, 0)
    # It is a civility: its regard counts once a day between two people, and makes a strain less but no friends.
    is_civil: bool = False

    # A ruleset that has a row for the free verb need have none for this one: it then takes `usual_minutes` (no longer
    # than the free verb), calls for no dice, and is forbidden by whatever forbids the free verb, or speech.
    like: Literal["", "free", "speech"] = ""
    usual_minutes: int = 1

    # The note of a plan, with {target} and {place}, and what stands for a target without a name.
    note: str = ""
    note_target: str = "it"
    # The sentence of the history where the player's words tell the attempt better than its code.
    history: str = ""
    # The group `seen.GROUP` of remarks of those who see it; None where nobody remarks on it.
    remark: str | None = ""

    # What it means, in a line; what must hold, and what those who see it remember, for the page of verbs.
    summary: str = ""
    condition: str = ""
    remembered: str = ""
    # What a player types for it, by what it is typed for: `ask {person} about {topic}` for a question. Suggestions,
    # demos of generated scenarios, the tour of the leak suite and the page of verbs have their lines from here.
    lines: Mapping[str, str] = field(default_factory=dict)
    # What stands after `tries to` in prompts where its name does not read as a verb.
    tried: str = ""
    # What its words are matched to: what is hidden here, what the target knows, what the actor knows.
    grounding: Literal["", "hidden", "theirs", "own"] = ""
    # What a player may type for a rule of the scenario on it; by default its name and what the rule names.
    rule_lines: Callable[[RuleNames], Iterable[str]] | None = None
    # The thing in a rule of the scenario on it need only be in reach, not in hand.
    reaches_item: bool = False
    # What comes of words that are said to somebody: their answer, whatever they may say to it, or no reply at all.
    reply: Literal["", "free", "answer"] = ""
    # Whom it is said to may point to what else they would tell, or to who else would.
    points_on: bool = False
    # What the player learns by it is said by its target.
    loosens_tongues: bool = False
    # It is among the acts of the rules by which a scenario without rules of its own has people tell what they withhold.
    opens_withheld: bool = False
    # It holds somebody to what they said: its words are a claim, for which what bears it out is looked up.
    is_claim: bool = False

    parts: tuple[object, ...] = ()

    def part(self, kind: type[T]) -> T | None:
        """Return the first part of a class; None where the verb has none."""
        return next((part for part in self.parts if isinstance(part, kind)), None)


def seen(text: str, importance: int, otherwise: str = "") -> Callable[[Outcome, str], Iterable[tuple[Sight, str]]]:
    """Return sights that are the same whatever the outcome, at the actor's place."""
    sight = Sight(text, importance, otherwise)
    return lambda outcome, place: ((sight, place),)


FAMILIES = "lorewright.verbs"


@cache
def verbs() -> Mapping[str, Verb]:
    """Return the verbs by name, in the order of their ranks.

    Raises:
        ValueError: two records have the same name or rank.
    """
    records = [verb for family in modules_of(FAMILIES) for verb in family.VERBS]
    for values in ([verb.name for verb in records], [verb.rank for verb in records]):
        if twice := {value for value in values if values.count(value) > 1}:
            raise ValueError(f"two verbs have the same name or rank: {twice}")
    return MappingProxyType({verb.name: verb for verb in sorted(records, key=lambda verb: verb.rank)})


def verb_of(kind: str) -> Verb | None:
    """Return the record of a type of action; None for a type that only a ruleset knows."""
    return verbs().get(kind)


def free_verb() -> Verb | None:
    """Return the verb of free attempts; None where no family has one."""
    return next((verb for verb in verbs().values() if verb.is_free), None)


def is_answered(kind: str) -> bool:
    """Tell whether the target of an action of a type answers it: what comes to light by it is theirs to say."""
    verb = verb_of(kind)
    return verb is not None and verb.reply == "answer"


@dataclass(frozen=True, slots=True)
class TypedLine:
    """A line that works when a player types it, and the name of its verb."""

    verb: str
    text: str


def verb_for(purpose: str) -> Verb | None:
    """Return the first verb that has a line for this, by rank; None where none has."""
    return next((verb for verb in verbs().values() if purpose in verb.lines), None)


def typed_line(purpose: str, **names: str) -> TypedLine | None:
    """Return what a player types for this, with the names filled in; None where no verb has a line for it.

    Raises:
        KeyError: the line has a name that is not given.
    """
    verb = verb_for(purpose)
    return None if verb is None else TypedLine(verb.name, verb.lines[purpose].format(**names))


def typed(purpose: str, **names: str) -> list[str]:
    """Return the same as a list of one text; empty where no verb has a line for it."""
    line = typed_line(purpose, **names)
    return [] if line is None else [line.text]
