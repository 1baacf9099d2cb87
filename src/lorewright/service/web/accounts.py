"""Who uses the service: accounts, their seats at tables, sessions of browsers, tokens of programs, links, the audit
log; as values, and the tables of service.db that hold them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from lorewright.errors import SettingsError
from lorewright.storage.tables import Migration
from lorewright.visibility import Viewer

# What a token may be used for. `read`: what one's seat sees; `play`: turns; `gm`: the desk; `lore`: the packs, as a
# player; `admin`: accounts and settings of the service, where its owner may that.
Scope = Literal["read", "play", "gm", "lore", "admin"]
SCOPES: tuple[Scope, ...] = ("read", "play", "gm", "lore", "admin")


MIGRATIONS = (
    Migration(
        "service_001_accounts",
        (
            """CREATE TABLE accounts (
                id TEXT PRIMARY KEY, name TEXT NOT NULL, name_key TEXT NOT NULL, password TEXT,
                is_owner INTEGER NOT NULL, is_disabled INTEGER NOT NULL, created_at TEXT NOT NULL, UNIQUE (name_key)
            )""",
            """CREATE TABLE sessions (
                secret TEXT PRIMARY KEY, account_id TEXT NOT NULL, csrf TEXT NOT NULL, created_at TEXT NOT NULL,
                expires_at TEXT NOT NULL
            )""",
            """CREATE TABLE tokens (
                id TEXT PRIMARY KEY, secret TEXT NOT NULL, account_id TEXT NOT NULL, name TEXT NOT NULL,
                scopes TEXT NOT NULL, campaign_id TEXT, role TEXT, created_at TEXT NOT NULL, expires_at TEXT,
                UNIQUE (secret)
            )""",
            """CREATE TABLE seats (
                campaign_id TEXT NOT NULL, account_id TEXT NOT NULL, role TEXT NOT NULL, created_at TEXT NOT NULL,
                PRIMARY KEY (campaign_id, account_id, role)
            )""",
            """CREATE TABLE links (
                id TEXT PRIMARY KEY, secret TEXT NOT NULL, kind TEXT NOT NULL, campaign_id TEXT, role TEXT,
                made_by TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL, UNIQUE (secret)
            )""",
            """CREATE TABLE tables (
                campaign_id TEXT PRIMARY KEY, name TEXT NOT NULL, scenario_id TEXT NOT NULL, turn_no INTEGER NOT NULL,
                played_at TEXT NOT NULL, stamp TEXT NOT NULL
            )""",
            """CREATE TABLE audit (
                id INTEGER PRIMARY KEY, at TEXT NOT NULL, account_id TEXT NOT NULL, campaign_id TEXT,
                action TEXT NOT NULL, detail TEXT NOT NULL
            )""",
            "CREATE INDEX idx_seats_account ON seats (account_id)",
            "CREATE INDEX idx_sessions_account ON sessions (account_id)",
            "CREATE INDEX idx_tokens_account ON tokens (account_id)",
        ),
    ),
    Migration(
        "service_002_chats",
        (
            # What a chat asked for last at a place, and whether its answer came to its end: asked again, an answer that
            # was cut is given again, and one that was whole is played anew.
            """CREATE TABLE chats (
                campaign_id TEXT NOT NULL, account_id TEXT NOT NULL, role TEXT NOT NULL, fingerprint TEXT NOT NULL,
                key TEXT NOT NULL, is_whole INTEGER NOT NULL, at TEXT NOT NULL,
                PRIMARY KEY (campaign_id, account_id, role, fingerprint)
            )""",
        ),
    ),
    Migration(
        "service_003_jobs",
        (
            """CREATE TABLE jobs (
                id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, account_id TEXT NOT NULL,
                state TEXT NOT NULL, told TEXT NOT NULL, done INTEGER NOT NULL, total INTEGER NOT NULL, result TEXT,
                problem TEXT NOT NULL, created_at TEXT NOT NULL
            )""",
        ),
    ),
    Migration(
        "service_004_budgets",
        (
            # What models may cost for an account in a month, in dollars, and what they did, in millionths of one.
            "CREATE TABLE budgets (account_id TEXT PRIMARY KEY, usd_a_month REAL NOT NULL)",
            """CREATE TABLE spending (
                account_id TEXT NOT NULL, month TEXT NOT NULL, microusd INTEGER NOT NULL,
                PRIMARY KEY (account_id, month)
            )""",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who uses the service. The owner may do all that `serve` was started for."""

    id: str
    name: str
    is_owner: bool
    has_password: bool
    is_disabled: bool
    created_at: str


@dataclass(frozen=True, slots=True)
class Seat:
    """What an account is at a table: `gm`, `player` (the persona played next), `pc:ID`, or `watcher`, who sees what
    every persona could see in the open and does nothing."""

    campaign_id: str
    account_id: str
    role: str

    @property
    def viewer(self) -> str:
        """The viewer that the seat sees with."""
        return self.role

    @property
    def is_gm(self) -> bool:
        """True for the game master's seat."""
        return self.role == "gm"

    @property
    def may_play(self) -> bool:
        """True for seats that play turns."""
        return self.role != "watcher"


@dataclass(frozen=True, slots=True)
class WebSession:
    """A browser that is signed in: its account, the secret that its forms carry, and the session's ID, which is no
    secret."""

    account: Account
    csrf: str
    id: str


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a program, without its secret. It may do what its scopes name, at `campaign_id` alone where it has
    one, and there as `role` where it has one; never more than its account."""

    id: str
    account_id: str
    name: str
    scopes: tuple[Scope, ...]
    campaign_id: str | None
    role: str | None
    created_at: str
    expires_at: str | None


@dataclass(frozen=True, slots=True)
class EntryLink:
    """A link that lets somebody in once: to a seat at a table (`seat`), or as the owner (`owner`)."""

    id: str
    kind: Literal["seat", "owner"]
    campaign_id: str | None
    role: str | None
    made_by: str
    expires_at: str


@dataclass(frozen=True, slots=True)
class TableRow:
    """A campaign in the index of campaigns, as it was when it was looked at last."""

    campaign_id: str
    name: str
    scenario_id: str
    turn_no: int
    played_at: str
    stamp: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What a seat's chat asked for at a place: the key of its turn, and whether the answer came to its end."""

    seat: Seat
    fingerprint: str
    key: str
    is_whole: bool


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """A reveal, an edit, an invitation or the like: who did it, and when."""

    at: str
    account: str
    campaign_id: str | None
    action: str
    detail: dict[str, Any]


def check_role(role: str) -> str:
    """Return a seat's role.

    Raises:
        SettingsError: there is no such role.
    """
    if Viewer(role).kind == "npc":
        raise SettingsError(f"{role} is no seat", hint="gm, player, watcher or pc:ID")
    return role
