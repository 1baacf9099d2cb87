"""A container gives what was put in, byte for byte, or refuses."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorewright.errors import DamagedFile
from lorewright.storage.containers import MANIFEST, open_container, write_container


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


def test_what_fails_while_it_is_written_leaves_nothing(tmp_path: Path) -> None:
    def members() -> object:
        yield "a", b"x"
        raise RuntimeError("the source is gone")

    with pytest.raises(RuntimeError):
        write_container(tmp_path / "file", {}, members())  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
