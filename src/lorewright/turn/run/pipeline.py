"""Head and submission -> Draft. One pipeline for every profile: the player's round, then those of the cast.

    freeform   the player's round, told
    stream     the player's round, told; then each of the cast who is activated: intent, round, told
    ensemble   the player's round; everybody's intent, concurrently; their rounds; all of it told once

Each stage gets its own filtered view; what follows a round sees the state that it led to. The commit is in `store`: no
transaction is open while a stage thinks.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Sequence

from lorewright.errors import CampaignError, LorewrightError
from lorewright.ids import shown_item
from lorewright.index.generation import Generation
from lorewright.rules.patch import EngineEvent, Resolution, Validation
from lorewright.storage.annotation_rows import ENTRIES
from lorewright.turn.run.background import background_jobs
from lorewright.turn.run.narrate import Narrating
from lorewright.turn.run.player_round import PlayerRound
from lorewright.turn.run.progress import TurnContext, TurnProgress
from lorewright.turn.run.rounds import (
    Round,
    act_of,
    activate_by_dice,
    activate_everybody,
    carry_out,
    decide_intent,
    decide_intents,
)
from lorewright.turn.stages.narrate.sources import sources_of
from lorewright.turn.stages.stages import Stages
from lorewright.turn.views.acquaintance import seen_by
from lorewright.turn.views.draft import (
    BY_WORDS,
    Draft,
    FoundByWords,
    Head,
    Recorder,
    SceneLoreUse,
    Setting,
    Submission,
    TurnKind,
    apply_persona,
    turn_id_of,
)
from lorewright.turn.views.leaks import LEAKS
from lorewright.turn.views.narrator_input import WHISPER, TurnStream, narrator_input
from lorewright.turn.views.scope import suggestions
from lorewright.turn.views.views import TurnViews
from lorewright.values.annotations import Annotations
from lorewright.values.entries import NOBODY_ACTED, SKIPPED_MINUTES, TIME_SKIPPED
from lorewright.values.records import (
    NEXT_PROMPT,
    SILENT,
    Citation,
    Message,
    NarratorInput,
    NarratorOutput,
    PlannerOutput,
    TurnListener,
    TurnResult,
    Unclear,
)
from lorewright.world.ops import Recall
from lorewright.world.state import WorldState

# Rounds -> narrations in the stream, and what they add to the world. One narration for each round, or one for all.


class NarratorInputs:
    """The narrations of one turn, in order."""

    def __init__(self, turn: TurnContext) -> None:
        self._turn = turn
        self._narrating = Narrating(
            turn.stages.narrate,
            turn.stages.extract,
            turn.recorder,
            turn.listener,
            rules=turn.setting.rules,
            generations=turn.setting.generations,
            campaign_id=turn.head.campaign_id,
            turn_no=turn.turn_no,
        )

    async def tell(self, rounds: Sequence[Round], plan: PlannerOutput) -> None:
        """Tell consecutive rounds in one narration; the turn goes on with what the narration adds.

        Raises:
            OutputRejected, ProviderError: as every stage.
        """
        turn, played = self._turn, self._turn.played
        if played.told:
            turn.listener.told("\n\n")
        given = self._given(rounds, plan)
        state = played.state
        # The narrator is shown what a model wrote for a character.
        told_by = (
            [] if turn.stages.npc_intent.is_builtin else [round_.who for round_ in rounds if round_.intent is not None]
        )
        told = await self._narrating.tell(
            given,
            state,
            leak=lambda text: turn.views.leak(text, state, told_by=told_by) or turn.views.planners_own(text),
            audience=_audience(rounds),
            beside=background_jobs(turn, list(rounds)),
        )
        # A whisper is heard by its speaker and its listener, in the words of the intention.
        for whispered in (whispered for whispered in rounds if whispered.hidden):
            turn.stream.add(
                "narrator", "narration", whispered.intention.content, subtype=WHISPER, audience=whispered.audience
            )
        turn.stream.add("narrator", "narration", told.output.final_text, audience=_audience(rounds))
        played.state = told.state
        played.ops += told.ops
        played.events += told.events
        played.lorebook += told.lorebook
        played.reviews += told.reviews
        played.summary = played.summary or told.summary
        played.told.append((told.output, given))
        # A phrase can be counted in every state.
        played.do(Recall(key=key) for key in told.output.recall)

    def _given(self, rounds: Sequence[Round], plan: PlannerOutput) -> NarratorInput:
        turn, views = self._turn, self._turn.views
        before, after = rounds[0].before, turn.played.state
        if rounds[0].intent is None:
            # Where the player changed to a persona who is elsewhere, the turn begins in another scene.
            before = before.with_fields(scene=turn.head.state.scene)
        player = after.player_id
        lore = views.scene_lore(after)
        views.add_learned(sorted(after.learned_by(player) - before.learned_by(player)))
        own = next((round_ for round_ in rounds if round_.intent is None), None)
        resolution = _joined(rounds)
        acts = tuple(act_of(round_) for round_ in rounds if round_.intent is not None)
        outcomes = (*resolution.outcomes, *(outcome for act in acts for outcome in act.outcomes))
        return narrator_input(
            player_text=self._words(own, player) if own is not None else "",
            before=views.acquaintance(before).shown,
            after=views.acquaintance(after).shown,
            lore=lore,
            items=list(views.items.values()),
            validation=own.judged if own is not None else Validation(),
            resolution=resolution,
            plan=views.for_narrator(plan),
            rules=turn.setting.rules,
            packet=views.packet(after, lore, "narrator"),
            seed=str(turn.setting.seed),
            turn_no=turn.turn_no,
            described=views.described(after, outcomes),
            recent=views.narrations(),
            acts=acts,
            quiet=self._quiet() if own is not None else (),
            markers=self._markers(after) if own is not None else (),
            premises=turn.played.premises if own is not None else (),
        )

    def _words(self, own: Round, player: str) -> str:
        """Return the player's words that are resolved just now, as far as the narrator may see them."""
        seen = self._turn.stream.seen_by("narrator", own_id=player, resolving=(own.intention,))
        return "".join(message.content for _, message in seen if message.type == "intention")

    def _markers(self, state: WorldState) -> tuple[str, ...]:
        """Return the markers that the turn began with, in words, as far as the narrator may see them."""
        seen = self._turn.stream.seen_by("narrator", own_id=state.player_id)
        own = [message for number, message in seen if number == self._turn.turn_no]
        return tuple(text for message in own if message.type == "scene_marker" and (text := _marker(message, state)))

    def _quiet(self) -> tuple[str, ...]:
        """Return the IDs of those who let the last turn pass although they could have acted."""
        silence = [marker for marker in self._turn.head.markers if marker.subtype == "silence"]
        return tuple(str(who) for marker in silence for who in marker.payload["who"])


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


def _audience(rounds: Sequence[Round]) -> tuple[str, ...]:
    """Return everybody who saw any of it; all who are there see that somebody whispers."""
    seen = [who for round_ in rounds if not round_.hidden for who in round_.audience]
    for round_ in (round_ for round_ in rounds if round_.hidden):
        seen += [*round_.before.present(), *round_.after.present()]
    return tuple(dict.fromkeys(seen))


def _marker(message: Message, state: WorldState) -> str:
    """Return a marker in words; empty for a silence, which the narrator's input has as `quiet`."""
    match message.subtype:
        case "location_change":
            return f"They have come from {state.name_of(str(message.payload['from']))}."
        case "time_skip":
            return f"{message.payload['duration']} minutes went by before this."
        case "scene_open":
            return "A new scene opens."
        case _:
            return ""


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
    for line in lines:
        quotes.setdefault(line.chunk_id, []).append((line.chunk_id, line.text))
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


def draft_of_question(turn: TurnContext, unclear: Unclear, validation: Validation) -> Draft:
    """Return the draft of a turn that asks back: the question is its result, its lines are possible answers; the state
    is as before."""
    question = Validation(clarification=validation.clarification)
    result = _result(turn, final_text=unclear.question, options=unclear.lines, validation=question)
    return _draft(turn, result, kind="clarification", validation=question)


def draft_of_turn(turn: TurnContext, validation: Validation) -> Draft:
    """Return the draft of a turn that was played; `validation` is of the player's own actions."""
    state, views = turn.played.state, turn.views
    if (entries := views.entries_found()) is not None:
        turn.recorder.keep_code(ENTRIES, [], entries)
    shown = views.acquaintance(state).shown
    options = suggestions(shown, views.heard_of(state), views.told_of(state), ruleset=turn.setting.rules.ruleset)
    result = _result(
        turn, final_text=_narrations_heard(turn.stream.messages, state), options=options, validation=validation
    )
    judged = validation.model_copy(update={"results": tuple(turn.played.results)})
    return _draft(turn, result, kind="play", validation=judged)


def _draft(turn: TurnContext, result: TurnResult, *, kind: TurnKind, validation: Validation) -> Draft:
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
        scene_lore=_scene_lore_use(turn.views, turn.head.state, played.state),
        kept=Annotations(summary=played.summary, lorebook=tuple(played.lorebook), reviews=tuple(played.reviews)),
    )


def _scene_lore_use(views: TurnViews, before: WorldState, after: WorldState) -> SceneLoreUse:
    """Return how a turn used the scene's lore: it was cached unless the scene that the turn began or ended in was
    gathered whole."""
    scenes = {before.scene.id, after.scene.id}
    return SceneLoreUse(not scenes & views.cache.gathered, after.scene.id, views.cache.to_keep(after.scene.id))


def _narrations_heard(messages: tuple[Message, ...], state: WorldState) -> str:
    """Return the narrations that the player was there for, as one text."""
    heard = seen_by("player", messages, own_id=state.player_id)
    return "\n\n".join(message.content for message in heard if message.type == "narration")


def _result(turn: TurnContext, *, final_text: str, options: tuple[str, ...], validation: Validation) -> TurnResult:
    played, messages = turn.played, turn.stream.messages
    cited = [citation for told, given in played.told for citation in citations(told, given, turn.setting.generations)]
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


# The pipeline: the player's round, then those of the cast.


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
        OutputRejected: a model's output stayed invalid.
        ProviderError: a model could not be asked.
    """
    if head.state.ended is not None:
        raise CampaignError(
            "the story has ended", hint="take the last turn back, or begin another: lorewright campaign new SCENARIO"
        )
    seen, ops = apply_persona(head, submission)
    stream = TurnStream(seen, turn_id_of(head.campaign_id, head.turn_id, submission.action_id))
    dice = setting.dice(setting.seed, head.state.truth_hash(), submission.dice_of or submission.action_id)
    with TurnViews(seen, submission, setting, stream) as views:
        played = TurnProgress(seen.state, ops=[*ops])
        turn = TurnContext(head, submission, setting, stages, recorder, views, listener, stream, dice, played)
        try:
            return await _run_rounds(turn)
        except (LorewrightError, CancelledError):
            _keep_for_replays(turn)
            raise


async def _run_rounds(turn: TurnContext) -> Draft:
    """Run all rounds. After a question nothing is planned, rolled, paid or changed, and nobody else acts."""
    own = PlayerRound(turn)
    reading, attempts, judged = await own.read()
    if reading.unclear is not None:
        _keep_for_replays(turn)
        return draft_of_question(turn, reading.unclear, judged)
    plan = await own.plan(reading.proposed_actions, judged)
    mine = await own.play(attempts, judged)
    narrations = NarratorInputs(turn)
    match turn.setting.rules.profile:
        case "freeform":
            await narrations.tell([mine], plan)
        case "stream":
            await narrations.tell([mine], plan)
            await _play_stream(turn, narrations)
        case "ensemble":
            await _play_ensemble(turn, narrations, mine, plan)
    _mark_time(turn)
    _keep_for_replays(turn)
    return draft_of_turn(turn, judged)


def _keep_for_replays(turn: TurnContext) -> None:
    """Record what a replay needs: which texts told a secret in a way that another embedder, or a later version, may not
    find again; and the packs that had no vectors yet."""
    if turn.setting.by_words:
        turn.recorder.keep_code(BY_WORDS, [], FoundByWords(packs=turn.setting.by_words))
    refusals = turn.views.refusals()
    if refusals.refused:
        turn.recorder.keep_code(LEAKS, [], refusals)


async def _play_stream(turn: TurnContext, narrations: NarratorInputs) -> None:
    """Let each activated character act in turn, after what was told until then."""
    found = activate_by_dice(turn)
    for who in found.order:
        if _can_act(turn, who):
            round_ = await carry_out(turn, who, await decide_intent(turn, who))
            await narrations.tell([round_], PlannerOutput())
    if found.skipped and not found.order:
        turn.played.events.append(EngineEvent(type=NOBODY_ACTED, details={"who": list(found.skipped)}))


async def _play_ensemble(turn: TurnContext, narrations: NarratorInputs, mine: Round, plan: PlannerOutput) -> None:
    """Let everybody reflect on the result of the player's round; what they do is told with it."""
    order = [who for who in activate_everybody(turn).order if _can_act(turn, who)]
    rounds: list[Round] = [mine]
    for who, intent in zip(order, await decide_intents(turn, order), strict=True):
        if _can_act(turn, who):
            rounds.append(await carry_out(turn, who, intent))
    # A whisper to the player, or by them, is told in a narration of its own: others hear the rest.
    apart = [round_ for round_ in rounds if round_.is_between_two and not round_.hidden]
    together = [round_ for round_ in rounds if round_ not in apart]
    groups = [
        *([[round_] for round_ in apart if round_ is mine]),
        together,
        *([[round_] for round_ in apart if round_ is not mine]),
    ]
    for group in (group for group in groups if group):
        await narrations.tell(group, plan if mine in group else PlannerOutput())


def _can_act(turn: TurnContext, who: str) -> bool:
    """Return True if somebody is still there, and the story goes on."""
    state = turn.played.state
    return state.ended is None and who in state.present_npcs()


def _mark_time(turn: TurnContext) -> None:
    minutes = turn.played.state.minutes - turn.head.state.minutes
    if minutes >= SKIPPED_MINUTES and turn.setting.rules.profile != "freeform":
        turn.played.events.append(EngineEvent(type=TIME_SKIPPED, details={"minutes": minutes}))
