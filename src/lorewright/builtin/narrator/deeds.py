"""An Outcome of a deed -> its beats: fights, pressure, stealth, things that change hands, doors, the record.

None means that the outcome is not of this kind, and is told elsewhere.
"""

from __future__ import annotations

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.beats import Beat, Slot
from lorewright.builtin.narrator.grammar import Fact, grammar
from lorewright.builtin.parser.naming import listed
from lorewright.rules.outcomes import Outcome
from lorewright.values.records import NarratorInput, Recorded

_ROLLED = frozenset(("attack", "persuade", "threaten", "sneak", "attempt"))
_OF_A_THING = frozenset(("dropped", "opened", "closed", "locked", "unlocked"))
_OF_A_PERSON = frozenset(("heard", "heard_before", "promised", "nothing_recorded"))
_REASONS = frozenset(
    (
        *("cannot_take_person", "not_in_inventory", "nobody_named", "not_a_person", "not_to_oneself", "not_openable"),
        *("already_open", "already_closed", "no_lock", "already_locked", "nothing_to_unlock", "no_key", "wrong_key"),
    )
)


def deed_beats(given: NarratorInput, outcome: Outcome) -> list[Beat] | None:
    """What came of a deed, or why it could not be done; its price and its gain come from elsewhere."""
    if outcome.code == "blocked":
        return _blocked(given, outcome)
    if outcome.code == "listed":
        return [_carried(given)]
    if outcome.code == "recalled":
        return _recalled(given, outcome)
    beat = _of_a_code(given, outcome) or _rolled(given, outcome)
    return None if beat is None else [beat, *_time_lost(given, outcome)]


def _of_a_code(given: NarratorInput, outcome: Outcome) -> Beat | None:
    facts, slots = _facts(given, outcome)
    code = outcome.code
    if code in _OF_A_THING and slots["thing"]:
        return Beat("outcome", code, {}, slots)
    if code in _OF_A_PERSON and slots["who"]:
        return Beat("outcome", code, {}, slots)
    if code == "given" and slots["who"] and slots["item"]:
        return Beat("outcome", "given", {}, slots)
    if code == "used" and slots["thing"]:
        kept = {key: facts[key] for key in (("person",) if "person" in facts else ("item",)) if key in facts}
        return Beat("outcome", "used", kept if slots["item"] else {}, slots)
    return None


def _rolled(given: NarratorInput, outcome: Outcome) -> Beat | None:
    """A deed that dice may have decided; without dice it comes off."""
    facts, slots = _facts(given, outcome)
    band = outcome.band or "success"
    if outcome.code == "moved" and outcome.type == "sneak":
        seen: Fact = "mixed" if band == "fail" else band  # a rule brought one there all the same
        return Beat("outcome", "deed.sneaked", {"band": seen}, {"place": views.place(given, outcome.location_id)})
    if outcome.code != "acted":
        return None
    if outcome.type == "tell" and slots["who"]:
        return Beat("outcome", "deed.tell", {}, slots)
    if outcome.type not in _ROLLED:
        return None
    if outcome.type in ("attack", "persuade", "threaten"):
        return Beat("outcome", f"deed.{outcome.type}", {"band": band}, slots) if slots["who"] else None
    if outcome.type == "sneak" and outcome.location_id and band == "fail" and not facts.get("person"):
        return Beat("outcome", "deed.sneak", {"band": band, "place": True}, {"place": views.place(given)})
    wanted = "person" if facts.get("person") else "thing" if outcome.type == "attempt" else "person"
    return Beat("outcome", f"deed.{outcome.type}", {"band": band, **_only(facts, wanted)}, slots)


def _facts(given: NarratorInput, outcome: Outcome) -> tuple[dict[str, Fact], dict[str, Slot]]:
    """What of the attempt has a name: whom it was aimed at, the thing that it was about, the one that went along."""
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


def _only(facts: dict[str, Fact], key: str) -> dict[str, Fact]:
    return {key: True} if facts.get(key) else {}


def _blocked(given: NarratorInput, outcome: Outcome) -> list[Beat] | None:
    reason = outcome.reason
    facts, slots = _facts(given, outcome)
    if reason in ("door_locked", "door_bolted") and outcome.target_id and slots["thing"]:
        slots["door"] = slots["thing"]
        return [Beat("outcome", f"blocked.{reason}", {"door": True}, slots), *_help(given, reason)]
    if reason not in _REASONS:
        return None
    if reason == "not_in_inventory" and not slots["item"] and outcome.type == "drop":
        slots["item"] = slots["thing"]
        facts["item"] = bool(slots["thing"])
    wanted = "item" if reason in ("not_in_inventory", "wrong_key") else "thing"
    if reason in ("nobody_named", "not_to_oneself"):
        return [Beat("outcome", f"blocked.{reason}", {}, slots), *_help(given, reason)]
    return [Beat("outcome", f"blocked.{reason}", _only(facts, wanted), slots), *_help(given, reason)]


def _help(given: NarratorInput, reason: str) -> list[Beat]:
    """What could be done instead, where there is something to say."""
    if f"help.{reason}" not in grammar():
        return []
    names = [one.name for view in given.scene.people if (one := views.person(given, view.id))]
    if reason == "nobody_named":
        return (
            [Beat("help", "help.nobody_named", slots={"list": listed(names)}, plural=len(names) > 1)] if names else []
        )
    return [Beat("help", f"help.{reason}")]


def _carried(given: NarratorInput) -> Beat:
    names = [name for view in given.carried if (name := views.thing(given, view.id))]
    return (
        Beat("outcome", "listed", slots={"list": listed(names, limit=12)})
        if names
        else Beat("outcome", "listed.nothing")
    )


def _recalled(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Each promise, threat or debt in the words in which it was said."""
    who = views.person(given, outcome.target_id)
    told = [one for one in given.recorded if one.fact_id in outcome.fact_ids and plain(one.what)]
    if who is None or not told:
        return [Beat("outcome", "acted", {"band": "none"})]
    return [_record(given, one, {"who": who}, is_first=number == 0) for number, one in enumerate(told[:3])]


def _record(given: NarratorInput, one: Recorded, slots: dict[str, Slot], *, is_first: bool) -> Beat:
    facts: dict[str, Fact] = {"by": "you" if one.by_id == given.player_id else "them", "kind": one.predicate}
    group = "recalled" if is_first else "recalled.more"
    return Beat("evidence", group, facts if is_first else {}, slots, authored=plain(one.what), is_speech=True)


def _time_lost(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Where nothing else was the price, it was time."""
    return [Beat("price", "price.time")] if given.minutes_lost and outcome.band in ("mixed", "fail") else []
