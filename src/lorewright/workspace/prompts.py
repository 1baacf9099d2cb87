"""The prompts of a workspace: which there are, what is wrong with them, which of them a campaign uses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from lorewright.campaigns.campaigns import Campaigns
from lorewright.errors import NotFound, PromptError
from lorewright.generate.scenario.sentences import Outline, ScenarioContext
from lorewright.llm.prompt_library import PromptLibrary
from lorewright.llm.prompt_template import PromptFault, PromptTemplate, check_prompt, read_template
from lorewright.storage.annotation_rows import prompt_pins, unpin_prompt
from lorewright.turn.stages.stages import STAGE_TYPES, pin_prompt, schema_files

# The types of what is filled into a prompt and answered to it: the turn's stages, and calls outside of turns.
PROMPT_TYPES: Mapping[str, Mapping[str, type[BaseModel]]] = MappingProxyType(
    {**STAGE_TYPES, "scenario_generator": {"context": ScenarioContext, "output": Outline}}
)
# A pin to this version removes the pin: the prompt's newest version is used again.
NEWEST = "newest"

_PLACE = re.compile(r"(?P<where>.*?):(?:(?P<line>\d+):)? (?P<message>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ListedPrompt:
    """A prompt: its versions, oldest first, and the one in force; `pinned` says that a campaign pins it."""

    name: str
    version: str
    pinned: bool
    versions: tuple[str, ...]
    tier: str
    context: str
    content_hash: str
    description: str


class WorkspacePrompts:
    """Lists, checks and pins prompts, for the command line and the API."""

    def __init__(self, library: PromptLibrary, campaigns: Campaigns) -> None:
        self._library = library
        self._campaigns = campaigns

    def listed(self, campaign_id: str | None = None) -> list[ListedPrompt]:
        """Return all prompts by name, with the versions that a campaign uses, or that a new one would.

        Raises:
            NotFound: there is no such campaign.
            PromptError: a file is no valid prompt.
        """
        pins: dict[str, Any] = {}
        if campaign_id is not None:
            with self._campaigns.reading(campaign_id) as store:
                pins = {pin.name: pin for pin in prompt_pins(store.database)}
        return [self._listed(template, pins.get(template.name)) for template in self._library.in_force()]

    def _listed(self, template: PromptTemplate, pin: Any) -> ListedPrompt:
        used = template if pin is None else pin
        return ListedPrompt(
            name=template.name,
            version=used.version,
            pinned=pin is not None,
            versions=self._library.versions(template.name),
            tier=template.head.tier,
            context=template.head.context,
            content_hash=used.content_hash,
            description=template.head.description,
        )

    def text(self, name: str, version: str | None = None, *, campaign_id: str | None = None) -> str:
        """Return the whole text of a prompt: of a version, else of the one that a campaign uses, or a new one would.

        Raises:
            NotFound: there is no such campaign, prompt or version.
        """
        self._check_name(name)
        if version is None and campaign_id is not None:
            with self._campaigns.reading(campaign_id) as store:
                pinned = next((pin for pin in prompt_pins(store.database) if pin.name == name), None)
            if pinned is not None:
                return pinned.source
        return (self._library.prompt(name) if version is None else self._library.get(name, version)).source

    def _check_name(self, name: str) -> None:
        if name not in self._library.names():
            raise NotFound(f"there is no prompt {name}", hint=f"one of {', '.join(self._library.names())}")

    def faults(self, files: Sequence[Path] = ()) -> list[PromptFault]:
        """Return what is wrong with prompts, file by file: with the given ones, else with every version that there
        is, and with `.txt` files beside them."""
        paths = files or (*self._library.paths(), *self._library.plain_texts())
        return [fault for path in paths for fault in _faults_of(path)]

    def pin(self, campaign_id: str, name: str, version: str) -> str:
        """Have a campaign use a version of a prompt from its next turn on, and return the version. `newest` removes the
        pin.

        Raises:
            NotFound: there is no such campaign, prompt or version; nothing was changed.
            PromptError: it cannot be read as a prompt, or has faults; nothing was changed.
        """
        self._check_name(name)
        with self._campaigns.reading(campaign_id) as store:
            if version == NEWEST:
                unpin_prompt(store.database, name)
                return self._library.prompt(name).version
            faults = faults_of(self._library.get(name, version))
            if faults:
                raise PromptError(str(faults[0]), hint="see: lorewright prompts check")
            return pin_prompt(store.database, self._library, name, version).version

    def schemas(self) -> Iterable[tuple[str, str]]:
        """Return (file name, text) of the JSON Schemas of each stage: its input, its context and its output."""
        return schema_files(PROMPT_TYPES)


def faults_of(template: PromptTemplate) -> list[PromptFault]:
    """Return the faults of a prompt, checked against the type that its head names."""
    contexts = {parts["context"].__name__: parts["context"] for parts in PROMPT_TYPES.values()}
    context = contexts.get(template.head.context)
    if context is None:
        known = ", ".join(sorted(contexts))
        return [PromptFault(template.where, 1, f"there is no context {template.head.context}: one of {known}")]
    # A context that is asked only once has no part that changes.
    stable = tuple(getattr(context, "stable", context.model_fields))
    return check_prompt(template, context.model_json_schema(mode="serialization"), stable=stable)


def _faults_of(path: Path) -> list[PromptFault]:
    if path.suffix == ".txt":
        name = re.sub(r"_?v?\d*$", "", path.stem.casefold()) or "NAME"
        return [
            PromptFault(
                str(path),
                1,
                f"no prompt is read from a .txt file; to convert it, begin with the head and the variables of ours "
                f"(lorewright prompts show {name} > prompts/{name}_vN.hbs), put your text between them, and check it",
            )
        ]
    try:
        return faults_of(read_template(path))
    except PromptError as error:
        parts = _PLACE.fullmatch(error.message)
        line = int(parts["line"]) if parts is not None and parts["line"] else 1
        return [PromptFault(str(path), line, parts["message"] if parts is not None else error.message)]
