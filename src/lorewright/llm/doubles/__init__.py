"""Models for tests and rehearsals. They ship with the package: whoever builds on Lorewright tests with them."""

from lorewright.llm.doubles.parrot import ParrotModel
from lorewright.llm.doubles.scripted import ScriptedModel

__all__ = ["ParrotModel", "ScriptedModel"]
