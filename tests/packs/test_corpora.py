"""What real authors keep is read whole: nothing is lost, nothing too long, every ID once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from lorewright.packs.frontmatter import read_source
from lorewright.packs.loader import load_pack
from lorewright.packs.models import Pack
from packs.test_loader import assert_sound
from support.corpora import SOME_PACKS, corpus_pack

pytestmark = [pytest.mark.campaign, pytest.mark.corpora, pytest.mark.parametrize("name", SOME_PACKS)]


@cache
def read(folder: Path) -> Pack:
    return load_pack(folder)


def test_the_sources_of_a_files_chunks_joined_are_its_body(name: str) -> None:
    folder = corpus_pack(name)
    pack = read(folder)
    sources: dict[str, str] = {}
    for chunk in pack.chunks:
        sources[chunk.file_path] = sources.get(chunk.file_path, "") + chunk.source
    for entity in pack.entities:
        body = read_source(entity.file_path, (folder / entity.file_path).read_bytes()).body
        assert sources.get(entity.file_path, "") == (body if body.strip() else "")


def test_every_file_is_read(name: str) -> None:
    pack = read(corpus_pack(name))
    assert pack.errors == ()
    assert len(pack.entities) > 400


def test_the_pack_is_sound(name: str) -> None:
    assert_sound(read(corpus_pack(name)))


def test_chunks_stand_on_their_lines(name: str) -> None:
    folder = corpus_pack(name)
    for chunk in read(folder).chunks:
        text = (folder / chunk.file_path).read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        first = next((line for line in chunk.source.split("\n") if line.strip()), "")
        assert first.strip() in text.split("\n")[chunk.line - 1]
