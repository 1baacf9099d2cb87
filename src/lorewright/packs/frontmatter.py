"""A file's bytes -> its frontmatter, its body and the line on which the body begins.

Frontmatter is found and loaded by a handler of python-frontmatter, with our fences and our bounds. That library's own
`parse` is not used: it strips texts, by which lines would be lost, and takes unclosed frontmatter for a text without
any.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from frontmatter.default_handlers import YAMLHandler

from lorewright.packs.bounded_yaml import YamlDocument, YamlProblem, lines_of_yaml, load_yaml
from lorewright.packs.files import MAX_FRONTMATTER_BYTES, Finding, error, warning

_FENCE = re.compile(r"---[ \t]*\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE)
_KEY_FIRST = re.compile(r"\s*[\w-]+\s*:")
_KEY_SOMEWHERE = re.compile(r"[\w-]\s*:")
# The group is atomic: else a row of comments can be read in exponentially many ways.
_LATE = re.compile(r"\A(?>(?:\s|<!--.*?-->)+)(?=---[ \t]*\n\s*[\w-]+\s*:)", re.DOTALL)
# A key with its value in TOML, JSON or YAML, near enough to see who may read a note; and where such frontmatter ends.
_PAIR = re.compile(
    r"""(?:^|[{,])[ \t]*["']?([\w-]+)["']?[ \t]*[:=][ \t]*("[^"\n]*"|'[^'\n]*'|[^\s,}]+)""", re.MULTILINE
)
_FOREIGN_END = {"TOML": re.compile(r"\n\+\+\+[ \t]*(?:\n|\Z)"), "JSON": re.compile(r"\}[ \t]*(?:\n|\Z)")}
# Unicode's category Cc but for line feed and tab.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")

# Keys whose inner keys have lines of their own: `lore.requires`.
NESTED_KEYS = frozenset({"lore", "section_lore"})

_COLON_HINT = 'put the value in quotes: key: "a: b"'


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as read. `body_line` counts from 1; `skip` means that nothing of it may be used. `key_lines` has the line
    of each key, those of `NESTED_KEYS` with their inner ones; `unread` has the keys and values that were written and
    are not in `metadata`: the first of a key that comes twice, and those of frontmatter that is not read."""

    path: str
    metadata: dict[str, Any]
    body: str
    body_line: int
    findings: tuple[Finding, ...]
    skip: bool = False
    has_frontmatter: bool = False
    key_lines: dict[str, int] = field(default_factory=dict)
    dates: frozenset[str] = frozenset()
    unread: tuple[tuple[str, Any], ...] = ()


class BoundedYAMLHandler(YAMLHandler):
    """Finds and loads frontmatter between our fences, within our bounds; a handler is for one file.

    `opened` is the offset at which the YAML of the last split text begins, `document` the last loaded document.
    """

    opened = 0
    document = YamlDocument(None)

    def detect(self, text: str) -> bool:
        """Return True if a text has frontmatter, closed or not; a rule (`---`) above prose is none."""
        start = _start_of(text)
        if not _FENCE.match(text, start):
            return False
        opened = text.index("\n", start) + 1
        end = _END.search(text, opened)
        if end is None:
            return bool(_KEY_FIRST.match(text, opened))
        source = text[opened : end.start()]
        is_prose = source.strip() and not _KEY_SOMEWHERE.search(source) and "\n\n" in source
        return not is_prose or bool(text[:start].strip())

    def split(self, text: str) -> tuple[str, str]:
        """Return the YAML and the body of a text, both unchanged.

        Raises:
            ValueError: the text has no frontmatter, or one without an end.
        """
        if not self.detect(text):
            raise ValueError("there is no frontmatter")
        self.opened = text.index("\n", _start_of(text)) + 1
        end = _END.search(text, self.opened)
        if end is None:
            raise ValueError("the frontmatter has no closing ---")
        return text[self.opened : end.start()], text[end.end() :]

    def load(self, fm: str, **kwargs: object) -> Any:
        """Return the data of the YAML; keyword arguments are ignored.

        Raises:
            YamlProblem: the text is not YAML that we read.
        """
        self.document = load_yaml(fm)
        return self.document.data


def read_source(path: str, data: bytes) -> SourceFile:
    """Return a file, decoded and split. Never raises: problems are findings, and `skip` is set if it cannot be used."""
    findings: list[Finding] = []
    text = decode_text(path, data, findings)
    if text is None:
        return SourceFile(path, {}, "", 1, tuple(findings), skip=True)
    if _start_of(text):
        findings.append(
            warning(path, "frontmatter-not-first", "something stands before the frontmatter", hint="move it below")
        )
    handler = BoundedYAMLHandler()
    if not handler.detect(text):
        return _without_frontmatter(path, text, findings)
    try:
        source, body = handler.split(text)
    except ValueError as problem:
        findings.append(error(path, "unterminated-frontmatter", str(problem), hint="add a line ---"))
        return SourceFile(path, {}, "", 1, tuple(findings), skip=True)
    return _loaded(path, text, source, body, handler, findings)


def _start_of(text: str) -> int:
    """Return the offset of a text's frontmatter: behind comments and blank lines if it follows them, else 0."""
    late = _LATE.match(text)
    return late.end() if late else 0


def decode_text(path: str, data: bytes, findings: list[Finding]) -> str | None:
    """Return a file's text with line feeds and without control characters, or None if it cannot be decoded."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        findings.append(error(path, "not-utf8", "the file is UTF-16", hint="save it as UTF-8"))
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        message = f"byte {problem.start} is not UTF-8"
        findings.append(error(path, "not-utf8", message, line=line, hint="save the file as UTF-8"))
        return None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        findings.append(error(path, "nul-byte", "the file holds a NUL byte", line=line, hint="remove it"))
        return None
    if "\r" in text.replace("\r\n", ""):
        findings.append(warning(path, "cr-only", "lines end in bare carriage returns", hint="save with line feeds"))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _without_controls(path, text, findings)


def _without_controls(path: str, text: str, findings: list[Finding]) -> str:
    """Return the text without control characters, so that none reaches a terminal or a prompt."""
    bad = _CONTROL.search(text)
    if bad is None:
        return text
    line = text.count("\n", 0, bad.start()) + 1
    findings.append(warning(path, "control-chars", "control characters were left out", line=line, hint="remove them"))
    return _CONTROL.sub("", text)


def _pairs(source: str) -> tuple[tuple[str, Any], ...]:
    """Return the keys and values of a frontmatter that is not read, as they are written and without quotes."""
    return tuple((key, value.strip("\"'")) for key, value in _PAIR.findall(source))


def _without_frontmatter(path: str, text: str, findings: list[Finding]) -> SourceFile:
    unread: tuple[tuple[str, Any], ...] = ()
    if text.startswith("+++\n") or re.match(r'\{\s*"', text):
        kind = "TOML" if text.startswith("+") else "JSON"
        findings.append(
            warning(
                path,
                "unsupported-frontmatter",
                f"{kind} frontmatter is read as text",
                hint="use YAML between ---",
            )
        )
        end = _FOREIGN_END[kind].search(text)
        unread = _pairs(text[: end.start() if end else MAX_FRONTMATTER_BYTES])
    elif text.strip():
        findings.append(
            warning(path, "missing-frontmatter", "ID and type are derived from the path", hint="add id: and type:")
        )
    return SourceFile(path, {}, text, 1, tuple(findings), unread=unread)


def _loaded(
    path: str, text: str, source: str, body: str, handler: BoundedYAMLHandler, findings: list[Finding]
) -> SourceFile:
    body_line = text.count("\n", 0, len(text) - len(body)) + 1
    first_line = text.count("\n", 0, handler.opened)
    if len(source.encode()) > MAX_FRONTMATTER_BYTES:
        findings.append(
            warning(
                path,
                "frontmatter-too-large",
                f"frontmatter over {MAX_FRONTMATTER_BYTES // 1024} KiB is left out",
                hint="move the text into the body",
            )
        )
        return SourceFile(path, {}, body, body_line, tuple(findings), has_frontmatter=True, unread=_pairs(source))
    try:
        metadata = handler.load(source)
    except YamlProblem as problem:
        hint = _COLON_HINT if "mapping values" in problem.message else "mend the YAML"
        findings.append(
            error(
                path,
                problem.code,
                problem.message,
                line=first_line + problem.line,
                column=problem.column,
                hint=hint,
            )
        )
        return SourceFile(path, {}, "", body_line, tuple(findings), skip=True)
    document = handler.document
    for key, line in document.duplicates:
        findings.append(
            warning(
                path,
                "duplicate-yaml-key",
                f"the key {key} comes twice; the last holds",
                line=first_line + line,
            )
        )
    if metadata is not None and not isinstance(metadata, dict):
        findings.append(
            error(
                path,
                "frontmatter-not-mapping",
                "the frontmatter must be `key: value` lines",
                line=first_line + 1,
            )
        )
        return SourceFile(path, {}, "", body_line, tuple(findings), skip=True)
    lines = {key: first_line + line for key, line in document.key_lines.items()}
    if not lines.keys().isdisjoint(NESTED_KEYS):
        nested = {path: line for path, line in lines_of_yaml(source).items() if path[0] in NESTED_KEYS}
        lines |= {".".join(path): first_line + line for path, line in nested.items()}
    return SourceFile(
        path,
        metadata or {},
        body,
        body_line,
        tuple(findings),
        has_frontmatter=True,
        key_lines=lines,
        dates=document.dates,
        unread=document.replaced,
    )
