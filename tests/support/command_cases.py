"""Every command that writes -> a workspace in which it can be run, and how the workspace stands before and after.

What can be seen of a workspace is its standing: the packs and what they answer, the campaigns with their turns, states
and sittings, and the files that were written for people. A command that is cut off has left the one standing or the other.
"""

from __future__ import annotations

import gzip
import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.branches import branch, switch
from lorewright.campaigns.checks import check
from lorewright.campaigns.exchange import export
from lorewright.errors import LorewrightError
from lorewright.ids import content_hash
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.retrieval.query import LoreRetrievalQuery
from support import harbour as h
from support.copied_workspaces import copied_workspace

OUT = "out"
SOURCE = "source"
OLD = Path(__file__).parents[1] / "fixtures" / "campaigns"
PLAYED = ("look", "take rope", "go door", "wait")


@dataclass(frozen=True, slots=True)
class CommandCase:
    """A command by its words, in which `{out}` and `{source}` are folders beside the workspace's own, and what makes
    the workspace ready for it. One with `steps` may be cut off between two of them: then a check finds that work is left."""

    words: tuple[str, ...]
    prepare: Callable[[Path], object]
    steps: bool = False

    @property
    def name(self) -> str:
        """Its first two words that are no file, or the first alone."""
        return " ".join(word for word in self.words[:2] if "{" not in word)

    def workspace(self, folder: Path) -> Path:
        """Return the workspace `workspace` below the folder, ready for the command."""
        return copied_workspace(folder / "workspace", self.prepare, "command case", *self.words)

    def words_in(self, root: Path) -> tuple[str, ...]:
        """Return the words for a workspace."""
        places = {"out": str(root / OUT), "source": str(root / SOURCE)}
        return tuple(word.format(**places) if "{" in word and not word.startswith("[") else word for word in self.words)


def played(root: Path) -> App:
    """Make a workspace, called `workspace`, with a pack and a campaign of some turns."""
    app = h.harbour(root.parent, played=PLAYED)
    assert app.workspace.root == root
    (root / OUT).mkdir()
    return app


def _edited(root: Path) -> App:
    app = played(root)
    osk = root / "content_packs" / "harbour" / "npcs" / "osk.md"
    osk.write_text(osk.read_text(encoding="utf-8") + "\n## History\n\nHe came with the herring.\n", encoding="utf-8")
    return app


def _reindexed(root: Path) -> None:
    _edited(root).indexer.index_pack(root / "content_packs" / "harbour")


def _branched(root: Path) -> None:
    with played(root).campaigns.open("game") as campaign:
        branch(campaign.store, turn="2", name="what_if")
        switch(campaign.store, "what_if")


def _seated(root: Path) -> None:
    app = played(root)
    app.sessions.start_session("game")
    h.say(app, "wait")


def _source_beside(root: Path) -> None:
    make_empty_workspace(root)
    (root / OUT).mkdir()
    h.write_pack(root / SOURCE)


def _away(root: Path) -> None:
    made = h.harbour(root.parent / "made", played=PLAYED)
    make_empty_workspace(root)
    (root / OUT).mkdir()
    export(made.campaigns, "game", root / SOURCE)


def _unindexed(root: Path) -> None:
    played(root)
    shutil.rmtree(root / "indexes" / "generations")


def _old(root: Path) -> None:
    played(root)
    for kept in OLD.glob("*.zip"):
        shutil.copy(kept, root / "campaigns" / "packs-kept" / kept.name)
    (root / "campaigns" / "fixture.db").write_bytes(gzip.decompress((OLD / "campaign_003.db.gz").read_bytes()))


def standing(root: Path) -> dict[str, Any]:
    """Return what can be seen of a workspace. What a check of a campaign's file finds is a part of it."""
    app = open_app(root)
    return {
        "packs": {pack.id: (pack.content_hash, _answer(app, pack.id)) for pack in app.library.packs()},
        "campaigns": {campaign_id: _campaign(app, campaign_id) for campaign_id in app.campaigns.ids()},
        "out": _files(root / OUT),
        "scenarios": _files(root / "scenarios"),
        # A copy of a pack that is not installed yet is nobody's: the next install takes it.
        "own packs": {pack.id: _files(root / "content_packs" / pack.id) for pack in app.library.packs()},
    }


def _answer(app: App, pack_id: str) -> list[str]:
    try:
        found = app.lore.retrieve(LoreRetrievalQuery(keywords="landlord herring", viewer="gm"), packs=[pack_id])
    except LorewrightError as error:
        return [str(error).replace(str(app.workspace.root), ".")]
    return [chunk.chunk_id for chunk in found.result.chunks]


def _campaign(app: App, campaign_id: str) -> dict[str, Any]:
    path = app.campaigns.path(campaign_id)
    findings = [finding.code for finding in check(path, app.campaigns.kept).findings]
    with app.campaigns.reading(campaign_id) as store:
        turns = [(turn["turn_no"], turn["player_text"]) for turn in store.turns()]
        sittings = store.database.rows("SELECT ended_at IS NULL, turn_range_start FROM sessions ORDER BY started_at")
        head = store.head()
        seen = content_hash(head.state.model_dump_json())
        branches = store.database.rows("SELECT name FROM branches ORDER BY 1")
        rows = [list(row) for row in (*sittings, *branches)]
    return {"findings": findings, "turns": turns, "head": seen, "rows": rows}


def is_whole(case: CommandCase, seen: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Tell whether a workspace stands as before or as after a command, or between two steps of one that has steps."""
    if case.steps:
        seen, before, after = map(_without_findings, (seen, before, after))
    return seen in (before, after)


def _without_findings(seen: dict[str, Any]) -> dict[str, Any]:
    campaigns = {name: {**found, "findings": []} for name, found in seen["campaigns"].items()}
    return {**seen, "campaigns": campaigns}


def leftovers(root: Path) -> list[str]:
    """Return the files and folders that somebody was still making: their names begin with a dot."""
    found = (path.relative_to(root) for path in root.rglob(".*"))
    return sorted(str(path) for path in found if not path.name.endswith(".lock"))


def _files(folder: Path) -> dict[str, str]:
    """Return the hash of each file, but for those that are still being made."""
    found = sorted(path for path in folder.rglob("[!.]*") if path.is_file()) if folder.is_dir() else []
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


CASES = (
    CommandCase(("turn", "game", "take the rope", "--action-id", "a1", "--json"), _seated),
    CommandCase(("session", "start", "game"), played),
    CommandCase(("session", "end", "game"), _seated),
    CommandCase(("campaign", "new", "night_boat", "--id", "other", "--seed", "3"), played),
    CommandCase(("campaign", "export", "game", "{out}/game.lorewright"), played),
    CommandCase(("campaign", "import", "{source}"), _away),
    CommandCase(("campaign", "rollback", "game", "--to", "2"), played),
    CommandCase(("campaign", "branch", "game", "--from", "2", "--name", "what_if"), played),
    CommandCase(("campaign", "switch", "game", "--branch", "main"), _branched),
    CommandCase(("campaign", "end-scene", "game", "--action-id", "a1"), played),
    CommandCase(("campaign", "upgrade", "game", "--yes"), _reindexed),
    CommandCase(("campaign", "remove", "game", "--yes"), played),
    CommandCase(("pack", "install", "{source}"), _source_beside),
    CommandCase(("pack", "install", "--copy", "{source}"), _source_beside),
    CommandCase(("pack", "reindex"), _edited),
    CommandCase(("pack", "export", "harbour", "{out}/book.json", "--format", "sillytavern", "--book"), played),
    CommandCase(("scenario", "new", "quiet_night", "--pack", "harbour"), played),
    CommandCase(("scenario", "bundle", "night_boat", "{out}/game.zip"), played),
    CommandCase(("doctor",), _unindexed),
    CommandCase(("db", "migrate"), _old, steps=True),
)
