"""A recorded turn is replayed by the version of the code that made it: how memories are worded, how sources are
numbered."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lorewright.bootstrap import App
from lorewright.llm.doubles import ScriptedModel
from lorewright.replay.metrics import ALL_TURNS
from lorewright.values.records import CODE_VERSION, FIRST_CODE
from support import harbour as h

SCENARIO = h.dedent(h.SCENARIO).replace("osk: {at: tavern}", "osk: {at: tavern, baked: true}") + "profile: stream\n"
LINES = ("look", "promise Osk to come back", "ask Osk about Lin")


def told(text: str) -> ScriptedModel:
    return ScriptedModel(lambda _: text)


def played(folder: Path, version: int) -> App:
    # The last source that is shown is the last narration, whatever its number.
    app = h.harbour(folder, scenario=SCENARIO, models={"narrator": told("He says something about a boat [1].")})
    with app.campaigns.open("game") as campaign:
        campaign.change_setting(code_version=version)
        for line in LINES:
            asyncio.run(campaign.submit(line))
    return app


def memories(app: App) -> list[str]:
    with app.campaigns.reading("game") as store:
        state = store.head().state
    return [memory.content for of_one in state.observations.values() for memory in of_one.values()]


@pytest.mark.parametrize("version", [FIRST_CODE, CODE_VERSION])
def test_a_turn_is_replayed_as_it_was_recorded(tmp_path: Path, version: int) -> None:
    app = played(tmp_path, version)
    assert any("come back" in text for text in memories(app)) == (version == CODE_VERSION)
    found = asyncio.run(app.replays.rerun_turns("game", ALL_TURNS, None))
    assert found.is_identical and found.first_divergence is None


def test_what_a_narration_left_out_is_told_behind_it_since_the_second_version(tmp_path: Path) -> None:
    texts = {}
    for version in (FIRST_CODE, CODE_VERSION):
        (tmp_path / str(version)).mkdir()
        app = played(tmp_path / str(version), version)
        with app.campaigns.reading("game") as store:
            texts[version] = store.turns()[-1]["result"]["final_text"]
    assert h.KNOWS not in texts[FIRST_CODE]
    assert h.KNOWS in texts[CODE_VERSION]
    assert texts[CODE_VERSION].startswith("He says something about a boat.")
