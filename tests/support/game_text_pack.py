"""The descriptions in Debian's package `crawl-common` (a dungeon game) as a pack: a file for each thing that is described.

The package keeps one file for each kind of thing. Records are divided by lines of `%%%%`; a record's first line is its
key, the rest its text. A text that is nothing but `<another key>` says that both keys name one thing.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from slugify import slugify

PACK_ID = "crawl"
DESCRIPTIONS = Path("/usr/share/crawl/dat/descript")

# File of descriptions -> type of its entities. Help texts, quotations from books and names of keys are no lore.
KINDS: Mapping[str, str] = {
    "ability": "technology",
    "backgrounds": "culture",
    "branches": "location",
    "cards": "item",
    "clouds": "event",
    "features": "location",
    "gods": "npc",
    "items": "item",
    "monsters": "npc",
    "mutations": "event",
    "skills": "technology",
    "species": "culture",
    "spells": "technology",
    "status": "event",
    "unrand": "item",
}

# A word that so many of a file's keys end with says of which file they are ("NAME spell"): it is no part of the name.
_COMMON_ENDING = 0.5
# Sections of one thing: these keys are another key and one of these words.
_PARTS = ("powers", "wrath")
_REFERENCE = re.compile(r"<([^<>\n]+)>")


@dataclass(slots=True)
class _Thing:
    """A key, the other keys of the same thing, and its texts by heading."""

    name: str
    aliases: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)


def installed_descriptions() -> Path:
    """The folder of the package's descriptions. Skips where it is not installed."""
    if not DESCRIPTIONS.is_dir():
        pytest.skip("apt-get install crawl-common: its descriptions are not here")
    return DESCRIPTIONS


def write_game_texts(source: Path, folder: Path) -> int:
    """Write the pack `crawl` into a new folder and return the number of its entities. `source` has the descriptions."""
    written = 0
    for kind, entity_type in KINDS.items():
        things = _things(read_records((source / f"{kind}.txt").read_text(encoding="utf-8")))
        (folder / kind).mkdir(parents=True)
        for path, thing in _with_paths(things).items():
            head = {"id": f"{kind}_{path}", "type": entity_type, "name": thing.name, "aliases": thing.aliases}
            lines = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in head.items())
            body = "".join(
                f"\n## {heading}\n\n{text}\n" if heading else f"\n{text}\n" for heading, text in thing.texts.items()
            )
            (folder / kind / f"{path}.md").write_text(f"---\n{lines}---\n\n# {thing.name}\n{body}", encoding="utf-8")
            written += 1
    manifest = f"id: {PACK_ID}\nname: Crawl\nversion: 1.0.0\nlicense: {{type: GPL-2.0-or-later}}\n"
    (folder / "pack.yaml").write_text(manifest, encoding="utf-8")
    return written


def read_records(text: str) -> dict[str, str]:
    """Return key -> text of each record that has both, as plain paragraphs; keys that begin with `_` are the program's."""
    found: dict[str, str] = {}
    without_code = re.sub(r"\{\{.*?\}\}", "", text, flags=re.DOTALL)
    for record in re.split(r"^%%%%\s*$", without_code, flags=re.MULTILINE):
        lines = [line for line in record.splitlines() if not line.startswith("#")]
        key, _, body = "\n".join(lines).strip().partition("\n")
        if body.strip() and not key.startswith("_"):
            found[key.strip()] = _plain(body)
    return found


def _things(records: Mapping[str, str]) -> list[_Thing]:
    """Records as things: parts below the whole, names without what all of the file's have, and other keys as aliases."""
    ending = _common_ending(list(records))
    things: dict[str, _Thing] = {}
    references: dict[str, str] = {}
    for key, text in records.items():
        if (reference := _REFERENCE.fullmatch(text)) is not None:
            references[key] = reference[1]
            continue
        whole, _, part = key.rpartition(" ")
        if part in _PARTS and whole in records:
            things.setdefault(whole, _Thing(_named(whole, ending))).texts[part.capitalize()] = text
        else:
            thing = things.setdefault(key, _Thing(_named(key, ending)))
            thing.texts = {"": text, **thing.texts}
    for key, target in references.items():
        for _ in references:
            target = references.get(target, target)
        if target in things:
            things[target].aliases.append(_named(key, ending))
    return list(things.values())


def _common_ending(keys: list[str]) -> str:
    ending, count = Counter(key.rpartition(" ")[2] for key in keys).most_common(1)[0]
    return f" {ending}" if count > _COMMON_ENDING * len(keys) else ""


def _named(key: str, ending: str) -> str:
    return key.removesuffix(ending) if ending else key


def _with_paths(things: list[_Thing]) -> dict[str, _Thing]:
    """Each thing by a file name that only it has."""
    found: dict[str, _Thing] = {}
    for thing in things:
        path = slugify(thing.name, separator="_") or "thing"
        while path in found:
            path += "_"
        found[path] = thing
    return found


def _plain(text: str) -> str:
    """Paragraphs of one line each, without colours and signs that markdown would read."""
    bare = text if _REFERENCE.fullmatch(text.strip()) else re.sub(r"</?\w+>", "", text)
    paragraphs = re.split(r"\n\s*\n", bare.strip())
    return "\n\n".join(" ".join(paragraph.split()).replace("#", "").replace("_", " ") for paragraph in paragraphs)
