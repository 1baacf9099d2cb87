"""A noun phrase -> the candidate in scope that it names, or a tie between several.

A typo is corrected only against what is in scope; adjectives and articles do not count; what is present is preferred.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Literal

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from lorewright.builtin.words.clauses import lexicon
from lorewright.builtin.words.english import are_other_words
from lorewright.scene_lore.nouns import is_ambient, is_everybodys, may_name_a_thing, singular
from lorewright.values.scope import Named, Scope, WayOut

Kind = Literal["person", "thing", "door", "place", "exit", "scenery"]
_WORDS = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_CUTS = frozenset(
    "from on in at with by of near behind under to off inside for into around over against through down marked labelled"
    " labeled called named signed addressed that which".split()
)

FUZZY_MINIMUM = 80.0
FUZZY_LENGTH = 4
# Ranks of how well a phrase fits a name, best first, with the confidence of the reading.
NAME, ALIAS, HEAD, PART, LOOSE, FUZZY = 6, 5, 4, 3, 2, 1
CONFIDENCE = {NAME: 1.0, ALIAS: 1.0, HEAD: 0.95, PART: 0.85, LOOSE: 0.8, FUZZY: 0.85}


@dataclass(frozen=True, slots=True)
class Key:
    """One way to name a candidate: its words, and the name to show where this one was meant."""

    words: tuple[str, ...]
    label: str
    main: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A person, thing or place that a phrase may name. For a way out `id` is the place that it leads to; it `is_shut`
    where its door is locked."""

    id: str
    kind: Kind
    name: str
    keys: tuple[Key, ...]
    pronoun: str = "they"
    is_shut: bool = False


@dataclass(frozen=True, slots=True)
class PhraseMatch:
    """The one candidate that was meant, by which of its names, and the confidence (0..1)."""

    candidate: Candidate
    label: str
    confidence: float
    mended: bool = False


@dataclass(frozen=True, slots=True)
class Tie:
    """Candidates that fit equally well."""

    matches: tuple[PhraseMatch, ...]


@dataclass(frozen=True, slots=True)
class Nouns:
    """The scope as candidates. `known_*` have been heard of and are not here. `scenery` is what the prose shows and no
    entity stands for, each name once; its candidates have no ID, and are no part of `everything`. Only where
    `knows_scenery` can it be said that something is not here. `seen_at` is where the player was with people last."""

    player: Candidate
    place: Candidate
    people: tuple[Candidate, ...]
    here: tuple[Candidate, ...]
    carried: tuple[Candidate, ...]
    doors: tuple[Candidate, ...]
    exits: tuple[Candidate, ...]
    known_people: tuple[Candidate, ...]
    known_things: tuple[Candidate, ...]
    known_places: tuple[Candidate, ...]
    scenery: tuple[Candidate, ...] = ()
    # Other words of the prose, by which a thing may be meant.
    prose_words: tuple[Candidate, ...] = ()
    knows_scenery: bool = False
    seen_at: Mapping[str, str] = field(default_factory=dict)

    @property
    def things(self) -> tuple[Candidate, ...]:
        """Return what can be touched: what lies here, then what is carried."""
        return self.here + self.carried

    def everything(self) -> tuple[Candidate, ...]:
        """Return all of the candidates, those present first."""
        present = (self.player, self.place, *self.people, *self.things, *self.doors, *self.exits)
        return present + self.known_people + self.known_things + self.known_places


def nouns_of(scope: Scope) -> Nouns:
    """Return the candidates of a scope; those present are not repeated among the known ones."""
    present = (scope.player, scope.place, *scope.people, *scope.here, *scope.carried, *scope.doors)
    taken = {named.id for named in present}
    known = [named for named in scope.topics if named.id not in taken]
    doors = {door.id: door for door in scope.doors}
    return Nouns(
        player=_candidate(scope.player),
        place=_candidate(scope.place),
        people=tuple(_candidate(person) for person in scope.people if person.id != scope.player.id),
        here=tuple(_candidate(thing) for thing in scope.here),
        carried=tuple(_candidate(thing) for thing in scope.carried),
        doors=tuple(_candidate(door) for door in scope.doors),
        exits=tuple(_way(way, doors.get(way.door or "")) for way in scope.exits),
        known_people=tuple(_candidate(entity) for entity in known if entity.kind == "person"),
        known_things=tuple(_candidate(entity) for entity in known if entity.kind in ("thing", "door")),
        known_places=tuple(_candidate(entity) for entity in known if entity.kind == "place"),
        scenery=_named_in_prose(scope, sure=True),
        prose_words=_named_in_prose(scope, sure=False),
        knows_scenery=scope.scenery is not None,
        seen_at=scope.seen_at,
    )


def _candidate(named: Named) -> Candidate:
    keys = [Key(key_words(named.name), named.name, main=True)]
    keys += [Key(key_words(alias), named.name) for alias in named.aliases]
    keys += [other for key in keys if (other := _with_figures(key)) is not None]
    if named.kind == "person":
        called = frozenset(word for key in keys for word in key.words)
        keys += [Key(calling, named.name) for calling in _callings(called)]
    return Candidate(named.id, named.kind, named.name, tuple(key for key in keys if key.words), named.pronoun)


def _with_figures(key: Key) -> Key | None:
    """Return a name with its number in words for the figure, or in figures for the word: `room twelve`."""
    words = tuple(_other_numbers().get(word, word) for word in key.words)
    return None if words == key.words else Key(words, key.label)


@cache
def _other_numbers() -> Mapping[str, str]:
    numbers = lexicon().numbers.items()
    figures = {word: f"{value:g}" for word, value in numbers if value > 1 and word not in ("few", "couple")}
    return figures | {figure: word for word, figure in figures.items()}


@lru_cache(maxsize=512)
def _callings(names: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    """Return other words for the calling of somebody in whose names one stands."""
    return tuple(
        calling
        for callings in lexicon().callings
        if any(calling[0] in names for calling in callings if len(calling) == 1)
        for calling in callings
    )


def _way(way: WayOut, door: Named | None) -> Candidate:
    keys = [
        Key(key_words(way.name), way.name, main=True),
        Key(key_words(way.to_name), way.to_name, main=True),
    ]
    keys += [Key(key_words(alias), way.name) for alias in way.to_aliases]
    if door is not None:
        keys += [Key(key_words(name), door.name) for name in (door.name, *door.aliases)]
    keys += [other for key in keys if (other := _with_figures(key)) is not None]
    return Candidate(way.to, "exit", way.name, tuple(key for key in keys if key.words), is_shut=way.locked)


def _named_in_prose(scope: Scope, *, sure: bool) -> tuple[Candidate, ...]:
    names = (noun.name for noun in scope.scenery or () if noun.is_sure == sure)
    return tuple(map(_scenery, dict.fromkeys(names)))


@lru_cache(maxsize=4096)
def _scenery(name: str) -> Candidate:
    return Candidate("", "scenery", name, (Key(tuple(name.split()), name, main=True),), "it")


# The names of a scope are taken apart for every line that is read in it.
@lru_cache(maxsize=1024)
def key_words(text: str) -> tuple[str, ...]:
    """Return the words that count in a name or phrase: case, accents, hyphens and articles at its start do not."""
    plain = unicodedata.normalize("NFKD", text.replace("’", "'").casefold())
    words = _WORDS.findall("".join(char for char in plain if not unicodedata.combining(char)))
    start = 0
    while start < len(words) - 1 and words[start] in lexicon().articles:
        start += 1
    return tuple(words[start:])


def resolve(
    phrase: str, present: Iterable[Candidate], known: Iterable[Candidate] = (), *, whole: bool = False
) -> PhraseMatch | Tie | None:
    """Return the best candidate for the phrase, a Tie between equals, or None where nothing fits.

    Where nothing fits, the words before a preposition are tried (`the unit on the shelf`), unless `whole`.
    """
    words, here, heard = key_words(phrase), tuple(present), tuple(known)
    if len(words) > 1 and words[0] in TITLED:
        here, heard = (tuple(each for each in candidates if _may_be(each, words)) for candidates in (here, heard))
    if len(words) > 1 and words[-1] in ("one", "ones"):
        words = words[:-1]  # `the red one`
    found = _best(words, here, heard)
    is_slip = isinstance(found, PhraseMatch) and found.mended
    for other in {singular(words[-1]), f"{words[-1]}s"} - {words[-1]} if words and (found is None or is_slip) else ():
        # Of several of a kind one stands for all of them, and they for it.
        several = _best((*words[:-1], other), here, heard)
        if isinstance(several, PhraseMatch) and not several.mended:
            found = several
    if whole or (found is not None and not _is_loose(found)):
        return found
    cut = next((index for index, word in enumerate(words) if index and word in _CUTS), len(words))
    head = _best(words[:cut], here, heard) if cut < len(words) else None
    is_beside = words[cut : cut + 1] and words[cut] in _BESIDE and not set(words[:cut]) & _SORTS
    if head is None and is_beside and isinstance(found, PhraseMatch) and found.candidate.kind not in ("exit", "place"):
        # Of `a mango for Viktor` the mango is meant, and nobody who only has to do with it.
        return None
    return head or found


def _may_be(candidate: Candidate, words: Sequence[str]) -> bool:
    """Tell whether the title in a phrase is none that somebody cannot have: a nephew is no `Miss Orme`."""
    is_other = candidate.kind == "person" and candidate.pronoun not in (TITLED[words[0]], "they", "it")
    return not is_other or any(key.words == tuple(words) for key in candidate.keys)


# The pronoun of who has a title.
TITLED = dict(zip("miss mrs ms madam mr mister sir".split(), ("she",) * 4 + ("he",) * 3, strict=True))
# What follows these only has to do with the noun before them.
_BESIDE = frozenset("for from with in on off under inside into to over against behind near by".split())
# Words for people, of whom what follows tells which one is meant.
_SORTS = frozenset(
    "man woman guy girl boy person people lady gentleman fellow bloke lad lass one somebody someone anybody everyone"
    " him her them it".split()
)


def _is_loose(found: PhraseMatch | Tie) -> bool:
    """Tell whether only the last word fits: that may belong to what comes after a preposition."""
    return isinstance(found, PhraseMatch) and found.confidence == CONFIDENCE[LOOSE]


# A noun phrase -> what it says of the prose: it shows the thing, or nothing of that name is here.

_PARTS = frozenset(
    (*_CUTS, "above", "below", "beside", "between", "beyond", "across", "along", "beneath", "outside", "up")
)


@dataclass(frozen=True, slots=True)
class ProseNoun:
    """What a phrase names that is no entity, by its name in the prose, else as it was typed. It is `shown` by the
    prose, `ambient` (at every place, or on everybody, said or not), or `absent`."""

    name: str
    standing: Literal["shown", "ambient", "absent"]


def in_prose(phrase: str, nouns: Nouns) -> ProseNoun | None:
    """Return what a phrase that fits no entity names; None where that is not known, or it does not read as a thing."""
    if not nouns.knows_scenery:
        return None
    phrase = phrase.partition(" out of ")[0]
    measure, _, stuff = phrase.casefold().partition(" of ")
    phrase = stuff if stuff and measure.split()[-1:] and measure.split()[-1] in MEASURES else phrase
    words = _core(phrase)
    while len(words) > 1 and (words[0] in lexicon().numbers or words[0] in _VAGUE):
        words = words[1:]
    owner = max((at for at, word in enumerate(words) if "'" in word), default=-1)
    words = words[owner + 1 :]
    of_mine = re.search(r"^my ([\w' ]+)$|\bof my ([\w' ]+)$", phrase, re.IGNORECASE)
    named = " ".join(filter(None, of_mine.groups())).casefold().split() if of_mine else ()
    is_mine = any({word, singular(word)} & lexicon().body for word in named)
    is_own = owner < 0 and bool(words) and (is_mine or is_everybodys(words[-1]))
    match = None if is_own else scenery_named(phrase, nouns.scenery) or scenery_named(phrase, nouns.prose_words)
    if match is None and not is_own and words:
        # Another word for what is shown.
        likes = (scenery_named(like, nouns.scenery) for like in lexicon().likes.get(singular(words[-1]), ()))
        match = next(filter(None, likes), None)
    if match is not None and exact(match.label, nouns.people + nouns.known_people) is None:
        return ProseNoun(match.label, "shown")
    if owner >= 0 and words and is_everybodys(words[-1]):
        # `the hen's head` is the hen's, where one is shown.
        held = scenery_named(re.split(r"['’]", phrase)[0], nouns.scenery)
        if held is not None and exact(held.label, nouns.people + nouns.known_people) is None:
            return ProseNoun(held.label, "shown")
    if owner >= 0 and words and (is_everybodys(words[-1]) or singular(words[-1]) in lexicon().worn):
        return ProseNoun(" ".join(words), "ambient")
    if not may_name_a_thing(words) or len(words) > 3:
        return None
    name = " ".join(_as_typed(word, phrase) for word in words)
    # What one has is not missing, nor is a part of it: `the credstick's balance`.
    whole = re.split(r"['’]s? ", phrase)[0] if owner >= 0 else name
    is_had = isinstance(resolve(whole, nouns.carried, whole=True), PhraseMatch)
    is_plain = is_own or is_had or is_ambient(words[-1]) or is_found_here(words[-1], nouns)
    return ProseNoun(name, "ambient" if is_plain else "absent")


# So much of a thing is that thing: `bit of toast`.
MEASURES = frozenset(
    "bit piece slice handful pinch drop lot couple pair one some all part rest corner scrap lump spoonful dash splash"
    " blob mouthful sheet strand".split()
)
# Words before a noun that name nothing of it.
_VAGUE = frozenset("all the whole entire sure whatever whichever any every each both several more other".split())


def is_found_here(noun: str, nouns: Nouns) -> bool:
    """Tell whether a plain thing may be taken to be here, though nothing says so: what everybody wears, and what goes
    with the place or with something that is shown: pens on a desk."""
    one, lex = singular(noun), lexicon()
    if one in lex.worn:
        return True
    hosts = lex.found_with.get(one, frozenset())
    named = (word for named in (nouns.place, *nouns.things, *nouns.doors) for key in named.keys for word in key.words)
    shown = (singular(_head(candidate)) for candidate in nouns.scenery)
    return bool(hosts) and not hosts.isdisjoint((*named, *shown))


def words_shown(nouns: Nouns) -> set[str]:
    """Return the words for what the prose shows, and other words by which players call that."""
    among = (*nouns.scenery, *nouns.prose_words)
    words = {word for noun in among for key in noun.keys for word in key.words}
    return words | {word for word, likes in lexicon().likes.items() if not words.isdisjoint(likes)}


def scenery_named(phrase: str, scenery: Iterable[Candidate]) -> PhraseMatch | None:
    """Return the scenery that a phrase names, by its last word, and as much of its name as was typed; the whole name
    counts for more, and a slip of the hand in a long word does no harm. Of `the edge of the bed` it is the bed where no
    edge is shown."""
    among = tuple(scenery)
    parts = [_core(phrase), *(_core(part) for part in phrase.casefold().split(" of ")[1:])]
    for words in parts if among else ():
        head = singular(words[-1]) if words else ""
        found = [candidate for candidate in among if singular(_head(candidate)) == head] or [
            candidate for candidate in among if _is_slip(head, singular(_head(candidate)))
        ]
        if found:
            best = max(found, key=lambda candidate: len(set(words) & set(candidate.keys[0].words)))
            kept = [word for word in words[:-1] if word in best.keys[0].words]
            return PhraseMatch(best, " ".join((*kept, _head(best))), CONFIDENCE[HEAD])
    return None


def _core(phrase: str) -> tuple[str, ...]:
    """Return the words of a phrase without small ones before them and without what follows a preposition."""
    words = key_words(phrase)
    while words and (words[0] in _PARTS or words[0] in lexicon().articles):
        words = words[1:]
    return words[: next((at for at, word in enumerate(words) if word in _PARTS), len(words))]


def _head(candidate: Candidate) -> str:
    return candidate.keys[0].words[-1]


def _is_slip(typed: str, word: str) -> bool:
    """Tell whether a letter is missing, doubled or out of its place; another letter makes another word."""
    if len(typed) < 5 or typed[:1] != word[:1] or abs(len(typed) - len(word)) > 1:
        return False
    return _are_swapped(typed, word) or (len(typed) != len(word) and OSA.distance(typed, word, score_cutoff=1) <= 1)


def _as_typed(word: str, phrase: str) -> str:
    return next((typed for typed in _WORDS.findall(phrase) if typed.casefold() == word), word)


def exact(phrase: str, candidates: Iterable[Candidate]) -> PhraseMatch | None:
    """Return the candidate with exactly this name or alias."""
    words = key_words(phrase)
    for candidate in candidates:
        for key in candidate.keys:
            if words and key.words == words:
                return PhraseMatch(candidate, key.label, 1.0)
    return None


@dataclass(frozen=True, slots=True)
class _Score:
    rank: int
    likeness: float
    order: int
    key: Key
    candidate: Candidate

    @property
    def value(self) -> tuple[float, float, int]:
        # What was only heard of counts less, unless it was named in full.
        handicap = 1.5 if self.order and self.rank < NAME else 0.0
        return (self.rank - handicap, self.likeness, -self.order)


def _best(words: tuple[str, ...], present: Sequence[Candidate], known: Sequence[Candidate]) -> PhraseMatch | Tie | None:
    if not words:
        return None
    pairs = [(candidate, 0) for candidate in present] + [(candidate, 1) for candidate in known]
    scores = [score for candidate, order in pairs if (score := _score(words, candidate, order))]
    if not scores:
        return None
    best = max(score.value for score in scores)
    equals: dict[str, _Score] = {}
    for score in scores:
        if score.value == best:
            equals.setdefault(score.candidate.id, score)
    matches = tuple(_match(score) for score in equals.values())
    if len({key_words(match.label) for match in matches}) == 1:
        return matches[0]  # no typed words would tell them apart
    return Tie(matches)


def _match(score: _Score) -> PhraseMatch:
    # A first name is as good as a last one.
    person = score.rank == PART and score.candidate.kind == "person" and score.key.main
    confidence = CONFIDENCE[HEAD] if person else CONFIDENCE[score.rank]
    return PhraseMatch(score.candidate, score.key.label, confidence, mended=confidence < CONFIDENCE[HEAD])


def _score(words: tuple[str, ...], candidate: Candidate, order: int) -> _Score | None:
    fits = [(rank, likeness, key) for key in candidate.keys for rank, likeness in [_rate_fit(words, key)] if rank]
    if candidate.kind != "person":
        fits = [fit for fit in fits if fit[0] != FUZZY or not are_other_words(words, fit[2].words)]
    else:
        # The water is no part of what a water clerk is called by.
        fits = [fit for fit in fits if fit[0] != PART or fit[2].main or words[-1] in _heads(fit[2])]
        # Nor are taps alone the traveller in taps.
        fits = [fit for fit in fits if fit[0] != HEAD or len(words) > 1 or fit[2].main or words[0] in _heads(fit[2])]
    if not fits:
        return None
    rank, likeness, key = max(fits, key=lambda fit: fit[:2])
    return _Score(rank, likeness, order, key, candidate)


def _heads(key: Key) -> tuple[str, ...]:
    """Return the word of a name that says who or what its bearer is: `man` of `man from the board`."""
    cut = next((at for at, word in enumerate(key.words) if at and word in _CUTS), len(key.words))
    return key.words[cut - 1 : cut]


def _rate_fit(words: tuple[str, ...], key: Key) -> tuple[int, float]:
    """Return rank and likeness (whole percents, for typos) of a phrase against one name; rank 0: no fit."""
    if words == key.words:
        return (NAME if key.main else ALIAS), 100.0
    if set(words) <= set(key.words) and not set(words) <= _CUTS:
        return (HEAD if words[-1] == key.words[-1] else PART), 100.0
    if words[-1] == key.words[-1] and not any(word.endswith("'s") for word in words):
        return LOOSE, 100.0
    likeness = _likeness(words, key.words)
    return (FUZZY, likeness) if likeness >= FUZZY_MINIMUM else (0, 0.0)


# A phrase is compared with all names in scope, and by several readings of a line.
@lru_cache(maxsize=4096)
def _likeness(words: tuple[str, ...], key: tuple[str, ...]) -> float:
    phrase, name = " ".join(words), " ".join(key)
    if len(phrase) < FUZZY_LENGTH:
        return 0.0
    if _are_swapped(phrase, name) or any(_are_swapped(phrase, word) for word in key):
        return 90.0
    whole = _rate_typo(phrase, name)
    if len(words) > 1:
        return float(round(whole))
    return float(round(max([whole, *(_rate_typo(phrase, word) for word in key if len(word) >= FUZZY_LENGTH)])))


def _rate_typo(typed: str, name: str) -> float:
    """Return the likeness to a name; 0 where more letters are wrong than a slip makes: `door` is no `doctor`."""
    most = max(1, len(typed) // FUZZY_LENGTH)
    if abs(len(typed) - len(name)) > most:
        return 0.0
    return fuzz.ratio(typed, name) if OSA.distance(typed, name, score_cutoff=most) <= most else 0.0


def _are_swapped(typed: str, name: str) -> bool:
    """Tell whether two neighbouring letters changed places, the commonest slip of all."""
    if len(typed) != len(name) or typed == name:
        return False
    at = next(index for index, letter in enumerate(typed) if letter != name[index])
    return typed[at : at + 2] == name[at : at + 2][::-1] and typed[at + 2 :] == name[at + 2 :]


# Words for people of a sort -> the pronoun that fits them.
PRONOUNS_OF_SORTS = dict.fromkeys(("man", "guy", "bloke", "fellow", "fella", "lad", "gentleman"), "he") | dict.fromkeys(
    ("woman", "lady", "lass", "gentlewoman"), "she"
)


def pronoun_fits(candidate: Candidate, word: str) -> bool:
    """Tell whether a pronoun fits a person; of whom nothing is known, any fits."""
    wanted = PRONOUNS_OF_SORTS.get(word) or {"him": "he", "he": "he", "her": "she", "she": "she"}.get(word)
    return wanted is None or candidate.pronoun in (wanted, "they")
