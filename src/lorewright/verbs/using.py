"""Verbs of what one has: use, inventory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_words import Actor, Telling, flags, is_somebody, item_of, thing_of
from lorewright.builtin.narrator.views import Beat
from lorewright.builtin.parser.handling import ONTO, Handing, handed
from lorewright.builtin.parser.pieces import joined
from lorewright.builtin.parser.readings import (
    ParseContext,
    PhraseKind,
    Reading,
    act_word,
    acting,
    aimed_at_prose,
    asking,
    meant,
    only_person,
    person_meant,
    posed,
    read_as,
    shown,
    typeable,
)
from lorewright.builtin.parser.rewordings import in_second_person
from lorewright.builtin.words.clauses import (
    Phrasing,
    Syntax,
    Word,
    bare,
    lexicon,
    listed,
    lows,
    parted,
    trimmed,
    verb_with,
)
from lorewright.builtin.words.noun_phrases import PhraseMatch, in_prose, resolve
from lorewright.rules.actions import Action, Attempt
from lorewright.rules.acts import Answer
from lorewright.rules.patch import Outcome, Patch, ReasonCode
from lorewright.rules.reach import in_sight
from lorewright.rules.reasons import why_not, why_not_reach
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import ItemMetadata, KeyTurn, RuleNames, Sight, Verb, verb_for, verbs
from lorewright.scene_lore.nouns import singular
from lorewright.values.records import Evidence, NarratorInput
from lorewright.world.state import WorldState

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
    if turn is None or rules.ruleset.find_row(turn.name) is None or turn.does is None:
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


def _read_use(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read the use of a thing by itself, or of one thing on another, on a door or on somebody."""
    nouns = ctx.nouns
    rest = trimmed(rest, start=("on", "off", "from", "up"), end=("on", "off", "up"))
    if not bare(rest):
        word = act_word(words)
        noun = in_prose(word, nouns) if word in lexicon().likes else None
        if noun is not None and noun.standing == "shown":
            # The cup that was put there is drunk from.
            return aimed_at_prose(ctx, f"{words} from the {noun.name}", noun.name)
        return asking(words, "Use what?", [f"use {typeable(thing.name)}" for thing in nouns.carried + nouns.here])
    thing, joint, onto = parted(rest, ("on", "with", "in", "against", "at", "to", "for"))
    if act_word(words) in ("play", "replay") and resolve(bare(thing or rest), nouns.things) is None:
        # What only the prose has is played by being quoted once more.
        noun = in_prose(bare(thing or rest), nouns)
        if noun is not None and noun.standing == "shown":
            return read_as(verb_for("examine"), ctx, words, thing or rest)
    if not joint:
        found = meant(ctx, words, rest, PhraseKind(nouns.things, nouns.doors, "use {}", offered=nouns.things))
        return found if isinstance(found, Reading) else acting(ctx, USE.name, f"use {shown(found)}", target=found)
    used = resolve(bare(thing), nouns.things)
    line = f"use {typeable(used.label)} on {{}}" if isinstance(used, PhraseMatch) else ""
    wanted = PhraseKind(nouns.people + nouns.things + nouns.doors, (), line)
    named = resolve(bare(onto), wanted.present)
    line = f"use {{}} on {typeable(named.label)}" if isinstance(named, PhraseMatch) else "use {}"
    item = meant(ctx, words, thing, PhraseKind(nouns.things, (), line))
    if isinstance(item, Reading):
        return item
    pronouns = lexicon().thing_pronouns
    goal = (
        meant(ctx, words, onto, wanted)
        if bare(onto).lower() not in pronouns
        else _match_pronoun(ctx, words, onto, item)
    )
    return goal if isinstance(goal, Reading) else _read_use_on(ctx, item, goal)


def _read_worn(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `wear the coat`: what lies here is taken first; what is no clothing is used."""
    reading = _read_use(ctx, words, rest)
    action = reading.actions[0] if reading is not None and len(reading.actions) == 1 else None
    named = (*ctx.nouns.carried, *ctx.nouns.here)
    thing = next((thing for thing in named if action is not None and thing.id == action.target_id), None)
    if reading is None or action is None or thing is None or not _is_worn(thing.name):
        return reading
    worn = action.model_copy(update={"metadata": {**action.metadata, "form": "wear"}})
    reading = replace(reading, actions=(worn,))
    taking = verb_with(lambda syntax: syntax.is_picking_up)
    if taking is None or thing in ctx.nouns.carried:
        return reading
    taken = acting(ctx, taking.name, f"{taking.name} {thing.name}", target=PhraseMatch(thing, thing.name, 0.95))
    return joined([taken, reading], reading.intent)


def _read_eaten(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `eat a biscuit` of a tin of them as a small act; anything else that is eaten is used."""
    found, deed = resolve(bare(rest), ctx.nouns.things), in_second_person(words)
    if not isinstance(found, PhraseMatch) or found.mended or not deed:
        return _read_use(ctx, words, rest)
    head = found.candidate.name.split()[-1].casefold()
    is_out_of = head in lexicon().holders and head not in lows(rest)
    eaten = posed(ctx, words, deed=deed, form="eat") if is_out_of else None
    return _read_use(ctx, words, rest) if eaten is None else replace(eaten, mentioned=(found.candidate,))


def _is_worn(name: str) -> bool:
    noun = singular(name.split()[-1].casefold())
    return noun in lexicon().worn or noun in _WORN


_WORN = frozenset("hat cap boot shoe belt ring mask helmet cloak robe shirt bonnet".split())


def _match_pronoun(ctx: ParseContext, words: str, onto: Sequence[Word], item: PhraseMatch) -> PhraseMatch | Reading:
    """Return the match of a pronoun for the target of a use: never the thing itself."""
    nouns = ctx.nouns
    others = tuple(door for door in nouns.here + nouns.doors + nouns.people if door.id != item.candidate.id)
    return meant(ctx, words, onto, PhraseKind(others, (), f"use {typeable(item.label)} on {{}}", strict=True))


def _read_used_on(ctx: ParseContext, words: str, thing: Sequence[Word], goal: PhraseMatch) -> Reading:
    item = meant(ctx, words, thing, PhraseKind(ctx.nouns.things, (), f"use {{}} on {typeable(goal.label)}"))
    return item if isinstance(item, Reading) else _read_use_on(ctx, item, goal)


def _read_use_on(ctx: ParseContext, item: PhraseMatch, goal: PhraseMatch) -> Reading:
    return acting(ctx, USE.name, f"use {shown(item)} on {shown(goal)}", target=goal, item=item)


def _read_switch(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `switch the radio on`; any other turning is not for this frame."""
    return _read_use(ctx, words, rest) if lows(rest)[-1:] in (["on"], ["off"]) else None


def _read_put(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `put the coat on`, and `put the rope in the crate` as using one thing on another."""
    if lows(rest)[-1:] == ["on"]:
        return _read_worn(ctx, words, rest[:-1])
    thing, joint, onto = parted(rest, ONTO)
    if not joint or not bare(onto):
        return None
    goal = resolve(bare(onto), ctx.nouns.things + ctx.nouns.doors + ctx.nouns.people)
    return _read_used_on(ctx, words, thing, goal) if isinstance(goal, PhraseMatch) and not goal.mended else None


def _read_show(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `the card to viktor`, `viktor the card`: the card is used on him."""
    return handed(ctx, words, rest, Handing(USE.name, "show", _read_show))


# Words between what is held out and to whom, and parts of them under which it may be held.
_HELD_OUT_TO = ("at", "to", "before", "under", "in", "over", "towards", "toward", "against")
_FACES = frozenset(("face", "nose", "eyes", "chin"))


def _read_held_out(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `piet with the ticket`, `the ticket at piet`, `the ticket under his nose`: it is used on him. What is not
    carried, or held out to nobody, is not for this frame."""
    whom, joint, thing = parted(rest, ("with",))
    if not joint:
        thing, joint, whom = parted(rest, _HELD_OUT_TO)
    item = resolve(bare(thing), ctx.nouns.carried) if joint else None
    if not isinstance(item, PhraseMatch) or item.mended:
        return None
    low = [word for word in lows(whom) if word not in _FACES]
    if low in (["his"], ["her"], ["their"]):
        only = only_person(ctx)
        return None if only is None else _read_use_on(ctx, item, only)
    person = person_meant(ctx, " ".join(low).removesuffix("'s").removesuffix("’s"))
    return _read_use_on(ctx, item, person) if isinstance(person, PhraseMatch) and not person.mended else None


def _rule_lines(names: RuleNames) -> Iterator[str]:
    yield f"use {names.item} on {names.aim}" if names.item and names.target else f"use {names.item or names.aim}"


USE = Verb(
    name="use",
    rank=150,
    summary="use a thing, perhaps on somebody or something; a key on its door turns the lock",
    condition="the thing is carried or lies here, and so does what it is used on",
    remembered="what was used, and on what",
    lines={"use_thing": "use {thing}", "show_to": "show {thing} to {person}"},
    rule_lines=_rule_lines,
    loosens_tongues=True,
    metadata=ItemMetadata,
    needs_one_of=(("item", "target"), "`item` or `target`"),
    requires=_why_not_use,
    does=_use,
    sights=_use_sights,
    note="tell what the use of {target} brings",
    parts=(
        Phrasing(
            40,
            "put, set, lay, place, insert",
            _read_put,
        ),
        Phrasing(
            70,
            "show, present, hold up",
            _read_show,
        ),
        Phrasing(
            45,
            "confront, face, wave, brandish, flourish, dangle, thrust, hold, hold out",
            _read_held_out,
        ),
        Phrasing(
            130,
            "use, light, turn on, turn off, switch on, switch off, activate, drink, drink from, "
            "sip, play, replay, try, apply, operate, start, plug in, wield, ring, blow, make use of, "
            "signal, signal with, flash, shine, blink, extinguish, put out, douse, snuff, snuff out, blow out, relight",
            _read_use,
        ),
        Phrasing(
            131,
            "wear, put on, try on, don",
            _read_worn,
        ),
        Phrasing(
            132,
            "eat, taste, nibble",
            _read_eaten,
        ),
        Phrasing(
            140,
            "turn, switch",
            _read_switch,
        ),
        Syntax(listed=7),
        Telling(codes_of_others={"used": _tell_use_of_others}),
    ),
)


# inventory: what is carried.


def _always(action: Action, state: WorldState) -> None:
    """Return no reason: it can always be done."""


def _take_stock(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    return Answer("listed")


def _tell_stock(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    names = [name for view in given.carried if (name := views.thing(given, view.id))]
    if not names:
        return [Beat("outcome", "listed.nothing")]
    return [Beat("outcome", "listed", slots={"list": listed(names, limit=12)})]


def _tell_stock_of_others(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    return [actor.beat("act", "npc.listed")]


def _read_inventory(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a look at what is carried; only alone, so that "i" is no verb before other words."""
    if rest:
        return None
    return acting(ctx, INVENTORY.name, "check what you carry")


INVENTORY = Verb(
    name="inventory",
    rank=20,
    summary="go through what is carried",
    condition="it can always be done",
    lines={"belongings": "inventory"},
    tried="go through what they carry",
    requires=_always,
    does=_take_stock,
    note="list what is carried",
    parts=(
        Phrasing(
            30,
            "i, inv, inventory, what do i have, what do i have on me, what have i got on me, what do i have with me, "
            "what am i carrying, what do i carry, what have i got, what have i got in my pockets, what have i on me, "
            "what do i have in my pockets, what's in my pockets, what is in my pockets, empty my pockets, "
            "check inventory, check my pockets, look at inventory, look at my inventory, check my inventory, "
            "show inventory",
            _read_inventory,
        ),
        Telling(codes={"listed": _tell_stock}, codes_of_others={"listed": _tell_stock_of_others}),
    ),
)

VERBS = (USE, INVENTORY)
