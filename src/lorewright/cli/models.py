"""lorewright models …: which models can be chosen, and whether one answers."""

from __future__ import annotations

import asyncio
import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from lorewright.addresses import OWN_SERVERS, mask_address
from lorewright.cli.output import note, say, show_json, show_table
from lorewright.llm.checking import check_model, most_microusd
from lorewright.llm.opening import address_known, has_key
from lorewright.llm.taxonomy import Row, asked_at, families, may_cost, row_of, rows, turn_microusd
from lorewright.settings import ModelsSettings, find_workspace
from lorewright.trust import hold_models

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
    show_table(columns, [_shown(one) for one in listed], right=("window", *costs))
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
    most, row = most_microusd(key, settings), row_of(key, settings)
    if row.provider != "builtin":
        hold_models(settings)
    address = asked_at(row, settings, os.environ)
    price = f"is paid for: this costs at most {_dollars(most)}" if row.is_paid else "may cost something: price unknown"
    if (
        may_cost(row, address)
        and not yes
        and not typer.confirm(f"{key} at {mask_address(address or '')} {price}. Ask it?", err=True)
    ):
        note("Nothing was asked.")
        raise typer.Exit(1)
    checked = asyncio.run(check_model(key, settings, environ=os.environ))
    if as_json:
        show_json(asdict(checked))
        return
    say(f"{key} answers, as {checked.model_name}", style="green")
    took = f"{checked.milliseconds} ms, {checked.input_tokens} tokens read, {checked.output_tokens} written"
    say(f"  {took}, {_dollars(checked.cost_microusd)}")
    for one in checked.tries:
        say(f"  before that: {one}", style="yellow")


def _dollars(microusd: int) -> str:
    return f"${microusd / 1_000_000:.6f}"


def _listed(row: Row, settings: ModelsSettings) -> dict[str, Any]:
    """A row for programs."""
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


def _address(row: Row, settings: ModelsSettings) -> str | None:
    """Where it is asked, without names and passwords; None is its provider's own server, or nowhere yet."""
    known = address_known(row, settings, os.environ)
    return None if known is None else mask_address(known)


def _shown(one: dict[str, Any]) -> tuple[object, ...]:
    prices = one["prices"] or {}
    costs = (_price(prices.get(name)) for name in ("input", "cache_read", "output"))
    if one["provider"] == "builtin":
        return (one["key"], "", one["model"], "", *costs, "0", "", "needs none", "")
    key = {True: f"{one['key_env']} is set", False: f"{one['key_env']} is not set", None: "needs none"}[one["key_set"]]
    mode = one["mode"]
    there = one["address"] or OWN_SERVERS.get(one["provider"], "")
    turn = "" if one["turn_usd"] is None else f"{one['turn_usd']:.4f}"
    return (one["key"], one["provider"], one["model"] or "NAME", one["window"] or "", *costs, turn, mode, key, there)


def _turn_usd(row: Row, settings: ModelsSettings) -> float | None:
    """About what a turn costs of which this model thinks every stage."""
    about = turn_microusd(small=row.key, large=row.key, settings=settings)
    return None if about is None else about / 1_000_000


def _price(dollars: float | None) -> str:
    return "" if dollars is None else f"{dollars:.4f}".rstrip("0").rstrip(".")
