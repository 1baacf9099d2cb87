"""Views: NarratorInput -> names and lore lines as the sentences need them: never an ID, never a line that was told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypeVar

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.authored import is_named_in, lowered, plain, quoted, reminder_of, word_count
from lorewright.builtin.narrator.forms import FIRST, IN_WORDS, SHOWN
from lorewright.builtin.narrator.grammar import Fact, Facts
from lorewright.builtin.words.clauses import lexicon, longest_prefix, place_name, with_article
from lorewright.ids import local
from lorewright.index.keywords import content_words
from lorewright.rules.patch import Outcome
from lorewright.rules.verbs import verb_of
from lorewright.scene_lore.models import LoreText
from lorewright.scene_lore.nouns import singular
from lorewright.values.records import Evidence, LoreLine, NarratorInput, Premise
from lorewright.values.scenery import SceneryView
from lorewright.values.scope import WayOut

# Beat: one typed thing to be told: a group of the grammar with facts and slots, authored text, or both.

Kind = Literal[
    "lead", "outcome", "evidence", "price", "gain", "atmosphere", "people", "things", "exits",
    "movement", "reaction", "pressure", "help", "filler", "ending", "act", "aside", "quiet",
]  # fmt: skip

# How a beat follows the one before it: with the next thing, or in answer to it.
Joint = Literal["", "next", "answer"]

# Kinds in the order in which they are dropped where a narration is too long. Outcome, act, evidence, price and ending
# never are.
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

Line = TypeVar("Line", LoreLine, LoreText)


@dataclass(frozen=True, slots=True)
class Beat:
    """A unit of narration: a sentence of ours (`group`), with `authored` text after it, or that text alone.

    `plural` is for verbs that agree with a list. `cites` and `keys` are what the text quotes and uses up. `continues`
    goes on with somebody's speech. `joint` is how an act follows on the beat before it.
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
        """True if it must be told however long the narration gets."""
        return self.kind not in SALIENCE


# Claims: the player's checked claims -> beats: a false one is denied by the person who was addressed.


def claim_beats(given: NarratorInput, outcome: Outcome) -> list[Beat] | None:
    """Return the answer to the claim that an attempt is; None where it is no claim, or where the record or what was
    told answers it.
    """
    if not _is_claim(outcome) or outcome.code == "blocked":
        return None
    premise = next((claim for claim in given.premises if claim.words == outcome.words), None)
    if premise is None or outcome.code in ("recalled", "told_before"):
        return None
    beat = _denial(given, premise, outcome.target_id)
    return None if beat is None else [beat]


def other_claims(given: NarratorInput) -> Iterator[Beat]:
    """Yield what was taken for granted beside something else, and does not hold."""
    answered = {outcome.words for outcome in given.outcomes if _is_claim(outcome)}
    for premise in given.premises:
        if premise.words not in answered and not premise.holds and not premise.evidence:
            beat = _denial(given, premise, premise.put_to)
            if beat is not None:
                yield beat


def _is_claim(outcome: Outcome) -> bool:
    verb = verb_of(outcome.type)
    return verb is not None and verb.is_claim


def _denial(given: NarratorInput, premise: Premise, who_id: str | None) -> Beat | None:
    """Return the denial, by the person addressed if they are here."""
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


# Views: names and lore lines as the sentences need them: never an ID, never a line that was told.

_PLAIN_WORDS = re.compile(r"[^\W\d_][\w'’ -]*")
ID_LIKE = re.compile(r"\w:\w|\w_\w|#|/")


def name_of(given: NarratorInput, entity_id: str | None) -> str:
    """Return the display name; empty where there is none, or nothing but an ID."""
    if entity_id is None:
        return ""
    scene = given.scene
    views = {view.id: view.name for view in scene.people} | {view.id: view.name for view in scene.things}
    ways = {way.to: way.to_name for way in scene.exits} | {scene.place_id: scene.place_name}
    name = plain(given.names.get(entity_id) or views.get(entity_id) or ways.get(entity_id) or "")
    return "" if name == entity_id or ID_LIKE.search(name) else name


def person(given: NarratorInput, entity_id: str | None) -> Person | None:
    """Return a person with a name, and with their pronoun where they are here."""
    name = name_of(given, entity_id)
    if not name or entity_id is None:
        return None
    pronoun = next((view.pronoun for view in given.scene.people if view.id == entity_id), "they")
    return Person(entity_id, with_article(name) if name[0].islower() else place_name(name), pronoun)


def thing(given: NarratorInput, entity_id: str | None) -> str:
    """Return `the backup comm unit`; its own name where it has one; empty where there is none."""
    name = name_of(given, entity_id)
    return place_name(name) if name else ""


def carried(given: NarratorInput) -> list[str]:
    """Return what the player carries, as it stands in a sentence."""
    return [name for view in given.carried if (name := thing(given, view.id))]


def prose_noun(given: NarratorInput, outcome: Outcome) -> SceneryView | None:
    """Return what the player's attempt was about where that is no entity; None where it is one, or nothing."""
    found = (noun for noun in given.scenery if noun.action_index == outcome.action_index)
    return next(found, None) if outcome.actor_id == given.player_id else None


def shown_in_prose(given: NarratorInput, outcome: Outcome) -> SceneryView | None:
    """Return the same, where sentences show it."""
    noun = prose_noun(given, outcome)
    return noun if noun is not None and noun.lines else None


def place(given: NarratorInput, entity_id: str | None = None) -> str:
    """Return the current place or another, as it stands in a sentence; never empty."""
    name = name_of(given, entity_id or given.scene.place_id) or name_of(given, given.scene.place_id)
    return place_name(name) if name else "the place"


def scene_facts(given: NarratorInput) -> Facts:
    """Return the facts for every sentence's guards: the place and its tags, whether it is new, how many people are
    here.
    """
    scene = given.scene
    count = len(scene.people)
    return {
        "at": local(scene.place_id),
        "tag": place_tags(given),
        "people": "none" if count == 0 else "one" if count == 1 else "some",
        "first_time": scene.first_visit,
    }


def place_tags(given: NarratorInput) -> frozenset[str]:
    """Return the tags of the current place."""
    entities = given.packet.entities
    return frozenset(tag for entity in entities if entity.id == given.scene.place_id for tag in entity.tags)


def exit_names(ways: Sequence[WayOut]) -> list[str]:
    """Return `the alley`, `north to the Docks`: the text to type, and the destination if that says more; a way that a
    door bars says so.
    """
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


def unseen(lines: Sequence[Line], recall: Mapping[str, int]) -> list[Line]:
    """Return the lines that were not told before in this branch."""
    return [line for line in lines if not recall.get(line.key) and plain(line.text)]


def topic(given: NarratorInput, words: str) -> tuple[str, str]:
    """Return the topic's kind (`named`, `none`, `other`) and how to say it: names as displayed, others not repeated."""
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
    """Return `behind the bar` from a search's words, if they name a part of the place in few plain words."""
    low = words.lower().split()
    preposition = longest_prefix(low, lexicon().inside)
    rest = words.split()[len(preposition) :]
    if not preposition or not rest or not is_plain(" ".join(rest)):
        return ""
    noun = " ".join(rest)
    article = rest[0].lower() in lexicon().articles or not rest[0][0].islower()
    return " ".join([*preposition, noun if article else with_article(noun)])


def detail(words: str) -> str:
    """Return the detail that was looked at, with an article, if it is a few plain words."""
    if not is_plain(words) or len(words.split()) > 3:
        return ""
    return with_article(words) if words[0].islower() else place_name(words)


def is_plain(words: str) -> bool:
    """Tell whether a player's words can stand in our sentence: letters, few, and nothing like an ID or markup."""
    return bool(_PLAIN_WORDS.fullmatch(words)) and len(words) <= 40 and "_" not in words and len(words.split()) <= 5


def folded(text: str) -> str:
    """Return a name for comparing: lower case, no article."""
    return re.sub(r"^(?:the|a|an)\s+", "", text.strip().lower())


# Evidence: an item -> a beat: speech in quotation marks, a find after a colon, both word for word.


@dataclass(frozen=True, slots=True)
class FindingWords:
    """A part of a verb by which things are found: the value of `verb` in sentences before a find (`found`), and whether
    its words say where."""

    verb: str
    says_where: bool = False


def evidence_beats(given: NarratorInput, outcome: Outcome, evidence: list[Evidence]) -> list[Beat]:
    """Return what the attempt brought to light, framed by the outcome; then reminders of what was known."""
    new = [item for item in evidence if not item.known_before]
    beats: list[Beat] = []
    for item in new:
        if item.how == "noticed":
            beats.append(stray_beat(given, item))
        elif not _is_in_say(outcome, item):
            beats.append(_framed(given, outcome, item, is_first=not beats))
    if outcome.code not in ("told_before", "found_before"):
        beats += [reminder_beat(given, item, outcome.words) for item in evidence if item.known_before]
    return beats


def stray_beat(given: NarratorInput, evidence: Evidence) -> Beat:
    """Return what is learned by no attempt: overheard, witnessed, set off by a clock."""
    speaker = views.person(given, evidence.speaker_id)
    return _quoted_beat(evidence, "overheard" if speaker else "learned", {}, speaker)


def left_out_beat(given: NarratorInput, evidence: Evidence) -> Beat:
    """Return what a narration has left out: who says it, or that it is found."""
    speaker = views.person(given, evidence.speaker_id)
    return _quoted_beat(evidence, "told.more" if speaker else "found.more", {}, speaker)


def reminder_beat(given: NarratorInput, evidence: Evidence, asked: str = "") -> Beat:
    """Return what was known before, by the first words of what was `asked` after, and by whom it was told."""
    speaker = views.person(given, evidence.speaker_id)
    text = reminder_of(plain(evidence.text), content_words(asked))
    facts: dict[str, Fact] = {} if text else {"reminder": False}
    group = "told_before" if speaker else "found_before"
    # Speech keeps its speaker, with its "I" and "me".
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
    verb = verb_of(outcome.type)
    finding = (None if verb is None else verb.part(FindingWords)) or FindingWords("other")
    facts: dict[str, Fact] = {"band": outcome.band or "none", "verb": finding.verb}
    where = views.where(outcome.words) if finding.says_where else ""
    part = outcome.words.partition(" of ")[0]
    named = where or (detail(outcome.words) or detail(part) if finding.says_where else "")
    told = set(map(singular, content_words(plain(evidence.text))))
    if named and told.isdisjoint(map(singular, content_words(named.partition(" of ")[0]))):
        # What was asked for is answered first.
        beside = _quoted_beat(evidence, "found.beside", {"where": True} if where else {}, None, where)
        return replace(beside, slots={**beside.slots, "detail": named})
    # Not "You search behind the nets and find this: Behind the nets …".
    where = "" if where and is_named_in(where.split()[-1:], plain(evidence.text)) else where
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
    """Tell whether the scenario's own sentence quotes the item already."""
    return plain(evidence.text) in plain(" ".join(outcome.say))


# Plan: beats -> the beats that are told: five sentences of ours and about 110 words; the least important go. The acts
# of others have room of their own.

MAX_OWN_SENTENCES = 5
MAX_WORDS = 105
# Words for each act, and for a narration that tells only somebody's act.
_SENTENCES_OF_ACT, _WORDS_OF_ACT = 2, 35
_SENTENCES_OF_ROUND, _WORDS_OF_ROUND = 3, 60
# Estimated words of a sentence of ours before it is made: longer than most, so that the estimate is safe.
_OWN_WORDS = 10


@dataclass(frozen=True, slots=True)
class Room:
    """The limits of a narration: sentences of ours, and words."""

    own_sentences: int = MAX_OWN_SENTENCES
    words: int = MAX_WORDS


def room_for(given: NarratorInput) -> Room:
    """Return the limits: more for each act that is told; little where there is nothing else."""
    acts = len(given.acts)
    if is_round_of_another(given):
        return Room(_SENTENCES_OF_ROUND * acts, _WORDS_OF_ROUND * acts)
    return Room(MAX_OWN_SENTENCES + _SENTENCES_OF_ACT * acts, MAX_WORDS + _WORDS_OF_ACT * acts)


def is_round_of_another(given: NarratorInput) -> bool:
    """Tell whether nothing but others' acts is told."""
    return bool(given.acts) and not given.outcomes and not given.scene_changed


def plan(beats: Sequence[Beat], room: Room = Room()) -> tuple[Beat, ...]:
    """Return the beats that fit, in their order. Outcome, act, evidence, price and ending always stay.

    An ending is a paragraph of its own and takes no room from the turn.
    """
    kept = list(beats)
    while _is_too_long(kept, room):
        droppable = [index for index, beat in enumerate(kept) if not beat.is_kept]
        if not droppable:
            break
        # Of equally important beats the later go.
        del kept[min(droppable, key=lambda index: (SALIENCE[kept[index].kind], -index))]
    return tuple(kept)


def estimate(beat: Beat) -> int:
    """Return the estimated number of words of a beat."""
    lists = sum(word_count(str(beat.slots[name])) for name in ("list", "names", "reminder") if name in beat.slots)
    return word_count(beat.authored) + lists + (_OWN_WORDS if beat.group else 0)


def _is_too_long(beats: Sequence[Beat], room: Room) -> bool:
    beats_told = [beat for beat in beats if beat.kind != "ending"]
    own = sum(1 for beat in beats_told if beat.group)
    return own > room.own_sentences or sum(map(estimate, beats_told)) > room.words


# Groups of what was done, which need no line after them.
_WHOLE = frozenset((SHOWN, IN_WORDS, FIRST, "blocked.only_scenery"))


def drop_repeated_lore(beats: Sequence[Beat]) -> list[Beat]:
    """Return the beats without those that would tell a lore line a second time; what was done is told all the same."""
    told: set[str] = set()
    kept = []
    for beat in beats:
        if not told.intersection(beat.keys):
            kept.append(beat)
        elif beat.group in _WHOLE:
            kept.append(replace(beat, authored="", cites=(), keys=()))
        told.update(beat.keys)
    return kept


# Durations in words.

_ONES = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty")
_BY_NAME = {1: "a minute", 15: "a quarter of an hour", 30: "half an hour", 60: "an hour", 90: "an hour and a half"}
_DAY = 24 * 60


def duration(minutes: int) -> str:
    """Return the minutes in words; from an hour on to the nearest hour, from two days on to the nearest day."""
    if minutes in _BY_NAME:
        return _BY_NAME[minutes]
    if minutes < 60:
        return f"{_number(max(minutes, 0))} minutes"
    if minutes < 90:
        return "over an hour"
    if minutes < 2 * _DAY:
        return f"{_number(round(minutes / 60))} hours"
    return f"{_number(round(minutes / _DAY))} days"


def is_plural(minutes: int) -> bool:
    """Tell whether a verb after the duration stands in the plural."""
    return minutes not in _BY_NAME and not 60 <= minutes < 90


def _number(value: int) -> str:
    if value < len(_ONES):
        return _ONES[value]
    if value < 60:
        tens, ones = divmod(value, 10)
        return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")
    return "many"
