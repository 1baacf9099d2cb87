"""The index as an author meets it: install, reindex, stats, explanations; with an embedder and without."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from lorewright.campaigns.scenarios.scenario import load_scenario
from lorewright.errors import EmbedderError
from lorewright.index.embedders.minilm import MiniLM
from lorewright.lore_bootstrap import make_workspace
from support import harbour as h
from support.command_line import outputs_of_a_process, run_command, workspace_environment


def run(root: Path, *arguments: str, embedder: str = "hashing") -> subprocess.CompletedProcess[str]:
    """Run the command line with a workspace, in its folder."""
    return run_command(*arguments, environment=workspace_environment(root, LOREWRIGHT_EMBEDDER=embedder), cwd=root)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_workspace(tmp_path / "ws")
    return tmp_path / "ws"


def install(root: Path) -> Path:
    assert run(root, "pack", "install", "content_packs/neo_seattle").returncode == 0
    return root


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a pack in it, of which everybody asks and which nobody changes."""
    root = tmp_path_factory.mktemp("installed") / "ws"
    make_workspace(root)
    return install(root)


@pytest.mark.campaign
def test_an_install_says_what_it_embedded_and_a_reindex_that_it_knew_it(root: Path) -> None:
    first = run(root, "pack", "install", "content_packs/neo_seattle").stdout
    assert "; 0 were known" in first
    again = run(root, "pack", "reindex").stdout
    assert "nothing was indexed anew" in again
    assert "embedded 0 of" in again
    (counted,) = json.loads(run(root, "pack", "reindex", "neo_seattle", "--json").stdout)
    assert counted["embedding"]["new"] == 0
    assert counted["embedding"]["windows"] > 100


@pytest.mark.campaign
def test_an_edit_is_found_by_a_reindex_which_embeds_only_what_changed(root: Path) -> None:
    installed = install(root)
    file = installed / "content_packs" / "neo_seattle" / "npcs" / "viktor.md"
    file.write_text(file.read_text(encoding="utf-8") + "\n## Parrot\n\nViktor keeps a zygodactyl parrot.\n")
    (counted,) = json.loads(run(installed, "pack", "reindex", "--json").stdout)
    assert counted["embedding"]["new"] == 1
    found = json.loads(run(installed, "lore", "query", "zygodactyl", "--json").stdout)
    assert found["chunks"][0]["chunk_id"] == "neo_seattle:viktor:parrot"


def test_stats_say_what_embeds_a_pack(installed: Path) -> None:
    stats = json.loads(run(installed, "pack", "stats", "neo_seattle", "--json").stdout)
    assert stats["embedder"] == "hashing-256"
    assert stats["windows"] > 100
    assert stats["chunks"] > 50


@pytest.mark.campaign
def test_an_index_of_another_embedder_is_refused_until_it_is_rebuilt(root: Path) -> None:
    installed = install(root)
    settings = installed / "lorewright.toml"
    refused = run(installed, "lore", "query", "jin", embedder="openai/some-model")
    assert refused.returncode == 1
    assert "error[index_stale]" in refused.stderr
    assert "lorewright pack reindex neo_seattle" in refused.stderr
    assert run(installed, "lore", "query", "jin", embedder="none").returncode == 0
    settings.write_text(settings.read_text().replace('embedder = "minilm"', 'embedder = "word2vec"'))
    unknown = run(installed, "lore", "query", "jin", embedder="")
    assert unknown.returncode == 1
    assert 'no embedder is called "word2vec"' in unknown.stderr


@pytest.mark.campaign
def test_a_server_that_fails_leaves_the_pack_installed_and_found_by_words(root: Path) -> None:
    """No key is set, so nothing is asked; the pack is there all the same, and the reason is told."""
    os.environ.pop("OPENAI_API_KEY", None)
    done = run(root, "pack", "install", "content_packs/neo_seattle", embedder="openai")
    assert done.returncode == 0
    assert "found by words alone" in done.stdout
    assert "hint:" in done.stdout
    found = json.loads(run(root, "lore", "query", "Viktor", "--json", embedder="openai").stdout)
    assert found["chunks"][0]["chunk_id"].startswith("neo_seattle:viktor")


@pytest.mark.campaign
@pytest.mark.parametrize(("name", "how"), [("vectors.npy", "cut"), ("vectors.npy", "a bit"), ("vectors.json", "cut")])
def test_damaged_vectors_are_told_in_text_and_in_json(root: Path, name: str, how: str) -> None:
    installed = install(root)
    for path in (installed / "indexes" / "generations" / "neo_seattle").glob(f"*/{name}"):
        half = path.stat().st_size // 2
        data = path.read_bytes()
        path.write_bytes(data[:half] if how == "cut" else data[:half] + bytes([data[half] ^ 1]) + data[half + 1 :])
    done = run(installed, "lore", "query", "who owes Viktor", "--json")
    assert "found by words alone: vectors are damaged" in " ".join(done.stderr.split())
    assert "lorewright doctor" in done.stderr
    answer = json.loads(done.stdout)
    assert "vectors are damaged" in answer["words_alone"][0]
    assert "run: lorewright doctor" in answer["words_alone"][0]
    assert answer["chunks"]
    assert run(installed, "doctor").returncode == 0
    assert "words_alone" not in json.loads(run(installed, "lore", "query", "who owes Viktor", "--json").stdout)


def test_an_explanation_names_lanes_words_ties_and_one_reason_each(installed: Path) -> None:
    told = run(
        installed, "lore", "query", "what debt does Viktor keep behind the bar", "--explain", "--limit", "2"
    ).stdout
    for part in ("meaning counts", "words #1: ", "meaning #1: ", "so far", "tokens", "named: viktor", "left out"):
        assert part in told
    assert "below the cut" in told


def test_why_not_answers_for_chunks_that_nothing_points_at(installed: Path) -> None:
    asked = ("lore", "query", "--location", "night_market")
    told = run(installed, *asked, "--why-not", "neo_seattle:viktor:background").stdout
    assert "neither words nor names, filters, links or meaning point at it" in " ".join(told.split())
    secret = run(installed, *asked, "--as", "player", "--why-not", "neo_seattle:viktor:withholds").stdout
    assert "there is no such chunk for player" in secret


def test_a_chunk_may_be_named_without_its_pack(installed: Path) -> None:
    asked = ("lore", "query", "who is Viktor", "--why-not")
    bare = run(installed, *asked, "viktor:overview").stdout
    assert "was chosen: rank" in bare
    assert bare == run(installed, *asked, "neo_seattle:viktor:overview").stdout


def test_an_entity_is_told_from_its_own_file_first_and_a_player_hears_no_secret(installed: Path) -> None:
    told = json.loads(run(installed, "lore", "entity", "viktor", "--json").stdout)
    assert told["entity"]["name"] == "Viktor"
    ids = [chunk["chunk_id"] for chunk in told["chunks"]]
    assert ids[0] == "neo_seattle:viktor:overview"
    assert any(":withholds" in one for one in ids)
    player = run(installed, "lore", "entity", "viktor", "--as", "player", "--json").stdout
    assert ":withholds" not in player
    missing = run(installed, "lore", "entity", "nobody")
    assert missing.returncode == 1
    assert "there is no entity nobody" in missing.stderr


@pytest.mark.campaign
def test_answers_by_meaning_are_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    try:
        MiniLM()
    except EmbedderError as problem:
        pytest.skip(str(problem))
    root = h.harbour(tmp_path).workspace.root
    printed = []
    for seed in ("0", "4242"):
        commands = [
            ("pack", "reindex"),
            ("lore", "query", "the woman with a bird in a cage", "--explain", "--json"),
        ]
        environment = workspace_environment(root, LOREWRIGHT_EMBEDDER="minilm")
        printed.append(outputs_of_a_process(commands, environment, hash_seed=seed)[1])
    assert printed[0] == printed[1]
    assert '"vector_rank": 1' in printed[0]


@pytest.mark.campaign
def test_a_game_is_grounded_by_meaning_and_ends_as_its_demo_does(root: Path, tmp_path: Path) -> None:
    demo = run(root, "play", "dead_drop")
    assert demo.returncode == 0, demo.stderr
    assert not list((root / "indexes").rglob("vectors.npy"))
    scenario = load_scenario(root / "scenarios" / "dead_drop.yaml")
    (tmp_path / "lines.txt").write_text("\n".join(scenario.demo), encoding="utf-8")
    script = ("--script", str(tmp_path / "lines.txt"), "--seed", str(scenario.demo_seed))
    played = run(root, "play", "dead_drop", *script)
    assert list((root / "indexes").rglob("vectors.npy"))
    assert run(root, "play", "dead_drop").stdout == demo.stdout
    assert played.stdout.splitlines()[-1] == demo.stdout.splitlines()[-1]


@pytest.mark.campaign
def test_somebody_asked_in_other_words_tells_what_means_the_like(root: Path) -> None:
    try:
        MiniLM()
    except EmbedderError as problem:
        pytest.skip(str(problem))
    told = {}
    for embedder in ("minilm", "none"):
        assert (
            run(root, "campaign", "new", "dead_drop", "--id", embedder, "--seed", "1", embedder=embedder).returncode
            == 0
        )
        run(root, "turn", embedder, "go street", embedder=embedder)
        asked = [
            run(root, "turn", embedder, f"ask Mira about {words}", embedder=embedder) for words in ("fruit", "opera")
        ]
        told[embedder] = [" ".join(one.stdout.split()) for one in asked]
    peach = "buys one peach"
    assert [peach in one for one in told["minilm"]] == [True, False]
    assert [peach in one for one in told["none"]] == [False, False]


def test_harbour_plays_with_vectors_too(tmp_path: Path) -> None:
    root = h.harbour(tmp_path).workspace.root
    assert run(root, "pack", "reindex").returncode == 0
    assert run(root, "turn", "game", "look").returncode == 0
