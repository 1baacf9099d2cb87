"""The rulesets that ship: name -> Ruleset."""

from __future__ import annotations

from importlib import resources

from lorewright.errors import NotFound
from lorewright.ids import content_hash
from lorewright.packs.bounded_yaml import load_yaml
from lorewright.rules.rulesets import Ruleset


def ruleset_names() -> list[str]:
    """The IDs of the rulesets that ship, sorted."""
    library = resources.files("lorewright.rules") / "library"
    return sorted(file.name.removesuffix(".yaml") for file in library.iterdir() if file.name.endswith(".yaml"))


def load_ruleset(ruleset_id: str) -> tuple[Ruleset, str]:
    """A ruleset and the hash of its text.

    Raises:
        NotFound: none of that name ships.
    """
    if ruleset_id not in ruleset_names():
        known = ", ".join(ruleset_names())
        raise NotFound(f"there is no ruleset {ruleset_id}", hint=f"one of: {known}")
    text = (resources.files("lorewright.rules") / "library" / f"{ruleset_id}.yaml").read_text(encoding="utf-8")
    return Ruleset.model_validate(load_yaml(text).data), content_hash(text)
