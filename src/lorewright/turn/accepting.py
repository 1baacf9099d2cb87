"""Proposals of the extractor -> ops that become true, and refusals with their reasons. Each proposal stands for itself.

Places, things changing hands, clocks and harm are the resolver's: a narration that tells of them establishes nothing
about them. What is established already, by whomever and whether the player knows of it or not, is not told otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.ids import local, slug
from lorewright.rules.outcomes import EngineEvent
from lorewright.rules.ownership import not_theirs
from lorewright.rules.patch import Patch
from lorewright.rules.record import PREDICATES
from lorewright.rules.rulesets import Ruleset
from lorewright.turn.proposals import EstablishedFact, ExtractorOutput, IntroducedItem, IntroducedNpc, ThreadUpdate
from lorewright.world import ops as o
from lorewright.world.frozen import Frozen, FrozenMap
from lorewright.world.state import WorldState
from lorewright.world.things import NARRATED, Entity, Fact

# What a narration established is less sure than what code did.
_CONFIDENCE = 0.8
# What only the resolver says of anybody or anything; compared word by word.
_RESOLVERS = frozenset(
    (
        *(
            "at",
            "in",
            "location",
            "located",
            "place",
            "position",
            "here",
            "inside",
            "arrived",
            "left",
            "gone",
            "present",
        ),
        *("has", "have", "holds", "carries", "carrying", "owns", "owner", "inventory", "possession", "wearing", "gave"),
        *("locked", "unlocked", "open", "opened", "closed", "barred"),
        *("dead", "died", "killed", "alive", "wounded", "wound", "hurt", "harm", "unconscious", "bound", "injured"),
        *("clock", "time", "minutes"),
    )
)


class Refused(Frozen):
    """A proposal that did not become true: its kind, why, and what was proposed."""

    kind: str
    reason: str
    proposal: FrozenMap[str, Any]


class Accepted(Frozen):
    """What became of an extractor's proposals, for the record."""

    accepted: tuple[o.StateOp, ...] = ()
    refused: tuple[Refused, ...] = ()


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
) -> Acceptance:
    """Judge every proposal on the state after the turn, in order: people, things, facts, threads, memories.

    `quotes_secret` says whether a text quotes what the player has not learned, `known_names` whether a pack or the
    world has somebody or something of that name already. What becomes of `ruled_threads` is the rules' to say.
    """
    patch = Patch(state, turn_no=turn_no)
    judge = _Judge(patch, ruleset, campaign_id, turn_no, quotes_secret, known_names, frozenset(ruled_threads))
    refused = tuple(judge.all(proposed))
    return Acceptance(patch.state, tuple(patch.events), Accepted(accepted=tuple(patch.ops), refused=refused))


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
    ) -> None:
        self._patch = patch
        self._ruleset = ruleset
        self._campaign_id = campaign_id
        self._turn_no = turn_no
        self._quotes_secret = quotes_secret
        self._known_names = known_names
        self._ruled_threads = ruled_threads
        self._new: dict[str, str] = {}

    def all(self, proposed: ExtractorOutput) -> Iterator[Refused]:
        """Judge in order; what is refused."""
        for npc in proposed.introduced_npcs:
            yield from self._one("introduced_npc", npc, self._npc(npc))
        for item in proposed.introduced_items:
            yield from self._one("introduced_item", item, self._item(item))
        for fact in proposed.established_facts:
            yield from self._one("established_fact", fact, self._fact(fact))
        for update in proposed.thread_updates:
            yield from self._one("thread_update", update, self._thread(update))
        for seen in proposed.new_observations:
            memory = o.Observe(who=seen.character_id, content=seen.content, importance=seen.importance)
            yield from self._one("new_observation", seen, memory)

    def _one(self, kind: str, proposal: Frozen, made: o.StateOp | str) -> Iterator[Refused]:
        shown = proposal.model_dump(mode="json")
        reason = made if isinstance(made, str) else self._apply(made, _texts(shown))
        if reason is not None:
            yield Refused(kind=kind, reason=reason, proposal=shown)

    def _apply(self, op: o.StateOp, texts: str) -> str | None:
        refusals = not_theirs([op], "extract", self._ruleset)
        if refusals:
            return refusals[0].reason
        if self._quotes_secret(texts) is not None:
            return "quotes_what_is_hidden"
        refusal = self._patch.propose(op)
        return None if refusal is None else refusal.reason

    def _npc(self, npc: IntroducedNpc) -> o.StateOp | str:
        if npc.type != "npc":
            return "unknown_type"
        if self._is_known(npc.name):
            return "already_exists"
        return self._entity(npc, "npc", npc.tags)

    def _item(self, item: IntroducedItem) -> o.StateOp | str:
        place = self._patch.state.scene.location_id
        if item.location != place:
            return "the_resolvers"
        if self._is_known(item.name):
            return "already_exists"
        return self._entity(item, "item", ())

    def _is_known(self, name: str) -> bool:
        """Whether somebody or something is called so already, be it since a moment ago."""
        new = {slug(self._patch.state.name_of(one), fallback="") for one in self._new.values()}
        return self._known_names(name) or slug(name, fallback="nobody") in new

    def _entity(self, new: IntroducedNpc | IntroducedItem, kind: str, tags: Sequence[str]) -> o.StateOp:
        """An ID of the campaign's own, whatever ID was proposed; facts about the proposed one are about this one."""
        wanted = f"{self._campaign_id}:{slug(new.name, fallback=kind).replace('-', '_')}"
        numbered = (f"{wanted}_{n}" for n in range(2, 1_000))
        taken = self._patch.state.entities
        entity_id = wanted if wanted not in taken else next(one for one in numbered if one not in taken)
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

    def _thread(self, update: ThreadUpdate) -> o.StateOp | str:
        if update.id in self._ruled_threads:
            return "the_resolvers"
        thread = self._patch.state.threads.get(update.id)
        if thread is not None and thread.status == update.status:
            return "already_exists"
        return o.UpdateThread(thread_id=update.id, status=update.status)

    def _fact(self, fact: EstablishedFact) -> o.StateOp | str:
        state = self._patch.state
        subject = self._new.get(fact.subject_id, fact.subject_id)
        if subject not in state.entities:
            return "unknown_entity"
        predicate = slug(fact.predicate, fallback="detail").replace("-", "_")
        if predicate in PREDICATES or _RESOLVERS & set(predicate.split("_")):
            return "the_resolvers"
        known = [one for one in state.facts_about(subject) if _same(one.predicate, predicate)]
        if any(_said(one.object) == _said(fact.detail) for one in known):
            return "already_exists"
        if known:
            return "contradicts_fact"
        # Apart from the IDs that rules give the facts that they establish.
        fact_id = f"{self._campaign_id}:{NARRATED}.{local(subject)}.{predicate}"
        if fact_id in state.facts:
            fact_id = f"{fact_id}.{self._turn_no}"
        made = Fact(
            id=fact_id,
            subject_id=subject,
            predicate=predicate,
            object=" ".join(fact.detail.split()),
            confidence=_CONFIDENCE,
            tags=(NARRATED,),
            discovered_turn=self._turn_no,
            discovery_method=NARRATED,
        )
        return o.AddFact(fact=made)


def _same(known: str, predicate: str) -> bool:
    return slug(known, fallback="detail").replace("-", "_") == predicate


def _said(value: object) -> str:
    return " ".join(str(value).lower().split()).rstrip(".")


def _texts(shown: dict[str, Any]) -> str:
    """Every text of a proposal."""
    texts = (value if isinstance(value, list) else [value] for value in shown.values())
    return "\n".join(text for some in texts for text in some if isinstance(text, str))
