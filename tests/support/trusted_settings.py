"""A yes to a workspace's settings, given as `lorewright trust --yes` gives it."""

from __future__ import annotations

from pathlib import Path

from lorewright.settings import read_workspace
from lorewright.trust import TrustRequest


def request_of(root: Path) -> TrustRequest:
    """What the settings of a workspace ask for, as its file has them now."""
    source = read_workspace(root).settings.models.source
    assert source is not None
    return TrustRequest(root, source.written)


def trusted(root: Path) -> Path:
    """The same folder, its settings trusted as they are now."""
    request_of(root).grant()
    return root
