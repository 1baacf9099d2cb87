"""A campaign goes by the prompts that it has pinned, with their texts as they were."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.errors import NotFound
from lorewright.llm.prompt_library import PromptLibrary
from lorewright.storage.annotation_rows import pin_prompts, prompt_pins, unpin_prompt
from lorewright.storage.database import Database
from lorewright.turn.stages.stages import pin_prompt, pinned_library, pins_in_force
from support import harbour as h
from support.prompt_files import prompt_text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "prompts"
    found.mkdir()
    for version, text in (("v1", "one"), ("v2", "two")):
        (found / f"narrator_{version}.hbs").write_text(prompt_text(text, version=version), encoding="utf-8")
    return found


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[Database]:
    """The file of a campaign of before there were prompts: nothing is pinned."""
    with h.harbour(tmp_path).campaigns.reading("game") as store:
        for pin in prompt_pins(store.database):
            unpin_prompt(store.database, pin.name)
        yield store.database


def told(library: PromptLibrary) -> str:
    return library.prompt("narrator").render({}).changing


def test_a_campaign_that_has_pinned_nothing_goes_by_the_newest(campaign: Database, folder: Path) -> None:
    assert prompt_pins(campaign) == ()
    assert told(pinned_library(campaign, PromptLibrary([folder]))) == "two"


def test_a_pinned_version_is_in_force_until_another_is_pinned(campaign: Database, folder: Path) -> None:
    library = PromptLibrary([folder])
    pin_prompt(campaign, library, "narrator", "v1")
    assert told(pinned_library(campaign, library)) == "one"
    pin_prompt(campaign, library, "narrator", "v2")
    assert [(pin.name, pin.version) for pin in prompt_pins(campaign)] == [("narrator", "v2")]
    unpin_prompt(campaign, "narrator")
    assert prompt_pins(campaign) == ()


def test_what_becomes_of_the_file_does_not_touch_a_pin(campaign: Database, folder: Path) -> None:
    pin_prompt(campaign, PromptLibrary([folder]), "narrator", "v1")
    (folder / "narrator_v1.hbs").write_text(prompt_text("edited"), encoding="utf-8")
    assert told(pinned_library(campaign, PromptLibrary([folder]))) == "one"
    (folder / "narrator_v1.hbs").unlink()
    assert told(pinned_library(campaign, PromptLibrary([folder]))) == "one"


def test_a_campaign_can_pin_all_that_is_in_force(campaign: Database, folder: Path) -> None:
    pin_prompts(campaign, pins_in_force(PromptLibrary([folder])))
    (folder / "narrator_v3.hbs").write_text(prompt_text("three", version="v3"), encoding="utf-8")
    later = PromptLibrary([folder])
    assert (told(later), told(pinned_library(campaign, later))) == ("three", "two")


def test_what_there_is_not_cannot_be_pinned(campaign: Database, folder: Path) -> None:
    with pytest.raises(NotFound, match="its versions are: v1, v2"):
        pin_prompt(campaign, PromptLibrary([folder]), "narrator", "v9")
    assert prompt_pins(campaign) == ()
