"""Scenario and packs -> what nobody has to write: ways from links, and a rule for each withheld item whose note says
what opens it.

What a scenario writes goes before all of it: one exit or `map` of its own, and no way is derived; one effect that
reveals an item, and that item has no derived rule.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lorewright.campaigns.scenarios.names import NameLookup
from lorewright.campaigns.scenarios.scenario import Scenario, effects_of
from lorewright.ids import local
from lorewright.index.generation import Generation
from lorewright.packs.models import OPEN_ROLES, Item
from lorewright.retrieval.view import SameThings, find_same_things, ids_of, merge_entity
from lorewright.rules.conditions import AllOf, Not, RelationIs, Revealed
from lorewright.rules.effects import ClockEffect, Effect, RelationEffect, RevealEffect, effect_ops
from lorewright.rules.hours import minutes_between
from lorewright.rules.rulesets import Check, Rule, Ruleset, RuleTrigger
from lorewright.rules.verbs import verbs
from lorewright.world.apply import apply
from lorewright.world.state import Exit, WorldState

# A way that is made of a link takes as long as in a walk.
LINKED_MINUTES = 5
_DICE = re.compile(r"^(\d{0,2}d\S+)(?:\s+(\w+))?$")


def linked_ways(places: Collection[str], generations: Sequence[Generation]) -> dict[str, tuple[Exit, ...]]:
    """Return ways between places whose open text names one another, in both directions, by the places' IDs."""
    same = find_same_things(generations)
    place_of = {told_as: place for place in places for told_as in ids_of(place, same)}
    found: dict[str, dict[str, Exit]] = {place: {} for place in places}
    for place in places:
        for other in _linked(place, place_of, same, generations):
            for start, end in ((place, other), (other, place)):
                entity = merge_entity(end, generations)
                name = entity.name if entity is not None else local(end)
                found[start].setdefault(end, Exit(name=name, to=end, minutes=LINKED_MINUTES))
    return {place: tuple(ways.values()) for place, ways in found.items() if ways}


def _linked(
    place: str, place_of: Mapping[str, str], same: SameThings, generations: Sequence[Generation]
) -> Iterator[str]:
    """Yield the places that the open text of a place links, each once."""
    links = (
        value
        for generation in generations
        for told_as in ids_of(place, same)
        for chunk in generation.chunks_of(told_as)
        if chunk.role in OPEN_ROLES
        for kind, value in generation.links_of(chunk.row)
        if kind == "location"
    )
    yield from (other for other in dict.fromkeys(map(place_of.get, links)) if other is not None and other != place)


@dataclass(frozen=True, slots=True)
class OpeningNote:
    """A withheld item with a note on what opens it: the rule that is made of it, and where it stands."""

    rule: Rule
    holder_id: str
    item: Item
    file: str


def rules_of_notes(
    holders: Mapping[str, str], revealed: Collection[str | None], ruleset: Ruleset, generations: Sequence[Generation]
) -> Iterator[OpeningNote]:
    """Yield a rule for each noted item of the `holders` (the entities of the packs, each with the person who it is)
    that is not among the `revealed`, in source order. Its names are IDs."""
    acts = tuple(name for name, verb in verbs().items() if verb.opens_withheld and name in ruleset.kinds())
    taken: set[str] = set()
    for generation in generations:
        for entity_id, item in generation.opened_items():
            holder = holders.get(entity_id)
            if holder is None or item.id in revealed or not acts:
                continue
            name = f"opens_{local(entity_id)}_{item.name}".replace("-", "_")
            rule_id = name if name not in taken else f"{name}_{len(taken)}"
            taken.add(rule_id)
            entity = generation.entity(entity_id)
            file = f"{generation.pack_id}/{entity.file_path}" if entity is not None else generation.pack_id
            yield OpeningNote(_rule(rule_id, holder, item, acts), holder, item, file)


def _rule(rule_id: str, holder: str, item: Item, acts: tuple[str, ...]) -> Rule:
    on = RuleTrigger(act=acts, target=holder, topic=item.name)
    reveal = RevealEffect(reveal=item.id)
    told: tuple[Effect, ...] = (reveal,)
    words = item.opened_by or ""
    untold = Not.model_validate({"not": Revealed(revealed=item.id)})
    dice = _DICE.match(words)
    if dice is not None:
        check = Check(dice=dice[1] if dice[1][0].isdigit() else f"1{dice[1]}", add=dice[2])
        price = RelationEffect(relation=(holder, "you"), trust=-1)
        return Rule(id=rule_id, on=on, when=untold, check=check, success=told, mixed=(reveal, price))
    if words.startswith("trust"):
        trusts = RelationIs(regard=holder, min=int(words.split()[1]))
        return Rule(id=rule_id, on=on, when=AllOf(all=(trusts, untold)), success=told)
    return Rule(id=rule_id, on=on, when=untold, success=told)


def times_of_clocks(scenario: Scenario, ruleset: Ruleset) -> dict[str, int]:
    """Return in how many minutes each clock rises by one of itself. One that counts until an hour and that nothing else
    moves is full at that hour; in a story with a pace all of them are, whatever moves them."""
    moved = {str(effect.clock) for effect in effects_of(scenario) if isinstance(effect, ClockEffect)}
    moved |= {cost for action in ruleset.actions.values() for cost in action.costs}
    found: dict[str, int] = {}
    for clock_id, clock in scenario.clocks.items():
        if clock.every:
            found[clock_id] = clock.every
        elif clock.until and not scenario.pace and clock_id not in moved and not clock.cost:
            found[clock_id] = max(1, minutes_between(scenario.begins, clock.until) // clock.max)
    return found


def revealed_by(effects: Iterable[Effect]) -> set[str]:
    """Return the names of the items that effects reveal, as they are written."""
    return {effect.reveal for effect in effects if isinstance(effect, RevealEffect)}


def state_after(given: Sequence[Effect], state: WorldState, names: NameLookup) -> WorldState:
    """Return the state after effects; a problem for each that does not fit."""
    for number, effect in enumerate(given, start=1):
        where, known = f"--with {number}", len(names.problems)
        effect = names.resolved(effect, where=where)
        if len(names.problems) == known:
            applied = apply(state, effect_ops(effect, state))
            if applied.refusal is not None:
                names.problems.append(f"{where}: it does not fit here ({applied.refusal.reason})")
            state = applied.state
    return state
