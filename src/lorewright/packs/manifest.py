"""`pack.yaml` -> Manifest; if it is missing, a manifest derived from the folder."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from lorewright.ids import is_id, slug
from lorewright.packs.bounded_yaml import YamlProblem, load_yaml
from lorewright.packs.files import Finding, error, warning
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
    if "layer" in fields and fields["layer"] not in LAYERS:
        note("unknown-layer", "unknown layer, read as setting", "layer", hint=f"one of {', '.join(LAYERS)}")
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
    if isinstance(fields.get("exclude"), str):
        fields["exclude"] = [fields["exclude"]]
    if isinstance(fields.get("synonyms"), list):
        fields["synonyms"] = [_group(field) for field in fields["synonyms"]]
    unknown = [kind for kind in _values(fields.get("types")) if kind not in ENTITY_TYPES]
    if unknown:
        note("unknown-type", f"types: {unknown[0]} is no type", "types", hint=f"one of {', '.join(ENTITY_TYPES)}")
        fields["types"] = {folder: kind for folder, kind in fields["types"].items() if kind in ENTITY_TYPES}
    if isinstance(fields.get("license"), str):
        note("wrong-type", "license is a text", "license", hint="write license: {type: …}")
        fields["license"] = {"type": fields["license"]}
    if "license" not in fields:
        findings.append(warning(MANIFEST_FILE, "missing-license", "the pack names no license", hint="add license:"))
    return fields


def _values(mapping: Any) -> list[Any]:
    return list(mapping.values()) if isinstance(mapping, dict) else []


def _group(group: Any) -> Any:
    """Return a group of synonyms as a list; `hypercorp, megacorp` is split at commas."""
    return [word.strip() for word in group.split(",") if word.strip()] if isinstance(group, str) else group
