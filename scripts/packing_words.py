"""Write the words that texts of a campaign's file are packed by: `src/lorewright/storage/packing_words_N.gz`.

    python scripts/packing_words.py 2

Run once, before a form of packed texts is released; from then on the file never changes, because what was packed by it
could not be read any more. The words are what the shipped scenarios begin with, and the shipped prompts: of what is in
several of them (40 bytes or more) it is there once.
"""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("LOREWRIGHT_EMBEDDER", "none")

from lorewright.bootstrap import open_app
from lorewright.storage import packing
from lorewright.storage.database import opened

ROOT = Path(__file__).parents[1]
STORAGE = ROOT / "src" / "lorewright" / "storage"
REPEATED = 40


def texts(folder: Path) -> Iterator[str]:
    """Yield the scenario and the rules of a new campaign of every shipped scenario, then every prompt."""
    app = open_app(folder / "workspace")
    prompts: dict[str, str] = {}
    for scenario in sorted(path.stem for path in (ROOT / "scenarios").glob("*.yaml")):
        campaigns = app.rehearsal(folder / scenario)
        campaigns.new(scenario, campaign_id="game", seed=1)
        with opened(campaigns.path("game")) as database:
            row = database.rows("SELECT text_of(scenario_json), text_of(rules_json) FROM campaigns")[0]
            sql = "SELECT name || version, text_of(source) FROM prompt_texts"
            prompts |= dict(tuple(prompt) for prompt in database.rows(sql))
        yield from row
    yield from (prompts[name] for name in sorted(prompts))


def main() -> None:
    """Write the file of the number that is given; one that is there is left as it is."""
    path = STORAGE / f"packing_words_{int(sys.argv[1])}.gz"
    if path.exists():
        raise SystemExit(f"{path} is there already; it never changes")
    words = b""
    with tempfile.TemporaryDirectory() as folder:
        for text in texts(Path(folder)):
            words += packing.new_in(text.encode(), words, repeated=REPEATED)
    path.write_bytes(gzip.compress(words, 9, mtime=0))
    sys.stdout.write(f"{path.name}: {len(words):,} bytes, {path.stat().st_size:,} packed\n")


if __name__ == "__main__":
    main()
