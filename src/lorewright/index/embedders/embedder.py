"""Embedder: turns texts into vectors of unit length."""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Protocol, TypeGuard

import numpy as np
import numpy.typing as npt

from lorewright.errors import EmbedderError
from lorewright.index.reranker import Reranker

# (texts, dimensions) or (dimensions,): rows of length 1.
Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class WordStates:
    """What a model makes of a text: for each word piece the characters that it stands for (start, end), and its states,
    float32 (pieces, dimensions)."""

    offsets: Sequence[tuple[int, int]]
    states: Vectors


@dataclass(frozen=True, slots=True)
class Adaptation:
    """What fits a model to a task: for some of its matrices, by name, two small ones (outputs, rank) and (rank, inputs)
    whose product is added (LoRA, Hu et al. 2021). `name` tells adaptations apart."""

    name: str
    added: Mapping[str, tuple[Vectors, Vectors]]


# The embedder that the adaptations that ship were made for, by its fingerprint.
_ADAPTED = "minilm-0"


def is_adapted(embedder: Embedder | None) -> TypeGuard[Embedder]:
    """Tell whether there is an embedder that the adaptations that ship hold for."""
    return embedder is not None and embedder.fingerprint.startswith(_ADAPTED)


def adaptation_of(name: str, weights: Mapping[str, Vectors]) -> Adaptation:
    """Return the adaptation that weights hold as `MATRIX.outer` and `MATRIX.inner`; others among them are left out."""
    matrices = [key.removesuffix(".outer") for key in weights if key.endswith(".outer")]
    return Adaptation(name, {key: (weights[f"{key}.outer"], weights[f"{key}.inner"]) for key in matrices})


class Embedder(Hashable, Protocol):
    """Turns texts into vectors. The same text gives the same vector, whatever else stands in its batch."""

    @property
    def fingerprint(self) -> str:
        """The name of the vector space: lower-case letters, digits, `.` and `-`, 3 to 60 of them. Vectors of different
        fingerprints are never compared."""
        ...

    @property
    def batch_size(self) -> int:
        """How many texts are best embedded at once; an interrupted install loses at most that many."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text, in order: float32 (texts, dimensions), finite, of unit length.

        Raises:
            EmbedderError: the texts cannot be embedded; nothing was stored.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question, float32 (dimensions,). Some models embed questions otherwise than texts.

        Raises:
            EmbedderError: the question cannot be embedded.
        """
        ...


def read_words_by(embedder: Embedder, text: str, adaptation: Adaptation) -> WordStates:
    """Return the states of a text's word pieces, as the adapted embedder has them.

    Raises:
        EmbedderError: the embedder has none, or fails.
    """
    read = getattr(embedder, "read_words", None)
    if read is None:
        raise EmbedderError("this embedder has no states of words", hint="use the one that ships: minilm")
    states: WordStates = read(text, adaptation)
    return states


# Helpers of all embedders: text that can be encoded, rows that may be stored, and names of vector spaces.

_LONGEST_FINGERPRINT = 60
_UNSAFE = re.compile(r"[^a-z0-9.]+")


def encodable(text: str) -> str:
    """Return the text with `?` for lone surrogates, which encoders refuse."""
    return text.encode("utf-8", "replace").decode("utf-8")


def unit_rows(rows: object, *, count: int, source: str) -> Vectors:
    """Return an embedder's output as float32 (count, dimensions), each row of unit length.

    Raises:
        EmbedderError: another number of rows, rows of different lengths, no numbers, not finite, or all zero.
    """
    try:
        table = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise EmbedderError(f"{source} gave no table of numbers", hint=f"check that {source} embeds texts") from None
    if table.ndim != 2 or len(table) != count or not table.shape[1]:
        raise EmbedderError(f"{source} gave {table.shape} for {count} texts", hint=f"check that {source} embeds texts")
    # A sum over one row at a time: the same text keeps the same bits in any batch.
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.sqrt((table * table).sum(axis=1, keepdims=True))
    if not np.isfinite(lengths).all() or not lengths.all():
        raise EmbedderError(f"{source} gave a vector without direction", hint="try again, or use another model")
    unit: Vectors = (table / lengths).astype(np.float32)
    return unit


def name_space(kind: str, name: str, *details: str | bytes) -> str:
    """Return the fingerprint of a named model: kind and name made safe, and a short hash of name and details."""
    parts = [name, *details]
    digest = hashlib.sha256()
    for part in parts:
        raw = part if isinstance(part, bytes) else part.encode("utf-8", "replace")
        digest.update(len(raw).to_bytes(8, "big") + raw)
    tail = f"-{digest.hexdigest()[:8]}"
    safe = _UNSAFE.sub("-", f"{kind}-{name}".lower())
    return safe[: _LONGEST_FINGERPRINT - len(tail)].strip("-.") + tail


# An embedder and a reranker that are used only after `hold` has not raised.


class GuardedEmbedder:
    """Opens another embedder on first use, after `hold` has let it pass; until then nothing of it is read, loaded or
    connected. If `fingerprint` is given, it can be read without opening the embedder."""

    def __init__(
        self, open_it: Callable[[], Embedder], hold: Callable[[], None], *, fingerprint: str | None = None
    ) -> None:
        self._open_it = open_it
        self._hold = hold
        self._fingerprint = fingerprint
        self._embedder: Embedder | None = None
        self._lock = Lock()

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the other embedder."""
        return self._opened().fingerprint if self._fingerprint is None else self._fingerprint

    @property
    def batch_size(self) -> int:
        """The batch size of the other embedder."""
        return self._opened().batch_size

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed by the other embedder.

        Raises:
            NotTrusted: it may not be used.
            EmbedderError: it cannot be opened, or fails.
        """
        return self._opened().embed(texts)

    def embed_query(self, text: str) -> Vectors:
        """Embed by the other embedder; raises as `embed`."""
        return self._opened().embed_query(text)

    def read_words(self, text: str, adaptation: Adaptation) -> WordStates:
        """Read words by the other embedder; raises as `embed`, and where it has no states of words."""
        return read_words_by(self._opened(), text, adaptation)

    def _opened(self) -> Embedder:
        with self._lock:
            if self._embedder is None:
                self._hold()
                self._embedder = self._open_it()
            return self._embedder


class GuardedReranker:
    """Asks another reranker, after `hold` has let it pass; before that nothing is loaded."""

    def __init__(self, reranker: Reranker, hold: Callable[[], None]) -> None:
        self._reranker = reranker
        self._hold = hold

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Score by the other reranker.

        Raises:
            NotTrusted: it may not be used.
            EmbedderError: its model is missing or fails.
        """
        self._hold()
        return self._reranker.scores(question, texts)


# An embedder that caches the last questions: a turn asks the same question several times, for different viewers.

_KEPT = 64


class RememberingEmbedder:
    """Asks another embedder, each question once. It is safe to use from threads if the other embedder is."""

    def __init__(self, embedder: Embedder, *, kept: int = _KEPT) -> None:
        """`kept` is how many questions are cached, the latest."""
        self._embedder = embedder
        self._kept = kept
        self._questions: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = Lock()

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the other embedder."""
        return self._embedder.fingerprint

    @property
    def batch_size(self) -> int:
        """The batch size of the other embedder."""
        return self._embedder.batch_size

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed by the other embedder."""
        return self._embedder.embed(texts)

    def read_words(self, text: str, adaptation: Adaptation) -> WordStates:
        """Read words by the other embedder; nothing of it is cached."""
        return read_words_by(self._embedder, text, adaptation)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of the other embedder, or the cached one."""
        with self._lock:
            known = self._questions.get(text)
        vector = self._embedder.embed_query(text) if known is None else known
        with self._lock:
            self._questions[text] = vector
            self._questions.move_to_end(text)
            while len(self._questions) > self._kept:
                self._questions.popitem(last=False)
        return vector
