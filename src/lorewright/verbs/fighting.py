"""Verbs of fighting: attack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lorewright.builtin.inner import VIOLENCE
from lorewright.builtin.narrator.act_words import Actor, Telling
from lorewright.builtin.narrator.outcomes import telling_of_person
from lorewright.builtin.narrator.views import Beat
from lorewright.builtin.npc.considered import Reaction
from lorewright.builtin.parser.readings import (
    ParseContext,
    PhraseKind,
    Reading,
    act_word,
    acting,
    acting_freely,
    asking,
    meant,
    nothing_called,
    pattern_for,
    read_as,
    typeable,
)
from lorewright.builtin.words.clauses import (
    Phrasing,
    Syntax,
    Word,
    bare,
    lexicon,
    lows,
    parted,
    trimmed,
    verb_with,
)
from lorewright.builtin.words.noun_phrases import PhraseMatch, resolve
from lorewright.rules.patch import Outcome
from lorewright.rules.reasons import why_not_to_somebody
from lorewright.rules.verbs import ItemMetadata, Sight, Verb
from lorewright.rules.verbs import typed as typed_lines
from lorewright.values.records import Evidence

_ATTACKED = Sight("{actor} attacked {target}", 4)
_BEATEN_OFF = Sight("{actor} attacked {target} and was beaten off", 4)


def _attack_sights(outcome: Outcome, place: str) -> Iterator[tuple[Sight, str]]:
    yield (_BEATEN_OFF if outcome.band == "fail" else _ATTACKED), place


def _tell_attack_of_others(
    actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str
) -> list[Beat] | None:
    if outcome.code not in ("acted", "told"):
        return None
    return [actor.beat("act", "npc.attack", {"band": outcome.band or "success"}, to=outcome.target_id)]


def _after_attack(actor: Actor, outcome: Outcome) -> str:
    return "fight"


def _read_attack(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read an attack on somebody, perhaps with something; a thing or a door is broken, which is a free attempt."""
    nouns = ctx.nouns
    missing = _missing_weapon(ctx, words)
    if missing:
        return nothing_called(ctx, words, missing)
    rest = trimmed(rest, start=("at", "on"), end=("down", "up", "out", "open", "off", "in"))
    subject, joint, tool = parted(rest, ("with", "using"))
    if joint and (lows(tool)[-1] in _BARE_HANDED or lows(tool)[-1] in lexicon().body):
        joint = ""
    if not bare(subject):
        return asking(
            words, "Whom?", [f"attack {typeable(person.name)}" for person in nouns.people] or typed_lines("view")
        )
    everything = nouns.people + nouns.things + nouns.doors
    wanted = PhraseKind(everything, nouns.known_people, "attack {}", offered=nouns.people or nouns.things)
    target = meant(ctx, words, subject, wanted)
    if isinstance(target, Reading):
        return target
    item = _match_tool(ctx, words, tool, f"attack {typeable(target.label)} with {{}}") if joint else None
    if isinstance(item, Reading):
        return item
    if target.candidate.kind == "person":
        return acting(ctx, ATTACK.name, f"attack {target.label}", target=target, item=item)
    verb = words.split(" ")[0].lower()
    return acting_freely(ctx, f"{verb} {target.label}", verb[:60], "nerve", target=target, item=item)


# What is no weapon, but the blow itself.
_BARE_HANDED = frozenset("kick blow punch strength might force boot shove fury rage".split())
# Ways to strike that nobody does with bare hands, each with what it takes.
_ARMED = {"shoot": "gun", "fire": "gun", "stab": "knife", "slash": "knife"}
_WEAPONS = frozenset(
    "gun pistol revolver rifle shotgun bow crossbow taser knife blade dagger sword axe razor scissors machete weapon "
    "shard spear spike screwdriver".split()
)


def _missing_weapon(ctx: ParseContext, words: str) -> str:
    """Return what one would have to have in hand to strike so; empty where it is there, or is named."""
    needed = _ARMED.get(act_word(words), "")
    at_hand = {word for thing in ctx.nouns.things for key in thing.keys for word in key.words}
    is_named = " with " in words.lower() or " using " in words.lower()
    return "" if is_named or at_hand & _WEAPONS or not ctx.nouns.knows_scenery else needed


def _read_throw(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a throw at somebody, which is an attack; at anything else, a free attempt."""
    if lows(rest)[-1:] == ["away"]:
        return read_as(verb_with(lambda syntax: syntax.is_putting_down), ctx, words, rest)
    thing, joint, goal = parted(rest, ("at", "to", "into", "through", "in", "over"))
    if not joint:
        return None
    nouns = ctx.nouns
    named = resolve(bare(goal), nouns.people + nouns.things + nouns.doors)
    line = (
        f"throw {{}} at {typeable(named.label)}" if isinstance(named, PhraseMatch) else pattern_for("put_down", "thing")
    )
    item = meant(ctx, words, thing, PhraseKind(nouns.carried, nouns.here, line, offered=nouns.carried))
    if isinstance(item, Reading):
        return item
    wanted = PhraseKind(nouns.people + nouns.things + nouns.doors, (), f"throw {typeable(item.label)} at {{}}")
    target = meant(ctx, words, goal, wanted)
    if isinstance(target, Reading):
        return target
    if target.candidate.kind != "person":
        return acting_freely(ctx, f"throw {item.label}", "throw", "hands", target=target, item=item)
    verb = verb_with(lambda syntax: syntax.is_handing_over) if joint == "to" else ATTACK
    if verb is None:
        return None
    return acting(ctx, verb.name, f"{verb.name} {target.label} with {item.label}", target=target, item=item)


def _match_tool(ctx: ParseContext, words: str, tool: Sequence[Word], pattern: str) -> PhraseMatch | Reading:
    """Return the tool: carried, or lying here, so that the rules can say that it is not in hand."""
    return meant(ctx, words, tool, PhraseKind(ctx.nouns.carried, ctx.nouns.here, pattern, offered=ctx.nouns.carried))


ATTACK = Verb(
    name="attack",
    rank=110,
    summary="strike at somebody",
    condition="the person is here, and the weapon is carried",
    remembered="that somebody was attacked, and whether the attacker was beaten off",
    lines={"fight": "attack {person}"},
    rule_lines=lambda names: names.done("attack"),
    metadata=ItemMetadata,
    aim="person",
    needs=("target",),
    requires=why_not_to_somebody,
    is_violent=True,
    sights=_attack_sights,
    note="tell how the fight with {target} goes",
    parts=(
        Phrasing(
            200,
            "attack, hit, kill, shoot, stab, punch, fight, fight with, strangle, murder, slap, hurt, wound, beat, "
            "beat up, strike, choke, tackle, kick, cut, slash, assault, knock out, knock down, throttle, smash, "
            "break, bite, headbutt, charge at, swing at, destroy, lunge at, wrestle, wrestle with, burn, crush, "
            "stamp on, shoot at, fire at, grapple, bash, club",
            _read_attack,
        ),
        Phrasing(
            120,
            "throw, toss, hurl, fling, lob, swing, thrust",
            _read_throw,
        ),
        Syntax(risk="violence"),
        VIOLENCE,
        Reaction(tags=("flight",), is_thought_about=True),
        Telling(
            of_player=telling_of_person("deed.attack"),
            of_others=_tell_attack_of_others,
            after=_after_attack,
            fails_in_words=True,
        ),
    ),
)

VERBS = (ATTACK,)
