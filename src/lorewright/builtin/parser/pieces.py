"""Pieces of a clause -> what they name: the place at hand, a pronoun, the first name, several things one by one, the
target of a ruleset's verb; and what a clause changes for the next: who and what was mentioned, where one stands."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from lorewright.builtin.parser.acts.kinds import Kind, kinds
from lorewright.builtin.parser.readings import (
    LEADS,
    MAX_WORDS,
    Frame,
    ParseContext,
    PhraseKind,
    Reading,
    acting,
    meant,
    referred,
    shown,
    typeable,
    which,
)
from lorewright.builtin.words.clauses import Syntax, Word, bare, lexicon, longest_prefix, lows, trimmed, typed, words_of
from lorewright.builtin.words.noun_phrases import (
    Candidate,
    Nouns,
    PhraseMatch,
    ProseNoun,
    Tie,
    exact,
    in_prose,
    key_words,
    nouns_of,
    pronoun_fits,
    resolve,
)
from lorewright.rules.actions import Action
from lorewright.rules.verbs import verb_for, verb_of, verbs
from lorewright.scene_lore.nouns import is_everybodys
from lorewright.values.readings import Aside
from lorewright.values.scope import Scope


def named_first(
    ctx: ParseContext, rest: Sequence[Word], candidates: Sequence[Candidate]
) -> tuple[PhraseMatch, int] | None:
    """Return what is named in full at the start (or by a pronoun), and its number of words; the longest name wins."""
    for size in range(min(len(rest), 6), 0, -1):
        if all(word.kind == "word" for word in rest[:size]):
            match = exact(typed(rest[:size]), candidates)
            if match:
                return match, size
    pronoun = referred(ctx, typed(rest[:1]), person=True) if rest else None
    return (pronoun, 1) if isinstance(pronoun, PhraseMatch) and lows(rest)[0] not in ("this", "that", "them") else None


def fuzzy_first(rest: Sequence[Word], candidates: Sequence[Candidate]) -> tuple[PhraseMatch, int] | None:
    """Do the same by a part of a name or a name with a typo; the most words that still fit it well."""
    for size in range(1, min(len(rest), 4) + 1):
        match = resolve(typed(rest[:size]), candidates, whole=True)
        if isinstance(match, PhraseMatch) and match.confidence != 0.8 and rest[size - 1].low not in lexicon().articles:
            return match, size
    return None


def is_place(ctx: ParseContext, phrase: str) -> bool:
    """Tell whether words mean the place at hand: `here`, or its name."""
    return phrase.lower() in lexicon().whole_place or bool(_place_match(ctx, phrase))


def _place_match(ctx: ParseContext, phrase: str) -> bool:
    """Tell whether it is the place's own name in full, or a part of it that names nothing else."""
    if exact(phrase, (ctx.nouns.place,)):
        return True
    others = ctx.nouns.people + ctx.nouns.things + ctx.nouns.doors + ctx.nouns.exits
    found = resolve(phrase, (ctx.nouns.place,))
    return isinstance(found, PhraseMatch) and found.confidence >= 0.95 and resolve(phrase, others) is None


def pronoun(
    ctx: ParseContext, phrase: str, pattern: str = "", *, things_first: bool = False
) -> PhraseMatch | Reading | None:
    """Return a pronoun's match; a question where it could be several; `them` is people unless there are
    none, or things come first."""
    thing, person = (referred(ctx, phrase, person=who, pattern=pattern) for who in (False, True))
    if isinstance(person, Reading) and ctx.nouns.people and not things_first:
        return person
    order = (thing, person) if things_first else (person, thing)
    found = next((match for match in order if isinstance(match, PhraseMatch)), None)
    return found or next((match for match in order if match is not None), None)


# What tells why, after a comma, and is no other thing.
_REASONS = frozenset("because since as for while before so unless until".split())


def each(ctx: ParseContext, words: str, rest: Sequence[Word], frame: Frame) -> Reading | None:
    """Read `the unit and the knife` as the frame for every part; None where there is only one. What cannot be read of a
    part costs nothing of the others, and is named."""
    parts: list[list[Word]] = [[]]
    for word in rest:
        if word.kind == "comma" or word.low == "and":
            parts.append([])
        else:
            parts[-1].append(word)
    parts = [part for part in parts if key_words(typed(part)) and part[0].low not in _REASONS]
    if len(parts) == 1:
        return frame(ctx, words, parts[0]) if lows(rest) != lows(parts[0]) else None
    if len(parts) == _WITH_CALL and "and" not in lows(rest) and exact(typed(parts[-1]), ctx.nouns.people):
        # Whom one tells of it is not one of them: `take the coin, Viktor`.
        parts = parts if exact(typed(parts[0]), ctx.nouns.people) else parts[:1]
        return frame(ctx, words, parts[0]) if len(parts) == 1 else None
    if len(parts) < 2 or exact(typed(rest), ctx.nouns.everything()):
        return None
    said = len(words.split()) - len([word for word in rest if word.kind == "word"])
    verb = " ".join(words.split()[: max(said, 0)])
    readings = [reading for part in parts[:4] if (reading := frame(ctx, f"{verb} {typed(part)}".strip(), part))]
    unclear = next((reading for reading in readings if reading.unclear), None)
    read = [reading for reading in readings if reading.actions]
    if unclear is None or not read or not unclear.is_lost:
        return unclear or joined(readings, ", ".join(reading.intent for reading in readings))
    unknown = tuple(
        f"“{reading.intent.removeprefix('unclear: ')}” is not here" for reading in readings if reading.unclear
    )
    done = joined(read, ", ".join(reading.intent for reading in read))
    return replace(done, assumptions=(*done.assumptions, *unknown), confidence=min(done.confidence, 0.5))


_WITH_CALL = 2


def each_place(ctx: ParseContext, words: str, rest: Sequence[Word], frame: Frame) -> Reading | None:
    """Read `under the mat and inside the hat` as the frame for both; None where there is only one place."""
    low = lows(rest)
    ends = (at for at, word in enumerate(low) if word == "and" and longest_prefix(low[at + 1 :], lexicon().inside))
    end = next(ends, 0)
    found = (frame(ctx, words, part) for part in (rest[:end], rest[end + 1 :]) if end)
    read = [reading for reading in found if reading is not None]
    return joined(read, ", ".join(reading.intent for reading in read)) if read else None


def joined(readings: Sequence[Reading], intent: str) -> Reading:
    """Return several readings as one, as sure as the least sure of them."""
    return Reading(
        actions=tuple(action for reading in readings for action in reading.actions),
        intent=intent,
        confidence=min(reading.confidence for reading in readings),
        mentioned=tuple(candidate for reading in readings for candidate in reading.mentioned),
        assumptions=tuple(assumption for reading in readings for assumption in reading.assumptions),
    )


def with_reading(readings: Sequence[Reading], reading: Reading) -> list[Reading]:
    """Return readings with one more; a second remark to the same person goes on with the first."""
    before = readings[-1].actions if readings else ()
    if len(before) != 1 or not reading.actions:
        return [*readings, reading]
    first, second = before[0], reading.actions[-1]
    dropping = verb_for("put_down")
    if dropping is not None and first.type == dropping.name and second.metadata.get("item_id") == first.target_id:
        # What is put down before somebody and pushed over to them is handed over.
        return [*readings[:-1], replace(reading, actions=(second,))]
    if len(reading.actions) > 1:
        return [*readings, reading]
    verb = verb_of(second.type)
    syntax = None if verb is None else verb.part(Syntax)
    # What is offered or asked for after a greeting has an answer of its own.
    is_wish = first.form != second.form and kinds().get(second.form, Kind()).wish
    is_remark = syntax is not None and syntax.remark is not None and not is_wish
    if not is_remark or (first.type, first.target_id) != (second.type, second.target_id):
        return [*readings, reading]
    topic = f"{first.words}. {second.words}"[:MAX_WORDS].strip()
    # Of two that could be repeated the longer is.
    longer = first if len(first.deed.split()) > len(second.deed.split()) else second
    kept = {key: longer.metadata[key] for key in ("form", "deed") if key in longer.metadata}
    both = second.model_copy(update={"metadata": {**second.metadata, "topic": topic, **kept}})
    words = f"{readings[-1].words}. {reading.words}" if reading.words else ""
    return [*readings[:-1], replace(reading, actions=(both,), words=words)]


_FACES = frozenset("face eyes eye hands hand expression mouth lips look gaze posture back shoulders fingers".split())


def owner_of_face(ctx: ParseContext, rest: Sequence[Word]) -> PhraseMatch | None:
    """Return the person at whom one looks where their face or their hands are named: `Viktor's hands`, `her face`."""
    low = lows(rest)
    if len(low) < 2 or not (_FACES & set(low[1:])):
        return None
    owner = resolve(rest[0].text[:-2], ctx.nouns.people) if low[0].endswith("'s") else None
    if low[0] in ("his", "her", "their"):
        fitting = [
            person
            for person in dict.fromkeys(filter(None, (ctx.person, ctx.listener, *ctx.nouns.people)))
            if person in ctx.nouns.people and pronoun_fits(person, "she" if low[0] == "her" else "he")
        ]
        owner = PhraseMatch(fitting[0], fitting[0].name, 0.85, mended=True) if fitting else None
    if exact(bare(rest[:2]), ctx.nouns.people) and low[2:3] in (["in"], ["straight"]):
        owner = exact(bare(rest[:2]), ctx.nouns.people)
    return owner if isinstance(owner, PhraseMatch) else None


def shown_part(ctx: ParseContext, phrase: str) -> tuple[str, ProseNoun] | None:
    """Return the first part of a phrase that the prose shows, cut at prepositions: of `the lot through the window` the
    lot; None where it shows none."""
    parts = [part for part in re.split(rf"\b(?:{'|'.join(sorted(LEADS))})\b", phrase) if part.strip()]
    nouns = ((part.strip(), in_prose(part.strip(), ctx.nouns)) for part in parts if len(parts) > 1)
    shown_parts = [(part, noun) for part, noun in nouns if noun is not None and noun.standing == "shown"]
    return next(iter(shown_parts), None)


def find_anything(ctx: ParseContext, phrase: str) -> PhraseMatch | Tie | None:
    """Return somebody or something that a phrase names: here, heard of, or a way out; nothing for what only the prose
    shows."""
    nouns = ctx.nouns
    close = resolve(phrase, nouns.people + nouns.things + nouns.doors, nouns.known_people + nouns.known_things)
    in_sight = in_prose(phrase, nouns)
    # What is in sight goes before what is elsewhere, and only called so: `the car`, where four cars stand.
    is_seen = in_sight is not None and in_sight.standing == "shown"
    is_far = isinstance(close, PhraseMatch) and close.candidate in nouns.known_things and not _is_name(phrase, close)
    if isinstance(close, PhraseMatch) and not close.mended and not (is_far and is_seen):
        return close
    if in_sight is not None and in_sight.standing == "shown":
        return None
    way = exact(phrase, nouns.exits)
    return way or close or resolve(phrase, nouns.exits)


def _is_name(phrase: str, found: PhraseMatch) -> bool:
    return any(key.main and key.words == key_words(phrase) for key in found.candidate.keys)


def seen_off(ctx: ParseContext, person: Candidate) -> tuple[ProseNoun, Candidate | None] | None:
    """Return what a sentence of the prose shows that names a person who is not here, and the way to where it has them,
    if it names one; the same of what lies at the end of a way. None where no sentence tells of them."""
    if person.kind == "exit":
        called = _any_of({key.words for key in person.keys})
        off = (
            ProseNoun(noun.name, "shown") for noun in ctx.shown if noun.is_sure and called.search(noun.text.casefold())
        )
        return next(((noun, person) for noun in off), None)
    if person.kind != "person" or person in ctx.nouns.people:
        return None
    # Names have capital letters; what somebody is may be somebody else, too.
    names = _any_of({tuple(map(str.capitalize, key.words)) for key in person.keys})
    told = [noun for noun in ctx.shown if noun.is_sure and names.search(noun.text)]
    for noun in told:
        ways = ((way, _any_of({key.words for key in way.keys})) for way in ctx.nouns.exits)
        way = next((way for way, called in ways if called.search(noun.text.casefold())), None)
        if way is not None:
            return ProseNoun(noun.name, "shown"), way
    return (ProseNoun(told[0].name, "shown"), None) if told else None


def way_behind(ctx: ParseContext, noun: ProseNoun) -> Candidate | None:
    """Return the way out to where a sentence of the prose has what it shows: `Out in the lot, under the pink bird`;
    None where it is here."""
    told = [shown for shown in ctx.shown if shown.name == noun.name and _OUT_THERE.match(shown.text)]
    ways = ((way, _any_of({key.words for key in way.keys})) for way in ctx.nouns.exits)
    return next((way for way, called in ways for shown in told if called.search(shown.text.casefold())), None)


_OUT_THERE = re.compile(
    r"(?:out|outside|over|down|up|across|beyond|behind)\b (?:in|on|at|by|there|the)\b", re.IGNORECASE
)


def _any_of(names: Collection[tuple[str, ...]]) -> re.Pattern[str]:
    either = "|".join(r"\W+".join(map(re.escape, words)) for words in names if words)
    return re.compile(rf"\b(?:{either})\b" if either else r"(?!)")


def handed_on_the_way(ctx: ParseContext, reading: Reading, travel: str) -> Reading:
    """Return a reading of something handed to somebody who is elsewhere with the way to where the prose has them before
    it; `travel` is the name of the verb that takes a way."""
    found = []
    for action in reading.actions:
        verb = verb_of(action.type)
        syntax = None if verb is None else verb.part(Syntax)
        is_handing = syntax is not None and syntax.is_handing_over
        to = next((person for person in ctx.nouns.known_people if is_handing and person.id == action.target_id), None)
        seen = None if to is None else seen_off(ctx, to)
        if seen is not None and seen[1] is not None:
            found.append(Action(actor_id=action.actor_id, type=travel, location_id=seen[1].id))
        found.append(action)
    return replace(reading, actions=tuple(found)) if len(found) > len(reading.actions) else reading


# What one clause of a line changes for the next.


def remembered(ctx: ParseContext, reading: Reading) -> ParseContext:
    """Return the context for the next clause: pronouns refer to what this one mentioned."""
    for candidate in reading.mentioned:
        if candidate.kind == "person":
            ctx = replace(ctx, person=candidate)
        elif candidate.kind in ("thing", "door"):
            ctx = replace(ctx, thing=candidate, prose_noun="")
    turned_to = next((person for person in reading.mentioned if person in ctx.nouns.people), None)
    if turned_to is not None and all(_is_posture(action) or _is_sign(action) for action in reading.actions):
        # Whom one leans over to, or nods at, one speaks to.
        ctx = replace(ctx, listener=turned_to, topic="")
    for action in reading.actions:
        is_door = any(door.kind == "door" and door.id == action.target_id for door in reading.mentioned)
        detail = "" if is_door else str(action.metadata.get("detail", "")).removeprefix("through ")
        # What goes on is about what was held in it, and not about one's own hand.
        ctx = replace(ctx, prose_noun=ctx.prose_noun if not detail or is_everybodys(detail) else detail)
        verb = verbs().get(action.type)
        hearer = next((person for person in ctx.nouns.people if person.id == action.target_id), None)
        if verb is not None and verb.is_speech and hearer is not None:
            ctx = replace(ctx, listener=hearer, topic=action.words if verb.reply == "answer" else ctx.topic)
            ctx = replace(ctx, person=_spoken_of(ctx, action) or ctx.person)
    return ctx


def _spoken_of(ctx: ParseContext, action: Action) -> Candidate | None:
    """Return the person who is named last in what is said to somebody else."""
    said = f" {' '.join(lows(words_of(action.words)))} "
    people = (person for person in (*ctx.nouns.people, *ctx.nouns.known_people) if person.id != action.target_id)
    places = {
        person: max((said.rfind(f" {' '.join(key.words)} ") for key in person.keys if key.words), default=-1)
        for person in people
    }
    last = max(places, key=places.__getitem__, default=None)
    return last if last is not None and places[last] >= 0 else None


def _is_sign(action: Action) -> bool:
    """Tell whether an action is a gesture to somebody: a nod, a touch."""
    verb = verb_of(action.type)
    return verb is not None and verb.like == "free" and not verb.is_free and "verb" in action.metadata


def _is_posture(action: Action) -> bool:
    verb = verb_of(action.type)
    syntax = None if verb is None else verb.part(Syntax)
    return syntax is not None and syntax.posture is not None


def led_on(
    ctx: ParseContext, reading: Reading, ahead: Mapping[str, Scope], start: ParseContext | None = None
) -> ParseContext:
    """Return the context for what is done after a reading: what was taken is carried, what was put down lies here. At
    another place who and what is there is meant, as far as its scope is known; what its prose shows is not, unless it
    is where the line had its `start`."""
    nouns = ctx.nouns
    for action in reading.actions:
        nouns = _with_hands(nouns, action)
    places = [action.location_id for action in reading.actions if action.location_id is not None]
    if not places:
        return replace(ctx, nouns=nouns)
    there = ahead.get(places[-1])
    if start is not None and places[-1] == start.nouns.place.id:
        return replace(start, nouns=replace(start.nouns, carried=nouns.carried), came_from=ctx.nouns.place.id)
    if there is None:
        left = tuple(person for person in nouns.people if person not in nouns.known_people)
        nouns = replace(nouns, people=(), known_people=(*nouns.known_people, *left), here=(), doors=())
    else:
        nouns = replace(nouns_of(there), carried=nouns.carried)
    nouns = _past_the_next(nouns, places, ahead) if there is None else nouns
    nouns = replace(nouns, scenery=(), prose_words=(), knows_scenery=False)
    ctx = replace(ctx, came_from=places[-2] if len(places) > 1 else ctx.nouns.place.id)
    # Who was left behind is not spoken with any more.
    listener = ctx.listener if ctx.listener in nouns.people else None
    person = ctx.person if ctx.person in nouns.people or ctx.person not in ctx.nouns.people else None
    return replace(ctx, nouns=nouns, listener=listener, person=person, topic=ctx.topic if listener else "")


def _past_the_next(nouns: Nouns, places: Sequence[str], ahead: Mapping[str, Scope]) -> Nouns:
    """Return the scope after a walk through one of the next places: one is behind it, and the way back leads to it."""
    *before, last = places
    if not before or before[-1] not in ahead:
        return nouns
    behind = next((far for far in nouns_of(ahead[before[-1]]).exits if far.id == last), None)
    back = tuple(way for way in nouns.exits if way.id == before[-1])
    return nouns if behind is None or not back else replace(nouns, place=behind, exits=back)


def _with_hands(nouns: Nouns, action: Action) -> Nouns:
    """Return the scope with a thing in hand that was picked up, or no longer in hand that was put down or given."""
    verb = verb_of(action.type)
    syntax = None if verb is None else verb.part(Syntax)
    if syntax is None or not (syntax.is_picking_up or syntax.is_putting_down or syntax.is_handing_over):
        return nouns
    thing_id = action.item_id if syntax.is_handing_over else action.target_id
    here, carried = _without(nouns.here, thing_id), _without(nouns.carried, thing_id)
    moved = tuple(thing for thing in nouns.things if thing.id == thing_id)
    if syntax.is_picking_up:
        return replace(nouns, here=here, carried=(*carried, *moved))
    return replace(nouns, here=here if syntax.is_handing_over else (*here, *moved), carried=carried)


def _without(things: tuple[Candidate, ...], thing_id: str | None) -> tuple[Candidate, ...]:
    return tuple(thing for thing in things if thing.id != thing_id)


# Verbs of the ruleset (`mark the centre`): the longest of them, and its target -> a Reading.


# Words between the verb and its target.
_LEADS = ("at", "on", "onto", "in", "into", "to", "over", "for")


def own_verbs(ctx: ParseContext) -> list[tuple[str, ...]]:
    """Return the verbs, each as its words, longest first."""
    return sorted((tuple(verb.split()) for verb in ctx.verbs), key=lambda words: (-len(words), words))


def by_own_verb(ctx: ParseContext, words: str, said: Sequence[Word]) -> Reading | None:
    """Read an action of the ruleset's own; alone it has no target. None where no such verb begins the words."""
    verb = longest_prefix(lows(said), own_verbs(ctx))
    taken = len(verb)
    if not verb:
        verb, taken = _described_verb(ctx, lows(said))
    if not verb:
        return None
    kind, rest = ctx.verbs[" ".join(verb)], trimmed(said[taken:], start=_LEADS)
    typed = " ".join(verb)
    if not bare(rest):
        return acting(ctx, kind, typed)
    nouns = ctx.nouns
    target = meant(ctx, words, rest, PhraseKind((*nouns.people, *nouns.things, *nouns.doors), pattern=f"{typed} {{}}"))
    return target if isinstance(target, Reading) else acting(ctx, kind, f"{typed} {shown(target)}", target=target)


_OWNERS = frozenset(("a", "an", "my", "the", "another", "one"))


def _described_verb(ctx: ParseContext, low: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """Return the verb that begins the words with one or two words more behind its article, and how many words those
    are: `draw a small neat cross in`. Nothing where none does."""
    for verb in own_verbs(ctx):
        at = next((at for at, word in enumerate(verb) if word in ("a", "an", "my", "the")), -1)
        for more in (1, 2) if at > 0 else ():
            said = (*low[: at + 1], *low[at + 1 + more :])
            if said[: len(verb)] == verb:
                return verb, len(verb) + more
        # `draw my cross in` for `draw a cross in`.
        if (
            at > 0
            and len(low) > at
            and low[at] in _OWNERS
            and (*low[:at], verb[at], *low[at + 1 :])[: len(verb)] == verb
        ):
            return verb, len(verb)
    return (), 0


def move_said(ctx: ParseContext, words: str) -> Reading | None:
    """Read words that name the target of the verb which the ruleset offers, whatever is said around it (`I'll have the
    middle one, please`) as that; what wants several at once as a question about the rules. None where no target is
    named, or something is asked."""
    low = lows(words_of(words))
    if not ctx.offered_verb or _asks_or_denies(low):
        return None
    if set(low) & _SEVERAL and set(low) & _OF_MOVES:
        return Reading(intent="aside: rules", aside=Aside(kind="rules", words=words[:MAX_WORDS]))
    targets = ctx.nouns.things
    known = {word for target in targets for key in target.keys for word in key.words} - _SMALL
    named = [word for word in key_words(words.replace("-", " ")) if word in known]
    found = resolve(" ".join(named), targets, whole=True) if named else None
    core = [word for word in named if word not in _VAGUE]
    if core and (found is None or (isinstance(found, Tie) and len(core) > 1)):
        found = resolve(" ".join(core), targets, whole=True) or found
    if isinstance(found, Tie):
        return which(words, found, f"{ctx.offered_verb} {{}}")
    return by_own_verb(ctx, words, words_of(f"{ctx.offered_verb} {typeable(found.label)}")) if found else None


def _asks_or_denies(low: Sequence[str]) -> bool:
    is_wish = any(tuple(low[: len(wish)]) == wish for wish in _WISHES)
    is_question = bool(longest_prefix(low, lexicon().question_words)) and not is_wish
    return is_question or bool(_NOT_SO & set(low)) or bool(lexicon().saying & set(low[:2]))


# A wish, and no question.
_WISHES = (
    ("how", "about"),
    ("what", "about"),
    ("can", "i"),
    ("could", "i"),
    ("may", "i"),
    ("shall", "i"),
    ("is", "it", "ok"),
)
_NOT_SO = frozenset("not don't dont never isn't no look looks looking examine you your his he him yours".split())
_SEVERAL = frozenset("two three four both all every twice several tenth".split())
_OF_MOVES = frozenset("cross crosses x xs mark marks move moves square squares turn turns noughts go goes".split())
# Words of names that stand in any sentence, and those that say nothing of which one.
_SMALL = frozenset("in of the one on".split())
_VAGUE = frozenset("square corner row column side hand edge".split())


def without_part(ctx: ParseContext, phrase: str) -> str:
    """Return what one carries for a part of it that has no name here: `credstick` for `the credstick's balance`."""
    found = re.match(r"(?:the |my )?(?P<whole>.+?)['’]s? [\w-]+$", phrase)
    is_own = found is not None and isinstance(resolve(found["whole"], ctx.nouns.carried, whole=True), PhraseMatch)
    return found["whole"] if found is not None and is_own else phrase
