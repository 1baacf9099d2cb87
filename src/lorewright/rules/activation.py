"""Who of those present acts in a turn of their own accord, and in which order (specification: baked ones first, others
by chattiness, each rolling against it)."""

from __future__ import annotations

from collections.abc import Iterable

from lorewright.rules.actions import CastRule
from lorewright.rules.dice import Dice
from lorewright.rules.outcomes import Roll
from lorewright.world.frozen import Frozen

PURPOSE = "activation"
_DICE = "1d100"


class Activation(Frozen):
    """`order` are those who act, `skipped` those whose dice said no, both by ID in the order in which they were asked;
    `rolls` are the dice of all who had to roll."""

    order: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    rolls: tuple[Roll, ...] = ()


def activate(cast: Iterable[tuple[str, CastRule]], dice: Dice) -> Activation:
    """Who acts: baked ones by ID, then the others, the chattiest first and of equals by ID. One rolls a d100 and acts
    on their chattiness in hundredths or less: at 0 never, at 1 always."""
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
    """In which order they act: baked ones by ID, then the others, the chattiest first and of equals by ID."""
    return sorted(cast, key=_rank)


def _rank(one: tuple[str, CastRule]) -> tuple[bool, float, str]:
    """Baked ones have no chattiness to speak of: their ID alone orders them."""
    who, rule = one
    return (not rule.baked, 0.0 if rule.baked else -rule.chattiness, who)
