"""The parts of a running service, and the operations that the API and the pages share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from lorewright.bootstrap import App
from lorewright.campaigns.estimate import require_agreement
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.sessions import sit_down
from lorewright.errors import AccessRefused, LorewrightError, NotFound, SettingsError, TooManyRequests
from lorewright.index.artifacts.lore_store import LoreStore
from lorewright.llm.gateway import Budget
from lorewright.service.play_tools import MOST_UNDONE, Move, move_head
from lorewright.service.queries import TurnPlayed
from lorewright.service.web.access import Caller, Limit, SignInLimit, rate_limit
from lorewright.service.web.accounts import Account, Seat, TableRow, require_owner
from lorewright.service.web.budgets import Spending
from lorewright.service.web.engine import Engine, Tables, in_engine
from lorewright.service.web.events import Hub, TableEvent, TurnEvents, name_seat
from lorewright.service.web.jobs import JobQueue
from lorewright.service.web.metrics import ServiceMetrics
from lorewright.service.web.service_file import stamp_of
from lorewright.service.web.shapes import CampaignSummary, ScenarioShown, TableShown
from lorewright.service.web.store import Accounts
from lorewright.service.web.table import show_table
from lorewright.service.web.turn_rules import check_move, check_revision, name_action, played_by
from lorewright.settings import TURNS_A_MINUTE
from lorewright.storage.postgres.channel import Channel
from lorewright.storage.postgres.limits import SharedLimits
from lorewright.storage.service_rows import ServiceRows
from lorewright.values.records import CampaignRow

T = TypeVar("T")

# It moves the head of a story, and returns what moves it back.
GoTo = Callable[[OpenCampaign], Callable[[], object]]

# A minute's requests of one account that are no turns, and how many of them may come at once.
_REQUESTS = (1_200, 300)
# A password costs 64 MiB and some 50 ms to try or to set: so many at a time, and so many may wait.
_HASHED_AT_ONCE = 2
_MOST_WAITING = 32


@dataclass(frozen=True, slots=True)
class ServiceAddress:
    """How the service is reached: its URL without a path, and whether only this machine can."""

    url: str
    is_local: bool

    @property
    def is_secure(self) -> bool:
        """True where cookies may be kept to encrypted connections."""
        return self.url.startswith("https://")


def make_limits(rows: ServiceRows | None = None, *, turns_a_minute: float = TURNS_A_MINUTE) -> dict[str, Any]:
    """Return the limits of a service, by name: of this process, or with `rows` over all workers of one database."""
    shared = None if rows is None else SharedLimits(rows)
    return {
        "turns": rate_limit("turns", turns_a_minute, at_once=max(1, turns_a_minute / 3), shared=shared),
        "requests": rate_limit("requests", _REQUESTS[0], at_once=_REQUESTS[1], shared=shared),
        "sign_ins": SignInLimit(shared=shared),
    }


@dataclass(slots=True)
class Service:
    """A running service."""

    engine: Engine
    accounts: Accounts
    address: ServiceAddress
    workspace: Path
    open_app: Callable[[], App]
    jobs: JobQueue
    # As `make_limits` returns them.
    turns: Limit
    requests: Limit
    sign_ins: SignInLimit
    spending: Spending = field(init=False)
    # The models that are asked for chats with lore, and what they may cost until the service stops.
    lore_models: tuple[str, ...] = ()
    lore_budget: Budget | None = None
    # Where packs come from that are not installed, if anywhere.
    lore_store: LoreStore | None = None
    hub: Hub = field(default_factory=Hub)
    # The way to other workers at the same campaigns, where there may be some.
    channel: Channel | None = None
    metrics: ServiceMetrics = field(default_factory=ServiceMetrics)
    _hashing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_HASHED_AT_ONCE))
    _waiting: int = 0
    _returning: asyncio.Future[None] | None = None

    def __post_init__(self) -> None:
        """Open the budgets of the accounts' file."""
        self.spending = Spending(self.accounts)

    async def read(self, seat: Seat, answer: Callable[[OpenCampaign, Seat], T]) -> T:
        """Return what a function makes of a seat's campaign, in the engine thread.

        Raises:
            NotFound: there is no such campaign any more.
        And what the function raises.
        """

        async def work(tables: Tables) -> T:
            async with tables.reading(seat.campaign_id) as campaign:
                return answer(campaign, seat)

        return await self.engine.run(work)

    async def write(self, seat: Seat, change: Callable[[OpenCampaign], Awaitable[T]]) -> T:
        """Return what a change makes of a seat's campaign, in the engine thread, after those that began before it; the
        campaign's row of the index is written anew, too."""

        async def work(tables: Tables) -> tuple[T, CampaignRow]:
            async with tables.writing(seat.campaign_id) as campaign:
                return await change(campaign), campaign.store.campaign()

        made, row = await self.engine.run(work)
        self._keep(row)
        return made

    async def hashing(self, work: Callable[[], T]) -> T:
        """Return what a function makes of passwords, in a thread of its own; few at a time.

        Raises:
            TooManyRequests: too many wait already.
        And what the function raises.
        """

        def run() -> T:
            try:
                return work()
            finally:
                self.accounts.close()

        if self._waiting >= _MOST_WAITING:
            raise TooManyRequests("too many are signing in", hint="try again in a minute", retry_after_s=60)
        self._waiting += 1
        try:
            async with self._hashing:
                return await asyncio.to_thread(run)
        finally:
            self._waiting -= 1

    async def accounts_answer(self) -> None:
        """Wait, without holding others up, while the accounts are known not to answer: pages and streams ask them in
        the thread of the web server, where nobody may wait.

        Raises:
            DatabaseUnavailable: they do not answer within the time.
        """
        if not self.accounts.kept.is_away:
            return
        if self._returning is None or self._returning.done():
            self._returning = asyncio.ensure_future(asyncio.to_thread(self.accounts.kept.wait))
        await asyncio.shield(self._returning)

    # Turns and moves.

    async def play(
        self,
        seat: Seat,
        account: Account,
        text: str,
        *,
        key: str | None = None,
        actions: Sequence[Mapping[str, Any]] | None = None,
        thought: str = "",
        whisper: str | None = None,
        revision: int | None = None,
        is_admitted: bool = False,
        go_to: GoTo | None = None,
    ) -> TurnPlayed:
        """Play a turn from a seat and return its result as the seat may read it. The same `key` gives the same result,
        and plays nothing a second time. `is_admitted` says that `admit` has counted it already; `go_to` moves the story
        to where a new turn goes, and returns what moves it back if that is not played.

        Raises:
            AccessRefused: the seat only watches.
            SettingsError: there is nothing to play.
            TooManyRequests: the account plays too fast.
            HeadMoved: the table is at another revision than `revision`.
            NotAgreed: a model that costs money would be asked, and nobody has agreed to that.
        And what `OpenCampaign.submit_actions` raises.
        """
        if not is_admitted:
            self._count(seat, account, text, actions)
        action_id = name_action(account, key)
        publish, by = self.hub.publisher(seat.campaign_id), name_seat(seat)
        events = TurnEvents(publish, seat)

        async def change(campaign: OpenCampaign) -> TurnPlayed:
            is_new = campaign.store.result_of(action_id) is None
            if is_new:
                check_revision(campaign, revision)
            builtin = self.spending.of(account).is_spent
            if not builtin:
                require_agreement(campaign)
            go_back = go_to(campaign) if is_new and go_to is not None else None
            who = played_by(seat, campaign.store.head().state)
            publish(TableEvent("begun", by=by))
            try:
                sit_down(campaign, action_id=action_id)
                with self.metrics.turn_seconds.time(), self.spending.counting(campaign, account):
                    stored = await (
                        campaign.submit_actions(
                            actions,
                            text=text,
                            persona=who,
                            thought=thought,
                            whisper_to=whisper,
                            action_id=action_id,
                            builtin=builtin,
                            listener=events,
                        )
                        if actions
                        else campaign.submit(
                            text,
                            persona=who,
                            thought=thought,
                            whisper_to=whisper,
                            action_id=action_id,
                            builtin=builtin,
                            listener=events,
                        )
                    )
            except BaseException:
                publish(TableEvent("ended", by=by))
                if go_back is not None:
                    go_back()
                raise
            publish(TableEvent("committed" if is_new else "ended", by=by))
            self.metrics.turns.inc()
            return TurnPlayed.model_validate_json(campaign.player_ids().told_json(stored))

        return await self.write(seat, change)

    def _count(self, seat: Seat, account: Account, text: str, actions: object) -> None:
        if not seat.may_play:
            raise AccessRefused("you watch at this table", hint="ask its game master for a seat that plays")
        if not text.strip() and not actions:
            raise SettingsError("there is nothing to play", hint="give text, or actions")
        self.turns.take(account.id)

    async def admit(
        self,
        seat: Seat,
        account: Account,
        text: str,
        *,
        key: str | None = None,
        actions: Sequence[Mapping[str, Any]] | None = None,
        revision: int | None = None,
    ) -> None:
        """Count a turn that will be played later, and refuse what can be refused before it is thought.

        Raises: as `play`, but for what only the turn itself can tell.
        """
        self._count(seat, account, text, actions)

        def check(campaign: OpenCampaign, seat: Seat) -> None:
            if key is None or campaign.store.result_of(name_action(account, key)) is None:
                check_revision(campaign, revision)
            if not self.spending.of(account).is_spent:
                require_agreement(campaign)
            played_by(seat, campaign.store.head().state)

        await self.read(seat, check)

    async def move(
        self,
        seat: Seat,
        account: Account,
        move: Move,
        *,
        turns: int = 1,
        name: str | None = None,
        turn: int | None = None,
        revision: int | None = None,
    ) -> None:
        """Move the head of the story: `undo`, `redo`, `branch`, `switch`.

        Raises:
            AccessRefused: others play here too, and the last turn is theirs; or the seat only watches.
            CampaignError: it cannot be moved so; nothing was changed.
        """

        async def change(campaign: OpenCampaign) -> None:
            check_revision(campaign, revision)
            check_move(self.accounts, campaign, seat, account, is_last=move == "undo" and turns == 1)
            most = max(1, min(turns, MOST_UNDONE))
            move_head(campaign, move, turns=most, name=name, turn=turn, by_gm=seat.is_gm)

        await self.write(seat, change)
        self.accounts.note(account, move, campaign_id=seat.campaign_id)
        self.hub.publish(seat.campaign_id, TableEvent("moved", by=name_seat(seat)))

    async def retry(
        self, seat: Seat, account: Account, *, words: str = "", key: str | None = None, revision: int | None = None
    ) -> TurnPlayed:
        """Take the last turn back and play its words again with other dice, or other words in their place. The same
        `key` gives the same result, and takes nothing back a second time.

        Raises:
            AccessRefused, CampaignError: as `move`.
        And what `OpenCampaign.retry` raises.
        """
        self.turns.take(account.id)
        publish, by = self.hub.publisher(seat.campaign_id), name_seat(seat)
        action_id = name_action(account, key)

        async def change(campaign: OpenCampaign) -> TurnPlayed:
            if campaign.store.result_of(action_id) is None:
                check_revision(campaign, revision)
            check_move(self.accounts, campaign, seat, account, is_last=True)
            builtin = self.spending.of(account).is_spent
            if not builtin:
                require_agreement(campaign)
            publish(TableEvent("begun", by=by))
            try:
                with self.spending.counting(campaign, account):
                    stored = await campaign.retry(
                        words=words, action_id=action_id, builtin=builtin, listener=TurnEvents(publish, seat)
                    )
            finally:
                publish(TableEvent("ended", by=by))
            publish(TableEvent("moved", by=by))
            return TurnPlayed.model_validate_json(campaign.player_ids().told_json(stored))

        return await self.write(seat, change)

    # Campaigns.

    async def table(self, seat: Seat) -> TableShown:
        """Return the table as a seat sees it, under the name that it was given here."""
        shown = await self.read(seat, show_table)
        return shown.model_copy(update={"name": self.name_of(seat, shown.name)})

    def name_of(self, seat: Seat, otherwise: str = "") -> str:
        """Return what a seat's table is called."""
        rows = self.accounts.tables([seat.campaign_id])
        return rows[0].name if rows else otherwise or seat.campaign_id

    def listed(self, caller: Caller) -> list[CampaignSummary]:
        """Return the campaigns at which the caller has a seat, the one last played first."""
        roles: dict[str, list[str]] = {}
        for seat in self.accounts.seats_of(caller.account):
            if caller.campaign_id in (None, seat.campaign_id):
                roles.setdefault(seat.campaign_id, []).append(seat.role)
        return [
            CampaignSummary(
                id=row.campaign_id,
                name=row.name,
                scenario_id=row.scenario_id,
                turn_no=row.turn_no,
                played_at=row.played_at,
                roles=tuple(roles[row.campaign_id]) if caller.role is None else (caller.role,),
            )
            for row in self.accounts.tables(roles)
        ]

    async def scenarios(self) -> list[ScenarioShown]:
        """Return the scenarios that a game can be begun of, by file."""

        def listed(tables: Tables) -> list[ScenarioShown]:
            found, _ = tables.app.scenarios.listed()
            return [
                ScenarioShown(id=scenario.id, name=scenario.name, summary=scenario.summary or "")
                for scenario in found
                if scenario.packs_here
            ]

        return await self.engine.run(in_engine(listed))

    async def begin(self, account: Account, scenario_id: str, *, name: str = "") -> str:
        """Begin a campaign from a scenario of the workspace, with the account as its game master and player; return
        its ID. Packs that are new are read and embedded, in a thread of their own.

        Raises:
            AccessRefused: the account is not the owner's.
            NotFound: there is no such scenario.
        And what `Campaigns.new` raises.
        """
        require_owner(account)
        if scenario_id not in {scenario.id for scenario in await self.scenarios()}:
            raise NotFound(f"there is no scenario {scenario_id}")

        def make() -> CampaignRow:
            app = self.open_app()
            return app.campaigns.new(scenario_id)

        row = await asyncio.to_thread(make)
        self.accounts.add_seat(row.id, account, "gm")
        self.accounts.add_seat(row.id, account, "player")
        self.accounts.keep_table(
            TableRow(row.id, name or row.name, row.scenario_id, row.current_turn, row.updated_at, "")
        )
        self.accounts.note(account, "begin", campaign_id=row.id, scenario=scenario_id)
        return row.id

    async def remove(self, seat: Seat, account: Account) -> None:
        """Delete a campaign with all that is kept of it.

        Raises:
            AccessRefused: the account is not the owner's, who began it, or the seat not the game master's.
            Busy: it is being played.
        """
        if not (seat.is_gm and account.is_owner):
            raise AccessRefused("only its owner deletes a campaign", hint="leave the table instead")

        def gone(tables: Tables) -> None:
            tables.shut(seat.campaign_id)
            tables.app.campaigns.remove(seat.campaign_id)

        await self.engine.run(in_engine(gone))
        self.accounts.note(account, "remove", campaign=seat.campaign_id)
        self.accounts.forget_table(seat.campaign_id)
        self.hub.publish(seat.campaign_id, TableEvent("closing"))

    async def index(self, campaign_id: str) -> None:
        """Write a campaign's row of the index anew."""

        async def row_of(tables: Tables) -> CampaignRow:
            async with tables.reading(campaign_id) as campaign:
                return campaign.store.campaign()

        self._keep(await self.engine.run(row_of))

    def _keep(self, row: CampaignRow) -> None:
        known = {table.campaign_id: table.name for table in self.accounts.tables([row.id])}
        self.accounts.keep_table(
            TableRow(
                row.id,
                known.get(row.id, row.name),
                row.scenario_id,
                row.current_turn,
                row.updated_at,
                stamp_of(self.workspace / "campaigns" / f"{row.id}.db"),
            )
        )

    async def take_stock(self) -> None:
        """Bring the index in line with the campaigns that there are: those at which nobody sits, which the command line
        began, are the owner's, and those whose files are not there are hidden: a disk may come back. Only files that
        changed since are opened.
        """
        owner = self.accounts.owner()
        known = {row.campaign_id: row for row in self.accounts.tables()}

        def names(tables: Tables) -> list[str]:
            return tables.app.campaigns.ids()

        there = await self.engine.run(in_engine(names))
        for campaign_id in known.keys() - set(there):
            self.accounts.hide_table(campaign_id)
        seated = self.accounts.seated()
        for campaign_id in there:
            if campaign_id not in seated:
                self.accounts.add_seat(campaign_id, owner, "gm")
                self.accounts.add_seat(campaign_id, owner, "player")
            stamp = stamp_of(self.workspace / "campaigns" / f"{campaign_id}.db")
            if campaign_id in known and known[campaign_id].stamp == stamp:
                continue
            try:
                await self.index(campaign_id)
            except LorewrightError:
                # A file that cannot be read is no reason not to serve the others; `db check` says what is wrong.
                continue


def remove_member(service: Service, caller: Caller, campaign_id: str, account_id: str, role: str) -> None:
    """Take somebody's seat away.

    Raises:
        NotFound: there is no such seat.
        AccessRefused: it is the owner's as game master, and somebody else asks.
    """
    if role == "gm" and service.accounts.account(account_id).is_owner and not caller.account.is_owner:
        raise AccessRefused("the owner's seat is not yours to take", hint="ask them to leave")
    service.accounts.remove_seat(campaign_id, account_id, role)
    service.hub.wake(account_id)
    service.accounts.note(caller.account, "remove_member", campaign_id=campaign_id, member=account_id, role=role)
