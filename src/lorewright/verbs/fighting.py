"""Verbs of fighting: attack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lorewright.builtin.inner import VIOLENCE
from lorewright.builtin.narrator.act_words import Actor, Telling
from lorewright.builtin.narrator.outcomes import telling_of_person
from lorewright.builtin.narrator.views import Beat
from lorewright.builtin.npc.considered import Reaction
from lorewright.rules.patch import Outcome
from lorewright.rules.reasons import why_not_to_somebody
from lorewright.rules.verbs import ItemMetadata, Sight, Verb
from lorewright.values.records import Evidence

_ATTACKED = Sight("{actor} attacked {target}", 4)
_BEATEN_OFF = Sight("{actor} attacked {target} and was beaten off", 4)


def _attack_sights(outcome: Outcome, place: str) -> Iterator[tuple[Sight, str]]:
    yield (_BEATEN_OFF if outcome.band == "fail" else _ATTACKED), place


def _tell_attack_of_others(
    actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str
) -> list[Beat] | None:
    if outcome.code not in ("acted", "told"):
        return None
    return [actor.beat("act", "npc.attack", {"band": outcome.band or "success"}, to=outcome.target_id)]


def _after_attack(actor: Actor, outcome: Outcome) -> str:
    return "fight"


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
    parts=(
        VIOLENCE,
        Reaction(tags=("flight",), is_thought_about=True),
        Telling(
            of_player=telling_of_person("deed.attack"),
            of_others=_tell_attack_of_others,
            after=_after_attack,
            fails_in_words=True,
        ),
    ),
)

VERBS = (ATTACK,)
