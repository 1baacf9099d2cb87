"""Every code of a finding is documented, and every documented one is provoked here."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from lorewright.packs import files, linting
from lorewright.packs import files as limits
from lorewright.packs.files import Finding
from lorewright.packs.pack_loader import PackLoader
from lorewright.turn.stages.interpret.finding import lint_triggers
from support.lint_codes import codes_in_source

PAGE = Path(__file__).parents[2] / "docs" / "findings.md"
GOOD = b"---\nid: good\ntype: npc\n---\n# Good\n\nText.\n"


def front(body: str, text: str = "# A\n\nText.\n") -> bytes:
    return f"---\n{body}\n---\n{text}".encode()


Files = dict[str, bytes]
CASES: dict[str, Files] = {
    "misspelt-key": {"a.md": front("tpye: npc")},
    "bad-opening": {"a.md": front("type: npc", "# A\n\n## Withholds\n\n- (trust much) He lies.\n")},
    "trigger-finds-nothing": {"a.md": front("type: location", "# A\n\n## Discoverable\n\n- here it is: A key.\n")},
    "bad-trigger": {"a.md": front("type: location", "# A\n\n## Discoverable\n\n- read the book, a page is gone.\n")},
    "bad-way-note": {"a.md": front("type: location", "# A\n\n## Exits\n\n- [[Good]] (ten minuts)\n"), "good.md": GOOD},
    "duplicate-item": {"a.md": front("type: npc", "# A\n\n## Knows\n\n- {#x} One.\n- {#x} Two.\n")},
    "duplicate-name": {"a.md": GOOD, "b.md": front("id: b\ntype: npc", "# Good\n\nText.\n")},
    "bad-version": {"pack.yaml": b"id: pack\nversion: 2026-11-27\n"},
    "bad-file-name": {"a\x07.md": GOOD},
    "suspicious-path": {"..\\x.md": GOOD},
    "reserved-name": {"CON.md": GOOD},
    "path-too-deep": {"d/" * (limits.MAX_PATH_DEPTH + 1) + "a.md": GOOD},
    "path-too-long": {"n" * (limits.MAX_NAME_BYTES + 1) + ".md": GOOD},
    "path-case-collision": {"a.md": GOOD, "A.md": b"# Other\n\nText.\n"},
    "not-content": {"README.md": b"# About\n"},
    "missing-manifest": {"a.md": GOOD},
    "invalid-manifest": {"pack.yaml": b"- a\n"},
    "missing-id": {"pack.yaml": b"name: X\n"},
    "bad-id": {"pack.yaml": b"id: ../x\n"},
    "id-mismatch": {"pack.yaml": b"id: other\n"},
    "duplicate-pack-id": {"pack.yaml": b"id: pack\n", "../aaa/pack.yaml": b"id: pack\n"},
    "missing-dependency": {"pack.yaml": b"id: pack\ndepends_on: [nowhere]\n"},
    "dependency-version": {
        "pack.yaml": b'id: pack\ndepends_on: [{id: base, version: ">=2"}]\n',
        "../base/pack.yaml": b'id: base\nversion: "1.0"\n',
    },
    "dependency-cycle": {"pack.yaml": b"id: pack\ndepends_on: [pack]\n"},
    "bad-path": {"pack.yaml": b"id: pack\nprovides: [/etc]\n"},
    "unknown-layer": {"pack.yaml": b"id: pack\nlayer: cake\n"},
    "missing-license": {"pack.yaml": b"id: pack\n"},
    "not-utf8": {"a.md": b"# \xe9\n"},
    "nul-byte": {"a.md": b"# A\0\n"},
    "control-chars": {"a.md": b"# A \x1b[31m\n"},
    "cr-only": {"a.md": b"# A\r\rText.\r"},
    "missing-frontmatter": {"a.md": b"# A\n\nText.\n"},
    "frontmatter-not-first": {"a.md": b"\n\n" + GOOD},
    "unsupported-frontmatter": {"a.md": b'+++\nid = "a"\n+++\n# A\n'},
    "unterminated-frontmatter": {"a.md": b"---\nid: a\n# A\n"},
    "frontmatter-not-mapping": {"a.md": front("- a: b")},
    "frontmatter-too-large": {"a.md": front("tags: [" + "a, " * 40_000 + "a]")},
    "second-frontmatter": {"a.md": GOOD + b"\n---\nid: b\n---\n# B\n"},
    "invalid-yaml": {"a.md": front("name: a: b")},
    "yaml-alias-bomb": {"a.md": front("a: &x [1]\nb: *x")},
    "unsafe-yaml-tag": {"a.md": front("a: !!python/name:os.system x")},
    "duplicate-yaml-key": {"a.md": front("id: a\nid: b")},
    "missing-type": {"a.md": front("id: a")},
    "suspicious-id": {"a.md": front("id: a\u200bb")},
    "confusable-id": {"a.md": front("id: l\u043ecus")},
    "duplicate-id": {"a.md": GOOD, "b.md": GOOD},
    "bad-image": {"a.md": front("id: a\nimage: a.svg")},
    "conflict-copy": {"a.md": GOOD, "a.sync-conflict-20240102-120000-ABCDEFG.md": GOOD},
    "unknown-type": {"a.md": front("type: dragon")},
    "unknown-visibility": {"a.md": front("visibility: gm only")},
    "private-note": {"a.md": front("publish: false")},
    "secret-name": {"a.md": front("type: location", "# Secret Sky\n\nText.\n")},
    "secret-section": {"a.md": front("type: npc", "# A\n\nText.\n\n> [!secret]\n> It is hers.\n")},
    "looks-secret": {"a.md": front("type: npc", "# A\n\nText.\n\n### Secret Garden\n\nText.\n")},
    "secret-comment": {"a.md": front("type: npc", "# A\n\nText %% aside %% more.\n")},
    "unclosed-comment": {"a.md": front("type: npc", "# A\n\nText.\n\n%% to the end\n")},
    "unknown-section": {"pack.yaml": b"id: a\nopen_sections: [{file: a.md, title: B}]\n", "a.md": GOOD},
    "embedded-note": {"a.md": front("type: npc", "# A\n\nText ![[b#Past]].\n"), "b.md": GOOD},
    "plugin-code": {"a.md": front("type: npc", "# A\n\n`=this.file.name` Text.\n")},
    "unknown-role": {"a.md": front("section_roles: {Past: gossip}")},
    "bad-entry-rule": {"a.md": front("lore: {sticky: -1}")},
    "entry-never-there": {"a.md": front("lore: {probability: 0}")},
    "lonely-group": {"a.md": front("lore: {group: weather}")},
    "bad-chattiness": {"a.md": front("type: npc\nchattiness: 2")},
    "wrong-type": {"a.md": front("tags: one")},
    "dangling-reference": {"a.md": front("related_entities: [nobody]")},
    "one-way-exit": {"a.md": front("id: a\ntype: location\nexits: [good]")},
    "override-wrong-way": {
        "pack.yaml": b"id: pack\n",
        "a.md": front("overrides: base:b"),
        "../base/pack.yaml": b"id: base\nlayer: homebrew\n",
        "../base/b.md": front("id: b"),
    },
    "ambiguous-override": {
        "pack.yaml": b"id: pack\ndepends_on: [base, other]\n",
        "a.md": front("overrides: b"),
        "../base/pack.yaml": b"id: base\n",
        "../base/b.md": front("id: b"),
        "../other/pack.yaml": b"id: other\n",
        "../other/b.md": front("id: b"),
    },
    "bad-condition": {"a.md": front("when: {weather: rain}")},
    "empty-file": {"a.md": b""},
    "empty-body": {"a.md": front("id: a", "")},
    "no-heading": {"a.md": front("id: a", "Text.\n")},
    "empty-heading": {"a.md": front("id: a", "# A\n\n##\n\nText.\n")},
    "h2-before-h1": {"a.md": front("id: a", "## Early\n\na\n\n# Title\n")},
    "unclosed-fence": {"a.md": front("id: a", "# A\n\n```\ncode\n")},
    "html-block": {"a.md": front("id: a", "# A\n\n<div>\n## Hidden\n</div>\n")},
    "large-file": {"a.md": GOOD + b"Words here.\n\n" * 100},
    "large-chunk": {"a.md": GOOD + b"Words here.\n\n" * 100},
    "too-many-sections": {"a.md": b"# A\n" + b"## S\n\nx\n\n" * 21},
}


def link(target: str, name: str = "links/a.md") -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(target)

    return make


MADE: dict[str, Callable[[Path], None]] = {
    "symlink-escape": link("../../outside.md"),
    "symlink-loop": link(".", "links/loop"),
    "symlink-duplicate": link("../good.md"),
    "dangling-symlink": link("nowhere.md"),
    "not-a-file": lambda folder: os.mkfifo(folder / "pipe.md"),
    "file-too-large": lambda folder: (folder / "a.md").write_bytes(b"x" * (limits.MAX_FILE_BYTES + 1)),
    "too-many-files": lambda folder: [(folder / f"f{n}.md").write_bytes(GOOD) for n in range(4)] and None,
}


def findings_of(tmp_path: Path, contents: Files, make: Callable[[Path], None] = lambda _: None) -> tuple[Finding, ...]:
    folder = tmp_path / "pack"
    folder.mkdir()
    (tmp_path / "outside.md").write_bytes(b"# Outside\n")
    for name, data in {"good.md": b"# Good enough\n\nText.\n", **contents}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    make(folder)
    pack = PackLoader(folder.parent).check_pack(folder)
    return (*pack.findings, *lint_triggers(pack))


def documented() -> dict[str, set[str]]:
    """Code -> the severities that the page says it has."""
    found: dict[str, set[str]] = {}
    for codes, severities in re.findall(r"^\| (`[^|]+`) \| ([^|]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE):
        for code in re.findall(r"`([^`]+)`", codes):
            found.setdefault(code, set()).update(severities.replace(" ", "").split(","))
    return found


# Smaller ones in place of those of `packs/files.py`, which take seconds to reach.
SMALL = {"LARGE_FILE_BYTES": 1_000, "LARGE_CHUNK_TOKENS": 100, "MAX_SECTIONS": 20}


@pytest.mark.parametrize("code", sorted(CASES))
def test_a_documented_code_is_provoked_with_its_severity(
    tmp_path: Path, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, limit in SMALL.items() if code in ("large-file", "large-chunk", "too-many-sections") else ():
        assert getattr(linting, name) == getattr(limits, name) > limit
        monkeypatch.setattr(linting, name, limit)
    found = [finding for finding in findings_of(tmp_path, CASES[code]) if finding.code == code]
    assert found
    assert {finding.severity for finding in found} <= documented()[code]


@pytest.mark.parametrize("code", sorted(MADE))
def test_a_code_of_files_that_are_none_is_provoked(tmp_path: Path, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if code == "too-many-files":
        monkeypatch.setattr(files, "MAX_FILES", 3)
    assert code in {finding.code for finding in findings_of(tmp_path, {}, MADE[code])}


def test_every_code_in_the_source_is_documented_and_every_documented_one_is_in_the_source() -> None:
    assert set(documented()) == codes_in_source()


def test_every_documented_code_is_provoked() -> None:
    assert set(CASES) | set(MADE) == set(documented())
