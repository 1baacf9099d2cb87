"""lorewright schema: print JSON Schemas of authors' files, so that editors complete and check them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from lorewright.authoring.author_schemas import author_schemas, schema_text
from lorewright.campaigns.scenarios.rulesets import load_ruleset, ruleset_names
from lorewright.cli.output import say, show_json, show_table
from lorewright.errors import NotFound, RulesetError, SettingsError
from lorewright.formats.exporting import write_file
from lorewright.settings import find_workspace

EXAMPLES = {"schema": "Example: lorewright schema pack --out schemas/pack.json"}

_FOR = {
    "pack": "pack.yaml",
    "frontmatter": "the frontmatter of a pack's markdown files",
    "golden": "golden queries, in a pack's tests/*.yaml",
    "scenario": "scenarios/*.yaml",
    "ruleset": "rulesets/*.yaml",
}
_GLOBS = {
    "pack": "**/pack.yaml",
    "golden": "content_packs/*/tests/*.yaml",
    "scenario": "scenarios/*.yaml",
    "ruleset": "rulesets/*.yaml",
}


def schema(
    name: Annotated[str | None, typer.Argument(help="pack, frontmatter, golden, scenario or ruleset.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write it to this file; without a name all, to a folder.")] = None,
    vscode: Annotated[bool, typer.Option("--vscode", help="Print settings for VS Code.")] = False,
) -> None:
    """The JSON Schema of what you write, for your editor; without a name: which there are."""
    if name is not None and name not in author_schemas():
        raise NotFound(f"there is no schema {name}", hint=f"one of: {', '.join(author_schemas())}")
    if vscode and (name is not None or out is None):
        raise SettingsError(
            "--vscode is about all schemas, in a folder", hint="lorewright schema --out schemas --vscode"
        )
    if name is None and out is None:
        show_table(("schema", "of"), _FOR.items())
        say("Next: lorewright schema --out schemas --vscode")
    elif name is None and out is not None:
        for author_schema in author_schemas():
            write_file(out / f"{author_schema}.json", schema_text(author_schema, _rulesets()), force=True)
        show_json(_settings(out)) if vscode else say(f"{len(author_schemas())} schemas in {out}")
    elif out is None:
        show_json(json.loads(schema_text(str(name), _rulesets())))
    else:
        write_file(out, schema_text(str(name), _rulesets()), force=True)
        say(f"wrote {out}")


def _rulesets() -> Path | None:
    """Return the folder of the workspace's rulesets, whose acts are in the schema; None where one of them is broken."""
    folder = find_workspace(Path.cwd()).rulesets
    try:
        for name in ruleset_names(folder):
            load_ruleset(name, folder)
    except RulesetError:
        return None
    return folder


def _settings(folder: Path) -> dict[str, dict[str, str]]:
    """Return settings for the YAML extension of VS Code, with paths from the folder in which it is opened.
    Frontmatter is not included: it needs another extension."""
    here = Path.cwd().resolve()
    inside = folder.resolve().is_relative_to(here)
    where = f"./{folder.resolve().relative_to(here).as_posix()}" if inside else folder.resolve().as_posix()
    return {"yaml.schemas": {f"{where}/{name}.json": glob for name, glob in _GLOBS.items()}}
