"""Authored text -> the same text without markup, quoted, or cut at a clause boundary. Words are never changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from lorewright.index.keywords import content_words

_DROPPED = (
    (re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)"), r"\1"),  # [text](target)
    (re.compile(r"\[\[(?:[^\]|]*\|)?([^\]|]*)\]\]"), r"\1"),  # [[target|text]]
    (re.compile(r"\{#[^}]*\}|%%.*?%%|<!--.*?-->|</?[a-zA-Z][^>]*>"), ""),
    (re.compile(r"(?m)^\s*(?:#{1,6}|>|[-*+]|\d{1,3}[.)])\s+"), ""),
    (re.compile(r"(\*\*\*|\*\*|\*|~~|==|`+)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<!\w)(_{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"\s*\[\^?\d+\]"), ""),
    (re.compile(r"\s*\|+\s*|(?<!\S)#+(?!\S)"), " "),  # leftovers of a table or a heading
)
_CLAUSE_END = re.compile(r"[,;:.!?—](?=[\s”\"]|$)|\s[–-](?=\s)")
# Words that begin a sentence and are never the beginning of a name in one.
_SMALL_WORDS = frozenset(
    "a an the this that these those there here it its he she they his her their we our you your nobody somebody "
    "everybody nothing something everything one two three four five six seven eight nine ten each every some any "
    "no none both all many most few in on at under over behind before after beyond between below above through "
    "from to by with without when where while if as and but or only even still then now once what whoever "
    "whatever".split()
)
_CLAUSE_BEGINS = frozenset(
    "a an the this that these those his her its their our my your he she it we they you i who whom whose which "
    "where when while although though because since as so but yet or and nor for to in on at of by with without "
    "from into onto over under after before until unless if than then not nobody somebody nothing something one "
    "two three each every both chiefly mainly".split()
)
_SUBORDINATE = frozenset(
    "when whenever if unless while although though as because since after before until once where wherever".split()
)
_SHORTEST, _LONGEST = 3, 16  # longest reminder (words)


@lru_cache(maxsize=2048)
def plain(text: str) -> str:
    """Return the words of a text without emphasis, links, list marks and citations, on one line."""
    for pattern, kept in _DROPPED:
        text = pattern.sub(kept, text)
    return " ".join(re.sub(r"[*`]{2,}|[\x00-\x1f\x7f]", " ", text).split())


def ended(text: str) -> str:
    """Return the text with a stop at its end, if it has none."""
    if not text or text.rstrip("”’\"')")[-1:] in tuple(".!?…:"):
        return text
    return text.rstrip(",;—- ") + "."


def quoted(text: str) -> str:
    """Return the text between quotation marks; text that is a quotation by itself stays."""
    if text[:1] in '“"' and text[-1:] in '”"':
        return text
    return f"“{ended(text)}”"


def reminder(text: str) -> str:
    """Return the beginning of the text up to a clause boundary, without its stop; empty where no boundary comes in
    time.
    """
    if text.split(" ", 1)[0].lower() in _SUBORDINATE:
        # Its first clause says nothing by itself.
        sentence = re.match(r".*?[.!?…](?=[\s”\"]|$)", text)
        whole = (sentence.group() if sentence else text).rstrip(" ,;:.")
        return whole if len(whole.split()) <= _LONGEST else ""
    for match in _CLAUSE_END.finditer(text):
        if match.group() == "," and not _begins_clause(text[match.end() :]):
            continue
        count = len(text[: match.start()].split())
        if count > _LONGEST:
            return ""
        if count >= _SHORTEST or match.end() == len(text):
            return text[: match.start()].rstrip(" ,;:")
    return text if len(text.split()) <= _LONGEST else ""


def reminder_of(text: str, asked: Sequence[str]) -> str:
    """Return the reminder of the sentence that has the most of the words that were asked for: the first one where no
    other has more, or where that one has no reminder."""
    words = set(asked)
    cut = re.split(r"(?<=[.!?…]) (?=[A-Z])", text)
    best = max(cut, key=lambda sentence: len(words.intersection(content_words(sentence))))
    return (reminder(best) if best != cut[0] else "") or reminder(text)


def _begins_clause(rest: str) -> bool:
    """Tell whether the text after a comma may be left off: not the second of two adjectives, nor the next item of a
    list.
    """
    word = rest.split(maxsplit=1)[0].lower().strip('”"') if rest.strip() else ""
    return not word or word in _CLAUSE_BEGINS or word.endswith(("ed", "ing"))


def lowered(text: str) -> str:
    """Return the text as it goes on after a colon: its first letter is lowered where its first word can be no name."""
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if first.lower() in _SMALL_WORDS else text


def is_named_in(names: Sequence[str], text: str) -> bool:
    """Tell whether any of the names stands in the text as whole words."""
    return any(name and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names)


def word_count(text: str) -> int:
    """Return the number of words between spaces."""
    return len(text.split())


# How a text says that a thing can no longer be had or used.
_GONE = (
    r"(?:(?:is|are|was|were|has been|have been)(?: \w+)? (?:gone|missing|stolen|broken|dead|stopped)"
    r"|(?:has|have|had)(?: \w+)? (?:gone|stopped|vanished|disappeared|died)"
    r"|stopped|vanished|(?:goes|went|drives|drove) off|(?:does not|no longer) works?)\b"
)


def said_gone(text: str, noun: str, *, is_run: bool = False) -> str:
    """Return the clause of a text that says that the thing of that name is gone, broken or standing still; empty where
    there is none, and where one can do with it as it is, but for what wants it to run (`is_run`)."""
    found = re.search(
        rf"(?:^|[,.;:] )(?:then |and |but |so )*(?P<clause>(?:the|her|his|their|my|your|this) (?:[\w'’-]+ ){{0,2}}?"
        rf"{re.escape(noun)}(?: (?:of|in|at|to|from|on) [\w'’ -]+?)? {_GONE}[^,;:.!?]*)",
        plain(text),
        re.IGNORECASE,
    )
    # `The escalator stopped, and you come down it`: one walks on it as it stands.
    is_used = found is not None and _WALKED.match(plain(text)[found.end() :])
    return "" if found is None or (is_used and not is_run) else found["clause"].strip()


_WALKED = re.compile(
    r",? (?:and|but|so) you (?:come|came|climb|walk|go|went|step) (?:\w+ )?(?:it|them)\b", re.IGNORECASE
)
