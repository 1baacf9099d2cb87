"""What is done to something that only the prose shows -> its facts and slots, and the sentence of the prose that goes
with it."""

from __future__ import annotations

import re
from dataclasses import replace

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.forms import (
    IN_WORDS,
    SHOWN,
    DeedForm,
    deed_forms,
    form_with,
    is_harmless,
    is_of_senses,
    kinds_of,
)
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.views import Beat, Slot
from lorewright.builtin.parser.readings import ADDRESS
from lorewright.builtin.words.clauses import lexicon
from lorewright.index.keywords import content_words
from lorewright.rules.patch import Outcome
from lorewright.scene_lore.nouns import singular
from lorewright.values.records import LoreLine, NarratorInput
from lorewright.values.scenery import TOLD, SceneryView


def unseen_of(given: NarratorInput, outcome: Outcome) -> LoreLine | None:
    """Return the next sentence that shows what was tried something with, where it was not told yet: one about the place
    or that very thing, and none that what was done has made untrue."""
    shown = views.shown_in_prose(given, outcome)
    # What was told has been read, and what else there is has less to do with it.
    if shown is None or shown.lines[0].key.startswith(TOLD) or _first_word(outcome) in _CHANGING:
        return None
    head = shown.name.casefold().split()[-1]
    lines = [line for line in shown.lines if _is_about(line, given.scene.place_id, {head, singular(head)})]
    return next(iter(views.unseen(lines, given.recall)), None)


# What is done by these is seen of the thing from then on.
_CHANGING = frozenset("close shut draw lower empty tip drain pour spill cover muffle unplug stop".split())


def _is_about(line: LoreLine, place_id: str, heads: set[str]) -> bool:
    """Tell whether a line stands in the notes of the place, or of a thing of that name."""
    owner = re.split(r"[:#]", line.chunk_id.partition(":")[2])[0]
    return owner == place_id.partition(":")[2] or not heads.isdisjoint(owner.split("_"))


def _first_word(outcome: Outcome) -> str:
    return (outcome.deed or outcome.words).partition(" ")[0].casefold()


def prose_slots(given: NarratorInput, outcome: Outcome) -> tuple[dict[str, Fact], dict[str, Slot]] | None:
    """Return the fact and the slot for something that is no entity, where it can be named; else None."""
    noun = views.prose_noun(given, outcome)
    if noun is None or not views.is_plain(noun.name):
        return None
    if outcome.reason == "only_scenery" and outcome.words.startswith(ADDRESS):
        return {"person": True}, {"thing": noun.name}
    if outcome.reason == "only_scenery" and (kind := _kind_told(outcome, noun)):
        facts: dict[str, Fact] = {"kind": kind, "deed": True, **({"carried": True} if noun.is_owned else {})}
        if kind == PURPOSE:
            facts = {"kind": kind, "deed": True, **({"detail": True} if unseen_of(given, outcome) else {})}
        return facts, {"deed": outcome.deed}
    if outcome.reason == "only_scenery" and (form := _form_of_deed(outcome, noun)):
        return {"kind": form}, {"thing": noun.name}
    if outcome.reason == "only_scenery":
        sort = "" if noun.is_owned else _sort_of(outcome.words, noun.name)
        sort = "consume" if outcome.form == "eat" and not noun.is_owned else sort
        sort = "sip" if sort == "consume" and noun.name.split()[-1].casefold() in _VESSELS else sort
        facts = {"carried" if noun.is_owned else "thing": True, **({"kind": sort} if sort else {})}
        return facts, {"thing": noun.name}
    return ({"detail": True}, {"noun": noun.name}) if outcome.reason == "object_not_found" else None


# After a noun that no other noun follows: no light switch is not no light.
_NO_MORE = r"(?=\W*$|[.,;:!?]| (?:in|on|at|here|there|to|of|and|or|but|left|for|under|by|with|any|that|which)\b)"


def denied_beat(given: NarratorInput, outcome: Outcome) -> Beat | None:
    """Return that a thing is not here, in a sentence that says so itself (`there is no key in it`), for whatever is
    done to it; None where it is shown, and for a look at it."""
    shown = views.shown_in_prose(given, outcome)
    if shown is None or is_of_senses(outcome.form):
        return None
    noun = re.sub(r"^(?:the|an?|your) ", "", shown.name)
    denied = re.compile(rf"\bthere (?:is|are|was|were) no (?:[\w-]+ )?{re.escape(noun)}{_NO_MORE}", re.IGNORECASE)
    if (line := next((line for line in shown.lines if denied.search(line.text)), None)) is None:
        return None
    beat = Beat("outcome", "blocked.object_not_found", {"detail": True}, {"noun": noun})
    return replace(beat, authored=plain(line.text), cites=(line.chunk_id,), keys=(line.key,))


# The kind of what is done to find something out, and of what would have an effect that nothing has.
PURPOSE, TRIED = "purpose", "tried"
_MENDING = frozenset("fix mend repair restore rebuild reattach unblock rewire tame wake cure heal rescue free".split())
_FINDS_OUT = re.compile(
    r" (?:just |only )?(?:so as |in order )?to (?:see|check|find out|feel|hear|test|know|learn|tell|make sure)\b"
)


def _kind_told(outcome: Outcome, noun: SceneryView) -> str:
    """Return the kind by which a deed is told as done, in the player's words; empty where it is not."""
    first, head = outcome.deed.partition(" ")[0], noun.name.split()[-1].casefold()
    form = form_with(outcome.form, head)
    if not first or _is_theft(outcome) or (outcome.form == "eat" and head not in _FOOD):
        return ""
    row = deed_forms().get(outcome.form, DeedForm())
    is_handled = _SORT_OF.get(first) == "handle" and (row.handled or not outcome.form)
    is_other = (row.of_any_word or not outcome.form) and first not in _SORT_OF
    if form not in kinds_of(IN_WORDS) and not is_handled and not is_other:
        return ""
    if _FINDS_OUT.search(outcome.deed):
        return PURPOSE
    if (is_other and row.of_any_word) or (first in _MENDING and not noun.is_owned):
        return TRIED
    return form if form in kinds_of(IN_WORDS) else "work"


def _form_of_deed(outcome: Outcome, noun: SceneryView) -> str:
    """Return the form of a deed on what only the prose shows, where it is told by that; empty where it is not."""
    form, head = outcome.form, noun.name.split()[-1].casefold()
    if form not in kinds_of(SHOWN) or (noun.is_owned and not is_harmless(form)):
        return ""
    if _is_theft(outcome):
        return ""
    is_food = form == "eat" and head in _FOOD
    own_words = deed_forms().get(form, DeedForm()).own_words
    return "" if is_food or _sort_of(outcome.words, noun.name) in own_words else form


# What is tried with something that only the prose shows, by the first word for it: each sort is told in its own words.
_SORTS = {
    "taking": "take grab get pick steal swipe pocket snatch carry collect seize pinch nick keep bring fetch haul "
    "remove",
    "handle": "push pull move nudge turn tilt shake drag shift slide roll spin wind twist straighten adjust sort stack "
    "arrange rearrange lift raise hold put set lay place lean fold tap poke prod rub wipe clean polish brush sweep "
    "stroke tidy pour stir flip press squeeze scratch smooth dust mop fix mend repair fill empty touch feel knock "
    "rattle hang hide bung plonk plop pop chuck stick shove stuff untie tie make brew cook bake boil build count "
    "sharpen tip dip dunk rock steady draw swing dangle trail prop wedge muffle cover drape wrap unfold unroll "
    "blow fan weigh test wet splash rinse drum pile balance hook unhook pin pat plump tug jiggle wiggle bump scoop "
    "toss juggle twirl ladle sprinkle smear peel plug swirl tighten loosen level align center square swap drain spill "
    "support brace thumb finger flick bend bounce cradle cup",
    "consume": "drink eat sip taste bite swallow lick chew nibble gulp finish",
    "sound": "ring chime toll sound blow play beat strum",
    "plunge": "jump dive swim wade bathe plunge leap",
    "wear": "wear don try",
    "climb": "climb scale mount vault scramble crawl",
    "pay": "pay buy purchase order",
    "opening": "open close shut lock unlock unscrew unwrap",
    "light": "light switch extinguish snuff douse relight ignite",
    "hurt": "hit kick punch smash break attack cut burn tear destroy throw shoot stab slash rip crush bash "
    "stamp strike dissolve melt vaporise vaporize evaporate disintegrate demolish wreck dismantle flatten shrink "
    "explode detonate ruin shred saw drill hack blast raze",
}
_SORT_OF = {word: sort for sort, words in _SORTS.items() for word in words.split()}
_TAKINGS = frozenset("take fetch".split())
# What is taken off somebody: `take his hat`.
_OFF_SOMEBODY = re.compile(
    r"(?:take|grab|snatch|pull|seize|pocket)s? (?:off |up |away )?(?:his|her|their|[\w'-]+['’]s) (?!hand|arm|word)",
    re.IGNORECASE,
)


def _is_theft(outcome: Outcome) -> bool:
    deed = outcome.deed or outcome.words
    return deed.partition(" ")[0] in lexicon().thefts or (
        outcome.form in _TAKINGS and _OFF_SOMEBODY.match(deed) is not None
    )


# What holds what is eaten or drunk; and what alone is.
_VESSELS = frozenset("cup mug glass pot jug bottle plate bowl tankard flask".split())
_FOOD = frozenset(
    "coffee tea drink beer wine gin whisky water soup stew bread toast egg eggs dumpling dumplings cake bun buns meat "
    "fish fruit apple apples cheese biscuit biscuits sandwich sandwiches milk juice food supper breakfast meal cup mug "
    "glass pot jug bottle plate rice noodles pie sugar".split()
)


def _sort_of(words: str, thing: str) -> str:
    """Return the sort of an attempt; empty for any other, and for a meal of what is no food."""
    sort = _SORT_OF.get(words.split(" ")[0].casefold(), "")
    return "" if sort == "consume" and thing.split()[-1].casefold() not in _FOOD else sort


# What is looked at where only the prose shows it -> the sentence that tells of it.

HEARD = re.compile(
    r"\b(?:hears?|heard|sounds?|noises?|voices?|hums?|humming|drips?|creaks?|ticks?|whispers?|murmurs?|silence|music|notes?"
    r"|(?:being|is|are) (?:moved|dragged|shifted|put down|set down)"
    r"|knocks?|rattles?|click(?:s|ed)?|quiet(?:ly)?|loud(?:ly)?|sings?|breathing)\b",
    re.IGNORECASE,
)
SMELT = re.compile(r"\b(?:smell(?:s|ed|ing)?|smelt|scents?|stinks?|stench|reeks?|odou?rs?)\b", re.IGNORECASE)
_WRITTEN = re.compile(
    r"[“”]|\b(?:says?|said|reads?|written|writes?|wrote|letters|words?|names?|signs?)\b", re.IGNORECASE
)


def shown_beat(given: NarratorInput, shown: SceneryView, form: str) -> Beat:
    """Return the next sentence that shows a thing, after the last of them the first once more; of its smell, or of the
    words on it, those that tell of that."""
    sensed = {"smell": SMELT, "read": _WRITTEN, "listen": HEARD}.get(form)
    told = (*shown.lines, *given.scene.atmosphere, *given.scene.overview) if form == "listen" else shown.lines
    lines = [line for line in told if sensed is None or sensed.search(plain(line.text))]
    if form == "listen" and not lines:
        return Beat("outcome", "looked.sounds")
    lines = lines or (list(shown.lines) if form == "read" else [])
    sought = sought_in(given, shown.name)
    if sought and not any(tells_of(line, sought) for line in lines):
        return Beat("outcome", "looked.sought", {}, {"thing": shown.name, "sought": sought})
    # What is only one of a list has nothing told of it.
    lines = [line for line in lines if not _is_listed(plain(line.text), shown.name)]
    # What the player's other words are about goes first.
    called = set(map(singular, content_words(shown.name)))
    asked = set(map(singular, content_words(given.player_text))) - called
    words = {line.key: set(map(singular, content_words(plain(line.text)))) for line in lines}
    where = {*given.player_text.casefold().split()} & _PLACED
    there = {line.key for line in lines if where & {*plain(line.text).casefold().split()}}
    lines.sort(
        key=lambda line: (
            line.key not in there,
            # Of a door what the lore says comes before what was told.
            shown.name.endswith(" door") and line.key.startswith(TOLD),
            -len(asked & words[line.key]),
            sensed is not None and not called & words[line.key],
        )
    )
    new = views.unseen(lines, given.recall)
    line = next(iter(new or lines), None)
    # What was told has no chunk to be cited by.
    cites = () if line is None or line.key.startswith(TOLD) else (line.chunk_id,)
    text = "" if line is None else _part_about(plain(line.text), called)
    if new and line is not None:
        return Beat("outcome", authored=text, cites=cites, keys=(line.key,))
    if line is not None:
        return Beat("outcome", "looked.again", authored=text, cites=cites)
    return Beat("outcome", "looked.thing", {"kind": form}, {"thing": shown.name}, authored=text, cites=cites)


# Where one looks, and what lies there is told first.
_PLACED = frozenset("under underneath beneath behind inside".split())
# What a look is for: `check the mat for a key`, and not for how long.
_SOUGHT = re.compile(
    r"\b(?:check|look|search|examine|inspect|feel|scan|comb|study)(?:e?s|ing)?\b[^,.;!?]*? for "
    r"(?!(?:a |the )?(?:long |little |short )?(?:while|moment|minutes?|seconds?|time|long|now|bit|hours?|good|more|fun"
    r"|it|them|him|her|me|help|myself|something|anything|somebody|someone)\b)"
    r"(?P<what>(?:(?:a|an|any|the|some|my|its|another) )?[\w'’-]+"
    r"(?: (?!under|in|on|behind|near|by|inside|at|and|then|to|from)[\w'’-]+){0,3}?)"
    r"(?: (?:under|in|on|behind|near|by|inside|at)\b[^,.;!?]*)?[.!? ]*$",
    re.IGNORECASE,
)


_CLAUSES = re.compile(r"[,;.!?]+\s+(?:(?:and|then)\s+)*|\s+(?:and|then)\s+(?:then\s+)?", re.IGNORECASE)


def sought_in(given: NarratorInput, thing: str) -> str:
    """Return what the player's line looks for at a thing; empty where it says nothing of that."""
    parts = _CLAUSES.split(given.player_text)
    head = singular(thing.casefold().split()[-1]) if thing else ""
    about = (part for part in parts if head in map(singular, re.findall(r"[\w'’-]+", part.casefold())))
    said = next(about, given.player_text if len(parts) == 1 else "")
    found = _SOUGHT.search(said)
    return found["what"].casefold() if found is not None and views.is_plain(found["what"]) else ""


def tells_of(line: LoreLine, sought: str) -> bool:
    """Tell whether a line has a word of what is looked for, or says what a message says."""
    if not _MESSAGES.isdisjoint(sought.split()) and _SPOKEN.search(line.text):
        return True
    words = set(map(singular, content_words(sought)))
    return not words.isdisjoint(map(singular, content_words(plain(line.text))))


_MESSAGES = frozenset("message messages voicemail recording call calls text texts words".split())
_SPOKEN = re.compile(r"\b(?:spoke|speaks|said|says|reads|rang)\b|: |[“”]")


def _is_listed(text: str, name: str) -> bool:
    """Tell whether a thing is only one of a list in a sentence: `So here is the hall: a mat, a hat, a stair`."""
    head = re.escape(name.split()[-1])
    return (
        re.search(rf": (?:[^,;.]+, )*(?:an?|one|the) {head},|, (?:and )?(?:an?|one|the) {head}\b(?=[,.]| and )", text)
        is not None
    )


def _part_about(text: str, called: set[str]) -> str:
    """Return the part of a sentence between semicolons that tells of a thing, where one alone does; else the whole."""
    parts = text.rstrip(".").split("; ")
    about = [part for part in parts if called & set(map(singular, content_words(part)))]
    if len(parts) < 2 or len(about) != 1 or _GOES_BACK.match(about[0]):
        return text
    return f"{about[0][:1].upper()}{about[0][1:]}."


_GOES_BACK = re.compile(r"(?:and|but|or|so|it|they|he|she|this|that|these|those|which|who)\b", re.IGNORECASE)
