"""The typed client behaves as the library does: one set of behaviours, over the library in process and over HTTP."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

from lorewright.bootstrap import App
from lorewright.errors import (
    ActionIdReused,
    CampaignError,
    EditRefused,
    HeadMoved,
    NotFound,
    SettingsError,
    TurnUndone,
)
from lorewright.service.play_tools import Move, PlayTools
from lorewright.service.queries import EditDone, EditPreview, EntityFound, LoreFound, Queries, TurnPlayed
from lorewright.service.web.accounts import SCOPES, Seat
from lorewright.service.web.client import LorewrightClient
from lorewright.service.web.shapes import Codex, LoreQuestion, TurnShown
from lorewright.service.web.table import show_codex, show_turns
from lorewright.service.write_tools import WriteTools
from lorewright.turn.checks.tools import StateSeen
from lorewright.visibility import Viewer
from support import harbour as h
from support.table_service import URL, hall

PLAYER = "game:player"
FIVE = {"op": "advance_time", "minutes": 5}


class Way(Protocol):
    """A way to use a campaign `game`, as its player or with the eyes of its game master."""

    def play(self, text: str, *, key: str | None = None) -> TurnPlayed: ...
    def move(self, move: Move, *, name: str | None = None, turn: int | None = None, turns: int = 1) -> int: ...
    def branches(self) -> set[str]: ...
    def turns(self) -> Sequence[TurnShown]: ...
    def codex(self) -> Codex: ...
    def state(self, viewer: str) -> StateSeen: ...
    def lore(self, text: str, viewer: str) -> LoreFound: ...
    def entity(self, entity_id: str, viewer: str) -> EntityFound: ...
    def preview(self, ops: list[dict[str, Any]]) -> EditPreview: ...
    def apply(self, ops: list[dict[str, Any]], *, key: str | None = None, revision: int | None = None) -> EditDone: ...


class InProcess:
    """The library."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._play = PlayTools(self._queries("player"))
        self._write = WriteTools(self._queries("gm"))

    def _queries(self, viewer: str) -> Queries:
        return Queries(self._app, Viewer(viewer), "game")

    def play(self, text: str, *, key: str | None = None) -> TurnPlayed:
        return self._play.turn(text, action_id=key)

    def move(self, move: Move, *, name: str | None = None, turn: int | None = None, turns: int = 1) -> int:
        return self._play.move(move, name=name, turn=turn, turns=turns).turn_no

    def branches(self) -> set[str]:
        return {branch.name for branch in self._play.move("branches").branches}

    def turns(self) -> Sequence[TurnShown]:
        with self._app.campaigns.open("game") as campaign:
            return show_turns(campaign, Seat("game", "", "player")).turns

    def codex(self) -> Codex:
        with self._app.campaigns.open("game") as campaign:
            return show_codex(campaign, Seat("game", "", "player"))

    def state(self, viewer: str) -> StateSeen:
        return self._queries(viewer).state()

    def lore(self, text: str, viewer: str) -> LoreFound:
        return self._queries(viewer).lore(text, corpus="authored")

    def entity(self, entity_id: str, viewer: str) -> EntityFound:
        return self._queries(viewer).entity(entity_id)

    def preview(self, ops: list[dict[str, Any]]) -> EditPreview:
        return self._write.preview(ops)

    def apply(self, ops: list[dict[str, Any]], *, key: str | None = None, revision: int | None = None) -> EditDone:
        return self._write.apply(ops, call_id=key, revision=revision)


class OverHttp:
    """The client."""

    def __init__(self, client: LorewrightClient) -> None:
        self.client = client

    def play(self, text: str, *, key: str | None = None) -> TurnPlayed:
        return self.client.play("game", text, key=key)

    def move(self, move: Move, *, name: str | None = None, turn: int | None = None, turns: int = 1) -> int:
        match move:
            case "undo":
                table = self.client.undo("game", turns=turns)
            case "redo":
                table = self.client.redo("game")
            case "branch":
                table = self.client.branch("game", name or "", turn=turn or 0)
            case _:
                table = self.client.switch("game", name or "")
        return table.turn_no

    def branches(self) -> set[str]:
        return {branch.name for branch in self.client.table("game").branches}

    def turns(self) -> Sequence[TurnShown]:
        return self.client.turns("game").turns

    def codex(self) -> Codex:
        return self.client.codex("game")

    def state(self, viewer: str) -> StateSeen:
        return self.client.state("game", role=viewer)

    def lore(self, text: str, viewer: str) -> LoreFound:
        return self.client.query(LoreQuestion(text=text, campaign_id="game", seat=viewer))

    def entity(self, entity_id: str, viewer: str) -> EntityFound:
        return self.client.entity("game", entity_id, role=viewer)

    def preview(self, ops: list[dict[str, Any]]) -> EditPreview:
        return self.client.preview_ops("game", ops)

    def apply(self, ops: list[dict[str, Any]], *, key: str | None = None, revision: int | None = None) -> EditDone:
        return self.client.apply_ops("game", ops, key=key, revision=revision)


@contextmanager
def opened(way: str, folder: Path) -> Iterator[Way]:
    """Yield a way to use a new game."""
    app = h.harbour(folder)
    if way == "library":
        yield InProcess(app)
        return
    with hall(app) as room:
        accounts = room.service.accounts
        secret, _ = accounts.new_token(accounts.owner(), name="bot", scopes=SCOPES)
        yield OverHttp(LorewrightClient(URL, secret, http=room.stranger().client))


@pytest.fixture(params=["library", "client"])
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Way]:
    with opened(request.param, tmp_path) as found:
        yield found


def test_a_turn_is_played_and_read_again(game: Way) -> None:
    played = game.play("ask Osk about the boat")
    assert played.turn_no == 1
    assert h.KNOWS in played.final_text
    story = game.turns()
    assert [turn.turn_no for turn in story] == [0, 1]
    assert (story[1].said, story[1].told) == ("ask Osk about the boat", played.final_text)


def test_the_same_key_gives_the_same_result_and_plays_nothing(game: Way) -> None:
    first = game.play("look around", key="mine")
    assert game.play("look around", key="mine") == first
    assert game.state("player").turn_no == 1


def test_the_same_key_with_other_words_is_refused(game: Way) -> None:
    game.play("look around", key="mine")
    with pytest.raises(ActionIdReused):
        game.play("go to the quay", key="mine")
    assert game.state("player").turn_no == 1


def test_the_key_of_a_turn_that_was_taken_back_plays_nothing(game: Way) -> None:
    game.play("look around", key="mine")
    game.move("undo")
    with pytest.raises(TurnUndone):
        game.play("look around", key="mine")


def test_turns_are_taken_back_and_done_again(game: Way) -> None:
    game.play("look around")
    game.play("go to the quay")
    assert game.move("undo", turns=2) == 0
    assert game.move("redo") == 1
    assert game.state("player").turn_no == 1


def test_a_branch_goes_on_from_an_earlier_turn(game: Way) -> None:
    game.play("look around")
    game.move("branch", name="other", turn=0)
    assert game.branches() >= {"main", "other"}
    assert game.move("switch", name="other") == 0
    assert game.move("switch", name="main") == 1


def test_nothing_to_play_is_refused(game: Way) -> None:
    with pytest.raises(SettingsError):
        game.play("  ")


def test_moves_that_lead_nowhere_are_refused(game: Way) -> None:
    with pytest.raises(NotFound):
        game.move("switch", name="nowhere")
    with pytest.raises(CampaignError):
        game.move("redo")


def test_the_codex_has_what_was_revealed_and_nothing_before(game: Way) -> None:
    assert game.codex().entries == ()
    reveal = {"op": "reveal", "item_id": "harbour:osk:withholds#debt", "to": PLAYER, "how": "told"}
    game.apply([reveal])
    learned = [item for entry in game.codex().entries for item in entry.items]
    assert [(item.turn_no, item.how) for item in learned] == [(1, "told")]
    assert h.WITHHOLDS in learned[0].text


def test_lore_is_found_as_far_as_the_viewer_may_see_it(game: Way) -> None:
    def words(viewer: str) -> str:
        return " ".join(chunk.text for chunk in game.lore("passage marmoset harbour master", viewer).chunks)

    assert h.WITHHOLDS in words("gm")
    assert h.WITHHOLDS not in words("player")


def test_an_entity_is_read_as_far_as_the_viewer_may_see_it(game: Way) -> None:
    assert any(h.WITHHOLDS in chunk.text for chunk in game.entity("osk", "gm").chunks)
    assert not any(h.WITHHOLDS in chunk.text for chunk in game.entity("osk", "player").chunks)
    with pytest.raises(NotFound):
        game.entity("nobody_at_all", "player")


def test_the_whole_state_is_the_game_masters(game: Way) -> None:
    assert game.state("player").world is None
    assert game.state("player").place == game.state("gm").place


def test_ops_are_previewed_and_done_once(game: Way) -> None:
    assert game.preview([FIVE]).state_diff
    assert game.state("player").turn_no == 0
    first, again = game.apply([FIVE], key="five"), game.apply([FIVE], key="five")
    assert (first.turn_no, first.repeated) == (1, False)
    assert (again.turn_id, again.repeated) == (first.turn_id, True)


def test_ops_that_do_not_fit_change_nothing(game: Way) -> None:
    with pytest.raises(EditRefused, match="nothing was changed"):
        game.apply([FIVE, {"op": "advance_time", "minutes": "soon"}])
    assert game.state("player").turn_no == 0


def test_ops_for_another_revision_are_refused(game: Way) -> None:
    revision = game.apply([FIVE]).revision
    game.play("look around")
    with pytest.raises(HeadMoved):
        game.apply([FIVE], revision=revision)


def test_both_ways_tell_the_same_story(tmp_path: Path) -> None:
    stories = []
    for way in ("library", "client"):
        with opened(way, tmp_path / way) as game:
            game.play("ask Osk about the boat")
            game.play("go to the quay")
            stories.append([(turn.said, turn.told, turn.citations) for turn in game.turns()])
    assert stories[0] == stories[1]


@pytest.mark.campaign
def test_a_client_needs_no_web_server() -> None:
    code = (
        "import sys\nfrom lorewright.service.web.client import LorewrightClient\n"
        "print([name for name in ('fastapi', 'starlette', 'uvicorn', 'argon2') if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
