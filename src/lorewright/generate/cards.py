"""A pack that was a character card -> scenarios that play it: the greeting opens, the character is there and answers in
the lines of her own samples."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lorewright.campaigns.recap import shortened
from lorewright.campaigns.scenarios.scenario import Scenario
from lorewright.formats.character_card import FORMAT, OPENING, greetings_in
from lorewright.formats.imported import PLAYER
from lorewright.ids import local
from lorewright.index.keywords import STOP_WORDS, content_words
from lorewright.packs.models import OPEN_ROLES, Pack, PackEntity
from lorewright.rules.verbs import typed, verb_for
from lorewright.scene_lore.cache import COLOURLESS_WORDS

# Characters of a line that is said, and of a summary; lines, entries of the book and places of a scenario.
_LINE = 560
_SUMMARY = 200
_LINES = 40
_ENTRIES = 60
# Letters of a word of a reply that one may ask about.
_SHORTEST = 4
_PLACES = 12
_MINUTES = 5
# The place of a card whose book has none.
_HERE = "here"
# Where the player's name stood, and `you` reads better.
_OWN = re.compile(rf"\b{PLAYER}'s\b")
_CALLED = re.compile(rf", {PLAYER}(?=[.,!?])")
_OBJECT = re.compile(rf"\b(at|to|for|with|towards?|on|from|by|of|over|beside|near|behind|before) {PLAYER}\b")
_SCENARIO = re.compile(r"\bScenario:\s*(.+?)(?:[\]\n]|$)")


@dataclass(frozen=True, slots=True)
class Sample:
    """A line of the character's in reply to one of the player's; `about` are names of what it is a sample for."""

    asked: str
    reply: str
    about: tuple[str, ...]


def card_character(pack: Pack) -> PackEntity | None:
    """Return the character of a pack that was imported from a card and has a greeting; None for other packs."""
    if pack.manifest.extra.get("x_imported_from") != FORMAT:
        return None
    greeting = {chunk.entity_id for chunk in pack.chunks if chunk.section == OPENING}
    return next((entity for entity in pack.entities if entity.type == "npc" and entity.id in greeting), None)


def card_scenarios(pack: Pack, *, beside: Sequence[str] = ()) -> list[Scenario]:
    """Return a scenario for each greeting of a card, the first of them under the pack's ID; none where the pack was no
    card. `beside` are IDs of packs that are played with it."""
    who = card_character(pack)
    if who is None:
        return []
    greetings = greetings_in(_text_of(pack, who, OPENING))
    rules = [*_rules(local(who.id), _samples(pack, who)), *_rules_of_book(pack, who)]
    situation = _situation(pack, who)
    talkativeness = who.attrs.get("x_talkativeness")
    made = []
    for number, (_, greeting) in enumerate(greetings, start=1):
        start, places = _places(pack, greeting, situation)
        name = who.name if number == 1 else f"{who.name} ({number})"
        made.append(
            Scenario.model_validate(
                {
                    "id": pack.manifest.id if number == 1 else f"{pack.manifest.id}_{number}",
                    "name": name,
                    "summary": shortened(situation, _SUMMARY) or f"A conversation with {who.name}.",
                    "content_packs": [pack.manifest.id, *beside],
                    "intro_seed": _plain(greeting) or f"{who.name} is here.",
                    "start": start,
                    "places": places,
                    "cast": {local(who.id): {"at": start, "chattiness": _share(talkativeness)}},
                    "rules": rules,
                    "demo": [*typed("meet", person=who.name), *typed("view")],
                }
            )
        )
    return made


def _text_of(pack: Pack, who: PackEntity, section: str | None = None) -> str:
    chunks = sorted(
        (chunk for chunk in pack.chunks if chunk.entity_id == who.id and section in (None, chunk.section)),
        key=lambda chunk: chunk.position,
    )
    return "\n\n".join(chunk.text for chunk in chunks)


def _share(value: object) -> float | None:
    try:
        return min(max(float(str(value)), 0.0), 1.0)
    except ValueError:
        return None


def _situation(pack: Pack, who: PackEntity) -> str:
    """Return what a card says of the situation; empty where it says nothing."""
    found = _text_of(pack, who, "Scenario")
    return _plain(found or next((match[1] for match in _SCENARIO.finditer(_text_of(pack, who))), ""))


def _places(pack: Pack, greeting: str, situation: str) -> tuple[str, dict[str, object]]:
    """Return the place that the situation names last, or else the greeting most often, and the places of the book with
    ways between it and each."""
    found = [entity for entity in pack.entities if entity.type == "location"][:_PLACES]
    if not found:
        return _HERE, {_HERE: {"name": "Here"}}
    greeted, situated = greeting.casefold(), situation.casefold()
    names = {place.id: [name.casefold() for name in (place.name, *place.aliases)] for place in found}
    start = max(
        found,
        key=lambda place: (
            max(situated.rfind(name) for name in names[place.id]),
            sum(map(greeted.count, names[place.id])),
        ),
    )
    places: dict[str, object] = {
        local(place.id): {"exits": {start.name: {"to": local(start.id), "minutes": _MINUTES}}} for place in found
    }
    others = [place for place in found if place is not start]
    places[local(start.id)] = {"exits": {place.name: {"to": local(place.id), "minutes": _MINUTES} for place in others}}
    return local(start.id), places


def _samples(pack: Pack, who: PackEntity) -> Iterator[Sample]:
    """Yield the samples of dialogue in the texts of the card and its book, in the order of their files."""
    asks = re.compile(rf"^{re.escape(PLAYER)}:\s*(?P<asked>.+)$", re.IGNORECASE)
    replies = re.compile(rf"^{re.escape(who.name)}:\s*(?P<reply>.+)$", re.IGNORECASE)
    for entity in pack.entities:
        names = () if entity.id == who.id else (entity.name, *entity.spoken_aliases)
        asked = ""
        for line in _text_of(pack, entity).splitlines():
            if found := asks.match(line.strip()):
                asked = found["asked"]
            elif asked and (found := replies.match(line.strip())):
                yield Sample(_plain(asked), _plain(found["reply"]), names)
                asked = ""


def _rules(who: str, samples: Iterator[Sample]) -> Iterator[dict[str, object]]:
    """Yield a rule for each sample: asked about its topic, the character says its reply. Of several on one topic each
    is said once, and the last whenever it is asked for again."""
    asked = verb_for("question")
    if asked is None:
        return
    found = [(sample, _topics(sample)) for sample in samples][:_LINES]
    used: set[str] = set()
    for number, (sample, topics) in enumerate(found, start=1):
        if not topics:
            continue
        used.update(topics)
        again = any(set(topics) & set(later) for _, later in found[number:])
        once: dict[str, object] = {"once": True} if again else {}
        yield _rule(f"sample_{number}", asked.name, who, topics, sample.reply, once)
    # Somebody who has told of a sister can be asked about the sister.
    for number, (sample, _) in enumerate(found, start=1):
        others = [word for word in _telling(sample.reply) if word not in used and len(word) >= _SHORTEST]
        if others:
            used.update(others)
            yield _rule(f"sample_{number}_more", asked.name, who, others, sample.reply, {})


def _rule(
    rule_id: str, act: str, who: str, topics: Sequence[str], reply: str, more: Mapping[str, object]
) -> dict[str, object]:
    on = {"act": act, "target": who, "topic": list(topics)}
    return {"id": rule_id, "on": on, **more, "say": {"success": shortened(reply, _LINE)}}


def _rules_of_book(pack: Pack, who: PackEntity) -> Iterator[dict[str, object]]:
    """Yield a rule for each open entry of a card's own book that is no place: asked about it, the character says how it
    begins. A model in whose prompt the card stands knows that, too."""
    asked = verb_for("question")
    if asked is None:
        return
    entries = [entity for entity in pack.entities if entity.id != who.id and entity.type != "location"]
    for entry in entries[:_ENTRIES]:
        chunks = [chunk for chunk in pack.chunks if chunk.entity_id == entry.id and chunk.role in OPEN_ROLES]
        words = _plain(min(chunks, key=lambda chunk: chunk.position).text) if chunks else ""
        if words:
            names = list(dict.fromkeys(name.casefold() for name in (entry.name, *entry.spoken_aliases)))
            rule_id = f"tells_of_{local(entry.id)}".replace("-", "_")
            told = f"“{shortened(words, _LINE - 2)}”"
            yield _rule(rule_id, asked.name, local(who.id), names, told, {})


def _topics(sample: Sample) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*(name.casefold() for name in sample.about), *_telling(sample.asked))))


def _telling(text: str) -> list[str]:
    """Return the words of a text that say what it is about."""
    words = dict.fromkeys(content_words(text))
    return [word for word in words if word not in STOP_WORDS | COLOURLESS_WORDS]


def _plain(text: str) -> str:
    """Return prose without the signs by which cards mark what is done."""
    lines = (line.strip() for line in re.sub(r"\*+", "", text).splitlines())
    told = _OWN.sub("your", " ".join(filter(None, lines)))
    return _OBJECT.sub(r"\1 you", _CALLED.sub("", told))
