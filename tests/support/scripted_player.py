"""A seeded player who reads what is there and types something sensible, again and again: so that plays can be
measured."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lorewright.bootstrap import App, open_app
from lorewright.lore_bootstrap import make_workspace
from lorewright.turn.views.scope import scope_of
from lorewright.values.records import TurnResult
from lorewright.values.scope import Named, Scope
from lorewright.world.state import WorldState
from support.copied_workspaces import copied_workspace
from support.corpora import corpus_pack
from support.island_vault import write_island

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


# How often each kind of line is typed, of about a hundred.
CURIOUS = {"ask": 22, "suggested": 9, "look": 7, "examine": 15, "search": 8, "go": 8, "take": 3, "again": 4, "wait": 3,
           "tell": 3, "persuade": 3, "threaten": 1, "promise": 1, "give": 2, "drop": 1, "use": 2, "open": 1, "sneak": 1,
           "attack": 1, "try": 3, "inventory": 2, "blocked": 2, "nonsense": 2, "typo": 3}  # fmt: skip
RESTLESS = {"ask": 14, "suggested": 12, "look": 9, "examine": 15, "search": 9, "go": 10, "take": 4, "again": 3, "wait": 4,
            "tell": 3, "persuade": 2, "threaten": 2, "promise": 1, "give": 2, "drop": 2, "use": 3, "open": 2, "sneak": 2,
            "attack": 1, "try": 4, "inventory": 2, "blocked": 3, "nonsense": 2, "typo": 4}  # fmt: skip
# Walks a wide map without clocks: on and on.
STROLLING = {"ask": 15, "suggested": 15, "look": 10, "examine": 17, "search": 6, "go": 16, "take": 3, "again": 2, "wait": 3,
             "tell": 2, "persuade": 1, "threaten": 1, "promise": 1, "give": 1, "drop": 1, "use": 2, "open": 1, "sneak": 1,
             "attack": 1, "try": 3, "inventory": 1, "blocked": 2, "nonsense": 2, "typo": 3}  # fmt: skip

# Kinds that raise no clock by themselves: what is left where one is about to end the story.
_CALM = ("look", "examine", "inventory", "blocked", "nonsense", "tell", "give", "drop", "promise", "open")
# Kinds that cost time where time is counted.
_HASTY = ("go", "sneak", "wait", "suggested", "again", "attack", "threaten")
_NONSENSE = (
    "yodel a tune",
    "xyzzy",
    "think of summer",
    "count to ten",
    "juggle",
    "fly away",
    "ruminate",
    "rhyme quietly",
)
_ABSENT = ("take the moon", "ask the mayor about bread", "go to the opera", "take the anchor", "go up", "open the safe")
_ON_SOMEBODY = ("smile at {}", "follow {}", "wave to {}", "tickle {}", "bow to {}", "imitate {}")
_ON_SOMETHING = ("kick {}", "tap {}", "lean on {}", "listen at {}", "shake {}", "sniff {}")
_PROMISES = ("come back", "keep quiet", "pay for it", "ask again tomorrow", "help")
# Nobody types one line over and over, unless there is nothing else.
_FRESH, _PATIENCE = 9, 6
# Whom one does not talk to while a clock is about to end the story.
_WARY_OF = ("Agent Chen",)
# A word after an article, where what follows shows that it was the noun.
_NOUN = re.compile(
    r"\b(?:the|a|an) ([a-z]{4,})(?=[.,;:]| (?:of|in|on|at|under|by|from|with|and|is|are|has|that|who)\b)"
)
_NO_NOUNS = frozenset("same other only time first last next best most right left rest past very more that hour".split())
# What one has in mind without having met it in words.
_PLEAS = ("help me", "tell me more", "let me pass", "trust me")


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
    left = min((clock.max - clock.value for clock in state.clocks.values()), default=9)
    # Whoever has an evening before them does not run through it: a clock may rise as the turns go by.
    is_early = any(clock.value >= 1 + (clock.max - 3) * len(told) / 60 for clock in state.clocks.values())
    kinds = [
        kind
        for kind in style
        if kind in _CALM or (kind == "ask" and left == 2) or not (left <= 2 or (is_early and kind in _HASTY))
    ]
    seen = _Seen(chance, scope_of(state), state, options, lines, told, is_wary=left <= 2)
    for _ in range(_PATIENCE):
        kind = chance.choices(kinds, [style[kind] for kind in kinds])[0]
        if kind == "typo":
            line = _mistyped(chance, seen.line("ask" if "ask" in kinds else "examine") or "look")
        else:
            line = seen.line(kind) or seen.line("examine") or "look"
        if kind == "again" or line not in lines[-_FRESH:]:
            break
    return line


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a player has before their eyes when they type."""

    chance: random.Random
    scope: Scope
    state: WorldState
    options: tuple[str, ...]
    lines: list[str]
    told: list[Told]
    is_wary: bool

    def line(self, kind: str) -> str | None:
        """A line of a kind; None where there is nothing to do it with."""
        people = tuple(one for one in self.scope.people if not (self.is_wary and one.name in _WARY_OF))
        who, thing, held = self._one(people), self._one(self.scope.here), self._one(self.scope.carried)
        words = _nouns(self.told[-3:])
        match kind:
            case "ask" | "tell" | "persuade" | "threaten" | "promise" | "attack":
                return None if who is None else self._to(kind, who)
            case "give":
                return f"give {_the(held)} to {who}" if who and held else None
            case "drop":
                return f"drop {_the(held)}" if held else None
            case "use":
                return f"use {_the(held)}" if held else None
            case "take":
                return f"take {_the(thing)}" if thing else None
            case "open":
                door = self._one(self.scope.doors) or thing
                return f"open {_the(door)}" if door else None
            case "try":
                if who and self.chance.random() < 0.6:
                    return self.chance.choice(_ON_SOMEBODY).format(who)
                return self.chance.choice(_ON_SOMETHING).format(_the(thing)) if thing else None
            case "suggested":
                return self.chance.choice(self.options) if self.options else None
            case "examine":
                names = [
                    one.name for one in (*self.scope.people, *self.scope.here, *self.scope.carried, *self.scope.doors)
                ]
                return f"look at {_the(self.chance.choice([*names, *words]))}" if names or words else None
            case "search":
                return f"search {_the(self.chance.choice(words))}" if words else "search"
            case "go" | "sneak":
                ways = [way for way in self.scope.exits if not way.locked]
                if not ways:
                    return None
                new = [way for way in ways if not self.state.visits.get(way.to)]
                way = self.chance.choice(new if new and self.chance.random() < 0.5 else ways)
                return f"go {way.name}" if kind == "go" else f"sneak to {way.to_name}"
            case "again":
                return self.chance.choice(self.lines[-6:]) if self.lines else None
            case "wait":
                return self.chance.choice(("wait", "wait for ten minutes", "wait an hour"))
            case "blocked":
                return self.chance.choice(_ABSENT)
            case "nonsense":
                return self.chance.choice(_NONSENSE)
            case _:
                return kind

    def _to(self, kind: str, who: str) -> str:
        topic = self.chance.choice(_topics(self.scope, self.state, _nouns(self.told[-3:])))
        match kind:
            case "persuade":
                return f"persuade {who} to {self.chance.choice(_PLEAS)}"
            case "threaten":
                return f"threaten {who}"
            case "promise":
                return f"promise {who} to {self.chance.choice(_PROMISES)}"
            case "attack":
                return f"attack {who}"
            case _:
                return f"{kind} {who} about {topic}"

    def _one(self, named: tuple[Named, ...]) -> str | None:
        return self.chance.choice(named).name if named else None


def _mistyped(chance: random.Random, line: str) -> str:
    """The line with two letters of its longest word changed about."""
    longest = max(line.split(), key=len)
    if len(longest) < 5:
        return line
    at = chance.randrange(1, len(longest) - 2)
    return line.replace(longest, longest[:at] + longest[at + 1] + longest[at] + longest[at + 2 :])


def _topics(scope: Scope, state: WorldState, words: list[str]) -> list[str]:
    """What is on a player's mind: the open threads, what is here and near, and now and then something far off."""
    related = [one for thread in state.threads.values() for one in thread.related_entity_ids]
    names = [state.name_of(one) for one in related if one in state.entities]
    near = [*(way.to_name for way in scope.exits), *(one.name for one in (*scope.people, *scope.here, *scope.carried))]
    far = [one.name for one in scope.topics[: 8 if len(scope.topics) < 30 else 2]]
    return [*names, scope.place.name, *near, *far, *words]


def _nouns(told: list[Told]) -> list[str]:
    """Things that the notes quoted in the last turns speak of: likely to be looked at or asked about."""
    quotes = [citation.quote for one in told for citation in one.result.citations]
    found = [word for quote in quotes for word in _NOUN.findall(quote) if word not in _NO_NOUNS]
    return list(dict.fromkeys(found))[-12:]


def _the(name: str) -> str:
    return name if name[:1].isupper() or name.startswith("the ") else f"the {name}"


def _scenario(name: str, seed: int) -> Begin:
    def begin(folder: Path) -> tuple[App, str, Path | None]:
        root = copied_workspace(folder / "workspace", made, "shipped", name, seed)
        return open_app(root), "game", root / "scenarios" / f"{name}.yaml"

    def made(root: Path) -> None:
        make_workspace(root)
        open_app(root).campaigns.new(name, campaign_id="game", seed=seed)

    return begin


def _walk(pack: Callable[[Path], Path], seed: int) -> Begin:
    """A walk in the pack whose folder `pack` gives, or makes below the one it is given."""

    def begin(folder: Path) -> tuple[App, str, Path | None]:
        make_workspace(folder / "workspace")
        app = open_app(folder / "workspace")
        found = app.explorer.walk(*app.explorer.pack(str(pack(folder))), seed=seed)
        app.explorer.begin(found, app.campaigns, campaign_id="game", seed=seed)
        return app, "game", None

    return begin


def plays(seed: int) -> tuple[Play, ...]:
    """The six plays, each with seeds of its own made from the one given."""
    return (
        Play("dead_drop_1", _scenario("dead_drop", 10 + seed), 10 + seed, CURIOUS),
        Play("dead_drop_2", _scenario("dead_drop", 30 + seed), 30 + seed, RESTLESS),
        Play("lamp_night", _scenario("lamp_night", 111 + seed), 111 + seed, CURIOUS),
        Play("eclipse_phase", _walk(lambda _: corpus_pack("eclipse-phase"), seed), 50 + seed, STROLLING),
        Play("cairn", _walk(lambda _: corpus_pack("asis-cairn"), seed), 70 + seed, STROLLING),
        Play("own_pack", _walk(write_island, seed), 90 + seed, STROLLING),
    )


# Those in packs that are no part of the checkout.
CORPORA_PLAYS = ("eclipse_phase", "cairn")
