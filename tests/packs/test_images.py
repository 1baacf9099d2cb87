"""Pictures of notes: which files are taken, that they are part of the text, and that they are shown with their note."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from lorewright.formats.exporting import export_pack
from lorewright.formats.shown import Audience
from lorewright.packs.content_hash import content_hash_of, pinned_paths, source_paths
from lorewright.packs.images import MAX_IMAGE_BYTES
from lorewright.packs.installing import place_copy
from lorewright.packs.loader import load_pack
from support.pack_builder import write_pack

PNG = b"\x89PNG\r\n\x1a\n" + b"mara"
JPEG = b"\xff\xd8\xff\xe0" + b"ghost"
WEBP = b"RIFF\x04\x00\x00\x00WEBPVP8 "


def note(name: str, image: str, *, more: str = "") -> str:
    return f"---\ntype: npc\nimage: {image}\n{more}---\n# {name}\n\nText of {name}.\n"


def folder_with(tmp_path: Path, notes: dict[str, str], images: dict[str, bytes]) -> Path:
    folder = write_pack(tmp_path, notes)
    for path, data in images.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def told(folder: Path) -> list[str]:
    return [finding.message for finding in load_pack(folder).findings if finding.code == "bad-image"]


@pytest.mark.parametrize(
    ("written", "file", "data"),
    [
        ("mara.png", "npcs/mara.png", PNG),
        ("../art/mara.JPG", "art/mara.JPG", JPEG),
        ("art/mara.webp", "art/mara.webp", WEBP),
        ('"[[mara.png]]"', "attachments/mara.png", PNG),
        ('"![[mara.png|200]]"', "npcs/images/mara.png", PNG),
    ],
)
def test_a_picture_is_found_from_its_note_from_the_top_and_in_the_usual_folders(
    tmp_path: Path, written: str, file: str, data: bytes
) -> None:
    folder = folder_with(tmp_path, {"npcs/mara.md": note("Mara", written)}, {file: data})
    assert told(folder) == []
    assert pinned_paths(folder)[-1] == file
    assert file not in source_paths(folder)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("mara.svg", ".svg is not taken"),
        ("gone.png", "there is no file gone.png"),
        ("https://example.com/mara.png", "nothing is fetched"),
        ("../../outside.png", "there is no file"),
        ("link.png", "there is no file"),
        ("script.png", "no PNG, JPEG or WebP inside"),
        ("large.png", "large.png"),
        ("[a.png, b.png]", "the path of one file"),
    ],
)
def test_what_is_no_picture_of_the_pack_is_named_and_not_taken(tmp_path: Path, written: str, says: str) -> None:
    folder = folder_with(
        tmp_path,
        {"mara.md": note("Mara", written)},
        {"script.png": b"<svg onload='x()'>", "large.png": PNG + bytes(MAX_IMAGE_BYTES), "mara.svg": b"<svg/>"},
    )
    (tmp_path / "outside.png").write_bytes(PNG)
    (folder / "link.png").symlink_to(tmp_path / "outside.png")
    (message,) = told(folder)
    assert says in message
    assert pinned_paths(folder) == source_paths(folder)


def test_a_picture_is_part_of_the_text_that_campaigns_pin(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, {"mara.md": note("Mara", "mara.png")}, {"mara.png": PNG, "other.png": PNG})
    first = load_pack(folder).content_hash
    assert first == content_hash_of(folder)
    (folder / "other.png").write_bytes(PNG + b"!")
    assert load_pack(folder).content_hash == first
    (folder / "mara.png").write_bytes(PNG + b"!")
    assert load_pack(folder).content_hash == content_hash_of(folder) != first
    place_copy(folder, tmp_path / "copy")
    assert content_hash_of(tmp_path / "copy") == content_hash_of(folder)
    assert not (tmp_path / "copy" / "other.png").exists()


def test_without_pictures_a_text_has_the_hash_that_it_had(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, {"mara.md": note("Mara", "mara.png")}, {})
    without = content_hash_of(folder)
    (folder / "mara.png").write_bytes(b"no picture")
    assert content_hash_of(folder) == without


def test_a_picture_is_seen_by_who_may_know_of_its_note_and_nobody_else(tmp_path: Path) -> None:
    notes = {"mara.md": note("Mara", "mara.png"), "ghost.md": note("Ghost", "ghost.jpg", more="visibility: gm\n")}
    pack = load_pack(folder_with(tmp_path, notes, {"mara.png": PNG, "ghost.jpg": JPEG}))
    texts = {}
    for reader in ("player", "gm"):
        export_pack(pack, Audience.of(reader), "player-handout", tmp_path / reader)  # type: ignore[arg-type]
        export_pack(pack, Audience.of(reader), "player-handout", tmp_path / f"{reader}.html")  # type: ignore[arg-type]
        pages = [*(tmp_path / reader).rglob("*.html"), tmp_path / f"{reader}.html"]
        texts[reader] = "".join(page.read_text(encoding="utf-8") for page in pages)
    mara, ghost = (base64.b64encode(data).decode() for data in (PNG, JPEG))
    assert (texts["player"].count(mara), texts["player"].count(ghost)) == (2, 0)
    assert (texts["gm"].count(mara), texts["gm"].count(ghost)) == (2, 2)


def test_a_vault_carries_the_pictures_of_the_notes_in_it_and_no_others(tmp_path: Path) -> None:
    notes = {
        "mara.md": note("Mara", "real_killer.png"),
        "ghost.md": note("Ghost", "ghost.jpg", more="visibility: gm\n"),
    }
    pack = load_pack(folder_with(tmp_path / "pack", notes, {"real_killer.png": PNG, "ghost.jpg": JPEG}))
    for reader in ("player", "gm"):
        export_pack(pack, Audience.of(reader), "obsidian", tmp_path / reader)  # type: ignore[arg-type]
    pictures = {
        reader: sorted(path.read_bytes() for path in (tmp_path / reader / "images").rglob("*.*"))
        for reader in ("player", "gm")
    }
    assert pictures == {"player": [PNG], "gm": sorted([PNG, JPEG])}
    everything = b"".join(path.read_bytes() for path in (tmp_path / "player").rglob("*.*"))
    assert b"real_killer" not in everything
    again = load_pack(tmp_path / "player")
    assert [finding for finding in again.findings if finding.code == "bad-image"] == []
    assert pinned_paths(tmp_path / "player")[-1].startswith("images/")


def test_a_markdown_handout_names_no_picture(tmp_path: Path) -> None:
    pack = load_pack(folder_with(tmp_path / "pack", {"mara.md": note("Mara", "mara.png")}, {"mara.png": PNG}))
    export_pack(pack, Audience.of("player"), "player-handout", tmp_path / "handout.md")
    assert "mara.png" not in (tmp_path / "handout.md").read_text(encoding="utf-8")
