"""What a pack is made of once it was read: manifest, entities, chunks, items. Values; nothing here reads a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from lorewright.packs.files import MAX_CHUNK_TOKENS, MAX_SYNONYM_GROUPS
from lorewright.packs.findings import Finding

ENTITY_TYPES = ("location", "npc", "faction", "culture", "history", "technology", "item", "event")

Layer = Literal["core", "setting", "regional", "adventure", "homebrew"]
LAYERS: tuple[Layer, ...] = ("core", "setting", "regional", "adventure", "homebrew")

# What a section is for. `lore` is open to everyone, and so is `atmosphere`; `secret` is for the game master alone.
# `disposition` is what others see of a person, `motivation` what moves that person, which nobody is told.
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
OPEN_ROLES: frozenset[str] = frozenset({"lore", "atmosphere"})
ITEM_ROLES: frozenset[str] = frozenset({"knows", "withholds", "discoverable", "threads"})
# What a person is like, section by section; a person's own.
SHEET_ROLES: frozenset[str] = frozenset({"disposition", "motivation", "capabilities"})
ALL_ROLES: frozenset[str] = OPEN_ROLES | ITEM_ROLES | SHEET_ROLES | {"secret"}


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
        """Whether a version lies in the range; one that is no version at all lies in the empty range only."""
        try:
            return SpecifierSet(self.version).contains(Version(version), prereleases=True)
        except InvalidVersion:
            return not self.version


# Words, or texts of a few words, that say the same.
Synonym = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
Synonyms = Annotated[tuple[Synonym, ...], Field(min_length=2, max_length=20)]


class Manifest(BaseModel):
    """`pack.yaml`, in the seed's shape; keys that we do not know are kept in `extra`.

    A section over `chunk_tokens` is split. `exclude` holds globs of files that are no content, `types` says the type of
    a folder's files where its name does not. Whoever asks for one of a group of `synonyms` asks for all of them.
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
    """The thread has the status."""

    thread: str
    status: str


@dataclass(frozen=True, slots=True)
class WhenClock:
    """The clock's value lies between min and max, both included."""

    clock: str
    min: int | None = None
    max: int | None = None


@dataclass(frozen=True, slots=True)
class WhenFact:
    """There is a fact of the subject with the predicate."""

    fact: str
    subject: str


WhenPart = WhenThread | WhenClock | WhenFact


@dataclass(frozen=True, slots=True)
class When:
    """A condition: all of its parts; one without parts could not be read and never holds. `line` is the file's."""

    parts: tuple[WhenPart, ...]
    line: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class EntryRules:
    """When a section stands in an answer beside what finds it; docs/authoring.md has what each rule does.

    `requires` and `excludes` hold IDs: `pack:entity`, or of one section `pack:entity:section`. A group, and dice, are
    of the file or of the section alone, as they are written: `group_of` and `thrown_for` are the ID of the one that is.
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


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that may be known. `text` is plain prose without markers; `trigger` (discoverables) is `search …`;
    `condition` is the words of `(when …)`."""

    id: str
    name: str
    text: str
    line: int
    trigger: str | None = None
    hint: str | None = None
    condition: str | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """One section of a file, or a part of it.

    `source` is the very text of the file, heading included: the sources of a file's chunks joined give its body back.
    `text` is the same without the heading and without comments; `told` is what others than the game master read of
    that: its words, without what an editor does not show and without the names of those who are hidden. `position`
    orders the chunks of a pack as its files, sorted by path, do.
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

    @property
    def shown(self) -> str:
        """What is searched, and what others than the game master may read at most."""
        return self.text if self.told is None else self.told


@dataclass(frozen=True, slots=True)
class Override:
    """`overrides:` as it is written (an ID, maybe bare), and its line."""

    target: str
    line: int


@dataclass(frozen=True, slots=True)
class Entity:
    """What one file is about. `id` is qualified; `attrs` are the frontmatter's keys that have no meaning of their
    own."""

    id: str
    type: str
    name: str
    file_path: str
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    attrs: dict[str, Any] = field(default_factory=dict)
    overrides: Override | None = None


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack as read from a folder. `content_hash` is over every file's path and bytes that went into it."""

    manifest: Manifest
    root: str
    content_hash: str
    entities: tuple[Entity, ...]
    chunks: tuple[Chunk, ...]
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that stop an install."""
        return tuple(finding for finding in self.findings if finding.severity == "error")
