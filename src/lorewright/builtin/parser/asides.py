"""What is typed to the program rather than into the story: a number, `again`, a word for help, a look at the record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lorewright.builtin.parser.claims import claim_in
from lorewright.builtin.parser.clauses import Word, cleaned, lexicon, lows
from lorewright.builtin.parser.noun_phrases import Match, exact
from lorewright.builtin.parser.readings import MAX_WORDS, Context, Reading, acting, asking, openings, typeable

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


def aside(ctx: Context, text: str) -> Reading | None:
    """A kind word and a hint, which cost no turn; None for what belongs to the story."""
    plain = text.lower().strip(" .!")
    plain = plain if plain == "?" else plain.rstrip(" ?.!")
    kind = lexicon().asides.get(plain)
    return None if kind is None else asking(text, _ANSWERS[kind], openings(ctx.nouns))


def claiming(ctx: Context, words: str, spoken: Sequence[Word], put_to: Match | None) -> Reading | None:
    """`you promised me the key`, `that's my umbrella`: somebody is held to it, the one who is spoken to; where nobody
    is, whoever it is said of, if they are here. None for words that claim nothing."""
    said = " ".join(word.text for word in spoken if word.kind in ("word", "speech"))
    claim = claim_in(said)
    if claim is None:
        return None
    named = [exact(one, ctx.nouns.people) for one in (claim.by, claim.to) if one not in ("", "i", "you")]
    who = put_to or next(filter(None, named), None) or _only(ctx)
    if who is None:
        lines = [f"{typeable(one.name)}, {said}" for one in ctx.nouns.people]
        return asking(words, "To whom do you say that?", lines) if lines else None
    metadata: dict[str, Any] = {"topic": said[:MAX_WORDS].strip()}
    if claim.kind in ("promised", "owes"):
        metadata["about"] = claim.kind
    if claim.by == "i":
        metadata["by"] = "you"
    return acting(ctx, "recall", f"hold {who.label} to it: {said[:80]}", target=who, metadata=metadata)


def recalling(ctx: Context, words: str, spoken: Sequence[Word], asked: Match | None) -> Reading | None:
    """`what did you promise me`, `what do I owe you`, `what did I promise viktor`; None for any other question."""
    low = [word for word in lows(spoken) if word]
    verb = next((word for word in low if word in lexicon().recorded), None)
    if verb is None or not low or low[0] not in ("what", "what's", "did", "do", "how", "whom", "who", "about", "if"):
        return None
    at = low.index(verb)
    by = "you" if _ME & set(low[:at]) else "them"
    after = low[at + 1 : -1] if low[-1] == "with" else low[at + 1 :]
    named = exact(" ".join(after), ctx.nouns.people) or _named_before(ctx, low[:at])
    who = named or asked or _only(ctx)
    about = lexicon().recorded[verb]
    if who is None:
        question = {"promised": "promise", "threatened": "threaten", "owes": "owe"}[about]
        phrase = f"what did I {question} you" if by == "you" else f"what did you {question} me"
        return asking(words, "Whom do you ask?", [f"{typeable(one.name)}, {phrase}" for one in ctx.nouns.people])
    metadata: dict[str, Any] = {"about": about, **({"by": "you"} if by == "you" else {})}
    return acting(ctx, "recall", f"ask {who.label} what was {about}", target=who, metadata=metadata)


def _named_before(ctx: Context, low: Sequence[str]) -> Match | None:
    for start in range(len(low)):
        for end in range(len(low), start, -1):
            found = exact(" ".join(low[start:end]), ctx.nouns.people)
            if found:
                return found
    return None


def _only(ctx: Context) -> Match | None:
    one = ctx.person or (ctx.nouns.people[0] if len(ctx.nouns.people) == 1 else None)
    return Match(one, one.name, 0.85, mended=True) if one else None


def chosen_line(text: str, options: Sequence[str]) -> str:
    """The offered line that a bare number stands for, less a remark in parentheses; other text as it is."""
    number = text.lstrip("#").rstrip(".)")
    if number.isascii() and number.isdigit() and len(number) < 4 and 1 <= int(number) <= len(options):
        return cleaned(options[int(number) - 1].partition(" (")[0])
    return text


def repeated(text: str, said_before: Sequence[str]) -> str:
    """The last input for `g` or `again`; one that was itself a number or a repetition is not looked behind."""
    if text.lower().rstrip(".!") not in _AGAIN or not said_before:
        return text
    last = cleaned(said_before[-1])
    return text if last.lower() in _AGAIN or last.lstrip("#").isdigit() else last
