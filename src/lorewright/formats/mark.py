"""The mark that our own export adds to an entry: entity, section and role. It is untrusted: anybody may have written
it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lorewright.errors import PackError
from lorewright.packs.key_patterns import MAX_KEY_CHARS
from lorewright.packs.markdown.titles import title_role
from lorewright.packs.models import ALL_ROLES, ENTITY_TYPES, OPEN_ROLES

# Bounds on a source of unknown origin.

MAX_SOURCE_BYTES = 16 * 1024 * 1024
# A picture or an archive that contains the text may be larger than the text.
MAX_CONTAINER_BYTES = 64 * 1024 * 1024
MAX_ENTRIES = 10_000
MAX_JSON_DEPTH = 64
MAX_JSON_VALUES = 1_000_000

MAX_NAME_CHARS = 100
MAX_ALIASES = 50
MAX_ALIAS_CHARS = 80
MAX_TAGS = 30
MAX_TAG_CHARS = 60
MAX_DESCRIPTION_CHARS = 2_000


def too_large(what: str, limit: int) -> PackError:
    """Return the error for a source that exceeds a bound on its size, in bytes."""
    return PackError(f"{what} is larger than {limit // 2**20} MiB", hint="split the book into several files")


# The mark: entity, section and role, as our own export adds them to an entry. It is untrusted.

# Its key in the extensions of an entry, a card or a book; other tools keep it there and do not read it.
MARK = "lorewright"
GM = "gm"
KEYS = "keys"
# Its key, in the mark of a book, for the fields that an import had kept of a book in another format.
KEPT = "kept"

_ROLES = ALL_ROLES
_MAX_ID_CHARS = 200
_NOT_IN_LISTS = ("|", "[[", "]]")


@dataclass(frozen=True, slots=True)
class Mark:
    """The entity, and its section ("" is the introduction), that an entry was made of; `role` is "" if the title has
    it."""

    entity: str
    name: str
    type: str = ""
    section: str = ""
    role: str = ""
    hidden: bool = False
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    # True if the entry's secondary keys are words to look for, not the names of what it requires or excludes.
    has_keys: bool = False
    # The keys of the rule `keys`, which are no names of the entity.
    keys: tuple[str, ...] = ()

    @property
    def comment(self) -> str:
        """The name that the export gives the entry."""
        return f"{self.name}: {self.section}" if self.section else self.name

    @property
    def is_secret(self) -> bool:
        """True if the export switched it off because players must not read it, not because its author did."""
        role = self.role or (title_role(self.section, of_person=self.type == "npc").role if self.section else "lore")
        return self.hidden or role not in OPEN_ROLES


def read_mark(said: Any) -> Mark | None:
    """Return the mark in a JSON value; None if it has no entity or name."""
    if not isinstance(said, dict):
        return None
    entity, name = _text(said, "entity", _MAX_ID_CHARS), _text(said, "name", MAX_NAME_CHARS)
    if not entity or not name:
        return None
    kind, role = _text(said, "type", MAX_NAME_CHARS), _text(said, "role", MAX_NAME_CHARS)
    return Mark(
        entity,
        name,
        type=kind if kind in ENTITY_TYPES else "",
        section=_text(said, "section", MAX_NAME_CHARS),
        role=role if role in _ROLES else "secret" if role else "",
        hidden=said.get("visibility") == GM,
        aliases=_texts(said, "aliases"),
        tags=_texts(said, "tags"),
        has_keys=said.get("secondary") == KEYS,
        keys=_texts(said, "keys", limit=MAX_KEY_CHARS),
    )


def _text(said: Mapping[str, Any], key: str, limit: int) -> str:
    value = said.get(key)
    return " ".join(value.split()) if isinstance(value, str) and len(value) <= limit else ""


def _texts(said: Mapping[str, Any], key: str, *, limit: int = MAX_TAG_CHARS) -> tuple[str, ...]:
    value = said.get(key)
    members: Iterable[Any] = value if isinstance(value, list) else ()
    found = (" ".join(member.split()) for member in members if isinstance(member, str) and len(member) <= limit)
    kept = (text for text in found if text and not any(mark in text for mark in _NOT_IN_LISTS))
    return tuple(dict.fromkeys(kept))[:MAX_TAGS]
