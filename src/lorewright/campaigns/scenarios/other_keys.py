"""A scenario's data with keys of other names (`ruleset_id`, `character_ids`, …) -> the same with those that are known.

Records of other programs call the same things by other names. A known key that stands beside its other name holds; what
is no other name of anything stays, and is refused as an unknown key.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

_KNOWN = MappingProxyType({"title": "name", "ruleset_id": "ruleset", "world_lore_id": "content_pack"})
# A store's own columns, which say nothing of the story.
_OF_A_STORE = frozenset({"created_at", "updated_at"})
# What the player's own character is called there.
_PLAYERS = frozenset({"user", "user-persona", "user_persona"})
_KEYED_BY_PEOPLE = ("goals", "stat_blocks")


def _is_place(words: str, places: Mapping[str, Any]) -> bool:
    """Tell whether the words of a scene name one of the places; they may also tell of it in prose."""
    named = {str(place.get("name", "")) for place in places.values() if isinstance(place, Mapping)}
    known = {name.casefold().replace("_", " ").removeprefix("the ") for name in (*map(str, places), *named)}
    return words.casefold().replace("_", " ").removeprefix("the ") in known


def with_known_keys(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a scenario by the keys that scenarios have."""
    found = {key: value for key, value in data.items() if key not in _OF_A_STORE}
    if found.get("schema_version") == 1:
        del found["schema_version"]
    for other, known in _KNOWN.items():
        if other in found:
            value = found.pop(other)
            found.setdefault(known, value)
    if isinstance(people := found.get("character_ids"), list):
        del found["character_ids"]
        found.setdefault("cast", {str(who): {} for who in people if str(who) not in _PLAYERS})
    seed = found.get("scene_seed")
    if isinstance(seed, Mapping) and isinstance(seed.get("location"), str):
        places = found.get("places")
        if not isinstance(places, Mapping) or _is_place(seed["location"], places):
            found.setdefault("start", seed["location"])
    for group in _KEYED_BY_PEOPLE:
        if isinstance(found.get(group), Mapping):
            found[group] = {("player" if who in _PLAYERS else who): value for who, value in found[group].items()}
    return found
