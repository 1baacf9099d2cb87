"""A pack -> files of other tools: SillyTavern's world info and cards, an Obsidian vault, a handout.

    folder → packs.loader → Pack ─ audience ─▶ shown.ShownPack → world_info | card | vault | handout → writing

What a reader may not see is taken out in one place, `shown`, by the predicate that queries use; no format sees it.
"""
