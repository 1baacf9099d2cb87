"""Commands are the same wherever campaigns are kept: in files, or in PostgreSQL."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from lorewright.bootstrap import open_app
from lorewright.campaigns.copying import check_copy, hash_of_tables
from lorewright.cli.database import OPEN_CAMPAIGNS
from lorewright.cli.root import COMMANDS, _command
from lorewright.storage.postgres.store import PostgresStore
from support import harbour as h
from support import v0_databases
from support.command_line import run_command, workspace_environment
from support.postgres_server import new_database
from support.table_service import hall

pytestmark = pytest.mark.server

# A story that is played, taken back, branched, sent away, brought back under another name, checked and removed.
STORY = (
    ("campaign", "new", "night_boat", "--id", "tale", "--seed", "7"),
    ("play", "tale", "--script", "lines.txt"),
    ("turn", "tale", "ask Osk about Lin", "--action-id", "a1"),
    ("turn", "tale", "ask Osk about Lin", "--action-id", "a1", "--json"),
    ("turn", "tale", "/undo"),
    ("campaign", "list", "--json"),
    ("campaign", "show", "tale"),
    ("campaign", "log", "tale", "--json"),
    ("campaign", "branch", "tale", "--from", "1", "--name", "what_if"),
    ("campaign", "switch", "tale", "--branch", "what_if"),
    ("turn", "tale", "go door"),
    ("campaign", "show", "tale", "--json"),
    ("campaign", "rollback", "tale", "--turns", "1"),
    ("campaign", "log", "tale", "--turn", "1", "--diff"),
    ("session", "list", "tale"),
    ("session", "end", "tale"),
    ("session", "recap", "tale"),
    ("lore", "query", "what is under the counter", "--campaign", "tale", "--json"),
    ("lore", "entity", "harbour:tavern", "--campaign", "tale", "--as", "player"),
    ("campaign", "review", "list", "tale"),
    ("campaign", "lorebook", "tale"),
    ("prompts", "list", "--campaign", "tale", "--json"),
    ("prompts", "pin", "tale", "narrator", "v1"),
    ("pack", "show", "harbour"),
    ("metrics", "tale", "--json"),
    ("replay", "tale", "--json"),
    ("campaign", "export", "tale", "tale.lorewright"),
    ("campaign", "export", "tale", "told.lorewright", "--as", "player"),
    ("campaign", "import", "tale.lorewright", "--id", "again"),
    ("campaign", "import", "tale.lorewright", "--id", "again"),
    ("db", "migrate", "again"),
    ("turn", "again", "look"),
    ("campaign", "list"),
    ("campaign", "remove", "again", "--yes"),
    ("campaign", "show", "again"),
    ("campaign", "remove", "again", "--yes"),
    ("doctor",),
)
_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:\+00:00|Z)?)?")
_TOOK = re.compile(r'"[a-z_]*(?:ms|seconds|latency)[a-z_0-9]*": ?[\d.]+|\b\d+(?:\.\d+)? m?s\b')
# What says where a campaign was.
_WHERE = re.compile(r"is deleted: (?:\S+\.db|\w+ in PostgreSQL \S+ at [^,]+),")


def run(root: Path, *arguments: str, database: str = "") -> subprocess.CompletedProcess[str]:
    more = {"LOREWRIGHT_DATABASE": database} if database else {}
    return run_command(*arguments, environment=workspace_environment(root, **more), cwd=root)


def shown(done: subprocess.CompletedProcess[str], root: Path) -> tuple[int, str, str]:
    """An exit code and what was printed, without the time, durations, the workspace and the place of a campaign."""
    parts = []
    for text in (done.stdout, done.stderr):
        for pattern, put in ((_TOOK, "TOOK"), (_TIME, "TIME"), (_WHERE, "is deleted: PLACE,")):
            text = pattern.sub(put, text)
        parts.append(text.replace(str(root), "ROOT"))
    return (done.returncode, parts[0], parts[1])


def members(path: Path) -> dict[str, str]:
    """The members of an export, without the time and the hashes of what holds it."""
    with zipfile.ZipFile(path) as archive:
        texts = {name: _TIME.sub("TIME", archive.read(name).decode()) for name in archive.namelist()}
    return {name: re.sub(r"[0-9a-f]{64}", "HASH", text) if "manifest" in name else text for name, text in texts.items()}


@pytest.fixture
def address(postgres: str) -> str:
    return new_database(postgres)


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Two workspaces that are alike."""
    roots = []
    for name in ("files", "rows"):
        app = h.harbour(tmp_path / name)
        app.campaigns.remove("game")
        (app.workspace.root / "lines.txt").write_text("look\ntake rope\ngo tavern\nask Osk about debt\n")
        roots.append(app.workspace.root)
    return roots[0], roots[1]


@pytest.fixture
def on_postgres(tmp_path: Path, address: str) -> Iterator[tuple[Path, PostgresStore]]:
    """A workspace whose campaign `game` is in PostgreSQL alone."""
    root = h.harbour(tmp_path).workspace.root
    done = run(root, "db", "copy", "--to", address)
    assert done.returncode == 0, done.stderr
    open_app(root).campaigns.remove("game")
    with closing(PostgresStore(address)) as store:
        yield root, store


@pytest.mark.campaign
def test_a_story_is_told_alike_by_every_command(two: tuple[Path, Path], address: str) -> None:
    files, rows = two
    for command in STORY:
        here, there = run(files, *command), run(rows, *command, database=address)
        assert shown(there, rows) == shown(here, files), command
    for name in ("tale.lorewright", "told.lorewright"):
        assert members(rows / name) == members(files / name)
    assert list((rows / "campaigns").glob("*.db")) == []


def test_a_short_story_is_told_alike_by_every_command(two: tuple[Path, Path], address: str) -> None:
    files, rows = two
    ends = {("campaign", "export", "tale", "tale.lorewright"), ("campaign", "list")}
    short = (STORY[0], STORY[2], STORY[4], *(command for command in STORY if command in ends))
    for command in short:
        here, there = run(files, *command), run(rows, *command, database=address)
        assert shown(there, rows) == shown(here, files), command
    assert members(rows / "tale.lorewright") == members(files / "tale.lorewright")


def test_the_option_says_what_the_variable_says(on_postgres: tuple[Path, PostgresStore], address: str) -> None:
    root, _ = on_postgres
    assert json.loads(run(root, "campaign", "list", "--json").stdout) == []
    by_option = run(root, "campaign", "list", "--json", "--database", address)
    assert [row["id"] for row in json.loads(by_option.stdout)] == ["game"]
    assert run(root, "campaign", "list", "--json", database=address).stdout == by_option.stdout
    elsewhere = "postgresql://lorewright@127.0.0.1:9/lore"
    over = run(root, "campaign", "list", "--json", "--database", address, database=elsewhere)
    assert over.stdout == by_option.stdout


@pytest.mark.parametrize("command", [("campaign", "list"), ("turn", "game", "look"), ("db", "check"), ("play", "game")])
def test_a_database_that_does_not_answer_is_an_error_in_words(command: tuple[str, ...], tmp_path: Path) -> None:
    pytest.importorskip("psycopg", reason="make extras installs a PostgreSQL and what speaks to it")
    root = h.harbour(tmp_path).workspace.root
    done = run(root, *command, database="postgresql://ann:parrot@127.0.0.1:9/lore")
    assert done.returncode == 1
    assert "error[database_unavailable]: PostgreSQL lore at 127.0.0.1:" in done.stderr
    assert "see that PostgreSQL runs" in done.stderr
    assert "Traceback" not in done.stderr
    assert "parrot" not in done.stderr


def test_a_command_that_asks_for_no_campaign_needs_no_database(tmp_path: Path) -> None:
    root = h.harbour(tmp_path).workspace.root
    for command in (("scenario", "list"), ("pack", "list"), ("lore", "query", "rope"), ("prompts", "list")):
        done = run(root, *command, database="postgresql://lorewright@127.0.0.1:9/lore")
        assert done.returncode == 0, done.stderr


def test_a_check_finds_what_was_altered_in_postgres_and_says_what_it_leaves_to_it(
    on_postgres: tuple[Path, PostgresStore], address: str
) -> None:
    root, store = on_postgres
    for line in ("look", "take rope"):
        assert run(root, "turn", "game", line, database=address).returncode == 0
    sound = run(root, "db", "check", database=address)
    assert sound.returncode == 0
    assert "game: 3 turns, all is well" in sound.stdout
    assert "left to PostgreSQL: that pages and indexes are whole" in sound.stdout
    with store.database("game").transaction() as connection:
        connection.execute("UPDATE turns SET player_text = ? WHERE turn_no = ?", ("take everything", 2))
    done = run(root, "db", "check", "--json", database=address)
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert {finding["code"] for finding in found["campaigns"][0]["findings"]} == {"turn-altered", "request-hash"}
    assert len(found["left_to_postgresql"]) == 2
    (kept,) = (root / "campaigns" / "packs-kept").glob("*.zip")
    kept.unlink()
    done = run(root, "db", "check", "game", "--json", database=address)
    codes = {finding["code"] for finding in json.loads(done.stdout)["campaigns"][0]["findings"]}
    assert codes > {"turn-altered", "request-hash"}


def test_a_command_plays_the_story_that_a_service_has_open(
    on_postgres: tuple[Path, PostgresStore], address: str
) -> None:
    root, store = on_postgres
    with hall(open_app(root, elsewhere=store)) as served:
        browser = served.owner()
        assert browser.say("game", "look", key="k1").json()["turn_no"] == 1
        for number in range(2, 6, 2):
            told = json.loads(run(root, "turn", "game", "wait", "--json", database=address).stdout)
            assert told["turn_no"] == number
            assert browser.say("game", "wait", key=f"k{number}").json()["turn_no"] == number + 1
        assert run(root, "turn", "game", "/undo", database=address).returncode == 0
        assert browser.get("/v1/campaigns/game").json()["turn_no"] == 4
        assert browser.say("game", "look", key="k9").json()["turn_no"] == 5
    assert check_copy(store.database("game"), "game").clean


def test_what_is_imported_from_v0_is_written_where_campaigns_are_kept(
    on_postgres: tuple[Path, PostgresStore], address: str, tmp_path: Path
) -> None:
    root, store = on_postgres
    v0 = v0_databases.one_campaign(tmp_path / "old.db")
    for _ in range(2):
        done = run(root, "db", "import-v0", str(v0), "--id", "old", database=address)
        assert done.returncode == 0, done.stderr + done.stdout
    assert store.ids() == ["game", "old"]
    assert not (root / "campaigns" / "old.db").exists()
    here = run(root, "db", "import-v0", str(v0), "--id", "old")
    assert here.returncode == 0
    with open_app(root).campaigns.reading("old") as in_file:
        shapes = {len(hash_of_tables(database)) for database in (in_file.database, store.database("old"))}
    assert len(shapes) == 1


def commands_of(command: Any) -> dict[str, Any]:
    """Return the commands of a group by name, those that are imported later included; of a command itself."""
    if not hasattr(command, "list_commands"):
        return {"": command}
    return {name: command.get_command(None, name) for name in command.list_commands(None)}


def test_every_command_that_opens_campaigns_has_the_option_and_no_other() -> None:
    for name in COMMANDS:
        for leaf, made in commands_of(_command(name)).items():
            subs = commands_of(made)
            wanted = name in OPEN_CAMPAIGNS and (not OPEN_CAMPAIGNS[name] or leaf in OPEN_CAMPAIGNS[name])
            for sub in subs.values():
                has = [param.name for param in sub.params].count("database")
                assert has == int(wanted), (name, leaf)


@pytest.mark.campaign
def test_another_program_asks_for_campaigns_in_postgres(on_postgres: tuple[Path, PostgresStore], address: str) -> None:
    root, _ = on_postgres

    async def ask() -> str:
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "lorewright", "mcp", "--campaign", "game"],
            env=workspace_environment(root, LOREWRIGHT_DATABASE=address),
        )
        async with Client(stdio_client(parameters)) as client:
            played = await client.call_tool("take_turn", {"text": "look", "action_id": "a"})
            return json.dumps(played.structured_content)

    assert json.loads(asyncio.run(ask()))["turn_no"] == 1
    assert "\n1  look\n" in run(root, "campaign", "log", "game", database=address).stdout
