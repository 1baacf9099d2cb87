"""lorewright trust: which workspaces' settings may send something away or choose models."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from lorewright.cli.output import note, say, show_json, show_table
from lorewright.errors import NotFound, NotTrusted, SettingsError
from lorewright.grants import grants_folder, list_workspace_grants, revoke_workspace
from lorewright.settings import SETTINGS_FILE, is_obeyed, nearest_root, read_workspace
from lorewright.trust import TrustRequest

# The question whether the settings of a workspace may reach out of its folder.


def ask_at_terminal(request: TrustRequest) -> bool:
    """Show what settings ask for and return True if the user agrees; False without a terminal. All output goes to
    stderr: stdout may belong to a program."""
    if not _is_at_terminal():
        return False
    show_request(request, tell=note)
    note("Say yes only if you know where these settings come from. The answer is kept until they change.")
    return says_yes()


def says_yes() -> bool:
    """Ask whether the shown settings are trusted and return the answer; False without a terminal."""
    if not _is_at_terminal():
        return False
    sys.stderr.write("Trust them? [y/N] ")
    sys.stderr.flush()
    try:
        return sys.stdin.readline().strip().casefold() in ("y", "yes")
    except KeyboardInterrupt:
        note("")
        return False


def show_request(request: TrustRequest, *, tell: Callable[[str], None]) -> None:
    """Print the workspace and those of its settings that reach out of its folder, the most revealing last."""
    tell(f"The settings of {request.root} ask for more than its own folder:")
    for line in request.told:
        tell(f"  {line}")


def _is_at_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


# lorewright trust: grant, list and revoke.

EXAMPLES = {"trust": "Example: lorewright trust ~/games/my-world --yes"}


def trust(
    path: Annotated[
        Path | None, typer.Argument(help="The workspace's folder; the one around the current folder if not given.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Trust it without being asked.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="Show which workspaces are trusted.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Trust the workspace no longer.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Show what the settings of a workspace send where, and allow it.

    Settings that name an address, a variable with a key, a model or a remote embedder are used only in workspaces that
    are trusted, and only as they were then: when they change, you are asked again. The yes is kept in your own
    configuration folder.
    """
    if listed:
        _list(as_json=as_json)
        return
    root = (path.expanduser().absolute() if path is not None else nearest_root(Path.cwd())).resolve()
    if root.name == SETTINGS_FILE and root.is_file():
        root = root.parent
    if revoke:
        _revoke(root, as_json=as_json)
        return
    if not (root / SETTINGS_FILE).is_file():
        raise NotFound(f"there is no {SETTINGS_FILE} in {root}", hint="name the folder of a workspace")
    workspace = read_workspace(root)
    source = workspace.settings.models.source
    assert source is not None
    _grant(TrustRequest(root, source.written), yes=yes, as_json=as_json)


def _grant(request: TrustRequest, *, yes: bool, as_json: bool) -> None:
    obeyed = is_obeyed(request.root)
    needs = bool(request.reaches) or not obeyed
    if not as_json:
        _show(request, obeyed=obeyed)
    before = request.is_granted and obeyed
    if needs and not before:
        if not yes and not says_yes():
            raise NotTrusted(f"nobody has said yes to the settings of {request.root}", hint="to trust them, say --yes")
        request.grant()
    if as_json:
        show_json({**_as_json(request), "granted": True, "needed": needs, "was_granted": before})
    elif not needs:
        say("There is nothing to allow.", style="green")
    else:
        say("It was trusted already." if before else f"Trusted. Kept in {grants_folder()}", style="green")


def _show(request: TrustRequest, *, obeyed: bool) -> None:
    if request.reaches:
        show_request(request, tell=say)
    else:
        say(f"The settings of {request.root} ask for nothing beyond its own folder.")
    if not obeyed:
        say(f"{request.root / SETTINGS_FILE} belongs to another user; with a yes it is obeyed all the same.")


def _as_json(request: TrustRequest) -> dict[str, Any]:
    return {
        "root": str(request.root),
        "digest": request.digest,
        "reaches": [reach.as_dict() for reach in request.reaches],
    }


def _revoke(root: Path, *, as_json: bool) -> None:
    was = revoke_workspace(root)
    if as_json:
        show_json({"root": str(root), "revoked": was})
    else:
        say(f"{root} is trusted no longer." if was else f"{root} was not trusted.")


def _list(*, as_json: bool) -> None:
    rows = [(grant, _state(Path(grant.root), grant.digest)) for grant in list_workspace_grants()]
    if as_json:
        show_json([{**asdict(grant), "state": state} for grant, state in rows])
    elif rows:
        show_table(("workspace", "since (UTC)", "now"), [(g.root, g.since[:16].replace("T", " "), s) for g, s in rows])
    else:
        say("No workspace is trusted. Next, in one: lorewright trust")


def _state(root: Path, digest: str) -> str:
    """Return `trusted`, or why the grant does not hold now."""
    try:
        source = read_workspace(root).settings.models.source if (root / SETTINGS_FILE).is_file() else None
    except (SettingsError, OSError):
        return "unreadable"
    if source is None:
        return "gone"
    return "trusted" if TrustRequest(root, source.written).digest == digest else "changed since"
