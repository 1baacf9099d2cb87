"""Verbs of pressing somebody: persuade, threaten."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pydantic import Field

from lorewright.builtin.inner import THREAT
from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_words import (
    Actor,
    Telling,
    after_talk,
    answer_beats,
    meant_for,
    recorded_beats,
    speaks,
    topic_of,
    worded,
)
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.outcomes import telling_of_person
from lorewright.builtin.narrator.small_talk import answer_by_form
from lorewright.builtin.narrator.views import Beat
from lorewright.builtin.npc.considered import Reaction
from lorewright.builtin.parser.handling import person_first
from lorewright.builtin.parser.readings import (
    MAX_WORDS,
    ParseContext,
    PhraseKind,
    Reading,
    acting,
    asking,
    meant,
    only_person,
    read_as,
    typeable,
)
from lorewright.builtin.words.clauses import (
    Phrasing,
    Syntax,
    Word,
    bare,
    lows,
    parted,
    typed,
    words_of,
)
from lorewright.builtin.words.noun_phrases import PhraseMatch, resolve
from lorewright.rules.actions import Action, Attempt
from lorewright.rules.acts import Answer, first_new, held_by, put_on_record, reveal
from lorewright.rules.observations import UNSEEN
from lorewright.rules.patch import Outcome, Patch
from lorewright.rules.reasons import why_not_to_somebody
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import RuleNames, Sight, Verb, seen, verbs
from lorewright.rules.verbs import typed as typed_lines
from lorewright.values.records import Evidence, NarratorInput
from lorewright.world.events import ItemGiven
from lorewright.world.frozen import Frozen
from lorewright.world.ops import AdvanceTime, ChangeRelation, Recall, TickClock, TransferItem


class PressureMetadata(Frozen):
    """The aim of pressure on somebody, in the actor's words, and the thing that is to help: a bribe, a weapon; in a
    `deal` it is theirs as soon as they have told what they were asked to tell for it."""

    topic: str = Field(default="", max_length=200)
    item_id: str | None = None
    whisper: bool = False
    deal: bool = False


def _press(patch: Patch, attempt: Attempt, facts: tuple[str, ...] = ()) -> Answer:
    """Let somebody who was won over or frightened tell what they know of the matter; what is withheld only a rule
    opens.
    """
    action = attempt.action
    if action.metadata.get("topic") and action.target_id != patch.state.player_id:
        matched = held_by(action.target_id, attempt)
        new = first_new([item for item in matched if item.role == "knows"], action.actor_id, patch.state)
        if new is not None:
            reveal(patch, new.id, action, how="told", others="overheard")
            _pay(patch, action)
            return Answer("told", fact_ids=facts)
        if first_new(matched, action.actor_id, patch.state) is not None:
            return Answer("deflected", fact_ids=facts)
        if matched and action.actor_id == patch.state.player_id:
            return Answer("told_before", known_item_ids=(matched[0].id,), fact_ids=facts)
    return Answer("acted", fact_ids=facts)


def _pay(patch: Patch, action: Action) -> None:
    """Hand over what was offered for it."""
    item, who = action.item_id, action.target_id
    is_at_hand = item is not None and patch.state.held_by(action.actor_id).get(item)
    if action.metadata.get("deal") and item is not None and who is not None and is_at_hand:
        patch.do(TransferItem(item_id=item, from_id=action.actor_id, to_id=who, quantity=1))
        patch.tell(ItemGiven(item=item, to=who))


def _telling(name: str) -> Telling:
    def tell(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
        return [*_pressure_beats(actor, outcome, words, f"npc.{name}"), *answer_beats(actor, outcome, evidence)]

    return Telling(of_player=_tell_pressure(f"deed.{name}"), of_others=tell, after=after_talk(), fails_in_words=True)


def _tell_pressure(group: str) -> Callable[[NarratorInput, Outcome], Beat | None]:
    """Return what tells pressure by its band, or by its form where no dice were thrown; who was won over about somebody
    or something that they know nothing of says so.
    """
    tell = telling_of_person(group)

    def told(given: NarratorInput, outcome: Outcome) -> Beat | None:
        without_dice = outcome.code == "acted" and outcome.band is None
        if without_dice and (by_form := answer_by_form(given, outcome)) is not None:
            return by_form
        kind, topic = views.topic(given, outcome.words)
        who = views.person(given, outcome.target_id)
        item = views.thing(given, outcome.item_id) if outcome.form == DEAL and outcome.item_id else ""
        if outcome.code == "acted" and who is not None and item:
            facts: dict[str, Fact] = {"band": outcome.band or "success"}
            return Beat("outcome", "pressed.deal", facts, {"who": who, "item": item})
        has_won = outcome.code == "acted" and outcome.band in ("critical", "success", "mixed")
        if not has_won or who is None or not outcome.words:
            return tell(given, outcome)
        if kind == "named":
            return Beat("outcome", "pressed.nothing", {}, {"who": who, "topic": topic})
        came_of_it = any(not isinstance(op, _WORDS_ALONE) for op in given.ops)
        return tell(given, outcome) if came_of_it else Beat("outcome", "pressed.asked", {}, {"who": who})

    return told


# What somebody does who was won over, and nothing that was asked for.
_WORDS_ALONE = (AdvanceTime, TickClock, ChangeRelation, Recall)


def _pressure_beats(actor: Actor, outcome: Outcome, words: str, group: str) -> list[Beat]:
    """Return pressure by its end, where that is known, or by its topic, else the intention's own words; threats as they
    are on record.
    """
    topic, to = topic_of(actor.told, outcome), outcome.target_id
    aimed, _ = meant_for(actor.told, to)
    on_record = recorded_beats(actor, outcome, "npc.threatened")
    if on_record and outcome.band is None:
        return on_record
    rolled = outcome.band is not None or (aimed.get("to") == "other")
    if words and not rolled and (speaks(words) or not topic):
        return worded(actor, words)
    about: dict[str, Fact] = {"topic": "named"} if topic else {}
    facts: dict[str, Fact] = {"band": outcome.band or "success"} if rolled else about
    return [actor.beat("act", group, facts if aimed else {}, to=to, topic=topic), *on_record]


# persuade: win somebody over.


def _persuade(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    return _press(patch, attempt)


_WON_OVER = Sight("{actor} won {target} over", 2)
_TRIED_TO = Sight("{actor} tried to win {target} over", 2)


def _persuade_sights(outcome: Outcome, place: str) -> Iterator[tuple[Sight, str]]:
    yield (_WON_OVER if outcome.band in UNSEEN or outcome.code == "told" else _TRIED_TO), place


# Words before the aim of pressure on somebody.
_AIMS = ("to", "that", "for", "into", "about", "on", "over", "if", "by", "not", "of")


def _read_pressed(ctx: ParseContext, words: str, rest: Sequence[Word], kind: str) -> Reading | None:
    nouns = ctx.nouns
    pattern = f"{kind} {{}}"
    first = person_first(ctx, rest)
    if first is None:
        subject = parted(rest, (*_AIMS, "with"))[0]
        if not bare(subject):
            return asking(
                words,
                "Whom?",
                [pattern.format(typeable(person.name)) for person in nouns.people] or typed_lines("view"),
            )
        target = meant(ctx, words, subject, PhraseKind(nouns.people, nouns.known_people, pattern))
        if isinstance(target, Reading):
            return target
        first = target, len(subject)
    target, size = first
    return _read_pressure(ctx, words, kind, target, rest[size:])


def _read_pressure(ctx: ParseContext, words: str, kind: str, target: PhraseMatch, rest: Sequence[Word]) -> Reading:
    """Read the words after the person: `with the card`, `to open the door`, `with the police`."""
    if rest and rest[0].low == "and":
        pattern = f"{kind} {typeable(target.label)}"
        return asking(words, "One at a time, please. You can:", [pattern])
    item: PhraseMatch | None = None
    aim, joint, tool = parted((Word("-", "-", "comma"), *rest), ("with", "using"))
    if joint:
        found = resolve(bare(tool), ctx.nouns.carried, ctx.nouns.here)
        if isinstance(found, PhraseMatch):
            item, rest = found, aim[1:]
        else:
            rest = (*aim[1:], *tool)
    topic = _read_aim(rest)
    metadata: dict[str, Any] = {"topic": topic} if topic else {}
    return acting(ctx, kind, f"{kind} {target.label}", target=target, item=item, metadata=metadata)


def _read_aim(rest: Sequence[Word]) -> str:
    """Return the end as typed, without the word that joins it on."""
    words = [word for word in rest if word.kind in ("word", "speech")]
    if words and words[0].low in _AIMS and words[0].low != "not":
        words = words[1:]
    return bare(words)[:MAX_WORDS].strip() if words else ""


def _read_persuade(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read persuading somebody, perhaps to some end, perhaps with something: a bribe."""
    return _read_pressed(ctx, words, rest, PERSUADE.name)


# Something for something: `I'll give you the stick if you open the door`.
_BARGAIN = re.compile(
    r"(?:(?:and|so|then|ok|well|please),? )*(?:(?P<call>[\w' ]+?), )?(?:(?:i|we)(?:'ll| will| would|'d| can| could)? )?"
    r"(?:offer|give|hand|pay|bribe|trade|promise|let)s?(?: to (?:give|pay))? (?P<what>.+?),? "
    r"(?:if|provided(?: that)?|as long as|so long as|in return for|in exchange for|in return if|on condition that|once)"
    r" (?P<end>.+?)[.!?]*",
    re.IGNORECASE,
)
_THEIRS = re.compile(
    r"^(?:you|she|he|they|[A-Z]\w+)(?:'ll| will| would|'d| can| could| agrees? to| promises? to)? ", re.IGNORECASE
)
_WISHED = re.compile(r"(?:asks?|wants?|needs?|likes?|insists?|is|are|has|have|looks?|seems?)\b", re.IGNORECASE)
_TELLS = re.compile(r"^(?:tells?|shows?|lets?) (?:me|us) (?:know )?(?:about |of )?", re.IGNORECASE)


def _read_bargain(ctx: ParseContext, text: str) -> Reading | None:
    """Read a carried thing that is offered on a condition as pressing somebody with it; None for other lines."""
    found = _BARGAIN.fullmatch(text.strip(' .!"“”'))
    if found is None:
        return None
    what = words_of(found["what"])
    people = ctx.nouns.people
    first = person_first(ctx, what)
    last = re.search(r"^(?P<thing>.+?) (?:to|for) (?P<whom>[\w' ]+)$", found["what"])
    whom = resolve(last["whom"], people) if last else None
    called = resolve(found["call"], people) if found["call"] else None
    if lows(what)[:1] == ["you"]:
        target, what = called if isinstance(called, PhraseMatch) else only_person(ctx), what[1:]
    elif first is not None:
        target, what = first[0], what[first[1] :]
    elif isinstance(whom, PhraseMatch) and last is not None:
        target, what = whom, words_of(last["thing"])
    else:
        target = called if isinstance(called, PhraseMatch) else None
    thing = parted(what, ("for", "as"))[0]
    item = resolve(bare(thing), ctx.nouns.carried, whole=True) if bare(thing) else None
    if target is None or target.candidate not in people or not isinstance(item, PhraseMatch):
        return None
    end = _THEIRS.sub("", found["end"].strip())
    if _WISHED.match(end):
        # `Give her the coffee if she wants it` asks nothing for it.
        return None
    topic = _TELLS.sub("", end).strip()[:MAX_WORDS]
    metadata = {"topic": topic, "form": DEAL, **({"deal": True} if topic != end.strip() else {})}
    return acting(ctx, PERSUADE.name, f"persuade {target.label}", target=target, item=item, metadata=metadata)


# The form of an offer on a condition.
DEAL = "deal"


def _read_request(ctx: ParseContext, target: PhraseMatch, what: Sequence[Word]) -> Reading:
    """Read a request that somebody do something as persuasion."""
    topic = typed(what)[:MAX_WORDS].strip()
    metadata = {"topic": topic} if topic else {}
    return acting(ctx, PERSUADE.name, f"persuade {target.label}", target=target, metadata=metadata, confidence=0.8)


def _rule_lines(word: str, names: RuleNames) -> Iterator[str]:
    yield from names.said(word, f"{names.along} about")
    yield from names.done(word)


PERSUADE = Verb(
    name="persuade",
    rank=70,
    summary="win somebody over, or have something from them",
    condition="the person is here, and the thing that is to help is carried",
    remembered="whether somebody was won over",
    lines={"win_over": "persuade {person}"},
    rule_lines=lambda names: _rule_lines("persuade", names),
    grounding="theirs",
    reply="answer",
    loosens_tongues=True,
    opens_withheld=True,
    metadata=PressureMetadata,
    aim="person",
    needs=("target",),
    requires=why_not_to_somebody,
    does=_persuade,
    is_speech=True,
    is_pressing=True,
    sights=_persuade_sights,
    note="let {target} give way, or not",
    parts=(
        Phrasing(
            210,
            "persuade, convince, beg, flatter, charm, bribe, lie to, plead with, bargain with, negotiate with, "
            "coax, sweet-talk, implore, reason with, talk into, deceive, bluff, con, cajole, calm, reassure, "
            "appeal to, win over, haggle with, reason, trick, fool, urge, order, command, encourage, tempt, "
            "invite, press, pressure, badger, pester, work on",
            _read_persuade,
            has_topic=True,
        ),
        Syntax(request=_read_request, bargain=_read_bargain, risk="contested"),
        _telling("persuade"),
    ),
)


# threaten: frighten somebody; the threat is on record.


def _threaten(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    return _press(patch, attempt, put_on_record(patch, attempt.action, "threatened"))


def _read_threaten(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read threatening somebody, perhaps with something: a weapon in hand, or a possible consequence."""
    if not person_first(ctx, rest) and isinstance(resolve(bare(rest), ctx.nouns.things + ctx.nouns.doors), PhraseMatch):
        return read_as(next((verb for verb in verbs().values() if verb.is_violent), None), ctx, words, rest)
    return _read_pressed(ctx, words, rest, THREATEN.name)


def _read_point(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a weapon pointed at somebody as a threat."""
    thing, joint, goal = parted(rest, ("at", "towards", "toward", "to"))
    item = resolve(bare(thing), ctx.nouns.carried, ctx.nouns.here) if joint else None
    if not isinstance(item, PhraseMatch):
        return None
    target = meant(
        ctx, words, goal, PhraseKind(ctx.nouns.people, ctx.nouns.known_people, f"point {item.label} at {{}}")
    )
    if isinstance(target, Reading):
        return target
    return acting(ctx, THREATEN.name, f"threaten {target.label} with {item.label}", target=target, item=item)


THREATEN = Verb(
    name="threaten",
    rank=80,
    summary="frighten somebody; the threat is on record from then on",
    condition="the person is here, and the thing that is to help is carried",
    remembered="that somebody was threatened, and the words of the threat",
    lines={"frighten": "threaten {person}"},
    rule_lines=lambda names: _rule_lines("threaten", names),
    grounding="theirs",
    reply="answer",
    loosens_tongues=True,
    metadata=PressureMetadata,
    aim="person",
    needs=("target",),
    requires=why_not_to_somebody,
    does=_threaten,
    is_speech=True,
    is_pressing=True,
    regard=(0, 1),
    sights=seen("{actor} threatened {target}", 4),
    note="let {target} give way, or not",
    parts=(
        Phrasing(
            220,
            "threaten, intimidate, scare, blackmail, menace, frighten, bully, threaten to kill, threaten to hurt, "
            "threaten to attack, threaten to shoot, threaten to stab, coerce, extort, terrorize, terrorise",
            _read_threaten,
            has_topic=True,
        ),
        Phrasing(
            230,
            "point, aim",
            _read_point,
        ),
        Syntax(risk="violence", recorded=("threatened", ("threaten", "threatened"))),
        THREAT,
        Reaction(tags=("threat",), is_thought_about=True),
        _telling("threaten"),
    ),
)

VERBS = (PERSUADE, THREATEN)
