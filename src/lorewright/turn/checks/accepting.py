"""Proposals of the extractor -> ops that become true, and refusals with their reasons. Each proposal stands for itself.

Places, things changing hands, clocks and harm are the resolver's: a narration that tells of them establishes nothing
about them. A proposal that contradicts what is established already, by anybody and whether the player knows of it or
not, goes into the campaign's lorebook with a flag. A proposal that the extractor is not sure of waits for a review.

What is in the air (`pressure`) is a narration's to change where the ruleset gives that path to `extract`; how two who
are there stand to each other moves by one step at most, never where a rule has moved it in the same turn, and never to
where only rules lead.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from lorewright.ids import local, slug
from lorewright.index.keywords import words_of
from lorewright.rules.patch import Patch
from lorewright.rules.rulesets import Ruleset
from lorewright.turn.checks.tools import not_by, write
from lorewright.values.annotations import LorebookEntry, Review
from lorewright.values.proposals import (
    EstablishedFact,
    ExtractorOutput,
    IntroducedItem,
    IntroducedNpc,
    RelationStep,
    SceneChange,
    SeenByOne,
    ThreadUpdate,
)
from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.events import EngineEvent
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.schemas import plain
from lorewright.world.state import WorldState, relation_key
from lorewright.world.things import NARRATED, PREDICATES, Entity, Fact

# Established facts of an entity, by predicate, against which the additions of a narration are checked. Author's canon
# is what code can read for certain: facts of the state (a scenario's, the rules'), and what a pack's or scenario's
# entity says of itself in its frontmatter (`eyes: grey`). Prose is not compared, because no code here understands it.

# A value of frontmatter that is longer than so many characters is prose.
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class EstablishedClaim:
    """Something established: where it stands (a fact's ID, or `pack:entity@key` for frontmatter), and how it compares
    to what was said."""

    where: str
    compares: Literal["same", "otherwise"]


def predicate_of(said: str) -> str:
    """Return a predicate as it is compared and stored: in snake_case."""
    return slug(said, fallback="detail").replace("-", "_")


def find_established(state: WorldState, subject_id: str, predicate: str, detail: object) -> EstablishedClaim | None:
    """Return the established claim of a subject under a predicate: one that says the same, from any source; else one
    that contradicts the detail, facts first and what was only narrated last; None where nothing is established."""
    found = list(_established(state, subject_id, predicate_of(predicate), detail))
    same = next((claim for claim in found if claim.compares == "same"), None)
    return same or next(iter(found), None)


def _established(state: WorldState, subject_id: str, predicate: str, detail: object) -> Iterator[EstablishedClaim]:
    facts = sorted(state.facts_about(subject_id), key=lambda fact: fact.id)
    about = [fact for fact in facts if predicate_of(fact.predicate) == predicate]
    yield from (_claim(fact, detail) for fact in about if not fact.is_only_told)
    entity = state.entities.get(subject_id)
    for key, value in sorted(_authored({} if entity is None else entity.attrs).items()):
        if predicate_of(key) == predicate and entity is not None and key != "description":
            yield EstablishedClaim(f"{subject_id}@{key}", "same" if _has_all_words(detail, value) else "otherwise")
    yield from (_claim(fact, detail) for fact in about if fact.is_only_told)


def _claim(fact: Fact, detail: object) -> EstablishedClaim:
    return EstablishedClaim(fact.id, "same" if _comparable(fact.object) == _comparable(detail) else "otherwise")


def _authored(attrs: Mapping[str, Any]) -> dict[str, str]:
    """Return the short values alone, as text: a list may be incomplete, and prose is not compared."""
    plain = {key: str(value) for key, value in attrs.items() if isinstance(value, str | int | float)}
    return {key: value for key, value in plain.items() if value.strip() and len(value) <= _LONGEST}


def _comparable(value: object) -> str:
    return " ".join(str(value).lower().split()).rstrip(".")


def _has_all_words(detail: object, value: str) -> bool:
    """Return True if a sentence has all words of a short value."""
    return set(words_of(value)) <= set(words_of(str(detail)))


# Facts that a narration established or contradicted -> entries of the campaign's lorebook.

# The confidence of a narrated fact, which is less sure than a fact that code established.
NARRATED_CONFIDENCE = 0.8


def entry_of(fact: Fact) -> LorebookEntry:
    """Return the lorebook entry of a fact that was established."""
    return LorebookEntry(
        subject_id=fact.subject_id,
        predicate=fact.predicate,
        detail=str(fact.object),
        confidence=fact.confidence,
        fact_id=fact.id,
    )


def entries_of_ops(ops: Sequence[o.StateOp], after: WorldState) -> Iterator[LorebookEntry]:
    """Yield the lorebook entries of the facts that ops establish or say anew; `after` is the state that they lead
    to."""
    for op in ops:
        if isinstance(op, o.AddFact):
            yield entry_of(op.fact)
        elif isinstance(op, o.UpdateFact):
            yield entry_of(after.facts[op.fact_id])


def flagged_entry(fact: EstablishedFact, subject: str, predicate: str, *, against: str) -> LorebookEntry:
    """Return the lorebook entry of a fact that contradicts something established, which stays as it is."""
    return LorebookEntry(
        subject_id=subject,
        predicate=predicate,
        detail=" ".join(fact.detail.split()),
        confidence=round(NARRATED_CONFIDENCE * fact.confidence, 4),
        flag="contradicts",
        against=against,
    )


# An op that waits to be reviewed -> its subject, and its proposal in words.


def subject_of(op: o.StateOp, state: WorldState) -> str:
    """Return the ID of the entity or thread that a review is about."""
    match op:
        case o.UpdateFact():
            return state.facts[op.fact_id].subject_id
        case o.AddEntity():
            return op.entity.id
        case o.AddFact():
            return op.fact.subject_id
        case o.UpdateThread():
            return op.thread_id
        case o.Observe():
            return op.who
        case o.ChangeRelation():
            return op.a
        case o.SetPath() | o.Increment() | o.Decrement() | o.AppendTo() | o.RemoveFrom():
            return state.scene.location_id
        case _:
            raise AssertionError(f"no proposal becomes {op.op}")


def in_words(op: o.StateOp, state: WorldState) -> str:
    """Return a waiting op in words, for the person who reviews it."""
    match op:
        case o.AddEntity():
            kind = "somebody new" if op.entity.type == "npc" else "something new"
            about = op.entity.attrs.get("description")
            return f"{kind} at {state.name_of(op.at or '')}: {op.entity.name}{f' ({about})' if about else ''}"
        case o.AddFact():
            return f"{state.name_of(op.fact.subject_id)}: {op.fact.predicate.replace('_', ' ')}: {op.fact.object}"
        case o.UpdateFact():
            fact = state.facts[op.fact_id]
            now = f"{state.name_of(fact.subject_id)}: {fact.predicate.replace('_', ' ')}: {op.object}"
            return f"{now} (in place of: {fact.object})"
        case o.UpdateThread():
            return f"the thread “{state.threads[op.thread_id].title}” becomes {op.status}"
        case o.Observe():
            return f"{state.name_of(op.who)} remembers: {op.content}"
        case o.ChangeRelation():
            steps = ", ".join(f"{name} {step:+d}" for name in FELT if (step := getattr(op, name)))
            return f"between {state.name_of(op.a)} and {state.name_of(op.b)}: {steps}"
        case o.SetPath() | o.Increment() | o.Decrement() | o.AppendTo() | o.RemoveFrom():
            return f"the scene: {op.path.replace('_', ' ')}: {op.op} {op.value}"
        case _:
            raise AssertionError(f"no proposal becomes {op.op}")


# Proposals of the extractor -> ops that become true, and refusals with their reasons.

STAGE = "lore_extractor"
# The reason for refusing a fact that contradicts what is established.
CONTRADICTS = "contradicts_fact"
# The words of predicates that only the resolver may establish; compared word by word.
_RESOLVERS = frozenset(
    (
        "at in location located place position here inside arrived left gone present has have holds carries carrying "
        "owns owner inventory possession wearing gave locked unlocked open opened closed barred dead died killed alive "
        "wounded wound hurt harm unconscious bound injured clock time minutes"
    ).split()
)


# The numbers between two people, and how far from 0 a narration alone may move them.
FELT = ("trust", "tension", "closeness")
FELT_BY_NARRATION = 3


class Refused(Frozen):
    """A proposal that did not become true: its kind, why, and what was proposed."""

    kind: str
    reason: str
    proposal: FrozenMap[str, Any]


class Accepted(Frozen):
    """The outcome of an extractor's proposals, for the record: ops, refusals, reviews that wait, and the entries of the
    campaign's lorebook, flagged ones among them."""

    accepted: tuple[o.StateOp, ...] = ()
    refused: tuple[Refused, ...] = ()
    waiting: tuple[Review, ...] = ()
    lorebook: tuple[LorebookEntry, ...] = ()


_Proposal = IntroducedNpc | IntroducedItem | EstablishedFact | ThreadUpdate | SeenByOne | RelationStep | SceneChange


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The state with what was accepted, its events, and the record."""

    state: WorldState
    events: tuple[EngineEvent, ...]
    record: Accepted


def accept(
    proposed: ExtractorOutput,
    state: WorldState,
    ruleset: Ruleset,
    *,
    campaign_id: str,
    turn_no: int,
    quotes_secret: Callable[[str], str | None],
    known_names: Callable[[str], bool],
    ruled_threads: Collection[str] = (),
    known_to: tuple[str, ...] = (),
    renews: bool = True,
    before: WorldState | None = None,
) -> Acceptance:
    """Judge every proposal on the state after the turn, in order: people, things, facts, threads, memories, relations,
    the ruleset's scene.

    `quotes_secret` returns the ID of a secret that a text quotes and the player has not learned, or None; `known_names`
    tells whether a pack or the world has an entity of that name already. The rules alone decide the status of
    `ruled_threads`. `known_to` are the personas who know of new facts, where not all do. With `renews` a fact that was
    only narrated gives way to another narration; a turn that was recorded before that was so is judged without.
    `before` is the state that the turn began with: what rules have moved since then, a narration moves no further.
    """
    patch = Patch(state, turn_no=turn_no)
    ruled = frozenset(ruled_threads)
    judge = _Judge(patch, ruleset, campaign_id, turn_no, quotes_secret, known_names, ruled, known_to, renews, before)
    refused = tuple(judge.all(proposed))
    record = Accepted(
        accepted=tuple(patch.ops), refused=refused, waiting=tuple(judge.waiting), lorebook=tuple(judge.lorebook)
    )
    return Acceptance(patch.state, tuple(patch.events), record)


class _Judge:
    def __init__(
        self,
        patch: Patch,
        ruleset: Ruleset,
        campaign_id: str,
        turn_no: int,
        quotes_secret: Callable[[str], str | None],
        known_names: Callable[[str], bool],
        ruled_threads: frozenset[str],
        known_to: tuple[str, ...],
        renews: bool,
        before: WorldState | None,
    ) -> None:
        self._patch, self._known_to, self._renews = patch, known_to, renews
        self._before, self._after = before or patch.state, patch.state
        self._ruleset = ruleset
        self._campaign_id = campaign_id
        self._turn_no = turn_no
        self._quotes_secret = quotes_secret
        self._known_names = known_names
        self._ruled_threads = ruled_threads
        self._new: dict[str, str] = {}
        self.waiting: list[Review] = []
        self.lorebook: list[LorebookEntry] = []

    def all(self, proposed: ExtractorOutput) -> Iterator[Refused]:
        """Judge the proposals in order and yield what is refused."""
        for npc in proposed.introduced_npcs:
            yield from self._judge("introduced_npc", npc, self._npc_op(npc))
        for item in proposed.introduced_items:
            yield from self._judge("introduced_item", item, self._item_op(item))
        for fact in proposed.established_facts:
            yield from self._judge("established_fact", fact, self._fact_op(fact))
        for update in proposed.thread_updates:
            yield from self._judge("thread_update", update, self._thread_op(update))
        for seen in proposed.new_observations:
            memory = o.Observe(who=seen.character_id, content=seen.content, importance=seen.importance)
            yield from self._judge("new_observation", seen, memory)
        for step in proposed.relation_changes:
            yield from self._judge("relation_change", step, self._relation_op(step))
        for change in proposed.state_ops:
            yield from self._judge("state_op", change, self._scene_op(change))

    def _judge(self, kind: str, proposal: _Proposal, made: o.StateOp | str) -> Iterator[Refused]:
        shown = proposal.model_dump(mode="json")
        reason = made if isinstance(made, str) else self._apply_or_wait(kind, proposal, made, _texts(shown))
        if reason is not None:
            yield Refused(kind=kind, reason=reason, proposal=shown)

    def _apply_or_wait(self, kind: str, proposal: _Proposal, op: o.StateOp, texts: str) -> str | None:
        """Apply an op that is sure, let one wait that is not; return the reason if it is refused, else None."""
        refusal = not_by([op], "extract", self._ruleset)
        if refusal is not None:
            return refusal.reason
        if self._quotes_secret(texts) is not None:
            return "quotes_what_is_hidden"
        host = self._review_of_subject(op)
        if host is not None:
            return self._wait_with(host, op)
        if proposal.confidence < self._ruleset.review_below:
            return self._wait(kind, proposal, op)
        refusal = write(self._patch, [op], by="extract", ruleset=self._ruleset)
        if refusal is None:
            sure = {"confidence": round(NARRATED_CONFIDENCE * proposal.confidence, 4)}
            self.lorebook += (entry.model_copy(update=sure) for entry in entries_of_ops((op,), self._patch.state))
        return None if refusal is None else refusal.reason

    def _wait(self, kind: str, proposal: _Proposal, op: o.StateOp) -> str | None:
        refusal = apply(self._patch.state, (op,)).refusal
        if refusal is not None:
            return refusal.reason
        review = Review(
            stage=STAGE,
            kind=kind,
            subject_id=subject_of(op, self._patch.state),
            ops=(op,),
            shown=in_words(op, self._patch.state),
            confidence=proposal.confidence,
            reason=proposal.reason if isinstance(proposal, ThreadUpdate | RelationStep) else "",
        )
        self.waiting.append(review)
        return None

    def _review_of_subject(self, op: o.StateOp) -> int | None:
        """Return the index of the review of a new entity that a fact is about, or None."""
        if not isinstance(op, o.AddFact):
            return None
        new = (n for n, review in enumerate(self.waiting) if isinstance(review.ops[0], o.AddEntity))
        return next((n for n in new if self.waiting[n].subject_id == op.fact.subject_id), None)

    def _wait_with(self, host: int, op: o.StateOp) -> str | None:
        """Add the op to a waiting review, so that both become true or neither does; return the reason if it is
        refused."""
        review = self.waiting[host]
        refusal = apply(self._patch.state, (*review.ops, op)).refusal
        if refusal is None:
            shown = f"{review.shown}; {in_words(op, self._state_if_accepted())}"
            self.waiting[host] = review.model_copy(update={"ops": (*review.ops, op), "shown": shown})
        return None if refusal is None else refusal.reason

    def _state_if_accepted(self) -> WorldState:
        """Return the state as it would be with all waiting entities accepted."""
        new = [op for review in self.waiting for op in review.ops if isinstance(op, o.AddEntity)]
        return apply(self._patch.state, new).state

    def _npc_op(self, npc: IntroducedNpc) -> o.StateOp | str:
        if npc.type != "npc":
            return "unknown_type"
        if self._is_known(npc.name):
            return "already_exists"
        return self._entity_op(npc, "npc", npc.tags)

    def _item_op(self, item: IntroducedItem) -> o.StateOp | str:
        place = self._patch.state.scene.location_id
        if item.location != place:
            return "the_resolvers"
        if self._is_known(item.name):
            return "already_exists"
        return self._entity_op(item, "item", ())

    def _is_known(self, name: str) -> bool:
        """Return True if an entity of that name exists or has just been proposed."""
        hoped = self._state_if_accepted()
        new = {slug(hoped.name_of(entity_id), fallback="") for entity_id in self._new.values()}
        return self._known_names(name) or slug(name, fallback="nobody") in new

    def _entity_op(self, new: IntroducedNpc | IntroducedItem, kind: str, tags: Sequence[str]) -> o.StateOp:
        """Return the op that adds an entity under an ID of the campaign's own, whatever ID was proposed; facts about
        the proposed ID will be about this one."""
        wanted = f"{self._campaign_id}:{slug(new.name, fallback=kind).replace('-', '_')}"
        numbered = (f"{wanted}_{n}" for n in range(2, 1_000))
        taken = self._patch.state.entities
        entity_id = (
            wanted if wanted not in taken else next(candidate for candidate in numbered if candidate not in taken)
        )
        self._new[new.id] = entity_id
        entity = Entity.model_validate(
            {
                "id": entity_id,
                "type": kind,
                "name": " ".join(new.name.split()),
                "tags": tags,
                "attrs": {"description": new.description} if new.description else {},
            }
        )
        return o.AddEntity(entity=entity, at=self._patch.state.scene.location_id)

    def _thread_op(self, update: ThreadUpdate) -> o.StateOp | str:
        if update.id in self._ruled_threads:
            return "the_resolvers"
        thread = self._patch.state.threads.get(update.id)
        if thread is not None and thread.status == update.status:
            return "already_exists"
        return o.UpdateThread(thread_id=update.id, status=update.status)

    def _relation_op(self, step: RelationStep) -> o.StateOp | str:
        here = self._after.present()
        if step.a_id == step.b_id or step.a_id not in here or step.b_id not in here:
            return "not_present"
        key = relation_key(step.a_id, step.b_id)
        if self._before.relations.get(key) != self._patch.state.relations.get(key):
            return "the_resolvers"
        stands = self._patch.state.relations.get(key)
        for name in FELT:
            by, now = getattr(step, name), 0 if stands is None else getattr(stands, name)
            if by and abs(now + by) > max(FELT_BY_NARRATION, abs(now)):
                return "the_resolvers"
        if not any(getattr(step, name) for name in FELT):
            return "nothing_changes"
        steps = {name: getattr(step, name) for name in FELT}
        return o.ChangeRelation(a=step.a_id, b=step.b_id, **steps)

    def _scene_op(self, change: SceneChange) -> o.StateOp | str:
        try:
            op = change.as_op()
        except ValidationError:
            return "invalid_value"
        part, _, rest = change.path.partition(".")
        path = f"scene.{rest or part}" if part != "stats" else change.path
        if self._ruleset.owner_of(path) != "extract" or part == "stats":
            return "not_its_path"
        shaped = self._after.ruleset
        stands = None if shaped is None else plain(shaped.scene).get(op.path)
        return "already_exists" if isinstance(op, o.SetPath) and op.value == stands else op

    def _fact_op(self, fact: EstablishedFact) -> o.StateOp | str:
        state = self._state_if_accepted()
        subject = self._new.get(fact.subject_id, fact.subject_id)
        if subject not in state.entities:
            return "unknown_entity"
        predicate = predicate_of(fact.predicate)
        if predicate in PREDICATES or _RESOLVERS & set(predicate.split("_")):
            return "the_resolvers"
        stands = find_established(state, subject, predicate, fact.detail)
        if stands is not None and stands.compares == "same":
            return "already_exists"
        told = None if stands is None else state.facts.get(stands.where)
        if self._renews and told is not None and told.is_only_told and told.known_to == self._known_to:
            return o.UpdateFact(fact_id=told.id, object=" ".join(fact.detail.split()))
        if stands is not None:
            self.lorebook.append(flagged_entry(fact, subject, predicate, against=stands.where))
            return CONTRADICTS
        # A prefix of its own keeps these IDs apart from those of facts that rules establish.
        fact_id = f"{self._campaign_id}:{NARRATED}.{local(subject)}.{predicate}"
        if fact_id in state.facts:
            fact_id = f"{fact_id}.{self._turn_no}"
        made = Fact(
            id=fact_id,
            subject_id=subject,
            predicate=predicate,
            object=" ".join(fact.detail.split()),
            confidence=round(NARRATED_CONFIDENCE * fact.confidence, 4),
            tags=(NARRATED,),
            discovered_turn=self._turn_no,
            discovery_method=NARRATED,
            known_to=self._known_to,
        )
        return o.AddFact(fact=made)


def _texts(shown: dict[str, Any]) -> str:
    """Return every text of a proposal, a line each."""
    texts = (value if isinstance(value, list) else [value] for value in shown.values())
    return "\n".join(text for some in texts for text in some if isinstance(text, str))
