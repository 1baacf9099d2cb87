"""What is established of somebody or something, by predicate: what a narration adds is held against it.

Author's canon is what code can read for certain: facts of the state (a scenario's, the rules'), and what a pack's or
scenario's entity says of itself in its frontmatter (`eyes: grey`). Prose is not compared: nothing here understands it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from lorewright.ids import slug
from lorewright.index.words import words_of
from lorewright.world.state import WorldState

# A value of frontmatter that is longer is prose (characters).
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Standing:
    """Something established: where it stands (a fact's ID, or `pack:entity@key` for frontmatter), and how it compares
    to what was said."""

    where: str
    compares: Literal["same", "otherwise"]


def predicate_of(said: str) -> str:
    """A predicate as it is compared and kept: in snake_case."""
    return slug(said, fallback="detail").replace("-", "_")


def standing(state: WorldState, subject_id: str, predicate: str, detail: object) -> Standing | None:
    """What stands already of a subject under a predicate: the same, whoever says so; else what speaks against the
    detail, facts first; None where nothing is established."""
    found = list(_standing(state, subject_id, predicate_of(predicate), detail))
    same = next((one for one in found if one.compares == "same"), None)
    return same or next(iter(found), None)


def _standing(state: WorldState, subject_id: str, predicate: str, detail: object) -> Iterator[Standing]:
    for fact in sorted(state.facts_about(subject_id), key=lambda one: (one.is_only_told, one.id)):
        if predicate_of(fact.predicate) == predicate:
            yield Standing(fact.id, "same" if _said(fact.object) == _said(detail) else "otherwise")
    entity = state.entities.get(subject_id)
    for key, value in sorted(_authored({} if entity is None else entity.attrs).items()):
        if predicate_of(key) == predicate and entity is not None and key != "description":
            yield Standing(f"{subject_id}@{key}", "same" if _says(detail, value) else "otherwise")


def _authored(attrs: Mapping[str, Any]) -> dict[str, str]:
    """Short values alone: a list may go on, and prose is not compared."""
    plain = {key: str(value) for key, value in attrs.items() if isinstance(value, str | int | float)}
    return {key: value for key, value in plain.items() if value.strip() and len(value) <= _LONGEST}


def _said(value: object) -> str:
    return " ".join(str(value).lower().split()).rstrip(".")


def _says(detail: object, value: str) -> bool:
    """Whether a sentence has all words of a short value."""
    return set(words_of(value)) <= set(words_of(str(detail)))
