"""lorewright models …: which models can be chosen, and whether one answers."""

from __future__ import annotations

import asyncio
import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from lorewright.addresses import OWN_SERVERS, mask_address
from lorewright.campaigns.estimate import (
    agree_to,
    asked_keys,
    awaiting,
    format_dollars,
    paid_in,
    paid_models,
    require_trust,
)
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.sessions import STAGE as RECAP
from lorewright.campaigns.stage_models import BUILTIN_KEYS, ModelKeys, StageModels
from lorewright.cli.game.play_session import show_prices
from lorewright.cli.opening import open_app
from lorewright.cli.output import note, say, show_json, show_table
from lorewright.errors import SettingsError
from lorewright.llm.doubles import ParrotModel
from lorewright.llm.opening import address_known, check_model, has_key, most_microusd
from lorewright.llm.taxonomy import TIERS, ModelRow, asked_at, estimate_turn_cost, families, may_cost, row_of, rows
from lorewright.settings import ModelsSettings, find_workspace
from lorewright.storage.model_rows import model_keys, own_model_keys, usage
from lorewright.trust import hold_models
from lorewright.turn.stages.stages import stages_of
from lorewright.turn.store.store import CampaignStore
from lorewright.values.records import BUILTIN
from lorewright.workspace.model_trial import LINES, ModelTrial, try_model

# Options that choose models, and the agreement to pay that is given beforehand.

Both = Annotated[
    str | None, typer.Option("--model", help="The key of a model for both tiers; see: lorewright models list")
]
Small = Annotated[
    str | None, typer.Option(help="For what takes little: reading words that are unclear, noting what was told.")
]
Large = Annotated[str | None, typer.Option(help="For the prose: the narration.")]
Yes = Annotated[bool, typer.Option("--yes", help="Agree that models which cost money are asked in this campaign.")]
Stream = Annotated[
    bool, typer.Option("--stream/--no-stream", help="At a terminal, show a model's narration while it is written.")
]


def tiers(model: str | None, small: str | None, large: str | None) -> tuple[str | None, str | None]:
    """Return (small, large) as they were chosen; None where no model was named.

    Raises:
        SettingsError: one tier was given two models.
    """
    if model is not None and (small is not None or large is not None):
        raise SettingsError(
            "--model already sets both tiers, and --small-model or --large-model sets one again",
            hint="give --model alone, or one for each tier",
        )
    return (small, large) if model is None else (model, model)


def keys_of(small: str | None, large: str | None) -> ModelKeys:
    """Return the keys of a new campaign; a tier without a model is built in."""
    return ModelKeys(
        BUILTIN_KEYS.small if small is None else small,
        BUILTIN_KEYS.large if large is None else large,
    )


def agree_beforehand(campaign: OpenCampaign) -> None:
    """Agree to the paid models that the next turn asks, and print them with their prices.

    Raises:
        NotTrusted: the settings that name them are not trusted; nothing was agreed to.
    """
    require_trust(campaign)
    models = awaiting(campaign)
    if models:
        agree_to(campaign, models)
        note("agreed to pay for:")
        show_prices(models, tell=note)


def show_models(campaign: OpenCampaign) -> None:
    """Print the models of both tiers, the stages of a turn that each asks, and the price."""
    keys = campaign.keys
    for tier, key in (("small", keys.small), ("large", keys.large)):
        say(f"{tier}: {key}")
    by_stage = [(stage, campaign.stage_models.key(stage, keys)) for stage in stages_of(campaign.setting.rules.profile)]
    stages = [f"{stage.replace('_', ' ')} by {key}" for stage, key in by_stage if key != BUILTIN]
    say(f"  {', '.join(stages) or 'every stage is built in'}", style="dim")
    paid = paid_in(campaign)
    if paid:
        total = sum(model.usd_a_turn or 0.0 for model in paid)
        unknown = ", ".join(model.key for model in paid if model.usd_a_turn is None)
        unpriced = f", and {unknown}: price unknown" if unknown else ""
        waiting = ", ".join(f"{model.key} at {model.shown_address}" for model in awaiting(campaign))
        asks = f"; you are asked before the first turn with {waiting}" if waiting else ""
        say(f"  about {format_dollars(total)} a turn{unpriced}{asks}", style="dim")


def shown_keys(keys: ModelKeys) -> dict[str, str]:
    """Return the keys as JSON fields."""
    return {"small_model_key": keys.small, "large_model_key": keys.large}


def models_of(store: CampaignStore, stage_models: StageModels) -> dict[str, Any]:
    """Return the models that a campaign asks and their cost, for JSON: of all turns ever played in it, failed attempts
    and recaps included. The estimate is None where the settings do not know a key any more."""
    keys, own, used = ModelKeys(*model_keys(store.database)), own_model_keys(store.database), usage(store.database)
    return {
        **shown_keys(keys),
        "of_the_campaign": shown_keys(ModelKeys(*own)),
        "calls": used.calls,
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "cache_read_tokens": used.cache_read_tokens,
        "cached_share": used.cached_share,
        "cost_usd": used.usd,
        "estimated_usd_a_turn": _estimate(stage_models, keys, store),
    }


def models_asked(store: CampaignStore, stage_models: StageModels) -> dict[str, Any]:
    """Return which models a campaign asks from its next turn on, for JSON: the keys of its tiers, as the campaign and
    its active sitting have them, and the stages that ask each model."""
    keys, own = ModelKeys(*model_keys(store.database)), ModelKeys(*own_model_keys(store.database))
    stages = asked_keys(stage_models, keys, (*stages_of(store.campaign().rules.profile), RECAP))
    return {
        **shown_keys(keys),
        "of_the_campaign": shown_keys(own),
        "stages": {key: [*by] for key, by in stages.items()},
    }


def show_models_asked(models: dict[str, Any]) -> None:
    """Print the fields of `models_asked`, a line for each model."""
    for key, stages in models["stages"].items():
        say(f"it asks {key} ({', '.join(stage.replace('_', ' ') for stage in stages)})", style="magenta")
    named = {*models["of_the_campaign"].values(), models["small_model_key"], models["large_model_key"]}
    for key in sorted(named - {BUILTIN, *models["stages"]}):
        say(f"it names {key}, which no stage asks now", style="magenta")
    if models["stages"]:
        say("You are asked before its first turn about those that may cost money.", style="dim")


def show_models_of(models: dict[str, Any]) -> None:
    """Print the fields of `models_of` in two lines; in one where no model was ever asked."""
    small, large = models["small_model_key"], models["large_model_key"]
    keys = small if small == large else f"small {small}, large {large}"
    estimate = models["estimated_usd_a_turn"]
    about = f", about {format_dollars(estimate)} a turn" if estimate else ""
    passing = ", in this sitting" if models["of_the_campaign"] != shown_keys(ModelKeys(small, large)) else ""
    say(f"models: {keys}{passing}{about}", style="dim")
    if models["calls"]:
        share = models["cached_share"]
        cached = "" if share is None else f" ({100 * share:.0f} % from a cache)"
        say(
            f"asked {models['calls']:,} times: in {models['input_tokens']:,}{cached}, out {models['output_tokens']:,}, "
            f"{format_dollars(models['cost_usd'], digits=3)} so far",
            style="dim",
        )


def _estimate(stage_models: StageModels, keys: ModelKeys, store: CampaignStore) -> float | None:
    try:
        return sum(paid_model.usd_a_turn or 0.0 for paid_model in paid_models(stage_models, keys, store))
    except SettingsError:
        # The settings do not know a key any more: the campaign can still be shown, and other models be chosen.
        return None


# lorewright models list, check and try.

app = typer.Typer(
    help="Models that can be chosen for a campaign: what they cost, and whether one answers.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


@app.command("list", epilog="Example: lorewright models list")
def list_models(as_json: AsJson = False) -> None:
    """Every model that has a key: who runs it, how much it reads, what it costs in dollars per million tokens and
    about for a turn that asks it alone, and whether its API key is set in the environment. Rows of your own go under
    [models.keys.NAME] in lorewright.toml."""
    settings = find_workspace(Path.cwd()).settings.models
    listed = [_listed(row, settings) for row in [*rows(settings), *families()]]
    if as_json:
        show_json(listed)
        return
    costs = ("$/M in", "cached", "$/M out", "$ a turn")
    columns = ("key", "provider", "model", "window", *costs, "mode", "API key", "asked at")
    show_table(columns, [_shown(row_shown) for row_shown in listed], right=("window", *costs))
    say()
    say("Choose with --small-model and --large-model; ask one whether it answers: lorewright models check KEY")


@app.command(epilog="Example: lorewright models check claude-haiku --yes")
def check(
    key: Annotated[str, typer.Argument(help="The model's key, as `models list` prints it.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before a model that costs money is asked.")] = False,
    as_json: AsJson = False,
) -> None:
    """Ask a model one tiny question and say how it answered. It costs next to nothing; where it costs anything, you are
    asked first."""
    settings = find_workspace(Path.cwd()).settings.models
    most = most_microusd(key, settings)
    if not _agrees(key, settings, f"this costs at most {_dollars(most)}", yes=yes):
        note("Nothing was asked.")
        raise typer.Exit(1)
    checked = asyncio.run(check_model(key, settings, environ=os.environ))
    if as_json:
        show_json(asdict(checked))
        return
    say(f"{key} answers, as {checked.model_name}", style="green")
    took = f"{checked.milliseconds} ms, {checked.input_tokens} tokens read, {checked.output_tokens} written"
    say(f"  {took}, {_dollars(checked.cost_microusd)}")
    for attempt in checked.tries:
        say(f"  before that: {attempt}", style="yellow")


@app.command("try", epilog="Example: lorewright models try claude-haiku --yes")
def try_out(
    key: Annotated[str, typer.Argument(help="The model's key, as `models list` prints it; `builtin` to compare with.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before a model that costs money is asked.")] = False,
    as_json: AsJson = False,
) -> None:
    """Play five lines of a game that ships with a model in every stage, and say what became of its answers: turns,
    repairs, stages that went on without it, clues that it told, time and cost. Nothing of the game is kept. `parrot`
    tries a model that only repeats what it is shown."""
    lorewright = open_app()
    settings = lorewright.workspace.settings.models
    if key != ParrotModel.key and not _agrees(key, settings, _price_of_trial(key, settings), yes=yes):
        note("Nothing was asked.")
        raise typer.Exit(1)
    with tempfile.TemporaryDirectory() as folder:
        campaigns = lorewright.model_trial(key, Path(folder) / "trial")
        trial = try_model(campaigns, key, on_turn=lambda line, why: note(f"{line}: {why or 'played'}"))
    if as_json:
        show_json(asdict(trial))
    else:
        show_table((trial.key, trial.scenario), _shown_trial(trial))
    if not trial.committed:
        raise typer.Exit(1)


def _agrees(key: str, settings: ModelsSettings, price: str, *, yes: bool) -> bool:
    """Return True if a model may be asked: it costs nothing, or the user agrees; `price` is told where it has one.

    Raises:
        SettingsError: there is no such key, or it has no address.
        NotTrusted: the settings that name it are not trusted.
    """
    row = row_of(key, settings)
    if row.provider != "builtin":
        hold_models(settings)
    address = asked_at(row, settings, os.environ)
    told = f"is paid for: {price}" if row.is_paid else "may cost something: price unknown"
    if yes or not may_cost(row, address):
        return True
    return typer.confirm(f"{key} at {mask_address(address or '')} {told}. Ask it?", err=True)


def _price_of_trial(key: str, settings: ModelsSettings) -> str:
    """Return about what a trial costs, in words."""
    everywhere = settings.model_copy(update={"stages": dict.fromkeys(TIERS, key)})
    about = estimate_turn_cost(small=key, large=key, settings=everywhere) or 0
    return f"{len(LINES)} turns cost about {format_dollars(len(LINES) * about / 1_000_000)}"


def _shown_trial(trial: ModelTrial) -> list[tuple[str, str]]:
    """Return the rows of a trial's table."""
    fell_back = ", ".join(f"{stage.replace('_', ' ')} {turns}×" for stage, turns in trial.fell_back.items())
    learned = f"{trial.told} of {trial.learned} ({trial.told_by_model} by the model itself)"
    tokens = f"{trial.input_tokens:,} read, {trial.output_tokens:,} written, in {trial.calls} calls"
    return [
        ("turns committed", f"{trial.committed} of {trial.turns}"),
        ("turns refused", str(len(trial.refused))),
        ("answers repaired", f"{trial.repaired} of {trial.answers}"),
        ("stages that fell back", fell_back or "none"),
        ("learned clues told", learned),
        ("seconds", f"{trial.seconds:.1f}"),
        ("tokens", tokens),
        ("cost", format_dollars(trial.cost_usd, digits=3) if trial.cost_usd else "$0, or price unknown"),
    ]


def _dollars(microusd: int) -> str:
    return f"${microusd / 1_000_000:.6f}"


def _listed(row: ModelRow, settings: ModelsSettings) -> dict[str, Any]:
    """Return a row for programs."""
    is_family = not row.model
    return {
        "key": f"{row.key}/NAME" if is_family else row.key,
        "provider": row.provider,
        "model": None if is_family else row.model,
        "window": row.window,
        "prices": None if row.prices is None else asdict(row.prices),
        "turn_usd": None if is_family else _turn_usd(row, settings),
        "mode": row.mode,
        "key_env": row.key_env,
        "key_set": has_key(row, os.environ),
        "address": _address(row, settings),
    }


def _address(row: ModelRow, settings: ModelsSettings) -> str | None:
    """Return its address, with names and passwords masked; None is its provider's own server, or an unknown address."""
    known = address_known(row, settings, os.environ)
    return None if known is None else mask_address(known)


def _shown(listed: dict[str, Any]) -> tuple[object, ...]:
    prices = listed["prices"] or {}
    costs = (_price(prices.get(name)) for name in ("input", "cache_read", "output"))
    if listed["provider"] == "builtin":
        return (listed["key"], "", listed["model"], "", *costs, "0", "", "needs none", "")
    key = {True: f"{listed['key_env']} is set", False: f"{listed['key_env']} is not set", None: "needs none"}[
        listed["key_set"]
    ]
    mode = listed["mode"]
    address = listed["address"] or OWN_SERVERS.get(listed["provider"], "")
    turn = "" if listed["turn_usd"] is None else f"{listed['turn_usd']:.4f}"
    return (
        listed["key"],
        listed["provider"],
        listed["model"] or "NAME",
        listed["window"] or "",
        *costs,
        turn,
        mode,
        key,
        address,
    )


def _turn_usd(row: ModelRow, settings: ModelsSettings) -> float | None:
    """Return about what a turn costs in which this model runs every stage, in dollars."""
    about = estimate_turn_cost(small=row.key, large=row.key, settings=settings)
    return None if about is None else about / 1_000_000


def _price(dollars: float | None) -> str:
    return "" if dollars is None else f"{dollars:.4f}".rstrip("0").rstrip(".")
