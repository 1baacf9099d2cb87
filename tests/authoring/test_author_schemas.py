"""Schemas of what authors write: they allow what the program reads, and refuse what it refuses."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry

from lorewright.authoring.author_schemas import author_schemas, schema_text
from lorewright.campaigns.scenarios.scenario import Scenario
from lorewright.packs.bounded_yaml import load_yaml
from lorewright.packs.content_hash import READING
from lorewright.packs.entry_rules import RULE_NAMES
from lorewright.packs.files import list_files
from lorewright.packs.frontmatter import read_source
from lorewright.packs.loader import load_pack
from lorewright.packs.metadata import _KNOWN
from lorewright.packs.models import Manifest
from lorewright.rules.rulesets import Ruleset
from support.corpora import corpora
from support.harbour import write_pack

ROOT = Path(__file__).parents[2]
COPIES = ROOT / "docs" / "schemas" / "authoring"
OWN_PACKS = ("cyberpunk_core", "motel_verse", "neo_seattle", "orme_house")


def wrong(name: str, data: Any) -> list[str]:
    """What is wrong with a value, with nothing fetched from anywhere."""
    return [f"{list(one.absolute_path)}: {one.message}" for one in validators()[name].iter_errors(data)]


@cache
def validators() -> dict[str, Draft202012Validator]:
    return {name: Draft202012Validator(schema(), registry=Registry()) for name, schema in author_schemas().items()}


@pytest.fixture(scope="module", autouse=True)
def _schemas_are_made() -> None:
    validators()


def yaml_in(path: Path) -> Any:
    return load_yaml(path.read_text(encoding="utf-8-sig")).data


def wrong_in_pack(root: Path) -> list[str]:
    found = wrong("pack", yaml_in(root / "pack.yaml")) if (root / "pack.yaml").is_file() else []
    for path in list_files(root, reading=READING).paths:
        source = read_source(path, (root / path).read_bytes())
        found += [f"{path} {one}" for one in ([] if source.skip else wrong("frontmatter", source.metadata))]
    for path in sorted((root / "tests").glob("*.yaml")):
        found += [f"{path.name} {one}" for one in wrong("golden", yaml_in(path))]
    return found


# The two large ones take a second each.
LARGE = ("scenario", "ruleset")


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.campaign if one in LARGE else ()) for one in author_schemas()]
)
def test_each_is_a_schema_and_its_copy_is_what_is_made_now(name: str) -> None:
    """`lorewright schema --out docs/schemas/authoring` writes them anew."""
    schema = dict(validators()[name].schema)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"]
    assert (COPIES / f"{name}.json").read_text(encoding="utf-8") == schema_text(name)


def test_every_key_that_the_program_reads_is_described() -> None:
    pack, frontmatter, scenario, ruleset = (
        author_schemas()[one]() for one in ("pack", "frontmatter", "scenario", "ruleset")
    )
    assert pack["properties"].keys() == Manifest.model_fields.keys() - {"extra", "derived"}
    assert frontmatter["properties"].keys() >= _KNOWN | {"exits", "baked", "chattiness", "agenda"}
    assert frontmatter["$defs"]["rules"]["properties"].keys() == set(RULE_NAMES)
    assert scenario["properties"].keys() >= Scenario.model_fields.keys()
    assert ruleset["properties"].keys() >= Ruleset.model_fields.keys()
    for schema in (pack, frontmatter):
        assert all(one.get("description") for one in schema["properties"].values())
    missing = [key for key, one in scenario["properties"].items() if not one.get("description")]
    assert set(missing) <= {"system", "genre_rules"}


@pytest.mark.parametrize("name", OWN_PACKS)
def test_the_packs_that_ship_are_valid(name: str) -> None:
    assert wrong_in_pack(ROOT / "content_packs" / name) == []


@pytest.mark.campaign
@pytest.mark.parametrize("path", sorted((ROOT / "scenarios").glob("*.yaml")), ids=lambda path: path.stem)
def test_the_scenarios_that_ship_are_valid(path: Path) -> None:
    assert wrong("scenario", yaml_in(path)) == []


@pytest.mark.campaign
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=pytest.mark.campaign if path.stem == "tic-tac-toe" else ())
        for path in sorted((ROOT / "src/lorewright/rules/library").glob("*.yaml"))
    ],
    ids=lambda path: path.stem,
)
def test_the_rulesets_that_ship_are_valid(path: Path) -> None:
    assert wrong("ruleset", yaml_in(path)) == []


@pytest.mark.campaign
@pytest.mark.corpora
@pytest.mark.parametrize("name", ["asis-cairn", "asis-dnd-srd", "eclipse-phase"])
def test_real_packs_without_errors_are_valid(name: str) -> None:
    assert wrong_in_pack(corpora() / "packs" / name) == []


LENIENT = {
    "pack.yaml": """
        id: lenient
        version: 1.0
        depends_on: [core, {id: other, version: ">=1"}]
        provides: [npcs, locations]
        license: CC0
        exclude: "*_log.md"
        mood: dark
    """,
    "npcs/a.md": """
        ---
        id: a
        type: Person
        aliases: one, two
        tags: [1, x]
        related_entities: [[[B]], "[[B]]"]
        chattiness: lots
        own: {key: [1]}
        when: [{thread: t, status: open}, {clock: heat, min: 3}]
        section_when: {More: clock heat >= 3}
        ---
        # A

        Text.

        ## More

        Text.
    """,
    "npcs/b.md": "---\nid: 7\nvisibility: gm\nlore: {priority: 3, group: [x, y]}\n---\n# B\n\nText.\n",
}


def test_the_shapes_that_the_program_understands_are_valid(tmp_path: Path) -> None:
    root = write_pack(tmp_path / "lenient", LENIENT)
    assert load_pack(root).errors == ()
    assert wrong_in_pack(root) == []


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("pack", {"name": "no ID"}),
        ("pack", {"id": "a b"}),
        ("pack", {"id": "a", "chunk_tokens": 3}),
        ("pack", {"id": "a", "layer": "upper"}),
        ("frontmatter", {"when": {"thread": "x"}}),
        ("frontmatter", {"when": {"clock": "x"}}),
        ("frontmatter", {"when": []}),
        ("frontmatter", {"lore": {"priority": "high"}}),
        ("frontmatter", {"lore": {"probability": 0}}),
        ("frontmatter", {"exits": [{"minutes": 3}]}),
        ("golden", [{"query": "x", "includes": ["a:b:c"]}]),
        ("scenario", {"id": "x", "start": "y", "intro_seed": "z", "places": {}, "rule": []}),
        ("ruleset", {"id": "x"}),
    ],
)
def test_what_is_wrong_is_refused(name: str, data: Any) -> None:
    assert wrong(name, data)
