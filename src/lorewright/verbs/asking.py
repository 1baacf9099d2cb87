"""Verb of asking: ask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pydantic import Field

from lorewright.builtin.narrator.act_words import Actor, Telling, after_talk, talk_beats
from lorewright.builtin.narrator.hearing import is_between_two
from lorewright.builtin.narrator.outcomes import ignorance
from lorewright.builtin.narrator.retorts import RETORT
from lorewright.builtin.narrator.scenery import answer
from lorewright.builtin.narrator.small_talk import ECHO, answer_without_lore, asks_for_lore, is_of_listener
from lorewright.builtin.narrator.views import Beat
from lorewright.builtin.npc.considered import (
    Aim,
    Enactment,
    Moment,
    PossibleAct,
    Reaction,
    is_word,
    name_topic,
    recent_topics,
)
from lorewright.builtin.parser.readings import (
    MAX_WORDS,
    ParseContext,
    Reading,
    acting,
    alone,
    asking,
    nothing_called,
    only_person,
    person_meant,
    typeable,
    which,
    wondering,
)
from lorewright.builtin.parser.speech import (
    cleaned_topic,
    find_addressee,
    follow_up,
    guessed_person,
    has_words,
    named_person,
    nobody_called,
    read_civility,
    read_claim,
    read_record,
    read_remark,
    stranger_addressed,
    topic_start,
)
from lorewright.builtin.words.clauses import (
    Phrasing,
    Syntax,
    Word,
    lexicon,
    longest_prefix,
    lows,
    trimmed,
    typed,
    words_of,
)
from lorewright.builtin.words.noun_phrases import PhraseMatch, Tie, exact, pronoun_fits
from lorewright.builtin.words.utterances import is_said
from lorewright.rules.actions import Action, Attempt, GroundedItem
from lorewright.rules.acts import Answer, first_new, held_by, reveal
from lorewright.rules.patch import Outcome, Patch, ReasonCode
from lorewright.rules.reasons import why_no_person
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import Verb, seen
from lorewright.scene_lore.cache import COLOURLESS_WORDS
from lorewright.values.records import Evidence, NarratorInput
from lorewright.values.scope import Named
from lorewright.world.frozen import Frozen
from lorewright.world.state import WorldState

_IGNORANT, _POINTING = "does_not_know", f"{ECHO}asked"
# The asker learns what is answered, and bystanders hear it, unless it is whispered. The player's own answers are never
# made up.

# ask: a question to somebody.


class AskMetadata(Frozen):
    """What is asked about, in the asker's words; grounded to items by code before the rules see it. What is whispered
    is between the two."""

    topic: str = Field(default="", max_length=200)
    whisper: bool = False


def _why_not_ask(action: Action, state: WorldState) -> ReasonCode | None:
    return why_no_person(action, state, nobody="nobody_to_ask")


def _ask(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    """Tell the best-ranked new item; else repeat what was told, and put the asker off where all is withheld, with what
    is told beside it, unless a rule has decided. A question to the player remains a question.
    """
    action = attempt.action
    if action.target_id == patch.state.player_id:
        return Answer("acted")
    matched, who = held_by(action.target_id, attempt), action.actor_id
    new = first_new([item for item in matched if item.role == "knows"], who, patch.state)
    if new is not None:
        reveal(patch, new.id, action, how="told", others="overheard")
        return Answer("told")
    # What they have told of it outranks what they keep back: it is confirmed, not denied.
    told = next((item for item in matched if patch.state.has_learned(who, item.id)), None)
    known = () if told is None else _known_to_the_player(told, action, patch.state)
    beside = None if ruled else first_new(attempt.grounding.beside, who, patch.state)
    if beside is not None:
        reveal(patch, beside.id, action, how="told", others="overheard")
    if told is not None:
        return Answer("told_before", known_item_ids=known)
    return Answer("deflected" if matched else "does_not_know")


def _known_to_the_player(item: GroundedItem, action: Action, state: WorldState) -> tuple[str, ...]:
    """Return the item if the player has learned it before: telling it again reveals no more."""
    is_known = action.actor_id == state.player_id or state.has_learned(state.player_id, item.id)
    return (item.id,) if is_known else ()


def _tell_ignorance(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Return what is passed on about the topic; else an answer of the kind asked for, and where else to ask."""
    if asks_for_lore(given, outcome) and (passed_on := answer(given, outcome)):
        return passed_on
    plain_no = ignorance(given, outcome)
    is_personal = is_of_listener(given, outcome) or is_between_two(given, outcome)
    is_pointing_on = plain_no.group != _IGNORANT and not is_personal
    unnamed = (None, "other", "none" if outcome.deed else "")
    is_of_a_name = plain_no.facts.get("topic") not in unnamed and outcome.form in ("", "ask", "ask_self", "greet")
    kind = None if is_of_a_name else answer_without_lore(given, outcome)
    is_echo = kind is not None and kind.group.startswith((ECHO, RETORT))
    if kind is not None and is_echo and not (is_pointing_on and kind.group.startswith(_POINTING)):
        return [kind]
    if kind is not None and is_echo:  # What was asked is taken up, and then comes what else to ask.
        return [kind, replace(plain_no, group=plain_no.group.replace(_IGNORANT, _POINTING), facts={})]
    is_topic = len(outcome.words.split()) <= _SPOKEN or not plain_no.group.endswith(".own")
    return [plain_no if is_pointing_on and is_topic else kind or plain_no]


def _tell_question_of_others(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    return talk_beats(actor, outcome, evidence, words, "npc.ask")


# Questions of more words than these are not passed on, nor whole sentences.
_QUESTION = 8


def _pass_on_question(outcome: Outcome, moment: Moment) -> Iterator[PossibleAct]:
    """Yield the same question to somebody else who is there, if the character does not know the answer."""
    if outcome.code != _IGNORANT or outcome.item_ids:
        return
    what = name_topic(outcome.words.strip(" ?.!"), moment)
    if (
        not what
        or len(what.split()) > _QUESTION
        or set(what.casefold().split()) & lexicon().statements["finite"]
        or not moment.can(ASK.name)
        or outcome.actor_id != moment.given.player_id
    ):
        return
    for other in moment.others:
        key = f"asked:{other.id}:{what.casefold()}"
        if moment.done(key) or moment.toward(other.id).trust < 0:
            continue
        found = moment.words.sentence("ask.other", person=other.id, what=what)
        if found is not None:
            action = moment.action(ASK.name, other.id, words=what)
            yield PossibleAct(found.text, 4, ("question", "help"), action=action, keys=(found.key, moment.key(key)))


def _ask_around(moment: Moment) -> Iterator[PossibleAct]:
    """Yield open questions that concern the character, to those who might have heard something: to each of them once.

    Others of the cast are asked about what has come up; nobody about what they have just asked the character.
    """
    if not moment.can(ASK.name):
        return
    come_up = recent_topics(moment)
    for concern in moment.given.concerns:
        absent = [
            entity_id
            for entity_id in concern.about
            if not moment.is_here(entity_id) and entity_id in moment.given.names
        ]
        for about in absent[:2]:
            what = moment.given.names[about]
            for person in moment.people:
                is_player = person.id == moment.given.player_id
                is_idle = not is_player and not is_word(what.casefold(), come_up)
                if is_idle or moment.toward(person.id).trust < 0 or _has_asked(person, what, moment):
                    continue
                if (asked := _asked(person, about, what, moment, weight=3 if is_player else 1)) is not None:
                    yield asked


def _asked(person: Named, about: str, what: str, moment: Moment, *, weight: int) -> PossibleAct | None:
    key = f"asked:{person.id}:{about}"
    group = "ask.player" if person.id == moment.given.player_id else "ask.other"
    found = moment.words.sentence(group, person=person.id, what=what)
    if found is None or moment.done(key):
        return None
    thought, keys = moment.thought("think.ask", person=person.id, what=what)
    action = moment.action(ASK.name, person.id, words=what)
    used = (found.key, *keys, moment.key(key))
    return PossibleAct(found.text, weight, ("question",), thought=thought, action=action, keys=used)


def _has_asked(person: Named, what: str, moment: Moment) -> bool:
    """Tell whether somebody asked the character about the same, as far as they remember."""
    me, name = moment.given.me, what.casefold()
    for outcome in moment.given.outcomes:
        if (outcome.actor_id, outcome.target_id) == (person.id, me.id) and is_word(name, outcome.words.casefold()):
            return True
    asked = f"{person.name} asked {me.name} about ".casefold()
    return any(
        asked in (said := remember.content.casefold()) and is_word(name, said) for remember in moment.given.remembers
    )


def _read_ask(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `viktor about jin`, `viktor where jin is`, `about jin`."""
    rest = rest[2:] if lows(rest)[:2] == ["once", "more"] else trimmed(rest, start=("again",))
    if not has_words(rest):
        return _no_target(ctx, words, "")
    named = named_person(ctx, rest)
    if named:
        # One is confronted with what is in question.
        return _read_asked(ctx, words, named[0], trimmed(rest[named[1] :], start=("with",)))
    cut = topic_start(rest)
    if cut == 0:
        return _read_about(ctx, words, rest)
    found = person_meant(ctx, typed(rest[:cut]))
    if found is None and cut == len(rest):
        fuzzy = guessed_person(ctx, rest)
        if fuzzy:
            return _read_asked(ctx, words, fuzzy[0], rest[fuzzy[1] :])
    return _towards(ctx, words, found, rest[:cut], rest[cut:])


def _read_say(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read `"where is jin?" to viktor`: a question to them."""
    target, spoken = find_addressee(ctx, rest)
    said = [word for token in spoken for word in (words_of(token.text) if token.kind == "speech" else (token,))]
    asks = any("?" in word.text for word in said if word.kind == "stop")
    stranger = "" if target else stranger_addressed(ctx, said, is_question=asks)
    if stranger:
        return nobody_called(ctx, words, stranger)
    said = [word for word in said if word.kind != "comma" or word is not said[0]]
    if not asks and is_said(said):
        return read_remark(ctx, words, target, said)
    return _put_to(ctx, words, target, spoken)


def _read_greet(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a talk without a topic; the person greeted may choose what to say."""
    if not has_words(rest) or typed(rest).lower() in ("there", "all"):
        return _put_to(ctx, words, None, ())
    reading = _read_ask(ctx, words, rest)
    # Somebody is greeted whose name one does not know: `good morning sir`.
    return _put_to(ctx, words, None, ()) if reading is None or reading.unclear is not None else reading


def _put_to(ctx: ParseContext, words: str, target: PhraseMatch | None, spoken: Sequence[Word]) -> Reading:
    """Read words said to somebody; to the only person here where nobody is named."""
    said = read_civility(ctx, words, spoken, target) or read_record(ctx, words, spoken, target)
    said = said or read_claim(ctx, words, spoken, target)
    if said is not None:
        return said
    only = target or only_person(ctx)
    if only is None:
        return _no_target(ctx, words, cleaned_topic(spoken))
    return _read_asked(ctx, words, only, spoken)


def _read_asked(ctx: ParseContext, words: str, target: PhraseMatch, spoken: Sequence[Word]) -> Reading:
    said = read_civility(ctx, words, spoken, target) or read_record(ctx, words, spoken, target)
    said = said or read_claim(ctx, words, spoken, target)
    if said is not None:
        return said
    if lows(spoken)[:1] == ["and"] and (len(spoken) == 1 or named_person(ctx, spoken[1:]) is not None):
        return asking(words, "One at a time, please. You can:", [f"talk to {typeable(target.label)}"])
    spoken = trimmed(spoken, start=("and", "but", "so")) if len(spoken) > 1 else spoken
    topic = follow_up(ctx, spoken, target) or cleaned_topic(_first_question(spoken))
    pronouns = (lexicon().person_pronouns | lexicon().thing_pronouns) - COLOURLESS_WORDS
    if (
        topic
        and topic.lower() not in pronouns
        and set(topic.lower().split()) <= COLOURLESS_WORDS | lexicon().adverbs | lexicon().about | _UP_AND_DOWN
    ):
        # It says nothing by itself of what is asked about: the whole question has to.
        whole = typed([word for word in spoken if word.kind != "stop"])[:MAX_WORDS]
        topic = whole if len(whole.split()) > len(topic.split()) + 1 else topic
    if topic.lower() in pronouns and topic.lower() != "you":
        return _resolve_topic(ctx, words, target, topic)
    return _read_question(ctx, target, topic)


_UP_AND_DOWN = frozenset("up down out in over away off at me you us it that this so then".split())


def _first_question(spoken: Sequence[Word]) -> Sequence[Word]:
    """Return the words up to a comma after which another question begins: `who is Bao, is he police`."""
    questions = lexicon().question_words
    commas = (at for at, word in enumerate(spoken) if at > 1 and word.kind == "comma")
    comma = next((at for at in commas if longest_prefix(lows(spoken[at + 1 :]), questions)), len(spoken))
    # `Before we start: how good are you`: the question is what follows.
    asks_first = longest_prefix(lows(spoken), questions) or comma == len(spoken)
    return spoken[:comma] if asks_first else spoken[comma + 1 :]


def _read_question(ctx: ParseContext, target: PhraseMatch, topic: str) -> Reading:
    known = exact(topic, ctx.nouns.everything()) if topic else None
    subject = known.label if known else topic
    intent = f"ask {target.label} about {subject}" if topic else f"talk to {target.label}"
    return acting(ctx, ASK.name, intent, target=target, metadata={"topic": topic} if topic else {})


def _resolve_topic(ctx: ParseContext, words: str, target: PhraseMatch, topic: str) -> Reading:
    """Read a pronoun as topic: what was mentioned last, if it is not the person asked; else a question back."""
    last = [
        mentioned
        for mentioned in (ctx.person, ctx.thing)
        if mentioned is not None and mentioned.id != target.candidate.id
    ]
    others = [
        person
        for person in ctx.nouns.people
        if person.id != target.candidate.id and pronoun_fits(person, topic.lower())
    ]
    if not last and len(others) == 1 and topic.lower() in ("him", "her", "he", "she"):
        last = others
    if len(last) == 1:
        return _lowered(_read_question(ctx, target, last[0].name), 0.85, f"{last[0].name} is meant")
    nouns = ctx.nouns
    known = [candidate.name for candidate in (*nouns.known_people, *nouns.known_things, *nouns.known_places)]
    name = typeable(target.label)
    return asking(
        words,
        f"Whom or what do you mean by “{topic}”?",
        [f"ask {name} about {typeable(topic_name)}" for topic_name in known],
    )


def _towards(
    ctx: ParseContext,
    words: str,
    found: PhraseMatch | Tie | Reading | None,
    target: Sequence[Word],
    spoken: Sequence[Word],
) -> Reading:
    topic = cleaned_topic(spoken)
    pattern = f"ask {{}} about {_literal(topic)}" if topic else "talk to {}"
    if isinstance(found, Reading) and not ctx.nouns.people:
        return alone(words)
    match found:
        case PhraseMatch():
            return _read_asked(ctx, words, found, spoken)
        case Tie():
            return which(words, found, pattern)
        case Reading():
            return _no_target(ctx, words, topic)
        case None:
            return nothing_called(ctx, words, typed(target), of_people=True)


def _no_target(ctx: ParseContext, words: str, topic: str) -> Reading:
    people = ctx.nouns.people
    topic = "" if topic.lower() in lexicon().person_pronouns | lexicon().thing_pronouns else topic
    if not people:
        low = words.lower().split()
        is_said_aloud = low[:1] and low[0] in (*lexicon().saying, *_CALLING)
        is_to_anybody = low[:1] in (["is"], ["are"], ["any"]) and bool(_ANYBODY & set(low))
        is_to_anybody = (
            is_to_anybody or " ".join(low[:3]) in ("who goes there", "who is there") or low[:2] == _WHOS_THERE
        )
        is_to_somebody = bool({"you", "your", "yours"} & set(low)) or is_to_anybody or is_said_aloud
        return wondering(topic) if topic and not is_to_somebody else alone(words)
    only = only_person(ctx)
    if only is not None:
        return _read_question(ctx, only, topic)
    if len(topic.split()) > _SPOKEN:
        # Nobody would be asked about that; it is said to all, and answered by one of them.
        return _read_question(ctx, PhraseMatch(people[0], people[0].name, 0.85, mended=True), topic)
    pattern = f"ask {{}} about {_literal(topic)}" if topic else "talk to {}"
    return asking(words, "Whom do you mean:", [pattern.format(typeable(person.name)) for person in people])


# A topic of more words is a sentence.
_SPOKEN = 3
_ANYBODY = frozenset(("anyone", "anybody", "someone", "somebody", "anyone's", "somebody's"))
_WHOS_THERE = ["who's", "there"]
_CALLING = frozenset(("ask", "call", "shout", "yell", "hello", "greet"))


def _read_about(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading:
    """Read `about jin`, perhaps with `to viktor` after it."""
    low = lows(rest)
    is_indirect = low[:1] in (["whether"], ["if"])
    for index in range(len(rest) - 1, 0, -1):
        if low[index] in ("to", "with", "from") and not is_indirect:
            target = exact(typed(rest[index + 1 :]), ctx.nouns.people + ctx.nouns.known_people)
            if target:
                return _read_asked(ctx, words, target, rest[:index])
    return _put_to(ctx, words, None, rest)


def _lowered(reading: Reading, confidence: float, assumption: str) -> Reading:
    if reading.unclear:
        return reading
    return Reading(
        actions=reading.actions,
        intent=reading.intent,
        confidence=min(reading.confidence, confidence),
        mentioned=reading.mentioned,
        assumptions=(*reading.assumptions, assumption),
    )


def _literal(topic: str) -> str:
    return topic.replace("{", "{{").replace("}", "}}")


def _continues(before: Action, after: Action) -> bool:
    """Tell whether two are one: `talk to viktor and ask him about jin` is one question, not two."""
    return not before.words and before.target_id == after.target_id


ASK = Verb(
    name="ask",
    rank=50,
    summary="ask somebody about something, or begin to talk",
    condition="the person is here",
    remembered="that it was asked, and what about as far as that names anybody",
    lines={"question": "ask {person} about {topic}", "meet": "talk to {person}"},
    rule_lines=lambda names: names.said("ask"),
    grounding="theirs",
    reply="answer",
    points_on=True,
    loosens_tongues=True,
    opens_withheld=True,
    metadata=AskMetadata,
    aim="person",
    needs=("target", "topic"),
    requires=_why_not_ask,
    does=_ask,
    is_speech=True,
    sights=seen("{actor} asked {target}{about}", 1, " something"),
    note="let {target} answer",
    note_target="the person asked",
    parts=(
        Phrasing(
            320,
            "ask, question, interrogate, quiz, interview, consult, query, grill, accuse, confront, enquire of",
            _read_ask,
            has_topic=True,
        ),
        Phrasing(
            330,
            "talk, talk to, talk with, speak, speak to, speak with, chat, chat with, chat to, converse with, "
            "approach, address, have a word with, have a chat with, turn to, strike up a conversation with",
            _read_ask,
            has_topic=True,
        ),
        Phrasing(
            350,
            "say, shout, whisper, murmur, mutter, call, call out, reply, answer, yell",
            _read_say,
            has_topic=True,
        ),
        Phrasing(
            360,
            "greet, hello, hi, hey, good evening, good morning, good day, good afternoon, welcome",
            _read_greet,
            has_topic=True,
        ),
        Syntax(listed=2, speech=_put_to, continues=_continues),
        Aim(70, _ask_around),
        Enactment(group="ask.other"),
        Reaction(acts=_pass_on_question),
        Telling(
            of_others=_tell_question_of_others,
            codes={_IGNORANT: _tell_ignorance},
            after=after_talk("ask"),
            watched_as="ask",
            target_is_person=True,
        ),
    ),
)


VERBS = (ASK,)
