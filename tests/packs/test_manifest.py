"""`pack.yaml`: what is meant is understood and told, what cannot be meant is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.ids import is_id
from lorewright.packs.files import Finding
from lorewright.packs.loader import load_pack
from lorewright.packs.manifest import derived_manifest, read_manifest
from lorewright.packs.models import Manifest
from support.pack_builder import loaded, write_pack

FILES = {"a.md": "# A\n\ntext\n"}


def read(text: str) -> tuple[Manifest, list[tuple[str, str, int]]]:
    manifest, findings = read_manifest(text, folder_name="town")
    return manifest, [(finding.severity, finding.code, finding.line) for finding in findings]


def test_a_whole_manifest_is_read_and_unknown_keys_are_kept() -> None:
    manifest, findings = read(
        "id: town\nname: Town\nversion: 1.2.0\nlayer: core\nlanguage: de\nlicense: {type: CC0}\n"
        "depends_on: [{id: base, version: '>=1'}]\nprovides: {npcs: 3}\nmap: {a: b}\n"
    )
    assert findings == []
    assert (manifest.name, manifest.version, manifest.layer, manifest.language) == ("Town", "1.2.0", "core", "de")
    assert [(one.id, one.version) for one in manifest.depends_on] == [("base", ">=1")]
    assert manifest.extra == {"map": {"a": "b"}}
    assert not manifest.derived


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("", "invalid-manifest", 1),
        ("- id: town\n", "invalid-manifest", 1),
        ("just text", "invalid-manifest", 1),
        ("name: Town\n", "missing-id", 1),
        ("name: Town\nid: ../town\n", "bad-id", 2),
        ("id: [town]\n", "bad-id", 1),
        ("id: 12\n", "bad-id", 1),
        ("id: town\nname: a: b\n", "invalid-yaml", 2),
        ("id: town\nx: &a [1]\n", "invalid-yaml", 2),
        ("id: town\nlicense: {}\ndepends_on: 3\n", "invalid-manifest", 3),
        ("id: town\nlicense: {}\ndepends_on: [{version: '1'}]\n", "invalid-manifest", 3),
        ("id: town\nlicense: [CC0]\n", "invalid-manifest", 2),
        ("id: town\nlicense: {}\nprovides: 3\n", "invalid-manifest", 3),
    ],
)
def test_what_cannot_be_meant_is_an_error_and_the_manifest_is_derived(text: str, code: str, line: int) -> None:
    manifest, findings = read(text)
    assert ("error", code, line) in findings
    assert manifest == derived_manifest("town")


def test_bare_dependencies_and_a_list_in_provides_are_understood() -> None:
    manifest, findings = read("id: town\nlicense: {}\ndepends_on: [base, {id: more}]\nprovides: [npcs, 12]\n")
    assert findings == []
    assert [one.id for one in manifest.depends_on] == ["base", "more"]
    assert list(manifest.provides) == ["npcs", "12"]


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("version: 1.1", "version", "1.1"),
        ("version: 2", "version", "2"),
        ("name: 2087", "name", "2087"),
        ("name: true", "name", "True"),
        ("layer: corre", "layer", "setting"),
        ("license: CC0", "license", {"type": "CC0"}),
    ],
)
def test_a_value_of_the_wrong_type_is_understood_and_told(line: str, field: str, value: object) -> None:
    manifest, findings = read(f"id: town\n{line}\n")
    assert getattr(manifest, field) == value
    assert [finding for finding in findings if finding[1] != "missing-license"] in (
        [("warning", "wrong-type", 2)],
        [("warning", "unknown-layer", 2)],
    )


def test_a_key_without_a_value_is_as_if_it_were_not_there() -> None:
    manifest, _ = read("id: town\nversion:\nname:\nlayer: ~\n")
    assert (manifest.version, manifest.name, manifest.layer) == ("0.0.0", "town", "setting")


def test_a_pack_that_names_no_license_is_told() -> None:
    assert read("id: town\n")[1] == [("warning", "missing-license", 1)]


def test_an_id_that_is_not_the_folders_name_is_told() -> None:
    assert ("warning", "id-mismatch", 1) in read("id: city\n")[1]
    assert read("id: to-wn\nlicense: {}\n")[1] == [("warning", "id-mismatch", 1)]


@pytest.mark.parametrize("folder", ["town", "My Town", "été", "..", "日本", "🔥", "a" * 300, "-x-"])
def test_a_derived_id_is_an_id(folder: str) -> None:
    assert is_id(derived_manifest(folder).id)


def test_a_folder_without_a_manifest_is_a_pack_of_its_name(tmp_path: Path) -> None:
    pack = loaded(tmp_path, FILES, pack_id="My Town", manifest=None)
    assert (pack.manifest.id, pack.manifest.derived) == ("my_town", True)
    assert [finding.code for finding in pack.findings if finding.file == "pack.yaml"] == ["missing-manifest"]


@pytest.mark.parametrize("head", ["---\n", "\ufeff", "# comment\n", "---\r\n", "%YAML 1.2\n---\n"])
def test_a_manifest_may_begin_as_yaml_files_do(tmp_path: Path, head: str) -> None:
    pack = loaded(tmp_path, FILES, manifest=head + "id: town\nname: Town\nlicense: {{}}\n")
    assert (pack.manifest.name, pack.errors) == ("Town", ())


def errors_of(folder: Path) -> list[Finding]:
    return [finding for finding in load_pack(folder).errors if finding.file == "pack.yaml"]


def test_a_manifest_that_is_no_text_or_too_large_is_an_error(tmp_path: Path) -> None:
    folder = write_pack(tmp_path, FILES)
    for data, code in (
        (b"id: \xff", "not-utf8"),
        (b"id: a\0", "nul-byte"),
        (b"id: town\n" * 100_000, "file-too-large"),
    ):
        (folder / "pack.yaml").write_bytes(data)
        assert [finding.code for finding in errors_of(folder)] == [code]


def test_control_characters_in_a_manifest_are_left_out_and_told(tmp_path: Path) -> None:
    pack = loaded(tmp_path, FILES, manifest="id: town\nname: \x1bTown\x07\nlicense: {{}}\n")
    assert pack.manifest.name == "Town"
    assert "control-chars" in {finding.code for finding in pack.findings}


def test_a_manifest_that_is_a_link_out_of_the_pack_is_an_error_and_not_read(tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text("id: town\nname: Outside\n")
    folder = write_pack(tmp_path, FILES, manifest=None)
    (folder / "pack.yaml").symlink_to(tmp_path / "outside.yaml")
    assert [finding.code for finding in errors_of(folder)] == ["symlink-escape"]
    before = load_pack(folder)
    (tmp_path / "outside.yaml").write_text("id: town\nname: Changed\n")
    assert load_pack(folder).content_hash == before.content_hash
    assert "Outside" not in repr(before)
