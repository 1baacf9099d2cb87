"""What is asked of a pack after each save: in words, or by a scene in one of its places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lorewright.errors import NotFound
from lorewright.index.generation import Generation
from lorewright.packs.models import Entity
from lorewright.retrieval.desk import qualified_viewer
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import Retrieval, retrieve
from lorewright.retrieval.scene_query import scene_query
from lorewright.retrieval.view import LoreView, qualified
from lorewright.settings import LoreSettings


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and with whose eyes: `words`, or with `location` what a scene there asks, as play would."""

    viewer: str = "gm"
    words: str = ""
    location: str | None = None

    @property
    def title(self) -> str:
        """What a person calls it."""
        asked = f"scene {self.location}" if self.location is not None else f"“{self.words}”"
        return asked if self.viewer == "gm" else f"{asked} ({self.viewer})"


def ask(question: Question, generations: Sequence[Generation], settings: LoreSettings) -> Retrieval:
    """Ask some packs, whose generations are in the order of their IDs.

    Raises:
        NotFound: there is no such character or place.
    """
    view = LoreView(tuple(generations), viewer=qualified_viewer(question.viewer, generations))
    return retrieve(view, _query(question, view).model_copy(update=settings.model_dump()))


def _query(question: Question, view: LoreView) -> LoreRetrievalQuery:
    if question.location is None:
        return LoreRetrievalQuery(keywords=question.words, viewer=view.viewer)
    place = _place(question.location, view.generations)
    return scene_query(place.id, names={place.id: place.name}, viewer=view.viewer)


def _place(location: str, generations: Sequence[Generation]) -> Entity:
    names = qualified([location], generations)
    found = [place for one in generations for name in sorted(names) if (place := one.entity(name)) is not None]
    if not found:
        raise NotFound(f"there is no place {location}", hint="see: lorewright pack show PACK")
    return found[0]
