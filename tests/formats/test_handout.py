"""The handout: one document that stands alone, whatever is in the texts."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from lorewright.errors import PackError
from lorewright.formats.exporting import export_pack
from lorewright.formats.handout import as_html, as_markdown, as_pages
from lorewright.formats.shown import Audience, ReadablePack, shown_pack
from lorewright.packs.loader import load_pack
from support.harbour import write_pack

FILES = {
    "pack.yaml": "id: hostile\nname: <b>A & B</b>\nversion: 1.0.0\nlicense: {type: CC0}\ndescription: 'It''s <i>'\n",
    "npcs/a.md": """
        ---
        id: a
        type: npc
        aliases: ["<script>alert(1)</script>"]
        ---
        # Ada *the* <img>

        She knows [[Ben]]. <script>alert(2)</script> ![x](http://example.com/x.png) [go](javascript:alert(3)) [web](https://example.com)

        ### A heading below

        | a | b |
        |---|---|
        | 1 | 2 |

        ```
        never closed
    """,
    "npcs/b.md": "---\nid: b\ntype: npc\n---\n# Ben\n\nKnows [Ada](a.md).\n\n## Past\n\nLong.\n",
    "places/c.md": "---\nid: c\ntype: location\n---\n# Cellar\n\nDark.\n",
}


def shown(tmp_path: Path) -> ReadablePack:
    return shown_pack(load_pack(write_pack(tmp_path / "hostile", FILES)), Audience.of("player"))


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.ids |= {value for key, value in attrs if key == "id" and value}
        self.links += [value for key, value in attrs if key in ("href", "src") and value]


def test_a_page_needs_nothing_and_runs_nothing(tmp_path: Path) -> None:
    text = as_html(shown(tmp_path))
    page = Page(text)
    assert not {"script", "img", "link", "iframe", "object"} & set(page.tags)
    assert all(one.startswith("#") or one == "https://example.com" for one in page.links)
    assert "default-src 'none'" in text
    assert "<title>&lt;b&gt;A &amp; B&lt;/b&gt;</title>" in text


def test_the_contents_and_every_link_lead_somewhere(tmp_path: Path) -> None:
    page = Page(as_html(shown(tmp_path)))
    assert page.ids == {"e-a", "e-b", "e-c"}
    assert {one for one in page.links if one.startswith("#")} == {"#e-a", "#e-b", "#e-c"}
    text = as_markdown(shown(tmp_path))
    assert set(re.findall(r"\]\(#(e-\w)\)", text)) == set(re.findall(r'<a id="(e-\w)">', text)) == {"e-a", "e-b", "e-c"}


def test_headings_inside_a_section_stand_below_its_own(tmp_path: Path) -> None:
    assert "<h4>A heading below</h4>" in as_html(shown(tmp_path))
    text = as_markdown(shown(tmp_path))
    assert "\n##### A heading below\n" in text
    assert [line for line in text.split("\n") if re.match(r"#{1,4} ", line)][1:] == [
        "## Contents",
        "## People",
        "### Ada the",
        "### Ben",
        "#### Past",
        "## Places",
        "### Cellar",
    ]


def test_the_same_pack_gives_the_same_bytes(tmp_path: Path) -> None:
    assert as_html(shown(tmp_path)) == as_html(shown(tmp_path))


def test_a_folder_of_pages_links_what_names_each_other_both_ways(tmp_path: Path) -> None:
    pages = as_pages(shown(tmp_path))
    assert set(pages) == {"index.html", "pages/a.html", "pages/b.html", "pages/c.html"}
    assert set(Page(pages["index.html"]).links) == {"pages/a.html", "pages/b.html", "pages/c.html"}
    ada, ben, cellar = (Page(pages[f"pages/{name}.html"]).links for name in "abc")
    assert [ada.count("b.html"), ben.count("a.html")] == [2, 2]
    assert cellar == ["../index.html"]
    for text in pages.values():
        assert not {"script", "img", "link", "iframe", "object"} & set(Page(text).tags)
        assert "default-src 'none'" in text


def test_a_folder_of_pages_is_replaced_by_force_alone_and_nothing_else_is(tmp_path: Path) -> None:
    pack, out = load_pack(write_pack(tmp_path / "hostile", FILES)), tmp_path / "site"
    assert export_pack(pack, Audience.of("player"), "player-handout", out).files == 4
    with pytest.raises(PackError, match="not empty"):
        export_pack(pack, Audience.of("player"), "player-handout", out)
    export_pack(pack, Audience.of("player"), "player-handout", out, force=True)
    (out / "index.html").write_text("mine")
    with pytest.raises(PackError, match="not empty"):
        export_pack(pack, Audience.of("player"), "player-handout", out, force=True)
    assert (out / "index.html").read_text() == "mine"
