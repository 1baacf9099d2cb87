"""A pack's folder -> Pack: manifest, entities, chunks, items, links, findings. Reads files; writes nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lorewright.errors import PackError
from lorewright.ids import qualify, slug
from lorewright.packs.chunking import Section, split_long, split_sections
from lorewright.packs.conditions import bad_condition, lint_items
from lorewright.packs.entry_linking import Said, with_entry_rules
from lorewright.packs.entry_rules import NO_RULES
from lorewright.packs.exits import connected
from lorewright.packs.files import list_files
from lorewright.packs.findings import Finding, error, warning
from lorewright.packs.frontmatter import SourceFile, decode_text, read_source
from lorewright.packs.items import read_items
from lorewright.packs.limits import MAX_MANIFEST_BYTES
from lorewright.packs.linking import LinkTable
from lorewright.packs.linting import lint_ids, lint_paths, lint_text
from lorewright.packs.manifest import MANIFEST_FILE, derived_manifest, read_manifest
from lorewright.packs.metadata import FileMetadata, read_metadata
from lorewright.packs.models import ITEM_ROLES, OPEN_ROLES, Chunk, Entity, Link, Manifest, Pack, Role, When
from lorewright.packs.plain import blocks_of, comments_in, without_spans
from lorewright.packs.roles import role_of
from lorewright.tokens import count_tokens

# What is being done, how much of it is done, and how much there is to do.
Progress = Callable[[str, int, int], None]


def no_progress(what: str, done: int, total: int) -> None:
    """For those who do not watch."""


def load_pack(folder: Path, *, progress: Progress = no_progress) -> Pack:
    """Read a pack from its folder, whatever it is like inside; what was wrong stands in `findings`, sorted.

    `progress` is told after each file how many of how many are read.

    Raises:
        PackError: there is no such folder, or it holds no markdown at all.
    """
    root = Path(folder)
    if not root.is_dir():
        raise PackError(f"{folder} is not a folder", hint="name the folder that holds the pack's markdown files")
    manifest, findings = load_manifest(root)
    listing = list_files(root, manifest.exclude)
    if not listing.paths:
        raise PackError(f"{folder} holds no markdown files", hint="a pack is a folder of .md files")
    files = []
    for done, path in enumerate(listing.paths, start=1):
        files.append(_read_file(root, path, manifest.types))
        progress("reading", done, len(listing.paths))
    findings += [*listing.findings, *(finding for file in files for finding in file.source.findings)]
    usable = _without_duplicates([file for file in files if not file.source.skip], findings)
    findings += lint_paths(listing.paths)
    findings += lint_ids((f.meta.entity_id, f.source.path, f.source.key_lines.get("id", 1)) for f in usable)
    entities = tuple(_entity(manifest.id, file) for file in usable)
    links = LinkTable(manifest.id, entities)
    exit_lines = [file.source.key_lines.get("exits", 1) for file in usable]
    entities = connected(entities, [file.meta.ways for file in usable], exit_lines, links.find, findings)
    chunks: list[Chunk] = []
    said: dict[str, Said] = {}
    for file, entity in zip(usable, entities, strict=True):
        of_file = _chunks(
            manifest.id, file, entity, links, findings, first_position=len(chunks), max_tokens=manifest.chunk_tokens
        )
        said |= _said(file, of_file)
        chunks += of_file
    if manifest.derived and not (root / MANIFEST_FILE).exists():
        message = f"no pack.yaml: the pack is read as {manifest.id}"
        findings.append(warning(MANIFEST_FILE, "missing-manifest", message, hint="add a pack.yaml"))
    return Pack(
        manifest=manifest,
        root=str(root.resolve()),
        content_hash=content_hash_of(root, listing.paths),
        entities=entities,
        chunks=with_entry_rules(manifest.id, chunks, said, links, findings),
        findings=tuple(sorted(set(findings))),
    )


@dataclass(frozen=True, slots=True)
class _File:
    source: SourceFile
    meta: FileMetadata
    sections: tuple[Section, ...]


def load_manifest(root: Path) -> tuple[Manifest, list[Finding]]:
    """A folder's manifest, derived where it has none or an unsound one, and what was wrong with it."""
    path, folder_name = root / MANIFEST_FILE, root.resolve().name
    derived = derived_manifest(folder_name)
    if not path.is_file():
        return derived, []
    if not _is_inside(path, root):
        return derived, [error(MANIFEST_FILE, "symlink-escape", "the link leads out of the pack", hint="copy the file")]
    if path.stat().st_size > MAX_MANIFEST_BYTES:
        message = f"over {MAX_MANIFEST_BYTES // 1024} KiB"
        return derived, [error(MANIFEST_FILE, "file-too-large", message, hint="put texts into markdown files")]
    findings: list[Finding] = []
    text = decode_text(MANIFEST_FILE, path.read_bytes(), findings)
    if text is None:
        return derived, findings
    manifest, more = read_manifest(text, folder_name=folder_name)
    return manifest, findings + more


def _is_inside(path: Path, root: Path) -> bool:
    return path.resolve().is_relative_to(root.resolve())


def _read_file(root: Path, path: str, types: Mapping[str, str]) -> _File:
    source = read_source(path, (root / path).read_bytes())
    meta = read_metadata(source, types)
    skip = source.skip or meta.skip
    tokens = [] if skip else blocks_of(source.body)
    sections = () if skip else tuple(split_sections(source.body, tokens))
    said = () if source.skip else (*meta.findings, *_structure(source, sections), *_untitled(source, meta, sections))
    linted = () if skip else lint_text(path, source.body, source.body_line, tokens, sections)
    return _File(replace(source, findings=(*source.findings, *said, *linted), skip=skip), meta, sections)


def _structure(source: SourceFile, sections: tuple[Section, ...]) -> tuple[Finding, ...]:
    if not source.body.strip():
        code = "empty-body" if source.has_frontmatter else "empty-file"
        return (warning(source.path, code, "there is no text", line=source.body_line),)
    if not any(section.title or section.subtitle for section in sections):
        return (warning(source.path, "no-heading", "no heading: the whole file is one chunk", line=source.body_line),)
    return ()


def _untitled(source: SourceFile, meta: FileMetadata, sections: tuple[Section, ...]) -> tuple[Finding, ...]:
    """Conditions and rules of sections that the file does not have: they would do nothing, silently."""
    titles = {section.subtitle.casefold() or section.title.casefold() for section in sections}
    line = source.key_lines.get("section_when", 1)
    missing = [title for title in meta.section_when if title not in titles and not meta.skip]
    return (
        *(bad_condition(source.path, f"section_when: no section is titled {one}", line=line) for one in missing),
        *(
            warning(
                source.path,
                "bad-entry-rule",
                f"section_lore: no section is titled {title}",
                line=source.key_lines.get(rules.key, 1),
                hint="write the title as it stands after ##",
            )
            for title, rules in meta.section_entry_rules.items()
            if title not in titles and not meta.skip
        ),
    )


def _without_duplicates(files: list[_File], findings: list[Finding]) -> list[_File]:
    """The first file of an ID, in path order, keeps it. An ID that we mended gives way to the one from the path."""
    first: dict[str, str] = {}
    kept: list[_File] = []
    for file in files:
        if file.meta.entity_id in first and file.meta.derived_id:
            file.meta.entity_id = file.meta.derived_id
        entity_id = file.meta.entity_id
        if entity_id in first:
            findings.append(
                error(
                    file.source.path,
                    "duplicate-id",
                    f"the ID {entity_id} is taken by {first[entity_id]}",
                    line=file.source.key_lines.get("id", 1),
                    hint="give one of them another ID",
                )
            )
            continue
        first[entity_id] = file.source.path
        kept.append(file)
    return kept


def _entity(pack_id: str, file: _File) -> Entity:
    meta = file.meta
    heading = next((section.title for section in file.sections if section.title), "")
    stem = Path(file.source.path).stem.replace("_", " ").replace("-", " ").strip()
    return Entity(
        id=qualify(pack_id, meta.entity_id),
        type=meta.type,
        name=heading or meta.title or stem or meta.entity_id,
        file_path=file.source.path,
        aliases=tuple(alias for alias in (*meta.aliases, meta.title) if alias and alias != heading),
        tags=meta.tags,
        attrs=meta.attrs,
        overrides=meta.overrides,
    )


def _chunks(
    pack_id: str,
    file: _File,
    entity: Entity,
    links: LinkTable,
    findings: list[Finding],
    *,
    first_position: int,
    max_tokens: int,
) -> list[Chunk]:
    chunks: list[Chunk] = []
    taken: set[str] = set()
    inherited = links.of_file(entity, file.meta, findings)
    comments = comments_in(file.source.body)
    start, line = 0, file.source.body_line
    for section in file.sections:
        name = _free(_section_slug(section, file.sections), taken)
        role = _role(section, file.meta)
        for part, text in enumerate(split_long(section.text, max_tokens=max_tokens), start=1):
            chunk_id = f"{entity.id}:{name}" + (f"~{part}" if part > 1 else "")
            heading = section.heading if part == 1 else ""
            shown = without_spans(text, comments, start=start + len(heading))
            text_line = line + heading.count("\n")
            chunk = Chunk(
                id=chunk_id,
                pack_id=pack_id,
                entity_id=entity.id,
                file_path=file.source.path,
                section_path=_section_path(section, entity),
                section=section.subtitle,
                role=role,
                text=shown.strip("\n"),
                source=heading + text,
                line=line + _blank_lines(heading or text),
                part=part,
                position=first_position + len(chunks),
                token_count=count_tokens(shown.strip()),
                links=links.of_text(entity, inherited, shown, file.source, findings),
                conditions=_conditions(section, file.meta),
            )
            chunks.append(_finished(chunk, entity, shown, text_line))
            findings += lint_items(file.source.path, chunks[-1].items)
            start += len(chunk.source)
            line = text_line + text.count("\n")
    asides = _asides(file, entity, inherited, comments, _free("comments", taken), first_position + len(chunks))
    return [*chunks, *asides]


def _asides(
    file: _File, entity: Entity, links: tuple[Link, ...], comments: Sequence[tuple[int, int]], name: str, position: int
) -> list[Chunk]:
    """What the author wrote for themselves between `%%`: one chunk, for the game master alone. Its text stands in the
    sources of the sections, so it has none of its own."""
    body = file.source.body
    spans = [(start, end) for start, end in comments if body.startswith("%%", start)]
    text = "\n\n".join(aside for start, end in spans if (aside := body[start + 2 : end - 2].strip()))
    if not text:
        return []
    chunk = Chunk(
        id=f"{entity.id}:{name}",
        pack_id=entity.id.partition(":")[0],
        entity_id=entity.id,
        file_path=file.source.path,
        section_path=f"{entity.name} > Comments",
        section="Comments",
        role="secret",
        text=text,
        source="",
        line=file.source.body_line + body.count("\n", 0, spans[0][0]),
        part=1,
        position=position,
        token_count=count_tokens(text),
        links=links,
    )
    return [replace(chunk, metadata=_metadata(chunk, entity))]


def _blank_lines(text: str) -> int:
    """How many lines of white space a text begins with."""
    return text[: len(text) - len(text.lstrip())].count("\n")


def _finished(chunk: Chunk, entity: Entity, text: str, line: int) -> Chunk:
    """The chunk with the items of its text, which begins on `line`, and the seed's metadata."""
    items = (
        read_items(
            text,
            chunk_id=chunk.id,
            line=line,
            discoverable=chunk.role == "discoverable",
        )
        if chunk.role in ITEM_ROLES
        else ()
    )
    return replace(chunk, items=items, metadata=_metadata(chunk, entity))


def _metadata(chunk: Chunk, entity: Entity) -> dict[str, Any]:
    """The seed's chunk metadata; IDs of the pack's own entities stand without the pack, as authors write them."""
    prefix = f"{chunk.pack_id}:"

    def values(kind: str) -> list[str]:
        return [link.value.removeprefix(prefix) for link in chunk.links if link.kind == kind]

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


def _role(section: Section, meta: FileMetadata) -> Role:
    title = role_of(section.title, meta.section_roles) if section.title else "lore"
    role = role_of(section.subtitle, meta.section_roles) if section.subtitle else "lore"
    if title == "withholds" and role in OPEN_ROLES:
        # What stands below a title that is a secret is one.
        return "withholds" if not section.subtitle else "secret"
    return "secret" if meta.gm_only and role in OPEN_ROLES else role


def _conditions(section: Section, meta: FileMetadata) -> tuple[When, ...]:
    title = section.subtitle.casefold() or section.title.casefold()
    return tuple(when for when in (meta.when, meta.section_when.get(title)) if when is not None)


def _said(file: _File, chunks: Iterable[Chunk]) -> dict[str, Said]:
    """What the file says of when each of its chunks stands in an answer; nothing of the author's own comments."""
    meta = file.meta
    if not meta.entry_rules and not meta.section_entry_rules:
        return {}
    path, lines, sections = file.source.path, file.source.key_lines, meta.section_entry_rules

    def of(chunk: Chunk) -> Said:
        title = (chunk.section or chunk.section_path).casefold()
        return Said(path, lines, meta.entry_rules, sections.get(title, NO_RULES))

    return {chunk.id: of(chunk) for chunk in chunks if chunk.source}


def _section_slug(section: Section, sections: tuple[Section, ...]) -> str:
    if section.subtitle:
        return slug(section.subtitle)
    if not section.title:
        return "preamble"
    first_title = next(other.title for other in sections if other.title)
    return "overview" if section.title == first_title else slug(section.title)


def _section_path(section: Section, entity: Entity) -> str:
    return " > ".join(part for part in (section.title or entity.name, section.subtitle) if part)


def _free(name: str, taken: set[str]) -> str:
    free = name
    number = 2
    while free in taken:
        free = f"{name}-{number}"
        number += 1
    taken.add(free)
    return free


def content_hash_of(root: Path, paths: Iterable[str] | None = None) -> str:
    """SHA-256 over path and bytes of the manifest and of every listed file, in path order: a text's name."""
    digest = hashlib.sha256()
    for path in source_paths(root, paths):
        data = (root / path).read_bytes()
        digest.update(f"{path}\0{len(data)}\0".encode("utf-8", "surrogateescape"))
        digest.update(data)
    return digest.hexdigest()


def source_paths(root: Path, paths: Iterable[str] | None = None) -> list[str]:
    """The files that a pack's text consists of: `pack.yaml`, then the markdown files by path."""
    manifest = root / MANIFEST_FILE
    own = [MANIFEST_FILE] if manifest.is_file() and _is_inside(manifest, root) else []
    return [*own, *(list_files(root, load_manifest(root)[0].exclude).paths if paths is None else paths)]
