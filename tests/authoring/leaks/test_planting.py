"""A canary lands in its secret and nowhere else, whatever the pack is like; the author's folder stays as it is."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

from lorewright.authoring.leaks.planting import COMMENT, KEY, TRIGGER, canary_of, may_know, plant
from lorewright.packs.content_hash import content_hash_of
from lorewright.packs.loader import load_pack
from support.corpora import PACKS, corpus_pack
from support.harbour import write_pack
from support.harbour_canaries import FILES as TOWN_OF_CANARIES

OWN = sorted(path for path in (Path(__file__).parents[3] / "content_packs").iterdir() if (path / "pack.yaml").is_file())


def kinds(tmp_path: Path, files: dict[str, str]) -> dict[str, int]:
    _, canaries = plant(write_pack(tmp_path / "pack", files), tmp_path / "copy")
    found: dict[str, int] = {}
    for secret in canaries.words.values():
        found[secret.kind] = found.get(secret.kind, 0) + 1
    return found


def test_whatever_an_author_can_hide_gets_one(tmp_path: Path) -> None:
    assert kinds(tmp_path, TOWN_OF_CANARIES) == {
        "withholds": 4,
        "discoverable": 2,
        "trigger": 2,
        "knows": 3,
        "secret": 2,
        "comment": 1,
        "frontmatter key": 7,
        "hidden alias": 1,
    }


@pytest.mark.campaign
@pytest.mark.parametrize("root", OWN, ids=lambda path: path.name)
def test_in_the_own_packs_every_secret_has_a_canary_and_no_line_moves(tmp_path: Path, root: Path) -> None:
    before = content_hash_of(root)
    pack, canaries = plant(root, tmp_path / "copy")
    copy = load_pack(tmp_path / "copy")
    # Of what people tell freely a short remark may have no word to spare.
    assert [secret.id for secret in canaries.unproven if secret.kind != "knows"] == []
    assert len(canaries.unproven) <= 0.2 * sum(len(chunk.items) for chunk in pack.chunks)
    # Words that are put in may move where a long section is cut.
    cut = partial(re.sub, r"~\d+", "")
    assert {(cut(one.id), one.role) for one in copy.chunks} == {(cut(one.id), one.role) for one in pack.chunks}
    items = [cut(item.id) for chunk in copy.chunks for item in chunk.items]
    assert items == [cut(item.id) for chunk in pack.chunks for item in chunk.items]
    assert content_hash_of(root) == before


@pytest.mark.campaign
@pytest.mark.corpora
@pytest.mark.parametrize("name", PACKS)
def test_in_packs_of_other_people_nearly_every_secret_has_one(tmp_path: Path, name: str) -> None:
    _, canaries = plant(corpus_pack(name), tmp_path / "copy")
    assert len(canaries.unproven) <= len(canaries.words) / 50


def test_a_canary_is_the_same_each_time_and_each_secrets_own(tmp_path: Path) -> None:
    folder = write_pack(tmp_path / "pack", TOWN_OF_CANARIES)
    _, first = plant(folder, tmp_path / "one")
    _, second = plant(folder, tmp_path / "two")
    assert first == second
    assert all(canary_of(secret) == word for word, secret in first.words.items())


def test_who_may_know_what(tmp_path: Path) -> None:
    _, canaries = plant(write_pack(tmp_path / "pack", TOWN_OF_CANARIES), tmp_path / "copy")
    secrets = list(canaries.words.values())
    nobody = [one for one in secrets if may_know(one, "player", frozenset()) or may_know(one, "narrator", frozenset())]
    assert nobody == []
    osk = [one.kind for one in secrets if may_know(one, "npc:x", frozenset(), own_ids=frozenset({"harbour:osk"}))]
    assert sorted(osk) == ["knows", "knows", "withholds"]
    learned = frozenset({"harbour:tavern:discoverable#lamprey"})
    assert sorted(one.kind for one in secrets if may_know(one, "player", learned)) == ["discoverable", TRIGGER]
    assert [one.kind for one in secrets if not may_know(one, "gm", frozenset())] == [COMMENT]
    assert not any(
        may_know(one, "npc:x", frozenset(), own_ids=frozenset({"harbour:osk"})) for one in secrets if one.kind == KEY
    )
