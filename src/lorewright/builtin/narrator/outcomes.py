"""One Outcome -> its beats: the scenario's own sentence where there is one, else a group of the grammar."""

from __future__ import annotations

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.authored import ended, is_named_in, lowered, plain, reminder
from lorewright.builtin.narrator.beats import Beat, Slot
from lorewright.builtin.narrator.blocked import blocked_beats
from lorewright.builtin.narrator.claims import claim_beats
from lorewright.builtin.narrator.deeds import deed_beats
from lorewright.builtin.narrator.durations import duration, is_plural
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.hearsay import answer, is_shelf, said_of
from lorewright.builtin.narrator.quotes import evidence_beats, reminder_beat
from lorewright.builtin.narrator.scenery import is_place_look, lore_beat
from lorewright.builtin.narrator.speech import spoken
from lorewright.ids import content_hash
from lorewright.rules.outcomes import Outcome
from lorewright.values.records import Evidence, LoreLine, NarratorInput

# From here on a way or a wait is long.
LONG_MINUTES = 15
LONG_WAIT_MINUTES = 45


def outcome_beats(given: NarratorInput, outcome: Outcome, evidence: list[Evidence]) -> list[Beat]:
    """What came of one attempt and what it brought to light, then what followed by itself; its price comes from
    elsewhere."""
    claimed = claim_beats(given, outcome)
    came = _came_of(given, outcome, evidence) if claimed is None else claimed
    return [*came, *_followed(given, outcome)]


def _followed(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Sentences of the ruleset and the scenario; each is told once."""
    beats = []
    for text in filter(None, map(plain, outcome.then)):
        key = f"say:{content_hash(ended(text))[:12]}"
        if not given.recall.get(key):
            beats.append(Beat("outcome", authored=ended(text), keys=(key,)))
    return beats


def _came_of(given: NarratorInput, outcome: Outcome, evidence: list[Evidence]) -> list[Beat]:
    say = " ".join(ended(text) for part in outcome.say if (text := plain(part)))
    key = f"say:{content_hash(say)[:12]}"
    if given.recall.get(key):
        clause = reminder(say)
        if clause and outcome.code == "acted" and outcome.band is None and not evidence:
            # Nothing came of it but these words, and they are why.
            return [Beat("outcome", "said_before", {}, {"reminder": lowered(clause)})]
        # What was said once so well is not said again: from then on ours will do.
        say, outcome = "", outcome.model_copy(update={"say": ()})
    shown = evidence_beats(given, outcome, evidence)
    if say and outcome.code in ("nothing_found", "found_before"):
        # How the search went is the scenario's to say, that it came to nothing is ours.
        return [Beat("outcome", authored=say, keys=(key,)), *_plain_outcome(given, outcome, evidence)]
    if say:
        return [Beat("outcome", authored=say, keys=(key,)), *shown]
    if shown and outcome.code in ("told", "found", "acted", "deflected", "does_not_know", "nothing_found"):
        return spoken(given, outcome, shown, _reaction(given, outcome))
    return [*_plain_outcome(given, outcome, evidence), *shown]


def _plain_outcome(given: NarratorInput, outcome: Outcome, evidence: list[Evidence]) -> list[Beat]:
    deed = deed_beats(given, outcome)
    if deed is not None:
        return deed
    match outcome.code:
        case "looked":
            return _looked(given, outcome)
        case "moved":
            return [_moved(given, outcome)]
        case "does_not_know":
            return _ignorant(given, outcome)
        case "told" | "deflected":
            return [_answered(given, outcome), *_reaction(given, outcome)]
        case "told_before" | "found_before":
            return [_known(given, outcome, evidence)]
        case "taken":
            return [_taken(given, outcome)]
        case "found" | "nothing_found":
            return [_searched(outcome)]
        case "waited":
            return [_waited(given, outcome)]
        case "blocked":
            return blocked_beats(given, outcome)
        case _:
            return [Beat("outcome", "acted", {"band": outcome.band or "none"})]


def _moved(given: NarratorInput, outcome: Outcome) -> Beat:
    """The way to where one is now; a place on the way is passed."""
    slots = {"place": views.place(given, outcome.location_id), "minutes": duration(outcome.minutes)}
    if outcome.location_id not in (None, given.scene.place_id):
        return Beat("outcome", "passed", slots=slots)
    facts: dict[str, Fact] = {"first": given.scene.first_visit}
    if outcome.minutes >= LONG_MINUTES:
        facts["long"] = True
    return Beat("outcome", "moved", facts, slots)


def _waited(given: NarratorInput, outcome: Outcome) -> Beat:
    """The time that went by, in words."""
    facts: dict[str, Fact] = {"long": outcome.minutes >= LONG_WAIT_MINUTES}
    slots = {"minutes": duration(outcome.minutes), "place": views.place(given)}
    return Beat("outcome", "waited", facts, slots, plural=is_plural(outcome.minutes))


def _looked(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    if is_place_look(given, outcome):
        return [] if given.scene_changed else [_looked_around(given)]
    if outcome.target_id == given.player_id:
        return [Beat("outcome", "looked.self")]
    view = next((view for view in given.scene.people if view.id == outcome.target_id), None)
    if view is not None:
        return _looked_at_person(given, view.id, view.disposition)
    thing = views.thing(given, outcome.target_id)
    if thing:
        said = said_of(given, outcome.target_id, kind="outcome")
        carried: dict[str, Fact] = {"carried": True} if thing in views.carried(given) else {}
        facts = {"kind": "note"} if is_shelf(given) else carried
        return said or [Beat("outcome", "looked.thing", facts, {"thing": thing})]
    return [_looked_at_detail(given, outcome.words)]


def _looked_around(given: NarratorInput) -> Beat:
    scene = given.scene
    lines = scene.atmosphere or scene.overview
    facts: dict[str, Fact] = {}
    if not lines:
        facts = {"bare": True}
    elif not views.unseen(lines, given.recall):
        facts = {"seen": True}
    return Beat("outcome", "looked.place", facts, {"place": views.place(given)})


def _looked_at_person(given: NarratorInput, person_id: str, lines: tuple[LoreLine, ...]) -> list[Beat]:
    who = views.person(given, person_id)
    if who is None:
        return [Beat("outcome", "looked.detail")]
    new = views.unseen(lines, given.recall)[:1]
    said = [] if new else said_of(given, person_id, kind="outcome")
    if said:
        return said
    facts: dict[str, Fact] = {} if new else {"seen": True}
    return [Beat("outcome", "looked.person", facts, {"who": who}), *(lore_beat(line) for line in new)]


def _looked_at_detail(given: NarratorInput, words: str) -> Beat:
    """A line of the place that speaks of it, if there is one; else that there is nothing to see."""
    if words == "inventory":
        return Beat("outcome", "looked.inventory")
    noun = words.split()[-1:]
    lines = [line for line in (*given.scene.atmosphere, *given.scene.overview) if is_named_in(noun, plain(line.text))]
    if lines:
        new = views.unseen(lines, given.recall)
        if new:
            return Beat("outcome", authored=plain(new[0].text), cites=(new[0].chunk_id,), keys=(new[0].key,))
        # It was asked for, and is told again whole.
        return Beat("outcome", "looked.again", authored=plain(lines[0].text), cites=(lines[0].chunk_id,))
    detail = views.detail(words)
    facts: dict[str, Fact] = {"detail": True} if detail else {}
    return Beat("outcome", "looked.detail", facts, {"detail": detail})


def _answered(given: NarratorInput, outcome: Outcome) -> Beat:
    who = views.person(given, outcome.target_id)
    kind, topic = views.topic(given, outcome.words)
    group = "told.bare" if outcome.code == "told" else outcome.code
    if who is None:
        return Beat("outcome", "acted", {"band": outcome.band or "none"})
    if topic and views.folded(topic) == views.folded(who.name):
        kind = "self"
    facts: dict[str, Fact] = {"topic": kind} if outcome.code == "does_not_know" else {}
    return Beat("outcome", group, facts, {"who": who, "topic": topic})


def _ignorant(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """What is passed on of the matter; else that there is no answer, and something of whoever has none."""
    reaction = _reaction(given, outcome)
    if passed_on := answer(given, outcome):
        return [*passed_on, *reaction]
    return [_answered(given, outcome), *(reaction or said_of(given, outcome.target_id, kind="reaction"))]


def _reaction(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """The next thing to be seen of the one who was asked, once."""
    view = next((view for view in given.scene.people if view.id == outcome.target_id), None)
    lines = views.unseen(view.disposition, given.recall)[:1] if view else []
    return [Beat("reaction", authored=plain(one.text), cites=(one.chunk_id,), keys=(one.key,)) for one in lines]


def _known(given: NarratorInput, outcome: Outcome, evidence: list[Evidence]) -> Beat:
    known = next((one for one in evidence if one.known_before), None)
    if known is not None and (known.speaker_id is not None) == (outcome.code == "told_before"):
        return reminder_beat(given, known)
    who = views.person(given, outcome.target_id)
    group = outcome.code if who or outcome.code == "found_before" else "found_before"
    slots: dict[str, Slot] = {"who": who or ""}
    return Beat("outcome", group, {"reminder": False}, slots)


def _taken(given: NarratorInput, outcome: Outcome) -> Beat:
    thing = views.thing(given, outcome.target_id)
    facts: dict[str, Fact] = {"band": outcome.band or "none"}
    return Beat("outcome", "taken" if thing else "acted", facts, {"thing": thing})


def _searched(outcome: Outcome) -> Beat:
    where = views.where(outcome.words)
    if outcome.code == "found":
        return Beat("outcome", "found.bare")
    facts: dict[str, Fact] = {"where": True} if where else {}
    return Beat("outcome", "nothing_found", facts, {"where": where})
