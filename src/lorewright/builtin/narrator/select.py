"""NarratorInput -> beats in the order of events: each attempt, the place, who moved, how near the clocks are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lorewright.builtin.narrator.acts import act_beats, items_of_acts
from lorewright.builtin.narrator.asides import after_acts, quiet_beats
from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.beats import Beat
from lorewright.builtin.narrator.changes import gains, movements, pressure, prices
from lorewright.builtin.narrator.claims import other_claims
from lorewright.builtin.narrator.fillers import fillers, lore_left
from lorewright.builtin.narrator.memory import Memory
from lorewright.builtin.narrator.outcomes import outcome_beats
from lorewright.builtin.narrator.plan import is_round_of_another
from lorewright.builtin.narrator.quotes import stray_beat
from lorewright.builtin.narrator.scenery import scene_beats
from lorewright.rules.outcomes import Outcome
from lorewright.values.records import Evidence, NarratorInput


@dataclass(frozen=True, slots=True)
class Selection:
    """The beats to tell, and those that may fill a telling that is too short, best first."""

    beats: tuple[Beat, ...]
    spare: tuple[Beat, ...]


def select(given: NarratorInput, memory: Memory) -> Selection:
    """Everything that could be told of the turn, and nothing that is not in the input."""
    beats = [
        *_attempts(given),
        *other_claims(given),
        *gains(given),
        *scene_beats(given, memory),
        *movements(given),
        *_strays(given),
        *pressure(given),
    ]
    acts = list(act_beats(given, memory))
    beats = _once(beats)
    is_anothers = is_round_of_another(given)
    if not given.ending and not is_anothers and not any(beat.cites for beat in beats) and _wants_lore(given):
        beats += list(lore_left(given, [*beats, *acts]))[:1]
    beats = _once([*beats, *acts, *quiet_beats(given)])
    if given.ending and plain(given.ending):
        beats.append(Beat("ending", authored=plain(given.ending), starts_paragraph=True))
    return Selection(tuple(beats), tuple(after_acts(given, memory) if is_anothers else fillers(given, beats)))


def _attempts(given: NarratorInput) -> Iterator[Beat]:
    """The outcomes in their order, each in a paragraph of its own; the price after the one that cost it."""
    costly = next((outcome for outcome in given.outcomes if outcome.band in ("mixed", "fail")), None)
    for number, outcome in enumerate(given.outcomes):
        beats = outcome_beats(given, outcome, _evidence_of(given, outcome))
        if outcome is costly:
            beats += prices(given)
        if number and beats:
            beats[0] = replace(beats[0], starts_paragraph=True)
        yield from beats
    if costly is None:
        yield from prices(given)


def _evidence_of(given: NarratorInput, outcome: Outcome) -> list[Evidence]:
    wanted = (*outcome.item_ids, *outcome.known_item_ids)
    return [evidence for evidence in given.evidence if evidence.item_id in wanted and plain(evidence.text)]


def _wants_lore(given: NarratorInput) -> bool:
    """Whether a turn that rests on no note shall tell a line of one: a look or a search always, others every second
    time."""
    return given.turn_no % 2 == 0 or any(one.code in ("looked", "nothing_found") for one in given.outcomes)


def _once(beats: list[Beat]) -> list[Beat]:
    """The beats without those that would tell a lore line a second time."""
    told: set[str] = set()
    kept = []
    for beat in beats:
        if not told.intersection(beat.keys):
            kept.append(beat)
        told.update(beat.keys)
    return kept


def _strays(given: NarratorInput) -> Iterator[Beat]:
    told = {item for outcome in given.outcomes for item in (*outcome.item_ids, *outcome.known_item_ids)}
    told |= items_of_acts(given)
    for evidence in given.evidence:
        if evidence.item_id not in told and not evidence.known_before and plain(evidence.text):
            yield stray_beat(given, evidence)
