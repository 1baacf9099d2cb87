"""State -> the two summaries of the packet: how the scene stands, and how the threads do."""

from __future__ import annotations

from lorewright.world.state import WorldState


def scene_summary(state: WorldState) -> str:
    """Where the player is, for how long, how often they were there before, and with whom."""
    place = state.name_of(state.scene.location_id)
    minutes = state.minutes - state.scene.opened_minute
    since = f"for {minutes} minutes" if minutes > 1 else "just now"
    before = state.visits.get(state.scene.location_id, 1) - 1
    again = {0: "for the first time", 1: "for the second time"}.get(before, f"having been there {before} times")
    people = [state.name_of(one) for one in state.present_npcs()]
    company = f"With them: {', '.join(people)}." if people else "Nobody is with them."
    return f"{state.name_of(state.player_id)} is at {place}, {since}, {again}. {company}"


def threads_summary(state: WorldState) -> str:
    """Each thread in a line: its title, how it stands, what is at stake."""
    return "\n".join(
        f"{thread.title} ({thread.status}){f': {thread.stakes}' if thread.stakes else ''}"
        for _, thread in sorted(state.threads.items())
    )
