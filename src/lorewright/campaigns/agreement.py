"""Agreement: a model that may cost money is asked only after whoever plays has said so, once for each campaign, key and
address.

The yes is kept in the user's own folder (`lorewright.grants`), not in the campaign: a campaign that comes from
elsewhere brings none with it, whether it was imported or its file was laid into the workspace.
"""

from __future__ import annotations

from lorewright.campaigns.estimate import PaidModel, asked_keys, paid_in, paid_keys
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.errors import NotAgreed
from lorewright.grants import find_agreements, keep_agreements, make_token
from lorewright.storage.model_rows import created_at


def awaiting(campaign: OpenCampaign) -> tuple[PaidModel, ...]:
    """The models of a campaign's next turn that may cost money and that nobody has agreed to yet.

    Raises:
        SettingsError: the settings name a key that there is not.
    """
    agreed = _agreed(campaign)
    # Asked before every turn, so that no price is made where nobody is to be asked.
    if all(has_agreed(campaign, key, agreed) for key in paid_keys(campaign.casting, campaign.keys)):
        return ()
    return tuple(one for one in paid_in(campaign) if not has_agreed(campaign, one.key, agreed))


def has_agreed(campaign: OpenCampaign, key: str, agreed: frozenset[str] | None = None) -> bool:
    """Return whether this user has agreed that the campaign asks the model of a key where it is asked now."""
    known = _agreed(campaign) if agreed is None else agreed
    return _token(key, campaign.casting.address(key)) in known


def agree_to(campaign: OpenCampaign, models: tuple[PaidModel, ...]) -> None:
    """From now on the campaign asks these, at these addresses, without asking the player.

    Raises:
        SettingsError: the yes cannot be kept.
    """
    if models:
        tokens = {_token(one.key, one.address): f"{one.key} at {one.shown_address}" for one in models}
        database = campaign.store.database
        keep_agreements(database.path, created_at(database), tokens)


def hold_to_trust(campaign: OpenCampaign) -> None:
    """Refuse, or have the user asked, where the next turn would ask a model by settings that they have not said yes to.

    Raises:
        NotTrusted: it would; nothing was sent.
    """
    if asked_keys(campaign.casting, campaign.keys):
        campaign.casting.hold_to_trust()


def hold_to_agreement(campaign: OpenCampaign) -> None:
    """Refuse to go on where the next turn would ask a model that may cost money and that nobody has agreed to.

    Raises:
        NotTrusted: the settings that name it are not trusted; nothing was sent.
        NotAgreed: it would; the message names the models with their estimated price and address.
        SettingsError: the settings name a key that there is not.
    """
    hold_to_trust(campaign)
    models = awaiting(campaign)
    if models:
        named = " and ".join(f"{one.key} ({told_price(one)})" for one in models)
        raise NotAgreed(
            f"{campaign.store.campaign_id} asks {named}, and nobody has agreed to that yet; nothing was sent",
            hint="say --yes to agree for this campaign, or play at a terminal, where you are asked",
        )


def told_price(model: PaidModel) -> str:
    """Return about what a turn with a model costs, and where it is asked, in words."""
    price = "price unknown" if model.usd_a_turn is None else f"about {dollars(model.usd_a_turn)} a turn"
    return f"{price}, at {model.shown_address}"


def _agreed(campaign: OpenCampaign) -> frozenset[str]:
    database = campaign.store.database
    return find_agreements(database.path, created_at(database))


def _token(key: str, address: str | None) -> str:
    return make_token((key, address or ""))


def dollars(usd: float, *, digits: int = 2) -> str:
    """An amount with so many digits that say something: `$0.012`, `$0.00034`, `$1.50`."""
    if usd <= 0:
        return "$0"
    decimals = 2
    while decimals < 8 and usd < 10 ** (digits - decimals - 1):
        decimals += 1
    return f"${usd:.{decimals}f}"
