"""What this user has allowed, stored in their own configuration folder: settings of workspaces, and models that
campaigns may ask.

Nothing of it lies in a workspace or a campaign, so a folder or file from elsewhere cannot bring a grant along. Each
grant is a small JSON file of its own, readable by the user alone and written whole or not at all.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from lorewright.errors import SettingsError
from lorewright.ids import canonical_json, content_hash

# Workspaces that are trusted without asking: `*`, or folders as in PATH; FOLDER/* means everything below a folder.
TRUSTED_VARIABLE = "LOREWRIGHT_TRUSTED"

# A yes is written in milliseconds; seconds.
_LEFT_AFTER_S = 3600.0


@dataclass(frozen=True, slots=True)
class WorkspaceGrant:
    """A grant for the settings of a workspace, identified by their `digest`. `since` is when, in UTC."""

    root: str
    digest: str
    since: str


def grants_folder() -> Path:
    """Return the folder of all grants; it need not exist."""
    return user_config_path("lorewright")


def find_workspace_grant(root: Path) -> WorkspaceGrant | None:
    """Return the grant for a workspace, even if its settings have changed since; None where there is none."""
    grant = _grant(_read(_workspace_file(root)))
    return grant if grant is not None and grant.root == str(root.resolve()) else None


def grant_workspace(root: Path, digest: str) -> None:
    """Store a grant for a workspace's settings, in place of an older one.

    Raises:
        SettingsError: the user's configuration folder cannot be written.
    """
    about = {"root": str(root.resolve()), "digest": digest, "since": datetime.now(UTC).isoformat(timespec="seconds")}
    _write(_workspace_file(root), about)


def revoke_workspace(root: Path) -> bool:
    """Delete the grant for a workspace; return whether there was one."""
    return _forget(_workspace_file(root))


def list_workspace_grants() -> list[WorkspaceGrant]:
    """Return every grant for a workspace's settings, by folder."""
    found = (_grant(_read(path)) for path in (grants_folder() / "workspaces").glob("*.json"))
    return sorted((grant for grant in found if grant is not None), key=lambda grant: grant.root)


def is_trusted_by_environment(root: Path, environ: Mapping[str, str]) -> bool:
    """Return True if `LOREWRIGHT_TRUSTED` names the workspace."""
    workspace = root.resolve()
    for named in environ.get(TRUSTED_VARIABLE, "").split(os.pathsep):
        text = named.strip()
        if text == "*":
            return True
        folder, star, _ = text.rpartition("/*") if text.endswith("/*") else (text, "", "")
        if folder:
            trusted = Path(folder).expanduser().resolve()
            if workspace == trusted or (star and trusted in workspace.parents):
                return True
    return False


def find_agreements(campaign: Path, created_at: str) -> frozenset[str]:
    """Return the tokens of what may be paid for in the campaign of this file, which began at that time."""
    return frozenset(_agreed(campaign, created_at))


def keep_agreements(campaign: Path, created_at: str, tokens: Mapping[str, str]) -> None:
    """Allow more to be paid for in a campaign: `tokens` maps each token to words that say what it stands for.

    Raises:
        SettingsError: the user's configuration folder cannot be written.
    """
    agreed = {**_agreed(campaign, created_at), **tokens}
    about = {"campaign": str(campaign.resolve()), "created_at": created_at, "agreed": agreed}
    _write(_campaign_file(campaign), about)


def forget_agreements(campaign: Path) -> None:
    """Forget what may be paid for in the campaign of that file, so that it is asked about again."""
    _forget(_campaign_file(campaign))


def make_token(parts: Iterable[str]) -> str:
    """Return a token for what was agreed to; it is a hash that shows nothing of it."""
    return content_hash(canonical_json(list(parts)))


def _agreed(campaign: Path, created_at: str) -> dict[str, Any]:
    stored = _read(_campaign_file(campaign)) or {}
    is_of_it = (stored.get("campaign"), stored.get("created_at")) == (str(campaign.resolve()), created_at)
    agreed = stored.get("agreed")
    return agreed if is_of_it and isinstance(agreed, dict) else {}


def _grant(stored: Mapping[str, Any] | None) -> WorkspaceGrant | None:
    given = [stored.get(name) for name in ("root", "digest", "since")] if stored is not None else []
    root, digest, since = given if len(given) == 3 else ("", "", "")
    if not (isinstance(root, str) and isinstance(digest, str) and isinstance(since, str) and root):
        return None
    return WorkspaceGrant(root, digest, since)


def _workspace_file(root: Path) -> Path:
    return grants_folder() / "workspaces" / _name(root)


def _campaign_file(campaign: Path) -> Path:
    return grants_folder() / "agreements" / _name(campaign)


def _name(path: Path) -> str:
    return f"{content_hash(str(path.resolve()))[:40]}.json"


def _read(path: Path) -> dict[str, Any] | None:
    """Return what is stored in a file; None where it cannot be read, which is no grant."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return stored if isinstance(stored, dict) else None


def _write(path: Path, value: Mapping[str, Any]) -> None:
    try:
        _put(path, f"{json.dumps(value, ensure_ascii=True, indent=2)}\n")
    except OSError as problem:
        raise SettingsError(
            f"your permission cannot be stored: {problem}",
            hint=f"make {grants_folder()} writable, or let XDG_CONFIG_HOME name a folder that is",
        ) from None


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    for left in path.parent.glob(".granting-*"):
        # What a killed process left; what another is writing at this moment is young.
        with suppress(OSError):
            if time.time() - left.lstat().st_mtime > _LEFT_AFTER_S:
                left.unlink()
    # mkstemp makes the file readable by its owner alone.
    number, name = tempfile.mkstemp(dir=path.parent, prefix=".granting-")
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _forget(path: Path) -> bool:
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True
