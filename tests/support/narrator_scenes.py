"""What the narrator is given in its tests: a bar, the people in it, and what came of an attempt."""

from __future__ import annotations

from typing import Any

from lorewright.builtin.narrator import narrate
from lorewright.rules.patch import ActionResult, Outcome
from lorewright.values.records import (
    Evidence,
    LoreLine,
    NarratorInput,
    NarratorOutput,
    PersonView,
    PlannerOutput,
    SceneView,
    ThingView,
)
from lorewright.values.scope import WayOut

ATMOSPHERE = (
    LoreLine(
        key="lore:a1", text="Neon bleeds through the *slats* and pools on the floor.", chunk_id="p:bar:atmosphere"
    ),
    LoreLine(key="lore:a2", text="The regulars keep their backs to the wall.", chunk_id="p:bar:atmosphere"),
    LoreLine(key="lore:a3", text="A paper dragon turns under the ceiling fan.", chunk_id="p:bar:atmosphere"),
)
DISPOSITION = (
    LoreLine(key="lore:d1", text="He wipes the same glass for a long time.", chunk_id="p:viktor:disposition"),
    LoreLine(key="lore:d2", text="He does not look up.", chunk_id="p:viktor:disposition"),
)
PIER = Evidence(
    item_id="p:viktor:knows#pier9",
    chunk_id="p:viktor:knows",
    text="Jin's last run was to **Pier 9**, the old cold store, two nights before she stopped answering.",
    how="told",
    speaker_id="p:viktor",
)
UNIT = Evidence(
    item_id="p:bar:discoverable#unit",
    chunk_id="p:bar:discoverable",
    text="Jin's backup comm unit, stashed last week",
    how="found",
)
NAMES = {
    "c:jo": "Jo",
    "p:bar": "The Neon Dragon",
    "p:viktor": "Viktor",
    "p:chen": "Agent Chen",
    "p:jin": "Jin",
    "p:unit": "backup comm unit",
    "p:steel_door": "steel door",
    "p:alley": "Back Alley",
    "p:pier_9": "Pier 9",
}
VIKTOR = PersonView(id="p:viktor", name="Viktor", pronoun="he", disposition=DISPOSITION)
BAR = SceneView(
    place_id="p:bar",
    place_name="The Neon Dragon",
    first_visit=False,
    atmosphere=ATMOSPHERE,
    people=(VIKTOR,),
    things=(ThingView(id="p:unit", name="backup comm unit"),),
    exits=(
        WayOut(name="alley", to="p:alley", to_name="Back Alley", door="p:steel_door"),
        WayOut(name="street", to="p:market", to_name="Night Market", minutes=5),
    ),
)


def outcome(code: str, **fields: Any) -> Outcome:
    """An outcome of the player's first attempt."""
    kinds = {"looked": "look", "moved": "go", "taken": "take", "waited": "wait", "acted": "take", "blocked": "go"}
    searched = code in ("found", "found_before", "nothing_found")
    kind = fields.pop("type", "search" if searched else kinds.get(code, "ask"))
    return Outcome.model_validate({"action_index": 0, "actor_id": "c:jo", "type": kind, "code": code, **fields})


def given(*outcomes: Outcome, **fields: Any) -> NarratorInput:
    """The narrator's input after these outcomes, in the bar unless said otherwise."""
    results = [
        ActionResult(action_index=o.action_index, success=o.code != "blocked", reason=o.reason) for o in outcomes
    ]
    base = {
        "player_text": "",
        "player_id": "c:jo",
        "outcomes": outcomes,
        "results": tuple(results),
        "plan": PlannerOutput(),
        "scene": BAR,
        "scene_changed": False,
        "names": NAMES,
        "seed": "seed",
    }
    return NarratorInput.model_validate({**base, **fields})


def after(recall: dict[str, int], told: NarratorOutput) -> dict[str, int]:
    """The branch's memory after one more telling."""
    counts = dict(recall)
    for key in told.recall:
        counts[key] = counts.get(key, 0) + 1
    return counts


def played(turns: list[NarratorInput]) -> list[NarratorOutput]:
    """Turns told one after the other, each remembering those before it; turn numbers count from 1."""
    recall: dict[str, int] = {}
    told: list[NarratorOutput] = []
    for number, turn in enumerate(turns, start=1):
        recent = tuple(one.final_text for one in told[-12:])
        told.append(narrate(turn.model_copy(update={"recall": recall, "recent": recent, "turn_no": number})))
        recall = after(recall, told[-1])
    return told
