"""The acts that an author wrote for somebody, in the author's order -> the one to be done now."""

from __future__ import annotations

from lorewright.builtin.npc.considered import Considered, Moment
from lorewright.builtin.npc.words import the
from lorewright.rules.cast import AuthoredAct, done_key, tried_key
from lorewright.values.intents import SENTENCES

# What is done to somebody who is there.
_AT_PEOPLE = frozenset({"give", "ask", "tell", "promise", "persuade", "threaten", "attack", "recall"})
_GROUPS = {"tell": "tell", "ask": "ask.other", "give": "give", "take": "take", "go": "go"}


def authored(moment: Moment) -> list[Considered]:
    """Those that hold and make sense just now, the one that was done just before last."""
    open_ = [one for act in moment.given.acts if _makes_sense(act, moment) for one in [_considered(act, moment)]]
    fresh = [one for one in open_ if not moment.lately or one.text != moment.lately[0]]
    return [*fresh, *(one for one in open_ if one not in fresh)]


def _considered(act: AuthoredAct, moment: Moment) -> Considered:
    me = moment.given.me.id
    text = " ".join(act.say)[:SENTENCES].strip() or _in_words(act, moment)
    return Considered(
        text,
        thought=act.thought,
        action=None if _is_gesture(act) else act.do.action(me),
        item_id=act.do.lore_item,
        act_id=act.id,
        say=act.say,
    )


def _is_gesture(act: AuthoredAct) -> bool:
    """Whether there is nothing in it for rules to judge: its sentences are all of it."""
    return act.do.type == "wait" and bool(act.say)


def _makes_sense(act: AuthoredAct, moment: Moment) -> bool:
    """Nobody speaks to who is gone. What cannot be done as things stand is tried once, and again only after it was
    done."""
    given, do = moment.given, act.do
    if do.type not in given.verbs or (do.type in _AT_PEOPLE and not moment.is_here(do.target)):
        return False
    if _is_possible(act, moment):
        return True
    tried = given.recall.get(tried_key(given.me.id, act.id), 0)
    return tried <= given.recall.get(done_key(given.me.id, act.id), 0)


def _is_possible(act: AuthoredAct, moment: Moment) -> bool:
    """As far as one sees it oneself."""
    do, scope, given = act.do, moment.given.scope, moment.given
    carried = {one.id for one in scope.carried}
    match do.type:
        case "go":
            return any(way.to == do.to and not way.barred for way in scope.exits)
        case "give":
            return do.item in carried
        case "drop":
            return do.target in carried
        case "take":
            return do.target in {one.id for one in scope.here}
        case "tell" if do.lore_item is not None:
            return any(item.id == do.lore_item and not item.kept_back for item in given.knows)
        case _:
            return True


def _in_words(act: AuthoredAct, moment: Moment) -> str:
    """What an author gave no words is told in ours."""
    do, given = act.do, moment.given
    thing = next((the(one) for one in (*given.scope.carried, *given.scope.here) if one.id in (do.item, do.target)), "")
    what = do.topic or given.names.get(do.to or "", "") or "something"
    if do.type == "attempt":
        return f"{given.me.name} tries something: {do.topic}."[:SENTENCES]
    slots = {"what": what, "thing": thing or "something"}
    group = "tell.whisper" if do.whisper else _GROUPS.get(do.type, "authored")
    found = moment.words.sentence(group, person=do.target, **slots) or moment.words.sentence("authored")
    return found.text if found is not None else f"{given.me.name} acts."[:SENTENCES]
