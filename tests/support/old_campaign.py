"""Write the file that will be kept of a new version of a campaign's tables: `fixtures/campaigns/campaign_NNN.db.gz`.

    PYTHONPATH=tests python -m support.old_campaign

Run once, when a migration was added and before it is released; from then on neither the migration nor the file changes.
The game in it has turns that were taken back, a sitting, a submission that failed, a second branch with an
upgrade, and what a model read out of two narrations: entries of the lorebook, a review that waits and one that was
accepted.
"""

from __future__ import annotations

import gzip
import os
import shutil
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path

os.environ.setdefault("LOREWRIGHT_EMBEDDER", "none")

from lorewright.bootstrap import App
from lorewright.campaigns.branches import branch, switch
from lorewright.campaigns.reviews import decide, waiting
from lorewright.campaigns.sessions import active_or_new_session, end
from lorewright.errors import ProviderError
from lorewright.llm.doubles import ScriptedModel
from lorewright.storage.campaign_tables import CAMPAIGN_MIGRATIONS
from lorewright.turn.store.turn_store import undo
from support import harbour as h

FOLDER = Path(__file__).parents[1] / "fixtures" / "campaigns"


def _read_out_of(app: App) -> None:
    """Two turns told by a model: something becomes established and is then told otherwise, and of two things that are
    not sure one is accepted."""
    shoes = {"subject_id": "harbour:osk", "predicate": "shoes", "detail": "He wears two left shoes."}
    unsure = [{"subject_id": "harbour:osk", "predicate": one, "confidence": 0.3, "detail": one} for one in ("a", "b")]
    read = [[shoes, *unsure], *[[{**shoes, "detail": "He goes barefoot."}]] * 2]
    models = {
        "narrator": ScriptedModel(["Smoke hangs from the beams [1]."] * 3),
        "lore_extractor": ScriptedModel([{"established_facts": one} for one in read]),
    }
    h.say(h.with_models(app, models), "look", "wait")
    with app.campaigns.open("game") as campaign:
        decide(campaign, waiting(campaign.store)[0].id, accept=True)


def played(folder: Path) -> App:
    """A campaign `game` in which everything happened that a file can hold."""
    app = h.harbour(folder)
    with app.campaigns.open("game") as campaign:
        session = active_or_new_session(campaign)
        h.say(app, "look", "take rope")
        undo(campaign.store)
        h.say(app, "ask Osk about Lin")
        end(campaign, session)
    with suppress(ProviderError):
        h.say(h.with_models(app, {"narrator": ScriptedModel([ProviderError("the server is gone")])}), "wait")
    with app.campaigns.reading("game") as store:
        branch(store, turn="1", name="side")
        switch(store, "side")
    h.say(app, "search under the counter")
    # On this branch the story goes by a newer text of the pack.
    pack = app.workspace.root / "content_packs" / "harbour"
    manifest = (pack / "pack.yaml").read_text(encoding="utf-8")
    (pack / "pack.yaml").write_text(manifest.replace("1.0.0", "1.1.0"), encoding="utf-8")
    app.packs.install(pack)
    app.upgrades.upgrade("game")
    with app.campaigns.reading("game") as store:
        switch(store, "main")
    _read_out_of(app)
    h.say(app, "go door", "wait")
    with app.campaigns.reading("game") as store:
        undo(store)
    return app


def main() -> None:
    """Play, and keep the file and the text that it pins."""
    number = CAMPAIGN_MIGRATIONS[-1].name.split("_")[1]
    kept = FOLDER / f"campaign_{number}.db.gz"
    if kept.exists():
        raise SystemExit(f"{kept} is kept already; a file of a released version is never written again")
    with tempfile.TemporaryDirectory() as folder:
        campaigns = played(Path(folder)).workspace.campaigns
        with closing(sqlite3.connect(campaigns / "game.db")) as connection:
            # One plain file, with no log beside it.
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("VACUUM")
        kept.write_bytes(gzip.compress((campaigns / "game.db").read_bytes(), 9, mtime=0))
        for text in (campaigns / "packs-kept").glob("*.zip"):
            shutil.copyfile(text, FOLDER / text.name)


if __name__ == "__main__":
    main()
