"""Gestures of several people one after the other -> two in one sentence, so that it does not become a list of them."""

from __future__ import annotations

from dataclasses import replace

from lorewright.builtin.narrator.authored import word_count
from lorewright.builtin.narrator.beats import Beat, Person

_LONGEST = 18
_BETWEEN = (", while ", ", and ")


def woven(first: Beat, second: Beat, turn_no: int) -> Beat | None:
    """Two beats as one; None where either is more than a short gesture in its own words. What quotes a note keeps its
    words and its stop, and so does what somebody says."""
    who = second.slots.get("who")
    if not isinstance(who, Person) or first.cites or not (_is_gesture(first) and _is_gesture(second)):
        return None
    if "," in first.authored or " while " in second.authored:
        return None
    if not second.authored.lower().startswith(who.name.lower()):
        return None
    goes_on = who.name + second.authored[len(who.name) :]
    joined = f"{first.authored[:-1]}{_BETWEEN[turn_no % len(_BETWEEN)]}{goes_on}"
    return replace(first, authored=joined, cites=second.cites, keys=(*first.keys, *second.keys))


def _is_gesture(beat: Beat) -> bool:
    text = beat.authored
    is_one = text.endswith(".") and text.count(".") == 1 and not any(mark in text for mark in "“”:;!?…")
    return beat.kind == "act" and not beat.group and is_one and word_count(text) <= _LONGEST
