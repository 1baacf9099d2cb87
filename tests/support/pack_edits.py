"""What an author may do to the files of a pack, for laws that hold whatever it is."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

from support.pack_builder import MANIFEST, TOWN

PATHS = (*sorted(TOWN), "npcs/new.md", "a.md", "locations/deep/cellar.md")

# Whole files: some of the town's, some with the ID of another, links that come and go, errors, nothing at all.
TEXTS = (
    *(str(text) for text in TOWN.values()),
    "",
    "# New\n\nSee [[Viktor]], [[The Neon Dragon]] and [the pier](../locations/pier.md).\n",
    "# Old\n\nSee [[Nobody]].\n\n## Knows\n\n- one\n- {#two} two\n\n## Knows\n\n- three\n%% [[Mara]] %%\n",
    "---\nid: viktor\ntype: npc\naliases: [Pier 9]\n---\n# Another Viktor\n\n## Withholds\n\n- something\n",
    "---\nid: Vik tor!\ntype: npc\nrelated_entities: [bar, nobody]\n---\n# V\n",
    "---\nid: rules\ntype: item\nlore: {always: true, excludes: [bar]}\n---\n# Rules\n\nThere are rules.\n",
    "---\nid: x: y\n---\n# Broken\n",
    "---\nid: new\ntype: location\nexits: [{to: bar}, {to: nowhere}]\nwhen: {thread: t, status: open}\n---\n# N\n\n"
    + "w " * 900,
)
MANIFESTS = (
    MANIFEST.format(id="town"),
    MANIFEST.format(id="town") + "chunk_tokens: 50\n",
    MANIFEST.format(id="town") + "types: {npcs: faction}\n",
    MANIFEST.format(id="town") + 'exclude: ["items/*"]\n',
    MANIFEST.format(id="town2"),
    "id: [",
)
EDITS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS), st.sampled_from(TEXTS)),
    st.tuples(st.just("append"), st.sampled_from(PATHS), st.sampled_from(("\nmore\n", "\n## More\n\nmore\n"))),
    st.tuples(st.just("delete"), st.sampled_from(PATHS), st.just("")),
    st.tuples(st.just("rename"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.tuples(st.just("manifest"), st.just("pack.yaml"), st.sampled_from(MANIFESTS)),
)


def apply_edit(folder: Path, edit: tuple[str, str, str]) -> None:
    """Do to a pack's folder what an author might; `hand.md` at its root is never touched, so that it stays a pack."""
    kind, path, value = edit
    file = folder / path
    if kind == "rename" and file.is_file():
        (folder / value).parent.mkdir(parents=True, exist_ok=True)
        file.replace(folder / value)
    elif kind == "delete":
        file.unlink(missing_ok=True)
    elif kind in ("write", "manifest"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(value, encoding="utf-8")
    elif kind == "append" and file.is_file():
        file.write_text(file.read_text(encoding="utf-8") + value, encoding="utf-8")
