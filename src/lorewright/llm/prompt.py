"""Prompt: a versioned template -> the texts that a model is shown. The registry of templates is another file's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from lorewright.ids import canonical_json, content_hash


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """A prompt as it is sent, in the order in which a provider's cache reads it.

    `system` is the same for every request of a stage and version; `stable` holds for a scene or longer; `changing` is
    this turn's. The `content_hash` is the template's.
    """

    name: str
    version: str
    content_hash: str
    system: str
    stable: str
    changing: str

    @property
    def text(self) -> str:
        """All of it as one text."""
        return "\n\n".join(part for part in (self.system, self.stable, self.changing) if part)


class Prompt(Protocol):
    """A template of one stage in one version."""

    @property
    def name(self) -> str:
        """The stage's, as in its file's name: `narrator`."""
        ...

    @property
    def version(self) -> str:
        """`v1`, `v2`, …"""
        ...

    @property
    def content_hash(self) -> str:
        """The hash of its whole text."""
        ...

    @property
    def source(self) -> str:
        """Its whole text, as it is kept beside what was made with it."""
        ...

    def render(self, context: Mapping[str, Any]) -> RenderedPrompt:
        """The template filled in; values are data and never read as a template.

        Raises:
            PromptError: the template asks for what the context does not have, or what comes of it is too long.
        """
        ...


class Prompts(Protocol):
    """Where prompts come from: one version of each name."""

    def prompt(self, name: str) -> Prompt:
        """The version in force.

        Raises:
            NotFound: there is no such prompt.
        """
        ...


@dataclass(frozen=True, slots=True)
class PlainPrompt:
    """A prompt that shows its whole context as JSON; for tests, and for tasks too small for a template."""

    name: str
    version: str = "plain"

    @property
    def source(self) -> str:
        """Nothing: the context is all there is."""
        return ""

    @property
    def content_hash(self) -> str:
        """The hash of nothing."""
        return content_hash("")

    def render(self, context: Mapping[str, Any]) -> RenderedPrompt:
        """The context as canonical JSON."""
        return RenderedPrompt(self.name, self.version, self.content_hash, "", "", canonical_json(dict(context)))


class PlainPrompts:
    """Plain prompts for every name."""

    def prompt(self, name: str) -> PlainPrompt:
        """A plain prompt of that name."""
        return PlainPrompt(name)
