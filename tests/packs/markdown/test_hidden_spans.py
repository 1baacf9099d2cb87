"""Secrets, comments and code of plugins within a section."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.packs.models import OPEN_ROLES, Pack
from support.pack_builder import loaded, loaded_text

HEAD = "---\nid: a\ntype: npc\n---\n# Anna\n\nOpen before.\n\n"


def read(tmp_path: Path, text: str) -> tuple[str, str]:
    """What players are shown, and what is kept from them."""
    pack = loaded_text(tmp_path, HEAD + text)
    return told(pack, is_open=True), told(pack, is_open=False)


def told(pack: Pack, *, is_open: bool) -> str:
    return "\n".join(chunk.shown for chunk in pack.chunks if (chunk.role in OPEN_ROLES) is is_open)


@pytest.mark.parametrize(
    "text",
    [
        "> [!secret]\n> HERE.\n>\n> HERE too.\n\nOpen after.\n",
        "> [!danger]- DM only\n> HERE.\n\nOpen after.\n",
        "> [!info] For all\n> Fine.\n>\n> > [!gm]\n> > HERE.\n\nOpen after.\n",
        "**Secret:** HERE.\n\nOpen after.\n",
        "**GM Notes** – HERE,\non two lines: HERE.\n\nOpen after.\n",
        "**Secret:**\n- HERE\n- HERE\n\nOpen after.\n",
        "**DM only**\n\nHERE.\n\nHERE.\n\n## Past\n\nOpen after.\n",
        "- one\n- **Secret:** HERE\n  - HERE\n- Open after.\n",
        "**Age:** 30\n**Secret:** HERE.\n**Home:** Open after.\n",
        "| **GM only** | HERE |\n\nOpen after.\n",
        "<details><summary>Spoiler</summary>\n\nHERE.\n\n</details>\n\nOpen after.\n",
        "```ad-secret\nHERE\n```\n\nOpen after.\n",
        "> ## GM Notes\n> HERE.\n\nOpen after.\n",
        "%% HERE %%\n\nOpen after.\n",
        "%%\n\n## A heading\n\nHERE.\n\n%%\n\nOpen after.\n",
        "### Secrets\n\nHERE.\n\n#### Deeper\n\nHERE.\n\n### Past\n\nOpen after.\n",
        "secret:: HERE.\n\nOpen after.\n",
    ],
)
def test_a_secret_is_taken_out_of_its_section(tmp_path: Path, text: str) -> None:
    shown, kept = read(tmp_path, text)
    assert "HERE" not in shown
    assert "A heading" not in shown
    assert "Open before." in shown
    assert "Open after." in shown
    assert kept.count("HERE") == text.count("HERE")


@pytest.mark.parametrize(
    "text",
    [
        "# Secret Sky\n\nOpen.\n\n## Land\n\nOpen.\n\n### Secrets\n\nHERE.\n\n## More\n\nOpen.\n",
        "# Secret Sky\n\nOpen.\n\n## Land\n\nOpen.\n\n### Treasure\n\nHERE.\n\n## More\n\nOpen.\n",
        "### Secret Garden\n\nHERE.\n\n## Land\n\nOpen.\n\n## More\n\nOpen.\n",
        "## Secret Garden\n\nHERE.\n\n## Land\n\nOpen.\n",
        "# `=this.file.name`\n\nOpen.\n\n## Secret Plans\n\nHERE.\n",
    ],
)
def test_a_name_with_a_word_of_secrets_opens_nothing_below_it(tmp_path: Path, text: str) -> None:
    pack = loaded_text(tmp_path, text)
    assert "HERE" not in told(pack, is_open=True)
    assert "HERE" in told(pack, is_open=False)
    assert "Open." in told(pack, is_open=True)


@pytest.mark.parametrize(
    "text",
    ["### Secret Chest\n\nHERE.\n", "\n\n#### Secret Chest\n\nHERE.\n\n##### Lid\n\nHERE.\n"],
)
def test_a_note_that_begins_with_a_deep_heading_has_its_name_from_it(tmp_path: Path, text: str) -> None:
    pack = loaded_text(tmp_path, text)
    assert "HERE" in told(pack, is_open=True)
    assert "HERE" not in told(pack, is_open=False)


@pytest.mark.parametrize(
    "text",
    [
        "Open.\n\n### Secret Chest\n\nHERE.\n",
        "### Secret GM notes\n\nHERE.\n",
        "### Secret Chest\n\nOpen.\n\n#### Treasure\n\nHERE.\n",
    ],
)
def test_a_deep_heading_that_is_no_name_hides_what_is_below_it(tmp_path: Path, text: str) -> None:
    pack = loaded_text(tmp_path, text)
    assert "HERE" not in told(pack, is_open=True)
    assert "HERE" in told(pack, is_open=False)


@pytest.mark.parametrize("text", ["Open. %% HERE.\n\n## Past\n\nHERE.\n", "Open. <!-- HERE.\n\n## Past\n\nHERE.\n"])
def test_a_comment_that_is_never_closed_hides_the_rest(tmp_path: Path, text: str) -> None:
    assert "HERE" not in read(tmp_path, text)[0]


@pytest.mark.parametrize(
    "text",
    [
        "**Secret** passages are HERE.\n",
        "> [!quote] Her words\n> HERE.\n",
        "```mermaid\n%% a remark\nHERE\n```\n",
        "**Age:** HERE.\n",
    ],
)
def test_what_only_looks_alike_stays(tmp_path: Path, text: str) -> None:
    assert "HERE" in read(tmp_path, text)[0]


@pytest.mark.parametrize(
    "code",
    [
        "```dataview\nTABLE x\n```\n",
        "```meta-bind-button\nx: 1\n```\n",
        "`INPUT[inlineListSuggester(x)]`",
        "`=this.file.name`",
        "`VIEW[{x}]`",
        "<% tp.file.title %>",
    ],
)
def test_code_of_plugins_is_no_lore(tmp_path: Path, code: str) -> None:
    pack = loaded_text(tmp_path, f"{HEAD}Before.\n\n{code}\n\nAfter.\n")
    assert told(pack, is_open=True).split() == ["Open", "before.", "Before.", "After."]
    assert {finding.code for finding in pack.findings} == {"plugin-code"}


def test_open_sections_open_what_looks_like_a_secret(tmp_path: Path) -> None:
    note = f"{HEAD}## The garden: a Secret?!\n\nRoses.\n\n**Secret stair:** Steps.\n"
    manifest = "id: town\nname: T\nversion: 1.0.0\nlicense: {{type: x}}\nopen_sections: [{{file: a.md, title: 'The garden: a Secret?!'}}]\n"
    assert "Roses." not in told(loaded(tmp_path / "1", {"a.md": note}), is_open=True)
    pack = loaded(tmp_path / "2", {"a.md": note}, manifest=manifest)
    assert "Roses." in told(pack, is_open=True)
    assert "Steps." not in told(pack, is_open=True)
    assert [finding.message for finding in pack.findings if finding.code == "looks-secret"] == [
        "“Secret stair” looks like a secret and is hidden"
    ]


def test_a_secret_within_a_section_has_items_that_are_learned_one_by_one(tmp_path: Path) -> None:
    pack = loaded_text(
        tmp_path, f"{HEAD}> [!secret] The well\n> - {{#well}} It is dry.\n> - {{#rope}} The rope is new.\n"
    )
    (secret,) = (chunk for chunk in pack.chunks if chunk.role == "withholds")
    assert [item.id for item in secret.items] == ["town:a:the-well#well", "town:a:the-well#rope"]
    assert (secret.section_path, secret.line, secret.source) == ("Anna > The well", 9, "")
