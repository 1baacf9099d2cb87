"""Rounds -> their narration, and what it adds to the world: the narrator's view, narrate, extract, accept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lorewright.ids import canonical_json
from lorewright.index.generation import Generation
from lorewright.rules.patch import Resolution, Validation
from lorewright.rules.reach import is_person
from lorewright.rules.rulesets import CampaignRules, Ruleset
from lorewright.turn.checks.accepting import Acceptance, Accepted, accept
from lorewright.turn.run.background import BackgroundJob, BackgroundResult, background_jobs
from lorewright.turn.run.prose import Leak, ProseChecks
from lorewright.turn.run.steps import Narration, Round, TurnContext, apply_fitting, gather
from lorewright.turn.stages.narrate.sources import relations_shown
from lorewright.turn.stages.narrate.stage import BEHIND
from lorewright.turn.views.circumstances import scene_in_words, writable_paths
from lorewright.turn.views.draft import Head, Recorder
from lorewright.turn.views.narrator_input import narrator_input
from lorewright.turn.views.point import WHISPER, TurnPoint, TurnStream
from lorewright.values.annotations import LorebookEntry, Review, Summary
from lorewright.values.entries import facts_shown
from lorewright.values.proposals import ExtractorInput
from lorewright.values.records import (
    FIRST_CODE,
    Message,
    NarratorInput,
    NarratorOutput,
    NpcAct,
    PlannerOutput,
    Premise,
)
from lorewright.visibility import MESSAGES
from lorewright.world.changes import items_learned
from lorewright.world.events import EngineEvent
from lorewright.world.ops import Recall, StateOp
from lorewright.world.state import Fact, WorldState

# A model's narration -> the extractor's input, and the established facts that the narration contradicts.

_FIELDS = {"subject_id", "predicate", "object"}


def extractor_input(narration: str, given: NarratorInput, state: WorldState, ruleset: Ruleset) -> ExtractorInput:
    """Return what the player may know of the scene that the turn ended in, and nothing else."""
    place = state.scene.location_id
    things = [*state.held_by(place), *state.held_by(state.player_id)]
    ids_here = [place, *state.present(), *things]
    facts = [
        fact
        for fact in facts_shown(state, ids_here, reader="narrator", who=state.player_id)
        if fact.subject_id in ids_here
    ]
    return ExtractorInput(
        narration=narration if MESSAGES["lore_extractor"]["narration"] == "current" else "",
        outcomes=given.outcomes,
        place_id=place,
        player_id=state.player_id,
        present={who: state.name_of(who) for who in state.present()},
        things={thing: state.name_of(thing) for thing in things},
        facts=tuple(fact.model_dump(mode="json", include=_FIELDS) for fact in facts),
        threads=tuple(
            {"id": thread.id, "title": thread.title, "status": thread.status} for thread in state.open_threads()
        ),
        writable={
            path: kind
            for path, kind in writable_paths(state, ruleset, by="extract").items()
            if path.startswith("scene.")
        },
        scene_in_words=scene_in_words(state, ruleset),
        relations=relations_shown(given),
        moves_relations="relation" in ruleset.allowed_ops.get("extract", ()),
    )


def contradicted(record: Accepted, state: WorldState) -> str | None:
    """Return which established fact a narration contradicts, for its author; None if there is none.

    Facts that were only narrated may have changed since, so they do not count. A fact that the player does not know is
    not told: only that the narration is wrong.
    """
    for refused in record.refused:
        if refused.reason != "contradicts_fact":
            continue
        subject, predicate = str(refused.proposal["subject_id"]), str(refused.proposal["predicate"])
        known = [fact for fact in state.facts_about(subject) if _key(fact.predicate) == _key(predicate)]
        firm = [fact for fact in known if not fact.is_only_told]
        if firm:
            said = f"{predicate}: {_as_sentence(refused.proposal['detail'])}"
            return f"it says of {state.name_of(subject)}: {said} {_rather(firm[0], state.player_id)}"
    return None


def _rather(fact: Fact, player_id: str) -> str:
    return (
        f"The established fact is: {fact.predicate}: {_as_sentence(fact.object)}"
        if fact.is_shown("narrator", player_id)
        else "That is not so."
    )


def _as_sentence(said: object) -> str:
    """Return a text as a sentence, with one full stop."""
    return f"{str(said).rstrip('.')}."


def _key(predicate: str) -> str:
    return "".join(sign for sign in predicate.lower() if sign.isalnum())


# Rounds -> the narrator's input, at the point that they led to.

# The most markers of earlier turns that a narrator is shown.
_MARKERS = 4


def narrator_view(
    turn: TurnContext, rounds: Sequence[Round], plan: PlannerOutput, at: TurnPoint, *, premises: tuple[Premise, ...]
) -> tuple[NarratorInput, TurnPoint]:
    """Return what the narration of consecutive rounds may rest on, and the point with all that was gathered for it."""
    views, before, after = turn.views, rounds[0].before, at.state
    own = next((round_ for round_ in rounds if round_.intent is None), None)
    if rounds[0] is own:
        # Where the player changed to a persona who is elsewhere, the turn begins in another scene.
        before = before.with_fields(scene=turn.head.state.scene)
    lore, at = views.at_scene(at)
    at = views.with_learned(at, sorted(items_learned(before, after)))
    resolution = _joined(rounds)
    acts = tuple(act_of(round_) for round_ in rounds if round_.intent is not None)
    outcomes = (*resolution.outcomes, *(outcome for act in acts for outcome in act.outcomes))
    typed = "" if own is None else own.intention.content
    leads = () if own is None else views.leads(at, own.resolution.outcomes, typed)
    knows = views.acquaintance(after)
    nameless = frozenset(
        outcome.target_id
        for outcome in outcomes
        if outcome.target_id is not None
        and outcome.target_id not in after.present()
        and is_person(outcome.target_id, after)
        and not knows.knows_name_of(outcome.target_id, typed)
    )
    before, after = views.acquaintance(before).shown, knows.shown
    packet, at = views.packet(at, lore, "narrator")
    described, asked_about, at = views.described(at, outcomes)
    given = narrator_input(
        player_text="" if own is None else _words(own, at),
        before=before,
        after=after,
        lore=lore,
        items=list(at.lore.items.values()),
        validation=own.judged if own is not None else Validation(),
        resolution=resolution,
        plan=views.for_narrator(plan, at),
        rules=turn.setting.rules,
        packet=packet,
        seed=str(turn.setting.seed),
        turn_no=turn.turn_no,
        described=described,
        asked_about=asked_about,
        recent=views.narrations(at.stream),
        acts=acts,
        quiet=_quiet(turn.head) if own is not None else (),
        markers=_markers(at) if own is not None else (),
        markers_before=_markers_before(at) if own is not None and turn.setting.code_version > FIRST_CODE else (),
        code_version=turn.setting.code_version,
        premises=premises if own is not None else (),
        leads=leads,
        nameless=nameless,
        scenery=own.scenery if own is not None else (),
        budgets=turn.setting.lore,
    )
    return given, at


def _joined(rounds: Sequence[Round]) -> Resolution:
    """Return what was done in the rounds, with the player's outcomes alone, and nothing of whispers that the player
    does not hear."""
    shown = [round_ for round_ in rounds if not round_.hidden]
    return Resolution(
        outcomes=tuple(outcome for round_ in shown if round_.intent is None for outcome in round_.resolution.outcomes),
        rolls=tuple(roll for round_ in shown for roll in round_.resolution.rolls),
        ops=tuple(op for round_ in shown for op in round_.resolution.ops),
        events=tuple(event for round_ in shown for event in round_.resolution.events),
    )


def act_of(round_: Round) -> NpcAct:
    """Return a round of the cast for its narration; of a whisper that the player does not hear only the fact that there
    is one."""
    assert round_.intent is not None
    entity, intent = round_.after.entities[round_.who], round_.intent
    named = {"who": round_.who, "name": entity.name, "pronoun": entity.pronoun, "whisper_to": intent.whisper_to}
    if round_.hidden:
        return NpcAct.model_validate({**named, "text": "", "hidden": True})
    return NpcAct.model_validate(
        {
            **named,
            "text": intent.action_text,
            "tags": intent.intent_tags,
            "outcomes": round_.resolution.outcomes,
            "result": round_.judged.results[0] if round_.judged.results else None,
            "say": intent.say,
        }
    )


def _words(own: Round, at: TurnPoint) -> str:
    """Return the player's words that are resolved just now, as far as the narrator may see them."""
    seen = at.stream.seen_by("narrator", own_id=own.who, resolving=(own.intention,))
    return "".join(message.played for _, message in seen if message.type == "intention")


def _quiet(head: Head) -> tuple[str, ...]:
    """Return the IDs of those who let the last turn pass although they could have acted."""
    silence = [marker for marker in head.markers if marker.subtype == "silence"]
    return tuple(str(who) for marker in silence for who in marker.payload["who"])


def _markers(at: TurnPoint) -> tuple[str, ...]:
    """Return the markers that the turn began with, in words, as far as the narrator may see them."""
    seen = at.stream.seen_by("narrator", own_id=at.state.player_id)
    own = [message for number, message in seen if number == at.stream.turn_no]
    return tuple(text for message in own if message.type == "scene_marker" and (text := _marker(message, at.state)))


def _markers_before(at: TurnPoint) -> tuple[str, ...]:
    """Return the last markers of earlier turns in words, oldest first, each with how long ago it was."""
    seen = at.stream.seen_by("narrator", own_id=at.state.player_id)
    now = at.stream.turn_no
    told = (
        f"{_turns_ago(now - number)}: {text}"
        for number, message in seen
        if number < now and message.type == "scene_marker" and (text := _marker(message, at.state))
    )
    return tuple(told)[-_MARKERS:]


def _turns_ago(turns: int) -> str:
    return "Before the last turn" if turns == 1 else f"{turns} turns ago"


def _marker(message: Message, state: WorldState) -> str:
    """Return a marker in words; empty for a silence, which the narrator's input has as `quiet`."""
    match message.subtype:
        case "location_change":
            return f"They have come from {state.name_of(str(message.payload['from']))}."
        case "persona_change":
            who, place = (state.name_of(str(message.payload[key])) for key in ("to", "at"))
            return f"From here on the player is {who}, at {place}."
        case "time_skip":
            return f"{message.payload['duration']} minutes went by before this."
        case "scene_open":
            return "A new scene opens."
        case _:
            return ""


# The narration, and what it adds to the world: narrate, extract, accept.


async def tell_rounds(
    turn: TurnContext,
    rounds: Sequence[Round],
    plan: PlannerOutput,
    at: TurnPoint,
    *,
    premises: tuple[Premise, ...],
    first: bool,
) -> Narration:
    """Tell consecutive rounds in one narration, at the point that the turn has come to; `first`: nothing was told in
    this turn before.

    Raises:
        ProviderError: as every stage.
    """
    if not first:
        turn.listener.told("\n\n")
    given, at = narrator_view(turn, rounds, plan, at, premises=premises)
    jobs = background_jobs(turn, rounds, at, summarise=first)
    # The narrator is shown what a model wrote for a character.
    is_builtin = turn.stages.npc_intent.is_builtin
    told_by = [] if is_builtin else [round_.who for round_ in rounds if round_.intent is not None]

    def leak(text: str) -> str | None:
        return turn.views.leak(text, at, told_by=told_by) or turn.views.planners_own(text, at)

    told = await _narrate(turn, given, at.state, leak, jobs, audience=_audience(rounds))
    # A phrase can be counted in every state.
    state, counted = apply_fitting(told.state, (Recall(key=key) for key in told.output.recall))
    return Narration(
        output=told.output,
        given=given,
        ops=(*told.ops, *counted),
        events=told.events,
        lorebook=told.lorebook,
        reviews=told.reviews,
        summary=told.summary,
        at=replace(at, state=state, stream=_with_narration(at.stream, rounds, told.output)),
    )


def _with_narration(stream: TurnStream, rounds: Sequence[Round], told: NarratorOutput) -> TurnStream:
    # A whisper is heard by its speaker and its listener, in the words of the intention.
    for round_ in (round_ for round_ in rounds if round_.hidden):
        words, audience = round_.intention.content, round_.audience
        stream = stream.with_message("narrator", "narration", words, subtype=WHISPER, audience=audience)
    return stream.with_message("narrator", "narration", told.final_text, audience=_audience(rounds))


def _audience(rounds: Sequence[Round]) -> tuple[str, ...]:
    """Return everybody who saw any of it; all who are there see that somebody whispers."""
    seen = [who for round_ in rounds if not round_.hidden for who in round_.audience]
    for round_ in (round_ for round_ in rounds if round_.hidden):
        seen += [*round_.before.present(), *round_.after.present()]
    return tuple(dict.fromkeys(seen))


@dataclass(frozen=True, slots=True)
class NarrationResult:
    """The narration, the state with its additions and those of background jobs, and these as ops, events and
    annotations."""

    output: NarratorOutput
    state: WorldState
    ops: tuple[StateOp, ...] = ()
    events: tuple[EngineEvent, ...] = ()
    lorebook: tuple[LorebookEntry, ...] = ()
    reviews: tuple[Review, ...] = ()
    summary: Summary | None = None


async def _narrate(
    turn: TurnContext,
    given: NarratorInput,
    state: WorldState,
    leak: Leak,
    beside: Sequence[BackgroundJob],
    *,
    audience: Sequence[str],
) -> NarrationResult:
    """Narrate what led to a state to an audience, and accept what the narration adds to it. The results of background
    jobs (`beside`) are written after the narration.

    A narration that contradicts what is established, or names somebody who was not accepted, is written once more. A
    built-in one adds nothing.
    """
    reads = not (turn.stages.narrate.is_builtin or turn.stages.extract.is_builtin)
    checks = ProseChecks(given, state, leak, may_introduce=reads and _may_introduce(turn.setting.rules))
    told, by_model, written = await _run_narrator_and_jobs(turn, given, checks, beside)
    state, ops = apply_fitting(state, (op for result in written for op in result.ops))
    reviews = tuple(review for result in written for review in result.reviews)
    summary = next((result.summary for result in written if result.summary is not None), None)
    if not (reads and by_model):
        return NarrationResult(told, state, ops, reviews=reviews, summary=summary)
    acceptance = await _extract_and_accept(turn, told, given, state, leak, state.knowers(audience))
    problem = contradicted(acceptance.record, state) or checks.unknown_in(told.final_text, acceptance.record)
    if problem is not None:
        turn.listener.not_so(problem)
        # The second narration may introduce nobody: there is no third.
        checks.may_introduce = False
        told, by_model = await _run_narrator(turn, given, (told.final_text, problem), checks, turn.recorder)
        if not by_model:
            return NarrationResult(told, state, ops, reviews=reviews, summary=summary)
        acceptance = await _extract_and_accept(turn, told, given, state, leak, state.knowers(audience))
    record = acceptance.record
    return NarrationResult(
        told,
        acceptance.state,
        (*ops, *record.accepted),
        acceptance.events,
        lorebook=record.lorebook,
        reviews=(*reviews, *record.waiting),
        summary=summary,
    )


async def _run_narrator_and_jobs(
    turn: TurnContext, given: NarratorInput, checks: ProseChecks, beside: Sequence[BackgroundJob]
) -> tuple[NarratorOutput, bool, list[BackgroundResult]]:
    """Return the narration, whether a model wrote it, and the results of the background jobs that ran concurrently;
    recorded in this order, whichever ended first."""
    recorders = [Recorder() for _ in (None, *beside)]
    try:
        (told, by_model), *written = await gather(
            _run_narrator(turn, given, None, checks, recorders[0]),
            *(job(recorder) for job, recorder in zip(beside, recorders[1:], strict=True)),
        )
    finally:
        turn.recorder.records += [record for recorder in recorders for record in recorder.records]
    return told, by_model, written


async def _run_narrator(
    turn: TurnContext, given: NarratorInput, rejected: tuple[str, str] | None, checks: ProseChecks, recorder: Recorder
) -> tuple[NarratorOutput, bool]:
    """Return the narration, and whether a model wrote it."""
    told = await turn.stages.narrate.run(
        given, recorder, check=checks.wrong_with, listener=turn.listener, rejected=rejected
    )
    if told.added:
        turn.listener.told(f"{BEHIND}{told.added}")
    by_model = bool(recorder.records[-1].calls)
    if not (by_model or turn.stages.narrate.is_builtin):
        # The model's text was withdrawn.
        turn.listener.told(told.final_text)
    return told, by_model


async def _extract_and_accept(
    turn: TurnContext,
    told: NarratorOutput,
    given: NarratorInput,
    state: WorldState,
    leak: Leak,
    known_to: tuple[str, ...],
) -> Acceptance:
    rules = turn.setting.rules
    proposed = await turn.stages.extract.run(
        extractor_input(told.final_text, given, state, rules.ruleset), turn.recorder, listener=turn.listener
    )
    acceptance = accept(
        proposed,
        state,
        rules.ruleset,
        campaign_id=turn.head.campaign_id,
        turn_no=turn.turn_no,
        known_to=known_to,
        quotes_secret=leak,
        known_names=lambda name: _is_known_name(name, state, turn.setting.generations),
        ruled_threads=_ruled_threads(rules, state),
        renews=turn.setting.renews_narrated,
        before=turn.head.state,
    )
    turn.recorder.keep_code("accept", [proposed], acceptance.record)
    return acceptance


def _may_introduce(rules: CampaignRules) -> bool:
    """Return True if a narration may bring in people and things by the ruleset."""
    return "entity_add" in rules.ruleset.allowed_ops.get("extract", ())


def _is_known_name(name: str, state: WorldState, generations: Sequence[Generation]) -> bool:
    plain = " ".join(name.lower().split()).removeprefix("the ").removeprefix("a ").removeprefix("an ")
    known = {alias.lower() for entity in state.entities.values() for alias in (entity.name, *entity.aliases)}
    if plain in known or f"the {plain}" in known:
        return True
    return any(generation.entities_named([plain]) for generation in generations)


def _ruled_threads(rules: CampaignRules, state: WorldState) -> frozenset[str]:
    """Return the threads that rules or endings ask about: the rules alone decide their status."""
    text = canonical_json(rules.model_dump(mode="json", by_alias=True, exclude={"ruleset"}))
    return frozenset(thread for thread in state.threads if f'"thread":{canonical_json(thread)}' in text)
