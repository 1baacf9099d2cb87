"""What one clause of a line changes for the next: who and what was mentioned, what is carried now, where one stands."""

from __future__ import annotations

from dataclasses import replace

from lorewright.builtin.parser.clauses import Syntax
from lorewright.builtin.parser.noun_phrases import Candidate, Nouns
from lorewright.builtin.parser.readings import ParseContext, Reading
from lorewright.rules.actions import Action
from lorewright.rules.verbs import verb_of, verbs


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


def led_on(ctx: ParseContext, reading: Reading) -> ParseContext:
    """Return the context for what is done after a reading: what was taken is carried, what was put down lies here, and
    elsewhere what the prose shows is not known yet."""
    nouns = ctx.nouns
    for action in reading.actions:
        nouns = _with_hands(nouns, action)
    if any(action.location_id is not None for action in reading.actions):
        nouns = replace(nouns, scenery=(), knows_scenery=False)
    return replace(ctx, nouns=nouns)


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
