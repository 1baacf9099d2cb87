"""NarratorInput -> lines of the notes as what people say: of the place, of whom a turn was about, of what is here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.beats import Beat, Kind, Slot
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.parser.naming import is_called
from lorewright.ids import content_hash
from lorewright.rules.outcomes import Outcome
from lorewright.values.records import LoreLine, NarratorInput
from lorewright.world.state import SHELF_TAG

# `Use: …` is an entry of a table, and has a colon too many after a frame with one.
_LABEL = re.compile(r"\W*(?:[\w'’/-]+\s?){1,3}:\s")

# What goes on with the sentence before it, which is not told with it; and what speaks of a person by pronoun alone.
_GOES_ON = re.compile(
    r"(?:However|But|And|Or|So|Thus|Hence|Therefore|Instead|Also|Then|Otherwise|Additionally|Moreover|Furthermore|"
    r"For example|For instance|In addition|That said|Likewise|Similarly|Nevertheless|Still|Yet|See)\b"
)
_OF_SOMEBODY = re.compile(r"(?:He|She|His|Her|Him)\b")


def said_of(given: NarratorInput, entity_id: str | None, *, kind: Kind = "atmosphere") -> list[Beat]:
    """The next line of what is openly known of a place, a person or a thing; empty where all of it was told."""
    name = _name(given, entity_id)
    lines = _unheard(given, entity_id)[:1] if name else []
    facts: dict[str, Fact] = {"kind": _kind(given, entity_id)}
    return [_beat(kind, "known", facts, {"place": name}, line) for line in lines]


def answer(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """What somebody who does not know passes on of what was asked about, as what is said; empty where nothing is."""
    who = views.person(given, outcome.target_id)
    about = next((one for one in given.described if one != outcome.target_id and _is_meant(given, one, outcome)), None)
    lines = _unheard(given, about)[:1]
    if who is None or about is None:
        return []
    slots: dict[str, Slot] = {"who": who, "topic": _name(given, about)}
    return [_beat("evidence", "passed_on", {}, slots, line) for line in lines]


def around(given: NarratorInput) -> Iterator[Beat]:
    """One line of each that is here, of the place first."""
    people = [view.id for view in given.scene.people]
    things = [view.id for view in given.scene.things]
    for entity_id in (given.scene.place_id, *(one for one in given.described if one in (*people, *things))):
        yield from said_of(given, entity_id)


def is_shelf(given: NarratorInput) -> bool:
    """Whether what lies here are notes."""
    return SHELF_TAG in views.place_tags(given)


def _is_meant(given: NarratorInput, entity_id: str, outcome: Outcome) -> bool:
    return is_called(outcome.words, views.name_of(given, entity_id))


def _unheard(given: NarratorInput, entity_id: str | None) -> list[LoreLine]:
    """The lines that were not told before, and whose words were not: notes copy from each other."""
    if entity_id is None:
        return []
    overview = given.scene.overview if entity_id == given.scene.place_id else ()
    lines = (*overview, *given.described.get(entity_id, ()))
    is_person = _kind(given, entity_id) == "person"
    alone = [line for line in lines if not _LABEL.match(line.text) and (is_person or not _OF_SOMEBODY.match(line.text))]
    whole = [line for line in alone if not _GOES_ON.match(line.text)]
    return [line for line in views.unseen(whole, given.recall) if not given.recall.get(_words_key(line))]


def _words_key(line: LoreLine) -> str:
    return f"heard:{content_hash(plain(line.text))[:12]}"


def _name(given: NarratorInput, entity_id: str | None) -> str:
    if entity_id is None or not views.name_of(given, entity_id):
        return ""
    person = views.person(given, entity_id) if _kind(given, entity_id) == "person" else None
    return person.name if person else views.thing(given, entity_id)


def _kind(given: NarratorInput, entity_id: str | None) -> str:
    if any(view.id == entity_id for view in given.scene.people):
        return "person"
    if entity_id == given.scene.place_id:
        return "place"
    return "note" if is_shelf(given) else "thing"


def _beat(kind: Kind, group: str, facts: dict[str, Fact], slots: Mapping[str, Slot], line: LoreLine) -> Beat:
    return Beat(
        kind, group, facts, slots, authored=plain(line.text), cites=(line.chunk_id,), keys=(line.key, _words_key(line))
    )
