"""What a ruleset brings by itself: the consequences of a band, timers that run with the minutes, triggers.

Effects of a ruleset name nobody; `aiming` says whom they are about.
"""

from __future__ import annotations

from collections.abc import Iterator

from lorewright.rules.actions import Action
from lorewright.rules.aiming import aimed, by_itself
from lorewright.rules.dice import Dice
from lorewright.rules.judge import holds
from lorewright.rules.mechanics import BandName, Trigger, Turning
from lorewright.rules.patch import Patch
from lorewright.rules.rulesets import Ruleset
from lorewright.world.ops import Decrement, Increment
from lorewright.world.state import WorldState

# A trigger may bring about what another waits for; a circle of them ends here.
_MAX_ROUNDS = 20


def rules_by_itself(ruleset: Ruleset, band: BandName) -> bool:
    """Whether the ruleset says what the band brings, so that no other price is exacted."""
    return band in ruleset.consequences


def enact_consequences(patch: Patch, ruleset: Ruleset, band: BandName, stat: str | None, action: Action) -> None:
    """The effects of the band: the ruleset's own, then those of the stat that was rolled for."""
    own = ruleset.stats[stat].effects.get(band, ()) if stat in ruleset.stats and stat is not None else ()
    patch.enact(aimed((*ruleset.consequences.get(band, ()), *own), patch.state, action, stat), how="found")


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
    patch.enact(aimed(effects, patch.state, by_itself(action, patch.state), None), how="found")
    yield from (text for text in (trigger.say, turning.say if turning else "") if text)


def _turning(patch: Patch, trigger: Trigger, action: Action, dice: Dice) -> Turning | None:
    """One of those that are open: by a die where there are several."""
    choices = [one for one in trigger.turnings if one.when is None or holds(one.when, patch.state)]
    if len(choices) < 2:
        return next(iter(choices), None)
    roll = dice.roll(f"1d{len(choices)}", purpose=f"trigger:{trigger.id}", actor_id=action.actor_id)
    patch.rolls.append(roll)
    return choices[(roll.total - 1) % len(choices)]
