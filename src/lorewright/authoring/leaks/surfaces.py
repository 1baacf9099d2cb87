"""Packs and scenarios -> every text of theirs with a reader who need not know the packs' secrets, by lines."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from lorewright.campaigns.scenarios.scenario import scenario_text
from lorewright.errors import ScenarioError
from lorewright.ids import local, shown_item, slug
from lorewright.packs.bounded_yaml import YamlProblem, line_of, lines_of_yaml, load_yaml
from lorewright.packs.content_hash import source_paths
from lorewright.packs.manifest import MANIFEST_FILE
from lorewright.packs.markdown.chunking import blocks_of, plain_text, without_spans
from lorewright.packs.markdown.hidden_spans import find_hidden_spans, ranges_of
from lorewright.packs.models import ITEM_ROLES, OPEN_ROLES, Chunk, Pack, PackEntity
from lorewright.packs.references import Links
from lorewright.turn.views.acquaintance import names_its_owner
from lorewright.turn.views.leaks import plain_words

# The most nodes of a scenario's YAML that are read.
_MAX_NODES = 500_000

# Disguises: copies of packs in which all hidden entities bear made-up names.
#
# Only hidden text changes, and what ties files to each other: IDs, file names, link targets, references. So any
# difference between the copy and the original that a player can see tells something hidden.

_SYLLABLES = ("vok", "zur", "quil", "hax", "jod", "wyx", "prenk", "grob", "thul", "yib")
_TOLD_ROLES = OPEN_ROLES | ITEM_ROLES | {"disposition", "capabilities"}
# Keys of frontmatter whose values are words for readers and no references.
_WORDS = re.compile(r"\s*(?:name|title|pronoun|type|summary|description)\s*:")
_FRONTMATTER = re.compile(r"\A---[ \t]*\n.*?^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)
# Keys of a scenario that hold text for the player; all other values that name an entity are references.
_TOLD_KEYS = frozenset({"name", "aliases", "title", "say", "intro_seed", "summary", "stakes", "demo", "goal", "goals"})


@dataclass(frozen=True, slots=True)
class EntityNames:
    """The names of an entity: its ID without the pack, its name, its aliases."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()

    @property
    def spoken(self) -> tuple[str, ...]:
        """Return everything that a player might type for it."""
        return tuple(dict.fromkeys((self.name, *self.aliases, self.id, self.id.replace("_", " "))))


@dataclass(frozen=True, slots=True)
class Disguise:
    """A hidden entity with its own names and those that it bears in the copy; `file` is where it stands."""

    pack_id: str
    file: str
    type: str
    own: EntityNames
    made_up: EntityNames

    @property
    def entity_id(self) -> str:
        """Return its ID in the original, with the pack."""
        return f"{self.pack_id}:{self.own.id}"


def hidden_of(packs: Iterable[Pack]) -> list[tuple[Pack, PackEntity]]:
    """Return the entities of which packs tell players nothing, in the order of their files."""
    found = []
    for pack in packs:
        is_open = {chunk.entity_id for chunk in pack.chunks if chunk.role in OPEN_ROLES}
        found += [(pack, entity) for entity in pack.entities if entity.id not in is_open]
    return found


def made_up_names(entity: PackEntity) -> EntityNames:
    """Return names that nobody has, of other letters and another length than the entity's own; always the same."""
    digest = hashlib.sha256(entity.id.encode()).digest()
    words = [_SYLLABLES[byte % 10] + _SYLLABLES[byte // 10 % 10] for byte in digest[:16]]
    count = 3 if len(entity.name.split()) == 2 else 2
    return EntityNames(
        id=f"{words[0]}_{words[1]}_{words[2]}",
        name=" ".join(word.capitalize() for word in words[:count]),
        aliases=tuple(f"{words[4 + n].capitalize()}{words[5 + n]}" for n in range(min(len(entity.aliases), 8))),
    )


def disguises_of(
    packs: Sequence[Pack], *, names: Callable[[PackEntity], EntityNames] = made_up_names
) -> tuple[list[Disguise], list[str]]:
    """Return a disguise for each hidden entity, and a remark on each that has none because words that players are told
    name it. Text that only markup holds (targets and titles of links, comments, tags) does not count as told: the copy
    has other names there."""
    found, remarks = [], []
    told = [text for pack in packs for text in _told_texts(pack)]
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
        own = EntityNames(
            local(entity.id), entity.name, tuple(alias for alias in entity.aliases if alias != entity.name)
        )
        found.append(Disguise(pack.manifest.id, entity.file_path, entity.type, own, names(entity)))
    return found, remarks


def _told_texts(pack: Pack) -> Iterator[tuple[str, str]]:
    """Yield the file and the words of all texts of a pack that players are told, at the latest when they learn an
    item."""
    hidden = {entity.id for _, entity in hidden_of([pack])}
    yield from ((entity.file_path, f"{entity.name}.") for entity in pack.entities if entity.id not in hidden)
    for chunk in pack.chunks:
        if chunk.role in _TOLD_ROLES:
            yield chunk.file_path, chunk.shown
            yield chunk.file_path, chunk.section
            yield from ((chunk.file_path, item.text) for item in chunk.items)


def copy_disguised(root: Path, into: Path, pack: Pack, disguises: Sequence[Disguise]) -> None:
    """Copy a pack's text to a new folder with its hidden entities, and references to those of other packs, renamed."""
    own = {disguise.file: disguise for disguise in disguises if disguise.pack_id == pack.manifest.id}
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
            target.write_text(_rename_references(text, path, links, renaming), encoding="utf-8", newline="\n")
        else:
            target.write_bytes(data)


def _renamed_path(path: str, disguise: Disguise) -> str:
    file = PurePosixPath(path)
    return str(file.with_name(disguise.made_up.id + file.suffix))


def _renamed_file(text: str, disguise: Disguise) -> str:
    """Return a hidden file's text with every name of its entity replaced."""
    text = _with_id(text, disguise)
    renamed = {disguise.own.name: disguise.made_up.name, **_aliases(disguise)}
    for name in sorted(renamed, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", renamed[name].replace("\\", r"\\"), text, flags=re.IGNORECASE)
    return text


def _with_id(text: str, disguise: Disguise) -> str:
    """Return the text with an explicit ID, whether or not it had one: a file's name may mean something else then."""
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
        for disguise in disguises:
            stem = PurePosixPath(disguise.file).stem
            own, new = disguise.own, disguise.made_up
            pairs = [(own.id, new.id), (stem, new.id), (own.name, new.name), *_aliases(disguise).items()]
            for said, instead in pairs:
                forms = {said: instead, slug(said, fallback=""): slug(instead), said.replace("_", " "): instead}
                for form, made_up in forms.items():
                    self._made_up.setdefault(form.casefold(), made_up)
        spellings = "|".join(re.escape(name) for name in sorted(filter(None, self._made_up), key=len, reverse=True))
        self._pattern = re.compile(rf"(?<![\w-])(?:{spellings})(?![\w-])", re.IGNORECASE) if spellings else None

    def of(self, text: str) -> str:
        """Return the text with the made-up names."""
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda found: self._made_up.get(found[0].casefold(), found[0]), text)


def _rename_references(text: str, path: str, links: Links, renaming: _Renaming) -> str:
    """Return a text with the references renamed in its frontmatter, except the keys for readers, and in all markup that
    readers are not shown as it is written."""
    found = _FRONTMATTER.match(text)
    head, body = (found.group(), text[found.end() :]) if found else ("", text)
    head = "\n".join(line if _WORDS.match(line) else renaming.of(line) for line in head.split("\n"))
    parts, done = [], 0
    for edit in links.edits(body, path, comments=ranges_of(find_hidden_spans(body, blocks_of(body)), "comment")):
        parts += [body[done : edit.start], renaming.of(body[edit.start : edit.end])]
        done = max(done, edit.end)
    return head + "".join(parts) + body[done:]


def disguised_scenario(text: str, disguises: Sequence[Disguise]) -> str:
    """Return a scenario with its references to hidden entities renamed; without any it is only written anew, as its
    copy is."""
    ids = {name: disguise.made_up.id for disguise in disguises for name in (disguise.own.id,)}
    ids |= {disguise.entity_id: f"{disguise.pack_id}:{disguise.made_up.id}" for disguise in disguises}
    data = load_yaml(text, max_nodes=_MAX_NODES).data
    return str(yaml.safe_dump(_renamed_data(data, ids), allow_unicode=True, sort_keys=False, width=10_000))


def _renamed_data(value: Any, ids: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {
            ids.get(key, key) if isinstance(key, str) else key: entry
            if key in _TOLD_KEYS
            else _renamed_data(entry, ids)
            for key, entry in value.items()
        }
    if isinstance(value, list):
        return [_renamed_data(entry, ids) for entry in value]
    if isinstance(value, str):
        entity, slash, rest = value.partition("/")
        return f"{ids.get(entity, entity)}{slash}{rest}"
    return value


# Surfaces: every text with a reader who need not know the secrets, by lines.

# Keys of a scenario that only the game master, the planner or the character they are about ever reads.
_PRIVATE = frozenset({"goals", "agenda", "thought", "observations", "states", "demo", "id", "topic", "when", "on"})


@dataclass(frozen=True, slots=True)
class Surface:
    """A text and who reads it: `words` with the line of each. `holder` is whose file it is; items in `reveals` are told
    where this text is, so that it may say them."""

    file: str
    words: tuple[str, ...]
    lines: tuple[int, ...]
    viewer: str
    channel: str
    holder: str = ""
    reveals: frozenset[str] = frozenset()

    def place(self, at: int) -> str:
        """Return `file:line` of a word."""
        return f"{self.file}:{self.lines[at]}"

    def quote(self, at: int, count: int = 12) -> str:
        """Return some words from there on."""
        return " ".join(self.words[at : at + count])


def surfaces_of(pack: Pack) -> Iterator[Surface]:
    """Yield open sections, what people tell when asked, hints, names, and the keys of frontmatter and manifest."""
    for chunk in pack.chunks:
        if chunk.role in OPEN_ROLES:
            channel: str = "open lore" if chunk.role == "lore" else chunk.role
            yield _surface_of_lines(
                chunk.file_path, _without_comments(chunk.source), _first_line(chunk), "everyone", channel
            )
        for item in chunk.items:
            if item.hint:
                yield _surface_of_text(chunk.file_path, item.hint, item.line, "player", "hint", chunk.entity_id)
            if chunk.role == "knows":
                who = f"npc:{chunk.entity_id}, and anybody who asks"
                yield _surface_of_text(chunk.file_path, item.text, item.line, who, "knows", chunk.entity_id)
    for entity in pack.entities:
        for channel, text in (("names", "; ".join((entity.name, *entity.aliases, *entity.tags))), *_keys(entity.attrs)):
            yield _surface_of_text(entity.file_path, text, 1, "everyone", channel, entity.id)
    manifest = pack.manifest
    for text in (manifest.name, manifest.description, manifest.genre, *map(str, (manifest.provides, manifest.extra))):
        yield _surface_of_text(MANIFEST_FILE, text, 1, "everyone", "manifest")


def surfaces_of_scenario(path: Path) -> Iterator[Surface]:
    """Yield every sentence that a scenario's author wrote for the player, each with the items that are revealed where
    it is told; none where the file cannot be read."""
    try:
        text = scenario_text(path)
        data = load_yaml(text, max_nodes=_MAX_NODES).data
        lines = lines_of_yaml(text, max_nodes=_MAX_NODES)
    except (UnicodeDecodeError, YamlProblem, ScenarioError):
        return
    for keys, said in _texts(data, ()):
        if not _PRIVATE.intersection(map(str, keys)):
            yield _surface_of_text(
                path.name,
                said,
                line_of(lines, keys),
                "player",
                "scenario",
                reveals=_revealed(data, keys),
            )


def holds(surface: Surface, item_id: str) -> bool:
    """Tell whether an item, by its full ID, is told where this text is."""
    return bool(surface.reveals & {item_id, shown_item(item_id), local(item_id.partition("#")[0])})


def _keys(attrs: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in attrs.items():
        if key not in ("agenda", "acts", "exits"):
            yield f"frontmatter key {key}", _flatten(value)


def _flatten(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(_flatten(entry) for entry in value.values())
    return "; ".join(_flatten(entry) for entry in value) if isinstance(value, (list, tuple)) else str(value)


def _first_line(chunk: Chunk) -> int:
    """Return the line on which the chunk's source begins: `chunk.line` is that of its first line that is not blank."""
    return chunk.line - _blank(chunk.source)


def _blank(text: str) -> int:
    return text[: len(text) - len(text.lstrip())].count("\n")


def _without_comments(source: str) -> str:
    return without_spans(source, ranges_of(find_hidden_spans(source, blocks_of(source))))


def _surface_of_lines(file: str, text: str, line: int, viewer: str, channel: str) -> Surface:
    words: list[str] = []
    numbers: list[int] = []
    for number, line_text in enumerate(text.split("\n"), start=line):
        found = plain_words(_plain_line(line_text))
        words += found
        numbers += [number] * len(found)
    return Surface(file, tuple(words), tuple(numbers), viewer, channel)


_MARK = re.compile(r"\{#[^}]*\}")


def _plain_line(line: str) -> str:
    """Return a line as it is read: links by the words that are shown."""
    return plain_text(_MARK.sub(" ", line.lstrip("#>-*+ \t"))) if line.strip() else ""


def _surface_of_text(
    file: str,
    text: str,
    line: int,
    viewer: str,
    channel: str,
    holder: str = "",
    reveals: frozenset[str] = frozenset(),
) -> Surface:
    words = tuple(plain_words(text))
    return Surface(file, words, (line,) * len(words), viewer, channel, holder, reveals)


def _texts(value: Any, keys: tuple[object, ...]) -> Iterator[tuple[tuple[object, ...], str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*keys, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _texts(inner, (*keys, number))
    elif isinstance(value, str) and " " in value:
        yield keys, value


def _revealed(data: Any, keys: tuple[object, ...]) -> frozenset[str]:
    """Return the items that are told where a text stands: a band's effects for a text about the band, a condition of
    having learned it, the thing that is found; for anything else whatever its entry reveals."""
    entry = data
    for key in keys[:2]:
        entry = entry[key]
    found = {str(keys[1])} if keys[0] == "finds" and len(keys) > 1 else set()
    if not isinstance(entry, (dict, list)):
        return frozenset(found)
    if isinstance(entry, dict) and keys[0] == "rules" and len(keys) > 3 and keys[2] == "say":
        band = str(keys[3])
        told = entry.get(band) or (entry.get("success") if band == "critical" else None)
        return frozenset({*found, *_revealed_items(told), *_revealed_items(entry.get("when"))})
    return frozenset({*found, *_revealed_items(entry)})


def _revealed_items(value: Any) -> Iterator[str]:
    """Yield the items that the value reveals, or that were revealed before; not those that must not be."""
    if isinstance(value, list):
        for entry in value:
            yield from _revealed_items(entry)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key in ("reveal", "revealed"):
                yield from [inner] if isinstance(inner, str) else map(str, inner)
            elif key != "not":
                yield from _revealed_items(inner)
