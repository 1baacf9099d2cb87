"""Accounts, in a file and in PostgreSQL: nothing secret in clear, links for one use, seats, tokens that end, the log;
times by a clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier

import pytest
from argon2 import PasswordHasher

from lorewright.errors import LorewrightError, NotFound, SettingsError
from lorewright.service.web.accounts import Account, ChatRequest, Seat, TableRow
from lorewright.service.web.budgets import Spending
from lorewright.service.web.store import OWNER_LINK, Accounts
from lorewright.storage.integrity import Row
from lorewright.storage.postgres.service_rows import PostgresRows
from lorewright.storage.postgres.store import PostgresStore
from lorewright.storage.service_rows import DuplicateRow, FileRows, ServiceRows, Writing
from lorewright.storage.service_tables import SERVICE_TABLES
from support.postgres_server import new_database

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


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.server)])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ServiceRows]:
    if request.param == "file":
        with closing(FileRows(tmp_path / "service.db")) as rows:
            yield rows
        return
    address = new_database(request.getfixturevalue("postgres"))
    with closing(PostgresStore(address)) as store, closing(PostgresRows(store)) as rows:
        yield rows


@pytest.fixture
def accounts(kept: ServiceRows, clock: Clock) -> Accounts:
    return Accounts(kept, clock=clock, hasher=PasswordHasher(time_cost=1, memory_cost=64, parallelism=1))


class CountedRows:
    """Rows of a service, with the queries that were asked."""

    is_away = False

    def __init__(self, kept: ServiceRows) -> None:
        self.kept = kept
        self.asked: list[str] = []

    def rows(self, sql: str, *values: object) -> list[Row]:
        self.asked.append(sql)
        return self.kept.rows(sql, *values)

    def transaction(self) -> AbstractContextManager[Writing]:
        return self.kept.transaction()

    def wait(self) -> None:
        self.kept.wait()

    def hurry(self) -> None:
        self.kept.hurry()

    def leave(self) -> None:
        self.kept.leave()

    def close(self) -> None:
        self.kept.close()


def at_once(threads: int, work: Callable[[int], object]) -> list[object]:
    """What each of several threads that begin together returned, or the error that it met."""
    together = Barrier(threads)

    def begin(number: int) -> object:
        together.wait(30)
        try:
            return work(number)
        except LorewrightError as problem:
            return problem

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(begin, range(threads)))


def test_no_secret_stands_in_the_tables(accounts: Accounts) -> None:
    owner = accounts.owner()
    ben = accounts.create("Ben", PASSWORD)
    cookie, session = accounts.begin_session(ben)
    token, _ = accounts.new_token(ben, name="bot", scopes=("read",))
    link, _ = accounts.new_link("seat", owner, campaign_id="game", role="player")
    held = "".join(str(tuple(row)) for table in SERVICE_TABLES for row in accounts.read(f"SELECT * FROM {table}"))
    if isinstance(accounts.kept, FileRows):
        accounts.close()
        files = sorted(path for path in accounts.kept.path.parent.iterdir() if path.is_file())
        held += "".join(path.read_bytes().decode("latin-1") for path in files)
    for secret in (PASSWORD, cookie, token, link):
        assert secret not in held
    assert session.csrf in held


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
    with accounts.kept.transaction() as writing:
        for row in rows:
            writing.execute("INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?)", row)
    counted = CountedRows(accounts.kept)
    found = Accounts(counted)
    assert len(found.tables()) == 10_000
    assert len(counted.asked) == 1
    assert [row.turn_no for row in found.tables(["game00025", "game00002"])] == [2, 25]
    assert found.tables([]) == []
    assert ben


def test_one_invitation_that_six_use_at_once_makes_one_account_and_one_seat(accounts: Accounts) -> None:
    owner = accounts.owner()
    for turn in range(5):
        link, _ = accounts.new_link("seat", owner, campaign_id=f"game{turn}", role="player")
        made = at_once(6, lambda number, turn=turn, link=link: accounts.create(f"P{turn}{number}", PASSWORD, link=link))
        assert sum(isinstance(account, Account) for account in made) == 1
        assert sum(isinstance(problem, NotFound) for problem in made) == 5
        assert len(accounts.seats(f"game{turn}")) == 1
    assert len(accounts.all()) == 6


def test_one_name_that_six_choose_at_once_is_given_once_and_keeps_the_others_invitations(accounts: Accounts) -> None:
    owner = accounts.owner()
    links = [accounts.new_link("seat", owner, campaign_id="game", role="player")[0] for _ in range(6)]
    made = at_once(6, lambda number: accounts.create("Ben", PASSWORD, link=links[number]))
    assert sum(isinstance(account, Account) for account in made) == 1
    assert sum(isinstance(problem, SettingsError) for problem in made) == 5
    # Of those that were refused nothing was used up.
    assert len(accounts.links("game")) == 5


def test_the_owners_link_lets_one_of_six_in_and_there_is_one_owner(accounts: Accounts) -> None:
    owners = at_once(6, lambda number: accounts.owner())
    assert len(set(owners)) == 1
    link, _ = accounts.new_link("owner", accounts.owner(), lasts=OWNER_LINK)
    entered = at_once(6, lambda number: accounts.use_owner_link(link))
    assert sum(isinstance(account, Account) for account in entered) == 1


def test_what_six_spend_at_once_is_counted_whole(accounts: Accounts) -> None:
    ben, spending = accounts.create("Ben", PASSWORD), Spending(accounts)
    at_once(6, lambda number: [spending.add(ben, 1_000) for _ in range(20)])
    assert spending.of(ben).usd == pytest.approx(0.12)
    for bound in (5.0, 0.1):
        spending.bound(ben, bound)
        assert spending.of(ben).most_usd == bound
    assert spending.of(ben).is_spent
    spending.bound(ben, None)
    assert spending.of(ben).most_usd is None


def test_texts_are_kept_as_they_are_given(accounts: Accounts, clock: Clock) -> None:
    owner, seat = accounts.owner(), Seat("game", "x", "player")
    accounts.keep_table(TableRow("game", "a\x00b \uf8ff0 Ⅷ 🜁", "night_boat", 0, "2030", ""))
    assert accounts.tables()[0].name == "a\x00b \uf8ff0 Ⅷ 🜁"
    accounts.keep_table(TableRow("game", "Friday", "night_boat", 4, "2031", "s"))
    assert accounts.tables(["game", "none"]) == [TableRow("game", "Friday", "night_boat", 4, "2031", "s")]
    for is_whole in (False, True):
        accounts.keep_chat(ChatRequest(seat, "f", "k%s?", is_whole))
        assert accounts.chat(seat, "f") == ChatRequest(seat, "f", "k%s?", is_whole)
    assert accounts.chat(seat, "g") is None
    for number in range(3):
        accounts.note(owner, "edit", campaign_id="game", number=number)
    assert [entry.detail["number"] for entry in accounts.audit(campaign_id="game", last=2)] == [2, 1]


def test_names_are_in_the_order_of_their_letters_codes(accounts: Accounts) -> None:
    for name in ("émile", "Zoe", "anna", "Ω", "a b", "a-b"):
        accounts.create(name, PASSWORD)
    assert [account.name for account in accounts.all()] == ["a b", "a-b", "anna", "Zoe", "émile", "Ω"]


def test_a_transaction_that_fails_leaves_nothing(accounts: Accounts) -> None:
    ben = accounts.create("Ben", PASSWORD)
    with pytest.raises(DuplicateRow), accounts.kept.transaction() as writing:
        writing.execute("INSERT INTO seats VALUES (?, ?, ?, ?)", ("game", ben.id, "gm", ""))
        writing.execute("INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?)", (ben.id, "x", "x", None, 0, 0, ""))
    with pytest.raises(KeyError), accounts.kept.transaction() as writing:
        writing.execute("INSERT INTO seats VALUES (?, ?, ?, ?)", ("game", ben.id, "gm", ""))
        raise KeyError
    assert accounts.seats("game") == []
