"""Scenario and packs -> how readily each of the cast acts of their own accord, what for, and the acts that their author
wrote, with every name looked up. What the scenario says goes before what an npc's file says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from lorewright.campaigns.names import PLAYER_NAMES, Names
from lorewright.campaigns.scenario import Scenario
from lorewright.campaigns.scenario_cast import ScenarioAct, ScenarioCast
from lorewright.index.generation import Generation
from lorewright.packs.schemas import OwnWill, own_will
from lorewright.retrieval.overrides import told_entity
from lorewright.rules.actions import ANYBODY, AuthoredAct, CastRule, Deed, takes
from lorewright.rules.rulesets import Ruleset

# What an act of a type must name, of the keys of a `do`. What is not here names what it likes.
_ALL_OF: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "go": ("to",),
        "give": ("target", "item"),
        "take": ("target",),
        "drop": ("target",),
        "ask": ("target", "topic"),
        "tell": ("target",),
        "promise": ("target", "topic"),
        **dict.fromkeys(("persuade", "threaten", "attack", "recall"), ("target",)),
        **dict.fromkeys(("open", "close", "lock", "unlock"), ("target",)),
        "attempt": ("topic",),
    }
)
# Acts that are aimed at somebody, and those that name a place.
_AT_PEOPLE = frozenset({"give", "ask", "tell", "promise", "persuade", "threaten", "attack", "recall"})
_TO_PLACES = frozenset({"go", "sneak"})


def cast_of(
    scenario: Scenario, ruleset: Ruleset, names: Names, generations: Sequence[Generation]
) -> dict[str, CastRule]:
    """By ID, in the order of the scenario; whoever is as anybody would be is in it not at all. What is wrong with an
    act is noted in `names`, where it stands."""
    checked = _Acts(scenario, ruleset, names)
    found = {}
    for key, one in scenario.cast.items():
        who = names.entity(key, where=f"cast.{key}")
        source = told_entity(who, generations)
        written = own_will(source.attrs) if source is not None and source.type == "npc" else OwnWill()
        rule = _rule(scenario.goals.get(key, ""), one, written, tuple(checked.of(key, one)))
        if rule != ANYBODY:
            found[who] = rule
    return found


def _rule(goal: str, one: ScenarioCast, written: OwnWill, acts: tuple[AuthoredAct, ...]) -> CastRule:
    baked = one.baked if one.baked is not None else written.baked
    said = (value for value in (one.chattiness, written.chattiness) if value is not None)
    return CastRule(
        goal=goal or written.agenda,
        baked=bool(baked),
        chattiness=next(said, ANYBODY.chattiness),
        acts=acts,
    )


class _Acts:
    """Looks up and checks what authors write for people to do."""

    def __init__(self, scenario: Scenario, ruleset: Ruleset, names: Names) -> None:
        self._scenario = scenario
        self._ruleset = ruleset
        self._names = names

    def of(self, key: str, one: ScenarioCast) -> Iterator[AuthoredAct]:
        """The acts of one of the cast, in their order."""
        known: set[str] = set()
        for number, act in enumerate(one.acts, start=1):
            where, act_id = f"cast.{key}.acts.{number}", act.id or f"act_{number}"
            if act_id in known:
                self._names.problems.append(f"{where}: there is an act {act_id} before it")
            known.add(act_id)
            self._names.problems.extend(f"{where}: {wrong}" for wrong in self._wrong(act.do))
            yield self._resolved(act, act_id, where)

    def _resolved(self, act: ScenarioAct, act_id: str, where: str) -> AuthoredAct:
        do = act.do
        meant = Deed(
            type=do.type,
            target=None if do.target is None else self._names.entity_or_you(do.target, where=where),
            to=None if do.to is None else self._names.entity(do.to, where=where),
            item=self._item(do, where),
            topic=do.topic,
            whisper=do.whisper,
        )
        bare = AuthoredAct(id=act_id, when=act.when, do=Deed(type=do.type), once=act.once)
        told = {"do": meant, "say": act.say, "thought": act.thought}
        return self._names.resolved(bare, where=where).model_copy(update=told)

    def _item(self, do: Deed, where: str) -> str | None:
        if do.item is None:
            return None
        if do.lore_item is not None:
            return self._names.item(do.lore_item, where=where)
        return self._names.entity(do.item, where=where)

    def _wrong(self, do: Deed) -> Iterator[str]:
        """What only a turn would find out otherwise."""
        if do.type not in self._ruleset.actions:
            yield f"there is no act {do.type} (there are {', '.join(self._ruleset.actions)})"
            return
        for missing in [key for key in _ALL_OF.get(do.type, ()) if not getattr(do, key)]:
            yield f"to {do.type} somebody needs `{missing}`"
        if do.type == "tell" and not (do.item or do.topic):
            yield "to tell somebody needs `item`, what is known, or `topic`, the words"
        if do.type == "use" and not (do.item or do.target):
            yield "to use somebody needs `item` or `target`"
        yield from self._idle(do)
        if do.type in _AT_PEOPLE and do.target and do.target not in (*self._scenario.cast, *PLAYER_NAMES):
            yield f"{do.target} is not in the cast (nor you)"
        if do.to and do.to not in self._scenario.places:
            yield f"{do.to} is not among the places"

    def _idle(self, do: Deed) -> Iterator[str]:
        """Keys that say nothing of such an act."""
        if do.to and do.type not in _TO_PLACES:
            yield f"`to` is where one goes; to {do.type} needs none"
        if do.item and do.type != "tell" and not takes(do.type, "item_id"):
            yield f"nothing goes along where somebody does {do.type}: leave `item` out"
        if do.whisper and do.type not in _AT_PEOPLE:
            yield f"nothing is whispered where somebody does {do.type}: leave `whisper` out"
