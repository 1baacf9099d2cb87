"""Does a text quote what its reader may not know? Compared by code, in normalised runs of six words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

# Six words in a row are a quotation; fewer are how people talk.
QUOTED_WORDS = 6

_POSSESSIVE = re.compile(r"[’'ʼ]s\b")
_APOSTROPHE = re.compile(r"[’'ʼ]")
_WORD = re.compile(r"[^\W_]+")


def quoted_secret(text: str, secrets: Iterable[tuple[str, str]], *, said_before: str = "") -> str | None:
    """The ID of the first secret (ID, text) that the text quotes, or None.

    A secret shorter than six words counts as quoted when all of it stands there. What `said_before` quotes already (the
    player's own words) is no news.
    """
    said = _Runs(text)
    known = _Runs(said_before)
    for secret_id, secret in secrets:
        for run in runs_of(plain_words(secret)):
            if said.has(run) and not known.has(run):
                return secret_id
    return None


def plain_words(text: str) -> list[str]:
    """The words as they sound: whoever writes a secret in other letters, with a hyphen, in italics or with a sign
    between that nobody sees, has still written it."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(c for c in decomposed if unicodedata.category(c) not in ("Mn", "Cf"))
    return _WORD.findall(_APOSTROPHE.sub("", _POSSESSIVE.sub("", plain)))


def runs_of(words: list[str]) -> Iterator[str]:
    """Every run of six words, by which a text is known; all of a shorter one. The same run may come twice."""
    for start in range(max(1, len(words) - QUOTED_WORDS + 1)):
        run = " ".join(words[start : start + QUOTED_WORDS])
        if run:
            yield run


class _Runs:
    """A text's words, ready to be searched for runs of them."""

    def __init__(self, text: str) -> None:
        self._joined = f" {' '.join(plain_words(text))} "

    def has(self, run: str) -> bool:
        return f" {run} " in self._joined
