"""Readings: a clause -> actions, or a question back with lines that work when typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lorewright.builtin.words.clauses import (
    Phrasing,
    Word,
    bare,
    find_posture,
    lexicon,
    lows,
    place_name,
    verb_with,
    with_article,
    words_of,
)
from lorewright.builtin.words.noun_phrases import (
    CONFIDENCE,
    LOOSE,
    MEASURES,
    PRONOUNS_OF_SORTS,
    Candidate,
    Nouns,
    PhraseMatch,
    Tie,
    exact,
    in_prose,
    key_words,
    pronoun_fits,
    resolve,
)
from lorewright.rules.actions import Action
from lorewright.rules.verbs import Verb, free_verb
from lorewright.rules.verbs import typed as typed_lines
from lorewright.values.readings import Aside, Unclear
from lorewright.values.scenery import SceneryNoun

# The longest excerpt of the player's words in an action's metadata (characters), and the most lines that are offered.
MAX_WORDS, MAX_LINES = 200, 4


@dataclass(frozen=True, slots=True)
class ParseContext:
    """The possible referents of a clause: the scope, and what this input mentioned before; `verbs` are those of the
    ruleset, each with its type of action. `listener` hears what is said to nobody by name, `topic` was last spoken
    about; `came_from` is the place where the player was before; `clocks` are the names of those that are shown; `shown`
    is what the prose shows, with its sentences; with `has_mood` the line has words of mood alone (`lol`, `huh`),
    with `if_none` the last it does hangs on a search that finds nothing."""

    nouns: Nouns
    person: Candidate | None = None
    thing: Candidate | None = None
    verbs: Mapping[str, str] = field(default_factory=dict)
    listener: Candidate | None = None
    topic: str = ""
    came_from: str = ""
    clocks: tuple[str, ...] = ()
    # The verb of the ruleset that was offered last: the name of a thing alone stands for it.
    offered_verb: str = ""
    has_mood: bool = False
    if_none: bool = False
    # What an earlier clause of the line was about, where no entity stands for it: `it` refers to that.
    prose_noun: str = ""
    shown: tuple[SceneryNoun, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """One clause as read. Either `actions` or `unclear`, never both for the same words."""

    actions: tuple[Action, ...] = ()
    intent: str = ""
    confidence: float = 1.0
    unclear: Unclear | None = None
    mentioned: tuple[Candidate, ...] = ()
    assumptions: tuple[str, ...] = ()
    # The words that were read, and that nothing could be made of them.
    words: str = ""
    is_lost: bool = False
    unknown: str = ""  # The name of what is not here, where that is why.
    aside: Aside | None = None
    is_sure: bool = False  # With how it is told: nothing is left to be tagged.


# Reads a clause: the context, the whole of it as typed, the words after the verb. None means: not for this frame.
Frame = Callable[[ParseContext, str, Sequence[Word]], Reading | None]


def acting(
    ctx: ParseContext,
    kind: str,
    intent: str,
    *,
    target: PhraseMatch | None = None,
    item: PhraseMatch | None = None,
    location_id: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    confidence: float = 1.0,
) -> Reading:
    """Return one action; a corrected or guessed target lowers the confidence and is named as an assumption."""
    given = dict(metadata or {})
    if item is not None:
        given["item_id"] = item.candidate.id
    action = Action(
        actor_id=ctx.nouns.player.id,
        type=kind,
        target_id=target.candidate.id if target else None,
        location_id=location_id,
        metadata=given,
    )
    matches = [match for match in (target, item) if match is not None]
    assumed = tuple(f"{shown(match)} is meant" for match in matches if match.mended)
    return Reading(
        actions=(action,),
        intent=intent,
        confidence=min([confidence, *(match.confidence for match in matches)]),
        mentioned=tuple(match.candidate for match in reversed(matches)),
        assumptions=assumed,
    )


def posed(ctx: ParseContext, words: str, **told: Any) -> Reading | None:
    """Return words as an act of no consequence, told with the given metadata (`deed`, `form`); None where no verb is a
    posture."""
    if (posture := find_posture()) is None:
        return None
    reading: Reading = posture(ctx, words)
    actions = (act.model_copy(update={"metadata": {**act.metadata, **told}}) for act in reading.actions)
    return replace(reading, actions=tuple(actions))


def acting_freely(
    ctx: ParseContext, intent: str, word: str, trait: str, *, target: PhraseMatch, item: PhraseMatch | None
) -> Reading | None:
    """Return an attempt at what no other verb means, by the word that was typed for it; None where no verb is free."""
    free = free_verb()
    if free is None:
        return None
    return acting(ctx, free.name, intent, target=target, item=item, metadata={"verb": word, "trait": trait})


def read_as(verb: Verb | None, ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read words as what follows a phrase of the verb, whatever was typed; None where there is no such verb."""
    phrasing = None if verb is None else verb.part(Phrasing)
    found: Reading | None = None if phrasing is None else phrasing.read(ctx, words, rest)
    return found


def read_way(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a way out as taking it; None where no verb travels."""
    return read_as(verb_with(lambda syntax: syntax.is_travel), ctx, words, rest)


def asking(words: str, question: str, lines: Sequence[str] = ()) -> Reading:
    """Return a question back; the lines are numbered in it."""
    offered = tuple(dict.fromkeys(line for line in lines if line))[:MAX_LINES]
    numbered = ", ".join(f"{number} {line}" for number, line in enumerate(offered, start=1))
    return Reading(
        intent=f"unclear: {excerpt(words)}" if words else "unclear",
        confidence=0.2,
        unclear=Unclear(
            words=words[:MAX_WORDS],
            question=f"{question} {numbered}" if numbered else question,
            lines=offered,
        ),
    )


def wondering(words: str) -> Reading:
    """Return a question that nobody is there to answer as one about what the player knows."""
    return Reading(intent=f"wonder: {excerpt(words)}", aside=Aside(kind="lore", words=words[:MAX_WORDS]))


def alone(words: str, kind: str = "alone") -> Reading:
    """Return words said where nobody is there to hear them; else who or what does not, by the kind of aside."""
    return Reading(intent=f"{kind}: {excerpt(words)}", aside=Aside(kind=kind, words=words[:MAX_WORDS]))


# The kinds of asides that are words which nobody hears.
UNHEARD = frozenset(("alone", "afar", "mute", "behind", "missing", "unseen", "within"))


def which(words: str, tie: Tie, pattern: str) -> Reading:
    """Return `Which do you mean: 1 the steel door, 2 the back door?`; `pattern` makes each a complete input."""
    matches = tie.matches[:MAX_LINES]
    numbered = ", ".join(f"{number} {shown(match)}" for number, match in enumerate(matches, start=1))
    lines = tuple(pattern.format(typeable(match.label)) for match in matches)
    unclear = Unclear(words=words[:MAX_WORDS], question=f"Which do you mean: {numbered}?", lines=lines)
    return Reading(intent=f"unclear: {excerpt(words)}", confidence=0.3, unclear=unclear)


def not_caught(ctx: ParseContext, words: str) -> Reading:
    """Return the answer to words that have no meaning here."""
    if not words:
        return replace(asking(words, "What do you do? You can:", openings(ctx.nouns)), is_lost=True)
    said = "comes to nothing here, as far as I understand it. Say it in other words, or ask for a hint."
    return replace(asking(words, f"“{excerpt(words)}” {said}"), is_lost=True)


def about(ctx: ParseContext, meant: PhraseMatch) -> list[str]:
    """Return what can be done with somebody or something, as complete inputs."""
    name, kind = typeable(meant.label), meant.candidate.kind
    lines = typed_lines("examine", thing=name)
    if kind == "person":
        return typed_lines("meet", person=name) + lines
    if kind == "thing":
        return typed_lines("grab", thing=name) + lines
    if kind == "door" and isinstance(resolve(name, ctx.nouns.exits), PhraseMatch):
        return typed_lines("way", way=name) + lines
    return lines


# So begin the forms of what does not come to pass, whatever is tried: it is told by itself, with its reason.
REFUSED = "no_"
# What is tried with those whom only the prose shows, where a verb wants a person.
ADDRESS = "talk to"


def nothing_called(ctx: ParseContext, words: str, phrase: str, *, of_people: bool = False) -> Reading:
    """Return the answer where the verb is clear, and its object is no entity: an attempt, which the rules refuse, at
    what the prose shows or is not here; a question where that is not known, or a person is wanted who is not here."""
    whole = (phrase,) if len(phrase.split()) <= _LONGEST_NAME else ()
    for part in dict.fromkeys((*whole, noun_part(phrase))):
        reading = aimed_at_prose(ctx, words, part, of_people=of_people) if part else None
        if reading is not None:
            return reading
    return nothing_known(ctx, words, phrase)


# Longer phrases say more than what something is called.
_LONGEST_NAME = 5


def noun_part(phrase: str) -> str:
    """Return the beginning of a phrase, up to the first word that no name goes on with."""
    words = phrase.split()
    if len(words) > _MEASURED and words[0].casefold() in MEASURES and words[1].casefold() == "of":
        words = words[2:]
    end = next((at for at, word in enumerate(words) if at and word.casefold() in AFTER_NOUNS), len(words))
    return " ".join(words[:end])


_MEASURED = 2
# Words that end a noun phrase.
AFTER_NOUNS = frozenset(
    "and or to from with in into on onto at by for of off over under behind through until till while when where that"
    " who which so as is are was were has have if but then before after about around back up down out again round going"
    " aside apart together open shut doing saying"
    " marked labelled labeled called named signed addressed"
    " exactly without careful carefully as like because".split()
)


def aimed_at_prose(ctx: ParseContext, words: str, phrase: str, *, of_people: bool = False) -> Reading | None:
    """Return the attempt at something that no entity stands for; None where nothing is known of it."""
    noun, free = in_prose(phrase, ctx.nouns), free_verb()
    if exact(phrase, (*ctx.nouns.people, *ctx.nouns.known_people)) is not None:
        return None
    if noun is None or free is None or (of_people and noun.standing != "shown"):
        return None
    is_own = noun.standing == "ambient" and "'s" not in phrase and noun.name.split()[-1] in lexicon().body
    if is_own and (own := posed(ctx, words)) is not None:
        return own
    verb = ADDRESS if of_people else act_word(words)
    detail = {"detail": noun.name[:MAX_WORDS], "detail_is": "absent" if noun.standing == "absent" else "scenery"}
    return acting(ctx, free.name, excerpt(words), metadata={"verb": verb[:60], **detail}, confidence=0.7)


def is_mute(ctx: ParseContext, phrase: str) -> bool:
    """Tell whether a phrase names a thing, and nobody who could hear what is said to it."""
    found = resolve(phrase, ctx.nouns.everything())
    if isinstance(found, PhraseMatch):
        return found.candidate in ctx.nouns.things
    noun = None if found is not None else in_prose(phrase, ctx.nouns)
    is_called = any((phrase.casefold().split()[-1],) in names for names in lexicon().callings)
    return noun is not None and noun.standing != "absent" and not is_called


def left(ctx: ParseContext, words: str) -> Reading:
    """Return the attempt at what the prose showed at the place that one has left: it is not here."""
    free = free_verb()
    if free is None:
        return nothing_known(ctx, words, ctx.prose_noun)
    detail = {"verb": act_word(words)[:60], "detail": ctx.prose_noun[:MAX_WORDS], "detail_is": "absent"}
    return acting(ctx, free.name, excerpt(words), metadata=detail, confidence=0.7)


def act_word(words: str) -> str:
    """Return the first word of an act, in lower case, without whom it is told of: `lift` of `I lift the lid`."""
    low = words.lower().split()
    return next((word for word in low if word not in _SUBJECTS), low[0] if low else "")


_SUBJECTS = frozenset(("i", "you", "we", "he", "she", "they", "then", "and", "just"))


def nothing_known(ctx: ParseContext, words: str, phrase: str) -> Reading:
    """Return the answer where the verb is clear, and nothing is known by the name of its object."""
    noun = noun_part(phrase)
    if set(key_words(noun)) & (lexicon().self_words | lexicon().person_pronouns | lexicon().thing_pronouns):
        return not_caught(ctx, words)
    question = f"There is no “{excerpt(noun)}” here that I know of."
    return replace(asking(words, question), is_lost=True, unknown=excerpt(noun))


def openings(nouns: Nouns) -> list[str]:
    """Return complete inputs for somebody who does not know what to type."""
    lines = typed_lines("view")
    lines += [line for person in nouns.people[:1] for line in typed_lines("meet", person=typeable(person.name))]
    lines += [line for thing in nouns.here[:1] for line in typed_lines("grab", thing=typeable(thing.name))]
    return [*lines, *ways(nouns)[:1], *typed_lines("rummage"), *typed_lines("pass_time")][:MAX_LINES]


def ways(nouns: Nouns) -> list[str]:
    """Return the ways out as complete inputs."""
    return [line for way in nouns.exits for line in typed_lines("way", way=typeable(way.name))]


def pattern_for(purpose: str, name: str) -> str:
    """Return the line that is typed for a purpose, with `{}` in place of the name; `{}` alone where no verb has one."""
    return next(iter(typed_lines(purpose, **{name: "{}"})), "{}")


def shown(match: PhraseMatch) -> str:
    """Return the name of what was meant, as it stands in a sentence."""
    kind = match.candidate.kind
    if kind == "person":
        return match.label
    return place_name(match.label) if kind in ("place", "exit") else with_article(match.label)


def typeable(name: str) -> str:
    """Return a name without the signs that would cut it in two when it is typed."""
    return " ".join(word.text for word in words_of(name.replace('"', " ")) if word.kind == "word") or name


def excerpt(words: str, *, limit: int = 60) -> str:
    """Return the beginning of the player's words, for a question."""
    return words if len(words) <= limit else words[:limit].rstrip() + "…"


def referred(
    ctx: ParseContext,
    phrase: str,
    *,
    person: bool,
    pattern: str = "",
    among: Sequence[Candidate] | None = None,
    strict: bool = False,
) -> PhraseMatch | Reading | None:
    """Return what a pronoun stands for: what was mentioned last, else the only one here that it fits; None if it is
    none.

    `among` are the candidates that the verb can be about; with `strict` what was mentioned last must be one of them.
    """
    lex, word = lexicon(), phrase.lower()
    head = noun_part(word)
    word = head if person and head in PRONOUNS_OF_SORTS else word
    if word not in (lex.person_pronouns if person else lex.thing_pronouns):
        return None
    last = (_last_person(ctx, word) if not strict else ctx.person) if person else ctx.thing
    present = tuple(among if among is not None else ctx.nouns.people if person else ctx.nouns.things)
    fitting = tuple(candidate for candidate in present if pronoun_fits(candidate, word)) if person else present
    if last is not None and pronoun_fits(last, word) and (not strict or last in present):
        return PhraseMatch(last, last.name, 0.85, mended=True)
    if len(fitting) == 1:
        return PhraseMatch(fitting[0], fitting[0].name, 0.85, mended=True)
    pattern = pattern or pattern_for("examine", "thing")
    lines = [pattern.format(typeable(candidate.name)) for candidate in fitting or present]
    return asking(phrase, f"Whom or what do you mean by “{word}”?", lines)


def _last_person(ctx: ParseContext, word: str) -> Candidate | None:
    """Return the person mentioned last whom a pronoun fits, else the person spoken with, if it fits them."""
    found = (person for person in (ctx.person, ctx.listener) if person is not None and pronoun_fits(person, word))
    return next(found, ctx.person)


def person_meant(ctx: ParseContext, phrase: str) -> PhraseMatch | Tie | Reading | None:
    """Return the person whom a phrase names, present or known."""
    sort = phrase.removeprefix("the ").removeprefix("The ")
    phrase = sort if noun_part(sort).lower() in PRONOUNS_OF_SORTS else phrase
    return referred(ctx, phrase, person=True, pattern=pattern_for("meet", "person")) or resolve(
        phrase, ctx.nouns.people, ctx.nouns.known_people
    )


def only_person(ctx: ParseContext) -> PhraseMatch | None:
    """Return the person spoken with, else the one mentioned last, else the only person here, as a guess; None without
    any."""
    last = ctx.person if ctx.person in ctx.nouns.people else None
    person = ctx.listener or last or (ctx.nouns.people[0] if len(ctx.nouns.people) == 1 else None)
    return PhraseMatch(person, person.name, 0.85, mended=True) if person else None


# Pieces of a clause: one thing and another joined by `with`, `on` or `to`, resolved in the scope.


@dataclass(frozen=True, slots=True)
class PhraseKind:
    """The requirements of a phrase: who can be meant, the pattern of an answer, candidates that a question offers."""

    present: tuple[Candidate, ...]
    known: tuple[Candidate, ...] = ()
    # How an answer is typed; empty: a look at it.
    pattern: str = ""
    offered: tuple[Candidate, ...] | None = None
    strict: bool = False

    @property
    def is_of_people(self) -> bool:
        """Whether nobody and nothing but people can be meant."""
        return self.offered != () and {candidate.kind for candidate in self.present or self.known} == {"person"}

    @property
    def lines(self) -> list[str]:
        """The answers that a question can offer."""
        return [
            (self.pattern or pattern_for("examine", "thing")).format(typeable(candidate.name))
            for candidate in (self.present if self.offered is None else self.offered)
        ]


def meant(ctx: ParseContext, words: str, rest: Sequence[Word], wanted: PhraseKind) -> PhraseMatch | Reading:
    """Return the person or thing that the words mean, by pronoun or by name; else the question that must be asked."""
    phrase = bare(rest)
    if phrase and lows(rest)[0] in _ANY:
        phrase = noun_part(phrase.partition(" ")[2]) or phrase
    if not phrase:
        return asking(words, "Whom or what do you mean?", wanted.lines)
    if "and" in lows(rest) and exact(phrase, wanted.present + wanted.known) is None:
        first = rest[: lows(rest).index("and")]
        if bare(first) and isinstance(resolve(bare(first), wanted.present), PhraseMatch) and not _names_more(ctx, rest):
            return meant(ctx, words, first, wanted)
        return asking(words, "One at a time, please. You can:", wanted.lines)
    if ctx.prose_noun and phrase.lower() in _PROSE_PRONOUNS:
        return nothing_called(ctx, words, ctx.prose_noun) if ctx.nouns.knows_scenery else left(ctx, words)
    for person in (True, False):
        kind = [candidate for candidate in wanted.present if (candidate.kind == "person") == person]
        found = (
            referred(ctx, phrase, person=person, pattern=wanted.pattern, among=kind, strict=wanted.strict)
            if kind or not person
            else None
        )
        if found is not None and not (person and isinstance(found, Reading) and _is_thing_word(phrase)):
            return found
    named = resolve(phrase, wanted.present, wanted.known)
    if named is not None and _is_elsewhere(ctx, phrase, named):
        named = None
    if isinstance(named, Tie) and key_words(phrase)[0] in _BEYOND:
        return nothing_called(ctx, words, phrase)
    if isinstance(named, Tie):
        return which(words, named, wanted.pattern or pattern_for("examine", "thing"))
    return named or nothing_called(ctx, words, phrase, of_people=wanted.is_of_people)


# Words for one of several, no matter which.
_ANY = frozenset(("whichever", "whatever", "any"))
# What counts further than there are things of that name.
_BEYOND = frozenset("tenth eleventh twelfth hundredth extra additional invisible imaginary".split())


def _names_more(ctx: ParseContext, rest: Sequence[Word]) -> bool:
    """Tell whether what follows `and` names something that is here, too."""
    more = rest[lows(rest).index("and") + 1 :]
    return bool(bare(more)) and resolve(bare(more), ctx.nouns.everything()) is not None


_PROSE_PRONOUNS = frozenset(("it", "them", "this", "that", "one", "some"))


def _is_elsewhere(ctx: ParseContext, phrase: str, named: PhraseMatch | Tie) -> bool:
    """Tell whether a phrase names another place's: the kitchen door is not the only door that is here."""
    found = named.matches if isinstance(named, Tie) else (named,)
    before = set(key_words(phrase)[:-1])
    if not before or any(match.confidence != CONFIDENCE[LOOSE] for match in found):
        return False
    places = {word for place in ctx.nouns.known_places for key in place.keys for word in key.words}
    here = {word for match in found for key in match.candidate.keys for word in key.words}
    return bool(before & (places - here))


def _is_thing_word(phrase: str) -> bool:
    return phrase.lower() in lexicon().thing_pronouns


# Words between a verb and its object.
LEADS = frozenset(
    "at on onto in into over under through with to for from against around past up down off of about behind by".split()
)
