"""Submission -> committed turn: read the head, think without an open transaction, commit in one short one."""

from __future__ import annotations

import random
from asyncio import CancelledError, sleep

from lorewright.errors import CampaignError, HeadMoved, LorewrightError
from lorewright.turn.run.pipeline import think
from lorewright.turn.stages.stages import Stages
from lorewright.turn.store.turn_store import TurnStore
from lorewright.turn.views.draft import Recorder, Setting, Submission
from lorewright.values.records import SILENT, TurnListener

# Built-in stages can think again at no cost; with many players the head may move more than once.
_RETRIES = 20
# So that of many at once not all think in vain all the time: a random wait whose bound doubles ("full jitter").
_WAIT_S = 0.4
_LONGEST_WAIT_S = 3.2


async def run_turn(
    store: TurnStore, submission: Submission, setting: Setting, stages: Stages, listener: TurnListener = SILENT
) -> str:
    """Run one turn and commit it; return its TurnResult as canonical JSON.

    The same action ID with the same words returns the stored bytes and runs nothing. If another turn was committed
    meanwhile, this one is thought again if that costs nothing.

    Raises:
        ActionIdReused: the action ID is known with other words.
        HeadMoved: other turns were committed first, and thinking again would cost money or was in vain.
        CampaignError: the story has ended.
        ProviderError: a model failed, or its output stayed invalid.
    Whatever is raised, stream and state are as before; the attempt is stored in the attempt log.
    """
    stored = store.stored_result(submission)
    if stored is not None:
        return stored
    try:
        return await _attempt(store, submission, setting, stages, listener)
    except HeadMoved:
        again = store.stored_result(submission)
        if again is not None or not stages.are_builtin:
            return _stored_or_raise(again)
    for retry in range(_RETRIES):
        await sleep(random.uniform(0, min(_LONGEST_WAIT_S, _WAIT_S * 2**retry)))
        try:
            return store.stored_result(submission) or await _attempt(store, submission, setting, stages, listener)
        except HeadMoved:
            continue
    return _stored_or_raise(store.stored_result(submission))


def _stored_or_raise(stored: str | None) -> str:
    if stored is None:
        raise HeadMoved("other turns were committed while this one was thought", hint="say it again")
    return stored


async def _attempt(
    store: TurnStore, submission: Submission, setting: Setting, stages: Stages, listener: TurnListener
) -> str:
    head = store.head()
    if head.upgrade_id != setting.upgrade_id:
        raise HeadMoved(
            "the campaign uses other rules or packs since it was opened", hint="open it again, and say it again"
        )
    recorder = Recorder()
    try:
        draft = await think(head, submission, setting, stages, recorder, listener)
        return store.commit(draft)
    except LorewrightError as error:
        store.keep_attempt(head, submission, error, recorder.records)
        raise
    except CancelledError:
        # Calls to models until then are paid for all the same.
        store.keep_attempt(head, submission, CampaignError("it was stopped"), recorder.records)
        raise
