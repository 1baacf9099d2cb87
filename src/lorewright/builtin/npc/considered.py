"""Options of one character, and their words: the values that the parts of the built-in cast hand to each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from types import MappingProxyType

from lorewright.ids import content_hash
from lorewright.rules.actions import Action, Deed, metadata_of, takes
from lorewright.rules.patch import Outcome
from lorewright.rules.verbs import verb_of, verbs
from lorewright.shipped_tables import parse_table
from lorewright.values.proposals import SENTENCES, SHARED, KnownItem, NpcIntent, NpcIntentInput, Toward, own_key
from lorewright.values.scope import Named

# Sentences: grammar/*.yaml -> sentences about an act: once by name, for readers of the log, and once as the player sees
# it, who is `you`. Variants come from a shuffled bag: none again before all were used.

_SLOT = re.compile(r"\{([A-Za-z']+)\}")
# Cases of the actor, by pronoun: he, him, his, himself.
_CASES: Mapping[str, tuple[str, str, str, str]] = MappingProxyType(
    {
        "he": ("he", "him", "his", "himself"),
        "she": ("she", "her", "her", "herself"),
        "they": ("they", "them", "their", "themselves"),
        "it": ("it", "it", "its", "itself"),
    }
)
# After `they` a verb is plural: in these sentences there are no others.
_PLURAL = (
    ("they is", "they are"),
    ("they was", "they were"),
    ("they has", "they have"),
    ("they thinks", "they think"),
    ("they likes", "they like"),
    ("they does", "they do"),
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """An act in words, by name (`text`) and as the player sees it (`seen`), and the memory key of the variant."""

    text: str
    seen: str
    key: str


@cache
def grammar() -> Mapping[str, tuple[str, ...]]:
    """Return the variants by group."""
    found: dict[str, tuple[str, ...]] = {}
    folder = resources.files(__package__) / "grammar"
    for path in sorted(folder.iterdir(), key=lambda file: file.name):
        if path.name.endswith(".yaml"):
            data = parse_table(path.read_text(encoding="utf-8"))
            found |= {group: tuple(rows) for group, rows in data.items()}
    return MappingProxyType(found)


class NpcVoice:
    """The wording of one character: its grammar's bags with the use of each, and its last acts."""

    def __init__(self, given: NpcIntentInput, lately: Collection[str]) -> None:
        """Set up the bags; `lately` are texts that should not come again just yet."""
        self._given = given
        self._lately = frozenset(lately)
        self._people = {person.id: person for person in (*given.scope.people, given.scope.player)}

    def sentence(
        self, group: str, *, person: str | None = None, third: str | None = None, **slots: str
    ) -> Sentence | None:
        """Return the next variant of a group that was not used lately and is no longer than an intention may be; None
        where there is none.
        """
        variants = grammar()[group]
        for index in self._order(group, len(variants)):
            text = self._filled(variants[index], person, third, slots, by_name=True)
            if text is not None and len(text) <= SENTENCES and text not in self._lately:
                seen = self._filled(variants[index], person, third, slots, by_name=False) or text
                return Sentence(text, seen, _key(group, index))
        return None

    def _order(self, group: str, size: int) -> list[int]:
        """Return the variants that anybody used least first, as the bag was shuffled. Each of those present begins at
        another one, because in some profiles all of them think at once.
        """
        counts = [self._given.recall.get(_key(group, index), 0) for index in range(size)]
        order = sorted(range(size), key=lambda index: (counts[index], self._place(group, counts[index], index)))
        first = self._rank % size
        return [*order[first:], *order[:first]]

    @property
    def _rank(self) -> int:
        """Return the character's rank among the cast who are there, by ID."""
        me = self._given.me.id
        return sum(person.id < me for person in self._given.scope.people if person.id != self._given.player_id)

    def _place(self, group: str, cycle: int, index: int) -> str:
        """Return the sort key of a variant in the shuffled bag of a cycle."""
        return content_hash(f"{self._given.seed}\n{group}\n{cycle}\n{index}")

    def _filled(
        self, variant: str, person: str | None, third: str | None, slots: Mapping[str, str], *, by_name: bool
    ) -> str | None:
        """Return the variant with its slots filled; None where a slot has nothing to fill it."""
        me = self._given.me
        he, him, his, self_ = _CASES[me.pronoun]
        known = {"N": me.name, "he": he, "He": he.capitalize(), "him": him, "his": his, "himself": self_, **slots}
        for slot, who in (("P", person), ("T", third)):
            if who is not None and (named := self._named(who, by_name=by_name)):
                known |= {slot: named[0], f"{slot}'s": named[1]}
        if any(name not in known for name in _SLOT.findall(variant)):
            return None
        text = _SLOT.sub(lambda found: known[found.group(1)], variant)
        for wrong, right in _PLURAL if me.pronoun == "they" else ():
            text = text.replace(wrong, right).replace(wrong.capitalize(), right.capitalize())
        return " ".join(text.split())

    def _named(self, who: str, *, by_name: bool) -> tuple[str, str] | None:
        """Return somebody's name and its possessive."""
        if who == self._given.player_id and not by_name:
            return "you", "your"
        somebody = self._people.get(who)
        name = somebody.name if somebody is not None else self._given.names.get(who)
        return None if not name else (name, f"{name}'s")


def _key(group: str, index: int) -> str:
    """Return the memory key of a variant, which all of the cast share."""
    return f"{SHARED}{group}#{index}"


def the(named: Named) -> str:
    """Return a thing's name inside a sentence: with an article, unless its name stands for itself."""
    bare = named.name[4:] if named.name.casefold().startswith("the ") else named.name
    return f"the {bare}" if bare != named.name or named.name[:1].islower() or named.name[:1].isdigit() else named.name


# Options: what one character may do, and the moment in which they consider it.

# So many of a character's last acts are not repeated just now.
_LATELY = 3


@dataclass(frozen=True, slots=True)
class PossibleAct:
    """A possible act; `weight` is its probability among others. `keys` are noted once it is done."""

    text: str
    weight: int = 1
    tags: tuple[str, ...] = ("calm",)
    seen: str = ""
    thought: str = ""
    action: Action | None = None
    item_id: str | None = None
    act_id: str | None = None
    say: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    def intent(self) -> NpcIntent:
        """Return the act as an intention. A text for the player that differs from the one by name is added."""
        say = self.say or ((self.seen,) if self.seen and self.seen != self.text else ())
        return NpcIntent(
            action_text=self.text,
            intent_tags=self.tags,
            thought=self.thought,
            action=self.action,
            item_id=self.item_id,
            act_id=self.act_id,
            say=say,
            recall=self.keys,
        )


@dataclass(frozen=True, slots=True)
class Moment:
    """A character's view with the questions that all parts ask of it."""

    given: NpcIntentInput
    words: NpcVoice = field(init=False)
    lately: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lately", own_last(self.given))
        object.__setattr__(self, "words", NpcVoice(self.given, self.lately))

    @property
    def people(self) -> tuple[Named, ...]:
        """Return everybody else who is there."""
        return self.given.scope.people

    @property
    def others(self) -> tuple[Named, ...]:
        """Return the other members of the cast who are there."""
        return tuple(person for person in self.people if person.id != self.given.player_id)

    def is_here(self, who: str | None) -> bool:
        """Tell whether somebody is there."""
        return any(person.id == who for person in self.people)

    def toward(self, who: str) -> Toward:
        """Return how the character stands to somebody."""
        return next((toward for toward in self.given.toward if toward.who == who), Toward(who=who))

    def done(self, key: str) -> bool:
        """Tell whether one of the character's own keys was noted before."""
        return self.key(key) in self.given.recall

    def key(self, key: str) -> str:
        """Return a key of the character's own memory."""
        return own_key(self.given.me.id, key)

    def can(self, kind: str) -> bool:
        """Tell whether the ruleset has such an action."""
        return kind in self.given.verbs

    def action(
        self, kind: str, target: str | None = None, *, to: str | None = None, words: str = "", item: str | None = None,
        whisper: bool = False,
    ) -> Action:  # fmt: skip
        """Return an action of the character."""
        metadata = metadata_of(kind, words=words[:200], item=item, whisper=whisper and takes(kind, "whisper"))
        return Action(actor_id=self.given.me.id, type=kind, target_id=target, location_id=to, metadata=metadata)

    def thought(self, group: str, **more: str | None) -> tuple[str, tuple[str, ...]]:
        """Return a thought of a group and the key that it used; none where the group has none."""
        person, third = more.pop("person", None), more.pop("third", None)
        slots = {name: value for name, value in more.items() if value is not None}
        found = self.words.sentence(group, person=person, third=third, **slots)
        return ("", ()) if found is None else (found.text, (found.key,))


def own_last(given: NpcIntentInput) -> tuple[str, ...]:
    """Return the texts of the character's own last acts, newest first."""
    me = given.me.id
    own = [message.content for _, message in given.messages if message.owner == me and message.type == "intention"]
    return tuple(reversed(own[-_LATELY:]))


def gesture(sentence: Sentence | None, *, weight: int = 1, tags: tuple[str, ...] = ("calm",)) -> list[PossibleAct]:
    """Return a sentence as an act that changes nothing."""
    if sentence is None:
        return []
    return [PossibleAct(sentence.text, weight, tags, seen=sentence.seen, keys=(sentence.key,))]


def tellable(items: Iterable[KnownItem], to: str) -> list[KnownItem]:
    """Return the items that can be told to somebody who does not have them yet."""
    return [item for item in items if not item.kept_back and to not in item.told_to]


# Parts of verbs: what the cast does with them, and how they answer them. Sentences are in groups of the grammar.


@dataclass(frozen=True, slots=True)
class Aim:
    """A part of a verb: acts of somebody's own accord, in the order of the ranks of all aims."""

    rank: int
    acts: Callable[[Moment], Iterator[PossibleAct]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Enactment:
    """A part of a verb: how an act of it that an author gave somebody is done."""

    # The group of its words, where the author gave none.
    group: str = "authored"
    # Whether it is possible, as far as the character can see.
    is_possible: Callable[[Deed, Moment], bool] | None = None
    # Whether there is nothing left in it to do: it is then not even tried.
    is_pointless: Callable[[Deed, Moment], bool] | None = None
    # There is nothing in it for rules to judge: the author's sentences, if any, are all of it.
    is_idle: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaction:
    """A part of a verb: how those react to whom it was done. Their words are in the group `answer.VERB`, if any."""

    tags: tuple[str, ...] = ("calm",)
    # They have a thought about it: the group `think.VERB`.
    is_thought_about: bool = False
    # What else they may do.
    acts: Callable[[Outcome, Moment], Iterator[PossibleAct]] | None = None


@dataclass(frozen=True, slots=True)
class Sharing:
    """A part of the verb by which somebody tells another what they know: the act, given the item, the other, the
    moment and the weight.
    """

    act: Callable[[KnownItem, str, Moment, int], PossibleAct | None]


@cache
def aims() -> tuple[Aim, ...]:
    """Return the aims of all verbs, in their order."""
    found = (part for verb in verbs().values() for part in verb.parts if isinstance(part, Aim))
    return tuple(sorted(found, key=lambda aim: aim.rank))


def share_item(item: KnownItem, to: str, moment: Moment, *, weight: int) -> PossibleAct | None:
    """Return an act of telling somebody an item; None where no verb does that."""
    for verb in verbs().values():
        if (sharing := verb.part(Sharing)) is not None and moment.can(verb.name):
            return sharing.act(item, to, moment, weight)
    return None


# Answers: what was just done, to the character or before their eyes -> possible reactions.

# Reactions by result, where that says more than the act.
_BY_CODE: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("deflected", "told", "told_before", "does_not_know"), ""),
        **dict.fromkeys(("heard", "heard_before", "recalled", "nothing_recorded"), ""),
    }
)
# The thought and the tags of a reaction to a result.
_THOUGHTS = frozenset({"deflected"})
_TAGS: Mapping[str, tuple[str, ...]] = MappingProxyType({"deflected": ("deceit",)})
# From so much trust on somebody volunteers what was not asked.
TRUSTING = 1
# Words that a question may be about and that take no article.
_NO_NOUNS = frozenset(
    ("me", "you", "him", "her", "it", "them", "us", "this", "that", "here", "there", "anything", "something", "nothing")
)


def answering(moment: Moment) -> list[PossibleAct]:
    """Return reactions to what was just done to the character, the latest first."""
    me = moment.given.me.id
    found: list[PossibleAct] = []
    for outcome in reversed(moment.given.outcomes):
        if outcome.target_id == me and outcome.actor_id != me and moment.is_here(outcome.actor_id):
            found += _answers(outcome, moment)
    # A false claim to the character's face is denied in the narration of that turn.
    to_ones_face = any(outcome.target_id == me for outcome in moment.given.outcomes)
    for claim in () if to_ones_face else moment.given.claims:
        if claim.get("by") == me and not claim.get("holds") and claim.get("kind") in ("said", "promised"):
            found += gesture(moment.words.sentence("claim.denied", person=moment.given.player_id), tags=("calm",))
    return found


def is_assailed(moment: Moment) -> bool:
    """Tell whether the character was just struck, threatened or insulted, whatever came of it."""
    me = moment.given.me.id
    return any(
        outcome.target_id == me and outcome.actor_id != me and outcome.code != "blocked" and _is_hostile(outcome.type)
        for outcome in moment.given.outcomes
    )


def _is_hostile(kind: str) -> bool:
    verb = verb_of(kind)
    return verb is not None and (verb.is_violent or verb.regard[1] > 0)


def watching(moment: Moment) -> list[PossibleAct]:
    """Return reactions to what was just done before the character's eyes."""
    me = moment.given.me.id
    found: list[PossibleAct] = []
    for outcome in reversed(moment.given.outcomes):
        if outcome.actor_id != me and outcome.target_id != me and moment.is_here(outcome.actor_id):
            found += _remarks(outcome, moment)
    return found


def _answers(outcome: Outcome, moment: Moment) -> Iterator[PossibleAct]:
    if outcome.code == "blocked":
        return
    by, verb = outcome.actor_id, verb_of(outcome.type)
    reaction = (None if verb is None else verb.part(Reaction)) or Reaction()
    if reaction.acts is not None:
        yield from reaction.acts(outcome, moment)
    is_of_code = outcome.code in _BY_CODE
    kind = outcome.code if is_of_code else outcome.type
    tags = _TAGS.get(kind, ("calm",)) if is_of_code else reaction.tags
    has_thought = kind in _THOUGHTS if is_of_code else reaction.is_thought_about
    group = f"answer.{kind}" if f"answer.{kind}" in grammar() else "answer.any"
    thing = _thing_slot(outcome, moment)
    for act in gesture(moment.words.sentence(group, person=by, **thing), tags=tags):
        thought, keys = moment.thought(f"think.{kind}", person=by, **thing) if has_thought else ("", ())
        yield PossibleAct(act.text, 2, act.tags, act.seen, thought, keys=(*act.keys, *keys))


def name_topic(words: str, moment: Moment) -> str:
    """Return the subject of a question: by its name where the character knows it, a bare noun with its article."""
    scope = moment.given.scope
    named = (*scope.topics, *scope.people, *scope.here, *scope.carried, scope.place)
    for named_thing in named:
        if words.casefold() in (name.casefold() for name in (named_thing.name, *named_thing.aliases)):
            return the(named_thing)
    is_bare = len(words.split()) == 1 and words.isalpha() and words.islower() and words not in _NO_NOUNS
    return f"the {words}" if is_bare else words


def recent_topics(moment: Moment) -> str:
    """Return what was spoken of in this turn, and what the character remembers."""
    spoken = [outcome.words for outcome in moment.given.outcomes if not getattr(outcome, "whispered", False)]
    named = [
        moment.given.names[entity_id]
        for outcome in moment.given.outcomes
        for entity_id in (outcome.target_id, outcome.item_id)
        if entity_id is not None
        and entity_id in moment.given.names
        and entity_id != moment.given.me.id
        and not moment.is_here(entity_id)
    ]
    return " ".join([*spoken, *named, *(remember.content for remember in moment.given.remembers[:3])]).casefold()


def is_in_goal(named: Named, goal: str) -> bool:
    """Tell whether a goal names somebody or something, by any of its names."""
    return any(is_word(name.casefold(), goal) for name in (named.name, *named.aliases) if len(name) > 1)


def is_word(name: str, text: str) -> bool:
    """Tell whether a name stands in a text as a word or words of its own."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _remarks(outcome: Outcome, moment: Moment) -> Iterator[PossibleAct]:
    by, verb = outcome.actor_id, verb_of(outcome.type)
    if verb is not None and verb.remark is None and outcome.code != "blocked" and not outcome.whispered:
        return
    kind = outcome.type if verb is None else verb.remark or verb.name
    group = "seen.whisper" if outcome.whispered else f"seen.{kind}"
    group = group if outcome.code != "blocked" and group in grammar() else "seen.attempt"
    third = outcome.target_id if moment.is_here(outcome.target_id) else None
    yield from gesture(moment.words.sentence(group, person=by, third=third, **_thing_slot(outcome, moment)))


def _thing_slot(outcome: Outcome, moment: Moment) -> dict[str, str]:
    """Return the slot of the thing that it was about, where the character knows it."""
    scope, about = moment.given.scope, (outcome.item_id, outcome.target_id)
    known = next((thing for thing in (*scope.carried, *scope.here) if thing.id in about), None)
    if known is not None:
        return {"thing": the(known)}
    people = {person.id for person in (*scope.people, scope.player)}
    names = moment.given.names
    named = next(
        (
            names[entity_id]
            for entity_id in about
            if entity_id is not None and entity_id in names and entity_id not in people
        ),
        None,
    )
    return {} if named is None else {"thing": f"the {named}" if named[:1].islower() else named}
