"""Clauses: the player's text -> clauses of words, cut where another act begins; speech and names stay whole."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, get_args

import yaml

from lorewright.rules.verbs import verbs

# Claims: words -> what they claim was said or promised, is owed or is owned. Nothing here says whether it is true.

ClaimKind = Literal["said", "promised", "owes", "owns"]

# Persons of a claim, in the words of its speaker: `you` is the addressee, `i` the speaker.
YOU, ME = "you", "i"


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim; `by` and `to` as they were named (`you`, `i`, `viktor`), `what` as typed; with `asks` the speaker wants
    to hear it again.
    """

    kind: ClaimKind
    by: str
    to: str
    what: str
    asks: bool = False


_LEAD = re.compile(
    r"(?:(?:but|and|so|well|look|listen|okay|ok|hey|no|yes|remember|wait|then|because|since|after all|of course"
    r"|i thought|i think|i remember|i recall|you know|don't forget|you forget|remind \w+|surely)(?: that)?,? )+"
)
_SOMEBODY = r"(?P<by>you|i|[^\W\d_][\w'-]*(?: [^\W\d_][\w'-]*){0,3}?)"
_HAVE = r"(?:'ve|'d| have| had)?(?: (?:already|just|once|also|yourself|myself|certainly|clearly|even|always|did))*"
_WHEN = r"(?: (?:yesterday|earlier|before|last night|this morning|today|tonight|just now|the other day|last time))?"
_TO = r"(?: (?:to )?(?P<to>me|us|you))?"
_THAT = r"(?:(?: that| about| of| how)? )"
_SAYING = r"(?:told|said|mentioned|claimed|admitted|let slip|assured|explained|informed)"
_PROMISING = r"(?:promised|swore|vowed|agreed|pledged|gave (?:me|you) (?:your|my|his|her|their) word)"
_WOULD = r"(?:you|i|he|she|they)(?:'d|'ll| would| will)"
_THINGS_BACK = r"(?:back )?my (?P<what>.+?)(?: back)?"

_PATTERNS: tuple[tuple[ClaimKind, str], ...] = (
    ("promised", rf"{_SOMEBODY}{_HAVE} {_SAYING}{_TO}{_WHEN}(?: that)? {_WOULD} (?P<what>.+)"),
    (
        "promised",
        rf"{_SOMEBODY}{_HAVE} {_PROMISING}{_TO}{_WHEN}(?: (?:that )?{_WOULD}| to| that| of)? (?P<what>.+)",
    ),
    ("said", rf"(?:as|like|just as) {_SOMEBODY}{_HAVE} {_SAYING}{_TO}{_WHEN},? (?:that )?(?P<what>.+)"),
    ("said", rf"(?P<what>.+?),? (?:as|like|just as|just like) {_SOMEBODY}{_HAVE} {_SAYING}{_TO}{_WHEN}"),
    ("said", rf"according to {_SOMEBODY},? (?P<what>.+)"),
    ("said", rf"{_SOMEBODY}{_HAVE} {_SAYING}{_TO}{_WHEN}{_THAT}(?P<what>.+)"),
    ("owes", rf"{_SOMEBODY}(?: still)? owes? (?P<to>me|us|you) (?P<what>.+)"),
    ("owns", r"(?:that's|that is|this is|it's|it is|those are|these are|that was) my (?:own )?(?P<what>.+)"),
    ("owns", r"(?:that|this|the|those|these) (?P<what>.+?) (?:is|are|was|were) mine"),
    ("owns", r"(?:that|this|the|those|these) (?P<what>.+?) belongs? to me"),
    ("owns", rf"(?:give|hand)(?: me)? {_THINGS_BACK}"),
    ("owns", rf"return {_THINGS_BACK}"),
    ("owns", rf"i want {_THINGS_BACK}"),
    ("owns", r"you(?:'ve| have)? (?:got|have|took|stole|kept|still have) my (?P<what>.+)"),
    ("owns", r"i own (?:the |that |this )?(?P<what>.+)"),
)
_FORMS = tuple((kind, re.compile(pattern)) for kind, pattern in _PATTERNS)
_ASKED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"what(?: exactly)? did {_SOMEBODY} (?:say|tell (?:me|us)|mention)(?: to me)? (?:about|of) (?P<what>.+)",
        r"(?:repeat|say again|tell me again) what (?P<by>you) (?:said|told me)(?: to me)? (?:about|of) (?P<what>.+)",
    )
)
_QUESTION = re.compile(r"(?:did|do|does|have|has|is|are|was|were|will|would|could|can|what|who|where|when|why|how)\b")
_DID_NOT = re.compile(r"(?:didn't|did not|haven't|hadn't) (?P<by>you|i|he|she|they) (?:just )?(?P<verb>\w+)")
_PAST = {"promise": "promised", "say": "said", "tell": "told", "mention": "mentioned", "swear": "swore", "owe": "owe"}
_TAIL = re.compile(
    r"(?:,? (?:didn't you|didn't i|right|remember|you know|you said|did you not|isn't it|yesterday|earlier|before"
    r"|last night|this morning|the other day|last time|already|again))+$"
)
# Things that nobody can carry away, whatever their owner.
_NO_THINGS = frozenset(
    "business problem name point girl boy friend brother sister mother father wife husband life fault job turn word "
    "way idea guess opinion choice decision answer question home house room place stop favourite favorite concern "
    "money's right honour honor luck heart mind hand hands head eyes".split()
)
_SAYS_NOTHING = frozenset(("", "it", "that", "so", "this", "them", "him", "her", "me", "you", "something", "anything"))
_NOBODY = frozenset(("he", "she", "they", "it", "that", "this", "who", "what", "somebody", "someone", "we", "people"))


def claim_in(text: str) -> Claim | None:
    """Return the claim that a clause makes, or None; the addressee's name has been taken off the clause.

    A question is none, except one that expects agreement (`didn't you promise me the key`), and the wish to hear
    something again.
    """
    words = " ".join(text.replace("’", "'").strip(' .,;:!?"“”').split())
    low = words.lower()
    if len(low) != len(words):
        words = low
    lead = _LEAD.match(low)
    at = 0 if lead is None or _says_so(low) else lead.end()
    low, words = _as_statement(low[at:], words[at:])
    for pattern in _ASKED:
        if (found := pattern.fullmatch(low)) and (what := _what(found, words)):
            return None if found["by"] in _NOBODY else Claim("said", found["by"], ME, what, asks=True)
    if _QUESTION.match(low) or low.endswith("?"):
        return None
    for kind, pattern in _FORMS:
        found = pattern.fullmatch(low)
        claim = None if found is None else _made_of(kind, found, words)
        if claim is not None:
            return claim
    return None


def _says_so(low: str) -> bool:
    """Tell whether the words only lead in, as `I think`; `no` and `so` may be all of what is said."""
    return not _LEAD.sub("", low).strip()


def _as_statement(low: str, words: str) -> tuple[str, str]:
    """Return `didn't you promise me the key` as `you promised me the key`."""
    found = _DID_NOT.match(low)
    if found is None:
        return low, words
    verb = _PAST.get(found["verb"], found["verb"])
    head = f"{found['by']} {verb}"
    return head + low[found.end() :], head + words[found.end() :]


def _made_of(kind: ClaimKind, found: re.Match[str], words: str) -> Claim | None:
    what = _what(found, words)
    if not what:
        return None
    if kind == "owns":
        last = what.lower().split()[-1]
        return None if last in _NO_THINGS or len(what.split()) > 5 else Claim("owns", ME, "", what)
    groups = found.groupdict()
    by, to = groups["by"], groups.get("to")
    if by in _NOBODY:
        return None
    to = {"us": ME, "me": ME, None: ME if by != ME else YOU}.get(to, to)
    return None if by == to else Claim(kind, by, str(to), what)


def _what(found: re.Match[str], words: str) -> str:
    start, end = found.span("what")
    what = words[start:end]
    what = what[: len(_TAIL.sub("", what.lower()))].strip(" ,:")
    return "" if what.lower() in _SAYS_NOTHING else what[:200].strip()


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


def listed(names: Sequence[str], *, limit: int = 4) -> str:
    """Return `a, b and c`; names over the limit become `others`. Where a name has a comma of its own, semicolons
    separate.
    """
    shown = list(names) if len(names) <= limit else [*names[: limit - 1], "others"]
    if any("," in name for name in shown) and len(shown) > 1:
        return "; ".join([*shown[:-1], f"and {shown[-1]}"])
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


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

# The C loader reads the lexicon in a tenth of the time, where PyYAML has it.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Phrase = tuple[str, ...]
Risk = Literal["violence", "sensitive", "contested", "dangerous", "pursuit", "hostile_present"]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Verb phrases by frame, longest first, and the closed classes of small words; lower case."""

    verbs: tuple[tuple[Phrase, str], ...]
    verb_phrases: tuple[Phrase, ...]
    verb_words: frozenset[str]
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
    directions: Mapping[str, str]
    numbers: Mapping[str, float]
    risks: tuple[tuple[Risk, frozenset[str]], ...]
    asides: Mapping[str, str]
    recorded: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Phrasing:
    """Phrases that begin a clause, commas between them, and the function that reads the rest of it.

    The longest phrase goes first; of equally long ones of different phrasings that with the lower `order`.
    """

    frame: str
    order: int
    phrases: str
    # A `frames.Frame`, which stands above this module.
    read: Callable[..., Any]


def phrasings() -> dict[str, Phrasing]:
    """Return the phrasings of all verbs by their frame's name, in their order."""
    found = (part for verb in verbs().values() for part in verb.parts if isinstance(part, Phrasing))
    return {phrasing.frame: phrasing for phrasing in sorted(found, key=lambda phrasing: phrasing.order)}


@cache
def lexicon() -> Lexicon:
    """Return the shipped lexicon."""
    text = resources.files(__package__).joinpath("lexicon.yaml").read_text("utf-8")
    data: Mapping[str, Any] = yaml.load(text, Loader=_LOADER)
    frames = {frame: (row["order"], _flat(row["phrases"])) for frame, row in data["frames"].items()}
    frames |= {each.frame: (each.order, each.phrases.split(", ")) for each in phrasings().values()}
    ordered = sorted(frames.items(), key=lambda frame: frame[1][0])
    opening = [(phrase, frame) for frame, (_, phrases) in ordered for phrase in _phrases(phrases)]
    return Lexicon(
        verbs=tuple(sorted(opening, key=lambda verb: -len(verb[0]))),
        verb_phrases=_phrases(" ".join(phrase) for phrase, _ in opening),
        verb_words=frozenset(phrase[0] for phrase, _ in opening if len(phrase) == 1),
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
        asides={text: kind for kind, texts in data["asides"].items() for text in texts},
        recorded=data["recorded"],
        risks=tuple((risk, frozenset(data["risks"].get(risk, ()))) for risk in get_args(Risk)),
        **{name: frozenset(data[name]) for name in _WORD_CLASSES},
    )


_WORD_CLASSES = ("about", "articles", "adverbs", "topic_head", "topic_tail", "whole_place")


def longest_prefix(words: Sequence[str], phrases: Iterable[Phrase]) -> Phrase:
    """Return the first of the phrases (longest first) that the words begin with; empty where none does."""
    return next((phrase for phrase in phrases if tuple(words[: len(phrase)]) == phrase), ())


def _flat(rows: Sequence[Sequence[str]]) -> list[str]:
    return [phrase for row in rows for phrase in row]


def _phrases(texts: Iterable[str]) -> tuple[Phrase, ...]:
    return tuple(sorted({tuple(text.split()) for text in texts}, key=lambda phrase: (-len(phrase), phrase)))


# Clauses: the player's text -> clauses of words, cut where another act begins.

MAX_CHARACTERS = 600  # far more than four actions need; the rest of a longer line is not read

_TOKEN = re.compile(r'"(?P<speech>[^"]*)"?|(?P<word>[^\W_]+(?:[\'-][^\W_]+)*)|(?P<stop>[.;!?]+)|(?P<comma>[,:]| -+ )')
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
    found = map(_word, _TOKEN.finditer(text))
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


def is_adverb(word: Word) -> bool:
    """Return whether a word only says how something is done."""
    return word.kind == "word" and (word.low in lexicon().adverbs or (len(word.low) > 4 and word.low.endswith("ly")))


def split_clauses(
    words: Sequence[Word],
    *,
    names: Sequence[Sequence[str]],
    people: Sequence[Sequence[str]],
    verbs: Collection[tuple[str, ...]] = (),
) -> list[Clause]:
    """Cut at stops, at `then`, and at `and` or a comma before a verb (`verbs` are more of them); speech to somebody
    stays whole.
    """
    held = _indices_in_names(words, names)
    clauses: list[Clause] = []
    current: list[Word] = []
    spoken = False
    for index, word in enumerate(words):
        if not current:
            spoken = _addresses(words[index:], people)
        if word.kind == "stop" and index not in held:
            clauses.append(Clause(tuple(current), question="?" in word.text))
            current = []
        elif index not in held and not spoken and (_cuts(words, index, verbs) or _turns_to(words, index, people)):
            clauses.append(Clause(tuple(current)))
            current = []
        else:
            current.append(word)
    clauses.append(Clause(tuple(current)))
    return [clause for clause in map(_trim, clauses) if clause.words]


def _indices_in_names(words: Sequence[Word], names: Sequence[Sequence[str]]) -> set[int]:
    """Return the indices within names of several words, where nothing may be cut."""
    low = [word.low for word in words]
    held: set[int] = set()
    for name in names:
        size = len(name)
        for start in range(len(low) - size + 1):
            if low[start : start + size] == list(name):
                held.update(range(start + 1, start + size))
    return held


def _addresses(words: Sequence[Word], people: Sequence[Sequence[str]]) -> bool:
    """Tell whether the words begin with a person's name and a comma."""
    low = [word.low for word in words]
    return any(
        low[: len(name)] == list(name) and len(words) > len(name) and words[len(name)].kind == "comma"
        for name in people
    )


def _turns_to(words: Sequence[Word], index: int, people: Sequence[Sequence[str]]) -> bool:
    """Tell whether `and` is followed by a person and `about`: another question, to another person."""
    if words[index].low != "and":
        return False
    low = [word.low for word in words[index + 1 :]]
    return any(low[: len(name)] == list(name) and low[len(name) : len(name) + 1] == ["about"] for name in people)


def _cuts(words: Sequence[Word], index: int, verbs: Collection[tuple[str, ...]]) -> bool:
    word = words[index]
    if word.kind == "word" and word.low == "then":
        return True
    if word.kind != "comma" and word.low != "and":
        return False
    return _begins_with_verb(lows(words[index + 1 :]), verbs)


def _begins_with_verb(low: list[str], verbs: Collection[tuple[str, ...]]) -> bool:
    lex = lexicon()
    while low and (low[0] in ("", "and", "then") or low[0] in lex.adverbs):
        low = low[1:]
    return bool(longest_prefix(low, lex.verb_phrases) or longest_prefix(low, verbs))


def _trim(clause: Clause) -> Clause:
    """Return the clause without commas and joining words at either end."""
    words = list(clause.words)
    while words and (words[0].kind == "comma" or words[0].low in ("and", "then")):
        del words[0]
    while words and (words[-1].kind == "comma" or words[-1].low in ("and", "then")):
        del words[-1]
    return Clause(tuple(words), clause.question)
