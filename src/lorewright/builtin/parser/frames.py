"""Verb frames of things and places: the words after look, search, go and leave -> a Reading.

Every frame takes the context, the whole clause as typed and the words after the verb. None means: not for this frame,
try the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from lorewright.builtin.parser.clauses import Word, lexicon, longest_prefix, lows, typed
from lorewright.builtin.parser.noun_phrases import PhraseMatch, Tie, exact, key_words, resolve
from lorewright.builtin.parser.readings import (
    MAX_WORDS,
    ParseContext,
    PhraseKind,
    Reading,
    acting,
    asking,
    bare,
    meant,
    nothing_called,
    openings,
    parted,
    referred,
    shown,
    trimmed,
    typeable,
    ways,
    which,
)

# Verb frame of waiting: `for half an hour` -> a Reading with minutes.


def wait(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a wait: for the time given, else for the ruleset's default."""
    minutes = minutes_in(lows(rest))
    metadata = {"minutes": minutes} if minutes else {}
    plain = minutes is not None or not any(word.kind == "word" for word in rest)
    return acting(ctx, "wait", "wait", metadata=metadata, confidence=1.0 if plain else 0.85)


def minutes_in(low: Sequence[str]) -> int | None:
    """Return the minutes of `for half an hour`, 30; None where no length is given; at least 1 and at most 480."""
    units = {"minute": 1.0, "min": 1.0, "hour": 60.0, "hr": 60.0, "h": 60.0, "second": 1 / 60, "moment": 1.0}
    for index, word in enumerate(low):
        unit = units.get(word.removesuffix("s"))
        if unit is not None:
            return max(1, min(480, round(unit * _number(low[:index]))))
    return None


def _number(low: Sequence[str]) -> float:
    numbers = lexicon().numbers
    amount = 1.0
    for word in low:
        value = min(float(word), 10_000.0) if word.isascii() and word.isdigit() else numbers.get(word)
        amount = amount if value is None else (amount * value if amount == 0.5 else value)
    return amount


# Verb frames of things and places: the words after look, search, go and leave -> a Reading.

Frame = Callable[[ParseContext, str, Sequence[Word]], Reading | None]


def look(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a look at the place, or at what follows."""
    return examine(ctx, words, rest) if rest else acting(ctx, "look", "look around")


def inventory(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a look at what is carried; only alone, so that "i" is no verb before other words."""
    if rest:
        return None
    return acting(ctx, "inventory", "check what you carry")


def examine(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a look at a person, a thing, a door, a way out, the place; else at some detail of it."""
    phrase = bare(rest)
    if not phrase:
        return acting(ctx, "look", "look around", confidence=0.85)
    if phrase.lower() in lexicon().self_words:
        me = ctx.nouns.player
        return acting(ctx, "look", "look at yourself", target=PhraseMatch(me, me.name, 1.0))
    if _is_place(ctx, phrase):
        return acting(ctx, "look", "look around")
    found = each(ctx, words, rest, examine) or pronoun(ctx, phrase) or _anything(ctx, phrase)
    match found:
        case Reading():
            return found
        case Tie():
            return which(words, found, "look at {}")
        case PhraseMatch() if found.candidate in ctx.nouns.known_people:
            return asking(words, f"{found.label} is not here. You can:", openings(ctx.nouns))
        case PhraseMatch() if found.candidate.kind not in ("exit", "place"):
            return acting(ctx, "look", f"look at {shown(found)}", target=found)
        case PhraseMatch():
            return _look_at_detail(ctx, found.label, found.confidence)
        case None:
            if any(word.low.endswith("'s") and resolve(word.low[:-2], ctx.nouns.people) for word in rest):
                return nothing_called(ctx, words, phrase, [])
            return _look_at_detail(ctx, phrase, 0.7)


def _look_at_detail(ctx: ParseContext, detail: str, confidence: float) -> Reading:
    detail = detail[:MAX_WORDS]
    return acting(ctx, "look", f"look at {detail}", metadata={"detail": detail}, confidence=confidence)


def look_in(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `under the bar` as a search there."""
    preposition = longest_prefix(lows(rest), lexicon().inside)
    if not preposition or not bare(rest[len(preposition) :]):
        return None
    return _search(ctx, typed(rest), bare(rest[len(preposition) :]))


def search(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a search of the whole place, of a part of it, or for something."""
    detail = bare(rest)
    return _search(ctx, detail, detail)


def _search(ctx: ParseContext, detail: str, noun: str) -> Reading:
    if not detail:
        return acting(ctx, "search", "search the place")
    metadata = {"detail": detail[:MAX_WORDS]}
    named = pronoun(ctx, noun, "search {}")
    if isinstance(named, Reading):
        return named
    nouns = ctx.nouns
    found = named or resolve(noun, nouns.people + nouns.things + nouns.doors)
    if not isinstance(found, PhraseMatch) or (found.mended and not named):
        return acting(ctx, "search", f"search {detail}", metadata=metadata, confidence=0.9)
    return acting(ctx, "search", f"search {detail}", target=found, metadata=metadata)


def check(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a look at what is known to be here, or a search of everything else."""
    phrase = bare(rest)
    if not phrase or _is_place(ctx, phrase) or pronoun(ctx, phrase) or _anything(ctx, phrase):
        return examine(ctx, words, rest)
    return replace(_search(ctx, phrase, phrase), confidence=0.8)


def go(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a move along a way out, by its name or by its place, door or direction."""
    phrase = bare(rest)
    if not phrase:
        through = words.lower().endswith((" through", " in", " inside"))
        return (_read_door_mentioned(ctx, rest) if through else None) or _somewhere(ctx, words)
    behind = _read_door_mentioned(ctx, rest)
    if behind is not None:
        return behind
    direct = exact(phrase, ctx.nouns.exits) or exact(_direction(phrase), ctx.nouns.exits)
    if direct:
        return _going(ctx, direct)
    goal = bare(rest[len(longest_prefix(lows(rest), lexicon().toward)) :]) or phrase
    direction = exact(_direction(goal), ctx.nouns.exits)
    found = direction or resolve(goal, ctx.nouns.exits, ctx.nouns.known_places)
    match found:
        case Tie():
            return which(words, found, "go {}")
        case PhraseMatch():
            return _going(ctx, found)
        case None:
            return _not_a_way(ctx, words, goal)


def _read_door_mentioned(ctx: ParseContext, rest: Sequence[Word]) -> Reading | None:
    """Read `in`, `through it` as a move through the door that was mentioned last."""
    low = [word for word in lows(rest) if word not in ("it", "that")]
    door = ctx.thing
    if low not in (["in"], ["inside"], ["through"], ["into"], ["out"], []) or door is None or door.kind != "door":
        return None
    way = exact(door.name, ctx.nouns.exits)
    return _going(ctx, way) if way else None


def _going(ctx: ParseContext, way: PhraseMatch) -> Reading:
    reading = acting(ctx, "go", f"go {way.label}", location_id=way.candidate.id, confidence=way.confidence)
    assumed = (f"{shown(way)} is meant",) if way.mended else ()
    return replace(reading, mentioned=(way.candidate,), assumptions=assumed)


def _not_a_way(ctx: ParseContext, words: str, goal: str) -> Reading:
    if _is_place(ctx, goal):
        return asking(words, "You are there. The ways on are:", ways(ctx.nouns) or ["look around"])
    person = resolve(goal, ctx.nouns.people)
    if isinstance(person, PhraseMatch):
        name = typeable(person.label)
        return asking(words, f"{person.label} is here. You can:", [f"talk to {name}", f"look at {name}"])
    if goal.lower() in (*lexicon().directions, *lexicon().directions.values()):
        return asking(words, f"There is no way {_direction(goal)} from here. You can:", ways(ctx.nouns))
    return nothing_called(ctx, words, goal, ways(ctx.nouns))


def _somewhere(ctx: ParseContext, words: str) -> Reading:
    exits = ctx.nouns.exits
    if len({way.id for way in exits}) == 1:
        return _going(ctx, PhraseMatch(exits[0], exits[0].name, 0.9))
    if not exits:
        return asking(words, "No way out of here is known. You can:", ["look around", "search"])
    return asking(words, "Which way:", ways(ctx.nouns))


def leave(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a move out of the place, where there is one way; else through what is named."""
    alone = exact(words, ctx.nouns.exits) or exact(words.partition(" ")[2], ctx.nouns.exits)  # `go back door`
    if alone:
        return _going(ctx, alone)
    phrase = bare(rest[1:] if lows(rest)[:1] in (["of"], ["from"]) else rest)
    if not phrase or _is_place(ctx, phrase):
        return _somewhere(ctx, words)
    found = resolve(phrase, ctx.nouns.exits)
    if found:
        return go(ctx, words, rest)
    left = resolve(bare(rest[:-1] if lows(rest)[-1:] in (["here"], ["behind"], ["there"]) else rest), ctx.nouns.carried)
    if isinstance(left, PhraseMatch):
        return acting(ctx, "drop", f"drop {shown(left)}", target=left)
    return asking(words, "Which way:", ways(ctx.nouns) or ["look around"])


def _is_place(ctx: ParseContext, phrase: str) -> bool:
    return phrase.lower() in lexicon().whole_place or bool(_place_match(ctx, phrase))


def _place_match(ctx: ParseContext, phrase: str) -> bool:
    """Tell whether it is the place's own name in full, or a part of it that names nothing else."""
    if exact(phrase, (ctx.nouns.place,)):
        return True
    others = ctx.nouns.people + ctx.nouns.things + ctx.nouns.doors + ctx.nouns.exits
    found = resolve(phrase, (ctx.nouns.place,))
    return isinstance(found, PhraseMatch) and found.confidence >= 0.95 and resolve(phrase, others) is None


def _anything(ctx: ParseContext, phrase: str) -> PhraseMatch | Tie | None:
    nouns = ctx.nouns
    close = resolve(phrase, nouns.people + nouns.things + nouns.doors, nouns.known_people + nouns.known_things)
    if isinstance(close, PhraseMatch) and not close.mended:
        return close
    way = exact(phrase, nouns.exits)
    return way or close or resolve(phrase, nouns.exits)


def pronoun(ctx: ParseContext, phrase: str, pattern: str = "look at {}") -> PhraseMatch | Reading | None:
    """Return a pronoun's match; a question where it could be several; `them` is people unless there are none."""
    thing, person = (referred(ctx, phrase, person=who, pattern=pattern) for who in (False, True))
    if isinstance(person, Reading) and ctx.nouns.people and not pattern.startswith("take"):
        return person
    order = (thing, person) if pattern.startswith("take") else (person, thing)
    found = next((match for match in order if isinstance(match, PhraseMatch)), None)
    return found or next((match for match in order if match is not None), None)


def _direction(phrase: str) -> str:
    return lexicon().directions.get(phrase.lower(), phrase)


def each(ctx: ParseContext, words: str, rest: Sequence[Word], frame: Frame) -> Reading | None:
    """Read `the unit and the knife` as the frame for every part; None where there is only one."""
    parts: list[list[Word]] = [[]]
    for word in rest:
        if word.kind == "comma" or word.low == "and":
            parts.append([])
        else:
            parts[-1].append(word)
    parts = [part for part in parts if key_words(typed(part))]
    if len(parts) < 2 or exact(typed(rest), ctx.nouns.everything()):
        return None
    readings = [reading for part in parts[:4] if (reading := frame(ctx, typed(part), part))]
    unclear = next((reading for reading in readings if reading.unclear), None)
    return unclear or joined(readings, ", ".join(reading.intent for reading in readings))


def joined(readings: Sequence[Reading], intent: str) -> Reading:
    """Return several readings as one, as sure as the least sure of them."""
    return Reading(
        actions=tuple(action for reading in readings for action in reading.actions),
        intent=intent,
        confidence=min(reading.confidence for reading in readings),
        mentioned=tuple(candidate for reading in readings for candidate in reading.mentioned),
        assumptions=tuple(assumption for reading in readings for assumption in reading.assumptions),
    )


FRAMES: Mapping[str, Frame] = MappingProxyType(
    {
        "look_in": look_in,
        "look": look,
        "examine": examine,
        "inventory": inventory,
        "go": go,
        "leave": leave,
        "search": search,
        "check": check,
        "wait": wait,
    }
)


# Verb frames of daring: climb, follow, and any verb at all on something that is here -> a Reading.

# Words between a verb and its object.
LEADS = frozenset(
    "at on onto in into over under through with to for from against around past up down off of about behind by".split()
)
# Least confidence in the object of an unknown verb.
_SURE = 0.95


def climb(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a way out of that name; else a daring attempt on something here."""
    if not bare(rest):
        return None
    goal = rest[len(longest_prefix(lows(rest), lexicon().toward)) :] or rest
    way = resolve(bare(goal), ctx.nouns.exits)
    if isinstance(way, PhraseMatch) and not (isinstance(_match_target(ctx, goal), PhraseMatch) and way.mended):
        return FRAMES["go"](ctx, words, rest)
    return attempt(ctx, words, rest, trait="nerve") or FRAMES["go"](ctx, words, rest)


def follow(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a way, or a person to follow."""
    if isinstance(resolve(bare(rest), ctx.nouns.exits), PhraseMatch):
        return FRAMES["go"](ctx, words, rest)
    return attempt(ctx, words, rest, trait="nerve") or asking(words, "Follow whom or what?", ways(ctx.nouns))


def attempt(ctx: ParseContext, words: str, rest: Sequence[Word], *, trait: str | None = None) -> Reading | None:
    """Read a verb of a known class on something here, perhaps with something in hand; None where it is not here."""
    rest = trimmed(rest, end=("open", "down", "away", "off", "apart", "loose"))
    if words.lower().endswith(" lock") or (" lock with " in words.lower() and lows(rest)[:1] == ["with"]):
        return _read_lock_picking(ctx, words, rest, trait)
    subject, joint, tool = parted(rest, ("with", "using"))
    item: PhraseMatch | None = None
    if joint:
        found = resolve(bare(tool), ctx.nouns.carried, ctx.nouns.here)
        if not isinstance(found, PhraseMatch):
            subject = rest
        else:
            item = found
    return _tried(ctx, words, subject, trait, item)


def _read_lock_picking(ctx: ParseContext, words: str, rest: Sequence[Word], trait: str | None) -> Reading:
    """Read `pick the lock`, perhaps with something: the lock of the only door here."""
    doors = ctx.nouns.doors
    if len(doors) != 1:
        lines = [f"pick the lock of {typeable(door.name)}" for door in doors]
        return asking(words, "Which lock?" if doors else "There is no lock here. You can:", lines or ["look around"])
    door = PhraseMatch(doors[0], doors[0].name, 0.85, mended=True)
    tool = resolve(bare(rest[1:]), ctx.nouns.carried) if rest else None
    item = tool if isinstance(tool, PhraseMatch) else None
    metadata = {"verb": "pick the lock", **({"trait": trait} if trait else {})}
    return acting(ctx, "attempt", f"pick the lock of {door.label}", target=door, item=item, metadata=metadata)


def _tried(
    ctx: ParseContext, words: str, subject: Sequence[Word], trait: str | None, item: PhraseMatch | None
) -> Reading | None:
    target = _match_target(ctx, subject)
    if target is None or isinstance(target, Reading):
        return target
    verb = " ".join(words.split()[: max(1, len(words.split()) - len(subject))]).lower()
    metadata = {"verb": verb[:60], **({"trait": trait} if trait else {})}
    intent = f"{verb} {target.label}"
    return acting(ctx, "attempt", intent, target=target, item=item, metadata=metadata, confidence=0.85)


def _match_target(ctx: ParseContext, rest: Sequence[Word]) -> PhraseMatch | Reading | None:
    """Return the object of the attempt: somebody or something that is here."""
    phrase = bare(trimmed(rest, start=tuple(LEADS)))
    if not phrase:
        return None
    nouns = ctx.nouns
    everything = nouns.people + nouns.things + nouns.doors
    lex = lexicon()
    is_pronoun = phrase.lower() in lex.person_pronouns | lex.thing_pronouns
    if not is_pronoun and resolve(phrase, everything, nouns.known_people) is None:
        return None
    return meant(ctx, phrase, trimmed(rest, start=tuple(LEADS)), PhraseKind(everything, nouns.known_people))


def any_verb(ctx: ParseContext, words: Sequence[Word]) -> Reading | None:
    """Read an unknown verb, on something here that is named well enough, as an attempt without a trait."""
    if len(words) < 2 or words[0].kind != "word":
        return None
    rest = trimmed(words[1:], start=tuple(LEADS))
    nouns = ctx.nouns
    found = resolve(bare(rest), nouns.people + nouns.things + nouns.doors, whole=True)
    if not isinstance(found, PhraseMatch) or found.confidence < _SURE:
        return None
    metadata = {"verb": words[0].low[:60]}
    return acting(ctx, "attempt", f"{words[0].low} {found.label}", target=found, metadata=metadata, confidence=0.6)


ATTEMPTS: Mapping[str, Frame] = MappingProxyType(
    {
        "climb": climb,
        "follow": follow,
        **{f"attempt_{trait}": partial(attempt, trait=trait) for trait in ("charm", "hands", "nerve", "wits")},
    }
)
