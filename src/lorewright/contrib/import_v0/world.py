"""The rows of a v0 campaign -> the one state that they describe: the newest, which is all that v0 keeps.

Values that a field of ours holds in another way are noted (`derived`), values that no field holds are stored beside the
state (`kept`), table by table. A name that means nothing is a fault: nothing is guessed about who or where somebody is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from lorewright.contrib.import_v0.values import (
    Faults,
    Notes,
    V0Campaign,
    V0Clock,
    V0Entity,
    V0Fact,
    V0Thread,
    number_of,
    turn_numbers,
)
from lorewright.ids import canonical_json
from lorewright.world.state import (
    OFFSTAGE,
    Clock,
    Entity,
    EntityType,
    Exit,
    Fact,
    Relationship,
    Scene,
    Thread,
    WorldState,
    relationship_key,
)
from lorewright.world.things import PREDICATES

_TYPES: Mapping[str, EntityType] = {
    **dict.fromkeys(("player", "pc", "player_character"), "player"),
    **dict.fromkeys(("npc", "character", "person", "creature"), "npc"),
    **dict.fromkeys(("location", "place", "room"), "location"),
    **dict.fromkeys(("item", "object", "thing"), "item"),
    **dict.fromkeys(("faction", "organization", "organisation"), "faction"),
}
# Words for a fact that everybody at the table may know.
_OPEN = frozenset({"player", "public", "known", "discovered", "revealed", "visible", "open"})
_MINUTES = ("minutes", "elapsed_minutes", "total_minutes")
# A state of the first year: a larger number was never counted in minutes.
_MOST_MINUTES = 1_000_000
_WAYS = ("exits", "connections")
_PRONOUNS = ("he", "she", "they", "it")


def our_id(campaign_id: str, v0_id: str) -> str:
    """Return `friday:viktor` for `viktor`; an ID with a pack stays as it is."""
    return v0_id if ":" in v0_id else f"{campaign_id}:{v0_id}"


def world_of(campaign: V0Campaign, campaign_id: str, faults: Faults, notes: Notes) -> WorldState:
    """Return the newest state. It is fit for use only where no fault was noted.

    Raises:
        ImportRefused: names that mean nothing, or rows that do not fit together; all of them in one message.
    """
    world = _World(campaign, campaign_id, faults, notes)
    player = world.player()
    world.check(player)
    faults.refuse()
    return world.state(player)


class _World:
    def __init__(self, campaign: V0Campaign, campaign_id: str, faults: Faults, notes: Notes) -> None:
        self._of = campaign
        self._campaign_id = campaign_id
        self._faults = faults
        self._notes = notes
        self._by_id = {entity.id: entity for entity in campaign.entities}
        self._scene = campaign.scenes[0]
        self._owned = {holding.item_id for holding in campaign.inventory}
        self._names: set[str] = set()
        self._told = turn_numbers(campaign)

    def _our(self, v0_id: str) -> str:
        return our_id(self._campaign_id, v0_id)

    def player(self) -> str:
        """Return the v0 ID of the player, of whom there is one; where there is none, a traveller is made."""
        players = [entity for entity in self._of.entities if self._told_type(entity) == "player"]
        named = [player for player in (players or self._of.entities) if player.id.rpartition(":")[2] == "player"]
        if len(players) > 1 and len(named) != 1:
            who = ", ".join(player.id for player in players)
            self._faults.add(players[1].where, f"type says that there are several players ({who}); leave one")
        if len(players) == 1 or not named:
            return players[0].id if players else "player"
        return named[0].id

    def check(self, player: str) -> None:
        """Note every name that means nothing, and rows that would give no valid ID."""
        self._names = {*self._by_id, player}
        ids = Counter(map(self._our, self._names))
        for entity in self._of.entities:
            if ids[self._our(entity.id)] > 1 and ":" not in entity.id:
                self._faults.add(
                    entity.where, f"id {entity.id!r} is {self._our(entity.id)!r} here, which there is, too"
                )
        scene = self._scene
        self._known(scene.where, "location_id", [scene.location_id])
        self._known(scene.where, "present_entity_ids_json", scene.present)
        place = self._by_id.get(scene.location_id)
        if place is not None and self._told_type(place) not in ("location", "other"):
            self._faults.add(scene.where, f"location_id {scene.location_id!r} is a {place.type}, and no place")
        for fact in self._of.facts:
            self._known(fact.where, "subject_id", [fact.subject_id])
        for thread in self._of.threads:
            self._known(thread.where, "related_entity_ids_json", thread.related)
        for holding in self._of.inventory:
            self._known(holding.where, "owner_id", [holding.owner_id])
            self._known(holding.where, "item_id", [holding.item_id])
        for edge in self._of.relationships:
            self._known(edge.where, "a_id", [edge.a_id])
            self._known(edge.where, "b_id", [edge.b_id])
            if edge.a_id == edge.b_id:
                self._faults.add(edge.where, f"a_id and b_id are both {edge.a_id!r}")

    def _known(self, where: str, column: str, ids: Iterable[str]) -> None:
        for entity_id in ids:
            if entity_id not in self._names:
                what = f"{column} names {entity_id!r}, which is no entity of its campaign; add it, or mend the row"
                self._faults.add(where, what)

    def state(self, player: str) -> WorldState:
        """Return the state, made from rows that were checked."""
        scene, our = self._scene, self._our
        place = our(scene.location_id)
        entities = {entity.id: entity for entity in (self._entity(row, player) for row in self._of.entities)}
        player_id = our(player)
        if player_id not in entities:
            self._notes.say("entities", f"no entity is the player: {player_id} was made, called the traveller")
            entities[player_id] = Entity(id=player_id, type="player", name="the traveller")
        if scene.rest:
            self._notes.keep("scene", scene.id, dict(scene.rest))
        return WorldState(
            player_id=player_id,
            minutes=self._minutes(),
            scene=Scene(location_id=place),
            entities=entities,
            exits=self._exits(place, entities),
            positions=self._positions(player_id, place, entities),
            inventory=self._inventory(place, entities),
            clocks={clock.id: self._clock(clock) for clock in self._of.clocks},
            threads={thread.id: self._thread(thread) for thread in self._of.threads},
            facts={fact.id: self._fact(fact) for fact in self._of.facts},
            relationships=self._relationships(),
            visits={place: 1},
        )

    def _told_type(self, entity: V0Entity) -> EntityType:
        return _TYPES.get(entity.type.casefold(), "other")

    def _entity(self, row: V0Entity, player: str) -> Entity:
        kind = self._told_type(row)
        if row.id == player:
            kind = "player"
        elif row.id == self._scene.location_id:
            kind = "location"
        elif kind == "player":
            kind = "npc"
        elif row.id in self._owned and kind == "other":
            kind = "item"
        if kind != row.type:
            self._notes.keep("entities", f"{row.id}.type", row.type)
            self._notes.say("entities", f"the type {row.type} is {kind} here")
        told = row.attrs.get("pronoun")
        pronoun = told if told in _PRONOUNS else "it" if kind in ("item", "location", "faction") else "they"
        return Entity.model_validate(
            {
                "id": self._our(row.id),
                "type": kind,
                "name": row.name,
                "pronoun": pronoun,
                "attrs": row.attrs,
                "tags": row.tags,
                "origin": row.origin,
                "pack_id": row.pack_id,
                "pack_entity_id": row.pack_entity_id,
            }
        )

    def _minutes(self) -> int:
        """Return the in-world minutes, where v0's `time` gives them in a readable form; else 0, where the story's clock
        begins."""
        time = self._scene.time
        if time:
            self._notes.keep("scene", "time", time)
        told = time if isinstance(time, Mapping) else {}
        for key in _MINUTES:
            value = told.get(key)
            if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_MINUTES:
                return value
        parts = [told.get(key, default) for key, default in (("day", 1), ("hour", 0), ("minute", 0))]
        if "hour" in told and all(type(part) is int for part in parts):
            day, hour, minute = parts
            minutes = (day - 1) * 1440 + hour * 60 + minute
            if 0 <= minutes <= _MOST_MINUTES:
                self._notes.say("scene", "day, hour and minute are minutes since the first midnight")
                return int(minutes)
        if time:
            self._notes.say("scene", "what it says of the time is not read: the minutes begin at 0")
        return 0

    def _exits(self, here: str, entities: Mapping[str, Entity]) -> dict[str, tuple[Exit, ...]]:
        """Return the ways that the places' own attributes name; where there are none at all, every place is a way from
        here and back, for v0 keeps no map and lets the player go anywhere."""
        places = [entity for entity in entities.values() if entity.type == "location"]
        ways: dict[str, dict[str, str]] = {place.id: self._ways_of(place, entities) for place in places}
        if not any(ways.values()) and len(places) > 1:
            self._notes.say("scene", "v0 has no map: every other place is a way from the one at hand, and back")
            for place in places:
                if place.id != here:
                    ways[here].setdefault(place.id, place.name)
                    ways[place.id] = {here: entities[here].name}
        return {start: tuple(Exit(name=name, to=to) for to, name in found.items()) for start, found in ways.items()}

    def _ways_of(self, place: Entity, entities: Mapping[str, Entity]) -> dict[str, str]:
        """Return where each way leads, with its name."""
        found: dict[str, str] = {}
        for key in _WAYS:
            told = place.attrs.get(key)
            named = told.items() if isinstance(told, Mapping) else [(None, name) for name in _listed(told)]
            for name, to in named:
                other = entities.get(self._our(to)) if isinstance(to, str) else None
                if other is not None and other.type == "location" and other.id != place.id:
                    found.setdefault(other.id, name or other.name)
        if found:
            self._notes.say("entities", "ways are those that a place's attrs name as exits or connections")
        return found

    def _positions(self, player_id: str, place: str, entities: Mapping[str, Entity]) -> dict[str, str]:
        present = {self._our(v0_id) for v0_id in self._scene.present}
        people = [entity.id for entity in entities.values() if entity.type in ("npc", "player")]
        if any(person not in present and person != player_id for person in people):
            self._notes.say("scene", "v0 says of nobody who is absent where they are: they are offstage")
        for entity_id in sorted(present):
            if entity_id in entities and entities[entity_id].type in ("faction", "other", "location"):
                self._notes.say("scene", f"{entity_id} is present, and neither somebody nor a thing: it is left out")
        return {
            player_id: place,
            **{person: place if person in present else OFFSTAGE for person in people if person != player_id},
        }

    def _inventory(self, place: str, entities: Mapping[str, Entity]) -> dict[str, dict[str, int]]:
        held: dict[str, dict[str, int]] = {}
        for holding in self._of.inventory:
            if holding.flags not in (None, {}, []):
                self._notes.keep("inventory", f"{holding.owner_id}, {holding.item_id}", holding.flags)
            if holding.qty:
                held.setdefault(self._our(holding.owner_id), {})[self._our(holding.item_id)] = holding.qty
            else:
                self._notes.say("inventory", "who has none of an item has no row")
        for v0_id in self._scene.present:
            if v0_id in self._by_id and entities[self._our(v0_id)].type == "item" and v0_id not in self._owned:
                self._notes.say("scene", f"{v0_id} is present and nobody's: it lies there")
                held.setdefault(place, {})[self._our(v0_id)] = 1
        return held

    def _clock(self, row: V0Clock) -> Clock:
        if row.triggers not in (None, {}, []):
            self._notes.keep("clocks", row.id, row.triggers)
        return Clock(id=row.id, name=row.name, value=row.value, max=row.max, tags=row.tags)

    def _thread(self, row: V0Thread) -> Thread:
        stakes = _said(row.stakes)
        if stakes != row.stakes and row.stakes not in (None, {}, []):
            self._notes.keep("threads", row.id, row.stakes)
            self._notes.say("threads", "stakes are told as a text")
        related = tuple(self._our(v0_id) for v0_id in row.related)
        return Thread(
            id=row.id, title=row.title, status=row.status, stakes=stakes, related_entity_ids=related, tags=row.tags
        )

    def _fact(self, row: V0Fact) -> Fact:
        visibility = "player" if row.visibility.casefold() in _OPEN else row.visibility
        if visibility != row.visibility:
            self._notes.say("facts", f"the visibility {row.visibility} is {visibility} here")
            self._notes.keep("facts", row.id, {"visibility": row.visibility})
        return Fact.model_validate(
            {
                "id": row.id,
                "subject_id": self._our(row.subject_id),
                "predicate": row.predicate,
                "object": self._object(row),
                "visibility": visibility,
                "confidence": row.confidence,
                "tags": row.tags,
                "origin": row.origin,
                "discovered_turn": None if row.discovered_turn is None else self._turn(row.discovered_turn),
                "discovery_method": row.discovery_method,
            }
        )

    def _turn(self, turn_no: int) -> int:
        number = number_of(turn_no, self._told)
        if number != turn_no:
            self._notes.say("facts", "discovered_turn counts as turns do here")
        return number

    def _object(self, row: V0Fact) -> Any:
        """Return the object of a fact. Promises, threats and debts are read by the rules, and so must name the other
        person and the content."""
        if row.predicate not in PREDICATES or not isinstance(row.object, Mapping) or "to" not in row.object:
            return row.object
        to, what = row.object["to"], row.object.get("what")
        if isinstance(to, str) and isinstance(what, str) and to in self._names:
            return {**row.object, "to": self._our(to)}
        self._notes.say("facts", f"what is {row.predicate} without saying to whom and what stands on no record")
        return {"told": row.object}

    def _relationships(self) -> dict[str, Relationship]:
        found = {}
        for row in self._of.relationships:
            a, b = self._our(row.a_id), self._our(row.b_id)
            notes = row.notes if isinstance(row.notes, Mapping) else {} if row.notes is None else {"notes": row.notes}
            if notes != (row.notes or {}):
                self._notes.say("relationships", "notes that are no object are one with `notes` in it")
            found[relationship_key(a, b, row.rel_type)] = Relationship(
                a=a, b=b, rel_type=row.rel_type, intensity=row.intensity, notes=notes
            )
        return found


def _listed(told: Any) -> list[Any]:
    return told if isinstance(told, list) else []


def _said(stakes: Any) -> str:
    """Return stakes as a text: as they are, or `win: …; lose: …`."""
    if stakes in (None, {}, [], ""):
        return ""
    if isinstance(stakes, str):
        return stakes
    if isinstance(stakes, Mapping):
        return "; ".join(
            f"{key}: {stake if isinstance(stake, str) else canonical_json(stake)}" for key, stake in stakes.items()
        )
    return canonical_json(stakes)
