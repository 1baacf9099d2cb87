"""NpcIntentInput -> NpcIntent: what one character does now, without a model.

First come answers to blows and threats, then the author's acts; then answers to whatever else was just done to the
character; then, now and again, the character's own aims; else it comments on what goes on, or does something in its
nature. It says nothing that it does not know, and
repeats nothing that it did just now, as long as there is anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lorewright.builtin.npc.considered import (
    Enactment,
    Moment,
    PossibleAct,
    aims,
    answering,
    gesture,
    is_assailed,
    is_word,
    the,
    watching,
)
from lorewright.ids import content_hash
from lorewright.rules.actions import AuthoredAct, done_key, tried_key
from lorewright.rules.verbs import verb_of
from lorewright.values.proposals import SENTENCES, NpcIntent, NpcIntentInput, Remembered
from lorewright.values.records import LoreLine
from lorewright.values.scope import Named

# Aims: what a character wants, knows, remembers and was promised -> acts of their own accord. Each is done once for its
# object, so that nobody harps on a thing.

# A memory of less weight is not worth a word (importance 2, a while ago).
_WORTH_TELLING = 1.5
# The words that a memory of something said ends with.
_WORDS_SAID = re.compile(r": “[^“”]*”\.$")


def possible_aims(moment: Moment) -> list[PossibleAct]:
    """Return all possible acts of these kinds, in a fixed order."""
    return [*(act for aim in aims() for act in aim.acts(moment)), *_remark(moment)]


def _remark(moment: Moment) -> Iterator[PossibleAct]:
    """Yield what the character saw, for those who were not there: words, and nothing that a pack knows."""
    for other in moment.others:
        if moment.toward(other.id).trust < 0:
            continue
        for memory in moment.given.remembers:
            key = f"said:{other.id}:{content_hash(memory.content)[:12]}"
            if not _is_worth_telling(memory, other, moment) or moment.done(key):
                continue
            found = moment.words.sentence("remark.memory", third=other.id, memory=_without_words(memory.content))
            thought, keys = moment.thought("think.memory", third=other.id)
            if found is not None:
                used = (found.key, *keys, moment.key(key))
                yield PossibleAct(found.text, 3, ("help",), seen=found.seen, thought=thought, keys=used)
            break


def _without_words(memory: str) -> str:
    """Return a memory without the words that were said: what somebody asked or promised is not passed on."""
    return _WORDS_SAID.sub(".", memory)


def _is_worth_telling(memory: Remembered, to: Named, moment: Moment) -> bool:
    """Tell whether a memory was seen in play and can be told: it begins with somebody's name, and neither of the two is
    in it.
    """
    given, text = moment.given, _without_words(memory.content)
    if memory.minute <= 0 or memory.priority < _WORTH_TELLING or to.id in memory.shared_with or "“" in text:
        return False
    if not text.endswith(".") or "whispered" in text:
        return False
    folded = text.casefold()
    both = (given.me.name.casefold(), to.name.casefold())
    if any(is_word(name, folded) for name in both):
        return False
    people = [
        given.player_name,
        *(named.name for named in (*moment.people, *given.scope.topics) if named.kind == "person"),
    ]
    return any(text.startswith(f"{name} ") for name in people if name)


# Authored acts, in the author's order -> the one to be done now.


def authored(moment: Moment) -> list[PossibleAct]:
    """Return the acts whose conditions hold and that make sense just now, the one that was done just before last."""
    open_ = [
        considered
        for act in moment.given.acts
        if _makes_sense(act, moment)
        for considered in [_considered(act, moment)]
    ]
    fresh = [considered for considered in open_ if not moment.lately or considered.text != moment.lately[0]]
    return [*fresh, *(considered for considered in open_ if considered not in fresh)]


def _considered(act: AuthoredAct, moment: Moment) -> PossibleAct:
    me = moment.given.me.id
    text = " ".join(act.say)[:SENTENCES].strip() or _word_act(act, moment)
    return PossibleAct(
        text,
        thought=act.thought,
        action=None if _is_gesture(act) else act.do.action(me),
        item_id=act.do.lore_item,
        act_id=act.id,
        say=act.say,
    )


def _is_gesture(act: AuthoredAct) -> bool:
    """Tell whether there is nothing in it for rules to judge: its sentences are all of it."""
    return _enactment(act).is_idle and bool(act.say)


def _enactment(act: AuthoredAct) -> Enactment:
    verb = verb_of(act.do.type)
    return (None if verb is None else verb.part(Enactment)) or Enactment()


def _makes_sense(act: AuthoredAct, moment: Moment) -> bool:
    """Tell whether the act makes sense: nobody speaks to somebody absent. An act that cannot be done now is tried once,
    and again only after it was done.
    """
    given, do, verb = moment.given, act.do, verb_of(act.do.type)
    is_at_somebody = verb is not None and verb.aim == "person"
    if do.type not in given.verbs or (is_at_somebody and not moment.is_here(do.target)):
        return False
    is_possible, is_pointless = _enactment(act).is_possible, _enactment(act).is_pointless
    if is_pointless is not None and is_pointless(do, moment):
        return False
    if is_possible is None or is_possible(do, moment):
        return True
    tried = given.recall.get(tried_key(given.me.id, act.id), 0)
    return tried <= given.recall.get(done_key(given.me.id, act.id), 0)


def _word_act(act: AuthoredAct, moment: Moment) -> str:
    """Return our words for an act to which the author gave none."""
    do, given = act.do, moment.given
    thing = next(
        (the(named) for named in (*given.scope.carried, *given.scope.here) if named.id in (do.item, do.target)), ""
    )
    what = do.topic or given.names.get(do.to or "", "") or "something"
    verb = verb_of(do.type)
    if verb is not None and verb.is_free:
        return f"{given.me.name} tries something: {do.topic}."[:SENTENCES]
    slots = {"what": what, "thing": thing or "something"}
    group = "tell.whisper" if do.whisper else _enactment(act).group
    found = moment.words.sentence(group, person=do.target, **slots) or moment.words.sentence("authored")
    return found.text if found is not None else f"{given.me.name} acts."[:SENTENCES]


# Idle acts: what a character does when nothing else asks for it: a line of their nature, or a small gesture.

# Lines about somebody's general nature or dealings do not tell an act.
_GENERAL = frozenset(
    ("whenever", "never", "always", "usually", "often", "if", "answers", "question", "questions", "speaker", "customer")
)
_FRIENDLY, _TENSE = 2, 2
TENSE = "tense"


def idling(moment: Moment) -> list[PossibleAct]:
    """Return lines of the character's nature as they stand, and gestures by their feeling about the player if there."""
    found, mood = list(_nature_lines(moment)), mood_of(moment)
    if mood:
        weight = 8 if mood == TENSE else 2
        found += gesture(moment.words.sentence(f"moment.{mood}", person=moment.given.player_id), weight=weight)
    return [*found, *gesture(moment.words.sentence("moment.any"), weight=1 if mood == TENSE else 2)]


def mood_of(moment: Moment) -> str:
    """Return the feeling about the player: `warm`, `cold`, `tense`, or empty."""
    player = moment.given.player_id
    if not moment.is_here(player):
        return ""
    toward = moment.toward(player)
    if toward.tension >= _TENSE:
        return TENSE
    if toward.trust < 0:
        return "cold"
    return "warm" if toward.trust + toward.closeness >= _FRIENDLY else ""


def _nature_lines(moment: Moment) -> Iterator[PossibleAct]:
    """Yield the line that was used least, verbatim; none that the last narrations have told."""
    given = moment.given
    narrated = "\n".join(message.content for _, message in given.messages if message.type == "narration")
    lines = [line for line in given.me.disposition if _is_a_deed(line, moment) and line.text not in narrated]
    lines = [line for line in lines if line.text not in moment.lately]
    keyed = [(given.recall.get(moment.key(f"line:{line.key}"), 0), at, line) for at, line in enumerate(lines)]
    for _, _, line in sorted(keyed, key=lambda row: row[:2])[:1]:
        yield PossibleAct(line.text, 4, keys=(moment.key(f"line:{line.key}"),))


def _is_a_deed(line: LoreLine, moment: Moment) -> bool:
    """Tell whether a line tells an act of the character, by their name: one sentence of a few words."""
    words = line.text.split()
    begins = line.text.startswith(f"{moment.given.me.name} ")
    return (
        begins
        and 4 <= len(words) <= 30
        and len(line.text) <= SENTENCES
        and not _GENERAL & {word.strip(".,;:").casefold() for word in words}
    )


# The choice between the options: by urgency, then by lot.

# In so many of a hundred turns a character follows an aim of their own, if there is one; else it waits. Of several
# present only one in a turn may: in some profiles all think at once, and would all ask the same.
_RESTLESS = 80
# And so often they comment on what goes on rather than follow themselves.
_ATTENTIVE = 55
# Longest excerpt of an overlong name (characters).
_NAME = 200


def intend(given: NpcIntentInput) -> NpcIntent:
    """Return the act; the same input gives the same one."""
    moment = Moment(given)
    written = authored(moment)
    groups = _group_by_urgency(moment)
    # Nobody goes on with what they had in mind while they are struck or threatened.
    at_once = (
        [act for group in groups[:2] for act in group if act.text not in moment.lately] if is_assailed(moment) else []
    )
    if at_once:
        urgent = [act for act in groups[0] if act in at_once]
        return _draw(urgent or at_once, moment).intent()
    if written and written[0].text not in moment.lately[:1]:
        return written[0].intent()
    for considered in groups:
        fresh = [act for act in considered if act.text not in moment.lately]
        if fresh:
            return _draw(fresh, moment).intent()
    if written:
        return written[0].intent()
    return NpcIntent(action_text=f"{given.me.name[:_NAME]} waits.", intent_tags=("calm",))


def _group_by_urgency(moment: Moment) -> list[list[PossibleAct]]:
    """Return the possible acts by group, the most urgent group first."""
    answers, ends = answering(moment), possible_aims(moment)
    urgent = [end for end in ends if "flight" in end.tags]
    notices, idle = watching(moment)[:2], idling(moment)
    later = [ends] if _is_ones_turn(moment) and _draw_number(moment, "restless") < _RESTLESS else []
    # Somebody with a grudge does not look on as a neighbour does.
    is_easy = mood_of(moment) != TENSE and _draw_number(moment, "attentive") < _ATTENTIVE
    around = [notices, idle] if is_easy else [idle, notices]
    return [urgent, answers, *later, *around]


def _is_ones_turn(moment: Moment) -> bool:
    """Tell whether it is the character's turn, among the cast who are there: it goes round among them by chance."""
    given = moment.given
    everybody = sorted({given.me.id, *(other.id for other in moment.others)})
    drawn = content_hash(f"{given.seed}\n{given.turn_no}\n{'|'.join(everybody)}")
    return everybody[int(drawn[:12], 16) % len(everybody)] == given.me.id


def _draw(considered: Sequence[PossibleAct], moment: Moment) -> PossibleAct:
    """Return one of several by weight; the same one for the same moment."""
    left = _draw_number(moment, "which", sides=sum(act.weight for act in considered))
    for act in considered:
        left -= act.weight
        if left < 0:
            return act
    return considered[-1]


def _draw_number(moment: Moment, purpose: str, *, sides: int = 100) -> int:
    """Return a number from 0 to `sides`, exclusive, for this character, turn and purpose."""
    given = moment.given
    drawn = content_hash(f"{given.seed}\n{given.me.id}\n{given.turn_no}\n{given.minutes}\n{purpose}")
    return int(drawn[:12], 16) % sides
