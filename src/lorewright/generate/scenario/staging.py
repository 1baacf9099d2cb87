"""Ground, a beginning and a cast -> the stage: its places, the ways between them, who stands where; and an errand on
it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from lorewright.errors import ScenarioError
from lorewright.generate.explore.joining import Path
from lorewright.generate.explore.placing import related_places
from lorewright.generate.explore.survey import Note, common_name, key_of
from lorewright.generate.scenario.ground import Ground, TellableItem
from lorewright.ids import content_hash, local, slug
from lorewright.index.keywords import content_words

# Lots: choices by seed and purpose, so that a new choice changes no other. The same in any process.

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Lot:
    """The lots of one seed. Another `attempt` with the same seed draws others."""

    seed: int
    attempt: int = 0

    def number(self, what: str, *, below: int) -> int:
        """Return a number from 0 to one less than `below`."""
        return int(content_hash(f"{self.seed}\n{self.attempt}\n{what}")[:12], 16) % below

    def pick(self, what: str, options: Sequence[T]) -> T:
        """Return one of the options.

        Raises:
            ValueError: there are none.
        """
        if not options:
            raise ValueError(f"there is nothing to choose from for {what}")
        return options[self.number(what, below=len(options))]

    def order(self, what: str, options: Sequence[T], key: Callable[[T], str]) -> list[T]:
        """Return the options in an order of the lot's own, by their keys alone."""
        return sorted(options, key=lambda option: content_hash(f"{self.seed}\n{self.attempt}\n{what}\n{key(option)}"))


# The stage: its places, the ways between them, who stands where.

FEWEST_PLACES, FEWEST_PEOPLE = 3, 2
_MOST_PLACES = 9
# People who live further from the beginning are met nearer to it: forty actions are a whole evening.
_FAR = 3
_ROOM_MINUTES = 5
# Names for members of groups whom no pack names. They belong to no character.
_GIVEN_NAMES = (
    *("Ansa", "Brel", "Corin", "Dace", "Edda", "Faro", "Gilian", "Hanne", "Ivo", "Juna", "Kell", "Lioba"),
    *("Maren", "Nils", "Oda", "Perrin", "Quill", "Rook", "Sanne", "Tove", "Ulla", "Vesper", "Wim", "Yara"),
)


@dataclass(frozen=True, slots=True)
class Speaker:
    """A candidate for the cast: a person of the packs, or a member of one of their groups (`speaks_for`), whom the
    scenario names. `homes` are the places that they are related to."""

    note: Note
    key: str
    name: str
    speaks_for: str = ""
    homes: tuple[str, ...] = ()
    knows: tuple[TellableItem, ...] = ()
    withholds: tuple[TellableItem, ...] = ()

    @property
    def id(self) -> str:
        """Return the ID of the note that they come from."""
        return self.note.id


@dataclass(frozen=True, slots=True)
class ScenarioPlaces:
    """Places by ID in the order in which they are met, beginning with the start; `rooms` are names of places that are
    the scenario's own; `ways` are the ways out of each; `at` is where each of the cast stands, by key."""

    places: tuple[str, ...]
    ways: Mapping[str, tuple[Path, ...]]
    cast: tuple[Speaker, ...]
    at: Mapping[str, str]
    rooms: Mapping[str, str] = field(default_factory=dict)

    @property
    def start(self) -> str:
        """Return where the player begins."""
        return self.places[0]

    def route(self, start: str, end: str) -> list[str]:
        """Return the places on the shortest way, without the first; every place leads to every other."""
        return route(self.ways, start, end) or []

    def moved(self, key: str, to: str) -> ScenarioPlaces:
        """Return the same places with somebody standing elsewhere."""
        return replace(self, at={**self.at, key: to})


def route(ways: Mapping[str, Sequence[Path]], start: str, end: str) -> list[str] | None:
    """Return the places on the shortest way from one place to another, without the first; None where none leads
    there."""
    before: dict[str, str] = {start: start}
    todo = deque([start])
    while todo:
        place = todo.popleft()
        if place == end:
            found = []
            while place != start:
                found.append(place)
                place = before[place]
            return found[::-1]
        for way in ways.get(place, ()):
            if way.to not in before:
                before[way.to] = place
                todo.append(way.to)
    return None


def speakers(ground: Ground, lot: Lot) -> list[Speaker]:
    """Return everybody who could be in the cast: people with something to tell, then members of groups; where few have
    something to tell all other people, too."""
    places = list(ground.ways)
    people, groups = ground.of_type("npc"), ground.groups
    homes = related_places(ground.survey, [*people, *groups], places)
    tellers = [note for note in people if ground.role(note.id, "knows") or ground.role(note.id, "withholds")]
    taken = {key_of(name) for name in ground.names.values()}
    free = [name for name in _GIVEN_NAMES if key_of(name) not in taken]
    given = dict(zip([note.id for note in groups], lot.order("names of members", free, str), strict=False))
    found = [_make_person(ground, note, homes) for note in tellers]
    found += [
        Speaker(note, given[note.id].lower(), given[note.id], ground.names[note.id], homes[note.id])
        for note in lot.order("groups", groups, lambda note: note.id)
        if note.id in given
    ]
    if len(tellers) < FEWEST_PEOPLE:
        found += [_make_person(ground, note, homes) for note in people if note not in tellers]
    return found


def _make_person(ground: Ground, note: Note, homes: Mapping[str, tuple[str, ...]]) -> Speaker:
    return Speaker(
        note,
        ground.key(note.id),
        ground.names[note.id],
        homes=homes[note.id],
        knows=ground.role(note.id, "knows"),
        withholds=ground.role(note.id, "withholds"),
    )


def set_stage(ground: Ground, start: str, cast: Sequence[Speaker], lot: Lot) -> ScenarioPlaces:
    """Return the places around a beginning, with the homes of the cast that are near, and everybody in one of them.

    Raises:
        ScenarioError: the packs have too few places or people; the hint says what to write.
    """
    near = _distances(ground, start)
    homes = [next((home for home in speaker.homes if home in near), None) for speaker in cast]
    places = _places_around(ground, start, [home for home in homes if home is not None], lot)
    ways = {place: tuple(way for way in ground.ways.get(place, ()) if way.to in places) for place in places}
    rooms = dict(_rooms(cast, wanted=FEWEST_PLACES - len(places)))
    for room, name in rooms.items():
        ways[start] = (*ways[start], Path(room, _ROOM_MINUTES, name))
        ways[room] = (Path(start, _ROOM_MINUTES),)
    places += list(rooms)
    if len(places) < FEWEST_PLACES or len(cast) < FEWEST_PEOPLE:
        raise too_little(ground, places=len(places), people=len(cast))
    at = dict(_positions(places, cast, homes, rooms, lot))
    return ScenarioPlaces(tuple(places), ways, tuple(cast), at, rooms)


def too_little(ground: Ground, *, places: int, people: int) -> ScenarioError:
    """Return the error that says what is missing in the packs, and what to write."""
    lacking = []
    if places < FEWEST_PLACES:
        lacking.append(f"{places} of at least {FEWEST_PLACES} places (notes of type location)")
    if people < FEWEST_PEOPLE:
        lacking.append(
            f"{people} of at least {FEWEST_PEOPLE} people (notes of type npc with a section Knows or Withholds, or of "
            "type faction)"
        )
    packs = ", ".join(ground.pack_ids)
    hint = "write them, or name another --pack beside it; see docs/packs.md"
    return ScenarioError(f"{packs} is too little for a scenario: it has {' and '.join(lacking)}", hint=hint)


def _distances(ground: Ground, start: str) -> dict[str, int]:
    """Return how far each place near the beginning is from it."""
    found, todo = {start: 0}, deque([start])
    while todo:
        place = todo.popleft()
        for other in ground.neighbours(place) if found[place] < _FAR else ():
            if other not in found:
                found[other] = found[place] + 1
                todo.append(other)
    return found


def _places_around(ground: Ground, start: str, homes: Iterable[str], lot: Lot) -> list[str]:
    """Return the beginning, the ways to the homes, and places beside them by lot."""
    both_ways = {place: tuple(Path(other, 1) for other in ground.neighbours(place)) for place in ground.ways}
    places = [start]
    for home in dict.fromkeys(homes):
        way = [step for step in route(both_ways, start, home) or () if step not in places]
        if len(places) + len(way) <= _MOST_PLACES:
            places += way
    wanted = max(len(places), FEWEST_PLACES + 1 + lot.number("how many places", below=4))
    while len(places) < wanted:
        beside = [neighbour for place in places for neighbour in ground.neighbours(place) if neighbour not in places]
        if not beside:
            break
        places.append(lot.pick(f"place {len(places)}", list(dict.fromkeys(beside))))
    return places


def _rooms(cast: Iterable[Speaker], *, wanted: int) -> Iterable[tuple[str, str]]:
    """Yield a room for each member of a group where the packs have too few places."""
    members = [speaker for speaker in cast if speaker.speaks_for]
    for member in members[: max(wanted, 0)]:
        group = member.speaks_for
        yield f"{member.key}_room", f"the rooms of {'the ' + group[4:] if group.startswith('The ') else group}"


def _positions(
    places: Sequence[str], cast: Sequence[Speaker], homes: Sequence[str | None], rooms: Collection[str], lot: Lot
) -> Iterable[tuple[str, str]]:
    taken: set[str] = set()
    for speaker, home in zip(cast, homes, strict=True):
        room = f"{speaker.key}_room"
        free = [place for place in places[1:] if place not in taken and place not in rooms] or list(places)
        at = room if room in rooms else home if home in places else lot.pick(f"where {speaker.id} is", free)
        assert at is not None
        taken.add(at)
        yield speaker.key, at


def score(words: Collection[str], about: Collection[str]) -> int:
    """Return how many of a brief's words a note is about."""
    return len(set(words) & set(about))


def words_of_brief(brief: str) -> list[str]:
    """Return the telling words of a brief."""
    return content_words(brief)


# Errands: who has the wanted thing, what persuades them, where it must go. The lines to the goal are known by
# construction.

# The goal: a thing in somebody's hand, a thing in a place, or news of something and its proof.
Aim = Literal["deliver", "bring", "testify"]
# What persuades a holder: another thing, an item that somebody knows or that a place hides, a good word.
Gate = Literal["token", "word", "find", "vouch"]

# Things of no particular world, for packs whose things are not to be carried away.
_THINGS = (
    *("sealed packet", "folded letter", "copied ledger", "tin box", "marked map", "stamped pass", "glass vial"),
    *("brass token", "torn ticket", "bundle of receipts", "grey envelope", "small recorder", "list of names"),
)


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing of the scenario: its key, its name, the pack's note of it if there is one."""

    key: str
    name: str
    entity: str | None = None

    @property
    def the(self) -> str:
        """Return its name within a sentence."""
        return within(self.name)

    @property
    def topics(self) -> tuple[str, ...]:
        """Return the words by which a player asks about it."""
        words = (slug(word) for word in content_words(self.name))
        return tuple(dict.fromkeys((*words, *((local(self.entity),) if self.entity else ()))))


@dataclass(frozen=True, slots=True)
class Errand:
    """The task of a scenario. `wanted` is with the `holder` and goes to `taker` (or lies with nobody: then it goes to
    `goal_place`); `token` is with the `helper`, who also knows `clue` where the gate is a word; where it is a find the
    clue is hidden in `clue_place`. `secret` is what the holder tells along with it."""

    aim: Aim
    gate: Gate
    holder: Speaker
    helper: Speaker
    wanted: Thing
    token: Thing
    goal_place: str
    taker: Speaker | None = None
    rival: Speaker | None = None
    clue: TellableItem | None = None
    clue_place: str | None = None
    secret: TellableItem | None = None


def within(name: str) -> str:
    """Return a name as it stands within a sentence: `the Clinic` for `The Clinic`, `the tin box` for `tin box`."""
    if name.startswith("The "):
        return "the " + name[4:]
    return f"the {name}" if name[:1].islower() and not name.startswith("the ") else name


def plan_errand(ground: Ground, stage: ScenarioPlaces, lot: Lot, brief: str = "") -> tuple[Errand, ScenarioPlaces]:
    """Return an errand on a stage, and the stage with everybody where the errand needs them. It is about a thing that
    the brief names, if it names one."""
    holder, helper = _choose_holder_and_helper(stage, lot)
    others = [speaker for speaker in stage.cast if speaker not in (holder, helper)]
    aims: list[Aim] = ["bring"]
    if others:
        aims += ["deliver", "deliver"]
        if holder.withholds:
            aims += ["testify", "testify"]
    aim = lot.pick("aim", aims)
    taker = others[0] if aim != "bring" else None
    rest = [other for other in others if other is not taker]
    stage = _spread_out(stage, holder, helper, taker, lot)
    at = stage.at[holder.key]
    goal = stage.at[taker.key] if taker is not None else _far_from(stage, at, lot)
    hidden = [(place, told) for place in stage.places if place != at for told in _hidden_in(ground, place)]
    gates: list[Gate] = ["token", "vouch"]
    gates += ["word", "word"] if helper.knows else []
    gates += ["find", "find"] if hidden else []
    gate = lot.pick("gate", gates)
    clue_place, clue = lot.pick("hidden clue", hidden) if gate == "find" else (None, None)
    wanted, token = _choose_things(ground, stage, (holder,), lot, words_of_brief(brief))
    errand = Errand(
        aim,
        gate,
        holder,
        helper,
        wanted,
        token,
        goal,
        taker=taker,
        rival=rest[0] if rest and taker is not None else None,
        clue=lot.pick("clue", helper.knows) if gate == "word" else clue,
        clue_place=clue_place,
        secret=lot.pick("secret", holder.withholds) if aim == "testify" else None,
    )
    return errand, stage


def _choose_holder_and_helper(stage: ScenarioPlaces, lot: Lot) -> tuple[Speaker, Speaker]:
    """Return the holder and the helper: by the order of the cast, people who have nothing to tell last."""
    tellers = [speaker for speaker in stage.cast if speaker.knows or speaker.withholds]
    order = [*tellers, *(speaker for speaker in stage.cast if speaker not in tellers)]
    holder, helper = order[:2]
    return (helper, holder) if helper.withholds and lot.number("swap", below=2) else (holder, helper)


def _spread_out(
    stage: ScenarioPlaces, holder: Speaker, helper: Speaker, taker: Speaker | None, lot: Lot
) -> ScenarioPlaces:
    """Return the stage with holder and helper apart, and the taker somewhere else than the holder: an errand needs a
    way."""
    if stage.at[helper.key] == stage.at[holder.key]:
        stage = stage.moved(helper.key, _far_from(stage, stage.at[holder.key], lot))
    if taker is not None and stage.at[taker.key] == stage.at[holder.key]:
        stage = stage.moved(taker.key, _far_from(stage, stage.at[holder.key], lot))
    return stage


def _far_from(stage: ScenarioPlaces, place: str, lot: Lot) -> str:
    """Return a place some way off: one of the two that are furthest."""
    others = [other for other in stage.places if other != place]
    ranked = sorted(others, key=lambda other: (-len(stage.route(place, other)), stage.places.index(other)))
    return lot.pick(f"far from {place}", ranked[:2])


def _hidden_in(ground: Ground, place: str) -> Iterator[TellableItem]:
    yield from (item for item in ground.role(place, "discoverable") if item.trigger)


def _choose_things(
    ground: Ground, stage: ScenarioPlaces, hands: Sequence[Speaker], lot: Lot, brief: Sequence[str]
) -> tuple[Thing, Thing]:
    """Return two things that no word confuses. The first is one of the packs' own that the brief names; else one that
    is related to one of these people, or to nobody, and to no place: things that belong to a place are not carried
    about."""
    owners = {hand.id for hand in hands}
    named = {target for hand in hands for target in hand.note.links}
    fixed = {target for place in ground.ways for target in ground.survey.notes[place].links} | set(ground.ways)
    held = [note for note in ground.loose_things if _can_be_held(note)]
    asked = [note for note in held if score(brief, ground.about.get(note.id, ()))]
    asked.sort(key=lambda note: -score(brief, ground.about[note.id]))
    movable = [note for note in held if note.id not in fixed and not fixed.intersection(note.links)]
    own = [note for note in movable if note.id in named or owners.intersection(note.links)]
    people_of_all = {note.id for note in ground.of_type("npc")}
    own = own or [note for note in movable if not people_of_all.intersection(note.links)]
    made = [Thing(f"{slug(name).replace('-', '_')}_thing", name) for name in lot.order("things", _THINGS, str)]
    chosen = asked[:1] or own[:2]
    of_pack = [Thing(f"{local(note.id)}_thing", common_name(ground.names[note.id]), note.id) for note in chosen]
    people = {word for speaker in stage.cast for word in content_words(speaker.name)}
    # At most one of the packs' own: two would need reasons why they are not with their owners.
    first = lot.pick("wanted", of_pack or made[:1])
    rest = [thing for thing in made if thing is not first and not set(thing.topics) & (set(first.topics) | people)]
    return first, rest[0]


def _can_be_held(note: Note) -> bool:
    """Return False for a title that is plural: it is a kind of thing, which nobody can put into a pocket."""
    last = note.entity.name.split()[-1].casefold()
    return not last.endswith("s") or last.endswith("ss")
