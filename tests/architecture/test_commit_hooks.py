"""`.pre-commit-config.yaml`: its hooks need nothing but the checkout and its .venv, and the checkout passes them."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
CONFIG = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
HOOKS: list[dict[str, Any]] = [hook for repo in CONFIG["repos"] for hook in repo["hooks"]]
PATTERNS = {hook["id"]: hook for hook in HOOKS if hook["language"] == "pygrep"}


def found_by(hook: dict[str, Any], text: str) -> bool:
    """Return whether a hook of patterns finds something, as pre-commit would look for it: in each line, or in all of the
    text. A pattern of all of it ends at the end here, so that the last letters are enough."""
    if "--multiline" in hook.get("args", ()):
        assert all(way.endswith(r"\Z") for way in hook["entry"].split("|"))
        return re.search(hook["entry"], text[-8:]) is not None
    return re.search(hook["entry"], text, re.MULTILINE) is not None


def tracked_texts() -> list[tuple[str, str]]:
    """Return (path, text) of all texts in the checkout; none where it is no repository."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("this is no git checkout")
    found = []
    for name in filter(None, listed.stdout.decode().split("\0")):
        path = ROOT / name
        data = path.read_bytes() if path.is_file() else b""
        if data and b"\0" not in data[:1024]:
            found.append((name, data.decode("utf-8", "replace")))
    return found


def test_no_hook_fetches_anything() -> None:
    assert {repo["repo"] for repo in CONFIG["repos"]} == {"local"}
    assert {hook["language"] for hook in HOOKS} == {"system", "pygrep"}


def test_every_tool_of_a_hook_is_one_that_the_environment_has() -> None:
    check = (ROOT / "Makefile").read_text(encoding="utf-8")
    for hook in HOOKS:
        if hook["language"] == "system":
            program, command = shlex.split(hook["entry"])[:2]
            assert f"$(BIN)/{program.removeprefix('.venv/bin/')} {command}" in check


def test_the_checkout_passes_its_own_hooks() -> None:
    broken = [
        f"{name}: {hook['name']}"
        for name, text in tracked_texts()
        for hook in PATTERNS.values()
        if not re.search(hook.get("exclude", "^$"), name) and found_by(hook, text)
    ]
    assert broken == []


@pytest.mark.parametrize(
    ("hook", "text"),
    [
        ("trailing-whitespace", "one \ntwo\n"),
        ("trailing-whitespace", "one\t\n"),
        ("end-of-file", "one\ntwo"),
        ("end-of-file", "one\n\n"),
        ("conflict-markers", "one\n" + "<" * 7 + " HEAD\n"),
        ("conflict-markers", "one\n" + ">" * 7 + "\n"),
    ],
)
def test_a_hook_finds_what_it_is_for(hook: str, text: str) -> None:
    assert found_by(PATTERNS[hook], text)
    assert not found_by(PATTERNS[hook], "one\n\ntwo\n")
