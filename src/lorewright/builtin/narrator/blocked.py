"""An attempt that was not possible -> the reason's sentence, what the rules said of it, and what would help."""

from __future__ import annotations

import re

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.beats import Beat, Slot
from lorewright.builtin.narrator.grammar import Fact, grammar
from lorewright.builtin.narrator.scenery import exits, people, things
from lorewright.builtin.parser.naming import listed
from lorewright.rules.outcomes import Outcome
from lorewright.rules.sentences import NOT_NOW
from lorewright.values.records import NarratorInput

_ID_LIKE = re.compile(r"\w:\w|\w_\w|\w#|/")


def blocked_beats(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """The reason in our words; in the rules' own only where we have none; then what would help."""
    reason = outcome.reason or _result_reason(given, outcome)
    message = _message(given, outcome)
    if message and (reason is None or (reason == "not_allowed_now" and message != NOT_NOW)):
        return [Beat("outcome", authored=message)]
    name = reason if reason and f"blocked.{reason}" in grammar() else "other"
    facts, slots = _facts(given, outcome)
    advice = _advice(message)
    return [Beat("outcome", f"blocked.{name}", facts, slots), *(advice or _help(given, name))]


def _advice(message: str) -> list[Beat]:
    """What the rules say beyond the reason, which is their first sentence and ours: `Viktor wears the key.`"""
    _, _, rest = message.partition(". ")
    return [Beat("help", authored=rest)] if rest else []


def _result_reason(given: NarratorInput, outcome: Outcome) -> str | None:
    return next((one.reason for one in given.results if one.action_index == outcome.action_index), None)


def _message(given: NarratorInput, outcome: Outcome) -> str:
    """What the rules said of it, unless it shows an ID."""
    text = next((one.message for one in given.results if one.action_index == outcome.action_index), None)
    return "" if text is None or _ID_LIKE.search(text) else plain(text)


def _facts(given: NarratorInput, outcome: Outcome) -> tuple[dict[str, Fact], dict[str, Slot]]:
    """What of the attempt has a name; a slot without one is false."""
    who = views.person(given, outcome.target_id)
    place = views.place(given, outcome.location_id) if views.name_of(given, outcome.location_id) else ""
    doors = [way.door for way in given.scene.exits if way.to == outcome.location_id and way.door]
    door = views.thing(given, doors[0]) if doors else ""
    thing = "" if outcome.target_id is None else views.thing(given, outcome.target_id)
    if outcome.type == "ask" and who:
        thing = who.name
    slots: dict[str, Slot] = {"who": who or "", "place": place, "door": door, "thing": thing}
    needed = {"blocked.object_not_found": "thing", "blocked.not_takeable": "thing", "blocked.already_carried": "thing"}
    needed |= {"blocked.not_present": "person", "blocked.no_such_exit": "place", "blocked.too_far": "place"}
    needed |= {"blocked.door_locked": "door", "blocked.door_bolted": "door", "blocked.door_closed": "door"}
    fact = needed.get(f"blocked.{outcome.reason or _result_reason(given, outcome)}")
    slot = "who" if fact == "person" else fact
    return ({fact: True} if fact and slot and slots[slot] else {}), slots


def _help(given: NarratorInput, reason: str) -> list[Beat]:
    """What could be done instead, from what is here."""
    match reason:
        case "no_such_exit":
            return exits(given)
        case "object_not_found":
            return things(given)
        case "not_present":
            return people(given)
        case "nobody_to_ask":
            names = [one.name for view in given.scene.people if (one := views.person(given, view.id))]
            return (
                [Beat("help", "help.nobody_to_ask", slots={"list": listed(names)}, plural=len(names) > 1)]
                if names
                else []
            )
        case _:
            group = f"help.{reason}"
            return [Beat("help", group)] if group in grammar() else []
