"""The seed's four operations, and packs that are begun."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.errors import NotFound, PackError
from lorewright.packs.installing import manifest_for, new_pack
from lorewright.packs.loader import load_pack
from lorewright.packs.pack_loader import PackLoader
from support import harbour as h


def test_packs_are_listed_loaded_and_validated(tmp_path: Path) -> None:
    h.write_pack(tmp_path / "harbour")
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.md").write_text("# A\n")
    loader = PackLoader(tmp_path)
    assert [manifest.id for manifest in loader.list_packs()] == ["harbour", "plain"]
    assert loader.load_pack(tmp_path / "harbour").name == "Harbour"
    assert [finding for finding in loader.validate_pack(tmp_path / "harbour") if finding.severity == "error"] == []
    assert "missing-manifest" in {finding.code for finding in loader.validate_pack(tmp_path / "plain")}


def test_frontmatter_is_parsed_from_one_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\nid: a\ntags: [x]\n---\n# A\n")
    parsed = PackLoader(tmp_path).parse_frontmatter(tmp_path / "a.md")
    assert parsed == {"metadata": {"id": "a", "tags": ["x"]}, "content": "# A\n"}
    with pytest.raises(NotFound):
        PackLoader(tmp_path).parse_frontmatter(tmp_path / "b.md")


def test_a_new_pack_lints_clean_and_has_every_kind_of_section(tmp_path: Path) -> None:
    new_pack(tmp_path / "my_town")
    pack = load_pack(tmp_path / "my_town")
    assert pack.findings == ()
    assert {chunk.role for chunk in pack.chunks} >= {"lore", "atmosphere", "knows", "withholds", "discoverable"}


def test_a_folder_with_something_in_it_is_not_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "town").mkdir()
    (tmp_path / "town" / "a.md").write_text("# A\n")
    with pytest.raises(PackError, match="not empty"):
        new_pack(tmp_path / "town")
    with pytest.raises(PackError, match="cannot be a pack's ID"):
        new_pack(tmp_path / "...")


def test_the_manifest_of_a_folder_is_written_once_and_read_back(tmp_path: Path) -> None:
    folder = tmp_path / "Old Vault"
    (folder / "places").mkdir(parents=True)
    (folder / "places" / "mill.md").write_text("# Mill\n")
    manifest_for(folder)
    pack = load_pack(folder)
    assert (pack.manifest.id, pack.manifest.provides, pack.manifest.derived) == ("old_vault", {"location": 1}, False)
    with pytest.raises(PackError, match="already"):
        manifest_for(folder)


def test_excluded_files_are_no_content_and_named_folders_have_their_type(tmp_path: Path) -> None:
    files = {
        "pack.yaml": 'id: town\nexclude: ["templates/*", "*_log.md"]\ntypes: {Cast: npc, Cast/Ghosts: faction}\n',
        "templates/t.md": "# T\n",
        "day_log.md": "# L\n",
        "Cast/ann.md": "# Ann\n",
        "Cast/Ghosts/boo.md": "# Boo\n",
    }
    pack = load_pack(h.write_pack(tmp_path / "town", files))
    assert {entity.name: entity.type for entity in pack.entities} == {"Ann": "npc", "Boo": "faction"}


def test_a_pack_may_say_how_long_a_chunk_is(tmp_path: Path) -> None:
    text = "# A\n\n" + "\n\n".join(f"Paragraph {n} has these eight words in it." for n in range(30))
    short = load_pack(
        h.write_pack(tmp_path / "1" / "town", {"pack.yaml": "id: town\nchunk_tokens: 60\n", "a.md": text})
    )
    long = load_pack(h.write_pack(tmp_path / "2" / "town", {"pack.yaml": "id: town\n", "a.md": text}))
    assert (len(short.chunks) > 4, len(long.chunks)) == (True, 1)
    assert max(chunk.token_count for chunk in short.chunks) <= 60
