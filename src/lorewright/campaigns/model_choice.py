"""Which models a campaign asks: chosen for the active sitting or for good, between any two turns."""

from __future__ import annotations

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.sessions import active_or_new_session
from lorewright.campaigns.stage_models import ModelKeys
from lorewright.storage import sittings
from lorewright.storage.model_rows import set_model_keys


def choose_for_sitting(campaign: OpenCampaign, *, small: str | None = None, large: str | None = None) -> ModelKeys:
    """Set the models that are asked from the next turn to the end of the sitting and return the keys that now hold;
    None leaves a tier as it is. Without an active sitting one begins.

    Raises:
        SettingsError: there is no model of such a key, or it cannot be asked; nothing was changed.
    """
    _check(campaign, small, large)
    session = active_or_new_session(campaign)
    sittings.set_model_keys(
        campaign.store.database,
        session.id,
        small=session.small_model_key if small is None else small,
        large=session.large_model_key if large is None else large,
    )
    return campaign.keys


def choose_for_campaign(campaign: OpenCampaign, *, small: str | None = None, large: str | None = None) -> ModelKeys:
    """Set the models that are asked from the next turn on, in this sitting and in later ones, and return the keys that
    now hold; None leaves a tier as it is.

    Raises:
        SettingsError: there is no model of such a key, or it cannot be asked; nothing was changed.
    """
    _check(campaign, small, large)
    database = campaign.store.database
    set_model_keys(database, small=small, large=large)
    session = sittings.active_session_row(database)
    if session is not None:
        # A key of the sitting's own would override the one that was just chosen.
        kept_small = session.small_model_key if small is None else None
        kept_large = session.large_model_key if large is None else None
        sittings.set_model_keys(database, session.id, small=kept_small, large=kept_large)
    return campaign.keys


def _check(campaign: OpenCampaign, *keys: str | None) -> None:
    for key in keys:
        if key is not None:
            campaign.stage_models.check(key)
