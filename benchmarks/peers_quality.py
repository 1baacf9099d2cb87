"""What the real LlamaIndex and Haystack find, on the questions and by the measures of `quality.py`.

They are given our sections below their headings, each embedded whole, as is usual; and our windows, with our vectors.
Either way with the same weights. What they hand over within a budget are whole nodes in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from keyword_triggers import within
from lorewright.index.building import windows_of
from measures import BUDGETS, Answer, Section, scores_of, summarised
from other_arms import path_of
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
    sections: list[Section]
    texts: list[str]


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
    sections = [section_of(chunk.file_path, chunk.section_path) for chunk, _ in parts]
    nodes: list[Node] = [
        {"id": f"n{at}", "file": file, "section": section, "text": text}
        for at, ((file, section), text) in enumerate(zip(sections, shown, strict=True))
    ]
    folder = write_nodes(PEERS / f"{asked.name}-{way}", nodes, vectors)
    places = {node["id"]: at for at, node in enumerate(nodes)}
    return Given(folder, places, sections, [text for _, text in parts])


def answer_of(found: Sequence[str], nodes: Given) -> Answer:
    """Nodes, best first -> the ten best sections, and what is handed over within each budget."""
    order = [nodes.places[one] for one in found]
    texts = {
        budget: "\n\n".join(nodes.texts[at] for at in within(order, nodes.texts, budget_tokens=budget))
        for budget in BUDGETS
    }
    return Answer(tuple(dict.fromkeys(nodes.sections[at] for at in order))[:10], texts)


def beside_ours(asked: QuestionSet, arms: Sequence[tuple[str, str, Given, Ask]], tell: Tell) -> SetResult:
    """Ours, then each arm as (name, way, its nodes, how it is asked): each metric with the difference to ours."""
    tell(f"{asked.name}: ours")
    own = ours(asked.generation)
    base = np.array([scores_of(question, own(question.text)) for question in asked.questions])
    results = [ArmResult(OURS, "as it ships", summarised(asked.questions, base))]
    for name, way, nodes, ask in arms:
        tell(f"{asked.name}: {name}, {way}")
        scores = np.array([scores_of(one, answer_of(ask(one.text), nodes)) for one in asked.questions])
        measured = summarised(asked.questions, scores, base)
        results.append(ArmResult(f"{name}, {way}", WAYS[way], measured))
    return SetResult(counted(asked.questions), results)
