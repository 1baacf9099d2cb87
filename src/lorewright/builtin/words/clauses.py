"""Clauses: the player's text -> clauses of words, cut where another act begins; the words that the parser knows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal, get_args

from lorewright.rules.actions import Action
from lorewright.rules.verbs import Verb, verbs
from lorewright.scene_lore.nouns import is_noun_in_ly
from lorewright.shipped_tables import read_table
from lorewright.values.same import Same

# Names in sentences: articles, lists, capitals; and what must not stand in a sentence.

_DETERMINED = re.compile(r"(?:the|a|an|my|your|his|her|its|their|our|some)\s|\S+['’]s?\s", re.IGNORECASE)


def with_article(name: str) -> str:
    """Return `the steel door` for `steel door`, `the Neon Dragon` for `The Neon Dragon`; `Viktor's key` stays."""
    if name.lower().startswith("the "):
        return "the " + name[4:]
    return name if _DETERMINED.match(name) else f"the {name}"


def place_name(name: str) -> str:
    """Return a place in the middle of a sentence: names stay as they are, common nouns get an article."""
    return with_article(name) if name[:1].islower() or name.lower().startswith("the ") else name


def with_callings(text: str) -> str:
    """Return a text with the other words for each calling in it after it: `the cop` also says constable."""
    # All of them are nobody: one calls the police, and not a constable whom nobody has named.
    said = set(text.casefold().split()) - {"police"}
    rows = (row for row in lexicon().callings if any(len(name) == 1 and name[0] in said for name in row))
    return " . ".join((text, *(" ".join(name) for row in rows for name in row)))


def listed(names: Sequence[str], *, limit: int = 4) -> str:
    """Return `a, b and c`; names over the limit become `others`. Where a name has a comma of its own, semicolons
    separate.
    """
    shown = list(names) if len(names) <= limit else [*names[: limit - 1], "others"]
    if any("," in name for name in shown) and len(shown) > 1:
        return "; ".join([*shown[:-1], f"and {shown[-1]}"])
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


@lru_cache(maxsize=256)
def capitalised(text: str) -> str:
    """Return the text with its first letter raised; quotation marks before it do not count."""
    match = re.search(r"[^\W\d_]", text)
    if match is None or text[: match.start()].strip(" “‘\"'("):
        return text
    return text[: match.start()] + match.group().upper() + text[match.end() :]


def is_called(words: str, *names: str) -> bool:
    """Tell whether words mean the bearer of one of the names: the name, or some words of it (`the umbrella`: Lost
    umbrella).
    """
    said = _name_words(words)
    return bool(said) and any(said <= _name_words(name) for name in names)


def _name_words(name: str) -> set[str]:
    return set(name.casefold().split()) - {"the", "a", "an", "of", "and"}


# Lexicon: lexicon.yaml -> the words that the interpreter knows, read once.


Phrase = tuple[str, ...]
Risk = Literal["violence", "sensitive", "contested", "dangerous", "pursuit", "hostile_present"]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Phrases that begin a clause, longest first, each with its phrasing, and the closed classes of small words; lower
    case.
    """

    verbs: tuple[tuple[Phrase, Phrasing], ...]
    verb_phrases: tuple[Phrase, ...]
    # Of them, what is followed by what it is about.
    topic_verbs: frozenset[Phrase]
    verb_words: frozenset[str]
    before_verbs: frozenset[str]
    lead_ins: tuple[Phrase, ...]
    inside: tuple[Phrase, ...]
    toward: tuple[Phrase, ...]
    question_words: tuple[Phrase, ...]
    everything: tuple[Phrase, ...]
    about: frozenset[str]
    articles: frozenset[str]
    adverbs: frozenset[str]
    topic_head: frozenset[str]
    topic_tail: frozenset[str]
    person_pronouns: frozenset[str]
    thing_pronouns: frozenset[str]
    self_words: frozenset[str]
    whole_place: frozenset[str]
    halting: frozenset[str]
    directions: Mapping[str, str]
    numbers: Mapping[str, float]
    risks: tuple[tuple[Risk, frozenset[str]], ...]
    spellings: Mapping[str, str]
    noise: frozenset[str]
    parting: frozenset[str]
    homophones: Mapping[str, Mapping[str, str]]
    calls: frozenset[str]
    tails: tuple[Phrase, ...]
    body: frozenset[str]
    statements: Mapping[str, frozenset[str]]
    said: tuple[Phrase, ...]
    address: tuple[Phrase, ...]
    callings: tuple[tuple[Phrase, ...], ...]
    saying: frozenset[str]
    # Other words by which players call what a text shows.
    likes: Mapping[str, tuple[str, ...]]
    # Plain things -> what they go with: a place, or something that is shown; and what everybody may have on.
    found_with: Mapping[str, frozenset[str]]
    holders: frozenset[str]
    fires: frozenset[str]
    thefts: frozenset[str]
    worn: frozenset[str]
    # How something is done, after `with`.
    manners: frozenset[str]
    pasts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Phrasing:
    """Phrases that begin a clause, commas between them, and the function that reads the rest of it.

    The longest phrase goes first; of equally long ones of different phrasings that with the lower `order`. The first
    phrasing of a verb is the one by which it is read where another verb turns out to be meant as this one.
    """

    order: int
    phrases: str
    # A `readings.Frame`, which stands above this module.
    read: Callable[..., Any]
    # It may go on with a topic, which keeps its adverbs: they are what somebody says.
    has_topic: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """What a verb is to the parser beside its own phrases: a part of its record. Where no verb has what is looked for,
    the parser does without.
    """

    # It takes a way out: what is no more than the name of one is read as this verb.
    is_travel: bool = False
    # It lets go of what is carried: `leave the bag`.
    is_putting_down: bool = False
    # It takes a thing in hand: `take the bag`.
    is_picking_up: bool = False
    # It hands somebody a thing: `throw the key to viktor`.
    is_handing_over: bool = False
    # Reads that somebody is told to do something: context, the person, what they are to do.
    request: Callable[..., Any] | None = None
    # Reads a line that offers something on a condition.
    bargain: Callable[..., Any] | None = None
    # Reads words said to somebody, to the only person here where nobody is named: context, the clause, the person or
    # None, what is said.
    speech: Callable[..., Any] | None = None
    # Reads words said to somebody as a civility, where they are no more than that; takes what `speech` takes.
    civility: Callable[..., Any] | None = None
    # Read a claim about what was said or promised and a question after it; both take what `speech` takes.
    claim: Callable[..., Any] | None = None
    # Reads any other statement said to somebody; takes what `speech` takes.
    remark: Callable[..., Any] | None = None
    record: Callable[..., Any] | None = None
    # Reads a word that begins no clause as something done to what is named: context, the words.
    anything: Callable[..., Any] | None = None
    # Reads what is done with one's own body: context, the words.
    posture: Callable[..., Any] | None = None
    # Reads a step up to somebody or something here: context, the words, the person or None.
    approach: Callable[..., Any] | None = None
    # Tells whether two of its actions, one after the other, are one.
    continues: Callable[[Action, Action], bool] | None = None
    # Place in the sentence that lists what can be done at all; 0: not in it.
    listed: int = 0
    # The risk of which its name is a word.
    risk: Risk | None = None
    # What it puts on record, and the words that ask after that.
    recorded: tuple[str, tuple[str, ...]] | None = None


# Repeats the last input.
AGAIN = frozenset(("g", "again", "repeat"))


def phrasings() -> list[Phrasing]:
    """Return the phrasings of all verbs, in their order."""
    found = (part for verb in verbs().values() for part in verb.parts if isinstance(part, Phrasing))
    return sorted(found, key=lambda phrasing: phrasing.order)


def syntaxes() -> list[Syntax]:
    """Return what the verbs are to the parser, by their ranks."""
    return [part for verb in verbs().values() if (part := verb.part(Syntax)) is not None]


def find_posture() -> Callable[..., Any] | None:
    """Return what reads words as a posture, an act of no consequence; None where no verb does."""
    return next((syntax.posture for syntax in syntaxes() if syntax.posture is not None), None)


def find_bargain() -> Callable[..., Any] | None:
    """Return what reads a line that offers something on a condition; None where no verb does."""
    return next((syntax.bargain for syntax in syntaxes() if syntax.bargain is not None), None)


def verb_with(has: Callable[[Syntax], object]) -> Verb | None:
    """Return the first verb that is something to the parser; None where none is."""
    return next((verb for verb in verbs().values() if (part := verb.part(Syntax)) is not None and has(part)), None)


@cache
def lexicon() -> Lexicon:
    """Return the shipped lexicon."""
    data: Mapping[str, Any] = read_table(__package__, "lexicon.yaml")
    opening = [(phrase, part) for part in phrasings() for phrase in _phrases(part.phrases.split(", "))]
    texts = [*(" ".join(phrase) for phrase, _ in opening), *AGAIN]
    named = [(verb.name, part) for verb in verbs().values() if (part := verb.part(Syntax)) is not None]
    return Lexicon(
        verbs=tuple(sorted(opening, key=lambda verb: -len(verb[0]))),
        verb_phrases=_phrases(texts),
        topic_verbs=frozenset(phrase for phrase, phrasing in opening if phrasing.has_topic),
        verb_words=frozenset(text for text in texts if " " not in text),
        before_verbs=frozenset((*data["before_verbs"], *(name for name, part in named if part.is_travel))),
        lead_ins=_phrases(_flat(data["lead_ins"])),
        inside=_phrases(data["inside"]),
        toward=_phrases(data["toward"]),
        question_words=_phrases(data["question_words"]),
        everything=_phrases(data["everything"]),
        person_pronouns=frozenset(data["pronouns"]["person"]),
        thing_pronouns=frozenset(data["pronouns"]["thing"]),
        self_words=frozenset(data["self"]),
        directions=data["directions"],
        numbers=data["numbers"],
        spellings=data["spellings"],
        noise=frozenset(data["noise"]),
        parting=frozenset(data["parting"]),
        homophones=data["homophones"],
        calls=frozenset(data["calls"]),
        tails=_phrases(data["tails"]),
        body=frozenset(data["body"]),
        statements={name: frozenset(words) for name, words in data["statements"].items()},
        said=_phrases(data["statements"]["said"]),
        address=_phrases(data["address"]),
        saying=frozenset(data["saying"]),
        likes={word: tuple(likes) for word, likes in data["likes"].items()},
        found_with=_hosts(data["goes_with"]),
        callings=tuple(tuple(tuple(name.split()) for name in names) for names in data["callings"]),
        risks=tuple(
            (risk, frozenset((*data["risks"].get(risk, ()), *(name for name, part in named if part.risk == risk))))
            for risk in get_args(Risk)
        ),
        pasts=data["pasts"],
        **{name: frozenset(data[name]) for name in _WORD_CLASSES},
    )


_WORD_CLASSES = (
    "about articles adverbs topic_head topic_tail whole_place halting holders fires thefts worn manners".split()
)


def _hosts(rows: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Return the things of each row with all the hosts of the rows that they stand in."""
    things = {thing for row in rows.values() for thing in row.split()}
    return {
        thing: frozenset(host for hosts, row in rows.items() if thing in row.split() for host in hosts.split())
        for thing in things
    }


def longest_prefix(words: Sequence[str], phrases: Iterable[Phrase]) -> Phrase:
    """Return the first of the phrases (longest first) that the words begin with; empty where none does."""
    begun = tuple(words)
    likely = _by_first_word(Same(phrases)).get(begun[:1], ()) if isinstance(phrases, tuple) else phrases
    return next((phrase for phrase in likely if begun[: len(phrase)] == phrase), ())


@lru_cache(maxsize=32)
def _by_first_word(phrases: Same[tuple[Phrase, ...]]) -> Mapping[Phrase, Sequence[Phrase]]:
    found: dict[Phrase, list[Phrase]] = {}
    for phrase in phrases.value:
        found.setdefault(phrase[:1], []).append(phrase)
    return found


def _flat(rows: Sequence[Sequence[str]]) -> list[str]:
    return [phrase for row in rows for phrase in row]


def _phrases(texts: Iterable[str]) -> tuple[Phrase, ...]:
    return tuple(sorted({tuple(text.split()) for text in texts}, key=lambda phrase: (-len(phrase), phrase)))


# Clauses: the player's text -> clauses of words, cut where another act begins.

MAX_CHARACTERS = 600  # far more than four actions need; the rest of a longer line is not read

_TOKEN = re.compile(r'"(?P<speech>[^"]*)"?|(?P<word>[^\W_]+(?:[\'-][^\W_]+)*)|(?P<stop>[.;!?]+)|(?P<comma>[,:]| -+ )')
# The stop after a title ends nothing.
_TITLE = re.compile(r"\b(mrs?|ms|mx|dr|prof|capt|sgt|rev)\.(?=\s+\w)", re.IGNORECASE)
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'", "—": ",", "–": ","})


@dataclass(frozen=True, slots=True)
class Word:
    """One word as typed and in lower case; a comma, a stop or a whole quoted speech counts as one."""

    text: str
    low: str
    kind: Literal["word", "comma", "stop", "speech"] = "word"


@dataclass(frozen=True, slots=True)
class Clause:
    """The words of one action; `question` where a question mark ended them."""

    words: tuple[Word, ...]
    question: bool = False

    @property
    def text(self) -> str:
        """The words as typed, without quotation marks and other signs."""
        return typed(self.words)


def cleaned(text: str) -> str:
    """Return one line of plain text, bounded: no control or format characters, plain quotation marks."""
    if text.isascii() and text.isprintable():
        kept = text[: MAX_CHARACTERS * 4].translate(_QUOTES)
        return " ".join(kept.split())[:MAX_CHARACTERS]
    plain = unicodedata.normalize("NFKC", text[: MAX_CHARACTERS * 4]).translate(_QUOTES)
    kept = "".join(" " if char.isspace() else char for char in plain if char.isspace() or _is_visible(char))
    return " ".join(kept.split())[:MAX_CHARACTERS]


def _is_visible(char: str) -> bool:
    return not unicodedata.category(char).startswith("C")


def words_of(text: str) -> tuple[Word, ...]:
    """Return the words and signs of a cleaned text."""
    found = map(_word, _TOKEN.finditer(_TITLE.sub(r"\1", text)))
    return tuple(word for word in found if word.kind != "speech" or any(map(str.isalnum, word.text)))


def _word(match: re.Match[str]) -> Word:
    kind = match.lastgroup
    text = match.group(kind) if kind else match.group()
    if kind == "word":
        return Word(text, text.lower())
    return Word(text, text, "speech" if kind == "speech" else "stop" if kind == "stop" else "comma")


def typed(words: Sequence[Word]) -> str:
    """Return words as they were typed, joined by spaces; signs are left out."""
    return " ".join(word.text for word in words if word.kind in ("word", "speech"))


def lows(words: Sequence[Word]) -> list[str]:
    """Return the words in lower case; a sign or a speech is an empty string, so that indices agree."""
    return [word.low if word.kind == "word" else "" for word in words]


def bare(rest: Sequence[Word]) -> str:
    """Return the words as typed without articles in front; a phrase of articles alone is empty."""
    words = [word for word in rest if word.kind == "word"]
    while len(words) > 1 and words[0].low in lexicon().articles:
        words = words[1:]
    text = typed(words)
    return "" if text.lower() in ("the", "a", "an") else text


def parted(rest: Sequence[Word], joints: Sequence[str]) -> tuple[Sequence[Word], str, Sequence[Word]]:
    """Return the words before and after the first of the joining words that has something on either side of it."""
    low = lows(rest)
    for index, word in enumerate(low):
        if index and word in joints and index + 1 < len(rest):
            return rest[:index], word, rest[index + 1 :]
    return rest, "", ()


def trimmed(rest: Sequence[Word], *, start: Sequence[str] = (), end: Sequence[str] = ()) -> Sequence[Word]:
    """Return the words without small ones at either end."""
    words = list(rest)
    while words and words[0].low in start:
        words.pop(0)
    while words and words[-1].low in end:
        words.pop()
    return words


def is_adverb(word: Word) -> bool:
    """Return whether a word only says how something is done."""
    if word.kind != "word" or word.low in lexicon().adverbs:
        return word.kind == "word"
    return len(word.low) > 4 and word.low.endswith("ly") and not is_noun_in_ly(word.low)
