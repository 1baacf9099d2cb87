"""A revision and the working tree -> how much code each has and how it is cut, as one table.

    python benchmarks/code_size.py [--against REV] [--json]

Files and lines are of `src` and `prompts`, all else of `src`; a docstring is no statement. A module has an importer
where another module of `src` imports it, or a name from it; importers are modules, counted once.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import subprocess
import sys
import tarfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
AGAINST = "6e21e3f"
COUNTED = ("src", "prompts")
SUFFIXES = {".py": "Python", ".yaml": "YAML", ".hbs": "Handlebars"}
LARGEST = 6
WORDS = ("for one in", "whoever")

# Text by path, as git writes paths.
Files = Mapping[str, str]


def files_of_revision(revision: str, root: Path = ROOT) -> dict[str, str]:
    """Return the counted files of a revision.

    Raises:
        SystemExit: git knows no such revision here.
    """
    ran = subprocess.run(["git", "archive", revision, *COUNTED], cwd=root, capture_output=True)
    if ran.returncode:
        sys.exit(f"git archive {revision}: {ran.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(ran.stdout)) as archive:
        members = [member for member in archive if member.isfile() and is_counted(member.name)]
        return {member.name: read_member(archive, member) for member in members}


def read_member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    """Return the text of a file in an archive."""
    file = archive.extractfile(member)
    assert file is not None, "a directory was asked for"
    return file.read().decode("utf-8")


def files_of_tree(root: Path = ROOT) -> dict[str, str]:
    """Return the counted files as they lie in the working tree; what git ignores is left out."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *COUNTED]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.split("\0")
    names = [name for name in listed if name and is_counted(name) and (root / name).is_file()]
    return {name: (root / name).read_text(encoding="utf-8") for name in names}


def is_counted(name: str) -> bool:
    """Return whether a path is of a counted kind of file."""
    return PurePosixPath(name).suffix in SUFFIXES


def measure(files: Files) -> dict[str, Any]:
    """Return every figure of some files, by its name."""
    figures: dict[str, Any] = {}
    for suffix, language in SUFFIXES.items():
        texts = [text for name, text in files.items() if name.endswith(suffix)]
        figures[f"files of {language}"] = len(texts)
        figures[f"lines of {language}"] = sum(text.count("\n") for text in texts)
    source = {name: text for name, text in files.items() if name.startswith("src/")}
    trees = {name: ast.parse(text) for name, text in source.items() if name.endswith(".py")}
    importers = count_importers(trees)
    doubled = doubled_classes(trees.values())
    folders = modules_by_folder(trees)
    figures |= {
        "statements": sum(map(count_statements, trees.values())),
        "functions": sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in walk_all(trees.values())),
        "modules with exactly one importer": sum(count == 1 for count in importers.values()),
        "folders with more than 20 modules": sum(count > 20 for count in folders.values()),
        "public class names defined more than once": len(doubled),
    }
    for words in WORDS:
        figures[f"occurrences of “{words}” in src"] = sum(text.casefold().count(words) for text in source.values())
    return {
        "figures": figures,
        "largest folders": dict(folders.most_common(LARGEST)),
        "classes defined more than once": doubled,
        "modules with one importer": sorted(name for name, count in importers.items() if count == 1),
    }


def walk_all(trees: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield every node of every tree."""
    for tree in trees:
        yield from ast.walk(tree)


def count_statements(tree: ast.AST) -> int:
    """Return how many statements a module has, nested ones and definitions included, docstrings not."""
    nodes = list(ast.walk(tree))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = sum(
        isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None for node in nodes
    )
    return sum(isinstance(node, ast.stmt) for node in nodes) - docstrings


def module_name(path: str) -> str:
    """Return the dotted name of a file below `src`; a package is called like its folder."""
    parts = PurePosixPath(path).with_suffix("").parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def count_importers(trees: Mapping[str, ast.AST]) -> dict[str, int]:
    """Return how many other modules import each module, by its dotted name; packages' own files are left out."""
    modules = {module_name(path) for path in trees}
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for path, tree in trees.items():
        for imported in imported_modules(tree, modules):
            importers[imported].add(path)
    plain = [path for path in trees if not path.endswith("__init__.py")]
    return {module_name(path): len(importers[module_name(path)] - {path}) for path in plain}


def imported_modules(tree: ast.AST, modules: set[str]) -> Iterator[str]:
    """Yield which of some modules a module imports, anywhere in it: `from a import b` is `a.b` where that is one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                yield inner if inner in modules else node.module


def doubled_classes(trees: Iterable[ast.Module]) -> dict[str, int]:
    """Return the names of public classes that stand at the top of more than one module, and of how many."""
    names = Counter(
        node.name
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    return {name: count for name, count in sorted(names.items()) if count > 1}


def modules_by_folder(paths: Iterable[str]) -> Counter[str]:
    """Return how many modules lie directly in each folder, its `__init__` not counted."""
    return Counter(str(PurePosixPath(path).parent) for path in paths if not path.endswith("__init__.py"))


def table_of(before: Mapping[str, Any], after: Mapping[str, Any], revision: str) -> Table:
    """Return both sides' figures and how the second stands to the first."""
    table = Table("", title=f"code at {revision} and in the working tree")
    for title in (revision, "working tree", "ratio"):
        table.add_column(title, justify="right")
    for name, was in before["figures"].items():
        now = after["figures"][name]
        table.add_row(name, f"{was:,}", f"{now:,}", f"{now / was:.2f}" if was else "")
    both = zip(before["largest folders"].items(), after["largest folders"].items(), strict=False)
    for place, ((folder, was), (other, now)) in enumerate(both, start=1):
        cells = [f"{name.removeprefix('src/lorewright/')}: {count}" for name, count in ((folder, was), (other, now))]
        table.add_row(f"modules in a folder, no. {place}", *cells, "")
    return table


def main() -> None:
    """Count both, and print the table or all of it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", default=AGAINST, metavar="REV", help=f"the revision to count beside ({AGAINST})")
    parser.add_argument("--json", action="store_true", help="print all figures, and the names behind them, as JSON")
    given: Any = parser.parse_args()
    before, after = measure(files_of_revision(given.against)), measure(files_of_tree())
    if given.json:
        sys.stdout.write(json.dumps({given.against: before, "working tree": after}, indent=1) + "\n")
    else:
        Console(width=110).print(table_of(before, after, given.against))


if __name__ == "__main__":
    main()
