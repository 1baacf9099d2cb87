"""People who act of their own accord, in play without a model: how often, in which words, and with what they know."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from support import harbour as h
from support.scale import scaled

LINES = (
    "tell osk about the cellar",
    "look", "ask osk about lin", "wait", "search the room", "take the rope", "wait", "promise osk to bring her back",
    "ask osk about the weather", "give lantern to osk", "wait", "ask osk about the cage", "look", "threaten osk", "wait",
    "go quay", "look", "ask bea about the cellar", "wait", "tell bea about lin", "wait",
)  # fmt: skip
CAST = "cast: {osk: {at: tavern, trust: 1, OSK}, bea: {at: tavern, trust: 1, BEA}}"


def played(
    folder: Path, *, osk: str = "chattiness: 1", bea: str = "chattiness: 1", lines: tuple[str, ...] = LINES, seed: int = 1,
    profile: str = "stream", more: str = "",
) -> App:  # fmt: skip
    head, _, rest = h.SCENARIO.partition("    cast:\n")
    assert rest
    threads = rest[rest.index("    threads:") :]
    cast = CAST.replace("OSK", osk).replace("BEA", bea)
    text = f"{head}    profile: {profile}\n{more}    {cast}\n{threads}"
    root = h.write_workspace(folder / "workspace")
    (root / "scenarios" / "night_boat.yaml").write_text(h.dedent(text), encoding="utf-8")
    app = open_app(root)
    app.campaigns.new("night_boat", campaign_id="game", seed=seed)
    h.say(app, *lines)
    return app


def intents(app: App) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """(what somebody was shown, what they intended), in order."""
    inputs, outputs = h.stage_inputs(app).get("npc_intent", []), h.stage_outputs(app).get("npc_intent", [])
    return [(json.loads(given), json.loads(made)) for given, made in zip(inputs, outputs, strict=True)]


def of(app: App, who: str) -> list[dict[str, Any]]:
    return [made for given, made in intents(app) if given["me"]["id"] == who]


def reveals(app: App) -> Iterator[tuple[str, list[str]]]:
    """(who acted, the items that somebody learned by it) of every round of the cast's."""
    with app.campaigns.reading("game") as store:
        for turn in store.turns():
            records = store.stage_records(turn["turn_id"])
            made = [one for one in records if one["stage"] in ("npc_intent", "npc_resolve")]
            for intent, resolved in pairwise(made):
                if (intent["stage"], resolved["stage"]) == ("npc_intent", "npc_resolve"):
                    who = intent["input"]["me"]["id"]
                    ops = resolved["output"]["ops"]
                    yield who, [op["item_id"] for op in ops if op["op"] == "reveal"]


@pytest.mark.campaign
def test_whoever_has_no_chattiness_never_acts_and_whoever_is_baked_always_while_they_are_there(tmp_path: Path) -> None:
    app = played(tmp_path, osk="chattiness: 0", bea="baked: true, chattiness: 0", lines=LINES[:14])
    assert of(app, "harbour:osk") == []
    assert len(of(app, "harbour:bea")) == 14


@pytest.mark.campaign
def test_half_chatty_ones_act_about_every_second_turn(tmp_path: Path) -> None:
    app = played(tmp_path, osk="chattiness: 0.5", bea="chattiness: 0.5", lines=("wait",) * 30)
    assert all(6 <= len(of(app, who)) <= 24 for who in ("harbour:osk", "harbour:bea"))


@pytest.mark.campaign
def test_everything_that_is_told_was_known_to_whoever_told_it(tmp_path: Path) -> None:
    """By item, from the log: an item that is told stands in what the teller, or who answered them, knew just then."""
    told = 0
    for seed in range(scaled(1)):
        app = played(tmp_path / str(seed), lines=LINES, seed=seed)
        shown = intents(app)
        for given, made in shown:
            if made["item_id"] is not None:
                told += 1
                assert made["item_id"] in {one["id"] for one in given["knows"] if not one["kept_back"]}
        for who, items in reveals(app):
            holders = {item.rpartition(":")[0] for item in items}
            assert all("withholds" not in item for item in items), (who, items)
            assert holders <= {"harbour:osk", "harbour:bea"}
    assert told > 0


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> App:
    """All lines, in the company of two who act at every chance."""
    return played(tmp_path_factory.mktemp("evening"))


def test_what_was_not_said_to_somebody_is_in_none_of_what_they_are_shown(evening: App) -> None:
    for given, _ in intents(evening):
        text = json.dumps(given)
        if given["me"]["id"] == "harbour:bea":
            assert "I sold her passage" not in text


def test_nobody_does_the_same_twice_in_a_row_and_an_evening_is_not_made_of_one_gesture(evening: App) -> None:
    for who in ("harbour:osk", "harbour:bea"):
        texts = [made["action_text"] for made in of(evening, who)]
        assert len(texts) >= 10
        assert all(a != b for a, b in pairwise(texts))
        assert len(set(texts)) >= len(texts) * 0.6


@pytest.mark.campaign
def test_a_promise_that_was_seen_is_asked_after_later(tmp_path: Path) -> None:
    app = played(tmp_path, lines=("promise osk to bring her back", *(("wait", "look") * 8)))
    done = [made["action"]["type"] for made in of(app, "harbour:osk") if made["action"] is not None]
    assert done.count("recall") == 1


@pytest.mark.campaign
def test_an_act_that_is_to_be_done_once_is_and_opens_what_waits_for_it(tmp_path: Path) -> None:
    osk = (
        "baked: true, acts: [{id: pour, do: {type: wait}, say: Osk pours a glass for nobody., once: true}, "
        "{id: sip, when: {did: pour, by: osk}, do: {type: wait}, say: Osk drinks it himself., once: true}]"
    )
    app = played(tmp_path, osk=osk, bea="chattiness: 0", lines=("wait",) * 5)
    assert [made["act_id"] for made in of(app, "harbour:osk")] == ["pour", "sip", None, None, None]
    told = "".join(h.stage_outputs(app)["narrator"])
    assert told.index("Osk pours a glass for nobody.") < told.index("Osk drinks it himself.")


def test_an_authored_act_that_the_rules_forbid_is_refused_and_is_not_done(tmp_path: Path) -> None:
    osk = "baked: true, acts: [{id: hand_over, do: {type: give, target: you, item: rope}, once: true}]"
    app = played(tmp_path, osk=osk, bea="chattiness: 0", lines=("wait", "wait", "wait"))
    assert [made["act_id"] for made in of(app, "harbour:osk")] == ["hand_over", None, None]
    with app.campaigns.reading("game") as store:
        state = store.head().state
    assert "game:rope" in state.held_by("harbour:tavern")
    assert "acts:harbour:osk:hand_over" not in state.recall


def test_in_the_profile_freeform_nobody_acts_by_themselves(tmp_path: Path) -> None:
    app = played(tmp_path, osk="baked: true", profile="freeform", lines=("wait", "look"))
    assert intents(app) == []


@pytest.mark.campaign
def test_in_the_profile_ensemble_everybody_reflects_and_nobody_as_the_other_does(tmp_path: Path) -> None:
    app = played(tmp_path, profile="ensemble", lines=("wait", "look") * 5)
    made = intents(app)
    assert len(made) == 20
    by_turn: dict[int, set[str]] = {}
    for given, done in made:
        by_turn.setdefault(given["turn_no"], set()).add(done["action_text"].split(" ", 1)[1])
    assert all(len(texts) == 2 for texts in by_turn.values())


DETERMINISM = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from test_own_will import LINES, intents, played
app = played(Path(sys.argv[1]), lines=LINES[:8], seed=7)
print([made for _, made in intents(app)])
"""


@pytest.mark.campaign
def test_the_same_seed_and_words_give_the_same_acts_in_every_process(tmp_path: Path) -> None:
    here = Path(__file__).parent
    told = set()
    for number in map(str, range(1 + scaled(1))):
        env = {**os.environ, "PYTHONHASHSEED": number, "PYTHONPATH": str(here.parents[1] / "src")}
        command = [sys.executable, "-c", DETERMINISM, str(tmp_path / number), str(here), str(here.parent)]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=120)
        told.add(done.stdout)
    assert len(told) == 1 and "action_text" in told.pop()


def test_what_somebody_used_in_a_round_is_remembered_once(tmp_path: Path) -> None:
    app = played(tmp_path, lines=("wait",) * 6)
    used = Counter(key for _, made in intents(app) for key in made["recall"])
    assert used
    with app.campaigns.reading("game") as store:
        remembered = store.head().state.recall
    assert {key: remembered.get(key, 0) for key in used} == dict(used)
