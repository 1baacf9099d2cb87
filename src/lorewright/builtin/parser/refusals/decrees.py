"""Acts as they were tagged -> what their words decide that is not their speaker's to decide: what others do, what
happens by itself, and that one has what one has not. The lists of words are in `decrees.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from lorewright.builtin.parser.acts.kinds import Kind, kinds
from lorewright.builtin.parser.readings import MAX_WORDS, ParseContext, Reading, excerpt
from lorewright.builtin.words.asides import subjects_in
from lorewright.builtin.words.clauses import lexicon
from lorewright.builtin.words.narrated import in_parts, invents, is_third_person
from lorewright.builtin.words.noun_phrases import PhraseMatch, exact, resolve
from lorewright.builtin.words.tagging import Act, TagActs
from lorewright.scene_lore.nouns import is_verb
from lorewright.shipped_tables import read_table
from lorewright.values.readings import Aside

# The kind of an act that is decreed, and the kinds of aside that answer it: what happens, and what is so or was.
DECREE, DECREED, INVENTED = "decree", "decreed", "invented"

# Joints between an act and what is said to come of it; after others (`if`, `until`, `while`) nothing is decided.
_JOINT = re.compile(r"(?:,|;|\.)? (?:and then|and now|and|then|so that|so|but) |[,;] ", re.IGNORECASE)
_HOURS = re.compile(
    r"(?:now )?(?:it's|its|it is|the time is)(?: (?:now|suddenly|already))?(?: \w+)?"
    r" (?:o'?clock|o clock|am|pm|midnight|noon|morning|dawn|over)\b"
    r"|.*\b(?:minutes|hours|time|night|evening) (?:is|are) (?:over|up)\b",
    re.IGNORECASE,
)


@cache
def decree_words() -> Mapping[str, frozenset[str]]:
    """Return the lists of words and kinds of the table, by name."""
    rows: dict[str, str] = read_table(__package__, "decrees.yaml")
    return {name: frozenset(words.split()) for name, words in rows.items()}


def with_decrees(ctx: ParseContext, acts: Iterable[Act]) -> tuple[Act, ...]:
    """Return the acts, each parted from what its words say that others do or that happens: that is an act by itself."""
    found: list[Act] = []
    line = _rejoined(ctx, tuple(acts))
    is_of_third = any(_is_third(ctx, act.words) for act in line)
    for act in line:
        if act.kind == DECREE or _calls(ctx, act.words):
            found.append(act)
            continue
        if found and _is_reported_on(found[-1], act):
            # `I tell him that she is well, she sends her love`
            words = f"{found[-1].words.rstrip(' .')} {act.words}"
            found[-1] = found[-1].model_copy(update={"words": words, "topic": f"{found[-1].topic} {act.words}".strip()})
            continue
        if found and found[-1].kind == DECREE and _goes_on(act):
            # `and gives me the box`
            found[-1] = found[-1].model_copy(update={"words": f"{found[-1].words} {act.words}"})
            continue
        found += _parted(ctx, act, is_first=not found, is_of_third=is_of_third)
    return tuple(found)


_REPORTING = re.compile(
    r"(?:(?:and|then|so|i|we|just) )*"
    r"(?:tell|say|explain|inform|assure|promise|swear|claim|lie|warn|confess|admit|repeat)s?\b"
    r"(?P<rest>[^\"“”?]*)$",
    re.IGNORECASE,
)


def _is_reported_on(before: Act, act: Act) -> bool:
    """Tell whether an act goes on with what somebody is told of others, in reported speech."""
    said = _REPORTING.match(before.words.strip())
    words = [word for word in act.words.casefold().strip(" *.,").split() if word not in ("and", "but", "that")]
    if said is None or len(words) < _CLAUSE or "me" in words or not kinds().get(before.kind, Kind()).said:
        return False
    is_clause = words[0] in ("he", "she", "it", "they") and (is_third_person(words[1]) or words[0] == "they")
    # `… and wants her tab put on hold`
    told = said["rest"].casefold().split()
    is_more = is_third_person(words[0]) or act.score < _UNSURE
    return is_clause or (is_more and bool({"he", "she", "they"} & set(told[1:])))


# So many words, at least, say something of somebody.
_CLAUSE = 3


def _calls(ctx: ParseContext, words: str) -> bool:
    """Tell whether words begin with a call of somebody who is here: what follows is said to them."""
    name, comma, _ = words.strip(' *"“').partition(",")
    return bool(comma) and exact(name, ctx.nouns.people) is not None


def _rejoined(ctx: ParseContext, acts: Sequence[Act]) -> tuple[Act, ...]:
    """Return the acts; two of them that name others and say what they do as one decree: `and the whole party`,
    `cheers`."""
    found: list[Act] = []
    for act in acts:
        before = found[-1].words if found else ""
        head = [word for word in before.casefold().strip(" *.,").split() if word not in decree_words()["leads"]][:1]
        is_subject = bool(head) and head[0] in decree_words()["determiners"] | decree_words()["anybody"]
        whole = f"{before.strip(' *')} {act.words.strip(' *.!')}"
        if is_subject and _goes_on(act) and _is_decreed(ctx, whole, is_told=False, goes_on=True, is_of_third=False):
            found[-1] = Act(kind=DECREE, words=whole, score=1.0)
        else:
            found.append(act)
    return tuple(found)


def narrated(ctx: ParseContext, text: str) -> Reading | None:
    """Return a line that narrates from its beginning to its end, or uses what it imagines, as refused; None for
    others."""
    if "imagined" in subjects_in(text, "deeds"):
        return Reading(intent=f"story: {excerpt(text)}", aside=Aside(kind="story", words=text[:MAX_WORDS]), words=text)
    parts = _parts_of(ctx, text)
    is_whole = len(parts) == 1 and parts[0][0]
    return decreed(Act(kind=DECREE, words=text, score=1.0)) if is_whole else None


def with_narrated(ctx: ParseContext, text: str, tag_acts: TagActs) -> tuple[Act, ...]:
    """Return the acts of a line; each part of it that narrates what is not the player's to decide is a decree."""
    parts = _parts_of(ctx, text)
    if not any(is_narrated for is_narrated, _ in parts):
        return tag_acts(text)
    acts = (
        (Act(kind=DECREE, words=said, score=1.0),) if is_narrated else tag_acts(said) for is_narrated, said in parts
    )
    return tuple(act for found in acts for act in found)


def _parts_of(ctx: ParseContext, text: str) -> list[tuple[bool, str]]:
    """Return a line in parts, in their order, each with True where it decides what is not the player's to decide."""
    parts: list[tuple[bool, str]] = []
    for is_narrated, said in in_parts(text, ctx.nouns):
        parts += [(True, said)] if is_narrated else _forced_apart(ctx, said)
    return parts


def _forced_apart(ctx: ParseContext, said: str) -> list[tuple[bool, str]]:
    """Return a part of a line, what others are made to do in it parted from what is before and after: all of it,
    `make her drive back and do the shift`, up to where one goes on oneself, `and I`."""
    for start in (0, *(joint.end() for joint in _JOINT.finditer(said))):
        goes_on = _OF_MAKING.match(said[start:])
        if goes_on is None or _LETS_SAY.search(said[:start]) or any(mark in said for mark in '"“”?'):
            continue
        own = _ON_ONES_OWN.search(said, start + 1)
        end = len(said) if own is None else own.start()
        if _is_forced(ctx, said[start:end].strip(" *.!")):
            before, after = _JOINT_AT_END.sub("", said[:start]).strip(" *,;."), said[end:].strip(" *,;.")
            parts = ((False, before), (True, said[start:end].strip(" *,;.!")), (False, _JOINT_AT_START.sub("", after)))
            return [(is_forced, words) for is_forced, words in parts if words]
    return [(False, said)]


_OF_MAKING = re.compile(r"(?:(?:I|we|then|just) )*(?:make|force|compel|get|cause)s? ", re.IGNORECASE)
# What comes after these words is said, or wanted, and not done.
_LETS_SAY = re.compile(
    r"\b(?:ask|tell|beg|order|want|wish|help|persuade|convince|need|try|if|that|could|would|can|will|going)s?\b", re.I
)
_ON_ONES_OWN = re.compile(r"[.;!]+ |,? (?:and |then |so |but )+(?:then )?(?:I|we|I'll) |, I ", re.IGNORECASE)
_JOINT_AT_END = re.compile(r",? *(?:and then|and now|and|then|so that|so|but)? *$", re.IGNORECASE)
_JOINT_AT_START = re.compile(r"^(?:(?:and|then|so|but),? )+", re.IGNORECASE)


def _goes_on(act: Act) -> bool:
    leads = decree_words()["leads"] | decree_words()["not_so"]
    words = [word for word in act.words.casefold().strip(" *.,").split() if word not in leads]
    return bool(words) and is_third_person(words[0])


def _parted(ctx: ParseContext, act: Act, *, is_first: bool, is_of_third: bool) -> list[Act]:
    kind = kinds().get(act.kind, Kind())
    if any(mark in act.words for mark in '"“”?'):
        return [act]
    is_told = bool(kind.said or kind.aside) and act.score >= _UNSURE
    if not is_told and _are_several(ctx, act.words):
        return [Act(kind=DECREE, words=act.words.strip(" *."), score=1.0)]
    starts = [0, *(match.end() for match in _JOINT.finditer(act.words))]
    for at, start in enumerate(starts):
        if at and (is_told or act.kind in decree_words()["watching"]):
            break
        end = starts[at + 1] if at + 1 < len(starts) else len(act.words)
        clause, goes_on = act.words[start:end].strip(" *.,;!"), bool(at) or not is_first
        if _RESULT.search(act.words[:start]) and (_is_placing(act.kind, clause) or _NOBODY.match(clause)):
            break
        if act.kind in decree_words()["trying"] and _RESULT.search(act.words[:start]) and _shows_result(clause):
            return [Act(kind=DECREE, words=act.words.strip(" *"), score=1.0)]
        if not (
            _is_decreed(ctx, clause, is_told=is_told, goes_on=goes_on, is_of_third=is_of_third)
            or (act.kind in decree_words()["giving"] and not at and _is_served(clause))
            or ((not is_told or _IS_OWN.match(clause)) and _is_forced(ctx, clause))
        ):
            continue
        kept = re.sub(r",? (?:and then|and now|and|then|so that|so|but)$", "", act.words[:start].strip(" ,;*."))
        # What a guess leaves of a line is none of its kind.
        kept = kept if act.score >= _UNSURE else ""
        rest = Act(kind=DECREE, words=act.words[start if kept else 0 :].strip(" *."), score=1.0)
        named = {role for role in _ROLES if (words := getattr(act, role)) and words not in kept}
        return [act.model_copy(update={"words": kept, **dict.fromkeys(named, "")}), rest] if kept else [rest]
    return [act]


def _are_several(ctx: ParseContext, text: str) -> bool:
    """Tell whether an act is one of two others: `Bao and Lund leave`."""
    words = text.casefold().strip(" *.,!").split()
    people = (*ctx.nouns.people, *ctx.nouns.known_people)
    joints = [at for at, word in enumerate(words[:4]) if word == "and" and at and exact(" ".join(words[:at]), people)]
    return any(
        exact(" ".join(words[joint + 1 : end]), people) is not None and len(words) > end and words[end].isalpha()
        for joint in joints
        for end in range(joint + 2, min(joint + 5, len(words)))
    )


# Below that the kind of an act is a guess.
_UNSURE = 0.4
# What comes of an attempt, in the words for it: `hack the card so it shows a million`.
_NOBODY = re.compile(r"(?:nobody|no one|none of|neither of) ", re.IGNORECASE)
_RESULT = re.compile(r"\bso(?: that)? $", re.IGNORECASE)
_SERVED = re.compile(
    r"(?:the|my|a|an) \w+(?: \w+)? (?:hands|gives|brings|passes|serves|buys|pours|offers|throws|lends) me\b"
)


# Others are made to do something: `make her give me the key`; what one may well bring about by being kind is none.
_IS_OWN = re.compile(r"(?:I|we) ", re.IGNORECASE)
_FORCED = re.compile(r"(?:(?:i|we|then|just) )*(?P<how>make|force|compel|command|get|cause)s? (?P<rest>.+)")


def _is_forced(ctx: ParseContext, clause: str) -> bool:
    """Tell whether a clause makes somebody do something, as if they had no will of their own."""
    found = _FORCED.match(_ALL_OF.sub("them ", clause.casefold()))
    words = [] if found is None else found["rest"].replace(",", "").split()
    people = (*ctx.nouns.people, *ctx.nouns.known_people)
    is_won = found is not None and found["how"] in ("get", "cause")
    for size in (1, 2, 3):
        whom, after = " ".join(words[:size]), [word for word in words[size:] if word != "to"]
        is_one = words[:1] == ["the"] and not decree_words()["somebody"].isdisjoint(words[1:size])
        is_other = whom in decree_words()["objects"] or exact(whom, people) is not None or is_one
        if not after or not is_other:
            continue
        if is_won or after[0] in decree_words()["winning"]:
            # One may well get somebody to talk, or to laugh; not to fall in love.
            return (is_won and after[0] in decree_words()["unwon"]) or _CARRIED_OFF.match(" ".join(after)) is not None
        if is_verb(after[0]) or after[0] in lexicon().verb_words | decree_words()["forced"]:
            return True
    return False


_ALL_OF = re.compile(
    r"\b(?:(?:all|both|each|every one|the two|the rest) of them|them (?:all|both)"
    r"|every(?:one|body) (?:else |here |around |in the \w+ |in here )|all the (?:others|people) |the others) ?"
)
_CARRIED_OFF = re.compile(r"jump (?:into|in|off|out|from|through|over)\b|look away\b|fall in love\b|wait forever\b")


def _is_placing(kind: str, clause: str) -> bool:
    """Tell whether a clause says no more than how a thing is to stand that is moved: `so the chip faces away`."""
    words = clause.casefold().split()
    is_thing = words[:1] == ["it"] or (bool(words) and words[0] in decree_words()["determiners"])
    return kind in decree_words()["placing"] and is_thing and not decree_words()["placed"].isdisjoint(words[1:5])


def _shows_result(clause: str) -> bool:
    words = clause.casefold().split()
    return len(words) > 1 and words[0] in ("it", "they", "that") and is_third_person(words[1])


def _is_served(clause: str) -> bool:
    return _SERVED.match(clause.casefold()) is not None


_ROLES = ("target", "second", "person", "topic")


def _is_decreed(ctx: ParseContext, clause: str, *, is_told: bool, goes_on: bool, is_of_third: bool) -> bool:
    """Tell whether a clause says what somebody else does, or what happens."""
    words = clause.casefold().replace("’", "'").split()
    while words and words[0].strip(",") in decree_words()["leads"]:
        words = words[1:]
    if len(words) < 2 or words[0] in decree_words()["undecided"]:
        return False
    if goes_on and not is_told and _HOURS.match(" ".join(words)):
        return True
    after = _after_subject(ctx, words, is_told=is_told, has_pronoun=goes_on and not is_of_third)
    is_thing = words[0] in decree_words()["determiners"]
    while after and (after[0] in decree_words()["between"] or after[0].endswith("ly")):
        after = after[1:]
    verb = after[0].strip(".,!") if after else ""
    if not is_told and _is_of_several(words):
        return True
    if is_told and not {"me", "i", "me.", "my"} & set(after):
        # A remark about somebody who is here.
        return False
    is_deed = is_third_person(verb) or (not is_thing and verb.endswith("s") and not verb.endswith("ss"))
    is_deed = is_deed and verb not in decree_words()["stative"] | (
        decree_words()["lasting"] if is_thing else frozenset()
    )
    # `and everybody is gone`
    is_deed = is_deed or (goes_on and verb in ("is", "are") and not decree_words()["ended"].isdisjoint(after[1:3]))
    return is_deed or (is_told and verb in decree_words()["saying"])


def _is_of_several(words: Sequence[str]) -> bool:
    """Tell whether a clause says what several things do: `the lights go out`."""
    return words[0] in decree_words()["determiners"] and any(
        words[at - 1].endswith("s")
        and not words[at].endswith("s")
        and words[at] not in decree_words()["particles"]
        and is_verb(words[at])
        and words[at + 1].strip(".,!") in decree_words()["particles"]
        for at in range(2, min(len(words) - 1, 4))
    )


def _after_subject(ctx: ParseContext, words: Sequence[str], *, is_told: bool, has_pronoun: bool) -> Sequence[str]:
    """Return the words after a subject that is not the player; empty where there is none. Said to somebody, only a
    clause about somebody who is here decides anything."""
    people = ctx.nouns.people if is_told else (*ctx.nouns.people, *ctx.nouns.known_people)
    for size in (3, 2, 1):
        name = " ".join(words[:size])
        if len(words) > size and not name.endswith(",") and exact(name, people) is not None:
            return words[size:]
    if is_told:
        return ()
    if words[0] in decree_words()["titles"]:
        return words[2:]
    if words[0] in decree_words()["anybody"] or (has_pronoun and words[0] in decree_words()["of_others"]):
        return words[1:]
    if words[0] not in decree_words()["determiners"] or (
        words[0] != "the" and words[1] in decree_words()["own"] | lexicon().body
    ):
        return ()
    return next(
        (
            words[at:]
            for at in range(2, min(len(words), 5))
            if (is_third_person(words[at]) and not _is_thing(ctx, words[1 : at + 1]))
            or words[at] in decree_words()["between"]
            or words[at].endswith("ly")
        ),
        (),
    )


def _is_thing(ctx: ParseContext, words: Sequence[str]) -> bool:
    """Tell whether words are the name of something: `the storage boxes`."""
    found = resolve(" ".join(words), ctx.nouns.everything(), whole=True)
    return isinstance(found, PhraseMatch) and not found.mended


def _is_third(ctx: ParseContext, words: str) -> bool:
    """Tell whether an act is told of the player in the third person: `Wren opens`, `*nods`."""
    first = next(iter(words.strip(" *").casefold().split()), "")
    return is_third_person(first) or exact(first, (ctx.nouns.player,)) is not None


def decreed(act: Act) -> Reading:
    """Return what is decreed as refused: by what rules it, where that is the weather or time, else for itself."""
    subject = " ".join(act.words.split()[:_SUBJECT])
    is_ruled = len(act.words.split()) <= _RULED and bool(set(subjects_in(subject, "deeds")) & decree_words()["ruled"])
    kind = "story" if is_ruled else DECREED
    if kind == DECREED and invents(act.words):
        kind = INVENTED
    elif kind == DECREED and _HOURS.match(act.words):
        kind = "story"
    return Reading(
        intent=f"{kind}: {excerpt(act.words)}", aside=Aside(kind=kind, words=act.words[:MAX_WORDS]), words=act.words
    )


# So many words name what a decree is about: `Everyone from the bus walks in` is not about the bus.
_SUBJECT = 3
# So many words are about nothing else than what rules them; longer ones are refused as they stand.
_RULED = 7


def beyond(act: Act) -> list[Reading]:
    """Return an attempt that nothing could be made of as what is beyond anybody here; none where it may be something
    else."""
    if act.kind not in decree_words()["trying"] or act.score < _SURE:
        return []
    return [Reading(intent=f"story: {excerpt(act.words)}", aside=Aside(kind="story", words=act.words[:MAX_WORDS]))]


# From that on the kind of an act is no guess.
_SURE = 0.6
