"""Rules of turns at a table: the action ID that an account plays under, who a seat plays, whose the story is."""

from __future__ import annotations

import secrets

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.viewers import persona_of
from lorewright.errors import AccessRefused, HeadMoved
from lorewright.ids import content_hash
from lorewright.service.web.accounts import Account, Seat
from lorewright.service.web.store import Accounts
from lorewright.world.state import WorldState


def _action_id_start(account: Account) -> str:
    # One account cannot ask for the result of another's turn by guessing its key.
    return f"web-{account.id}-"


def name_action(account: Account, key: str | None) -> str:
    """Return the action ID of an account's turn, of its own key or a new one."""
    return _action_id_start(account) + (content_hash(key)[:32] if key else secrets.token_hex(16))


def played_by(seat: Seat, state: WorldState) -> str | None:
    """Return the persona that a seat plays: its own, or with None the one who is played already.

    Raises NotFound where nobody of the campaign is that persona.
    """
    if seat.role in ("gm", "player"):
        return None
    return persona_of(state, seat.viewer)


def check_move(accounts: Accounts, campaign: OpenCampaign, seat: Seat, account: Account, *, is_last: bool) -> None:
    """Refuse a move of a story that others play too, but for taking back the last turn where it is one's own: nobody
    has played since.

    Raises:
        AccessRefused: it is not this seat's to move.
    """
    if not seat.may_play:
        raise AccessRefused("you watch at this table", hint="ask its game master for a seat that plays")
    others = [other for _, other in accounts.seats(seat.campaign_id) if other.account_id != account.id]
    if seat.is_gm or (seat.role == "player" and not any(other.may_play and not other.is_gm for other in others)):
        return
    last = campaign.store.submission(campaign.store.position().turn_id).action_id
    if not (is_last and last.startswith(_action_id_start(account))):
        raise AccessRefused(
            "the story is not yours alone to move",
            hint="your own last turn you may take back while nobody has played since; else ask the game master",
        )


def check_revision(campaign: OpenCampaign, revision: int | None) -> None:
    """Refuse what was meant for another state of the table.

    Raises:
        HeadMoved: the table is at another revision.
    """
    at = campaign.store.position().revision
    if revision is not None and revision != at:
        raise HeadMoved(f"the table is at revision {at}, not {revision}", hint="load it again")
