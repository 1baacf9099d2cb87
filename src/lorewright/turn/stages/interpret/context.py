"""InterpreterInput -> the variables of the interpreter's prompt: IDs to choose from, and the player's words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from lorewright.rules.verbs import verbs
from lorewright.turn.stages.variables import NOBODY, PromptContext
from lorewright.values.records import InterpreterInput
from lorewright.values.scope import Named
from lorewright.world.frozen import Frozen

# The most characters of the player's words, and of those before: nobody types pages.
_WORDS = 2_000
_WORDS_BEFORE = 400
# The most absent people and places that are listed, and the most aliases of each: a long game has heard of many.
_TOPICS = 60
_ALIASES = 8


# Keys of metadata -> the fields of an action as a model writes it.
_TAKEN = {
    **dict.fromkeys(("topic", "detail", "verb"), "words"),
    "item_id": "item_id",
    "quantity": "quantity",
    "minutes": "minutes",
}


class ActionKind(Frozen):
    """A type of action, and what it takes besides its target and place."""

    type: str
    takes: str = ""


class Nameable(Frozen):
    """An entity that an action can be about, by its ID; `aliases` as one text."""

    id: str
    name: str
    aliases: str = ""


class Way(Frozen):
    """A way out: `id` is that of the place that it leads to."""

    id: str
    name: str
    to: str


class OwnVerb(Frozen):
    """A verb of the ruleset's own, and the type of action that it means."""

    typed: str
    type: str


class Offered(Frozen):
    """A line that was offered, with the number that stands for it."""

    number: int
    line: str


class InterpreterContext(PromptContext):
    """The interpreter's variables; the lists are all that may be named."""

    stable: ClassVar[tuple[str, ...]] = ("kinds", "verbs", "player_id", "player_name")

    kinds: tuple[ActionKind, ...]
    verbs: tuple[OwnVerb, ...] = ()
    player_id: str
    player_name: str = NOBODY
    place: Nameable
    people: tuple[Nameable, ...] = ()
    here: tuple[Nameable, ...] = ()
    carried: tuple[Nameable, ...] = ()
    doors: tuple[Nameable, ...] = ()
    exits: tuple[Way, ...] = ()
    topics: tuple[Nameable, ...] = ()
    options: tuple[Offered, ...] = ()
    said_before: tuple[str, ...] = ()
    player_text: str


def interpreter_context(given: InterpreterInput) -> InterpreterContext:
    """Return the interpreter's variables: the scope, and nothing else of the world."""
    scope = given.scope
    return InterpreterContext(
        kinds=tuple(ActionKind(type=kind, takes=_takes(verb.metadata)) for kind, verb in verbs().items()),
        verbs=tuple(OwnVerb(typed=typed, type=kind) for typed, kind in sorted(given.verbs.items())),
        player_id=scope.player.id,
        player_name=scope.player.name or NOBODY,
        place=_nameable(scope.place),
        people=_all(scope.people),
        here=_all(scope.here),
        carried=_all(scope.carried),
        doors=_all(scope.doors),
        exits=tuple(Way(id=way.to, name=way.name, to=way.to_name) for way in scope.exits),
        topics=_all(scope.topics[:_TOPICS]),
        options=tuple(Offered(number=at, line=line) for at, line in enumerate(given.options, start=1)),
        said_before=tuple(line[:_WORDS_BEFORE] for line in given.said_before),
        player_text=given.player_text[:_WORDS],
    )


def _takes(metadata: type[Frozen]) -> str:
    """Return the fields of a flat action that a type takes: the player's words, a thing, a number."""
    taken = (_TAKEN.get(key) for key in metadata.model_fields)
    return ", ".join(dict.fromkeys(name for name in taken if name))


def _all(named: Iterable[Named]) -> tuple[Nameable, ...]:
    return tuple(_nameable(entity) for entity in named)


def _nameable(entity: Named) -> Nameable:
    return Nameable(
        id=entity.id,
        name=entity.name,
        aliases=", ".join(alias for alias in entity.aliases[:_ALIASES] if alias != entity.name),
    )
