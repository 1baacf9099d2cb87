"""Words -> the person whom they address: `Viktor, a whisky`, `where is she, Marit?`, `lena you ok`."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.builtin.parser.clauses import Word, lexicon, longest_prefix, lows, typed
from lorewright.builtin.parser.noun_phrases import PhraseMatch, exact, resolve
from lorewright.builtin.parser.readings import ParseContext
from lorewright.builtin.parser.utterances import is_said


def begins_with_verb(low: Sequence[str]) -> bool:
    """Tell whether words in lower case begin with a verb."""
    return bool(longest_prefix(low, lexicon().verb_phrases))


def find_vocative(ctx: ParseContext, words: Sequence[Word]) -> tuple[PhraseMatch, Sequence[Word]] | None:
    """Return the person whom the clause addresses, first or last and set off by a comma, and what it says to them."""
    commas = [index for index, word in enumerate(words) if word.kind == "comma"]
    if not commas:
        return _find_name_at_an_end(ctx, words)
    people = ctx.nouns.people + ctx.nouns.known_people
    first, last = exact(typed(words[: commas[0]]), people), exact(typed(words[commas[-1] + 1 :]), people)
    if first is None and longest_prefix(lows(words[commas[0] + 1 :]), lexicon().question_words):
        partly = resolve(typed(words[: commas[0]]), ctx.nouns.people, whole=True)
        first = partly if isinstance(partly, PhraseMatch) and not begins_with_verb(lows(words)) else None
    if first and words[commas[0] + 1 :]:
        return first, words[commas[0] + 1 :]
    spoken = words[: commas[-1]]
    is_asked = " ".join(lows(spoken)[:2]) == "tell me" or not begins_with_verb(lows(spoken))
    return (last, spoken) if last and spoken and is_asked else None


def _find_name_at_an_end(ctx: ParseContext, words: Sequence[Word]) -> tuple[PhraseMatch, Sequence[Word]] | None:
    """Return the person here whose name begins or ends a question or a statement without a comma (`lena, you ok`,
    `sorry viktor`), and what is said to them."""
    low = lows(words)
    for size in range(min(len(words) - 1, 3), 0, -1):
        first, rest = exact(typed(words[:size]), ctx.nouns.people), words[size:]
        begins = low[size] in (
            "you",
            "your",
            "you're",
            "do",
            "did",
            "are",
            "is",
            "have",
            "can",
            "could",
            "would",
            "will",
        )
        if first and (begins or longest_prefix(low[size:], lexicon().question_words) or is_said(rest)):
            return first, rest
        last, spoken = exact(typed(words[-size:]), ctx.nouns.people), words[:-size]
        asks = longest_prefix(low, lexicon().question_words) and low[-size - 1] not in lexicon().about | _JOINTS
        if last and not begins_with_verb(low) and (asks or is_said(spoken)) and low[-size - 1] not in _JOINTS:
            return last, spoken
    return None


# Words after which a name is an object.
_JOINTS = frozenset(
    "is was are were be a an the this that my your his her their our to at from with by of for on "
    "about like than and or"
    " than see saw know knows knew tell told ask asked named called as".split()
)


def find_name_within(ctx: ParseContext, words: Sequence[Word]) -> PhraseMatch | None:
    """Return the person whose name stands between commas."""
    parts: list[list[Word]] = [[]]
    for word in words:
        if word.kind == "comma":
            parts.append([])
        else:
            parts[-1].append(word)
    found = (exact(typed(part), ctx.nouns.people) for part in parts[1:])
    return next(filter(None, found), None)
