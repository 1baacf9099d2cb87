"""An open campaign -> a hint in three steps, each plainer than the one before, and what the player is there for.

A hint says what to do and never what is kept back. Asking for one is no turn: nothing is played or recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lorewright.builtin.words.clauses import place_name, with_article
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.recap import goal_of
from lorewright.campaigns.solver.next_step import find_next_step
from lorewright.ids import local
from lorewright.rules.actions import Action
from lorewright.rules.reach import open_nudges
from lorewright.rules.verbs import typed_line, verb_of
from lorewright.turn.run.dry_run import DryRun, Step
from lorewright.turn.run.suggestions import player_scope
from lorewright.turn.views.acquaintance import Acquaintance
from lorewright.turn.views.draft import Head, Setting
from lorewright.world.state import WorldState

# Nudge, direction, answer.
STEPS = 3

_OVER = "The story has ended. There is nothing left to find out but how it might have gone."
_NOTHING = "There is nothing more to be had here that anybody could point you to. Go on as you like."


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint, from the vaguest to the plainest: where to look, what there is, the line to type (empty where there is
    none)."""

    nudge: str
    direction: str
    line: str = ""

    def text(self, step: int) -> str:
        """Return what is said at a step, from 1; after the last one it stays."""
        said = (self.nudge, self.direction, f"Type: {self.line}" if self.line else self.direction)
        return said[min(max(step, 1), STEPS) - 1]


def hint_of(campaign: OpenCampaign) -> Hint:
    """Return the hint at the head: the same for the same state.

    It is the next step towards an ending, else towards what is nearest of all that was not found yet, else the first
    suggestion.
    """
    return hint_at(campaign.setting, campaign.store.head())


def guided(setting: Setting, scenario: Mapping[str, Any]) -> Setting:
    """Return a setting whose turns answer a call for a hint, and what the player wants."""

    def nudge(head: Head) -> str:
        """Return the first step of the hint at a head."""
        return hint_at(setting, head).nudge

    def goal(head: Head) -> str:
        """Return what the persona who is played wants."""
        wanted = goal_of(scenario, head.state.player_id, head.state)
        return f"What you want: {wanted}" if wanted else ""

    return replace(setting, nudge=nudge, goal=goal)


def hint_at(setting: Setting, head: Head) -> Hint:
    """Return the hint at a head of a campaign with this setting; see `hint_of`."""
    state = head.state
    if state.ended is not None:
        return Hint(_OVER, _OVER)
    knows = Acquaintance(state, setting.generations, setting.story(head))
    typed = DryRun(setting.rules, setting.generations, scope=player_scope(knows))
    for nudge in open_nudges(setting.rules.nudges, state):
        if nudge.hint:
            return Hint(nudge.hint, nudge.hint, nudge.line)
    next_one = _next_line(setting, knows, typed)
    for line in [next_one] if next_one else head.options:
        attempts = typed.attempts(state, line)
        if attempts:
            return _hint_for(attempts[0].action, line, knows)
    return Hint(_NOTHING, _NOTHING)


def _next_line(setting: Setting, knows: Acquaintance, typed: DryRun) -> str:
    """Return the line of the next step towards an ending, else towards what is nearest; empty where there is none.

    The player's own words, as `typed` reads them, come to it, and it gives no name away that is hidden from them.
    """
    state = knows.state

    def can_be_typed(step: Step) -> bool:
        return not knows.says_unheard(step.line) and typed.try_step(state, step) is not None

    step = find_next_step(DryRun(setting.rules, setting.generations), state, accepts=can_be_typed)
    return "" if step is None else _as_said(step.line, typed, state)


def _as_said(line: str, typed: DryRun, state: WorldState) -> str:
    """Return a line by a way as it is said, `go to the lot`, where that comes to the same."""
    attempts = typed.attempts(state, line) or ()
    to = attempts[0].action.location_id if len(attempts) == 1 else None
    for way in state.exits.get(state.scene.location_id, ()) if to is not None else ():
        said = typed_line("travel", place=place_name(way.name)) if way.to == to else None
        others = () if said is None else typed.attempts(state, said.text) or ()
        if said is not None and [attempt.action for attempt in others] == [attempts[0].action]:
            return said.text
    return line


class HintLadder:
    """The steps that were asked for at one state, for a sitting; once the state moves on, it begins anew."""

    def __init__(self) -> None:
        self._at: tuple[str, int] | None = None
        self._step = 0
        self._hint = Hint("", "")

    def next(self, campaign: OpenCampaign) -> str:
        """Return the next step of the hint at the head."""
        position = campaign.store.position()
        at = (position.turn_id, position.revision)
        if self._at != at:
            self._at, self._step, self._hint = at, 0, hint_of(campaign)
        self._step = min(self._step + 1, STEPS)
        return self._hint.text(self._step)


# An action -> what is said of it. Only names that the player has heard, and topics that they were told of.


def _hint_for(action: Action, line: str, knows: Acquaintance) -> Hint:
    state, verb = knows.shown, verb_of(action.type)
    who = _person(action.target_id, knows)
    topic = _heard_topic(action.words, knows)
    item = action.item_id
    if action.location_id is not None:
        return _onward(action.location_id, line, knows)
    if who and verb is not None and verb.is_pressing:
        about = f" about {topic}" if topic else ""
        return Hint(
            f"Somebody here could be brought to say more{about}.",
            f"{who} will not say it for the asking. There are other ways to ask.",
            line,
        )
    if who and verb is not None and verb.reply == "answer":
        return Hint(
            f"Somebody here knows more{f' of {topic}' if topic else ''} than they have said.",
            f"{who} knows something of {topic}." if topic else f"{who} has not told you everything.",
            line,
        )
    if who and verb is not None and verb.is_speech:
        return Hint(
            "Somebody here waits for a word from you.",
            f"{who} is the one to say it to{f', and it is about {topic}' if topic else ''}.",
            line,
        )
    if who and item is not None:
        thing = _thing(item, state)
        return Hint(
            "Something that you have would mean more to somebody else.",
            f"{who} ought to see {thing}." if thing else f"{who} ought to see what you have.",
            line,
        )
    if verb is not None and verb.grounding == "hidden":
        place = place_name(state.name_of(state.scene.location_id))
        return Hint("There is something here that nobody has shown you.", f"Search {place}, and take your time.", line)
    return _with_things(action, line, knows)


def _with_things(action: Action, line: str, knows: Acquaintance) -> Hint:
    state = knows.shown
    named = next((found for found in (action.target_id, action.item_id) if found in state.entities), None)
    thing = _thing(named, state)
    if named is None or not thing:
        return Hint("It is time to try something else.", "What is wanted now needs nobody and nothing but you.", line)
    if verb_of(action.type) is None:
        return Hint("The next move is yours.", f"{_capital(thing)} is open to you.", line)
    if state.entities[named].type == "door":
        return Hint("One of the doors here deserves another try.", f"{_capital(thing)} is the one.", line)
    if state.entities[named].type == "npc":
        return Hint("Somebody here deserves a second thought.", f"It is {thing}.", line)
    if named in state.held_by(state.player_id):
        return Hint("You have something on you that is good for more.", f"{_capital(thing)} is there to be used.", line)
    return Hint("Something here deserves a closer look.", f"{_capital(thing)} is worth having in your hands.", line)


def _onward(place: str, line: str, knows: Acquaintance) -> Hint:
    name = knows.shown.name_of(place) if place in knows.heard_of() else ""
    nudge = "What you need next is not here."
    if name:
        return Hint(nudge, f"{_capital(place_name(name))} is where to go on.", line)
    ways = [way.name for way in knows.state.exits.get(knows.state.scene.location_id, ()) if way.to == place]
    return Hint(nudge, f"Try the way that is called “{ways[0]}”." if ways else "Try a way that is new.", line)


def _person(who: str | None, knows: Acquaintance) -> str:
    entity = knows.shown.entities.get(who or "")
    return entity.name if entity is not None and entity.type == "npc" and entity.id in knows.state.present() else ""


def _thing(entity_id: str | None, state: WorldState) -> str:
    name = state.name_of(entity_id) if entity_id is not None and entity_id in state.entities else ""
    return with_article(name) if name[:1].islower() else name


def _heard_topic(words: str, knows: Acquaintance) -> str:
    """Return a topic as it is said, if somebody has spoken of it to the player; else nothing."""
    said = words.strip(" ?.!").removeprefix("the ")
    if not said or len(said.split()) > 4 or not knows.story.may_say(said):
        return ""
    return said if said != said.lower() else f"the {said}"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


# The player's goal, and what each clock means.


@dataclass(frozen=True, slots=True)
class ClockMeaning:
    """A clock or a number of the ruleset's scene that the player knows of, where it stands, and what the scenario
    openly says of it: empty where it says nothing."""

    id: str
    title: str
    value: int
    max: int
    means: str = ""

    def text(self) -> str:
        """Return it in a line: `Heat 2/6: how much you are noticed. …`."""
        stands = f"{_capital(self.title)} {self.value}/{self.max}"
        return f"{stands}: {self.means}" if self.means else stands


def player_goal(campaign: OpenCampaign) -> str:
    """Return what the scenario says that the persona who is played wants; empty where it says nothing."""
    state = campaign.store.head().state
    return goal_of(campaign.row.scenario, state.player_id, state)


def clock_meanings(campaign: OpenCampaign) -> tuple[ClockMeaning, ...]:
    """Return the clocks that the player knows of: those of which the scenario says what they mean, and those that have
    moved; then the numbers of the ruleset's scene."""
    scenario, state = campaign.row.scenario, campaign.store.head().state
    written = scenario.get("clocks") or {}
    gauges = scenario.get("gauges") or {}
    found: list[ClockMeaning] = []
    for clock in state.clocks_shown():
        of_scenario = _written_for(clock["id"], written)
        means = str(of_scenario.get("means") or gauges.get(clock["id"], ""))
        is_moved = clock["id"] not in state.clocks or clock["value"] != of_scenario.get("value", 0)
        if means or is_moved:
            found.append(
                ClockMeaning(clock["id"], clock["name"], clock["value"], clock["max"], " ".join(means.split()))
            )
    return tuple(found)


def _written_for(clock_id: str, written: Any) -> Any:
    return next((written[name] for name in (clock_id, local(clock_id)) if name in written), {})


def goal_lines(campaign: OpenCampaign) -> tuple[str, ...]:
    """Return the goal and the clocks in lines, as `/goal` prints them."""
    goal = player_goal(campaign)
    clocks: Iterable[str] = (clock.text() for clock in clock_meanings(campaign))
    return (f"What you want: {goal}" if goal else "Nobody has told you what to want here. Look about.", *clocks)
