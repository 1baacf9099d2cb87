"""Survey and seed -> an ordinary Scenario: places, people, things, threads; no rules and no ending."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from lorewright.campaigns.scenarios.names import PLAYER_NAMES
from lorewright.campaigns.scenarios.scenario import Scenario
from lorewright.generate.explore.initiative import with_initiative
from lorewright.generate.explore.joining import AuthoredPath, Path, Tied, join_places
from lorewright.generate.explore.placing import MOST_PEOPLE, MOST_THINGS, place_notes, whereabouts
from lorewright.generate.explore.survey import (
    Note,
    Survey,
    Titled,
    common_name,
    display_name,
    distinct_names,
)
from lorewright.ids import local, shown_item, slug
from lorewright.rules.rulesets import TurnProfile
from lorewright.rules.verbs import typed
from lorewright.world.state import CHARTED_TAG, OFFSTAGE, SHELF_TAG

# Shelves for a pack without places: a room for each folder, a few notes in each, and the ways between.
#
# Such a pack is a reference work, and is shown as one: notes lie on shelves, and the text of a note is told as common
# knowledge. Nobody is made to live in a rules book.

# As many things as a sentence lists.
NOTES_ON_A_SHELF = 6
# Two ways down in its own folder, two down among its neighbours, one back: no shelf has more than five ways.
_BRANCHES = 2

_INDEX_STEMS = ("index", "_index", "home")


@dataclass(slots=True)
class MadeRoom:
    """A room: its key, its name, the notes on it, the shelves that it leads to."""

    key: str
    name: str = ""
    notes: list[Note] = field(default_factory=list)
    ways: list[str] = field(default_factory=list)


def shelves(notes: Sequence[Note]) -> list[MadeRoom]:
    """Return the shelves of the notes, the entrance first; every shelf can be reached from every other."""
    by_folder: dict[tuple[str, ...], list[Note]] = {(): []}
    for note in notes:
        for depth in range(len(note.folder) + 1):
            by_folder.setdefault(note.folder[:depth], [])
        by_folder[note.folder].append(note)
    order = sorted(by_folder)
    made = {folder: _of_folder(number, by_folder[folder]) for number, folder in enumerate(order)}
    names = distinct_names(_shelf_titles(made))
    for folder in order:
        _connect_as_tree([*made[folder]])
        below = [made[child][0] for child in order if len(child) == len(folder) + 1 and child[: len(folder)] == folder]
        _connect_as_tree([made[folder][-1] if len(made[folder]) > 1 else made[folder][0], *below])
    rooms = [shelf for folder in order for shelf in made[folder]]
    for shelf in rooms:
        shelf.name = names[shelf.key]
    return rooms


def _of_folder(number: int, notes: Sequence[Note]) -> list[MadeRoom]:
    ordered = sorted(
        notes, key=lambda note: (not _is_index(note), display_name(note.entity.name).casefold(), note.order)
    )
    parts = [ordered[start : start + NOTES_ON_A_SHELF] for start in range(0, len(ordered), NOTES_ON_A_SHELF)] or [[]]
    return [MadeRoom(f"the shelf {number}-{part}", notes=list(on)) for part, on in enumerate(parts, start=1)]


def _is_index(note: Note) -> bool:
    stem = note.entity.file_path.rpartition("/")[2].rpartition(".")[0].casefold()
    return stem in _INDEX_STEMS


def _shelf_titles(made: Mapping[tuple[str, ...], list[MadeRoom]]) -> list[Titled]:
    """Return titles such as `The shelf Spells`, `The shelf Spells F`: by the folder and, where it has several shelves,
    by the first note."""
    titled = []
    for folder, rooms in made.items():
        title = folder[-1].replace("-", " ").replace("_", " ") if folder else ""
        shown = display_name(title)
        name = f"The shelf {shown[:1].upper()}{shown[1:]}" if folder else "The front shelf"
        above = folder[-2] if len(folder) > 1 else ""
        for number, shelf in enumerate(rooms):
            first = display_name(shelf.notes[0].entity.name)[:1].upper() if number and shelf.notes else ""
            titled.append(Titled(shelf.key, f"{name} {first}".strip(), apart="" if number else above))
    return titled


def _connect_as_tree(rooms: Sequence[MadeRoom]) -> None:
    for number in range(1, len(rooms)):
        above, below = rooms[(number - 1) // _BRANCHES], rooms[number]
        above.ways.append(below.key)
        below.ways.append(above.key)


# The demo of a scenario, about ten lines: look, go, ask, search.

_LINES = 10


def demo_lines(scenario: Scenario) -> list[str]:
    """Return sensible lines from the map alone: in each place a look, then a person or a thing, a search, and on."""
    lines: list[str] = []
    place, been = scenario.start, {scenario.start}
    while len(lines) < _LINES:
        people = [member.name for member in scenario.cast.values() if member.at == place and member.name]
        things = [thing.name for thing in scenario.things.values() if thing.at == place]
        lines += typed("glance")
        lines += [line for name in (*people[:1], *things[:2]) for line in typed("examine", thing=name)]
        lines += typed("question", person=people[0], topic=_subject(scenario)) if people else []
        lines += [] if things else typed("find")
        ways = [way.to for way in scenario.places[place].exits.values() if way.to not in been]
        if not ways:
            break
        place = ways[0]
        been.add(place)
        lines += typed("travel", place=scenario.places[place].name or place)
    return lines[: _LINES + 1]


def _subject(scenario: Scenario) -> str:
    return scenario.places[scenario.start].name or "this place"


# The scenario of a walk: places, people, things, threads.

# Fewer places among so many notes are no map to walk on.
_FEW_PLACES, _NOTES_A_PLACE = 5, 20
_MOST_FACTIONS = 60
_MOST_RELATED = 6
# How near a relation makes two places: a note that links both, a tag, then a folder, deeper folders nearer.
_LIST_NEARNESS, _TAG_NEARNESS = 60, 50


def has_map(survey: Survey) -> bool:
    """Tell whether a pack has places enough to walk in; else its folders are walked as shelves. Among very many notes a
    few that were taken for places are none."""
    places = len(survey.of_type("location"))
    told = sum(note.id not in survey.guesses for note in survey.of_type("location"))
    return told >= _FEW_PLACES or places * _NOTES_A_PLACE >= len(survey.notes) > 0 < places


def make_scenario(survey: Survey, *, seed: int, profile: TurnProfile | None = None) -> Scenario:
    """Return the scenario of a walk; the same survey and seed give the same scenario. Where the cast has rounds of its
    own in the profile, everybody has something that they do."""
    made = _make_walk(survey, seed) if has_map(survey) else _make_library(survey)
    made["cast"] = with_initiative(survey, made["cast"], seed=seed, profile=profile, key_of=key_of_note)
    lasting = {
        "id": scenario_id(survey.pack_id),
        "name": f"A walk in {display_name(survey.pack_name, fallback=survey.pack_id)}",
        "content_packs": [survey.pack_id],
        **({"profile": profile} if profile is not None else {}),
        "player": {"name": "the visitor", "pronoun": "they"},
        "threads": _threads(survey, made),
        # Conditions of the pack read these; nothing moves them, and their names may be secrets.
        "clocks": {
            clock: {"name": f"Clock {number}", "max": most}
            for number, (clock, most) in enumerate(survey.clocks.items(), start=1)
        },
    }
    scenario = Scenario.model_validate({**lasting, **made})
    return scenario.model_copy(update={"demo": tuple(demo_lines(scenario)), "demo_seed": seed})


def scenario_id(pack_id: str) -> str:
    """Return the ID of the walk in a pack, and of its campaign."""
    return f"explore_{pack_id}"[:100]


def _make_walk(survey: Survey, seed: int) -> dict[str, Any]:
    places, people = survey.of_type("location"), survey.of_type("npc")
    found = only_found(survey, places)
    things = [note for note in survey.of_type("item") if note.id not in found]
    hidden = [survey.notes[note_id] for note_id in found]
    factions = survey.of_type("faction")[:_MOST_FACTIONS]
    readings = readings_of(survey)
    names = names_of_notes([*places, *people, *things, *hidden, *factions])
    ids = [place.id for place in places]
    start = min(places, key=lambda place: (-_weights(survey)[place.id], place.order))
    if survey.places_all:
        placed = place_notes(survey, ids, people, things, readings, start=start.id, seed=seed)
        at, left = placed.at, placed.left
    else:
        at, left = whereabouts(survey, people, ids, seed=seed, most=MOST_PEOPLE), ()
        at |= whereabouts(survey, things, ids, seed=seed, most=MOST_THINGS)
    ways = ways_between(places, *(_ways_of_others(survey, at) if survey.places_all else ()))
    made: dict[str, Any] = {
        "summary": "A walk through the places of the notes, as the notes tell of them.",
        "intro_seed": _intro(names[start.id], [names[path.to] for path in ways[start.id]]),
        "start": key_of_note(start.id),
        "places": {
            key_of_note(entity_id): {"name": names[entity_id], "exits": exits_of(ways[entity_id], names)}
            for entity_id in ids
        },
        "cast": {key_of_note(note.id): {"at": key_of_note(at[note.id]), "name": names[note.id]} for note in people},
        "things": {
            **{thing_key(note): _make_thing(note, names, at=key_of_note(at[note.id])) for note in things},
            **{thing_key(note): _make_thing(note, names) for note in hidden},
        },
        "finds": _finds(survey, found),
        "entities": [{"id": key_of_note(note.id), "type": "faction", "name": names[note.id]} for note in factions],
    }
    return _with_readings(made, [note for note in readings if note.id in at], left, at) if survey.places_all else made


def readings_of(survey: Survey) -> list[Note]:
    """Return the notes that a walk shows as something to read: neither places nor people nor things. None where the
    pack's author has said of every note what it is."""
    told = ("location", "npc", "item")
    return [note for note in survey.notes.values() if survey.places_all and note.entity.type not in told]


def _ways_of_others(survey: Survey, at: Mapping[str, str]) -> tuple[list[tuple[str, str]], dict[str, list[str]]]:
    """Return pairs of places that are joined by what stands in the first and names the second; and for each note the
    notes that link it."""
    pairs = [(place_id, target) for note_id, place_id in at.items() for target in survey.notes[note_id].links]
    listed: dict[str, list[str]] = {}
    for note in survey.notes.values():
        for target in note.links:
            listed.setdefault(target, []).append(note.id)
    return [(a, b) for a, b in pairs if a != b], listed


def _with_readings(
    made: dict[str, Any], placed: Sequence[Note], left: Sequence[Note], at: Mapping[str, str]
) -> dict[str, Any]:
    """Return a walk with the notes that are read in their places, and shelves behind the start for those that are left.
    One walks by name to places that one has only read of."""
    rooms = shelves(left) if left else []
    taken = [entry["name"] for part in ("places", "cast", "things", "entities") for entry in _entries(made[part])]
    room_names = distinct_names([Titled(room.key, room.name) for room in rooms], taken=taken)
    titles = distinct_names(
        [Titled(note.id, f"the note on {_lower_article(display_name(note.entity.name))}") for note in (*placed, *left)],
        taken=[*taken, *room_names.values()],
    )
    on_shelf = {note.id: room.key for room in rooms for note in room.notes}
    places = {**made["places"], **_shelf_places(rooms, room_names)}
    if rooms:
        start, first = made["start"], rooms[0].key
        places[start]["exits"][room_names[first]] = {"to": first}
        places[first]["exits"][places[start]["name"]] = {"to": start}
    for place in places.values():
        place["tags"] = (*place.get("tags", ()), CHARTED_TAG)
    things = {
        thing_key(note): {
            "name": titles[note.id],
            "entity": note.id,
            "at": on_shelf[note.id] if note.id in on_shelf else key_of_note(at[note.id]),
        }
        for note in (*placed, *left)
    }
    return {**made, "places": places, "things": {**made["things"], **things}}


def _entries(part: Mapping[str, Any] | Sequence[Any]) -> Iterable[Any]:
    return part.values() if isinstance(part, Mapping) else part


def _shelf_places(rooms: Sequence[MadeRoom], names: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    return {
        room.key: {
            "name": names[room.key],
            "tags": (SHELF_TAG,),
            "exits": {names[way]: {"to": way} for way in dict.fromkeys(room.ways)},
        }
        for room in rooms
    }


def _make_library(survey: Survey) -> dict[str, Any]:
    notes = [note for note in survey.notes.values() if note.has_text or survey.places_all]
    rooms = shelves(notes)
    room_names = {room.key: room.name for room in rooms}
    names = names_of_notes(notes, taken=room_names.values())
    first = rooms[0]
    people = {note.id for note in survey.of_type("npc") if has_people(survey)}
    return {
        "summary": f"{len(notes):,} notes on {len(rooms):,} shelves: this pack has no map of its own.",
        "intro_seed": _library_intro(first.name, [room_names[way] for way in first.ways]),
        "start": first.key,
        "places": _shelf_places(rooms, room_names),
        "cast": {
            key_of_note(note.id): {"at": room.key, "name": names[note.id]}
            for room in rooms
            for note in room.notes
            if note.id in people
        },
        "things": {
            thing_key(note): _make_thing(note, names, at=room.key, on_shelf=True)
            for room in rooms
            for note in room.notes
            if note.id not in people
        },
    }


def has_people(survey: Survey) -> bool:
    """Tell whether the notes tell of people enough for some to stand among the shelves."""
    people = len(survey.of_type("npc"))
    return survey.places_all and people * _NOTES_A_PLACE >= len(survey.notes)


def key_of_note(note_id: str) -> str:
    """Return the name of a note in a scenario: its ID without the pack, except for the words that mean somebody else
    there."""
    bare = local(note_id)
    return note_id if bare in (*PLAYER_NAMES, OFFSTAGE) else bare


def thing_key(note: Note) -> str:
    """Return the key of a note's thing in a scenario: no note can have it as its ID."""
    return f"the thing {local(note.id)}"


def _make_thing(
    note: Note, names: Mapping[str, str], *, at: str | None = None, on_shelf: bool = False
) -> dict[str, Any]:
    # A shelf holds the note with its title, any other place the thing itself.
    thing = {"name": names[note.id] if on_shelf else common_name(names[note.id]), "entity": note.id}
    return thing if at is None else {**thing, "at": at}


def names_of_notes(notes: Sequence[Note], *, taken: Iterable[str] = ()) -> dict[str, str]:
    """Return a name for each note, by its ID, no two alike and none equal to a taken one."""
    return distinct_names(
        (
            Titled(
                note.id,
                note.entity.name,
                fallback=note.entity.file_path.rpartition("/")[2].rpartition(".")[0],
                apart=note.folder[-1] if note.folder else "",
            )
            for note in notes
        ),
        taken=taken,
    )


def _weights(survey: Survey) -> dict[str, int]:
    """Return how well each note is linked: the number of notes that it names, or that name it."""
    near: dict[str, set[str]] = {note_id: set(note.links) for note_id, note in survey.notes.items()}
    for note_id, note in survey.notes.items():
        for target in (*note.links, *note.mentions):
            near[target].add(note_id)
    return {note_id: len(others) for note_id, others in near.items()}


def ways_between(
    places: Sequence[Note],
    others: Iterable[tuple[str, str]] = (),
    listed: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> dict[str, tuple[Path, ...]]:
    """Return the ways out of each place, so that every place can be reached from every other: authored exits, then
    links, then `others` that are related, then any other relation. `listed` holds the notes that link each place:
    those that the same note links are near to each other."""
    links = _links_between(places)
    order = {place.id: place.order for place in places}
    for pair in others:
        if all(place_id in order for place_id in pair):
            a, b = sorted(pair, key=order.__getitem__)
            links[a, b] = links.get((a, b), 0) + 1
    ties = [_ties_of(place, listed.get(place.id, ())) for place in places]
    return join_places(ties, _authored_paths(places), links)


def _ties_of(place: Note, listed_by: Iterable[str]) -> Tied:
    keys = {slug(tag): _TAG_NEARNESS for tag in place.entity.tags}
    keys |= {f"note {note_id}": _LIST_NEARNESS for note_id in listed_by}
    folders = ["/".join(place.folder[:depth]) for depth in range(1, len(place.folder) + 1)]
    keys |= {f"folder {folder}": depth for depth, folder in enumerate(folders, start=1)}
    return Tied(place.id, keys, title=slug(place.entity.name), weight=len(place.links) + len(place.mentions))


def _authored_paths(places: Sequence[Note]) -> list[AuthoredPath]:
    return [
        AuthoredPath(place.id, Path(way.to, way.minutes, _exit_name(way.name, way.to)), way.one_way)
        for place in places
        for way in place.ways
    ]


def _exit_name(name: str, to: str) -> str | None:
    """Return the author's name of the way; None where that is no more than an ID: the place's name is better."""
    return None if name == local(to) else display_name(name)


def _links_between(places: Sequence[Note]) -> dict[tuple[str, str], int]:
    """Return how strongly two places are tied: a link counts more than a mention, and both ways more than one."""
    order = {place.id: place.order for place in places}
    found: dict[tuple[str, str], int] = {}
    for place in places:
        for strength, targets in ((2, place.links), (1, place.mentions)):
            for other in (target for target in targets if target in order):
                a, b = sorted((place.id, other), key=order.__getitem__)
                found[a, b] = found.get((a, b), 0) + strength
    return found


def exits_of(paths: Sequence[Path], names: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return ways as a scenario's exits: by the author's name for each, else by the name of the place."""
    exits: dict[str, dict[str, Any]] = {}
    for path in paths:
        name = path.name if path.name and path.name not in exits else names[path.to]
        exits[name] = {"to": key_of_note(path.to), "minutes": path.minutes}
    return exits


def only_found(survey: Survey, places: Sequence[Note]) -> dict[str, str]:
    """Return the things that only a search brings to light, each with the hidden item that names it first. Things that
    a place names openly, or that name a place, lie there for all to see."""
    ids = {place.id for place in places}
    openly = {target for place in places for target in place.links}
    openly |= {note.id for note in survey.of_type("item") if ids.intersection(note.links)}
    found: dict[str, str] = {}
    for item in survey.finds:
        for name in item.names:
            if name not in openly:
                found.setdefault(name, item.item_id)
    return found


def _finds(survey: Survey, found: Mapping[str, str]) -> dict[str, list[dict[str, str]]]:
    """Return for each place the things that a hidden item names: each comes to lie there once the item was found."""
    at = {item.item_id: key_of_note(item.place_id) for item in survey.finds}
    finds: dict[str, list[dict[str, str]]] = {}
    for name, item_id in found.items():
        put = {"put": thing_key(survey.notes[name]), "at": at[item_id]}
        finds.setdefault(shown_item(item_id), []).append(put)
    return finds


def _threads(survey: Survey, made: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the threads that open text names, each with those of its notes that are in the walk."""
    placed = {*made["places"], *made.get("cast", ())}
    related: dict[str, list[str]] = {thread: [] for thread in survey.threads}
    for note in survey.notes.values():
        for thread in note.threads:
            about = related.setdefault(thread, [])
            if key_of_note(note.id) in placed and len(about) < _MOST_RELATED:
                about.append(key_of_note(note.id))
    openly = {thread for note in survey.notes.values() for thread in note.threads}
    return {
        thread: {"title": _thread_title(thread) if thread in openly else "Something open", "related": about}
        for thread, about in related.items()
    }


def _thread_title(thread: str) -> str:
    title = display_name(thread.replace("_", " ").replace("-", " "))
    return title[:1].upper() + title[1:]


def _intro(start: str, ways: Sequence[str]) -> str:
    first = f"You begin at {_lower_article(start)}, and nobody has asked you to do anything."
    onward = (
        f"From here one can go to {_join_names([_lower_article(way) for way in ways])}."
        if ways
        else "It is the only place that the notes tell of."
    )
    return f"{first} {onward} What is said here is what the notes say; look, ask and search for the rest."


def _library_intro(start: str, ways: Sequence[str]) -> str:
    first = f"These notes tell of no places, so they stand on shelves. You begin at {_lower_article(start)}."
    onward = (
        f"Beside it are {_join_names([_lower_article(way) for way in ways])}." if ways else "There is only this one."
    )
    return f"{first} {onward} Look at a note to hear what it says."


def _lower_article(name: str) -> str:
    return "the " + name[4:] if name.startswith("The ") else name


def _join_names(names: Sequence[str]) -> str:
    shown = list(names[:4])
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)
