"""A ruleset and its state -> lines for prompts: the scene with its bounds, circumstances, guidance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lorewright.rules.rulesets import CampaignRules, Owner, Ruleset
from lorewright.world.schemas import plain
from lorewright.world.state import WorldState

# The name of an inner state, or of a stat, that says how somebody feels.
_MOOD = "mood"
# Keys of the guidance that are no advice for a ruling: the drawing of a table, and what the values of the scene
# mean, which stands beside them.
_MEANINGS = "scene"
_NO_ADVICE = frozenset({"table", _MEANINGS})


def scene_in_words(state: WorldState, ruleset: Ruleset) -> tuple[str, ...]:
    """Return a line for each value of the ruleset's scene, in the order of its schema: `Minutes left: 4, from 0 to 7`,
    with the meaning that its guidance or its schema gives. Values that are not set are left out."""
    if state.ruleset is None:
        return ()
    meanings = ruleset.mechanics_guidance.get(_MEANINGS)
    return tuple(
        _values(
            plain(state.ruleset.scene), ruleset.scene_state_schema, meanings if isinstance(meanings, Mapping) else {}
        )
    )


def stats_in_words(block: Mapping[str, Any], ruleset: Ruleset) -> str:
    """Return a stat block in one line: `Shyness: 7, from 0 to 10; Age: 31, from 18 to 120`."""
    return "; ".join(_values(plain(block), ruleset.character_stat_schema, {}))


def situations_in_words(state: WorldState, rules: CampaignRules) -> tuple[str, ...]:
    """Return the circumstances that hold just now, in the ruleset's words, sorted by ID."""
    found = (rules.ruleset.situations.get(situation) for situation in sorted(state.situations))
    return tuple(rule.summary for rule in found if rule is not None and rule.summary)


def guidance_in_words(ruleset: Ruleset) -> tuple[str, ...]:
    """Return the mechanics guidance of a ruleset, a line for each key: `Adults only: yes`."""
    given = ((key, value) for key, value in ruleset.mechanics_guidance.items() if key not in _NO_ADVICE)
    return tuple(f"{_label(key)}: {said}" for key, value in given if (said := value_in_words(plain(value))))


def emotion_of(who: str, state: WorldState) -> str:
    """Return what somebody feels just now, as far as they know it themselves: their mood, else the inner state that is
    the nearest to the surface; empty where there is none."""
    character = state.characters.get(who)
    states = {} if character is None else character.states
    manifest = {name: inner for name, inner in states.items() if inner.is_manifest and inner.value is not None}
    held = None if state.ruleset is None else state.ruleset.value(_MOOD, of=who)
    mood = manifest[_MOOD].value if _MOOD in manifest else held
    if mood:
        return value_in_words(plain(mood))
    nearest = max(sorted(manifest), key=lambda name: manifest[name].level, default=None)
    return "" if nearest is None else f"{nearest.replace('_', ' ')}: {value_in_words(plain(manifest[nearest].value))}"


def value_in_words(value: Any) -> str:
    """Return a JSON value for reading: names with their values in place of an object, a list with commas."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "; ".join(f"{_label(key, capital=False)}: {value_in_words(part)}" for key, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(value_in_words(part) for part in value)
    return str(value)


def _values(values: Mapping[str, Any], schema: Mapping[str, Any], meanings: Mapping[str, Any]) -> Iterator[str]:
    shapes: Mapping[str, Any] = dict(schema.get("properties", {}))
    titles = {shape["title"] for shape in shapes.values() if "title" in shape}
    ordered = [*(name for name in shapes if name in values), *(name for name in values if name not in shapes)]
    for name in ordered:
        value, shape = values[name], shapes.get(name, {})
        said = value_in_words(value)
        said = said.replace("_", " ") if "enum" in shape else said
        if not said:
            continue
        bounds = _bounds(shape) if isinstance(value, int | float) and not isinstance(value, bool) else ""
        meaning = str(meanings.get(name) or shape.get("description", ""))
        label = str(shape.get("title") or _label(name))
        if label in titles and "title" not in shape and meaning:
            # Something else has this name.
            label, meaning = meaning, ""
        yield f"{label}: {said}{bounds}{f' ({_lowered(meaning)})' if meaning else ''}"


def _bounds(shape: Mapping[str, Any]) -> str:
    low, high = shape.get("minimum"), shape.get("maximum")
    if low is not None and high is not None:
        return f", from {low} to {high}"
    return f", at least {low}" if low is not None else f", at most {high}" if high is not None else ""


def _label(key: str, *, capital: bool = True) -> str:
    words = key.replace("_", " ")
    return words[:1].upper() + words[1:] if capital else words


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


def writable_paths(state: WorldState, ruleset: Ruleset, *, by: Owner) -> dict[str, str]:
    """Return the paths that an owner may write, with the type of their value: `scene.pressure` -> `string`."""
    if state.ruleset is None:
        return {}
    schemas = (("scene", ruleset.scene_state_schema), ("stats", ruleset.character_stat_schema))
    return {
        f"{part}.{name}": str(shape.get("type", "any"))
        for part, schema in schemas
        for name, shape in sorted(dict(schema.get("properties", {})).items())
        if ruleset.owner_of(f"{part}.{name}") == by
    }
