"""Six people with a secret each: what is openly known there, the secret retold in other words, and what the same people say
without telling it. Thresholds were chosen on one half; the other half is measured."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

_FOLDER = Path(__file__).parents[1] / "turn" / "retellings"
# Thresholds were chosen on these, and held against the others.
CHOSEN_ON = ("bell_tower", "plague_ship", "safe")
HELD_AGAINST = ("baker", "passage", "wren_stairs")


@dataclass(frozen=True)
class Teller:
    """Somebody with a secret."""

    name: str
    speaker: str
    secret: str
    open: tuple[str, ...]
    retold: tuple[str, ...]
    innocent: tuple[str, ...]


def teller(name: str) -> Teller:
    """Return one of them by the name of its file."""
    read = yaml.safe_load((_FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    lists = {key: tuple(read[key]) for key in ("open", "retold", "innocent")}
    return Teller(name=name, speaker=read["speaker"], secret=read["secret"], **lists)
