"""Texts -> vectors, each text once: an embedder's vector is stored by the text's hash.

An interrupted install goes on where it stopped, an edit embeds only what changed, and two packs that hold the
same sentence share its vector.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lorewright.errors import DamagedFile, EmbedderError, LorewrightError
from lorewright.index.embedders.embedder import Embedder, Vectors
from lorewright.storage.database import Database, is_sound, set_aside
from lorewright.storage.enclosure import Enclosure, Trouble, error_for, raising_our_errors
from lorewright.storage.faults import step
from lorewright.storage.tables import Migration, open_migrated

MIGRATIONS = (
    Migration(
        "embeddings_001_vectors",
        (
            # A text in a vector space: float32, little-endian, of unit length; then a digest of fingerprint, hash and
            # vector.
            """CREATE TABLE vectors (
                fingerprint TEXT NOT NULL, text_hash BLOB NOT NULL, vector BLOB NOT NULL,
                PRIMARY KEY (fingerprint, text_hash)
            ) WITHOUT ROWID""",
        ),
    ),
)

_DTYPE = np.dtype("<f4")
_DIGEST_BYTES = 8
# SQLite's own bound on variables is far higher.
_ASKED_AT_ONCE = 500
# What a cache that is held open keeps of its file in memory. Each open campaign holds one, and a hash is found anywhere
# in the file: with 512 a turn misses 14 of 51 pages, with 64 it misses 42, at a few microseconds each.
_HELD_KB = 64


@dataclass(frozen=True, slots=True)
class Embedded:
    """`vectors` (texts, dimensions) in the order of the texts; and how many of them had to be embedded."""

    vectors: Vectors
    new: int


class EmbeddingCache:
    """The vectors of every text that was embedded in this workspace. The file can be deleted at any time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: Database | None = None

    def held(self) -> EmbeddingCache:
        """Return the same cache with its file open, for one thread that embeds often; close it with `let_go`.

        Raises:
            EmbedderError: the file cannot be opened.
        """
        holder = EmbeddingCache(self._path)
        try:
            holder._held = self._opened()
            holder._held.keep_in_memory(_HELD_KB)
        except (LorewrightError, *Trouble) as problem:
            raise self._refusal(problem) from None
        return holder

    def let_go(self) -> None:
        """Close the file, if it is held open."""
        if self._held is not None:
            self._held.close()
            self._held = None

    def embed(self, texts: Sequence[str], embedder: Embedder, *, progress: Callable[[int, int], None]) -> Embedded:
        """Return a vector for each text. Unknown texts are embedded batch by batch, each stored at once.

        `progress` is called with how many of the texts have their vector, and how many there are.

        Raises:
            EmbedderError: the embedder failed, or the cache cannot be read; the batches before are stored.
        """
        try:
            return self._embed(texts, embedder, progress)
        except EmbedderError:
            raise
        except (LorewrightError, *Trouble) as problem:
            raise self._refusal(problem) from None

    def _refusal(self, problem: Exception) -> EmbedderError:
        trouble = error_for(problem, self._path)
        hint = "run: lorewright doctor" if isinstance(trouble, DamagedFile) else trouble.hint
        return EmbedderError(f"the kept vectors: {trouble.message}", hint=hint)

    def _embed(self, texts: Sequence[str], embedder: Embedder, progress: Callable[[int, int], None]) -> Embedded:
        hashes = [hash_of(text) for text in texts]
        with self._database() as database:
            known = _read(database, embedder.fingerprint, hashes)
            # Texts of similar length together: a batch is as slow as its longest.
            missing = sorted({(len(text), text) for text, key in zip(texts, hashes, strict=True) if key not in known})
            total = len(known) + len(missing)
            progress(len(known), total)
            for start in range(0, len(missing), embedder.batch_size):
                batch = [text for _, text in missing[start : start + embedder.batch_size]]
                vectors = _checked(embedder.embed(batch), len(batch))
                step("embed:batch")
                rows = dict(zip(map(hash_of, batch), vectors, strict=True))
                _write(database, embedder.fingerprint, rows)
                step("embed:kept")
                known |= rows
                progress(len(known), total)
        vectors = np.stack([known[key] for key in hashes]) if hashes else np.zeros((0, 0), _DTYPE)
        return Embedded(vectors, len(missing))

    def count(self) -> int:
        """Return the number of stored vectors."""
        if not self._exists():
            return 0
        with self._database() as database:
            return int(database.rows("SELECT count(*) FROM vectors")[0][0])

    def unused(self, fingerprint: str, texts: Iterable[str]) -> int:
        """Return how many stored vectors belong to none of the texts in this vector space."""
        if not self._exists():
            return 0
        with self._database() as database:
            return len(_unused(database, fingerprint, texts))

    def keep_only(self, fingerprint: str, texts: Iterable[str]) -> int:
        """Delete vectors of other texts than these in this vector space, and every other space; return how many."""
        with self._database() as database:
            unused = _unused(database, fingerprint, texts)
            with database.transaction() as connection:
                connection.executemany("DELETE FROM vectors WHERE fingerprint = ? AND text_hash = ?", unused)
        return len(unused)

    def is_sound(self) -> bool:
        """Return True if the file, where there is one, can be read as it was written.

        Raises:
            FileUnavailable: it cannot be examined now.
            UnsafePath: it is a link.
        """
        if not self._exists():
            return True
        try:
            with raising_our_errors(self._path), closing(self._read_or_made()) as database:
                database.rows("SELECT DISTINCT fingerprint FROM vectors")
        except DamagedFile:
            return False
        return is_sound(self._path)

    def begin_anew(self) -> Path:
        """Move a damaged file aside, where it can be examined, for vectors may have cost money; return its new path."""
        return set_aside(self._path)

    def _exists(self) -> bool:
        return Enclosure(self._path.parent).checked(self._path).exists()

    @contextmanager
    def _database(self) -> Iterator[Database]:
        if self._held is not None:
            yield self._held
            return
        with closing(self._opened()) as database:
            yield database

    def _opened(self) -> Database:
        """Open the cache's file; a damaged one is set aside and begun anew, for all of it can be made again."""
        try:
            return self._read_or_made()
        except (DamagedFile, *Trouble) as problem:
            trouble = error_for(problem, self._path)
            if not isinstance(trouble, DamagedFile):
                raise trouble from None
            with Enclosure(self._path.parent).locked(self._path.with_name(f"{self._path.name}.lock")):
                self.begin_anew()
            return self._read_or_made()

    def _read_or_made(self) -> Database:
        return open_migrated(self._path, MIGRATIONS, rebuildable=True)


def hash_of(text: str) -> bytes:
    """Return the key under which a text's vector is stored."""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


def _read(database: Database, fingerprint: str, hashes: Sequence[bytes]) -> dict[bytes, Vectors]:
    wanted = sorted(set(hashes))
    known: dict[bytes, Vectors] = {}
    for start in range(0, len(wanted), _ASKED_AT_ONCE):
        part = wanted[start : start + _ASKED_AT_ONCE]
        marks = ", ".join("?" * len(part))
        sql = f"SELECT text_hash, vector FROM vectors WHERE fingerprint = ? AND text_hash IN ({marks})"
        for row in database.rows(sql, fingerprint, *part):
            vector = _unsealed(row["vector"], fingerprint, row["text_hash"])
            if vector is not None:
                known[row["text_hash"]] = np.frombuffer(vector, dtype=_DTYPE)
    return known


def _write(database: Database, fingerprint: str, vectors: dict[bytes, Vectors]) -> None:
    packed = {key: vector.astype(_DTYPE).tobytes() for key, vector in vectors.items()}
    rows = [(fingerprint, key, _sealed(vector, fingerprint, key)) for key, vector in packed.items()]
    with database.transaction() as connection:
        connection.executemany(
            """INSERT INTO vectors VALUES (?, ?, ?)
                ON CONFLICT (fingerprint, text_hash) DO UPDATE SET vector = excluded.vector""",
            rows,
        )


def _sealed(vector: bytes, fingerprint: str, text_hash: bytes) -> bytes:
    """Return a vector with its digest, because SQLite does not notice bytes that a damaged disk has changed."""
    return vector + _digest(vector, fingerprint, text_hash)


def _unsealed(stored: bytes, fingerprint: str, text_hash: bytes) -> bytes | None:
    """Return a vector as it was written; None where its bytes have changed, so that it must be embedded again."""
    vector = stored[:-_DIGEST_BYTES]
    return vector if stored[-_DIGEST_BYTES:] == _digest(vector, fingerprint, text_hash) else None


def _digest(vector: bytes, fingerprint: str, text_hash: bytes) -> bytes:
    return hashlib.blake2b(vector + text_hash + fingerprint.encode(), digest_size=_DIGEST_BYTES).digest()


def _unused(database: Database, fingerprint: str, texts: Iterable[str]) -> list[tuple[str, bytes]]:
    wanted = {hash_of(text) for text in texts}
    found = database.rows("SELECT fingerprint, text_hash FROM vectors")
    return [tuple(row) for row in found if row["fingerprint"] != fingerprint or row["text_hash"] not in wanted]


def _checked(vectors: Vectors, count: int) -> Vectors:
    if vectors.ndim != 2 or len(vectors) != count or not np.isfinite(vectors).all():
        raise EmbedderError("the embedder did not return one finite vector for each text", hint="try again")
    return vectors
