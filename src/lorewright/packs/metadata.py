"""A file's path and bytes -> its metadata and sections, with a finding for everything that had to be guessed."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from lorewright.ids import is_id, misspelt, slug
from lorewright.packs.conditions import NEVER, bad_condition, read_when
from lorewright.packs.content_hash import READING
from lorewright.packs.entry_rules import FILE_KEY, NO_RULES, SECTION_KEY, WrittenRules, read_rules
from lorewright.packs.files import Finding, error, warning
from lorewright.packs.frontmatter import SourceFile
from lorewright.packs.markdown.exits import PackExit, read_ways
from lorewright.packs.markdown.titles import (
    is_private_tag,
    privacy_of,
    type_of_folder,
    type_of_tags,
    type_of_words,
)
from lorewright.packs.models import ALL_ROLES, ENTITY_TYPES, Override, Role, When
from lorewright.packs.schemas import CHARACTER_KEYS, CHATTINESS, wrong_of_character

_RELATIONS = {
    "related_entities": "entity",
    "related_factions": "faction",
    "related_locations": "location",
    "related_threads": "thread",
}
KEY_OF_RELATION = {kind: key for key, kind in _RELATIONS.items()}
_KNOWN = {"id", "type", "name", "title", "aliases", "tags", "section_roles", "visibility", "overrides", *_RELATIONS}
_KNOWN |= {"when", "section_when", "cut"}
_PRONOUNS = ("he", "she", "they", "it")
# The keys that mean something in frontmatter, those of people and places included.
_MEANING = frozenset({*_KNOWN, FILE_KEY, SECTION_KEY, "exits", "pronoun", *CHARACTER_KEYS})
_OPEN_WORDS = ("public", "player", "players", "open", "all")
_GM_WORDS = ("gm", "dm", "secret", "hidden", "true")
_ROLES = ALL_ROLES


@dataclass(slots=True)
class FileMetadata:
    """The frontmatter of a file, each value of the right type. `skip`: the file cannot be used."""

    entity_id: str
    type: str
    derived_id: str = ""
    title: str = ""
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    relations: tuple[tuple[str, str], ...] = ()
    section_roles: dict[str, Role] = field(default_factory=dict)
    cut: int | None = None
    gm_only: bool = False
    overrides: Override | None = None
    when: When | None = None
    section_when: dict[str, When] = field(default_factory=dict)
    entry_rules: WrittenRules = NO_RULES
    section_entry_rules: dict[str, WrittenRules] = field(default_factory=dict)
    ways: tuple[PackExit, ...] = ()
    attrs: dict[str, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    skip: bool = False


def read_metadata(
    source: SourceFile, types: Mapping[str, str] | None = None, *, reading: int = READING
) -> FileMetadata:
    """Return a file's frontmatter. Never raises: a value of the wrong type is a finding and is converted if
    possible."""
    reader = (_FirstReader if reading == 1 else _Reader)(source, types or {})
    meta = FileMetadata(entity_id="", type="", findings=reader.findings)
    meta.entity_id = reader.entity_id(meta)
    meta.tags = tuple(tag.lstrip("#") for tag in reader.texts("tags"))
    meta.type = reader.entity_type(meta)
    meta.title = reader.text("title") or reader.text("name")
    meta.aliases = reader.texts("aliases")
    meta.relations = tuple((kind, value) for key, kind in _RELATIONS.items() for value in reader.texts(key))
    meta.section_roles = reader.section_roles()
    meta.cut = reader.cut()
    meta.gm_only = reader.gm_only()
    meta.overrides = reader.overrides()
    meta.when = reader.when(meta)
    meta.section_when = reader.section_when()
    meta.attrs = {key: value for key, value in source.metadata.items() if key not in _KNOWN}
    reader.unknown_keys()
    meta.entry_rules = reader.entry_rules(meta)
    meta.section_entry_rules = reader.section_entry_rules(meta)
    reader.of_a_character(meta)
    if meta.type == "location" and "exits" in meta.attrs:
        meta.ways = reader.ways(meta.attrs.pop("exits"))
    return meta


class _Reader:
    """A reader of the keys of one file that collects findings about them."""

    def __init__(self, source: SourceFile, types: Mapping[str, str]) -> None:
        self.source = source
        self.types = types
        self.findings: list[Finding] = []

    def _note(self, code: str, message: str, *, key: str, hint: str = "", fatal: bool = False) -> None:
        make = error if fatal else warning
        line = self.source.key_lines.get(key, 1)
        self.findings.append(make(self.source.path, code, message, line=line, hint=hint))

    def entity_id(self, meta: FileMetadata) -> str:
        derived = self.derived_id()
        given = self.source.metadata.get("id")
        if given is None:
            meta.derived_id = derived
            if self.source.has_frontmatter:
                self._note("missing-id", f"no ID: it is made of the file's name ({derived})", key="id")
            return derived
        if isinstance(given, (list, dict)):
            self._note("wrong-type", "id must be text", key="id", fatal=True)
            meta.skip = True
            return derived
        if not isinstance(given, str) or "id" in self.source.dates:
            self._note("wrong-type", "id is not text to every reader", key="id", hint=f'write id: "{given}"')
        return self._sound_id(str(given), meta, derived)

    def derived_id(self) -> str:
        """Return the ID of a file that gives none: its name. Where several files have it, all but one get another."""
        return slug(PurePosixPath(self.source.path).stem, fallback="file")

    def _sound_id(self, given: str, meta: FileMetadata, derived: str) -> str:
        text = unicodedata.normalize("NFC", given)
        if any(unicodedata.category(c) == "Cf" for c in text):
            text = "".join(c for c in text if unicodedata.category(c) != "Cf")
            self._note("suspicious-id", "invisible characters in the ID were left out", key="id")
        if is_id(text):
            return text
        if not text.strip(" .") or ".." in text or "\n" in text:
            self._note("bad-id", "this cannot be an ID", key="id", hint=f"write id: {derived}", fatal=True)
            meta.skip = True
            return derived
        mended = slug(text, fallback=derived)
        hint = f"use letters, digits, - and _: {mended}"
        self._note("bad-id", f"the ID is read as {mended}", key="id", hint=hint)
        meta.derived_id = derived
        return mended

    def entity_type(self, meta: FileMetadata) -> str:
        given = self.source.metadata.get("type")
        if isinstance(given, (list, dict)):
            self._note("wrong-type", "type must be text", key="type", fatal=True)
            meta.skip = True
            return "culture"
        if given in ENTITY_TYPES:
            return str(given)
        if given is None:
            return self.derived_type(meta, is_told=self.source.has_frontmatter)
        read = self.meant_type(str(given)) or self.derived_type(meta, is_told=False)
        known = ", ".join(ENTITY_TYPES)
        self._note("unknown-type", f"{str(given)[:40]} is read as {read}", key="type", hint=f"one of {known}")
        return read

    def meant_type(self, given: str) -> str | None:
        """Return the type that a value of `type:` means; None where it means none."""
        return type_of_words(given)

    def derived_type(self, meta: FileMetadata, *, is_told: bool) -> str:
        """Return the type of a file that gives none: the manifest's for its folder, else what its tags or the folders
        above it mean, the nearest first; with `is_told` a finding where none of these does."""
        path = PurePosixPath(self.source.path)
        if (given := _given_type(path, self.types)) is not None:
            return given
        folders = (type_of_words(part) for part in reversed(path.parts[:-1]))
        found = type_of_tags(meta.tags) or next((kind for kind in folders if kind is not None), None)
        if found is None and is_told:
            hint = f'add a type, or to pack.yaml: types: {{"{path.parent}": npc}}' if path.parent.name else "add a type"
            self._note("missing-type", "neither a tag nor a folder says a type: read as culture", key="type", hint=hint)
        return found or "culture"

    def overrides(self) -> Override | None:
        target = self.text("overrides")
        return Override(target, self.source.key_lines.get("overrides", 1)) if target else None

    def ways(self, value: object) -> tuple[PackExit, ...]:
        """Return the exits of a location."""
        ways, wrong = read_ways(value)
        for problem in wrong:
            self._note("wrong-type", problem, key="exits", hint="write exits: [{to: place, minutes: 5}]")
        return ways

    def unknown_keys(self) -> None:
        """Tell of keys that mean nothing and are nearly one that does; any other key is the author's own."""
        written = self.source.metadata
        for key in map(str, written):
            near = misspelt(key, _MEANING - set(map(str, written)))
            if key not in _MEANING and near is not None and privacy_of(key, written.get(key)) is None:
                message = f"{key} is no key that has a meaning; did you mean {near}?"
                self._note(
                    "misspelt-key", message, key=key, hint=f"write {near}: …, or leave it if the key is your own"
                )
        pronoun = written.get("pronoun")
        if pronoun is not None and pronoun not in _PRONOUNS:
            self._note(
                "wrong-type",
                f"pronoun: {str(pronoun)[:40]} is none",
                key="pronoun",
                hint=f"one of {', '.join(_PRONOUNS)}",
            )

    def of_a_character(self, meta: FileMetadata) -> None:
        """Remove the keys of an NPC's own will from its `attrs` where they cannot be used."""
        if meta.type != "npc":
            return
        for key, problem, hint in wrong_of_character(meta.attrs):
            code = "bad-chattiness" if key == CHATTINESS else "wrong-type"
            self._note(code, problem, key=key, hint=hint)
            del meta.attrs[key]

    def when(self, meta: FileMetadata) -> When | None:
        """Return the file's condition, or None; a file whose condition cannot be read is skipped."""
        if "when" not in self.source.metadata:
            return None
        when = self._condition("when", self.source.metadata["when"])
        meta.skip = meta.skip or when == NEVER
        return when

    def section_when(self) -> dict[str, When]:
        """Return title of a section, in lower case -> its condition."""
        value = self.source.metadata.get("section_when")
        if value is not None and not isinstance(value, dict):
            self._condition("section_when", value, "section_when must be `title: condition` lines")
        sections = value if isinstance(value, dict) else {}
        return {str(title).casefold(): self._condition("section_when", when) for title, when in sections.items()}

    def entry_rules(self, meta: FileMetadata) -> WrittenRules:
        """Return the file's entry rules. A value that is no mapping had another meaning and stays in the `attrs`."""
        rules = self._rules(FILE_KEY, meta.attrs.get(FILE_KEY))
        if isinstance(meta.attrs.get(FILE_KEY), dict):
            del meta.attrs[FILE_KEY]
        return rules

    def section_entry_rules(self, meta: FileMetadata) -> dict[str, WrittenRules]:
        """Return title of a section, in lower case -> its entry rules."""
        value = meta.attrs.get(SECTION_KEY)
        if not isinstance(value, dict):
            if value is not None:
                hint = "write section_lore: {Rumours: {priority: 10}}"
                self._note("bad-entry-rule", f"{SECTION_KEY} must be `title: rules` lines", key=SECTION_KEY, hint=hint)
            return {}
        del meta.attrs[SECTION_KEY]
        return {title.casefold(): self._rules(f"{SECTION_KEY}.{title}", rules) for title, rules in value.items()}

    def _rules(self, key: str, value: object) -> WrittenRules:
        if value is None:
            return WrittenRules({}, key)
        rules, wrong = read_rules(value, key=key)
        for problem in wrong:
            self._note("bad-entry-rule", problem.message, key=problem.key, hint=problem.hint)
        return rules

    def _condition(self, key: str, value: object, wrong: str | None = None) -> When:
        line = self.source.key_lines.get(key, 1)
        when = wrong or read_when(value, line=line)
        if isinstance(when, str):
            self.findings.append(bad_condition(self.source.path, f"{key}: {when}", line=line))
            return NEVER
        return when

    def text(self, key: str) -> str:
        """Return a single text, "" if there is none; a number is converted to text."""
        value = self.source.metadata.get(key)
        if value is None or isinstance(value, (list, dict)):
            if value is not None:
                self._note("wrong-type", f"{key} must be text", key=key)
            return ""
        return " ".join(str(value).split())

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts. A single text becomes a list of one; `[[Name]]`, which YAML nests, is read as a
        link."""
        value = self.source.metadata.get(key)
        if value is None:
            return ()
        if isinstance(value, str):
            self._note("wrong-type", f"{key} must be a list", key=key, hint=f"write {key}: [{value}]")
            parts = value.split(",") if "," in value else value.split() if key == "tags" else [value]
            return _clean(parts)
        if not isinstance(value, list):
            self._note("wrong-type", f"{key} must be a list", key=key)
            return ()
        return _clean(self._members(key, value))

    def _members(self, key: str, value: list[Any]) -> list[str]:
        members: list[str] = []
        for member in value:
            if isinstance(member, str):
                members.append(member)
            elif isinstance(member, list) and _nested_link(member):
                members.append(_nested_link(member))
                self._note("wrong-type", f"{key} holds an unquoted wikilink", key=key, hint='quote it: "[[Name]]"')
            elif isinstance(member, (int, float)) and not isinstance(member, bool):
                members.append(str(member))
                self._note("wrong-type", f"{key} holds a number", key=key, hint="put it in quotes")
            else:
                self._note("wrong-type", f"{key} holds something that is not text; it is left out", key=key)
        return members

    def gm_only(self) -> bool:
        """Tell whether the file is for the game master alone: any value about its visibility that does not plainly open
        it hides it, and so does a tag; what hides is a finding. What was written and is not read hides too."""
        hides = False
        for key, value in self.source.unread:
            privacy = privacy_of(key, value) if key not in _KNOWN or key == "visibility" else None
            if privacy is not None and privacy[0]:
                hides = True
                self._note("private-note", f"{key}: the whole note is for the game master alone", key=key)
        for key, value in self.source.metadata.items():
            privacy = privacy_of(key, value) if key not in _KNOWN or key == "visibility" else None
            is_private, is_slip = privacy or (False, False)
            hides = hides or is_private
            if is_slip:
                self._note("unknown-visibility", f"{key} is read as visibility", key=key, hint="write visibility: gm")
            elif is_private and key != "visibility":
                self._note("private-note", f"{key}: the whole note is for the game master alone", key=key)
            elif is_private and str(value).casefold() not in _GM_WORDS:
                self._note("unknown-visibility", f"{key} is read as gm", key=key, hint="write visibility: gm")
        for tag in self.source.metadata.get("tags") or ():
            if isinstance(tag, str) and is_private_tag(tag):
                hides = True
                self._note(
                    "private-note", f"#{tag.lstrip('#')}: the whole note is for the game master alone", key="tags"
                )
        return hides

    def cut(self) -> int | None:
        """Return the level of the deepest headings that cut the file; None where its headings decide."""
        value = self.source.metadata.get("cut")
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 6):
            return value
        self._note("wrong-type", "cut must be the level of a heading, 1 to 6", key="cut", hint="write cut: 2")
        return None

    def section_roles(self) -> dict[str, Role]:
        value = self.source.metadata.get("section_roles")
        if value is None:
            return {}
        if not isinstance(value, dict):
            self._note("wrong-type", "section_roles must be `title: role` lines", key="section_roles")
            return {}
        for title, role in value.items():
            if role not in _ROLES:
                known = ", ".join(sorted(_ROLES))
                self._note("unknown-role", f"{title}: unknown role", key="section_roles", hint=f"one of {known}")
        return {str(title).casefold(): role for title, role in value.items() if role in _ROLES}


class _FirstReader(_Reader):
    """A reader by the rules of the first version."""

    def derived_id(self) -> str:
        path = PurePosixPath(self.source.path)
        return slug("-".join(path.with_suffix("").parts), fallback="file")

    def entity_id(self, meta: FileMetadata) -> str:
        found = super().entity_id(meta)
        if self.source.metadata.get("id") is None:
            meta.derived_id = ""
        return found

    def meant_type(self, given: str) -> str | None:
        lowered = given.casefold()
        return lowered if lowered in ENTITY_TYPES else None

    def derived_type(self, meta: FileMetadata, *, is_told: bool) -> str:
        path = PurePosixPath(self.source.path)
        return _given_type(path, self.types) or type_of_folder(path)

    def gm_only(self) -> bool:
        said = [key for key in self.source.metadata if key.casefold() in ("visibility", "gm", "gm_only", "secret")]
        hides = False
        for key in said:
            value = self.source.metadata[key]
            word = str(value).casefold() if isinstance(value, (str, bool)) else ""
            is_open = word in (_OPEN_WORDS if key.casefold() == "visibility" else ("false",))
            hides = hides or (value is not None and not is_open)
            if value is not None and not is_open and word not in _GM_WORDS:
                self._note("unknown-visibility", f"{key} is read as gm", key=key, hint="write visibility: gm")
        return hides


def _nested_link(member: list[Any]) -> str:
    inner = member[0] if len(member) == 1 else None
    if isinstance(inner, list) and len(inner) == 1:
        inner = inner[0]
    return inner if isinstance(inner, str) else ""


def _clean(values: list[str]) -> tuple[str, ...]:
    stripped = (value.strip().removeprefix("[[").removesuffix("]]").split("|")[0].strip() for value in values)
    return tuple(dict.fromkeys(value for value in stripped if value))


def _given_type(path: PurePosixPath, types: Mapping[str, str]) -> str | None:
    """Return the type that the manifest gives the file's folder or a parent; None where it gives none."""
    for above in path.parents:
        if str(above) in types or above.name in types:
            return types.get(str(above)) or types[above.name]
    return None
