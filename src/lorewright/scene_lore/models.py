"""SceneFocus in, SceneLore out. SceneLore holds everything; what a viewer sees of it is computed when it is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Frozen(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class SceneFocus(_Frozen):
    """A scene as the lore half knows it. IDs are qualified."""

    scene_id: str
    location_id: str
    present_ids: tuple[str, ...] = ()
    thread_ids: tuple[str, ...] = ()


class LoreText(_Frozen):
    """A sentence or list item of a section, in plain words. `key` is unique in the pack."""

    key: str
    chunk_id: str
    text: str


class SceneItem(_Frozen):
    """An item with the words that it may be met by: its name, its trigger, the names it mentions."""

    id: str
    chunk_id: str
    name: str
    text: str
    trigger: str | None = None
    hint: str | None = None
    topics: tuple[str, ...] = ()


class Briefing(_Frozen):
    """What one character brings to the scene."""

    npc_id: str
    disposition: tuple[LoreText, ...] = ()
    knows: tuple[SceneItem, ...] = ()
    withholds: tuple[SceneItem, ...] = ()
    capabilities: tuple[LoreText, ...] = ()
    # What moves the character: for the planner and the character itself, never narrated.
    motivation: tuple[LoreText, ...] = Field(default=(), exclude_if=lambda motivation: not motivation)


class PlaceLore(_Frozen):
    """Everything that belongs to a place, secrets included; `threads` are of all threads, open or not, `standing` is
    the open lore that stands in every scene."""

    location_id: str
    atmosphere: tuple[LoreText, ...] = ()
    overview: tuple[LoreText, ...] = ()
    discoverable: tuple[SceneItem, ...] = ()
    threads: tuple[SceneItem, ...] = ()
    standing: tuple[LoreText, ...] = Field(default=(), exclude_if=lambda standing: not standing)


class PersonLore(_Frozen):
    """Everything that a character brings to any scene, secrets included."""

    briefing: Briefing
    threads: tuple[SceneItem, ...] = ()


class SceneLore(_Frozen):
    """Everything that belongs to a scene, secrets included."""

    scene_id: str
    location_id: str
    atmosphere: tuple[LoreText, ...] = ()
    overview: tuple[LoreText, ...] = ()
    briefings: tuple[Briefing, ...] = ()
    discoverable: tuple[SceneItem, ...] = ()
    thread_connections: tuple[SceneItem, ...] = ()
    standing: tuple[LoreText, ...] = Field(default=(), exclude_if=lambda standing: not standing)

    def briefing(self, npc_id: str) -> Briefing | None:
        """Return a character's briefing, or None where it has none."""
        return next((briefing for briefing in self.briefings if briefing.npc_id == npc_id), None)

    def items(self) -> tuple[SceneItem, ...]:
        """Return every item of the scene: those of the people, of the place and of the threads."""
        known = [item for briefing in self.briefings for item in (*briefing.knows, *briefing.withholds)]
        return (*known, *self.discoverable, *self.thread_connections)

    def sights(self) -> tuple[LoreText, ...]:
        """Return the lines that the narrator is shown beforehand: the place, how people are, and standing lore."""
        people = [line for briefing in self.briefings for line in (*briefing.disposition, *briefing.capabilities)]
        return (*self.atmosphere, *self.overview, *people, *self.standing)

    def item(self, item_id: str) -> SceneItem | None:
        """Return an item of the scene by its ID, or None."""
        return next((item for item in self.items() if item.id == item_id), None)


# SceneLore -> what a stage or a player sees of it, in the seed's SceneLoreCache shape (design section 7).

# A stage of the turn, or the player.
StageViewer = Literal["planner", "narrator", "player"]


def scene_view(lore: SceneLore, viewer: StageViewer, *, learned: frozenset[str]) -> dict[str, Any]:
    """Return the scene for one viewer. `learned` holds the items that the player has, those of this turn included.

    Everyone sees the atmosphere. Planner and narrator see how people are, the player sees it in what they do. What
    moves people is for the planner, and for themselves. The planner sees only the topics of what a character knows, and
    only the number of what it withholds and of what can be found. The narrator sees items only once the player has
    them: it cannot leak what it never saw.
    """
    return {
        "scene_id": lore.scene_id,
        "atmosphere": _texts(lore.atmosphere),
        "npc_briefings": {briefing.npc_id: _briefing_view(briefing, viewer, learned) for briefing in lore.briefings},
        "discoverable": _discoverable(lore, viewer, learned),
        "thread_connections": {item.name: item.text for item in _known(lore.thread_connections, learned)},
        **_standing(lore),
    }


def character_view(lore: SceneLore, npc_id: str, *, learned: frozenset[str]) -> dict[str, Any]:
    """Return the scene for one of the characters in it: the atmosphere, their own briefing whole, and of all else what
    they have learned. What others keep back, and what lies hidden, is not even counted."""
    briefings = {
        briefing.npc_id: {
            **_briefing_view(
                briefing, "narrator", frozenset(item.id for item in (*briefing.knows, *briefing.withholds))
            ),
            **_motivation(briefing),
        }
        if briefing.npc_id == npc_id
        else _briefing_view(briefing, "player", learned)
        for briefing in lore.briefings
    }
    return {
        "scene_id": lore.scene_id,
        "atmosphere": _texts(lore.atmosphere),
        "npc_briefings": briefings,
        "discoverable": _discoverable(lore, "player", learned),
        "thread_connections": {item.name: item.text for item in _known(lore.thread_connections, learned)},
        **_standing(lore),
    }


def _standing(lore: SceneLore) -> dict[str, Any]:
    """Return the open lore that stands in every scene, where packs have any."""
    return {"standing": _texts(lore.standing)} if lore.standing else {}


def _briefing_view(briefing: Briefing, viewer: StageViewer, learned: frozenset[str]) -> dict[str, Any]:
    known = {
        "knows": _items(_known(briefing.knows, learned)),
        "withholds": _items(_known(briefing.withholds, learned)),
    }
    if viewer == "player":
        return known
    sheet = {
        "disposition": " ".join(_texts(briefing.disposition)),
        "capabilities": " ".join(_texts(briefing.capabilities)),
    }
    if viewer == "narrator":
        return {**sheet, **known}
    topics = [topic for item in briefing.knows for topic in item.topics]
    return {
        **sheet,
        **_motivation(briefing),
        "knows": list(dict.fromkeys(topics)),
        "withholds_count": len(briefing.withholds),
    }


def _motivation(briefing: Briefing) -> dict[str, Any]:
    """Return what moves a character, where its pack says it."""
    return {"motivation": " ".join(_texts(briefing.motivation))} if briefing.motivation else {}


def _discoverable(lore: SceneLore, viewer: StageViewer, learned: frozenset[str]) -> list[dict[str, Any]]:
    found = [{"trigger": item.trigger or "", "content": item.text} for item in _known(lore.discoverable, learned)]
    hidden = len(lore.discoverable) - len(found)
    if viewer == "planner" and hidden:
        return [*found, {"where": lore.location_id, "undiscovered_count": hidden}]
    return found


def _known(items: Sequence[SceneItem], learned: frozenset[str]) -> list[SceneItem]:
    return [item for item in items if item.id in learned]


def _items(items: Sequence[SceneItem]) -> list[str]:
    return [item.text for item in items]


def _texts(texts: Sequence[LoreText]) -> list[str]:
    return [text.text for text in texts]
