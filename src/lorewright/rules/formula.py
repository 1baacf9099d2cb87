"""`1d20 + (10 - shyness) + chemistry` and the numbers of whoever rolls -> the dice, and what is added to them.

The arithmetic is read by `simpleeval`, which walks the expression and knows nothing but what it is handed: whole
numbers, names, `+ - * //` and `min`, `max`, `abs`. Nothing is ever executed.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from simpleeval import InvalidExpression, SimpleEval

from lorewright.rules.dice import parse_dice

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
