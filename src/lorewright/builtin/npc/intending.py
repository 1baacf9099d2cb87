"""NpcIntentInput -> NpcIntent: what one character does now, without a model.

First come the author's acts; then answers to what was just done to the character; then, now and again, the character's
own aims; else it comments on what goes on, or does something in its nature. It says nothing that it does not know, and
repeats nothing that it did just now, as long as there is anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lorewright.builtin.npc.considered import (
    TRUSTING,
    Moment,
    PossibleAct,
    answering,
    gesture,
    tellable,
    telling,
    the,
    watching,
)
from lorewright.ids import content_hash
from lorewright.rules.actions import AuthoredAct, done_key, tried_key
from lorewright.values.proposals import SENTENCES, KnownItem, NpcIntent, NpcIntentInput, Remembered
from lorewright.values.records import LoreLine, Named, Recorded

# Aims: what a character wants, knows, remembers and was promised -> acts of their own accord. Each is done once for its
# object, so that nobody harps on a thing.

# From so much tension on somebody would rather be elsewhere.
_TOO_MUCH = 5
# A memory of less weight is not worth a word (importance 2, a while ago).
_WORTH_TELLING = 1.5
# A promise is not spoken of in the turn in which it was given, nor for so long after it (in-world minutes).
_A_WHILE = 10
# A goal with a destination: `get to the pier`, `back at Pier 9`.
_MOVING = re.compile(r"\b(?:go|get|reach|return|come|slip|back|leave for|make it|run)\b")


def possible_aims(moment: Moment) -> list[PossibleAct]:
    """Return all possible acts of these kinds, in a fixed order."""
    return [
        *_leave(moment),
        *_pursue_goal(moment),
        *_volunteer(moment),
        *_remind(moment),
        *_ask_around(moment),
        *_remark(moment),
    ]


def _leave(moment: Moment) -> Iterator[PossibleAct]:
    """Yield a departure from somebody who has just struck, or with whom tension is too high."""
    me, struck = moment.given.me.id, set()
    for outcome in moment.given.outcomes:
        if outcome.type == "attack" and outcome.target_id == me and outcome.code != "blocked":
            struck.add(outcome.actor_id)
    from_whom = [
        person.id for person in moment.people if person.id in struck or moment.toward(person.id).tension >= _TOO_MUCH
    ]
    ways = [way for way in moment.given.scope.exits if not way.barred]
    if not from_whom or not ways or not moment.can("go") or moment.done("left"):
        return
    way = ways[0]
    found = moment.words.sentence("leave", what=way.to_name or way.name)
    thought, keys = moment.thought("think.attack")
    if found is not None:
        action = moment.action("go", to=way.to)
        keys = (found.key, *keys, moment.key("left"))
        yield PossibleAct(found.text, 12, ("flight",), thought=thought, action=action, keys=keys)


def _pursue_goal(moment: Moment) -> Iterator[PossibleAct]:
    """Yield steps towards the goal: take what it names, give it where it belongs, go where it leads."""
    given, goal = moment.given, moment.given.me.goal.casefold()
    if not goal:
        return
    thought, keys = moment.thought("think.goal")
    for thing in given.scope.here:
        wanted = moment.can("take") and _names(goal, thing) and not moment.done(f"took:{thing.id}")
        if wanted and (found := moment.words.sentence("take", thing=the(thing))) is not None:
            used = (found.key, *keys, moment.key(f"took:{thing.id}"))
            action = moment.action("take", thing.id)
            yield PossibleAct(found.text, 6, ("trade",), thought=thought, action=action, keys=used)
    for thing in given.scope.carried:
        for person in moment.people:
            wanted = moment.can("give") and _names(goal, thing) and _names(goal, person) and "give" in goal
            if wanted and not moment.done(f"gave:{thing.id}:{person.id}"):
                found = moment.words.sentence("give", person=person.id, thing=the(thing))
                if found is not None and moment.toward(person.id).trust >= 0:
                    used = (found.key, *keys, moment.key(f"gave:{thing.id}:{person.id}"))
                    action = moment.action("give", person.id, item=thing.id)
                    yield PossibleAct(found.text, 6, ("help",), thought=thought, action=action, keys=used)
    yield from _on_the_way(moment, goal)


def _on_the_way(moment: Moment, goal: str) -> Iterator[PossibleAct]:
    if not moment.can("go") or _MOVING.search(goal) is None:
        return
    for way in moment.given.scope.exits:
        if (
            not way.barred
            and way.to_name
            and _is_word(way.to_name.casefold(), goal)
            and not moment.done(f"went:{way.to}")
        ):
            found = moment.words.sentence("go", what=way.to_name)
            thought, keys = moment.thought("think.goal")
            if found is not None:
                used = (found.key, *keys, moment.key(f"went:{way.to}"))
                action = moment.action("go", to=way.to)
                yield PossibleAct(found.text, 3, ("calm",), thought=thought, action=action, keys=used)


def _volunteer(moment: Moment) -> Iterator[PossibleAct]:
    """Yield the telling of known items about a topic that has come up, to trusted people, unasked: each item to one
    person, once.
    """
    if not moment.can("tell"):
        return
    said = _recent_topics(moment)
    for person in moment.people:
        if moment.toward(person.id).trust < TRUSTING:
            continue
        open_ = [
            item
            for item in tellable(moment.given.knows, person.id)
            if not moment.done(f"told:{person.id}:{item.id}") and _is_about(item, said, moment)
        ]
        for item in open_[:1]:
            weight = 5 if person.id == moment.given.player_id else 2
            if (offer := telling(item.id, person.id, moment, weight=weight)) is not None:
                yield offer


def _recent_topics(moment: Moment) -> str:
    """Return what was spoken of in this turn, and what the character remembers."""
    spoken = [outcome.words for outcome in moment.given.outcomes if not getattr(outcome, "whispered", False)]
    named = [
        moment.given.names[entity_id]
        for outcome in moment.given.outcomes
        for entity_id in (outcome.target_id, outcome.item_id)
        if entity_id is not None
        and entity_id in moment.given.names
        and entity_id != moment.given.me.id
        and not moment.is_here(entity_id)
    ]
    return " ".join([*spoken, *named, *(remember.content for remember in moment.given.remembers[:3])]).casefold()


def _is_about(item: KnownItem, said: str, moment: Moment) -> bool:
    """Tell whether something that an item names was spoken of, other than those present."""
    names_here = {person.name.casefold() for person in (*moment.people, moment.given.scope.player)}
    named = [topic.casefold() for topic in item.topics] + [item.name.replace("-", " ").replace("_", " ").casefold()]
    return any(_is_word(name, said) for name in named if len(name) > 2 and name not in names_here)


def _remind(moment: Moment) -> Iterator[PossibleAct]:
    """Yield a question about a promise, once, when a while has passed."""
    given = moment.given
    if not moment.can("recall"):
        return
    for record in given.recorded:
        is_promise = record.predicate == "promised" and record.to_id == given.me.id and moment.is_here(record.by_id)
        if not is_promise or moment.done(f"reminded:{record.fact_id}") or _is_fresh(record, moment):
            continue
        found = moment.words.sentence("remind", person=record.by_id)
        thought, keys = moment.thought("think.remind", person=record.by_id)
        if found is not None:
            used = (found.key, *keys, moment.key(f"reminded:{record.fact_id}"))
            action = moment.action("recall", record.by_id)
            yield PossibleAct(found.text, 4, ("question",), thought=thought, action=action, keys=used)


def _is_fresh(promise: Recorded, moment: Moment) -> bool:
    """Tell whether it was given in this turn, or not long ago as far as the character remembers."""
    given = moment.given
    if any(promise.fact_id in outcome.fact_ids for outcome in given.outcomes):
        return True
    by = given.names.get(promise.by_id, "")
    lately = [remember for remember in given.remembers if given.minutes - remember.minute < _A_WHILE]
    return any(memory.content.startswith(by) and "promise" in memory.content for memory in lately)


def _ask_around(moment: Moment) -> Iterator[PossibleAct]:
    """Yield open questions that concern the character, to those who might have heard something: to each of them once.

    Others of the cast are asked about what has come up; nobody about what they have just asked the character.
    """
    if not moment.can("ask"):
        return
    come_up = _recent_topics(moment)
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
                is_idle = not is_player and not _is_word(what.casefold(), come_up)
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
    action = moment.action("ask", person.id, words=what)
    used = (found.key, *keys, moment.key(key))
    return PossibleAct(found.text, weight, ("question",), thought=thought, action=action, keys=used)


def _has_asked(person: Named, what: str, moment: Moment) -> bool:
    """Tell whether somebody asked the character about the same, as far as they remember."""
    me, name = moment.given.me, what.casefold()
    for outcome in moment.given.outcomes:
        if (outcome.actor_id, outcome.target_id) == (person.id, me.id) and _is_word(name, outcome.words.casefold()):
            return True
    asked = f"{person.name} asked {me.name} about ".casefold()
    return any(
        asked in (said := remember.content.casefold()) and _is_word(name, said) for remember in moment.given.remembers
    )


def _remark(moment: Moment) -> Iterator[PossibleAct]:
    """Yield what the character saw, for those who were not there: words, and nothing that a pack knows."""
    for other in moment.others:
        if moment.toward(other.id).trust < 0:
            continue
        for memory in moment.given.remembers:
            key = f"said:{other.id}:{content_hash(memory.content)[:12]}"
            if not _is_worth_telling(memory, other, moment) or moment.done(key):
                continue
            found = moment.words.sentence("remark.memory", third=other.id, memory=memory.content)
            thought, keys = moment.thought("think.memory", third=other.id)
            if found is not None:
                used = (found.key, *keys, moment.key(key))
                yield PossibleAct(found.text, 3, ("help",), seen=found.seen, thought=thought, keys=used)
            break


def _is_worth_telling(memory: Remembered, to: Named, moment: Moment) -> bool:
    """Tell whether a memory was seen in play and can be told: it begins with somebody's name, and neither of the two is
    in it.
    """
    given, text = moment.given, memory.content
    if memory.minute <= 0 or memory.priority < _WORTH_TELLING or to.id in memory.shared_with or "“" in text:
        return False
    if not text.endswith(".") or "whispered" in text:
        return False
    folded = text.casefold()
    both = (given.me.name.casefold(), to.name.casefold())
    if any(_is_word(name, folded) for name in both):
        return False
    people = [
        given.player_name,
        *(named.name for named in (*moment.people, *given.scope.topics) if named.kind == "person"),
    ]
    return any(text.startswith(f"{name} ") for name in people if name)


def _names(goal: str, named: Named) -> bool:
    """Tell whether a goal names somebody or something, by any of its names."""
    return any(_is_word(name.casefold(), goal) for name in (named.name, *named.aliases) if len(name) > 1)


def _is_word(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


# Authored acts, in the author's order -> the one to be done now.

# Types of act that need somebody who is there.
_AT_PEOPLE = frozenset({"give", "ask", "tell", "promise", "persuade", "threaten", "attack", "recall"})
_GROUPS = {"tell": "tell", "ask": "ask.other", "give": "give", "take": "take", "go": "go"}


def authored(moment: Moment) -> list[PossibleAct]:
    """Return the acts whose conditions hold and that make sense just now, the one that was done just before last."""
    open_ = [
        considered
        for act in moment.given.acts
        if _makes_sense(act, moment)
        for considered in [_considered(act, moment)]
    ]
    fresh = [considered for considered in open_ if not moment.lately or considered.text != moment.lately[0]]
    return [*fresh, *(considered for considered in open_ if considered not in fresh)]


def _considered(act: AuthoredAct, moment: Moment) -> PossibleAct:
    me = moment.given.me.id
    text = " ".join(act.say)[:SENTENCES].strip() or _word_act(act, moment)
    return PossibleAct(
        text,
        thought=act.thought,
        action=None if _is_gesture(act) else act.do.action(me),
        item_id=act.do.lore_item,
        act_id=act.id,
        say=act.say,
    )


def _is_gesture(act: AuthoredAct) -> bool:
    """Tell whether there is nothing in it for rules to judge: its sentences are all of it."""
    return act.do.type == "wait" and bool(act.say)


def _makes_sense(act: AuthoredAct, moment: Moment) -> bool:
    """Tell whether the act makes sense: nobody speaks to somebody absent. An act that cannot be done now is tried once,
    and again only after it was done.
    """
    given, do = moment.given, act.do
    if do.type not in given.verbs or (do.type in _AT_PEOPLE and not moment.is_here(do.target)):
        return False
    if _is_possible(act, moment):
        return True
    tried = given.recall.get(tried_key(given.me.id, act.id), 0)
    return tried <= given.recall.get(done_key(given.me.id, act.id), 0)


def _is_possible(act: AuthoredAct, moment: Moment) -> bool:
    """Tell whether the act is possible, as far as the character can see."""
    do, scope, given = act.do, moment.given.scope, moment.given
    carried = {thing.id for thing in scope.carried}
    match do.type:
        case "go":
            return any(way.to == do.to and not way.barred for way in scope.exits)
        case "give":
            return do.item in carried
        case "drop":
            return do.target in carried
        case "take":
            return do.target in {thing.id for thing in scope.here}
        case "tell" if do.lore_item is not None:
            return any(item.id == do.lore_item and not item.kept_back for item in given.knows)
        case _:
            return True


def _word_act(act: AuthoredAct, moment: Moment) -> str:
    """Return our words for an act to which the author gave none."""
    do, given = act.do, moment.given
    thing = next(
        (the(named) for named in (*given.scope.carried, *given.scope.here) if named.id in (do.item, do.target)), ""
    )
    what = do.topic or given.names.get(do.to or "", "") or "something"
    if do.type == "attempt":
        return f"{given.me.name} tries something: {do.topic}."[:SENTENCES]
    slots = {"what": what, "thing": thing or "something"}
    group = "tell.whisper" if do.whisper else _GROUPS.get(do.type, "authored")
    found = moment.words.sentence(group, person=do.target, **slots) or moment.words.sentence("authored")
    return found.text if found is not None else f"{given.me.name} acts."[:SENTENCES]


# Idle acts: what a character does when nothing else asks for it: a line of their nature, or a small gesture.

# Lines about somebody's general nature or dealings do not tell an act.
_GENERAL = frozenset(
    ("whenever", "never", "always", "usually", "often", "if", "answers", "question", "questions", "speaker", "customer")
)
_FRIENDLY, _TENSE = 2, 2
TENSE = "tense"


def idling(moment: Moment) -> list[PossibleAct]:
    """Return lines of the character's nature as they stand, and gestures by their feeling about the player if there."""
    found, mood = list(_nature_lines(moment)), mood_of(moment)
    if mood:
        weight = 8 if mood == TENSE else 2
        found += gesture(moment.words.sentence(f"moment.{mood}", person=moment.given.player_id), weight=weight)
    return [*found, *gesture(moment.words.sentence("moment.any"), weight=1 if mood == TENSE else 2)]


def mood_of(moment: Moment) -> str:
    """Return the feeling about the player: `warm`, `cold`, `tense`, or empty."""
    player = moment.given.player_id
    if not moment.is_here(player):
        return ""
    toward = moment.toward(player)
    if toward.tension >= _TENSE:
        return TENSE
    if toward.trust < 0:
        return "cold"
    return "warm" if toward.trust + toward.closeness >= _FRIENDLY else ""


def _nature_lines(moment: Moment) -> Iterator[PossibleAct]:
    """Yield the line that was used least, verbatim; none that the last narrations have told."""
    given = moment.given
    narrated = "\n".join(message.content for _, message in given.messages if message.type == "narration")
    lines = [line for line in given.me.disposition if _is_a_deed(line, moment) and line.text not in narrated]
    lines = [line for line in lines if line.text not in moment.lately]
    keyed = [(given.recall.get(moment.key(f"line:{line.key}"), 0), at, line) for at, line in enumerate(lines)]
    for _, _, line in sorted(keyed, key=lambda row: row[:2])[:1]:
        yield PossibleAct(line.text, 4, keys=(moment.key(f"line:{line.key}"),))


def _is_a_deed(line: LoreLine, moment: Moment) -> bool:
    """Tell whether a line tells an act of the character, by their name: one sentence of a few words."""
    words = line.text.split()
    begins = line.text.startswith(f"{moment.given.me.name} ")
    return (
        begins
        and 4 <= len(words) <= 30
        and len(line.text) <= SENTENCES
        and not _GENERAL & {word.strip(".,;:").casefold() for word in words}
    )


# The choice between the options: by urgency, then by lot.

# In so many of a hundred turns a character follows an aim of their own, if there is one; else it waits. Of several
# present only one in a turn may: in some profiles all think at once, and would all ask the same.
_RESTLESS = 80
# And so often they comment on what goes on rather than follow themselves.
_ATTENTIVE = 55
# Longest excerpt of an overlong name (characters).
_NAME = 200


def intend(given: NpcIntentInput) -> NpcIntent:
    """Return the act; the same input gives the same one."""
    moment = Moment(given)
    written = authored(moment)
    if written and written[0].text not in moment.lately[:1]:
        return written[0].intent()
    for considered in _group_by_urgency(moment):
        fresh = [act for act in considered if act.text not in moment.lately]
        if fresh:
            return _draw(fresh, moment).intent()
    if written:
        return written[0].intent()
    return NpcIntent(action_text=f"{given.me.name[:_NAME]} waits.", intent_tags=("calm",))


def _group_by_urgency(moment: Moment) -> list[list[PossibleAct]]:
    """Return the possible acts by group, the most urgent group first."""
    answers, ends = answering(moment), possible_aims(moment)
    urgent = [end for end in ends if "flight" in end.tags]
    notices, idle = watching(moment)[:2], idling(moment)
    later = [ends] if _is_ones_turn(moment) and _draw_number(moment, "restless") < _RESTLESS else []
    # Somebody with a grudge does not look on as a neighbour does.
    is_easy = mood_of(moment) != TENSE and _draw_number(moment, "attentive") < _ATTENTIVE
    around = [notices, idle] if is_easy else [idle, notices]
    return [urgent, answers, *later, *around]


def _is_ones_turn(moment: Moment) -> bool:
    """Tell whether it is the character's turn, among the cast who are there: it goes round among them by chance."""
    given = moment.given
    everybody = sorted({given.me.id, *(other.id for other in moment.others)})
    drawn = content_hash(f"{given.seed}\n{given.turn_no}\n{'|'.join(everybody)}")
    return everybody[int(drawn[:12], 16) % len(everybody)] == given.me.id


def _draw(considered: Sequence[PossibleAct], moment: Moment) -> PossibleAct:
    """Return one of several by weight; the same one for the same moment."""
    left = _draw_number(moment, "which", sides=sum(act.weight for act in considered))
    for act in considered:
        left -= act.weight
        if left < 0:
            return act
    return considered[-1]


def _draw_number(moment: Moment, purpose: str, *, sides: int = 100) -> int:
    """Return a number from 0 to `sides`, exclusive, for this character, turn and purpose."""
    given = moment.given
    drawn = content_hash(f"{given.seed}\n{given.me.id}\n{given.turn_no}\n{given.minutes}\n{purpose}")
    return int(drawn[:12], 16) % sides
