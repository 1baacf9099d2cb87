"""PromptDesk: which prompts there are, what is wrong with them, which of them a campaign uses."""

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

# Whatever is filled into a prompt: the turn's stages, and what is asked outside of turns.
PROMPT_TYPES: Mapping[str, Mapping[str, type[BaseModel]]] = MappingProxyType(
    {**STAGE_TYPES, "scenario_generator": {"context": ScenarioContext, "output": Outline}}
)
# A pin of this version lets the prompt go by its newest again.
NEWEST = "newest"

_PLACE = re.compile(r"(?P<where>.*?):(?:(?P<line>\d+):)? (?P<message>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ListedPrompt:
    """A prompt: its versions from the oldest, and which is in force; `pinned` says that a campaign holds on to it."""

    name: str
    version: str
    pinned: bool
    versions: tuple[str, ...]
    tier: str
    context: str
    content_hash: str
    description: str


class WorkspacePrompts:
    """Questions about prompts, for both edges."""

    def __init__(self, library: PromptLibrary, campaigns: Campaigns) -> None:
        self._library = library
        self._campaigns = campaigns

    def listed(self, campaign_id: str | None = None) -> list[ListedPrompt]:
        """All prompts by name, as a campaign uses them, or as one that is begun now would.

        Raises:
            NotFound: there is no such campaign.
            PromptError: one cannot be read as a prompt.
        """
        pins: dict[str, Any] = {}
        if campaign_id is not None:
            with self._campaigns.reading(campaign_id) as store:
                pins = {pin.name: pin for pin in prompt_pins(store.database)}
        return [self._listed(one, pins.get(one.name)) for one in self._library.in_force()]

    def _listed(self, template: PromptTemplate, pin: Any) -> ListedPrompt:
        held = template if pin is None else pin
        return ListedPrompt(
            name=template.name,
            version=held.version,
            pinned=pin is not None,
            versions=self._library.versions(template.name),
            tier=template.head.tier,
            context=template.head.context,
            content_hash=held.content_hash,
            description=template.head.description,
        )

    def faults(self, files: Sequence[Path] = ()) -> list[PromptFault]:
        """What is wrong with prompts, file by file: of those given, else of every version that there is."""
        return [fault for path in files or self._library.paths() for fault in _faults_of(path)]

    def pin(self, campaign_id: str, name: str, version: str) -> str:
        """Have a campaign use a version of a prompt from its next turn on; the version. `newest` lets go of the pin.

        Raises:
            NotFound: there is no such campaign, prompt or version; nothing was changed.
            PromptError: it cannot be read as a prompt, or has faults; nothing was changed.
        """
        if name not in self._library.names():
            known = ", ".join(self._library.names())
            raise NotFound(f"there is no prompt {name}", hint=f"one of {known}")
        with self._campaigns.reading(campaign_id) as store:
            if version == NEWEST:
                unpin_prompt(store.database, name)
                return self._library.prompt(name).version
            faults = faults_of(self._library.get(name, version))
            if faults:
                raise PromptError(str(faults[0]), hint="see: lorewright prompts check")
            return pin_prompt(store.database, self._library, name, version).version

    def schemas(self) -> Iterable[tuple[str, str]]:
        """(file name, text) of the JSON Schema of what every stage is given, shows and answers."""
        return schema_files(PROMPT_TYPES)


def faults_of(template: PromptTemplate) -> list[PromptFault]:
    """What is wrong with a prompt in terms of the type that its head names."""
    contexts = {parts["context"].__name__: parts["context"] for parts in PROMPT_TYPES.values()}
    context = contexts.get(template.head.context)
    if context is None:
        known = ", ".join(sorted(contexts))
        return [PromptFault(template.where, 1, f"there is no context {template.head.context}: one of {known}")]
    # What is asked once has no part that changes.
    stable = tuple(getattr(context, "stable", context.model_fields))
    return check_prompt(template, context.model_json_schema(mode="serialization"), stable=stable)


def _faults_of(path: Path) -> list[PromptFault]:
    try:
        return faults_of(read_template(path))
    except PromptError as error:
        said = _PLACE.fullmatch(error.message)
        line = int(said["line"]) if said is not None and said["line"] else 1
        return [PromptFault(str(path), line, said["message"] if said is not None else error.message)]
