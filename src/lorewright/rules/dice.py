"""Dice: an expression (`2d6+1`) -> a Roll, its numbers derived from actor, expression, purpose and time.

Every roll has a sub-stream of its own, so that neither the order of rolls nor other rolls change it; the seed in a Roll
reproduces it.
"""

from __future__ import annotations

import ast
import hashlib
import operator
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Protocol

from pydantic import Field, ValidationError
from simpleeval import InvalidExpression, SimpleEval

from lorewright.ids import canonical_json, content_hash
from lorewright.rules.patch import Roll
from lorewright.rules.rulesets import BandName, Ruleset
from lorewright.world.frozen import Frozen

_EXPRESSION = re.compile(r"([0-9]{1,3})d([0-9]{1,4})([+-][0-9]{1,4})?")
_MAX_DICE = 100
_SIDES = range(2, 1001)
_SEED_DIGITS = 32
_SPAN = 2**32


@dataclass(frozen=True, slots=True)
class Throw:
    """A number of dice, their sides, and the expression's own modifier."""

    dice: int
    sides: int
    bonus: int = 0


class Dice(Protocol):
    """A roller of dice. The band is not its to decide: it depends on the ruleset."""

    def roll(self, expression: str, *, purpose: str, actor_id: str, modifier: int = 0) -> Roll:
        """Roll the expression; `modifier` is added to the expression's own."""
        ...


def parse_dice(expression: str) -> Throw:
    """Parse `2d6+1` into two dice of six sides, plus one.

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
    """Return the highest band whose minimum the total reaches; the last one catches everything."""
    return next((band.name for band in ruleset.bands if total >= band.minimum), ruleset.bands[-1].name)


def roll_with_seed(expression: str, seed: str, *, purpose: str, actor_id: str, modifier: int = 0) -> Roll:
    """Return the roll of a seed: a stored Roll's fields give that Roll again, but for its band.

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
    """The dice of one action on one state: the same question always gets the same roll."""

    def __init__(self, campaign_seed: int, state_hash: str, action_id: str) -> None:
        self._key = (campaign_seed, state_hash, action_id)

    def roll(self, expression: str, *, purpose: str, actor_id: str, modifier: int = 0) -> Roll:
        """Roll from the sub-stream of this purpose, actor and expression.

        Raises:
            ValueError: the expression is malformed.
        """
        key = canonical_json([*self._key, purpose, actor_id, expression])
        seed = content_hash(key)[:_SEED_DIGITS]
        return roll_with_seed(expression, seed, purpose=purpose, actor_id=actor_id, modifier=modifier)


class FixedDice:
    """Dice with given results, in order: a number is the total (modifiers included), a sequence the faces."""

    def __init__(self, throws: Iterable[int | Sequence[int]]) -> None:
        self._throws = list(throws)

    def roll(self, expression: str, *, purpose: str, actor_id: str, modifier: int = 0) -> Roll:
        """Return the next roll of the list.

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
    """Yield uniform numbers below 2**32, without end."""
    for block in count():
        digest = hashlib.sha256(f"{seed}:{block}".encode()).digest()
        for start in range(0, len(digest), 4):
            yield int.from_bytes(digest[start : start + 4], "big")


def _face(numbers: Iterator[int], sides: int) -> int:
    """Return one side; numbers from the last multiple of `sides` on are skipped, else low sides come too often."""
    limit = _SPAN - _SPAN % sides
    return next(number for number in numbers if number < limit) % sides + 1


# Dice tool: a request of a model or program -> the roll, and the seed that reproduces it.

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
    """Roll the dice of a request: by its seed, or else from `dice`, the stream of the current action; no other stream
    is used, and nothing is stored.

    Raises:
        ValueError: the expression is invalid, or of absurd size; the message says what to write.
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
    """Return a request that a model or a program wrote.

    Raises:
        ValueError: it is invalid; the message names the field and shows the shape.
    """
    try:
        return DiceRequest.model_validate(data)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the request"
        raise ValueError(f"dice: {where}: {first['msg']}; write {_SHAPE}") from problem


# Formula: `1d20 + (10 - shyness) + chemistry` and the actor's numbers -> the dice and their modifier. The arithmetic is
# read by `simpleeval`, which walks the expression and knows only what it is given: whole numbers, names, `+ - * //` and
# `min`, `max`, `abs`. Nothing is ever executed.

_BEGINNING = re.compile(r"\s*([0-9]{1,3}d[0-9]{1,4})\s*(?=([+-]|$))")
_MAX_LENGTH = 200
_LARGEST = 10_000
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_FUNCTIONS = {"min": min, "max": max, "abs": abs}
_NODES = (ast.BinOp, ast.UnaryOp, ast.Call, ast.Name, ast.Constant, ast.Load, ast.operator, ast.unaryop)


@dataclass(frozen=True, slots=True)
class Formula:
    """Dice, their modifier as an expression, and the names that it reads, sorted."""

    dice: str
    rest: str
    names: tuple[str, ...]

    def modifier(self, numbers: Mapping[str, int | float]) -> int:
        """Return the modifier of the dice; fractions are cut off towards zero.

        Raises:
            ValueError: a name has no number, something is divided by 0, or the result is beyond ten thousand.
        """
        if not self.rest:
            return 0
        reader = SimpleEval(operators=_OPERATORS, functions=_FUNCTIONS, names=dict(numbers))
        try:
            total = int(reader.eval(f"0 {self.rest}"))
        except (InvalidExpression, ArithmeticError, TypeError, ValueError) as problem:
            raise ValueError(f"{self.dice} {self.rest}: {problem}") from None
        if abs(total) > _LARGEST:
            raise ValueError(f"{self.dice} {self.rest}: {total} is beyond {_LARGEST}")
        return total


@lru_cache(maxsize=256)
def parse_formula(text: str) -> Formula:
    """Parse `1d20 + (10 - shyness) + chemistry` into a Formula.

    Raises:
        ValueError: it does not begin with one throw of dice, or the rest is no arithmetic of names and numbers.
    """
    match = _BEGINNING.match(text)
    if match is None or len(text) > _MAX_LENGTH:
        raise ValueError(
            f'formula "{text[:60]}": write dice, then what is added, as in 1d20 + (10 - shyness) + chemistry'
        )
    parse_dice(match[1])
    rest = text[match.end() :].strip()
    return Formula(match[1], rest, _names(f"0 {rest}", text))


def _names(expression: str, text: str) -> tuple[str, ...]:
    try:
        tree = ast.parse(expression, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f'formula "{text}": what follows the dice is no arithmetic') from None
    called = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree.body):
        if not isinstance(node, _NODES):
            raise ValueError(f'formula "{text}": use names, whole numbers, + - * // ( ), min, max and abs')
        if isinstance(node, ast.Constant) and type(node.value) is not int:
            raise ValueError(f'formula "{text}": {node.value!r} is no whole number')
        if isinstance(node, ast.BinOp | ast.UnaryOp) and type(node.op) not in _OPERATORS:
            raise ValueError(f'formula "{text}": use + - * // and nothing else')
        if isinstance(node, ast.Call) and (not isinstance(node.func, ast.Name) or node.func.id not in _FUNCTIONS):
            raise ValueError(f'formula "{text}": the functions are min, max and abs')
    names = {node.id for node in ast.walk(tree.body) if isinstance(node, ast.Name) and node not in called}
    return tuple(sorted(names))
