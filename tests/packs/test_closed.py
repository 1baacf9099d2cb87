"""What an author means to hide is hidden, however they write it: a false alarm costs a line, a leak the story."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.packs.loader import load_pack
from lorewright.packs.models import OPEN_ROLES
from support import harbour as h

OPEN = ["public", "player", "open", "~"]
CLOSED = ["gm", "GM", "private", "gm only", "gm_only", "gamemaster", "[gm]", "{a: gm}", "secret", "true"]


def roles(folder: Path, text: str) -> dict[str, str]:
    pack = load_pack(h.write_pack(folder, {"a.md": text}))
    return {chunk.section or "intro": chunk.role for chunk in pack.chunks}


@pytest.mark.parametrize(
    "said", [*(f"visibility: {one}" for one in CLOSED), "Visibility: gm", "gm: true", "secret: true", "tags: [gm]"]
)
def test_a_file_that_is_not_plainly_open_is_for_the_game_master(tmp_path: Path, said: str) -> None:
    found = roles(tmp_path, f"---\nid: a\n{said}\n---\n# A\n\nText.\n\n## Past\n\nMore.\n")
    assert not OPEN_ROLES & set(found.values())


@pytest.mark.parametrize(
    "frontmatter",
    [
        "---\nid: a\nvisibility: gm\nvisibility: public\n---\n",
        "---\nid: a\ngm: true\ngm: false\n---\n",
        '+++\nid = "a"\nvisibility = "gm"\n+++\n',
        "+++\nprivate = true\n[more]\nvisibility = 'public'\n+++\n",
        '{"id": "a", "visibility": "gm"}\n',
        '{\n  "id": "a",\n  "publish": false\n}\n',
        f"---\nid: a\nvisibility: gm\nnotes: {'x' * 70_000}\n---\n",
    ],
    ids=["twice", "another key twice", "TOML", "TOML with a table", "JSON", "JSON on several lines", "too large"],
)
def test_a_word_about_readers_that_is_not_read_as_it_stands_hides_the_note_and_is_told(
    tmp_path: Path, frontmatter: str
) -> None:
    pack = load_pack(h.write_pack(tmp_path, {"a.md": f"{frontmatter}# A\n\nText.\n\n## Past\n\nMore.\n"}))
    assert not OPEN_ROLES & {chunk.role for chunk in pack.chunks}
    assert "private-note" in {finding.code for finding in pack.findings}


@pytest.mark.parametrize(
    "frontmatter",
    [
        "---\nid: a\nvisibility: open\nvisibility: public\n---\n",
        '+++\nid = "a"\nvisibility = "public"\n+++\n',
        "+++\nid = 'a'\n+++\nvisibility = 'gm'\n",
        '{"id": "a", "publish": true}\n',
    ],
)
def test_a_note_that_is_open_in_frontmatter_that_is_not_read_stays_open(tmp_path: Path, frontmatter: str) -> None:
    found = roles(tmp_path, f"{frontmatter}# A\n\nText.\n\n## Past\n\nMore.\n")
    assert set(found.values()) == {"lore"}


@pytest.mark.parametrize("said", [*(f"visibility: {one}" for one in OPEN), "gm: false", "tags: [hidden]"])
def test_a_file_that_is_open_stays_open(tmp_path: Path, said: str) -> None:
    found = roles(tmp_path, f"---\nid: a\n{said}\n---\n# A\n\nText.\n\n## Past\n\nMore.\n")
    assert set(found.values()) == {"lore"}


@pytest.mark.parametrize(
    "title",
    [
        "GM's Notes",
        "Game Master's Notes",
        "DM Notes & Secrets",
        "Secret Agenda",
        "Keeper's Secrets",
        "Secrets of the Tower",
        "Secrets {#id}",
        "What Osk Withholds",
        "Notes (GM only)",
        "GM-only",
    ],
)
def test_a_title_that_speaks_of_secrets_is_one(tmp_path: Path, title: str) -> None:
    assert roles(tmp_path / "2", f"# A\n\nText.\n\n## {title}\n\nHidden.\n").popitem()[1] == "withholds"


@pytest.mark.parametrize("title", ["GM's Notes", "Secrets {#id}", "Notes (GM only)", "GM-only", "Für den Spielleiter"])
def test_what_stands_below_a_title_that_says_plainly_that_it_is_secret_is_secret(tmp_path: Path, title: str) -> None:
    below = roles(tmp_path, f"# {title}\n\nHidden.\n\n## Past\n\nHidden too.\n")
    assert not OPEN_ROLES & set(below.values())


@pytest.mark.parametrize("title", ["Secret Agenda", "Secrets of the Tower", "What Osk Withholds", "Secret Sky"])
def test_a_word_in_the_name_of_a_note_hides_nothing(tmp_path: Path, title: str) -> None:
    below = roles(tmp_path, f"# {title}\n\nOpen.\n\n## Past\n\nOpen too.\n")
    assert set(below.values()) == {"lore"}


@pytest.mark.parametrize("title", ["Secretary", "History", "Game Rules", "The Keeper", "Notes"])
def test_a_title_that_only_sounds_like_one_is_open(tmp_path: Path, title: str) -> None:
    assert roles(tmp_path, f"# A\n\nText.\n\n## {title}\n\nOpen.\n").popitem()[1] == "lore"
