"""service.db: nothing secret in clear, links for one use, seats, tokens that end, the log; times by a clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from lorewright.errors import NotFound, SettingsError
from lorewright.service.web.accounts import TableRow
from lorewright.service.web.store import OWNER_LINK, Accounts

PASSWORD = "a word that is long enough"


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2030, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def accounts(tmp_path: Path, clock: Clock) -> Accounts:
    return Accounts(
        tmp_path / "service.db", clock=clock, hasher=PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
    )


def test_no_secret_stands_in_the_file(accounts: Accounts) -> None:
    owner = accounts.owner()
    ben = accounts.create("Ben", PASSWORD)
    cookie, session = accounts.begin_session(ben)
    token, _ = accounts.new_token(ben, name="bot", scopes=("read",))
    link, _ = accounts.new_link("seat", owner, campaign_id="game", role="player")
    accounts.close()
    held = b"".join(path.read_bytes() for path in sorted(accounts.path.parent.iterdir()) if path.is_file())
    for secret in (PASSWORD, cookie, token, link):
        assert secret.encode() not in held
    assert session.csrf.encode() in held


def test_a_link_is_used_once_and_expires(accounts: Accounts, clock: Clock) -> None:
    owner = accounts.owner()
    secret, made = accounts.new_link("owner", owner, lasts=OWNER_LINK)
    assert accounts.link(secret) == made
    assert accounts.use_owner_link(secret) == owner
    with pytest.raises(NotFound):
        accounts.use_owner_link(secret)
    late, _ = accounts.new_link("owner", owner, lasts=OWNER_LINK)
    clock.now += OWNER_LINK + timedelta(seconds=1)
    with pytest.raises(NotFound):
        accounts.use_owner_link(late)
    assert accounts.link("never made") is None


def test_sessions_and_tokens_end(accounts: Accounts, clock: Clock) -> None:
    ben = accounts.create("Ben", PASSWORD)
    cookie, _ = accounts.begin_session(ben)
    token, row = accounts.new_token(ben, name="bot", scopes=("read", "play"), days=3)
    assert accounts.session(cookie) is not None
    assert accounts.token(token) == (ben, row)
    clock.now += timedelta(days=4)
    assert accounts.token(token) is None
    assert accounts.session(cookie) is not None
    clock.now += timedelta(days=40)
    assert accounts.session(cookie) is None


def test_an_account_that_is_shut_out_is_let_in_by_nothing(accounts: Accounts) -> None:
    ben = accounts.create("Ben", PASSWORD)
    cookie, _ = accounts.begin_session(ben)
    token, _ = accounts.new_token(ben, name="bot", scopes=("read",))
    accounts.disable(ben.id, disabled=True)
    assert accounts.session(cookie) is None
    assert accounts.token(token) is None
    assert accounts.check_password("Ben", PASSWORD) is None
    accounts.disable(ben.id, disabled=False)
    assert accounts.check_password("Ben", PASSWORD) == ben
    owner = accounts.owner()
    accounts.disable(owner.id, disabled=True)
    assert not accounts.owner().is_disabled


def test_a_new_password_ends_the_sessions_of_the_old_one(accounts: Accounts) -> None:
    ben = accounts.create("Ben", PASSWORD)
    cookie, _ = accounts.begin_session(ben)
    accounts.set_password(ben.id, "another that is long enough")
    assert accounts.session(cookie) is None
    assert accounts.check_password("ben", PASSWORD) is None
    assert accounts.check_password("  BEN ", "another that is long enough") is not None
    with pytest.raises(SettingsError):
        accounts.set_password(ben.id, "short")


@pytest.mark.parametrize("name", ("Ben", " ben ", "BEN"))
def test_a_name_is_one_persons_however_it_is_written(accounts: Accounts, name: str) -> None:
    accounts.create("Ben", PASSWORD)
    with pytest.raises(SettingsError, match="taken"):
        accounts.create(name, PASSWORD)


@pytest.mark.parametrize("name", ("", " ", "x" * 41, "a\nb\x00", "\u202etxt"))
def test_a_name_that_cannot_be_read_is_refused(accounts: Accounts, name: str) -> None:
    with pytest.raises(SettingsError):
        accounts.create(name, PASSWORD)


def test_seats_are_found_by_role_and_a_game_master_looks_as_any_player(accounts: Accounts) -> None:
    ben, ann = accounts.create("Ben", PASSWORD), accounts.create("Ann", PASSWORD)
    accounts.add_seat("game", ben, "gm")
    accounts.add_seat("game", ben, "player")
    accounts.add_seat("game", ann, "pc:game:ada")
    assert accounts.seat_of(ben, "game").role == "player"
    assert accounts.seat_of(ben, "game", "pc:game:ada").viewer == "pc:game:ada"
    assert accounts.seat_of(ann, "game").viewer == "pc:game:ada"
    for role in ("gm", "player", "watcher", "pc:game:bo"):
        with pytest.raises(NotFound):
            accounts.seat_of(ann, "game", role)
    for role in ("npc:osk", "nothing", "pc:"):
        with pytest.raises(SettingsError):
            accounts.add_seat("game", ann, role)
    accounts.remove_seat("game", ann.id, "pc:game:ada")
    with pytest.raises(NotFound):
        accounts.seat_of(ann, "game")


def test_what_is_kept_of_a_campaign_goes_with_it(accounts: Accounts) -> None:
    ben = accounts.create("Ben", PASSWORD)
    accounts.add_seat("game", ben, "gm")
    accounts.keep_table(TableRow("game", "Friday", "night_boat", 3, "2030-01-01T00:00:00+00:00", ""))
    link, _ = accounts.new_link("seat", ben, campaign_id="game", role="player")
    token, _ = accounts.new_token(ben, name="bot", scopes=("read",), campaign_id="game", role="gm")
    accounts.note(ben, "invite", campaign_id="game", role="player")
    accounts.forget_table("game")
    assert accounts.tables() == []
    assert accounts.seats("game") == []
    assert accounts.link(link) is None
    assert accounts.token(token) is None
    assert [(entry.account, entry.action) for entry in accounts.audit()] == [("Ben", "invite")]


def test_ten_thousand_campaigns_are_listed_by_one_statement(accounts: Accounts) -> None:
    ben = accounts.create("Ben", PASSWORD)
    rows = [(f"game{number:05}", "x", "y", number, f"2030-01-01T{number % 24:02}", "") for number in range(10_000)]
    with accounts._open().transaction() as connection:
        connection.executemany("INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?)", rows)
    asked: list[str] = []
    accounts._open().watch(asked.append)
    assert len(accounts.tables()) == 10_000
    assert len(asked) == 1
    assert accounts.tables([]) == []
    assert ben
