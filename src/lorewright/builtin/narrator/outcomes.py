"""One Outcome -> its beats: the scenario's own sentence where there is one, else a group of the grammar."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_words import tellers, telling_of
from lorewright.builtin.narrator.authored import ended, is_named_in, lowered, plain, reminder
from lorewright.builtin.narrator.forms import (
    FIRST,
    IN_WORDS,
    MORE,
    SHOWN,
    USED,
    kinds_of,
)
from lorewright.builtin.narrator.grammar import Fact, grammar
from lorewright.builtin.narrator.hearing import (
    answers_of_scenario,
    asks_more,
    beside_the_point,
    holds_things,
    is_asked_about,
    led_by_other,
    not_in_what_was_told,
    played_beats,
)
from lorewright.builtin.narrator.prose_deeds import denied_beat, prose_slots, shown_beat, unseen_of
from lorewright.builtin.narrator.scenery import answer, exits, gone_beat, people, sentences, things
from lorewright.builtin.narrator.small_talk import answer_by_form
from lorewright.builtin.narrator.views import Beat, Person, Slot, claim_beats, evidence_beats, reminder_beat
from lorewright.builtin.words.clauses import listed
from lorewright.ids import content_hash
from lorewright.rules.patch import Outcome
from lorewright.rules.validate import NOT_NOW
from lorewright.values.records import Evidence, NarratorInput
from lorewright.world.ops import TransferItem

# Deeds: an Outcome -> its beats: fights, pressure, stealth, things that change hands, doors, the record. None means
# that the outcome is not of this kind, and is told elsewhere.

_OF_A_THING = frozenset(("dropped", "opened", "closed", "locked", "unlocked"))
_OF_A_PERSON = frozenset(("heard", "heard_before", "promised", "nothing_recorded"))
_REASONS = frozenset(
    (
        *("cannot_take_person", "not_in_inventory", "nobody_named", "not_a_person", "not_to_oneself", "not_openable"),
        *("already_open", "already_closed", "no_lock", "already_locked", "nothing_to_unlock", "no_key", "wrong_key"),
    )
)


def deed_beats(given: NarratorInput, outcome: Outcome) -> list[Beat] | None:
    """Return the result of a deed, or why it could not be done; its price and its gain come from elsewhere."""
    if outcome.code == "blocked":
        return _blocked(given, outcome)
    of_player = telling_of(outcome.type).of_player
    beat = _of_a_code(given, outcome) or (None if of_player is None else of_player(given, outcome))
    if beat is None:
        return None
    slots: dict[str, Slot] = {"deed": outcome.deed}
    is_unnamed = bool(outcome.deed) and beat.group.startswith(("gesture.", "dropped"))
    if is_unnamed and not beat.facts.get("person") and outcome.form in kinds_of(IN_WORDS):
        return [Beat("outcome", IN_WORDS, {"kind": outcome.form, "carried": True}, slots)]
    first = [Beat("outcome", FIRST, {}, slots)] if is_unnamed else []
    return [*first, beat, *_time_price(given, outcome)]


def _of_a_code(given: NarratorInput, outcome: Outcome) -> Beat | None:
    facts, slots = deed_facts(given, outcome)
    code = outcome.code
    if code in _OF_A_THING and slots["thing"]:
        return Beat("outcome", code, {}, slots)
    if code in _OF_A_PERSON and slots["who"]:
        return Beat("outcome", code, {}, slots)
    if code == "given" and slots["who"] and slots["item"]:
        return Beat("outcome", "given", {}, slots)
    if code == "used" and slots["thing"] and not slots["item"] and outcome.form in kinds_of(USED):
        return Beat("outcome", USED, {"kind": outcome.form}, slots)
    if code == "used" and slots["thing"]:
        kept = {key: facts[key] for key in (("person",) if "person" in facts else ("item",)) if key in facts}
        return Beat("outcome", "used", kept if slots["item"] else {}, slots)
    return None


def telling_of_person(group: str) -> Callable[[NarratorInput, Outcome], Beat | None]:
    """Return what tells a deed to somebody by its band, where the outcome has no other code."""

    def tell(given: NarratorInput, outcome: Outcome) -> Beat | None:
        _, slots = deed_facts(given, outcome)
        is_told = outcome.code == "acted" and slots["who"]
        return Beat("outcome", group, {"band": outcome.band or "success"}, slots) if is_told else None

    return tell


def telling_of_small_act(group: str) -> Callable[[NarratorInput, Outcome], Beat | None]:
    """Return what tells a deed without dice, by whether it was done to somebody, to something, or just so."""

    def tell(given: NarratorInput, outcome: Outcome) -> Beat | None:
        facts, slots = deed_facts(given, outcome)
        done_to = only(facts, "person") or only(facts, "thing")
        return Beat("outcome", group, done_to, slots) if outcome.code == "acted" and outcome.band is None else None

    return tell


def deed_facts(given: NarratorInput, outcome: Outcome) -> tuple[dict[str, Fact], dict[str, Slot]]:
    """Return facts and slots of what has a name: the target, the thing that it was about, the thing that was used with
    it.
    """
    is_somebody = any(view.id == outcome.target_id for view in given.scene.people)
    who = views.person(given, outcome.target_id)
    thing = "" if outcome.target_id in (None, given.player_id) else views.thing(given, outcome.target_id)
    item = "" if outcome.item_id is None else views.thing(given, outcome.item_id)
    slots: dict[str, Slot] = {"who": who or "", "thing": thing, "item": item}
    facts: dict[str, Fact] = {}
    if is_somebody and who:
        facts["person"] = True
    if thing:
        facts["thing"] = True
    if item:
        facts["item"] = True
    return facts, slots


def only(facts: dict[str, Fact], key: str) -> dict[str, Fact]:
    """Return the fact of a key alone; empty where it does not hold."""
    return {key: True} if facts.get(key) else {}


def _blocked(given: NarratorInput, outcome: Outcome) -> list[Beat] | None:
    reason = outcome.reason
    facts, slots = deed_facts(given, outcome)
    if reason in ("door_locked", "door_bolted") and outcome.target_id and slots["thing"]:
        slots["door"] = slots["thing"]
        return [Beat("outcome", f"blocked.{reason}", {"door": True}, slots), *_deed_advice(given, reason)]
    if reason not in _REASONS:
        return None
    if reason == "not_in_inventory" and not slots["item"] and telling_of(outcome.type).target_is_carried:
        slots["item"] = slots["thing"]
        facts["item"] = bool(slots["thing"])
    wanted = "item" if reason in ("not_in_inventory", "wrong_key") else "thing"
    if reason in ("nobody_named", "not_to_oneself"):
        return [Beat("outcome", f"blocked.{reason}", {}, slots), *_deed_advice(given, reason)]
    kind: dict[str, Fact] = {"kind": "holder"} if reason == "not_openable" and holds_things(str(slots["thing"])) else {}
    return [Beat("outcome", f"blocked.{reason}", kind or only(facts, wanted), slots), *_deed_advice(given, reason)]


def _deed_advice(given: NarratorInput, reason: str) -> list[Beat]:
    """Return what could be done instead, where there is something to say."""
    if f"help.{reason}" not in grammar():
        return []
    names = [somebody.name for view in given.scene.people if (somebody := views.person(given, view.id))]
    if reason == "nobody_named":
        return (
            [Beat("help", "help.nobody_named", slots={"list": listed(names)}, plural=len(names) > 1)] if names else []
        )
    return [Beat("help", f"help.{reason}")]


def _time_price(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Return the loss of time, where nothing else was the price."""
    return [Beat("price", "price.time")] if given.minutes_lost and outcome.band in ("mixed", "fail") else []


# Blocked: an impossible attempt -> the reason's sentence, what the rules said of it, and what would help.

_ID_LIKE = re.compile(r"\w:\w|\w_\w|\w#|/")


def blocked_beats(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Return the reason in our words, or the rules' own where we have none; then what would help."""
    reason = outcome.reason or _result_reason(given, outcome)
    message = _message(given, outcome)
    if message and (reason is None or (reason == "not_allowed_now" and message != NOT_NOW)):
        return [Beat("outcome", authored=message)]
    name = reason if reason and f"blocked.{reason}" in grammar() else "other"
    if name == "only_scenery" and (gone := gone_beat(given, outcome) or denied_beat(given, outcome)):
        return [gone]
    facts, slots = prose_slots(given, outcome) or _reason_slots(given, outcome)
    is_of_form = bool(outcome.form) and facts.get("kind") == outcome.form
    group = IN_WORDS if facts.pop("deed", False) else SHOWN if is_of_form else f"blocked.{name}"
    if name == "only_scenery" and (played := played_beats(given, outcome)):
        return played
    beat = Beat("outcome", group, facts, slots)
    if name == "only_scenery" and (line := unseen_of(given, outcome)) is not None:
        return [replace(beat, authored=plain(line.text), cites=(line.chunk_id,), keys=(line.key,))]
    # What else lies here is no answer to what is not.
    return [beat] if "noun" in slots else [beat, *(_advice(message) or _suggest(given, name))]


def _advice(message: str) -> list[Beat]:
    """Return what the rules say beyond the reason, which is their first sentence and ours: `Viktor wears the key.`"""
    _, _, rest = message.partition(". ")
    return [Beat("help", authored=rest)] if rest else []


def _result_reason(given: NarratorInput, outcome: Outcome) -> str | None:
    return next((result.reason for result in given.results if result.action_index == outcome.action_index), None)


def _message(given: NarratorInput, outcome: Outcome) -> str:
    """Return the message of the rules, unless it contains an ID."""
    text = next((result.message for result in given.results if result.action_index == outcome.action_index), None)
    return "" if text is None or _ID_LIKE.search(text) else plain(text)


def _reason_slots(given: NarratorInput, outcome: Outcome) -> tuple[dict[str, Fact], dict[str, Slot]]:
    """Return facts and slots of what has a name in the attempt; a slot without a name is false."""
    who = views.person(given, outcome.target_id)
    place = views.place(given, outcome.location_id) if views.name_of(given, outcome.location_id) else ""
    doors = [way.door for way in given.scene.exits if way.to == outcome.location_id and way.door]
    door = views.thing(given, doors[0]) if doors else ""
    thing = "" if outcome.target_id is None else views.thing(given, outcome.target_id)
    slots: dict[str, Slot] = {"who": who or "", "place": place, "door": door, "thing": thing}
    needed = {"blocked.object_not_found": "thing", "blocked.not_takeable": "thing", "blocked.already_carried": "thing"}
    needed |= {"blocked.not_present": "person", "blocked.no_such_exit": "place", "blocked.too_far": "place"}
    needed |= {"blocked.door_locked": "door", "blocked.door_bolted": "door", "blocked.door_closed": "door"}
    fact = needed.get(f"blocked.{outcome.reason or _result_reason(given, outcome)}")
    slot = "who" if fact == "person" else fact
    return ({fact: True} if fact and slot and slots[slot] else {}), slots


def _suggest(given: NarratorInput, reason: str) -> list[Beat]:
    """Return what could be done instead, from what is here."""
    match reason:
        case "no_such_exit":
            return exits(given)
        case "object_not_found":
            return things(given)
        case "not_present":
            return people(given) if given.scene.people else []
        case "nobody_to_ask":
            names = [somebody.name for view in given.scene.people if (somebody := views.person(given, view.id))]
            asked = Beat("help", "help.nobody_to_ask", slots={"list": listed(names)}, plural=len(names) > 1)
            return [asked] if names else []
        case _:
            group = f"help.{reason}"
            return [Beat("help", group)] if group in grammar() else []


# Rhythm: a quotation and the speaker's gestures -> their order, so that no two answers have one rhythm.


def spoken(given: NarratorInput, outcome: Outcome, shown: list[Beat], reaction: list[Beat]) -> list[Beat]:
    """Return the beats in one of four orders: frame, words, reaction; reaction in place of the frame; reaction between
    two sentences of the words; no reaction.

    A frame that says how it went (after a roll) stays, and so does one where the reaction does not name the speaker.
    """
    if len(shown) != 1 or not shown[0].is_speech or not reaction:
        return [*shown, *reaction]
    words, line = shown[0], reaction[0]
    match given.turn_no % 4:
        case 1 if _names(words, line) and outcome.band in (None, "success") and "himself" not in words.facts:
            # It stands for the frame, and must not be dropped.
            return [replace(line, kind="evidence"), replace(words, group="")]
        case 2 if len(parts := sentences(words.authored)) > 1:
            first = replace(words, authored=parts[0])
            rest = replace(words, group="", authored=" ".join(parts[1:]), continues=True)
            return [first, replace(line, kind="evidence"), rest]
        case 3:
            return shown
        case _:
            return [words, line]


def _names(words: Beat, line: Beat) -> bool:
    who = words.slots.get("who")
    return isinstance(who, Person) and is_named_in([who.name], line.authored)


# Outcomes: one Outcome -> its beats: the scenario's own sentence where there is one, else the grammar's.


def outcome_beats(given: NarratorInput, outcome: Outcome, evidence: list[Evidence]) -> list[Beat]:
    """Return the result of one attempt and the evidence that it brought, then its automatic effects; its price comes
    from elsewhere.
    """
    claimed = claim_beats(given, outcome)
    came = _came_of(given, outcome, evidence) if claimed is None else claimed
    return [*came, *_deal_beats(given, outcome), *_time_beats(outcome), *_automatic_beats(given, outcome)]


def _deal_beats(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Return what becomes of a thing that was offered on a condition, where something was told for it."""
    who, item = views.person(given, outcome.target_id), views.thing(given, outcome.item_id) if outcome.item_id else ""
    if outcome.form != "deal" or outcome.code != "told" or who is None or not item:
        return []
    is_paid = any(isinstance(op, TransferItem) and op.item_id == outcome.item_id for op in given.ops)
    return [Beat("outcome", "pressed.paid" if is_paid else "pressed.kept", {}, {"who": who, "item": item})]


def _time_beats(outcome: Outcome) -> list[Beat]:
    """Return how late it is, where a wait has an end that was named, and that a walk did not come to its end."""
    if outcome.cut_short and not outcome.reached:
        return [Beat("outcome", "walk.short")]
    facts: dict[str, Fact] = {"kind": "short"} if outcome.cut_short else {}
    return [Beat("outcome", "waited.until", facts, {"time": outcome.reached})] if outcome.reached else []


def _automatic_beats(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Yield sentences of the ruleset and the scenario; each is told once."""
    beats = []
    for text in filter(None, map(plain, outcome.then)):
        key = f"say:{content_hash(ended(text))[:12]}"
        if not given.recall.get(key):
            beats.append(Beat("outcome", authored=ended(text), keys=(key,)))
    return beats


def _came_of(given: NarratorInput, outcome: Outcome, evidence: list[Evidence]) -> list[Beat]:
    say = " ".join(ended(text) for part in outcome.say if (text := plain(part)))
    key = f"say:{content_hash(say)[:12]}"
    if given.recall.get(key):
        clause = reminder(say)
        if clause and outcome.code == "acted" and outcome.band is None and not evidence:
            # The attempt brought nothing but these words, and they say why.
            return [Beat("outcome", "said_before", {}, {"reminder": lowered(clause)})]
        # An authored sentence is told once: from then on the grammar's are used.
        say, outcome = "", outcome.model_copy(update={"say": ()})
    shown = evidence_beats(given, outcome, evidence)
    if say and outcome.code in ("nothing_found", "found_before"):
        # How the search went is the scenario's to say; that it found nothing is ours.
        return [Beat("outcome", authored=say, keys=(key,)), *_plain_outcome(given, outcome, evidence)]
    if say:
        return [Beat("outcome", authored=say, keys=(key,)), *shown]
    if shown and outcome.code in ("told", "found", "acted"):
        if beside := beside_the_point(given, outcome, evidence):
            return [*beside, *(replace(beat, group="", continues=True) if beat.is_speech else beat for beat in shown)]
        side = views.shown_in_prose(given, outcome) if outcome.code == "found" and views.where(outcome.words) else None
        looked = [] if side is None else [shown_beat(given, side, outcome.form)]
        return [*looked, *spoken(given, outcome, shown, reaction_beats(given, outcome))]
    if outcome.code in _WITHOUT_ANSWER:
        new = [item for item in evidence if not item.known_before]
        if any(item.item_id in outcome.known_item_ids for item in new):
            return []  # They have just told it, asked in other words.
        told = [item for item in new if item.speaker_id is not None]
        if outcome.code == "told_before" and not told and (passed_on := answer(given, outcome)):
            return passed_on
        plain_no = _plain_outcome(given, outcome, evidence)
        return led_on(given, outcome, plain_no, told) or _counted([*plain_no, *shown])
    return [*_plain_outcome(given, outcome, evidence), *shown]


# Questions that bring no answer: what is told beside them is framed as that.
_WITHOUT_ANSWER = frozenset(("does_not_know", "told_before", "deflected"))


def _plain_outcome(given: NarratorInput, outcome: Outcome, evidence: list[Evidence]) -> list[Beat]:
    deed = answers_of_scenario(given, outcome) or deed_beats(given, outcome)
    if deed is not None:
        return deed
    if (tell := tellers().get(outcome.code)) is not None:
        return tell(given, outcome)
    match outcome.code:
        case "told":
            return [answered(given, outcome), *reaction_beats(given, outcome)]
        case "deflected":
            return [answered(given, outcome)]
        case "told_before" | "found_before":
            return [_known(given, outcome, evidence)]
        case "blocked":
            return blocked_beats(given, outcome)
        case _:
            return [Beat("outcome", "acted", {"band": outcome.band or "none"})]


def led_on(given: NarratorInput, outcome: Outcome, plain_no: Sequence[Beat], told: Sequence[Evidence]) -> list[Beat]:
    """Return the refusal of a question with what is told beside it; empty where nothing is."""
    who = views.person(given, outcome.target_id)
    if who is None or not told or not plain_no:
        return []
    refusal, group = plain_no[0], plain_no[0].group.removeprefix(_ECHO)
    is_echoed = refusal.group.startswith(_ECHO) and bool(outcome.deed)
    slots: dict[str, Slot] = {"who": who, **({"deed": outcome.deed} if is_echoed else {})}
    keys = (EMPTY,) if is_led_far(given.recall) else ()
    other = views.person(given, told[0].speaker_id)
    if other is not None and told[0].speaker_id != outcome.target_id:
        name = led_by_other(outcome, told[0], is_echoed=is_echoed)
        speaks_up = Beat("outcome", name, {}, {**slots, "other": other.name}, keys=keys)
        return [speaks_up, *(_told_beside(item, other) for item in told)]
    if outcome.code == "does_not_know" and (group in _UNKNOWN or group in _OWN):
        name = "led.own" if group in _OWN else "led.unknown"
        first = [Beat("outcome", f"{_ECHO}{name}" if is_echoed else name, {}, slots, keys=keys)]
    else:
        kind = outcome.code if outcome.code in kinds_of("led.on") else "answer"
        first = [refusal, Beat("outcome", "led.on", {"kind": kind}, {"who": who}, keys=keys)]
    return [*first, *(_told_beside(item, who) for item in told)]


# The prefix of groups that take up the player's words; those that say that somebody does not know, and those by which
# they say nothing of themselves.
_ECHO = "echo."
_ASKED = tuple(f"asked.{form}" for form in "anything who where when why how what whether either price cost way".split())
_UNKNOWN = frozenset(("does_not_know", "does_not_know.own", "does_not_know.other", "told_before", MORE, *_ASKED))
_OWN = frozenset("asked.self asked.own_affair asked.own asked.reason talk.personal asked.view".split())
# Counts the questions that brought nothing: of so many the last brings something else.
EMPTY, _EACH = "refusal:empty", 2


def is_led_far(recall: Mapping[str, int]) -> bool:
    """Tell whether the next question without an answer leads on to something else, however far from it."""
    return recall.get(EMPTY, 0) % _EACH == _EACH - 1


def _counted(beats: list[Beat]) -> list[Beat]:
    """Return the beats of a question that brought nothing, which is counted."""
    return [*beats[:-1], replace(beats[-1], keys=(*beats[-1].keys, EMPTY))] if beats else beats


def _told_beside(item: Evidence, who: Person) -> Beat:
    return Beat(
        "evidence",
        slots={"who": who},
        authored=plain(item.text),
        is_speech=True,
        cites=(item.item_id,),
        continues=True,
    )


def answered(given: NarratorInput, outcome: Outcome) -> Beat:
    """Return how somebody answered, where no words of theirs are told."""
    who = views.person(given, outcome.target_id)
    kind, topic = views.topic(given, outcome.words)
    group = "told.bare" if outcome.code == "told" else outcome.code
    if who is None:
        return Beat("outcome", "acted", {"band": outcome.band or "none"})
    if topic and views.folded(topic) == views.folded(who.name):
        kind = "self"
    refused = _how_refused(given, outcome) if outcome.code == "deflected" else {}
    facts: dict[str, Fact] = {"topic": kind} if outcome.code == "does_not_know" else refused
    return Beat("outcome", group, facts, {"who": who, "topic": topic})


def _how_refused(given: NarratorInput, outcome: Outcome) -> dict[str, Fact]:
    """Return the kind of a refusal: somebody was won over, and still does not speak of that; or it is for somebody they
    are no friend of.
    """
    if outcome.band in ("critical", "success", "mixed"):
        return {"kind": "pressed"}
    regard = next((view.regard for view in given.scene.people if view.id == outcome.target_id), "")
    return {"regard": regard} if regard else {}


# Where somebody has something better to say, at most one answer in so many is a mere no.
_DULL_OF, _IGNORANT, _DULL = 4, "refusal:ignorant", "refusal:dull"


def ignorance(given: NarratorInput, outcome: Outcome) -> Beat:
    """Return that somebody does not know, and whom or what else to ask, where they can say: what was not said before
    goes first.
    """
    plain_no, who = answered(given, outcome), views.person(given, outcome.target_id)
    leads = [lead for lead in given.leads if lead.asked == outcome.target_id]
    # Nobody says of what they were just asked about that one should ask about it.
    leads = [lead for lead in leads if lead.holder != lead.asked or not is_asked_about(lead.topic, outcome.words)]
    if who is None or not leads or plain_no.facts.get("topic") in ("none", "self"):
        return plain_no
    others_first = sorted(leads, key=lambda lead: (given.recall.get(lead.key, 0), lead.holder == lead.asked))
    asked, dull = given.recall.get(_IGNORANT, 0) + 1, given.recall.get(_DULL, 0) + 1
    lead = others_first[0]
    if given.recall.get(lead.key) and dull * _DULL_OF <= asked:
        return replace(plain_no, keys=(_IGNORANT, _DULL))
    if lead.holder == lead.asked:
        slots: dict[str, Slot] = {"who": who, "topic": lead.topic}
        return Beat("outcome", "does_not_know.own", {}, slots, keys=(_IGNORANT, lead.key))
    other = views.person(given, lead.holder)
    if other is None:
        return plain_no
    facts: dict[str, Fact] = {"near": True} if any(view.id == lead.holder for view in given.scene.people) else {}
    return Beat("outcome", "does_not_know.other", facts, {"who": who, "other": other.name}, keys=(_IGNORANT, lead.key))


def reaction_beats(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Return the next visible reaction of the person who was asked, once."""
    view = next((view for view in given.scene.people if view.id == outcome.target_id), None)
    lines = views.unseen(view.disposition, given.recall)[:1] if view else []
    return [Beat("reaction", authored=plain(line.text), cites=(line.chunk_id,), keys=(line.key,)) for line in lines]


def _known(given: NarratorInput, outcome: Outcome, evidence: list[Evidence]) -> Beat:
    known = next((item for item in evidence if item.known_before), None)
    who = views.person(given, outcome.target_id)
    if outcome.code == "told_before" and outcome.form == "ask_more" and (more := answer_by_form(given, outcome)):
        return more
    if known is not None and (unanswered := not_in_what_was_told(given, outcome, known)):
        return unanswered
    if known is not None and who is not None and asks_more(outcome, known):
        return Beat("outcome", MORE, {}, {"who": who})
    if known is not None and (known.speaker_id is not None) == (outcome.code == "told_before"):
        return reminder_beat(given, known, outcome.words)
    group = outcome.code if who or outcome.code == "found_before" else "found_before"
    slots: dict[str, Slot] = {"who": who or ""}
    return Beat("outcome", group, {"reminder": False}, slots)
