"""Copies and archives: whole or not at all, and nothing outside of the target."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest

from lorewright.errors import PackError
from lorewright.packs import files as limits
from lorewright.packs import installing as archives
from lorewright.packs.content_hash import content_hash_of
from lorewright.packs.installing import place_copy, unpack_zip
from lorewright.packs.loader import load_pack
from support import harbour as h


def zipped(path: Path, members: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def everything(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_a_copy_is_the_text_of_the_pack_and_nothing_else(tmp_path: Path) -> None:
    source = h.write_pack(tmp_path / "source")
    (source / "notes.txt").write_text("not lore")
    place_copy(source, tmp_path / "copy")
    assert content_hash_of(tmp_path / "copy") == content_hash_of(source)
    assert not (tmp_path / "copy" / "notes.txt").exists()


def test_a_target_that_exists_is_left_as_it_is(tmp_path: Path) -> None:
    source = h.write_pack(tmp_path / "source")
    (tmp_path / "copy").mkdir()
    with pytest.raises(PackError, match="exists already"):
        place_copy(source, tmp_path / "copy")
    assert everything(tmp_path / "copy") == []


def test_an_archive_becomes_a_pack(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a.zip", {name: h.dedent(text) for name, text in h.FILES.items()})
    unpack_zip(archive, tmp_path / "pack")
    assert load_pack(tmp_path / "pack").manifest.id == "harbour"
    assert everything(tmp_path / "pack") == everything(h.write_pack(tmp_path / "plain"))


def test_one_folder_around_everything_is_taken_off(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a.zip", {"harbour-main/pack.yaml": "id: harbour\n", "harbour-main/a.md": "# A\n"})
    unpack_zip(archive, tmp_path / "pack")
    assert everything(tmp_path / "pack") == ["a.md", "pack.yaml"]


@pytest.mark.parametrize(
    "name", ["../out.md", "/etc/out.md", "a/../../out.md", "..\\out.md", "C:\\out.md", "C:/out.md"]
)
def test_a_member_that_leads_out_refuses_the_whole_archive(tmp_path: Path, name: str) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    archive = zipped(inner / "a.zip", {"good.md": "# Good\n", name: "# Out\n"})
    before = everything(tmp_path)
    with pytest.raises(PackError, match="leads out of the pack"):
        unpack_zip(archive, inner / "pack")
    assert everything(tmp_path) == before


def test_a_link_in_an_archive_refuses_the_whole_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        info = zipfile.ZipInfo("link.md")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(PackError, match="leads out"):
        unpack_zip(tmp_path / "a.zip", tmp_path / "pack")
    assert not (tmp_path / "pack").exists()


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_ARCHIVE_BYTES", 10_000)
    archive = zipped(tmp_path / "a.zip", {f"{n}.md": b"x" * 5_000 for n in range(3)})
    with pytest.raises(PackError, match="when unpacked"):
        unpack_zip(archive, tmp_path / "pack")
    assert everything(tmp_path) == ["a.zip"]


def test_a_single_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a.zip", {"a.md": b"x" * (limits.MAX_FILE_BYTES + 1)})
    with pytest.raises(PackError, match="too large"):
        unpack_zip(archive, tmp_path / "pack")
    assert everything(tmp_path) == ["a.zip"]


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    with pytest.raises(PackError, match="over 3 files"):
        unpack_zip(zipped(tmp_path / "a.zip", {f"{n}.md": "x" for n in range(4)}), tmp_path / "pack")


@pytest.mark.parametrize("name", [".", "./", "././.", ".\\."])
def test_a_member_without_a_name_refuses_the_archive_or_is_a_folder(tmp_path: Path, name: str) -> None:
    archive = zipped(tmp_path / "a.zip", {"a.md": "x", name: "x"})
    if name.endswith("/"):
        unpack_zip(archive, tmp_path / "pack")
        assert everything(tmp_path / "pack") == ["a.md"]
        return
    with pytest.raises(PackError, match="has no name"):
        unpack_zip(archive, tmp_path / "pack")
    assert everything(tmp_path) == ["a.zip"]


@pytest.mark.parametrize("data", [b"", b"not a zip", b"PK\x03\x04 torn"])
def test_what_is_no_zip_is_told(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(PackError, match="not a zip"):
        unpack_zip(tmp_path / "a.zip", tmp_path / "pack")


def test_a_flipped_byte_in_a_member_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "a.zip", {"a.md": "words and more words " * 500})
    data = bytearray(archive.read_bytes())
    data[60] ^= 0xFF
    archive.write_bytes(bytes(data))
    with pytest.raises(PackError):
        unpack_zip(archive, tmp_path / "pack")
    assert everything(tmp_path) == ["a.zip"]


def test_what_an_interrupted_copy_left_is_cleared_by_the_next(tmp_path: Path) -> None:
    (tmp_path / ".copying-old").mkdir()
    place_copy(h.write_pack(tmp_path / "source"), tmp_path / "copy")
    assert not (tmp_path / ".copying-old").exists()
