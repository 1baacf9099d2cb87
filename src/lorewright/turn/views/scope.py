"""A state -> everything that a player's words can refer to in it, and lines for the ruleset's own actions."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Literal

from lorewright.ids import holder_of, local
from lorewright.index.generation import Generation
from lorewright.index.keywords import STOP_WORDS, content_words
from lorewright.packs.models import Item
from lorewright.retrieval.view import find_same_things, ids_of
from lorewright.rules.actions import Action, Attempt, GroundedItem, Grounding
from lorewright.rules.acts import plainly
from lorewright.rules.aiming import WITHIN_TARGET
from lorewright.rules.reach import is_barred, place_of
from lorewright.rules.reasons import why_not
from lorewright.rules.rulesets import ActionType, CampaignRules, Ruleset
from lorewright.rules.validate import BARRIERS
from lorewright.rules.verbs import verb_for, verb_of
from lorewright.scene_lore.cache import item_by_meaning, match_items, search_items
from lorewright.scene_lore.fitting import answers_among, answers_of
from lorewright.scene_lore.models import NPCBriefing, SceneItem, SceneLore
from lorewright.values.scope import Board, Named, Scope, Square, WayOut
from lorewright.world.state import OFFSTAGE, Entity, WorldState

# Actions -> attempts: the words of an action become item IDs, so that the rules need not read free text.


def ground(
    actions: Sequence[Action],
    state: WorldState,
    gather: Callable[[WorldState], SceneLore],
    ruleset: Ruleset,
    generations: Sequence[Generation],
    *,
    acting: str | None = None,
    connects: bool = False,
) -> list[Attempt]:
    """Return each action with the items that its words point at: by ID only, so that no record of it tells a secret.

    `gather` returns a state's scene lore. An action is grounded in the state to which the ones before it plainly lead:
    after `go street` the player searches the street. `acting` is whose round it is: one of the cast, or the player
    where it is None. With `connects` a question or a search may also touch what ties somebody to an open thread.
    """
    attempts: list[Attempt] = []
    for action in actions:
        lore = gather(state)
        grounding = _grounding(action, state, lore, generations)
        attempt = Attempt(action=action, grounding=grounding)
        if connects and (found := _connections(attempt, state, lore, generations)):
            attempt = Attempt(action=action, grounding=grounding.model_copy(update={"connections": found}))
        attempts.append(attempt)
        if why_not(action, state, ruleset, acting=acting) is None:
            state = plainly(action, state, ruleset)
    return attempts


def in_steps(actions: Sequence[Action], state: WorldState, ruleset: Ruleset) -> tuple[Action, ...]:
    """Return the player's actions with each walk as its steps, as the actions before it plainly lead there. Where there
    is an order of turns one does one thing, so that a walk stays one action.
    """
    if not any(_steps_of(action, ruleset) for action in actions):
        return tuple(actions)
    found: list[Action] = []
    door: str | None = None
    for action, after in zip_longest(actions, actions[1:]):
        steps_of = _steps_of(action, ruleset)
        action, door = (action if door is None else _done_at(door, action)), None
        for step in (steps_of(action, state) if steps_of is not None else ()) or (action,):
            reason = why_not(step, state, ruleset)
            if reason is None:
                state = plainly(step, state, ruleset)
            elif reason in BARRIERS and _is_for_door(after, step.location_id):
                # `go to room 12 and knock`: it is done on this side of the door.
                ways = state.exits.get(state.scene.location_id, ())
                door = next((way.via for way in ways if way.to == step.location_id and way.via is not None), None)
            if door is None:
                found.append(step)
    return tuple(found)


def _is_for_door(action: Action | None, place: str | None) -> bool:
    """Tell whether an act is to be done at the door of a place to which a walk before it leads."""
    verb = None if action is None else verb_of(action.type)
    is_there = action is not None and action.target_id is None and action.metadata.get("beyond", place) == place
    return verb is not None and verb.is_done_at_doors and is_there


def _done_at(door: str, action: Action) -> Action:
    metadata = {key: value for key, value in action.metadata.items() if key not in ("beyond", "if_none")}
    return Action.model_validate({**action.model_dump(), "target_id": door, "metadata": metadata})


def as_questions(
    actions: Sequence[Action], state: WorldState, lore: SceneLore, generations: Sequence[Generation]
) -> tuple[Action, ...]:
    """Return the actions, small talk as a question where somebody has something new to tell of it: no stock answer."""
    asking, found = verb_for("question"), list(actions)
    for at, action in enumerate(actions):
        # A stock question stands for one after what somebody wants; the deed has the player's words.
        own = {"topic": action.deed} if action.form == "ask_want" and action.deed else {}
        asked = action.model_copy(update={"metadata": {**action.metadata, **own}})
        if asking is not None and _asks_for_own(asked, state, lore, generations):
            found[at] = asked.model_copy(update={"type": asking.name})
    return tuple(found)


def _asks_for_own(action: Action, state: WorldState, lore: SceneLore, generations: Sequence[Generation]) -> bool:
    verb, briefing = verb_of(action.type), lore.briefing(action.target_id or "")
    if verb is None or briefing is None or not verb.is_speech or verb.grounding or action.form not in _AFTER_OWN:
        return False
    learned = state.learned_by(action.actor_id)
    items = [item for item in briefing.knows if item.id not in learned]
    pointed_at = match_items(action.words, items, generations).items if action.words else ()
    if answers_among(action.words, action.deed, pointed_at[:1], {item.id for item in items}, generations):
        return True
    # What is asked for is there or is not: nothing near it in meaning is meant.
    return verb.points_on and item_by_meaning(action.words, items, generations, whole=action.deed) is not None


# The forms of questions after what is somebody's own. Who they are and how they are is answered as it is everywhere.
_AFTER_OWN = frozenset(("ask_self", "ask_opinion", "ask_want", "ask_more", "ask_price"))


def _steps_of(action: Action, ruleset: Ruleset) -> Callable[[Action, WorldState], Sequence[Action]] | None:
    verb, row = verb_of(action.type), ruleset.find_row(action.type)
    return verb.steps if verb is not None and row is not None and not row.ends_turn else None


def _grounding(action: Action, state: WorldState, lore: SceneLore, generations: Sequence[Generation]) -> Grounding:
    verb = verb_of(action.type)
    match "" if verb is None else verb.grounding:
        case "hidden":
            return _ground_search(action, state, lore, generations)
        # Somebody who is won over or frightened tells nothing where nothing was asked.
        case "theirs" if verb is not None and (not verb.is_pressing or action.metadata.get("topic")):
            return _ground_question(action, state, lore, generations)
        case "own" if action.actor_id == state.player_id:
            return _ground_told(action, state, generations)
        case "own":
            return _ground_told_by_npc(action, state, lore, generations)
        case _:
            return Grounding()


def _connections(
    attempt: Attempt, state: WorldState, lore: SceneLore, generations: Sequence[Generation]
) -> tuple[str, ...]:
    """Return the ID of the best of what ties the one whom the player asks, or the place that they search, to an open
    thread: where the words name somebody whom the thread is about, or point at it; a search of the whole place points
    at all of it."""
    action = attempt.action
    verb = verb_of(action.type)
    match "" if verb is None else verb.grounding:
        case "hidden" if place_of(action, state) == lore.location_id:
            holder = lore.location_id
        case "theirs" if action.words:
            holder = action.target_id or ""
        case _:
            return ()
    own = ids_of(holder, find_same_things(generations))
    about = {thread.id: thread.related_entity_ids for thread in state.open_threads()}
    items = [
        item
        for item in lore.thread_connections
        if holder_of(item.id) in own and item.name in about and not state.has_learned(state.player_id, item.id)
    ]
    if action.actor_id != state.player_id or not items:
        return ()
    pointed_at = [
        item
        for item in match_items(action.words, items, generations).items
        if not action.words or _is_about(action, item)
    ]
    named = [item for item in items if set(about[item.name]) & set(attempt.grounding.topics)]
    return tuple(item.id for item in (*pointed_at, *named)[:1])


def _ground_search(action: Action, state: WorldState, lore: SceneLore, generations: Sequence[Generation]) -> Grounding:
    place = state.entities[lore.location_id]
    if place_of(action, state) != place.id:
        return Grounding()
    found = search_items(action.words, (place.name, *place.aliases), lore.discoverable, generations)
    items = tuple(GroundedItem(id=item.id, role="discoverable", holder_id=place.id) for item in found.items)
    return Grounding(items=items, topics=found.topics)


def _ground_question(
    action: Action, state: WorldState, lore: SceneLore, generations: Sequence[Generation]
) -> Grounding:
    """Ground a question; without words it may get everything that the person would tell at all."""
    briefing = lore.briefing(action.target_id or "")
    if briefing is None:
        return Grounding()
    knows = {item.id for item in briefing.knows}
    learned = state.learned_by(action.actor_id)
    withholds = [item if item.id in learned else _without_text(item) for item in briefing.withholds]
    # A question of which no word was left as its topic asks for no less than it says.
    words = action.words or (action.deed if content_words(action.deed) else "")
    found = match_items(words, (*briefing.knows, *withholds) if words else briefing.knows, generations)
    is_pressed = (verb := verb_of(action.type)) is not None and verb.is_pressing
    freely = [*briefing.knows, *(item for item in briefing.withholds if item.id in learned)]
    if not is_pressed:
        items = answers_of(words, action.deed, found.items, freely, generations)
    elif not (items := found.items):
        meant = item_by_meaning(words, freely, generations, whole=action.deed)
        items = () if meant is None else (meant,)
    # What they have told of it is meant too, however much better a secret's name fits the words.
    told = [item for item in (*briefing.knows, *briefing.withholds) if item.id in learned and item not in items]
    if action.words and told:
        again = match_items(action.words, told, generations).items
        items = (*items, *answers_among(action.words, action.deed, again, knows, generations))
    return Grounding(
        items=tuple(
            GroundedItem(id=item.id, role="knows" if item.id in knows else "withholds", holder_id=briefing.npc_id)
            for item in items
        ),
        topics=found.topics,
    )


def _ground_told(action: Action, state: WorldState, generations: Sequence[Generation]) -> Grounding:
    """Return the items that the player has learned and may pass on; anything else that they say is only words."""
    if not action.words:
        return Grounding()
    return _pointed_at(action, _learned(action, state, generations), None, generations)


def _ground_told_by_npc(
    action: Action, state: WorldState, lore: SceneLore, generations: Sequence[Generation]
) -> Grounding:
    """Return the items that a character's words point at among those that it knows and may tell; if there are none,
    among those that it does not know, which the rules refuse. Words that point at neither are talk."""
    own = lore.briefing(action.actor_id)
    own = NPCBriefing(npc_id=action.actor_id) if own is None else own
    opened = [item for item in own.withholds if state.has_learned(state.player_id, item.id)]
    known = {item.id: item for item in (*own.knows, *opened, *_learned(action, state, generations))}
    named = action.metadata.get("lore_item_id")
    if named is not None:
        item = known.get(str(named)) or lore.item(str(named))
        return Grounding(items=() if item is None else (_grounded(item.id, own),))
    if not action.words:
        return Grounding()
    found = _pointed_at(action, list(known.values()), own, generations)
    if found.items:
        return found
    hidden = [_without_text(item) if item in own.withholds else item for item in lore.items() if item.id not in known]
    return _pointed_at(action, hidden, own, generations)


def _pointed_at(
    action: Action, items: Sequence[SceneItem], own: NPCBriefing | None, generations: Sequence[Generation]
) -> Grounding:
    found = match_items(action.words, [item for item in items if _is_about(action, item)], generations)
    return Grounding(items=tuple(_grounded(item.id, own) for item in found.items), topics=found.topics)


def _learned(action: Action, state: WorldState, generations: Sequence[Generation]) -> list[SceneItem]:
    """Return the items that were revealed to the actor, as far as a pack still has them."""
    found = (_item(item_id, generations) for item_id in sorted(state.learned_by(action.actor_id)))
    return [item for item in found if item is not None]


def _item(item_id: str, generations: Sequence[Generation]) -> SceneItem | None:
    item = next(filter(None, (generation.item(item_id) for generation in generations)), None)
    return None if item is None else scene_item(item)


def _grounded(item_id: str, own: NPCBriefing | None) -> GroundedItem:
    """Return an item with its role and its holder: an item of somebody's briefing is theirs, whatever pack it is
    from."""
    if own is not None and any(item.id == item_id for item in own.knows):
        return GroundedItem(id=item_id, role="knows", holder_id=own.npc_id)
    if own is not None and any(item.id == item_id for item in own.withholds):
        return GroundedItem(id=item_id, role="withholds", holder_id=own.npc_id)
    return GroundedItem(id=item_id, role=role_of_item(item_id), holder_id=holder_of(item_id))


def _is_about(action: Action, item: SceneItem) -> bool:
    """Return True if an item shares enough words with what is said that it can be meant: one telling word is enough
    where there is no other, and a claim about somebody (`that Jin is alive`) does not mean an item that only has their
    name."""
    said = {word for word in content_words(action.words) if word not in STOP_WORDS}
    has = set(content_words(f"{item.name} {item.trigger or ''} {item.text}"))
    return len(said & has) >= min(2, len(said))


def scene_item(item: Item) -> SceneItem:
    """Return a pack's item as scenes have it."""
    return SceneItem(
        id=item.id, chunk_id=item.id.partition("#")[0], name=item.name, text=item.text, trigger=item.trigger
    )


def role_of_item(item_id: str) -> Literal["knows", "withholds", "discoverable"]:
    """Return the role that an item's ID says: `pack:viktor:knows#pier9`."""
    section = item_id.partition("#")[0].rpartition(":")[2]
    return "withholds" if section == "withholds" else "discoverable" if section == "discoverable" else "knows"


def _without_text(item: SceneItem) -> SceneItem:
    """Return a secret to be matched by its name and its topics, not by its text: nobody can guess that."""
    return item.model_copy(update={"text": " ".join(item.topics)})


# A state and a ruleset -> suggested lines for the ruleset's own actions: `mark the centre`.


def own_offers(state: WorldState, ruleset: Ruleset, *, limit: int) -> tuple[str, ...]:
    """Return lines that work when typed: the first verb of each type that is aimed at something, with things that are
    here and that nothing prevents. The selection changes with the in-world time."""
    lines = list(_lines(state, ruleset))
    start = state.minutes % len(lines) if lines else 0
    return tuple((*lines[start:], *lines[:start])[:limit])


def _lines(state: WorldState, ruleset: Ruleset) -> Iterator[str]:
    for kind, type_ in ruleset.actions.items():
        if not type_.verbs or not _is_aimed(type_):
            continue
        for thing in state.held_by(state.scene.location_id):
            action = Action(actor_id=state.player_id, type=kind, target_id=thing)
            if why_not(action, state, ruleset) is None:
                name = state.name_of(thing)
                yield f"{type_.verbs[0]} {name if name.startswith('the ') else f'the {name}'}"


def _is_aimed(type_: ActionType) -> bool:
    """Return True if the target of an action type matters."""
    return any(WITHIN_TARGET in part.model_dump_json() for part in (*type_.needs, *type_.effects.get("success", ())))


# The board of a ruleset that is played on one: where its squares lie, and who holds them.

_PATH = re.compile(r"\{([a-z0-9_.]+)\}")
# What a scenario adds of answers to words: of those who hear them, and of the kinds that the game itself gives, about
# anything, and about what one does to mark a square.
_ANSWERED, _OF_GAME = "heard.own", ("game", "part")


def board_of(state: WorldState, rules: CampaignRules) -> Board | None:
    """Return the board that `mechanics_guidance.table` lays out and says how to play on, as it stands; None where there
    is none, or where its squares are not here."""
    table = rules.ruleset.mechanics_guidance.get("table")
    played = table.get("played") if isinstance(table, Mapping) else None
    if not isinstance(table, Mapping) or not isinstance(played, Mapping) or state.ruleset is None:
        return None
    held, free = state.ruleset, played.get("free")
    here = {local(thing): thing for thing in state.held_by(state.scene.location_id)}
    paths = [[str(path) for path in _PATH.findall(str(row))] for row in table.get("rows", ())]
    names = [[path.rpartition(".")[2] for path in row] for row in paths]
    verbs = rules.ruleset.actions[played["action"]].verbs if played.get("action") in rules.ruleset.actions else ()
    if (
        not verbs
        or not paths
        or len({len(row) for row in paths}) > 1
        or not {n for row in names for n in row} <= {*here}
    ):
        return None
    rows = tuple(
        tuple(_square(state, here[path.rpartition(".")[2]], held.value(path), free) for path in row) for row in paths
    )
    own = [said for said in rules.grammar.get(_ANSWERED, ()) if "words" in said.when]
    holders = {local(who): state.name_of(who) for who in (state.player_id, *state.present_npcs())}
    return Board(
        verb=verbs[0],
        rows=rows,
        in_line=int(played.get("in_line", 0)),
        own=local(state.player_id),
        marks={str(who): tuple(words) for who, words in played.get("words", {}).items()},
        names=holders,
        answers=(
            *((str(said.when["words"]), said.text) for said in own if said.when.get("kind") in _OF_GAME),
            *((str(row["words"]), str(row["say"])) for row in played.get("answers", ())),
        ),
        preparing=tuple(str(said.when["words"]) for said in own if said.when.get("kind") == _OF_GAME[1]),
        heard=tuple(str(said.when["words"]) for said in own if said.when.get("kind") not in _OF_GAME),
    )


def _square(state: WorldState, thing: str, value: object, free: object) -> Square:
    return Square(id=thing, name=state.name_of(thing), holder="" if value == free else str(value))


# The scope: everything that a player's words can refer to.

_KINDS: dict[str, Literal["person", "thing", "door", "place"]] = {
    "npc": "person",
    "player": "person",
    "location": "place",
    "door": "door",
}


def scope_of(state: WorldState, who: str | None = None, *, heard_of: Collection[str] | None = None) -> Scope:
    """Return all that somebody (the player where `who` is None) can name at the scene's place; `Scope.player` is the
    one who names it. Things that are neither here nor carried are not in it.

    `heard_of` are the absent entities that they have heard of; None means everybody with a name.
    """
    who = state.player_id if who is None else who
    place_id = state.scene.location_id
    doors = {way.via for way in state.exits.get(place_id, ()) if way.via}
    present = state.present()
    absent = [
        entity
        for entity in state.entities.values()
        if entity.type in ("npc", "player", "location", "faction", "other")
        and entity.id not in {*present, state.player_id, place_id}
        and state.positions.get(entity.id) != OFFSTAGE
        and entity.name
        and (heard_of is None or entity.id in heard_of)
    ]
    return Scope(
        player=_named(state.entities[who]),
        place=_named(state.entities[place_id]),
        people=_all(state, [entity_id for entity_id in present if entity_id != who]),
        here=_all(state, state.held_by(place_id)),
        carried=_all(state, state.held_by(who)),
        doors=_all(state, sorted(doors)),
        exits=ways_out(state, who),
        topics=tuple(_named(entity) for entity in sorted(absent, key=lambda entity: entity.id)),
    )


def ways_out(state: WorldState, who: str | None = None) -> tuple[WayOut, ...]:
    """Return the exits of the scene's place, in the scenario's order; `barred` is judged for `who`, or for the player
    where it is None."""
    return tuple(
        WayOut(
            name=way.name,
            to=way.to,
            to_name=state.name_of(way.to),
            to_aliases=_names_of_place(state.entities[way.to]),
            minutes=way.minutes,
            door=way.via,
            locked=way.via is not None and way.via in state.doors and state.doors[way.via].locked,
            barred=is_barred(way, who or state.player_id, state),
        )
        for way in state.exits.get(state.scene.location_id, ())
    )


def scopes_ahead(state: WorldState, ruleset: Ruleset, *, heard_of: Collection[str]) -> dict[str, Scope]:
    """Return the scopes of the places that the player's ways out lead to, without people that have no name in the
    state; a way that a locked door bars leads nowhere."""
    going = verb_for("way")
    if going is None or ruleset.find_row(going.name) is None:
        return {}
    ways = [way for way in ways_out(state) if not (way.barred and way.locked)]
    walks = [Action(actor_id=state.player_id, type=going.name, location_id=way.to) for way in ways]
    found: dict[str, Scope] = {}
    for way, walk in zip(ways, walks, strict=True):
        there = scope_of(plainly(walk, state, ruleset), heard_of=heard_of)
        found[way.to] = there.model_copy(update={"people": tuple(person for person in there.people if person.name)})
    return found


def _names_of_place(place: Entity) -> tuple[str, ...]:
    """Return the other names of a place; none where the player may not hear its name. A pack's ID is one of its names
    only where it says no more than they do: the scenario may stage the place under another."""
    if not place.name:
        return ()
    by_id = local(place.id).replace("_", " ")
    is_told = place.origin == "campaign" or any(
        _letters_of(by_id) in _letters_of(name) for name in (place.name, *place.aliases)
    )
    return (*place.aliases, by_id) if is_told else place.aliases


def _letters_of(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _all(state: WorldState, ids: Iterable[str]) -> tuple[Named, ...]:
    return tuple(_named(state.entities[entity_id]) for entity_id in ids if entity_id in state.entities)


def _named(entity: Entity) -> Named:
    return _named_once(entity.id, entity.name, entity.aliases, _KINDS.get(entity.type, "thing"), entity.pronoun)


# By what it says, not by the entity, which is made anew by each opening and many a turn: a cache would keep them all.
@lru_cache(maxsize=4096)
def _named_once(
    entity_id: str,
    name: str,
    aliases: tuple[str, ...],
    kind: Literal["person", "thing", "door", "place"],
    pronoun: Literal["he", "she", "they", "it"],
) -> Named:
    return Named(id=entity_id, name=name, aliases=aliases, kind=kind, pronoun=pronoun)
