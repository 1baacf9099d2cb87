"""A pack whose open texts point to somebody hidden in every way that markup has, and its twin, in which that somebody,
their file and every hidden word are called otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Veil:
    """What the hidden one is called: name, ID and file name, and the words in titles and attributes."""

    name: str
    id: str
    word: str

    @property
    def marks(self) -> tuple[str, ...]:
        """What no player may read, in lower case."""
        return (self.id.casefold(), self.name.casefold(), self.word.casefold())


MASK = Veil("The Grey Mask", "zq_mask", "ZQKILLER")
WREN = Veil("Sister Augustine of the Long Wren", "qz_the_wren_of_the_marsh", "QZPOISONERWITHALONGERNAME")

# Each way of pointing at somebody; {id} is the hidden one's ID and file name, {w} a word that no editor shows.
WAYS: Mapping[str, str] = {
    "a wikilink": "Here [[{id}]] sits.",
    "a wikilink with words": "Here [[{id}|the guest]] sits.",
    "a wikilink with an anchor": "Here [[{id}#{w}|the guest]] sits.",
    "a wikilink to a block": "Here [[{id}#^{w}|the guest]] sits.",
    "a wikilink by path": "Here [[npcs/{id}]] sits.",
    "a wikilink over two lines": "Here [[{id}|the\nguest]] sits.",
    "a wikilink behind backslashes": "Here \\[\\[{id}\\]\\] sits.",
    "a wikilink never closed": "Here [[{id} sits.\nNext line.",
    "a wikilink in a wikilink": "Here [[x [[{id}|the guest]] y]] sits.",
    "an embed": "Here ![[{id}]] sits.",
    "an embedded picture": "Here ![[{w}.png|300]] hangs.",
    "a link": "Here [the guest](../npcs/{id}.md) sits.",
    "a link with a title": 'Here [the guest](../npcs/{id}.md "{w} did it") sits.',
    "a link with a title in single quotes": "Here [the guest](../npcs/{id}.md '{w} (did) it') sits.",
    "a link with a title in brackets": "Here [the guest](../npcs/{id}.md ({w} did it)) sits.",
    "a link in angles": "Here [the guest](<../npcs/{id}.md> '{w}') sits.",
    "a link over three lines": 'Here [the\nguest](../npcs/{id}.md\n"{w} did\nit") sits.',
    "a link with coded signs": "Here [the guest](..%2Fnpcs%2F{id}.md) sits.",
    "a link with brackets in it": "Here [the guest](../npcs/{id}.md?a=(b)) sits.",
    "a link never closed": "Here [the guest](../npcs/{id}.md sits.",
    "a link with a title never closed": 'Here [the guest](../npcs/{id}.md "{w} sits.',
    "a link never opened": "Here the guest](../npcs/{id}.md) sits.",
    "a link behind backslashes": "Here \\[the guest\\](../npcs/{id}.md) sits.",
    "a link around a picture": "Here [the ![{w}](../img/{w}.png) guest](../npcs/{id}.md) sits.",
    "a link around a wikilink": "Here [the [[{id}|odd]] guest](../npcs/{id}.md) sits.",
    "a link without words": "Here [](../npcs/{id}.md) sits.",
    "a link by another's name": "Here [the guest][{w}] sits.\n\n[{w}]: ../npcs/{id}.md",
    "a link by its own name": 'Here [the guest][] sits.\n\n[the guest]: ../npcs/{id}.md "{w}"',
    "a short link": "Here [the guest] sits.\n\n[the guest]: <../npcs/{id}.md>\n    '{w}'",
    "a definition in a quotation": "Here [the guest] sits.\n\n> [the guest]: ../npcs/{id}.md '{w}'",
    "a link by a name that is not defined": "Here [the guest][{w}] sits.",
    "a picture": "Here ![{w}](../img/{id}.png) hangs.",
    "a picture with a title": 'Here ![a face](../img/{id}.png "{w}") hangs.',
    "a picture by name": "Here ![{w}][{w}] hangs.\n\n[{w}]: ../img/{id}.png",
    "a tag with an attribute": 'Here the <span title="{w} > {id}">guest</span> sits.',
    "a tag over two lines": "Here the <span\n  data-who='{id}'\n  title='{w}'>guest</span> sits.",
    "a tag with a bare attribute": "Here the <span data-who={id}>guest</span> sits.",
    "a tag never closed": 'Here the guest <span title="{w} {id} sits.',
    "a tag of HTML in a block": '<div class="{w}">\n\nHere the guest sits.\n\n</div>',
    "an anchor of HTML": 'Here <a href="../npcs/{id}.md" title="{w}">the guest</a> sits.',
    "a picture of HTML": 'Here <img src="{id}.png" alt="{w}"> hangs.',
    "an element that is not shown": "Here <span hidden>{w}</span> the guest <b style='display: none'>{w}</b> sits.",
    "a script": "Here <script>var a = '{w}';</script> the guest sits.",
    "a comment of HTML": "Here <!-- {w} --> the guest sits.",
    "a comment of Obsidian": "Here %%{w}%% the guest sits.",
    "a comment in a link": "Here [the <!-- {w} -->guest](../npcs/{id}.md) sits.",
    "a comment between words and target": "Here [the guest]<!-- x -->(../npcs/{id}.md) sits.",
    "an instruction": "Here <?{w} {id}?> the guest sits.",
    "an address of a file": "Here <file:///vault/npcs/{id}.md> sits.",
    "an address of a program": "Here obsidian://open?vault=x&file={id} sits.",
    "an address in angles": "Here <../npcs/{id}.md> sits.",
    "a bare path": "Here ../npcs/{id}.md sits.",
    "a bare ID": "Here {id} sits.",
    "a bare full ID": "Here inn:{id} sits.",
    "a footnote": "Here the guest[^{w}] sits.\n\n[^{w}]: Nobody looks up.",
    "a block's name": "Here the guest sits. ^{w}",
    "an attribute list": "Here [the guest]{{.{w} title='{id}'}} sits.\n{{: .{w} #{id}}}",
    "an item's name": "Here the guest sits. {{#{id}}}",
    "a template": "Here the guest sits. {{{{{w}}}}} {{% {w} %}}",
    "a callout": "> [!{w}]- Here\n> [the guest](../npcs/{id}.md\n> '{w}') sits.",
    "an abbreviation": "Here the guest sits.\n\n*[guest]: {w} {id}",
    "a row of a table": "| who | where |\n|---|---|\n| [[{id}\\|the guest]] | [here](../npcs/{id}.md '{w}') |",
    "an item of a list": "- Here\n  [the guest](../npcs/{id}.md\n  '{w}') sits.\n  - And [[{id}|the guest]].",
    "a quotation": "> Here [the\n> guest](../npcs/{id}.md\n> '{w}') sits.",
    "a span of code": "Here `[[{id}]]` and `[the guest](../npcs/{id}.md '{w}')` sit.",
    "a fence": "```\nHere [the guest](../npcs/{id}.md '{w}') and [[{id}]] sit.\n```",
    "indented code": "Here:\n\n    [the guest](../npcs/{id}.md '{w}')",
    "a heading": "### About [the guest](../npcs/{id}.md '{w}') and [[{id}]]\n\nHere.",
    "words that are the name": "Here [{name}](../npcs/{id}.md) sits.",
    "a wikilink whose words are the name": "Here [[{id}|{name}]] sits.",
}


def files_of(veil: Veil) -> dict[str, str]:
    """The pack: a section for each way, in the file of a place, and the hidden one."""
    parts = [
        f"## Way {number}\n\n{text.format(id=veil.id, w=veil.word, name=veil.name)}\n"
        for number, text in enumerate(WAYS.values(), start=1)
    ]
    parts.append(f"## About [[{veil.id}]]\n\nMuch is said.\n")
    parts.append(f"## Atmosphere\n\nA [lamp](../npcs/{veil.id}.md '{veil.word}') burns low for [[{veil.id}]] here.\n")
    parts.append(
        f"## Discoverable\n\n- {{#note}} search the [bed](../npcs/{veil.id}.md '{veil.word}'): [A note](../x/{veil.word}.md)"
        f" lies there.\n  hint: Something of [[{veil.id}]] lies in the bed.\n"
    )
    return {
        "pack.yaml": "id: inn\nname: Inn\nversion: 1.0.0\nlicense: {type: CC0}\n",
        "locations/inn.md": (
            f"---\nid: inn\ntype: location\nrelated_entities: [{veil.id}]\naliases: [the house, {veil.id} house]\n"
            f"tags: [wet, {veil.id}]\n---\n# The Inn\n\nA low house, which [[Vik]] keeps.\n\n" + "\n".join(parts)
        ),
        "npcs/vik.md": (
            f"---\nid: vik\ntype: npc\n---\n# Vik\n\nKeeps the inn.\n\n## Disposition\n\n"
            f"- Vik looks at [[{veil.id}]] and at [the guest](../npcs/{veil.id}.md '{veil.word}').\n"
        ),
        f"npcs/{veil.id}.md": f"---\nid: {veil.id}\ntype: npc\nvisibility: gm\n---\n# {veil.name}\n\nPoisons the well.\n",
    }
