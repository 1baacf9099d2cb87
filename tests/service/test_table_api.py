"""The API of tables: accounts, seats, turns that are played once, moves, events; refusals with a code and a hint."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import harbour as h
from support.table_service import Browser, Hall, hall

GAME = "/v1/campaigns/game"


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Hall]:
    with hall(h.harbour(tmp_path)) as opened:
        yield opened


def test_nobody_is_let_in_without_a_session_or_a_token(room: Hall) -> None:
    for path in ("/v1/me", "/v1/campaigns", GAME, f"{GAME}/state", f"{GAME}/events", "/v1/packs", f"{GAME}/desk"):
        answer = room.stranger().get(path)
        assert (answer.status_code, answer.json()["code"]) == (401, "not_signed_in"), path
        assert answer.headers["content-type"] == "application/problem+json"


def test_campaigns_of_the_command_line_are_the_owners(room: Hall) -> None:
    listed = room.owner().get("/v1/campaigns").json()["campaigns"]
    assert [(row["id"], row["roles"]) for row in listed] == [("game", ["player", "gm"])]


def test_games_of_the_command_line_come_to_the_owners_home(room: Hall) -> None:
    owner = room.owner()
    room.service.open_app().campaigns.new("night_boat", campaign_id="typed", seed=3)
    assert "/table/typed" in owner.get("/").text
    assert {row["id"] for row in owner.get("/v1/campaigns").json()["campaigns"]} == {"game", "typed"}


def test_only_the_owner_begins_games_whose_secrets_they_would_read(room: Hall) -> None:
    ben, owner = room.guest("Ben", "game", "watcher"), room.owner()
    assert ben.post("/v1/campaigns", {"scenario_id": "night_boat"}).json()["code"] == "access_refused"
    assert ben.submit("/begin", scenario="night_boat").status_code == 403
    assert "Begin a story" not in ben.get("/").text
    file = owner.get(f"{GAME}/export?as=gm").content
    sent = ben.client.post("/v1/import", content=file, headers={"X-CSRF-Token": ben.csrf})
    assert sent.json()["code"] == "access_refused"
    assert len(owner.get("/v1/campaigns").json()["campaigns"]) == 1


def test_a_game_is_begun_and_played(room: Hall) -> None:
    owner = room.owner()
    begun = owner.post("/v1/campaigns", {"scenario_id": "night_boat"})
    assert begun.status_code == 201
    campaign = begun.json()["id"]
    played = owner.say(campaign, "ask Osk about the boat").json()
    assert played["turn_no"] == 1
    assert h.KNOWS in played["final_text"]
    table = owner.get(f"/v1/campaigns/{campaign}").json()
    assert (table["turn_no"], table["can_play"], table["role"]) == (1, True, "player")
    assert table["suggested_actions"]
    told = owner.get(f"/v1/campaigns/{campaign}/turns").json()["turns"]
    assert [turn["turn_no"] for turn in told] == [0, 1]
    assert told[1]["said"] == "ask Osk about the boat"
    assert told[1]["told"] == played["final_text"]


def test_the_same_key_plays_once_and_answers_in_the_same_bytes(room: Hall) -> None:
    owner = room.owner()
    first = owner.say("game", "look around", key="mine")
    again = owner.say("game", "look around", key="mine")
    assert first.content == again.content
    assert owner.get(GAME).json()["turn_no"] == 1
    other = owner.say("game", "go to the quay", key="mine")
    assert (other.status_code, other.json()["code"]) == (409, "action_id_reused")


def test_a_key_of_one_account_is_nothing_to_another(room: Hall) -> None:
    owner, guest = room.owner(), room.guest("Ben", "game")
    owner.say("game", "look around", key="mine")
    guest.say("game", "look around", key="mine")
    assert owner.get(GAME).json()["turn_no"] == 2


def test_a_turn_at_another_revision_is_refused_and_nothing_is_played(room: Hall) -> None:
    owner = room.owner()
    revision = owner.get(GAME).json()["revision"]
    owner.say("game", "look around")
    late = owner.post(f"{GAME}/turns", {"text": "go to the quay", "revision": revision})
    assert (late.status_code, late.json()["code"]) == (409, "head_moved")
    assert owner.get(GAME).json()["turn_no"] == 1


def test_turns_are_taken_back_done_again_and_branched_from(room: Hall) -> None:
    owner = room.owner()
    owner.say("game", "look around")
    owner.say("game", "go to the quay")
    assert owner.post(f"{GAME}/undo", {"turns": 2}).json()["turn_no"] == 0
    assert owner.post(f"{GAME}/redo").json()["turn_no"] == 1
    branched = owner.post(f"{GAME}/branches", {"name": "other", "turn": 0}).json()
    assert {branch["name"] for branch in branched["branches"]} >= {"main", "other"}
    assert owner.post(f"{GAME}/switch", {"name": "other"}).json()["turn_no"] == 0
    assert owner.post(f"{GAME}/switch", {"name": "main"}).json()["turn_no"] == 1
    again = owner.post(f"{GAME}/retry", {"text": "wait"})
    assert again.status_code == 200
    assert owner.get(f"{GAME}/turns/1").json()["said"] == "wait"
    assert owner.post(f"{GAME}/switch", {"name": "nowhere"}).status_code == 404


def test_actions_are_played_in_place_of_words(room: Hall) -> None:
    owner = room.owner()
    action = {"type": "go", "location_id": "harbour:quay"}
    assert owner.post(f"{GAME}/turns", {"actions": [action]}).status_code == 200
    assert "Quay" in owner.get(GAME).json()["place"]
    assert owner.post(f"{GAME}/turns", {}).json()["code"] == "settings_invalid"


def test_an_invitation_gives_one_person_a_seat(room: Hall) -> None:
    made = room.owner().post(f"{GAME}/invites", {"role": "watcher"})
    assert made.status_code == 201
    path = made.json()["url"].removeprefix("http://127.0.0.1:8000")
    ann = room.stranger()
    assert "somebody who watches" in ann.get(path).text
    entered = ann.client.post(path, data={"name": "Ann", "password": "ten letters or more"})
    assert entered.url.path == "/table/game"
    assert "You watch at this table." in entered.text
    assert room.stranger().client.post(path, data={"name": "Eve", "password": "ten letters or more"}).status_code == 404
    roles = {(seat["account"], seat["role"]) for seat in room.owner().get(f"{GAME}/members").json()}
    assert ("Ann", "watcher") in roles
    assert not any(name == "Eve" for name, _ in roles)


def test_a_watcher_reads_and_does_nothing(room: Hall) -> None:
    ann = room.guest("Ann", "game", "watcher")
    assert ann.get(GAME).json()["can_play"] is False
    assert ann.say("game", "look around").json()["code"] == "access_refused"
    for move in ("undo", "redo", "retry"):
        assert ann.post(f"{GAME}/{move}").status_code == 403
    assert room.owner().get(GAME).json()["turn_no"] == 0


def test_a_player_has_no_desk(room: Hall) -> None:
    ben = room.guest("Ben", "game", "player")
    for path in ("desk", "reviews", "attempts", "stages/0", "lorebook", "stream", "invites"):
        assert ben.get(f"{GAME}/{path}").status_code == 404, path
    assert ben.post(f"{GAME}/ops", {"ops": [{"op": "advance_time", "minutes": 5}]}).status_code == 404
    assert ben.get(f"{GAME}?as=gm").status_code == 404
    assert ben.delete(GAME).status_code == 404
    assert ben.post("/v1/permissions:test", {"campaign_id": "game", "viewer": "player", "item": "x"}).status_code == 404


def test_what_may_not_be_seen_is_refused_in_the_same_bytes_as_what_is_not_there(room: Hall) -> None:
    eve, ben = room.guest("Eve"), room.guest("Ben", "game")
    assert eve.get(GAME).content == eve.get("/v1/campaigns/nothing").content
    assert eve.say("game", "hello").content == eve.say("nothing", "hello").content
    hidden = ben.get(f"{GAME}/entities/no_such_entity")
    assert hidden.status_code == 404
    assert eve.get("/v1/nothing").content == hidden.content


def test_a_game_master_changes_the_world_once(room: Hall) -> None:
    owner = room.owner()
    ops = {"ops": [{"op": "advance_time", "minutes": 5}], "note": "they dawdle"}
    assert owner.post(f"{GAME}/ops:preview", ops).status_code == 200
    assert owner.get(GAME).json()["turn_no"] == 0
    first = owner.post(f"{GAME}/ops", ops, **{"Idempotency-Key": "five"}).json()
    again = owner.post(f"{GAME}/ops", ops, **{"Idempotency-Key": "five"}).json()
    assert (first["repeated"], again["repeated"]) == (False, True)
    assert owner.get(GAME).json()["turn_no"] == 1
    refused = owner.post(f"{GAME}/ops", {"ops": [{"op": "advance_time", "minutes": "soon"}]})
    assert (refused.status_code, refused.json()["code"]) == (422, "edit_refused")


def test_a_reveal_is_seen_in_the_codex_and_at_the_desk(room: Hall) -> None:
    owner = room.owner()
    secrets = owner.get(f"{GAME}/desk").json()["secrets"]
    secret = next(row for row in secrets if h.WITHHOLDS in row["text"])
    player = owner.get(f"{GAME}/desk").json()["personas"][0]["id"]
    question = {"campaign_id": "game", "viewer": "player", "item": secret["item_id"]}
    assert owner.post("/v1/permissions:test", question).json()["allowed"] is False
    reveal = {"op": "reveal", "item_id": secret["item_id"], "to": player, "how": "told"}
    assert owner.post(f"{GAME}/ops", {"ops": [reveal]}).status_code == 200
    assert owner.post("/v1/permissions:test", question).json()["allowed"] is True
    codex = owner.get(f"{GAME}/codex").json()
    learned = [item for entry in codex["entries"] for item in entry["items"]]
    assert [(item["turn_no"], h.WITHHOLDS in item["text"]) for item in learned] == [(1, True)]


def test_a_token_does_what_its_scopes_name_and_no_more(room: Hall) -> None:
    owner = room.owner()
    made = owner.post("/v1/tokens", {"name": "bot", "scopes": ["read"], "campaign_id": "game", "role": "player"}).json()
    bot = room.stranger()
    bot.client.headers["Authorization"] = f"Bearer {made['secret']}"
    assert bot.get(GAME).json()["role"] == "player"
    assert bot.say("game", "look around").json()["code"] == "access_refused"
    for path in (f"{GAME}?as=gm", f"{GAME}/desk", "/v1/packs", "/v1/tokens"):
        assert bot.get(path).status_code in (403, 404), path
    assert bot.post("/v1/tokens", {"scopes": ["admin"]}).status_code == 403
    assert owner.delete(f"/v1/tokens/{made['id']}").status_code == 204
    assert bot.get(GAME).status_code == 401


def test_a_guests_token_is_never_more_than_the_guest(room: Hall) -> None:
    ben = room.guest("Ben", "game")
    assert ben.post("/v1/tokens", {"scopes": ["admin"]}).json()["code"] == "settings_invalid"
    assert ben.post("/v1/tokens", {"scopes": ["gm"], "campaign_id": "game", "role": "gm"}).status_code == 404
    made = ben.post("/v1/tokens", {"scopes": ["read", "gm", "lore"]}).json()
    bot = room.stranger()
    bot.client.headers["Authorization"] = f"Bearer {made['secret']}"
    assert bot.get(f"{GAME}/desk").status_code == 404
    assert bot.post("/v1/lore/query", {"text": "boat"}).json()["code"] == "access_refused"


def test_lore_is_asked_as_the_seat_sees_it(room: Hall) -> None:
    ben, owner = room.guest("Ben", "game"), room.owner()
    asked = {"text": "what does Osk know of the boat", "campaign_id": "game"}
    assert h.KNOWS not in ben.post("/v1/lore/query", asked).text
    assert h.KNOWS in owner.post("/v1/lore/query", {**asked, "as": "gm"}).text
    ben.say("game", "ask Osk about the boat")
    assert h.KNOWS in ben.post("/v1/lore/query", asked).text
    batch = ben.post("/v1/lore/batch", {"questions": [asked, {**asked, "text": "the quay"}]}).json()["answers"]
    assert len(batch) == 2
    assert ben.post("/v1/lore/explain", asked).json()["trace"]
    assert owner.post("/v1/lore/query", {"text": "boat"}).status_code == 200


def test_lore_for_a_prompt_is_marked_with_its_sources_and_holds_what_the_seat_may_see(room: Hall) -> None:
    ben = room.guest("Ben", "game")
    asked = {"campaign_id": "game", "text": "who keeps the tavern"}
    found = ben.post("/v1/lore/context", asked).json()
    assert found["sources"][0]["mark"] == "[1]"
    assert found["text"].startswith(f"[1] {found['sources'][0]['section_path']}")
    chat = [{"role": "user", "content": "hello"}, {"role": "user", "content": "who keeps the tavern"}]
    again = ben.post("/v1/lore/context", {"campaign_id": "game", "messages": chat}).json()
    assert found["sources"][0] in again["sources"]
    secret = {"campaign_id": "game", "text": f"what of the {h.WITHHOLDS}", "max_tokens": 4_000}
    assert h.WITHHOLDS not in ben.post("/v1/lore/context", secret).text
    assert h.WITHHOLDS in room.owner().post("/v1/lore/context", {**secret, "as": "gm"}).text


def test_committed_turns_that_were_missed_come_first(room: Hall) -> None:
    owner = room.owner()
    owner.say("game", "look around")
    owner.say("game", "go to the quay")
    missed = owner.events(f"{GAME}/events?after=0", "committed")
    assert [data["turn_no"] for kind, data in missed if kind == "committed"] == [1]
    resumed = owner.events(f"{GAME}/events", "committed", **{"Last-Event-ID": "1.0"})
    assert [data["turn_no"] for kind, data in resumed if kind == "committed"] == [2]
    back = owner.events(f"{GAME}/events?after=9", "moved")
    assert back[0] == ("moved", {"turn_no": 2, "revision": owner.get(GAME).json()["revision"]})


def test_an_answer_that_has_not_changed_is_not_sent_again(room: Hall) -> None:
    owner = room.owner()
    etag = owner.get(GAME).headers["etag"]
    assert owner.get(GAME, headers={"If-None-Match": etag}).status_code == 304
    owner.say("game", "look around")
    assert owner.get(GAME, headers={"If-None-Match": etag}).status_code == 200


def test_a_campaign_is_exported_and_imported_with_other_seats(room: Hall) -> None:
    owner = room.owner()
    owner.say("game", "look around")
    file = owner.get(f"{GAME}/export?as=gm")
    assert file.headers["content-type"] == "application/octet-stream"
    added = owner.client.post("/v1/import", content=file.content, headers={"X-CSRF-Token": owner.csrf})
    assert added.status_code == 201, added.text
    campaign = added.json()["id"]
    assert owner.get(f"/v1/campaigns/{campaign}").json()["turn_no"] == 1
    broken = owner.client.post("/v1/import", content=b"no such file", headers={"X-CSRF-Token": owner.csrf})
    assert broken.status_code == 422
    assert owner.delete(f"/v1/campaigns/{campaign}").status_code == 204
    assert owner.get(f"/v1/campaigns/{campaign}").status_code == 404


def test_only_a_game_master_deletes_a_campaign(room: Hall) -> None:
    ben = room.guest("Ben", "game")
    assert ben.delete(GAME).status_code == 404
    assert room.owner().delete(GAME).status_code == 204
    assert ben.get(GAME).status_code == 404
    assert room.owner().get("/v1/campaigns").json()["campaigns"] == []


def test_who_plays_too_fast_is_told_when_to_come_again(tmp_path: Path) -> None:
    from lorewright.service.web.access import RateLimit

    with hall(h.harbour(tmp_path), turns=RateLimit(60, at_once=2)) as room:
        owner = room.owner()
        answers = [owner.say("game", f"wait {number}") for number in range(4)]
        assert answers[-1].json()["code"] == "too_many_requests"
        assert int(answers[-1].headers["retry-after"]) >= 1


def test_guessing_passwords_is_slowed_and_says_nothing_of_names(room: Hall) -> None:
    room.guest("Ben")
    stranger = room.stranger()
    wrong = stranger.client.post("/v1/session", json={"name": "Ben", "password": "wrong"})
    unknown = stranger.client.post("/v1/session", json={"name": "Nobody", "password": "wrong"})
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.content == unknown.content
    answers = [stranger.client.post("/v1/session", json={"name": "Ben", "password": "x"}) for _ in range(12)]
    assert answers[-1].status_code == 429


def test_a_password_signs_in_and_out(room: Hall) -> None:
    room.guest("Ben", "game")
    ben = Browser(room.stranger().client)
    sent = {"name": "ben", "password": "a word that is long enough"}
    assert ben.client.post("/v1/session", json=sent).status_code == 204
    ben.csrf = ben.get("/v1/session").json()["csrf_token"]
    me = ben.get("/v1/me").json()
    assert (me["name"], me["seats"]) == ("Ben", [{"campaign_id": "game", "role": "player"}])
    assert ben.delete("/v1/session").status_code == 204
    assert ben.get("/v1/me").status_code == 401


def test_health_readiness_and_metrics_tell_no_names(room: Hall) -> None:
    owner = room.owner()
    owner.say("game", "look around")
    assert owner.get("/healthz").json()["status"] == "ok"
    assert owner.get("/readyz").json()["detail"]["packs"] == 1
    text = room.owner().get("/metrics", headers={"Host": "127.0.0.1:8000"}).text
    assert "access_refused" in text or "lorewright_turns_total 1.0" in text
    assert not any(word in text for word in ("game", "Osk", "owner", "look"))


def test_the_document_of_the_api_names_refusals_and_examples(room: Hall) -> None:
    document = room.stranger().get("/openapi.json").json()
    assert "/v1/campaigns/{campaign}/turns" in document["paths"]
    assert json.dumps(document).count('"examples"') >= 5
    for path, operations in document["paths"].items():
        for verb, operation in operations.items():
            assert operation.get("summary"), (verb, path)
            assert operation.get("description"), (verb, path)
            if path.startswith("/v1"):
                assert "404" in operation["responses"], (verb, path)


def test_without_the_scope_of_a_game_master_nothing_is_seen_with_their_eyes(room: Hall) -> None:
    owner, bot = room.owner(), room.stranger()
    made = owner.post("/v1/tokens", {"scopes": ["read", "play", "lore"]}).json()
    bot.client.headers["Authorization"] = f"Bearer {made['secret']}"
    room.service.accounts.remove_seat("game", room.service.accounts.owner().id, "player")
    assert bot.get(f"{GAME}?as=player").json()["code"] == "access_refused"
    room.service.accounts.add_seat("game", room.service.accounts.owner(), "player")
    for path in ("", "/state", "/turns", "/scene", "/export", "/events", "/entities"):
        assert bot.get(f"{GAME}{path}?as=gm").json()["code"] == "access_refused", path
    asked = {"text": "what does Osk know of the boat", "campaign_id": "game"}
    assert bot.post("/v1/lore/query", {**asked, "as": "gm"}).status_code == 403
    assert h.KNOWS not in bot.post("/v1/lore/query", asked).text
    assert bot.get(GAME).json()["role"] == "player"


def test_a_game_master_who_was_sent_away_does_not_come_back_and_sends_no_owner_away(room: Hall) -> None:
    gm, owner = room.guest("Gil", "game", "gm"), room.owner()
    link = gm.post(f"{GAME}/invites", {"role": "gm"}).json()["url"].removeprefix("http://127.0.0.1:8000")
    owners_id = room.service.accounts.owner().id
    assert gm.delete(f"{GAME}/members/{owners_id}?role=gm").status_code == 403
    assert gm.account is not None
    assert owner.delete(f"{GAME}/members/{gm.account.id}?role=gm").status_code == 204
    assert gm.submit(link).status_code == 404
    assert gm.get(f"{GAME}/desk").status_code == 404


def test_a_campaign_of_an_old_id_has_nothing_of_the_one_before(room: Hall) -> None:
    owner = room.owner()
    owner.post(f"{GAME}/invites", {"role": "player"})
    owner.delete(GAME)
    room.service.open_app().campaigns.new("night_boat", campaign_id="game", seed=3)
    owner.get("/")
    assert "invite" not in owner.get("/table/game/desk").text.partition("<h2>Log</h2>")[2]


def test_an_export_leaves_nothing_behind_whatever_part_is_asked_for(
    room: Hall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    for part in ("bytes=abc", "bytes=99999999999-", "bytes=0-1", ""):
        answer = room.owner().get(f"{GAME}/export", headers={"Range": part} if part else {})
        assert answer.status_code == 200, part
    assert [path for path in folder.iterdir() if path.name.startswith("lorewright-export")] == []


def test_seats_outlive_a_folder_that_is_not_there_for_a_while(room: Hall, tmp_path: Path) -> None:
    ben, owner = room.guest("Ben", "game", "watcher"), room.owner()
    folder = room.service.workspace / "campaigns"
    folder.rename(tmp_path / "elsewhere")
    folder.mkdir()
    assert "/table/game" not in owner.get("/").text
    folder.rmdir()
    (tmp_path / "elsewhere").rename(folder)
    assert "/table/game" in owner.get("/").text
    assert ben.get(GAME).json()["role"] == "watcher"
