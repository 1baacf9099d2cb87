"""The pictures in docs/pictures show what the program prints today; after a change: `make pictures`."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from lorewright.errors import EmbedderError
from lorewright.index.embedders.minilm import MiniLM
from pictures import FOLDER, PICTURES, Picture, drawn, prepared, screen

_MOST_BYTES = 150_000
_SCORE = re.compile(r"\d*\.\d+")


def words_in(svg: str) -> str:
    """All that can be read in a picture, on one line."""
    texts = re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL)
    return " ".join(unescape("".join(texts)).split())


def scores_in(words: str) -> list[float]:
    """The numbers with decimals, in order."""
    return [float(found) for found in _SCORE.findall(words)]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    try:
        MiniLM()
    except EmbedderError as problem:
        pytest.skip(str(problem))
    return prepared(tmp_path_factory.mktemp("pictures") / "world")


@pytest.mark.campaign
@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.file)
def test_a_picture_shows_what_the_program_prints(picture: Picture, environment: dict[str, str]) -> None:
    shown = screen(picture, environment)
    today = drawn(picture, shown)
    stored = words_in((FOLDER / picture.file).read_text(encoding="utf-8"))
    assert _SCORE.sub("#", stored) == _SCORE.sub("#", words_in(today)), "the pictures are of another day: make pictures"
    # The last bits of a cosine are the processor's own.
    assert scores_in(words_in(today)) == pytest.approx(scores_in(stored), abs=0.011)
    assert drawn(picture, shown) == today


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.svg")), ids=lambda path: path.name)
def test_a_picture_is_small_of_the_table_and_asks_no_server_for_anything(path: Path) -> None:
    assert path.name in {picture.file for picture in PICTURES}
    svg = path.read_text(encoding="utf-8")
    assert len(svg.encode()) < _MOST_BYTES
    assert "@font-face" not in svg
    assert set(re.findall(r"https?://[^\s\"<]+", svg)) == {"http://www.w3.org/2000/svg"}
    assert "lorewright" in words_in(svg)


def test_no_picture_is_missing() -> None:
    assert {path.name for path in FOLDER.glob("*.svg")} == {picture.file for picture in PICTURES}
