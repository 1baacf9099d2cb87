"""A campaign's file and the library -> the prompts that the campaign uses: what it has pinned, as it was then."""

from __future__ import annotations

from collections.abc import Iterable

from lorewright.llm.prompts.library import PromptLibrary, kept_template
from lorewright.llm.prompts.template import PromptTemplate
from lorewright.storage.database import Database
from lorewright.storage.kept_rows import PromptPin, pin_prompts, prompt_pins


def pinned_library(database: Database, library: PromptLibrary) -> PromptLibrary:
    """The library with a campaign's pins in force. A pinned prompt is read from the campaign's file, so that it is the
    same on another machine and after its file was edited.

    Raises:
        PromptError: a kept text cannot be read as a prompt.
    """
    kept = (kept_template(pin.source, name=pin.name, version=pin.version) for pin in prompt_pins(database))
    return library.pinned(kept)


def pin_prompt(database: Database, library: PromptLibrary, name: str, version: str) -> PromptTemplate:
    """Pin a version of a prompt for a campaign, from the next turn on.

    Raises:
        NotFound: there is no such prompt or version; nothing was written.
        PromptError: it cannot be read as a prompt; nothing was written.
    """
    template = library.get(name, version)
    pin_prompts(database, _pins([template]))
    return template


def pin_all(database: Database, library: PromptLibrary) -> None:
    """Pin every prompt in the version that is in force: what a campaign that is begun goes by.

    Raises:
        PromptError: one cannot be read as a prompt; nothing was written.
    """
    pin_prompts(database, pins_in_force(library))


def pins_in_force(library: PromptLibrary) -> list[PromptPin]:
    """Every prompt in the version that is in force, as it is pinned.

    Raises:
        PromptError: one cannot be read as a prompt.
    """
    return _pins(library.in_force())


def _pins(templates: Iterable[PromptTemplate]) -> list[PromptPin]:
    return [PromptPin(one.name, one.version, one.content_hash, one.source) for one in templates]
