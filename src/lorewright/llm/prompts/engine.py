"""Handlebars: a template's text and a context -> the text that a model is shown. Values are data in it, whatever they
hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

# No request is longer (characters); a context that makes it so is a mistake.
MAX_OUTPUT = 400_000
# The helper of one's own beside Handlebars' `each`, `if`, `unless`, `with` and `lookup`.
LAST = "last"

# What a reader could take for the tag of a fence: `<lore>`, `</player>`, `< /lore >`, `<!-- -->`, also with signs that
# have no width within.
_TAG = re.compile("<(?=[\\s\u200b-\u200f\u2060\ufeff]*(?:[/!?]|[^\\W\\d_]))")
