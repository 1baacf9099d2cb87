"""NpcIntentInput -> the variables of the prompt of a character's intent: what it may name, what it knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from lorewright.ids import local
from lorewright.rules.actions import takes
from lorewright.turn.stages.standing import (
    concerns_in_words,
    memory_in_words,
    recorded_in_words,
    toward_in_words,
    witnessed_in_words,
)
from lorewright.turn.stages.variables import (
    CLAIMED,
    NOBODY,
    CharsVariables,
    CharVariables,
    LoreVariables,
    MessageVariables,
    PlayerVariables,
    PromptContext,
    in_words,
    message_variables,
    state_variables,
)
from lorewright.values.proposals import KnownItem, NpcIntentInput, Toward
from lorewright.values.scope import Named
from lorewright.world.frozen import Frozen

# The most topics and claims that are listed: a prompt of a small model is a page.
_TOPICS = 30
_CLAIMS = 6
# The fields that an action may take besides its target and place.
_ALONG = (("item_id", "item_id (a thing)"), ("lore_item_id", "item_id (what you know)"))
_WORDS = ("topic", "detail", "verb")
# How far a character goes against the player, by the steps of the state.
_ESCALATION = ("", "with words, no further", "by force", "to the death")


class IntentKind(Frozen):
    """A type of action, and what it takes besides its target and place."""

    type: str
    takes: str = ""


class Listed(Frozen):
    """An entity that an action can name, by its ID."""

    id: str
    name: str


class KnownLine(Frozen):
    """A lore item that a character knows; `kept_back` if it tells nobody, `told_to` who of those here has it."""

    id: str
    text: str
    kept_back: bool = False
    told_to: str = ""


class ClaimLine(Frozen):
    """A claim of the player, and whether it holds."""

    text: str
    holds: bool = False


class Choice(Frozen):
    """An authored act that the character could do now."""

    id: str
    text: str


class NpcIntentContext(PromptContext):
    """The variables of a character's intent: it reflects on what happened and says what it does next. `msgs` are
    narrations that it witnessed, its own intentions and thoughts, `observations` what it remembers with its weight,
    best first, `recorded` promises, threats and debts between it and those who are there, `concerns` the open questions
    that it is part of; nothing that it does not know. `resolved_outcome` is what it saw happen, in the third person.
    `escalation` is how far it goes against the player. The lists are all that an action may name; `lore` is what it
    knows and may tell, in one text."""

    stable: ClassVar[tuple[str, ...]] = (
        *("char", "player_name", "player", "stat_block", "goal", "kinds", "tone", "stakes"),
    )

    player_name: str = NOBODY
    player: PlayerVariables = PlayerVariables()
    char: CharVariables
    stat_block: str = ""
    goal: str = ""
    kinds: tuple[IntentKind, ...] = ()
    place: str = ""
    scene_state: str = ""
    situations: tuple[str, ...] = ()
    tone: str = ""
    stakes: str = ""
    chars: CharsVariables = CharsVariables()
    people: tuple[Listed, ...] = ()
    here: tuple[Listed, ...] = ()
    carried: tuple[Listed, ...] = ()
    doors: tuple[Listed, ...] = ()
    exits: tuple[Listed, ...] = ()
    topics: tuple[Listed, ...] = ()
    known: tuple[KnownLine, ...] = ()
    choices: tuple[Choice, ...] = ()
    claims: tuple[ClaimLine, ...] = ()
    conditions: str = ""
    lore: LoreVariables = LoreVariables()
    observations: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()
    concerns: tuple[str, ...] = ()
    escalation: str = ""
    summary: tuple[str, ...] = ()
    msgs: tuple[MessageVariables, ...] = ()
    resolved_outcome: str = ""


def npc_intent_context(given: NpcIntentInput) -> NpcIntentContext:
    """Return the variables of a character's intent: its input, with names for IDs."""
    me, scope = given.me, given.scope
    return NpcIntentContext(
        player_name=given.player_name or NOBODY,
        char=CharVariables(
            name=me.name, description=_described(given), states=state_variables(me.states, latent=False)
        ),
        stat_block=in_words(me.stat_block) if me.stat_block else "",
        goal=me.goal,
        kinds=tuple(IntentKind(type=kind, takes=_takes(kind)) for kind in given.verbs),
        place=given.place_name,
        scene_state="\n".join(given.scene_in_words) or (in_words(given.scene_state) if given.scene_state else ""),
        situations=given.situations,
        tone=given.tone,
        stakes=given.stakes,
        chars=CharsVariables(summary="\n".join(_people(given))),
        people=_listed(scope.people),
        here=_listed(scope.here),
        carried=_listed(scope.carried),
        doors=_listed(scope.doors),
        exits=tuple(
            Listed(id=way.to, name=f"{way.name}, to {way.to_name}" if way.to_name else way.name) for way in scope.exits
        ),
        topics=_listed(scope.topics[:_TOPICS]),
        known=tuple(_known(item, given) for item in given.knows),
        choices=tuple(Choice(id=act.id, text=_choice(act.say, act.do.type, act.do.topic)) for act in given.acts),
        claims=tuple(_claims(given)),
        conditions=", ".join(me.conditions),
        lore=LoreVariables(text="\n".join(f"- {item.text}" for item in given.knows if not item.kept_back)),
        observations=tuple(memory_in_words(remember, given.names) for remember in given.remembers),
        recorded=recorded_in_words(given.recorded, me.id, given.names),
        concerns=concerns_in_words(given.concerns, given.names),
        escalation=_ESCALATION[min(me.escalation, len(_ESCALATION) - 1)],
        summary=given.summary,
        msgs=message_variables(
            given.messages,
            lambda who: me.name if who == me.id else given.names.get(who) or local(who).replace("_", " "),
            told_to=given.player_name or NOBODY,
        ),
        resolved_outcome="\n".join(witnessed_in_words(outcome, given.names) for outcome in given.outcomes),
    )


def _described(given: NpcIntentInput) -> str:
    me = given.me
    profile = [f"{key.replace('_', ' ')}: {in_words(value)}" for key, value in sorted(me.profile.items())]
    lines = [
        *([me.introduction] if me.introduction else []),
        *profile,
        *(line.text for line in me.disposition),
        *(f"Can: {capability}" for capability in me.capabilities),
    ]
    lines += [f"What moves you, which you keep to yourself: {reason}" for reason in me.motivation]
    return "\n".join(lines)


def _people(given: NpcIntentInput) -> Iterator[str]:
    stands = {toward.who: toward for toward in given.toward}
    for person in given.scope.people:
        whom = " (the player's character)" if person.id == given.player_id else ""
        yield f"- {person.name}{whom}: {toward_in_words(stands.get(person.id, Toward(who=person.id)))}"


def _listed(named: Iterable[Named]) -> tuple[Listed, ...]:
    return tuple(Listed(id=entity.id, name=entity.name) for entity in named)


def _known(item: KnownItem, given: NpcIntentInput) -> KnownLine:
    told_to = ", ".join(given.names.get(who, who) for who in item.told_to)
    return KnownLine(id=item.id, text=item.text, kept_back=item.kept_back, told_to=told_to)


def _choice(say: tuple[str, ...], kind: str, topic: str) -> str:
    return " ".join(say) or f"{kind} {topic}".strip()


def _claims(given: NpcIntentInput) -> Iterator[ClaimLine]:
    for claim in given.claims[:_CLAIMS]:
        by, to = (
            "you" if claim.get(key) == given.me.id else given.names.get(str(claim.get(key)), "somebody")
            for key in ("by", "to")
        )
        said = CLAIMED[claim["kind"]].format(by=by, to=to, what=claim.get("what", ""))
        yield ClaimLine(text=said, holds=bool(claim.get("holds")))


def _takes(kind: str) -> str:
    """Return the fields of a flat action that a type takes: words, a thing, an item that is known."""
    along = [text for field, text in _ALONG if takes(kind, field)]
    words = ["words"] if any(takes(kind, field) for field in _WORDS) else []
    whisper = ["whisper"] if takes(kind, "whisper") else []
    return ", ".join([*words, *along, *whisper])
