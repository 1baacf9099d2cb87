"""A line and what the last turn served, found, showed or gave away -> the line with its name: `drink it` is `drink my
beer`, `take it` is `take the visiting card`, `take it back` is asked of who has it.

Nothing else is ever meant by `it` where one of these is. The patterns stand in `last_thing.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from lorewright.builtin.words.clauses import AGAIN, cleaned, with_article
from lorewright.builtin.words.noun_phrases import Candidate, Key, Nouns, PhraseMatch, in_prose, resolve
from lorewright.rules.actions import Action
from lorewright.rules.verbs import verb_for, verb_of
from lorewright.scene_lore.nouns import is_everybodys
from lorewright.shipped_tables import read_table
from lorewright.values.readings import Lately
from lorewright.values.scenery import SceneryNoun

# A thing that was given away, who has it, and whether that was the last that was done.
Gift = tuple[str, str, bool]


@dataclass(frozen=True, slots=True)
class LastThing:
    """What the last inputs left at hand. `served` are nouns of what was served, the last one last, `host` who serves;
    `found` is what came to light, `shown` what only the prose shows, `lying` what was put
    down, `given` what was given."""

    served: tuple[str, ...] = ()
    host: str = ""
    found: str = ""
    shown: str = ""
    lying: str = ""
    given: tuple[Gift, ...] = ()
    # What the last input was about is the last that was served.
    is_served_last: bool = False

    def named_in(self, text: str, nouns: Nouns) -> str:
        """Return a line with the name of what `it` stands for in it; any other line as it is."""
        bare = text.strip().rstrip(".!?").casefold().replace("’", "'")
        if (back := self._back(bare, nouns)) or (served := self._served(bare)):
            return back or served
        is_it = re.search(r"\bit\b", bare) is not None
        if is_it and self.is_served_last and _fits("handled", bare, "it"):
            drunk = _fits("drunk", bare, "it")
            return f"drink my {self.served[-1]}" if drunk else _with(bare, f"my {self.served[-1]}")
        if is_it and self.found and _fits("pocketed", bare, "it"):
            return f"hide {with_article(self.found)}"
        if is_it and self.found and (_fits("handled", bare, "it") or _fits("found", bare, "it")):
            return _with(bare, with_article(self.found))
        if is_it and self.shown and _fits("handled", bare, "it"):
            return _with(bare, with_article(self.shown))
        return text

    def _served(self, bare: str) -> str:
        """Return a gift of what was served as an offer, a bare payment as one for it; else an empty text."""
        if self.served and self.host and _fits("paid", bare, "it"):
            return f"pay {self.host} for the {self.served[-1]}"
        for noun in dict.fromkeys(reversed(self.served)):
            names = (noun, "it") if self.is_served_last and noun == self.served[-1] else (noun,)
            for name in names:
                if (found := _fits("offered", bare, name)) is not None:
                    return f"offer my {noun} to {found['whom']}"
        return ""

    def _back(self, bare: str, nouns: Nouns) -> str:
        """Return the request for what somebody was given, or the taking of what lies here; else an empty text."""
        if (found := _fits("back", bare, r"(?P<thing>[\w' -]+?)")) is None:
            return ""
        name, whom = found["thing"], found.groupdict().get("whom") or ""
        if self.lying and not whom and name in ("it", "that", self.lying.casefold()):
            return f"take {with_article(self.lying)}"
        for thing, holder, is_last in reversed(self.given):
            is_meant = is_last if name in ("it", "that") else {*name.split()} <= {*thing.casefold().split()}
            is_theirs = not whom or bool({*whom.split()} & ({*holder.casefold().split()} | _PEOPLE))
            if is_meant and is_theirs and not isinstance(resolve(name, nouns.things, whole=True), PhraseMatch):
                return f"ask {holder} to give back {with_article(thing)}"
        return ""


_PEOPLE = frozenset(("him", "her", "them"))


def last_thing_of(
    lines: Sequence[tuple[str, Sequence[Action]]],
    lately: Lately,
    nouns: Nouns,
    *,
    shown: Sequence[SceneryNoun],
    noted: str,
) -> LastThing:
    """Return what the last inputs left at hand: `lines` are these, oldest first, each with its actions; `lately` is
    what they left, `shown` what the prose shows, `noted` the noun that was spoken of last."""
    served = [(_served_in(text, actions), actions) for text, actions in lines]
    hosts = [who for noun, actions in served if noun for action in actions if (who := action.target_id)]
    said, acts = lines[-1] if lines else ("", ())
    is_search = any((verb := verb_of(act.type)) is not None and verb.grounding == "hidden" for act in acts)
    low = cleaned(said).casefold()
    lying = next((thing.name for thing in nouns.here if any(_has(low, key) for key in thing.keys)), "")
    return LastThing(
        served=tuple(noun for noun, _ in served if noun),
        host=next((person.name for person in nouns.people if hosts and person.id == hosts[-1]), ""),
        found=_came_to_light(lately.told, said, nouns, shown, is_search=is_search) or lying,
        shown=_shown_noun(noted, nouns),
        lying=lying,
        given=lately.gifts,
        is_served_last=bool(served and served[-1][0]),
    )


def _served_in(text: str, actions: Sequence[Action]) -> str:
    """Return the noun of what a line ordered or poured; empty for any other line."""
    order = verb_for("order")
    for action in actions:
        if order is not None and action.type == order.name and action.form != "offer":
            return _served_noun(str(action.metadata.get("topic", "")))
    is_done = actions and all(action.metadata.get("detail_is") != "absent" for action in actions)
    return _poured_noun(text) if is_done else ""


def _with(bare: str, name: str) -> str:
    return re.sub(r"\bit\b", name, bare, count=1)


def _fits(kind: str, bare: str, name: str) -> re.Match[str] | None:
    found = (pattern.match(bare) for pattern in _patterns(kind, name))
    return next(filter(None, found), None)


@cache
def _table() -> Mapping[str, Any]:
    table: dict[str, Any] = read_table(__package__, "last_thing.yaml")
    return table


# A game serves some dozens of things.
@cache
def _patterns(kind: str, name: str) -> tuple[re.Pattern[str], ...]:
    rows = _table()[kind]
    lines = [rows] if isinstance(rows, str) else rows
    name = name if name.startswith("(") else re.escape(name)
    return tuple(
        re.compile(_table()["lead"] + re.sub(r"\{\w+\}", lambda _: name, line) if kind != "poured" else line)
        for line in lines
    )


def _served_noun(topic: str) -> str:
    """Return the noun of what was ordered: `beer` of `two more beers`, `coffee` of `a cup of coffee`; else nothing."""
    of = re.match(r".*\b(?:cup|glass|mug|pint|shot|bowl|plate|dram|bottle) of (?P<what>[\w-]+)", topic.casefold())
    words = (of["what"] if of else topic.casefold()).split()
    while words and words[0] in _COUNTS:
        words = words[1:]
    end = next((at for at, word in enumerate(words) if word in _ENDS), len(words))
    words = words[:end][:_LONGEST]
    noun = " ".join(words)
    return noun if noun and noun.replace(" ", "").replace("-", "").isalpha() and words[-1] not in _NO_NOUNS else ""


_LONGEST = 3
_COUNTS = frozenset("a an the some my another one two three more of usual".split())
_ENDS = frozenset("from for with and or please to at in on now then again".split())
_NO_NOUNS = frozenset(
    "it them that this something anything drink drinks round rounds food meal table bill tab same usual one".split()
)


def _poured_noun(text: str) -> str:
    """Return the noun of what somebody poured for themselves; empty where a line says nothing of that."""
    found = _patterns("poured", "")[0].search(text.casefold())
    return found["what"] if found else ""


def may_order(text: str, now: str) -> bool:
    """Tell whether an earlier line may have ordered what a line of now names, or anything to be paid for."""
    before, words = text.casefold(), set(re.findall(r"[\w-]+", now.casefold()))
    is_order = bool(_poured_noun(before)) or re.search(_table()["ordered"], before) is not None
    return is_order and (bool(words & {*re.findall(r"[\w-]{3,}", before)} - _SMALL) or bool(_fits("paid", now, "it")))


_SMALL = frozenset("the and for order ask call buy get have drink pour bring cup glass".split())


def gives(text: str, thing: Iterable[str], person: str) -> bool:
    """Tell whether a line gives a thing, by one of its names, to a person by a part of theirs."""
    low = cleaned(text).casefold()
    is_named = any(re.search(rf"\b{re.escape(name.casefold())}\b", low) for name in thing)
    return is_named and bool({*person.casefold().split()} & {*low.split()}) and bool(_fits("given", low, ""))


def _has(low: str, key: Key) -> bool:
    return re.search(rf"\b{re.escape(' '.join(key.words))}\b", low) is not None


def _came_to_light(told: str, said: str, nouns: Nouns, shown: Sequence[SceneryNoun], *, is_search: bool) -> str:
    """Return what a narration says that came to light or into somebody's hands, which the words before it did not name:
    a thing, else after a search what is first spoken of as `a` such thing; empty for nothing."""
    low, before = told.casefold(), cleaned(said).casefold()
    things = nouns.things if is_search else nouns.carried
    new = [thing for thing in things if _is_told(thing, low) and not any(_has(before, key) for key in thing.keys)]
    if len(new) == 1:
        return new[0].name
    return next(_introduced(low, before, shown), "") if is_search else ""


def _is_told(thing: Candidate, low: str) -> bool:
    return any(_has(low, key) for key in thing.keys if key.main)


def _introduced(low: str, before: str, shown: Sequence[SceneryNoun]) -> Iterator[str]:
    places: dict[str, int] = {}
    for noun in shown:
        if not noun.is_sure or noun.text.casefold().rstrip(".!?… ") not in low or is_everybodys(noun.head):
            continue
        found = re.search(rf"\b(?:an?|another|one)(?: [\w-]+){{0,2}}? {re.escape(noun.name)}\b", low)
        if found is not None and noun.head not in before:
            places.setdefault(noun.name, found.start())
    yield from sorted(places, key=lambda name: (places[name], -len(name)))


def with_served(nouns: Nouns, served: Iterable[str]) -> Nouns:
    """Return the candidates with what was served among what is shown."""
    made = (
        Candidate("", "scenery", noun, (Key(tuple(noun.split()), noun, main=True),), "it")
        for noun in dict.fromkeys(served)
    )
    new = tuple(each for each in made if each not in nouns.scenery)
    return replace(nouns, scenery=(*nouns.scenery, *new)) if new and nouns.knows_scenery else nouns


def _shown_noun(noun: str, nouns: Nouns) -> str:
    """Return the noun that the prose shows by a name; empty where it does not."""
    found = in_prose(noun, nouns) if noun else None
    return found.name if found is not None and found.standing == "shown" else ""


# What stands for a line that was offered or said before.


def chosen_line(text: str, options: Sequence[str]) -> str:
    """Return the offered line that a bare number stands for, without a remark in parentheses; other text as it is."""
    number = text.lstrip("#").rstrip(".)")
    if number.isascii() and number.isdigit() and len(number) < 4 and 1 <= int(number) <= len(options):
        return cleaned(options[int(number) - 1].partition(" (")[0])
    return text


def at_first(text: str, options: Sequence[str], said_before: Sequence[str]) -> str:
    """Return the offered question that `what happened?` stands for before anything else was said, one to who is asked
    by name; other text as it is."""
    found = None if said_before else _AT_FIRST.fullmatch(text.casefold().replace("’", "'"))
    if found is None:
        return text
    whom = (found["whom"] or found["called"] or "").split()
    asked = (cleaned(line) for line in options if line.casefold().startswith("ask "))
    return next((line for line in asked if {*whom} <= {*line.casefold().split()}), text)


_AT_FIRST = re.compile(
    r"(?:(?:ok|okay|so|hey|and|wait|um+|hello|hi)[, ]+)*(?:ask (?P<whom>[\w' ]+?) |(?P<called>[\w']+), )?"
    r"(?:what(?:'s| is|s)? (?:the matter|this (?:all )?about|all this about|wrong|the problem)"
    r"|what(?:'s| has)? happened|what did i miss|what (?:do|can) you (?:know|tell me)|anything i should know"
    r"|tell me (?:what you know|everything|what happened|what(?:'s| is) (?:going on|wrong|this about)))"
    r"(?: (?:here|around here|down here|tonight|then))?[?!. ]*"
)


def repeated(text: str, said_before: Sequence[str]) -> str:
    """Return the last input for `g` or `again`; one that was itself a number or a repetition is not traced back."""
    if text.lower().rstrip(".!") not in AGAIN or not said_before:
        return text
    last = cleaned(said_before[-1])
    return text if last.lower() in AGAIN or last.lstrip("#").isdigit() else last
