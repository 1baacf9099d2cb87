"""A key opens its embedder; another is refused with those that exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.errors import EmbedderError, SettingsError
from lorewright.index.embedders.choosing import KEYS, open_embedder
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.embedders.minilm import MiniLM


def fingerprint(key: str, **options: str) -> str:
    embedder = open_embedder(key, **options)
    assert embedder is not None
    return embedder.fingerprint


def test_none_is_no_embedder() -> None:
    assert open_embedder("none") is None


def test_each_key_opens_its_own(minilm: MiniLM) -> None:
    assert isinstance(open_embedder("hashing"), HashingEmbedder)
    assert isinstance(open_embedder("minilm"), MiniLM)
    assert open_embedder("minilm-int8").fingerprint.startswith("minilm-int8-")
    assert fingerprint("openai").startswith("openai-text-embedding-3-small-")
    assert fingerprint("openai") == fingerprint("openai/text-embedding-3-small")
    assert fingerprint("voyage/voyage-3-large").startswith("voyage-voyage-3-large-")
    assert fingerprint("st/BAAI/bge-small-en-v1.5").startswith("st-baai-bge-small-en-v1.5-")


def test_another_server_or_model_is_another_space() -> None:
    names = [fingerprint("openai"), fingerprint("openai/x"), fingerprint("openai", base_url="http://127.0.0.1:1/v1")]
    names += [fingerprint("st/a/b"), fingerprint("st/a-b"), fingerprint("st/" + "long" * 40)]
    assert len(set(names)) == len(names)
    assert max(map(len, names)) <= 60


@pytest.mark.parametrize("key", ["", "MiniLM", "openai/", "st", "st/ ", "none/x", "minilm/x", "../x"])
def test_an_unknown_key_is_refused_with_those_that_exist(key: str) -> None:
    with pytest.raises(SettingsError) as caught:
        open_embedder(key)
    assert all(known in (caught.value.hint or "") for known in KEYS)


def test_a_folder_is_known_by_its_contents_and_not_by_its_place(tmp_path: Path) -> None:
    for name, first in (("a", b"1"), ("b/a", b"1"), ("c/a", b"2")):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
        (folder / "model.safetensors").write_bytes(first + b"0" * 100_000)
    same, moved, other = (fingerprint(f"st/{tmp_path / name}") for name in ("a", "b/a", "c/a"))
    assert same == moved != other


@pytest.fixture(scope="session")
def sentence_transformers() -> None:
    """The library, whose import alone takes seconds."""
    pytest.importorskip("sentence_transformers")


@pytest.mark.campaign
@pytest.mark.usefixtures("sentence_transformers")
def test_a_model_that_is_not_there_is_told(tmp_path: Path) -> None:
    embedder = open_embedder(f"st/{tmp_path}")
    assert embedder is not None
    with pytest.raises(EmbedderError, match="cannot be loaded"):
        embedder.embed(["gate"])


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("sentence_transformers", "openai"):
        monkeypatch.setitem(__import__("sys").modules, module, None)
    for key, extra in (("st/x", "[st]"), ("openai", "[openai]")):
        embedder = open_embedder(key)
        assert embedder is not None
        with pytest.raises(EmbedderError) as caught:
            embedder.embed(["gate"])
        assert extra in (caught.value.hint or "")
