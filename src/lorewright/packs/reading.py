"""The path and bytes of one file -> what it says by itself, before anything is known of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lorewright.packs.chunking import Section, split_sections
from lorewright.packs.conditions import bad_condition
from lorewright.packs.findings import Finding, warning
from lorewright.packs.frontmatter import SourceFile, read_source
from lorewright.packs.linting import lint_text
from lorewright.packs.metadata import FileMetadata, read_metadata
from lorewright.packs.plain import blocks_of


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file that was read: `source.findings` are all of it, and `source.skip` says whether it can be used at all."""

    source: SourceFile
    meta: FileMetadata
    sections: tuple[Section, ...]


def read_file(path: str, data: bytes, types: Mapping[str, str]) -> ReadFile:
    """Read one file; `types` are the manifest's. Never raises."""
    source = read_source(path, data)
    meta = read_metadata(source, types)
    skip = source.skip or meta.skip
    tokens = [] if skip else blocks_of(source.body)
    sections = () if skip else tuple(split_sections(source.body, tokens))
    said = () if source.skip else (*meta.findings, *_structure(source, sections), *_untitled(source, meta, sections))
    linted = () if skip else lint_text(path, source.body, source.body_line, tokens, sections)
    return ReadFile(replace(source, findings=(*source.findings, *said, *linted), skip=skip), meta, sections)


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
