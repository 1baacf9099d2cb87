"""A head and a submission -> how its words are read and judged, and what would come of it: a turn's own first steps,
with nothing told and nothing written."""

from __future__ import annotations

from dataclasses import dataclass

from lorewright.rules.patch import Resolution
from lorewright.turn.run.player_round import open_turn, play_player, read_words
from lorewright.turn.run.steps import PlayerReading, TurnContext, TurnOpening
from lorewright.turn.stages.stages import Stages
from lorewright.turn.views.draft import Head, Recorder, Setting, Submission, apply_persona
from lorewright.turn.views.views import TurnViews
from lorewright.values.records import SILENT
from lorewright.world.state import WorldState


@dataclass(frozen=True, slots=True)
class AppliedActions:
    """What would come of a submission: the state that the player's own round leads to, and what is done in it."""

    state: WorldState
    resolution: Resolution


async def judge(head: Head, submission: Submission, setting: Setting, stages: Stages) -> PlayerReading:
    """Return how the words of a submission are read, or its actions, and how the rules judge them.

    Raises:
        CampaignError: the persona, or the person whispered to, is not there.
        ProviderError: a model failed.
    """
    with TurnViews(head, submission, setting) as views:
        return (await _begun(head, submission, setting, stages, views))[2]


async def try_out(head: Head, submission: Submission, setting: Setting, stages: Stages) -> AppliedActions:
    """Return what would come of a submission: the dice are those that its action ID would throw. The cast does nothing.

    Raises:
        CampaignError, ProviderError: as `judge`.
    """
    with TurnViews(head, submission, setting) as views:
        turn, opening, reading = await _begun(head, submission, setting, stages, views)
        played = await play_player(turn, opening, reading, reading.at)
    return AppliedActions(played.after, played.resolution)


async def _begun(
    head: Head, submission: Submission, setting: Setting, stages: Stages, views: TurnViews
) -> tuple[TurnContext, TurnOpening, PlayerReading]:
    seen, ops = apply_persona(head, submission)
    dice = setting.dice(setting.seed, head.state.truth_hash(), submission.action_id)
    turn = TurnContext(head, submission, setting, stages, Recorder(), SILENT, dice, views)
    opening = open_turn(turn, seen, ops)
    return turn, opening, await read_words(turn, opening)
