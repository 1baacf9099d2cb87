"""Everything that a player's words can refer to, by name."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lorewright.values.scenery import LoreLine as LoreLine
from lorewright.values.scenery import SceneryNoun
from lorewright.world.frozen import Frozen, FrozenMap


class Named(Frozen):
    """A person, thing, door or place that a player can name."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    kind: Literal["person", "thing", "door", "place"]
    pronoun: Literal["he", "she", "they", "it"] = "they"


class WayOut(Frozen):
    """A way out of the current place: `name` is what a player types (`street`), `to_name` its destination (`Night
    Market`); `locked` if its door is, key or no key, `barred` if its door does not let the player pass as it is."""

    name: str
    to: str
    to_name: str
    to_aliases: tuple[str, ...] = ()
    minutes: int = 1
    door: str | None = None
    locked: bool = False
    barred: bool = False


class Scope(Frozen):
    """All that a player's words can refer to; `topics` are people, places and things that the player has heard of.

    `scenery` is what the prose has shown besides, None where it was not looked for. It follows from what the player has
    read and is no part of a record: it would make every record several times as long. `seen_at` are the places where
    the player has lately been with people, and no part of it either.
    """

    player: Named
    place: Named
    people: tuple[Named, ...] = ()
    here: tuple[Named, ...] = ()
    carried: tuple[Named, ...] = ()
    doors: tuple[Named, ...] = ()
    exits: tuple[WayOut, ...] = ()
    topics: tuple[Named, ...] = ()
    scenery: tuple[SceneryNoun, ...] | None = Field(default=None, exclude=True)
    seen_at: FrozenMap[str, str] = Field(default_factory=dict, exclude=True)


class Square(Frozen):
    """A field of a board: the thing that stands for it, and who has marked it; empty where it is free."""

    id: str
    name: str
    holder: str = ""


class Board(Frozen):
    """The board that a ruleset is played on, row by row, as it stands.

    `verb` is typed before a square that one marks, so many marks `in_line` win, `own` is the holder of the player's.
    `marks` are words for the marks of each holder, `names` the holders' names; `answers` are what the game answers to
    words about it (the words as `has_words` reads them, and the sentences), `preparing` those of them that one does to
    mark a square, `heard` words that those who are here have answers to of their own.
    """

    verb: str
    rows: tuple[tuple[Square, ...], ...]
    in_line: int
    own: str
    marks: FrozenMap[str, tuple[str, ...]]
    names: FrozenMap[str, str]
    answers: tuple[tuple[str, str], ...] = ()
    preparing: tuple[str, ...] = ()
    heard: tuple[str, ...] = ()
