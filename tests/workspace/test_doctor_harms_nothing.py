"""A doctor destroys nothing that is sound, and follows no link: what cannot be examined is told of and left."""

from __future__ import annotations

import errno
import os
import random
import resource
import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.errors import Busy, DiskFull, FileUnavailable, ReadOnly, UnsafePath
from lorewright.index.vectors import chroma_files
from lorewright.settings import EMBEDDER_VARIABLE
from lorewright.storage import database
from lorewright.storage.enclosure import error_for
from lorewright.workspace.doctor import DoctorReport
from support import harbour as h

# How often the list of packs and the kept vectors are hit; many more by hand.
FLIPS = int(os.environ.get("LOREWRIGHT_FLIPS", "3"))


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> App:
    """Harbour is installed with vectors from a folder of the workspace, and the campaign `game` pins it."""
    monkeypatch.setenv(EMBEDDER_VARIABLE, "hashing")
    return h.harbour(tmp_path)


def again(app: App) -> App:
    return open_app(app.workspace.root)


def codes(report: DoctorReport) -> list[str]:
    return [one.fault.code for one in report.treated]


def bytes_of(app: App) -> dict[str, bytes]:
    """Every file that doctor could destroy, and what is in it."""
    files = (path for path in app.workspace.indexes.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path): path.read_bytes() for path in files if not path.name.endswith((".lock", "-shm", "-wal"))}


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A folder of the user's that is no business of ours."""
    folder = tmp_path / "victim"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "thesis.txt").write_text("years of work")
    with sqlite3.connect(folder / "wallet.db") as wallet:
        wallet.execute("CREATE TABLE coins (n)")
    wallet.close()
    return folder


LINKS = [
    "indexes/generations/holiday",
    "indexes/generations/.building-99",
    "indexes/generations/harbour/0123-keywords-f1",
    "indexes/history",
    "campaigns/packs-kept/link",
]


@pytest.mark.parametrize("where", LINKS)
def test_a_link_is_a_finding_and_is_never_followed_or_deleted(app: App, victim: Path, where: str) -> None:
    before = {path: path.read_bytes() for path in victim.rglob("*") if path.is_file()}
    link = app.workspace.root / where
    shutil.rmtree(link, ignore_errors=True)
    link.symlink_to(victim)
    looked, mended = again(app).doctor.examine(), again(app).doctor.mend()
    for report in (looked, mended):
        assert not report.clean
        told = [(one.fault.where, one.done) for one in report.treated if one.fault.code == "link-found"]
        assert told == [(where, "left as it is")]
        assert all(str(link) in str(one.left) for one in report.treated if one.fault.code == "link-found")
    assert {path: path.read_bytes() for path in victim.rglob("*") if path.is_file()} == before
    assert link.is_symlink()


@pytest.mark.parametrize("where", ["indexes", "indexes/generations", "campaigns"])
def test_where_a_folder_of_ours_is_a_link_nothing_is_judged(app: App, where: str) -> None:
    folder = app.workspace.root / where
    away = folder.rename(app.workspace.root.parent / "away")
    folder.symlink_to(away)
    files = {path: path.read_bytes() for path in away.rglob("*") if path.is_file()}
    for report in (again(app).doctor.examine(), again(app).doctor.mend()):
        assert (codes(report), report.clean) == (["link-found"], False)
    assert {path: path.read_bytes() for path in away.rglob("*") if path.is_file()} == files
    with pytest.raises(UnsafePath) as caught:
        again(app).campaigns.new("night_boat") if where == "campaigns" else again(app).indexer.reindex("harbour")
    for hint in (caught.value.hint, report.treated[0].left):
        assert all(way in str(hint) for way in ("delete the link", "mount", "LOREWRIGHT_WORKSPACE"))


@pytest.mark.parametrize(
    "where", ["indexes/history/game.db", "indexes/library.db", "campaigns/game.db", "indexes/x.db"]
)
def test_a_journal_that_names_a_file_is_a_finding_and_is_left(app: App, victim: Path, where: str) -> None:
    wallet, journal = victim / "wallet.db", app.workspace.root / f"{where}-journal"
    before, named = wallet.read_bytes(), str(wallet).encode()
    journal.parent.mkdir(exist_ok=True)
    magic = bytes.fromhex("d9d505f920a163d7")
    data = b"\0" * 4 + named + struct.pack(">II", len(named), sum(named)) + magic
    journal.write_bytes(data)
    for report in (again(app).doctor.examine(), again(app).doctor.mend()):
        assert not report.clean
        (treated,) = [one for one in report.treated if one.fault.code == "journal-found"]
        assert (treated.fault.kind, treated.fault.where, treated.done) == (
            "foreign",
            f"{where}-journal",
            "left as it is",
        )
        assert str(journal) in str(treated.left)
    assert (wallet.read_bytes(), journal.read_bytes()) == (before, data)
    journal.unlink()
    assert again(app).doctor.mend().clean


def test_a_journal_of_a_process_that_died_is_no_finding(app: App) -> None:
    journal = app.workspace.campaigns / "game.db-journal"
    journal.write_bytes(b"\0" * 512)
    assert again(app).doctor.examine().clean


def test_a_list_with_a_second_name_is_not_written_and_says_what_to_do(app: App, victim: Path) -> None:
    library = app.workspace.indexes / "library.db"
    library.unlink()
    library.hardlink_to(victim / "wallet.db")
    before = (victim / "wallet.db").read_bytes()
    for report in (again(app).doctor.examine(), again(app).doctor.mend()):
        assert not report.clean
        assert any("second name" in one.fault.state and "cp -p" in str(one.left) for one in report.treated)
    assert (victim / "wallet.db").read_bytes() == before


def test_links_beside_what_is_used_stop_nobody(app: App, victim: Path) -> None:
    (app.library.generations / "holiday").symlink_to(victim)
    (app.library.generations / ".building-99").symlink_to(victim)
    (app.workspace.content_packs / ".copying-9").symlink_to(victim)
    (app.workspace.content_packs / "harbour" / "npcs" / "lin.md").write_text("# Lin\n\nNew.\n")
    assert app.indexer.reindex("harbour").built
    assert (victim / "docs" / "thesis.txt").exists()


def test_a_list_that_names_folders_outside_is_damaged(app: App, victim: Path) -> None:
    for column, value in (("id", "../../../victim"), ("content_hash", "/../../../../victim/docs")):
        with sqlite3.connect(app.workspace.indexes / "library.db") as rows:
            rows.execute(f"UPDATE content_packs SET {column} = ?", (value,))
        rows.close()
        assert "library-damaged" in codes(again(app).doctor.mend())
        assert again(app).doctor.mend().clean
        assert (victim / "docs" / "thesis.txt").exists()


def test_a_campaign_that_pins_a_folder_outside_shields_what_it_may_need(app: App, victim: Path) -> None:
    with sqlite3.connect(app.workspace.campaigns / "game.db") as rows:
        rows.execute("UPDATE pack_pins SET pack_id = '../../../victim'")
    rows.close()
    report = again(app).doctor.mend()
    assert report.facts.unreadable_campaigns == ("game",)
    with pytest.raises(UnsafePath), again(app).campaigns.open("game"):
        raise AssertionError("it was opened")
    assert (victim / "docs" / "thesis.txt").exists()


class _Refusing(sqlite3.Connection):
    """A connection to a file on a disk that refuses: `code` is what SQLite says."""

    code = sqlite3.SQLITE_FULL

    def execute(self, sql: str, parameters: object = (), /) -> sqlite3.Cursor:
        problem = sqlite3.OperationalError("the disk refuses")
        problem.sqlite_errorcode = self.code
        raise problem


TROUBLES: dict[str, tuple[object, type[FileUnavailable]]] = {
    "full": (sqlite3.SQLITE_FULL, DiskFull),
    "no room": (OSError(errno.ENOSPC, "No space left on device"), DiskFull),
    "over quota": (OSError(errno.EDQUOT, "Disk quota exceeded"), DiskFull),
    "read-only": (OSError(errno.EROFS, "Read-only file system"), ReadOnly),
    "no right": (OSError(errno.EACCES, "Permission denied"), ReadOnly),
    "too many open files": (OSError(errno.EMFILE, "Too many open files"), FileUnavailable),
    "cannot open": (sqlite3.SQLITE_CANTOPEN, FileUnavailable),
    "I/O error": (sqlite3.SQLITE_IOERR_WRITE, FileUnavailable),
    "locked": (sqlite3.SQLITE_BUSY, Busy),
}


@pytest.mark.parametrize("name", TROUBLES)
def test_a_disk_that_refuses_is_no_damage(app: App, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    trouble, kind = TROUBLES[name]

    def refused(path: Path, **_: object) -> sqlite3.Connection:
        if isinstance(trouble, OSError):
            raise trouble
        monkeypatch.setattr(_Refusing, "code", trouble)
        return _Refusing(":memory:")

    before = bytes_of(app)
    monkeypatch.setattr(database.sqlite3, "connect", refused)
    with pytest.raises(kind):
        database.Database(app.workspace.indexes / "library.db")
    for report in (again(app).doctor.examine(), again(app).doctor.mend(), again(app).doctor.mend()):
        assert not report.clean
        assert set(codes(report)) == {"not-examined"}
        assert {one.done for one in report.treated} == {"left as it is"}
    monkeypatch.undo()
    monkeypatch.setenv(EMBEDDER_VARIABLE, "hashing")
    assert bytes_of(app) == before
    assert again(app).doctor.mend().treated == ()


def test_a_file_that_another_process_holds_is_no_damage(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    before = bytes_of(app)
    monkeypatch.setattr(database, "LOCK_TIMEOUT_S", 0.05)
    held = database.Enclosure(app.workspace.indexes).locked
    with held(app.workspace.indexes / "library.db.lock"), held(app.workspace.indexes / "embeddings.db.lock"):
        for report in (again(app).doctor.examine(), again(app).doctor.mend()):
            assert codes(report) == ["not-examined", "not-examined"]
            assert not report.clean
        with pytest.raises(Busy):
            again(app).library.packs()
    assert bytes_of(app) == before


def _write_nothing() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


@pytest.mark.campaign
def test_a_process_that_may_write_nothing_destroys_nothing(app: App) -> None:
    before = bytes_of(app)
    for arguments in (["doctor"], ["pack", "list"]):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "lorewright", *arguments],
            env={**os.environ, "LOREWRIGHT_WORKSPACE": str(app.workspace.root), "PYTHONDONTWRITEBYTECODE": "1"},
            preexec_fn=_write_nothing,
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 1, done
        assert b"Traceback" not in done.stderr and b"damaged and begun anew" not in done.stdout
    assert bytes_of(app) == before
    assert again(app).doctor.mend().treated == ()


def test_vectors_that_were_damaged_are_kept_aside(app: App) -> None:
    path = app.workspace.indexes / "embeddings.db"
    path.write_bytes(b"no database" * 1000)
    report = again(app).doctor.mend()
    assert report.treated[0].done == "moved to embeddings.db.damaged and begun anew"
    assert path.with_name("embeddings.db.damaged").read_bytes() == b"no database" * 1000


@pytest.mark.campaign
def test_what_is_indexed_of_a_lost_pack_is_kept_for_as_long_as_the_damaged_list_is(app: App, tmp_path: Path) -> None:
    other = h.write_pack(tmp_path / "other", {**h.FILES, "pack.yaml": "id: other\n"})
    app.packs.install(other)
    (app.workspace.indexes / "library.db").write_bytes(b"no database" * 1000)
    again(app).doctor.mend()
    for _ in range(2):
        report = again(app).doctor.mend()
        assert not report.clean and (app.library.generations / "other").is_dir()
    (app.workspace.indexes / "library.db.damaged").unlink()
    assert again(app).doctor.mend().clean
    assert not (app.library.generations / "other").exists()


def test_a_pack_of_the_workspace_that_was_never_indexed_is_not_installed_by_a_doctor(app: App) -> None:
    h.write_pack(app.workspace.content_packs / "spare", {**h.FILES, "pack.yaml": "id: spare\n"})
    (app.workspace.indexes / "library.db").write_bytes(b"no database" * 1000)
    assert again(app).doctor.mend().clean
    assert [pack.id for pack in again(app).library.packs()] == ["harbour"]


def test_a_pack_that_a_campaign_pins_and_of_which_nothing_was_indexed_is_not_installed(app: App) -> None:
    shutil.rmtree(app.library.generations)
    (app.workspace.indexes / "library.db").write_bytes(b"no database" * 1000)
    again(app).doctor.mend()
    assert again(app).library.packs() == []
    with again(app).campaigns.open("game") as campaign:
        assert campaign.store.campaign().pins


def hit(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    place = chance.randrange(len(data))
    data[place] = chance.choice([data[place] ^ (1 << chance.randrange(8)), chance.randrange(256), 0xE7])
    path.write_bytes(data)


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["library.db", "embeddings.db"])
def test_whatever_byte_is_hit_a_doctor_comes_to_an_end_and_all_works_again(app: App, name: str) -> None:
    path = app.workspace.indexes / name
    shutil.copytree(app.workspace.indexes, app.workspace.root / "sound")
    for seed in range(FLIPS):
        hit(path, random.Random(f"{name} {seed}"))
        again(app).doctor.mend()
        assert [pack.id for pack in again(app).library.packs()] == ["harbour"], seed
        assert again(app).indexer.reindex("harbour").not_embedded is None, seed
        assert again(app).doctor.mend().clean, seed
        shutil.rmtree(app.workspace.indexes)
        shutil.copytree(app.workspace.root / "sound", app.workspace.indexes)


def test_a_schema_that_is_no_text_any_more_is_damage_and_not_a_traceback(app: App) -> None:
    path = app.workspace.indexes / "library.db"
    path.with_name("library.db-wal").unlink(missing_ok=True)
    data = bytearray(path.read_bytes())
    data[data.index(b"CREATE TABLE content_packs") + 3] = 0xE7
    path.write_bytes(data)
    report = again(app).doctor.mend()
    assert codes(report)[0] == "library-damaged" and report.clean
    assert [pack.id for pack in again(app).library.packs()] == ["harbour"]


@pytest.mark.parametrize(
    ("column", "value"), [("depends_on_json", "[" * 5000), ("path", "content_packs\0harbour"), ("path", "/nowhere")]
)
def test_a_list_with_a_field_that_no_install_writes_is_begun_anew(app: App, column: str, value: str) -> None:
    path = app.workspace.indexes / "library.db"
    with sqlite3.connect(path) as rows:
        rows.execute(f"UPDATE content_packs SET {column} = ?", (value,))
    rows.close()
    if column == "path" and "\0" not in value:
        # A folder that is gone is no damage, until nothing else of the list can be read.
        with sqlite3.connect(path) as rows:
            rows.execute("UPDATE content_packs SET depends_on_json = 'x'")
        rows.close()
    report = again(app).doctor.mend()
    assert codes(report)[0] == "library-damaged" and report.clean
    assert [pack.id for pack in again(app).library.packs()] == ["harbour"]


def test_while_the_folder_of_the_campaigns_is_away_nothing_is_judged_by_it(app: App) -> None:
    h.say(app, "look")
    history = app.workspace.indexes / "history"
    history.mkdir(exist_ok=True)
    (history / "game.db").touch()
    away = app.workspace.campaigns.with_name("on another disk")
    app.workspace.campaigns.rename(away)
    for look in (again(app).doctor.examine, again(app).doctor.mend):
        report = look()
        assert codes(report) == ["not-examined"]
        assert report.treated[0].fault.where == "campaigns" and (history / "game.db").exists()
    away.rename(app.workspace.campaigns)


def test_trouble_without_a_file_is_told_too() -> None:
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL
    told: Callable[[Exception], str] = lambda problem: error_for(problem, None).code  # noqa: E731
    assert [told(full), told(OSError(errno.EROFS, "no")), told(sqlite3.DatabaseError("malformed"))] == [
        "disk_full",
        "read_only",
        "file_damaged",
    ]


def test_a_searched_generation_whose_lock_is_a_link_is_left(app: App, victim: Path) -> None:
    folder = app.library.spaces(app.library.get("harbour").key)["hashing-256"]
    (folder / chroma_files.LOCK).symlink_to(victim / "wallet.db")
    assert chroma_files.lock(folder) is None
    assert "kestrel" in h.query(again(app), "kestrel", "gm", campaign=None)
