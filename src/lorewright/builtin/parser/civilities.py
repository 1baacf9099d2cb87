"""Readings of small acts that several verbs share: done for all to see or at somebody; civil words to somebody."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from lorewright.builtin.parser.acts.kinds import THEIRS
from lorewright.builtin.parser.readings import (
    LEADS,
    MAX_WORDS,
    ParseContext,
    PhraseKind,
    Reading,
    act_word,
    acting,
    alone,
    asking,
    meant,
    only_person,
    person_meant,
    referred,
    shown,
    typeable,
)
from lorewright.builtin.parser.rewordings import in_second_person
from lorewright.builtin.parser.steps import is_of_body
from lorewright.builtin.words.clauses import Word, bare, lexicon, lows, parted, trimmed, words_of
from lorewright.builtin.words.noun_phrases import Candidate, PhraseMatch, exact, in_prose, resolve
from lorewright.rules.actions import Action
from lorewright.rules.verbs import free_verb, verbs

# Words for all who are here.
_ALL = frozenset(
    (
        *("everyone", "everybody", "all", "all of them", "them all", "everyone here", "everybody here", "people"),
        *("others", "the others", "room", "crowd", "company", "nobody", "no one", "nobody in particular"),
    )
)


# Words that make another verb of it: knock over, wave away.
_APART = (["over"], ["down"], ["off"], ["out"], ["away"], ["around"], ["for"])

# Words between civil ones and the person.
_SMALL = ("to", "at", "with", ",", "there", "again", "very", "so", "much", "really", "kindly")


def said_before(words: str, rest: Sequence[Word]) -> str:
    """Return the words as typed up to the rest of them, in lower case: a verb with its preposition."""
    count = len(words.split()) - len([word for word in rest if word.kind == "word"])
    return " ".join(words.split()[: max(1, count)]).lower()[:60]


def as_talk(action: Action) -> Action | None:
    """Return the talk about nothing in particular that civil words to somebody are to a rule of the scenario."""
    talk = next((verb for verb in verbs().values() if verb.reply == "answer"), None)
    whispered = {"whisper": True} if action.is_whispered else {}
    return None if talk is None else action.model_copy(update={"type": talk.name, "metadata": whispered})


def as_free(trait: str, word: str = "") -> Callable[[Action], Action | None]:
    """Return what gives the free attempt that an act at somebody or something would be by a trait.

    `word` stands for it where none was typed.
    """

    def other(action: Action) -> Action | None:
        free = free_verb()
        if free is None or action.target_id is None:
            return None
        metadata = {**({"verb": word} if word else {}), **action.metadata, "trait": trait}
        return action.model_copy(update={"type": free.name, "metadata": metadata})

    return other


def _is_in_prose(ctx: ParseContext, phrase: str) -> bool:
    """Tell whether the prose shows what a phrase names, or it is at every place."""
    noun = in_prose(phrase, ctx.nouns)
    return noun is not None and noun.standing != "absent"


@dataclass(frozen=True, slots=True)
class Gesture:
    """How a small act is read: its type, what may be added to it without a meaning of its own, and whether it may be
    done to things, to people, to neither.
    """

    kind: str
    fillers: Collection[str] = ()
    of_people: bool = True
    of_things: bool = False
    alone: bool = True

    def read(self, ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
        """Read it alone, or with somebody or something that is here; None for all else, and for what is a name."""
        if exact(words, ctx.nouns.everything()) or lows(rest)[:1] in _APART:
            return None
        rest = trimmed(self._unfilled(rest), start=(*LEADS, ","))
        phrase = bare(rest)
        if not phrase or phrase.lower() in _ALL:
            typed = said_before(words, rest)
            return acting(ctx, self.kind, typed, metadata={"verb": typed}) if self.alone else None
        target = self._target(ctx, words, rest)
        if target is None and self.of_things and _is_in_prose(ctx, phrase):
            typed = said_before(words, rest)
            return acting(ctx, self.kind, f"{typed} {phrase}", metadata={"verb": typed})
        if target is None or isinstance(target, Reading):
            return target
        typed = said_before(words, rest)
        return acting(ctx, self.kind, f"{typed} {shown(target)}", target=target, metadata={"verb": typed})

    def _unfilled(self, rest: Sequence[Word]) -> Sequence[Word]:
        low = lows(rest)
        for size in range(min(len(rest), 3), 0, -1):
            if " ".join(low[:size]) in self.fillers and (size == len(rest) or low[size] in LEADS or not low[size]):
                return rest[size:]
        return rest

    def _target(self, ctx: ParseContext, words: str, rest: Sequence[Word]) -> PhraseMatch | Reading | None:
        nouns, lex, phrase = ctx.nouns, lexicon(), bare(rest)
        present: tuple[Candidate, ...] = ()
        known: tuple[Candidate, ...] = ()
        pronouns: frozenset[str] = frozenset()
        if self.of_people:
            present, known, pronouns = nouns.people, nouns.known_people, lex.person_pronouns
        if self.of_things:
            present, pronouns = (*present, *nouns.things, *nouns.doors), pronouns | lex.thing_pronouns
        if phrase.lower() not in pronouns:
            found = resolve(phrase, present, known, whole=True)
            # A door goes by the room behind it, too: `knock on the kitchen`.
            is_door = isinstance(found, PhraseMatch) and found.candidate.kind == "door"
            if found is None or (isinstance(found, PhraseMatch) and found.mended and not is_door):
                return None
        pattern = f"{said_before(words, rest)} {{}}"
        return meant(ctx, words, rest, PhraseKind(present, known, pattern))


@dataclass(frozen=True, slots=True)
class Civility:
    """How civil words are read: the type, what is said aloud for it, what may follow, and the line for a person."""

    kind: str
    said: tuple[str, ...]
    line: str
    # Words with which it may go on: `for the drink`.
    on: tuple[str, ...] = ()
    # Where several are here and none is named, it is meant for all of them.
    is_to_all: bool = False

    def read(self, ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
        """Read whom it is said to, and what for; None where the words are about something else."""
        if exact(words, ctx.nouns.everything()):
            return None
        whom, topic = self._parted(trimmed(rest, start=_SMALL, end=("again",)))
        phrase = bare(trimmed(whom, start=("to", "at", ",")))
        if not phrase or phrase.lower() in (*_ALL, "there"):
            return self._to_whom(ctx, words, topic)
        if phrase.lower() not in lexicon().person_pronouns:
            found = resolve(phrase, ctx.nouns.people, ctx.nouns.known_people, whole=True)
            if found is None or (isinstance(found, PhraseMatch) and found.mended):
                return None
        kind = PhraseKind(ctx.nouns.people, ctx.nouns.known_people, self.line)
        target = meant(ctx, words, trimmed(whom, start=("to", "at", ",")), kind)
        return target if isinstance(target, Reading) else self.to(ctx, target, topic)

    def heard(
        self, ctx: ParseContext, words: str, target: PhraseMatch | None, spoken: Sequence[Word]
    ) -> Reading | None:
        """Read words that are said: only where they are this civility and nothing else."""
        flat = [inner for word in spoken for inner in (words_of(word.text) if word.kind == "speech" else (word,))]
        low = lows(flat)
        for phrase in sorted(self.said, key=len, reverse=True):
            size = len(phrase.split())
            if " ".join(low[:size]) != phrase or any(word.kind == "stop" and "?" in word.text for word in flat):
                continue
            rest = [word for word in flat[size:] if word.kind != "stop"]
            if target is None:
                return self.read(ctx, words, rest)
            whom, topic = self._parted(rest)
            named = bare(whom)
            if not named or named.lower() in (*_ALL, "there", "sir", "madam", "friend", "you"):
                return self.to(ctx, target, topic)
            found = resolve(named, (target.candidate,), whole=True)
            return self.to(ctx, target, topic) if isinstance(found, PhraseMatch) else None
        return None

    def to(self, ctx: ParseContext, target: PhraseMatch, topic: str) -> Reading:
        """Return it as said to somebody."""
        metadata = {"topic": topic} if topic else {}
        return acting(ctx, self.kind, self.line.format(target.label), target=target, metadata=metadata)

    def _parted(self, rest: Sequence[Word]) -> tuple[Sequence[Word], str]:
        at = next((index for index, word in enumerate(rest) if word.low in self.on), len(rest))
        return rest[:at], bare(rest[at + 1 :])[:MAX_WORDS]

    def _to_whom(self, ctx: ParseContext, words: str, topic: str) -> Reading:
        only, people = only_person(ctx), ctx.nouns.people
        if only is not None:
            return self.to(ctx, only, topic)
        if not people:
            return alone(words)
        if self.is_to_all:
            # It is meant for all, and answered by one of them.
            return self.to(ctx, PhraseMatch(people[0], people[0].name, 0.85, mended=True), topic)
        return asking(words, "Whom do you mean:", [self.line.format(typeable(person.name)) for person in people])


# What somebody else has.


def read_of_another(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read taking what is said to be somebody's who is here (`the key from Ann`, `Ann's key`, `his hat`) as an attempt
    that is told as left undone; None where nobody is said to have it, and for a theft."""
    thing, joint, whom = parted(rest, ("from",))
    first, _, named = bare(thing).partition(" ")
    head = first
    if not joint:
        at = next((at for at, word in enumerate(rest) if word.low.endswith(("'s", "’s"))), None)
        head = bare(rest[: at + 1]).removesuffix("'s").removesuffix("’s") if at is not None else first
        named = bare(rest[at + 1 :]) if at is not None else named
    pronoun_of = {"his": "him", "her": "her", "their": "them"}.get(head.casefold())
    if joint:
        who, named = person_meant(ctx, bare(whom)), bare(thing)
    elif pronoun_of is not None:
        who = referred(ctx, pronoun_of, person=True)
    else:
        who = resolve(head, ctx.nouns.people)
    free, verb = free_verb(), act_word(words)
    is_theft = any(verb in verbs for _, verbs in lexicon().risks)
    is_here = isinstance(who, PhraseMatch) and who.candidate in ctx.nouns.people
    if not is_here or free is None or not named or is_theft or is_of_body(named):
        return None
    detail = {"verb": verb[:60], "detail": named[:MAX_WORDS], "detail_is": "scenery", "form": THEIRS}
    return acting(ctx, free.name, words[:120], metadata=detail, confidence=0.8)


def told_in_words(reading: Reading | None, words: str) -> Reading | None:
    """Return a drop as what it is told as: where the thing was put."""
    if reading is None or len(reading.actions) != 1 or not (deed := in_second_person(words)):
        return reading
    action = reading.actions[0]
    return replace(reading, actions=(action.model_copy(update={"metadata": {**action.metadata, "deed": deed}}),))
