"""What reaches beyond our own process and code is done in one place each."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

import pytest

from lorewright.telemetry import LIBRARIES
from support.source_trees import SourceModule

Modules = tuple[SourceModule, ...]

# Whatever starts a process or a program: modules, names of modules, and names that mean nothing else.
STARTING_MODULES = {"subprocess", "multiprocessing", "pty", "webbrowser", "pdb", "code"}
STARTING = re.compile(
    r"os\.(system|popen|startfile|fork|forkpty|posix_spawnp?|(exec|spawn)[lv]p?e?)"
    r"|(typer|click)\.(launch|edit|echo_via_pager)|.*\.pager"
    r"|.*\.(create_)?subprocess_(exec|shell)|.*\.ProcessPoolExecutor|.*\.a?run_process|.*\.to_process(\..*)?"
)
# The last name of each of these: what ends otherwise need not be spelt out.
LAST_NAMES = re.compile(
    r"system|popen|startfile|fork|forkpty|posix_spawnp?|(exec|spawn)[lv]p?e?|launch|edit|echo_via_pager|pager"
    r"|(create_)?subprocess_(exec|shell)|ProcessPoolExecutor|a?run_process|to_process"
)
# What a caller of `start_child` needs to hold and to wait for a child.
HARMLESS = {"subprocess.PIPE", "subprocess.TimeoutExpired"}
# Where modules are imported by name, always one that is written in the code, or is a file of a package of ours.
IMPORTING = {"__init__.py", "cli/packs/pack.py", "cli/root.py", "plugins.py", "telemetry.py"}


def offences(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """What in some code starts processes, or imports a library that is imported by `import_silenced` alone."""
    for node in nodes:
        match node:
            case ast.Import(names=names):
                dotted = [alias.name for alias in names]
                modules = dotted
            case ast.ImportFrom(module=str(module), names=names):
                dotted = [f"{module}.{alias.name}" for alias in names]
                modules = [name for name in dotted if name not in HARMLESS]
            case ast.Attribute(attr=last) if LAST_NAMES.fullmatch(last):
                dotted, modules = [ast.unparse(node)], []
            case _:
                continue
        yield from (name for name in dotted if STARTING.fullmatch(name))
        yield from (name for name in modules if name.split(".")[0] in STARTING_MODULES | set(LIBRARIES))


@pytest.mark.parametrize(
    "code",
    [
        *(
            "import subprocess",
            "from subprocess import run, PIPE",
            "import subprocess as s",
            "import os; os.execvp(a, b)",
        ),
        *("from os import system", "from multiprocessing import Process", "import multiprocessing.pool"),
        *("asyncio.create_subprocess_exec(a)", "from concurrent.futures import ProcessPoolExecutor"),
        *(
            "import webbrowser",
            "typer.launch(a)",
            "console.pager()",
            "from click import edit",
            "anyio.to_process.run_sync",
        ),
        *("import onnxruntime", "import onnxruntime.capi as c", "from chromadb.config import Settings"),
    ],
)
def test_each_way_of_doing_it_is_recognised(code: str) -> None:
    assert list(offences(ast.walk(ast.parse(code)))) != []


def test_what_holds_a_child_is_no_way_of_starting_it() -> None:
    assert list(offences(ast.walk(ast.parse("from subprocess import PIPE, TimeoutExpired")))) == []


def test_one_module_starts_processes_and_one_imports_what_would_report_on_users(modules: Modules) -> None:
    found = {module.name: sorted(set(offences(module.nodes))) for module in modules}
    assert {name: wrong for name, wrong in found.items() if wrong} == {"child.py": ["subprocess"]}


def test_modules_are_imported_by_name_where_the_names_are_ours(modules: Modules) -> None:
    ways = {"import_module", "__import__", "run_path", "run_module", "exec_module"}
    found = set()
    for module in modules:
        for node in module.nodes:
            match node:
                case ast.Call(func=ast.Name(id=name)) if name in ways | {"exec", "eval"}:
                    found.add(module.name)
                case ast.Call(func=ast.Attribute(attr=name)) if name in ways:
                    found.add(module.name)
    assert found == IMPORTING
