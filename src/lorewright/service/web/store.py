"""Accounts, in a file or in PostgreSQL: their seats at tables, invitations, sessions of browsers, tokens of programs.

Nothing secret is kept in clear: passwords as argon2, links, cookies and tokens as SHA-256. A campaign's own file knows
none of this, so a campaign that is exported brings nobody's account along.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Literal, cast

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from lorewright.errors import NotFound, SettingsError
from lorewright.service.web.accounts import (
    SCOPES,
    Account,
    EntryLink,
    Scope,
    Seat,
    Token,
    WebSession,
    check_role,
)
from lorewright.service.web.service_file import ServiceFile, utc_now
from lorewright.storage.integrity import Row
from lorewright.storage.service_rows import DuplicateRow, ServiceRows

# A browser that was not seen for so long has to sign in again.
_SESSION = timedelta(days=30)
# An invitation that nobody used, and the owner's link.
_INVITATION = timedelta(days=14)
OWNER_LINK = timedelta(hours=12)
_SHORTEST_PASSWORD = 10
_LONGEST_NAME = 40
_TOKEN_PREFIX = "lw_"
# A seat that is there stays.
_ADD_SEAT = "INSERT INTO seats VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"


def _hashed(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def name_key(name: str) -> str:
    """Return what two spellings of one name have in common."""
    return " ".join(name.split()).casefold()


class Accounts(ServiceFile):
    """The accounts of a service, with what they may enter by: sessions, tokens, seats, links."""

    def __init__(
        self,
        place: Path | ServiceRows,
        *,
        clock: Callable[[], datetime] = utc_now,
        hasher: PasswordHasher | None = None,
        new_id: Callable[[int], str] = secrets.token_hex,
    ) -> None:
        """`hasher` sets what a password costs to try; by default argon2's own recommendation. `new_id` makes the IDs of
        accounts, tokens and links, of so many bytes, in hex; none of them is a secret.

        Raises:
        DamagedFile, FileUnavailable, UnsafePath, SettingsError: as `open_migrated` raises them.
        """
        super().__init__(place, clock=clock)
        self._hasher = PasswordHasher() if hasher is None else hasher
        self._new_id = new_id
        # Compared with where there is no account of a name, so that both take the same time.
        self._nobody = self._hasher.hash(secrets.token_urlsafe(16))

    # Accounts.

    def owner(self) -> Account:
        """Return the owner's account; it is made on the first call."""
        row = self._row("SELECT * FROM accounts WHERE is_owner = 1")
        if row is None:
            sql, values = self._new_account("owner", None, is_owner=True)
            # Two workers may be started at once.
            self._write((f"{sql} ON CONFLICT DO NOTHING", values))
            row = self._row("SELECT * FROM accounts WHERE is_owner = 1")
        return _account(cast(Row, row))

    def _new_account(
        self, name: str, password: str | None, *, is_owner: bool = False
    ) -> tuple[str, tuple[object, ...]]:
        hashed = None if password is None else self._hasher.hash(password)
        values = (self._new_id(8), name, name_key(name), hashed, int(is_owner), 0, self._time())
        return "INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?)", values

    def create(self, name: str, password: str, *, link: str | None = None) -> Account:
        """Create an account; with the secret of an invitation also its seat, and the invitation is used up: all of it
        or nothing.

        Raises:
            SettingsError: the name is taken, or name or password will not do.
            NotFound: the invitation was used already, or it has expired.
        """
        name = " ".join(name.split())
        if not 1 <= len(name) <= _LONGEST_NAME or not name.isprintable():
            raise SettingsError(f"a name has 1 to {_LONGEST_NAME} letters", hint="choose another name")
        _check_password(password)
        statement = self._new_account(name, password)
        account_id = str(statement[1][0])
        try:
            if link is None:
                self._write(statement)
            else:
                self._use_seat(link, account_id, statement)
        except DuplicateRow:
            raise SettingsError("that name is taken", hint="choose another name") from None
        return self.account(account_id)

    def take_seat(self, link: str, account: Account) -> Account:
        """Use an invitation up and give an account the seat that it is to: both or nothing; return the account.

        Raises:
            NotFound: the invitation was used already, or it has expired.
        """
        self._use_seat(link, account.id)
        return account

    def _use_seat(self, secret: str, account_id: str, *first: tuple[str, tuple[object, ...]]) -> None:
        with self.kept.transaction() as writing:
            found = writing.execute(
                "SELECT campaign_id, role FROM links WHERE secret = ? AND kind = 'seat' AND expires_at > ?",
                (_hashed(secret), self._time()),
            ).fetchone()
            # Of several that use it at once one deletes it; where writers do not wait for each other, the others see
            # it first all the same.
            deleted = "DELETE FROM links WHERE secret = ?"
            if found is None or not writing.execute(deleted, (_hashed(secret),)).rowcount:
                raise NotFound("the link was used already, or it has expired")
            for sql, values in first:
                writing.execute(sql, values)
            writing.execute(_ADD_SEAT, (found["campaign_id"], account_id, found["role"] or "watcher", self._time()))

    def named(self, name: str) -> Account:
        """Return the account of a name.

        Raises:
            NotFound: there is none.
        """
        row = self._row("SELECT * FROM accounts WHERE name_key = ?", name_key(name))
        if row is None:
            raise NotFound("there is no account of that name")
        return _account(row)

    def account(self, account_id: str) -> Account:
        """Return an account.

        Raises:
            NotFound: there is none of that ID.
        """
        row = self._row("SELECT * FROM accounts WHERE id = ?", account_id)
        if row is None:
            raise NotFound("there is no such account")
        return _account(row)

    def all(self) -> list[Account]:
        """Return all accounts, by name."""
        return [_account(row) for row in self._rows("SELECT * FROM accounts ORDER BY name_key")]

    def set_password(self, account_id: str, password: str) -> None:
        """Set a password; browsers that were signed in have to sign in again.

        Raises:
            SettingsError: it is too short.
        """
        _check_password(password)
        self._write(
            ("UPDATE accounts SET password = ? WHERE id = ?", (self._hasher.hash(password), account_id)),
            ("DELETE FROM sessions WHERE account_id = ?", (account_id,)),
        )

    def disable(self, account_id: str, *, disabled: bool) -> None:
        """Shut an account out, or let it in again; its sessions end, its tokens are refused meanwhile."""
        self._write(
            ("UPDATE accounts SET is_disabled = ? WHERE id = ? AND is_owner = 0", (int(disabled), account_id)),
            ("DELETE FROM sessions WHERE account_id = ?", (account_id,)),
        )

    def check_password(self, name: str, password: str) -> Account | None:
        """Return the account of a name if the password is its own, else None, after the same time."""
        row = self._row("SELECT * FROM accounts WHERE name_key = ?", name_key(name))
        kept = self._nobody if row is None or row["password"] is None else row["password"]
        try:
            self._hasher.verify(kept, password)
        except (VerificationError, InvalidHashError):
            return None
        if row is None or row["password"] is None or row["is_disabled"]:
            return None
        return _account(row)

    # Browsers and programs.

    def begin_session(self, account: Account) -> tuple[str, WebSession]:
        """Sign a browser in; return the secret of its cookie, and the session."""
        secret, csrf = secrets.token_urlsafe(32), secrets.token_urlsafe(24)
        values = (_hashed(secret), account.id, csrf, self._time(), self._time(_SESSION))
        self._write(
            ("DELETE FROM sessions WHERE expires_at < ?", (self._time(),)),
            ("INSERT INTO sessions VALUES (?, ?, ?, ?, ?)", values),
        )
        return secret, WebSession(account, csrf, _hashed(secret))

    def session(self, secret: str) -> WebSession | None:
        """Return the session of a cookie, None where it has none any more."""
        row = self._row(
            "SELECT a.*, s.csrf, s.secret FROM sessions s JOIN accounts a ON a.id = s.account_id"
            " WHERE s.secret = ? AND s.expires_at > ? AND a.is_disabled = 0",
            _hashed(secret),
            self._time(),
        )
        return None if row is None else WebSession(_account(row), row["csrf"], row["secret"])

    def lives(self, account_id: str, *, session_id: str | None = None, token_id: str | None = None) -> bool:
        """Return whether an account is not shut out, and whether this session of a browser, or this token, still
        holds."""
        row = self._row(
            "SELECT 1 FROM accounts a WHERE a.id = ?1 AND a.is_disabled = 0"
            " AND (?2 IS NULL OR EXISTS (SELECT 1 FROM sessions s WHERE s.secret = ?2 AND s.account_id = a.id"
            " AND s.expires_at > ?4))"
            " AND (?3 IS NULL OR EXISTS (SELECT 1 FROM tokens t WHERE t.id = ?3 AND t.account_id = a.id"
            " AND (t.expires_at IS NULL OR t.expires_at > ?4)))",
            account_id,
            session_id,
            token_id,
            self._time(),
        )
        return row is not None

    def end_session(self, secret: str) -> None:
        """Sign a browser out."""
        self._write(("DELETE FROM sessions WHERE secret = ?", (_hashed(secret),)))

    def new_token(
        self,
        account: Account,
        *,
        name: str,
        scopes: Sequence[Scope],
        campaign_id: str | None = None,
        role: str | None = None,
        days: int | None = None,
    ) -> tuple[str, Token]:
        """Return a new token: the secret, which is told once, and its row.

        Raises:
            SettingsError: it would have no scope, or a role without a table, or more than the account has.
        """
        if not scopes or any(scope not in SCOPES for scope in scopes):
            raise SettingsError("a token needs scopes", hint=f"one or more of {', '.join(SCOPES)}")
        if "admin" in scopes and not account.is_owner:
            raise SettingsError("only the owner's tokens may have the scope admin", hint="leave admin out")
        if role is not None and campaign_id is None:
            raise SettingsError("a role is at a table", hint="name the campaign too")
        if campaign_id is not None:
            self.seat_of(account, campaign_id, role)
        secret = _TOKEN_PREFIX + secrets.token_urlsafe(32)
        token_id, until = self._new_id(6), None if days is None else self._time(timedelta(days=days))
        kept = json.dumps(list(dict.fromkeys(scopes)))
        shown = " ".join(name.split())[:_LONGEST_NAME] or "token"
        values = (token_id, _hashed(secret), account.id, shown, kept, campaign_id, role, self._time(), until)
        self._write(("INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values))
        return secret, self.tokens(account, token_id)[0]

    def token(self, secret: str) -> tuple[Account, Token] | None:
        """Return the account and the row of a token, None where there is none, or not any more."""
        row = self._row(
            "SELECT * FROM tokens WHERE secret = ? AND (expires_at IS NULL OR expires_at > ?)",
            _hashed(secret),
            self._time(),
        )
        if row is None:
            return None
        account = self.account(row["account_id"])
        return None if account.is_disabled else (account, _token(row))

    def tokens(self, account: Account, token_id: str | None = None) -> list[Token]:
        """Return an account's tokens, the oldest first; with an ID that one."""
        rows = self._rows(
            "SELECT * FROM tokens WHERE account_id = ? AND (? IS NULL OR id = ?) ORDER BY created_at, id",
            account.id,
            token_id,
            token_id,
        )
        return [_token(row) for row in rows]

    def revoke_token(self, account: Account, token_id: str) -> None:
        """Delete one of an account's tokens.

        Raises:
            NotFound: it has none of that ID.
        """
        if not self._write(("DELETE FROM tokens WHERE id = ? AND account_id = ?", (token_id, account.id))):
            raise NotFound("there is no such token")

    # Seats and links.

    def seats(self, campaign_id: str) -> list[tuple[Account, Seat]]:
        """Return who sits at a table, by name and role."""
        rows = self._rows(
            "SELECT a.*, s.role, s.campaign_id FROM seats s JOIN accounts a ON a.id = s.account_id"
            " WHERE s.campaign_id = ? ORDER BY a.name_key, s.role",
            campaign_id,
        )
        return [(_account(row), Seat(row["campaign_id"], row["id"], row["role"])) for row in rows]

    def seated(self) -> frozenset[str]:
        """Return the campaigns at which anybody has a seat."""
        return frozenset(row["campaign_id"] for row in self._rows("SELECT DISTINCT campaign_id FROM seats"))

    def seats_of(self, account: Account) -> list[Seat]:
        """Return the seats of an account, those that play first."""
        rows = self._rows("SELECT * FROM seats WHERE account_id = ? ORDER BY campaign_id", account.id)
        return sorted((_seat(row) for row in rows), key=lambda seat: (seat.campaign_id, seat.is_gm, seat.role))

    def seat_of(self, account: Account, campaign_id: str, role: str | None = None) -> Seat:
        """Return an account's seat at a table: of that role, else the one that it plays from. A game master may look
        with the eyes of `player` and of any persona.

        Raises:
            NotFound: it has none; nor can it be told whether there is such a table.
        """
        own = [seat for seat in self.seats_of(account) if seat.campaign_id == campaign_id]
        for seat in own:
            if role in (None, seat.role):
                return seat
        if own and role is not None and any(seat.is_gm for seat in own) and role != "gm":
            return Seat(campaign_id, account.id, check_role(role))
        raise NotFound("there is no such table, or you have no seat at it")

    def add_seat(self, campaign_id: str, account: Account, role: str) -> Seat:
        """Give an account a seat at a table; one that it has stays.

        Raises:
            SettingsError: there is no such role.
        """
        values = (campaign_id, account.id, check_role(role), self._time())
        self._write((_ADD_SEAT, values))
        return Seat(campaign_id, account.id, role)

    def remove_seat(self, campaign_id: str, account_id: str, role: str) -> None:
        """Take a seat away.

        Raises:
            NotFound: there is no such seat.
        """
        gone = "DELETE FROM seats WHERE campaign_id = ? AND account_id = ? AND role = ?"
        if not self._write((gone, (campaign_id, account_id, role))):
            raise NotFound("there is no such seat")
        if role == "gm":
            # They could let themselves in again.
            self._write(("DELETE FROM links WHERE campaign_id = ? AND made_by = ?", (campaign_id, account_id)))

    def new_link(
        self,
        kind: Literal["seat", "owner"],
        made_by: Account,
        *,
        campaign_id: str | None = None,
        role: str | None = None,
        lasts: timedelta = _INVITATION,
    ) -> tuple[str, EntryLink]:
        """Return a link's secret, which is told once, and the link."""
        secret, link_id = secrets.token_urlsafe(24), self._new_id(6)
        role = None if role is None else check_role(role)
        until = self._time(lasts)
        values = (link_id, _hashed(secret), kind, campaign_id, role, made_by.id, self._time(), until)
        self._write(
            ("DELETE FROM links WHERE expires_at < ?", (self._time(),)),
            ("INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values),
        )
        return secret, EntryLink(link_id, kind, campaign_id, role, made_by.id, until)

    def link(self, secret: str) -> EntryLink | None:
        """Return the link of a secret, None where it was used or has expired; it stays."""
        row = self._row("SELECT * FROM links WHERE secret = ? AND expires_at > ?", _hashed(secret), self._time())
        return None if row is None else _link(row)

    def use_owner_link(self, secret: str) -> Account:
        """Return the owner's account and delete the link that lets them in: of several that use it at once one gets in.

        Raises:
            NotFound: it was used already, or it has expired.
        """
        found = self.link(secret)
        if found is None or not self._write(
            ("DELETE FROM links WHERE secret = ? AND kind = 'owner'", (_hashed(secret),))
        ):
            raise NotFound("the link was used already, or it has expired")
        return self.owner()

    def links(self, campaign_id: str) -> list[EntryLink]:
        """Return the invitations to a table that nobody has used, the oldest first."""
        rows = self._rows("SELECT * FROM links WHERE campaign_id = ? ORDER BY created_at, id", campaign_id)
        return [_link(row) for row in rows]

    def revoke_link(self, campaign_id: str, link_id: str) -> None:
        """Delete an invitation to a table.

        Raises:
            NotFound: there is none of that ID.
        """
        if not self._write(("DELETE FROM links WHERE id = ? AND campaign_id = ?", (link_id, campaign_id))):
            raise NotFound("there is no such invitation")


def _check_password(password: str) -> None:
    if len(password) < _SHORTEST_PASSWORD or len(password) > 1_000:
        raise SettingsError(
            f"a password has at least {_SHORTEST_PASSWORD} characters", hint="a few words that you can remember do well"
        )


def _account(row: Row) -> Account:
    return Account(
        row["id"],
        row["name"],
        bool(row["is_owner"]),
        row["password"] is not None,
        bool(row["is_disabled"]),
        row["created_at"],
    )


def _seat(row: Row) -> Seat:
    return Seat(row["campaign_id"], row["account_id"], row["role"])


def _token(row: Row) -> Token:
    return Token(
        row["id"],
        row["account_id"],
        row["name"],
        tuple(json.loads(row["scopes"])),
        row["campaign_id"],
        row["role"],
        row["created_at"],
        row["expires_at"],
    )


def _link(row: Row) -> EntryLink:
    return EntryLink(row["id"], row["kind"], row["campaign_id"], row["role"], row["made_by"], row["expires_at"])
