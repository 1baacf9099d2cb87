"""Verbs of asking: ask, recall."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_words import Actor, Telling, after_talk, recorded, talk_beats
from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.outcomes import answered, reaction_beats
from lorewright.builtin.narrator.scenery import answer, said_of
from lorewright.builtin.narrator.views import Beat, Slot
from lorewright.builtin.npc.considered import (
    Aim,
    Enactment,
    Moment,
    PossibleAct,
    Reaction,
    is_word,
    name_topic,
    recent_topics,
)
from lorewright.rules.actions import Action, Attempt, GroundedItem, Promised
from lorewright.rules.acts import Answer, first_new, held_by, reveal
from lorewright.rules.effects import recorded_facts
from lorewright.rules.patch import Outcome, Patch, ReasonCode
from lorewright.rules.reasons import why_no_person, why_not_to_somebody
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import Verb, seen
from lorewright.values.records import Evidence, Named, NarratorInput, Recorded
from lorewright.world.frozen import Frozen
from lorewright.world.state import WorldState

# The asker learns what is answered, and bystanders hear it, unless it is whispered. The player's own answers are never
# made up.

# ask: a question to somebody.


class AskMetadata(Frozen):
    """What is asked about, in the asker's words; grounded to items by code before the rules see it. What is whispered
    is between the two."""

    topic: str = Field(default="", max_length=200)
    whisper: bool = False


def _why_not_ask(action: Action, state: WorldState) -> ReasonCode | None:
    return why_no_person(action, state, nobody="nobody_to_ask")


def _ask(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    """Tell the best-ranked new item; put the asker off where all new ones are withheld, else repeat a known one.

    A question to the player remains a question.
    """
    action = attempt.action
    if action.target_id == patch.state.player_id:
        return Answer("acted")
    matched = held_by(action.target_id, attempt)
    if not matched:
        return Answer("does_not_know")
    who = action.actor_id
    free = [item for item in matched if item.role == "knows"]
    new = first_new(free, who, patch.state) or first_new(matched, who, patch.state)
    if new is None:
        return Answer("told_before", known_item_ids=_known_to_the_player(matched[0], action, patch.state))
    if new.role == "withholds":
        return Answer("deflected")
    reveal(patch, new.id, action, how="told", others="overheard")
    return Answer("told")


def _known_to_the_player(item: GroundedItem, action: Action, state: WorldState) -> tuple[str, ...]:
    """Return the item if the player has learned it before: telling it again reveals no more."""
    is_known = action.actor_id == state.player_id or state.has_learned(state.player_id, item.id)
    return (item.id,) if is_known else ()


def _tell_ignorance(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Return what is passed on about the topic; else that there is no answer, and a gesture of the person asked."""
    reaction = reaction_beats(given, outcome)
    if passed_on := answer(given, outcome):
        return [*passed_on, *reaction]
    return [answered(given, outcome), *(reaction or said_of(given, outcome.target_id, kind="reaction"))]


def _tell_question_of_others(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    return talk_beats(actor, outcome, evidence, words, "npc.ask")


# Questions of more words than these are not passed on.
_QUESTION = 8


def _pass_on_question(outcome: Outcome, moment: Moment) -> Iterator[PossibleAct]:
    """Yield the same question to somebody else who is there, if the character does not know the answer."""
    if outcome.code != "does_not_know":
        return
    what = name_topic(outcome.words.strip(" ?.!"), moment)
    if (
        not what
        or len(what.split()) > _QUESTION
        or not moment.can(ASK.name)
        or outcome.actor_id != moment.given.player_id
    ):
        return
    for other in moment.others:
        key = f"asked:{other.id}:{what.casefold()}"
        if moment.done(key) or moment.toward(other.id).trust < 0:
            continue
        found = moment.words.sentence("ask.other", person=other.id, what=what)
        if found is not None:
            action = moment.action(ASK.name, other.id, words=what)
            yield PossibleAct(found.text, 4, ("question", "help"), action=action, keys=(found.key, moment.key(key)))


def _ask_around(moment: Moment) -> Iterator[PossibleAct]:
    """Yield open questions that concern the character, to those who might have heard something: to each of them once.

    Others of the cast are asked about what has come up; nobody about what they have just asked the character.
    """
    if not moment.can(ASK.name):
        return
    come_up = recent_topics(moment)
    for concern in moment.given.concerns:
        absent = [
            entity_id
            for entity_id in concern.about
            if not moment.is_here(entity_id) and entity_id in moment.given.names
        ]
        for about in absent[:2]:
            what = moment.given.names[about]
            for person in moment.people:
                is_player = person.id == moment.given.player_id
                is_idle = not is_player and not is_word(what.casefold(), come_up)
                if is_idle or moment.toward(person.id).trust < 0 or _has_asked(person, what, moment):
                    continue
                if (asked := _asked(person, about, what, moment, weight=3 if is_player else 1)) is not None:
                    yield asked


def _asked(person: Named, about: str, what: str, moment: Moment, *, weight: int) -> PossibleAct | None:
    key = f"asked:{person.id}:{about}"
    group = "ask.player" if person.id == moment.given.player_id else "ask.other"
    found = moment.words.sentence(group, person=person.id, what=what)
    if found is None or moment.done(key):
        return None
    thought, keys = moment.thought("think.ask", person=person.id, what=what)
    action = moment.action(ASK.name, person.id, words=what)
    used = (found.key, *keys, moment.key(key))
    return PossibleAct(found.text, weight, ("question",), thought=thought, action=action, keys=used)


def _has_asked(person: Named, what: str, moment: Moment) -> bool:
    """Tell whether somebody asked the character about the same, as far as they remember."""
    me, name = moment.given.me, what.casefold()
    for outcome in moment.given.outcomes:
        if (outcome.actor_id, outcome.target_id) == (person.id, me.id) and is_word(name, outcome.words.casefold()):
            return True
    asked = f"{person.name} asked {me.name} about ".casefold()
    return any(
        asked in (said := remember.content.casefold()) and is_word(name, said) for remember in moment.given.remembers
    )


ASK = Verb(
    name="ask",
    rank=50,
    summary="ask somebody about something, or begin to talk",
    condition="the person is here",
    remembered="that it was asked, and what about as far as that names anybody",
    lines={"question": "ask {person} about {topic}", "meet": "talk to {person}"},
    grounding="theirs",
    reply="answer",
    loosens_tongues=True,
    metadata=AskMetadata,
    aim="person",
    needs=("target", "topic"),
    requires=_why_not_ask,
    does=_ask,
    is_speech=True,
    sights=seen("{actor} asked {target}{about}", 1, " something"),
    note="let {target} answer",
    note_target="the person asked",
    parts=(
        Aim(70, _ask_around),
        Enactment(group="ask.other"),
        Reaction(acts=_pass_on_question),
        Telling(
            of_others=_tell_question_of_others,
            codes={"does_not_know": _tell_ignorance},
            after=after_talk("ask"),
            watched_as="ask",
            target_is_person=True,
        ),
    ),
)


# recall: what was said, promised or is owed between two people.


class RecallMetadata(Frozen):
    """What of the record is asked after, and by whom it was said: the one who is asked, or oneself. With a `topic` it
    is claimed that so much was said, promised or is owed; code looks for what says so before the rules see it."""

    about: Promised | None = None
    by: Literal["them", "you"] = "them"
    topic: str = Field(default="", max_length=200)


def _recall(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    """Return the facts on record between the two, of the kind that is asked for; for a claim those that bear it out, or
    nothing.
    """
    action = attempt.action
    if action.metadata.get("topic"):
        return _claimed(attempt, patch.state)
    me, other = action.actor_id, action.target_id or ""
    by, to = (me, other) if action.metadata.get("by") == "you" else (other, me)
    facts = recorded_facts(patch.state, by=by, to=to, predicate=action.metadata.get("about"))
    return Answer("recalled", fact_ids=facts) if facts else Answer("nothing_recorded")


def _claimed(attempt: Attempt, state: WorldState) -> Answer:
    grounding, who = attempt.grounding, attempt.action.actor_id
    facts = tuple(
        fact_entity_id
        for fact_entity_id in grounding.fact_ids
        if fact_entity_id in state.facts and state.facts[fact_entity_id].visibility == "player"
    )
    items = [item.id for item in grounding.items if state.has_learned(who, item.id)]
    if facts:
        return Answer("recalled", fact_ids=facts)
    return Answer("told_before", known_item_ids=(items[0],)) if items else Answer("nothing_recorded")


def _tell_recall(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Return each promise, threat or debt in the words in which it was said."""
    who = views.person(given, outcome.target_id)
    records = [record for record in given.recorded if record.fact_id in outcome.fact_ids and plain(record.what)]
    if who is None or not records:
        return [Beat("outcome", "acted", {"band": "none"})]
    return [_record(given, record, {"who": who}, is_first=number == 0) for number, record in enumerate(records[:3])]


def _record(given: NarratorInput, record: Recorded, slots: dict[str, Slot], *, is_first: bool) -> Beat:
    facts: dict[str, Fact] = {"by": "you" if record.by_id == given.player_id else "them", "kind": record.predicate}
    group = "recalled" if is_first else "recalled.more"
    return Beat("evidence", group, facts if is_first else {}, slots, authored=plain(record.what), is_speech=True)


def _tell_recall_of_others(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    if outcome.code == "recalled":
        return _recalled(actor, outcome)
    if outcome.code == "nothing_recorded":
        return [actor.beat("act", "npc.nothing_recalled", to=outcome.target_id)]
    return talk_beats(actor, outcome, evidence, words, "npc.nothing_recalled")


def _recalled(actor: Actor, outcome: Outcome) -> list[Beat]:
    said = recorded(actor, outcome)
    if not said:
        return [actor.beat("act", "npc.nothing_recalled", to=outcome.target_id)]
    beats = []
    for number, record in enumerate(said[:2]):
        by = "you" if record.by_id == actor.told.player_id else "them"
        facts: dict[str, Fact] = (
            {"by": by, "kind": record.predicate} if outcome.target_id == actor.told.player_id else {}
        )
        frame = actor.beat("act", "recalled.more" if number else "npc.recalled", facts, to=outcome.target_id)
        facts_told = {} if number else frame.facts
        beats.append(Beat("act", frame.group, facts_told, frame.slots, authored=plain(record.what), is_speech=True))
    return beats


# A promise is not spoken of in the turn in which it was given, nor for so long after it (in-world minutes).
_A_WHILE = 10


def _remind(moment: Moment) -> Iterator[PossibleAct]:
    """Yield a question about a promise, once, when a while has passed."""
    given = moment.given
    if not moment.can(RECALL.name):
        return
    for record in given.recorded:
        is_promise = record.predicate == "promised" and record.to_id == given.me.id and moment.is_here(record.by_id)
        if not is_promise or moment.done(f"reminded:{record.fact_id}") or _is_fresh(record, moment):
            continue
        found = moment.words.sentence("remind", person=record.by_id)
        thought, keys = moment.thought("think.remind", person=record.by_id)
        if found is not None:
            used = (found.key, *keys, moment.key(f"reminded:{record.fact_id}"))
            action = moment.action(RECALL.name, record.by_id)
            yield PossibleAct(found.text, 4, ("question",), thought=thought, action=action, keys=used)


def _is_fresh(promise: Recorded, moment: Moment) -> bool:
    """Tell whether it was given in this turn, or not long ago as far as the character remembers."""
    given = moment.given
    if any(promise.fact_id in outcome.fact_ids for outcome in given.outcomes):
        return True
    by = given.names.get(promise.by_id, "")
    lately = [remember for remember in given.remembers if given.minutes - remember.minute < _A_WHILE]
    return any(memory.content.startswith(by) and "promise" in memory.content for memory in lately)


RECALL = Verb(
    name="recall",
    rank=100,
    summary="hold somebody to what was said, promised or is owed between the two",
    condition="the person is here",
    remembered="that somebody was reminded",
    lines={"remind": "ask {person} what they promised me"},
    tried="recall what was said",
    is_claim=True,
    metadata=RecallMetadata,
    aim="person",
    needs=("target",),
    requires=why_not_to_somebody,
    does=_recall,
    is_speech=True,
    sights=seen("{actor} reminded {target} of what was said between them", 2),
    note="let {target} say what stands between them",
    parts=(
        Aim(60, _remind),
        Telling(of_others=_tell_recall_of_others, codes={"recalled": _tell_recall}, after=after_talk()),
    ),
)

VERBS = (ASK, RECALL)
