"""Verbs of talking: tell, promise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import Field

from lorewright.builtin.inner import InnerDeed
from lorewright.builtin.narrator.act_words import Actor, Telling, after_talk, quotes, recorded_beats, talk_beats
from lorewright.builtin.narrator.authored import plain, quoted, reminder
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.outcomes import deed_facts
from lorewright.builtin.narrator.small_talk import answer_to_news, answer_to_words
from lorewright.builtin.narrator.views import Beat
from lorewright.builtin.npc.considered import (
    TRUSTING,
    Aim,
    Enactment,
    Moment,
    PossibleAct,
    Reaction,
    Sharing,
    is_word,
    recent_topics,
    tellable,
)
from lorewright.builtin.parser.handling import person_first
from lorewright.builtin.parser.readings import (
    MAX_WORDS,
    ParseContext,
    Reading,
    acting,
    alone,
    asking,
    only_person,
    person_meant,
    typeable,
)
from lorewright.builtin.parser.small_talk import remark_class
from lorewright.builtin.parser.speech import (
    cleaned_topic,
    guessed_person,
    has_words,
    named_person,
    put_to,
    read_remark,
    topic_start,
)
from lorewright.builtin.words.clauses import (
    Phrasing,
    Syntax,
    Word,
    bare,
    lows,
    syntaxes,
    trimmed,
    typed,
    words_of,
)
from lorewright.builtin.words.noun_phrases import PhraseMatch
from lorewright.rules.actions import Attempt, Deed, GroundedItem
from lorewright.rules.acts import Answer, hearers, knows, put_on_record
from lorewright.rules.patch import Outcome, Patch, ReasonCode
from lorewright.rules.reasons import why_not_to_somebody
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import Sight, Verb, seen
from lorewright.rules.verbs import typed as typed_lines
from lorewright.values.proposals import KnownItem
from lorewright.values.records import Evidence, NarratorInput
from lorewright.world.frozen import Frozen
from lorewright.world.ops import RevealItem
from lorewright.world.state import WorldState

# The addressee learns what is told, and bystanders hear it, unless it is whispered.

# tell: something that the teller knows, or mere words.


class TellMetadata(Frozen):
    """What somebody is told, in the teller's words; grounded to items that the teller knows. `lore_item_id` names one
    outright."""

    topic: str = Field(default="", max_length=200)
    lore_item_id: str | None = Field(default=None, max_length=300)
    whisper: bool = False


def _why_not_told(attempt: Attempt, state: WorldState) -> ReasonCode | None:
    """Return why one of the cast cannot tell what their words point at: they do not know it, or withhold it.

    Of several items one that they know is enough. The player may say anything: what they have not learned is only
    words.
    """
    action, items = attempt.action, attempt.grounding.items
    who = action.actor_id
    if who == state.player_id:
        return None
    named = action.metadata.get("lore_item_id")
    meant = items if named is None else [item for item in items if item.id == named]
    if not meant:
        return None if named is None else "not_known"
    if any(knows(who, item, state) for item in meant):
        return None
    return "kept_back" if any(item.holder_id == who and item.role == "withholds" for item in meant) else "not_known"


def _tell(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    """Let the addressee and bystanders learn what the teller knows; words that match nothing are only words."""
    told, who, state = attempt.action.target_id, attempt.action.actor_id, patch.state
    item = next((item for item in attempt.grounding.items if knows(who, item, state)), None)
    if item is None or told is None:
        return Answer("acted")
    if item.holder_id == told or state.has_learned(told, item.id):
        return Answer("heard_before")
    others = [other for other in hearers(attempt.action, state) if _is_new_to(other, item, state)]
    patch.do(
        RevealItem(item_id=item.id, to=told, how="told"),
        *(RevealItem(item_id=item.id, to=other, how="overheard") for other in others),
    )
    return Answer("heard")


def _is_new_to(who: str, item: GroundedItem, state: WorldState) -> bool:
    return item.holder_id != who and not state.has_learned(who, item.id)


_TOLD = Sight("{actor} told {target} something{about}", 2)
_TALKED = Sight("{actor} talked to {target}{about}", 1)


def _tell_sights(outcome: Outcome, place: str) -> Iterator[tuple[Sight, str]]:
    yield (_TOLD if outcome.code == "heard" else _TALKED), place


def _tell_words(given: NarratorInput, outcome: Outcome) -> Beat | None:
    _, slots = deed_facts(given, outcome)
    if outcome.code != "acted" or not slots["who"]:
        return None
    return answer_to_words(given, outcome) or answer_to_news(given, outcome) or Beat("outcome", "deed.tell", {}, slots)


def _tell_news_of_others(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    if outcome.code in ("heard", "heard_before"):
        return _told_beats(actor, outcome, evidence)
    return talk_beats(actor, outcome, evidence, words, "npc.said")


def _told_beats(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence]) -> list[Beat]:
    """Return what was told, word for word where it is new to the player; else that it was told."""
    new = [item for item in evidence if not item.known_before]
    if new:
        return quotes(actor, "npc.told", new, to=outcome.target_id)
    if outcome.code == "heard":
        return [actor.beat("act", "npc.told_bare", to=outcome.target_id)]
    is_yours = outcome.target_id == actor.told.player_id
    known = next((item for item in evidence if is_yours), None)
    clause = reminder(plain(known.text)) if known else ""
    facts: dict[str, Fact] = {"reminder": bool(clause)} if is_yours else {}
    beat = actor.beat("act", "npc.told_again", facts, to=outcome.target_id, reminder=quoted(clause) if clause else "")
    return [beat]


def _volunteer(moment: Moment) -> Iterator[PossibleAct]:
    """Yield the telling of known items about a topic that has come up, to trusted people, unasked: each item to one
    person, once.
    """
    if not moment.can(TELL.name):
        return
    said = recent_topics(moment)
    for person in moment.people:
        if moment.toward(person.id).trust < TRUSTING:
            continue
        open_ = [
            item
            for item in tellable(moment.given.knows, person.id)
            if not moment.done(f"told:{person.id}:{item.id}") and _is_about(item, said, moment)
        ]
        for item in open_[:1]:
            weight = 5 if person.id == moment.given.player_id else 2
            if (offer := _tell_item(item, person.id, moment, weight)) is not None:
                yield offer


def _is_about(item: KnownItem, said: str, moment: Moment) -> bool:
    """Tell whether something that an item names was spoken of, other than those present."""
    names_here = {person.name.casefold() for person in (*moment.people, moment.given.scope.player)}
    named = [topic.casefold() for topic in item.topics] + [item.name.replace("-", " ").replace("_", " ").casefold()]
    return any(is_word(name, said) for name in named if len(name) > 2 and name not in names_here)


def _tell_item(item: KnownItem, to: str, moment: Moment, weight: int) -> PossibleAct | None:
    """Return an act of telling somebody an item; in a whisper where it is about a bystander."""
    folded = f"{item.text} {' '.join(item.topics)}".casefold()
    by_standers = [person for person in moment.people if person.id != to]
    whisper = any(by_stander.name.casefold() in folded for by_stander in by_standers)
    what = next((topic for topic in item.topics if topic.casefold() != moment.given.me.name.casefold()), "")
    group = "tell.whisper" if whisper else "tell"
    found = moment.words.sentence(group, person=to, what=what or "something that nobody has asked about")
    if found is None:
        return None
    thought, keys = moment.thought("think.tell", person=to)
    action = moment.action(TELL.name, to, item=item.id, whisper=whisper)
    return PossibleAct(
        found.text, weight, ("help",), thought=thought, action=action, item_id=item.id,
        keys=(found.key, *keys, moment.key(f"told:{to}:{item.id}")),
    )  # fmt: skip


def _is_tellable(deed: Deed, moment: Moment) -> bool:
    known = moment.given.knows
    return deed.lore_item is None or any(item.id == deed.lore_item and not item.kept_back for item in known)


def _is_known(deed: Deed, moment: Moment) -> bool:
    """Tell whether the listener has just learned, or has long known, what is to be told."""
    known = moment.given.knows
    return any(item.id == deed.lore_item and deed.target in item.told_to for item in known)


def _read_tell(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `viktor about jin`, `viktor that jin is alive`; `tell me …` asks, and `tell viktor to …` is persuasion."""
    rest = rest[1:] if lows(rest)[:1] == ["to"] else rest
    if lows(rest)[:1] in (["me"], ["us"]):
        return put_to(ctx, words, None, rest[1:])
    people = ctx.nouns.people
    if not has_words(rest):
        return asking(words, "Tell whom, and what?", [f"tell {typeable(person.name)} the truth" for person in people])
    plain = rest[1:] if lows(rest)[:1] == ["the"] else rest
    named = named_person(ctx, plain) or guessed_person(ctx, plain)
    if named is None:
        cut = topic_start(rest)
        found = person_meant(ctx, typed(rest[:cut])) if cut else None
        hearers = only_person(ctx)
        if lows(rest)[:1] in (["them"], ["everyone"], ["everybody"]) and len(rest) > 1 and hearers is not None:
            return _read_told(ctx, words, hearers, rest[1:])
        if not isinstance(found, PhraseMatch):
            is_proposed = remark_class(words) == "suggestion" and ctx.nouns.people
            return read_remark(ctx, words, None, words_of(words)) if is_proposed else _ask_whom_to_tell(ctx, words)
        named, plain = (found, cut), rest
    return _read_told(ctx, words, named[0], plain[named[1] :])


def _read_told(ctx: ParseContext, words: str, target: PhraseMatch, said: Sequence[Word]) -> Reading | None:
    low = lows(said)
    name = typeable(target.label)
    if not has_words(said):
        return asking(
            words, f"Tell {target.label} what?", [f"tell {name} the truth", *typed_lines("meet", person=name)]
        )
    if low[:1] == ["to"]:
        asking_for = next((syntax.request for syntax in syntaxes() if syntax.request is not None), None)
        return None if asking_for is None else asking_for(ctx, target, said[1:])
    if low[:1] in (["about"], ["of"]):
        topic = cleaned_topic(said)
        return acting(
            ctx, TELL.name, f"tell {name} about {topic}", target=target, metadata={"topic": topic or typed(said)}
        )
    topic = typed(said[1:] if low[:1] == ["that"] and len(said) > 1 else said)[:MAX_WORDS].strip()
    return acting(ctx, TELL.name, f"tell {name} that {topic}", target=target, metadata={"topic": topic})


def _ask_whom_to_tell(ctx: ParseContext, words: str) -> Reading:
    people = ctx.nouns.people
    if not people:
        return alone(words)
    return asking(words, "Tell whom?", [f"tell {typeable(person.name)} the truth" for person in people])


TELL = Verb(
    name="tell",
    rank=60,
    summary="tell somebody something: what the teller knows is news to them, all else is mere words",
    condition="the person is here; one of the cast must know what they tell, and not withhold it",
    remembered="that something was told, and what about as far as that names anybody",
    lines={"pass_on": "tell {person} about {topic}"},
    rule_lines=lambda names: names.said("tell"),
    grounding="own",
    reply="free",
    loosens_tongues=True,
    metadata=TellMetadata,
    aim="person",
    needs=("target",),
    needs_one_of=(("item", "topic"), "`item`, what is known, or `topic`, the words"),
    requires=why_not_to_somebody,
    grounded=_why_not_told,
    does=_tell,
    is_speech=True,
    sights=_tell_sights,
    note="let {target} take it in",
    history="told {target}{about}",
    parts=(
        Phrasing(
            340,
            "tell, inform, warn, explain to, let know, report to, confess to, notify, remind, mention to, admit to",
            _read_tell,
            has_topic=True,
        ),
        Syntax(listed=3),
        Aim(50, _volunteer),
        Enactment(group="tell", is_possible=_is_tellable, is_pointless=_is_known),
        Sharing(_tell_item),
        Telling(of_player=_tell_words, of_others=_tell_news_of_others, after=after_talk("tell")),
    ),
)


# promise: a word that is on record from then on.


class PromiseMetadata(Frozen):
    """What is promised, in the words of the promiser; it is on record from then on."""

    topic: str = Field(default="", max_length=200)
    whisper: bool = False


def _promise(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    """Record somebody's promise, in their own words."""
    return Answer("promised", fact_ids=put_on_record(patch, attempt.action, "promised"))


def _tell_promise_of_others(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    if outcome.code != "promised":
        return talk_beats(actor, outcome, evidence, words, "npc.promised")
    said = recorded_beats(actor, outcome, "npc.promised.said")
    return said or [actor.beat("act", "npc.promised", to=outcome.target_id)]


def _read_promise(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `viktor I'll bring it back`, `to bring it back` where only one person can be meant."""
    people = ctx.nouns.people
    first = person_first(ctx, rest) if rest else None
    if first is None and len(people) == 1 and bare(rest):
        first = PhraseMatch(people[0], people[0].name, 0.85, mended=True), 0
    if first is None:
        word = typed(trimmed(rest, start=("to", "that"))) or "help"
        lines = [f"promise {typeable(person.name)} {word}" for person in people]
        return asking(
            words,
            "Promise whom?" if people else "Nobody is here to promise it to. You can:",
            lines or typed_lines("view"),
        )
    target, size = first
    what = [word for word in rest[size:] if word.kind in ("word", "speech")]
    if what and what[0].low in ("that", "to"):
        what = what[1:]
    if not what:
        return asking(words, f"Promise {target.label} what?", [f"promise {typeable(target.label)} help"])
    topic = typed(what)[:MAX_WORDS].strip()
    return acting(ctx, PROMISE.name, f"promise {target.label}: {topic}", target=target, metadata={"topic": topic})


PROMISE = Verb(
    name="promise",
    rank=90,
    summary="give somebody one's word; it is on record from then on",
    condition="the person is here",
    remembered="that a promise was given, and its words",
    lines={"give_word": "promise {person} to come back"},
    rule_lines=lambda names: names.said("promise", " to"),
    loosens_tongues=True,
    metadata=PromiseMetadata,
    aim="person",
    needs=("target", "topic"),
    requires=why_not_to_somebody,
    does=_promise,
    is_speech=True,
    sights=seen("{actor} gave {target} a promise", 3),
    note="let {target} take the word",
    parts=(
        Phrasing(
            240,
            "promise, swear to, vow to, give my word to, swear, pledge to, make a promise to",
            _read_promise,
            has_topic=True,
        ),
        Syntax(recorded=("promised", ("promise", "promised", "swear", "swore"))),
        InnerDeed("promise", 60, {"resolve": 1}, "resolute"),
        Reaction(is_thought_about=True),
        Telling(of_others=_tell_promise_of_others, after=after_talk()),
    ),
)


VERBS = (TELL, PROMISE)
