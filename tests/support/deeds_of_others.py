"""One act of every kind and end -> how the built-in narrator tells it; `PYTHONPATH=tests python -m support.deeds_of_others` writes
them out, one a paragraph, for whoever reads them over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from lorewright.builtin.narrator import narrate
from lorewright.rules.patch import ReasonCode
from lorewright.rules.rulesets import BandName
from lorewright.values.records import NarratorInput, Recorded
from support.narrator_company import ALLEY, DOOR, JO, UNIT, act, came_of, company, news
from support.narrator_scenes import PIER

GOLDENS = Path(__file__).with_name("deeds_of_others.txt")
MARA = "p:mara"
_HEARD = {"item_ids": (PIER.item_id,)}


def every_act() -> Iterator[tuple[str, NarratorInput]]:
    """(what it is, the input) of every kind of act, by what came of it."""
    yield from _talk()
    yield from _records()
    yield from _deeds()
    for kind in ("persuade", "threaten", "attack", "sneak", "attempt"):
        for band in get_args(BandName):
            for to in (JO, MARA):
                yield f"{kind} {_name(to)}, {band}", _told(kind, "acted", target_id=to, band=band)
    for reason in get_args(ReasonCode):
        thing = {"target_id": UNIT, "item_id": UNIT, "location_id": ALLEY}
        yield f"blocked: {reason}", _told("take", "blocked", reason=reason, **thing)


def _talk() -> Iterator[tuple[str, NarratorInput]]:
    for to in (JO, MARA):
        who = _name(to)
        yield f"tell {who}, news", _told("tell", "heard", evidence=news(overheard=to != JO), target_id=to, **_HEARD)
        yield f"tell {who}, no news", _told("tell", "heard_before", target_id=to)
        yield f"tell {who}, words", _told("tell", "acted", target_id=to, words="the rain")
        yield f"whisper to {who}", _whispered(to)
    for words in ("Jin", "the drain", "x#y"):
        yield f"ask you ({words})", _told("ask", "acted", target_id=JO, words=words)
    for code in ("told", "told_before", "deflected", "does_not_know"):
        yield f"ask Mara, {code}", _told("ask", code, target_id=MARA, words="Jin")
    yield "ask Mara, overheard", _told("ask", "told", evidence=news(overheard=True), target_id=MARA, **_HEARD)


def _whispered(to: str) -> NarratorInput:
    if to == JO:
        heard = came_of("tell", "heard", target_id=to, **_HEARD)
        return company(act("p:viktor", heard, whisper_to=to), evidence=news())
    return company(act("p:viktor", whisper_to=to, hidden=True))


def _records() -> Iterator[tuple[str, NarratorInput]]:
    for to in (JO, MARA):
        for kind, code, predicate in (("promise", "promised", "promised"), ("threaten", "acted", "threatened")):
            row = {
                "fact_id": "f",
                "by_id": "p:viktor",
                "to_id": to,
                "predicate": predicate,
                "what": "the bar stays shut",
            }
            made = came_of(kind, code, target_id=to, fact_ids=("f",))
            one = company(act("p:viktor", made), recorded=(Recorded.model_validate(row),))
            yield f"{kind} {_name(to)}, on record", one
    for by in (JO, "p:viktor"):
        to = "p:viktor" if by == JO else JO
        row = {"fact_id": "f", "by_id": by, "to_id": to, "predicate": "promised", "what": "the key by morning"}
        recalled = came_of("recall", "recalled", target_id=JO, fact_ids=("f",))
        yield f"recall, by {_name(by)}", company(act("p:viktor", recalled), recorded=(Recorded.model_validate(row),))
    yield "recall, nothing", _told("recall", "nothing_recorded", target_id=JO)


def _deeds() -> Iterator[tuple[str, NarratorInput]]:
    yield "go", _told("go", "moved", location_id=ALLEY)
    yield "come", _told("go", "moved", location_id="p:bar")
    yield "sneak away", _told("sneak", "moved", location_id=ALLEY, band="success")
    yield "take", _told("take", "taken", target_id=UNIT)
    yield "drop", _told("drop", "dropped", target_id=UNIT)
    for to in (JO, MARA):
        yield f"give {_name(to)}", _told("give", "given", target_id=to, item_id=UNIT)
        yield f"show {_name(to)}", _told("use", "used", target_id=to, item_id=UNIT)
        yield f"look at {_name(to)}", _told("look", "looked", target_id=to)
    for kind, code in (("open", "opened"), ("close", "closed"), ("lock", "locked"), ("unlock", "unlocked")):
        yield kind, _told(kind, code, target_id=DOOR)
    yield "use", _told("use", "used", target_id=DOOR, item_id=UNIT)
    yield "look around", _told("look", "looked")
    yield "search", _told("search", "acted", words="under the counter")
    yield "inventory", _told("inventory", "listed")
    yield "wait", _told("wait", "waited")
    yield "a gesture", company(act("p:viktor", text="Viktor turns a glass upside down and does not look at Jo."))


def _told(kind: str, code: str, *, evidence: tuple[object, ...] = (), **fields: object) -> NarratorInput:
    return company(act("p:viktor", came_of(kind, code, **fields)), evidence=evidence)


def _name(who: str) -> str:
    return {JO: "you", MARA: "Mara"}.get(who, "Viktor")


def written_out() -> str:
    """Every act with its narration."""
    return "\n".join(f"{what}\n    {_narrated(what, given)}\n" for what, given in every_act())


def _narrated(what: str, given: NarratorInput) -> str:
    """With dice of its own, so that the same sentence does not follow on everything."""
    return narrate(given.model_copy(update={"seed": what})).final_text.replace("\n\n", " / ")


if __name__ == "__main__":
    GOLDENS.write_text(written_out(), encoding="utf-8")
