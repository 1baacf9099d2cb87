"""The sources of answers about lore: the installed packs, or a campaign. The game is imported only for a campaign."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lorewright.cli.output import note
from lorewright.errors import EmbedderError
from lorewright.index.library import Library
from lorewright.lore_bootstrap import open_lore
from lorewright.retrieval.retriever import Retrieval
from lorewright.scene_lore.lore_retriever import LoreRetriever
from lorewright.settings import LoreSettings


def _not_cached(place_id: str) -> dict[str, str | None]:
    return {"scene_id": "", "session_id": None, "retrieved_at": None}


_DOCTOR = "lorewright doctor"


@dataclass(frozen=True, slots=True)
class LoreSource:
    """A retriever, and the campaign that is asked, if any. `without_vectors` says why only words are searched."""

    settings: LoreSettings
    lore: LoreRetriever
    library: Library
    campaign_id: str | None
    without_vectors: EmbedderError | None
    # A place's ID -> of which scene and sitting its lore is cached, and since when.
    cache_of: Callable[[str], dict[str, str | None]] = _not_cached


def open_source(campaign: str | None) -> LoreSource:
    """Open the lore of the current workspace, or of a campaign in it.

    Raises:
        SettingsError: the settings are invalid.
    """
    if campaign is None:
        packs = open_lore()
        return LoreSource(packs.workspace.settings.lore, packs.retriever, packs.library, None, packs.without_vectors)
    # The game is imported only where a campaign is asked for.
    from lorewright.cli.opening import open_app

    app = open_app()
    cached = partial(app.sessions.scene_cache, campaign)
    return LoreSource(app.workspace.settings.lore, app.lore, app.library, campaign, app.without_vectors, cached)


def folders_of(source: LoreSource) -> dict[str, Path]:
    """Return the folders of the installed packs that are still there, by the packs' IDs."""
    return {pack.id: folder for pack in source.library.packs() if (folder := Path(pack.path)).is_dir()}


def warn_of_words_alone(source: LoreSource, found: Retrieval) -> dict[str, list[str]]:
    """Say on stderr why meaning was not searched, where it should have been, and return the same as a field for
    programs: `words_alone`, or nothing."""
    problem = source.without_vectors
    messages = found.degraded or ((f"found by words alone: {problem.message}",) if problem else ())
    for message in messages:
        note(message if _DOCTOR in message else f"{message} ({_DOCTOR} says more)")
    return {"words_alone": list(messages)} if messages else {}
