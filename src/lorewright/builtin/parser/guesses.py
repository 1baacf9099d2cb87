"""Words that no frame of a verb reads -> what they amount to: a deed at something, words to somebody, a slip."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz

from lorewright.builtin.parser.clauses import Clause, Word, lexicon, longest_prefix, lows, typed
from lorewright.builtin.parser.readings import AFTER_NOUNS, ParseContext, Reading, aimed_at_prose, alone
from lorewright.builtin.parser.small_talk import remark_class
from lorewright.builtin.parser.speech import put_to, read_remark
from lorewright.scene_lore.nouns import is_verb


def read_deed(ctx: ParseContext, clause: Clause, words: Sequence[Word]) -> Reading | None:
    """Read words of an unknown verb as an attempt at what they name after a determiner, where no entity stands for it:
    the rules say why nothing comes of it. None where they name nothing so."""
    words = (
        words[1:] if lows(words[:1]) in (["i"], ["you"], ["we"]) and is_verb(lows(words[1:2] or words)[0]) else words
    )
    low = lows(words)
    if (
        not words
        or words[0].kind != "word"
        or low[0] in lexicon().articles
        or longest_prefix(low, lexicon().question_words)
        or not (is_verb(low[0]) or low[0] in lexicon().verb_words or set(low[1:2]) & lexicon().statements["objects"])
    ):
        return None
    if ctx.prose_noun and low[1:2] in (["it"], ["them"]) and (is_verb(low[0]) or low[0] in lexicon().verb_words):
        return aimed_at_prose(ctx, typed(words), ctx.prose_noun)
    for at, word in enumerate(low):
        is_bare = at == 0 and is_verb(low[0]) and len(low) > 1 and low[1] not in lexicon().articles
        if (not at and not is_bare) or (at and word not in lexicon().articles):
            continue
        end = next((n for n in range(at + 1, len(low)) if not low[n] or low[n] in AFTER_NOUNS), len(low))
        if low[end : end + 1] == ["of"]:
            end = next((n for n in range(end + 1, len(low)) if not low[n] or low[n] in AFTER_NOUNS), len(low))
        found = aimed_at_prose(ctx, typed(words), typed(words[at + 1 : end])) if end > at + 1 else None
        if found is not None:
            return found
    return None


def read_aloud(ctx: ParseContext, clause: Clause, words: Sequence[Word]) -> Reading | None:
    """Read words that are about somebody or have a mood, and begin with no act, as said to whom one speaks with; and
    those that nobody would take for an act: an offer, thanks, a joke."""
    low = lows(words)
    if remark_class(clause.text) in SOCIAL:
        return read_remark(ctx, clause.text, None, clause.words) if ctx.nouns.people else alone(clause.text)
    if ctx.nouns.people and len(low) <= _SHORT and _WH & set(low[1:]):
        return put_to(ctx, clause.text, None, clause.words)
    is_about_somebody = ctx.has_mood or bool(set(low) & _PERSONS)
    if not is_about_somebody or (len(low) < 2 and not ctx.has_mood) or _reads_as_order(low):
        return None
    return read_remark(ctx, clause.text, None, words) if ctx.nouns.people else alone(clause.text)


# A question of so few words may have its question word anywhere: `folding what`.
_SHORT = 4
_WH = frozenset("what who where when why how".split())
SOCIAL = frozenset(
    """apology thanks greeting farewell compliment turn joke threat boast confession accusation wish promise offer
    suggestion memory ignorance opinion taste of_you answer_me feeling""".split()
)
_PERSONS = frozenset(
    "i you we he she they your you're i'm it's he's she's they're we're his her their my me us".split()
)


def _reads_as_order(low: Sequence[str]) -> bool:
    return low[0] not in _PERSONS and low[0] not in lexicon().about and bool(set(low[1:3]) & lexicon().articles)


_YES = frozenset(("yes", "y", "yeah", "yep", "sure", "ok", "okay", "right", "exactly", "correct", "please do", "do it"))


def confirmed_line(text: str, options: Sequence[str]) -> str:
    """Return the only line that was offered, where the answer is yes; else the text as it is."""
    return options[0] if len(options) == 1 and text.lower().strip(" .!") in _YES else text


def is_slip(typed_verb: str, verb: str) -> bool:
    """Tell whether a word is a verb with a letter wrong, or with its letters in another order."""
    is_like = fuzz.ratio(typed_verb, verb) >= _SLIP and typed_verb[0] == verb[0]
    return is_like or (sorted(typed_verb) == sorted(verb) and typed_verb != verb)


# From so many per cent of the letters on it is a slip.
_SLIP = 85
