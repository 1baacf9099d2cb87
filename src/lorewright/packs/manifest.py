"""`pack.yaml` -> Manifest; if it is missing, a manifest derived from the folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version
from pydantic import ValidationError

from lorewright.bounded_files import read_bytes
from lorewright.errors import PackError
from lorewright.ids import is_id, misspelt, slug
from lorewright.packs.bounded_yaml import YamlProblem, load_yaml
from lorewright.packs.files import MAX_MANIFEST_BYTES, Finding, error, warning
from lorewright.packs.frontmatter import decode_text
from lorewright.packs.models import ENTITY_TYPES, LAYERS, Manifest

MANIFEST_FILE = "pack.yaml"
_KNOWN = frozenset(Manifest.model_fields) - {"extra", "derived"}


def derived_manifest(folder_name: str) -> Manifest:
    """Return the manifest of a folder without `pack.yaml`: ID and name come from the folder's name."""
    pack_id = slug(folder_name, fallback="pack").replace("-", "_")
    return Manifest(id=pack_id, name=folder_name, derived=True)


def read_manifest(text: str, *, folder_name: str) -> tuple[Manifest, list[Finding]]:
    """Return the manifest in `pack.yaml`, and findings; if there are errors, the manifest is the derived one."""
    findings: list[Finding] = []
    fallback = derived_manifest(folder_name)
    try:
        document = load_yaml(text)
    except YamlProblem as problem:
        place = {"line": problem.line, "column": problem.column}
        return fallback, [error(MANIFEST_FILE, "invalid-yaml", problem.message, **place, hint="mend the YAML")]
    data = document.data
    if not isinstance(data, dict):
        return fallback, [error(MANIFEST_FILE, "invalid-manifest", "pack.yaml must be `key: value` lines")]
    lines = document.key_lines
    findings += _id_findings(data, folder_name, lines)
    fields = _understood(data, findings, lines)
    fields.setdefault("name", fields.get("id", fallback.name))
    if any(finding.severity == "error" for finding in findings):
        return fallback, findings
    try:
        return Manifest(**fields, extra={k: v for k, v in data.items() if k not in _KNOWN}), findings
    except ValidationError as problem:
        for fault in problem.errors():
            key = str(fault["loc"][0])
            findings.append(error(MANIFEST_FILE, "invalid-manifest", f"{key}: {fault['msg']}", line=lines.get(key, 1)))
        return fallback, findings


def _id_findings(data: dict[str, Any], folder_name: str, lines: dict[str, int]) -> list[Finding]:
    pack_id = data.get("id")
    if pack_id is None:
        hint = f"add id: {derived_manifest(folder_name).id}"
        return [error(MANIFEST_FILE, "missing-id", "the pack has no ID", hint=hint)]
    if not isinstance(pack_id, str) or not is_id(pack_id):
        hint = "use letters, digits, _ and -"
        return [error(MANIFEST_FILE, "bad-id", "this cannot be a pack ID", line=lines["id"], hint=hint)]
    if not slug(folder_name).startswith(slug(pack_id)):
        message = f"the folder is named {folder_name}, the pack {pack_id}"
        return [warning(MANIFEST_FILE, "id-mismatch", message, line=lines["id"])]
    return []


def _understood(data: dict[str, Any], findings: list[Finding], lines: dict[str, int]) -> dict[str, Any]:
    """Return the known keys; values in shapes that authors often write are converted to those of the manifest."""
    fields = {key: value for key, value in data.items() if key in _KNOWN and value is not None}

    def note(code: str, message: str, key: str, hint: str = "") -> None:
        findings.append(warning(MANIFEST_FILE, code, message, line=lines.get(key, 1), hint=hint))

    for key in ("version", "name", "genre", "language", "description"):
        if key in fields and not isinstance(fields[key], str):
            note("wrong-type", f"{key} must be text", key, hint=f'write {key}: "{fields[key]}"')
            fields[key] = str(fields[key])
    if "version" in fields and not _is_version(fields["version"]):
        message = f"version: {fields['version'][:40]} is no version number, which other packs could ask for"
        note("bad-version", message, "version", hint='write version: "1.0.0"')
    if "layer" in fields and fields["layer"] not in LAYERS:
        note(
            "unknown-layer",
            f"unknown layer {str(data['layer'])[:40]}, read as setting",
            "layer",
            hint=f"one of {', '.join(LAYERS)}",
        )
        fields["layer"] = "setting"
    if "depends_on" in fields and isinstance(fields["depends_on"], list):
        fields["depends_on"] = [{"id": field} if isinstance(field, str) else field for field in fields["depends_on"]]
    provides = fields.get("provides")
    provided = [str(provide) for provide in provides] if isinstance(provides, (list, dict)) else []
    if any("/" in kind or "\\" in kind or ".." in kind for kind in provided):
        message = "provides names kinds of content, not paths"
        findings.append(error(MANIFEST_FILE, "bad-path", message, line=lines["provides"], hint="write locations: 12"))
    if isinstance(fields.get("provides"), list):
        fields["provides"] = dict.fromkeys(map(str, fields["provides"]))
    for key in ("exclude", "include"):
        if isinstance(fields.get(key), str):
            fields[key] = [fields[key]]
    if isinstance(fields.get("synonyms"), list):
        fields["synonyms"] = [_group(field) for field in fields["synonyms"]]
    unknown = [kind for kind in _values(fields.get("types")) if kind not in ENTITY_TYPES]
    for key in map(str, data):
        near = misspelt(key, _KNOWN - set(map(str, data)))
        if key not in _KNOWN and near is not None:
            note("misspelt-key", f"{key} is no key of a manifest; did you mean {near}?", key, hint=f"write {near}: …")
    if unknown:
        note(
            "unknown-type",
            f"types: {', '.join(map(str, unknown))} is no type",
            "types",
            hint=f"one of {', '.join(ENTITY_TYPES)}",
        )
        fields["types"] = {folder: kind for folder, kind in fields["types"].items() if kind in ENTITY_TYPES}
    if isinstance(fields.get("license"), str):
        note("wrong-type", "license is a text", "license", hint="write license: {type: …}")
        fields["license"] = {"type": fields["license"]}
    if "license" not in fields:
        findings.append(warning(MANIFEST_FILE, "missing-license", "the pack names no license", hint="add license:"))
    return fields


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


def _values(mapping: Any) -> list[Any]:
    return list(mapping.values()) if isinstance(mapping, dict) else []


def _group(group: Any) -> Any:
    """Return a group of synonyms as a list; `hypercorp, megacorp` is split at commas."""
    return [word.strip() for word in group.split(",") if word.strip()] if isinstance(group, str) else group


def load_manifest(root: Path) -> tuple[Manifest, list[Finding]]:
    """Return a folder's manifest, derived if it has none or an invalid one, and the findings about it."""
    path, folder_name = root / MANIFEST_FILE, root.resolve().name
    derived = derived_manifest(folder_name)
    if not path.is_file():
        return derived, []
    if not is_inside(path, root):
        return derived, [error(MANIFEST_FILE, "symlink-escape", "the link leads out of the pack", hint="copy the file")]
    if path.stat().st_size > MAX_MANIFEST_BYTES:
        message = f"over {MAX_MANIFEST_BYTES // 1024} KiB"
        return derived, [error(MANIFEST_FILE, "file-too-large", message, hint="put texts into markdown files")]
    findings: list[Finding] = []
    text = decode_text(MANIFEST_FILE, read_bytes(path, MAX_MANIFEST_BYTES, PackError), findings)
    if text is None:
        return derived, findings
    manifest, more = read_manifest(text, folder_name=folder_name)
    return manifest, findings + more


def is_inside(path: Path, root: Path) -> bool:
    """Return True if a path leads, links followed, to something in a folder."""
    return path.resolve().is_relative_to(root.resolve())
