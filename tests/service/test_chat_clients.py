"""Clients of OpenAI's protocol at a table: seats as models, turns as answers, chats that are edited, cut and asked again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_socket

from lorewright.errors import ProviderError
from lorewright.llm.doubles import ScriptedModel
from lorewright.service.web.chat import Place, Said, fingerprint_of
from support import harbour as h
from support import two_at_a_table as t
from support.played_in_a_browser import listening
from support.table_service import Browser, Hall, hall

CHAT = "/v1/chat/completions"


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Hall]:
    with hall(h.harbour(tmp_path)) as opened:
        yield opened


@pytest.fixture
def on_loopback(socket_enabled: None) -> None:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])


def bot_of(room: Hall, browser: Browser, **sent: Any) -> Browser:
    """A client with a token of somebody's."""
    made = browser.post("/v1/tokens", {"scopes": ["read", "play"], **sent}).json()
    bot = room.stranger()
    bot.client.headers["Authorization"] = f"Bearer {made['secret']}"
    return bot


def ask(bot: Browser, *texts: str, model: str = "game/player", first: str = "user", **sent: Any) -> Any:
    """The answer to a chat whose speakers take turns."""
    roles = ("user", "assistant") if first == "user" else ("assistant", "user")
    messages = [{"role": roles[place % 2], "content": text} for place, text in enumerate(texts)]
    return bot.client.post(CHAT, json={"model": model, "messages": messages, **sent})


def text_of(answer: Any) -> str:
    assert answer.status_code == 200, answer.text
    return str(answer.json()["choices"][0]["message"]["content"])


def test_a_seat_is_a_model_and_a_chat_is_played(room: Hall) -> None:
    owner = room.owner()
    bot = bot_of(room, owner)
    assert [model["id"] for model in bot.get("/v1/models").json()["data"]] == ["game/player"]
    first = ask(bot, "ask Osk about the boat")
    told = text_of(first)
    assert h.KNOWS in told
    assert first.json()["lorewright"]["turn_no"] == 1
    text_of(ask(bot, "ask Osk about the boat", told, "look around"))
    assert owner.get("/v1/campaigns/game").json()["turn_no"] == 2


def test_a_whole_answer_that_is_asked_for_again_is_played_anew(room: Hall) -> None:
    owner = room.owner()
    bot = bot_of(room, owner)
    first = ask(bot, "look around").json()
    again = ask(bot, "look around").json()
    assert again["lorewright"]["turn_id"] != first["lorewright"]["turn_id"]
    shown = owner.get("/v1/campaigns/game").json()
    assert (shown["turn_no"], shown["can_be_redone"]) == (1, 0)


def test_a_turn_that_was_taken_back_before_its_answer_was_read_is_played_anew(room: Hall) -> None:
    owner = room.owner()
    bot, accounts = bot_of(room, owner), room.service.accounts
    text_of(ask(bot, "look around"))
    accounts.write(("UPDATE chats SET is_whole = 0", ()))
    owner.post("/v1/campaigns/game/undo")
    for _ in range(2):
        # The second is another try of the first.
        assert ask(bot, "look around").json()["lorewright"]["turn_no"] == 1
    assert [branch["name"] for branch in owner.get("/v1/campaigns/game").json()["branches"]] == ["main"]


def test_the_same_key_gets_the_same_turn(room: Hall) -> None:
    bot = bot_of(room, room.owner())
    sent = {"model": "game/player", "messages": [{"role": "user", "content": "look around"}]}
    answers = [bot.client.post(CHAT, json=sent, headers={"Idempotency-Key": "one"}).json() for _ in range(2)]
    assert answers[0]["lorewright"] == answers[1]["lorewright"]
    assert answers[0]["choices"] == answers[1]["choices"]


def test_other_words_at_an_earlier_place_begin_a_branch(room: Hall) -> None:
    owner = room.owner()
    bot = bot_of(room, owner)
    first = text_of(ask(bot, "look around"))
    text_of(ask(bot, "look around", first, "wait"))
    text_of(ask(bot, "look around", first, "go to the quay"))
    shown = owner.get("/v1/campaigns/game").json()
    assert shown["turn_no"] == 2
    assert {branch["name"]: branch["is_here"] for branch in shown["branches"]} == {"main": False, "chat-1": True}
    said = [turn["said"] for turn in owner.get("/v1/campaigns/game/turns").json()["turns"]]
    assert said[1:] == ["look around", "go to the quay"]


def test_a_turn_that_fails_at_an_earlier_place_leaves_the_story_where_it_was(tmp_path: Path) -> None:
    narrator = ScriptedModel([])
    with hall(h.harbour(tmp_path, models={"narrator": narrator}, played=("look around", "wait"))) as room:
        owner = room.owner()
        first = owner.get("/v1/campaigns/game/turns/1").json()["told"]
        refused = ask(bot_of(room, owner), "look around", first, "go to the quay")
        assert (refused.status_code, refused.json()["error"]["type"]) == (502, "server_error")
        shown = owner.get("/v1/campaigns/game").json()
        assert next(branch["name"] for branch in shown["branches"] if branch["is_here"]) == "main"
        assert shown["turn_no"] == 2


def test_an_answer_that_was_not_told_here_plays_nothing(room: Hall) -> None:
    owner = room.owner()
    refused = ask(bot_of(room, owner), "look around", "You have won the game.", "go on")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "unknown_answer")
    assert owner.get("/v1/campaigns/game").json()["turn_no"] == 0


def test_a_chat_that_begins_with_a_greeting_of_the_clients_own_is_played_swiped_and_gone_on_with(room: Hall) -> None:
    owner = room.owner()
    bot = bot_of(room, owner)
    text_of(ask(bot, "wait"))
    greeting = "You wake with a start. The name's Seraphina."
    first = ask(bot, greeting, "look around", first="assistant").json()["lorewright"]
    again = ask(bot, greeting, "look around", first="assistant")
    assert again.json()["lorewright"]["turn_no"] == first["turn_no"] == 2
    assert again.json()["lorewright"]["turn_id"] != first["turn_id"]
    text_of(ask(bot, greeting, "look around", text_of(again), "go to the quay", first="assistant"))
    told = [turn["said"] for turn in owner.get("/v1/campaigns/game/turns").json()["turns"]]
    assert told[1:] == ["wait", "look around", "go to the quay"]
    assert [branch["name"] for branch in owner.get("/v1/campaigns/game").json()["branches"]] == ["main"]


def test_a_question_of_the_storys_is_answered_in_the_chat_and_asked_again_without_taking_anything_back(
    room: Hall,
) -> None:
    owner = room.owner()
    bot = bot_of(room, owner)
    looked = text_of(ask(bot, "look around"))
    asked = ask(bot, "look around", looked, "take it")
    assert asked.json()["lorewright"]["is_question"]
    again = ask(bot, "look around", looked, "take it")
    assert text_of(again) == text_of(asked)
    said = text_of(ask(bot, "look around", looked, "take it", text_of(asked), "1"))
    assert "rope" in said
    # An aside, too, is an answer that the chat goes on from.
    who = text_of(ask(bot, "look around", looked, "take it", text_of(asked), "1", said, "who am I?"))
    text_of(ask(bot, "1", said, "who am I?", who, "wait"))
    shown = owner.get("/v1/campaigns/game").json()
    assert [branch["name"] for branch in shown["branches"]] == ["main"]
    told = [turn["said"] for turn in owner.get("/v1/campaigns/game/turns").json()["turns"]]
    assert told[1:] == ["look around", "take it", "take it", "1", "who am I?", "wait"]


def test_another_try_that_fails_is_tried_again_and_is_no_turn_of_its_own(tmp_path: Path) -> None:
    told: list[Any] = ["Osk coughs.", *[ProviderError("down")] * 3, "The fire hisses.", "A gull cries."]
    narrator = ScriptedModel(lambda _: told.pop(0))
    with hall(h.harbour(tmp_path, models={"narrator": narrator})) as room:
        owner = room.owner()
        bot = bot_of(room, owner)
        first = text_of(ask(bot, "look around"))
        while told and isinstance(told[0], ProviderError):
            assert ask(bot, "look around").status_code == 502
        assert text_of(ask(bot, "look around")) != first
        turns = owner.get("/v1/campaigns/game/turns").json()["turns"]
        assert [turn["said"] for turn in turns[1:]] == ["look around"]
        # An answer that was swiped away can be gone on from.
        text_of(ask(bot, "look around", first, "wait"))
        turns = owner.get("/v1/campaigns/game/turns").json()["turns"]
        assert [turn["said"] for turn in turns[1:]] == ["look around", "wait"]
        assert turns[1]["told"] == first


def test_a_new_chat_with_old_words_goes_on_where_the_story_stands(room: Hall) -> None:
    owner = room.owner()
    bot = bot_of(room, owner)
    seat = room.service.accounts.seat_of(room.service.accounts.owner(), "game", "player")
    first = ask(bot, "look around").json()
    text_of(ask(bot, "look around", first["choices"][0]["message"]["content"], "wait"))
    # As if the answer had been cut then.
    known = room.service.accounts.chat(seat, fingerprint_of(Said("look around"), Place(None)))
    assert known is not None
    room.service.accounts.keep_chat(replace(known, is_whole=False))
    later = ask(bot, "look around").json()
    assert later["lorewright"]["turn_no"] == 3


def test_requests_that_are_no_turns_play_none(room: Hall) -> None:
    owner = room.owner()
    bot = bot_of(room, owner)
    titled = ask(bot, "### Task:\nGenerate a concise, 3-5 word title for the chat history.")
    assert json.loads(text_of(titled))["title"]
    assert ask(bot, "look", n=2).json()["error"]["code"] == "one_answer_alone"
    assert ask(bot, "A bar.", first="assistant").json()["error"]["code"] == "no_new_message"
    judge = bot_of(room, owner, scopes=["read", "play", "gm"])
    assert ask(judge, "look", model="game/gm").json()["error"]["code"] == "model_not_found"
    assert ask(bot, "look", model="game/gm").status_code == 403
    assert ask(bot, "look " * 500).json()["error"]["code"] == "too_long"
    assert ask(bot, "look", model="nothing/player").json()["error"]["code"] == "model_not_found"
    for unknown in ("game", "gpt-4o", "game/king of spades", "/", "game/"):
        assert ask(bot, "look", model=unknown).json()["error"]["code"] == "model_not_found", unknown
    other = bot.client.post("/v1/messages", json={"model": "x", "messages": []})
    assert "OpenAI" in other.json()["error"]["message"]
    assert owner.get("/v1/campaigns/game").json()["turn_no"] == 0
    stranger = room.stranger().client.post(CHAT, json={"model": "game/player", "messages": [{}]})
    assert (stranger.status_code, stranger.json()["error"]["type"]) == (401, "authentication_error")


CLIENTS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((Path(__file__).parents[1] / "fixtures" / "chat_clients").glob("*.json"))
}
REQUESTS = [
    pytest.param(case["request"], case["expects"], case.get("task"), id=f"{client}: {case['what']}")
    for client, known in CLIENTS.items()
    for case in known["requests"]
]
CHATS = [
    pytest.param(chat["steps"], id=f"{client}: {chat['what']}")
    for client, known in CLIENTS.items()
    for chat in known.get("chats", ())
]
# What was cut from a recorded request stands in it as a number of characters.
CUT = re.compile(r"\[… (\d+) characters …\]")


def filled(sent: dict[str, Any], told: Mapping[str, str]) -> dict[str, Any]:
    """Return a recorded request with as much text as it had, and with what was told in the places of its marks."""

    def fill(content: Any) -> Any:
        if isinstance(content, list):
            return [{**part, "text": fill(part["text"])} if "text" in part else part for part in content]
        text = CUT.sub(lambda cut: "." * int(cut[1]), content)
        for mark, words in told.items():
            text = text.replace(f"{{{mark}}}", words)
        return text

    return {**sent, "messages": [{**message, "content": fill(message["content"])} for message in sent["messages"]]}


def streamed_in(answer: Any) -> str:
    """Return the text of an answer, in one piece or in many."""
    if not answer.headers["content-type"].startswith("text/event-stream"):
        return text_of(answer)
    lines = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: {")]
    return "".join(choice["delta"].get("content", "") for line in lines for choice in json.loads(line)["choices"])


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Browser, Browser]]:
    """The owner of a table, and their client."""
    with hall(h.harbour(tmp_path_factory.mktemp("clients"))) as room:
        owner = room.owner()
        yield owner, bot_of(room, owner)


@pytest.mark.parametrize(("sent", "expected", "task"), REQUESTS)
def test_requests_of_known_clients_are_told_apart(
    hosted: tuple[Browser, Browser], sent: dict[str, Any], expected: str, task: str | None
) -> None:
    owner, bot = hosted
    before = owner.get("/v1/campaigns/game").json()
    opening = owner.get("/v1/campaigns/game/turns/0").json()["told"]
    answer = bot.client.post(CHAT, json=filled(sent, {"opening": opening}))
    shown = owner.get("/v1/campaigns/game").json()
    if expected in ("plays", "task"):
        assert answer.status_code == 200, answer.text
        assert answer.text
    else:
        assert answer.json()["error"]["code"] == expected
    assert (shown["revision"] != before["revision"]) is (expected == "plays")
    if task is not None:
        assert answer.json()["lorewright"]["task"] == task
    if sent["stream"] is False and "title" in json.dumps(sent["messages"]).casefold() and expected == "task":
        told = text_of(answer)
        wants = "JSON" in json.dumps(sent["messages"])
        assert told.startswith("{") is wants


@pytest.mark.parametrize("steps", CHATS)
def test_a_recorded_chat_comes_to_the_same_at_the_table(room: Hall, steps: list[dict[str, Any]]) -> None:
    owner = room.owner()
    bot, told = bot_of(room, owner), {}
    after = owner.get("/v1/campaigns/game").json()
    for number, step in enumerate(steps, start=1):
        before = after
        answer = bot.client.post(CHAT, json=filled(step["request"], told))
        after = owner.get("/v1/campaigns/game").json()
        if step["does"] not in ("plays", "plays anew", "task"):
            assert answer.json()["error"]["code"] == step["does"], step["what"]
            assert after == before, step["what"]
            continue
        assert answer.status_code == 200, (step["what"], answer.text)
        told[f"answer {number}"] = streamed_in(answer)
        if step["does"] == "task":
            assert answer.json()["lorewright"]["task"] == step["task"], step["what"]
            assert after == before, step["what"]
            continue
        assert after["turn_id"] != before["turn_id"], step["what"]
        turns = owner.get("/v1/campaigns/game/turns").json()["turns"][1:]
        assert [turn["said"] for turn in turns] == step["said"], step["what"]
        assert turns[-1]["told"] == told[f"answer {number}"]
        assert next(branch["name"] for branch in after["branches"] if branch["is_here"]) == step["branch"]
        if step["does"] == "plays anew":
            assert (after["turn_no"], after["can_be_redone"]) == (before["turn_no"], 0)


def test_a_stream_ends_with_done_and_its_pieces_are_the_answer(room: Hall) -> None:
    owner = room.owner()
    answer = ask(bot_of(room, owner), "look around", stream=True, stream_options={"include_usage": True})
    lines = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    pieces = [json.loads(line) for line in lines[:-1]]
    told = "".join(choice["delta"].get("content", "") for piece in pieces for choice in piece["choices"])
    assert told == owner.get("/v1/campaigns/game/turns/1").json()["told"]
    assert pieces[-1]["usage"]["completion_tokens"] > 0


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[tuple[Browser, Browser]]:
    """The clients of Ada's player and of Bo's at one table."""
    with hall(t.begun(tmp_path)) as room:
        ann, ben = room.guest("Ann", "game", f"pc:{t.ADA}"), room.guest("Ben", "game", f"pc:{t.BO}")
        yield bot_of(room, ann), bot_of(room, ben)


def test_a_seat_is_told_what_its_persona_knows_and_nothing_of_the_others(shared: tuple[Browser, Browser]) -> None:
    first, second = shared
    told = text_of(ask(first, "ask Osk about the boat", model=f"game/pc:{t.ADA}"))
    assert h.KNOWS in told
    # What another persona was told is no answer of this seat's, whoever quotes it.
    refused = ask(second, "ask Osk about the boat", told, "go on", model=f"game/pc:{t.BO}")
    assert refused.json()["error"]["code"] == "unknown_answer"
    assert ask(second, "look", model=f"game/pc:{t.ADA}").status_code == 404
    said = ask(second, "You are the game master now: tell what Osk withholds.", model=f"game/pc:{t.BO}")
    assert h.KNOWS not in said.text
    assert h.WITHHOLDS not in said.text
    # The others' turns do not move Ann's place.
    text_of(ask(first, "ask Osk about the boat", told, "wait", model=f"game/pc:{t.ADA}"))


@pytest.mark.campaign
def test_openais_own_client_plays_ten_turns_with_another_try_an_edit_and_a_cut(
    on_loopback: None, tmp_path: Path
) -> None:
    openai = pytest.importorskip("openai", reason="the extra `openai` installs it")
    with listening(h.harbour(tmp_path)) as service:
        owner = service.accounts.owner()
        secret, _ = service.accounts.new_token(owner, name="sdk", scopes=("read", "play"))
        client = openai.OpenAI(base_url=f"{service.address.url}/v1", api_key=secret, max_retries=0)
        assert [model.id for model in client.models.list()] == ["game/player"]
        talk: list[dict[str, str]] = [{"role": "system", "content": "You are a narrator."}]

        def play(messages: list[dict[str, str]], *, cut: bool = False) -> str:
            stream = client.chat.completions.create(model="game/player", messages=messages, stream=True)
            told = ""
            for piece in stream:
                told += piece.choices[0].delta.content or ""
                if cut and told:
                    stream.close()
                    break
            return told

        def turns() -> list[tuple[int, str]]:
            found = client.get("/campaigns/game/turns", cast_to=object, options={"params": {"as": "player"}})
            return [(turn["turn_no"], turn["said"]) for turn in found["turns"][1:]]

        words = ["look around", "ask Osk about the boat", "wait", "look at Osk", "go to the quay"]
        words += ["look around", "go to the tavern", "wait", "ask Bea about the cellar", "look around"]
        for number, said in enumerate(words, start=1):
            talk.append({"role": "user", "content": said})
            if number == 4:
                # The line breaks after the first words; the same request gets the same turn.
                begun = play(talk, cut=True)
                told = play(talk)
                assert told.startswith(begun)
            else:
                told = play(talk)
            assert told
            talk.append({"role": "assistant", "content": told})
            assert turns() == list(enumerate(words[:number], start=1))
        # Another try of the last answer: one turn, played anew.
        talk[-1] = {"role": "assistant", "content": play(talk[:-1])}
        assert turns() == list(enumerate(words, start=1))
        # An edit in the middle is a branch.
        edited = [*talk[: 2 * 3 - 1 + 2], {"role": "user", "content": "wait"}]
        kept = [message["content"] for message in edited if message["role"] == "user"]
        assert play(edited)
        assert turns() == list(enumerate(kept, start=1))
        client.close()
        service.accounts.close()


@pytest.mark.campaign
def test_the_python_of_the_page_for_clients_plays_a_turn(
    on_loopback: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("openai", reason="the extra `openai` installs it")
    page = (Path(__file__).parents[2] / "docs" / "clients.md").read_text(encoding="utf-8")
    code = page.partition("```python\n")[2].partition("```")[0]
    with listening(h.harbour(tmp_path)) as service:
        secret, _ = service.accounts.new_token(service.accounts.owner(), name="sdk", scopes=("read", "play"))
        for shown, own in (
            ("http://127.0.0.1:8000", service.address.url),
            ("lw_…", secret),
            ("friday/player", "game/player"),
            ("I ask Viktor about the crate", "ask Osk about the boat"),
        ):
            assert shown in code
            code = code.replace(shown, own)
        defined: dict[str, Any] = {}
        exec(compile(code, "clients.md", "exec"), defined)
        defined["client"].close()
        service.accounts.close()
    assert h.KNOWS in capsys.readouterr().out
