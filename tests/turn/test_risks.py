"""What is at risk, what hinders the player and what was assumed of their words stands with the result, and is shown."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App
from lorewright.cli.game.turn_output import show_result
from lorewright.values.records import TurnResult
from lorewright.world.ops import AddCondition, ChangeRelation, Escalate
from support import harbour as h

PLAYER, OSK = "game:player", "harbour:osk"


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


def edit(app: App, *ops: Any) -> None:
    with app.campaigns.open("game") as campaign:
        campaign.edit(ops, action_id="-".join(op.op for op in ops))


def shown(result: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    show_result(TurnResult.model_validate(result))
    return capsys.readouterr().out


def test_who_was_meant_is_said(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    (told,) = h.say(app, "ask Oskk about Lin")
    assert told["assumptions"] == ["Osk is meant"]
    assert "(Osk is meant)" in shown(told, capsys)
    (plain,) = h.say(app, "look")
    assert plain["assumptions"] == plain["risk_flags"] == plain["perception_flags"] == []


def test_violence_and_whom_one_has_against_one_are_risks(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    (told,) = h.say(app, "attack Osk")
    assert "violence" in told["risk_flags"]
    assert "hostile_present" not in told["risk_flags"]
    assert "at risk: violence" in shown(told, capsys)


@pytest.mark.parametrize(
    "op", [Escalate(who=OSK, to=1), ChangeRelation(a=OSK, b=PLAYER, trust=-2)], ids=["escalated", "no trust"]
)
def test_somebody_hostile_is_a_risk_whatever_one_does(app: App, op: Any, capsys: pytest.CaptureFixture[str]) -> None:
    edit(app, op)
    (told,) = h.say(app, "look")
    assert told["risk_flags"] == ["hostile_present"]
    assert "at risk: somebody here is against you" in shown(told, capsys)
    (_, told) = h.say(app, "go door", "look")
    assert told["risk_flags"] == []


def test_a_condition_that_hinders_is_said(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    with app.campaigns.open("game") as campaign:
        conditions = campaign.setting.rules.ruleset.conditions
        name = next(name for name, rule in sorted(conditions.items()) if rule.modifier or rule.forbids)
        campaign.edit([AddCondition(who=PLAYER, condition=name)], action_id="hurt")
        told = json.loads(asyncio.run(campaign.submit("look")))
    assert told["perception_flags"] == [name]
    assert f"hindered: {name.replace('_', ' ')}" in shown(told, capsys)
