"""Words of an intention -> the same as narration: whole sentences, the player as `you`, or nothing that does not fit
there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.authored import ended, is_named_in, plain, word_count
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.views import Beat, Kind, Person, Slot
from lorewright.builtin.words.clauses import capitalised, place_name, with_article
from lorewright.rules.patch import Outcome
from lorewright.rules.verbs import verb_of, verbs
from lorewright.scene_lore.gather import in_sentences
from lorewright.values.records import Evidence, NarratorInput, NpcAct, Recorded

# Acts: an act and its target -> beats with their facts and slots: actor, addressee, thing.

# A topic without a display name is put into a sentence as it is.
_SAYABLE = re.compile(r"(?:the|a|an|this|that|your|his|her|their|its|our|what|where|who|why|when|how|whether)\s[a-z]")


@dataclass(frozen=True, slots=True)
class Actor:
    """A character's act with the character as a slot; `told` is the narrator's input."""

    told: NarratorInput
    act: NpcAct
    person: Person

    def beat(
        self,
        kind: Kind,
        group: str,
        facts: dict[str, Fact] | None = None,
        *,
        to: str | None = None,
        **slots: Slot,
    ) -> Beat:
        """Return a beat about the actor; `to` is the ID of the person it is meant for."""
        aimed, other = meant_for(self.told, to)
        return Beat(kind, group, {**aimed, **(facts or {})}, {"who": self.person, "other": other, **slots})


# Tellers: an outcome -> its beats. Those of acts of the cast are also given the evidence that it brought, and the words
# of the intention where they may be told.
PlayerTeller = Callable[[NarratorInput, Outcome], list[Beat]]
CastTeller = Callable[[Actor, Outcome, Sequence[Evidence], str], list[Beat]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """A part of a verb: how it is told.

    A function that returns None leaves the outcome to the codes, and to the sentences of any act.
    """

    # The player's deed, where its code has no sentences of its own.
    of_player: Callable[[NarratorInput, Outcome], Beat | None] | None = None
    # The act of one of the cast.
    of_others: Callable[[Actor, Outcome, Sequence[Evidence], str], list[Beat] | None] | None = None
    # Codes of outcomes that this verb tells, whichever verb they came of: a key that is used on a lock unlocks it.
    codes: Mapping[str, PlayerTeller] = field(default_factory=dict)
    codes_of_others: Mapping[str, CastTeller] = field(default_factory=dict)
    # The value of `verb` in sentences after an act of the cast (`npc.after`); empty for an act like others.
    after: Callable[[Actor, Outcome], str] | None = None
    # The value of `verb` in sentences about somebody who watches the player (`still.person`).
    watched_as: str = ""
    # Whom it was said to is known for a person, whether they are here or not.
    target_is_person: bool = False
    # A failure has sentences of its own.
    fails_in_words: bool = False
    # Its target is a thing in hand: where that is missing, it is named.
    target_is_carried: bool = False


def telling_of(kind: str) -> Telling:
    """Return how a type of action is told."""
    verb = verb_of(kind)
    return _AS_OTHERS if verb is None else verb.part(Telling) or _AS_OTHERS


@cache
def tellings() -> tuple[Telling, ...]:
    """Return how the verbs are told, by their ranks."""
    return tuple(telling for verb in verbs().values() if (telling := verb.part(Telling)) is not None)


@cache
def tellers() -> Mapping[str, PlayerTeller]:
    """Return what tells the player's outcomes, by their codes."""
    return MappingProxyType({code: tell for telling in tellings() for code, tell in telling.codes.items()})


@cache
def cast_tellers() -> Mapping[str, CastTeller]:
    """Return what tells outcomes of the cast, by their codes."""
    return MappingProxyType({code: tell for telling in tellings() for code, tell in telling.codes_of_others.items()})


_AS_OTHERS = Telling()


def actor_of(given: NarratorInput, act: NpcAct) -> Actor:
    """Return the actor, by the name in the act, else by their name here; `somebody` where there is neither."""
    name = plain(act.name)
    if not name or name == act.who or views.ID_LIKE.search(name):
        found = views.person(given, act.who)
        return Actor(given, act, Person(act.who, found.name if found else "somebody", act.pronoun))
    return Actor(
        given, act, Person(act.who, with_article(name) if name[0].islower() else place_name(name), act.pronoun)
    )


def meant_for(given: NarratorInput, entity_id: str | None) -> tuple[dict[str, Fact], str]:
    """Return the fact `to` (`you`, `other`; none where nobody has a name) and the name of the other."""
    if entity_id is None:
        return {}, ""
    if entity_id == given.player_id:
        return {"to": "you"}, ""
    if not is_somebody(given, entity_id):
        return {}, ""
    who = views.person(given, entity_id)
    return ({"to": "other"}, who.name) if who else ({}, "")


def is_somebody(given: NarratorInput, entity_id: str | None) -> bool:
    """Tell whether an ID is the player's or that of a person who is here, has come or gone, or acts."""
    people = {view.id for view in given.scene.people} | {movement.entity_id for movement in given.movements}
    return entity_id is not None and entity_id in people | {act.who for act in given.acts} | {given.player_id}


def thing_of(given: NarratorInput, outcome: Outcome) -> str:
    """Return the name of the target, where that is a thing with a name."""
    return "" if is_somebody(given, outcome.target_id) else views.thing(given, outcome.target_id)


def item_of(given: NarratorInput, outcome: Outcome) -> str:
    """Return the name of the thing that was used or handed over."""
    return "" if outcome.item_id is None else views.thing(given, outcome.item_id)


def place_of(given: NarratorInput, outcome: Outcome) -> str:
    """Return the name of the destination, if any."""
    return views.place(given, outcome.location_id) if views.name_of(given, outcome.location_id) else ""


def topic_of(given: NarratorInput, outcome: Outcome) -> str:
    """Return the topic, as it stands in a sentence; empty where it does not fit into one."""
    words = " ".join(plain(outcome.words).split()).rstrip(".?!")
    kind, topic = views.topic(given, words)
    if kind == "named":
        return topic
    return words if _SAYABLE.match(words) and views.is_plain(words) else ""


def named_in(given: NarratorInput, words: str, *, but: Sequence[str] = ()) -> str:
    """Return the longest name that stands in words, as it is said in a sentence; empty where none does."""
    said = f" {views.folded(words)} "
    left_out = {views.folded(name) for name in but}
    names = [
        name for entity_id in given.names if entity_id != given.player_id and (name := views.name_of(given, entity_id))
    ]
    found = [name for name in names if (key := views.folded(name)) not in left_out and key and f" {key} " in said]
    name = max(found, key=len, default="")
    return "" if not name else with_article(name) if name[0].islower() else place_name(name)


# Words in front of the name that somebody gives as theirs.
_NAMED = re.compile(r"(?:name(?:'s| is)|call me|calls? me|(?:i'm|i am|im)(?: called)?)\s+(?P<name>.+)", re.IGNORECASE)
_CAPITALS = re.compile(r"(?:(?!I\b)[^\W\d_a-z][\w'-]*(?: |\b)){1,3}")
_LONGEST_NAME = 2
INTRODUCTION = "introduce"


def given_name(outcome: Outcome) -> str:
    """Return the name that somebody gives as theirs, if it can stand in a sentence."""
    words, is_introduction = outcome.words.replace("’", "'").strip(" .!?"), outcome.form == INTRODUCTION
    found = _NAMED.search(words)
    name = words if found is None else " ".join(found.group("name").split())
    if found is None and not (is_introduction and words.istitle() and len(words.split()) <= _LONGEST_NAME):
        return ""
    if found is not None and is_introduction:
        # More may be said with it.
        capitals = _CAPITALS.match(name)
        name = "" if capitals is None else capitals[0].strip()
    return name if name[:1].isupper() and views.is_plain(name) else ""


def flags(**named: Slot) -> dict[str, Fact]:
    """Return a fact for each slot that is not empty."""
    return {name: True for name, value in named.items() if value}


# Words of an intention -> the same as narration, or nothing that does not fit.

_MOST_WORDS = 45
_UNFIT = re.compile(r"\w:\w|\w_\w|[#{}\[\]<>|]|/\w")
_BY_PRONOUN = re.compile(r"(?:He|She|They|It|His|Her|Their|Its)\b")
_QUOTED = re.compile(r"(“[^”]*”|\"[^\"]*\")")
# After these a name has been an object, so that `you` can stand in its place.
_AFTER_OBJECT = (
    r"about|again|and|as|at|away|back|before|by|down|for|from|in|into|of|off|on|out|over|then|to|up|with|without|"
    r"a|an|the|his|her|its|their|what|where|who|why|when|how|whether|that|this"
)
# Verbs of what one person does while another looks on, and the same with `you`.
_YOUR_VERBS = MappingProxyType(
    dict(
        pair.split("/")
        for pair in "wants/want means/mean says/say said/said does/do did/did has/have had/had is/are was/were goes/go"
        " looks/look will/will can/can".split()
    )
)


def own_words(actor: Actor) -> str:
    """Return the words of the intention as they can be told; empty where they name nobody, or contain markup or IDs.

    They are sentences of ours or a model's, not an author's: the player's name becomes `you` where that fits.
    """
    text = plain(actor.act.text)
    if not text or _UNFIT.search(text):
        return ""
    text = ended(_first_sentences(text))
    named = is_named_in([actor.person.name, plain(actor.act.name)], text)
    if not (named or _BY_PRONOUN.match(text)) or word_count(text) > _MOST_WORDS:
        return ""
    return _address_player(capitalised(text), views.name_of(actor.told, actor.told.player_id) or actor.told.player.name)


def worded(actor: Actor, words: str) -> list[Beat]:
    """Return the words as a beat, after a short sentence with the name where they have only a pronoun."""
    told = quoting(actor, words)
    return [told] if is_named_in([actor.person.name], words) else [actor.beat("act", "npc.own"), told]


def quoting(actor: Actor, text: str, *keys: str) -> Beat:
    """Return a text as a beat. The lines of the notes that it quotes are cited, and not told again by themselves."""
    lines = [line for view in actor.told.scene.people if view.id == actor.act.who for line in view.disposition]
    found = [line for line in lines if (words := plain(line.text).rstrip(".")) and words in text]
    cites = tuple(dict.fromkeys(line.chunk_id for line in found))
    return Beat(
        "act",
        slots={"who": actor.person},
        authored=text,
        cites=cites,
        keys=(*keys, *(line.key for line in found)),
    )


def speaks(words: str) -> bool:
    """Tell whether the words quote somebody."""
    return bool(_QUOTED.search(words))


def _first_sentences(text: str) -> str:
    """Return the first whole sentences up to the limit of words."""
    if word_count(text) <= _MOST_WORDS:
        return text
    kept: list[str] = []
    for sentence in in_sentences(text):
        if kept and word_count(" ".join([*kept, sentence])) > _MOST_WORDS:
            break
        kept.append(sentence)
    return " ".join(kept)


def _address_player(text: str, name: str) -> str:
    """Return the text with the player's name as `you` and `your` where it is an object; quotations, subjects stay."""
    if not name.strip():
        return text
    called = re.escape(name)
    possessive = re.compile(rf"(?<=\w )(?<![.!?] ){called}['’]s?(?!\w)")
    aimed = re.compile(rf"(?<=[\w,] ){called}(?=[.,;:!?…]|$)|(?<=[\w,] )(?<!\band ){called}(?= (?:{_AFTER_OBJECT})\b)")
    doing = re.compile(rf"(?<=[\w,] ){called} ({'|'.join(_YOUR_VERBS)})\b")
    parts = _QUOTED.split(text)

    def said(pattern: re.Pattern[str], part: str, words: Callable[[re.Match[str]], str]) -> str:
        return pattern.sub(lambda found: found[0] if _is_in_a_name(found, part) else words(found), part)

    for at in range(0, len(parts), 2):
        parts[at] = said(possessive, parts[at], lambda found: "your")
        parts[at] = said(aimed, parts[at], lambda found: "you")
        parts[at] = said(doing, parts[at], lambda found: f"you {_YOUR_VERBS[found[1]]}")
    return "".join(parts)


def _is_in_a_name(found: re.Match[str], text: str) -> bool:
    """Tell whether a name is a part of a longer one: the word beside it has a capital letter too, and does not begin
    the sentence: `the Car in Cold Ash`.
    """
    before = re.search(r"(?P<word>[^\W\d_][\w'’-]*) $", text[: found.start()])
    lead = "" if before is None else text[: before.start()].rstrip(" “‘(")
    is_inside = before is not None and bool(lead) and lead[-1] not in ".!?:…"
    after = re.match(r" (?P<word>[^\W\d_])", text[found.end() :])
    is_after = after is not None and after["word"].isupper()
    return is_after or (before is not None and is_inside and before["word"][0].isupper())


def tells_of_player(given: NarratorInput, words: str) -> bool:
    """Tell whether the words still use the player's name outside of a quotation, as no narration to the player does."""
    name = views.name_of(given, given.player_id) or given.player.name
    return is_named_in([name], "".join(_QUOTED.split(words)[::2]))


# Speech of the cast and its answers -> beats.

_ANSWERED = frozenset(("told", "told_before", "deflected", "does_not_know"))


def talk_beats(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str, group: str) -> list[Beat]:
    """Return what is said, by the words or a sentence of the group, and what is answered."""
    return [*said_beats(actor, outcome, words, group), *answer_beats(actor, outcome, evidence)]


def after_talk(verb: str = "") -> Callable[[Actor, Outcome], str]:
    """Return what gives the value of `verb` after talk: this to the player, `talk` between others."""

    def after(actor: Actor, outcome: Outcome) -> str:
        if outcome.target_id == actor.told.player_id:
            return verb
        return "talk" if is_somebody(actor.told, outcome.target_id) else ""

    return after


def said_beats(actor: Actor, outcome: Outcome, words: str, group: str) -> list[Beat]:
    """Return what is said; in the intention's own words where ours could not name the topic."""
    topic = topic_of(actor.told, outcome)
    if words and (speaks(words) or not topic):
        return worded(actor, words)
    aimed, _ = meant_for(actor.told, outcome.target_id)
    about: dict[str, Fact] = {"topic": "named"} if topic and aimed else {}
    return [actor.beat("act", group, about, to=outcome.target_id, topic=topic)]


def answer_beats(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence]) -> list[Beat]:
    """Return the answer of the person addressed, word for word where it is new to the player; none of the player's."""
    who = views.person(actor.told, outcome.target_id)
    if who is None or outcome.code not in _ANSWERED or outcome.target_id == actor.told.player_id:
        return []
    new = [item for item in evidence if not item.known_before]
    other = actor.person.name
    if outcome.code == "told" and new:
        return _framed("npc.answered.told", who, other, {}, new)
    group = "npc.answered.told.bare" if outcome.code == "told" else f"npc.answered.{outcome.code}"
    return [Beat("act", group, {}, {"who": who, "other": other})]


def quotes(actor: Actor, group: str, evidence: Sequence[Evidence], *, to: str | None) -> list[Beat]:
    """Return evidence in the actor's voice, framed by a group."""
    aimed, other = meant_for(actor.told, to)
    return _framed(group, actor.person, other, aimed, evidence)


def _framed(group: str, who: Person, other: str, facts: dict[str, Fact], evidence: Sequence[Evidence]) -> list[Beat]:
    return [
        Beat(
            "evidence",
            "told.more" if number else group,
            {} if number else facts,
            {"who": who, "other": other},
            authored=plain(item.text),
            is_speech=True,
            cites=(item.item_id,),
        )
        for number, item in enumerate(evidence)
    ]


def recorded_beats(actor: Actor, outcome: Outcome, group: str) -> list[Beat]:
    """Return what was threatened or promised, in the words on record."""
    said = recorded(actor, outcome)
    return [
        Beat("act", beat.group, beat.facts, beat.slots, authored=plain(record.what), is_speech=True)
        for record in said[:1]
        for beat in [actor.beat("act", group, to=outcome.target_id)]
    ]


def recorded(actor: Actor, outcome: Outcome) -> list[Recorded]:
    """Return the facts on record that the outcome is about."""
    return [record for record in actor.told.recorded if record.fact_id in outcome.fact_ids and plain(record.what)]
