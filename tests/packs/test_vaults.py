"""Vaults as people keep them, written by others who had not seen how they are read: secrets, names, types, plugin code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lorewright.packs.loader import load_pack
from lorewright.packs.models import OPEN_ROLES, Pack

VAULTS = Path(__file__).parents[1] / "fixtures" / "vaults"
SETS = ("secrets_one", "secrets_two")
SAID = {"secret-section", "looks-secret", "secret-comment", "unclosed-comment", "private-note", "unknown-visibility"}
# Open texts that stand under a word of secrets: hidden, and told as such.
TAKEN_FOR_SECRETS = {
    "secrets_one": set(),
    "secrets_two": {"La fiesta de los Secretos", "A festa do Segredo", "真相大白"},
}


def planted(name: str, *, secret: bool) -> list[dict[str, Any]]:
    found = json.loads((VAULTS / f"{name}.truth.json").read_text(encoding="utf-8"))
    return [one for one in found if one["secret"] is secret]


@pytest.fixture(scope="module", params=SETS)
def read(request: pytest.FixtureRequest) -> tuple[str, Pack]:
    return request.param, load_pack(VAULTS / request.param)


def open_texts(pack: Pack) -> str:
    told = [f"{chunk.section_path}\n{chunk.shown}" for chunk in pack.chunks if chunk.role in OPEN_ROLES]
    return "\n".join([*told, *(" ".join((entity.name, *entity.aliases, *entity.tags)) for entity in pack.entities)])


def test_no_planted_secret_is_open(read: tuple[str, Pack]) -> None:
    name, pack = read
    told = open_texts(pack)
    assert [one for one in planted(name, secret=True) if one["canary"] in told] == []


def test_the_game_master_has_every_secret(read: tuple[str, Pack]) -> None:
    name, pack = read
    kept = "\n".join(chunk.text for chunk in pack.chunks)
    lost = [one for one in planted(name, secret=True) if one["canary"] not in kept]
    # What stands in HTML comments nobody reads.
    assert {one["form"] for one in lost} <= {"html-comment"}


def test_every_secret_is_named_with_its_line(read: tuple[str, Pack]) -> None:
    name, pack = read
    said = {(finding.file, finding.line) for finding in pack.findings if finding.code in SAID}
    assert [one for one in planted(name, secret=True) if (one["file"], one["marker_line"]) not in said] == []


def test_what_stands_beside_a_secret_stays_open(read: tuple[str, Pack]) -> None:
    name, pack = read
    told = open_texts(pack)
    hidden = [one for one in planted(name, secret=False) if one["canary"] not in told]
    sections = {chunk.section for chunk in pack.chunks for one in hidden if one["canary"] in chunk.text}
    assert sections == TAKEN_FOR_SECRETS[name]


def test_joined_sources_are_the_file(read: tuple[str, Pack]) -> None:
    _, pack = read
    for entity in pack.entities:
        body = "".join(chunk.source for chunk in pack.chunks if chunk.entity_id == entity.id)
        assert (Path(pack.root) / entity.file_path).read_text(encoding="utf-8").endswith(body)


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> tuple[Pack, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("vault") / "vault"
    subprocess.run([sys.executable, VAULTS / "make_vault.py", folder], check=True, stdout=subprocess.DEVNULL)
    return load_pack(folder), json.loads(folder.with_name("vault.truth.json").read_text(encoding="utf-8"))


@pytest.mark.campaign
def test_a_vault_of_fifteen_hundred_notes_is_read_right(vault: tuple[Pack, dict[str, Any]]) -> None:
    pack, truth = vault
    notes = {entity.file_path: entity for entity in pack.entities}
    assert pack.errors == ()
    assert len({(finding.severity, finding.code) for finding in pack.findings}) < 15
    assert not notes.keys() & {*truth["excluded"], *truth["excluded_other_language"]}
    right = [notes[path].type == kind for path, kind in truth["types"].items()]
    assert sum(right) >= 0.9 * len(right)
    for lookup in truth["lookups"]:
        found = notes[lookup["path"]]
        assert lookup["query"] in (found.name, *found.aliases)
    shown = "\n".join(f"{chunk.section_path}\n{chunk.shown}" for chunk in pack.chunks)
    assert [code for code in (*truth["plugin_code"], *truth["raw_links"]) if code in shown] == []
    assert [one for one in (*truth["after_unclosed"], *truth["plain_code"]) if one["text"] not in shown] == []
