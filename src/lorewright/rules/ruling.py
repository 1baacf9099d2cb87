"""What a ruleset brings by itself: the consequences of a band, timers that run with the minutes, triggers.

Effects of a ruleset name nobody: `target` is whom the attempt was aimed at, `somebody` whoever else is there (the
target before others). An effect that is about nobody who is there is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lorewright.rules.actions import Action
from lorewright.rules.dice import Dice
from lorewright.rules.effects import Effect
from lorewright.rules.judge import holds
from lorewright.rules.mechanics import BandName, Trigger, Turning
from lorewright.rules.patch import Patch
from lorewright.rules.reach import is_person
from lorewright.rules.rulesets import Ruleset
from lorewright.world.ops import Decrement, Increment
from lorewright.world.state import WorldState

TARGET, SOMEBODY, THE_STAT = "target", "somebody", "$stat"
# A trigger may bring about what another waits for; a circle of them ends here.
_MAX_ROUNDS = 20


def rules_by_itself(ruleset: Ruleset, band: BandName) -> bool:
    """Whether the ruleset says what the band brings, so that no other price is exacted."""
    return band in ruleset.consequences


def enact_consequences(patch: Patch, ruleset: Ruleset, band: BandName, stat: str | None, action: Action) -> None:
    """The effects of the band: the ruleset's own, then those of the stat that was rolled for."""
    own = ruleset.stats[stat].effects.get(band, ()) if stat in ruleset.stats and stat is not None else ()
    patch.enact(_aimed((*ruleset.consequences.get(band, ()), *own), patch.state, action, stat), how="found")


def sentence_of(ruleset: Ruleset, band: BandName, stat: str | None, total: int) -> tuple[str, ...]:
    """One of the stat's sentences for the band, by the total of the dice; none where it has none."""
    if stat is None or stat not in ruleset.stats:
        return ()
    lines = ruleset.stats[stat].say.get(band) or (ruleset.stats[stat].say.get("success") if band == "critical" else ())
    return (lines[total % len(lines)],) if lines else ()


def run_timers(patch: Patch, before: WorldState, ruleset: Ruleset) -> None:
    """Move the numbers that run with the minutes by those that have passed since `before`."""
    passed = patch.state.minutes - before.minutes
    if not passed or patch.state.ruleset is None:
        return
    for path, each in sorted(ruleset.timers.items()):
        by = abs(each) * passed
        patch.do(Increment(path=path, value=by) if each > 0 else Decrement(path=path, value=by))


def fire_triggers(patch: Patch, before: WorldState, ruleset: Ruleset, action: Action, dice: Dice) -> tuple[str, ...]:
    """Enact every trigger whose condition did not hold in `before` and holds now, and those that this sets off.

    Returns the sentences of what happened. Stops once the campaign has ended.
    """
    said: list[str] = []
    for _ in range(_MAX_ROUNDS):
        due = [one for one in ruleset.triggers if not holds(one.when, before) and holds(one.when, patch.state)]
        before = patch.state
        for trigger in due:
            if patch.state.ended is None:
                said += _fire(patch, trigger, action, dice)
        if not due:
            break
    return tuple(said)


def _fire(patch: Patch, trigger: Trigger, action: Action, dice: Dice) -> Iterator[str]:
    turning = _turning(patch, trigger, action, dice)
    patch.tell("triggered", trigger=trigger.id, **({} if turning is None else {"turning": turning.id}))
    effects = (*(turning.effects if turning else ()), *trigger.effects)
    patch.enact(_aimed(effects, patch.state, action, None), how="found")
    yield from (text for text in (trigger.say, turning.say if turning else "") if text)


def _turning(patch: Patch, trigger: Trigger, action: Action, dice: Dice) -> Turning | None:
    """One of those that are open: by a die where there are several."""
    choices = [one for one in trigger.turnings if one.when is None or holds(one.when, patch.state)]
    if len(choices) < 2:
        return next(iter(choices), None)
    roll = dice.roll(f"1d{len(choices)}", purpose=f"trigger:{trigger.id}", actor_id=action.actor_id)
    patch.rolls.append(roll)
    return choices[(roll.total - 1) % len(choices)]


def _aimed(effects: Iterable[Effect], state: WorldState, action: Action, stat: str | None) -> Iterator[Effect]:
    """The effects with whoever is meant in place of `target`, `somebody` and `$stat`."""
    here = state.present_npcs()
    target = action.target_id if is_person(action.target_id, state) and action.target_id in here else None
    meant = {TARGET: target, SOMEBODY: target or next(iter(here), None), THE_STAT: stat}
    for effect in effects:
        given = {name: getattr(effect, name) for name in type(effect).model_fields}
        named = {name: _replaced(value, meant) for name, value in given.items() if _names(value, meant)}
        if not any(_names(value, {None: None}) for value in named.values()):
            yield effect.model_copy(update=named) if named else effect


def _names(value: object, meant: dict[str, str | None] | dict[None, None]) -> bool:
    parts = value if isinstance(value, tuple) else (value,)
    return any((part is None or isinstance(part, str)) and part in meant for part in parts)


def _replaced(value: object, meant: dict[str, str | None]) -> object:
    if isinstance(value, tuple):
        return tuple(meant.get(part, part) for part in value)
    return meant.get(value, value) if isinstance(value, str) else value
