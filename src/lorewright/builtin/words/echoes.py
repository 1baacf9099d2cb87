"""What is said to somebody -> the same as they repeat it: `you look tired` is `I look tired`, `tell Ann that I lost my
hat` is `you lost your hat`.

Only who speaks and who listens change places, by a table of pronouns. What that would make no plain sentence of, and
whatever may be a slip of the hand, is not repeated.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from lorewright.builtin.words.clauses import lexicon, words_of
from lorewright.builtin.words.noun_phrases import Candidate, Nouns
from lorewright.builtin.words.spelling import spelled_out
from lorewright.scene_lore.nouns import is_verb, known_words

_QUOTED = re.compile(r"[\"“]([^\"“”]{2,})[\"”]")
_ASIDE = re.compile(r"\*[^*]*\*")
_PART_END = re.compile(
    r"(?<=[.!?…])\s+|\s*[.!?…]+$|\s+[–—-]+\s+|\s*[;:]\s*"
    r"|,\s+(?=(?:so |and |but )?(?:don't|please|let's|can you|could you|will you|would you|tell me)\b)"
)
_TOKEN = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|,")
# No slip of the hand, though no word as it stands: `don't`.
_SHORTENED = re.compile(r"['’](?:s|t|re|ve|ll|d|m)$|^o['’]", re.IGNORECASE)
_PLAIN = re.compile(r"[\w' ,-]+")
_FEWEST, _MOST_WORDS, _LONGEST = 2, 17, 95

# What is said before it comes to what is meant; and what only ends it.
_LEAD = re.compile(
    r"(?:(?:also that|and that|and|well|so|but|then|oh|ah|hey|hi|hello|yo|oi|honestly|actually|please|um|ok|okay|yeah"
    r"|anyway|frankly|seriously|excuse me|pardon me|to be honest|by the way|i say|i mean|in my opinion)\b[, ]+"
    r"|(?:look|listen|yes|yep|no|nope|man|dude|mate|sorry|right|of course|you know|thanks|thank you),[, ]*"
    r"|(?:i|we) (?:really |just |do |honestly )?(?:think|guess|reckon|suppose|bet|swear|promise|feel like|believe"
    r"|must say|have to say|know)(?: to you| you)?(?: that)? (?=(?:i|you|he|she|it|they|we|the|this|that|there|nobody"
    r"|everybody|my|your|his|her|their|our|\w+'s|\w+'re|i'll|you'll|\w+ (?:is|was|are|has|had|will|would))\b))",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:,[, ]*(?:right|then|ok|okay|miss|man|officer)"
    r"|[, ]+(?:please|thanks|thank you|you know|though|mate|dude|eh|sir|ma'am|madam"
    r"|i think|i guess|i suppose|to be honest|by the way|honestly|or something|or what"
    r"|my friend|don't you think|if you ask me))$",
    re.IGNORECASE,
)
_ASKED = re.compile(r"[^.!?…]+\?(?=\s+[A-Z])")
# What is concluded is weightier than what it is concluded from.
_SO_I_THINK = re.compile(r",? so (?=(?:i|we) (?:suppose|think|guess|gather|assume|take it)\b)", re.IGNORECASE)
# A request without the courtesy that it is put in.
_COURTESY = re.compile(
    r"(?:(?:can|could|would|will|won't|wouldn't) (?:you|u)(?: guys| both| all)?(?: please| kindly| maybe| just)?"
    r"(?: (?:be so kind as to|mind))?|(?:do|would) you mind|i(?:'d like| want| need) you to|you (?:should|must|have to)"
    r"|please)[, ]+",
    re.IGNORECASE,
)
# How something is said, between whom it is said to and what it is.
_NO_CLAUSE = r"(?! (?:what|who|where|when|why|how|whether|if|that)\b)"
_MANNER = (
    r"(?:(?:(?:very |quite |as |so )?(?!only|early|family|reply|july|holy|ugly)\w+ly|aloud|in passing|straight out"
    r"|under (?:my|his|her) breath|flat out|point[- ]blank|dead \w+|in (?:his|her|one) ear"
    rf"|(?:in|with) (?:a|an|the|my|one)\b(?:{_NO_CLAUSE}[\w' -])*?"
    r"\b(?:voice|tone|whisper|murmur|accent|manner|smile|grin|shrug|nod|sigh)"
    rf"(?: of (?:{_NO_CLAUSE}[\w' -])+)?)[, ]+)"
)
_REPORT = (
    r"^(?:(?:and|then|so|i|we|just|quietly|softly|also)[, ]+)*(?P<verb>[a-z]+)(?: (?:to|at))? (?P<whom>{whom})\b[,: ]*"
    + _MANNER.replace("{", "{{").replace("}", "}}")
    + r"?(?P<rest>.+)$"
)
_REPORT_AFTER = r"^(?:(?:and|then|so|i|we|just|quietly|softly|also)[, ]+)*(?P<verb>[a-z]+) (?P<rest>.+) to (?:{whom})$"
_REPORT_BARE = (
    r"^(?:(?:and|then|so|i|we|just|quietly|softly|also)[, ]+)*(?P<verb>[a-z]+) "
    r"(?P<rest>(?:that|if|whether|what|who|why|when|where|how) .+)$"
)


@dataclass(frozen=True, slots=True)
class _Said:
    """What was said, without who says it to whom; `reported` where the listener is a third person in it."""

    text: str
    reported: bool = False


def echoed(words: str, person: str, listener: Candidate, nouns: Nouns, odd: Collection[str]) -> str:
    """Return the words said to a listener as that one repeats them, as they stand within a sentence; empty where they
    cannot be. `person` are the words that they are addressed by, `odd` words that may be slips."""
    said = _said_in(words.replace("’", "'"), person, listener)
    concluded = _SO_I_THINK.search(said.text)
    weighty = said.text[concluded.end() :] if concluded is not None else said.text
    # What is asked is weightier than what is said of it.
    parts = [
        [_bare(part, person, listener) for part in _PART_END.split(among) if part]
        for among in (" ".join(_ASKED.findall(weighty)), weighty)
    ]
    fitting = next(filter(None, ([part for part in some if len(part.split()) >= _FEWEST] for some in parts)), [])
    text = _shortened(max(fitting, key=lambda part: len(part.split()), default=""))
    low = {word.casefold().strip(",") for word in text.split()}
    slips = {word.casefold().replace("’", "'") for word in odd if not _SHORTENED.search(word) and not _is_form(word)}
    if not text or not _PLAIN.fullmatch(text) or slips & low or _speaks(text.split()[0]) or _SENSED.search(text):
        return ""
    tokens = _TOKEN.findall(text)
    if said.reported:
        tokens = _with_listener(tokens, listener, nouns)
    told = _turned(tokens)
    if told is None or len(told) < _FEWEST:
        return ""
    # What is reported goes on with another act, or a letter stands for a word.
    is_mixed = said.reported and any(_speaks(word) for before, word in pairwise(told) if before in ("you", "and"))
    is_short = any(len(word) == 1 and word.isalpha() and word.casefold() not in ("i", "a", "o") for word in told)
    return "" if is_mixed or is_short else _joined(told, nouns)


# Somebody who does what is heard or seen of them is not turned: `we can hear you folding`, `what's got you rattled`.
_SENSED = re.compile(
    r"\b(?:got|keeps?|kept|hear|heard|see|saw|seen|watch\w*|makes?|made|leaves?|left|catch|caught) "
    r"(?:you|u|me) (?!to\b|and\b|in\b|at\b|on\b|here\b|there\b|again\b|all\b|or\b)\w+(?:ing|ed|t)\b",
    re.IGNORECASE,
)


def _said_in(words: str, person: str, listener: Candidate) -> _Said:
    """Return what is said in an act: what stands in quotation marks, what is reported as said, else all of it."""
    words = _YOU_KNOW.sub("", _MENTIONED.sub(r"\1", words))
    if quoted := _QUOTED.findall(words):
        return _Said(" ".join(part.strip().rstrip(",") + "." for part in quoted))
    text = _TOLD_BESIDE.sub("", _ASIDE.sub(" ", words)).strip(' *,"“”')
    names = [*_names_of(listener, person), "him", "her", "them", "everybody", "everyone"]
    whom = "|".join(f"(?:the )?{re.escape(name)}" for name in sorted(names, key=len, reverse=True) if name)
    for pattern in (_REPORT, _REPORT_AFTER, _REPORT_BARE):
        found = re.match(pattern.format(whom=whom), text, re.IGNORECASE)
        if found is not None and _speaks(found["verb"]):
            return _Said(_reported(found["rest"].strip()), reported=True)
    return _Said(text)


# Words in quotation marks that are only spoken of, within a sentence: `what "under the ice" is supposed to mean`.
_MENTIONED = re.compile(
    r"(?<=\w )(?<!say )(?<!says )(?<!said )[\"“]([^\"“”,.!?]+)[\"”](?=,? (?!i\b|he\b|she\b|you\b)[a-z])"
)
_YOU_KNOW = re.compile(r", (?:you know|you see|i mean)(?=,)", re.IGNORECASE)
# What is told of what is said, and not said: `, which is nearly true`, `, I tell them, although there are none`.
_TOLD_BESIDE = re.compile(
    r",? (?:which|(?:al|even )?though (?:it|that|this|none of it)) (?:is|was|isn't|wasn't)\b(?: [\w']+){0,3}?"
    r" (?:true|so|untrue|false|lies?|fib|nonsense|invention|case)\b.*"
    r"|,\s+i (?:say|tell|lie|explain|add|claim|insist|whisper|mutter)\b(?: [\w']+){0,2},.*",
    re.IGNORECASE,
)


def _is_form(word: str) -> bool:
    """Tell whether a word is a form of a common one: `polishing`, `cheapest`."""
    found = _ENDING.fullmatch(word.casefold())
    stem = found["stem"] if found is not None else ""
    return any(is_verb(form) or form in known_words() for form in (stem, f"{stem}e", stem[:-1]) if len(form) >= _FORM)


_ENDING = re.compile(r"(?P<stem>\w+?)(?:ing|ed|est|er|s|ly)")
_FORM = 4


def _names_of(listener: Candidate, person: str) -> list[str]:
    """Return the names by which a listener may be called, beside the words that they are addressed by."""
    return [person.removeprefix("the "), *(" ".join(key.words) for key in listener.keys)]


def _speaks(verb: str) -> bool:
    low = verb.casefold()
    return bool({low, low.removesuffix("s"), low.removesuffix("ed")} & lexicon().saying) or low in _SPEAKING


_SPEAKING = frozenset("told said warn remind inform assure explain confess admit mention beg".split())


def _reported(rest: str) -> str:
    """Return what follows on the saying as it is repeated, `whether` for `if`; empty for a mere subject."""
    first, _, more = rest.partition(" ")
    match first.casefold():
        case "that" | "to":
            return more
        case "if":
            return f"whether {more}"
        case "about" | "of" | "for" | "hello" | "hi":
            return ""
        case _:
            return rest


def _bare(text: str, person: str, listener: Candidate) -> str:
    """Return a sentence without calls, fillers and courtesies at its ends."""
    names = _names_of(listener, person)
    called = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if name)
    text = " ".join(text.split()).strip(" ,")
    before = None
    while text != before:
        before = text
        if called:
            # Without a comma a name at the beginning is a call where what follows is said to its bearer.
            text = re.sub(rf"^(?:{called})(?:,\s*| (?={_TO_LISTENER}\b))", "", text, flags=re.IGNORECASE)
            text = re.sub(rf",\s*(?:{called})$", "", text, flags=re.IGNORECASE)
            last = re.search(rf" (?P<before>[\w']+) (?:{called})$", text, re.IGNORECASE)
            if last is not None and last["before"].casefold() not in _BEFORE_NAMES:
                text = text[: last.end("before")]
            text = re.sub(rf"^{_GREETING}(?: (?:{called}))?[,!.]\s*", "", text, flags=re.IGNORECASE)
        text = _LEAD.sub("", text, count=1) if _LEAD.match(text) else text
        text = _TAIL.sub("", text)
        text = _COURTESY.sub("", text, count=1) if _COURTESY.match(text) else text
    return text.strip(" ,")


_GREETING = r"(?:good )?(?:morning|evening|afternoon|day|night|hello|hi|hey)"
# After these a name is no call.
_BEFORE_NAMES = frozenset(
    """to for with about of at on from by like and or is was the a my dear old than without love miss help trust hate
    thank see saw tell told ask asked give gave know knew meet met named called mr mrs miss call look looks seem
    seems sound sounds""".split()
)
_TO_LISTENER = (
    r"(?:you|you're|you've|your|i|i'm|i've|my|we|it's|is|are|do|does|did|can|could|would|will|have|has|what|who|why|where"
    r"|when|how|don't|please|let|the|this|that|there|old)"
)


def _shortened(text: str) -> str:
    """Return a sentence that is short enough to be repeated: cut where a clause ends; empty where none does."""
    while len(text.split()) > _MOST_WORDS or len(text) > _LONGEST:
        cut = max(text.rfind(mark) for mark in (", ", " and ", " because ", " but ", " so ", " since ", " when "))
        if cut < 0 or len(text[:cut].split()) <= _FEWEST:
            return ""
        text = text[:cut].strip(" ,")
    return text


def _with_listener(tokens: Sequence[str], listener: Candidate, nouns: Nouns) -> list[str]:
    """Return reported words with `you` for the third person that is the listener: `that he is late` said to Viktor;
    where they name another whom the pronoun would fit, as they are."""
    low = [token.casefold() for token in tokens]
    others = {
        key.words[0]
        for other in (*nouns.people, *nouns.known_people)
        if other.id != listener.id and other.pronoun == listener.pronoun
        for key in other.keys
        if len(key.words) == 1
    }
    if others & set(low):
        return list(tokens)
    pronoun = listener.pronoun if listener.pronoun in _THIRD else "they"
    told = list(tokens)
    for at, word in enumerate(low):
        after = low[at + 1] if at + 1 < len(low) else ""
        if word == pronoun:
            verb = next((to for to in range(at + 1, len(low)) if low[to] not in _BETWEEN), at)
            told[verb], told[at] = _plain_verb(tokens[verb]), "you"
        elif word in _CONTRACTED and word.partition("'")[0] == pronoun:
            # `he's heard` is no `he is`.
            has = word.endswith("'s") and _HAS_DONE & set(low[at + 1 : at + 3])
            told[at] = "you've" if has else _CONTRACTED[word]
        elif word == "her" and pronoun == "she":
            is_object = not after or after in _NO_NOUNS or after.endswith("ly")
            told[at] = "you" if is_object else "your"
        elif word in _THIRD[pronoun]:
            is_alone = _THIRD[pronoun][word] == "your" and (not after or after in _NO_NOUNS)
            told[at] = "yours" if is_alone else _THIRD[pronoun][word]
    return told


_THIRD: Mapping[str, Mapping[str, str]] = MappingProxyType({
    "he": {"him": "you", "his": "your", "himself": "yourself"},
    "she": {"hers": "yours", "herself": "yourself"},
    "they": {"them": "you", "their": "your", "themselves": "yourself"},
})  # fmt: skip
# Behind a pronoun with `'s` these are no state of it.
_HAS_DONE = frozenset(
    "been had heard seen got met told said taken given known ever found brought kept thought made noticed".split()
)
_CONTRACTED = MappingProxyType({
    f"{who}'{end}": f"you'{'re' if end in ('s', 're') else end}"
    for who in ("he", "she", "they") for end in ("s", "re", "ll", "d")
})  # fmt: skip


def _plain_verb(word: str) -> str:
    """Return a verb as it stands after `you`: `have` for `has`."""
    low = word.casefold()
    if low in _OF_YOU:
        return _OF_YOU[low]
    forms = (low.removesuffix("s"), low.removesuffix("es"))
    return next((form for form in forms if form != low and is_verb(form)), word)


_OF_YOU = MappingProxyType({"is": "are", "was": "were", "has": "have", "does": "do", "isn't": "aren't"})

# Who speaks becomes who listens, and the other way about.
_SPEAKER = MappingProxyType(
    {
        "i": "you", "i'm": "you're", "im": "you're", "i've": "you've", "i'd": "you'd", "i'll": "you'll", "me": "you",
        "my": "your", "mine": "yours", "myself": "yourself",
    }
)  # fmt: skip
_LISTENER = MappingProxyType(
    {
        "you're": "I'm", "you've": "I've", "you'd": "I'd", "you'll": "I'll", "your": "my", "yours": "mine",
        "yourself": "myself",
    }
)  # fmt: skip
_AFTER_I = MappingProxyType({"are": "am", "were": "was", "aren't": "am not", "weren't": "wasn't"})
_AFTER_YOU = MappingProxyType({"am": "are", "was": "were", "wasn't": "weren't"})
_BEFORE_I = MappingProxyType({"are": "am", "were": "was", "aren't": "aren't", "weren't": "wasn't"})
_AUXILIARIES = frozenset(
    """am is are was were do does did don't doesn't didn't have has had haven't hasn't hadn't can can't could couldn't
    will won't would wouldn't should shouldn't may might must aren't isn't wasn't weren't""".split()
)
_BETWEEN = frozenset("always never really just still even ever already also only probably both all two".split())
_BEFORE_OBJECTS = frozenset(
    """to for with about of at on from by like without behind beside near against than after before around love miss
    help trust hate thank see saw tell told give gave show owe meet met hear believe ask call let make want need know
    remember hurt leave bring take kiss hug forgive follow pay""".split()
)
# What a noun does not begin with.
_NO_NOUNS = frozenset(
    "to for with about of at on in from by and or but so if when because again now here there".split()
)
# Beside `you` as an object the listener is none of these.
_OF_BOTH = frozenset("we we're we've we'll we'd".split())
_UNTURNED = frozenset("y'all ya yall thou thee u ur xx xxx luv".split())
# Words that stand beside each other in no plain sentence: what was typed is not to be mended here.
_NO_ENGLISH = frozenset(
    (who, verb) for who in ("you", "we", "they", "i") for verb in ("isn't", "is", "hasn't", "has", "doesn't")
) | frozenset(("your", word) for word in ("on", "a", "the", "so", "not", "going"))


def _turned(tokens: Sequence[str]) -> list[str] | None:
    """Return the words of who speaks as those of who listens; None where it is not clear what stands for whom."""
    low = [token.casefold() for token in tokens]
    is_of_two = {"us", "our"} & set(low) and {*_LISTENER, "you"} & set(low)
    if is_of_two or set(low) & _UNTURNED or any(pair in _NO_ENGLISH for pair in pairwise(low)):
        return None
    told = list(tokens)
    for at, word in enumerate(low):
        if word in _SPEAKER:
            told[at] = _SPEAKER[word]
            if word == "i":
                _agree(told, low, at, _AFTER_YOU)
        elif word in _LISTENER:
            told[at] = _LISTENER[word]
        elif word == "you" and low[at + 1 : at + 2] and low[at + 1] in _CALLED_NAMES:
            return None
        elif word == "you":
            part = _part_of_you(low, at)
            if not part or (part == "me" and _OF_BOTH & set(low)):
                return None
            told[at] = part
            if part == "I":
                _agree(told, low, at, _AFTER_I)
                if at and low[at - 1] in _BEFORE_I:
                    told[at - 1] = _BEFORE_I[low[at - 1]]
    for at, word in enumerate(low[:-1]):
        if word in _AFTER_YOU and low[at + 1] == "i":
            told[at] = _AFTER_YOU[word]
        if word == "you" and low[at + 1] in ("two", "both") and told[at] == "I":
            told[at] = "we"
    return told


# What somebody is called after `you`.
_CALLED_NAMES = frozenset(
    "creep weirdo idiot fool bastard liar genius legend star angel darling moron jerk prick scoundrel devil beauty"
    " clown muppet absolute little old big silly dirty lucky poor total".split()
)


def _agree(told: list[str], low: Sequence[str], at: int, forms: Mapping[str, str]) -> None:
    """Put the verb after a pronoun into its form, in place; an adverb may stand between them."""
    verb = at + 2 if at + 1 < len(low) and low[at + 1] in _BETWEEN else at + 1
    is_asked = at > 0 and low[at - 1] in _AUXILIARIES
    if verb < len(low) and low[verb] in forms and not is_asked:
        told[verb] = forms[low[verb]]


def _part_of_you(low: Sequence[str], at: int) -> str:
    """Return what `you` becomes: `I`, or `me` where it is an object; empty where that is not clear."""
    before, after = (low[at - 1] if at else ""), (low[at + 1] if at + 1 < len(low) else "")
    is_clear_end = not after or after in _NO_NOUNS or after == ","
    if before in ("were", "was") and at > 1 and low[at - 2] == "i":
        return "me"
    if before in _BEFORE_THAT and not is_clear_end:
        return "I"
    is_tag = before.endswith("n't") or at < 2 or low[at - 2] in _ASKING
    if before in _AUXILIARIES and (not is_clear_end or is_tag):
        return "I"
    if after in _AUXILIARIES | _BETWEEN and before not in _BEFORE_OBJECTS - _JOINING:
        return "I"
    if (before in _BEFORE_OBJECTS and not (before in _JOINING and _acts(after))) or (is_clear_end and before):
        return "me"
    if _acts(after) and (not before or before == "," or before in _BEFORE_CLAUSES | _JOINING or not is_verb(before)):
        return "I"
    return "me" if is_verb(before) else ""


# Behind these comes what one hopes or thinks: `I hope you brought it`.
_BEFORE_THAT = frozenset("hope bet think guess reckon suppose".split())
_ASKING = frozenset((",", "where", "who", "what", "how", "why", "when"))


def _acts(word: str) -> bool:
    """Tell whether a word is a verb, as it stands after `you`, in whichever tense."""
    return is_verb(word) or word.endswith("ed") or word in _PASTS


_PASTS = frozenset(
    """let said knew went came saw took gave got made told left lost thought felt found kept heard had ran sat stood met
    paid put read wrote spoke sold brought bought began broke fell forgot held hid hurt led lit meant rode rose sent
    shot slept stole swore taught threw woke wore won""".split()
)
# After these a clause may begin.
_JOINING = frozenset("like know believe before after than see hear forget remember".split())
_BEFORE_CLAUSES = frozenset(
    "that if when because what why how where who whether but and so think while as hope wish bet guess mean sure"
    " glad swear suppose".split()
)


def _joined(told: Sequence[str], nouns: Nouns) -> str:
    """Return words as they stand within a sentence, names with their capitals."""
    people = (*nouns.people, *nouns.known_people)
    names = {word.casefold(): word for person in people for word in person.name.split() if word[:1].isupper()}
    spelled = [names.get(word.casefold(), word) for word in told]
    first = spelled[0]
    if first.casefold() not in names and first.partition("'")[0] != "I" and first[:1].isupper() and first[1:].islower():
        is_common = first.casefold() in _COMMON or is_verb(first.casefold())
        spelled[0] = first.lower() if is_common else first
    return re.sub(r" ,", ",", " ".join(spelled))


# First words of a sentence that are no name.
_COMMON = frozenset(
    """a an the this that these those there it it's that's there's he she they we he's she's they're we're you you're
    you've your my mine nobody everybody somebody anybody nothing everything something some any all what why when where
    who how which whether is are was were do does did don't doesn't didn't can can't could couldn't would will have has
    had not no one if because since while in on at for with from to of as so too such only just never always maybe
    perhaps our his her their its four five two three long old new good bad another other both every each""".split()
)


# A question of a line in direct speech.

_SENTENCE_END = re.compile(r"[.!?;:]+[\"”']*\s+|[\"“”]")
_ASKED_ABOUT = re.compile(r".*\bask(?:s|ed|ing)? (?:[\w'-]+ ){1,5}?about (?!how|what|who|where|when|why)", re.I)
_INDIRECT = re.compile(
    r".*\bask(?:s|ed|ing)?\b.*?\b(?P<joint>if|whether|what|who|where|when|why|how|which|for|to)\b(?P<rest>.*)",
    re.IGNORECASE,
)
_OF_ANOTHER = re.compile(
    r"^(?P<who>he|she|they|it)(?:'s| (?P<verb>is|are|was|were|has|have|had|can|could|will|would|does|do|did|should)"
    r"| (?P<how>(?:\w+ly |still |ever |also |even |just )*)(?P<does>[a-z]+s))?\b(?P<rest>.*)",
    re.IGNORECASE,
)

# What two have together.
_TOGETHER = frozenset("rematch game round dance go try bet match truce deal trade walk talk".split())


def asked_words(line: str, topic: str) -> tuple[str, bool]:
    """Return the question of a line that a topic was taken from, in direct speech (`could you take me there` for `I ask
    whether she could take me there`), and whether a question mark ends it."""
    line = spelled_out(line.replace("’", "'"), set())
    wanted = {word.low for word in words_of(topic)}
    parts = [part for part in _SENTENCE_END.split(line) if part and part.strip()]
    best = max(
        parts,
        key=lambda part: (len(wanted & {word.low for word in words_of(part)}), f"{part.rstrip(' ?')}?" in line),
        default=line,
    )
    return _in_direct_speech(best), f"{best.rstrip(' ?')}?" in line


def _in_direct_speech(best: str) -> str:
    if _ASKED_ABOUT.match(best):
        return ""
    found = _INDIRECT.match(best)
    if found is None:
        return best
    joint, rest = found["joint"].lower(), found["rest"].strip()
    if joint == "for" and _TOGETHER & {word.low for word in words_of(rest)}:
        return f"shall we have {rest}"
    if joint in ("for", "to"):
        return f"can I have {rest}" if joint == "for" else f"could you {rest}"
    third = _OF_ANOTHER.match(rest)
    if joint in ("if", "whether") and third is not None and third["who"].lower() != "it":
        does, how = _plain_verb(third["does"] or ""), third["how"] or ""
        return " ".join(f"{'do' if does else third['verb'] or 'are'} you {how}{does} {third['rest']}".split())
    rest = re.sub(r"\b(?:he|she|they)(?:'s| is| are)\b", "are you", rest, flags=re.IGNORECASE)
    rest = re.sub(r"\b(?:he|she|they)\b", "you", rest, flags=re.IGNORECASE)
    rest = re.sub(r"\b(?:his|their|her)\b(?= \w)", "your", rest, flags=re.IGNORECASE)
    return rest if joint in ("if", "whether") else f"{joint} {rest}"
