"""A pack's folder is written whole or not at all, under names that every system allows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lorewright.errors import PackError
from lorewright.formats import writer
from lorewright.formats.reading import read
from lorewright.formats.writer import entity_id_of, write_pack
from support.lorebook_sources import ImportedPack, bytes_of, card, picture, png, world

BOOK = world({"key": ["dragon"], "content": "A bar.", "order": 100})


def write(folder: Path, source: Any = BOOK, **options: Any) -> writer.WrittenPack:
    return write_pack(read(bytes_of(source), "book.json"), folder, **options)


def test_the_folder_gives_the_pack_its_id_and_the_source_its_name(tmp_path: Path) -> None:
    pack = ImportedPack(world({"key": ["a"]}, name="The Night City"), tmp_path / "night-city")
    assert (pack.pack.manifest.id, pack.pack.manifest.name) == ("night_city", "The Night City")
    assert pack.manifest["x_imported_from"] == "SillyTavern world info"


def test_a_name_that_is_given_wins(tmp_path: Path) -> None:
    assert write(tmp_path / "night", name="Mine").name == "Mine"


def test_a_file_holds_frontmatter_a_heading_and_the_text(tmp_path: Path) -> None:
    pack = ImportedPack(BOOK, tmp_path / "night")
    text = (pack.folder / "locations" / "dragon.md").read_text(encoding="utf-8")
    assert text == "---\nid: dragon\ntype: location\naliases:\n- dragon\nx_order: 100\n---\n\n# Dragon\n\nA bar.\n"


def test_an_empty_folder_is_filled_and_any_other_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert write(tmp_path / "empty").files == 2
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    (tmp_path / "file").write_bytes(b"")
    for name in ("empty", "link", "file", "."):
        with pytest.raises(PackError, match="there already"):
            write(tmp_path / name)
    assert {path: path.read_bytes() for path in before} == before


def test_nothing_is_left_of_an_import_that_failed_midway(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Path] = []
    really = Path.write_bytes

    def fail_late(path: Path, data: bytes) -> int:
        written.append(path)
        if len(written) > 1:
            raise OSError(28, "No space left on device")
        return really(path, data)

    monkeypatch.setattr(Path, "write_bytes", fail_late)
    with pytest.raises(PackError, match="No space left"):
        write(tmp_path / "night")
    assert written
    assert list(tmp_path.iterdir()) == []


def test_an_entry_larger_than_a_file_of_a_pack_may_be_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "MAX_FILE_BYTES", 200)
    with pytest.raises(PackError, match="larger than"):
        write(tmp_path / "night", world({"key": ["long"], "content": "word " * 100}))
    assert list(tmp_path.iterdir()) == []


def test_a_parent_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(PackError):
        write(tmp_path / "file" / "night")


NAMES = ["../x", "..", "/etc/passwd", "CON", "nul", "COM1", "🐉", "", "   ", "a/b", "Ünïcode", "x" * 300, "con.md"]


def test_no_name_leads_out_of_the_folder_or_to_a_device(tmp_path: Path) -> None:
    pack = ImportedPack({"entries": [{"name": name, "content": "x"} for name in NAMES]}, tmp_path / "names")
    assert len(pack.pack.entities) == len(NAMES)
    for path in tmp_path.rglob("*.md"):
        assert path.resolve().is_relative_to(pack.folder.resolve())
        assert path.stem.lower() not in {"con", "nul", "com1"}
    assert {path.name for path in tmp_path.iterdir()} == {"names"}


def test_names_that_come_again_get_numbers(tmp_path: Path) -> None:
    names = ["Same", "same", "Same 2", "SAME", "Same"]
    pack = ImportedPack({"entries": [{"name": name, "content": "x"} for name in names]}, tmp_path / "names")
    assert [entry.id for entry in pack.written.entries] == ["same", "same-2", "same-2-2", "same-3", "same-4"]
    assert [entry.name for entry in pack.written.entries] == names


def test_an_id_is_made_where_a_name_has_no_letters() -> None:
    assert [entity_id_of(name, 7) for name in ("🐉", "CON", "Night City")] == ["entry-7", "entry-con", "night-city"]


def test_what_frontmatter_has_no_room_for_lies_beside_the_manifest(tmp_path: Path) -> None:
    huge = {str(number): "long text " * 20 for number in range(1_000)}
    entry = {"key": ["a"], "content": "x", "order": 1, "originalData": huge}
    pack = ImportedPack(world(entry, notes=["y" * 400_000]), tmp_path / "huge")
    assert pack.left == {"cultures/a.md": {"x_originalData": huge}, "pack.yaml": {"x_notes": ["y" * 400_000]}}
    assert pack.files[0].metadata["lore"] == {"priority": -99}
    assert pack.pack.errors == ()
    assert pack.place_of("x_originalData") == ["x_source.json: too large for frontmatter"]


def test_headings_in_a_text_do_not_become_sections(tmp_path: Path) -> None:
    content = "# Rules\n\nNone.\n\nTitle\n===\n\n## Secrets\n\nAll.\n\n---\n\n```\n# code"
    pack = ImportedPack(world({"key": ["law"], "content": content}), tmp_path / "law")
    assert list(pack.sections("law")) == [""]
    assert [chunk.role for chunk in pack.pack.chunks] == ["lore"]


def test_a_name_of_a_thousand_letters_is_cut_and_kept(tmp_path: Path) -> None:
    long = "word " * 200 + "end"
    pack = ImportedPack(world({"comment": long, "content": "x"}), tmp_path / "long")
    (entity,) = pack.pack.entities
    assert len(entity.name) <= 100
    assert pack.files[0].metadata["x_comment"] == long


@pytest.mark.parametrize("kind", [b"tEXt", b"zTXt", b"iTXt"])
def test_the_picture_of_a_card_is_the_characters_and_holds_no_text(tmp_path: Path, kind: bytes) -> None:
    source = card(description="SECRET of the tide", character_book={"entries": [{"keys": ["quay"], "content": "Wet."}]})
    pack = ImportedPack(picture(source, kind=kind), tmp_path / "mara", filename="mara.png")
    assert {entity.id: entity.attrs.get("image") for entity in pack.pack.entities} == {
        "mara:mara": "images/mara.png",
        "mara:quay": None,
    }
    data = (pack.folder / "images" / "mara.png").read_bytes()
    assert data == png()
    assert not any(finding.code == "bad-image" for finding in pack.pack.findings)


def test_a_card_that_is_no_picture_has_none(tmp_path: Path) -> None:
    pack = ImportedPack(card(description="Text."), tmp_path / "mara")
    assert all("image" not in entity.attrs for entity in pack.pack.entities)
    assert not (pack.folder / "images").exists()


@pytest.mark.parametrize(
    ("description", "pronoun"),
    [
        ("She has kept the lock. Her hands are cold, and she hates boats.", "she"),
        ("He keeps his oars dry; nobody lends him a coat.", "he"),
        ("She knows him, and he owes her for his boat.", None),
        ("A lantern that talks.", None),
    ],
)
def test_a_character_is_called_as_the_card_calls_them_throughout(
    tmp_path: Path, description: str, pronoun: str | None
) -> None:
    (entity,) = ImportedPack(card(description=description), tmp_path / "mara").pack.entities
    assert entity.attrs.get("pronoun") == pronoun
