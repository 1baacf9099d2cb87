"""`lorewright.toml` -> Settings, and where a workspace's folders are."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lorewright.errors import SettingsError

SETTINGS_FILE = "lorewright.toml"
WORKSPACE_VARIABLE = "LOREWRIGHT_WORKSPACE"
FOLDERS = ("content_packs", "scenarios", "prompts", "indexes", "campaigns")


class LoreSettings(BaseModel):
    """How much a query gives when it does not say."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    limit: int = Field(default=10, ge=1, le=1000)
    max_tokens: int = Field(default=3000, ge=0)


class Settings(BaseModel):
    """Everything that can be set in `lorewright.toml`; an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = ""
    lore: LoreSettings = LoreSettings()


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
    if not path.is_file():
        return Workspace(root.absolute(), Settings())
    try:
        return Workspace(root.absolute(), Settings.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise SettingsError(f"{path}: {problem}", hint="mend the TOML") from None
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise SettingsError(
            f"{path}: {where}: {first['msg']}", hint="known are: name, and limit and max_tokens under [lore]"
        ) from None
