"""What a stage was given and what it made of it, for the record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from lorewright.llm.model import CallLog

Made = TypeVar("Made", bound=BaseModel)

# The key of a stage that no model is asked for.
BUILTIN = "builtin"


@dataclass(frozen=True, slots=True)
class StageRun(Generic[Made]):
    """What a stage was given and made, for the record; `output` is None where it failed, `log` where no model was
    asked."""

    stage: str
    input_json: str
    output: Made | None
    log: CallLog | None = None
