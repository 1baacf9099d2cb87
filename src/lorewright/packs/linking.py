"""References in frontmatter and text -> links to entities, or a finding for an unknown name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote

from lorewright.ids import slug
from lorewright.packs.files import Finding, warning
from lorewright.packs.markdown.chunking import wikilinks
from lorewright.packs.metadata import FileMetadata
from lorewright.packs.models import Link, PackEntity

_MARKDOWN_LINK = re.compile(r"\]\(<?([^()<>\s]{1,300}?\.(?:md|markdown))(?:#[^()<>\s]{0,200})?>?\)", re.IGNORECASE)
_KIND_OF_TYPE = {"location": "location", "faction": "faction"}


@dataclass(frozen=True, slots=True)
class EntityReference:
    """The target of a link in a text: an entity as its author calls it, or the path of a file."""

    target: str
    is_path: bool = False


def references_in(text: str) -> tuple[EntityReference, ...]:
    """Return the targets of a text's wikilinks, then of its links to markdown files, each in order."""
    paths = (EntityReference(unquote(path), is_path=True) for path in _MARKDOWN_LINK.findall(text))
    return (*(EntityReference(name) for name in wikilinks(text)), *paths)


class LinkTable:
    """A table of one pack's entities by ID, name, alias, path and file name."""

    def __init__(self, pack_id: str, entities: Iterable[PackEntity]) -> None:
        self._pack_id = pack_id
        self._by_id = {entity.id: entity for entity in entities}
        self._by_path = {_without_suffix(entity.file_path): entity for entity in self._by_id.values()}
        self._by_name: dict[str, PackEntity | None] = {}
        for entity in self._by_id.values():
            names = {entity.name, PurePosixPath(entity.file_path).stem, *entity.aliases}
            for key in {slug(name) for name in names}:
                self._by_name[key] = None if key in self._by_name else entity

    def find(self, reference: str) -> PackEntity | None:
        """Return the entity that a reference means; None if no entity or more than one has the name."""
        target = self._by_id.get(f"{self._pack_id}:{reference}") or self._by_id.get(reference)
        if target is not None:
            return target
        by_path = self._by_path.get(_without_suffix(reference))
        return by_path or self._by_name.get(slug(PurePosixPath(reference).name))

    def of_file(self, entity: PackEntity, meta: FileMetadata, findings: list[Finding]) -> tuple[Link, ...]:
        """Return the links that all chunks of a file have: the entity itself, its relations, its tags."""
        links = [Link(_KIND_OF_TYPE.get(entity.type, "entity"), entity.id)]
        for kind, reference in meta.relations:
            if kind == "thread":
                links.append(Link("thread", reference))
                continue
            link = self._related(kind, reference)
            links += [link] if link else []
            if link is None or (":" not in reference and self.find(reference) is None):
                findings.append(_dangling(entity.file_path, reference))
        links += [Link("tag", tag) for tag in meta.tags]
        return tuple(dict.fromkeys(links))

    def _related(self, kind: str, reference: str) -> Link | None:
        """Return the link of a relation, or None; an unknown ID of another pack is kept, as it may be installed
        later."""
        target = self.find(reference)
        if target is not None:
            return Link(_KIND_OF_TYPE.get(target.type, "entity"), target.id)
        return Link(kind, reference) if ":" in reference and "/" not in reference else None

    def of_text(
        self, path: str, inherited: tuple[Link, ...], references: Sequence[EntityReference], findings: list[Finding]
    ) -> tuple[Link, ...]:
        """Return the inherited links, then those of the references in a text of the file at `path`, each once."""
        links = list(inherited)
        for reference in references:
            target = self.at_path(path, reference.target) if reference.is_path else self.find(reference.target)
            if target is not None:
                links.append(Link(_KIND_OF_TYPE.get(target.type, "entity"), target.id))
            elif not reference.is_path:
                findings.append(_dangling(path, reference.target))
        return tuple(dict.fromkeys(links))

    def at_path(self, path: str, reference: str) -> PackEntity | None:
        """Return the entity of the file that a relative link means, or None; the path is only compared, never
        opened."""
        if "://" in reference:
            return None
        joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), reference))
        return self._by_path.get(_without_suffix(joined))


def _without_suffix(path: str) -> str:
    return posixpath.splitext(path)[0]


def _dangling(path: str, reference: str) -> Finding:
    shown = reference if len(reference) <= 60 else reference[:57] + "…"
    return warning(
        path,
        "dangling-reference",
        f"nothing in the pack is named {shown}",
        hint="add the file or fix the name",
    )
