"""Acts as they were tagged -> readings: by the grammar where it reads an act as its kind, else by the kind itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

import yaml

from lorewright.builtin.parser.clauses import lexicon, syntaxes, words_of
from lorewright.builtin.parser.noun_phrases import PhraseMatch, resolve
from lorewright.builtin.parser.readings import (
    MAX_WORDS,
    ParseContext,
    Reading,
    acting,
    acting_freely,
    act_word,
    aimed_at_prose,
    alone,
    excerpt,
    only_person,
    person_meant,
    typeable,
    wondering,
)
from lorewright.builtin.parser.speech import put_to, read_remark
from lorewright.builtin.parser.tagging import Act
from lorewright.rules.verbs import verb_of
from lorewright.values.readings import Aside

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Kind:
    """How acts of a kind are read: `fits` are the types of action that they may be, `lines` what they amount to in the
    grammar's words, `aside` what they ask of the program; `said` is the verb that takes what is said, in the words
    `plain` where they are not the player's own."""

    fits: frozenset[str] = frozenset()
    lines: tuple[str, ...] = ()
    aside: str = ""
    said: str = ""
    plain: str = ""


@cache
def kinds() -> Mapping[str, Kind]:
    """Return the kinds of act by name."""
    text = resources.files(__package__).joinpath("kinds.yaml").read_text("utf-8")
    data: dict[str, dict[str, Any]] = yaml.load(text, Loader=_LOADER)
    return {
        name: Kind(
            fits=frozenset(given.get("fits", ())),
            lines=tuple(given.get("lines", ())),
            aside=given.get("aside", ""),
            said=given.get("said", ""),
            plain=given.get("as", ""),
        )
        for name, given in data.items()
    }


def is_read_as(act: Act, reading: Reading) -> bool:
    """Tell whether a reading is one of an act's kind."""
    kind = kinds().get(act.kind, Kind())
    if reading.aside is not None:
        return bool(kind.aside) or (reading.aside.kind in ("lore", "alone") and (bool(kind.said) or act.kind == "seek"))
    if reading.unclear is not None:
        return not reading.is_lost and not kind.aside
    types = {action.type for action in reading.actions}
    if kind.said and not kind.lines:
        return types <= kind.fits | {kind.said, "tell", "remark"}
    return types <= kind.fits | ({"attempt"} if kind.fits or kind.lines == () else set())


def read_by_kind(ctx: ParseContext, act: Act, read: Callable[[str], Reading | None]) -> Reading | None:
    """Read an act by its kind; None where nothing is to be made of it. `read` reads a line by the grammar alone."""
    kind = kinds().get(act.kind)
    if kind is None:
        return None
    if kind.aside:
        return wondering(act.topic or act.words) if kind.aside == "lore" else _aside(kind.aside, act)
    hearer = _hearer(ctx, act)
    refused: Reading | None = None
    for line in _filled(kind, act, hearer):
        reading = read(line)
        if reading is None:
            continue
        if reading.actions and is_read_as(act, reading):
            said = f"“{excerpt(act.words)}” is understood as “{line}” ({act.score:.2f})"
            return replace(reading, confidence=min(reading.confidence, 0.8), assumptions=(*reading.assumptions, said))
        refused = refused or (reading if reading.unclear is not None else None)
    if kind.said:
        return _said(ctx, act, kind, hearer)
    if refused is not None and not refused.is_lost:
        return refused
    return _deed(ctx, act) or refused


def _aside(kind: str, act: Act) -> Reading:
    return Reading(intent=f"aside: {kind}", aside=Aside(kind=kind, words=act.words[:MAX_WORDS]))


def _filled(kind: Kind, act: Act, hearer: PhraseMatch | None) -> Iterator[str]:
    slots = {"target": act.target, "second": act.second, "topic": act.topic}
    slots["person"] = act.person or (hearer.label if hearer is not None else "")
    for line in kind.lines:
        if all(slots[slot] for slot in _SLOT.findall(line)):
            yield line.format(**{name: typeable(words) for name, words in slots.items()})
        elif _SLOT.findall(line) == ["target"] and act.target:
            return


def _hearer(ctx: ParseContext, act: Act) -> PhraseMatch | None:
    """Return to whom something is said: somebody named, else with whom one speaks."""
    named = person_meant(ctx, act.person) if act.person else None
    return named if isinstance(named, PhraseMatch) else only_person(ctx)


def _said(ctx: ParseContext, act: Act, kind: Kind, hearer: PhraseMatch | None) -> Reading | None:
    people = ctx.nouns.people
    if not people and hearer is None:
        return wondering(act.topic or act.words) if kind.said == "ask" else alone(act.words)
    if hearer is None:
        hearer = PhraseMatch(people[0], people[0].name, 0.85, mended=True)
    words = words_of(act.topic or act.words)
    if kind.said == "ask":
        return put_to(ctx, act.words, hearer, words)
    if kind.said == "remark":
        return read_remark(ctx, act.words, hearer, words)
    topic = {"topic": (kind.plain or act.topic or act.words)[:MAX_WORDS]}
    return acting(ctx, kind.said, f"{act.kind} {hearer.label}", target=hearer, metadata=topic, confidence=0.8)


def _deed(ctx: ParseContext, act: Act) -> Reading | None:
    """Return a free attempt at what an act is about; a posture where it is about nothing."""
    if act.target:
        found = resolve(act.target, ctx.nouns.everything())
        if isinstance(found, PhraseMatch) and found.candidate.kind in ("person", "thing", "door"):
            return acting_freely(ctx, excerpt(act.words), act_word(act.words)[:60], "hands", target=found, item=None)
        return aimed_at_prose(ctx, act.words, act.target)
    posture = next((syntax.posture for syntax in syntaxes() if syntax.posture is not None), None)
    return None if posture is None else posture(ctx, act.words)
