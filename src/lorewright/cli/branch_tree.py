"""The tree of a campaign's branches, as it is printed."""

from __future__ import annotations

from lorewright.campaigns.branches import BranchTree, Stretch
from lorewright.cli.output import Twig, say, show_tree

# A campaign with many retries has many loose ends: at most this many are printed.
_LOOSE_ENDS_SHOWN = 8


def show_branches(tree: BranchTree, *, loose_ends: bool = True) -> None:
    """Print the tree, and unless they are unwanted the newest of the ends that no branch holds."""
    show_tree(_twig(tree.root))
    if not loose_ends:
        return
    for end in tree.loose_ends[-_LOOSE_ENDS_SHOWN:]:
        how = "redo does it again" if end.can_be_redone else "no branch holds it"
        say(f"  left after turn {end.parted_after}: {end.turn_id} (turn {end.turn_no}); {how}", style="dim")
    more = len(tree.loose_ends) - _LOOSE_ENDS_SHOWN
    if more > 0:
        say(f"  and {more} more that were left: --json has them", style="dim")


def _twig(stretch: Stretch) -> Twig:
    turns = f"turn {stretch.turn_no}"
    if stretch.first_turn_no != stretch.turn_no:
        turns = f"turns {stretch.first_turn_no} to {stretch.turn_no}"
    named = f" · {', '.join(stretch.branches)}" if stretch.branches else ""
    text = f"{turns}{_said(stretch.player_text)}{named}{' ← here' if stretch.is_head else ''}"
    return Twig(text, "bold" if stretch.is_head else "", tuple(map(_twig, stretch.children)))


def _said(player_text: str) -> str:
    return f", “{player_text}”" if player_text else ""
