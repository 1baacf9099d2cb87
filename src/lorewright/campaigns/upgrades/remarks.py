"""What an upgrade would change, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "pack-missing",
    "entity-gone",
    "section-gone",
    "section-renamed",
    "secret-opened",
    "secret-closed",
    "item-gone",
    "condition",
    "scenario",
    "scenario-file",
    "ruleset-missing",
    "bands",
    "cast",
    "action",
    "schema",
    "state-misfit",
]


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that would be another: a stable code, what it is about (an ID, a field), what, and what to do. One that
    `blocks` refuses the upgrade."""

    kind: Kind
    about: str
    what: str
    blocks: bool = False
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Moved:
    """A pack or ruleset: its version and the hash of its text as they are pinned, and as they would be. A ruleset has
    no version."""

    id: str
    version_then: str
    version_now: str
    hash_then: str
    hash_now: str

    @property
    def is_other(self) -> bool:
        """Whether it is another text."""
        return self.hash_then != self.hash_now


@dataclass(frozen=True, slots=True)
class UpgradePlan:
    """What would change for a campaign. `prompts` are empty: no stage has any yet."""

    campaign_id: str
    packs: tuple[Moved, ...]
    ruleset: Moved
    prompts: tuple[Moved, ...]
    remarks: tuple[Remark, ...]

    @property
    def is_needed(self) -> bool:
        """Whether anything is another text than what is pinned."""
        return any(one.is_other for one in (*self.packs, self.ruleset, *self.prompts))

    @property
    def blocking(self) -> tuple[Remark, ...]:
        """Why it is refused; nothing where it may be done."""
        return tuple(one for one in self.remarks if one.blocks)
