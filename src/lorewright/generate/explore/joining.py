"""Places and what ties them -> ways between them: every place can be reached from every other, none has too many ways.

Authored exits come first, then links, strongest first, as long as each joins what was apart. What is still apart is
joined by the closest relation that there is: a rare tag, a folder, at last the pack itself. Links that are left make
round trips where there is room.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

# More ways than this are not read in one sentence; authored exits are kept however many they are.
MOST_WAYS = 5
_BRANCHES = 3
LINKED_MINUTES, JOINED_MINUTES = 5, 10


@dataclass(frozen=True, slots=True)
class Tied:
    """A place as joining sees it. `keys` are what it may share with others, each with how near that makes them (higher
    is nearer); `title` is the words of its name, which may be such a key itself."""

    id: str
    keys: Mapping[str, int] = field(default_factory=dict)
    title: str = ""
    weight: int = 0


@dataclass(frozen=True, slots=True)
class Path:
    """A way from one place to another; without a name it is called as where it leads."""

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
        self.order = {one: number for number, one in enumerate(self.places)}
        self.paths: dict[str, dict[str, Path]] = {one: {} for one in self.places}
        self._parent = {one: one for one in self.places}
        self._members: dict[str, list[str]] = {one: [one] for one in self.places}

    def root(self, one: str) -> str:
        while self._parent[one] != one:
            self._parent[one] = self._parent[self._parent[one]]
            one = self._parent[one]
        return one

    def unite(self, a: str, b: str) -> None:
        a, b = self.root(a), self.root(b)
        if a == b:
            return
        if len(self._members[a]) < len(self._members[b]):
            a, b = b, a
        self._parent[b] = a
        self._members[a] += self._members.pop(b)

    def has_room(self, one: str) -> bool:
        return len(self.paths[one]) < MOST_WAYS

    def connect(self, a: str, b: str, minutes: int) -> None:
        self.paths[a].setdefault(b, Path(b, minutes))
        self.paths[b].setdefault(a, Path(a, minutes))
        self.unite(a, b)

    def gate(self, of: str, among: Iterable[str] = ()) -> str:
        """Where a new way into what a place belongs to is best made: there, near by, or wherever there is room."""
        if self.has_room(of):
            return of
        near = [one for one in among if self.root(one) == self.root(of) and self.has_room(one)]
        anywhere = [one for one in self._members[self.root(of)] if self.has_room(one)]
        return min(near or anywhere or self._members[self.root(of)], key=self._fullness)

    def _fullness(self, one: str) -> tuple[int, int]:
        return (len(self.paths[one]), self.order[one])

    def first(self, one: str) -> tuple[int, int]:
        """Sorts the best tied place first, then as the files stand."""
        return (-self.places[one].weight, self.order[one])

    def parts(self, among: Iterable[str]) -> dict[str, list[str]]:
        """The places by what they are joined to so far."""
        found: dict[str, list[str]] = {}
        for one in among:
            found.setdefault(self.root(one), []).append(one)
        return found


def joined(
    places: Sequence[Tied], authored: Iterable[AuthoredPath], links: Mapping[tuple[str, str], int]
) -> dict[str, tuple[Path, ...]]:
    """The ways out of each place. `links` are pairs of places with how strong each is (higher is stronger).

    Every place can be reached from every other. Deterministic in the order of the places.
    """
    found = _Map(places)
    _author(found, authored)
    ranked = sorted(links, key=lambda pair: (-links[pair], found.order[pair[0]], found.order[pair[1]]))
    for a, b in ranked:
        if found.root(a) != found.root(b) and found.has_room(a) and found.has_room(b):
            found.connect(a, b, LINKED_MINUTES)
    for key, members in _shared(places):
        _join(found, members, hub=key)
    _join(found, list(found.places))
    for a, b in ranked:
        if b not in found.paths[a] and found.has_room(a) and found.has_room(b):
            found.connect(a, b, LINKED_MINUTES)
    return {one: tuple(paths.values()) for one, paths in found.paths.items()}


def _author(found: _Map, authored: Iterable[AuthoredPath]) -> None:
    kept = [one for one in authored if one.path.to in found.paths and one.path.to != one.start]
    for one in kept:
        found.paths[one.start].setdefault(one.path.to, one.path)
    for one in kept:
        if not one.one_way:
            found.paths[one.path.to].setdefault(one.start, Path(one.start, one.path.minutes))
            found.unite(one.start, one.path.to)


def _shared(places: Sequence[Tied]) -> list[tuple[str, list[str]]]:
    """What several places share, with those that do: the nearest relation first, the rarer before the common one."""
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
    """Make one of what is apart among the members: a tree with few branches, what bears the key's name at its root."""
    parts = found.parts(members)
    if len(parts) < 2:
        return
    heads = [min(part, key=found.first) for part in parts.values()]
    heads.sort(key=lambda one: (found.places[one].title != hub, found.first(one)))
    for number in range(1, len(heads)):
        above, below = heads[(number - 1) // _BRANCHES], heads[number]
        found.connect(found.gate(above, members), found.gate(below, members), JOINED_MINUTES)
