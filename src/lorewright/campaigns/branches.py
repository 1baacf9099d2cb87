"""Branches: a rollback that names what it leaves, a branch from any turn, a switch, and the tree that they make.

Nothing is deleted and nothing copied: a branch is a name for a turn, and the story is the path from the root to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lorewright.errors import CampaignError, NotFound
from lorewright.ids import is_id
from lorewright.storage.heads import (
    BranchRow,
    HeadRow,
    TurnRow,
    add_branch,
    branch_rows,
    head_row,
    is_on_path,
    path_to,
    turn_no_of,
    turn_rows,
    undone_turns,
)
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.store.turn_store import committed_state

# Branches: a rollback that names what it leaves, a branch from any turn, a switch, and the tree.

_LOG = "see: lorewright campaign log CAMPAIGN"
_SHOW = "see: lorewright campaign show CAMPAIGN"
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class HeadChange:
    """Where the head went: the turn, and the active branch. `kept_as` is the branch that holds the previous head."""

    turn_id: str
    turn_no: int
    branch: str
    kept_as: str | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """Turns in a row, from `first_turn_no` to `turn_no`, after which the story parts or a branch has its head.
    `branches` have their head here."""

    turn_id: str
    turn_no: int
    first_turn_no: int
    player_text: str
    branches: tuple[str, ...]
    is_head: bool
    children: tuple[Stretch, ...]


@dataclass(frozen=True, slots=True)
class LooseEnd:
    """The last turn of a path that no branch holds: it was undone, and another turn was played instead. The path parts
    from the tree after turn `parted_after`; `can_be_redone` while nothing was played since. It has no text: what was
    taken back is not shown until the player goes back to it."""

    turn_id: str
    turn_no: int
    parted_after: int
    can_be_redone: bool


@dataclass(frozen=True, slots=True)
class BranchTree:
    """All turns that were ever played, as a tree; the stretch that holds turn 0 is its root."""

    branches: tuple[BranchRow, ...]
    root: Stretch
    loose_ends: tuple[LooseEnd, ...]


def rollback(store: CampaignStore, *, turns: int = 1, to: str | None = None) -> HeadChange:
    """Take back the last turns, or those after a turn (its number or ID); the previous head gets a branch of its own.

    Raises:
        CampaignError: there are fewer turns, or the turn is not before the head.
        NotFound: there is no such turn.
        HeadMoved: another turn was committed meanwhile.
    Whatever is raised, nothing was changed.
    """
    head, rows = head_row(store.database), branch_rows(store.database)
    at_hand = _at_hand(rows)
    target = head.turn_no - turns if to is None else _before_head(store, head, to)
    if turns < 1 or target < 0:
        raise CampaignError(
            f"there are only {head.turn_no} turns to take back"
            if head.turn_no
            else "there is nothing to undo: the story stands at its beginning",
            hint=_LOG,
        )
    kept_as = next((row.name for row in rows if row.head_turn_id == head.turn_id and not row.at_hand), None)
    named = None if kept_as else _free_name(f"{at_hand}-turn{head.turn_no}", {row.name for row in rows})
    path = path_to(store.database, head.turn_id, last=head.turn_no - target + 1)
    taken_back = tuple(turn["turn_id"] for turn in reversed(path[1:]))
    turn_id = path[0]["turn_id"]
    store.move_head(head, turn_id, committed_state(store, turn_id), taken_back=taken_back, named=named)
    return HeadChange(turn_id, target, at_hand, kept_as or named)


def branch(store: CampaignStore, *, turn: str, name: str) -> BranchRow:
    """Name a turn (its number up to the head, or the ID of any turn) as the head of a new branch and return the branch;
    the story stays where it is.

    Raises:
        CampaignError: the name is taken or invalid.
        NotFound: there is no such turn.
        HeadMoved: another turn was committed meanwhile.
    Whatever is raised, nothing was changed.
    """
    head = head_row(store.database)
    _check_name(name, branch_rows(store.database))
    turn_id = turn_named(store, head, turn)
    state = committed_state(store, turn_id)
    add_branch(
        store.database,
        store.campaign_id,
        head,
        name=name,
        turn_id=turn_id,
        state_json=state.to_json(),
        time=store.time(),
    )
    return next(row for row in branch_rows(store.database) if row.name == name)


def switch(store: CampaignStore, name: str) -> HeadChange:
    """Make the head of another branch the head. The branch that is left keeps its own.

    Raises:
        NotFound: there is no such branch.
        CampaignError: it is the active branch.
        HeadMoved: another turn was committed meanwhile.
    Whatever is raised, nothing was changed.
    """
    head, rows = head_row(store.database), branch_rows(store.database)
    wanted = next((row for row in rows if row.name == name), None)
    if wanted is None:
        raise NotFound(f"there is no branch {name}", hint=f"one of {', '.join(row.name for row in rows)}")
    if wanted.at_hand:
        raise CampaignError(f"{name} is the branch at hand", hint=_SHOW)
    store.move_head(head, wanted.head_turn_id, committed_state(store, wanted.head_turn_id), onto=name)
    return HeadChange(wanted.head_turn_id, wanted.head_turn_no, name, _at_hand(rows))


def save_point(store: CampaignStore, name: str = "") -> BranchRow:
    """Name the head, to be gone back to by `load_point`, and return the branch that does; without a name it is called
    after the turn. Blanks in a name become underscores.

    Raises:
        CampaignError: the name is taken or invalid.
        HeadMoved: another turn was committed meanwhile.
    Whatever is raised, nothing was changed.
    """
    head = head_row(store.database)
    taken = {row.name for row in branch_rows(store.database)}
    return branch(
        store, turn=head.turn_id, name="_".join(name.split()) or _free_name(f"save-turn{head.turn_no}", taken)
    )


def load_point(store: CampaignStore, name: str) -> HeadChange:
    """Make the turn that a branch names the head of the active branch. The named branch stays where it is, and the
    previous head gets a branch of its own, unless the way to the new head leads over it.

    Raises:
        NotFound: there is no such branch.
        CampaignError: the story stands at that turn.
        HeadMoved: another turn was committed meanwhile.
    Whatever is raised, nothing was changed.
    """
    head, rows = head_row(store.database), branch_rows(store.database)
    at_hand, wanted_name = _at_hand(rows), "_".join(name.split())
    wanted = next((row for row in rows if row.name.casefold() == wanted_name.casefold()), None)
    if wanted is None:
        raise NotFound(f"there is no branch {name}", hint=f"one of {', '.join(row.name for row in rows)}")
    if wanted.head_turn_id == head.turn_id:
        raise CampaignError(f"the story stands at {wanted.name}", hint="play on, or load another")
    kept_as = next((row.name for row in rows if row.head_turn_id == head.turn_id and not row.at_hand), None)
    is_on_the_way = is_on_path(store.database, head.turn_id, to=wanted.head_turn_id)
    named = None
    if kept_as is None and not is_on_the_way:
        kept_as = named = _free_name(f"{at_hand}-turn{head.turn_no}", {row.name for row in rows})
    state = committed_state(store, wanted.head_turn_id)
    # What was taken back cannot be done again from another place: `onto` forgets it.
    store.move_head(head, wanted.head_turn_id, state, named=named, onto=at_hand)
    return HeadChange(wanted.head_turn_id, wanted.head_turn_no, at_hand, kept_as)


def turn_named(store: CampaignStore, head: HeadRow, turn: str) -> str:
    """Return the ID of a turn, given by its number on the path to a head or by its ID on any branch.

    Raises:
        NotFound: there is no such turn.
    """
    if turn.isdecimal() and len(turn) < _LONGEST_NAME:
        number = int(turn)
        path = path_to(store.database, head.turn_id, last=head.turn_no - number + 1) if number <= head.turn_no else []
        if not path:
            raise NotFound(f"there is no turn {turn} on the way to the head, which is {head.turn_no}", hint=_LOG)
        return str(path[0]["turn_id"])
    if turn_no_of(store.database, turn) is None:
        raise NotFound(f"there is no turn {turn}", hint="give its number, or an ID that `campaign show` prints")
    return turn


def tree(store: CampaignStore) -> BranchTree:
    """Return all branches of a campaign as a tree of stretches, and the paths that no branch holds."""
    rows, turns = branch_rows(store.database), turn_rows(store.database)
    by_id = {turn.turn_id: turn for turn in turns}
    held = _with_ancestors((row.head_turn_id for row in rows), by_id)
    stretches = _stretches([turn for turn in turns if turn.turn_id in held], rows)
    parents = {turn.parent_id for turn in turns}
    undone = set(undone_turns(store.database))
    ends = [turn for turn in turns if turn.turn_id not in parents and turn.turn_id not in held]
    loose = (_loose_end(turn, by_id, held, can_be_redone=turn.turn_id in undone) for turn in ends)
    return BranchTree(tuple(rows), stretches, tuple(loose))


def _stretches(turns: Sequence[TurnRow], rows: Sequence[BranchRow]) -> Stretch:
    """Return the tree of the turns that branches hold, made from its leaves, so that a long story is no deep
    recursion."""
    children: dict[str, list[TurnRow]] = {}
    for turn in turns:
        if turn.parent_id is not None:
            children.setdefault(turn.parent_id, []).append(turn)
    made: dict[str, Stretch] = {}
    for turn in reversed(turns):
        after = [made.pop(child.turn_id) for child in children.get(turn.turn_id, ())]
        heads = [row for row in rows if row.head_turn_id == turn.turn_id]
        if len(after) == 1 and not heads:
            made[turn.turn_id] = _longer(after[0], turn.turn_no)
        else:
            made[turn.turn_id] = Stretch(
                turn_id=turn.turn_id,
                turn_no=turn.turn_no,
                first_turn_no=turn.turn_no,
                player_text=turn.player_text,
                branches=tuple(row.name for row in heads),
                is_head=any(row.at_hand for row in heads),
                children=tuple(after),
            )
    (root,) = made.values()
    return root


def _longer(stretch: Stretch, first_turn_no: int) -> Stretch:
    return Stretch(
        stretch.turn_id,
        stretch.turn_no,
        first_turn_no,
        stretch.player_text,
        stretch.branches,
        stretch.is_head,
        stretch.children,
    )


def _with_ancestors(turn_ids: Iterable[str], by_id: Mapping[str, TurnRow]) -> set[str]:
    held: set[str] = set()
    for turn_id in turn_ids:
        ancestor: str | None = turn_id
        while ancestor is not None and ancestor not in held:
            held.add(ancestor)
            ancestor = by_id[ancestor].parent_id
    return held


def _loose_end(turn: TurnRow, by_id: Mapping[str, TurnRow], held: set[str], *, can_be_redone: bool) -> LooseEnd:
    ancestor = turn
    while ancestor.parent_id is not None and ancestor.turn_id not in held:
        ancestor = by_id[ancestor.parent_id]
    return LooseEnd(turn.turn_id, turn.turn_no, ancestor.turn_no, can_be_redone)


def _before_head(store: CampaignStore, head: HeadRow, to: str) -> int:
    """Return the number of a turn before the head."""
    turn_id = turn_named(store, head, to)
    turn_no = turn_no_of(store.database, turn_id)
    if turn_no is None or turn_id == head.turn_id or not is_on_path(store.database, turn_id, to=head.turn_id):
        raise CampaignError(
            f"turn {to} is not before the last one, {head.turn_no}",
            hint="to go on from a turn of another branch: lorewright campaign branch CAMPAIGN --from TURN --name NAME",
        )
    return turn_no


def _at_hand(rows: Iterable[BranchRow]) -> str:
    return next(row.name for row in rows if row.at_hand)


def _check_name(name: str, rows: Iterable[BranchRow]) -> None:
    if not is_id(name) or len(name) > _LONGEST_NAME:
        raise CampaignError(
            f"{name!r} cannot be the name of a branch", hint="use letters, digits, _ and -, beginning with a letter"
        )
    if any(row.name == name for row in rows):
        raise CampaignError(f"there is a branch {name} already", hint="choose another name")


def _free_name(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name
