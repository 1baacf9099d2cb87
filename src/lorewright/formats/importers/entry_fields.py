"""The fields of a lorebook entry as SillyTavern saves it, and the names that the same have in a card's book."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# What SillyTavern writes for an entry about which nothing was said, in its own order; `uid` comes before.
DEFAULTS: dict[str, Any] = {
    "key": [],
    "keysecondary": [],
    "comment": "",
    "content": "",
    "constant": False,
    "vectorized": False,
    "selective": True,
    "selectiveLogic": 0,
    "addMemo": False,
    "order": 100,
    "position": 0,
    "disable": False,
    "ignoreBudget": False,
    "excludeRecursion": False,
    "preventRecursion": False,
    "matchPersonaDescription": False,
    "matchCharacterDescription": False,
    "matchCharacterPersonality": False,
    "matchCharacterDepthPrompt": False,
    "matchScenario": False,
    "matchCreatorNotes": False,
    "delayUntilRecursion": 0,
    "probability": 100,
    "useProbability": True,
    "depth": 4,
    "outletName": "",
    "group": "",
    "groupOverride": False,
    "groupWeight": 100,
    "scanDepth": None,
    "caseSensitive": None,
    "matchWholeWords": None,
    "useGroupScoring": None,
    "automationId": "",
    "role": 0,
    "sticky": None,
    "cooldown": None,
    "delay": None,
    "triggers": [],
}

# A card's book has these beside an entry's text …
_BESIDE = {
    "secondary_keys": "keysecondary",
    "insertion_order": "order",
    "constant": "constant",
    "selective": "selective",
}
# … and all others among the entry's extensions, where a name is written otherwise.
_AMONG_EXTENSIONS = {
    "position": "position",
    "exclude_recursion": "excludeRecursion",
    "display_index": "displayIndex",
    "probability": "probability",
    "useProbability": "useProbability",
    "depth": "depth",
    "selectiveLogic": "selectiveLogic",
    "outlet_name": "outletName",
    "group": "group",
    "group_override": "groupOverride",
    "group_weight": "groupWeight",
    "prevent_recursion": "preventRecursion",
    "delay_until_recursion": "delayUntilRecursion",
    "scan_depth": "scanDepth",
    "match_whole_words": "matchWholeWords",
    "use_group_scoring": "useGroupScoring",
    "case_sensitive": "caseSensitive",
    "automation_id": "automationId",
    "role": "role",
    "vectorized": "vectorized",
    "sticky": "sticky",
    "cooldown": "cooldown",
    "delay": "delay",
    "match_persona_description": "matchPersonaDescription",
    "match_character_description": "matchCharacterDescription",
    "match_character_personality": "matchCharacterPersonality",
    "match_character_depth_prompt": "matchCharacterDepthPrompt",
    "match_scenario": "matchScenario",
    "match_creator_notes": "matchCreatorNotes",
    "triggers": "triggers",
    "ignore_budget": "ignoreBudget",
}
_EXTENSION_OF = {name: key for key, name in _AMONG_EXTENSIONS.items()}
_OF_A_BOOK = frozenset({"secondary_keys", "insertion_order", "use_regex"})
_OF_WORLD_INFO = frozenset({"uid", "order", "disable", "keysecondary"})
_PLACES = {"before_char": 0, "after_char": 1}


def is_of_a_book(fields: Mapping[str, Any]) -> bool:
    """Whether an entry's fields are named as a card's book names them."""
    if _OF_A_BOOK & fields.keys() or fields.get("position") in _PLACES:
        return True
    extensions = fields.get("extensions")
    among = _AMONG_EXTENSIONS.keys() & (extensions.keys() if isinstance(extensions, dict) else set())
    return bool(among) and not _OF_WORLD_INFO & fields.keys()


def as_world_info(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields under the names of world info; one that has no place there keeps its own."""
    if not is_of_a_book(fields):
        return dict(fields)
    found = {name: fields[key] for key, name in _BESIDE.items() if key in fields}
    left = {key: value for key, value in fields.items() if key not in {*_BESIDE, "enabled", "id", "extensions"}}
    if isinstance(fields.get("enabled"), bool):
        found["disable"] = not fields["enabled"]
    if left.get("position") in _PLACES:
        found["position"] = _PLACES[left.pop("position")]
    if "id" in fields:
        found["uid"] = fields["id"]
    extensions = fields.get("extensions")
    if isinstance(extensions, dict):
        found |= {name: extensions[key] for key, name in _AMONG_EXTENSIONS.items() if extensions.get(key) is not None}
        others = {key: value for key, value in extensions.items() if key not in _AMONG_EXTENSIONS}
        left |= {"extensions": others} if others else {}
    return {**found, **left}


def as_book(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of world info under the names of a card's book; one that has no place there keeps its own."""
    if is_of_a_book(fields):
        return dict(fields)
    found = {key: fields[name] for key, name in _BESIDE.items() if name in fields}
    if isinstance(fields.get("disable"), bool):
        found["enabled"] = not fields["disable"]
    if "uid" in fields:
        found["id"] = fields["uid"]
    found["position"] = "before_char" if fields.get("position", 0) == 0 else "after_char"
    extensions = fields.get("extensions")
    among = dict(extensions) if isinstance(extensions, dict) else {}
    among |= {key: fields[name] for name, key in _EXTENSION_OF.items() if name in fields}
    placed = {*_BESIDE.values(), *_EXTENSION_OF, "disable", "uid", "extensions"}
    left = {key: value for key, value in fields.items() if key not in placed}
    return {**found, **left, "extensions": among}


def with_rules(fields: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with those of world info over them, under the names that the fields have themselves."""
    if not is_of_a_book(fields):
        return {**fields, **rules}
    said = as_book(rules)
    del said["position"]
    extensions = fields.get("extensions")
    among = {**(extensions if isinstance(extensions, dict) else {}), **said.pop("extensions")}
    return {**fields, **said, **({"extensions": among} if among else {})}
