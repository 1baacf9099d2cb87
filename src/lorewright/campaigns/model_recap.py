"""A sitting -> its recap in a model's words, from nothing but what the player has read. It is asked for, never made by
itself: the summary that a sitting ends with is built in."""

from __future__ import annotations

from dataclasses import asdict

from lorewright.campaigns.estimate import PaidModel, agree_to, has_agreed
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.sessions import learned_between, own_turns
from lorewright.errors import CampaignError, NotAgreed, SettingsError
from lorewright.llm.gateway import Options, run_structured
from lorewright.llm.model import CallLog
from lorewright.storage.model_rows import keep_model_call
from lorewright.storage.sittings import SessionRow
from lorewright.turn.checks.accepting import unknown_names
from lorewright.turn.prompting.pinning import pinned_library
from lorewright.turn.prompting.variables import MessageVariables, RecapContext, SummaryOutput
from lorewright.turn.stages.stage import REPAIR
from lorewright.turn.views.draft import use_of
from lorewright.values.records import BUILTIN

STAGE = "recap"
# So many of a sitting's last narrations are read; a long evening has more than fit.
_NARRATIONS = 40
_MAX_TOKENS = 1_024


async def recap_by_model(campaign: OpenCampaign, session: SessionRow, *, agreed: bool = False) -> str:
    """What a sitting amounted to, told by the campaign's large model; `agreed` says that it may be paid for, from now
    on. The call is kept with the campaign.

    Raises:
        SettingsError: the campaign has no large model, or it cannot be asked.
        NotAgreed: it costs money, and nobody has agreed to that.
        CampaignError: nothing was played in the sitting.
        ProviderError: no valid recap could be had; the call is kept all the same.
    """
    key = campaign.casting.key(STAGE, campaign.keys)
    model = campaign.casting.model(STAGE, campaign.keys, campaign.spent())
    if model is None or key == BUILTIN:
        raise SettingsError(
            "the campaign has no large model to tell it",
            hint=f"choose one: lorewright session set {campaign.store.campaign_id} --large-model KEY",
        )
    if campaign.casting.may_cost(key) and not has_agreed(campaign, key):
        usd = None if campaign.casting.prices(key) is None else 0.0
        paid = PaidModel(key, (STAGE,), usd, campaign.casting.address(key) or "")
        if not agreed:
            costs = "costs money" if usd is not None else "may cost money (price unknown)"
            raise NotAgreed(
                f"{key} at {paid.shown_address} {costs}, and nobody has agreed to that yet; nothing was sent",
                hint="say --yes to agree for this campaign",
            )
        agree_to(campaign, (paid,))
    context = _context(campaign, session)
    shown, log = context.model_dump_json(), CallLog()
    prompts = pinned_library(campaign.store.database, campaign.casting.library)
    options: Options[SummaryOutput] = Options(
        model=model,
        stage=STAGE,
        repair=prompts.prompt(REPAIR),
        check=lambda told: _made_up(told.text, shown),
        prose=True,
        max_tokens=_MAX_TOKENS,
        log=log,
    )
    try:
        response = await run_structured(prompts.prompt(STAGE), context.model_dump(), SummaryOutput, options)
    finally:
        record = {
            "stage": STAGE,
            "model_key": log.model_key,
            "provider": log.provider,
            "prompt": {} if (used := use_of(log)) is None else asdict(used),
            "calls": [call.shown() for call in log.calls],
        }
        keep_model_call(
            campaign.store.database,
            stage=STAGE,
            session_id=session.id,
            record=record,
            time=campaign.store.time(session.id),
        )
    return response.output.text


def _made_up(text: str, shown: str) -> str | None:
    names = unknown_names(text, shown=shown)
    return f"it names what it was not shown: {', '.join(names[:5])}; leave the name out" if names else None


def _context(campaign: OpenCampaign, session: SessionRow) -> RecapContext:
    store = campaign.store
    own = own_turns(store, session)
    if not own:
        raise CampaignError("nothing was played in that sitting", hint="play first, then ask for its recap")
    turns = store.turns()
    before, after = store.state_at(turns[own[0]["turn_no"] - 1]["turn_id"]), store.state_at(own[-1]["turn_id"])
    told = [str(turn["result"]["final_text"]) for turn in own if turn["kind"] == "play"][-_NARRATIONS:]
    open_threads = [thread.title for _, thread in sorted(after.threads.items()) if thread.status == "open"]
    return RecapContext(
        player_name=after.name_of(after.player_id),
        msgs=tuple(MessageVariables(character="narrator", text=text) for text in told),
        learned=tuple(learned_between(before, after, campaign.setting.generations)),
        threads=tuple(open_threads),
        place=after.name_of(after.scene.location_id),
    )
