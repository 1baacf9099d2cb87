"""The page of plots: it stands for itself, and whatever is in it is text."""

from __future__ import annotations

import re
import xml.dom.minidom
from html.parser import HTMLParser
from pathlib import Path

from lorewright.replay.figures import ModelRun, TurnFigures
from lorewright.replay.metrics import Measured, measure, metrics_of
from lorewright.replay.page import Series, bars, page_of
from support import harbour as h
from support import playing_models as mp

HOSTILE = "<script>alert(1)</script>'\"&"


class _Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_the_page_loads_nothing_and_runs_nothing(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, models=mp.models())
    h.say(app, *mp.lines(8))
    with app.campaigns.reading("game") as store:
        page = page_of(measure(store))
    found = _Tags(page).tags
    assert not {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in found}
    assert not {"src", "href", "style", "onload", "onclick"} & {name for _, attributes in found for name in attributes}
    assert "url(" not in page and "@import" not in page and "http" not in page
    assert "prefers-color-scheme: dark" in page
    assert len(re.findall("<svg ", page)) == 7


def test_every_plot_is_well_formed_and_says_its_values(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, models=mp.models())
    h.say(app, *mp.lines(8))
    with app.campaigns.reading("game") as store:
        page = page_of(measure(store))
    plots = re.findall(r"<svg .*?</svg>", page, re.DOTALL)
    titles = [
        one.firstChild.data for svg in plots for one in xml.dom.minidom.parseString(svg).getElementsByTagName("title")
    ]
    assert "1: read from a cache 600" in titles and "1: cost $0.0004" in titles and "1: words 8" in titles


def test_names_from_a_file_cannot_become_markup() -> None:
    """A campaign's file may come from anybody; so may the names of stages in it."""
    figures = ModelRun(HOSTILE, HOSTILE, 1, False, False, 5, 10, 2, 0, 0, 1)
    turns = (TurnFigures(1, HOSTILE, "play", HOSTILE, words=3, characters=9, runs=(figures,)),)
    page = page_of(Measured(HOSTILE, turns, (), metrics_of(turns)))
    assert "alert(1)" in page
    assert {tag for tag, _ in _Tags(page).tags}.isdisjoint({"script"})
    assert all(
        "alert" not in str(value) or name == "aria-label" for _, a in _Tags(page).tags for name, value in a.items()
    )


def test_a_campaign_without_turns_has_a_page_that_says_so() -> None:
    page = page_of(Measured("game", (), (), metrics_of(())))
    assert "no turn" in page and "There is nothing to draw yet." in page
    assert "<figure" not in page


def test_bars_stand_on_top_of_one_another_up_to_the_highest() -> None:
    drawn = bars("Tokens", ["1", "2"], [Series("in", [30, 10]), Series("out", [10, None])], str)
    rects = xml.dom.minidom.parseString(drawn).getElementsByTagName("rect")
    heights = [float(one.getAttribute("height")) for one in rects]
    assert [one.getAttribute("class") for one in rects] == ["s0", "s1", "s0"]
    assert heights[0] == 3 * heights[1] == 3 * heights[2]
    assert float(rects[1].getAttribute("y")) == 18 and heights[0] + heights[1] == 176
