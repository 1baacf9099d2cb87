"""Small talk that was said to somebody -> their answer: by how they stand to the player, and by what is openly known.

Nothing here comes from what they know or withhold: only from open lines of the notes, and from the state as it shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from types import MappingProxyType

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_words import INTRODUCTION, given_name, named_in
from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.forms import FEELS, WordForm, kinds_of, known_lines, lacks_answer, sorts, word_forms
from lorewright.builtin.narrator.grammar import Fact, grammar
from lorewright.builtin.narrator.hearing import echoed_as, is_asked_about, own_affair, to_nobody, way_asked
from lorewright.builtin.narrator.retorts import retort_to, taken_up, thing_ordered
from lorewright.builtin.narrator.scenery import open_lines, words_key
from lorewright.builtin.narrator.views import Beat, Person, Slot
from lorewright.builtin.parser.small_talk import HOSTS, any_subject_of, question_form, remark_class, subject_of
from lorewright.builtin.words.clauses import listed, verb_with, words_of
from lorewright.builtin.words.echoes import asked_words
from lorewright.index.keywords import STOP_WORDS, content_words
from lorewright.rules.patch import Outcome
from lorewright.rules.verbs import is_answered
from lorewright.scene_lore.cache import COLOURLESS_WORDS
from lorewright.scene_lore.nouns import singular
from lorewright.values.records import LoreLine, NarratorInput

_MOODS = ("mood", "temper", "spirits")
_MOST_OF_MOOD = 3


def telling_of_talk(
    kind: str, otherwise: str, *, alone: str = "talk.alone"
) -> Callable[[NarratorInput, Outcome], Beat | None]:
    """Return what tells the answer to small talk of a verb; `otherwise` is the subject of words that have none,
    `alone` the group of sentences where nobody is there."""

    def tell(given: NarratorInput, outcome: Outcome) -> Beat | None:
        if outcome.code != "acted" or outcome.band is not None:
            return None
        who = _answers(given, outcome)
        if who is None:
            return to_nobody(given, outcome, alone)
        if (by_form := answer_by_form(given, outcome)) is not None:
            return by_form
        subject = subject_of(kind, outcome.words)
        is_long = len(outcome.deed.split()) >= _LONG and kind == _remark()
        general = _ASKED if asked_words(given.player_text, outcome.words)[1] else f"talk.{otherwise}"
        group = next((name for name, found in sorts("said").items() if found.search(outcome.words)), general)
        if (is_long or not subject) and (echo := echo_of(given, outcome, who, group)) is not None:
            return echo
        if not subject and (taken := _class_of(given, outcome) if kind == _remark() else ""):
            echo = taken_up(outcome, who, regard_of(given, who.id), f"heard.{taken}")
            return echo or _of_speech_act(given, who, f"heard.{taken}", outcome.words)
        last = subject_of(kind, re.split(r"[.!?;]+\s+", outcome.words)[-1])
        return _answer(given, outcome, who, subject or last or otherwise)

    return tell


# From so many words on a guess by a phrase in them is worse than the words themselves.
_LONG = 4
# Forms: what is said, by the kind of act that the interpreter took it for, where it says one.

# Words that make a request one for an answer: `tell me what happened`.
_TELL_ME = re.compile(r"\b(?:(?:tell|remind) (?:me|us)|explain|describe)\b", re.IGNORECASE)
# What leave is asked for, where that can be granted without a thought.
_LEAVE = MappingProxyType(
    {
        "seat": re.compile(r"\b(?:sit|take a seat|have a seat|join you)\b", re.IGNORECASE),
        "question": re.compile(r"\bask\b", re.IGNORECASE),
        "sight": re.compile(r"\b(?:look|see|watch)\b", re.IGNORECASE),
    }
)
_OF_YOU = frozenset(("you", "your", "you're", "you've", "u"))
_OF_ME = re.compile(r"\b(?:i|me|my|im|we|us)\b", re.IGNORECASE)


# The form of a question about the person asked, and what answers any of them.
_SELF, _OWN = "ask_self", ("asked.own", "asked.self")


def answer_by_form(given: NarratorInput, outcome: Outcome) -> Beat | None:
    """Return the answer to the player's words by their form; None where they have none that is answered."""
    name, who = form_of(given, outcome), _answers(given, outcome)
    form = word_forms().get(name)
    if who is None or outcome.actor_id != given.player_id:
        return None
    if short := retort_to(given, outcome, who, regard_of(given, who.id)) or _whatever_form(given, outcome, who):
        return short
    if form is None:
        return None
    asked = asked_words(given.player_text, outcome.words)[0] or outcome.words
    by_words = _by_words(form, f"{outcome.words} {asked}")
    if form.of_world and not by_words and not _OF_YOU & {word.low for word in words_of(asked)}:
        name, form = form.of_world, word_forms()[form.of_world]
    if _is_called(asked, who):
        return Beat("outcome", "asked.is_name", {}, {"who": who})
    group = by_words or own_affair(_finer(given, outcome, who, form.finer) or form.answer, asked)
    if group in _OWN and not by_words:
        # It is about who is asked, and what they do says more than that.
        group = _by_words(word_forms()[_SELF], f"{outcome.words} {asked}") or group
    if group == _FEELING and (not _OF_ME.search(asked) or FEELS.search(asked)):
        group = form.answer
    way = way_asked(given, outcome) if name == _WAY else ""
    if way:
        return Beat("outcome", form.named, {}, {"who": who, "topic": way})
    if (
        form.named
        and not by_words
        and name != _WAY
        and (given_name(outcome) if name == INTRODUCTION else own_topic(given, who.id))
    ):
        group = form.named
    if group == _STILL:
        return _keeping_still(given, outcome, who, asked)
    line = _own_line(given, who, group, asked if name == _OF_SELF and group == form.answer else "")
    echo = echo_of(given, outcome, who, group) or taken_up(outcome, who, regard_of(given, who.id), group)
    if echo is not None and (line is None or lacks_answer(outcome.deed, line.text)):
        return echo
    if group.startswith("talk."):
        return _answer(given, outcome, who, group.removeprefix("talk."))
    if group == _DOING:
        return _at_it(given, who)
    if group == _ELSE and (topic := own_topic(given, who.id, asked)):
        return Beat("outcome", group, {"topic": "named"}, {"who": who, "topic": topic})
    if line is not None:
        return _quoting(Beat("outcome", "asked.known", {}, {"who": who}), line)
    about_others = name != "accuse" or not _OF_YOU & {word.low for word in words_of(outcome.words)}
    beat = _of_speech_act(given, who, group, outcome.words if about_others else "")
    leave = next((kind for kind, pattern in _LEAVE.items() if pattern.search(outcome.words)), "")
    return replace(beat, facts={"kind": leave}) if name == "ask_permission" and leave else beat


# Groups whose answers take up what was said; those of questions that are not told apart have one.
ECHO = "echo."
_ASKED, _FEELING = "asked.anything", "talk.feeling"
_WH = re.compile(r"(?:what|which|who|where|when|how)\b", re.IGNORECASE)
_OWN_WORDS, _MY_WORDS = re.compile(r"your?\b", re.IGNORECASE), re.compile(r"(?:i|my)\b", re.IGNORECASE)


def echo_of(given: NarratorInput, outcome: Outcome, who: Person, group: str) -> Beat | None:
    """Return an answer that takes up the player's words, in place of the group's; None where it has none, where they
    are not to be repeated, and from somebody cold."""
    is_mine = _MY_WORDS.match(outcome.deed) is not None
    if group == _REQUEST and outcome.deed.casefold().startswith(_UNDONE):
        group = _STILL
    if group in _YES_OR_NO and _WH.match(outcome.deed):
        group = "asked.self"
    if group == _REASON and not outcome.deed.casefold().startswith(("why", "how come")):
        return None
    group = f"{ECHO}{'heard.view' if is_mine and group == _FEELING else echoed_as(group, outcome.deed)}"
    if not outcome.deed or group not in grammar() or regard_of(given, who.id) == "cold":
        return None
    kind = "own" if _OWN_WORDS.match(outcome.deed) else "listener" if is_mine else ""
    facts: dict[str, Fact] = {"kind": kind} if kind in kinds_of(group) else {}
    slots: dict[str, Slot] = {"who": who, "deed": outcome.deed}
    said = f" {views.folded(outcome.deed)} "
    own = [lead.topic for lead in given.leads if lead.asked == lead.holder == who.id]
    topic = next((topic for topic in own if f" {views.folded(topic)} " in said), "")
    if topic and any(("topic", "named") in variant.when for variant in grammar()[group]):
        facts, slots["topic"] = {"topic": "named"}, topic
    return Beat("outcome", group, facts, slots)


_STILL, _REQUEST, _REASON = "heard.keep_still", "heard.request", "asked.reason"
_YES_OR_NO = frozenset(f"asked.{subject}" for subject in ("ever", "often", "mood", "truth", "memory", "rest"))
# What is asked for is that somebody does nothing; words of no more than so many are short.
_UNDONE, _FEW = ("don't ", "not ", "stop ", "never ", "no "), 7


def _whatever_form(given: NarratorInput, outcome: Outcome, who: Person) -> Beat | None:
    """Return the answer to short words that mean one thing, whichever form they were taken to have; None for others."""
    first = re.split(r"[.!?;]+\s+", outcome.words)[0]
    is_short = 0 < len(first.split()) <= _FEW and not is_answered(outcome.type)
    group = next((group for group, found in sorts("any").items() if found.search(first)), "") if is_short else ""
    if group == _STILL:
        return _keeping_still(given, outcome, who, outcome.words)
    return _of_speech_act(given, who, group, "") if group else None


def _keeping_still(given: NarratorInput, outcome: Outcome, who: Person, said: str) -> Beat:
    """Return the answer to words that ask for quiet: of all who are here, where they are for all."""
    here = [one for view in given.scene.people if (one := views.person(given, view.id))]
    if len(here) > 1 and _TO_ALL.search(said):
        return Beat("outcome", "heard.all_still", {}, {"names": listed([one.name for one in here])}, plural=True)
    return echo_of(given, outcome, who, _STILL) or _of_speech_act(given, who, _STILL, "")


# Words for all who are here.
_TO_ALL = re.compile(
    r"\b(?:all of you|everybody|everyone|you all|you lot|y'all|you two|both of you|guys|folks)\b", re.IGNORECASE
)
_OF_SELF, _DOING, _ELSE = "ask_self", "asked.doing", "asked.else"


def _by_words(form: WordForm, words: str) -> str:
    """Return the group of what words show that they are about; empty where they show none."""
    return next((group for group, pattern in form.by_words.items() if pattern.search(words)), "")


def _is_called(asked: str, who: Person) -> bool:
    """Tell whether somebody is asked whether they are who they are: `are you Marit?`"""
    named = re.search(
        r"(?<!where )\b(?:are you|aren't you|you're|you are|you must be)(?: not)? (?P<name>[\w' ]+?)\W*$", asked, re.I
    )
    return named is not None and views.folded(named["name"]) == views.folded(who.name)


def _at_it(given: NarratorInput, who: Person) -> Beat:
    """Return the answer of somebody who is asked what they are doing: what is to be seen of it."""
    lines = next((view.disposition for view in given.scene.people if view.id == who.id), ())
    regard = regard_of(given, who.id)
    beat = Beat("outcome", _DOING, {"regard": regard} if regard else {}, {"who": who})
    return next((_quoting(beat, line) for line in views.unseen(lines, given.recall)), beat)


def _quoting(beat: Beat, line: LoreLine) -> Beat:
    return replace(beat, authored=plain(line.text), cites=(line.chunk_id,), keys=(line.key, words_key(line)))


def _own_line(given: NarratorInput, who: Person, group: str, asked: str) -> LoreLine | None:
    """Return the open line about somebody that answers a question after them: one that speaks of what the group is
    about, else one that has a telling word of the question; None where there is none, and from somebody cold."""
    if regard_of(given, who.id) == "cold":
        return None
    lines = [line for line in open_lines(given, who.id) if not _told_lately(given, line)]
    if (pattern := known_lines().get(group)) is not None:
        return next((line for line in lines if pattern.search(line.text)), None)
    small = STOP_WORDS | COLOURLESS_WORDS | set(who.name.casefold().split())
    wanted = {singular(word) for word in content_words(asked) if len(word) >= _TELLING} - small
    return next((line for line in lines if wanted & {singular(word) for word in content_words(line.text)}), None)


def _told_lately(given: NarratorInput, line: LoreLine) -> bool:
    return any(plain(line.text) in text for text in given.recent)


# Words of so many letters tell what a question is about.
_TELLING = 5
# The form of a question after a way.
_WAY = "ask_way"


def form_of(given: NarratorInput, outcome: Outcome) -> str:
    """Return the form of what was said; a request to be told something is a question."""
    form = word_forms().get(outcome.form)
    is_question = form is not None and form.told_as and is_answered(outcome.type) and _TELL_ME.search(given.player_text)
    return form.told_as if form is not None and is_question else outcome.form


def _finer(given: NarratorInput, outcome: Outcome, who: Person, groups: Collection[str]) -> str:
    """Return the one of the groups for finer kinds of a form that the words are of; empty where they show none."""
    if not groups or not outcome.words.strip():
        return ""
    asked = _asked(given, outcome, who)[1]
    remarked = f"heard.{remark_class(outcome.words)}"
    found = (
        f"talk.{any_subject_of(outcome.words)}",
        _AS_SMALL_TALK.get(remarked, remarked),
        f"asked.{_ANSWERED_AS.get(asked, asked)}",
        f"heard.{_AS_REQUEST.get(asked, asked)}",
    )
    return next((group for group in found if group in groups), "")


def asks_for_lore(given: NarratorInput, outcome: Outcome) -> bool:
    """Tell whether words may be answered with what is known, going by their form; any that have none may."""
    form = word_forms().get(form_of(given, outcome))
    return form is None or form.lore


# Speech acts: what is said that is no small talk of its own, and questions that nobody has lore for.


def _remark() -> str:
    """Return the name of the verb that takes any statement; empty where none does."""
    verb = verb_with(lambda syntax: syntax.remark)
    return "" if verb is None else verb.name


# What everybody talks of.
_WEATHER = frozenset("the a rain weather storm wind fog snow cold heat night tonight evening this".split())
# Forms of questions about the person asked: they are answered from how the two stand, not with what somebody knows.
_OF_LISTENER = frozenset(
    ("choice", "opinion", "permission", "request", "advice", "reason", "past", "own", "yes_no", "kin", "mind")
)
# Forms that are answered as a request is.
_AS_REQUEST = {"ask_for": "hand_over"}
# Forms that are answered as another is.
_ANSWERED_AS = {"know": "what", "seen": "whether", "anybody": "whether", "mind": "own"}
# Classes that small talk has answers to.
_AS_SMALL_TALK = {"heard.feeling": "talk.feeling", "heard.dropped": "talk.dropped"}
_OF_LORE = frozenset(
    ("price", "who", "where", "when", "why", "how", "what", "whether", "either", "know", "seen", "anybody")
)
# What a question about the person asked comes to where it names somebody else.
_OF_OTHERS = {"past": "whether", "own": "what", "yes_no": "whether"}


def _class_of(given: NarratorInput, outcome: Outcome) -> str:
    taken = remark_class(outcome.words)
    last = re.split(r"[.!?;]+\s+", outcome.words)[-1]
    if taken in ("", "news", "self") and last != outcome.words and subject_of(_remark(), last):
        return ""
    return taken or ("news" if named_in(given, outcome.words) else "")


def answer_without_lore(given: NarratorInput, outcome: Outcome) -> Beat | None:
    """Return the answer to a question that nobody has lore for, by what kind of question it is; None for a bare topic
    (`ask Viktor about the tide`)."""
    if (by_form := answer_by_form(given, outcome)) is not None:
        return by_form
    who = views.person(given, outcome.target_id)
    if who is None or outcome.actor_id != given.player_id or not outcome.words.strip():
        return None
    group = _ASKED if asked_words(given.player_text, outcome.words)[1] else "talk.statement"
    if len(outcome.deed.split()) >= _LONG and (echo := echo_of(given, outcome, who, group)) is not None:
        return echo
    if {word.low for word in words_of(outcome.words)} <= _WEATHER:
        regard = regard_of(given, who.id)
        return Beat("outcome", "talk.weather", {"regard": regard} if regard else {}, {"who": who})
    asked, form = _asked(given, outcome, who)
    if form == "yes_no":
        regard = regard_of(given, who.id)
        return Beat("outcome", "talk.personal", {"regard": regard} if regard else {}, {"who": who})
    group = (
        f"asked.{_ANSWERED_AS.get(form, form)}"
        if form in _OF_LISTENER | _OF_LORE
        else f"heard.{_AS_REQUEST.get(form, form)}"
    )
    return _of_speech_act(given, who, group, asked) if form else None


def answer_to_news(given: NarratorInput, outcome: Outcome) -> Beat | None:
    """Return the answer to something that somebody is told and that is no lore, by what kind of thing is said; None
    where nothing is."""
    who = views.person(given, outcome.target_id)
    if who is None or not outcome.words.strip() or outcome.actor_id != given.player_id:
        return None
    return _of_speech_act(given, who, f"heard.{remark_class(outcome.words) or 'topic'}", outcome.words)


def is_of_listener(given: NarratorInput, outcome: Outcome) -> bool:
    """Tell whether a question is about the person asked, or asks something of them: no other could answer it."""
    who = views.person(given, outcome.target_id)
    if (form := word_forms().get(form_of(given, outcome))) is not None:
        asked = asked_words(given.player_text, outcome.words)[0]
        return not form.pointed_on or bool(_by_words(form, f"{outcome.words} {asked}"))
    if who is None or not outcome.words.strip():
        return False
    asked = _asked(given, outcome, who)[1]
    return bool(asked) and asked not in _OF_LORE


def _asked(given: NarratorInput, outcome: Outcome, who: Person) -> tuple[str, str]:
    """Return the question that somebody was asked, without their name, and its form."""
    asked, is_question = asked_words(given.player_text, outcome.words)
    names = "|".join(re.escape(word) for word in who.name.split() if len(word) > _SHORT)
    called = re.match(rf"(?:(?:[\w'-]+)[ ,]+){{0,2}}?(?:{names})\b[ ,]*", asked, re.IGNORECASE) if names else None
    rest = asked[called.end() :] if called is not None else ""
    form = question_form(rest) if rest.strip() else ""
    asked, form = (rest, form) if form else (asked, question_form(asked))
    if not is_question and form == "yes_no" and asked.strip().lower().startswith(("you ", "your ")):
        form = remark_class(asked) or form
    if is_question and form in _STATEMENTS:
        form = "whether"
    if form in _OF_OTHERS and named_in(given, asked, but=(who.name,)):
        form = _OF_OTHERS[form]
    return asked, form


# Shorter words of a name are no call: `Mr`.
_SHORT = 2
# What is stated and means a question where a question mark ends it.
_STATEMENTS = frozenset(("news", "self", "plan", "memory"))


def _of_speech_act(given: NarratorInput, who: Person, group: str, words: str) -> Beat:
    group = _AS_SMALL_TALK.get(group, group)
    facts: dict[str, Fact] = {}
    slots: dict[str, Slot] = {"who": who}
    guards = {key for variant in grammar().get(group, ()) for key, _ in variant.when}
    if "topic" in guards and (name := named_in(given, words, but=(who.name,))):
        facts, slots["topic"] = {"topic": "named"}, name
    elif "regard" in guards and (regard := regard_of(given, who.id)):
        facts = {"regard": regard}
    return Beat("outcome", group, facts, slots)


def answer_to_words(given: NarratorInput, outcome: Outcome) -> Beat | None:
    """Return the answer to words that have a form, or turn out to be small talk, whatever they were typed as; None for
    other words."""
    if (by_form := answer_by_form(given, outcome)) is not None:
        return by_form
    who, subject = _answers(given, outcome), any_subject_of(outcome.words)
    is_long = who is not None and len(outcome.deed.split()) >= _LONG
    if who is not None and is_long and (echo := echo_of(given, outcome, who, "talk.statement")) is not None:
        return echo
    return None if who is None or not subject else _answer(given, outcome, who, subject)


def _answers(given: NarratorInput, outcome: Outcome) -> Person | None:
    """Return the person spoken to; of several who are spoken to at once another in each turn."""
    if outcome.target_id is not None:
        return views.person(given, outcome.target_id)
    present = [who for view in given.scene.people if (who := views.person(given, view.id))]
    return present[given.turn_no % len(present)] if present else None


def _answer(given: NarratorInput, outcome: Outcome, who: Person, subject: str) -> Beat:
    regard = regard_of(given, who.id)
    facts: dict[str, Fact] = {"regard": regard} if regard else {}
    slots: dict[str, Slot] = {"who": who}
    line: LoreLine | None = None
    match subject:
        case "wellbeing":
            facts, slots = _wellbeing(given, who, facts)
        case "name" | "work" | "wish" if regard != "cold":
            line = _open_line(given, who, subject)
            facts = {"detail": True} if line else facts
        case "help" if regard != "cold":
            slots["topic"] = own_topic(given, who.id)
            facts = {"topic": "named"} if slots["topic"] else facts
        case "served" if _is_host(given, who.id):
            facts["kind"] = "host"
        case "served" if regard != "cold" and (wanted := thing_ordered(outcome.words, who)):
            facts, slots["deed"] = {**facts, "detail": True}, wanted
        case "treat" if regard != "cold" and any(_is_host(given, view.id) for view in given.scene.people):
            facts = {"kind": "host"}
        case "introduction":
            slots["topic"] = given_name(outcome)
            facts = {**facts, "topic": "named"} if slots["topic"] else {}
        case _:
            pass
    return Beat(
        "outcome",
        f"talk.{subject}",
        facts,
        slots,
        authored=plain(line.text) if line else "",
        cites=(line.chunk_id,) if line else (),
        keys=(line.key, words_key(line)) if line else (),
    )


def regard_of(given: NarratorInput, who: str) -> str:
    """Return how somebody here stands to the player: `warm`, `cold`, or empty."""
    return next((view.regard for view in given.scene.people if view.id == who), "")


def own_topic(given: NarratorInput, who: str, asked: str = "") -> str:
    """Return something that somebody here would tell of if they were asked, and that the player can name: none that was
    just asked about."""
    own = (lead.topic for lead in given.leads if lead.asked == lead.holder == who)
    return next((topic for topic in own if not is_asked_about(topic, asked)), "")


def _wellbeing(given: NarratorInput, who: Person, facts: dict[str, Fact]) -> tuple[dict[str, Fact], dict[str, Slot]]:
    """Return what is to be seen of how somebody is: a wound, a mood in words; else how they stand to the player."""
    attrs = next((entity.attrs for entity in given.packet.entities if entity.id == who.id), None)
    if attrs is not None and attrs.conditions:
        return {"kind": "hurt"}, {"who": who}
    moods = () if attrs is None else (attrs.states.get(name) for name in _MOODS)
    mood = next((value for value in moods if isinstance(value, str) and views.is_plain(value)), "")
    if mood and len(mood.split()) <= _MOST_OF_MOOD:
        return {"kind": "mood"}, {"who": who, "detail": mood}
    return facts, {"who": who}


def _open_line(given: NarratorInput, who: Person, subject: str) -> LoreLine | None:
    """Return the open line that answers: the first of all for who somebody is, else the first that speaks of it."""
    lines = [line for line in open_lines(given, who.id) if not _told_lately(given, line)]
    pattern = known_lines().get(f"talk.{subject}")
    return (
        _first(lines, given) if pattern is None else next((line for line in lines if pattern.search(line.text)), None)
    )


def _first(lines: Sequence[LoreLine], given: NarratorInput) -> LoreLine | None:
    """Return the first line, or the first that was not told yet."""
    return next((line for line in lines if not given.recall.get(line.key)), lines[0] if lines else None)


def _is_host(given: NarratorInput, who: str) -> bool:
    """Tell whether it is somebody's business to serve people, as far as it is openly known."""
    tags = next((entity.tags for entity in given.packet.entities if entity.id == who), ())
    return not HOSTS.isdisjoint({word for tag in tags for word in tag.split("_")}) or any(
        not HOSTS.isdisjoint({word.low for word in words_of(line.text)}) for line in open_lines(given, who)[:1]
    )
