"""The page of an answer stands for itself, escapes everything, and holds what its viewer may read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.authoring.query_page import bar_of, pieces, query_page, rendered, write_page
from lorewright.errors import SettingsError
from lorewright.index.generation import Generation
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.ranking import PARTS
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from support.html_page import Page, read_page
from support.pack_builder import TOWN, opened_packs

Town = tuple[Generation, ...]


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> object:
    with opened_packs(tmp_path_factory.mktemp("town"), {"town": TOWN}) as generations:
        yield generations


def html_of(generations: Town, words: str, *, viewer: str = "gm", **fields: object) -> str:
    asked = LoreRetrievalQuery.model_validate({"keywords": words, "viewer": viewer, **fields})
    return query_page(asked, retrieve(LoreView(generations, viewer=viewer), asked))


def marked(page: Page, html: str) -> set[str]:
    return {part.partition("</mark>")[0] for part in html.split("<mark>")[1:]}


def test_it_tells_what_was_chosen_and_what_was_left_out_and_why(town: Town) -> None:
    html = html_of(town, "who owned the laundry of the barman", limit=2, location_id="bar")
    told = read_page(html).told
    for part in ("Left out: below the cut", "enough sections: 2 of 2 sections", "By words", "place: bar", "as gm"):
        assert part in told
    assert "2. Viktor" in told
    assert "town:viktor:overview" in told


def test_words_are_marked_as_the_index_matched_them(town: Town) -> None:
    html = html_of(town, "owning boilers, the barman")
    assert {"owns", "boilers"} <= marked(read_page(html), html)


def test_a_budget_that_cut_a_section_says_so(town: Town) -> None:
    html = html_of(town, "viktor", max_tokens=60)
    assert "the budget is spent" in read_page(html).told


def test_nothing_found_is_a_page_too(town: Town) -> None:
    assert "Nothing was found." in read_page(html_of(town, "zygodactyl")).told


@pytest.mark.parametrize("viewer", ["player", "npc:town:mara"])
def test_a_viewers_page_holds_nothing_that_they_may_not_see(town: Town, viewer: str) -> None:
    html = html_of(town, "Zenith debt name Jin shotgun keeps choir", viewer=viewer, limit=50)
    read_page(html)
    secrets = ("forty thousand", "viktor:withholds", "Drowned", "cult:", "A ledger lists", "under the sink")
    assert [secret for secret in secrets if secret in html] == []
    assert "forty thousand" in html_of(town, "Zenith debt", limit=50)


def test_whatever_an_author_or_asker_writes_is_shown_and_never_obeyed(tmp_path: Path) -> None:
    nasty = "<script>alert(1)</script><img src=x onerror=alert(2)> \"'`={{title}} {{{body}}} & \x1b[31m \u202e"
    files = {"npcs/a.md": f"# A {nasty}\n\nText {nasty}\n\n## </style>{nasty}\n\nMore lantern {nasty}\n"}
    with opened_packs(tmp_path, {"town": files}) as generations:
        html = html_of(generations, f"lantern text {nasty}")
    page = read_page(html)
    assert "<script>alert(1)</script>" in page.told
    assert "{{title}}" in page.told
    assert "\x1b" not in html
    assert "\u202e" not in html


@pytest.mark.campaign
@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=200))
def test_any_text_is_a_page_without_harm(text: str) -> None:
    values = {
        "title": text,
        "asked": text,
        "any": False,
        "cut": text,
        "counts": text,
        "chosen": [],
        "left": [],
        "lanes": [],
    }
    page = read_page(rendered("query", values))
    assert page.tags[0][0] == "html"


@pytest.mark.campaign
@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=120), words=st.frozensets(st.text(min_size=1, max_size=4)))
def test_marking_changes_no_letter(text: str, words: frozenset[str]) -> None:
    found = pieces(text, words)
    assert "".join(piece["piece"] for piece in found) == text
    assert all(piece["piece"].casefold() in words for piece in found if piece["marked"])


@given(parts=st.dictionaries(st.sampled_from(PARTS), st.floats(min_value=0, max_value=0.2)))
def test_a_bar_is_never_wider_than_the_page(parts: dict[str, float]) -> None:
    total = sum(parts.values())
    assert sum(float(one["width"]) for one in bar_of(parts, full=max(total, 0.1))) <= 100.1


def test_the_same_answer_is_the_same_page(town: Town) -> None:
    assert html_of(town, "barman laundry") == html_of(town, "barman laundry")


def test_a_page_is_written_where_there_is_a_folder(tmp_path: Path) -> None:
    write_page(tmp_path / "a.html", "<!doctype html>x")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == "<!doctype html>x"
    for path in (tmp_path, tmp_path / "none" / "a.html"):
        with pytest.raises(SettingsError, match="cannot be written"):
            write_page(path, "x")


def test_a_page_is_written_over_an_earlier_one_and_over_no_other_file(tmp_path: Path) -> None:
    notes, page = tmp_path / "notes.md", "<!doctype html>\n<p>x</p>"
    notes.write_text("# My notes\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="is no page"):
        write_page(notes, page)
    assert notes.read_text(encoding="utf-8") == "# My notes\n"
    (tmp_path / "empty.html").touch()
    for name in ("empty.html", "a.html", "a.html"):
        write_page(tmp_path / name, page)
        assert (tmp_path / name).read_text(encoding="utf-8") == page
