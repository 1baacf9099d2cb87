"""A workspace -> its app, with campaigns where the command that runs keeps them."""

from __future__ import annotations

from lorewright import bootstrap
from lorewright.bootstrap import App
from lorewright.cli.database import close_after_command, database_address


def open_app(*, long_lived: bool = False) -> App:
    """Return the app for the workspace around the working folder. No database is connected to before the first
    campaign is asked for, and the command's end closes it. See `bootstrap.open_app`."""
    app = bootstrap.open_app(long_lived=long_lived, database=database_address())
    close_after_command(app.close)
    return app
