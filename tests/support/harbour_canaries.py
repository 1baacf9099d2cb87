"""The harbour with a canary in every kind of place where a secret can stand, and everything that a player is shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App
from lorewright.cli.game.slash import run_command
from lorewright.errors import LorewrightError
from lorewright.llm.model import Model
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.storage.sittings import session_rows
from support import harbour as h

# The role of each canary. What is revealed in the scenario is taken out by the test that reveals it.
CANARIES = {
    "withheld": "marmoset",
    "the name of a withheld item": "quagga",
    "withheld by who is elsewhere": "caracal",
    "undiscovered": "pangolin",
    "the trigger of the undiscovered": "dugong",
    "the name of the undiscovered": "lamprey",
    "undiscovered elsewhere": "kakapo",
    "a condition that does not hold": "fossa",
    "the name of an item that does not hold": "zebu",
    "notes for the game master": "numbat",
    "a comment": "tapir",
    "an aside": "okapi",
    "a key of the frontmatter": "bilby",
    "an entity that only secrets tell of": "Zorilla",
    "its alias": "Quokka",
    "a whole file for the game master": "Aardwolf",
    "what a rule would set off": "dhole",
}

FILES = {
    **h.FILES,
    "locations/tavern.md": """
        ---
        id: tavern
        type: location
        tags: [drink]
        truth: The bilby owns it.
        ---
        # The Tavern

        A low room under the sea wall. <!-- The tapir dug it. --> The ceiling was built for shorter people.

        %% Run the okapi scene when they are tired. %%

        ## Atmosphere

        Smoke hangs from the beams. Somebody is tuning a fiddle and not getting there.

        ## Discoverable

        - {#lamprey} search under the dugong barrel: Folded small lies a letter sealed with a pangolin.

        ## GM Notes

        - The numbat will come at midnight with Zorilla.
    """,
    "locations/quay.md": """
        ---
        id: quay
        type: location
        ---
        # The Quay

        Wet stone and rope.

        ## Clues

        - {#step} search the steps: Under the third step a kakapo feather is stuck.
    """,
    "npcs/osk.md": """
        ---
        id: osk
        type: npc
        pronoun: he
        aliases: [the landlord]
        gm_truth: He is the bilby.
        ---
        # Osk

        Landlord of the tavern, and a poor one.

        ## Knows

        - {#boat} Lin took the night boat on Tuesday, with a cage under her arm and a kestrel in it.
        - {#zebu} (when thread lost is cold) The fossa walks on the roof when the fog is in.

        ## Withholds

        - {#quagga} I sold her passage to the harbour master for a marmoset and a month of quiet.
    """,
    "npcs/bea.md": """
        ---
        id: bea
        type: npc
        pronoun: she
        ---
        # Bea

        She mends nets and hears everything.

        ## Knows

        - {#cellar} There is an axolotl in the cellar, in a bath, and nobody says whose.

        ## Secrets

        - {#child} Lin has a daughter in the caracal house, and Zorilla feeds her.
    """,
    "locations/house.md": """
        ---
        id: house
        type: location
        visibility: gm
        ---
        # Aardwolf House

        Here the child is kept.
    """,
    "npcs/zorilla.md": """
        ---
        id: zorilla
        type: npc
        aliases: [Quokka]
        ---
        # Zorilla

        ## Secrets

        - She is the hand behind the night boat.
    """,
}

SCENARIO = h.SCENARIO.replace("tavern/discoverable#letter", "tavern/discoverable#lamprey").replace(
    "osk/withholds#debt", "osk/withholds#quagga"
).replace("topic: debt", "topic: quagga") + (
    '      drowned: {when: {revealed: bea/secrets#child}, say: "A dhole howls from the breakwater."}\n'
)


def canary_town(tmp_path: Path, *, models: Mapping[str, Model] | None = None, seed: int = 1) -> App:
    """An app with a campaign `game` begun in the town of canaries."""
    return h.harbour(tmp_path, models=models, seed=seed, scenario=SCENARIO, files=FILES)


def canaries_in(text: str, *, but: tuple[str, ...] = ()) -> list[str]:
    """The canaries that stand in a text, with the roles that they have there."""
    found = text.casefold()
    return [
        f"{canary} ({role})" for role, canary in CANARIES.items() if canary not in but and canary.casefold() in found
    ]


ASIDES = (
    "/who", "/map", "/why", "/recap", "/help", "/inv", "/lore harbour master passage", "/lore letter barrel", "/lore osk",
    "/lore tavern", "/lore secret", "/lore daughter house feeds", "/lore roof fog", "/lore hand behind the night boat",
    "/lore Lin", "/lore midnight", "/undo 99", "/nonsense",
)  # fmt: skip


def shown_at_the_prompt(app: App, capsys: pytest.CaptureFixture[str]) -> str:
    """What every command of the prompt prints just now."""
    capsys.readouterr()
    errors = []
    with app.campaigns.open("game") as campaign:
        for line in ASIDES:
            try:
                run_command(campaign, line)
            except LorewrightError as error:
                errors.append(f"{error.message} {error.hint}")
    return "\n".join([capsys.readouterr().out, *errors])


def queried(app: App, viewer: str) -> str:
    """All that queries give a viewer, of lore and of history, with their traces."""
    found = []
    for words in (
        "",
        "harbour master passage quiet",
        "letter sealed barrel",
        "daughter house",
        "roof fog",
        "hand behind",
    ):
        for corpus in ("all", "authored", "history"):
            fields: dict[str, Any] = {"corpus": corpus, "viewer": viewer, "limit": 50, "max_tokens": 10_000}
            about = {"keywords": words} if words else {"entity_ids": ["osk", "bea", "zorilla", "tavern", "quay", "lin"]}
            answer = app.lore.retrieve(LoreRetrievalQuery.model_validate(fields | about), campaign_id="game")
            found += [answer.result.model_dump_json(), answer.trace.model_dump_json()]
    # The query itself is repeated in the trace; its IDs were ours.
    return "\n".join(found).replace("harbour:zorilla", "").replace('"zorilla"', "")


def staged(app: App) -> str:
    """What the stages that read and tell the story were given and made: the words of items, and IDs nowhere."""
    told = [h.stage_inputs(app), h.stage_outputs(app)]
    return "\n".join(text for one in told for stage in ("interpreter", "narrator") for text in one.get(stage, []))


def kept_of_sittings(app: App) -> str:
    """What sittings begin with and what they amounted to."""
    with app.campaigns.reading("game") as store:
        rows = session_rows(store.database)
        return json.dumps([[row.summary, dict(row.session_lore)] for row in rows], default=str, ensure_ascii=False)
