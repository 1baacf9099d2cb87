"""Readings of what is said: to whom, about what, and whether by a name that nobody here has."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from itertools import groupby
from typing import Any

from lorewright.builtin.parser.acts.kinds import kind_of
from lorewright.builtin.parser.pieces import remembered
from lorewright.builtin.parser.readings import (
    AFTER_NOUNS,
    MAX_WORDS,
    ParseContext,
    Reading,
    alone,
    asking,
    excerpt,
    only_person,
    openings,
    person_meant,
    referred,
    typeable,
)
from lorewright.builtin.parser.vocatives import short_name
from lorewright.builtin.words.asides import aside_in
from lorewright.builtin.words.clauses import (
    Syntax,
    Word,
    is_adverb,
    lexicon,
    longest_prefix,
    lows,
    syntaxes,
    typed,
    words_of,
)
from lorewright.builtin.words.english import is_english
from lorewright.builtin.words.noun_phrases import PhraseMatch, exact, in_prose, resolve
from lorewright.builtin.words.tagging import Act
from lorewright.builtin.words.utterances import TITLES, titled_name
from lorewright.rules.verbs import typed as typed_lines
from lorewright.scene_lore.nouns import function_words, known_words, singular

_WH = frozenset(("where", "who", "what", "when", "why", "how", "which", "who's", "what's", "where's"))
_GREETINGS = frozenset(("hello", "hi", "hey", "greetings", "good evening", "good morning", "good day", "yes", "no"))


# Most words of an unknown name by which somebody is addressed.
_NAME_WORDS = 4
# Words before the name of somebody who is addressed.
_CALLS = frozenset(("hey", "hello", "hi", "oh", "o", "dear", "ah", "yo"))
# Words that begin a sentence before a comma and are no name, and general forms of address.
_NO_NAMES = frozenset(
    """after afternoon
    aha ah aha alas all alright although and anyhow as aside at aye because before besides beyond both
    bother but by damn dear despite during each eh either evening er even eventually every except fine finally friend
    friends from gentlemen given god good goodness gosh great guys hell hello hey hi hm hmm honestly however huh
    in indeed ladies last later like listen look lord ma'am madam man mate meanwhile miss mister mm morning neither
    never nevertheless next nice no nope not of off oh ok okay old once one only ooh or otherwise ouch over pal
    pardon please right sadly say second see since sir so some sooner sorry still stop sure than thanks this to
    today tomorrow tonight true two ugh uh um unless until upon wait well whatever whew while why with within
    without wow ye yeah yep yes yesterday yet yo you""".split()
)


def put_to(ctx: ParseContext, words: str, target: PhraseMatch | None, spoken: Sequence[Word]) -> Reading | None:
    """Read words said to somebody, to the only person here where nobody is named; None where no verb speaks."""
    return _first(lambda syntax: syntax.speech, ctx, words, target, spoken)


def read_remark(ctx: ParseContext, words: str, target: PhraseMatch | None, spoken: Sequence[Word]) -> Reading | None:
    """Read a statement, said to somebody: to whom one speaks where nobody is named."""
    who = target or only_person(ctx)
    civility = read_civility(ctx, words, spoken, who) or _civil_beginning(ctx, words, spoken, who)
    if civility is not None:
        return civility
    return _first(lambda syntax: syntax.remark, ctx, words, who, spoken) or put_to(ctx, words, who, spoken)


def said_to_nobody(ctx: ParseContext, words: str) -> Reading | None:
    """Read words, also a greeting, as said where nobody answers."""
    return _first(lambda syntax: syntax.remark, ctx, words, None, words_of(words))


def _civil_beginning(ctx: ParseContext, words: str, spoken: Sequence[Word], who: PhraseMatch | None) -> Reading | None:
    """Read the civility before a comma and a by-clause: `the usual, if you remember what that is`."""
    comma = next((at for at, word in enumerate(spoken) if word.kind == "comma"), 0)
    is_by_clause = comma and lows(spoken[comma + 1 :])[:1] in ([word] for word in _BY_CLAUSES)
    return _one_civility(ctx, words, spoken[:comma], who) if is_by_clause else None


_BY_CLAUSES = ("if", "though", "because", "since", "as", "when", "unless", "before", "while")


def read_claim(ctx: ParseContext, words: str, spoken: Sequence[Word], target: PhraseMatch | None) -> Reading | None:
    """Read a claim about what was said or promised, is owed or is owned; None for words that claim nothing."""
    return _first(lambda syntax: syntax.claim, ctx, words, target, spoken)


def read_record(ctx: ParseContext, words: str, spoken: Sequence[Word], target: PhraseMatch | None) -> Reading | None:
    """Read a question after what stands on record; None for any other question."""
    return _first(lambda syntax: syntax.record, ctx, words, target, spoken)


def read_civility(ctx: ParseContext, words: str, spoken: Sequence[Word], target: PhraseMatch | None) -> Reading | None:
    """Read a greeting, thanks and the like, said aloud; None where the words are more than that. Of several, set off by
    commas, the last is answered: `thank you, you've been very kind`."""
    found = _one_civility(ctx, words, spoken, target)
    if found is not None or all(word.kind != "comma" for word in spoken):
        return found
    parts = [list(part) for is_sign, part in groupby(spoken, lambda word: word.kind == "comma") if not is_sign]
    for part in parts:
        found = _one_civility(ctx, words, part, target)
        if found is None or found.unclear is not None:
            return found
        ctx = remembered(ctx, found)
    return found


def _one_civility(ctx: ParseContext, words: str, spoken: Sequence[Word], target: PhraseMatch | None) -> Reading | None:
    for syntax in syntaxes():
        reading: Reading | None = None if syntax.civility is None else syntax.civility(ctx, words, target, spoken)
        if reading is not None:
            return reading
    return None


def _first(
    reader: Callable[[Syntax], Callable[..., Any] | None],
    ctx: ParseContext,
    words: str,
    target: PhraseMatch | None,
    spoken: Sequence[Word],
) -> Reading | None:
    read = next((found for syntax in syntaxes() if (found := reader(syntax)) is not None), None)
    reading: Reading | None = None if read is None else read(ctx, words, target, spoken)
    return reading


def stranger_addressed(ctx: ParseContext, words: Sequence[Word], *, is_question: bool) -> str:
    """Return the name that begins or ends a question and is nobody's here, set off by a comma; empty where there is
    none. It goes by the position of the words, not by whose name it might be elsewhere.
    """
    signs = [index for index, word in enumerate(words) if word.kind in ("comma", "stop")]
    asks = lexicon().question_words
    titled = titled_name(words)
    if titled and words[titled].kind == "comma" and _is_stranger(ctx, words[:titled]):
        return typed(words[:titled])
    if not signs or not any((is_question, *(longest_prefix(lows(words[n:]), asks) for n in (0, signs[0] + 1)))):
        return ""
    begins, rest = words[: signs[0]], words[signs[0] + 1 :]
    if " ".join(lows(begins)) == "tell me":
        second = next((index for index, word in enumerate(rest) if word.kind == "comma"), 0)
        begins, rest = rest[:second], rest[second + 1 :]
    elif len(begins) > 1 and begins[0].low in _CALLS:
        begins = begins[1:]
    if rest and _is_stranger(ctx, begins):
        return typed(begins)
    ends = words[signs[-1] + 1 :]
    is_said_to = {"you", "your", "you're"} & set(lows(words[: signs[-1]]))
    is_name = all(word.text[:1].isupper() for word in ends)
    is_thing_meant = lows(words)[:4] == ["what", "do", "you", "mean"]
    return typed(ends) if (is_said_to or is_name) and not is_thing_meant and _is_stranger(ctx, ends) else ""


def _is_stranger(ctx: ParseContext, words: Sequence[Word]) -> bool:
    """Tell whether a few words can only be the name of a person unknown to the player."""
    lex, low = lexicon(), lows(words)
    if not 0 < len(words) <= _NAME_WORDS or any(word.kind != "word" for word in words):
        return False
    small = lex.adverbs | lex.about | lex.person_pronouns | lex.thing_pronouns | lex.self_words | _NO_NAMES
    if set(low) <= small | lex.articles or longest_prefix(low, lex.question_words) or low[-1] in small:
        return False
    if set(low) & (lex.statements["contracted"] | lex.statements["finite"] | lex.statements["subjects"]):
        return False
    if (
        low[0] in small | AFTER_NOUNS | (lex.articles - {"the"})
        or aside_in(" ".join(low))
        or any(map(is_adverb, words))
    ):
        return False
    if longest_prefix(low, lex.verb_phrases) or longest_prefix(low, lex.lead_ins):
        return False
    return resolve(typed(words), ctx.nouns.everything()) is None


def is_personal(ctx: ParseContext, phrases: Collection[str], said: str) -> bool:
    """Tell whether a question has a phrase that asks after the one spoken to, and names nothing and nobody else."""
    said = " ".join(re.findall(r"[\w']+", said.casefold()))
    words = f" {said} "
    if not any(f" {phrase} " in words for phrase in phrases):
        return False
    others = (noun for noun in ctx.nouns.everything() if noun not in ctx.nouns.people)
    return not any(f" {' '.join(key.words)} " in words for noun in others for key in noun.keys if key.words)


def is_called_by(said: str, person: str) -> bool:
    """Tell whether somebody is called by a name in what is said, or it is reported what is said to them."""
    words, name = said.strip(' *.,!?"“”').casefold(), person.casefold()
    called = re.escape(name)
    is_set_off = re.match(rf"(?:\w+[, ]+)?{called}[,!]", words) or re.search(rf"[,!] *{called}(?:[,!]|$)", words)
    before = words.partition(name)[0].split() if name else ()
    is_reported = any(word in lexicon().saying for word in before[:3]) and not _OF_OTHERS & set(before)
    return bool(name) and (bool(is_set_off) or is_reported or words == name)


# Words between the saying and a name that is only spoken of.
_OF_OTHERS = frozenset("about of that if whether for where what who why when how".split())


def is_nobodys_name(ctx: ParseContext, name: str) -> bool:
    """Tell whether a name that somebody is called by is nobody's, as far as the player knows."""
    is_name = all(word[:1].isupper() and word.casefold() not in known_words() for word in name.split())
    is_call = any((word,) in lexicon().address for word in name.casefold().split())
    is_meant = person_meant(ctx, name) or short_name(ctx, name)
    return is_name and not is_call and is_meant is None and resolve(name, ctx.nouns.everything()) is None


def calls_stranger(ctx: ParseContext, act: Act) -> bool:
    """Tell whether words are put by name to somebody who is nobody here; a plain word that is asked alone, with its
    capital letter, is no name: `Superstitious?`."""
    alone = act.words.strip(' "“”')
    is_word = alone.endswith("?") and alone.rstrip("?! ") == act.person and is_english(act.person.lower())
    return act.person[:1].isupper() and not is_word and is_nobodys_name(ctx, act.person)


# A title alone is no name.
_SHORT_TITLES = frozenset("mr mrs ms miss dr sir madam ma'am you".split())


def unheard(words: str, name: str) -> Reading:
    """Return words that are said where nobody is: to somebody who is elsewhere, where they are for a name."""
    small = lexicon().person_pronouns | lexicon().thing_pronouns | lexicon().self_words | _SHORT_TITLES
    # Who says who they are calls nobody by that name.
    title = name.casefold().split()[0] if name.strip() else ""
    if title in TITLES and name.islower():
        name = f"the {name}" if name == title else name.title()
    name = (
        ""
        if name.casefold().removeprefix("the ") in _ONLY_HEARD
        else re.sub(r"^(?:my|our) ", "your ", name, flags=re.IGNORECASE)
    )
    is_own = re.search(rf"\b(?:i'm|i am|im|name is|name's|me) {re.escape(name.casefold())}\b", words.casefold())
    return alone(words) if not name or is_own or name.casefold() in small else alone(name, "afar")


def missing_called(ctx: ParseContext, act: Act) -> str:
    """Return whom words are put to that is nobody here, nor anybody that the player has heard of: `my brother`, `the
    bouncer`, `Jin's sister`; empty for anybody else, and for an endearment."""
    if _OF_SOMEBODY.fullmatch(act.person) and exact(act.person, ctx.nouns.everything()) is None:
        return act.person
    low = act.person.casefold().removeprefix("the ").removeprefix("my ").removeprefix("our ").split()
    whose = re.search(rf"\b(?P<whose>my|our|the) {re.escape(' '.join(low))}\b", act.words.casefold()) if low else None
    if whose is None or _ENDEARING & set(low) or low[-1] in _ONLY_HEARD:
        return ""
    is_said_to = bool(kind_of(act).when) or any(word in lexicon().saying for word in act.words.casefold().split()[:4])
    is_reported = whose["whose"] != "the" or is_said_to
    # One's own sister is no Sister who lives here.
    is_own = whose["whose"] != "the"
    if not is_own and low[-1] in TITLES:
        return ""
    meant = person_meant(ctx, act.person) or (None if is_own else person_meant(ctx, low[-1]))
    meant = meant or (None if is_own else resolve(act.person, ctx.nouns.everything()))
    shown = in_prose(act.person, ctx.nouns)
    if not is_reported or meant is not None or (shown is not None and shown.standing != "absent"):
        return ""
    return f"{'the' if whose['whose'] == 'the' else 'your'} {' '.join(act.person.split()[-len(low) :])}"


# Who belongs to somebody is another than they are.
_OF_SOMEBODY = re.compile(r"(?:the )?[\w’]+(?: [\w’]+)?['’]s? [a-z]+(?: [a-z]+)?", re.IGNORECASE)
_ENDEARING = frozenset(
    "friend friends dude bro mate pal buddy lad dear dearest love lady lord good fine darling sweet boy girl child man"
    " woman guy room rest".split()
)


def called_behind(ctx: ParseContext, said: str, target: str) -> str:
    """Return the door, or the place behind a way out, where those are whom words are put to that are only heard:
    `whoever is in the kitchen`, `through the kitchen door`; empty where they are put to nobody there. `target` is what
    they are called towards."""
    towards = resolve(target, (*ctx.nouns.doors, *ctx.nouns.exits)) if target else None
    if isinstance(towards, PhraseMatch):
        return towards.candidate.name
    low = tuple(re.findall(r"[\w']+", said.casefold()))
    if not _ONLY_HEARD & set(low):
        return ""
    ways = (*ctx.nouns.doors, *ctx.nouns.exits)
    found = [
        (len(key.words), way.name)
        for way in ways
        for key in way.keys
        # `out loud` is no way out.
        if not set(key.words) <= AFTER_NOUNS
        and any(low[at : at + len(key.words)] == key.words for at in range(len(low)))
    ]
    return max(found, default=(0, ""))[1]


_ONLY_HEARD = frozenset(
    "you whoever whoever's who's people person somebody someone somebody's someone's anybody anyone through behind "
    "there inside them ones those".split()
)


def is_put_to_listener(ctx: ParseContext, said: str, target: str) -> bool:
    """Tell whether a question about a target is for the one with whom the player speaks: nothing of it is here to be
    looked at."""
    words = re.findall(r"[\w'’]+", said.casefold())
    first = words[0].partition("'")[0] if words else ""
    is_question = first in _QUESTIONS or (first in _OF_ABSENT and bool(set(words) & _OF_PEOPLE))
    if ctx.listener not in ctx.nouns.people or not is_question:
        return False
    here = (*ctx.nouns.people, *ctx.nouns.things, *ctx.nouns.doors, *ctx.nouns.carried)
    shown = in_prose(target, ctx.nouns) if target else None
    is_here = bool(target) and resolve(target, here) is not None
    is_of_here = bool(set(words) & _OF_PLACE) and not set(words) & _OF_PEOPLE
    is_seen = is_here or is_of_here or (shown is not None and shown.standing == "shown")
    return not is_seen and not set(words[:3]) & _POINTING


_QUESTIONS = frozenset("who whos whose why how where when".split())
# Words that begin a question about somebody: `what did she look like?`
_OF_ABSENT = frozenset("what did does is was has had".split())
# Of what is here one sees it oneself.
_OF_PLACE = frozenset("here else i me my am".split())
_POINTING = frozenset("that this those these".split())


def speechless(ctx: ParseContext, name: str) -> str:
    """Return what words are put to that is no person, but something here or shown in the prose: `the cat`; empty where
    it is somebody, or nothing."""
    if (
        not name
        or name[:1].isupper()
        or name.casefold() in TITLES
        or {(word,) for word in name.casefold().split()} & set(lexicon().address)
    ):
        return ""
    if person_meant(ctx, name) is not None or person_meant(ctx, name.split()[-1]) is not None:
        return ""
    if isinstance(found := resolve(name, (*ctx.nouns.things, *ctx.nouns.doors)), PhraseMatch):
        # The heron on its tag is not called by the name of the key.
        is_its = singular(name.casefold().split()[-1]) == singular(found.candidate.name.casefold().split()[-1])
        return found.candidate.name if is_its else name
    shown = in_prose(name, ctx.nouns)
    return shown.name if shown is not None and shown.standing != "absent" else ""


def nobody_called(ctx: ParseContext, words: str, name: str) -> Reading:
    """Return the question back where somebody is addressed who is not here."""
    people = ctx.nouns.people
    lines = [line for person in people for line in typed_lines("meet", person=typeable(person.name))]
    return asking(words, f"Nobody called “{excerpt(name)}” is here. You can:", lines or openings(ctx.nouns))


def cleaned_topic(words: Sequence[Word]) -> str:
    """Return the subject of a question: `Jin` for `where is Jin?`; where nothing is left, the question as typed."""
    lex = lexicon()
    flat = [inner for word in words for inner in (words_of(word.text) if word.kind == "speech" else (word,))]
    plain = [word for word in flat if word.kind == "word"]
    if typed(plain).lower() in _GREETINGS:
        return ""
    kept = list(plain)
    while kept and kept[-1].low in lex.adverbs | lex.topic_tail:
        kept.pop()
    while kept and kept[0].low in lex.topic_head | lex.adverbs:
        kept.pop(0)
    if not kept and not {word.low for word in plain} - lex.about - lex.articles - lex.adverbs:
        return ""
    while not kept and len(plain) > 1 and plain[0].low in lex.about | lex.articles and plain[0].low not in _WH:
        plain = plain[1:]
    return _MENTIONED.sub("", typed(kept or plain))[:MAX_WORDS].strip()


# `Captain Bao people mention`.
_MENTIONED = re.compile(
    r"(?<=\w) (?:that |whom )?(?:people|they|everyone|everybody|you|we|he|she|some) (?:all |keep |just |always )?"
    r"(?:mention|mentioned|mentioning|talk about|talked about|talking about|spoke of|speak of)$"
)


# Words of a question that goes on about what was last spoken of.
_GOING_ON = frozenset(
    """else more exactly happened happen mean meant say said saying says anything something go going on really
    again sure long ago time since come so that this it she he they her him them then next why when how where
    what who whom did do does was were is are has have had be been and but continue there think believe tell me
    us know you i look like ever often first last much many far soon still even about by for with of to at in a the
    any all right true certain""".split()
)


def follow_up(ctx: ParseContext, words: Sequence[Word], target: PhraseMatch) -> str:
    """Return the topic of a question that goes on about what was last spoken of with the same person: `when was that`,
    `is she in trouble?`; empty where it has a topic of its own, or nothing was spoken of."""
    if not ctx.topic or ctx.listener is None or ctx.listener.id != target.candidate.id:
        return ""
    low = [word for word in lows(words) if word]
    low = low[2:] if " ".join(low[:2]) == "tell me" and low[2:] else low
    if not low or low[0] not in _FOLLOWING | {"more", "what's"}:
        return ""
    own = [word for word in low if word not in _GOING_ON]
    if not own:
        return ctx.topic if set(low) & (_FOLLOWING | {"more"}) else ""
    refers = set(low) & {"she", "he", "they", "her", "him", "them", "it", "that"}
    if not refers or exact(" ".join(own), ctx.nouns.everything()) is not None:
        return ""
    people = (ctx.person,) if refers & _OF_PEOPLE else ()
    subject = next((person.name for person in people if person and person.id != target.candidate.id), "")
    if not subject and (_is_subject(ctx.topic) or exact(ctx.topic, ctx.nouns.everything()) is not None):
        subject = ctx.topic
    return f"{subject} {' '.join(own)}"[:MAX_WORDS] if subject else ""


def _is_subject(topic: str) -> bool:
    """Tell whether a topic names something; of more words, or with a pronoun in it, it is a question of its own."""
    low = [word.partition("'")[0] for word in topic.casefold().split()]
    return len(low) <= _SUBJECT and not set(low) & (function_words() | {"mine", "yours", "heard", "standing"})


_SUBJECT = 2
_OF_PEOPLE = frozenset(("she", "he", "they", "her", "him", "them"))


_FOLLOWING = frozenset(
    """when why how where what who did does do is was were has have are so and really then go continue tell anything
    since whose which could would can she he they it that""".split()
)


def find_addressee(ctx: ParseContext, rest: Sequence[Word]) -> tuple[PhraseMatch | None, Sequence[Word]]:
    """Return the addressee (`… to viktor`, `to viktor "…"`), and what is said."""
    low = lows(rest)
    for index, word in enumerate(low):
        if word not in ("to", "at"):
            continue
        end = next((later for later in range(index + 1, len(rest)) if rest[later].kind != "word"), len(rest))
        begins = named_person(ctx, rest[index + 1 :]) if index == 0 else None
        if begins is not None:
            said = rest[index + 1 + begins[1] :]
            return begins[0], said[1:] if lows(said)[:1] == ["that"] else said
        found = person_meant(ctx, typed(rest[index + 1 : end]))
        if isinstance(found, PhraseMatch):
            return found, (*rest[:index], *rest[end:])
    named = named_person(ctx, rest)
    return (named[0], rest[named[1] :]) if named else (None, rest)


def named_person(ctx: ParseContext, rest: Sequence[Word]) -> tuple[PhraseMatch, int] | None:
    """Return a person named in full at the start, and how many words that took; the longest name wins."""
    people = ctx.nouns.people + ctx.nouns.known_people
    for size in range(min(len(rest), 6), 0, -1):
        if all(word.kind == "word" for word in rest[:size]):
            match = exact(typed(rest[:size]), people)
            if match and (size == 1 or len(typed(rest[:size])) > 1):
                return match, size
    pronoun = referred(ctx, typed(rest[:1]), person=True) if rest else None
    return (pronoun, 1) if isinstance(pronoun, PhraseMatch) else None


def guessed_person(ctx: ParseContext, rest: Sequence[Word]) -> tuple[PhraseMatch, int] | None:
    """Do the same with part of a name or a typo: only where no word says where the topic begins."""
    for size in range(min(len(rest), 3), 0, -1):
        match = resolve(typed(rest[:size]), ctx.nouns.people, ctx.nouns.known_people)
        if isinstance(match, PhraseMatch) and match.confidence != 0.8:
            return match, size
    return None


def topic_start(rest: Sequence[Word]) -> int:
    """Return the index of the word with which the topic begins; the length where there is none."""
    about = lexicon().about
    return next((index for index, word in enumerate(rest) if word.kind != "word" or word.low in about), len(rest))


def has_words(rest: Sequence[Word]) -> bool:
    """Tell whether there is anything but signs."""
    return any(word.kind in ("word", "speech") for word in rest)
