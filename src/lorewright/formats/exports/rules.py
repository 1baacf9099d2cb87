"""Entry rules of a pack's frontmatter (`lore:`, `section_lore:`) <-> the fields that SillyTavern has for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lorewright.packs.references import Links

FILE_RULES, SECTION_RULES = "lore", "section_lore"

# World Info's order where an author says nothing; a priority counts from there.
DEFAULT_ORDER = 100
_NONE, _ALL = 2, 3

# What says how an entry is found, and nothing of what it is about.
_PLAIN = ("always", "priority", "sticky", "cooldown", "probability")
_NAMES = ("requires", "excludes")


def rules_of(frontmatter: Mapping[str, Any], title: str) -> dict[str, Any]:
    """The rules of one section: the file's, and over them the section's own ("" for the introduction)."""
    sections = _mapping(frontmatter.get(SECTION_RULES))
    own = next((_mapping(one) for name, one in sections.items() if title and _same(name, title)), {})
    return {**_mapping(frontmatter.get(FILE_RULES)), **own}


def open_rules(frontmatter: Mapping[str, Any], titles: Iterable[str], links: Links) -> dict[str, Any]:
    """The rules that a reader may be told who knows sections of these titles: a group has a name that says nothing, and
    what is hidden is in no list."""
    known = list(titles)
    sections = {
        str(name): _opened(_mapping(one), links)
        for name, one in _mapping(frontmatter.get(SECTION_RULES)).items()
        if any(_same(name, title) for title in known if title)
    }
    found = {FILE_RULES: _opened(_mapping(frontmatter.get(FILE_RULES)), links), SECTION_RULES: sections}
    return {key: value for key, value in found.items() if value}


def to_world_info(rules: Mapping[str, Any], names: Callable[[str], list[str]]) -> dict[str, Any]:
    """The fields of an entry that rules give. `names` gives the names of what `requires` and `excludes` refer to; where
    both are said world info has room for the first only."""
    fields: dict[str, Any] = {}
    if rules.get("always") is True:
        fields["constant"] = True
    if _is_number(rules.get("priority")):
        fields["order"] = DEFAULT_ORDER + rules["priority"]
    fields |= {key: rules[key] for key in ("sticky", "cooldown") if _is_number(rules.get(key))}
    if rules.get("group"):
        fields["group"] = ", ".join(texts(rules["group"]))
    if _is_number(rules.get("probability")):
        fields |= {"probability": _percent(rules["probability"]), "useProbability": True}
    for key, logic in (("requires", _ALL), ("excludes", _NONE)):
        known = [names(one) for one in texts(rules.get(key))]
        # All of the keys must stand in the text, so that each entry is met by its name alone.
        listed = [name for of_one in known for name in (of_one[:1] if logic == _ALL else of_one)]
        if listed and "keysecondary" not in fields:
            fields |= {"keysecondary": listed, "selective": True, "selectiveLogic": logic}
    return fields


def texts(value: Any) -> list[str]:
    """A text alone, or the texts of a list; `[[Name]]` is the name."""
    members = value if isinstance(value, list) else [value]
    return [
        one.strip().removeprefix("[[").removesuffix("]]") for one in members if isinstance(one, str) and one.strip()
    ]


def _opened(rules: Mapping[str, Any], links: Links) -> dict[str, Any]:
    found = {key: rules[key] for key in _PLAIN if key in rules}
    groups = texts(rules.get("group"))
    if groups:
        found["group"] = [links.alias_of_group(one) for one in groups]
    for key in _NAMES:
        known = [one for one in texts(rules.get(key)) if links.may_name(one)]
        found |= {key: known} if known else {}
    return found


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _same(name: Any, title: str) -> bool:
    return str(name).casefold() == title.casefold()


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _percent(share: float) -> float:
    percent = round(share * 100, 4)
    return int(percent) if percent == int(percent) else percent
