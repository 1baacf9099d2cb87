"""`pack export` and `schema` as somebody types them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lorewright.bootstrap import open_app
from lorewright.cli import app
from lorewright.errors import NotFound, PackError, SettingsError
from support.harbour import write_workspace


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with the harbour pack, in which commands run."""
    monkeypatch.setenv("LOREWRIGHT_EMBEDDER", "none")
    root = write_workspace(tmp_path / "workspace")
    monkeypatch.chdir(root)
    return root


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_it_says_what_was_written_for_whom_and_what_was_left_out(workspace: Path) -> None:
    said = run("pack", "export", "content_packs/harbour", "out.html", "--format", "player-handout")
    assert "harbour → out.html: handout for the player" in said
    assert "left out:" in said
    assert (workspace / "out.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_it_says_the_same_as_json(workspace: Path) -> None:
    said = json.loads(run("pack", "export", "content_packs/harbour", "out.json", "--format", "sillytavern", "--json"))
    assert (said["reader"], said["kind"], said["files"]) == ("player", "world info", 1)
    assert said["left_out"] > 0


def test_an_installed_pack_goes_by_its_id(workspace: Path) -> None:
    open_app(workspace).packs.install(workspace / "content_packs" / "harbour")
    said = run("pack", "export", "harbour", "vault", "--format", "obsidian")
    assert "Next: open vault as a vault" in said
    assert "0 errors" in run("pack", "validate", "vault")


def test_secrets_go_to_the_game_master_alone_and_with_a_warning(workspace: Path) -> None:
    result = CliRunner().invoke(
        app, ["pack", "export", "content_packs/harbour", "gm.md", "--format", "player-handout", "--as", "gm"]
    )
    assert "give it to no player" in result.stderr
    assert "for the game master" in result.stdout
    assert "Withholds" in (workspace / "gm.md").read_text(encoding="utf-8")
    run("pack", "export", "content_packs/harbour", "player.md", "--format", "player-handout")
    assert "Withholds" not in (workspace / "player.md").read_text(encoding="utf-8")


def test_a_card_is_made_of_whoever_is_named(workspace: Path) -> None:
    run("pack", "export", "content_packs/harbour", "osk.json", "--format", "sillytavern", "--card", "the landlord")
    card = json.loads((workspace / "osk.json").read_text(encoding="utf-8"))
    assert (card["spec"], card["data"]["name"], card["data"]["personality"]) == ("chara_card_v3", "Osk", "")
    assert card["data"]["character_book"]["entries"]
    run("pack", "import", "osk.json", "back")
    assert "0 errors" in run("pack", "validate", "back")


def test_a_campaigns_player_gets_what_they_have_learned(workspace: Path) -> None:
    campaigns = open_app(workspace).campaigns
    campaigns.new("night_boat", campaign_id="game", seed=1)
    out = ("--format", "player-handout", "--campaign", "game", "--force")
    run("pack", "export", "harbour", "before.md", *out)
    with campaigns.open("game") as campaign:
        asyncio.run(campaign.submit("ask Osk about the boat"))
    with campaigns.reading("game") as store:
        state = store.head().state
    run("pack", "export", "harbour", "after.md", *out)
    before, after = ((workspace / name).read_text(encoding="utf-8") for name in ("before.md", "after.md"))
    assert state.learned_by(state.player_id) == {"harbour:osk:knows#boat"}
    assert "night boat on Tuesday" not in before
    assert "night boat on Tuesday" in after
    assert "What the player knows in game." in after
    assert "month of quiet" not in after


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        (["out.txt", "--format", "sillytavern"], PackError, "no .json file"),
        (["out.txt", "--format", "player-handout"], PackError, "neither .html nor .md"),
        (["content_packs/harbour/out", "--format", "obsidian"], PackError, "lies in the pack itself"),
        (["out.json", "--format", "sillytavern", "--card", "nobody"], NotFound, "no entity is called nobody"),
        (["out.json", "--format", "sillytavern", "--card", "The Tavern"], PackError, "is a location"),
        (["out.html", "--format", "player-handout", "--card", "Osk"], SettingsError, "--card"),
        (["out.json", "--format", "sillytavern", "--card", "Osk", "--book"], SettingsError, "two things"),
        (["out.html", "--format", "player-handout", "--campaign", "x", "--as", "gm"], SettingsError, "--campaign"),
        (["out.html", "--format", "player-handout", "--campaign", "x"], NotFound, "x"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_is_written(
    workspace: Path, options: list[str], error: type[Exception], words: str
) -> None:
    before = sorted(workspace.rglob("*"))
    with pytest.raises(error, match=words):
        run("pack", "export", "content_packs/harbour", *options)
    made = {path.name for path in workspace.rglob("*")} - {path.name for path in before}
    assert not {name for name in made if name.startswith(("out", ".export"))}


def test_schemas_are_listed_printed_and_written(workspace: Path) -> None:
    assert "frontmatter" in run("schema")
    assert json.loads(run("schema", "pack"))["required"] == ["id"]
    run("schema", "golden", "--out", "golden.json")
    assert json.loads((workspace / "golden.json").read_text(encoding="utf-8"))["type"] == "array"
    settings = json.loads(run("schema", "--out", "schemas", "--vscode"))["yaml.schemas"]
    assert all((workspace / path).is_file() for path in settings)
    with pytest.raises(NotFound, match="no schema packs"):
        run("schema", "packs")
    with pytest.raises(SettingsError, match="--vscode"):
        run("schema", "pack", "--vscode")


@pytest.mark.parametrize("command", [("pack", "export"), ("schema",)])
def test_help_has_an_example(command: tuple[str, ...]) -> None:
    assert f"Example: lorewright {' '.join(command)}" in run(*command, "--help")
