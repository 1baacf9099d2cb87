"""The dice as a tool that a model or a program calls: a request -> what fell, and the seed that throws it again."""

from __future__ import annotations

from pydantic import Field, ValidationError

from lorewright.rules.dice import Dice, parse_dice, roll_with_seed
from lorewright.world.frozen import Frozen

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
