"""The harbour pack with more of the town in it, and a scenario to walk about in: for plays that are long."""

from __future__ import annotations

from pathlib import Path

from lorewright.bootstrap import App, open_app
from lorewright.lore_bootstrap import make_empty_workspace
from support import harbour
from support.copied_workspaces import copied_workspace

FILES = {
    **harbour.FILES,
    "locations/tavern.md": """
        ---
        id: tavern
        type: location
        tags: [drink]
        ---
        # The Tavern

        A low room under the sea wall. The ceiling was built for shorter people.

        ## Atmosphere

        Smoke hangs from the beams. Somebody is tuning a fiddle and not getting there. Each table has a candle end in a
        mussel shell.

        Wet coats steam on the rail by the hearth. Every few minutes a wave hits the wall outside and the spoons answer.
        Names have been cut into the bench, the older ones upside down.

        ## Discoverable

        - {#letter} search under the counter: Folded small under the counter lies a letter sealed with a pangolin.
        - {#bench} search the bench: The newest name in the bench is Lin, and the cut is still white.
        - {#slate} search the slate: The slate by the door has a line for every boat, and Tuesday's has been wiped with a sleeve.
    """,
    "locations/quay.md": """
        ---
        id: quay
        type: location
        ---
        # The Quay

        Wet stone and rope.

        ## Atmosphere

        Gulls walk along the edge like bailiffs. Two boats knock against each other, out of step. The lamp at the steps
        burns with a blue edge.

        Fish scales shine on the stones where the baskets stood. A chain goes down into the water and does not come up
        again. Beyond the breakwater the sea is louder than it looks.

        ## Discoverable

        - {#feather} search the steps: A grey feather is stuck to the third step, and it is not a gull's.
        - {#rope} search the bollard: The rope on the last bollard was cut, not untied.
    """,
    "locations/net_loft.md": """
        ---
        id: net_loft
        type: location
        ---
        # The Net Loft

        A long room above the boat sheds where nets are mended.

        ## Atmosphere

        Nets hang from the roof in brown curtains. The floor is soft with the ends of twine. Daylight comes in through
        the loading door and stops halfway.

        A stove ticks in the corner, with a pan of tar on it. Somebody has chalked a tally of knots on the doorpost.

        ## Discoverable

        - {#cage} search behind the nets: Behind the nets stands a bird cage with its door wired open.
        - {#coat} search the pegs: On the last peg hangs a child's coat with a man's watch in the pocket.
    """,
    "locations/lighthouse.md": """
        ---
        id: lighthouse
        type: location
        ---
        # The Lighthouse

        The old light at the end of the breakwater, unlit for nine years.

        ## Atmosphere

        The stairs go round in the dark and smell of oil and rust. Salt has grown over the panes like frost. From the
        gallery one can see both the harbour and what is coming.

        A dead moth as large as a hand lies on the sill. The wind plays one note on the railing.

        ## Discoverable

        - {#oil} search the lamp: The lamp has been filled with fresh oil, and its wick is trimmed.
        - {#log} search the desk: The keeper's log breaks off nine years ago, and goes on last Tuesday in another hand.
    """,
    "npcs/osk.md": """
        ---
        id: osk
        type: npc
        pronoun: he
        aliases: [the landlord]
        related_entities: [lin]
        ---
        # Osk

        Landlord of the tavern, and a poor one.

        ## Disposition

        - Osk counts the same coins twice.
        - Osk keeps his back to the cellar door.
        - Osk wipes the counter with a cloth that makes it wetter.
        - Osk laughs a moment after everybody else.

        ## Knows

        - {#boat} Lin took the night boat on Tuesday, with a cage under her arm and a kestrel in it.
        - {#weather} The wind turns at midnight, as it always does in March.
        - {#bea} Bea mends nets in the loft by day. She hears more through that floor than I do across this counter.
        - {#light} Nobody has kept the lighthouse for nine years. All the same I have seen a light there, twice.
        - {#cellar} The cellar is flooded at high water. I keep nothing there, and nobody has asked me to.
        - {#quay} Boats tie up at the quay for nothing on weekdays. On Tuesdays nobody likes to be the last one there.

        ## Withholds

        - {#debt} I sold her passage to the harbour master for a marmoset and a month of quiet.
    """,
    "npcs/bea.md": """
        ---
        id: bea
        type: npc
        pronoun: she
        ---
        # Bea

        She mends nets and hears everything.

        ## Disposition

        - Bea never looks at the knot that she is tying.
        - Bea hums, and stops when somebody starts to listen.
        - Bea bites through the twine and speaks around it.
        - Bea puts her foot on a loose plank as though it might lift.

        ## Knows

        - {#cellar} There is an axolotl in the cellar, in a bath, and nobody says whose.
        - {#lin} Lin paid me to mend a bird net. It was the finest mesh that I have ever had in my hands.
        - {#osk} Osk owes money in three harbours. He pays in the one that he happens to be in.
        - {#light} Old Marten goes out to the lighthouse with a can on his arm. He says that it is for the gulls.
        - {#loft} The loft was a chapel once. One can still find hymn numbers on the wall behind the nets.
    """,
    "npcs/marten.md": """
        ---
        id: marten
        type: npc
        pronoun: he
        aliases: [old Marten]
        ---
        # Marten

        He kept the light until there was none to keep.

        ## Disposition

        - Marten looks past people at the weather.
        - Marten turns his cap in his hands, a quarter at a time.
        - Marten begins each sentence twice.

        ## Knows

        - {#lin} Lin asked me how far a lamp can be seen with rain in the air. Four miles, I told her, and less with fear in it.
        - {#light} I trimmed the wick myself. A light that nobody needs is still a light.
        - {#boat} The night boat carries no lamp at the stern. It never has, for as long as I have counted boats.
        - {#quay} Mind the third step on the quay. It has been waiting for somebody these forty years.
    """,
}

SCENARIO = """
    id: high_water
    name: High Water
    intro_seed: The rain has driven you into the tavern, and Lin's stool is empty. Osk puts a cup in front of it all the same.
    content_packs: [harbour]
    start: tavern
    player: {name: Ada, items: [lantern], traits: {charm: 1}}
    places:
      tavern: {exits: {door: {to: quay, minutes: 3}, cellar: {to: net_loft, minutes: 2, via: hatch}}}
      quay: {exits: {tavern: {to: tavern, minutes: 3}, ladder: {to: net_loft, minutes: 2}, breakwater: {to: lighthouse, minutes: 15}}}
      net_loft: {exits: {ladder: {to: quay, minutes: 2}}}
      lighthouse: {exits: {breakwater: {to: quay, minutes: 15}}}
    things:
      lantern: {name: lantern}
      rope: {name: coil of rope, aliases: [rope], at: tavern}
      twine: {name: ball of twine, aliases: [twine], at: net_loft}
      can: {name: oil can, aliases: [can], at: lighthouse}
      hatch: {name: hatch, kind: door, at: [tavern, net_loft], locked: true, key: hatch_key}
      hatch_key: {name: rusty key}
    cast:
      osk: {at: tavern}
      bea: {at: net_loft}
      marten: {at: quay}
    threads:
      lost: {title: "Where is Lin?", related: [lin]}
    clocks:
      water: {name: high water, max: 30}
    rules:
      - on: {act: go}
        success: [{clock: water, by: 1}]
      - id: owning_up
        on: {act: ask, target: osk, topic: debt}
        when: {not: {revealed: osk/withholds#debt}}
        check: {dice: 2d6, add: charm}
        success: [{reveal: osk/withholds#debt}]
        mixed: [{reveal: osk/withholds#debt}, {clock: water, by: 1}]
        fail: [{relation: [osk, you], trust: -1}]
    finds:
      tavern/discoverable#letter: [{give: hatch_key}]
"""


def harbour_town(tmp_path: Path, *, seed: int = 1) -> App:
    """An app with a campaign `game` begun in the town."""

    def begin(root: Path) -> None:
        make_empty_workspace(root)
        harbour.write_pack(root / "content_packs" / "harbour", FILES)
        (root / "scenarios" / "high_water.yaml").write_text(harbour.dedent(SCENARIO), encoding="utf-8")
        open_app(root).campaigns.new("high_water", campaign_id="game", seed=seed)

    return open_app(copied_workspace(tmp_path / "workspace", begin, "harbour_town", seed))
