"""The environment in which the tests ran -> constraints.txt: the version of each package that Lorewright needs there.

`python scripts/constraints.py [FILE]`, run by that environment's Python. Packages that nothing of ours asks for are
left out, and so is what tells one build of a version from another (`2.13.0+cpu`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

FILE = Path(__file__).parents[1] / "constraints.txt"
EXTRAS = (
    "dev",
    "indexer",
    "lore-store",
    "mcp",
    "openai",
    "postgres",
    "retrievers",
    "s3",
    "serve",
    "st",
    "voyage",
    "watch",
)
HEAD = """\
# The versions that were tested together, on Python {python}; `make play`, `make test` and `make extras` install these.
# Made by `make constraints`; docs/privacy.md says how to move to newer ones.
"""


class Missing(Exception):
    """A package is not installed, so that the list would not be whole."""


def pinned(name: str, extras: frozenset[str]) -> dict[str, str]:
    """The versions of all that a package needs here with some extras, by name; the package itself is left out.

    Raises:
        Missing: something that it needs is not installed.
    """
    found: dict[str, str] = {}
    open_ends, seen = [(name, extras)], set[tuple[str, frozenset[str]]]()
    while open_ends:
        end = open_ends.pop()
        if end in seen:
            continue
        seen.add(end)
        needed, with_extras = end
        try:
            installed = distribution(needed)
        except PackageNotFoundError:
            raise Missing(needed) from None
        found[canonicalize_name(needed)] = Version(installed.version).public
        open_ends += requirements(installed.requires or [], with_extras)
    del found[canonicalize_name(name)]
    return found


def requirements(lines: list[str], extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """The packages that are asked for on this system, each with the extras that are asked of it."""
    for line in lines:
        asked = Requirement(line)
        if asked.marker is None or any(asked.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield asked.name, frozenset(asked.extras)


def main(file: Path = FILE) -> int:
    """Write the file; 1 where something is missing, and then nothing is written."""
    try:
        found = pinned("lorewright", frozenset(EXTRAS))
    except Missing as problem:
        print(f"{problem} is not installed, so the list would not be whole: run make extras first", file=sys.stderr)  # noqa: T201
        return 1
    python = ".".join(map(str, sys.version_info[:2]))
    lines = [f"{name}=={version}\n" for name, version in sorted(found.items())]
    file.write_text(HEAD.format(python=python) + "".join(lines), encoding="utf-8")
    print(f"wrote {len(lines)} versions into {file}")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
