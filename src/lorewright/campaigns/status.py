"""A state and its scenario -> where the player is, what time it is, and the clocks that they know of; for the opening
also who they are, what they want and what each clock means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.campaigns.history import in_a_sentence
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.recap import goal_of
from lorewright.campaigns.scenarios.scenario import ScenarioPlayer
from lorewright.campaigns.viewers import standing_of
from lorewright.rules.hours import time_of_day
from lorewright.rules.rulesets import CampaignRules
from lorewright.world.state import WorldState


@dataclass(frozen=True, slots=True)
class ShownClock:
    """A clock or gauge with its value; `change` is by how much it has moved in the turn."""

    name: str
    value: int
    max: int
    change: int = 0


@dataclass(frozen=True, slots=True)
class PlayerStatus:
    """The name of the player's place, the time (`21:10`, else how much has passed: `40 min`, empty at the start), and
    the known clocks."""

    place: str
    time: str
    clocks: tuple[ShownClock, ...]


def status_of(campaign: OpenCampaign, *, moved: Mapping[str, int] | None = None) -> PlayerStatus:
    """Return the player's status at the head; `moved` is by how much which clock has moved, by ID."""
    shown = campaign.acquaintance().shown
    return player_status(shown, campaign.row.scenario, moved=moved)


def player_status(
    state: WorldState, scenario: Mapping[str, Any], *, moved: Mapping[str, int] | None = None
) -> PlayerStatus:
    """Return the player's status in a state as they may see it. A clock is known when the scenario says what it means,
    or it stands elsewhere than at the beginning; a gauge of the ruleset always is."""
    moved = moved or {}
    return PlayerStatus(
        place=state.name_of(state.scene.location_id),
        time=_time(state, scenario),
        clocks=tuple(
            ShownClock(clock["name"], clock["value"], clock["max"], moved.get(clock["id"], 0))
            for clock in state.clocks_shown()
            if clock["id"] in moved or _is_known(clock, scenario)
        ),
    )


def _is_known(clock: Mapping[str, Any], scenario: Mapping[str, Any]) -> bool:
    written = scenario.get("clocks", {}).get(clock["id"])
    return written is None or bool(written.get("means")) or clock["value"] != written.get("value", 0)


def _time(state: WorldState, scenario: Mapping[str, Any]) -> str:
    """Return the time of day, where the scenario says when it begins; else what has passed."""
    begins = scenario.get("begins") or ""
    if not begins:
        return _passed(state.minutes)
    clocks = scenario.get("clocks", {})
    until = {clock_id: written["until"] for clock_id, written in clocks.items() if written.get("until")}
    return time_of_day(state, begins, until)


def _passed(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest:02} min" if hours else f"{rest} min" if rest else ""


def introduction_of(campaign: OpenCampaign) -> list[str]:
    """Return what a player has to know before the first turn: who they are, what they want, what each clock means."""
    state, row = campaign.store.head().state, campaign.row
    lines = [_who(state, campaign.setting.rules)]
    goal = goal_of(row.scenario, state.player_id, state)
    lines += [f"What you want: {goal}"] if goal else []
    return [line for line in (*lines, *_meanings(state, row.scenario)) if line]


def _who(state: WorldState, rules: CampaignRules) -> str:
    standing = standing_of(state, rules)
    stats = ", ".join(
        f"{stat.name[:1].lower()}{stat.name[1:]} {stat.value:+g}" for stat in standing.stats if stat.value
    )
    carried = [_carried(state.name_of(item), number) for item, number in state.held_by(state.player_id).items()]
    has_name = standing.name != ScenarioPlayer().name
    sentences = [
        f"You are {standing.name}{f': {stats}' if stats else ''}." if has_name or stats else "",
        f"You carry {_and(carried)}." if carried else "",
    ]
    return " ".join(filter(None, sentences))


def _carried(name: str, number: int) -> str:
    return in_a_sentence(name) if number == 1 else f"{in_a_sentence(name)} (× {number})"


def _meanings(state: WorldState, scenario: Mapping[str, Any]) -> Iterator[str]:
    for clock_id, written in sorted(scenario.get("clocks", {}).items()):
        clock, means = state.clocks.get(clock_id), " ".join((written.get("means") or "").split())
        if clock is not None and means:
            yield f"{clock.name[:1].upper()}{clock.name[1:]} 0 to {clock.max}: {means}"


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
