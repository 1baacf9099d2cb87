"""An Obsidian vault: notes that link by name, clean properties, and a pack again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lorewright.formats.exporting import export_pack
from lorewright.formats.shown import Audience, Reader
from lorewright.packs.frontmatter import read_source
from lorewright.packs.loader import load_pack
from lorewright.packs.models import OPEN_ROLES, Pack
from lorewright.packs.pack_loader import PackLoader
from support.harbour import write_pack
from support.secretive_pack import secretive

OWN_PACKS = Path(__file__).parents[2] / "content_packs"

AWKWARD = {
    "pack.yaml": "id: awkward\nname: Awkward\nversion: 1.0.0\nlicense: {type: CC0}\n",
    "npcs/a.md": "---\nid: a\ntype: npc\naliases: [The Second]\ntags: [two words, plain]\n---\n# What: is / this?\n\nMet [[b]], [[The Twin]] and [[f/twin|the other]].\n",
    "npcs/b.md": "---\nid: b\ntype: npc\nsection_roles: {Secrets of the trade: lore}\n---\n# CON\n\n| a | b |\n|---|---|\n| [[a\\|x]] | y |\n\n## Secrets of the trade\n\nNone.\n",
    "npcs/twin.md": "---\nid: twin\ntype: npc\nrelated_entities: [f-twin]\n---\n# The Twin\n\nOne.\n",
    "f/twin.md": "---\nid: f-twin\ntype: faction\n---\n# The twin\n\nTwo.\n",
}


def vault_of(pack: Pack, reader: Reader, out: Path) -> dict[str, Any]:
    export_pack(pack, Audience.of(reader), "obsidian", out)
    return {path.relative_to(out).as_posix(): path.read_text(encoding="utf-8") for path in sorted(out.rglob("*.md"))}


@pytest.mark.parametrize("reader", ["player", "gm"])
@pytest.mark.parametrize("name", ["motel_verse", "orme_house"])
def test_a_vault_is_a_pack_again_without_a_finding(name: str, reader: Reader, tmp_path: Path) -> None:
    pack = load_pack(OWN_PACKS / name)
    vault_of(pack, reader, tmp_path / "vault")
    again = PackLoader(tmp_path).check_pack(tmp_path / "vault")
    assert [str(one) for one in again.findings if one.severity != "info"] == []
    assert again.manifest.id == "vault"
    assert {(one.name, one.type) for one in again.entities} == {(one.name, one.type) for one in pack.entities}
    kept = [one for one in pack.chunks if reader == "gm" or one.role in OPEN_ROLES]
    assert {one.id.partition(":")[2]: one.role for one in again.chunks} == {
        one.id.partition(":")[2]: one.role for one in kept
    }
    if reader == "gm":
        links = [{link.value.partition(":")[2] for link in one.links} for one in (*pack.chunks, *again.chunks)]
        assert sorted(map(sorted, links[: len(pack.chunks)])) == sorted(map(sorted, links[len(pack.chunks) :]))


def test_names_that_no_note_may_have_are_made_fit_and_stay_aliases(tmp_path: Path) -> None:
    notes = vault_of(load_pack(write_pack(tmp_path / "pack", AWKWARD)), "player", tmp_path / "vault")
    assert notes.keys() == {
        "README.md",
        "npcs/What is this.md",
        "npcs/CON (npc).md",
        "npcs/The Twin (npc).md",
        "factions/The twin.md",
    }
    properties = read_source("", notes["npcs/What is this.md"].encode()).metadata
    assert properties["aliases"] == ["What: is / this?", "The Second"]
    assert properties["tags"] == ["two-words", "plain"]


def test_links_are_by_name_and_by_path_where_names_are_not_enough(tmp_path: Path) -> None:
    pack = load_pack(write_pack(tmp_path / "pack", AWKWARD))
    notes = vault_of(pack, "player", tmp_path / "vault")
    text = notes["npcs/What is this.md"]
    assert "[[CON (npc)|CON]]" in text
    # Two are called The Twin: nobody knows which is meant, and the words stay.
    assert "The Twin and [[factions/The twin|the other]]." in text
    assert "[[What is this\\|x]]" in notes["npcs/CON (npc).md"]
    assert [str(one) for one in PackLoader(tmp_path).check_pack(tmp_path / "vault").errors] == []


def test_an_open_section_whose_title_sounds_secret_stays_open(tmp_path: Path) -> None:
    vault_of(load_pack(write_pack(tmp_path / "pack", AWKWARD)), "player", tmp_path / "vault")
    assert {one.role for one in load_pack(tmp_path / "vault").chunks} == {"lore"}


def test_nothing_of_a_vault_for_players_is_taken_for_a_secret(tmp_path: Path) -> None:
    vault_of(secretive(tmp_path / "pack"), "player", tmp_path / "vault")
    assert {one.role for one in load_pack(tmp_path / "vault").chunks} <= OPEN_ROLES
