"""What an npc's file says of how it acts: `baked`, `chattiness`, `agenda`; it stands in the `attrs` of its entity."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

BAKED, CHATTINESS, AGENDA = "baked", "chattiness", "agenda"
CHARACTER_KEYS = (BAKED, CHATTINESS, AGENDA)
# A goal is a sentence or two; a page of it would fill every prompt (characters).
LONGEST_AGENDA = 600


@dataclass(frozen=True, slots=True)
class OwnWill:
    """How readily somebody acts of their own accord, and what for; None where their file does not say."""

    baked: bool | None = None
    chattiness: float | None = None
    agenda: str = ""


def own_will(attrs: Mapping[str, Any]) -> OwnWill:
    """What an entity's `attrs` say; a value that is not of its type says nothing."""
    wrong = {key for key, _, _ in wrong_of_character(attrs)}
    said = {key: attrs[key] for key in CHARACTER_KEYS if attrs.get(key) is not None and key not in wrong}
    return OwnWill(
        baked=said.get(BAKED),
        chattiness=float(said[CHATTINESS]) if CHATTINESS in said else None,
        agenda=" ".join(str(said.get(AGENDA, "")).split()),
    )


def wrong_of_character(attrs: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """(key, what is wrong, what to do) for each of the keys whose value cannot be used."""
    baked, chattiness, agenda = (attrs.get(key) for key in CHARACTER_KEYS)
    if baked is not None and not isinstance(baked, bool):
        yield BAKED, "baked must be true or false", "write baked: true"
    if chattiness is not None and not _is_share(chattiness):
        yield CHATTINESS, "chattiness must be a number from 0 to 1; it is left out", "write chattiness: 0.5"
    if agenda is not None and not isinstance(agenda, str):
        yield AGENDA, "agenda must be text", "write agenda: Find out who took the lamp."
    elif agenda is not None and len(agenda) > LONGEST_AGENDA:
        yield AGENDA, f"an agenda over {LONGEST_AGENDA} characters is left out", "say what they are after in a sentence"


def _is_share(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return math.isfinite(value) and 0 <= value <= 1
