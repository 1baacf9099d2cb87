"""Words -> the type of an entry. The one table of what other tools call a type, and of the words that give one away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

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
