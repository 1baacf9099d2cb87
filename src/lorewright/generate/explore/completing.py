"""Scenario and its packs -> the same with the places, people, things, start and first words that it does not write.

Without `places` a walk in the packs is made (`making`), and each key that the scenario does not write is taken from it.
With `places` alone the people and things whose notes say that they are there are taken from the packs. What a scenario
writes holds: a `cast` or `things` of its own is all of them, unless it adds them to those of the packs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lorewright.campaigns.scenarios.names import WrittenNames, find_in_packs, opening_words
from lorewright.campaigns.scenarios.scenario import Scenario
from lorewright.errors import ScenarioError
from lorewright.generate.explore.making import key_of_note, make_scenario, only_found
from lorewright.generate.explore.placing import related_places
from lorewright.generate.explore.survey import Note, Survey, common_name, survey_packs
from lorewright.ids import local, shown_item
from lorewright.index.generation import Generation
from lorewright.retrieval.view import merge_entity

# The keys that stand or fall with the places: of them those are taken from a walk that are not written.
_WITH_PLACES = ("places", "cast", "things", "finds", "threads", "clocks")


def complete_scenario(scenario: Scenario, generations: Sequence[Generation]) -> Scenario:
    """Return the scenario with its places, its start, its first words, its people and things, and everybody of the cast
    somewhere; a complete one as it is. The same scenario and packs give the same.

    Raises:
        ScenarioError: the packs have nothing to walk in.
    """
    if scenario.is_complete:
        return scenario
    return _Completing(scenario, generations).made()


def people_unplaced(scenario: Scenario, whole: Scenario, generations: Sequence[Generation]) -> dict[str, str]:
    """Return the people of the packs whose notes name none of the places of a scenario that leaves its cast to the
    packs, by key, each with the place where they were put in the `whole` scenario; "" where they are in none."""
    if scenario.is_complete or not generations or "cast" in scenario.model_fields_set:
        return {}
    completing = _Completing(scenario, generations)
    seen = completing.survey
    if seen is None:
        return {}
    places = completing.notes_of(dict.fromkeys(whole.places))
    people = seen.of_type("npc")
    at = related_places(seen, people, list(places))
    keys = [key_of_note(note.id) for note in people if places and not _home(note, at, places)]
    return {key: str(whole.cast[key].at or "") if key in whole.cast else "" for key in keys}


class _Completing:
    def __init__(self, scenario: Scenario, generations: Sequence[Generation]) -> None:
        self._scenario = scenario
        self._generations = generations
        self._written: dict[str, Any] = scenario.model_dump(mode="json", by_alias=True, exclude_unset=True)
        seen = survey_packs(generations, guessing=True) if generations else None
        # Where a folder, tag or key tells what every note is, the packs are taken as their authors made them.
        self.survey = None if seen is None else replace(seen, places_all=seen.places_all and bool(seen.untold))

    def made(self) -> Scenario:
        """Return the whole scenario."""
        if self._scenario.add_to_packs and self._generations:
            made = self._with_additions()
        elif self._scenario.places or (self._scenario.map and self._generations):
            made = self._with_people(self._with_mapped_places(self._written))
        else:
            made = self._with_walk()
        start = self._start(made)
        if start not in made["places"]:
            made["places"] = {**made["places"], start: {"name": start}}
        homes = self._homes(made, start)
        cast = {
            who: {**member, "at": member.get("at") or homes.get(who, start)}
            for who, member in made.get("cast", {}).items()
        }
        made = {**made, "start": start, "cast": cast}
        if not made.get("intro_seed"):
            made["intro_seed"] = self._first_words(start, made)
        return Scenario.model_validate(made)

    def _with_additions(self) -> dict[str, Any]:
        """Return the walk in the packs with what is written beside it: an entry for what the walk has goes into the
        walk's, by whatever name it is called; an end of a way of the `map` that nothing is called is a new place."""
        written = self._written
        walk = self._walk()
        names = WrittenNames(walk, self._generations)
        things = {str(thing.get("entity")): key for key, thing in walk.get("things", {}).items()}
        made = {**walk, **written, "entities": [*written.get("entities", []), *walk["entities"]]}
        for group in ("places", "cast", "things"):
            merged = dict(walk.get(group, {}))
            for key, entry in written.get(group, {}).items():
                wanted = str(entry.get("entity") or ("" if entry.get("name") else key)) if group == "things" else key
                ids = [things.get(_of_pack(found, self._generations), found) for found in names.meant(wanted)]
                meant = [found for found in ids if found in merged]
                there = meant[0] if len(meant) == 1 else key
                before = merged.get(there, {})
                exits = {**before.get("exits", {}), **entry.get("exits", {})}
                merged[there] = {**before, **entry, **({"exits": exits} if exits else {})}
            made[group] = merged
        for group in ("finds", "threads", "clocks"):
            made[group] = {**walk.get(group, {}), **written.get(group, {})}
        known = WrittenNames(made, self._generations)
        ends = {end: known.meant(end) for way in written.get("map", ()) for end in (way["from"], way["to"])}
        for end in (end for end, keys in ends.items() if not keys and end not in made["places"]):
            made["places"][end] = {"name": _shown(end)}
        # A way that is written goes before the packs' between the same places.
        joined = {(key, to) for way in written.get("map", ()) for key in ends[way["from"]] for to in ends[way["to"]]}
        for key, place in made["places"].items():
            ways = {
                name: way
                for name, way in place.get("exits", {}).items()
                if not {(key, way["to"]), (way["to"], key)} & joined
            }
            made["places"][key] = {**place, "exits": ways} if "exits" in place else place
        return made

    def _with_mapped_places(self, written: dict[str, Any]) -> dict[str, Any]:
        """Return what is written; where no places are, those that the `map` joins."""
        if written.get("places"):
            return written
        ends = dict.fromkeys(end for way in written["map"] for end in (way["from"], way["to"]))
        names = WrittenNames({}, self._generations)
        return {**written, "places": {end: {} if names.meant(end) else {"name": _shown(end)} for end in ends}}

    def _with_walk(self) -> dict[str, Any]:
        """Return what is written, and beside it what a walk in the packs has; a place that is written as the start
        alone is the only one, unless the packs know it."""
        scenario, written = self._scenario, self._written
        if scenario.start and not self._meant_place():
            return {**written, "places": {}}
        derived = self._walk()
        entities = derived.pop("entities", ())
        # Conditions of the packs' places name these; what is written of them holds.
        for group in ("threads", "clocks"):
            if group in written:
                written = {**written, group: {**derived.get(group, {}), **written[group]}}
        return {**_with_written_finds(derived, written), "entities": [*written.get("entities", []), *entities]}

    def _walk(self) -> dict[str, Any]:
        """Return what a walk in the packs has of the keys that go with places, its start, and its entities that are not
        written.

        Raises:
            ScenarioError: the packs have nothing to walk in.
        """
        scenario, seen = self._scenario, self.survey
        if seen is None or not seen.notes:
            packs = ", ".join(generation.pack_id for generation in self._generations)
            raise ScenarioError(
                f"places: missing, and a player may read nothing in {packs}", hint="write places: and start:"
            )
        walk = make_scenario(seen, seed=scenario.demo_seed, profile=scenario.profile).model_dump(
            mode="json", by_alias=True, exclude_unset=True
        )
        told = {local(entity["id"]): entity for entity in self._written.get("entities", [])}
        for group in ("places", "cast"):
            for key, entry in walk.get(group, {}).items():
                if told.get(local(key), {}).get("name"):
                    del entry["name"]
        more = [entity for entity in walk.get("entities", ()) if local(entity["id"]) not in told]
        return {**{key: walk[key] for key in (*_WITH_PLACES, "start") if key in walk}, "entities": more}

    def _with_people(self, written: dict[str, Any]) -> dict[str, Any]:
        """Return what is written, with the people and things whose notes say that they are in one of its places, each
        group only where it is not written."""
        seen = self.survey
        if seen is None or ("cast" in written and "things" in written):
            return written
        places = self.notes_of(written["places"])
        others = {*map(local, self._ids_written(written))}
        people = [note for note in seen.of_type("npc") if local(note.id) not in others]
        found = only_found(seen, [seen.notes[place] for place in places if place in seen.notes])
        things = [note for note in seen.of_type("item") if local(note.id) not in others]
        at = related_places(seen, [*people, *things], list(places))
        cast = {key_of_note(note.id): {"at": places[home[0]]} for note in people if (home := _home(note, at, places))}
        made: dict[str, Any] = {}
        for note in things:
            if note.id in found:
                made[key_of_note(note.id)] = _thing(note)
            elif home := _home(note, at, places):
                made[key_of_note(note.id)] = {**_thing(note), "at": places[home[0]]}
        derived: dict[str, Any] = {"cast": cast, "things": made}
        if "things" not in written:
            derived["finds"] = _finds(seen, found, places)
        return _with_written_finds(derived, written)

    def _ids_written(self, written: dict[str, Any]) -> list[str]:
        """Return the IDs of all that the scenario has as something else already."""
        names = WrittenNames({}, self._generations)
        groups = ("places", "cast", "things", "personas")
        keys = [key for group in groups for key in written.get(group, {})]
        given = [str(thing["entity"]) for thing in written.get("things", {}).values() if thing.get("entity")]
        return [meant for key in (*keys, *given) for meant in (key, *names.meant(key))]

    def notes_of(self, places: dict[str, Any]) -> dict[str, str]:
        """Return the places of the packs by ID, with the keys by which the scenario calls them."""
        names = WrittenNames({}, self._generations)
        found: dict[str, str] = {}
        for key in places:
            for meant in names.meant(key)[:1]:
                ids = (_id(meant, generation) for generation in self._generations)
                known = next((entity_id for entity_id in ids if merge_entity(entity_id, self._generations)), None)
                if known is not None:
                    found.setdefault(known, key)
        return found

    def _homes(self, made: dict[str, Any], start: str) -> dict[str, str]:
        """Return for each of the cast who is nowhere the place where their note says that they are, by key."""
        seen = self.survey
        lost = [who for who, member in made.get("cast", {}).items() if not member.get("at") and not member.get("name")]
        if seen is None or not lost:
            return {}
        places = self.notes_of(made["places"])
        notes = {
            who: seen.notes[note] for note, who in self.notes_of(dict.fromkeys(lost)).items() if note in seen.notes
        }
        at = related_places(seen, list(notes.values()), list(places))
        return {who: places[home[0]] for who, note in notes.items() if (home := _home(note, at, places))}

    def _start(self, made: dict[str, Any]) -> str:
        """Return the key of the place where it starts: the written one by whatever name, the walk's, or the first."""
        scenario = self._scenario
        if scenario.start:
            return self._meant_key(made["places"]) if scenario.places else self._meant_place() or scenario.start
        return str(made.get("start") or next(iter(made["places"])))

    def _meant_key(self, places: dict[str, Any]) -> str:
        """Return the key of the one of the written places that the start means, by whatever name; the start as it is
        where it means none."""
        start = self._scenario.start
        names = WrittenNames(self._written, self._generations)
        found = [key for key in places if set(names.meant(key)) & set(names.meant(start))]
        return found[0] if start not in places and len(found) == 1 else start

    def _meant_place(self) -> str | None:
        """Return the key of the one place of the packs that the start means; None where it means none."""
        meant = WrittenNames({}, self._generations).meant(self._scenario.start)
        found = [
            entity
            for name in meant
            for generation in self._generations
            if (entity := generation.entity(_id(name, generation)))
        ]
        places = [local(entity.id) for entity in found if entity.type == "location"]
        return places[0] if len(set(places)) == 1 else None

    def _first_words(self, start: str, made: dict[str, Any]) -> str:
        """Return the summary, if there is one, and the first open sentences on the place where it starts."""
        said = self._scenario.summary.split()
        note = next(iter(self.notes_of({start: None})), None)
        words = [] if note is None else opening_words(note, self._generations)
        return " ".join((*said, *(words or [f"You begin at {self._name_of(start, made)}."])))

    def _name_of(self, place: str, made: dict[str, Any]) -> str:
        given = made["places"][place].get("name")
        found = next(iter(self.notes_of({place: None})), None)
        entity = None if found is None else merge_entity(found, self._generations)
        return str(given or (entity.name if entity is not None else _shown(place)))


def _home(note: Note, at: Any, places: dict[str, str]) -> list[str]:
    """Return the places of the scenario where a note says that it is, those that its keys name first."""
    return [place for place in dict.fromkeys((*note.where, *at[note.id])) if place in places]


def _thing(note: Note) -> dict[str, Any]:
    return {"name": common_name(note.entity.name), "entity": note.id}


def _with_written_finds(derived: Mapping[str, Any], written: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is derived and what is written, which holds. Where the things are the derived ones, what lies with an
    item of which nothing is written is still found."""
    made = {**derived, **written}
    if "things" not in written and "finds" in derived:
        made["finds"] = {**derived["finds"], **written.get("finds", {})}
    return made


def _finds(seen: Survey, found: dict[str, str], places: dict[str, str]) -> dict[str, list[dict[str, str]]]:
    """Return what comes to lie in a place once an item that names it is found there."""
    of_item = {item.item_id: item.place_id for item in seen.finds}
    finds: dict[str, list[dict[str, str]]] = {}
    for note_id, item_id in found.items():
        if of_item[item_id] in places:
            put = {"put": key_of_note(note_id), "at": places[of_item[item_id]]}
            finds.setdefault(shown_item(item_id), []).append(put)
    return finds


def _of_pack(name: str, generations: Sequence[Generation]) -> str:
    """Return the ID of an entity of the packs; the name where they have none of it."""
    return find_in_packs(name, generations) or name


def _id(name: str, generation: Generation) -> str:
    return name if ":" in name else f"{generation.pack_id}:{name}"


def _shown(place: str) -> str:
    return local(place).replace("_", " ")
