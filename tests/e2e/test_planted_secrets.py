"""Secrets that others planted in vaults, in seven languages and in every form: no door that a player has opens on one."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.authoring.leaks.suite import Tour
from lorewright.bootstrap import App, open_app
from lorewright.formats.shown import Audience
from lorewright.lore_bootstrap import make_workspace
from lorewright.packs.loader import load_pack
from support.command_line import run_command, workspace_environment
from support.secretive_pack import exported
from support.service_clients import call

pytestmark = pytest.mark.campaign

VAULTS = Path(__file__).parents[1] / "fixtures" / "vaults"
SETS = ("secrets_one", "secrets_two")
# Lines that a player types in a walk.
MOST = 60


def canaries(name: str) -> list[dict[str, Any]]:
    found = json.loads((VAULTS / f"{name}.truth.json").read_text(encoding="utf-8"))
    return [one for one in found if one["secret"]]


def told(name: str, text: str) -> list[str]:
    return [f"{one['canary']} ({one['form']}, {one['language']})" for one in canaries(name) if one["canary"] in text]


@pytest.fixture(params=SETS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def root(tmp_path: Path, name: str) -> Path:
    make_workspace(tmp_path / "w")
    assert "\ninstalled " in run(tmp_path / "w", "pack", "install", str(VAULTS / name))
    return tmp_path / "w"


def run(root: Path, *words: str) -> str:
    done = run_command(*words, environment=workspace_environment(root, LOREWRIGHT_EMBEDDER="none"))
    return done.stdout + done.stderr


def opened(root: Path) -> App:
    return open_app(root)


def test_no_question_no_entity_and_no_scene_tells_one(root: Path, name: str) -> None:
    pack = load_pack(VAULTS / name)
    for one in canaries(name):
        line = (VAULTS / name / one["file"]).read_text(encoding="utf-8").split("\n")[one["line"] - 1]
        for question in (one["canary"], line.replace(one["canary"], "")[:200].strip(" -*#>|")):
            answer = run(root, "lore", "query", question, "--pack", name, "--as", "player", "--json")
            assert told(name, answer.replace(question, "")) == []
    for entity in pack.entities:
        assert told(name, run(root, "lore", "entity", entity.id, "--as", "player", "--json")) == []
    for place in [entity.id for entity in pack.entities if entity.type == "location"]:
        assert told(name, run(root, "lore", "scene", "--location", place, "--as", "player", "--json")) == []


def test_no_export_for_players_tells_one(tmp_path: Path, name: str) -> None:
    pack = load_pack(VAULTS / name)
    texts = exported(
        pack,
        Audience.of("player"),
        tmp_path / "out",
        card=next(entity.id for entity in pack.entities if entity.type == "npc"),
    )
    assert {out: told(name, text) for out, text in texts.items()} == {out: [] for out in texts}


def test_the_game_masters_exports_have_them(tmp_path: Path, name: str) -> None:
    texts = exported(load_pack(VAULTS / name), Audience.of("gm"), tmp_path / "out")
    shown = {one["canary"] for one in canaries(name) if "comment" not in one["form"]}
    for out, text in texts.items():
        assert [canary for canary in sorted(shown) if canary not in text] == [], out


def test_no_walk_and_no_program_tells_one(root: Path, name: str) -> None:
    app = opened(root)
    explorer = app.explorer
    pack = load_pack(VAULTS / name)
    walk = explorer.walk(*explorer.pack_of_id(name), seed=1)
    explorer.begin(walk, app.campaigns, campaign_id="walk", seed=1)
    heard = []
    with app.campaigns.open("walk") as campaign:
        for line in Tour([pack]).lines(campaign, MOST):
            heard.append(asyncio.run(campaign.submit(line)))
    assert len(heard) > 10
    assert told(name, "\n".join(heard)) == []
    for one in canaries(name):
        answer = call(app, "query_lore", {"text": one["canary"]}, viewer="player", campaign="walk")
        assert told(name, str(answer).replace(one["canary"], "", 1)) == []


def test_every_secret_is_named_by_validate(root: Path, name: str) -> None:
    said = run(root, "pack", "validate", str(VAULTS / name))
    assert [one for one in canaries(name) if f"{one['file']}:{one['marker_line']}" not in said] == []
