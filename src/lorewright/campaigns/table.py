"""A campaign -> what lies on the table, row by row, where its ruleset says how it is shown (a board, a score)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.rules.rulesets import Ruleset
from lorewright.world.state import WorldState

_PATH = re.compile(r"\{([a-z0-9_.]+)\}")


def table_of(campaign: OpenCampaign) -> tuple[str, ...]:
    """The rows as they stand now; none where the ruleset shows no table."""
    return rows_of(campaign.setting.rules.ruleset, campaign.store.head().state)


def rows_of(ruleset: Ruleset, state: WorldState) -> tuple[str, ...]:
    """`mechanics_guidance.table` with the values of the scene in it: in `rows`, `{board.centre}` is a path of the
    scene, and `marks` says what stands for a value. What is not there is a question mark."""
    table = ruleset.mechanics_guidance.get("table")
    if not isinstance(table, Mapping) or state.ruleset is None:
        return ()
    held, marks = state.ruleset, table.get("marks", {})

    def shown(match: re.Match[str]) -> str:
        value = held.value(match[1])
        return str(marks.get(value, "?" if value is None else value))

    return tuple(_PATH.sub(shown, str(row)) for row in table.get("rows", ()))
