"""The key of an embedder in settings or on the command line -> the embedder. All embedders are named here.

An embedder's module is imported when its key is opened: a question answered by words alone imports none.
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
    """Return the embedder of a key, None for `none`. Nothing heavy is loaded and nothing sent before the first text.

    `base_url` is the address at which `openai` and `voyage` ask instead of at their own servers.

    Raises:
        SettingsError: the key is unknown.
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
    """Return the key for a process with another working folder: the folder of a model becomes absolute."""
    kind, _, name = key.partition("/")
    folder = Path(name).expanduser()
    return f"st/{folder.absolute()}" if kind == "st" and name.strip() and folder.is_dir() else key


def _unknown(key: str) -> SettingsError:
    return SettingsError(f'no embedder is called "{key}"', hint=f"known are: {', '.join(KEYS)}")
