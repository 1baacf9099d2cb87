"""An act -> what it names without what belongs to no name, and the noun that `it` or `them` stands for after it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lorewright.builtin.words.clauses import lexicon
from lorewright.builtin.words.noun_phrases import Nouns, in_prose, resolve
from lorewright.builtin.words.tagging import Act
from lorewright.scene_lore.nouns import is_everybodys, singular

# What is on the body, and no part of it.
MATTER = frozenset("rain raindrop snow dust mud sweat tear crumb water wet sleep strap".split())


def is_matter(phrase: str) -> bool:
    """Tell whether a phrase names what is on a thing, and is got off it: `the mud`."""
    return bool(phrase) and phrase.casefold().split()[-1] in MATTER


def noun_after(act: Act, noun: str) -> str:
    """Return the noun that `it` stands for after an act: what the act is about, where it names what it is done with, or
    what is got off that, before it (`shake the rain off my coat`, `wrap both hands round the cup`); the one before
    where it names none, or only what belongs to that (`close the lid`)."""
    if act.target.casefold() in lexicon().person_pronouns:
        return noun
    found = _DIPPED.search(act.words) or (_OFF if is_matter(act.target) else _ROUND_IT).search(act.words)
    sought = (
        re.search(rf"\bfor (?:a|an|the|my|some) ({re.escape(act.second)}[\w' -]*)", act.words) if act.second else None
    )
    words = act.target.casefold().split()
    if words[:1] == ["of"] and re.search(rf"\b(?:one|another) {re.escape(act.target)}\b", act.words, re.IGNORECASE):
        return f"the {singular(words[-1])}"
    is_in_passing = is_everybodys(words[-1]) and not _HELD_OUT.search(act.words) if words else False
    if noun and (_FOR_IT.search(act.words) or is_in_passing):
        return noun
    is_of_that = bool(_PRONOUNS & {*words}) or words[:1] == ["its"] or (bool(noun) and bool(_LIDS & {*words[-1:]}))
    named = sought[1] if sought else found["what"] if found else ("" if is_of_that else act.target)
    is_own = re.search(rf"\bmy {re.escape(named)}\b|^(?:s?he|they) .*\b{re.escape(named)}\b", act.words, re.IGNORECASE)
    if named and is_own and (named == act.target) and not is_own[0].startswith("my"):
        named = re.sub(r"^(?:his|her|their) ", "my ", named)
    elif named and is_own and named == act.target:
        named = f"my {named}"
    return noun if noun and _LIDS & {*named.casefold().split()[-1:]} else named or noun


_HELD_OUT = re.compile(
    r"\b(?:hold|stretch|reach|put|lift|raise|offer|extend|cup|dip|place|lay|open|take|roll|pull|turn|slip|kick)s? ",
    re.IGNORECASE,
)
_FOR_IT = re.compile(
    r"\b(?:for|beside|next to|under|over|in|into|on|onto|on top of|from|off|out of|inside|with|against|round) it\b",
    re.I,
)
_PRONOUNS = frozenset(("it", "them"))
_LIDS = frozenset("lid flap cover cap cork stopper clasp catch latch brim rim hinge hem".split())
_OFF = re.compile(r"\b(?:off|from|out)(?: of)? (?P<what>(?:the|my|his|her|their) [\w'-]+)", re.IGNORECASE)
_ROUND_IT = re.compile(r"\b(?:hands?|fingers?|arms?) (?:a?round|about) (?P<what>(?:the|my) [\w'-]+)", re.IGNORECASE)
_DIPPED = re.compile(
    r"\b(?:hands?|fingers?|fingertips?|toes?|foot|feet|sleeve|finger) (?:in|into|through) "
    r"(?P<what>the (?:water|sea|river|pool|snow|sand|dust|mud|rain|sugar|salt|crumbs|ashes|coffee|tea))",
    re.IGNORECASE,
)


def seat_of(before: Act, act: Act) -> str:
    """Return what somebody sits, stands or leans on after having put something over it: `hang my coat over the stool
    and sit on it`; nothing for other acts."""
    is_laid = bool(before.second) and re.search(
        rf"\b(?:on|onto|over|across) (?:\w+ ){{0,2}}?{re.escape(before.second)}\b", before.words, re.IGNORECASE
    )
    return before.second if is_laid and _SITS_ON.search(act.words) else ""


_SITS_ON = re.compile(r"\b(?:sit|stand|perch|climb|kneel|lie|lean|step|get)s?\b.* on(?: top of)? it\b", re.IGNORECASE)


def agreeing(nouns: Sequence[str], pronoun: str) -> str:
    """Return the last of the nouns that `it` or `them` can stand for by its number; empty for none."""
    is_many = {"it": False, "them": True}.get(pronoun.casefold().split(" ")[0])
    heads = ((noun, noun.casefold().split()[-1]) for noun in reversed(nouns))
    return "" if is_many is None else next((noun for noun, head in heads if (singular(head) != head) == is_many), "")


def plain_phrase(words: str, phrase: str) -> str:
    """Return a phrase with the number after it, without an adverb at its end: `room 12` for `room`, `it` for `it
    aloud`, `kitchen door` for `door of the kitchen slow`."""
    found = re.search(rf"\b{re.escape(phrase)} (\d+)\b", words) if phrase else None
    # Somebody's face is no adverb.
    end = r"(?:\w+ly|aloud|slow|quick|quiet|loud|(?<!s )(?<!her )(?<!my )face|again|next|higher|lower|closer|tighter)"
    phrase = re.sub(rf"(?<=\w) {end}$", "", phrase)
    phrase = _BY_SO_MUCH.sub("", phrase)
    part = re.search(rf"\b{re.escape(phrase)} of (?:the|my) [\w'-]+", words) if _ENDS_PART.search(phrase) else None
    phrase = part[0] if part else phrase
    phrase = re.sub(r"^(?:every|each|any) (?=\w)", "", re.sub(r"^(him|them|it) (?!of\b).+$", r"\1", phrase))
    to = re.search(r"\bdoor (?:to|of|into) the ([\w' ]+)$", words.strip(" .,!")) if phrase == "door" else None
    phrase = f"{to[1]} door" if to else phrase
    phrase = re.sub(r"^(?:the )?(door|gate|window) (?:of|to) (?:the )?([\w' ]+)$", r"\2 \1", phrase)
    return f"{phrase} {found[1]}" if found else phrase


_BY_SO_MUCH = re.compile(
    r"(?<=\w) (?:an?|one|two|half an?|a few) (?:[\w'’]+ )?(?:breadth|width|inch(?:es)?|crack|notch|touch|turn|bit)$"
)
_ENDS_PART = re.compile(r"\b(?:end|half|corner|side|edge|bit|piece|part|handle|top|bottom)$")


def parted_by_purpose(act: Act, search: str) -> list[Act]:
    """Return an act by which something is to be found as that act, of no consequence, and the `search` of what it is
    done to: `lift the mat to see whether anybody left a key there`; another as it is."""
    found = _TO_FIND.fullmatch(act.words.strip(" ,.!*"))
    is_other = act.target[:1].isupper() or act.target.casefold() in lexicon().person_pronouns
    if found is None or not act.target or is_other or act.target.casefold().split()[-1] in ("door", "gate", "window"):
        return [act]
    what = re.sub(r"^(?:corner|edge|side|end|lid|flap) of (?:the |my )?", "", act.target)
    deed = Act(kind="work", words=found["deed"], target=act.target, score=1.0)
    return [deed, Act(kind=search, words=f"{search} {what}", target=what, score=1.0)]


def is_search(words: str) -> bool:
    """Tell whether words are of an act by which something is to be found."""
    return _TO_FIND.fullmatch(words.strip(" ,.!*")) is not None


_TO_FIND = re.compile(
    r"(?:(?:and|then|i|he|she|they|you)\s+)*(?P<deed>(?:lift|raise|tip|tilt|roll|turn|pull|push|shift|move|shake|fold|slide"
    r"|prise|pry|peel|flip|unfold|nudge|squeeze|prod|poke|pat)s? .+?),?"
    r" (?:(?:just |only )?to (?:see|check|find out|look|feel)|and (?:see|check|look|feel))"
    r" (?:if|whether|what|for|that|under)\b.*"
    r"\b(?:there|under|underneath|beneath|behind|inside|hidden|hid|hides?|left|key|note|in it|in them|anything"
    r"|something)\b.*",
    re.IGNORECASE,
)


def is_same_prose(nouns: Nouns, act: Act, after: Act) -> bool:
    """Tell whether two acts are done to the same thing, which only the prose shows."""
    is_same = bool(act.target) and act.target.split()[-1].casefold() == "".join(after.target.casefold().split()[-1:])
    return is_same and in_prose(act.target, nouns) is not None and resolve(act.target, nouns.everything()) is None
