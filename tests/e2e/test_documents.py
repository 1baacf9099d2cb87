"""What the documents tell people to do works: README's commands, the examples in docs/, a first pack."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from lorewright import LoreRetrievalQuery, LoreRetrievalResult, TurnResult
from support.command_line import run_command, spawn_command

PROJECT = Path(__file__).parents[2]
README = (PROJECT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the workspace's own files, so that no test writes into the checkout."""
    copy = tmp_path_factory.mktemp("checkout") / "lorewright"
    copy.mkdir()
    for name in ("content_packs", "scenarios"):
        shutil.copytree(PROJECT / name, copy / name)
    shutil.copy2(PROJECT / "lorewright.toml", copy)
    return copy


def environment() -> dict[str, str]:
    """Return the environment of a user: the pages say that a key is needed. Nothing is sent with it: no command here
    agrees to pay."""
    kept = {key: value for key, value in os.environ.items() if key != "LOREWRIGHT_WORKSPACE"}
    return {**kept, "ANTHROPIC_API_KEY": "sk-that-opens-nothing"}


def run(checkout: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder, in a process of its own."""
    none = subprocess.DEVNULL
    return subprocess.run(command, capture_output=True, text=True, cwd=checkout, env=environment(), stdin=none)


def lorewright(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder; the server of a protocol takes hold of its streams, and has a process."""
    run_it = spawn_command if words[0] == "mcp" else run_command
    return run_it(*words, environment=environment(), cwd=folder)


def readme_commands() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    return [line.partition("#")[0].strip() for block in blocks for line in block.splitlines() if line.strip()]


def test_the_first_forty_lines_let_a_newcomer_run_query_and_play() -> None:
    first = "\n".join(README.splitlines()[:40])
    for needed in ("make play", "make test", "lore query", "pack install", "campaign new", "The way of the data"):
        assert needed in first


@pytest.mark.campaign
def test_every_command_of_the_readme_works_in_its_order(checkout: Path) -> None:
    commands = readme_commands()
    assert len(commands) >= 8
    for command in commands:
        words = shlex.split(command)
        if words[0] == "make":
            dry = run(PROJECT, ["make", "--dry-run", *words[1:]])
            assert dry.returncode == 0, dry.stderr
            continue
        assert words[0] == ".venv/bin/lorewright"
        done = lorewright(checkout, *words[1:])
        assert done.returncode == 0, (command, done.stderr)
        # A server that nobody speaks to has nothing to say.
        assert done.stdout.strip() or "mcp" in words


def test_every_picture_is_shown_with_words_for_readers_who_cannot_see_it() -> None:
    pages = [README, *(page.read_text(encoding="utf-8") for page in (PROJECT / "docs").glob("*.md"))]
    shown = {name for page in pages for name in re.findall(r"!\[[^\]]{40,}\]\((?:docs/)?pictures/(\S+)\)", page)}
    assert shown == {path.name for path in (PROJECT / "docs" / "pictures").glob("*.*g")}
    in_readme = set(re.findall(r"!\[[^\]]{40,}\]\(docs/pictures/(\S+)\)", README))
    assert in_readme == {name for name in shown if not name.startswith("sillytavern")}
    assert len(README.splitlines()) < 140


def follow(tmp_path: Path, name: str) -> list[tuple[str, str]]:
    """Write the files that a page shows and run its commands, in their order; return the commands with what they
    print."""
    root = tmp_path / "world"
    lorewright(tmp_path, "init", str(root))
    page = (PROJECT / "docs" / name).read_text(encoding="utf-8")
    told = []
    for language, file, text in re.findall(r"```(\w+)(?: (\S+/\S+))?\n(.*?)```", page, re.DOTALL):
        if file:
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(text, encoding="utf-8")
        for line in text.splitlines() if language == "sh" else ():
            done = lorewright(root, *shlex.split(line.removeprefix("lorewright ")))
            assert done.returncode == 0, (line, done.stderr)
            assert "0 errors, 0 warnings" in done.stdout or "validate" not in line, (line, done.stdout)
            told.append((line, done.stdout))
    return told


@pytest.mark.campaign
def test_a_first_pack_comes_out_as_its_page_says(tmp_path: Path) -> None:
    told = follow(tmp_path, "packs.md")
    assert {line.split()[1] for line, _ in told} == {"pack", "lore", "explore"}
    asked = [text for line, text in told if "lore query" in line]
    assert "I heard the saws" in asked[0]
    assert "saws" not in asked[1]


@pytest.mark.campaign
def test_the_game_of_the_tutorial_is_built_and_played(tmp_path: Path) -> None:
    told = follow(tmp_path, "scenarios.md")
    plays = [text for line, text in told if "play one_room" in line or "play saltmere_light" in line]
    assert "I heard the saws" in plays[0]
    assert "You know now who took the bridge." in plays[0]
    assert "three boats turn toward it" in plays[-1]
    assert "I hid the last cask" in plays[-1]


@pytest.mark.campaign
def test_a_scenario_without_packs_is_played_as_the_reference_says(tmp_path: Path) -> None:
    told = follow(tmp_path, "scenario_reference.md")
    assert "It is lighter than you had hoped." in told[-1][1]


def written_lines(page: str, of: str) -> int:
    """Return how many lines an author writes for the last version of each file of a game that a page shows: those that
    are not blank, in YAML without comments."""
    shown = dict(re.findall(r"```(?:markdown|yaml) (\S+/\S+)\n(.*?)```", page, re.DOTALL))
    files = [(name, text) for name, text in shown.items() if re.search(of, name)]
    assert files
    return sum(
        bool(line.strip()) and not (name.endswith(".yaml") and line.lstrip().startswith("#"))
        for name, text in files
        for line in text.splitlines()
    )


def test_the_games_of_the_tutorial_are_short() -> None:
    """The same game takes sixty lines in ink, and the scene eighteen."""
    page = (PROJECT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    assert written_lines(page, "river|one_room") <= 22
    assert written_lines(page, "saltmere") <= 90


def played_world(folder: Path) -> Path:
    """Make a workspace where the campaign that the pages speak of has been played for a while."""
    root, script = folder / "world", folder / "lines.txt"
    script.write_text("look\nask Viktor about Jin\nwait\nlook\nwait\nlook\nwait\n", encoding="utf-8")
    prepared = ("init", str(root)), ("campaign", "new", "dead_drop", "--id", "friday", "--seed", "1")
    for words in (*prepared, ("play", "friday", "--script", str(script))):
        done = lorewright(root if root.is_dir() else folder, *words)
        assert done.returncode == 0, done.stderr
    return root


@pytest.mark.campaign
@pytest.mark.parametrize("page", ["playing.md", "retrieval.md"])
def test_the_commands_of_a_page_work_in_their_order(tmp_path: Path, page: str) -> None:
    root = played_world(tmp_path)
    text = (PROJECT / "docs" / page).read_text(encoding="utf-8")
    lines = [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    assert len(lines) >= 4
    for line in lines:
        words = shlex.split(line.replace("CAMPAIGN", "friday"), comments=True)
        assert words[0] == "lorewright"
        done = lorewright(root, *words[1:])
        assert done.returncode == 0, (line, done.stderr)
        assert done.stdout.strip()


def python_of(page: Path) -> str:
    """Return all Python that a page shows."""
    return "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))


# Run against a service that listens, by the tests of its clients.
OF_A_SERVICE = {"clients.md"}


@pytest.mark.campaign
@pytest.mark.parametrize(
    "page",
    [page for page in sorted((PROJECT / "docs").glob("*.md")) if python_of(page) and page.name not in OF_A_SERVICE],
    ids=lambda page: page.name,
)
def test_the_python_of_a_page_runs(checkout: Path, tmp_path: Path, page: Path) -> None:
    where = played_world(tmp_path) if "campaigns/friday.db" in python_of(page) else checkout
    done = run(where, [sys.executable, "-c", python_of(page)])
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("model", [LoreRetrievalQuery, LoreRetrievalResult, TurnResult])
def test_the_fields_of_what_programs_send_and_get_are_all_explained(model: type[BaseModel]) -> None:
    page = (PROJECT / "docs" / "library.md").read_text(encoding="utf-8")
    section = page.partition(f"### {model.__name__}\n")[2].partition("\n#")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    assert sorted(name for row in rows for name in re.findall(r"`(\w+)`", row)) == sorted(model.model_fields)


def test_install_and_ask_are_five_lines() -> None:
    page = (PROJECT / "docs" / "library.md").read_text(encoding="utf-8")
    first = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert first is not None
    assert len(first.group(1).splitlines()) == 5
    assert "install(" in first.group(1)
    assert "query(" in first.group(1)


def test_no_link_of_a_page_is_dead() -> None:
    dead = []
    for page in (PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))):
        text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        links = [target for target in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in target]
        dead += [f"{page.name}: {target}" for target in links if not (page.parent / target).exists()]
    assert dead == []
