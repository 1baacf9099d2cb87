"""The same records replayed in another process, with other hashes and nothing but the file and the kept texts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import harbour as h
from support import playing_models as mp

_CHILD = """
import asyncio, json
from lorewright.bootstrap import open_app
found = asyncio.run(open_app().replays.rerun_turns("game", reroll=bool(REROLL)))
turns = [[one.turn_id, one.state_json, one.text, [roll.model_dump(mode="json") for roll in one.rolls]] for one in found.turns]
parted = found.first_divergence
print(json.dumps({"identical": found.is_identical, "parted": parted and str(parted.differences[0]), "turns": turns}))
"""


@pytest.mark.campaign
def test_fifty_turns_are_byte_identical_in_another_process_without_indexes(tmp_path: Path) -> None:
    """Half of them by models, with repairs and retries between, half built in; with dice as recorded and thrown anew."""
    app = h.harbour(tmp_path)
    h.say(app, *mp.lines(15))
    h.say(h.with_models(app, mp.models()), *mp.lines(25))
    h.say(app, "ask Osk about the debt", "persuade Osk to help me", *mp.lines(8))
    with app.campaigns.reading("game") as store:
        recorded = [
            [
                turn["turn_id"],
                store.state_at(turn["turn_id"]).to_json(),
                turn["result"]["final_text"],
                turn["result"]["rolls"],
            ]
            for turn in store.turns()[1:]
        ]
        attempts = [
            call["attempt"]
            for turn in store.turns()
            for record in store.stage_records(turn["turn_id"])
            for call in record["calls"]
        ]
    assert len(recorded) == 50 and {"first", "repair", "retry"} <= set(attempts)
    assert any(rolls for *_, rolls in recorded)
    for hash_seed, reroll in (("1", ""), ("4242", "yes")):
        shutil.rmtree(app.workspace.indexes)
        found = _replayed(app.workspace.root, hash_seed=hash_seed, reroll=reroll)
        assert found["parted"] is None and found["identical"]
        assert found["turns"] == recorded


def _replayed(root: Path, *, hash_seed: str, reroll: str) -> dict[str, object]:
    environ = {**os.environ, "PYTHONHASHSEED": hash_seed, "LOREWRIGHT_WORKSPACE": str(root)}
    code = _CHILD.replace("REROLL", repr(reroll))
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found
