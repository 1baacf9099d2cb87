"""A pack with a word of its own in every place where a secret can stand, and every export of a pack."""

from __future__ import annotations

from pathlib import Path

from lorewright.formats.exporting import export_pack
from lorewright.formats.shown import Audience
from lorewright.packs.loader import load_pack
from lorewright.packs.models import Pack
from support.harbour import write_pack

# What no export for players may hold, and where it stands.
CANARIES = {
    "a withheld item": "marmoset",
    "the name of a withheld item": "quagga",
    "what one knows": "caracal",
    "an undiscovered item": "pangolin",
    "the trigger of that": "dugong",
    "its hint": "gharial",
    "a thread": "kakapo",
    "somebody's disposition": "tarsier",
    "somebody's stats": "echidna",
    "notes for the game master": "numbat",
    "the title of a hidden section": "lamprey",
    "a comment": "tapir",
    "an aside": "okapi",
    "a comment inside a line": "serval",
    "a key of the frontmatter": "bilby",
    "an x_ key": "jerboa",
    "a related thread": "potoroo",
    "what an import left over": "solenodon",
    "an x_ key of the manifest": "colugo",
    "a count in the manifest": "bandicoot",
    "a synonym": "quoll",
    "a key of the license": "pademelon",
    "a file for the game master": "aardwolf",
    "the alias of that": "fennec",
    "somebody of whom only secrets tell": "zorilla",
    "an alias of theirs": "binturong",
    "the file name of somebody hidden": "kinkajou",
    "a tag of somebody hidden": "aye-aye",
    "an anchor of a link": "margay",
    "the title of a link": "coati",
    "the target of an image": "hoatzin",
    "the definition of a link": "saiga",
    "an attribute of HTML": "rhea",
    "a section under a condition": "fossa",
    "a file under a condition": "dhole",
    "an item under a condition in an open section": "zebu",
    "the subject of a condition": "eland",
    "a group of entries": "kudu",
    "the ID of something in another pack": "oribi",
    "an open section below a hidden title": "nyala",
    "the way of a place": "topi",
}

FILES = {
    "pack.yaml": """
        id: secretive
        name: The Quay
        version: 1.0.0
        license: {type: CC0, note: pademelon}
        description: A quay, and those who work on it.
        provides: {bandicoot: 3}
        synonyms: [[quoll, the tall one]]
        x_author_note: The colugo did it.
    """,
    "x_source.json": """{"people/osk.md": {"x_left": "solenodon"}, "pack.yaml": {"x_more": "solenodon"}}""",
    "places/quay.md": """
        ---
        id: quay
        type: location
        aliases: [the pier, Zorilla's landing]
        tags: [wet, zorilla, zorilla_gang]
        truth: The bilby owns it.
        x_note: Ask the jerboa.
        related_entities: [zorilla]
        related_threads: [potoroo]
        exits: {topi: {to: house}}
        lore: {group: kudu, requires: [zorilla], priority: 5}
        section_when:
          Low Tide: {thread: eland, status: open}
        ---
        # The Quay

        Wet stone and rope, which [[Osk]] coils. <!-- The tapir dug it. --> It smells. %% Run the okapi scene. %%
        Somebody comes here: [[zorilla]], [[Aardwolf
        House]], [[Binturong|a friend of Binturong]], [[zorilla|the tall one]], ![[kinkajou]] and [them](../people/kinkajou.md).
        [Osk again](../people/osk.md "The coati says so"), [[Osk#The margay]], ![a map](maps/hoatzin.png), [[other:oribi]].
        [See ![the][z] and [[Osk]]](../people/kinkajou.md). [The one][z] is <span data-truth="rhea">here</span>. A line<!-- serval --> goes on.

        [z]: ../people/kinkajou.md "saiga"

        ## What lies about

        - {#rope} A rope.
        - (when thread eland is open) The zebu is under the rope.

        ## Low Tide

        The fossa walks.

        ## Discoverable

        - {#step} search the dugong step: Under it is a pangolin.
          hint: The gharial drips.

        ## Threads

        - The kakapo is loose.
    """,
    "people/osk.md": """
        ---
        id: osk
        type: npc
        aliases: [the landlord]
        section_roles: {The Lamprey: secret}
        ---
        # Osk

        Landlord of nothing much.

        ## Disposition

        - He has the eyes of a tarsier.

        ## Capabilities

        - He bites like an echidna.

        ## Knows

        - {#boat} There is a caracal in the boat.

        ## Withholds

        - {#quagga} I sold the marmoset.

        ## GM Notes

        The numbat comes at midnight.

        ## The Lamprey

        Nothing.
    """,
    "people/kinkajou.md": """
        ---
        id: zorilla
        type: npc
        aliases: [Binturong]
        tags: [aye-aye]
        ---
        # Zorilla

        ## Secrets

        - She is the hand behind it.
    """,
    "places/house.md": """
        ---
        id: house
        type: location
        visibility: gm
        aliases: [Fennec]
        ---
        # Aardwolf House

        Here the child is kept.
    """,
    "events/night.md": """
        ---
        id: night
        type: event
        when: {thread: eland, status: open}
        ---
        # Night of the Dhole

        The dhole howls.
    """,
    "events/below.md": """
        ---
        id: below
        type: event
        ---
        # Secrets (GM only)

        ## Plain words

        The nyala swims.
    """,
}

OUTS = {
    "book.json": "sillytavern",
    "card.json": "sillytavern",
    "vault": "obsidian",
    "handout.html": "player-handout",
    "handout.md": "player-handout",
    "handout": "player-handout",
}


def secretive(folder: Path) -> Pack:
    """The pack, written and read."""
    return load_pack(write_pack(folder, FILES))


def exported(pack: Pack, audience: Audience, into: Path, *, card: str | None = None) -> dict[str, str]:
    """What each of the formats writes, as text, names of files included; without somebody to make a card of none is
    made."""
    found = {}
    for out, kind in OUTS.items():
        if out == "card.json" and card is None:
            continue
        as_card = card if out == "card.json" else None
        export_pack(pack, audience, kind, into / out, card_of=as_card, as_book=out == "book.json")  # type: ignore[arg-type]
        found[out] = everything_in(into / out)
    return found


def everything_in(path: Path) -> str:
    """All texts below a path, with the names of the files."""
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    return "\n".join(f"{one.relative_to(path)}\n{one.read_text(encoding='utf-8')}" for one in files)
