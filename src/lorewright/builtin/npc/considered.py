"""What one character could do now, and how it reads: what the parts of the twin hand to each other."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from types import MappingProxyType

import yaml

from lorewright.ids import content_hash
from lorewright.rules.actions import Action, metadata_of, takes
from lorewright.rules.patch import Outcome
from lorewright.values.proposals import SENTENCES, SHARED, KnownItem, NpcIntent, NpcIntentInput, Toward, own_key
from lorewright.values.records import Named

# grammar/*.yaml -> sentences about what somebody does: once by name, for whoever reads the log, and once as the player
# sees it, to whom they say `you`. Variants come from a shuffled bag: none again before all were used.

# The one in C reads the grammar in a tenth of the time, where PyYAML has it.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SLOT = re.compile(r"\{([A-Za-z']+)\}")
# Cases of whoever acts, by pronoun: he, him, his, himself.
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
    """What is done, by name (`text`) and as the player sees it (`seen`), and the memory key of the variant."""

    text: str
    seen: str
    key: str


@cache
def grammar() -> Mapping[str, tuple[str, ...]]:
    """Group -> its variants."""
    found: dict[str, tuple[str, ...]] = {}
    folder = resources.files(__package__) / "grammar"
    for path in sorted(folder.iterdir(), key=lambda one: one.name):
        if path.name.endswith(".yaml"):
            data = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)
            found |= {group: tuple(rows) for group, rows in data.items()}
    return MappingProxyType(found)


class NpcVoice:
    """What one character says things with: its grammar's bags as far as they were used, and what it did last."""

    def __init__(self, given: NpcIntentInput, lately: Collection[str]) -> None:
        """`lately` are texts that should not come again just yet."""
        self._given = given
        self._lately = frozenset(lately)
        self._people = {person.id: person for person in (*given.scope.people, given.scope.player)}

    def sentence(
        self, group: str, *, person: str | None = None, third: str | None = None, **slots: str
    ) -> Sentence | None:
        """The next variant of a group that was not used lately and is no longer than an intention may be; None where
        there is none."""
        variants = grammar()[group]
        for index in self._order(group, len(variants)):
            text = self._filled(variants[index], person, third, slots, by_name=True)
            if text is not None and len(text) <= SENTENCES and text not in self._lately:
                seen = self._filled(variants[index], person, third, slots, by_name=False) or text
                return Sentence(text, seen, _key(group, index))
        return None

    def _order(self, group: str, size: int) -> list[int]:
        """The variants that anybody used least first, as the bag was shuffled. Everybody who is there begins at another
        one, because in some profiles all of them think at once."""
        counts = [self._given.recall.get(_key(group, index), 0) for index in range(size)]
        order = sorted(range(size), key=lambda index: (counts[index], self._place(group, counts[index], index)))
        first = self._rank % size
        return [*order[first:], *order[:first]]

    @property
    def _rank(self) -> int:
        """One's place among the cast who are there, by ID."""
        me = self._given.me.id
        return sum(person.id < me for person in self._given.scope.people if person.id != self._given.player_id)

    def _place(self, group: str, cycle: int, index: int) -> str:
        """Where a variant stands in the shuffled bag of a cycle."""
        return content_hash(f"{self._given.seed}\n{group}\n{cycle}\n{index}")

    def _filled(
        self, variant: str, person: str | None, third: str | None, slots: Mapping[str, str], *, by_name: bool
    ) -> str | None:
        """With its slots filled; None where a slot has nothing to fill it."""
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
        """Somebody's name and the same as an owner's."""
        if who == self._given.player_id and not by_name:
            return "you", "your"
        one = self._people.get(who)
        name = one.name if one is not None else self._given.names.get(who)
        return None if not name else (name, f"{name}'s")


def _key(group: str, index: int) -> str:
    """The memory key of a variant, which all of the cast share."""
    return f"{SHARED}{group}#{index}"


def the(one: Named) -> str:
    """A thing inside a sentence: with an article, unless its name stands for itself."""
    bare = one.name[4:] if one.name.casefold().startswith("the ") else one.name
    return f"the {bare}" if bare != one.name or one.name[:1].islower() or one.name[:1].isdigit() else one.name


# So many of one's own last acts are not done again just now.
_LATELY = 3


@dataclass(frozen=True, slots=True)
class Considered:
    """An act that is open; `weight` is how near it lies among others. `keys` are noted once it is done."""

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
        """The act as an intention. What the player sees otherwise than by name is said so."""
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
    """A character's view with what all parts of the twin ask of it."""

    given: NpcIntentInput
    words: NpcVoice = field(init=False)
    lately: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lately", own_last(self.given))
        object.__setattr__(self, "words", NpcVoice(self.given, self.lately))

    @property
    def people(self) -> tuple[Named, ...]:
        """Everybody else who is there."""
        return self.given.scope.people

    @property
    def others(self) -> tuple[Named, ...]:
        """Of the cast."""
        return tuple(person for person in self.people if person.id != self.given.player_id)

    def is_here(self, who: str | None) -> bool:
        """Whether somebody is there."""
        return any(person.id == who for person in self.people)

    def toward(self, who: str) -> Toward:
        """How one stands to somebody."""
        return next((one for one in self.given.toward if one.who == who), Toward(who=who))

    def done(self, key: str) -> bool:
        """Whether one of one's own keys was noted before."""
        return self.key(key) in self.given.recall

    def key(self, key: str) -> str:
        """A key of one's own memory."""
        return own_key(self.given.me.id, key)

    def can(self, kind: str) -> bool:
        """Whether the ruleset has such an action."""
        return kind in self.given.verbs

    def action(
        self, kind: str, target: str | None = None, *, to: str | None = None, words: str = "", item: str | None = None,
        whisper: bool = False,
    ) -> Action:  # fmt: skip
        """An action of one's own."""
        metadata = metadata_of(kind, words=words[:200], item=item, whisper=whisper and takes(kind, "whisper"))
        return Action(actor_id=self.given.me.id, type=kind, target_id=target, location_id=to, metadata=metadata)

    def thought(self, group: str, **more: str | None) -> tuple[str, tuple[str, ...]]:
        """A thought of a group and the key that it used; none where the group has none."""
        person, third = more.pop("person", None), more.pop("third", None)
        slots = {name: value for name, value in more.items() if value is not None}
        found = self.words.sentence(group, person=person, third=third, **slots)
        return ("", ()) if found is None else (found.text, (found.key,))


def own_last(given: NpcIntentInput) -> tuple[str, ...]:
    """The texts of one's own last acts, the newest first."""
    me = given.me.id
    own = [message.content for _, message in given.messages if message.owner == me and message.type == "intention"]
    return tuple(reversed(own[-_LATELY:]))


def gesture(sentence: Sentence | None, *, weight: int = 1, tags: tuple[str, ...] = ("calm",)) -> list[Considered]:
    """A sentence as an act that changes nothing."""
    if sentence is None:
        return []
    return [Considered(sentence.text, weight, tags, seen=sentence.seen, keys=(sentence.key,))]


def tellable(items: Iterable[KnownItem], to: str) -> list[KnownItem]:
    """What one could tell somebody who does not have it yet."""
    return [item for item in items if not item.kept_back and to not in item.told_to]


# What was just done, to somebody or before their eyes -> what they could do about it.

# By what came of it, where that says more than what was done.
_BY_CODE: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("deflected", "told", "told_before", "does_not_know"), ""),
        **dict.fromkeys(("heard", "heard_before", "recalled", "nothing_recorded"), ""),
    }
)
_DOORS = frozenset({"open", "close", "lock", "unlock"})
_THOUGHTS = frozenset({"give", "threaten", "attack", "promise", "deflected"})
_TAGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"threaten": ("threat",), "attack": ("flight",), "give": ("trade",), "deflected": ("deceit",)}
)
# From so much trust somebody tells of their own accord what was not asked.
TRUSTING = 1
# Words that a question may be about and that no article goes before.
_NO_NOUNS = frozenset(
    ("me", "you", "him", "her", "it", "them", "us", "this", "that", "here", "there", "anything", "something", "nothing")
)
# Questions of more words than these are not handed on.
_QUESTION = 8


def answering(moment: Moment) -> list[Considered]:
    """What one could do about what was just done to oneself, the latest first."""
    me = moment.given.me.id
    found: list[Considered] = []
    for outcome in reversed(moment.given.outcomes):
        if outcome.target_id == me and outcome.actor_id != me and moment.is_here(outcome.actor_id):
            found += _answers(outcome, moment)
    # To one's face it is denied where it is said, in the telling of that.
    to_ones_face = any(outcome.target_id == me for outcome in moment.given.outcomes)
    for claim in () if to_ones_face else moment.given.claims:
        if claim.get("by") == me and not claim.get("holds") and claim.get("kind") in ("said", "promised"):
            found += gesture(moment.words.sentence("claim.denied", person=moment.given.player_id), tags=("calm",))
    return found


def watching(moment: Moment) -> list[Considered]:
    """What one could do about what was just done before one's eyes."""
    me = moment.given.me.id
    found: list[Considered] = []
    for outcome in reversed(moment.given.outcomes):
        if outcome.actor_id != me and outcome.target_id != me and moment.is_here(outcome.actor_id):
            found += _remarks(outcome, moment)
    return found


def _answers(outcome: Outcome, moment: Moment) -> Iterator[Considered]:
    by = outcome.actor_id
    kind = outcome.code if outcome.code in _BY_CODE else outcome.type
    if outcome.code == "blocked":
        return
    if outcome.type == "give":
        yield from _in_return(by, moment)
    if outcome.code == "does_not_know":
        yield from _handed_on(outcome, moment)
    group = f"answer.{kind}" if f"answer.{kind}" in grammar() else "answer.any"
    thing = _thing(outcome, moment)
    for one in gesture(moment.words.sentence(group, person=by, **thing), tags=_TAGS.get(kind, ("calm",))):
        thought, keys = ("", ()) if kind not in _THOUGHTS else moment.thought(f"think.{kind}", person=by, **thing)
        yield Considered(one.text, 2, one.tags, one.seen, thought, keys=(*one.keys, *keys))


def _in_return(to: str, moment: Moment) -> Iterator[Considered]:
    """A gift is worth a thing that one knows, to whom one trusts."""
    if moment.can("tell") and moment.toward(to).trust >= TRUSTING:
        for item in tellable(moment.given.knows, to)[:1]:
            if item.holder_id == moment.given.me.id and (told := telling(item.id, to, moment, weight=4)) is not None:
                yield told


def _handed_on(outcome: Outcome, moment: Moment) -> Iterator[Considered]:
    """What one does not know one asks of somebody else who is there."""
    what = _topic(outcome.words.strip(" ?.!"), moment)
    if not what or len(what.split()) > _QUESTION or not moment.can("ask") or outcome.actor_id != moment.given.player_id:
        return
    for other in moment.others:
        key = f"asked:{other.id}:{what.casefold()}"
        if moment.done(key) or moment.toward(other.id).trust < 0:
            continue
        found = moment.words.sentence("ask.other", person=other.id, what=what)
        if found is not None:
            action = moment.action("ask", other.id, words=what)
            yield Considered(found.text, 4, ("question", "help"), action=action, keys=(found.key, moment.key(key)))


def _topic(words: str, moment: Moment) -> str:
    """What a question was about, as one would say it: by its name where one knows it, a bare noun with its article."""
    scope = moment.given.scope
    named = (*scope.topics, *scope.people, *scope.here, *scope.carried, scope.place)
    for one in named:
        if words.casefold() in (name.casefold() for name in (one.name, *one.aliases)):
            return the(one)
    is_bare = len(words.split()) == 1 and words.isalpha() and words.islower() and words not in _NO_NOUNS
    return f"the {words}" if is_bare else words


def telling(item_id: str, to: str, moment: Moment, *, weight: int) -> Considered | None:
    """To tell somebody what one knows; in a whisper where it is about somebody who stands by."""
    item = next(know for know in moment.given.knows if know.id == item_id)
    folded = f"{item.text} {' '.join(item.topics)}".casefold()
    by_standers = [person for person in moment.people if person.id != to]
    whisper = any(by_stander.name.casefold() in folded for by_stander in by_standers)
    what = next((topic for topic in item.topics if topic.casefold() != moment.given.me.name.casefold()), "")
    group = "tell.whisper" if whisper else "tell"
    found = moment.words.sentence(group, person=to, what=what or "something that nobody has asked about")
    if found is None:
        return None
    thought, keys = moment.thought("think.tell", person=to)
    action = moment.action("tell", to, item=item.id, whisper=whisper)
    return Considered(
        found.text, weight, ("help",), thought=thought, action=action, item_id=item.id,
        keys=(found.key, *keys, moment.key(f"told:{to}:{item.id}")),
    )  # fmt: skip


def _remarks(outcome: Outcome, moment: Moment) -> Iterator[Considered]:
    by, kind = outcome.actor_id, outcome.type
    if outcome.code == "blocked":
        kind = "attempt"
    elif getattr(outcome, "whispered", False):
        kind = "whisper"
    elif kind in _DOORS:
        kind = "open"
    elif kind == "sneak":
        return
    group = f"seen.{kind}" if f"seen.{kind}" in grammar() else "seen.attempt"
    third = outcome.target_id if moment.is_here(outcome.target_id) else None
    yield from gesture(moment.words.sentence(group, person=by, third=third, **_thing(outcome, moment)))


def _thing(outcome: Outcome, moment: Moment) -> dict[str, str]:
    """The slot of the thing that it was about, where one knows it."""
    scope, about = moment.given.scope, (outcome.item_id, outcome.target_id)
    known = next((one for one in (*scope.carried, *scope.here) if one.id in about), None)
    if known is not None:
        return {"thing": the(known)}
    people = {person.id for person in (*scope.people, scope.player)}
    names = moment.given.names
    named = next((names[one] for one in about if one is not None and one in names and one not in people), None)
    return {} if named is None else {"thing": f"the {named}" if named[:1].islower() else named}
