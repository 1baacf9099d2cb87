"""Who uses the service: accounts, their seats at tables, sessions of browsers, tokens of programs, links, the audit
log; as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from lorewright.errors import AccessRefused, SettingsError
from lorewright.visibility import Viewer

# What a token may be used for. `read`: what one's seat sees; `play`: turns; `gm`: the desk; `lore`: the packs, as a
# player; `admin`: accounts and settings of the service, where its owner may that.
Scope = Literal["read", "play", "gm", "lore", "admin"]
SCOPES: tuple[Scope, ...] = ("read", "play", "gm", "lore", "admin")


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


def require_owner(account: Account) -> None:
    """Refuse to let others than the owner make campaigns: who makes one is its game master, and reads all secrets of
    its packs, which may be those of a table at which they play.

    Raises:
        AccessRefused: it is another account.
    """
    if not account.is_owner:
        raise AccessRefused("only the owner begins games here", hint="ask them for a seat at a new table")
