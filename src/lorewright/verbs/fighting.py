"""Verbs of fighting: attack."""

from __future__ import annotations

from collections.abc import Iterator

from lorewright.rules.patch import Outcome
from lorewright.rules.reasons import why_not_to_somebody
from lorewright.rules.verbs import ItemMetadata, Sight, Verb

_ATTACKED = Sight("{actor} attacked {target}", 4)
_BEATEN_OFF = Sight("{actor} attacked {target} and was beaten off", 4)


def _attack_sights(outcome: Outcome, place: str) -> Iterator[tuple[Sight, str]]:
    yield (_BEATEN_OFF if outcome.band == "fail" else _ATTACKED), place


ATTACK = Verb(
    name="attack",
    rank=110,
    summary="strike at somebody",
    condition="the person is here, and the weapon is carried",
    remembered="that somebody was attacked, and whether the attacker was beaten off",
    lines={"fight": "attack {person}"},
    metadata=ItemMetadata,
    aim="person",
    needs=("target",),
    requires=why_not_to_somebody,
    is_violent=True,
    sights=_attack_sights,
    note="tell how the fight with {target} goes",
)

VERBS = (ATTACK,)
