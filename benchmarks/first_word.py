"""How long a player waits for the first word of a narration, where every call to a model takes two seconds.

    python benchmarks/first_word.py [--seconds 2]

Dead Drop is played against a model server on loopback, through the real SDK. A line of which the grammar is sure asks
the narrator alone before the first word; any other asks the interpreter first. The time until the first word is told
as seconds and as calls' worth: what is above the number of calls is ours.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
os.environ.setdefault("LOREWRIGHT_EMBEDDER", "none")
os.environ["NO_PROXY"] = "127.0.0.1"

from lorewright.bootstrap import open_app
from lorewright.llm.opening import load_sdk
from lorewright.lore_bootstrap import make_workspace
from support import model_server as t
from support.model_apis.server import ModelServer
from support.model_apis.wire import Asked

LINES = {"the grammar is sure": ("look", "wait", "ask Viktor about Jin"), "it is not": ("hum to nobody, perhaps",) * 3}
AIM_S = {"the grammar is sure": 3.0, "it is not": 5.0}
CALLS = {"the grammar is sure": 1, "it is not": 2}


class FirstWord(t.Heard):
    """Notes when the first word came."""

    def __init__(self) -> None:
        super().__init__()
        self.began = time.perf_counter()
        self.after_s: float | None = None

    def told(self, text: str) -> None:
        """The first piece ends the wait."""
        if self.after_s is None:
            self.after_s = time.perf_counter() - self.began


def main() -> None:
    """Play, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="how long the server takes to answer a call")
    seconds = parser.parse_args().seconds

    def answer(asked: Asked) -> object:
        time.sleep(seconds)
        return t.answer(asked)

    table = Table(title="seconds until the first word (p50 of three)")
    for title in ("", "first word", "calls before it", "ours", "aim"):
        table.add_column(title)
    with ModelServer(answer).running() as server, tempfile.TemporaryDirectory() as folder:
        os.environ.update(server.environ)
        make_workspace(Path(folder) / "workspace")
        app = open_app(Path(folder) / "workspace", long_lived=True)
        app.campaigns.new("dead_drop", campaign_id="game", seed=1, keys=t.ANTHROPIC)
        load_sdk(t.ANTHROPIC.large, app.workspace.settings.models)
        with app.campaigns.open("game") as campaign:
            asyncio.run(campaign.submit("look", builtin=True))
            for name, lines in LINES.items():
                waits = []
                for line in lines:
                    heard = FirstWord()
                    t.submit(campaign, line, listener=heard)
                    assert heard.after_s is not None
                    waits.append(heard.after_s)
                wait = statistics.median(waits)
                ours = wait - CALLS[name] * seconds
                table.add_row(name, f"{wait:.2f} s", str(CALLS[name]), f"{ours:.2f} s", f"{AIM_S[name]:.0f} s")
    Console().print(table)


if __name__ == "__main__":
    main()
