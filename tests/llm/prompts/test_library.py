"""Which prompt is in force: one's own over those that ship, the newest unless another is pinned."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.errors import NotFound, PromptError
from lorewright.llm.prompt_library import PromptLibrary
from lorewright.llm.prompt_template import parse_template
from support.prompt_files import prompt_text


def folder(path: Path, **prompts: str) -> Path:
    """A folder of prompts: `narrator_v1="text of its changing part"`."""
    path.mkdir(parents=True, exist_ok=True)
    for file, changing in prompts.items():
        name, _, version = file.rpartition("_")
        (path / f"{file}.hbs").write_text(prompt_text(changing, name=name, version=version), encoding="utf-8")
    return path


def told(library: PromptLibrary, name: str = "narrator") -> str:
    return library.prompt(name).render({}).changing


def test_the_newest_version_is_in_force_by_number_and_not_by_letter(tmp_path: Path) -> None:
    library = PromptLibrary([folder(tmp_path, narrator_v9="nine", narrator_v10="ten", recap_v1="r")])
    assert told(library) == "ten"
    assert library.versions("narrator") == ("v9", "v10")
    assert library.names() == ("narrator", "recap")
    assert [one.name for one in library.in_force()] == ["narrator", "recap"]


def test_ones_own_file_goes_before_one_that_ships(tmp_path: Path) -> None:
    shipped = folder(tmp_path / "shipped", narrator_v1="shipped one", narrator_v2="shipped two", recap_v1="r")
    own = folder(tmp_path / "own", narrator_v2="own two")
    library = PromptLibrary([shipped, own])
    assert told(library) == "own two"
    assert library.get("narrator", "v1").render({}).changing == "shipped one"
    assert told(library, "recap") == "r"


def test_a_pinned_prompt_stays_in_force_as_it_was(tmp_path: Path) -> None:
    library = PromptLibrary([folder(tmp_path, narrator_v1="one", narrator_v2="two", recap_v1="r")])
    kept = parse_template(prompt_text("as it was"), where="the campaign")
    assert told(library.pinned([kept])) == "as it was"
    assert told(library.pinned([kept]), "recap") == "r"
    assert told(library) == "two"


def test_another_version_can_be_put_in_force_for_a_replay(tmp_path: Path) -> None:
    library = PromptLibrary([folder(tmp_path, narrator_v1="one", narrator_v2="two")])
    assert told(library.replaced({"narrator": "v1"})) == "one"
    with pytest.raises(NotFound, match="there is no prompt narrator v7; its versions are: v1, v2"):
        library.replaced({"narrator": "v7"})


def test_a_prompt_that_there_is_not_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no prompt bard"):
        PromptLibrary([tmp_path, tmp_path / "nowhere"]).prompt("bard")


@pytest.mark.parametrize("name", ["narrator.hbs", "Narrator_v1.hbs", "narrator_v0.hbs", "narrator_v1 (copy).hbs"])
def test_a_file_that_is_called_like_no_prompt_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(prompt_text(), encoding="utf-8")
    with pytest.raises(PromptError, match="this is not the name of a prompt file"):
        PromptLibrary([tmp_path])
