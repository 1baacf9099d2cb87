"""The variables that prompts share: `player`, `char`, `chars`, `turn`, `lore`, `msgs`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from pydantic import Field

from lorewright.values.messages import Message
from lorewright.values.records import InnerState
from lorewright.world.frozen import Frozen
from lorewright.world.inner import MANIFEST_LEVEL

# Whoever has no name is called so.
NOBODY = "the adventurer"
# A message is shown so far at most (characters).
MESSAGE_CHARACTERS = 1_500
_SPEECH = re.compile(r"[“\"«„][^“”\"«»„]{2,}[”\"»“]")


class Context(Frozen):
    """What a prompt is filled in with. `stable` are the keys whose values hold for a scene or longer."""

    stable: ClassVar[tuple[str, ...]] = ()


class StateVariable(Frozen):
    """An inner state (`mood`: `wary`): below level 6 it is latent, and only extractors are told of it."""

    name: str
    value: str
    level: int
    is_subconscious: bool
    is_manifest: bool


class PlayerVariables(Frozen):
    """The active persona; `states` are those that are manifest."""

    description: str = ""
    states: tuple[StateVariable, ...] = ()


class CharVariables(Frozen):
    """A character whose own stage it is; `states` are those that are manifest."""

    name: str
    description: str = ""
    states: tuple[StateVariable, ...] = ()


class CharInside(CharVariables):
    """A character as extractors are told of it: `all_states` has the latent ones too."""

    all_states: tuple[StateVariable, ...] = ()


class CharsVariables(Frozen):
    """Everybody in the scene."""

    summary: str = ""


class LoreVariables(Frozen):
    """Lore that matters just now, as one text."""

    text: str = ""


class MessageVariables(Frozen):
    """A message of the stream, as a stage may see it: `character` is who speaks (`narrator`, a name), `is_dialog` that
    somebody is quoted in it, `emotion` what its sender noted of the mood, if they did."""

    character: str
    text: str
    is_dialog: bool = False
    emotion: str = ""
    turn_no: int = 0
    type: str = "narration"


def state_variables(states: Iterable[InnerState], *, latent: bool) -> tuple[StateVariable, ...]:
    """States as prompts show them, by name; `latent` says whether those are among them that their owner does not know
    of."""
    shown = sorted((one for one in states if latent or one.level >= MANIFEST_LEVEL), key=lambda one: one.name)
    return tuple(
        StateVariable(
            name=one.name,
            value=in_words(one.value),
            level=one.level,
            is_subconscious=one.level < MANIFEST_LEVEL,
            is_manifest=one.level >= MANIFEST_LEVEL,
        )
        for one in shown
    )


def message_variables(
    messages: Iterable[tuple[int, Message]], name_of: Callable[[str], str]
) -> tuple[MessageVariables, ...]:
    """(turn number, message), as a reader may see them already -> the same as prompts show them."""
    return tuple(
        MessageVariables(
            character=message.owner if message.owner in ("narrator", "system") else name_of(message.owner),
            text=message.content[:MESSAGE_CHARACTERS],
            is_dialog=is_dialog(message.content),
            emotion=str(message.payload.get("emotion") or ""),
            turn_no=turn_no,
            type=message.type,
        )
        for turn_no, message in messages
    )


def is_dialog(text: str) -> bool:
    """Whether somebody is quoted in a text."""
    return _SPEECH.search(text) is not None


def in_words(value: Any) -> str:
    """A value as one reads it: a text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def rows_of(packet: Mapping[str, Any], *path: str) -> list[Mapping[str, Any]]:
    """The mappings of a list within a packet; none where it has another shape."""
    found: Any = packet
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return [row for row in found if isinstance(row, Mapping)] if isinstance(found, list | tuple) else []


def text_of(packet: Mapping[str, Any], *path: str) -> str:
    """A text within a packet; empty where there is none."""
    found: Any = packet
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, str) else ""


# Contexts of the prompts beside the turn's own stages: recaps and repairs; and what a recap is answered with.


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


# What the players asked for before the game -> the variables of it: tone, lethality, pace, lines and veils.

# A wish is a sentence or two, and there are not many (characters).
_LONGEST = 300
_MOST = 12


class CalibrationVariables(Frozen):
    """What was asked for; empty where nothing was. `lines` never come up, `veils` only off the page."""

    tone: str = ""
    lethality: str = ""
    pace: str = ""
    character: str = ""
    lines: tuple[str, ...] = ()
    veils: tuple[str, ...] = ()


def calibration_of(packet: Mapping[str, Any]) -> CalibrationVariables:
    """The calibration of a packet; what is there in another shape is taken by its words, what is unknown is left."""
    given = packet.get("calibration")
    if not isinstance(given, Mapping):
        return CalibrationVariables()
    texts = {key: _text(given.get(key)) for key in ("tone", "lethality", "pace", "character")}
    return CalibrationVariables(**texts, lines=_list(given.get("lines")), veils=_list(given.get("veils")))


def _text(value: Any) -> str:
    return "" if value is None else in_words(value)[:_LONGEST]


def _list(value: Any) -> tuple[str, ...]:
    entries = value if isinstance(value, list | tuple) else [] if value in (None, "") else [value]
    return tuple(_text(one) for one in entries[:_MOST])
