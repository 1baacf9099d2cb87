"""Names in two worlds and a state -> the lines of a player who wants to find out what is hidden."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lorewright.authoring.leaks.surfaces import Disguise
from lorewright.rules.verbs import typed
from lorewright.world.state import WorldState

_NAME, _PERSON = "{name}", "{person}"


def _plain_lines() -> list[str]:
    """Return the lines that ask for names by themselves; `{person}` is somebody who is here."""
    return [
        *typed("view"),
        *typed("question", person=_PERSON, topic="it"),
        *typed("question", person=_PERSON, topic="them"),
        *typed("any_way"),
        *typed("rummage"),
        *typed("examine", thing="it"),
    ]


def _lines_with_names() -> list[str]:
    """Return the lines that have a name in them, as `{name}`."""
    return [
        *typed("travel", place=_NAME),
        *typed("meet", person=_NAME),
        *typed("examine", thing=_NAME),
        *typed("question", person=_PERSON, topic=_NAME),
        *typed("fight", person=_NAME),
        _NAME,
        *typed("pass_on", person=_PERSON, topic=_NAME),
        *typed("sneak_past", person=_NAME),
        *typed("grab", thing=_NAME),
        *typed("follow", person=_NAME),
        *typed("question", person=_NAME, topic=_PERSON),
        *typed("gift", thing="it", person=_NAME),
        f"{_NAME}, where are you?",
        *typed("try_door", door=_NAME),
    ]


def _last_lines() -> list[str]:
    """Return the lines one of which follows every round of names."""
    return [
        *typed("question", person=_PERSON, topic="her"),
        *typed("question", person=_PERSON, topic="him"),
        *typed("leave"),
        *typed("way", way="other way"),
        *typed("view"),
        *typed("pass_time"),
    ]


def typed_lines(disguises: Sequence[Disguise], state: WorldState) -> Iterator[str]:
    """Yield the lines of a player who wants to find out what is hidden: first words that ask for names by themselves,
    then the names of both worlds in turn, each in another sentence."""
    people = [state.name_of(present_npc) for present_npc in state.present_npcs()] or ["somebody"]
    names = list(dict.fromkeys(_interleave([all_names(disguise) for disguise in disguises])))
    rounds = [line.format(person=people[n % len(people)]) for n, line in enumerate(_plain_lines())]
    yield from rounds
    step, sentences, last = 0, _lines_with_names(), _last_lines()
    for pattern in range(len(sentences)):
        for number, name in enumerate(names):
            sentence = sentences[(pattern + number) % len(sentences)]
            yield sentence.format(name=name, person=people[step % len(people)])
            step += 1
        if last:
            yield last[pattern % len(last)].format(person=people[pattern % len(people)])


def all_names(disguise: Disguise) -> list[str]:
    """Return the names of both worlds: whole, by a word, misspelt."""
    found = []
    for names in (disguise.own, disguise.made_up):
        found += [names.name, *names.name.split()[-1:], _misspell(names.name), *names.aliases, *names.name.split()[:1]]
        found += [names.id, names.name[: max(3, len(names.name) // 2)].strip()]
    return list(dict.fromkeys(found))


def _misspell(name: str) -> str:
    at = len(name) // 2
    return name[: at - 1] + name[at : at + 1] + name[at - 1 : at] + name[at + 1 :] if len(name) > 3 else name


def _interleave(lists: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the first of each, then the second of each …"""
    for number in range(max((len(names) for names in lists), default=0)):
        yield from (names[number] for names in lists if number < len(names))
