"""The client over HTTP: every operation has a method, broken connections are mended, refusals and events are typed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from lorewright.errors import (
    AccessRefused,
    LorewrightError,
    NotFound,
    NotSignedIn,
    ServiceError,
    SettingsError,
    TooManyRequests,
)
from lorewright.service.web import connection
from lorewright.service.web.access import RateLimit
from lorewright.service.web.accounts import SCOPES, Scope
from lorewright.service.web.client import LorewrightClient
from lorewright.service.web.connection import StoryMoved, StreamClosing, TurnCommitted, TurnFailed, TurnSignal
from lorewright.service.web.problems import status_of_error
from lorewright.service.web.shapes import ContextQuestion, LoreQuestion, WhyNotQuestion
from support import harbour as h
from support.table_service import URL, Hall, hall

Sent = list[httpx2.Request]

# Signing in and making tokens is done in a browser.
BROWSERS = {
    ("POST", "/v1/session"),
    ("GET", "/v1/session"),
    ("DELETE", "/v1/session"),
    ("GET", "/v1/tokens"),
    ("POST", "/v1/tokens"),
    ("DELETE", "/v1/tokens/{token}"),
    # Spoken by the clients of OpenAI's protocol.
    ("GET", "/v1/models"),
    ("POST", "/v1/chat/completions"),
}


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Hall]:
    with hall(h.harbour(tmp_path)) as opened:
        yield opened


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_FIRST_WAIT_S", 0.0)


def client_in(room: Hall, *scopes: Scope) -> LorewrightClient:
    """Return a client with a token of the owner's."""
    accounts = room.service.accounts
    secret, _ = accounts.new_token(accounts.owner(), name="bot", scopes=scopes or SCOPES)
    return LorewrightClient(URL, secret, http=room.stranger().client)


def answering(answer: Callable[[httpx2.Request], httpx2.Response]) -> tuple[LorewrightClient, Sent]:
    """Return a client whose requests a function answers, and the list of those that were sent."""
    sent: Sent = []

    def keep(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return answer(request)

    return LorewrightClient(URL, "lw_x", http=httpx2.Client(transport=httpx2.MockTransport(keep))), sent


def test_every_operation_of_the_api_has_a_method(room: Hall) -> None:
    client, sent = answering(lambda request: httpx2.Response(404, json={}))
    question = LoreQuestion(text="boat")
    calls: tuple[Callable[[], object], ...] = (
        client.me,
        client.scenarios,
        client.campaigns,
        client.packs,
        lambda: client.begin("night_boat"),
        lambda: client.remove("game"),
        lambda: client.remove_member("game", "ben", role="player"),
        lambda: client.invite("game", "player"),
        lambda: client.revoke_invitation("game", "x"),
        lambda: client.import_campaign(b"x"),
        lambda: client.play("game", "look"),
        lambda: client.turn("game", 1),
        lambda: client.why("game", 1),
        lambda: client.branch("game", "other", turn=1),
        lambda: client.switch("game", "other"),
        lambda: client.entity("game", "osk"),
        lambda: client.pack_entity("harbour", "osk"),
        lambda: client.query(question),
        lambda: client.query_batch([question]),
        lambda: client.context(ContextQuestion(text="boat")),
        lambda: client.explain(question),
        lambda: client.why_not(WhyNotQuestion(text="boat", chunk_id="x")),
        lambda: client.send_pack(b"x"),
        *(lambda method=method: method("harbour") for method in (client.lint_pack, client.pack_stats)),
        lambda: client.run_pack_tests("harbour"),
        client.jobs,
        lambda: client.job("x"),
        lambda: client.cancel_job("x"),
        lambda: client.preview_ops("game", []),
        lambda: client.apply_ops("game", []),
        lambda: client.decide_review("game", "x", accept=True),
        lambda: client.stages("game", 1),
        lambda: client.test_permission("game", "player", "x"),
        lambda: next(client.events("game", after=0)),
        *(
            (lambda method=method: method("game"))
            for method in (
                *(client.table, client.members, client.invitations, client.export, client.turns, client.undo),
                *(client.redo, client.retry, client.state, client.scene, client.codex, client.recap, client.hint),
                *(
                    client.entities,
                    client.desk,
                    client.find_secrets,
                    client.stream,
                    client.reviews,
                    client.lorebook,
                    client.attempts,
                ),
            )
        ),
    )
    for call in calls:
        with pytest.raises(ServiceError):
            call()
    document = room.stranger().get("/openapi.json").json()
    operations = {(verb.upper(), path) for path, found in document["paths"].items() for verb in found}
    patterns = {(verb, path): re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path))) for verb, path in operations}
    used = {
        operation
        for operation, pattern in patterns.items()
        if any(request.method == operation[0] and pattern.fullmatch(request.url.path) for request in sent)
    }
    assert {found for found in operations if found[1].startswith("/v1/")} - used == BROWSERS


def test_every_error_has_a_status_that_the_document_names(room: Hall) -> None:
    document = room.stranger().get("/openapi.json").json()
    described = document["paths"]["/v1/campaigns/{campaign}/turns"]["post"]["responses"]
    waiting: list[type[LorewrightError]] = [LorewrightError]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        assert str(status_of_error(kind("no"))) in described, kind


def test_what_a_seat_and_a_game_master_read_is_typed(room: Hall) -> None:
    client = client_in(room)
    played = client.play("game", "ask Osk about the boat")
    assert client.me().is_owner
    assert [row.id for row in client.campaigns()] == ["game"]
    assert "night_boat" in {scenario.id for scenario in client.scenarios()}
    assert client.why("game", 1).sentences
    assert client.turn("game", 1).told == played.final_text
    assert client.recap("game").text
    assert client.hint("game", step=3).step == 3
    assert client.scene("game").place.name
    assert [found.name for found in client.entities("game", named="osk").entities] == ["Osk"]
    assert {seat.role for seat in client.members("game")} == {"player", "gm"}
    assert any(h.WITHHOLDS in secret.text for secret in client.desk("game").secrets)
    assert client.stream("game").messages
    assert client.stages("game", 1)
    assert client.packs().packs[0].id == "harbour"
    assert client.pack_entity("harbour", "osk").entity.name == "Osk"
    assert (client.reviews("game").reviews, client.lorebook("game").entries, client.attempts("game")) == ((), (), [])
    item = "harbour:osk:withholds#debt"
    assert not client.test_permission("game", "player", item).allowed
    assert client.retry("game", text="wait").turn_no == 1


def test_lore_is_asked_in_batches_and_explained(room: Hall) -> None:
    client = client_in(room)
    question = LoreQuestion(text="night boat", campaign_id="game", seat="gm")
    found = client.query(question)
    assert client.query_batch([question, LoreQuestion(text="gulls", campaign_id="game")])[0] == found
    explained = client.explain(question)
    assert explained["result"]["chunks"] and explained["trace"]
    asked = WhyNotQuestion(text="night boat", campaign_id="game", chunk_id=found.chunks[0].chunk_id)
    assert client.why_not(asked).chunk_id == found.chunks[0].chunk_id


def test_invitations_and_files_go_in_and_out(room: Hall) -> None:
    client = client_in(room)
    made = client.invite("game", "watcher")
    assert made.url is not None and made.url.startswith(URL)
    client.revoke_invitation("game", made.id)
    assert client.invitations("game") == []
    campaign = client.import_campaign(client.export("game", role="gm"))
    assert client.table(campaign).turn_no == 0
    account = next(seat.account_id for seat in client.members(campaign) if seat.role == "player")
    client.remove_member(campaign, account, role="player")
    assert {seat.role for seat in client.members(campaign)} == {"gm"}
    client.remove(campaign)
    with pytest.raises(NotFound):
        client.table(campaign)


def test_refusals_are_the_librarys_errors_with_their_hints(room: Hall) -> None:
    with pytest.raises(NotSignedIn) as unknown:
        LorewrightClient(URL, "lw_nothing", http=room.stranger().client).me()
    assert unknown.value.hint
    with pytest.raises(AccessRefused):
        client_in(room, "read").play("game", "look around")
    with pytest.raises(SettingsError):
        client_in(room).invite("game", "king")
    for nothing in ("nothing", "../me", "..", "a b?c#d"):
        with pytest.raises(NotFound):
            client_in(room).table(nothing)


def test_a_refusal_of_http_itself_keeps_its_code_and_status(room: Hall) -> None:
    with pytest.raises(ServiceError) as refused:
        client_in(room).hint("game", step=9)
    assert (refused.value.code, refused.value.status, refused.value.hint) == (
        "request_invalid",
        422,
        "see /openapi.json",
    )


def test_who_asks_too_often_is_told_how_long_to_wait(tmp_path: Path) -> None:
    with hall(h.harbour(tmp_path), turns=RateLimit(1, at_once=1)) as room:
        client = client_in(room)
        client.play("game", "look around")
        with pytest.raises(TooManyRequests) as refused:
            client.play("game", "look around")
    assert refused.value.retry_after_s > 1


def test_what_is_no_service_is_said_to_be_none() -> None:
    for answer in (httpx2.Response(502, text="<html>"), httpx2.Response(200, json={"hello": "world"})):
        with pytest.raises(ServiceError):
            answering(lambda request, answer=answer: answer)[0].me()  # type: ignore[misc]


def test_a_turn_whose_answer_is_lost_is_sent_again_and_played_once(room: Hall) -> None:
    real, lost = room.stranger().client, [True, True, False]

    def lose(request: httpx2.Request) -> httpx2.Response:
        answer = real.request(request.method, request.url, content=request.content, headers=request.headers)
        if lost.pop(0):
            raise httpx2.ReadError("the connection was reset", request=request)
        return answer

    accounts = room.service.accounts
    secret, _ = accounts.new_token(accounts.owner(), name="bot", scopes=SCOPES)
    client = LorewrightClient(URL, secret, http=httpx2.Client(transport=httpx2.MockTransport(lose)))
    assert client.play("game", "look around").turn_no == 1
    assert client_in(room).table("game").turn_no == 1


def test_a_service_that_stays_away_is_asked_a_few_times_and_a_move_once() -> None:
    def refuse(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused", request=request)

    client, sent = answering(refuse)
    for call, times in ((client.me, 4), (lambda: client.play("game", "look"), 4), (lambda: client.undo("game"), 1)):
        sent.clear()
        with pytest.raises(ServiceError, match="cannot be reached") as failed:
            call()
        assert (failed.value.status, failed.value.code, len(sent)) == (None, "service_failed", times)


def test_every_error_of_the_library_comes_back_as_itself() -> None:
    def answer_with(code: str) -> LorewrightError:
        problem = {"title": "No", "status": 409, "code": code, "detail": "so it is", "hint": "do it otherwise"}
        client, _ = answering(lambda request: httpx2.Response(409, json=problem))
        with pytest.raises(LorewrightError) as refused:
            client.me()
        return refused.value

    for code, kind in connection._BY_CODE.items():
        error = answer_with(code)
        assert (type(error), error.code, error.message, error.hint) == (kind, code, "so it is", "do it otherwise")
    assert type(answer_with("something_new")) is ServiceError


def test_events_are_typed_and_begin_where_one_asks(room: Hall) -> None:
    client = client_in(room)
    client.play("game", "look around")
    key = client.play_unwatched("game", "go to the quay")
    seen = client.events("game", after=0)
    committed: list[TurnCommitted] = []
    while len(committed) < 2:
        news = next(seen)
        if isinstance(news, TurnCommitted):
            committed.append(news)
    assert [found.turn.said for found in committed] == ["look around", "go to the quay"]
    seen.close()  # type: ignore[attr-defined]
    assert client.play("game", "go to the quay", key=key).turn_no == 2


def test_a_stream_that_breaks_off_is_taken_up_after_its_last_turn() -> None:
    def event(kind: str, data: str) -> str:
        return f"event: {kind}\ndata: {data}\n\n"

    turn = '{"turn_no": 4, "turn_id": "t", "kind": "play", "told": "Rain."}'
    streams = [
        event("begun", "{}") + event("committed", turn),
        ": still here\n\n" + event("moved", '{"turn_no": 2, "revision": 9}'),
        event("failed", '{"code": "not_agreed", "status": 402, "title": "Payment Required"}') + event("closing", "{}"),
    ]
    client, sent = answering(lambda request: httpx2.Response(200, text=streams.pop(0)))
    kinds = [type(news) for news in client.events("game", after=3)]
    assert kinds == [TurnSignal, TurnCommitted, StoryMoved, TurnFailed, StreamClosing]
    assert [request.url.params["after"] for request in sent] == ["3", "4", "2"]
