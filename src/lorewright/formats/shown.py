"""Pack and audience -> the entities and sections that this reader may read, and nothing else.

Only here does an export leave out what a reader may not know. The texts are as their author wrote them, without
comments; of sections that are not open only the revealed items; and for readers other than the game master without the
author's marks for the program (`{#name}`, `(when …)`) and without attributes of HTML.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, Literal

from lorewright.bounded_files import read_bytes
from lorewright.errors import PackError
from lorewright.formats.imported import contain_in_section
from lorewright.formats.rule_fields import open_rules
from lorewright.packs.conditions import of_item
from lorewright.packs.files import MAX_FILE_BYTES
from lorewright.packs.frontmatter import read_source
from lorewright.packs.images import image_of
from lorewright.packs.items import read_items, without_items
from lorewright.packs.markdown.chunking import blocks_of, lines_of, without_spans
from lorewright.packs.markdown.hidden_spans import find_hidden_spans, ranges_of
from lorewright.packs.models import OPEN_ROLES, Chunk, Item, Manifest, Pack, PackEntity, Role, When
from lorewright.packs.references import Links, Render
from lorewright.retrieval.view import LoreView, may_see, meets

Reader = Literal["player", "gm"]


@dataclass(frozen=True, slots=True)
class Audience:
    """The reader of an export. `view` has no generations: the pack's own text is read instead of an index.

    `not_in_force` holds the IDs of chunks that another pack of a campaign overrides. `story` names that campaign.
    """

    view: LoreView
    not_in_force: frozenset[str] = field(default_factory=frozenset)
    story: str = ""

    @staticmethod
    def of(reader: Reader) -> Audience:
        """Return the audience of a player who has learned nothing yet, or of the game master."""
        return Audience(LoreView((), viewer=reader))

    @property
    def is_gm(self) -> bool:
        """True if the reader is the game master, who gets everything."""
        return self.view.is_gm

    def meets(self, when: When, pack_id: str) -> bool:
        """Tell whether a condition holds for this reader; without a campaign it holds for the game master alone."""
        return meets(self.view, when, pack_id)

    def sees(self, chunk: Chunk) -> bool:
        """Tell whether all of a chunk may be read."""
        return self.reaches(chunk) and may_see(self.view, role=chunk.role, owner_id=chunk.entity_id)

    def has_learned(self, chunk: Chunk, item_id: str) -> bool:
        """Tell whether an item of a chunk that is not open was revealed to this reader."""
        return self.reaches(chunk) and may_see(self.view, role=chunk.role, owner_id=chunk.entity_id, item_id=item_id)

    def reaches(self, chunk: Chunk) -> bool:
        """Tell whether a chunk is in force: no other pack overrides it, and its conditions hold."""
        held = all(self.meets(when, chunk.pack_id) for when in chunk.conditions)
        return held and chunk.id not in self.not_in_force


# The title above learned items; the section's own title may give away the rest.
LEARNED = "Learned"

_ITEM_NAME = re.compile(r"[ \t]?\{#[A-Za-z0-9][\w-]{0,60}\}")
_CONDITION = re.compile(r"^(\s*(?:[-*+]|\d{1,9}[.)])?\s*)\(when\s[^()]{1,200}\)\s*", re.IGNORECASE | re.MULTILINE)
# What may stand before the text of a section of which nothing was taken out: nothing, or a heading in one line.
_NO_TEXT = re.compile(r"(?:#{1,6}[ \t][^\n]*)?")
_WHEN = "(when"
_OF_A_LICENSE = frozenset(
    {"type", "name", "version", "url", "publisher", "author", "authors", "attribution", "copyright"}
)
_ATTRIBUTES = re.compile(r"<([A-Za-z][\w-]{0,40})\s[^<>]*=[^<>]*>")


@dataclass(frozen=True, slots=True)
class ShownSection:
    """A section, or its learned items. `title` is "" for the introduction; `conditional` text may not hold."""

    title: str
    role: Role
    text: str
    slug: str
    conditional: bool = False

    @property
    def is_open(self) -> bool:
        """True if every player may read it."""
        return self.role in OPEN_ROLES and not self.conditional


@dataclass(frozen=True, slots=True)
class ShownEntity:
    """An entity with its readable sections. For a reader other than the game master `entity` has no names or tags of
    anything hidden and no keys of its own, `frontmatter` only entry rules about known sections, and `source` is
    empty. `image` is the path of its picture in the pack, which everybody sees who may know of it."""

    entity: PackEntity
    sections: tuple[ShownSection, ...]
    frontmatter: dict[str, Any]
    source: tuple[Chunk, ...] = ()
    image: str | None = None

    @property
    def gm_only(self) -> bool:
        """True if the whole file is kept from players, including its introduction."""
        return bool(self.sections) and self.sections[0].title == "" and self.sections[0].role == "secret"


@dataclass(frozen=True, slots=True)
class ReadablePack:
    """The input of an export. `left_out` counts the sections, `hidden` the entities, that the reader may not know."""

    manifest: Manifest
    root: str
    audience: Audience
    entities: tuple[ShownEntity, ...]
    links: Links
    hidden: int
    left_out: int

    def linked(self, shown: ShownEntity, text: str, render: Render) -> str:
        """Return a section's text with its references as `render` shows them."""
        return self.links.rewritten(text, shown.entity.file_path, render)

    @property
    def tells_secrets(self) -> bool:
        """True if it contains anything that is not for every player."""
        return self.audience.is_gm


def shown_pack(pack: Pack, audience: Audience) -> ReadablePack:
    """Return the pack as the audience may read it; entities are in the order of their files."""
    chunks = {entity_id: list(group) for entity_id, group in groupby(pack.chunks, key=lambda chunk: chunk.entity_id)}
    found = {entity.id: _sections(chunks.get(entity.id, []), entity, audience) for entity in pack.entities}
    hidden = (
        frozenset() if audience.is_gm else frozenset(entity_id for entity_id, sections in found.items() if not sections)
    )
    links = Links(pack.manifest.id, pack.entities, hidden=hidden, closed=not audience.is_gm)
    shown = [
        ShownEntity(
            replace(entity, aliases=entity.spoken_aliases),
            found[entity.id],
            _frontmatter(pack, entity),
            tuple(chunks.get(entity.id, ())),
            image_of(Path(pack.root), entity.file_path, entity.attrs)[0],
        )
        for entity in pack.entities
        if entity.id not in hidden
    ]
    entities = shown if audience.is_gm else [_opened(entity, links) for entity in shown]
    unseen = {_section_id(chunk) for chunk in pack.chunks if not audience.sees(chunk)}
    manifest = _manifest(pack.manifest, audience)
    return ReadablePack(manifest, pack.root, audience, tuple(entities), links, len(hidden), len(unseen))


def _sections(chunks: Sequence[Chunk], entity: PackEntity, audience: Audience) -> tuple[ShownSection, ...]:
    """Return the readable sections of a file, in its order; a section without text is kept for the game master only."""
    shown = []
    for section_id, group in groupby((chunk for chunk in chunks if chunk.source), key=_section_id):
        parts = [chunk for chunk in group if audience.sees(chunk)]
        if parts:
            # The game master reads a secret where its author wrote it.
            texts = map(_as_written if audience.is_gm else _as_told, parts)
            whole = [replace(part, text=text) for part, text in zip(parts, texts, strict=True)]
            shown.append(_whole(whole, entity, section_id))
    learned = [
        item.text
        for chunk in chunks
        if not audience.sees(chunk)
        for item in chunk.items
        if audience.has_learned(chunk, item.id) and _holds(item, chunk.pack_id, audience)
    ]
    if learned:
        text = "\n".join(f"- {item_text}" for item_text in learned)
        shown.append(ShownSection(LEARNED, "lore", text, "learned"))
    if audience.is_gm:
        return tuple(shown)
    told = (replace(section, text=_without_marks(section.text, entity, audience)) for section in shown)
    return tuple(section for section in told if section.text)


def _as_written(chunk: Chunk) -> str:
    """Return a section's text with the secrets that stand within it, and without comments and code of plugins."""
    if _is_whole(chunk):
        return chunk.text
    body = chunk.source
    tokens = blocks_of(body)
    spans = find_hidden_spans(body, tokens)
    if not any(span.kind == "secret" for span in spans):
        return chunk.text
    heading = next((token.map[1] for token in tokens if token.type == "heading_open" and token.map), 0)
    start = sum(map(len, lines_of(body)[:heading])) if chunk.part == 1 else 0
    return without_spans(body[start:], ranges_of(spans, "comment", "plugin"), start=start).strip("\n")


def _as_told(chunk: Chunk) -> str:
    return chunk.text if chunk.joined is None else chunk.joined


def _is_whole(chunk: Chunk) -> bool:
    """Tell whether a section's source is its heading and its text, so that nothing was taken out of it."""
    before, _, after = chunk.source.rpartition(chunk.text) if chunk.text else (chunk.source, "", "")
    return _NO_TEXT.fullmatch(before.strip()) is not None and not after.strip()


def _holds(item: Item, pack_id: str, audience: Audience) -> bool:
    when = of_item(item)
    return when is None or audience.meets(when, pack_id)


def _whole(parts: Sequence[Chunk], entity: PackEntity, section_id: str) -> ShownSection:
    """Return a section joined again from the parts into which it was cut."""
    text = parts[0].text
    for before, part in pairwise(parts):
        gap = _line_feeds_after(before.source) + _line_feeds_before(part.source)
        text += "\n" * gap + part.text
    first = parts[0]
    return ShownSection(_title(first, entity), first.role, text, section_id.rpartition(":")[2], bool(first.conditions))


def _title(chunk: Chunk, entity: PackEntity) -> str:
    """Return the H2, or the H1 if it is not the file's first; "" for the introduction and the text above it."""
    if chunk.section:
        return chunk.section
    is_first = chunk.id.rpartition(":")[2].partition("~")[0] in ("overview", "preamble")
    return "" if is_first or chunk.section_path in (entity.name, "") else chunk.section_path


def _line_feeds_after(text: str) -> int:
    return len(text) - len(text.rstrip("\n"))


def _line_feeds_before(text: str) -> int:
    return len(text) - len(text.lstrip("\n"))


def _section_id(chunk: Chunk) -> str:
    return chunk.id.partition("~")[0]


def _opened(shown: ShownEntity, links: Links) -> ShownEntity:
    """Return an entity whose frontmatter and titles say nothing about anything hidden."""
    entity = replace(
        shown.entity,
        aliases=tuple(alias for alias in shown.entity.aliases if not links.names_hidden(alias)),
        tags=tuple(tag for tag in shown.entity.tags if not links.names_hidden(tag)),
        attrs={},
        overrides=None,
    )
    sections = tuple(replace(section, title=_plain_title(section.title, links)) for section in shown.sections)
    rules = open_rules(shown.frontmatter, [section.title for section in sections], links)
    return ShownEntity(entity, sections, rules, image=shown.image)


def _plain_title(title: str, links: Links) -> str:
    """Return a title without item names, or a neutral word if it names something hidden."""
    said = " ".join(_ITEM_NAME.sub(" ", title).split())
    return "Section" if links.names_hidden(said) else said


def _without_marks(text: str, entity: PackEntity, audience: Audience) -> str:
    """Return an open text without the author's marks for the program. A paragraph or list item whose condition does not
    hold is removed too, although only items of other sections have conditions: its author did not mean it to be
    read."""
    if _WHEN in text.casefold():
        items = read_items(text, chunk_id=entity.id, line=1, discoverable=False)
        unmet = {item.name for item in items if not _holds(item, entity.id.partition(":")[0], audience)}
        text = _CONDITION.sub(r"\1", _ITEM_NAME.sub("", without_items(text, unmet, leaves_gaps=False)))
    return contain_in_section(_ATTRIBUTES.sub(r"<\1>", _ITEM_NAME.sub("", text)))


def _frontmatter(pack: Pack, entity: PackEntity) -> dict[str, Any]:
    path = Path(pack.root) / entity.file_path
    return dict(read_source(entity.file_path, read_bytes(path, MAX_FILE_BYTES, PackError)).metadata)


def _manifest(manifest: Manifest, audience: Audience) -> Manifest:
    """Return the manifest for the audience; unknown keys and counts are for the game master alone."""
    if audience.is_gm:
        return manifest
    said = {key: value for key, value in manifest.license.items() if key in _OF_A_LICENSE}
    closed: dict[str, Any] = {"extra": {}, "provides": {}, "exclude": (), "types": {}, "synonyms": ()}
    return manifest.model_copy(update={**closed, "license": said})
