"""The key of an embedder, as settings and command lines have it -> the embedder. The one place that names them all.

An embedder's module is imported when its key is opened: a question answered by words alone imports none of them.
"""

from __future__ import annotations

from pathlib import Path

from lorewright.errors import SettingsError
from lorewright.index.embedders.embedder import Embedder

KEYS = (
    "none",
    "minilm",
    "minilm-int8",
    "hashing",
    "openai",
    "openai/MODEL",
    "voyage",
    "voyage/MODEL",
    "st/NAME_OR_PATH",
)


def open_embedder(key: str, *, base_url: str | None = None) -> Embedder | None:
    """The embedder of a key, None for `none`. Nothing heavy is loaded and nothing sent before the first text.

    `base_url` is where `openai` and `voyage` ask instead of at their own servers.

    Raises:
        SettingsError: no such key.
        EmbedderError: its weights are not installed.
    """
    kind, slash, name = key.partition("/")
    if slash and not name.strip():
        raise _unknown(key)
    match kind, bool(slash):
        case "none", False:
            return None
        case "minilm" | "minilm-int8", False:
            from lorewright.index.embedders.minilm import MiniLM

            return MiniLM(eight_bits=kind == "minilm-int8")
        case "hashing", False:
            from lorewright.index.embedders.hashing import HashingEmbedder

            return HashingEmbedder()
        case "openai", _:
            from lorewright.index.embedders import remote as openai_remote

            return openai_remote.open_openai(name or openai_remote.DEFAULT_MODEL, base_url=base_url)
        case "voyage", _:
            from lorewright.index.embedders import voyage_remote

            return voyage_remote.open_voyage(name or voyage_remote.DEFAULT_MODEL, base_url=base_url)
        case "st", True:
            from lorewright.index.embedders.st import SentenceTransformersEmbedder

            return SentenceTransformersEmbedder(name)
        case _:
            raise _unknown(key)


def with_whole_path(key: str) -> str:
    """The key for a process that stands in another folder: a model's folder is named absolutely in it."""
    kind, _, name = key.partition("/")
    folder = Path(name).expanduser()
    return f"st/{folder.absolute()}" if kind == "st" and name.strip() and folder.is_dir() else key


def _unknown(key: str) -> SettingsError:
    return SettingsError(f'no embedder is called "{key}"', hint=f"known are: {', '.join(KEYS)}")
