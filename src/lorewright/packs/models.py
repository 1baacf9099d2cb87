"""The parts of a pack that was read: manifest, entities, chunks, items. Values only; nothing here reads a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from lorewright.ids import local, slug
from lorewright.packs.files import MAX_CHUNK_TOKENS, MAX_SYNONYM_GROUPS, Finding, warning
from lorewright.visibility import roles_with

ENTITY_TYPES = ("location", "npc", "faction", "culture", "history", "technology", "item", "event")

Layer = Literal["core", "setting", "regional", "adventure", "homebrew"]
LAYERS: tuple[Layer, ...] = ("core", "setting", "regional", "adventure", "homebrew")

# The purpose of a section. `lore` and `atmosphere` are open to everyone; `secret` is for the game master alone.
# `disposition` is what others see of a person, `motivation` what drives that person, which nobody is told.
Role = Literal[
    "lore",
    "atmosphere",
    "disposition",
    "motivation",
    "knows",
    "withholds",
    "capabilities",
    "discoverable",
    "threads",
    "secret",
]
ALL_ROLES: frozenset[str] = frozenset(get_args(Role))
OPEN_ROLES: frozenset[str] = roles_with("all", "player")
# Sections that are read item by item.
ITEM_ROLES: frozenset[str] = frozenset({"knows", "withholds", "discoverable", "threads"})


class Dependency(BaseModel):
    """Another pack that this one builds on."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="ignore")

    id: str
    version: str = ""

    @field_validator("version")
    @classmethod
    def _is_a_range(cls, version: str) -> str:
        try:
            SpecifierSet(version)
        except InvalidSpecifier:
            raise ValueError(f'"{version}" is no version range; write ">=1.0,<2"') from None
        return version

    def accepts(self, version: str) -> bool:
        """Tell whether a version lies in the range; a text that is no version lies in the empty range only."""
        try:
            return SpecifierSet(self.version).contains(Version(version), prereleases=True)
        except InvalidVersion:
            return not self.version


# A word, or a few words, of a group with the same meaning.
Synonym = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
Synonyms = Annotated[tuple[Synonym, ...], Field(min_length=2, max_length=20)]


class OpenSection(BaseModel):
    """A section, callout or label that looks like a secret and is none: the file's path in the pack, and the title."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    file: str
    title: str


class Manifest(BaseModel):
    """`pack.yaml`, in the seed's shape; keys that we do not know are kept in `extra`.

    A section over `chunk_tokens` is split. `exclude` holds globs and tags (`#draft`) of files that are no content; with
    `include` all others are left out. `types` gives the type of a folder's files if its name does not. `open_sections`
    look like secrets and are none. A query for one of a group of `synonyms` also finds the others.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="ignore")

    id: str
    name: str
    version: str = "0.0.0"
    genre: str = ""
    layer: Layer = "setting"
    depends_on: tuple[Dependency, ...] = ()
    provides: dict[str, Any] = Field(default_factory=dict)
    license: dict[str, Any] = Field(default_factory=dict)
    language: str = "en"
    description: str = ""
    chunk_tokens: int = Field(default=MAX_CHUNK_TOKENS, ge=50, le=5_000)
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    open_sections: tuple[OpenSection, ...] = ()
    types: dict[str, str] = Field(default_factory=dict)
    synonyms: tuple[Synonyms, ...] = Field(default=(), max_length=MAX_SYNONYM_GROUPS)
    extra: dict[str, Any] = Field(default_factory=dict)
    derived: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A reference out of a chunk: `kind` is location, entity, faction, thread or tag; `value` a qualified ID or a
    tag."""

    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class WhenThread:
    """The condition that a thread has a status."""

    thread: str
    status: str


@dataclass(frozen=True, slots=True)
class WhenClock:
    """The condition that a clock's value lies between min and max, both included."""

    clock: str
    min: int | None = None
    max: int | None = None


@dataclass(frozen=True, slots=True)
class WhenFact:
    """The condition that there is a fact of the subject with the predicate."""

    fact: str
    subject: str


WhenPart = WhenThread | WhenClock | WhenFact


@dataclass(frozen=True, slots=True)
class When:
    """A condition: all of its parts must hold; without parts it could not be read and never holds. `line` is the
    file's."""

    parts: tuple[WhenPart, ...]
    line: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class EntryRules:
    """The rules on when a section is in an answer, apart from the search; docs/packs.md describes each.

    `requires` and `excludes` hold IDs: `pack:entity`, or of one section `pack:entity:section`. A group and a dice roll
    belong to the file or to the section, wherever they are written: `group_of` and `thrown_for` are its ID.
    """

    always: bool = False
    priority: int = 0
    sticky: int = 0
    cooldown: int = 0
    requires: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    probability: float = 1.0
    group_of: str = ""
    thrown_for: str = ""
    keys: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    all: tuple[str, ...] = ()
    not_any: tuple[str, ...] = ()
    not_all: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """A single piece of knowledge. `text` is plain prose without markers; `trigger` (discoverables) is `search …`;
    `condition` is the words of `(when …)`, `opened_by` those of a note on what opens it in play (`2d6 charm`)."""

    id: str
    name: str
    text: str
    line: int
    trigger: str | None = None
    hint: str | None = None
    condition: str | None = None
    opened_by: str | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A section of a file, or a part of it.

    `source` is the exact text of the file, heading included: the sources of a file's chunks joined are its body.
    `text` is the same without the heading and without comments; `told` is the text for readers other than the game
    master: without what an editor does not show and without the names of hidden entities. `joined` is `text` without
    the blank lines around what was taken out of it, where anything was. `position` orders the chunks of a pack by file
    path, then by place in the file.
    """

    id: str
    pack_id: str
    entity_id: str
    file_path: str
    section_path: str
    section: str
    role: Role
    text: str
    source: str
    line: int
    part: int
    position: int
    token_count: int
    links: tuple[Link, ...] = ()
    items: tuple[Item, ...] = ()
    conditions: tuple[When, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)
    rules: EntryRules | None = None
    told: str | None = None
    joined: str | None = None

    @property
    def shown(self) -> str:
        """The text that is searched, and the most that readers other than the game master may see."""
        return self.text if self.told is None else self.told


@dataclass(frozen=True, slots=True)
class Override:
    """The value of `overrides:` as it is written (an ID, maybe without its pack), and its line."""

    target: str
    line: int


@dataclass(frozen=True, slots=True)
class PackEntity:
    """The subject of a file. `id` is qualified; `attrs` are the frontmatter keys that have no meaning of their own;
    `file_alias` is the alias that is the file's name and no word of a text."""

    id: str
    type: str
    name: str
    file_path: str
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    attrs: dict[str, Any] = field(default_factory=dict)
    overrides: Override | None = None
    file_alias: str = field(default="", compare=False)

    @property
    def spoken_aliases(self) -> tuple[str, ...]:
        """The aliases without the file's name where that is an ID rather than a name (`rusty_anchor`, not `Rusty`)."""
        return tuple(alias for alias in self.aliases if alias != self.file_alias)


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack as read from a folder by a version of the rules (`reading`). `content_hash` covers path and bytes of every
    file that was read."""

    manifest: Manifest
    root: str
    content_hash: str
    entities: tuple[PackEntity, ...]
    chunks: tuple[Chunk, ...]
    findings: tuple[Finding, ...]
    reading: int

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that stop an install."""
        return tuple(finding for finding in self.findings if finding.severity == "error")


# Role of a section -> its titles. The only table of these; `docs/packs.md` shows it to authors.

SYNONYMS: dict[Role, tuple[str, ...]] = {
    "atmosphere": ("atmosphere", "ambience", "appearance", "first impression", "look and feel", "senses"),
    "disposition": ("disposition", "attitude", "demeanor", "demeanour", "mood"),
    "motivation": ("motivation", "motive", "personality", "psychology"),
    "knows": ("knows", "hooks", "knowledge", "plot hooks", "rumors", "rumours"),
    "withholds": (
        "withholds",
        "dm notes",
        "dm only",
        "game master notes",
        "gm notes",
        "gm only",
        "secret",
        "secrets",
    ),
    "capabilities": ("capabilities", "abilities", "combat statistics", "skills", "stat block", "stats"),
    "discoverable": ("discoverable", "discoverables", "clues", "hidden", "loot", "treasure"),
    "threads": ("threads", "open threads", "plot threads", "story threads"),
}

_ROLE_OF = {title: role for role, titles in SYNONYMS.items() for title in titles}

# A title with one of these words counts as a secret; an author corrects a wrong guess by `section_roles:`.
_SECRET_WORDS = frozenset({"secret", "secrets", "withholds", "withheld"})
# A person's motivation gives the plot away: any title of an NPC's section with one of these words, or equal to one of
# the titles below, is about it. For a place or a thing the same words are open lore.
_MOTIVES = frozenset(
    "agenda agendas aim aims ambition ambitions desire desires drives goal goals ideals intentions motivation"
    " motivations motive motives objective objectives personality psychology wants".split()
)
_MOTIVE_TITLES = frozenset(
    "bonds|character|character traits|drive|fear|fears|flaw|flaws|ideal|inner life|intention|personality traits|trait"
    "|traits|bonds and flaws|ideals and bonds|bonds flaws|want".split("|")
)
_FOR_THE_MASTER = re.compile(r"\b(gm|dm|game ?master|dungeon ?master|keeper)([’']?s)?[ -]+(only|notes?|eyes)\b")
_NAME = re.compile(r"\{#[^}]*\}")
_NOT_WORDS = re.compile(r"[^\w\s]+")


def role_of(title: str, overrides: dict[str, Role] | None = None, *, of_person: bool = False) -> Role:
    """Return the role of a section with this title; `lore` if the title has no special meaning.

    `overrides` come from the file's own `section_roles:` and win. `Secrets (GM only)` and `The Secrets:` are secrets
    too. In the file of a person (`of_person`) `Goals`, `What she wants` or `Motives & Fears` is their motivation.
    """
    plain = " ".join(_NOT_WORDS.sub(" ", re.sub(r"\([^)]*\)", " ", _NAME.sub(" ", title)).casefold()).split())
    if overrides and plain in overrides:
        return overrides[plain]
    plain = plain.removeprefix("the ")
    if (_ROLE_OF.get(plain) is None and _SECRET_WORDS & set(plain.split())) or _FOR_THE_MASTER.search(title.casefold()):
        return "withholds"
    if of_person and is_motive(plain):
        return "motivation"
    singular = plain.removesuffix("s")
    return _ROLE_OF.get(plain) or _ROLE_OF.get(singular) or "lore"


def is_motive(words: str) -> bool:
    """Tell whether the words of a title, in lower case, are about what drives a person."""
    return words in _MOTIVE_TITLES or bool(_MOTIVES & set(words.split()))


# Overrides: which pack may replace entities of which other, by layer and dependency. Reads no file.

# Returns the IDs of a pack's entities; None if they cannot be known.
EntitiesOf = Callable[[str], frozenset[str] | None]


def may_override(pack: Manifest, other: Manifest) -> bool:
    """Tell whether a pack may override another: it has a later layer, or the same and depends on the other."""
    ranks = LAYERS.index(pack.layer), LAYERS.index(other.layer)
    if ranks[0] != ranks[1]:
        return ranks[0] > ranks[1]
    return any(dependency.id == other.id for dependency in pack.depends_on)


def candidates(reference: str, manifest: Manifest) -> list[str]:
    """Return the entity IDs that `overrides: REFERENCE` may mean; a bare ID may be in any pack of `depends_on`."""
    if ":" in reference:
        return [reference]
    return [f"{dependency.id}:{reference}" for dependency in manifest.depends_on]


def lint_overrides(pack: Pack, known: Mapping[str, Manifest], entities_of: EntitiesOf) -> Iterator[Finding]:
    """Yield findings about a pack's overrides; `known` are the available packs."""
    for entity in pack.entities:
        if entity.overrides is not None:
            yield from _lint(entity, entity.overrides.target, pack.manifest, known, entities_of)


def _lint(
    entity: PackEntity, reference: str, manifest: Manifest, known: Mapping[str, Manifest], entities_of: EntitiesOf
) -> Iterator[Finding]:
    assert entity.overrides is not None
    path, line = entity.file_path, entity.overrides.line
    meant = [
        candidate
        for candidate in candidates(reference, manifest)
        if _has_entity(candidate, manifest, known, entities_of)
    ]
    if not meant:
        message = f"overrides: no other pack that can be had has {reference}"
        hint = "install that pack, or write pack:entity"
        yield warning(path, "dangling-reference", message, line=line, hint=hint)
    elif len(meant) > 1:
        message = f"overrides: {reference} may be {' or '.join(meant)}"
        yield warning(path, "ambiguous-override", message, line=line, hint="write pack:entity")
    elif not may_override(manifest, known[_pack_of(meant[0])]):
        other = known[_pack_of(meant[0])]
        message = f"{manifest.id} ({manifest.layer}) is not later than {other.id} ({other.layer}): it overrides nothing"
        hint = f"give it a later layer, or add {other.id} to depends_on in the same layer"
        yield warning(path, "override-wrong-way", message, line=line, hint=hint)


def _has_entity(entity_id: str, manifest: Manifest, known: Mapping[str, Manifest], entities_of: EntitiesOf) -> bool:
    pack_id = _pack_of(entity_id)
    if pack_id == manifest.id or pack_id not in known:
        return False
    entities = entities_of(pack_id)
    return entities is None or entity_id in entities


def _pack_of(entity_id: str) -> str:
    return entity_id.partition(":")[0]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another available pack: its manifest and its folder."""

    manifest: Manifest
    root: Path


def names_of(entities: Iterable[PackEntity]) -> frozenset[str]:
    """Return the names, aliases and local IDs of entities as slugs, for `says_any`."""
    names = {name for entity in entities for name in (entity.name, local(entity.id), *entity.aliases)}
    return frozenset(slug(name, fallback="") for name in names) - {""}


def says_any(text: str, names: frozenset[str]) -> bool:
    """Return True if a short text contains one of the names, in any spelling."""
    said = f"-{slug(text, fallback='')}-" if names else ""
    return any(f"-{name}-" in said for name in names)
