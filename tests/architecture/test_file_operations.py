"""Whoever changes a file or opens a database does it through `storage/enclosure.py`, or stands in the list below."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import pytest

from support.source_trees import SourceModule

# Methods of paths and functions of modules that write, delete, rename or link.
PATH_METHODS = frozenset(
    "chmod hardlink_to lchmod link_to mkdir rename rmdir symlink_to touch unlink write_bytes write_text".split()
)
MODULES = {
    "os": frozenset(
        "chmod chown ftruncate lchmod link makedirs mkdir mkfifo mknod open remove removedirs rename renames replace rmdir "
        "symlink truncate unlink utime".split()
    ),
    "shutil": frozenset("copy copy2 copyfile copymode copystat copytree move rmtree unpack_archive".split()),
    "sqlite3": frozenset({"connect"}),
    "tempfile": frozenset("NamedTemporaryFile TemporaryDirectory TemporaryFile mkdtemp mkstemp".split()),
}
# Names that are imported from these modules, and classes that open a file by its path.
NAMES = frozenset({"FileLock", "SoftFileLock", "mkdtemp", "mkstemp", "NamedTemporaryFile", "TemporaryDirectory"})

HERE = "it is this discipline"
USER = "writes where the user said"
MOMENT = "writes in a folder of the moment, which is ours alone"
MEMORY = "opens a database in memory"
OWN = "writes in the user's configuration folder, which no workspace holds"
NEW = "makes a workspace, and passes over links"

# (module, operation) -> why it may go round the enclosure.
ALLOWED = {
    ("storage/enclosure.py", "FileLock"): HERE,
    ("storage/enclosure.py", "chmod"): HERE,
    ("storage/enclosure.py", "mkdir"): HERE,
    ("storage/enclosure.py", "mkdtemp"): HERE,
    ("storage/enclosure.py", "open"): HERE,
    ("storage/enclosure.py", "os.link"): HERE,
    ("storage/enclosure.py", "os.open"): HERE,
    ("storage/enclosure.py", "replace"): HERE,
    ("storage/enclosure.py", "rmdir"): HERE,
    ("storage/enclosure.py", "shutil.rmtree"): HERE,
    ("storage/enclosure.py", "unlink"): HERE,
    ("storage/holding.py", "os.open"): "makes an empty file, whose path was checked in the enclosure of its folder",
    ("storage/holding.py", "os.utime"): "notes when a folder was used, on that file",
    ("storage/database.py", "sqlite3.connect"): "the path was checked in the enclosure of its folder, or there is none",
    ("storage/tables.py", "sqlite3.connect"): MEMORY,
    ("storage/postgres/schema.py", "sqlite3.connect"): MEMORY,
    ("index/building.py", "sqlite3.connect"): "the file was made in a new folder by the enclosure",
    ("index/generation.py", "sqlite3.connect"): "the path was checked in the enclosure of its folder",
    ("index/library.py", "sqlite3.connect"): "the path was checked in the enclosure of its folder",
    ("index/fulltext.py", "sqlite3.connect"): MEMORY,
    ("index/cuts.py", "sqlite3.connect"): MEMORY,
    ("index/live.py", "sqlite3.connect"): MEMORY,
    ("index/keywords.py", "sqlite3.connect"): MEMORY,
    ("retrieval/lanes.py", "sqlite3.connect"): MEMORY,
    ("scene_lore/cache.py", "sqlite3.connect"): MEMORY,
    ("campaigns/campaigns.py", "mkdir"): MOMENT,
    ("service/web/api/tables.py", "open"): MOMENT,
    ("service/web/api/tables.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("service/web/jobs.py", "open"): MOMENT,
    ("service/web/jobs.py", "shutil.rmtree"): MOMENT,
    ("service/web/jobs.py", "tempfile.mkdtemp"): MOMENT,
    ("service/web/pack_job.py", "replace"): MOMENT,
    ("service/web/pack_job.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("service/web/pack_job.py", "write_text"): MOMENT,
    ("campaigns/campaigns.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("campaigns/copying.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("campaigns/exchange.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("generate/scenario/generating.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("campaigns/store.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("campaigns/lore.py", "mkdir"): MOMENT,
    ("campaigns/lore.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("authoring/scenario_watch.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("workspace/accounts_copies.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("workspace/bundles.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("workspace/packs.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("workspace/pushing.py", "mkdir"): MOMENT,
    ("workspace/pushing.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("service/web/indexing/indexer.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("cli/explore.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("cli/game/play.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("cli/models.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("cli/scenario.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("authoring/leaks/surfaces.py", "mkdir"): MOMENT,
    ("authoring/leaks/surfaces.py", "write_bytes"): MOMENT,
    ("authoring/leaks/surfaces.py", "write_text"): MOMENT,
    ("authoring/leaks/planting.py", "mkdir"): MOMENT,
    ("authoring/leaks/planting.py", "write_bytes"): MOMENT,
    ("authoring/leaks/planting.py", "write_text"): MOMENT,
    ("authoring/leaks/playing.py", "mkdir"): MOMENT,
    ("authoring/leaks/playing.py", "shutil.copyfile"): MOMENT,
    ("authoring/leaks/playing.py", "shutil.copytree"): MOMENT,
    ("authoring/leaks/playing.py", "write_text"): MOMENT,
    ("authoring/leaks/suite.py", "mkdir"): MOMENT,
    ("authoring/leaks/suite.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("authoring/leaks/suite.py", "write_text"): MOMENT,
    ("authoring/leaks/twin_worlds.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("authoring/pack_suite.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("authoring/reach/scenario_reach.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("index/vectors/chroma_building.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("index/vectors/stored.py", "tempfile.TemporaryFile"): "it has no name",
    ("contrib/import_v0/tables.py", "shutil.copyfile"): MOMENT,
    ("contrib/import_v0/tables.py", "sqlite3.connect"): MOMENT,
    ("contrib/import_v0/tables.py", "tempfile.TemporaryDirectory"): MOMENT,
    ("grants.py", "mkdir"): OWN,
    ("grants.py", "replace"): OWN,
    ("grants.py", "tempfile.mkstemp"): OWN,
    ("grants.py", "unlink"): OWN,
    ("cli/__init__.py", "os.open"): "opens the null device",
    ("authoring/query_page.py", "write_text"): USER,
    ("cli/prompts.py", "mkdir"): USER,
    ("cli/replay.py", "write_text"): USER,
    ("cli/scenario.py", "mkdir"): USER,
    ("authoring/pack_baseline.py", "mkdir"): USER,
    ("authoring/pack_baseline.py", "write_text"): USER,
    ("formats/exporting.py", "mkdir"): USER,
    ("formats/exporting.py", "open"): USER,
    ("formats/exporting.py", "rename"): USER,
    ("formats/exporting.py", "replace"): USER,
    ("formats/exporting.py", "shutil.copytree"): USER,
    ("formats/exporting.py", "shutil.rmtree"): USER,
    ("formats/exporting.py", "unlink"): USER,
    ("formats/exporting.py", "write_bytes"): USER,
    ("llm/tape.py", "open"): USER,
    ("formats/writer.py", "mkdir"): USER,
    ("formats/writer.py", "rename"): USER,
    ("formats/writer.py", "rmdir"): USER,
    ("formats/writer.py", "shutil.rmtree"): USER,
    ("formats/writer.py", "write_bytes"): USER,
    ("packs/installing.py", "mkdir"): USER,
    ("packs/installing.py", "write_text"): USER,
    ("storage/containers.py", "chmod"): USER,
    ("storage/containers.py", "open"): USER,
    ("storage/containers.py", "unlink"): USER,
    ("storage/read_only.py", "TemporaryDirectory"): MOMENT,
    ("storage/read_only.py", "shutil.copyfile"): MOMENT,
    ("storage/read_only.py", "sqlite3.connect"): "reads what cannot be written to, and checked by its caller",
    ("storage/temporary.py", "shutil.rmtree"): "names that only our own processes give, in no link",
    ("storage/temporary.py", "unlink"): "names that only our own processes give, in no link",
    ("lore_bootstrap.py", "mkdir"): NEW,
    ("lore_bootstrap.py", "shutil.copy2"): NEW,
    ("lore_bootstrap.py", "shutil.copytree"): NEW,
    ("lore_bootstrap.py", "write_text"): NEW,
}


def opens_to_write(call: ast.Call, place: int) -> bool:
    """Whether a call of something called `open` has a mode at its place that writes."""
    given = next((word.value for word in call.keywords if word.arg == "mode"), None)
    node = given or (call.args[place] if len(call.args) > place else None)
    mode = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else "r"
    return bool(set(mode) & set("wax+")) and set(mode) <= set("rwaxbt+")


def operation(call: ast.Call) -> str | None:
    """The operation that a call is, where it changes files or opens a database."""
    match call.func:
        case ast.Name(id=name) if name in NAMES:
            return name
        case ast.Name(id="open") if opens_to_write(call, 1):
            return "open"
        case ast.Attribute(value=ast.Name(id=module), attr=name) if module in MODULES:
            return f"{module}.{name}" if name in MODULES[module] else None
        case ast.Attribute(attr="open") if opens_to_write(call, 0):
            return "open"
        # A text's `replace` takes two, a date's and a dataclass's take keywords.
        case ast.Attribute(attr="replace") if len(call.args) == 1 and not call.keywords:
            return "replace"
        case ast.Attribute(attr=name) if name in PATH_METHODS:
            return name
    return None


def found_in(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    for node in nodes:
        if isinstance(node, ast.Call) and (name := operation(node)) is not None:
            yield name, node.lineno


def test_no_file_operation_goes_round_the_enclosure_but_those_in_the_list(modules: tuple[SourceModule, ...]) -> None:
    found = {(module.name, name): line for module in modules for name, line in found_in(module.nodes)}
    assert {where: line for where, line in found.items() if where not in ALLOWED} == {}
    assert [where for where in ALLOWED if where not in found] == [], "these are not there any more"


@pytest.mark.parametrize(
    ("line", "operation_found"),
    [
        ("path.unlink(missing_ok=True)", "unlink"),
        ("path.replace(other)", "replace"),
        ("text.replace('a', 'b')", None),
        ("at.replace(tzinfo=UTC)", None),
        ("open(path, 'w')", "open"),
        ("open(path)", None),
        ("path.open('ab')", "open"),
        ("path.open(mode='x')", "open"),
        ("path.open('rb')", None),
        ("library.open(key)", None),
        ("os.link(a, b)", "os.link"),
        ("os.path.join(a, b)", None),
        ("shutil.rmtree(path)", "shutil.rmtree"),
        ("sqlite3.connect(path)", "sqlite3.connect"),
        ("FileLock(path)", "FileLock"),
    ],
)
def test_what_changes_files_is_told_from_what_does_not(line: str, operation_found: str | None) -> None:
    assert next((name for name, _ in found_in(ast.walk(ast.parse(line)))), None) == operation_found
