"""Verb of reminding: recall."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Literal

from pydantic import Field

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_words import Actor, Telling, after_talk, recorded, talk_beats
from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.views import Beat, Slot
from lorewright.builtin.npc.considered import (
    Aim,
    Moment,
    PossibleAct,
)
from lorewright.builtin.parser.readings import (
    MAX_WORDS,
    ParseContext,
    Reading,
    acting,
    asking,
    only_person,
    typeable,
)
from lorewright.builtin.words.claims import claim_in
from lorewright.builtin.words.clauses import (
    Syntax,
    Word,
    lows,
    syntaxes,
)
from lorewright.builtin.words.noun_phrases import PhraseMatch, exact
from lorewright.rules.actions import Attempt, Promised
from lorewright.rules.acts import Answer
from lorewright.rules.effects import recorded_facts
from lorewright.rules.patch import Outcome, Patch
from lorewright.rules.reasons import why_not_to_somebody
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import Verb, seen
from lorewright.values.records import Evidence, NarratorInput, Recorded
from lorewright.world.frozen import Frozen
from lorewright.world.state import WorldState

# recall: what was said, promised or is owed between two people.


class RecallMetadata(Frozen):
    """What of the record is asked after, and by whom it was said: the one who is asked, or oneself. With a `topic` it
    is claimed that so much was said, promised or is owed; code looks for what says so before the rules see it."""

    about: Promised | None = None
    by: Literal["them", "you"] = "them"
    topic: str = Field(default="", max_length=200)


def _recall(patch: Patch, attempt: Attempt, rules: CampaignRules, ruled: bool) -> Answer:
    """Return the facts on record between the two, of the kind that is asked for; for a claim those that bear it out, or
    nothing.
    """
    action = attempt.action
    if action.metadata.get("topic"):
        return _claimed(attempt, patch.state)
    me, other = action.actor_id, action.target_id or ""
    by, to = (me, other) if action.metadata.get("by") == "you" else (other, me)
    facts = recorded_facts(patch.state, by=by, to=to, predicate=action.metadata.get("about"))
    return Answer("recalled", fact_ids=facts) if facts else Answer("nothing_recorded")


def _claimed(attempt: Attempt, state: WorldState) -> Answer:
    grounding, who = attempt.grounding, attempt.action.actor_id
    facts = tuple(
        fact_entity_id
        for fact_entity_id in grounding.fact_ids
        if fact_entity_id in state.facts
        and state.facts[fact_entity_id].is_shown("player", who if state.is_players(who) else None)
    )
    items = [item.id for item in grounding.items if state.has_learned(who, item.id)]
    if facts:
        return Answer("recalled", fact_ids=facts)
    return Answer("told_before", known_item_ids=(items[0],)) if items else Answer("nothing_recorded")


def _tell_recall(given: NarratorInput, outcome: Outcome) -> list[Beat]:
    """Return each promise, threat or debt in the words in which it was said."""
    who = views.person(given, outcome.target_id)
    records = [record for record in given.recorded if record.fact_id in outcome.fact_ids and plain(record.what)]
    if who is None or not records:
        return [Beat("outcome", "acted", {"band": "none"})]
    # Another promise was given than the one that is claimed.
    is_other = any(claim.words == outcome.words and not claim.holds for claim in given.premises)
    first = "recalled.other" if is_other else "recalled"
    groups = (first, "recalled.more", "recalled.more")
    return [_record(given, record, {"who": who}, group) for group, record in zip(groups, records, strict=False)]


def _record(given: NarratorInput, record: Recorded, slots: dict[str, Slot], group: str) -> Beat:
    facts: dict[str, Fact] = {"by": "you" if record.by_id == given.player_id else "them", "kind": record.predicate}
    return Beat(
        "evidence", group, facts if group == "recalled" else {}, slots, authored=plain(record.what), is_speech=True
    )


def _tell_recall_of_others(actor: Actor, outcome: Outcome, evidence: Sequence[Evidence], words: str) -> list[Beat]:
    if outcome.code == "recalled":
        return _recalled(actor, outcome)
    if outcome.code == "nothing_recorded":
        return [actor.beat("act", "npc.nothing_recalled", to=outcome.target_id)]
    return talk_beats(actor, outcome, evidence, words, "npc.nothing_recalled")


def _recalled(actor: Actor, outcome: Outcome) -> list[Beat]:
    said = recorded(actor, outcome)
    if not said:
        return [actor.beat("act", "npc.nothing_recalled", to=outcome.target_id)]
    beats = []
    for number, record in enumerate(said[:2]):
        by = "you" if record.by_id == actor.told.player_id else "them"
        facts: dict[str, Fact] = (
            {"by": by, "kind": record.predicate} if outcome.target_id == actor.told.player_id else {}
        )
        frame = actor.beat("act", "recalled.more" if number else "npc.recalled", facts, to=outcome.target_id)
        facts_told = {} if number else frame.facts
        beats.append(Beat("act", frame.group, facts_told, frame.slots, authored=plain(record.what), is_speech=True))
    return beats


# A promise is not spoken of in the turn in which it was given, nor for so long after it (in-world minutes).
_A_WHILE = 10


def _remind(moment: Moment) -> Iterator[PossibleAct]:
    """Yield a question about a promise, once, when a while has passed."""
    given = moment.given
    if not moment.can(RECALL.name):
        return
    for record in given.recorded:
        is_promise = record.predicate == "promised" and record.to_id == given.me.id and moment.is_here(record.by_id)
        if not is_promise or moment.done(f"reminded:{record.fact_id}") or _is_fresh(record, moment):
            continue
        found = moment.words.sentence("remind", person=record.by_id)
        thought, keys = moment.thought("think.remind", person=record.by_id)
        if found is not None:
            used = (found.key, *keys, moment.key(f"reminded:{record.fact_id}"))
            action = moment.action(RECALL.name, record.by_id)
            yield PossibleAct(found.text, 4, ("question",), thought=thought, action=action, keys=used)


def _is_fresh(promise: Recorded, moment: Moment) -> bool:
    """Tell whether it was given in this turn, or not long ago as far as the character remembers."""
    given = moment.given
    if any(promise.fact_id in outcome.fact_ids for outcome in given.outcomes):
        return True
    by = given.names.get(promise.by_id, "")
    lately = [remember for remember in given.remembers if given.minutes - remember.minute < _A_WHILE]
    return any(memory.content.startswith(by) and "promise" in memory.content for memory in lately)


_ME, _OTHERS = frozenset(("me", "us", "i", "my")), frozenset(("he", "she", "they", "it"))


@cache
def _recorded_words() -> Mapping[str, tuple[str, str]]:
    """Return the words that ask after the record, each with what it asks for and the first of its words."""
    return {
        word: (about, words[0])
        for syntax in syntaxes()
        if syntax.recorded is not None
        for about, words in [syntax.recorded]
        for word in words
    }


def _read_claim(ctx: ParseContext, words: str, put_to: PhraseMatch | None, spoken: Sequence[Word]) -> Reading | None:
    """Read `you promised me the key`, `that's my umbrella`: the addressee is held to it, or without one the person
    named, if they are here. None for words that claim nothing.
    """
    said = " ".join(word.text for word in spoken if word.kind in ("word", "speech"))
    claim = claim_in(said)
    if claim is None:
        return None
    named = [
        exact(said_name, ctx.nouns.people) for said_name in (claim.by, claim.to) if said_name not in ("", "i", "you")
    ]
    is_of_another = claim.by == "i" and _TOLD_ANOTHER.search(said) is not None
    if (claim.by not in ("i", "you") and not any(named)) or is_of_another:
        # What somebody else said, or was told, is news, or a question about them.
        return None
    who = put_to or next(filter(None, named), None) or only_person(ctx)
    if who is None:
        lines = [f"{typeable(person.name)}, {said}" for person in ctx.nouns.people]
        return asking(words, "To whom do you say that?", lines) if lines else None
    metadata: dict[str, Any] = {"topic": said[:MAX_WORDS].strip()}
    if claim.kind in ("promised", "owes"):
        metadata["about"] = claim.kind
    if claim.by == "i":
        metadata["by"] = "you"
    return acting(ctx, RECALL.name, f"hold {who.label} to it: {said[:80]}", target=who, metadata=metadata)


_TOLD_ANOTHER = re.compile(r"\btold (?!you\b)", re.IGNORECASE)


def _read_record(ctx: ParseContext, words: str, asked: PhraseMatch | None, spoken: Sequence[Word]) -> Reading | None:
    """Read `what did you promise me`, `what do I owe you`, `what did I promise viktor`; None for any other question."""
    low = [word for word in lows(spoken) if word]
    verb = next((word for word in low if word in _recorded_words()), None)
    if verb is None or not low or low[0] not in ("what", "what's", "did", "do", "how", "whom", "who", "about", "if"):
        return None
    at = low.index(verb)
    about, question = _recorded_words()[verb]
    if (low[0] in ("who", "whom") or about == "owes") and not _ME & set(low):
        # What somebody owes to others is no matter between the two.
        return None
    if _OTHERS & set(low[:at]) and not _ME & set(low):
        # What she owes or promised is asked about, and not what the two said.
        return None
    by = "you" if _ME & set(low[:at]) else "them"
    after = low[at + 1 : -1] if low[-1] == "with" else low[at + 1 :]
    named = exact(" ".join(after), ctx.nouns.people) or _named_before(ctx, low[:at])
    who = named or asked or only_person(ctx)
    if who is None:
        phrase = f"what did I {question} you" if by == "you" else f"what did you {question} me"
        return asking(words, "Whom do you ask?", [f"{typeable(person.name)}, {phrase}" for person in ctx.nouns.people])
    metadata: dict[str, Any] = {"about": about, **({"by": "you"} if by == "you" else {})}
    return acting(ctx, RECALL.name, f"ask {who.label} what was {about}", target=who, metadata=metadata)


def _named_before(ctx: ParseContext, low: Sequence[str]) -> PhraseMatch | None:
    for start in range(len(low)):
        for end in range(len(low), start, -1):
            found = exact(" ".join(low[start:end]), ctx.nouns.people)
            if found:
                return found
    return None


RECALL = Verb(
    name="recall",
    rank=100,
    summary="hold somebody to what was said, promised or is owed between the two",
    condition="the person is here",
    remembered="that somebody was reminded",
    lines={"remind": "ask {person} what they promised me"},
    rule_lines=lambda names: names.done("recall"),
    tried="recall what was said",
    is_claim=True,
    metadata=RecallMetadata,
    aim="person",
    needs=("target",),
    requires=why_not_to_somebody,
    does=_recall,
    is_speech=True,
    sights=seen("{actor} reminded {target} of what was said between them", 2),
    note="let {target} say what stands between them",
    parts=(
        Syntax(claim=_read_claim, record=_read_record, recorded=("owes", ("owe", "owes", "owed"))),
        Aim(60, _remind),
        Telling(of_others=_tell_recall_of_others, codes={"recalled": _tell_recall}, after=after_talk()),
    ),
)

VERBS = (RECALL,)
