"""Head and submission -> Draft. One pipeline for every profile: the player's round, then those of the cast.

    freeform   the player's round, told
    stream     the player's round, told; then each of the cast who is activated: intent, round, told
    ensemble   the player's round; everybody's intent, side by side; their rounds; all of it told once

Each stage gets its own filtered view; what follows a round sees the state that it led to. The commit is another file's:
nothing here holds a transaction open while someone thinks.
"""

from __future__ import annotations

from asyncio import CancelledError

from lorewright.errors import CampaignError, LorewrightError
from lorewright.rules.outcomes import EngineEvent
from lorewright.turn.run.at_hand import AtHand, Played
from lorewright.turn.run.drafting import draft_of_question, draft_of_turn
from lorewright.turn.run.own_round import OwnRound
from lorewright.turn.run.rounds import Round, activation, all_intended, carried_out, everybody, intended
from lorewright.turn.run.tellings import Tellings
from lorewright.turn.stages.stages import Stages
from lorewright.turn.views.draft import Draft, Head, Recorder, Setting, Submission, turn_id_of
from lorewright.turn.views.leaks import LEAKS
from lorewright.turn.views.personas import begun
from lorewright.turn.views.stream import TurnStream
from lorewright.turn.views.views import TurnViews
from lorewright.values.listener import SILENT, Listener
from lorewright.values.records import PlannerOutput
from lorewright.values.told_before import NOBODY_ACTED, SKIPPED_MINUTES, TIME_SKIPPED


async def think(
    head: Head,
    submission: Submission,
    setting: Setting,
    stages: Stages,
    recorder: Recorder,
    listener: Listener = SILENT,
) -> Draft:
    """Think a turn to its end. `recorder` has every stage's input and output, also where this raises; `listener` hears
    how it gets on.

    Raises:
        CampaignError: the story has ended, or whoever is to speak or to be whispered to is not there.
        OutputRejected: a model's output stayed invalid.
        ProviderError: a model could not be asked.
    """
    if head.state.ended is not None:
        raise CampaignError(
            "the story has ended", hint="take the last turn back, or begin another: lorewright campaign new SCENARIO"
        )
    seen, ops = begun(head, submission)
    stream = TurnStream(seen, turn_id_of(head.campaign_id, head.turn_id, submission.action_id))
    dice = setting.dice(setting.seed, head.state.truth_hash(), submission.dice_of or submission.action_id)
    with TurnViews(seen, submission, setting, stream) as views:
        played = Played(seen.state, ops=[*ops])
        turn = AtHand(head, submission, setting, stages, recorder, views, listener, stream, dice, played)
        try:
            return await _thought(turn)
        except (LorewrightError, CancelledError):
            _keep_refusals(turn)
            raise


async def _thought(turn: AtHand) -> Draft:
    """All rounds. With a question nothing is planned, rolled, paid or changed, and nobody else acts."""
    own = OwnRound(turn)
    reading, attempts, judged = await own.read()
    if reading.unclear is not None:
        _keep_refusals(turn)
        return draft_of_question(turn, reading.unclear, judged)
    plan = await own.plan(reading.proposed_actions, judged)
    mine = await own.play(attempts, judged)
    tellings = Tellings(turn)
    match turn.setting.rules.profile:
        case "freeform":
            await tellings.tell([mine], plan)
        case "stream":
            await tellings.tell([mine], plan)
            await _one_after_the_other(turn, tellings)
        case "ensemble":
            await _all_at_once(turn, tellings, mine, plan)
    _mark_time(turn)
    _keep_refusals(turn)
    return draft_of_turn(turn, judged)


def _keep_refusals(turn: AtHand) -> None:
    """Record which texts told a secret in a way that another embedder, or a later version, may not find again: a replay
    goes by this record."""
    refusals = turn.views.refusals()
    if refusals.refused:
        turn.recorder.keep_code(LEAKS, [], refusals)


async def _one_after_the_other(turn: AtHand, tellings: Tellings) -> None:
    """Whoever is activated acts, each seeing what was told until then."""
    found = activation(turn)
    for who in found.order:
        if _can_act(turn, who):
            one = await carried_out(turn, who, await intended(turn, who))
            await tellings.tell([one], PlannerOutput())
    if found.skipped and not found.order:
        turn.played.events.append(EngineEvent(type=NOBODY_ACTED, details={"who": list(found.skipped)}))


async def _all_at_once(turn: AtHand, tellings: Tellings, mine: Round, plan: PlannerOutput) -> None:
    """Everybody reflects on what came of the player's round; what they do is told with it."""
    order = [who for who in everybody(turn).order if _can_act(turn, who)]
    rounds: list[Round] = [mine]
    for who, intent in zip(order, await all_intended(turn, order), strict=True):
        if _can_act(turn, who):
            rounds.append(await carried_out(turn, who, intent))
    # What is whispered to the player, or by them, is told apart: others hear the rest.
    apart = [one for one in rounds if one.is_between_two and not one.hidden]
    together = [one for one in rounds if one not in apart]
    groups = [*([[one] for one in apart if one is mine]), together, *([[one] for one in apart if one is not mine])]
    for group in (group for group in groups if group):
        await tellings.tell(group, plan if mine in group else PlannerOutput())


def _can_act(turn: AtHand, who: str) -> bool:
    """Whether somebody is there still, and the story goes on."""
    state = turn.played.state
    return state.ended is None and who in state.present_npcs()


def _mark_time(turn: AtHand) -> None:
    minutes = turn.played.state.minutes - turn.head.state.minutes
    if minutes >= SKIPPED_MINUTES and turn.setting.rules.profile != "freeform":
        turn.played.events.append(EngineEvent(type=TIME_SKIPPED, details={"minutes": minutes}))
