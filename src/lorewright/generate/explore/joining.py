"""Ties between places -> the ways between them: every place can be reached from every other, none has too many ways.

Authored exits come first, then links, strongest first, as long as each joins two separate parts. Parts that are still
separate are joined by the closest relation that there is: a rare tag, a folder, at last the pack itself. The other
links make round trips where there is room.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

# More ways are too many for a sentence; authored exits are all kept.
MOST_WAYS = 5
_BRANCHES = 3
LINKED_MINUTES, JOINED_MINUTES = 5, 10


@dataclass(frozen=True, slots=True)
class Tied:
    """A place with its ties. `keys` are what it may share with others, each with how near that makes them (higher is
    nearer); `title` is the words of its name, which may be such a key itself."""

    id: str
    keys: Mapping[str, int] = field(default_factory=dict)
    title: str = ""
    weight: int = 0


@dataclass(frozen=True, slots=True)
class Path:
    """A way from one place to another; without a name it is called after the place that it leads to."""

    to: str
    minutes: int
    name: str | None = None


@dataclass(frozen=True, slots=True)
class AuthoredPath:
    """An exit that the pack's author wrote."""

    start: str
    path: Path
    one_way: bool = False


class _Map:
    """The ways found so far, and which places they join."""

    def __init__(self, places: Iterable[Tied]) -> None:
        self.places = {place.id: place for place in places}
        self.order = {place_id: number for number, place_id in enumerate(self.places)}
        self.paths: dict[str, dict[str, Path]] = {place_id: {} for place_id in self.places}
        self._parent = {place_id: place_id for place_id in self.places}
        self._members: dict[str, list[str]] = {place_id: [place_id] for place_id in self.places}

    def root(self, place_id: str) -> str:
        while self._parent[place_id] != place_id:
            self._parent[place_id] = self._parent[self._parent[place_id]]
            place_id = self._parent[place_id]
        return place_id

    def unite(self, a: str, b: str) -> None:
        a, b = self.root(a), self.root(b)
        if a == b:
            return
        if len(self._members[a]) < len(self._members[b]):
            a, b = b, a
        self._parent[b] = a
        self._members[a] += self._members.pop(b)

    def has_room(self, place_id: str) -> bool:
        return len(self.paths[place_id]) < MOST_WAYS

    def connect(self, a: str, b: str, minutes: int) -> None:
        self.paths[a].setdefault(b, Path(b, minutes))
        self.paths[b].setdefault(a, Path(a, minutes))
        self.unite(a, b)

    def gate(self, of: str, among: Iterable[str] = ()) -> str:
        """Return where a new way into the part of a place is best made: there, near by, or wherever there is room."""
        if self.has_room(of):
            return of
        near = [place_id for place_id in among if self.root(place_id) == self.root(of) and self.has_room(place_id)]
        anywhere = [member for member in self._members[self.root(of)] if self.has_room(member)]
        return min(near or anywhere or self._members[self.root(of)], key=self._fullness)

    def _fullness(self, place_id: str) -> tuple[int, int]:
        return (len(self.paths[place_id]), self.order[place_id])

    def first(self, place_id: str) -> tuple[int, int]:
        """Return a key that sorts the best tied place first, then in the order of the files."""
        return (-self.places[place_id].weight, self.order[place_id])

    def parts(self, among: Iterable[str]) -> dict[str, list[str]]:
        """Return the places by the parts that they are joined to so far."""
        found: dict[str, list[str]] = {}
        for place_id in among:
            found.setdefault(self.root(place_id), []).append(place_id)
        return found


def join_places(
    places: Sequence[Tied], authored: Iterable[AuthoredPath], links: Mapping[tuple[str, str], int]
) -> dict[str, tuple[Path, ...]]:
    """Return the ways out of each place. `links` are pairs of places with how strong each is (higher is stronger).

    Every place can be reached from every other. Deterministic in the order of the places.
    """
    found = _Map(places)
    authored = list(authored)
    _add_authored(found, authored)
    # A link that says where a chute leads is no way back up.
    one_way = {frozenset((way.start, way.path.to)) for way in authored if way.one_way}
    linked = [pair for pair in links if frozenset(pair) not in one_way]
    ranked = sorted(linked, key=lambda pair: (-links[pair], found.order[pair[0]], found.order[pair[1]]))
    for a, b in ranked:
        if found.root(a) != found.root(b) and found.has_room(a) and found.has_room(b):
            found.connect(a, b, LINKED_MINUTES)
    for key, members in _shared_relations(places):
        _join(found, members, hub=key)
    _join(found, list(found.places))
    for a, b in ranked:
        if b not in found.paths[a] and found.has_room(a) and found.has_room(b):
            found.connect(a, b, LINKED_MINUTES)
    return {place_id: tuple(paths.values()) for place_id, paths in found.paths.items()}


def _add_authored(found: _Map, authored: Iterable[AuthoredPath]) -> None:
    kept = [exit_ for exit_ in authored if exit_.path.to in found.paths and exit_.path.to != exit_.start]
    for exit_ in kept:
        found.paths[exit_.start].setdefault(exit_.path.to, exit_.path)
    for exit_ in kept:
        if not exit_.one_way:
            found.paths[exit_.path.to].setdefault(exit_.start, Path(exit_.start, exit_.path.minutes))
            found.unite(exit_.start, exit_.path.to)


def _shared_relations(places: Sequence[Tied]) -> list[tuple[str, list[str]]]:
    """Return each relation that several places share, with those places: the nearest first, the rarer before the common
    one."""
    members: dict[str, list[str]] = {}
    near: dict[str, int] = {}
    for place in places:
        for key, nearness in place.keys.items():
            members.setdefault(key, []).append(place.id)
            near[key] = nearness
    titled = {place.title: place.id for place in reversed(places) if place.title}
    for key, of_key in members.items():
        named = titled.get(key)
        if named is not None and named not in of_key:
            of_key.append(named)
    several = [key for key, of_key in members.items() if len(of_key) > 1]
    return [(key, members[key]) for key in sorted(several, key=lambda key: (-near[key], len(members[key]), key))]


def _join(found: _Map, members: Sequence[str], *, hub: str = "") -> None:
    """Join the separate parts among the members: a tree with few branches, with the place that bears the key's name at
    its root."""
    parts = found.parts(members)
    if len(parts) < 2:
        return
    heads = [min(part, key=found.first) for part in parts.values()]
    heads.sort(key=lambda head: (found.places[head].title != hub, found.first(head)))
    for number in range(1, len(heads)):
        above, below = heads[(number - 1) // _BRANCHES], heads[number]
        found.connect(found.gate(above, members), found.gate(below, members), JOINED_MINUTES)
