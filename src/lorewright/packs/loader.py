"""A pack's folder -> Pack: manifest, entities, chunks, items, links, findings. Reads files; writes nothing."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from lorewright.errors import PackError
from lorewright.ids import qualify, slug
from lorewright.packs.content_hash import READING, TextHash
from lorewright.packs.cutting import (
    ChunkDraft,
    CutFile,
    Readers,
    cut_file,
    drafts_for_players,
    place_chunk,
    player_heading,
    player_name,
)
from lorewright.packs.entry_rules import KEY_RULES, NO_RULES, WrittenRules
from lorewright.packs.files import (
    Finding,
    NoMemory,
    ParseCache,
    Progress,
    error,
    info,
    list_files,
    no_progress,
    warning,
)
from lorewright.packs.images import lint_images
from lorewright.packs.linting import lint_entity_names, lint_ids, lint_paths
from lorewright.packs.manifest import MANIFEST_FILE, load_manifest
from lorewright.packs.markdown.exits import connect_exits
from lorewright.packs.models import OPEN_ROLES, Chunk, EntryRules, Link, Manifest, Pack, PackEntity
from lorewright.packs.read_file import ReadFile, read_file
from lorewright.packs.references import Links, LinkTable

_SHARED = 3  # As many files with one heading have it of a template.
_PARENTHESIS = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")

# Entry rules: references are resolved to IDs; unknown references and rules that can never hold become findings.


@dataclass(frozen=True, slots=True)
class WrittenEntryRules:
    """The entry rules that a file gives for one of its chunks: for the whole `file`, and for the chunk's `section`.
    `lines` has the line of each key."""

    path: str
    lines: Mapping[str, int]
    file: WrittenRules = NO_RULES
    section: WrittenRules = NO_RULES

    def key_of(self, rule: str) -> str:
        """Return the key under which a rule is written; the section's goes before the file's."""
        return f"{(self.section if rule in self.section.values else self.file).key}.{rule}"

    def line_of(self, rule: str) -> int:
        """Return the line on which a rule is written, from 1."""
        return self.lines.get(self.key_of(rule), 1)


def with_entry_rules(
    pack_id: str,
    chunks: Sequence[Chunk],
    said: Mapping[str, WrittenEntryRules],
    links: LinkTable,
    findings: list[Finding],
) -> tuple[Chunk, ...]:
    """Return the chunks of a pack with their rules, in the same order; `said` holds the written rules by chunk ID."""
    if not said:
        return tuple(chunks)
    sections = {chunk.id.partition("~")[0] for chunk in chunks}
    linker = _Linker(pack_id, sections, links)
    ruled = [
        chunk if (words := said.get(chunk.id)) is None else replace(chunk, rules=linker.rules(chunk, words, findings))
        for chunk in chunks
    ]
    findings += _lonely(ruled, said)
    findings += _contradictions({chunk.id: chunk for chunk in ruled if chunk.rules is not None}, said)
    return tuple(ruled)


class _Linker:
    """A resolver of references to entries."""

    def __init__(self, pack_id: str, sections: set[str], links: LinkTable) -> None:
        self._pack_id = pack_id
        self._sections = sections
        self._links = links

    def rules(self, chunk: Chunk, said: WrittenEntryRules, findings: list[Finding]) -> EntryRules | None:
        """Return all rules that apply to a chunk, or None if there are none."""
        values = {**said.file.values, **said.section.values}
        section_id = chunk.id.partition("~")[0]
        own = {name: section_id if name in said.section.values else chunk.entity_id for name in values}
        probability = values.get("probability", 1.0)
        rules = EntryRules(
            always=values.get("always", False),
            priority=values.get("priority", 0),
            sticky=values.get("sticky", 0),
            cooldown=values.get("cooldown", 0),
            requires=self._meant("requires", values.get("requires", ()), own, said, findings),
            excludes=self._meant("excludes", values.get("excludes", ()), own, said, findings),
            groups=values.get("group", ()),
            probability=probability,
            group_of=own["group"] if values.get("group") else "",
            thrown_for=own["probability"] if probability < 1 else "",
            **{rule.replace(" ", "_"): values.get(rule, ()) for rule in KEY_RULES},
        )
        return None if rules == EntryRules() else rules

    def _meant(
        self,
        rule: str,
        references: Iterable[str],
        own: Mapping[str, str],
        said: WrittenEntryRules,
        findings: list[Finding],
    ) -> tuple[str, ...]:
        found: list[str] = []
        for reference in references:
            entry_id, is_known = self._find(reference)
            if not is_known:
                findings.append(_dangling(said, rule, reference))
            if entry_id == own[rule]:
                message = f"{rule}: the entry names itself; that is left out"
                findings.append(_wrong(said, rule, message, "name another entry"))
            else:
                found.append(entry_id)
        return tuple(dict.fromkeys(found))

    def _find(self, reference: str) -> tuple[str, bool]:
        """Return the ID of the entity or section that a reference means, and whether it exists; a reference into
        another pack counts as existing, because that pack may be installed later."""
        entity = self._links.find(reference)
        if entity is not None:
            return entity.id, True
        pack_id, _, rest = reference.partition(":")
        if rest.count(":") == 1 and pack_id != self._pack_id:
            return reference, True
        entry, _, section = reference.rpartition(":")
        owner = self._links.find(entry) if entry and section else None
        if owner is not None:
            section_id = f"{owner.id}:{slug(section)}"
            return section_id, section_id in self._sections
        return qualify(self._pack_id, reference), bool(rest) and pack_id != self._pack_id


def _lonely(chunks: Iterable[Chunk], said: Mapping[str, WrittenEntryRules]) -> Iterator[Finding]:
    """Yield a finding for each group with a single member, which is most often a misspelt name."""
    members = [(group, chunk) for chunk in chunks if chunk.rules for group in chunk.rules.groups]
    owners = {(group, chunk.rules.group_of) for group, chunk in members if chunk.rules}
    counts = Counter(group for group, _ in owners)
    for group, chunk in members:
        if counts[group] == 1:
            words = said[chunk.id]
            message = f"nothing else in the pack is in the group {group}"
            yield info(words.path, "lonely-group", message, line=words.line_of("group"), hint="check its name")


def _contradictions(chunks: Mapping[str, Chunk], said: Mapping[str, WrittenEntryRules]) -> Iterator[Finding]:
    """Yield a finding for each entry that can never be in an answer."""
    groups: dict[str, set[tuple[str, str]]] = {}
    for chunk in chunks.values():
        assert chunk.rules is not None
        section_id = chunk.id.partition("~")[0]
        for entry_id in (chunk.entity_id, section_id):
            groups.setdefault(entry_id, set()).update((group, chunk.rules.group_of) for group in chunk.rules.groups)
    excluding = {
        (owner, exclude)
        for chunk in chunks.values()
        if chunk.rules
        for exclude in chunk.rules.excludes
        for owner in (chunk.entity_id, chunk.id.partition("~")[0])
    }
    for chunk_id, chunk in chunks.items():
        rules, words = chunk.rules, said[chunk_id]
        assert rules is not None
        if rules.probability == 0:
            yield _never(words, "probability", "with probability 0 it is never there")
        for require in rules.requires:
            if require in rules.excludes:
                yield _never(words, "requires", f"it requires {require}, which it excludes")
            elif excluding & {(require, chunk.entity_id), (require, chunk.id.partition("~")[0])}:
                yield _never(words, "requires", f"it requires {require}, which excludes it")
            elif any(group in rules.groups and of != rules.group_of for group, of in groups.get(require, ())):
                yield _never(words, "requires", f"it requires {require}, which is in the same group")


def _dangling(said: WrittenEntryRules, rule: str, reference: str) -> Finding:
    shown = reference if len(reference) <= 60 else reference[:57] + "…"
    message = f"{rule}: nothing in the pack is named {shown}"
    hint = "fix the name, or write pack:entity for another pack's"
    return warning(said.path, "dangling-reference", message, line=said.line_of(rule), hint=hint)


def _wrong(said: WrittenEntryRules, rule: str, message: str, hint: str) -> Finding:
    return warning(said.path, "bad-entry-rule", message, line=said.line_of(rule), hint=hint)


def _never(said: WrittenEntryRules, rule: str, message: str) -> Finding:
    hint = "take one of the two out; visibility: gm keeps a file from players"
    return warning(said.path, "entry-never-there", message, line=said.line_of(rule), hint=hint)


def load_pack(
    folder: Path, *, progress: Progress = no_progress, memory: ParseCache | None = None, reading: int = READING
) -> Pack:
    """Return the pack in a folder, whatever its files contain; problems are in `findings`, sorted.

    `progress` is called after each file. With a `memory`, only what has changed since it was last passed in is parsed
    and linked anew; the result is the same. `reading` is the version of the rules to read by.

    Raises:
        PackError: there is no such folder, or it holds no markdown at all.
    """
    root = Path(folder)
    if not root.is_dir():
        raise PackError(f"{folder} is not a folder", hint="name the folder that holds the pack's markdown files")
    memory = memory or NoMemory()
    with memory.round():
        return _load(root, progress, memory, reading)


def _load(root: Path, progress: Progress, memory: ParseCache, reading: int) -> Pack:
    manifest, findings = load_manifest(root)
    listing = list_files(root, manifest.exclude, include=manifest.include, reading=reading)
    if not listing.paths:
        raise PackError(f"{root} holds no markdown files", hint="a pack is a folder of .md files")
    digest = TextHash(root, reading)
    files = []
    for done, path in enumerate(listing.paths, start=1):
        files.append(_file(path, digest.read(path), manifest, memory, reading))
        progress("reading", done, len(listing.paths))
    files = [file for file in files if file.path not in listing.copies]
    findings += [*listing.findings, *(finding for file in files for finding in file.read.source.findings)]
    usable = [file for file in files if not file.read.source.skip and file.read.is_wanted(manifest)]
    usable = _without_duplicates(usable if reading == 1 else _with_free_ids(usable), findings)
    findings += _lint_vault(manifest, usable)
    findings += lint_paths(listing.paths)
    findings += lint_images(root, {file.path: (file.read.meta.attrs, file.line_of("image")) for file in usable})
    findings += lint_ids((file.entity_id, file.path, file.line_of("id")) for file in usable)
    headings = Counter(file.read.heading for file in usable)
    entities = tuple(_entity(manifest.id, file, headings) for file in usable)
    findings += lint_entity_names(entities)
    links = _link_table(manifest.id, entities, memory)
    max_tokens = manifest.chunk_tokens
    cuts = [_cut(file, entity, memory, max_tokens) for file, entity in zip(usable, entities, strict=True)]
    readers = _readers(manifest.id, entities, cuts, memory)
    entities = connect_exits(entities, [file.read.ways for file in usable], links.find, links.remark, findings)
    chunks: list[Chunk] = []
    said: dict[str, WrittenEntryRules] = {}
    for file, entity, cut in zip(usable, entities, cuts, strict=True):
        key = (file.key, entity.id, entity.name, max_tokens)
        of_file = _chunks(file, entity, cut, key, links, readers, findings, memory, first=len(chunks))
        said |= _said(file.read, cut, of_file)
        chunks += of_file
    if manifest.derived and not (root / MANIFEST_FILE).exists():
        message = f"no pack.yaml: the pack is read as {manifest.id}"
        findings.append(warning(MANIFEST_FILE, "missing-manifest", message, hint="add a pack.yaml"))
    return Pack(
        manifest=manifest,
        root=str(root.resolve()),
        content_hash=digest.hex,
        entities=tuple(_told(file, entity, readers) for file, entity in zip(usable, entities, strict=True)),
        chunks=with_entry_rules(manifest.id, chunks, said, links, findings),
        findings=tuple(sorted(set(findings))),
        reading=reading,
    )


@dataclass(frozen=True, slots=True)
class _File:
    """A file that was read, with its ID within the pack; `key` is all that `read` is made of."""

    read: ReadFile
    key: Hashable
    entity_id: str

    @property
    def path(self) -> str:
        return self.read.source.path

    @property
    def is_unnamed(self) -> bool:
        """True if the author gave no ID, or one that cannot be used."""
        return bool(self.read.meta.derived_id)

    def line_of(self, key: str) -> int:
        return self.read.source.key_lines.get(key, 1)


def _file(path: str, data: bytes, manifest: Manifest, memory: ParseCache, reading: int) -> _File:
    opened = frozenset(section.title.casefold() for section in manifest.open_sections if section.file == path)
    key = ("read", path, hashlib.sha256(data).digest(), tuple(manifest.types.items()), opened, reading)
    read = memory.get(key, lambda: read_file(path, data, manifest.types, reading=reading, open_titles=opened))
    return _File(read, key, read.meta.entity_id)


def _with_free_ids(files: list[_File]) -> list[_File]:
    """Return the files with an ID each: where several would get the same from their names, the one nearest to the top
    keeps it, and the others get the folder's name to it, or a hash of the path."""
    given = {file.entity_id for file in files if not file.is_unnamed}
    taken: dict[str, str] = {}
    for file in sorted((file for file in files if file.is_unnamed), key=lambda file: (file.path.count("/"), file.path)):
        folder = PurePosixPath(file.path).parent.name
        digest = hashlib.sha256(file.path.encode("utf-8", "surrogateescape")).hexdigest()
        longer = slug(f"{file.entity_id}-{folder}") if folder else file.entity_id
        ids = (file.entity_id, longer, *(f"{file.entity_id[:60]}-{digest[:count]}" for count in range(6, 65)))
        free = next(own for own in ids if own not in given and own not in taken)
        taken[free] = file.path
    free_of = {path: own for own, path in taken.items()}
    return [replace(file, entity_id=free_of.get(file.path, file.entity_id)) for file in files]


def _lint_vault(manifest: Manifest, files: Sequence[_File]) -> Iterator[Finding]:
    """Yield what is to be said of all files together: code of plugins, and sections to open that are not there."""
    pieces = [(file, count) for file in files if (count := sum(span.kind == "plugin" for span in file.read.spans))]
    if pieces:
        total, notes = sum(count for _, count in pieces), len(pieces)
        message = f"left out: {total:,} pieces of plugin code in {notes:,} {'note' if notes == 1 else 'notes'}"
        yield info(pieces[0][0].path, "plugin-code", message)
    known = {file.path: file.read for file in files}
    for section in manifest.open_sections:
        read = known.get(section.file)
        if read is None or section.title.casefold() not in read.titles:
            message = f"open_sections: {section.file} has no section {section.title}"
            yield warning(MANIFEST_FILE, "unknown-section", message, hint="write file and title as validate shows them")


def _without_duplicates(files: list[_File], findings: list[Finding]) -> list[_File]:
    """Return the files with unique IDs: the first file with an ID, in path order, keeps it. An ID that was corrected
    gives way to the one derived from the path."""
    first: dict[str, str] = {}
    kept: list[_File] = []
    for file in files:
        if file.entity_id in first and file.read.meta.derived_id:
            file = replace(file, entity_id=file.read.meta.derived_id)
        if file.entity_id in first:
            message = f"the ID {file.entity_id} is taken by {first[file.entity_id]}"
            hint = "give one of them another ID"
            findings.append(error(file.path, "duplicate-id", message, line=file.line_of("id"), hint=hint))
            continue
        first[file.entity_id] = file.path
        kept.append(file)
    return kept


def _entity(pack_id: str, file: _File, headings: Mapping[str, int]) -> PackEntity:
    """Return the subject of a file. A heading that several files have of a template is no name."""
    meta, written = file.read.meta, Path(file.path).stem
    stem = written.replace("_", " ").replace("-", " ").strip() or file.entity_id
    is_an_id = written.isascii() and written == written.lower() and " " not in written
    derived: dict[str, str] = {}
    if file.read.reading == 1:
        name = file.read.heading or meta.title or stem
        own = tuple(alias for alias in (*meta.aliases, meta.title) if alias and alias != file.read.heading)
    else:
        is_shared = headings[file.read.heading] >= _SHARED and slug(file.read.heading) != slug(written)
        heading = "" if is_shared else file.read.heading
        title = "" if meta.title.casefold() == heading.casefold() else meta.title
        name = title or heading or (stem if " " not in written else written)
        own = tuple(dict.fromkeys(alias for alias in (*meta.aliases, meta.title, heading) if alias and alias != name))
        said = {slug(known, fallback=known) for known in (name, *own)}
        bare = (_PARENTHESIS.sub("", known).strip() for known in (name, written))
        # A name in another spelling (`neon-dragon`) is found as the name is.
        spelled = ((slug(alias, fallback=alias), alias) for alias in (*bare, written) if alias)
        derived = {key: alias for key, alias in spelled if key not in said}
        # Of an ID that is given, or whose words are the name's (`viktor` of Viktor Kane), these say all.
        is_given = not file.is_unnamed and slug(file.entity_id) == slug(written)
        is_said = any(set(slug(written).split("-")) <= set(known.split("-")) for known in said)
        if is_an_id and (is_given or is_said):
            derived.pop(slug(written, fallback=written), None)
    return PackEntity(
        id=qualify(pack_id, file.entity_id),
        type=meta.type,
        name=name,
        file_path=file.path,
        aliases=(*own, *derived.values()),
        tags=meta.tags,
        attrs=meta.attrs,
        overrides=meta.overrides,
        file_alias=written if is_an_id and written in derived.values() else "",
    )


def _link_table(pack_id: str, entities: Sequence[PackEntity], memory: ParseCache) -> LinkTable:
    """Return the link table; the cached one as long as all IDs, names and aliases are unchanged."""
    names = tuple((entity.id, entity.type, entity.name, entity.file_path, entity.aliases) for entity in entities)
    return memory.get(("links", pack_id, names), lambda: LinkTable(pack_id, entities))


def _cut(file: _File, entity: PackEntity, memory: ParseCache, max_tokens: int) -> CutFile:
    return memory.get(
        ("cut", file.key, entity.id, entity.name, max_tokens),
        lambda: cut_file(file.read, entity, max_tokens=max_tokens),
    )


def _readers(pack_id: str, entities: Sequence[PackEntity], cuts: Sequence[CutFile], memory: ParseCache) -> Readers:
    """Return the readers of a pack's links; the cached ones as long as all names and the set of hidden entities are
    unchanged."""
    hidden = frozenset(
        entity.id
        for entity, cut in zip(entities, cuts, strict=True)
        if not any(draft.chunk.role in OPEN_ROLES for draft in cut.drafts)
    )
    names = tuple((entity.id, entity.type, entity.name, entity.file_path, entity.aliases) for entity in entities)

    def make() -> Readers:
        before = Links(pack_id, entities, hidden=hidden, closed=True)
        return Readers(before, Links(pack_id, entities, hidden=(), closed=True))

    return memory.get(("readers", pack_id, names, hidden), make)


def _told(file: _File, entity: PackEntity, readers: Readers) -> PackEntity:
    """Return an entity with the name that readers other than the game master may see."""
    title = next((section for section in file.read.sections if section.title), None)
    name = (
        player_heading(title, readers.before, file.path)
        if title and title.title == entity.name
        else player_name(entity.name, readers.before, file.path)
    )
    return entity if name == entity.name else replace(entity, name=name)


def _chunks(
    file: _File,
    entity: PackEntity,
    cut: CutFile,
    key: Hashable,
    links: LinkTable,
    readers: Readers,
    findings: list[Finding],
    memory: ParseCache,
    *,
    first: int,
) -> Sequence[Chunk]:
    """Return the chunks of a file, numbered from the position `first`. As long as the file and the names of the pack
    are unchanged they are equal to the cached ones; if `first` is unchanged too, they are the same objects."""
    tied, found = memory.get(("tied", key, links), lambda: _tied(file, entity, links, cut))
    findings += [*cut.findings, *found]
    told = memory.get(("told", key, readers), lambda: drafts_for_players(file.read, entity, cut, readers))
    return memory.get(("placed", key, tied, readers, first), lambda: _placed(told, entity, tied, first))


def _tied(
    file: _File, entity: PackEntity, links: LinkTable, cut: CutFile
) -> tuple[tuple[tuple[Link, ...], ...], tuple[Finding, ...]]:
    """Return the links of each chunk of a file, in its order, and the findings about them."""
    findings: list[Finding] = []
    source = file.read.source
    inherited = links.of_file(entity, file.read.meta, source.key_lines, findings)

    def line_of(target: str) -> int:
        at = source.body.find(f"[[{target}")
        return 1 if at < 0 else source.body_line + source.body.count("\n", 0, at)

    tied = [links.of_text(file.path, inherited, draft.references, line_of, findings) for draft in cut.drafts]
    return tuple(tied), tuple(findings)


def _placed(
    drafts: Sequence[ChunkDraft], entity: PackEntity, tied: Sequence[tuple[Link, ...]], first: int
) -> tuple[Chunk, ...]:
    return tuple(
        place_chunk(draft, entity, links, position=position)
        for position, (draft, links) in enumerate(zip(drafts, tied, strict=True), start=first)
    )


def _said(file: ReadFile, cut: CutFile, chunks: Iterable[Chunk]) -> dict[str, WrittenEntryRules]:
    """Return chunk ID -> the entry rules that the file gives for it; the chunk of the author's comments has none."""
    meta = file.meta
    if not meta.entry_rules and not meta.section_entry_rules:
        return {}
    path, lines, sections = file.source.path, file.source.key_lines, meta.section_entry_rules

    def of(chunk: Chunk) -> WrittenEntryRules:
        title = (chunk.section or chunk.section_path).casefold()
        return WrittenEntryRules(path, lines, meta.entry_rules, sections.get(title, NO_RULES))

    # Authors name a section by its title as they wrote it.
    written = (draft.chunk for draft in cut.drafts)
    return {chunk.id: of(own) for chunk, own in zip(chunks, written, strict=True) if chunk.source}
