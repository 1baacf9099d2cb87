"""What others do of their own accord -> beats: the sentences of an author, of the grammar, or of the intention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lorewright.builtin.narrator.act_deeds import deed_beats
from lorewright.builtin.narrator.act_slots import Actor, actor_of
from lorewright.builtin.narrator.act_talk import quotes
from lorewright.builtin.narrator.act_weaving import woven
from lorewright.builtin.narrator.act_words import own_words, quoting, tells_of_player, worded
from lorewright.builtin.narrator.authored import ended, is_named_in, plain
from lorewright.builtin.narrator.beats import Beat, Joint
from lorewright.builtin.narrator.memory import Memory
from lorewright.ids import content_hash
from lorewright.rules.outcomes import Outcome
from lorewright.values.records import Evidence, NarratorInput, NpcAct

# Outcomes of which the grammar could only say that something was done: the author's sentence says it better twice.
_WITHOUT_WORDS = frozenset(("acted", "used", "looked", "waited"))

# Of many acts so many stand in a paragraph.
_ACTS_OF_PARAGRAPH = 4
# So many are told one by one.
_FEW_ACTS = 2


def act_beats(given: NarratorInput, memory: Memory) -> Iterator[Beat]:
    """Every act in its order, each once; after what the player did a new paragraph begins."""
    follows = bool(given.outcomes) or given.scene_changed
    told: list[list[Beat]] = []
    for number, act in enumerate(given.acts):
        before = given.acts[number - 1] if number else None
        first, *more = _told(actor_of(given, act), memory, before)
        # An author's sentences stay as they are, and of three gestures two make a sentence.
        if told and len(told[-1]) == 1 and not more and not _authored_by(given, number):
            pair = woven(told[-1][0], first, given.turn_no)
            if pair is not None and len(given.acts) > _FEW_ACTS:
                told[-1] = [pair]
                continue
        # A word to go on with before every one would make a list of them.
        first = replace(first, joint=_joint(before, act, is_next=len(told) % 2 == 1))
        starts = len(told) % _ACTS_OF_PARAGRAPH == 0 and (follows or number > 0)
        told.append([replace(first, starts_paragraph=starts), *more])
    yield from (beat for beats in told for beat in beats)


def _authored_by(given: NarratorInput, number: int) -> bool:
    """Whether the act or the one before it has sentences of its own."""
    return bool(given.acts[number].say or given.acts[number - 1].say)


def moved_by_acts(given: NarratorInput) -> frozenset[str]:
    """Those whose coming or going an act tells."""
    told = (outcome for act in given.acts for outcome in act.outcomes if outcome.code == "moved")
    return frozenset(outcome.actor_id for outcome in told)


def items_of_acts(given: NarratorInput) -> frozenset[str]:
    """The lore items that come up in acts, and are told with them."""
    told = (outcome for act in given.acts for outcome in act.outcomes)
    return frozenset(item for outcome in told for item in (*outcome.item_ids, *outcome.known_item_ids))


def things_of_acts(given: NarratorInput) -> frozenset[str]:
    """The things and doors that acts are about: what becomes of them is told there."""
    told = (outcome for act in given.acts for outcome in act.outcomes if outcome.code != "blocked")
    return frozenset(one for outcome in told for one in (outcome.item_id, outcome.target_id) if one is not None)


def _joint(before: NpcAct | None, act: NpcAct, *, is_next: bool) -> Joint:
    if before is None:
        return ""
    meant = {outcome.target_id for outcome in act.outcomes}
    if before.who in meant and before.who != act.who:
        return "answer"
    return "next" if is_next else ""


def _told(actor: Actor, memory: Memory, before: NpcAct | None) -> list[Beat]:
    if actor.act.hidden:
        return [actor.beat("act", "npc.whisper", to=actor.act.whisper_to)]
    if before is not None and before.who != actor.act.who and _doing(before) and _doing(before) == _doing(actor.act):
        return [actor.beat("act", "npc.likewise")]
    if not actor.act.outcomes:
        return _intended(actor, memory)
    beats: list[Beat] = []
    for outcome in actor.act.outcomes:
        beats += _came_of(actor, outcome, memory, is_first=not beats)
    return beats


def _doing(act: NpcAct) -> str:
    """What somebody's gesture is, without their name; empty where it is more than a gesture."""
    shown = _say(act) or ended(plain(act.text))
    return "" if act.outcomes or act.hidden or act.name not in shown else shown.replace(act.name, "", 1)


def _came_of(actor: Actor, outcome: Outcome, memory: Memory, *, is_first: bool) -> list[Beat]:
    """The author's sentences where what they tell came off, else the grammar; then what a rule says of it.

    What an author wrote is told in these words the first time, and where the grammar has nothing as good each time.
    """
    evidence = _evidence_of(actor.told, outcome)
    came_off = outcome.code != "blocked" and outcome.band != "fail"
    say = _say(actor.act) if is_first and came_off else ""
    known = bool(say and actor.told.recall.get(_key(say)))
    beats: list[Beat] = []
    if say and (not known or outcome.code in _WITHOUT_WORDS):
        beats += [*_authored(actor, say, again=known), *_unsaid(actor, outcome, say, evidence)]
        beats += [actor.beat("act", "npc.came_off", {"band": "mixed"})] if outcome.band == "mixed" else []
    else:
        words = own_words(actor) if came_off and is_first else ""
        is_fit = bool(words) and not tells_of_player(actor.told, words) and memory.age(words) is None
        beats += deed_beats(actor, outcome, evidence, words=words if is_fit else "")
        if actor.act.whisper_to == actor.told.player_id and came_off and is_first:
            beats = _whispered(actor, beats)
    return [*beats, *_also_said(actor.told, outcome)]


def _whispered(actor: Actor, beats: list[Beat]) -> list[Beat]:
    """The same said low: what is quoted has that for its frame, anything else has it before it."""
    near = actor.beat("act", "npc.near")
    if beats and beats[0].is_speech:
        return [replace(beats[0], group=near.group, facts={}), *beats[1:]]
    return [near, *beats]


def _intended(actor: Actor, memory: Memory) -> list[Beat]:
    """What needs no judgement: the author's sentences, else the intention's own words unless they are in the ear."""
    if say := _say(actor.act):
        return _authored(actor, say, again=bool(actor.told.recall.get(_key(say))))
    words = own_words(actor)
    if not words:
        return [actor.beat("act", "npc.gesture", to=actor.act.whisper_to)]
    if words == f"{actor.person.name} waits.":
        return [actor.beat("act", "npc.wait")]
    if memory.age(words) is not None:
        return [actor.beat("act", "npc.still_at_it", {"verb": "talk"} if "”" in words else {})]
    return worded(actor, words)


def _authored(actor: Actor, say: str, *, again: bool) -> list[Beat]:
    told = quoting(actor, say, _key(say))
    return [actor.beat("aside", "npc.again"), told] if again else [told]


def _say(act: NpcAct) -> str:
    return " ".join(ended(text) for part in act.say if (text := plain(part)))


def _key(say: str) -> str:
    return f"say:{content_hash(say)[:12]}"


def _evidence_of(given: NarratorInput, outcome: Outcome) -> list[Evidence]:
    wanted = (*outcome.item_ids, *outcome.known_item_ids)
    return [one for one in given.evidence if one.item_id in wanted and plain(one.text)]


def _unsaid(actor: Actor, outcome: Outcome, say: str, evidence: Sequence[Evidence]) -> list[Beat]:
    """What comes to light and is not quoted in the author's sentences, in the voice of whoever says it."""
    new = [one for one in evidence if not one.known_before and plain(one.text) not in say]
    if outcome.code == "told":
        return [one for one in deed_beats(actor, outcome, new, words="") if one.cites]
    named = is_named_in([actor.person.name], say)
    beats = quotes(actor, "told.after_say", new, to=None)
    if not beats or not named:
        return beats
    return [replace(beats[0], group="", facts={}, continues=True), *beats[1:]]


def _also_said(given: NarratorInput, outcome: Outcome) -> Iterator[Beat]:
    """The sentences of a rule, and of what followed by itself; each is told once."""
    for text in filter(None, map(plain, (*outcome.say, *outcome.then))):
        key = _key(ended(text))
        if not given.recall.get(key):
            yield Beat("act", authored=ended(text), keys=(key,))
