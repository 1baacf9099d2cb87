"""What the command line asks for -> a server that is ready to run. Whatever is wrong is found before the first client
comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from lorewright import __version__
from lorewright.bootstrap import open_app
from lorewright.errors import SettingsError
from lorewright.logs import log_event
from lorewright.service.desk import Desk, viewer_of
from lorewright.service.http import TOKEN_VARIABLE, address_of, http_app, run
from lorewright.service.server import make_server, serve_stdio
from lorewright.trust import ask_with


def serve(
    *,
    campaign_id: str | None,
    viewer: str,
    read_only: bool,
    http: str | None,
    allowed: Sequence[str],
    environ: Mapping[str, str],
    say: Callable[[str], None],
) -> Callable[[], None]:
    """Make everything ready; call what comes back to serve until the client leaves or we are stopped. `say` tells
    people where the server is to be found: never on stdout, which belongs to the protocol.

    Raises:
        NotFound: there is no such campaign, or no such character in it.
        SettingsError: there is no such viewer, or the address cannot be served as it is.
        NotTrusted: the workspace's embedder may not be used.
    """
    opened = open_app(long_lived=True)
    # Later there is nobody to be asked: whoever starts a server is not there when a client comes.
    opened.campaigns.hold_to_trust()
    ask_with(None)
    desk = Desk(opened, viewer_of(viewer), campaign_id)
    server = make_server(desk, read_only=read_only)
    if http is None:
        if allowed:
            raise SettingsError("--allow-host is for --http", hint="give --http HOST:PORT as well, or leave it out")
        return partial(_logged, partial(serve_stdio, server), "stdio", desk)
    address = address_of(http)
    app = http_app(server, address, allowed=allowed, token=environ.get(TOKEN_VARIABLE))
    say(f"serving at {address.url} as {viewer}; Ctrl+C stops it")
    return partial(_logged, partial(run, app, address), "http", desk)


def _logged(serving: Callable[[], None], transport: str, desk: Desk) -> None:
    # Of a character's viewer the kind alone: an ID may name somebody who is hidden.
    viewer = desk.viewer.name.partition(":")[0]
    log_event(
        "started", process="mcp", transport=transport, viewer=viewer, campaign=desk.campaign_id, version=__version__
    )
    try:
        serving()
    finally:
        log_event("stopped", process="mcp")
