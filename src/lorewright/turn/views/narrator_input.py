"""The outcome of a turn -> the narrator's input: the scene as it may be shown, and the evidence that was gained."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

from lorewright.ids import holder_of
from lorewright.rules.patch import Outcome, Resolution, Validation
from lorewright.rules.reach import is_person, way_towards
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import is_answered, verb_of
from lorewright.scene_lore.models import LoreText, SceneItem, SceneLore, texts_for
from lorewright.settings import PlayLore
from lorewright.turn.views.scope import ways_out
from lorewright.values.leads import Lead
from lorewright.values.packet import ContextPacket
from lorewright.values.records import (
    FIRST_CODE,
    ClockTick,
    Evidence,
    InnerState,
    LoreLine,
    Movement,
    NarratorInput,
    NpcAct,
    Persona,
    PersonView,
    PlannerOutput,
    Premise,
    Recorded,
    SceneView,
    ThingView,
)
from lorewright.values.scenery import SceneryView
from lorewright.world.changes import clock_changes, end_reached, items_learned, minutes_passed, scene_change
from lorewright.world.events import Arrived, Departed, TimeLost
from lorewright.world.ops import ChangeInventory, ChangeRelation, RevealItem, SetDoor
from lorewright.world.schemas import plain
from lorewright.world.state import WorldState, relation_key

# The narrator's input: the scene as it may be shown, and the evidence that was gained.


def narrator_input(
    *,
    player_text: str,
    before: WorldState,
    after: WorldState,
    lore: SceneLore,
    items: Sequence[SceneItem],
    validation: Validation,
    resolution: Resolution,
    plan: PlannerOutput,
    rules: CampaignRules,
    packet: ContextPacket,
    seed: str,
    turn_no: int,
    described: Mapping[str, Sequence[LoreText]] | None = None,
    asked_about: Mapping[str, str] = MappingProxyType({}),
    recent: tuple[str, ...] = (),
    acts: tuple[NpcAct, ...] = (),
    quiet: tuple[str, ...] = (),
    markers: tuple[str, ...] = (),
    markers_before: tuple[str, ...] = (),
    code_version: int = FIRST_CODE,
    premises: tuple[Premise, ...] = (),
    leads: tuple[Lead, ...] = (),
    nameless: Collection[str] = (),
    scenery: tuple[SceneryView, ...] = (),
    budgets: PlayLore | None = None,
) -> NarratorInput:
    """Return everything that the narration may rest on. `lore` is of the scene after the turn; `items` are those of
    before and after.

    Of `items` only those that the player has learned by now go in. `resolution` has the player's outcomes, and the
    changes and events of all that is told; `acts` have the outcomes of others. `nameless` are the IDs of those whose
    names the player has not heard. `asked_about` are the names of those whom questions named that brought nothing.
    """
    outcomes = (*resolution.outcomes, *(outcome for act in acts if not act.hidden for outcome in act.outcomes))
    end = end_reached(before, after)
    ending = None if end is None else rules.ending(end.ending)
    return NarratorInput(
        player_text=player_text,
        player_id=before.player_id,
        outcomes=resolution.outcomes,
        results=validation.results,
        plan=plan,
        scene=_scene_view(after, lore, rules, code_version),
        scene_changed=scene_change(before, after) is not None,
        evidence=tuple(_evidence(before, after, outcomes, _revealed(resolution), {item.id: item for item in items})),
        clocks=_ticks(before, after),
        movements=_movements(resolution, after),
        ops=tuple(_shown_ops(resolution)),
        recorded=tuple(_recorded(after, outcomes)),
        carried=tuple(ThingView(id=item, name=after.name_of(item)) for item in after.held_by(after.player_id)),
        names={
            **asked_about,
            **{
                entity_id: after.name_of(entity_id)
                for entity_id in sorted(described or ())
                if entity_id in after.entities and entity_id not in nameless
            },
            **{entity.id: entity.name for entity in _concerned(before, after, outcomes) if entity.id not in nameless},
            **{lead.holder: after.name_of(lead.holder) for lead in leads},
        },
        minutes=minutes_passed(before, after),
        minutes_lost=sum(event.minutes for event in resolution.events if isinstance(event, TimeLost)),
        turn_no=turn_no,
        ending=ending.say if ending else None,
        seed=seed,
        recall=before.recall,
        recent=recent,
        grammar=rules.grammar,
        packet=packet,
        described={entity_id: _lines(texts) for entity_id, texts in (described or {}).items()},
        player=_persona(after),
        acts=acts,
        quiet=quiet,
        markers=markers,
        markers_before=markers_before,
        code_version=code_version,
        premises=premises,
        leads=leads,
        scenery=scenery,
        lore=budgets,
    )


def _persona(state: WorldState) -> Persona:
    """Return the player's character: what is known of them, and the inner states that they know of."""
    name = state.name_of(state.player_id)
    character = state.characters.get(state.player_id)
    if character is None:
        return Persona(name=name or Persona().name)
    manifest = tuple(
        InnerState(name=name, value=plain(inner.value), level=inner.level)
        for name, inner in sorted(character.states.items())
        if inner.is_manifest
    )
    description = str(character.profile.get("description") or "")
    return Persona(name=name or Persona().name, description=description, states=manifest)


def _shown_ops(resolution: Resolution) -> Iterable[ChangeRelation | ChangeInventory | SetDoor]:
    """Yield the changes that the player can see, except those that an outcome tells by itself."""
    told = {outcome.target_id for outcome in resolution.outcomes if outcome.code in ("opened", "locked", "unlocked")}
    for op in resolution.ops:
        if isinstance(op, (ChangeRelation, ChangeInventory)) or (isinstance(op, SetDoor) and op.door_id not in told):
            yield op


def _recorded(state: WorldState, outcomes: Iterable[Outcome]) -> Iterable[Recorded]:
    """Yield the promises, threats and debts of the outcomes' facts, where the player may know them."""
    for fact_id in dict.fromkeys(linked_id for outcome in outcomes for linked_id in outcome.fact_ids):
        fact = state.facts[fact_id]
        if fact.is_shown("narrator", state.player_id):
            said = {"to_id": fact.object["to"], "what": fact.object["what"]}
            yield Recorded.model_validate(
                {"fact_id": fact_id, "by_id": fact.subject_id, "predicate": fact.predicate, **said}
            )


def _scene_view(state: WorldState, lore: SceneLore, rules: CampaignRules, code_version: int) -> SceneView:
    place = state.entities[state.scene.location_id]
    people = [state.entities[npc_id] for npc_id in state.present_npcs()]
    lore = texts_for(lore, "narrator")
    return SceneView(
        place_id=place.id,
        place_name=place.name,
        first_visit=state.visits.get(place.id, 0) <= 1,
        atmosphere=_lines(lore.atmosphere),
        overview=_lines(lore.overview),
        standing=_lines(lore.standing),
        people=tuple(
            PersonView(
                id=person.id,
                name=person.name,
                pronoun=person.pronoun,
                disposition=_lines(briefing.disposition) if (briefing := lore.briefing(person.id)) else (),
                regard=_regard(person.id, state),
                introduction=None if code_version == FIRST_CODE else _introduction(person.id, rules),
            )
            for person in people
        ),
        things=tuple(ThingView(id=item, name=state.name_of(item)) for item in state.held_by(place.id)),
        exits=ways_out(state),
    )


def _introduction(who: str, rules: CampaignRules) -> LoreLine | None:
    found = rules.introductions.get(who)
    return None if found is None else LoreLine(key=f"introduction:{who}", text=found.text, chunk_id=found.chunk_id)


# From so much trust and closeness over tension somebody is friendly, and so much below none of it they show it.
_WARM, _COLD = 2, -1


def _regard(who: str, state: WorldState) -> Literal["", "warm", "cold"]:
    """Return how somebody stands to the player, where it is enough to show."""
    relation = state.relations.get(relation_key(who, state.player_id))
    stands = 0 if relation is None else relation.trust + relation.closeness - relation.tension
    return "warm" if stands >= _WARM else "cold" if stands <= _COLD else ""


def _lines(texts: Iterable[LoreText]) -> tuple[LoreLine, ...]:
    return tuple(LoreLine(key=f"lore:{text.key}", text=text.text, chunk_id=text.chunk_id) for text in texts)


def _revealed(resolution: Resolution) -> frozenset[str]:
    """Return the IDs of the items that somebody learned in what is told; other rounds of the turn are told apart."""
    return frozenset(op.item_id for op in resolution.ops if isinstance(op, RevealItem))


def _evidence(
    before: WorldState,
    after: WorldState,
    outcomes: Iterable[Outcome],
    revealed: Collection[str],
    items: dict[str, SceneItem],
) -> Iterable[Evidence]:
    """Yield the items of the outcomes in their order, then those learned otherwise (by a clock, say), as far as they
    were revealed."""
    player = after.player_id
    given: set[str] = set()
    for outcome in outcomes:
        for item_id in (*outcome.item_ids, *outcome.known_item_ids):
            if item_id in items and after.has_learned(player, item_id) and item_id not in given:
                given.add(item_id)
                known = before.has_learned(player, item_id)
                speaker = _speaker(outcome, items[item_id], after)
                yield _evidence_of(items[item_id], after, speaker=speaker, known_before=known)
    for item_id in sorted({*items_learned(before, after)} - given):
        if item_id in items and item_id in revealed:
            yield _evidence_of(items[item_id], after, speaker=None, known_before=False)


def _speaker(outcome: Outcome, item: SceneItem, state: WorldState) -> str | None:
    """Return the ID of who says an item: a character who speaks of their own accord or answers another, or the target
    of the player's words, if they were spoken to or the item is theirs (a gift loosens tongues); None where nobody says
    it."""
    player = state.player_id
    if outcome.actor_id == player and outcome.code == "does_not_know" and is_person(holder_of(item.chunk_id), state):
        return holder_of(item.chunk_id)  # somebody else who is there answers
    if outcome.actor_id != player:
        return outcome.target_id if is_answered(outcome.type) else outcome.actor_id
    verb = verb_of(outcome.type)
    is_said = (verb is not None and verb.loosens_tongues) or holder_of(item.chunk_id) == outcome.target_id
    return outcome.target_id if is_said else None


def _evidence_of(item: SceneItem, state: WorldState, *, speaker: str | None, known_before: bool) -> Evidence:
    how = state.reveals[state.player_id][item.id].how
    return Evidence(
        item_id=item.id,
        chunk_id=item.chunk_id,
        text=item.text,
        how=how,
        speaker_id=speaker if how == "told" else None,
        known_before=known_before,
    )


def _ticks(before: WorldState, after: WorldState) -> tuple[ClockTick, ...]:
    return tuple(
        ClockTick(id=clock.id, name=clock.name, before=tick.before, after=tick.after, max=clock.max)
        for tick in clock_changes(before, after)
        if (clock := after.clocks[tick.clock])
    )


def _movements(resolution: Resolution, after: WorldState) -> tuple[Movement, ...]:
    return tuple(
        Movement(
            entity_id=event.entity,
            name=after.name_of(event.entity),
            kind=event.type,
            way=way_towards(after.positions.get(event.entity, ""), after) if isinstance(event, Departed) else "",
        )
        for event in resolution.events
        if isinstance(event, (Arrived, Departed))
    )


def _concerned(before: WorldState, after: WorldState, outcomes: Iterable[Outcome]) -> Iterable[Any]:
    """Return the entities whose names the narration may need: those there before or after, and those of the actions."""
    ids = {*before.present(), *after.present(), before.scene.location_id, after.scene.location_id}
    ids |= {
        *before.held_by(before.scene.location_id),
        *before.held_by(before.player_id),
        *after.held_by(after.player_id),
    }
    for outcome in outcomes:
        ids |= {entity_id for entity_id in (outcome.target_id, outcome.location_id, outcome.item_id) if entity_id}
    for way in before.exits.get(before.scene.location_id, ()):
        ids |= {way.to, *([way.via] if way.via else [])}
    ids |= {door.key_id for door in before.doors.values() if door.key_id in after.held_by(after.player_id)} - {None}
    return [after.entities[entity_id] for entity_id in sorted(filter(None, ids)) if entity_id in after.entities]
