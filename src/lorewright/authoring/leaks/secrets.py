"""A pack -> its secrets: every item and section that is not open, and where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lorewright.packs.items import without_items
from lorewright.packs.models import ITEM_ROLES, OPEN_ROLES, Chunk, Pack

# What a secret is: the role of its section, or what else an author may hide something in.
Kind = str

# What an author hides otherwise than by a section's role.
TRIGGER, COMMENT, KEY, ALIAS = "trigger", "comment", "frontmatter key", "hidden alias"

# Whoever is told of a character sees these in what they do; they are no news to whoever watches.
SEEN_IN_PLAY = frozenset({"disposition", "capabilities"})
# What a character has of itself without having learned it.
OWN_KINDS = frozenset({"disposition", "motivation", "capabilities", "knows", "withholds"})

# Where so few words are left of a section beside its items, they say nothing.
_FEWEST_LEFT = 6


@dataclass(frozen=True, slots=True)
class Secret:
    """One thing that is not open. `id` is an item's or a chunk's, and unique; `item_id` is set where it can be learned
    by itself; `line` counts from 1 in the author's file."""

    id: str
    kind: Kind
    pack_id: str
    holder: str
    file: str
    line: int
    text: str
    chunk_id: str
    item_id: str | None = None

    @property
    def place(self) -> str:
        """`npcs/viktor.md:12`."""
        return f"{self.file}:{self.line}"


def secrets_of(pack: Pack) -> list[Secret]:
    """Every secret of a pack in source order: items, and what of hidden sections is no item."""
    return [secret for chunk in pack.chunks if chunk.role not in OPEN_ROLES for secret in _of_chunk(chunk)]


def may_know(
    secret: Secret,
    viewer: str,
    learned: frozenset[str],
    *,
    own_ids: frozenset[str] = frozenset(),
    watched: bool = False,
) -> bool:
    """Design section 7 as one function, written apart from the product's own predicate, which it is to judge.

    `viewer` is `gm`, `player`, `npc:ID` (`own_ids` are that character's), or `planner` or `narrator` for a stage that
    is shown people as they are; `learned` are the items that the viewer has. With `watched` what is held against
    it comes of a narration: whoever reads that sees how people are.
    """
    if secret.item_id is not None and secret.item_id in learned:
        return True
    if viewer == "gm":
        return secret.kind != COMMENT
    if viewer == "planner" and secret.kind == "motivation":
        return True
    if (watched or viewer in ("planner", "narrator")) and secret.kind in SEEN_IN_PLAY:
        return True
    return viewer.startswith("npc:") and secret.kind in OWN_KINDS and secret.holder in own_ids


def _of_chunk(chunk: Chunk) -> Iterator[Secret]:
    for item in chunk.items:
        yield _secret(chunk, item.id, chunk.role, item.line, item.text, item.id)
    if chunk.role not in ITEM_ROLES or not chunk.items:
        if chunk.text.strip():
            yield _secret(chunk, chunk.id, chunk.role, chunk.line, chunk.text)
        return
    left = without_items(chunk.text, {item.name for item in chunk.items})
    if len(left.split()) >= _FEWEST_LEFT:
        yield _secret(chunk, chunk.id, chunk.role, chunk.line, left)


def _secret(chunk: Chunk, own_id: str, kind: Kind, line: int, text: str, item_id: str | None = None) -> Secret:
    return Secret(own_id, kind, chunk.pack_id, chunk.entity_id, chunk.file_path, line, text, chunk.id, item_id)
