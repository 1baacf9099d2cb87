"""The readings of one line's acts -> those that are played one after the other: without what hangs on what came to
nothing, each after a walk for where it led, and acts of no consequence as one beat."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from lorewright.builtin.parser.acts.kinds import (
    TURNED,
    Kind,
    by_manner,
    given_back,
    is_going,
    is_said,
    kind_of,
    kinds,
    to_those,
    words_in,
)
from lorewright.builtin.parser.lines.conditions_met import as_told
from lorewright.builtin.parser.readings import REFUSED, ParseContext, Reading, act_word, posed
from lorewright.builtin.parser.refusals.decrees import decree_words
from lorewright.builtin.parser.rewordings import first_form, in_second_person
from lorewright.builtin.parser.small_talk import with_subjects
from lorewright.builtin.words.act_nouns import MATTER
from lorewright.builtin.words.clauses import Syntax, lexicon, listed
from lorewright.builtin.words.noun_phrases import exact, in_prose, resolve
from lorewright.builtin.words.tagging import Act
from lorewright.rules.actions import Action
from lorewright.rules.verbs import verb_of
from lorewright.scene_lore.nouns import is_everybodys, singular

LONGEST = 120


def in_steps(ctx: ParseContext, readings: Sequence[Reading], acts: Sequence[Act]) -> list[Reading]:
    """Return the readings of a line's acts as they are played one after the other."""
    pairs = zip(readings, acts, strict=True) if len(readings) == len(acts) else ()
    of_words = {act.words: act for act in acts} | {reading.words: act for reading, act in pairs}
    deeds = [act for act in acts if not is_said(act)]
    is_third = any(verb_told(act.words) for act in deeds) or any(map(_is_participle, deeds[:1]))
    readings = [_with_core(_as_posture(ctx, reading)) for reading in with_subjects(readings)]
    if is_third:
        readings = [_without_deed(reading) for reading in readings]
    return _as_beats(_marked(_in_hand(ctx, _standing(ctx, readings, of_words))))


def _in_hand(ctx: ParseContext, readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings, one of taking what only the prose shows as no more than a posture where one after it handles
    it: it is put back after that, and not before."""
    found = list(readings)
    for (at, before), (_, after) in combinations(enumerate(readings), 2):
        first, second = (reading.actions[0] if len(reading.actions) == 1 else None for reading in (before, after))
        if first is None or second is None or not first.deed or first.target_id is not None:
            continue
        detail, kind = first.metadata.get("detail"), kinds().get(second.form, Kind())
        is_shown = first.metadata.get("detail_is") == "scenery" and detail == second.metadata.get("detail")
        is_handled = kind.harmless or kind.with_own or any("{second}" in line for line in kind.lines)
        is_theft = any(act_word(before.words.strip(" *")) in verbs for _, verbs in lexicon().risks)
        if is_shown and is_handled and not is_theft and kinds().get(first.form, Kind()).of_any:
            found[at] = _posed_as(ctx, before)
    return found


def _as_posture(ctx: ParseContext, reading: Reading) -> Reading:
    """Return what is done with a part of one's body as a posture: `rolls her shoulders`."""
    action = reading.actions[0] if len(reading.actions) == 1 else None
    detail = "" if action is None or action.target_id else str(action.metadata.get("detail", ""))
    own = re.search(rf"\b(?:my|his|her|their|your) (?:[\w-]+ )?{re.escape(detail)}\b", reading.words, re.IGNORECASE)
    if action is None or not action.deed or not detail or own is None or not is_of_body(detail):
        return reading
    return _posed_as(ctx, reading)


def _posed_as(ctx: ParseContext, reading: Reading) -> Reading:
    """Return a reading of one deed as a posture, told as the deed is."""
    told = {name: kept for name, kept in reading.actions[0].metadata.items() if name in ("deed", "form")}
    made = posed(ctx, reading.words, **told)
    return reading if made is None else replace(made, words=reading.words)


def _with_core(reading: Reading) -> Reading:
    """Return a posture that cannot be told in all its words with what can be: `laugh` of `laugh as if he knew`."""
    if not _is_beat(reading) or reading.actions[0].deed:
        return reading
    action, words = reading.actions[0], reading.words.strip(" *,.!")
    deed = in_second_person(words) or in_second_person(_ENDS_CORE.split(words)[0])
    deed = deed or in_second_person(words.partition(" I ")[2])
    told = {**action.metadata, **({"deed": deed} if deed else {})}
    return replace(reading, actions=(action.model_copy(update={"metadata": told}),))


_ENDS_CORE = re.compile(
    r"(?<=\w)\s+(?=(?:to|that|as|while|so|because|like|when|until|before|after|about|at|if|than|where)\b)"
)


def _is_participle(act: Act) -> bool:
    return re.fullmatch(r".{3,}ing", act_word(act.words.strip(" *,."))) is not None


def verb_told(words: str) -> str:
    """Return the first word of an act where it is a verb of the third person; else nothing."""
    return first if (first := act_word(words.strip(" *,."))).endswith("s") and first_form(first)[1] else ""


def _without_deed(reading: Reading) -> Reading:
    """Return a reading beside acts in the third person: what has no verb of that, as `pencil ready`, is no deed."""
    is_deed = not _is_beat(reading) or act_word(reading.words.strip(" *,.")).endswith(("s", "ing"))
    if is_deed or reading.actions[0].deed.startswith("do not "):
        return reading
    action = reading.actions[0]
    kept = {name: value for name, value in action.metadata.items() if name != "deed"}
    return replace(reading, actions=(action.model_copy(update={"metadata": kept}),))


def _as_named(ctx: ParseContext, reading: Reading, told: str) -> Reading:
    """Return a deed with what is not here as a posture, where the deeds told before it in the line name that: `make a
    paper boat, sail the boat`."""
    action = reading.actions[0] if len(reading.actions) == 1 else None
    if action is None:
        return as_told(ctx, reading, told)
    if not action.deed or action.metadata.get("detail_is") != "absent":
        return reading
    is_told = re.search(rf"\b{re.escape(str(action.metadata['detail']).casefold().split()[-1])}\b", told)
    return reading if is_told is None else _posed_as(ctx, reading)


def _standing(ctx: ParseContext, readings: Sequence[Reading], of_words: Mapping[str, Act]) -> list[Reading]:
    """Return the readings without those that hang on one before them that comes to nothing, which is told once."""
    kept: list[Reading] = []
    failed: Kind | None = None
    near = False
    seen: set[str] = set()
    missing = left = told = ""
    for reading in readings:
        reading = _as_named(ctx, reading, told)
        act = of_words.get(reading.words, Act(kind="", words=reading.words))
        kind = kind_of(act)
        named = {str(action.metadata.get("detail", "")) for action in reading.actions} - {""}
        if named & seen and all(action.metadata.get("detail_is") == "absent" for action in reading.actions):
            # It was dealt with before, and so it is here.
            continue
        seen |= named
        if left and left in words_in(act) and kind.harmless and kind.of_whole and kind.lines:
            # It was not taken, and so it is not eaten.
            continue
        left = _left_lying(reading, act) or left
        if failed is not None and _hangs(reading, act, failed, missing, near=near):
            failed = kind if kind.leads_on else failed
            continue
        kept.append(reading)
        if (
            not is_said(act)
            and not comes_to_nothing(reading, Kind())
            and any(action.deed for action in reading.actions)
        ):
            told += f" {reading.words.casefold()}"
        if (kind.leads_on or kind.gets) and comes_to_nothing(reading, kind):
            failed = kind
            near = any(action.metadata.get("detail_is") == "scenery" for action in reading.actions)
            missing = next((str(action.metadata.get("detail", "")) for action in reading.actions), reading.unknown)
    return kept


def _left_lying(reading: Reading, act: Act) -> str:
    """Return the word for what only the prose shows, where it is to be taken and is not the player's: it stays."""
    details = [str(action.metadata.get("detail", "")) for action in reading.actions if action.form == act.kind]
    is_own = re.search(r"\b(?:my|his|her|their)\b", act.words, re.IGNORECASE)
    is_taking = bool(kind_of(act).of_any) and len(details) == 1 and not is_own
    return details[0].split()[-1].casefold() if is_taking and details[0] else ""


def comes_to_nothing(reading: Reading, kind: Kind) -> bool:
    """Tell whether nothing will come of a reading: what it is done to is not here, or leads nowhere."""
    if not reading.actions:
        return reading.unclear is not None
    nothing = {"absent", "scenery"} if kind.leads_on else {"absent"}
    return all(action.metadata.get("detail_is") in nothing for action in reading.actions)


def _hangs(reading: Reading, act: Act, failed: Kind, missing: str, *, near: bool) -> bool:
    """Tell whether an act is nothing without one before it that failed: all but small ones where one did not get
    there, what is risked or done with that where one did not get it; what is said to somebody who is here stays."""
    said = words_in(act)
    if is_said(act):
        is_to_nobody = all(action.target_id is None for action in reading.actions)
        return ((failed.leaves and not near) or is_to_nobody) and bool(said & lexicon().person_pronouns)
    if failed.leads_on:
        # What is in sight is seen from here.
        is_view = bool(kind_of(act).slyly and act.target) and act.target not in lexicon().thing_pronouns | {
            "there",
            "in",
        }
        is_seen = is_view and not comes_to_nothing(reading, Kind())
        return not reading.actions or not (is_seen or all(map(_is_small, reading.actions)))
    is_of_that = bool(missing) and missing.casefold().split()[-1] in said
    is_of_that = is_of_that or (kind_of(act).harmless and bool(reading.actions) and comes_to_nothing(reading, Kind()))
    is_by_that = kind_of(act).leads_on or act.kind in decree_words()["by_thing"]
    return is_of_that or kind_of(act).least >= _RISKED or (is_by_that and bool(failed.of_any))


_RISKED = 0.5


def _is_small(action: Action) -> bool:
    """Tell whether an act changes nothing, wherever it is done: a posture, a sign."""
    return _is_posture(action) and "deed" in action.metadata


def _is_posture(action: Action) -> bool:
    verb = verb_of(action.type)
    syntax = None if verb is None else verb.part(Syntax)
    return syntax is not None and syntax.posture is not None


def _marked(readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings with the place in what is done after going there: where one does not come, it is not done."""
    marked: list[Reading] = []
    where = ""
    for reading in readings:
        if where and reading.actions:
            actions = tuple(_at(action, where) for action in reading.actions)
            reading = replace(reading, actions=actions)
        where = next((str(action.location_id) for action in reading.actions[::-1] if action.location_id), where)
        marked.append(reading)
    return marked


def _at(action: Action, where: str) -> Action:
    return action.model_copy(update={"metadata": {**action.metadata, "beyond": where}})


def _as_beats(readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings with those of no consequence that follow one another as one; of those that cannot be told
    nothing is left, where there is anything else."""
    beats: list[Reading] = []
    for reading in readings:
        both = _one_beat(beats[-1], reading) if beats else None
        if both is None:
            beats.append(reading)
        else:
            beats[-1] = both
    told = [reading for reading in beats if not (_is_beat(reading) and not reading.actions[0].deed)]
    return told if any(reading.actions for reading in told) else beats


def _is_beat(reading: Reading) -> bool:
    is_one = len(reading.actions) == 1 and _is_posture(reading.actions[0])
    return is_one and not reading.actions[0].form.startswith(REFUSED)


def _one_beat(first: Reading, second: Reading) -> Reading | None:
    """Return two acts of no consequence as one; None for others."""
    if not (_is_beat(first) and _is_beat(second)):
        return None
    before, after = first.actions[0], second.actions[0]
    if before.deed.startswith("mean to "):
        return None
    if not after.deed or not before.deed:
        return replace(first if before.deed else second, words=f"{first.words} {second.words}")
    deed = f"{before.deed.replace(', and ', ', ') if before.form == STEPS else before.deed}, and {after.deed}"
    if len(deed) > LONGEST:
        return None
    both = before.model_copy(update={"metadata": {**before.metadata, "deed": deed, "form": STEPS}})
    return replace(
        first,
        actions=(both,),
        intent=listed([first.intent, second.intent]),
        words=f"{first.words} {second.words}",
        mentioned=(*first.mentioned, *second.mentioned),
        confidence=min(first.confidence, second.confidence),
        assumptions=(*first.assumptions, *second.assumptions),
    )


# The form of several acts of no consequence that are one beat.
STEPS = "steps"


def is_of_body(phrase: str) -> bool:
    """Tell whether a phrase names a part of the body, or what one wears."""
    head = phrase.casefold().split()[-1]
    return bool({head, head.removesuffix("s")} & lexicon().body - MATTER)


# Words for acts -> what is told of them, and nothing else comes of it.

_THEN = re.compile(r"(?P<if>[a-z]+ [^,]+), (?:then )?(?:i(?:'ll| will)? )?(?P<what>.+)", re.IGNORECASE)
_TOLD = re.compile(r"(?:say|tell|ask|answer|explain|whisper|admit|order|beg|curse)\b", re.IGNORECASE)


def told_of(words: str) -> str:
    """Return what is done, or said in other words, as it stands after `you`; empty where it cannot be told."""
    return _of_you(words.strip(" ,.;!*")) if _TOLD.match(words) else in_second_person(words)


def meant_later(words: str) -> str:
    """Return an act on a condition as what one means to do; nothing where it cannot be told."""
    found = _THEN.fullmatch(re.sub(r"^(?:and|but|then|so)\s+", "", words, flags=re.IGNORECASE))
    what = "" if found is None else found["what"].strip(" ,.;!*")
    deed = told_of(what) or told_of(re.split(r", | and ", what)[0])
    if found is None or not deed:
        return ""
    condition = "otherwise" if found["if"].casefold() in ("if not", "if no") else _of_you(found["if"])
    whole = f"mean to {deed} {condition}"
    return whole if len(whole) <= LONGEST else f"mean to {deed}"


def _of_you(clause: str) -> str:
    turned = re.sub(
        r"\b(?:i'm|i've|i'll|i|me|my|mine|myself|am|was)\b",
        lambda found: _YOURS[found[0].casefold()],
        clause,
        flags=re.IGNORECASE,
    )
    return turned[:1].lower() + turned[1:]


_YOURS = {
    "i": "you", "me": "you", "my": "your", "mine": "yours", "myself": "yourself", "i'm": "you're", "i've": "you've",
    "i'll": "you'll", "am": "are", "was": "was",
}  # fmt: skip
# What is held back, feigned, or does not quite happen.
_HELD_BACK = re.compile(
    r"(?:(?:and|but|then|still|while|i|he|she|they|you)\s+)*(?:(?:try|tries|trying|do my best|take care|takes care"
    r"|am careful|be careful|manage|manages) not to\b|avoids?\b|resists?\b|pretends?\b|refuses? to\b"
    r"|leaves? out\b|decides? (?:whether|which|what)\b|nearly\b|almost\b).+",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^(?:(?:and|but|then|so|i)\s+)+", re.IGNORECASE)
# What one tells somebody that the player's words do not say: `tell Lena what they are folding`, `describe it to her`.
_RECOUNTED = re.compile(
    r"(?P<verb>tell|report|describe|explain|recount)s?(?P<rest> (?:to )?(?P<whom>him|her|them|everyone|(?-i:[A-Z])\w+"
    r"|the \w+) (?P<what>what|who|where|how|whether) .+"
    r"| (?:it|this|that|them|everything|all of it|the (?:whole )?\w+)(?: (?:all|again))? to (?:him|her|them|everyone"
    r"|(?-i:[A-Z])\w+|the \w+))",
    re.IGNORECASE,
)
_NUMBER_TOLD = re.compile(
    r"(?P<verb>whisper|mutter|murmur|repeat|tell|say|report)s?(?P<rest> (?:(?:the|my|that) (?:number|result|count|total"
    r"|sum|score|name)|it)(?: again| back)? to (?:him|her|them|myself|(?-i:[A-Z])\w+|the \w+))",
    re.IGNORECASE,
)
_CRIED = re.compile(
    r"(?P<verb>whisper|say|mutter|shout|yell|cry|hiss|go|scream|gasp|squeak|bark"
    r"|call)s?(?: out)? [\"“]?(?P<cry>ow+|ouch|oi|shh+|sh"
    r"|psst|boo+|ah+|aah+|oh+|ha+|oops|wow|ugh|eek|argh|aargh|hm+|mm+|tsk|whoops|yikes|aw+|yay|hooray|brr+|phew|well|so|right"
    r"|there|now)[\"”!,.]*",
    re.IGNORECASE,
)
_SAID_NOTHING = re.compile(r"(?:say|answer|reply|add)s? (?:nothing|no more|not a(?:nother)? word)\b[^\"“?]*", re.I)
_THOUGHT_BETTER = re.compile(
    r"(?:do(?:es)?n'?t|do not|decide (?:not to|against it)|change my mind|think better of it)", re.IGNORECASE
)
_CALLED = re.compile(
    r"(?P<verb>call|shout|yell|holler)s?(?P<rest>(?: out)? for (?P<whom>(?-i:[A-Z])\w+|him|her))", re.IGNORECASE
)


def told_only(ctx: ParseContext, act: Act, words: str) -> str:
    """Return a deed beside others that is told and no more: what is held back or feigned, what is told to somebody
    without its words, a cry, a call to who is not here. Nothing for others."""
    if _HELD_BACK.fullmatch(words) and not (is_said(act) and act.topic and not _LEADING.match(words)):
        return in_second_person(words)
    plain = _LEADING.sub("", words)
    if _THOUGHT_BETTER.fullmatch(plain):
        return "think better of it"
    if cried := _CRIED.fullmatch(plain):
        return f"{cried['verb'].casefold()} “{cried['cry'].casefold()}”"
    if _SAID_NOTHING.fullmatch(plain):
        return _of_you(plain)
    if called := _CALLED.fullmatch(plain):
        is_here = exact(called["whom"], ctx.nouns.people) is not None
        return "" if is_here else f"{called['verb'].casefold()}{called['rest']}"
    told = _RECOUNTED.fullmatch(plain) or _NUMBER_TOLD.fullmatch(plain)
    if told is None or not ctx.nouns.people or re.search(r"\bi\b", told["rest"], re.IGNORECASE):
        return ""
    names = (resolve(word, ctx.nouns.everything(), whole=True) for word in (act.target, act.topic) if word)
    verb = told["verb"].casefold()
    return "" if any(names) else f"{verb}{_of_you(' ' + told['rest'].strip())}"


def restated(ctx: ParseContext, acts: Sequence[Act]) -> list[Act]:
    """Return the acts, each with what it takes from the one before: one after words that only forbid it (`do not,
    whatever they say, …`) is forbidden, `go in` after a knock is to where was knocked, `its pockets` are the coat's;
    and as what it is, where a thing stays with one, or goes back to where it lay."""
    found: list[Act] = []
    thing = taken = ""
    for act in acts:
        before = found[-1] if found else Act(kind="", words="")
        only = None if is_said(act) else _FORBIDS.fullmatch(before.words.strip(" *"))
        part = _ITS.search(act.words) if before.target and not is_said(act) and not is_said(before) else None
        is_door = before.target.casefold().split()[-1:] in (["door"], ["gate"])
        whole = thing if before.target.casefold() in lexicon().thing_pronouns else before.target
        if only is not None:
            found.pop()
            act = act.model_copy(update={"words": f"{only['not']} {_JOINT.sub('', act.words.strip(' ,*'))}"})
        elif part is not None and act.target == part[0]:
            named = f"{part['part']} of {'' if whole.startswith('my ') else 'the '}{whole}"
            words = act.words.replace(part[0], f"the {named}", 1)
            act = act.model_copy(update={"words": words, "target": named})
        elif kind_of(before).elsewhere and before.target and not is_door and _goes_in(act):
            act = act.model_copy(update={"words": f"go to {before.target}", "target": before.target})
        act = given_back(ctx, to_those(ctx, by_manner(act), before), taken)
        act = _as_kept(ctx, act, thing, is_in_hand=bool(taken) and taken in (thing, act.target))
        taken = act.target if act.target and kind_of(act).of_any else taken
        if act.target and act.target.casefold() not in lexicon().thing_pronouns:
            named = whole if part is not None else act.target
            thing = f"my {named}" if f"my {named}" in act.words else named
        found.append(act)
    return found


def _as_kept(ctx: ParseContext, act: Act, thing: str, *, is_in_hand: bool) -> Act:
    """Return an act of putting something where it stays with one (`behind my ear`, `down my sock`) as one of no
    consequence, or as taking it where it is not one's own; of putting it back to where it lay as putting it down; and
    of putting something that lies here somewhere else here as one of no consequence. `it` is the `thing`."""
    kind, words = kind_of(act), act.words.strip(" ,.!*")
    named = thing if act.target.casefold() in lexicon().thing_pronouns else act.target
    if not kind.held or not named or (act.person and not _PUT_BACK.search(words)):
        return act
    name = re.sub(r"^(?:the|my|a|an) ", "", named)
    has, lies = (resolve(name, among, whole=True) for among in (ctx.nouns.carried, ctx.nouns.here))
    goes_back = lies is not None or (has is not None and _IN_PLACE.search(words) is not None)
    if kind.put_back and goes_back and _PUT_BACK.search(words):
        line = kinds()[kind.put_back].lines[0].format(target=name)
        return Act(kind=kind.put_back, words=line, target=name, score=TURNED)
    if lies is not None and kind.pocketed and not is_in_hand and _OFF_ITS.search(words):
        return Act(
            kind=kind.pocketed, words=kinds()[kind.pocketed].lines[0].format(target=name), target=name, score=TURNED
        )
    onto = resolve(act.second, ctx.nouns.everything(), whole=True) if act.second else None
    is_on_one = any(map(_is_on_one, _ON_ME.findall(words)))
    is_put = kind.pocketed and (bool(act.second) or "{second}" in kind.lines[0])
    if lies is not None and not is_in_hand and is_put and onto is None and not is_on_one:
        return act.model_copy(update={"kind": kind.held, "second": "", "score": max(act.score, TURNED)})
    is_limb = has is None and lies is None and is_of_body(name)
    if is_limb or not (is_on_one or _ON_MYSELF.search(words)):
        return act
    is_own = has is not None or named.casefold().startswith("my ") or f"my {name}" in words.casefold()
    noun = None if is_own or lies is not None else in_prose(name, ctx.nouns)
    is_taken = (
        not (is_in_hand and act.target != named)
        and not is_own
        and (lies is not None or getattr(noun, "standing", "") == "shown")
    )
    other = kind.pocketed if is_taken else kind.held
    return act.model_copy(update={"kind": other or act.kind, "second": "", "score": max(act.score, TURNED)})


def _is_on_one(phrase: str) -> bool:
    """Tell whether a phrase is of one's body, or of what one wears or carries things in."""
    words = [word.casefold() for word in phrase.split()]
    return any(is_of_body(word) or is_everybodys(word) or singular(word) in lexicon().worn | _BAGS for word in words)


_BAGS = frozenset("bag backpack purse pouch satchel lap side pack".split())
_ON_ME = re.compile(
    r"\b(?:in|into|inside|down|up|under|underneath|behind|between|on|onto|over|round|around|against|across|through)"
    r" my (?P<part>[\w-]+(?: [\w-]+){0,2})",
    re.IGNORECASE,
)
_OFF_ITS = re.compile(
    r"\b(?:off|from) (?:its|the) (?:\w+ )?(?:hook|nail|peg|board|wall|shelf|table|desk|stand)\b", re.I
)
_ON_MYSELF = re.compile(r"\b(?:against|over|round|around|before|in front of|on) (?:myself|me)\b", re.IGNORECASE)
_PUT_BACK = re.compile(
    r"\b(?:put|hang|set|lay|place|stick|slot|slide|pop|stuff|give|hook|drop)s?\b.* back\b|\b(?:return|replace)s?\b",
    re.IGNORECASE,
)
_IN_PLACE = re.compile(
    r"\bwhere (?:it|i|they) (?:was|were|hung|lay|stood|sat|belongs?|goes|had|found|got|took)\b"
    r"|\b(?:on|onto|in|into) (?:its|the) (?:\w+ )?(?:hook|peg|nail|board|rack|stand|shelf|place|drawer|box)\b",
    re.IGNORECASE,
)


_ITS = re.compile(r"\bits (?P<part>pockets?|sleeves?|lining|drawers?)\b", re.IGNORECASE)


def is_entered(ctx: ParseContext, before: Act, act: Act) -> bool:
    """Tell whether an act only says that one goes in, after a walk to a place that is not near: one is in there."""
    near = (*ctx.nouns.exits, *ctx.nouns.doors, *ctx.nouns.things)
    is_far = is_going(before) and exact(before.target, ctx.nouns.known_places) and not resolve(before.target, near)
    return bool(is_far) and (act.target == before.target or _goes_in(act))


def _goes_in(act: Act) -> bool:
    return _GOES_IN.fullmatch(act.words.strip(" ,.!*")) is not None


_GOES_IN = re.compile(
    r"(?:(?:and|then|i)\s+)*(?:go|goes|walk|step|come|head) (?:right |straight )?(?:in|inside)", re.IGNORECASE
)
_FORBIDS = re.compile(r"(?:(?:and|but|then|i)\s+)*(?P<not>do not|don['’]?t|never)(?:,[^.;!?]*)?,", re.IGNORECASE)
_JOINT = re.compile(r"^(?:(?:and|then|i)\s+)+", re.IGNORECASE)
