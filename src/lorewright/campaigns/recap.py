"""Two states and what was tried between them -> the recap of a sitting, in a few plain sentences.

It tells only what is recorded and what the player was there for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lorewright.campaigns.history import in_a_sentence
from lorewright.rules.patch import Resolution
from lorewright.world import changes
from lorewright.world.events import SceneChanged, ThreadChanged
from lorewright.world.state import WorldState

# At most this many learned texts (the newest) are quoted, and this many places are named.
_QUOTED = 3
_PLACES = 5

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def recap(before: WorldState, after: WorldState, resolutions: Sequence[Resolution], *, learned: Sequence[str]) -> str:
    """Return the recap of the turns that led from one state to the other, addressed to the player as "you".

    `learned` are the texts that the player came to know in them, in that order.
    """
    sentences = [
        _way(before, after, resolutions),
        _talks(after, resolutions),
        _lore(learned),
        _possessions(before, after),
        _clocks(before, after),
        *_threads(before, after),
        _standing(after),
    ]
    return " ".join(part for part in sentences if part)


def nothing_yet(state: WorldState) -> str:
    """Return the recap of a sitting without a turn."""
    return f"Nothing has happened in this sitting yet. {_standing(state)}"


def _way(before: WorldState, after: WorldState, resolutions: Sequence[Resolution]) -> str:
    start = in_a_sentence(before.name_of(before.scene.location_id))
    reached = [
        in_a_sentence(after.name_of(event.to_id))
        for resolution in resolutions
        for event in resolution.events
        if isinstance(event, SceneChanged)
    ]
    spent = _duration(changes.minutes_passed(before, after))
    if not reached:
        return f"You stayed at {start}{f' for {spent}' if spent else ''}."
    if len(reached) > _PLACES:
        places = _and(list(dict.fromkeys([start, *reached])))
        return f"You went to and fro between {places}{f', {spent} in all' if spent else ''}."
    return f"From {start} you went to {', then '.join(reached)}{f', {spent} in all' if spent else ''}."


def _talks(after: WorldState, resolutions: Sequence[Resolution]) -> str:
    people: dict[str, list[str]] = {}
    for resolution in resolutions:
        for outcome in resolution.outcomes:
            target = after.entities.get(outcome.target_id or "")
            if outcome.code in ("blocked", "looked") or target is None or target.type != "npc":
                continue
            # Words that meant nothing to the other person are no topic of the talk.
            words = "" if outcome.code == "does_not_know" else outcome.words
            people.setdefault(target.name, []).extend([_named(words, after)] if words else [])
    if not people:
        return ""
    talks = [
        f"{name}{f' about {_and(list(dict.fromkeys(topics)))}' if topics else ''}" for name, topics in people.items()
    ]
    return f"You talked to {'; to '.join(talks)}."


def _lore(learned: Sequence[str]) -> str:
    if not learned:
        return ""
    quoted = " ".join(f"“{text}”" for text in learned[-_QUOTED:])
    more = len(learned) - _QUOTED
    return f"You learned {f'{_count(more)} more and ' if more > 0 else ''}this: {quoted}"


def _possessions(before: WorldState, after: WorldState) -> str:
    moved = [*changes.quantity_changes(before.held_by(before.player_id), after.held_by(after.player_id))]
    got = [in_a_sentence(after.name_of(change.item)) for change in moved if change.after > change.before]
    gave = [in_a_sentence(after.name_of(change.item)) for change in moved if change.after < change.before]
    parts = [f"got {_and(got)}" if got else "", f"parted with {_and(gave)}" if gave else ""]
    return f"You {' and '.join(part for part in parts if part)}." if got or gave else ""


def _clocks(before: WorldState, after: WorldState) -> str:
    # A clock that an upgrade of the scenario brought is told of as well.
    new = after.clocks.keys() - before.clocks.keys()
    ids = sorted({*new, *(tick.clock for tick in changes.clock_changes(before, after))})
    moved = [f"{clock.name} at {clock.value} of {clock.max}" for clock in map(after.clocks.__getitem__, ids)]
    return f"{_and(moved).replace(' at ', ' stands at ', 1)}." if moved else ""


def _threads(before: WorldState, after: WorldState) -> Iterator[str]:
    same: list[str] = []
    changed = {change.thread for change in changes.thread_changes(before, after) if isinstance(change, ThreadChanged)}
    changed |= after.threads.keys() - before.threads.keys()
    for thread_id, thread in sorted(after.threads.items()):
        if thread_id in changed:
            yield f"The thread “{thread.title}” is {thread.status} now."
        elif thread.status == "open" and after.ended is None:
            same.append(f"“{thread.title}”")
    if same:
        yield _closed(f"Still open: {_and(same)}")


def _named(words: str, state: WorldState) -> str:
    """Return a topic in the spelling of the entity that has this name, else as it was typed."""
    names = {entity.name.casefold(): entity.name for _, entity in sorted(state.entities.items())}
    return names.get(words.casefold(), words)


def _closed(text: str) -> str:
    """Return the text with a full stop, unless its last quotation already ends the sentence."""
    return text if text.endswith(("?”", "!”", ".”")) else f"{text}."


def _standing(state: WorldState) -> str:
    if state.ended is not None:
        return f"The story has ended: {state.ended.replace('_', ' ')}."
    people = [state.name_of(present_npc) for present_npc in state.present_npcs()]
    company = f" with {_and(people)}" if people else ""
    return f"You are at {in_a_sentence(state.name_of(state.scene.location_id))}{company}."


def _duration(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    parts = [_unit(hours, "hour"), _unit(rest, "minute")]
    return " and ".join(part for part in parts if part)


def _unit(number: int, name: str) -> str:
    return f"{_count(number)} {name}{'s' if number > 1 else ''}" if number else ""


def _count(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
