"""The name of an extra -> nothing if it is installed, else an error with the command that installs it."""

from __future__ import annotations

from importlib.util import find_spec

from lorewright.errors import ExtraMissing

# Extra of `pyproject.toml` -> its modules.
EXTRAS = {
    "mcp": ("mcp", "starlette", "uvicorn"),
    "serve": ("fastapi", "mcp", "uvicorn", "multipart", "argon2", "prometheus_client"),
    "watch": ("watchfiles",),
    "lore-store": ("fsspec",),
    "s3": ("fsspec", "s3fs"),
    "indexer": ("procrastinate", "psycopg", "psycopg_binary", "psycopg_pool"),
    "postgres": ("psycopg", "psycopg_binary", "psycopg_pool"),
}


def require_extra(extra: str, *, needed_by: str) -> None:
    """Check that all modules of an extra are installed, without importing them.

    Raises:
        ExtraMissing: a module is missing.
    """
    missing = [module for module in EXTRAS[extra] if not _is_installed(module)]
    if missing:
        raise ExtraMissing(
            f"{needed_by} needs libraries that are not installed: {', '.join(missing)}",
            hint=f"run: pip install 'lorewright[{extra}]'",
        )


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False
