"""Items and rules -> the lines that a player may type for them, the likeliest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lorewright.ids import local
from lorewright.index.keywords import content_words
from lorewright.rules.rulesets import Rule
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
    if trigger and not trigger.startswith("search "):
        written.append(f"search {trigger}")
    return [*written, *(f"search {phrase}" for phrase in phrases(item)), "search"]


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
    match act:
        case "ask" | "tell" | "promise":
            joint = "to" if act == "promise" else "about"
            yield from (f"{act} {whom} {joint} {topic}" for whom in people for topic in topics)
        case "persuade" | "threaten":
            yield from (f"{act} {whom}{along} about {topic}" for whom in people for topic in topics)
            yield from (f"{act} {whom}{along}" for whom in people)
        case "give":
            things = [thing] if thing else list(map(the, _named(start, "item")))
            yield from (f"give {given} to {whom}" for whom in people for given in things)
        case "attack" | "recall":
            yield from (f"{act} {whom}{along}" for whom in people)
        case "use":
            yield f"use {thing} on {the(who)}" if thing and who else f"use {thing or the(who)}"
        case "sneak" if who and start.entities[on.target or ""].type == "npc":
            yield f"sneak past {who}"
        case "go" | "sneak":
            yield from (f"{act} to {start.name_of(place)}" for place in ([on.target] if on.target else places))
        case "search":
            yield from (line for item in items for line in searches(item))
            yield from (f"search {topic}" for topic in topics if on.topics)
            yield "search"
        case "wait":
            yield from ("wait", "wait for an hour")
        case "look":
            yield f"look at {the(who)}" if who else "look"
        case "attempt":
            verb = (*on.topics, "touch")[0].replace("_", " ")
            targets = [who] if who else _named(start, "item", "npc", "door")
            yield from (f"{verb} {the(target)}{along}" for target in targets)
        case _:
            yield f"{act} {the(who)}{along}" if who else f"{act} {thing}".strip()


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
