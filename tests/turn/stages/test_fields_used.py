"""Every variable of a prompt's context is used by a prompt: what none shows is not made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from lorewright.llm.prompt_template import PromptTemplate
from lorewright.turn.stages.variables import MessageVariables
from lorewright.workspace.prompts import PROMPT_TYPES
from support.prompted_campaigns import LIBRARY

# Variables that only older versions of a prompt show, for campaigns that have pinned them.
OF_OLDER_PROMPTS = {
    ("narrator", "NarratorTurn.happened"),
    ("npc_intent", "NpcIntentContext.player"),
    ("npc_intent", "NpcIntentContext.lore"),
    ("planner", "PlannerContext.player"),
    ("summariser", "SummariserContext.summary_before"),
}
# A chain of objects in lists goes no deeper than this.
_DEEPEST = 6


def places(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], owner: str
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield (class and field, path) of every field, the path with `*` for the entries of a list."""
    for name, part in schema.get("properties", {}).items():
        yield f"{defining(owner, name)}.{name}", (name,)
        shape, path = part, [name]
        while shape.get("type") == "array":
            shape, path = shape.get("items", {}), [*path, "*"]
        if "$ref" in shape and len(path) < _DEEPEST:
            inner = shape["$ref"].rpartition("/")[2]
            for field, rest in places(definitions[inner], definitions, inner):
                yield field, (*path, *rest)


def defining(owner: str, field: str) -> str:
    """The class that gives a field to a class of that name: messages are messages in every prompt."""
    return next(
        (base.__name__ for base in (MessageVariables,) if owner == "Told" and field in base.model_fields), owner
    )


def filled(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Any:
    if "$ref" in schema:
        return filled(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    match schema.get("type"):
        case "object":
            return {name: filled(part, definitions) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [filled(schema.get("items", {}), definitions)]
        case "integer" | "number":
            return 7
        case "boolean":
            return True
    return "some text"


def without(value: Any, path: tuple[str, ...]) -> Any:
    """The value with what stands at the path made empty."""
    if not path:
        return {name: without(part, ()) for name, part in value.items()} if isinstance(value, dict) else type(value)()
    first, *rest = path
    if first == "*":
        return [without(entry, tuple(rest)) for entry in value]
    return {**value, first: without(value[first], tuple(rest))}


def shown(template: PromptTemplate, context: Mapping[str, Any]) -> str:
    prompt = template.render(context)
    return f"{prompt.stable}\n{prompt.changing}"


def used_fields(template: PromptTemplate, schema: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """(all fields of the context, those that change what the prompt shows, alone or in a context of another shape)."""
    definitions = schema.get("$defs", {})
    found = list(places(schema, definitions, schema["title"]))
    whole = filled(schema, definitions)
    # What is shown only where something else is not: the last part without acts, without a round.
    contexts = [whole]
    for path in (("turn", "round"), ("turn", "acts")):
        if all(part in at for part, at in zip(path, (whole, whole.get("turn", {})), strict=True)):
            contexts.append(without(contexts[-1], path))
    used = {
        field
        for field, path in found
        for context in contexts
        if shown(template, without(context, path)) != shown(template, context)
    }
    return {field for field, _ in found}, used


def test_every_variable_is_used_by_the_prompt_in_force() -> None:
    wanted: defaultdict[str, set[str]] = defaultdict(set)
    used: set[str] = set()
    for name, types in PROMPT_TYPES.items():
        schema = types["context"].model_json_schema(mode="serialization")
        fields, shows = used_fields(LIBRARY.get(name, LIBRARY.versions(name)[-1]), schema)
        used |= shows
        for field in fields:
            wanted[field].add(name)
    unused = {(sorted(names)[0], field) for field, names in wanted.items() if field not in used}
    assert unused == OF_OLDER_PROMPTS


def test_what_only_older_prompts_show_they_do_show() -> None:
    for name, field in OF_OLDER_PROMPTS:
        schema = PROMPT_TYPES[name]["context"].model_json_schema(mode="serialization")
        older = LIBRARY.versions(name)[:-1]
        assert any(field in used_fields(LIBRARY.get(name, version), schema)[1] for version in older)
