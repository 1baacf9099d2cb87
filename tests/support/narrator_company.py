"""Who acts of their own accord in the narrator's tests: a bar with three people, and what came of what they do."""

from __future__ import annotations

from typing import Any

from lorewright.builtin.narrator import narrate
from lorewright.rules.patch import Outcome
from lorewright.values.records import Evidence, LoreLine, NarratorInput, NarratorOutput, NpcAct, Persona, PersonView
from support.narrator_scenes import BAR, NAMES, PIER, VIKTOR, after, given

JO = "c:jo"
UNIT, DOOR, ALLEY = "p:unit", "p:steel_door", "p:alley"
MARA_LINE = LoreLine(
    key="lore:m1", text="Mara counts the exits before she counts her change.", chunk_id="p:mara:disposition"
)
MARA = PersonView(id="p:mara", name="Mara", pronoun="she", disposition=(MARA_LINE,))
PORTER = PersonView(id="p:porter", name="the night porter", pronoun="they")
PEOPLE = {view.id: view for view in (VIKTOR, MARA, PORTER)}
COMPANY = BAR.model_copy(update={"people": tuple(PEOPLE.values())})
ALL_NAMES = {**NAMES, **{who: view.name for who, view in PEOPLE.items()}}
OVERHEARD = PIER.model_copy(update={"how": "overheard"})


def came_of(kind: str, code: str, *, who: str = "p:viktor", **fields: Any) -> Outcome:
    """An outcome of somebody's act."""
    return Outcome.model_validate({"action_index": 0, "actor_id": who, "type": kind, "code": code, **fields})


def act(who: str, *outcomes: Outcome, text: str = "", **fields: Any) -> NpcAct:
    """Somebody's act; its outcomes are theirs, whoever they were made for."""
    view = PEOPLE[who]
    told = tuple(one.model_copy(update={"actor_id": who}) for one in outcomes)
    named = {"who": who, "name": view.name, "pronoun": view.pronoun}
    return NpcAct.model_validate({**named, "text": text, "outcomes": told, **fields})


def company(*acts: NpcAct, outcomes: tuple[Outcome, ...] = (), **fields: Any) -> NarratorInput:
    """The input of a telling of these acts: a round of theirs, or with outcomes of the player's what follows on them."""
    base = {"acts": acts, "scene": COMPANY, "names": ALL_NAMES, "player": Persona(name="Jo")}
    return given(*outcomes, **{**base, **fields})


def night(turns: list[list[NarratorInput]]) -> list[list[NarratorOutput]]:
    """Narrations of turns of several rounds, each remembering all before it."""
    recall: dict[str, int] = {}
    recent: list[str] = []
    told: list[list[NarratorOutput]] = []
    for number, rounds in enumerate(turns, start=1):
        told.append([])
        for one in rounds:
            more = {"recall": recall, "recent": tuple(recent[-12:]), "turn_no": number}
            output = narrate(one.model_copy(update=more))
            recall = after(recall, output)
            recent.append(output.final_text)
            told[-1].append(output)
    return told


def news(*, overheard: bool = False) -> tuple[Evidence, ...]:
    """What Viktor knows, as the player comes to hear it."""
    return (OVERHEARD if overheard else PIER,)
