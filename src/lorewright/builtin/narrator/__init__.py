"""The built-in narrator: typed facts of a turn -> prose. Authored text is quoted or framed, never rewritten."""

from lorewright.builtin.narrator.narrate import narrate

__all__ = ["narrate"]
