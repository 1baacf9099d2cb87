"""An open campaign and a viewer -> its state, scene and transcript, as that viewer may know them; for the player also
their standing and the table.

The MCP server and the API answer with these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.watching import learned_in_the_open, personas_of, told_in_the_open, turn_in_the_open
from lorewright.errors import NotFound, SettingsError
from lorewright.ids import local
from lorewright.retrieval.entity_names import NameTable
from lorewright.retrieval.view import LoreView
from lorewright.rules.rulesets import CampaignRules, Ruleset
from lorewright.scene_lore.lore_retriever import LoreRetriever
from lorewright.scene_lore.models import SceneFocus, SceneLore, character_view, scene_view
from lorewright.turn.checks.tools import (
    MessageSeen,
    NamedThing,
    StateSeen,
    focus_of,
    state_seen,
    transcript_seen,
    viewer_id,
)
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.views.story import seen_by
from lorewright.values.entries import lore_conditions
from lorewright.values.records import TurnResult
from lorewright.visibility import Viewer
from lorewright.world.frozen import Frozen
from lorewright.world.state import WorldState
from lorewright.world.things import recalled

# The table of a campaign (a board, a score), row by row, where its ruleset has one.

_PATH = re.compile(r"\{([a-z0-9_.]+)\}")


def table_of(campaign: OpenCampaign) -> tuple[str, ...]:
    """Return the rows of the table at the head; none where the ruleset shows no table."""
    return rows_of(campaign.setting.rules.ruleset, campaign.store.head().state)


def rows_of(ruleset: Ruleset, state: WorldState) -> tuple[str, ...]:
    """Return the rows of `mechanics_guidance.table` with the values of the scene filled in: in `rows`, `{board.centre}`
    is a path of the scene, and `marks` maps a value to its sign. A missing value is a question mark."""
    table = ruleset.mechanics_guidance.get("table")
    if not isinstance(table, Mapping) or state.ruleset is None:
        return ()
    held, marks = state.ruleset, table.get("marks", {})

    def shown(match: re.Match[str]) -> str:
        value = held.value(match[1])
        return str(marks.get(value, "?" if value is None else value))

    return tuple(_PATH.sub(shown, str(row)) for row in table.get("rows", ()))


# The state, the scene and the transcript, as a viewer may know them.

Shape = TypeVar("Shape", bound=Frozen)


class SceneEntry(Frozen):
    """A place, or somebody who is there."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...] = ()


class VisibleScene(Frozen):
    """What belongs to a scene in the viewer's eyes: its atmosphere, those who are there and what they bring to it, what
    can be found, what ties it to the threads of the story. `eyes` is who looks, where it is somebody of the story."""

    place: SceneEntry
    eyes: tuple[SceneEntry, ...] = ()
    present: tuple[SceneEntry, ...]
    lore: dict[str, Any]


class Transcript(Frozen):
    """Entries of the story's stream, oldest first. `earlier` is the turn to give as `before_turn` for those before."""

    messages: tuple[MessageSeen, ...]
    earlier: int | None = None


def state_of(campaign: OpenCampaign, viewer: str, *, parts: Sequence[str] = ()) -> StateSeen:
    """Return where the campaign stands; for a game master with these parts of the complete state.

    Raises:
        NotFound: the viewer is no character of the campaign.
    """
    head = campaign.store.head()
    seer = viewer_in(head.state, viewer)
    if seer.is_watcher:
        return _state_in_the_open(campaign)
    found = state_seen(
        campaign.acquaintance(of=seer.id).shown if seer.is_player else head.state,
        seer.name,
        turn_no=head.turn_no,
        decay_lambda=campaign.setting.rules.ruleset.decay_lambda,
        parts=parts,
    )
    return _as_told(campaign, seer, found)


def scene_of(campaign: OpenCampaign, viewer: str, *, place: str | None = None) -> VisibleScene:
    """Return the viewer's scene; for a game master, with `place`, that of another place and the people there.

    Raises:
        NotFound: there is no such place, or the viewer is no character of the campaign, or is nowhere.
    """
    state = campaign.store.head().state
    seer = viewer_in(state, viewer)
    if seer.is_watcher:
        return _scene_in_the_open(campaign)
    if seer.is_player:
        state = campaign.acquaintance(of=seer.id).shown
    focus = focus_of(state, seer.name) if place is None or not seer.is_gm else _focus_at(state, place)
    view = LoreView(campaign.setting.generations, viewer="gm", conditions=lore_conditions(state))
    lore = LoreRetriever.of(view).retrieve_for_scene(focus)
    there = sorted(person for person, at in state.positions.items() if at == focus.location_id)
    who = viewer_id(state, seer.name)
    found = VisibleScene(
        place=_scene_entry(state, focus.location_id),
        eyes=() if seer.is_gm else (_scene_entry(state, who),),
        present=tuple(_scene_entry(state, person) for person in there if person != who),
        lore=_seen(lore, state, seer),
    )
    return _as_told(campaign, seer, found)


def transcript_of(campaign: OpenCampaign, viewer: str, *, last: int, before_turn: int | None = None) -> Transcript:
    """Return the last turns of the story, or those before `before_turn`, as the viewer may read them.

    Raises:
        NotFound: the viewer is no character of the campaign.
    """
    store, state = campaign.store, campaign.store.head().state
    path = store.path()
    earlier = [turn for turn in path if before_turn is None or turn.turn_no < before_turn]
    seer = viewer_in(state, viewer)
    if not earlier:
        return Transcript(messages=())
    messages = store.messages(earlier[-1].turn_id, last=last, seen_from=path[-1].turn_id)
    name = seer.name
    if seer.is_watcher:
        messages, name = told_in_the_open(messages, personas_of(state)), f"pc:{state.player_id}"
    seen = transcript_seen(messages, state, name)
    first = earlier[max(0, len(earlier) - last)].turn_no
    found = Transcript(messages=seen, earlier=first if first > path[0].turn_no else None)
    return _as_told(campaign, seer, found)


def viewer_in(state: WorldState, viewer: str) -> Viewer:
    """Return a viewer with the full ID of their character, who may be given by name, too (`pc:ada`); `npc:ID` of a
    persona is `pc:ID`.

    Raises:
        SettingsError: there is no such kind of viewer.
        NotFound: there is no such character or persona in the campaign, or several are called so.
    """
    seer = Viewer(viewer)
    if not seer.id:
        return seer
    if seer.kind == "npc":
        others = (who for who in sorted(state.positions) if not state.is_players(who))
        for who in _called(seer.id, _names(others, state)):
            return Viewer(f"npc:{who}")
    for who in _called(seer.id, _names(state.personas or (state.player_id,), state)):
        return Viewer(f"pc:{who}")
    if seer.kind == "npc":
        raise NotFound(f"there is no character {seer.id} in the campaign", hint="name somebody of the cast")
    names = ", ".join(local(who) for who in state.personas or (state.player_id,))
    raise NotFound(f"nobody plays {seer.id} in the campaign", hint=f"name one of: {names}")


def _names(among: Iterable[str], state: WorldState) -> NameTable:
    entities = [state.entities[entity_id] for entity_id in among if entity_id in state.entities]
    return NameTable({entity.id: (entity.name, *entity.aliases, local(entity.id)) for entity in entities})


def _called(written: str, names: NameTable) -> list[str]:
    """Return the first entity of that ID, else all that are called so.

    Raises:
        NotFound: several are called so.
    """
    known = [entity_id for entity_id in names.names if written in (entity_id, local(entity_id))]
    found = known[:1] or names.called(written)
    if len(found) > 1:
        raise NotFound(f"{written} may be {names.shown(found)}", hint="write the ID of the one that is meant")
    return found


def persona_of(state: WorldState, viewer: str) -> str:
    """Return the ID of the persona whose eyes a player sees with: for `player` the one who is played.

    Raises:
        SettingsError: the viewer is no player.
        NotFound: nobody plays that persona.
    """
    seer = viewer_in(state, viewer)
    if not seer.is_player:
        raise SettingsError(f"{viewer} is no player", hint="ask as player or pc:ID")
    return viewer_id(state, seer.name)


def turns_told(store: CampaignStore, turns: Sequence[dict[str, Any]], viewer: str) -> list[dict[str, Any]]:
    """Return turns (as `CampaignStore.turns` gives them) as a viewer may read them: the game master as they were
    played, who watches with nothing but what was told in the open.

    Where there are several personas, the result of a turn is that of the one who was played in it. Another persona has
    of it what they saw: narrations that they were there for, and neither words and thoughts, nor dice, citations and
    suggestions.

    Raises:
        SettingsError: the viewer is neither the game master nor a player, nor somebody who watches.
        NotFound: nobody plays that persona.
    """
    state = store.head().state
    seer = viewer_in(state, viewer)
    if seer.is_gm:
        return list(turns)
    if seer.is_watcher:
        return [turn_in_the_open(store, turn) for turn in turns]
    who = persona_of(state, viewer)
    if not state.personas:
        return list(turns)
    return [_as_seen(store, turn, who) for turn in turns]


def _as_seen(store: CampaignStore, turn: dict[str, Any], who: str) -> dict[str, Any]:
    if store.state_at(turn["turn_id"]).player_id == who:
        return turn
    stored = TurnResult.model_validate(turn["result"])
    messages = store.messages(turn["turn_id"], last=1, seen_from=store.position().turn_id)
    seen = seen_by("player", (message for _, message in messages), own_id=who)
    told = TurnResult.of_no_play(
        turn_no=stored.turn_no,
        turn_id=stored.turn_id,
        final_text="\n\n".join(message.content for message in seen if message.type == "narration"),
        clocks=stored.clocks,
        messages=tuple(seen),
        next_prompt=stored.next_prompt,
    )
    events = (event for event in stored.engine_events if event.audience is not None and who in event.audience)
    shown = told.model_copy(update={"engine_events": tuple(events)}).model_dump(mode="json")
    return {**turn, "player_text": "", "action_id": "", "result": shown}


def _as_told(campaign: OpenCampaign, viewer: Viewer, found: Shape) -> Shape:
    """Return what was found, with the IDs that a player knows."""
    ids = campaign.player_ids() if viewer.is_player or viewer.is_watcher else None
    if ids is None or not ids.disguised:
        return found
    return type(found).model_validate(ids.told(found.model_dump(mode="json")))


def _seen(lore: SceneLore, state: WorldState, viewer: Viewer) -> dict[str, Any]:
    if viewer.is_gm:
        return lore.model_dump(mode="json")
    who = viewer_id(state, viewer.name)
    if viewer.is_player:
        return scene_view(lore, "player", learned=state.learned_by(who))
    return character_view(lore, who, learned=state.learned_by(who))


def _focus_at(state: WorldState, place: str) -> SceneFocus:
    places = _names((entity.id for entity in state.entities.values() if entity.type == "location"), state)
    found = _called(place, places)
    if not found:
        near = places.nearest(place)
        hint = f"did you mean {places.shown(near)}?" if near else "name a place by its ID"
        raise NotFound(f"there is no place {place} in the campaign", hint=hint)
    there = (person for person, at in state.positions.items() if at == found[0] and not state.is_players(person))
    return SceneFocus(
        scene_id=state.scene.id if found[0] == state.scene.location_id else "",
        location_id=found[0],
        present_ids=tuple(sorted(there)),
        thread_ids=tuple(sorted(state.threads)),
    )


def _scene_entry(state: WorldState, entity_id: str) -> SceneEntry:
    entity = state.entities[entity_id]
    return SceneEntry(id=entity.id, name=entity.name, type=entity.type, aliases=entity.aliases)


# What who watches sees: what every persona could see in the open, no whisper, and nothing that is somebody's own.


def _state_in_the_open(campaign: OpenCampaign) -> StateSeen:
    """Return what the states that the personas see have in common: where they all are, and with whom; what the table
    knows. What each carries, feels, remembers and has found out is their own."""
    state = campaign.store.head().state
    seen = {who: state_of(campaign, f"pc:{who}") for who in personas_of(state)}
    first, *others = seen.values()
    is_together = first.place is not None and all(found.place == first.place for found in others)
    own = {who: NamedThing(id=who, name=state.name_of(who)) for who in seen}
    there = [{*found.present, own[who]} for who, found in seen.items()] if is_together else [set()]
    return StateSeen(
        viewer="watcher",
        turn_no=first.turn_no,
        minutes=first.minutes,
        ended=first.ended,
        place=first.place if is_together else None,
        present=tuple(sorted(set.intersection(*there), key=lambda thing: thing.id)),
        clocks=tuple(clock for clock in first.clocks if all(clock in found.clocks for found in others)),
        threads=tuple(thread for thread in first.threads if all(thread in found.threads for found in others)),
    )


def _scene_in_the_open(campaign: OpenCampaign) -> VisibleScene:
    """Return the scene that all personas are in, with what was learned of it in the open.

    Raises:
        NotFound: they are in different places.
    """
    state = campaign.store.head().state
    seen = _state_in_the_open(campaign)
    if seen.place is None:
        raise NotFound("those who play are in different places", hint="read the story")
    found = scene_of(campaign, f"pc:{state.player_id}")
    view = LoreView(campaign.setting.generations, viewer="gm", conditions=lore_conditions(state))
    lore = LoreRetriever.of(view).retrieve_for_scene(focus_of(campaign.acquaintance().shown, "player"))
    present = (*found.eyes, *found.present)
    shown = VisibleScene(
        place=found.place,
        present=tuple(entry for entry in present if entry.id in {thing.id for thing in seen.present}),
        lore=scene_view(lore, "player", learned=learned_in_the_open(campaign.store)),
    )
    return _as_told(campaign, Viewer("watcher"), shown)


# The player's standing: stats, conditions, threats, situations, inquiries; only what they can know.


@dataclass(frozen=True, slots=True)
class Counted:
    """Something with a number: a stat (without `of`), or the progress of an inquiry (with `of` steps in all)."""

    name: str
    value: int | float
    of: int | None = None


@dataclass(frozen=True, slots=True)
class Impending:
    """A threat under the title that players are told, and the minutes that are left; or a situation that holds, whose
    end may be unknown."""

    title: str
    minutes_left: int | None


@dataclass(frozen=True, slots=True)
class Standing:
    """Who the player is and what they are in. `conditions` have the words that the ruleset gives for them."""

    name: str
    stats: tuple[Counted, ...]
    conditions: tuple[str, ...]
    threats: tuple[Impending, ...]
    situations: tuple[Impending, ...]
    inquiries: tuple[Counted, ...]
    memories: tuple[str, ...] = ()


# The most memories of the player's character that are shown, those that weigh most.
_MEMORIES = 6


def standing_of(
    state: WorldState, rules: CampaignRules, *, unheard: Callable[[str], bool] = lambda text: False
) -> Standing:
    """Return the player's standing: stats in the ruleset's order, threats by when they fall due, memories by their
    weight, the rest by ID. `unheard` returns True for a memory that names somebody of whom the player may not hear."""
    decay = rules.ruleset.decay_lambda
    weighed = recalled(state.observations.get(state.player_id, {}), minute=state.minutes, decay_lambda=decay)
    kept = [memory.observation.content for memory in weighed if not unheard(memory.observation.content)]
    return Standing(
        name=state.name_of(state.player_id),
        stats=tuple(_stats(state, rules)),
        conditions=tuple(_condition(condition, rules) for condition in state.conditions_of(state.player_id)),
        threats=tuple(_threats(state, rules)),
        situations=tuple(_situations(state, rules)),
        inquiries=tuple(
            Counted(thread.title, thread.progress, thread.needed)
            for _, thread in sorted(state.threads.items())
            if thread.needed
        ),
        memories=tuple(kept[:_MEMORIES]),
    )


def _stats(state: WorldState, rules: CampaignRules) -> list[Counted]:
    """Return the numbers of the stat block; where there is none, the traits other than 0."""
    named = {key: stat.name for key, stat in rules.ruleset.stats.items()}
    block = [(key, state.stat(state.player_id, key)) for key in named]
    if any(value is not None for _, value in block):
        return [Counted(named[key], value) for key, value in block if value is not None]
    traits = state.entities[state.player_id].traits
    return [Counted(named.get(key, key.capitalize()), value) for key, value in sorted(traits.items()) if value]


def _condition(name: str, rules: CampaignRules) -> str:
    condition = rules.ruleset.conditions.get(name)
    word = name.replace("_", " ")
    return f"{word}: {condition.summary}" if condition is not None and condition.summary else word


def _threats(state: WorldState, rules: CampaignRules) -> list[Impending]:
    due = sorted(state.threats.items(), key=lambda entry: (entry[1].due, entry[0]))
    return [
        Impending(rules.threats[threat_id].title, max(threat.due - state.minutes, 0))
        for threat_id, threat in due
        if threat_id in rules.threats
    ]


def _situations(state: WorldState, rules: CampaignRules) -> list[Impending]:
    """Return the situations that the ruleset has words for."""
    found = []
    for name, held in sorted(state.situations.items()):
        rule = rules.ruleset.situations.get(name)
        if rule is not None and rule.summary:
            left = None if held.until is None else max(held.until - state.minutes, 0)
            found.append(Impending(rule.summary, left))
    return found
