"""Packs written into a temporary folder, and readers of what was made from them.

TOWN is a small pack with one of everything: places, people with a sheet, a faction, a file for the game master alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from lorewright.index.building import build_generation
from lorewright.index.generation import Generation
from lorewright.packs.files import Finding
from lorewright.packs.loader import load_pack
from lorewright.packs.models import Chunk, Pack
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import Retrieval, retrieve
from lorewright.retrieval.view import LoreView

Files = Mapping[str, str | bytes]

MANIFEST = "id: {id}\nname: {id}\nversion: 1.0.0\nlicense: {{type: CC0}}\n"

BAR = """---
id: bar
type: location
aliases: [the Dragon]
tags: [nightlife]
related_entities: [viktor, mara]
related_threads: [main_case]
---

# The Neon Dragon

The Neon Dragon is a bar below the elevated railway. It has nine stools and one rule.

It closes at dawn.

## Atmosphere

Neon hums over wet glass. The jukebox plays one song.

Somebody has mopped recently.

## History

The bar was a laundry until the flood. The boilers still stand behind the wall.

## Discoverable

- {#ledger} search behind the bar: A ledger lists every courier by nickname.
  - hint: The shelf behind the counter sits crooked.
- {#stain} examine the jukebox: Dried blood marks the coin slot.
- {#cellar} listen at the floor: Someone coughs in the cellar.

## Threads

- {#main_case} Jin was last seen in the Dragon.
- {#side_case} The rent is three months late.
"""

VIKTOR = """---
id: viktor
type: npc
aliases: [the barman]
related_locations: [bar]
related_factions: [guild]
---

# Viktor

Viktor owns the bar. He is sixty and broad.

## Disposition

- Viktor polishes one glass.
- Viktor watches the street door.

## Knows

- {#pier9} Jin's last run went to Pier 9.
- {#guild} The [[Night Guild]] taxes every stall.
- {#weather} Rain comes before midnight.

## Withholds

- {#debt} Zenith bought his debt of forty thousand.
- {#name} He gave the agent one name: Jin.

## Capabilities

He reads people like a dealer. He keeps a shotgun under the sink.
"""

MARA = """---
id: mara
type: npc
related_locations: [bar]
---

# Mara

Mara mends radios at a corner table.

## Disposition

- Mara laughs too early.

## Knows

- {#radio} The police band changed on Tuesday.

## Withholds

- {#badge} She still carries a badge.
"""

GUILD = """---
id: guild
type: faction
aliases: [the stallholders]
---

# Night Guild

The Night Guild runs the market and keeps its own police.
"""

PIER = """---
id: pier
type: location
tags: [harbour]
---

# Pier 9

Pier 9 is a cold store on rotten piles. Gulls own the roof.

## Access

The steel door faces the water.
"""

CULT = """---
id: cult
type: faction
visibility: gm
aliases: [silver hand]
related_locations: [pier]
---

# The Drowned Choir

The Drowned Choir meets below the pier and drowns its debtors.
"""

HAND = """---
id: hand
type: item
---

# Hand

A wooden hand from a shop window.
"""

TOWN: dict[str, str | bytes] = {
    "locations/bar.md": BAR,
    "locations/pier.md": PIER,
    "npcs/viktor.md": VIKTOR,
    "npcs/mara.md": MARA,
    "factions/guild.md": GUILD,
    "factions/cult.md": CULT,
    "items/hand.md": HAND,
}


def write_pack(parent: Path, files: Files, *, pack_id: str = "town", manifest: str | None = MANIFEST) -> Path:
    """Write a pack's folder below `parent`; with `manifest` None it has no `pack.yaml`."""
    folder = parent / pack_id
    texts: dict[str, str | bytes] = {**files}
    if manifest is not None:
        texts.setdefault("pack.yaml", manifest.format(id=pack_id))
    for path, text in texts.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def loaded(parent: Path, files: Files, *, pack_id: str = "town", manifest: str | None = MANIFEST) -> Pack:
    """A pack as it is read from its files."""
    return load_pack(write_pack(parent, files, pack_id=pack_id, manifest=manifest))


def loaded_text(parent: Path, text: str | bytes) -> Pack:
    """A pack of the one file `a.md`."""
    return loaded(parent, {"a.md": text})


def by_id(pack: Pack) -> dict[str, Chunk]:
    """The chunks of a pack by their IDs, without the pack's own."""
    return {chunk.id.removeprefix(f"{pack.manifest.id}:"): chunk for chunk in pack.chunks}


def codes(findings: tuple[Finding, ...], *, file: str | None = None) -> set[str]:
    """The codes of the findings, of one file or all."""
    return {finding.code for finding in findings if file in (None, finding.file)}


@contextmanager
def opened_packs(parent: Path, packs: Mapping[str, Files]) -> Iterator[tuple[Generation, ...]]:
    """Generations of packs given as ID -> files, in the order of their IDs."""
    with ExitStack() as stack:
        generations = []
        for pack_id in sorted(packs):
            pack = loaded(parent / "packs", packs[pack_id], pack_id=pack_id)
            key = build_generation(pack, parent / "generations")
            generations.append(Generation(parent / "generations" / key.folder))
            stack.callback(generations[-1].close)
        yield tuple(generations)


def ask(
    generations: tuple[Generation, ...],
    words: str = "",
    *,
    viewer: str = "gm",
    revealed: frozenset[str] = frozenset(),
    **fields: Any,
) -> Retrieval:
    """Ask as a viewer to whom some items were revealed."""
    view = LoreView(generations, viewer=viewer, revealed=revealed)
    return retrieve(view, LoreRetrievalQuery(keywords=words, viewer=viewer, **fields))


def found(retrieval: Retrieval) -> list[str]:
    """The chunk IDs of a result, best first, without the pack's own."""
    return [chunk.chunk_id.partition(":")[2] for chunk in retrieval.result.chunks]


def as_bytes(retrieval: Retrieval) -> bytes:
    """Everything that a viewer gets but the time that it took."""
    result = retrieval.result.model_dump(mode="json", exclude={"query_time_ms"})
    return json.dumps([result, retrieval.trace.model_dump(mode="json")], ensure_ascii=False).encode()
