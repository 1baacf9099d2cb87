"""A line typed in a state -> the patch that the built-in reading, grounding and rules make of it, without a turn.

Reading and grounding of a line depend on little of the state, so they are remembered; dice fall as they are wished.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lorewright.builtin.parser.interpreter import interpret
from lorewright.index.generation import Generation
from lorewright.retrieval.view import generations_in_force, unmet_conditions
from lorewright.rules.actions import Attempt
from lorewright.rules.dice import Dice, FixedDice, parse_dice
from lorewright.rules.patch import Patch, Roll
from lorewright.rules.resolve import play_out
from lorewright.rules.rulesets import BandName, CampaignRules, Ruleset
from lorewright.rules.validate import validate
from lorewright.scene_lore.gather import gather
from lorewright.scene_lore.models import SceneFocus, SceneLore
from lorewright.turn.stages.interpret.finding import as_searches
from lorewright.turn.views.scope import ground, scope_of, ways_out
from lorewright.values.entries import lore_conditions
from lorewright.values.records import InterpreterInput
from lorewright.values.scope import Scope
from lorewright.world.state import OFFSTAGE, WorldState


class BandOutOfReach(Exception):
    """No throw of these dice comes to the band that was wished for."""


class WishedDice:
    """Dice that fall into one band whenever they are thrown, as far as such dice can."""

    def __init__(self, band: BandName, ruleset: Ruleset) -> None:
        self._band = band
        self._ruleset = ruleset

    def roll(self, expression: str, *, purpose: str, actor_id: str, modifier: int = 0) -> Roll:
        """Return the least total of the band.

        Raises:
            BandOutOfReach: the dice and the modifier never come to it.
        """
        throw = parse_dice(expression)
        lowest = throw.dice + throw.bonus + modifier
        highest = throw.dice * throw.sides + throw.bonus + modifier
        above = highest + 1
        for band in self._ruleset.bands:
            total = max(band.minimum, lowest)
            if band.name == self._band and total < min(above, highest + 1):
                return FixedDice([total]).roll(expression, purpose=purpose, actor_id=actor_id, modifier=modifier)
            above = min(above, band.minimum)
        raise BandOutOfReach(f"{expression}{modifier:+d} never is a {self._band}")


@dataclass(frozen=True, slots=True)
class Step:
    """A line, and the band that its dice are to come to where any are thrown."""

    line: str
    band: BandName = "success"

    def __str__(self) -> str:
        return self.line if self.band == "success" else f"{self.line} [{self.band}]"


class DryRun:
    """The rules and packs of a campaign, for lines that are tried on a state and leave nothing behind."""

    def __init__(
        self,
        rules: CampaignRules,
        generations: Sequence[Generation],
        *,
        scope: Callable[[WorldState], Scope] = scope_of,
        lore: Callable[[WorldState], SceneLore] | None = None,
    ) -> None:
        """`scope` returns all that a line can name in a state: without one, everybody and everything with a name.
        `lore` returns all lore of a state's scene, where it was gathered already."""
        self.rules = rules
        self.generations = tuple(generations)
        self._scope = scope
        self._gathered = lore
        self._lore: dict[object, SceneLore] = {}
        self._attempts: dict[object, tuple[Attempt, ...] | None] = {}
        # Many lines are tried in one state.
        self._last: tuple[WorldState, tuple[object, ...], tuple[object, ...]] | None = None

    def attempts(self, state: WorldState, line: str) -> tuple[Attempt, ...] | None:
        """Return the attempts that a line is read and grounded to; None where the line is asked back."""
        # The player tells what they have learned; apart from that, what is learned matters only for items that people
        # keep back.
        is_told = line.startswith("tell ")
        learned = frozenset(item for item in state.learned_by(state.player_id) if is_told or ":withholds#" in item)
        key = (line, learned, *self._surroundings(state))
        if key not in self._attempts:
            self._attempts[key] = self._read(state, line)
        return self._attempts[key]

    def play(
        self, state: WorldState, attempts: tuple[Attempt, ...], dice: Dice, *, turn_no: int | None = None
    ) -> Patch:
        """Return the patch of attempts.

        Raises:
            BandOutOfReach: the dice cannot fall as wished.
        """
        return play_out(attempts, validate(attempts, state, self.rules), state, self.rules, dice, turn_no=turn_no)

    def try_step(self, state: WorldState, step: Step) -> Patch | None:
        """Return the patch of a step; None where it is asked back, refused, or its dice cannot fall so."""
        attempts = self.attempts(state, step.line)
        if attempts is None:
            return None
        try:
            patch = self.play(state, attempts, WishedDice(step.band, self.rules.ruleset))
        except BandOutOfReach:
            return None
        return None if all(outcome.code == "blocked" for outcome in patch.outcomes) else patch

    def lore(self, state: WorldState) -> SceneLore:
        """Return all lore of the state's scene, as a turn gathers it."""
        if self._gathered is not None:
            return self._gathered(state)
        key = self._surroundings(state)[0]
        if key not in self._lore:
            generations = generations_in_force(self.generations, lore_conditions(state))
            self._lore[key] = gather(generations, _focus(state))
        return self._lore[key]

    def _surroundings(self, state: WorldState) -> tuple[tuple[object, ...], tuple[object, ...]]:
        """Return the keys of all that the lore of the scene depends on, and of all that the reading of a line does."""
        if self._last is None or self._last[0] is not state:
            unmet = unmet_conditions(self.generations, lore_conditions(state))
            self._last = (state, (state.scene.location_id, state.present_npcs(), unmet), _in_hand(state))
        return self._last[1:]

    def _read(self, state: WorldState, line: str) -> tuple[Attempt, ...] | None:
        given = InterpreterInput(player_text=line, scope=self._scope(state), verbs=self.rules.ruleset.verbs())
        # Whether an item is found already makes a difference only for what is plainly here as well.
        text = as_searches(given, self.lore(state).discoverable, ())
        reading = interpret(given if text is None else given.model_copy(update={"player_text": text}))
        if reading.unclear is not None:
            return None
        actions = reading.proposed_actions
        return tuple(ground(actions, state, self.lore, self.rules.ruleset, self.generations))


def _focus(state: WorldState) -> SceneFocus:
    return SceneFocus(
        scene_id=state.scene.id,
        location_id=state.scene.location_id,
        present_ids=state.present_npcs(),
        thread_ids=tuple(sorted(state.threads)),
    )


def _in_hand(state: WorldState) -> tuple[object, ...]:
    """Return what else the reading of a line depends on: things in hand and here, ways, doors, who is offstage."""
    held: Mapping[str, int] = state.held_by(state.player_id)
    here: Mapping[str, int] = state.held_by(state.scene.location_id)
    nowhere = frozenset(who for who, where in state.positions.items() if where == OFFSTAGE)
    return (tuple(held.items()), tuple(here.items()), ways_out(state), nowhere)
