"""The list of installed packs: its table, and its rows as InstalledPack."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lorewright import __version__
from lorewright.index.generation import GenerationKey
from lorewright.packs.content_hash import READING
from lorewright.packs.files import Finding
from lorewright.packs.models import Dependency, Layer, Manifest, Neighbour, Pack
from lorewright.storage.database import read_json
from lorewright.storage.tables import Migration

MIGRATIONS = (
    Migration(
        "library_001_content_packs",
        (
            # The seed's content_packs, with the hash of the indexed text. Installing again rebuilds it.
            """CREATE TABLE content_packs (
                id TEXT PRIMARY KEY, name TEXT NOT NULL, version TEXT NOT NULL, genre TEXT,
                layer TEXT NOT NULL DEFAULT 'setting', depends_on_json TEXT NOT NULL DEFAULT '[]', path TEXT NOT NULL,
                license_json TEXT NOT NULL DEFAULT '{}', installed_at TEXT NOT NULL,
                content_hash TEXT NOT NULL, files INTEGER NOT NULL, chunks INTEGER NOT NULL, tokens INTEGER NOT NULL
            )""",
        ),
    ),
    Migration(
        "library_002_lenient",
        (
            # Whether files with errors were left out: a reindex must do the same as the install.
            "ALTER TABLE content_packs ADD COLUMN lenient INTEGER NOT NULL DEFAULT 0",
        ),
    ),
    Migration(
        "library_003_findings",
        (
            # What was found in the pack's own files, and by which version of the program: a reindex of the same text
            # need not read it again. NULL where the findings depend on other packs' files too.
            "ALTER TABLE content_packs ADD COLUMN findings_json TEXT",
        ),
    ),
)

# Findings that depend on which other packs there are: they are looked for each time.
_OF_NEIGHBOURS = frozenset({"missing-dependency", "dependency-version", "dependency-cycle", "duplicate-pack-id"})


@dataclass(frozen=True, slots=True)
class InstalledPack:
    """A row of the library."""

    id: str
    name: str
    version: str
    layer: Layer
    path: str
    content_hash: str
    files: int
    chunks: int
    tokens: int
    installed_at: str
    lenient: bool = False
    depends_on: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> GenerationKey:
        """The key of the current generation."""
        return GenerationKey(self.id, self.content_hash)


def read_installed(row: sqlite3.Row, home: Path) -> InstalledPack:
    """Return a row of the list of the workspace `home` as an InstalledPack; somebody else may have written it, so it is
    checked.

    Raises:
    ValueError, LookupError, TypeError: no install writes such a row.
    """
    fields = {name: row[name] for name in InstalledPack.__dataclass_fields__ if name not in ("depends_on", "lenient")}
    fields["path"] = folder_now(fields["path"], home)
    depends_on = tuple((dependency["id"], dependency["version"]) for dependency in read_json(row["depends_on_json"]))
    pack = InstalledPack(**fields, lenient=bool(row["lenient"]), depends_on=depends_on)
    if not pack.key.is_plain or "\0" in pack.path:
        raise ValueError(f"invalid ID, hash or path in the row of {pack.id!r}")
    return pack


def folder_now(written: str, home: Path) -> str:
    """Return where a pack lies whose folder was written so in the list of the workspace `home`. Folders inside of a
    workspace are written relative to it, so that it can be copied and moved; earlier versions wrote all in full, and
    such a folder that is gone is looked for in the workspace, by the end of its path.

    Raises:
        ValueError: it leads out of the workspace.
    """
    path = Path(written)
    if not path.is_absolute():
        if ".." in path.parts:
            raise ValueError(f"the folder {written!r} leads out of the workspace")
        return str(home / path)
    if path.is_dir():
        return written
    ends = (home.joinpath(*path.parts[at:]) for at in range(1, len(path.parts)))
    return next((str(end) for end in ends if end.is_dir()), written)


def _as_written(folder: str, home: Path) -> str:
    path = Path(folder)
    return path.relative_to(home).as_posix() if path.is_relative_to(home) and path != home else folder


def values_of(pack: Pack, home: Path, *, lenient: bool) -> tuple[object, ...]:
    """Return the row of a pack that is being installed in the workspace `home`, in the order of the columns."""
    manifest = pack.manifest
    return (
        manifest.id,
        manifest.name,
        manifest.version,
        manifest.genre,
        manifest.layer,
        json.dumps([dependency.model_dump() for dependency in manifest.depends_on]),
        _as_written(pack.root, home),
        json.dumps(manifest.license, default=str),
        datetime.now(UTC).isoformat(timespec="seconds"),
        pack.content_hash,
        len(pack.entities),
        len(pack.chunks),
        sum(chunk.token_count for chunk in pack.chunks),
        int(lenient),
        _findings_json(pack),
    )


def _findings_json(pack: Pack) -> str | None:
    if any(entity.overrides for entity in pack.entities):
        return None
    own = [astuple(finding) for finding in pack.findings if finding.code not in _OF_NEIGHBOURS]
    return json.dumps({"by": __version__, "reading": pack.reading, "findings": own})


def read_findings(written: str | None) -> tuple[Finding, ...] | None:
    """Return the findings in a pack's own files that were recorded when it was indexed; None where there are none on
    record, or another version of the program or of the rules found them."""
    try:
        recorded = json.loads(written or "")
        if (recorded["by"], recorded["reading"]) != (__version__, READING):
            return None
        return tuple(Finding(*map(_same_type, finding, _FINDING)) for finding in recorded["findings"])
    except (ValueError, LookupError, TypeError):
        return None


_FINDING = (str, int, int, str, str, str, str)


def _same_type(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value


def neighbour_of(pack: InstalledPack) -> Neighbour:
    """Return an installed pack in the form in which other packs are checked against it."""
    depends_on = tuple(Dependency(id=pack_id, version=version) for pack_id, version in pack.depends_on)
    manifest = Manifest(id=pack.id, name=pack.name, version=pack.version, layer=pack.layer, depends_on=depends_on)
    return Neighbour(manifest, Path(pack.path))
