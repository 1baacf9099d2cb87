"""The composition root: settings -> a working set of objects. Backends and models are named here and nowhere else."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.doctor import Doctor
from lorewright.campaigns.explore.explorer import Explorer
from lorewright.campaigns.history import Histories
from lorewright.campaigns.lore import LoreDesk
from lorewright.campaigns.packs import PackShelf
from lorewright.campaigns.scenarios import Scenarios
from lorewright.campaigns.sessions import Sessions
from lorewright.errors import EmbedderError, SettingsError
from lorewright.index.embedders.choosing import open_embedder
from lorewright.index.embedders.embedder import Embedder, Vectors
from lorewright.index.embedders.remembering import RememberingEmbedder
from lorewright.index.embedding_cache import EmbeddingCache
from lorewright.index.library import Library
from lorewright.index.vector_building import VectorBuilder
from lorewright.index.vectors.chroma import open_chroma
from lorewright.index.vectors.chroma_building import build_chroma
from lorewright.index.vectors.stored import StoredVectors
from lorewright.llm.model import Model
from lorewright.settings import FOLDERS, SETTINGS_FILE, IndexSettings, Workspace, find_workspace, read_workspace
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

[index]
embedder = "minilm" # or none, openai, voyage, st/NAME: after a change run `lorewright pack reindex`
"""

_EMBEDDINGS = "embeddings.db"

# Below this many windows looking at all of them is faster than asking Chroma (`benchmarks/nearest.py`).
_CHROMA_FROM = 20_000


@dataclass(frozen=True, slots=True)
class App:
    """Everything that the edges need."""

    workspace: Workspace
    library: Library
    campaigns: Campaigns
    lore: LoreDesk
    packs: PackShelf
    stages: Stages
    doctor: Doctor
    sessions: Sessions
    explorer: Explorer
    scenarios: Scenarios
    # Why packs are found by words alone although the settings name an embedder.
    without_vectors: EmbedderError | None = None

    def rehearsal(self, folder: Path) -> Campaigns:
        """Campaigns that are kept in another folder: for a demo that leaves nothing behind."""
        histories = Histories(folder / "history", self.library.vectors)
        return _campaigns(self.workspace, self.library, self.stages, folder, histories)


def open_app(start: Path | None = None, *, models: Mapping[str, Model] | None = None, long_lived: bool = False) -> App:
    """The app for the workspace around a folder. Outside of one, the user's own is made when it is first needed.

    `models` gives models to stages (`interpreter`, `planner`, `narrator`); every other stage is built in. A process
    that answers many questions is `long_lived`: it may take the time to open what makes each of them faster.

    Raises:
        SettingsError: the settings cannot be read as meant.
    """
    workspace = find_workspace((start or Path.cwd()).absolute())
    if not workspace.root.is_dir():
        make_workspace(workspace.root)
        workspace = read_workspace(workspace.root)
    embedder, missing = _embedder(workspace.settings.index)
    library = _library(workspace, embedder, long_lived=long_lived)
    stages = make_stages(models or {})
    histories = Histories(workspace.indexes / "history", library.vectors)
    campaigns = _campaigns(workspace, library, stages, workspace.campaigns, histories)
    shelf = PackShelf(library, campaigns, workspace.content_packs)
    doctor = Doctor(
        library,
        campaigns,
        EmbeddingCache(workspace.indexes / _EMBEDDINGS),
        workspace.indexes,
        workspace.content_packs,
        without_vectors=missing,
        chroma=workspace.settings.index.chroma != "never",
    )
    by_words = Library(workspace.indexes)
    explorer = Explorer(by_words, workspace.content_packs)
    return App(
        workspace=workspace,
        library=library,
        campaigns=campaigns,
        lore=LoreDesk(library, campaigns, histories),
        packs=shelf,
        stages=stages,
        doctor=doctor,
        sessions=Sessions(campaigns),
        explorer=explorer,
        scenarios=Scenarios(workspace.scenarios, workspace.content_packs, by_words, explorer),
        without_vectors=missing,
    )


def _embedder(settings: IndexSettings) -> tuple[Embedder | None, EmbedderError | None]:
    """The embedder that the settings name, or why it cannot be had: then packs are found by words alone."""
    try:
        found = open_embedder(settings.embedder, base_url=settings.base_url)
    except EmbedderError as problem:
        return None, problem
    return RememberingEmbedder(found) if found else None, None


def _library(workspace: Workspace, embedder: Embedder | None, *, long_lived: bool) -> Library:
    asked = workspace.settings.index.chroma
    if embedder is None:
        return Library(workspace.indexes)
    cache = EmbeddingCache(workspace.indexes / _EMBEDDINGS)
    vectors = VectorBuilder(embedder, cache, build_nearest=build_chroma if asked != "never" else bool)
    smallest = {"always": 0, "auto": _CHROMA_FROM if long_lived else None, "never": None}[asked]

    def open_nearest(folder: Path, found: Vectors) -> StoredVectors:
        return StoredVectors(found, open_chroma(folder) if smallest is not None and len(found) >= smallest else None)

    return Library(workspace.indexes, vectors, open_nearest=open_nearest)


def _campaigns(workspace: Workspace, library: Library, stages: Stages, folder: Path, histories: Histories) -> Campaigns:
    return Campaigns(folder, workspace.scenarios, workspace.content_packs, library, stages, histories)


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
