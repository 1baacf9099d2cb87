"""A file's text, a pack's paths and IDs, a manifest among others -> findings. Pure: reads no file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from markdown_it.token import Token

from lorewright.ids import slug
from lorewright.packs.files import (
    LARGE_CHUNK_TOKENS,
    LARGE_FILE_BYTES,
    MAX_NAME_BYTES,
    MAX_PATH_DEPTH,
    MAX_SECTIONS,
    Finding,
    error,
    info,
    warning,
)
from lorewright.packs.manifest import MANIFEST_FILE
from lorewright.packs.markdown.chunking import Section, lines_of
from lorewright.packs.models import Manifest, PackEntity
from lorewright.tokens import count_tokens

# Names that Windows keeps for devices, whatever their ending.
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])", re.IGNORECASE)
_SUSPICIOUS = re.compile(r"\\|%2e|%2f|%5c|(^|/)\.\.", re.IGNORECASE)
# The types of which a name means one, and how many of a pack may share theirs before that is how the pack is made.
_NAMED_ONCE = ("npc", "location")
_MOST_DOUBLED = 8
_SECOND_FRONTMATTER = re.compile(r"^---[ \t]*\n(?:[\w-]+[ \t]*:.*\n)+---[ \t]*$", re.MULTILINE)
_HIDDEN_HEADING = re.compile(r"^\s*#{1,6}\s|<h[1-6][\s>]|<script", re.MULTILINE | re.IGNORECASE)


def lint_text(
    path: str, body: str, body_line: int, tokens: Sequence[Token], sections: Sequence[Section]
) -> Iterator[Finding]:
    """Yield findings about a file's text: lines that are no headings, unclosed fences, very large parts."""
    yield from _lint_tokens(path, body, body_line, tokens)
    titled = [bool(section.title) for section in sections]
    if any(titled) and any(s.subtitle and not s.title for s in sections):
        yield warning(
            path, "h2-before-h1", "a section stands above the title", line=body_line, hint="move the H1 to the top"
        )
    second = _SECOND_FRONTMATTER.search(body)
    if second:
        line = body_line + body.count("\n", 0, second.start())
        yield warning(path, "second-frontmatter", "a second frontmatter is text", line=line, hint="split the file")
    if len(body.encode("utf-8", "replace")) > LARGE_FILE_BYTES:
        yield warning(path, "large-file", "the file is over a megabyte", hint="split it")
    if len(sections) > MAX_SECTIONS:
        yield warning(path, "too-many-sections", f"{len(sections)} sections in one file", hint="split the file")
    for section in sections:
        if count_tokens(section.text) > LARGE_CHUNK_TOKENS:
            line = body_line + section.line
            yield warning(path, "large-chunk", "this section is very long", line=line, hint="add headings to it")


def _lint_tokens(path: str, body: str, body_line: int, tokens: Sequence[Token]) -> Iterator[Finding]:
    lines = lines_of(body)
    for index, token in enumerate(tokens):
        if token.map is None:
            continue
        line = body_line + token.map[0]
        if token.type == "heading_open" and not tokens[index + 1].content.strip():
            yield warning(path, "empty-heading", "a heading without words", line=line, hint="name it or remove it")
        elif token.type == "fence" and not token.level and not _is_closed(token, lines):
            yield warning(
                path, "unclosed-fence", "this fence is never closed", line=line, hint=f"end it with {token.markup}"
            )
        elif token.type == "html_block" and _HIDDEN_HEADING.search(token.content):
            yield warning(
                path, "html-block", "headings inside HTML are no sections", line=line, hint="take the HTML away"
            )


def _is_closed(token: Token, lines: Sequence[str]) -> bool:
    assert token.map is not None
    last = lines[token.map[1] - 1].strip(" \t\n>") if token.map[1] <= len(lines) else ""
    return token.map[1] - token.map[0] > 1 and last.startswith(token.markup) and not last.strip(token.markup[0])


def lint_paths(paths: Iterable[str]) -> Iterator[Finding]:
    """Yield findings for paths that other systems do not accept, or that look like a way out of the folder."""
    folded: dict[str, str] = {}
    for path in paths:
        *folders, name = path.split("/")
        if _SUSPICIOUS.search(path):
            yield warning(path, "suspicious-path", "the path looks like a way out of a folder", hint="rename it")
        if any(_RESERVED.fullmatch(part.partition(".")[0]) for part in (*folders, name)):
            yield warning(path, "reserved-name", "Windows does not allow this name", hint="rename it")
        if len(folders) > MAX_PATH_DEPTH:
            yield warning(path, "path-too-deep", f"{len(folders)} folders deep", hint="flatten the folders")
        if len(name.encode("utf-8", "surrogateescape")) > MAX_NAME_BYTES:
            yield warning(path, "path-too-long", "the file name is very long", hint="shorten it")
        other = folded.setdefault(path.casefold(), path)
        if other != path:
            yield warning(path, "path-case-collision", f"differs from {other} only by case", hint="rename one of them")


def lint_ids(ids: Iterable[tuple[str, str, int]]) -> Iterator[Finding]:
    """Yield findings for IDs that people will confuse; `ids` holds (ID, path, line) of each entity."""
    folded: dict[str, str] = {}
    for entity_id, path, line in ids:
        scripts = {_script(character) for character in entity_id if character.isalpha()}
        if len(scripts) > 1:
            mixed = ", ".join(sorted(scripts))
            yield warning(path, "confusable-id", f"the ID mixes scripts ({mixed})", line=line, hint="use one script")
        other = folded.setdefault(entity_id.casefold(), entity_id)
        if other != entity_id:
            yield warning(path, "duplicate-id", f"the ID differs from {other} only by case", line=line)


def lint_entity_names(entities: Iterable[PackEntity]) -> Iterator[Finding]:
    """Yield a finding for each person and place whose name another of their type has, at the second file. In a pack
    with more than a few of them (a book that tells most of its monsters twice) one finding says how many they are."""
    first: dict[tuple[str, str], PackEntity] = {}
    doubled: list[tuple[PackEntity, PackEntity]] = []
    for entity in entities:
        if entity.type in _NAMED_ONCE:
            other = first.setdefault((entity.type, slug(entity.name, fallback=entity.name)), entity)
            doubled += [(entity, other)] if other is not entity else []
    hint = "write one file, or give one of them another name; a link or a sentence that says the name means neither"
    if len(doubled) > _MOST_DOUBLED:
        entity, other = doubled[0]
        message = f"{len(doubled)} people and places have another's name, as {entity.name} has in {other.file_path}"
        yield info(entity.file_path, "duplicate-name", message, hint=hint)
        return
    for entity, other in doubled:
        message = f"{entity.name} is the name of {other.file_path}, too"
        yield info(entity.file_path, "duplicate-name", message, hint=hint)


def _script(character: str) -> str:
    """Return the first word of the character's Unicode name: `LATIN`, `CYRILLIC`, …."""
    return unicodedata.name(character, "UNKNOWN").partition(" ")[0]


def lint_dependencies(manifest: Manifest, known: Mapping[str, Manifest]) -> Iterator[Finding]:
    """Yield findings for dependencies that are missing, too old or new, or circular; `known` are the available
    packs."""
    from_here = {**known, manifest.id: manifest}
    for dependency in manifest.depends_on:
        target = known.get(dependency.id) if dependency.id != manifest.id else manifest
        if target is None:
            hint = f"install {dependency.id} first, or remove it from depends_on"
            yield error(MANIFEST_FILE, "missing-dependency", f"there is no pack {dependency.id}", hint=hint)
        elif not dependency.accepts(target.version):
            message = f"{dependency.id} is {target.version}, not {dependency.version}"
            yield error(MANIFEST_FILE, "dependency-version", message, hint="install a version that fits")
    circle = _circle(manifest.id, from_here)
    if circle:
        way = " → ".join(circle)
        yield error(MANIFEST_FILE, "dependency-cycle", f"the pack depends on itself: {way}", hint="break the circle")


def _circle(start: str, packs: Mapping[str, Manifest]) -> list[str]:
    """Return the pack IDs on the way from a pack back to itself, or an empty list."""
    ways = [[start]]
    seen: set[str] = set()
    while ways:
        way = ways.pop()
        for dependency in packs[way[-1]].depends_on if way[-1] in packs else ():
            if dependency.id == start:
                return [*way, start]
            if dependency.id not in seen:
                seen.add(dependency.id)
                ways.append([*way, dependency.id])
    return []
