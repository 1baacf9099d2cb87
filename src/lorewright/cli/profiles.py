"""The option --profile: which rounds a turn has."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer


class ProfileName(Enum):
    """The profiles that can be chosen."""

    freeform = "freeform"
    ensemble = "ensemble"
    stream = "stream"


_HELP = "Which rounds a turn has: yours alone (freeform), then everybody's at once (ensemble) or one by one (stream)."
ProfileOption = Annotated[ProfileName | None, typer.Option("--profile", help=_HELP)]
