"""A campaign whose packs have no vectors yet -> another process that makes them while it is played by words alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lorewright.bootstrap import App
from lorewright.child import start_child
from lorewright.cli.output import note
from lorewright.index.embedders.choosing import with_whole_path
from lorewright.index.generation import GenerationKey
from lorewright.settings import CHROMA_VARIABLE, EMBEDDER_VARIABLE, WORKSPACE_VARIABLE, Workspace
from lorewright.trust import is_granted, reaches_by_embedder

_NOTE = "lore is found by its words for now; the search by meaning joins when it is built, beside the game"


def never() -> bool:
    """Return False: no vectors are being made."""
    return False


@contextmanager
def embedding_in_background(lorewright: App, campaign_id: str) -> Iterator[Callable[[], bool]]:
    """Have the packs of a campaign embedded by a process of low priority until the block ends, where they are not yet.

    It gives a function that returns True once, when the vectors have come. The process may be stopped at any moment:
    what is embedded by then is stored, and the next process goes on from there.
    """
    packs = _without_vectors(lorewright, campaign_id)
    environment = embedding_environment(lorewright.workspace) if packs else None
    if environment is None:
        yield never
        return
    note(_NOTE)
    with start_child("lorewright", "pack", "reindex", *packs, environment=environment, yields=True) as process:
        told = False

        def have_come() -> bool:
            nonlocal told
            told, before = told or process.poll() == 0, told
            return told and not before

        try:
            yield have_come
        finally:
            process.terminate()


def _without_vectors(lorewright: App, campaign_id: str) -> list[str]:
    """Return the packs of a campaign that the workspace's embedder has not embedded and may embed.

    A pinned text other than the installed one gets no vectors: to read the pack again would install what its folder
    holds.
    """
    library = lorewright.library
    if library.vectors is None:
        return []
    with lorewright.campaigns.reading(campaign_id) as store:
        pins = store.campaign().pins
    fingerprint = library.vectors.embedder.fingerprint
    return [
        pin.pack_id
        for pin in pins
        if fingerprint not in library.spaces(GenerationKey(pin.pack_id, pin.content_hash))
        and (there := lorewright.explorer.unchanged(pin.pack_id, installed=True)) is not None
        and there.content_hash == pin.content_hash
    ]


def embedding_environment(workspace: Workspace) -> dict[str, str] | None:
    """Return the variables with which another process embeds as this one does; None where the user would have to agree
    first: an embedder that the environment names counts as the user's own choice, so the child is given no other."""
    settings = workspace.settings.index
    if reaches_by_embedder(settings) and not is_granted(settings):
        return None
    return {
        WORKSPACE_VARIABLE: str(workspace.root),
        EMBEDDER_VARIABLE: with_whole_path(settings.embedder),
        # What other programs read is not built beside a game.
        CHROMA_VARIABLE: "never",
    }
