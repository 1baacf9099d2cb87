"""A scenario's rules and packs -> the moves in it: what it takes, what it brings, what a player types for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from lorewright.ids import local
from lorewright.index.generation import Generation
from lorewright.packs.models import WhenClock, WhenPart, WhenThread
from lorewright.retrieval.view import generations_in_force
from lorewright.rules.aiming import cost_clock
from lorewright.rules.effects import Effect
from lorewright.rules.rulesets import BandName, Rule
from lorewright.scene_lore.gather import gather_person, gather_place
from lorewright.scene_lore.models import SceneItem
from lorewright.values.entries import lore_conditions
from lorewright.world.state import OFFSTAGE, WorldState
from support.condition_atoms import ALWAYS, Formula, added, alternatives, formula, gauge, ticked
from support.distance_estimate import Move
from support.dry_run import DryRun
from support.typed_lines import phrases, rule_lines, searches, the

_BANDS: tuple[BandName, ...] = ("success", "mixed", "critical", "fail")
_LONGEST_WAIT = 480


class Board:
    """What the moves are made from: the state that a campaign begins with, its rules, the items of its packs."""

    def __init__(self, run: DryRun, start: WorldState) -> None:
        self.rules = run.rules
        self.start = start
        self.people = tuple(
            sorted(one.id for one in start.entities.values() if one.type == "npc" and one.id in start.positions)
        )
        self.places = tuple(start.exits)
        self._when = dict(_conditions(run.generations))
        self._in_force = (
            generations_in_force(run.generations),
            generations_in_force(run.generations, lore_conditions(start)),
        )
        self._put = {
            (atom[1], atom[2]) for effects in self._all_effects() for atom in added(effects, "") if atom[0] == "lies"
        }
        self.found_at = {place: self._discoverable(place) for place in self.places}
        # What somebody of the cast keeps back.
        self.withheld: frozenset[str] = frozenset()
        self.known_by = {who: self._told_by(who) for who in self.people}

    def _discoverable(self, place: str) -> tuple[SceneItem, ...]:
        items = chain.from_iterable(gather_place(ones, place).discoverable for ones in self._in_force)
        return tuple({item.id: item for item in items}.values())

    def _told_by(self, who: str) -> tuple[SceneItem, ...]:
        briefings = [gather_person(ones, who).briefing for ones in self._in_force]
        kept_back = [item for one in briefings for item in one.withholds]
        self.withheld |= {item.id for item in kept_back}
        items = [*(item for one in briefings for item in one.knows), *kept_back]
        return tuple({item.id: item for item in items}.values())

    def when(self, item: SceneItem) -> Formula:
        """What must hold for an item to be there."""
        return ("all", *self._when.get(item.id, ()), *self._when.get(item.chunk_id, ()))

    def name(self, entity_id: str) -> str:
        """What a player calls somebody or something."""
        return self.start.name_of(entity_id)

    def moves(self) -> list[Move]:
        """Every move that there is."""
        return [
            *self._ways(),
            *self._doors(),
            *self._things(),
            *(
                self._asked(who, item)
                for who in self.people
                for item in self.known_by[who]
                if item.id not in self.withheld
            ),
            *(self._searched(place, item) for place in self.places for item in self.found_at[place]),
            *(self._happening(("learned", item), effects) for item, effects in self.rules.on_find.items()),
            *(move for rule in self.rules.rules for move in self._ruled(rule)),
            *(
                self._happening(("clock", clock, value), effects)
                for clock, at in self.rules.clock_effects.items()
                for value, effects in at.items()
            ),
            *(
                Move(formula(ending.when), (("ended", ending.id),))
                for ending in self.rules.endings
                if ending.when is not None
            ),
            *self._departed(),
            *self._waits(),
            *self._timers(),
            *self._blunders(),
        ]

    def _ways(self) -> Iterator[Move]:
        for place, ways in self.start.exits.items():
            for way in ways:
                door = self.start.doors.get(way.via or "")
                needs: Formula = ("at", place)
                if door is not None and door.shut_bars:
                    needs = ("all", needs, ("ajar", way.via))
                elif door is not None:
                    needs = ("all", needs, self._turned(way.via or "", place))
                adds = (("at", way.to), ("away", place), ("visited", way.to))
                yield Move(needs, adds, lines=_lines(f"go {way.name}", f"go to {self.name(way.to)}"))

    def _turned(self, door_id: str, place: str) -> Formula:
        """That a door is not locked, or can be unlocked from a place."""
        door = self.start.doors[door_id]
        key = () if door.key_id is None else (("has", door.key_id),)
        return ALWAYS if door.bolt_at == place else ("any", ("open", door_id), *key)

    def _doors(self) -> Iterator[Move]:
        """Whoever opens a door unlocks it too."""
        for place, ways in self.start.exits.items():
            for way in ways:
                door = self.start.doors.get(way.via or "")
                if door is not None and way.via is not None and door.shut_bars:
                    needs = ("all", ("at", place), self._turned(way.via, place))
                    adds = (("ajar", way.via), ("open", way.via))
                    yield Move(needs, adds, lines=_lines(f"open {the(self.name(way.via))}"))

    def _things(self) -> Iterator[Move]:
        """A thing can be taken wherever it may come to lie."""
        places = dict.fromkeys((*self.places, *sorted(place for _, place in self._put)))
        for thing in (one for one in self.start.entities.values() if one.type == "item"):
            for place in places:
                if thing.id in self.start.held_by(place) or (thing.id, place) in self._put:
                    needs = ("all", ("lies", thing.id, place), ("at", place))
                    yield Move(needs, (("has", thing.id),), lines=_lines(f"take {the(thing.name)}"))
            yield Move(("has", thing.id), (("lacks", thing.id),), lines=_lines(f"drop {the(thing.name)}"))

    def _departed(self) -> Iterator[Move]:
        for effects in self._all_effects():
            for atom in added(effects, self.start.player_id):
                if atom[0] == "stands" and atom[2] != OFFSTAGE:
                    yield Move(("all", atom, ("at", atom[2])), (("present", atom[1]),))

    def _all_effects(self) -> Iterator[tuple[Effect, ...]]:
        yield from self.rules.on_find.values()
        yield from (effects for at in self.rules.clock_effects.values() for effects in at.values())
        for rule in self.rules.rules:
            yield from (rule.critical, rule.success, rule.mixed, rule.fail)

    def _asked(self, who: str, item: SceneItem) -> Move:
        lines = [f"ask {self.name(who)} about {phrase}" for phrase in phrases(item)]
        needs = ("all", ("present", who), self.when(item))
        return Move(needs, (("learned", item.id),), lines=_lines(*lines), bands=_BANDS, item=item.id)

    def _searched(self, place: str, item: SceneItem) -> Move:
        needs = ("all", ("at", place), self.when(item))
        return Move(needs, (("learned", item.id),), lines=_lines(*searches(item)), bands=_BANDS, item=item.id)

    def _happening(self, needs: Formula, effects: Sequence[Effect]) -> Move:
        return Move(needs, tuple(added(effects, self.start.player_id)), ticked(effects))

    def _ruled(self, rule: Rule) -> Iterator[Move]:
        """A move an act and band, each with the effects of that band; what the ruleset makes of a check comes on top."""
        bands: dict[BandName, tuple[Effect, ...]] = {"success": rule.success}
        if rule.check is not None:
            bands |= {"critical": rule.critical, "mixed": rule.mixed, "fail": rule.fail}
        follows = self.rules.ruleset.consequences if rule.check is not None else {}
        told = self.known_by.get(rule.on.target or "", ())
        for act in rule.on.acts:
            items = self._items_of(rule, act)
            spent = ("unspent", rule.id) if rule.once else ALWAYS
            needs = ("all", self._trigger(rule, act, items), formula(rule.when), spent)
            lines = _lines(*rule_lines(rule, act, self.start, places=self.places, items=items, told=told))
            for band, effects in bands.items():
                if band != "critical" or effects:
                    adds = (*added(effects, self.start.player_id), ("fired", rule.id, band), ("by", rule.id, act))
                    ticks = ticked((*effects, *follows.get(band, ())))
                    yield Move(needs, adds, ticks, lines=lines, bands=(band,), rule=rule.id)
                    ways = alternatives(formula(rule.when))
                    for number, way in enumerate(ways if len(ways) > 1 else ()):
                        here = ("all", self._trigger(rule, act, items), way, spent)
                        adds = (("way", rule.id, number),)
                        yield Move(here, adds, lines=lines, bands=(band,), rule=rule.id)

    def _items_of(self, rule: Rule, act: str) -> list[SceneItem]:
        """The items that a rule's topic may name: of whom or where it is about; what one tells may be anybody's."""
        holders = [one for one in (rule.on.target, rule.on.at) if one is not None]
        if act == "tell" or (act == "search" and not holders):
            holders = [*self.people, *self.places]
        items = chain.from_iterable((*self.known_by.get(one, ()), *self.found_at.get(one, ())) for one in holders)
        return [item for item in items if item.name in rule.on.topics]

    def _trigger(self, rule: Rule, act: str, items: Sequence[SceneItem]) -> Formula:
        on = rule.on
        parts: list[Formula] = [] if on.at is None else [("at", on.at)]
        for one in filter(None, (on.target, on.item)):
            parts.append(self._reached(one, must_carry=one == on.item and act not in ("take", "look")))
        if items and act == "tell":
            # A word that stands for itself may be told without having learned anything.
            parts.append(
                ("any", *(("learned", item.id) for item in items))
                if any("_" in topic for topic in on.topics)
                else ALWAYS
            )
        elif items:
            parts.append(("any", *(self._offered(item, act) for item in items)))
        return ("all", *parts)

    def _offered(self, item: SceneItem, act: str) -> Formula:
        """Where an item can be found, for a search; and what must hold for it to be there."""
        places = [place for place, items in self.found_at.items() if item in items] if act == "search" else []
        return ("all", self.when(item), ("any", *(("at", place) for place in places)) if places else ALWAYS)

    def _reached(self, entity_id: str, *, must_carry: bool) -> Formula:
        """In sight, or in hand."""
        entity = self.start.entities.get(entity_id)
        if entity is None or entity.type in ("faction", "other"):
            return ALWAYS
        if entity.type == "npc":
            return ("present", entity_id)
        if entity.type == "location":
            near = [place for place, ways in self.start.exits.items() if any(way.to == entity_id for way in ways)]
            return ("any", *(("at", place) for place in (entity_id, *near)))
        if entity.type == "door":
            sides = [place for place, ways in self.start.exits.items() if any(way.via == entity_id for way in ways)]
            return ("any", *(("at", place) for place in sides))
        if must_carry:
            return ("has", entity_id)
        lying = (("all", ("lies", entity_id, place), ("at", place)) for place in self.places)
        return ("any", ("has", entity_id), *lying)

    def _waits(self) -> Iterator[Move]:
        wanted = {atom for rule in self.rules.rules for atom in _minutes(formula(rule.when))}
        wanted |= {atom for ending in self.rules.endings for atom in _minutes(formula(ending.when))}
        for atom in sorted(wanted):
            minutes = min(atom[1], _LONGEST_WAIT)
            yield Move(ALWAYS, (atom,), lines=_lines(f"wait {minutes} minutes"))

    def _timers(self) -> Iterator[Move]:
        """Numbers of the ruleset's scene that move with the time."""
        ruleset = self.rules.ruleset
        minutes = ruleset.actions["wait"].minutes if "wait" in ruleset.actions else 0
        ticks = tuple((gauge(path), by * minutes) for path, by in ruleset.timers.items() if by * minutes)
        if ticks:
            yield Move(ALWAYS, (), ticks, lines=_lines("wait"))

    def _blunders(self) -> Iterator[Move]:
        """What goes wrong by the ruleset's own checks counts on a clock, too."""
        clock = cost_clock(self.start)
        if clock is not None:
            lines = _lines(*(f"sneak to {self.name(place)}" for place in self.places))
            yield Move(ALWAYS, (), ((clock.id, 1),), lines=lines, bands=("fail", "mixed"))


def _conditions(generations: Iterable[Generation]) -> Iterator[tuple[str, tuple[Formula, ...]]]:
    """Item or chunk -> what its conditions ask for."""
    found: dict[str, tuple[Formula, ...]] = {}
    for generation in generations:
        for stored in generation.conditions():
            owner = stored.item_id or generation.chunks([stored.row])[stored.row].id
            parts = tuple(_part(part) for part in stored.when.parts)
            found[owner] = (*found.get(owner, ()), *parts)
    return iter(found.items())


def _part(part: WhenPart) -> Formula:
    if isinstance(part, WhenThread):
        return ("thread", part.thread, part.status)
    if isinstance(part, WhenClock):
        low: Formula = ALWAYS if part.min is None else ("clock", part.clock, part.min)
        return low if part.max is None else ("all", low, ("below", part.clock, part.max))
    return ("fact", part.fact, local(part.subject))


def _minutes(given: Formula) -> Iterator[Formula]:
    if given[0] in ("all", "any"):
        yield from chain.from_iterable(map(_minutes, given[1:]))
    elif given[0] == "minutes":
        yield given


def _lines(*lines: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))
