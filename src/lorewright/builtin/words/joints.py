"""A line and a tagger -> its acts, cut at the joints that its words have: without clauses that only say why, when or
how far, with each quoted speech by itself, and with the frame of a speech apart from what is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from lorewright.builtin.words.tagging import Act, TagActs
from lorewright.scene_lore.nouns import is_verb

# Tells of an act what kinds of it there are: words to somebody, one of no consequence.
IsKind = Callable[[Act], bool]

_LEADS = r"(?:(?:and|then|but|so|also|first|finally|next|i|we|he|she|they)\b,?\s+)*"
# Who does what a clause tells of that is none of the acts.
_NAMED = r"(?-i:[A-Z])\w+"
_SOMEBODY = (
    r"(?:i|i'm|i've|i'd|i'll|he|she|they|it|we|you|this|that|there|nobody|no one|somebody|someone|everybody|everyone"
    r"|anybody|anyone|whoever|(?:s?he|they|it|we|you|that|there)'\w+|(?:the|my|his|her|their|this) \w+"
    rf"|{_NAMED}(?:'s)?)"
)
_OTHERS = _SOMEBODY.replace("(?:i|i'm|i've|i'd|i'll|", "(?:", 1)
_TIMES = r"(?:before|while|until|till|as soon as|as)"
# A clause that says why, when, how far or in spite of what an act is done.
_CLAUSE = (
    r"(?:because|so that|in case|even though|even if|although|as though|lest)\s+[\w']+"
    rf"|(?:though|since)\s+{_OTHERS}(?=\s+\w)"
    rf"|so\s+{_OTHERS}\s+(?:can|could|may|might|will|would|won|wouldn|cannot|couldn|does|doesn|isn|is|are|has|knows|feels|sees)"
    rf"|{_TIMES}\s+(?:only\s+|even\s+)?{_OTHERS}(?=\s+\w)"
    rf"|whether\s+{_SOMEBODY}\s+\w+(?:\s+\w+){{0,4}}\s+or\s+not|whether\s+{_OTHERS}\s+\w+(?:\s+(?:it|that))?$"
)
_BEGINS_CLAUSE = re.compile(rf"(?:(?:and|but)\s+)?(?:{_CLAUSE})\b", re.IGNORECASE)
_HAS_CLAUSE = re.compile(rf"(?<=\w),?\s+(?:{_CLAUSE})\b", re.IGNORECASE)
_WHEN = re.compile(rf"(?:(?:and|but)\s+)?{_TIMES}\b", re.IGNORECASE)
# Words between two acts that are none.
_ON_THE_WAY = re.compile(
    r"(?:(?:and|then|but|so)\s+)*(?:on the way(?: there| over| back| across| down| up| out)?|meanwhile|in the meantime"
    r"|at the same time|while (?:i'm |i am )?at it|with that|after that|in passing|as i go|along the way)",
    re.IGNORECASE,
)
_PURPOSE = re.compile(
    r"(?:in order |just |only )?(?:so as )?to (?:see|check|hear|find out|make sure|show|let|get|keep|avoid|feel|be)\b",
    re.IGNORECASE,
)
_ROOM = re.compile(
    r"(?:so as )?to (?:make|leave|give)(?: \w+)?(?: some| more| a little| a bit of)? (?:room|space|way)\b",
    re.IGNORECASE,
)
# What is put to somebody in other words than theirs: `and ask her whether`, `then I tell him that`.
_WHOM = rf"(?: (?:to )?(?:him|her|them|everyone|everybody|{_NAMED}(?: {_NAMED})?|the \w+(?: (?:man|woman))?))?"
_SAYS = (
    r"(?:ask|tell|say|whisper|mutter|murmur|report|explain|announce|describe|wonder|inquire|enquire|shout|call|demand)"
    r"(?:e?s|ed|e)?"
)
_ASKS = re.compile(
    rf"{_LEADS}(?:ask|beg|request|order|inquire|enquire|demand)s?{_WHOM} (?:to|if|whether|for)\b", re.IGNORECASE
)
_MANNER = (
    r"(?: (?:very |rather |quite )?\w+ly(?: (?:and|but) \w+ly)?"
    r"| (?:in|with|under) (?:a|an|the|my|his|her|their) [\w' -]{0,40}?(?:voice|tone|whisper|accent"
    r"|breath|smile|grin|shrug)"
    r"(?: of (?:a|an|the) [\w']+(?: (?:announcer|commentator|reporter|presenter|teacher|officer|man|woman|driver))?)?"
    r"| as \w+ as (?:i can|i could|possible)"
    r"|, [^,?!.]{1,30}(?=,))"
)
_FRAMED = re.compile(
    rf"(?:(?:just |in order )?to )?(?P<says>{_LEADS}{_SAYS}{_WHOM})(?P<how>{_MANNER}),?"
    r"(?P<said> (?:what|who|whom|whose|which|where|when|why|how|if|whether|that|about|to|for)\b.*)",
    re.IGNORECASE | re.DOTALL,
)
# What is done while something is said: `and ask her which boats went out, writing down their names`.
_MEANWHILE = re.compile(
    rf"(?P<says>{_LEADS}{_SAYS}{_WHOM} .+?), (?P<doing>(?!(?:nothing|something|anything|everything"
    rf"|during|being)\b)\w{{2,}}ing"
    r" (?!(?:is|was|are|were)\b).+)",
    re.IGNORECASE | re.DOTALL,
)
# Words before the first act that say what one is, or how it is done.
_BEFORE_ALL = re.compile(
    r"(?:being [^,]+|(?!(?:only|actually|really|sadly|honestly)\b)\w{3,}ly), (?=\w)", re.IGNORECASE
)
# `the initials I cut there`: what says more of a noun.
_RELATIVE = re.compile(
    r"(?:i|you|he|she|they|we)(?:'d| had)? (?:\w+ (?:there|here|once|before|earlier|myself|as a \w+)"
    r"|(?:brought|bought|left|lost|found|forgot|made|wore|dropped|hid|took|saw|kept|had))",
    re.IGNORECASE,
)
_QUOTE = re.compile(r'"([^"]+)"')
_FRAME = re.compile(
    r"(?: (?:and|then|but|so|i|we|he|she|they)\b,?)*"
    rf"(?P<says> (?:{_SAYS}"
    r"|(?:add|reply|answer|continue|go on|cry|hiss|yell|breathe|mumble|sigh|greet)(?:e?s|ed|ing)?|replies|cries))?"
    r"(?P<how>(?: (?:out|back|on|up|loud|low|aloud|just|simply|\w+ly|in (?:a|my) [\w' -]+|at last|under my breath))*)"
    rf"(?P<whom>(?: (?:to|for|at) (?:him|her|them|myself|nobody|the \w+(?: \w+)?|{_NAMED}(?: {_NAMED})?))?"
    rf"| (?:him|her|them|{_NAMED}))"
    r"(?: (?:out|back|loud|aloud|\w+ly|in (?:a|my) [\w' -]+|under my breath))*[,:]?",
    re.IGNORECASE,
)
_AROUND = " \t,;:"


def acts_of(text: str, tag_acts: TagActs, acts: Sequence[Act], *, is_said: IsKind, is_small: IsKind) -> tuple[Act, ...]:
    """Return the acts of a line that the tagger finds in it, cut at the joints of its words."""
    if not acts:
        return ()
    if _BEFORE_ALL.match(text):
        rest = _BEFORE_ALL.sub("", text, count=1)
        acts, text = (acts, rest) if len(more := tag_acts(rest)) < _SEVERAL else (more, rest)
    acts = _quoted(text, tag_acts, is_said) or acts
    acts = tuple(part for act in acts for part in _apart(act, tag_acts))
    if len(acts) < _SEVERAL:
        return acts
    found: list[Act] = []
    for act in acts:
        before = found[-1] if found else None
        if before is not None and _ON_THE_WAY.fullmatch(act.words.strip(f"{_AROUND}.")):
            continue
        if _BEGINS_CLAUSE.match(act.words) and not set(act.words) & set('?"'):
            if before is not None and is_said(before) and not _WHEN.match(act.words):
                found[-1] = _and(before, act)
            else:
                found += _after_clause(act, tag_acts)
        elif before is not None and _is_purpose(act):
            found[-1] = _and(before, act) if is_small(before) else before
        elif before is not None and _is_relative(before, act, is_said):
            continue
        else:
            found += _core(act, tag_acts, is_said=is_said, is_small=is_small)
    return tuple(found) or acts


_SEVERAL = 2


def _and(before: Act, after: Act) -> Act:
    """Return an act with the words of a clause that belongs to it."""
    topic = f"{before.topic} {after.words}" if before.topic else ""
    return before.model_copy(update={"words": f"{before.words} {after.words}", "topic": topic})


def _after_clause(act: Act, tag_acts: TagActs) -> Sequence[Act]:
    """Return the acts that follow a clause which only says when: `as she turns away, grab the key`."""
    _, joint, rest = act.words.partition(", " if ", " in act.words else " I ")
    return tag_acts(rest) if joint and rest.strip(_AROUND) else ()


def _is_purpose(act: Act) -> bool:
    return bool(_ROOM.match(act.words)) or (not act.target and bool(_PURPOSE.match(act.words)))


def _is_relative(before: Act, act: Act, is_said: IsKind) -> bool:
    is_joined = before.words[-1:].isalnum() and not re.search(r"\b(?:and|then|but|so)$", before.words)
    return is_joined and not is_said(before) and bool(_RELATIVE.fullmatch(act.words.strip(" ,.;!")))


def _core(act: Act, tag_acts: TagActs, *, is_said: IsKind, is_small: IsKind) -> Sequence[Act]:
    """Return an act without a clause at its end that only says why, when or how far; what is said keeps it, but for a
    request."""
    clause = _HAS_CLAUSE.search(act.words)
    is_asked = bool(_ASKS.match(act.words))
    if clause is None or '"' in act.words or "?" in act.words or (is_said(act) and not (is_asked or _is_step(act))):
        return (act,)
    if is_small(act) and act.score >= _LIKELY and not _SO_OTHERS.search(act.words):
        return (act,)
    core = tag_acts(act.words[: clause.start()].strip(_AROUND))
    is_same = len(core) == 1 and (core[0].kind, core[0].target) == (act.kind, act.target)
    return core if core and (is_asked or not is_same) else (act,)


# What others do is not told as a purpose of one's own: `mop it up so nobody sees`.
_SO_OTHERS = re.compile(
    rf"\bso (?:that )?{_OTHERS} (?!(?:can|could|may|might|will|would|can't|cannot|won't|doesn't|isn't)\b)",
    re.IGNORECASE,
)
# From that on the kind of an act is no guess.
_LIKELY = 0.4


def _is_step(act: Act) -> bool:
    """Tell whether an act is one of a row of deeds, and was hardly taken for words to somebody: `then I take it`."""
    return act.score < _LIKELY and bool(_STEP.match(act.words))


_STEP = re.compile(r"(?:and |but )?(?:first|then|next|after that|finally)\b", re.IGNORECASE)


def _apart(act: Act, tag_acts: TagActs) -> Iterator[Act]:
    """Yield what is said in an act without how it is said, and what is done meanwhile as an act by itself."""
    if '"' in act.words:
        yield act
        return
    framed = _FRAMED.fullmatch(act.words)
    meanwhile = _MEANWHILE.fullmatch(act.words)
    if meanwhile is not None:
        yield from tag_acts(meanwhile["says"])
        yield from tag_acts(_plainly(meanwhile["doing"]))
    elif framed is not None:
        yield from tag_acts(f"{framed['says']}{framed['said']}")
    else:
        yield act


def _plainly(doing: str) -> str:
    """Return what is done in the first form of its verb: `write their names` of `writing their names`."""
    verb, _, rest = doing.partition(" ")
    stem = verb.casefold().removesuffix("ing")
    bases = (stem[:-1], stem, f"{stem}e") if stem[-1:] == stem[-2:-1] else (stem, f"{stem}e")
    return f"{next(filter(is_verb, bases), verb)} {rest}"


def _quoted(text: str, tag_acts: TagActs, is_said: IsKind) -> tuple[Act, ...]:
    """Return the acts of a line with something in quotation marks beside other acts: what is quoted is said, and who
    says it no act; none for other lines."""
    quotes = list(_QUOTE.finditer(text))
    if not quotes or text.count('"') != 2 * len(quotes):
        return ()
    found: list[Act] = []
    whom = ""
    is_beside = False
    at = 0
    for quote in (*quotes, None):
        outside = text[at : len(text) if quote is None else quote.start()].strip(f"{_AROUND}.")
        if re.sub(r"\W|\band\b|\bthen\b", "", outside):
            acts = tag_acts(outside)
            frame = _FRAME.fullmatch(f" {acts[-1].words.strip('.')}") if acts else None
            if quote is not None and (frame is None or not (found or frame["says"])):
                return ()
            whom = _name_in(frame["whom"]) if frame is not None else ""
            kept = acts if frame is None else acts[:-1]
            is_beside = is_beside or bool(kept) or len(quotes) > 1
            found += kept
        elif quote is not None and not at:
            return ()
        if quote is not None:
            said = (_as_said(act, is_said) for act in tag_acts(quote[1].strip(_AROUND)))
            found += (act if act.person or not whom else act.model_copy(update={"person": whom}) for act in said)
            at = quote.end()
    return tuple(found) if is_beside else ()


def is_quoted(words: str, text: str) -> bool:
    """Tell whether words of a line stand in quotation marks there."""
    return any(words.strip(f'{_AROUND}".') in quote[1] for quote in _QUOTE.finditer(text))


def _as_said(act: Act, is_said: IsKind) -> Act:
    """Return an act in quotation marks as words to somebody: what is quoted is no deed."""
    return act if is_said(act) else Act(kind=_ASKED_OF_THEM, words=act.words, topic=act.words, score=1.0, odd=act.odd)


# The kind of words that ask somebody for a deed.
_ASKED_OF_THEM = "request"


def _name_in(whom: str) -> str:
    return re.sub(r"^\s*(?:(?:to|for|at) )?", "", whom).strip()
