"""One turn after the other: its beginning as it was, and the stages that think it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.history import Histories
from lorewright.errors import LorewrightError
from lorewright.index.history import HistoryRecord
from lorewright.replay.beside import CameOut, failed, replay_of, taken_over
from lorewright.replay.casting import Casting
from lorewright.replay.figures import PlayedTurn
from lorewright.replay.past_head import head_at
from lorewright.replay.past_history import ReplayedHistory, told_of
from lorewright.replay.recording import RecordedDice, RecordedTurn, recorded_turn
from lorewright.replay.replayed import TurnReplay
from lorewright.rules.dice import Dice, SeededDice
from lorewright.turn.run.pipeline import think
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.views.draft import Draft, Head, Recorder, Setting
from lorewright.turn.views.leaks import RecordedLeakCheck
from lorewright.values.campaign import CampaignRow
from lorewright.values.messages import Message
from lorewright.values.told_before import markers_of, options_of
from lorewright.world.state import WorldState


@dataclass(frozen=True, slots=True)
class _Carried:
    """What the turns so far came to: the state after the last one, its result, and what was said in each."""

    state: WorldState
    result: dict[str, Any]
    messages: Mapping[str, tuple[Message, ...]] = field(default_factory=dict)


class Rerun:
    """Thinks turns of one campaign again, in the order of its path; the stack closes what that opens."""

    def __init__(
        self,
        campaigns: Campaigns,
        histories: Histories,
        store: CampaignStore,
        stack: ExitStack,
        casting: Casting,
        *,
        reroll: bool,
        each: bool,
    ) -> None:
        self._campaigns = campaigns
        self._histories = histories
        self._store = store
        self._stack = stack
        self._casting = casting
        self._reroll = reroll
        self._each = each
        self._settings: dict[str | None, tuple[CampaignRow, Setting]] = {}
        self._otherwise: dict[str, tuple[HistoryRecord, ...]] = {}
        self._scene_lore: dict[str, str] = {}
        # The last recorded turn, by ID, and the state after it.
        self._recorded: tuple[str, WorldState] | None = None
        self._carried: _Carried | None = None

    async def turn(self, parent: Mapping[str, Any], row: Mapping[str, Any]) -> TurnReplay:
        """Think the turn again that followed a parent; both are as `CampaignStore.turns` gives them."""
        parent_id = parent["turn_id"]
        turn = recorded_turn(row, self._store.stage_records(row["turn_id"]))
        before = self._recorded_before(parent_id)
        after = self._store.state_after(before, turn.turn_id)
        self._recorded = (turn.turn_id, after)
        if not turn.is_thought:
            return self._taken_over(turn, before, after)
        campaign, setting = self._setting(parent_id)
        head = self._head(parent, turn, before)
        cast = self._casting.cast(turn)
        recorder = Recorder()
        try:
            draft = await think(
                head,
                self._store.submission(turn.turn_id),
                replace(setting, dice=self._dice(turn), leaks=RecordedLeakCheck(turn.refusals)),
                cast.stages,
                recorder,
            )
        except LorewrightError as error:
            return failed(turn, recorder.records, cast.anew, error)
        now = CameOut(draft, draft.state.as_read_after(head.state), draft.result.model_dump(mode="json"), cast.anew)
        played = _played(turn, campaign, before, after)
        replayed = replay_of(turn, played, after, self._store.state_diff(turn.turn_id), now)
        self._go_on(draft, now, is_identical=replayed.is_identical)
        return replayed

    def _recorded_before(self, parent_id: str) -> WorldState:
        if self._recorded is not None and self._recorded[0] == parent_id:
            return self._recorded[1]
        return self._store.state_at(parent_id)

    def _taken_over(self, turn: RecordedTurn, before: WorldState, after: WorldState) -> TurnReplay:
        diff = self._store.state_diff(turn.turn_id)
        if self._carried is None:
            return taken_over(turn, after, after, diff, fits=True)
        state = self._store.state_after(self._carried.state, turn.turn_id)
        # Ops that do not fit leave the very state that they were to change.
        fits = state is not self._carried.state or after is before
        self._carried = _Carried(state, dict(turn.result), self._carried.messages)
        return taken_over(turn, state, after, diff, fits=fits)

    def _head(self, parent: Mapping[str, Any], turn: RecordedTurn, before: WorldState) -> Head:
        """The head as it was then; what has been replayed so far stands in the place of what was recorded."""
        head = head_at(self._store, parent, before, session_id=turn.session_id)
        if self._carried is not None:
            head = replace(
                head,
                state=self._carried.state,
                options=options_of(self._carried.result),
                markers=markers_of(self._carried.result),
                recent=_recent(head, self._carried.messages),
            )
        kept = self._scene_lore.get(head.state.scene.id)
        return replace(head, scene_lore=() if kept is None else (kept,))

    def _setting(self, parent_id: str) -> tuple[CampaignRow, Setting]:
        """What held while a turn was the head."""
        upgrade_id = self._store.upgrade_id(parent_id)
        if upgrade_id not in self._settings:
            row, setting = self._campaigns.as_of(self._store, parent_id, self._stack)
            history = ReplayedHistory(self._histories, self._store, setting, self._otherwise)
            self._settings[upgrade_id] = (row, replace(setting, history=history.before))
        return self._settings[upgrade_id]

    def _dice(self, turn: RecordedTurn) -> Callable[[int, str, str], Dice]:
        def dice(seed: int, state_hash: str, action_id: str) -> Dice:
            thrown = SeededDice(seed, state_hash, action_id)
            return thrown if self._reroll else RecordedDice(turn.rolls, thrown)

        return dice

    def _go_on(self, draft: Draft, now: CameOut, *, is_identical: bool) -> None:
        """Remember what the next turn begins with."""
        if self._each:
            return
        if draft.scene_lore.to_keep is not None:
            self._scene_lore[draft.scene_lore.scene_id] = draft.scene_lore.to_keep
        messages = {} if self._carried is None else self._carried.messages
        self._carried = _Carried(now.state, dict(now.result), {**messages, draft.turn_id: draft.messages})
        if not is_identical:
            self._otherwise[draft.turn_id] = told_of(draft, now.state)


def _recent(head: Head, replayed: Mapping[str, tuple[Message, ...]]) -> tuple[tuple[int, Message], ...]:
    """The last messages, with those of replayed turns instead of what was recorded of them."""
    recent: list[tuple[int, Message]] = []
    told: set[str] = set()
    for turn_no, message in head.recent:
        if message.turn_id not in replayed:
            recent.append((turn_no, message))
        elif message.turn_id not in told:
            told.add(message.turn_id)
            recent += [(turn_no, one) for one in replayed[message.turn_id]]
    return tuple(recent)


def _played(turn: RecordedTurn, campaign: CampaignRow, before: WorldState, after: WorldState) -> PlayedTurn:
    return PlayedTurn(
        turn_no=turn.turn_no,
        turn_id=turn.turn_id,
        kind=turn.kind,
        session_id=turn.session_id,
        lore_cached=turn.lore_cached,
        scene=after.scene.id,
        result=turn.result,
        records=turn.records,
        before=before,
        rules=campaign.rules,
        packs=frozenset(pin.pack_id for pin in campaign.pins),
    )
