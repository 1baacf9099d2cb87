"""What our own export says beside an entry: whose text it is, and what it is for. Anybody may have written it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lorewright.errors import PackError
from lorewright.packs.models import ALL_ROLES, ENTITY_TYPES, OPEN_ROLES, role_of

# Bounds on a source that strangers wrote, and the error that says which was passed.

MAX_SOURCE_BYTES = 16 * 1024 * 1024
# A picture or an archive around the text may be larger than the text may be.
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
    """The error for a source that passes a bound on its size, in bytes."""
    return PackError(f"{what} is larger than {limit // 2**20} MiB", hint="split the book into several files")


# Where it stands among an entry's, a card's or a book's extensions; other tools keep it there and do not read it.
MARK = "lorewright"
GM = "gm"
# Among what it says of a book: fields that an import had kept of a book in another format.
KEPT = "kept"

_ROLES = ALL_ROLES
_MAX_ID_CHARS = 200
_NOT_IN_LISTS = ("|", "[[", "]]")


@dataclass(frozen=True, slots=True)
class Mark:
    """Of which entity an entry is a section: "" is its introduction; `role` is "" where the title says it."""

    entity: str
    name: str
    type: str = ""
    section: str = ""
    role: str = ""
    hidden: bool = False
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def comment(self) -> str:
        """What the export calls the entry."""
        return f"{self.name}: {self.section}" if self.section else self.name

    @property
    def is_secret(self) -> bool:
        """Whether it is switched off because players must not read it, and not because its author did so."""
        role = self.role or (role_of(self.section, of_person=self.type == "npc") if self.section else "lore")
        return self.hidden or role not in OPEN_ROLES


def read_mark(said: Any) -> Mark | None:
    """A mark from JSON; None where it does not say whose text it is."""
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
    )


def _text(said: Mapping[str, Any], key: str, limit: int) -> str:
    value = said.get(key)
    return " ".join(value.split()) if isinstance(value, str) and len(value) <= limit else ""


def _texts(said: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = said.get(key)
    members: Iterable[Any] = value if isinstance(value, list) else ()
    found = (" ".join(member.split()) for member in members if isinstance(member, str) and len(member) <= MAX_TAG_CHARS)
    kept = (one for one in found if one and not any(mark in one for mark in _NOT_IN_LISTS))
    return tuple(dict.fromkeys(kept))[:MAX_TAGS]
