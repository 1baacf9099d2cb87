"""Verbs of looking: look, inventory, search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import Field

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_words import Actor, Telling, flags, thing_of
from lorewright.builtin.narrator.authored import is_named_in, plain
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.scenery import is_place_look, is_shelf, lore_beat, said_of
from lorewright.builtin.narrator.views import Beat, Finding
from lorewright.builtin.parser.clauses import listed
from lorewright.rules.actions import Action, Attempt
from lorewright.rules.acts import Answer, first_new, reveal
from lorewright.rules.patch import Outcome, Patch
from lorewright.rules.reach import place_of
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import Sight, Verb
from lorewright.values.records import Evidence, LoreLine, NarratorInput
from lorewright.world.frozen import Frozen
from lorewright.world.ops import RevealItem
from lorewright.world.state import WorldState


def _always(action: Action, state: WorldState) -> None:
    """Return no reason: it can always be done."""


# look: at the place, or at somebody or something.


class LookMetadata(Frozen):
    """What is looked at where it is no known thing; for the narrator only."""

    detail: str = Field(default="", max_length=200)


def _look(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    return Answer("looked")


def _tell_look(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Return the place, or somebody or something that is here, or a detail of the place."""
    if is_place_look(given, outcome):
        return [] if given.scene_changed else [_looked_around(given)]
    if outcome.target_id == given.player_id:
        return [Beat("outcome", "looked.self")]
    view = next((view for view in given.scene.people if view.id == outcome.target_id), None)
    if view is not None:
        return _looked_at_person(given, view.id, view.disposition)
    thing = views.thing(given, outcome.target_id)
    if thing:
        said = said_of(given, outcome.target_id, kind="outcome")
        carried: dict[str, Fact] = {"carried": True} if thing in views.carried(given) else {}
        facts = {"kind": "note"} if is_shelf(given) else carried
        return said or [Beat("outcome", "looked.thing", facts, {"thing": thing})]
    return [_detail_beat(given, outcome.words)]


def _looked_around(given: NarratorInput) -> Beat:
    scene = given.scene
    lines = scene.atmosphere or scene.overview
    facts: dict[str, Fact] = {}
    if not lines:
        facts = {"bare": True}
    elif not views.unseen(lines, given.recall):
        facts = {"seen": True}
    return Beat("outcome", "looked.place", facts, {"place": views.place(given)})


def _looked_at_person(given: NarratorInput, person_id: str, lines: tuple[LoreLine, ...]) -> list[Beat]:
    who = views.person(given, person_id)
    if who is None:
        return [Beat("outcome", "looked.detail")]
    new = views.unseen(lines, given.recall)[:1]
    said = [] if new else said_of(given, person_id, kind="outcome")
    if said:
        return said
    facts: dict[str, Fact] = {} if new else {"seen": True}
    return [Beat("outcome", "looked.person", facts, {"who": who}), *(lore_beat(line) for line in new)]


def _detail_beat(given: NarratorInput, words: str) -> Beat:
    """Return a line of the place about it, if there is one; else that there is nothing to see."""
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
    facts: dict[str, Fact] = {"detail": True} if detail else {}
    return Beat("outcome", "looked.detail", facts, {"detail": detail})


def _tell_look_of_others(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    thing = "" if outcome.target_id == actor.told.scene.place_id else thing_of(actor.told, outcome)
    return [actor.beat("act", "npc.look", flags(thing=thing), to=outcome.target_id, thing=thing)]


LOOK = Verb(
    name="look",
    rank=10,
    summary="look at the place, or at somebody or something",
    condition="what is looked at is here, or carried; without a target it is the place",
    lines={"glance": "look", "view": "look around", "examine": "look at {thing}"},
    metadata=LookMetadata,
    does=_look,
    note="show {target}",
    note_target="the place",
    parts=(
        Telling(codes={"looked": _tell_look}, codes_of_others={"looked": _tell_look_of_others}, watched_as="look"),
        Finding("look"),
    ),
)


# inventory: what is carried.


def _take_stock(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    return Answer("listed")


def _tell_stock(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    names = [name for view in given.carried if (name := views.thing(given, view.id))]
    if not names:
        return [Beat("outcome", "listed.nothing")]
    return [Beat("outcome", "listed", slots={"list": listed(names, limit=12)})]


def _tell_stock_of_others(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    return [actor.beat("act", "npc.listed")]


INVENTORY = Verb(
    name="inventory",
    rank=20,
    summary="go through what is carried",
    condition="it can always be done",
    lines={"belongings": "inventory"},
    tried="go through what they carry",
    requires=_always,
    does=_take_stock,
    note="list what is carried",
    parts=(Telling(codes={"listed": _tell_stock}, codes_of_others={"listed": _tell_stock_of_others}),),
)


# search: a place, for what is hidden there.


class SearchMetadata(Frozen):
    """Where or for what one searches, in the player's words; empty for a search of the whole place."""

    detail: str = Field(default="", max_length=200)


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
    patch.tell("item_found", item=new.id)
    patch.enact(rules.on_find.get(new.id, ()), how="found")
    return Answer("found")


_SEARCHED = Sight("{actor} searched {place}", 2)
_FOUND = Sight("{actor} searched {place} and found something", 3)


def _search_sights(outcome: Outcome, place: str) -> Iterator[tuple[Sight, str]]:
    yield (_FOUND if outcome.code in ("found", "found_before") else _SEARCHED), place


def _tell_search(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    where = views.where(outcome.words)
    if outcome.code == "found":
        return [Beat("outcome", "found.bare")]
    facts: dict[str, Fact] = {"where": True} if where else {}
    return [Beat("outcome", "nothing_found", facts, {"where": where})]


def _tell_search_of_others(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    where = views.where(outcome.words)
    return [actor.beat("act", "npc.search", flags(where=where), where=where)]


SEARCH = Verb(
    name="search",
    rank=200,
    summary="search a place for what is hidden there: the words say where or for what",
    condition="one is there",
    remembered="that the place was searched, and whether something came to light",
    lines={"find": "search the place", "rummage": "search", "look_under": "search under {thing}"},
    grounding="hidden",
    is_told_anyway=True,
    metadata=SearchMetadata,
    requires=_always,
    does=_search,
    sights=_search_sights,
    note="tell what the search brings",
    parts=(
        Telling(
            of_others=_tell_search_of_others,
            codes=dict.fromkeys(("found", "nothing_found"), _tell_search),
            codes_of_others=dict.fromkeys(("found", "found_before", "nothing_found"), _tell_search_of_others),
            watched_as="search",
        ),
        Finding("search", says_where=True),
    ),
)

VERBS = (LOOK, INVENTORY, SEARCH)
