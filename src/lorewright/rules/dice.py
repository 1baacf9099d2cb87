"""Dice: an expression (`2d6+1`) -> a Roll, its numbers derived from who rolls what, when and why.

Every roll has a sub-stream of its own, so that neither the order of rolls nor what else is rolled changes it;
the seed that a Roll carries throws it again.
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


# `1d20 + (10 - shyness) + chemistry` and the numbers of whoever rolls -> the dice, and what is added to them.
#
# The arithmetic is read by `simpleeval`, which walks the expression and knows nothing but what it is handed: whole
# numbers, names, `+ - * //` and `min`, `max`, `abs`. Nothing is ever executed.

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
    """Dice, what is added to them as an expression, and the names that it reads, sorted."""

    dice: str
    rest: str
    names: tuple[str, ...]

    def modifier(self, numbers: Mapping[str, int | float]) -> int:
        """What is added to the dice; fractions are cut off towards zero.

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
    """`1d20 + (10 - shyness) + chemistry` -> Formula.

    Raises:
        ValueError: it does not begin with one throw of dice, or what follows is no arithmetic of names and numbers.
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
