"""A small vault for walks, as its author might keep it: no IDs, no pack.yaml, links that say who is where; and what a
walk must never show."""

from __future__ import annotations

from pathlib import Path

from support.pack_builder import write_pack

CANARIES = ("heron-password", "buried ledger", "Inquisitor", "silver whistle")

VAULT: dict[str, str | bytes] = {
    "locations/Lighthouse.md": "# The Lighthouse\n\nThe lighthouse stands on [[Gull Rock]] and has not been lit for a year.\n\n"
    "## Atmosphere\n\nThe stairs hum when the wind is right.\n\n"
    "## Clues\n\n- search the lamp room: Behind the lens somebody has hidden a silver whistle in a coil of rope.\n\n"
    "## Secrets\n\nThe keeper's heron-password opens the cellar.\n",
    "locations/Gull Rock.md": "# Gull Rock\n\nA rock with one path, which leads down to the [[Harbour]].\n",
    "locations/Harbour.md": "# Harbour\n\nThree boats, two of them afloat. Everybody here knows the price of rope.\n",
    "locations/Mill.md": "---\ntags: [inland]\n---\n# Mill\n\nThe mill grinds whatever is brought to it.\n",
    "locations/Chapel.md": "---\ntags: [inland]\n---\n# Chapel\n\nThe chapel keeps its door open and its money elsewhere.\n",
    "locations/Sunken Vault.md": "---\nvisibility: gm\n---\n# Sunken Vault\n\nHere lies the buried ledger.\n",
    "npcs/Ada.md": "---\nrelated_locations: [Harbour]\n---\n# Ada\n\nAda mends nets.\n\n"
    "## Rumours\n\n- {#light} The light was put out by somebody with a key.\n",
    "npcs/Bo.md": "# Bo\n\nBo walks about and counts gulls.\n",
    "npcs/The Inquisitor.md": "---\nvisibility: gm\n---\n# The Inquisitor\n\nThe Inquisitor arrives on the ninth day.\n",
    "items/Rope.md": "# Rope\n\nA coil of tarred rope, sold at the [[Harbour]].\n",
    "items/Silver Whistle.md": "# Silver Whistle\n\nA whistle that no dog answers.\n",
    "history/The Wreck.md": "# The Wreck\n\nThe Constance went down within sight of the [[Lighthouse]].\n",
}

# Titles and texts that would like to get out of their place.
HOSTILE: dict[str, str | bytes] = {
    "locations/a.md": "# **Bold** [[Name|shown]] <b>x</b> `code`\n\nA place in bold. It has **marked** words in it.\n",
    "locations/b.md": "# \x1b[31mRed\x07 \u202egnp.exe\n\nA place in red, or so it says of itself.\n",
    "locations/c.md": "# " + "Very long title of a place " * 20 + "\n\nIt goes on for a while, as places do.\n",
    "locations/d.md": "# ../../etc/passwd\n\nThis place would like to be a path.\n",
    "locations/e.md": "# pack:entity_id#item {slot}\n\nThis place would like to be an ID, and {slot} with it.\n",
    "locations/f.md": "# !!!\n\nThis place has no name to speak of.\n",
    "locations/g.md": "# Twin\n\nThe first of the two twins.\n",
    "locations/sub/g.md": "# Twin\n\nThe second of the two twins.\n",
    "locations/h.md": "# Sword and Shield, then West\n\nAn inn with a long name.\n",
    "locations/i.md": "# 東京\n\nEin Ort, dessen Name anders geschrieben wird.\n",
    "npcs/player.md": "# Player\n\nSomebody whose name is taken.\n",
    "npcs/you.md": "# You\n\nSomebody whose name is taken as well.\n",
    "items/offstage.md": "# Offstage\n\nA thing that is called as nowhere is.\n",
    "items/table.md": "# Table of Prices\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
}

# A rules book: nothing in it is a place.
RULES: dict[str, str | bytes] = {
    "Rules.md": "# The Rules\n\nThese rules fit on a page, and fill eleven.\n",
    **{
        f"Spells/{name}.md": f"# {name}\n\nThe spell {name} takes as long as its name.\n"
        for name in ("Aid", "Bane", "Cold", "Dust", "Echo", "Frost", "Glue", "Haste", "Ice")
    },
    "Spells/Lost/Zeal.md": "# Zeal\n\nNobody remembers how this one ends.\n",
    "Gear/Rope.md": "# Rope\n\nRope costs a penny a yard.\n",
    "Gear/Empty.md": "",
}

# Everything that may be asked for is there only while something holds.
CONDITIONAL: dict[str, str | bytes] = {
    "locations/hall.md": "---\nid: hall\ntype: location\nrelated_threads: [feast]\n---\n# Hall\n\nThe hall is swept.\n\n"
    "## Rumours\n\n- (when clock anger >= 3) The steward has counted the knives.\n",
    "locations/yard.md": "---\nid: yard\ntype: location\nwhen: {thread: feast, status: open}\n---\n# Yard\n\nThe yard is full of geese.\n",
    "locations/tomb.md": "---\nid: tomb\ntype: location\nwhen: {clock: anger, min: 3}\n---\n# Tomb\n\nThe tomb is open.\n",
    "npcs/ghost.md": "---\nid: ghost\ntype: npc\nwhen: {fact: dead, subject: nobody_at_all}\n---\n# Ghost\n\nIt is not here.\n",
}


def write_vault(parent: Path, files: dict[str, str | bytes] = VAULT, *, name: str = "vault") -> Path:
    """Write a vault without a pack.yaml."""
    return write_pack(parent, files, pack_id=name, manifest=None)
