"""Readings of things and people that several verbs share: what is handed to whom, a person who is named first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lorewright.builtin.parser.acts.kinds import PART, Kind, is_said, kind_of, kinds, words_in
from lorewright.builtin.parser.pieces import fuzzy_first, joined, named_first
from lorewright.builtin.parser.readings import (
    MAX_WORDS,
    Frame,
    ParseContext,
    PhraseKind,
    Reading,
    act_word,
    acting,
    asking,
    excerpt,
    meant,
    noun_part,
    person_meant,
    read_as,
    read_way,
    referred,
    shown,
    typeable,
    wondering,
)
from lorewright.builtin.parser.refusals.lacking import is_here, without_tool
from lorewright.builtin.parser.steps import is_of_body
from lorewright.builtin.words.clauses import Word, bare, lexicon, lows, parted, trimmed, verb_with, words_of
from lorewright.builtin.words.noun_phrases import Nouns, PhraseMatch, exact, in_prose, key_words, resolve, words_shown
from lorewright.builtin.words.spelling import spelled_out
from lorewright.builtin.words.tagging import Act
from lorewright.rules.verbs import free_verb, verb_for
from lorewright.rules.verbs import typed as typed_lines
from lorewright.scene_lore.nouns import is_ambient, singular

# Words between a thing and where it is put.
ONTO = ("on", "onto", "in", "into", "inside", "under", "behind", "beside", "against", "with", "to")


@dataclass(frozen=True, slots=True)
class Handing:
    """A way to hand somebody a thing: the type of the action, the word for it in lines, its frame, and the question
    where no thing is named; without one such words are not read.
    """

    kind: str
    word: str
    read: Frame
    question: str = ""


def handed(ctx: ParseContext, words: str, rest: Sequence[Word], handing: Handing) -> Reading | None:
    """Read `the card to viktor`, `viktor the card`; None where that is not what the words are."""
    nouns, verb = ctx.nouns, words.split(" ")[0].lower()
    people = nouns.people + nouns.known_people
    thing, joint, whom = parted(rest, ("to", "at", "toward", "towards"))
    if not joint:
        first = named_first(ctx, rest, people) or named_first(ctx, trimmed(rest, start=("the",)), people)
        if first is None and len(rest) > 1 and not resolve(bare(rest), nouns.carried, whole=True):
            first = fuzzy_first(trimmed(rest, start=("the",)), people)
        if first is not None:
            dropped = len(rest) - len(trimmed(rest, start=("the",))) if not named_first(ctx, rest, people) else 0
            whom, thing = rest[: dropped + first[1]], rest[dropped + first[1] :]
    if verb in ("return", "bring", "deliver", "pass", "slip") and not resolve(bare(thing), nouns.carried + nouns.here):
        return None
    several = _hand_each(ctx, words, thing, whom, handing)
    if several is not None:
        return several
    to = _receiver_name(ctx, whom)
    offers = PhraseKind(nouns.carried, nouns.here, f"{handing.word} {{}} to {to}", offered=nouns.carried if to else ())
    if not bare(thing):
        return asking(words, handing.question, offers.lines) if handing.question else None
    if bare(thing).lower() in ("something", "anything"):
        return asking(words, f"{handing.question or 'What?'}", offers.lines)
    item = meant(ctx, words, thing, offers)
    if isinstance(item, Reading):
        return item
    name = typeable(item.label)
    pattern = f"{handing.word} {name} to {{}}"
    if not bare(whom):
        return _choose_receiver(ctx, words, item, handing, pattern)
    target = meant(ctx, words, whom, PhraseKind(nouns.people, nouns.known_people, pattern))
    if isinstance(target, Reading):
        return target
    handing_over = acting(
        ctx, handing.kind, f"{handing.word} {shown(item)} to {target.label}", target=target, item=item
    )
    return _picked_up(ctx, item, handing_over)


def _picked_up(ctx: ParseContext, item: PhraseMatch, reading: Reading) -> Reading:
    """Return a reading that hands over a thing that lies here as taking it first."""
    taking = verb_with(lambda syntax: syntax.is_picking_up)
    if taking is None or item.candidate not in ctx.nouns.here or item.candidate in ctx.nouns.carried:
        return reading
    taken = acting(ctx, taking.name, f"{taking.name} {shown(item)}", target=item)
    return replace(joined([taken, reading], reading.intent), assumptions=reading.assumptions)


def _hand_each(
    ctx: ParseContext, words: str, thing: Sequence[Word], whom: Sequence[Word], handing: Handing
) -> Reading | None:
    """Read `the card and the knife` as each of them; None where there is only one."""
    if "and" not in lows(thing) or not bare(whom) or exact(bare(thing), ctx.nouns.things):
        return None
    first, _, others = parted(thing, ("and",))
    parts = [handing.read(ctx, words, (*part, Word("to", "to"), *whom)) for part in (first, others) if bare(part)]
    readings = [part for part in parts if part is not None]
    unclear = next((part for part in readings if part.unclear), None)
    return unclear or joined(readings, "; ".join(part.intent for part in readings))


def _receiver_name(ctx: ParseContext, whom: Sequence[Word]) -> str:
    """Return the receiver in an offered line: the named one, else somebody here; empty where nobody is."""
    named = resolve(bare(whom), ctx.nouns.people) if bare(whom) else None
    people = ctx.nouns.people
    return typeable(named.label) if isinstance(named, PhraseMatch) else typeable(people[0].name) if people else ""


def _choose_receiver(ctx: ParseContext, words: str, item: PhraseMatch, handing: Handing, pattern: str) -> Reading:
    """Take as receiver whom one speaks with, else the only person here; else ask."""
    people = ctx.nouns.people
    spoken_with = ctx.listener if ctx.listener in people else None
    if (whom := spoken_with or (people[0] if len(people) == 1 else None)) is not None:
        only = PhraseMatch(whom, whom.name, 0.85, mended=True)
        return acting(ctx, handing.kind, f"{handing.word} {shown(item)} to {only.label}", target=only, item=item)
    lines = [pattern.format(typeable(person.name)) for person in people]
    return asking(words, "To whom?" if people else "Nobody is here to have it. You can:", lines or typed_lines("view"))


def carried_kind(nouns: Nouns, pattern: str) -> PhraseKind:
    """Return a phrase kind for what is carried, before what could be picked up."""
    return PhraseKind(nouns.carried, nouns.here, pattern, offered=nouns.carried)


def person_first(ctx: ParseContext, rest: Sequence[Word]) -> tuple[PhraseMatch, int] | None:
    """Return the person whom the words begin with, by name, pronoun, part of a name or typo, and how many words that
    took.
    """
    people = ctx.nouns.people + ctx.nouns.known_people
    plain = trimmed(rest, start=("the", "to", "with", "at"))
    skipped = len(rest) - len(plain)
    found = named_first(ctx, plain, people) or fuzzy_first(plain, people)
    return (found[0], skipped + found[1]) if found else None


def handled(ctx: ParseContext, act: Act, kind: Kind, *, is_clear: bool) -> Reading | None:
    """Read a deed by what it is done to, where that decides: somebody who is known by their calling alone, a tool that
    is missing, a part of somebody's body or of a thing; None for any other."""
    role = _role_asked_about(ctx, act.target) if kind.called and act.target else None
    if _FORBIDDEN.match(act.words):
        return None
    chosen = _CHOSEN.search(act.words.strip(" ,.!"))
    if chosen is not None and (way := exact(chosen["way"], ctx.nouns.exits)) is not None:
        return read_way(ctx, act.words, words_of(typeable(way.label)))
    if (door := _door_by_part(ctx, act, kind)) is not None:
        return door
    if (seen := _made_out(ctx, act, kind)) is not None:
        return seen
    body = _body_part(ctx, act.target, (kind.hurts if is_clear else "") or kind.holds)
    return role or without_tool(ctx, act.words, act.second, kind.wants) or body or _some_of(ctx, act, kind)


_FORBIDDEN = re.compile(r"(?:(?:and|but|then|i) )*(?:do not|don['’]?t|never) ", re.IGNORECASE)
# Of several ways one is taken: `make up my mind for the kitchen`, `take the duckboards instead`.
_CHOSEN = re.compile(
    r"(?:\b(?:my mind|decide|settle|opt|plump|choose) (?:for|on)|^(?:(?:and|then|but|i|we|so)\s+)*(?:take|follow)s?)"
    r" (?:the )?(?P<way>[\w' ]+?)(?: instead| then| now| after all| this time)?$",
    re.IGNORECASE,
)


def _made_out(ctx: ParseContext, act: Act, kind: Kind) -> Reading | None:
    """Read a look at what somebody has or does (`make out what Oakes is standing beside`) as a look at them; who is not
    here is asked about, and told of as far as the player knows. None for any other act."""
    named = _MADE_OUT.search(act.words) if kind.through and not act.target else None
    found = None if named is None else resolve(named["who"], (*ctx.nouns.people, *ctx.nouns.known_people))
    looking = verb_for("examine")
    if named is None or not isinstance(found, PhraseMatch) or found.mended or looking is None:
        return None
    if found.candidate in ctx.nouns.people:
        return acting(ctx, looking.name, f"{looking.name} at {found.label}", target=found)
    return wondering(named["who"])


_MADE_OUT = re.compile(
    r"\b(?:make out|see|find out|work out|tell) (?:what|where|how|why|whom?) (?:it is )?(?:that )?(?:the )?"
    r"(?P<who>[\w'-]+(?: [A-Z]\w+)?) (?:is|was|does|has|stands|holds)\b"
)


def _role_asked_about(ctx: ParseContext, phrase: str) -> Reading | None:
    """Read a look for somebody by their calling, who is not here, as a question about what the player knows of them, by
    the first word for that calling: `copper` is a constable. None where it names no calling, or somebody here."""
    head = phrase.casefold().split()[-1:]
    called = next((names[0] for names in lexicon().callings if tuple(head) in names), None)
    if called is None or resolve(phrase, ctx.nouns.everything()) is not None or is_here(ctx, phrase):
        return None
    return wondering(" ".join(called))


def is_finer(words: str, action: str) -> bool:
    """Tell whether words for an action of that type are of a finer kind than most of its acts: a look that counts."""
    fitting = [kind for kind in kinds().values() if action in kind.fits]
    return any(
        pattern.search(words)
        for kind in fitting
        for name, pattern in kind.turns.items()
        if kinds()[name] in fitting and kinds()[name].fits < kind.fits
    )


def way_alone(ctx: ParseContext, words: str) -> Reading | None:
    """Read words that name a way out, and beside it only what one says in deciding (`ok, the kitchen then`), as taking
    it; None for others."""
    named = [word for word in lows(words_of(words)) if word not in _DECIDING]
    way = exact(" ".join(named), ctx.nouns.exits) if named and '"' not in words else None
    return None if way is None else read_way(ctx, words, words_of(typeable(way.label)))


_DECIDING = frozenset(
    "ok okay k kk right alright fine well so yes then first now next maybe i guess think please , . the".split()
)


def _body_part(ctx: ParseContext, phrase: str, verb: str) -> Reading | None:
    """Read what is done to a part of somebody's body (`Viktor's neck`, `lenas hand`, `his arm`) as the verb done to
    them; None where there is no such verb, or it is nobody's."""
    owner, _, part = phrase.rpartition(" ")
    if not verb or not owner or part.casefold() not in FLESH:
        return None
    whom = _OBJECTS.get(owner.casefold())
    name = re.sub(r"(?:['’]s?|s)$", "", owner)
    found = resolve(name, ctx.nouns.people) if whom is None else referred(ctx, whom, person=True)
    if not isinstance(found, PhraseMatch) or (whom is None and name == owner):
        return None
    return acting(ctx, verb, f"{verb} {found.label}", target=found)


_OBJECTS = {"his": "him", "her": "her", "their": "them"}
# Parts of a body that can be touched.
FLESH = frozenset(
    "hand hands arm arms finger fingers fist thumb palm elbow shoulder shoulders head face nose lip lips cheek chin "
    "jaw throat neck brow forehead hair beard chest back belly stomach hip leg legs knee foot feet wrist ankle".split()
)


def _door_by_part(ctx: ParseContext, act: Act, kind: Kind) -> Reading | None:
    """Read a hand on a doorknob, or a push at a door, as opening that door, or the only one that is here; None for any
    other deed."""
    opening = verb_for("open_door")
    head, _, whole = act.target.casefold().partition(" of ")
    is_tried = act_word(act.words.strip(" ,.*")) in _TRIED
    if opening is None or not act.target or not (kind.opens or is_tried) or (act.second and not whole):
        return None
    is_knob = head.split()[-1] in _KNOBS
    named = whole or (head.rpartition(" ")[0] if is_knob else head if is_tried else "")
    door = resolve(named, ctx.nouns.doors) if named else None
    if isinstance(door, PhraseMatch) and not door.mended:
        return acting(ctx, opening.name, f"{opening.name} {shown(door)}", target=door)
    if not is_knob or not kind.opens or whole or len(ctx.nouns.doors) != 1:
        return None
    noun = in_prose(act.target, ctx.nouns)
    match = PhraseMatch(ctx.nouns.doors[0], ctx.nouns.doors[0].name, 0.85)
    is_plain = noun is None or noun.standing == "ambient"
    return acting(ctx, opening.name, f"{opening.name} {shown(match)}", target=match) if is_plain else None


_KNOBS = frozenset("doorknob doorhandle knob handle latch handles".split())
# How one finds out whether a door is locked.
_TRIED = frozenset("try tries rattle rattles jiggle jiggles test tests push pushes pull pulls".split())


def _some_of(ctx: ParseContext, act: Act, kind: Kind) -> Reading | None:
    """Read what is done with a part of a thing alone (`one taper` of a crate of them, the strap of a bag): to hand it
    over the thing itself would have to go, and that is asked; anything else is told in the player's words. None where
    all of it is meant, or where it does not matter, as for a look."""
    if not kind.of_whole or not act.target:
        return None
    is_it = bool(ctx.prose_noun) and act.target.casefold() in lexicon().thing_pronouns
    whole = _whole_of(ctx.nouns, ctx.prose_noun if is_it else act.target, act.words)
    free = free_verb()
    if whole is None or free is None:
        return None
    if kind.of_doors and key_words(act.target)[0] in _OPENS_WHOLE and (looking := verb_for("rummage")) is not None:
        # Under its lid is what is in it.
        return read_as(looking, ctx, f"look in {shown(whole)}", words_of(f"in {shown(whole)}"))
    whom = person_meant(ctx, act.person) if act.person else None
    person = whom.label if isinstance(whom, PhraseMatch) else act.person
    slots = {"target": shown(whole), "second": act.second, "person": typeable(person)}
    lines = (line for line in kind.lines if "{target}" in line and all(slots[name] for name in _SLOT.findall(line)))
    is_kept = kind.of_whole == "asked" and whole.candidate in ctx.nouns.carried and next(lines, "")
    part = noun_part(re.sub(r"^of (?:the |my )?", "", act.target))[:MAX_WORDS]
    if re.match(r"(?:one|an?|another|single)\b", act.target, re.IGNORECASE):
        part = singular(part.split()[-1])
    detail = {"verb": act_word(act.words)[:60], "detail": part, "detail_is": "scenery"}
    # It goes as a whole, and what is to be parted from it stays with the rest.
    is_parted = kind.gets and kind.holds and whole.candidate in ctx.nouns.carried
    form = {"form": PART} if is_kept or is_parted else {}
    return acting(ctx, free.name, excerpt(act.words), metadata={**detail, **form}, confidence=0.7)


def felt(ctx: ParseContext, act: Act, reading: Reading) -> Reading:
    """Return a touch of what only the prose shows as something done to that, so that it is told with what is said of
    it: `trail my fingers in the water`; any other reading as it is."""
    action = reading.actions[0] if len(reading.actions) == 1 else None
    free = free_verb()
    if action is None or free is None or not kind_of(act).felt or action.target_id is not None or not action.deed:
        return reading
    beside = re.search(r"\b(?:in|into|on|over|against|under|through|along|across|above|to) the ([\w' -]+)", act.words)
    for phrase in filter(None, (act.target, act.second, noun_part(beside[1]) if beside else "")):
        noun = None if resolve(phrase, ctx.nouns.everything()) else in_prose(phrase, ctx.nouns)
        if noun is not None and noun.standing == "shown" and not is_ambient(noun.name.split()[-1]):
            kept = {name: value for name, value in action.metadata.items() if name in ("form", "deed")}
            detail = {"verb": act_word(act.words)[:60], "detail": noun.name[:MAX_WORDS], "detail_is": "scenery", **kept}
            made = acting(ctx, free.name, reading.intent, metadata=detail, confidence=reading.confidence)
            return replace(reading, actions=made.actions)
    return reading


def own_asked_about(ctx: ParseContext, act: Act, kind: Kind) -> Reading | None:
    """Read a question about what one carries, put to nobody (`how much is on my credstick`), as a look at it."""
    is_to_somebody = bool(act.person) and person_meant(ctx, act.person) is not None
    if not kind.asks_own or is_to_somebody or _OF_YOU & words_in(act):
        return None
    if (looked := _asked_of_inside(ctx, act)) is not None:
        return looked
    if act.person or (ctx.nouns.people and _ASKED_ALOUD.match(act.words)):
        return None
    named = re.search(r"\bmy (?P<name>[\w' -]+)", act.words.casefold())
    found = resolve(noun_part(named["name"]), ctx.nouns.carried, whole=True) if named else None
    if found is None and ctx.thing in ctx.nouns.carried and ctx.thing is not None and "it" in words_in(act):
        found = PhraseMatch(ctx.thing, ctx.thing.name, 0.85)
    if not isinstance(found, PhraseMatch):
        return None
    look = verb_for("examine")
    return None if look is None else acting(ctx, look.name, f"{look.name} at {shown(found)}", target=found)


def _asked_of_inside(ctx: ParseContext, act: Act) -> Reading | None:
    """Read a question about what is in or under something that is here (`what's in the bucket`) as a look there."""
    asked = re.search(_INSIDE, spelled_out(act.words, (), words_shown(ctx.nouns)), re.IGNORECASE)
    noun = noun_part(re.sub(r"^(?:the|that|this|my) ", "", asked["noun"])) if asked else ""
    is_here = bool(noun) and resolve(noun, ctx.nouns.things, whole=True) is not None
    shows = in_prose(noun, ctx.nouns) if noun and not is_here else None
    if not asked or not (is_here or (shows is not None and shows.standing == "shown")):
        return None
    where = f"{asked['where']} {noun}"
    return read_as(verb_for("look_under"), ctx, f"look {where}", words_of(where))


_ASKED_ALOUD = re.compile(r"(?:(?:and|then|i)\s+)*asks?\b(?! (?:myself|me)\b)", re.IGNORECASE)
_INSIDE = r"\bwhat(?:'?s| is) (?P<where>in|inside|under|underneath|behind) (?P<noun>[\w' -]+)"
_OF_YOU = frozenset("you your yours u ur he she they him her".split())
_SLOT = re.compile(r"\{(\w+)\}")


def _whole_of(nouns: Nouns, phrase: str, words: str) -> PhraseMatch | None:
    """Return the thing of which a phrase names a part: one of several that are in it, or what belongs to it."""
    said = key_words(phrase)
    counted = re.search(rf"\b(?:{_SOME})(?: \w+){{0,2}} {re.escape(said[-1])}\b", words.casefold()) if said else None
    for thing in nouns.things:
        of = thing.keys[0].words.index("of") if "of" in thing.keys[0].words else 0
        holder, content = thing.keys[0].words[:of], thing.keys[0].words[of + 1 :]
        is_one = bool(content) and singular(said[-1]) == singular(content[-1]) and said[-1:] != (content[-1],)
        if of and holder[-1] not in said and content and (is_one or (said[-1:] == content[-1:] and counted)):
            return PhraseMatch(thing, thing.name, 0.85)
    head, joint, rest = phrase.partition(" of ")
    if not joint or not key_words(head) or key_words(head)[-1] in _ALL_OF or exact(phrase, nouns.everything()):
        return None
    found = resolve(rest, nouns.things)
    is_part = isinstance(found, PhraseMatch) and resolve(head, nouns.everything()) is None
    return found if is_part and isinstance(found, PhraseMatch) else None


_OPENS_WHOLE = frozenset("lid flap cover clasp catch buckle strap straps lock zip drawer door".split())

# Numbers and words before one of several, or some of it; and what stands before all of a thing.
_SOME = "one|an?|1|2|3|4|two|three|four|five|six|some|few|couple of|another|single|handful of"
_ALL_OF = frozenset("rest all whole lot contents bundle pair set piece kind sort name crate box stack pile".split())


def ways_said(kind: Kind, act: Act) -> Iterator[str]:
    """Yield the lines for the direction that an act of going names beside where it leads: `step outside into the
    rain`."""
    if "leave" in kind.lines and not re.search(rf"\bto (?:the |my )?{re.escape(act.target)}\b", act.words):
        words = (word.strip(".,!") for word in act.words.casefold().split())
        target = act.target.casefold().split()
        yield from (f"go {word}" for word in words if word in _DIRECTIONS and word not in target)


_DIRECTIONS = frozenset("outside inside upstairs downstairs north south east west".split())


# Acts of one line that say how, what for or where an act before them is done.


def whole(acts: Sequence[Act]) -> list[Act]:
    """Return the acts, each with what says only how it is done or what for: `…, holding it to my ear`, `… to see which
    way it moves`."""
    found: list[Act] = []
    for act in map(_as_own, acts) if any(_TOLD_YOU.match(act.words) for act in acts if not is_said(act)) else acts:
        before = found[-1] if found else None
        kind = None if before is None else kind_of(before)
        is_deed = kind is not None and not (kind.said or kind.aside or kind.leads_on or kind.leaves)
        is_end = _MANNER.match(act.words) or (_PURPOSE.match(act.words) and kind is not None and not kind.asks_why)
        if before is not None and (
            (is_said(before) and _PLACED.fullmatch(act.words)) or (_MEANWHILE.match(act.words) and not is_said(act))
        ):
            # `You looked at something. Up there.`, `… while he is watching`
            continue
        is_held = _HELD_UP.match(act.words) is not None
        if before is not None and (is_held or (is_deed and is_end)) and not is_said(act) and not is_said(before):
            joint = ", " if is_held or _MANNER.match(act.words) else " "
            words = f"{before.words.strip(' ,.*')}{joint}{act.words.strip(' ,.*')}"
            found[-1] = before.model_copy(update={"words": words})
        else:
            found.append(act)
    return found


_TOLD_YOU = re.compile(r"you (?!are\b|have\b|were\b|can\b|must\b|should\b)\w+", re.IGNORECASE)


def _as_own(act: Act) -> Act:
    """Return an act of a line that tells what `you` do as the speaker's own: `my hand` for `your hand`."""
    if is_said(act):
        return act
    fields = ("words", "target", "second")
    own = {field: re.sub(r"\byour(?=self\b|\b)", "my", getattr(act, field), flags=re.IGNORECASE) for field in fields}
    return act.model_copy(update=own)


_MANNER = re.compile(
    r"(?:holding|keeping|pointing|facing|pressing|cupping|resting|balancing|shielding|tilting|angling|being careful"
    r"|taking care|making sure|careful (?:not )?to|trying not to)\b",
    re.IGNORECASE,
)
# Under what eyes something is done is no act.
_MEANWHILE = re.compile(
    r"(?:and |but )?(?:while|as|with) (?!i\b|i['’]m\b|we\b|you\b)(?:[\w.'’]+ ){1,3}?"
    r"(?:(?:is|are|was|isn['’]t|aren['’]t) )?(?:not )?(?:still |just |busy )?"
    r"(?:watch|look|star|listen|sleep)(?:e?s|ing)?\b(?! (?:for|like)\b)",
    re.IGNORECASE,
)
_PLACED = re.compile(r"[^\w?]*(?:right |just )?(?:up|down|over|out|in|back|under|behind) (?:there|here)[^\w?]*", re.I)
_HELD_UP = re.compile(r"(?:held|tucked|raised|clutched|pressed) (?:up|out|high|close|like|against|under)\b", re.I)
_PURPOSE = re.compile(
    r"(?:just |only )?(?:so as |in order )?to (?:see|check|find out|feel|hear|test|know|learn|tell)\b", re.IGNORECASE
)


def mounted(act: Act, noun: str) -> Act:
    """Return an act of climbing up as one on what was moved there before: `drag a chair to the shelf, climb up`."""
    kind, words = kind_of(act), act.words.strip(" ,.!*")
    head = noun.casefold().split()[-1:]
    if not kind.mounts or act.target or not head or head[0] not in _STOOD_ON or not _UPWARDS.search(words):
        return act
    return act.model_copy(update={"kind": kind.mounts, "words": f"{words} on the {head[0]}", "score": 1.0})


def is_seen_in(before: Act, act: Act) -> bool:
    """Tell whether an act is no more than a look into what was opened before it."""
    words = act.words.strip(" ,.!*")
    is_in = _INTO.search(words) is not None and words.endswith(("in", "inside"))
    return is_in and kind_of(before).of_doors and not act.target


def looking_in(act: Act, noun: str) -> Act:
    """Return a look into, under or behind with the noun of the act before it: `lift the mat and look under`."""
    words = act.words.strip(" ,.!*")
    if noun and not act.target and _SEES_IF.search(words) and kind_of(act).lines and not is_of_body(noun):
        # `lift the mat and see if there is a key there`
        words = "look under"
    if not noun or act.target or not _INTO.search(words) or is_of_body(noun):
        return act
    article = "" if noun.casefold().split()[0] in lexicon().articles | _OF_ONE else "the "
    return act.model_copy(update={"words": f"{words} {article}{noun}", "target": noun})


_INTO = re.compile(
    r"^(?:(?:and|then|i|he|she|they|you)\s+)*(?:look|peek|peer|glance|feel|check|search)s? (?:in|inside|into|under"
    r"|underneath|behind|beneath)$",
    re.IGNORECASE,
)
_SEES_IF = re.compile(
    r"^(?:(?:and|then|to|i|he|she|they|you)\s+)*(?:see|check|find out|look)s? (?:if|whether|what) .*"
    r"\b(?:there|under(?:neath)?|beneath|under it|beneath it)$",
    re.IGNORECASE,
)
_OF_ONE = frozenset("my your his her their its our".split())
_STOOD_ON = frozenset("chair stool table bench box crate ladder steps stepladder bucket desk".split())
_UPWARDS = re.compile(r"\b(?:up|on|onto)$", re.IGNORECASE)
