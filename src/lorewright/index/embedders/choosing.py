"""The key of an embedder, as settings and command lines have it -> the embedder. The one place that names them all."""

from __future__ import annotations

from pathlib import Path

from lorewright.errors import SettingsError
from lorewright.index.embedders.embedder import Embedder
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.embedders.minilm import MiniLM
from lorewright.index.embedders.openai_remote import DEFAULT_MODEL as OPENAI_MODEL
from lorewright.index.embedders.openai_remote import open_openai
from lorewright.index.embedders.st import SentenceTransformersEmbedder
from lorewright.index.embedders.voyage_remote import DEFAULT_MODEL as VOYAGE_MODEL
from lorewright.index.embedders.voyage_remote import open_voyage

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
        case "minilm", False:
            return MiniLM()
        case "minilm-int8", False:
            return MiniLM(eight_bits=True)
        case "hashing", False:
            return HashingEmbedder()
        case "openai", _:
            return open_openai(name or OPENAI_MODEL, base_url=base_url)
        case "voyage", _:
            return open_voyage(name or VOYAGE_MODEL, base_url=base_url)
        case "st", True:
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
