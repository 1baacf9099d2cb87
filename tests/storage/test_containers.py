"""A container gives what was put in, byte for byte, or refuses."""

from __future__ import annotations

import errno
import json
import os
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorewright.errors import DamagedFile, UnsafePath
from lorewright.storage.containers import MANIFEST, open_container, write_container
from support.scale import scaled


def read(path: Path) -> tuple[dict[str, object], dict[str, bytes]]:
    with open_container(path) as container:
        return dict(container.about), {name: container.read(name) for name in container.names}


def test_what_goes_in_comes_out(tmp_path: Path) -> None:
    members = {"a/b.txt": b"one", "ü.bin": bytes(range(256)) * 100, "empty": b""}
    write_container(tmp_path / "file", {"kind": "test"}, members.items())
    assert read(tmp_path / "file") == ({"kind": "test"}, members)


def test_a_file_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(FileExistsError):
        write_container(tmp_path / "file", {}, [("a", b"x")])
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("said", [errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOTSUP, errno.EXDEV])
def test_a_disk_without_hard_links_holds_whole_files_too_and_never_replaces_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: int
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(said, os.strerror(said))

    monkeypatch.setattr(os, "link", refuse)
    write_container(tmp_path / "file", {"kind": "test"}, [("a", b"x")])
    with pytest.raises(FileExistsError):
        write_container(tmp_path / "file", {"kind": "other"}, [])
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert read(tmp_path / "file") == ({"kind": "test"}, {"a": b"x"})


def test_a_link_to_a_folder_is_a_place_to_write_to_and_a_link_of_that_name_is_none(tmp_path: Path) -> None:
    (tmp_path / "stick").mkdir()
    (tmp_path / "link").symlink_to("stick")
    (tmp_path / "stick" / "other").symlink_to(tmp_path / "elsewhere")
    write_container(tmp_path / "link" / "file", {}, [])
    with pytest.raises(UnsafePath):
        write_container(tmp_path / "link" / "other", {}, [])
    assert sorted(path.name for path in (tmp_path / "stick").iterdir()) == ["file", "other"]
    assert not (tmp_path / "elsewhere").exists()


def test_what_fails_while_it_is_written_leaves_nothing(tmp_path: Path) -> None:
    def members() -> object:
        yield "a", b"x"
        raise RuntimeError("the source is gone")

    with pytest.raises(RuntimeError):
        write_container(tmp_path / "file", {}, members())  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=scaled(50), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255), cut=st.booleans())
def test_whatever_is_done_to_a_byte_what_is_read_is_what_was_written(
    tmp_path: Path, place: float, flip: int, cut: bool
) -> None:
    members = {"one": b"the first of two" * 20, "two": b"the second of two" * 20}
    source, spoilt = tmp_path / "file", tmp_path / "spoilt"
    if not source.exists():
        write_container(source, {"kind": "test"}, members.items())
    data = bytearray(source.read_bytes())
    at = int(len(data) * place)
    if cut:
        del data[at:]
    else:
        data[at] ^= flip
    spoilt.write_bytes(data)
    try:
        assert read(spoilt) == ({"kind": "test"}, members)
    except DamagedFile as problem:
        assert problem.hint


def zipped(path: Path, members: dict[str, bytes], listed: object) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (*members.items(), (MANIFEST, json.dumps({"members": listed}).encode())):
            # As ours are written, but for what a test is about.
            archive.writestr(zipfile.ZipInfo(name), data)
    return path


@pytest.mark.parametrize(
    "listed",
    [
        {},
        {"a": {"sha256": "0" * 64, "bytes": 1}},
        {"a": {"sha256": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881", "bytes": 2}},
        {"a": {"sha256": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881", "bytes": 1}, "b": {}},
        {"a": {"sha256": 7, "bytes": 1}},
        {"a": {"sha256": "0" * 64, "bytes": 1 << 40}},
        {"a": {"sha256": "0" * 64, "bytes": -1}},
        {"a": {"sha256": "0" * 64, "bytes": True}},
        [],
        None,
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(tmp_path: Path, listed: object) -> None:
    with pytest.raises(DamagedFile):
        read(zipped(tmp_path / "file", {"a": b"x"}, listed))


def test_a_member_that_is_larger_than_it_says_is_read_no_further(tmp_path: Path) -> None:
    listed = {"a": {"sha256": "0" * 64, "bytes": 10}}
    path = zipped(tmp_path / "file", {"a": b"0" * (32 << 20)}, listed)
    with open_container(path) as container, pytest.raises(DamagedFile, match="not what was written"):
        container.read("a")


@pytest.mark.campaign
def test_lines_come_one_by_one_and_need_no_more_memory_than_one(tmp_path: Path) -> None:
    lines = [f"[{number},{'x' * 90}]\n".encode() for number in range(40_000)]
    write_container(tmp_path / "file", {}, [("rows", b"".join(lines))])
    with open_container(tmp_path / "file") as container:
        tracemalloc.start()
        try:
            assert sum(len(line) for line in container.lines("rows", max_bytes=200)) == sum(map(len, lines))
            assert tracemalloc.get_traced_memory()[1] < 400_000
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize(
    ("data", "told"), [(b"one\n" + b"x" * 201 + b"\n", "has a line over"), (b"one\ntwo", "in the midst of a line")]
)
def test_a_line_that_is_too_long_or_does_not_end_is_refused(tmp_path: Path, data: bytes, told: str) -> None:
    write_container(tmp_path / "file", {}, [("rows", data)])
    with open_container(tmp_path / "file") as container:
        lines = container.lines("rows", max_bytes=200)
        assert next(lines) == b"one\n"
        with pytest.raises(DamagedFile, match=told):
            next(lines)


def test_lines_that_are_not_those_that_were_written_end_in_an_error(tmp_path: Path) -> None:
    listed = {"a": {"sha256": "0" * 64, "bytes": 8}}
    with open_container(zipped(tmp_path / "file", {"a": b"one\ntwo\n"}, listed)) as container:
        with pytest.raises(DamagedFile, match="not what was written"):
            list(container.lines("a", max_bytes=100))
        with pytest.raises(DamagedFile, match="missing"):
            list(container.lines("b", max_bytes=100))


def test_what_unpacks_to_much_more_than_it_is_long_is_refused_before_a_member_is_read(tmp_path: Path) -> None:
    write_container(tmp_path / "file", {}, [("a", bytes(33 << 20))])
    with pytest.raises(DamagedFile, match="over 200 times"), open_container(tmp_path / "file"):
        pass


def test_what_says_that_it_unpacks_to_more_than_any_campaign_is_refused(tmp_path: Path) -> None:
    listed = {"a": {"sha256": "0" * 64, "bytes": (512 << 20) + 1}}
    with (
        pytest.raises(DamagedFile, match="over 512 MiB"),
        open_container(zipped(tmp_path / "file", {"a": b""}, listed)),
    ):
        pass


@pytest.mark.parametrize("more", [[[]] * 700_000, [1] * 700_000])
def test_a_manifest_that_holds_more_than_a_list_of_members_is_not_read(tmp_path: Path, more: object) -> None:
    write_container(tmp_path / "file", {"more": more}, [])
    with pytest.raises(DamagedFile, match="holds too much"), open_container(tmp_path / "file"):
        pass


def test_a_member_larger_than_asked_for_is_refused_by_name(tmp_path: Path) -> None:
    write_container(tmp_path / "file", {}, [("a", bytes(5000))])
    with open_container(tmp_path / "file") as container, pytest.raises(DamagedFile, match="a in it is over 4 KiB"):
        container.read("a", max_bytes=4096)
