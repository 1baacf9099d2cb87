"""References in frontmatter and text -> links to entities, and the text that a reader may see: a link of the format, a
name, or a word such as `someone`.

A reference to an unknown name is a finding. An entity that only the game master may see becomes `someone`, `somewhere`
or `something`. Only here do the texts of a pack become what readers other than the game master may see: in the index,
in exports, in prompts.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from urllib.parse import unquote

from lorewright.ids import did_you_mean, local, slug
from lorewright.packs.files import Finding, warning
from lorewright.packs.markdown.chunking import wikilinks
from lorewright.packs.markdown.markup import Edit, MarkupLink, apply_edits, find_reading_edits
from lorewright.packs.metadata import KEY_OF_RELATION, FileMetadata
from lorewright.packs.models import Link, PackEntity, names_of, says_any

# References -> links to entities.

_MARKDOWN_LINK = re.compile(r"\]\(<?([^()<>\s]{1,300}?\.(?:md|markdown))(?:#[^()<>\s]{0,200})?>?\)", re.IGNORECASE)
_KIND_OF_TYPE = {"location": "location", "faction": "faction"}


@dataclass(frozen=True, slots=True)
class EntityReference:
    """The target of a link in a text: an entity as its author calls it, or the path of a file."""

    target: str
    is_path: bool = False


def references_in(text: str) -> tuple[EntityReference, ...]:
    """Return the targets of a text's wikilinks, then of its links to markdown files, each in order."""
    paths = (EntityReference(unquote(path), is_path=True) for path in _MARKDOWN_LINK.findall(text))
    return (*(EntityReference(name) for name in wikilinks(text)), *paths)


class LinkTable:
    """A table of one pack's entities by ID, name, alias, path and file name."""

    def __init__(self, pack_id: str, entities: Iterable[PackEntity]) -> None:
        self._pack_id = pack_id
        self._by_id = {entity.id: entity for entity in entities}
        self._by_path = {_without_suffix(entity.file_path): entity for entity in self._by_id.values()}
        self._by_name: dict[str, PackEntity | None] = {}
        for entity in self._by_id.values():
            for key in _keys_of(entity):
                self._by_name[key] = None if key in self._by_name else entity

    def find(self, reference: str) -> PackEntity | None:
        """Return the entity that a reference means; None if no entity or more than one has the name."""
        target = self._by_id.get(f"{self._pack_id}:{reference}") or self._by_id.get(reference)
        if target is not None:
            return target
        by_path = self._by_path.get(_without_suffix(reference))
        return by_path or self._by_name.get(slug(PurePosixPath(reference).name))

    def of_file(
        self, entity: PackEntity, meta: FileMetadata, lines: Mapping[str, int], findings: list[Finding]
    ) -> tuple[Link, ...]:
        """Return the links that all chunks of a file have: the entity itself, its relations, its tags. `lines` has the
        line of each key of the frontmatter."""
        links = [Link(_KIND_OF_TYPE.get(entity.type, "entity"), entity.id)]
        for kind, reference in meta.relations:
            if kind == "thread":
                links.append(Link("thread", reference))
                continue
            link = self._related(kind, reference)
            links += [link] if link else []
            if link is None or (":" not in reference and self.find(reference) is None):
                findings.append(
                    self._dangling(entity.file_path, reference, lines.get(KEY_OF_RELATION.get(kind, ""), 1))
                )
        links += [Link("tag", tag) for tag in meta.tags]
        return tuple(dict.fromkeys(links))

    def _related(self, kind: str, reference: str) -> Link | None:
        """Return the link of a relation, or None; an unknown ID of another pack is kept, as it may be installed
        later."""
        target = self.find(reference)
        if target is not None:
            return Link(_KIND_OF_TYPE.get(target.type, "entity"), target.id)
        return Link(kind, reference) if ":" in reference and "/" not in reference else None

    def of_text(
        self,
        path: str,
        inherited: tuple[Link, ...],
        references: Sequence[EntityReference],
        line_of: Callable[[str], int],
        findings: list[Finding],
    ) -> tuple[Link, ...]:
        """Return the inherited links, then those of the references in a text of the file at `path`, each once.
        `line_of` returns the line on which a target is linked."""
        links = list(inherited)
        for reference in references:
            target = self.at_path(path, reference.target) if reference.is_path else self.find(reference.target)
            if target is not None:
                links.append(Link(_KIND_OF_TYPE.get(target.type, "entity"), target.id))
            elif not reference.is_path:
                findings.append(self._dangling(path, reference.target, line_of(reference.target)))
        return tuple(dict.fromkeys(links))

    def remark(self, reference: str) -> tuple[str, str]:
        """Return what is wrong with a reference that `find` finds nothing for, and what to do about it."""
        shown = reference if len(reference) <= 60 else reference[:57] + "…"
        key = slug(PurePosixPath(reference).name)
        if key in self._by_name:
            files = sorted(entity.file_path for entity in self._by_id.values() if key in _keys_of(entity))
            what = f"more than one is named {shown}: {', '.join(files[:3])}"
            return what, "write the ID, or give one of them another name"
        known = [name for entity in self._by_id.values() for name in (entity.name, local(entity.id))]
        near = did_you_mean(reference, known)
        return f"nothing in the pack is named {shown}", "; ".join(filter(None, (near, "add the file or fix the name")))

    def _dangling(self, path: str, reference: str, line: int) -> Finding:
        what, hint = self.remark(reference)
        return warning(path, "dangling-reference", what, line=line, hint=hint)

    def at_path(self, path: str, reference: str) -> PackEntity | None:
        """Return the entity of the file that a relative link means, or None; the path is only compared, never
        opened."""
        if "://" in reference:
            return None
        joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), reference))
        return self._by_path.get(_without_suffix(joined))


def _keys_of(entity: PackEntity) -> set[str]:
    return {slug(name) for name in (entity.name, PurePosixPath(entity.file_path).stem, *entity.aliases)}


def _without_suffix(path: str) -> str:
    return posixpath.splitext(path)[0]


# References -> the text that a reader may see.

# Return the format's text for a link to an entity that the reader knows; the label is the text that the author shows.
Render = Callable[[PackEntity, str], str]

_WIKILINK = re.compile(r"(!?)\[\[([^\[\]|#]{0,200})(#[^\[\]|]{0,200})?(?:\|([^\[\]]{0,400}))?\]\]")
_DESTINATION = r"<[^<>\n]{0,500}>|(?:[^()\s<>]|\([^()\s<>]{0,200}\)){0,500}"
_TITLE = r"""(?:\s+(?:"[^"]{0,500}"|'[^']{0,500}'|\([^()]{0,500}\)))?"""
_INLINE = re.compile(rf"(!?)\[([^\[\]]{{0,500}})\]\(\s*({_DESTINATION}){_TITLE}\s*\)")
_DEFINITION = re.compile(r"^ {0,3}\[([^\[\]\n]{1,200})\]:[ \t]*\n?[ \t]*(\S+)[^\n]*(?:\n|\Z)", re.MULTILINE)
_BY_NAME = re.compile(r"(!?)\[([^\[\]]{1,500})\](?:\[([^\[\]]{0,200})\])?(?![(:\[])")
_WEB = re.compile(r"(?:https?|mailto):", re.IGNORECASE)
# Finished replacements are stored aside, under private-use characters that no author's text has.
_HELD = re.compile("[\ue000\ue001]")
_HELD_PLACE = re.compile("\ue000(\\d+)\ue001")
_NESTED = 2
# A target with any of these is the path of a file, or an ID with a pack.
_AN_ID = re.compile(r"[:/\\_]|\.\w{2,12}$")
_NO_WORDS = re.compile(r"[:/\\]|\.\w{2,12}$")
_NOBODY = {"npc": "someone", "location": "somewhere"}


class Links:
    """A resolver of the references in a pack's texts, for a reader who may know only some of its entities."""

    def __init__(self, pack_id: str, entities: Iterable[PackEntity], *, hidden: Container[str], closed: bool) -> None:
        """Take the pack's entities; `hidden` holds the IDs that the reader may not know. With `closed` the reader is
        not the game master: file names and titles of links are kept from them."""
        known = list(entities)
        self._table = LinkTable(pack_id, known)
        self._hidden = hidden
        self._closed = closed
        self._groups: dict[str, int] = {}
        self._secret_names = names_of(entity for entity in known if entity.id in hidden)
        # Only what cannot be an ordinary word: IDs and names of files.
        self._secret_ids = {
            word: entity
            for entity in known
            if entity.id in hidden
            for word in (entity.id, local(entity.id), PurePosixPath(entity.file_path).stem)
            if ":" in word or "_" in word
        }

    def names_hidden(self, text: str) -> bool:
        """Tell whether a short text contains the name of something hidden, in any spelling."""
        return says_any(text, self._secret_names)

    def may_name(self, reference: str) -> bool:
        """Tell whether a reference means an entity of this pack that the reader may know."""
        entity = self.find(reference)
        return entity is not None and entity.id not in self._hidden

    def find(self, reference: str) -> PackEntity | None:
        """Return the entity that a reference means, or None; also by its section, as `viktor:knows`."""
        return self._table.find(reference) or self._table.find(reference.rpartition(":")[0])

    def alias_of_group(self, name: str) -> str:
        """Return a neutral name for an exclusive group, always the same for the same group."""
        return f"group-{self._groups.setdefault(name, len(self._groups) + 1)}"

    def edits(
        self,
        text: str,
        path: str,
        *,
        comments: Sequence[tuple[int, int]] = (),
        cuts: Sequence[Edit] = (),
        keeps_names: bool = False,
    ) -> list[Edit]:
        """Return the edits that leave of a file's text only what the reader may see, as `find_reading_edits` does."""
        return self._closing(text, path, lambda entity, label: label or entity.name, False, comments, cuts, keeps_names)

    def _closing(
        self,
        text: str,
        path: str,
        render: Render,
        keeps_web: bool,
        comments: Sequence[tuple[int, int]] = (),
        cuts: Sequence[Edit] = (),
        keeps_names: bool = False,
    ) -> list[Edit]:
        def shown(link: MarkupLink) -> str:
            if _WEB.match(link.target):
                return f"[{link.label}]({link.target})" if keeps_web else link.label
            if not link.is_path:
                entity = self._table.find(link.target)
                # In a text a name stays as it is written, so that the sentence stays correct.
                said = link.target if not keeps_web and entity and not _AN_ID.search(link.target) else ""
                named = entity is not None and entity.id not in self._hidden
                return self._shown(entity, link.label or (said if named else ""), link.target, render)
            path_only = unquote(link.target.partition("#")[0].partition("?")[0])
            entity = self._table.at_path(path, path_only) or self._table.find(path_only)
            label = link.label.strip()
            return self._shown(entity, label, label or "something", render)

        def word(said: str, is_file: bool) -> str | None:
            if not is_file:
                hidden = self._secret_ids.get(said)
                return None if hidden is None else _NOBODY.get(hidden.type, "something")
            entity = self._table.at_path(path, unquote(said.partition("#")[0]))
            return self._shown(entity, "", "something", render)

        return find_reading_edits(text, shown, word, comments=comments, cuts=cuts, keeps_names=keeps_names)

    def rewritten(self, text: str, path: str, render: Render) -> str:
        """Return the text of a file with each reference as `render` shows it. For a reader who is not the game master,
        everything that an editor does not show, and every picture, is removed."""
        if self._closed:
            text = _HELD.sub("", text)
            return apply_edits(text, self._closing(text, path, render, keeps_web=True))
        defined = {slug(match[1]): match[2].strip("<>") for match in _DEFINITION.finditer(text)}
        done: list[str] = []

        def wiki(match: re.Match[str]) -> str:
            target, label = _one_line(match[2]), _one_line(match[4] or "")
            if not target:
                return label or _one_line(match[3] or "").lstrip("#")
            # In a row of a table the bar before a label is escaped, and must be again.
            shown = self._shown(self._table.find(target.rstrip("\\")), label, target.rstrip("\\"), render)
            return shown.replace("|", "\\|") if target.endswith("\\") else shown

        def inline(match: re.Match[str]) -> str | None:
            return self._at(match[3].strip("<>"), match[2], bool(match[1]), path, render)

        def by_name(match: re.Match[str]) -> str | None:
            target = defined.get(slug(match[3] or match[2]))
            return self._at(target, match[2], bool(match[1]), path, render) if target is not None else None

        def definition(match: re.Match[str]) -> str | None:
            return None if _WEB.match(match[2].strip("<>")) and not self._closed else ""

        text = _HELD.sub("", text)
        passes = [(_WIKILINK, wiki), (_INLINE, inline)]
        passes += [(_DEFINITION, definition), (_BY_NAME, by_name)] if defined else []
        # A reference may contain another in its label; the outer one is read after the inner one was replaced.
        for pattern, read in passes * _NESTED:
            text = pattern.sub(partial(_settled, read, done), text)
        for _ in range(len(passes) * _NESTED):
            text = _HELD_PLACE.sub(lambda place: done[int(place[1])], text)
        return text

    def _at(self, target: str, label: str, is_image: bool, path: str, render: Render) -> str | None:
        """Return the replacement of a markdown link; None if it may stay as it is written."""
        if is_image:
            return label if self._closed else None
        if _WEB.match(target):
            return f"[{label}]({target})"
        entity = self._table.at_path(path, unquote(target.partition("#")[0]))
        if entity is None and not self._closed:
            return None
        return self._shown(entity, label.strip(), label.strip() or "something", render)

    def _shown(self, entity: PackEntity | None, label: str, target: str, render: Render) -> str:
        if entity is None:
            return self._unknown(label, target)
        label = "" if self.names_hidden(label) else label
        if entity.id not in self._hidden:
            return render(entity, label or (target if _is_name(target, entity) else ""))
        return label or _NOBODY.get(entity.type, "something")

    def _unknown(self, label: str, target: str) -> str:
        """Return the text of a reference to nothing in this pack: its words stay, an ID of another pack does not."""
        said = label or ("" if self._closed and _NO_WORDS.search(target) else target)
        return said if said and not (self._closed and self.names_hidden(said)) else "something"


def _settled(read: Callable[[re.Match[str]], str | None], done: list[str], match: re.Match[str]) -> str:
    """Store the replacement of a reference and return a placeholder, so that it is not read as a reference again."""
    shown = read(match)
    done.append(match[0] if shown is None else shown)
    return f"\ue000{len(done) - 1}\ue001"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _is_name(text: str, entity: PackEntity) -> bool:
    return text.casefold() in {name.casefold() for name in (entity.name, *entity.spoken_aliases)}
