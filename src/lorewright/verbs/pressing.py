"""Verbs of pressing somebody: persuade, threaten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import Field

from lorewright.builtin.inner import THREAT
from lorewright.builtin.narrator.act_words import (
    Actor,
    Telling,
    after_talk,
    answer_beats,
    meant_for,
    recorded_beats,
    speaks,
    topic_of,
    worded,
)
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.outcomes import telling_of_person
from lorewright.builtin.narrator.views import Beat
from lorewright.builtin.npc.considered import Reaction
from lorewright.rules.actions import Attempt
from lorewright.rules.acts import Answer, first_new, held_by, put_on_record, reveal
from lorewright.rules.observations import UNSEEN
from lorewright.rules.patch import Outcome, Patch
from lorewright.rules.reasons import why_not_to_somebody
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import Sight, Verb, seen
from lorewright.values.records import Evidence
from lorewright.world.frozen import Frozen


class PressureMetadata(Frozen):
    """The aim of pressure on somebody, in the actor's words, and the thing that is to help: a bribe, a weapon."""

    topic: str = Field(default="", max_length=200)
    item_id: str | None = None
    whisper: bool = False


def _press(patch: Patch, attempt: Attempt, facts: tuple[str, ...] = ()) -> Answer:
    """Let somebody who was won over or frightened tell what they know of the matter; what is withheld only a rule
    opens.
    """
    action = attempt.action
    if action.metadata.get("topic") and action.target_id != patch.state.player_id:
        matched = held_by(action.target_id, attempt)
        new = first_new([item for item in matched if item.role == "knows"], action.actor_id, patch.state)
        if new is not None:
            reveal(patch, new.id, action, how="told", others="overheard")
            return Answer("told", fact_ids=facts)
        if first_new(matched, action.actor_id, patch.state) is not None:
            return Answer("deflected", fact_ids=facts)
    return Answer("acted", fact_ids=facts)


def _telling(name: str) -> Telling:
    def tell(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
        return [*_pressure_beats(actor, outcome, words, f"npc.{name}"), *answer_beats(actor, outcome, evidence)]

    return Telling(of_player=telling_of_person(f"deed.{name}"), of_others=tell, after=after_talk(), fails_in_words=True)


def _pressure_beats(actor: Actor, outcome: Outcome, words: str, group: str) -> list[Beat]:
    """Return pressure by its end, where that is known, or by its topic, else the intention's own words; threats as they
    are on record.
    """
    topic, to = topic_of(actor.told, outcome), outcome.target_id
    aimed, _ = meant_for(actor.told, to)
    on_record = recorded_beats(actor, outcome, "npc.threatened")
    if on_record and outcome.band is None:
        return on_record
    rolled = outcome.band is not None or (aimed.get("to") == "other")
    if words and not rolled and (speaks(words) or not topic):
        return worded(actor, words)
    about: dict[str, Fact] = {"topic": "named"} if topic else {}
    facts: dict[str, Fact] = {"band": outcome.band or "success"} if rolled else about
    return [actor.beat("act", group, facts if aimed else {}, to=to, topic=topic), *on_record]


# persuade: win somebody over.


def _persuade(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    return _press(patch, attempt)


_WON_OVER = Sight("{actor} won {target} over", 2)
_TRIED_TO = Sight("{actor} tried to win {target} over", 2)


def _persuade_sights(outcome: Outcome, place: str) -> Iterator[tuple[Sight, str]]:
    yield (_WON_OVER if outcome.band in UNSEEN or outcome.code == "told" else _TRIED_TO), place


PERSUADE = Verb(
    name="persuade",
    rank=70,
    summary="win somebody over, or have something from them",
    condition="the person is here, and the thing that is to help is carried",
    remembered="whether somebody was won over",
    lines={"win_over": "persuade {person}"},
    grounding="theirs",
    reply="answer",
    loosens_tongues=True,
    metadata=PressureMetadata,
    aim="person",
    needs=("target",),
    requires=why_not_to_somebody,
    does=_persuade,
    is_speech=True,
    is_pressing=True,
    sights=_persuade_sights,
    note="let {target} give way, or not",
    parts=(_telling("persuade"),),
)


# threaten: frighten somebody; the threat is on record.


def _threaten(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    return _press(patch, attempt, put_on_record(patch, attempt.action, "threatened"))


THREATEN = Verb(
    name="threaten",
    rank=80,
    summary="frighten somebody; the threat is on record from then on",
    condition="the person is here, and the thing that is to help is carried",
    remembered="that somebody was threatened, and the words of the threat",
    lines={"frighten": "threaten {person}"},
    grounding="theirs",
    reply="answer",
    loosens_tongues=True,
    metadata=PressureMetadata,
    aim="person",
    needs=("target",),
    requires=why_not_to_somebody,
    does=_threaten,
    is_speech=True,
    is_pressing=True,
    regard=(0, 1),
    sights=seen("{actor} threatened {target}", 4),
    note="let {target} give way, or not",
    parts=(
        THREAT,
        Reaction(tags=("threat",), is_thought_about=True),
        _telling("threaten"),
    ),
)

VERBS = (PERSUADE, THREATEN)
