"""The verb of all else: attempt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal

from pydantic import Field

from lorewright.builtin.narrator.act_words import Telling
from lorewright.builtin.narrator.forms import SHOWN, is_harmless
from lorewright.builtin.narrator.outcomes import deed_facts, only
from lorewright.builtin.narrator.views import Beat
from lorewright.builtin.parser.readings import (
    LEADS,
    ParseContext,
    PhraseKind,
    Reading,
    acting,
    asking,
    meant,
    nothing_called,
    posed,
    read_as,
    read_way,
    typeable,
    ways,
)
from lorewright.builtin.parser.ways import is_flight
from lorewright.builtin.words.clauses import (
    Phrasing,
    Syntax,
    Word,
    bare,
    lexicon,
    longest_prefix,
    lows,
    parted,
    trimmed,
    words_of,
)
from lorewright.builtin.words.noun_phrases import PhraseMatch, exact, in_prose, resolve
from lorewright.rules.actions import Action
from lorewright.rules.patch import Outcome, ReasonCode
from lorewright.rules.reasons import why_not_reach
from lorewright.rules.verbs import DetailMetadata, Sight, Verb, verb_for
from lorewright.rules.verbs import typed as typed_lines
from lorewright.scene_lore.nouns import is_verb
from lorewright.values.records import NarratorInput
from lorewright.world.state import WorldState

# Traits that a free attempt may call for; a trait that the actor does not have counts as 0.
Trait = Literal["charm", "hands", "nerve", "wits"]


class AttemptMetadata(DetailMetadata):
    """Anything else: the verb and what comes after it, as typed, and the trait that its kind calls for."""

    verb: str = Field(default="", max_length=60)
    trait: Trait | None = None
    item_id: str | None = None


def _why_not_attempt(action: Action, state: WorldState) -> ReasonCode | None:
    """Return why nothing comes of it on what only the prose shows, and on what is not here at all."""
    match action.metadata.get("detail_is"):
        case "absent":
            return "object_not_found"
        case "scenery":
            return "only_scenery"
        case _:
            return why_not_reach(action, state)


_TRIED = Sight("{actor} tried something on {target}", 1)


def _attempt_sights(outcome: Outcome, place: str) -> Iterator[tuple[Sight, str]]:
    """Yield a free attempt on a target; only the narrator says what it was."""
    if outcome.target_id is not None:
        yield _TRIED, place


def _tell_attempt(given: NarratorInput, outcome: Outcome) -> Beat | None:
    if outcome.code != "acted":
        return None
    facts, slots = deed_facts(given, outcome)
    if is_harmless(outcome.form) and outcome.band is None and slots["thing"] and not facts.get("person"):
        return Beat("outcome", SHOWN, {"kind": outcome.form}, slots)
    if outcome.form == "break" and slots["thing"] and outcome.band != "fail" and not given.ops:
        # Nothing is broken by a roll alone: what it was tried on is as it was.
        return Beat("outcome", "attempt.held", {}, slots)
    tried_on = "person" if facts.get("person") else "thing"
    return Beat("outcome", "deed.attempt", {"band": outcome.band or "success", **only(facts, tried_on)}, slots)


# Least confidence in the object of an unknown verb.
_SURE = 0.95


def _read_climb(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a way out of that name; else a daring attempt on something here."""
    if not bare(rest):
        return _read_leap(ctx, words)
    if ctx.prose_noun and lows(rest)[-1:] == ["it"]:
        return nothing_called(ctx, words, ctx.prose_noun)
    goal = rest[len(longest_prefix(lows(rest), lexicon().toward)) :] or rest
    if is_flight(ctx, lows(goal)):
        return read_way(ctx, words, goal)
    noun = in_prose(bare(goal), ctx.nouns)
    if noun is not None and noun.standing != "ambient" and exact(bare(goal), ctx.nouns.everything()) is None:
        return _read_attempt(ctx, words, rest, trait="nerve") or nothing_called(ctx, words, bare(goal))
    way = resolve(bare(goal), ctx.nouns.exits)
    if isinstance(way, PhraseMatch) and not (isinstance(_match_target(ctx, goal), PhraseMatch) and way.mended):
        return read_way(ctx, words, rest)
    return _read_handling(ctx, words, rest, trait="nerve") or read_way(ctx, words, rest)


def _read_leap(ctx: ParseContext, words: str) -> Reading | None:
    """Read a leap where one stands; one swims in water alone, and climbs where there is a way up."""
    verb = words.lower().split()[-1]
    if verb in ("swim", "dive"):
        return nothing_called(ctx, words, "water")
    up = exact("up", ctx.nouns.exits)
    if verb == "climb" and up is not None:
        return read_way(ctx, words, words_of("up"))
    return posed(ctx, words) if verb in ("jump", "leap") else None


_GLANCES = frozenset(("glance", "gaze", "eyes", "look", "stare"))


def _read_follow(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a way, or a person to follow; one follows a glance with one's eyes."""
    if _GLANCES & set(lows(rest)[:3]):
        at = next((at for at, word in enumerate(lows(rest)) if word in ("to", "at", "towards")), len(rest))
        return read_as(verb_for("examine"), ctx, words, rest[at + 1 :] or words_of("around"))
    if isinstance(resolve(bare(rest), ctx.nouns.exits), PhraseMatch):
        return read_way(ctx, words, rest)
    return _read_attempt(ctx, words, rest, trait="nerve") or asking(words, "Follow whom or what?", ways(ctx.nouns))


def _read_attempt(ctx: ParseContext, words: str, rest: Sequence[Word], *, trait: str | None = None) -> Reading | None:
    """Read a verb of a known class on something here, perhaps with something in hand; None where it is not here."""
    rest = trimmed(rest, end=("open", "down", "away", "off", "apart", "loose"))
    if words.lower().endswith(" lock") or (" lock with " in words.lower() and lows(rest)[:1] == ["with"]):
        return _read_lock_picking(ctx, words, rest, trait)
    subject, joint, tool = parted(rest, ("with", "using"))
    item: PhraseMatch | None = None
    if joint:
        found = resolve(bare(tool), ctx.nouns.carried, ctx.nouns.here)
        if not isinstance(found, PhraseMatch):
            # One's own foot is no tool.
            subject = subject if lows(tool)[-1:] and lows(tool)[-1] in lexicon().body else rest
        else:
            item = found
    return _read_tried(ctx, words, subject, trait, item)


def _read_handling(ctx: ParseContext, words: str, rest: Sequence[Word], *, trait: str) -> Reading | None:
    """Read the same, of what only the prose shows, or what is not here, as well: the rules refuse it. What is at every
    place (`shake the rain off`) is not for this frame."""
    found = _read_attempt(ctx, words, rest, trait=trait)
    subject = trimmed(parted(rest, ("with", "using"))[0], start=tuple(LEADS))
    noun = None if found is not None else in_prose(bare(subject), ctx.nouns)
    if noun is None or noun.standing == "ambient":
        return found
    return nothing_called(ctx, words, bare(subject))


def _read_lock_picking(ctx: ParseContext, words: str, rest: Sequence[Word], trait: str | None) -> Reading:
    """Read `pick the lock`, perhaps with something: the lock of the only door here."""
    doors = ctx.nouns.doors
    if not doors and in_prose("lock", ctx.nouns) is not None:
        return nothing_called(ctx, words, "lock")
    if len(doors) != 1:
        lines = [f"pick the lock of {typeable(door.name)}" for door in doors]
        return asking(
            words, "Which lock?" if doors else "There is no lock here. You can:", lines or typed_lines("view")
        )
    door = PhraseMatch(doors[0], doors[0].name, 0.85, mended=True)
    tool = resolve(bare(rest[1:]), ctx.nouns.carried) if rest else None
    item = tool if isinstance(tool, PhraseMatch) else None
    metadata = {"verb": "pick the lock", **({"trait": trait} if trait else {})}
    return acting(ctx, ATTEMPT.name, f"pick the lock of {door.label}", target=door, item=item, metadata=metadata)


def _read_tried(
    ctx: ParseContext, words: str, subject: Sequence[Word], trait: str | None, item: PhraseMatch | None
) -> Reading | None:
    target = _match_target(ctx, subject)
    if target is None or isinstance(target, Reading):
        return target
    verb = " ".join(words.split()[: max(1, len(words.split()) - len(subject))]).lower()
    metadata = {"verb": verb[:60], **({"trait": trait} if trait else {})}
    intent = f"{verb} {target.label}"
    return acting(ctx, ATTEMPT.name, intent, target=target, item=item, metadata=metadata, confidence=0.85)


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


# A word and a name, with a word between them: more of them are no deed at somebody, unless they begin with a verb.
_PLAIN = 3


# Words between what is moved and where to: `pour the oil into the lamp`.
_WHERE_TO = ("into", "onto", "in", "on", "over", "upon", "through", "under", "against", "towards", "from")


def _may_be_verb(word: str) -> bool:
    return is_verb(word) or word in lexicon().verb_words


def _read_any(ctx: ParseContext, words: Sequence[Word]) -> Reading | None:
    """Read an unknown verb, on something here that is named well enough, as an attempt without a trait; of what is done
    to one thing by another, the first is meant."""
    if len(words) < 2 or any(word.kind != "word" for word in words[:2]) or not _may_be_verb(words[0].low):
        return None
    rest = trimmed(words[1:], start=tuple(LEADS))
    nouns = ctx.nouns
    everything = nouns.people + nouns.things + nouns.doors
    found = resolve(bare(rest), everything, whole=True)
    subject, joint, _ = parted(rest, _WHERE_TO)
    if found is None and joint and is_verb(words[0].low):
        found = resolve(bare(subject), everything, whole=True)
    if not isinstance(found, PhraseMatch) or found.confidence < _SURE:
        return None
    if found.candidate.kind == "person" and not is_verb(words[0].low) and len(words) > _PLAIN:
        return None
    metadata = {"verb": words[0].low[:60]}
    return acting(ctx, ATTEMPT.name, f"{words[0].low} {found.label}", target=found, metadata=metadata, confidence=0.6)


ATTEMPT = Verb(
    name="attempt",
    rank=220,
    summary="try anything that no other verb means: dice, or a model's ruling, say what comes of it",
    condition="what it is tried on is here",
    remembered="that something was tried on somebody or something",
    lines={"try": "kick {thing}"},
    rule_lines=lambda names: (f"{names.word or 'touch'} {aim}{names.along}" for aim in names.aims),
    tried="do something else",
    metadata=AttemptMetadata,
    needs=("topic",),
    requires=_why_not_attempt,
    is_free=True,
    sights=_attempt_sights,
    history="tried to {words} {target}",
    parts=(
        Phrasing(
            100,
            "climb, jump, leap, crawl, swim, dive, vault, scramble, climb up, climb down, climb onto, climb on, "
            "climb over, climb into, jump over, jump onto, jump on, jump into, jump off, leap over, leap onto, "
            "vault over, crawl under, crawl through, swim across",
            _read_climb,
        ),
        Phrasing(
            110,
            "follow, chase, tail, shadow, pursue",
            _read_follow,
        ),
        Phrasing(
            270,
            "kiss, hug, dance with, insult, salute, distract, seduce, flirt with, embrace, comfort, compliment, "
            "tease, mock, bow to, apologise to, apologize to, pet, stroke, sing to, sing for, smile at, wink at, "
            "impress, entertain, cheer up, console, curse at, swear at, stare down, buy, purchase",
            partial(_read_attempt, trait="charm"),
        ),
        Phrasing(
            280,
            "pickpocket, steal from, juggle, knock on, knock at, polish, tie, tie up, untie, repair, pull, pick "
            "the lock of, pick the lock on, pick lock, pick the lock, fix, mend, clean, wipe, dismantle, disarm, "
            "jam, hack, rewire, hotwire, juggle with, fold, tear, rip, patch, bandage, draw, carve, touch, feel, "
            "write on, scribble on, rub, scratch, shake, twist, tap, tap on, squeeze, wash, move, adjust, wind, "
            "unscrew, loosen, tighten",
            partial(_read_handling, trait="hands"),
        ),
        Phrasing(
            290,
            "push, force, trip, force open, break open, break down, kick down, kick in, ram, shove, wrench, drag, "
            "prise, prise open, prise off, pry open, pry off, lever open, lever off, "
            "balance on, hang from, provoke, taunt, challenge, stare at, block, grab hold of, hold back, "
            "restrain, tie down, escape from, dodge, ambush, spit at, spit on",
            partial(_read_handling, trait="nerve"),
        ),
        Phrasing(
            300,
            "decipher, decode, solve, puzzle over, work out, figure out, analyse, analyze, translate, appraise, "
            "compare, measure, estimate, diagnose, think about, remember, memorise, memorize, identify, "
            "outwit",
            partial(_read_attempt, trait="wits"),
        ),
        Syntax(anything=_read_any),
        Telling(of_player=_tell_attempt, fails_in_words=True),
    ),
)

VERBS = (ATTEMPT,)
