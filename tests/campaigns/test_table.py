"""What lies on the table, where a ruleset says how it is shown."""

from __future__ import annotations

from typing import Any

from lorewright.campaigns.viewers import rows_of
from lorewright.world.ruleset_state import RulesetState
from support import small_world as w

SCENE = {"score": 3, "board": {"a": "cross", "b": "empty"}}


def rows(table: Any, *, scene: dict[str, Any] | None = None) -> tuple[str, ...]:
    ruleset = w.ruleset().model_copy(update={"mechanics_guidance": {"table": table}})
    schema = {"type": "object"}
    held = RulesetState(stat_schema={}, scene_schema=schema, stats={}, scene=scene or SCENE)
    return rows_of(ruleset, w.small_world(ruleset=held))


def test_rows_hold_values_of_the_scene_or_what_stands_for_them() -> None:
    table = {"rows": ["{board.a} {board.b}", "score: {score}"], "marks": {"cross": "x", "empty": "·"}}
    assert rows(table) == ("x ·", "score: 3")


def test_what_is_not_there_is_a_question_mark() -> None:
    assert rows({"rows": ["{board.c}{nothing}"]}) == ("??",)


def test_a_ruleset_without_a_table_shows_none() -> None:
    assert rows_of(w.ruleset(), w.small_world()) == ()
    assert rows("no table") == ()
    assert rows({}) == ()
