"""Short names in a scenario -> qualified IDs, with every unknown name collected as a problem."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, TypeVar

from pydantic import BaseModel

from lorewright.campaigns.scenarios.beginning import Beginning
from lorewright.campaigns.scenarios.faults import remark
from lorewright.campaigns.scenarios.scenario import Scenario
from lorewright.errors import ScenarioError
from lorewright.ids import local, nearest
from lorewright.index.generation import Generation
from lorewright.packs.models import OPEN_ROLES, role_of
from lorewright.retrieval.entity_names import NamedEntities, NameTable, common_names
from lorewright.retrieval.view import find_same_things, ids_of, merge_entity
from lorewright.rules.effects import Effect
from lorewright.rules.rulesets import ANY_NPC
from lorewright.scene_lore.gather import described
from lorewright.world.state import OFFSTAGE


def no_act(kind: str, known: Sequence[str]) -> str:
    """Return the message about an act that the ruleset does not have."""
    return f"there is no act {kind} (there are {', '.join(known)}){remark(kind, known)}"


# Short names -> qualified IDs, with every unknown name collected.

M = TypeVar("M", bound=BaseModel)

# How a scenario names the player.
PLAYER_NAMES = ("you", "player")
# Which fields of effects and conditions hold names of which kind.
_ITEM_FIELDS = frozenset({"reveal", "revealed"})
_KINDS = {
    "clock": frozenset({"clock"}),
    "thread": frozenset({"thread", "progress"}),
    "ending": frozenset({"end"}),
    "situation": frozenset({"situation"}),
    "threat": frozenset({"announce", "avert", "announced"}),
}
_PAIRS = frozenset({"relation", "tie"})
# Fields in which `you` may be any of several personas: the one that is played when it is used.
_YOU_FIELDS = frozenset({"of", "by", "subject", "turn", "depart", "target"}) | _PAIRS
_SAID = frozenset({"promise", "threat", "owes"})
# Fields of words and values, which hold no names.
_TEXTS = frozenset({"observe", "averted", "title", "is", "value"})
_ENTITY_FIELDS = frozenset(
    {
        *("has", "at", "present", "visited", "arrive", "depart", "to", "by", "give", "lose", "put", "unlock"),
        *("subject", "target", "item", "of", "escalate", "escalation", "turn", "regard"),
    }
)


# Whatever an author calls an entity or item -> its ID, in a scenario that was read.

# In the groups of a scenario, the type of a pack's entity that is meant where several are called so.
_TYPE_OF = {"places": "location", "cast": "npc", "things": "item", "personas": "", "entities": ""}
_NAMING = frozenset(
    {
        *(*_ENTITY_FIELDS, *_PAIRS, "start", "from", "via", "held_by", "key", "bolt_at"),
        *("items", "related", "between", "turn_order", "listener"),
    }
)
_NAMING_ITEMS = _ITEM_FIELDS | {"clues"}
_KEYED_BY_ENTITIES = frozenset({"places", "cast", "goals", "stat_blocks", "trust"})
# What is below these keys is named by their author, and may be called like a field.
_KEYED_BY_AUTHORS = _KEYED_BY_ENTITIES | {
    *("things", "personas", "threads", "clocks", "gauges", "endings"),
    *("deeds", "threats", "situations", "finds", "exits"),
}
_OPAQUE = frozenset({"profile", "states", "attrs", "traits", "scene_seed", "calibration", "system", "genre_rules"})
# The most words of a place's text that opens a campaign.
_OPENING_WORDS = 90
_OTHERS_WORDS = _OPAQUE | {"grammar", "demo", "say", "conditions"}


def with_ids(scenario: M, generations: Sequence[Generation]) -> M:
    """Return a scenario with the ID of every entity and item that it names by anything else while that is unique; a
    thing of a pack that has no name gets the pack's. A scenario that has IDs alone is returned as it is."""
    written = scenario.model_dump(mode="json", by_alias=True, exclude_unset=True)
    by_id = WrittenNames(written, generations).by_id()
    return scenario if by_id == written else type(scenario).model_validate(by_id)


def beginning_with_ids(
    beginning: Beginning, scenario: Scenario, generations: Sequence[Generation]
) -> tuple[Scenario, tuple[Effect, ...]]:
    """Return a scenario that has IDs as it begins there, and the effects that have happened before, with IDs. In
    another place than its own start the text of the place opens it.

    Raises:
        ScenarioError: it has no such place.
    """
    names = WrittenNames(scenario.model_dump(mode="json", by_alias=True, exclude_unset=True), generations)
    if beginning.at:
        meant = [name for name in names.meant(beginning.at) if name in scenario.places]
        if len(meant) != 1:
            places = ", ".join(scenario.places)
            message = f"--at: the scenario has no place {beginning.at}{names.remark(beginning.at)}"
            raise ScenarioError(message, hint=f"its places are: {places}")
        if meant[0] != scenario.start:
            words = _words_of_place(meant[0], scenario, generations)
            scenario = scenario.model_copy(update={"start": meant[0], "intro_seed": words})
    written = beginning.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return scenario, Beginning.model_validate({"given": names.with_ids_in(written.get("given", []))}).given


def _words_of_place(key: str, scenario: Scenario, generations: Sequence[Generation]) -> str:
    """Return the first open sentences of the packs on a place of a scenario; where there are none, its name."""
    place_id = find_in_packs(key, generations)
    entity = None if place_id is None else merge_entity(place_id, generations)
    name = scenario.places[key].name or (entity.name if entity is not None else key)
    words = [] if place_id is None else opening_words(place_id, generations)
    return " ".join(words) or f"You begin at {name}."


def opening_words(place_id: str, generations: Sequence[Generation]) -> list[str]:
    """Return the words of the first open sentences of the packs on a place, as many as open a campaign."""
    lines = described(generations, [place_id]).get(place_id, ())
    words: list[str] = []
    for line in (line for line in lines if line.chunk_id == lines[0].chunk_id):
        if words and len(words) + len(line.text.split()) > _OPENING_WORDS:
            break
        words += line.text.split()
    return words


def find_in_packs(name: str, generations: Iterable[Generation]) -> str | None:
    """Return the first pack's entity of that ID, which may be without its pack, or None."""
    for generation in generations:
        entity_id = name if ":" in name else f"{generation.pack_id}:{name}"
        if generation.entity(entity_id) is not None:
            return entity_id
    return None


class WrittenNames:
    """What the author of a scenario may name: its own entities by key, those of packs by ID, and each by a name, an
    alias or the name of its file while that is unique. What is in the scenario goes before the rest of the packs."""

    def __init__(self, scenario: Mapping[str, Any], generations: Sequence[Generation]) -> None:
        """`scenario` is the scenario as data."""
        self._scenario = scenario
        self._generations = generations
        self._packs = NamedEntities(generations)
        groups = {group: scenario.get(group, {}) for group in ("things", "personas", "places", "cast")}
        groups["entities"] = {added["id"]: added for added in scenario.get("entities", ())}
        self._added = {key: added for group in groups.values() for key, added in group.items()}
        # The keys as they are written -> by ID, without those that mean nothing; the pack's entities -> their keys.
        self._keys: dict[str, str] = {}
        self._key_of: dict[str, str] = {}
        for group, named in groups.items():
            for key, added in named.items():
                by_id = self._key(group, key, added)
                of_pack = self._of_pack(key, added) if group == "things" else find_in_packs(by_id, self._generations)
                if of_pack is not None:
                    self._key_of.setdefault(of_pack, by_id)
                if of_pack is not None or added.get("name"):
                    self._keys[key] = by_id

    def meant(self, written: str) -> list[str]:
        """Return the keys and IDs of all that a text means."""
        if written in self._keys:
            return [self._keys[written]]
        if written in (*PLAYER_NAMES, OFFSTAGE) or find_in_packs(written, self._generations) is not None:
            return [written]
        return self._own.called(written) or list(map(self._short, self._packs.meant(written)))

    def remark(self, written: str) -> str:
        """Return the end of a message about a name that means nothing, or more than one."""
        meant = self.meant(written)
        if len(meant) > 1:
            return f": it may be {self._shown(meant)}"
        near = meant or self._own.nearest(written) or list(map(self._short, self._packs.table.nearest(written)))
        return f"; did you mean {self._shown(near)}?" if near else ""

    def item(self, reference: str) -> str:
        """Return an item by the ID of its entity and the title of its section (`ilse/secrets#oil`), which may be
        written by a name of the entity and the role of the section; what is none stays as it is."""
        entity, _, rest = reference.partition("/")
        holder = self._holder(entity)
        if holder is None or not rest:
            return reference
        short = entity if find_in_packs(entity, self._generations) else self._short(holder, of_item=True)
        items = self._items_of(holder)
        section, _, name = rest.partition("#")
        roles = {section, role_of(re.sub(r"[-_]", " ", section))} - {"lore"}
        found = [known for known, role in items.items() if role in roles and known.partition("#")[2] == name]
        if rest not in items and len(found) != 1:
            return reference
        return f"{short}/{rest if rest in items else found[0]}"

    def remark_on_item(self, reference: str) -> str:
        """Return the end of a message about an item that no pack has."""
        entity, _, rest = reference.partition("/")
        holder = self._holder(entity)
        if holder is None and "#" in entity:
            # The section was left out: `tobin#sold`.
            entity, _, name = entity.partition("#")
            holder, rest = self._holder(entity), f"#{name}"
        if holder is None:
            return self.remark(entity)
        items = list(self._items_of(holder))
        if rest.startswith("#"):
            items = [item for item in items if item.endswith(rest)] or items
        near = nearest(rest, items) or items[:3]
        return f"; did you mean {' or '.join(f'{entity}/{known}' for known in near)}?" if near else ""

    def by_id(self) -> dict[str, Any]:
        """Return the scenario's data with IDs."""
        named: dict[str, Any] = self._by_id(self._scenario, "")
        for key, thing in named.get("things", {}).items():
            entity_id = self._of_pack(key, thing)
            if entity_id is not None and find_in_packs(thing.get("entity") or "", self._generations) is None:
                thing["entity"] = self._short(entity_id, of_item=True)
            if entity_id is not None and not thing.get("name"):
                title = self._packs.table.names[entity_id][0]
                thing["name"] = title.lower() if title in self._common_names else title
        for way, written in zip(named.get("map", ()), self._scenario.get("map", ()), strict=True):
            for end, shown in (("to", "name"), ("from", "back")):
                if way[end] != written[end] and not way.get(shown):
                    way[shown] = written[end].replace("_", " ")
        return named

    def with_ids_in(self, effects: list[Any]) -> Any:
        """Return effects as data, with IDs."""
        return self._by_id(effects, "")

    def _by_id(self, part: Any, key: str) -> Any:
        if key in _OTHERS_WORDS:
            return part
        if isinstance(part, Mapping):
            named: dict[str, Any] = {}
            for name, inner in part.items():
                by_id = self._key_in(key, name)
                # What stands there twice is told of by its second name.
                there = by_id in named or (by_id != name and by_id in part)
                named[name if there else by_id] = self._by_id(inner, "" if key in _KEYED_BY_AUTHORS else name)
            return named
        if isinstance(part, list):
            return [self._by_id(inner, key) for inner in part]
        if not isinstance(part, str) or (key, part) == ("by", ANY_NPC):
            return part
        if key in _NAMING_ITEMS or (key == "item" and "#" in part):
            return self.item(part)
        meant = self.meant(part) if key in _NAMING else []
        return meant[0] if len(meant) == 1 else part

    def _key_in(self, group: str, key: str) -> str:
        if group == "finds":
            return self.item(key)
        meant = self.meant(key) if group in _KEYED_BY_ENTITIES else []
        return meant[0] if len(meant) == 1 else key

    def _key(self, group: str, key: str, added: Mapping[str, Any]) -> str:
        """Return the key by which an entity of a group is to stand; one of the scenario's own keeps its key."""
        if group in ("things", "personas") or added.get("name") or key in PLAYER_NAMES:
            return key
        entity_id = self._entity_of(key, group)
        by_id = key if entity_id is None or find_in_packs(key, self._generations) else self._short(entity_id)
        return key if by_id in self._added or by_id in self._keys.values() else by_id

    def _entity_of(self, written: str, group: str) -> str | None:
        """Return the one entity of the packs that is meant, of several the one of the group's type; or None."""
        entity_id = find_in_packs(written, self._generations)
        found = [entity_id] if entity_id is not None else list(self._packs.meant(written))
        if len(found) > 1:
            found = [entity_id for entity_id in found if self._type(entity_id) == _TYPE_OF[group]]
        return found[0] if len(found) == 1 else None

    def _of_pack(self, key: str, thing: Mapping[str, Any]) -> str | None:
        """Return the pack's entity that a thing is: the one that it names, else without a name the one of its key."""
        written = thing.get("entity") or ("" if thing.get("name") else key)
        return self._entity_of(written, "things") if written else None

    def _type(self, entity_id: str) -> str:
        entity = merge_entity(entity_id, self._generations)
        return "" if entity is None else entity.type

    def _short(self, entity_id: str, *, of_item: bool = False) -> str:
        """Return how a scenario names an entity of a pack: by its key, or by an ID that is as short as it can be."""
        if entity_id in self._key_of and not of_item:
            return self._key_of[entity_id]
        short = local(entity_id)
        is_found = find_in_packs(short, self._generations) == entity_id
        return short if is_found and (of_item or short not in self._added) else entity_id

    def _holder(self, written: str) -> str | None:
        """Return the pack's entity that the first part of an item's name means."""
        keys = self.meant(written)
        entity = self._added.get(keys[0], {}).get("entity") if len(keys) == 1 else None
        return self._entity_of(entity or (keys[0] if len(keys) == 1 else written), "entities")

    def _items_of(self, entity_id: str) -> dict[str, str]:
        """Return the items of an entity as `secrets#oil`, each with the role of its section."""
        return {
            item.id.removeprefix(f"{same_id}:"): chunk.role
            for same_id in ids_of(entity_id, find_same_things(self._generations))
            for generation in self._generations
            for chunk in generation.chunks_of(same_id)
            for item in generation.items_of(chunk.row)
        }

    @cached_property
    def _own(self) -> NameTable:
        """The names of what is in the scenario, by key: those that it gives, then those of the packs."""
        of_packs = {key: entity_id for entity_id, key in self._key_of.items()}
        return NameTable(
            {
                by_id: tuple(
                    dict.fromkeys(
                        (
                            *([added["name"]] if added.get("name") else ()),
                            *added.get("aliases", ()),
                            *(self._packs.table.names[of_packs[by_id]] if by_id in of_packs else ()),
                            key,
                        )
                    )
                )
                for key, by_id in self._keys.items()
                for added in [self._added[key]]
            }
        )

    @cached_property
    def _common_names(self) -> frozenset[str]:
        """The titles of items that the open text of the packs writes small."""
        titles = [
            entity.name
            for generation in self._generations
            for entity in generation.entities().values()
            if entity.type == "item"
        ]
        texts = (
            chunk.text
            for generation in (self._generations if titles else ())
            for chunk in generation.all_chunks()
            if chunk.role in OPEN_ROLES
        )
        return common_names(titles, texts)

    def _shown(self, keys: Iterable[str]) -> str:
        names = {**self._packs.table.names, **self._own.names}
        ids = {key: find_in_packs(key, self._generations) or "" for key in keys}
        firsts = {key: names.get(key, names.get(entity_id, (key,)))[0] for key, entity_id in ids.items()}
        written = {by_id: key for key, by_id in self._keys.items()}
        told = [(written.get(key, key), name) for key, name in firsts.items()]
        return " or ".join(key if name == key else f"{key} ({name})" for key, name in told)


class NameLookup:
    """Looks names up: things, doors and the player are the campaign's own, people and places the packs' or its own."""

    def __init__(
        self,
        campaign_id: str,
        generations: Sequence[Generation],
        *,
        own: Mapping[str, str | None],
        made: Iterable[str],
        clocks: Iterable[str],
        threads: Iterable[str],
        endings: Iterable[str],
        situations: Iterable[str] = (),
        threats: Iterable[str] = (),
        personas: Iterable[str] = (),
        written: Callable[[], WrittenNames],
    ) -> None:
        """`own` maps the scenario's things to the pack's entity that they are, or None; `made` are the places and
        people that are the scenario's own where no pack has them; `personas` whom the player may play besides the
        player character. `written` gives the names that are suggested in place of an unknown one."""
        self._generations = generations
        self._written = cache(written)
        self._personas = frozenset(personas)
        self._own = {name: f"{campaign_id}:{name}" for name in (*own, *sorted(self._personas))}
        self._made = {name: f"{campaign_id}:{name}" for name in made}
        self.player_id = f"{campaign_id}:player"
        self._known = {
            "clock": set(clocks),
            "thread": set(threads),
            "ending": set(endings),
            "situation": set(situations),
            "threat": set(threats),
        }
        self.problems: list[str] = []
        for name, entity in own.items():
            if entity is not None:
                found = find_in_packs(entity, self._generations)
                self._own[name] = found or self._missing(entity, where=f"things.{name}")

    def entity(self, name: str, *, where: str) -> str:
        """Return the qualified ID of a person, place or thing; an unknown name is noted as a problem and returned as it
        is."""
        if name in PLAYER_NAMES:
            return self.player_id
        if name == OFFSTAGE:
            return name
        if name in self._own:
            return self._own[name]
        return find_in_packs(name, self._generations) or self._made.get(name) or self._missing(name, where=where)

    def entity_or_you(self, name: str, *, where: str) -> str:
        """Return the same as `entity`, except that `you` stays where it may be any of several personas."""
        return name if self._personas and name == "you" else self.entity(name, where=where)

    def _missing(self, name: str, *, where: str) -> str:
        packs = ", ".join(generation.pack_id for generation in self._generations)
        searched = f"in the scenario or in {packs}" if packs else "in the scenario, which has no packs,"
        meant = self._written().meant(name)
        called = f"{name} is not unique" if len(meant) > 1 else f"nothing {searched} is called {name}"
        self.problems.append(f"{where}: {called}{self.remark(name)}")
        return name

    def remark(self, name: str) -> str:
        """Return the end of a message about an unknown name: the nearest, or all whose name it is."""
        return self._written().remark(name)

    def is_own(self, name: str) -> bool:
        """Tell whether a name is the scenario's own: a thing, a door, the player."""
        return name in self._own or name in self._made or name in PLAYER_NAMES

    def item(self, reference: str, *, where: str) -> str:
        """Return the full ID of an item, `viktor/withholds#debt` -> `neo_seattle:viktor:withholds#debt`, in the pack
        whose section is in force."""
        found = self.find_item(reference)
        if found is None:
            near = self._written().remark_on_item(reference)
            self.problems.append(f"{where}: no pack has an item {reference}{near}")
        return found or reference.replace("/", ":", 1)

    def find_item(self, reference: str) -> str | None:
        """Return the same without noting a problem: None where no pack has such an item."""
        entity, _, rest = reference.partition("/")
        told_as = ids_of(find_in_packs(entity, self._generations) or entity, find_same_things(self._generations))
        ids = (f"{told_id}:{rest}" for told_id in told_as)
        return next((found for found in ids if any(pack.item(found) for pack in self._generations)), None)

    def resolved(self, model: M, *, where: str) -> M:
        """Return an effect, condition or rule with every name in it looked up."""
        data = model.model_dump(mode="json", by_alias=True, exclude_none=True)
        return type(model).model_validate(self._walk(data, where))

    def _walk(self, data: Any, where: str) -> Any:
        if isinstance(data, Mapping):
            return {key: self._value(key, value, where) for key, value in data.items()}
        if isinstance(data, list):
            return [self._walk(part, where) for part in data]
        return data

    def _value(self, key: str, value: Any, where: str) -> Any:
        if self._personas and key in _SAID and isinstance(value, Mapping):
            others = {name: part for name, part in value.items() if name != "to" or part != "you"}
            return {**self._walk(others, where), **({"to": "you"} if others.keys() != value.keys() else {})}
        if self._personas and key in _YOU_FIELDS and value == "you":
            return value
        if key in _PAIRS:
            stays = ("you",) if self._personas else ()
            return [name if name in stays else self.entity(name, where=where) for name in value]
        if not isinstance(value, str) or key == "say":
            return self._walk(value, where) if key != "say" else value
        if key in _TEXTS:
            return value
        if key in _ITEM_FIELDS:
            return self.item(value, where=where)
        if key in _ENTITY_FIELDS and (key, value) != ("by", ANY_NPC):
            return self.entity(value, where=where)
        for kind, fields in _KINDS.items():
            if key in fields and value not in self._known[kind]:
                known = sorted(self._known[kind])
                there = f" (there are {', '.join(known[:12])}{' …' if len(known) > 12 else ''})" if known else ""
                self.problems.append(f"{where}: there is no {kind} {value}{there}{remark(value, known)}")
        return value
