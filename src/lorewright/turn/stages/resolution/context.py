"""ResolutionInput -> the variables of the prompt of ruleset resolution."""

from __future__ import annotations

from typing import Any, ClassVar

from lorewright.turn.stages.variables import NOBODY, PromptContext, in_words
from lorewright.values.proposals import ResolutionInput
from lorewright.world.frozen import Frozen

_WORDS = 1_000


class Sheet(Frozen):
    """Somebody's stat block, or what they remember, by ID and name."""

    id: str
    name: str
    text: str


class Writable(Frozen):
    """A path that a ruling may change, and the kind of value that it takes."""

    path: str
    kind: str


class ResolutionContext(PromptContext):
    """The variables of ruleset resolution."""

    stable: ClassVar[tuple[str, ...]] = ("rulebook", "guidance", "writable", "bands")

    rulebook: str
    guidance: tuple[str, ...] = ()
    writable: tuple[Writable, ...] = ()
    bands: tuple[str, ...] = ()
    player_name: str = NOBODY
    scene_state: str = ""
    stat_blocks: tuple[Sheet, ...] = ()
    observations: tuple[Sheet, ...] = ()
    actor: str
    target: str = ""
    attempt: str
    player_text: str


def resolution_context(given: ResolutionInput) -> ResolutionContext:
    """Return the variables of ruleset resolution: its input, with names for IDs."""

    def sheet(entity_id: str, value: Any) -> Sheet:
        text = value if isinstance(value, str) else given.stats_in_words.get(entity_id) or in_words(value)
        return Sheet(id=entity_id, name=given.names.get(entity_id, entity_id), text=text)

    return ResolutionContext(
        rulebook=given.rulebook_text,
        writable=tuple(Writable(path=path, kind=kind) for path, kind in sorted(given.writable.items())),
        bands=given.bands,
        player_name=given.names.get(given.actor_id) or NOBODY,
        guidance=given.guidance,
        scene_state="\n".join(given.scene_in_words) or (in_words(given.scene_state) if given.scene_state else ""),
        stat_blocks=tuple(sheet(entity_id, block) for entity_id, block in sorted(given.stat_blocks.items())),
        observations=tuple(
            sheet(entity_id, " ".join(f"- {line}" for line in lines))
            for entity_id, lines in sorted(given.recent_observations.items())
            if lines
        ),
        actor=f"{given.names.get(given.actor_id, given.actor_id)} ({given.actor_id})",
        target=f"{given.names.get(given.target_id, given.target_id)} ({given.target_id})" if given.target_id else "",
        attempt=given.attempt,
        player_text=given.player_text[:_WORDS],
    )
