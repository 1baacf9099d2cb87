"""Models for tests and rehearsals. They ship with the package: whoever builds on Lorewright tests with them."""

from lorewright.llm.doubles.faults import Fault, Raw
from lorewright.llm.doubles.parrot import ParrotModel
from lorewright.llm.doubles.scripted import ScriptedModel
from lorewright.llm.doubles.server import ModelServer
from lorewright.llm.doubles.tape import TapePlayer, TapeRecorder
from lorewright.llm.doubles.thief import ThiefModel
from lorewright.llm.doubles.wire import Asked, Said, Use

__all__ = [
    "Asked",
    "Fault",
    "ModelServer",
    "ParrotModel",
    "Raw",
    "Said",
    "ScriptedModel",
    "TapePlayer",
    "TapeRecorder",
    "ThiefModel",
    "Use",
]
