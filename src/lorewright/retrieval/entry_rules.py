"""Between rank and budget: the rules that authors give their entries -> which hits stand in the answer, in what order.

What stands under a condition that does not hold, and what the viewer may not see, was gone before anything was ranked:
here it does not exist, so that it fulfils no `requires`, excludes nothing and wins no group. Then, in this order:

1. *always* and *sticky*: what stays is taken in, found or not, where the viewer may see any of it.
2. *probability*: what is not sticky is thrown for, once a turn; without a campaign nothing is thrown.
3. *cooldown*: what was found lately stays away.
4. *requires*, then *excludes* and *groups*, as often as anything changes, in the answer that no budget would cut.
   Whoever loses stays out, also where the winner goes after it.
5. *order*: what is always there, what is sticky, then what was found; among each of them by priority, then by rank, and
   nothing before what it requires. Priority orders what is in the answer; it brings nothing into it.

The budget fills in that order, so that a larger one never loses what a smaller one had.
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
from lorewright.retrieval.budget import LeftOut, fit_to_budget
from lorewright.retrieval.ranking import Hit, tokens_of
from lorewright.retrieval.view import (
    SIDES,
    EntryHistory,
    LoreView,
    Things,
    has_entry_rules,
    ids_of,
    things,
    visible_text,
)

RuledOut = Literal["not_rolled", "cooldown", "requires", "excluded", "group"]
Kept = Literal["always", "sticky", "priority", "probability"]

# So many are taken in at most, and go first: whoever writes more of them has a pack that tells nothing else.
MAX_STAYING = 100

_PLAIN = EntryRules()


@dataclass(frozen=True, slots=True)
class RuleNote:
    """What rules did to a chunk: what kept it in, and in words what did what."""

    kept: tuple[Kept, ...] = ()
    words: tuple[str, ...] = ()

    def and_(self, words: str, *kept: Kept) -> RuleNote:
        """The note with more."""
        return RuleNote((*self.kept, *kept), (*self.words, words))


@dataclass(frozen=True, slots=True)
class Ruled:
    """Hits in the order in which the budget fills, and as they were ranked; how many sections it may, what rules left
    out, and what they did, by the ID of the chunk."""

    hits: list[Hit]
    ranked: Sequence[Hit]
    limit: int
    out: list[tuple[Hit, RuledOut]] = field(default_factory=list)
    notes: Mapping[str, RuleNote] = field(default_factory=dict)
    # Those of an answer that require what is not in it.
    unmet: Callable[[Sequence[Hit]], list[Hit]] = lambda chosen: []


def apply_entry_rules(hits: Sequence[Hit], view: LoreView, *, limit: int, takes_in: bool = True) -> Ruled:
    """The hits of a query, best first, by the rules of their entries. Without any rules they are as they were.

    `view` is of what is in force. Without `takes_in` nothing comes in that was not found.
    """
    if not has_entry_rules(view.generations):
        return Ruled([*hits], hits, limit)
    stage = _Stage(view, hits, limit)
    return stage.ruled(stage.at_hand(stage.taken_in(hits) if takes_in else hits))


def fill(ruled: Ruled, *, budget_tokens: int) -> tuple[list[Hit], list[tuple[Hit, LeftOut | RuledOut]]]:
    """What fits, and the rest with one reason each. What requires something that did not fit goes with it."""
    chosen, rest = fit_to_budget(ruled.hits, budget_tokens=budget_tokens, limit=ruled.limit)
    left_out: list[tuple[Hit, LeftOut | RuledOut]] = [*rest]
    while unmet := ruled.unmet([*chosen, *(hit for hit, reason in left_out if reason == "duplicate")]):
        gone = {hit.chunk.id for hit in unmet}
        left_out += [(hit, "requires") for hit in chosen if hit.chunk.id in gone]
        kept = [hit for hit in chosen if hit.chunk.id not in gone]
        if len(kept) == len(chosen):
            break
        chosen = kept
    return chosen, [*left_out, *ruled.out]


class _Stage:
    """One query's entries, their rules and what has become of them so far."""

    def __init__(self, view: LoreView, ranked: Sequence[Hit], limit: int) -> None:
        self._view = view
        self._ranked = ranked
        self._limit = limit
        self._rules = {one: rules for pack in view.generations for one, rules in entry_rules_of(pack).items()}
        self._same: Things = things(view.generations)
        self._history: EntryHistory | None = view.entries
        self._notes: dict[str, RuleNote] = {}
        self._out: dict[str, tuple[Hit, RuledOut]] = {}

    def _of(self, hit: Hit) -> EntryRules:
        return self._rules.get(hit.chunk.id, _PLAIN)

    def _note(self, hit: Hit, words: str, *kept: Kept) -> None:
        self._notes[hit.chunk.id] = self._notes.get(hit.chunk.id, RuleNote()).and_(words, *kept)

    def _leave_out(self, hit: Hit, reason: RuledOut, words: str) -> None:
        self._out[hit.chunk.id] = (hit, reason)
        self._note(hit, words)

    # 1. What stays.

    def taken_in(self, hits: Sequence[Hit]) -> list[Hit]:
        """The hits, and behind them what is always there or sticky though nothing found it."""
        found = {hit.chunk.id for hit in hits}
        stays = [one for one, rules in self._rules.items() if one not in found and self._stays(one, rules)]
        stays.sort(key=lambda one: (-self._rules[one].priority, one))
        fetched = (hit for stay in stays if (hit := self._fetched(stay)) is not None)
        more = [*islice(fetched, MAX_STAYING)]
        return [*hits, *sorted(more, key=lambda hit: (hit.chunk.pack_id, hit.chunk.row))]

    def _stays(self, chunk_id: str, rules: EntryRules) -> bool:
        return rules.always or self._standing(chunk_id, rules) == "sticky"

    def _standing(self, chunk_id: str, rules: EntryRules) -> str | None:
        found = None if self._history is None else self._history.standing(chunk_id.partition("~")[0], rules)
        return None if found is None else found[0]

    def _fetched(self, chunk_id: str) -> Hit | None:
        """A chunk that nothing found, as the viewer may read it."""
        generation = next(one for one in self._view.generations if chunk_id in entry_rules_of(one))
        chunk = generation.chunk(chunk_id)
        text = None if chunk is None else visible_text(self._view, generation, chunk)
        if chunk is None or text is None:
            return None
        return Hit(chunk, text, tokens_of(chunk, text), 0.0)

    # 2. and 3.: what dice and cooldowns leave.

    def at_hand(self, hits: Iterable[Hit]) -> list[Hit]:
        """What was thrown, and does not stay away."""
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
        return True

    # 4. What cannot stand together, or not alone.

    def ruled(self, hits: Sequence[Hit]) -> Ruled:
        """What is left, in the order in which it is filled."""
        left = [*hits]
        # What requires something that nothing found needs no answer to be judged.
        while lost := self._without_what_they_require(left, left):
            left = [hit for hit in left if hit.chunk.id not in lost]
        while True:
            order, limit = self._ordered(left)
            answer, present = _answer(order, limit)
            lost = self._without_what_they_require(answer, present) or self._losers(answer)
            if not lost:
                break
            left = [hit for hit in left if hit.chunk.id not in lost]
        for hit in answer:
            if self._of(hit).always:
                self._note(hit, "always", "always")
            if self._of(hit).priority:
                self._note(hit, f"priority {self._of(hit).priority}", "priority")
        return Ruled(order, self._ranked, limit, [*self._out.values()], self._notes, self._unmet)

    def _without_what_they_require(self, answer: Sequence[Hit], present: Sequence[Hit]) -> set[str]:
        there = _Present(self._same, present)
        lost = [hit for hit in answer if self._missing(hit, there)]
        for hit in lost:
            self._leave_out(hit, "requires", self._told_of(self._missing(hit, there)))
        return {hit.chunk.id for hit in lost}

    def _unmet(self, chosen: Sequence[Hit]) -> list[Hit]:
        """Those of an answer that require what is not in it."""
        present = _Present(self._same, chosen)
        return [hit for hit in chosen if self._missing(hit, present)]

    def _missing(self, hit: Hit, present: _Present) -> list[str]:
        return [require for require in self._of(hit).requires if not present.has(require, beside=hit.chunk.section_id)]

    def _told_of(self, missing: Sequence[str]) -> str:
        """Named is only what the viewer may know of: nobody learns from a rule that there is something else."""
        known = [one for one in missing if self._may_be_named(one)]
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

    def _losers(self, answer: Sequence[Hit]) -> set[str]:
        """Those that may not stand beside something with more priority, or else a better place."""
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

    def _ordered(self, hits: Sequence[Hit]) -> tuple[list[Hit], int]:
        """In the order in which they are filled, and how many sections may be: what was taken in does not count."""
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
        """Each behind the first of all that it requires; those that require each other come last."""
        ordered: list[Hit] = []
        there = _Present(self._same)
        waiting = [*hits]
        while waiting:
            ready = next((hit for hit in waiting if not self._missing(hit, there)), None)
            if ready is None:
                break
            ordered.append(ready)
            there.add(ready)
            waiting.remove(ready)
        return [*ordered, *waiting]


class _Present:
    """What is in an answer, by all that it may be named by."""

    def __init__(self, same: Things, hits: Iterable[Hit] = ()) -> None:
        self._same = same
        self._sections: dict[str, set[str]] = {}
        for hit in hits:
            self.add(hit)

    def add(self, hit: Hit) -> None:
        """Something more is in it."""
        for name in _names_of(hit.chunk, self._same):
            self._sections.setdefault(name, set()).add(hit.chunk.section_id)

    def has(self, entry_id: str, *, beside: str) -> bool:
        """Whether anything of an entry is in it, beside a section itself."""
        return self.beside(entry_id, beside) is not None

    def beside(self, entry_id: str, section_id: str) -> str | None:
        """The first section of an entry that is in it, beside another one."""
        return min(self._sections.get(entry_id, set()) - {section_id}, default=None)


class _Staying:
    """What has its place in an answer, and so what can have none beside it; the parts of one section always can."""

    def __init__(self, same: Things) -> None:
        self._same = same
        self._present = _Present(same)
        self._excluded: dict[str, set[str]] = {}
        self._groups: dict[str, tuple[str, str]] = {}

    def add(self, hit: Hit, rules: EntryRules) -> None:
        """Something more has its place."""
        self._present.add(hit)
        for exclude in rules.excludes:
            self._excluded.setdefault(exclude, set()).add(hit.chunk.section_id)
        for group in rules.groups:
            self._groups.setdefault(group, (rules.group_of, hit.chunk.section_id))

    def conflict(self, hit: Hit, rules: EntryRules) -> tuple[RuledOut, str] | None:
        """Why a hit can have no place, if it cannot."""
        own = hit.chunk.section_id
        named = (self._present.beside(exclude, own) for exclude in rules.excludes)
        naming = (
            min(self._excluded.get(name, set()) - {own}, default=None) for name in _names_of(hit.chunk, self._same)
        )
        other = next((one for one in (*named, *naming) if one is not None), None)
        if other is not None:
            return "excluded", f"not beside {other}"
        for group in rules.groups:
            owner, section_id = self._groups.get(group, (rules.group_of, ""))
            if owner != rules.group_of:
                return "group", f"group {group}: {section_id} is there"
        return None


def _names_of(chunk: StoredChunk, same: Things) -> tuple[str, ...]:
    """The IDs by which rules may name a chunk: of its entity, whichever packs tell of it, and of its section there."""
    section = chunk.section_id.removeprefix(f"{chunk.entity_id}:")
    ids = ids_of(chunk.entity_id, same)
    return (*ids, *(f"{entity_id}:{section}" for entity_id in ids))


def _answer(hits: Sequence[Hit], limit: int) -> tuple[list[Hit], list[Hit]]:
    """The answer that no budget would cut, in the order of the hits; and it with what it leaves out because it repeats
    something: that is there, too, in other words."""
    chosen, left_out = fit_to_budget(hits, budget_tokens=sys.maxsize, limit=limit)
    ids = {hit.chunk.id for hit in chosen}
    repeated = {hit.chunk.id for hit, reason in left_out if reason == "duplicate"}
    return [hit for hit in hits if hit.chunk.id in ids], [hit for hit in hits if hit.chunk.id in ids | repeated]


def _turns(number: int) -> str:
    return "1 turn" if number == 1 else f"{number} turns"
