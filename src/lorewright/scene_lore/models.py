"""SceneFocus in, SceneLore out. SceneLore holds everything; what a viewer sees of it is computed when it is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from lorewright.visibility import SectionReader, section_sight, sees_section


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


class NPCBriefing(_Frozen):
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

    briefing: NPCBriefing
    threads: tuple[SceneItem, ...] = ()


About = Literal["place", "cast", "thread"]


class LorePassage(_Frozen):
    """A retrieved section, as a player who has learned nothing may read it; `about` says what it was retrieved for."""

    about: About = "place"
    chunk_id: str
    section_path: str
    text: str
    tokens: int


class SceneLore(_Frozen):
    """Everything that belongs to a scene, secrets included; `retrieved` is open lore besides, if any was asked for."""

    scene_id: str
    location_id: str
    atmosphere: tuple[LoreText, ...] = ()
    overview: tuple[LoreText, ...] = ()
    briefings: tuple[NPCBriefing, ...] = ()
    discoverable: tuple[SceneItem, ...] = ()
    thread_connections: tuple[SceneItem, ...] = ()
    standing: tuple[LoreText, ...] = Field(default=(), exclude_if=lambda standing: not standing)
    retrieved: tuple[LorePassage, ...] = Field(default=(), exclude_if=lambda retrieved: not retrieved)

    def briefing(self, npc_id: str) -> NPCBriefing | None:
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

Text = TypeVar("Text", LoreText, SceneItem)

# A stage of the turn, or the player.
StageViewer = Literal["planner", "narrator", "player"]


def whole_scene(lore: SceneLore) -> dict[str, Any]:
    """Return the scene for the game master, secrets included."""
    return _scene_for(lore, "gm", learned=frozenset())


def scene_view(lore: SceneLore, viewer: StageViewer, *, learned: frozenset[str]) -> dict[str, Any]:
    """Return the scene for one viewer, by the table `visibility.SECTIONS`. `learned` holds the items that the player
    has, those of this turn included.

    Everyone sees the atmosphere. Planner and narrator see how people are, the player sees it in what they do. What
    moves people is for the planner, and for themselves. The planner sees what ties the scene to the threads that `lore`
    has, only the topics of what a character knows, and only the number of what it withholds and of what can be found.
    The narrator sees items only once the player has them: it cannot leak what it never saw.
    """
    return _scene_for(lore, viewer, learned=learned)


def character_view(lore: SceneLore, npc_id: str, *, learned: frozenset[str]) -> dict[str, Any]:
    """Return the scene for one of the characters in it: the atmosphere, their own briefing whole, and of all else what
    they have learned. What others keep back, and what lies hidden, is not even counted."""
    return _scene_for(lore, "npc", learned=learned, own_id=npc_id)


def texts_for(lore: SceneLore, reader: SectionReader, *, own_id: str | None = None) -> SceneLore:
    """Return a scene's lore without the texts of which a reader is shown nothing: open lore, how people are and what
    moves them, and of the viewing character (`own_id`) what it knows and withholds."""

    def shown(role: str, texts: tuple[Text, ...], briefing: NPCBriefing | None = None) -> tuple[Text, ...]:
        is_own = briefing is not None and briefing.npc_id == own_id
        return texts if sees_section(role, reader, owner_is_viewer=is_own) else ()

    def briefing_for(briefing: NPCBriefing) -> NPCBriefing:
        sheet = {
            "disposition": shown("disposition", briefing.disposition, briefing),
            "capabilities": shown("capabilities", briefing.capabilities, briefing),
            "motivation": shown("motivation", briefing.motivation, briefing),
        }
        if briefing.npc_id != own_id:
            return briefing.model_copy(update=sheet)
        items = {
            "knows": shown("knows", briefing.knows, briefing),
            "withholds": shown("withholds", briefing.withholds, briefing),
        }
        return briefing.model_copy(update={**sheet, **items})

    return lore.model_copy(
        update={
            "atmosphere": shown("atmosphere", lore.atmosphere),
            "overview": shown("lore", lore.overview),
            "standing": shown("lore", lore.standing),
            "briefings": tuple(briefing_for(briefing) for briefing in lore.briefings),
        }
    )


def _scene_for(
    lore: SceneLore, reader: SectionReader, *, learned: frozenset[str], own_id: str | None = None
) -> dict[str, Any]:
    atmosphere = _texts(lore.atmosphere) if sees_section("atmosphere", reader) else []
    # The open lore that stands in every scene, where packs have any.
    standing = {"standing": _texts(lore.standing)} if lore.standing and sees_section("lore", reader) else {}
    return {
        "scene_id": lore.scene_id,
        "atmosphere": atmosphere,
        "npc_briefings": {
            briefing.npc_id: _briefing_for(briefing, reader, learned, is_own=briefing.npc_id == own_id)
            for briefing in lore.briefings
        },
        "discoverable": _discoverable(lore, reader, learned),
        "thread_connections": _connections(lore, reader, learned),
        **standing,
    }


def _connections(lore: SceneLore, reader: SectionReader, learned: frozenset[str]) -> dict[str, str]:
    """Return what ties the scene to each thread, by the thread's ID."""
    found: dict[str, str] = {}
    for item in _seen("threads", lore.thread_connections, reader, learned):
        found[item.name] = f"{found[item.name]} {item.text}" if item.name in found else item.text
    return found


def _briefing_for(
    briefing: NPCBriefing, reader: SectionReader, learned: frozenset[str], *, is_own: bool
) -> dict[str, Any]:
    """Return a briefing without the keys that hold nothing for the reader; what moves a character only where its pack
    says it."""
    sheet = (("disposition", briefing.disposition), ("capabilities", briefing.capabilities))
    found: dict[str, Any] = {
        role: " ".join(_texts(texts)) for role, texts in sheet if sees_section(role, reader, owner_is_viewer=is_own)
    }
    if briefing.motivation and sees_section("motivation", reader, owner_is_viewer=is_own):
        found["motivation"] = " ".join(_texts(briefing.motivation))
    for role, items in (("knows", briefing.knows), ("withholds", briefing.withholds)):
        match section_sight(role, reader):
            case "topics":
                found[role] = list(dict.fromkeys(topic for item in items for topic in item.topics))
            case "count":
                # What has come out is kept back no more.
                found[f"{role}_count"] = sum(item.id not in learned for item in items)
            case _:
                found[role] = [item.text for item in _seen(role, items, reader, learned, is_own=is_own)]
    return found


def _discoverable(lore: SceneLore, reader: SectionReader, learned: frozenset[str]) -> list[dict[str, Any]]:
    known = _seen("discoverable", lore.discoverable, reader, learned)
    found: list[dict[str, Any]] = [{"trigger": item.trigger or "", "content": item.text} for item in known]
    hidden = len(lore.discoverable) - len(found)
    if section_sight("discoverable", reader) == "count" and hidden:
        return [*found, {"where": lore.location_id, "undiscovered_count": hidden}]
    return found


def _seen(
    role: str, items: Sequence[SceneItem], reader: SectionReader, learned: frozenset[str], *, is_own: bool = False
) -> list[SceneItem]:
    """Return the items of a section that a reader is shown."""
    return [item for item in items if sees_section(role, reader, owner_is_viewer=is_own, is_learned=item.id in learned)]


def _texts(texts: Sequence[LoreText]) -> list[str]:
    return [text.text for text in texts]
