"""A campaign and the packs as they were written -> what a curious player types, line by line, to see as much as can be
seen: looks, talks, questions about everything that anybody keeps, searches, ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.packs.models import Item, Pack
from lorewright.turn.views.scope import ways_out
from lorewright.world.state import WorldState

# So many questions to one character, and so many searches in one place.
_QUESTIONS = 5
_SEARCHES = 3


class Tour:
    """The next line depends on where the story stands. Names and triggers are the author's own: no canary is typed."""

    def __init__(self, packs: Sequence[Pack]) -> None:
        self._asked: dict[str, list[Item]] = {}
        self._found: dict[str, list[Item]] = {}
        for pack in packs:
            for chunk in pack.chunks:
                if chunk.role in ("knows", "withholds"):
                    self._asked.setdefault(chunk.entity_id, []).extend(chunk.items)
                elif chunk.role == "discoverable":
                    self._found.setdefault(chunk.entity_id, []).extend(chunk.items)
        self._done: set[str] = set()

    def lines(self, campaign: OpenCampaign, most: int) -> Iterator[str]:
        """At most so many lines; ends earlier where the story does."""
        for _ in range(most):
            state = campaign.store.head().state
            if state.ended is not None:
                return
            line = next((one for one in self._wishes(state) if self._is_new(state, one)), None)
            yield line or self._way_on(state)

    def _is_new(self, state: WorldState, line: str) -> bool:
        key = f"{state.scene.location_id}\0{line}"
        new = key not in self._done
        self._done.add(key)
        return new

    def _wishes(self, state: WorldState) -> Iterator[str]:
        here = state.scene.location_id
        yield "look"
        for who in state.present_npcs():
            name = state.name_of(who)
            yield f"look at {name}"
            yield f"talk to {name}"
            for item in _some(self._asked.get(who, ()), _QUESTIONS):
                yield f"ask {name} about {_topic(item)}"
        for item in self._found.get(here, ())[:_SEARCHES]:
            yield item.trigger or "search"
        yield "search"
        yield "wait"

    def _way_on(self, state: WorldState) -> str:
        ways = sorted(ways_out(state), key=lambda way: state.visits.get(way.to, 0))
        return f"go {ways[0].name}" if ways else "wait"


def _topic(item: Item) -> str:
    name = item.name.replace("_", " ")
    return " ".join(item.text.split()[:4]) if name.isdigit() else name


def _some(items: Sequence[Item], most: int) -> list[Item]:
    """The first and the last: what is known stands first, what is withheld last."""
    return list(items) if len(items) <= most else [*items[: most - most // 2], *items[-(most // 2) :]]
