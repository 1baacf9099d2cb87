"""What somebody says of their own accord, and what is answered -> beats: questions, news, pressure, promises."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_words import Actor, meant_for, speaks, topic_of, worded
from lorewright.builtin.narrator.authored import plain, quoted, reminder
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.views import Beat, Person
from lorewright.rules.outcomes import Outcome
from lorewright.values.records import Evidence, Recorded

_GROUPS: Final = MappingProxyType(
    {
        "ask": "npc.ask", "tell": "npc.said", "persuade": "npc.persuade", "threaten": "npc.threaten",
        "promise": "npc.promised", "recall": "npc.nothing_recalled",
    }
)  # fmt: skip
_ANSWERED = frozenset(("told", "told_before", "deflected", "does_not_know"))


def talk_beats(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], *, words: str) -> list[Beat] | None:
    """What is said and what is answered; None where the act is no talk."""
    if outcome.type not in _GROUPS:
        return None
    if outcome.code in ("heard", "heard_before"):
        return _told(actor, outcome, evidence)
    if outcome.code == "promised":
        return _on_record(actor, outcome, "npc.promised.said") or [
            actor.beat("act", "npc.promised", to=outcome.target_id)
        ]
    if outcome.code == "recalled":
        return _recalled(actor, outcome)
    if outcome.code == "nothing_recorded":
        return [actor.beat("act", "npc.nothing_recalled", to=outcome.target_id)]
    said = _said(actor, outcome, words)
    if outcome.code in _ANSWERED and outcome.target_id != actor.told.player_id:
        return [*said, *_answered(actor, outcome, evidence)]
    return said


def _said(actor: Actor, outcome: Outcome, words: str) -> list[Beat]:
    """A question, pressure, or words; the intention's own where ours could not say what about."""
    topic = topic_of(actor.told, outcome)
    about: dict[str, Fact] = {"topic": "named"} if topic else {}
    group, to = _GROUPS[outcome.type], outcome.target_id
    aimed, _ = meant_for(actor.told, to)
    if outcome.type in ("persuade", "threaten"):
        recorded = _on_record(actor, outcome, "npc.threatened")
        if recorded and outcome.band is None:
            return recorded
        rolled = outcome.band is not None or (aimed.get("to") == "other")
        facts: dict[str, Fact] = {"band": outcome.band or "success"} if rolled else about
        if words and not rolled and (speaks(words) or not topic):
            return worded(actor, words)
        return [actor.beat("act", group, facts if aimed else {}, to=to, topic=topic), *recorded]
    if words and (speaks(words) or not topic):
        return worded(actor, words)
    return [actor.beat("act", group, about if aimed else {}, to=to, topic=topic)]


def _told(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence]) -> list[Beat]:
    """What was told, word for word where it is new to the player; else that it was told."""
    new = [one for one in evidence if not one.known_before]
    if new:
        return quotes(actor, "npc.told", new, to=outcome.target_id)
    if outcome.code == "heard":
        return [actor.beat("act", "npc.told_bare", to=outcome.target_id)]
    is_yours = outcome.target_id == actor.told.player_id
    known = next((one for one in evidence if is_yours), None)
    clause = reminder(plain(known.text)) if known else ""
    facts: dict[str, Fact] = {"reminder": bool(clause)} if is_yours else {}
    beat = actor.beat("act", "npc.told_again", facts, to=outcome.target_id, reminder=quoted(clause) if clause else "")
    return [beat]


def _answered(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence]) -> list[Beat]:
    """What somebody else answers, word for word where it is new to the player."""
    who = views.person(actor.told, outcome.target_id)
    if who is None:
        return []
    new = [one for one in evidence if not one.known_before]
    other = actor.person.name
    if outcome.code == "told" and new:
        return _framed("npc.answered.told", who, other, {}, new)
    group = "npc.answered.told.bare" if outcome.code == "told" else f"npc.answered.{outcome.code}"
    return [Beat("act", group, {}, {"who": who, "other": other})]


def quotes(actor: Actor, group: str, evidence: Sequence[Evidence], *, to: str | None) -> list[Beat]:
    """Evidence in the actor's voice, framed by a group."""
    aimed, other = meant_for(actor.told, to)
    return _framed(group, actor.person, other, aimed, evidence)


def _framed(group: str, who: Person, other: str, facts: dict[str, Fact], evidence: Sequence[Evidence]) -> list[Beat]:
    return [
        Beat(
            "evidence",
            "told.more" if number else group,
            {} if number else facts,
            {"who": who, "other": other},
            authored=plain(one.text),
            is_speech=True,
            cites=(one.item_id,),
        )
        for number, one in enumerate(evidence)
    ]


def _on_record(actor: Actor, outcome: Outcome, group: str) -> list[Beat]:
    """What was threatened or promised, in the words in which it stands on record."""
    said = _recorded(actor, outcome)
    return [
        Beat("act", beat.group, beat.facts, beat.slots, authored=plain(one.what), is_speech=True)
        for one in said[:1]
        for beat in [actor.beat("act", group, to=outcome.target_id)]
    ]


def _recalled(actor: Actor, outcome: Outcome) -> list[Beat]:
    said = _recorded(actor, outcome)
    if not said:
        return [actor.beat("act", "npc.nothing_recalled", to=outcome.target_id)]
    beats = []
    for number, one in enumerate(said[:2]):
        by = "you" if one.by_id == actor.told.player_id else "them"
        facts: dict[str, Fact] = {"by": by, "kind": one.predicate} if outcome.target_id == actor.told.player_id else {}
        frame = actor.beat("act", "recalled.more" if number else "npc.recalled", facts, to=outcome.target_id)
        facts_told = {} if number else frame.facts
        beats.append(Beat("act", frame.group, facts_told, frame.slots, authored=plain(one.what), is_speech=True))
    return beats


def _recorded(actor: Actor, outcome: Outcome) -> list[Recorded]:
    return [one for one in actor.told.recorded if one.fact_id in outcome.fact_ids and plain(one.what)]
