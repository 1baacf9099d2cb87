"""What the real LlamaIndex, Haystack and txtai find, on the questions and by the measures of `measures.py`.

They are given our sections below their headings, each embedded whole, as is usual; and our windows, with our vectors.
Either way with the same weights. What they hand over within a budget are whole nodes in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lorewright.index.building import windows_of
from measures import Passage, scores_of, scores_on, summarised
from other_arms import make_answer, path_of
from our_arm import ours
from peer_nodes import PEERS, Node, write_nodes
from question_sets import QuestionSet, Tell, cache, embedder, section_of
from results import OURS, ArmResult, SetResult, counted

WAYS = {"sections": "sections below their headings, embedded whole", "windows": "our windows and their vectors"}

# A question -> IDs of nodes, best first.
Ask = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class Given:
    """The nodes that an arm was given: the folder, and of each node where it stands and what it says."""

    folder: Path
    places: dict[str, int]
    passages: list[Passage]


def given(asked: QuestionSet, way: str, tell: Tell) -> Given:
    """Write the nodes of a set in one of WAYS. Texts that were never embedded are embedded now."""
    generation = asked.generation
    chunks = [chunk for chunk in generation.all_chunks() if chunk.text.strip()]
    if way == "windows":
        parts = [(c, one.text) for c in chunks for one in windows_of(c.text, generation.items_of(c.row))]
        shown = [text for _, text in parts]
        assert generation.vectors is not None
        vectors = generation.vectors.vectors
    else:
        parts = [(chunk, chunk.text) for chunk in chunks]
        shown = [f"{path_of(chunk)}\n{chunk.text}" for chunk in chunks]
        kept = cache().embed(shown, embedder(), progress=lambda done, of: tell(f"embedding sections {done}/{of}"))
        vectors = kept.vectors
    passages = [Passage(section_of(chunk.file_path, chunk.section_path), text) for chunk, text in parts]
    nodes: list[Node] = [
        {"id": f"n{at}", "file": passage.section[0], "section": passage.section[1], "text": text}
        for at, (passage, text) in enumerate(zip(passages, shown, strict=True))
    ]
    folder = write_nodes(PEERS / f"{asked.name}-{way}", nodes, vectors)
    places = {node["id"]: at for at, node in enumerate(nodes)}
    return Given(folder, places, passages)


def beside_ours(asked: QuestionSet, arms: Sequence[tuple[str, str, Given, Ask]], tell: Tell) -> SetResult:
    """Ours, then each arm as (name, way, its nodes, how it is asked): each metric with the difference to ours."""
    tell(f"{asked.name}: ours")
    own = ours(asked.generation)
    base = scores_on(asked.questions, own)
    results = [ArmResult(OURS, "as it ships", summarised(asked.questions, base))]
    for name, way, nodes, ask in arms:
        tell(f"{asked.name}: {name}, {way}")
        orders = ([nodes.places[node] for node in ask(one.text)] for one in asked.questions)
        answers = (make_answer(order, nodes.passages) for order in orders)
        scores = np.array([scores_of(*pair) for pair in zip(asked.questions, answers, strict=True)])
        measured = summarised(asked.questions, scores, base)
        results.append(ArmResult(f"{name}, {way}", WAYS[way], measured))
    return SetResult(counted(asked.questions), results)
