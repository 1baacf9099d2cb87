"""Submission -> committed turn: read the head, think with nothing held open, commit in one short transaction."""

from __future__ import annotations

from asyncio import CancelledError

from lorewright.errors import CampaignError, HeadMoved, LorewrightError
from lorewright.turn.run.pipeline import think
from lorewright.turn.stages.stages import Stages
from lorewright.turn.store.turn_store import TurnStore
from lorewright.turn.views.draft import Recorder, Setting, Submission
from lorewright.values.listener import SILENT, Listener

# Built-in stages think again for nothing; in a crowd the head may move more than once.
_RETRIES = 20


async def run_turn(
    store: TurnStore, submission: Submission, setting: Setting, stages: Stages, listener: Listener = SILENT
) -> str:
    """Run one turn and commit it; its TurnResult as canonical JSON.

    The same action ID with the same words gives the stored bytes and runs nothing. If another turn was committed
    meanwhile, this one is thought again when that costs nothing.

    Raises:
        ActionIdReused: the action ID is known with other words.
        HeadMoved: others were faster, and thinking again would cost money or was in vain.
        CampaignError: the story has ended.
        ProviderError: a model failed, or its output stayed invalid.
    Whatever is raised, stream and state are as before; the attempt is kept in the attempt log.
    """
    stored = store.stored_result(submission)
    if stored is not None:
        return stored
    try:
        return await _attempt(store, submission, setting, stages, listener)
    except HeadMoved:
        again = store.stored_result(submission)
        if again is not None or not stages.are_builtin:
            return _or_moved(again)
    for _ in range(_RETRIES):
        try:
            return store.stored_result(submission) or await _attempt(store, submission, setting, stages, listener)
        except HeadMoved:
            continue
    return _or_moved(store.stored_result(submission))


def _or_moved(stored: str | None) -> str:
    if stored is None:
        raise HeadMoved("other turns were committed while this one was thought", hint="say it again")
    return stored


async def _attempt(
    store: TurnStore, submission: Submission, setting: Setting, stages: Stages, listener: Listener
) -> str:
    head = store.head()
    if head.upgrade_id != setting.upgrade_id:
        raise HeadMoved("the campaign goes by other rules or packs by now", hint="open it again, and say it again")
    recorder = Recorder()
    try:
        draft = await think(head, submission, setting, stages, recorder, listener)
        return store.commit(draft)
    except LorewrightError as error:
        store.keep_attempt(head, submission, error, recorder.records)
        raise
    except CancelledError:
        # What models were asked until then is paid for all the same.
        store.keep_attempt(head, submission, CampaignError("it was stopped"), recorder.records)
        raise
