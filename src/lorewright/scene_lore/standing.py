"""Generations -> the open lore that stands in every scene: entries that are always there, whatever else is."""

from __future__ import annotations

from collections.abc import Sequence

from lorewright.index.entry_rules import entry_rules_of
from lorewright.index.generation import Generation, StoredChunk
from lorewright.packs.models import OPEN_ROLES, EntryRules
from lorewright.retrieval.overrides import Things, ids_of, things
from lorewright.scene_lore.models import LoreText

# It is in every packet of every turn; what has no room here is looked up each turn beside what is asked.
STANDING_TOKENS = 400


def standing_lore(generations: Sequence[Generation], *, max_tokens: int = STANDING_TOKENS) -> tuple[LoreText, ...]:
    """The sections that are `always` there and that no other rule can take out, by priority, then as the packs have
    them, as far as the tokens reach: one text each, never cut.

    `generations` are those in force. What dice, a cooldown, a group or another entry may keep away is judged in each
    turn, and so is no part of a scene.
    """
    rules = {one: rule for generation in generations for one, rule in entry_rules_of(generation).items()}
    excluded = {entry for rule in rules.values() for entry in rule.excludes}
    if not any(rule.always for rule in rules.values()):
        return ()
    same = things(generations)
    found = [
        chunk
        for generation in generations
        for one, rule in entry_rules_of(generation).items()
        if _stands(rule)
        and (chunk := generation.chunk(one)) is not None
        and chunk.text
        and chunk.role in OPEN_ROLES
        and not _is_excluded(chunk, excluded, same)
    ]
    found.sort(key=lambda chunk: (-rules[chunk.id].priority, chunk.pack_id, chunk.row))
    return tuple(_fitting(found, max_tokens))


def _stands(rule: EntryRules) -> bool:
    may_go = rule.requires or rule.excludes or rule.groups or rule.cooldown or rule.probability < 1
    return rule.always and not may_go


def _is_excluded(chunk: StoredChunk, excluded: set[str], same: Things) -> bool:
    ids = ids_of(chunk.entity_id, same)
    section = chunk.section_id.removeprefix(f"{chunk.entity_id}:")
    return any(one in excluded or f"{one}:{section}" in excluded for one in ids)


def _fitting(chunks: Sequence[StoredChunk], max_tokens: int) -> list[LoreText]:
    """The first that does not fit ends it: more room never loses what less had."""
    texts: list[LoreText] = []
    for chunk in chunks:
        max_tokens -= chunk.token_count
        if max_tokens < 0:
            break
        texts.append(LoreText(key=f"{chunk.id}@1", chunk_id=chunk.id, text=chunk.text))
    return texts
