"""The player's own round: interpret, ground, validate, plan, resolve."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from lorewright.builtin.parser.clauses import ME, YOU, Claim, claim_in
from lorewright.ids import canonical_json, holder_of
from lorewright.index.generation import Generation
from lorewright.rules.actions import METADATA, Action, Attempt, GroundedItem, Grounding
from lorewright.rules.effects import PREDICATES, recorded
from lorewright.rules.patch import Validation
from lorewright.rules.resolve import play_out
from lorewright.rules.validate import come_to_the_same, validate
from lorewright.turn.run.by_the_book import rulings
from lorewright.turn.run.progress import TurnContext
from lorewright.turn.run.rounds import Round, remember, there
from lorewright.turn.views.disguises import says
from lorewright.turn.views.scope import ground, scope_of
from lorewright.values.records import (
    InterpreterInput,
    InterpreterOutput,
    Message,
    PlannerInput,
    PlannerOutput,
    Premise,
    Scope,
)
from lorewright.world.state import WorldState

# What a player claims -> whether it is so: checked against the record, what was told, things in hand, and the stream.
#
# A claim holds only where something says so: a promise or debt on the record, an item that was told, words that were
# quoted or typed, a thing in hand. All of it is what the player may know, so that no answer tells more than the claim
# did. Where nothing says so the claim does not hold, and nobody is to agree to it.

# What a player may claim in one breath, and what a turn looks at.
MOST = 4
_CLAUSE = re.compile(r"[.;!?\n]+|,? (?:so|and then|then) (?=give|tell|where|what|let|help)")
_TOLD_TO = re.compile(r"(?:tell|remind) (?P<whom>.+?) (?:that|how) (?P<what>.+)", re.IGNORECASE)
_QUOTED = re.compile(r"“([^”]+)”")


@dataclass(frozen=True, slots=True)
class Grounds:
    """What claims are checked against: the state, the stream as the player may read it (turn number, message; nothing
    of this turn), and the text of a lore item by its ID, where there is one."""

    state: WorldState
    messages: Sequence[tuple[int, Message]]
    text_of: Callable[[str], str | None]


def check_claims(
    text: str, actions: Sequence[Action], grounds: Grounds, *, people: Mapping[str, str]
) -> tuple[Premise, ...]:
    """Every claim in the player's words, checked, each once, those of the actions first.

    `people` are the names that somebody can be meant by, in lower case, with their IDs. Who is spoken to is whom an
    action is aimed at, else the only one who is here.
    """
    state = grounds.state
    here = state.present_npcs()
    aimed = next((action.target_id for action in actions if action.target_id in here), None)
    spoken_to = aimed or (here[0] if len(here) == 1 else None)
    found: dict[tuple[str, str | None, str], Premise] = {}
    own = [(action.words, action.target_id) for action in actions if action.type == "recall" and action.words]
    for words, to in (*own, *_clauses(text, spoken_to, people)):
        claim = claim_in(_CLAUSE.split(words)[0])
        premise = None if claim is None else _checked(claim, words, to, grounds, people)
        if premise is not None:
            found.setdefault((premise.kind, premise.by, premise.what.casefold()), premise)
    return tuple(found.values())[:MOST]


def people_named(scope: Scope) -> dict[str, str]:
    """Whoever the player's words can name, by name and alias in lower case; of one name the one who is here."""
    found: dict[str, str] = {}
    for one in (*scope.people, *(topic for topic in scope.topics if topic.kind == "person")):
        for name in (one.name, *one.aliases):
            found.setdefault(name.casefold(), one.id)
    return found


def with_supported_claims(attempt: Attempt, premises: Sequence[Premise], state: WorldState) -> Attempt:
    """A `recall` of something claimed, with what bears it out among facts and items; any other attempt as it is."""
    action = attempt.action
    premise = next((one for one in premises if action.type == "recall" and one.words == action.words), None)
    if premise is None:
        return attempt
    items = [one for one in premise.evidence if "#" in one and holder_of(one) == action.target_id]
    grounding = Grounding(
        items=tuple(GroundedItem(id=item, role=_role(item), holder_id=holder_of(item)) for item in items),
        fact_ids=tuple(one for one in premise.evidence if one in state.facts),
    )
    return attempt.model_copy(update={"grounding": grounding})


def text_of_item(item_id: str, generations: Sequence[Generation]) -> str | None:
    """The text of a lore item with its name, in the first pack that has it."""
    item = next(filter(None, (generation.item(item_id) for generation in generations)), None)
    return None if item is None else item.text


def _role(item_id: str) -> Literal["knows", "withholds", "discoverable"]:
    section = item_id.partition("#")[0].rpartition(":")[2]
    return "withholds" if section == "withholds" else "discoverable" if section == "discoverable" else "knows"


def _clauses(text: str, spoken_to: str | None, people: Mapping[str, str]) -> Iterable[tuple[str, str | None]]:
    """The clauses of the text, less the name of whoever each is put to, and that one."""
    for clause in _CLAUSE.split(text.replace("’", "'")):
        yield _put_to(clause.strip(' ,"“”'), spoken_to, people)


def _put_to(clause: str, spoken_to: str | None, people: Mapping[str, str]) -> tuple[str, str | None]:
    first, _, rest = clause.partition(",")
    before, _, last = clause.rpartition(",")
    for name, words in ((first, rest), (last, before)):
        if words.strip() and name.strip().casefold() in people:
            return words.strip(), people[name.strip().casefold()]
    told = _TOLD_TO.fullmatch(clause)
    if told is not None and told["whom"].casefold() in people:
        return told["what"], people[told["whom"].casefold()]
    return clause, spoken_to


def _checked(
    claim: Claim, words: str, spoken_to: str | None, grounds: Grounds, people: Mapping[str, str]
) -> Premise | None:
    """The claim with who is meant and what speaks for it; None where nobody can be meant by it."""
    player = grounds.state.player_id
    claim = _to_whom(claim, people)
    meant = {YOU: spoken_to, ME: player, **people}
    by, to = meant.get(claim.by), meant.get(claim.to)
    if by is None or (claim.kind != "owns" and (to is None or by == to)):
        return None
    if claim.kind != "owns" and player not in (by, to):
        return None  # what others have with each other is theirs to say
    match claim.kind:
        case "owns":
            evidence = _owned(claim.what, grounds.state)
        case "promised" | "owes":
            evidence = _on_record(claim.what, grounds.state, by=by, to=str(to), predicate=claim.kind)
        case "said":
            evidence = _said(claim.what, grounds, by=by, to=str(to))
    return Premise(
        kind=claim.kind, by=by, to=to, what=claim.what, words=words, holds=bool(evidence), evidence=evidence,
        asks=claim.asks, put_to=spoken_to,
    )  # fmt: skip


def _to_whom(claim: Claim, people: Mapping[str, str]) -> Claim:
    """`I told Mara that …`, `Viktor promised Mara the boat`: the name of somebody stands where `you` or `me` would."""
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
    facts = [state.facts[one] for one in recorded(state, by=by, to=to, predicate=predicate)]
    return tuple(fact.id for fact in facts if says(str(fact.object["what"]), what, state))


def _owned(what: str, state: WorldState) -> tuple[str, ...]:
    """The things in the player's hands that are called so."""
    carried = [state.entities[one] for one in state.held_by(state.player_id) if one in state.entities]
    return tuple(one.id for one in carried if any(says(name, what, state) for name in (one.name, *one.aliases)))


def _said(what: str, grounds: Grounds, *, by: str, to: str) -> tuple[str, ...]:
    state = grounds.state
    if by == state.player_id:
        return (*_passed_on(what, grounds, to), *_typed(what, grounds, to))
    kept = [one for predicate in PREDICATES for one in _on_record(what, state, by=by, to=to, predicate=predicate)]
    return (*_told(what, grounds, by), *kept, *_quoted(what, grounds, by))


def _told(what: str, grounds: Grounds, by: str) -> tuple[str, ...]:
    """What of theirs somebody told the player, or let them overhear."""
    learned = grounds.state.reveals.get(grounds.state.player_id, {})
    own = [one for one, reveal in sorted(learned.items()) if reveal.how in ("told", "overheard")]
    return tuple(one for one in own if holder_of(one) == by and _is_in(one, what, grounds))


def _passed_on(what: str, grounds: Grounds, to: str) -> tuple[str, ...]:
    """What the player knew and told somebody."""
    state = grounds.state
    heard = [one for one, reveal in sorted(state.reveals.get(to, {}).items()) if reveal.how == "told"]
    return tuple(one for one in heard if state.has_learned(state.player_id, one) and _is_in(one, what, grounds))


def _is_in(item_id: str, what: str, grounds: Grounds) -> bool:
    text = grounds.text_of(item_id)
    return text is not None and says(text, what, grounds.state)


def _typed(what: str, grounds: Grounds, to: str) -> tuple[str, ...]:
    """The player's own words to somebody, by whose name they go."""
    state = grounds.state
    own = [one for _, one in grounds.messages if one.type == "intention" and one.owner == state.player_id]
    name = state.name_of(to)
    return tuple(
        _id_of(one)
        for one in own
        if not _claims(one.content) and _names(one.content, name, state, to) and says(one.content, what, state)
    )


def _claims(content: str) -> bool:
    """Whether it was itself a claim: to have claimed something bears nothing out."""
    told = _TOLD_TO.fullmatch(content)
    parts = (content, content.partition(",")[2], content.rpartition(",")[0], told["what"] if told else "")
    return any(claim_in(clause) is not None for part in parts for clause in _CLAUSE.split(part))


def _names(text: str, name: str, state: WorldState, who: str) -> bool:
    called = (name, name.split()[-1], *state.entities[who].aliases)
    return any(re.search(rf"(?<!\w){re.escape(one.casefold())}(?!\w)", text.casefold()) for one in called)


def _quoted(what: str, grounds: Grounds, by: str) -> tuple[str, ...]:
    """Narrations in which somebody is quoted with it: in a paragraph that names them and nobody else who is there."""
    return tuple(
        _id_of(one)
        for _, one in grounds.messages
        if one.type == "narration" and any(says(words, what, grounds.state) for words in _words_of(by, one, grounds))
    )


def _words_of(by: str, message: Message, grounds: Grounds) -> Iterable[str]:
    state = grounds.state
    everybody = [entity for entity in state.entities.values() if entity.type == "npc"]
    for paragraph in message.content.split("\n\n"):
        spoken = _QUOTED.findall(paragraph)
        around = _QUOTED.sub(" ", paragraph) if spoken else ""
        if around and {one.id for one in everybody if _names(around, one.name, state, one.id)} == {by}:
            yield from spoken


def _id_of(message: Message) -> str:
    return f"{message.turn_id}/{message.seq}"


class PlayerRound:
    """One player's round while it is thought: a step a method."""

    def __init__(self, turn: TurnContext) -> None:
        """Begin the turn's part of the stream: what the last turn led to, the player's thought, their words."""
        self._turn = turn
        self._state = turn.played.state
        self._lore = turn.views.scene_lore(self._state)
        submission, stream = turn.submission, turn.stream
        stream.open()
        self._intention = stream.intend(
            self._state.player_id, submission.text, thought=submission.thought, to=submission.whisper_to
        )

    async def read(self) -> tuple[InterpreterOutput, list[Attempt], Validation]:
        """The player's words as actions, each with what its words point at, and judged.

        Raises:
            OutputRejected, ProviderError: as every stage.
        """
        reading = self._whispered(await self._interpret())
        self._check_claims(reading.proposed_actions)
        attempts = self._ground(reading.proposed_actions)
        return reading, attempts, self._validate(attempts, reading)

    async def _interpret(self) -> InterpreterOutput:
        turn = self._turn
        seen = turn.stream.seen_by("interpreter", own_id=self._state.player_id)
        said = [one.content for _, one in seen if one.type == "intention" and one != self._intention][-2:]
        given = InterpreterInput(
            player_text=turn.submission.text,
            scope=_within_earshot(self._scope(*said), turn.submission.whisper_to),
            options=turn.head.options,
            said_before=tuple(said),
            verbs=turn.setting.rules.ruleset.verbs(),
        )
        reading = await turn.stages.interpret.run(
            given,
            turn.recorder,
            # What is read into the player's words is seen by everybody who sees the deed.
            check=lambda answer: turn.views.leak(canonical_json(answer.model_dump(mode="json")), self._state),
            listener=turn.listener,
        )
        return self._settled(reading, given)

    def _scope(self, *said_before: str) -> Scope:
        """All that the player's words can refer to: who is here, and of the absent whom they may hear of."""
        knows = self._turn.views.acquaintance(self._state)
        words = "\n".join((*said_before, self._turn.submission.text))
        return scope_of(knows.shown, heard_of=knows.heard_of(words))

    def _settled(self, reading: InterpreterOutput, given: InterpreterInput) -> InterpreterOutput:
        """A question whose every answer comes to the same is not asked: the first answer is as good as any."""
        unclear, turn = reading.unclear, self._turn
        if unclear is None or reading.proposed_actions or len(unclear.lines) < 2:
            return reading
        asked = [given.model_copy(update={"player_text": line}) for line in unclear.lines]
        answers = [turn.stages.interpret.twin(one) for one in asked]
        if any(answer.unclear is not None or not answer.proposed_actions for answer in answers):
            return reading
        if not come_to_the_same([answer.proposed_actions for answer in answers], self._state, turn.setting.rules):
            return reading
        assumed = f"{unclear.lines[0]}: any other answer would come to the same"
        settled = answers[0].model_copy(update={"assumptions": (*answers[0].assumptions, assumed)})
        turn.recorder.keep_code("settle", [reading], settled)
        return settled

    def _whispered(self, reading: InterpreterOutput) -> InterpreterOutput:
        """What is whispered to somebody is said to them alone."""
        to = self._turn.submission.whisper_to
        if to is None:
            return reading
        return reading.model_copy(
            update={
                "proposed_actions": tuple(
                    _whispered(proposed_action, to) for proposed_action in reading.proposed_actions
                )
            }
        )

    def _check_claims(self, actions: Sequence[Action]) -> None:
        """Whatever the player takes for granted is checked before anybody agrees to it."""
        turn, player = self._turn, self._state.player_id
        told = [one for one in turn.stream.seen_by("player", own_id=player) if one[0] < turn.turn_no]
        grounds = Grounds(self._state, told, lambda item_id: text_of_item(item_id, turn.setting.generations))
        found = check_claims(turn.submission.text, actions, grounds, people=people_named(self._scope()))
        turn.played.premises = found
        if found:
            turn.recorder.keep_code("premises", actions, found)

    def _ground(self, actions: Sequence[Action]) -> list[Attempt]:
        turn = self._turn
        attempts = ground(
            actions, self._state, turn.views.scene_lore, turn.setting.rules.ruleset, turn.setting.generations
        )
        attempts = [with_supported_claims(attempt, turn.played.premises, self._state) for attempt in attempts]
        turn.recorder.keep_code("ground", actions, [attempt.grounding for attempt in attempts])
        return attempts

    def _validate(self, attempts: Sequence[Attempt], reading: InterpreterOutput) -> Validation:
        # A refusal names things: only by names that the player may hear.
        shown = self._turn.views.acquaintance(self._state).shown
        validation = validate(attempts, shown, self._turn.setting.rules)
        if reading.unclear is not None:
            validation = validation.model_copy(update={"clarification": reading.unclear.question})
        self._turn.recorder.keep_code("validate", attempts, validation)
        return validation

    async def plan(self, actions: tuple[Action, ...], judged: Validation) -> PlannerOutput:
        """How the turn is to be told.

        Raises:
            OutputRejected, ProviderError: as every stage.
        """
        turn = self._turn
        packet = turn.views.packet(self._state, self._lore, "planner")
        return await turn.stages.plan.run(
            PlannerInput(packet=packet, actions=actions, results=judged.results, premises=turn.played.premises),
            turn.recorder,
            check=lambda plan: turn.views.leak(_text_of(plan), self._state),
            listener=turn.listener,
        )

    async def play(self, attempts: Sequence[Attempt], judged: Validation) -> Round:
        """What comes of it; the turn goes on from there.

        Raises:
            OutputRejected, ProviderError: where a rulebook is applied by a model.
        """
        turn, rules = self._turn, self._turn.setting.rules
        ruled = await rulings(
            turn.stages.resolve,
            attempts,
            judged,
            self._state,
            rules,
            turn.dice,
            player_text=turn.submission.text,
            leak=lambda text: turn.views.leak(text, self._state),
            keeper=turn.recorder,
            listener=turn.listener,
        )
        patch = play_out(attempts, judged, self._state, rules, turn.dice, turn_no=turn.turn_no, rulings=ruled)
        resolution = patch.resolution()
        turn.recorder.keep_code("resolve", [*attempts, judged], resolution)
        player, to = self._state.player_id, turn.submission.whisper_to
        audience = (player, to) if to is not None else there(player, self._state, patch.state)
        turn.played.actions += [attempt.action for attempt in attempts]
        turn.played.results += judged.results
        turn.played.take(resolution, patch.state, audience=audience)
        remember(turn, resolution, self._state, patch.state, audience)
        return Round(
            player,
            self._intention,
            self._state,
            patch.state,
            resolution,
            judged,
            audience,
            tuple(one.action for one in attempts),
        )


def _within_earshot(scope: Scope, to: str | None) -> Scope:
    """Who is whispered to is the only one who is spoken to; others can be spoken of."""
    if to is None:
        return scope
    others = tuple(person for person in scope.people if person.id != to)
    hearer = tuple(person for person in scope.people if person.id == to)
    return scope.model_copy(update={"people": hearer, "topics": (*scope.topics, *others)})


def _whispered(action: Action, to: str) -> Action:
    fields = METADATA[action.type].model_fields if action.type in METADATA else {}
    if "whisper" not in fields or action.target_id != to:
        return action
    return action.model_copy(update={"metadata": {**action.metadata, "whisper": True}})


def _text_of(plan: PlannerOutput) -> str:
    return "\n".join((*plan.beats, plan.tension_move, plan.clarification_question, *plan.next_suggestions))
