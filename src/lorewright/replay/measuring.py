"""A campaign's file -> the figures of its turns on the way to the head, and of the submissions that failed between
them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.errors import NotFound
from lorewright.replay.figures import PlayedTurn, TurnFigures, figures_of, model_run
from lorewright.replay.metrics import MICRO, FailedAttempt, Metrics, changing_tokens, metrics_of, prefix_share
from lorewright.replay.turn_range import ALL_TURNS, TurnRange
from lorewright.storage.sittings import session_rows
from lorewright.turn.store.store import CampaignStore
from lorewright.values.campaign import CampaignRow


@dataclass(frozen=True, slots=True)
class Measured:
    """The metrics of some turns of a campaign, and the figures that they are made of, turn by turn."""

    campaign_id: str
    turns: tuple[TurnFigures, ...]
    failed: tuple[FailedAttempt, ...]
    metrics: Metrics

    def per_turn(self) -> list[dict[str, Any]]:
        """The figures of every turn, for JSON."""
        return [
            {
                "turn_no": turn.turn_no,
                "kind": turn.kind,
                "scene": turn.scene,
                "words": turn.words,
                "input_tokens": turn.sum_of("input_tokens"),
                "cached_tokens": turn.sum_of("cache_read_tokens"),
                "output_tokens": turn.sum_of("output_tokens"),
                "cost_usd": turn.sum_of("cost_microusd") / MICRO,
                "prefix_share": prefix_share(turn),
                "changing_tokens": changing_tokens(turn),
                "milliseconds": turn.milliseconds(),
            }
            for turn in self.turns
        ]


def measure(store: CampaignStore, turns: TurnRange = ALL_TURNS, *, session_id: str | None = None) -> Measured:
    """Measure the turns of a range on the way to the head; of one sitting where its ID is given. Nothing is written.

    Raises:
        NotFound: no turn is in the range, or the campaign has no such sitting.
    """
    path = store.turns()
    turns.held_to(path[-1]["turn_no"])
    sitting = None if session_id is None else _sitting(store, session_id)
    wanted = {
        turn["turn_id"]
        for turn in path[1:]
        if turn["turn_no"] in turns and (sitting is None or turn["session_id"] == sitting)
    }
    figures = tuple(figures_of(turn) for turn in played_turns(store, path, wanted))
    failed = tuple(_failed(store, path, turns, sitting))
    return Measured(store.campaign_id, figures, failed, metrics_of(figures, failed))


def played_turns(store: CampaignStore, path: Sequence[dict[str, Any]], wanted: Collection[str]) -> Iterator[PlayedTurn]:
    """Those of a path's turns that are wanted, by ID, each with what it was thought from; the path is as
    `CampaignStore.turns` gives it, and its first turn was thought from nothing. One turn is read at a time."""
    rows: dict[str | None, CampaignRow] = {}
    state, reached = None, ""
    for place, turn in enumerate(path):
        if turn["turn_id"] not in wanted or not place:
            continue
        parent = path[place - 1]["turn_id"]
        before = state if state is not None and reached == parent else store.state_at(parent)
        state, reached = store.state_after(before, turn["turn_id"]), turn["turn_id"]
        upgrade = store.upgrade_id(parent)
        if upgrade not in rows:
            rows[upgrade] = store.campaign(parent)
        row = rows[upgrade]
        yield PlayedTurn(
            turn_no=turn["turn_no"],
            turn_id=turn["turn_id"],
            kind=turn["kind"],
            session_id=turn["session_id"],
            lore_cached=turn["lore_cached"],
            scene=state.scene.id,
            result=turn["result"],
            records=store.stage_records(turn["turn_id"]),
            before=before,
            rules=row.rules,
            packs=frozenset(pin.pack_id for pin in row.pins),
        )


def _sitting(store: CampaignStore, session_id: str) -> str:
    """The full ID of a sitting, which may be given without the campaign's."""
    full = session_id if ":" in session_id else f"{store.campaign_id}:{session_id}"
    if all(row.id != full for row in session_rows(store.database)):
        raise NotFound(f"there is no sitting {session_id}", hint=f"see: lorewright session list {store.campaign_id}")
    return full


def _failed(
    store: CampaignStore, path: list[dict[str, Any]], turns: TurnRange, session_id: str | None
) -> Iterator[FailedAttempt]:
    """What failed on the way to the head: an attempt belongs where the turn would have stood that it was to become."""
    numbers = {turn["turn_id"]: turn["turn_no"] + 1 for turn in path}
    for attempt in store.attempts():
        number = numbers.get(attempt["head_turn_id"])
        if number is None or number not in turns:
            continue
        if session_id is not None and attempt["session_id"] != session_id:
            continue
        runs = tuple(run for record in attempt["records_json"] if (run := model_run(record)) is not None)
        yield FailedAttempt(number, attempt["error_code"], runs)
