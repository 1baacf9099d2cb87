"""A question about clocks -> where the clocks that it names stand, what they count, which ways they may go; and what
turns cost."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from pydantic import BaseModel

from lorewright.builtin.words.asides import clocks_asked_about, names_of_clock
from lorewright.builtin.words.board import NUMERALS
from lorewright.builtin.words.clauses import capitalised, listed
from lorewright.rules.aiming import THE_COST, cost_clock
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import typed_line
from lorewright.scene_lore.gather import in_sentences
from lorewright.world.state import WorldState


def clocks_named(state: WorldState, words: str) -> list[str]:
    """Return the clocks that a question names: as it names clocks, else anyhow."""
    names = [clock["name"] for clock in state.clocks_shown()]
    said = words.casefold()
    return list(clocks_asked_about(words, names)) or [name for name in names if _names_clock(name, said)]


def _names_clock(name: str, said: str) -> bool:
    return any(re.search(rf"\b{re.escape(known)}\b", said) for known in {name.casefold(), *names_of_clock(name)})


def clocks_told(state: WorldState, rules: CampaignRules, words: str) -> str:
    """Return what the clocks that a question names stand at and count; a hint where the author says nothing of one;
    empty where it names none."""
    asked = clocks_named(state, words)
    lines = []
    for clock in state.clocks_shown():
        if clock["name"] in asked:
            stands = f"{capitalised(clock['name'])} is at {clock['value']} of {clock['max']}."
            moves = _moves(state, rules, clock["id"], words)
            means = means_of(rules, clock["id"]) or ("" if moves else "What moves it the story shows.")
            worth, bounds = _worth(rules, clock["id"], means, words), _bounds(clock["max"], words)
            lines.append(
                " ".join(filter(None, (stands, means, worth, bounds, moves, _ends(clock["max"], means, words))))
            )
    return " ".join(lines)


_FULL = re.compile(
    r"\bwhat (?:happens|will happen|would happen|comes|then|if)\b.*\b(?:full|maxe?s?|top|end|maximum|(?P<at>\d+))\b"
)


def _ends(top: object, means: str, words: str) -> str:
    """Return that nobody tells what comes of a full clock, where that is asked and what it counts does not say so."""
    asked = _FULL.search(words.casefold())
    is_told = re.search(rf"\bfull\b|\beverybody\b|\bat {top}\b", means, re.IGNORECASE) is not None
    is_asked = asked is not None and asked["at"] in (None, str(top))
    return f"What comes of it at {top} nobody tells beforehand." if is_asked and not is_told else ""


# A question whether a clock goes past its ends, and one which of them is the better.
_PAST = re.compile(
    r"\b(?:over|above|past|beyond|exceed|exceeds|max(?:ed|imum)?|limit|cap(?:ped)?|top|below|under|negative|minus"
    r"|how (?:high|low|far|much) (?:can|could|does|will|may|might)|(?:more|higher|less|lower) than)\b(?! with\b)"
)
_BETTER = re.compile(
    r"\b(?:better|best|good|bad|worse|worst|want|prefer|harmful|danger(?:ous)?|safe|helpful|supposed to be)\b"
    r"|\bhigh or low\b|\bshould i (?:keep|get|raise|lower|fill|let|try)\b"
)


def _bounds(top: object, words: str) -> str:
    return f"It goes from 0 to {top}, and never past either." if _PAST.search(words.casefold()) else ""


def _worth(rules: CampaignRules, clock: str, means: str, words: str) -> str:
    """Return whether much or little of a clock is the better, where that is asked and what it counts says no more."""
    if _BETTER.search(words.casefold()) is None or re.search(r"\bthe better\b", means):
        return ""
    if clock in rules.until:
        return "It is time that passes: neither good nor bad, and it only runs one way."
    if clock in rules.good_clocks or re.search(r"\bat 0\b", means):
        return "The fuller the better."
    return "The lower the better." if re.search(r"\bfull\b|\bat \d", means) else ""


# A question about which way a clock goes, by the words for it.
_WAY_DOWN = re.compile(
    r"\b(?:down|off|back|lower(?:s|ed)?|reduced?s?|decreases?|drops?|falls?|permanent|resets?|lose|shed|clear|empty"
    r"|cools?|forever|for good|get rid|less|one way|heals?|healed|mends?|recovers?|wears?|fades?|calms?|shrinks?"
    r"|decays?|moves?|changes?|affects?|influences?)\b"
)
_WAY_UP = re.compile(
    r"\b(?:up|raises?|raised|rises?|increases?|gain|gains|earn|fills?|higher|more|ticks?|grow|grows|moves?|changes?|affects?|influences?)\b"
)


def _moves(state: WorldState, rules: CampaignRules, clock: str, words: str) -> str:
    """Return which ways a clock may go at all, where that is asked, and which of the ruleset's own acts raise it; what
    in the story moves it is for the player to find out."""
    said = words.casefold()
    is_down, is_up = _WAY_DOWN.search(said) is not None, _WAY_UP.search(said) is not None
    if not (is_down or is_up):
        return ""
    if clock not in state.clocks:
        return _moves_of_gauge(rules, clock)
    counted = cost_clock(state)
    is_price = counted is not None and counted.id == clock
    moved = rules.model_dump(mode="json")
    steps = {*_steps(moved, clock), *(_steps(moved, THE_COST) if is_price else ())}
    lines = []
    if is_down:
        lines.append(
            "It can go down again, by what you do in the story; what does it is for you to find out."
            if any(step < 0 for step in steps)
            else "Nothing in this story brings it down again: it only goes up."
        )
    if is_up and not is_down and not is_price and any(step > 0 for step in steps):
        lines.append("It goes up by what you do in the story; what does it is for you to find out.")
    if is_price:
        lines.append("It may go up where something risky goes wrong, or comes at a price.")
    if clock not in rules.good_clocks:
        lines.append(_dear(rules, clock))
    return " ".join(filter(None, lines))


def _dear(rules: CampaignRules, clock: str) -> str:
    """Return which of the ruleset's own acts raise a clock, or a number of the scene, whatever comes of them."""
    own, acts = _local(clock), rules.ruleset.actions.items()
    dear = sorted({name.replace("_", " ") for name, act in acts if act.costs.get(own, 0) > 0})
    return f"By the rules these raise it, whatever comes of them: {listed(dear)}." if dear else ""


def _moves_of_gauge(rules: CampaignRules, gauge: str) -> str:
    """Return what moves a number of the ruleset's scene: time, what comes of a roll, acts that cost it."""
    own = _local(gauge)
    if (passing := rules.ruleset.timers.get(own, 0)) != 0:
        return f"It goes {'down' if passing < 0 else 'up'} by itself, as time passes in the story."
    found: dict[str, list[str]] = {"raises": [], "lowers": []}
    for band in rules.ruleset.bands:
        moved = list(_changes(_plain(rules.ruleset.consequences.get(band.name, ())), own))
        for way, is_so in (("raises", any(by > 0 for by in moved)), ("lowers", any(by < 0 for by in moved))):
            found[way] += [band.title] if is_so else []
    rolled = [
        f"{listed(titles)} {way if len(titles) == 1 else way.removesuffix('s')} it"
        for way, titles in found.items()
        if titles
    ]
    told = f"When something you do is rolled for, {' and '.join(rolled)}." if rolled else ""
    return " ".join(filter(None, (told, _dear(rules, gauge)))) or "What moves it is for you to find out."


def _plain(effects: Iterable[BaseModel]) -> list[object]:
    return [effect.model_dump(mode="json") for effect in effects]


def _changes(data: object, path: str) -> Iterator[int]:
    """Yield by how much each effect raises a number of the ruleset's scene."""
    if isinstance(data, Mapping):
        if data.get("path") == path and data.get("op") in _SIGNS and isinstance(by := data.get("value", 1), int):
            yield _SIGNS[data["op"]] * by
        for value in data.values():
            yield from _changes(value, path)
    elif isinstance(data, (list, tuple)):
        for value in data:
            yield from _changes(value, path)


_SIGNS = {"increment": 1, "decrement": -1}


def _local(clock: str) -> str:
    return clock.rpartition(":")[2].rpartition("/")[2]


def _steps(data: object, clock: str) -> Iterator[int]:
    """Yield by how much each effect of the rules moves a clock."""
    if isinstance(data, Mapping):
        if data.get("clock") == clock and isinstance(by := data.get("by"), int):
            yield by
        for value in data.values():
            yield from _steps(value, clock)
    elif isinstance(data, (list, tuple)):
        for value in data:
            yield from _steps(value, clock)


def means_of(rules: CampaignRules, clock: str) -> str:
    """Return what a clock, or a number of the ruleset's scene, counts, in sentences; empty where nobody says it."""
    guidance = rules.ruleset.mechanics_guidance.get("scene")
    said = guidance.get(clock, "") if isinstance(guidance, Mapping) else ""
    return rules.clock_means.get(clock) or (f"{capitalised(str(said)).rstrip('.')}." if said else "")


LOSING = "Yes, one can lose: it can end well or badly, and what you do decides it."


def score_told(state: WorldState, rules: CampaignRules) -> str:
    """Return that nobody keeps a score, and where the clocks that are shown stand."""
    clocks = " · ".join(f"{clock['name']} {clock['value']} of {clock['max']}" for clock in state.clocks_shown())
    return f"Nobody keeps a score. {f'So it stands: {clocks}.' if clocks else '/goal says what you want.'}"


# What a sentence about the end of a clock speaks of.
_AT_ITS_END = re.compile(r"\bfull\b|\bat \d|everybody", re.IGNORECASE)


def losing_told(state: WorldState, rules: CampaignRules) -> str:
    """Return that one can lose, and what the clocks say that comes when they are full."""
    ends = []
    for clock in state.clocks_shown():
        said = [part for part in in_sentences(means_of(rules, clock["id"])) if _AT_ITS_END.search(part)]
        if said and clock["id"] not in rules.good_clocks:
            ends.append(f"{capitalised(clock['name'])} ({clock['value']} of {clock['max']}): {said[-1]}")
    runs = " ".join(ends) or ("" if state.clocks_shown() else " ".join(rules.ruleset.summary.split()))
    return f"{LOSING} {runs} /undo takes a turn back, at the end too."


def clocks_all(state: WorldState, rules: CampaignRules) -> str:
    """Return where all clocks that are shown stand, and what they count."""
    return " ".join(
        f"{capitalised(clock['name'])} is at {clock['value']} of {clock['max']}. {means_of(rules, clock['id'])}".strip()
        for clock in state.clocks_shown()
    ) or score_told(state, rules)


def full_told(state: WorldState, rules: CampaignRules, words: str) -> str:
    """Return what becomes of clocks that are full: of those that are as long as a question says, else of all."""
    said = {*re.findall(r"[a-z]+|\d+", words.casefold())}
    asked = [clock for clock in state.clocks_shown() if said & {str(clock["max"]), NUMERALS.get(int(clock["max"]), "")}]
    lines = [
        f"{capitalised(clock['name'])} is at {clock['value']} of {clock['max']}. {means_of(rules, clock['id'])}"
        for clock in asked
    ]
    return " ".join(lines) or losing_told(state, rules)


def ride_told(state: WorldState, rules: CampaignRules, what: str) -> str:
    """Return that nothing of the kind stands here, with what the clocks say of when it comes by."""
    said = (part for clock in state.clocks_shown() for part in in_sentences(means_of(rules, clock["id"])))
    hour = next((part for part in said if re.search(rf"\b{re.escape(what)}\b", part, re.IGNORECASE)), "")
    clock = next((clock for clock in state.clocks_shown() if hour and hour in means_of(rules, clock["id"])), None)
    when = "" if clock is None else f" {capitalised(clock['name'])} is at {clock['value']} of {clock['max']}: {hour}"
    return f"No {what} stands here that you could get on now.{when}"


def cost_told(state: WorldState, rules: CampaignRules) -> str:
    """Return what turns cost, by what is typed: what the ruleset says of the first acts that come to mind."""
    person = next(iter(state.present_npcs()), None)
    lines = [typed_line("view"), typed_line("rummage"), typed_line("pass_time")]
    if person is not None:
        lines.insert(1, typed_line("question", person=state.name_of(person), topic="something"))
    prices = [
        f"“{line.text}” {_minutes(act.minutes)}"
        for line in lines
        if line is not None and (act := rules.ruleset.actions.get(line.verb)) is not None
    ]
    priced = f" Here {listed(prices)}; a walk takes as long as the way is." if prices else ""
    free = "A question to the program, like this one, costs nothing."
    return f"Not every turn is alike: time passes by what is done.{priced} {free}"


def _minutes(minutes: int) -> str:
    return f"takes {minutes} minute{'s' * (minutes != 1)}" if minutes else "takes no time"
