"""A state, its packs and the story so far -> whose names the player may hear, and the state without all the others.

One rule (`may_hear`) holds in questions, refusals, suggestions, maps, whispers, prompts and answers to programs: a name
is for a player who has met its owner, learned or been told of it; an open name also for a player who typed all of it.
What a pack hides and the player has not met has no name at all, so that a guess is answered as a made-up name is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, Literal

from lorewright.ids import holder_of, local
from lorewright.index.generation import Generation
from lorewright.packs.models import PackEntity as PackEntity
from lorewright.retrieval.view import LoreView, hidden_entities, ids_of, things
from lorewright.rules.patch import EngineEvent
from lorewright.turn.views.player_ids import readable
from lorewright.values.records import Message, MessageType
from lorewright.world.schemas import plain
from lorewright.world.state import OFFSTAGE, Entity, Exit, WorldState

# Who sees which message: seed 004's matrix as one table of data, completed for the stages that it lacks.
#
# Every stage gets its messages from `seen_by` and from nowhere else.

Reader = Literal[
    "player",
    "persona_intent",
    "interpreter",
    "planner",
    "resolution",
    "narrator",
    "npc_intent",
    "reflection",
    "persona_extractor",
    "character_extractor",
    "lore_extractor",
    "summariser",
    "recap",
]
# `all`: every one that there is so far, a narration if one was there for it. `own`: what the reader's own character
# owns; `last_own`: the newest of these. `resolving`: what is being resolved just now; `current`: what was told of it.
Sight = Literal["all", "own", "last_own", "resolving", "current", "none"]

_COLUMNS: tuple[MessageType, ...] = ("scene_marker", "narration", "intention", "thought", "system")


def _row(*sights: Sight) -> Mapping[MessageType, Sight]:
    return MappingProxyType(dict(zip(_COLUMNS, sights, strict=True)))


# Rows: who reads. The first six are the specification's, but that its persona intent is what a player sees while they
# think of what to do. Nobody ever reads a system message in the story.
MATRIX: Mapping[Reader, Mapping[MessageType, Sight]] = MappingProxyType(
    {
        # reader                      scene_marker  narration  intention    thought  system
        "persona_intent": _row("none", "all", "own", "own", "none"),
        "npc_intent": _row("none", "all", "own", "own", "none"),
        "narrator": _row("all", "all", "resolving", "none", "none"),
        "persona_extractor": _row("none", "all", "last_own", "own", "none"),
        "character_extractor": _row("none", "all", "last_own", "own", "none"),
        "lore_extractor": _row("none", "current", "none", "none", "none"),
        "player": _row("none", "all", "own", "own", "none"),
        # The player's words may point back at what they said (`again`, `it`).
        "interpreter": _row("none", "all", "own", "none", "none"),
        "planner": _row("all", "all", "resolving", "none", "none"),
        "resolution": _row("none", "none", "resolving", "none", "none"),
        # What the specification of rulesets calls a character's reflection is its intent.
        "reflection": _row("none", "all", "own", "own", "none"),
        "summariser": _row("none", "all", "none", "none", "none"),
        "recap": _row("none", "all", "none", "none", "none"),
    }
)


def seen_by(
    reader: Reader,
    messages: Iterable[Message],
    *,
    own_id: str | Collection[str],
    resolving: Collection[Message] = (),
    current: Collection[Message] = (),
) -> list[Message]:
    """The messages that a reader may see, in their order.

    `own_id` is the character (or are the characters) whose own messages count as own, and whose ears count: a narration
    is seen by those alone who were there. For stages that tell the story that is the player's. `resolving` are the
    intentions that are resolved just now, `current` what was just told of them.
    """
    own = frozenset((own_id,)) if isinstance(own_id, str) else frozenset(own_id)
    row, given = MATRIX[reader], list(messages)

    def sees(message: Message) -> bool:
        match row[message.type]:
            case "all":
                return _was_there(message, own)
            case "own":
                return message.owner in own
            case "last_own":
                return message.owner in own and message == _last(given, message.type, own)
            case "resolving":
                return message in resolving
            case "current":
                return message in current
            case "none":
                return False

    return [message for message in given if sees(message)]


def _was_there(message: Message, own: frozenset[str]) -> bool:
    """Whoever nothing is said of heard it: narrations of old have no audience."""
    return message.type != "narration" or not message.audience or not own.isdisjoint(message.audience)


def _last(messages: Iterable[Message], kind: MessageType, own: frozenset[str]) -> Message | None:
    return next(
        (message for message in reversed(list(messages)) if message.type == kind and message.owner in own), None
    )


# What a way is called whose own label would say where it leads.
UNNAMED_WAY = "other way"

_WORDS = re.compile(r"[^\W_]+")
_ARTICLES = (" the ", " a ", " an ")


def may_hear(*, hidden: bool, met: bool, typed: bool) -> bool:
    """Return whether a player may hear a name. `hidden` says that packs keep its owner from players, `met` that the
    player has met, learned or been told of the owner, `typed` that they typed the whole name themselves."""
    return met or (typed and not hidden)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn as the player had it: the words that they typed, then the texts that they were told."""

    typed: str = ""
    told: str = ""


@dataclass(frozen=True)
class StorySoFar:
    """What reached the player up to a turn, oldest first; `met` are the IDs of those who were told of a turn together
    with them."""

    exchanges: tuple[Exchange, ...] = ()
    met: frozenset[str] = frozenset()

    @cached_property
    def told(self) -> str:
        """Everything that was told, in lower case: for finding out quickly that a name was not."""
        return "\n".join(exchange.told for exchange in self.exchanges).casefold()

    @cached_property
    def typed(self) -> str:
        """Everything that was typed."""
        return "\n".join(exchange.typed for exchange in self.exchanges)

    def grown(self, turns: Iterable[tuple[int, Message]], player_id: str) -> StorySoFar:
        """Return the story with the messages of the turns that follow, as (turn number, message)."""
        typed: dict[int, list[str]] = {}
        told: dict[int, list[str]] = {}
        met = set(self.met)
        for turn_no, message in turns:
            if message.type in ("intention", "thought") and message.owner == player_id:
                typed.setdefault(turn_no, []).append(message.content)
            elif message.type == "narration" and seen_by("player", (message,), own_id=player_id):
                told.setdefault(turn_no, []).append(message.content)
                met.update(message.audience)
        new = tuple(
            Exchange(_joined(typed.get(turn_no, ())), _joined(told.get(turn_no, ())))
            for turn_no in sorted({*typed, *told})
        )
        return StorySoFar((*self.exchanges, *new), frozenset(met))


def _joined(texts: Iterable[str]) -> str:
    return " ".join(" ".join(texts).split())


@dataclass(frozen=True)
class Acquaintance:
    """What the player of a state knows of those who are in it."""

    state: WorldState
    generations: Sequence[Generation]
    story: StorySoFar = field(default_factory=StorySoFar)

    def heard_of(self, words: str = "") -> frozenset[str]:
        """Return the IDs of all whose names may be said to the player who typed these words."""
        said = _spoken(words)
        return frozenset(
            entity.id
            for entity in self.state.entities.values()
            if may_hear(
                hidden=entity.id in self._hidden,
                met=entity.id in self._met,
                typed=any(_says(said, name) for name in _callable_by(entity)),
            )
        )

    @cached_property
    def shown(self) -> WorldState:
        """The state with nothing in it that the player may not hear: what is hidden from them has neither name nor
        aliases, and a way to it no label that says the name. Whoever bears another name in the campaign than in the
        pack that hides them keeps that one alone."""
        hidden = {one: self.state.entities[one] for one in self._hidden}
        if not hidden:
            return self.state
        entities = {one: self._unnamed(entity) for one, entity in hidden.items()}
        exits = {
            place: _without_labels(ways, {one: hidden[one] for one in hidden if one not in self._met})
            for place, ways in self.state.exits.items()
        }
        return self.state.with_fields(entities={**self.state.entities, **entities}, exits=exits)

    def named_though_hidden(self) -> tuple[str, ...]:
        """Return the IDs of those whom a pack hides and whose names in that pack the player knows all the same."""
        met = sorted(self._hidden & self._met)
        return tuple(one for one in met if self.state.entities[one].name in self._pack_names(self.state.entities[one]))

    def says_unheard(self, text: str) -> bool:
        """Return whether a text says the name of somebody or something hidden that the player has not met."""
        said = _spoken(text)
        return any(
            _says(said, name)
            for one in sorted(self._hidden - self._met)
            for name in _callable_by(self.state.entities[one])
        )

    def told_events(self, events: Iterable[EngineEvent]) -> tuple[EngineEvent, ...]:
        """Return the events that are about nobody and nothing hidden that the player has not met."""
        unheard = self._hidden - self._met
        if not unheard:
            return tuple(events)
        return tuple(
            event.model_copy(
                update={"audience": event.audience and tuple(one for one in event.audience if one not in unheard)}
            )
            for event in events
            if unheard.isdisjoint(_texts_in(plain(event.details)))
        )

    def _unnamed(self, entity: Entity) -> Entity:
        # What can be handled has the name that the scenario gives it.
        if entity.id not in self._met and entity.type not in ("item", "door"):
            return entity.model_copy(update={"name": "", "aliases": ()})
        kept = {name for name in self._pack_names(entity) if name != entity.name and not self._is_revealed(name)}
        return entity.model_copy(update={"aliases": tuple(alias for alias in entity.aliases if alias not in kept)})

    @cached_property
    def readable(self) -> frozenset[str]:
        """The IDs of the items that the player has learned and may look up: see `player_ids.readable`."""
        return readable(self.state, self.generations)

    @cached_property
    def _hidden(self) -> frozenset[str]:
        """IDs of the state's entities of which a player may read nothing in any pack, with all that they learned.
        Who is in disguise stays so whatever they tell."""
        hidden = hidden_entities(LoreView(tuple(self.generations), viewer="player", revealed=self.readable))
        if not hidden:
            return frozenset()
        same = things(self.generations)
        return frozenset(
            entity.id
            for entity in self.state.entities.values()
            if entity.origin == "pack" and hidden.issuperset(ids_of(entity.pack_entity_id or entity.id, same))
        )

    @cached_property
    def _met(self) -> frozenset[str]:
        return frozenset(entity.id for entity in self.state.entities.values() if self._is_met(entity))

    def _is_met(self, entity: Entity) -> bool:
        """Whether the player has been with or at it, or has heard of it by what was told, learned or established."""
        if entity.id in self._beheld:
            return True
        if entity.id in self._hidden:
            return self._is_revealed(entity.name)
        typed = any(_says(self._typed, name) for name in _callable_by(entity))
        return typed or entity.id in self._near or self._is_told(entity.name)

    @cached_property
    def _beheld(self) -> frozenset[str]:
        """Who and what the player has had before their eyes, or has learned something of."""
        state = self.state
        learned = {holder_of(item) for item in state.learned_by(state.player_id)}
        return frozenset(
            {
                *state.present(),
                *self.story.met,
                *state.visits,
                *(state.positions[who] for who in (state.player_id, *state.personas) if who in state.positions),
                *state.held_by(state.scene.location_id),
                *state.held_by(state.player_id),
                *state.doors,
                *(fact.subject_id for fact in state.facts.values() if fact.visibility == "player"),
                *(entity.id for entity in state.entities.values() if (entity.pack_entity_id or entity.id) in learned),
                state.player_id,
                *state.personas,
            }
            - {OFFSTAGE}
        )

    @cached_property
    def _near(self) -> frozenset[str]:
        """Where the ways of the places lead at which the player has been."""
        places = {self.state.scene.location_id, *self.state.visits}
        return frozenset(way.to for place in places for way in self.state.exits.get(place, ()))

    def _is_told(self, name: str) -> bool:
        """Whether anything that the player was told says a name that is open to all."""
        if not name or not any(name.casefold() in text for text in (self.story.told, self._read)):
            return False
        sign = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        return any(sign.search(text) for text in self._all_told)

    def _is_revealed(self, name: str) -> bool:
        """Whether anything that the player was told says a hidden name, and says it of its owner: as it is written, not
        within another name, and before they typed it themselves. What repeats a guess tells nothing."""
        if not name or not any(name.casefold() in text for text in (self.story.told, self._read)):
            return False
        told: Iterable[str] = self._all_told
        if _says(self._typed, name):
            told = (*self._texts_learned, *(one.told for one in self._before_typed(name)))
        sign, longer = _sign(name), self._longer_names(name)
        return any(sign.search(_without(text, longer)) for text in told)

    @cached_property
    def _typed(self) -> str:
        return _spoken(self.story.typed)

    @cached_property
    def _all_told(self) -> tuple[str, ...]:
        return (*(exchange.told for exchange in self.story.exchanges), *self._titles, *self._texts_learned)

    def _before_typed(self, name: str) -> Iterator[Exchange]:
        for exchange in self.story.exchanges:
            if _says(_spoken(exchange.typed), name):
                return
            yield exchange

    @cached_property
    def _titles(self) -> tuple[str, ...]:
        """What the player reads beside the story: the titles of its threads, and what they remember."""
        memory = self.state.observations.get(self.state.player_id, {})
        return (*(thread.title for thread in self.state.threads.values()), *(one.content for one in memory.values()))

    @cached_property
    def _texts_learned(self) -> tuple[str, ...]:
        learned = sorted(self.state.learned_by(self.state.player_id))
        found = (next(filter(None, (pack.item(one) for pack in self.generations)), None) for one in learned)
        return tuple(item.text for item in found if item is not None)

    @cached_property
    def _read(self) -> str:
        return "\n".join((*self._titles, *self._texts_learned)).casefold()

    def _longer_names(self, name: str) -> list[str]:
        """Every name that has this one in it and is another's; longest first."""
        folded = name.casefold()
        known = {alias for entity in self.state.entities.values() for alias in (entity.name, *entity.aliases)}
        known |= {
            alias
            for pack in self.generations
            for entity in pack.entities().values()
            for alias in (entity.name, *entity.aliases)
        }
        return sorted((one for one in known if folded in one.casefold() and one.casefold() != folded), key=len)[::-1]

    def _pack_names(self, entity: Entity) -> list[str]:
        """The names that packs give to an entity of the state."""
        same = ids_of(entity.pack_entity_id or entity.id, things(self.generations))
        found = (pack.entity(one) for one in same for pack in self.generations)
        return [name for one in found if one is not None for name in _names_in_pack(one)]


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield str(key)
            yield from _texts_in(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _texts_in(one)
    elif isinstance(value, str):
        yield value


def _names_in_pack(entity: PackEntity) -> tuple[str, ...]:
    return (entity.name, *entity.aliases)


def _callable_by(entity: Entity) -> tuple[str, ...]:
    return tuple(name for name in (entity.name, *entity.aliases) if name)


def _spoken(text: str) -> str:
    """A text as its bare words, each between blanks, without case, accents and signs: a name is in it whole or not."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    words = _WORDS.findall("".join(sign for sign in plain if not unicodedata.combining(sign)))
    return f" {' '.join(words)} "


def _says(said: str, name: str) -> bool:
    """Whether bare words have a name in them, an article at its beginning aside."""
    wanted = _without_article(name)
    return bool(wanted.strip()) and wanted in said


@lru_cache(maxsize=4096)
def _without_article(name: str) -> str:
    """Return the bare words of a name; remembered, for every name of a story is looked for several times a turn."""
    wanted = _spoken(name)
    for article in _ARTICLES:
        if wanted.startswith(article) and wanted != article:
            wanted = wanted[len(article) - 1 :]
    return wanted


def names_its_owner(text: str, name: str) -> bool:
    """Return whether a text says a name as a name: as it is written; a single word only inside a sentence, for at its
    beginning, or in small letters, it may be any word."""
    return _sign(name).search(" ".join(text.split())) is not None


def _sign(name: str) -> re.Pattern[str]:
    said = re.escape(" ".join(name.split()))
    if " " in name.strip() or name.lower() == name.upper():
        return re.compile(rf"(?<!\w){said}(?!\w)")
    if name == name.lower():
        return re.compile(r"(?!)")
    return re.compile(rf"(?<=[\w,;:’'\"“(—–-] ){said}(?!\w)")


def _without(text: str, names: Iterable[str]) -> str:
    for name in names:
        text = text.replace(name, " ")
    return text


def _without_labels(ways: Sequence[Exit], unheard: Mapping[str, Entity]) -> tuple[Exit, ...]:
    """Ways of a place, those to what has not been heard of without a label that is its name. Their number tells
    several from each other."""
    found: list[Exit] = []
    unnamed = 0
    for way in ways:
        entity = unheard.get(way.to)
        if entity is not None and _tells(way.name, entity):
            unnamed += 1
            way = way.model_copy(update={"name": UNNAMED_WAY if unnamed == 1 else f"{UNNAMED_WAY} {unnamed}"})
        found.append(way)
    return tuple(found)


def _tells(label: str, entity: Entity) -> bool:
    said = _spoken(label)
    return any(_says(said, name) for name in (*_callable_by(entity), local(entity.id)))
