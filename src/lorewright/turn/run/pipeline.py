"""Head and submission -> Draft. One pipeline for every profile: the player's round, then those of the cast.

    freeform   the player's round, told
    stream     the player's round, told; then each of the cast who is activated: intent, round, told
    ensemble   the player's round; everybody's intent, concurrently; their rounds; all of it told once

Each step is given the point of the turn that it begins at, and returns a value; each stage gets its own filtered view,
and what follows a round sees the state that it led to. The commit is in `store`: no transaction is open while a stage
thinks.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Sequence

from lorewright.errors import CampaignError, LorewrightError
from lorewright.ids import shown_item
from lorewright.index.generation import Generation
from lorewright.rules.observations import Activation, activate, in_order
from lorewright.rules.patch import Validation, tried_in
from lorewright.rules.rulesets import CampaignRules
from lorewright.storage.annotation_rows import ENTRIES
from lorewright.turn.run.asides import answers_to
from lorewright.turn.run.narrate import tell_rounds
from lorewright.turn.run.player_round import make_plan, open_turn, play_player, read_words
from lorewright.turn.run.risks import assumptions_in, hindrances_in, risks_in
from lorewright.turn.run.rounds import ACTIVATE, carry_out, decide_intent, decide_intents
from lorewright.turn.run.steps import (
    Course,
    Narration,
    PlayerReading,
    Round,
    TurnContext,
    TurnOpening,
    narrations_of,
    rounds_of,
)
from lorewright.turn.run.submitted import actions_told
from lorewright.turn.run.suggestions import options_at
from lorewright.turn.stages.narrate.sources import sources_of
from lorewright.turn.stages.stages import Stages
from lorewright.turn.views.draft import (
    BY_WORDS,
    Draft,
    FoundByWords,
    Head,
    Recorder,
    Setting,
    Submission,
    TurnKind,
    apply_persona,
)
from lorewright.turn.views.leaks import LEAKS
from lorewright.turn.views.point import TurnPoint
from lorewright.turn.views.story import seen_by
from lorewright.turn.views.views import TurnViews
from lorewright.values.annotations import Annotations
from lorewright.values.entries import SKIPPED_MINUTES
from lorewright.values.records import (
    FIRST_CODE,
    NEXT_PROMPT,
    SILENT,
    Citation,
    InterpreterOutput,
    NarratorInput,
    NarratorOutput,
    PlannerOutput,
    Premise,
    TurnListener,
    TurnResult,
)
from lorewright.world.changes import minutes_passed
from lorewright.world.events import EngineEvent, NobodyActed, TimeSkipped
from lorewright.world.ops import StateOp
from lorewright.world.state import WorldState

# The narrations of the cast's rounds have no plan.
_NO_PLAN = PlannerOutput()
# Of a question or an aside nothing was played.
_NOTHING_READ = InterpreterOutput(intent="")


async def think(
    head: Head,
    submission: Submission,
    setting: Setting,
    stages: Stages,
    recorder: Recorder,
    listener: TurnListener = SILENT,
) -> Draft:
    """Think a turn to its end and return its draft. `recorder` has every stage's input and output, also if this raises;
    `listener` follows its progress.

    Raises:
        CampaignError: the story has ended, or the persona to speak as or the person to whisper to is not there.
        ProviderError: a model could not be asked.
    """
    if head.state.ended is not None:
        raise CampaignError(
            "the story has ended", hint="take the last turn back, or begin another: lorewright campaign new SCENARIO"
        )
    seen, ops = apply_persona(head, submission)
    dice = setting.dice(setting.seed, head.state.truth_hash(), submission.dice_of or submission.action_id)
    with TurnViews(seen, submission, setting) as views:
        turn = TurnContext(head, submission, setting, stages, recorder, listener, dice, views)
        try:
            return await _play_turn(turn, seen, ops)
        except (LorewrightError, CancelledError):
            _keep_for_replays(turn)
            raise


async def _play_turn(turn: TurnContext, seen: Head, ops: Sequence[StateOp]) -> Draft:
    """Play all rounds of a turn and return its draft. `seen` is the head after the change of persona, `ops` are the ops
    of that change. After a question nothing is planned, rolled, paid or changed, and nobody else acts."""
    opening = open_turn(turn, seen, ops)
    reading = await read_words(turn, opening)
    if reading.output.aside is not None:
        _keep_for_replays(turn)
        return draft_of_aside(turn, opening, reading)
    if reading.output.unclear is not None:
        _keep_for_replays(turn)
        return draft_of_question(turn, opening, reading)
    plan = await make_plan(turn, opening.scene, reading)
    own = await play_player(turn, opening, reading, plan.at)
    course: Course
    silent: tuple[EngineEvent, ...] = ()
    match turn.setting.rules.profile:
        case "freeform":
            told = await tell_rounds(turn, [own], plan.output, own.at, premises=reading.premises, first=True)
            course = [own, told]
        case "stream":
            told = await tell_rounds(turn, [own], plan.output, own.at, premises=reading.premises, first=True)
            acting = _activate_by_dice(turn, told.at.state)
            course = await _play_in_turn(turn, acting.order, [own, told], premises=reading.premises)
            silent = _nobody_acted(acting, turn.setting.rules)
        case "ensemble":
            rounds = await _play_everybody(turn, own, premises=reading.premises)
            narrations = await _tell_together(turn, rounds, plan.output, premises=reading.premises)
            course = [*rounds, *narrations]
    events = (*silent, *_time_skipped(turn, course[-1].at.state))
    _keep_for_replays(turn)
    return draft_of_turn(turn, opening, reading, course, events, plan=plan.output)


def _keep_for_replays(turn: TurnContext) -> None:
    """Record what a replay needs: which texts told a secret in a way that another embedder, or a later version, may not
    find again; and the packs that had no vectors yet."""
    if turn.setting.by_words:
        turn.recorder.keep_code(BY_WORDS, [], FoundByWords(packs=turn.setting.by_words))
    refusals = turn.views.refusals()
    if refusals.refused:
        turn.recorder.keep_code(LEAKS, [], refusals)


# The rounds of the cast, by profile.


async def _play_in_turn(
    turn: TurnContext, order: Sequence[str], course: Course, *, premises: tuple[Premise, ...]
) -> Course:
    """Let characters act one after another, each after what was told until then; return the course of the turn with
    their rounds and narrations."""
    for who in order:
        at, rounds = course[-1].at, rounds_of(course)
        if _can_act(who, at.state):
            scene, at = turn.views.at_scene(at)
            intent = await decide_intent(turn, who, scene, at, rounds, premises=premises)
            acted = await carry_out(turn, who, intent, at, rounds)
            told = await tell_rounds(turn, [acted], _NO_PLAN, acted.at, premises=premises, first=False)
            course = [*course, acted, told]
    return course


async def _play_everybody(turn: TurnContext, own: Round, *, premises: tuple[Premise, ...]) -> list[Round]:
    """Let everybody reflect on the result of the player's round, concurrently, and then act; return all rounds, the
    player's first."""
    order = [who for who in _activate_everybody(turn, own.at.state).order if _can_act(who, own.at.state)]
    scene, at = turn.views.at_scene(own.at)
    intents = await decide_intents(turn, order, scene, at, [own], premises=premises)
    rounds = [own]
    for who, intent in zip(order, intents, strict=True):
        if _can_act(who, at.state):
            rounds.append(await carry_out(turn, who, intent, at, rounds))
            at = rounds[-1].at
    return rounds


async def _tell_together(
    turn: TurnContext, rounds: Sequence[Round], plan: PlannerOutput, *, premises: tuple[Premise, ...]
) -> list[Narration]:
    """Tell all rounds, the player's first, in one narration; but a whisper to the player, or by them, in a narration of
    its own: others hear the rest."""
    own, at = rounds[0], rounds[-1].at
    apart = [round_ for round_ in rounds if round_.is_between_two and not round_.hidden]
    together = [round_ for round_ in rounds if round_ not in apart]
    groups = [
        *([[round_] for round_ in apart if round_ is own]),
        together,
        *([[round_] for round_ in apart if round_ is not own]),
    ]
    narrations: list[Narration] = []
    for group in (group for group in groups if group):
        planned, first = plan if own in group else _NO_PLAN, not narrations
        narrations.append(await tell_rounds(turn, group, planned, at, premises=premises, first=first))
        at = narrations[-1].at
    return narrations


def _activate_by_dice(turn: TurnContext, state: WorldState) -> Activation:
    """Return who of those at the scene acts in a turn of the profile `stream`, by the turn's dice."""
    rules = turn.setting.rules
    found = activate([(who, rules.of_cast(who)) for who in state.present_npcs()], turn.dice)
    turn.recorder.keep_code(ACTIVATE, [], found)
    return _no_more_than(turn.submission.npc_rounds, found)


def _activate_everybody(turn: TurnContext, state: WorldState) -> Activation:
    """Return all who are at the scene, in the same order: in the profile `ensemble` everybody acts."""
    rules = turn.setting.rules
    ranked = in_order((who, rules.of_cast(who)) for who in state.present_npcs())
    return _no_more_than(turn.submission.npc_rounds, Activation(order=tuple(who for who, _ in ranked)))


def _no_more_than(most: int | None, found: Activation) -> Activation:
    return found if most is None else found.model_copy(update={"order": found.order[:most]})


def _can_act(who: str, state: WorldState) -> bool:
    """Return True if somebody is still there, and the story goes on."""
    return state.ended is None and who in state.present_npcs()


def _nobody_acted(acting: Activation, rules: CampaignRules) -> tuple[EngineEvent, ...]:
    """Return the event that nobody acted, where somebody could have: those who never do keep no silence."""
    could = tuple(who for who in acting.skipped if rules.of_cast(who).chattiness > 0)
    return (NobodyActed(who=could),) if could and not acting.order else ()


def _time_skipped(turn: TurnContext, state: WorldState) -> tuple[EngineEvent, ...]:
    """Return the event that much time went by in the turn, where it did."""
    minutes = minutes_passed(turn.head.state, state)
    if minutes < SKIPPED_MINUTES or turn.setting.rules.profile == "freeform":
        return ()
    return (TimeSkipped(minutes=minutes),)


# A finished turn -> the Draft that is committed: messages, memory, result. Citations are the sources of what a
# narration quotes; only what the narrator was given can be cited.


def citations(told: NarratorOutput, given: NarratorInput, generations: Sequence[Generation]) -> tuple[Citation, ...]:
    """Return a citation for each thing cited, in order, each once. IDs that were not in the narrator's input are
    dropped, and so are events, which stand in no chunk.

    A built-in narration cites what it quotes; a model's narration cites what it says it rests on, in words of its
    own.
    """
    quotes, in_own_words = _quotable(given), bool(told.support)
    if in_own_words:
        rested_on = [
            (source.id, (source.id.partition("#")[0], source.text))
            for source in sources_of(given)
            if source.kind != "event"
        ]
        # A chunk with several sentences is quoted by the first that was shown.
        quotes |= {source_id: [quote] for source_id, quote in reversed(rested_on)}
    found: list[Citation] = []
    for cited in dict.fromkeys(told.cited):
        for chunk_id, quote in quotes.get(cited, ()):
            if quote not in told.final_text and "#" not in cited and not in_own_words:
                continue
            citation = _citation(cited, chunk_id, quote, generations)
            found += [citation] if citation else []
    return tuple(found)


def _quotable(given: NarratorInput) -> dict[str, list[tuple[str, str]]]:
    """Return item or chunk ID -> (chunk ID, text) of each thing that stands under it."""
    quotes: dict[str, list[tuple[str, str]]] = {}
    for evidence in given.evidence:
        quotes.setdefault(evidence.item_id, []).append((evidence.chunk_id, evidence.text))
    lines = [*given.scene.atmosphere, *given.scene.overview]
    lines += [line for person in given.scene.people for line in person.disposition]
    lines += [line for texts in given.described.values() for line in texts]
    lines += [line for noun in given.scenery for line in noun.lines]
    for line in lines:
        quotes.setdefault(line.chunk_id, []).append((line.chunk_id.partition("#")[0], line.text))
    return quotes


def _citation(cited: str, chunk_id: str, quote: str, generations: Sequence[Generation]) -> Citation | None:
    for generation in generations:
        chunk = generation.chunk(chunk_id)
        if chunk is not None:
            return Citation(
                cite=shown_item(cited),
                chunk_id=chunk_id,
                item_id=cited if "#" in cited else None,
                file_path=chunk.file_path,
                section_path=chunk.section_path,
                quote=quote,
            )
    return None


def draft_of_question(turn: TurnContext, opening: TurnOpening, reading: PlayerReading) -> Draft:
    """Return the draft of a turn that asks back: the question is its result, its lines are possible answers; the state
    is as before."""
    unclear = reading.output.unclear
    assert unclear is not None
    answered, cited = answers_to(turn, reading.output.beside, reading.at)
    return _draft(
        turn,
        opening.ops,
        reading.at,
        (),
        (),
        kind="clarification",
        final_text=" ".join(filter(None, (answered, unclear.question))),
        options=unclear.lines,
        told=Validation(clarification=reading.judged.clarification),
        cited=cited,
    )


def draft_of_aside(turn: TurnContext, opening: TurnOpening, reading: PlayerReading) -> Draft:
    """Return the draft of a turn that answers the player outside of the story: the answer is its result, the lines that
    were offered stay, and the state is as before."""
    aside = reading.output.aside
    assert aside is not None
    text, cited = answers_to(turn, (aside, *reading.output.beside), reading.at)
    return _draft(
        turn,
        opening.ops,
        reading.at,
        (),
        (),
        kind="aside",
        final_text=text,
        options=turn.head.options,
        told=Validation(),
        cited=cited,
    )


def draft_of_turn(
    turn: TurnContext,
    opening: TurnOpening,
    reading: PlayerReading,
    course: Course,
    closing: Sequence[EngineEvent],
    *,
    plan: PlannerOutput,
) -> Draft:
    """Return the draft of a turn that was played; `closing` are the events that come after all others."""
    at, views = course[-1].at, turn.views
    if (entries := views.entries_found(at.lore.answers)) is not None:
        turn.recorder.keep_code(ENTRIES, [], entries)
    tried = (tried_in(round_.resolution) for round_ in rounds_of(course) if round_.who == at.state.player_id)
    wished = plan.next_suggestions if turn.setting.code_version > FIRST_CODE else ()
    options = options_at(views, turn.setting, at, (*turn.setting.tried(turn.head), *tried), wished)
    told, rest = _narrations_heard(at), reading.output.rest
    places = [action.location_id for action in reading.output.proposed_actions if action.location_id]
    has_arrived = not places or places[-1] == at.state.scene.location_id
    # What was asked of the program beside it is answered as the story stands then.
    answered, cited = answers_to(turn, reading.output.beside, at, before=reading.at)
    told = f"{told}\n\n{answered}".strip()
    if rest is not None and has_arrived and at.state.ended is None:
        # What was not read is asked about where the telling ends; not of whom one has not come to.
        told, options = f"{told}\n\n{rest.question}".strip(), (*rest.lines, *options)
    return _draft(
        turn,
        opening.ops,
        at,
        course,
        closing,
        kind="play",
        final_text=told,
        options=options,
        told=reading.judged,
        reading=reading.output,
        cited=cited,
    )


def _draft(
    turn: TurnContext,
    ops: Sequence[StateOp],
    at: TurnPoint,
    course: Course,
    closing: Sequence[EngineEvent],
    *,
    kind: TurnKind,
    final_text: str,
    options: tuple[str, ...],
    told: Validation,
    reading: InterpreterOutput = _NOTHING_READ,
    cited: Sequence[Citation] = (),
) -> Draft:
    """Return the draft of a turn that ended at a point: `ops` are those that it began with, `told` is the judgement of
    the player's own actions, which stand in the `reading` of what was played."""
    rounds, narrations, generations = rounds_of(course), narrations_of(course), turn.setting.generations
    quoted = [citation for step in narrations for citation in citations(step.output, step.given, generations)]
    events = [*(event for step in course for event in step.events), *closing]
    result = TurnResult(
        turn_no=turn.turn_no,
        turn_id=at.stream.turn_id,
        messages=tuple(seen_by("player", at.stream.messages, own_id=at.state.player_id)),
        final_text=final_text,
        next_prompt=NEXT_PROMPT if at.state.ended is None else "",
        suggested_actions=options,
        clarification_question=told.clarification,
        citations=tuple(dict.fromkeys((*cited, *quoted))),
        engine_events=turn.views.acquaintance(at.state).told_events(events),
        validation=told,
        rolls=tuple(roll for round_ in rounds for roll in round_.rolls),
        clocks=at.state.clocks_shown(),
        tokens=turn.recorder.tokens(),
        actions=actions_told(reading.proposed_actions, turn.views.acquaintance(at.state).shown),
        assumptions=assumptions_in(reading),
        risk_flags=risks_in(reading, turn.head.state),
        perception_flags=hindrances_in(turn.head.state, turn.setting.rules) if reading.proposed_actions else (),
        fell_back=turn.recorder.fell_back() if turn.setting.code_version > FIRST_CODE else (),
    )
    results = tuple(result for round_ in rounds for result in round_.judged.results)
    return Draft(
        head=turn.head,
        submission=turn.submission,
        turn_id=at.stream.turn_id,
        kind=kind,
        ops=(*ops, *(op for step in course for op in step.ops)),
        state=at.state,
        messages=at.stream.messages,
        actions=tuple(action for round_ in rounds for action in round_.actions),
        validation=told.model_copy(update={"results": results}),
        records=tuple(turn.recorder.records),
        result=result,
        scene_lore=turn.views.use_of_scene_lore(turn.head.state, at.state),
        kept=Annotations(
            summary=next((step.summary for step in narrations if step.summary is not None), None),
            lorebook=tuple(entry for step in narrations for entry in step.lorebook),
            reviews=tuple(review for step in narrations for review in step.reviews),
        ),
    )


def _narrations_heard(at: TurnPoint) -> str:
    """Return the narrations that the player was there for, as one text."""
    heard = seen_by("player", at.stream.messages, own_id=at.state.player_id)
    return "\n\n".join(message.content for message in heard if message.type == "narration")
