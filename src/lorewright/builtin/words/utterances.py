"""A line of the player's -> clauses: each is something done, or something said."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from lorewright.builtin.words.clauses import Clause, Word, lexicon, longest_prefix, lows, typed, words_of
from lorewright.scene_lore.nouns import is_verb


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
            sentence = words[index : _end(words, index)]
            spoken = _addresses(words[index:], people) or is_said(sentence) or _is_asked(sentence)
        if word.kind == "stop" and index not in held:
            clauses.append(Clause(tuple(current), question="?" in word.text))
            current = []
        elif index not in held and (
            _begins_anew(words, index, people)
            or (not spoken and (_cuts(words, index, verbs) or _turns_to(words, index, people)))
        ):
            clauses.append(Clause(tuple(current)))
            current = []
        else:
            current.append(word)
    clauses.append(Clause(tuple(current)))
    return [clause for clause in map(_trim, clauses) if clause.words]


def _is_asked(sentence: Sequence[Word]) -> bool:
    """Tell whether a sentence asks whether somebody does things: `does anybody come and go at night`."""
    low = lows(sentence)
    return low[:1] != [""] and bool(low[1:2]) and low[0] in _WHETHER and low[1] in _ASKED_AFTER


_WHETHER = frozenset("is are was were does do did has have had could would will can".split())
_ASKED_AFTER = frozenset(
    "anyone anybody someone somebody people nobody everyone everybody he she they he it there".split()
)


def _end(words: Sequence[Word], start: int) -> int:
    """Return the index of the stop that ends the sentence."""
    return next((index for index in range(start, len(words)) if words[index].kind == "stop"), len(words))


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
    titled = titled_name(words)
    return bool(titled and words[titled].kind == "comma") or any(
        low[: len(name)] == list(name) and len(words) > len(name) and words[len(name)].kind == "comma"
        for name in people
    )


def titled_name(words: Sequence[Word]) -> int:
    """Return how many words at the beginning are a title and a name, before a sign: `Mr Gaunt, …`; 0 for none."""
    at = next((at for at, word in enumerate(words[:4]) if word.kind != "word"), 0)
    is_name = at > 1 and words[0].low in TITLES and all(word.text[:1].isupper() for word in words[1:at])
    return at if is_name else 0


TITLES = frozenset(
    "mr mrs ms miss dr doctor captain constable sergeant officer sister brother father mother lady lord".split()
)


def _begins_anew(words: Sequence[Word], index: int, people: Sequence[Sequence[str]]) -> bool:
    """Tell whether a comma ends what is said: what follows is an act of one's own, a question (`you owe me, where is
    she`), or is put to somebody by name."""
    if words[index].kind != "comma":
        return False
    rest = words[index + 1 :]
    low = lows(rest)
    start = next((at + 1 for at in range(index - 1, -1, -1) if words[at].kind in ("stop", "comma")), 0)
    if _speaks_to(words[start:index]):
        return False
    is_asked = low[1:2] and low[1] in _SUBJECTS and not _may_call(words[start:index])
    if (
        index - start > 2
        and (is_said(words[start:index]) or is_asked)
        and low[:1]
        and low[0] in _WH
        and low[1:2] != ["a"]
    ):
        return True
    is_act = low[:1] == ["i"] and not is_said(rest) and bool(longest_prefix(low[1:], lexicon().verb_phrases))
    asked = (low[len(name) : len(name) + 2] for name in people if list(low[: len(name)]) == list(name))
    return is_act or any(len(after) > 1 and after[0] in _MODALS and after[1] == "you" for after in asked)


def _may_call(words: Sequence[Word]) -> bool:
    """Tell whether words before a comma may be no more than a name that is called: `hey Sister Wren`, `The Grey Mask`.
    It goes by their form, so that it is read alike for a hidden and a made-up name."""
    low = lows(words)
    if not low:
        return False
    is_hailed = low[0] in _HAILS
    name = words[1:] if is_hailed else words
    is_name = is_hailed or low[0] == "the" or _begins_with_name(words)
    return 0 < len(name) <= _NAME_SIZE and is_name and not longest_prefix(lows(name), lexicon().verb_phrases)


_HAILS = frozenset(("hey", "hello", "hi", "oh", "o", "dear", "ah", "yo", "oi"))
_NAME_SIZE = 4
_SUBJECTS = frozenset("she he they is are was were did do does you".split())


def _speaks_to(words: Sequence[Word]) -> bool:
    """Tell whether words say no more than to whom something is said: `I answer Bram`."""
    low = [word for word in lows(words) if word not in ("i", "we", "")]
    return bool(low) and low[0] in lexicon().saying and len(low) <= _SPEAKS_TO


# So many words say no more than to whom something is said: `I answer Bram: …`.
_SPEAKS_TO = 4
_WH = frozenset("where who what when why how where's who's what's when's why's how's anyone anybody".split())
_MODALS = frozenset(("can", "could", "will", "would", "do", "did", "are", "have"))


def _turns_to(words: Sequence[Word], index: int, people: Sequence[Sequence[str]]) -> bool:
    """Tell whether `and` is followed by a person and `about`: another question, to another person."""
    if words[index].low != "and" or all(word.low != "about" for word in words[:index]):
        return False
    low = [word.low for word in words[index + 1 :]]
    return any(low[: len(name)] == list(name) and low[len(name) : len(name) + 1] == ["about"] for name in people)


def _cuts(words: Sequence[Word], index: int, verbs: Collection[tuple[str, ...]]) -> bool:
    word = words[index]
    if word.kind == "word" and word.low == "then":
        return True
    if word.kind != "comma" and word.low != "and":
        return False
    if word.text == ":" and _is_saying(words[:index]):
        return False
    if words[index + 1 : index + 2] and words[index + 1].kind == "speech" and words[index - 1].low in lexicon().saying:
        return False
    low = lows(words[index + 1 :])
    if word.kind == "comma" and low[:1] == ["i"] and _speaks_to(words[:index]):
        return False
    is_participle = bool(low) and len(low[0]) > 5 and low[0].endswith("ing") and word.kind == "comma"
    return _begins_with_verb(low, verbs) or is_participle


def _is_saying(before: Sequence[Word]) -> bool:
    """Tell whether words end with somebody who is told what follows: `I answer Bram`."""
    return any(word.low in lexicon().saying for word in before[-4:])


def _begins_with_verb(low: list[str], verbs: Collection[tuple[str, ...]]) -> bool:
    lex = lexicon()
    while low and (low[0] in ("", "and", "then") or low[0] in lex.adverbs):
        low = low[1:]
    return bool(longest_prefix(low, lex.verb_phrases) or longest_prefix(low, verbs)) or _reads_as_act(low)


def _reads_as_act(low: Sequence[str]) -> bool:
    """Tell whether a word that is no known verb stands where one does: before an object, and not after an article."""
    lex = lexicon()
    known = lex.articles | lex.person_pronouns | lex.thing_pronouns | lex.about | lex.statements["subjects"]
    is_word = bool(low) and low[0].isalpha() and len(low[0]) > 2 and low[0] not in known | lex.statements["remarks"]
    if not is_word or len(low) < 2 or low[0] in lex.statements["joints"]:
        return False
    is_reach = low[0] in _REACHING and low[1] in ("for", "at", "to")
    return is_reach or low[1] in lex.statements["objects"] or (is_verb(low[0]) and low[1] in _BEHIND_VERBS)


# Verbs that are hardly ever nouns, and stand before these.
_REACHING = frozenset("reach aim point grope listen head gesture stretch motion".split())


# Words that stand behind a verb, and hardly ever behind a noun that looks like one.
_BEHIND_VERBS = frozenset(
    "up down out off away back over aside forward around about alone quietly slowly carefully softly into onto towards"
    " through across along toward".split()
)


_JOINING = frozenset(("and", "then"))


def _trim(clause: Clause) -> Clause:
    """Return the clause without commas and joining words at either end."""
    words = list(clause.words)
    while words and (words[0].kind == "comma" or words[0].low in _JOINING):
        del words[0]
    while words and (words[-1].kind == "comma" or words[-1].low in _JOINING | {"only"}):
        del words[-1]
    return Clause(tuple(words), clause.question)


# Clauses in other words, so that the frames of the verbs read them.


def main_clauses(clause: Clause) -> Iterator[Clause]:
    """Yield a clause of an act up to a conjunction after its third word, or to a comma: `go to the market before the
    tide turns`."""
    plainer = _without_manner(clause)
    if plainer.words and plainer != clause:
        yield plainer
    low = lows(clause.words)
    if clause.question or not any(longest_prefix(some, lexicon().verb_phrases) for some in (low, low[1:])):
        return
    if low[:1] == ["wait"] and longest_prefix([word for word in low[1:] if word], lexicon().question_words):
        return
    for at in range(len(low) - 1, 0, -1):
        is_purpose = low[at] == "to" and low[at + 1 : at + 2] and low[at + 1] in _PURPOSES
        if low[at] in _CONJUNCTIONS or is_purpose or clause.words[at].kind == "comma":
            yield Clause(clause.words[:at])


# How something is done: with what part of the body, in what voice, how often. `your` is the player's in a narration.
_MANNER = re.compile(
    r"(?:,? (?:twice|once|thrice|\w+ times|under my breath|at the same time"
    r"|(?:with|in|by|under) (?:my|both|one|two|a|the)(?: [\w-]+){0,3}? (?:voice|tone|whisper|breath|manner|way|fashion"
    r"|hurry|rush|hands?|fingers?|knuckles|arms?|foot|feet|elbow|eyes|fist|palm|thumb|time|silence)"
    r"|as \w+ as [\w' ]+?|without (?:even )?\w+ing(?: \w+){0,3}?|like))(?= \w|,|$)",
    re.IGNORECASE,
)


def _without_manner(clause: Clause) -> Clause:
    """Return a clause without what it says of how something is done."""
    if any(word.kind == "speech" for word in clause.words):
        return clause
    said = typed(clause.words)
    plain = _MANNER.sub("", re.sub(r"\byour\b", "my", said, flags=re.IGNORECASE))
    return clause if plain == said else Clause(tuple(words_of(plain)), clause.question)


# Words that begin a clause that says when, why or how.
_CONJUNCTIONS = frozenset(
    "before after until till while without because since unless so as when where if who or though although even like"
    " hoping pretending trying".split()
)
# Words after `to` with which an act says what it is done for.
_PURPOSES = frozenset("see check hear find make show feel keep watch try be avoid stop help prove let".split())


def without_participle(words: Sequence[Word]) -> Sequence[Word]:
    """Return the words with a verb in place of its participle, where they begin with one: `closing the door`."""
    low = words[0].low if words else ""
    is_ahead = low == "going" and lows(words[1:2]) == ["to"] and longest_prefix(lows(words[2:]), lexicon().verb_phrases)
    if not words or not low.endswith("ing") or low in lexicon().verb_words or is_ahead:
        return words
    stem = low.removesuffix("ing")
    bases = (stem, f"{stem}e", stem[:-1] if stem[-1:] == stem[-2:-1] else stem)
    base = next((base for base in bases if base in lexicon().verb_words and len(base) > 1), "")
    return (Word(base, base), *words[1:]) if base else words


def without_pardon(words: Sequence[Word]) -> Sequence[Word]:
    """Return a question without the pardon that is begged before it: `excuse me, do you know …`."""
    low = lows(words)
    begged = longest_prefix(low, _PARDONS)
    if not begged:
        return words
    at = next((at for at in range(len(begged), len(low)) if words[at].kind not in ("comma", "stop")), 0)
    asks = any(longest_prefix(low[start:], lexicon().question_words) for start in (at, _after_comma(words, at)))
    has_comma = any(word.kind == "comma" for word in words[len(begged) : len(begged) + 1])
    is_called = begged[-1:] == ("me",) and has_comma and len(words) - at > _MORE_THAN_NAME
    return words[at:] if at and (asks or is_called) else words


def without_lead(words: Sequence[Word]) -> Sequence[Word]:
    """Return a question without the small words before it: `ok fine, who's there`; other words as they are."""
    low = lows(words)
    at = 0
    while at < len(low) - 2 and (low[at] in _LEADS or (at and not low[at])):
        at += 1
    rest = low[at:]
    if not at:
        return words
    asks = longest_prefix(rest, lexicon().question_words) and rest[0] in _ASKING and rest[1] not in _IN_EXCLAMATIONS
    is_to_anybody = rest[0] in ("anyone", "anybody") and len(rest) > 2
    return words[at:] if asks or is_to_anybody else words


def without_tag(words: Sequence[Word]) -> Sequence[Word]:
    """Return a statement without what asks for agreement at its end: `this is awkward, isn't it`; other words as they
    are."""
    low = lows(words)
    comma = max((at for at, word in enumerate(words) if word.kind == "comma"), default=0)
    tag = [word for word in low[comma + 1 :] if word]
    is_tag = " ".join(tag) in _TAGS or (len(tag) == 2 and tag[0] in _TAG_VERBS and tag[1] in _TAG_SUBJECTS)
    return words[:comma] if comma > 1 and is_tag else words


_TAGS = frozenset(("right", "eh", "huh", "yeah", "no", "surely", "innit", "i suppose", "i guess", "is that so", "hm"))
_TAG_VERBS = frozenset(
    """isn't aren't didn't don't doesn't wasn't weren't won't can't couldn't wouldn't haven't hasn't hadn't is are did
    do does was were will can could would have has had shouldn't should""".split()
)
_TAG_SUBJECTS = frozenset(("it", "you", "he", "she", "they", "we", "i", "there"))


_LEADS = frozenset(
    """wait ok okay k fine n and so well hey ugh oh but no yes yeah yep right alright look listen hm hmm huh sorry lol
    please now then anyway also er um uh ah aha damn god really seriously honestly actually creepy weird cool nice
    great good sure true hang hold on sec tho though btw""".split()
)
_ASKING = frozenset(
    """where who what when why how which is are does do did has have was were who's what's where's when's why's how's
    whose can could would will whom""".split()
)
_IN_EXCLAMATIONS = frozenset(("a", "an", "the heck"))


def _after_comma(words: Sequence[Word], start: int) -> int:
    """Return the index behind the next comma, where it is no further than a name; else `start`."""
    comma = next((at for at in range(start, min(start + 4, len(words))) if words[at].kind == "comma"), None)
    return start if comma is None else comma + 1


# After a pardon more words than a name has are what one wants to say.
_MORE_THAN_NAME = 3
_PARDONS = (
    ("i", "beg", "your", "pardon"),
    ("excuse", "me"),
    ("pardon", "me"),
    ("forgive", "me"),
    ("pardon",),
    ("sorry",),
)


def said_after_colon(words: Sequence[Word]) -> tuple[Sequence[Word], Sequence[Word]]:
    """Return to whom something is said, and that: of `answer Bram: I never met her`. Nothing where no colon follows
    such a word."""
    at = next((at for at, word in enumerate(words[:6]) if word.text == ":"), 0)
    if not at or words[0].low not in lexicon().saying:
        return (), ()
    whom = [word for word in words[1:at] if word.low not in ("to", "back", "the")]
    return whom, words[at + 1 :]


_FELT = frozenset("my along around about for under behind inside the".split())

# Statements: `I'm only here to get out of the wet` is said, `I sit down` is done.


def _begins_with_name(words: Sequence[Word]) -> bool:
    """Tell whether words begin with what is written like a name, and is no verb: `Mr Gaunt said`."""
    first = words[0]
    known = lexicon().verb_words | lexicon().articles | {words[0] for words in lexicon().question_words}
    return first.kind == "word" and first.text[:1].isupper() and first.low not in known


# Words that begin what somebody denies of themselves, without `I`: `can't see a thing`.
_DENIALS = frozenset("can't couldn't won't didn't doesn't isn't wasn't haven't hasn't".split())
_HABITUAL = frozenset("just only merely usually always sometimes often normally rarely mostly simply".split())


def is_said(words: Sequence[Word]) -> bool:
    """Return True for words that are a statement or a remark to somebody, not an act; questions are neither."""
    lex = lexicon()
    known, low = lex.statements, list(lows(words))
    small = known["interjections"] | {words[0] for words in lex.address if len(words) == 1}
    while low and (low[0] in small or not low[0]) and len([word for word in low if word]) > 1:
        low = low[1:]
    plain = [word for word in low if word]
    if not plain:
        return False
    first, second, third = (*plain, "", "")[:3]
    lead = longest_prefix(plain, lex.lead_ins)
    if lead and first not in known["interjections"] and longest_prefix(plain[len(lead) :], lex.verb_phrases):
        return False
    if first == "don't" and len(longest_prefix(plain, lex.verb_phrases)) > 1:
        return False
    if first == "you" and second in known["seem"]:
        return bool(third) and third not in known["after_look"]
    if first in known["contracted"] or longest_prefix(plain, lex.said):
        return True
    if first in _DENIALS and len(plain) > 1:
        return True
    if first == "i" and second in ("warn", "beg", "tell") and third == "you":
        return True
    if first == "i" and second in ("don't", "do") and len(longest_prefix(plain[1:], lex.verb_phrases)) > 1:
        return False
    if first == "i" and second in _HABITUAL:
        return not longest_prefix(plain[2:], lex.verb_phrases)
    if first == "i" and second == "feel" and third in _FELT:
        return False
    if first == "i":
        return second in known["of_mind"] and not (second in ("need", "want", "have") and third == "to")
    if first == "you":
        return second in known["of_you"]
    if first in known["subjects"]:
        return second in known["finite"] or third in known["finite"]
    if _begins_with_name(words) and {second, third} & known["finite"]:
        return True
    if first in known["determiners"]:
        return any(word in known["finite"] for word in plain[2:7])
    return first in known["remarks"] and not longest_prefix(plain, lex.verb_phrases)


def offered(text: str) -> str:
    """Return `give my coat to Ann` for `Ann, here, take my coat`, other lines as they are."""
    found = _OFFERED.match(text)
    if found is None:
        return text
    named = found["whom"] or found["too"]
    given = f"give {found['what']} to {named}" if named else f"hand over {found['what']}"
    return f"I {given}{text[found.end() :]}"


_OFFERED = re.compile(
    r"(?:(?P<whom>(?-i:[A-Z])\w+), )?here,? (?:(?P<too>(?-i:[A-Z])\w+), )?(?:you can )?(?:take|have|keep) "
    r"(?P<what>my [\w'-]+(?: (?!and\b|then\b|for\b|to\b|so\b|if\b|with\b|as\b|but\b)[\w'-]+)?)",
    re.IGNORECASE,
)


def with_my(text: str) -> str:
    """Return `put my hand out` for `put me hand out`, other lines as they are."""
    return _ME_HAND.sub("my", text)


_ME_HAND = re.compile(
    r"(?<!\bgive )(?<!\btell )(?<!\bshow )(?<!\blend )\bme(?= (?:hands?|ears?|eyes?|nose|mouth|mouf|head|ed|hair|face"
    r"|arms?|legs?|feet|foot|pockets?|coat|jacket|hat|bag|boots?|shoes?|fingers?|thumb|back|knees?|lap|neck|shoulders?"
    r"|sleeves?)\b)",
    re.IGNORECASE,
)
