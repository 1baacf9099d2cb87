"""Events of processes that live long: one line each, off unless asked for, and never a text in one."""

from __future__ import annotations

import ast
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.errors import NotFound, SettingsError
from lorewright.logs import (
    LOG_VARIABLE,
    LogFields,
    configure_logging,
    forward_log,
    is_logging,
    log_event,
    logged_request,
)

SOURCE = Path(__file__).parents[1] / "src" / "lorewright"
LINE = re.compile(r"time=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ level=[a-z]+ event=[a-z_]+( [a-z]+=[A-Za-z0-9_.:?-]+)*\n")


@pytest.fixture(autouse=True)
def off_again() -> Iterator[None]:
    yield
    configure_logging(None, {})


def written(wanted: str | None, environ: dict[str, str] | None = None) -> io.StringIO:
    stream = io.StringIO()
    configure_logging(wanted, environ or {}, stream)
    return stream


def test_nothing_is_written_unless_it_is_asked_for() -> None:
    stream = written(None)
    log_event("error", level="error", code="busy")
    assert not is_logging()
    assert stream.getvalue() == ""


def test_an_event_is_one_line_of_keys_and_values() -> None:
    stream = written("info")
    log_event("turn_committed", campaign="friday", turn=3, kind="play")
    line = stream.getvalue()
    assert LINE.fullmatch(line)
    assert line.endswith("level=info event=turn_committed campaign=friday turn=3 kind=play\n")


def test_an_event_is_a_json_object_on_a_line_where_that_is_asked_for() -> None:
    stream = written(None, {LOG_VARIABLE: "INFO:json"})
    log_event("reindexed", pack="harbour", chunks=4, built=True)
    said = json.loads(stream.getvalue())
    said.pop("time")
    assert said == {"level": "info", "event": "reindexed", "pack": "harbour", "chunks": 4, "built": True}


def test_an_option_goes_before_the_environment() -> None:
    stream = written("error", {LOG_VARIABLE: "debug:json"})
    log_event("request", tool="query_lore")
    log_event("error", level="error", code="internal")
    assert stream.getvalue().endswith("level=error event=error code=internal\n")
    assert stream.getvalue().count("\n") == 1


@pytest.mark.parametrize("wanted", ["loud", "info:xml", "info json", "20"])
def test_a_level_or_format_that_there_is_not_is_refused_with_those_that_there_are(wanted: str) -> None:
    with pytest.raises(SettingsError) as problem:
        configure_logging(wanted, {})
    assert wanted not in problem.value.message
    assert "debug, info, warning, error" in (problem.value.hint or "")


def test_a_field_that_is_none_is_left_out() -> None:
    stream = written("info")
    log_event("request", tool="get_scene", campaign=None)
    assert "campaign" not in stream.getvalue()


@settings(max_examples=30)
@given(
    st.sampled_from(sorted(LogFields.__annotations__)),
    st.text(max_size=20) | st.integers() | st.booleans(),
    st.booleans(),
)
def test_whatever_a_field_holds_a_line_is_one_line_and_no_value_has_a_blank(
    field: str, value: Any, as_json: bool
) -> None:
    stream = written("info:json" if as_json else "info")
    log_event("request", **{field: value})  # type: ignore[misc]
    line = stream.getvalue()
    assert line.count("\n") == 1
    values = list(json.loads(line).values()) if as_json else [part.partition("=")[2] for part in line.split()]
    assert all(re.fullmatch(r"\?|[A-Za-z0-9_][A-Za-z0-9_.:-]{0,79}|-?\d+", str(one)) for one in values)
    assert as_json or LINE.fullmatch(line)


@pytest.mark.parametrize(
    "said", ["The marmoset sleeps.", "two words", "tab\there", "line\nline", "“kestrel”", "", "x" * 81]
)
def test_a_text_in_a_field_becomes_a_question_mark(said: str) -> None:
    stream = written("info")
    log_event("request", tool=said)
    assert stream.getvalue().endswith("event=request tool=?\n")


def test_a_request_is_logged_with_its_time_and_an_error_with_its_code_alone() -> None:
    stream = written("info")
    with logged_request("query_lore", asked_for="friday"):
        pass
    with pytest.raises(NotFound), logged_request("query_lore", asked_for="marmoset"):
        raise NotFound("there is no campaign marmoset", hint="look behind the marmoset")
    with pytest.raises(ZeroDivisionError), logged_request("get_scene", campaign="friday"):
        raise ZeroDivisionError("marmoset")
    answered, failed, broke = (re.sub(r"time=\S+ | ms=\d+", "", line) for line in stream.getvalue().splitlines())
    assert answered == "level=info event=request tool=query_lore campaign=friday"
    assert failed == f"level=warning event=error tool=query_lore code={NotFound.code}"
    assert broke == "level=warning event=error tool=get_scene campaign=friday code=internal"


@pytest.mark.parametrize("wanted", ["info", "info:json"])
def test_of_what_a_child_prints_its_events_alone_are_passed_on(wanted: str) -> None:
    stream = written(wanted)
    log_event("reindexed", pack="harbour", chunks=4, embedded=2, built=False)
    log_event("error", level="warning", pack="harbour", code="embedder_failed")
    events = stream.getvalue().encode().splitlines(keepends=True)
    chatter = [
        *(
            b"harbour installed: The marmoset sleeps.\n",
            b"\xff\n",
            b"\n",
            b"time=1 level=info event=x said=the-marmoset\n",
        ),
        *(b'{"time": "1", "level": "info", "event": "x", "said": "marmoset"}\n', b'{"event": "x"}\n'),
        b"time=1 level=info event=x tool=the marmoset\n",
    ]
    out = io.StringIO()
    forward_log([*chatter, events[0], *chatter, events[1]], out)
    assert out.getvalue().encode() == b"".join(events)


@pytest.mark.campaign
def test_no_other_module_writes_a_log() -> None:
    # Settings that are passed over are warned of to the program that reads them.
    imports = re.compile(r"^\s*(import logging|from logging)\b", re.MULTILINE)
    importers = {path.name for path in SOURCE.rglob("*.py") if imports.search(path.read_text(encoding="utf-8"))}
    assert importers == {"logs.py"}


@pytest.mark.campaign
def test_what_is_logged_is_named_where_it_is_logged() -> None:
    """No caller spreads a mapping into an event: what a line can hold is seen by reading."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
    callers = {name: text for name, text in texts.items() if "log_event(" in text}
    assert len(callers) > 4
    for name, text in callers.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "log_event":
                assert all(one.arg is not None for one in node.keywords), name
