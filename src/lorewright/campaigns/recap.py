"""Two states and what was tried between them -> the recap of a sitting in three parts: what the player wants, whom they
met and what they learned, what is open.

It tells only what is recorded and what the player was there for. A part is a line of text; wrapped to a page, all of
them together are at most eight lines.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lorewright.campaigns.history import in_a_sentence
from lorewright.campaigns.scenarios.names import PLAYER_NAMES
from lorewright.ids import local
from lorewright.rules.patch import Resolution
from lorewright.world import changes
from lorewright.world.events import ThreadChanged
from lorewright.world.state import WorldState

# The width of a page, and how many of its lines a recap fills at most.
_PAGE = 88
_LINES = 8
# So many titles of what was learned, and so many names of each other list, are told at most; the first that fit.
_MOST = ((4, 4), (3, 4), (3, 3), (2, 3), (2, 2), (1, 1))
# The longest goal, the longest title of what was learned, and the longest name, in characters.
_GOAL = 165
_TITLE = 64
_NAME = 60

_SENTENCE_END = re.compile(r"[.!?…][”’\"')]*(?=\s|$)")
_CLAUSE_END = re.compile(r"(?:[,;:]|\s[–—])(?=\s)")

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def recap(
    before: WorldState,
    after: WorldState,
    resolutions: Sequence[Resolution],
    *,
    learned: Sequence[str] = (),
    goal: str = "",
    unseen: Sequence[str] = (),
) -> str:
    """Return the recap of the turns that led from one state to the other, addressed to the player as "you": a line for
    each part that has anything to tell.

    `learned` are the texts that the player came to know in them, in that order, `unseen` the places that they know a
    way to and have not been to. The states are such as the player may see: who has no name there is not named.
    """
    told = ""
    for titles, names in _MOST:
        had = " ".join(_had(before, after, resolutions, learned, titles, names))
        parts = (
            _wanted(goal),
            had or "Nothing has happened in this sitting yet.",
            " ".join(_open(before, after, unseen, names)),
        )
        told = "\n".join(filter(None, parts))
        if sum(len(textwrap.wrap(part, _PAGE)) for part in parts) <= _LINES:
            break
    return told


def goal_of(scenario: Mapping[str, Any], who: str, state: WorldState) -> str:
    """Return what a scenario says that the player of a persona wants; empty where it says nothing."""
    goals = scenario.get("goals") or {}
    is_first = not state.personas or who == state.personas[0]
    # The first persona's own goal is that of the player; others have theirs under their names.
    keys = (who, local(who), *(PLAYER_NAMES if is_first else ()))
    return " ".join(next((str(goals[key]) for key in keys if key in goals), "").split())


def shortened(text: str, width: int) -> str:
    """Return a text of at most `width` characters: all of it, else whole sentences, else cut where a clause ends, else
    at a word, with an ellipsis."""
    text = " ".join(text.split())
    if len(text) <= width:
        return text
    for pattern in (_SENTENCE_END, _CLAUSE_END):
        ends = [match for match in pattern.finditer(text) if match.end() <= width + 1 and match.end() > width // 3]
        if ends and pattern is _SENTENCE_END:
            return text[: ends[-1].end()]
        if ends:
            return text[: ends[-1].start()]
    return f"{text[: width - 1].rpartition(' ')[0] or text[: width - 1]}…"


def _wanted(goal: str) -> str:
    return f"What you want: {shortened(goal, _GOAL)}" if goal else ""


def _had(
    before: WorldState,
    after: WorldState,
    resolutions: Sequence[Resolution],
    learned: Sequence[str],
    newest: int,
    most: int,
) -> Iterator[str]:
    """Yield whom the player met, what they learned, and what they have now."""
    met = _met(after, resolutions)
    if met:
        yield f"Whom you met: {_and(_few(met, most))}."
    titles = [f"“{_title(text)}”" for text in learned]
    if titles:
        # The newest are told: what came before led there.
        more = len(titles) - newest
        rest = [f"{_count(more)} more before"] if more > 0 else []
        yield f"What you learned: {'; '.join([*titles[-newest:], *rest])}."
    moved = [*changes.quantity_changes(before.held_by(before.player_id), after.held_by(after.player_id))]
    got = [in_a_sentence(after.name_of(change.item)) for change in moved if change.after > change.before]
    gave = [in_a_sentence(after.name_of(change.item)) for change in moved if change.after < change.before]
    parts = [f"got {_and(_few(got, most))}" if got else "", f"parted with {_and(_few(gave, most))}" if gave else ""]
    if got or gave:
        yield f"You {' and '.join(part for part in parts if part)}."


def _met(after: WorldState, resolutions: Sequence[Resolution]) -> list[str]:
    """Return the names of those with whom the player had to do, in that order."""
    people: dict[str, None] = {}
    for resolution in resolutions:
        for outcome in resolution.outcomes:
            target = after.entities.get(outcome.target_id or "")
            if outcome.code not in ("blocked", "looked") and target is not None and target.type == "npc":
                people.setdefault(target.name)
    return [shortened(name, _NAME) for name in people if name]


def _title(text: str) -> str:
    """Return a short title of a text that was learned: its first sentence, or as much of it as a title holds."""
    end = _SENTENCE_END.search(" ".join(text.split()))
    first = " ".join(text.split())[: end.end()] if end else text
    return shortened(first, _TITLE).rstrip(".")


def _open(before: WorldState, after: WorldState, unseen: Sequence[str], most: int) -> Iterator[str]:
    """Yield the open threads, the clocks that moved, and where the player has not been; or how the story ended."""
    changed = {change.thread for change in changes.thread_changes(before, after) if isinstance(change, ThreadChanged)}
    changed |= after.threads.keys() - before.threads.keys()
    for thread_id in sorted(changed & after.threads.keys()):
        thread = after.threads[thread_id]
        if thread.status != "open":
            yield f"“{shortened(thread.title, _NAME)}” is {thread.status.replace('_', ' ')} now."
    if after.ended is not None:
        yield f"The story has ended: {after.ended.replace('_', ' ')}."
        return
    titles = [thread.title for thread in after.open_threads() if thread.title]
    if titles:
        yield f"What is open: {_sentences([shortened(title, _NAME) for title in titles], most)}"
    clocks = _clocks(before, after)
    if clocks:
        yield f"{_and(_few(clocks, most)).replace(' at ', ' stands at ', 1)}."
    places = list(dict.fromkeys(in_a_sentence(name) for name in unseen if name))
    if places:
        yield f"Where you have not been: {_and(_few(places, most))}."


def _clocks(before: WorldState, after: WorldState) -> list[str]:
    # A clock that an upgrade of the scenario brought is told of as well.
    new = after.clocks.keys() - before.clocks.keys()
    ids = sorted({*new, *(tick.clock for tick in changes.clock_changes(before, after))})
    return [f"{clock.name} at {clock.value} of {clock.max}" for clock in map(after.clocks.__getitem__, ids)]


def _sentences(titles: Sequence[str], most: int) -> str:
    """Return titles one after the other, each with an end of its own."""
    shown = [title if title.endswith(("?", "!", ".", "…", "”")) else f"{title}." for title in titles[:most]]
    more = len(titles) - most
    return " ".join([*shown, *([f"And {_count(more)} more."] if more > 0 else [])])


def _few(names: Sequence[str], most: int) -> list[str]:
    """Return at most so many of the names, and how many others there are."""
    # One that is left out takes as much room as its name.
    if len(names) <= most + 1:
        return list(names)
    return [*names[:most], f"{_count(len(names) - most)} others"]


def _count(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
