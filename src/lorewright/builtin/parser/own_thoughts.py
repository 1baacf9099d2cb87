"""A line in which the player only thinks of what they know -> what they think of, as it is looked up for them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lorewright.values.scenery import TOLD, SceneryNoun

_OWN_KNOWLEDGE = re.compile(
    r"(?:so |and |but )?what (?:do|have|did|would) (?:i|we|my character) (?:already )?"
    r"(?:know|learn(?:ed|t)?|heard?|find out|found out|remember)(?: so far)? (?:about"
    r"|of) (.+?)(?: so far| already| by now)?[?.! ]*",
    re.IGNORECASE,
)
# What is told in words, and gone over again in one's mind.
_TOLD_IN_WORDS = (
    r"(?:rules?|words?|instructions?|orders|conditions|facts|clues?|message|warning|riddle|story"
    r"|what (?:[\w'’]+ ){1,3}(?:said|says|told|knows?|heard))"
)
_THOUGHT_OVER = re.compile(
    r"(?:(?:i|and|then|now|just|try to|carefully|quietly) )*"
    r"(?:(?:think|mull|ponder|reflect|muse|brood|meditate)(?: back)?(?: hard)?(?: (?:over|about|on|to|through))?"
    r"|(?:remember|recall|recollect|remind myself (?:of|about)|call to mind)"
    rf"|(?:go|run|turn)(?: back)? (?:over|through)(?= .*\b{_TOLD_IN_WORDS}\b))"
    r" (?:again )?((?:the|her|his|their|that|those|all|what|(?-i:[A-Z])[\w]+['’]s) .+?)"
    r"(?: again| once more| in my (?:own )?(?:head|mind)| to myself| one by one)*[.! ]*",
    re.IGNORECASE,
)
_DOES = re.compile(r"(?:,| and| then| before| while) (?:then )?(?:i )?(?:[a-z]+)\b", re.IGNORECASE)
_WHAT_SOMEBODY_SAID = re.compile(
    r"(?:all |everything |that )?(?:what )?(?P<who>[\w' ]+?) (?:just |has |had )?(?:said|says|told|tells)\b.*",
    re.IGNORECASE,
)
_SAYS = re.compile(r"\b(?:says?|said|spoke|tells?|told)\b", re.IGNORECASE)


def thought_of(lines: Sequence[str], shown: Sequence[SceneryNoun]) -> str:
    """Return what a line asks oneself about, in any of the forms in which it is given: as it was typed and spelled out;
    empty for other lines. For what somebody said it is the sentence that was told of that."""
    found = next(filter(None, (_OWN_KNOWLEDGE.fullmatch(line) for line in reversed(lines))), None)
    over = next(filter(None, map(_THOUGHT_OVER.fullmatch, lines)), None)
    if found is not None or over is None or _DOES.search(over[1]):
        return "" if found is None else str(found[1])
    said = _WHAT_SOMEBODY_SAID.fullmatch(over[1])
    return (_told_by(said["who"], shown) if said is not None else "") or str(over[1])


def _told_by(who: str, shown: Sequence[SceneryNoun]) -> str:
    """Return the first sentence told in which somebody says something, the one after their name if need be."""
    told = [*dict.fromkeys(noun.text for noun in shown if noun.key.startswith(TOLD))]
    named = next((at for at, text in enumerate(told) if who.split()[-1].casefold() in text.casefold()), len(told))
    said = next((text for text in told[named : named + _NEXT] if _SAYS.search(text)), "")
    # With a colon it would begin with a name.
    return said.replace(":", ",")


_NEXT = 3
