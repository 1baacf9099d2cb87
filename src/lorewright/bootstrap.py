"""The composition root: settings -> a working set of objects. Backends and models are named here and nowhere else."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.lore import LoreDesk
from lorewright.campaigns.packs import PackShelf
from lorewright.errors import SettingsError
from lorewright.index.library import Library
from lorewright.llm.model import Model
from lorewright.settings import FOLDERS, SETTINGS_FILE, Workspace, find_workspace, read_workspace
from lorewright.turn.pipeline import Stages
from lorewright.turn.stages.interpret import Interpret
from lorewright.turn.stages.narrate import Narrate
from lorewright.turn.stages.plan import Plan

_DEFAULT_SETTINGS = """\
# A Lorewright workspace: packs, scenarios, and the campaigns made from them.
name = "{name}"

[lore]
limit = 10          # sections that a query gives
max_tokens = 3000   # and how much text
"""


@dataclass(frozen=True, slots=True)
class App:
    """Everything that the edges need."""

    workspace: Workspace
    library: Library
    campaigns: Campaigns
    lore: LoreDesk
    packs: PackShelf
    stages: Stages

    def rehearsal(self, folder: Path) -> Campaigns:
        """Campaigns that are kept in another folder: for a demo that leaves nothing behind."""
        return _campaigns(self.workspace, self.library, self.stages, folder)


def open_app(start: Path | None = None, *, models: Mapping[str, Model] | None = None) -> App:
    """The app for the workspace around a folder. Outside of one, the user's own is made when it is first needed.

    `models` gives models to stages (`interpreter`, `planner`, `narrator`); every other stage is built in.

    Raises:
        SettingsError: the settings cannot be read as meant.
    """
    workspace = find_workspace((start or Path.cwd()).absolute())
    if not workspace.root.is_dir():
        make_workspace(workspace.root)
        workspace = read_workspace(workspace.root)
    library = Library(workspace.indexes)
    stages = make_stages(models or {})
    campaigns = _campaigns(workspace, library, stages, workspace.campaigns)
    shelf = PackShelf(library, campaigns, workspace.content_packs)
    return App(workspace, library, campaigns, LoreDesk(library, campaigns), shelf, stages)


def _campaigns(workspace: Workspace, library: Library, stages: Stages, folder: Path) -> Campaigns:
    return Campaigns(folder, workspace.scenarios, workspace.content_packs, library, stages)


def make_stages(models: Mapping[str, Model]) -> Stages:
    """The stages, each with its model if it has one.

    Raises:
        SettingsError: a model was given to a stage that there is not.
    """
    unknown = sorted(set(models) - {"interpreter", "planner", "narrator"})
    if unknown:
        raise SettingsError(f"there is no stage {unknown[0]}", hint="one of interpreter, planner, narrator")
    return Stages(
        interpret=Interpret(models.get("interpreter")),
        plan=Plan(models.get("planner")),
        narrate=Narrate(models.get("narrator")),
    )


def make_workspace(root: Path) -> list[str]:
    """Make a workspace with the packs and scenarios that ship; what was made, as paths relative to it. Nothing is
    overwritten.

    Raises:
        SettingsError: the path is a file.
    """
    if root.exists() and not root.is_dir():
        raise SettingsError(f"{root} is not a folder", hint="name a folder")
    made: list[str] = []
    for folder in FOLDERS:
        if not (root / folder).is_dir():
            (root / folder).mkdir(parents=True)
            made.append(f"{folder}/")
    if not (root / SETTINGS_FILE).exists():
        (root / SETTINGS_FILE).write_text(_DEFAULT_SETTINGS.format(name=root.name), encoding="utf-8")
        made.append(SETTINGS_FILE)
    shipped = shipped_content()
    for source in (*sorted((shipped / "content_packs").iterdir()), *sorted((shipped / "scenarios").iterdir())):
        target = root / source.relative_to(shipped)
        if target.exists() or source.name.startswith("."):
            continue
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy2(source, target)
        made.append(target.relative_to(root).as_posix())
    return made


def shipped_content() -> Path:
    """The folder with the packs and scenarios that ship: in the package, or the checkout that it was installed from."""
    packaged = Path(__file__).parent / "shipped"
    return packaged if packaged.is_dir() else Path(__file__).parents[2]
