"""What a turn is likely to cost: a campaign's own last turns, else what turns usually take -> dollars by model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.addresses import mask_address
from lorewright.campaigns.casting import Casting, ModelKeys
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.llm.taxonomy import BESIDE, TYPICAL, Prices
from lorewright.turn.run.casting import STAGES, stages_of
from lorewright.turn.store.store import CampaignStore
from lorewright.values.stage_run import BUILTIN

# So many turns say what the next one will be like.
_LAST_TURNS = 20


@dataclass(frozen=True, slots=True)
class Taken:
    """Tokens that a stage takes in a turn, on average."""

    read: float
    written: float
    cache_read: float = 0.0
    cache_write: float = 0.0

    def cost_usd(self, prices: Prices) -> float:
        """What they cost."""
        plain = max(self.read - self.cache_read - self.cache_write, 0.0)
        cached = self.cache_read * prices.cache_read + self.cache_write * prices.cache_write
        return (plain * prices.input + cached + self.written * prices.output) / 1_000_000


@dataclass(frozen=True, slots=True)
class PaidModel:
    """A model that may cost money: which stages of a turn ask it, what that comes to in a turn (None where nobody says
    what it costs), and the address at which it is asked."""

    key: str
    stages: tuple[str, ...]
    usd_a_turn: float | None
    address: str

    @property
    def shown_address(self) -> str:
        """The address without anything that is secret in it."""
        return mask_address(self.address)


def paid_keys(casting: Casting, keys: ModelKeys, stages: Sequence[str] = STAGES) -> dict[str, tuple[str, ...]]:
    """The keys that turns of these stages may have to pay for, sorted, each with the stages that ask it.

    Raises:
        SettingsError: the settings name a key that there is not.
    """
    asked = asked_keys(casting, keys, stages)
    return {key: by for key, by in asked.items() if casting.may_cost(key)}


def asked_keys(casting: Casting, keys: ModelKeys, stages: Sequence[str] = STAGES) -> dict[str, tuple[str, ...]]:
    """Return the keys of the models that turns of these stages ask, sorted, each with the stages that ask it.

    Raises:
        SettingsError: the settings name a stage that there is not.
    """
    asked: dict[str, tuple[str, ...]] = {}
    for stage in stages:
        key = casting.key(stage, keys)
        if key != BUILTIN:
            asked[key] = (*asked.get(key, ()), stage)
    return dict(sorted(asked.items()))


def paid_models(casting: Casting, keys: ModelKeys, store: CampaignStore) -> tuple[PaidModel, ...]:
    """The models that a campaign's turns with these keys may have to pay for, by key, as its last turns went.

    Raises:
        SettingsError: the settings name a key that there is not.
    """
    if not paid_keys(casting, keys):
        # Its rules and last turns are read only where there is something to be estimated.
        return ()
    paid = paid_keys(casting, keys, stages_of(store.campaign().rules.profile))
    taken = taken_lately(store)
    found = []
    for key, stages in paid.items():
        prices, address = casting.prices(key), casting.address(key)
        usd = None
        if prices is not None:
            usd = sum((taken.get(stage) or _typical(stage)).cost_usd(prices) for stage in stages)
        found.append(PaidModel(key, stages, usd, address or ""))
    return tuple(found)


def paid_in(campaign: OpenCampaign) -> tuple[PaidModel, ...]:
    """The models that a campaign's next turn may pay for."""
    return paid_models(campaign.casting, campaign.keys, campaign.store)


def taken_lately(store: CampaignStore) -> dict[str, Taken]:
    """What the stages took in the last turns in which a model was asked, by stage; a stage that no model ran in any of
    them is left out."""
    turns = [store.stage_records(turn.turn_id) for turn in store.path(last=_LAST_TURNS)]
    asked = [records for records in turns if any(record["calls"] for record in records)]
    by_stage: dict[str, list[dict[str, Any]]] = {}
    for record in (record for records in asked for record in records):
        by_stage.setdefault(record["stage"], []).extend(record["calls"])
    return {stage: _mean(calls, len(asked)) for stage, calls in by_stage.items() if calls}


def _typical(stage: str) -> Taken:
    """What the stage usually takes in a turn, for a campaign without turns of its own."""
    call = {**TYPICAL, **BESIDE}[stage]
    turns = call.in_hundred / 100
    return Taken(call.read * turns, call.written * turns, cache_read=call.cached * turns)


def _mean(calls: Sequence[Mapping[str, Any]], turns: int) -> Taken:
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    return Taken(*(sum(call[name] for call in calls) / turns for name in names))
