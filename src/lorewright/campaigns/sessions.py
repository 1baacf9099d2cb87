"""The sittings of a campaign: when each began, which turns were played in it, and its recap.

A sitting that was left open is still the active one when its campaign is opened again within hours; later it is ended
with its last turn, and another begins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.estimate import PaidModel, agree_to, has_agreed
from lorewright.campaigns.lore import map_of
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.recap import goal_of, recap
from lorewright.campaigns.viewers import persona_of
from lorewright.errors import CampaignError, NotAgreed, NotFound, SettingsError
from lorewright.index.generation import Generation
from lorewright.llm.gateway import Options, run_structured
from lorewright.llm.model import CallLog
from lorewright.retrieval.view import LoreView
from lorewright.rules.patch import Resolution
from lorewright.scene_lore.lore_retriever import LoreRetriever
from lorewright.settings import USUAL_LORE, PlayLore
from lorewright.storage.heads import head_row
from lorewright.storage.model_rows import keep_model_call
from lorewright.storage.sittings import (
    SessionRow,
    active_session_row,
    begin_session,
    finish_session,
    session_rows,
)
from lorewright.turn.run.prose import unknown_names
from lorewright.turn.stages.stage import REPAIR
from lorewright.turn.stages.stages import pinned_library
from lorewright.turn.stages.variables import MessageVariables, RecapContext, SummaryOutput
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.views.acquaintance import Acquaintance
from lorewright.turn.views.draft import use_of
from lorewright.turn.views.story import seen_by
from lorewright.values.entries import lore_conditions
from lorewright.values.records import BUILTIN
from lorewright.world import changes
from lorewright.world.ops import AdvanceTime, OpenScene, StateOp
from lorewright.world.state import OFFSTAGE, WorldState


def end_scene(campaign: OpenCampaign, *, minutes: int = 0, action_id: str | None = None) -> str:
    """Close the scene, in a turn of the kind `edit`, and open the next one in the same place, `minutes` in-world
    minutes later; return the TurnResult as canonical JSON. What falls due in those minutes happens.

    Raises:
        CampaignError: the story has ended.
        ActionIdReused: the action ID was used for something else.
    """
    place = campaign.store.head().state.scene.location_id
    passed: tuple[StateOp, ...] = (AdvanceTime(minutes=minutes),) if minutes else ()
    position = head_row(campaign.store.database)
    return campaign.edit(
        (*passed, OpenScene(location_id=place)),
        action_id=action_id or f"scene-end-{position.turn_id}-{position.revision}",
        by="player",
        note="the scene was ended",
    )


# The sittings: when each began, and which turns were played in it.

# After a longer break a new sitting begins: longer than a dinner, shorter than a night.
_SAME_SITTING = timedelta(hours=4)


class Sessions:
    """The seed's operations on sittings, by the IDs of campaigns and sittings."""

    def __init__(self, campaigns: Campaigns) -> None:
        self._campaigns = campaigns

    def play_turn(self, campaign_id: str, text: str, *, action_id: str | None = None, builtin: bool = False) -> str:
        """Play one turn of a campaign in its sitting, which begins where none is active, and return the TurnResult as
        canonical JSON, as `OpenCampaign.submit` does.

        Raises:
            NotFound: there is no such campaign.
        And what `OpenCampaign.submit` raises.
        """
        with self._campaigns.open(campaign_id) as campaign:
            sit_down(campaign, action_id=action_id)
            return asyncio.run(campaign.submit(text, action_id=action_id, builtin=builtin))

    def start_session(self, campaign_id: str) -> SessionRow:
        """Begin a sitting and return it.

        Raises:
            NotFound: there is no such campaign.
            CampaignError: one is active already.
        """
        with self._campaigns.open(campaign_id) as campaign:
            active = active_session_row(campaign.store.database)
            if active is not None:
                raise CampaignError(
                    f"a sitting of {campaign_id} is active since {active.started_at}",
                    hint=f"end it: lorewright session end {campaign_id}",
                )
            return begin(campaign)

    def end_session(self, session_id: str) -> SessionRow:
        """End a sitting and return it with its summary. A sitting that has ended is returned as it is.

        Raises:
            NotFound: there is no such sitting.
        """
        with self._campaigns.open(_campaign_of(session_id)) as campaign:
            return end(campaign, _found(campaign.store, session_id))

    def active_session(self, campaign_id: str) -> SessionRow | None:
        """Return the sitting that has not ended, or None.

        Raises:
            NotFound: there is no such campaign.
        """
        with self._campaigns.reading(campaign_id) as store:
            return active_session_row(store.database)

    def scene_cache(self, campaign_id: str, place_id: str) -> dict[str, str | None]:
        """Return of which scene and sitting a place's lore is cached, and since when: `scene_id`, `session_id` and
        `retrieved_at` of the seed's SceneLoreCache. Only the scene that is played is told of, other places have none.

        Raises:
            NotFound: there is no such campaign.
        """
        with self._campaigns.reading(campaign_id) as store:
            scene = store.head().state.scene
            cached = store.cached_scene() if scene.location_id == place_id else None
            return {
                "scene_id": scene.id if scene.location_id == place_id else "",
                "session_id": None if cached is None else cached.session_id,
                "retrieved_at": None if cached is None else cached.retrieved_at,
            }

    def generate_recap(self, session_id: str, viewer: str = "player") -> str:
        """Return the recap of a sitting, of the turns that are still part of the story, for `player` or `pc:ID`.

        Raises:
            NotFound: there is no such sitting or persona.
            SettingsError: the viewer is no player.
        """
        with self._campaigns.open(_campaign_of(session_id)) as campaign:
            who = persona_of(campaign.store.head().state, viewer)
            return recap_of(campaign, _found(campaign.store, session_id), who=who)

    def session_history(self, campaign_id: str) -> list[SessionRow]:
        """Return all sittings, oldest first, without the summaries of turns that were taken back; where there are
        several personas, with summaries for the player of the one who is played.

        Raises:
            NotFound: there is no such campaign.
        """
        with self._campaigns.reading(campaign_id) as store:
            if not store.head().state.personas:
                return sittings(store)
        with self._campaigns.open(campaign_id) as campaign:
            return [
                session if session.summary is None else replace(session, summary=recap_of(campaign, session))
                for session in sittings(campaign.store)
            ]


def active_or_new_session(campaign: OpenCampaign, *, at: str | None = None) -> SessionRow:
    """Return the sitting that turns played now belong to: the active one, or a new one where there is none or it was
    left open for hours. `at` is the time, by default now."""
    active = active_session_row(campaign.store.database)
    if active is not None:
        last = max(active.started_at, campaign.store.campaign().updated_at)
        if datetime.fromisoformat(at or campaign.store.time()) - datetime.fromisoformat(last) < _SAME_SITTING:
            return active
        end(campaign, active)
    return begin(campaign)


def sit_down(campaign: OpenCampaign, *, action_id: str | None = None) -> None:
    """Have the turn that is played next belong to a sitting, with the lore that it begins with. An action ID whose turn
    was played already begins none."""
    if action_id is None or campaign.store.result_of(action_id) is None:
        active_or_new_session(campaign)


def begin(campaign: OpenCampaign) -> SessionRow:
    """Begin a sitting at the head and return it; where a sitting is active, return that."""
    store, head = campaign.store, campaign.store.head()
    row = SessionRow(
        id="",
        campaign_id=store.campaign_id,
        started_at=store.time(),
        ended_at=None,
        turn_range_start=head.turn_no + 1,
        turn_range_end=None,
        session_lore=retrieve_for_session(
            head.state, campaign.setting.generations, campaign.setting.lore or USUAL_LORE
        ),
        summary=None,
        world_events_pending=(),
        start_turn_id=head.turn_id,
        end_turn_id=None,
    )
    return begin_session(store.database, row)


def end(campaign: OpenCampaign, session: SessionRow) -> SessionRow:
    """End a sitting with its last turn and its summary, and return it; a sitting that has ended stays as it is."""
    if session.ended_at is None:
        own = own_turns(campaign.store, session)
        finish_session(
            campaign.store.database,
            session.id,
            ended_at=campaign.store.time(session.id),
            first_turn_no=own[0]["turn_no"] if own else session.turn_range_start,
            last_turn_no=own[-1]["turn_no"] if own else None,
            last_turn_id=own[-1]["turn_id"] if own else None,
            summary=recap_of(campaign, session),
        )
    return _found(campaign.store, session.id)


def recap_of(campaign: OpenCampaign, session: SessionRow, *, who: str | None = None, anew: bool = False) -> str:
    """Return the recap of a sitting's turns on the path to the head, for the player of a persona, by default of the one
    who is played; where there is only one, its stored summary as long as its last turn is on that path, unless it is
    to be made `anew`."""
    return recap_for(campaign.store, campaign.setting.generations, session, who=who, anew=anew)


def recap_for(
    store: CampaignStore,
    generations: Sequence[Generation],
    session: SessionRow,
    *,
    who: str | None = None,
    anew: bool = False,
) -> str:
    """Return the recap of a sitting for the player of a persona, by default of the one who is played at the head. See
    `recap_of`."""
    head = store.head()
    who = who or head.state.player_id
    is_kept = session.summary is not None and session.end_turn_id is not None
    # A stored summary is of the persona who was played last, and may be of a version that told of all of them.
    if is_kept and not anew and not head.state.personas and store.is_on_path(str(session.end_turn_id)):
        return str(session.summary)
    own = own_turns(store, session)
    before = after = as_played_by(who, head.state)
    if own:
        turns = store.turns()
        before = as_played_by(who, store.state_at(turns[own[0]["turn_no"] - 1]["turn_id"]))
        after = as_played_by(who, store.state_at(own[-1]["turn_id"]))
    story = store.story(replace(head, state=head.state.with_fields(player_id=who)))
    shown = Acquaintance(after, generations, story, who).shown
    return recap(
        before,
        shown,
        list(_resolutions_of(who, store, own, head.state)),
        learned=learned_between(before, after, generations),
        goal=goal_of(store.campaign().scenario, who, head.state),
        unseen=[way.to for place in map_of(shown) for way in place.ways if not way.visited],
    )


def as_played_by(who: str, state: WorldState) -> WorldState:
    """Return a state as it would be if a persona were the one who is played: the scene is where they are."""
    if who == state.player_id:
        return state
    place = state.positions.get(who, state.scene.location_id)
    return state.with_fields(player_id=who, scene=state.scene.model_copy(update={"location_id": place}))


def _resolutions_of(
    who: str, store: CampaignStore, turns: Sequence[dict[str, Any]], head: WorldState
) -> Iterator[Resolution]:
    """Yield what was tried in the turns that a persona was played in: all, where there is only one."""
    for turn in turns:
        if not head.personas or store.state_at(turn["turn_id"]).player_id == who:
            yield resolution_of(store, turn["turn_id"])


def resolution_of(store: CampaignStore, turn_id: str) -> Resolution:
    """Return the stored resolution of a turn; it is empty for a turn that asked the player back."""
    return store.resolution(turn_id)


def learned_between(before: WorldState, after: WorldState, generations: Sequence[Generation]) -> list[str]:
    """Return the texts that the player came to know from one state to the other, in that order."""
    known = after.reveals.get(after.player_id, {})
    new = sorted(changes.items_learned(before, after), key=lambda item_id: (known[item_id].minute, item_id))
    found = [next((item for generation in generations if (item := generation.item(item_id))), None) for item_id in new]
    return [item.text for item in found if item is not None]


def retrieve_for_session(
    state: WorldState, generations: Sequence[Generation], budgets: PlayLore = USUAL_LORE
) -> dict[str, Any]:
    """Return the lore that a sitting begins with: of the open threads, of the entities that they are about, and of the
    cast that is on stage.

    It is the lore that is open to a reader who has learned nothing, so the player may still know it when turns are
    taken back.
    """
    threads = {thread.id: thread.title for thread in state.open_threads()}
    related = [who for thread_id in threads for who in state.threads[thread_id].related_entity_ids]
    cast = sorted(who for who, where in state.positions.items() if where != OFFSTAGE and who != state.player_id)
    view = LoreView(tuple(generations), viewer="player", conditions=lore_conditions(state))
    subjects = list(dict.fromkeys([*related, *cast]))
    return LoreRetriever.of(view).retrieve_for_session(
        threads, subjects, budgets.session_tokens, limit=budgets.session_limit
    )


def session_fields(session: SessionRow) -> dict[str, Any]:
    """Return a sitting as JSON-ready fields, in the shape that the specification gives it."""
    return {
        "id": session.id,
        "campaign_id": session.campaign_id,
        "started_at": session.started_at,
        "ended_at": session.ended_at,
        "turn_range_start": session.turn_range_start,
        "turn_range_end": session.turn_range_end,
        "session_lore": session.session_lore,
        "summary": session.summary,
        "world_events_pending": list(session.world_events_pending),
    }


def own_turns(store: CampaignStore, session: SessionRow) -> list[dict[str, Any]]:
    """Return the turns of a sitting that are on the path to the head, first turn first."""
    return [turn for turn in store.turns() if turn["session_id"] == session.id]


def _campaign_of(session_id: str) -> str:
    campaign_id, _, name = session_id.rpartition(":")
    if not campaign_id or not name:
        raise NotFound(f"{session_id!r} is not the ID of a sitting", hint="see: lorewright session list CAMPAIGN")
    return campaign_id


def sittings(store: CampaignStore) -> list[SessionRow]:
    """Return all sittings, oldest first. The summary is None while the turn that the sitting ended with is taken back,
    since it tells what was learned."""
    return [
        session
        if session.end_turn_id is None or store.is_on_path(session.end_turn_id)
        else replace(session, summary=None)
        for session in session_rows(store.database)
    ]


def _found(store: CampaignStore, session_id: str) -> SessionRow:
    for session in sittings(store):
        if session.id == session_id:
            return session
    raise NotFound(f"there is no sitting {session_id}", hint=f"see: lorewright session list {store.campaign_id}")


# The recap of a sitting in a model's words, from what the player has read. It is made only on request: the summary that
# a sitting ends with is the built-in one.

STAGE = "recap"
# At most this many of a sitting's last narrations are read: a long evening has more than fit.
_NARRATIONS = 40


async def recap_by_model(
    campaign: OpenCampaign, session: SessionRow, *, agreed: bool = False, who: str | None = None
) -> str:
    """Return the recap of a sitting, told by the campaign's large model to the player of a persona, by default of the
    one who is played. With `agreed` the model may be paid for, from now on. The call is stored with the campaign.

    Raises:
        SettingsError: the campaign has no large model, or it cannot be asked.
        NotAgreed: it costs money, and nobody has agreed to pay.
        CampaignError: nothing was played in the sitting.
        ProviderError: the model gave no valid recap; the call is stored all the same.
    """
    key = campaign.stage_models.key(STAGE, campaign.keys)
    model = campaign.stage_models.model(STAGE, campaign.keys, campaign.spent())
    if model is None or key == BUILTIN:
        raise SettingsError(
            "the campaign has no large model to tell it",
            hint=f"choose one: lorewright session set {campaign.store.campaign_id} --large-model KEY",
        )
    if campaign.stage_models.may_cost(key) and not has_agreed(campaign, key):
        usd = None if campaign.stage_models.prices(key) is None else 0.0
        paid = PaidModel(key, (STAGE,), usd, campaign.stage_models.address(key) or "")
        if not agreed:
            costs = "costs money" if usd is not None else "may cost money (price unknown)"
            raise NotAgreed(
                f"{key} at {paid.shown_address} {costs}, and nobody has agreed to that yet; nothing was sent",
                hint="say --yes to agree for this campaign",
            )
        agree_to(campaign, (paid,))
    context = _context(campaign, session, who or campaign.store.head().state.player_id)
    shown, log = context.model_dump_json(), CallLog()
    prompts = pinned_library(campaign.store.database, campaign.stage_models.library)
    options: Options[SummaryOutput] = Options(
        model=model,
        stage=STAGE,
        repair=prompts.prompt(REPAIR),
        check=lambda answer: _made_up(answer.text, shown),
        prose=True,
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


def _told_in(store: CampaignStore, turn: dict[str, Any], who: str) -> str:
    """Return what a persona was told in a turn."""
    messages = store.messages(turn["turn_id"], last=1, seen_from=store.position().turn_id)
    seen = seen_by("recap", (message for _, message in messages), own_id=who)
    return "\n\n".join(message.content for message in seen if message.type == "narration")


def _context(campaign: OpenCampaign, session: SessionRow, who: str) -> RecapContext:
    store = campaign.store
    own = own_turns(store, session)
    if not own:
        raise CampaignError("nothing was played in that sitting", hint="play first, then ask for its recap")
    turns = store.turns()
    before = as_played_by(who, store.state_at(turns[own[0]["turn_no"] - 1]["turn_id"]))
    after = as_played_by(who, store.state_at(own[-1]["turn_id"]))
    narrations = list(filter(None, (_told_in(store, turn, who) for turn in own if turn["kind"] == "play")))
    return RecapContext(
        player_name=after.name_of(after.player_id),
        msgs=tuple(MessageVariables(character="narrator", text=text) for text in narrations[-_NARRATIONS:]),
        learned=tuple(learned_between(before, after, campaign.setting.generations)),
        threads=tuple(thread.title for thread in after.open_threads()),
        place=after.name_of(after.scene.location_id),
    )
