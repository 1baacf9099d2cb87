"""Prompts for tests: a file's text from its parts."""

from __future__ import annotations

from pathlib import Path

from lorewright.llm.prompt_template import PromptTemplate, parse_template

SHIPPED = Path(__file__).parents[2] / "prompts"


def prompt_text(
    changing: str = "",
    *,
    stable: str = "",
    system: str = "You are a tester.",
    name: str = "narrator",
    version: str = "v1",
    context: str = "NarratorContext",
) -> str:
    """A prompt's whole text; the stable part begins on line 11 where the system part has one line."""
    head = f"---\nname: {name}\nversion: {version}\ncontext: {context}\ntier: small\ndescription: A test.\n---\n"
    return f"{head}=== system ===\n{system}\n=== stable ===\n{stable}\n=== changing ===\n{changing}\n"


def prompt(changing: str = "", *, stable: str = "", system: str = "You are a tester.") -> PromptTemplate:
    """A prompt to fill in."""
    return parse_template(prompt_text(changing, stable=stable, system=system), where="test_v1.hbs")
