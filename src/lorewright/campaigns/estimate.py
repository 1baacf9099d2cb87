"""What a turn is likely to cost, from a campaign's own last turns or from typical turns -> dollars by model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.addresses import mask_address
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.stage_models import ModelKeys, StageModels
from lorewright.errors import NotAgreed
from lorewright.grants import find_agreements, keep_agreements, make_token
from lorewright.llm.taxonomy import BESIDE, TYPICAL, Prices
from lorewright.storage.model_rows import created_at
from lorewright.turn.stages.stages import STAGES, stages_of
from lorewright.turn.store.store import CampaignStore
from lorewright.values.records import BUILTIN

# The estimate is the average of at most this many last turns.
_LAST_TURNS = 20


@dataclass(frozen=True, slots=True)
class TokensTaken:
    """Tokens that a stage takes in a turn, on average."""

    read: float
    written: float
    cache_read: float = 0.0
    cache_write: float = 0.0

    def cost_usd(self, prices: Prices) -> float:
        """Return their cost in US dollars."""
        plain = max(self.read - self.cache_read - self.cache_write, 0.0)
        cached = self.cache_read * prices.cache_read + self.cache_write * prices.cache_write
        return (plain * prices.input + cached + self.written * prices.output) / 1_000_000


@dataclass(frozen=True, slots=True)
class PaidModel:
    """A model that may cost money: the stages of a turn that ask it, its cost in a turn (None where its price is
    unknown), and the address at which it is asked."""

    key: str
    stages: tuple[str, ...]
    usd_a_turn: float | None
    address: str

    @property
    def shown_address(self) -> str:
        """Return the address with everything secret in it masked."""
        return mask_address(self.address)


def paid_keys(stage_models: StageModels, keys: ModelKeys, stages: Sequence[str] = STAGES) -> dict[str, tuple[str, ...]]:
    """Return the keys that turns of these stages may have to pay for, sorted, each with the stages that ask it.

    Raises:
        SettingsError: the settings name an unknown key.
    """
    keys_asked = asked_keys(stage_models, keys, stages)
    return {key: asking for key, asking in keys_asked.items() if stage_models.may_cost(key)}


def asked_keys(
    stage_models: StageModels, keys: ModelKeys, stages: Sequence[str] = STAGES
) -> dict[str, tuple[str, ...]]:
    """Return the keys of the models that turns of these stages ask, sorted, each with the stages that ask it.

    Raises:
        SettingsError: the settings name an unknown stage.
    """
    found: dict[str, tuple[str, ...]] = {}
    for stage in stages:
        key = stage_models.key(stage, keys)
        if key != BUILTIN:
            found[key] = (*found.get(key, ()), stage)
    return dict(sorted(found.items()))


def paid_models(stage_models: StageModels, keys: ModelKeys, store: CampaignStore) -> tuple[PaidModel, ...]:
    """Return the models that a campaign's turns with these keys may have to pay for, by key, estimated from its last
    turns.

    Raises:
        SettingsError: the settings name an unknown key.
    """
    if not paid_keys(stage_models, keys):
        # The rules and last turns are read only where there is something to be estimated.
        return ()
    paid = paid_keys(stage_models, keys, stages_of(store.campaign().rules.profile))
    taken = taken_lately(store)
    found = []
    for key, stages in paid.items():
        prices, address = stage_models.prices(key), stage_models.address(key)
        usd = None
        if prices is not None:
            usd = sum((taken.get(stage) or _typical(stage)).cost_usd(prices) for stage in stages)
        found.append(PaidModel(key, stages, usd, address or ""))
    return tuple(found)


def paid_in(campaign: OpenCampaign) -> tuple[PaidModel, ...]:
    """Return the models that a campaign's next turn may pay for."""
    return paid_models(campaign.stage_models, campaign.keys, campaign.store)


def taken_lately(store: CampaignStore) -> dict[str, TokensTaken]:
    """Return the mean tokens that the stages took in the last turns in which a model was asked, by stage; without the
    stages that no model ran."""
    turns = [store.stage_records(turn.turn_id) for turn in store.path(last=_LAST_TURNS)]
    with_models = [records for records in turns if any(record["calls"] for record in records)]
    by_stage: dict[str, list[dict[str, Any]]] = {}
    for record in (record for records in with_models for record in records):
        by_stage.setdefault(record["stage"], []).extend(record["calls"])
    return {stage: _mean(calls, len(with_models)) for stage, calls in by_stage.items() if calls}


def _typical(stage: str) -> TokensTaken:
    """Return what the stage usually takes in a turn, for a campaign without turns of its own."""
    call = {**TYPICAL, **BESIDE}[stage]
    turns = call.in_hundred / 100
    return TokensTaken(call.read * turns, call.written * turns, cache_read=call.cached * turns)


def _mean(calls: Sequence[Mapping[str, Any]], turns: int) -> TokensTaken:
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    return TokensTaken(*(sum(call[name] for call in calls) / turns for name in names))


# Agreement: a model that may cost money is asked only after the user has agreed, once for each campaign, key and
# address. The agreement is stored in the user's own folder (`lorewright.grants`), not in the campaign, so a campaign
# that is imported or copied into the workspace brings none with it.


def awaiting(campaign: OpenCampaign) -> tuple[PaidModel, ...]:
    """Return the models of a campaign's next turn that may cost money and that nobody has agreed to yet.

    Raises:
        SettingsError: the settings name an unknown key.
    """
    agreed = _agreed(campaign)
    # Called before every turn, so prices are computed only where somebody has to be asked.
    if all(has_agreed(campaign, key, agreed) for key in paid_keys(campaign.stage_models, campaign.keys)):
        return ()
    return tuple(model for model in paid_in(campaign) if not has_agreed(campaign, model.key, agreed))


def has_agreed(campaign: OpenCampaign, key: str, agreed: frozenset[str] | None = None) -> bool:
    """Tell whether this user has agreed that the campaign asks the model of a key at its current address."""
    known = _agreed(campaign) if agreed is None else agreed
    return _token(key, campaign.stage_models.address(key)) in known


def agree_to(campaign: OpenCampaign, models: tuple[PaidModel, ...]) -> None:
    """Store that the campaign may ask these models, at these addresses, without asking the user again.

    Raises:
        SettingsError: the agreement cannot be stored.
    """
    if models:
        tokens = {_token(model.key, model.address): f"{model.key} at {model.shown_address}" for model in models}
        database = campaign.store.database
        keep_agreements(database.path, created_at(database), tokens)


def require_trust(campaign: OpenCampaign) -> None:
    """Refuse, or ask the user, where the next turn would ask a model by settings that they have not trusted.

    Raises:
        NotTrusted: the settings are not trusted; nothing was sent.
    """
    if asked_keys(campaign.stage_models, campaign.keys):
        campaign.stage_models.hold_to_trust()


def require_agreement(campaign: OpenCampaign) -> None:
    """Refuse to continue where the next turn would ask a model that may cost money and that nobody has agreed to.

    Raises:
        NotTrusted: the settings that name it are not trusted; nothing was sent.
        NotAgreed: nobody has agreed; the message names the models with their estimated price and address.
        SettingsError: the settings name an unknown key.
    """
    require_trust(campaign)
    models = awaiting(campaign)
    if models:
        named = " and ".join(f"{model.key} ({price_in_words(model)})" for model in models)
        raise NotAgreed(
            f"{campaign.store.campaign_id} asks {named}, and nobody has agreed to that yet; nothing was sent",
            hint="say --yes to agree for this campaign, or play at a terminal, where you are asked",
        )


def price_in_words(model: PaidModel) -> str:
    """Return the estimated price of a turn with a model, and its address, in words."""
    price = "price unknown" if model.usd_a_turn is None else f"about {format_dollars(model.usd_a_turn)} a turn"
    return f"{price}, at {model.shown_address}"


def _agreed(campaign: OpenCampaign) -> frozenset[str]:
    database = campaign.store.database
    return find_agreements(database.path, created_at(database))


def _token(key: str, address: str | None) -> str:
    return make_token((key, address or ""))


def format_dollars(usd: float, *, digits: int = 2) -> str:
    """Return an amount with this many significant digits: `$0.012`, `$0.00034`, `$1.50`."""
    if usd <= 0:
        return "$0"
    decimals = 2
    while decimals < 8 and usd < 10 ** (digits - decimals - 1):
        decimals += 1
    return f"${usd:.{decimals}f}"
