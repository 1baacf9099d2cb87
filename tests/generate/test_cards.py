"""A character card is played: its greeting opens, the character is there and speaks in the lines of her samples."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lorewright.bootstrap import open_app
from lorewright.campaigns.scenarios.scenario import load_scenario
from lorewright.cli.root import app as commands
from lorewright.formats.reading import read_file
from lorewright.formats.writer import write_pack
from lorewright.generate.cards import card_scenarios
from lorewright.lore_bootstrap import make_workspace
from lorewright.packs.loader import load_pack
from lorewright.values.records import TurnResult
from support.corpora import corpora

CARD: dict[str, Any] = {
    "name": "Wren",
    "description": "Wren keeps the lamps of a canal town.",
    "scenario": "The player came by barge to the Lock House, and it rains.",
    "first_mes": "*Wren looks up from a lamp.* \"You are wet,\" *she tells {{user}}.* \"Come in, {{user}}.\"",
    "alternate_greetings": ['*The quay is empty.* "Nobody comes to the Quay at night."'],
    "mes_example": '<START>\n{{user}}: "Who taught you the lamps?"\n{{char}}: *She smiles.* "My aunt, who counted them twice."',
    "extensions": {"talkativeness": "0.5"},
    "character_book": {
        "name": "Canal",
        "entries": [
            {"id": 0, "keys": ["lock house"], "name": "Lock House", "content": "The house at the lock is dry.", "extensions": {}},
            {"id": 1, "keys": ["quay"], "name": "Quay", "content": "The quay is long.", "extensions": {}},
            {
                "id": 2,
                "keys": ["flood"],
                "name": "The Flood",
                "content": '{{user}}: "When was the flood?"\n{{char}}: "Nine years ago."\n{{user}}: "Did the flood take much?"\n{{char}}: "It took the bridge."',
                "extensions": {},
            },
        ],
    },
}  # fmt: skip


def written(tmp_path: Path, **changes: Any) -> Path:
    path = tmp_path / "wren.json"
    data = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {**CARD, **changes}}
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *more: str, **changes: Any) -> Path:
    make_workspace(tmp_path / "workspace")
    monkeypatch.chdir(tmp_path / "workspace")
    made = CliRunner().invoke(commands, ["pack", "import", str(written(tmp_path, **changes)), *more])
    assert made.exit_code == 0, made.output
    return tmp_path / "workspace"


def say(root: Path, *lines: str, scenario: str = "wren") -> list[str]:
    app = open_app(root)
    app.campaigns.new(scenario, campaign_id="game", seed=1)
    with app.campaigns.open("game") as campaign:
        results = [TurnResult.model_validate_json(asyncio.run(campaign.submit(line))) for line in lines]
    return [result.final_text for result in results]


@pytest.mark.campaign
def test_a_card_is_imported_and_played_and_answers_in_its_own_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = imported(tmp_path, monkeypatch)
    taught, flood, again = say(
        root, "who taught you the lamps?", "ask Wren about the flood", "ask Wren about the flood"
    )
    assert "My aunt, who counted them twice." in taught
    assert "Nine years ago." in flood
    assert "It took the bridge." in again


@pytest.mark.campaign
def test_a_character_tells_how_the_entries_of_her_own_book_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    company = {"id": 3, "keys": ["company"], "name": "The Company", "content": "It means to drain the canal."}
    entries = [*CARD["character_book"]["entries"], {**company, "extensions": {}}]
    root = imported(tmp_path, monkeypatch, character_book={**CARD["character_book"], "entries": entries})
    told, again, way = say(root, "ask Wren about the company", "what do you know of the Company?", "go out of the fog")
    assert "“It means to drain the canal.”" in told
    assert "It means to drain the canal." in again
    assert not way.endswith("There are:")


def test_the_greeting_opens_without_signs_and_with_you_for_the_player(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = imported(tmp_path, monkeypatch)
    (scenario, other) = card_scenarios(load_pack(root / "content_packs" / "wren"))
    assert "*" not in scenario.intro_seed
    assert "she tells" in scenario.intro_seed
    assert scenario.intro_seed.endswith('"Come in."')
    assert "Nobody comes to the Quay" in other.intro_seed


def test_she_is_at_the_place_that_her_situation_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = imported(tmp_path, monkeypatch)
    app = open_app(root)
    app.campaigns.new("wren", campaign_id="game", seed=1)
    with app.campaigns.open("game") as campaign:
        state = campaign.store.head().state
    assert state.name_of(state.scene.location_id) == "Lock House"
    assert [state.name_of(who) for who in state.present() if who != state.player_id] == ["Wren"]


def test_each_greeting_is_a_scenario_and_all_of_them_are_valid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = imported(tmp_path, monkeypatch)
    scenarios = open_app(root).scenarios
    for name in ("wren", "wren_2"):
        findings = scenarios.findings(root / "scenarios" / f"{name}.yaml")
        assert [found for found in findings if found.severity == "error"] == []


def test_a_card_without_places_or_samples_is_played_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = {"character_book": {"name": "", "entries": []}, "mes_example": "", "scenario": "", "alternate_greetings": []}
    root = imported(tmp_path, monkeypatch, **bare)
    (greeted,) = say(root, "hello Wren")
    assert "Wren" in greeted


def test_a_scenario_that_is_there_is_not_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_workspace(tmp_path / "workspace")
    mine = tmp_path / "workspace" / "scenarios" / "wren.yaml"
    mine.write_text("mine\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "workspace")
    made = CliRunner().invoke(commands, ["pack", "import", str(written(tmp_path))])
    assert made.exit_code == 0
    assert mine.read_text(encoding="utf-8") == "mine\n"


@pytest.mark.campaign
def test_a_card_is_played_with_the_book_of_its_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = imported(tmp_path, monkeypatch, "--with", "neo_seattle")
    app = open_app(root)
    assert "neo_seattle" in [pack for found in app.scenarios.listed()[0] if found.id == "wren" for pack in found.packs]
    say(root, "look")


def test_what_was_no_card_has_no_scenario(tmp_path: Path) -> None:
    book = tmp_path / "book.json"
    entries = {"0": {"uid": 0, "key": ["inn"], "keysecondary": [], "comment": "Inn", "content": "An inn."}}
    book.write_text(json.dumps({"entries": entries}), encoding="utf-8")
    write_pack(read_file(book), tmp_path / "pack")
    assert card_scenarios(load_pack(tmp_path / "pack")) == []


@pytest.mark.campaign
@pytest.mark.parametrize(
    "name", ["default_Seraphina", "contest_Assistant_Gloria", "contest_Assistant_Amy", "default_FluxTheCat"]
)
def test_published_cards_are_played_for_ten_turns_by_import_and_play_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    source = corpora() / "lorebooks" / "sillytavern" / f"{name}.png"
    make_workspace(tmp_path / "workspace")
    monkeypatch.chdir(tmp_path / "workspace")
    run = CliRunner().invoke
    assert run(commands, ["pack", "import", str(source)]).exit_code == 0
    (scenario,) = (
        found
        for path in Path("scenarios").glob("*.yaml")
        if (found := load_scenario(path)).content_packs
        and path.stem in {"seraphina", "gloria_pa", "amy", "flux_the_cat"}
    )
    (who,) = scenario.cast
    sample = next((rule for rule in scenario.rules if rule.say), None)
    asked = f"ask about {sample.on.topics[0]}" if sample is not None and sample.on is not None else "look"
    lines = ["hello", "who are you?", asked, "look around", "wait", "thank you", "how are you?", "i", "wait", "bye"]
    played = run(commands, ["play", scenario.id, "--seed", "1"], input="\n".join(lines))
    assert played.exit_code == 0, played.output
    opening, _, rest = played.output.partition("> hello")
    words = " ".join(scenario.intro_seed.split())
    assert words[:60] in " ".join(opening.split())
    assert len(re.findall(r"^> ", f"> hello{rest}", re.MULTILINE)) == len(lines)
    assert scenario.cast[who].at == scenario.start
    assert "is not here" not in rest
    # She speaks in a line of her samples when she is asked about it, and none of them is told of her as lore.
    told = " ".join(rest.split())
    assert (sample is None) == (name in {"contest_Assistant_Amy", "default_FluxTheCat"})
    if sample is not None:
        said = " ".join(str(sample.say["success"]).split())[:60]
        assert told.count(said) == 1
        assert said in told.partition(f"> {asked} ")[2].partition("> look around")[0]
