"""Scenario and packs -> the entities that a campaign begins with: copies of the packs', and the scenario's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lorewright.campaigns.names import PLAYER_NAMES, Names
from lorewright.campaigns.scenario import Scenario, ScenarioEntity, ScenarioPlace, ScenarioThing
from lorewright.campaigns.scenario_cast import ScenarioCast
from lorewright.index.generation import Generation
from lorewright.packs import models
from lorewright.packs.schemas import CHARACTER_KEYS
from lorewright.retrieval.overrides import told_entity
from lorewright.world.state import Entity, EntityType

_TYPES: dict[str, EntityType] = {"location": "location", "npc": "npc", "faction": "faction", "item": "item"}

# A place, a member of the cast, somebody known: what a scenario may add to a pack's entity, or make itself.
_Added = ScenarioPlace | ScenarioCast | ScenarioEntity


def names_made(scenario: Scenario) -> list[str]:
    """The places, people and others with a name in the scenario, which so need no pack that knows them."""
    return [key for key, one in _added(scenario).items() if one.name and ":" not in key]


def entities_of(scenario: Scenario, names: Names, generations: Sequence[Generation]) -> Iterator[Entity]:
    """The player, other personas, then places, cast and whoever is known or a thread is about, then the things. Names
    that mean nothing are noted in `names`."""
    player = scenario.player
    yield Entity(id=names.player_id, type="player", name=player.name, pronoun=player.pronoun, traits=player.traits)
    for key, persona in scenario.personas.items():
        yield Entity(
            id=names.entity(key, where=f"personas.{key}"),
            type="player",
            name=persona.name,
            aliases=persona.aliases,
            pronoun=persona.pronoun,
            traits=persona.traits,
        )
    added = _added(scenario)
    related = [one for thread in scenario.threads.values() for one in thread.related]
    for name in dict.fromkeys([*added, *related]):
        if name in scenario.things or name in scenario.personas or name in PLAYER_NAMES:
            continue
        entity_id = names.entity(name, where=where_of(scenario, name))
        source = told_entity(entity_id, generations)
        kind: EntityType = "npc" if name in scenario.cast else "location"
        if source is not None:
            yield _copied(source, added.get(name), kind if kind == "npc" else _TYPES.get(source.type, "other"))
        elif (own := added.get(name)) is not None and own.name:
            yield _own(entity_id, own.name, own, kind)
    for name, thing in scenario.things.items():
        yield _thing(names.entity(name, where=f"things.{name}"), thing, generations)


def where_of(scenario: Scenario, name: str) -> str:
    """Where in a scenario a name stands, for whoever must mend it."""
    groups = {"places": scenario.places, "cast": scenario.cast, "things": scenario.things}
    found = next((group for group, names in groups.items() if name in names), None)
    if found is None:
        return "entities" if any(one.id == name for one in scenario.entities) else "threads"
    return f"{found}.{name}"


def _added(scenario: Scenario) -> dict[str, _Added]:
    return {**{one.id: one for one in scenario.entities}, **scenario.cast, **scenario.places}


def _copied(source: models.Entity, added: _Added | None, kind: EntityType) -> Entity:
    """A pack's entity as the campaign's own copy of it; the scenario's name, aliases, attrs and tags come on top."""
    attrs, tags = _more(added)
    given = getattr(added, "pronoun", None) or source.attrs.get("pronoun")
    aliases = (*(added.aliases if added else ()), *source.aliases, source.name)
    return Entity(
        id=source.id,
        type=kind,
        name=(added.name if added else None) or source.name,
        aliases=tuple(dict.fromkeys(aliases)),
        pronoun=given if given in ("he", "she", "they", "it") else "they",
        attrs={**_plain(source.attrs), **attrs},
        tags=tuple(dict.fromkeys((*source.tags, *tags))),
        origin="pack",
        pack_id=source.id.partition(":")[0],
        pack_entity_id=source.id,
    )


def _own(entity_id: str, name: str, added: _Added, kind: EntityType) -> Entity:
    attrs, tags = _more(added)
    return Entity(
        id=entity_id,
        type=added.type if isinstance(added, ScenarioEntity) else kind,
        name=name,
        aliases=added.aliases,
        pronoun=getattr(added, "pronoun", None) or "they",
        attrs=attrs,
        tags=tags,
    )


def _thing(entity_id: str, thing: ScenarioThing, generations: Sequence[Generation]) -> Entity:
    source = told_entity(entity_id, generations) if thing.entity else None
    own = Entity(id=entity_id, type=thing.kind, name=thing.name, aliases=thing.aliases, pronoun="it")
    if source is None:
        return own
    return own.model_copy(
        update={
            "aliases": tuple(dict.fromkeys((*thing.aliases, *source.aliases, source.name))),
            "tags": source.tags,
            "origin": "pack",
            "pack_id": source.id.partition(":")[0],
            "pack_entity_id": source.id,
        }
    )


def _more(added: _Added | None) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    if isinstance(added, ScenarioPlace):
        return {}, added.tags
    return (added.attrs, added.tags) if isinstance(added, ScenarioEntity) else ({}, ())


def _plain(attrs: dict[str, Any]) -> dict[str, Any]:
    """What has a meaning of its own stands elsewhere."""
    return {key: value for key, value in attrs.items() if key not in ("pronoun", "exits", *CHARACTER_KEYS)}
