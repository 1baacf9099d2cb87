"""Words as people type them in a chat, or in a language that they learn -> the same in plain English, cut where what is
said runs on into something else; plain English stays as it is (`plain_words.yaml`)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from lorewright.builtin.words.clauses import lexicon
from lorewright.builtin.words.english import is_english
from lorewright.scene_lore.nouns import is_verb
from lorewright.shipped_tables import read_table


@dataclass(frozen=True, slots=True)
class _Table:
    """The rewrites in their order, the forms of words, and the words that what follows them is part of."""

    rewrites: tuple[tuple[re.Pattern[str], str], ...]
    forms: Mapping[str, Mapping[str, str]]
    asking: frozenset[str]
    joining: frozenset[str]
    hanging: frozenset[str]
    going_on: frozenset[str]


@cache
def _table() -> _Table:
    data: Mapping[str, Any] = read_table(__package__, "plain_words.yaml")
    classes = {name: "|".join(_words_in(row)) for name, row in data["classes"].items()}
    rewrites = tuple((_pattern(pattern, classes), put) for pattern, put in data["rewrites"])
    return _Table(rewrites, data["forms"], *(frozenset(_words_in(data[name])) for name in _LISTS))


_LISTS = ("asking", "joining", "hanging", "going_on")


def _words_in(row: str) -> list[str]:
    return [word.strip() for word in row.split("|")]


def _pattern(pattern: str, classes: Mapping[str, str]) -> re.Pattern[str]:
    """Return a pattern with the words of its classes; a group in a class would part them from what stands beside."""
    for name, words in classes.items():
        pattern = pattern.replace(f"{{{name}}}", f"(?:{words})")
    return re.compile(pattern, re.IGNORECASE)


# Signs that are no words: spaces that were left out, faces, and a line that is shouted.

_FACE = re.compile(
    r"(?<![\w:])(?:[:;=]['’]?-?[()\[\]DPpOo3/\\|*]+|[<]/?3+|\^_*\^|[-T]_+[-T]|[oO]_[oO]|[xX]{2,4})(?![\w/])"
)
_PICTURE = re.compile("[\u2190-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]+")
_GLUED = re.compile(r"(?<=[^\W\d_])([,;?!])(?=[^\W\d_])|(?<=[^\W\d_]{2})(\.)(?=[^\W\d_]{2})")
_LETTERS = re.compile(r"[^\W\d_]+")


def with_spaces(text: str) -> str:
    """Return a line with the spaces after its signs, without faces and pictures (a stop where one parts two things that
    are said), and not shouted."""
    typed, text = text, _GLUED.sub(lambda found: f"{found[1] or found[2]} ", text)
    for pattern in (_FACE, _PICTURE):
        text = pattern.sub(_stop_for, text)
    words = _LETTERS.findall(text)
    is_shouted = len(words) > _FEW and sum(map(len, words)) > _SHOUTED and text.upper() == text
    text = text if text.strip() else typed
    return text.lower() if is_shouted else text


_FEW, _SHOUTED = 2, 8


def _stop_for(found: re.Match[str]) -> str:
    before, after = found.string[: found.start()].rstrip(), found.string[found.end() :].lstrip()
    is_between = before[-1:].isalnum() and after[:1].isalnum()
    return ". " if is_between else " "


# Words -> the same in plain English.


def in_plain_words(text: str, names: Collection[str] = ()) -> str:
    """Return a spelled-out line with what a chat or a learner's English puts otherwise as plain English puts it. By one
    of the `names` in scope, in lower case, somebody may be called before what is put to them."""
    text = " ".join(_BEFORE_SIGN.sub(r"\1", text).split())
    called, _, rest = text.partition(" ")
    if called.casefold() in names and _IS_PUT.match(rest):
        return f"{called} {in_plain_words(rest)}"
    for pattern, put in _table().rewrites:
        if pattern.search(text):
            text = pattern.sub(partial(_put, put=put), text)
    return " ".join(_BEFORE_SIGN.sub(r"\1", text).split())


_BEFORE_SIGN = re.compile(r"\s+([,;:.!?])")
_IS_PUT = re.compile(r"(?:you|i|where|what|why|how|when|who|is|its|please|he|she)\b", re.IGNORECASE)
_SLOT = re.compile(r"<(\w+)(?::(\w+))?>")


def _put(found: re.Match[str], put: str) -> str:
    def filled(slot: re.Match[str]) -> str:
        word = found[slot[1]] or ""
        return _form_of(word, slot[2]) if slot[2] else word

    return _SLOT.sub(filled, put)


def _form_of(word: str, form: str) -> str:
    known = _table().forms[form].get(word.casefold())
    if known is not None:
        return known
    if form == "ing":
        return f"{word.removesuffix('e')}ing"
    if form == "low":
        return word.casefold()
    return f"{word}s" if form in ("many", "third") else word


# What is said without a stop between -> with one.

_WH = "where|what|when|who|why|how"
_BE = "is|are|was|were|does|do|did|can|could|will|would|has|have|should"
_ASKED = re.compile(
    rf"(?P<before>\w[\w']*) (?P<rest>(?:(?:{_WH})'s|(?:{_WH.replace('|who', '')}) (?:{_BE})"
    r"|(?P<aux>(?:can|could|would|will|do|are|have|did) you(?! (?:think|suppose|reckon|mean|know|want)\W*$)"
    r"|(?:can|could|shall|should|may) (?:i|we)|(?:is|are) there (?:a|an|any\w*|some\w*|no|another)|is it|is that)"
    r"|(?<!n't )(?:it's|let me))(?= \w)|(?P<calming>don't worry))\b",
    re.IGNORECASE,
)
# Words of a question, and one that has its verb.
_ASKS = re.compile(rf"\b(?:{_WH}|which|whose)\b", re.IGNORECASE)
_WHOLE = re.compile(rf"\b(?:{_WH})(?:'s| (?:{_BE}))\b", re.IGNORECASE)
_IS_ASKED = re.compile(rf"(?:{_WH})\b|(?:{_BE}) (?:i|you|he|she|it|we|they|the|my|your)\b", re.IGNORECASE)
# A question about somebody, or to them, that runs on into what is said.
_RUNS_ON = re.compile(
    rf"(?P<question>(?:{_WH})(?:'s|(?: \w+){{1,5}}?)) (?P<name>\w+) "
    r"(?=(?:i|i'm|i've|i'll|can't|tell me|please|can you|could you)\b)",
    re.IGNORECASE,
)
_ASKED_OF = re.compile(
    r"(?P<question>(?:where|how|who) are you) (?P<name>\w+) (?=(?:i|i'm|it's|can't|don't|this|that|we)\b)",
    re.IGNORECASE,
)
# A comma before a question, and who does something before it.
_AFTER_COMMA = re.compile(rf", (?=(?:{_WH})(?:'s| (?:{_BE}|must))\b)", re.IGNORECASE)
_BEGINS = re.compile(r"(?:i|you|he|she|it|we|they|that|this|there|no)\b", re.IGNORECASE)
# What somebody does not know, to its end.
_UNKNOWN = re.compile(
    rf"\b(?:don't know|no idea|not sure) (?:{_WH})\b.* (?:is|are|was|were|goes|lives|works|it)$", re.IGNORECASE
)
_LEADS = frozenset("ok okay so well and but like please hey hi hello oh now then right".split())
_IS = re.compile(r"(?:it|that|he|she)(?:'s| is)\b|i(?:'m| am)\b|this is\b", re.IGNORECASE)
# A word is taken back: `my hand makes water. sweat I mean.`
_CORRECTED = re.compile(r"(?<=[.,!?] )(?P<word>\w+),? i mean\b[.,!]* ?", re.IGNORECASE)
# Something is said to somebody: `Dorrie it's nice to see you`.
_PUT_TO = re.compile(
    r"(?P<name>\w+) (?=(?:it's|i'm|i've|i'll|i|that's|there's|this is|don't|please(?= \w+ \w)|let's)\b)", re.IGNORECASE
)
# Somebody is told to do something: `Teo cover your ears`.
_TOLD = re.compile(r"(?P<name>\w+) (?P<verb>\w+) (?:\w+ )?(?:your|me|us|you)\b", re.IGNORECASE)
# `Dorrie love you haven't changed`.
_DEAR = re.compile(
    r"\b(?P<name>\w+) (?:love|hun|hon|babe|dear|darling) "
    r"(?=(?:you (?:haven't|have|are|look|never|were|know)|you're|you've|i|how|what|where|are|it's)\b)",
    re.IGNORECASE,
)
# What is said of oneself after what was complete: `don't chalk it I'll pay later`.
_GOES_ON = re.compile(
    r"\b(?P<end>him|her|it|me|you|them|here|there|now|back|later) "
    r"(?=(?:i'll|i'm|i've|i don't|i (?:missed|love|like|miss|want|need|hope|was|am)"
    r"|it's|he's|she's|they're|we're|you're)\b)",
    re.IGNORECASE,
)
# `any chance of an egg dor I'm starving`: who is called, between two things that are said.
_CALLED_BETWEEN = re.compile(
    r"(?P<said>(?:\w[\w']* ){2,})(?P<name>\w{3,}),? (?=(?:i'm|i am|i've|i need|i want|i haven't)\b)", re.IGNORECASE
)
# `you're on odo loser buys cake`: all that is said to them, and then something else.
_SAID_WHOLE = re.compile(
    r"(?P<said>(?:(?:ok(?:ay)?|well|right|alright),? )?(?:you're on|it's on|game on|bring it on|deal|good luck"
    r"|(?:it's )?your (?:turn|move|go)|nice (?:one|try|move)|good (?:one|game|move)|well played|let's (?:play|do this)"
    r"|not bad|fair enough|my bad|never mind|prepare to lose)),? (?P<name>\w{3,})\b(?!')[,.!]* ?",
    re.IGNORECASE,
)
# `I'm going chapel`.
_GOING = re.compile(
    r"\bgoing (?!north|south|east|west|upstairs|downstairs|outside|inside|back|home)(\w{4,})", re.IGNORECASE
)
_STOPS = re.compile(r"[.,;:!?\"“”]")


def cut_apart(text: str, names: Collection[str]) -> str:
    """Return a line with a sign where a question begins after what is complete, or ends with a name: after `off`
    of `ok bye I'm off when does the bus come`. `names` are words of names in scope, in lower case."""
    asked = _ASKED_OF.match(text)
    if asked is not None and asked["name"].casefold() in names:
        text = f"{asked['question']}, {asked['name']}? {text[asked.end() :]}"
    put = _PUT_TO.match(text)
    if put is not None and put["name"].casefold() in names:
        text = f"{put['name']}, {text[put.end() :]}"
    whole = _SAID_WHOLE.match(text)
    if whole is not None and _is_called(whole["name"], names):
        text = f"{whole['said']}, {whole['name']}. {text[whole.end() :]}".strip()
    between = _CALLED_BETWEEN.match(text)
    if between is not None and not is_hanging(between["said"].strip()) and _is_called(between["name"], names):
        text = f"{between['said'].strip()}, {between['name']}. {text[between.end() :]}"
    told = _TOLD.match(text)
    if told is not None and told["name"].casefold() in names and told["verb"].casefold() in lexicon().verb_words:
        text = f"{told['name']}, {text[told.start('verb') :]}"
    called = _DEAR.search(text)
    if called is not None and called["name"].casefold() in names:
        sign = "." if called.start() else ","
        text = f"{text[: called.end('name')]}{sign} {text[called.end() :]}"
    text = _GOING.sub(lambda found: f"going to {found[1]}" if found[1].casefold() in names else found[0], text)
    runs_on = _RUNS_ON.match(text)
    said = runs_on["question"].casefold().split() if runs_on is not None else []
    if runs_on is not None and runs_on["name"].casefold() in names and not set(said) & _table().asking:
        sign = "," if said[-1] in names else ""
        text = f"{runs_on['question']}{sign} {runs_on['name']}? {text[runs_on.end() :]}"
    text = _CORRECTED.sub(lambda found: found[0] if found["word"].casefold() in names else "", text)
    for found in reversed(list(_AFTER_COMMA.finditer(text))):
        start = max((sign.end() for sign in _STOPS.finditer(text, 0, found.start())), default=0)
        said = text[start : found.start()].strip()
        if len(said.split()) > _FEW and _BEGINS.match(said) and is_complete(said):
            text = f"{text[: found.start()]}. {text[found.end() :]}"
    for found in reversed(list(_GOES_ON.finditer(text))):
        end = found.end("end")
        start = max((sign.end() for sign in _STOPS.finditer(text, 0, end)), default=0)
        if len(text[start:end].split()) > _FEW and not is_hanging(text[start:end].strip()):
            text = f"{text[:end]}. {text[found.end() :]}"
    for found in reversed(list(_ASKED.finditer(text))):
        start = max((sign.end() for sign in _STOPS.finditer(text, 0, found.start("rest"))), default=0)
        said = text[start : found.start("rest")].strip()
        is_long = len([word for word in said.split() if word.casefold() not in _LEADS]) > (
            1 if _IS.match(said) else _FEW
        )
        is_whole = found["aux"] is None or not _ASKS.search(said) or _WHOLE.search(said) or _UNKNOWN.search(said)
        if is_long and is_whole and is_complete(said):
            sign = "?" if _IS_ASKED.match(said) else "."
            text = f"{text[: found.end('before')]}{sign} {text[found.start('rest') :]}"
    return text


def _is_called(word: str, names: Collection[str]) -> bool:
    """Tell whether a word is one of the names, or the beginning of one and no word of English."""
    low = word.casefold()
    return not is_english(low) and any(name == low or name.startswith(low) for name in names if not is_english(name))


def is_complete(words: str) -> bool:
    """Tell whether words may be all of what is said before a question, so that this is no part of it."""
    return bool(_UNKNOWN.search(words)) or not (is_hanging(words) or words.casefold().split()[-1] in _table().joining)


def is_hanging(words: str) -> bool:
    """Tell whether what follows words is part of what they say: of `I wonder`, and of `when the boat comes`."""
    low = words.casefold().split()
    known = _table()
    return bool(set(low) & known.asking) or (low[0] in known.hanging and not _IS_ASKED.match(words))


def is_open(word: str) -> bool:
    """Tell whether after a word in lower case what is said is not complete."""
    return word in _table().joining


def goes_on(word: str) -> bool:
    """Tell whether a word in lower case goes on with what was said before it."""
    return word in _table().going_on


# A line -> the same with its acts in the order in which they are done, without those that are not.

_ACT = r"[^.;!?\"“”]+?"
DOES = r"(?:i|he|she|they|we)"
_WISH = rf"(?:{DOES} )?(?:would like to|want to|wanted to|would love to|'d like to|mean to|plan to|am going to|need to)"
# What is left for something else: `I was going to ask, but I wait`.
_LEFT = re.compile(
    rf"\b{DOES} (?:was|were|am|had been) (?:going|about|tempted|meaning|planning|hoping) to {_ACT},? but "
    rf"(?:then |instead |in the end )*(?={DOES} )(?! ?i (?:don|do not))",
    re.IGNORECASE,
)
# What one would like, and does not do: `I want to ask him to leave but I don't`.
_WANTED = re.compile(
    rf"\b(?P<who>{DOES}) (?:want|wants|would like|would love|long|am tempted|was going|was about|am about"
    r"|am dying) to "
    rf"(?P<what>{_ACT})(?:,? but|[.;]) (?:{DOES} )?(?:don['’]?t|do not|doesn['’]?t|does not|didn['’]?t|dont"
    r"|think better of it)"
    r"(?=[,;.!?]|$| and\b)",
    re.IGNORECASE,
)
# `go up, but first try the door`; `go up. No, first try the door`.
_BUT_FIRST = re.compile(
    rf"(?P<start>^|[.;!?] )(?:{_WISH} )?(?P<later>{_ACT})(?:,? but|[.;,!] (?:no|wait|but|actually|oh)),? "
    rf"(?:first|before that|before i do)(?: of all)?,? (?P<first>{_ACT})(?P<end>$|[.;!?])",
    re.IGNORECASE,
)
# `after wiping the chair I sit down`, `sit down after wiping the chair`.
_AFTER = re.compile(
    rf"(?:^|(?<=[.;!?] ))after (?P<doing>\w{{2,}}ing\b{_ACT})(?:, (?:then )?| (?=i ))(?P<rest>\w)", re.IGNORECASE
)
_BUT_NOT = re.compile(
    rf"(?<=\w),? but (?:{DOES} )?(?=(?:do not|don['’]?t|dont|does not|doesn['’]?t) (?P<verb>[a-z]+)\b)", re.IGNORECASE
)
# `neither knock nor call; go in`.
_NEITHER = re.compile(r"(?:^|(?<=[.;,] ))neither (?P<one>[^.;,]+?) nor (?P<two>[^.;,]+)(?=[.;,])", re.IGNORECASE)
# `start to climb the stairs, stop`.
_STARTS = re.compile(
    r"\bstarts? to (?P<what>(?:climb|go|walk|leave|cross|run|head)\b[^.;\"]*?,? (?:and |then |but )?"
    r"(?:stop|think better|change my mind|turn back)\b)",
    re.IGNORECASE,
)
# `I could sit. I could leave. I sit.`
_COULD = re.compile(
    rf"(?:^|(?<=[.;!?] ))i (?:could|might|may)(?: also| just| always)? (?!use\b|do with\b|kill\b|eat\b){_ACT}"
    r"[.;!?] (?=\S)",
    re.IGNORECASE,
)
OF_OTHERS = re.compile(r"\b(?:you|your|me|us)\b|\?", re.IGNORECASE)


def in_order(text: str) -> str:
    """Return a line with what is done first before what is done after it, and without what is left for something else;
    what is put to somebody stays as it is."""
    if '"' in text or "“" in text:
        return text
    text = _COULD.sub("", _STARTS.sub(r"nearly \g<what>", text))
    plain = _NEITHER.sub(r"do not \g<one>; do not \g<two>", _LEFT.sub("", text))
    plain = _WANTED.sub(lambda found: f"{found['who']} do not {found['what']}", plain)
    first = _BUT_FIRST.search(plain)
    if first is not None and not OF_OTHERS.search(first[0].rstrip("?")):
        plain = f"{plain[: first.start()]}{first['start']}{_turned(first, plain[first.end() :])}"
    plain = _AFTER.sub(lambda found: f"{plain_deed(found['doing'])}, then {found['rest']}", plain)
    return _BUT_NOT.sub(lambda found: found[0] if found["verb"].casefold() in OF_MIND else "; ", plain)


def _turned(found: re.Match[str], rest: str) -> str:
    """Return what is done first, then what is done later, where the rest does not say so again, then the rest."""
    first, later = found["first"], found["later"].strip()
    noun = re.search(r"\b(?:the|my|his|her|that|this) [\w'-]+", later)
    if noun is not None:
        first = re.sub(r"\b(?:it|them)\b", noun[0], first, count=1, flags=re.IGNORECASE)
    is_said_again = re.match(rf"\s*(?:and )?then {re.escape(later.split()[0])}\b", rest, re.IGNORECASE)
    return f"{first}{found['end']}{rest}" if is_said_again else f"{first}, then {later}{found['end']}{rest}"


# What one thinks, feels or has is no deed that is left undone.
OF_MIND = frozenset(
    "know think like want care mind have need understand believe remember worry be blame trust love hate feel mean see"
    " hear expect suppose forget wish recall tell panic cry fret seem look sound have matter help dare get fear".split()
)


def plain_deed(doing: str) -> str:
    """Return what is done in the first form of its verb: `write their names` of `writing their names`."""
    verb, _, rest = doing.partition(" ")
    stem = verb.casefold().removesuffix("ing")
    bases = (stem[:-1], stem, f"{stem}e") if stem[-1:] == stem[-2:-1] else (stem, f"{stem}e")
    return f"{next(filter(is_verb, bases), verb)} {rest}"
