"""The senses: a look at a thing, a sniff, an ear -> the lines that tell of it, or that there is nothing to note; and
what is said -> the scenario's own answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz.distance import OSA

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.forms import (
    FIRST,
    QuestionSort,
    is_of_senses,
    kinds_of,
    lacks_answer,
    sort_of_question,
    word_forms,
)
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.prose_deeds import HEARD, SMELT, shown_beat, sought_in, tells_of
from lorewright.builtin.narrator.scenery import is_shelf, open_lines, said_of, words_key
from lorewright.builtin.narrator.views import Beat, Person
from lorewright.builtin.words.asides import has_words
from lorewright.builtin.words.clauses import lexicon, place_name, words_of
from lorewright.builtin.words.echoes import asked_words
from lorewright.index.keywords import STOP_WORDS, content_words
from lorewright.rules.patch import Outcome
from lorewright.rules.verbs import verb_of
from lorewright.scene_lore.cache import COLOURLESS_WORDS, FAINT_WORDS
from lorewright.scene_lore.nouns import singular
from lorewright.values.records import Evidence, NarratorInput
from lorewright.values.scenery import TOLD

# What one looks at with one's ears.
SOUNDS = "sounds"
# What one looks at who looks who is there; and what comes before that through which one looks.
EVERYBODY, THROUGH = "everybody", "through "


def where_through(words: str) -> str:
    """Return `through the keyhole` where that is what one looks through; empty for other looks."""
    return (views.where(words) or views.where(words.partition(" of ")[0])) if words.startswith(THROUGH) else ""


def heard_beat(given: NarratorInput, outcome: Outcome) -> Beat:
    """Return the next line of the place that tells of anything to be heard, or that there is nothing; of one thing the
    line that it stands in."""
    if thing := views.thing(given, outcome.target_id):
        shown = views.shown_in_prose(given, outcome)
        told = () if shown is None else shown.lines
        line = next((line for line in told if HEARD.search(plain(line.text))), None)
        if line is None:
            return Beat("outcome", "looked.heard_at", {"bare": True}, {"thing": thing})
        cites = () if line.key.startswith(TOLD) else (line.chunk_id,)
        return Beat("outcome", "looked.heard_at", {}, {"thing": thing}, authored=plain(line.text), cites=cites)
    lines = [line for line in (*given.scene.atmosphere, *given.scene.overview) if HEARD.search(plain(line.text))]
    for line in views.unseen(lines, given.recall)[:1]:
        return Beat(
            "outcome",
            "looked.sounds",
            {"kind": "heard"},
            authored=plain(line.text),
            cites=(line.chunk_id,),
            keys=(line.key,),
        )
    return Beat("outcome", "looked.sounds")


def sensed_beats(given: NarratorInput, outcome: Outcome) -> list[Beat] | None:
    """Return what is heard or smelt of a place where one listens or sniffs, and looks at nothing, and how many
    there are of what is counted; None for a look."""
    if outcome.form == COUNTED:
        return counted_beats(given, outcome)
    is_of_place = outcome.target_id in (None, given.scene.place_id) and outcome.words in ("", SOUNDS)
    if not is_of_place or given.scene_changed or outcome.form not in ("listen", "smell"):
        return None
    return [heard_beat(given, outcome) if outcome.form == "listen" else scent_beat(given)]


def scent_beat(given: NarratorInput) -> Beat:
    """Return the next line of the place that tells of a smell, or that there is nothing to be smelt."""
    lines = [line for line in (*given.scene.atmosphere, *given.scene.overview) if SMELT.search(plain(line.text))]
    line = next(iter(views.unseen(lines, given.recall) or lines), None)
    if line is None:
        return Beat("outcome", "looked.scents", {"bare": True})
    return Beat("outcome", "looked.scents", authored=plain(line.text), cites=(line.chunk_id,), keys=(line.key,))


# The form of a look by which things are counted.
COUNTED = "count"
_MEANT = re.compile(r"\b(?:count|tally|recount)(?:s|ing)? (?:up )?(?:all )?(?:of )?(?P<what>[\w' -]+)", re.IGNORECASE)
_ENDS_NOUN = re.compile(
    r" (?:and|or|to|in|on|of|out|that|by|with|before|because|as|while|for|from|there|here|again|along|under|over|at"
    r"|then|so|carefully|quickly|slowly|twice|once|one)\b.*",
    re.IGNORECASE,
)
_NUMBER = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty"
    r"|ninety|\w+ty-\w+|hundred|thousand|dozen|\d+)"
)


def counted_beats(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Return the sentence that says how many there are of what is counted, where one that is known says so; else that
    one loses count, which names them."""
    meant = _MEANT.search(given.player_text)
    what = _ENDS_NOUN.sub("", meant["what"]) if meant else ""
    what = re.sub(r"^(?:the|my|those|these|all|his|her|their) ", "", what, flags=re.IGNORECASE).strip()
    what = outcome.words if what.casefold() in lexicon().thing_pronouns else what
    if not what or not views.is_plain(what):
        return [Beat("outcome", "looked.counted", {"bare": True})]
    heads = {re.escape(form) for form in (what.split()[-1].casefold(), singular(what.split()[-1].casefold()))}
    counted = re.compile(rf"\b{_NUMBER}(?: [\w'-]+){{0,2}}? (?:{'|'.join(heads)})s?\b", re.IGNORECASE)
    shown = views.shown_in_prose(given, outcome)
    known = open_lines(given, outcome.target_id or "")
    lines = (*(shown.lines if shown else ()), *given.scene.atmosphere, *given.scene.overview, *known)
    # `The tapers lie in twelve bundles`
    numbered = re.compile(rf"^(?:the )?(?:[\w'-]+ )?(?:{'|'.join(heads)})s?\b.* {_NUMBER}\b", re.IGNORECASE)
    says = ((line, pattern) for pattern in (counted, numbered) for line in lines)
    line = next((line for line, pattern in says if pattern.search(plain(line.text))), None)
    facts: dict[str, Fact] = {} if line is None else {"seen": True}
    cites = () if line is None or line.key.startswith(TOLD) else (line.chunk_id,)
    text = "" if line is None else plain(line.text)
    return [Beat("outcome", "looked.counted", facts, {"thing": f"the {what}"}, authored=text, cites=cites)]


# Words for having something say once more what it said; and the signs of that in a sentence.
_PLAYED = frozenset("play replay hear check read reread repeat".split())
_SAYING = re.compile(r": |[“”]")


def played_beats(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Return what a message or the like says that is played or read again; empty where it is neither."""
    shown = views.shown_in_prose(given, outcome)
    if shown is None or outcome.deed.partition(" ")[0] not in _PLAYED:
        return []
    lines = [line for line in shown.lines if _SAYING.search(line.text)][:1]
    return [
        Beat(
            "outcome",
            FIRST,
            slots={"deed": outcome.deed},
            authored=plain(line.text),
            cites=() if line.key.startswith(TOLD) else (line.chunk_id,),
        )
        for line in lines
    ]


def thing_beats(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Return the next line that is openly known of a thing, else what was told of it, else that one sees no more."""
    thing, form = views.thing(given, outcome.target_id), outcome.form
    if form == "read" and (written := _written_in(given, outcome.target_id)):
        return written
    if sought := sought_in(given, thing):
        return [_sought_beat(given, outcome, sought, thing)]
    said = [] if form == "smell" else said_of(given, outcome.target_id, kind="outcome")
    shown = views.shown_in_prose(given, outcome)
    if said or shown is not None:
        return said or [shown_beat(given, shown, form)] if shown is not None else said
    known = open_lines(given, outcome.target_id or "")[:1] if form != "smell" else []
    if known and not is_shelf(given):
        return [Beat("outcome", "looked.again", authored=plain(line.text), cites=(line.chunk_id,)) for line in known]
    is_look = (not form or is_of_senses(form)) and form not in kinds_of("looked.thing")
    if is_look and set(thing.casefold().split()[1:]).isdisjoint(given.player_text.casefold().split()):
        # It was meant by another name: that of the place where it is.
        return [Beat("outcome", "looked.at_place", {}, {"thing": thing})]
    facts: dict[str, Fact] = {"carried": True} if thing in views.carried(given) else {}
    facts = {"kind": form} if form in kinds_of("looked.thing") else {"kind": "note"} if is_shelf(given) else facts
    return [Beat("outcome", "looked.thing", facts, {"thing": thing})]


def _sought_beat(given: NarratorInput, outcome: Outcome, sought: str, thing: str) -> Beat:
    """Return the next line openly known of a thing that tells of what is looked for there, else that it shows none."""
    lines = [line for line in open_lines(given, outcome.target_id or "") if tells_of(line, sought)]
    for line in views.unseen(lines, given.recall)[:1] or lines[:1]:
        cites, keys = (line.chunk_id,), (line.key, words_key(line))
        return Beat("outcome", authored=plain(line.text), cites=cites, keys=keys)
    return Beat("outcome", "looked.sought", {}, {"thing": thing, "sought": sought})


def _written_in(given: NarratorInput, thing_id: str | None) -> list[Beat]:
    """Return the line openly known of a thing that tells what stands in it, the next that was not told."""
    lines = [line for line in open_lines(given, thing_id or "") if _STANDS_THERE.search(plain(line.text))]
    new = views.unseen(lines, given.recall)
    if new:
        line = new[0]
        return [Beat("outcome", authored=plain(line.text), cites=(line.chunk_id,), keys=(line.key, words_key(line)))]
    return []


_STANDS_THERE = re.compile(r"[“”]|\b(?:says?|reads|is written|names|in capitals)\b", re.IGNORECASE)


def holds_things(thing: str) -> bool:
    """Tell whether a thing by its name has a lid or the like, and things in it."""
    return bool(thing) and thing.casefold().split()[-1] in lexicon().holders


# What is said, where the scenario has an answer of its own.

_OWN = "heard.own"
_ANSWERING = frozenset(("acted", "does_not_know", "deflected"))


def answers_of_scenario(given: NarratorInput, outcome: Outcome) -> list[Beat] | None:
    """Return the answer that the scenario has to what the player said, by its words; None where it has none."""
    phrases, who = given.grammar.get(_OWN, ()), views.person(given, outcome.target_id)
    verb = verb_of(outcome.type)
    is_said = verb is not None and verb.is_speech and outcome.code in _ANSWERING and outcome.band is None
    if who is None or not phrases or not is_said or outcome.actor_id != given.player_id:
        return None
    wanted = _own_words(given, outcome)
    form = word_forms().get(outcome.form)
    if form is not None and form.answer == _APOLOGY and _SORRY.match(outcome.words) and not _SORRY.search(wanted):
        # What one is sorry for is no subject of its own.
        return None
    # One answer is given once in a turn, and to the words of the line that have it.
    at = given.outcomes.index(outcome) if outcome in given.outcomes else len(given.outcomes)
    before, after = given.outcomes[:at], given.outcomes[at + 1 :]
    has_them = has_words(wanted, outcome.words)
    if not has_them and any(has_words(wanted, later.words) for later in after):
        return None
    others = [told for told in before if told.target_id == outcome.target_id]
    is_said = any(_own_words(given, told) == wanted and not (has_them and told.words) for told in others)
    is_said = is_said or any(has_words(wanted, told.words) for told in others)
    return [Beat("outcome", _OWN, {"words": wanted}, {"who": who})] if wanted and not is_said else None


_APOLOGY = "heard.apology"
_SORRY = re.compile(
    r"(?:(?:i|i'm|im|i am|so|very|really|oh|hey|that|just|to say)\W+)*(?:sorry|apolog|forgive)", re.IGNORECASE
)


def _own_words(given: NarratorInput, outcome: Outcome) -> str:
    """Return the words of the scenario's answer that an act has; empty where it has none."""
    said = f"{outcome.words} {asked_words(given.player_text, outcome.words)[0]}"
    own = (phrase.when for phrase in given.grammar.get(_OWN, ()))
    wanted = (str(when["words"]) for when in own if "words" in when and "kind" not in when)
    return next((words for words in wanted if has_words(words, said)), "")


# Questions to somebody: whether what they have to tell is an answer.

_BETWEEN_TWO = re.compile(r"\b(?:i|me|my|im|i'm|we|us|our|you|your|yours|you're|you've|u|ur)\b", re.IGNORECASE)


_SHORT_QUESTION = 8


def is_between_two(given: NarratorInput, outcome: Outcome) -> bool:
    """Tell whether a question is about who asks or who is asked, or says much: what else could be asked is no answer to
    that."""
    asked = asked_words(given.player_text, outcome.words)[0]
    asked = outcome.deed or asked
    return _BETWEEN_TWO.search(asked) is not None or len(outcome.deed.split()) > _SHORT_QUESTION


# Groups of questions that are not told apart, by which group they are taken up; and of what is somebody's own.
_ASKED, _OWN_AFFAIR = "asked.anything", "asked.own"
_ECHOED_AS = {
    "heard.of_you": "heard.view", "heard.news": "heard.statement", "heard.topic": "heard.statement",
    **dict.fromkeys(("asked.who", "asked.where", "asked.when", "asked.how", "asked.what", "asked.whether"), _ASKED),
    **dict.fromkeys(("asked.why", "asked.either"), _ASKED), _OWN_AFFAIR: "asked.own_affair",
}  # fmt: skip
# Questions after what is somebody's own, as they are put to them; what may ask after anything else; and what they may
# know or not know.
_OWN_QUESTION = (
    r"(?:(?:and|so|but|well|then|now),? )*(?:"
    r"(?:who|what|where|when|why|how|which|whose)\b[\w' ]*?"
    r"(?:\bdid|'d|\bare|\bam|\bwas|\bwere|\bhave|\bhad|'ve)(?: even| ever)? ME\b"
    r"|(?:what|whom?|why) do(?: even| always)? ME\b|what happened to MINE\b|(?:was|were) ME\b"
    r"|who(?:'s| is| was| has| had)? (?:brought|sent|taught|hired|raised|named|invited|trained|married|employed) MINE\b"
    r"|what(?:'s| is| are) (?:that |this |those |it )?(?:in|inside|on|under) (?:my|your)\b)"
)
_KNOWN_OF = re.compile(
    r"\b(?:know|knew|known|see|saw|seen|hear|heard|notice\w*|tell|told|remember|recall|thinks?|thought|thinking|believe\w*"
    r"|suspect\w*|guess|suppose|reckon|means?|meant|calls?|called|say|said|want|recogni[sz]\w*|if|can|could|would|should"
    r"|will|might|must|going)\b",
    re.IGNORECASE,
)
_OF_LISTENER, _OF_THEMSELVES = (
    re.compile(_OWN_QUESTION.replace("ME", me).replace("MINE", mine), re.IGNORECASE)
    for me, mine in (("you", "you"), ("i", "(?:me|my)"))
)


def own_affair(group: str, asked: str) -> str:
    """Return the group that answers a question: that of what is somebody's own, where nobody could know it better."""
    is_own = _OF_LISTENER.match(asked.strip()) is not None and not _KNOWN_OF.search(asked)
    return _OWN_AFFAIR if is_own and _ECHOED_AS.get(group, group) == _ASKED else group


def echoed_as(group: str, deed: str) -> str:
    """Return the group whose sentences take up the words that are answered by a group, by these words as the listener
    repeats them."""
    is_own = _OF_THEMSELVES.match(deed) is not None and not _KNOWN_OF.search(deed)
    taken_up = _ECHOED_AS.get(group, group)
    if taken_up in _OF_NO_SORT and (sort := sort_of_question(deed)) is not None:
        return sort.reply
    if taken_up == _ASKED and _DID_I.match(deed) and not _KNOWN_OF.search(deed):
        return "asked.self"
    return _ECHOED_AS[_OWN_AFFAIR] if is_own and taken_up in (_ASKED, "asked.self") else taken_up


# Whether the listener did something, or is something: nobody has to be told that.
_DID_I = re.compile(r"(?:(?:did|do|have|had|was|were|am|are)(?:n't)? I|whether I)\b", re.IGNORECASE)


# Groups of questions that a sort of questions says more of than they do.
_OF_NO_SORT = frozenset(
    (
        _ASKED,
        "asked.self",
        "asked.own_affair",
        "asked.taste",
        "talk.wish",
        "talk.work",
        "talk.wellbeing",
        "asked.memory",
    )
)


def way_asked(given: NarratorInput, outcome: Outcome) -> str:
    """Return the way out of the place that leads to what a question names, as it stands in a sentence; empty where none
    does."""
    asked = {word.low for word in words_of(outcome.words)} - _NO_PLACE
    for way in given.scene.exits:
        words = {low[-1] for name in (way.name, way.to_name, *way.to_aliases) if (low := _in_name(name))} - _NO_PLACE
        if asked & words:
            return place_name(way.name)
    return ""


def _in_name(name: str) -> list[str]:
    """Return the words of a place's name up to its noun, without numbers: the lamp is no `Lamp Row`."""
    return [word.low for word in words_of(name) if not word.low.isdigit()]


# Words that stand in the names of many places.
_NO_PLACE = frozenset("the a an of to in on at way where is and room".split())


def to_nobody(given: NarratorInput, outcome: Outcome, alone: str) -> Beat:
    """Return that nobody is here for what is said; after a knock it is said through the door."""
    before = given.outcomes[: given.outcomes.index(outcome)] if outcome in given.outcomes else ()
    verbs = (verb_of(told.type) for told in before if told.actor_id == outcome.actor_id)
    is_at_door = any(verb is not None and verb.is_done_at_doors for verb in verbs)
    return Beat("outcome", "through_door" if is_at_door else alone, {}, {"place": views.place(given)})


def is_asked_about(topic: str, asked: str) -> bool:
    """Tell whether words name a topic, perhaps with a letter wrong."""
    said = content_words(asked)
    return any(
        OSA.distance(word, other) <= (len(word) >= _LONG_WORD) for word in content_words(topic) for other in said
    )


# A word of so many letters is known with one of them wrong.
_LONG_WORD = 5


def not_in_what_was_told(given: NarratorInput, outcome: Outcome, known: Evidence) -> Beat | None:
    """Return that somebody cannot answer a question which only leads to what they have told in this very turn; None
    where it leads to more, or to what they told before."""
    who = views.person(given, outcome.target_id)
    is_new = any(item.item_id == known.item_id and not item.known_before for item in given.evidence)
    if outcome.code != "told_before" or who is None or not is_new or not outcome.deed:
        return None
    return Beat("outcome", "echo.asked.anything", {}, {"who": who, "deed": outcome.deed})


def beside_the_point(given: NarratorInput, outcome: Outcome, evidence: Sequence[Evidence]) -> list[Beat]:
    """Return that somebody cannot answer what they were asked, where all that they tell shares with the question is a
    name, or whom or when it asks; empty where they answer it."""
    who, form = views.person(given, outcome.target_id), word_forms().get(outcome.form)
    asked, is_question = asked_words(given.player_text, outcome.words)
    is_asked = is_question or _ASKS.match(outcome.deed or asked) is not None
    sort = sort_of_question(outcome.deed or asked)
    is_asked = (is_asked or sort is not None) and _ANYTHING_OF.search(asked) is None
    new = [item for item in evidence if not item.known_before and item.speaker_id == outcome.target_id]
    if outcome.code != "told" or who is None or form is None or not is_asked or len(new) != 1:
        return []
    names = {word for name in (who.name, *_NAME.findall(new[0].text)) for word in content_words(name)}
    small = STOP_WORDS | COLOURLESS_WORDS | FAINT_WORDS | names
    wanted = {singular(word) for word in content_words(outcome.deed or asked)} - small
    said = {singular(word) for word in content_words(new[0].text)}
    put = outcome.deed or asked
    who_is = _WHO_IS.fullmatch(put.strip(" ?"))
    if who_is is not None and set(content_words(who_is[1])[-1:]) & set(content_words(new[0].text)):
        return []
    if sort is not None and not sort.told.search(new[0].text):
        return _unanswered(given, outcome, who, sort) or _beside(outcome, who)
    if (there_is := _IS_THERE.match(put)) is not None and (what := singular(there_is["what"].casefold())) not in said:
        is_stem = len(what) >= _STEM and any(word[:_STEM] == what[:_STEM] for word in said)
        return [] if is_stem or what in small else _beside(outcome, who)
    is_near = any(word[:_STEM] in {other[:_STEM] for other in said} for word in wanted if len(word) >= _STEM)
    shared = set(content_words(asked)) & set(content_words(new[0].text))
    if not wanted or is_near or wanted & said or not shared or not shared <= names | FAINT_WORDS:
        return []
    return _beside(outcome, who)


# What is told of somebody by name says who they are.
_WHO_IS = re.compile(r"who(?:'s|’s| is| was) ((?:[A-Z][\w'’-]+ ?){1,4})")


def led_by_other(outcome: Outcome, told: Evidence, *, is_echoed: bool) -> str:
    """Return the group that says that somebody else speaks up: with an answer, or with what is none of its sort."""
    if not is_echoed:
        return "led.other"
    return "echo.led.aside" if lacks_answer(outcome.deed, told.text) else "echo.led.other"


def _unanswered(given: NarratorInput, outcome: Outcome, who: Person, sort: QuestionSort) -> list[Beat]:
    """Return the reply of somebody who has no answer of a sort to a question, and that they go on; empty from somebody
    cold, and where the question is not to be repeated."""
    is_cold = any(view.id == who.id and view.regard == "cold" for view in given.scene.people)
    if is_cold or not outcome.deed:
        return []
    reply = Beat("outcome", f"echo.{sort.reply}", {}, {"who": who, "deed": outcome.deed})
    return [reply, Beat("outcome", "led.on", {"kind": "answer"}, {"who": who})]


def _beside(outcome: Outcome, who: Person) -> list[Beat]:
    group = "led.own" if outcome.form == "ask_self" else "told.beside"
    group = f"echo.{group}" if outcome.deed else group
    return [Beat("outcome", group, {}, {"who": who, "deed": outcome.deed} if outcome.deed else {"who": who})]


_SO = r"(?:(?:so|and|but|well|then|now|or),? )*"
# A question whether there is something in what is told of, or whether it is so.
_IS_THERE = re.compile(
    rf"{_SO}(?:(?:is|are) there (?:any |a |an |much |some |good |really |enough |still )*"
    r"(?P<what>[\w'-]+)(?: to be made| to be had)? in\b)",
    re.IGNORECASE,
)
_NAME = re.compile(r"\b[A-Z][\w'-]+")
_ASKS = re.compile(
    r"(?:and |so |but )?(?:who|what|when|where|why|how|which|whose|whether|is|are|was|were|do|does|did|has|have|can"
    r"|could|will|would|should)\b",
    re.IGNORECASE,
)
# Whatever is known of a subject answers these.
_ANYTHING_OF = re.compile(
    r"\b(?:know|heard?|tell|say|said|anything|something|news)\b.*\b(?:about|of)\b|\bwhat\b.*\blike\b", re.IGNORECASE
)
# Words that begin with the same so many letters are taken for forms of one.
_STEM = 4


def asks_more(outcome: Outcome, known: Evidence) -> bool:
    """Tell whether a question asks for more than was told of its subject: some word of it is not in that."""
    form = word_forms().get(outcome.form)
    said = {singular(word) for word in content_words(known.text)}
    asked = {singular(word) for word in content_words(outcome.words)} - STOP_WORDS - COLOURLESS_WORDS
    return outcome.code == "told_before" and form is not None and form.pointed_on and bool(asked - said)
