"""Files of strangers: a bound is held while they are read, and named where it is passed."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from lorewright.bounded_files import MAX_DIRECTORY_BYTES, open_zip, read_bytes, read_lines, read_text
from lorewright.errors import PackError, SettingsError


def test_a_file_within_the_bound_is_read_and_a_larger_one_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "pack.yaml"
    file.write_bytes(b"x" * 2048)
    assert read_bytes(file, 2048, PackError) == b"x" * 2048
    file.write_bytes(b"x" * 2049)
    with pytest.raises(PackError) as refused:
        read_bytes(file, 2048, PackError)
    assert refused.value.message == f"{file}: over 2 KiB"
    assert refused.value.hint


def test_a_file_without_end_is_read_no_further_than_the_bound() -> None:
    with pytest.raises(SettingsError, match="over 1 MiB"):
        read_bytes(Path("/dev/zero"), 2**20, SettingsError)


def test_a_text_has_line_feeds_and_no_mark_of_its_order_of_bytes(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree\n")
    assert read_text(file, 100, PackError) == "one\ntwo\nthree\n"


def test_lines_are_read_one_by_one_and_a_long_one_is_named() -> None:
    text = io.StringIO("one\n\n" + "x" * 20 + "\nfour")
    assert list(read_lines(text, "f", PackError, max_chars=20)) == ["one", "", "x" * 20, "four"]
    lines = read_lines(io.StringIO("one\n" + "x" * 21), "f", PackError, max_chars=20)
    assert next(lines) == "one"
    with pytest.raises(PackError, match="f:2: the line is longer than 20"):
        next(lines)


def test_lines_that_are_no_text_are_named(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"one\n\xff\xfe\n")
    with file.open(encoding="utf-8") as opened, pytest.raises(PackError, match=r"a\.jsonl:1"):
        list(read_lines(opened, str(file), PackError))


def test_an_archive_that_lists_too_many_members_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(4):
            archive.writestr(f"{number}.md", "x" * 50_000)
    with open_zip(path, max_members=4) as archive:
        assert len(archive.read("3.md")) == 50_000
    with pytest.raises(zipfile.BadZipFile, match="more than 3 members"), open_zip(path, max_members=3):
        pass


def test_a_list_of_members_that_says_that_it_is_huge_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.md", "x")
    data = bytearray(path.read_bytes())
    end = data.rindex(b"PK\x05\x06")
    size = MAX_DIRECTORY_BYTES + 1
    data[end + 12 : end + 16] = size.to_bytes(4, "little")
    # The list is looked for just before the end: so much has to be there.
    path.write_bytes(bytes(size) + data)
    with pytest.raises(zipfile.BadZipFile, match="list of members is over 16 MiB"), open_zip(path, max_members=9):
        pass


@pytest.mark.parametrize("byte", range(80))
def test_an_archive_with_any_byte_of_its_end_changed_is_read_or_is_a_bad_archive(tmp_path: Path, byte: int) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.md", "# A\n")
    whole = path.read_bytes()
    data = bytearray(whole)
    data[len(whole) - 1 - byte] ^= 0xFF
    path.write_bytes(bytes(data))
    try:
        with open_zip(path, max_members=4) as archive:
            for name in archive.namelist():
                archive.read(name)
    except zipfile.BadZipFile:
        return
