"""Verbs of waiting: wait."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import Field

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_words import Actor, Telling
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.views import Beat, duration, is_plural
from lorewright.builtin.npc.considered import Enactment
from lorewright.builtin.parser.readings import (
    ParseContext,
    Reading,
    acting,
)
from lorewright.builtin.words.clauses import (
    Phrasing,
    Syntax,
    Word,
    lexicon,
    longest_prefix,
    lows,
)
from lorewright.rules.actions import Action, Attempt
from lorewright.rules.acts import Answer
from lorewright.rules.patch import Outcome, Patch
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import Verb
from lorewright.values.records import Evidence, NarratorInput
from lorewright.world.frozen import Frozen
from lorewright.world.state import WorldState


class WaitMetadata(Frozen):
    """How long, in in-world minutes; the ruleset's own figure where it is not said. Where the story tells its hours,
    also `until` a time of day (up to 12:00 of either half of the day), or, `watchful`, for something to happen.
    """

    minutes: int | None = Field(default=None, ge=1, le=480)
    until: str = Field(default="", pattern=r"^(?:\d{2}:\d{2})?$")
    watchful: bool = False


def _always(action: Action, state: WorldState) -> None:
    """Return no reason: it can always be done."""


def _wait_minutes(action: Action, state: WorldState, own: int) -> int:
    named = action.metadata.get("minutes")
    return own if named is None else int(named)


def _wait(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    return Answer("waited")


# From here on a wait is long (minutes).
_LONG_MINUTES = 45


def _tell_wait(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Return the time that went by, in words."""
    facts: dict[str, Fact] = {"long": outcome.minutes >= _LONG_MINUTES}
    slots = {"minutes": duration(outcome.minutes), "place": views.place(given)}
    return [Beat("outcome", "waited", facts, slots, plural=is_plural(outcome.minutes))]


def _tell_wait_of_others(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    return [actor.beat("act", "npc.wait")]


def _after_wait(actor: Actor, outcome: Outcome) -> str:
    return "wait" if outcome.code == "waited" else ""


def _read_wait(ctx: ParseContext, words: str, rest: Sequence[Word]) -> Reading | None:
    """Read a wait: for the time given, else for the ruleset's default."""
    if words.lower().startswith("wait") and longest_prefix([word for word in lows(rest) if word], _QUESTIONS):
        # `wait, who is in there` waits for nothing.
        return None
    hour = hour_in(lows(rest))
    minutes = None if hour else _minutes_in(lows(rest))
    metadata: dict[str, object] = {"until": hour} if hour else {"minutes": minutes} if minutes else {}
    if not metadata and _EVENT & set(lows(rest)):
        metadata = {"watchful": True}
    plain = bool(hour) or minutes is not None or not any(word.kind == "word" for word in rest)
    return acting(ctx, WAIT.name, "wait", metadata=metadata, confidence=1.0 if plain else 0.85)


_QUESTIONS = tuple(
    (word,)
    for word in ("who", "who's", "whos", "what", "what's", "where", "where's", "why", "how", "is", "are", "did", "do")
)


# After these words stands what is waited for.
_EVENT = frozenset(("until", "till", "til"))
# Times of day by their names. Up to noon a time is that of either half of the day.
_NAMED = {
    "midnight": "24:00", "noon": "12:00", "midday": "12:00", "dawn": "06:00", "sunrise": "06:00", "daybreak": "06:00",
    "sunup": "06:00", "daylight": "06:00",
}  # fmt: skip
_HOUR = re.compile(
    r"(?:until|till|til|for|to|before|by|at)(?: it is| it's| about| around| the clock strikes)? "
    r"(?:(?:(?P<part>half|a quarter|quarter|(?P<few>[a-z-]+|\d+)(?: minutes| mins)?) (?P<joint>past|to|after|before)"
    r"|(?P<at_half>half)) )?"
    r"(?P<hour>[a-z]+|\d{1,2})(?:[:. ](?P<minutes>\d\d))?(?: ?(?P<clock>o'?clock))?"
    r" ?(?P<half>am|pm|a\.m\.?|p\.m\.?|in the morning|in the afternoon|in the evening|at night|tonight)?"
    r"(?= ?(?:$|then\b|and\b|or\b|if\b|with\b|here\b|before\b|sharp\b|please\b))",
    re.IGNORECASE,
)


def hour_in(low: Sequence[str]) -> str:
    """Return the time of day that is waited for, as `20:30`; empty where none is named: `until half past eight`."""
    text = " ".join(word for word in low if word)
    for name, time in _NAMED.items():
        if re.search(rf"\b(?:until|till|til|to|for) (?:the )?(?:first )?{name}$", text):
            return time
    return next(filter(None, map(_hour_of, _HOUR.finditer(text))), "")


def _hour_of(found: re.Match[str]) -> str:
    hour = int(found["hour"]) if found["hour"].isdigit() else _HOURS.get(found["hour"], -1)
    is_until = found[0].split()[0] in _EVENT
    if not 0 <= hour <= 24 or not (is_until or found["clock"] or found["joint"] or found["minutes"]):
        return ""
    past = 30 if found["at_half"] else int(found["minutes"] or 0)
    if found["part"]:
        few = found["few"] or ""
        part = 30 if found["part"] == "half" else 15 if not few else int(few) if few.isdigit() else _FEW.get(few, 60)
        if not 0 <= part < 60:
            return ""
        past = -part if found["joint"] in ("to", "before") else part
    is_late = (found["half"] or "")[:2] in ("pm", "p.") or (found["half"] or "").endswith(("noon", "evening"))
    total = 60 * (hour + 12 * (is_late and hour < 12)) + past
    return f"{total // 60 % 25:02}:{total % 60:02}" if total >= 0 else f"{total // 60 + 24:02}:{total % 60:02}"


_HOURS = {
    word: number
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), start=1)
}
_FEW = _HOURS | {"twenty": 20, "twenty-five": 25, "fifteen": 15}


def _minutes_in(low: Sequence[str]) -> int | None:
    """Return the minutes of `for half an hour`, 30; None where no length is given; at least 1 and at most 480."""
    units = {"minute": 1.0, "min": 1.0, "hour": 60.0, "hr": 60.0, "h": 60.0, "second": 1 / 60, "moment": 1.0}
    for index, word in enumerate(low):
        unit = units.get(word.removesuffix("s"))
        if unit is not None:
            return max(1, min(480, round(unit * _number(low[:index]))))
    return None


def _number(low: Sequence[str]) -> float:
    numbers = lexicon().numbers
    amount = 1.0
    for word in low:
        value = min(float(word), 10_000.0) if word.isascii() and word.isdigit() else numbers.get(word)
        amount = amount if value is None else (amount * value if amount == 0.5 else value)
    return amount


def _continues(before: Action, after: Action) -> bool:
    """Tell whether two are one: `sit down and rest`."""
    return before == after


WAIT = Verb(
    name="wait",
    rank=210,
    summary="let time pass",
    condition="it can always be done",
    lines={"pass_time": "wait", "pass_minutes": "wait {minutes} minutes"},
    rule_lines=lambda names: ("wait", "wait for an hour"),
    metadata=WaitMetadata,
    requires=_always,
    minutes=_wait_minutes,
    does=_wait,
    note="let time pass",
    parts=(
        Phrasing(
            390,
            "wait, z, stay, rest, sleep, linger, pause, do nothing, pass time, pass the time, wait around, hang "
            "around, stand by, stay here, wait here, nap, take a nap, kill time, wait a while, "
            "wait a bit, hold on, stay put, loiter",
            _read_wait,
        ),
        Syntax(listed=9, continues=_continues),
        Enactment(is_idle=True),
        Telling(
            codes={"waited": _tell_wait},
            codes_of_others={"waited": _tell_wait_of_others},
            after=_after_wait,
            watched_as="wait",
        ),
    ),
)

VERBS = (WAIT,)
