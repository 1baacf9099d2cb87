"""Around the acts of others: what shows of them afterwards, and the quiet where nobody acts."""

from __future__ import annotations

from collections.abc import Iterator

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_slots import Actor, actor_of, is_somebody
from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.beats import Beat
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.memory import Memory
from lorewright.builtin.narrator.scenery import lore_beat
from lorewright.builtin.parser.naming import listed
from lorewright.rules.outcomes import Outcome
from lorewright.values.records import NarratorInput

# For so many turns after it was told one does not hear of the quiet again.
_QUIET_TURNS = 4
# Nor in the first ones, when nobody has had much to say yet.
_FIRST_TURNS = 2
_TALK = frozenset(("ask", "tell", "persuade", "threaten", "promise", "recall"))


def after_acts(given: NarratorInput, memory: Memory) -> Iterator[Beat]:
    """What may be added to somebody's act, best first: what shows of it, a line of theirs that is new, the place."""
    if given.ending or not given.acts:
        return
    actor = actor_of(given, given.acts[-1])
    verb = _verb(actor)
    kinds: list[dict[str, Fact]] = [{"verb": verb}, {}] if verb else [{}]
    shown = [actor.beat("filler", "npc.after", facts) for facts in kinds]
    meant = {act.whisper_to for act in given.acts} | {one.target_id for act in given.acts for one in act.outcomes}
    others = [view.id for view in given.scene.people if view.id not in meant | {act.who for act in given.acts}]
    if others and (who := views.person(given, others[given.turn_no % len(others)])):
        shown.insert(given.turn_no % 2, Beat("filler", "npc.bystander", {}, {"who": who}))
    lines = [line for view in given.scene.people if view.id == actor.act.who for line in view.disposition]
    told = " ".join([actor.act.text, *actor.act.say])
    unheard = [line for line in views.unseen(lines, given.recall) if plain(line.text).rstrip(".") not in plain(told)]
    new = [line for line in unheard if memory.age(plain(line.text)) is None]
    theirs = [lore_beat(line) for line in new[:1] if actor.act.who not in _gone(given)]
    yield from [*theirs, *shown] if given.turn_no % 3 == 0 else [*shown, *theirs]
    yield Beat("filler", "still.place", slots={"place": views.place(given)})


def quiet_beats(given: NarratorInput) -> list[Beat]:
    """That nobody of those who could have acted did so: said once, and not again within a few turns."""
    names = [
        one.name for view in given.scene.people if view.id in given.quiet and (one := views.person(given, view.id))
    ]
    meant = {outcome.target_id for outcome in given.outcomes}
    told_lately = any(given.recall.get(f"quiet@{given.turn_no - back}") for back in range(1, _QUIET_TURNS + 1))
    too_soon = told_lately or given.turn_no <= _FIRST_TURNS
    if not names or given.acts or given.scene_changed or given.ending or too_soon or meant & set(given.quiet):
        return []
    slots = {"names": listed(names)}
    return [Beat("quiet", "quiet", {}, slots, plural=len(names) > 1, keys=(f"quiet@{given.turn_no}",))]


def _gone(given: NarratorInput) -> set[str]:
    here = {view.id for view in given.scene.people}
    return {act.who for act in given.acts} - here


def _verb(actor: Actor) -> str:
    """By what shows afterwards: how it went, then what it was; empty for what is like nothing else."""
    act = actor.act
    if act.hidden:
        return "talk"
    if not act.outcomes:
        return ""
    outcome = act.outcomes[-1]
    if outcome.code == "blocked" or (outcome.band == "fail" and outcome.type != "attack"):
        return "fail"
    if outcome.code == "moved":
        return "come" if outcome.location_id == actor.told.scene.place_id else "go"
    if outcome.type == "attack":
        return "fight"
    if outcome.code == "waited":
        return "wait"
    return _of_talk(actor, outcome) if outcome.type in _TALK else ""


def _of_talk(actor: Actor, outcome: Outcome) -> str:
    if outcome.target_id == actor.told.player_id:
        return {"ask": "ask", "tell": "tell"}.get(outcome.type, "")
    return "talk" if is_somebody(actor.told, outcome.target_id) else ""
