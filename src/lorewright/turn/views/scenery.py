"""What the player has read of a place -> the things that it shows and that no entity stands for: `Scope.scenery`.

It is made of texts that are the player's already (open lore, what they found, what they were told), and nothing of it
is stored: neither the state nor the dice depend on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.forms import is_of_senses
from lorewright.builtin.words.clauses import with_article
from lorewright.ids import content_hash
from lorewright.packs.models import PackEntity
from lorewright.retrieval.view import LoreView
from lorewright.rules.actions import Action
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import verb_for, verb_of
from lorewright.scene_lore.gather import ReadableLine, in_sentences, readable_lines
from lorewright.scene_lore.models import SceneLore
from lorewright.scene_lore.nouns import is_everybodys, may_name_a_thing, other_words, shown_nouns, singular
from lorewright.turn.views.draft import ToldOpening
from lorewright.turn.views.point import TurnStream
from lorewright.values.records import LoreLine, Message
from lorewright.values.same import Same
from lorewright.values.scenery import TOLD, SceneryNoun, SceneryView
from lorewright.world.state import WorldState
from lorewright.world.things import Entity

# The most sentences of one thing that are kept at hand: nobody looks at a bucket more often.
_MOST_LINES = 8
# Shorter texts of a scenario are names and values.
_AUTHORED_WORDS = 4
_DENIED = re.compile(r"n['’]t\b|\b(?:not|never|nobody|cannot)\b", re.IGNORECASE)


def shown_in_lore(view: LoreView, state: WorldState) -> Iterator[SceneryNoun]:
    """Yield the things in what the player may read of the place, of what lies there or is carried, and of who is there,
    sentence by sentence. `view` is the player's, of what is in force."""
    place = state.scene.location_id
    things = [_in_pack(thing, state) for thing in (*state.held_by(place), *state.held_by(state.player_id))]
    people = [_in_pack(who, state) for who in state.present_npcs()]
    for line in readable_lines(view, (_in_pack(place, state), *things)):
        yield from _nouns_in(line)
    for entity in _lying_about(view, _in_pack(place, state), state):
        for line in readable_lines(view, (entity.id,)):
            yield from _nouns_in(line)
            yield from _names_in(line, (entity.name, *entity.spoken_aliases))
    for line in readable_lines(view, people, introductions=people):
        yield from _nouns_spoken_of(line)


def shown_in_manners(lore: SceneLore, state: WorldState) -> Iterator[SceneryNoun]:
    """Yield the things in the sentences that show how those who are there look and behave: a ring that is turned."""
    here = set(state.present_npcs())
    for briefing in lore.briefings:
        for line in briefing.disposition if briefing.npc_id in here else ():
            yield from _nouns_of(plain(line.text), line.key, line.chunk_id, is_here=True)


def _lying_about(view: LoreView, place: str, state: WorldState) -> Iterator[PackEntity]:
    """Yield the things that a pack has at a place (each of the two names the other), and the story does not know: they
    are there to be looked at."""
    known = {entity.pack_entity_id or entity.id for entity in state.entities.values()}
    for generation in view.generations:
        for chunk in generation.chunks_of(place)[:1]:
            ids = [value for kind, value in generation.links_of(chunk.row) if kind == "entity" and value not in known]
            for entity in filter(None, map(generation.entity, dict.fromkeys(ids))):
                first = generation.chunks_of(entity.id)[:1]
                if entity.type == "item" and any(("location", place) in generation.links_of(row.row) for row in first):
                    yield entity


def shown_in_opening(opening: ToldOpening, state: WorldState) -> Iterator[SceneryNoun]:
    """Yield the things that the opening shows at its place; those that it calls the player's go with them. A
    persona who was elsewhere has not read it."""
    if opening.audience and state.player_id not in opening.audience:
        return
    is_there = state.scene.location_id == opening.place_id
    for noun in _nouns_told(opening.text, opening.message_id):
        if is_there or noun.is_owned:
            yield noun


def shown_in_narrations(told: Iterable[Message], authored: tuple[str, ...] | None) -> Iterator[SceneryNoun]:
    """Yield the things in narrations, newest first: of built-in ones only in sentences that stand in one of the
    `authored` texts (None: all of them), because the others speak of the player's words, and in figures."""
    for message in told:
        yield from _nouns_shown(message.content, f"{message.turn_id}/{message.seq}", authored)


@lru_cache(maxsize=256)
def _nouns_shown(text: str, message_id: str, authored: tuple[str, ...] | None) -> tuple[SceneryNoun, ...]:
    nouns = (noun for noun in _nouns_told(text, message_id) if not noun.is_owned)
    if authored is None:
        return tuple(noun for noun in nouns if not _DENIED.search(noun.text))
    said = ((noun, noun.text.rstrip(".!?…: ")) for noun in nouns)
    return tuple(noun for noun, sentence in said if any(sentence in text for text in authored))


def narrations_here(stream: TurnStream, state: WorldState) -> tuple[Message, ...]:
    """Return the last narrations that the player was there for at the present place, newest first; that of the turn in
    which they came is one."""
    place = at = state.scene.location_id
    found: list[Message] = []
    arrivals: set[int] = set()
    for turn_no, message in reversed(stream.seen_by("narrator", own_id=state.player_id)):
        if message.type == "narration" and (at == place or turn_no in arrivals):
            found.append(message)
        elif message.type == "scene_marker" and message.subtype == "location_change":
            at = str(message.payload["from"])
            if message.payload["to"] == place:
                arrivals.add(turn_no - 1)
    return tuple(found)


def authored_sentences(rules: CampaignRules, lore: SceneLore) -> tuple[str, ...]:
    """Return texts to look sentences up in: the scenario's, and those of the people at the scene."""
    manners = (line.text for briefing in lore.briefings for line in briefing.disposition)
    return (_said_in(Same(rules)), *manners)


# A service holds so many games open.
@lru_cache(maxsize=64)
def _said_in(rules: Same[CampaignRules]) -> str:
    dumped = rules.value.model_dump(mode="json", exclude={"ruleset", "grammar"})
    return "\n".join(plain(text) for text in _texts_in(dumped) if len(text.split()) >= _AUTHORED_WORDS)


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts_in(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _texts_in(part)


def _in_pack(entity_id: str, state: WorldState) -> str:
    entity = state.entities.get(entity_id)
    return entity_id if entity is None else entity.pack_entity_id or entity_id


# A place has some hundred sentences, and they are the same turn after turn.
@lru_cache(maxsize=4096)
def _nouns_in(line: ReadableLine) -> tuple[SceneryNoun, ...]:
    return _nouns_of(line.text, line.key, line.source, is_here=line.is_sight)


@lru_cache(maxsize=4096)
def _nouns_spoken_of(line: ReadableLine) -> tuple[SceneryNoun, ...]:
    return _nouns_of(line.text, line.key, line.source, is_here=False)


# Ten narrations of a place are looked at in every turn, of each of the games that are open.
@lru_cache(maxsize=512)
def _nouns_told(text: str, message_id: str) -> tuple[SceneryNoun, ...]:
    return tuple(
        noun
        for sentence in in_sentences(text)
        for noun in _nouns_of(sentence, f"{TOLD}{content_hash(sentence)[:12]}", message_id, is_here=True, is_told=True)
    )


def _names_in(line: ReadableLine, names: Iterable[str]) -> Iterator[SceneryNoun]:
    """Yield a thing by its names, where one of its sentences has one of them."""
    called = dict.fromkeys(name.casefold().removeprefix("the ") for name in names)
    is_named = any(re.search(rf"\b{re.escape(name)}\b", line.text.casefold()) for name in called)
    for name in called:
        if is_named and may_name_a_thing(name.split()):
            yield SceneryNoun(name=name, head=name.split()[-1], text=line.text, key=line.key, source=line.source)


def _nouns_of(sentence: str, key: str, source: str, *, is_here: bool, is_told: bool = False) -> tuple[SceneryNoun, ...]:
    given = {"text": sentence, "key": key, "source": source, "is_here": is_here}
    sure = (
        SceneryNoun.model_validate(
            {"name": noun.phrase, "head": noun.head, "is_owned": is_told and noun.is_yours, **given}
        )
        for noun in shown_nouns(sentence)
    )
    others = (
        SceneryNoun.model_validate({"name": word, "head": word, "is_sure": False, **given})
        for word in other_words(sentence)
    )
    return (*sure, *others)


# The player's actions -> what they are about where that is no entity, for the narrator.


def scenery_views(
    actions: Sequence[Action], scenery: Sequence[SceneryNoun], state: WorldState
) -> tuple[SceneryView, ...]:
    """Return one view for each action whose words mean no entity, by the parser's word: what the prose shows, or what
    is not there; and for each look at a thing what the prose that was told says of it."""
    found: list[SceneryView] = []
    for index, action in enumerate(actions):
        detail, standing = str(action.metadata.get("detail", "")), action.metadata.get("detail_is")
        target = state.entities.get(action.target_id or "")
        if standing == "absent":
            found.append(SceneryView(action_index=index, name=detail))
        elif standing == "scenery":
            found.append(_view_of(index, detail, scenery))
        elif (part := _view_of_part(index, detail, scenery, is_whole=_is_whole(action))) is not None:
            found.append(part)
        elif target is not None and target.type in ("item", "door") and _is_look(action):
            found += _view_of_thing(index, target, scenery, is_counted=action.form == _COUNTED)
    return tuple(found)


def _view_of_thing(
    index: int, thing: Entity, scenery: Sequence[SceneryNoun], *, is_counted: bool
) -> Iterator[SceneryView]:
    """Yield the sentences of what was told that show a thing: all of its name, or the noun of it; where it
    `is_counted`, those that anything tells of it. Of a door, which has no lore of its own, all that the lore of the
    place says comes first."""
    name = thing.name
    words = {singular(word) for word in name.casefold().split()} - _DOORS
    nouns = [noun for noun in scenery if noun.is_sure and (is_counted or noun.key.startswith(TOLD))]
    same = [noun for noun in nouns if words <= set(map(singular, noun.name.split()))]
    if thing.type == "door":
        called = re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
        by_name = [noun for noun in scenery if called.search(noun.text)]
        same = [*sorted(by_name, key=lambda noun: _place_of(called, noun.text)), *same]
    same = same or [noun for noun in nouns if singular(noun.head) == singular(name.casefold().split()[-1])]
    lines = {noun.key: LoreLine(key=noun.key, text=noun.text, chunk_id=noun.source) for noun in same}
    if lines:
        yield SceneryView(action_index=index, name=with_article(name), lines=tuple(lines.values())[:_MOST_LINES])


# What is told of the kitchen is told of the kitchen door.
_DOORS = frozenset(("door", "gate"))


def _view_of_part(index: int, detail: str, scenery: Sequence[SceneryNoun], *, is_whole: bool) -> SceneryView | None:
    """Return what is told of where somebody looks (`under the mat`, `through the keyhole of the study`): sentences that
    say it of that side of the thing and of no other of its kind; where the thing `is_whole` meant, those of any side,
    then all that name it. None where there are none."""
    spot = _SPOT.fullmatch(detail.casefold())
    if spot is None or (spot["side"] is None and not is_whole):
        return None
    thing, _, owner = spot["thing"].partition(" of the ")
    thing, _, content = thing.partition(" of ")
    *others, head = thing.split()
    of = {singular(word) for word in (*others, *owner.split())} - {"the", "a", *_DOORS}
    noun = f"(?:{re.escape(head)}|{re.escape(singular(head))})(?:e?s)?"
    sides = [told for side, told in _TELLS_SIDE.items() if spot["side"] is None or re.fullmatch(side, spot["side"])]
    tells = [re.compile("|".join(sides).format(noun=noun), re.IGNORECASE)]
    named = re.compile(rf"\b{noun}\b", re.IGNORECASE)
    # Of a sentence that was told the lore's own key counts: by that it is known to have been told.
    ranked = sorted(scenery, key=lambda shown: (_place_of(named, shown.text), not shown.key.startswith(TOLD)))
    things = [shown for shown in ranked if _MANNERS not in shown.key]
    texts = {shown.text: shown for shown in things if of <= set(map(singular, _WORDS.findall(shown.text.casefold())))}
    tells += [re.compile(rf"^the {re.escape(content)}\b", re.I)] if content and spot["side"] in _INSIDE else []
    tells += [re.compile(rf"^(?:the|an?|your) (?:[\w-]+ ){{0,2}}{noun}\b", re.I)] if spot["side"] in _INSIDE else []
    tells += [] if spot["side"] else [named]
    fits = dict.fromkeys(text for pattern in tells for text in texts if pattern.search(text))
    lines = [LoreLine(key=texts[text].key, text=text, chunk_id=texts[text].source) for text in fits]
    name = with_article(f"{thing} of {content}" if content else thing)
    return SceneryView(action_index=index, name=name, lines=tuple(lines)[:_MOST_LINES]) if lines else None


def _place_of(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    return len(text) if found is None else found.start()


# Who looks in a thing of which nothing is told within is told what is told of it.
_INSIDE = ("in", "inside", "into", "within")
_COUNTED = "count"


def _is_look(action: Action) -> bool:
    """Tell whether an act only takes in what can be seen, heard, smelt or read."""
    look = verb_for("examine")
    return is_of_senses(action.form) or (not action.form and look is not None and action.type == look.name)


def _is_whole(action: Action) -> bool:
    """Tell whether an act is about a thing on every side of it: it is counted, or searched for what is hidden."""
    verb = verb_of(action.type)
    return action.form == _COUNTED or (verb is not None and verb.grounding == "hidden")


_WORDS = re.compile(r"[\w'-]+")
# How people look and behave is no side of a thing: what is in the keys of such lines.
_MANNERS = ":disposition"
_SPOT = re.compile(
    r"(?:(?P<side>under|underneath|beneath|below|behind|inside|into|in|within|through|on top of|on|above|between) )?"
    r"(?:the |a |an |my |your |his |her |its |that |this )?(?P<thing>[\w' -]+)"
)
# A side of a thing -> what a sentence has that tells of it.
_TELLS_SIDE = {
    "under|underneath|beneath|below": r"\b(?:under|underneath|beneath|below)\b(?: [\w'-]+){{0,3}} {noun}\b"
    r"|\b{noun}\b.*\b(?:under|beneath) it\b",
    "behind": r"\bbehind\b(?: [\w'-]+){{0,3}} {noun}\b|\b{noun}\b.*\bbehind it\b",
    "through": r"\b{noun}\b.*\b(?:shows?|sees?|seen|gives?|looks?|opens?|no|views?)\b"
    r"|\bthrough\b(?: [\w'-]+){{0,3}} {noun}\b|\bno {noun}\b",
    "in|inside|into|within": r"\b(?:in|inside|into|within)\b(?: [\w'-]+){{0,3}} {noun}\b"
    r"|\b{noun}\b.*\b(?:in|inside|within) it\b|^(?:the|an?|your) (?:[\w-]+ ){{0,2}}{noun}\b.*\b(?:full|empty)\b",
    "on|on top of|above|between": r"\b(?:on|above|upon|between|over)\b(?: [\w'-]+){{0,3}} {noun}\b"
    r"|\b{noun}\b.*\b(?:on|upon|over) it\b",
}


def _view_of(index: int, name: str, scenery: Sequence[SceneryNoun]) -> SceneryView:
    words = name.casefold().split()
    head = singular(words[-1])
    nouns = [] if is_everybodys(head) else [noun for noun in scenery if singular(noun.head) == head]
    nouns.sort(key=lambda noun: _rank(noun, words))
    lines = {noun.key: LoreLine(key=noun.key, text=noun.text, chunk_id=noun.source) for noun in nouns}
    is_owned = any(noun.is_owned for noun in nouns) or is_everybodys(head)
    return SceneryView(
        action_index=index,
        name=f"your {name}" if is_owned else with_article(name),
        lines=tuple(lines.values())[:_MOST_LINES],
        is_owned=is_owned,
    )


def _rank(noun: SceneryNoun, words: Sequence[str]) -> tuple[bool, bool, bool, int]:
    """Return a sort key that puts sentences first which show the very thing, as many of it, here, and begin with it."""
    is_other = not noun.is_sure or not {*words[:-1]} <= {*noun.name.split()}
    return is_other, noun.head != words[-1], not noun.is_here, noun.text.casefold().find(noun.head)
