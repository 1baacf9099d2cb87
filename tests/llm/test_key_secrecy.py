"""API keys come from the environment and go to their provider, and nowhere else."""

from __future__ import annotations

import json
import logging
import traceback

import pytest

from lorewright.errors import LorewrightError, SettingsError
from lorewright.llm.gateway import HIDDEN, Secrets
from support.model_apis.faults import FAULTS, Fault
from support.model_apis.server import ModelServer
from support.model_requests import ANSWER, KEYS, ask, asked_at, at_once

CANARY = "sk-canary/4f9e+77aa"
VARIABLES = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "DEEPSEEK_API_KEY", "OLLAMA_API_KEY")


def environ(value: str) -> dict[str, str]:
    return dict.fromkeys(VARIABLES, value)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("value", [CANARY, f"  {CANARY}\r\n"], ids=["plain", "with a line end"])
def test_a_key_reaches_its_provider_without_the_blanks_around_it(server: ModelServer, key: str, value: str) -> None:
    server.expects_key = CANARY
    server._answer = lambda asked: ANSWER["text"]
    assert ask(asked_at(server, key, environ=environ(value)), prose=True).text == ANSWER["text"]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("kind", FAULTS)
def test_a_key_is_in_no_error_trace_or_log(
    server: ModelServer, key: str, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    server._answer = lambda asked: ANSWER["text"]
    server.faults.append(Fault(kind, seconds=0.01, status=400, message=f"your key {CANARY} is\x1b[31m odd"))  # type: ignore[arg-type]
    told = ""
    with caplog.at_level(logging.DEBUG):
        try:
            told = repr(ask(at_once(asked_at(server, key, environ=environ(CANARY))), prose=True))
        except LorewrightError as error:
            told = f"{error.message} {error.hint} {''.join(traceback.format_exception(error))} {vars(error)}"
    asked = json.dumps([[one.headers, one.body] for one in server.asked])
    assert CANARY not in told + caplog.text + asked
    assert "\x1b" not in told
    assert server.asked


def test_a_server_that_quotes_the_key_it_got_does_not_show_it(server: ModelServer) -> None:
    server.expects_key = "sk-another-key"
    for key in KEYS:
        with pytest.raises(LorewrightError) as caught:
            ask(at_once(asked_at(server, key, environ=environ(CANARY))))
        assert HIDDEN in caught.value.message


def test_a_key_with_a_line_end_inside_is_refused_by_its_variable_alone(server: ModelServer) -> None:
    with pytest.raises(SettingsError, match="ANTHROPIC_API_KEY") as caught:
        asked_at(server, "claude-haiku", environ={"ANTHROPIC_API_KEY": "sk-can\nary-123"})
    assert "ary" not in caught.value.message + (caught.value.hint or "")


@pytest.mark.parametrize(
    "shown",
    [
        "key sk-canary/4f9e+77aa.",
        "https://host/?key=sk-canary%2F4f9e%2B77aa&x=1",
        "b'sk-canary/4f9e+77aa'",
        "header x-api-key: sk-canary/4f9e+77aa\n",
    ],
)
def test_a_secret_is_hidden_however_it_is_written(shown: str) -> None:
    hidden = Secrets({"SOME_API_KEY": CANARY}).redacted(shown)
    assert "canary" not in hidden
    assert HIDDEN in hidden


def test_each_line_of_a_broken_secret_is_hidden() -> None:
    secrets = Secrets({"SOME_API_KEY": "first-half-1\nsecond-half-2"})
    assert secrets.redacted("got 'first-half-1\\nsecond-half-2' and second-half-2") == f"got '{HIDDEN}' and {HIDDEN}"


def test_a_variable_that_a_row_names_is_secret_whatever_its_name_is() -> None:
    assert Secrets({"MINE": "12345678-abc"}, more=("MINE",)).redacted("12345678-abc") == HIDDEN
    assert Secrets({"EDITOR": "vim-or-other"}).redacted("vim-or-other") == "vim-or-other"
