"""One file's bytes -> what it says by itself: its frontmatter, its sections, what is hidden in it, and findings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from lorewright.ids import slug
from lorewright.packs.conditions import bad_condition
from lorewright.packs.content_hash import DEEP_NAMES, READING
from lorewright.packs.files import Finding, info, warning
from lorewright.packs.frontmatter import SourceFile, read_source
from lorewright.packs.linting import lint_text
from lorewright.packs.markdown.chunking import (
    Section,
    blocks_of,
    comments_in,
    cut_by_outline,
    outline_of,
    split_sections,
)
from lorewright.packs.markdown.exits import WrittenWays, is_exits_title, read_listed_ways
from lorewright.packs.markdown.hidden_spans import HiddenSpan, find_hidden_spans, ranges_of, without_plugin_code
from lorewright.packs.markdown.titles import OPEN, TitleRole, secrecy_of, title_role
from lorewright.packs.metadata import FileMetadata, read_metadata
from lorewright.packs.models import OPEN_ROLES, Manifest, Role

_A_WORD = re.compile(r"[^\W_]")
_INLINE_TAG = re.compile(r"(?<![^\s(,;])#([^\W\d][\w/-]*)")
_EMBED = re.compile(r"!\[\[([^\[\]|\n]{1,200})")
_MEDIA = re.compile(r"\.(?!md\b)\w{2,12}\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SectionRoles:
    """What the titles of one file mean. `given` are the roles that the file or the manifest says; `name` is the title
    that may be the note's own name, which hides nothing for a word in it."""

    given: Mapping[str, Role]
    of_person: bool = False
    name: str = ""

    def own(self, title: str) -> TitleRole:
        """Return the role of a title by itself."""
        if not title:
            return OPEN
        found = title_role(title, self.given, of_person=self.of_person)
        return OPEN if found.certainty == "looks" and title == self.name else found

    def below(self, titles: Sequence[str], title: str) -> TitleRole:
        """Return the role of a section below other titles, outermost first: its own, or that of a title above it which
        is not open."""
        *over, own = (self.own(each) for each in (*titles, title))
        closed = [found for found in over if found.role not in OPEN_ROLES]
        hiding = [found for found in (*closed, own) if found.hides]
        if hiding:
            return min(hiding, key=lambda found: found.role != "secret")
        return closed[-1] if closed and own.role in OPEN_ROLES else own

    def is_cut(self, titles: Sequence[str], title: str) -> bool:
        """Tell whether a heading begins a section by what it says: it has a role, and is no less open than all above
        it, unless it hides what these do not."""
        own = self.own(title)
        closed = [found for found in map(self.own, titles) if found.role not in OPEN_ROLES]
        return own.role != "lore" and (not closed or (own.hides and not any(found.hides for found in closed)))


NO_ROLES = SectionRoles({})


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file that was read by itself, without the others: `source.findings` are all its findings, and `source.skip`
    says that it cannot be used. `spans` are in no section, and `reading` is the version of the rules."""

    source: SourceFile
    meta: FileMetadata
    sections: tuple[Section, ...]
    spans: tuple[HiddenSpan, ...]
    roles: SectionRoles
    reading: int

    @property
    def heading(self) -> str:
        """The H1 of the file, or the first heading that says the file's name; "" where neither has words."""
        title = next((section.title for section in self.sections if section.title), "")
        if self.reading == 1:
            return title
        stem = slug(PurePosixPath(self.source.path).stem)
        named = title or next((s.subtitle for s in self.sections if s.subtitle and slug(s.subtitle) == stem), "")
        return named if _A_WORD.search(named) else ""

    def is_wanted(self, manifest: Manifest) -> bool:
        """Tell whether a note is content by its tags (`include: ["#lorebook"]`); `#a` covers `#a/b`."""
        included, excluded = (
            [glob[1:].casefold() for glob in globs if glob.startswith("#")]
            for globs in (manifest.include, manifest.exclude)
        )
        if not included and not excluded:
            return True
        tags = {tag.casefold() for tag in (*self.meta.tags, *_INLINE_TAG.findall(self.source.body))}
        over = tags | {"/".join(tag.split("/")[:count]) for tag in tags for count in range(1, tag.count("/") + 1)}
        return not over.intersection(excluded) and (not included or bool(over.intersection(included)))

    @property
    def ways(self) -> WrittenWays:
        """The ways out of its place: those of the frontmatter, else those that an open section `Exits` lists."""
        meta, source = self.meta, self.source
        line = source.key_lines.get("exits", 1)
        if "exits" in source.metadata or meta.type != "location" or meta.gm_only:
            return WrittenWays(meta.ways, line)
        for section in self.sections:
            if is_exits_title(section.subtitle) and section.subtitle.casefold() not in meta.section_roles:
                below = source.body_line + section.line + section.heading.count("\n")
                return read_listed_ways(section.text, below)
        return WrittenWays(meta.ways, line)

    @property
    def titles(self) -> frozenset[str]:
        """The titles of its sections and secrets, in lower case."""
        sections = {section.subtitle or section.title for section in self.sections}
        return frozenset(title.casefold() for title in (*sections, *(span.title for span in self.spans)))


def read_file(
    path: str,
    data: bytes,
    types: Mapping[str, str],
    *,
    reading: int = READING,
    open_titles: frozenset[str] = frozenset(),
) -> ReadFile:
    """Return one file, read by a version of the rules; `types` are the manifest's. Never raises.

    Sections and secrets with one of the `open_titles`, in lower case, are open.
    """
    source = read_source(path, data)
    meta = read_metadata(source, types, reading=reading)
    meta.section_roles = {**dict.fromkeys(open_titles, "lore"), **meta.section_roles}
    if reading > 1:
        meta.title = without_plugin_code(meta.title)
        meta.aliases = tuple(filter(None, map(without_plugin_code, meta.aliases)))
    skip = source.skip or meta.skip
    tokens = [] if skip else blocks_of(source.body)
    roles = NO_ROLES
    if skip or reading == 1:
        sections = () if skip else tuple(split_sections(source.body, tokens))
        spans = tuple(HiddenSpan(*span, "comment") for span in comments_in(source.body))
    else:
        spans = tuple(find_hidden_spans(source.body, tokens, is_open=open_titles))
        outline = outline_of(source.body, tokens, ranges_of(spans), without_plugin_code, level=meta.cut)
        name = outline.name(PurePosixPath(path).stem, deep=reading >= DEEP_NAMES)
        roles = SectionRoles(meta.section_roles, meta.type == "npc", name)
        is_cut = roles.is_cut if meta.cut is None else _is_never_cut
        sections = tuple(cut_by_outline(source.body, outline, is_cut))
    said = () if source.skip else (*meta.findings, *_structure(source, sections), *_untitled(source, meta, sections))
    linted = () if skip else lint_text(path, source.body, source.body_line, tokens, sections)
    read = ReadFile(source, meta, sections, spans, roles, reading)
    told = () if skip or reading == 1 else (*_told_secrets(read), *_told_embeds(read))
    return replace(read, source=replace(source, findings=(*source.findings, *said, *linted, *told), skip=skip))


def _is_never_cut(above: Sequence[str], title: str) -> bool:
    return False


def _told_secrets(read: ReadFile) -> Iterator[Finding]:
    """Yield a finding for each section, callout, label and comment that players are not shown."""
    path, first = read.source.path, read.source.body_line
    name = read.roles.name
    if name and secrecy_of(name) == "looks" and not read.meta.gm_only:
        message = f"“{name[:60]}” is open, as a name alone hides no note"
        yield info(path, "secret-name", message, line=first, hint="if the note is a secret, add visibility: gm")
    for section in read.sections:
        title = section.subtitle or section.title
        found = read.roles.own(title)
        # The specification's own word for it needs no remark.
        if found.hides and title.casefold() != "withholds":
            yield _secret(path, first + section.line, title, found.certainty)
    for span, line in zip(read.spans, lines_at(read, [span.start for span in read.spans]), strict=True):
        if span.kind == "secret":
            yield _secret(path, line, span.title, span.mark.certainty)
        elif span.kind == "comment" and not span.closed:
            hint = "close it where the comment ends"
            yield warning(path, "unclosed-comment", "this comment hides everything below it", line=line, hint=hint)
        elif span.kind == "comment":
            yield info(path, "secret-comment", "a comment is for the game master alone", line=line)


def lines_at(read: ReadFile, offsets: Iterable[int]) -> Iterator[int]:
    """Yield the file's line of each offset in its body; the offsets are in order."""
    line, done = read.source.body_line, 0
    for offset in offsets:
        line += read.source.body.count("\n", done, offset)
        done = offset
        yield line


def _told_embeds(read: ReadFile) -> Iterator[Finding]:
    """Yield a finding for each note that is shown within this one: its text is found in its own place alone."""
    embeds = [found for found in _EMBED.finditer(read.source.body) if not _MEDIA.search(found[1])]
    for found, line in zip(embeds, lines_at(read, [found.start() for found in embeds]), strict=True):
        message = f"the text of {found[1].strip()[:60]} is not repeated here; the two are linked"
        yield info(read.source.path, "embedded-note", message, line=line)


def _secret(path: str, line: int, title: str, certainty: str) -> Finding:
    shown = title if len(title) <= 60 else f"{title[:57]}…"
    if certainty == "plain":
        return info(path, "secret-section", f"“{shown}” is taken for a secret", line=line)
    hint = f"if it is none, add to pack.yaml: open_sections: [{{file: {path}, title: {shown}}}]"
    return warning(path, "looks-secret", f"“{shown}” looks like a secret and is hidden", line=line, hint=hint)


def _structure(source: SourceFile, sections: tuple[Section, ...]) -> tuple[Finding, ...]:
    if not source.body.strip():
        code = "empty-body" if source.has_frontmatter else "empty-file"
        return (warning(source.path, code, "there is no text", line=source.body_line),)
    if not any(section.title or section.subtitle for section in sections):
        return (warning(source.path, "no-heading", "no heading: the whole file is one chunk", line=source.body_line),)
    return ()


def _untitled(source: SourceFile, meta: FileMetadata, sections: tuple[Section, ...]) -> tuple[Finding, ...]:
    """Return a finding for each condition or rule of a section that the file does not have, which would have no
    effect."""
    titles = {section.subtitle.casefold() or section.title.casefold() for section in sections}
    line = source.key_lines.get("section_when", 1)
    missing = [title for title in meta.section_when if title not in titles and not meta.skip]
    return (
        *(bad_condition(source.path, f"section_when: no section is titled {title}", line=line) for title in missing),
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
