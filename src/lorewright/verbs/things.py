"""Verbs of things: take, drop, give, use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import Field

from lorewright.builtin.inner import InnerDeed
from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_words import Actor, Telling, flags, is_somebody, item_of, thing_of
from lorewright.builtin.narrator.acts import telling_of_thing
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.views import Beat
from lorewright.builtin.npc.considered import (
    TRUSTING,
    Aim,
    Enactment,
    Moment,
    PossibleAct,
    Reaction,
    is_in_goal,
    share_item,
    tellable,
    the,
)
from lorewright.rules.actions import Action, Attempt, Deed
from lorewright.rules.acts import Answer, plain_ops
from lorewright.rules.patch import Outcome, Patch, ReasonCode
from lorewright.rules.reach import holds_thing, in_sight, place_of
from lorewright.rules.reasons import why_no_item, why_no_person, why_not, why_not_reach
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import ItemMetadata, KeyTurn, Sight, Verb, seen, verbs
from lorewright.values.records import Evidence, NarratorInput
from lorewright.world.frozen import Frozen
from lorewright.world.ops import ChangeRelation, Recall, StateOp, TransferItem
from lorewright.world.state import WorldState


class QuantityMetadata(Frozen):
    """How many."""

    quantity: int = Field(default=1, ge=1, le=99)


def _transfer(
    action: Action, state: WorldState, item: str | None, giver: str, receiver: str | None
) -> tuple[StateOp, ...]:
    """Return the transfer; where fewer pieces are there than are wanted, of all."""
    if item is None or receiver is None:
        return ()
    quantity = min(int(action.metadata.get("quantity", 1)), state.held_by(giver).get(item, 0))
    return (TransferItem(item_id=item, from_id=giver, to_id=receiver, quantity=quantity),) if quantity else ()


def _hand(patch: Patch, action: Action) -> int:
    """Do the transfer of an action; return how many pieces changed hands."""
    ops = plain_ops(action, patch.state)
    patch.do(*ops)
    return sum(op.quantity for op in ops if isinstance(op, TransferItem))


# take: what lies here.


def _why_not_take(action: Action, state: WorldState) -> ReasonCode | None:
    item = state.entities.get(action.target_id or "")
    if item is None:
        return "object_not_found"
    if item.type in ("npc", "player"):
        return "cannot_take_person"
    if item.type != "item":
        return "not_takeable"
    if holds_thing(place_of(action, state), item.id, state):
        return None
    return "already_carried" if holds_thing(action.actor_id, item.id, state) else "object_not_found"


def _take_ops(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    return _transfer(action, state, action.target_id, place_of(action, state), action.actor_id)


def _take(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    quantity = _hand(patch, attempt.action)
    patch.tell("item_taken", item=attempt.action.target_id, quantity=quantity)
    return Answer("taken")


def _tell_taken(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    thing = views.thing(given, outcome.target_id)
    facts: dict[str, Fact] = {"band": outcome.band or "none"}
    return [Beat("outcome", "taken" if thing else "acted", facts, {"thing": thing})]


def _take_wanted(moment: Moment) -> Iterator[PossibleAct]:
    """Yield the taking of what the goal names."""
    given, goal = moment.given, moment.given.me.goal.casefold()
    thought, keys = moment.thought("think.goal")
    for thing in given.scope.here:
        wanted = moment.can(TAKE.name) and is_in_goal(thing, goal) and not moment.done(f"took:{thing.id}")
        if wanted and (found := moment.words.sentence("take", thing=the(thing))) is not None:
            used = (found.key, *keys, moment.key(f"took:{thing.id}"))
            action = moment.action(TAKE.name, thing.id)
            yield PossibleAct(found.text, 6, ("trade",), thought=thought, action=action, keys=used)


def _is_here(deed: Deed, moment: Moment) -> bool:
    return deed.target in {thing.id for thing in moment.given.scope.here}


TAKE = Verb(
    name="take",
    rank=120,
    summary="take what lies here",
    condition="the thing lies here, and is no person",
    remembered="that it was taken",
    lines={"pick_up": "take the {thing}", "grab": "take {thing}"},
    metadata=QuantityMetadata,
    needs=("target",),
    requires=_why_not_take,
    ops=_take_ops,
    does=_take,
    is_hands_on=True,
    sights=seen("{actor} took {target}", 2),
    note="hand over {target}",
    note_target="the thing",
    parts=(
        Aim(20, _take_wanted),
        Enactment(group="take", is_possible=_is_here),
        Telling(codes={"taken": _tell_taken}, codes_of_others={"taken": telling_of_thing("npc.take")}),
    ),
)


# drop: leave here what is carried.


def _why_not_drop(action: Action, state: WorldState) -> ReasonCode | None:
    if action.target_id is None:
        return "object_not_found"
    return None if holds_thing(action.actor_id, action.target_id, state) else "not_in_inventory"


def _drop_ops(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    return _transfer(action, state, action.target_id, action.actor_id, place_of(action, state))


def _drop(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    quantity = _hand(patch, attempt.action)
    patch.tell("item_dropped", item=attempt.action.target_id, quantity=quantity)
    return Answer("dropped")


def _is_carried(deed: Deed, moment: Moment) -> bool:
    return deed.target in {thing.id for thing in moment.given.scope.carried}


DROP = Verb(
    name="drop",
    rank=130,
    summary="leave here what is carried",
    condition="the thing is carried",
    remembered="that it was put down",
    lines={"put_down": "drop {thing}"},
    metadata=QuantityMetadata,
    needs=("target",),
    requires=_why_not_drop,
    ops=_drop_ops,
    does=_drop,
    is_hands_on=True,
    sights=seen("{actor} put {target} down", 1),
    note="put {target} down",
    parts=(
        Enactment(is_possible=_is_carried),
        Telling(codes_of_others={"dropped": telling_of_thing("npc.drop")}, target_is_carried=True),
    ),
)


# give: something to somebody.


def _why_not_give(action: Action, state: WorldState) -> ReasonCode | None:
    whom = why_no_person(action, state, nobody="nobody_named")
    if whom is not None:
        return whom
    return "object_not_found" if action.item_id is None else why_no_item(action, state)


def _give_ops(action: Action, state: WorldState) -> tuple[StateOp, ...]:
    return _transfer(action, state, action.item_id, action.actor_id, action.target_id)


def _give(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    action = attempt.action
    _hand(patch, action)
    patch.tell("item_given", item=action.item_id, to=action.target_id)
    if not ruled:
        _win_by_gift(patch, action)
    return Answer("given")


def _win_by_gift(patch: Patch, action: Action) -> None:
    """Raise trust by one step for a gift, once for each thing and person, so that giving it back and forth gains
    nothing.
    """
    key = f"gift:{action.target_id}:{action.item_id}"
    if action.target_id is not None and key not in patch.state.recall:
        patch.do(Recall(key=key), ChangeRelation(a=action.target_id, b=action.actor_id, trust=1))


def _tell_gift_of_others(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    item = item_of(actor.told, outcome)
    return [actor.beat("act", "npc.give", flags(item=item), to=outcome.target_id, item=item)]


def _give_wanted(moment: Moment) -> Iterator[PossibleAct]:
    """Yield the giving of what the goal names to whom it names."""
    given, goal = moment.given, moment.given.me.goal.casefold()
    thought, keys = moment.thought("think.goal")
    for thing in given.scope.carried:
        for person in moment.people:
            wanted = moment.can(GIVE.name) and is_in_goal(thing, goal) and is_in_goal(person, goal) and "give" in goal
            if wanted and not moment.done(f"gave:{thing.id}:{person.id}"):
                found = moment.words.sentence("give", person=person.id, thing=the(thing))
                if found is not None and moment.toward(person.id).trust >= 0:
                    used = (found.key, *keys, moment.key(f"gave:{thing.id}:{person.id}"))
                    action = moment.action(GIVE.name, person.id, item=thing.id)
                    yield PossibleAct(found.text, 6, ("help",), thought=thought, action=action, keys=used)


def _is_item_carried(deed: Deed, moment: Moment) -> bool:
    return deed.item in {thing.id for thing in moment.given.scope.carried}


def _return_gift(outcome: Outcome, moment: Moment) -> Iterator[PossibleAct]:
    """Yield something the character knows in return for a gift, if they trust the giver."""
    to = outcome.actor_id
    if moment.toward(to).trust < TRUSTING:
        return
    for item in tellable(moment.given.knows, to)[:1]:
        if item.holder_id == moment.given.me.id and (told := share_item(item, to, moment, weight=4)) is not None:
            yield told


GIVE = Verb(
    name="give",
    rank=140,
    summary="give somebody a thing; a gift wins trust once",
    condition="the person is here, and the thing is carried",
    remembered="what was given to whom",
    lines={"gift": "give {thing} to {person}"},
    loosens_tongues=True,
    metadata=ItemMetadata,
    aim="person",
    needs=("target", "item"),
    requires=_why_not_give,
    ops=_give_ops,
    does=_give,
    is_hands_on=True,
    sights=seen("{actor} gave {item} to {target}", 3),
    note="let {target} take the gift",
    parts=(
        InnerDeed("gift", 70, {"morality": 1, "kindness": 1, "guilt": -1}, "lighter"),
        Aim(30, _give_wanted),
        Enactment(group="give", is_possible=_is_item_carried),
        Reaction(tags=("trade",), is_thought_about=True, acts=_return_gift),
        Telling(codes_of_others={"given": _tell_gift_of_others}),
    ),
)


# use: a thing, perhaps on somebody or something.


def _why_not_use(action: Action, state: WorldState) -> ReasonCode | None:
    """Return the reason against a use: the thing must be within reach, carried or lying here."""
    if action.target_id is None and action.item_id is None:
        return "object_not_found"
    if not in_sight(action.item_id, action, state):
        return "not_in_inventory"
    return why_not_reach(action, state)


def _use(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    """Turn the lock if a key is used on its door; all other uses are the scenario's to decide."""
    action = attempt.action
    door = patch.state.doors.get(action.target_id or "")
    if door is None or action.item_id is None or door.key_id != action.item_id:
        return Answer("used")
    turn = next((verb for verb in verbs().values() if verb.part(KeyTurn) == KeyTurn(of_locked=door.locked)), None)
    if turn is None or turn.name not in rules.ruleset.actions or turn.does is None:
        return Answer("used")
    turned = action.model_copy(update={"type": turn.name})
    if why_not(turned, patch.state, rules.ruleset, acting=turned.actor_id) is not None:
        return Answer("used")
    return turn.does(patch, Attempt.of(turned), rules, ruled)


_USED = Sight("{actor} used {item}", 1)
_USED_ON = Sight("{actor} used {item} on {target}", 1)
_USED_IT = Sight("{actor} used {target}", 1)


def _use_sights(outcome: Outcome, place: str) -> Iterator[tuple[Sight, str]]:
    if outcome.item_id is not None:
        yield (_USED if outcome.target_id is None else _USED_ON), place
    elif outcome.target_id is not None:
        yield _USED_IT, place


def _tell_use_of_others(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    thing, item = thing_of(actor.told, outcome), item_of(actor.told, outcome)
    if is_somebody(actor.told, outcome.target_id) and item:
        return [actor.beat("act", "npc.use", {"item": True}, to=outcome.target_id, item=item)]
    return [actor.beat("act", "npc.use", flags(thing=thing, item=item), thing=thing, item=item)]


USE = Verb(
    name="use",
    rank=150,
    summary="use a thing, perhaps on somebody or something; a key on its door turns the lock",
    condition="the thing is carried or lies here, and so does what it is used on",
    remembered="what was used, and on what",
    lines={"use_thing": "use {thing}"},
    loosens_tongues=True,
    metadata=ItemMetadata,
    needs_one_of=(("item", "target"), "`item` or `target`"),
    requires=_why_not_use,
    does=_use,
    sights=_use_sights,
    note="tell what the use of {target} brings",
    parts=(Telling(codes_of_others={"used": _tell_use_of_others}),),
)

VERBS = (TAKE, DROP, GIVE, USE)
