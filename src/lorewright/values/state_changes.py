"""What an extractor answers with: changes of character states that an intention moves."""

from __future__ import annotations

from pydantic import Field

from lorewright.world.frozen import Frozen
from lorewright.world.ops import Json

_SENTENCES = 600


class StateChange(Frozen):
    """A character state that an intention moves; extractors change named states and nothing else. Without a value only
    its level moves; `over` ends it. `confidence` is how sure the extractor is (0 to 1), quite where it does not say."""

    name: str = Field(min_length=1, max_length=80)
    value: Json = None
    level: int | None = Field(default=None, ge=1, le=10)
    over: bool = False
    confidence: float = Field(default=1.0, ge=0, le=1)
    reason: str = Field(default="", max_length=_SENTENCES)


class StateExtractorOutput(Frozen):
    """What the persona extractor and the character extractor answer with; most intentions move nothing."""

    changes: tuple[StateChange, ...] = Field(default=(), max_length=6)
