"""Claims: words -> what they claim was said or promised, is owed or is owned; nothing here says whether it is true."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

ClaimKind = Literal["said", "promised", "owes", "owns"]

# Persons of a claim, in the words of its speaker: `you` is the addressee, `i` the speaker.
YOU, ME = "you", "i"


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim; `by` and `to` as they were named (`you`, `i`, `viktor`), `what` as typed; with `asks` the speaker wants
    to hear it again.
    """

    kind: ClaimKind
    by: str
    to: str
    what: str
    asks: bool = False


_LEAD = re.compile(
    r"(?:(?:but|and|so|well|look|listen|okay|ok|hey|no|yes|remember|wait|then|because|since|after all|of course"
    r"|i thought|i think|i remember|i recall|you know|don't forget|you forget|remind \w+|surely)(?: that)?,? )+"
)
_SOMEBODY = r"(?P<by>you|i|[^\W\d_][\w'-]*(?: [^\W\d_][\w'-]*){0,3}?)"
_HAVE = r"(?:'ve|'d| have| had)?(?: (?:already|just|once|also|yourself|myself|certainly|clearly|even|always|did))*"
_WHEN = r"(?: (?:yesterday|earlier|before|last night|this morning|today|tonight|just now|the other day|last time))?"
_TO = r"(?: (?:to )?(?P<to>me|us|you))?"
_THAT = r"(?:(?: that| about| of| how)? )"
_SAYING = r"(?:told|said|mentioned|claimed|admitted|let slip|assured|explained|informed)"
_PROMISING = r"(?:promised|swore|vowed|agreed|pledged|gave (?:me|you) (?:your|my|his|her|their) word)"
_WOULD = r"(?:you|i|he|she|they)(?:'d|'ll| would| will)"
_THINGS_BACK = r"(?:back )?my (?P<what>.+?)(?: back)?"

_PATTERNS: tuple[tuple[ClaimKind, str], ...] = (
    ("promised", rf"{_SOMEBODY}{_HAVE} {_SAYING}{_TO}{_WHEN}(?: that)? {_WOULD} (?P<what>.+)"),
    (
        "promised",
        rf"{_SOMEBODY}{_HAVE} {_PROMISING}{_TO}{_WHEN}(?: (?:that )?{_WOULD}| to| that| of)? (?P<what>.+)",
    ),
    ("said", rf"(?:as|like|just as) {_SOMEBODY}{_HAVE} {_SAYING}{_TO}{_WHEN},? (?:that )?(?P<what>.+)"),
    ("said", rf"(?P<what>.+?),? (?:as|like|just as|just like) {_SOMEBODY}{_HAVE} {_SAYING}{_TO}{_WHEN}"),
    ("said", rf"according to {_SOMEBODY},? (?P<what>.+)"),
    ("said", rf"{_SOMEBODY}{_HAVE} {_SAYING}{_TO}{_WHEN}{_THAT}(?P<what>.+)"),
    ("owes", rf"{_SOMEBODY}(?: still)? owes? (?P<to>me|us|you) (?P<what>.+)"),
    ("owns", r"(?:that's|that is|this is|it's|it is|those are|these are|that was) my (?:own )?(?P<what>.+)"),
    ("owns", r"(?:that|this|the|those|these) (?P<what>.+?) (?:is|are|was|were) mine"),
    ("owns", r"(?:that|this|the|those|these) (?P<what>.+?) belongs? to me"),
    # `give my card to Viktor` claims nothing.
    ("owns", rf"(?:give|hand)(?! my .+ to \w)(?: me)? {_THINGS_BACK}"),
    ("owns", rf"return {_THINGS_BACK}"),
    ("owns", rf"i want {_THINGS_BACK}"),
    ("owns", r"you(?:'ve| have)? (?:got|have|took|stole) my (?P<what>.+)"),
    ("owns", r"i own (?:the |that |this )?(?P<what>.+)"),
)
_FORMS = tuple((kind, re.compile(pattern)) for kind, pattern in _PATTERNS)
_ASKED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"what(?: exactly)? did {_SOMEBODY} (?:say|tell (?:me|us)|mention)(?: to me)? (?:about|of) (?P<what>.+)",
        r"(?:repeat|say again|tell me again) what (?P<by>you) (?:said|told me)(?: to me)? (?:about|of) (?P<what>.+)",
    )
)
_QUESTION = re.compile(r"(?:did|do|does|have|has|is|are|was|were|will|would|could|can|what|who|where|when|why|how)\b")
_DID_NOT = re.compile(r"(?:didn't|did not|haven't|hadn't) (?P<by>you|i|he|she|they) (?:just )?(?P<verb>\w+)")
_PASTS = ("promise promised", "say said", "tell told", "mention mentioned", "swear swore", "owe owe")
_PAST = dict(text.split() for text in _PASTS)
_TAIL = re.compile(
    r"(?:,? (?:didn't you|didn't i|right|remember|you know|you said|did you not|isn't it|yesterday|earlier|before"
    r"|last night|this morning|the other day|last time|already|again))+$"
)
# Things that nobody can carry away, whatever their owner.
_NO_THINGS = frozenset(
    "business problem name point girl boy friend brother sister mother father wife husband life fault job turn word "
    "way idea guess opinion choice decision answer question home house room place stop favourite favorite concern "
    "elbow elbows foot feet arm leg knee nose hair shoulder finger fingers toe ear ears face back seat chair "
    "money's right honour honor luck heart mind hand hands head eyes".split()
)
_NO_DAYS = frozenset(("birthday", "anniversary"))
_SAYS_NOTHING = frozenset(("", "it", "that", "so", "this", "them", "him", "her", "me", "you", "something", "anything"))
_NOBODY = frozenset(("he", "she", "they", "it", "that", "this", "who", "what", "somebody", "someone", "we", "people"))


def claim_in(text: str) -> Claim | None:
    """Return the claim that a clause makes, or None; the addressee's name has been taken off the clause.

    A question is none, except one that expects agreement (`didn't you promise me the key`), and the wish to hear
    something again.
    """
    words = " ".join(text.replace("’", "'").strip(' .,;:!?"“”').split())
    low = words.lower()
    if len(low) != len(words):
        words = low
    lead = _LEAD.match(low)
    at = 0 if lead is None or _says_so(low) else lead.end()
    low, words = _as_statement(low[at:], words[at:])
    for pattern in _ASKED:
        if (found := pattern.fullmatch(low)) and (what := _what(found, words)):
            return None if found["by"] in _NOBODY else Claim("said", found["by"], ME, what, asks=True)
    if _QUESTION.match(low) or low.endswith("?"):
        return None
    for kind, pattern in _FORMS:
        found = pattern.fullmatch(low)
        claim = None if found is None or _is_told(found) else _made_of(kind, found, words)
        if claim is not None:
            return claim
    return None


def _says_so(low: str) -> bool:
    """Tell whether the words only lead in, as `I think`; `no` and `so` may be all of what is said."""
    return not _LEAD.sub("", low).strip()


def _as_statement(low: str, words: str) -> tuple[str, str]:
    """Return `didn't you promise me the key` as `you promised me the key`."""
    found = _DID_NOT.match(low)
    if found is None:
        return low, words
    verb = _PAST.get(found["verb"], found["verb"])
    head = f"{found['by']} {verb}"
    return head + low[found.end() :], head + words[found.end() :]


def _is_told(found: re.Match[str]) -> bool:
    """Tell whether somebody was told, and has not told: `I was told to wait`."""
    return (found.groupdict().get("by") or "").endswith((" was", " were", " am", " are", " got", " been"))


def _made_of(kind: ClaimKind, found: re.Match[str], words: str) -> Claim | None:
    what = _what(found, words)
    if not what:
        return None
    if kind == "owns":
        first, last = what.lower().split()[0].strip(","), what.lower().split()[-1]
        is_none = first in _NO_DAYS or last in _NO_THINGS or len(what.split()) > 5
        return None if is_none else Claim("owns", ME, "", what)
    groups = found.groupdict()
    by, to = groups["by"], groups.get("to")
    if by in _NOBODY:
        return None
    to = {"us": ME, "me": ME, None: ME if by != ME else YOU}.get(to, to)
    return None if by == to else Claim(kind, by, str(to), what)


def _what(found: re.Match[str], words: str) -> str:
    start, end = found.span("what")
    what = words[start:end]
    what = what[: len(_TAIL.sub("", what.lower()))].strip(" ,:")
    return "" if what.lower() in _SAYS_NOTHING else what[:200].strip()
