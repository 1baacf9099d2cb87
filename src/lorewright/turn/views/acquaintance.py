"""A state, its packs and the story so far -> whose names the player may hear, and the state without all the others.

One rule (`may_hear`) holds in questions, refusals, suggestions, maps, whispers, prompts and answers to programs: a name
is for a player who has met its owner, learned or been told of it; an open name also for a player who typed all of it.
What a pack hides and the player has not met has no name at all, so that a guess is answered as a made-up name is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from lorewright.builtin.words.clauses import with_callings
from lorewright.ids import holder_of, local
from lorewright.index.generation import Generation
from lorewright.packs.models import PackEntity as PackEntity
from lorewright.retrieval.view import LoreView, find_same_things, hidden_entities, ids_of
from lorewright.turn.views.player_ids import readable
from lorewright.turn.views.story import Exchange, StorySoFar, bare_words, has_name, without_names
from lorewright.world.events import CampaignEnded, EngineEvent, SceneChanged
from lorewright.world.state import OFFSTAGE, Entity, Exit, WorldState

# Acquaintance: whose names the player may hear, and the state without all the others.

# The label of a way whose own label would say where it leads.
UNNAMED_WAY = "other way"


def may_hear(*, hidden: bool, met: bool, typed: bool) -> bool:
    """Return whether a player may hear a name. `hidden` says that packs keep its owner from players, `met` that the
    player has met, learned or been told of the owner, `typed` that they typed the whole name themselves."""
    return met or (typed and not hidden)


@dataclass(frozen=True)
class Acquaintance:
    """The player's acquaintance with the entities of a state: whom they have met or heard of. `persona` is the ID of
    the persona that the player plays, empty for the one who is played just now; `story` is what reached that
    persona."""

    state: WorldState
    generations: Sequence[Generation]
    story: StorySoFar = field(default_factory=StorySoFar)
    persona: str = ""

    @property
    def who(self) -> str:
        """Return the ID of the persona whose acquaintance it is."""
        return self.persona or self.state.player_id

    def heard_of(self, words: str = "") -> frozenset[str]:
        """Return the IDs of all whose names may be said to the player who typed these words."""
        said = bare_words(with_callings(words))
        return frozenset(
            entity.id
            for entity in self.state.entities.values()
            if may_hear(
                hidden=entity.id in self._hidden,
                met=entity.id in self._met,
                typed=any(has_name(said, name) for name in _callable_by(entity)),
            )
        )

    def knows_name_of(self, entity_id: str, words: str = "") -> bool:
        """Return whether the player has heard the very name of somebody or something, is with it, or has just typed it:
        an alias or a way of speaking (`the clerk`) does not tell them who that is."""
        entity = self.state.entities.get(entity_id)
        if entity is None or not entity.name:
            return False
        if entity_id in self._hidden:
            return entity_id in self._met
        typed = self.story.was_typed(entity.name) or has_name(bare_words(words), entity.name)
        return typed or entity_id in self._seen_or_learned | self._near or self._is_told(entity.name)

    @cached_property
    def shown(self) -> WorldState:
        """Return the state without anything that the player may not hear: hidden entities have neither name nor
        aliases, and a way to one has no label that says the name. An entity with another name in the campaign than in
        the pack that hides it has that name alone."""
        hidden = {entity_id: self.state.entities[entity_id] for entity_id in self._hidden}
        if not hidden:
            return self.state
        entities = {entity_id: self._unnamed(entity) for entity_id, entity in hidden.items()}
        unheard = {entity_id: entity for entity_id, entity in hidden.items() if entity_id not in self._met}
        exits = {place: _without_labels(ways, unheard) for place, ways in self.state.exits.items()}
        return self.state.with_fields(entities={**self.state.entities, **entities}, exits=exits)

    def named_though_hidden(self) -> tuple[str, ...]:
        """Return the IDs of entities that a pack hides and whose names in that pack the player knows all the same."""
        met = sorted(self._hidden & self._met)
        return tuple(
            entity_id
            for entity_id in met
            if self.state.entities[entity_id].name in self._pack_names(self.state.entities[entity_id])
        )

    def says_unheard(self, text: str) -> bool:
        """Return whether a text says the name of somebody or something hidden that the player has not met."""
        said = bare_words(text)
        return any(
            has_name(said, name)
            for entity_id in sorted(self._hidden - self._met)
            for name in _callable_by(self.state.entities[entity_id])
        )

    def told_events(self, events: Iterable[EngineEvent]) -> tuple[EngineEvent, ...]:
        """Return the events that the player may know of: not those of a whisper between others or of another place, and
        none about somebody or something hidden that the player has not met. In `audience` such people are left out."""
        unheard = self._hidden - self._met
        told = (event for event in events if self._reaches_player(event))
        if not unheard:
            return tuple(told)
        return tuple(
            event.model_copy(
                update={"audience": event.audience and tuple(who for who in event.audience if who not in unheard)}
            )
            for event in told
            if unheard.isdisjoint(event.texts())
        )

    def _reaches_player(self, event: EngineEvent) -> bool:
        # Where the player is, and that the story is over, they see, no matter who brought it about.
        return event.reaches(self.who) or isinstance(event, (CampaignEnded, SceneChanged))

    def _unnamed(self, entity: Entity) -> Entity:
        # Things and doors can be handled, so they have the name that the scenario gives them.
        if entity.id not in self._met and entity.type not in ("item", "door"):
            return entity.model_copy(update={"name": "", "aliases": ()})
        secret_names = {
            name for name in self._pack_names(entity) if name != entity.name and not self._is_revealed(name)
        }
        return entity.model_copy(
            update={"aliases": tuple(alias for alias in entity.aliases if alias not in secret_names)}
        )

    @cached_property
    def readable(self) -> frozenset[str]:
        """Return the IDs of the items that the player has learned and may look up: see `player_ids.readable`."""
        return readable(self.state, self.generations, self.who)

    @cached_property
    def _hidden(self) -> frozenset[str]:
        """Return the IDs of the state's entities of which a player may read nothing in any pack, with all that they
        learned. An entity in disguise stays hidden whatever the player has learned."""
        hidden = hidden_entities(LoreView(tuple(self.generations), viewer="player", revealed=self.readable))
        if not hidden:
            return frozenset()
        same = find_same_things(self.generations)
        return frozenset(
            entity.id
            for entity in self.state.entities.values()
            if entity.origin == "pack" and hidden.issuperset(ids_of(entity.pack_entity_id or entity.id, same))
        )

    @cached_property
    def _met(self) -> frozenset[str]:
        return frozenset(entity.id for entity in self.state.entities.values() if self._is_met(entity))

    def _is_met(self, entity: Entity) -> bool:
        """Return True if the player has been with or at it, or has heard of it by what was told, learned or
        established."""
        if entity.id in self._seen_or_learned:
            return True
        if entity.id in self._hidden:
            return self._is_revealed(entity.name)
        typed = any(self.story.was_typed(name) for name in _callable_by(entity))
        return typed or entity.id in self._near or self._is_told(entity.name)

    @cached_property
    def _seen_or_learned(self) -> frozenset[str]:
        """Return the IDs of entities that the player has been with, or has learned something of."""
        state, who = self.state, self.who
        place = state.positions.get(who, OFFSTAGE)
        learned = {holder_of(item) for item in state.learned_by(who)}
        # Which persona visited a place is not recorded: where there are several, nobody met a hidden one by a visit.
        places = {*state.visits, *(state.positions.get(persona, OFFSTAGE) for persona in state.personas)}
        return frozenset(
            {
                *(other for other, at in state.positions.items() if at == place != OFFSTAGE),
                *self.story.met,
                *(places - self._hidden if state.personas else places),
                place,
                *state.held_by(place),
                *state.held_by(who),
                *state.doors,
                *(fact.subject_id for fact in state.facts.values() if fact.is_shown("player", who)),
                *(entity.id for entity in state.entities.values() if (entity.pack_entity_id or entity.id) in learned),
                who,
                *state.personas,
            }
            - {OFFSTAGE}
        )

    @cached_property
    def _near(self) -> frozenset[str]:
        """Return the destinations of the ways of all places at which the player has been."""
        places = {self.state.positions.get(self.who, OFFSTAGE), *self.state.visits}
        return frozenset(way.to for place in places for way in self.state.exits.get(place, ()))

    def _is_told(self, name: str) -> bool:
        """Return True if anything that the player was told says a name that is open to all."""
        if not name or not (self.story.may_say(name) or name.casefold() in self._read):
            return False
        # With a number a name is one in small letters, too: `room 12` is Room 12, as `hope` need not be Hope.
        is_numbered = any(map(str.isdigit, name))
        sign = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE if is_numbered else 0)
        return self.story.says(sign) or any(sign.search(text) for text in self._read_besides)

    def _is_revealed(self, name: str) -> bool:
        """Return True if anything that the player was told says a hidden name, and says it of its owner: as it is
        written, not within another name, and before they typed it themselves. An answer that repeats a guess does not
        count."""
        if not name or not (self.story.may_say(name) or name.casefold() in self._read):
            return False
        told: Iterable[str] = self._read_besides
        sign, longer = _name_pattern(name), self._longer_names(name)
        if self.story.was_typed(name):
            told = (*self._texts_learned, *(exchange.told for exchange in self._before_typed(name)))
        elif self.story.says(sign, without=tuple(longer)):
            return True
        return any(sign.search(without_names(text, longer)) for text in told)

    @cached_property
    def _read_besides(self) -> tuple[str, ...]:
        return (*self._titles, *self._texts_learned)

    def _before_typed(self, name: str) -> Iterator[Exchange]:
        for exchange in self.story.exchanges:
            if has_name(_words_of_line(exchange.typed), name):
                return
            yield exchange

    @cached_property
    def _titles(self) -> tuple[str, ...]:
        """Return what the player reads besides the story: the titles of its threads, and what they remember."""
        memory = self.state.observations.get(self.who, {})
        return (
            *(thread.title for thread in self.state.threads.values()),
            *(observation.content for observation in memory.values()),
        )

    @cached_property
    def _texts_learned(self) -> tuple[str, ...]:
        learned = sorted(self.state.learned_by(self.who))
        found = (next(filter(None, (pack.item(item_id) for pack in self.generations)), None) for item_id in learned)
        return tuple(item.text for item in found if item is not None)

    @cached_property
    def _read(self) -> str:
        return "\n".join((*self._titles, *self._texts_learned)).casefold()

    def _longer_names(self, name: str) -> list[str]:
        """Return every name that contains this one and is another's; longest first."""
        folded = name.casefold()
        known = {alias for entity in self.state.entities.values() for alias in (entity.name, *entity.aliases)}
        known |= {
            alias
            for pack in self.generations
            for entity in pack.entities().values()
            for alias in (entity.name, *entity.aliases)
        }
        return sorted((other for other in known if folded in other.casefold() and other.casefold() != folded), key=len)[
            ::-1
        ]

    def _pack_names(self, entity: Entity) -> list[str]:
        """Return the names that packs give to an entity of the state."""
        same = ids_of(entity.pack_entity_id or entity.id, find_same_things(self.generations))
        found = (pack.entity(same_id) for same_id in same for pack in self.generations)
        return [name for entry in found if entry is not None for name in _names_in_pack(entry)]


def _names_in_pack(entity: PackEntity) -> tuple[str, ...]:
    return (entity.name, *entity.aliases)


def _callable_by(entity: Entity) -> tuple[str, ...]:
    return tuple(name for name in (entity.name, *entity.aliases) if name)


# Every line of a story before a hidden name was typed is looked at in every turn after it.
_words_of_line = lru_cache(maxsize=1024)(bare_words)


def names_its_owner(text: str, name: str) -> bool:
    """Return whether a text says a name as a name: as it is written; a single word only inside a sentence, for at its
    beginning, or in small letters, it may be any word."""
    return _name_pattern(name).search(" ".join(text.split())) is not None


def _name_pattern(name: str) -> re.Pattern[str]:
    said = re.escape(" ".join(name.split()))
    if " " in name.strip() or name.lower() == name.upper():
        return re.compile(rf"(?<!\w){said}(?!\w)")
    if name == name.lower():
        return re.compile(r"(?!)")
    return re.compile(rf"(?<=[\w,;:’'\"“(—–-] ){said}(?!\w)")


def _without_labels(ways: Sequence[Exit], unheard: Mapping[str, Entity]) -> tuple[Exit, ...]:
    """Return the ways of a place; ways to entities that the player has not heard of lose a label that is their name,
    and are numbered if there are several."""
    found: list[Exit] = []
    unnamed = 0
    for way in ways:
        entity = unheard.get(way.to)
        if entity is not None and _label_names(way.name, entity):
            unnamed += 1
            way = way.model_copy(update={"name": UNNAMED_WAY if unnamed == 1 else f"{UNNAMED_WAY} {unnamed}"})
        found.append(way)
    return tuple(found)


def _label_names(label: str, entity: Entity) -> bool:
    said = bare_words(label)
    return any(has_name(said, name) for name in (*_callable_by(entity), local(entity.id)))
