"""Verbs of things: take, drop, give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pydantic import Field

from lorewright.builtin.inner import InnerDeed
from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_words import Actor, Telling, flags, item_of
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
from lorewright.builtin.parser.civilities import read_of_another, told_in_words
from lorewright.builtin.parser.handling import ONTO, Handing, carried_kind, handed
from lorewright.builtin.parser.pieces import each, joined, pronoun
from lorewright.builtin.parser.readings import (
    ParseContext,
    Reading,
    act_word,
    acting,
    aimed_at_prose,
    asking,
    meant,
    nothing_called,
    nothing_known,
    noun_part,
    person_meant,
    posed,
    read_way,
    shown,
    typeable,
    which,
)
from lorewright.builtin.parser.rewordings import in_second_person
from lorewright.builtin.words.clauses import (
    Phrasing,
    Syntax,
    Word,
    bare,
    lexicon,
    lows,
    parted,
    trimmed,
    typed,
    words_of,
)
from lorewright.builtin.words.noun_phrases import PhraseMatch, Tie, exact, in_prose, resolve
from lorewright.rules.actions import Action, Attempt, Deed
from lorewright.rules.acts import Answer, plain_ops
from lorewright.rules.patch import Outcome, Patch, ReasonCode
from lorewright.rules.reach import holds_thing, place_of
from lorewright.rules.reasons import why_no_item, why_no_person
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import ItemMetadata, Verb, seen
from lorewright.rules.verbs import typed as typed_lines
from lorewright.values.records import Evidence, NarratorInput
from lorewright.world.events import ItemDropped, ItemGiven, ItemTaken
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
    patch.tell(ItemTaken(item=attempt.action.target_id, quantity=quantity))
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


def _read_take(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read taking a thing; one that cannot be taken is named all the same, and the rules say so."""
    rest = _drop_particle(rest)
    quantity, rest = _split_quantity(rest)
    phrase = bare(rest)
    if not phrase:
        return asking(words, "Take what?", [f"take {typeable(thing.name)}" for thing in ctx.nouns.here])
    if tuple(phrase.lower().split()) in lexicon().everything:
        return _take_all(ctx, words)
    found = (
        each(ctx, words, rest, _read_take)
        or pronoun(ctx, phrase, "take {}", things_first=True)
        or _find_takeable(ctx, phrase)
    )
    match found:
        case Reading():
            return found
        case Tie():
            return which(words, found, "take {}")
        case PhraseMatch():
            metadata = {"quantity": quantity} if quantity > 1 else {}
            return acting(ctx, TAKE.name, f"take {shown(found)}", target=found, metadata=metadata)
        case None:
            if exact(phrase, ctx.nouns.exits):  # `take the street`
                return read_way(ctx, words, rest)
            if (owned := read_of_another(ctx, words, rest)) is not None:
                return owned
            return nothing_called(ctx, words, phrase)


def _find_takeable(ctx: ParseContext, phrase: str) -> PhraseMatch | Tie | None:
    """Return what lies here before what is carried, and both before anything else that has the name."""
    nouns = ctx.nouns
    first = resolve(phrase, nouns.here) or resolve(phrase, nouns.carried)
    if isinstance(first, PhraseMatch) and first.confidence < 0.95:
        first = resolve(phrase, nouns.things + nouns.doors + nouns.people, nouns.known_things)
    return first or resolve(phrase, nouns.doors + nouns.people, nouns.known_things)


def _take_all(ctx: ParseContext, words: str) -> Reading:
    if not ctx.nouns.here:
        lines = [*typed_lines("view"), *typed_lines("rummage")]
        return asking(words, "Nothing that could be taken lies here. You can:", lines)
    parts = [acting(ctx, TAKE.name, "", target=PhraseMatch(thing, thing.name, 0.95)) for thing in ctx.nouns.here[:4]]
    return joined(parts, "take everything")


def _split_quantity(rest: Sequence[Word]) -> tuple[int, Sequence[Word]]:
    """Return 3 and the coins for `three coins`; a number that belongs to the name is not split off."""
    if len(rest) < 2:
        return 1, rest
    word = rest[0].low
    value = int(word) if word.isascii() and word.isdigit() else int(lexicon().numbers.get(word, 0))
    return (min(value, 99), rest[1:]) if value >= 1 and word not in ("a", "an") else (1, rest)


def _drop_particle(rest: Sequence[Word]) -> Sequence[Word]:
    """Return the unit for `pick the unit up`."""
    return rest[:-1] if len(rest) > 1 and rest[-1].low in ("up", "out", "off", "down") else rest


TAKE = Verb(
    name="take",
    rank=120,
    summary="take what lies here",
    condition="the thing lies here, and is no person",
    remembered="that it was taken",
    lines={"pick_up": "take the {thing}", "grab": "take {thing}"},
    reaches_item=True,
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
        Phrasing(
            310,
            "take, pick up, grab, get, collect, pocket, snatch, lift, acquire, seize, retrieve, gather, pick, "
            "steal, swipe, pilfer, pinch, nick, borrow, get hold of, take hold of, help myself to, loot, keep, heave, "
            "hoist, shoulder, haul, take down, get down, lift down",
            _read_take,
        ),
        Syntax(listed=5, is_picking_up=True),
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
    patch.tell(ItemDropped(item=attempt.action.target_id, quantity=quantity))
    return Answer("dropped")


def _is_carried(deed: Deed, moment: Moment) -> bool:
    return deed.target in {thing.id for thing in moment.given.scope.carried}


# Places where a thing is put down for good; anywhere else must be something that is here.
_SURFACES = ("on", "onto", "beside", "under", "behind")
_POCKETS = "pocket pockets bag backpack coat jacket belt purse pouch satchel sleeve boot".split()
_DOWN = ("down", "away", "here", "aside", "there", "off", "out", "back")


def _read_drop(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read dropping things that are carried, or all of them; where they are put does not matter."""
    nouns = ctx.nouns
    rest, _, _ = parted(trimmed(rest, end=_DOWN), ONTO)
    phrase = bare(rest)
    if not phrase:
        return asking(words, "Drop what?", [f"drop {typeable(thing.name)}" for thing in nouns.carried])
    if tuple(phrase.lower().split()) in lexicon().everything and nouns.carried:
        parts = [acting(ctx, DROP.name, "", target=PhraseMatch(thing, thing.name, 0.95)) for thing in nouns.carried[:4]]
        return joined(parts, "drop everything")
    several = each(ctx, words, rest, _read_drop)
    if several is not None:
        return several
    found = meant(ctx, words, rest, carried_kind(nouns, "drop {}"))
    return found if isinstance(found, Reading) else acting(ctx, DROP.name, f"drop {shown(found)}", target=found)


def _read_put(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `put it down` as a drop, `put it in my bag` as taking it; a place to put it is the floor."""
    thing, joint, onto = parted(rest, ONTO)
    is_worn = bare(onto).lower().removeprefix("my ") in _POCKETS
    where = in_prose(bare(onto), ctx.nouns) if joint and bare(onto) and not is_worn else None
    is_carried = isinstance(resolve(bare(thing), ctx.nouns.carried), PhraseMatch)
    if where is not None and where.standing == "shown" and is_carried:
        return told_in_words(_read_drop(ctx, words, rest), words)
    if joint and bare(onto) and joint not in _SURFACES:
        return _read_pocketing(ctx, words, thing, bare(onto))
    return _read_drop(ctx, words, rest)


def _read_pocketing(ctx: ParseContext, words: str, thing: Sequence[Word], goal: str) -> Reading:
    """Read `in my bag`: what lies here is taken, what is carried is there already; no such other place is known."""
    if goal.lower() in _POCKETS:
        lying = resolve(bare(thing), ctx.nouns.here)
        if isinstance(lying, PhraseMatch):
            return acting(ctx, TAKE.name, f"take {shown(lying)}", target=lying)
        if ctx.prose_noun and bare(thing).lower() in ("it", "them", "one"):
            return nothing_called(ctx, f"take {ctx.prose_noun}", ctx.prose_noun)
        mine = pronoun(ctx, bare(thing), things_first=True) or resolve(bare(thing), ctx.nouns.carried)
        carried = mine if isinstance(mine, PhraseMatch) and mine.candidate in ctx.nouns.carried else None
        stowed = posed(ctx, f"stow {carried.label}") if carried else None
        lines = [*typed_lines("belongings"), *typed_lines("view")]
        return stowed or asking(words, "That is on you already. You can:", lines)
    if in_prose(goal, ctx.nouns) is not None:
        return nothing_called(ctx, words, goal)
    return nothing_known(ctx, words, goal)


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
        Phrasing(
            50,
            "drop, put down, set down, lay down, discard, throw away, toss away, let go of, leave behind, get rid "
            "of, dump, release",
            _read_drop,
        ),
        Phrasing(
            41,
            "put, set, lay, place, insert, bung, plonk, plop, chuck, pop",
            _read_put,
        ),
        Syntax(is_putting_down=True),
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
    patch.tell(ItemGiven(item=action.item_id, to=action.target_id))
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


def _read_give(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `the card to viktor`, `viktor the card`. A way back is no gift: `return to the bar`."""
    if lows(rest)[:1] == ["for"]:
        # What is paid for is no receiver.
        paid = trimmed(rest[1:], end=("now", "then", "first", "anyway"))
        if bare(paid).lower() in ("it", "them", "that"):
            named = ctx.prose_noun or (ctx.thing.name if ctx.thing is not None else "")
            return aimed_at_prose(ctx, words, named) if named else None
        return aimed_at_prose(ctx, words, noun_part(bare(paid))) if bare(paid) else None
    plain = trimmed(rest, start=("over", "back"), end=("over", "back"))
    return handed(ctx, words, plain, Handing(GIVE.name, "give", _read_give, "Give what?"))


def _read_pay(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read paying somebody as giving them money; for what is not owed, or without money, as told and no more. None
    where nobody here is named."""
    whom, joint, due = parted(rest, ("for",))
    people, name = ctx.nouns.people, bare(whom)
    if lows(rest)[:1] == ["for"]:
        is_told = bare(rest[1:]).lower() in lexicon().thing_pronouns
        return _unasked(ctx, words, words) if is_told else None
    found = person_meant(ctx, name) if name.lower() in lexicon().person_pronouns else resolve(name, people, whole=True)
    if not isinstance(found, PhraseMatch) or found.candidate not in people:
        return None
    deed = f"{act_word(words)} {found.candidate.name} {joint} {typed(due)}".strip()
    if joint and not _OWED & set(lows(due)):
        return _unasked(ctx, words, deed)
    money = words_of(f"{_MONEY} to {typeable(found.candidate.name)}")
    given = handed(ctx, words, money, Handing(GIVE.name, "give", _read_give, "Give what?"))
    is_given = given is not None and any(action.metadata.get("item_id") for action in given.actions)
    return replace(given, is_sure=True) if given is not None and is_given else _unasked(ctx, words, deed)


_MONEY = "money"
_OWED = frozenset("tab bill toll debt fare account fee rent passage tally slate".split())


def _unasked(ctx: ParseContext, words: str, done: str) -> Reading | None:
    """Read a payment that nobody asks for."""
    deed = in_second_person(done)
    paid = posed(ctx, words, deed=deed, form="pay") if deed else None
    return None if paid is None else replace(paid, is_sure=True)


GIVE = Verb(
    name="give",
    rank=140,
    summary="give somebody a thing; a gift wins trust once",
    condition="the person is here, and the thing is carried",
    remembered="what was given to whom",
    lines={"gift": "give {thing} to {person}"},
    rule_lines=lambda names: (f"give {thing} to {person}" for person in names.people for thing in names.things),
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
        Phrasing(
            60,
            "give, hand, hand over, offer, pass, give back, hand back, pay, feed, lend, return, deliver, bring, "
            "slip, sell",
            _read_give,
        ),
        Phrasing(59, "pay, tip", _read_pay),
        Syntax(listed=6, is_handing_over=True),
        InnerDeed("gift", 70, {"morality": 1, "kindness": 1, "guilt": -1}, "lighter"),
        Aim(30, _give_wanted),
        Enactment(group="give", is_possible=_is_item_carried),
        Reaction(tags=("trade",), is_thought_about=True, acts=_return_gift),
        Telling(codes_of_others={"given": _tell_gift_of_others}),
    ),
)


VERBS = (TAKE, DROP, GIVE)
