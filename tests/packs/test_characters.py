"""What notes say of how somebody acts: read where it is of its type, else nothing."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.packs.schemas import LONGEST_AGENDA, NpcInitiative, read_npc_initiative


def test_what_is_said_is_read() -> None:
    said = {"baked": True, "chattiness": 1, "agenda": "  Find\n out. ", "pronoun": "she"}
    assert read_npc_initiative(said) == NpcInitiative(baked=True, chattiness=1.0, agenda="Find out.")


@pytest.mark.parametrize(
    "attrs",
    [
        {},
        {"baked": None, "chattiness": None, "agenda": None},
        {"baked": 1},
        {"chattiness": True},
        {"chattiness": "0.5"},
        {"chattiness": -0.1},
        {"chattiness": float("nan")},
        {"chattiness": float("inf")},
        {"agenda": {"when": "now"}},
        {"agenda": "x" * (LONGEST_AGENDA + 1)},
    ],
)
def test_what_is_not_of_its_type_says_nothing(attrs: dict[str, Any]) -> None:
    assert read_npc_initiative(attrs) == NpcInitiative()
