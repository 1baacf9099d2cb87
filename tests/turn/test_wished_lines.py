"""What a planner would suggest chooses among the lines that code makes, and no word of it is offered."""

from __future__ import annotations

import pytest

from lorewright.rules.rulesets import CampaignRules
from lorewright.scene_lore.models import NPCBriefing, SceneItem, SceneLore
from lorewright.turn.run.dry_run import DryRun
from lorewright.turn.run.suggestions import suggest
from lorewright.turn.views.acquaintance import Acquaintance
from support import small_world as w

TOLD = "A boat left the pier. There was a ledger."
KNOWS = tuple(
    SceneItem(id=f"town:viktor:knows#{name}", chunk_id="town:viktor:knows", name=name, text=text, topics=(name,))
    for name, text in (("pier", "Her last run went to the pier."), ("ledger", "The ledger is at the clinic."))
)


def offered(*wished: str) -> tuple[str, ...]:
    state = w.small_world(positions={w.JO: w.BAR, w.VIKTOR: w.BAR}, inventory={w.JO: {}}, exits={})
    lore = SceneLore(scene_id="scene_001", location_id=w.BAR, briefings=(NPCBriefing(npc_id=w.VIKTOR, knows=KNOWS),))
    run = DryRun(CampaignRules(ruleset=w.ruleset()), (), lore=lambda _: lore)
    return suggest(run, Acquaintance(state, ()), (TOLD,), (), wished)


def test_a_line_of_code_that_does_what_a_plan_suggests_goes_first() -> None:
    first, second = "ask Viktor about the pier", "ask Viktor about the ledger"
    assert offered()[0] == first
    assert offered("ask viktor about ledger")[0] == second
    assert offered(first)[0] == first


@pytest.mark.parametrize(
    "wished",
    [
        "ask Viktor why he drowned Agent Chen in the cistern",
        "search the hidden drawer behind the third cask",
        "go to the cellar that nobody has told you of",
        "x" * 5_000,
        "",
    ],
)
def test_no_word_of_a_plan_is_offered_that_code_would_not_offer(wished: str) -> None:
    assert offered(wished) == offered()
