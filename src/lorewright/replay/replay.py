"""Replays of a campaign's turns: with the recorded answers they come out the same, byte for byte; with another prompt
or model they show what that changes, and nothing else. Nothing of the campaign is changed.

A turn begins in the state before it, with the messages, the offered lines, the sitting's lore, the packs and rules and
the history of then. Models answer as recorded and dice fall as recorded, unless they are overridden or thrown anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from lorewright.addresses import mask_address
from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.history import Histories
from lorewright.errors import CampaignError, NotFound
from lorewright.llm.prompt_library import PromptLibrary
from lorewright.llm.taxonomy import ModelRow, may_cost
from lorewright.replay.comparing import TurnReplay
from lorewright.replay.metrics import ALL_TURNS, Metrics, TurnRange, metrics_of
from lorewright.replay.recording import (
    THOUGHT,
    CampaignPrompts,
    OpenModel,
    Overrides,
    RecordedTurn,
    ReplayModels,
    StagesOf,
    every_stage,
    no_model,
    recorded_turn,
)
from lorewright.replay.rerun import Rerun
from lorewright.tokens import count_tokens
from lorewright.turn.stages.stages import MakeStages, make_stages
from lorewright.values.records import BUILTIN

# The estimate of a replay's costs, by what the same stages read and wrote then.

# The tokens that a stage reads besides its input, and writes, where no model ran it then.
_PROMPT, _ANSWER = 800, 300


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated costs of a replay: how many times models that may cost money would be asked, which (by key,
    sorted), and about how many millionths of a dollar that costs, if nothing has to be repaired; `unpriced` are the
    keys without a known price."""

    calls: int
    keys: tuple[str, ...]
    microusd: int
    unpriced: tuple[str, ...] = ()


def estimate_of(
    turns: Iterable[RecordedTurn],
    overrides: Overrides,
    rows: Mapping[str, ModelRow],
    may_cost: Callable[[ModelRow], bool],
) -> Estimate:
    """Return the estimate for turns; `rows` has the row of every key that would be asked, `may_cost` tells which of
    them need a confirmation."""
    calls, keys, microusd = 0, set[str](), 0
    for turn in turns:
        for stage, key in overrides.keys(turn.asked()).items():
            if key is None or key == BUILTIN or not may_cost(rows[key]):
                continue
            prices = rows[key].prices
            for record in (candidate for candidate in turn.records if candidate["stage"] == stage):
                read, written = _size_of(record)
                calls, microusd = calls + 1, microusd + (prices.cost_microusd(read, written) if prices else 0)
                keys.add(key)
    unpriced = tuple(sorted(key for key in keys if rows[key].prices is None))
    return Estimate(calls, tuple(sorted(keys)), microusd, unpriced)


def _size_of(record: Mapping[str, Any]) -> tuple[int, int]:
    """Return the tokens that a stage read and wrote."""
    if record["calls"]:
        return sum(call["input_tokens"] for call in record["calls"]), sum(
            call["output_tokens"] for call in record["calls"]
        )
    return _PROMPT + count_tokens(json.dumps(record["input"], ensure_ascii=False)), _ANSWER


# The replay of a campaign's turns.


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of replaying some turns; `seed` threw the dice, where another than the campaign's did. `stopped` says
    why it ended before its last turn, if it did; the metrics are of the turns that were thought again, as they were
    recorded and as they came out."""

    campaign_id: str
    overrides: Overrides
    reroll: bool
    seed: int | None
    each: bool
    turns: tuple[TurnReplay, ...]
    stopped: str | None
    recorded_metrics: Metrics
    metrics: Metrics

    @property
    def is_identical(self) -> bool:
        """Tell whether every turn came out as it was recorded: its state, its dice, its narration and all of its
        result."""
        return self.stopped is None and all(turn.is_identical for turn in self.turns)

    @property
    def first_divergence(self) -> TurnReplay | None:
        """Return the first turn in which anything differs, even if only the input of a stage."""
        return next((turn for turn in self.turns if turn.differences or turn.error), None)

    def as_dict(self) -> dict[str, Any]:
        """Return the replay as values for JSON."""
        first = self.first_divergence
        return {
            "campaign_id": self.campaign_id,
            "identical": self.is_identical,
            "reroll": self.reroll,
            "seed": self.seed,
            "each": self.each,
            "override_prompt_versions": dict(self.overrides.prompts),
            "override_models": dict(self.overrides.models),
            "rethink": self.overrides.rethink,
            "first_divergence": None
            if first is None
            else {"turn_no": first.turn_no, "what": first.error or str(first.differences[0])},
            "stopped": self.stopped,
            "metrics": {"recorded": self.recorded_metrics.as_dict(), "replayed": self.metrics.as_dict()},
            "turns": [turn.as_dict() for turn in self.turns],
        }


def _free(key: str) -> ModelRow:
    return ModelRow(key, "builtin", key)


class Replays:
    """Replays the campaigns of a workspace. Models are opened and prompts taken from the library only where something
    is overridden; `stages_of` says which stages a model would run, `make` makes the stages of a turn."""

    def __init__(
        self,
        campaigns: Campaigns,
        histories: Histories,
        library: PromptLibrary,
        *,
        open_model: OpenModel = no_model,
        stages_of: StagesOf = every_stage,
        begin_turn: Callable[[], None] = lambda: None,
        row_of: Callable[[str], ModelRow] = _free,
        address_of: Callable[[ModelRow], str | None] = lambda row: None,
        make: MakeStages = make_stages,
    ) -> None:
        self._make = make
        self._campaigns = campaigns
        self._histories = histories
        self._open_model = open_model
        self._library = library
        self.stages_of = stages_of
        self._begin_turn = begin_turn
        self._row_of = row_of
        self._address_of = address_of

    async def rerun_turn(
        self,
        campaign_id: str,
        turn_no: int,
        override_prompt_versions: Mapping[str, str] | None = None,
        *,
        override_models: Mapping[str, str] | None = None,
        rethink: bool = False,
        reroll: bool = False,
        seed: int | None = None,
    ) -> TurnReplay:
        """Replay one turn on the way to the head, from its recorded beginning; see `rerun_turns`.

        Raises:
            NotFound: there is no such turn.
            CampaignError: no stages made the turn, so that it cannot be replayed.
        """
        replay = await self.rerun_turns(
            campaign_id,
            TurnRange(turn_no, turn_no),
            override_prompt_versions,
            override_models=override_models,
            rethink=rethink,
            reroll=reroll,
            seed=seed,
        )
        if not replay.turns or not replay.turns[0].is_thought:
            raise CampaignError(f"turn {turn_no} was not played: there is nothing to replay")
        return replay.turns[0]

    def estimate(self, campaign_id: str, turns: TurnRange, overrides: Overrides) -> Estimate:
        """Return the estimated costs of replaying turns.

        Raises:
            NotFound: there is no such campaign.
            SettingsError: there is no such model.
        """
        with self._campaigns.reading(campaign_id) as store:
            found = [
                recorded_turn(turn, store.stage_records(turn["turn_id"]))
                for turn in store.turns()
                if turn["turn_no"] in turns and turn["kind"] in THOUGHT
            ]
        keys = {key for turn in found for key in overrides.keys(turn.asked()).values() if key not in (None, BUILTIN)}
        rows = {key: self._row_of(key) for key in sorted(filter(None, keys))}
        return estimate_of(found, overrides, rows, lambda row: may_cost(row, self._address_of(row)))

    def address(self, key: str) -> str | None:
        """Return where the model of a key is asked, without names and passwords; None where it is asked nowhere.

        Raises:
            SettingsError: there is no such model, or nothing says where it is.
        """
        known = self._address_of(self._row_of(key))
        return None if known is None else mask_address(known)

    async def rerun_turns(
        self,
        campaign_id: str,
        turns: TurnRange = ALL_TURNS,
        override_prompt_versions: Mapping[str, str] | None = None,
        *,
        override_models: Mapping[str, str] | None = None,
        rethink: bool = False,
        reroll: bool = False,
        seed: int | None = None,
        each: bool = False,
    ) -> Replay:
        """Replay the turns of a range on the way to the head.

        Each continues from the result of the one before it; with `each` every turn begins where it was recorded to
        begin, so that a change in one does not reach the next. A turn that no stages made (an upgrade, an import) is
        taken over by its ops. Where a turn fails, those that would continue from it are not replayed. What another
        version of a built-in stage made is taken as it was recorded; with `rethink` that stage is run anew. With
        `reroll` the dice are thrown anew from the campaign's seed and the state, as they were when the turn was played;
        with `seed` from that seed, as if the campaign had begun with it.

        Raises:
            NotFound: there is no such campaign, no turn in the range, or a pinned text is gone.
            SettingsError: an overridden prompt, stage or model does not exist.
        """
        overrides = Overrides(override_prompt_versions or {}, override_models or {}, rethink)
        with self._campaigns.reading(campaign_id) as store, ExitStack() as stack:
            shelf = CampaignPrompts(store.database, self._library)
            stage_models = ReplayModels(overrides, self._open_model, shelf, self._begin_turn, self._make)
            path = store.turns()
            turns.held_to(path[-1]["turn_no"])
            wanted = [place for place, turn in enumerate(path) if place and turn["turn_no"] in turns]
            if not wanted:
                raise NotFound(f"no turn in {turns} was played", hint="turn 0 is the opening, which nobody played")
            rerun = Rerun(
                self._campaigns, self._histories, store, stack, stage_models, reroll=reroll, seed=seed, each=each
            )
            replayed: list[TurnReplay] = []
            stopped = None
            for place in wanted:
                replayed.append(await rerun.turn(path[place - 1], path[place]))
                if replayed[-1].error is not None and not each:
                    stopped = f"turn {replayed[-1].turn_no} failed: {replayed[-1].error}"
                    break
        thought = [turn for turn in replayed if turn.figures is not None]
        return Replay(
            campaign_id=campaign_id,
            overrides=overrides,
            reroll=reroll or seed is not None,
            seed=seed,
            each=each,
            turns=tuple(replayed),
            stopped=stopped,
            recorded_metrics=metrics_of(
                [turn.recorded_figures for turn in thought if turn.recorded_figures is not None]
            ),
            metrics=metrics_of([turn.figures for turn in thought if turn.figures is not None]),
        )
