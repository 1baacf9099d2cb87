"""Readings: a clause -> actions, or a question back with lines that work when typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lorewright.builtin.parser.clauses import (
    Word,
    claim_in,
    cleaned,
    lexicon,
    lows,
    place_name,
    typed,
    with_article,
    words_of,
)
from lorewright.builtin.parser.noun_phrases import Candidate, Nouns, PhraseMatch, Tie, exact, resolve
from lorewright.rules.actions import Action
from lorewright.values.records import Unclear

MAX_WORDS = 200  # longest excerpt of the player's words in an action's metadata (characters)
MAX_LINES = 4


@dataclass(frozen=True, slots=True)
class ParseContext:
    """The possible referents of a clause: the scope, and what this input mentioned before; `verbs` are those of the
    ruleset, each with its type of action.
    """

    nouns: Nouns
    person: Candidate | None = None
    thing: Candidate | None = None
    verbs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """One clause as read. Either `actions` or `unclear`, never both for the same words."""

    actions: tuple[Action, ...] = ()
    intent: str = ""
    confidence: float = 1.0
    unclear: Unclear | None = None
    mentioned: tuple[Candidate, ...] = ()
    assumptions: tuple[str, ...] = ()


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


def which(words: str, tie: Tie, pattern: str) -> Reading:
    """Return `Which do you mean: 1 the steel door, 2 the back door?`; `pattern` makes each a complete input."""
    matches = tie.matches[:MAX_LINES]
    numbered = ", ".join(f"{number} {shown(match)}" for number, match in enumerate(matches, start=1))
    lines = tuple(pattern.format(typeable(match.label)) for match in matches)
    unclear = Unclear(words=words[:MAX_WORDS], question=f"Which do you mean: {numbered}?", lines=lines)
    return Reading(intent=f"unclear: {excerpt(words)}", confidence=0.3, unclear=unclear)


def not_caught(ctx: ParseContext, words: str) -> Reading:
    """Return the answer to words that have no meaning here: what can be done at all, with lines that work here."""
    known = "You can look, ask, tell, search, take, give, use, go, wait and more:"
    heard = f"I did not catch “{excerpt(words)}”." if words else "What do you do?"
    nouns = ctx.nouns
    meant = resolve(words, (*nouns.people, *nouns.things, *nouns.doors))
    return asking(words, f"{heard} {known}", about(ctx, meant) if isinstance(meant, PhraseMatch) else openings(nouns))


def about(ctx: ParseContext, meant: PhraseMatch) -> list[str]:
    """Return what can be done with somebody or something, as complete inputs."""
    name = typeable(meant.label)
    lines = [f"look at {name}"]
    if meant.candidate.kind == "person":
        lines.insert(0, f"talk to {name}")
    if meant.candidate.kind == "thing":
        lines.insert(0, f"take {name}")
    if meant.candidate.kind == "door" and isinstance(resolve(name, ctx.nouns.exits), PhraseMatch):
        lines.insert(0, f"go {name}")
    return lines


def nothing_called(ctx: ParseContext, words: str, phrase: str, lines: Sequence[str]) -> Reading:
    """Return the answer where the verb is clear, and its object is not."""
    return asking(words, f"There is no “{excerpt(phrase)}” here that I know of. You can:", lines or openings(ctx.nouns))


def openings(nouns: Nouns) -> list[str]:
    """Return complete inputs for somebody who does not know what to type."""
    lines = [f"talk to {typeable(person.name)}" for person in nouns.people[:1]]
    lines += [f"take {typeable(thing.name)}" for thing in nouns.here[:1]]
    lines += [f"go {typeable(way.name)}" for way in nouns.exits[:1]]
    return ["look around", *lines, "search", "wait"][:MAX_LINES]


def ways(nouns: Nouns) -> list[str]:
    """Return the ways out as complete inputs."""
    return [f"go {typeable(way.name)}" for way in nouns.exits]


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
    pattern: str = "look at {}",
    among: Sequence[Candidate] | None = None,
    strict: bool = False,
) -> PhraseMatch | Reading | None:
    """Return what a pronoun stands for: what was mentioned last, else the only one here that it fits; None if it is
    none.

    `among` are the candidates that the verb can be about; with `strict` what was mentioned last must be one of them.
    """
    lex, word = lexicon(), phrase.lower()
    if word not in (lex.person_pronouns if person else lex.thing_pronouns):
        return None
    last = ctx.person if person else ctx.thing
    present = tuple(among if among is not None else ctx.nouns.people if person else ctx.nouns.things)
    fitting = tuple(candidate for candidate in present if pronoun_fits(candidate, word)) if person else present
    if last is not None and pronoun_fits(last, word) and (not strict or last in present):
        return PhraseMatch(last, last.name, 0.85, mended=True)
    if len(fitting) == 1:
        return PhraseMatch(fitting[0], fitting[0].name, 0.85, mended=True)
    lines = [pattern.format(typeable(candidate.name)) for candidate in fitting or present]
    return asking(phrase, f"Whom or what do you mean by “{word}”?", lines)


def pronoun_fits(candidate: Candidate, word: str) -> bool:
    """Tell whether a pronoun fits a person; of whom nothing is known, any fits."""
    wanted = {"him": "he", "he": "he", "her": "she", "she": "she"}.get(word)
    return wanted is None or candidate.pronoun in (wanted, "they")


def person_meant(ctx: ParseContext, phrase: str) -> PhraseMatch | Tie | Reading | None:
    """Return the person whom a phrase names, present or known."""
    return referred(ctx, phrase, person=True, pattern="talk to {}") or resolve(
        phrase, ctx.nouns.people, ctx.nouns.known_people
    )


def remembered(ctx: ParseContext, reading: Reading) -> ParseContext:
    """Return the context for the next clause: pronouns refer to what this one mentioned."""
    for candidate in reading.mentioned:
        if candidate.kind == "person":
            ctx = replace(ctx, person=candidate)
        elif candidate.kind in ("thing", "door"):
            ctx = replace(ctx, thing=candidate)
    return ctx


# Asides: input for the program rather than the story: a number, `again`, a word for help, a look at the record.

_ANSWERS = {
    "help": "Type /help for all of it. In the story you can, among much else:",
    "undo": "Nothing was done by that. /undo takes a turn back, where your table has it. Or go on:",
    "save": "Every turn is saved as it is played. You can:",
    "quit": "/quit leaves, and everything is kept. Or go on:",
    "magic": "The word is spoken. Somewhere a hollow voice is pleased to be remembered; here, nothing stirs. You can:",
    "rude": "Noted, and kept between us. You can:",
}
_AGAIN = frozenset(("g", "again", "repeat"))
_ME = frozenset(("me", "us", "i", "my"))


def aside(ctx: ParseContext, text: str) -> Reading | None:
    """Return a kind word and a hint, which cost no turn; None for what belongs to the story."""
    plain = text.lower().strip(" .!")
    plain = plain if plain == "?" else plain.rstrip(" ?.!")
    kind = lexicon().asides.get(plain)
    return None if kind is None else asking(text, _ANSWERS[kind], openings(ctx.nouns))


def claiming(ctx: ParseContext, words: str, spoken: Sequence[Word], put_to: PhraseMatch | None) -> Reading | None:
    """Read `you promised me the key`, `that's my umbrella`: the addressee is held to it, or without one the person
    named, if they are here. None for words that claim nothing.
    """
    said = " ".join(word.text for word in spoken if word.kind in ("word", "speech"))
    claim = claim_in(said)
    if claim is None:
        return None
    named = [
        exact(said_name, ctx.nouns.people) for said_name in (claim.by, claim.to) if said_name not in ("", "i", "you")
    ]
    who = put_to or next(filter(None, named), None) or only_person(ctx)
    if who is None:
        lines = [f"{typeable(person.name)}, {said}" for person in ctx.nouns.people]
        return asking(words, "To whom do you say that?", lines) if lines else None
    metadata: dict[str, Any] = {"topic": said[:MAX_WORDS].strip()}
    if claim.kind in ("promised", "owes"):
        metadata["about"] = claim.kind
    if claim.by == "i":
        metadata["by"] = "you"
    return acting(ctx, "recall", f"hold {who.label} to it: {said[:80]}", target=who, metadata=metadata)


def recalling(ctx: ParseContext, words: str, spoken: Sequence[Word], asked: PhraseMatch | None) -> Reading | None:
    """Read `what did you promise me`, `what do I owe you`, `what did I promise viktor`; None for any other question."""
    low = [word for word in lows(spoken) if word]
    verb = next((word for word in low if word in lexicon().recorded), None)
    if verb is None or not low or low[0] not in ("what", "what's", "did", "do", "how", "whom", "who", "about", "if"):
        return None
    at = low.index(verb)
    by = "you" if _ME & set(low[:at]) else "them"
    after = low[at + 1 : -1] if low[-1] == "with" else low[at + 1 :]
    named = exact(" ".join(after), ctx.nouns.people) or _named_before(ctx, low[:at])
    who = named or asked or only_person(ctx)
    about = lexicon().recorded[verb]
    if who is None:
        question = {"promised": "promise", "threatened": "threaten", "owes": "owe"}[about]
        phrase = f"what did I {question} you" if by == "you" else f"what did you {question} me"
        return asking(words, "Whom do you ask?", [f"{typeable(person.name)}, {phrase}" for person in ctx.nouns.people])
    metadata: dict[str, Any] = {"about": about, **({"by": "you"} if by == "you" else {})}
    return acting(ctx, "recall", f"ask {who.label} what was {about}", target=who, metadata=metadata)


def _named_before(ctx: ParseContext, low: Sequence[str]) -> PhraseMatch | None:
    for start in range(len(low)):
        for end in range(len(low), start, -1):
            found = exact(" ".join(low[start:end]), ctx.nouns.people)
            if found:
                return found
    return None


def only_person(ctx: ParseContext) -> PhraseMatch | None:
    """Return the person mentioned last, else the only person here, as a guess; None without either."""
    person = ctx.person or (ctx.nouns.people[0] if len(ctx.nouns.people) == 1 else None)
    return PhraseMatch(person, person.name, 0.85, mended=True) if person else None


def chosen_line(text: str, options: Sequence[str]) -> str:
    """Return the offered line that a bare number stands for, without a remark in parentheses; other text as it is."""
    number = text.lstrip("#").rstrip(".)")
    if number.isascii() and number.isdigit() and len(number) < 4 and 1 <= int(number) <= len(options):
        return cleaned(options[int(number) - 1].partition(" (")[0])
    return text


def repeated(text: str, said_before: Sequence[str]) -> str:
    """Return the last input for `g` or `again`; one that was itself a number or a repetition is not traced further
    back.
    """
    if text.lower().rstrip(".!") not in _AGAIN or not said_before:
        return text
    last = cleaned(said_before[-1])
    return text if last.lower() in _AGAIN or last.lstrip("#").isdigit() else last


# Pieces of a clause: one thing and another joined by `with`, `on` or `to`, resolved in the scope.


@dataclass(frozen=True, slots=True)
class PhraseKind:
    """The requirements of a phrase: who can be meant, the pattern of an answer, candidates that a question offers."""

    present: tuple[Candidate, ...]
    known: tuple[Candidate, ...] = ()
    pattern: str = "look at {}"
    offered: tuple[Candidate, ...] | None = None
    strict: bool = False

    @property
    def lines(self) -> list[str]:
        """The answers that a question can offer."""
        return [
            self.pattern.format(typeable(candidate.name))
            for candidate in (self.present if self.offered is None else self.offered)
        ]


def bare(rest: Sequence[Word]) -> str:
    """Return the words as typed without articles in front; a phrase of articles alone is empty."""
    words = [word for word in rest if word.kind == "word"]
    while len(words) > 1 and words[0].low in lexicon().articles:
        words = words[1:]
    text = typed(words)
    return "" if text.lower() in ("the", "a", "an") else text


def parted(rest: Sequence[Word], joints: Sequence[str]) -> tuple[Sequence[Word], str, Sequence[Word]]:
    """Return the words before and after the first of the joining words that has something on either side of it."""
    low = lows(rest)
    for index, word in enumerate(low):
        if index and word in joints and index + 1 < len(rest):
            return rest[:index], word, rest[index + 1 :]
    return rest, "", ()


def trimmed(rest: Sequence[Word], *, start: Sequence[str] = (), end: Sequence[str] = ()) -> Sequence[Word]:
    """Return the words without small ones at either end."""
    words = list(rest)
    while words and words[0].low in start:
        words.pop(0)
    while words and words[-1].low in end:
        words.pop()
    return words


def meant(ctx: ParseContext, words: str, rest: Sequence[Word], wanted: PhraseKind) -> PhraseMatch | Reading:
    """Return the person or thing that the words mean, by pronoun or by name; else the question that must be asked."""
    phrase = bare(rest)
    if not phrase:
        return asking(words, "Whom or what do you mean?", wanted.lines)
    if "and" in lows(rest) and exact(phrase, wanted.present + wanted.known) is None:
        return asking(words, "One at a time, please. You can:", wanted.lines)
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
    if isinstance(named, Tie):
        return which(words, named, wanted.pattern)
    return named or nothing_called(ctx, words, phrase, wanted.lines)


def _is_thing_word(phrase: str) -> bool:
    return phrase.lower() in lexicon().thing_pronouns


def named_first(
    ctx: ParseContext, rest: Sequence[Word], candidates: Sequence[Candidate]
) -> tuple[PhraseMatch, int] | None:
    """Return what is named in full at the start (or by a pronoun), and its number of words; the longest name wins."""
    for size in range(min(len(rest), 6), 0, -1):
        if all(word.kind == "word" for word in rest[:size]):
            match = exact(typed(rest[:size]), candidates)
            if match:
                return match, size
    pronoun = referred(ctx, typed(rest[:1]), person=True) if rest else None
    return (pronoun, 1) if isinstance(pronoun, PhraseMatch) and lows(rest)[0] not in ("this", "that", "them") else None


def fuzzy_first(rest: Sequence[Word], candidates: Sequence[Candidate]) -> tuple[PhraseMatch, int] | None:
    """Do the same by a part of a name or a name with a typo; the most words that still fit it well."""
    for size in range(1, min(len(rest), 4) + 1):
        match = resolve(typed(rest[:size]), candidates, whole=True)
        if isinstance(match, PhraseMatch) and match.confidence != 0.8 and rest[size - 1].low not in lexicon().articles:
            return match, size
    return None
