"""What a clause was read as: actions, or a question back with lines that work when typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lorewright.builtin.parser.clauses import lexicon, words_of
from lorewright.builtin.parser.naming import place_name, with_article
from lorewright.builtin.parser.noun_phrases import Candidate, Match, Nouns, Tie, resolve
from lorewright.rules.actions import Action
from lorewright.values.records import Unclear

MAX_WORDS = 200  # characters of the player's words that ride along with an action
MAX_LINES = 4


@dataclass(frozen=True, slots=True)
class Context:
    """What the words of a clause can refer to: the scope, and what this input mentioned before; `verbs` are those of
    the ruleset, each with its type of action."""

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
    ctx: Context,
    kind: str,
    intent: str,
    *,
    target: Match | None = None,
    item: Match | None = None,
    location_id: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    confidence: float = 1.0,
) -> Reading:
    """One action; a mended or guessed target lowers the confidence and is named as an assumption."""
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
    """A question back; the lines are numbered in it."""
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
    """`Which do you mean: 1 the steel door, 2 the back door?`; `pattern` makes each a complete input."""
    matches = tie.matches[:MAX_LINES]
    numbered = ", ".join(f"{number} {shown(match)}" for number, match in enumerate(matches, start=1))
    lines = tuple(pattern.format(typeable(match.label)) for match in matches)
    unclear = Unclear(words=words[:MAX_WORDS], question=f"Which do you mean: {numbered}?", lines=lines)
    return Reading(intent=f"unclear: {excerpt(words)}", confidence=0.3, unclear=unclear)


def not_caught(ctx: Context, words: str) -> Reading:
    """Nothing could be made of the words: what can be done at all, with lines that work here."""
    known = "You can look, ask, tell, search, take, give, use, go, wait and more:"
    heard = f"I did not catch “{excerpt(words)}”." if words else "What do you do?"
    nouns = ctx.nouns
    meant = resolve(words, (*nouns.people, *nouns.things, *nouns.doors))
    return asking(words, f"{heard} {known}", about(ctx, meant) if isinstance(meant, Match) else openings(nouns))


def about(ctx: Context, meant: Match) -> list[str]:
    """What can be done with somebody or something, as complete inputs."""
    name = typeable(meant.label)
    lines = [f"look at {name}"]
    if meant.candidate.kind == "person":
        lines.insert(0, f"talk to {name}")
    if meant.candidate.kind == "thing":
        lines.insert(0, f"take {name}")
    if meant.candidate.kind == "door" and isinstance(resolve(name, ctx.nouns.exits), Match):
        lines.insert(0, f"go {name}")
    return lines


def nothing_called(ctx: Context, words: str, phrase: str, lines: Sequence[str]) -> Reading:
    """The verb is clear, and what it is about is not."""
    return asking(words, f"There is no “{excerpt(phrase)}” here that I know of. You can:", lines or openings(ctx.nouns))


def openings(nouns: Nouns) -> list[str]:
    """Complete inputs for somebody who does not know what to type."""
    lines = [f"talk to {typeable(one.name)}" for one in nouns.people[:1]]
    lines += [f"take {typeable(one.name)}" for one in nouns.here[:1]]
    lines += [f"go {typeable(one.name)}" for one in nouns.exits[:1]]
    return ["look around", *lines, "search", "wait"][:MAX_LINES]


def ways(nouns: Nouns) -> list[str]:
    """The ways out as complete inputs."""
    return [f"go {typeable(one.name)}" for one in nouns.exits]


def shown(match: Match) -> str:
    """The name of what was meant, as it stands in a sentence."""
    kind = match.candidate.kind
    if kind == "person":
        return match.label
    return place_name(match.label) if kind in ("place", "exit") else with_article(match.label)


def typeable(name: str) -> str:
    """A name without the signs that would cut it in two when it is typed."""
    return " ".join(word.text for word in words_of(name.replace('"', " ")) if word.kind == "word") or name


def excerpt(words: str, *, limit: int = 60) -> str:
    """The beginning of the player's words, for a question."""
    return words if len(words) <= limit else words[:limit].rstrip() + "…"


def referred(
    ctx: Context,
    phrase: str,
    *,
    person: bool,
    pattern: str = "look at {}",
    among: Sequence[Candidate] | None = None,
    strict: bool = False,
) -> Match | Reading | None:
    """What a pronoun stands for: what was mentioned last, else the only one here that it fits; None if it is none.

    `among` are the candidates that the verb can be about; with `strict` what was mentioned last must be one of them.
    """
    lex, word = lexicon(), phrase.lower()
    if word not in (lex.person_pronouns if person else lex.thing_pronouns):
        return None
    last = ctx.person if person else ctx.thing
    present = tuple(among if among is not None else ctx.nouns.people if person else ctx.nouns.things)
    fitting = tuple(one for one in present if agrees(one, word)) if person else present
    if last is not None and agrees(last, word) and (not strict or last in present):
        return Match(last, last.name, 0.85, mended=True)
    if len(fitting) == 1:
        return Match(fitting[0], fitting[0].name, 0.85, mended=True)
    lines = [pattern.format(typeable(one.name)) for one in fitting or present]
    return asking(phrase, f"Whom or what do you mean by “{word}”?", lines)


def agrees(one: Candidate, word: str) -> bool:
    """Whether somebody can be called so; of whom nothing is known, by any."""
    wanted = {"him": "he", "he": "he", "her": "she", "she": "she"}.get(word)
    return wanted is None or one.pronoun in (wanted, "they")


def person_meant(ctx: Context, phrase: str) -> Match | Tie | Reading | None:
    """The person whom a phrase names, present or known."""
    return referred(ctx, phrase, person=True, pattern="talk to {}") or resolve(
        phrase, ctx.nouns.people, ctx.nouns.known_people
    )


def remembered(ctx: Context, reading: Reading) -> Context:
    """The context for the next clause: pronouns refer to what this one mentioned."""
    for candidate in reading.mentioned:
        if candidate.kind == "person":
            ctx = replace(ctx, person=candidate)
        elif candidate.kind in ("thing", "door"):
            ctx = replace(ctx, thing=candidate)
    return ctx
