"""`pack test` over a folder that stands for a workspace: its packs, scenarios and indexes."""

from __future__ import annotations

from pathlib import Path

from lorewright.authoring.leaks.suite import LeakSuite, Plays
from lorewright.authoring.pack_figures import PackRoots
from lorewright.authoring.pack_suite import PackTests
from lorewright.authoring.section_coverage import AnswerLimits
from lorewright.bootstrap import prompt_library
from lorewright.index.embedders.embedder import Embedder
from lorewright.index.library import Library
from lorewright.settings import Settings, Workspace
from support.shared_build import embedding_library


def pack_tests_in(root: Path, embedder: Embedder | None = None) -> PackTests:
    """Tests with ten sections and 3,000 tokens to an answer; by words alone unless an embedder is given."""
    where = Workspace(root, Settings())
    library = Library(where.indexes) if embedder is None else embedding_library(where.indexes, embedder)
    prompts = prompt_library(where)
    leaks = LeakSuite(library, where.scenarios, where.content_packs, prompts, plays=Plays(builtin=2, parrot=1))
    return PackTests(library, PackRoots(library, where.content_packs, where.scenarios), leaks, AnswerLimits(10, 3000))
