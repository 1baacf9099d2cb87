"""Which models a campaign asks, and what that costs, as it is shown at the prompt and by commands."""

from __future__ import annotations

from typing import Any

from lorewright.campaigns.casting import Casting, ModelKeys
from lorewright.campaigns.estimate import asked_keys, awaiting, dollars, paid_in, paid_models
from lorewright.campaigns.model_recap import STAGE as RECAP
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.cli.output import say
from lorewright.errors import SettingsError
from lorewright.storage.model_rows import model_keys, own_model_keys, usage
from lorewright.turn.run.casting import stages_of
from lorewright.turn.store.store import CampaignStore
from lorewright.values.stage_run import BUILTIN


def show_models(campaign: OpenCampaign) -> None:
    """The models of both tiers, the stages of a turn that each asks, and the price."""
    keys = campaign.keys
    for tier, key in (("small", keys.small), ("large", keys.large)):
        say(f"{tier}: {key}")
    asked = [(stage, campaign.casting.key(stage, keys)) for stage in stages_of(campaign.setting.rules.profile)]
    told = [f"{stage.replace('_', ' ')} by {key}" for stage, key in asked if key != BUILTIN]
    say(f"  {', '.join(told) or 'every stage is built in'}", style="dim")
    paid = paid_in(campaign)
    if paid:
        total = sum(one.usd_a_turn or 0.0 for one in paid)
        unknown = ", ".join(one.key for one in paid if one.usd_a_turn is None)
        beside = f", and {unknown}: price unknown" if unknown else ""
        waiting = ", ".join(f"{one.key} at {one.shown_address}" for one in awaiting(campaign))
        asks = f"; you are asked before the first turn with {waiting}" if waiting else ""
        say(f"  about {dollars(total)} a turn{beside}{asks}", style="dim")


def shown_keys(keys: ModelKeys) -> dict[str, str]:
    """For JSON."""
    return {"small_model_key": keys.small, "large_model_key": keys.large}


def models_of(store: CampaignStore, casting: Casting) -> dict[str, Any]:
    """Which models a campaign asks and what they have cost, for JSON: all turns that were ever played in it, attempts
    that failed and recaps included. The estimate is None where a key is known no more."""
    keys, own, took = ModelKeys(*model_keys(store.database)), own_model_keys(store.database), usage(store.database)
    return {
        **shown_keys(keys),
        "of_the_campaign": shown_keys(ModelKeys(*own)),
        "calls": took.calls,
        "input_tokens": took.input_tokens,
        "output_tokens": took.output_tokens,
        "cache_read_tokens": took.cache_read_tokens,
        "cached_share": took.cached_share,
        "cost_usd": took.usd,
        "estimated_usd_a_turn": _estimate(casting, keys, store),
    }


def models_asked(store: CampaignStore, casting: Casting) -> dict[str, Any]:
    """Return which models a campaign asks from its next turn on, for JSON: the keys of its tiers, as the campaign and
    the sitting at hand have them, and the stages that ask each model."""
    keys, own = ModelKeys(*model_keys(store.database)), ModelKeys(*own_model_keys(store.database))
    stages = asked_keys(casting, keys, (*stages_of(store.campaign().rules.profile), RECAP))
    return {
        **shown_keys(keys),
        "of_the_campaign": shown_keys(own),
        "stages": {key: [*by] for key, by in stages.items()},
    }


def show_models_asked(models: dict[str, Any]) -> None:
    """What `models_asked` has, a line a model."""
    for key, stages in models["stages"].items():
        say(f"it asks {key} ({', '.join(stage.replace('_', ' ') for stage in stages)})", style="magenta")
    named = {*models["of_the_campaign"].values(), models["small_model_key"], models["large_model_key"]}
    for key in sorted(named - {BUILTIN, *models["stages"]}):
        say(f"it names {key}, which no stage asks now", style="magenta")
    if models["stages"]:
        say("You are asked before its first turn about those that may cost money.", style="dim")


def show_models_of(models: dict[str, Any]) -> None:
    """What `models_of` has, in two lines; one where nothing was ever asked of a model."""
    small, large = models["small_model_key"], models["large_model_key"]
    keys = small if small == large else f"small {small}, large {large}"
    estimate = models["estimated_usd_a_turn"]
    about = f", about {dollars(estimate)} a turn" if estimate else ""
    passing = ", in this sitting" if models["of_the_campaign"] != shown_keys(ModelKeys(small, large)) else ""
    say(f"models: {keys}{passing}{about}", style="dim")
    if models["calls"]:
        share = models["cached_share"]
        cached = "" if share is None else f" ({100 * share:.0f} % from a cache)"
        say(
            f"asked {models['calls']:,} times: in {models['input_tokens']:,}{cached}, out {models['output_tokens']:,}, "
            f"{dollars(models['cost_usd'], digits=3)} so far",
            style="dim",
        )


def _estimate(casting: Casting, keys: ModelKeys, store: CampaignStore) -> float | None:
    try:
        return sum(one.usd_a_turn or 0.0 for one in paid_models(casting, keys, store))
    except SettingsError:
        # The settings know a key no more: the campaign can still be looked at, and other models be chosen.
        return None
