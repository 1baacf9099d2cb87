"""What one character could do now, and how it reads: what the parts of the twin hand to each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lorewright.builtin.npc.words import Sentence, Words
from lorewright.rules.actions import Action
from lorewright.rules.cast import metadata_of, takes
from lorewright.values.intents import KnownItem, NpcIntent, NpcIntentInput, Toward, own_key
from lorewright.values.records import Named

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
    words: Words = field(init=False)
    lately: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lately", own_last(self.given))
        object.__setattr__(self, "words", Words(self.given, self.lately))

    @property
    def people(self) -> tuple[Named, ...]:
        """Everybody else who is there."""
        return self.given.scope.people

    @property
    def others(self) -> tuple[Named, ...]:
        """Of the cast."""
        return tuple(one for one in self.people if one.id != self.given.player_id)

    def is_here(self, who: str | None) -> bool:
        """Whether somebody is there."""
        return any(one.id == who for one in self.people)

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
