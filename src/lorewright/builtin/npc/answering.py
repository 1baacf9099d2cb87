"""What was just done, to somebody or before their eyes -> what they could do about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from lorewright.builtin.npc.considered import Considered, Moment, gesture, grammar, tellable, the
from lorewright.rules.outcomes import Outcome

# By what came of it, where that says more than what was done.
_BY_CODE: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("deflected", "told", "told_before", "does_not_know"), ""),
        **dict.fromkeys(("heard", "heard_before", "recalled", "nothing_recorded"), ""),
    }
)
_DOORS = frozenset({"open", "close", "lock", "unlock"})
_THOUGHTS = frozenset({"give", "threaten", "attack", "promise", "deflected"})
_TAGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"threaten": ("threat",), "attack": ("flight",), "give": ("trade",), "deflected": ("deceit",)}
)
# From so much trust somebody tells of their own accord what was not asked.
TRUSTING = 1
# Words that a question may be about and that no article goes before.
_NO_NOUNS = frozenset(
    ("me", "you", "him", "her", "it", "them", "us", "this", "that", "here", "there", "anything", "something", "nothing")
)
# Questions of more words than these are not handed on.
_QUESTION = 8


def answering(moment: Moment) -> list[Considered]:
    """What one could do about what was just done to oneself, the latest first."""
    me = moment.given.me.id
    found: list[Considered] = []
    for outcome in reversed(moment.given.outcomes):
        if outcome.target_id == me and outcome.actor_id != me and moment.is_here(outcome.actor_id):
            found += _answers(outcome, moment)
    # To one's face it is denied where it is said, in the telling of that.
    to_ones_face = any(outcome.target_id == me for outcome in moment.given.outcomes)
    for claim in () if to_ones_face else moment.given.claims:
        if claim.get("by") == me and not claim.get("holds") and claim.get("kind") in ("said", "promised"):
            found += gesture(moment.words.sentence("claim.denied", person=moment.given.player_id), tags=("calm",))
    return found


def watching(moment: Moment) -> list[Considered]:
    """What one could do about what was just done before one's eyes."""
    me = moment.given.me.id
    found: list[Considered] = []
    for outcome in reversed(moment.given.outcomes):
        if outcome.actor_id != me and outcome.target_id != me and moment.is_here(outcome.actor_id):
            found += _remarks(outcome, moment)
    return found


def _answers(outcome: Outcome, moment: Moment) -> Iterator[Considered]:
    by = outcome.actor_id
    kind = outcome.code if outcome.code in _BY_CODE else outcome.type
    if outcome.code == "blocked":
        return
    if outcome.type == "give":
        yield from _in_return(by, moment)
    if outcome.code == "does_not_know":
        yield from _handed_on(outcome, moment)
    group = f"answer.{kind}" if f"answer.{kind}" in grammar() else "answer.any"
    thing = _thing(outcome, moment)
    for one in gesture(moment.words.sentence(group, person=by, **thing), tags=_TAGS.get(kind, ("calm",))):
        thought, keys = ("", ()) if kind not in _THOUGHTS else moment.thought(f"think.{kind}", person=by, **thing)
        yield Considered(one.text, 2, one.tags, one.seen, thought, keys=(*one.keys, *keys))


def _in_return(to: str, moment: Moment) -> Iterator[Considered]:
    """A gift is worth a thing that one knows, to whom one trusts."""
    if moment.can("tell") and moment.toward(to).trust >= TRUSTING:
        for item in tellable(moment.given.knows, to)[:1]:
            if item.holder_id == moment.given.me.id and (told := telling(item.id, to, moment, weight=4)) is not None:
                yield told


def _handed_on(outcome: Outcome, moment: Moment) -> Iterator[Considered]:
    """What one does not know one asks of somebody else who is there."""
    what = _topic(outcome.words.strip(" ?.!"), moment)
    if not what or len(what.split()) > _QUESTION or not moment.can("ask") or outcome.actor_id != moment.given.player_id:
        return
    for other in moment.others:
        key = f"asked:{other.id}:{what.casefold()}"
        if moment.done(key) or moment.toward(other.id).trust < 0:
            continue
        found = moment.words.sentence("ask.other", person=other.id, what=what)
        if found is not None:
            action = moment.action("ask", other.id, words=what)
            yield Considered(found.text, 4, ("question", "help"), action=action, keys=(found.key, moment.key(key)))


def _topic(words: str, moment: Moment) -> str:
    """What a question was about, as one would say it: by its name where one knows it, a bare noun with its article."""
    scope = moment.given.scope
    named = (*scope.topics, *scope.people, *scope.here, *scope.carried, scope.place)
    for one in named:
        if words.casefold() in (name.casefold() for name in (one.name, *one.aliases)):
            return the(one)
    is_bare = len(words.split()) == 1 and words.isalpha() and words.islower() and words not in _NO_NOUNS
    return f"the {words}" if is_bare else words


def telling(item_id: str, to: str, moment: Moment, *, weight: int) -> Considered | None:
    """To tell somebody what one knows; in a whisper where it is about somebody who stands by."""
    item = next(one for one in moment.given.knows if one.id == item_id)
    folded = f"{item.text} {' '.join(item.topics)}".casefold()
    by_standers = [one for one in moment.people if one.id != to]
    whisper = any(one.name.casefold() in folded for one in by_standers)
    what = next((topic for topic in item.topics if topic.casefold() != moment.given.me.name.casefold()), "")
    group = "tell.whisper" if whisper else "tell"
    found = moment.words.sentence(group, person=to, what=what or "something that nobody has asked about")
    if found is None:
        return None
    thought, keys = moment.thought("think.tell", person=to)
    action = moment.action("tell", to, item=item.id, whisper=whisper)
    return Considered(
        found.text, weight, ("help",), thought=thought, action=action, item_id=item.id,
        keys=(found.key, *keys, moment.key(f"told:{to}:{item.id}")),
    )  # fmt: skip


def _remarks(outcome: Outcome, moment: Moment) -> Iterator[Considered]:
    by, kind = outcome.actor_id, outcome.type
    if outcome.code == "blocked":
        kind = "attempt"
    elif getattr(outcome, "whispered", False):
        kind = "whisper"
    elif kind in _DOORS:
        kind = "open"
    elif kind == "sneak":
        return
    group = f"seen.{kind}" if f"seen.{kind}" in grammar() else "seen.attempt"
    third = outcome.target_id if moment.is_here(outcome.target_id) else None
    yield from gesture(moment.words.sentence(group, person=by, third=third, **_thing(outcome, moment)))


def _thing(outcome: Outcome, moment: Moment) -> dict[str, str]:
    """The slot of the thing that it was about, where one knows it."""
    scope, about = moment.given.scope, (outcome.item_id, outcome.target_id)
    known = next((one for one in (*scope.carried, *scope.here) if one.id in about), None)
    if known is not None:
        return {"thing": the(known)}
    people = {one.id for one in (*scope.people, scope.player)}
    names = moment.given.names
    named = next((names[one] for one in about if one is not None and one in names and one not in people), None)
    return {} if named is None else {"thing": f"the {named}" if named[:1].islower() else named}
