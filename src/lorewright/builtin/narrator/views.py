"""NarratorInput -> names and lore lines as the sentences need them: never an ID, never what was used up."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.beats import Person
from lorewright.builtin.narrator.grammar import Facts
from lorewright.builtin.parser.lexicon import lexicon, longest_prefix
from lorewright.builtin.parser.naming import place_name, with_article
from lorewright.ids import local
from lorewright.values.records import LoreLine, NarratorInput, WayOut

_PLAIN_WORDS = re.compile(r"[^\W\d_][\w'’ -]*")
_ID_LIKE = re.compile(r"\w:\w|\w_\w|#|/")


def name_of(given: NarratorInput, entity_id: str | None) -> str:
    """The display name; empty where there is none, or nothing but an ID."""
    if entity_id is None:
        return ""
    scene = given.scene
    views = {view.id: view.name for view in scene.people} | {view.id: view.name for view in scene.things}
    ways = {way.to: way.to_name for way in scene.exits} | {scene.place_id: scene.place_name}
    name = plain(given.names.get(entity_id) or views.get(entity_id) or ways.get(entity_id) or "")
    return "" if name == entity_id or _ID_LIKE.search(name) else name


def person(given: NarratorInput, entity_id: str | None) -> Person | None:
    """Somebody with a name, and with their pronoun where they are here."""
    name = name_of(given, entity_id)
    if not name or entity_id is None:
        return None
    pronoun = next((view.pronoun for view in given.scene.people if view.id == entity_id), "they")
    return Person(entity_id, with_article(name) if name[0].islower() else place_name(name), pronoun)


def thing(given: NarratorInput, entity_id: str | None) -> str:
    """`the backup comm unit`; by its name what has one; empty where there is none."""
    name = name_of(given, entity_id)
    return place_name(name) if name else ""


def carried(given: NarratorInput) -> list[str]:
    """What the player carries, as it stands in a sentence."""
    return [name for item_id in _carried_ids(given) if (name := thing(given, item_id))]


def _carried_ids(given: NarratorInput) -> list[str]:
    rows = given.packet.get("inventory", ())
    return [str(row["item_id"]) for row in rows if row["owner_id"] == given.player_id]


def place(given: NarratorInput, entity_id: str | None = None) -> str:
    """The place at hand or another, as it stands in a sentence; never empty."""
    name = name_of(given, entity_id or given.scene.place_id) or name_of(given, given.scene.place_id)
    return place_name(name) if name else "the place"


def scene_facts(given: NarratorInput) -> Facts:
    """What every sentence may be guarded by: the place and its tags, whether it is new, how many people are here."""
    scene = given.scene
    count = len(scene.people)
    return {
        "at": local(scene.place_id),
        "tag": place_tags(given),
        "people": "none" if count == 0 else "one" if count == 1 else "some",
        "first_time": scene.first_visit,
    }


def place_tags(given: NarratorInput) -> frozenset[str]:
    """The tags of the place at hand."""
    entities = given.packet.get("entities", ())
    return frozenset(str(tag) for entity in entities if entity["id"] == given.scene.place_id for tag in entity["tags"])


def exit_names(ways: Sequence[WayOut]) -> list[str]:
    """`the alley`, `north to the Docks`: what one types, and where it leads if that says more; a way that a door bars
    says so."""
    return list(dict.fromkeys(_exit_name(way) for way in ways))


def _exit_name(way: WayOut) -> str:
    if not way.barred:
        return _way_name(way)
    return f"{_way_name(way)} ({'locked' if way.locked else 'shut'})"


def _way_name(way: WayOut) -> str:
    name, leads_to = plain(way.name), plain(way.to_name)
    directions = {*lexicon().directions.values(), "out", "back", "in", "outside", "inside"}
    shown = name if name.lower() in directions else place_name(name)
    if not leads_to or name.lower() in leads_to.lower():
        return shown
    return f"{shown} to {place_name(leads_to)}"


def unseen(lines: Sequence[LoreLine], recall: Mapping[str, int]) -> list[LoreLine]:
    """The lines that were not told before in this branch."""
    return [line for line in lines if not recall.get(line.key) and plain(line.text)]


def topic(given: NarratorInput, words: str) -> tuple[str, str]:
    """The topic's kind (`named`, `none`, `other`) and how to say it: names as displayed, others not repeated."""
    if not words.strip():
        return "none", ""
    wanted = folded(words)
    for entity_id in given.names:
        name = name_of(given, entity_id)
        if name and folded(name) == wanted:
            return "named", place_name(name) if not name[0].islower() else with_article(name)
    single = words.strip()
    if _PLAIN_WORDS.fullmatch(single) and len(single.split()) == 1 and single[0].isupper() and len(single) <= 20:
        said = re.search(rf"\bthe {re.escape(single)}\b", given.player_text, re.IGNORECASE)
        return "named", f"the {single}" if said else single
    return "other", ""


def where(words: str) -> str:
    """`behind the bar` of a search's words, if they name a part of the place in few plain words."""
    low = words.lower().split()
    preposition = longest_prefix(low, lexicon().inside)
    rest = words.split()[len(preposition) :]
    if not preposition or not rest or not is_plain(" ".join(rest)):
        return ""
    noun = " ".join(rest)
    article = rest[0].lower() in lexicon().articles or not rest[0][0].islower()
    return " ".join([*preposition, noun if article else with_article(noun)])


def detail(words: str) -> str:
    """What was looked at, with an article, if it is a few plain words."""
    if not is_plain(words) or len(words.split()) > 3:
        return ""
    return with_article(words) if words[0].islower() else place_name(words)


def is_plain(words: str) -> bool:
    """Whether a player's words can stand in our sentence: letters, few, and nothing like an ID or markup."""
    return bool(_PLAIN_WORDS.fullmatch(words)) and len(words) <= 40 and "_" not in words and len(words.split()) <= 5


def folded(text: str) -> str:
    """A name for comparing: lower case, no article."""
    return re.sub(r"^(?:the|a|an)\s+", "", text.strip().lower())
