"""Contexts of the prompts beside the turn's own stages: recaps and repairs; and what a recap is answered with."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from lorewright.turn.prompting.variables import NOBODY, Context, MessageVariables, PlayerVariables
from lorewright.world.frozen import Frozen


class RecapContext(Context):
    """What a sitting amounted to: its narrations (`msgs`), open threads, and what was told of earlier sittings."""

    stable: ClassVar[tuple[str, ...]] = ("player_name", "player")

    player_name: str = NOBODY
    player: PlayerVariables = PlayerVariables()
    summary_before: str = ""
    msgs: tuple[MessageVariables, ...] = ()
    learned: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
    place: str = ""


class SummaryOutput(Frozen):
    """A recap: prose."""

    text: str = Field(min_length=1, max_length=6_000)


class RepairContext(Context):
    """What was wrong with an answer, and whether prose was asked for."""

    stable: ClassVar[tuple[str, ...]] = ()

    stage: str
    problem: str
    prose: bool = False
