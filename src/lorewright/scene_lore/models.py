"""SceneFocus in, SceneLore out. SceneLore holds everything; what of it anyone sees is computed when it is read."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class _Frozen(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class SceneFocus(_Frozen):
    """What to look at: all that the lore half is told of a scene. IDs are qualified."""

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
    # What moves the character: for itself and whoever plans, never told.
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
        """A character's briefing, or None where it has none."""
        return next((briefing for briefing in self.briefings if briefing.npc_id == npc_id), None)

    def items(self) -> tuple[SceneItem, ...]:
        """Every item of the scene, whoever holds it."""
        held = [item for briefing in self.briefings for item in (*briefing.knows, *briefing.withholds)]
        return (*held, *self.discoverable, *self.thread_connections)

    def sights(self) -> tuple[LoreText, ...]:
        """What whoever tells of the scene is shown of it beforehand: the place, how people are, what stands in every
        scene."""
        people = [line for one in self.briefings for line in (*one.disposition, *one.capabilities)]
        return (*self.atmosphere, *self.overview, *people, *self.standing)

    def item(self, item_id: str) -> SceneItem | None:
        """An item of the scene by its ID, or None."""
        return next((item for item in self.items() if item.id == item_id), None)
