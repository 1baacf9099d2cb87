"""A line that asks the game several things -> what each of them asks, in turn, and what of the line is none of them."""

from __future__ import annotations

import re
from collections.abc import Callable

from lorewright.builtin.parser.moves import answer_of
from lorewright.builtin.parser.readings import MAX_WORDS
from lorewright.builtin.words.asides import (
    aside_to_game,
    has_words,
    is_question,
    numbers_asked_about,
    out_of_story,
    subjects_in,
)
from lorewright.builtin.words.clauses import lows, words_of
from lorewright.builtin.words.noun_phrases import Nouns, exact
from lorewright.scene_lore.nouns import is_verb
from lorewright.values.readings import Aside
from lorewright.values.records import InterpreterInput, InterpreterOutput
from lorewright.values.scope import Board

_ASKING = (
    r"(?:what|whats|what's|wat|wats|how|hows|how's|who|whos|who's|where|wheres|where's|why|when|which|is|are|can|could"
    r"|do|does|did|will|would|should|am|may|have|(?:tell|show|remind) me|explain) [\w'’]"
)
# Where one question ends and the next begins; where what is asked of the game may begin after a deed.
_ENDS = r"(?<=[?.!])\s+|,?\s+(?:btw|by the way),?\s+"
_JOINED = r"(?:and|but|also|plus|oh)\s+(?:also |then )?"
_JOINT = re.compile(rf"{_ENDS}|,?\s+{_JOINED}(?={_ASKING})|,\s+(?={_ASKING})", re.IGNORECASE)
_AFTER_DEED = re.compile(
    rf"{_ENDS}|,\s+(?:{_JOINED})?(?={_ASKING})|\s+and\s+(?=(?:tell|show|remind) me |explain )", re.IGNORECASE
)
# A question that goes on about what was asked before it.
_BACK = re.compile(
    r"\b(?:it|that|this|they|them|those|these|one|ones|either|both|there|else|more|less|good|bad|better|worse|high|low"
    r"|zero|full|max|maximum)\b",
    re.IGNORECASE,
)
_OF_IT = re.compile(r"\b(?:it|that|they|them)\b", re.IGNORECASE)
# What is to be said or done is asked of whom a hint is wanted.
_OF_SELF = re.compile(r"\b(?:should|can|could|do|must|shall) (?:i|we)\b", re.IGNORECASE)
_OF_ONE = re.compile(r"\b(?:he|she|him|her|his|i (?:carry|have on me)|i carr?ying)\b", re.IGNORECASE)
# So few words go on with a question.
_FEW = 2
# Kinds of asides that are no questions, or whose words are all of the line.
_WHOLE = frozenset("mused ooc story magic rude undo quit rolling".split())
# Kinds that are asked of the game whatever stands before them, also after words to somebody.
_CLEAR = frozenset(
    "time save restart goal rules clocks turns pace hint help options undo score losing spoiler part display cost"
    " walkthrough rolling program authors cast".split()
)


# Asides that are one whatever verbs of its own a ruleset has.
FIXED = frozenset(("told", "clocks", "rolling"))
# Asides that nobody at the board is asked about.
_OF_TABLE = ("rules", "company_at_table")


def aside_of(
    given: InterpreterInput, nouns: Nouns, board: Board | None, text: str, typed: str
) -> tuple[Aside | None, str]:
    """Return the aside that a line is, and its words without the marks of one; `typed` is the line before words were
    spelled out."""
    low = list(lows(words_of(out_of_story(text) or text)))
    is_called = any(exact(word, nouns.people + nouns.known_people) for word in (*low[:1], *low[-1:]))
    kind, text = aside_to_game(text, typed, is_called=is_called)
    own = re.compile(rf"\b{re.escape(nouns.player.name)}\b", re.IGNORECASE)
    if kind in ("", "rules") and is_question(text) and own.search(text):
        # Who asks of their own person by name asks who they are.
        named, _ = aside_to_game(own.sub("my character", text), own.sub("my character", typed), is_called=False)
        kind = named or kind
    if board is not None and kind and not _of_levels(text) and (answer := answer_of(board, text)):
        return Aside(kind="told", words=answer), text
    if numbers := numbers_asked_about(text, given.clocks, () if kind else given.stats, is_called=is_called):
        return Aside(kind=numbers, words=text[:MAX_WORDS]), text
    is_heard = board is not None and any(has_words(wanted, text) for wanted in board.heard) and kind not in _OF_TABLE
    return (Aside(kind=kind, words=text), text) if kind and not is_heard else (None, text)


def _asks(part: str) -> bool:
    return "?" in part or re.match(rf"(?:(?:and|so|but|also|ok|oh),? )*{_ASKING}", part, re.IGNORECASE) is not None


def _of_levels(text: str) -> bool:
    """Tell whether a question is which levels of difficulty there are: that is no matter of a board."""
    return "difficulty" in subjects_in(text, "questions") and "level" in text.casefold()


AskedBy = Callable[[str, str], tuple[Aside | None, str]]


def asked_in_turn(aside: Aside | None, text: str, asked_by: AskedBy) -> tuple[tuple[Aside, ...], str]:
    """Return the asides that a line asks one after another, and the words in it that are none: `aside` alone where it
    asks one thing. `asked_by` gives the aside that a question by itself would be."""
    alone = (() if aside is None else (aside,)), ""
    if (aside is not None and aside.kind in _WHOLE) or _QUOTES.search(text):
        return alone
    parts = [part for part in _JOINT.split(text) if part]
    if len(parts) > 1 and _CALLS_FOR_HELP.fullmatch(parts[0]):
        parts[:2] = [" ".join(parts[:2])]
    if aside is None and not (len(parts) > 1 and _asks(parts[0]) and asked_by(parts[0], parts[0])[0]):
        return _asked_after(text, asked_by)
    asked: list[Aside] = []
    rest: list[str] = []
    lead = ""
    for part in parts:
        found, _ = asked_by(part, part)
        if found is not None and found.kind in _WHOLE:
            return alone
        is_same = found is not None and bool(asked) and asked[-1].kind == found.kind != "told"
        is_same = is_same or (bool(asked) and asked[-1].kind == "clocks" and _OF_IT.search(part) is not None)
        goes_on = bool(asked) and (_goes_on(part, is_deed=aside is None) or _goes_on_of_one(asked, part))
        goes_on = goes_on or (bool(asked) and aside is not None and aside.kind == "clocks" and not _is_done(part))
        if found is not None and not is_same:
            asked.append(found if found.kind == "told" else _with_words(found, lead, part))
        elif is_same or (goes_on and found is None):
            asked[-1] = asked[-1] if asked[-1].kind == "told" else _with_words(asked[-1], asked[-1].words, part)
        elif not asked and not _asks(part) and not _is_done(part):
            lead = f"{lead} {part}".strip()
            continue
        else:
            rest.append(part)
        lead = ""
    if not asked or (len(asked) == 1 and not rest and aside is not None):
        return alone
    return tuple(asked), " ".join(part if part.endswith((".", "?", "!")) else f"{part}." for part in rest)


# Who calls for help, and then asks something, is answered that.
_CALLS_FOR_HELP = re.compile(r"(?:help|hint|hints|question|please|help me|a hint)(?: please)?[?!.,]*", re.IGNORECASE)
_QUOTES = re.compile(r"[\"“”]")


# What only leads in to the question behind it: `I sit down. Wait, what is my goal?`
_LEADS_IN = re.compile(
    r"(?:(?<=[.,;!?])|^)\s*(?:(?:wait|hey|ok|okay|so|well|um+|hm+|oh|also|and|but|hang on|hold on|sorry|please|now|then"
    r"|(?:one |quick |just a )?question)[ ,]*)+$",
    re.IGNORECASE,
)


def _asked_after(text: str, asked_by: AskedBy) -> tuple[tuple[Aside, ...], str]:
    """Return what a line asks of the game at its end, after something else, and what stands before that."""
    parts = [part for part in _AFTER_DEED.split(text) if part] or [""]
    asked: list[Aside] = []
    while len(parts) > 1 and _asks(parts[-1]):
        found, _ = asked_by(parts[-1], parts[-1])
        if found is None or found.kind not in _CLEAR:
            break
        asked.insert(0, found if found.kind == "told" else _with_words(found, parts[-1]))
        parts.pop()
    rest = _LEADS_IN.sub("", text[: text.rindex(parts[-1]) + len(parts[-1])]).strip(" ,")
    # Who is only called, or begun to be spoken to, is asked.
    return (tuple(asked), rest) if asked and len(rest.split()) > _FEW else ((), "")


def _with_words(aside: Aside, *parts: str) -> Aside:
    return aside.model_copy(update={"words": " ".join(filter(None, parts))[:MAX_WORDS]})


def _goes_on(part: str, *, is_deed: bool) -> bool:
    """Tell whether words go on about what was asked before them; what is no question may be a deed beside it."""
    if not _asks(part):
        return not is_deed and not _is_done(part)
    return len(part.split()) <= _FEW or bool(_BACK.search(part)) or bool(subjects_in(part, "questions"))


def _is_done(part: str) -> bool:
    """Tell whether words beside a question are a deed, no mere lead-in: `I pick up the cup.`"""
    said = re.sub(r"^(?:(?:and|then|so|ok|i|we|just),? )+", "", part.casefold()).split()
    if " ".join(said[:2]) in _DEEDS:
        return True
    return len(said) > 1 and is_verb(said[0].strip(",.")) and said[0] not in _NO_DEEDS


_DEEDS = frozenset(("look at", "look around", "look in", "look under"))
# Verbs of what leads in to a question, or says how it is meant.
_NO_DEEDS = frozenset(
    "am have had know think guess mean want wanna need understand get see wonder forget forgot feel like love hate play"
    " wait help look listen hold tell give show explain remind let say hear check do did was will would can could be"
    " suppose assume hope believe started start begin keep try lost died hint undo save restart".split()
)


def _goes_on_of_one(asked: list[Aside], part: str) -> bool:
    """Tell whether a question goes on about the player, of whom was asked, or for whom a hint was."""
    is_of_one = any(aside.kind == "who" for aside in asked) and _OF_ONE.search(part) is not None
    is_hint = asked[-1].kind == "hint" or "hint" in subjects_in(asked[-1].words, "questions")
    return is_of_one or (is_hint and _OF_SELF.search(part) is not None)


def with_asides(output: InterpreterOutput | None, asides: tuple[Aside, ...], rest: str = "") -> InterpreterOutput:
    """Return what was read of the rest of a line, with what the line asks of the game; without an output that alone."""
    if output is None:
        return InterpreterOutput(intent=f"aside: {asides[0].kind}", aside=asides[0], beside=asides[1:])
    if output.aside is None:
        played = output.played or rest
        return output.model_copy(update={"beside": (*asides, *output.beside), "played": played})
    beside = (*asides[1:], output.aside, *output.beside)
    return output.model_copy(update={"aside": asides[0], "beside": beside})
