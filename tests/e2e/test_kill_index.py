"""Indexing and embedding under SIGKILL, in company and on damaged disks: answers are whole or words alone, what was
embedded is not embedded again, and afterwards `doctor` finds all well."""

from __future__ import annotations

import json
import random
import shutil
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from lorewright.index.embedding_cache import EmbeddingCache
from lorewright.settings import CHROMA_VARIABLE, EMBEDDER_VARIABLE, FOLDERS, SETTINGS_FILE
from lorewright.storage.faults import EMBED_STEPS, INSTALL_STEPS, KILL_VARIABLE, RECORD_STEPS
from support.forked_commands import Commands, Ended
from support.scale import scaled
from support.tally import counted

KILLS = scaled(10)
BATCH = 256  # the hashing embedder's
ENVIRONMENT = {EMBEDDER_VARIABLE: "hashing", CHROMA_VARIABLE: "never"}

pytestmark = [pytest.mark.campaign, pytest.mark.trust]


@pytest.fixture(scope="module")
def commands() -> Iterator[Commands]:
    one = Commands(ENVIRONMENT)
    yield one
    one.close()


@pytest.fixture(scope="module")
def others() -> Iterator[Commands]:
    """For whoever does something at the same time."""
    one = Commands(ENVIRONMENT)
    yield one
    one.close()


# Packs of some 300 windows, more than one batch.

WORDS = "harbour lantern kestrel debt cellar fiddle gull rope captain winter ledger salt anchor storm oath bell".split()
QUESTIONS = ("who owes the captain", "bell in the cellar storm", "kestrel and the ledger of salt")


def write_pack(folder: Path, pack_id: str, version: int = 1) -> Path:
    chance = random.Random(f"{pack_id}{version}")
    (folder / pack_id).mkdir(parents=True, exist_ok=True)
    (folder / pack_id / "pack.yaml").write_text(f"id: {pack_id}\nname: {pack_id}\nversion: {version}.0.0\n")
    for number in range(5):
        sections = (f"## Part {n}\n\n{' '.join(chance.choices(WORDS, k=290))}." for n in range(12))
        text = f"# Place {number}\n\nPlace {number} of {pack_id}.\n\n" + "\n\n".join(sections) + "\n"
        (folder / pack_id / f"place_{number}.md").write_text(text)
    return folder / pack_id


def workspace(root: Path) -> Path:
    for name in FOLDERS:
        (root / name).mkdir(parents=True)
    (root / SETTINGS_FILE).write_text('name = "test"\n')
    lines = "".join(json.dumps({"id": str(n), "query": text}) + "\n" for n, text in enumerate(QUESTIONS))
    (root / "questions.jsonl").write_text(lines)
    return root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_pack(tmp_path / "packs", "port")
    return workspace(tmp_path / "workspace")


def source(root: Path, pack_id: str = "port") -> str:
    return str(root.parent / "packs" / pack_id)


def answers(commands: Commands, root: Path, **environment: str) -> str:
    """The answers of a fresh process, without the time that they took and why some went by words alone; empty where no
    pack is installed."""
    ended = commands.run(root, "lore", "query", "--batch", str(root / "questions.jsonl"), "--json", **environment)
    if ended.code:
        assert "pack install" in ended.err or "doctor" in ended.err, ended
        return ""
    told = [{**json.loads(line), "query_time_ms": 0, "words_alone": None} for line in ended.out.splitlines()]
    return json.dumps(told)


@dataclass(frozen=True, slots=True)
class Right:
    """What a workspace answers in which nothing ever went wrong: by words alone, and with vectors."""

    words: str
    whole: str


@pytest.fixture(scope="module")
def right(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Right]:
    """By the version of the pack."""
    found = {}
    for version in (1, 2):
        folder = tmp_path_factory.mktemp(f"right{version}")
        pack = write_pack(folder / "packs", "port", version)
        told = []
        for embedder in ("none", "hashing"):
            root = workspace(folder / embedder)
            assert commands.run(root, "pack", "install", str(pack), **{EMBEDDER_VARIABLE: embedder}).code == 0
            told.append(answers(commands, root, **{EMBEDDER_VARIABLE: embedder}))
        found[version] = Right(*told)
    assert len({one for right in found.values() for one in (right.words, right.whole)}) == 4
    return found


def installed(ended: Ended) -> tuple[int, int]:
    """How many windows there are, and how many of them were embedded now."""
    assert ended.code == 0, ended
    found = json.loads(ended.out)
    embedding = (found if isinstance(found, dict) else found[0])["embedding"]
    return embedding["windows"], embedding["new"]


def kept(root: Path) -> int:
    return EmbeddingCache(root / "indexes" / "embeddings.db").count()


def assert_well(commands: Commands, root: Path, **environment: str) -> None:
    """A doctor mends whatever there is, and a second one finds nothing."""
    mended = commands.run(root, "doctor", "--json", **environment)
    assert mended.code == 0, mended
    found = json.loads(commands.run(root, "doctor", "--json", **environment).out)
    assert (found["clean"], found["faults"]) == (True, [])


ALWAYS = {CHROMA_VARIABLE: "always"}
STEPS = [(step, {}) for step in (*INSTALL_STEPS, *RECORD_STEPS, *EMBED_STEPS)]
CHROMA_STEPS = [("embed:renamed", ALWAYS), ("embed:indexed", ALWAYS)]


@pytest.mark.parametrize(("step", "environment"), [*STEPS, *CHROMA_STEPS])
def test_an_install_that_is_killed_at_a_step_is_finished_by_the_next(
    commands: Commands, root: Path, right: dict[int, Right], step: str, environment: dict[str, str]
) -> None:
    killed = commands.run(root, "pack", "install", source(root), **{KILL_VARIABLE: step}, **environment)
    assert killed.code == -signal.SIGKILL
    recorded = step == "install:recorded" or step in EMBED_STEPS
    embedded = step in ("embed:renamed", "embed:indexed")
    expected = right[1].whole if embedded else right[1].words if recorded else ""
    assert answers(commands, root, **environment) == expected
    known = kept(root)
    assert (known == 0) == (not recorded or step in ("install:recorded", "embed:batch"))
    windows, new = installed(commands.run(root, "pack", "install", source(root), "--json", **environment))
    assert new == (0 if embedded else windows - known)
    assert step != "embed:kept" or known == BATCH
    assert answers(commands, root, **environment) == right[1].whole
    assert_well(commands, root, **environment)
    assert list((root / "indexes" / "generations").glob(".*-[0-9]*")) == []


@pytest.mark.parametrize("step", [*INSTALL_STEPS, *RECORD_STEPS, *EMBED_STEPS])
def test_a_reindex_that_is_killed_at_a_step_is_finished_by_the_doctor(
    commands: Commands, root: Path, right: dict[int, Right], step: str
) -> None:
    assert commands.run(root, "pack", "install", source(root)).code == 0
    write_pack(root.parent / "packs", "port", 2)
    assert commands.run(root, "pack", "reindex", "port", **{KILL_VARIABLE: step}).code == -signal.SIGKILL
    recorded = step == "install:recorded" or step in EMBED_STEPS
    after = right[2].whole if step in ("embed:renamed", "embed:indexed") else right[2].words
    assert answers(commands, root) == (after if recorded else right[1].whole)
    looked = commands.run(root, "doctor", "--dry-run")
    assert looked.code == 1, looked
    assert_well(commands, root)
    assert answers(commands, root) == right[2].whole


def test_kills_at_random_moments_leave_nothing_half_and_lose_no_batch_that_was_kept(
    commands: Commands, root: Path, right: dict[int, Right]
) -> None:
    chance = random.Random(11)
    version, window, killed = 1, 0.8, 0
    possible = {""}
    for kill in range(KILLS):
        before, anew = version, chance.random() < 0.5
        version = chance.choice((1, 2))
        write_pack(root.parent / "packs", "port", version)
        if anew:  # there is something to embed again
            (root / "indexes" / "embeddings.db").unlink(missing_ok=True)
        possible |= {right[before].whole, right[before].words, right[version].words, right[version].whole}
        began = time.monotonic()
        commands.start(root, "pack", "install", source(root))
        moment = began + window * chance.uniform(0.05, 1.0)
        time.sleep(max(0.0, moment - time.monotonic()))
        commands.kill()
        ended = commands.end()
        killed += ended.code == -signal.SIGKILL
        window = min(window * 1.05, 2.0) if ended.code == -signal.SIGKILL else (moment - began) * 1.05
        found = answers(commands, root)
        assert found in possible
        possible = {found, *(() if found else ("",))}
        if kill % 10 == 9:
            known = kept(root)
            if chance.random() < 0.5:
                windows, new = installed(commands.run(root, "pack", "install", source(root), "--json"))
                assert new in (0, windows - known) or known > windows
            assert_well(commands, root)
            assert answers(commands, root) in ("", right[version].whole)
            possible = {"", right[version].whole}
    assert killed >= KILLS // 4
    counted("kills", "pack install with vectors", KILLS, killed=killed)


def test_two_that_install_at_once_both_end_well(
    commands: Commands, others: Commands, root: Path, right: dict[int, Right]
) -> None:
    write_pack(root.parent / "packs", "town")
    for first, second in (("port", "port"), ("port", "town")):
        shutil.rmtree(root / "indexes")
        (root / "indexes").mkdir()
        commands.start(root, "pack", "install", source(root, first), "--json")
        others.start(root, "pack", "install", source(root, second), "--json")
        told = [installed(commands.end()), installed(others.end())]
        # Each window is embedded by one of them.
        assert sum(new for _, new in told) == kept(root)
        assert_well(commands, root)
    assert commands.run(root, "pack", "remove", "town").code == 0
    assert answers(commands, root) == right[1].whole


def test_who_asks_while_another_installs_gets_the_old_or_the_new(
    commands: Commands, others: Commands, root: Path, right: dict[int, Right]
) -> None:
    seen: set[str] = set()
    for version in (1, 2, 1, 2):
        write_pack(root.parent / "packs", "port", version)
        others.start(root, "pack", "install", source(root))
        for _ in range(4):
            seen |= one_by_one(answers(commands, root))
        assert others.end().code == 0
        assert answers(commands, root) == right[version].whole
        # And a doctor beside an install deletes nothing that the other needs.
        others.start(root, "pack", "install", source(root))
        assert commands.run(root, "doctor").code == 0
        assert others.end().code == 0
        assert answers(commands, root) == right[version].whole
    # Each question of a process may meet another index, and each answer is of one.
    expected = [told for both in right.values() for told in (both.words, both.whole)]
    assert seen <= set().union(*map(one_by_one, expected))


def one_by_one(told: str) -> set[str]:
    return {json.dumps(one) for one in json.loads(told or "[]")}


# Damaged disks


@pytest.fixture(scope="module")
def sound(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the pack in it, and Chroma."""
    root = workspace(tmp_path_factory.mktemp("sound") / "workspace")
    write_pack(root / "content_packs", "port")
    assert commands.run(root, "pack", "install", str(root / "content_packs" / "port"), **ALWAYS).code == 0
    return root


@pytest.fixture
def damaged(commands: Commands, sound: Path, tmp_path: Path) -> Path:
    """A copy of it, whose list of packs names the copy's folder."""
    root = shutil.copytree(sound, tmp_path / "workspace")
    (root / "indexes" / "library.db").unlink()
    assert commands.run(root, "pack", "install", str(root / "content_packs" / "port")).code == 0
    return root


FILES = (
    "indexes/generations/port/*keywords*/chunks.db",
    "indexes/generations/port/*hashing*/chunks.db",
    "indexes/generations/port/*hashing*/vectors.npy",
    "indexes/generations/port/*hashing*/vectors.json",
    "indexes/embeddings.db",
    "indexes/library.db",
)
CHROMA_FILES = (
    "indexes/generations/port/*hashing*/chroma/*.sqlite3",
    "indexes/generations/port/*hashing*/chroma/*/link_lists.bin",
    "indexes/generations/port/*hashing*/chroma/*/data_level0.bin",
)


HOWS = ("cut", "bits", "head", "bit")
# Two kinds of damage to each file in turn, all four from CAMPAIGN_SCALE=2 on.
DAMAGES = [
    (pattern, HOWS[(number + at) % len(HOWS)])
    for number, pattern in enumerate(FILES)
    for at in range(min(scaled(2), len(HOWS)))
]


def damage(path: Path, how: str, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    if how == "cut":
        data = data[: chance.randrange(len(data) or 1)]
    elif how == "head":
        data[: min(100, len(data))] = bytes(min(100, len(data)))
    else:
        for _ in range(1 if how == "bit" else 200):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(bytes(data))


@pytest.mark.parametrize(("pattern", "how"), DAMAGES)
def test_a_damaged_file_kills_nobody_and_is_mended(
    commands: Commands, damaged: Path, right: dict[int, Right], pattern: str, how: str
) -> None:
    shutil.rmtree(next(damaged.glob("indexes/generations/port/*/chroma")))  # to check it takes a second
    damage(next(damaged.glob(pattern)), how, random.Random(pattern + how))
    found = answers(commands, damaged)
    # A bit in a text or a number is seen by the doctor, who looks at every byte, and not by each question.
    assert how.startswith("bit") or found in ("", right[1].whole, right[1].words)
    assert_well(commands, damaged)
    assert answers(commands, damaged) == right[1].whole


@pytest.mark.parametrize("pattern", CHROMA_FILES)
def test_a_damaged_chroma_changes_no_answer_and_is_mended(
    commands: Commands, damaged: Path, right: dict[int, Right], pattern: str
) -> None:
    path = next((one for one in damaged.glob(pattern) if one.stat().st_size), None)
    if path is None:
        pytest.skip("this version of Chroma has no such file")
    damage(path, "bits", random.Random(pattern))
    assert answers(commands, damaged, **ALWAYS) == right[1].whole
    assert_well(commands, damaged, **ALWAYS)
    assert answers(commands, damaged, **ALWAYS) == right[1].whole
