"""The tales of the corpora as a pack: a file for each tale, a section for each passage."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from slugify import slugify


@dataclass(frozen=True, slots=True)
class TaleQuestion:
    """A reader's question, and the chunk IDs of the passages that answer it."""

    text: str
    gold: frozenset[str]


def write_tales(source: Path, folder: Path, *, every: int = 1) -> list[TaleQuestion]:
    """Write the pack `tales` into a new folder and return the questions on it. `source` is the corpora's folder of the
    tales; of these, in the order of their names, each `every`-th is written, with the questions that it answers."""
    tales: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for line in (source / "corpus.jsonl").read_text(encoding="utf-8").splitlines():
        passage = json.loads(line)
        tale, _, number = passage["_id"].rpartition("#")
        tales[tale].append((passage["title"], number, passage["text"]))
    tales = {tale: tales[tale] for tale in list(tales if every == 1 else sorted(tales))[::every]}
    (folder / "history").mkdir(parents=True)
    (folder / "pack.yaml").write_text("id: tales\nname: Tales\nversion: 1.0.0\nchunk_tokens: 5000\n", encoding="utf-8")
    for tale, passages in tales.items():
        head = (
            f"---\nid: {_id_of(tale)}\ntype: history\nname: {json.dumps(passages[0][0])}\n---\n\n# {passages[0][0]}\n"
        )
        body = "".join(f"\n## Passage {number}\n\n{_plain(text)}\n" for _, number, text in passages)
        (folder / "history" / f"{_id_of(tale)}.md").write_text(head + body, encoding="utf-8")
    return _questions(source, {_id_of(tale) for tale in tales})


def _questions(source: Path, tales: set[str]) -> list[TaleQuestion]:
    gold: dict[str, set[str]] = defaultdict(set)
    for line in (source / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, passage, _ = line.split("\t")
        tale, _, number = passage.rpartition("#")
        if _id_of(tale) in tales:
            gold[query].add(f"tales:{_id_of(tale)}:passage-{number}")
    asked = map(json.loads, (source / "queries.jsonl").read_text(encoding="utf-8").splitlines())
    return [TaleQuestion(one["text_with_title"], frozenset(gold[one["_id"]])) for one in asked if one["_id"] in gold]


def _id_of(tale: str) -> str:
    return slugify(tale, separator="_")


def _plain(text: str) -> str:
    """A passage as one paragraph: its lines are not markdown."""
    return " ".join(text.split()).replace("#", "")
