"""The messages that somebody may see, and of them what reached the player of a story so far."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from lorewright import visibility
from lorewright.values.records import Message, MessageType
from lorewright.visibility import MessageReader

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


# The story so far, and the bare words to look for names in it.

_WORDS = re.compile(r"[^\W_]+")
_ARTICLES = (" the ", " a ", " an ")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn as the player had it: the words that they typed, then the texts that they were told.

    They are kept in UTF-8: every open story is in memory, and one bent quotation mark doubles what a string takes."""

    typed_bytes: bytes = b""
    told_bytes: bytes = b""

    @classmethod
    def of(cls, typed: str = "", told: str = "") -> Exchange:
        """Return what was typed and told in a turn."""
        return cls(typed.encode(), told.encode())

    @property
    def typed(self) -> str:
        """Return the words that were typed."""
        return self.typed_bytes.decode()

    @property
    def told(self) -> str:
        """Return the texts that were told."""
        return self.told_bytes.decode()


@dataclass(frozen=True)
class StorySoFar:
    """The texts that reached the player up to a turn, oldest first; `met` are the IDs of the characters in whose
    company they were told of a turn."""

    exchanges: tuple[Exchange, ...] = ()
    met: frozenset[str] = frozenset()
    # What was looked for -> in how much of the story in vain, or -1 if it was found: a story that goes on from this one
    # looks in what is new.
    _looked_for: dict[tuple[str | bytes, ...], int] = field(default_factory=dict, compare=False, repr=False)

    def says(self, sign: re.Pattern[str], *, without: tuple[str, ...] = ()) -> bool:
        """Return whether a pattern is found in anything that was told, where those names do not count."""
        key = ("sign", sign.pattern, *without)
        done = self._looked_for.get(key, 0)
        if done >= 0:
            told = (exchange.told for exchange in self.exchanges[done:])
            found = any(sign.search(without_names(text, without)) for text in told)
            done = self._looked_for[key] = -1 if found else len(self.exchanges)
        return done < 0

    def may_say(self, name: str) -> bool:
        """Return whether a name is in what was told, in whatever case and also within a word."""
        return self._has("told", name.casefold().encode(), self.told)

    def was_typed(self, name: str) -> bool:
        """Return whether the words of a name were typed, one after the other."""
        wanted = without_article(name)
        return bool(wanted.strip()) and self._has("typed", wanted.encode(), self.typed_words)

    def _has(self, what: str, wanted: bytes, text: bytes) -> bool:
        done = self._looked_for.get((what, wanted), 0)
        if done >= 0:
            found = text.find(wanted, max(0, done - len(wanted))) >= 0
            done = self._looked_for[what, wanted] = -1 if found else len(text)
        return done < 0

    @cached_property
    def told(self) -> bytes:
        """Return everything that was told, in lower case and UTF-8: to find out quickly that a name was not."""
        return _in_lower_case(self.exchanges)

    @cached_property
    def typed_words(self) -> bytes:
        """Return the bare words of everything that was typed, in UTF-8, between spaces."""
        return _bare_typed(self.exchanges)

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
            Exchange.of(_joined(typed.get(turn_no, ())), _joined(told.get(turn_no, ())))
            for turn_no in sorted({*typed, *told})
        )
        story = StorySoFar((*self.exchanges, *new), frozenset(met), dict(self._looked_for))
        if self.exchanges and "told" in self.__dict__:
            story.__dict__["told"] = b"\n".join((self.told, _in_lower_case(new))) if new else self.told
        if self.exchanges and "typed_words" in self.__dict__:
            story.__dict__["typed_words"] = self.typed_words[:-1] + _bare_typed(new)
        return story


def _in_lower_case(exchanges: Sequence[Exchange]) -> bytes:
    return "\n".join(exchange.told for exchange in exchanges).casefold().encode()


def _bare_typed(exchanges: Sequence[Exchange]) -> bytes:
    words = (bare_words(exchange.typed).strip() for exchange in exchanges)
    return f" {' '.join(filter(None, words))} ".encode()


def _joined(texts: Iterable[str]) -> str:
    return " ".join(" ".join(texts).split())


def bare_words(text: str) -> str:
    """Return the bare words of a text, each between blanks, without case, accents and signs, so that whole names can be
    searched for in it."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    words = _WORDS.findall("".join(sign for sign in plain if not unicodedata.combining(sign)))
    return f" {' '.join(words)} "


def has_name(said: str, name: str) -> bool:
    """Return True if bare words have a name in them; an article at its beginning may be missing."""
    wanted = without_article(name)
    return bool(wanted.strip()) and wanted in said


@lru_cache(maxsize=4096)
def without_article(name: str) -> str:
    """Return the bare words of a name without its article; cached, because every name of a story is looked for several
    times a turn."""
    wanted = bare_words(name)
    for article in _ARTICLES:
        if wanted.startswith(article) and wanted != article:
            wanted = wanted[len(article) - 1 :]
    return wanted


def without_names(text: str, names: Iterable[str]) -> str:
    """Return a text with a blank in the place of each of the names."""
    for name in names:
        text = text.replace(name, " ")
    return text
