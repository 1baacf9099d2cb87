"""Layers and `overrides:` -> which pack may replace what of which other. Reads no file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from lorewright.packs.findings import Finding, warning
from lorewright.packs.models import LAYERS, Entity, Manifest, Pack

# The IDs of a pack's entities; None where they cannot be known.
EntitiesOf = Callable[[str], frozenset[str] | None]


def may_override(one: Manifest, other: Manifest) -> bool:
    """Whether a pack is later than another: by its layer, in the same layer by depending on the other."""
    ranks = LAYERS.index(one.layer), LAYERS.index(other.layer)
    if ranks[0] != ranks[1]:
        return ranks[0] > ranks[1]
    return any(dependency.id == other.id for dependency in one.depends_on)


def candidates(reference: str, manifest: Manifest) -> list[str]:
    """The entities that `overrides: REFERENCE` may mean; a bare ID may be one of any pack depended on."""
    if ":" in reference:
        return [reference]
    return [f"{dependency.id}:{reference}" for dependency in manifest.depends_on]


def lint_overrides(pack: Pack, known: Mapping[str, Manifest], entities_of: EntitiesOf) -> Iterator[Finding]:
    """What is wrong with a pack's overrides, seen among the packs that can be had."""
    for entity in pack.entities:
        if entity.overrides is not None:
            yield from _lint(entity, entity.overrides.target, pack.manifest, known, entities_of)


def _lint(
    entity: Entity, reference: str, manifest: Manifest, known: Mapping[str, Manifest], entities_of: EntitiesOf
) -> Iterator[Finding]:
    assert entity.overrides is not None
    path, line = entity.file_path, entity.overrides.line
    meant = [one for one in candidates(reference, manifest) if _is_there(one, manifest, known, entities_of)]
    if not meant:
        message = f"overrides: no other pack that can be had has {reference}"
        hint = "install that pack, or write pack:entity"
        yield warning(path, "dangling-reference", message, line=line, hint=hint)
    elif len(meant) > 1:
        message = f"overrides: {reference} may be {' or '.join(meant)}"
        yield warning(path, "ambiguous-override", message, line=line, hint="write pack:entity")
    elif not may_override(manifest, known[_pack_of(meant[0])]):
        other = known[_pack_of(meant[0])]
        message = f"{manifest.id} ({manifest.layer}) is not later than {other.id} ({other.layer}): it overrides nothing"
        hint = f"give it a later layer, or add {other.id} to depends_on in the same layer"
        yield warning(path, "override-wrong-way", message, line=line, hint=hint)


def _is_there(entity_id: str, manifest: Manifest, known: Mapping[str, Manifest], entities_of: EntitiesOf) -> bool:
    pack_id = _pack_of(entity_id)
    if pack_id == manifest.id or pack_id not in known:
        return False
    entities = entities_of(pack_id)
    return entities is None or entity_id in entities


def _pack_of(entity_id: str) -> str:
    return entity_id.partition(":")[0]
