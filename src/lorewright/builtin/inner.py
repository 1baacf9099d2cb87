"""The built-in extractor of inner life: the typed actions of an intention -> changes of the character's own states.

A deed of a kind moves states of certain names by a step, where the character has one of that name.
Most deeds move nothing. It reads types and tags, never prose, and it moves numbers and the one-word mood; a morality
that is written in words is a model's to rewrite.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from lorewright.rules.actions import Action
from lorewright.rules.verbs import verb_of
from lorewright.values.inner import InnerInput, StateChange, StateExtractorOutput, kind_of
from lorewright.values.records import InnerState
from lorewright.world.things import MANIFEST_LEVEL

# Names that authors give to the same state.
_CALLED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "morality": ("morality", "conscience", "honour", "honor", "honesty", "integrity", "virtue"),
        "guilt": ("guilt", "shame", "remorse", "regret"),
        "anger": ("anger", "rage", "fury", "temper", "resentment", "hatred"),
        "fear": ("fear", "dread", "panic", "anxiety", "unease"),
        "resolve": ("resolve", "courage", "determination", "will", "confidence", "morale"),
        "kindness": ("kindness", "compassion", "warmth", "generosity", "empathy"),
    }
)
_MOODS = ("mood", "temper", "spirits")


@dataclass(frozen=True, slots=True, eq=False)
class InnerDeed:
    """What it does to somebody's inner states that they did this; a part of a verb that does it to all its doers."""

    name: str
    # Among several deeds that with the lowest sets the mood: the weightiest is felt longest.
    rank: int
    # Steps of the states that it moves.
    steps: Mapping[str, int]
    mood: str
    # It breaks faith with somebody to whom something was promised.
    is_faithless: bool = False


VIOLENCE = InnerDeed("violence", 10, {"morality": -1, "guilt": 1, "anger": -1, "kindness": -1}, "shaken", True)
THREAT = InnerDeed("threat", 20, {"morality": -1, "anger": 1, "kindness": -1}, "hard", True)
_THEFT = InnerDeed("theft", 30, {"morality": -1, "guilt": 1}, "tense", True)
_DECEIT = InnerDeed("deceit", 40, {"morality": -1, "guilt": 1}, "guarded", True)
_BREACH = InnerDeed("breach", 50, {"morality": -1, "guilt": 2}, "ill at ease")
# Ranks 60 and 70: promises and gifts.
_HELP = InnerDeed("help", 80, {"morality": 1, "kindness": 1, "guilt": -1}, "lighter")
_FLIGHT = InnerDeed("flight", 90, {"fear": 1, "resolve": -1}, "frightened")
_OF_TAG = MappingProxyType({"threat": THREAT, "deceit": _DECEIT, "flight": _FLIGHT, "help": _HELP})
# Words that somebody may use for whatever no verb means.
_OF_WORD = MappingProxyType(
    {
        **dict.fromkeys(("hit", "punch", "kick", "stab", "shoot", "strangle", "choke", "beat", "slap"), VIOLENCE),
        **dict.fromkeys(("steal", "rob", "pickpocket", "pocket", "burgle", "swindle", "cheat"), _THEFT),
        **dict.fromkeys(("lie", "deceive", "trick", "mislead", "bluff", "forge", "betray"), _DECEIT),
        **dict.fromkeys(("help", "comfort", "console", "bandage", "heal", "rescue", "save", "tend", "feed"), _HELP),
        **dict.fromkeys(("flee", "run", "escape", "cower"), _FLIGHT),
    }
)
# Bounds of states with numbers, unless they are further out already.
_LEAST, _MOST = 0, 10
# A tag is a model's word for its own intent, or an author's: a little less sure than what was done.
_OF_A_TAG = 0.8


def change_states(given: InnerInput) -> StateExtractorOutput:
    """Return the changes of the states; each state at most once, nothing where no deed of the table is among the
    actions.
    """
    deeds = list(dict.fromkeys(_deeds(given)))
    changes = [*_counted(given, deeds), *_mood_changes(given, deeds)]
    by_name = {change.name: change for change in changes}
    return StateExtractorOutput(changes=tuple(by_name.values())[:6])


def _deeds(given: InnerInput) -> Iterator[tuple[InnerDeed, float]]:
    """Yield (deed, confidence) of the intention, in order."""
    for action in given.actions:
        deed = _deed(action)
        if deed is None:
            continue
        yield deed, 1.0
        if deed.is_faithless and action.target_id in given.bound_to:
            yield _BREACH, 1.0
    typed = {deed for action in given.actions if (deed := _deed(action)) is not None}
    for tag in given.tags:
        tagged = _OF_TAG.get(tag.casefold())
        if tagged is not None and tagged not in typed:
            yield tagged, _OF_A_TAG


def _deed(action: Action) -> InnerDeed | None:
    """Return the deed of an action; without a target there is none, except that one can flee alone."""
    verb = verb_of(action.type)
    if verb is None:
        return None
    word = str(action.metadata.get("verb", "")).casefold().split(" ")[0]
    deed = verb.part(InnerDeed) or (_OF_WORD.get(word) if verb.is_free else None)
    return deed if action.target_id is not None or deed is _FLIGHT else None


def _counted(given: InnerInput, deeds: Sequence[tuple[InnerDeed, float]]) -> Iterator[StateChange]:
    for state in given.all_states:
        if kind_of(state.value) != "number":
            continue
        steps = [(deed.name, step, sure) for deed, sure in deeds if (step := _step(state.name, deed))]
        change = _change_state(state, steps)
        if change is not None:
            yield change


def _step(name: str, deed: InnerDeed) -> int:
    means = next((key for key, names in _CALLED.items() if name.casefold() in names), None)
    return 0 if means is None else deed.steps.get(means, 0)


def _change_state(state: InnerState, steps: Sequence[tuple[str, int, float]]) -> StateChange | None:
    """Return a change by one step or two, however much was done at once; a latent state that grows comes nearer to the
    surface.
    """
    by = max(-2, min(2, sum(step for _, step, _ in steps)))
    value = _within(state.value, state.value + by)
    if value == state.value:
        return None
    rises = value > state.value and state.level < MANIFEST_LEVEL
    return StateChange(
        name=state.name,
        value=value,
        level=state.level + 1 if rises else None,
        confidence=min(sure for _, _, sure in steps),
        reason=", ".join(dict.fromkeys(deed for deed, _, _ in steps)),
    )


def _within(was: Any, value: Any) -> Any:
    return min(max(value, min(_LEAST, was)), max(_MOST, was))


def _mood_changes(given: InnerInput, deeds: Sequence[tuple[InnerDeed, float]]) -> Iterator[StateChange]:
    """Yield the mood, where the character has one in words, or may have one and has none yet."""
    felt = next((state for state in given.all_states if state.name.casefold() in _MOODS), None)
    if felt is None or not deeds or kind_of(felt.value) not in ("text", "nothing"):
        return
    deed, sure = min(deeds, key=lambda deed_and_confidence: deed_and_confidence[0].rank)
    if felt.value != deed.mood:
        yield StateChange(name=felt.name, value=deed.mood, confidence=sure, reason=deed.name)
