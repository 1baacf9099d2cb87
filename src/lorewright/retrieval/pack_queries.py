"""Lore of the installed packs, for authors and other programs; no game is needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from lorewright.errors import NotFound, SettingsError
from lorewright.ids import local
from lorewright.index.generation import Generation
from lorewright.index.library import Library, blaming_damage
from lorewright.packs.models import PackEntity
from lorewright.retrieval.explain import ChunkTrace
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import Retrieval, retrieve, retrieve_for_entity, why_not
from lorewright.retrieval.view import LoreView, as_told, hidden_entities, hidden_names, qualified, told_entity


@dataclass(frozen=True, slots=True)
class EntityLore:
    """An entity as all packs together tell of it, and the chunks that do."""

    entity: PackEntity
    lore: Retrieval


@dataclass(frozen=True, slots=True)
class PackQueries:
    """Answers lore queries over packs: those that are named, else all that are installed."""

    library: Library

    def query(self, query: LoreRetrievalQuery, *, packs: Sequence[str] = (), explained: bool = True) -> Retrieval:
        """Ask the packs with the query's viewer. Where the answer need not be `explained`, it has no trace: that takes
        less time.

        Raises:
            NotFound: a pack or character that does not exist.
            SettingsError: history is asked for, and packs have none.
        """
        with self.asking(query, packs) as (view, asked):
            return explained_now(retrieve(view, asked)) if explained else retrieve(view, asked)

    def why_not(self, query: LoreRetrievalQuery, chunk_id: str, *, packs: Sequence[str] = ()) -> ChunkTrace | None:
        """Why a chunk is where it is in the answer to a query, or not in it; None where it does not exist for the
        query's viewer.

        Raises:
            NotFound: a pack or character that does not exist.
            SettingsError: history is asked for, and packs have none.
        """
        with self.asking(query, packs) as (view, asked):
            return why_not(view, asked, chunk_id)

    def entity(self, entity_id: str, *, viewer: str = "gm", max_tokens: int) -> EntityLore:
        """All that a viewer may read of an entity, by its ID with or without its pack.

        Raises:
            NotFound: there is none of that ID, or the viewer may read nothing of it.
        """
        with self.view(viewer) as view:
            return entity_lore(view, entity_id, max_tokens=max_tokens)

    @contextmanager
    def view(self, viewer: str, packs: Sequence[str] = ()) -> Iterator[LoreView]:
        """The packs as somebody sees them who has learned nothing; closed when the block ends.

        Raises:
            NotFound: no pack is installed, or a pack or character does not exist.
        """
        asked = self.library.named(packs) if packs else self.library.packs()
        if not asked:
            raise NotFound("no pack is installed", hint="run: lorewright pack install FOLDER")
        with ExitStack() as stack:
            generations = tuple(opened(stack, self.library.open(pack.key)) for pack in asked)
            stack.enter_context(blaming_damage(one.folder for one in generations))
            yield LoreView(generations, viewer=qualified_viewer(viewer, generations))

    @contextmanager
    def asking(
        self, query: LoreRetrievalQuery, packs: Sequence[str] = ()
    ) -> Iterator[tuple[LoreView, LoreRetrievalQuery]]:
        """The view of a query, and the query as it is to be put to it; closed when the block ends.

        Raises:
            NotFound: a pack or character that does not exist.
            SettingsError: history is asked for, and packs have none.
        """
        if query.corpus == "history":
            raise SettingsError("what happened is known of a campaign only", hint="name it: --campaign CAMPAIGN")
        with self.view(query.viewer, packs) as view:
            yield view, query


def explained_now(found: Retrieval) -> Retrieval:
    """Make the trace of an answer while its view is open; return the answer."""
    _ = found.trace
    return found


def opened(stack: ExitStack, generation: Generation) -> Generation:
    """A generation that is closed with the stack."""
    stack.callback(generation.close)
    return generation


def entity_lore(view: LoreView, entity_id: str, *, max_tokens: int) -> EntityLore:
    """What tells of an entity in a view, its own file first. Keys of a pack's own may tell more than a viewer may know:
    only the game master reads them.

    Raises:
        NotFound: there is none of that ID, or the viewer may read nothing of it.
    """
    found = [one for one in sorted(qualified([entity_id], view.generations)) if _told(view, one)]
    entity = _told(view, found[0]) if found else None
    if entity is None:
        raise NotFound(f"there is no entity {entity_id}", hint="see: lorewright pack show PACK")
    return EntityLore(entity, retrieve_for_entity(view, entity.id, max_tokens=max_tokens))


def _told(view: LoreView, entity_id: str) -> PackEntity | None:
    """An entity, where the viewer may read anything of it."""
    hidden = hidden_entities(view)
    entity = None if entity_id in hidden else told_entity(entity_id, view.generations)
    return None if entity is None else as_told(entity, view, hidden_names(view.generations, hidden))


def qualified_viewer(viewer: str, generations: Sequence[Generation], others: Sequence[str] = ()) -> str:
    """`npc:viktor` -> `npc:neo_seattle:viktor`; or one of the `others`, characters of no pack, by their full IDs.

    Raises:
        NotFound: there is no such character.
    """
    if not viewer.startswith("npc:"):
        return viewer
    name = viewer.removeprefix("npc:")
    for generation in generations:
        entity_id = name if ":" in name else f"{generation.pack_id}:{name}"
        if generation.entity(entity_id) is not None:
            return f"npc:{entity_id}"
    for other in others:
        if name in (other, local(other)):
            return f"npc:{other}"
    raise NotFound(f"no pack that is asked has a character {name}", hint="name it as npc:ID")
