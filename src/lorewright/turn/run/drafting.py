"""A turn that is thought to its end -> the Draft that is committed: messages, memory, result."""

from __future__ import annotations

from lorewright.rules.outcomes import Validation
from lorewright.storage.entry_rows import ENTRIES
from lorewright.turn.run.at_hand import AtHand
from lorewright.turn.run.citations import citations
from lorewright.turn.views.draft import Draft, SceneLoreUse, TurnKind, turn_id_of
from lorewright.turn.views.scope import suggestions
from lorewright.turn.views.views import TurnViews
from lorewright.turn.views.visibility import seen_by
from lorewright.values.kept import Kept
from lorewright.values.messages import Message
from lorewright.values.records import Unclear
from lorewright.values.result import NEXT_PROMPT, TurnResult
from lorewright.world.state import WorldState


def draft_of_question(turn: AtHand, unclear: Unclear, validation: Validation) -> Draft:
    """A turn that asks back: the question is its result, its lines are what can be answered; the state is as before."""
    asked = Validation(clarification=validation.clarification)
    result = _result(turn, final_text=unclear.question, options=unclear.lines, validation=asked)
    return _draft(turn, result, kind="clarification", validation=asked)


def draft_of_turn(turn: AtHand, validation: Validation) -> Draft:
    """A turn that was played; `validation` is of the player's own actions."""
    state, views = turn.played.state, turn.views
    if (entries := views.entries_found()) is not None:
        turn.recorder.keep_code(ENTRIES, [], entries)
    shown = views.acquaintance(state).shown
    options = suggestions(shown, views.heard_of(state), views.told_of(state), ruleset=turn.setting.rules.ruleset)
    result = _result(turn, final_text=_heard(turn.stream.messages, state), options=options, validation=validation)
    judged = validation.model_copy(update={"results": tuple(turn.played.results)})
    return _draft(turn, result, kind="play", validation=judged)


def _draft(turn: AtHand, result: TurnResult, *, kind: TurnKind, validation: Validation) -> Draft:
    played = turn.played
    return Draft(
        head=turn.head,
        submission=turn.submission,
        turn_id=result.turn_id,
        kind=kind,
        ops=tuple(played.ops),
        state=played.state,
        messages=turn.stream.messages,
        actions=tuple(played.actions),
        validation=validation,
        records=tuple(turn.recorder.records),
        result=result,
        scene_lore=_use(turn.views, turn.head.state, played.state),
        kept=Kept(summary=played.summary, lorebook=tuple(played.lorebook), reviews=tuple(played.reviews)),
    )


def _use(views: TurnViews, before: WorldState, after: WorldState) -> SceneLoreUse:
    """A turn used what was kept unless the scene that it began in or the one that it ended in was gathered whole."""
    scenes = {before.scene.id, after.scene.id}
    return SceneLoreUse(not scenes & views.cache.gathered, after.scene.id, views.cache.to_keep(after.scene.id))


def _heard(messages: tuple[Message, ...], state: WorldState) -> str:
    """The narrations that the player was there for, as one text."""
    heard = seen_by("player", messages, own_id=state.player_id)
    return "\n\n".join(message.content for message in heard if message.type == "narration")


def _result(turn: AtHand, *, final_text: str, options: tuple[str, ...], validation: Validation) -> TurnResult:
    played, messages = turn.played, turn.stream.messages
    cited = [one for told, given in played.told for one in citations(told, given, turn.setting.generations)]
    return TurnResult(
        turn_no=turn.turn_no,
        turn_id=turn_id_of(turn.head.campaign_id, turn.head.turn_id, turn.submission.action_id),
        messages=tuple(seen_by("player", messages, own_id=played.state.player_id)),
        final_text=final_text,
        next_prompt=NEXT_PROMPT if played.state.ended is None else "",
        suggested_actions=options,
        clarification_question=validation.clarification,
        citations=tuple(dict.fromkeys(cited)),
        engine_events=turn.views.acquaintance(played.state).told_events(played.events),
        validation=validation,
        rolls=tuple(played.rolls),
        clocks=played.state.clocks_shown(),
        tokens=turn.recorder.tokens(),
    )
