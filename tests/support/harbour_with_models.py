"""The harbour with a model server at hand: the command line plays there through the real SDKs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pexpect

from support import harbour as h
from support import model_server as t
from support.command_line import run_command
from support.model_apis.server import ModelServer
from support.model_apis.wire import Asked
from support.trusted_settings import trusted

TOLD = "You take a slow look around [1]. Nobody minds."


def answer(asked: Asked) -> Any:
    """What every stage says; the narrator always the same."""
    return TOLD if t.stage_of(asked) == "narrator" else t.answer(asked)


def environment(root: Path, server: ModelServer | None, **more: str) -> dict[str, str]:
    """The environment of a process that plays there; without a server no model can be asked."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_BASE_URL"))}
    reached = server.environ if server is not None else {}
    return {
        **kept,
        **reached,
        "LOREWRIGHT_WORKSPACE": str(root),
        "LOREWRIGHT_PLAIN": "1",
        "NO_PROXY": "127.0.0.1",
        **more,
    }


def run(
    root: Path, server: ModelServer | None, *arguments: str, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    """A command, without a terminal."""
    return run_command(*arguments, environment=environment(root, server), stdin=stdin)


def terminal(root: Path, server: ModelServer, *arguments: str, **more: str) -> pexpect.spawn:
    """A command at a terminal."""
    named = {"TERM": "xterm-256color", **more}
    return pexpect.spawn(
        sys.executable,
        ["-m", "lorewright", *arguments],
        env=environment(root, server, **named),
        encoding="utf-8",
        timeout=60,
        dimensions=(40, 100),
    )


def workspace(folder: Path, settings: str = "") -> Path:
    """A harbour with a campaign `game` that asks no model; its settings are trusted."""
    root = h.harbour(folder).workspace.root
    (root / "lorewright.toml").write_text(f"[models]\ntries = 1\n{settings}", encoding="utf-8")
    return trusted(root)
