"""Options that choose models: what they are called, what they come to, and the agreement to pay given beforehand."""

from __future__ import annotations

from typing import Annotated

import typer

from lorewright.campaigns.casting import BUILTIN_KEYS, ModelKeys
from lorewright.campaigns.estimate import agree_to, awaiting, hold_to_trust
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.cli.output import note
from lorewright.cli.seat import show_prices
from lorewright.errors import SettingsError

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
    """(small, large) as they were chosen; None where nothing was said.

    Raises:
        SettingsError: one tier was given two models.
    """
    if model is not None and (small is not None or large is not None):
        raise SettingsError(
            "--model says what --small-model and --large-model say", hint="give --model alone, or one for each tier"
        )
    return (small, large) if model is None else (model, model)


def keys_of(small: str | None, large: str | None) -> ModelKeys:
    """The keys of a new campaign; what is not said is built in."""
    return ModelKeys(
        BUILTIN_KEYS.small if small is None else small,
        BUILTIN_KEYS.large if large is None else large,
    )


def agree_beforehand(campaign: OpenCampaign) -> None:
    """Agree to the paid models that hold just now, and name them with their prices.

    Raises:
        NotTrusted: the settings that name them are not trusted; nothing was agreed to.
    """
    hold_to_trust(campaign)
    models = awaiting(campaign)
    if models:
        agree_to(campaign, models)
        note("agreed to pay for:")
        show_prices(models, tell=note)
