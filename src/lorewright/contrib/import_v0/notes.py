"""What became of values that no field of ours holds as v0 held them, table by table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Notes:
    """By v0's table: what is held in another way than v0 held it (`derived`, sentences), and what no field of a state
    holds (`kept`, by a name of its own)."""

    derived: dict[str, list[str]] = field(default_factory=dict)
    kept: dict[str, dict[str, Any]] = field(default_factory=dict)

    def say(self, table: str, what: str) -> None:
        """Note that something of a table is held in another way."""
        if what not in (told := self.derived.setdefault(table, [])):
            told.append(what)

    def keep(self, table: str, key: str, value: Any) -> None:
        """Keep a value that no field of a state holds."""
        self.kept.setdefault(table, {})[key] = value
