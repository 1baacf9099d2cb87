"""What a person wrote for an entity -> its ID: they may write an ID, a name, an alias or the name of its file.

An ID goes before a name, and a name as it is written before one in another spelling. What is hidden from a viewer has
no name in their table, so that a hidden name is answered like one that nobody wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from pathlib import PurePosixPath

from lorewright.errors import NotFound
from lorewright.ids import local, nearest, slug
from lorewright.index.generation import Generation
from lorewright.packs.models import PackEntity, says_any
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.view import LoreView, find_same_things, hidden_entities, hidden_names, ids_of, qualified

_SMALL_WORD = re.compile(r"\b[^\W\d_A-Z][\w’']*")
# A remark behind a name that tells it from others: `Anna Loaf (baker)`.
_REMARK = re.compile(r"\s*\([^()]*\)\s*$")
_HINT = "see: lorewright pack show PACK"


def common_names(names: Iterable[str], texts: Iterable[str]) -> frozenset[str]:
    """Return those of the names that are titles of common things: of several words, each capitalised, and written small
    in one of the texts, as `Red Lantern` is in `a red lantern hangs there`."""
    titles = {name.lower(): name for name in names if " " in name and name != name.lower()}
    by_first: dict[str, list[str]] = {}
    for small in titles:
        by_first.setdefault(small.split()[0], []).append(small)
    found: set[str] = set()
    for text in texts if by_first else ():
        for word in _SMALL_WORD.finditer(text):
            for small in by_first.get(word[0], ()):
                ends = word.start() + len(small)
                if text.startswith(small, word.start()) and not text[ends : ends + 1].isalnum():
                    found.add(titles[small])
    return frozenset(found)


class NameTable:
    """The names of entities by ID, the one to show first; any spelling of a name finds them."""

    def __init__(self, names: Mapping[str, Sequence[str]]) -> None:
        self.names = names

    def called(self, written: str) -> list[str]:
        """Return the IDs of those that are called so; else of those that are in another spelling, or but for a remark
        in parentheses."""
        as_written, slugs, bare = self._spellings
        key, without_remark = slug(written, fallback=""), slug(_REMARK.sub("", written), fallback="")
        # Who has a remark of their own is meant by no other.
        marked = bare.get(without_remark, ())
        unmarked = [entity_id for entity_id in slugs.get(without_remark, ()) if entity_id not in marked]
        return list(
            as_written.get(written.strip().casefold())
            or slugs.get(key)
            or dict.fromkeys([*bare.get(key, ()), *unmarked])
        )

    def nearest(self, written: str) -> list[str]:
        """Return the IDs of those with the names that are most like a text; none where nothing is near."""
        by_name = {name: entity_id for entity_id, names in self.names.items() for name in names}
        return list(dict.fromkeys(by_name[name] for name in nearest(written, by_name)))

    def shown(self, ids: Iterable[str]) -> str:
        """Return names and IDs in a line: `Ilse [harbour:ilse] or Ilse Coil [light:ilse_coil]`."""
        return " or ".join(f"{self.names[entity_id][0]} [{entity_id}]" for entity_id in ids)

    @cached_property
    def _spellings(self) -> Sequence[Mapping[str, Sequence[str]]]:
        """The IDs by name: as it is written but for capitals, as a slug, as the slug of what stands before a remark."""
        tables: tuple[dict[str, list[str]], ...] = ({}, {}, {})
        for entity_id, names in self.names.items():
            for name in names:
                bare = _REMARK.sub("", name)
                keys = (name.casefold(), slug(name, fallback=""), slug(bare, fallback="") if bare != name else "")
                for table, key in zip(tables, keys, strict=True):
                    if key and entity_id not in table.setdefault(key, []):
                        table[key].append(entity_id)
        return tables


class NamedEntities:
    """The IDs and names of the entities of packs; of a thing that several packs tell of, the earliest pack's is
    meant."""

    def __init__(self, generations: Sequence[Generation], *, hidden: Set[str] = frozenset()) -> None:
        """Entities in `hidden` are neither found nor suggested, nor is another by a name that says one of theirs."""
        self._generations = generations
        self.hidden = hidden

    @classmethod
    def of(cls, view: LoreView) -> NamedEntities:
        """Return the names that the view's viewer may know."""
        return cls(view.generations, hidden=hidden_entities(view))

    def find(self, written: str, *, what: str = "entity") -> str:
        """Return the ID of the one entity that is meant; `what` is what errors call it.

        Raises:
            NotFound: none is meant, and the hint has the nearest; or several are, and the message has all of them.
        """
        meant = self.meant(written)
        if len(meant) > 1:
            raise NotFound(f"{written} may be {self.table.shown(meant)}", hint="write the ID of the one that is meant")
        if not meant:
            raise NotFound(f"there is no {what} {written}", hint=self.suggestion(written) or _HINT)
        return meant[0]

    def meant(self, written: str) -> tuple[str, ...]:
        """Return the IDs of all that a text may mean: of those that have it as their ID, else of those that are called
        so."""
        ids = sorted(self.with_id(written))
        pack, separator, name = written.partition(":")
        if not ids:
            ids = self.table.called(written)
        if not ids and separator:
            ids = [entity_id for entity_id in self.table.called(name) if entity_id.startswith(f"{pack}:")]
        same = find_same_things(self._generations) if len(ids) > 1 else {}
        return tuple(dict.fromkeys(min(ids_of(entity_id, same), key=self._is_hidden) for entity_id in ids))

    def with_id(self, written: str) -> set[str]:
        """Return the full IDs that a text is, or of which it is the part behind the pack."""
        known = qualified([written], self._generations) - self.hidden
        return {
            entity_id
            for entity_id in known
            if any(generation.entity(entity_id) is not None for generation in self._generations)
        }

    def suggestion(self, written: str) -> str:
        """Return `did you mean …?` with the entities of the nearest names; empty where nothing is near."""
        near = self.table.nearest(written.rpartition(":")[2])
        return f"did you mean {self.table.shown(near)}?" if near else ""

    @cached_property
    def table(self) -> NameTable:
        """The name of each entity, then its aliases, the name of its file and its ID without the pack."""
        secret = hidden_names(self._generations, self.hidden)
        return NameTable(
            {
                entity.id: tuple(dict.fromkeys(_names_of(entity, secret)))
                for generation in self._generations
                for entity in generation.entities().values()
                if entity.id not in self.hidden
            }
        )

    def _is_hidden(self, entity_id: str) -> bool:
        return entity_id in self.hidden


def _names_of(entity: PackEntity, secret: frozenset[str]) -> Iterator[str]:
    yield entity.name
    yield from (name for name in (*entity.aliases, PurePosixPath(entity.file_path).stem) if not says_any(name, secret))
    yield local(entity.id)


def name_by_ids(query: LoreRetrievalQuery, view: LoreView, *, lenient: bool = False) -> LoreRetrievalQuery:
    """Return a query whose filters name entities by ID. An ID that several packs have stays, and means all of them.

    Raises:
        NotFound: a filter names one of several, or nobody; with `lenient` what names nobody stays as it is.
    """
    names = NamedEntities.of(view)

    def meant(written: str) -> str:
        stays = names.with_id(written) or (lenient and not names.meant(written))
        return written if stays else names.find(written)

    return query.model_copy(
        update={
            "location_id": query.location_id and meant(query.location_id),
            "entity_ids": tuple(map(meant, query.entity_ids)),
            "faction_ids": tuple(map(meant, query.faction_ids)),
        }
    )
