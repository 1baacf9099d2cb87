"""A model's prose, held against what it was shown: nothing is quoted that the player has not learned, nobody is named
who is not known.

The set of names is closed: what the narrator was shown, what the world's people, places and things are called, and
what the narration itself brings in, where the rules take that up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from lorewright.ids import canonical_json
from lorewright.turn.checks.accepting import Accepted
from lorewright.turn.checks.closed_names import unknown_names
from lorewright.turn.stages.narrate.stage import Prose
from lorewright.values.marks import read_marks
from lorewright.values.records import NarratorInput
from lorewright.world.ops import AddEntity
from lorewright.world.state import OFFSTAGE, WorldState

# What of a text quotes what the player has not learned, or None.
Leak = Callable[[str], str | None]


class ProseChecks:
    """The checks of one narration. With `may_introduce` a name that nobody knows is left to be judged once it is known
    what the rules have taken up of the narration."""

    def __init__(self, given: NarratorInput, state: WorldState, leak: Leak, *, may_introduce: bool) -> None:
        self._given = given
        self._state = state
        self._leak = leak
        self.may_introduce = may_introduce

    @cached_property
    def _known(self) -> str:
        """Made where prose is held against it: a built-in narration is not."""
        # JSON writes a line feed as `\n`, whose letter would become part of the word after it.
        shown = canonical_json(self._given.model_dump(mode="json")).replace("\\n", " ")
        return " | ".join((shown, *_names(self._state)))

    def wrong_with(self, prose: Prose) -> str | None:
        """What is wrong with an answer, or None."""
        # A mark between two words must neither hide a quotation nor make a name of the word after it.
        told = read_marks(prose.final_text).text
        return self._leak(told) or (None if self.may_introduce else self.unknown_in(told))

    def unknown_in(self, told: str, record: Accepted | None = None) -> str | None:
        """What is wrong with a text that names somebody or something which is neither known nor among what was taken
        up of it, or None."""
        names = unknown_names(told, shown=" | ".join((self._known, *_introduced(record))))
        return f"it names what it was not shown: {', '.join(names[:5])}; leave the name out" if names else None


def _names(state: WorldState) -> Iterator[str]:
    """What everybody and everything in the world is called, but for whoever has not come into it yet."""
    for _, entity in sorted(state.entities.items()):
        if state.positions.get(entity.id) != OFFSTAGE:
            yield from (entity.name, *entity.aliases)


def _introduced(record: Accepted | None) -> Iterable[str]:
    if record is None:
        return ()
    return [op.entity.name for op in record.accepted if isinstance(op, AddEntity)]
