"""Generations in S3, as moto's server imitates it: the same as in a folder.

The server is a process of its own, on this machine.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from lorewright.errors import DamagedFile, LoreStoreUnavailable
from lorewright.index.artifacts.lore_store import LoreStore
from lorewright.index.artifacts.objects import ObjectMissing, ObjectStore
from support import pushed_packs as p

pytestmark = [
    pytest.mark.campaign,
    pytest.mark.enable_socket,
    pytest.mark.skipif(
        any(find_spec(name) is None for name in ("s3fs", "moto", "flask")),
        reason="s3fs and moto[server] are not installed: pip install s3fs 'moto[server]'",
    ),
]
SPACE = "hashing-256"


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = free_port()
    log = (tmp_path_factory.mktemp("moto") / "log").open("wb")
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        until = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert process.poll() is None and time.monotonic() < until
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()
        log.close()


@pytest.fixture
def url(server: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """A bucket of the test's own."""
    reach(monkeypatch, server)
    bucket = f"lore{abs(hash(request.node.nodeid)) % 10**9}"
    import s3fs

    s3fs.S3FileSystem(skip_instance_cache=True).mkdir(bucket)
    return f"s3://{bucket}/packs/here"


def reach(monkeypatch: pytest.MonkeyPatch, endpoint: str) -> None:
    for name, value in {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)


def test_what_is_pushed_to_s3_is_fetched_with_the_same_bytes(tmp_path: Path, url: str) -> None:
    pack = p.installed(tmp_path)
    assert p.pushed(tmp_path, url, pack) == 4
    assert p.pushed(tmp_path, url, pack) == 0
    library = p.worker(tmp_path, url)
    assert [each.key for each in library.packs()] == [pack.key]
    generation, own = library.open(pack.key), p.author(tmp_path).open(pack.key)
    for name in ("chunks.db", "chunks.sha256", "vectors.npy", "vectors.json"):
        assert (generation.folder / name).read_bytes() == (own.folder / name).read_bytes()
    assert generation.without_vectors is None
    generation.close()
    own.close()


def test_a_newer_text_is_seen_and_the_older_can_be_fetched(tmp_path: Path, url: str) -> None:
    old = p.installed(tmp_path)
    p.pushed(tmp_path, url, old)
    library = p.worker(tmp_path, url)
    assert library.get("town").key == old.key
    new = p.installed(tmp_path, more="News.")
    p.pushed(tmp_path, url, new)
    assert library.get("town").key == new.key
    library.open(old.key).close()
    library.open(new.key).close()


@pytest.mark.parametrize("is_gone", [True, False])
def test_a_damaged_or_missing_object_is_an_error_and_leaves_nothing(tmp_path: Path, url: str, is_gone: bool) -> None:
    pack = p.installed(tmp_path)
    p.pushed(tmp_path, url, pack)
    import s3fs

    name = f"{url}/{p.objects_of(url, pack.key, SPACE)[0]}"
    system = s3fs.S3FileSystem(skip_instance_cache=True)
    if is_gone:
        system.rm(name)
    else:
        system.pipe_file(name, bytes(system.info(name)["size"]))
    library = p.worker(tmp_path, url)
    with pytest.raises(DamagedFile):
        library.open(pack.key)
    assert (p.fetched_folders(library), p.leftovers(library)) == ([], [])
    p.pushed(tmp_path, url, pack, anew=True)
    library.open(pack.key).close()


def test_an_object_of_many_parts_comes_whole(tmp_path: Path, url: str) -> None:
    # More than one part of an upload, and many of a download.
    data = os.urandom(1 << 20) * 60
    (tmp_path / "big").write_bytes(data)
    objects = ObjectStore(url)
    objects.upload("objects/big", tmp_path / "big")
    assert objects.size("objects/big") == len(data)
    assert objects.read("objects/big", limit=len(data)) == data
    with pytest.raises(ObjectMissing):
        objects.read("objects/none", limit=9)
    assert objects.size("objects/none") is None


def test_a_server_that_is_not_there_is_told_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reach(monkeypatch, f"http://127.0.0.1:{free_port()}")
    began = time.monotonic()
    with pytest.raises(LoreStoreUnavailable) as caught:
        LoreStore("s3://lore/packs").pointers()
    assert time.monotonic() - began < 30
    assert "does not answer" in str(caught.value)


def test_a_server_that_never_answers_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        reach(monkeypatch, f"http://127.0.0.1:{listening.getsockname()[1]}")
        began = time.monotonic()
        with pytest.raises(LoreStoreUnavailable):
            LoreStore("s3://lore/packs").pointers()
    assert time.monotonic() - began < 60
