"""Verb frames of things in hand and of doors: drop, put, give, show, throw, use, open, close, lock, unlock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from lorewright.builtin.parser.clauses import Word, lexicon, lows, typed
from lorewright.builtin.parser.frames import Frame, each, joined
from lorewright.builtin.parser.noun_phrases import Nouns, PhraseMatch, exact, resolve
from lorewright.builtin.parser.readings import (
    MAX_WORDS,
    ParseContext,
    PhraseKind,
    Reading,
    acting,
    asking,
    bare,
    excerpt,
    fuzzy_first,
    meant,
    named_first,
    parted,
    shown,
    trimmed,
    typeable,
)

_ONTO = ("on", "onto", "in", "into", "inside", "under", "behind", "beside", "against", "with", "to")
# Places where a thing is put down for good; anywhere else must be something that is here.
_SURFACES = ("on", "onto", "beside", "under", "behind")
_POCKETS = (
    "pocket",
    "pockets",
    "bag",
    "backpack",
    "coat",
    "jacket",
    "belt",
    "purse",
    "pouch",
    "satchel",
    "sleeve",
    "boot",
)
_DOWN = ("down", "away", "here", "aside", "there", "off", "out")


def drop(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read dropping things that are carried, or all of them; where they are put does not matter."""
    nouns = ctx.nouns
    rest, _, _ = parted(trimmed(rest, end=_DOWN), _ONTO)
    phrase = bare(rest)
    if not phrase:
        return asking(words, "Drop what?", [f"drop {typeable(thing.name)}" for thing in nouns.carried])
    if tuple(phrase.lower().split()) in lexicon().everything and nouns.carried:
        parts = [acting(ctx, "drop", "", target=PhraseMatch(thing, thing.name, 0.95)) for thing in nouns.carried[:4]]
        return joined(parts, "drop everything")
    several = each(ctx, words, rest, drop)
    if several is not None:
        return several
    found = meant(ctx, words, rest, _carried_kind(nouns, "drop {}"))
    return found if isinstance(found, Reading) else acting(ctx, "drop", f"drop {shown(found)}", target=found)


def put(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `put it down` as a drop, `put the rope in the crate` as using one thing on another; a place to put it is the
    floor.
    """
    low = lows(rest)
    if low[-1:] == ["on"]:
        return use(ctx, words, rest[:-1])
    thing, joint, onto = parted(rest, _ONTO)
    if joint and bare(onto):
        goal = resolve(bare(onto), ctx.nouns.things + ctx.nouns.doors + ctx.nouns.people)
        if isinstance(goal, PhraseMatch) and not goal.mended:
            return _used_on(ctx, words, thing, goal)
        if joint not in _SURFACES:
            return _read_pocketing(ctx, words, thing, bare(onto))
    return drop(ctx, words, rest)


def _read_pocketing(ctx: ParseContext, words: str, thing: Sequence[Word], goal: str) -> Reading:
    """Read `in my bag`: what lies here is taken, what is carried is there already; no such other place is known."""
    if goal.lower() in _POCKETS:
        lying = resolve(bare(thing), ctx.nouns.here)
        if isinstance(lying, PhraseMatch):
            return acting(ctx, "take", f"take {shown(lying)}", target=lying)
        return asking(words, "That is on you already. You can:", ["inventory", "look around"])
    name = resolve(bare(thing), ctx.nouns.things)
    lines = (
        [f"drop {typeable(name.label)}"]
        if isinstance(name, PhraseMatch) and name.candidate in ctx.nouns.carried
        else []
    )
    return asking(words, f"There is no “{excerpt(goal)}” here that I know of. You can:", [*lines, "look around"])


def give(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `the card to viktor`, `viktor the card`. A way back is no gift: `return to the bar`."""
    return _handed(ctx, words, trimmed(rest, start=("over", "back"), end=("over", "back")), "give")


def show(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `the card to viktor`, `viktor the card`: the card is used on him."""
    return _handed(ctx, words, rest, "use")


def _handed(ctx: ParseContext, words: str, rest: Sequence[Word], kind: str) -> Reading | None:
    nouns, verb = ctx.nouns, words.split(" ")[0].lower() if words else "give"
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
    several = _hand_each(ctx, words, thing, whom, kind)
    if several is not None:
        return several
    to = _receiver_name(ctx, whom)
    offers = PhraseKind(nouns.carried, nouns.here, f"{_verb(kind)} {{}} to {to}", offered=nouns.carried if to else ())
    if not bare(thing):
        return asking(words, "Give what?", offers.lines) if kind == "give" else None
    item = meant(ctx, words, thing, offers)
    if isinstance(item, Reading):
        return item
    name = typeable(item.label)
    pattern = f"give {name} to {{}}" if kind == "give" else f"show {name} to {{}}"
    if not bare(whom):
        return _choose_receiver(ctx, words, item, kind, pattern)
    target = meant(ctx, words, whom, PhraseKind(nouns.people, nouns.known_people, pattern))
    if isinstance(target, Reading):
        return target
    return acting(ctx, kind, f"{_verb(kind)} {shown(item)} to {target.label}", target=target, item=item)


def _hand_each(ctx: ParseContext, words: str, thing: Sequence[Word], whom: Sequence[Word], kind: str) -> Reading | None:
    """Read `the card and the knife` as each of them; None where there is only one."""
    if "and" not in lows(thing) or not bare(whom) or exact(bare(thing), ctx.nouns.things):
        return None
    first, _, others = parted(thing, ("and",))
    frame = give if kind == "give" else show
    parts = [frame(ctx, words, (*part, Word("to", "to"), *whom)) for part in (first, others) if bare(part)]
    readings = [part for part in parts if part is not None]
    unclear = next((part for part in readings if part.unclear), None)
    return unclear or joined(readings, "; ".join(part.intent for part in readings))


def _receiver_name(ctx: ParseContext, whom: Sequence[Word]) -> str:
    """Return the receiver in an offered line: the named one, else somebody here; empty where nobody is."""
    named = resolve(bare(whom), ctx.nouns.people) if bare(whom) else None
    people = ctx.nouns.people
    return typeable(named.label) if isinstance(named, PhraseMatch) else typeable(people[0].name) if people else ""


def _choose_receiver(ctx: ParseContext, words: str, item: PhraseMatch, kind: str, pattern: str) -> Reading:
    """Take the only person here as receiver; else ask."""
    people = ctx.nouns.people
    if len(people) == 1:
        only = PhraseMatch(people[0], people[0].name, 0.85, mended=True)
        return acting(ctx, kind, f"{_verb(kind)} {shown(item)} to {only.label}", target=only, item=item)
    lines = [pattern.format(typeable(person.name)) for person in people]
    return asking(words, "To whom?" if people else "Nobody is here to have it. You can:", lines or ["look around"])


def _verb(kind: str) -> str:
    return "give" if kind == "give" else "show"


def use(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read the use of a thing by itself, or of one thing on another, on a door or on somebody."""
    nouns = ctx.nouns
    rest = trimmed(rest, start=("on", "off", "from", "up"), end=("on", "off", "up"))
    if not bare(rest):
        return asking(words, "Use what?", [f"use {typeable(thing.name)}" for thing in nouns.carried + nouns.here])
    thing, joint, onto = parted(rest, ("on", "with", "in", "against", "at", "to"))
    if not joint:
        found = meant(ctx, words, rest, PhraseKind(nouns.things, nouns.doors, "use {}", offered=nouns.things))
        return found if isinstance(found, Reading) else acting(ctx, "use", f"use {shown(found)}", target=found)
    used = resolve(bare(thing), nouns.things)
    line = f"use {typeable(used.label)} on {{}}" if isinstance(used, PhraseMatch) else "look at {}"
    wanted = PhraseKind(nouns.people + nouns.things + nouns.doors, (), line)
    named = resolve(bare(onto), wanted.present)
    line = f"use {{}} on {typeable(named.label)}" if isinstance(named, PhraseMatch) else "use {}"
    item = meant(ctx, words, thing, PhraseKind(nouns.things, (), line))
    if isinstance(item, Reading):
        return item
    pronouns = lexicon().thing_pronouns
    goal = (
        meant(ctx, words, onto, wanted)
        if bare(onto).lower() not in pronouns
        else _match_pronoun(ctx, words, onto, item)
    )
    return goal if isinstance(goal, Reading) else _acted_on(ctx, item, goal)


def _match_pronoun(ctx: ParseContext, words: str, onto: Sequence[Word], item: PhraseMatch) -> PhraseMatch | Reading:
    """Return the match of a pronoun for the target of a use: never the thing itself."""
    nouns = ctx.nouns
    others = tuple(door for door in nouns.here + nouns.doors + nouns.people if door.id != item.candidate.id)
    return meant(ctx, words, onto, PhraseKind(others, (), f"use {typeable(item.label)} on {{}}", strict=True))


def _used_on(ctx: ParseContext, words: str, thing: Sequence[Word], goal: PhraseMatch) -> Reading:
    item = meant(ctx, words, thing, PhraseKind(ctx.nouns.things, (), f"use {{}} on {typeable(goal.label)}"))
    return item if isinstance(item, Reading) else _acted_on(ctx, item, goal)


def _acted_on(ctx: ParseContext, item: PhraseMatch, goal: PhraseMatch) -> Reading:
    return acting(ctx, "use", f"use {shown(item)} on {shown(goal)}", target=goal, item=item)


def switch(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `switch the radio on`; any other turning is not for this frame."""
    return use(ctx, words, rest) if lows(rest)[-1:] in (["on"], ["off"]) else None


def swing(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `pull the door open`, `draw the bolt`; any other pulling is not for this frame."""
    bolt = trimmed(rest, end=("back", "home", "open", "shut"))
    if "bolt" in lows(bolt) and isinstance(resolve(bare(bolt), ctx.nouns.doors), PhraseMatch):
        is_home = words.split(" ")[0].lower() in ("throw", "shoot") or lows(rest)[-1:] in (["home"], ["shut"])
        return _door(ctx, words, bolt, "lock" if is_home else "unlock")
    last = lows(rest)[-1:]
    if last == ["open"]:
        return open_(ctx, words, rest[:-1])
    return close(ctx, words, rest[:-1]) if last in (["shut"], ["closed"]) else None


def open_(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read opening a door; a thing that does not open is named all the same, and the rules say so."""
    return _door(ctx, words, rest, "open")


def close(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read closing a door."""
    return _door(ctx, words, rest, "close")


def lock(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read locking a door, perhaps with a key."""
    return _door(ctx, words, rest, "lock")


def unlock(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read unlocking a door, perhaps with a key."""
    return _door(ctx, words, rest, "unlock")


def _door(ctx: ParseContext, words: str, rest: Sequence[Word], kind: str) -> Reading:
    nouns = ctx.nouns
    subject, joint, tool = parted(rest, ("with", "using"))
    if not bare(subject):
        return asking(words, f"{kind.capitalize()} what?", [f"{kind} {typeable(door.name)}" for door in nouns.doors])
    found = _match_door(ctx, words, subject, kind)
    if isinstance(found, Reading):
        return found
    if not joint or kind == "close":
        return acting(ctx, kind, f"{kind} {shown(found)}", target=found)
    item = meant(ctx, words, tool, _carried_kind(nouns, f"{kind} {typeable(found.label)} with {{}}"))
    if isinstance(item, Reading):
        return item
    return acting(ctx, kind, f"{kind} {shown(found)} with {shown(item)}", target=found, item=item)


def _match_door(ctx: ParseContext, words: str, subject: Sequence[Word], kind: str) -> PhraseMatch | Reading:
    """Return the door before anything else: by a pronoun, by its name, by the way that it is in."""
    nouns, pattern = ctx.nouns, f"{kind} {{}}"
    if bare(subject).lower() in lexicon().thing_pronouns:
        if ctx.thing is not None and ctx.thing.kind != "door":
            return PhraseMatch(ctx.thing, ctx.thing.name, 0.85, mended=True)
        return meant(ctx, words, subject, PhraseKind(nouns.doors, (), pattern, strict=True))
    thing = resolve(bare(subject), nouns.things)
    door = resolve(bare(subject), nouns.doors)
    if isinstance(thing, PhraseMatch) and (not isinstance(door, PhraseMatch) or door.confidence < thing.confidence):
        return thing
    return meant(ctx, words, subject, PhraseKind(nouns.doors, nouns.people + nouns.known_things, pattern, nouns.doors))


def _carried_kind(nouns: Nouns, pattern: str) -> PhraseKind:
    """Return a phrase kind for what is carried, before what could be picked up."""
    return PhraseKind(nouns.carried, nouns.here, pattern, offered=nouns.carried)


HANDLING: Mapping[str, Frame] = MappingProxyType(
    {
        "drop": drop,
        "put": put,
        "give": give,
        "show": show,
        "use": use,
        "switch": switch,
        "swing": swing,
        "open": open_,
        "close": close,
        "lock": lock,
        "unlock": unlock,
    }
)


# Verb frames of acting on people: attack, throw, persuade, threaten, point, promise -> a Reading.

# Words before the aim of pressure on somebody.
_AIMS = ("to", "that", "for", "into", "about", "if", "by", "not", "of")


def attack(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read an attack on somebody, perhaps with something; a thing or a door is broken, which is a free attempt."""
    nouns = ctx.nouns
    rest = trimmed(rest, start=("at", "on"), end=("down", "up", "out", "open", "off", "in"))
    subject, joint, tool = parted(rest, ("with", "using"))
    if not bare(subject):
        return asking(words, "Whom?", [f"attack {typeable(person.name)}" for person in nouns.people] or ["look around"])
    everything = nouns.people + nouns.things + nouns.doors
    wanted = PhraseKind(everything, nouns.known_people, "attack {}", offered=nouns.people or nouns.things)
    target = meant(ctx, words, subject, wanted)
    if isinstance(target, Reading):
        return target
    item = _match_tool(ctx, words, tool, f"attack {typeable(target.label)} with {{}}") if joint else None
    if isinstance(item, Reading):
        return item
    if target.candidate.kind == "person":
        return acting(ctx, "attack", f"attack {target.label}", target=target, item=item)
    verb = words.split(" ")[0].lower()
    metadata = {"verb": verb[:60], "trait": "nerve"}
    return acting(ctx, "attempt", f"{verb} {target.label}", target=target, item=item, metadata=metadata)


def throw(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a throw at somebody, which is an attack; at anything else, a free attempt."""
    if lows(rest)[-1:] == ["away"]:
        return HANDLING["drop"](ctx, words, rest)
    thing, joint, goal = parted(rest, ("at", "to", "into", "through", "in", "over"))
    if not joint:
        return None
    nouns = ctx.nouns
    named = resolve(bare(goal), nouns.people + nouns.things + nouns.doors)
    line = f"throw {{}} at {typeable(named.label)}" if isinstance(named, PhraseMatch) else "drop {}"
    item = meant(ctx, words, thing, PhraseKind(nouns.carried, nouns.here, line, offered=nouns.carried))
    if isinstance(item, Reading):
        return item
    wanted = PhraseKind(nouns.people + nouns.things + nouns.doors, (), f"throw {typeable(item.label)} at {{}}")
    target = meant(ctx, words, goal, wanted)
    if isinstance(target, Reading):
        return target
    if target.candidate.kind != "person":
        metadata = {"verb": "throw", "trait": "hands"}
        return acting(ctx, "attempt", f"throw {item.label}", target=target, item=item, metadata=metadata)
    kind = "give" if joint == "to" else "attack"
    return acting(ctx, kind, f"{kind} {target.label} with {item.label}", target=target, item=item)


def persuade(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read persuading somebody, perhaps to some end, perhaps with something: a bribe."""
    return _pressed(ctx, words, rest, "persuade")


def threaten(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read threatening somebody, perhaps with something: a weapon in hand, or a possible consequence."""
    if not _match_person(ctx, rest) and isinstance(
        resolve(bare(rest), ctx.nouns.things + ctx.nouns.doors), PhraseMatch
    ):
        return attack(ctx, words, rest)
    return _pressed(ctx, words, rest, "threaten")


def _match_person(ctx: ParseContext, rest: Sequence[Word]) -> tuple[PhraseMatch, int] | None:
    """Return the person whom the words begin with, by name, pronoun, part of a name or typo, and how many words that
    took.
    """
    people = ctx.nouns.people + ctx.nouns.known_people
    plain = trimmed(rest, start=("the", "to", "with", "at"))
    skipped = len(rest) - len(plain)
    found = named_first(ctx, plain, people) or fuzzy_first(plain, people)
    return (found[0], skipped + found[1]) if found else None


def _pressed(ctx: ParseContext, words: str, rest: Sequence[Word], kind: str) -> Reading | None:
    nouns = ctx.nouns
    pattern = f"{kind} {{}}"
    first = _match_person(ctx, rest)
    if first is None:
        subject = parted(rest, (*_AIMS, "with"))[0]
        if not bare(subject):
            return asking(
                words, "Whom?", [pattern.format(typeable(person.name)) for person in nouns.people] or ["look around"]
            )
        target = meant(ctx, words, subject, PhraseKind(nouns.people, nouns.known_people, pattern))
        if isinstance(target, Reading):
            return target
        first = target, len(subject)
    target, size = first
    return _read_pressure(ctx, words, kind, target, rest[size:])


def _read_pressure(ctx: ParseContext, words: str, kind: str, target: PhraseMatch, rest: Sequence[Word]) -> Reading:
    """Read the words after the person: `with the card`, `to open the door`, `with the police`."""
    if rest and rest[0].low == "and":
        pattern = f"{kind} {typeable(target.label)}"
        return asking(words, "One at a time, please. You can:", [pattern])
    item: PhraseMatch | None = None
    aim, joint, tool = parted((Word("-", "-", "comma"), *rest), ("with", "using"))
    if joint:
        found = resolve(bare(tool), ctx.nouns.carried, ctx.nouns.here)
        if isinstance(found, PhraseMatch):
            item, rest = found, aim[1:]
        else:
            rest = (*aim[1:], *tool)
    topic = _read_aim(rest)
    metadata: dict[str, Any] = {"topic": topic} if topic else {}
    return acting(ctx, kind, f"{kind} {target.label}", target=target, item=item, metadata=metadata)


def _read_aim(rest: Sequence[Word]) -> str:
    """Return the end as typed, without the word that joins it on."""
    words = [word for word in rest if word.kind in ("word", "speech")]
    if words and words[0].low in _AIMS and words[0].low != "not":
        words = words[1:]
    return bare(words)[:MAX_WORDS].strip() if words else ""


def point(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a weapon pointed at somebody as a threat."""
    thing, joint, goal = parted(rest, ("at", "towards", "toward", "to"))
    item = resolve(bare(thing), ctx.nouns.carried, ctx.nouns.here) if joint else None
    if not isinstance(item, PhraseMatch):
        return None
    target = meant(
        ctx, words, goal, PhraseKind(ctx.nouns.people, ctx.nouns.known_people, f"point {item.label} at {{}}")
    )
    if isinstance(target, Reading):
        return target
    return acting(ctx, "threaten", f"threaten {target.label} with {item.label}", target=target, item=item)


def promise(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `viktor I'll bring it back`, `to bring it back` where only one person can be meant."""
    people = ctx.nouns.people
    first = _match_person(ctx, rest) if rest else None
    if first is None and len(people) == 1 and bare(rest):
        first = PhraseMatch(people[0], people[0].name, 0.85, mended=True), 0
    if first is None:
        word = typed(trimmed(rest, start=("to", "that"))) or "help"
        lines = [f"promise {typeable(person.name)} {word}" for person in people]
        return asking(
            words, "Promise whom?" if people else "Nobody is here to promise it to. You can:", lines or ["look around"]
        )
    target, size = first
    what = [word for word in rest[size:] if word.kind in ("word", "speech")]
    if what and what[0].low in ("that", "to"):
        what = what[1:]
    if not what:
        return asking(words, f"Promise {target.label} what?", [f"promise {typeable(target.label)} help"])
    topic = typed(what)[:MAX_WORDS].strip()
    return acting(ctx, "promise", f"promise {target.label}: {topic}", target=target, metadata={"topic": topic})


def _match_tool(ctx: ParseContext, words: str, tool: Sequence[Word], pattern: str) -> PhraseMatch | Reading:
    """Return the tool: carried, or lying here, so that the rules can say that it is not in hand."""
    return meant(ctx, words, tool, PhraseKind(ctx.nouns.carried, ctx.nouns.here, pattern, offered=ctx.nouns.carried))


PRESSING: Mapping[str, Frame] = MappingProxyType(
    {
        "attack": attack,
        "throw": throw,
        "persuade": persuade,
        "threaten": threaten,
        "point": point,
        "promise": promise,
    }
)
