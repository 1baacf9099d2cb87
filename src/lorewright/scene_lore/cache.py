"""SceneLoreCache: what packs hold on a scene is gathered when the scene opens, and reused while it lasts.

What is kept holds everything, secrets included; who sees what of it is computed when it is read. So the cache never
changes an answer: each part of it depends on the packs and on what of them is in force, and on nothing else, and both
are part of its `basis`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from lorewright.ids import canonical_json, content_hash
from lorewright.index.generation import Generation
from lorewright.packs.conditions import LoreConditions
from lorewright.retrieval.view import unmet_conditions
from lorewright.scene_lore.gather import compose, gather_person, gather_place
from lorewright.scene_lore.models import PersonLore, PlaceLore, SceneFocus, SceneLore

# Raised whenever the same packs would be gathered to something else than before.
_FORMAT = 1

# Gives the generations without what is not in force; asked only when something has to be gathered.
InForce = Callable[[], Sequence[Generation]]


class MaterializedScene(BaseModel):
    """What is kept of a scene. `people` were there at some time of it; who has left is kept and not shown.

    `learned` are the items of it that the player had when it was materialised.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    scene_id: str
    session_id: str | None = None
    basis: str
    learned: tuple[str, ...] = ()
    place: PlaceLore
    people: tuple[PersonLore, ...] = ()

    def person(self, npc_id: str) -> PersonLore | None:
        """What a character brings, or None where they have not been here."""
        return next((one for one in self.people if one.briefing.npc_id == npc_id), None)

    def item_ids(self) -> frozenset[str]:
        """Every item that is kept, whoever holds it."""
        of_people = [
            item for one in self.people for item in (*one.briefing.knows, *one.briefing.withholds, *one.threads)
        ]
        return frozenset(item.id for item in (*self.place.discoverable, *self.place.threads, *of_people))


class SceneLoreCache:
    """The seed's operations on the scenes that one turn has to do with; what is kept comes in and goes out as JSON."""

    def __init__(self, kept: Sequence[str] = (), *, session_id: str | None = None, reuse: bool = True) -> None:
        """`kept` are scenes as they were kept; one that cannot be read is as if it were not there. Without `reuse`
        everything is gathered anew."""
        read = [one for one in map(_read, kept) if one is not None]
        self._scenes = {one.scene_id: one for one in read}
        self._session_id = session_id
        self._reuse = reuse
        self._known = dict(self._scenes)
        # The scenes that had to be gathered whole.
        self.gathered: set[str] = set()

    def lore_of(
        self,
        focus: SceneFocus,
        generations: Sequence[Generation],
        in_force: InForce,
        *,
        conditions: LoreConditions,
        learned: frozenset[str],
    ) -> SceneLore:
        """All lore of a scene: as it is kept, with the briefings of those who have come since, or gathered anew.

        What is kept is out of date when other packs are asked, a condition has changed, the scene is another place, or
        something in it was learned.
        """
        basis = basis_of(focus.location_id, generations, conditions)
        scene = self.get(focus.scene_id) if self._reuse else None
        if scene is None or scene.basis != basis or set(scene.learned) != scene.item_ids() & learned:
            self.invalidate(focus.scene_id)
            scene = self.materialize(gather_place(in_force(), focus.location_id), focus.scene_id, basis=basis)
        for npc_id in focus.present_ids:
            if scene.person(npc_id) is None:
                scene = self.append_npc(focus.scene_id, gather_person(in_force(), npc_id))
        scene = self._note_learned(scene, learned)
        return compose(focus, scene.place, {one.briefing.npc_id: one for one in scene.people})

    def materialize(self, place: PlaceLore, scene_id: str, *, basis: str) -> MaterializedScene:
        """Keep a place's lore for a scene that opens; the people are appended one by one."""
        self.gathered.add(scene_id)
        made = MaterializedScene(scene_id=scene_id, session_id=self._session_id, basis=basis, place=place)
        self._scenes[scene_id] = made
        return made

    def append_npc(self, scene_id: str, person: PersonLore) -> MaterializedScene:
        """Add what somebody brings who has come.

        Raises:
            KeyError: the scene is not materialised.
        """
        scene = self._scenes[scene_id]
        self._scenes[scene_id] = scene.model_copy(update={"people": (*scene.people, person)})
        return self._scenes[scene_id]

    def get(self, scene_id: str) -> MaterializedScene | None:
        """What is kept of a scene, or None."""
        return self._scenes.get(scene_id)

    def invalidate(self, scene_id: str) -> None:
        """Forget a scene: it is gathered anew when it is next asked for."""
        self._scenes.pop(scene_id, None)

    def to_keep(self, scene_id: str) -> str | None:
        """What is to be kept of a scene, where it is not what was kept already."""
        scene = self._scenes.get(scene_id)
        return None if scene is None or scene is self._known.get(scene_id) else canonical_json(scene.model_dump())

    def _note_learned(self, scene: MaterializedScene, learned: frozenset[str]) -> MaterializedScene:
        known = tuple(sorted(scene.item_ids() & learned))
        if known != scene.learned:
            self._scenes[scene.scene_id] = scene = scene.model_copy(update={"learned": known})
        return scene


def basis_of(location_id: str, generations: Sequence[Generation], conditions: LoreConditions) -> str:
    """Tells whether a place's lore may have changed: a hash of it, of the packs, and of which conditions do not
    hold."""
    packs = [f"{one.folder.parent.name}/{one.folder.name}" for one in generations]
    return content_hash(canonical_json([_FORMAT, location_id, packs, unmet_conditions(generations, conditions)]))


def _read(text: str) -> MaterializedScene | None:
    try:
        return MaterializedScene.model_validate_json(text)
    except ValidationError:
        return None
