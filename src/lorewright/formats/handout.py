"""ShownPack -> one document to read or print: a title, a table of contents, and the readable texts by type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from lorewright.formats.imported import heading
from lorewright.formats.obsidian import titles_of_types
from lorewright.formats.shown import ReadablePack, ShownEntity
from lorewright.formats.sillytavern import NOTICE
from lorewright.ids import local
from lorewright.packs.markdown.chunking import blocks_of, lines_of
from lorewright.packs.models import PackEntity

_HASHES = re.compile(r"( {0,3})(#{1,6})")
# Headings inside a section are lowered by this many levels; its own is an H4.
_DEEPER = 2

_STYLE = """
:root { color-scheme: light dark; }
body { font: 1.05rem/1.55 Georgia, "Times New Roman", serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3, h4 { line-height: 1.25; }
h2 { border-bottom: 1px solid; padding-bottom: .2rem; margin-top: 3rem; }
nav ul { columns: 2; padding-left: 1.2rem; }
nav h3 { margin-bottom: .2rem; }
article { margin: 2rem 0; }
.names { font-style: italic; margin-top: -.8rem; }
.notice { border: 2px solid; padding: .5rem 1rem; font-weight: bold; }
table { border-collapse: collapse; } td, th { border: 1px solid; padding: .2rem .5rem; }
pre { white-space: pre-wrap; }
@media print {
  body { max-width: none; margin: 0; font-size: 10.5pt; }
  h2, h3, h4 { break-after: avoid; }
  nav { break-after: page; }
  a { color: inherit; text-decoration: none; }
}
@page { margin: 2cm; }
"""


def as_markdown(pack: ReadablePack) -> str:
    """Return the handout as one markdown text."""
    parts = [heading(pack.manifest.name, level=1), *(f"{line}\n" for line in _lead(pack))]
    parts += [heading("Contents", level=2)]
    groups = list(_groups(pack))
    for title, entities in groups:
        listed = ", ".join(_link(entity.entity, entity.entity.name) for entity in entities)
        parts.append(f"- **{title}**: {listed}")
    parts.append("")
    for title, entities in groups:
        parts.append(heading(title, level=2))
        for shown in entities:
            parts.append(f'<a id="{_anchor(shown.entity)}"></a>\n\n{heading(shown.entity.name, level=3)}')
            parts += [f"*{', '.join(shown.entity.aliases)}*\n"] if shown.entity.aliases else []
            for name, text in _sections(pack, shown):
                parts += [heading(name, level=4)] if name else []
                parts.append(_deeper(text) + "\n")
    return "\n".join(parts)


def as_html(pack: ReadablePack) -> str:
    """Return the handout as one self-contained HTML page: no script, no picture, nothing from the web."""
    name = escape(pack.manifest.name)
    parts = [
        f'<!doctype html>\n<html lang="{escape(pack.manifest.language)}">\n<head>\n<meta charset="utf-8">',
        """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">""",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{name}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{name}</h1>",
    ]
    parts += [f'<p class="notice">{escape(NOTICE)}</p>'] if pack.tells_secrets else []
    parts += [f"<p>{escape(line)}</p>" for line in _lead(pack) if line != NOTICE]
    groups = list(_groups(pack))
    parts.append("<nav>\n<h2>Contents</h2>")
    for title, entities in groups:
        rows = "".join(
            f'<li><a href="#{_anchor(entity.entity)}">{escape(entity.entity.name)}</a></li>\n' for entity in entities
        )
        parts.append(f"<h3>{escape(title)}</h3>\n<ul>\n{rows}</ul>")
    parts.append("</nav>")
    for title, entities in groups:
        parts.append(f"<section>\n<h2>{escape(title)}</h2>")
        parts += [_article(pack, entity) for entity in entities]
        parts.append("</section>")
    return "\n".join([*parts, "</body>\n</html>\n"])


def _article(pack: ReadablePack, shown: ShownEntity) -> str:
    entity = shown.entity
    parts = [f'<article id="{_anchor(entity)}">\n<h3>{escape(entity.name)}</h3>']
    parts += [f'<p class="names">{escape(", ".join(entity.aliases))}</p>'] if entity.aliases else []
    for name, text in _sections(pack, shown):
        parts += [f"<h4>{escape(name)}</h4>"] if name else []
        parts.append(_rendered(text))
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


def _sections(pack: ReadablePack, shown: ShownEntity) -> Iterator[tuple[str, str]]:
    for section in shown.sections:
        text = pack.linked(shown, section.text, lambda entity, label: _link(entity, label or entity.name))
        if text.strip():
            yield section.title, text


def _link(entity: PackEntity, label: str) -> str:
    said = re.sub(r"([\\\[\]])", r"\\\1", label)
    return f"[{said}](#{_anchor(entity)})"


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


def _rendered(text: str) -> str:
    """Return a text as HTML. HTML in it is escaped; a picture becomes its description."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.add_render_rule("image", _described)
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + _DEEPER, 6)}"
    return str(parser.renderer.render(tokens, parser.options, {})).rstrip()


def _described(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    return escape(tokens[index].content)
