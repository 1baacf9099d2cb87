"""Results -> the numbers on docs/benchmarks.md and in the README, and the plots: nothing is measured here.

    python benchmarks/bench_page.py [--results FOLDER]

The prose of both pages is written by hand; what stands between `<!-- bench:NAME -->` and `<!-- /bench -->` is written
from the files of results, and a test holds it to them. Where nothing was measured yet a block stays as it is.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench_blocks import Numbers, blocks_of, plots_of, read_numbers
from results import RESULTS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
README = ROOT / "README.md"
PLOTS = ROOT / "docs" / "plots"

_BLOCK = re.compile(r"(<!-- bench:([a-z-]+) -->\n).*?(<!-- /bench -->)", re.DOTALL)


def filled(text: str, blocks: Mapping[str, str]) -> str:
    """A page with its blocks written anew.

    Raises:
        KeyError: the page has a block that nothing is written for.
    """

    def written(found: re.Match[str]) -> str:
        body = blocks[found[2]]
        return f"{found[1]}{body}{found[3]}" if body else found[0]

    return _BLOCK.sub(written, text)


def files_of(numbers: Numbers) -> dict[Path, str]:
    """Every file that is written, and its text."""
    blocks = blocks_of(numbers)
    pages = {page: filled(page.read_text(encoding="utf-8"), blocks) for page in (PAGE, README)}
    return {**pages, **{PLOTS / name: drawn for name, drawn in plots_of(numbers).items()}}


def main(arguments: Sequence[str] | None = None) -> None:
    """Write what has changed, and say what."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder that the numbers are read from")
    for path, text in files_of(read_numbers(parser.parse_args(arguments).results)).items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"wrote {path.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
