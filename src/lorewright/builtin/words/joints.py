"""A line and a tagger -> its acts, cut at the joints that its words have and in the order in which they are done:
without clauses that only say why, when or how far, with each quoted speech by itself, with the frame of a speech apart
from what is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from lorewright.builtin.words.act_nouns import is_search
from lorewright.builtin.words.plain_words import DOES, OF_MIND, OF_OTHERS, in_order, plain_deed
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
    r"|(?:before|as if|as though|once|when)\s+i(?:'ve)?(?=\s+\w)|so\s+(?:that\s+)?i"
    r"(?:'ll|'d|\s+(?:can|could|know|don|won|might|may))"
    r"|so\s+(?:we|they|it|s?he)'(?:re|s|ll|d)|(?:neither|none)\s+of\s+\w+"
    r"|(?:instead of|rather than|without)\s+\w+ing|rather\s+than\s+\w+"
    rf"|whether\s+{_SOMEBODY}\s+\w+(?:\s+\w+){{0,4}}\s+or\s+not|whether\s+{_OTHERS}\s+\w+(?:\s+(?:it|that))?$"
)
_BEGINS_CLAUSE = re.compile(rf"(?:(?:and|but)\s+)?(?:{_CLAUSE})\b", re.IGNORECASE)
_HAS_CLAUSE = re.compile(rf"(?<=\w),?\s+(?:{_CLAUSE})\b", re.IGNORECASE)
_WHEN = re.compile(rf"(?:(?:and|but)\s+)?(?:{_TIMES}|without|instead|rather|once|when)\b", re.IGNORECASE)
# Words between two acts that are none.
_ON_THE_WAY = re.compile(
    r"(?:(?:and|then|but|so)\s+)*(?:in the end|at last|finally"
    r"|on the way(?: there| over| back| across| down| up| out)?|meanwhile|in the meantime"
    r"|at the same time|while (?:i'm |i am )?at it|with that|after that|in passing|as i go|along the way"
    r"|(?:straight (?:there|over|away|on|back)|no (?:stops|delays?)|without stopping|in that order)(?:, no stops)?"
    r"|no (?:hurry|rush)|too late|for luck|as usual|(?:finding|seeing) (?:none|nothing|nobody))",
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
    r"(?:(?:being|having|knowing|feeling|hoping|wanting) [^,]+"
    r"|(?!(?:only|actually|really|sadly|honestly)\b)\w{3,}ly), (?=\w)",
    re.IGNORECASE,
)
# `the initials I cut there`: what says more of a noun.
_RELATIVE = re.compile(
    r"(?:i|you|he|she|they|we)(?:'d| had)? (?:\w+ (?:there|here|once|before|earlier|myself|as a \w+)"
    r"|(?:brought|bought|left|lost|found|forgot|made|wore|dropped|hid|took|saw|kept|had))",
    re.IGNORECASE,
)
# When a thing is said, before that: `and at ten tell her`.
_AT_TIME = re.compile(
    rf"(?P<joint>(?:(?:and|then|but)\s+)*)(?:at|on|after|in) (?:(?:a|an|the|another|some|that|about) )?"
    r"(?:ten|three|twenty|zero|while|(?:long |short )?(?:moment|minute|second|pause|beat|bit|time)s?|last|end)"
    rf"(?: or two)?,? (?=(?:{_SAYS}) )",
    re.IGNORECASE,
)
# Whom or what somebody asks or tells, in a narration: `I ask about the bus`.
_I_SAY = re.compile(r"(?:(?:and|then|but) )*i (?=(?:ask|tell|greet|thank)\b)", re.IGNORECASE)
_UNSURE = 0.6
# An answer is asked for beside something else: `something hot, please, and tell me where she is`.
_AND_TELL = re.compile(r"(?<=\w),? and (?=(?:please |then )*tell me (?:who|what|where|when|why|how|about|if)\b)", re.I)
# What somebody else said is told, and not done: `count the chips, she wrote`.
_OF_ANOTHER = re.compile(r"\w, (?:s?he|they|(?-i:[A-Z])\w+) (?:wrote|writes|said|says|told me|kept saying)[.!]*$", re.I)
_TOLD = "report"
# That it is said, after it: `you go first, I say`.
_SAID_I = re.compile(
    rf"(?<=\w),? i (?:say|add|reply|tell (?:him|her|them|{_NAMED}))(?:, (?:not )?(?:as|like|in) [^,]+)?[,.]*$",
    re.IGNORECASE,
)
# One takes a posture to look: `crouch to see what lock it has`.
_STOOPS = re.compile(
    r"(?P<joint>(?:(?:and|then|but|i)\s+)*)(?:crouch|kneel|bend|lean|stoop|squat|tiptoe)(?: \w+){0,2}? to "
    r"(?=(?:see|look|check|peer|examine|inspect|read|find out) )",
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
    plain, written = _without_written(in_order(text))
    if plain != text:
        acts, text = tag_acts(plain), plain
    acts = _cut(text, tag_acts, acts, is_said=is_said, is_small=is_small)
    acts = tuple(map(_with_own_nouns, acts)) if len(acts) > 1 else acts
    acts = tuple(_with_written(act, written) for act in acts) if written else acts
    return tuple(_forbidden(act, acts, text, is_said) for act in acts)


def _cut(text: str, tag_acts: TagActs, acts: Sequence[Act], *, is_said: IsKind, is_small: IsKind) -> tuple[Act, ...]:
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
        is_asking = before is not None and before.words.rstrip().endswith("?")
        if before is not None and is_asking and _is_bit_of_question(act, is_said):
            found[-1] = _and(before, act)
        elif before is not None and _ON_THE_WAY.fullmatch(act.words.strip(f"{_AROUND}.")):
            continue
        elif before is not None and (goes_on := _elliptic(before, act, is_said)):
            same = {"kind": before.kind, "score": before.score}
            found += (after.model_copy(update={} if at else same) for at, after in enumerate(tag_acts(goes_on)))
        elif _BEGINS_CLAUSE.match(act.words) and not set(act.words) & set('?"'):
            if before is not None and (is_said(before) or is_asking) and not _WHEN.match(act.words):
                found[-1] = _and(before, act)
            else:
                found += _after_clause(act, tag_acts)
        elif before is not None and _is_purpose(act):
            both = _and(before, act)
            found[-1] = both if is_small(before) or is_search(both.words) else before
        elif before is not None and _is_relative(before, act, is_said):
            continue
        else:
            found += _core(act, tag_acts, is_said=is_said, is_small=is_small)
    return tuple(found) or acts


_SEVERAL = 2
# So many words with a question mark go on with the question before them: `what must I do? Clean? Sleep?`
_BIT = 2


def _is_bit_of_question(act: Act, is_said: IsKind) -> bool:
    return act.words.rstrip().endswith("?") and len(act.words.split()) <= _BIT and not is_said(act)


def _and(before: Act, after: Act) -> Act:
    """Return an act with the words of a clause that belongs to it."""
    topic = f"{before.topic} {after.words}" if before.topic else ""
    return before.model_copy(update={"words": f"{before.words} {after.words}", "topic": topic})


def _after_clause(act: Act, tag_acts: TagActs) -> Sequence[Act]:
    """Return the acts that follow a clause which only says when: `as she turns away, grab the key`."""
    clause = _OF_ONESELF.sub("", act.words)
    _, joint, rest = clause.partition(", " if ", " in clause else " I ")
    if not joint:
        words = clause.split()
        starts = range(_IN_CLAUSE if clause == act.words else 1, len(words) - 1)
        rest = next((" ".join(words[at:]) for at in starts if _begins_act(words, at)), "")
    return tag_acts(rest) if rest.strip(_AROUND) else ()


_OF_ONESELF = re.compile(
    r"^(?:(?:and|but)\s+)?(?:before|as if|as though|once|when|so(?: that)?)\s+i(?:'ve)?\b", re.IGNORECASE
)


def _begins_act(words: Sequence[str], at: int) -> bool:
    """Tell whether a verb and its object stand at a place, done by nobody else: `while he thinks take it`."""
    low = [word.casefold() for word in words[at - 1 : at + 2]]
    may_act = is_verb(low[1]) or (low[0].endswith("ing") and low[1].isalpha() and low[1] not in _OBJECTS)
    return may_act and low[2] in _OBJECTS and low[0] not in _BEFORE_VERBS


# A clause has a joint, somebody, and a verb.
_IN_CLAUSE = 3
_OBJECTS = frozenset("the a an my his her their its it him them".split())
_BEFORE_VERBS = frozenset(
    "to and i he she they we it you can could will would may might must the a an my his her".split()
)


def _is_purpose(act: Act) -> bool:
    is_named = act.target and not act.topic
    return bool(_ROOM.match(act.words)) or (not is_named and bool(_PURPOSE.match(act.words)))


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
    for before in (_AT_TIME, _STOOPS):
        if before.match(act.words):
            yield from tag_acts(before.sub(r"\g<joint>", act.words))
            return
    if act.score < _UNSURE and (narrated := _I_SAY.match(act.words)):
        yield from tag_acts(act.words[narrated.end() :])
        return
    if _SAID_I.search(act.words):
        yield from tag_acts(_SAID_I.sub("", act.words))
        return
    if "?" not in act.words and _OF_ANOTHER.search(act.words):
        yield Act(kind=_TOLD, words=act.words, topic=act.words.strip(_AROUND), score=1.0)
        return
    if (joint := _AND_TELL.search(act.words)) is not None:
        for part in (act.words[: joint.start()], act.words[joint.end() :]):
            yield from tag_acts(part.strip(_AROUND))
        return
    framed = _FRAMED.fullmatch(act.words)
    meanwhile = _MEANWHILE.fullmatch(act.words)
    if meanwhile is not None:
        yield from tag_acts(meanwhile["says"])
        yield from tag_acts(plain_deed(meanwhile["doing"]))
    elif framed is not None:
        yield from tag_acts(f"{framed['says']}{framed['said']}")
    else:
        yield act


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
        if at and found and (named := _TO_WHOM.match(outside)) is not None:
            found[-1] = found[-1].model_copy(update={"person": found[-1].person or named["whom"]})
            outside = outside[named.end() :]
        if re.sub(r"\W|\band\b|\bthen\b", "", outside):
            acts = tag_acts(outside)
            frame = _FRAME.fullmatch(f" {acts[-1].words.strip('.')}") if acts else None
            if quote is not None and (frame is None or not (found or frame["says"])):
                return ()
            whom = _name_in(frame["whom"]) if frame is not None else ""
            kept = acts if frame is None else acts[:-1]
            is_beside = is_beside or bool(kept) or len(quotes) > 1
            found += kept
        elif quote is not None and not at and len(quotes) < _SEVERAL:
            return ()
        if quote is not None:
            said = (_as_said(act, is_said) for act in tag_acts(quote[1].strip(_AROUND)))
            found += (act if act.person or not whom else act.model_copy(update={"person": whom}) for act in said)
            at = quote.end()
    return tuple(found) if is_beside else ()


# Behind what is quoted: to whom it is said.
_TO_WHOM = re.compile(
    r"(?:to|at) (?P<whom>(?:(?:mr|mrs|miss|captain|the|old) )?\w+)(?=$|[,.;]| and\b| then\b)", re.IGNORECASE
)


def is_quoted(words: str, text: str) -> bool:
    """Tell whether words of a line stand in quotation marks there."""
    return any(words.strip(f'{_AROUND}".') in quote[1] for quote in _QUOTE.finditer(text))


def _as_said(act: Act, is_said: IsKind) -> Act:
    """Return an act in quotation marks as words to somebody: what is quoted is no deed; a noun alone asks for none."""
    if _FRAGMENT.fullmatch(act.words) and (not is_said(act) or act.kind == _ASKED_OF_THEM):
        return Act(kind=_ASKED_ABOUT, words=act.words, person=act.person, topic=act.words, score=1.0, odd=act.odd)
    return act if is_said(act) else Act(kind=_ASKED_OF_THEM, words=act.words, topic=act.words, score=1.0, odd=act.odd)


# The kind of words that ask somebody for a deed, and of those that somebody is asked about.
_ASKED_OF_THEM, _ASKED_ABOUT = "request", "ask_more"
_FRAGMENT = re.compile(
    r"(?:(?:under|before|after|at|in|on|behind|by|from|for|inside|beneath|below) )?(?:(?:the|my|your|a|an|this|that) "
    r"(?:[\w'’-]+ ){0,2}?[\w'’-]+|(?:room|pier|number|level|nine|ten|eleven|twelve|midnight) ?[\w'’-]*)[.!]*",
    re.IGNORECASE,
)


def _name_in(whom: str) -> str:
    return re.sub(r"^\s*(?:(?:to|for|at) )?", "", whom).strip()


_NOT_DONE = re.compile(
    rf"(?:(?:and|but|then|{DOES})\s+)*(?:do not|don['’]?t|dont|never)\s+(?P<verb>[a-z]+)\b", re.IGNORECASE
)


# What one tells of oneself, and tells others not to do.
_FELT = frozenset(("cry", "panic", "worry", "fret"))
# A step of a row, hardly taken for words to somebody: `then regret it`.
_STEPPED = re.compile(
    rf"(?P<joint>(?:(?:and|then|but|{DOES}) )*)(?!{_SAYS}\b)(?P<verb>[a-z]+) (?:it|them|the|my|half|all|a|an)\b",
    re.IGNORECASE,
)
_I_DO_NOT_SAY = re.compile(
    r"(?:(?:and|but|then)\s+)*(?:i|he|she) (?:do not|don['’]?t|does not|doesn['’]?t) (?:ask|tell|answer"
    r"|mention|greet|thank)\b",
    re.IGNORECASE,
)


def _forbidden(act: Act, acts: Sequence[Act], text: str, is_said: IsKind) -> Act:
    """Return an act that one forbids oneself, beside deeds, as no words to somebody: `don't sit, put it on the bar`."""
    found = _NOT_DONE.match(act.words) if is_said(act) else None
    if found is not None and _I_DO_NOT_SAY.match(act.words) and not is_quoted(act.words, text):
        return act.model_copy(update={"kind": _SMALL, "person": "", "topic": ""})
    told = _STEPPED.match(act.words) if is_said(act) and act.score < (_LIKELY if found is None else 0) else None
    if told is not None and (told["joint"] or act is not acts[0]):
        found = told
    verb = "" if found is None else found["verb"].casefold()
    is_of_mind = verb in OF_MIND and not (verb in _FELT and act.words.casefold().startswith("i "))
    if not verb or act.person or is_of_mind or not is_verb(verb):
        return act
    is_beside = any(other is not act and (not is_said(other) or _NARRATES.match(other.words)) for other in acts)
    if not is_beside or OF_OTHERS.search(act.words) or is_quoted(act.words, text):
        return act
    return act.model_copy(update={"kind": _SMALL, "topic": ""})


_NARRATES = re.compile(rf"{_LEADS}(?:{_SAYS}|order|thank|greet)s? (?!me\b|us\b)", re.IGNORECASE)
# The kind of an act of no consequence.
_SMALL = "work"

# What an act leaves to the one before it, and what its nouns are.

_GOES_ON = re.compile(
    r"(?:(?:and|then|next|finally|lastly)[ ,]+)+"
    r"(?P<rest>(?P<joint>(?:at|into|in|under|behind|through|inside|over|on|to|from|towards?) )?"
    r"(?:the|my|his|her|its|their|a|an|him|them|it|one for|another for)\b.*)",
    re.IGNORECASE,
)


def _elliptic(before: Act, act: Act, is_said: IsKind) -> str:
    """Return an act that has its verb from the one before it in full: `then the hook` after `check the register`."""
    found = _GOES_ON.fullmatch(act.words)
    if found is None or is_said(before) or not before.target or before.target not in before.words:
        return ""
    head = before.words[: before.words.index(before.target)]
    if found["joint"]:
        head = " ".join(re.sub(rf"^{_LEADS}", "", head, flags=re.IGNORECASE).split()[:1])
    head = re.sub(r"(?: (?:the|my|his|her|its|their|a|an))+ ?$", "", head.rstrip())
    rest = re.sub(r"^(?:one|another) for\b", "some for", found["rest"])
    return f"{head} {rest}" if head.strip() else ""


_WHERE = re.compile(
    rf"(?<=\w),? (?:where|so that|so|because|as if|as though|while|in case|even though|until|till)"
    rf" (?:only )?{_SOMEBODY}\b",
    re.IGNORECASE,
)
_IF_IT_IS = re.compile(
    rf"{_LEADS}(?:see|check|look|find out|make sure|make certain)s? (?:(?:if|whether|that) )?"
    r"(?:the|my|his|her|their|an?) (?P<what>(?:[\w'-]+ ){0,2}?[\w-]+)"
    r"(?:'s| is| are| was| were| has| have| had| isn't| can| could) ",
    re.IGNORECASE,
)


_OWN_PART = re.compile(
    r"\b(?:open|close|shut)s? (?:my|his|her) (?P<what>mouth|eyes?|fists?|hands?|lips)\W*$", re.IGNORECASE
)
# The kind of a look for something.
_SOUGHT = "seek"


def _with_own_nouns(act: Act) -> Act:
    """Return an act with the noun of what it looks after (`see if the register is there`), without those of a clause
    that only says where, why or how far."""
    own = _OWN_PART.search(act.words) if not act.target else None
    if own is not None:
        return act.model_copy(update={"kind": _SMALL, "target": own["what"]})
    looked = _IF_IT_IS.match(f"{act.words} ") if not act.target or act.score < _LIKELY else None
    if looked is not None:
        return act.model_copy(
            update={"kind": _SOUGHT, "target": looked["what"], "topic": "", "score": max(act.score, _LIKELY)}
        )
    clause = _WHERE.search(act.words)
    if clause is None or act.topic:
        return act
    nouns = {field: getattr(act, field) for field in ("target", "second", "person")}
    inner = {field: "" for field, noun in nouns.items() if noun and act.words.find(noun) > clause.start()}
    return act.model_copy(update=inner)


# What is written in quotation marks is no speech.

_WRITES = re.compile(
    rf"(?:^|[.;!?,] |\band |\bthen )(?:{DOES} )?(?:write|scribble|note|jot|print|scrawl|pencil|chalk|scratch|sign)s?\b"
    r"(?: (?!to |and |then )[\w']+){0,6}?[,:]? (?P<what>[\"“][^\"“”]+[\"”])",
    re.IGNORECASE,
)
_THAT = "this"


def _without_written(text: str) -> tuple[str, str]:
    """Return a line with `this` for what is written in quotation marks in it, and that."""
    found = _WRITES.search(text)
    return (
        (text, "")
        if found is None
        else (f"{text[: found.start('what')]}{_THAT}{text[found.end('what') :]}", found["what"])
    )


def _with_written(act: Act, written: str) -> Act:
    """Return the act in which something is written with that."""
    words = re.sub(rf"\b{_THAT}\b", lambda _: written, act.words, count=1)
    return act if words == act.words else act.model_copy(update={"words": words, "topic": written, "target": ""})
