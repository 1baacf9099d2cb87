"""Views of installed packs, and all that a view tells of one entity; they need no game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Protocol

from lorewright.errors import NotFound, SettingsError
from lorewright.ids import local
from lorewright.index.generation import Generation
from lorewright.index.library import Library, report_damage
from lorewright.packs.models import PackEntity
from lorewright.retrieval.entity_names import NamedEntities
from lorewright.retrieval.query import CorpusFilter
from lorewright.retrieval.retriever import Retrieval, retrieve_for_entity
from lorewright.retrieval.view import (
    LoreView,
    entity_for_viewer,
    hidden_entities,
    hidden_from_players,
    hidden_names,
    merge_entity,
)
from lorewright.visibility import Viewer


@dataclass(frozen=True, slots=True)
class EntityLore:
    """An entity with the details of all packs, and the chunks that tell of it."""

    entity: PackEntity
    lore: Retrieval


class LoreViews(Protocol):
    """Opens views of lore: of installed packs, or of a campaign's packs and history."""

    def open(
        self,
        viewer: str,
        packs: Sequence[str] = (),
        *,
        campaign_id: str | None = None,
        corpus: CorpusFilter = "authored",
    ) -> AbstractContextManager[LoreView]:
        """Open the named packs (all, if none is named) for a viewer, and what happened where the corpus has that.

        `packs` do not limit what happened. The view is closed when the block ends.

        Raises:
            NotFound: no pack is installed, or a pack, campaign or character does not exist.
            SettingsError: what happened is asked for without a campaign.
        """
        ...


@dataclass(frozen=True, slots=True)
class PackViews:
    """Opens installed packs for a viewer without any revealed items."""

    library: Library

    @contextmanager
    def open(
        self,
        viewer: str,
        packs: Sequence[str] = (),
        *,
        campaign_id: str | None = None,
        corpus: CorpusFilter = "authored",
    ) -> Iterator[LoreView]:
        """Open the packs; they have no history.

        Raises:
            NotFound: no pack is installed, or a pack or character does not exist; or a campaign is named, of which
                packs know nothing.
            SettingsError: history is asked for.
        """
        if corpus == "history" and campaign_id is None:
            raise SettingsError("only a campaign has a history", hint="name one: --campaign CAMPAIGN")
        if campaign_id is not None:
            raise NotFound(
                f"this retriever opens packs only, not the campaign {campaign_id}",
                hint="use the retriever of open_app()",
            )
        asked = self.library.named(packs) if packs else self.library.packs()
        if not asked:
            raise NotFound("no pack is installed", hint="run: lorewright pack install FOLDER")
        with ExitStack() as stack:
            generations = tuple(close_with(stack, self.library.open(pack.key)) for pack in asked)
            stack.enter_context(report_damage(generation.folder for generation in generations))
            yield LoreView(generations, viewer=qualified_viewer(viewer, generations))


def close_with(stack: ExitStack, generation: Generation) -> Generation:
    """Return the generation; it is closed with the stack."""
    stack.callback(generation.close)
    return generation


def entity_lore(view: LoreView, written: str, *, max_tokens: int) -> EntityLore:
    """Return an entity (by ID or name) and what tells of it in a view, its own file first. A pack's own keys may tell
    more than a viewer may know: only the game master reads them.

    Raises:
        NotFound: there is none of that ID or name, or several are; or the viewer may read nothing of it.
    """
    hidden = hidden_entities(view)
    entity = merge_entity(NamedEntities(view.generations, hidden=hidden).find(written), view.generations)
    assert entity is not None
    known = entity_for_viewer(entity, view, hidden_names(view.generations, hidden))
    return EntityLore(known, retrieve_for_entity(view, known.id, max_tokens=max_tokens))


def qualified_viewer(viewer: str, generations: Sequence[Generation], others: Sequence[str] = ()) -> str:
    """`npc:viktor` -> `npc:neo_seattle:viktor`. `others` are the full IDs of characters that no pack has.

    Raises:
        SettingsError: there is no such kind of viewer.
        NotFound: there is no such character; or it is a persona, of whom packs know nothing.
    """
    seer = Viewer(viewer)
    if seer.kind == "pc":
        raise NotFound(f"only a campaign has a persona {seer.id}", hint="name a campaign, or ask as player")
    if seer.kind != "npc":
        return viewer
    name = seer.id
    for generation in generations:
        entity_id = name if ":" in name else f"{generation.pack_id}:{name}"
        if generation.entity(entity_id) is not None:
            return f"npc:{entity_id}"
    for other in others:
        if name in (other, local(other)):
            return f"npc:{other}"
    # Of those who are hidden from players nobody is told by a suggestion: who asks is not known yet.
    named = NamedEntities(generations).meant(name)
    if len(named) == 1:
        return f"npc:{named[0]}"
    near = NamedEntities(generations, hidden=hidden_from_players(generations)).suggestion(name)
    hint = near or "give npc:ID with the ID of a character"
    raise NotFound(f"no searched pack has a character {name}", hint=hint)
