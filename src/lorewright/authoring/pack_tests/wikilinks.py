"""Sentences with a link in them, the linked name taken out -> is what they link to found again? Needs no labels.

The section in which the sentence stands is taken out of the pack before it is asked, so that neither its words nor its
links give the answer away.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lorewright.authoring.leaks.overlap import sentences_of
from lorewright.authoring.pack_tests.asking import Asking
from lorewright.authoring.pack_tests.results import LinkFigures, WorstLink
from lorewright.index.generation import Generation
from lorewright.index.pruning import Cut, pruned
from lorewright.index.words import content_words
from lorewright.packs.linking import LinkTable
from lorewright.packs.loader import Progress
from lorewright.packs.models import OPEN_ROLES, Chunk, Entity, Pack
from lorewright.packs.plain import plain_text

_LINK = re.compile(r"!?\[\[([^\[\]|#]{1,200})(?:#[^\[\]|]{0,200})?(?:\|([^\[\]]{1,200}))?\]\]")
# What stands where the name stood while a text is taken apart; no author writes it.
_MASK = "\ue000"
# What is left of a sentence must be able to say whom it means.
_FEWEST_WORDS = 4
_WORST = 10
_RANKS = 10
_SEED = 20_11


@dataclass(frozen=True, slots=True)
class MaskedLink:
    """A sentence without the name that it links, the chunk in which it stands, and the entity that was meant."""

    chunk: Chunk
    target: str
    asked: str


def masked_links(pack: Pack) -> list[MaskedLink]:
    """Every link of a pack to another of its files, in source order, each sentence once."""
    table = LinkTable(pack.manifest.id, pack.entities)
    entities = {entity.id: entity for entity in pack.entities}
    found = (link for chunk in pack.chunks for link in _of_chunk(chunk, table, entities[chunk.entity_id]))
    return list({(link.chunk.id, link.target, link.asked): link for link in found}.values())


def sample(links: Sequence[MaskedLink], most: int) -> list[MaskedLink]:
    """At most so many, the same ones each time, in source order; all of them where `most` is 0."""
    if not most or len(links) <= most:
        return list(links)
    chosen = sorted(random.Random(_SEED).sample(range(len(links)), most))
    return [links[place] for place in chosen]


def measure_links(pack: Pack, own: Generation, asking: Asking, *, most: int, progress: Progress) -> LinkFigures | None:
    """How well linked entities are found; None where there are no links to ask for."""
    links = masked_links(pack)
    asked = sample(links, most)
    ranks = []
    for done, link in enumerate(asked):
        progress("asking links without their names", done, len(asked))
        ranks.append(_rank(link, own, asking))
    if not asked:
        return None
    worst = sorted(zip(ranks, asked, strict=True), key=lambda one: (one[0] != 0, -one[0], one[1].chunk.id))
    return LinkFigures(
        links=len(links),
        asked=len(asked),
        any_at_1=round(sum(rank == 1 for rank in ranks) / len(ranks), 3),
        any_at_10=round(sum(0 < rank <= _RANKS for rank in ranks) / len(ranks), 3),
        mrr=round(sum(1 / rank for rank in ranks if rank) / len(ranks), 3),
        worst=tuple(
            WorstLink(link.chunk.file_path, link.chunk.line, link.target, link.asked, rank)
            for rank, link in worst[:_WORST]
            if rank != 1
        ),
    )


def _of_chunk(chunk: Chunk, table: LinkTable, entity: Entity) -> Iterator[MaskedLink]:
    for match in _LINK.finditer(chunk.text) if chunk.role in OPEN_ROLES else ():
        target = table.find(match.group(1).strip())
        if target is None or target.id == entity.id:
            continue
        text = plain_text(f"{chunk.text[: match.start()]}{_MASK}{chunk.text[match.end() :]}")
        sentence = next((one for one in sentences_of(text) if _MASK in one), "")
        asked = _without_names(sentence.replace(_MASK, " "), target)
        if len(content_words(asked)) >= _FEWEST_WORDS:
            yield MaskedLink(chunk, target.id, asked)


def _without_names(sentence: str, target: Entity) -> str:
    """The sentence without anything that the target is called."""
    for name in sorted((target.name, *target.aliases), key=len, reverse=True):
        sentence = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", sentence, flags=re.IGNORECASE)
    return " ".join(sentence.split())


def _rank(link: MaskedLink, own: Generation, asking: Asking) -> int:
    """At which place of the answer the entity first stands, 0 where it is not among the first ten sections."""
    rows = frozenset(
        chunk.row
        for chunk in own.chunks_of(link.chunk.entity_id)
        if chunk.section_id == link.chunk.id.partition("~")[0]
    )
    there = tuple(pruned(one, Cut(rows=rows)) if one is own else one for one in asking.generations)
    bounds = replace(asking.bounds, limit=_RANKS, max_tokens=1_000_000)
    answer = Asking(there, bounds).answer(link.asked)
    sections = list(dict.fromkeys(one.partition("~")[0] for one in answer))
    return next((rank for rank, one in enumerate(sections, 1) if one.rpartition(":")[0] == link.target), 0)
