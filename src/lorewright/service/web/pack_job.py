"""Installs a pack that was sent to the service.

    python -m lorewright.service.web.pack_job WORKSPACE FOLDER NAME [LORE]

FOLDER holds the archive; what is told of the work, and what came of it, is written there. The pack is installed whole
or not at all, whenever the process ends. With LORE, the URL of a store, it is pushed there for other workers, and may
be installed already, by a process that died before it said so; so it may where LORE is empty.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lorewright.bootstrap import App, open_app
from lorewright.errors import LorewrightError
from lorewright.index.artifacts.objects import ObjectStore
from lorewright.packs.content_hash import content_hash_of
from lorewright.packs.files import Finding
from lorewright.packs.installing import unpack_zip
from lorewright.service.queries import without_paths
from lorewright.service.web.jobs import RESULT, SENT, TOLD
from lorewright.workspace.pushing import PackPusher

# What is told of the work is written at most so often.
_TOLD_EVERY_S = 0.2
# The most findings that are kept of a pack.
_MOST_FINDINGS = 500


def install(app: App, folder: Path, name: str, *, lore_url: str | None = None) -> dict[str, Any]:
    """Install the archive in a folder, and push it to a store of lore where there is one; return what came of it:
    `done`, or `refused` with the reason; with the findings of its files, errors first."""
    told_at = 0.0

    def tell(what: str, done: int, of: int) -> None:
        nonlocal told_at
        if time.monotonic() - told_at >= _TOLD_EVERY_S:
            told_at = time.monotonic()
            _write(folder / TOLD, {"told": what, "done": done, "of": of})

    findings: list[Finding] = []
    try:
        with tempfile.TemporaryDirectory() as place:
            # A pack without a manifest is called after its folder.
            unpacked = Path(place) / name
            unpack_zip(folder / SENT, unpacked)
            if lore_url is not None and (there := _installed_before(app, unpacked)) is not None:
                # An indexer died after it had installed the pack, and before it said so.
                unpacked = there
            pack = app.packs.check(unpacked, progress=tell)
            findings = sorted(pack.findings, key=lambda one: (one.severity != "error", one.file, one.line))
            if pack.errors:
                return _ended("refused", findings, problem="the pack has errors; nothing was installed")
            is_copied = unpacked.parent != Path(place)
            installed = app.packs.install(unpacked, copy=not is_copied, progress=tell)
            if lore_url:
                pusher = PackPusher(app.library, app.campaigns, ObjectStore(lore_url))
                list(pusher.push([installed.pack.id], progress=tell))
    except LorewrightError as error:
        hint = f" ({error.hint})" if error.hint else ""
        problem = without_paths(f"{error.message}{hint}", app.workspace.root)
        return _ended("refused", findings, problem=problem)
    return _ended("done", findings, pack_id=installed.pack.id)


def _installed_before(app: App, folder: Path) -> Path | None:
    """Return the folder of the installed pack that has the text of a folder; None where there is none."""
    text = content_hash_of(folder)
    found = (Path(pack.path) for pack in app.library.packs() if pack.content_hash == text)
    return next((root for root in found if root.is_dir()), None)


def _ended(state: str, findings: list[Finding], *, problem: str = "", pack_id: str = "") -> dict[str, Any]:
    shown = [asdict(finding) for finding in findings[:_MOST_FINDINGS]]
    return {"state": state, "problem": problem, "result": {"pack_id": pack_id, "findings": shown}}


def _write(path: Path, value: dict[str, Any]) -> None:
    """Write a file that the service reads meanwhile."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    part.replace(path)


def main(workspace: str, folder: str, name: str, lore_url: str | None = None) -> None:
    """Do the work of the command line's arguments."""
    app = open_app(Path(workspace))
    app.campaigns.hold_to_trust()
    _write(Path(folder) / RESULT, install(app, Path(folder), name, lore_url=lore_url))


if __name__ == "__main__":
    main(*sys.argv[1:])
