"""The verb of all else: attempt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from lorewright.builtin.narrator.act_words import Telling
from lorewright.builtin.narrator.outcomes import deed_facts, only
from lorewright.builtin.narrator.views import Beat
from lorewright.rules.patch import Outcome
from lorewright.rules.verbs import Sight, Verb
from lorewright.values.records import NarratorInput
from lorewright.world.frozen import Frozen

# Traits that a free attempt may call for; a trait that the actor does not have counts as 0.
Trait = Literal["charm", "hands", "nerve", "wits"]


class AttemptMetadata(Frozen):
    """Anything else: the verb and what comes after it, as typed, and the trait that its kind calls for."""

    verb: str = Field(default="", max_length=60)
    detail: str = Field(default="", max_length=200)
    trait: Trait | None = None
    item_id: str | None = None


_TRIED = Sight("{actor} tried something on {target}", 1)


def _attempt_sights(outcome: Outcome, place: str) -> Iterator[tuple[Sight, str]]:
    """Yield a free attempt on a target; only the narrator says what it was."""
    if outcome.target_id is not None:
        yield _TRIED, place


def _tell_attempt(given: NarratorInput, outcome: Outcome) -> Beat | None:
    if outcome.code != "acted":
        return None
    facts, slots = deed_facts(given, outcome)
    tried_on = "person" if facts.get("person") else "thing"
    return Beat("outcome", "deed.attempt", {"band": outcome.band or "success", **only(facts, tried_on)}, slots)


ATTEMPT = Verb(
    name="attempt",
    rank=220,
    summary="try anything that no other verb means: dice, or a model's ruling, say what comes of it",
    condition="what it is tried on is here",
    remembered="that something was tried on somebody or something",
    lines={"try": "kick {thing}"},
    tried="do something else",
    metadata=AttemptMetadata,
    needs=("topic",),
    is_free=True,
    sights=_attempt_sights,
    history="tried to {words} {target}",
    parts=(Telling(of_player=_tell_attempt, fails_in_words=True),),
)

VERBS = (ATTEMPT,)
