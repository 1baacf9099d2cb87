"""Other tools' lorebooks and character cards -> a pack's folder: `reading.read`, then `writer.write_pack`.

    bytes → containers (PNG, charx) → json_source → one format (world_info, card, novelai, dungeon) → Imported → writer

A format takes the fields that have a place in a pack; whatever it does not take is kept under `x_…`: nothing is lost.
"""
