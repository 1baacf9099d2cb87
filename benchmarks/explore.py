"""How soon a walk in a large vault reaches its first prompt: a whole process, from before it to its end.

    python benchmarks/explore.py [--notes 1400]

The vault is made up: linked notes in folders, as an author's tool leaves them. Nothing is embedded, whatever the
settings name; the second run goes on with the walk of the first.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

FOLDERS = ("locations", "npcs", "items", "factions", "history")
SENTENCE = "The {0} of {1} is older than the wall around it, and [[Note {2}]] has something to say about that. "


def make_vault(root: Path, *, notes: int) -> None:
    """Write a vault of so many linked notes, a tenth of them with a secret."""
    for number in range(notes):
        folder = root / FOLDERS[number % len(FOLDERS)]
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(SENTENCE.format("gate", f"Note {number}", (number * k + 7) % notes) for k in range(3, 9))
        secret = "\n## Secrets\n\n- It was rebuilt last year.\n" if number % 10 == 0 else ""
        page = f"# Note {number}\n\n{text * 3}\n\n## History\n\n{text * 4}\n{secret}"
        (folder / f"Note {number}.md").write_text(page, encoding="utf-8")


def seconds(folder: Path, workspace: Path) -> float:
    """How long `lorewright explore` takes to its first answer."""
    command = [sys.executable, "-m", "lorewright", "explore", str(folder)]
    started = time.perf_counter()
    environment = {**os.environ, "LOREWRIGHT_WORKSPACE": str(workspace)}
    subprocess.run(command, check=True, capture_output=True, input="look\n", text=True, env=environment)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description="How soon a walk in a large vault reaches its first prompt.")
    parser.add_argument("--notes", type=int, default=1400)
    notes = parser.parse_args().notes
    with tempfile.TemporaryDirectory() as folder:
        vault, workspace = Path(folder) / "vault", Path(folder) / "workspace"
        make_vault(vault, notes=notes)
        table = Table("explore, to its first answer", "seconds", title=f"a vault of {notes:,} notes (aim: under 30 s)")
        table.add_row("new vault", f"{seconds(vault, workspace):.1f}")
        table.add_row("again", f"{seconds(vault, workspace):.1f}")
        Console().print(table)


if __name__ == "__main__":
    main()
