"""The harbour with two whom the player may play, and a cast that acts of its own accord."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lorewright.bootstrap import App
from lorewright.llm.model import Model
from lorewright.packs.bounded_yaml import load_yaml
from support import harbour as h

ADA, BO, OSK, BEA = "game:player", "game:bo", "harbour:osk", "harbour:bea"
PERSONAS = {
    "bo": {
        "name": "Bo",
        "aliases": ["the mate"],
        "pronoun": "he",
        "at": "quay",
        "items": ["knife"],
        "traits": {"charm": -1},
        "trust": {"bea": 2},
        "observations": [{"content": "Bo once sold a parrot to Lin.", "importance": 4}],
    }
}
# Everybody acts in every turn, and says in it what nobody else does.
ACTS: dict[str, Any] = {
    "osk": {
        "baked": True,
        "acts": [
            {
                "id": "polish",
                "do": {"type": "wait"},
                "say": ["Osk polishes a glass that was clean."],
                "thought": "Quiet.",
            }
        ],
    },
    "bea": {"baked": True, "acts": [{"id": "mend", "do": {"type": "wait"}, "say": ["Bea ties a knot."]}]},
}


def scenario(*, profile: str = "freeform", together: bool = False, **more: Any) -> dict[str, Any]:
    """The scenario as data; with `together` Bea is in the tavern too, and both act in every turn."""
    made: dict[str, Any] = load_yaml(h.dedent(h.SCENARIO)).data
    made |= {"profile": profile, "personas": PERSONAS}
    made["things"]["knife"] = {"name": "knife"}
    if profile != "freeform":
        for who, said in ACTS.items():
            made["cast"][who] |= said
    if together:
        made["cast"]["bea"]["at"] = "tavern"
    return {**made, **more}


def crew(tmp_path: Path, *, models: Mapping[str, Model] | None = None, seed: int = 1, **more: Any) -> App:
    """An app with a campaign `game` of it begun."""
    return h.harbour(tmp_path, models=models, seed=seed, scenario=json.dumps(scenario(**more)))
