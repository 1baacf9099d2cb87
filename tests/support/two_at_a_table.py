"""A campaign that two play, Ada's player and Bo's, in which everything that only some may know has a word of its own."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from lorewright.bootstrap import App
from lorewright.campaigns.sessions import active_or_new_session, end
from lorewright.world import ops as o
from lorewright.world.state import Fact
from support import harbour as h
from support import harbour_crew as c

ADA, BO, OSK, BEA, WATCHER = "ada", "bo", "osk", "bea", "somebody who watches"
FILES = {
    **h.FILES,
    "locations/quay.md": h.FILES["locations/quay.md"]
    + """
        ## Discoverable

        - {#bottle} search the rope: In the coil of rope a bottle is hidden, and a wolverine is scratched into it.
    """,
}
# Word -> who may know it, and the personas among them do; the game master may know all of them.
WORDS: dict[str, set[str]] = {
    # Thoughts.
    "aardvark": {ADA},
    "bandicoot": {BO},
    "capybara": {ADA},
    "dormouse": {BO},
    # What was said while the other was elsewhere, and who heard it.
    "echidna": {ADA, OSK},
    "flamingo": {ADA, OSK},
    "gibbon": {BO, BEA},
    "hoopoe": {BO, BEA},
    # What was whispered, with the other elsewhere and at the same place.
    "ibis": {ADA, OSK},
    "jackdaw": {BO, BEA},
    "kookaburra": {ADA, OSK},
    "lemming": {BO, OSK},
    "mandrill": {ADA, OSK},
    # What was said while both were there.
    "nuthatch": {ADA, BO, OSK},
    "ocelot": {ADA, BO, OSK},
    "pelican": {ADA, BO, OSK},
    # What was revealed: told elsewhere and again in a whisper, elsewhere alone, and overheard.
    h.KNOWS: {ADA, BO, OSK},
    h.OTHER_KNOWS: {BO, BEA},
    "marten": {ADA, BO, OSK},
    h.WITHHOLDS: {OSK},
    # What was found: an item of lore and the thing that goes with it, and what nobody found.
    "wolverine": {BO, BEA},
    "quokka": {BO, BEA, OSK},
    h.DISCOVERABLE: set(),
    # Promises: aloud, whispered, and with the other there.
    "raccoon": {ADA, OSK},
    "salamander": {BO, BEA},
    "tamarin": {ADA, OSK},
    "urchin": {ADA, BO, OSK},
    # Facts of one persona, of all, and of nobody.
    "vole": {ADA},
    "wombat": {BO},
    "xerus": {ADA, BO},
    "yaffle": set(),
    # Memories.
    "zebu": {ADA},
    "parrot": {BO},
    "avocet": {BEA},
    # Manifest inner states.
    "bittern": {ADA},
    "curlew": {BO},
    "dunlin": {OSK},
    # Things that are carried.
    "egret": {ADA, OSK},
    # What a sitting's recap quotes: the names of what each talked about.
    "fulmar": {ADA, OSK},
    "godwit": {BO, BEA},
}
# What all who were there saw and heard in the open.
OPEN = {"nuthatch", "ocelot", "pelican", "marten", "urchin"}
FILES["npcs/osk.md"] = FILES["npcs/osk.md"].replace(
    "always does in March.", "always does in March, when a marten calls."
)


def known_to(who: str) -> set[str]:
    """Return the words that somebody may read."""
    return OPEN if who == WATCHER else {word for word, knowers in WORDS.items() if who in knowers}


def begun(tmp_path: Path) -> App:
    """Return an app with the campaign `game` begun: Ada and Osk at the tavern, Bo and Bea at the quay."""
    scenario = c.scenario()
    scenario["things"]["ring"] = {"name": "quokka ring"}
    scenario["things"]["pin"] = {"name": "egret pin"}
    scenario["player"]["items"] = ["lantern", "pin"]
    scenario["finds"]["quay/discoverable#bottle"] = [{"give": "ring"}]
    return h.harbour(tmp_path, scenario=json.dumps(scenario), files=FILES)


def plant(app: App) -> None:
    """Change the world from outside: facts, memories, inner states."""

    def fact(word: str, *known_to: str, visibility: str = "player") -> o.AddFact:
        made = Fact(id=f"game:{word}", subject_id=c.OSK, predicate="likes", object=word, visibility=visibility)
        return o.AddFact(fact=made.model_copy(update={"known_to": known_to}))

    ops = (
        fact("vole", c.ADA),
        fact("wombat", c.BO),
        fact("xerus"),
        fact("yaffle", visibility="gm"),
        o.Observe(who=c.ADA, content="A zebu went by.", importance=4),
        o.Observe(who=c.BEA, content="An avocet went by.", importance=4),
        o.SetCharacterState(who=c.ADA, name="mood", value="bittern", level=8),
        o.SetCharacterState(who=c.BO, name="mood", value="curlew", level=8),
        o.SetCharacterState(who=c.OSK, name="mood", value="dunlin", level=8),
    )
    with app.campaigns.open("game") as campaign:
        campaign.edit(ops, action_id="planted")


def play(app: App) -> None:
    """Play two sittings, the first with the personas apart, the second with both at the tavern."""
    with app.campaigns.open("game") as campaign:

        def say(who: str, line: str, *, thought: str = "", to: str | None = None) -> None:
            asyncio.run(campaign.submit(line, persona=who, thought=thought, whisper_to=to))

        first = active_or_new_session(campaign)
        say(ADA, "ask Osk about the echidna", thought="The aardvark again.")
        say(ADA, "ask Osk about the boat")
        say(ADA, "tell Osk about the ibis", to=OSK)
        say(ADA, "promise Osk to feed the raccoon")
        say(ADA, "promise Osk to hide the tamarin", to=OSK)
        say(ADA, "tell Osk about the flamingo")
        say(ADA, "tell Osk about the fulmar")
        say(BO, "ask Bea about the gibbon", thought="That bandicoot.")
        say(BO, "ask Bea about the cellar")
        say(BO, "ask about the jackdaw", to=BEA)
        say(BO, "promise Bea to sell the salamander")
        say(BO, "tell Bea about the hoopoe")
        say(BO, "ask Bea about the godwit")
        say(BO, "search the rope", thought="A dormouse?")
        end(campaign, first)
        active_or_new_session(campaign)
        say(BO, "go to the tavern")
        # The sixth question in vain leads Osk on to what they freely tell: it is one that both hear.
        say(ADA, "ask Osk about the plover")
        say(ADA, "ask Osk about the puffin")
        say(ADA, "ask Osk about the nuthatch", thought="Is that a capybara?")
        say(ADA, "ask about the kookaburra", to=OSK)
        say(BO, "ask about the lemming", to=OSK)
        say(ADA, "promise to bury the mandrill", to=OSK)
        say(ADA, "promise Osk to free the urchin")
        say(BO, "tell Osk about the ocelot")
        say(ADA, "ask Osk about the pelican")
        say(ADA, "ask Osk about the weather")
