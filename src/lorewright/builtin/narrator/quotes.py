"""Evidence -> a beat: what somebody says in quotation marks, what is found after a colon, both word for word."""

from __future__ import annotations

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.authored import is_named_in, lowered, plain, quoted, reminder
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.views import Beat, Person, Slot
from lorewright.rules.outcomes import Outcome
from lorewright.values.records import Evidence, NarratorInput


def evidence_beats(given: NarratorInput, outcome: Outcome, evidence: list[Evidence]) -> list[Beat]:
    """What the attempt brought to light, framed by the outcome; then reminders of what was known."""
    new = [one for one in evidence if not one.known_before]
    beats: list[Beat] = []
    for one in new:
        if not _is_in_say(outcome, one):
            beats.append(_framed(given, outcome, one, is_first=not beats))
    if outcome.code not in ("told_before", "found_before"):
        beats += [reminder_beat(given, one) for one in evidence if one.known_before]
    return beats


def stray_beat(given: NarratorInput, evidence: Evidence) -> Beat:
    """What is learned by no attempt: overheard, witnessed, set off by a clock."""
    speaker = views.person(given, evidence.speaker_id)
    return _beat(evidence, "overheard" if speaker else "learned", {}, speaker)


def reminder_beat(given: NarratorInput, evidence: Evidence) -> Beat:
    """What was known before, by its first words, and by whom it was told."""
    speaker = views.person(given, evidence.speaker_id)
    text = reminder(plain(evidence.text))
    facts: dict[str, Fact] = {} if text else {"reminder": False}
    group = "told_before" if speaker else "found_before"
    # What somebody said stays theirs, with its "I" and "me".
    shown = quoted(text) if text and speaker else lowered(text)
    slots: dict[str, Slot] = {"reminder": shown, "who": speaker or ""}
    return Beat("outcome", group, facts, slots, cites=(evidence.item_id,) if text else ())


def _framed(given: NarratorInput, outcome: Outcome, evidence: Evidence, *, is_first: bool) -> Beat:
    speaker = views.person(given, evidence.speaker_id)
    if outcome.say and is_first:
        named = speaker is not None and is_named_in([speaker.name], " ".join(outcome.say))
        group = "" if named or speaker is None else "told.after_say"
        return _beat(evidence, group, {}, speaker)
    if not is_first:
        return _beat(evidence, "told.more" if speaker else "found.more", {}, speaker)
    if speaker is None:
        return _found(outcome, evidence)
    facts: dict[str, Fact] = {"band": outcome.band or "none"}
    if is_named_in([speaker.name], plain(evidence.text)):
        facts = {"himself": True}
    return _beat(evidence, "told", facts, speaker)


def _found(outcome: Outcome, evidence: Evidence) -> Beat:
    verb = outcome.type if outcome.type in ("search", "look") else "other"
    facts: dict[str, Fact] = {"band": outcome.band or "none", "verb": verb}
    where = views.where(outcome.words) if verb == "search" else ""
    # Not "You search behind the nets and find this: Behind the nets …".
    if where and is_named_in(where.split()[-1:], plain(evidence.text)):
        where = ""
    if where:
        facts["where"] = True
    return _beat(evidence, "found", facts, None, where)


def _beat(evidence: Evidence, group: str, facts: dict[str, Fact], speaker: Person | None, where: str = "") -> Beat:
    return Beat(
        "evidence",
        group,
        facts,
        {"who": speaker or "", "where": where},
        authored=plain(evidence.text),
        is_speech=speaker is not None,
        cites=(evidence.item_id,),
    )


def _is_in_say(outcome: Outcome, evidence: Evidence) -> bool:
    """Whether the scenario's own sentence quotes the item already."""
    return plain(evidence.text) in plain(" ".join(outcome.say))
