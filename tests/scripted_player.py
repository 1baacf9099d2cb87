"""A seeded player who reads what is there and types something sensible, again and again: so that plays can be
measured."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harbour_town import harbour_town
from lorewright.bootstrap import App, open_app
from lorewright.lore_bootstrap import make_workspace
from lorewright.turn.records import Scope
from lorewright.turn.result import TurnResult
from lorewright.turn.scope import scope_of
from lorewright.world.state import WorldState

Begin = Callable[[Path], tuple[App, str, Path | None]]


@dataclass(frozen=True, slots=True)
class Play:
    """A play to be measured: how it begins, the seed of the player, and what they like to do (kind -> weight)."""

    name: str
    begin: Begin
    seed: int
    style: dict[str, int]
    turns: int = 60


@dataclass(frozen=True, slots=True)
class Told:
    """One turn that was told: what was typed, what came of it."""

    turn_no: int
    line: str
    result: TurnResult

    @property
    def text(self) -> str:
        """All that was told."""
        return self.result.final_text

    @property
    def body(self) -> str:
        """The telling without the ending, which is a paragraph of its own and takes no room from the turn."""
        is_end = any(event.type == "campaign_ended" for event in self.result.engine_events)
        return self.text.rpartition("\n\n")[0] if is_end and "\n\n" in self.text else self.text


CURIOUS = {"ask": 28, "suggested": 12, "look": 8, "examine": 16, "search": 10, "go": 8, "take": 5, "again": 6,
           "wait": 3, "blocked": 3, "nonsense": 2}  # fmt: skip
RESTLESS = {"ask": 16, "suggested": 18, "look": 10, "examine": 18, "search": 12, "go": 12, "take": 6, "again": 4,
            "wait": 6, "blocked": 5, "nonsense": 3}  # fmt: skip

# What raises a clock somewhere; left alone while one is about to end the story.
_RISKY = ("go", "search", "wait", "suggested", "again", "take")
# Then they have seen enough, and let the story end.
_CAREFUL_TURNS = 42
_NONSENSE = ("hum a tune", "xyzzy", "think of summer", "count to ten", "dance", "fly away", "whistle")
_ABSENT = ("take the moon", "ask the mayor about bread", "go to the opera", "take the anchor", "go up", "open the safe")


def play(app: App, campaign_id: str, given: Play) -> list[Told]:
    """The turns that were told, at most `given.turns`; the play may end sooner."""
    chance = random.Random(given.seed)
    told: list[Told] = []
    lines: list[str] = []
    with app.campaigns.open(campaign_id) as opened:
        while len(told) < given.turns and len(lines) < 2 * given.turns:
            state = opened.store.head().state
            if state.ended is not None:
                break
            options = opened.store.head().options
            line = next_line(chance, given.style, state, options, lines, told)
            lines.append(line)
            result = TurnResult.model_validate_json(asyncio.run(opened.submit(line)))
            if result.clarification_question is None:
                told.append(Told(result.turn_no, line, result))
    return told


def next_line(
    chance: random.Random,
    style: dict[str, int],
    state: WorldState,
    options: tuple[str, ...],
    lines: list[str],
    told: list[Told],
) -> str:
    """What the player types next, from nothing but what a player can see."""
    scope = scope_of(state)
    careful = len(told) < _CAREFUL_TURNS
    kinds = [kind for kind in style if not (careful and kind in _RISKY and _is_close(state, kind))]
    kind = chance.choices(kinds, [style[kind] for kind in kinds])[0]
    people = [one.name for one in scope.people]
    words = _nouns(told[-3:])
    match kind:
        case "ask" if people:
            return f"ask {chance.choice(people)} about {chance.choice(_topics(scope, state, words))}"
        case "suggested" if options:
            return chance.choice(options)
        case "examine":
            seen = [*people, *(one.name for one in (*scope.here, *scope.carried, *scope.doors)), *words]
            return f"look at {_the(chance.choice(seen))}" if seen else "look"
        case "search":
            return f"search {_the(chance.choice(words))}" if words else "search"
        case "go" if scope.exits:
            way = chance.choice(scope.exits)
            return f"go {way.name}"
        case "take" if scope.here:
            return f"take {_the(chance.choice(scope.here).name)}"
        case "again" if lines:
            return chance.choice(lines[-6:])
        case "wait":
            return chance.choice(("wait", "wait for ten minutes", "wait an hour"))
        case "blocked":
            return chance.choice(_ABSENT)
        case "nonsense":
            return chance.choice(_NONSENSE)
        case "look":
            return "look"
        case _:
            # What the mood was for is not to be had: one looks at what there is, or goes on.
            seen = [one.name for one in (*scope.here, *scope.people)]
            lines_left = [f"look at {_the(name)}" for name in seen] + [f"go {way.name}" for way in scope.exits]
            calm = [line for line in lines_left if not (careful and line[:3] == "go " and _is_close(state, "go"))]
            return chance.choice(calm or ["look"])


def _is_close(state: WorldState, kind: str) -> bool:
    left = min((clock.max - clock.value for clock in state.clocks.values()), default=9)
    return left <= 2 if kind != "search" else left <= 3


def _topics(scope: Scope, state: WorldState, words: list[str]) -> list[str]:
    related = [one for thread in state.threads.values() for one in thread.related_entity_ids]
    names = [state.name_of(one) for one in related if one in state.entities]
    return [*names, *(one.name for one in scope.topics[:8]), *(one.name for one in scope.carried), *words] or ["this"]


def _nouns(told: list[Told]) -> list[str]:
    """Words that the last turns put an article before: likely things to look at or to ask about."""
    found = [
        word
        for one in told
        for word in re.findall(r"\b(?:the|a|an) ([a-z]{4,}(?: (?:bar|door|bin|house))?)\b", one.text)
    ]
    return list(dict.fromkeys(found))[-12:]


def _the(name: str) -> str:
    return name if name[:1].isupper() or name.startswith("the ") else f"the {name}"


def _dead_drop(seed: int) -> Begin:
    def begin(folder: Path) -> tuple[App, str, Path | None]:
        make_workspace(folder / "workspace")
        app = open_app(folder / "workspace")
        app.campaigns.new("dead_drop", campaign_id="game", seed=seed)
        return app, "game", folder / "workspace" / "scenarios" / "dead_drop.yaml"

    return begin


def _harbour(seed: int) -> Begin:
    def begin(folder: Path) -> tuple[App, str, Path | None]:
        app = harbour_town(folder, seed=seed)
        return app, "game", folder / "workspace" / "scenarios" / "high_water.yaml"

    return begin


PLAYS = (
    Play("dead_drop_1", _dead_drop(11), 1, CURIOUS),
    Play("dead_drop_2", _dead_drop(12), 2, RESTLESS),
    Play("dead_drop_3", _dead_drop(29), 3, CURIOUS),
    Play("harbour_1", _harbour(5), 4, RESTLESS),
    Play("harbour_2", _harbour(6), 5, CURIOUS),
)
