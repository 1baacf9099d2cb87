"""A fetcher that is killed at any moment, and many that fetch at once: what is in the folder is whole, and the next one
sweeps the rest."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lorewright.index.artifacts.store_library import FOLDER
from lorewright.index.generation import GenerationKey
from lorewright.storage.faults import FETCH_STEPS, KILL_VARIABLE, PUSH_STEPS
from support import pushed_packs as p
from support.pushed_packs import author, fetched_folders, installed, leftovers, pushed, store_of, worker
from support.scale import scaled

pytestmark = pytest.mark.campaign

ROOT = Path(__file__).parents[2]
# Fetches packs one after the other with room for two of them, so that it removes others as it goes.
FETCH = """
import sys
from pathlib import Path
from support.pushed_packs import worker
from lorewright.index.generation import GenerationKey
root, url, room, *keys = sys.argv[1:]
library = worker(Path(root), url, room_bytes=int(room))
print("ready", flush=True)
for text in keys:
    generation = library.open(GenerationKey(*text.split("=")))
    assert generation.all_chunks()
    assert generation.without_vectors is None and generation.vectors is not None
    generation.close()
print("done", flush=True)
"""
PUSH = """
import sys
from pathlib import Path
from support.pushed_packs import author, pushed
root, url = sys.argv[1:]
for pack in author(Path(root)).packs():
    pushed(Path(root), url, pack)
"""


def started(code: str, *arguments: str, kill_at: str = "") -> subprocess.Popen[bytes]:
    paths = os.pathsep.join((str(ROOT / "src"), str(ROOT / "tests")))
    environment = {**os.environ, "PYTHONPATH": paths, KILL_VARIABLE: kill_at}
    return subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, env=environment)


def texts(keys: list[GenerationKey]) -> list[str]:
    return [f"{key.pack_id}={key.content_hash}" for key in keys]


@pytest.fixture
def keys(tmp_path: Path) -> list[GenerationKey]:
    packs = [installed(tmp_path, f"town{number}") for number in range(4)]
    for pack in packs:
        pushed(tmp_path, store_of(tmp_path), pack)
    return [pack.key for pack in packs]


def one_size(tmp_path: Path, key: GenerationKey) -> int:
    library = worker(tmp_path, store_of(tmp_path), "measured")
    generation = library.open(key)
    generation.close()
    return sum(path.stat().st_size for path in generation.folder.iterdir())


def check_whole(tmp_path: Path, keys: list[GenerationKey], room: int) -> None:
    """Whatever was left: each generation opens whole, nothing else stands there, and the folder keeps to its room."""
    library = worker(tmp_path, store_of(tmp_path), room_bytes=room)
    for key in keys:
        generation, own = library.open(key), author(tmp_path).open(key)
        for name in ("chunks.db", "chunks.sha256", "vectors.npy", "vectors.json"):
            assert (generation.folder / name).read_bytes() == (own.folder / name).read_bytes()
        generation.close()
        own.close()
    assert leftovers(library) == []
    assert sum(path.stat().st_size for path in (tmp_path / "worker" / FOLDER).glob("[!.]*/*/*")) <= room


@pytest.mark.parametrize("step", FETCH_STEPS)
def test_a_fetcher_that_dies_at_a_step_leaves_what_the_next_one_sweeps(
    tmp_path: Path, keys: list[GenerationKey], step: str
) -> None:
    room = int(2.5 * one_size(tmp_path, keys[0]))
    child = started(FETCH, str(tmp_path), store_of(tmp_path), str(room), *texts(keys), kill_at=step)
    child.communicate(timeout=120)
    assert child.returncode == -signal.SIGKILL
    check_whole(tmp_path, keys, room)


def test_a_fetcher_that_is_killed_at_random_moments_leaves_nothing_half_done(
    tmp_path: Path, keys: list[GenerationKey]
) -> None:
    room, chance = int(2.5 * one_size(tmp_path, keys[0])), random.Random(7)
    for number in range(scaled(15)):
        child = started(FETCH, str(tmp_path), store_of(tmp_path), str(room), *texts(keys * 3))
        assert child.stdout is not None and child.stdout.readline() == b"ready\n"
        time.sleep(chance.uniform(0, 0.4))
        child.kill()
        child.communicate()
        if number % 5 == 4:
            check_whole(tmp_path, keys, room)
    check_whole(tmp_path, keys, room)


def test_fetchers_at_once_each_get_all_of_it(tmp_path: Path, keys: list[GenerationKey]) -> None:
    room = int(2.5 * one_size(tmp_path, keys[0]))
    children = [
        started(FETCH, str(tmp_path), store_of(tmp_path), str(room), *texts(keys[at % 4 :] + keys * 3))
        for at in range(scaled(4))
    ]
    told = [child.communicate(timeout=240)[0] for child in children]
    assert told == [b"ready\ndone\n"] * len(children)
    check_whole(tmp_path, keys, room)


@pytest.mark.parametrize("step", PUSH_STEPS)
def test_a_push_that_dies_shows_nothing_half_and_is_taken_up_by_the_next(tmp_path: Path, step: str) -> None:
    pack, url = installed(tmp_path), store_of(tmp_path)
    child = started(PUSH, str(tmp_path), url, kill_at=step)
    child.communicate(timeout=120)
    # No text is pushed here.
    assert child.returncode == (0 if step == "push:text" else -signal.SIGKILL)
    library = worker(tmp_path, url)
    if step in ("push:object", "push:manifest"):
        assert library.packs() == []
    for each in library.packs():
        library.open(each.key).close()
    pushed(tmp_path, url, pack)
    p.worker(tmp_path, url, "another").open(pack.key).close()


def test_one_that_is_open_is_not_removed_by_another_process(tmp_path: Path, keys: list[GenerationKey]) -> None:
    size = one_size(tmp_path, keys[0])
    library = worker(tmp_path, store_of(tmp_path), room_bytes=size)
    generation = library.open(keys[0])
    child = started(FETCH, str(tmp_path), store_of(tmp_path), str(size), *texts(keys[1:]))
    assert child.communicate(timeout=120)[0] == b"ready\ndone\n"
    assert generation.folder.name in fetched_folders(library)
    generation.close()
    child = started(FETCH, str(tmp_path), store_of(tmp_path), str(size), *texts(keys[2:3]))
    assert child.communicate(timeout=120)[0] == b"ready\ndone\n"
    assert generation.folder.name not in fetched_folders(library)
