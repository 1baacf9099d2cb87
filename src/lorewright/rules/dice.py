"""Dice: an expression (`2d6+1`) -> a Roll, its numbers derived from who rolls what, when and why.

Every roll has a sub-stream of its own, so that neither the order of rolls nor what else is rolled changes it;
the seed that a Roll carries throws it again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Protocol

from pydantic import Field, ValidationError

from lorewright.ids import canonical_json, content_hash
from lorewright.rules.outcomes import Roll
from lorewright.rules.rulesets import BandName, Ruleset
from lorewright.world.frozen import Frozen

_EXPRESSION = re.compile(r"([0-9]{1,3})d([0-9]{1,4})([+-][0-9]{1,4})?")
_MAX_DICE = 100
_SIDES = range(2, 1001)
_SEED_DIGITS = 32
_SPAN = 2**32


@dataclass(frozen=True, slots=True)
class Throw:
    """So many dice of so many sides, and what the expression itself adds to their sum."""

    dice: int
    sides: int
    bonus: int = 0


class Dice(Protocol):
    """Whatever throws dice. The band is not theirs to say: it depends on the ruleset."""

    def roll(self, expression: str, *, purpose: str, actor_id: str, modifier: int = 0) -> Roll:
        """Throw the expression; `modifier` is added to what the expression adds by itself."""
        ...


def parse_dice(expression: str) -> Throw:
    """`2d6+1` -> two dice of six sides, plus one.

    Raises:
        ValueError: it is not written `NdM`, `NdM+K` or `NdM-K` with N in 1..100 and M in 2..1000.
    """
    match = _EXPRESSION.fullmatch(expression)
    if match is None:
        raise ValueError(f'dice "{expression}": write NdM, NdM+K or NdM-K, as in 2d6+1')
    throw = Throw(dice=int(match[1]), sides=int(match[2]), bonus=int(match[3] or 0))
    if not 1 <= throw.dice <= _MAX_DICE:
        raise ValueError(f'dice "{expression}": 1 to {_MAX_DICE} dice can be thrown, not {throw.dice}')
    if throw.sides not in _SIDES:
        raise ValueError(f'dice "{expression}": a die has 2 to 1000 sides, not {throw.sides}')
    return throw


def band_of(total: int, ruleset: Ruleset) -> BandName:
    """The highest band whose minimum the total reaches; the last one catches everything."""
    return next((band.name for band in ruleset.bands if total >= band.minimum), ruleset.bands[-1].name)


def roll_with_seed(expression: str, seed: str, *, purpose: str, actor_id: str, modifier: int = 0) -> Roll:
    """The throw that belongs to a seed: a stored Roll's fields give that Roll again, but for its band.

    Raises:
        ValueError: the expression is malformed.
    """
    throw = parse_dice(expression)
    numbers = _numbers(seed)
    rolls = tuple(_face(numbers, throw.sides) for _ in range(throw.dice))
    return Roll(
        expression=expression,
        rolls=rolls,
        modifier=modifier,
        total=sum(rolls) + throw.bonus + modifier,
        seed=seed,
        purpose=purpose,
        actor_id=actor_id,
    )


class SeededDice:
    """The dice of one action on one state: the same question always gets the same throw."""

    def __init__(self, campaign_seed: int, state_hash: str, action_id: str) -> None:
        self._key = (campaign_seed, state_hash, action_id)

    def roll(self, expression: str, *, purpose: str, actor_id: str, modifier: int = 0) -> Roll:
        """Throw from the sub-stream of this purpose, actor and expression.

        Raises:
            ValueError: the expression is malformed.
        """
        key = canonical_json([*self._key, purpose, actor_id, expression])
        seed = content_hash(key)[:_SEED_DIGITS]
        return roll_with_seed(expression, seed, purpose=purpose, actor_id=actor_id, modifier=modifier)


class FixedDice:
    """Dice that fall as told, in order: a number is the total (modifiers included), a sequence the faces."""

    def __init__(self, throws: Iterable[int | Sequence[int]]) -> None:
        self._throws = list(throws)

    def roll(self, expression: str, *, purpose: str, actor_id: str, modifier: int = 0) -> Roll:
        """The next throw of the list.

        Raises:
            ValueError: the list is used up, or the expression is malformed.
        """
        bonus = parse_dice(expression).bonus + modifier
        if not self._throws:
            raise ValueError(f"fixed dice: no throw is left for {purpose}")
        given = self._throws.pop(0)
        rolls = (given - bonus,) if isinstance(given, int) else tuple(given)
        return Roll(
            expression=expression,
            rolls=rolls,
            modifier=modifier,
            total=sum(rolls) + bonus,
            seed="fixed",
            purpose=purpose,
            actor_id=actor_id,
        )


def _numbers(seed: str) -> Iterator[int]:
    """Uniform numbers below 2**32, without end."""
    for block in count():
        digest = hashlib.sha256(f"{seed}:{block}".encode()).digest()
        for start in range(0, len(digest), 4):
            yield int.from_bytes(digest[start : start + 4], "big")


def _face(numbers: Iterator[int], sides: int) -> int:
    """One side; numbers from the last multiple of `sides` on are skipped, else low sides come too often."""
    limit = _SPAN - _SPAN % sides
    return next(number for number in numbers if number < limit) % sides + 1


# The dice as a tool that a model or a program calls: a request -> what fell, and the seed that throws it again.

_LONGEST = 200
_SHAPE = '{"expression": "2d6+1", "seed": "any text", "context": {"character_id": "…", "check_type": "…"}}'


class DiceContext(Frozen):
    """For whom and for what is rolled. Both are part of the sub-stream: another check has other dice."""

    character_id: str = Field(default="", max_length=_LONGEST)
    check_type: str = Field(default="", max_length=_LONGEST)


class DiceRequest(Frozen):
    """Dice to be thrown, `NdM`, `NdM+K` or `NdM-K`; with a seed always to the same faces."""

    expression: str = Field(max_length=_LONGEST)
    seed: str | None = Field(default=None, min_length=1, max_length=_LONGEST)
    context: DiceContext = DiceContext()


class DiceResult(Frozen):
    """What fell: `total` is the sum of `rolls` and `modifier`, and the seed throws the same again."""

    total: int
    rolls: tuple[int, ...]
    modifier: int
    expression: str
    seed: str


def roll_dice(request: DiceRequest, dice: Dice) -> DiceResult:
    """Throw the dice that are asked for: by the seed of the request, or else from `dice`, the stream of the action at
    hand; nothing else is drawn from, and nothing is kept.

    Raises:
        ValueError: the expression is none, or of absurd size; the message says what to write.
    """
    expression = "".join(request.expression.split()).lower()
    modifier = parse_dice(expression).bonus
    check, actor = request.context.check_type, request.context.character_id
    if request.seed is None:
        roll = dice.roll(expression, purpose=check, actor_id=actor)
    else:
        roll = roll_with_seed(expression, request.seed, purpose=check, actor_id=actor)
    return DiceResult(
        total=roll.total, rolls=roll.rolls, modifier=modifier + roll.modifier, expression=expression, seed=roll.seed
    )


def read_request(data: object) -> DiceRequest:
    """A request as a model or a program wrote it.

    Raises:
        ValueError: it is none; the message names the field and shows the shape.
    """
    try:
        return DiceRequest.model_validate(data)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the request"
        raise ValueError(f"dice: {where}: {first['msg']}; write {_SHAPE}") from problem
