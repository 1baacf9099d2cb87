"""Verb frames of working on somebody: attack, throw, persuade, threaten, point, promise -> a Reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from lorewright.builtin.parser.clauses import Word, lows, typed
from lorewright.builtin.parser.frames import Frame
from lorewright.builtin.parser.handling import HANDLING
from lorewright.builtin.parser.noun_phrases import Match, resolve
from lorewright.builtin.parser.readings import (
    MAX_WORDS,
    Context,
    Reading,
    Wanted,
    acting,
    asking,
    bare,
    fuzzy_first,
    meant,
    named_first,
    parted,
    trimmed,
    typeable,
)

# Where the aim begins that somebody is worked on for.
_AIMS = ("to", "that", "for", "into", "about", "if", "by", "not", "of")


def attack(ctx: Context, words: str, rest: Sequence[Word]) -> Reading | None:
    """Somebody, perhaps with something; a thing or a door is broken, which is a free attempt."""
    nouns = ctx.nouns
    rest = trimmed(rest, start=("at", "on"), end=("down", "up", "out", "open", "off", "in"))
    subject, joint, tool = parted(rest, ("with", "using"))
    if not bare(subject):
        return asking(words, "Whom?", [f"attack {typeable(one.name)}" for one in nouns.people] or ["look around"])
    everything = nouns.people + nouns.things + nouns.doors
    wanted = Wanted(everything, nouns.known_people, "attack {}", offered=nouns.people or nouns.things)
    target = meant(ctx, words, subject, wanted)
    if isinstance(target, Reading):
        return target
    item = _tool(ctx, words, tool, f"attack {typeable(target.label)} with {{}}") if joint else None
    if isinstance(item, Reading):
        return item
    if target.candidate.kind == "person":
        return acting(ctx, "attack", f"attack {target.label}", target=target, item=item)
    verb = words.split(" ")[0].lower()
    metadata = {"verb": verb[:60], "trait": "nerve"}
    return acting(ctx, "attempt", f"{verb} {target.label}", target=target, item=item, metadata=metadata)


def throw(ctx: Context, words: str, rest: Sequence[Word]) -> Reading | None:
    """A thing at somebody, which is an attack; at anything else, a free attempt."""
    if lows(rest)[-1:] == ["away"]:
        return HANDLING["drop"](ctx, words, rest)
    thing, joint, goal = parted(rest, ("at", "to", "into", "through", "in", "over"))
    if not joint:
        return None
    nouns = ctx.nouns
    named = resolve(bare(goal), nouns.people + nouns.things + nouns.doors)
    line = f"throw {{}} at {typeable(named.label)}" if isinstance(named, Match) else "drop {}"
    item = meant(ctx, words, thing, Wanted(nouns.carried, nouns.here, line, offered=nouns.carried))
    if isinstance(item, Reading):
        return item
    wanted = Wanted(nouns.people + nouns.things + nouns.doors, (), f"throw {typeable(item.label)} at {{}}")
    target = meant(ctx, words, goal, wanted)
    if isinstance(target, Reading):
        return target
    if target.candidate.kind != "person":
        metadata = {"verb": "throw", "trait": "hands"}
        return acting(ctx, "attempt", f"throw {item.label}", target=target, item=item, metadata=metadata)
    kind = "give" if joint == "to" else "attack"
    return acting(ctx, kind, f"{kind} {target.label} with {item.label}", target=target, item=item)


def persuade(ctx: Context, words: str, rest: Sequence[Word]) -> Reading | None:
    """Somebody, perhaps to some end, perhaps with something: a bribe."""
    return _pressed(ctx, words, rest, "persuade")


def threaten(ctx: Context, words: str, rest: Sequence[Word]) -> Reading | None:
    """Somebody, perhaps with something: a weapon in hand, or something that may come of it."""
    if not _somebody(ctx, rest) and isinstance(resolve(bare(rest), ctx.nouns.things + ctx.nouns.doors), Match):
        return attack(ctx, words, rest)
    return _pressed(ctx, words, rest, "threaten")


def _somebody(ctx: Context, rest: Sequence[Word]) -> tuple[Match, int] | None:
    """Who the words begin with, by name, pronoun, part of a name or typo, and how many words that took."""
    people = ctx.nouns.people + ctx.nouns.known_people
    plain = trimmed(rest, start=("the", "to", "with", "at"))
    skipped = len(rest) - len(plain)
    found = named_first(ctx, plain, people) or fuzzy_first(plain, people)
    return (found[0], skipped + found[1]) if found else None


def _pressed(ctx: Context, words: str, rest: Sequence[Word], kind: str) -> Reading | None:
    nouns = ctx.nouns
    pattern = f"{kind} {{}}"
    first = _somebody(ctx, rest)
    if first is None:
        subject = parted(rest, (*_AIMS, "with"))[0]
        if not bare(subject):
            return asking(
                words, "Whom?", [pattern.format(typeable(one.name)) for one in nouns.people] or ["look around"]
            )
        target = meant(ctx, words, subject, Wanted(nouns.people, nouns.known_people, pattern))
        if isinstance(target, Reading):
            return target
        first = target, len(subject)
    target, size = first
    return _to_an_end(ctx, words, kind, target, rest[size:])


def _to_an_end(ctx: Context, words: str, kind: str, target: Match, rest: Sequence[Word]) -> Reading:
    """What follows the one who is worked on: `with the card`, `to open the door`, `with the police`."""
    if rest and rest[0].low == "and":
        pattern = f"{kind} {typeable(target.label)}"
        return asking(words, "One at a time, please. You can:", [pattern])
    item: Match | None = None
    aim, joint, tool = parted((Word("-", "-", "comma"), *rest), ("with", "using"))
    if joint:
        found = resolve(bare(tool), ctx.nouns.carried, ctx.nouns.here)
        if isinstance(found, Match):
            item, rest = found, aim[1:]
        else:
            rest = (*aim[1:], *tool)
    topic = _topic(rest)
    metadata: dict[str, Any] = {"topic": topic} if topic else {}
    return acting(ctx, kind, f"{kind} {target.label}", target=target, item=item, metadata=metadata)


def _topic(rest: Sequence[Word]) -> str:
    """The end as typed, without the word that joins it on."""
    words = [word for word in rest if word.kind in ("word", "speech")]
    if words and words[0].low in _AIMS and words[0].low != "not":
        words = words[1:]
    return bare(words)[:MAX_WORDS].strip() if words else ""


def point(ctx: Context, words: str, rest: Sequence[Word]) -> Reading | None:
    """A weapon at somebody is a threat."""
    thing, joint, goal = parted(rest, ("at", "towards", "toward", "to"))
    item = resolve(bare(thing), ctx.nouns.carried, ctx.nouns.here) if joint else None
    if not isinstance(item, Match):
        return None
    target = meant(ctx, words, goal, Wanted(ctx.nouns.people, ctx.nouns.known_people, f"point {item.label} at {{}}"))
    if isinstance(target, Reading):
        return target
    return acting(ctx, "threaten", f"threaten {target.label} with {item.label}", target=target, item=item)


def promise(ctx: Context, words: str, rest: Sequence[Word]) -> Reading | None:
    """`viktor I'll bring it back`, `to bring it back` where only one can be meant."""
    people = ctx.nouns.people
    first = _somebody(ctx, rest) if rest else None
    if first is None and len(people) == 1 and bare(rest):
        first = Match(people[0], people[0].name, 0.85, mended=True), 0
    if first is None:
        word = typed(trimmed(rest, start=("to", "that"))) or "help"
        lines = [f"promise {typeable(one.name)} {word}" for one in people]
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


def _tool(ctx: Context, words: str, tool: Sequence[Word], pattern: str) -> Match | Reading:
    """What it is done with: carried, or lying here, so that the rules can say that it is not in hand."""
    return meant(ctx, words, tool, Wanted(ctx.nouns.carried, ctx.nouns.here, pattern, offered=ctx.nouns.carried))


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
