"""`lorewright.toml` -> Settings, and where a workspace's folders are."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from platformdirs import user_data_path
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lorewright.errors import SettingsError

SETTINGS_FILE = "lorewright.toml"
WORKSPACE_VARIABLE = "LOREWRIGHT_WORKSPACE"
# These go before what `lorewright.toml` says under [index].
EMBEDDER_VARIABLE = "LOREWRIGHT_EMBEDDER"
CHROMA_VARIABLE = "LOREWRIGHT_CHROMA"
_VARIABLES = {"embedder": EMBEDDER_VARIABLE, "chroma": CHROMA_VARIABLE}
FOLDERS = ("content_packs", "scenarios", "prompts", "indexes", "campaigns")


class LoreSettings(BaseModel):
    """How much a query gives when it does not say."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    limit: int = Field(default=10, ge=1, le=1000)
    max_tokens: int = Field(default=3000, ge=0)


class IndexSettings(BaseModel):
    """How packs are indexed.

    `embedder` is a key as `choosing.open_embedder` has it; `base_url` is where a remote one is asked instead of at its
    own server; `chroma` says whether Chroma proposes the nearest: `auto` is in a game or a service, once a pack is so
    large that this is faster.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    embedder: str = Field(default="minilm", min_length=1, max_length=200)
    base_url: str | None = None
    chroma: Literal["auto", "always", "never"] = "auto"


class Settings(BaseModel):
    """Everything that can be set in `lorewright.toml`; an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = ""
    lore: LoreSettings = LoreSettings()
    index: IndexSettings = IndexSettings()


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder with packs, scenarios, indexes and campaigns."""

    root: Path
    settings: Settings

    @property
    def content_packs(self) -> Path:
        """Authored packs."""
        return self.root / "content_packs"

    @property
    def scenarios(self) -> Path:
        """Playable scenarios."""
        return self.root / "scenarios"

    @property
    def rulesets(self) -> Path:
        """Rulesets of one's own, beside those that ship; the folder need not be there."""
        return self.root / "rulesets"

    @property
    def prompts(self) -> Path:
        """Prompts of one's own, over those that ship."""
        return self.root / "prompts"

    @property
    def indexes(self) -> Path:
        """All that can be rebuilt."""
        return self.root / "indexes"

    @property
    def campaigns(self) -> Path:
        """The saves."""
        return self.root / "campaigns"


def find_workspace(start: Path) -> Workspace:
    """The workspace to use: named by the environment, else around `start`, else the user's own (which may be missing).

    Raises:
        SettingsError: its `lorewright.toml` cannot be read as meant.
    """
    named = os.environ.get(WORKSPACE_VARIABLE)
    if named:
        return read_workspace(Path(named).expanduser())
    for folder in (start, *start.parents):
        if (folder / SETTINGS_FILE).is_file():
            return read_workspace(folder)
    return read_workspace(user_data_path("lorewright"))


def read_workspace(root: Path) -> Workspace:
    """A workspace by its folder.

    Raises:
        SettingsError: its `lorewright.toml` cannot be read as meant.
    """
    path = root / SETTINGS_FILE
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        given = {key: os.environ[name] for key, name in _VARIABLES.items() if os.environ.get(name)}
        if given:
            written["index"] = {**written.get("index", {}), **given}
        return Workspace(root.absolute(), Settings.model_validate(written))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise SettingsError(f"{path}: {problem}", hint="mend the TOML") from None
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise SettingsError(
            f"{path}: {where}: {first['msg']}",
            hint="known are: name; limit and max_tokens under [lore]; embedder, base_url, chroma under [index]",
        ) from None
