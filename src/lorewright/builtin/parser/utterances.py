"""A line of the player's -> clauses: each is something done, or something said."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lorewright.builtin.parser.clauses import Clause, Word, lexicon, longest_prefix, lows


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
            spoken = _addresses(words[index:], people) or is_said(words[index : _end(words, index)])
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


# Statements: `I'm only here to get out of the wet` is said, `I sit down` is done.

# Before what is said, with or without a comma.
_INTERJECTIONS = frozenset(
    """oh ah aye well hey look listen no yes ok okay right so but anyway actually honestly really sure fine um uh please
    sorry now alas god alright hello hi thanks because""".split()
)
# Words that make a finished sentence of what stands before them.
_FINITE = frozenset(
    """is are was were am has have had will would can could should must might may isn't aren't wasn't weren't hasn't
    haven't hadn't won't wouldn't can't couldn't shouldn't doesn't don't didn't does did do looks sounds seems smells
    feels means makes takes needs wants knows thinks says said told asked sent gave took left came went lied owes""".split()
)
_CONTRACTED = frozenset(
    """i'm i've i'd i'll it's that's there's here's he's she's they're they've they'll we're we've we'll you're you've
    you'll you'd he'd she'd he'll she'll it'll that'll nobody's somebody's who'd""".split()
)
# After `I`: what is no deed.
_OF_MIND = frozenset(
    """am was have had don't didn't can't couldn't won't wouldn't never think know knew believe guess suppose hope wish
    need like love hate heard saw miss missed thought owe mean meant only still already used want trust understand
    agree doubt said come lost found should must might used've do did may forgot feel felt prefer expect swear bet
    reckon fancy ran worked lived wasn't haven't hadn't shouldn't appreciate admire remember""".split()
)
# After `you`: what is said of somebody, and no deed of the player told in the second person.
_OF_YOU = frozenset(
    """are were have had know don't didn't can't couldn't should must never said promised can could will would might
    seem sound owe always lied lie aren't weren't haven't won't wouldn't shouldn't ought said're need want got really do
    did deserve remind're""".split()
)
_SUBJECTS = frozenset(
    """it that this there they he she we those these nobody somebody everybody everyone everything nothing something
    someone anyone all one none both here""".split()
)
_DETERMINERS = frozenset("the my your his her our their a an no some any".split())
_REMARKS = frozenset(
    """nice good great bad lovely lucky poor sad strange funny odd cold hot warm long quite such too very quiet busy
    pretty beautiful awful terrible amazing brilliant wonderful charming delicious interesting impressive clever
    excellent rough tough late early dark wet same not never maybe perhaps probably only just""".split()
)
_SAID = tuple(
    tuple(phrase.split())
    for phrase in sorted(
        (
            *(
                "don't",
                "do not",
                "never mind",
                "forget it",
                "of course",
                "no problem",
                "no worries",
                "my name",
                "trust me",
            ),
            *(
                "believe me",
                "come on",
                "calm down",
                "shut up",
                "stop it",
                "be careful",
                "watch out",
                "no need",
                "no way",
            ),
            *(
                "no thanks",
                "not yet",
                "not really",
                "not now",
                "me too",
                "me neither",
                "same here",
                "fair enough",
                "good for",
            ),
            *(
                "what a",
                "my god",
                "good luck",
                "take care",
                "take your time",
                "long time",
                "mind you",
                "if you",
                "if i",
            ),
            *("as you", "whatever you", "suit yourself", "how nice", "how sad", "how odd", "how kind", "how strange"),
            *(
                "how lovely",
                "how awful",
                "cheers",
                "bless you",
                "go on then",
                "let me be",
                "leave me alone",
                "get lost",
            ),
            *(
                "i see",
                "you see",
                "you look",
                "you bet",
                "you know",
                "at least",
                "like i",
                "speak up",
                "one more thing",
            ),
            *(
                "just asking",
                "just curious",
                "just wondering",
                "just looking",
                "only asking",
                "only looking",
                "stop lying",
            ),
            *(
                "it depends",
                "cross my heart",
                "on my honour",
                "between us",
                "no offence",
                "for what it's worth",
                "go away",
            ),
        ),
        key=lambda phrase: -len(phrase.split()),
    )
)
# What makes a deed of `you look`.
_LOOKS = frozenset(
    "at around about under in into behind over up down for through out round inside beneath back".split()
)


def is_said(words: Sequence[Word]) -> bool:
    """Return True for words that are a statement or a remark to somebody, not an act; questions are neither."""
    low = [word for word in lows(words)]
    while low and (low[0] in _INTERJECTIONS or not low[0]) and len([word for word in low if word]) > 1:
        low = low[1:]
    plain = [word for word in low if word]
    if not plain:
        return False
    first, second = plain[0], (plain[1] if len(plain) > 1 else "")
    if longest_prefix(plain, lexicon().lead_ins) and first not in _INTERJECTIONS:
        return False
    if first == "you" and second == "look":
        return bool(plain[2:]) and plain[2] not in _LOOKS
    if longest_prefix(plain, _SAID) or first in _CONTRACTED:
        return True
    if first == "i":
        return second in _OF_MIND and not (second in ("need", "want", "have") and plain[2:3] == ["to"])
    if first == "you":
        return second in _OF_YOU
    if first in _SUBJECTS:
        return second in _FINITE or (len(plain) > 2 and plain[2] in _FINITE)
    if first in _DETERMINERS:
        return any(word in _FINITE for word in plain[2:7])
    if first in _REMARKS:
        return not longest_prefix(plain, lexicon().verb_phrases)
    return False
