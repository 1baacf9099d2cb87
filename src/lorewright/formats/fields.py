"""A source's object, field by field: what a format takes has its place, and what nobody took is kept under `x_…`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from lorewright.formats.imported import ImportReport
from lorewright.formats.json_source import free_key

# Words -> the type of an entry. The one table of what other tools call a type, and of the words that give one away.

# What a source's own type, folder, category or prefix ("Location: Kyoto") may say.
_NAMED_TYPES = {
    "npc": "npc character person people creature monster animal companion deity god",
    "location": "location place region city town area country planet landmark",
    "faction": "faction organization organisation group guild house clan kingdom nation",
    "culture": "culture race species religion concept lore language magic setting role class",
    "history": "history background backstory timeline era period",
    "technology": "technology tech vehicle ship",
    "item": "item object weapon artifact artefact equipment thing gear",
    "event": "event quest battle incident",
}

_WORDS: dict[str, str] = {
    "location": """alley bar bay bridge building camp castle cathedral cave church city cliff coast cottage country
        courtyard desert district docks dungeon estate forest fortress garden glade hall harbor harbour haven hill hotel
        house hut inn island keep lake library manor market mountain mountains museum neighborhood ocean palace park
        plaza port prison province quarter region river road ruins school sea shop shrine square station street swamp
        tavern temple tower town valley village wood woods""",
    "faction": """alliance army band cabal cartel church clan company cult council coven crew empire family federation
        gang government guild kingdom legion mafia militia ministry nation order organisation organization police
        rebellion republic resistance shogunate society syndicate tribe union""",
    "item": """amulet armor armour artifact artefact axe blade book bow coin crown crystal dagger device gem grimoire
        gun jewel key knife medallion necklace orb pistol potion relic rifle ring scroll shield spear staff sword
        talisman tome wand weapon""",
    "event": """attack battle ceremony coronation crusade election feast festival flood invasion massacre plague
        rebellion revolution ritual siege tournament treaty uprising war wedding""",
    "technology": """android computer cyberware drone engine implant machine nanotechnology reactor robot software
        spaceship starship teleporter""",
    "history": "age century chronicle dynasty era epoch history period reign timeline",
    "npc": """barista baron bartender blacksmith boy brother captain count daughter detective doctor duchess duke
        emperor empress father friend girl guard king knight lady lord man merchant mother nobleman noblewoman officer
        priest priestess prince princess queen scientist sister soldier son student teacher thief warrior
        witch wizard woman""",
}
_TYPE_OF_NAME = {name: kind for kind, names in _NAMED_TYPES.items() for name in names.split()}
_TYPES_OF_WORD: dict[str, tuple[str, ...]] = {}
for _kind, _listed in _WORDS.items():
    for _word in _listed.split():
        _TYPES_OF_WORD[_word] = (*_TYPES_OF_WORD.get(_word, ()), _kind)

_PRONOUNS = frozenset("he she him his her hers himself herself".split())
_OF_A_PERSON = frozenset(
    """age aged born eyes face gender grew hair height laughs lives loves old personality says skin smile smiles speaks
    wants wearing wears works worn""".split()
)
_WORD = re.compile(r"[^\W\d_]+")
_PREFIX = re.compile(r"\s*\[?\s*([^\W\d_]{2,20})\s*\]?\s*[:\-–—]\s+(\S.*)", re.DOTALL)

_NAME_WEIGHT = 5
_KEYS_WEIGHT = 10  # shared by the keys: one word of many says little
_OPENING_WEIGHT = 2
_ENOUGH = 2
_WITNESSES_SHOWN = 4
_OPENING_WORDS = 12
_READ_WORDS = 400


def named_type(word: str) -> str | None:
    """The type that a source's own word for it means: `Character` -> npc, `places` -> location; None where unknown."""
    plain = word.strip().casefold()
    return _TYPE_OF_NAME.get(plain) or _TYPE_OF_NAME.get(plain.removesuffix("s"))


def split_prefix(title: str) -> tuple[str, str]:
    """`Location: Kyoto` -> (`location`, `Kyoto`); a prefix that names no type stays: (``, title)."""
    match = _PREFIX.match(title)
    kind = named_type(match.group(1)) if match else None
    return (kind, match.group(2).strip()) if match and kind else ("", title)


def guess_type(name: str, keys: Iterable[str], text: str, *, is_talk: bool = False) -> tuple[str, str]:
    """The likeliest type, and the words that spoke for it. Names and keys weigh most, then the text's first words.

    `is_talk`: the text is a sample of talk, which says nothing on what the entry is about.
    """
    ballot = _Ballot()
    for word in dict.fromkeys(_words(name)):
        ballot.count(word, _types_of(word), _NAME_WEIGHT)
    key_words = list(dict.fromkeys(_words(" ".join(keys))))
    for word in key_words:
        ballot.count(word, _types_of(word), max(1, _KEYS_WEIGHT // len(key_words)))
    for place, word in enumerate([] if is_talk else _words(text)[:_READ_WORDS]):
        if place < _OPENING_WORDS:
            ballot.count(word, _types_of(word), _OPENING_WEIGHT)
        if word in _PRONOUNS or word in _OF_A_PERSON:
            ballot.count(word, ("npc",), 1)
    return ballot.winner()


class _Ballot:
    """What the words spoke for, and how strongly."""

    def __init__(self) -> None:
        self._scores: Counter[str] = Counter()
        self._witnesses: dict[str, dict[str, None]] = {}

    def count(self, word: str, types: Iterable[str], weight: int) -> None:
        for kind in types:
            self._scores[kind] += weight
            self._witnesses.setdefault(kind, {})[word] = None

    def winner(self) -> tuple[str, str]:
        """The first of the best; culture where nothing has enough."""
        for kind, score in self._scores.most_common(1):
            if score >= _ENOUGH:
                return kind, ", ".join(list(self._witnesses[kind])[:_WITNESSES_SHOWN])
        return "culture", "nothing says otherwise"


def _words(text: str) -> list[str]:
    return [match.group().casefold() for match in _WORD.finditer(text[: _READ_WORDS * 40])]


def _types_of(word: str) -> tuple[str, ...]:
    return _TYPES_OF_WORD.get(word) or _TYPES_OF_WORD.get(word.removesuffix("s"), ())


T = TypeVar("T")


def anything(text: str) -> bool:
    """Takes every text."""
    return True


class Fields:
    """The fields of one object. `path` is what the report puts before their names, as in `entries[].`.

    A field whose value has another shape than was asked for is not taken, and so is kept as it is.
    """

    def __init__(self, data: dict[str, Any], *, path: str, report: ImportReport) -> None:
        self._left = dict(data)
        self._path = path
        self._report = report

    def peek(self, *keys: str) -> str:
        """The first of these fields that holds text, which is not taken; "" where none does."""
        texts = (self._left.get(key) for key in keys)
        return next((text for text in texts if isinstance(text, str) and text.strip()), "")

    def text(self, *keys: str, place: str, accept: Callable[[str], bool] = anything) -> str:
        """Take the first of these fields that holds text, if it is accepted. Empty ones before it are taken too."""
        for key in keys:
            value = self._left.get(key)
            if not isinstance(value, str):
                continue
            if value.strip() and not accept(value):
                return ""
            del self._left[key]
            if value.strip():
                self._report.add(self._path + key, place)
                return value
        return ""

    def texts(
        self, key: str, *, place: str, accept: Callable[[str], bool], limit: int, separator: str = ""
    ) -> list[str]:
        """Take the accepted texts of a list, at most `limit`; the other members stay.

        One text alone is a list of one, or is cut at a separator, if all of it is accepted.
        """
        value = self._left.get(key)
        if value in ("", []):
            del self._left[key]
        if not isinstance(value, (list, str)) or not value:
            return []
        alone = isinstance(value, str)
        members: list[Any] = (value.split(separator) if separator else [value]) if isinstance(value, str) else value
        places = [n for n, member in enumerate(members) if _is_text(member, accept)][:limit]
        if not places or (alone and len(places) < len(members)):
            return []
        taken = set(places)
        left = [member for n, member in enumerate(members) if n not in taken]
        self._left[key] = left
        if not left:
            del self._left[key]
        texts = [members[n] for n in places if members[n].strip()]
        self._report.add(f"{self._path}{key}", place, len(texts))
        return texts

    def flag(self, key: str) -> bool | None:
        """What a switch says; it stays among the fields that are kept."""
        value = self._left.get(key)
        return value if isinstance(value, bool) else None

    def peek_value(self, key: str) -> Any:
        """What a field holds, which is not taken; None where there is none."""
        return self._left.get(key)

    def value(self, key: str, accept: Callable[[Any], bool], *, place: str, usual: Any) -> Any:
        """Take a field that is accepted; None where it is not. One that says what is so anyway stays."""
        value = self._left.get(key)
        if value is None or _same(value, usual) or not accept(value):
            return None
        self._report.add(self._path + key, place)
        return self._left.pop(key)

    @contextmanager
    def inside(self, key: str) -> Iterator[Fields]:
        """The fields of an object in this one; what nobody takes of them stays in it."""
        value = self._left.get(key)
        inner = Fields(value if isinstance(value, dict) else {}, path=f"{self._path}{key}.", report=self._report)
        yield inner
        if isinstance(value, dict) and inner._left != value:
            self._left = {
                name: inner._left if name == key else one
                for name, one in self._left.items()
                if name != key or inner._left
            }

    def mapping(self, key: str) -> dict[str, Any]:
        """Take an object; empty where the field is none."""
        return self._left.pop(key) if isinstance(self._left.get(key), dict) else {}

    def members(self, key: str) -> list[tuple[str, Any]]:
        """Take a list, or an object, as pairs of key and member; the keys of a list are empty."""
        value = self._left.get(key)
        if isinstance(value, list):
            self._left.pop(key)
            return [("", member) for member in value]
        if isinstance(value, dict):
            self._left.pop(key)
            return list(value.items())
        return []

    def drop_equal(self, other: dict[str, Any], *, path: str, renamed: dict[str, str]) -> None:
        """Leave out what is empty, or the same, where `other` has the field, by its name or the one it got there."""
        for key in list(self._left):
            twin = renamed.get(key, key)
            if twin in other and (_is_empty(self._left[key]) or _same(other[twin], self._left[key])):
                del self._left[key]
                self._report.add(self._path + key, f"the same as {path}{twin}")

    def member(self, key: str, name: str, read: Callable[[Any], T | None]) -> T | None:
        """Take one member out of an object, if it can be read; the object goes with its last one."""
        value = self._left.get(key)
        found = read(value[name]) if isinstance(value, dict) and name in value else None
        if found is not None and isinstance(value, dict):
            left = {other: one for other, one in value.items() if other != name}
            kept = self._left.items()
            self._left = {other: left if other == key else one for other, one in kept if other != key or left}
        return found

    def drop(self, expected: dict[str, Any]) -> None:
        """Leave out the fields that have just these values: what our own export filled in."""
        for key, value in expected.items():
            if key in self._left and _same(value, self._left[key]):
                del self._left[key]
                self._report.add(self._path + key, "filled in by our export")

    def put(self, key: str, value: Any) -> None:
        """Give back what was taken and could not be placed."""
        self._left[key] = value

    def rest(self, *, taken: dict[str, Any] | None = None) -> dict[str, Any]:
        """What nobody took, under `x_…`; a name that is in `taken` already gets a number."""
        kept: dict[str, Any] = dict(taken or {})
        for key, value in self._left.items():
            name = free_key(f"x_{key}", kept)
            kept[name] = value
            self._report.add(self._path + key, name)
        return kept

    def remainder(self, *, place: str) -> dict[str, Any]:
        """What nobody took, under its own names, for one place."""
        for key in self._left:
            self._report.add(self._path + key, place)
        return dict(self._left)


def _is_text(member: Any, accept: Callable[[str], bool]) -> bool:
    return isinstance(member, str) and (not member.strip() or accept(member))


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [], {})


def _same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same and of the same types, unlike 1 and true."""
    return type(one) is type(other) and bool(one == other) and repr(one) == repr(other)
