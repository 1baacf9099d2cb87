"""Campaigns whose stages are run by models that are asked through the prompts that ship."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from lorewright.bootstrap import App
from lorewright.campaigns.campaigns import Campaigns
from lorewright.llm.model import Model
from lorewright.llm.prompt_library import PromptLibrary
from support.prompt_files import SHIPPED

LIBRARY = PromptLibrary([SHIPPED])


def prompted(app: App, models: Mapping[str, Model], folder: Path) -> App:
    """The app, its stages run by these models through prompts, its campaigns kept in a folder of their own."""
    folder.mkdir(parents=True, exist_ok=True)
    return replace(app, models=models, campaigns_folder=folder)


def campaigns(app: App, models: Mapping[str, Model], folder: Path) -> Campaigns:
    """The campaigns of such an app."""
    return prompted(app, models, folder).campaigns
