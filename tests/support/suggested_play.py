"""A play in which the player takes the first suggestion every time -> which of the answers brought anything.

`python tests/support/suggested_play.py [SCENARIO…] [--seeds=N] [--text]` prints, for the developer, the share of each
play and the lines that brought nothing.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lorewright.bootstrap import open_app
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.lore_bootstrap import make_workspace
from lorewright.rules.patch import Outcome
from lorewright.values.records import TurnResult
from lorewright.world.state import WorldState
from support.copied_workspaces import copied_workspace
from support.island_vault import write_island

TURNS = 20
# The name of a play that is no scenario: a walk in a pack of the tests.
WALK = "walk"
# The least share of answers that bring something.
LEAST = 0.85

# Answers that are none, whatever was quoted beside them.
_EMPTY = frozenset(
    {"does_not_know", "told_before", "deflected", "nothing_found", "found_before", "blocked", "heard_before"}
)


@dataclass(frozen=True, slots=True)
class Taken:
    """A suggestion that was taken, what it was offered beside, what was told, and what it brought: empty where that is nothing."""

    line: str
    offered: tuple[str, ...]
    text: str
    brought: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SuggestedPlay:
    """A play of suggestions taken, in order."""

    name: str
    taken: tuple[Taken, ...]

    @property
    def share(self) -> float:
        """The share of lines that brought something; 1 where none was taken."""
        return sum(bool(one.brought) for one in self.taken) / max(len(self.taken), 1)

    def vain(self) -> list[str]:
        """The lines that brought nothing."""
        return [one.line for one in self.taken if not one.brought]

    def offered_again(self) -> list[str]:
        """The lines that were offered again after they had brought nothing."""
        found: list[str] = []
        for at, one in enumerate(self.taken):
            later = {line for other in self.taken[at + 1 :] for line in other.offered}
            # To walk or to wait is no question that was answered with no.
            if not one.brought and one.line in later and not one.line.startswith(("go ", "wait")):
                found.append(one.line)
        return found

    def findings(self) -> list[str]:
        """What is not as it should be, in words."""
        vain = ", ".join(self.vain())
        found = [f"{self.name}: only {self.share:.0%} of {len(self.taken)} lines brought anything; not: {vain}"]
        found = [] if self.share >= LEAST else found
        return [*found, *(f"{self.name}: offered again in vain: {line}" for line in self.offered_again())]


class _Witness:
    """What the player of a play has met and been told so far."""

    def __init__(self, state: WorldState) -> None:
        self.met = set(state.present())
        self.quotes: set[str] = set()
        self.said: set[str] = set()

    def brought(
        self, before: WorldState, after: WorldState, outcomes: Sequence[Outcome], result: TurnResult
    ) -> Iterator[str]:
        """What a turn brought; and note it."""
        player = before.player_id
        if after.learned_by(player) - before.learned_by(player):
            yield "a reveal"
        if set(after.visits) - set(before.visits):
            yield "a place"
        if set(after.present()) - self.met:
            yield "a person"
        if _stands(before) != _stands(after):
            yield "a change"
        answers = [outcome for outcome in outcomes if outcome.actor_id == player and outcome.code not in _EMPTY]
        said = {text for outcome in outcomes for text in (*outcome.say, *outcome.then)}
        if said - self.said:
            yield "words of the scenario"
        quotes = {citation.quote for citation in result.citations}
        # Hearsay about what was asked after; what is quoted of the person and the place is told anyway.
        place = before.scene.location_id
        name = before.name_of(place).casefold().removeprefix("the ")
        about_place = any(name in outcome.words.casefold() for outcome in outcomes)
        near = {*(outcome.target_id for outcome in outcomes), *(() if about_place else (place,))}
        if any(outcome.code == "does_not_know" for outcome in outcomes) and any(
            citation.quote not in self.quotes and not any(str(who) in citation.chunk_id for who in near)
            for citation in result.citations
        ):
            yield "hearsay"
        if answers and quotes - self.quotes and any(outcome.code == "looked" for outcome in answers):
            yield "a sight"
        self.met |= set(after.present())
        self.quotes |= quotes
        self.said |= said


def _stands(state: WorldState) -> tuple[object, ...]:
    """All of a state that is a change for the player if it differs: neither time nor clocks nor regard."""
    return (
        state.held_by(state.player_id),
        {door: (seen.locked, seen.open) for door, seen in state.doors.items()},
        {thread.id: (thread.status, thread.progress) for thread in state.threads.values()},
        frozenset(state.facts),
        state.conditions_of(state.player_id),
        {way.name for way in state.exits.get(state.scene.location_id, ())} and frozenset(state.exits),
        state.ended,
    )


def play_suggestions(campaign: OpenCampaign, name: str, *, turns: int = TURNS) -> SuggestedPlay:
    """Take the first suggestion so many times, or to the story's end, or until nothing is suggested."""
    taken: list[Taken] = []
    witness = _Witness(campaign.store.head().state)
    while len(taken) < turns:
        head = campaign.store.head()
        if head.state.ended is not None or not head.options:
            break
        line = head.options[0]
        result = TurnResult.model_validate_json(asyncio.run(campaign.submit(line)))
        outcomes = campaign.store.resolution(result.turn_id).outcomes
        brought = tuple(witness.brought(head.state, campaign.store.head().state, outcomes, result))
        if result.clarification_question is not None:
            brought = ()
        taken.append(Taken(line, head.options, result.final_text, brought))
    return SuggestedPlay(name, tuple(taken))


Begin = Callable[[Path], OpenCampaign]


def scenarios() -> list[str]:
    """The scenarios that ship and in which one talks and walks."""
    found = sorted(path.stem for path in (Path(__file__).parents[2] / "scenarios").glob("*.yaml"))
    return [name for name in found if name != "tic_tac_toe"]


def play_scenario(name: str, folder: Path, *, seed: int) -> SuggestedPlay:
    """Play a scenario that ships, or a walk in a pack of the tests (`walk`), by its first suggestions."""

    def made(root: Path) -> None:
        make_workspace(root)
        if name != WALK:
            open_app(root).campaigns.new(name, campaign_id="game", seed=seed)

    root = copied_workspace(folder / "workspace", made, "suggested", name, seed)
    app = open_app(root)
    if name == WALK:
        found = app.explorer.walk(*app.explorer.pack(str(write_island(folder))), seed=seed)
        app.explorer.begin(found, app.campaigns, campaign_id="game", seed=seed)
    with app.campaigns.open("game") as campaign:
        return play_suggestions(campaign, f"{name}, seed {seed}")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def main(given: Sequence[str]) -> None:
    """Print the shares of all scenarios and a walk, or of those named, and what brought nothing."""
    seeds = next((int(word[8:]) for word in given if word.startswith("--seeds=")), 1)
    names = [word for word in given if not word.startswith("-")] or [*scenarios(), WALK]
    for name in names:
        shares: list[float] = []
        for seed in range(1, seeds + 1):
            with tempfile.TemporaryDirectory() as folder:
                played = play_scenario(name, Path(folder), seed=seed)
            shares.append(played.share)
            if "--text" in given:
                for one in played.taken:
                    _say(f"> {one.line}   {list(one.brought)}\n{one.text}\n    {' | '.join(one.offered)}\n")
            _say(f"{played.name}: {played.share:.0%} of {len(played.taken)}; in vain: {'; '.join(played.vain())}")
            for line in played.offered_again():
                _say(f"    offered again: {line}")
        _say(f"== {name}: {sum(shares) / len(shares):.0%}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
