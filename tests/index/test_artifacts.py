"""Generations in a store: pushed once, fetched whole or not at all, never other bytes than were pushed."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from lorewright.errors import DamagedFile, LoreStoreUnavailable, SettingsError, StaleIndexError
from lorewright.index.artifacts.lore_store import LoreStore
from lorewright.index.artifacts.objects import ObjectStore
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.generation import GenerationKey
from support import pushed_packs as p

SPACE = "hashing-256"


@pytest.fixture
def url(tmp_path: Path) -> str:
    return p.store_of(tmp_path)


class TurnedEmbedder(HashingEmbedder):
    """The same fingerprint, and vectors that lie elsewhere, as those of another processor would."""

    def __init__(self, by: float) -> None:
        super().__init__()
        self._by = by

    def embed(self, texts: Sequence[str]) -> Vectors:
        found = super().embed(texts).astype(np.float64)
        found[:, 0] += self._by
        return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def test_a_worker_without_packs_lists_and_opens_what_was_pushed(tmp_path: Path, url: str) -> None:
    pack = p.installed(tmp_path)
    p.pushed(tmp_path, url, pack)
    library = p.worker(tmp_path, url)
    assert [each.key for each in library.packs()] == [pack.key]
    assert library.has(pack.key)
    generation, own = library.open(pack.key), p.author(tmp_path).open(pack.key)
    assert generation.vectors is not None and own.vectors is not None
    assert np.array_equal(generation.vectors.vectors, own.vectors.vectors)
    assert [chunk.text for chunk in generation.all_chunks()] == [chunk.text for chunk in own.all_chunks()]
    assert (generation.folder / "chunks.db").read_bytes() == (own.folder / "chunks.db").read_bytes()
    generation.close()
    own.close()
    assert p.leftovers(library) == []


def test_pushing_twice_sends_nothing(tmp_path: Path, url: str) -> None:
    pack = p.installed(tmp_path)
    assert p.pushed(tmp_path, url, pack) == 4  # the tables once, though two generations have them
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "store").rglob("*") if path.is_file()}
    assert p.pushed(tmp_path, url, pack) == 0
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "store").rglob("*") if path.is_file()} == files


def test_a_newer_text_becomes_current_and_the_older_stays_for_those_who_pin_it(tmp_path: Path, url: str) -> None:
    old = p.installed(tmp_path)
    p.pushed(tmp_path, url, old)
    library = p.worker(tmp_path, url)
    new = p.installed(tmp_path, more="News.")
    p.pushed(tmp_path, url, new)
    assert old.key != new.key
    assert library.get("town").key == new.key
    for key in (old.key, new.key):
        with_text = library.open(key)
        assert any("News." in chunk.text for chunk in with_text.all_chunks()) is (key == new.key)
        with_text.close()


def test_the_list_of_packs_is_read_anew_beside_those_who_ask(tmp_path: Path, url: str) -> None:
    pack, now = p.installed(tmp_path), [0.0]
    store = LoreStore(url, clock=lambda: now[0])
    assert store.pointers() == {}
    p.pushed(tmp_path, url, pack)
    assert store.pointers() == {}
    now[0] = 11.0
    store.pointers()
    until = time.monotonic() + 10
    while not store.pointers() and time.monotonic() < until:
        time.sleep(0.01)
    assert list(store.pointers()) == ["town"]


def test_what_is_fetched_is_opened_again_without_the_store(tmp_path: Path, url: str) -> None:
    pack = p.installed(tmp_path)
    p.pushed(tmp_path, url, pack)
    library = p.worker(tmp_path, url)
    library.open(pack.key).close()
    for path in (tmp_path / "store").rglob("objects/*/*"):
        path.unlink()
    again = p.worker(tmp_path, url)
    again.open(pack.key).close()


@pytest.mark.parametrize("damage", ["other", "longer", "shorter", "empty", "gone"])
def test_a_damaged_object_is_an_error_and_leaves_nothing(tmp_path: Path, url: str, damage: str) -> None:
    pack = p.installed(tmp_path)
    p.pushed(tmp_path, url, pack)
    path = tmp_path / "store" / p.objects_of(url, pack.key, SPACE)[-2]
    data = path.read_bytes()
    other = bytes([data[0] ^ 1]) + data[1:]
    match damage:
        case "gone":
            path.unlink()
        case _:
            path.write_bytes({"other": other, "longer": data + b"x", "shorter": data[:-1], "empty": b""}[damage])
    library = p.worker(tmp_path, url)
    with pytest.raises(DamagedFile) as caught:
        library.open(pack.key)
    assert "--anew" in str(caught.value.hint)
    assert (p.fetched_folders(library), p.leftovers(library)) == ([], [])
    # As the hint says.
    p.pushed(tmp_path, url, pack, anew=True)
    library.open(pack.key).close()


@pytest.mark.parametrize("name", ["packs/town.json", "generations"])
def test_a_damaged_pointer_or_manifest_is_noticed(tmp_path: Path, url: str, name: str) -> None:
    pack = p.installed(tmp_path)
    p.pushed(tmp_path, url, pack)
    for path in [path for path in (tmp_path / "store" / name).parent.rglob("*.json") if name in path.as_posix()]:
        path.write_text(re.sub('"size":[0-9]', '"size":9', path.read_text()).replace("1.0.0", "1.0.1"))
    library = p.worker(tmp_path, url)
    if name == "generations":
        with pytest.raises(DamagedFile):
            library.open(pack.key)
    else:
        # Others are served all the same.
        assert library.packs() == []
    assert p.fetched_folders(library) == []


def test_a_fetched_file_that_the_disk_lost_is_fetched_again(tmp_path: Path, url: str) -> None:
    pack = p.installed(tmp_path)
    p.pushed(tmp_path, url, pack)
    library = p.worker(tmp_path, url)
    generation = library.open(pack.key)
    path = generation.folder / "vectors.npy"
    sound = path.read_bytes()
    generation.close()
    path.write_bytes(sound[:-1] + bytes([sound[-1] ^ 1]))
    again = p.worker(tmp_path, url).open(pack.key)
    assert path.read_bytes() == sound
    assert again.without_vectors is None
    again.close()


def test_a_store_without_an_answer_is_told_and_what_was_fetched_is_served(tmp_path: Path, url: str) -> None:
    pack = p.installed(tmp_path)
    p.pushed(tmp_path, url, pack)
    library = p.worker(tmp_path, url)
    library.open(pack.key).close()
    # A disk that is not mounted any more.
    (tmp_path / "store").rename(tmp_path / "aside")
    assert [each.key for each in library.packs()] == [pack.key]
    assert not library.store.is_answering
    library.open(pack.key).close()
    with pytest.raises(LoreStoreUnavailable) as caught:
        p.worker(tmp_path, url, "another").packs()
    assert caught.value.hint


def test_the_least_recently_used_make_room_and_those_in_use_never_do(tmp_path: Path, url: str) -> None:
    packs = [p.installed(tmp_path, name) for name in ("town", "port", "hill", "mill")]
    for pack in packs:
        p.pushed(tmp_path, url, pack)
    first = p.worker(tmp_path, url)
    in_use = first.open(packs[0].key)
    size = sum(path.stat().st_size for path in in_use.folder.iterdir())
    library = p.worker(tmp_path, url, room_bytes=int(2.5 * size))
    for pack in packs[1:]:
        library.open(pack.key).close()
    left = {path.parent.name for path in (tmp_path / "worker" / "fetched").glob("[!.]*/*")}
    assert left == {"town", "mill"}
    assert [chunk.id for chunk in in_use.all_chunks()]
    in_use.close()
    library.open(packs[1].key).close()
    left = {path.parent.name for path in (tmp_path / "worker" / "fetched").glob("[!.]*/*")}
    assert left == {"mill", "port"}
    assert p.leftovers(library) == []


def test_shared_generations_that_nobody_reads_make_room_too(tmp_path: Path, url: str) -> None:
    packs = [p.installed(tmp_path, name) for name in ("town", "port", "hill")]
    for pack in packs:
        p.pushed(tmp_path, url, pack)
    library = p.worker(tmp_path, url, room_bytes=1)
    with library.sharing():
        read = library.open(packs[0].key)
        assert library.open(packs[0].key) is read
        library.open(packs[1].key).close()
        read.close()
        library.open(packs[2].key).close()
        assert len(p.fetched_folders(library)) == 2  # town has one reader yet, port had none
        assert read.all_chunks()
        read.close()
        library.open(packs[1].key).close()
    assert len(p.fetched_folders(library)) == 1


def test_a_pack_that_another_embedder_embedded_is_refused(tmp_path: Path, url: str) -> None:
    pack = p.installed(tmp_path)
    p.pushed(tmp_path, url, pack)
    library = p.worker(tmp_path, url, embedder=HashingEmbedder(64))
    assert library.foreign_spaces(pack.key) == [SPACE]
    assert library.embed(pack.key) is None
    with pytest.raises(StaleIndexError) as caught:
        library.open(pack.key)
    assert "hashing-64" in str(caught.value) and "hashing-256" in str(caught.value)
    assert p.fetched_folders(library) == []


def test_a_pack_without_vectors_is_found_by_words(tmp_path: Path, url: str) -> None:
    pack = p.installed(tmp_path, embedded=False)
    p.pushed(tmp_path, url, pack, embedded=False)
    library = p.worker(tmp_path, url)
    assert library.has(pack.key)
    generation = library.open(pack.key)
    assert generation.vectors is None
    generation.close()


@pytest.mark.parametrize(("by", "agrees"), [(0.0, True), (1e-5, True), (0.1, False)])
def test_an_embedder_that_embeds_otherwise_than_its_name_says_is_not_asked(
    tmp_path: Path, url: str, by: float, agrees: bool
) -> None:
    pack = p.installed(tmp_path)
    p.pushed(tmp_path, url, pack)
    library = p.worker(tmp_path, url, embedder=TurnedEmbedder(by))
    generation = library.open(pack.key)
    assert (generation.vectors is not None) is agrees
    assert (generation.without_vectors is None) is agrees
    assert library.store.disagreements() == (0 if agrees else 1, 1)
    generation.close()


@pytest.mark.parametrize(
    "wrong", ["", "store", "/store", "http://x/y", "s3://", "file://host/x", "s3://key:secret@b/p", "file:///a?b=c"]
)
def test_what_is_no_store_is_refused_without_its_secrets(wrong: str) -> None:
    with pytest.raises(SettingsError) as caught:
        ObjectStore(wrong)
    assert "secret" not in f"{caught.value} {caught.value.hint}".replace("AWS_SECRET_ACCESS_KEY", "")


def test_an_empty_store_has_no_packs(tmp_path: Path, url: str) -> None:
    assert LoreStore(url).pointers() == {}
    assert not p.worker(tmp_path, url).has(GenerationKey("town", "0" * 64))
    assert p.worker(tmp_path, url).spaces(GenerationKey("town", "0" * 64)) == {}
