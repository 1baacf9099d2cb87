"""An intention in its own words -> the same as narration: whole sentences, the player as `you`, or nothing that could
not stand there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.authored import ended, is_named_in, plain, quoted, reminder, word_count
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.views import Beat, Kind, Person, Slot
from lorewright.builtin.parser.clauses import capitalised, place_name, with_article
from lorewright.rules.patch import Outcome
from lorewright.scene_lore.gather import in_sentences
from lorewright.values.records import Evidence, NarratorInput, NpcAct, Recorded

# An act and what it was aimed at -> beats with their facts and slots: who acts, whom it is meant for, with what.

_ID_LIKE = re.compile(r"\w:\w|\w_\w|#|/")
# A topic that no name stands behind is said where it stands in a sentence as it is.
_SAYABLE = re.compile(r"(?:the|a|an|this|that|your|his|her|their|its|our|what|where|who|why|when|how|whether)\s[a-z]")


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody's act with the person as a slot; `told` is the input that it is told from."""

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
        """A beat about whoever acts; `to` is whom it is meant for, by ID."""
        aimed, other = meant_for(self.told, to)
        return Beat(kind, group, {**aimed, **(facts or {})}, {"who": self.person, "other": other, **slots})


def actor_of(given: NarratorInput, act: NpcAct) -> Actor:
    """Whoever acts, by the name that the act has, else by the one they have here; `somebody` where there is neither."""
    name = plain(act.name)
    if not name or name == act.who or _ID_LIKE.search(name):
        found = views.person(given, act.who)
        return Actor(given, act, Person(act.who, found.name if found else "somebody", act.pronoun))
    return Actor(
        given, act, Person(act.who, with_article(name) if name[0].islower() else place_name(name), act.pronoun)
    )


def meant_for(given: NarratorInput, entity_id: str | None) -> tuple[dict[str, Fact], str]:
    """The fact `to` (`you`, `other`; none where nobody has a name) and the name of another."""
    if entity_id is None:
        return {}, ""
    if entity_id == given.player_id:
        return {"to": "you"}, ""
    if not is_somebody(given, entity_id):
        return {}, ""
    who = views.person(given, entity_id)
    return ({"to": "other"}, who.name) if who else ({}, "")


def is_somebody(given: NarratorInput, entity_id: str | None) -> bool:
    """Whether an ID is the player's or of somebody who is here, has come or gone, or acts."""
    people = {view.id for view in given.scene.people} | {movement.entity_id for movement in given.movements}
    return entity_id is not None and entity_id in people | {act.who for act in given.acts} | {given.player_id}


def thing_of(given: NarratorInput, outcome: Outcome) -> str:
    """What it was aimed at, where that is a thing with a name."""
    return "" if is_somebody(given, outcome.target_id) else views.thing(given, outcome.target_id)


def item_of(given: NarratorInput, outcome: Outcome) -> str:
    """The thing that went along."""
    return "" if outcome.item_id is None else views.thing(given, outcome.item_id)


def place_of(given: NarratorInput, outcome: Outcome) -> str:
    """Where it led, where that has a name."""
    return views.place(given, outcome.location_id) if views.name_of(given, outcome.location_id) else ""


def topic_of(given: NarratorInput, outcome: Outcome) -> str:
    """What was spoken about, as it stands in a sentence; empty where it cannot be said like that."""
    words = " ".join(plain(outcome.words).split()).rstrip(".?!")
    kind, topic = views.topic(given, words)
    if kind == "named":
        return topic
    return words if _SAYABLE.match(words) and views.is_plain(words) else ""


def flags(**named: Slot) -> dict[str, Fact]:
    """A fact for each slot that has something in it."""
    return {name: True for name, value in named.items() if value}


_MOST_WORDS = 45
_UNFIT = re.compile(r"\w:\w|\w_\w|[#{}\[\]<>|]|/\w")
_BY_PRONOUN = re.compile(r"(?:He|She|They|It|His|Her|Their|Its)\b")
_QUOTED = re.compile(r"(“[^”]*”|\"[^\"]*\")")
# After these a name before them has been an object, so that `you` can stand there as well.
_AFTER_OBJECT = (
    r"about|again|and|as|at|away|back|before|by|down|for|from|in|into|of|off|on|out|over|then|to|up|with|without|"
    r"a|an|the|his|her|its|their|what|where|who|why|when|how|whether|that|this"
)
# What somebody does of whom one says that another looks at what they do, and the same of `you`.
_YOUR_VERBS = MappingProxyType(
    {
        "wants": "want", "means": "mean", "says": "say", "said": "said", "does": "do", "did": "did", "has": "have",
        "had": "had", "is": "are", "was": "were", "goes": "go", "looks": "look", "will": "will", "can": "can",
    }
)  # fmt: skip


def own_words(actor: Actor) -> str:
    """The words of the intention as they can be told; empty where they name nobody, or show what is no prose.

    They are sentences of ours or a model's, not an author's: the player's name becomes `you` where that fits.
    """
    text = plain(actor.act.text)
    if not text or _UNFIT.search(text):
        return ""
    text = ended(_first_sentences(text))
    named = is_named_in([actor.person.name, plain(actor.act.name)], text)
    if not (named or _BY_PRONOUN.match(text)) or word_count(text) > _MOST_WORDS:
        return ""
    return _to_you(capitalised(text), views.name_of(actor.told, actor.told.player_id) or actor.told.player.name)


def worded(actor: Actor, words: str) -> list[Beat]:
    """The words as a beat, after a short sentence with the name where they have a pronoun alone."""
    told = quoting(actor, words)
    return [told] if is_named_in([actor.person.name], words) else [actor.beat("act", "npc.own"), told]


def quoting(actor: Actor, text: str, *keys: str) -> Beat:
    """A text as a beat. The lines of the notes that it quotes are cited, and are not told by themselves any more."""
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
    """Whether somebody is quoted in the words."""
    return bool(_QUOTED.search(words))


def _first_sentences(text: str) -> str:
    """So many whole sentences as are not too many words."""
    if word_count(text) <= _MOST_WORDS:
        return text
    kept: list[str] = []
    for sentence in in_sentences(text):
        if kept and word_count(" ".join([*kept, sentence])) > _MOST_WORDS:
            break
        kept.append(sentence)
    return " ".join(kept)


def _to_you(text: str, name: str) -> str:
    """The player's name as `you` and `your` where it is an object; what is quoted, and where it is a subject, stays."""
    if not name.strip():
        return text
    called = re.escape(name)
    possessive = re.compile(rf"(?<=\w )(?<![.!?] ){called}['’]s?(?!\w)")
    aimed = re.compile(rf"(?<=[\w,] ){called}(?=[.,;:!?…]|$)|(?<=[\w,] )(?<!\band ){called}(?= (?:{_AFTER_OBJECT})\b)")
    doing = re.compile(rf"(?<=[\w,] ){called} ({'|'.join(_YOUR_VERBS)})\b")
    parts = _QUOTED.split(text)
    parts[::2] = [aimed.sub("you", possessive.sub("your", part)) for part in parts[::2]]
    parts[::2] = [doing.sub(lambda found: f"you {_YOUR_VERBS[found[1]]}", part) for part in parts[::2]]
    return "".join(parts)


def tells_of_player(given: NarratorInput, words: str) -> bool:
    """Whether the words still call the player by name outside of a quotation, as nobody would who tells it to them."""
    name = views.name_of(given, given.player_id) or given.player.name
    return is_named_in([name], "".join(_QUOTED.split(words)[::2]))


# What somebody says of their own accord, and what is answered -> beats: questions, news, pressure, promises.

_GROUPS: Final = MappingProxyType(
    {
        "ask": "npc.ask", "tell": "npc.said", "persuade": "npc.persuade", "threaten": "npc.threaten",
        "promise": "npc.promised", "recall": "npc.nothing_recalled",
    }
)  # fmt: skip
_ANSWERED = frozenset(("told", "told_before", "deflected", "does_not_know"))


def talk_beats(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], *, words: str) -> list[Beat] | None:
    """What is said and what is answered; None where the act is no talk."""
    if outcome.type not in _GROUPS:
        return None
    if outcome.code in ("heard", "heard_before"):
        return _told(actor, outcome, evidence)
    if outcome.code == "promised":
        return _on_record(actor, outcome, "npc.promised.said") or [
            actor.beat("act", "npc.promised", to=outcome.target_id)
        ]
    if outcome.code == "recalled":
        return _recalled(actor, outcome)
    if outcome.code == "nothing_recorded":
        return [actor.beat("act", "npc.nothing_recalled", to=outcome.target_id)]
    said = _said(actor, outcome, words)
    if outcome.code in _ANSWERED and outcome.target_id != actor.told.player_id:
        return [*said, *_answered(actor, outcome, evidence)]
    return said


def _said(actor: Actor, outcome: Outcome, words: str) -> list[Beat]:
    """A question, pressure, or words; the intention's own where ours could not say what about."""
    topic = topic_of(actor.told, outcome)
    about: dict[str, Fact] = {"topic": "named"} if topic else {}
    group, to = _GROUPS[outcome.type], outcome.target_id
    aimed, _ = meant_for(actor.told, to)
    if outcome.type in ("persuade", "threaten"):
        recorded = _on_record(actor, outcome, "npc.threatened")
        if recorded and outcome.band is None:
            return recorded
        rolled = outcome.band is not None or (aimed.get("to") == "other")
        facts: dict[str, Fact] = {"band": outcome.band or "success"} if rolled else about
        if words and not rolled and (speaks(words) or not topic):
            return worded(actor, words)
        return [actor.beat("act", group, facts if aimed else {}, to=to, topic=topic), *recorded]
    if words and (speaks(words) or not topic):
        return worded(actor, words)
    return [actor.beat("act", group, about if aimed else {}, to=to, topic=topic)]


def _told(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence]) -> list[Beat]:
    """What was told, word for word where it is new to the player; else that it was told."""
    new = [one for one in evidence if not one.known_before]
    if new:
        return quotes(actor, "npc.told", new, to=outcome.target_id)
    if outcome.code == "heard":
        return [actor.beat("act", "npc.told_bare", to=outcome.target_id)]
    is_yours = outcome.target_id == actor.told.player_id
    known = next((one for one in evidence if is_yours), None)
    clause = reminder(plain(known.text)) if known else ""
    facts: dict[str, Fact] = {"reminder": bool(clause)} if is_yours else {}
    beat = actor.beat("act", "npc.told_again", facts, to=outcome.target_id, reminder=quoted(clause) if clause else "")
    return [beat]


def _answered(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence]) -> list[Beat]:
    """What somebody else answers, word for word where it is new to the player."""
    who = views.person(actor.told, outcome.target_id)
    if who is None:
        return []
    new = [one for one in evidence if not one.known_before]
    other = actor.person.name
    if outcome.code == "told" and new:
        return _framed("npc.answered.told", who, other, {}, new)
    group = "npc.answered.told.bare" if outcome.code == "told" else f"npc.answered.{outcome.code}"
    return [Beat("act", group, {}, {"who": who, "other": other})]


def quotes(actor: Actor, group: str, evidence: Sequence[Evidence], *, to: str | None) -> list[Beat]:
    """Evidence in the actor's voice, framed by a group."""
    aimed, other = meant_for(actor.told, to)
    return _framed(group, actor.person, other, aimed, evidence)


def _framed(group: str, who: Person, other: str, facts: dict[str, Fact], evidence: Sequence[Evidence]) -> list[Beat]:
    return [
        Beat(
            "evidence",
            "told.more" if number else group,
            {} if number else facts,
            {"who": who, "other": other},
            authored=plain(one.text),
            is_speech=True,
            cites=(one.item_id,),
        )
        for number, one in enumerate(evidence)
    ]


def _on_record(actor: Actor, outcome: Outcome, group: str) -> list[Beat]:
    """What was threatened or promised, in the words in which it stands on record."""
    said = _recorded(actor, outcome)
    return [
        Beat("act", beat.group, beat.facts, beat.slots, authored=plain(one.what), is_speech=True)
        for one in said[:1]
        for beat in [actor.beat("act", group, to=outcome.target_id)]
    ]


def _recalled(actor: Actor, outcome: Outcome) -> list[Beat]:
    said = _recorded(actor, outcome)
    if not said:
        return [actor.beat("act", "npc.nothing_recalled", to=outcome.target_id)]
    beats = []
    for number, one in enumerate(said[:2]):
        by = "you" if one.by_id == actor.told.player_id else "them"
        facts: dict[str, Fact] = {"by": by, "kind": one.predicate} if outcome.target_id == actor.told.player_id else {}
        frame = actor.beat("act", "recalled.more" if number else "npc.recalled", facts, to=outcome.target_id)
        facts_told = {} if number else frame.facts
        beats.append(Beat("act", frame.group, facts_told, frame.slots, authored=plain(one.what), is_speech=True))
    return beats


def _recorded(actor: Actor, outcome: Outcome) -> list[Recorded]:
    return [one for one in actor.told.recorded if one.fact_id in outcome.fact_ids and plain(one.what)]
