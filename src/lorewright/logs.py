"""An event of a long-lived process -> a line on stderr: `time=… level=info event=request tool=query_lore ms=12`.

Off unless `--log-level` or the environment's `LOREWRIGHT_LOG` asks for it. A line consists of the fields below, each a
number, a flag or an ID without a blank; anything else becomes `?`. So a line never contains text: no lore, no input, no
narration, no message of an error. Callers pass IDs and codes of ours; of a client's input they pass only a valid
campaign ID.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import IO, Literal, TypedDict, Unpack, get_args

from lorewright.errors import LorewrightError, SettingsError

# `info`, or `info:json` for a JSON object on each line.
LOG_VARIABLE = "LOREWRIGHT_LOG"
Level = Literal["debug", "info", "warning", "error"]
LEVELS: tuple[Level, ...] = get_args(Level)
_JSON = "json"

Event = Literal[
    "started", "stopped", "request", "turn_committed", "looked", "reindexed", "fetched", "child_started", "error"
]


class LogFields(TypedDict, total=False):
    """The fields of a line beside the event. Texts are IDs: of tools, campaigns, packs, modules, error codes."""

    process: str
    transport: str
    viewer: str
    version: str
    tool: str
    campaign: str | None
    pack: str
    module: str
    code: str
    kind: str
    turn: int
    files: int
    chunks: int
    embedded: int
    bytes: int
    errors: int
    built: bool
    ms: int
    pid: int


_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,79}")
_HEAD = ("time", "level", "event")
_FIELD = "|".join((*_HEAD, *LogFields.__annotations__))
_VALUE = r"(?:\?|[A-Za-z0-9_][A-Za-z0-9_.:-]{0,79})"
_LINE = re.compile(rf"time={_VALUE} level={_VALUE} event={_VALUE}(?: (?:{_FIELD})={_VALUE})*")
_JSON_LINE = re.compile(
    rf'\{{"time": "{_VALUE}", "level": "{_VALUE}", "event": "{_VALUE}"'
    rf'(?:, "(?:{_FIELD})": (?:"{_VALUE}"|-?\d+|true|false))*\}}'
)

# Not the package's own logger, whose children warn about settings and belong to the program that uses the library.
_logger = logging.getLogger("lorewright.events")
_logger.propagate = False
_logger.addHandler(logging.NullHandler())
_OFF = logging.CRITICAL + 1
_logger.setLevel(_OFF)


def configure_logging(wanted: str | None, environ: Mapping[str, str], stream: IO[str] | None = None) -> None:
    """Write events to stderr, or to `stream`, from a level on: that of `wanted` (`info`, `info:json`), else that of the
    environment, else none.

    Raises:
        SettingsError: there is no such level or format.
    """
    setting = (wanted or environ.get(LOG_VARIABLE, "")).strip().lower()
    for handler in [*_logger.handlers]:
        _logger.removeHandler(handler)
    if not setting:
        _logger.addHandler(logging.NullHandler())
        _logger.setLevel(_OFF)
        return
    level, _, form = setting.partition(":")
    if level not in LEVELS or form not in ("", _JSON):
        known = ", ".join(LEVELS)
        raise SettingsError(
            f"{LOG_VARIABLE} or --log-level names no level", hint=f"one of {known}; with :json for JSON lines"
        )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(_Lines(as_json=form == _JSON))
    _logger.addHandler(handler)
    _logger.setLevel(level.upper())


def is_logging() -> bool:
    """Return True if any event is written."""
    return _logger.isEnabledFor(logging.ERROR)


def log_event(event: Event, *, level: Level = "info", **fields: Unpack[LogFields]) -> None:
    """Write an event if its level is enabled. Fields that are None are left out."""
    number = logging.getLevelNamesMapping()[level.upper()]
    if _logger.isEnabledFor(number):
        given = {key: value for key, value in fields.items() if value is not None}
        _logger.log(number, event, extra={"fields": given})


@contextmanager
def logged_request(tool: str, *, campaign: str | None = None, asked_for: object = None) -> Iterator[None]:
    """Log the request that a block answers, with its milliseconds; or the code of the error that it ends with, which is
    raised on.

    `campaign` is the served campaign; `asked_for` is what the client named, which is a campaign's ID once it was
    answered and may be anything before.
    """
    began, code = time.perf_counter(), ""
    try:
        yield
    except LorewrightError as error:
        code = error.code
        raise
    except Exception:
        code = "internal"
        raise
    finally:
        ms = round((time.perf_counter() - began) * 1000)
        if code:
            log_event("error", level="warning", tool=tool, campaign=campaign, code=code, ms=ms)
        else:
            named = asked_for if isinstance(asked_for, str) else None
            log_event("request", tool=tool, campaign=campaign or named, ms=ms)


def forward_log(lines: Iterable[bytes], stream: IO[str] | None = None) -> None:
    """Forward the events in the output of a child process, and nothing else of it."""
    out = stream or sys.stderr
    for line in lines:
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if _LINE.fullmatch(text) or _JSON_LINE.fullmatch(text):
            out.write(f"{text}\n")
            out.flush()


class _Lines(logging.Formatter):
    """Formats a record as its line."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        head = {"time": at, "level": record.levelname.lower(), "event": record.msg}
        fields: dict[str, object] = {**head, **getattr(record, "fields", {})}
        plain = {key: _plain(value) for key, value in fields.items()}
        if self._as_json:
            return json.dumps(plain)
        return " ".join(f"{key}={_text(value)}" for key, value in plain.items())


def _plain(value: object) -> str | int | bool:
    if isinstance(value, (bool, int)):
        return value
    return value if isinstance(value, str) and _PLAIN.fullmatch(value) else "?"


def _text(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
