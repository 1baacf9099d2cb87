"""Verbs of looking: look, search."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from lorewright.builtin.narrator import hearing, views
from lorewright.builtin.narrator.act_words import Actor, Telling, flags, thing_of
from lorewright.builtin.narrator.authored import is_named_in, plain
from lorewright.builtin.narrator.forms import kinds_of
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.prose_deeds import shown_beat, sought_in
from lorewright.builtin.narrator.scenery import is_place_look, lore_beat, passed_by, people, said_of, unheard
from lorewright.builtin.narrator.views import Beat, FindingWords, shown_in_prose
from lorewright.builtin.parser.lines.names_meant import seen_through, told_of_inside
from lorewright.builtin.parser.pieces import (
    each,
    each_place,
    find_anything,
    is_place,
    owner_of_face,
    pronoun,
    seen_off,
    shown_part,
)
from lorewright.builtin.parser.readings import (
    LEADS,
    MAX_WORDS,
    ParseContext,
    Reading,
    acting,
    nothing_called,
    noun_part,
    read_way,
    shown,
    which,
)
from lorewright.builtin.parser.ways import by_sense, is_on_player
from lorewright.builtin.words.clauses import (
    Phrasing,
    Syntax,
    Word,
    bare,
    lexicon,
    longest_prefix,
    lows,
    trimmed,
    typed,
    with_article,
    words_of,
)
from lorewright.builtin.words.noun_phrases import PhraseMatch, ProseNoun, Tie, exact, in_prose, is_found_here, resolve
from lorewright.rules.actions import Action, Attempt
from lorewright.rules.acts import Answer, first_new, reveal
from lorewright.rules.patch import Outcome, Patch, ReasonCode
from lorewright.rules.reach import place_of
from lorewright.rules.reasons import why_not_reach
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import DetailMetadata, RuleNames, Sight, Verb
from lorewright.scene_lore.nouns import singular
from lorewright.values.records import Evidence, LoreLine, NarratorInput
from lorewright.world.events import ItemFound
from lorewright.world.ops import RevealItem
from lorewright.world.state import WorldState


def _always(action: Action, state: WorldState) -> None:
    """Return no reason: it can always be done."""


# look: at the place, or at somebody or something.


class LookMetadata(DetailMetadata):
    """What is looked at where it is no known thing."""


def _why_not_look(action: Action, state: WorldState) -> ReasonCode | None:
    return "object_not_found" if action.metadata.get("detail_is") == "absent" else why_not_reach(action, state)


def _look(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    return Answer("looked")


def _tell_look(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Return the place, or somebody or something that is here, or a detail of the place."""
    if sensed := hearing.sensed_beats(given, outcome):
        return sensed
    if is_place_look(given, outcome):
        return passed_by(given, outcome) if given.scene_changed else [_looked_around(given)]
    if outcome.words == hearing.EVERYBODY:
        looked = passed_by(given, outcome) or [Beat("outcome", "looked.company")]
        # Where one came to another place, it is told who is there.
        return [*looked, *([] if given.scene_changed else people(given))]
    if where := hearing.where_through(outcome.words):
        if (part := shown_in_prose(given, outcome)) is not None:
            return [shown_beat(given, part, outcome.form)]
        return [Beat("outcome", "looked.through", {}, {"where": where})]
    if outcome.target_id == given.player_id:
        return [Beat("outcome", "looked.self")]
    view = next((view for view in given.scene.people if view.id == outcome.target_id), None)
    if view is not None:
        return _looked_at_person(given, view.id, view.disposition)
    thing = views.thing(given, outcome.target_id)
    if thing and outcome.words != hearing.SOUNDS:
        return hearing.thing_beats(given, outcome)
    shown = None if thing else shown_in_prose(given, outcome)
    if shown is None and outcome.words == hearing.SOUNDS:
        return [hearing.heard_beat(given, outcome)]
    return [_detail_beat(given, outcome) if shown is None else shown_beat(given, shown, outcome.form)]


def _looked_around(given: NarratorInput) -> Beat:
    scene = given.scene
    lines = scene.atmosphere or scene.overview
    facts: dict[str, Fact] = {"seen": True} if lines and not views.unseen(lines, given.recall) else {}
    facts |= {} if lines else {"bare": True}
    return Beat("outcome", "looked.place", facts, {"place": views.place(given)})


def _looked_at_person(given: NarratorInput, person_id: str, lines: tuple[LoreLine, ...]) -> list[Beat]:
    who = views.person(given, person_id)
    if who is None:
        return [Beat("outcome", "looked.detail")]
    new = views.unseen(lines, given.recall)[:1]
    if not new and (said := said_of(given, person_id, kind="outcome")):
        return said
    facts: dict[str, Fact] = {} if new else {"seen": True}
    return [Beat("outcome", "looked.person", facts, {"who": who}), *(lore_beat(line) for line in new)]


def _detail_beat(given: NarratorInput, outcome: Outcome) -> Beat:
    """Return a line of the place about it, if there is one; else that there is nothing to see."""
    words, form = outcome.words, outcome.form
    if words == "inventory":
        return Beat("outcome", "looked.inventory")
    noun = words.split()[-1:]
    lines = [line for line in (*given.scene.atmosphere, *given.scene.overview) if is_named_in(noun, plain(line.text))]
    if lines:
        new = views.unseen(lines, given.recall)
        if new:
            return Beat("outcome", authored=plain(new[0].text), cites=(new[0].chunk_id,), keys=(new[0].key,))
        # It was asked for, and is told again whole.
        return Beat("outcome", "looked.again", authored=plain(lines[0].text), cites=(lines[0].chunk_id,))
    detail = views.detail(words)
    if detail and form in kinds_of("looked.thing"):
        return Beat("outcome", "looked.thing", {"kind": form}, {"thing": detail})
    facts: dict[str, Fact] = {"detail": True} if detail else {}
    return Beat("outcome", "looked.detail", facts, {"detail": detail})


def _tell_look_of_others(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    thing = "" if outcome.target_id == actor.told.scene.place_id else thing_of(actor.told, outcome)
    return [actor.beat("act", "npc.look", flags(thing=thing), to=outcome.target_id, thing=thing)]


def _read_look(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a look at the place, or at what follows."""
    return _read_examine(ctx, words, rest) if rest else acting(ctx, LOOK.name, "look around")


def _read_watch(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a look around, which shows how things stand; None for what names somebody or something that is here."""
    nouns = ctx.nouns
    named = any(exact(word.low, (*nouns.people, *nouns.things, *nouns.doors)) for word in rest if word.kind == "word")
    return None if named else acting(ctx, LOOK.name, "look around", confidence=0.85)


def _read_bring_out(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a look at what is carried, or at what the prose calls the player's: it is on them already."""
    phrase = bare(rest)
    carried = resolve(phrase, ctx.nouns.carried) if phrase else None
    if isinstance(carried, PhraseMatch) and not carried.mended:
        return _read_examine(ctx, words, rest)
    noun = in_prose(phrase, ctx.nouns) if phrase else None
    return _read_look_at_prose(ctx, phrase, noun) if noun is not None and noun.standing == "shown" else None


def _read_examine(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a look at a person, a thing, a door, a way out, the place; else at some detail of it."""
    if words.lower().startswith("listen") and rest and rest[0].kind == "comma":
        # Somebody is told to listen.
        return None
    if exact(bare(rest), ctx.nouns.everything()) is None:
        rest = trimmed(rest, start=tuple(LEADS), end=_WHERE)
    phrase = bare(rest)
    first = words.lower().split()[0].strip(".,!…")
    is_listening = first == "listen" and not words.lower().endswith(_ALOUD)
    counted = {"form": first} if first == hearing.COUNTED else {}
    heard = {"detail": hearing.SOUNDS} if is_listening else counted
    if not phrase:
        return acting(ctx, LOOK.name, "look around", metadata=heard, confidence=0.85)
    if "out" in lows(words_of(words))[1:3] and (pane := seen_through(ctx, phrase)):
        return _read_detail(ctx, f"{hearing.THROUGH}{with_article(pane)}", 0.85)
    if phrase.lower() in lexicon().self_words:
        me = ctx.nouns.player
        return acting(ctx, LOOK.name, "look at yourself", target=PhraseMatch(me, me.name, 1.0))
    if phrase.split()[0].lower() in ("anyone", "anybody", "someone", "somebody", "anything", "whoever"):
        return acting(ctx, LOOK.name, "look around", confidence=0.85)
    if phrase.lower() in (hearing.EVERYBODY, "everyone"):
        return acting(ctx, LOOK.name, "look who is here", metadata={"detail": hearing.EVERYBODY})
    if is_place(ctx, phrase):
        return acting(ctx, LOOK.name, "listen" if is_listening else "look around", metadata=heard)
    face = owner_of_face(ctx, rest)
    if face is not None:
        return acting(ctx, LOOK.name, f"look at {face.label}", target=face, confidence=0.85)
    found = each(ctx, words, rest, _read_examine) or pronoun(ctx, phrase) or find_anything(ctx, phrase)
    match found:
        case Reading():
            return found
        case Tie() if phrase != singular(phrase):
            # All of them are to be seen from where one stands.
            return acting(ctx, LOOK.name, "look around", confidence=0.85)
        case Tie():
            return which(words, found, "look at {}")
        case PhraseMatch() if (seen := seen_off(ctx, found.candidate)) is not None:
            return _read_look_at_prose(ctx, phrase, seen[0])
        case PhraseMatch() if found.candidate.kind not in ("exit", "place"):
            heard = heard if found.candidate.kind != "person" else {}
            return acting(ctx, LOOK.name, f"look at {shown(found)}", target=found, metadata=heard)
        case PhraseMatch():
            return _read_detail(ctx, found.label, found.confidence)
        case None:
            noun = in_prose(phrase, ctx.nouns)
            if noun is not None and noun.standing != "ambient":
                return _read_look_at_prose(ctx, phrase, noun)
            if noun is not None and ("'s" in phrase or is_found_here(noun.name.split()[-1], ctx.nouns)):
                return _read_detail(ctx, phrase, 0.7)
            if any(word.low.endswith("'s") and resolve(word.low[:-2], ctx.nouns.people) for word in rest):
                return nothing_called(ctx, words, phrase)
            if words.lower().split()[0] in _HEARING and not words.lower().endswith(_ALOUD):
                return acting(ctx, LOOK.name, "look around", metadata=heard, confidence=0.7)
            part = shown_part(ctx, phrase)
            return _read_detail(ctx, phrase, 0.7) if part is None else _read_look_at_prose(ctx, *part)


# What is heard and smelt is what the place has.
_HEARING, _ALOUD = ("listen", "smell", "sniff"), ("breathing", "breath", "voice", "voices")


# Where something is that one looks at, after its name.
_WHERE = ("outside", "inside", "there", "here", "nearby", "closely", "again", "over", "around", "about", "up")


def _read_look_at_prose(ctx: ParseContext, phrase: str, noun: ProseNoun) -> Reading:
    """Read a look at what the prose shows, or at what is not here, which the rules refuse."""
    is_shown = noun.standing == "shown"
    detail = {"detail": noun.name[:MAX_WORDS], "detail_is": "scenery" if is_shown else "absent"}
    return acting(ctx, LOOK.name, f"look at {phrase}", metadata=detail, confidence=0.85 if is_shown else 0.6)


def _read_detail(ctx: ParseContext, detail: str, confidence: float) -> Reading:
    detail = detail[:MAX_WORDS]
    return acting(ctx, LOOK.name, f"look at {detail}", metadata={"detail": detail}, confidence=confidence)


LOOK = Verb(
    name="look",
    rank=10,
    summary="look at the place, or at somebody or something",
    condition="what is looked at is here, or carried; without a target it is the place",
    lines={"glance": "look", "view": "look around", "examine": "look at {thing}"},
    rule_lines=lambda names: (f"look at {names.aim}" if names.target else "look",),
    reaches_item=True,
    metadata=LookMetadata,
    requires=_why_not_look,
    does=_look,
    note="show {target}",
    note_target="the place",
    parts=(
        Phrasing(
            10,
            "look, l, look around, look about, look round, glance around, peer around, explore, survey, scan, look "
            "again, where am i, what is here, what's here, whats here, who is here, who's here, whos here, who is "
            "around, is anyone else here, is anybody else here, is there anyone else here, is there anybody else here, "
            "anyone else here, anybody else here, any1 else here, what's in here, whats in here, what is in here, "
            "what do i see, what can i see, take a look around, have a look around, take a look, have a look",
            _read_look,
        ),
        Phrasing(
            15,
            "make sure, make sure that, check that, check if, check whether, see if, see whether, see who, see what, "
            "check nobody, check no one, keep an eye out, keep watch, keep a lookout",
            _read_watch,
        ),
        Phrasing(
            18,
            "take out, bring out, get out, pull out, dig out, whip out, produce, fish out, unpack, draw out",
            _read_bring_out,
        ),
        Phrasing(
            20,
            "look at, x, examine, inspect, study, watch, observe, regard, view, see, read, eye, describe, stare at, "
            "gaze at, glance at, peer at, peek at, look towards, look toward, look out, look up, look down, look "
            "to, look over, look upon, listen at, glance over, take a look at, have a look at, get a look at, take "
            "a closer look at, look closely at, glance out, glance up, glance down, glance back, peer out, gaze out, "
            "stare out, look across, look back, look straight at, look straight into, look deep into, look past, "
            "check out, check on, count, have a good look at, take a good look at, have a proper look at, have another "
            "look at, take another look at, take a long look at, go and see, go see, go and look at, go look at, go "
            "check on, go and check on, go have a look at, listen to, "
            "listen, smell, sniff",
            by_sense(_read_examine),
        ),
        Syntax(listed=1),
        Telling(codes={"looked": _tell_look}, codes_of_others={"looked": _tell_look_of_others}, watched_as="look"),
        FindingWords("look"),
    ),
)


# search: a place, for what is hidden there.


class SearchMetadata(DetailMetadata):
    """Where or for what one searches, in the player's words; empty for a search of the whole place."""


def _why_not_search(attempt: Attempt, state: WorldState) -> ReasonCode | None:
    """Return why nothing can be searched that is not here, unless the words find something."""
    is_absent = attempt.action.metadata.get("detail_is") == "absent"
    return "object_not_found" if is_absent and not attempt.grounding.items else None


def _search(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    """Find one item: the best-ranked that is still new.

    What one of the cast finds is known to them alone, and stays there for the player to find.
    """
    action, here = attempt.action, place_of(attempt.action, patch.state)
    matched = [item for item in attempt.grounding.items if item.holder_id == here and item.role == "discoverable"]
    if not matched:
        return Answer("nothing_found")
    new = first_new(matched, action.actor_id, patch.state)
    if action.actor_id != patch.state.player_id:
        if new is not None:
            patch.do(RevealItem(item_id=new.id, to=action.actor_id, how="found"))
        return Answer("acted")
    if new is None:
        return Answer("found_before", known_item_ids=(matched[0].id,))
    reveal(patch, new.id, action, how="found", others="witnessed")
    patch.tell(ItemFound(item=new.id))
    patch.enact(rules.on_find.get(new.id, ()), how="found")
    return Answer("found")


_SEARCHED = Sight("{actor} searched {place}", 2)
_FOUND = Sight("{actor} searched {place} and found something", 3)


def _search_sights(outcome: Outcome, place: str) -> Iterator[tuple[Sight, str]]:
    yield (_FOUND if outcome.code in ("found", "found_before") else _SEARCHED), place


def _tell_search(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    if outcome.code == "found":
        return [Beat("outcome", "found.bare")]
    where = views.where(outcome.words)
    if (part := shown_in_prose(given, outcome)) and unheard(part.lines, given.recall):
        return [shown_beat(given, part, outcome.form)]
    if (thing := views.thing(given, outcome.target_id)) and outcome.form in kinds_of("nothing_found"):
        return [Beat("outcome", "nothing_found", {"kind": outcome.form}, {"thing": thing, "where": where})]
    detail = "" if where else views.detail(outcome.words)
    if detail and (sought := sought_in(given, detail)) and sought.split()[-1] not in detail:
        return [Beat("outcome", "looked.sought", {}, {"thing": detail, "sought": sought})]
    facts: dict[str, Fact] = {"where": True} if where else {"detail": True} if detail else {}
    facts |= {"kind": outcome.form} if detail and outcome.form in kinds_of("nothing_found") else {}
    return [Beat("outcome", "nothing_found", facts, {"where": where, "detail": detail})]


def _tell_search_of_others(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    where = views.where(outcome.words)
    return [actor.beat("act", "npc.search", flags(where=where), where=where)]


def _read_look_in(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `under the bar` as a search there."""
    preposition = longest_prefix(lows(rest), lexicon().inside)
    if not preposition or not bare(rest[len(preposition) :]):
        return None
    if (several := each_place(ctx, words, rest, _read_look_in)) is not None:
        return several
    behind = lows(rest[len(preposition) :])
    if (told := told_of_inside(ctx, " ".join(preposition), bare(rest[len(preposition) :]))) is not None:
        return _read_look_at_prose(ctx, typed(rest), told)
    if behind[0] in lexicon().self_words and behind[1:2] in ([], ["to"], ["for"], ["in"], ["again"]):
        return acting(ctx, LOOK.name, words[:MAX_WORDS])
    where = re.sub(r"^into ", "in ", typed(rest), flags=re.IGNORECASE)
    return _read_searched(ctx, where, bare(rest[len(preposition) :]))


def _read_search(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a search of the whole place, of a part of it, or for something: that may be somewhere, seen or not."""
    detail = bare(rest)
    verb = words.lower().split()[: max(len(words.split()) - len(rest), 0)]
    return _read_searched(ctx, detail, detail, is_sought=not _SOUGHT.isdisjoint(verb))


_ANYWHERE = frozenset("every each all everywhere something anything".split())
# Words of verbs whose object is what one hopes to find.
_SOUGHT = frozenset("for find seek".split())


def _read_searched(ctx: ParseContext, detail: str, noun: str, *, is_sought: bool = False) -> Reading:
    if not detail or noun.partition(" ")[0].lower() in _ANYWHERE:
        return acting(ctx, SEARCH.name, "search the place")
    elsewhere = exact(noun, ctx.nouns.known_people) if is_sought else None
    if elsewhere is not None:
        return acting(ctx, LOOK.name, f"look for {elsewhere.label}", target=elsewhere)
    if detail.startswith(hearing.THROUGH) and seen_through(ctx, noun.partition(" of ")[0]):
        return _read_detail(ctx, detail, 0.85)
    if ctx.prose_noun and noun.lower() in ("it", "them"):
        detail, noun = detail[: -len(noun)] + ctx.prose_noun, ctx.prose_noun
    metadata, nouns = {"detail": detail[:MAX_WORDS]}, ctx.nouns
    if isinstance(named := pronoun(ctx, noun, "search {}"), Reading):
        return named
    found = named or resolve(noun, nouns.people + nouns.things + nouns.doors)
    if not isinstance(found, PhraseMatch) or (found.mended and not named):
        known = None if is_sought or found else in_prose(noun, nouns)
        if known is not None and known.standing == "absent":
            absent = {"detail": known.name[:MAX_WORDS], "detail_is": "absent"}
            return acting(ctx, SEARCH.name, f"search {detail}", metadata=absent, confidence=0.7)
        return acting(ctx, SEARCH.name, f"search {detail}", metadata=metadata, confidence=0.9)
    return acting(ctx, SEARCH.name, f"search {detail}", target=found, metadata=metadata)


def _read_check(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a look at what is known to be here, or a search of everything else."""
    phrase = bare(rest)
    named = noun_part(phrase)
    noun = in_prose(named, ctx.nouns) if phrase else None
    if noun is not None and exact(named, ctx.nouns.doors) and " " in named and " " not in noun.name:
        # The front door is not told of as any door is.
        noun = None
    if noun is not None and noun.standing == "shown" and (named != phrase or is_on_player(ctx, noun)):
        return _read_look_at_prose(ctx, named, noun)
    rest = words_of(named) if exact(named, ctx.nouns.doors) else rest
    if phrase and not find_anything(ctx, phrase) and exact(phrase, ctx.nouns.known_places):
        return read_way(ctx, words, rest)
    if not phrase or is_place(ctx, phrase) or pronoun(ctx, phrase) or find_anything(ctx, phrase):
        return _read_examine(ctx, words, rest)
    return replace(_read_searched(ctx, phrase, phrase), confidence=0.8)


def _search_rule_lines(names: RuleNames) -> Iterator[str]:
    yield from names.finds
    yield from (f"search {topic}" for topic in names.topics if names.word)
    yield "search"


SEARCH = Verb(
    name="search",
    rank=200,
    summary="search a place for what is hidden there: the words say where or for what",
    condition="one is there",
    remembered="that the place was searched, and whether something came to light",
    lines={
        "find": "search the place",
        "rummage": "search",
        "look_under": "search under {thing}",
        "search_at": "search {thing}",
    },
    rule_lines=_search_rule_lines,
    grounding="hidden",
    is_told_anyway=True,
    metadata=SearchMetadata,
    requires=_always,
    grounded=_why_not_search,
    does=_search,
    sights=_search_sights,
    note="tell what the search brings",
    parts=(
        Phrasing(
            0,
            "look, peek, peer, check, glance, feel, dig, rummage, search, poke, rifle, root, rake, comb, hunt",
            _read_look_in,
        ),
        Phrasing(
            370,
            "search, search for, rummage, look for, hunt for, hunt, comb, scour, ransack, frisk, find, seek, seek "
            "out, feel for, check for, go through the contents of, fish for, fish around, fish about, feel around, "
            "poke about, poke around, rummage about, rummage around, root around, dig around, have a rummage, go "
            "through, reach into, delve into, turn over, scavenge, probe, pat down, dig for, try to find",
            _read_search,
        ),
        Phrasing(380, "check, investigate", _read_check),
        Syntax(listed=4),
        Telling(
            of_others=_tell_search_of_others,
            codes=dict.fromkeys(("found", "nothing_found"), _tell_search),
            codes_of_others=dict.fromkeys(("found", "found_before", "nothing_found"), _tell_search_of_others),
            watched_as="search",
        ),
        FindingWords("search", says_where=True),
    ),
)

VERBS = (LOOK, SEARCH)
