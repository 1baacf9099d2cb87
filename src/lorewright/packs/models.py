"""What a pack is made of once it was read: manifest, entities, chunks, items. Values; nothing here reads a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from lorewright.packs.files import MAX_CHUNK_TOKENS, MAX_SYNONYM_GROUPS, Finding, warning

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
class PackEntity:
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
    entities: tuple[PackEntity, ...]
    chunks: tuple[Chunk, ...]
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that stop an install."""
        return tuple(finding for finding in self.findings if finding.severity == "error")


# A section's title -> what the section is for. The one table of synonyms; `docs/authoring.md` shows it to authors.

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

# A title that holds one of these, whatever else it says, is about a secret: a false one only asks for `section_roles:`.
_SECRET_WORDS = frozenset({"secret", "secrets", "withholds", "withheld"})
# What moves a person is where a plot is: any title of an NPC's section that holds one of these words, or is one of the
# titles below, is about that. Of a place or a thing the same words tell what anybody may know.
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
    """What a section with this title is for; `lore` where the title says nothing.

    `overrides` come from the file's own `section_roles:` and win. `Secrets (GM only)` and `The Secrets:` are secrets
    too. In the file of a person (`of_person`) `Goals`, `What she wants` or `Motives & Fears` is their motivation.
    """
    plain = " ".join(_NOT_WORDS.sub(" ", re.sub(r"\([^)]*\)", " ", _NAME.sub(" ", title)).casefold()).split())
    if overrides and plain in overrides:
        return overrides[plain]
    plain = plain.removeprefix("the ")
    if (_ROLE_OF.get(plain) is None and _SECRET_WORDS & set(plain.split())) or _FOR_THE_MASTER.search(title.casefold()):
        return "withholds"
    if of_person and (plain in _MOTIVE_TITLES or _MOTIVES & set(plain.split())):
        return "motivation"
    singular = plain.removesuffix("s")
    return _ROLE_OF.get(plain) or _ROLE_OF.get(singular) or "lore"


# Layers and `overrides:` -> which pack may replace what of which other. Reads no file.

# The IDs of a pack's entities; None where they cannot be known.
EntitiesOf = Callable[[str], frozenset[str] | None]


def may_override(one: Manifest, other: Manifest) -> bool:
    """Whether a pack is later than another: by its layer, in the same layer by depending on the other."""
    ranks = LAYERS.index(one.layer), LAYERS.index(other.layer)
    if ranks[0] != ranks[1]:
        return ranks[0] > ranks[1]
    return any(dependency.id == other.id for dependency in one.depends_on)


def candidates(reference: str, manifest: Manifest) -> list[str]:
    """The entities that `overrides: REFERENCE` may mean; a bare ID may be one of any pack depended on."""
    if ":" in reference:
        return [reference]
    return [f"{dependency.id}:{reference}" for dependency in manifest.depends_on]


def lint_overrides(pack: Pack, known: Mapping[str, Manifest], entities_of: EntitiesOf) -> Iterator[Finding]:
    """What is wrong with a pack's overrides, seen among the packs that can be had."""
    for entity in pack.entities:
        if entity.overrides is not None:
            yield from _lint(entity, entity.overrides.target, pack.manifest, known, entities_of)


def _lint(
    entity: PackEntity, reference: str, manifest: Manifest, known: Mapping[str, Manifest], entities_of: EntitiesOf
) -> Iterator[Finding]:
    assert entity.overrides is not None
    path, line = entity.file_path, entity.overrides.line
    meant = [
        candidate for candidate in candidates(reference, manifest) if _is_there(candidate, manifest, known, entities_of)
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


def _is_there(entity_id: str, manifest: Manifest, known: Mapping[str, Manifest], entities_of: EntitiesOf) -> bool:
    pack_id = _pack_of(entity_id)
    if pack_id == manifest.id or pack_id not in known:
        return False
    entities = entities_of(pack_id)
    return entities is None or entity_id in entities


def _pack_of(entity_id: str) -> str:
    return entity_id.partition(":")[0]
