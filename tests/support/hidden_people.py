"""A small pack with somebody or something of every type that players may know nothing of, by names that tests choose,
and a scenario in which all of it is near."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from lorewright.bootstrap import App, open_app
from lorewright.lore_bootstrap import make_empty_workspace
from support.copied_workspaces import copied_workspace
from support.harbour import dedent, write_pack


@dataclass(frozen=True, slots=True)
class Called:
    """An ID, a name and another name."""

    id: str
    name: str
    alias: str


PERSON, OTHER, PLACE, ITEM, FACTION, EVENT = "person", "other", "place", "item", "faction", "event"
FIRST = {
    PERSON: Called("grey_mask", "The Grey Mask", "the quiet guest"),
    OTHER: Called("wren", "Sister Wren", "Wren"),
    PLACE: Called("sunken_treasury", "The Sunken Treasury", "the drowned vault"),
    ITEM: Called("widow_maker", "The Widow Maker", "the long knife"),
    FACTION: Called("order_of_ash", "Order of Ash", "the Ashen"),
    EVENT: Called("night_of_keys", "The Night of Keys", "the great theft"),
}
SECOND = {
    PERSON: Called("zuquilvok", "Zuquil Vokhaxgrob", "jodwyx"),
    OTHER: Called("prenkthulyib", "Prenk", "Thulyibzur of Hax"),
    PLACE: Called("quax", "Quax Grobyib Vok", "wyxjod"),
    ITEM: Called("haxhaxhax", "Haxhax", "yibthul prenk"),
    FACTION: Called("vokvokwyx", "Vokvok Wyxprenkgrob", "thulthul"),
    EVENT: Called("yibgrob", "Yibgrobquil Zur", "haxjod"),
}
_TYPES = {PERSON: "npc", OTHER: "npc", PLACE: "location", ITEM: "item", FACTION: "faction", EVENT: "event"}
_FOLDERS = {"npc": "npcs", "location": "locations", "item": "items", "faction": "factions", "event": "history"}


def hidden_file(kind: str, called: Called) -> tuple[str, str]:
    """The path and the text of a hidden file."""
    type_ = _TYPES[kind]
    text = f"""
        ---
        id: {called.id}
        type: {type_}
        name: "{called.name}"
        aliases: ["{called.alias}"]
        visibility: gm
        ---
        # {called.name}

        {called.name} is behind all of it.
    """
    return f"{_FOLDERS[type_]}/{called.id}.md", text


def files(called: Mapping[str, Called] = FIRST) -> dict[str, str]:
    """The pack's files."""
    return {
        "pack.yaml": """
            id: inn
            name: Inn
            version: 1.0.0
            license: {type: cc-by}
        """,
        "locations/taproom.md": f"""
            ---
            id: taproom
            type: location
            related_entities: [{called[PERSON].id}]
            ---
            # The Taproom

            A taproom with a door and a hearth.

            ## Atmosphere

            Smoke hangs from the beams. A door bangs somewhere.
        """,
        "locations/yard.md": """
            ---
            id: yard
            type: location
            ---
            # The Yard

            Mud and a pump.

            ## Atmosphere

            Rain fills the ruts.
        """,
        "npcs/vik.md": """
            ---
            id: vik
            type: npc
            name: Viktoria
            aliases: [Vik]
            pronoun: she
            ---
            # Viktoria

            Viktoria keeps the inn.

            ## Disposition

            - Viktoria wipes the counter.

            ## Knows

            - {#toll} The toll is two pence.
        """,
        "npcs/dora.md": """
            ---
            id: dora
            type: npc
            name: Isidora Penn
            aliases: [the doctor]
            pronoun: she
            ---
            # Isidora Penn

            Isidora Penn sets bones in the next town.
        """,
        **dict(hidden_file(kind, one) for kind, one in called.items()),
    }


def scenario(called: Mapping[str, Called] = FIRST) -> str:
    """The scenario: one hidden person waits in the hidden place, the other is nowhere yet."""
    ids = {kind: one.id for kind, one in called.items()}
    return f"""
        id: night_at_the_inn
        name: Night at the Inn
        intro_seed: Viktoria looks up from her counter. It rains.
        content_packs: [inn]
        start: taproom
        player: {{name: Jo}}
        places:
          taproom: {{exits: {{yard: {{to: yard}}, {ids[PLACE]}: {{to: {ids[PLACE]}}}}}}}
          yard: {{exits: {{taproom: {{to: taproom}}}}}}
          {ids[PLACE]}: {{exits: {{taproom: {{to: taproom}}}}}}
        cast:
          vik: {{at: taproom}}
          {ids[PERSON]}: {{at: {ids[PLACE]}}}
          {ids[OTHER]}: {{at: yard}}
        entities:
          - {{id: {ids[FACTION]}}}
          - {{id: {ids[EVENT]}}}
          - {{id: dora, type: npc}}
        things:
          mug: {{name: mug, at: taproom}}
          knife: {{name: bread knife, at: taproom, entity: {ids[ITEM]}}}
        threads:
          matter: {{title: "What is the matter here?", related: [{", ".join(ids.values())}]}}
        clocks:
          hours: {{name: Hours, max: 9}}
    """


def inn(
    root: Path,
    called: Mapping[str, Called] = FIRST,
    *,
    text: str | None = None,
    more: Mapping[str, str] = MappingProxyType({}),
) -> App:
    """An app over a workspace with the pack, with `more` files in it, and a campaign `game` of the scenario."""

    def begin(folder: Path) -> None:
        make_empty_workspace(folder)
        write_pack(folder / "content_packs" / "inn", {**files(called), **more})
        written = folder / "scenarios" / "night_at_the_inn.yaml"
        written.write_text(dedent(text or scenario(called)), encoding="utf-8")
        open_app(folder).campaigns.new("night_at_the_inn", campaign_id="game", seed=1)

    return open_app(copied_workspace(root, begin, "inn", tuple(called.items()), text, tuple(more.items())))
