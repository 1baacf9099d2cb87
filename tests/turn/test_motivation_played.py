"""What moves a person is their own: it shapes what they do, and no player ever reads a sentence of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lorewright.authoring.leaks.planting import may_know, secrets_of
from lorewright.bootstrap import App
from lorewright.packs.loader import load_pack
from support import harbour as h

MOTIVE = "Osk means to poison the harbour master with wolfsbane at the feast."
LINES = (
    "look around",
    "ask Osk about Lin",
    "ask Osk about the cellar",
    "look at Osk",
    "wait",
    "wait",
    "go to the quay",
)
MOVED_BY = ("Motivation", "Personality", "Goals", "What he wants", "Motives & Fears", "Traits", "Agenda")
# Here it may stand: in what the planner and Osk himself are given.
OF_THEIR_OWN = {"planner", "npc_intent"}


def played(tmp_path: Path, title: str) -> App:
    osk = h.FILES["npcs/osk.md"].replace("## Knows", f"## {title}\n\n        - {MOTIVE}\n\n        ## Knows")
    return h.harbour(tmp_path, files={**h.FILES, "npcs/osk.md": osk})


@pytest.mark.parametrize(
    "title", [MOVED_BY[0], *(pytest.param(title, marks=pytest.mark.campaign) for title in MOVED_BY[1:])]
)
def test_no_title_that_speaks_of_motives_is_told(tmp_path: Path, title: str) -> None:
    app = played(tmp_path, title)
    told = json.dumps(h.say(app, *LINES))
    assert "coins" in told or "cellar door" in told
    assert "wolfsbane" not in told
    given = {stage: texts for stage, texts in h.stage_inputs(app).items() if "wolfsbane" in "".join(texts)}
    assert given.keys() <= OF_THEIR_OWN
    assert "wolfsbane" not in "".join(text for texts in h.stage_outputs(app).values() for text in texts)


def test_the_planner_and_the_character_have_it(tmp_path: Path) -> None:
    app = played(tmp_path, "Motivation")
    h.say(app, "ask Osk about Lin")
    assert any("wolfsbane" in text for text in h.stage_inputs(app)["planner"])


def test_the_leak_suite_counts_it_as_a_secret(tmp_path: Path) -> None:
    app = played(tmp_path, "Motivation")
    pack = load_pack(app.workspace.root / "content_packs" / "harbour")
    secret = next(one for one in secrets_of(pack) if one.text.endswith("feast."))
    nothing: frozenset[str] = frozenset()
    assert secret.kind == "motivation"
    assert not any(may_know(secret, viewer, nothing) for viewer in ("player", "narrator", "npc:harbour:bea"))
    assert not may_know(secret, "player", nothing, watched=True)
    assert may_know(secret, "planner", nothing)
    assert may_know(secret, "npc:harbour:osk", nothing, own_ids=frozenset({"harbour:osk"}))
