"""What the leak suite found: leaks, what was wrongly blocked, and how much was looked at. Values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, order=True)
class Leak:
    """A viewer can read a secret. `file` and `line` are where the secret stands, `where` is what gives it away: a
    `file:line`, or what was asked and answered; `quote` is as much of it as shows what is meant."""

    file: str
    line: int
    secret: str
    viewer: str
    channel: str
    where: str
    quote: str
    hint: str

    def __str__(self) -> str:
        return (
            f"{self.file}:{self.line}: leak {self.secret} -> {self.viewer} by {self.channel} at {self.where}: "
            f"“{self.quote}” ({self.hint})"
        )


@dataclass(frozen=True, slots=True, order=True)
class Blocked:
    """Something open that was kept from somebody, or would be: `why` says by what."""

    file: str
    line: int
    what: str
    viewer: str
    why: str


@dataclass(frozen=True, slots=True)
class OverBlocked:
    """What is wrongly blocked: open text that a viewer is not shown, `refused` sentences of open lore (of `sentences`)
    that quote a run of words from some secret, and narrations of a parrot, which says nothing but what it was
    shown, that were `refused_in_play`."""

    not_shown: tuple[Blocked, ...] = ()
    sentences: int = 0
    refused: int = 0
    worst: tuple[Blocked, ...] = ()
    refused_in_play: tuple[Blocked, ...] = ()

    @property
    def count(self) -> int:
        """How much in all."""
        return len(self.not_shown) + self.refused + len(self.refused_in_play)


@dataclass(frozen=True, slots=True)
class LeakReport:
    """All that was found of some packs, or of a campaign. `checks` counts by channel what was looked at; `unproven`
    names secrets in which no canary could be planted, so that only their words were looked for."""

    subject: str
    secrets: int
    viewers: tuple[str, ...]
    checks: Mapping[str, int]
    leaks: tuple[Leak, ...]
    over_blocked: OverBlocked = field(default_factory=OverBlocked)
    unproven: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        shown = asdict(self)
        shown["over_blocked"]["count"] = self.over_blocked.count
        return {**shown, "checks": dict(self.checks)}


class Tally:
    """What the parts of the suite find, kept in order and each once, and how often they looked."""

    def __init__(self) -> None:
        self.leaks: dict[Leak, None] = {}
        self.checks: Counter[str] = Counter()

    def looked(self, channel: str, times: int = 1) -> None:
        """Something was held against secrets."""
        self.checks[channel] += times

    def found(self, leak: Leak) -> None:
        """A leak."""
        self.leaks[leak] = None
