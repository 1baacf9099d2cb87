"""Packs -> whom and what they hide from players, and copies in which all of these bear made-up names.

Only hidden text changes, and what ties files to each other: IDs, file names, link targets, references. So whatever a
player can tell the copy from the original by says something of what is hidden.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from lorewright.ids import local, slug
from lorewright.packs.bounded_yaml import load_yaml
from lorewright.packs.loader import source_paths
from lorewright.packs.models import ITEM_ROLES, OPEN_ROLES, Entity, Pack
from lorewright.packs.plain import comments_in
from lorewright.packs.references import Links
from lorewright.turn.views.acquaintance import names_its_owner

_SYLLABLES = ("vok", "zur", "quil", "hax", "jod", "wyx", "prenk", "grob", "thul", "yib")
_TOLD_ROLES = OPEN_ROLES | ITEM_ROLES | {"disposition", "capabilities"}
# Keys of frontmatter whose values are words for readers and no references.
_WORDS = re.compile(r"\s*(?:name|title|pronoun|type|summary|description)\s*:")
_FRONTMATTER = re.compile(r"\A---[ \t]*\n.*?^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)
# What a scenario's author wrote for the player; all else in it that names an entity is a reference.
_TOLD_KEYS = frozenset({"name", "aliases", "title", "say", "intro_seed", "summary", "stakes", "demo", "goal", "goals"})
_MAX_NODES = 500_000


@dataclass(frozen=True, slots=True)
class Names:
    """What an entity is called: its ID without the pack, its name, its other names."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()

    @property
    def spoken(self) -> tuple[str, ...]:
        """All that one might type for it."""
        return tuple(dict.fromkeys((self.name, *self.aliases, self.id, self.id.replace("_", " "))))


@dataclass(frozen=True, slots=True)
class Disguise:
    """A hidden entity with its own names and those that it bears in the copy; `file` is where it stands."""

    pack_id: str
    file: str
    type: str
    own: Names
    made_up: Names

    @property
    def entity_id(self) -> str:
        """Its ID in the original, with the pack."""
        return f"{self.pack_id}:{self.own.id}"


def hidden_of(packs: Iterable[Pack]) -> list[tuple[Pack, Entity]]:
    """Return the entities of which packs tell players nothing, in the order of their files."""
    found = []
    for pack in packs:
        is_open = {chunk.entity_id for chunk in pack.chunks if chunk.role in OPEN_ROLES}
        found += [(pack, entity) for entity in pack.entities if entity.id not in is_open]
    return found


def made_up_names(entity: Entity) -> Names:
    """Return names that nobody has, of other letters and another length than the entity's own; always the same."""
    digest = hashlib.sha256(entity.id.encode()).digest()
    words = [_SYLLABLES[one % 10] + _SYLLABLES[one // 10 % 10] for one in digest[:16]]
    count = 3 if len(entity.name.split()) == 2 else 2
    return Names(
        id=f"{words[0]}_{words[1]}_{words[2]}",
        name=" ".join(word.capitalize() for word in words[:count]),
        aliases=tuple(f"{words[4 + n].capitalize()}{words[5 + n]}" for n in range(min(len(entity.aliases), 8))),
    )


def disguises_of(
    packs: Sequence[Pack], *, names: Callable[[Entity], Names] = made_up_names
) -> tuple[list[Disguise], list[str]]:
    """Return a disguise for each hidden entity, and a remark on each that has none because words that are told to
    players name it. What only markup says (targets and titles of links, comments, tags) is not told: the copy has other
    names there."""
    found, remarks = [], []
    told = [one for pack in packs for one in _told_in(pack)]
    for pack, entity in hidden_of(packs):
        said = next(
            (
                (file, name)
                for name in (entity.name, *entity.aliases)
                for file, text in told
                if file != entity.file_path and names_its_owner(text, name)
            ),
            None,
        )
        if said is not None:
            remarks.append(f"{entity.id} is hidden, and {said[0]} names it: it was not renamed")
            continue
        own = Names(local(entity.id), entity.name, tuple(one for one in entity.aliases if one != entity.name))
        found.append(Disguise(pack.manifest.id, entity.file_path, entity.type, own, names(entity)))
    return found, remarks


def _told_in(pack: Pack) -> Iterator[tuple[str, str]]:
    """The file and the words of all that is told of a pack, at the latest when it is learned."""
    hidden = {entity.id for _, entity in hidden_of([pack])}
    yield from ((entity.file_path, f"{entity.name}.") for entity in pack.entities if entity.id not in hidden)
    for chunk in pack.chunks:
        if chunk.role in _TOLD_ROLES:
            yield chunk.file_path, chunk.shown
            yield chunk.file_path, chunk.section
            yield from ((chunk.file_path, item.text) for item in chunk.items)


def copy_disguised(root: Path, into: Path, pack: Pack, disguises: Sequence[Disguise]) -> None:
    """Copy a pack's text to a new folder with its hidden entities, and references to those of other packs, renamed."""
    own = {one.file: one for one in disguises if one.pack_id == pack.manifest.id}
    hidden = {entity.id for _, entity in hidden_of([pack])}
    links = Links(pack.manifest.id, pack.entities, hidden=hidden, closed=True)
    renaming = _Renaming(disguises)
    for path in source_paths(root):
        target = into / (_renamed_path(path, own[path]) if path in own else path)
        target.parent.mkdir(parents=True, exist_ok=True)
        data = (root / path).read_bytes()
        if path.endswith((".md", ".markdown")) and disguises:
            text = data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
            text = _renamed_file(text, own[path]) if path in own else text
            target.write_text(_retied(text, path, links, renaming), encoding="utf-8", newline="\n")
        else:
            target.write_bytes(data)


def _renamed_path(path: str, disguise: Disguise) -> str:
    file = PurePosixPath(path)
    return str(file.with_name(disguise.made_up.id + file.suffix))


def _renamed_file(text: str, disguise: Disguise) -> str:
    """All that a hidden file says of its entity by name."""
    text = _with_id(text, disguise)
    renamed = {disguise.own.name: disguise.made_up.name, **_aliases(disguise)}
    for name in sorted(renamed, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", renamed[name].replace("\\", r"\\"), text, flags=re.IGNORECASE)
    return text


def _with_id(text: str, disguise: Disguise) -> str:
    """The ID said outright, whether or not it was: a file's name may mean something else then."""
    found = _FRONTMATTER.match(text)
    if found is None:
        return f"---\nid: {disguise.made_up.id}\n---\n{text}"
    lines = [line for line in found.group().split("\n")[1:-1] if not re.match(r"id\s*:", line)]
    return "\n".join(("---", f"id: {disguise.made_up.id}", *lines, "---")) + text[found.end() :]


def _aliases(disguise: Disguise) -> Mapping[str, str]:
    return dict(zip(disguise.own.aliases, disguise.made_up.aliases, strict=False))


class _Renaming:
    """Every spelling of the names of hidden entities, each with the made-up one."""

    def __init__(self, disguises: Iterable[Disguise]) -> None:
        self._made_up: dict[str, str] = {}
        for one in disguises:
            stem = PurePosixPath(one.file).stem
            own, new = one.own, one.made_up
            pairs = [(own.id, new.id), (stem, new.id), (own.name, new.name), *_aliases(one).items()]
            for said, instead in pairs:
                forms = {said: instead, slug(said, fallback=""): slug(instead), said.replace("_", " "): instead}
                for form, made_up in forms.items():
                    self._made_up.setdefault(form.casefold(), made_up)
        spellings = "|".join(re.escape(one) for one in sorted(filter(None, self._made_up), key=len, reverse=True))
        self._pattern = re.compile(rf"(?<![\w-])(?:{spellings})(?![\w-])", re.IGNORECASE) if spellings else None

    def of(self, text: str) -> str:
        """The text with the made-up names."""
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda found: self._made_up.get(found[0].casefold(), found[0]), text)


def _retied(text: str, path: str, links: Links, renaming: _Renaming) -> str:
    """Frontmatter, but for what is told of it, and all of the text that readers are not shown as it is written."""
    found = _FRONTMATTER.match(text)
    head, body = (found.group(), text[found.end() :]) if found else ("", text)
    head = "\n".join(line if _WORDS.match(line) else renaming.of(line) for line in head.split("\n"))
    parts, done = [], 0
    for edit in links.edits(body, path, comments=comments_in(body)):
        parts += [body[done : edit.start], renaming.of(body[edit.start : edit.end])]
        done = max(done, edit.end)
    return head + "".join(parts) + body[done:]


def disguised_scenario(text: str, disguises: Sequence[Disguise]) -> str:
    """Return a scenario with its references to hidden entities renamed; without any it is only written anew, as its
    copy is."""
    ids = {name: one.made_up.id for one in disguises for name in (one.own.id,)}
    ids |= {one.entity_id: f"{one.pack_id}:{one.made_up.id}" for one in disguises}
    data = load_yaml(text, max_nodes=_MAX_NODES).data
    return str(yaml.safe_dump(_renamed_data(data, ids), allow_unicode=True, sort_keys=False, width=10_000))


def _renamed_data(value: Any, ids: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {
            ids.get(key, key) if isinstance(key, str) else key: one if key in _TOLD_KEYS else _renamed_data(one, ids)
            for key, one in value.items()
        }
    if isinstance(value, list):
        return [_renamed_data(one, ids) for one in value]
    if isinstance(value, str):
        entity, slash, rest = value.partition("/")
        return f"{ids.get(entity, entity)}{slash}{rest}"
    return value
