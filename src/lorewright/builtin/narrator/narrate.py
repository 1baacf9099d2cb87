"""narrate(NarratorInput) -> NarratorOutput: select, plan, realise, and the paragraphs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from types import MappingProxyType

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_words import Actor, actor_of, telling_of
from lorewright.builtin.narrator.acts import (
    act_beats,
    gains,
    in_paragraphs,
    items_of_acts,
    movements,
    pressure,
    prices,
)
from lorewright.builtin.narrator.authored import ended, plain, quoted, word_count
from lorewright.builtin.narrator.forms import word_forms
from lorewright.builtin.narrator.grammar import Fact, Facts, Groups, Ledger, choose, variants_of
from lorewright.builtin.narrator.outcomes import outcome_beats
from lorewright.builtin.narrator.scenery import (
    SceneryMemory,
    fillers,
    is_shelf,
    jars,
    lore_beat,
    lore_left,
    scene_beats,
    sentences,
)
from lorewright.builtin.narrator.views import (
    Beat,
    Joint,
    Person,
    drop_repeated_lore,
    is_round_of_another,
    left_out_beat,
    other_claims,
    plan,
    room_for,
    scene_facts,
    stray_beat,
)
from lorewright.builtin.words.clauses import capitalised, listed
from lorewright.ids import local
from lorewright.rules.patch import Outcome
from lorewright.rules.verbs import verb_of
from lorewright.values.records import Evidence, NarratorInput, NarratorOutput

# Voice: a beat -> its sentences: a variant from the bag, slots filled by names first and pronouns where they are clear.

_SLOT = re.compile(r"\{(\w+)\}")
_AGREEMENT = re.compile(r"\[([^|\]]+)\|([^|\]]+)\]")
_DOUBLE_STOP = re.compile(r"(?<![.…])\.\.(?!\.)|(?<=[!?…:])\.(?!\.)|(?<=[.!?…]”)\.")
# Slots that may name somebody else, after whom a pronoun would be unclear.
_OTHERS = frozenset(("names", "list", "reminder", "topic", "detail", "other"))
# subject, object, possessive, reflexive
_PRONOUNS: Mapping[str, tuple[str, str, str, str]] = MappingProxyType(
    {
        "he": ("he", "him", "his", "himself"),
        "she": ("she", "her", "her", "herself"),
        "it": ("it", "it", "its", "itself"),
        "they": ("they", "them", "their", "themselves"),
    }
)
_CASES = MappingProxyType({"who": 0, "whom": 1, "whose": 2, "self": 3})
# Beginnings of an act that continue the sentence before it, where the act begins with a name.
_JOINTS: Mapping[Joint, tuple[str, ...]] = MappingProxyType(
    {
        "next": ("Then", "After that", "Meanwhile,", "A moment later", "Before long", "Next"),
        "answer": ("At that,", "In turn,", "With that,"),
    }
)


@dataclass(frozen=True, slots=True)
class _Frame:
    """A variant with its slots filled, the same without quoted words, and the person named last after it."""

    text: str
    own: str
    focus: str | None


class Voice:
    """The maker of sentences, in the order in which they are told; it keeps the person named last and what was told
    lately.
    """

    def __init__(
        self, ledger: Ledger, memory: SceneryMemory, scene: Facts, added: Groups, people: Collection[str] = ()
    ) -> None:
        self._ledger = ledger
        self._memory = memory
        self._scene = scene
        self._added = added
        self._people = tuple(capitalised(name) for name in people)
        self._focus: str | None = None
        self._before = self._after = ""

    def say(self, beat: Beat, *, is_first: bool, must: bool = False, before: str = "", after: str = "") -> str:
        """Return the beat as text; draw from the bags and note what it used. `before` and `after` are the neighbouring
        sentences, which it should not echo.

        Empty where all variants of an optional beat (without `must`) were told too recently.
        """
        self._before, self._after = before, after
        frame = self._frame(beat, is_first=is_first, must=must or beat.is_kept or bool(beat.authored))
        if frame is None:
            return ""
        for key in beat.keys:
            self._ledger.note(key)
        text = frame
        if beat.authored:
            self._focus = None  # authored text may have named anybody
            words = quoted(beat.authored) if beat.is_speech else ended(beat.authored)
            text = f"{frame} {words}".strip()
        text = self._joined(beat, text)
        self._memory.add(text)
        return text

    def _joined(self, beat: Beat, text: str) -> str:
        """Return the text with a connecting word or two before it, where it begins with the actor."""
        who = beat.slots.get("who")
        if not beat.joint or not isinstance(who, Person) or not text.startswith(f"{capitalised(who.name)} "):
            return text
        if not beat.group and who.name[0].islower():
            return text  # an author's first letter stays
        words = _JOINTS[beat.joint]
        index = self._ledger.next_of(f"joint.{beat.joint}", len(words), among=range(len(words)))[0]
        self._ledger.drawn(f"joint.{beat.joint}", index)
        return f"{words[index]} {who.name}{text[len(who.name) :]}"

    def _frame(self, beat: Beat, *, is_first: bool, must: bool) -> str | None:
        if not beat.group:
            return ""
        facts = {**self._scene, **_about(beat), **beat.facts}
        for choice in (choices := choose(beat.group, facts, self._added)):
            frames = [self._filled(beat, text) for text in choice.texts]
            must_now = must and choice is choices[-1]
            index = self._pick(choice.bag, frames, is_first=is_first, must=must_now, is_act=beat.kind == "act")
            if index is not None:
                self._ledger.drawn(choice.bag, index)
                self._focus = frames[index].focus
                return frames[index].text
        return None

    def _pick(
        self, bag: str, frames: Sequence[_Frame], *, is_first: bool, must: bool, is_act: bool = False
    ) -> int | None:
        """Return the variant that was used least and least recently; None where all were told too recently, or with
        `must` the oldest of them.
        """
        ages = {index: self._memory.age(frame.own) for index, frame in enumerate(frames)}
        fresh = [index for index, age in ages.items() if age is None]
        if not fresh and not must:
            return None
        if not fresh:
            oldest = max(age for age in ages.values() if age is not None)
            fresh = [index for index, age in ages.items() if age == oldest]
        if is_first:
            fresh = [index for index in fresh if not self._memory.opens_alike(frames[index].text)] or fresh
        if is_act:
            if is_first:
                fresh = [index for index in fresh if not self._memory.opened_lately(frames[index].text)] or fresh
            # Neither two sentences in a row, nor the narrations of two turns in a row, should begin with a name.
            fresh = [index for index in fresh if not self._names_again(frames[index].text, is_first)] or fresh
        fresh = [index for index in fresh if not self._jars(frames[index].text)] or fresh
        waiting = self._ledger.next_of(bag, len(frames), among=fresh)
        return min(waiting, key=lambda index: self._memory.worn(frames[index].own))

    def _names_again(self, text: str, is_first: bool) -> bool:
        before = self._memory.last() if is_first else self._before
        return before.startswith(self._people) and text.startswith(self._people)

    def _jars(self, text: str) -> bool:
        return jars(self._before, text) or jars(text, self._after)

    def _filled(self, beat: Beat, variant: str) -> _Frame:
        focus = self._focus

        def fill(match: re.Match[str]) -> str:
            nonlocal focus
            slot = match.group(1)
            low = slot.lower()
            if low in _CASES or low == "name":
                text, focus = _person(beat, low, focus)
            else:
                text = str(beat.slots[low])
            return capitalised(text) if slot[0].isupper() else text

        text = _AGREEMENT.sub(lambda match: match.group(2 if beat.plural else 1), variant)
        filled = _SLOT.sub(fill, text)
        if _OTHERS & {slot.lower() for slot in _SLOT.findall(text)}:
            focus = None
        own = filled.replace(str(beat.slots["reminder"]), "") if beat.slots.get("reminder") else filled
        return _Frame(_tidy(filled), _tidy(own), focus)


def _about(beat: Beat) -> Facts:
    """Return whom a beat is about, for guards."""
    who = beat.slots.get("who")
    return {"who": local(who.id)} if isinstance(who, Person) else {}


def _person(beat: Beat, case: str, focus: str | None) -> tuple[str, str]:
    """Return the name, or a pronoun for the person named last; a `they` is never a subject, so that verbs agree."""
    who = beat.slots["who"]
    if not isinstance(who, Person):
        raise KeyError(f"group {beat.group!r} needs a person")
    if case == "name" or focus != who.id or (case == "who" and who.pronoun == "they"):
        return _in_case(who.name, case), who.id
    return _PRONOUNS[who.pronoun][_CASES[case]], who.id


def _in_case(name: str, case: str) -> str:
    if case == "whose":
        return f"{name}'" if name.endswith("s") else f"{name}'s"
    return name


def _tidy(text: str) -> str:
    return _DOUBLE_STOP.sub(_single, capitalised(text))


def _single(match: re.Match[str]) -> str:
    return "." if match.group() == ".." else ""


# Aftermath: reactions to the acts of others, and the quiet where nobody acts.

# For so many turns after it was told, the quiet is not mentioned again.
_QUIET_TURNS = 4
# For so many turns the tension is not mentioned again.
_TENSION_TURNS = 5
# Nor in the first turns, when nobody has had much to say yet.
_FIRST_TURNS = 2


def after_acts(given: NarratorInput, memory: SceneryMemory) -> Iterator[Beat]:
    """Yield what may be added to an act, best first: a reaction, a new line of the actor's, the place."""
    if given.ending or not given.acts:
        return
    actor = actor_of(given, given.acts[-1])
    verb = _aftermath_key(actor)
    kinds: list[dict[str, Fact]] = [{"verb": verb}, {}] if verb else [{}]
    shown = [actor.beat("filler", "npc.after", facts) for facts in kinds]
    meant = {act.whisper_to for act in given.acts} | {
        outcome.target_id for act in given.acts for outcome in act.outcomes
    }
    others = [view.id for view in given.scene.people if view.id not in meant | {act.who for act in given.acts}]
    if others and (who := views.person(given, others[given.turn_no % len(others)])):
        shown.insert(given.turn_no % 2, Beat("filler", "npc.bystander", {}, {"who": who}))
    lines = [line for view in given.scene.people if view.id == actor.act.who for line in view.disposition]
    told = " ".join([actor.act.text, *actor.act.say])
    unheard = [line for line in views.unseen(lines, given.recall) if plain(line.text).rstrip(".") not in plain(told)]
    new = [line for line in unheard if memory.age(plain(line.text)) is None]
    theirs = [lore_beat(line) for line in new[:1] if actor.act.who not in _gone(given)]
    yield from [*theirs, *shown] if given.turn_no % 3 == 0 else [*shown, *theirs]
    yield Beat("filler", "still.place", slots={"place": views.place(given)})


def quiet_beats(given: NarratorInput) -> list[Beat]:
    """Return that nobody who could have acted did so: told once, and not again within a few turns."""
    names = [
        somebody.name
        for view in given.scene.people
        if view.id in given.quiet and (somebody := views.person(given, view.id))
    ]
    meant = {outcome.target_id for outcome in given.outcomes}
    told_lately = any(given.recall.get(f"quiet@{given.turn_no - back}") for back in range(1, _QUIET_TURNS + 1))
    too_soon = told_lately or given.turn_no <= _FIRST_TURNS
    if not names or given.acts or given.scene_changed or given.ending or too_soon or meant & set(given.quiet):
        return []
    slots = {"names": listed(names)}
    return [Beat("quiet", "quiet", {}, slots, plural=len(names) > 1, keys=(f"quiet@{given.turn_no}",))]


def tension_beats(given: NarratorInput, kind: str) -> list[Beat]:
    """Return that the tension is as the plan says, if it says this kind: told once within some turns, where there is
    room for it. A plan in words of a model's own means that the tension rises."""
    planned = given.plan.tension_move
    said = planned if planned in ("", "none", "peak") else "rising"
    told_lately = any(given.recall.get(f"tension@{given.turn_no - back}") for back in range(1, _TENSION_TURNS + 1))
    settled = given.ending or is_round_of_another(given) or _is_curt(given)
    if said != kind or told_lately or given.turn_no <= _FIRST_TURNS or settled:
        return []
    return [Beat("filler", "tension", {"kind": kind}, keys=(f"tension@{given.turn_no}",))]


def _gone(given: NarratorInput) -> set[str]:
    here = {view.id for view in given.scene.people}
    return {act.who for act in given.acts} - here


def _aftermath_key(actor: Actor) -> str:
    """Return the key of the reaction: how it went, then what it was; empty where the act has no own reactions."""
    act = actor.act
    if act.hidden:
        return "talk"
    if not act.outcomes:
        return ""
    outcome = act.outcomes[-1]
    verb = verb_of(outcome.type)
    is_fight = verb is not None and verb.is_violent
    if outcome.code == "blocked" or (outcome.band == "fail" and not is_fight):
        return "fail"
    own = telling_of(outcome.type).after
    return own(actor, outcome) if own is not None else ""


# Selection: NarratorInput -> beats in the order of events: each attempt, the place, movements, clocks.


@dataclass(frozen=True, slots=True)
class Selection:
    """The beats to tell, and those that may fill a short narration, best first."""

    beats: tuple[Beat, ...]
    spare: tuple[Beat, ...]


def select(given: NarratorInput, memory: SceneryMemory) -> Selection:
    """Return everything that could be told of the turn, and nothing that is not in the input."""
    beats = [
        *_attempt_beats(given),
        *other_claims(given),
        *gains(given),
        *scene_beats(given, memory),
        *movements(given),
        *_strays(given),
        *pressure(given),
    ]
    beats += tension_beats(given, "peak")
    acts = list(act_beats(given, memory))
    beats = drop_repeated_lore(beats)
    is_anothers, is_curt = is_round_of_another(given), _is_curt(given)
    has_room = not (given.ending or is_anothers or is_curt)
    if has_room and not any(beat.cites for beat in beats) and _wants_lore(given):
        beats += list(lore_left(given, [*beats, *acts]))[:1]
    beats = drop_repeated_lore([*beats, *acts, *quiet_beats(given)])
    if given.ending and plain(given.ending):
        beats.append(Beat("ending", authored=plain(given.ending), starts_paragraph=True))
    if is_anothers:
        return Selection(tuple(beats), tuple(after_acts(given, memory)))
    spare = () if is_curt else (*tension_beats(given, "rising"), *fillers(given, beats))
    return Selection(tuple(beats), spare)


# Outcomes that leave the player with nothing: no gesture and no scenery is to stand in for an answer.
_IN_VAIN = frozenset(("blocked", "deflected", "does_not_know", "nothing_found", "nothing_recorded"))


def _is_curt(given: NarratorInput) -> bool:
    """Tell whether all that was tried was in vain, or was no more than a civil word, which its answer settles."""
    if given.scene_changed or not given.outcomes or is_shelf(given):
        return False
    return all(map(_is_settled, given.outcomes))


def _is_settled(outcome: Outcome) -> bool:
    verb = verb_of(outcome.type)
    speech = verb if verb is not None and verb.is_speech and outcome.code == "acted" else None
    is_small = speech is not None and (bool(speech.like) or (outcome.form in word_forms() and outcome.band is None))
    return outcome.code in _IN_VAIN or outcome.band == "fail" or is_small


def _attempt_beats(given: NarratorInput) -> Iterator[Beat]:
    """Yield the outcomes in their order, each in a paragraph of its own; the price after the one that cost it."""
    costly = next((outcome for outcome in given.outcomes if outcome.band in ("mixed", "fail")), None)
    told = [outcome_beats(given, outcome, _evidence_of(given, outcome)) for outcome in given.outcomes]
    paid = ([*beats, *prices(given)] if at is costly else beats for at, beats in zip(given.outcomes, told, strict=True))
    yield from in_paragraphs(list(paid))
    if costly is None:
        yield from prices(given)


def _evidence_of(given: NarratorInput, outcome: Outcome) -> list[Evidence]:
    wanted = (*outcome.item_ids, *outcome.known_item_ids)
    return [evidence for evidence in given.evidence if evidence.item_id in wanted and plain(evidence.text)]


def _wants_lore(given: NarratorInput) -> bool:
    """Tell whether a turn without evidence gets a line of lore: after a look or a search always, after others every
    second time.
    """
    return given.turn_no % 2 == 0 or any(outcome.code in ("looked", "nothing_found") for outcome in given.outcomes)


def _strays(given: NarratorInput) -> Iterator[Beat]:
    told = {item for outcome in given.outcomes for item in (*outcome.item_ids, *outcome.known_item_ids)}
    told |= items_of_acts(given)
    for evidence in given.evidence:
        if evidence.item_id not in told and not evidence.known_before and plain(evidence.text):
            yield stray_beat(given, evidence)


# Narration: the planned beats -> sentences in paragraphs.

MIN_WORDS = 15
# A paragraph of this many words ends before somebody speaks.
_LONG_PARAGRAPH = 35

Told = tuple[Beat, str]


def narrate(given: NarratorInput) -> NarratorOutput:
    """Return the turn as prose. The same input gives the same text; nothing is told that is not in the input."""
    memory = SceneryMemory(given.recent)
    selection = select(given, memory)
    ledger = Ledger(given.seed, dict(given.recall))
    people = [*(view.name for view in given.scene.people), *(act.name for act in given.acts)] if given.acts else []
    voice = Voice(ledger, memory, scene_facts(given), variants_of(given.grammar), people)
    told: list[Told] = []
    room = room_for(given)
    beats = _vary_opening(plan(selection.beats, room), memory)
    for beat, following in zip_longest(beats, beats[1:]):
        if text := voice.say(
            beat, is_first=not told, before=_last_sentence(told), after=_next_authored(beat, following)
        ):
            told.append((beat, text))
    # Recently told sentences are left out at first; where nothing else is left, they are told all the same.
    for must in (False, True):
        for beat in selection.spare:
            if _words(told) >= MIN_WORDS or sum(1 for other, _ in told if other.group) >= room.own_sentences:
                break
            if any(other is beat for other, _ in told):
                continue
            text = voice.say(beat, is_first=not told, must=must, before=_last_sentence(told))
            if text:
                told.append((beat, text))
    return NarratorOutput(
        final_text=_paragraphs(told),
        # What was learned stands before what was only seen.
        cited=tuple(
            sorted(dict.fromkeys(cited for beat, _ in told for cited in beat.cites), key=lambda cite: "#" not in cite)
        ),
        recall=tuple(ledger.used),
    )


def tell_learned(given: NarratorInput, evidence: Sequence[Evidence]) -> str:
    """Return sentences that tell items, each in its own words with its speaker, to be put behind a narration that
    left them out."""
    memory = SceneryMemory(given.recent)
    voice = Voice(Ledger(given.seed, dict(given.recall)), memory, scene_facts(given), variants_of(given.grammar))
    told: list[Told] = []
    for item in evidence:
        beat = left_out_beat(given, item)
        if text := voice.say(beat, is_first=False, must=True, before=_last_sentence(told)):
            told.append((beat, text))
    return _paragraphs(told)


def _vary_opening(beats: Sequence[Beat], memory: SceneryMemory) -> Sequence[Beat]:
    """Return the beats; where the first is authored alone and opens as the last turn did, with a sentence of ours
    before it.
    """
    if beats and not beats[0].group and beats[0].kind != "ending" and memory.opens_alike(beats[0].authored):
        return (Beat("lead", "breath"), *beats)
    return beats


def _words(told: Sequence[Told]) -> int:
    return sum(word_count(text) for beat, text in told if beat.kind != "ending")


def _last_sentence(told: Sequence[Told]) -> str:
    """Return the last sentence that was told."""
    return sentences(told[-1][1])[-1] if told and sentences(told[-1][1]) else ""


def _next_authored(beat: Beat, following: Beat | None) -> str:
    """Return the authored text that a frame will stand before; empty where that is speech, or another frame."""
    shown = beat if beat.authored else following
    if shown is None or shown.is_speech or (shown.group and shown is not beat):
        return ""
    return shown.authored


def _paragraphs(told: Sequence[Told]) -> str:
    paragraphs: list[list[str]] = [[]]
    for beat, text in told:
        length = sum(map(word_count, paragraphs[-1]))
        speaks = beat.is_speech and not beat.continues
        if paragraphs[-1] and (beat.starts_paragraph or (speaks and length >= _LONG_PARAGRAPH)):
            paragraphs.append([])
        paragraphs[-1].append(text)
    return "\n\n".join(" ".join(texts) for texts in paragraphs)
