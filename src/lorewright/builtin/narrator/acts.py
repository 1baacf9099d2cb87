"""Acts of the cast -> beats: the sentences of an author, of the grammar, or of the intention."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_words import (
    Actor,
    CastTeller,
    actor_of,
    cast_tellers,
    flags,
    item_of,
    own_words,
    place_of,
    quotes,
    quoting,
    telling_of,
    tells_of_player,
    thing_of,
    worded,
)
from lorewright.builtin.narrator.authored import ended, is_named_in, plain, word_count
from lorewright.builtin.narrator.forms import FIRST, IN_WORDS
from lorewright.builtin.narrator.grammar import Fact, grammar
from lorewright.builtin.narrator.scenery import SceneryMemory
from lorewright.builtin.narrator.views import Beat, Joint, Kind, Person
from lorewright.builtin.parser.readings import REFUSED
from lorewright.builtin.words.clauses import lexicon, listed, place_name, with_article
from lorewright.ids import content_hash
from lorewright.rules.patch import Outcome
from lorewright.values.records import ClockTick, Evidence, NarratorInput, NpcAct
from lorewright.world.ops import ChangeInventory, ChangeRelation, SetDoor

# Deeds: the result of an act -> its beats, by what it was and how it came out; the player is `you`, others have names.

# Outcomes that the intention's own words tell better than a sentence of ours.
_IN_OWN_WORDS: Final = frozenset(("used", "looked", "waited"))
# Slots of a reason's sentences, beside the person it was meant for.
_NAMED: Final = MappingProxyType(
    {
        **dict.fromkeys(("no_such_exit", "too_far"), "place"),
        **dict.fromkeys(("door_locked", "door_bolted", "door_closed"), "door"),
        **dict.fromkeys(("not_in_inventory", "wrong_key"), "item"),
        **dict.fromkeys(("not_present", "cannot_take_person"), "to"),
        **dict.fromkeys(
            ("object_not_found", "not_takeable", "already_carried", "not_a_person", "not_openable", "already_open"),
            "thing",
        ),
        **dict.fromkeys(("already_closed", "no_lock", "already_locked", "nothing_to_unlock", "no_key"), "thing"),
    }
)


def deed_beats(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], *, words: str) -> list[Beat]:
    """Return the act and its result. `words` are the intention's own, where they may be told: they say what it was
    where the grammar could only say that something was done.
    """
    if outcome.code == "blocked":
        return [_blocked_beat(actor, outcome)]
    telling = telling_of(outcome.type)
    if outcome.code == "acted" and outcome.band == "fail" and not telling.fails_in_words:
        return [_of_thing(actor, outcome, "npc.failed")]
    own = None if telling.of_others is None else telling.of_others(actor, outcome, evidence, words)
    if own is not None:
        return own
    if words and outcome.code in _IN_OWN_WORDS:
        return worded(actor, words)
    return cast_tellers().get(outcome.code, _act_beats)(actor, outcome, evidence, words)


def _act_beats(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    """Return any act that dice may have decided, by its own words, if there are any, and by its end."""
    band: dict[str, Fact] = {"band": outcome.band or "success"}
    if words:
        how = [actor.beat("act", "npc.came_off", band)] if outcome.band else []
        return [*worded(actor, words), *how]
    thing = thing_of(actor.told, outcome)
    return [actor.beat("act", "npc.attempt", {**band, **flags(thing=thing)}, to=outcome.target_id, thing=thing)]


def telling_of_thing(group: str) -> CastTeller:
    """Return what tells an act by the thing that it was done to."""
    return lambda actor, outcome, evidence, words: [_of_thing(actor, outcome, group)]


def telling_of_gesture(group: str) -> CastTeller:
    """Return what tells an act by whom or what it was meant for; in the intention's own words, where there are any."""

    def tell(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
        if words:
            return worded(actor, words)
        thing = thing_of(actor.told, outcome)
        return [actor.beat("act", group, flags(thing=thing), to=outcome.target_id, thing=thing)]

    return tell


def _of_thing(actor: Actor, outcome: Outcome, group: str) -> Beat:
    thing = thing_of(actor.told, outcome)
    band: dict[str, Fact] = {"band": outcome.band} if outcome.band else {}
    return actor.beat("act", group, {**flags(thing=thing), **band}, thing=thing)


def _blocked_beat(actor: Actor, outcome: Outcome) -> Beat:
    """Return why it could not be done; its object is named where the reason's sentence can name it."""
    given = actor.told
    reason = outcome.reason or (actor.act.result.reason if actor.act.result else None)
    group = f"npc.blocked.{reason}" if f"npc.blocked.{reason}" in grammar() else "npc.blocked.other"
    thing = thing_of(given, outcome)
    doors = [way.door for way in given.scene.exits if way.to == outcome.location_id and way.door]
    slots = {
        "place": place_of(given, outcome),
        "door": (views.thing(given, doors[0]) if doors else "") or thing,
        "item": item_of(given, outcome) or (thing if telling_of(outcome.type).target_is_carried else ""),
        "thing": thing,
    }
    named = _NAMED.get(reason or "")
    if named == "to":
        return actor.beat("act", group, to=outcome.target_id)
    return actor.beat("act", group, flags(**{named: slots[named]}) if named else {}, **slots)


# Gestures: two gestures of different people -> one sentence, so that they do not become a list.

_LONGEST = 18
_BETWEEN = (", while ", ", and ")


def woven(first: Beat, second: Beat, turn_no: int) -> Beat | None:
    """Return two beats as one; None where either is more than a short gesture in its own words. Quotations of notes and
    of speech keep their words and their stop.
    """
    who = second.slots.get("who")
    if not isinstance(who, Person) or first.cites or not (_is_gesture(first) and _is_gesture(second)):
        return None
    if "," in first.authored or " while " in second.authored:
        return None
    if not second.authored.lower().startswith(who.name.lower()):
        return None
    goes_on = who.name + second.authored[len(who.name) :]
    joined = f"{first.authored[:-1]}{_BETWEEN[turn_no % len(_BETWEEN)]}{goes_on}"
    return replace(first, authored=joined, cites=second.cites, keys=(*first.keys, *second.keys))


def _is_gesture(beat: Beat) -> bool:
    text = beat.authored
    is_one = text.endswith(".") and text.count(".") == 1 and not any(mark in text for mark in "“”:;!?…")
    return beat.kind == "act" and not beat.group and is_one and word_count(text) <= _LONGEST


# Acts of the cast -> beats: the sentences of an author, of the grammar, or of the intention.

# Outcomes of which the grammar could only say that something was done: the author's sentence is better even the second
# time.
_WITHOUT_WORDS = frozenset(("acted", "used", "looked", "waited"))

# How many acts stand in a paragraph, where there are many.
_ACTS_OF_PARAGRAPH = 4
# How many acts are told one by one.
_FEW_ACTS = 2


def act_beats(given: NarratorInput, memory: SceneryMemory) -> Iterator[Beat]:
    """Yield every act in its order, each once; after the player's attempts a new paragraph begins."""
    follows = bool(given.outcomes) or given.scene_changed
    told: list[list[Beat]] = []
    for number, act in enumerate(given.acts):
        before = given.acts[number - 1] if number else None
        first, *more = _told(actor_of(given, act), memory, before)
        # An author's sentences stay as they are; of three gestures two make a sentence.
        if told and len(told[-1]) == 1 and not more and not _authored_by(given, number):
            pair = woven(told[-1][0], first, given.turn_no)
            if pair is not None and len(given.acts) > _FEW_ACTS:
                told[-1] = [pair]
                continue
        # A connecting word before every act would make a list of them.
        first = replace(first, joint=_joint(before, act, is_next=len(told) % 2 == 1))
        starts = len(told) % _ACTS_OF_PARAGRAPH == 0 and (follows or number > 0)
        told.append([replace(first, starts_paragraph=starts), *more])
    yield from (beat for beats in told for beat in beats)


def _authored_by(given: NarratorInput, number: int) -> bool:
    """Tell whether the act or the one before it has authored sentences."""
    return bool(given.acts[number].say or given.acts[number - 1].say)


def moved_by_acts(given: NarratorInput) -> frozenset[str]:
    """Return IDs of those whose coming or going an act tells."""
    moves = (outcome for act in given.acts for outcome in act.outcomes if outcome.code == "moved")
    return frozenset(outcome.actor_id for outcome in moves)


def items_of_acts(given: NarratorInput) -> frozenset[str]:
    """Return IDs of the lore items that come up in acts, and are told with them."""
    outcomes = (outcome for act in given.acts for outcome in act.outcomes)
    return frozenset(item for outcome in outcomes for item in (*outcome.item_ids, *outcome.known_item_ids))


def things_of_acts(given: NarratorInput) -> frozenset[str]:
    """Return IDs of the things and doors that acts are about: their changes are told there."""
    outcomes = (outcome for act in given.acts for outcome in act.outcomes if outcome.code != "blocked")
    return frozenset(
        entity_id for outcome in outcomes for entity_id in (outcome.item_id, outcome.target_id) if entity_id is not None
    )


def _joint(before: NpcAct | None, act: NpcAct, *, is_next: bool) -> Joint:
    if before is None:
        return ""
    meant = {outcome.target_id for outcome in act.outcomes}
    if before.who in meant and before.who != act.who:
        return "answer"
    return "next" if is_next else ""


def _told(actor: Actor, memory: SceneryMemory, before: NpcAct | None) -> list[Beat]:
    if actor.act.hidden:
        return [actor.beat("act", "npc.whisper", to=actor.act.whisper_to)]
    if before is not None and before.who != actor.act.who and _doing(before) and _doing(before) == _doing(actor.act):
        return [actor.beat("act", "npc.likewise")]
    if not actor.act.outcomes:
        return _intention_beats(actor, memory)
    beats: list[Beat] = []
    for outcome in actor.act.outcomes:
        beats += _result_beats(actor, outcome, memory, is_first=not beats)
    return beats


def _doing(act: NpcAct) -> str:
    """Return a gesture without the actor's name; empty where it is more than a gesture."""
    shown = _say(act) or ended(plain(act.text))
    return "" if act.outcomes or act.hidden or act.name not in shown else shown.replace(act.name, "", 1)


def _result_beats(actor: Actor, outcome: Outcome, memory: SceneryMemory, *, is_first: bool) -> list[Beat]:
    """Return the author's sentences where the act succeeded, else the grammar's; then those of a rule.

    An author's sentences are told the first time, and each time where the grammar has nothing as good.
    """
    evidence = _evidence_of(actor.told, outcome)
    came_off = outcome.code != "blocked" and outcome.band != "fail"
    say = _say(actor.act) if is_first and came_off else ""
    known = bool(say and actor.told.recall.get(_key(say)))
    beats: list[Beat] = []
    if say and (not known or outcome.code in _WITHOUT_WORDS):
        beats += [*_authored(actor, say, again=known), *_unsaid_beats(actor, outcome, say, evidence)]
        beats += [actor.beat("act", "npc.came_off", {"band": "mixed"})] if outcome.band == "mixed" else []
    else:
        words = own_words(actor) if came_off and is_first else ""
        is_fit = bool(words) and not tells_of_player(actor.told, words) and memory.age(words) is None
        beats += deed_beats(actor, outcome, evidence, words=words if is_fit else "")
        if actor.act.whisper_to == actor.told.player_id and came_off and is_first:
            beats = _whisper(actor, beats)
    return [*beats, *_rule_beats(actor.told, outcome)]


def _whisper(actor: Actor, beats: list[Beat]) -> list[Beat]:
    """Return the beats as a whisper: a quotation gets it as its frame, anything else after it."""
    near = actor.beat("act", "npc.near")
    if beats and beats[0].is_speech:
        return [replace(beats[0], group=near.group, facts={}), *beats[1:]]
    return [near, *beats]


def _intention_beats(actor: Actor, memory: SceneryMemory) -> list[Beat]:
    """Return beats that need no judgement: the author's sentences, else the intention's unless told lately."""
    if say := _say(actor.act):
        return _authored(actor, say, again=bool(actor.told.recall.get(_key(say))))
    words = own_words(actor)
    if not words:
        return [actor.beat("act", "npc.gesture", to=actor.act.whisper_to)]
    if words == f"{actor.person.name} waits.":
        return [actor.beat("act", "npc.wait")]
    if memory.age(words) is not None:
        return [actor.beat("act", "npc.still_at_it", {"verb": "talk"} if "”" in words else {})]
    return worded(actor, words)


def _authored(actor: Actor, say: str, *, again: bool) -> list[Beat]:
    told = quoting(actor, say, _key(say))
    return [actor.beat("aside", "npc.again"), told] if again else [told]


def _say(act: NpcAct) -> str:
    return " ".join(ended(text) for part in act.say if (text := plain(part)))


def _key(say: str) -> str:
    return f"say:{content_hash(say)[:12]}"


def _evidence_of(given: NarratorInput, outcome: Outcome) -> list[Evidence]:
    wanted = (*outcome.item_ids, *outcome.known_item_ids)
    return [item for item in given.evidence if item.item_id in wanted and plain(item.text)]


def _unsaid_beats(actor: Actor, outcome: Outcome, say: str, evidence: Sequence[Evidence]) -> list[Beat]:
    """Return what comes to light and is not quoted in the author's sentences, in the voice of the speaker."""
    new = [item for item in evidence if not item.known_before and plain(item.text) not in say]
    if outcome.code == "told":
        return [deed_beat for deed_beat in deed_beats(actor, outcome, new, words="") if deed_beat.cites]
    named = is_named_in([actor.person.name], say)
    beats = quotes(actor, "told.after_say", new, to=None)
    if not beats or not named:
        return beats
    return [replace(beats[0], group="", facts={}, continues=True), *beats[1:]]


def _rule_beats(given: NarratorInput, outcome: Outcome) -> Iterator[Beat]:
    """Yield the sentences of a rule, and of its automatic effects; each is told once."""
    for text in filter(None, map(plain, (*outcome.say, *outcome.then))):
        key = _key(ended(text))
        if not given.recall.get(key):
            yield Beat("act", authored=ended(text), keys=(key,))


# Changes: ops, clocks and movements -> beats: what an attempt cost or won, who came and went, how near the clocks are.

# Most things that a price names; more would be a bill.
_MOST_PRICES = 2
# From this quarter on a clock's pressure says more than that it is the price.
_NEAR = 3


def prices(given: NarratorInput) -> list[Beat]:
    """Return what the attempt cost: somebody's regard, a thing, a clock; after a failure always something."""
    banded = [outcome for outcome in given.outcomes if outcome.band in ("mixed", "fail")]
    kind: Kind = "price" if banded else "gain"
    found = [*_regard(given, "price.relation", kind, worse=True), *_lost(given, kind)]
    if banded:
        found += [
            Beat("price", "price.clock", {"clock": tick.id}, {"clock": _clock_name(tick)})
            for tick in _far_off(given)[:1]
        ]
        moved = given.movements or any(tick.after > tick.before for tick in given.clocks)
        if not found and not moved and not given.minutes_lost and any(outcome.band == "fail" for outcome in banded):
            found.append(Beat("price", "price.none"))
    return found[:_MOST_PRICES]


def gains(given: NarratorInput) -> list[Beat]:
    """Return what was won beside what was told: somebody's regard, a thing, an open door."""
    taken = {outcome.target_id for outcome in given.outcomes if outcome.code == "taken"} | things_of_acts(given)
    beats = _regard(given, "gain.relation", "gain", worse=False)
    for op in given.ops:
        match op:
            case ChangeInventory(delta=delta) if delta > 0 and _is_own(given, op) and op.item_id not in taken:
                beats += _with_thing("gain.thing", "gain", "thing", views.thing(given, op.item_id))
            case SetDoor(locked=False) if op.door_id not in taken:
                beats += _with_thing("gain.door", "gain", "door", views.thing(given, op.door_id))
            case _:
                pass
    return beats[:2]


def movements(given: NarratorInput) -> Iterator[Beat]:
    """Yield arrivals, then departures, one sentence each; the price where a bad roll brought nothing else."""
    banded = any(outcome.band in ("mixed", "fail") for outcome in given.outcomes)
    kind: Kind = "price" if banded and not prices(given) else "movement"
    moved_ids = moved_by_acts(given)
    for group in ("arrival", "departure"):
        moved = [
            movement for movement in given.movements if movement.kind == group and movement.entity_id not in moved_ids
        ]
        names = [place_name(plain(movement.name)) for movement in moved if plain(movement.name)]
        ways = {plain(movement.way) for movement in moved if plain(movement.name)}
        way = ways.pop() if len(ways) == 1 else ""
        is_named = way not in (*lexicon().directions.values(), "out", "in")
        facts: dict[str, Fact] = {"where": True, "near": is_named} if way else {}
        if names:
            slots = {"names": listed(names), "place": with_article(way) if is_named and way else way}
            yield Beat(kind, group, facts, slots, plural=len(names) > 1)


def pressure(given: NarratorInput) -> list[Beat]:
    """Return the clock nearest its end; nothing where it is still far off and has just been named as the price.

    A clock that stays in the first or second quarter was told of when it came there.
    """
    moved = [tick for tick in given.clocks if tick.after != tick.before and plain(tick.name) and _is_news(tick)]
    if not moved:
        return []
    tick = max(moved, key=_urgency)
    level, name = level_of(tick), _clock_name(tick)
    if any(beat.slots.get("clock") == name for beat in prices(given)):
        return []
    is_price = level >= _NEAR and any(outcome.band in ("mixed", "fail") for outcome in given.outcomes)
    kind: Kind = "price" if is_price else "pressure"
    facts: dict[str, Fact] = {"level": level, "full": tick.after >= tick.max, "clock": tick.id}
    return [Beat(kind, "pressure", facts, {"clock": name})]


def level_of(tick: ClockTick) -> int:
    """Return the quarter that a rising clock has come to, 1..4; 0 for one that fell."""
    if tick.after <= tick.before:
        return 0
    return max(1, quarter(tick.after, tick.max))


def quarter(value: int, most: int) -> int:
    """Return the quarter that a value lies in, 0 (nothing yet) to 4."""
    return min(4, -(-4 * max(value, 0) // max(most, 1)))


def _is_news(tick: ClockTick) -> bool:
    return level_of(tick) not in (1, 2) or quarter(tick.before, tick.max) != level_of(tick)


def _urgency(tick: ClockTick) -> tuple[bool, float, str]:
    return (tick.after > tick.before, tick.after / max(tick.max, 1), tick.id)


def _far_off(given: NarratorInput) -> list[ClockTick]:
    """Return the clocks that rose and are not near their end, the fullest first."""
    risen = [tick for tick in given.clocks if 0 < level_of(tick) < _NEAR and _clock_name(tick)]
    return sorted(risen, key=_urgency, reverse=True)


def _clock_name(tick: ClockTick) -> str:
    return place_name(plain(tick.name))


def _regard(given: NarratorInput, group: str, kind: Kind, *, worse: bool) -> list[Beat]:
    """Return the people whose regard for the player got worse, or better; at most one beat."""
    for op in given.ops:
        if isinstance(op, ChangeRelation) and given.player_id in (op.a, op.b):
            balance = op.trust + op.closeness - op.tension
            other = views.person(given, op.a if op.b == given.player_id else op.b)
            if other and (balance < 0 if worse else balance > 0):
                return [_of_person(group, kind, other)]
    return []


def _lost(given: NarratorInput, kind: Kind) -> list[Beat]:
    acted_on = things_of_acts(given)
    ops = [op for op in given.ops if isinstance(op, ChangeInventory) and op.item_id not in acted_on]
    lost = [op for op in ops if op.delta < 0 and _is_own(given, op)]
    return [
        beat for op in lost[:1] for beat in _with_thing("price.lost", kind, "thing", views.thing(given, op.item_id))
    ]


def _is_own(given: NarratorInput, op: ChangeInventory) -> bool:
    return op.owner_id == given.player_id


def _of_person(group: str, kind: Kind, who: Person) -> Beat:
    return Beat(kind, group, slots={"who": who})


def _with_thing(group: str, kind: Kind, slot: str, name: str) -> list[Beat]:
    return [Beat(kind, group, slots={slot: name})] if name else []


# Deeds of these forms are told with what becomes of the thing, where it is not the player's; of the others, always.
_WITH_END = frozenset("take use move close put".split())
_WITH_OUTCOME = ("phone", "tried", REFUSED)


def in_paragraphs(told: Sequence[list[Beat]]) -> Iterator[Beat]:
    """Yield the beats of the player's acts, each act in a paragraph of its own; of several those that change nothing
    are told by their words alone, together."""
    was_bare = False
    for number, beats in enumerate(told):
        shown = [_bare(beat) for beat in beats] if len(told) > 1 else beats
        shown = [*map(_with_purpose, shown)] if len(shown) == 1 else shown
        is_bare = len(shown) == 1 and shown[0].group == FIRST and not shown[0].authored
        if number and shown and not (is_bare and was_bare):
            shown[0] = replace(shown[0], starts_paragraph=True)
        was_bare = is_bare
        yield from shown


def _with_purpose(beat: Beat) -> Beat:
    """Return a deed that was done to find something out as one that told nothing, and what is only meant as open."""
    is_plain = beat.group in (IN_WORDS, FIRST) and not beat.authored
    kind = next((kind for kind, found in _OPEN.items() if is_plain and found.search(str(beat.slots.get("deed")))), "")
    return replace(beat, group=IN_WORDS, facts={"kind": kind}) if kind else beat


_OPEN = {
    "later": re.compile(r"^mean to .* (?:if|when|once|unless|otherwise)\b"),
    "purpose": re.compile(
        r"\bto (?:see|check|find out|feel|hear|test|learn|make out|make sure|tell)(?: for myself)?"
        r" (?:if|whether|what|how|who|where|which|that|it|they|there|nobody|nothing)\b"
    ),
}


def _bare(beat: Beat) -> Beat:
    kind = beat.facts.get("kind")
    is_told_out = str(kind).startswith(_WITH_OUTCOME) or (kind in _WITH_END and not beat.facts.get("carried"))
    return beat if beat.group != IN_WORDS or is_told_out else replace(beat, group=FIRST, facts={})
