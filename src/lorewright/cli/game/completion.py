"""What stands before the cursor -> what Tab makes of it: commands, verbs, and the names that the player may know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.rules.verbs import verb_of, verbs
from lorewright.storage.heads import branch_rows
from lorewright.turn.views.scope import scope_of

# A name is completed from at most this many of its words.
_NAME_WORDS = 6
_ARTICLES = ("the ", "a ", "an ")


@dataclass(frozen=True, slots=True)
class KnownNames:
    """The names that may stand in a line just now: of people who are here, of things and doors, of ways and where they
    lead, of all else that the player has heard of; of the personas and branches, and the verbs of the ruleset."""

    people: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    ways: tuple[str, ...] = ()
    heard_of: tuple[str, ...] = ()
    personas: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """Return all names of the story."""
        return (*self.people, *self.things, *self.ways, *self.heard_of)


def names_known_in(campaign: OpenCampaign, persona: str | None = None) -> KnownNames:
    """Return the names that the player may know at the head, or once they play another persona; no name is in it that
    is hidden from them."""
    knows = campaign.acquaintance(persona)
    scope = scope_of(knows.shown, heard_of=knows.heard_of())
    state, ruleset = knows.shown, campaign.setting.rules.ruleset
    return KnownNames(
        people=_names(person.name for person in scope.people),
        things=_names(thing.name for thing in (*scope.here, *scope.carried, *scope.doors)),
        ways=_names(name for way in scope.exits for name in (way.name, way.to_name)),
        heard_of=_names(topic.name for topic in scope.topics),
        personas=_names(state.name_of(who) for who in state.personas),
        branches=tuple(row.name for row in branch_rows(campaign.store.database)),
        verbs=_names([*(verb for verb in verbs() if ruleset.find_row(verb) is not None), *ruleset.verbs()]),
    )


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))


@dataclass(frozen=True, slots=True)
class LineEnding:
    """A way to go on: the last `replaced` characters before the cursor become `text`."""

    text: str
    replaced: int


class LineCompleter:
    """Completes lines: a slash command by its name, its argument by what it takes, any other line by verbs and names.

    `commands` maps each slash command to the kind of its argument: a field of `KnownNames`, `all`, or empty where there
    is nothing to complete. `known` returns the names of the moment.
    """

    def __init__(self, commands: Mapping[str, str], known: Callable[[], KnownNames]) -> None:
        self._commands = commands
        self._known = known

    def complete(self, before: str) -> list[LineEnding]:
        """Return the ways to go on from the text before the cursor, the likeliest first."""
        line = before.lstrip()
        first, space, rest = line.partition(" ")
        if line.startswith("/"):
            if not space:
                return _endings(first, self._commands)
            kind = self._commands.get(first.casefold(), "")
            return _named(rest, getattr(self._known(), kind)) if kind else []
        known = self._known()
        if not space:
            return _endings(first, known.verbs) or _named(first, known.all)
        return _named(rest, _in_order(first, known))


def _in_order(verb: str, known: KnownNames) -> Sequence[str]:
    """Return all names, first those that a verb is likeliest to be aimed at."""
    found = verb_of(verb.casefold())
    match "" if found is None else found.aim:
        case "person":
            return (*known.people, *known.heard_of, *known.things, *known.ways)
        case "place":
            return known.ways or known.all
        case _:
            return (*known.things, *known.people, *known.ways, *known.heard_of)


def _endings(typed: str, words: Iterable[str]) -> list[LineEnding]:
    """Return the words that begin with what was typed, each with a blank behind it."""
    start = typed.casefold()
    return [LineEnding(f"{word} ", len(typed)) for word in words if word.casefold().startswith(start)]


def _named(rest: str, names: Sequence[str]) -> list[LineEnding]:
    """Return the names that begin with the last words that were typed, with as many of these as possible; else those
    of which another word does. The only one has a blank behind it."""
    if not rest or rest.endswith(" "):
        return _spaced(names, 0)
    for tail in _tails(rest):
        found = [name for name in names if _begins(name, tail)]
        if found:
            return _spaced(found, len(tail))
    last = rest.rpartition(" ")[2]
    return _spaced([name for name in names if f" {last.casefold()}" in f" {name.casefold()}"], len(last))


def _spaced(names: Sequence[str], replaced: int) -> list[LineEnding]:
    return [LineEnding(f"{name} " if len(names) == 1 else name, replaced) for name in names]


def _tails(text: str) -> Iterator[str]:
    """Yield the last words of a text, as many as a name may have, then fewer."""
    starts = [0, *(place + 1 for place, letter in enumerate(text) if letter == " ")]
    yield from (text[start:] for start in starts[-_NAME_WORDS:])


def _begins(name: str, typed: str) -> bool:
    folded, start = name.casefold(), typed.casefold()
    return folded.startswith(start) or any(
        folded.removeprefix(article).startswith(start) for article in _ARTICLES if folded.startswith(article)
    )
