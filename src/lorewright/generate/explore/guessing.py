"""Open texts of notes without a type -> Guess: place, person or thing, and by what it was told.

Plain rules: each sign in a note, or in a note that links it, speaks for one kind with some points (`words.yaml` has the
words). The kind with the most points is taken, if it has enough and more than any other. Where nothing is told, the
note is something to read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any

import yaml

from lorewright.packs.markdown.titles import type_of_tags, type_of_words
from lorewright.packs.models import Manifest, PackEntity

# The type of a note of which nobody said what it is. An author may say it, too.
UNTOLD = "culture"
# The types of what one visits, talks to or takes.
TAKEN = frozenset({"location", "npc", "item"})
# Points from which on a kind is taken.
_ENOUGH = 3
# A sign that is met often counts for no more than this.
_MOST_OF_A_SIGN = 4
# As much of a note is read, in characters; so many of its sentences are taken for what it says of its subject.
_MOST_READ = 6_000
_FIRST_SENTENCES = 3
# Words before and after a name that are looked at.
_NEAR = 40
# A folder's name of so many words is a phrase, and less sure to be a type than a label is.
_PHRASE = 3
# Words of a name, or of a phrase such as `small fishing village`.
_MOST_WORDS = 6

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SENTENCE = re.compile(r"(?<=[.!?…:])[”\"’»)]*\s+(?=[\"“«„(]?[^\W\d_])|\n+")
_QUOTED = re.compile(r"[“\"«„][^”\"»“]{0,400}[”\"»“]")
_AFTER = re.compile(r"[”\"»*_]*[ ]([^\W\d_]+)")
_LIST = re.compile(r"^[\s>#*+-]+")
_I = re.compile(r"\b(?:i|i'm|i’m|my|me|ich|mein|je|j'ai|mon|yo|mi)\b", re.IGNORECASE)
_BE = re.compile(r"\b(?:is|was|are|were|ist|war|sind|est|était|sont|es|era|son)\b", re.IGNORECASE)
_ARTICLE = re.compile(
    r"(?:an?|the|one of the|ein|eine|einer|der|die|das|une?|les?|la|l['’]|una?|el|los|las)\b\s*", re.IGNORECASE
)
_DETERMINER = re.compile(
    r"an?|the|his|her|its|their|our|my|der|die|das|den|dem|ein\w*|sein\w*|ihr\w*|l[ea]s?|une?|s[ao]n?|ses|leurs?|el|l[ao]s|una|sus?",
    re.IGNORECASE,
)
_INDEFINITE = re.compile(r"(?:an?|ein|eine|une?|una)\s+", re.IGNORECASE)
_NAMED = re.compile(
    r"\b(?:his|her|their|ihr|sein|son|su) (?:real |full )?(?:name|nom|nombre) (?:is|was|ist|est|es)\b", re.IGNORECASE
)
_STOPS = frozenset(
    "of in on at by with from for to who whom that which where whose when while and or but near between under "
    "above below beyond behind inside outside built perched named called known made found left has had is was "
    "as than von vom am im an auf aus bei mit zu zum zur der die das des dem den wo und oder aber ohne qui que "
    "où de du d à au aux avec sans en sur dans et ou mais con sin del al donde y o pero ".split()
)
# `A pair of boots` is about boots.
_MEASURES = frozenset("kind sort pair set coil piece bunch row collection couple art sorte paar paire par tipo".split())
_SUBJECTS = frozenset(
    "it this he she they here er sie es il elle ce c' él ella esto the der die das le la el los".split()
)


@dataclass(frozen=True, slots=True)
class NoteSection:
    """A section of a note as every reader may read it; `links` are the IDs of the notes that it links."""

    title: str
    text: str
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Guess:
    """The type that a note was taken for, the rule that spoke for it most, and the words that the rule found."""

    type: str
    rule: str
    words: str


@dataclass(frozen=True, slots=True)
class _Sign:
    """Something that speaks for a type of a note."""

    note_id: str
    type: str
    points: int
    rule: str
    words: str


class _Words:
    """The tables of `words.yaml`."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.nouns: dict[str, set[str]] = {}
        for kind, text in data["nouns"].items():
            for noun in text.split():
                self.nouns.setdefault(noun, set()).add(kind)
        self.ends = {end: kind for kind, text in data["ends"].items() for end in text.split()}
        self.titles = frozenset(data["titles"].split())
        self.signs = frozenset(data["signs"].split())
        self.first = _points(data["first"])
        self.then = _points(data["then"])
        self.stays = frozenset(data["stays"].split())
        self.acts = frozenset(data["acts"].split())
        self.pronouns = {word: points for points, text in data["pronouns"].items() for word in text.split()}
        self.headings = _listed(data["headings"])
        self.lists = _listed(data["lists"])
        self.keys = _listed(data["keys"])
        self.where = frozenset(map(str.strip, data["where"].split(",")))


def _points(data: Mapping[str, Mapping[int, str]]) -> dict[str, tuple[str, int]]:
    return {
        word: (kind, points) for kind, lines in data.items() for points, text in lines.items() for word in text.split()
    }


def _listed(data: Mapping[str, str]) -> dict[str, str]:
    return {words.strip(): kind for kind, text in data.items() for words in text.split(",")}


@cache
def _words() -> _Words:
    text = files("lorewright.generate.explore").joinpath("words.yaml").read_text(encoding="utf-8")
    return _Words(yaml.safe_load(text))


@cache
def _kinds_of(word: str) -> frozenset[str]:
    """Return the kinds that a noun may be of."""
    table = _words()
    low = word.casefold()
    for form in (low, low.removesuffix("s"), low.removesuffix("es"), low.rpartition("-")[2]):
        if form in table.nouns:
            return frozenset(table.nouns[form])
    longest = max((end for end in table.ends if low.endswith(end) and len(low) > len(end) + 1), key=len, default="")
    return frozenset({table.ends[longest]} if longest else ())


def is_told(entity: PackEntity, manifest: Manifest) -> bool:
    """Tell whether a note has its type from its author: from its text, tags, folder or the pack's manifest."""
    folders = PurePosixPath(entity.file_path).parts[:-1]
    if entity.type != UNTOLD:
        return not _is_disputed(entity, folders)
    above = {"/".join(folders[:depth]) for depth in range(1, len(folders) + 1)}
    if not above.isdisjoint(manifest.types) or type_of_tags(entity.tags) == UNTOLD:
        return True
    return next(iter(_types_of_folders(folders)), None) == UNTOLD


def _types_of_folders(folders: Sequence[str]) -> list[str]:
    """Return the types that the names of folders mean, the nearest first."""
    return [kind for part in reversed(folders) if (kind := type_of_words(part)) is not None]


def _is_disputed(entity: PackEntity, folders: Sequence[str]) -> bool:
    """Tell whether folders disagree on a note: it lies below one of people, and has another type by the name of the
    nearest, which is a phrase (`NPCs/Families of the Upper Terrace`). Its text then decides."""
    named = [part for part in folders if type_of_words(part) is not None]
    types = _types_of_folders(folders)
    if types[:1] != [entity.type] or entity.type == "npc" or type_of_tags(entity.tags) is not None:
        return False
    return "npc" in types and len(_WORD.findall(named[-1])) >= _PHRASE


def guess_types(
    entities: Mapping[str, PackEntity],
    texts: Mapping[str, Sequence[NoteSection]],
    untold: Iterable[str],
    where: Mapping[str, Sequence[str]],
) -> dict[str, Guess]:
    """Return a guess for each of the untold notes of which one can be made, in order. All of `texts` are read, as other
    notes tell of the untold ones; `where` holds the notes that a note's keys name as the place where it is."""
    wanted = list(untold)
    signs: dict[str, list[_Sign]] = {note_id: [] for note_id in wanted}
    for note_id, sections in texts.items():
        found = [*_signs_of_links(note_id, entities, sections)]
        found += [_Sign(place_id, "location", 3, "keys", "location") for place_id in where.get(note_id, ())]
        if note_id in signs:
            found += _signs_of_note(entities[note_id], sections, [entities[to] for s in sections for to in s.links])
        for sign in found:
            if sign.note_id in signs:
                signs[sign.note_id].append(sign)
    guesses = {note_id: _judge(signs[note_id]) for note_id in wanted}
    return {note_id: guess for note_id, guess in guesses.items() if guess is not None}


def _judge(signs: Sequence[_Sign]) -> Guess | None:
    """Return the type with the most points; None where it is nothing to visit, to talk to or to take."""
    by_rule: dict[tuple[str, str], int] = {}
    for sign in signs:
        key = sign.type, sign.rule
        by_rule[key] = min(max(_MOST_OF_A_SIGN, sign.points), by_rule.get(key, 0) + sign.points)
    totals: dict[str, int] = {}
    for (kind, _), points in by_rule.items():
        totals[kind] = totals.get(kind, 0) + points
    ranked = sorted(totals, key=lambda kind: -totals[kind])
    if not ranked or totals[ranked[0]] < _ENOUGH or (len(ranked) > 1 and totals[ranked[1]] == totals[ranked[0]]):
        return None
    best = max((sign for sign in signs if sign.type == ranked[0]), key=lambda sign: sign.points)
    return None if best.type == "read" else Guess(best.type, best.rule, best.words)


def find_homes(
    entities: Mapping[str, PackEntity], texts: Mapping[str, Sequence[NoteSection]]
) -> dict[str, tuple[str, ...]]:
    """Return for each note the places where texts say that it is: its own (`lives in NAME`), or the place's (`NAME sits
    at …`). `entities` are those that the texts are about, with their types."""
    own: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    for note_id, sections in texts.items():
        is_place = entities[note_id].type == "location"
        for section in sections:
            for target in dict.fromkeys(section.links):
                is_target = entities[target].type == "location"
                if is_place == is_target:
                    continue
                for before, _, after in _mentions(entities[target], section.text[:_MOST_READ]):
                    if is_place and after in _words().stays:
                        others.setdefault(target, []).append(note_id)
                    elif is_target and _lives(before):
                        own.setdefault(note_id, []).append(target)
    return {note_id: tuple(dict.fromkeys((*own.get(note_id, ()), *others.get(note_id, ())))) for note_id in texts}


def _lives(before: str) -> bool:
    words = [word.casefold() for word in _WORD.findall(re.split(r"[.!?;:]", before)[-1])][-5:]
    said = bool(words) and (_words().first.get(words[-1]) or _words().first.get(words[-2] if len(words) > 1 else ""))
    return bool(said and said[0] == "location" and not _words().stays.isdisjoint(words))


def where_of(entity: PackEntity) -> list[str]:
    """Return what the note's keys name as the place where it is, without the marks of links."""
    return [
        name.partition("|")[0].partition("#")[0].strip()
        for key, value in entity.attrs.items()
        if key.casefold().replace("_", " ") in _words().where
        for name in re.split(r"\]\]|\[\[|,", " , ".join(_flat(value)))
        if name.strip()
    ]


def _flat(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _flat(part)


# What a note tells of itself.


def _signs_of_note(
    entity: PackEntity, sections: Sequence[NoteSection], linked: Sequence[PackEntity]
) -> Iterator[_Sign]:
    def sign(kind: str, points: int, rule: str, words: str) -> _Sign:
        return _Sign(entity.id, kind, points, rule, words)

    yield from _signs_of_name(entity, sign)
    table = _words()
    for key in entity.attrs:
        if (kind := table.keys.get(key.casefold().replace("_", " "))) is not None:
            yield sign(kind, 3, "keys", key)
    for section in sections:
        if (kind := table.headings.get(section.title.casefold().strip(" :"))) is not None:
            yield sign(kind, 3, "headings", section.title)
    for kind in _types_of_folders(PurePosixPath(entity.file_path).parts[:-1]):
        yield sign(kind if kind in TAKEN else "read", 3 if kind == "npc" else 2, "folders", kind)
    for tag in entity.tags:
        for kind in _only(_kinds_of(tag.rpartition("/")[2])):
            yield sign(kind, 3, "tags", tag)
    text = "\n".join(section.text for section in sections)[:_MOST_READ]
    yield from _signs_of_prose(entity, text, linked, sign)


def _signs_of_name(entity: PackEntity, sign: Callable[[str, int, str, str], _Sign]) -> Iterator[_Sign]:
    table = _words()
    name = entity.name.partition("(")[0]
    said = [word for word in _WORD.findall(name) if len(word) > 1]
    if not said:
        return
    lows = [word.casefold() for word in said]
    if len(said) > 1 and lows[0] in table.titles and said[1][0].isupper():
        yield sign("npc", 4, "name", said[0])
    elif lows[0] in table.signs and len(said) > 1:
        yield sign("location", 4, "name", said[0])
    else:
        # `Abbey of St Ambrose` is an abbey; `Fort Hale` may be a fort, as `Dungeon Seeds` may be seeds.
        stop = next((at for at, low in enumerate(lows) if at and low in _STOPS), len(lows))
        for head, points in ((said[stop - 1], 3), (said[0], 2)):
            if kinds := _kinds_of(head):
                for kind in kinds:
                    yield sign(kind, (points + (kind == "read")) if len(kinds) == 1 else 1, "name", head)
                break


def _only(kinds: frozenset[str]) -> Iterable[str]:
    return kinds if len(kinds) == 1 else ()


def _signs_of_prose(
    entity: PackEntity, text: str, linked: Sequence[PackEntity], sign: Callable[[str, int, str, str], _Sign]
) -> Iterator[_Sign]:
    table = _words()
    own = {word.casefold() for name in (entity.name, *entity.aliases) for word in _WORD.findall(name)}
    others = {word for other in linked for word in _WORD.findall(other.name) if word[0].isupper()} - {
        word for name in (entity.name, *entity.aliases) for word in _WORD.findall(name)
    }
    parts = [part for part in _SENTENCE.split(text) if part.strip()]
    told = [_LIST.sub("", part).strip() for part in parts]
    speaks_of_others = False
    for number, sentence in enumerate(told):
        spoken = _QUOTED.sub(" ", sentence)
        said = _WORD.findall(spoken)
        if not said:
            continue
        first, second = said[0].casefold(), said[1].casefold() if len(said) > 1 else ""
        if number < _FIRST_SENTENCES and (
            head := _head_of(sentence, own, opening=number == 0 and parts[0][0].isalpha())
        ):
            for kind in (kinds := _kinds_of(head)):
                yield sign(kind, 4 if len(kinds) == 1 else 1, "sentence", head.casefold())
        if number < _FIRST_SENTENCES and _NAMED.match(sentence):
            yield sign("npc", 4, "sentence", "name")
        if first in table.pronouns and not speaks_of_others:
            yield sign("npc", table.pronouns[first], "pronouns", first)
        if first in table.acts and number < _FIRST_SENTENCES:
            yield sign("npc", 3, "acts", first)
        then = table.then.get(second) or (("npc", 2) if second in table.acts else None)
        if first in own and then is not None and then[1] > 1 and said[0][0].isupper():
            yield sign("npc", then[1] + 1, "acts", second)
        is_others = any(word in others for word in said) or any(
            "npc" in _kinds_of(word) and word.casefold() not in own for word in said[1:]
        )
        speaks_of_others = speaks_of_others or (is_others and first not in table.pronouns and number > -1)
    if told and (quote := _QUOTED.match(told[0])) is not None and _I.search(quote[0]):
        yield sign("npc", 2, "speech", "I")


def _head_of(sentence: str, own: set[str], *, opening: bool) -> str | None:
    """Return the noun by which a sentence calls its subject, the note's: `X is a small village on …`, and as the first
    of a note also `A small village on …` and `Small village.`; None where it calls it nothing known."""
    being = _BE.search(sentence)
    subject = _WORD.findall(sentence[: being.start()]) if being is not None else []
    if (
        being is not None
        and len(subject) <= _MOST_WORDS
        and all(word.casefold() in own or word.casefold() in _SUBJECTS for word in subject)
    ):
        phrase = sentence[being.end() :].lstrip()
        article = _ARTICLE.match(phrase)
        return _noun_in(phrase[article.end() :]) if article is not None else None
    if not opening:
        return None
    indefinite = _INDEFINITE.match(sentence)
    if indefinite is not None:
        return _noun_in(sentence[indefinite.end() :])
    plain = _phrase_of(sentence)
    # `Opens any lock` begins with a verb.
    is_deed = len(plain) > 1 and plain[0].endswith("s")
    is_phrase = 0 < len(plain) <= 4 and not is_deed and not _ARTICLE.match(sentence)
    return plain[-1] if is_phrase and _kinds_of(plain[-1]) else None


def _noun_in(phrase: str) -> str | None:
    """Return the last known noun of the phrase that a text begins with."""
    words = _phrase_of(phrase)
    if words and words[-1].casefold() in _MEASURES:
        rest = phrase[phrase.find(words[-1]) + len(words[-1]) :]
        words = _phrase_of(rest.lstrip().partition(" ")[2])
    return next((word for word in reversed(words) if _kinds_of(word)), None)


def _phrase_of(text: str) -> list[str]:
    """Return the words before the first preposition, relative or sign."""
    words: list[str] = []
    for part in re.split(r"\s+", text[:200]):
        word = _WORD.match(part.strip('“"«*_'))
        if word is None or word[0].casefold() in _STOPS:
            break
        words.append(word[0])
        if part[len(word[0]) :].strip("*_"):
            break
    return words[:_MOST_WORDS]


# What the notes that link a note tell of it.


def _signs_of_links(
    note_id: str, entities: Mapping[str, PackEntity], sections: Sequence[NoteSection]
) -> Iterator[_Sign]:
    """Yield the signs that a note gives of the notes that it links, or names as the place where it is."""
    table = _words()
    for section in sections:
        title = section.title.casefold().strip(" :")
        listed = table.lists.get(title) or (type_of_words(title) if len(title.split()) <= 3 else None)
        for target in dict.fromkeys(section.links):
            if target == note_id or target not in entities:
                continue
            if title and listed in TAKEN:
                yield _Sign(target, str(listed), 3, "list", section.title)
            yield from _signs_near(entities[target], section.text[:_MOST_READ])


def _signs_near(entity: PackEntity, text: str) -> Iterator[_Sign]:
    """Yield the signs before and after the names of a note in another's text."""
    for before, name, after in _mentions(entity, text):
        yield from _signs_before(entity.id, name, before)
        if (found := _words().then.get(after)) is not None:
            yield _Sign(entity.id, found[0], found[1], "after", after)


def _mentions(entity: PackEntity, text: str) -> Iterator[tuple[str, str, str]]:
    """Yield each name of a note in a text: the text before it in the line, the name, the word that follows directly."""
    pattern = _pattern_of(frozenset((entity.name, *entity.aliases)))
    for match in pattern.finditer(text) if pattern is not None else ():
        before = text[max(0, match.start() - _NEAR) : match.start()].rpartition("\n")[2].rstrip('“"«*_ ')
        after = _AFTER.match(text, match.end())
        yield before, match[0], after[1].casefold() if after is not None else ""


@lru_cache(maxsize=4_096)
def _pattern_of(names: frozenset[str]) -> re.Pattern[str] | None:
    said = "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)) if len(name) > 1)
    return re.compile(rf"(?<!\w)(?:{said})(?!\w)", re.IGNORECASE) if said else None


def _signs_before(note_id: str, name: str, before: str) -> Iterator[_Sign]:
    table = _words()
    words = [word.casefold() for word in _WORD.findall(before)]
    has_article = bool(words) and _ARTICLE.fullmatch(words[-1]) is not None
    if has_article:
        words.pop()
    if not words:
        return
    last, ends = words[-1], before.rstrip()[-1:]
    if ends in ".!?;":
        return
    if (found := table.first.get(last)) is not None and ends != ",":
        shown = f"{last} the {name}" if has_article else f"{last} {name}"
        yield _Sign(note_id, found[0], found[1], "before", shown)
    # `The innkeeper Marta`, `owner: Teo`, `the village of Tollin`; but not `see Tollin`.
    called = words[-2] if last in ("of", "von", "de") and len(words) > 1 else last
    said = _WORD.findall(before)[-5:]
    is_noun = ends == ":" or called.capitalize() in said or any(_DETERMINER.fullmatch(word) for word in said[:-1])
    if is_noun and not has_article and (kinds := _kinds_of(called)) and ends != "—":
        for kind in _only(kinds):
            if (called == last and (kind == "npc" or ends != ",")) or (called != last and kind == "location"):
                yield _Sign(note_id, kind, 3, "called", called)
