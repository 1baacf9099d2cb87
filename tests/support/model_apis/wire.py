"""The wire formats of model APIs as a server speaks them: a request's body -> what was asked, an answer -> a body or
the events of a stream. What is the same for all of them; each has a file of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from lorewright.ids import canonical_json
from lorewright.tokens import count_tokens

# The tool that gives a structured answer, where the model is asked for it in this way.
ANSWER = "answer"

Ended = Literal["done", "length", "refusal"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as a server sees it. `messages` are (role, text) in order, the results of tools among them; `schema` is
    the JSON schema of the answer, wherever it stands; `may_call` says whether tools may be called beside the one that
    gives the answer; `headers` have no API key in them."""

    wire: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    model: str = ""
    system: str = ""
    messages: tuple[tuple[str, str], ...] = ()
    schema: dict[str, Any] | None = None
    tools: tuple[str, ...] = ()
    may_call: bool = False
    streams: bool = False

    @property
    def text(self) -> str:
        """All that the model is shown, as one text."""
        return "\n\n".join(part for part in (self.system, *(text for _, text in self.messages)) if part)


@dataclass(frozen=True, slots=True)
class Use:
    """A tool that the model calls; the tool `answer` gives a structured answer."""

    name: str
    arguments: dict[str, Any]
    id: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call took, by the server's own count; `read` is all of the input, `cached` and `stored` parts of it."""

    read: int
    written: int
    cached: int = 0
    stored: int = 0


@dataclass(frozen=True, slots=True)
class Said:
    """What the model answers: a text, tools that it calls, how it ended, and what it thought before."""

    text: str = ""
    uses: tuple[Use, ...] = ()
    ended: Ended = "done"
    thought: str = ""

    @property
    def pieces(self) -> list[str]:
        """The text in pieces, as a stream sends it."""
        size = max(len(self.text) // 6, 1)
        return [self.text[at : at + size] for at in range(0, len(self.text), size)]


@dataclass
class PrefixCache:
    """Prompts that were seen: what a provider's prompt cache would know."""

    seen: set[str] = field(default_factory=set)

    def usage(self, blocks: list[tuple[str, bool]], said: Said) -> Usage:
        """Tokens of a request whose blocks come in order, each with whether a cache breakpoint stands after it."""
        read = cached = stored = 0
        prefix = ""
        for text, is_breakpoint in blocks:
            prefix += text + "\x00"
            read += count_tokens(text)
            if not is_breakpoint:
                continue
            if prefix in self.seen:
                cached, stored = read, 0
            else:
                self.seen.add(prefix)
                stored = read - cached
        written = count_tokens(said.text) + sum(count_tokens(canonical_json(use.arguments)) for use in said.uses)
        return Usage(read, written, cached, stored)


class Wire(Protocol):
    """One API."""

    name: str

    def asked(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Asked:
        """What a body asks."""
        ...

    def blocks(self, asked: Asked) -> list[tuple[str, bool]]:
        """What a prompt cache reads, in order, each with whether it is to be cached up to there."""
        ...

    def body(self, asked: Asked, said: Said, usage: Usage) -> dict[str, Any]:
        """An answer in one piece."""
        ...

    def events(self, asked: Asked, said: Said, usage: Usage) -> Iterator[str]:
        """An answer as the events of a stream; without the last two nothing says that it is whole."""
        ...

    def error(self, status: int, message: str) -> dict[str, Any]:
        """The body of an error."""
        ...


def texts_in(content: Any) -> str:
    """The text of a message's content, which may be a text or a list of blocks."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    found = [block.get("text") or texts_in(block.get("content")) for block in content if isinstance(block, dict)]
    return "\n\n".join(one for one in found if one)


def listed(content: Any) -> list[dict[str, Any]]:
    """A message's content as blocks."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or [])


def text_of(block: dict[str, Any]) -> str:
    """A block as a prompt cache compares it."""
    return canonical_json({name: value for name, value in block.items() if name != "cache_control"})


def data(value: dict[str, Any]) -> str:
    """An event of a stream."""
    return f"data: {json.dumps(value)}\n\n"
