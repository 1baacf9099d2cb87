"""Other tools' files <-> packs: SillyTavern, character cards, NovelAI, AI Dungeon, Obsidian, a handout.

    file → character_card (PNG, charx) → json_source → one format → Imported → writer → a pack's folder
    folder → packs.loader → Pack ─ audience ─▶ shown.ShownPack → one format → exporting → a file or folder

A format takes the fields that have a place in a pack; the rest is kept under `x_…`, so that nothing is lost. Only
`shown` removes what a reader may not see, by the predicate that queries use; formats never receive it.
"""
