"""Between rank and budget: the rules that authors give their entries -> which hits stand in the answer, in what order.

A chunk under a condition that does not hold, or that the viewer may not see, was removed before anything was ranked:
here it does not exist, so it fulfils no `requires`, excludes nothing and wins no group. Then, in this order:

1. *always* and *sticky*: such entries are taken in, found or not, where the viewer may see any of them.
2. *probability*: a die is thrown for each entry that is not sticky, once a turn; without a campaign none is thrown.
3. *cooldown*: entries that were found lately stay away; *keys*: so do entries whose secondary keys the words of the
   question do not fulfil, unless they are always there or sticky.
4. *requires*, then *excludes* and *groups*, repeated until nothing changes, in the answer that no budget would cut.
   A loser stays out, also where the winner is removed after it.
5. *order*: entries that are always there, sticky ones, then those found; each of these by priority, then by rank, and
   none before an entry that it requires. Priority orders the answer; it brings nothing into it.

The budget fills in that order, so a larger budget never loses what a smaller one had. Entries that are always there
fill at most half of it, by priority; what of them has no room there has a place only where the question names it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from lorewright.index.entry_rules import entry_rules_of
from lorewright.index.generation import StoredChunk
from lorewright.packs.models import EntryRules
from lorewright.retrieval.budget import ExclusionReason, fit_to_budget
from lorewright.retrieval.keys import WITH_KEYS, searched_text, secondary_verdict
from lorewright.retrieval.ranking import Hit, tokens_of
from lorewright.retrieval.view import (
    SIDES,
    EntryHistory,
    LoreView,
    SameThings,
    find_same_things,
    has_entry_rules,
    ids_of,
    visible_text,
)

RuledOut = Literal["not_rolled", "cooldown", "keys", "requires", "excluded", "group"]
KeptBy = Literal["always", "sticky", "priority", "probability", "keys"]

# The most chunks that always or sticky entries take in; they go first, so more of them would crowd out the answer.
MAX_STAYING = 100

# The first version of the rules for reading packs in which entries that are always there have half of the budget.
HALF_FOR_ALWAYS = 2

_PLAIN = EntryRules()


@dataclass(frozen=True, slots=True)
class RuleNote:
    """The effects of entry rules on a chunk: the rules that kept it in, and an explanation in words."""

    kept: tuple[KeptBy, ...] = ()
    words: tuple[str, ...] = ()

    def and_(self, words: str, *kept: KeptBy) -> RuleNote:
        """Return the note with these words, and these rules that kept the chunk, added."""
        return RuleNote((*self.kept, *kept), (*self.words, words))


@dataclass(frozen=True, slots=True)
class Ruled:
    """Hits in the order in which the budget is filled, and as they were ranked; the most sections (`limit`), the hits
    that rules left out, and notes on what the rules did, by chunk ID."""

    hits: list[Hit]
    ranked: Sequence[Hit]
    limit: int
    out: list[tuple[Hit, RuledOut]] = field(default_factory=list)
    notes: Mapping[str, RuleNote] = field(default_factory=dict)
    # The IDs of the chunks that are always there, of packs whose rules give such entries half of the budget.
    halved: frozenset[str] = frozenset()
    # Returns those of the chosen hits that require something that is not among them.
    unmet: Callable[[Sequence[Hit]], list[Hit]] = lambda chosen: []


def apply_entry_rules(
    hits: Sequence[Hit], view: LoreView, *, limit: int, question: str = "", takes_in: bool = True
) -> Ruled:
    """Apply the rules of their entries to a query's hits (best first) and return the result. Without any rules the hits
    stay as they are.

    `view` must hold only what is in force. `question` is what secondary keys are looked for in; without words they are
    not. Without `takes_in` no chunk is added that was not found.
    """
    if not has_entry_rules(view.generations):
        return Ruled([*hits], hits, limit)
    stage = _Stage(view, hits, limit, searched_text(question))
    return stage.ruled(stage.at_hand(stage.taken_in(hits) if takes_in else hits))


def fill(ruled: Ruled, *, budget_tokens: int) -> tuple[list[Hit], list[tuple[Hit, ExclusionReason | RuledOut]]]:
    """Return the hits that fit, and the rest with one reason each. A hit whose requirement did not fit is left out."""
    chosen, rest = _fit(ruled, budget_tokens)
    left_out: list[tuple[Hit, ExclusionReason | RuledOut]] = [*rest]
    while unmet := ruled.unmet([*chosen, *(hit for hit, reason in left_out if reason == "duplicate")]):
        dropped = {hit.chunk.id for hit in unmet}
        left_out += [(hit, "requires") for hit in chosen if hit.chunk.id in dropped]
        kept = [hit for hit in chosen if hit.chunk.id not in dropped]
        if len(kept) == len(chosen):
            break
        chosen = kept
    return chosen, [*left_out, *ruled.out]


def _fit(ruled: Ruled, budget_tokens: int) -> tuple[list[Hit], list[tuple[Hit, ExclusionReason]]]:
    """Return the hits that fit, and the rest. Where those that are always there need more than half of the budget, they
    get half, and the others the other half whatever the first leave: so a larger budget never loses anything."""
    always = [hit for hit in ruled.hits if hit.chunk.id in ruled.halved]
    half = budget_tokens // 2
    if sum(hit.token_count for hit in always) <= half:
        return fit_to_budget(ruled.hits, budget_tokens=budget_tokens, limit=ruled.limit)
    sections = len({hit.chunk.section_id for hit in always})
    first, left = fit_to_budget(always, budget_tokens=half, limit=sections)
    has_place = {hit.chunk.id for hit in (*first, *(hit for hit, reason in left if reason == "duplicate"))}
    ranks = {hit.chunk.id: rank for rank, hit in enumerate(ruled.ranked)}
    others = [hit for hit in ruled.hits if hit.chunk.id not in ruled.halved]
    for hit in ruled.ranked:
        if hit.name and hit.chunk.id in ruled.halved - has_place:
            worse = (n for n, other in enumerate(others) if ranks.get(other.chunk.id, -1) > ranks[hit.chunk.id])
            others.insert(next(worse, len(others)), hit)
    found = {hit.chunk.id for hit in others}
    left_out: list[tuple[Hit, ExclusionReason]] = [
        (hit, reason if reason == "duplicate" else "over_half") for hit, reason in left if hit.chunk.id not in found
    ]
    limit = ruled.limit - sections
    then, rest = fit_to_budget(others, budget_tokens=budget_tokens - half, limit=limit, beside=first)
    return [*first, *then], [*left_out, *rest]


class _Stage:
    """The entries of one query, their rules and the results of the steps so far."""

    def __init__(self, view: LoreView, ranked: Sequence[Hit], limit: int, question: str) -> None:
        self._view = view
        self._ranked = ranked
        self._question = question
        self._limit = limit
        self._rules = {chunk_id: rules for pack in view.generations for chunk_id, rules in entry_rules_of(pack).items()}
        self._same: SameThings = find_same_things(view.generations)
        self._history: EntryHistory | None = view.entries
        self._notes: dict[str, RuleNote] = {}
        self._out: dict[str, tuple[Hit, RuledOut]] = {}

    def _of(self, hit: Hit) -> EntryRules:
        return self._rules.get(hit.chunk.id, _PLAIN)

    def _note(self, hit: Hit, words: str, *kept: KeptBy) -> None:
        self._notes[hit.chunk.id] = self._notes.get(hit.chunk.id, RuleNote()).and_(words, *kept)

    def _leave_out(self, hit: Hit, reason: RuledOut, words: str) -> None:
        self._out[hit.chunk.id] = (hit, reason)
        self._note(hit, words)

    # 1. Always and sticky.

    def taken_in(self, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits, and behind them the chunks that are always there or sticky though nothing found them."""
        found = {hit.chunk.id for hit in hits}
        stays = [
            chunk_id
            for chunk_id, rules in self._rules.items()
            if chunk_id not in found and self._stays(chunk_id, rules)
        ]
        stays.sort(key=lambda chunk_id: (-self._rules[chunk_id].priority, chunk_id))
        fetched = (hit for stay in stays if (hit := self._fetch(stay)) is not None)
        more = [*islice(fetched, MAX_STAYING)]
        return [*hits, *sorted(more, key=lambda hit: (hit.chunk.pack_id, hit.chunk.row))]

    def _stays(self, chunk_id: str, rules: EntryRules) -> bool:
        return rules.always or self._find_standing(chunk_id, rules) == "sticky"

    def _find_standing(self, chunk_id: str, rules: EntryRules) -> str | None:
        found = None if self._history is None else self._history.standing(chunk_id.partition("~")[0], rules)
        return None if found is None else found[0]

    def _fetch(self, chunk_id: str) -> Hit | None:
        """Return a chunk that nothing found as a hit, or None where the viewer may read nothing of it."""
        generation = next(pack for pack in self._view.generations if chunk_id in entry_rules_of(pack))
        chunk = generation.chunk(chunk_id)
        text = None if chunk is None else visible_text(self._view, generation, chunk)
        if chunk is None or text is None:
            return None
        return Hit(chunk, text, tokens_of(chunk, text), 0.0)

    # 2. and 3. Probability and cooldown.

    def at_hand(self, hits: Iterable[Hit]) -> list[Hit]:
        """Return the hits that pass their throw and are not on cooldown."""
        return [hit for hit in hits if self._is_at_hand(hit)]

    def _is_at_hand(self, hit: Hit) -> bool:
        rules, history = self._of(hit), self._history
        standing = None if history is None else history.standing(hit.chunk.section_id, rules)
        if standing is not None and standing[0] == "sticky":
            self._note(hit, f"sticky, {_turns(standing[1])} more", "sticky")
        elif rules.probability < 1 and history is None:
            self._note(hit, f"probability {rules.probability:g}, thrown in a campaign only", "probability")
        elif rules.probability < 1 and history is not None:
            thrown, most = history.throw(rules.thrown_for), round(rules.probability * SIDES)
            if thrown > most:
                self._leave_out(hit, "not_rolled", f"threw {thrown} of {SIDES}, at most {most} is in")
                return False
            self._note(hit, f"threw {thrown} of {SIDES}, at most {most} is in", "probability")
        if standing is not None and standing[0] == "cooldown":
            self._leave_out(hit, "cooldown", f"cooldown, {_turns(standing[1])} more")
            return False
        return standing is not None or self._fulfils_keys(hit)

    def _fulfils_keys(self, hit: Hit) -> bool:
        rules = self._of(hit)
        if rules.always or hit.chunk.reading < WITH_KEYS or not self._question.strip():
            return True
        verdict = secondary_verdict(rules, self._question)
        if verdict is not None and not verdict[0]:
            self._leave_out(hit, "keys", verdict[1])
            return False
        if verdict is not None:
            self._note(hit, verdict[1], "keys")
        return True

    # 4. Requires, excludes and groups.

    def ruled(self, hits: Sequence[Hit]) -> Ruled:
        """Return the hits that remain, in the order in which the budget is filled, and what the rules did."""
        left = [*hits]
        # A requirement that nothing found fulfils fails without an answer.
        while lost := self._without_what_they_require(left, left):
            left = [hit for hit in left if hit.chunk.id not in lost]
        while True:
            order, limit = self._order(left)
            answer, present = _answer(order, limit)
            lost = self._without_what_they_require(answer, present) or self._find_losers(answer)
            if not lost:
                break
            left = [hit for hit in left if hit.chunk.id not in lost]
        for hit in answer:
            if self._of(hit).always:
                self._note(hit, "always", "always")
            if self._of(hit).priority:
                self._note(hit, f"priority {self._of(hit).priority}", "priority")
        halved = frozenset(
            hit.chunk.id for hit in order if self._of(hit).always and hit.chunk.reading >= HALF_FOR_ALWAYS
        )
        return Ruled(order, self._ranked, limit, [*self._out.values()], self._notes, halved, self._unmet)

    def _without_what_they_require(self, answer: Sequence[Hit], present: Sequence[Hit]) -> set[str]:
        answered = _Present(self._same, present)
        lost = [hit for hit in answer if self._find_missing(hit, answered)]
        for hit in lost:
            self._leave_out(hit, "requires", self._describe_missing(self._find_missing(hit, answered)))
        return {hit.chunk.id for hit in lost}

    def _unmet(self, chosen: Sequence[Hit]) -> list[Hit]:
        """Return those of the chosen hits that require something that is not among them."""
        present = _Present(self._same, chosen)
        return [hit for hit in chosen if self._find_missing(hit, present)]

    def _find_missing(self, hit: Hit, present: _Present) -> list[str]:
        return [require for require in self._of(hit).requires if not present.has(require, beside=hit.chunk.section_id)]

    def _describe_missing(self, missing: Sequence[str]) -> str:
        """Say what is missing. Only what the viewer may know of is named: a rule must not reveal that there is more."""
        known = [entry_id for entry_id in missing if self._may_be_named(entry_id)]
        return f"requires {', '.join(known)}" if known else "requires what is not here"

    def _may_be_named(self, entry_id: str) -> bool:
        ids = ids_of(entry_id if entry_id.count(":") < 2 else entry_id.rpartition(":")[0], self._same)
        return any(
            visible_text(self._view, generation, chunk) is not None
            for generation in self._view.generations
            for entity_id in ids
            for chunk in generation.chunks_of(entity_id)
            if entry_id in _names_of(chunk, self._same)
        )

    def _find_losers(self, answer: Sequence[Hit]) -> set[str]:
        """Return the IDs of the hits that lose against one of higher priority, or else of better rank."""
        stays = _Staying(self._same)
        lost: set[str] = set()
        for hit in sorted(answer, key=lambda hit: -self._of(hit).priority):
            found = stays.conflict(hit, self._of(hit))
            if found is None:
                stays.add(hit, self._of(hit))
            else:
                self._leave_out(hit, *found)
                lost.add(hit.chunk.id)
        return lost

    # 5. The order.

    def _order(self, hits: Sequence[Hit]) -> tuple[list[Hit], int]:
        """Return the hits in the order in which the budget is filled, and the most sections: chunks taken in do not
        count."""
        always = self._by_priority([hit for hit in hits if self._of(hit).always])[:MAX_STAYING]
        sticky = [hit for hit in hits if not self._of(hit).always and self._stays(hit.chunk.id, self._of(hit))]
        free = [*always, *self._by_priority(sticky)]
        stays = {hit.chunk.id for hit in free}
        limit = self._limit + len({hit.chunk.section_id for hit in free})
        found = [hit for hit in hits if hit.chunk.id not in stays]
        chosen = {hit.chunk.id for hit in _answer([*free, *found], limit)[0]}
        first = self._by_priority([hit for hit in found if hit.chunk.id in chosen])
        last = [hit for hit in found if hit.chunk.id not in chosen]
        return [*self._after_what_they_require([*free, *first]), *last], limit

    def _by_priority(self, hits: Sequence[Hit]) -> list[Hit]:
        return sorted(hits, key=lambda hit: -self._of(hit).priority)

    def _after_what_they_require(self, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits, each behind all hits that it requires; those that require each other come last."""
        ordered: list[Hit] = []
        placed = _Present(self._same)
        waiting = [*hits]
        while waiting:
            ready = next((hit for hit in waiting if not self._find_missing(hit, placed)), None)
            if ready is None:
                break
            ordered.append(ready)
            placed.add(ready)
            waiting.remove(ready)
        return [*ordered, *waiting]


class _Present:
    """The chunks of an answer, by every ID by which rules may name them."""

    def __init__(self, same: SameThings, hits: Iterable[Hit] = ()) -> None:
        self._same = same
        self._sections: dict[str, set[str]] = {}
        for hit in hits:
            self.add(hit)

    def add(self, hit: Hit) -> None:
        """Add a hit."""
        for name in _names_of(hit.chunk, self._same):
            self._sections.setdefault(name, set()).add(hit.chunk.section_id)

    def has(self, entry_id: str, *, beside: str) -> bool:
        """Return True if the answer has a section of the entry other than `beside`."""
        return self.beside(entry_id, beside) is not None

    def beside(self, entry_id: str, section_id: str) -> str | None:
        """Return the first section of an entry in the answer other than `section_id`, or None."""
        return min(self._sections.get(entry_id, set()) - {section_id}, default=None)


class _Staying:
    """The hits that have their place in an answer, and what they shut out; the parts of one section never conflict."""

    def __init__(self, same: SameThings) -> None:
        self._same = same
        self._present = _Present(same)
        self._excluded: dict[str, set[str]] = {}
        self._groups: dict[str, tuple[str, str]] = {}

    def add(self, hit: Hit, rules: EntryRules) -> None:
        """Give a hit its place."""
        self._present.add(hit)
        for exclude in rules.excludes:
            self._excluded.setdefault(exclude, set()).add(hit.chunk.section_id)
        for group in rules.groups:
            self._groups.setdefault(group, (rules.group_of, hit.chunk.section_id))

    def conflict(self, hit: Hit, rules: EntryRules) -> tuple[RuledOut, str] | None:
        """Return why a hit can have no place, as the rule and an explanation; None if it can."""
        own = hit.chunk.section_id
        named = (self._present.beside(exclude, own) for exclude in rules.excludes)
        naming = (
            min(self._excluded.get(name, set()) - {own}, default=None) for name in _names_of(hit.chunk, self._same)
        )
        other = next((section_id for section_id in (*named, *naming) if section_id is not None), None)
        if other is not None:
            return "excluded", f"not beside {other}"
        for group in rules.groups:
            owner, section_id = self._groups.get(group, (rules.group_of, ""))
            if owner != rules.group_of:
                return "group", f"group {group}: {section_id} is there"
        return None


def _names_of(chunk: StoredChunk, same: SameThings) -> tuple[str, ...]:
    """Return the IDs by which rules may name a chunk: those of its entity in every pack, and of its section there."""
    section = chunk.section_id.removeprefix(f"{chunk.entity_id}:")
    ids = ids_of(chunk.entity_id, same)
    return (*ids, *(f"{entity_id}:{section}" for entity_id in ids))


def _answer(hits: Sequence[Hit], limit: int) -> tuple[list[Hit], list[Hit]]:
    """Return the answer that no budget would cut, in the order of the hits; and the same with the hits that it leaves
    out as duplicates, for their content is there in other words."""
    chosen, left_out = fit_to_budget(hits, budget_tokens=sys.maxsize, limit=limit)
    ids = {hit.chunk.id for hit in chosen}
    repeated = {hit.chunk.id for hit, reason in left_out if reason == "duplicate"}
    return [hit for hit in hits if hit.chunk.id in ids], [hit for hit in hits if hit.chunk.id in ids | repeated]


def _turns(number: int) -> str:
    return "1 turn" if number == 1 else f"{number} turns"
