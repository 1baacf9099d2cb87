"""Real packs -> one pack of as many windows as are asked for, with a vector for each that nobody had to embed.

The first windows are those of the real packs, with their real vectors. Beyond them whole files come again with other
words: most words change places with one that is as frequent, and half of the rare ones (names above all) become words
that are nowhere else, as new lore brings new names. So the keyword index sees the frequencies that real text of that
size has. The vector of such a window is its source's, drawn towards another window's, and shaken: it lies where the
model's vectors lie, near its source and not upon it. All of it follows from SEED.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lorewright.index.building import pieces_of
from lorewright.index.embedders.embedder import Vectors
from lorewright.index.embedding_cache import hash_of
from lorewright.packs.models import Chunk, Pack, role_of

SEED = 7
PACK = "lore"
VERSION = 1  # raise it when anything here gives another pack

# How much of a derived vector is its source, another window, and chance: the cosine to the source is about .8.
_OWN, _OTHER, _CHANCE = 0.8, 0.45, 0.35

_RARE = 6  # in so many chunks or fewer: mostly names
_COMMON = 0.1  # in more than this share of the chunks: the words that hold a sentence together stay
_CHANGED = 0.7
_COINED = 0.5

_WORD = re.compile(r"[A-Za-z]{3,}")
_LINK = re.compile(r"\]\([^)\s]*\)")
_RELATIONS = {"entity": "related_entities", "faction": "related_factions", "location": "related_locations"}

Words = dict[str, str]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of a real pack: its open chunks, as (section, text), and where the vectors of its windows begin."""

    entity_id: str
    type: str
    name: str
    tags: tuple[str, ...]
    relations: tuple[tuple[str, str], ...]
    sections: tuple[tuple[str, str], ...]
    first: int

    @property
    def windows(self) -> int:
        """How many vectors it has."""
        return sum(len(pieces_of(text)) for _, text in self.sections)


def source_files(packs: Sequence[Pack]) -> list[SourceFile]:
    """The files of some packs in an order that mixes them, the same each time. Only open lore is taken."""
    files: list[SourceFile] = []
    for pack in packs:
        chunks: dict[str, list[Chunk]] = {}
        for chunk in pack.chunks:
            if chunk.role == "lore" and chunk.shown.split() and not chunk.items:
                chunks.setdefault(chunk.entity_id, []).append(chunk)
        entities = {entity.id: entity for entity in pack.entities}
        for entity_id, own in chunks.items():
            entity = entities[entity_id]
            links = dict.fromkeys((link.kind, link.value) for chunk in own for link in chunk.links)
            relations = tuple((kind, value) for kind, value in links if kind in _RELATIONS and value != entity_id)
            titles = (_title(chunk, number) for number, chunk in enumerate(own))
            sections = tuple((title, _LINK.sub("]", chunk.shown)) for title, chunk in zip(titles, own, strict=True))
            files.append(SourceFile(entity_id, entity.type, entity.name, entity.tags, relations, sections, 0))
    order = np.random.default_rng(SEED).permutation(len(files))
    mixed, first = [], 0
    for at in order:
        mixed.append(replace(files[at], first=first))
        first += mixed[-1].windows
    return mixed


def _title(chunk: Chunk, number: int) -> str:
    """A heading for each chunk but an introduction: what was split by its length stays split."""
    return (
        f"{chunk.section or 'Continued'} {number}"
        if number and (chunk.part > 1 or not chunk.section)
        else chunk.section
    )


def source_texts(files: Sequence[SourceFile]) -> list[str]:
    """The windows of the files, in the order of their vectors."""
    return [piece for file in files for _, text in file.sections for piece in pieces_of(text)]


def derived_vectors(sources: Vectors, copy: int) -> Vectors:
    """The vectors of the copy of that number, (windows, dimensions), of unit length; copy 0 is the sources."""
    if copy == 0:
        return sources
    chance = np.random.default_rng([SEED, copy])
    other = sources[chance.permutation(len(sources))]
    shaken = chance.standard_normal(sources.shape) / math.sqrt(sources.shape[1])
    mixed = _OWN * sources + _OTHER * other + _CHANCE * shaken
    return np.asarray(mixed / np.linalg.norm(mixed, axis=1, keepdims=True), dtype=np.float32)


class Wording:
    """How often words stand in the sources -> what each becomes in a copy."""

    def __init__(self, files: Sequence[SourceFile]) -> None:
        texts = [text for file in files for _, text in file.sections]
        counts = Counter(word for text in texts for word in {word.lower() for word in _WORD.findall(text)})
        most = max(_RARE, _COMMON * len(texts))
        self._bands: dict[int, list[str]] = {}
        for word in sorted(counts):
            if counts[word] <= most:
                band = 0 if counts[word] <= _RARE else int(math.log2(counts[word]))
                self._bands.setdefault(band, []).append(word)

    def of_copy(self, copy: int) -> Words:
        """Word -> the word that stands for it; what is not in it stays. Nothing changes in copy 0."""
        found: Words = {}
        if copy == 0:
            return found
        chance = np.random.default_rng([SEED, copy, 1])
        for band, words in sorted(self._bands.items()):
            places = chance.permutation(len(words))
            changes = chance.random(len(words)) < _CHANGED
            coins = chance.random(len(words)) < (_COINED if band == 0 else 0.0)
            for word, place, change, coin in zip(words, places, changes, coins, strict=True):
                if change:
                    found[word] = _coined(word, words[place]) if coin else words[place]
        return found


def _coined(word: str, other: str) -> str:
    return word[: (len(word) + 1) // 2] + other[len(other) // 2 :]


def reworded(text: str, words: Words) -> str:
    """The text with its words changed; as many words in each window as before."""

    def changed(match: re.Match[str]) -> str:
        word = match[0]
        new = words.get(word.lower(), word)
        return new.capitalize() if word[0].isupper() and new is not word else new

    return _WORD.sub(changed, text) if words else text


def chosen(files: Sequence[SourceFile], size: int) -> Iterator[tuple[int, SourceFile]]:
    """(copy, file) until there are exactly `size` windows: the last file may lose sections, and end in a part of one.

    Every larger choice begins with every smaller one.
    """
    left, copy = size, 0
    while left > 0:
        for file in files:
            kept = file if file.windows <= left else _cut(file, left)
            if kept.windows:
                yield copy, kept
            left -= kept.windows
            if left <= 0:
                return
        copy += 1


def _cut(file: SourceFile, windows: int) -> SourceFile:
    sections: list[tuple[str, str]] = []
    for section, text in file.sections:
        pieces = pieces_of(text)[:windows]
        windows -= len(pieces)
        if pieces:
            sections.append((section, text if len(pieces) == len(pieces_of(text)) else " ".join(pieces)))
    return replace(file, sections=tuple(sections))


def write_pack(files: Sequence[SourceFile], sources: Vectors, size: int, folder: Path) -> dict[bytes, Vectors]:
    """Write the pack of a size into a new folder; returns the hash of each window's text -> its vector."""
    wording = Wording(files)
    there = {(copy, file.entity_id) for copy, file in chosen(files, size)}
    found: dict[bytes, Vectors] = {}
    words: Words = {}
    vectors, at = sources, 0
    folder.mkdir(parents=True)
    manifest = f"id: {PACK}\nname: Lore of {size} windows\nversion: 1.0.0\nchunk_tokens: 5000\n"
    (folder / "pack.yaml").write_text(manifest, encoding="utf-8")
    for copy, file in chosen(files, size):
        if copy != at:
            words, vectors, at = wording.of_copy(copy), derived_vectors(sources, copy), copy
        pieces = _write_file(file, copy, words, there, folder)
        for number, piece in enumerate(pieces, start=file.first):
            found.setdefault(hash_of(piece), vectors[number])
    return found


def _write_file(file: SourceFile, copy: int, words: Words, there: set[tuple[int, str]], folder: Path) -> list[str]:
    """Write one file; its windows."""
    own = _id(file.entity_id, copy)
    name = _titled(file.name, words)
    related: dict[str, list[str]] = {}
    for kind, value in file.relations:
        if (copy, value) in there:
            related.setdefault(_RELATIONS[kind], []).append(_id(value, copy))
    head = {"id": own, "type": file.type, "name": name, "tags": list(file.tags), **related}
    lines = ["---", *(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()), "---", ""]
    lines += [f"# {name}", ""]
    windows: list[str] = []
    for section, text in file.sections:
        new = reworded(text, words)
        lines += [f"## {_titled(section, words)}", ""] if section else []
        lines += [new, ""]
        windows += pieces_of(new)
    place = folder / file.type / f"{own}.md"
    place.parent.mkdir(exist_ok=True)
    place.write_text("\n".join(lines), encoding="utf-8")
    return windows


def _titled(title: str, words: Words) -> str:
    """A title with its words changed, unless it would then say that what it heads is a secret."""
    new = reworded(title, words)
    return new if role_of(new) == "lore" else title


def _id(entity_id: str, copy: int) -> str:
    pack, _, own = entity_id.partition(":")
    return f"{own}-{pack}" if copy == 0 else f"{own}-{pack}-{copy}"
