"""Observations: a round and the states around it -> ops for what those who were there remember, and how they stand to
each other.

A memory is one sentence made of names, the kind of thing that was done, and the speaker's own words for what was
asked, said or promised; of a whisper only its two ends remember them. What somebody was told in answer they know by its
reveal. The personas remember as the cast does. In recorded turns of the first version they did not, and of words only
names of people and things were kept (`keeps_words`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from lorewright.ids import local
from lorewright.rules.actions import CastRule
from lorewright.rules.acts import civil_key
from lorewright.rules.consequences import not_theirs
from lorewright.rules.dice import Dice
from lorewright.rules.patch import Outcome, Resolution, Roll
from lorewright.rules.reach import is_npc, is_person
from lorewright.rules.rulesets import Ruleset
from lorewright.rules.validate import the
from lorewright.rules.verbs import Sight, verb_of
from lorewright.world.changes import changed_facts
from lorewright.world.events import Arrived, ConditionGained, Departed, EngineEvent
from lorewright.world.frozen import Frozen
from lorewright.world.ops import ChangeRelation, Observe, StateOp
from lorewright.world.state import OFFSTAGE, Fact, WorldState, pair, relation_key

# Activation: which of those present act in a turn of their own accord, and in which order (specification: baked ones
# first, others by chattiness, each rolling against it).

PURPOSE = "activation"
_DICE = "1d100"


class Activation(Frozen):
    """`order` are those who act, `skipped` those whose dice said no, both by ID in the order in which they were asked;
    `rolls` are the dice of all who had to roll."""

    order: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    rolls: tuple[Roll, ...] = ()


def activate(cast: Iterable[tuple[str, CastRule]], dice: Dice) -> Activation:
    """Return who acts: baked ones by ID, then the others, the chattiest first and of equals by ID. Each of these rolls
    a d100 and acts on their chattiness in hundredths or less: at 0 never, at 1 always.
    """
    order: list[str] = []
    skipped: list[str] = []
    rolls: list[Roll] = []
    for who, rule in in_order(cast):
        if rule.baked:
            order.append(who)
            continue
        roll = dice.roll(_DICE, purpose=PURPOSE, actor_id=who)
        rolls.append(roll)
        (order if roll.total <= round(rule.chattiness * 100) else skipped).append(who)
    return Activation(order=tuple(order), skipped=tuple(skipped), rolls=tuple(rolls))


def in_order(cast: Iterable[tuple[str, CastRule]]) -> list[tuple[str, CastRule]]:
    """Return them in the order in which they act: baked ones by ID, then the others, the chattiest first and of equals
    by ID.
    """
    return sorted(cast, key=_rank)


def _rank(member: tuple[str, CastRule]) -> tuple[bool, float, str]:
    """Return the sort key; baked ones are ordered by their ID alone."""
    who, rule = member
    return (not rule.baked, 0.0 if rule.baked else -rule.chattiness, who)


# Seen: an outcome -> what others see of it: a sentence with places for names, its importance, and where it is seen.


# Importance to the observer, of 5: blows and threats are remembered for days (4), bonds between people and changes of
# hands make them think of each other (3), news and changes to one's surroundings are worth a thought (2), idle talk,
# coming and going are forgotten first (1).
_CAME = Sight("{actor} came to {place}", 1)
_LEFT = Sight("{actor} left {place}", 1)
UNSEEN = ("success", "critical")


def sights_of(outcome: Outcome, place: str) -> Iterator[tuple[Sight, str]]:
    """Yield what is seen, and at which place; nothing for a blocked attempt. `place` is where the actor stood."""
    if outcome.code == "blocked":
        return
    verb = verb_of(outcome.type)
    if verb is not None and verb.sights is not None:
        yield from verb.sights(outcome, place)


def departures(outcome: Outcome, place: str) -> Iterator[tuple[Sight, str]]:
    """Yield a departure, seen at both places; nothing where nobody went anywhere."""
    if outcome.code == "moved" and outcome.location_id is not None:
        yield _LEFT, place
        yield _CAME, outcome.location_id


# A round -> what those who were there remember, and how they stand to each other.

# Most memories of one round; the most important ones are stored.
MOST = 3
# The target of an act remembers it better.
_TO_ONESELF = 1
_WEIGHTIEST = 5
# The most characters of somebody's words that are remembered.
_MOST_SAID = 120
# A whisper between two people is seen, and not forgotten at once.
_WHISPER = Sight("{actor} whispered something to {target}", 2)

# Bound of what these tables change: no number between two people goes beyond it by them.
BOUND = 5
# The loss of regard for an attacker by somebody who stands well with the victim.
_FOR_A_FRIEND = (0, 1)
# Facts `{subject} PREDICATE {object}` that tell of a promise between two people: (trust, tension).
_WORD: dict[str, tuple[int, int]] = {"broke_promise": (-2, 1), "kept_promise": (1, 0)}


def observe(
    resolution: Resolution,
    before: WorldState,
    after: WorldState,
    *,
    ruleset: Ruleset,
    audience: Collection[str] | None = None,
    keeps_words: bool = True,
) -> tuple[StateOp, ...]:
    """Return ops for what those who were there remember, and what changes between people; to be applied to `after`.

    `before` and `after` are the states around the round. The two ends of a whisper remember what it was, and others
    that there was one. `audience` limits those who may know of the round at all. Ops that the ruleset does not let the
    resolver propose are left out.
    """
    among = None if audience is None else frozenset(audience)
    memories = _memories(resolution, before, after, among, keeps_words=keeps_words)
    ops: list[StateOp] = []
    for who in sorted(memories):
        for memory in _select_memories(memories[who]):
            ops.append(Observe(who=who, content=memory.content, importance=memory.importance))
    ops += _regard_changes(resolution, before, after)
    refused = {not_their.index for not_their in not_theirs(ops, "resolve", ruleset)}
    return tuple(op for index, op in enumerate(ops) if index not in refused)


@dataclass(frozen=True, slots=True)
class _Memory:
    content: str
    importance: int


def _select_memories(memories: Iterable[_Memory]) -> list[_Memory]:
    """Return the most important memories up to the limit, each sentence once, in the order in which they happened."""
    once: dict[str, _Memory] = {}
    for memory in memories:
        known = once.get(memory.content)
        if known is None or known.importance < memory.importance:
            once[memory.content] = memory
    kept = sorted(once.values(), key=lambda memory: -memory.importance)[:MOST]
    return [memory for memory in once.values() if memory in kept]


def _memories(
    resolution: Resolution,
    before: WorldState,
    after: WorldState,
    audience: frozenset[str] | None,
    *,
    keeps_words: bool,
) -> dict[str, list[_Memory]]:
    found: dict[str, list[_Memory]] = {}
    at: dict[str, str] = {}
    for outcome in resolution.outcomes:
        place = at.get(outcome.actor_id, before.positions.get(outcome.actor_id, OFFSTAGE))
        for who, memory in _outcome_memories(outcome, place, before, after, keeps_words=keeps_words):
            found.setdefault(who, []).append(memory)
        if outcome.code == "moved" and outcome.location_id is not None:
            at[outcome.actor_id] = outcome.location_id
    moved = {outcome.actor_id for outcome in resolution.outcomes if outcome.code == "moved"}
    for event in resolution.events:
        for who, memory in _event_memories(event, moved, before, after, personas=keeps_words):
            found.setdefault(who, []).append(memory)
    return {who: kept for who, kept in found.items() if audience is None or who in audience}


def _outcome_memories(
    outcome: Outcome, place: str, before: WorldState, after: WorldState, *, keeps_words: bool
) -> Iterator[tuple[str, _Memory]]:
    for sight, where in sights_of(outcome, place):
        for who in _people_at(where, before, after, personas=keeps_words):
            is_end = who in (outcome.actor_id, outcome.target_id)
            what = _WHISPER if outcome.whispered and not is_end else sight
            done_to = who == outcome.target_id and what.importance > 1
            importance = min(what.importance + (_TO_ONESELF if done_to else 0), _WEIGHTIEST)
            said = _said(outcome) if keeps_words and what is sight else ""
            yield who, _Memory(_sentence(what, outcome, where, after, said=said), importance)


def _people_at(place: str, before: WorldState, after: WorldState, *, personas: bool = False) -> list[str]:
    """Return the cast, and with `personas` those whom players play, who were at a place or came there, by ID."""
    if place == OFFSTAGE:
        return []
    present = [who for state in (before, after) for who, where in state.positions.items() if where == place]
    return sorted({who for who in present if is_npc(who, after) or (personas and after.is_players(who))})


def _said(outcome: Outcome) -> str:
    """Return the actor's own words, where the act is words or a free attempt; cut to one line."""
    verb = verb_of(outcome.type)
    if verb is None or not (verb.is_speech or verb.is_free):
        return ""
    words = " ".join(outcome.words.split())
    return words if len(words) <= _MOST_SAID else f"{words[:_MOST_SAID].rpartition(' ')[0]} …"


def _sentence(what: Sight, outcome: Outcome, place: str, state: WorldState, *, said: str = "") -> str:
    if said:
        text = what.text.replace("{about}", "").format(
            actor=the(outcome.actor_id, state) or "Somebody",
            target=the(outcome.target_id, state) or "something",
            item=the(outcome.item_id, state) or "something",
            place=the(place, state),
        )
        return f"{text[:1].upper()}{text[1:]}: “{said}”."
    named = _longest_name(outcome, state) if "{about}" in what.text else ""
    text = what.text.format(
        actor=the(outcome.actor_id, state) or "Somebody",
        target=the(outcome.target_id, state) or "something",
        item=the(outcome.item_id, state) or "something",
        place=the(place, state),
        about=f" about {named}" if named else what.otherwise,
    )
    return f"{text[:1].upper()}{text[1:]}."


def _longest_name(outcome: Outcome, state: WorldState) -> str:
    """Return the longest part of the actor's own words that names somebody or something, as it was said."""
    words = outcome.words.casefold()
    found: list[str] = []
    for entity in state.entities.values():
        for name in (entity.name, *entity.aliases):
            if entity.id != outcome.target_id and _is_word(name.casefold(), words):
                found.append(name)
    return max(sorted(found), key=len, default="")


def _is_word(name: str, words: str) -> bool:
    """Tell whether a name stands in the words by itself, and not within another word."""
    return name in words and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words) is not None


def _event_memories(
    event: EngineEvent, moved: Collection[str], before: WorldState, after: WorldState, *, personas: bool
) -> Iterator[tuple[str, _Memory]]:
    """Yield memories of events beside the attempts: injuries, bonds, people who came or went by no act of their own."""
    match event:
        case ConditionGained():
            done, importance = f"was {event.condition}", 4
        case Arrived() | Departed() if event.entity not in moved:
            done, importance = "came" if isinstance(event, Arrived) else "went away", 2
        case _:
            return
    if event.entity not in after.entities:
        return
    name = the(event.entity, after)
    for who in _people_at(after.scene.location_id, before, after, personas=personas):
        if who != event.entity and event.reaches(who):
            yield who, _Memory(f"{name[:1].upper()}{name[1:]} {done}.", importance)


def _regard_changes(resolution: Resolution, before: WorldState, after: WorldState) -> Iterator[ChangeRelation]:
    """Yield what changes between two people by an act, where nothing has changed between them in the round."""
    settled = {pair(op.a, op.b) for op in resolution.ops if isinstance(op, ChangeRelation)}
    for a, b, trust, tension in (*_outcome_changes(resolution, before, after), *_promise_changes(before, after)):
        if a == b or pair(a, b) in settled or not (is_person(a, after) and is_person(b, after)):
            continue
        settled.add(pair(a, b))
        stands = after.relations.get(relation_key(a, b))
        by = [
            _clamp_step(0 if stands is None else getattr(stands, name), step)
            for name, step in (("trust", trust), ("tension", tension))
        ]
        if any(by):
            yield ChangeRelation(a=a, b=b, trust=by[0], tension=by[1])


def _outcome_changes(
    resolution: Resolution, before: WorldState, after: WorldState
) -> Iterator[tuple[str, str, int, int]]:
    for outcome in resolution.outcomes:
        if outcome.code == "blocked" or outcome.target_id is None:
            continue
        verb = verb_of(outcome.type)
        if verb is not None and any(verb.regard):
            regard = _civil_regard(verb.regard, outcome, before, after) if verb.is_civil else verb.regard
            yield (outcome.target_id, outcome.actor_id, *regard)
        if verb is not None and verb.is_violent:
            for who in _people_at(before.positions.get(outcome.actor_id, OFFSTAGE), before, after):
                stands = before.relations.get(relation_key(who, outcome.target_id))
                if who != outcome.actor_id and stands is not None and stands.trust > 0:
                    yield (who, outcome.actor_id, *_FOR_A_FRIEND)


def _civil_regard(regard: tuple[int, int], outcome: Outcome, before: WorldState, after: WorldState) -> tuple[int, int]:
    """Return what a civility changes: as much of a strain as there is, once a day between two people."""
    target = outcome.target_id or ""
    stands = before.relations.get(relation_key(target, outcome.actor_id))
    if stands is None or civil_key(outcome.actor_id, target, after) in before.recall:
        return (0, 0)
    return min(regard[0], 0), max(regard[1], -max(stands.tension, 0))


def _promise_changes(before: WorldState, after: WorldState) -> Iterator[tuple[str, str, int, int]]:
    """Yield what has become established about a promise."""
    for fact_id in changed_facts(before.facts, after.facts):
        fact = after.facts[fact_id]
        if fact.predicate not in _WORD or fact.is_only_told:
            continue
        to = _named_person(fact, after)
        if to is not None:
            yield (fact.subject_id, to, *_WORD[fact.predicate])


def _named_person(fact: Fact, state: WorldState) -> str | None:
    """Return the ID of the person whom a fact's object names, by ID or by own name."""
    named = state.player_id if fact.object in ("you", "player") else fact.object
    people = [position for position in state.positions if named in (position, local(position))]
    return min(people, default=None)


def _clamp_step(value: int, step: int) -> int:
    """Return the step, as far as it does not lead beyond the bound; a value beyond it already stays."""
    if step > 0:
        return max(min(step, BOUND - value), 0)
    return min(max(step, -BOUND - value), 0)
