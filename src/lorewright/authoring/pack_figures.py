"""A generation and its golden queries -> the pack at a glance: who links to whom, how long its sections are, what is
tested.

Everything is counted as the index holds it, secrets included: figures are the author's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from lorewright.authoring.golden import Golden
from lorewright.campaigns.scenarios.scenario import Scenario, read_scenario
from lorewright.errors import NotFound, PackError
from lorewright.index.generation import Generation, StoredChunk
from lorewright.index.library import Library
from lorewright.packs.manifest import load_manifest
from lorewright.packs.models import PackEntity

# The folders of packs and of what they depend on.

_SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class PackRoots:
    """The folders of packs and of the scenarios that use them. The library only says where installed packs are."""

    library: Library
    content_packs: Path
    scenarios: Path

    def root(self, name: str) -> Path:
        """Return a pack's folder: as it is named, where it is installed, or in the workspace.

        Raises:
            NotFound: there is no such folder or pack.
        """
        for root in (Path(name), *self._places(name)):
            if root.is_dir():
                return root
        raise NotFound(f"there is no folder or pack {name}", hint="name a pack's folder, or see: lorewright pack list")

    def there(self, pack_ids: Iterable[str], *, but: str) -> list[Path]:
        """Return the folders of those of the packs that exist."""
        found = (
            next((place for place in self._places(pack_id) if place.is_dir()), None)
            for pack_id in pack_ids
            if pack_id != but
        )
        return [root for root in dict.fromkeys(found) if root is not None]

    def with_dependencies(self, roots: Sequence[Path]) -> list[Path]:
        """Return the folders, each after those that it depends on, which lie beside it, are installed, or in the
        workspace.

        Raises:
            PackError: a folder is no pack, or what it depends on is not there.
        """
        ordered: dict[Path, None] = {}
        open_now: list[Path] = []

        def add(root: Path) -> None:
            root = root.resolve()
            if root in ordered or root in open_now:
                return
            open_now.append(root)
            for needed in load_manifest(root)[0].depends_on:
                beside = [root.parent / needed.id] if "/" not in needed.id else []
                there = next((place for place in (*self._places(needed.id), *beside) if place.is_dir()), None)
                if there is None:
                    raise PackError(f"{root.name} depends on {needed.id}, which is not there", hint="install it first")
                add(there)
            open_now.remove(root)
            ordered[root] = None

        for root in roots:
            add(root)
        return list(ordered)

    def scenarios_of(self, pack_id: str) -> list[tuple[Path, Scenario]]:
        """Return the workspace's scenarios that use a pack, by file."""
        found = []
        for path in sorted(self.scenarios.glob("*")) if self.scenarios.is_dir() else ():
            scenario = read_scenario(path)[0] if path.suffix in _SUFFIXES and path.is_file() else None
            if scenario is not None and pack_id in scenario.content_packs:
                found.append((path, scenario))
        return found

    def _places(self, pack_id: str) -> list[Path]:
        installed = [Path(pack.path) for pack in self.library.packs() if pack.id == pack_id]
        own = self.content_packs / pack_id
        return [*installed, own] if "/" not in pack_id and pack_id not in ("", ".", "..") else installed


# The figures: who links to whom, how long sections are, what golden queries cover.

# Links between entities that have a file; threads and tags tie sections together without leading anywhere.
ENTITY_KINDS = ("entity", "location", "faction")

# A section of open lore with fewer tokens holds hardly anything that a question could find it by.
SHORT_TOKENS = 15
# Upper bounds of the histogram's bars; the last bar has none.
_BOUNDS = (25, 50, 100, 200, 400, 800, 1600)


class _Frozen(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True)


class Node(_Frozen):
    """An entity: how many others link to it and it to others, its sections and their tokens, and how many of the
    sections a golden query names."""

    id: str
    name: str
    type: str
    file_path: str
    links_in: int
    links_out: int
    sections: int
    tokens: int
    asked_for: int


class Edge(_Frozen):
    """A link from one entity's file to another entity, with the kinds of link."""

    source: str
    target: str
    kinds: tuple[str, ...]


class Bucket(_Frozen):
    """The number of sections with so many tokens: from `low` on, below `high`; the last bucket has no `high`."""

    low: int
    high: int | None
    sections: int


class LongSection(_Frozen):
    """A section, all of its parts together."""

    section_id: str
    tokens: int
    parts: int


class Coverage(_Frozen):
    """What golden queries name: `asked_for` of all `sections` with text. `unknown` are IDs that do not exist, `by_type`
    (named, all) sections by the type of their entity."""

    queries: int
    sections: int
    asked_for: int
    by_type: dict[str, tuple[int, int]]
    not_asked_for: tuple[str, ...]
    unknown: tuple[str, ...]


class PackFigures(_Frozen):
    """A pack at a glance. Lists are ordered: edges and IDs by name, long sections by length.

    `orphans` neither link nor are linked to; `dead_ends` are linked to and lead nowhere; `no_way_in` link and nobody
    links to them. `links_by_kind` counts each pair of file and what it names once; `links_out_of_pack` those to other
    packs' entities.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    orphans: tuple[str, ...]
    dead_ends: tuple[str, ...]
    no_way_in: tuple[str, ...]
    links_by_kind: dict[str, int]
    links_out_of_pack: int
    sections_by_role: dict[str, int]
    entities_by_type: dict[str, int]
    entities_by_language: dict[str, int]
    histogram: tuple[Bucket, ...]
    long: tuple[LongSection, ...]
    short: tuple[LongSection, ...]
    golden: Coverage


def figures_of(generation: Generation, golden: Sequence[Golden] = ()) -> PackFigures:
    """Return all figures of one pack."""
    entities, chunks = generation.entities(), [chunk for chunk in generation.all_chunks() if chunk.text]
    links = _links(generation)
    edges = _edges(links, entities)
    sections = _sections(chunks)
    asked = {chunk_id.partition("~")[0] for query in golden for chunk_id in query.query.include}
    ins, outs = Counter(edge.target for edge in edges), Counter(edge.source for edge in edges)
    ids = sorted(entities)
    of = _by_entity(sections)
    return PackFigures(
        nodes=tuple(
            _node(entities[entity_id], of.get(entity_id, {}), ins[entity_id], outs[entity_id], asked)
            for entity_id in ids
        ),
        edges=edges,
        orphans=tuple(entity_id for entity_id in ids if not ins[entity_id] and not outs[entity_id]),
        dead_ends=tuple(entity_id for entity_id in ids if ins[entity_id] and not outs[entity_id]),
        no_way_in=tuple(entity_id for entity_id in ids if outs[entity_id] and not ins[entity_id]),
        links_by_kind=dict(sorted(Counter(kind for _, kind, _ in links).items())),
        links_out_of_pack=sum(
            kind in ENTITY_KINDS and value not in entities and value.partition(":")[0] != generation.pack_id
            for _, kind, value in links
        ),
        sections_by_role=_by_role(sections),
        entities_by_type=dict(sorted(Counter(entity.type for entity in entities.values()).items())),
        entities_by_language=_languages(generation, entities.values()),
        histogram=_histogram(sections),
        long=_long(sections, generation.manifest.chunk_tokens),
        short=_short(sections),
        golden=_coverage(golden, sections, asked, entities),
    )


def _links(generation: Generation) -> list[tuple[str, str, str]]:
    """Return (entity, kind, value), each once, sorted: whatever any section of the entity's file names."""
    rows = {chunk.row: chunk.entity_id for chunk in generation.all_chunks()}
    return sorted({(rows[row], kind, value) for row, kind, value in generation.all_links()})


def _edges(links: Iterable[tuple[str, str, str]], entities: Mapping[str, PackEntity]) -> tuple[Edge, ...]:
    kinds: dict[tuple[str, str], list[str]] = {}
    for source, kind, value in links:
        if kind in ENTITY_KINDS and value in entities and value != source:
            kinds.setdefault((source, value), []).append(kind)
    return tuple(Edge(source=entity, target=other, kinds=tuple(of)) for (entity, other), of in sorted(kinds.items()))


def _sections(chunks: Sequence[StoredChunk]) -> dict[str, list[StoredChunk]]:
    """Return each section's ID with its parts, in source order."""
    found: dict[str, list[StoredChunk]] = {}
    for chunk in chunks:
        found.setdefault(chunk.section_id, []).append(chunk)
    return found


def _by_entity(sections: Mapping[str, list[StoredChunk]]) -> dict[str, dict[str, list[StoredChunk]]]:
    found: dict[str, dict[str, list[StoredChunk]]] = {}
    for section_id, parts in sections.items():
        found.setdefault(parts[0].entity_id, {})[section_id] = parts
    return found


def _node(
    entity: PackEntity, own: Mapping[str, list[StoredChunk]], links_in: int, links_out: int, asked: set[str]
) -> Node:
    return Node(
        id=entity.id,
        name=entity.name,
        type=entity.type,
        file_path=entity.file_path,
        links_in=links_in,
        links_out=links_out,
        sections=len(own),
        tokens=sum(_tokens(parts) for parts in own.values()),
        asked_for=sum(section in asked for section in own),
    )


def _by_role(sections: Mapping[str, list[StoredChunk]]) -> dict[str, int]:
    return dict(sorted(Counter(parts[0].role for parts in sections.values()).items()))


def _languages(generation: Generation, entities: Iterable[PackEntity]) -> dict[str, int]:
    """Count the entities by the language that their file names (`language` or `lang`), else the pack's."""
    own = (entity.attrs.get("language") or entity.attrs.get("lang") for entity in entities)
    return dict(
        sorted(Counter(name if isinstance(name, str) else generation.manifest.language for name in own).items())
    )


def _histogram(sections: Mapping[str, list[StoredChunk]]) -> tuple[Bucket, ...]:
    sizes = [_tokens(parts) for parts in sections.values()]
    lows = (0, *_BOUNDS)
    highs: tuple[int | None, ...] = (*_BOUNDS, None)
    return tuple(
        Bucket(low=low, high=high, sections=sum(low <= size and (high is None or size < high) for size in sizes))
        for low, high in zip(lows, highs, strict=True)
    )


def _long(sections: Mapping[str, list[StoredChunk]], chunk_tokens: int) -> tuple[LongSection, ...]:
    """Return the sections that had to be split, the longest first."""
    found = [
        _long_section(section, parts)
        for section, parts in sections.items()
        if len(parts) > 1 or _tokens(parts) > chunk_tokens
    ]
    return tuple(sorted(found, key=lambda section: (-section.tokens, section.section_id)))


def _short(sections: Mapping[str, list[StoredChunk]]) -> tuple[LongSection, ...]:
    """Return the sections of open lore that hold hardly anything, the shortest first."""
    found = [
        _long_section(section, parts)
        for section, parts in sections.items()
        if parts[0].role == "lore" and _tokens(parts) < SHORT_TOKENS
    ]
    return tuple(sorted(found, key=lambda section: (section.tokens, section.section_id)))


def _long_section(section_id: str, parts: Sequence[StoredChunk]) -> LongSection:
    return LongSection(section_id=section_id, tokens=_tokens(parts), parts=len(parts))


def _coverage(
    golden: Sequence[Golden],
    sections: Mapping[str, list[StoredChunk]],
    asked: set[str],
    entities: Mapping[str, PackEntity],
) -> Coverage:
    by_type: dict[str, tuple[int, int]] = {}
    for section_id, parts in sections.items():
        kind = entities[parts[0].entity_id].type
        got, of = by_type.get(kind, (0, 0))
        by_type[kind] = (got + (section_id in asked), of + 1)
    return Coverage(
        queries=len(golden),
        sections=len(sections),
        asked_for=sum(section in asked for section in sections),
        by_type=dict(sorted(by_type.items())),
        not_asked_for=tuple(sorted(section for section in sections if section not in asked)),
        unknown=tuple(sorted(asked - sections.keys())),
    )


def _tokens(parts: Sequence[StoredChunk]) -> int:
    return sum(part.token_count for part in parts)
