"""What authors call things: a title -> the role of its section, a key -> whether a note is private, a word -> a type.

The words stand in `titles.yaml`. The tables of the first version of reading stay in `packs/models.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any, Literal

from lorewright.packs.models import ENTITY_TYPES, Role, is_motive, role_of
from lorewright.shipped_tables import parse_table

# `plain`: the title says so. `looks`: it holds a word that secrets have, as names of places and ships do, too.
Certainty = Literal["plain", "looks"]

_NAME = re.compile(r"\{#[^}]*\}")
_BRACKETED = re.compile(r"\([^()]*\)")
_NOT_WORDS = re.compile(r"[^\w\s]+|_+")
_NUMBERS = re.compile(r"^(?:[\d.]+|[a-z]\)|[ivx]+\.)\s+")
# Scripts without spaces between words.
_UNSPACED = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff66-\uff9f\uac00-\ud7af]")
_GAPS = re.compile(r"[\s_\-:.]+")
# In characters: a value of frontmatter that is a remark (`GM only`) and no text.
_SHORT = 40
# In characters: what is longer is judged by its beginning.
_LONGEST = 300
# How alike a key must be to one about visibility to be a slip of the pen (difflib's ratio).
_NEAR = 0.82


@dataclass(frozen=True, slots=True)
class TitleRole:
    """The role of a section by its title. `certainty` is about secrets only."""

    role: Role
    certainty: Certainty = "plain"

    @property
    def hides(self) -> bool:
        """True if the title marks a secret."""
        return self.role in ("withholds", "secret")


OPEN = TitleRole("lore")


def _plain(text: str) -> str:
    """Return a text in lower case with one form of each sign: full width becomes half width."""
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


def _unaccented(text: str) -> str:
    """Return a text without accents; other scripts than Latin stay as they are."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFD", text)
    kept = (c for at, c in enumerate(parts) if not (unicodedata.combining(c) and parts[at - 1 : at].isascii()))
    return unicodedata.normalize("NFC", "".join(kept)).replace("ß", "ss")


def _words_of(text: str) -> str:
    return " ".join(_NOT_WORDS.sub(" ", text).split())


def _key_of(key: str) -> str:
    return _GAPS.sub("", _unaccented(_plain(key)))


def _listed(text: str) -> list[str]:
    return [word.strip(' "') for word in text.split(",") if word.strip()]


class _Words:
    """The tables of `titles.yaml`, in the form in which they are compared."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.roles: dict[str, Role] = {}
        for role, lines in data["roles"].items():
            for title in (title for line in lines for title in _listed(line)):
                self.roles.setdefault(_words_of(_unaccented(_plain(title))), role)
        plain = "|".join(data["plain"])
        for name in ("game_master", "master_alone", "players"):
            plain = plain.replace(name.upper(), data[name].replace(" |", "|"))
        self.plain = re.compile(plain, re.ASCII)
        self.players = re.compile(rf"\b({data['players'].replace(' |', '|')})\b", re.ASCII)
        self.plain_unspaced = re.compile(data["plain_substrings"].replace(" ", ""))
        self.looks = frozenset(data["looks"].split())
        self.looks_like = re.compile("|".join(data["looks_patterns"]))
        self.looks_unspaced = re.compile(data["looks_substrings"])
        self.keys = {name: frozenset(map(_key_of, _listed(text))) for name, text in data["keys"].items()}
        self.types: dict[str, str] = {}
        for kind, text in data["types"].items():
            for word in _listed(text):
                self.types.setdefault(_words_of(_unaccented(_plain(word))), kind)


@cache
def _words() -> _Words:
    text = files("lorewright.packs.markdown").joinpath("titles.yaml").read_text(encoding="utf-8")
    return _Words(parse_table(text))


@lru_cache(maxsize=8_192)
def secrecy_of(title: str) -> Certainty | None:
    """Return how certain a title marks a secret, in any of seven languages; None where it does not."""
    words = _words()
    full = _plain(_NAME.sub(" ", title[:_LONGEST]))
    latin = " ".join(_unaccented(full).split())
    bare = _bare(full)
    if words.roles.get(bare) == "withholds" or words.plain.search(latin):
        return "plain"
    unspaced = _GAPS.sub("", full)
    is_unspaced = _UNSPACED.search(full) is not None
    if is_unspaced and words.plain_unspaced.search(unspaced):
        return "plain"
    if words.looks & set(_words_of(latin).split()) or words.looks_like.search(bare):
        return "looks"
    return "looks" if is_unspaced and words.looks_unspaced.search(unspaced) else None


def _bare(full: str) -> str:
    """Return the words of a title without brackets, numbers and an article before them."""
    latin = _unaccented(full)
    bare = _words_of(_NUMBERS.sub("", _BRACKETED.sub(" ", latin).strip()))
    return re.sub(r"^(?:the|die|der|das|les|le|la|los|las|el|os|as|o|a) (?=.)", "", bare)


def title_role(title: str, overrides: Mapping[str, Role] | None = None, *, of_person: bool = False) -> TitleRole:
    """Return the role of a section with this title; `lore` if the title has no special meaning.

    `overrides` come from the file's own `section_roles:` and win. In the file of a person (`of_person`) `Goals` or
    `What she wants` is their motivation.
    """
    title = title[:_LONGEST]
    bare = _bare(_plain(_NAME.sub(" ", title)))
    if overrides and (given := overrides.get(_spoken(title)) or overrides.get(title.casefold())) is not None:
        return TitleRole(given)
    first = role_of(title, of_person=of_person)
    secrecy = secrecy_of(title)
    if secrecy is not None:
        # What is for the game master alone nobody is ever told; what somebody withholds may come out.
        is_told = secrecy == "looks" or "withholds" in (first, _words().roles.get(bare))
        return TitleRole("withholds" if is_told else "secret", secrecy)
    if of_person and is_motive(bare):
        return TitleRole("motivation")
    own = _words().roles.get(bare) or _words().roles.get(bare.removesuffix("s"))
    return TitleRole(own or ("lore" if first == "withholds" else first))


def _spoken(title: str) -> str:
    """Return the words of a title in lower case, without brackets and signs."""
    return _words_of(_BRACKETED.sub(" ", _NAME.sub(" ", title)).casefold())


def privacy_of(key: str, value: object) -> tuple[bool, bool] | None:
    """Return whether a key of frontmatter hides its note, and whether the key is a slip of the pen for another; None
    where it says nothing about readers."""
    keys, own = _words().keys, _key_of(key)
    said = value if isinstance(value, (str, bool, int, float)) else None
    word = _key_of(str(said)) if said is not None else ""
    if own in keys["hides"]:
        return value is not None and word not in keys["denies"], False
    if own in keys["shows"]:
        return said is not None and word in keys["denies"], False
    if own in keys["visibility"]:
        return value is not None and word not in keys["open_words"], False
    if isinstance(value, str) and len(value) <= _SHORT and secrecy_of(value) == "plain":
        return True, False
    words = _unaccented(_plain(key)).replace("_", " ").replace("-", " ")
    if (word in keys["affirms"] and secrecy_of(words)) or (word in keys["denies"] and _words().players.search(words)):
        return True, False
    return (value is not None and word not in keys["open_words"], True) if _is_near(own) else None


@lru_cache(maxsize=1_024)
def _is_near(key: str) -> bool:
    """Tell whether a key is a slip of the pen for one about visibility."""
    known = _words().keys["visibility"]
    return key not in _OTHERS and len(key) > 6 and bool(get_close_matches(key, known, n=1, cutoff=_NEAR))


# Keys that authors use for other things, and that are near to one about readers.
_OTHERS = frozenset({"accessories", "accessory", "audiences", "invisibility"})


def is_private_tag(tag: str) -> bool:
    """Tell whether a tag says that its note is for the game master alone: `gm-only`, `#secret`, `campaign/dm`."""
    return any(_key_of(part) in _words().keys["hides_as_tag"] for part in tag.lstrip("#").split("/"))


@lru_cache(maxsize=8_192)
def type_of_words(text: str) -> str | None:
    """Return the type that the name of a folder, a tag or a `type:` means (`06 Settlements`, `Factions & Guilds`);
    None where its words mean none. The whole name goes first, then its last word, then the others."""
    words = [word for word in _words_of(_unaccented(_plain(text))).split() if not word.isdigit()]
    unspaced = "".join(words)
    for phrase in (" ".join(words), *reversed(words)):
        if (found := _type_of(phrase)) is not None:
            return found
    if _UNSPACED.search(unspaced):
        return next((kind for word, kind in _words().types.items() if len(word) > 1 and word in unspaced), None)
    return None


def _type_of(word: str) -> str | None:
    if word in ENTITY_TYPES:
        return word
    types = _words().types
    singulars = (word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ies") + "y")
    return next((types[singular] for singular in singulars if singular in types), None)


def type_of_tags(tags: Iterable[str]) -> str | None:
    """Return the type that tags mean (`npc`, `#Location/Settlement`); None where they mean none, or several."""
    found = {kind for tag in tags for kind in (_type_of_tag(tag),) if kind is not None}
    return found.pop() if len(found) == 1 else None


def _type_of_tag(tag: str) -> str | None:
    parts = reversed(tag.lstrip("#").replace("_", " ").replace("-", " ").split("/"))
    return next((kind for part in parts if (kind := _type_of(_words_of(_unaccented(_plain(part))))) is not None), None)


# By the first version of reading.

# Folder names that say a type in other words; the plural of a type needs no entry.
_FOLDER_TYPES = {
    "characters": "npc",
    "people": "npc",
    "monsters": "npc",
    "places": "location",
    "organizations": "faction",
    "organisations": "faction",
    "groups": "faction",
    "gear": "item",
    "equipment": "item",
    "objects": "item",
    "timeline": "history",
    "tech": "technology",
}


def type_of_folder(path: PurePosixPath) -> str:
    """Return the type that a folder's name means by the rules of the first version."""
    for part in reversed(path.parts[:-1]):
        folder = part.casefold()
        singular = folder.removesuffix("ies") + "y" if folder.endswith("ies") else folder.removesuffix("s")
        for name in (folder, singular):
            if name in ENTITY_TYPES:
                return name
        if folder in _FOLDER_TYPES:
            return _FOLDER_TYPES[folder]
    return "culture"
