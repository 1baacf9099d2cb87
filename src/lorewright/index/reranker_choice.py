"""The key of a reranker in the settings -> the reranker. All rerankers are named here."""

from __future__ import annotations

from lorewright.errors import SettingsError
from lorewright.index.cross_encoder import CrossEncoderReranker
from lorewright.index.reranker import OverlapReranker, Reranker

KEYS = ("none", "st/NAME_OR_PATH", "overlap")


def open_reranker(key: str) -> Reranker | None:
    """Return the reranker of a key, None for `none`. Nothing heavy is loaded before the first question.

    Raises:
        SettingsError: the key is unknown.
    """
    kind, slash, name = key.partition("/")
    match kind, bool(slash and name.strip()):
        case "none", False if not slash:
            return None
        case "overlap", False if not slash:
            return OverlapReranker()
        case "st", True:
            return CrossEncoderReranker(name)
        case _:
            raise SettingsError(f'no reranker is called "{key}"', hint=f"known are: {', '.join(KEYS)}")
