"""What came of an act -> its beats, by what it was and how it came out; the player is `you`, others have names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Final

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_slots import Actor, flags, is_somebody, item_of, place_of, thing_of
from lorewright.builtin.narrator.act_talk import talk_beats
from lorewright.builtin.narrator.act_words import worded
from lorewright.builtin.narrator.beats import Beat
from lorewright.builtin.narrator.grammar import Fact, grammar
from lorewright.rules.outcomes import Outcome
from lorewright.values.records import Evidence

_OF_A_THING: Final = MappingProxyType(
    {"taken": "take", "dropped": "drop", "opened": "open", "closed": "close", "locked": "lock", "unlocked": "unlock"}
)
_SEARCHED: Final = frozenset(("found", "found_before", "nothing_found"))
# What a reason's sentences may name, beside whom it was meant for.
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
    """The act and what came of it. `words` are the intention's own, where they may be told: they say what it was where
    the grammar could only say that something was done."""
    if outcome.code == "blocked":
        return [_blocked(actor, outcome)]
    if outcome.code == "acted" and outcome.band == "fail" and outcome.type not in _FAILS_IN_WORDS:
        return [_of_thing(actor, outcome, "npc.failed")]
    talk = talk_beats(actor, outcome, evidence, words=words)
    if talk is not None:
        return talk
    if outcome.code == "moved":
        return [_moved(actor, outcome)]
    if outcome.code in _OF_A_THING:
        return [_of_thing(actor, outcome, f"npc.{_OF_A_THING[outcome.code]}")]
    if outcome.code == "given":
        item = item_of(actor.told, outcome)
        return [actor.beat("act", "npc.give", flags(item=item), to=outcome.target_id, item=item)]
    if outcome.code in _SEARCHED or outcome.type == "search":
        where = views.where(outcome.words)
        return [actor.beat("act", "npc.search", flags(where=where), where=where)]
    if outcome.code == "listed":
        return [actor.beat("act", "npc.listed")]
    if words and outcome.code in ("used", "looked", "waited"):
        return worded(actor, words)
    return _PLAINLY.get(outcome.code, _acted)(actor, outcome, words)


def _moved(actor: Actor, outcome: Outcome) -> Beat:
    """Here from elsewhere, or away; unseen is told by its end alone."""
    comes = outcome.location_id == actor.told.scene.place_id
    if outcome.type == "sneak":
        return actor.beat("act", "npc.sneaked_in" if comes else "npc.sneaked", {"band": outcome.band or "success"})
    if comes:
        return actor.beat("act", "npc.come")
    place = place_of(actor.told, outcome)
    return actor.beat("act", "npc.go", flags(place=place), place=place)


def _of_thing(actor: Actor, outcome: Outcome, group: str) -> Beat:
    thing = thing_of(actor.told, outcome)
    band: dict[str, Fact] = {"band": outcome.band} if outcome.band else {}
    return actor.beat("act", group, {**flags(thing=thing), **band}, thing=thing)


def _used(actor: Actor, outcome: Outcome, words: str) -> list[Beat]:
    thing, item = thing_of(actor.told, outcome), item_of(actor.told, outcome)
    if is_somebody(actor.told, outcome.target_id) and item:
        return [actor.beat("act", "npc.use", {"item": True}, to=outcome.target_id, item=item)]
    return [actor.beat("act", "npc.use", flags(thing=thing, item=item), thing=thing, item=item)]


def _looked(actor: Actor, outcome: Outcome, words: str) -> list[Beat]:
    thing = "" if outcome.target_id == actor.told.scene.place_id else thing_of(actor.told, outcome)
    return [actor.beat("act", "npc.look", flags(thing=thing), to=outcome.target_id, thing=thing)]


def _waited(actor: Actor, outcome: Outcome, words: str) -> list[Beat]:
    return [actor.beat("act", "npc.wait")]


def _acted(actor: Actor, outcome: Outcome, words: str) -> list[Beat]:
    """What dice may have decided; a free attempt is told by the words for it, if there are any, and by its end."""
    band: dict[str, Fact] = {"band": outcome.band or "success"}
    if outcome.type == "attack":
        return [actor.beat("act", "npc.attack", band, to=outcome.target_id)]
    if outcome.type == "sneak":
        return [actor.beat("act", "npc.sneak", band)]
    if words:
        how = [actor.beat("act", "npc.came_off", band)] if outcome.band else []
        return [*worded(actor, words), *how]
    thing = thing_of(actor.told, outcome)
    return [actor.beat("act", "npc.attempt", {**band, **flags(thing=thing)}, to=outcome.target_id, thing=thing)]


_PLAINLY: Final = MappingProxyType[str, Callable[[Actor, Outcome, str], list[Beat]]](
    {"used": _used, "looked": _looked, "waited": _waited}
)
# Failures that have words of their own.
_FAILS_IN_WORDS: Final = frozenset(("attack", "sneak", "attempt", "persuade", "threaten"))


def _blocked(actor: Actor, outcome: Outcome) -> Beat:
    """Why it could not be done; what it would have been about is named where the reason can name it."""
    given = actor.told
    reason = outcome.reason or (actor.act.result.reason if actor.act.result else None)
    group = f"npc.blocked.{reason}" if f"npc.blocked.{reason}" in grammar() else "npc.blocked.other"
    thing = thing_of(given, outcome)
    doors = [way.door for way in given.scene.exits if way.to == outcome.location_id and way.door]
    slots = {
        "place": place_of(given, outcome),
        "door": (views.thing(given, doors[0]) if doors else "") or thing,
        "item": item_of(given, outcome) or (thing if outcome.type == "drop" else ""),
        "thing": thing,
    }
    named = _NAMED.get(reason or "")
    if named == "to":
        return actor.beat("act", group, to=outcome.target_id)
    return actor.beat("act", group, flags(**{named: slots[named]}) if named else {}, **slots)
