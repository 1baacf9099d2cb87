"""A viewer, and a section, a message or a fact -> whether that viewer may know it, and how much of it: three tables.

Each table is data: a row for a kind of text, message or fact, a column for each viewer or stage that asks for it. A
cell that is missing is one that nobody asks for. Scene lore, retrieval, packets, histories, exports and the service
read the tables here and state no rule of their own. The leak suite's judge (`authoring/leaks/planting.py`) does not: it
is to notice when these tables are wrong.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

from lorewright.errors import SettingsError

# A viewer: who looks at lore and at campaigns from outside of a turn.

ViewerKind = Literal["gm", "player", "npc", "pc", "watcher"]
# The columns of viewers. Players have one for all: what each of several knows depends on the persona that they play.
Column = Literal["gm", "player", "npc"]

_NAME: Final = re.compile(r"gm|player|watcher|(?P<kind>npc|pc):(?P<id>[^\s:]+(?::[^\s:]+)?)")
VIEWERS: Final = "gm, player, watcher, npc:ID or pc:ID"


@dataclass(frozen=True, slots=True)
class Viewer:
    """A viewer by name: `gm`; `player`, the persona who plays next; `npc:ID`, a character; `pc:ID`, a persona;
    `watcher`, somebody who plays nobody and sees what every persona could see in the open.

    `id` is the ID as it was given, with or without a pack or campaign; empty for all but `npc:ID` and `pc:ID`.

    Raises:
        SettingsError: the name is none of these.
    """

    name: str
    kind: ViewerKind = field(init=False, repr=False, compare=False)
    id: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        found = _NAME.fullmatch(self.name)
        if found is None:
            raise SettingsError(f"unknown viewer {self.name!r}", hint=f"one of {VIEWERS}")
        object.__setattr__(self, "kind", found["kind"] or self.name)
        object.__setattr__(self, "id", found["id"] or "")

    @property
    def is_gm(self) -> bool:
        """True for the game master, from whom nothing is kept back."""
        return self.kind == "gm"

    @property
    def is_player(self) -> bool:
        """True for whom a persona is played by: they are told what players are told, under the names that players
        know."""
        return self.kind in ("player", "pc")

    @property
    def is_watcher(self) -> bool:
        """True for who plays nobody: of a campaign they are shown what was told to every persona, and not whispered."""
        return self.kind == "watcher"

    @property
    def column(self) -> Column:
        """Return the viewer's column in the tables. A watcher has that of players, with nothing that a persona alone
        has."""
        return "player" if self.kind == "pc" or self.kind == "watcher" else self.kind


# Sections: kind of section, or part of a text -> how much of it a viewer or a stage is shown.

SectionReader = Literal["gm", "player", "npc", "planner", "narrator"]
# `all`: the whole text. `own`: the whole text in the file of the viewing character, of others the learned items.
# `learned`: the items that were revealed to the viewer. `topics`: the names of what is told about. `count`: the learned
# items and the number of all others.
SectionSight = Literal["all", "own", "learned", "topics", "count", "none"]

_SECTION_READERS: tuple[SectionReader, ...] = ("gm", "player", "npc", "planner", "narrator")


def _sections(*sights: SectionSight) -> Mapping[SectionReader, SectionSight]:
    """Return a row; stages have no cell for what is never gathered for a scene."""
    return MappingProxyType(dict(zip(_SECTION_READERS, sights, strict=False)))


SECTIONS: Mapping[str, Mapping[SectionReader, SectionSight]] = MappingProxyType(
    {
        #                        gm     player     npc        planner    narrator
        "lore": _sections("all", "all", "all", "all", "all"),
        "atmosphere": _sections("all", "all", "all", "all", "all"),
        "disposition": _sections("all", "learned", "own", "all", "all"),
        "capabilities": _sections("all", "learned", "own", "all", "all"),
        "motivation": _sections("all", "learned", "own", "all", "none"),
        "knows": _sections("all", "learned", "own", "topics", "learned"),
        "withholds": _sections("all", "learned", "own", "count", "learned"),
        "discoverable": _sections("all", "learned", "learned", "count", "learned"),
        "threads": _sections("all", "learned", "learned", "all", "learned"),
        "secret": _sections("all", "learned", "learned"),
        # A text as its author wrote it, with comments and the targets of links; others read its words.
        "written": _sections("all", "none", "none"),
        # A pack's own keys about an entity, and aliases and tags that say a hidden name.
        "attrs": _sections("all", "none", "none"),
        # A section under a condition, where there is no campaign in which it could hold.
        "undecided": _sections("all", "none", "none"),
    }
)


def section_sight(role: str, reader: SectionReader) -> SectionSight:
    """Return how much of a kind of section a reader is shown; nothing of a kind that has no row or no cell."""
    row = SECTIONS.get(role)
    return "none" if row is None else row.get(reader, "none")


def sights_of(reader: SectionReader) -> Mapping[str, SectionSight]:
    """Return how much of each kind of section a reader is shown, by kind."""
    return {role: row.get(reader, "none") for role, row in SECTIONS.items()}


def sees_section(role: str, reader: SectionReader, *, owner_is_viewer: bool = False, is_learned: bool = False) -> bool:
    """Return whether a reader is shown the whole text of a section, or with `is_learned` an item of it that was
    revealed to them. `owner_is_viewer` says that the section stands in the file of the viewing character."""
    match section_sight(role, reader):
        case "all":
            return True
        case "own":
            return owner_is_viewer or is_learned
        case "learned" | "count":
            return is_learned
        case "topics" | "none":
            return False


def roles_with(sight: SectionSight, reader: SectionReader) -> frozenset[str]:
    """Return the kinds of sections of which a reader is shown so much."""
    return frozenset(role for role, row in SECTIONS.items() if row.get(reader) == sight)


# Messages: kind of message -> which of them a stage or viewer receives.

MessageKind = Literal["scene_marker", "narration", "intention", "thought", "system"]
MessageReader = Literal[
    "gm",
    "player",
    "npc_intent",
    "interpreter",
    "planner",
    "narrator",
    "persona_extractor",
    "character_extractor",
    "lore_extractor",
    "summariser",
    "recap",
]
# `all`: every message so far, a narration only if the reader was there for it; `every`: also where they were not.
# `own`: those that the reader's own character owns; `last_own`: the newest of these. `resolving`: those that are being
# resolved just now; `current`: the narration of those.
MessageSight = Literal["every", "all", "own", "last_own", "resolving", "current", "none"]

MESSAGE_KINDS: tuple[MessageKind, ...] = ("scene_marker", "narration", "intention", "thought", "system")


def _messages(*sights: MessageSight) -> Mapping[MessageKind, MessageSight]:
    return MappingProxyType(dict(zip(MESSAGE_KINDS, sights, strict=True)))


# Only the game master reads what the system says. `npc_intent` is also a character as a viewer.
MESSAGES: Mapping[MessageReader, Mapping[MessageKind, MessageSight]] = MappingProxyType(
    {
        #                        scene_marker  narration  intention  thought  system
        "gm": _messages("all", "every", "all", "all", "all"),
        "player": _messages("none", "all", "own", "own", "none"),
        "npc_intent": _messages("none", "all", "own", "own", "none"),
        # The player's words may point back at what they said (`again`, `it`).
        "interpreter": _messages("none", "none", "own", "none", "none"),
        # The planner is given the actions that were read out of the words, not the words.
        "planner": _messages("none", "all", "none", "none", "none"),
        "narrator": _messages("all", "all", "resolving", "none", "none"),
        "persona_extractor": _messages("none", "all", "last_own", "own", "none"),
        "character_extractor": _messages("none", "all", "last_own", "own", "none"),
        "lore_extractor": _messages("none", "current", "none", "none", "none"),
        "summariser": _messages("none", "all", "none", "none", "none"),
        "recap": _messages("none", "all", "none", "none", "none"),
    }
)


# Facts: kind of fact in the state or in the history -> who is shown it.

FactKind = Literal[
    "fact",
    "gm_fact",
    "clock",
    "thread",
    "inner",
    "memory",
    "tie",
    "agenda",
    "to_find",
    "world",
    "narration",
    "event",
    "whisper",
    "contradiction",
    "recap",
]
FactReader = Literal["gm", "player", "npc", "planner", "narrator"]
# `all`: each. `known`: those that the persona who is played knows. `own`: those of the viewing character. `witness`:
# those that the viewing character was there for. `party`: those that the viewing character is a part of.
FactSight = Literal["all", "known", "own", "witness", "party", "none"]

FACTS: Mapping[FactKind, Mapping[FactReader, FactSight]] = MappingProxyType(
    {
        # What is established; `gm_fact` is kept from players.
        "fact": {"gm": "all", "player": "known", "npc": "none", "planner": "all", "narrator": "known"},
        "gm_fact": {"gm": "all", "player": "none", "npc": "none", "planner": "all", "narrator": "none"},
        # Clocks, threads and the end of the story: the table's.
        "clock": {"gm": "all", "player": "all", "npc": "none"},
        "thread": {"gm": "all", "player": "all", "npc": "none"},
        # Manifest inner states. The game master has no character of their own, and looks through the player's.
        "inner": {"gm": "own", "player": "own", "npc": "own", "planner": "all", "narrator": "all"},
        "memory": {"gm": "own", "player": "own", "npc": "own"},
        # What people are to each other, what they are after, and how much is still to be found at a place.
        "tie": {"planner": "all", "narrator": "none"},
        "agenda": {"planner": "all", "narrator": "none"},
        "to_find": {"planner": "all", "narrator": "none"},
        # The whole state.
        "world": {"gm": "all", "player": "none", "npc": "none"},
        # Records of the history. `whisper` is an event that only two heard.
        "narration": {"gm": "all", "player": "witness", "npc": "witness"},
        "event": {"gm": "all", "player": "witness", "npc": "witness"},
        "whisper": {"player": "party", "npc": "party"},
        "contradiction": {"gm": "all", "player": "none"},
        "recap": {"gm": "all", "player": "own"},
    }
)


def fact_sight(kind: FactKind, reader: FactReader) -> FactSight:
    """Return whose facts of a kind a reader is shown; none where the table has no cell."""
    return FACTS[kind].get(reader, "none")


def sees_fact(reader: FactReader, *, visibility: str, knowers: Collection[str] = (), who: str | None = None) -> bool:
    """Return whether a reader is shown an established fact. `visibility` is the fact's (`player`, or else it is kept
    from players), `knowers` are the personas who know of it (all, where there are none); `who` is the persona that the
    reader plays or tells the story to, None for all personas."""
    match fact_sight("fact" if visibility == "player" else "gm_fact", reader):
        case "all":
            return True
        case "known":
            return not knowers or who is None or who in knowers
        case _:
            return False
