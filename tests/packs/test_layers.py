"""Which pack may override which, and what a linter says of an override that does nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.packs.files import Finding
from lorewright.packs.models import LAYERS, Dependency, Layer, Manifest, may_override
from lorewright.packs.pack_loader import PackLoader
from support.layered_packs import CORE_GUARD, TOWN_GUARD, core, manifest, town
from support.pack_builder import Files, write_pack


def findings(parent: Path, pack_id: str, packs: dict[str, Files]) -> list[Finding]:
    for name, files in packs.items():
        write_pack(parent, files, pack_id=name)
    return [
        one
        for one in PackLoader(parent).check_pack(parent / pack_id).findings
        if "override" in f"{one.code} {one.message}"
    ]


@pytest.mark.parametrize("later", LAYERS)
@pytest.mark.parametrize("earlier", LAYERS)
def test_a_later_layer_may_override_an_earlier_one(later: Layer, earlier: Layer) -> None:
    one, other = Manifest(id="a", name="a", layer=later), Manifest(id="b", name="b", layer=earlier)
    assert may_override(one, other) is (LAYERS.index(later) > LAYERS.index(earlier))


def test_in_one_layer_the_pack_that_depends_on_the_other_is_later() -> None:
    one = Manifest(id="a", name="a", depends_on=(Dependency(id="b"),))
    other = Manifest(id="b", name="b")
    assert (may_override(one, other), may_override(other, one)) == (True, False)


def test_a_sound_override_is_no_finding(tmp_path: Path) -> None:
    assert findings(tmp_path, "town", {"core": core(), "town": town()}) == []


def test_the_wrong_way_round_is_a_warning_on_its_line(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, "town", {"core": core("adventure"), "town": town("setting")})
    assert (found.file, found.line, found.severity, found.code) == ("watchman.md", 5, "warning", "override-wrong-way")


def test_an_override_of_what_is_not_there_is_a_warning(tmp_path: Path) -> None:
    for number, target in enumerate(("core:nobody", "elsewhere:guard", "town:watchman", "guard")):
        guard = TOWN_GUARD.replace("core:guard", target)
        (found,) = findings(tmp_path / str(number), "town", {"core": core(), "town": town(guard=guard)})
        assert (found.line, found.code) == (5, "dangling-reference")


def test_a_bare_id_is_that_of_the_one_pack_depended_on_that_has_it(tmp_path: Path) -> None:
    guard = TOWN_GUARD.replace("core:guard", "guard")
    packs: dict[str, Files] = {
        "core": core(),
        "other": {"pack.yaml": manifest("other", "core"), "a.md": "---\nid: a\ntype: npc\n---\n# A\n\nText.\n"},
        "town": town(guard=guard, depends_on="core, other"),
    }
    assert findings(tmp_path / "one", "town", packs) == []
    packs["other"] = {"pack.yaml": manifest("other", "core"), "guard.md": CORE_GUARD}
    (found,) = findings(tmp_path / "two", "town", packs)
    assert (found.severity, found.code) == ("warning", "ambiguous-override")
    assert "core:guard or other:guard" in found.message


def test_a_pack_of_templates_alone_beside_it_is_no_error(tmp_path: Path) -> None:
    packs: dict[str, Files] = {
        "core": {"pack.yaml": manifest("core", "core"), "template.md": CORE_GUARD},
        "town": town(),
    }
    assert findings(tmp_path, "town", packs) == []
