"""The views of each stage in one turn: gathered lore, packets, lore retrieved for the player's words, and leak
checks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import reduce
from types import TracebackType
from typing import Any, Literal

from lorewright.index.generation import Generation, oldest_reading
from lorewright.retrieval.query import LoreRetrievalQuery, RetrievedChunk
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView, generations_in_force
from lorewright.rules.actions import Action, Attempt
from lorewright.rules.patch import Outcome
from lorewright.scene_lore.cache import SceneLoreCache
from lorewright.scene_lore.gather import described
from lorewright.scene_lore.models import LorePassage, LoreText, SceneFocus, SceneLore
from lorewright.scene_lore.retrieved import SceneRetrieval
from lorewright.settings import PlayLore
from lorewright.tokens import count_tokens
from lorewright.turn.views.acquaintance import Acquaintance
from lorewright.turn.views.asides.recollections import answer_from_known
from lorewright.turn.views.conversation import talk_at
from lorewright.turn.views.draft import Head, SceneLoreUse, Setting, Submission
from lorewright.turn.views.leads import lead_on, leads_of, may_point_on
from lorewright.turn.views.leaks import QUOTED_WORDS, LeakRefusal, Refusals
from lorewright.turn.views.packet import RECENT_CHARACTERS, RECENT_NARRATIONS, build_packet
from lorewright.turn.views.point import GatheredLore, RetrievedAnswer, TurnPoint, TurnStream
from lorewright.turn.views.scenery import (
    authored_sentences,
    narrations_here,
    shown_in_lore,
    shown_in_manners,
    shown_in_narrations,
    shown_in_opening,
)
from lorewright.turn.views.scope import as_questions, ground, in_steps, scene_item
from lorewright.turn.views.story import StorySoFar
from lorewright.turn.views.subjects import asked_about, spoken_of
from lorewright.values.annotations import summary_for
from lorewright.values.entries import EntriesFound, lore_conditions
from lorewright.values.leads import Lead
from lorewright.values.packet import ContextPacket
from lorewright.values.proposals import NpcIntent
from lorewright.values.records import Citation, PlannerOutput
from lorewright.values.scenery import SceneryNoun
from lorewright.world.state import WorldState

# The views of each stage in one turn.

_ASKED_CHARACTERS = 500
# Texts of facts with fewer words (a name, a number, `locked`) are too common to be secrets.
_SENTENCE_WORDS = 4


class TurnViews:
    """The views of one turn, each made for a point of it. What was gathered until then is part of the point: nothing
    that is asked here changes what a later check calls a leak.

    History from before the turn is opened once, when it is first needed, and closed with the views.
    """

    def __init__(self, head: Head, submission: Submission, setting: Setting) -> None:
        self._head = head
        self._submission = submission
        self._setting = setting
        # Games of before there were settings for it retrieved nothing for their scenes.
        self._budgets = setting.lore or PlayLore(scene_tokens=0)
        # The generations in force in the state that was asked about last: most questions follow one another.
        self._in_force: tuple[WorldState, tuple[Generation, ...]] | None = None
        self._open = ExitStack()
        self._history: tuple[Generation, ...] | None = None
        self._cache = SceneLoreCache(head.scene_lore, session_id=head.session_id, reuse=setting.keeps_scene_lore)
        self._story: StorySoFar | None = None
        self._acquaintance: Acquaintance | None = None
        self._planners: list[tuple[str, str]] | None = None
        self._entries = setting.entries(head)
        # The texts that were refused, for replays.
        self._refused: dict[tuple[str, str], LeakRefusal] = {}

    def __enter__(self) -> TurnViews:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def acquaintance(self, state: WorldState) -> Acquaintance:
        """Return what the player of a state knows of the entities in it; the story is the one up to this turn."""
        if self._acquaintance is None or self._acquaintance.state is not state:
            if self._story is None:
                self._story = self._setting.story(self._head)
            self._acquaintance = Acquaintance(state, self._setting.generations, self._story)
        return self._acquaintance

    def scene_lore(self, state: WorldState) -> SceneLore:
        """Return all lore of the state's scene, secrets included."""
        return self._cache.lore_of(
            _focus(state),
            self._setting.generations,
            lambda: self._generations_in_force(state),
            conditions=lore_conditions(state),
            learned=state.learned_by(state.player_id),
            standing_tokens=self._budgets.standing_tokens,
        )

    def _retrieved_for_scene(self, state: WorldState, lore: SceneLore) -> tuple[LorePassage, ...]:
        """Return the lore that is retrieved for a scene of which `lore` was gathered, besides that."""
        if not self._budgets.scene_tokens:
            return ()
        return self._cache.retrieved_for(
            _focus(state),
            self._setting.generations,
            SceneRetrieval(
                self._budgets.scene_tokens,
                {thread.id: thread.title for thread in state.open_threads()},
                self._setting.by_words,
                tuple(dict.fromkeys(tag for thread in state.open_threads() for tag in thread.tags)),
            ),
            conditions=lore_conditions(state),
            known={line.chunk_id for line in lore.sights()},
        )

    def at_scene(self, at: TurnPoint) -> tuple[SceneLore, TurnPoint]:
        """Return all lore of the scene at a point, and the point with it among what was gathered."""
        lore = self.scene_lore(at.state)
        return lore, replace(at, lore=at.lore.with_scene(lore))

    def in_steps(self, actions: Sequence[Action], state: WorldState, lore: SceneLore) -> tuple[Action, ...]:
        """Return the player's actions with each walk as its steps, and small talk as the question that it is (see
        `scope.as_questions`)."""
        asked = as_questions(actions, state, lore, self._setting.generations)
        return in_steps(asked, state, self._setting.rules.ruleset)

    def grounded(
        self, actions: Sequence[Action], at: TurnPoint, *, acting: str | None = None
    ) -> tuple[list[Attempt], TurnPoint]:
        """Return each action with the items that its words point at (see `scope.ground`), and the point with the lore
        of every scene that the actions lead through."""
        scenes: list[SceneLore] = []

        def gather(state: WorldState) -> SceneLore:
            scenes.append(self.scene_lore(state))
            return scenes[-1]

        ruleset, generations = self._setting.rules.ruleset, self._setting.generations
        connects = self._setting.lore is not None
        attempts = ground(actions, at.state, gather, ruleset, generations, acting=acting, connects=connects)
        if acting is None:
            talk = talk_at(at, self._setting.rules.listeners)
            topic = "" if talk is None else talk.topic
            in_force = self._generations_in_force(at.state)
            attempts = lead_on(attempts, scenes, self.acquaintance(at.state), in_force, topic=topic)
        return attempts, replace(at, lore=reduce(GatheredLore.with_scene, scenes, at.lore))

    def use_of_scene_lore(self, before: WorldState, after: WorldState) -> SceneLoreUse:
        """Return how a turn used the scene's lore: it was cached unless the scene that the turn began or ended in was
        gathered whole."""
        scenes = {before.scene.id, after.scene.id}
        return SceneLoreUse(not scenes & self._cache.gathered, after.scene.id, self._cache.to_keep(after.scene.id))

    def _generations_in_force(self, state: WorldState) -> tuple[Generation, ...]:
        if self._in_force is None or self._in_force[0] is not state:
            self._in_force = state, generations_in_force(self._setting.generations, lore_conditions(state))
        return self._in_force[1]

    def described(
        self, at: TurnPoint, outcomes: Sequence[Outcome]
    ) -> tuple[Mapping[str, Sequence[LoreText]], Mapping[str, str], TurnPoint]:
        """Return what the packs openly say of the subjects of a turn, and of some of what is here after it, by entity
        ID; the names of those whom questions named that brought nothing, by ID (see `asked_about`); and the point with
        these texts among the sights."""
        generations = self._generations_in_force(at.state)
        knows = self.acquaintance(at.state)
        words = " ".join(outcome.words for outcome in outcomes)
        heard_of, turn_no = knows.heard_of(words), self._head.turn_no + 1
        asked = asked_about(outcomes, knows.shown, generations, heard_of)
        concerned = spoken_of(knows.shown, outcomes, generations, turn_no=turn_no, heard_of=heard_of, asked_about=asked)
        found = described(generations, concerned)
        lines = [line for lines in found.values() for line in lines]
        return found, asked, replace(at, lore=at.lore.with_sights(lines))

    def leads(self, at: TurnPoint, outcomes: Sequence[Outcome], words: str) -> tuple[Lead, ...]:
        """Return where those whom the player spoke to can point (see `leads_of`)."""
        if not any(map(may_point_on, outcomes)):
            return ()
        lore, generations = self.scene_lore(at.state), self._generations_in_force(at.state)
        knows, heard_of = self.acquaintance(at.state), self._heard_of(at)
        return tuple(leads_of(outcomes, lore, knows, generations, heard_of=heard_of, words=words))

    def _heard_of(self, at: TurnPoint) -> list[str]:
        """Return names worth asking about that the player has heard of: in threads, and in what they have learned."""
        state = at.state
        heard_of = self.acquaintance(state).heard_of()
        threads = (entity_id for thread in state.threads.values() for entity_id in thread.related_entity_ids)
        related = [entity_id for entity_id in threads if entity_id in heard_of]
        learned = [
            topic
            for item in at.lore.items.values()
            if state.has_learned(state.player_id, item.id)
            for topic in item.topics
        ]
        present = {state.name_of(entity_id) for entity_id in state.present()}
        names = [*(state.name_of(entity_id) for entity_id in related if entity_id in state.entities), *learned]
        return [name for name in dict.fromkeys(names) if name not in present]

    def scenery(self, at: TurnPoint, lore: SceneLore, *, all_told: bool) -> tuple[SceneryNoun, ...]:
        """Return what the prose that the player has read shows at a point, and no entity stands for: open lore, the
        opening, what was told at the place lately. `all_told`: a model tells, so that every sentence counts."""
        knows = self.acquaintance(at.state)
        view = LoreView(self._generations_in_force(at.state), viewer="player", revealed=knows.readable)
        opening = self._setting.opening
        authored = None if all_told else authored_sentences(self._setting.rules, lore)
        shown = [
            *shown_in_lore(view, knows.shown),
            *(() if opening is None else shown_in_opening(opening, at.state)),
        ]
        known = {noun.head for noun in shown if noun.is_sure}
        manners = [noun for noun in shown_in_manners(lore, at.state) if noun.is_sure and noun.head not in known]
        known.update(noun.head for noun in manners)
        told = shown_in_narrations(narrations_here(at.stream, at.state), authored)
        return (*shown, *manners, *(noun for noun in told if noun.head not in known))

    def with_learned(self, at: TurnPoint, item_ids: Iterable[str]) -> TurnPoint:
        """Return the point with items that were revealed by an effect although their holders are not here."""
        # Most turns reveal nothing, and then it need not be known what is in force.
        wanted = [(item_id, generation) for item_id in item_ids for generation in self._generations_in_force(at.state)]
        found = (generation.item(item_id) for item_id, generation in wanted)
        return replace(at, lore=at.lore.with_items(scene_item(item) for item in found if item is not None))

    def narrations(self, stream: TurnStream) -> tuple[str, ...]:
        """Return the last narrations that the narrator may see, oldest first, each a page at most, because a model is
        shown its own texts again."""
        seen = stream.seen_by("narrator", own_id=self._head.state.player_id)
        return tuple(message.content[:RECENT_CHARACTERS] for _, message in seen if message.type == "narration")

    def packet(
        self, at: TurnPoint, lore: SceneLore, viewer: Literal["planner", "narrator"]
    ) -> tuple[ContextPacket, TurnPoint]:
        """Return the context packet of a stage, and the point with what was retrieved for it."""
        asked, answers = self._retrieved(at.state, lore, at.lore.answers)
        retrieved = self._retrieved_for_scene(at.state, lore)
        packet = build_packet(
            self.acquaintance(at.state).shown,
            self._setting.rules,
            lore,
            at.stream.seen_by(viewer, own_id=at.state.player_id),
            viewer=viewer,
            asked=asked,
            retrieved=None if self._setting.lore is None else retrieved,
            session=self._head.session_lore,
            agendas=self._setting.agendas,
            calibration=self._setting.calibration,
            story=summary_for(self._head.summary, at.state.player_id),
            manner=self._setting.manner,
            budget_tokens=self._budgets.packet_tokens,
            reading=oldest_reading(self._setting.generations),
        )
        return packet, replace(at, lore=replace(at.lore, answers=answers).with_passages(retrieved))

    def _retrieved(
        self, state: WorldState, lore: SceneLore, answers: tuple[RetrievedAnswer, ...]
    ) -> tuple[list[dict[str, Any]], tuple[RetrievedAnswer, ...]]:
        """Return lore and history for the player's words, as the player may see it: no stage is told more of it; and
        the answers with those that are new. Chunks of the scene's standing lore are not repeated, and their tokens do
        not count."""
        reading = oldest_reading(self._setting.generations)
        standing = {line.chunk_id: count_tokens(line.text, reading=reading) for line in lore.standing}
        query = LoreRetrievalQuery(
            keywords=self._submission.text[:_ASKED_CHARACTERS],
            location_id=state.scene.location_id,
            entity_ids=state.present_npcs(),
            thread_ids=tuple(sorted(state.threads)),
            corpus="authored",
            viewer="player",
            limit=self._budgets.asked_limit,
            max_tokens=self._budgets.asked_tokens + sum(standing.values()),
        )
        found, answers = _retrieved_once(self._readable(state), query, answers)
        history, answers = self._retrieved_history(query, answers)
        chunks = (*(chunk for chunk in found if chunk.chunk_id not in standing), *history)
        return [chunk.model_dump(include={"chunk_id", "text", "section_path"}) for chunk in chunks], answers

    def known_of(self, words: str, at: TurnPoint) -> tuple[str, tuple[Citation, ...]]:
        """Return what the player was told of something, else what the lore has of it that they may read."""
        seen = at.stream.seen_by("narrator", own_id=at.state.player_id)
        told = (message.content for _, message in reversed(seen) if message.type == "narration")
        asked = self._submission.text[:_ASKED_CHARACTERS]
        return answer_from_known(words[:_ASKED_CHARACTERS], told, self._readable(at.state), asked)

    def _readable(self, state: WorldState) -> LoreView:
        """Return the lore as the player may read it in a state."""
        return LoreView(
            self._setting.generations,
            viewer="player",
            revealed=self.acquaintance(state).readable,
            conditions=lore_conditions(state),
            entries=self._entries,
        )

    def _retrieved_history(
        self, query: LoreRetrievalQuery, answers: tuple[RetrievedAnswer, ...]
    ) -> tuple[tuple[RetrievedChunk, ...], tuple[RetrievedAnswer, ...]]:
        """Return what the player saw happen that a query finds, beyond the recent turns of the packet, and the
        answers."""
        asked = {"corpus": "history", "limit": self._budgets.history_limit, "max_tokens": self._budgets.history_tokens}
        if self._history is None:
            self._history = self._open.enter_context(self._setting.history(self._head, RECENT_NARRATIONS))
        return _retrieved_once(LoreView(self._history, viewer="player"), query.model_copy(update=asked), answers)

    def entries_found(self, answers: Sequence[RetrievedAnswer]) -> EntriesFound | None:
        """Return when each entry was found, as the turn leaves it; None where no entry has rules."""
        if self._entries is None:
            return None
        authored = (answer for answer in answers if answer.query.corpus == "authored")
        answered = [chunk.chunk_id for answer in authored for chunk in answer.chunks]
        found = self._entries.after(answered, self._setting.generations)
        return EntriesFound(turn=self._entries.turn, found=found)

    def leak(self, text: str, at: TurnPoint, *, told_by: Collection[str] = ()) -> str | None:
        """Return what is wrong with a text that tells an item which the player has not learned at a point, or quotes a
        thought; None where nothing is.

        If the text may go back to characters whose models were shown what they withhold (`told_by`), that is looked for
        in other words as well. What any player may look up is no secret, even if an item says the same, nor is what was
        told already.
        """
        found = self._refusal(text, _hidden(at), self._known(at), closely=self._kept_back(told_by, at.state))
        return f"it quotes what was not revealed ({found})" if found else self.thought_leak(text, at.stream)

    def plan_leak(self, plan: PlannerOutput, at: TurnPoint) -> str | None:
        """Return what is wrong with a plan that quotes what not even the planner is shown, or None. What it quotes of
        what it alone is shown is left out for the narrator."""
        text = "\n".join((*plan.beats, plan.tension_move, plan.clarification_question, *plan.next_suggestions))
        ties = at.lore.connections
        hidden = [(item_id, secret) for item_id, secret in _hidden(at) if item_id not in ties]
        found = self._refusal(text, hidden, [*self._known(at), *(at.lore.items[item_id].text for item_id in ties)])
        return f"it quotes what was not revealed ({found})" if found else self.thought_leak(text, at.stream)

    def _known(self, at: TurnPoint) -> list[str]:
        """Return the texts that the player has read, said or learned, and those that they can look up of what is
        here."""
        open_lore = [chunk.text for answer in at.lore.answers for chunk in answer.chunks]
        learned = [item.text for item in at.lore.items.values() if at.state.has_learned(at.state.player_id, item.id)]
        return [*self._told_and_said(at.stream), *open_lore, *at.lore.sights.values(), *learned]

    def _kept_back(self, npc_ids: Collection[str], state: WorldState) -> frozenset[str]:
        """Return the IDs of the items that some characters withhold."""
        if not npc_ids:
            return frozenset()
        briefings = (briefing for briefing in self.scene_lore(state).briefings if briefing.npc_id in npc_ids)
        return frozenset(item.id for briefing in briefings for item in briefing.withholds)

    def _refusal(
        self,
        text: str,
        secrets: Sequence[tuple[str, str]],
        known: Sequence[str],
        *,
        closely: Collection[str] = (),
        by_meaning: bool = False,
    ) -> str | None:
        """Return the ID of the secret that a text tells, or None. A finding that is not a quotation is recorded for
        replays."""
        found = self._setting.leaks.refusal(text, secrets, known=known, closely=closely, by_meaning=by_meaning)
        if found is None:
            return None
        if found.way != "quoted":
            self._refused[found.text, found.secret] = found
        return found.secret

    def refusals(self) -> Refusals:
        """Return the texts that were refused so far, in an order that does not depend on which answer came first."""
        return Refusals(refused=tuple(refusal for _, refusal in sorted(self._refused.items())))

    def _told_and_said(self, stream: TurnStream) -> list[str]:
        """Return what was told so far, the player's words, and the public intentions of others."""
        player = self._head.state.player_id
        seen = stream.seen_by("player", own_id=player)
        told = [message.content for _, message in seen if message.type == "narration"]
        intentions = (message for message in stream.messages if message.type == "intention")
        meant = [message.content for message in intentions if message.subtype is None]
        return [self._submission.text, *told, *meant]

    def intent_leak(self, intent: NpcIntent, at: TurnPoint, *, kept_back: Collection[str] = ()) -> str | None:
        """Return what is wrong with the public part of a character's intention: it tells what the player has not
        learned and is not told by it, or a thought; None where nothing is. What the character withholds is looked for
        by its meaning, too."""
        # Texts in the action's metadata are as public as its words.
        along = (
            []
            if intent.action is None
            else [value for value in intent.action.metadata.values() if isinstance(value, str)]
        )
        said = "\n".join(item.text for item in at.lore.items.values() if item.id == intent.item_id)
        known = [said, *intent.say, *self._known(at)]
        shown = "\n".join((intent.action_text, *intent.intent_tags, *along))
        leaked = self._refusal(shown, _hidden(at), known, closely=kept_back, by_meaning=True)
        if leaked:
            return f"it quotes what it keeps to itself ({leaked})"
        return self.thought_leak(shown, at.stream, intent.thought)

    def inner_leak(self, text: str, at: TurnPoint, who: str) -> str | None:
        """Return what is wrong with a text about somebody's inner life that others may come to read, or None: it was
        made from all their thoughts, which include what they withhold."""
        kept_back = self._kept_back((who,), at.state)
        leaked = self._refusal(text, _hidden(at), self._known(at), closely=kept_back, by_meaning=True)
        return f"it quotes what was not revealed ({leaked})" if leaked else self.thought_leak(text, at.stream)

    def thought_leak(self, text: str, stream: TurnStream, *more: str) -> str | None:
        """Return what is wrong with a text that others will read and that quotes anybody's thought, or one of `more`;
        None where nothing is."""
        thoughts = [(message.owner, message.content) for message in stream.thoughts()]
        said = [*(message.content for message in stream.told()), *self._told_and_said(stream)]
        own = [("own", thought) for thought in more if thought]
        leaked = self._refusal(text, [*thoughts, *own], said)
        return "it quotes a thought, which nobody else may know of" if leaked else None

    def for_narrator(self, plan: PlannerOutput, at: TurnPoint) -> PlannerOutput:
        """Return the plan without the notes that quote what the planner alone is shown: goals, and facts and ties that
        the player does not know of."""
        beats, suggestions = (
            tuple(note for note in notes if self.planners_own(note, at, closely=True) is None)
            for notes in (plan.beats, plan.next_suggestions)
        )
        texts = {
            name: text if self.planners_own(text, at, closely=True) is None else ""
            for name in ("tension_move", "tension_move_type", "clarification_question")
            for text in (getattr(plan, name),)
        }
        return plan.model_copy(update={"beats": beats, "next_suggestions": suggestions, **texts})

    def planners_own(self, text: str, at: TurnPoint, *, closely: bool = False) -> str | None:
        """Return what is wrong with a text that quotes what the planner alone is shown, `closely` also in other words;
        None where nothing is. A few words are common phrases, so that only texts long enough to be recognised count."""
        items = at.lore.items
        ties = [
            (item_id, items[item_id].text)
            for item_id in sorted(at.lore.connections)
            if not at.state.has_learned(at.state.player_id, item_id)
        ]
        secrets = [*self._for_planner(), *at.lore.motives.items(), *ties]
        closely_kept = [secret_id for secret_id, _ in secrets] if closely else ()
        found = self._refusal(text, secrets, self._told_and_said(at.stream), closely=closely_kept)
        return f"it quotes what the planner alone was shown ({found})" if found else None

    def _for_planner(self) -> list[tuple[str, str]]:
        """Return (ID, text) of what the planner alone is shown, looked up once: a long game has many facts."""
        if self._planners is None:
            state = self._head.state
            goals = [
                (who, agenda.goal) for who, agenda in sorted(self._setting.agendas.items()) if who != state.player_id
            ]
            facts = [
                (fact.id, str(fact.object))
                for fact in state.facts.values()
                if not fact.is_shown("narrator", state.player_id)
            ]
            ties = [(key, str(note)) for key, tie in state.relationships.items() for note in tie.notes.values()]
            self._planners = [goal for goal in goals if len(goal[1].split()) >= QUOTED_WORDS]
            self._planners += [pair for pair in sorted((*facts, *ties)) if len(pair[1].split()) >= _SENTENCE_WORDS]
        return self._planners


def _focus(state: WorldState) -> SceneFocus:
    return SceneFocus(
        scene_id=state.scene.id,
        location_id=state.scene.location_id,
        present_ids=state.present_npcs(),
        thread_ids=tuple(sorted(state.threads)),
    )


def _hidden(at: TurnPoint) -> list[tuple[str, str]]:
    """Return (ID, text) of the items that the player has not learned, and of people's motivations."""
    player, items = at.state.player_id, at.lore.items.values()
    unlearned = [(item.id, item.text) for item in items if not at.state.has_learned(player, item.id)]
    return [*unlearned, *at.lore.motives.items()]


def _retrieved_once(
    view: LoreView, query: LoreRetrievalQuery, answers: tuple[RetrievedAnswer, ...]
) -> tuple[tuple[RetrievedChunk, ...], tuple[RetrievedAnswer, ...]]:
    """Return the chunks of a query, and the answers with it; looked up once for the same view and query: most turns
    change nothing that matters here."""
    for known in answers:
        if known.view == view and known.query == query:
            return known.chunks, answers
    chunks = retrieve(view, query).result.chunks
    return chunks, (*answers, RetrievedAnswer(view, query, chunks))
