"""Handlebars: a template's text and a context -> the text that a model is shown. Values are data in it, whatever they
hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

# No request is longer (characters); a context that makes it so is a mistake.
MAX_OUTPUT = 400_000
# What is said of blocks within blocks that the library cannot go through.
TOO_DEEP = "its blocks are nested too deeply"
# The helper of one's own beside Handlebars' `each`, `if`, `unless`, `with` and `lookup`.
LAST = "last"

# What a reader could take for the tag of a fence: `<lore>`, `</player>`, `< /lore >`, `<!-- -->`, also with signs that
# have no width within.
_TAG = re.compile("<(?=[\\s\u200b-\u200f\u2060\ufeff]*(?:[/!?]|[^\\W\\d_]))")
# Signs that tell a terminal or a reader something other than text.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# A line that holds a block's tag or a remark alone leaves no empty line.
_ALONE = re.compile(r"^[ \t]*(\{\{[#/^!][^{}]*\}\}|\{\{else[^{}]*\}\})[ \t]*\n", re.MULTILINE)
_EMPTY_LINES = re.compile(r"\n[ \t]*(\n[ \t]*)+\n")


def harmless(value: Any) -> Any:
    """A context as it may be filled in: in every text of it, what looks like a tag opens with `‹` instead, so that no
    value can close the fence that it stands in; control signs are left out."""
    if isinstance(value, str):
        return _TAG.sub("‹", _CONTROLS.sub("", value))
    if isinstance(value, Mapping):
        return {key: harmless(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [harmless(one) for one in value]
    return value


def compiled(source: str) -> Callable[[Mapping[str, Any]], str]:
    """A template's part, ready to be filled in; empty lines are never two in a row.

    Raises:
        HandlebarsError: it is no template; filled in, that it asks for what there is not, or grows too long.
    """
    template = _environment().compile(_ALONE.sub(r"\1", source + "\n"))

    def fill(context: Mapping[str, Any]) -> str:
        return _EMPTY_LINES.sub("\n\n", template.render(harmless(context))).strip()

    return fill


@lru_cache(maxsize=1)
def _environment() -> Any:
    # Imported late: play without a model has no use for it.
    from pydantic_handlebars import HandlebarsEnvironment

    environment = HandlebarsEnvironment(strict=True, max_output_size=MAX_OUTPUT)
    # It takes what the library hands to helpers, whose own type is imported late too.
    helper: Any = _last
    environment.register_helper(LAST, helper)
    return environment


def _last(context: Any, /, *given: Any, options: Any) -> str:
    """`{{#last msgs 20}}…{{/last}}`: the last so many of a list, in their order; `{{else}}` where there are none."""
    entries = given[0] if given and isinstance(given[0], list) else []
    wanted = int(given[1]) if len(given) > 1 and isinstance(given[1], int | float) else len(entries)
    shown = entries[-wanted:] if wanted > 0 else []
    if not shown:
        return str(options.inverse(context))
    marks = ({"index": at, "first": at == 0, "last": at == len(shown) - 1} for at in range(len(shown)))
    return "".join(str(options.fn(entry, data=data)) for entry, data in zip(shown, marks, strict=True))
