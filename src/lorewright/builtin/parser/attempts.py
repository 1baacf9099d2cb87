"""Verb frames of daring: sneak, hide, climb, follow, and any verb at all on something that is here -> a Reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType

from lorewright.builtin.parser.clauses import Word, lexicon, longest_prefix, lows, typed
from lorewright.builtin.parser.frames import FRAMES, Frame
from lorewright.builtin.parser.noun_phrases import Match, resolve
from lorewright.builtin.parser.readings import (
    MAX_WORDS,
    Context,
    Reading,
    Wanted,
    acting,
    asking,
    bare,
    meant,
    parted,
    trimmed,
    typeable,
    ways,
)

# What may stand between a verb and what it is tried on.
_LEADS = frozenset(
    "at on onto in into over under through with to for from against around past up down off of about behind by".split()
)
# Surer than this one must be of what a verb that is not known is tried on.
_SURE = 0.95


def sneak(ctx: Context, words: str, rest: Sequence[Word]) -> Reading | None:
    """To a place, past somebody, or both: `past the captain to the cells`."""
    past = words.lower().split()
    if "past" in past or "by" in lows(rest)[:1]:
        return _past(ctx, words, trimmed(rest, start=("past", "by")))
    if not bare(rest) or lows(rest) in (["out"], ["away"], ["off"]):
        exits = {one.id for one in ctx.nouns.exits}
        lines = [f"sneak {typeable(one.name)}" for one in ctx.nouns.exits]
        return asking(words, "Which way:", lines) if exits else asking(words, "There is no way out. You can:", ["hide"])
    return _stolen(FRAMES["go"](ctx, words, rest))


def _past(ctx: Context, words: str, rest: Sequence[Word]) -> Reading:
    whom, joint, where = parted(rest, ("to", "into", "towards", "toward", "through"))
    nouns = ctx.nouns
    wanted = Wanted(nouns.people, nouns.known_people, "sneak past {}")
    target = meant(ctx, words, whom, wanted)
    if isinstance(target, Reading):
        return target
    reading = acting(ctx, "sneak", f"sneak past {target.label}", target=target)
    if not joint:
        return reading
    goal = FRAMES["go"](ctx, words, where)
    if goal is None or goal.unclear is not None:
        return goal or reading
    to = goal.actions[0].location_id
    return acting(ctx, "sneak", reading.intent, target=target, location_id=to, confidence=goal.confidence)


def _stolen(going: Reading | None) -> Reading | None:
    """The same way, unseen; a question keeps the verb in its lines."""
    if going is None:
        return None
    if going.unclear is not None:
        return going
    actions = tuple(action.model_copy(update={"type": "sneak"}) for action in going.actions)
    return Reading(
        actions, going.intent.replace("go ", "sneak ", 1), going.confidence, None, going.mentioned, going.assumptions
    )


def hide(ctx: Context, words: str, rest: Sequence[Word]) -> Reading | None:
    """Wherever one can, or behind something that is here."""
    place = trimmed(rest, start=tuple(_LEADS | {"inside", "beneath", "underneath", "beside", "myself"}))
    if not bare(place):
        return acting(ctx, "sneak", "hide", metadata={"detail": "hide"})
    nouns = ctx.nouns
    found = resolve(bare(place), nouns.things + nouns.doors + nouns.people)
    if isinstance(found, Match):
        return acting(
            ctx, "sneak", f"hide by {found.label}", target=found, metadata={"detail": typed(rest)[:MAX_WORDS]}
        )
    return acting(ctx, "sneak", "hide", metadata={"detail": typed(rest)[:MAX_WORDS]}, confidence=0.8)


def climb(ctx: Context, words: str, rest: Sequence[Word]) -> Reading | None:
    """A way where there is one of the name; else a daring thing to do with something here."""
    if not bare(rest):
        return None
    goal = rest[len(longest_prefix(lows(rest), lexicon().toward)) :] or rest
    way = resolve(bare(goal), ctx.nouns.exits)
    if isinstance(way, Match) and not (isinstance(_thing(ctx, goal), Match) and way.mended):
        return FRAMES["go"](ctx, words, rest)
    return attempt(ctx, words, rest, trait="nerve") or FRAMES["go"](ctx, words, rest)


def follow(ctx: Context, words: str, rest: Sequence[Word]) -> Reading | None:
    """A way, or somebody."""
    if isinstance(resolve(bare(rest), ctx.nouns.exits), Match):
        return FRAMES["go"](ctx, words, rest)
    return attempt(ctx, words, rest, trait="nerve") or asking(words, "Follow whom or what?", ways(ctx.nouns))


def attempt(ctx: Context, words: str, rest: Sequence[Word], *, trait: str | None = None) -> Reading | None:
    """A verb of a known class on something here, perhaps with something in hand; None where nothing of it is here."""
    rest = trimmed(rest, end=("open", "down", "away", "off", "apart", "loose"))
    if words.lower().endswith(" lock") or (" lock with " in words.lower() and lows(rest)[:1] == ["with"]):
        return _lock(ctx, words, rest, trait)
    subject, joint, tool = parted(rest, ("with", "using"))
    item: Match | None = None
    if joint:
        found = resolve(bare(tool), ctx.nouns.carried, ctx.nouns.here)
        if not isinstance(found, Match):
            subject = rest
        else:
            item = found
    return _tried(ctx, words, subject, trait, item)


def _lock(ctx: Context, words: str, rest: Sequence[Word], trait: str | None) -> Reading:
    """`pick the lock`, perhaps with something: that of the only door here."""
    doors = ctx.nouns.doors
    if len(doors) != 1:
        lines = [f"pick the lock of {typeable(one.name)}" for one in doors]
        return asking(words, "Which lock?" if doors else "There is no lock here. You can:", lines or ["look around"])
    door = Match(doors[0], doors[0].name, 0.85, mended=True)
    tool = resolve(bare(rest[1:]), ctx.nouns.carried) if rest else None
    item = tool if isinstance(tool, Match) else None
    metadata = {"verb": "pick the lock", **({"trait": trait} if trait else {})}
    return acting(ctx, "attempt", f"pick the lock of {door.label}", target=door, item=item, metadata=metadata)


def _tried(ctx: Context, words: str, subject: Sequence[Word], trait: str | None, item: Match | None) -> Reading | None:
    target = _thing(ctx, subject)
    if target is None or isinstance(target, Reading):
        return target
    verb = " ".join(words.split()[: max(1, len(words.split()) - len(subject))]).lower()
    metadata = {"verb": verb[:60], **({"trait": trait} if trait else {})}
    intent = f"{verb} {target.label}"
    return acting(ctx, "attempt", intent, target=target, item=item, metadata=metadata, confidence=0.85)


def _thing(ctx: Context, rest: Sequence[Word]) -> Match | Reading | None:
    """What it is tried on: somebody or something that is here."""
    phrase = bare(trimmed(rest, start=tuple(_LEADS)))
    if not phrase:
        return None
    nouns = ctx.nouns
    everything = nouns.people + nouns.things + nouns.doors
    lex = lexicon()
    is_pronoun = phrase.lower() in lex.person_pronouns | lex.thing_pronouns
    if not is_pronoun and resolve(phrase, everything, nouns.known_people) is None:
        return None
    return meant(ctx, phrase, trimmed(rest, start=tuple(_LEADS)), Wanted(everything, nouns.known_people))


def any_verb(ctx: Context, words: Sequence[Word]) -> Reading | None:
    """A verb that is not known, on something here that is named well enough: tried without a trait."""
    if len(words) < 2 or words[0].kind != "word":
        return None
    rest = trimmed(words[1:], start=tuple(_LEADS))
    nouns = ctx.nouns
    found = resolve(bare(rest), nouns.people + nouns.things + nouns.doors, whole=True)
    if not isinstance(found, Match) or found.confidence < _SURE:
        return None
    metadata = {"verb": words[0].low[:60]}
    return acting(ctx, "attempt", f"{words[0].low} {found.label}", target=found, metadata=metadata, confidence=0.6)


ATTEMPTS: Mapping[str, Frame] = MappingProxyType(
    {
        "sneak": sneak,
        "hide": hide,
        "climb": climb,
        "follow": follow,
        **{f"attempt_{trait}": partial(attempt, trait=trait) for trait in ("charm", "hands", "nerve", "wits")},
    }
)
