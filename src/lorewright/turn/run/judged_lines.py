"""A line that a player may type, and a state -> whether it brings anything, by the rules themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.scenery import unheard
from lorewright.builtin.words.clauses import is_called
from lorewright.ids import holder_of
from lorewright.retrieval.view import generations_in_force
from lorewright.rules.actions import Action, Attempt
from lorewright.rules.patch import Patch, TriedAction, TriedRound
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import TypedLine
from lorewright.scene_lore.gather import are_linked, described
from lorewright.scene_lore.models import SceneItem
from lorewright.turn.run.dry_run import BandOutOfReach, DryRun, Step, WishedDice
from lorewright.turn.views.scope import in_steps, role_of_item
from lorewright.values.entries import lore_conditions
from lorewright.values.same import Same
from lorewright.world.state import Thread, WorldState

Kind = Literal["social", "physical", "onward"]

# So often somebody or something is looked at by suggestions; players who want to see more go on looking.
_LOOKS = 2
# Answers that bring nothing, so that the same is not offered again.
_IN_VAIN = frozenset(
    {"does_not_know", "told_before", "deflected", "nothing_found", "found_before", "blocked", "heard_before", "acted"}
)
# A thread is looked into while it has this status.
_OPEN = Thread.model_fields["status"].default


@dataclass(frozen=True, slots=True)
class PayingLine:
    """A line that brings something: `certain` where no dice are thrown for it, `tied` where it is about what the story
    is about, `at_once` unless it only leads to where something is; `ends` where the story ends with it."""

    kind: Kind
    text: str
    certain: bool = True
    tied: bool = False
    at_once: bool = True
    ends: bool = False

    @property
    def rank(self) -> tuple[bool, bool, bool, bool]:
        """Return a key that sorts the best first."""
        return (self.ends, not self.at_once, not self.tied, not self.certain)


class LineJudge:
    """Judges the lines of one state. `told` are the texts that the player was told, `tried` the actions of their
    rounds, in order."""

    def __init__(self, run: DryRun, state: WorldState, told: Sequence[str], tried: Sequence[TriedRound]) -> None:
        self._run = run
        self._state = state
        self._told = "\n".join(told)
        own = [action for round_ in tried for action in round_ if action.actor_id == state.player_id]
        self._vain = {_key_of(action) for action in own if action.code in _IN_VAIN and not action.has_taught}
        self._looks = Counter(action.target_id for action in own if action.code == "looked")
        self._rolled = {(action.rolled_for, action.target_id) for action in own if action.rolled_for is not None}
        # Who put the player off -> the words of the questions, in order.
        self.put_off: dict[str, list[str]] = {}
        for action in own:
            if action.code == "deflected" and action.target_id is not None and action.words:
                self.put_off.setdefault(action.target_id, []).append(action.words)
        threads = [thread for thread in state.threads.values() if thread.status == _OPEN]
        self._related = {entity_id for thread in threads for entity_id in thread.related_entity_ids}
        self._in_force = generations_in_force(run.generations, lore_conditions(state))
        self._asked_about = _ids_in(Same(run.rules))

    def pays(self, kind: Kind, line: TypedLine | None) -> PayingLine | None:
        """Return the line if it brings a reveal, a place, a person, a change or words that were not told yet, and does
        not end the story; None where it does not, or was tried in vain."""
        attempts = self._attempts(line)
        if line is None or not attempts or any(_key_of(attempt.action) in self._vain for attempt in attempts):
            return None
        patch = self._run.try_step(self._state, Step(line.text))
        if patch is None or patch.state.ended is not None or not self._may_be_rolled(line, patch, attempts):
            return None
        learned = patch.state.learned_by(self._state.player_id) - self._state.learned_by(self._state.player_id)
        if any(role_of_item(item) == "withholds" and holder_of(item) not in self.put_off for item in learned):
            return None
        changed = _changes(self._state, patch.state)
        if not learned and not changed and not self._says_new(patch) and not self._passes_on(patch):
            return None
        tied = bool(changed & {"threads"}) or any(self._is_tied(item) for item in learned)
        tied = tied or (
            "things" in changed and any(thing in self._asked_about for thing in _gained(self._state, patch))
        )
        return PayingLine(kind, line.text, certain=not patch.rolls, tied=tied)

    def has_more_to_tell(self, entity_id: str) -> bool:
        """Tell whether packs openly say something of an entity that was not told yet."""
        found = described(self._in_force, (entity_id,)).get(entity_id, ())
        return bool(unheard(found, self._state.recall, is_person=entity_id in self._state.present()))

    def would_pass_on(self, who: str, about: str) -> bool:
        """Tell whether somebody who knows nothing of an entity passes on what is said of it: it is near, or tied to
        them or to the place."""
        state, here = self._state, self._state.scene.location_id
        near = {here, *state.present(), *state.held_by(here), *(way.to for way in state.exits.get(here, ()))}
        return about in near or any(are_linked(self._run.generations, about, tie) for tie in (who, here))

    def _passes_on(self, patch: Patch) -> bool:
        """Tell whether a question that is not answered is answered by hearsay."""
        for outcome in patch.outcomes:
            if outcome.code != "does_not_know" or outcome.target_id is None or outcome.item_ids:
                continue
            named = [
                entity.id
                for entity in self._state.entities.values()
                if entity.id != outcome.target_id and is_called(outcome.words, entity.name)
            ]
            if any(self.has_more_to_tell(who) and self.would_pass_on(outcome.target_id, who) for who in named):
                return True
        return False

    def shows(self, line: TypedLine | None, target: str | None) -> PayingLine | None:
        """Return a look that shows something new, unless it was taken often enough."""
        attempts = self._attempts(line)
        if line is None or len(attempts) != 1 or self._looks[target] >= _LOOKS:
            return None
        is_meant = attempts[0].action.target_id in (target, self._state.scene.location_id if target is None else target)
        return PayingLine("physical", line.text) if is_meant else None

    def leads(self, line: TypedLine | None, place: str, *, at_once: bool) -> PayingLine | None:
        """Return a line that leads to a place."""
        attempts = self._attempts(line)
        if line is None or len(attempts) != 1 or attempts[0].action.location_id != place:
            return None
        steps = in_steps([attempts[0].action], self._state, self._run.rules.ruleset)
        walked = tuple(map(Attempt.of, steps))
        try:
            patch = self._run.play(self._state, walked, WishedDice("success", self._run.rules.ruleset))
        except BandOutOfReach:
            return None
        if patch.state.scene.location_id != place or not self._may_be_rolled(line, patch, walked):
            return None
        ends = patch.state.ended is not None
        return PayingLine("onward", line.text, certain=not patch.rolls, at_once=at_once, ends=ends)

    def is_item_tied(self, item: SceneItem) -> bool:
        """Tell whether an item has to do with an open thread, or a rule of the scenario asks whether it was learned."""
        names = {self._state.name_of(entity_id) for entity_id in self._related}
        return self._is_tied(item.id) or not names.isdisjoint(item.topics)

    def _is_tied(self, item_id: str) -> bool:
        return item_id in self._asked_about or holder_of(item_id) in self._related

    def _attempts(self, line: TypedLine | None) -> tuple[Attempt, ...]:
        """Return what the line is read as; nothing where the ruleset has no such action, or it is asked back."""
        if line is None or self._run.rules.ruleset.find_row(line.verb) is None:
            return ()
        return self._run.attempts(self._state, line.text) or ()

    def _may_be_rolled(self, line: TypedLine, patch: Patch, attempts: Sequence[Attempt]) -> bool:
        """Tell whether the dice for a line were not thrown before, and no throw of them ends the story."""
        if not patch.rolls:
            return True
        target = attempts[0].action.target_id
        if any((roll.purpose, target) in self._rolled for roll in patch.rolls):
            return False
        failed = self._run.try_step(self._state, Step(line.text, "fail"))
        return failed is None or failed.state.ended is None

    def _says_new(self, patch: Patch) -> bool:
        said = (text for outcome in patch.outcomes for text in (*outcome.say, *outcome.then))
        return any(plain(text) not in self._told for text in said)


def _key_of(tried: Action | TriedAction) -> tuple[str, str | None, str | None, str]:
    return (tried.type, tried.target_id, tried.item_id, _bare(tried.words))


# All that was tried in a story is looked at in every turn.
@lru_cache(maxsize=16_384)
def _bare(words: str) -> str:
    return " ".join(words.casefold().removeprefix("the ").split())


def _changes(before: WorldState, after: WorldState) -> set[str]:
    """Return what differs for the player: neither time nor clocks nor anybody's regard."""
    player = before.player_id
    pairs = {
        "things": (before.held_by(player), after.held_by(player)),
        "doors": (dict(before.doors), dict(after.doors)),
        "threads": (dict(before.threads), dict(after.threads)),
        "facts": (set(before.facts), set(after.facts)),
        "conditions": (before.conditions_of(player), after.conditions_of(player)),
        "places": (set(before.visits), set(after.visits)),
        "ways": (dict(before.exits), dict(after.exits)),
    }
    changed = {name for name, (was, is_now) in pairs.items() if was != is_now}
    # Of those who come and go only arrivals are worth a line.
    return changed | ({"people"} if set(after.present()) - set(before.present()) else set())


def _gained(before: WorldState, patch: Patch) -> set[str]:
    player = before.player_id
    return set(patch.state.held_by(player)) - set(before.held_by(player))


# A service holds so many games open.
@lru_cache(maxsize=64)
def _ids_in(rules: Same[CampaignRules]) -> frozenset[str]:
    """Return the IDs that the conditions and triggers of a scenario's rules and endings name."""
    asked: list[object] = [rule.on.model_dump() for rule in rules.value.rules]
    asked += [rule.when.model_dump() for rule in rules.value.rules if rule.when is not None]
    asked += [ending.when.model_dump() for ending in rules.value.endings if ending.when is not None]
    asked += [list(inquiry.clues) for inquiry in rules.value.inquiries.values()]
    return frozenset((*_strings(asked), *rules.value.on_find))


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    return [text for part in parts for text in _strings(part)]
