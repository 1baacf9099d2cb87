"""A pack's folder -> its markdown files, and nothing that lies outside it; and a cache of what was parsed of files."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePath, PurePosixPath
from typing import Literal, TypeVar, cast

T = TypeVar("T")
Severity = Literal["error", "warning", "info"]


# Called with the name of the step, the number of files done, and the number of all files.
Progress = Callable[[str, int, int], None]


def no_progress(what: str, done: int, total: int) -> None:
    """Ignore the progress."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A remark of a linter on a file. `line` and `column` count from 1; `file` is relative to the pack.

    An `error` means that the file (or, on `pack.yaml`, the pack) cannot be read as its author meant; a `warning` that
    something was derived or ignored; an `info` is only worth knowing.
    """

    file: str
    line: int
    column: int
    severity: Severity
    code: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.file}:{self.line}:{self.column}: {self.severity} {self.code} {self.message}{hint}"


def error(file: str, code: str, message: str, *, line: int = 1, column: int = 1, hint: str = "") -> Finding:
    """Return a finding that stops an install."""
    return Finding(file, line, column, "error", code, message, hint)


def warning(file: str, code: str, message: str, *, line: int = 1, column: int = 1, hint: str = "") -> Finding:
    """Return a finding that is reported and stops nothing."""
    return Finding(file, line, column, "warning", code, message, hint)


def info(file: str, code: str, message: str, *, line: int = 1, column: int = 1, hint: str = "") -> Finding:
    """Return a finding that is only worth knowing."""
    return Finding(file, line, column, "info", code, message, hint)


# Bounds on a pack. Files of somebody else count as hostile until they were read.

MAX_FILE_BYTES = 16 * 1024 * 1024
MAX_FILES = 50_000
MAX_MANIFEST_BYTES = 256 * 1024
MAX_FRONTMATTER_BYTES = 64 * 1024
MAX_YAML_DEPTH = 20
MAX_YAML_NODES = 10_000
MAX_PATH_DEPTH = 40
MAX_NAME_BYTES = 200

# A section longer than this is split at a paragraph end (design: 500 unless configured).
MAX_CHUNK_TOKENS = 500

# Above these bounds a file is read with a warning: over a megabyte, a section as long as a short book, more sections
# than anybody will ever look through.
LARGE_FILE_BYTES = 1024 * 1024
LARGE_CHUNK_TOKENS = 20_000
MAX_SECTIONS = 5_000

# The most bytes that an archive may unpack to.
MAX_ARCHIVE_BYTES = 256 * 1024 * 1024

# The most groups of synonyms; each is looked up in every query.
MAX_SYNONYM_GROUPS = 500


_MARKDOWN = frozenset({".md", ".markdown"})

# The author's tests of the pack; nothing in this folder is part of the pack.
TESTS_FOLDER = "tests"

# Files at the root with these names are about the pack, not part of its content.
_NOT_CONTENT = frozenset({"readme", "license", "licence", "attribution", "changelog", "contributing", "credits"})

# From the second version of reading on: notes for an editor or a program, not about a world.
_WORD = re.compile(r"[^\W\d_]+")
_TEMPLATE_WORDS = frozenset(
    "template templates vorlage vorlagen modèle modèles plantilla plantillas modelos 模板 テンプレート".split()
)
_INSTRUCTIONS = frozenset({"claude", "agents", "gemini", "copilot-instructions"})


# What Dropbox, Nextcloud, Obsidian Sync, Syncthing and Resilio put behind the stem of a file that has two versions.
_CONFLICT = re.compile(
    r"(?: ?\([^()]*(?:conflicted copy|case conflict|konflikt stehende kopie|copie en conflit|copia en conflicto"
    r"|cópia em conflito|冲突副本|競合コピー)[^()]*\)|\.sync-conflict-\d{8}-\d{6}(?:-\w+)?|_conflict-\d{8}-\d{6}"
    r"|\.conflict)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Listing:
    """The relative paths (with `/`) of the files to read, sorted, and a finding for each that was left out. `copies`
    are those paths that are part of the text and hold no lore: a sync made them of a file beside them."""

    paths: tuple[str, ...]
    findings: tuple[Finding, ...]
    copies: frozenset[str] = frozenset()


def list_files(root: Path, exclude: Sequence[str] = (), *, include: Sequence[str] = (), reading: int) -> Listing:
    """Return every markdown file below the folder, sorted by path. No link that leads out is followed; hidden files,
    the folder `tests` and files that match a glob of `exclude` (`templates/*`, `*_log.md`) are ignored, and with globs
    in `include` all others. From the second version of reading on templates and instructions for programs are left out.
    """
    findings: list[Finding] = []
    paths: list[str] = []
    no_lore: list[str] = []
    real_root = root.resolve()
    for path in sorted(_walk(root, findings), key=lambda found: found.relative_to(root).as_posix()):
        relative = path.relative_to(root).as_posix()
        if any(_matches(relative, glob) for glob in exclude) or not _is_included(relative, include):
            continue
        if reading > 1 and not include and _is_no_lore(relative):
            no_lore.append(relative)
            continue
        finding = _refusal(path, relative, real_root)
        if finding is not None:
            findings.append(finding)
        elif len(paths) >= MAX_FILES:
            findings.append(error(relative, "too-many-files", f"only {MAX_FILES} files are read"))
            break
        else:
            paths.append(relative)
    if no_lore:
        count = "1 file is" if len(no_lore) == 1 else f"{len(no_lore)} files are"
        message = f"{count} left out: templates, and instructions for programs"
        findings.append(info(no_lore[0], "not-content", message, hint="include: in pack.yaml brings them back"))
    copies = {} if reading == 1 else _conflict_copies(paths)
    for copy, original in copies.items():
        message = f"left out: a sync made this copy of {original} when two devices had edited it"
        hint = f"put into {original} what it lacks, and delete the copy"
        findings.append(warning(copy, "conflict-copy", message, hint=hint))
    return Listing(tuple(paths), tuple(findings), frozenset(copies))


def _conflict_copies(paths: Sequence[str]) -> dict[str, str]:
    """Return the paths that a sync made because a file beside them was edited on two devices, with that file's name:
    they have its ID and most of its text."""
    there, found = set(paths), {}
    for path in map(PurePosixPath, paths):
        stem = _CONFLICT.sub("", path.stem)
        if stem not in ("", path.stem) and path.with_name(f"{stem}{path.suffix}").as_posix() in there:
            found[path.as_posix()] = f"{stem}{path.suffix}"
    return found


def _is_included(path: str, include: Sequence[str]) -> bool:
    globs = [glob for glob in include if not glob.startswith("#")]
    return not globs or any(_matches(path, glob) for glob in globs)


def _is_no_lore(path: str) -> bool:
    """Tell whether a note is a template, by a folder or its own name, or an instruction file for a program."""
    *folders, name = PurePath(path).parts
    stem = PurePath(name).stem
    words = _WORD.findall(stem.casefold())
    is_named = words[:1] != [] and words[0] in _TEMPLATE_WORDS
    return (
        stem.casefold() in _INSTRUCTIONS
        or is_named
        or any(_TEMPLATE_WORDS & set(_WORD.findall(folder.casefold())) for folder in folders)
    )


def _matches(path: str, glob: str) -> bool:
    """Tell whether a glob matches: one with a slash the path from the top, `folder/` all below it, any other the
    name."""
    pattern = f"{glob}*" if glob.endswith("/") else glob
    return fnmatchcase(path if "/" in pattern else PurePath(path).name, pattern)


def _walk(root: Path, findings: list[Finding]) -> Iterator[Path]:
    for folder, subfolders, names in os.walk(root, followlinks=False):
        directory = Path(folder)
        subfolders[:] = sorted(
            name for name in subfolders if not name.startswith(".") and not _is_tests(directory / name, root)
        )
        for name in list(subfolders):
            if (directory / name).is_symlink():
                subfolders.remove(name)
                relative = (directory / name).relative_to(root).as_posix()
                findings.append(_linked_folder(directory / name, relative, root))
        for name in sorted(names):
            file = PurePath(name)
            hidden = name.startswith(".") and not name.startswith("..")
            if (directory / name).is_symlink() and file.suffix.lower() not in _MARKDOWN | {".yaml"} and not hidden:
                findings += _linked_elsewhere(directory / name, root)
            if hidden or file.suffix.lower() not in _MARKDOWN:
                continue
            if directory == root and file.stem.casefold() in _NOT_CONTENT:
                findings.append(info(name, "not-content", "about the pack, not of it; left out"))
                continue
            yield directory / name


def _is_tests(folder: Path, root: Path) -> bool:
    return folder == root / TESTS_FOLDER and not folder.is_symlink()


def _linked_folder(link: Path, relative: str, root: Path) -> Finding:
    target = Path(os.path.realpath(link))
    inside = target.is_relative_to(root.resolve())
    code = "symlink-loop" if inside else "symlink-escape"
    return error(relative, code, "linked folders are not followed", hint="copy the files into the pack")


def _linked_elsewhere(link: Path, root: Path) -> list[Finding]:
    """Return a finding for a link to something else than markdown, if it leads out of the pack; else an empty list."""
    if Path(os.path.realpath(link)).is_relative_to(root.resolve()):
        return []
    return [_linked_folder(link, link.relative_to(root).as_posix(), root)]


def _refusal(path: Path, relative: str, real_root: Path) -> Finding | None:
    shown = "".join("?" if unicodedata.category(c) in ("Cc", "Cs") else c for c in relative)
    if shown != relative:
        return error(shown, "bad-file-name", "the name holds controls or is not UTF-8", hint="rename the file")
    if path.is_symlink():
        target = Path(os.path.realpath(path))
        if not target.is_relative_to(real_root):
            return error(
                relative,
                "symlink-escape",
                "the link leads out of the pack",
                hint="copy the file into the pack",
            )
        if not target.exists():
            return error(relative, "dangling-symlink", "the link leads nowhere", hint="remove it")
        return error(relative, "symlink-duplicate", "the link names a file of the pack again", hint="remove it")
    if not path.is_file():
        return error(relative, "not-a-file", "this is not a file")
    if path.stat().st_size > MAX_FILE_BYTES:
        return error(relative, "file-too-large", f"over {MAX_FILE_BYTES // 2**20} MiB", hint="split the file")
    return None


class ParseCache:
    """A cache of values under a key of everything that they are made of, so that a folder which is read again is parsed
    anew only where it changed. For one thread, and for values that nobody changes.

    Values that a round did not request are dropped when it ends, so that the cache holds what one reading of a folder
    needs.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, object] = {}
        self._asked: dict[Hashable, object] = {}

    @contextmanager
    def round(self) -> Iterator[None]:
        """Return a context for one reading of a folder; if it fails, nothing is dropped."""
        self._asked = {}
        try:
            yield
        except BaseException:
            self._kept |= self._asked
            raise
        self._kept, self._asked = self._asked, {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of a key; it is made if it is not cached."""
        if key not in self._asked:
            self._asked[key] = self._kept[key] if key in self._kept else make()
        return cast(T, self._asked[key])


class NoMemory(ParseCache):
    """A cache that caches nothing, for a folder that is read once."""

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return a newly made value."""
        return make()
