"""The rulesets that ship: each fits the model, its dice can be thrown, its bands can be reached."""

from __future__ import annotations

from pathlib import Path

import pytest

import lorewright.rules
from lorewright.campaigns.scenarios.rulesets import load_ruleset
from lorewright.rules.dice import band_of, parse_dice
from lorewright.rules.rulesets import Ruleset
from lorewright.rules.verbs import verbs

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
