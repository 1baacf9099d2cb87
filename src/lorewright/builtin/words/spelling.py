"""What was typed -> the words that it stands for: slang, lost apostrophes, letters for words; names stay."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from rapidfuzz.distance import OSA

from lorewright.builtin.words.clauses import lexicon
from lorewright.builtin.words.english import ALIKE, cost_of, is_english, is_name, likely_words, sound_of
from lorewright.builtin.words.plain_words import cut_apart, goes_on, in_plain_words, is_open, with_spaces
from lorewright.builtin.words.short_words import act_of_signs, begins_act, begins_verb, word_meant
from lorewright.scene_lore.nouns import common_verbs, function_words, is_verb, known_words

_TOKEN = re.compile(r"w/|'em\b|[&+](?= )|[^\W_]+(?:['’-][^\W_]+)*")
_STRETCHED = re.compile(r"([a-z])\1{2,}")
_WHATEVER = re.compile(r"\bw/e\b")
_SHOUTED = re.compile(r"([?!])[?!]+")


# A single word of fewer letters is a command.
_SHORT = 3


def has_mood(text: str) -> bool:
    """Tell whether a text has words that mean nothing but a mood of who types."""
    return any(_is_noise(token[0].casefold()) for token in _TOKEN.finditer(text))


# `lmaooo`, `hahaha`.
_LAUGHTER = re.compile(r"l+o+l+(?:z+|o+l+)*|l+m+f?a+o+|r+o+f+l+|(?:a?(?:ha|he|hi)h?){2,}a?|x+d+|z+o+m+g+|o+m+g+")


def _is_noise(low: str) -> bool:
    return low in lexicon().noise or _LAUGHTER.fullmatch(low) is not None


def spelled_out(text: str, names: Collection[str], shown: Collection[str] = ()) -> str:
    """Return a cleaned text with slang and common misspellings as the words that they stand for.

    `names` are words of names in scope, `shown` those of what the prose shows, in lower case: they are left alone. A
    text that is a single word is a command (`n`, `i`), and stays.
    """
    if (act := act_of_signs(text)) != "":
        return act
    text = _SHOUTED.sub(lambda found: "?" if "?" in found[0] else "!", with_spaces(_WHATEVER.sub("whatever", text)))
    tokens = list(_TOKEN.finditer(text))
    if len(tokens) < 2 and len(text) < _SHORT:
        return text
    parts: list[str] = []
    done = 0
    fillers = _fillers([token[0].casefold() for token in tokens], text, names)
    for number, token in enumerate(tokens):
        if number in fillers:
            parts.append(text[done : token.start()])
            done = token.end()
            continue
        after = tokens[number + 1][0].casefold() if number + 1 < len(tokens) else ""
        before = tokens[number - 1][0].casefold() if number else _before_first([each[0] for each in tokens], names)
        is_end = number + 2 >= len(tokens)
        if token[0].casefold() not in names and _parts(text, token, before, after):
            parts += [text[done : token.start()], "."]
            done = token.end()
            continue
        if number and token[0].casefold() in _ABOUT_TO and _STOPS.search(text, tokens[number - 1].end(), token.start()):
            before = ""
        word = _read_as(token[0], names, shown, before, after, is_end=is_end)
        parts += [text[done : token.start()], word]
        done = token.end()
    out = "".join((*parts, text[done:]))
    return cut_apart(in_plain_words(out.lstrip(" ,.;!"), names), names) or text


# Words that mean something else where they begin.
_ABOUT_TO, _STOPS = ("gonna", "gunna"), re.compile(r"[.!?;,:…]")


def _parts(text: str, token: re.Match[str], before: str, after: str) -> bool:
    """Tell whether a laugh or a curse stands between two things that are said: `he locked me in wtf open the door`."""
    is_between = text[token.start() - 1 : token.start()] == text[token.end() : token.end() + 1] == " "
    low = token[0].casefold()
    if (
        not is_between
        or not before
        or (low not in lexicon().parting | lexicon().calls and not _LAUGHTER.fullmatch(low))
    ):
        return False
    said = re.split(r"[.,;:!?]", text[: token.start()])[-1].split()
    rest = re.split(r"[.,;:!?]", text[token.end() :])[0].split()
    is_told = said[:1] in (["you"], ["u"], ["ur"], ["your"]) and not is_open(after)
    is_whole = len(said) > 1 and len(rest) > 1 and said[-1] == before and not is_told
    return is_whole and not is_open(before) and before not in _TAKES_AN_END and not goes_on(after)


def _fillers(low: Sequence[str], text: str, names: Collection[str]) -> set[int]:
    """Return the places of words at the ends of a line that only call somebody, or add nothing to what is meant."""
    return {*_fillers_at_end(low, text, names), *_fillers_before(low, text, names)}


def _fillers_at_end(low: Sequence[str], text: str, names: Collection[str]) -> range:
    lex = lexicon()
    for tail in lex.tails:
        start = len(low) - len(tail)
        if start > 1 and tuple(low[start:]) == tail and low[start - 1] not in _TAKES_AN_END:
            return range(start, len(low))
    is_open = len(low) >= _SHORT and not set(names) & lex.calls
    before = lex.spellings.get(low[-2], low[-2]) if is_open else ""
    is_call = is_open and low[-1] in lex.calls and before not in lex.articles | _TAKES_AN_END
    return range(len(low) - 1, len(low)) if is_call and not _SET_OFF.search(text) else range(0)


def _fillers_before(low: Sequence[str], text: str, names: Collection[str]) -> range:
    lex = lexicon()
    is_open = len(low) >= _SHORT and not set(names) & lex.calls
    if is_open and low[0] in names and low[1] in lex.calls and "," not in text[: len(low[0]) + len(low[1]) + _SHORT]:
        return range(1, 2)
    if (heard := _sounds(low)) and begins_verb(low[heard]):
        return range(heard)
    if len(low) > 2 and low[0] in ("idk", "dunno") and (low[1] in _THOUGHT_OF or begins_verb(low[1])):
        return range(1)
    is_called = is_open and low[0] in lex.calls and not re.match(r"\W*\w+\W*,", text)
    is_said_to = is_called and ((low[1],) in lex.question_words or low[1] in _SAID_TO or low[1] in names)
    return range(1) if is_said_to else range(0)


def _sounds(low: Sequence[str]) -> int:
    """Return how many words at the beginning are a sound that is made: `ding ding ding`."""
    return next((at for at, word in enumerate(low) if word not in _SOUNDS), 0)


# Words that are how things sound, and nothing else.
_SOUNDS = frozenset(
    "ding dong dingdong brring briing vroom boom kaboom bam pow thwack clonk boing beep bzzt bzz woosh whoosh swoosh"
    " splosh kaching tada tadaa psst achoo brum choo woof meow miaow arf".split()
)


# What is set off by a comma at the end calls somebody, and is left to that.
_SET_OFF = re.compile(r",\s*\w+\W*$")
# After not knowing, what one might do.
_THOUGHT_OF = frozenset("maybe perhaps prob probably just lets let's ill i'll".split())
# After these a word that may be a mere filler is none: `ask the mate`, `tell him idk`.
_TAKES_AN_END = frozenset(
    "of to with for from at by and or new old good best hey hi hello oi yo thanks cheers sorry him her them me "
    "tell say that is was".split()
)
# What is said to somebody begins so.
_SAID_TO = frozenset("you u ur your i im we lets gimme give get dont".split())


def _is_i_will(low: str, before: str, after: str) -> bool:
    """Tell whether `ill` stands for `I'll` by the words beside it: `don't chalk it ill pay later`."""
    verbs = lexicon().verb_words | {"be", "pay", "do", "have", "need"}
    return low == "ill" and after in verbs and before not in _BEFORE_SICK


_BEFORE_SICK = frozenset("be am is was feel feeling so very too are look looks look's fall falls the an".split())
# `Ill` is `I'll` after these, and at the beginning.
_BEFORE_ILL = frozenset(("", "and", "so", "then", "but", "now", "ok", "fine", "k", "well", "if", "that", "guess"))


def _read_as(
    token: str, names: Collection[str], shown: Collection[str], before: str, after: str, *, is_end: bool
) -> str:
    low = token.casefold()
    lex = lexicon()
    is_inner = bool(before and after)
    if low == "an" and begins_act(after) and token == low:
        return "and"
    if (
        low in names
        or low in shown
        or (low in ("ill", "id") and before not in _BEFORE_ILL and not _is_i_will(low, before, after))
    ):
        return token
    if word := word_meant(low, before, after, names):
        return word
    meant = lex.spellings.get(low, "")
    if meant and meant not in names and meant not in shown and _is_short_name(low, before, names):
        return token
    if _is_noise(low):
        return ""
    is_direction = not is_inner and (not after or before or after in ("then", "and", "s", "e", "w"))
    if low == "n" and is_direction:
        return token
    short = _STRETCHED.sub(r"\1", low)
    if short != low and (token.islower() or (token.isupper() and is_english(short) and len(short) > _SHORT)):
        low = token = short
    found = lex.homophones.get(low, {}).get(lex.spellings.get(before, before), "")
    found = found or ("" if low in _REAL_AFTER_ARTICLES and before in lex.articles else lex.spellings.get(low, ""))
    found = (
        found
        or _with_g(low)
        or ("" if before in _NAMED_AFTER else _with_number(low, names))
        or _in_other_letters(low, names, shown)
        or _mended(token, names, shown, before)
    )
    if low == "y" and (after in _AFTER_WHY or after in _SUBJECTS_AFTER_WHY):
        found = "why"
    if low == "were" and after in _AFTER_WHERE:
        found = "where"
    following = lex.spellings.get(after, after)
    is_owned = before in ("this", "that", "of", "all") and following == "doing"
    if (
        low in ("ur", "your", "yer")
        and not is_owned
        and (following in _AFTER_YOU_ARE or (following in _SAID_OF_YOU and is_end))
    ):
        found = "you're"
    if not found:
        return token
    return found[:1].upper() + found[1:] if token[:1].isupper() and len(token) > 1 else found


def _is_short_name(low: str, before: str, names: Collection[str]) -> bool:
    """Tell whether a word, which is no English one, is the beginning of a name that somebody may be called by: `dor`,
    of Dorrie."""
    is_called = len(low) >= _SHORT and before and before not in lexicon().articles and not is_english(low)
    return bool(is_called) and any(name.startswith(low) and not is_english(name) for name in names)


# Slang that is a word of its own after an article: `the dam`, `a rite`.
_REAL_AFTER_ARTICLES = frozenset("wit sum dam rite mid def hoo".split())
_AFTER_YOU_ARE = frozenset(
    "really so very too not a an the such always welcome going kidding lying joking doing looking on in out here there"
    " being getting making giving killing my late next".split()
) | {"going to"}
# The same where nothing follows.
_SAID_OF_YOU = frozenset(
    "right wrong pretty safe ok okay funny weird mean late nice sweet mad lucky cute beautiful crazy scared".split()
)
_AFTER_WHERE = frozenset("is am are r do does did was shud should can cud could".split())


def _with_g(low: str) -> str:
    """Return the participle of which a word lacks the last letter: `pickin`; empty for other words."""
    is_likely = len(low) > _LONG_ENOUGH and low.endswith("in") and not is_english(low)
    return f"{low}g" if is_likely and is_english(f"{low}g") else ""


def _in_other_letters(low: str, names: Collection[str], shown: Collection[str]) -> str:
    """Return the words that an unknown one stands for by its letters alone; empty for none, and for an English word."""
    if is_english(low) or low in _SOUNDS:
        return ""
    return _with_vowels(low, names) or _with_letter(low, names) or _in_two(low, names) or parted(low, names, shown)


def _mended(token: str, names: Collection[str], shown: Collection[str], before: str) -> str:
    low = token.casefold()
    if low in names or is_english(low) or low in _SOUNDS:
        return ""
    begins = before in _BEFORE_VERBS or before in lexicon().before_verbs
    if found := mended_word(low, shown, begins=begins):
        return found
    may_be_name = (token[:1].isupper() and before != "") or before in _BEFORE_NAMES
    return "" if may_be_name else likely_word(low, frozenset((*names, *shown)), begins=begins)


# After these somebody is named, by a word that may be in no list.
_BEFORE_NAMES = frozenset("i'm im called named mr mrs ms miss mister captain".split())


def _before_first(tokens: Sequence[str], names: Collection[str]) -> str:
    """Return what stands for the word before the first: one that names somebody, where the first two words are written
    as a name that is not in scope, `Idris Sallow`; else none."""
    pair = [token for token in tokens[:2] if token[:1].isupper() and len(token) > 1]
    is_name = len(pair) == 2 and pair[1].casefold() not in names and pair[0].casefold() not in lexicon().spellings
    return "called" if is_name and pair[1][1:].islower() else ""


def mended_in(text: str, names: Collection[str], shown: Collection[str] = ()) -> tuple[tuple[str, str], ...]:
    """Return the words of a cleaned text that are slips of the hand, each with the word that was meant."""
    tokens = [token[0] for token in _TOKEN.finditer(text)]
    befores = (_before_first(tokens, names), *(token.casefold() for token in tokens))
    pairs = ((token, before, token.casefold()) for token, before in zip(tokens, befores, strict=False))
    plain = lexicon().spellings
    found = (
        (token, _mended(token, names, shown, before))
        for token, before, low in pairs
        if low not in plain and not _is_noise(low) and not _STRETCHED.search(low)
    )
    return tuple(
        (token, word)
        for token, word in found
        if word and _in_other_letters(token.casefold(), names, shown) in ("", word)
    )


# Words after which a verb stands, and the beginning of a line.
_BEFORE_VERBS = frozenset(
    ("", "and", "n", "&", "then", "to", "i", "we", "me", "lets", "let's", "can", "wanna", "gonna", "please")
)
_AFTER_WHY = frozenset("am are is was were do does did would should can cant can't u you r dont don't".split())
_SUBJECTS_AFTER_WHY = frozenset("he she it they he's hes she's shes it's its they're theyre".split())
_VOWELS = re.compile(r"[aeiou]")


# After these a word and a number are what something is called.
_NAMED_AFTER = frozenset("as save load named called".split())


def _with_number(low: str, names: Collection[str]) -> str:
    """Return a word and the number that is written together with it: `pier9`; empty for other words."""
    found = re.fullmatch(r"([a-z]{3,})(\d{1,3})", low)
    return f"{found[1]} {found[2]}" if found and (found[1] in names or is_english(found[1])) else ""


def _with_vowels(low: str, names: Collection[str]) -> str:
    """Return the only word of a name, or the verb, that a word without vowels is the consonants of: `bttm`, `dwn`;
    empty for none."""
    if len(low) < 3 or _VOWELS.search(low[1:]) or not low.isalpha() or low in _KNOWN_WITHOUT:
        return ""
    likely = {word for word in names if word[:1] == low[0] and _skeleton(word) == low}
    likely = likely or {word for word in _common() if _skeleton(word) == low}
    return next(iter(likely)) if len(likely) == 1 else ""


def _with_letter(low: str, names: Collection[str]) -> str:
    """Return the only word of a name that a word is with a letter left out: `kitchn`; empty for none."""
    lex = lexicon()
    if len(low) < 4 or low in lex.verb_words or low in lex.about or low in lex.adverbs:
        return ""
    likely = {
        word
        for word in names
        if word[0] == low[0]
        and word[-1] == low[-1]
        and (
            (len(word) == len(low) + 1 and OSA.distance(low, word) == 1)
            or (4 < len(low) < len(word) and _skeleton(word) == _skeleton(low))
        )
    }
    return next(iter(likely)) if len(likely) == 1 else ""


def _in_two(low: str, names: Collection[str]) -> str:
    """Return the two words of names that an unknown word is written together of: `musicroom`; empty for none."""
    if len(low) < _TOGETHER or low in _known():
        return ""
    cuts = range(_SHORT, len(low) - _SHORT + 1)
    return next((f"{low[:cut]} {low[cut:]}" for cut in cuts if low[:cut] in names and low[cut:] in names), "")


# Two words that are written together have so many letters.
_TOGETHER = 7
_KNOWN_WITHOUT = frozenset("why try dry fly shy sky spy cry mr mrs dr my by tv hmm shh pst psst nth".split())


@cache
def _common() -> frozenset[str]:
    """Return the verbs and the small words that people write without vowels."""
    lex = lexicon()
    directions = {"down", "left", "right", "back", "under", "behind", "around", "about", "with", "what", "when", "just"}
    return frozenset(lex.verb_words) | directions


def _skeleton(word: str) -> str:
    return word[:1] + _VOWELS.sub("", word[1:])


# A word that is in no list -> the word that it is with a slip of the hand, or as it sounds; real words stay.


def mended_word(low: str, shown: Collection[str], *, begins: bool) -> str:
    """Return the only word that an unknown word in lower case is meant to be: one of the prose, a small word, or a verb
    where one stands (it `begins` a clause); empty where there is none, or more than one."""
    is_known = any(stem in _known() or stem in shown for stem in _stems(low))
    if len(low) < _LONG_ENOUGH or not low.isalpha() or is_known or _is_undone(low):
        return ""
    for words in (shown, _verb_words(), _small_words()) if begins else (shown, _small_words()):
        likely = {word for word in words if _is_slip(low, word)} or {word for word in words if _sounds_like(low, word)}
        if len(likely) == 1:
            return next(iter(likely))
    return ""


_LONG_ENOUGH = 4


def _is_undone(low: str) -> bool:
    """Tell whether a word is made from a verb, for doing it backwards: `uncry`."""
    return low.startswith("un") and is_verb(low[2:])


def _stems(low: str) -> Iterator[str]:
    """Yield a word, and what it may be a form of: `water` for `waters`."""
    yield low
    yield f"{low}s"
    for ending in _ENDINGS:
        if low.endswith(ending) and len(low) - len(ending) >= _STEM:
            yield low.removesuffix(ending)
            yield f"{low.removesuffix(ending)}e"


_ENDINGS = ("s", "es", "ed", "ing", "er", "ers", "ly", "y", "ness")
_STEM = 3


def _is_slip(typed: str, word: str) -> bool:
    """Tell whether a word is another with a letter missing, doubled or out of its place; another letter makes another
    word."""
    if typed[0] != word[0] or len(word) < _LONG_ENOUGH or abs(len(typed) - len(word)) > 1:
        return False
    is_swapped = len(typed) == len(word) and sorted(typed) == sorted(word)
    return (is_swapped or len(typed) != len(word)) and OSA.distance(typed, word, score_cutoff=1) <= 1


def _sounds_like(typed: str, word: str) -> bool:
    is_long = len(word) >= _LONG_ENOUGH
    return is_long and word[0] in (typed[0], *ALIKE.get(typed[0], "")) and sound_of(typed) == sound_of(word)


@cache
def _small_words() -> frozenset[str]:
    """Return the small words, the adverbs and the commonest nouns that are long enough to be mended."""
    lex = lexicon()
    words = function_words() | lex.adverbs | lex.about | lex.articles | set(lex.numbers) | set(lex.directions)
    words |= {word for phrase in lex.question_words for word in phrase} | _COMMON_NOUNS | lex.body
    words |= {f"{word}s" for word in lex.body}
    return frozenset(word for word in words if len(word) >= _LONG_ENOUGH and word.isalpha())


# What stands in most rooms, and what players write of it.
_COMMON_NOUNS = frozenset(
    "door window place table chair kitchen coffee stairs upstairs downstairs drink bottle glass shelf drawer drawers"
    " cupboard mirror picture letter message street middle corner centre center bottom someone something anyone"
    " anything everything nothing people friend night morning evening tonight please thanks sorry"
    " handle handles umbrella umbrellas candle candles".split()
)


@cache
def _verb_words() -> frozenset[str]:
    """Return the verbs that are long enough to be mended."""
    return frozenset(word for word in lexicon().verb_words | common_verbs() if len(word) >= _LONG_ENOUGH)


@cache
def _known() -> frozenset[str]:
    """Return the words that are right as they are."""
    lex = lexicon()
    parts = (lex.person_pronouns, lex.thing_pronouns, lex.body, lex.before_verbs, lex.saying)
    phrases = (*lex.inside, *lex.toward, *lex.lead_ins, *lex.verb_phrases, *lex.address)
    named = {word for phrase in phrases for word in phrase}
    return known_words().union(
        _small_words(), _verb_words(), named, lex.topic_head, lex.topic_tail, *parts, *lex.statements.values()
    )


# The words of English -> the common one that an unknown word is likely meant to be.


def likely_word(low: str, scene: Collection[str], *, begins: bool) -> str:
    """Return the common word that an unknown one in lower case is clearly meant to be; empty for none, for several, and
    where it may as well be a word of the scene, or a name."""
    if len(low) < _LONG_ENOUGH or not (low.isascii() and low.isalpha()) or _is_undone(low):
        return ""
    if any(is_english(stem) or stem in scene or stem in _known() for stem in _stems(low)):
        return ""
    likely = likely_words(low)
    if begins:
        verbs = _verb_words()
        likely = tuple(sorted((cost - (_FOR_A_VERB if word in verbs else 0), word) for cost, word in likely))
    dearest = _DEAREST if len(low) > _LONG_ENOUGH else _DEAREST_SHORT
    if not likely or likely[0][0] > dearest or (likely[1:] and likely[1][0] - likely[0][0] < _AHEAD):
        return ""
    is_of_scene = any(cost_of(low, word) <= likely[0][0] + _FOR_THE_SCENE for word in scene if word != likely[0][1])
    return "" if is_of_scene or is_name(low) else likely[0][1]


# A word may cost so much, and the next must cost so much more.
_DEAREST, _DEAREST_SHORT, _AHEAD = 1.8, 1.4, 0.25
# What a verb is cheaper by where one stands, and a word of the scene anywhere.
_FOR_A_VERB, _FOR_THE_SCENE = 0.25, 0.6


def parted(low: str, names: Collection[str], shown: Collection[str]) -> str:
    """Return a verb and the word after it that an unknown word is written together of: `lookat`; empty for none."""
    if len(low) < _LONG_ENOUGH or is_english(low) or low in shown or low in _known():
        return ""
    verbs = lexicon().verb_words
    for cut in range(2, len(low) - 1):
        head, tail = low[:cut], low[cut:]
        is_named = len(tail) >= _SHORT and (tail in names or tail in shown)
        if (head in verbs and (tail in _AFTER_VERBS or is_named)) or (head in _EDGES and tail in _SIDES):
            return f"{head} {tail}"
    return ""


_AFTER_VERBS = frozenset(
    "to at on in up down out into onto over off with for from about around round under behind back away the me"
    " him her it my your".split()
)
_EDGES = frozenset("top bottom middle upper lower mid centre center".split())
_SIDES = frozenset("left right centre center middle row".split())
