"""One file -> its chunks, without what needs the other files: links, and the position among all chunks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lorewright.ids import slug
from lorewright.packs.conditions import lint_items
from lorewright.packs.content_hash import WITHOUT_GAPS
from lorewright.packs.files import Finding
from lorewright.packs.items import lint_names, lint_openings, lint_triggers, read_items
from lorewright.packs.markdown.chunking import Section, blocks_of, comments_in, plain_text, split_long, without_spans
from lorewright.packs.markdown.gaps import close_gaps, edits_within, lines_of_origin
from lorewright.packs.markdown.hidden_spans import ranges_of, without_plugin_code
from lorewright.packs.markdown.markup import Edit, apply_edits
from lorewright.packs.metadata import FileMetadata
from lorewright.packs.models import ITEM_ROLES, OPEN_ROLES, Chunk, Item, Link, PackEntity, Role, When, role_of
from lorewright.packs.read_file import ReadFile, lines_at
from lorewright.packs.references import EntityReference, Links, references_in
from lorewright.tokens import count_tokens


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A chunk without links, metadata and position, the references in its text, and the offsets at which the text
    begins and ends in the file's body. `is_taken_out`: it stood in a section, which is without it."""

    chunk: Chunk
    references: tuple[EntityReference, ...] = ()
    start: int = 0
    end: int = 0
    is_taken_out: bool = False


@dataclass(frozen=True, slots=True)
class CutFile:
    """The chunks of a file in its order, the findings about their items, and the edits that take out of the file's body
    what its sections are without."""

    drafts: tuple[ChunkDraft, ...]
    findings: tuple[Finding, ...]
    cuts: tuple[Edit, ...] = ()


def cut_file(file: ReadFile, entity: PackEntity, *, max_tokens: int) -> CutFile:
    """Return a file cut into chunks, in its order; of the entity only the ID and the name are used."""
    drafts: list[ChunkDraft] = []
    findings: list[Finding] = []
    taken: set[str] = set()
    unseen = ranges_of(file.spans)
    cuts = _cuts_of(file)
    start, line = 0, file.source.body_line
    for section in file.sections:
        name = _free(_section_slug(section, file.sections), taken)
        role = _role(section, file)
        for part, text in enumerate(split_long(section.text, max_tokens=max_tokens, reading=file.reading), start=1):
            chunk_id = f"{entity.id}:{name}" + (f"~{part}" if part > 1 else "")
            heading = section.heading if part == 1 else ""
            text_start = start + len(heading)
            shown = without_spans(text, unseen, start=text_start)
            text_line = line + heading.count("\n")
            joined: str | None = None
            items: tuple[Item, ...] = ()
            # The line of the text on which each of its lines was written.
            origins: Sequence[int] = range(text.count("\n") + 1)
            if role in ITEM_ROLES:
                findings += lint_names(file.source.path, shown, text_line)
            if file.reading >= WITHOUT_GAPS and unseen:
                own = edits_within(cuts, text_start, text_start + len(text))
                joined = apply_edits(text, own)
                if role in ITEM_ROLES:
                    # Items have numbers, and none of these may tell of an item that is hidden.
                    shown, joined, origins = joined, None, lines_of_origin(text, own)
            if role in ITEM_ROLES:
                items = _items_in(shown, origins, chunk_id, role, text_line)
            chunk = Chunk(
                id=chunk_id,
                pack_id=_pack_of(entity),
                entity_id=entity.id,
                file_path=file.source.path,
                section_path=_section_path(section, entity),
                section=section.subtitle,
                role=role,
                text=shown.strip("\n"),
                source=heading + text,
                line=line + _blank_lines(heading or text),
                part=part,
                position=0,
                token_count=count_tokens(shown.strip(), reading=file.reading),
                items=items,
                conditions=_conditions(section, file.meta),
                joined=None if joined is None else joined.strip("\n"),
            )
            drafts.append(ChunkDraft(chunk, references_in(shown), text_start, text_start + len(text)))
            findings += lint_items(file.source.path, chunk.items)
            findings += lint_openings(file.source.path, chunk.items) if role == "withholds" else ()
            findings += lint_triggers(file.source.path, chunk.items) if role == "discoverable" else ()
            start += len(chunk.source)
            line = text_line + text.count("\n")
    drafts += _secrets(file, entity, drafts, taken, max_tokens)
    drafts += _asides(file, entity, _free("comments", taken))
    return CutFile(tuple(drafts), tuple(findings), cuts)


def _items_in(text: str, origins: Sequence[int], chunk_id: str, role: Role, line: int) -> tuple[Item, ...]:
    """Return the items of a section's text; `origins` has the line, from the file's `line` on, on which each of its
    lines was written."""
    discoverable, withheld = role == "discoverable", role == "withholds"
    items = read_items(text, chunk_id=chunk_id, line=0, discoverable=discoverable, withheld=withheld)
    return tuple(replace(item, line=line + origins[item.line]) for item in items)


@dataclass(frozen=True, slots=True)
class Readers:
    """The links of a pack for two readers: `before` is for one who has learned nothing, `learned` for one who has
    learned the secret in which the links stand, which may name hidden entities."""

    before: Links
    learned: Links


def drafts_for_players(file: ReadFile, entity: PackEntity, cut: CutFile, readers: Readers) -> tuple[ChunkDraft, ...]:
    """Return the drafts of a file, each with the text that readers other than the game master get.

    Neither the text nor the titles and IDs of sections contain what an editor does not show. Hidden entities become
    `someone`, `somewhere` or `something`, except within items that are themselves secret.
    """
    body, path = file.source.body, file.source.path
    cuts = cut.cuts
    before = readers.before.edits(body, path, cuts=cuts)
    learned: Sequence[Edit] | None = None
    hints: Sequence[Edit] = ()
    titles = _told_titles(file, entity, readers.before)
    drafts = []
    for draft in cut.drafts:
        chunk = draft.chunk
        raw = body[draft.start : draft.end]
        if draft.is_taken_out:
            told, hint_text = (
                apply_edits(chunk.text, links.edits(chunk.text, path, keeps_names=True)).strip("\n")
                for links in (readers.learned, readers.before)
            )
            chunk = replace(chunk, told=told, items=_told_items(chunk, told, hint_text))
        elif draft.end and chunk.role in ITEM_ROLES:
            if learned is None:
                learned = readers.learned.edits(body, path, cuts=cuts, keeps_names=True)
                hints = readers.before.edits(body, path, cuts=cuts, keeps_names=True)
            told = apply_edits(raw, learned, start=draft.start).strip("\n")
            hint_text = apply_edits(raw, hints, start=draft.start).strip("\n")
            chunk = replace(chunk, told=told, items=_told_items(chunk, told, hint_text))
        elif draft.end:
            chunk = replace(chunk, told=apply_edits(raw, before, start=draft.start).strip("\n"))
        drafts.append(replace(draft, chunk=_renamed(chunk, titles)))
    return tuple(drafts)


def _cuts_of(file: ReadFile) -> tuple[Edit, ...]:
    spans, body = ranges_of(file.spans), file.source.body
    if file.reading >= WITHOUT_GAPS:
        return tuple(close_gaps(body, spans))
    return tuple(Edit(start, end, "\n" * body.count("\n", start, end)) for start, end in spans)


def player_name(name: str, links: Links, path: str) -> str:
    """Return a name or title as readers other than the game master may see it."""
    edits = links.edits(name, path)
    return (plain_text(apply_edits(name, edits)) or "something") if edits else name


def _told_items(chunk: Chunk, told: str, hints: str) -> tuple[Item, ...]:
    """Return the items of a chunk: their texts as a reader who has learned them sees them, their triggers and hints as
    a reader who has not."""
    if told == chunk.text == hints:
        return chunk.items
    first, second = (_items_by_name(chunk, text) for text in (told, hints))
    items = []
    for item in chunk.items:
        words, open_words = first.get(item.name), second.get(item.name)
        items.append(
            replace(
                item,
                text=words.text if words else "something",
                trigger=open_words.trigger if open_words else item.trigger and "something",
                hint=open_words.hint if open_words else None,
            )
        )
    return tuple(items)


def _items_by_name(chunk: Chunk, text: str) -> dict[str, Item]:
    discoverable, withheld = chunk.role == "discoverable", chunk.role == "withholds"
    items = read_items(text, chunk_id=chunk.id, line=1, discoverable=discoverable, withheld=withheld)
    return {item.name: item for item in items}


@dataclass(frozen=True, slots=True)
class _Title:
    """A section's title as players may read it, its path, and the slug that its IDs contain."""

    section: str
    path: str
    slug: str


def _told_titles(file: ReadFile, entity: PackEntity, links: Links) -> dict[str, _Title]:
    """Return slug -> title for the sections whose heading contains something that an editor does not show."""
    taken: set[str] = set()
    names = [_free(_section_slug(section, file.sections), taken) for section in file.sections]
    path = file.source.path
    tops = {
        section.title: player_heading(section, links, path)
        for section in file.sections
        if section.title and not section.subtitle
    }
    titles: dict[str, _Title] = {}
    for name, section in zip(names, file.sections, strict=True):
        told = player_heading(section, links, path)
        top = tops.get(section.title, section.title)
        subtitle = told if section.subtitle else ""
        if (told, top) == (section.subtitle or section.title, section.title):
            continue
        told_section = replace(section, title=top, subtitle=subtitle)
        is_named = bool(section.subtitle or name not in ("overview", "preamble"))
        changed = is_named and told != (section.subtitle or section.title)
        own = _free(slug(told), taken) if changed else name
        titles[name] = _Title(subtitle, _section_path(told_section, entity), own)
    return titles


def player_heading(section: Section, links: Links, path: str) -> str:
    """Return the title of a section (its H2, else its H1) as readers other than the game master may see it."""
    title = section.subtitle or section.title
    inline = next((token.content for token in blocks_of(section.heading) if token.type == "inline"), title)
    # By the first rules of reading the code of plugins is part of a title.
    bare = without_plugin_code(inline)
    inline = bare if plain_text(bare) == title else inline
    return title if not links.edits(inline, path) else player_name(inline, links, path)


def _renamed(chunk: Chunk, titles: Mapping[str, _Title]) -> Chunk:
    name, tilde, part = chunk.id.removeprefix(f"{chunk.entity_id}:").partition("~")
    title = titles.get(name)
    if title is None:
        return chunk
    own_id = f"{chunk.entity_id}:{title.slug}{tilde}{part}"
    items = tuple(replace(item, id=f"{own_id}#{item.name}") for item in chunk.items)
    return replace(chunk, id=own_id, items=items, section=title.section, section_path=title.path)


def place_chunk(draft: ChunkDraft, entity: PackEntity, links: tuple[Link, ...], *, position: int) -> Chunk:
    """Return the complete chunk: the draft's with its links, its position, and the seed's metadata."""
    metadata = _metadata(draft.chunk, entity, links)
    return replace(draft.chunk, links=links, position=position, metadata=metadata)


def _pack_of(entity: PackEntity) -> str:
    return entity.id.partition(":")[0]


def _secrets(
    file: ReadFile, entity: PackEntity, drafts: Sequence[ChunkDraft], taken: set[str], max_tokens: int
) -> list[ChunkDraft]:
    """Return the secrets that stand within sections (callouts, labels) as chunks, in their order. Their text is part of
    the sections' sources, so they have no source of their own."""
    found: list[ChunkDraft] = []
    secrets = [span for span in file.spans if span.kind == "secret"]
    starts = [draft.start for draft in drafts]
    for span, line in zip(secrets, lines_at(file, [span.start for span in secrets]), strict=True):
        comments = comments_in(span.text)
        if file.reading >= WITHOUT_GAPS:
            text = apply_edits(span.text, close_gaps(span.text, comments)).strip("\n")
        else:
            text = without_spans(span.text, comments).strip("\n")
        if not text.strip():
            continue
        around = [draft.chunk for draft in drafts[: bisect_right(starts, span.start)][-1:]]
        name = _free(slug(span.title, fallback="secret"), taken)
        for part, piece in enumerate(split_long(text, max_tokens=max_tokens, reading=file.reading), start=1):
            chunk_id = f"{entity.id}:{name}" + (f"~{part}" if part > 1 else "")
            chunk = Chunk(
                id=chunk_id,
                pack_id=_pack_of(entity),
                entity_id=entity.id,
                file_path=file.source.path,
                section_path=f"{around[-1].section_path if around else entity.name} > {span.title}",
                section=span.title,
                role=span.mark.role,
                text=piece.strip("\n"),
                source="",
                line=line,
                part=part,
                position=0,
                token_count=count_tokens(piece.strip(), reading=file.reading),
                items=read_items(
                    piece, chunk_id=chunk_id, line=line, discoverable=False, withheld=span.mark.role == "withholds"
                ),
                conditions=around[-1].conditions if around else (),
            )
            found.append(ChunkDraft(chunk, references_in(piece), is_taken_out=True))
    return found


def _asides(file: ReadFile, entity: PackEntity, name: str) -> list[ChunkDraft]:
    """Return the author's own comments (`%%…%%`) as one chunk for the game master alone, or an empty list.

    Its text is part of the sections' sources, so it has no source of its own, and no links but those of the file.
    """
    body = file.source.body
    spans = [span for span in file.spans if span.kind == "comment" and body.startswith("%%", span.start)]
    said = (body[span.start + 2 : span.end - 2 if span.closed else span.end].strip() for span in spans)
    text = "\n\n".join(filter(None, said))
    if not text:
        return []
    chunk = Chunk(
        id=f"{entity.id}:{name}",
        pack_id=_pack_of(entity),
        entity_id=entity.id,
        file_path=file.source.path,
        section_path=f"{entity.name} > Comments",
        section="Comments",
        role="secret",
        text=text,
        source="",
        line=file.source.body_line + body.count("\n", 0, spans[0].start),
        part=1,
        position=0,
        token_count=count_tokens(text, reading=file.reading),
    )
    return [ChunkDraft(chunk)]


def _blank_lines(text: str) -> int:
    """Return how many lines of white space a text begins with."""
    return text[: len(text) - len(text.lstrip())].count("\n")


def _metadata(chunk: Chunk, entity: PackEntity, links: Sequence[Link]) -> dict[str, Any]:
    """Return the seed's chunk metadata; IDs of the pack's own entities are without the pack ID, as authors write
    them."""
    prefix = f"{chunk.pack_id}:"

    def values(kind: str) -> list[str]:
        return [link.value.removeprefix(prefix) for link in links if link.kind == kind]

    return {
        "type": entity.type,
        "role": chunk.role,
        "location_ids": values("location"),
        "entity_ids": values("entity"),
        "faction_ids": values("faction"),
        "thread_ids": values("thread"),
        "tags": values("tag"),
        "token_count": chunk.token_count,
    }


def _role(section: Section, file: ReadFile) -> Role:
    meta = file.meta
    if file.reading > 1:
        found = file.roles.below(
            (section.title, *section.above) if section.subtitle else (), section.subtitle or section.title
        )
        return "secret" if meta.gm_only and found.role in OPEN_ROLES else found.role
    title = role_of(section.title, meta.section_roles) if section.title else "lore"
    is_person = meta.type == "npc"
    role = role_of(section.subtitle, meta.section_roles, of_person=is_person) if section.subtitle else "lore"
    if title == "withholds" and role in OPEN_ROLES:
        # A section below a secret title is secret too.
        return "withholds" if not section.subtitle else "secret"
    return "secret" if meta.gm_only and role in OPEN_ROLES else role


def _conditions(section: Section, meta: FileMetadata) -> tuple[When, ...]:
    title = section.subtitle.casefold() or section.title.casefold()
    return tuple(when for when in (meta.when, meta.section_when.get(title)) if when is not None)


def _section_slug(section: Section, sections: tuple[Section, ...]) -> str:
    if section.subtitle:
        return slug(section.subtitle)
    if not section.title:
        return "preamble"
    first_title = next(other.title for other in sections if other.title)
    return "overview" if section.title == first_title else slug(section.title)


def _section_path(section: Section, entity: PackEntity) -> str:
    return " > ".join(part for part in (section.title or entity.name, *section.above, section.subtitle) if part)


def _free(name: str, taken: set[str]) -> str:
    free = name
    number = 2
    while free in taken:
        free = f"{name}-{number}"
        number += 1
    taken.add(free)
    return free
