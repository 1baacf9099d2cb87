"""The player's own round: open the turn, read the words (interpret, ground, validate), plan, play."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lorewright.builtin.words.claims import ME, YOU, Claim, claim_in
from lorewright.ids import canonical_json, holder_of
from lorewright.index.generation import Generation
from lorewright.rules.actions import Action, Attempt, GroundedItem, Grounding
from lorewright.rules.effects import recorded_facts
from lorewright.rules.patch import Validation
from lorewright.rules.validate import come_to_the_same, validate
from lorewright.rules.verbs import verb_of
from lorewright.scene_lore.models import SceneLore
from lorewright.turn.run.rounds import audience_of, remember, resolve_attempts
from lorewright.turn.run.steps import PlannedTurn, PlayerReading, Round, TurnContext, TurnOpening
from lorewright.turn.run.submitted import SUBMITTED, reading_of
from lorewright.turn.views import conversation
from lorewright.turn.views.disguises import supports_claim
from lorewright.turn.views.draft import Head, turn_id_of
from lorewright.turn.views.point import TurnPoint, TurnStream
from lorewright.turn.views.scenery import scenery_views
from lorewright.turn.views.scope import board_of, role_of_item, scope_of, scopes_ahead
from lorewright.values.records import InterpreterInput, InterpreterOutput, Message, PlannerInput, Premise
from lorewright.values.scenery import SceneryNoun
from lorewright.values.scope import Scope
from lorewright.world.ops import StateOp
from lorewright.world.state import WorldState
from lorewright.world.things import PREDICATES

# A player's claims -> premises: each claim checked against promises and debts on record, learned items, things carried,
# and the stream. A claim holds only where something supports it: a promise or debt on the record, an item that was
# told, words that were quoted or typed, a thing carried. All of it is known to the player, so that no answer tells more
# than the claim did. A claim without support does not hold, and nobody is to agree to it.

# The most claims of one input that are checked.
MOST = 4
_CLAUSE = re.compile(r"[.;!?\n]+|,? (?:so|and then|then) (?=give|tell|where|what|let|help)")
_TOLD_TO = re.compile(r"(?:tell|remind) (?P<whom>.+?) (?:that|how) (?P<what>.+)", re.IGNORECASE)
_QUOTED = re.compile(r"“([^”]+)”")


@dataclass(frozen=True, slots=True)
class Grounds:
    """The evidence that claims are checked against: the state, the stream as the player may read it (turn number,
    message; nothing of this turn), and a function from a lore item's ID to its text, or None."""

    state: WorldState
    messages: Sequence[tuple[int, Message]]
    text_of: Callable[[str], str | None]
    # Names of what the opening says is the player's, each with the ID of the message that says so.
    owned: Mapping[str, str] = field(default_factory=dict)


def check_claims(
    text: str, actions: Sequence[Action], grounds: Grounds, *, people: Mapping[str, str]
) -> tuple[Premise, ...]:
    """Return every claim in the player's words, checked, each once, those of the actions first, at most `MOST`.

    `people` are the names by which somebody can be meant, in lower case, with their IDs. The person spoken to is the
    target of an action, else the only one who is here.
    """
    state = grounds.state
    present = state.present_npcs()
    aimed = next((action.target_id for action in actions if action.target_id in present), None)
    spoken_to = aimed or (present[0] if len(present) == 1 else None)
    found: dict[tuple[str, str | None, str], Premise] = {}
    own = [(action.words, action.target_id) for action in actions if _is_reminder(action.type) and action.words]
    for words, to in (*own, *_clauses(text, spoken_to, people)):
        claim = claim_in(_CLAUSE.split(words)[0])
        premise = None if claim is None else _check_claim(claim, words, to, grounds, people)
        if premise is not None:
            found.setdefault((premise.kind, premise.by, premise.what.casefold()), premise)
    return tuple(found.values())[:MOST]


def _is_reminder(kind: str) -> bool:
    verb = verb_of(kind)
    return verb is not None and verb.is_claim


def people_named(scope: Scope) -> dict[str, str]:
    """Return the IDs of the people whom the player's words can name, by name and alias in lower case; of several with a
    name the one who is here."""
    found: dict[str, str] = {}
    for person in (*scope.people, *(topic for topic in scope.topics if topic.kind == "person")):
        for name in (person.name, *person.aliases):
            found.setdefault(name.casefold(), person.id)
    return found


def with_supported_claims(attempt: Attempt, premises: Sequence[Premise], state: WorldState) -> Attempt:
    """Return a reminder of something claimed with the facts and items that support it; any other attempt as it is."""
    action = attempt.action
    premise = next(
        (claimed for claimed in premises if _is_reminder(action.type) and claimed.words == action.words), None
    )
    if premise is None:
        return attempt
    items = [
        source_id for source_id in premise.evidence if "#" in source_id and holder_of(source_id) == action.target_id
    ]
    grounding = Grounding(
        items=tuple(GroundedItem(id=item, role=role_of_item(item), holder_id=holder_of(item)) for item in items),
        fact_ids=tuple(fact_id for fact_id in premise.evidence if fact_id in state.facts),
    )
    return attempt.model_copy(update={"grounding": grounding})


def text_of_item(item_id: str, generations: Sequence[Generation]) -> str | None:
    """Return the text of a lore item, in the first pack that has it, or None."""
    item = next(filter(None, (generation.item(item_id) for generation in generations)), None)
    return None if item is None else item.text


def _clauses(text: str, spoken_to: str | None, people: Mapping[str, str]) -> Iterable[tuple[str, str | None]]:
    """Yield the clauses of the text without the name of the person each is put to, and that person's ID."""
    for clause in _CLAUSE.split(text.replace("’", "'")):
        yield _split_addressee(clause.strip(' ,"“”'), spoken_to, people)


def _split_addressee(clause: str, spoken_to: str | None, people: Mapping[str, str]) -> tuple[str, str | None]:
    first, _, rest = clause.partition(",")
    before, _, last = clause.rpartition(",")
    for name, words in ((first, rest), (last, before)):
        if words.strip() and name.strip().casefold() in people:
            return words.strip(), people[name.strip().casefold()]
    told = _TOLD_TO.fullmatch(clause)
    if told is not None and told["whom"].casefold() in people:
        return told["what"], people[told["whom"].casefold()]
    return clause, spoken_to


def _check_claim(
    claim: Claim, words: str, spoken_to: str | None, grounds: Grounds, people: Mapping[str, str]
) -> Premise | None:
    """Return the claim with its people and its evidence; None where it is about nobody known."""
    player, recorded = grounds.state.player_id, tuple[str, ...]()
    claim = _with_addressee(claim, people)
    by, to = ({YOU: spoken_to, ME: player, **people}.get(named) for named in (claim.by, claim.to))
    if by is None or (claim.kind != "owns" and (to is None or by == to)):
        return None
    if claim.kind != "owns" and player not in (by, to):
        return None  # what others have with each other is theirs to say
    match claim.kind:
        case "owns":
            evidence = _items_owned(claim.what, grounds)
        case "promised" | "owes":
            evidence = _on_record(claim.what, grounds.state, by=by, to=str(to), predicate=claim.kind)
            recorded = recorded_facts(grounds.state, by=by, to=str(to), predicate=claim.kind)
        case "said":
            evidence = _evidence_said(claim.what, grounds, by=by, to=str(to))
    return Premise(
        kind=claim.kind, by=by, to=to, what=claim.what, words=words, holds=bool(evidence), asks=claim.asks,
        evidence=evidence or recorded, put_to=spoken_to,
    )  # fmt: skip


def _with_addressee(claim: Claim, people: Mapping[str, str]) -> Claim:
    """Resolve the person named in `I told Mara that …`, `Viktor promised Mara the boat`, where `you` or `me` could
    stand."""
    words = claim.what.split()
    for size in (1, 2, 3):
        name, rest = " ".join(words[:size]).casefold(), words[size:]
        if name not in people or claim.kind == "owns":
            continue
        says_more = bool(rest) and rest[0].casefold() in ("that", "about", "of")
        if rest and (says_more or claim.kind != "said"):
            return replace(claim, to=name, what=" ".join(rest[1:] if says_more or rest[0] == "to" else rest))
    return claim


def _on_record(what: str, state: WorldState, *, by: str, to: str, predicate: str) -> tuple[str, ...]:
    facts = [state.facts[fact_id] for fact_id in recorded_facts(state, by=by, to=to, predicate=predicate)]
    return tuple(fact.id for fact in facts if supports_claim(str(fact.object["what"]), what, state))


def _items_owned(what: str, grounds: Grounds) -> tuple[str, ...]:
    """Return the IDs of the things in the player's hands that have that name, else of the message that says they have
    it."""
    state = grounds.state
    carried = [state.entities[item_id] for item_id in state.held_by(state.player_id) if item_id in state.entities]
    items = tuple(
        item.id for item in carried if any(supports_claim(name, what, state) for name in (item.name, *item.aliases))
    )
    told = (message_id for name, message_id in grounds.owned.items() if supports_claim(name, what, state))
    return items or tuple(dict.fromkeys(told))


def _evidence_said(what: str, grounds: Grounds, *, by: str, to: str) -> tuple[str, ...]:
    state = grounds.state
    if by == state.player_id:
        return (*_items_passed_on(what, grounds, to), *_messages_typed(what, grounds, to))
    promises = [
        fact_id for predicate in PREDICATES for fact_id in _on_record(what, state, by=by, to=to, predicate=predicate)
    ]
    return (*_items_told(what, grounds, by), *promises, *_messages_quoting(what, grounds, by))


def _items_told(what: str, grounds: Grounds, by: str) -> tuple[str, ...]:
    """Return the IDs of the items of theirs that somebody told the player, or let them overhear."""
    learned = grounds.state.reveals.get(grounds.state.player_id, {})
    own = [item_id for item_id, reveal in sorted(learned.items()) if reveal.how in ("told", "overheard")]
    return tuple(item_id for item_id in own if holder_of(item_id) == by and _is_in(item_id, what, grounds))


def _items_passed_on(what: str, grounds: Grounds, to: str) -> tuple[str, ...]:
    """Return the IDs of the items that the player knew and told somebody."""
    state = grounds.state
    heard = [item_id for item_id, reveal in sorted(state.reveals.get(to, {}).items()) if reveal.how == "told"]
    return tuple(
        item_id for item_id in heard if state.has_learned(state.player_id, item_id) and _is_in(item_id, what, grounds)
    )


def _is_in(item_id: str, what: str, grounds: Grounds) -> bool:
    text = grounds.text_of(item_id)
    return text is not None and supports_claim(text, what, grounds.state)


def _messages_typed(what: str, grounds: Grounds, to: str) -> tuple[str, ...]:
    """Return the IDs of messages with the player's own words to somebody, in which the person is named."""
    state = grounds.state
    own = [
        message for _, message in grounds.messages if message.type == "intention" and message.owner == state.player_id
    ]
    name = state.name_of(to)
    return tuple(
        _id_of(message)
        for message in own
        if not _is_claim(message.content)
        and _is_named(message.content, name, state, to)
        and supports_claim(message.content, what, state)
    )


def _is_claim(content: str) -> bool:
    """Return True if a text was itself a claim, because that is no evidence."""
    told = _TOLD_TO.fullmatch(content)
    parts = (content, content.partition(",")[2], content.rpartition(",")[0], told["what"] if told else "")
    return any(claim_in(clause) is not None for part in parts for clause in _CLAUSE.split(part))


def _is_named(text: str, name: str, state: WorldState, who: str) -> bool:
    called = (name, name.split()[-1], *state.entities[who].aliases)
    return any(re.search(rf"(?<!\w){re.escape(alias.casefold())}(?!\w)", text.casefold()) for alias in called)


def _messages_quoting(what: str, grounds: Grounds, by: str) -> tuple[str, ...]:
    """Return the IDs of narrations in which somebody is quoted with it: in a paragraph that names them and nobody else
    of the cast."""
    return tuple(
        _id_of(message)
        for _, message in grounds.messages
        if message.type == "narration"
        and any(supports_claim(words, what, grounds.state) for words in _words_of(by, message, grounds))
    )


def _words_of(by: str, message: Message, grounds: Grounds) -> Iterable[str]:
    state = grounds.state
    everybody = [entity for entity in state.entities.values() if entity.type == "npc"]
    for paragraph in message.content.split("\n\n"):
        spoken = _QUOTED.findall(paragraph)
        around = _QUOTED.sub(" ", paragraph) if spoken else ""
        if around and {npc.id for npc in everybody if _is_named(around, npc.name, state, npc.id)} == {by}:
            yield from spoken


def _id_of(message: Message) -> str:
    return f"{message.turn_id}/{message.seq}"


# The round: open, read (interpret, ground, validate), plan, play.


def open_turn(turn: TurnContext, seen: Head, ops: Sequence[StateOp]) -> TurnOpening:
    """Begin the turn: its messages are the markers of the last turn, the player's thought, their words. `seen` is the
    head after the change of persona, `ops` are the ops of that change."""
    submission, state = turn.submission, seen.state
    stream = TurnStream.after(seen, turn_id_of(turn.head.campaign_id, turn.head.turn_id, submission.action_id))
    stream = stream.with_markers(seen.markers).with_intention(
        state.player_id,
        submission.text,
        thought=submission.thought,
        to=submission.whisper_to,
        emotion=turn.setting.emotion_of(state.player_id, state),
    )
    scene, at = turn.views.at_scene(TurnPoint(state, stream))
    return TurnOpening(ops=tuple(ops), intention=stream.messages[-1], scene=scene, at=at)


async def read_words(turn: TurnContext, opening: TurnOpening) -> PlayerReading:
    """Return the reading of the player's words, each action with the items that its words point at, and the judgement
    of all.

    Raises:
        ProviderError: as every stage.
    """
    shown = turn.views.scenery(opening.at, opening.scene, all_told=not turn.stages.narrate.is_builtin)
    state = opening.at.state
    if turn.submission.actions:
        output = _submitted(turn, state)
    else:
        output = _whispered(await _interpret(turn, opening, shown), turn.submission.whisper_to)
        run = turn.stages.interpret.in_steps(output, lambda actions: turn.views.in_steps(actions, state, opening.scene))
        if run is not None and run.output is not None:
            turn.recorder.keep(run)
            output = run.output
    begun = replace(opening.at, stream=opening.at.stream.with_payload(conversation.kept_with_words(output, state)))
    owned = {noun.name: noun.source for noun in shown if noun.is_owned}
    premises = _check_claims(turn, begun, output.proposed_actions, owned)
    attempts, at = _ground(turn, begun, output.proposed_actions, premises)
    judged = _validate(turn, at.state, attempts, output)
    scenery = scenery_views(output.proposed_actions, shown, state)
    return PlayerReading(output, tuple(attempts), judged, premises, scenery, begun.stream.messages[-1], at)


def _submitted(turn: TurnContext, state: WorldState) -> InterpreterOutput:
    """Return the actions that were submitted as the reading; no words are read."""
    actions, to = turn.submission.actions, turn.submission.whisper_to
    output = _whispered(reading_of(actions, _within_earshot(_scope(turn, state), to), turn.setting.player_ids()), to)
    turn.recorder.keep_code(SUBMITTED, actions, output)
    return output


async def _interpret(turn: TurnContext, opening: TurnOpening, shown: tuple[SceneryNoun, ...]) -> InterpreterOutput:
    at, state = opening.at, opening.at.state
    said = (lines := conversation.said_lately(at)[:-1])[-2:]
    scope = _scope(turn, state, *said).model_copy(update={"scenery": shown, "seen_at": conversation.seen_at(at)})
    given = InterpreterInput(
        player_text=turn.submission.text,
        scope=_within_earshot(scope, turn.submission.whisper_to),
        options=turn.head.options,
        said_before=said,
        verbs=turn.setting.rules.ruleset.verbs(),
        talk=conversation.talk_at(at, turn.setting.rules.listeners),
        came_from=conversation.came_from(at),
        clocks=tuple(clock["name"] for clock in state.clocks_shown()),
        ahead=_ahead(turn, state, *said) if _PARTED.search(turn.submission.text) else {},
        board=board_of(state, turn.setting.rules),
        stats=tuple(stat.name for stat in turn.setting.rules.ruleset.stats.values()),
        lately=conversation.left_lately(at, lines),
    )
    tags = turn.stages.interpret.with_tags(turn.setting.tag_acts)
    given = turn.stages.interpret.with_searches(given, opening.scene.discoverable, state.learned_by(state.player_id))
    output = await turn.stages.interpret.run(
        given,
        turn.recorder,
        # Everybody who sees the action also sees how the player's words were read.
        check=lambda answer: turn.views.leak(canonical_json(answer.model_dump(mode="json")), at),
        listener=turn.listener,
    )
    if (tagged := tags.run(turn.stages.interpret.builtin_version)) is not None:
        turn.recorder.keep(tagged)
    return _settle(turn, state, output, given)


# A line of several parts, or with a goal: only there something is done after a walk, or lies behind a place.
_PARTED = re.compile(r"[,;.](?= \S)|\b(?:and|then|n|to|in|search|across|through|past)\b", re.IGNORECASE)


def _ahead(turn: TurnContext, state: WorldState, *said_before: str) -> dict[str, Scope]:
    """Return the scopes ahead by the names that the player may hear now: nobody is met before the walk came off."""
    knows, words = turn.views.acquaintance(state), "\n".join((*said_before, turn.submission.text))
    return scopes_ahead(knows.shown, turn.setting.rules.ruleset, heard_of=knows.heard_of(words))


def _scope(turn: TurnContext, state: WorldState, *said_before: str) -> Scope:
    """Return all that the player's words can refer to: who is here, and the absent whom they may hear of."""
    knows = turn.views.acquaintance(state)
    words = "\n".join((*said_before, turn.submission.text))
    return scope_of(knows.shown, heard_of=knows.heard_of(words))


def _settle(
    turn: TurnContext, state: WorldState, output: InterpreterOutput, given: InterpreterInput
) -> InterpreterOutput:
    """Return the first answer of a question whose answers all come to the same, so that it is not asked; else the
    reading as it is."""
    run = turn.stages.interpret.settle(
        output, given, lambda answers: come_to_the_same(answers, state, turn.setting.rules)
    )
    if run is None or run.output is None:
        return output
    turn.recorder.keep(run)
    return run.output


def _check_claims(
    turn: TurnContext, at: TurnPoint, actions: Sequence[Action], owned: Mapping[str, str]
) -> tuple[Premise, ...]:
    """Return every claim of the player, checked and recorded before anybody can agree to it."""
    player = at.state.player_id
    told = [numbered for numbered in at.stream.seen_by("player", own_id=player) if numbered[0] < turn.turn_no]
    grounds = Grounds(at.state, told, lambda item_id: text_of_item(item_id, turn.setting.generations), owned)
    found = check_claims(turn.submission.text, actions, grounds, people=people_named(_scope(turn, at.state)))
    if found:
        turn.recorder.keep_code("premises", actions, found)
    return found


def _ground(
    turn: TurnContext, at: TurnPoint, actions: Sequence[Action], premises: Sequence[Premise]
) -> tuple[list[Attempt], TurnPoint]:
    attempts, grounded_at = turn.views.grounded(actions, at)
    attempts = [with_supported_claims(attempt, premises, at.state) for attempt in attempts]
    turn.recorder.keep_code("ground", actions, [attempt.grounding for attempt in attempts])
    return attempts, grounded_at


def _validate(
    turn: TurnContext, state: WorldState, attempts: Sequence[Attempt], output: InterpreterOutput
) -> Validation:
    # A refusal names entities only by names that the player may hear.
    shown, rules = turn.views.acquaintance(state).shown, turn.setting.rules
    validation = validate(attempts, shown, rules, says_why=turn.setting.lore is not None)
    if output.unclear is not None:
        validation = validation.model_copy(update={"clarification": output.unclear.question})
    read_as = tuple(line for line in output.assumptions if line.startswith("“"))
    if output.not_played or read_as:
        validation = validation.model_copy(update={"not_played": output.not_played, "read_as": read_as})
    turn.recorder.keep_code("validate", attempts, validation)
    return validation


async def make_plan(turn: TurnContext, scene: SceneLore, reading: PlayerReading) -> PlannedTurn:
    """Return the plan for the narration of the player's round, made at the scene that the turn began in.

    Raises:
        ProviderError: as every stage.
    """
    packet, at = turn.views.packet(reading.at, scene, "planner")
    given = PlannerInput(
        packet=packet,
        actions=reading.output.proposed_actions,
        results=reading.judged.results,
        premises=reading.premises,
    )
    output = await turn.stages.plan.run(
        given, turn.recorder, check=lambda plan: turn.views.plan_leak(plan, at), listener=turn.listener
    )
    return PlannedTurn(output, at)


async def play_player(turn: TurnContext, opening: TurnOpening, reading: PlayerReading, at: TurnPoint) -> Round:
    """Resolve the player's attempts at a point of the turn and return the round.

    Raises:
        ProviderError: where a rulebook is applied by a model.
    """
    player, to = at.state.player_id, turn.submission.whisper_to
    resolution, after = await resolve_attempts(
        turn, reading.attempts, reading.judged, at, player_text=turn.submission.text, record="resolve"
    )
    audience = (player, to) if to is not None else audience_of(player, at.state, after)
    state, remembered = remember(turn, resolution, at.state, after, audience)
    return Round(
        who=player,
        intention=reading.intention,
        before=at.state,
        after=after,
        resolution=resolution,
        judged=reading.judged,
        audience=audience,
        actions=tuple(attempt.action for attempt in reading.attempts),
        ops=(*resolution.ops, *remembered),
        at=replace(at, state=state),
        scenery=reading.scenery,
    )


def _within_earshot(scope: Scope, to: str | None) -> Scope:
    """Return the scope of a whisper: the person whispered to is the only one spoken to; others can be spoken of."""
    if to is None:
        return scope
    others = tuple(person for person in scope.people if person.id != to)
    hearer = tuple(person for person in scope.people if person.id == to)
    return scope.model_copy(update={"people": hearer, "topics": (*scope.topics, *others)})


def _whispered(output: InterpreterOutput, to: str | None) -> InterpreterOutput:
    """Return the reading with its actions aimed at the person whispered to marked as whispered."""
    if to is None:
        return output
    actions = tuple(_whispered_action(action, to) for action in output.proposed_actions)
    return output.model_copy(update={"proposed_actions": actions})


def _whispered_action(action: Action, to: str) -> Action:
    verb = verb_of(action.type)
    fields = {} if verb is None else verb.metadata.model_fields
    if "whisper" not in fields or action.target_id != to:
        return action
    return action.model_copy(update={"metadata": {**action.metadata, "whisper": True}})
