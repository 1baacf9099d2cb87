"""Outcomes of talk -> leads: what those who were spoken to would tell of if they were asked, and who else would; and
questions without an answer -> what is told all the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from lorewright.builtin.narrator.forms import word_forms
from lorewright.builtin.narrator.outcomes import is_led_far
from lorewright.builtin.narrator.scenery import unheard
from lorewright.builtin.words.clauses import is_called
from lorewright.index.generation import Generation
from lorewright.index.keywords import STOP_WORDS, content_words
from lorewright.rules.actions import Attempt, GroundedItem
from lorewright.rules.patch import Outcome
from lorewright.rules.verbs import is_answered, verb_of
from lorewright.scene_lore.cache import COLOURLESS_WORDS, FAINT_WORDS, item_by_meaning, match_items
from lorewright.scene_lore.fitting import FAR as NO_FIT
from lorewright.scene_lore.fitting import fit_of
from lorewright.scene_lore.gather import described, gather_person
from lorewright.scene_lore.models import SceneItem, SceneLore
from lorewright.turn.views.acquaintance import Acquaintance
from lorewright.turn.views.subjects import named_in_words
from lorewright.values.leads import Lead
from lorewright.world.state import OFFSTAGE, WorldState

# Outcomes after which somebody may point on: they do not know, or were asked for help.
_LEADING = ("does_not_know", "acted")
# The most people whom somebody thinks of, and the most names that they go through and come up with.
_MOST_OTHERS, _MOST_NAMES, _MOST_OWN = 16, 6, 2


def may_point_on(outcome: Outcome) -> bool:
    """Tell whether somebody who was spoken to may point to what else could be asked."""
    verb = verb_of(outcome.type)
    return verb is not None and verb.points_on and outcome.code in _LEADING and outcome.target_id is not None


def leads_of(
    outcomes: Sequence[Outcome],
    lore: SceneLore,
    knows: Acquaintance,
    generations: Sequence[Generation],
    *,
    heard_of: Sequence[str],
    words: str,
) -> Iterator[Lead]:
    """Yield where those whom the player spoke to can point: to what they would tell themselves, what they did not yet
    point to first; then, where they did not know, to others who would.

    Nothing is said of an item but that somebody would tell one, and nobody is named whom the player has not heard of.
    `lore` is the scene's, `generations` are those in force, `heard_of` names that the player has heard, `words` what
    they typed.
    """
    for outcome in filter(may_point_on, outcomes):
        asked = outcome.target_id
        if asked is not None and asked in knows.state.present_npcs():
            yield from islice(_own_leads(outcome, asked, lore, knows.state, generations, heard_of), _MOST_OWN)
            if outcome.code == "does_not_know" and outcome.words:
                yield from _leads_to_others(outcome, asked, knows, generations, words)


def _own_leads(
    outcome: Outcome,
    asked: str,
    lore: SceneLore,
    state: WorldState,
    generations: Sequence[Generation],
    heard_of: Sequence[str],
) -> Iterator[Lead]:
    briefing, learned = lore.briefing(asked), state.learned_by(state.player_id)
    free = [] if briefing is None else [item for item in briefing.knows if item.id not in learned]
    names = {entity.name for entity in state.entities.values()}
    here = [state.name_of(other) for other in state.present_npcs() if other != asked]
    at_hand = list(dict.fromkeys(name for name in (*heard_of, *here) if name in names))[:_MOST_NAMES]
    leads = [Lead(asked=asked, holder=asked, topic=name) for name in at_hand if not is_called(outcome.words, name)]
    for lead in sorted(leads, key=lambda lead: state.recall.get(lead.key, 0)):
        if free and match_items(lead.topic, free, generations).items:
            yield lead


def _leads_to_others(
    outcome: Outcome, asked: str, knows: Acquaintance, generations: Sequence[Generation], words: str
) -> Iterator[Lead]:
    state = knows.state
    learned = state.learned_by(state.player_id)
    others = [
        entity.id
        for entity in state.entities.values()
        if entity.type == "npc"
        and entity.id != asked
        and state.positions.get(entity.id, OFFSTAGE) != OFFSTAGE
        and knows.knows_name_of(entity.id, words)
    ]
    held: dict[str, tuple[SceneItem, str]] = {
        item.id: (item, other)
        for other in sorted(others)[:_MOST_OTHERS]
        for item in gather_person(generations, other).briefing.knows
        if item.id not in learned
    }
    found = match_items(outcome.words, [item for item, _ in held.values()], generations).items
    for holder in dict.fromkeys(held[item.id][1] for item in found):
        yield Lead(asked=asked, holder=holder)


# Questions without an answer -> what is told all the same: it was asked of somebody who freely knows something near.


def lead_on(
    attempts: Sequence[Attempt],
    scenes: Sequence[SceneLore],
    knows: Acquaintance,
    generations: Sequence[Generation],
    *,
    topic: str = "",
) -> list[Attempt]:
    """Return the attempts, the first question that its person has no new answer to with what is told beside it: an
    item that they, or else somebody with them, freely tell and that was not told yet. `scenes` are the attempts' lore,
    `topic` what was last spoken about."""
    if any(_brings_new(attempt, knows.state) for attempt in attempts):
        return list(attempts)
    led = list(attempts)
    for at, (attempt, lore) in enumerate(zip(attempts, scenes, strict=True)):
        if beside := _beside(attempt, lore, knows, generations, topic):
            grounding = attempt.grounding.model_copy(update={"beside": (beside,)})
            led[at] = attempt.model_copy(update={"grounding": grounding})
            break
    return led


def _brings_new(attempt: Attempt, state: WorldState) -> bool:
    return any(
        item.role != "withholds" and not state.has_learned(state.player_id, item.id)
        for item in attempt.grounding.items
        if item.holder_id == attempt.action.target_id
    )


def _beside(
    attempt: Attempt, lore: SceneLore, knows: Acquaintance, generations: Sequence[Generation], topic: str
) -> GroundedItem | None:
    action, state = attempt.action, knows.state
    form, asked_of = word_forms().get(action.form), action.target_id or ""
    is_asked = is_answered(action.type) and action.actor_id == state.player_id and bool(action.words)
    if not is_asked or lore.briefing(asked_of) is None or (action.form and (form is None or not form.led_on)):
        return None
    asked = f"{action.words} {action.deed}".strip()
    said = f"{asked} {topic}" if _POINTS_BACK.search(asked) else asked
    free = _free_items(asked_of, lore, state)
    for words in dict.fromkeys((action.words, asked, said)):
        found = match_items(words, free, generations).items[:1]
        if found and fit_of(words, asked, found[0], generations) != NO_FIT:
            return _told_by(asked_of, found[0])
    matched = [item for item in attempt.grounding.items if item.holder_id == asked_of]
    others = () if matched or action.is_whispered or action.form == OF_SELF else lore.briefings
    for other in (briefing.npc_id for briefing in others if briefing.npc_id in state.present_npcs()):
        found = match_items(action.words, _free_items(other, lore, state), generations).items
        # Who was not asked speaks up where it is their subject, not by a word of theirs that fits, nor by the name of
        # the one who was asked.
        called = content_words(state.name_of(asked_of))
        if (theirs := next((item for item in found if _is_subject(item, action.words, called)), None)) is not None:
            return _told_by(other, theirs)
    named = named_in_words(action.words, knows.shown, generations, knows.heard_of(action.words))
    openly_said = described(generations, [entity_id for entity_id in named if entity_id != asked_of])
    if any(unheard(lines, state.recall) for lines in openly_said.values()):
        return None
    # Words of every conversation (`what does it mean?`) are near to anything.
    telling = action.deed or said
    near = item_by_meaning(telling, free, generations, whole=action.words, is_beside=True) if _telling(asked) else None
    if near is not None and fit_of(telling, action.words, near, generations) != NO_FIT:
        return _told_by(asked_of, near)
    is_far = (form is None or form.led_on == FAR) and is_led_far(state.recall)
    return _told_by(asked_of, free[0]) if is_far and free else None


def _is_subject(item: SceneItem, words: str, called: Sequence[str]) -> bool:
    telling = _telling(words) - set(called)
    subject, text = set(content_words(item.name.replace("_", " "))), set(content_words(item.text))
    return bool(subject & telling) or (bool(telling) and telling <= text)


def _telling(words: str) -> set[str]:
    return set(content_words(words)) - COLOURLESS_WORDS - FAINT_WORDS - STOP_WORDS


def _free_items(who: str, lore: SceneLore, state: WorldState) -> list[SceneItem]:
    """Return what somebody freely tells and has not told yet."""
    briefing, learned = lore.briefing(who), state.learned_by(state.player_id)
    return [] if briefing is None else [item for item in briefing.knows if item.id not in learned]


def _told_by(who: str, item: SceneItem) -> GroundedItem:
    return GroundedItem(id=item.id, role="knows", holder_id=who)


# The forms of questions that also lead to what is not near, and of those after the person asked.
FAR, OF_SELF = "far", "ask_self"
# What was spoken of before is meant.
_POINTS_BACK = re.compile(
    r"\b(?:he|she|they|him|her|them|his|their|it|its|that|this|there|he's|she's|it's|they're|that's)\b", re.IGNORECASE
)
