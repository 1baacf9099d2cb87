"""Random damage to every kind of file: the answer is right, or the damage is said, and what can be made again is made again;
nothing wrong passes for right, and nothing ends in a traceback."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.command_cases import OUT, played
from support.copied_workspaces import copied_workspace
from support.forked_commands import Commands, Ended
from support.scale import scaled
from support.tally import Tally

pytestmark = [pytest.mark.campaign, pytest.mark.trust]

HITS = scaled(3)
GENERATION = "indexes/generations/harbour/*hashing*"
# Each kind of file, and whether it can be made anew from others.
FILES = {
    "campaign": ("campaigns/game.db", False),
    "kept pack": ("campaigns/packs-kept/*.zip", False),
    "words": (f"{GENERATION}/chunks.db", True),
    "vectors": (f"{GENERATION}/vectors.npy", True),
    "about vectors": (f"{GENERATION}/vectors.json", True),
    "kept vectors": ("indexes/embeddings.db", True),
    "list of packs": ("indexes/library.db", True),
    "export": (f"{OUT}/game.lorewright", False),
}
HOWS = ("bit", "bytes", "page", "cut")
QUESTIONS = {
    "query": ("lore", "query", "who keeps the tavern", "--pack", "harbour", "--json"),
    "log": ("campaign", "log", "game", "--json"),
    "show": ("campaign", "show", "game", "--json"),
    "turn": ("turn", "game", "look", "--action-id", "x", "--json"),
    "import": ("campaign", "import", "{out}/game.lorewright", "--id", "imported"),
    "imported": ("campaign", "log", "imported", "--json"),
}


@pytest.fixture(scope="module")
def commands() -> Iterator[Commands]:
    made = Commands({"LOREWRIGHT_EMBEDDER": "hashing"})
    yield made
    made.close()


def sound(commands: Commands, root: Path) -> Path:
    """Return a workspace with vectors, a campaign and its export."""

    def make(at: Path) -> None:
        played(at)
        assert commands.run(at, "pack", "reindex").code == 0
        assert commands.run(at, "campaign", "export", "game", str(at / OUT / "game.lorewright")).code == 0

    return copied_workspace(root / "workspace", make, "damaged files")


def damage(path: Path, how: str, chance: random.Random) -> None:
    """Flip a bit, write over eight bytes or a page, or cut off an end."""
    data = bytearray(path.read_bytes())
    at = chance.randrange(len(data))
    if how == "bit":
        data[at] ^= 1 << chance.randrange(8)
    elif how == "bytes":
        data[at : at + 8] = chance.randbytes(8)
    elif how == "page":
        first = at // 4096 * 4096
        data[first : first + 4096] = bytes(len(data[first : first + 4096]))
    else:
        del data[at:]
    path.write_bytes(bytes(data))


def answers(commands: Commands, root: Path, tally: Tally) -> dict[str, Ended]:
    """Return how each question ended; a traceback is counted and ends it with 70."""
    found: dict[str, Ended] = {}
    for name, words in QUESTIONS.items():
        try:
            found[name] = commands.run(root, *(word.format(out=root / OUT) for word in words))
        except AssertionError as traceback:
            tally.fault("traceback", f"{' '.join(words)}: {str(traceback)[-300:]}")
            found[name] = Ended(70, "", "")
    return found


def told(name: str, ended: Ended) -> Any:
    """Return what somebody reads of an answer: no times, no IDs of the moment."""
    if ended.code or name == "import":
        return None
    data = json.loads(ended.out)
    if name == "query":
        return [(chunk["chunk_id"], chunk["text"]) for chunk in data["chunks"]]
    if name == "turn":
        return data["final_text"]
    return json.dumps(data, sort_keys=True)


@pytest.mark.parametrize("kind", FILES)
def test_damage_is_said_or_does_no_harm(commands: Commands, tmp_path: Path, kind: str) -> None:
    pattern, is_made_again = FILES[kind]
    tally, chance = Tally("damage", kind), random.Random(kind)
    whole = sound(commands, tmp_path / "whole")
    right = {name: told(name, ended) for name, ended in answers(commands, whole, tally).items()}
    assert all(value is not None for name, value in right.items() if name != "import")
    for number in range(HITS):
        root = sound(commands, tmp_path / str(number))
        how = HOWS[number % len(HOWS)]
        damage(next(iter(sorted(root.glob(pattern)))), how, chance)
        tally.tried += 1
        said = _said(commands, root)
        seen = answers(commands, root, tally)
        wrong = [name for name, ended in seen.items() if ended.code == 0 and told(name, ended) != right[name]]
        if any(ended.code not in (0, 1) for ended in seen.values()):
            tally.seen["no clear end"] += 1
        for name in wrong:
            if not (said or seen[name].err):
                tally.fault("wrong unseen", f"{how}, try {number}: {name}: {told(name, seen[name])}, not {right[name]}")
        outcome = (
            "told with an error" if any(ended.code for ended in seen.values()) else "said" if wrong or said else "right"
        )
        tally.seen[outcome] += 1
        if kind in ("vectors", "about vectors") and "words_alone" not in seen["query"].out and "query" in wrong:
            tally.fault("wrong unseen", f"{how}, try {number}: found by words alone, and no field says so")
        commands.run(root, "doctor")
        if is_made_again:
            again = told("query", commands.run(root, *QUESTIONS["query"]))
            if again != right["query"]:
                tally.fault("lost", f"{how}, try {number}: after the doctor: {again}")
        shutil.rmtree(root.parent)
    tally.close()


def _said(commands: Commands, root: Path) -> bool:
    """Tell whether a check of the campaign or of the indexes finds something."""
    checks = (("db", "check", "game"), ("doctor", "--dry-run"))
    return any(commands.run(root, *words).code for words in checks)
