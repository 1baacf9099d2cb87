"""A small world for tests: three places, a player and three people, a door and its key, things, a clock.

The bar is where it starts: Viktor (who carries the key) and Mara are there, three coins lie on the counter. A
locked door leads to the alley, a street to the pier, where the unit lies. Chen waits offstage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lorewright.campaigns.scenarios.rulesets import load_ruleset
from lorewright.ids import canonical_json
from lorewright.rules.actions import Action, Attempt, GroundedItem, Grounding
from lorewright.rules.dice import Dice, FixedDice
from lorewright.rules.patch import Resolution, Roll
from lorewright.rules.resolve import resolve
from lorewright.rules.rulesets import ActionType, Band, CampaignRules, Rule, Ruleset
from lorewright.rules.validate import validate
from lorewright.rules.verbs import verbs
from lorewright.world.apply import apply
from lorewright.world.ops import StateOp
from lorewright.world.schemas import plain
from lorewright.world.state import OFFSTAGE, Clock, Door, Entity, Exit, Scene, Thread, WorldState

JO, VIKTOR, MARA, CHEN = "town:jo", "town:viktor", "town:mara", "town:chen"
BAR, ALLEY, PIER = "town:bar", "town:alley", "town:pier"
DOOR, KEY, COIN, UNIT, CARD = "town:steel_door", "town:key", "town:coin", "town:unit", "town:card"
HEAT, DOOM, JIN = "heat", "doom", "find_jin"

PIER_9 = "town:viktor:knows#pier9"
GOSSIP = "town:viktor:knows#gossip"
DEBT = "town:viktor:withholds#debt"
LEDGER = "town:bar:discoverable#ledger"
STAIN = "town:bar:discoverable#stain"


def person(entity_id: str, name: str, **fields: Any) -> Entity:
    """Somebody who is not the player."""
    return Entity(id=entity_id, type="npc", name=name, **fields)


def entities() -> dict[str, Entity]:
    """Everyone and everything of the small world."""
    made = [
        Entity(id=JO, type="player", name="Jo", traits={"charm": 1}),
        person(VIKTOR, "Viktor", pronoun="he"),
        person(MARA, "Mara", pronoun="she"),
        person(CHEN, "Agent Chen"),
        Entity(id=BAR, type="location", name="the Neon Dragon"),
        Entity(id=ALLEY, type="location", name="back alley"),
        Entity(id=PIER, type="location", name="Pier 9"),
        Entity(id=DOOR, type="door", name="steel door"),
        Entity(id=KEY, type="item", name="steel key"),
        Entity(id=COIN, type="item", name="coin"),
        Entity(id=UNIT, type="item", name="comm unit"),
        Entity(id=CARD, type="item", name="business card"),
    ]
    return {entity.id: entity for entity in made}


def small_world(**changed: Any) -> WorldState:
    """The state at the start; fields can be given otherwise."""
    fields: dict[str, Any] = {
        "player_id": JO,
        "scene": Scene(location_id=BAR),
        "entities": entities(),
        "exits": {
            BAR: (Exit(name="door", to=ALLEY, via=DOOR), Exit(name="street", to=PIER, minutes=5)),
            ALLEY: (Exit(name="door", to=BAR, via=DOOR),),
            PIER: (Exit(name="street", to=BAR, minutes=5),),
        },
        "doors": {DOOR: Door(locked=True, key_id=KEY)},
        "positions": {JO: BAR, VIKTOR: BAR, MARA: BAR, CHEN: OFFSTAGE},
        "inventory": {JO: {CARD: 1}, VIKTOR: {KEY: 1}, BAR: {COIN: 3}, PIER: {UNIT: 1}},
        "clocks": {HEAT: Clock(id=HEAT, name="Heat", max=6), DOOM: Clock(id=DOOM, name="Doom", max=4)},
        "threads": {JIN: Thread(id=JIN, title="Where is Jin?")},
        "visits": {BAR: 1},
    }
    return WorldState(**{**fields, **changed})


def as_json(value: Any) -> str:
    """A value in canonical JSON, which tells `true` from 1 as Python does not."""
    return canonical_json(plain(value))


def after(state: WorldState, *ops: StateOp) -> WorldState:
    """The state after ops that must fit."""
    applied = apply(state, ops)
    assert applied.refusal is None, applied.refusal
    return applied.state


def ruleset(costs: Mapping[str, Mapping[str, int]] | None = None) -> Ruleset:
    """Two dice, four bands, every action and no check of its own; costs per type where given."""
    minutes = dict.fromkeys(verbs(), 0) | {"ask": 2, "take": 1, "search": 10, "wait": 15, "persuade": 3, "use": 1}
    return Ruleset(
        id="testing",
        name="Testing",
        profile="freeform",
        summary="For tests.",
        rulebook_text="For tests.",
        dice="2d6",
        bands=(
            Band(name="critical", minimum=12),
            Band(name="success", minimum=10),
            Band(name="mixed", minimum=7),
            Band(name="fail", minimum=-99),
        ),
        actions={
            kind: ActionType(summary=kind, minutes=spent, costs=(costs or {}).get(kind, {}))
            for kind, spent in minutes.items()
        },
    )


def freeform_rules(*rules: Mapping[str, Any], **fields: Any) -> CampaignRules:
    """The ruleset that ships, checks and all, with rules as an author writes them."""
    shipped, _ = load_ruleset("freeform")
    return campaign_rules(*rules, ruleset=shipped, **fields)


class SteadyDice:
    """Dice that always come to the same total, however often they are thrown."""

    def __init__(self, total: int) -> None:
        self._total = total

    def roll(self, expression: str, *, purpose: str, actor_id: str, modifier: int = 0) -> Roll:
        """The total, modifiers included."""
        return FixedDice([self._total]).roll(expression, purpose=purpose, actor_id=actor_id, modifier=modifier)


def campaign_rules(*rules: Mapping[str, Any], **fields: Any) -> CampaignRules:
    """Rules as an author writes them, with the ruleset for tests; a rule without an ID is named by place."""
    named = [Rule.model_validate({"id": f"rule{number}", **rule}) for number, rule in enumerate(rules)]
    return CampaignRules.model_validate({"ruleset": ruleset(), "rules": named, **fields})


def grounded(item_id: str) -> GroundedItem:
    """An item by its ID, which says its role and its holder: `town:viktor:knows#pier9`."""
    pack, entity, section = item_id.partition("#")[0].split(":")
    return GroundedItem.model_validate(
        {"id": item_id, "role": section, "holder_id": f"{pack}:{entity}"},
    )


def attempt(
    kind: str,
    target: str | None = None,
    *,
    actor: str = JO,
    to: str | None = None,
    items: Sequence[str] = (),
    topics: Sequence[str] = (),
    **metadata: Any,
) -> Attempt:
    """What somebody tries, with the items and topics that their words were matched to."""
    action = Action(actor_id=actor, type=kind, target_id=target, location_id=to, metadata=metadata)
    return Attempt(action=action, grounding=Grounding(items=tuple(map(grounded, items)), topics=tuple(topics)))


def go(to: str) -> Attempt:
    """Try to go to a place."""
    return attempt("go", to=to)


def play(
    *attempts: Attempt,
    state: WorldState | None = None,
    rules: CampaignRules | None = None,
    dice: Dice | None = None,
) -> Resolution:
    """Validate and resolve a turn; the small world, no rules and no dice where none are given."""
    state, rules = state or small_world(), rules or campaign_rules()
    return resolve(attempts, validate(attempts, state, rules), state, rules, dice or FixedDice([]))


def event_types(resolution: Resolution) -> list[str]:
    """What kinds of events happened, in order."""
    return [event.type for event in resolution.events]
