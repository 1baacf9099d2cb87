"""Words after a verb of motion -> the way out that is taken, by its name, its place, its door or a direction."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lorewright.builtin.parser.acts.kinds import Kind, kind_of, words_in
from lorewright.builtin.parser.pieces import handed_on_the_way, is_place, seen_off, way_behind
from lorewright.builtin.parser.readings import (
    Frame,
    ParseContext,
    Reading,
    act_word,
    acting,
    aimed_at_prose,
    asking,
    excerpt,
    not_caught,
    nothing_called,
    noun_part,
    posed,
    read_as,
    referred,
    shown,
    typeable,
    ways,
    which,
)
from lorewright.builtin.words.clauses import (
    Word,
    bare,
    find_posture,
    lexicon,
    listed,
    longest_prefix,
    lows,
    syntaxes,
    verb_with,
    words_of,
)
from lorewright.builtin.words.noun_phrases import (
    Candidate,
    PhraseMatch,
    ProseNoun,
    Tie,
    exact,
    in_prose,
    key_words,
    nouns_of,
    resolve,
)
from lorewright.builtin.words.tagging import Act
from lorewright.rules.actions import Action
from lorewright.rules.verbs import typed as typed_lines
from lorewright.rules.verbs import verb_for
from lorewright.values.scope import Scope


def _travelling() -> str:
    """Return the name of the verb that takes a way out."""
    verb = verb_with(lambda syntax: syntax.is_travel)
    assert verb is not None
    return verb.name


def read_go(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a move along a way out, by its name or by its place, door or direction."""
    # What one holds in one's hand on the way is no part of it.
    cut = next((at for at, word in enumerate(lows(rest)) if at and word in _HOLDING), len(rest))
    rest, words = rest[:cut], _HELD.split(words)[0] if cut < len(rest) else words
    phrase = bare(rest)
    if len(rest) > 1 and lows(rest)[0] in ("it", "them") and not ctx.prose_noun:
        return not_caught(ctx, words)
    if phrase and _STAIRS & set(lows(rest)) and resolve(phrase, ctx.nouns.exits) is None:
        flights = [way for name in ("up", "down") if (way := exact(name, ctx.nouns.exits))]
        if len(flights) == 1:
            return _read_way(ctx, flights[0])
    if not phrase:
        through = words.lower().strip(" .!").endswith((" through", " in", " inside", "enter"))
        return (_read_door_mentioned(ctx, rest) if through else None) or _read_somewhere(ctx, words)
    behind = _read_door_mentioned(ctx, rest)
    if behind is not None:
        return behind
    is_back = "back" in lows(rest) and set(lows(rest)) <= _BACK | {"up", "down", "here", "out"}
    if phrase and (is_back or set(lows(rest)) <= _BACK | _OUT) and exact(phrase, ctx.nouns.exits) is None:
        return _read_somewhere(ctx, words)
    direct = exact(phrase, ctx.nouns.exits) or exact(_direction(phrase), ctx.nouns.exits)
    if direct:
        return _read_way(ctx, direct)
    goal = bare(rest[len(longest_prefix(lows(rest), lexicon().toward)) :]) or phrase
    direction = exact(_direction(goal), ctx.nouns.exits) or exact(_direction(rest[0].text), ctx.nouns.exits)
    found = direction or doorless_way(ctx, goal) or resolve(goal, ctx.nouns.exits, ctx.nouns.known_places)
    match found:
        case Tie():
            return which(words, found, "go {}")
        case PhraseMatch():
            return _read_way(ctx, found)
        case None:
            return _read_no_way(ctx, words, goal)


def doorless_way(ctx: ParseContext, phrase: str) -> PhraseMatch | None:
    """Return the way out that a door is called after where it has none of its own: `street door`, `the door to the
    kitchen`; None for any other phrase."""
    words = key_words(phrase)
    is_before = len(words) > 2 and words[0] in _DOORS and words[1] in ("to", "of", "into")
    name = words[2:] if is_before else words[:-1] if words and words[-1] in _DOORS else ()
    if not name or resolve(phrase, ctx.nouns.doors) or exact(phrase, ctx.nouns.things):
        return None
    found = exact(" ".join(name), ctx.nouns.exits)
    doors = {door.name for door in ctx.nouns.doors}
    return None if found is None or doors & {key.label for key in found.candidate.keys} else found


def opened_way(ctx: ParseContext, words: str, phrase: str) -> Reading | None:
    """Return a door to be opened that is only a way out as the question whether to take that; None for other doors."""
    phrase = ctx.prose_noun if phrase.casefold() in lexicon().thing_pronouns else phrase
    way = doorless_way(ctx, phrase)
    if way is not None and not way.candidate.is_shut:
        return asking(words, "That way needs no opening. You can:", typed_lines("way", way=typeable(way.label)))
    is_any = key_words(phrase) in {(door,) for door in _DOORS} and not ctx.nouns.doors
    if not is_any or not ctx.nouns.exits or exact(phrase, ctx.nouns.things):
        return None
    return asking(words, "No door is shut here, as far as you can see. You can:", ways(ctx.nouns))


def may_be_opened(ctx: ParseContext, phrase: str) -> bool:
    """Tell whether a phrase names a door or a way, and nothing that is opened to see what is in it."""
    if phrase.casefold() in lexicon().thing_pronouns:
        phrase = ctx.prose_noun or (phrase if ctx.thing is None else ctx.thing.name)
    is_known = resolve(phrase, (*ctx.nouns.doors, *ctx.nouns.exits)) is not None
    return is_known or opened_way(ctx, phrase, phrase) is not None


_DOORS = ("door", "doors", "gate", "doorway")
_HOLDING = ("holding", "carrying", "clutching", "smiling", "grinning", "whistling", "humming")
_HELD = re.compile(rf",? (?:{'|'.join(_HOLDING)})\b", re.IGNORECASE)


def by_the_way(ctx: ParseContext, reading: Reading, *, leaves: bool = False) -> Reading:
    """Return a reading in which one goes first to whom something is handed, where the prose has them elsewhere; a look
    at who is here, where one `leaves` after it, as told by their names."""
    if leaves and [action.metadata.get("detail") for action in reading.actions] == ["everybody"]:
        names = listed([person.name for person in ctx.nouns.people], limit=6)
        seen = posed(ctx, reading.words, deed=f"look round and see {names or 'nobody here'}")
        return reading if seen is None else replace(seen, words=reading.words)
    verb = verb_with(lambda syntax: syntax.is_travel)
    return reading if verb is None else handed_on_the_way(ctx, reading, verb.name)


def past_the_next(ctx: ParseContext, phrase: str, ahead: Mapping[str, Scope]) -> Reading | None:
    """Return the walk to a place that lies behind one of the next, by its name or the name of its way; None where it is
    one of the next itself, or lies behind none of them, or it may be another that is meant."""
    nouns = ctx.nouns
    near = (*nouns.exits, *nouns.doors, *nouns.people, *nouns.things)
    if not phrase or not ahead or exact(phrase, near) is not None:
        return None
    known = exact(phrase, nouns.known_places)
    found: dict[str, str] = {}
    for way in nouns.exits:
        behind = nouns_of(ahead[way.id]).exits if way.id in ahead else ()
        goal = exact(phrase, [far for far in behind if known is None or far.id == known.candidate.id])
        if goal is not None and goal.candidate.id not in (nouns.place.id, way.id):
            found.setdefault(way.id, goal.candidate.id)
    if len(found) != 1:
        return None
    (first, last), travel = next(iter(found.items())), _travelling()
    steps = (
        Action(actor_id=nouns.player.id, type=travel, location_id=place, metadata={"towards": last})
        for place in (first, last)
    )
    return Reading(actions=tuple(steps), intent=f"go {phrase}", confidence=0.85)


def carried_over(ctx: ParseContext, act: Act) -> Reading | None:
    """Return the way that somebody here is asked to take one along, where a ferry or the like leads there, as taken; a
    place that it does not lead to, and words that ask for anything else, are None."""
    carries = kind_of(act).carries
    found = carries.search(act.words.strip(" ,.!?*")) if carries is not None and ctx.nouns.people else None
    if found is None:
        return None
    where = " ".join(re.findall(r"[\w']+", next(filter(None, found.groups()), "").casefold()))
    goal = _TO_PLACE.match(where)
    ferries = [way for way in ctx.nouns.exits if any(_CARRIERS & set(key.words) for key in way.keys)]
    named = [
        way
        for way in ferries
        if goal is not None and any(f" {' '.join(key.words)} " in f" {where} " for key in way.keys)
    ]
    named = named or [way for way in ferries if way is way_to_person(ctx, where)]
    meant = named or (ferries if not where or _ACROSS.match(where) else [])
    if len(meant) != 1:
        return None
    way = PhraseMatch(meant[0], meant[0].name, 0.85)
    said = f"“{excerpt(act.words)}” is understood as “go {way.label}”"
    return replace(_read_way(ctx, way), assumptions=(said,))


def way_to_person(ctx: ParseContext, where: str) -> Candidate | None:
    """Return the way to where the prose has somebody who is named and is not here; None where it tells of none."""
    person = exact(" ".join(_NO_GOAL.sub(" ", where).split()), ctx.nouns.known_people)
    placed = None if person is None else seen_off(ctx, person.candidate)
    return None if placed is None else placed[1]


_NO_GOAL = re.compile(r"\b(?:to|over|across|please|now|then|see|meet|find|quickly|in your boat)\b")
# What carries people over, where a way is called by it.
_CARRIERS = frozenset("ferry boat barge punt raft cab taxi tram".split())
_TO_PLACE = re.compile(r"(?:.*\b)?(?:to|over|across|there|by|on|into|aboard)\b", re.IGNORECASE)
_ACROSS = re.compile(
    r"(?:over|across|there|please|now|then|too|with you|in your boat|on your boat|on the ferry|to the other side)\b"
    r"(?! (?:to|at|in)\b)(?!.*\bto\b)",
    re.IGNORECASE,
)


def is_flight(ctx: ParseContext, low: Sequence[str]) -> bool:
    """Tell whether words name stairs and nothing else, where there is one flight of them: `up the stairs`."""
    flights = [way for name in ("up", "down") if (way := exact(name, ctx.nouns.exits))]
    is_named = bool(_STAIRS & set(low)) and set(low) <= _STAIRS | _OF_STAIRS
    return is_named and bool(
        ({"up", "down"} & set(low) and exact((set(low) & {"up", "down"}).pop(), ctx.nouns.exits)) or len(flights) == 1
    )


_OF_STAIRS = frozenset(("up", "down", "the", "take", "to"))


def _read_door_mentioned(ctx: ParseContext, rest: Sequence[Word]) -> Reading | None:
    """Read `in`, `through it` as a move through the door that was mentioned last."""
    low = [word for word in lows(rest) if word not in ("it", "that")]
    door = ctx.thing
    if low not in (["in"], ["inside"], ["through"], ["into"], ["out"], []) or door is None or door.kind != "door":
        return None
    way = exact(door.name, ctx.nouns.exits)
    return _read_way(ctx, way) if way else None


def _read_way(ctx: ParseContext, way: PhraseMatch) -> Reading:
    reading = acting(ctx, _travelling(), f"go {way.label}", location_id=way.candidate.id, confidence=way.confidence)
    assumed = (f"{shown(way)} is meant",) if way.mended else ()
    return replace(reading, mentioned=(way.candidate,), assumptions=assumed)


def _read_no_way(ctx: ParseContext, words: str, goal: str) -> Reading:
    person = _whom(ctx, goal)
    goal, person = (person.label, None) if person and person.candidate not in ctx.nouns.people else (goal, person)
    nearing = next((syntax.approach for syntax in syntaxes() if syntax.approach is not None), None)
    if is_place(ctx, goal) and nearing is not None:
        here: Reading = nearing(ctx, words, None)
        return here
    if is_place(ctx, goal):
        known = ways(ctx.nouns)
        return asking(
            words, f"You are there. {'The ways on are' if known else 'You can'}:", known or typed_lines("view")
        )
    if person is not None and nearing is not None:
        found: Reading = nearing(ctx, words, person)
        return found
    if person is not None:
        name = typeable(person.label)
        return asking(
            words,
            f"{person.label} is here. You can:",
            [*typed_lines("meet", person=name), *typed_lines("examine", thing=name)],
        )
    elsewhere = exact(goal, ctx.nouns.known_people)
    placed = None if elsewhere is None else seen_off(ctx, elsewhere.candidate)
    if placed is not None and placed[1] is not None:
        return _read_way(ctx, PhraseMatch(placed[1], placed[1].name, 0.85))
    met = [] if elsewhere is None else _places(ctx, ctx.nouns.seen_at.get(elsewhere.candidate.id, ""))
    if elsewhere is not None and met:
        walk = _read_way(ctx, PhraseMatch(met[0], met[0].name, 0.85))
        return replace(walk, mentioned=(*walk.mentioned, elsewhere.candidate))
    if elsewhere is not None and (looking := verb_for("examine")) is not None:
        # What the prose says of somebody who is gone is not where they are.
        return acting(ctx, looking.name, f"{looking.name} for {elsewhere.label}", target=elsewhere)
    if goal.lower() in (*lexicon().directions, *lexicon().directions.values()):
        return asking(
            words, f"There is no way {_direction(goal)} from here. You can:", ways(ctx.nouns) or typed_lines("view")
        )
    noun = in_prose(goal, ctx.nouns)
    is_passage = noun is not None and noun.name.split()[-1] in _PASSAGES
    if noun is not None and noun.standing == "shown" and (way := way_behind(ctx, noun)) is not None:
        return _read_way(ctx, PhraseMatch(way, way.name, 0.85))
    if noun is not None and noun.standing == "shown" and not is_passage:
        # One goes up to what is here to see it, and takes a seat in what has seats.
        settled = verb_for("sit_down") if noun.name.split()[-1] in _SEATED else None
        sat = None if settled is None else read_as(settled, ctx, words, words_of(f"in {goal}"))
        if sat is not None:
            return sat
        seen = read_as(verb_for("examine"), ctx, words, words_of(goal))
        if seen is not None:
            return seen
    nowhere = aimed_at_prose(ctx, words, noun_part(goal)) if noun is not None else None
    if nowhere is not None:
        return nowhere
    known = ways(ctx.nouns)
    if not known:
        return asking(
            words, f"You know of no way to “{excerpt(goal)}”, nor of any other from here. You can:", typed_lines("view")
        )
    return asking(words, f"You know of no way to “{excerpt(goal)}” from here. There are:", known)


def _whom(ctx: ParseContext, goal: str) -> PhraseMatch | None:
    """Return who is here and meant by a name, or anybody who is meant by a pronoun: `walk up to him`."""
    if goal.lower() in lexicon().person_pronouns:
        found: object = referred(ctx, goal, person=True, pattern="go to {}", among=ctx.nouns.people)
    else:
        found = resolve(goal, ctx.nouns.people)
    return found if isinstance(found, PhraseMatch) else None


def _places(ctx: ParseContext, place: str) -> list[Candidate]:
    """Return the ways to a place, else the place itself where it is known; empty where it is this one."""
    ways = [way for way in ctx.nouns.exits if way.id == place]
    return ways or [known for known in ctx.nouns.known_places if known.id == place]


def _read_somewhere(ctx: ParseContext, words: str) -> Reading:
    exits = ctx.nouns.exits
    is_back = not ctx.came_from and "inside" in words.casefold().split()
    if len({way.id for way in exits}) == 1 and not is_back:
        return _read_way(ctx, PhraseMatch(exits[0], exits[0].name, 0.9))
    likely = _likely_ways(ctx, words)
    if likely:
        return _read_way(ctx, PhraseMatch(likely[0], likely[0].name, 0.85, mended=True))
    if not exits:
        return asking(words, "No way out of here is known. You can:", [*typed_lines("view"), *typed_lines("rummage")])
    return asking(words, "Which way:", ways(ctx.nouns))


_SEATED = frozenset("boat boats car cart ferry chair armchair sofa bed bath tub bench hammock".split())
_LEFT_AT = frozenset("on under in into beside behind with for to against inside underneath near next".split())
# After `leave` and a thing: it stays as it is.
_STAYS = frozenset(("where", "as", "alone", "be", "untouched"))
_STAIRS = frozenset(("stairs", "stair", "staircase", "steps", "ladder"))
# What leads somewhere: where it is no way out, one does not go to see it.
_PASSAGES = _STAIRS | {
    "escalator",
    "lift",
    "elevator",
    "tunnel",
    "bridge",
    "road",
    "path",
    "track",
    "corridor",
    "shaft",
}
_INTO, _AGAIN = frozenset(("in", "inside", "enter")), frozenset(("back", "return", "again"))
_BACK = frozenset(("back", "return", "in", "inside", "again"))
_OUT = frozenset(("out", "outside", "leave", "exit", "depart", "away"))
_OUTWARD = frozenset(("out", "outside", "street", "door", "front", "lot", "yard", "garden", "exit"))


def _ways_in(ctx: ParseContext) -> list[Candidate]:
    """Return the way whose door or place was mentioned last, else the only one that has a door; empty where there is
    none, or where it is that by which the player came."""
    doors = {door.name for door in ctx.nouns.doors}
    named = "" if ctx.thing is None else ctx.thing.name
    last = [way for way in ctx.nouns.exits if named and named in (way.name, *(key.label for key in way.keys))]
    shut = [way for way in ctx.nouns.exits if doors & {key.label for key in way.keys}]
    found = last[:1] or (shut if len({way.id for way in shut}) == 1 else [])
    return [way for way in found[:1] if way.id != ctx.came_from]


def _likely_ways(ctx: ParseContext, words: str) -> list[Candidate]:
    """Return the one way that is meant where none is named: that by which the player came, or the one that leads out;
    empty where it may be any."""
    said = set(words.casefold().split())
    if said & _INTO and not said & _AGAIN and (into := _ways_in(ctx)):
        return into
    back = [way for way in ctx.nouns.exits if way.id == ctx.came_from]
    out = [way for way in ctx.nouns.exits if any(_OUTWARD & set(key.words) for key in way.keys)]
    if said & _BACK and back:
        return back[:1]
    if said & _OUT:
        return out if len({way.id for way in out}) == 1 else back[:1]
    return []


def read_leave(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a move out of the place, where there is one way; else through what is named."""
    alone = exact(words, ctx.nouns.exits) or exact(words.partition(" ")[2], ctx.nouns.exits)  # `go back door`
    posture = find_posture()
    if posture is not None and act_word(words) == "leave" and _STAYS & set(lows(rest)[1:]):
        stayed: Reading = posture(ctx, words)
        return stayed
    if alone:
        return _read_way(ctx, alone)
    if lows(rest)[:1] == ["to"] and len(rest) > 1 and not is_place(ctx, bare(rest[1:])):
        # `go back to the table` is no way out.
        return read_go(ctx, words, rest)
    phrase = bare(rest[1:] if lows(rest)[:1] in (["of"], ["from"]) else rest)
    if not phrase or is_place(ctx, phrase) or set(lows(rest)) <= _BACK | _OUT | {""}:
        return _read_somewhere(ctx, words)
    goal = bare(rest[len(longest_prefix(lows(rest), lexicon().toward)) :])
    if resolve(phrase, ctx.nouns.exits) or (goal and resolve(goal, ctx.nouns.exits, ctx.nouns.known_places)):
        return read_go(ctx, words, rest)
    if (
        not any(exact(phrase, candidates) for candidates in (ctx.nouns.carried, ctx.nouns.here))
        and len({way.id for way in ctx.nouns.exits}) == 1
        and lows(rest)[0] in ("in", "inside", "back", "outside", "out")
    ):
        return _read_somewhere(ctx, words)
    left = resolve(bare(rest[:-1] if lows(rest)[-1:] in (["here"], ["behind"], ["there"]) else rest), ctx.nouns.carried)
    left = left or resolve(noun_part(phrase), ctx.nouns.carried)
    dropping = verb_with(lambda syntax: syntax.is_putting_down)
    if isinstance(left, PhraseMatch) and dropping is not None:
        return acting(ctx, dropping.name, f"{dropping.name} {shown(left)}", target=left)
    is_left = act_word(words) == "leave" and bool(_LEFT_AT & set(lows(rest)[1:]))
    if is_left and not is_place(ctx, noun_part(phrase)):
        # `leave a coin under the glass` is no way out.
        return nothing_called(ctx, words, noun_part(phrase))
    if lows(rest)[:1] in (["through"], ["by"], ["via"]):
        return asking(words, "Which way:", ways(ctx.nouns) or typed_lines("view"))
    somewhere = _read_somewhere(ctx, words)
    if somewhere.unclear is None or not ctx.nouns.exits or not noun_part(goal or phrase):
        return somewhere
    return asking(
        words, f"You know of no way to “{excerpt(noun_part(goal or phrase))}” from here. There are:", ways(ctx.nouns)
    )


def _direction(phrase: str) -> str:
    return lexicon().directions.get(phrase.lower(), phrase)


def vehicle_here(ctx: ParseContext, kind: Kind) -> tuple[str, str] | None:
    """Return what one may get into here, with the kind of act that this is; None where there is none, or several."""
    shown = {f"the {candidate.name.split()[-1]}" for candidate in ctx.nouns.scenery}
    found = [(to, name) for to, said in kind.turns.items() for name in shown if said.search(f"into {name}")]
    return found[0] if len(found) == 1 else None


def lies_elsewhere(ctx: ParseContext, phrase: str) -> bool:
    """Tell whether a phrase is a place that none of the ways out leads to."""
    near = (*ctx.nouns.exits, *ctx.nouns.doors, *ctx.nouns.things)
    return exact(phrase, ctx.nouns.known_places) is not None and resolve(phrase, near) is None


def is_open_way(ctx: ParseContext, act: Act) -> bool:
    """Tell whether a question after a way is answered by pointing: it leads on from here, and is not shut."""
    here = (*ctx.nouns.people, *ctx.nouns.things)
    near = resolve(act.target, ctx.nouns.exits) if resolve(act.target, here, whole=True) is None else None
    is_way = isinstance(near, PhraseMatch) and not near.candidate.is_shut and is_named_as(act.target, near)
    return is_way and not _SHUT & words_in(act)


def is_named_as(phrase: str, found: PhraseMatch) -> bool:
    """Tell whether a phrase is a place's name by more than a word that stands before its noun: the lamp is no `Lamp
    Row`."""
    heads = {_head(key.words)[:_STEM] for key in found.candidate.keys}
    return _head(phrase.casefold().split())[:_STEM] in heads


# So many letters of a noun are enough: the others may be mistyped.
_STEM = 3


def _head(words: Sequence[str]) -> str:
    return next((word for word in reversed(words) if not word.isdigit()), "")


_SHUT = frozenset("locked closed shut barred blocked guarded key open unlock through past".split())


# By which sense something is looked at.


def is_on_player(ctx: ParseContext, noun: ProseNoun) -> bool:
    """Tell whether the prose calls a thing the player's: there is nothing to be searched for in it."""
    return any(shown.is_owned and noun.name in (shown.name, shown.head) for shown in ctx.shown)


def by_sense(frame: Frame) -> Frame:
    """Return a frame whose looks are told as what the verb says of them, by nose or by the words that are read."""

    def read(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
        reading, form = frame(ctx, words, rest), _SENSES.get(words.split(" ")[0].lower())
        if reading is None or form is None or not reading.actions:
            return reading
        told = (action.model_copy(update={"metadata": {**action.metadata, "form": form}}) for action in reading.actions)
        return replace(reading, actions=tuple(told))

    return read


_SENSES = {"smell": "smell", "sniff": "smell", "read": "read"}
