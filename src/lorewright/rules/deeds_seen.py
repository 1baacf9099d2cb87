"""An outcome -> what one sees of it: a sentence with places for names, how much it matters, and where it is seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lorewright.rules.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class Seen:
    """A sentence without its full stop; `{about}` is what was spoken of, as far as that names anybody, else
    `otherwise`."""

    text: str
    importance: int
    otherwise: str = ""


# How much each matters to whoever sees it, of 5: blows and threats stay with one for days (4), what binds people or
# changes hands makes them think of one another (3), news and what is done to one's surroundings is worth a thought (2),
# idle talk, coming and going are forgotten first (1).
_SEEN: dict[str, Seen] = {
    "ask": Seen("{actor} asked {target}{about}", 1, otherwise=" something"),
    "tell": Seen("{actor} talked to {target}{about}", 1),
    "persuade": Seen("{actor} tried to win {target} over", 2),
    "threaten": Seen("{actor} threatened {target}", 4),
    "promise": Seen("{actor} gave {target} a promise", 3),
    "recall": Seen("{actor} reminded {target} of what was said between them", 2),
    "attack": Seen("{actor} attacked {target}", 4),
    "take": Seen("{actor} took {target}", 2),
    "drop": Seen("{actor} put {target} down", 1),
    "give": Seen("{actor} gave {item} to {target}", 3),
    "open": Seen("{actor} opened {target}", 1),
    "close": Seen("{actor} shut {target}", 1),
    "lock": Seen("{actor} locked {target}", 2),
    "unlock": Seen("{actor} unlocked {target}", 2),
    "search": Seen("{actor} searched {place}", 2),
}
_TOLD = Seen("{actor} told {target} something{about}", 2)
_WON_OVER = Seen("{actor} won {target} over", 2)
_BEATEN_OFF = Seen("{actor} attacked {target} and was beaten off", 4)
_FOUND = Seen("{actor} searched {place} and found something", 3)
_USED = Seen("{actor} used {item}", 1)
_USED_ON = Seen("{actor} used {item} on {target}", 1)
_USED_IT = Seen("{actor} used {target}", 1)
_TRIED = Seen("{actor} tried something on {target}", 1)
_CAME = Seen("{actor} came to {place}", 1)
_LEFT = Seen("{actor} left {place}", 1)
_CAUGHT = Seen("{actor} tried to slip by unseen", 2)
_FAILED = ("fail",)
_UNSEEN = ("success", "critical")


def seen(outcome: Outcome, place: str) -> Iterator[tuple[Seen, str]]:
    """What is seen, and at which place; nothing of what came to nothing. `place` is where the actor stood."""
    if outcome.code == "blocked":
        return
    if outcome.type in ("go", "sneak"):
        yield from _gone(outcome, place)
        return
    told = _kind(outcome)
    if told is not None:
        yield told, place


def _gone(outcome: Outcome, place: str) -> Iterator[tuple[Seen, str]]:
    """Who leaves is seen to at the one place and at the other; who sneaks well at neither."""
    if outcome.type == "sneak" and outcome.band in _UNSEEN:
        return
    if outcome.code == "moved" and outcome.location_id is not None:
        yield _LEFT, place
        yield _CAME, outcome.location_id
    elif outcome.type == "sneak" and outcome.band in _FAILED:
        yield _CAUGHT, place


def _kind(outcome: Outcome) -> Seen | None:
    match outcome.type:
        case "tell" if outcome.code == "heard":
            return _TOLD
        case "persuade" if outcome.band in _UNSEEN or outcome.code == "told":
            return _WON_OVER
        case "attack" if outcome.band in _FAILED:
            return _BEATEN_OFF
        case "search" if outcome.code in ("found", "found_before"):
            return _FOUND
        case "use" | "attempt":
            return _handled(outcome)
        case _:
            return _SEEN.get(outcome.type)


def _handled(outcome: Outcome) -> Seen | None:
    """A free attempt is seen as far as it is upon something: what it was is nobody's to say but the narrator's."""
    if outcome.type == "attempt":
        return None if outcome.target_id is None else _TRIED
    if outcome.item_id is None:
        return None if outcome.target_id is None else _USED_IT
    return _USED if outcome.target_id is None else _USED_ON
