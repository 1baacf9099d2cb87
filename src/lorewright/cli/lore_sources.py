"""Who answers questions about lore: the installed packs, or a campaign. The game is imported where one is asked."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial

from lorewright.cli.output import note
from lorewright.errors import EmbedderError
from lorewright.lore_bootstrap import open_lore
from lorewright.retrieval.pack_queries import EntityLore
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import Retrieval
from lorewright.retrieval.view import LoreView
from lorewright.settings import LoreSettings


@dataclass(frozen=True, slots=True)
class LoreSource:
    """Who answers: for the installed packs, or for a campaign's. `without_vectors` says why words alone are asked."""

    settings: LoreSettings
    query: Callable[..., Retrieval]
    asking: Callable[..., AbstractContextManager[tuple[LoreView, LoreRetrievalQuery]]]
    view: Callable[..., AbstractContextManager[LoreView]]
    entity: Callable[..., EntityLore]
    sharing: Callable[[], AbstractContextManager[None]]
    without_vectors: EmbedderError | None


def open_source(campaign: str | None) -> LoreSource:
    """The desk of the workspace at hand.

    Raises:
        SettingsError: the settings cannot be read as meant.
    """
    if campaign is None:
        lore = open_lore()
        packs = lore.desk
        settings = lore.workspace.settings.lore
        return LoreSource(
            settings,
            packs.query,
            packs.asking,
            packs.view,
            packs.entity,
            lore.library.sharing,
            lore.without_vectors,
        )
    # The game is imported where a campaign is asked for, and nowhere else.
    from lorewright.bootstrap import open_app

    opened = open_app()
    return LoreSource(
        opened.workspace.settings.lore,
        partial(opened.lore.query, campaign_id=campaign),
        partial(opened.lore.asking, campaign_id=campaign),
        partial(opened.lore.view, campaign_id=campaign),
        partial(opened.lore.entity, campaign_id=campaign),
        opened.library.sharing,
        opened.without_vectors,
    )


def warn_of_words_alone(desk: LoreSource, found: Retrieval) -> None:
    """Say on stderr why meaning was not asked, where it should have been."""
    problem = desk.without_vectors
    for message in found.degraded or ((f"found by words alone: {problem.message}",) if problem else ()):
        note(f"{message} (lorewright doctor says more)")
