"""Relations, promises, memories and outcomes -> words for the prompts of those who are in the scene."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lorewright.ids import local
from lorewright.rules.patch import REASON_CODES, Outcome
from lorewright.rules.verbs import verb_of
from lorewright.turn.stages.variables import BANDS, MEANINGS, in_words, tried
from lorewright.values.packet import ContextPacket, PacketFact
from lorewright.values.proposals import Concern, Remembered, Toward
from lorewright.values.records import Recorded
from lorewright.world.things import PREDICATES

# From so much on, in either direction, a number between two people is strong.
STRONG = 3

# Number -> what it means when it is low, a little low, a little high, high; of them (`{whom}`), and of `you`.
_FELT: Mapping[str, tuple[tuple[str, str], ...]] = {
    "trust": (
        ("does not believe a word of {whom}", "you do not believe a word of {whom}"),
        ("mistrusts {whom}", "you mistrust {whom}"),
        ("is inclined to trust {whom}", "you are inclined to trust {whom}"),
        ("trusts {whom}", "you trust {whom}"),
    ),
    "tension": (
        ("is wholly at ease with {whom}", "you are wholly at ease with {whom}"),
        ("is at ease with {whom}", "you are at ease with {whom}"),
        ("is wary of {whom}", "you are wary of {whom}"),
        ("is near to a quarrel with {whom}", "you are near to a quarrel with {whom}"),
    ),
    "closeness": (
        ("is a stranger to {whom} and means to stay one", "you want nothing to do with {whom}"),
        ("keeps {whom} at a distance", "you keep {whom} at a distance"),
        ("feels near to {whom}", "you feel near to {whom}"),
        ("is close to {whom}", "you are close to {whom}"),
    ),
}
_RECORDED = {"promised": "promised {to}", "threatened": "threatened {to} with this", "owes": "owes {to}"}


def feelings_in_words(numbers: Mapping[str, int], *, whom: str, of_you: bool = False) -> str:
    """Return how somebody stands to somebody, with the figures: `is wary of Ash (tension +2)`; empty where nothing
    stands between them. With `of_you` it is said to the one who stands so."""
    shown = [(name, value) for name, value in numbers.items() if value]
    said = [_felt(name, value)[of_you].format(whom=whom) for name, value in shown]
    figures = ", ".join(f"{name} {value:+d}" for name, value in shown)
    return f"{_listed(said)} ({figures})" if said else ""


def _felt(name: str, value: int) -> tuple[str, str]:
    strong = abs(value) >= STRONG
    return _FELT[name][(3 if strong else 2) if value > 0 else (0 if strong else 1)]


def _listed(said: list[str]) -> str:
    return " and ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said)


def relations_in_words(packet: ContextPacket, names: Mapping[str, str], *, player_id: str) -> Iterator[str]:
    """Yield a line for each relation between two who are here, the cast first: `Viktor is wary of Jo (tension +2).`"""
    for relation in packet.relationships:
        if relation.rel_type != "scene":
            if relation.a_id in names and relation.b_id in names:
                tie = relation.rel_type.removesuffix(" of")
                article = "an" if tie[:1].casefold() in "aeiou" else "a"
                yield f"{names[relation.a_id]} is {article} {tie} of {names[relation.b_id]}."
            continue
        who, whom = relation.a_id, relation.b_id
        who, whom = (whom, who) if who == player_id else (who, whom)
        numbers = {"trust": relation.intensity, **{key: int(value) for key, value in relation.notes.items()}}
        felt = feelings_in_words(numbers, whom=_name(whom, names))
        if felt:
            yield f"{_name(who, names)} {felt}."


def toward_in_words(toward: Toward) -> str:
    """Return how a character stands to somebody, said to it: `you are wary of them (tension +2); your friend`."""
    numbers = {"trust": toward.trust, "tension": toward.tension, "closeness": toward.closeness}
    ties = [f"your {tie}" if not tie.endswith(" of") else f"you are their {tie[:-3]}" for tie in toward.ties]
    felt = feelings_in_words(numbers, whom="them", of_you=True)
    return "; ".join([*ties, *([felt] if felt else [])]) or "nothing stands between you"


def fact_in_words(fact: PacketFact, names: Mapping[str, str]) -> str:
    """Return an established fact in a line: `Jo promised Viktor: “pay his debt”`, `lamp: colour: green`."""
    return established_in_words(fact.subject_id, fact.predicate, fact.object, names)


def established_in_words(subject: str, predicate: str, said: Any, names: Mapping[str, str]) -> str:
    """Return the same of its parts; an entity without a name is called by words made of its ID."""
    who = _name(subject, names)
    if predicate in PREDICATES and isinstance(said, Mapping):
        to = _name(str(said.get("to", "")), names) or "somebody"
        return f"{who} {_RECORDED[predicate].format(to=to)}: “{said.get('what', '')}”"
    named = names.get(said, said) if isinstance(said, str) else said
    return f"{who}: {predicate.replace('_', ' ')}: {in_words(named)}"


def recorded_in_words(records: Iterable[Recorded], me: str, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return what a character and those who are there have promised each other, owe or have threatened each other
    with, said to the character: `Ash promised you: “the key”`."""

    def called(who: str) -> str:
        return "you" if who == me else _name(who, names)

    lines = []
    for record in records:
        verb = "owe {to}" if record.by_id == me and record.predicate == "owes" else _RECORDED[record.predicate]
        by = called(record.by_id)
        lines.append(f"{by[:1].upper()}{by[1:]} {verb.format(to=called(record.to_id))}: “{record.what}”")
    return tuple(lines)


def concerns_in_words(concerns: Iterable[Concern], names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the open questions that a character is part of: `Where is Jin? It is about Jin and Viktor, too.`"""
    lines = []
    for concern in concerns:
        about = [name for entity_id in concern.about if (name := names.get(entity_id))]
        lines.append(f"{concern.title}{f' It is about {_listed(about)}, too.' if about else ''}")
    return tuple(lines)


def memory_in_words(memory: Remembered, names: Mapping[str, str]) -> str:
    """Return a memory with its present weight: `Ash threatened Bram. (weight 4.6)`."""
    there = [name for who in memory.shared_with if (name := names.get(who))]
    too = f"; {_listed(there)} {'knows' if len(there) == 1 else 'know'} of it, too" if there else ""
    return f"{memory.content} (weight {memory.priority:.1f}{too})"


def witnessed_in_words(outcome: Outcome, names: Mapping[str, str], *, heard: bool = True) -> str:
    """Return an outcome as a bystander saw it, in the third person: what its author wrote is said to the player, so
    that none of it is in here. The actor's own words are in it only if they were `heard`."""
    verb = verb_of(outcome.type)
    joint = "with " if verb is not None and verb.is_free else ""
    parts = [_name(outcome.actor_id, names), f"tries to {tried(outcome.type)}"]
    parts += [f"{joint}{_name(outcome.target_id, names)}"] if outcome.target_id else []
    parts += [f"to {_name(outcome.location_id, names)}"] if outcome.location_id else []
    along = outcome.item_id if outcome.item_id != outcome.target_id else None
    parts += [f"with {_name(along, names)}"] if along else []
    words = f" (“{outcome.words}”)" if outcome.words and heard else ""
    band = f"{BANDS[outcome.band]}; " if outcome.band else ""
    meaning = "it does not come off" if outcome.band == "fail" and outcome.code == "acted" else MEANINGS[outcome.code]
    why = f"; {REASON_CODES[outcome.reason]}" if outcome.reason else ""
    return f"{' '.join(parts)}{words}: {band}{meaning}{why}."


def _name(entity_id: str, names: Mapping[str, str]) -> str:
    return names.get(entity_id) or local(entity_id).replace("_", " ")
