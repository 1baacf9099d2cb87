"""Does a text quote what its reader may not know? Compared by code, in normalised runs of six words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lorewright.index.words import words_of

# Six words in a row are a quotation; fewer are how people talk.
QUOTED_WORDS = 6


def quoted_secret(text: str, secrets: Iterable[tuple[str, str]], *, said_before: str = "") -> str | None:
    """The ID of the first secret (ID, text) that the text quotes, or None.

    A secret shorter than six words counts as quoted when all of it stands there. What `said_before` quotes already (the
    player's own words) is no news.
    """
    said = _Runs(text)
    known = _Runs(said_before)
    for secret_id, secret in secrets:
        for run in _runs(words_of(secret)):
            if said.has(run) and not known.has(run):
                return secret_id
    return None


class _Runs:
    """A text's words, ready to be searched for runs of them."""

    def __init__(self, text: str) -> None:
        self._joined = f" {' '.join(words_of(text))} "

    def has(self, run: str) -> bool:
        return f" {run} " in self._joined


def _runs(words: list[str]) -> Iterator[str]:
    for start in range(max(1, len(words) - QUOTED_WORDS + 1)):
        run = " ".join(words[start : start + QUOTED_WORDS])
        if run:
            yield run
