"""ReadablePack -> a document to read or print: a title, a table of contents, and the readable texts by type; in one
file, or as a folder of pages with links between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from lorewright.formats.imported import heading
from lorewright.formats.obsidian import titles_of_types
from lorewright.formats.shown import ReadablePack, ShownEntity
from lorewright.formats.sillytavern import NOTICE
from lorewright.ids import local
from lorewright.packs.images import as_data_url
from lorewright.packs.markdown.chunking import blocks_of, lines_of
from lorewright.packs.models import PackEntity

_HASHES = re.compile(r"( {0,3})(#{1,6})")
# Headings inside a section are lowered by this many levels; its own is an H4.
_DEEPER = 2

# What the first page of a folder of pages says of itself.
PAGES_MARK = '<meta name="generator" content="lorewright pack export">'
INDEX_PAGE = "index.html"
_PAGES = "pages"

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

_END = "</main>\n</body>\n</html>\n"
# A table may be wider than a telephone: it scrolls by itself, and by the keys too.
_TABLE = '<div class="wide" role="group" aria-label="table" tabindex="0">\n<table>\n'

# An entity -> the address of its text, as a link has it.
_Address = Callable[[PackEntity], str]

_STYLE = """
:root { color-scheme: light dark; }
body { font: 1.05rem/1.55 Georgia, "Times New Roman", serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem;
  background: Canvas; color: CanvasText; overflow-wrap: anywhere; }
h1, h2, h3, h4 { line-height: 1.25; }
h2 { border-bottom: 1px solid; padding-bottom: .2rem; margin-top: 3rem; }
nav ul { columns: 12rem 2; padding-left: 1.2rem; }
nav h3 { margin-bottom: .2rem; }
article { margin: 2rem 0; }
.names { font-style: italic; margin-top: -.8rem; }
.notice { border: 2px solid; padding: .5rem 1rem; font-weight: bold; }
table { border-collapse: collapse; overflow-wrap: break-word; }
.wide { overflow-x: auto; } td, th { border: 1px solid; padding: .2rem .5rem; }
pre { white-space: pre-wrap; }
article > img { max-width: 100%; max-height: 24rem; }
@media print {
  body { max-width: none; margin: 0; font-size: 10.5pt; }
  h2, h3, h4 { break-after: avoid; }
  nav { break-after: page; }
  a { color: inherit; text-decoration: none; }
  .wide { overflow-x: visible; }
}
@page { margin: 2cm; }
"""


def as_markdown(pack: ReadablePack) -> str:
    """Return the handout as one markdown text."""
    parts = [heading(pack.manifest.name, level=1), *(f"{line}\n" for line in _lead(pack))]
    parts += [heading("Contents", level=2)]
    groups = list(_groups(pack))
    for title, entities in groups:
        listed = ", ".join(_link(_in_the_page(entity.entity), entity.entity.name) for entity in entities)
        parts.append(f"- **{title}**: {listed}")
    parts.append("")
    for title, entities in groups:
        parts.append(heading(title, level=2))
        for shown in entities:
            parts.append(f'<a id="{_anchor(shown.entity)}"></a>\n\n{heading(shown.entity.name, level=3)}')
            parts += [f"*{', '.join(shown.entity.aliases)}*\n"] if shown.entity.aliases else []
            for name, text in _sections(pack, shown, _in_the_page):
                parts += [heading(name, level=4)] if name else []
                parts.append(_deeper(text) + "\n")
    return "\n".join(parts)


def as_html(pack: ReadablePack) -> str:
    """Return the handout as one self-contained HTML page: no script, nothing from the web; pictures are part of it.

    Raises:
        PackError: a picture cannot be read any more.
    """
    parts = [_head(pack, pack.manifest.name), *_title_and_contents(pack, _in_the_page)]
    for title, entities in _groups(pack):
        parts.append(f"<section>\n<h2>{escape(title)}</h2>")
        parts += [_article(pack, entity, _in_the_page) for entity in entities]
        parts.append("</section>")
    return "\n".join([*parts, _END])


def as_pages(pack: ReadablePack) -> dict[str, str]:
    """Return the handout as a folder of pages, by relative path: the contents, and a page for each entity with links to
    what it names and to what names it. Each needs nothing but the others, and opens from a disk."""
    linked: dict[str, list[PackEntity]] = {}
    articles: dict[str, str] = {}
    for shown in pack.entities:

        def address(target: PackEntity, of: PackEntity = shown.entity) -> str:
            known = linked.setdefault(target.id, [])
            if target.id != of.id and of not in known:
                known.append(of)
            return f"{local(target.id)}.html"

        articles[shown.entity.id] = _article(pack, shown, address, level=1)
    start = [_head(pack, pack.manifest.name, PAGES_MARK), *_title_and_contents(pack, _in_the_folder)]
    pages = {INDEX_PAGE: "\n".join([*start, _END])}
    for shown in pack.entities:
        parts = [_head(pack, f"{shown.entity.name} · {pack.manifest.name}")]
        parts += [f'<p class="notice">{escape(NOTICE)}</p>'] if pack.tells_secrets else []
        parts += [f'<p><a href="../{INDEX_PAGE}">{escape(pack.manifest.name)}</a></p>', articles[shown.entity.id]]
        back = sorted(linked.get(shown.entity.id, ()), key=lambda entity: entity.name.casefold())
        if back:
            rows = "".join(f'<li><a href="{local(e.id)}.html">{escape(e.name)}</a></li>\n' for e in back)
            parts.append(f"<nav>\n<h2>Named by</h2>\n<ul>\n{rows}</ul>\n</nav>")
        pages[_in_the_folder(shown.entity)] = "\n".join([*parts, _END])
    return pages


def _in_the_page(entity: PackEntity) -> str:
    return f"#{_anchor(entity)}"


def _in_the_folder(entity: PackEntity) -> str:
    return f"{_PAGES}/{local(entity.id)}.html"


def _head(pack: ReadablePack, title: str, *more: str) -> str:
    lines = [
        f'<!doctype html>\n<html lang="{escape(pack.manifest.language)}">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        *more,
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>",
    ]
    return "\n".join(lines)


def _title_and_contents(pack: ReadablePack, address: _Address) -> Iterator[str]:
    yield f"<h1>{escape(pack.manifest.name)}</h1>"
    if pack.tells_secrets:
        yield f'<p class="notice">{escape(NOTICE)}</p>'
    yield from (f"<p>{escape(line)}</p>" for line in _lead(pack) if line != NOTICE)
    yield "<nav>\n<h2>Contents</h2>"
    for title, entities in _groups(pack):
        rows = "".join(
            f'<li><a href="{address(entity.entity)}">{escape(entity.entity.name)}</a></li>\n' for entity in entities
        )
        yield f"<h3>{escape(title)}</h3>\n<ul>\n{rows}</ul>"
    yield "</nav>"


def _article(pack: ReadablePack, shown: ShownEntity, address: _Address, *, level: int = 3) -> str:
    """Return what is told of an entity; its name is a heading of that level, and all others stand below it."""
    entity = shown.entity
    parts = [f'<article id="{_anchor(entity)}">\n<h{level}>{escape(entity.name)}</h{level}>']
    parts += [f'<p class="names">{escape(", ".join(entity.aliases))}</p>'] if entity.aliases else []
    if shown.image is not None:
        parts.append(f'<img src="{as_data_url(Path(pack.root) / shown.image)}" alt="{escape(entity.name)}">')
    for name, text in _sections(pack, shown, address):
        parts += [f"<h{level + 1}>{escape(name)}</h{level + 1}>"] if name else []
        parts.append(_rendered(text, below=level + 1 if name else level))
    return "\n".join([*parts, "</article>"])


def _lead(pack: ReadablePack) -> Iterator[str]:
    if pack.tells_secrets:
        yield NOTICE
    if pack.audience.story:
        yield f"What the player knows in {pack.audience.story}."
    if pack.manifest.description:
        yield pack.manifest.description


def _groups(pack: ReadablePack) -> Iterator[tuple[str, list[ShownEntity]]]:
    for kind, title in titles_of_types().items():
        entities = [entity for entity in pack.entities if entity.entity.type == kind]
        if entities:
            yield title, sorted(entities, key=lambda shown: (shown.entity.name.casefold(), shown.entity.id))


def _sections(pack: ReadablePack, shown: ShownEntity, address: _Address) -> Iterator[tuple[str, str]]:
    for section in shown.sections:
        text = pack.linked(shown, section.text, lambda entity, label: _link(address(entity), label or entity.name))
        if text.strip():
            yield section.title, text


def _link(address: str, label: str) -> str:
    said = re.sub(r"([\\\[\]])", r"\\\1", label)
    return f"[{said}]({address})"


def _anchor(entity: PackEntity) -> str:
    return f"e-{local(entity.id)}"


def _deeper(text: str) -> str:
    lines = lines_of(text)
    for token in blocks_of(text):
        if token.type == "heading_open" and token.map and token.markup.startswith("#"):
            lines[token.map[0]] = _HASHES.sub(_lower_heading, lines[token.map[0]], count=1)
    return "".join(lines)


def _lower_heading(marks: re.Match[str]) -> str:
    return marks.group(1) + f"{marks.group(2)}{'#' * _DEEPER}"[:6]


def _rendered(text: str, *, below: int) -> str:
    """Return a text as HTML, its headings below one of that level, and no level left out. HTML in it is escaped; a
    picture becomes its description."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.add_render_rule("image", _described)
    parser.add_render_rule("table_open", lambda *_: _TABLE)
    parser.add_render_rule("table_close", lambda *_: "</table>\n</div>\n")
    tokens = parser.parse(text)
    written: list[int] = []
    for token in tokens:
        if token.type == "heading_open":
            own = int(token.tag[1])
            written = [*(level for level in written if level < own), own]
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(below + len(written), 6)}"
    return str(parser.renderer.render(tokens, parser.options, {})).rstrip()


def _described(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    return escape(tokens[index].content)
