"""Items and rules -> the lines that a player may type for them, the likeliest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lorewright.ids import local
from lorewright.index.keywords import content_words
from lorewright.rules.rulesets import Rule
from lorewright.rules.verbs import RuleNames, typed, verb_of
from lorewright.scene_lore.models import SceneItem
from lorewright.world.state import WorldState

# So many words of an item's text are tried as a topic where neither its name nor what it is about leads to it.
_WORDS = 8


def phrases(item: SceneItem) -> list[str]:
    """Return what a player may call an item: its name, its topics, both, words of its text."""
    name = item.name.replace("_", " ")
    both = [f"{name} of {topic}" for topic in item.topics if topic.casefold() != name.casefold()]
    return list(dict.fromkeys((name, *item.topics, *both, *content_words(item.text)[:_WORDS])))


def searches(item: SceneItem) -> list[str]:
    """Return lines that may find an item: its trigger as written (`read the diary`), then after `search`, then other
    words for it."""
    trigger = (item.trigger or "").lower()
    written = [trigger] if trigger else []
    if trigger and not any(map(trigger.startswith, typed("search_at", thing=""))):
        written += typed("search_at", thing=trigger)
    return [
        *written,
        *(line for phrase in phrases(item) for line in typed("search_at", thing=phrase)),
        *typed("rummage"),
    ]


def the(name: str) -> str:
    """Return a name as it is typed after a verb."""
    return name if not name or name[:1].isupper() or name.startswith(("the ", "a ")) else f"the {name}"


def rule_lines(
    rule: Rule,
    act: str,
    start: WorldState,
    *,
    places: Sequence[str],
    items: Sequence[SceneItem],
    told: Sequence[SceneItem],
) -> Iterator[str]:
    """Yield lines for an act of a rule. `items` are those that its topic may name, `told` those that its target could
    be asked about."""
    on = rule.on
    who = start.name_of(on.target) if on.target else ""
    people = [who] if who else _named(start, "npc")
    thing = the(start.name_of(on.item)) if on.item else ""
    along = f" with {thing}" if thing else ""
    topics = list(dict.fromkeys(_topics(rule, start, items, told)))
    verb = verb_of(act)
    if verb is None or verb.rule_lines is None:
        yield f"{act} {the(who)}{along}" if who else f"{act} {thing}".strip()
        return
    names = RuleNames(
        target=who,
        aim=the(who),
        is_at_person=bool(who) and start.entities[on.target or ""].type == "npc",
        item=thing,
        along=along,
        word=on.topics[0].replace("_", " ") if on.topics else "",
        people=people,
        things=[thing] if thing else list(map(the, _named(start, "item"))),
        aims=list(map(the, [who] if who else _named(start, "item", "npc", "door"))),
        places=[start.name_of(place) for place in ([on.target] if on.target else places)],
        topics=topics,
        finds=[line for item in items for line in searches(item)] if verb.grounding == "hidden" else (),
    )
    yield from verb.rule_lines(names)


def _topics(rule: Rule, start: WorldState, items: Sequence[SceneItem], told: Sequence[SceneItem]) -> Iterator[str]:
    """Yield topics by which a rule applies; any topic where it names none."""
    if not rule.on.topics:
        yield from (phrases(item)[0] for item in told)
        yield from _named(start, "npc")
        return
    yield from (entity.name for entity in start.entities.values() if local(entity.id) in rule.on.topics)
    yield from (topic.replace("_", " ") for topic in rule.on.topics)
    yield from (phrase for item in items for phrase in phrases(item))


def _named(start: WorldState, *types: str) -> list[str]:
    return [entity.name for entity in start.entities.values() if entity.type in types]
