"""What models cost an account in a month: it is counted, and beyond its bound turns are told without a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.errors import SettingsError
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelReply, ModelRequest, OnText
from support import harbour as h
from support.table_service import Hall, hall

GAME = "/v1/campaigns/game"


class CostlyTeller(ScriptedModel):
    """A narrator each of whose answers costs a dollar."""

    def __init__(self) -> None:
        super().__init__([])

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        """Return a sentence."""
        self.requests.append(request)
        return ModelReply("The lamp smokes.", self.key, 100, 10, cost_microusd=1_000_000)


@pytest.fixture
def narrator() -> CostlyTeller:
    return CostlyTeller()


@pytest.fixture
def room(tmp_path: Path, narrator: CostlyTeller) -> Iterator[Hall]:
    with hall(h.harbour(tmp_path, models={"narrator": narrator})) as opened:
        yield opened


def test_beyond_its_budget_an_account_plays_without_a_model(room: Hall, narrator: CostlyTeller) -> None:
    owner, ben = room.owner(), room.guest("Ben", "game")
    assert ben.account is not None
    owner.submit("/admin/budget", account=ben.account.id, usd="1.5")
    assert ben.get("/v1/me").json()["most_usd"] == 1.5
    for turn, asked in ((1, 1), (2, 2), (3, 2)):
        answer = ben.say("game", "look around")
        assert answer.status_code == 200, answer.text
        assert (answer.json()["turn_no"], len(narrator.requests)) == (turn, asked)
    assert ben.get("/v1/me").json()["spent_usd"] == 2.0
    assert "budget for models is spent" in ben.get("/table/game").text


def test_what_one_account_spends_is_no_others_and_a_bound_is_taken_away(room: Hall, narrator: CostlyTeller) -> None:
    owner, ben = room.owner(), room.guest("Ben", "game")
    assert ben.account is not None
    room.service.spending.bound(ben.account, 0)
    assert owner.say("game", "look around").status_code == 200
    assert owner.get("/v1/me").json()["spent_usd"] == 1.0
    assert ben.get("/v1/me").json()["spent_usd"] == 0
    owner.submit("/admin/budget", account=ben.account.id, usd="")
    ben.say("game", "look around")
    assert len(narrator.requests) == 2


def test_a_budget_is_an_amount_and_the_owners_to_set(room: Hall) -> None:
    owner, ben = room.owner(), room.guest("Ben", "game")
    assert ben.account is not None
    for wrong in ("much", "-1", "nan", "inf"):
        assert owner.submit("/admin/budget", account=ben.account.id, usd=wrong).status_code == 422, wrong
    assert ben.submit("/admin/budget", account=ben.account.id, usd="").status_code == 403
    with pytest.raises(SettingsError):
        room.service.spending.bound(ben.account, 1e9)
    assert room.service.spending.of(ben.account).most_usd is None
