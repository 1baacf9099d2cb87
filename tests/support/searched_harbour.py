"""The harbour's scenario with changes -> a campaign to search, and what is reached in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lorewright.authoring.reach.reached import ALL_KINDS, ReachedGoals, reach_goals
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.solver.goals import GoalKind
from support import harbour as h

# An ending that needs the lantern, which is lost on the quay: who goes there first has come to a dead end.
LOST_LANTERN = (
    ("rules:", "rules:\n      - {id: splash, on: {act: go, target: quay}, success: [{lose: lantern}]}"),
    ("at: {2: [{arrive: bea}], 3: [{end: fled}]}", "at: {2: [{arrive: bea}]}"),
    (
        'fled: {say: "You run, and the fiddle stops behind you."}',
        "lit: {say: Light., when: {all: [{has: lantern}, {revealed: tavern/discoverable#letter}]}}",
    ),
)


def changed(*changes: tuple[str, str]) -> str:
    """Return the harbour's scenario with some words of it changed."""
    text = h.SCENARIO
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


@contextmanager
def begun(folder: Path, *changes: tuple[str, str], **files: str) -> Iterator[OpenCampaign]:
    """Open a campaign of the harbour's scenario with some words changed, and with other texts of its places."""
    places = {f"locations/{name}.md": text for name, text in files.items()}
    app = h.harbour(folder, scenario=changed(*changes), files={**h.FILES, **places})
    with app.campaigns.open("game") as campaign:
        yield campaign


def night_boat(
    folder: Path, *changes: tuple[str, str], kinds: tuple[GoalKind, ...] = ALL_KINDS, **files: str
) -> ReachedGoals:
    """Return what is reached in the changed scenario."""
    with begun(folder, *changes, **files) as campaign:
        return reach_goals(campaign, kinds=kinds)
