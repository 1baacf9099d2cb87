"""NarratorInput -> names and lore lines as the sentences need them: never an ID, never what was used up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.authored import is_named_in, lowered, plain, quoted, reminder, word_count
from lorewright.builtin.narrator.grammar import Fact, Facts
from lorewright.builtin.parser.clauses import lexicon, longest_prefix, place_name, with_article
from lorewright.ids import local
from lorewright.rules.patch import Outcome
from lorewright.values.records import Evidence, LoreLine, NarratorInput, Premise, WayOut

# Beat: one thing to be told, typed: a group of the grammar with facts and slots, authored text, or both.

Kind = Literal[
    "lead", "outcome", "evidence", "price", "gain", "atmosphere", "people", "things", "exits",
    "movement", "reaction", "pressure", "help", "filler", "ending", "act", "aside", "quiet",
]  # fmt: skip

# How a beat goes on from the one before it: with the next thing, or in answer to it.
Joint = Literal["", "next", "answer"]

# What is dropped first where a telling is too long. Outcome, act, evidence, price and ending never are.
SALIENCE: Mapping[Kind, int] = MappingProxyType(
    {
        "lead": 75, "movement": 80, "gain": 70, "help": 65, "pressure": 60, "people": 55, "exits": 50, "atmosphere": 45,
        "things": 35, "reaction": 30, "aside": 20, "quiet": 15, "filler": 10,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Person:
    """A person as a slot: the name, and the pronoun for where it is clear who is meant."""

    id: str
    name: str
    pronoun: str = "they"


Slot = str | Person


@dataclass(frozen=True, slots=True)
class Beat:
    """What is told with a sentence of ours (`group`), with `authored` text after it, or with that alone.

    `plural` is for verbs that agree with a list. `cites` and `keys` are what the text quotes and uses up.
    `continues` goes on with what somebody was saying. `joint` is how an act follows on what was told before it.
    """

    kind: Kind
    group: str = ""
    facts: Facts = field(default_factory=dict)
    slots: Mapping[str, Slot] = field(default_factory=dict)
    plural: bool = False
    authored: str = ""
    is_speech: bool = False
    cites: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    starts_paragraph: bool = False
    continues: bool = False
    joint: Joint = ""

    @property
    def is_kept(self) -> bool:
        """Whether it must be told however long the telling gets."""
        return self.kind not in SALIENCE


# What the player claims, checked -> beats: what does not hold is denied, by whoever it was put to.


def claim_beats(given: NarratorInput, outcome: Outcome) -> list[Beat] | None:
    """What is answered to the claim that an attempt is; None where it is none, or where the record or what was told
    answers for itself."""
    if outcome.type != "recall" or outcome.code == "blocked":
        return None
    premise = next((one for one in given.premises if one.words == outcome.words), None)
    if premise is None or outcome.code in ("recalled", "told_before"):
        return None
    beat = _beat(given, premise, outcome.target_id)
    return None if beat is None else [beat]


def other_claims(given: NarratorInput) -> Iterator[Beat]:
    """What was taken for granted beside something else, and does not hold."""
    answered = {outcome.words for outcome in given.outcomes if outcome.type == "recall"}
    for premise in given.premises:
        if premise.words not in answered and not premise.holds:
            beat = _beat(given, premise, premise.put_to)
            if beat is not None:
                yield beat


def _beat(given: NarratorInput, premise: Premise, who_id: str | None) -> Beat | None:
    """Said by whoever is spoken to and here."""
    who = views.person(given, who_id)
    if who is None or all(view.id != who_id for view in given.scene.people):
        return None
    return Beat("outcome", _group(given, premise, who_id), {}, {"who": who})


def _group(given: NarratorInput, premise: Premise, who_id: str | None) -> str:
    ends = "true" if premise.holds else "false"
    if premise.kind == "owns":
        return f"claim.owns.{ends}"
    if who_id not in (premise.by, premise.to):
        return f"claim.of_others.{ends}"
    if premise.by == given.player_id:
        return f"claim.yours.{ends}"
    return f"claim.{'said' if premise.asks else premise.kind}.{ends}"


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


# Evidence -> a beat: what somebody says in quotation marks, what is found after a colon, both word for word.


def evidence_beats(given: NarratorInput, outcome: Outcome, evidence: list[Evidence]) -> list[Beat]:
    """What the attempt brought to light, framed by the outcome; then reminders of what was known."""
    new = [one for one in evidence if not one.known_before]
    beats: list[Beat] = []
    for one in new:
        if not _is_in_say(outcome, one):
            beats.append(_framed(given, outcome, one, is_first=not beats))
    if outcome.code not in ("told_before", "found_before"):
        beats += [reminder_beat(given, one) for one in evidence if one.known_before]
    return beats


def stray_beat(given: NarratorInput, evidence: Evidence) -> Beat:
    """What is learned by no attempt: overheard, witnessed, set off by a clock."""
    speaker = views.person(given, evidence.speaker_id)
    return _quoted_beat(evidence, "overheard" if speaker else "learned", {}, speaker)


def reminder_beat(given: NarratorInput, evidence: Evidence) -> Beat:
    """What was known before, by its first words, and by whom it was told."""
    speaker = views.person(given, evidence.speaker_id)
    text = reminder(plain(evidence.text))
    facts: dict[str, Fact] = {} if text else {"reminder": False}
    group = "told_before" if speaker else "found_before"
    # What somebody said stays theirs, with its "I" and "me".
    shown = quoted(text) if text and speaker else lowered(text)
    slots: dict[str, Slot] = {"reminder": shown, "who": speaker or ""}
    return Beat("outcome", group, facts, slots, cites=(evidence.item_id,) if text else ())


def _framed(given: NarratorInput, outcome: Outcome, evidence: Evidence, *, is_first: bool) -> Beat:
    speaker = views.person(given, evidence.speaker_id)
    if outcome.say and is_first:
        named = speaker is not None and is_named_in([speaker.name], " ".join(outcome.say))
        group = "" if named or speaker is None else "told.after_say"
        return _quoted_beat(evidence, group, {}, speaker)
    if not is_first:
        return _quoted_beat(evidence, "told.more" if speaker else "found.more", {}, speaker)
    if speaker is None:
        return _found(outcome, evidence)
    facts: dict[str, Fact] = {"band": outcome.band or "none"}
    if is_named_in([speaker.name], plain(evidence.text)):
        facts = {"himself": True}
    return _quoted_beat(evidence, "told", facts, speaker)


def _found(outcome: Outcome, evidence: Evidence) -> Beat:
    verb = outcome.type if outcome.type in ("search", "look") else "other"
    facts: dict[str, Fact] = {"band": outcome.band or "none", "verb": verb}
    where = views.where(outcome.words) if verb == "search" else ""
    # Not "You search behind the nets and find this: Behind the nets …".
    if where and is_named_in(where.split()[-1:], plain(evidence.text)):
        where = ""
    if where:
        facts["where"] = True
    return _quoted_beat(evidence, "found", facts, None, where)


def _quoted_beat(
    evidence: Evidence, group: str, facts: dict[str, Fact], speaker: Person | None, where: str = ""
) -> Beat:
    return Beat(
        "evidence",
        group,
        facts,
        {"who": speaker or "", "where": where},
        authored=plain(evidence.text),
        is_speech=speaker is not None,
        cites=(evidence.item_id,),
    )


def _is_in_say(outcome: Outcome, evidence: Evidence) -> bool:
    """Whether the scenario's own sentence quotes the item already."""
    return plain(evidence.text) in plain(" ".join(outcome.say))


# Beats -> the beats that are told: five sentences of ours and about 110 words; what matters least goes. The acts of
# others have room of their own.

MAX_OWN_SENTENCES = 5
MAX_WORDS = 105
# What each act adds, and what a narration has that tells nothing but somebody's act.
_SENTENCES_OF_ACT, _WORDS_OF_ACT = 2, 35
_SENTENCES_OF_ROUND, _WORDS_OF_ROUND = 3, 60
# A sentence of ours before it is made: longer than most, so that the estimate holds.
_OWN_WORDS = 10


@dataclass(frozen=True, slots=True)
class Room:
    """How many sentences of ours a telling may have, and how many words it may come to."""

    own_sentences: int = MAX_OWN_SENTENCES
    words: int = MAX_WORDS


def room_for(given: NarratorInput) -> Room:
    """More for each act that is told; little where there is nothing else."""
    acts = len(given.acts)
    if is_round_of_another(given):
        return Room(_SENTENCES_OF_ROUND * acts, _WORDS_OF_ROUND * acts)
    return Room(MAX_OWN_SENTENCES + _SENTENCES_OF_ACT * acts, MAX_WORDS + _WORDS_OF_ACT * acts)


def is_round_of_another(given: NarratorInput) -> bool:
    """Whether nothing but others' acts is told."""
    return bool(given.acts) and not given.outcomes and not given.scene_changed


def plan(beats: Sequence[Beat], room: Room = Room()) -> tuple[Beat, ...]:
    """The beats less what does not fit, in their order. Outcome, act, evidence, price and ending always stay.

    An ending is a paragraph of its own and takes no room from the turn.
    """
    kept = list(beats)
    while _is_too_long(kept, room):
        droppable = [index for index, beat in enumerate(kept) if not beat.is_kept]
        if not droppable:
            break
        # Of what matters equally little the later goes.
        del kept[min(droppable, key=lambda index: (SALIENCE[kept[index].kind], -index))]
    return tuple(kept)


def estimate(beat: Beat) -> int:
    """About how many words a beat will have."""
    lists = sum(word_count(str(beat.slots[name])) for name in ("list", "names", "reminder") if name in beat.slots)
    return word_count(beat.authored) + lists + (_OWN_WORDS if beat.group else 0)


def _is_too_long(beats: Sequence[Beat], room: Room) -> bool:
    told = [beat for beat in beats if beat.kind != "ending"]
    own = sum(1 for beat in told if beat.group)
    return own > room.own_sentences or sum(map(estimate, told)) > room.words
