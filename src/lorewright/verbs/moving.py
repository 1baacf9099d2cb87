"""Verbs of moving: go, sneak."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pydantic import Field

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_words import Actor, Telling, flags, place_of
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.outcomes import deed_facts, only
from lorewright.builtin.narrator.views import Beat, duration
from lorewright.builtin.npc.considered import Aim, Enactment, Moment, PossibleAct, is_word
from lorewright.builtin.parser.readings import (
    LEADS,
    MAX_WORDS,
    ParseContext,
    PhraseKind,
    Reading,
    acting,
    asking,
    meant,
    typeable,
)
from lorewright.builtin.parser.ways import read_go, read_leave
from lorewright.builtin.words.clauses import (
    Phrasing,
    Syntax,
    Word,
    bare,
    find_posture,
    lexicon,
    lows,
    parted,
    trimmed,
    typed,
    verb_with,
)
from lorewright.builtin.words.noun_phrases import PhraseMatch, resolve
from lorewright.rules.actions import Action, Attempt, Deed
from lorewright.rules.acts import Answer, move_ops
from lorewright.rules.observations import UNSEEN, departures
from lorewright.rules.patch import Outcome, Patch, ReasonCode
from lorewright.rules.reach import exits_to, known_way, way, why_not_open
from lorewright.rules.reasons import why_not_go, why_not_reach
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import DetailMetadata, RuleNames, Sight, Verb, verb_for, verb_of
from lorewright.values.records import Evidence, NarratorInput
from lorewright.world.frozen import Frozen
from lorewright.world.state import WorldState

# go: take a way out.


class GoMetadata(Frozen):
    """The place that a walk leads to, where this is a step of one."""

    towards: str | None = None


# A longer walk is ended here, and taken up again by typing it again.
_MOST_STEPS = 12


def _steps(action: Action, state: WorldState) -> tuple[Action, ...]:
    """Return the steps of a walk to a known place that is further off than one step; those of a way with a door that
    only has to be opened are to open it and to go."""
    if exits_to(action, state):
        return _through_the_door(action, state)
    places = known_way(action, state)[:_MOST_STEPS]
    metadata, here = {"towards": action.location_id}, state.scene.location_id
    found: list[Action] = []
    for place in places:
        step = action.model_copy(update={"location_id": place, "metadata": metadata})
        doors = (way_out.via for way_out in state.exits.get(here, ()) if way_out.to == place and way_out.via)
        found += [*_opened(next(doors, None), step, state), step]
        here = place
    return tuple(found)


def _opened(door: str | None, action: Action, state: WorldState) -> Iterator[Action]:
    """Yield the opening of a door that has only to be opened to go on; nothing for any other."""
    opening, shut = verb_for("open_door"), state.doors.get(door or "")
    if opening is not None and shut is not None and shut.shut_bars and not shut.open and not shut.locked:
        beyond = {"beyond": action.metadata["towards"]}
        yield Action(actor_id=action.actor_id, type=opening.name, target_id=door, metadata=beyond)


def _through_the_door(action: Action, state: WorldState) -> tuple[Action, ...]:
    """Return the steps of a way that a shut door bars and nothing else; empty for any other way."""
    door = next((way_out.via for way_out in exits_to(action, state) if way_out.via), None)
    opening = verb_for("open_door")
    if door is None or opening is None or state.doors[door].locked or why_not_go(action, state) != "door_closed":
        return ()
    opened = Action(actor_id=action.actor_id, type=opening.name, target_id=door)
    return (opened, action) if why_not_open(opened, state) is None else ()


def _go_minutes(action: Action, state: WorldState, own: int) -> int:
    taken = way(action, state)
    return own if taken is None else taken.minutes


def _go(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    patch.do(*move_ops(attempt.action, patch.state))
    return Answer("moved")


# From here on a way is long (minutes).
_LONG_MINUTES = 15


def _tell_way(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Return the way to the present place; a place on the way is passed."""
    slots = {"place": views.place(given, outcome.location_id), "minutes": duration(outcome.minutes)}
    if outcome.location_id not in (None, given.scene.place_id):
        after = next((later for later in given.outcomes if later.action_index == outcome.action_index + 1), None)
        return [Beat("outcome", "passed" if after is None or after.location_id else "halted", slots=slots)]
    facts: dict[str, Fact] = {"first": given.scene.first_visit}
    if outcome.minutes >= _LONG_MINUTES:
        facts["long"] = True
    return [Beat("outcome", "moved", facts, slots)]


def _tell_way_of_others(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    """Return an arrival from elsewhere or a departure."""
    if outcome.location_id == actor.told.scene.place_id:
        return [actor.beat("act", "npc.come")]
    place = place_of(actor.told, outcome)
    return [actor.beat("act", "npc.go", flags(place=place), place=place)]


def _after_way(actor: Actor, outcome: Outcome) -> str:
    if outcome.code != "moved":
        return ""
    return "come" if outcome.location_id == actor.told.scene.place_id else "go"


# From so much tension on somebody would rather be elsewhere.
_TOO_MUCH = 5
# A goal with a destination: `get to the pier`, `back at Pier 9`.
_MOVING = re.compile(r"\b(?:go|get|reach|return|come|slip|back|leave for|make it|run)\b")


def _leave(moment: Moment) -> Iterator[PossibleAct]:
    """Yield a departure from somebody who has just struck, or with whom tension is too high."""
    me, struck = moment.given.me.id, set()
    for outcome in moment.given.outcomes:
        verb = verb_of(outcome.type)
        is_violent = verb is not None and verb.is_violent
        if is_violent and outcome.target_id == me and outcome.code != "blocked":
            struck.add(outcome.actor_id)
    from_whom = [
        person.id for person in moment.people if person.id in struck or moment.toward(person.id).tension >= _TOO_MUCH
    ]
    ways = [way_out for way_out in moment.given.scope.exits if not way_out.barred]
    if not from_whom or not ways or not moment.can(GO.name) or moment.done("left"):
        return
    way_out = ways[0]
    found = moment.words.sentence("leave", what=way_out.to_name or way_out.name)
    thought, keys = moment.thought("think.attack")
    if found is not None:
        action = moment.action(GO.name, to=way_out.to)
        keys = (found.key, *keys, moment.key("left"))
        yield PossibleAct(found.text, 12, ("flight",), thought=thought, action=action, keys=keys)


def _follow_goal(moment: Moment) -> Iterator[PossibleAct]:
    """Yield the way to the place that the goal names."""
    goal = moment.given.me.goal.casefold()
    if not moment.can(GO.name) or _MOVING.search(goal) is None:
        return
    for way_out in moment.given.scope.exits:
        if (
            not way_out.barred
            and way_out.to_name
            and is_word(way_out.to_name.casefold(), goal)
            and not moment.done(f"went:{way_out.to}")
        ):
            found = moment.words.sentence("go", what=way_out.to_name)
            thought, keys = moment.thought("think.goal")
            if found is not None:
                used = (found.key, *keys, moment.key(f"went:{way_out.to}"))
                action = moment.action(GO.name, to=way_out.to)
                yield PossibleAct(found.text, 3, ("calm",), thought=thought, action=action, keys=used)


def _is_way_open(deed: Deed, moment: Moment) -> bool:
    return any(way.to == deed.to and not way.barred for way in moment.given.scope.exits)


GO = Verb(
    name="go",
    rank=30,
    steps=_steps,
    summary="take a way out of the place",
    condition="there is such a way, and it is not barred",
    remembered="that somebody left",
    lines={
        "travel": "go to {place}",
        "way": "go {way}",
        "any_way": "go",
        "leave": "leave",
        "follow": "follow {person}",
    },
    rule_lines=lambda names: (f"go to {place}" for place in names.places),
    metadata=GoMetadata,
    aim="place",
    needs=("to",),
    requires=why_not_go,
    minutes=_go_minutes,
    ops=move_ops,
    does=_go,
    sights=departures,
    note="bring the player to {place}",
    parts=(
        Phrasing(
            80,
            "go, walk, head, travel, move, run, hurry, rush, step, stroll, march, ride, drive, sail, proceed, "
            "return, flee, escape, wander, stride, limp, enter, visit, cross, get to, come, get into, get in, "
            "board, go to, walk to, head to, travel to, move to, run to, go into, walk into, go through, walk "
            "through, head through, leave for, set out for, set off for, make for, head for, go back to, head "
            "back to, return to, leave through, leave by, leave via, exit through, exit by, exit to, exit via, "
            "leave to, go out to, get back to, make my way to, take me to, row me to, row me over to, bring me to, "
            "lead me to, drive me to, sneak over to, go up to, go over to, walk up to, walk over to, go on to, find my "
            "way to, cross to, cross over to, make my way over to, make my way towards, get back into",
            read_go,
        ),
        Phrasing(
            90,
            "leave, exit, out, go out, get out, step out, walk out, head out, outside, go outside, leave here, "
            "get out of here, go away, walk away, depart, back, go back, head back, set off, set out, head off",
            read_leave,
        ),
        Syntax(listed=8, is_travel=True),
        Aim(10, _leave),
        Aim(40, _follow_goal),
        Enactment(group="go", is_possible=_is_way_open),
        Telling(codes={"moved": _tell_way}, codes_of_others={"moved": _tell_way_of_others}, after=_after_way),
    ),
)


# sneak: go somewhere unseen, past somebody, or keep out of sight.


class SneakMetadata(DetailMetadata):
    """How or where, in the player's words, and the verb of an attempt that was read as hiding."""

    verb: str = Field(default="", max_length=60)


def _why_not_sneak(action: Action, state: WorldState) -> ReasonCode | None:
    """Return the reason against sneaking somewhere, past somebody, or neither; both must be possible."""
    past = why_not_reach(action, state)
    if past is not None or action.location_id is None:
        return past
    return why_not_go(action, state)


def _sneak_minutes(action: Action, state: WorldState, own: int) -> int:
    """Return the minutes of the way, if one is taken, and those of being careful."""
    taken = way(action, state)
    return own if taken is None else taken.minutes + own


def _sneak(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    patch.do(*move_ops(attempt.action, patch.state))
    return Answer("moved" if attempt.action.location_id else "acted")


def _as_going(action: Action) -> Action | None:
    return None if action.location_id is None else action.model_copy(update={"type": GO.name})


_CAUGHT = Sight("{actor} tried to slip by unseen", 2)


def _sneak_sights(outcome: Outcome, place: str) -> Iterator[tuple[Sight, str]]:
    """Yield nothing where it came off; else a departure, or the attempt."""
    if outcome.band in UNSEEN:
        return
    seen = list(departures(outcome, place))
    yield from seen
    if not seen and outcome.band == "fail":
        yield _CAUGHT, place


def _tell_sneak(given: NarratorInput, outcome: Outcome) -> Beat | None:
    """Tell whether the player was seen, on the way or where they are."""
    band = outcome.band or "success"
    if outcome.code == "moved":
        seen: Fact = "mixed" if band == "fail" else band  # a rule moved the player there all the same
        return Beat("outcome", "deed.sneaked", {"band": seen}, {"place": views.place(given, outcome.location_id)})
    if outcome.code != "acted":
        return None
    facts, slots = deed_facts(given, outcome)
    if outcome.location_id and band == "fail" and not facts.get("person"):
        return Beat("outcome", "deed.sneak", {"band": band, "place": True}, {"place": views.place(given)})
    return Beat("outcome", "deed.sneak", {"band": band, **only(facts, "person")}, slots)


def _tell_sneak_of_others(
    actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str
) -> list[Beat] | None:
    """Tell an unseen arrival or departure by its end alone."""
    band: dict[str, Fact] = {"band": outcome.band or "success"}
    if outcome.code == "moved":
        comes = outcome.location_id == actor.told.scene.place_id
        return [actor.beat("act", "npc.sneaked_in" if comes else "npc.sneaked", band)]
    return [actor.beat("act", "npc.sneak", band)] if outcome.code == "acted" else None


def _read_sneak(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a sneak to a place, past somebody, or both: `past the captain to the cells`."""
    past = words.lower().split()
    if "past" in past or "by" in lows(rest)[:1]:
        return _past(ctx, words, trimmed(rest, start=("past", "by")))
    if not bare(rest) or lows(rest) in (["out"], ["away"], ["off"]):
        exits = {way.id for way in ctx.nouns.exits}
        lines = [f"sneak {typeable(way.name)}" for way in ctx.nouns.exits]
        return asking(words, "Which way:", lines) if exits else asking(words, "There is no way out. You can:", ["hide"])
    return _as_sneak(read_go(ctx, words, rest))


def _past(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading:
    whom, joint, where = parted(rest, ("to", "into", "towards", "toward", "through"))
    nouns = ctx.nouns
    wanted = PhraseKind(nouns.people, nouns.known_people, "sneak past {}")
    target = meant(ctx, words, whom, wanted)
    if isinstance(target, Reading):
        return target
    reading = acting(ctx, SNEAK.name, f"sneak past {target.label}", target=target)
    if not joint:
        return reading
    goal = read_go(ctx, words, where)
    if goal is None or goal.unclear is not None:
        return goal or reading
    to = goal.actions[0].location_id
    return acting(ctx, SNEAK.name, reading.intent, target=target, location_id=to, confidence=goal.confidence)


def _as_sneak(going: Reading | None) -> Reading | None:
    """Return the same move, unseen; a question keeps the verb in its lines."""
    if going is None:
        return None
    if going.unclear is not None:
        return going
    actions = tuple(action.model_copy(update={"type": SNEAK.name}) for action in going.actions)
    return Reading(
        actions, going.intent.replace("go ", "sneak ", 1), going.confidence, None, going.mentioned, going.assumptions
    )


def _read_hide(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read hiding anywhere, or behind something that is here."""
    place = trimmed(rest, start=tuple(LEADS | {"inside", "beneath", "underneath", "beside", "myself"}))
    if not bare(place):
        return acting(ctx, SNEAK.name, "hide", metadata={"detail": "hide"})
    nouns = ctx.nouns
    found = resolve(bare(place), nouns.things + nouns.doors + nouns.people)
    posture = find_posture()
    if posture is not None and len(place) == len(rest) and (isinstance(found, PhraseMatch) or _is_it(place)):
        # `hide the passkey`: it is out of sight.
        put_away: Reading = posture(ctx, words)
        taking = verb_with(lambda syntax: syntax.is_picking_up)
        if taking is None or not isinstance(found, PhraseMatch) or found.candidate not in nouns.here:
            return put_away
        # What lies here is out of sight when one has it.
        return acting(ctx, taking.name, f"{taking.name} {found.label}", target=found)
    if isinstance(found, PhraseMatch):
        return acting(
            ctx, SNEAK.name, f"hide by {found.label}", target=found, metadata={"detail": typed(rest)[:MAX_WORDS]}
        )
    return acting(ctx, SNEAK.name, "hide", metadata={"detail": typed(rest)[:MAX_WORDS]}, confidence=0.8)


def _is_it(words: Sequence[Word]) -> bool:
    return lows(words)[0] in lexicon().thing_pronouns


def _sneak_rule_lines(names: RuleNames) -> Iterator[str]:
    if names.is_at_person:
        yield f"sneak past {names.target}"
    else:
        yield from (f"sneak to {place}" for place in names.places)


SNEAK = Verb(
    name="sneak",
    rank=40,
    steps=_through_the_door,
    summary="go somewhere unseen, get past somebody, or keep out of sight",
    condition="the way is there and the person is here, as far as they are named",
    remembered="nothing where it comes off; else that somebody left, or was caught at it",
    lines={"sneak_to": "sneak to {place}", "sneak_past": "sneak past {person}", "hide": "hide"},
    rule_lines=_sneak_rule_lines,
    metadata=SneakMetadata,
    aim="place",
    requires=_why_not_sneak,
    minutes=_sneak_minutes,
    ops=move_ops,
    does=_sneak,
    also_ruled_as=_as_going,
    sights=_sneak_sights,
    note="tell whether it stays unseen",
    history="tried not to be seen",
    remark=None,
    parts=(
        Syntax(risk="contested"),
        Phrasing(
            250,
            "sneak, creep, tiptoe, slip, steal past, sneak past, slip past, creep past, tiptoe past, sneak by, slip by,"
            " get past",
            _read_sneak,
        ),
        Phrasing(260, "hide, take cover, hide myself, duck, lie low, lurk", _read_hide),
        Telling(of_player=_tell_sneak, of_others=_tell_sneak_of_others, after=_after_way, fails_in_words=True),
    ),
)

VERBS = (GO, SNEAK)
