"""Words that nobody here hears -> their answer, of what the player was told at this place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lorewright.builtin.words import earshot
from lorewright.builtin.words.asides import subjects_in
from lorewright.scene_lore.gather import in_sentences
from lorewright.turn.views.asides.figures import counted_of
from lorewright.turn.views.asides.recollections import NOTHING_HEARD
from lorewright.turn.views.point import TurnPoint
from lorewright.turn.views.scenery import narrations_here
from lorewright.values.readings import Aside

_NOTICED, _REMEMBERED = "So much you have noticed: {quote}", "You remember: {quote}"
_NO_MORE = "Nobody has told you more than this: {quote}"
# The answer about who is here begins so where somebody is.
_COMPANY = "Here with you"
_FROM_HERE = "From here that is not to be made out. "
_TO_ONESELF = "You say it to yourself, and nobody is here to answer. "
_CALLED = "You say it loud enough to carry. No answer comes. "
_HUSHED = "You say it inwardly, and nobody else hears it. For a breath it is quiet in you, and then it is as it was. "
_ASKED_WITHIN = "You ask inwardly, and nobody else hears it. Which of them it is, none of them says. "
_WHY_WITHIN = "You ask inwardly, and nobody else hears it. A reason none of them gives, or not the same one. "
_SAID_WITHIN = "You say it inwardly, and nobody else hears it. They are parts of you, and have heard. "
_WHY = re.compile(r"(?:\w+,? ){0,3}(?:why|y|how come)\b", re.IGNORECASE)


def told_at(at: TurnPoint) -> tuple[str, ...]:
    """Return the sentences that the player was told at the place where they are, oldest first."""
    told = reversed(narrations_here(at.stream, at.state))
    return tuple(sentence for message in told for sentence in in_sentences(message.content))


def answer_of_noises(words: str, names: Sequence[str], told: Sequence[str]) -> str:
    """Return the answer to a question about what is heard or seen beyond the place, or about somebody seen there whom
    the words begin with; empty where nobody was told of it."""
    name, _, rest = words.rpartition(": ")
    about = earshot.told_of(rest, earshot.beyond(told, names))
    if name and (seen := earshot.told_of_person(name, rest, told)):
        return (_NOTICED if seen in earshot.beyond(told, (*names, name)) else _REMEMBERED).format(quote=seen)
    return f"{_FROM_HERE}{_NOTICED.format(quote=' '.join(about))}" if about else ""


def answer_of_oneself(plain: str, line: str, told: Sequence[str], wanted: str) -> str:
    """Return the answer to a question who one is, and how one is: `plain`, what was told here of the player, or of what
    else the line names, and what they want."""
    if "stats" in subjects_in(line, "questions"):
        return plain
    yours = [sentence for sentence in told if _OF_YOU.search(sentence)][:_FEW]
    quote = earshot.told_about(line, told) or (" ".join(yours) if wanted else "")
    remembered = _REMEMBERED.format(quote=quote) if quote else ""
    return " ".join(filter(None, (plain, remembered, wanted and f"{wanted} {_LEFT_OPEN}")))


_OF_YOU = re.compile(r"\byour?\b", re.IGNORECASE)
# So many sentences about the player are told again.
_FEW = 2
_LEFT_OPEN = "More of who you are the story does not fix."


def answer_unheard(aside: Aside, plain: str, line: str, names: Sequence[str], told: Sequence[str]) -> str:
    """Return the answer to words that nobody hears: `plain`, with the sentence that tells of whom or what they were
    meant for. `line` is all that was typed."""
    match aside.kind:
        case "within":
            inner = _REMEMBERED.format(quote=" ".join(earshot.within(told)[-1:]))
            said = aside.words
            asked = _WHY_WITHIN if re.match(_WHY, said) else _ASKED_WITHIN
            lead = _HUSHED if earshot.hushes(said) else asked if earshot.asks(said) else _SAID_WITHIN
            return f"{lead}{inner}"
        case "company":
            about = () if plain.startswith(_COMPANY) else earshot.told_of(line, earshot.beyond(told, names))
            return f"{plain} {_NOTICED.format(quote=' '.join(about))}" if about else plain
        case "afar" | "unseen":
            known = earshot.told_of_person(aside.words, line, told)
            is_seen = known in earshot.beyond(told, (*names, aside.words))
            return f"{plain} {(_NOTICED if is_seen else _REMEMBERED).format(quote=known)}" if known else plain
        case "behind" | "alone":
            heard = earshot.beyond(told, names)
            about = earshot.told_of(f"{aside.words} {line}", heard)
            if aside.kind == "behind":
                return f"{plain} {_NOTICED.format(quote=' '.join(about))}" if about else plain
            is_called = earshot.calls_out(line)
            about = about or (earshot.told_of("any noise", heard) if is_called else ())
            lead = _CALLED if is_called else _TO_ONESELF
            if about:
                return f"{lead}{_NOTICED.format(quote=' '.join(about))}"
            if number := counted_of(told, line, line):
                return number
            least = 1 if earshot.asks(line) else earshot.LIKE
            quote = "" if is_called else earshot.told_about(line, told, least=least)
            return plain if is_called else f"{_TO_ONESELF}{_REMEMBERED.format(quote=quote) if quote else ''}".strip()
    return plain


def with_noises(known: str, words: str, names: Sequence[str], told: Sequence[str]) -> str:
    """Return what is known of a question; where that is nothing, what was heard or seen of it beyond the place, else
    the sentence told here that has a telling word of it."""
    if known != NOTHING_HEARD and ": " not in words:
        return known
    if noises := answer_of_noises(words, names, told):
        return noises
    if known == NOTHING_HEARD and (quote := earshot.told_about(words, told)):
        return _NO_MORE.format(quote=quote)
    return known


# What somebody who asks for help says that they do not know.
_UNKNOWN = re.compile(
    r"\b(?:know|understand|understood|sure|idea|clue|remember|get|tell me|wonder|confused|lost|missed)(?: \w+)??"
    r" (?:what|who|where)(?:'?s)? (?P<what>(?:(?!is\b|are\b|was\b|to\b|i\b|we\b|do\b|should\b|can\b)[\w'’-]+ ?){1,4})"
    r"(?:\b(?:is|are|was|were|means?)\b)?"
    r"|\b(?:hints?|clues?|tips?|help)(?: please)? (?:about|on|with|for|regarding|concerning) (?P<about>[\w' ’-]+)",
    re.IGNORECASE,
)
_OF_GAME = frozenset("this that it next now here going happening game story start doing up on me us supposed".split())


def asked_things(words: str) -> str:
    """Return what somebody who asks for a hint names as unknown to them; empty where it is no thing of the story."""
    found = _UNKNOWN.search(words)
    named = "" if found is None else (found["what"] or found["about"]).strip()
    return "" if set(named.casefold().split()) & _OF_GAME else named


# Questions about the game that may be about what was told as well: `what are the rules again`, `can I ring the bell`.
_MAY_BE_TOLD = frozenset(("whatif", "untold"))


def with_told(plain: str, aside: Aside, told: Sequence[str]) -> str:
    """Return the answer to a question about the game, after what was told here of what the question names, where that
    may be meant: somebody has stated rules, or the player asks what comes of a deed, or where they are from."""
    subjects = frozenset(subjects_in(aside.words, "questions"))
    is_meant = _RULES.search(aside.words) is not None or not _MAY_BE_TOLD.isdisjoint(subjects)
    if not is_meant or aside.kind not in _ANSWERED_BY_WORDS:
        return plain
    quote = earshot.told_about(aside.words, told)
    if not quote and "untold" in subjects:
        quote = " ".join([sentence for sentence in told if _OF_YOU.search(sentence)][:_FEW])
    return f"{_REMEMBERED.format(quote=quote)} {plain}" if quote else plain


_RULES = re.compile(r"\brules?\b", re.IGNORECASE)
_ANSWERED_BY_WORDS = frozenset(("rules", "losing", "help", "goal", "spoiler", "without"))
