"""Scenario and packs -> the entities that a campaign begins with: copies of the packs', and the scenario's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.campaigns.scenarios.names import PLAYER_NAMES, NameLookup
from lorewright.campaigns.scenarios.scenario import (
    Scenario,
    ScenarioCast,
    ScenarioEntity,
    ScenarioPlace,
    ScenarioThing,
)
from lorewright.index.generation import Generation
from lorewright.packs import models
from lorewright.packs.schemas import CHARACTER_KEYS
from lorewright.retrieval.view import merge_entity
from lorewright.world.state import Entity, EntityType, Relation, pair, relation_key

_GROUPS = ("cast", "places", "things")

_TYPES: dict[str, EntityType] = {"location": "location", "npc": "npc", "faction": "faction", "item": "item"}


@dataclass(frozen=True, slots=True)
class _Added:
    """What a scenario says of one entity: in the group where it stands, a place or a member of the cast, and in
    `entities`. Where both give a name, the group's holds."""

    kind: EntityType
    group: ScenarioPlace | ScenarioCast | None = None
    entity: ScenarioEntity | None = None

    @property
    def name(self) -> str | None:
        return (self.group.name if self.group else None) or (self.entity.name if self.entity else None)

    @property
    def aliases(self) -> tuple[str, ...]:
        given = (*(self.group.aliases if self.group else ()), *(self.entity.aliases if self.entity else ()))
        other = self.entity.name if self.entity and self.entity.name != self.name else None
        return tuple(dict.fromkeys((*given, *([other] if other else []))))

    @property
    def attrs(self) -> Mapping[str, Any]:
        return self.entity.attrs if self.entity else {}

    @property
    def tags(self) -> tuple[str, ...]:
        own = self.group.tags if isinstance(self.group, ScenarioPlace) else ()
        return tuple(dict.fromkeys((*own, *(self.entity.tags if self.entity else ()))))

    @property
    def pronoun(self) -> str | None:
        return self.group.pronoun if isinstance(self.group, ScenarioCast) else None


def names_made(scenario: Scenario) -> list[str]:
    """Return the names of all that is named in the scenario and needs no pack."""
    named = {
        **{entity.id: entity.name for entity in scenario.entities},
        **{key: member.name for key, member in scenario.cast.items()},
        **{key: place.name for key, place in scenario.places.items()},
    }
    return [key for key, name in named.items() if name and ":" not in key]


def entities_of(scenario: Scenario, names: NameLookup, generations: Sequence[Generation]) -> Iterator[Entity]:
    """Yield the player, personas, places, cast, others known, those of threads, things; note unknown names."""
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
    for entity_id, added in _added(scenario, names).items():
        source = merge_entity(entity_id, generations)
        if source is not None:
            yield _copied(source, added)
        elif added.name:
            yield _own(entity_id, added)
    for name, thing in scenario.things.items():
        if not thing.name:
            names.problems.append(f"things.{name}: name: is missing, and no pack has {name}{names.remark(name)}")
        yield _thing(names.entity(name, where=f"things.{name}"), thing, generations)


def where_of(scenario: Scenario, name: str) -> str:
    """Return where in a scenario a name stands, as it is shown in errors."""
    groups = {"places": scenario.places, "cast": scenario.cast, "things": scenario.things}
    found = next((group for group, names in groups.items() if name in names), None)
    if found is None:
        return "entities" if any(entity.id == name for entity in scenario.entities) else "threads"
    return f"{found}.{name}"


def _added(scenario: Scenario, names: NameLookup) -> dict[str, _Added]:
    """Return what the scenario says of each entity by its ID: by whatever names it is in several groups, it is one."""
    entities = {entity.id: entity for entity in scenario.entities}
    related = [name for thread in scenario.threads.values() for name in thread.related]
    found: dict[str, _Added] = {}
    for name in dict.fromkeys([*entities, *scenario.cast, *scenario.places, *related]):
        if name in scenario.things or name in scenario.personas or name in PLAYER_NAMES:
            continue
        entity_id = names.entity(name, where=where_of(scenario, name))
        group = scenario.places.get(name) or scenario.cast.get(name)
        before = found.get(entity_id, _Added("other"))
        found[entity_id] = _Added(
            "npc" if name in scenario.cast else "location" if name in scenario.places else before.kind,
            group or before.group,
            entities.get(name) or before.entity,
        )
    return found


def _copied(source: models.PackEntity, added: _Added) -> Entity:
    """Return the campaign's own copy of a pack's entity, with the scenario's name, aliases, attrs and tags on top."""
    given = added.pronoun or source.attrs.get("pronoun")
    aliases = (*added.aliases, *source.aliases, source.name)
    return Entity(
        id=source.id,
        type=_TYPES.get(source.type, "other") if added.group is None else added.kind,
        name=added.name or source.name,
        aliases=tuple(dict.fromkeys(aliases)),
        pronoun=given if given in ("he", "she", "they", "it") else "they",
        attrs={**_plain(source.attrs), **added.attrs},
        tags=tuple(dict.fromkeys((*source.tags, *added.tags))),
        origin="pack",
        pack_id=source.id.partition(":")[0],
        pack_entity_id=source.id,
    )


def _own(entity_id: str, added: _Added) -> Entity:
    return Entity(
        id=entity_id,
        type=added.entity.type if added.group is None and added.entity is not None else added.kind,
        name=added.name or entity_id,
        aliases=added.aliases,
        pronoun=added.pronoun or "they",
        attrs=added.attrs,
        tags=added.tags,
    )


def _thing(entity_id: str, thing: ScenarioThing, generations: Sequence[Generation]) -> Entity:
    source = merge_entity(entity_id, generations) if thing.entity else None
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


def _plain(attrs: dict[str, Any]) -> dict[str, Any]:
    # Those that have a field of their own are left out.
    return {key: value for key, value in attrs.items() if key not in ("pronoun", "exits", *CHARACTER_KEYS)}


def positions_of_personas(scenario: Scenario, names: NameLookup, *, start: str) -> dict[str, str]:
    """Return where the player's other personas are, by ID: at `start`, unless the scenario says otherwise."""
    found: dict[str, str] = {}
    for key, persona in scenario.personas.items():
        where = f"personas.{key}"
        taken = next((group for group in _GROUPS if key in getattr(scenario, group)), None)
        if taken is not None or key in PLAYER_NAMES:
            names.problems.append(
                f"{where}: {key} is {'the player' if taken is None else f'among the {taken}'} already"
            )
        if persona.at is not None and persona.at not in scenario.places:
            names.problems.append(f"{where}: {persona.at} is not among the places")
        found[names.entity(key, where=where)] = start if persona.at is None else names.entity(persona.at, where=where)
    return found


def things_of_personas(scenario: Scenario, names: NameLookup) -> dict[str, dict[str, int]]:
    """Return what they carry at the start: amounts by carrier and item."""
    held: dict[str, dict[str, int]] = {}
    for key, persona in scenario.personas.items():
        where = f"personas.{key}.items"
        for item in persona.items:
            held.setdefault(names.entity(key, where=where), {})[names.entity(item, where=where)] = 1
    return held


def trust_in_personas(scenario: Scenario, names: NameLookup) -> dict[str, Relation]:
    """Return how far some of the cast trust them, by key."""
    found: dict[str, Relation] = {}
    for key, persona in scenario.personas.items():
        where = f"personas.{key}.trust"
        for name, trust in persona.trust.items():
            if name not in scenario.cast:
                names.problems.append(f"{where}: {name} is not in the cast")
            elif trust:
                a, b = pair(names.entity(name, where=where), names.entity(key, where=where))
                found[relation_key(a, b)] = Relation(a=a, b=b, trust=trust)
    return found
