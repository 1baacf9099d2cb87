"""Any sentence-transformers model, by name or folder -> unit vectors. It needs the extra `st`, and with it torch."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lorewright.errors import EmbedderError
from lorewright.index.embedders.embedder import Vectors, encodable, name_space, unit_rows
from lorewright.telemetry import import_silenced

INSTALL = 'pip install "lorewright[st]"'
BATCH_SIZE = 32
_SAMPLES = 16  # samples of a weights file, so that another training run has another fingerprint
_SAMPLE_BYTES = 4096


class SentenceTransformersEmbedder:
    """A model, loaded with the first text. Texts run one at a time: padding changes the last bits of a vector."""

    def __init__(self, name: str) -> None:
        """`name` is a folder with a model, or a model's name; the library may fetch that.

        Raises:
            EmbedderError: the folder exists and cannot be read.
        """
        folder = Path(name).expanduser()
        self._folder = folder.absolute() if folder.is_dir() else None
        self._name = name
        self._fingerprint = name_space("st", folder.name, *_contents(self._folder)) if self._folder else ""
        self._model: Any = None
        self._loading = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """The hash of the name; of a folder the hash of its contents, so that it may be moved."""
        return self._fingerprint or name_space("st", self._name)

    @property
    def batch_size(self) -> int:
        """How many texts an interruption may lose; speed does not depend on it."""
        return BATCH_SIZE

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text, embedded as a document where the model tells documents from queries.

        Raises:
            EmbedderError: the extra is missing, the model cannot be loaded, or it fails.
        """
        model = self._loaded()
        if not texts:
            return np.zeros((0, _dimensions(model)), dtype=np.float32)
        return self._rows(model.encode_document, texts)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question, with the model's own prompt for queries if it has one.

        Raises:
            EmbedderError: as `embed`.
        """
        row: Vectors = self._rows(self._loaded().encode_query, [text])[0]
        return row

    def _rows(self, encode: Any, texts: Sequence[str]) -> Vectors:
        try:
            rows = encode([encodable(text) for text in texts], batch_size=1, show_progress_bar=False)
        except Exception as problem:  # torch and a model's own code raise what they like
            raise EmbedderError(f"{self._name} cannot embed: {problem}", hint="try another model") from None
        return unit_rows(rows, count=len(texts), source=self._name)

    def _loaded(self) -> Any:
        with self._loading:
            if self._model is None:
                self._model = _load(str(self._folder or self._name), offline=self._folder is not None)
            return self._model


def _load(name: str, *, offline: bool) -> Any:
    try:
        # Imported late: it brings torch, which takes seconds and hundreds of megabytes.
        library = import_silenced("sentence_transformers")
        logging = import_silenced("transformers.utils.logging")
    except ImportError:
        raise EmbedderError("sentence-transformers is not installed", hint=INSTALL) from None
    logging.disable_progress_bar()
    try:
        return library.SentenceTransformer(name, local_files_only=offline, trust_remote_code=False)
    except Exception as problem:  # anything from a missing file to the hub's own errors
        first_line = str(problem).strip().partition("\n")[0]
        hint = "check the name; a model that was not fetched before needs the network"
        raise EmbedderError(f"the model {name} cannot be loaded: {first_line}", hint=hint) from None


def _dimensions(model: Any) -> int:
    # Renamed within version 5 or 6, hence both.
    ask = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
    return int(ask() or 0)


def _contents(folder: Path) -> Iterator[str | bytes]:
    """Yield what distinguishes a model: its small files whole, and of its weights the size and some samples."""
    try:
        for path in sorted(folder.rglob("*.json")):
            yield path.relative_to(folder).as_posix()
            yield path.read_bytes()
        for path in sorted([*folder.rglob("*.safetensors"), *folder.rglob("*.bin")]):
            yield path.relative_to(folder).as_posix()
            yield from _samples(path)
    except OSError as problem:
        raise EmbedderError(f"{folder}: {problem}", hint="check the folder") from None


def _samples(path: Path) -> Iterator[str | bytes]:
    size = path.stat().st_size
    yield str(size)
    with path.open("rb") as file:
        for number in range(_SAMPLES):
            file.seek(size * number // _SAMPLES)
            yield file.read(_SAMPLE_BYTES)
