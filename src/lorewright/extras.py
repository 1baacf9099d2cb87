"""What a command needs beside the rest -> nothing where it is installed, else one sentence with the line that installs
it."""

from __future__ import annotations

from importlib.util import find_spec

from lorewright.errors import ExtraMissing

# Extra of `pyproject.toml` -> the modules that it brings.
EXTRAS = {"mcp": ("mcp", "starlette", "uvicorn"), "watch": ("watchfiles",)}


def require_extra(extra: str, *, needed_by: str) -> None:
    """Pass where all of an extra is installed; nothing of it is imported.

    Raises:
        ExtraMissing: something of it is not.
    """
    missing = [module for module in EXTRAS[extra] if not _is_installed(module)]
    if missing:
        raise ExtraMissing(
            f"{needed_by} needs what is not installed: {', '.join(missing)}",
            hint=f"run: pip install 'lorewright[{extra}]'",
        )


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False
