"""Remote embedders wait with patience, check what comes back, and never show a key."""

from __future__ import annotations

import gzip
import json
import traceback
from email.utils import formatdate

import numpy as np
import pytest

from lorewright.bounded_http import MAX_BODY_BYTES
from lorewright.errors import EmbedderError
from lorewright.index.embedders.remote import (
    MOST_REQUEST_BYTES,
    MOST_TEXT_BYTES,
    OpenAIProvider,
    Provider,
    RemoteEmbedder,
    RetryLimits,
)
from lorewright.index.embedders.voyage_remote import VoyageProvider
from support.embedding_server import DIMENSIONS, Answer, StandIn, table

QUICK = RetryLimits(attempts=3, timeout_s=5.0, first_pause_s=0.5, longest_pause_s=4.0, deadline_s=30.0)
ROW = [1.0] * DIMENSIONS


@pytest.fixture(params=["openai", "voyage"])
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def pauses() -> list[float]:
    """The seconds that were asked to pass; none do."""
    return []


def opened(name: str, url: str, pauses: list[float], patience: RetryLimits = QUICK) -> RemoteEmbedder:
    provider: Provider = OpenAIProvider("a-model", url) if name == "openai" else VoyageProvider("a-model", url)
    return RemoteEmbedder(provider, fingerprint="a-model", patience=patience, sleep=pauses.append)


@pytest.fixture
def remote(name: str, stand_in: StandIn, pauses: list[float]) -> RemoteEmbedder:
    return opened(name, stand_in.url, pauses)


def failure(remote: RemoteEmbedder) -> EmbedderError:
    with pytest.raises(EmbedderError) as caught:
        remote.embed(["gate", "tower"])
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again_with_growing_pauses(
    remote: RemoteEmbedder, stand_in: StandIn, pauses: list[float], status: int
) -> None:
    stand_in.next_answers.extend([Answer(status, '{"detail": "busy"}')] * 2)
    assert remote.embed(["gate"]).shape == (1, DIMENSIONS)
    assert pauses == [0.5, 1.0]


def test_a_server_that_stays_busy_is_given_up(remote: RemoteEmbedder, stand_in: StandIn) -> None:
    stand_in.next_answers.extend([Answer(503, "later")] * 9)
    assert "did not answer: status 503" in failure(remote).message
    assert len(stand_in.asked) == QUICK.attempts


@pytest.mark.parametrize(("header", "pause_s"), [("2", 2.0), ("86400", 4.0), ("soon", 0.5), (formatdate(0), 0.0)])
def test_retry_after_is_obeyed_within_limits(
    remote: RemoteEmbedder, stand_in: StandIn, pauses: list[float], header: str, pause_s: float
) -> None:
    stand_in.next_answers.append(Answer(429, '{"detail": "busy"}', {"Retry-After": header}))
    remote.embed(["gate"])
    assert pauses == [pause_s]


def test_no_pause_is_begun_that_ends_past_the_deadline(name: str, stand_in: StandIn, pauses: list[float]) -> None:
    stand_in.next_answers.extend([Answer(429, '{"detail": "busy"}')] * 9)
    failure(opened(name, stand_in.url, pauses, RetryLimits(deadline_s=0.4)))
    assert pauses == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_is_not_asked_again(remote: RemoteEmbedder, stand_in: StandIn, status: int) -> None:
    stand_in.next_answers.append(Answer(status, json.dumps({"detail": "no", "error": {"message": "no"}})))
    assert f"status {status}" in failure(remote).message
    assert len(stand_in.asked) == 1


@pytest.mark.parametrize(
    "answer",
    [
        Answer(body="<html>Sign in to the hotel</html>", content_type="text/html"),
        Answer(body="hello", content_type="text/plain"),
        Answer(body=""),
        Answer(body="{}"),
        Answer(body="[1, 2]"),
        Answer(body='{"data": 7}'),
        table([]),
        table([ROW]),
        table([ROW, ROW, ROW]),
        table([ROW, ROW[:5]]),
        table([[], []]),
        table([ROW, [float("nan"), *ROW[1:]]]),
        table([ROW, [float("inf"), *ROW[1:]]]),
        table([ROW, [1e300, *ROW[1:]]]),
        table([ROW, [0.0] * DIMENSIONS]),
        table([ROW, ["one", *ROW[1:]]]),
        table([ROW, None]),
    ],
    ids=lambda answer: str(answer.body[:30]) + str(len(answer.body)),
)
def test_an_answer_that_is_no_table_of_vectors_is_refused(
    remote: RemoteEmbedder, stand_in: StandIn, answer: Answer
) -> None:
    stand_in.next_answers.append(answer)
    failure(remote)


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_an_answer_over_the_bound_is_refused_before_it_is_in_memory(
    remote: RemoteEmbedder, stand_in: StandIn, packed: bool
) -> None:
    body = b'{"data": [' + b" " * MAX_BODY_BYTES + b"]}"
    headers = {"Content-Encoding": "gzip"} if packed else {}
    stand_in.next_answers.append(Answer(body=gzip.compress(body, 1) if packed else body, headers=headers))
    assert f"{remote._provider.name}: its answer is over 16 MiB" in failure(remote).message
    assert len(stand_in.asked) == 1


def test_a_model_that_changes_its_dimensions_is_refused(remote: RemoteEmbedder, stand_in: StandIn) -> None:
    remote.embed(["gate"])
    stand_in.next_answers.append(table([[1.0, 2.0], [3.0, 4.0]]))
    assert f"2 dimensions after {DIMENSIONS}" in failure(remote).message


def test_a_slow_answer_is_a_timeout(name: str, stand_in: StandIn, pauses: list[float]) -> None:
    stand_in.next_answers.extend([Answer(delay_s=1.0)] * 2)
    told = failure(opened(name, stand_in.url, pauses, RetryLimits(attempts=2, timeout_s=0.2)))
    assert "did not answer" in told.message
    assert len(pauses) == 1


def test_a_server_that_is_down_is_told(name: str, stand_in: StandIn, pauses: list[float]) -> None:
    told = failure(opened(name, "http://127.0.0.1:9/v1", pauses))
    assert "did not answer" in told.message
    assert len(pauses) == QUICK.attempts - 1


def test_texts_go_out_in_order_and_in_requests_within_limits(remote: RemoteEmbedder, stand_in: StandIn) -> None:
    texts = [f"{number} " + "龍" * (number * 40) for number in range(300)]
    together = remote.embed(texts)
    sent = [text for asked in stand_in.asked for text in asked["input"]]
    assert [text.split()[0] for text in sent] == [str(number) for number in range(300)]
    assert all(len(text.encode()) <= MOST_TEXT_BYTES for text in sent)
    for asked in stand_in.asked:
        assert len(asked["input"]) <= 128
        assert sum(len(text.encode()) for text in asked["input"]) <= MOST_REQUEST_BYTES
    assert np.array_equal(together[250], remote.embed([texts[250]])[0])


def test_rows_go_by_index_where_there_is_one(remote: RemoteEmbedder, stand_in: StandIn) -> None:
    body = json.loads(table([[1.0, 0.0], [0.0, 1.0]]).body)
    body["data"].reverse()
    stand_in.next_answers.append(Answer(body=json.dumps(body)))
    assert remote.embed(["a", "b"]).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_voyage_is_told_what_is_a_question(stand_in: StandIn, pauses: list[float]) -> None:
    remote = opened("voyage", stand_in.url, pauses)
    remote.embed(["gate"])
    remote.embed_query("gate")
    assert [asked["input_type"] for asked in stand_in.asked] == ["document", "query"]


def test_a_key_is_stripped_and_sent(
    monkeypatch: pytest.MonkeyPatch, name: str, stand_in: StandIn, remote: RemoteEmbedder
) -> None:
    monkeypatch.setenv(f"{name.upper()}_API_KEY", "  sk-secret-word\n")
    remote.embed(["gate"])
    assert stand_in.keys == ["Bearer sk-secret-word"]


@pytest.mark.parametrize("key", ["", "  ", "sk-secret\nword", "sk secret", "sk-secret-wörd", "sk-\x1bsecret"])
def test_a_key_that_is_none_is_refused_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch, name: str, stand_in: StandIn, remote: RemoteEmbedder, key: str
) -> None:
    monkeypatch.setenv(f"{name.upper()}_API_KEY", key)
    told = failure(remote)
    assert f"{name.upper()}_API_KEY" in told.message
    assert "secret" not in "".join(traceback.format_exception(told))
    assert stand_in.asked == []


@pytest.mark.parametrize("status", [401, 429, 500])
def test_a_key_shows_nowhere_even_if_the_server_quotes_it(
    monkeypatch: pytest.MonkeyPatch, name: str, stand_in: StandIn, remote: RemoteEmbedder, status: int
) -> None:
    monkeypatch.setenv(f"{name.upper()}_API_KEY", "sk-secret-word")
    quoted = json.dumps({"detail": "sk-secret-word?", "error": {"message": "Incorrect API key: sk-secret-word"}})
    stand_in.next_answers.extend([Answer(status, quoted)] * 9)
    told = failure(remote)
    shown = "".join(traceback.format_exception(told)) + repr(remote) + repr(vars(told)) + repr(vars(remote))
    assert "sk-secret-word" not in shown + repr(remote._provider)
