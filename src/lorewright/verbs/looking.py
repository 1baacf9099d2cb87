"""Verbs of looking: look, inventory, search."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from lorewright.rules.actions import Action, Attempt
from lorewright.rules.acts import Answer, first_new, reveal
from lorewright.rules.patch import Outcome, Patch
from lorewright.rules.reach import place_of
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import Sight, Verb
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
)


# inventory: what is carried.


def _take_stock(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    return Answer("listed")


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


SEARCH = Verb(
    name="search",
    rank=200,
    summary="search a place for what is hidden there: the words say where or for what",
    condition="one is there",
    remembered="that the place was searched, and whether something came to light",
    lines={"find": "search the place", "rummage": "search", "look_under": "search under {thing}"},
    grounding="hidden",
    metadata=SearchMetadata,
    requires=_always,
    does=_search,
    sights=_search_sights,
    note="tell what the search brings",
)

VERBS = (LOOK, INVENTORY, SEARCH)
