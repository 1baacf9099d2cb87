"""Entry rules of a pack's frontmatter (`lore:`, `section_lore:`) <-> the fields that SillyTavern has for them.

Fields without a rule here, values that no rule can have, and values that are the default anyway stay among the kept
fields.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lorewright.formats.fields import Fields
from lorewright.formats.imported import ImportedEntry
from lorewright.ids import slug
from lorewright.packs.entry_rules import MAX_GROUP_CHARS, MAX_GROUPS, MAX_PRIORITY, MAX_REFERENCES, MAX_TURNS
from lorewright.packs.key_patterns import MAX_KEYS, is_pattern, read_key
from lorewright.packs.references import Links

# Lorebook fields -> the rules of `lore:`.

# The fields that order entries within a budget -> their defaults.
_ORDERS = {"order": 100, "insertion_order": 100, "budgetPriority": 400}

# `selectiveLogic`: of the secondary keys one must match (0), not all may (1), none may (2), all must (3).
_ANY, _NOT_ALL, _NONE, _ALL = 0, 1, 2, 3
_SECONDARY = {"any": _ANY, "not all": _NOT_ALL, "not any": _NONE, "all": _ALL}
_SECONDARY_KEYS = ("keysecondary", "secondary_keys")

_NESTED = ("extensions", "contextConfig")
_ACTIVATE = "@@activate"
_NEVER = "@@dont_activate"


def take_rules(fields: Fields) -> tuple[dict[str, Any], bool]:
    """Take the fields that are rules, also from the extensions of a card's book; return the rules, and whether the
    fields say that the entry is never used."""
    rules, is_never = _take(fields)
    for name in _NESTED:
        with fields.inside(name) as inner:
            more, also = _take(inner)
        # The entry's own fields go before its extensions.
        rules, is_never = {**more, **rules}, is_never or also
    return {**rules, **_take_secondary(fields)}, is_never


def is_key_pattern(key: str) -> bool:
    """Return True if a key is a pattern that can be looked for; one with a placeholder stays as it is."""
    return is_pattern(key) and "{{" not in key and _can_be_read(key)


def _can_be_read(key: str) -> bool:
    try:
        read_key(key)
    except ValueError:
        return False
    return True


def _take_secondary(fields: Fields) -> dict[str, Any]:
    """Take the secondary keys and their logic, if all can be looked for; return the rule that says the same."""
    with fields.inside("extensions") as inner:
        own, nested = fields.peek_value("selectiveLogic"), inner.peek_value("selectiveLogic")
    logic = own if nested is None else nested
    rule = next((name for name, number in _SECONDARY.items() if number == (logic or _ANY)), None)
    if rule is None or isinstance(logic, bool) or fields.peek_value("selective") is False:
        return {}
    for name in _SECONDARY_KEYS:
        if keys := fields.value(name, _are_keys, place=f"lore: {rule}", usual=[]):
            _drop_logic(fields, rule)
            with fields.inside("extensions") as inner:
                _drop_logic(inner, rule)
            return {rule: list(dict.fromkeys(key.strip() for key in keys))}
    return {}


def _drop_logic(fields: Fields, rule: str) -> None:
    fields.value("selectiveLogic", lambda logic: True, place=f"lore: {rule}", usual=_ANY)


def _are_keys(value: Any) -> bool:
    if not isinstance(value, list) or not 0 < len(value) <= MAX_KEYS:
        return False
    return all(isinstance(key, str) and "{{" not in key and _can_be_read(key) for key in value)


def take_decorators(lines: Sequence[str]) -> tuple[dict[str, Any], bool, list[str]]:
    """Return the rules in decorator lines, whether they say never, and the other decorator lines."""
    left = [line for line in lines if line != _ACTIVATE]
    return ({"always": True} if _ACTIVATE in lines else {}), _NEVER in lines, left


def _take(fields: Fields) -> tuple[dict[str, Any], bool]:
    rules: dict[str, Any] = {}
    for key in ("constant", "forceActivation"):
        if fields.value(key, _is_flag, place="lore: always", usual=False):
            rules["always"] = True
    for key, usual in _ORDERS.items():
        number = fields.value(key, _is_order, place="lore: priority", usual=usual)
        if number is not None:
            rules.setdefault("priority", number - usual)
    for key in ("sticky", "cooldown"):
        if turns := fields.value(key, _is_turns, place=f"lore: {key}", usual=0):
            rules[key] = turns
    if groups := fields.value("group", _are_groups, place="lore: group", usual=""):
        names = _groups(groups)
        rules["group"] = names if len(names) > 1 else names[0]
    if fields.peek_value("useProbability") is not False:
        percent = fields.value("probability", _is_percent, place="lore: probability", usual=100)
        rules |= {} if percent is None else {"probability": round(percent / 100, 6)}
    return rules, _says_never(fields)


def _says_never(fields: Fields) -> bool:
    """Return True if the fields say that an entry is never used; both fields stay, as there is no such rule."""
    percent = fields.peek_value("probability")
    return _is_number(percent) and percent <= 0 and fields.peek_value("useProbability") is not False


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_whole(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _is_order(value: Any) -> bool:
    # Whichever default is subtracted, the result is a valid priority.
    return _is_whole(value, max(_ORDERS.values()) - MAX_PRIORITY, min(_ORDERS.values()) + MAX_PRIORITY)


def _is_turns(value: Any) -> bool:
    return _is_whole(value, 0, MAX_TURNS)


def _is_percent(value: Any) -> bool:
    return _is_number(value) and 0 < value < 100


def _groups(value: str) -> list[str]:
    return list(dict.fromkeys(" ".join(name.split()) for name in value.split(",") if name.strip()))


def _are_groups(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    names = _groups(value)
    return 0 < len(names) <= MAX_GROUPS and all(len(name) <= MAX_GROUP_CHARS for name in names)


def with_references(entries: Sequence[ImportedEntry]) -> tuple[ImportedEntry, ...]:
    """Return the entries with `requires` and `excludes` for those of our own export that had them: their secondary keys
    all name exactly one other entry, and the mark does not say that they were keys. Others' secondary keys are words
    that a question must say or not."""
    names = _names(entries)
    return tuple(_referring(entry, names) for entry in entries)


def _referring(entry: ImportedEntry, names: Mapping[str, str]) -> ImportedEntry:
    if entry.mark is None or entry.mark.has_keys:
        return entry
    for said, rule in (("all", "requires"), ("any", "requires"), ("not any", "excludes")):
        keys = entry.rules.get(said, [])
        meant = list(dict.fromkeys(names.get(slug(key, fallback="")) for key in keys))
        are_names = bool(meant) and all(name is not None and name != entry.name for name in meant)
        if are_names and len(meant) <= MAX_REFERENCES and (said != "any" or len(keys) == 1):
            left = {name: value for name, value in entry.rules.items() if name != said}
            return replace(entry, rules={**left, rule: meant})
    return entry


def _names(entries: Sequence[ImportedEntry]) -> dict[str, str]:
    """Return name or alias of exactly one entry, as a slug -> that entry's name; names that frontmatter would read
    otherwise, and hidden entries, are not included."""
    called = [(slug(name, fallback=""), entry) for entry in entries for name in {entry.name, *entry.aliases}]
    # Entries that our own export made of one entity count once.
    owned = dict.fromkeys((key, entry.mark.entity if entry.mark else str(id(entry))) for key, entry in called)
    counts = Counter(key for key, _ in owned)
    return {
        key: entry.name
        for key, entry in called
        if key
        and counts[key] == 1
        and counts[slug(entry.name, fallback="")] == 1
        and not entry.hidden
        and not any(mark in entry.name for mark in ("|", ":", "[[", "]]"))
    }


# The fields of a lorebook's entry: in World Info and in a card's book.

# The defaults that SillyTavern writes for an entry, in its own order; `uid` comes before them.
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

# A card's book has these fields next to an entry's text …
_BOOK_FIELDS = {
    "secondary_keys": "keysecondary",
    "insertion_order": "order",
    "constant": "constant",
    "selective": "selective",
}
# … and all others in the entry's extensions, some with another spelling.
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
    """Tell whether an entry's fields have the names of a card's book."""
    if _OF_A_BOOK & fields.keys() or fields.get("position") in _PLACES:
        return True
    extensions = fields.get("extensions")
    among = _AMONG_EXTENSIONS.keys() & (extensions.keys() if isinstance(extensions, dict) else set())
    return bool(among) and not _OF_WORLD_INFO & fields.keys()


def as_world_info(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields under the names of world info; a field that world info does not have keeps its name."""
    if not is_of_a_book(fields):
        return dict(fields)
    found = {name: fields[key] for key, name in _BOOK_FIELDS.items() if key in fields}
    left = {key: value for key, value in fields.items() if key not in {*_BOOK_FIELDS, "enabled", "id", "extensions"}}
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
    """Return the fields of world info under the names of a card's book; a field that it does not have keeps its
    name."""
    if is_of_a_book(fields):
        return dict(fields)
    found = {key: fields[name] for key, name in _BOOK_FIELDS.items() if name in fields}
    if isinstance(fields.get("disable"), bool):
        found["enabled"] = not fields["disable"]
    if "uid" in fields:
        found["id"] = fields["uid"]
    found["position"] = "before_char" if fields.get("position", 0) == 0 else "after_char"
    extensions = fields.get("extensions")
    among = dict(extensions) if isinstance(extensions, dict) else {}
    among |= {key: fields[name] for name, key in _EXTENSION_OF.items() if name in fields}
    placed = {*_BOOK_FIELDS.values(), *_EXTENSION_OF, "disable", "uid", "extensions"}
    left = {key: value for key, value in fields.items() if key not in placed}
    return {**found, **left, "extensions": among}


def with_rules(fields: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields updated by `rules`, which have the names of world info; the names of `fields` are kept."""
    if not is_of_a_book(fields):
        return {**fields, **rules}
    said = as_book(rules)
    del said["position"]
    extensions = fields.get("extensions")
    among = {**(extensions if isinstance(extensions, dict) else {}), **said.pop("extensions")}
    return {**fields, **said, **({"extensions": among} if among else {})}


# The rules of `lore:` -> lorebook fields.

FILE_RULES, SECTION_RULES = "lore", "section_lore"

# World Info's default order; a priority is relative to it.
DEFAULT_ORDER = 100

# Rules that tell nothing of the content of an entry.
_PLAIN = ("always", "priority", "sticky", "cooldown", "probability")
_NAMES = ("requires", "excludes")


def rules_of(frontmatter: Mapping[str, Any], title: str) -> dict[str, Any]:
    """Return the rules of a section ("" for the introduction): the file's, updated by the section's own."""
    sections = _mapping(frontmatter.get(SECTION_RULES))
    own = next((_mapping(rules) for name, rules in sections.items() if title and _same(name, title)), {})
    return {**_mapping(frontmatter.get(FILE_RULES)), **own}


def open_rules(frontmatter: Mapping[str, Any], titles: Iterable[str], links: Links) -> dict[str, Any]:
    """Return the rules for a reader who knows the sections with these titles: groups get neutral names, and hidden
    entities are in no list."""
    known = list(titles)
    sections = {
        str(name): _opened(_mapping(rules), links)
        for name, rules in _mapping(frontmatter.get(SECTION_RULES)).items()
        if any(_same(name, title) for title in known if title)
    }
    found = {FILE_RULES: _opened(_mapping(frontmatter.get(FILE_RULES)), links), SECTION_RULES: sections}
    return {key: value for key, value in found.items() if value}


def to_world_info(rules: Mapping[str, Any], names: Callable[[str], list[str]]) -> dict[str, Any]:
    """Return an entry's fields for the rules. `names` returns the names of an entry that `requires` or `excludes`
    refers to. World info has room for one list of secondary keys: the first of those that are given."""
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
    for name, logic in _SECONDARY.items():
        keys = [key for key in _listed(rules.get(name)) if isinstance(key, str)]
        if keys and "keysecondary" not in fields:
            fields |= {"keysecondary": keys, "selective": True, "selectiveLogic": logic}
    for key, logic in (("requires", _ALL), ("excludes", _NONE)):
        known = [names(text) for text in texts(rules.get(key))]
        # With `_ALL` every key must be in the text, so each entry is represented by its name alone.
        listed = [name for own in known for name in (own[:1] if logic == _ALL else own)]
        if listed and "keysecondary" not in fields:
            fields |= {"keysecondary": listed, "selective": True, "selectiveLogic": logic}
    return fields


def has_secondary_keys(rules: Mapping[str, Any]) -> bool:
    """Return True if a rule of secondary keys is among the rules."""
    return any(rules.get(name) for name in _SECONDARY)


def keys_of(rules: Mapping[str, Any]) -> list[str]:
    """Return the keys that the rules add to an entry's names."""
    return [key for key in _listed(rules.get("keys")) if isinstance(key, str)]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def texts(value: Any) -> list[str]:
    """Return a single text, or the texts of a list, as a list; of `[[Name]]` the name."""
    members = value if isinstance(value, list) else [value]
    return [
        member.strip().removeprefix("[[").removesuffix("]]")
        for member in members
        if isinstance(member, str) and member.strip()
    ]


def _opened(rules: Mapping[str, Any], links: Links) -> dict[str, Any]:
    found = {key: rules[key] for key in _PLAIN if key in rules}
    groups = texts(rules.get("group"))
    if groups:
        found["group"] = [links.alias_of_group(group) for group in groups]
    for key in _NAMES:
        known = [text for text in texts(rules.get(key)) if links.may_name(text)]
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
