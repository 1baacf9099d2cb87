"""Any verb with anything, in any state: nothing breaks, nothing half happens, and what is offered works."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.turn.store.turn_store import undo
from lorewright.turn.views.scope import scope_of
from lorewright.values.records import TurnResult
from lorewright.world.state import WorldState
from support import harbour as h
from support.scale import scaled
from support.scripted_player import plays

VERBS = (
    "look at {}", "x {}", "search {}", "look under {}", "take {}", "drop {}", "give {} to {}", "show {} to {}", "use {}",
    "use {} on {}", "open {}", "close {}", "unlock {}", "lock {}", "unlock {} with {}", "go {}", "go to {}", "follow {}",
    "ask {} about {}", "ask about {}", "tell {} about {}", "tell {} that {} is here", "talk to {}", "persuade {}",
    "persuade {} to {}", "threaten {} with {}", "lie to {}", "bribe {} with {}", "promise {} that I will {}",
    "what did {} promise me", "hide behind {}", "sneak past {}", "attack {}", "hit {} with {}", "steal {} from {}",
    "break {}", "climb {}", "read {}", "wait for {}", "throw {} at {}", "{}", "what about {}", "where is {}", "wait", "l",
    "i", "g", "it", "kill {} and take {} then go {}",
)  # fmt: skip
ODD = ("me", "it", "him", "everyone", "nothing", "the moon", "3", "here", "all", "\u202eevil", "'; --", "{name}", "🙂")


def _names(state: WorldState, chance: random.Random) -> list[str]:
    scope = scope_of(state)
    near = [one.name for one in (*scope.people, *scope.here, *scope.carried, *scope.doors)]
    near += [name for way in scope.exits for name in (way.name, way.to_name)]
    far = [entity.name for _, entity in sorted(state.entities.items())]
    return [chance.choice(near if near and chance.random() < 0.7 else [*far, *ODD]) for _ in range(3)]


def _told(campaign: OpenCampaign, line: str) -> TurnResult:
    return TurnResult.model_validate_json(asyncio.run(campaign.submit(line)))


# A hundred and twenty lines are typed in each world with CAMPAIGN_SCALE=4.
@pytest.mark.parametrize(
    ("world", "lines"),
    [
        ("harbour", 5),
        *(
            pytest.param(world, scaled(30), marks=pytest.mark.campaign)
            for world in ("dead_drop_1", "own_pack", "harbour")
        ),
    ],
)
def test_any_verb_with_anything_is_answered_and_what_is_offered_works(tmp_path: Path, world: str, lines: int) -> None:
    begins = {one.name: one.begin for one in plays(0)}
    app, campaign_id = begins[world](tmp_path)[:2] if world in begins else (h.harbour(tmp_path), "game")
    chance = random.Random(world)
    offered: tuple[str, ...] = ()
    is_question = False
    with app.campaigns.open(campaign_id) as campaign:
        for _ in range(lines):
            state = campaign.store.head().state
            if state.ended is not None:
                undo(campaign.store, turns=min(8, campaign.store.head().turn_no))
                offered, is_question = campaign.store.head().options, False
                continue
            takes_offer = bool(offered) and chance.random() < 0.25
            number = chance.randrange(len(offered)) if takes_offer else 0
            words = chance.choice(VERBS).format(*_names(state, chance))
            line = chance.choice((offered[number], str(number + 1))) if takes_offer else words
            result = _told(campaign, line)
            judged = result.validation.results
            assert (result.clarification_question or result.final_text).strip(), line
            assert all(one.success or (one.reason and one.message) for one in judged), line
            after = campaign.store.head().state
            if result.clarification_question is not None:
                assert after == state, line
                assert not takes_offer, f"{line!r} of {offered} is asked back: {result.clarification_question}"
            elif judged and not any(one.success for one in judged):
                assert after.truth_hash() == state.truth_hash(), line
            if takes_offer and not is_question:
                assert all(one.success for one in judged), f"{line!r} of {offered} does not work: {judged}"
            offered, is_question = result.suggested_actions, result.clarification_question is not None
