"""Models for tests and rehearsals. They ship with the package: whoever builds on Lorewright tests with them."""

from lorewright.llm.doubles.parrot import ParrotModel
from lorewright.llm.doubles.scripted import ScriptedModel
from lorewright.llm.doubles.server import Fault, ModelServer
from lorewright.llm.doubles.tape import TapePlayer, TapeRecorder
from lorewright.llm.doubles.wire import Asked, Said, Use

__all__ = [
    "Asked",
    "Fault",
    "ModelServer",
    "ParrotModel",
    "Said",
    "ScriptedModel",
    "TapePlayer",
    "TapeRecorder",
    "Use",
]
