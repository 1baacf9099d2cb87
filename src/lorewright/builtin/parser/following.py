"""What one clause of a line changes for the next: who and what was mentioned, what is carried now, where one stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lorewright.builtin.parser.clauses import Syntax
from lorewright.builtin.parser.noun_phrases import Candidate, Nouns, nouns_of
from lorewright.builtin.parser.readings import ParseContext, Reading
from lorewright.rules.actions import Action
from lorewright.rules.verbs import verb_of, verbs
from lorewright.values.scope import Scope


def remembered(ctx: ParseContext, reading: Reading) -> ParseContext:
    """Return the context for the next clause: pronouns refer to what this one mentioned."""
    for candidate in reading.mentioned:
        if candidate.kind == "person":
            ctx = replace(ctx, person=candidate)
        elif candidate.kind in ("thing", "door"):
            ctx = replace(ctx, thing=candidate, prose_noun="")
    for action in reading.actions:
        ctx = replace(ctx, prose_noun=str(action.metadata.get("detail") or ctx.prose_noun))
        verb = verbs().get(action.type)
        hearer = next((person for person in ctx.nouns.people if person.id == action.target_id), None)
        if verb is not None and verb.is_speech and hearer is not None:
            ctx = replace(ctx, listener=hearer, topic=action.words if verb.reply == "answer" else ctx.topic)
    return ctx


def led_on(ctx: ParseContext, reading: Reading, ahead: Mapping[str, Scope]) -> ParseContext:
    """Return the context for what is done after a reading: what was taken is carried, what was put down lies here. At
    another place who and what is there is meant, as far as its scope is known; what its prose shows is not."""
    nouns = ctx.nouns
    for action in reading.actions:
        nouns = _with_hands(nouns, action)
    places = [action.location_id for action in reading.actions if action.location_id is not None]
    if not places:
        return replace(ctx, nouns=nouns)
    there = ahead.get(places[-1])
    if there is None:
        left = tuple(person for person in nouns.people if person not in nouns.known_people)
        nouns = replace(nouns, people=(), known_people=(*nouns.known_people, *left), here=(), doors=())
    else:
        nouns = replace(nouns_of(there), carried=nouns.carried)
    nouns = replace(nouns, scenery=(), prose_words=(), knows_scenery=False)
    # Who was left behind is not spoken with any more.
    listener = ctx.listener if ctx.listener in nouns.people else None
    person = ctx.person if ctx.person in nouns.people or ctx.person not in ctx.nouns.people else None
    return replace(ctx, nouns=nouns, listener=listener, person=person, topic=ctx.topic if listener else "")


def _with_hands(nouns: Nouns, action: Action) -> Nouns:
    """Return the scope with a thing in hand that was picked up, or no longer in hand that was put down or given."""
    verb = verb_of(action.type)
    syntax = None if verb is None else verb.part(Syntax)
    if syntax is None or not (syntax.is_picking_up or syntax.is_putting_down or syntax.is_handing_over):
        return nouns
    thing_id = action.item_id if syntax.is_handing_over else action.target_id
    here, carried = _without(nouns.here, thing_id), _without(nouns.carried, thing_id)
    moved = tuple(thing for thing in nouns.things if thing.id == thing_id)
    if syntax.is_picking_up:
        return replace(nouns, here=here, carried=(*carried, *moved))
    return replace(nouns, here=here if syntax.is_handing_over else (*here, *moved), carried=carried)


def _without(things: tuple[Candidate, ...], thing_id: str | None) -> tuple[Candidate, ...]:
    return tuple(thing for thing in things if thing.id != thing_id)
