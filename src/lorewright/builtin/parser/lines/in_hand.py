"""A whole line, and what is carried -> the same with what burns in one's hand used for what it lights and signals,
without what one only carries on one's way, and with a look at the thing whose purpose is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from lorewright.builtin.parser.readings import ParseContext
from lorewright.builtin.words.asides import names_of_clock
from lorewright.builtin.words.clauses import bare, lexicon, words_of
from lorewright.builtin.words.noun_phrases import Candidate, PhraseMatch, exact, resolve
from lorewright.rules.verbs import typed, typed_line
from lorewright.scene_lore.nouns import singular


def with_fire_in_hand(ctx: ParseContext, text: str) -> str:
    """Return a line with the lamp in hand, or what else burns, as what is used to light or to signal with."""
    return _FLASHES.sub(partial(_flashed, ctx), _LIT.sub(partial(_lit, ctx), text))


def unburdened(ctx: ParseContext, text: str) -> str:
    """Return a line without what one carries on one's way: `go in quietly with the toast`."""
    return _BORNE.sub(partial(_unburdened, ctx), text)


# `light the boats`, with a lamp in hand: what burns is what is used.
_LIT = re.compile(
    r"(?P<lead>(?:^|\b(?:and|then|i|i['’]ll|me|to)\b|[,;.!]) *)(?:light|ignite|kindle)(?: up)?"
    r" (?P<what>(?:(?:the|all|a|an|my|some|every|each|one|first|their|his|her) [\w'’ -]+?|\w+s))"
    r"(?: (?:with|from|off|at|by|using) (?:the|my|a) (?P<thing>[\w'’ -]+?))?(?=$|[,;.!?]| and | then )",
    re.IGNORECASE,
)


def _lit(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return the use of the fire in hand for what is to be lit with it; the words as they are where there is none, or
    it is itself what is lit."""
    what = bare(words_of(found["what"]))
    fire = _fire_meant(ctx, found["thing"] or "", ctx.nouns.carried)
    using = typed_line("use_thing", thing=fire)
    is_kept = not fire or using is None or exact(what, ctx.nouns.carried) is not None
    return found[0] if is_kept or using is None else f"{found['lead']}{using.text}"


def _fire_meant(ctx: ParseContext, words: str, among: Sequence[Candidate]) -> str:
    """Return the name of the lamp, or what else burns, that words mean; the only one where there are none."""
    fires = [thing for thing in among if singular(thing.name.split()[-1].casefold()) in lexicon().fires]
    named = resolve(bare(words_of(words)), fires) if words else None
    if isinstance(named, PhraseMatch):
        return named.candidate.name
    return fires[0].name if len(fires) == 1 and not words else ""


# `flash two short and one long out over the water`: how often is told to whom it is meant for.
_FLASHES = re.compile(
    r"\b(?P<act>signal|flash|shine|blink)(?: out)?(?: (?:the|a|its|my) (?:signal|light|beam|code))?:?"
    r"(?:,?(?: and| then)* (?:(?:a|one|two|three|four|once|twice|\d)(?: times?)? (?:short|long|quick|slow)\w*"
    r"|(?:short|long)\w* (?:once|twice))(?: (?:ones?|flash(?:es)?|blinks?))?)+"
    r"(?: (?:with|using) (?:the|my) (?P<thing>[\w'’ -]+?))?"
    r"(?:(?: out)? (?:over|across|to|towards?|at|into|onto) (?:the |my )?[\w'’-]+(?: [\w'’-]+)?)?"
    r"(?=$|[,;.!?]| and | then )",
    re.IGNORECASE,
)


def _flashed(ctx: ParseContext, found: re.Match[str]) -> str:
    fire = _fire_meant(ctx, found["thing"] or "", ctx.nouns.carried) or _fire_meant(ctx, "", ctx.nouns.here)
    using = typed_line("use_thing", thing=found["thing"] or "lamp")
    return found[0] if using is None else f"{found['act']} with the {fire}" if fire else using.text


# `go in quietly with the toast`: what one has with one is no part of the way.
_BORNE = re.compile(
    r"(?P<move>\b(?:go|walk|step|come|head|slip|sneak|creep|tiptoe|climb|run|hurry|return|enter|get)\b"
    r"(?: [\w'’]+){0,4}?(?P<last> [\w'’]+)?) with (?:the|my|a|an|this) (?P<thing>[\w'’ -]+?)"
    r"(?: in (?:my|one|both|the) hands?| under my arm)?"
    r"(?=$|[,;.!?]| and | then )",
    re.IGNORECASE,
)
_IN_OR_OUT = re.compile(r" (?:in|inside|through|out|outside|up|down|back|over|across|along|\w+ly)", re.IGNORECASE)


def _unburdened(ctx: ParseContext, found: re.Match[str]) -> str:
    thing = bare(words_of(found["thing"]))
    is_person = resolve(thing, (*ctx.nouns.people, *ctx.nouns.known_people)) is not None
    is_held = isinstance(resolve(thing, ctx.nouns.carried), PhraseMatch)
    is_apart = _IN_OR_OUT.fullmatch(found["last"] or "") is not None
    return found["move"] if not is_person and (is_held or is_apart) else found[0]


def with_purpose_seen(ctx: ParseContext, text: str) -> str:
    """Return a line in which it is asked what a thing at hand is for as one in which that is looked at."""
    return _PURPOSE.sub(partial(_seen, ctx), text)


_PURPOSE = re.compile(
    r"(?P<lead>^|\b(?:and|so|but),? |[,;.?!] +)(?:what|wat)(?:"
    r"(?:['’]?s| is| are| was| were) (?P<what>(?:the|this|that|my|these|those|all the) [\w'’ -]+?)"
    r" (?:for|used for|good for|meant for|supposed to be for|there for)"
    r"|(?: do| does) (?P<does>(?:the|this|that|my|these|those) [\w'’ -]+?) (?:even )?do"
    r"|(?: do| can| should| could| would) (?:i|we|you|one) (?:do with|use|need)"
    r" (?P<with>(?:the|this|that|my|these) [\w'’ -]+?)(?: for)?)"
    r"(?: then| again| anyway| here)?(?P<end> *(?:$|[?.!,;]+|(?= and )))",
    re.IGNORECASE,
)


def _seen(ctx: ParseContext, found: re.Match[str]) -> str:
    """Return the look at the thing that a question of its purpose names; the words where it is none, or a clock."""
    words = bare(words_of(found["what"] or found["does"] or found["with"]))
    is_clock = any(words in names_of_clock(clock) for clock in ctx.clocks)
    meant = None if is_clock else resolve(words, ctx.nouns.things)
    lines = typed("examine", thing=meant.candidate.name) if isinstance(meant, PhraseMatch) else []
    return f"{found['lead']}{lines[0]}{found['end'].replace('?', '.')}" if lines else found[0]
