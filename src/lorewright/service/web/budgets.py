"""What models may cost for an account in a month, and what they did: beyond it the account's turns are played without
a model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.errors import SettingsError
from lorewright.service.web.accounts import Account
from lorewright.service.web.service_file import ServiceFile
from lorewright.storage.model_rows import last_attempt, usage_of_turn, usage_since

_MOST_USD = 100_000.0
_ADD = """INSERT INTO spending VALUES (?1, ?2, ?3)
    ON CONFLICT (account_id, month) DO UPDATE SET microusd = spending.microusd + excluded.microusd"""
_BOUND = """INSERT INTO budgets VALUES (?, ?)
    ON CONFLICT (account_id) DO UPDATE SET usd_a_month = excluded.usd_a_month"""


@dataclass(frozen=True, slots=True)
class MonthSpent:
    """What an account has spent on models this month (UTC), and may spend, in dollars; None has no bound."""

    usd: float
    most_usd: float | None

    @property
    def is_spent(self) -> bool:
        """True where the account's turns are played without a model until the month ends."""
        return self.most_usd is not None and self.usd >= self.most_usd


class Spending:
    """The budgets of accounts, where the accounts are."""

    def __init__(self, file: ServiceFile) -> None:
        self._file = file

    def of(self, account: Account) -> MonthSpent:
        """Return what an account has spent this month, and may."""
        row = self._file.read(
            "SELECT (SELECT microusd FROM spending WHERE account_id = ?1 AND month = ?2) AS spent,"
            " (SELECT usd_a_month FROM budgets WHERE account_id = ?1) AS most",
            account.id,
            self._month(),
        )[0]
        return MonthSpent((row["spent"] or 0) / 1_000_000, row["most"])

    def bound(self, account: Account, usd: float | None) -> None:
        """Set what an account may spend in a month; None takes the bound away.

        Raises:
            SettingsError: it is no amount.
        """
        if usd is None:
            self._file.write(("DELETE FROM budgets WHERE account_id = ?", (account.id,)))
            return
        if not 0 <= usd <= _MOST_USD:
            raise SettingsError("a budget is an amount in dollars", hint=f"0 to {_MOST_USD:,.0f}, or nothing")
        self._file.write((_BOUND, (account.id, usd)))

    @contextmanager
    def counting(self, campaign: OpenCampaign, account: Account) -> Iterator[None]:
        """Count what models cost within the block, in which one turn is played or tried, also where it fails."""
        if not campaign.asks_models:
            yield
            return
        store = campaign.store
        before, attempt = store.position().turn_id, last_attempt(store.database)
        try:
            yield
        finally:
            after = store.position().turn_id
            cost = usage_since(store.database, attempt).cost_microusd
            cost += usage_of_turn(store.database, after).cost_microusd if after != before else 0
            if cost:
                self.add(account, cost)

    def add(self, account: Account, microusd: int) -> None:
        """Add to what an account has spent this month, in millionths of a dollar."""
        self._file.write((_ADD, (account.id, self._month(), microusd)))

    def _month(self) -> str:
        return self._file.now()[:7]
