"""Fixed plays and fixed questions -> every byte that they leave behind, each under a key that names what it is.

    python benchmarks/golden_bytes.py record DIR [--python OTHER/.venv/bin/python] [--only 'plays/*'] [--jobs 2]
    python benchmarks/golden_bytes.py compare DIR_A DIR_B

A change that is to change no answer is recorded before and after, and compared. DIR/bytes has the files, and
DIR/digests.json a digest of each: `plays/dead_drop/dice.json` are the dice of that play, and so on with states, ops,
packets, stage records, messages, narrations and whatever else a campaign's file holds; `queries/…` are answers about
lore. Any version of the program can be recorded, for it is driven by its commands alone, and campaigns are read by SQL.
The workspace is a folder of the moment; times of day, durations and paths are taken out. The lines and questions are in
benchmarks/golden/.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.table import Table

from lorewright.storage.database import add_functions
from lorewright.storage.packed_texts import KEYS, selected

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = Path(__file__).resolve().parent / "golden"
PARLOUR = ROOT / "tests" / "fixtures" / "parlour"
CORPORA = Path(os.environ.get("LOREWRIGHT_CORPORA", ROOT.parent / "shared" / "corpora"))
EMBEDDERS = ("none", "hashing", "minilm")
SHOWN = 40  # differences that are printed in full

_VARYING = (
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(\+00:00|Z)?"), "<time>"),
    (re.compile(r'("\w*(?:elapsed|time|latency|duration)_ms": ?)[\d.]+'), r"\1<ms>"),
)
# How a campaign's file is told apart: table, and the columns that are a kind of their own.
_OF_TURN = ("turn_no", "turn_id")

Record = dict[str, str]


@dataclass(frozen=True, slots=True)
class Program:
    """A version of the program, and the folder of the moment that it is run in."""

    python: str
    scratch: Path

    def workspace(self, name: str) -> Path:
        """Return the folder of a workspace: one for each embedder, and for each pack of the corpora."""
        return self.scratch / name

    def run(self, workspace: str, *arguments: str) -> str:
        """Run one command in a workspace; return what it printed and its exit code, without what varies.

        Raises:
            SystemExit: a signal ended it, so that what it left is no record of the program.
        """
        folder = self.workspace(workspace)
        folder.mkdir(parents=True, exist_ok=True)
        home = str(self.scratch / "home")
        environment = {
            **{name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH") if name in os.environ},
            **dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"), home),
            "LOREWRIGHT_WORKSPACE": str(folder),
            "LOREWRIGHT_EMBEDDER": workspace.rpartition("-")[2],
            "LOREWRIGHT_CHROMA": "never",
            "COLUMNS": "120",
            "NO_COLOR": "1",
            "TERM": "dumb",
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
            "PYTHONUTF8": "1",
        }
        command = [self.python, "-P", "-m", "lorewright", *arguments]
        ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, input=b"")
        if ran.returncode < 0:
            sys.exit(f"signal {-ran.returncode} ended `lorewright {' '.join(arguments)}`: record again")
        printed, complained = (one.decode("utf-8", "backslashreplace") for one in (ran.stdout, ran.stderr))
        told = f"$ lorewright {' '.join(arguments)}\nexit {ran.returncode}\n{printed}\n--- stderr\n{complained}"
        return self.settled(told)

    def settled(self, text: str) -> str:
        """Return a text without times of day, durations and the paths of this run."""
        return without_varying(text, {str(self.scratch): "<scratch>", str(CORPORA): "<corpora>", str(ROOT): "<root>"})


def without_varying(text: str, paths: Mapping[str, str]) -> str:
    """Return a text with its times of day, durations and the given paths replaced by names of them."""
    for path, name in paths.items():
        text = text.replace(path, name)
    for pattern, name in _VARYING:
        text = pattern.sub(name, text)
    return text


def record(program: Program, *, jobs: int, wants: Callable[[str], bool], tell: Callable[[str], None]) -> Record:
    """Play and ask all that is wanted; return what came of it, by key."""
    plays = {key: play for key, play in read("plays.yaml").items() if wants(f"plays/{key}")}
    asked = read("queries.yaml")
    doors = {
        key: door for key, (campaign, door) in read("doors.yaml").items() if campaign in plays and wants(f"doors/{key}")
    }
    embedders = [
        name
        for name in EMBEDDERS
        if wants(f"queries/{name}") or any(play.get("embedder", "none") == name for play in plays.values())
    ]
    found: Record = {}

    def in_turns(work: Iterable[Callable[[], Record]]) -> None:
        with ThreadPoolExecutor(jobs) as pool:
            for made in pool.map(lambda one: one(), work):
                found.update(made)
                for key in made:
                    tell(key)

    in_turns(partial(set_up, program, name, asked["shipped"]["packs"]) for name in embedders)
    for key, play in plays.items():
        prepare(program, key, play)
    in_turns(partial(played, program, key, play) for key, play in plays.items())
    for name in embedders:
        for path in sorted(program.workspace(name).glob("campaigns/*.db")):
            found |= {f"plays/{path.stem}/{kind}": program.settled(text) for kind, text in read_campaign(path)}
    in_turns(partial(asked_at, program, key, door) for key, door in doors.items())
    for name in embedders:
        if wants(f"queries/{name}"):
            in_turns(questions(program, name, asked["shipped"]))
    for name, corpus in asked["corpora"].items():
        if wants(f"corpora/{name}"):
            in_turns(of_corpus(program, name, corpus))
    return found


def read(name: str) -> dict[str, Any]:
    """Return what a file of benchmarks/golden says."""
    told: dict[str, Any] = yaml.safe_load((GOLDEN / name).read_text(encoding="utf-8"))
    return told


def set_up(program: Program, embedder: str, packs: Sequence[str]) -> Record:
    """Make the workspace of an embedder with some packs installed, and notes to walk in; return what was printed."""
    folder = program.workspace(embedder)
    told = {f"set_up/{embedder}/init.txt": program.run(embedder, "init", str(folder))}
    shutil.copytree(PARLOUR, folder / "content_packs" / "parlour")
    shutil.copytree(GOLDEN / "notes", folder / "notes")
    for pack in (*packs, *(("parlour",) if embedder == "none" else ())):
        told[f"set_up/{embedder}/{pack}.txt"] = program.run(embedder, "pack", "install", f"content_packs/{pack}")
    return told


def prepare(program: Program, key: str, play: Mapping[str, Any]) -> None:
    """Write the lines of a play into its workspace, and its scenario under an ID of its own."""
    folder = program.workspace(play.get("embedder", "none"))
    (folder / f"{key}.txt").write_text("".join(f"{line}\n" for line in play["lines"]), encoding="utf-8")
    if "scenario" in play:
        name = play["scenario"]
        source = GOLDEN / "scenarios" / name if name.endswith(".yaml") else folder / "scenarios" / f"{name}.yaml"
        text = re.sub(r"^id: .*$", f"id: {key}", source.read_text(encoding="utf-8"), count=1, flags=re.MULTILINE)
        (folder / "scenarios" / f"{key}.yaml").write_text(text, encoding="utf-8")


def played(program: Program, key: str, play: Mapping[str, Any]) -> Record:
    """Play the lines of one play in a campaign of their own; return its screen."""
    command = ["explore", play["walk"]] if "walk" in play else ["play", key, "--debug", "--verbose"]
    seed = ("--seed", str(play["seed"]), "--script", f"{key}.txt")
    return {f"plays/{key}/screen.txt": program.run(play.get("embedder", "none"), *command, *seed)}


def read_campaign(path: Path) -> Iterator[tuple[str, str]]:
    """Yield what the file of a campaign holds: kind -> JSON, one kind a time."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        add_functions(database)
        names = [
            name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        ]
        tables = {name: rows_of(database, name) for name in names if not name.startswith("sqlite_") and name != KEYS}
    turns = sorted(tables.pop("turns"), key=lambda row: (row["turn_no"], row["turn_id"]))
    numbers = {row["turn_id"]: row["turn_no"] for row in turns}
    results = {row["turn_id"]: dict(row.pop("result_json")) for row in turns}

    def by_turn(value: Callable[[dict[str, Any]], Any]) -> str:
        return written([{**{name: row[name] for name in _OF_TURN}, "is": value(row)} for row in turns])

    yield "dice.json", by_turn(lambda row: results[row["turn_id"]].pop("rolls", None))
    told = ("final_text", "clarification_question", "suggestions")
    yield "narrations.json", by_turn(lambda row: {name: results[row["turn_id"]].pop(name, None) for name in told})
    yield "ops.json", by_turn(lambda row: row.pop("ops_json"))
    yield "state_hashes.json", by_turn(lambda row: row.pop("state_hash"))
    yield "results.json", by_turn(lambda row: results[row["turn_id"]])
    yield "turns.json", written(turns)
    records = [with_number(row, numbers) for row in tables.pop("stage_records")]
    records.sort(key=lambda row: (row["turn_no"], row["turn_id"], row["seq"]))
    for kind, columns in (
        ("packets.json", {"input_json"}),
        ("stage_records.json", set(records[0]) - {"input_json"} if records else set()),
    ):
        named = {*_OF_TURN, "seq", "stage"}
        yield (
            kind,
            written([{name: value for name, value in row.items() if name in columns | named} for row in records]),
        )
    for name, table in tables.items():
        rows = [with_number(row, numbers) for row in table]
        yield (
            {"world_states": "states.json", "messages": "messages.json"}.get(name, f"tables/{name}.json"),
            written(rows),
        )


def with_number(row: Mapping[str, Any], numbers: Mapping[str, int]) -> dict[str, Any]:
    """Return a row with the number of its turn first, where it is of a turn."""
    return {"turn_no": numbers.get(row["turn_id"]), **row} if "turn_id" in row else dict(row)


def rows_of(database: sqlite3.Connection, table: str) -> list[dict[str, Any]]:
    """Return the rows of a table, JSON in them read, in an order that follows from what they hold."""
    names = [column[1] for column in database.execute(f'PRAGMA table_info("{table}")')]
    cursor = database.execute(f'SELECT {selected(table, *names)} FROM "{table}"')
    rows = [dict(zip(names, map(decoded, row), strict=True)) for row in cursor]
    return sorted(rows, key=lambda row: without_varying(json.dumps(row), {}))


def decoded(value: Any) -> Any:
    """Return the object or list that a text is the JSON of, else the value; of bytes their digest."""
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def written(value: Any) -> str:
    """Return a value as JSON with a line for each part; keys stay in the order in which they were stored."""
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def asked_at(program: Program, key: str, arguments: Sequence[str]) -> Record:
    """Ask one command about a campaign that was played; return its answer, and the files that it wrote."""
    target = program.workspace("none") / "exported"
    target.mkdir(exist_ok=True)
    told = {f"doors/{key}.txt": program.run("none", *arguments)}
    for path in (Path(one) for one in arguments if one.startswith("exported/")):
        for file in sorted(target.glob(f"{path.name}*")):
            told[f"doors/{key}/{file.name}"] = program.settled(file.read_bytes().decode("utf-8", "backslashreplace"))
    return told


def questions(program: Program, embedder: str, asked: Mapping[str, Any]) -> Iterator[Callable[[], Record]]:
    """Yield what is to be asked of the packs that ship, with one embedder: each gives its answer by key."""
    batch = [{"id": f"q{number}", **one} for number, one in enumerate(asked["batch"], start=1)]
    (program.workspace(embedder) / "batch.jsonl").write_text("".join(json.dumps(one) + "\n" for one in batch))
    question, missing = asked["why_not"]
    words, budgets = asked["budgets"]
    commands: dict[str, list[str]] = {}
    for viewer in asked["viewers"]:
        commands[f"batch/{viewer}"] = ["lore", "query", "--batch", "batch.jsonl", "--as", viewer]
    # Vectors change which sections are found and why, not how a scene or an entity is put together.
    few = slice(None) if embedder == "none" else slice(1)
    for viewer in asked["viewers"][:2]:
        for number, one in enumerate(asked["explained"][few], start=1):
            commands[f"explained/{viewer}/{number}"] = ["lore", "query", *one, "--as", viewer, "--explain", "--json"]
        for number, one in enumerate(asked["scenes"][few], start=1):
            commands[f"scenes/{viewer}/{number}"] = ["lore", "scene", *one, "--as", viewer, "--explain", "--json"]
        for one in asked["entities"] if embedder == "none" else ():
            commands[f"entities/{viewer}/{one}"] = ["lore", "entity", one, "--as", viewer, "--json"]
    if embedder == "none":
        commands["shown/explained"] = ["lore", "query", *asked["explained"][0], "--explain"]
        commands["shown/scene"] = ["lore", "scene", *asked["scenes"][0], "--explain", "--as", "player"]
        commands["shown/why_not"] = ["lore", "query", question, "--why-not", missing, "--as", "player"]
        commands["shown/budgets"] = ["lore", "query", words, "--diff-budget", budgets]
    for key, arguments in commands.items():
        yield partial(answered, program, f"queries/{embedder}/{key.replace(':', '-')}.txt", embedder, arguments)


def answered(program: Program, key: str, workspace: str, arguments: Sequence[str]) -> Record:
    """Run one command; return what it printed under a key."""
    return {key: program.run(workspace, *arguments)}


def of_corpus(program: Program, name: str, corpus: Mapping[str, Any]) -> Iterator[Callable[[], Record]]:
    """Yield what is to be asked of a pack of the corpora; nothing where it is not there."""
    pack, file = CORPORA / "packs" / name, CORPORA / "questions" / corpus["questions"]
    if not pack.is_dir() or not file.is_file():
        return
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()[: corpus["first"]]]
    batch = "".join(json.dumps({"id": one["id"], "query": one["query"]}) + "\n" for one in lines)

    def ask(embedder: str) -> Record:
        workspace = f"{name}-{embedder}"
        found = {
            f"corpora/{name}/{embedder}/install.txt": program.run(workspace, "pack", "install", str(pack), "--lenient")
        }
        (program.workspace(workspace) / "batch.jsonl").write_text(batch)
        for viewer in ("gm", "player"):
            told = program.run(workspace, "lore", "query", "--batch", "batch.jsonl", "--as", viewer)
            found[f"corpora/{name}/{embedder}/{viewer}.txt"] = told
        explained = program.run(workspace, "lore", "query", lines[0]["query"], "--explain", "--json")
        return found | {f"corpora/{name}/{embedder}/explained.txt": explained}

    for embedder in corpus["embedders"]:
        yield partial(ask, embedder)


def save(found: Record, folder: Path) -> None:
    """Write a record into a folder, in place of what stood there.

    Raises:
        SystemExit: the folder holds something else.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / "digests.json").is_file():
        sys.exit(f"{folder} holds something that is no record: name another folder")
    shutil.rmtree(folder / "bytes", ignore_errors=True)
    for key, text in found.items():
        path = folder / "bytes" / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    digests = {key: hashlib.sha256(found[key].encode()).hexdigest() for key in sorted(found)}
    (folder / "digests.json").write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")


def load(folder: Path) -> Record:
    """Return the record that a folder holds.

    Raises:
        SystemExit: it holds none, or its bytes are not those that were digested.
    """
    if not (folder / "digests.json").is_file():
        sys.exit(f"{folder} holds no record: make one with `record {folder}`")
    digests = json.loads((folder / "digests.json").read_text(encoding="utf-8"))
    found = {key: (folder / "bytes" / key).read_bytes().decode() for key in digests}
    for key, text in found.items():
        if hashlib.sha256(text.encode()).hexdigest() != digests[key]:
            sys.exit(f"{folder / 'bytes' / key} was changed after it was recorded: record it again")
    return found


@dataclass(frozen=True, slots=True)
class Difference:
    """A key whose bytes differ: where it begins, and the first line of both that is not the same."""

    key: str
    line: int
    within: str
    before: str | None
    after: str | None

    @property
    def kind(self) -> str:
        """Return what differs: the key without the name of the play or the pack."""
        parts = self.key.split("/")
        return "/".join((parts[0], *parts[2:])) if parts[0] == "plays" else "/".join(parts[:2])


def differences(before: Record, after: Record) -> list[Difference]:
    """Return the first difference of each key that does not hold the same bytes in both records, by key."""
    found = []
    for key in sorted(before.keys() | after.keys()):
        if key not in before or key not in after:
            there = "only before" if key in before else "only after"
            found.append(Difference(key, 0, there, before.get(key) and "", after.get(key) and ""))
        elif before[key] != after[key]:
            found.append(first_difference(key, before[key], after[key]))
    return found


def first_difference(key: str, before: str, after: str) -> Difference:
    """Return where two texts part first, with the turn or the command that this belongs to."""
    within = ""
    for number, (one, other) in enumerate(zip_longest(before.splitlines(), after.splitlines()), start=1):
        if one != other:
            return Difference(key, number, within, one, other)
        if one is not None and ('"turn_no"' in one or one.startswith(("> ", "$ "))):
            within = one.strip().rstrip(",")
    return Difference(key, 0, "line ends", before[-20:], after[-20:])


def shown(found: Sequence[Difference], console: Console) -> None:
    """Print how many keys of each kind differ, then where the first ones part."""
    counted: dict[str, int] = {}
    for one in found:
        counted[one.kind] = counted.get(one.kind, 0) + 1
    table = Table("what differs", "keys")
    for kind, count in sorted(counted.items()):
        table.add_row(kind, str(count))
    console.print(table)
    for one in found[:SHOWN]:
        console.print(f"{one.key}:{one.line}  {one.within}", style="bold", markup=False)
        console.print(f"  - {excerpt(one.before, one.after)}\n  + {excerpt(one.after, one.before)}", markup=False)
    if len(found) > SHOWN:
        console.print(f"… and {len(found) - SHOWN} more")


def excerpt(text: str | None, other: str | None) -> str:
    """Return the part of a line in which it begins to differ from another."""
    if text is None:
        return "(ends before)"
    at = next((n for n, (one, two) in enumerate(zip(text, other or "", strict=False)) if one != two), len(other or ""))
    return ("…" if at > 60 else "") + text[max(0, at - 60) : at + 120]


def main() -> None:
    """Record, or compare two records; exit 1 where they differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    doing = parser.add_subparsers(dest="doing", required=True)
    recording = doing.add_parser("record", help="play and ask, and write a record")
    recording.add_argument("folder", type=Path)
    recording.add_argument(
        "--python", default=sys.executable, help="the interpreter that has the version to be recorded"
    )
    recording.add_argument("--jobs", type=int, default=1, help="commands that run at once")
    comparing = doing.add_parser("compare", help="say what differs between two records")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    for one in (recording, comparing):
        one.add_argument(
            "--only", action="append", help="only what matches: 'plays/dead*', 'queries/none', 'corpora/*'"
        )
    given: Any = parser.parse_args()
    only: list[str] | None = given.only

    def wants(key: str) -> bool:
        return only is None or any(fnmatch.fnmatch(key, one) for one in only)

    console = Console(width=140, highlight=False)
    if given.doing == "compare":
        before, after = (
            {key: text for key, text in load(folder).items() if wants(key)} for folder in (given.before, given.after)
        )
        found = differences(before, after)
        if found:
            shown(found, console)
        console.print(f"{len(before)} keys before, {len(after)} after, {len(found)} differ")
        sys.exit(1 if found else 0)
    python = str(Path(given.python).absolute())
    with tempfile.TemporaryDirectory(prefix="golden-") as folder, Console(stderr=True).status("recording") as status:
        program = Program(python, Path(folder).resolve())
        made = record(program, jobs=given.jobs, wants=wants, tell=status.update)
    save(made, given.folder)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    console.print(f"{len(made)} keys in {given.folder}, {used.ru_utime + used.ru_stime:.0f} CPU seconds")


if __name__ == "__main__":
    main()
