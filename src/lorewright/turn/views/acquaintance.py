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

from lorewright import visibility
from lorewright.ids import holder_of, local
from lorewright.index.generation import Generation
from lorewright.packs.models import PackEntity as PackEntity
from lorewright.retrieval.view import LoreView, find_same_things, hidden_entities, ids_of
from lorewright.turn.views.player_ids import readable
from lorewright.values.records import Message, MessageType
from lorewright.visibility import MessageReader
from lorewright.world.events import CampaignEnded, EngineEvent, SceneChanged
from lorewright.world.state import OFFSTAGE, Entity, Exit, WorldState

# The message stream -> the messages that a stage or viewer may see, by the table `visibility.MESSAGES`. Every stage
# gets its messages from `seen_by` and from nowhere else.


def seen_by(
    reader: MessageReader,
    messages: Iterable[Message],
    *,
    own_id: str | Collection[str],
    resolving: Collection[Message] = (),
    current: Collection[Message] = (),
) -> list[Message]:
    """Return the messages that a reader may see, in their order.

    `own_id` is the character (or are the characters) whose messages count as own, and by whose presence narrations are
    seen; for stages that tell the story that is the player's. `resolving` are the intentions that are resolved just
    now, `current` the narration of those.
    """
    own = frozenset((own_id,)) if isinstance(own_id, str) else frozenset(own_id)
    row, given = visibility.MESSAGES[reader], list(messages)

    def sees(message: Message) -> bool:
        match row[message.type]:
            case "every":
                return True
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
    """Return True for all but narrations that none of the readers was there for; old narrations without an audience
    count as heard by everybody."""
    return message.type != "narration" or not message.audience or not own.isdisjoint(message.audience)


def _last(messages: Iterable[Message], kind: MessageType, own: frozenset[str]) -> Message | None:
    return next(
        (message for message in reversed(list(messages)) if message.type == kind and message.owner in own), None
    )


# Acquaintance: whose names the player may hear, and the state without all the others.

# The label of a way whose own label would say where it leads.
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
    """The texts that reached the player up to a turn, oldest first; `met` are the IDs of the characters in whose
    company they were told of a turn."""

    exchanges: tuple[Exchange, ...] = ()
    met: frozenset[str] = frozenset()
    # What was looked for -> in how much of the story in vain, or -1 if it was found: a story that goes on from this one
    # looks in what is new.
    _looked_for: dict[tuple[str, ...], int] = field(default_factory=dict, compare=False, repr=False)

    def says(self, sign: re.Pattern[str], *, without: tuple[str, ...] = ()) -> bool:
        """Return whether a pattern is found in anything that was told, where those names do not count."""
        key = ("sign", sign.pattern, *without)
        done = self._looked_for.get(key, 0)
        if done >= 0:
            told = (exchange.told for exchange in self.exchanges[done:])
            found = any(sign.search(_without(text, without)) for text in told)
            done = self._looked_for[key] = -1 if found else len(self.exchanges)
        return done < 0

    def may_say(self, name: str) -> bool:
        """Return whether a name is in what was told, in whatever case and also within a word."""
        return self._has("told", name.casefold(), self.told)

    def was_typed(self, name: str) -> bool:
        """Return whether the words of a name were typed, one after the other."""
        wanted = _without_article(name)
        return bool(wanted.strip()) and self._has("typed", wanted, self.typed_words)

    def _has(self, what: str, wanted: str, text: str) -> bool:
        done = self._looked_for.get((what, wanted), 0)
        if done >= 0:
            found = text.find(wanted, max(0, done - len(wanted))) >= 0
            done = self._looked_for[what, wanted] = -1 if found else len(text)
        return done < 0

    @cached_property
    def told(self) -> str:
        """Return everything that was told, in lower case: to find out quickly that a name was not."""
        return "\n".join(exchange.told for exchange in self.exchanges).casefold()

    @cached_property
    def typed_words(self) -> str:
        """Return the bare words of everything that was typed."""
        words = (_words_of_line(exchange.typed).strip() for exchange in self.exchanges)
        return f" {' '.join(filter(None, words))} "

    def grown(self, turns: Iterable[tuple[int, Message]], player_id: str) -> StorySoFar:
        """Return the story with the messages of the turns that follow, as (turn number, message)."""
        typed: dict[int, list[str]] = {}
        told: dict[int, list[str]] = {}
        met = set(self.met)
        for turn_no, message in turns:
            if not seen_by("player", (message,), own_id=player_id):
                continue
            if message.type in ("intention", "thought"):
                typed.setdefault(turn_no, []).append(message.content)
            elif message.type == "narration":
                told.setdefault(turn_no, []).append(message.content)
                met.update(message.audience)
        new = tuple(
            Exchange(_joined(typed.get(turn_no, ())), _joined(told.get(turn_no, ())))
            for turn_no in sorted({*typed, *told})
        )
        story = StorySoFar((*self.exchanges, *new), frozenset(met), dict(self._looked_for))
        if self.exchanges and "told" in self.__dict__:
            story.__dict__["told"] = "\n".join((self.told, *(exchange.told.casefold() for exchange in new)))
        return story


def _joined(texts: Iterable[str]) -> str:
    return " ".join(" ".join(texts).split())


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
        said = _bare_words(words)
        return frozenset(
            entity.id
            for entity in self.state.entities.values()
            if may_hear(
                hidden=entity.id in self._hidden,
                met=entity.id in self._met,
                typed=any(_has_name(said, name) for name in _callable_by(entity)),
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
        typed = self.story.was_typed(entity.name) or _has_name(_bare_words(words), entity.name)
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
        said = _bare_words(text)
        return any(
            _has_name(said, name)
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
        sign = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
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
        return any(sign.search(_without(text, longer)) for text in told)

    @cached_property
    def _read_besides(self) -> tuple[str, ...]:
        return (*self._titles, *self._texts_learned)

    def _before_typed(self, name: str) -> Iterator[Exchange]:
        for exchange in self.story.exchanges:
            if _has_name(_words_of_line(exchange.typed), name):
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


def _bare_words(text: str) -> str:
    """Return the bare words of a text, each between blanks, without case, accents and signs, so that whole names can be
    searched for in it."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    words = _WORDS.findall("".join(sign for sign in plain if not unicodedata.combining(sign)))
    return f" {' '.join(words)} "


# Every line of a story is looked at in every turn.
_words_of_line = lru_cache(maxsize=16_384)(_bare_words)


def _has_name(said: str, name: str) -> bool:
    """Return True if bare words have a name in them; an article at its beginning may be missing."""
    wanted = _without_article(name)
    return bool(wanted.strip()) and wanted in said


@lru_cache(maxsize=4096)
def _without_article(name: str) -> str:
    """Return the bare words of a name without its article; cached, because every name of a story is looked for several
    times a turn."""
    wanted = _bare_words(name)
    for article in _ARTICLES:
        if wanted.startswith(article) and wanted != article:
            wanted = wanted[len(article) - 1 :]
    return wanted


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


def _without(text: str, names: Iterable[str]) -> str:
    for name in names:
        text = text.replace(name, " ")
    return text


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
    said = _bare_words(label)
    return any(_has_name(said, name) for name in (*_callable_by(entity), local(entity.id)))
