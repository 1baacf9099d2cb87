"""The kept texts of packs: what is kept is unpacked as it was, and an archive that grows past all bounds is refused."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from lorewright.campaigns.store import StoredPackTexts
from lorewright.errors import NotFound
from lorewright.packs import files as limits

NAME = "ab" * 32


def kept(folder: Path, members: dict[str, bytes]) -> StoredPackTexts:
    with zipfile.ZipFile(folder / f"{NAME}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return StoredPackTexts(folder)


@pytest.mark.parametrize(
    "members",
    [
        {"a.md": bytes(limits.MAX_FILE_BYTES + 1)},
        {f"{number}.md": bytes(8 << 20) for number in range(5)},
    ],
    ids=["one file that is too large", "many that are too large together"],
)
def test_an_archive_that_unpacks_to_too_much_is_told_as_damaged(tmp_path: Path, members: dict[str, bytes]) -> None:
    packs = kept(tmp_path, members)
    into = tmp_path / "into"
    into.mkdir()
    with pytest.raises(NotFound, match="damaged"):
        packs.unpack(NAME, into)
    assert sum(path.stat().st_size for path in into.iterdir()) <= limits.MAX_FILE_BYTES
    assert packs.problem_with(NAME)


def test_what_is_kept_is_unpacked_as_it_was(tmp_path: Path) -> None:
    members = {"pack.yaml": b"id: town\n", "npcs/osk.md": b"# Osk\n" * 10_000}
    into = tmp_path / "into"
    into.mkdir()
    kept(tmp_path, members).unpack(NAME, into)
    assert {path.relative_to(into).as_posix(): path.read_bytes() for path in into.rglob("*.*")} == members
