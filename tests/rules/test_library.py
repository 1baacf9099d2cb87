"""The rulesets that ship: each fits the model, its dice can be thrown, its bands can be reached."""

from __future__ import annotations

from pathlib import Path

import pytest

import lorewright.rules
from lorewright.campaigns.scenarios.rulesets import load_ruleset
from lorewright.rules.actions import Attempt
from lorewright.rules.dice import band_of, parse_dice
from lorewright.rules.rulesets import Ruleset
from lorewright.rules.validate import costs_of
from lorewright.rules.verbs import verbs
from lorewright.world.state import Clock
from support import small_world as w

FILES = sorted((Path(lorewright.rules.__file__).parent / "library").glob("*.yaml"))


def read(file: Path) -> Ruleset:
    return load_ruleset(file.stem)[0]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_ruleset_that_ships_is_complete(file: Path) -> None:
    ruleset = read(file)
    minimums = [band.minimum for band in ruleset.bands]
    assert ruleset.id == file.stem
    assert parse_dice(ruleset.dice)
    assert minimums == sorted(minimums, reverse=True)
    assert ruleset.summary
    assert ruleset.rulebook_text
    assert all(action.summary for action in ruleset.actions.values())


def test_freeform_has_every_action_and_the_four_bands() -> None:
    freeform = read(next(file for file in FILES if file.stem == "freeform"))
    assert freeform.actions.keys() == {name for name, verb in verbs().items() if not verb.like}
    assert set(freeform.kinds()) == verbs().keys()
    minutes = {kind: action.minutes for kind, action in freeform.actions.items()}
    assert {kind: minutes[kind] for kind in ("look", "go", "ask", "take", "search", "wait")} == {
        "look": 0,
        "go": 0,
        "ask": 2,
        "take": 1,
        "search": 10,
        "wait": 15,
    }
    checked = {kind for kind, action in freeform.actions.items() if action.check is not None}
    assert checked == {"persuade", "threaten", "attack", "sneak", "attempt"}
    assert [band_of(total, freeform) for total in (12, 11, 9, 6)] == ["critical", "success", "mixed", "fail"]


@pytest.mark.parametrize(
    ("attempt", "costs"),
    [
        (w.attempt("attack", w.VIKTOR), {"heat": 1, "harm": 1, "rep": 1}),
        (w.attempt("threaten", w.VIKTOR), {"heat": 1}),
        (w.attempt("attempt", w.VIKTOR, verb="pickpocket", trait="hands"), {"heat": 1, "rep": 1}),
        (w.attempt("attempt", w.VIKTOR, verb="tickle"), {}),
    ],
)
@pytest.mark.parametrize("total", [4, 11])
def test_in_freeform_violence_threats_and_theft_cost_what_a_scenario_counts(
    attempt: Attempt, costs: dict[str, int], total: int
) -> None:
    ruleset = load_ruleset("freeform")[0]
    found = costs_of(attempt.action, w.small_world(), ruleset)
    assert {key: cost for key, cost in found.items() if cost and key != "time"} == costs
    rep = w.small_world(clocks={"rep": Clock(id="rep", name="Name", max=9)})
    told = w.play(attempt, state=rep, rules=w.campaign_rules(ruleset=ruleset), dice=w.SteadyDice(total))
    assert w.after(rep, *told.ops).clocks["rep"].value == costs.get("rep", 0)
    quiet = w.small_world(clocks={})
    bare = w.play(attempt, state=quiet, rules=w.campaign_rules(ruleset=ruleset), dice=w.SteadyDice(total))
    assert w.after(quiet, *bare.ops).clocks == {}
