"""Names -> names in a sentence: articles, lists, capitals; and what must not stand in one."""

from __future__ import annotations

import re
from collections.abc import Sequence

_DETERMINED = re.compile(r"(?:the|a|an|my|your|his|her|its|their|our|some)\s|\S+['’]s?\s", re.IGNORECASE)


def with_article(name: str) -> str:
    """`steel door` -> `the steel door`, `The Neon Dragon` -> `the Neon Dragon`; `Viktor's key` stays."""
    if name.lower().startswith("the "):
        return "the " + name[4:]
    return name if _DETERMINED.match(name) else f"the {name}"


def place_name(name: str) -> str:
    """A place in the middle of a sentence: names stay as they are, common nouns get an article."""
    return with_article(name) if name[:1].islower() or name.lower().startswith("the ") else name


def listed(names: Sequence[str], *, limit: int = 4) -> str:
    """`a, b and c`; what is over the limit becomes `others`. Where a name has a comma of its own, a semicolon parts."""
    shown = list(names) if len(names) <= limit else [*names[: limit - 1], "others"]
    if any("," in name for name in shown) and len(shown) > 1:
        return "; ".join([*shown[:-1], f"and {shown[-1]}"])
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def capitalised(text: str) -> str:
    """The text with its first letter raised; quotation marks before it do not count."""
    match = re.search(r"[^\W\d_]", text)
    if match is None or text[: match.start()].strip(" “‘\"'("):
        return text
    return text[: match.start()] + match.group().upper() + text[match.end() :]


def is_called(words: str, *names: str) -> bool:
    """Whether words mean what has one of the names: the name, or some words of it (`the umbrella`: Lost umbrella)."""
    said = _name_words(words)
    return bool(said) and any(said <= _name_words(name) for name in names)


def _name_words(name: str) -> set[str]:
    return set(name.casefold().split()) - {"the", "a", "an", "of", "and"}
