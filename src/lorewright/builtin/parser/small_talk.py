"""Small talk: words said to somebody that ask for no lore -> what they are about, and to whom they are said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

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
from lorewright.builtin.words.asides import patterns_by_kind
from lorewright.builtin.words.clauses import Word, lexicon, typed, words_of
from lorewright.builtin.words.noun_phrases import Candidate, PhraseMatch, exact, in_prose, resolve
from lorewright.index.keywords import STOP_WORDS, content_words
from lorewright.rules.actions import Action
from lorewright.rules.verbs import verb_of
from lorewright.scene_lore.cache import COLOURLESS_WORDS, FAINT_WORDS
from lorewright.shipped_tables import read_table

# Phrases of small_talk.yaml as patterns of the words in lower case, with contractions written out.

_CONTRACTIONS = (
    (re.compile(r"\bcan(?:no|'?)t\b"), "can not"),
    (re.compile(r"\bwon'?t\b"), "will not"),
    (re.compile(r"\b(do|does|did|is|are|was|were|would|could|should|have|has|had)n'?t\b"), r"\1 not"),
    (re.compile(r"\b(?:i'm|im)\b"), "i am"),
    (re.compile(r"\b(you|we|they)(?:'re|re)\b(?<!were)"), r"\1 are"),
    (re.compile(r"\b(i|you|we|they)'ve\b"), r"\1 have"),
    (re.compile(r"\b(i|you|he|she|it|we|they)'ll\b"), r"\1 will"),
    (re.compile(r"\bi'd better\b"), "i had better"),
    (re.compile(r"\b(i|you|he|she|we|they)'d\b"), r"\1 would"),
    (re.compile(r"\b(what|who|how|it|that|he|she|there|where|name|everything)'s\b"), r"\1 is"),
    (re.compile(r"\b(what|how|it|that)s\b"), r"\1 is"),
    (re.compile(r"\br\b"), "are"),
    (re.compile(r"\bu\b"), "you"),
)
# Words before and after the words themselves, which say no more.
_BEFORE = frozenset("well oh ah so and but please hey hm hmm look listen honestly actually um uh er".split())
_AFTER = frozenset("please then though anyway sir madam friend mate pal man buddy there again too".split())
_TOKEN = re.compile(r"\[[^\]]*\]|\([^)]*\)\??|\S+")
_CLASS = re.compile(r"\{(\w+)\}")
_ANY_WORDS = r"\S+(?: \S+){0,5}"
# Words that are written like a name, which have a ^ before them.
_PROPER = r"\^\S+(?: \^\S+){0,2}"


@cache
def _phrases() -> Mapping[str, Mapping[str, re.Pattern[str]]]:
    """Return the pattern of each subject by verb, in the order of the file."""
    data: dict[str, Any] = read_table(__package__, "small_talk.yaml")
    classes = {name: _any_of(words) for name, words in data.pop("classes").items()} | {"proper": _PROPER}
    return {
        verb: {subject: _any_phrase(phrases, classes) for subject, phrases in subjects.items()}
        for verb, subjects in data.items()
    }


def _any_of(phrases: Sequence[str]) -> str:
    """Return the pattern of one of the phrases, the longest first."""
    texts = (" ".join(map(_literal, phrase.split())) for phrase in sorted(phrases, key=len, reverse=True))
    return f"(?:{'|'.join(texts)})"


def _literal(word: str) -> str:
    return rf"\^?{re.escape(word)}"


def _any_phrase(phrases: Sequence[str], classes: Mapping[str, str]) -> re.Pattern[str]:
    """Return the pattern of the phrases. Every part takes the space after it along, so that any may be missing."""
    texts = ("".join(_part(token, classes) for token in _TOKEN.findall(phrase)) for phrase in phrases)
    return re.compile("|".join(texts))


def _part(token: str, classes: Mapping[str, str]) -> str:
    is_optional = token.startswith("[") or token.endswith("?")
    inner = token.strip("[]") if token.startswith("[") else token.rstrip("?")
    inner = inner[1:-1] if inner.startswith("(") else inner
    choices = "|".join(_choice(choice, classes) for choice in inner.split("|"))
    return f"(?:(?:{choices}) )" + ("?" if is_optional else "")


def _choice(choice: str, classes: Mapping[str, str]) -> str:
    words = [_word(word, classes) for word in re.split(r"[_ ]", choice) if word]
    return " ".join(words)


def _word(word: str, classes: Mapping[str, str]) -> str:
    if word == "*":
        return _ANY_WORDS
    found = _CLASS.fullmatch(word)
    return classes[found.group(1)] if found else _literal(word)


def _said_plainly(words: Sequence[Word]) -> str:
    """Return the words in lower case, without contractions and signs; a ^ stands before what is written like a name."""
    said = [word for word in words if word.kind == "word"]
    text = " ".join(f"^{word.low}" if at and _is_name(word) else word.low for at, word in enumerate(said))
    for pattern, plain in _CONTRACTIONS:
        text = pattern.sub(plain, text)
    return text


def _is_name(word: Word) -> bool:
    return word.text[:1].isupper() and word.low not in ("i", "i'm", "i'd", "i'll", "i've")


def subject_of(verb: str, text: str) -> str:
    """Return the subject of a verb's words; empty where they are no small talk of its kind."""
    return _subjects_of(text).get(verb, "")


def any_subject_of(text: str) -> str:
    """Return the subject of words that are small talk of whatever kind; empty where they are none."""
    return next(iter(_subjects_of(text).values()), "")


# The same words are looked at by parser and narrator.
@lru_cache(maxsize=2048)
def _subjects_of(text: str) -> Mapping[str, str]:
    """Return the subjects of the verbs that words can be, in the order of the file."""
    words = [word for word in words_of(text.replace("’", "'")) if word.kind == "word"]
    plains = list(dict.fromkeys(map(_said_plainly, _shorter(words))))
    found = ((verb, next(filter(None, (_subject(verb, plain) for plain in plains)), "")) for verb in _phrases())
    return MappingProxyType({verb: subject for verb, subject in found if subject})


def _subject(verb: str, plain: str) -> str:
    subjects = _phrases().get(verb, {})
    return next((subject for subject, pattern in subjects.items() if pattern.fullmatch(f"{plain} ")), "")


def _shorter(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """Yield the words, then without the small words around them, as long as any are left."""
    yield words
    kept = list(words)
    while len(kept) > 1 and kept[0].low in _BEFORE:
        kept = kept[1:]
        yield kept
    while len(kept) > 1 and kept[-1].low in _AFTER:
        kept = kept[:-1]
        yield kept


# Speech acts: words that are no small talk -> what kind of thing is said.


@cache
def _speech_acts() -> Mapping[str, Mapping[str, re.Pattern[str]]]:
    return {name: patterns_by_kind(kinds) for name, kinds in read_table(__package__, "speech_acts.yaml").items()}


def question_form(text: str) -> str:
    """Return what kind of question words are (`reason`: why the person asked does something); empty where they are
    none."""
    text = _HOLD_ON.sub("", text)
    return _speech_act("questions", text) or _speech_act("remarks", text)


_HOLD_ON = re.compile(
    r"^(?:wait|hold on|um+|hm+|ok|so|and|but)[, ]+(?=(?:who|what|when|where|why|how|is|are|do|did|can)\b)",
    re.IGNORECASE,
)


def remark_class(text: str) -> str:
    """Return what kind of remark words are (`threat`, `offer`); of several sentences the last that is more than news
    counts. Empty where they are none."""
    found = [kind for part in re.split(r"[.!?;]+\s+", text) if (kind := _speech_act("remarks", part))]
    return next((kind for kind in reversed(found) if kind not in _PLAINEST), found[-1] if found else "")


_PLAINEST = frozenset(("news", "self", "opinion", "of_you"))


@lru_cache(maxsize=2048)
def _speech_act(name: str, text: str) -> str:
    for part in _without_names(text.replace("’", "'").strip()):
        words = [word for word in words_of(part) if word.kind == "word"]
        for said in _without_calls(words):
            plain = _said_plainly(said).replace("^", "")
            for kind, pattern in _speech_acts()[name].items():
                if pattern.fullmatch(f"{plain} "):
                    return kind
    return ""


# A name and what goes with it, before a comma or behind the last one.
_CALLED_FIRST = re.compile(r"(?:[\w'-]+ ){0,2}[\w'-]+, *(?=\w)")
_CALLED_LAST = re.compile(r"(?<=[\w'’]), *(?:[\w'-]+ ){0,2}[\w'-]+[.?! ]*$")


def _without_names(text: str) -> Iterator[str]:
    """Yield what is said without the names that begin or end it; where all of it is a call, as it is."""
    first, known = _CALLED_FIRST.match(text), lexicon().statements
    begins = text.partition(" ")[0].strip(",").lower()
    is_name = text[:1].isupper() and begins not in known["contracted"] | known["subjects"] | known["determiners"]
    if first is not None and is_name and begins not in ("i", "you", "not"):
        yield text[first.end() :]
    yield _CALLED_LAST.sub("", text)
    yield text


def _without_calls(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """Yield the words without what calls somebody or leads in before them; then as they are."""
    called = {phrase[0] for phrase in lexicon().address if len(phrase) == 1}
    small = _LEADING | called
    kept = list(words)
    while len(kept) > 1 and kept[0].low in small:
        kept = kept[1:]
    while len(kept) > 1 and kept[-1].low in called | _AFTER:
        kept = kept[:-1]
    yield kept
    if len(kept) < len(words):
        yield words


_LEADING = _BEFORE | frozenset(
    """yes no ok okay alright right sure fine now then because anyway aye hello hi god lord really truly surely um uh
    er ugh hmm also though besides still just actually honestly seriously frankly only""".split()
)


# Readings: to whom it is said: somebody named, the one spoken to last, the only one here; else all who are here.


@dataclass(frozen=True, slots=True)
class SmallTalk:
    """How small talk is read: the verb, what it is called as an intention, and whether it can be said to nobody in
    particular.
    """

    kind: str
    intent: str
    to_all: bool = True
    # It is the business of a host, if there is one here.
    is_for_hosts: bool = False

    def take(self, ctx: ParseContext, words: str, target: PhraseMatch | None, spoken: Sequence[Word]) -> Reading | None:
        """Read any words as said to somebody; None where there are none."""
        flat = [inner for word in spoken for inner in (words_of(word.text) if word.kind == "speech" else (word,))]
        said = typed([word for word in flat if word.kind == "word"])
        return self.to(ctx, words, target, said) if said else None

    def read(self, ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
        """Read what follows a verb that says by itself what it is (`insult`): nothing, or a person."""
        said = [word for word in rest if word.kind == "word" and word.low not in ("to", "with", "at")]
        if not said:
            return self.to(ctx, words, None, words)
        target, left = _named_at_an_end(ctx, said, loosely=True)
        return self.to(ctx, words, target, words) if target is not None and not left else None

    def to(self, ctx: ParseContext, words: str, target: PhraseMatch | None, said: str) -> Reading:
        """Return it as said to somebody, or to all."""
        target = target or self.host(ctx) or self._listener(ctx)
        people = ctx.nouns.people
        if target is None and not self.to_all:
            if not people:
                return alone(words)
            return asking(words, "Whom do you mean:", [f"{typeable(person.name)}, {said}" for person in people])
        to_whom = f" to {target.label}" if target else ""
        return acting(ctx, self.kind, f"{self.intent}{to_whom}", target=target, metadata={"topic": said[:MAX_WORDS]})

    def _listener(self, ctx: ParseContext) -> PhraseMatch | None:
        only = only_person(ctx)
        return only if only is not None and only.candidate in ctx.nouns.people else None

    def host(self, ctx: ParseContext) -> PhraseMatch | None:
        """Return the only person here whose business it is to serve; None for words that no host is asked for."""
        if not self.is_for_hosts:
            return None
        found = hosts_here(ctx)
        return PhraseMatch(found[0], found[0].name, 0.85, mended=True) if len(found) == 1 else None

    def is_of_a_thing(self, ctx: ParseContext, said: Sequence[Word]) -> bool:
        """Tell whether what is asked for lies here or is carried: that is no matter of words."""
        return self.is_for_hosts and isinstance(resolve(typed(said[-1:]), ctx.nouns.things), PhraseMatch)


def hosts_here(ctx: ParseContext) -> list[Candidate]:
    """Return those here whose business it is to serve, by their names."""
    return [person for person in ctx.nouns.people if HOSTS & _words_of_names(person)]


def serves_oneself(ctx: ParseContext, words: str, phrase: str) -> bool:
    """Tell whether nobody is here who could be asked for something, or it stands here, nobody serves, and it is taken
    and not asked for: `I get some tea`."""
    noun = in_prose(phrase, ctx.nouns)
    is_shown = noun is not None and noun.standing != "absent"
    if not ctx.nouns.people and _OF_SOMEBODY.search(words) is not None:
        return False
    return not ctx.nouns.people or (is_shown and not hosts_here(ctx) and _GETS.match(words) is not None)


_OF_SOMEBODY = re.compile(r"\bask(?:s|ing)? \w+(?: \w+)?? (?:for|if)\b", re.IGNORECASE)
_GETS = re.compile(r"(?:(?:and|then|so|i|gonna|going to)\s+)*(?:get|gets|grab|fetch|have|need|take)\b", re.IGNORECASE)


def hear(
    kinds: Sequence[SmallTalk], ctx: ParseContext, words: str, target: PhraseMatch | None, spoken: Sequence[Word]
) -> Reading | None:
    """Read words that are said as the first of the kinds that they are, only where they are nothing else."""
    flat = [inner for word in spoken for inner in (words_of(word.text) if word.kind == "speech" else (word,))]
    said: Sequence[Word] = [word for word in flat if word.kind == "word"]
    if not said or len(said) > _MOST_SAID:
        return None
    if target is None and _words_of_people(ctx) & {said[0].low, said[-1].low}:
        target, said = _named_at_an_end(ctx, said)
    subjects = _subjects_of(typed(said))
    kind = next((kind for kind in kinds if kind.kind in subjects), None)
    if kind is None or kind.is_of_a_thing(ctx, said) or (kind.is_for_hosts and not ctx.nouns.people):
        return None
    return kind.to(ctx, words, target, typed(said))


def _words_of_people(ctx: ParseContext) -> set[str]:
    return {word for person in ctx.nouns.people for word in _words_of_names(person)}


_MOST_SAID = 14
# Words of the names, tags and first lines of those whose business it is to serve people.
HOSTS = frozenset(
    """bar barkeep barkeeper barmaid barman bartender butler cafe café canteen cook diner host hostess hosteller inn
    innkeeper kitchen landlady landlord maid publican restaurant server steward stewardess tavern tea waiter waitress
    bistro pub""".split()
)


def _words_of_names(person: Candidate) -> set[str]:
    return {word for key in person.keys for word in key.words}


def _named_at_an_end(
    ctx: ParseContext, said: Sequence[Word], *, loosely: bool = False
) -> tuple[PhraseMatch | None, Sequence[Word]]:
    """Return the person whose name begins or ends the words, if any, and the rest of them."""
    people = ctx.nouns.people
    for size in range(min(len(said), 4), 0, -1):
        for name, left in ((said[:size], said[size:]), (said[-size:], said[:-size])):
            found = exact(typed(name), people)
            if found is None and name[0].text[:1].isupper():
                partly = resolve(typed(name), people, whole=True)
                found = partly if isinstance(partly, PhraseMatch) and not partly.mended else None
            if found is not None:
                return found, left
    if not loosely:
        return None, said
    meant = person_meant(ctx, typed(said))
    is_here = isinstance(meant, PhraseMatch) and meant.candidate in people
    return (meant, ()) if isinstance(meant, PhraseMatch) and is_here else (None, said)


# A line of several sentences: what a question points back at.


def with_subjects(readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings of a line, a question of no telling word as one about what was said to the same person before
    it: `there is a patch on the ledge. What is that from?`"""
    found: list[Reading] = []
    for reading in readings:
        before = found[-1] if found else None
        said, asked = (each.actions[0] if each and len(each.actions) == 1 else None for each in (before, reading))
        is_open = said is not None and asked is not None and asked.target_id == said.target_id is not None
        if not is_open or said is None or asked is None or not (_points_back(asked) and _is_remark(said)):
            found.append(reading)
            continue
        topic = f"{said.words.rstrip(' .!')} {asked.words}"[:MAX_WORDS]
        kept = {name: value for name, value in asked.metadata.items() if name != "deed"}
        about = asked.model_copy(update={"metadata": {**kept, "topic": topic}})
        found.append(replace(reading, actions=(about,)))
    return found


def _points_back(asked: Action) -> bool:
    """Tell whether a question only points at what was said before it: `what is that from?`"""
    verb = verb_of(asked.type)
    words = f"{asked.words} {asked.deed}".casefold()
    telling = set(content_words(words)) - STOP_WORDS - COLOURLESS_WORDS - FAINT_WORDS
    is_question = verb is not None and verb.is_speech and verb.reply == "answer"
    return is_question and not telling and _BACK.search(words) is not None


def _is_remark(said: Action) -> bool:
    """Tell whether words are only remarked, and have something in them to be asked about."""
    verb = verb_of(said.type)
    is_plain = verb is not None and verb.is_speech and verb.reply != "answer" and said.form in _PLAIN
    return is_plain and bool(set(content_words(said.words)) - STOP_WORDS - COLOURLESS_WORDS)


_BACK = re.compile(r"\b(?:that|this|it|there|those|these|them)\b")
_PLAIN = frozenset(("", *"tell report remark opinion observe claim".split()))
