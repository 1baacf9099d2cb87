"""Chroma as it dies: whatever happens to its folder, no process does, and every answer is that of exact search."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lorewright.errors import UnsafePath
from lorewright.index.generation import CHUNKS_FILE
from lorewright.index.vectors import chroma, chroma_building, chroma_files
from lorewright.index.vectors.chroma import ChromaIndex, open_chroma
from lorewright.index.vectors.chroma_building import build_chroma, chroma_state, rebuild_chroma
from lorewright.index.vectors.exact import WindowVectors, open_vectors
from lorewright.index.vectors.search import ChromaSearch, NearestSearch, ProposalFailed
from lorewright.telemetry import import_silenced
from support.sample_vectors import clustered, generation, with_chroma
from support.scale import scaled

SOURCE = Path(chroma.__file__).parents[3]
VECTORS = clustered(1, 400)
QUESTIONS = np.concatenate([clustered(2, 5), VECTORS[::100]])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = generation(tmp_path_factory.mktemp("built"), VECTORS)
    assert build_chroma(folder)
    import_silenced("chromadb")  # which takes a second or two, and is no test's
    return folder


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    return shutil.copytree(built, tmp_path / "generation")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name not in (chroma_files.LOCK, CHUNKS_FILE))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_answers_are_exact(folder: Path, index: ChromaIndex | None) -> None:
    windows = WindowVectors(open_vectors(folder), np.arange(len(VECTORS)))
    search: NearestSearch = windows if index is None else ChromaSearch(index, windows)
    for query in QUESTIONS:
        assert search.best_chunks(query, top=10) == windows.best_chunks(query, top=10)


@pytest.fixture
def probes(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The copies that were probed on opening."""
    asked: list[Path] = []

    def probed(copy: Path, *rest: object) -> bool:
        asked.append(copy)
        return chroma_building.probed(copy, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(chroma, "probed", probed)
    return asked


# As it should be


@pytest.mark.campaign
def test_what_was_built_is_found_and_stays_as_it_was(folder: Path, probes: list[Path]) -> None:
    before = contents(folder)
    for _ in range(2):
        with open_chroma(folder) as index:
            assert index.nearest(VECTORS[7], top=3)[0] in {7, *np.flatnonzero((VECTORS[7] == VECTORS).all(axis=1))}
            assert_answers_are_exact(folder, index)
    assert names(folder) == ["chroma", "vectors.npy"]
    assert {name: data for name, data in contents(folder).items() if name != chroma_files.LOCK} == before
    assert probes == []


@pytest.mark.campaign
def test_vectors_that_are_the_same_come_together(tmp_path: Path) -> None:
    with with_chroma(tmp_path, np.repeat(np.eye(3, dtype=np.float32), 40, axis=0)) as index:
        assert sorted(index.nearest(np.eye(3, dtype=np.float32)[1], top=1)) == list(range(40, 80))


@pytest.mark.campaign
def test_a_question_is_a_finite_vector(folder: Path) -> None:
    with open_chroma(folder) as index:
        for query, top in ((np.full(16, np.nan, dtype=np.float32), 1), (VECTORS[0], 0)):
            with pytest.raises(ValueError, match="finite"):
                index.nearest(query, top=top)
        assert index.nearest(VECTORS[0], top=1)


def test_a_closed_index_answers_no_more_and_closes_twice(folder: Path) -> None:
    index = open_chroma(folder)
    index.close()
    index.close()
    with pytest.raises(ProposalFailed):
        index.nearest(VECTORS[0], top=1)
    assert_answers_are_exact(folder, index)


@pytest.mark.parametrize("query", [VECTORS[0], np.zeros(3, dtype=np.float32)], ids=["panic", "another dimension"])
def test_after_a_failure_it_is_closed_and_free_for_others(
    folder: Path, query: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Panic(BaseException):
        """As the Rust half raises it."""

    def panic(**_: object) -> None:
        raise Panic

    index = open_chroma(folder)
    if len(query) == 16:
        monkeypatch.setattr(index._store._collections[0][0], "query", panic)
    with pytest.raises(ProposalFailed):
        index.nearest(query, top=1)
    assert names(folder) == ["chroma", "vectors.npy"]
    with open_chroma(folder) as again:
        assert_answers_are_exact(folder, again)


def test_a_fork_neither_asks_nor_closes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_chroma(folder) as index:
        with monkeypatch.context() as fork:
            fork.setattr(os, "getpid", lambda: -1)
            with pytest.raises(ProposalFailed):
                index.nearest(VECTORS[0], top=1)
            index.close()
        assert index.nearest(VECTORS[0], top=1)


# Building


@pytest.mark.campaign
@pytest.mark.parametrize(
    "vectors",
    [np.zeros((0, 4), np.float32), np.full((3, 4), np.nan, np.float32), np.zeros((3, 0), np.float32)],
    ids=["none", "not finite", "no dimensions"],
)
def test_what_cannot_be_built_leaves_nothing(tmp_path: Path, vectors: np.ndarray, capfd: pytest.CaptureFixture) -> None:
    folder = generation(tmp_path, vectors)
    assert not build_chroma(folder)
    assert names(folder) == ["vectors.npy"]
    assert capfd.readouterr() == ("", "")


def test_without_vectors_or_in_time_there_is_no_chroma(tmp_path: Path) -> None:
    assert not build_chroma(tmp_path)
    (tmp_path / "vectors.npy").write_bytes(b"no array")
    assert not build_chroma(tmp_path)
    assert not build_chroma(generation(tmp_path, VECTORS), timeout_s=0.05)
    assert names(tmp_path) == ["vectors.npy"]
    assert (chroma_state(tmp_path), open_chroma(tmp_path)) == ("absent", None)


@pytest.mark.campaign
def test_one_vector_is_enough(tmp_path: Path) -> None:
    with with_chroma(tmp_path, VECTORS[:1]) as index:
        assert index.nearest(QUESTIONS[0], top=9) == [0]


@pytest.mark.campaign
def test_where_one_stands_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor what the user's own variable names."""
    for name in ("here", "named"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "numpy.py").write_text("raise SystemExit(3)")
        (tmp_path / name / ".env").write_text("CHROMA_DB_IMPL=duckdb\n")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "named"))
    folder = generation(Path("relative"), VECTORS[:20])
    assert build_chroma(folder)
    assert chroma_state(folder) == "sound"
    with open_chroma(folder) as index:
        assert index.nearest(VECTORS[3], top=1)


@pytest.mark.campaign
def test_a_killed_builder_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance, start = random.Random(1), subprocess.Popen
    window = [4.0]

    def doomed(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
        process = start(*arguments, **options)  # type: ignore[call-overload]
        timer = threading.Timer(chance.uniform(0, window[0]), process.kill)
        timer.daemon = True
        timer.start()
        return process

    folder = generation(tmp_path, clustered(3, 2_000, dimensions=64))
    monkeypatch.setattr(subprocess, "Popen", doomed)
    outcomes = set()
    for _ in range(scaled(2)):
        outcomes.add(build_chroma(folder))
        assert names(folder) == (["chroma", "vectors.npy"] if (folder / "chroma").exists() else ["vectors.npy"])
        shutil.rmtree(folder / "chroma", ignore_errors=True)
        window[0] *= 0.9
    assert False in outcomes


@pytest.mark.campaign
def test_whoever_builds_may_be_killed(tmp_path: Path) -> None:
    folder = generation(tmp_path, clustered(3, 2_000, dimensions=64))
    chance = random.Random(2)
    for _ in range(scaled(1)):
        with started("build_chroma(folder)", folder) as process:
            time.sleep(chance.uniform(0.3, 4))
            process.kill()
        assert chroma_state(folder) in ("absent", "sound")
        shutil.rmtree(folder / "chroma", ignore_errors=True)
    # A builder that outlives whoever asked for it would write into what is built next.
    assert build_chroma(folder)
    assert (chroma_state(folder), names(folder)) == ("sound", ["chroma", "vectors.npy"])


# Damage

Damage = Callable[[Path, random.Random], object]


def flip(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice([1, 1, 3, 100])):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    data[chance.randrange(len(data))] ^= 0x55 if data == path.read_bytes() else 0
    path.write_bytes(bytes(data))


def truncate(path: Path, chance: random.Random) -> None:
    os.truncate(path, chance.randrange(path.stat().st_size))


def claim_terabytes(path: Path, _: random.Random) -> None:
    os.truncate(path, 1 << 40)


def become_pipe(path: Path, _: random.Random) -> None:
    path.unlink()
    os.mkfifo(path)


DAMAGES: dict[str, tuple[Damage, int]] = {
    "flipped": (flip, 24),
    "cut off": (truncate, 12),
    "terabytes": (claim_terabytes, 1),
    "pipe": (become_pipe, 1),
    "deleted": (lambda path, _: path.unlink(), 1),
    "dangling": (lambda path, _: (path.unlink(), path.symlink_to("nowhere")), 1),
}


@pytest.mark.campaign
@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_file_is_noticed_before_chroma_sees_it(built: Path, tmp_path: Path, kind: str) -> None:
    damage, times = DAMAGES[kind]
    chance = random.Random(kind)
    victims = [path.relative_to(built) for path in sorted((built / "chroma").rglob("*")) if path.is_file()]
    assert len(victims) == 15
    for victim in victims * times:
        folder = shutil.copytree(built, tmp_path / "generation")
        if kind == "cut off" and not (folder / victim).stat().st_size:
            (folder / victim).write_bytes(b"grown")
        elif (folder / victim).stat().st_size or kind != "flipped":
            damage(folder / victim, chance)
        else:
            (folder / victim).write_bytes(b"\0")
        assert open_chroma(folder) is None, victim
        assert names(folder) == ["chroma.broken", "vectors.npy"]
        assert chroma_state(folder) == "broken"
        shutil.rmtree(folder)


@pytest.mark.parametrize("kind", ["empty", "file"])
def test_what_is_no_folder_of_chromas_is_moved_aside(folder: Path, kind: str) -> None:
    shutil.rmtree(folder / "chroma")
    if kind == "empty":
        (folder / "chroma").mkdir()
    else:
        (folder / "chroma").write_text("chroma")
    assert chroma_state(folder) == "broken"
    assert open_chroma(folder) is None
    assert names(folder) == ["chroma.broken", "vectors.npy"]


def forge(folder: Path, name: str, size: int) -> None:
    """A seal as anybody can write one, which names one file more."""
    seal = folder / "chroma" / "seal"
    about = json.loads(seal.read_text().partition("\n")[2])
    about["files"][name] = [size, hashlib.blake2b(b"x" * size, digest_size=32).hexdigest()]
    body = json.dumps(about)
    seal.write_text(f"{hashlib.blake2b(body.encode(), digest_size=32).hexdigest()}\n{body}")


@pytest.mark.parametrize("name", ["../../../victim/bashrc", "d/../../../victim/bashrc", "/ABSOLUTE", "a\\b", "", "."])
def test_a_seal_that_names_files_outside_writes_none(folder: Path, name: str) -> None:
    victim = folder.parent / "victim"
    victim.mkdir(exist_ok=True)
    (victim / "bashrc").write_bytes(b"x" * 7)
    before = sorted(path for path in folder.parent.rglob("*") if folder not in path.parents)
    forge(folder, str(victim / "bashrc") if name == "/ABSOLUTE" else name, 7)
    assert open_chroma(folder) is None
    assert (victim / "bashrc").read_bytes() == b"x" * 7
    assert sorted(path for path in folder.parent.rglob("*") if folder not in path.parents) == before


def test_a_linked_file_or_one_more_file_breaks_the_seal(folder: Path) -> None:
    (folder.parent / "outside").write_bytes(b"x")
    (folder / "chroma" / "more").symlink_to(folder.parent / "outside")
    forge(folder, "more", 1)
    assert (chroma_state(folder), open_chroma(folder)) == ("broken", None)
    assert (folder.parent / "outside").read_bytes() == b"x"


def test_a_linked_chroma_is_neither_followed_nor_moved(folder: Path) -> None:
    (folder / "chroma").rename(folder.parent / "elsewhere")
    (folder / "chroma").symlink_to(folder.parent / "elsewhere")
    assert open_chroma(folder) is None
    with pytest.raises(UnsafePath):
        chroma_state(folder)
    assert not rebuild_chroma(folder)
    assert (folder / "chroma").is_symlink() and (folder.parent / "elsewhere" / "seal").is_file()


def test_other_vectors_than_it_was_built_of_are_noticed(folder: Path) -> None:
    generation(folder, VECTORS[:399])
    assert (chroma_state(folder), open_chroma(folder)) == ("broken", None)


@pytest.mark.campaign
def test_doctor_rebuilds_and_sweeps(folder: Path) -> None:
    truncate(next((folder / "chroma").glob("*.sqlite3")), random.Random(1))
    assert open_chroma(folder) is None
    for leftover in (chroma_files.BUILDING, chroma_files.OPEN):
        (folder / leftover).mkdir()
    assert rebuild_chroma(folder)
    assert (chroma_state(folder), names(folder)) == ("sound", ["chroma", "vectors.npy"])
    with open_chroma(folder) as index:
        assert_answers_are_exact(folder, index)
        assert not rebuild_chroma(folder)
        assert_answers_are_exact(folder, index)


# Other processes


def started(code: str, folder: Path) -> subprocess.Popen[bytes]:
    """Another process that runs the code."""
    imports = "import sys; from pathlib import Path; from lorewright.index.vectors.chroma import open_chroma; "
    imports += "from lorewright.index.vectors.chroma_building import build_chroma; folder = Path(sys.argv[1]); "
    command = [sys.executable, "-c", imports + code, str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "TMPDIR": str(folder.parent)}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)


@pytest.mark.campaign
def test_while_another_process_has_it_search_is_exact_and_after_its_death_it_is_probed(
    folder: Path, probes: list[Path]
) -> None:
    code = "index = open_chroma(folder); print(index is not None, flush=True); sys.stdin.read()"
    with started(code, folder) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"True\n"
        assert open_chroma(folder) is None
        assert not rebuild_chroma(folder)
        assert chroma_state(folder) == "sound"
        assert_answers_are_exact(folder, None)
        process.kill()
    assert "chroma.open" in names(folder)
    with open_chroma(folder) as index:
        assert len(probes) == 1
        assert_answers_are_exact(folder, index)
    with open_chroma(folder):
        assert len(probes) == 1


@pytest.mark.campaign
def test_what_another_version_of_chroma_built_is_probed(
    folder: Path, probes: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chroma_files, "chroma_version", lambda: "99")
    with open_chroma(folder) as index:
        assert_answers_are_exact(folder, index)
    assert len(probes) == 1
    monkeypatch.setattr(chroma, "probed", lambda *_: False)
    assert open_chroma(folder) is None
    assert names(folder) == ["chroma.broken", "vectors.npy"]


def test_a_disk_that_refuses_is_no_damage(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(chroma, "copy_sealed", full)
        assert open_chroma(folder) is None
    with open_chroma(folder) as index:
        assert_answers_are_exact(folder, index)
