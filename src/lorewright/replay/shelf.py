"""Where a replay takes the prompts from that models are shown now: another version, or the very text of then."""

from __future__ import annotations

from lorewright.llm.prompts.library import PromptLibrary, kept_template
from lorewright.llm.prompts.template import Prompt
from lorewright.storage.database import Database
from lorewright.storage.kept_rows import kept_prompt
from lorewright.turn.prompting.pinning import pinned_library


class PromptShelf:
    """The prompts of one campaign, and all versions that there are."""

    def __init__(self, database: Database, library: PromptLibrary) -> None:
        self._database = database
        self._library = library

    def version(self, name: str, version: str) -> Prompt:
        """A prompt in one version.

        Raises:
            NotFound: there is no such version.
            PromptError: it cannot be read as a prompt.
        """
        return self._library.get(name, version)

    def used(self, name: str, content_hash: str | None) -> Prompt:
        """A prompt as it was used, by the hash of its text; where that is not known, what the campaign uses now.

        Raises:
            NotFound: there is no such prompt.
            PromptError: it cannot be read as a prompt.
        """
        kept = None if content_hash is None else kept_prompt(self._database, content_hash)
        if kept is not None and kept.source:
            return kept_template(kept.source, name=kept.name, version=kept.version)
        return pinned_library(self._database, self._library).prompt(name)
