"""The place -> beats: its atmosphere line by line, who is here, what lies here, the ways out."""

from __future__ import annotations

from collections.abc import Iterator

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.beats import Beat
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.hearsay import around, is_shelf, said_of
from lorewright.builtin.narrator.memory import Memory
from lorewright.builtin.parser.naming import listed
from lorewright.rules.outcomes import Outcome
from lorewright.values.records import LoreLine, NarratorInput

# For so many tellings one keeps in mind who is here, and where the ways lead.
_PEOPLE_KEPT = 2
_LISTS_KEPT = 10


def scene_beats(given: NarratorInput, memory: Memory) -> Iterator[Beat]:
    """On a first visit all of it, after a return who is there, on a look the next line that was not told before.

    Who is here and where the ways lead is not told again as long as it is in the ear.
    """
    looks = any(is_place_look(given, outcome) for outcome in given.outcomes)
    if not given.scene_changed and not looks:
        return
    if given.scene_changed and not any(outcome.code == "moved" for outcome in given.outcomes):
        yield Beat("lead", "lead", slots={"place": views.place(given)})
    is_first = given.scene_changed and given.scene.first_visit
    if is_first or looks:
        yield from atmosphere(given, limit=2 if is_first else 1)
    if given.scene_changed or not memory.holds_all(_names_here(given), last=_PEOPLE_KEPT):
        yield from people(given)
    if is_first or looks:
        yield from (beat for beat in things(given) if is_first or not _is_told(beat, memory))
        yield from (beat for beat in exits(given) if is_first or not _is_told(beat, memory))


def _names_here(given: NarratorInput) -> list[str]:
    return [one.name for view in given.scene.people if (one := views.person(given, view.id))]


def _is_told(beat: Beat, memory: Memory) -> bool:
    """Whether the very list stands in one of the last tellings."""
    return memory.holds_all([str(beat.slots["list"])], last=_LISTS_KEPT)


def is_place_look(given: NarratorInput, outcome: Outcome) -> bool:
    """Whether the place itself was looked at."""
    if outcome.code != "looked":
        return False
    return outcome.target_id == given.scene.place_id or (outcome.target_id is None and not outcome.words)


def atmosphere(given: NarratorInput, *, limit: int) -> list[Beat]:
    """The next lines that were not told before; where a place has none left, what is said of it or of what is here."""
    if given.scene.atmosphere:
        new = views.unseen(given.scene.atmosphere, given.recall)[:limit]
        return [lore_beat(line) for line in new] or said_of(given, given.scene.place_id)
    return next(([beat] for beat in around(given)), [])


def lore_beat(line: LoreLine) -> Beat:
    """An authored line as a sentence of its own."""
    return Beat("atmosphere", authored=plain(line.text), cites=(line.chunk_id,), keys=(line.key,))


def people(given: NarratorInput) -> list[Beat]:
    """Who is here, all but those whose arrival is told."""
    came = {movement.entity_id for movement in given.movements if movement.kind == "arrival"}
    found = [views.person(given, view.id) for view in given.scene.people if view.id not in came]
    names = [one.name for one in found if one]
    if not names:
        # That the last one has just gone says as much, and on a shelf nobody is looked for.
        return (
            []
            if given.movements or is_shelf(given)
            else [Beat("people", "people.none", slots={"place": views.place(given)})]
        )
    facts: dict[str, Fact] = {"one": len(names) == 1}
    return [Beat("people", "people", facts, {"list": listed(names, limit=6)}, plural=len(names) > 1)]


def things(given: NarratorInput) -> list[Beat]:
    """What lies here."""
    names = [name for view in given.scene.things if (name := views.thing(given, view.id))]
    facts: dict[str, Fact] = {"kind": "note"} if is_shelf(given) else {}
    beat = Beat("things", "things", facts, {"list": listed(names, limit=6)}, plural=len(names) > 1)
    return [beat] if names else []


def exits(given: NarratorInput) -> list[Beat]:
    """The ways out."""
    names = views.exit_names(given.scene.exits)
    facts = {"one": len(names) == 1}
    beat = Beat("exits", "exits", facts, {"list": listed(names, limit=5)}, plural=len(names) > 1)
    return [beat] if names else []
