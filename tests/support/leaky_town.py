"""A small town whose secrets keep, a scenario in it, and the leak suite over them; tests spoil it in one place each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lorewright.authoring.leaks.planting import LeakReport
from lorewright.authoring.leaks.suite import LeakSuite, Plays
from lorewright.index.library import Library
from lorewright.llm.prompt_library import PromptLibrary
from support.harbour import FILES, SCENARIO, dedent, write_pack

PROMPTS = Path(__file__).parents[2] / "prompts"

# What Osk withholds and what lies under the counter, word for word.
DEBT = "I sold her passage to the harbour master for a marmoset and a month of quiet."
LETTER = "Folded small under the counter lies a letter sealed with a pangolin."


def spoiled(**texts: str) -> dict[str, str]:
    """The pack's files, some of them with text added at their end; `npcs_bea` means `npcs/bea.md`."""
    files = dict(FILES)
    for name, text in texts.items():
        path = name.replace("_", "/", 1) + ".md"
        files[path] = dedent(files[path]).rstrip("\n") + "\n" + dedent(text)
    return files


def suite_over(
    tmp_path: Path, files: Mapping[str, str], scenario: str = SCENARIO, *, plays: Plays | None = None
) -> LeakSuite:
    """The suite over a workspace with the pack `harbour` and a scenario."""
    root = tmp_path / "workspace"
    write_pack(root / "content_packs" / "harbour", files)
    (root / "scenarios").mkdir(parents=True)
    (root / "scenarios" / "night_boat.yaml").write_text(dedent(scenario), encoding="utf-8")
    return LeakSuite(
        Library(root / "indexes"),
        root / "scenarios",
        root / "content_packs",
        PromptLibrary((PROMPTS,)),
        plays=plays or Plays(builtin=6, parrot=2),
    )


def tested(tmp_path: Path, files: Mapping[str, str] = FILES, scenario: str = SCENARIO, **how: Any) -> LeakReport:
    """The report on that pack."""
    return suite_over(tmp_path, files, scenario, **how).pack("harbour")


def found(report: LeakReport) -> set[tuple[str, str, str]]:
    """(secret, channel, where) of every leak; the pack's own ID left out."""
    return {(one.secret.removeprefix("harbour:"), one.channel, one.where) for one in report.leaks}
