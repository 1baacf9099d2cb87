"""`pack import` as a user meets it: a table of where each field went, JSON for programs, errors that say what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from lorewright.cli.packs.exchange import EXAMPLES, import_pack
from lorewright.errors import PackError
from support.lorebook_sources import bytes_of, card, picture, world

app = typer.Typer()
app.command("import", epilog=EXAMPLES["import"])(import_pack)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "book.json"
    path.write_bytes(bytes_of(world({"key": ["tavern", "/t.*/"], "content": "{{user}} drinks.", "order": 9})))
    return path


def test_it_says_where_every_field_went_and_what_comes_next(book: Path, tmp_path: Path) -> None:
    shown = run(str(book), str(tmp_path / "inn"))
    rows = [line.split() for line in shown.splitlines()]
    assert ["locations/tavern.md", "Tavern", "location", "tavern"] in rows
    assert ["entries[].key", "aliases", "1"] in rows
    assert ["entries[].key", "lore:", "keys", "1"] in rows
    assert ["entries[].order", "lore:", "priority", "1"] in rows
    assert f"lorewright pack install {tmp_path / 'inn'}" in shown


def test_it_warns_of_constant_entries_that_need_more_than_half_of_the_default_budget(tmp_path: Path) -> None:
    path = tmp_path / "book.json"
    entries = [{"key": [f"rule {n}"], "content": "word " * 600, "constant": True} for n in range(3)]
    path.write_bytes(bytes_of(world(*entries)))
    assert "3 constant entries need 2,250 tokens of 3,000" in run(str(path), str(tmp_path / "rules"))
    path.write_bytes(bytes_of(world(*entries[:2], {**entries[2], "constant": False})))
    assert "constant entries need" not in run(str(path), str(tmp_path / "fewer"))


def test_it_says_the_same_as_json(book: Path, tmp_path: Path) -> None:
    shown = json.loads(run(str(book), str(tmp_path / "inn"), "--name", "The Inn", "--json"))
    assert (shown["pack_id"], shown["name"], shown["files"]) == ("inn", "The Inn", 2)
    assert shown["entries"][0]["path"] == "locations/tavern.md"
    assert {"field": "entries[].order", "place": "lore: priority", "count": 1} in shown["rows"]


def test_long_lists_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "card.png"
    entries = [{"keys": [f"word {number}"], "content": "x"} for number in range(60)]
    path.write_bytes(picture(card(character_book={"entries": entries})))
    assert "… 61 in all: 60 culture, 1 npc" in run(str(path), str(tmp_path / "mara"))


def test_a_folder_that_is_taken_is_refused_before_the_source_is_read(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="there already"):
        run(str(tmp_path / "absent.json"), str(tmp_path.parent))


def test_nothing_that_a_terminal_would_obey_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "book.json"
    path.write_bytes(bytes_of(world({"comment": "a\u001b[2Jb\u202ec", "content": "x", "k\u001b]0;x": 1})))
    for options in ([], ["--json"]):
        shown = run(str(path), str(tmp_path / f"out{len(options)}"), *options)
        assert not {"\u001b", "\u202e"} & set(shown)


def test_the_command_explains_itself() -> None:
    shown = run("--help")
    assert "lorewright pack import" in EXAMPLES["import"]
    assert "where every field went" in " ".join(shown.split())
