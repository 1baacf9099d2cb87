"""Reason codes and what they mean, for whoever reads a validation: one line each, in the order of `ReasonCode`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lorewright.rules.outcomes import ReasonCode

REASON_CODES: Mapping[ReasonCode, str] = MappingProxyType(
    {
        "unknown_action": "the ruleset has no action of that type",
        "not_your_turn": "somebody else is to act",
        "not_capable": "whoever acts is in a condition that forbids it, or has too little of what it takes",
        "object_not_found": "no such thing is here or in hand",
        "not_present": "the person is not at the scene's place",
        "no_such_exit": "no way leads there from here",
        "too_far": "a way leads there as far as one knows, and not from here: another place lies between",
        "door_locked": "the door is locked, and whoever acts has no key to it",
        "door_bolted": "the door is bolted on its other side, and no key draws a bolt",
        "door_closed": "the door is shut, and bars the way until it is opened",
        "not_takeable": "it is no thing that can be taken: a place, a door",
        "cannot_take_person": "it is a person",
        "already_carried": "whoever acts carries it already",
        "not_in_inventory": "the thing that is needed is not in hand",
        "nobody_to_ask": "nobody is named to be asked, or nobody is here",
        "nobody_named": "the action needs somebody, and nobody is named",
        "not_a_person": "it is nobody that one could turn to",
        "not_to_oneself": "it cannot be done to oneself",
        "not_openable": "it is nothing that opens, shuts or locks",
        "already_open": "it stands open",
        "already_closed": "it is shut",
        "no_lock": "it has no lock, or none on this side",
        "already_locked": "it is locked",
        "nothing_to_unlock": "it is not locked",
        "no_key": "whoever acts has no key to it",
        "wrong_key": "the key that was named is another's",
        "not_known": "whoever would tell it does not know it",
        "kept_back": "whoever would tell it keeps it back, until something opens it to the player",
        "contradicts_fact": "what is known of it speaks against it",
        "not_allowed_now": "a circumstance forbids it, or something that this action needs does not hold",
        "campaign_over": "the story has ended",
        "depends_on_failed": "an earlier action of the turn, which this one needs, did not come off",
    }
)
