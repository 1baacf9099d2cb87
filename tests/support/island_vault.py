"""A small island as its author might keep it: fifteen notes with links, no IDs and no pack.yaml; for walks."""

from __future__ import annotations

from pathlib import Path

from support.pack_builder import write_pack

ISLAND: dict[str, str | bytes] = {
    "Places/Landing.md": """# The Landing

A wooden landing with one good side. The ferry ties up here twice a week and does not stay. A path goes up to the
[[Hill Farm]] and another along the shore to the [[Salt Works]]. The planks were paid for with the bell of the old church.

## Atmosphere

The tide talks under the planks. A rope lies coiled on every post but one. Somebody has painted the word LATER on the
timetable. A heron stands in the shallows and is taken for a post itself.
""",
    "Places/Salt Works.md": """# The Salt Works

Six pans, of which two still dry. The sheds between them lean on one another. The salt from here is grey and is said to
keep longer than the white. Before the war forty people worked here. A narrow track leads to [[Bell Rock]] at low water.

## Atmosphere

Salt crunches underfoot like frost. The wind finds a pipe to play on. One shed door opens and shuts all day.

## Discoverable

- {#tally} search the sheds: On the inside of a shed door somebody has kept a tally of ships, and the last is dated last week.
""",
    "Places/Hill Farm.md": """# The Hill Farm

The highest roof on the island. From the yard one can see the [[Landing]] and whoever gets off there. The well is deep
and tastes of iron. Three generations have tried to sell the farm and have not found a buyer who likes wind. Behind the barn
a gate opens on the [[Church Field]].

## Atmosphere

Hens walk in and out of the kitchen. The weathercock is stuck and points to the mainland. Washing stands out straight
on the line.
""",
    "Places/Church Field.md": """# The Church Field

There was a church here until the roof went for boats. The graves face the sea, all but one. Sheep keep the grass short
and the stones clean. The [[Hill Farm]] has the use of it, for a cheese a year.

## Discoverable

- {#stone} search the graves: The stone that faces inland has no name on it, but a fresh sprig of thrift.
""",
    "Places/Bell Rock.md": """# Bell Rock

A rock that is an island for half of each day. The bell on it rings with the swell and has drowned two tunings. Nobody
stays on it over high water more than once. Seals use the landward side.

## Atmosphere

The bell says its one word. Weed moves in the gullies like hair.
""",
    "Places/Ferry House.md": """# The Ferry House

Half an inn and half a waiting room, beside the [[Landing]]. The stove is lit from October to May, whatever the weather. A
shelf by the door holds what travellers have left behind. Rooms are let by the tide and not by the night.

## Atmosphere

The clock over the counter is right twice a week. Steam from the kettle has curled the maps on the wall. There is a smell of
wet wool and oranges.
""",
    "People/Jonna.md": """---
pronoun: she
---
# Jonna

Jonna keeps the [[Ferry House]] and knows who has come and who has gone. She never asks a guest for a name. Her brother
went over to the mainland for nails nine years ago. On Sundays she rows out to [[Bell Rock]] with a can of grease.
""",
    "People/Old Per.md": """---
pronoun: he
---
# Old Per

Old Per rakes the pans at the [[Salt Works]], although nobody has paid him since spring. He can tell the weather from how salt
sticks to the rake. He does not set foot in the [[Church Field]]. Children are told that he was born out of a barrel.
""",
    "People/Sister Agnes.md": """---
related_locations: [Church Field]
pronoun: she
---
# Sister Agnes

Sister Agnes came for a week to write down the graves and has been here for two years. She counts aloud when she thinks that
nobody is near. Her list has one name more than the field has stones. She sends a letter with every ferry and gets none.

## Disposition

- Sister Agnes keeps a finger in her notebook while she talks.
- Sister Agnes looks at the ground first and at you afterwards.
""",
    "People/Tove.md": """---
related_locations: [Hill Farm]
pronoun: she
---
# Tove

Tove runs the farm alone since her father took to bed. She has a telescope in the loft and says that it is for the sheep. She
would sell tomorrow. She has said so every day since she was twelve.

## Knows

- {#buyer} There was a buyer last month. He asked about the well and not about the roof, so I sent him off.
- {#agnes} Agnes is no more a sister than I am. But she carries water when it is needed, and that is religion enough.
""",
    "Items/Brass Telescope.md": """# Brass telescope

A telescope with a dent in it, kept at the [[Hill Farm]]. It shows things a little nearer than they are. The maker's name has been
filed off.
""",
    "Items/Lost Umbrella.md": """# Lost umbrella

A black umbrella that has stood in the [[Ferry House]] for longer than Jonna. Nobody has ever seen it wet. There is a ferry ticket
in its folds, unused.
""",
    "Items/Salt Rake.md": """# Salt rake

A rake of ash wood, grey to the handle, leaning at the [[Salt Works]]. The teeth are replaced one at a time, so that it is never a
new rake. It is bad luck to step over it.
""",
    "Items/Grease Can.md": """# Grease can

A can of the yellow grease that is used on bells. It came to the [[Landing]] addressed to nobody. Half of it is gone.
""",
    "History/The Long Winter.md": """# The Long Winter

For eleven weeks no ferry came to the [[Landing]]. People burned the pews first and the pulpit last. It is not talked of at the
[[Ferry House]].
""",
}


def write_island(parent: Path) -> Path:
    """Write the island into a new folder below `parent`, without a pack.yaml."""
    return write_pack(parent, ISLAND, pack_id="island", manifest=None)
