"""Agreement: a model that costs money is asked only after whoever plays has said so, once for each campaign and key."""

from __future__ import annotations

from lorewright.campaigns.estimate import PaidModel, paid_in, paid_keys
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.errors import NotAgreed
from lorewright.storage.model_rows import agree, agreed_keys


def awaiting(campaign: OpenCampaign) -> tuple[PaidModel, ...]:
    """The paid models of a campaign's next turn that nobody has agreed to yet.

    Raises:
        SettingsError: the settings name a key that there is not.
    """
    agreed = agreed_keys(campaign.store.database)
    # Asked before every turn, so that no price is made where nobody is to be asked.
    if not paid_keys(campaign.casting, campaign.keys).keys() - set(agreed):
        return ()
    return tuple(one for one in paid_in(campaign) if one.key not in agreed)


def agree_to(campaign: OpenCampaign, models: tuple[PaidModel, ...]) -> None:
    """From now on the campaign asks these without asking the player."""
    if models:
        agree(campaign.store.database, tuple(one.key for one in models))


def hold_to_agreement(campaign: OpenCampaign) -> None:
    """Refuse to go on where the next turn would ask a paid model that nobody has agreed to.

    Raises:
        NotAgreed: it would; the message names the models with their estimated price.
        SettingsError: the settings name a key that there is not.
    """
    models = awaiting(campaign)
    if models:
        named = " and ".join(f"{one.key} (about {dollars(one.usd_a_turn)} a turn)" for one in models)
        raise NotAgreed(
            f"{campaign.store.campaign_id} asks {named}, and nobody has agreed to that yet; nothing was sent",
            hint="say --yes to agree for this campaign, or play at a terminal, where you are asked",
        )


def dollars(usd: float, *, digits: int = 2) -> str:
    """An amount with so many digits that say something: `$0.012`, `$0.00034`, `$1.50`."""
    if usd <= 0:
        return "$0"
    decimals = 2
    while decimals < 8 and usd < 10 ** (digits - decimals - 1):
        decimals += 1
    return f"${usd:.{decimals}f}"
