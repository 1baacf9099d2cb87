"""Packs -> a copy of them in which every secret holds a unique word (a canary), so that a text which shows the secret
is recognised.

The author's folder is only read.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lorewright.bounded_files import read_bytes
from lorewright.errors import PackError
from lorewright.packs.content_hash import source_paths
from lorewright.packs.files import MAX_FILE_BYTES
from lorewright.packs.frontmatter import SourceFile, decode_text, read_source
from lorewright.packs.items import without_items
from lorewright.packs.loader import load_pack
from lorewright.packs.markdown.chunking import comments_in
from lorewright.packs.models import ITEM_ROLES, OPEN_ROLES, Chunk, Pack

# The values of a report: leaks, what was wrongly blocked, and how much was looked at.


@dataclass(frozen=True, slots=True, order=True)
class Leak:
    """A secret that a viewer can read. `file` and `line` are where the secret stands, `where` is what gives it away: a
    `file:line`, or what was asked and answered; `quote` is as much of it as shows what is meant."""

    file: str
    line: int
    secret: str
    viewer: str
    channel: str
    where: str
    quote: str
    hint: str

    def __str__(self) -> str:
        return (
            f"{self.file}:{self.line}: leak {self.secret} -> {self.viewer} by {self.channel} at {self.where}: "
            f"“{self.quote}” ({self.hint})"
        )


@dataclass(frozen=True, slots=True, order=True)
class Blocked:
    """An open text that was kept from somebody, or would be: `why` says by what."""

    file: str
    line: int
    what: str
    viewer: str
    why: str


@dataclass(frozen=True, slots=True)
class OverBlocked:
    """What is wrongly blocked: open text that a viewer is not shown, `refused` sentences of open lore (of `sentences`)
    that quote a run of words from some secret, and narrations of a parrot, which says nothing but what it was shown,
    that were `refused_in_play`."""

    not_shown: tuple[Blocked, ...] = ()
    sentences: int = 0
    refused: int = 0
    worst: tuple[Blocked, ...] = ()
    refused_in_play: tuple[Blocked, ...] = ()

    @property
    def count(self) -> int:
        """Return the number of all of these."""
        return len(self.not_shown) + self.refused + len(self.refused_in_play)


@dataclass(frozen=True, slots=True)
class LeakReport:
    """All that was found about some packs, or about a campaign. `checks` counts by channel what was looked at;
    `unproven` names secrets in which no canary could be planted, so that only their words were looked for."""

    subject: str
    secrets: int
    viewers: tuple[str, ...]
    checks: Mapping[str, int]
    leaks: tuple[Leak, ...]
    over_blocked: OverBlocked = field(default_factory=OverBlocked)
    unproven: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the report as values for JSON."""
        shown = asdict(self)
        shown["over_blocked"]["count"] = self.over_blocked.count
        return {**shown, "checks": dict(self.checks)}


class Tally:
    """The findings of the parts of the suite, in order and each once, and how often they looked."""

    def __init__(self) -> None:
        self.leaks: dict[Leak, None] = {}
        self.checks: Counter[str] = Counter()

    def looked(self, channel: str, times: int = 1) -> None:
        """Count a text that was searched for secrets."""
        self.checks[channel] += times

    def found(self, leak: Leak) -> None:
        """Add a leak."""
        self.leaks[leak] = None


# The secrets of a pack: every item and section that is not open, and where it stands.

# The kind of a secret: the role of its section, or another place where an author may hide something.
Kind = str

# Kinds that an author hides otherwise than by a section's role.
TRIGGER, COMMENT, KEY, ALIAS = "trigger", "comment", "frontmatter key", "hidden alias"

# Kinds that a character's behaviour shows; a reader who sees the character learns nothing new by them.
SEEN_IN_PLAY = frozenset({"disposition", "capabilities"})
# Kinds that a character knows of itself without having learned them.
OWN_KINDS = frozenset({"disposition", "motivation", "capabilities", "knows", "withholds"})

# Kinds that a planner works with, and keeps.
PLANNED_WITH = frozenset({"motivation", "threads"})

# Where so few words are left of a section besides its items, they say nothing.
_FEWEST_LEFT = 6


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret: a text that is not open. `id` is an item's or a chunk's, and unique; `item_id` is set where it can be
    learned by itself; `line` counts from 1 in the author's file."""

    id: str
    kind: Kind
    pack_id: str
    holder: str
    file: str
    line: int
    text: str
    chunk_id: str
    item_id: str | None = None

    @property
    def place(self) -> str:
        """Return the place as `npcs/viktor.md:12`."""
        return f"{self.file}:{self.line}"


def secrets_of(pack: Pack) -> list[Secret]:
    """Return every secret of a pack in source order: items, and the rest of hidden sections."""
    return [secret for chunk in pack.chunks if chunk.role not in OPEN_ROLES for secret in _of_chunk(chunk)]


def may_know(
    secret: Secret,
    viewer: str,
    learned: frozenset[str],
    *,
    own_ids: frozenset[str] = frozenset(),
    watched: bool = False,
) -> bool:
    """Tell whether a viewer may know a secret: design section 7 as one function, written apart from the product's own
    predicate, which it is to judge.

    `viewer` is `gm`, `player`, `npc:ID` (`own_ids` are that character's), or `planner` or `narrator` for a stage that
    is shown people as they are; `learned` are the items that the viewer has. With `watched` the text comes of a
    narration, whose reader sees how people are.
    """
    if secret.item_id is not None and secret.item_id in learned:
        return True
    if viewer == "gm":
        return secret.kind != COMMENT
    if viewer == "planner" and secret.kind in PLANNED_WITH:
        return True
    if (watched or viewer in ("planner", "narrator")) and secret.kind in SEEN_IN_PLAY:
        return True
    return viewer.startswith("npc:") and secret.kind in OWN_KINDS and secret.holder in own_ids


def _of_chunk(chunk: Chunk) -> Iterator[Secret]:
    for item in chunk.items:
        yield _secret(chunk, item.id, chunk.role, item.line, item.text, item.id)
    if chunk.role not in ITEM_ROLES or not chunk.items:
        if chunk.text.strip():
            yield _secret(chunk, chunk.id, chunk.role, chunk.line, chunk.text)
        return
    left = without_items(chunk.text, {item.name for item in chunk.items})
    if len(left.split()) >= _FEWEST_LEFT:
        yield _secret(chunk, chunk.id, chunk.role, chunk.line, left)


def _secret(chunk: Chunk, own_id: str, kind: Kind, line: int, text: str, item_id: str | None = None) -> Secret:
    return Secret(own_id, kind, chunk.pack_id, chunk.entity_id, chunk.file_path, line, text, chunk.id, item_id)


# Canaries: a unique word in every secret of a copy of the packs.

# No author writes such words.
_CANARY = re.compile(r"qz[a-z]{8}")
_LETTERS = "abcdefghijklmnopqrstuvwxy"
_CLOSING = re.compile(r"[.!?…,;:\"'”’)]+$")
_NO_PROSE = ("#", "```", "~~~", "|", ">", "---", "===", "***", "    ", "\t", "<", "%%", "![")
_KEY_NAME = "leak_canary"


@dataclass(frozen=True, slots=True)
class Canaries:
    """The words that were planted, each with its secret; `unproven` are the secrets that have none."""

    words: dict[str, Secret]
    unproven: tuple[Secret, ...] = ()

    def found_in(self, text: str) -> list[Secret]:
        """Return the secrets whose words stand in a text, in the order in which they come, each once."""
        return [self.words[word] for word in dict.fromkeys(_CANARY.findall(text.casefold())) if word in self.words]


def plant(root: Path, into: Path) -> tuple[Pack, Canaries]:
    """Copy a pack's text to a new folder and plant a canary in each of its secrets; return the pack as its author wrote
    it, and what was planted. Where a canary does not land in its secret and nowhere else, the secret counts as
    unproven.

    Raises:
        PackError: the folder is no pack.
    """
    pack = load_pack(root)
    secrets = secrets_of(pack)
    by_file: dict[str, list[Secret]] = {}
    for secret in secrets:
        by_file.setdefault(secret.file, []).append(secret)
    planted: dict[str, Secret] = {}
    for path in source_paths(root):
        target = into / path
        target.parent.mkdir(parents=True, exist_ok=True)
        data = read_bytes(root / path, MAX_FILE_BYTES, PackError)
        if path.endswith((".md", ".markdown")) and (text := decode_text(path, data, [])) is not None:
            planter = _Planter(read_source(path, data), text, pack)
            target.write_text(planter.planted(by_file.get(path, ())), encoding="utf-8", newline="\n")
            planted |= planter.words
        else:
            target.write_bytes(data)
    sound = _sound_canaries(planted, load_pack(into))
    kept = {secret.id for secret in sound.values()}
    return pack, Canaries(sound, tuple(secret for secret in secrets if secret.id not in kept))


def canary_of(secret: Secret) -> str:
    """Return the word of a secret: the same whenever it is planted."""
    digest = hashlib.sha256(f"{secret.kind}\0{secret.id}".encode("utf-8", "replace")).digest()
    return "qz" + "".join(_LETTERS[byte % len(_LETTERS)] for byte in digest[:8])


class _Planter:
    """Plants in the lines of one file. No line is added before the last, so that lines keep their numbers."""

    def __init__(self, source: SourceFile, text: str, pack: Pack) -> None:
        self.words: dict[str, Secret] = {}
        self._source = source
        self._lines = text.split("\n")
        self._pack = pack
        self._entity = next((entity for entity in pack.entities if entity.file_path == source.path), None)

    def planted(self, secrets: Iterable[Secret]) -> str:
        triggers = {item.id: item for chunk in self._pack.chunks for item in chunk.items if item.trigger}
        for secret in secrets:
            if secret.item_id is not None:
                self._plant_at_end_of_line(secret, secret.line - 1)
                if secret.item_id in triggers:
                    self._plant_in_trigger(secret)
            elif secret.chunk_id.endswith(":comments") and "%%" in self._line(secret.line - 1):
                self._plant_after_mark(secret, secret.line - 1, "%%")
            else:
                self._plant_in_prose(secret)
        self._plant_in_comments()
        self._plant_in_frontmatter()
        return "\n".join(self._lines)

    def _line(self, number: int) -> str:
        return self._lines[number] if 0 <= number < len(self._lines) else ""

    def _take(self, secret: Secret) -> str:
        word = canary_of(secret)
        self.words[word] = secret
        return word

    def _plant_at_end_of_line(self, secret: Secret, number: int) -> None:
        line = self._line(number).rstrip()
        if not line:
            return
        mark = _CLOSING.search(line)
        end = mark.start() if mark else len(line)
        self._lines[number] = f"{line[:end]} {self._take(secret)}{line[end:]}"

    def _plant_in_trigger(self, secret: Secret) -> None:
        line = self._line(secret.line - 1)
        head, colon, rest = line.partition(": ")
        if colon:
            trigger = _copy_secret(secret, f"{secret.id}?", TRIGGER)
            self._lines[secret.line - 1] = f"{head} {self._take(trigger)}{colon}{rest}"

    def _plant_in_prose(self, secret: Secret) -> None:
        chunk = next(candidate for candidate in self._pack.chunks if candidate.id == secret.chunk_id)
        for number in range(chunk.line - 1, chunk.line + chunk.source.strip("\n").count("\n")):
            line = self._line(number)
            if line.strip() and not line.startswith(_NO_PROSE) and not _is_setext_underline(self._line(number + 1)):
                self._plant_at_end_of_line(secret, number)
                return

    def _plant_after_mark(self, secret: Secret, number: int, mark: str) -> None:
        before, _, after = self._line(number).partition(mark)
        self._lines[number] = f"{before}{mark} {self._take(secret)} {after}"

    def _plant_in_comments(self) -> None:
        if self._entity is None or self._source.skip:
            return
        body = self._source.body
        for start, end in comments_in(body):
            if body.startswith("<!--", start):
                line = self._source.body_line + body.count("\n", 0, start)
                own_id = f"{self._entity.id}:comment:{line}"
                secret = self._secret(own_id, COMMENT, line, body[start + 4 : end - 3])
                self._plant_after_mark(secret, line - 1, "<!--")

    def _plant_in_frontmatter(self) -> None:
        """Plant in a key that means nothing; and where an entity is hidden, in an alias."""
        source, entity = self._source, self._entity
        if entity is None or not source.has_frontmatter or not source.key_lines:
            return
        added = [f"{_KEY_NAME}: {self._take(self._secret(f'{entity.id}:frontmatter', KEY, 1, ''))}"]
        chunks = [chunk for chunk in self._pack.chunks if chunk.entity_id == entity.id]
        if chunks and all(chunk.role not in OPEN_ROLES for chunk in chunks) and "aliases" not in source.metadata:
            added.append(f"aliases: [{self._take(self._secret(f'{entity.id}:alias', ALIAS, 1, ''))}]")
        self._lines[source.body_line - 2 : source.body_line - 2] = added

    def _secret(self, own_id: str, kind: str, line: int, text: str) -> Secret:
        assert self._entity is not None
        return Secret(own_id, kind, self._pack.manifest.id, self._entity.id, self._source.path, line, text, own_id)


def _copy_secret(secret: Secret, own_id: str, kind: str) -> Secret:
    return Secret(
        own_id,
        kind,
        secret.pack_id,
        secret.holder,
        secret.file,
        secret.line,
        secret.text,
        secret.chunk_id,
        secret.item_id,
    )


def _is_setext_underline(line: str) -> bool:
    return bool(line.strip()) and set(line.strip()) <= {"="} | {"-"}


def _sound_canaries(planted: dict[str, Secret], pack: Pack) -> dict[str, Secret]:
    """Return the canaries that landed where they belong and in no open text."""
    open_words = {word for chunk in pack.chunks if chunk.role in OPEN_ROLES for word in _CANARY.findall(chunk.text)}
    landed = {(where, word) for where, word in _landed_canaries(pack)}
    return {
        word: secret
        for word, secret in planted.items()
        if word not in open_words and (secret.kind == COMMENT or (secret.id, word) in landed)
    }


def _landed_canaries(pack: Pack) -> Iterator[tuple[str, str]]:
    for chunk in pack.chunks:
        yield from ((chunk.id, word) for word in _CANARY.findall(chunk.text))
        for item in chunk.items:
            yield from ((item.id, word) for word in _CANARY.findall(item.text))
            yield from ((f"{item.id}?", word) for word in _CANARY.findall(item.trigger or ""))
    for entity in pack.entities:
        yield from ((f"{entity.id}:frontmatter", word) for word in _CANARY.findall(str(entity.attrs)))
        yield from ((f"{entity.id}:alias", word) for word in entity.aliases)


# The search for canaries in texts that somebody was shown.

_AROUND = 60
NOTHING: frozenset[str] = frozenset()
# The hint where the pack's author can do nothing about a leak.
OURS = "this is no fault of the pack: report it, with the pack or the smallest piece of it that shows it"


@dataclass(frozen=True, slots=True)
class Looker:
    """Searches shown texts for the canaries of all packs."""

    canaries: Canaries
    tally: Tally

    def look(
        self,
        text: str,
        *,
        viewer: str,
        channel: str,
        where: str,
        learned: frozenset[str] = NOTHING,
        own_ids: frozenset[str] = NOTHING,
        watched: bool = False,
        named: str | None = None,
    ) -> list[Secret]:
        """Return every secret whose canary stands in the text; those that the viewer may not know are leaks. In the
        finding the viewer is called `named`, where that says more."""
        self.tally.looked(channel)
        found = self.canaries.found_in(text)
        for secret in found:
            if not may_know(secret, viewer, learned, own_ids=own_ids, watched=watched):
                quote = _excerpt(text, secret, self.canaries)
                self.tally.found(
                    Leak(secret.file, secret.line, secret.id, named or viewer, channel, where, quote, OURS)
                )
        return found


def _excerpt(text: str, secret: Secret, canaries: Canaries) -> str:
    word = next(word for word, planted_secret in canaries.words.items() if planted_secret is secret)
    at = text.casefold().find(word)
    return " ".join(text[max(at - _AROUND, 0) : at + len(word)].split())
