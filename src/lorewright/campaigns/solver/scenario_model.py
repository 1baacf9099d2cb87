"""A scenario's rules and packs, and a state -> the moves that there are: what each needs and adds, the lines for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations
from math import comb

from lorewright.campaigns.solver.atoms import ALWAYS, Atom, Formula, added, alternatives, formula, gauge, ticked
from lorewright.campaigns.solver.distances import SolverMove
from lorewright.campaigns.solver.goals import Goal, is_others_doing, is_players, openings
from lorewright.campaigns.solver.lines import phrases, rule_lines, searches, the
from lorewright.ids import local
from lorewright.index.generation import Generation
from lorewright.packs.models import WhenClock, WhenPart, WhenThread
from lorewright.retrieval.view import generations_in_force
from lorewright.rules.aiming import cost_clock
from lorewright.rules.effects import Effect, PathEffect
from lorewright.rules.rulesets import BandName, CampaignRules, Rule
from lorewright.rules.verbs import typed, typed_line, verb_of
from lorewright.scene_lore.gather import gather_person, gather_place
from lorewright.scene_lore.models import SceneItem
from lorewright.turn.run.dry_run import DryRun
from lorewright.values.entries import lore_conditions
from lorewright.world.state import OFFSTAGE, WorldState

# An inquiry that can be finished by more sets of clues than this is taken to need any of them.
_MOST_COMBINATIONS = 32
_BANDS: tuple[BandName, ...] = ("success", "mixed", "critical", "fail")
LONGEST_WAIT = 480


class ScenarioModel:
    """The source of the moves: the state that the search begins with, the campaign's rules, the items of its packs."""

    def __init__(self, run: DryRun, start: WorldState) -> None:
        self.rules = run.rules
        self.start = start
        self.people = tuple(
            sorted(who.id for who in start.entities.values() if who.type == "npc" and who.id in start.positions)
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
        # The items that somebody of the cast keeps back.
        self.withheld: frozenset[str] = frozenset()
        self.known_by = {who: self._told_by(who) for who in self.people}

    def _discoverable(self, place: str) -> tuple[SceneItem, ...]:
        items = chain.from_iterable(gather_place(packs, place).discoverable for packs in self._in_force)
        return tuple({item.id: item for item in items}.values())

    def _told_by(self, who: str) -> tuple[SceneItem, ...]:
        briefings = [gather_person(packs, who).briefing for packs in self._in_force]
        kept_back = [item for briefing in briefings for item in briefing.withholds]
        self.withheld |= {item.id for item in kept_back}
        items = [*(item for briefing in briefings for item in briefing.knows), *kept_back]
        return tuple({item.id: item for item in items}.values())

    def when(self, item: SceneItem) -> Formula:
        """Return the formula of an item's conditions: it is there while they hold."""
        return ("all", *self._when.get(item.id, ()), *self._when.get(item.chunk_id, ()))

    def name(self, entity_id: str) -> str:
        """Return the name of an entity."""
        return self.start.name_of(entity_id)

    def goals(self) -> list[Goal]:
        """Return all that there is to reach, endings first. Endings and rules that wait for an act of one of the cast
        are left out, see `others_doing`."""
        name, rules = self.name, self.rules
        found = [item for items in self.found_at.values() for item in items]
        things = sorted(entity.id for entity in self.start.entities.values() if entity.type == "item")
        others = self.others_doing()
        return [
            *(Goal("ending", ("ended", end.id), end.id) for end in rules.endings if end.id not in others),
            *(goal for rule in rules.rules for goal in openings(rule, self.withheld)),
            *(Goal("find", ("found", item), item) for item in rules.on_find),
            *(Goal("discoverable", ("learned", item.id), item.id) for item in found),
            *(Goal("person", ("present", who), name(who)) for who in self.people),
            *(Goal("place", ("at", place), name(place)) for place in self.places),
            *(Goal("thing", ("near", thing), name(thing)) for thing in things),
            *(Goal("rule", ("applied", rule.id), rule.id) for rule in rules.rules if is_players(rule, self.start)),
        ]

    def others_doing(self) -> list[str]:
        """Return the IDs of endings that wait for an act of one of the cast."""
        return [ending.id for ending in self.rules.endings if is_others_doing(ending.when)]

    def unsearched(self, state: WorldState) -> list[SolverMove]:
        """Return moves, free and always possible, for all that changes a state and that no search tries: acts of the
        cast, threats, escalation, effects and costs of the ruleset. With them an estimate is too hopeful by far."""
        rules, start = self.rules, self.start
        effects = tuple(chain.from_iterable(_effects_of(rules)))
        free = list(added(effects, start.player_id))
        free += [atom for rule in rules.rules for atom in self._fired_by_others(rule)]
        free += [
            (how, who, act.id) for who, cast in rules.cast.items() for act in cast.acts for how in ("did", "tried")
        ]
        free += [("has", thing) for who in self.people for thing in state.held_by(who)]
        free += [("present", who) for who in self.people if state.positions[who] != OFFSTAGE]
        costs = [cost for kind in rules.ruleset.actions.values() for cost in kind.costs.items()]
        both_ways = [(gauge(effect.path), by) for effect in effects if isinstance(effect, PathEffect) for by in (1, -1)]
        return [SolverMove(ALWAYS, tuple(free), (*ticked(effects), *costs, *both_ways))]

    def _fired_by_others(self, rule: Rule) -> Iterator[Atom]:
        if not is_players(rule, self.start):
            yield from added((*rule.critical, *rule.success, *rule.mixed, *rule.fail), self.start.player_id)

    def moves(self) -> list[SolverMove]:
        """Return every move that there is."""
        return [
            *self._ways(),
            *self._doors(),
            *self._things(),
            *(
                move
                for who in self.people
                for item in self.known_by[who]
                if item.id not in self.withheld
                for move in self._asked(who, item)
            ),
            *(move for place in self.places for item in self.found_at[place] for move in self._searched(place, item)),
            *(self._happening(("learned", item), effects) for item, effects in self.rules.on_find.items()),
            *(move for rule in self.rules.rules for move in self._ruled(rule)),
            *(
                self._happening(("clock", clock, value), effects)
                for clock, at in self.rules.clock_effects.items()
                for value, effects in at.items()
            ),
            *(
                SolverMove(formula(ending.when), (("ended", ending.id),))
                for ending in self.rules.endings
                if ending.when is not None
            ),
            *self._inquiries(),
            *self._departed(),
            *self._waits(),
            *self._timers(),
            *self._blunders(),
            *self._own_acts(),
        ]

    def _ways(self) -> Iterator[SolverMove]:
        for place, ways in self.start.exits.items():
            for way in ways:
                door = self.start.doors.get(way.via or "")
                needs: Formula = ("at", place)
                if door is not None and door.shut_bars:
                    needs = ("all", needs, ("ajar", way.via))
                elif door is not None:
                    needs = ("all", needs, self._turned(way.via or "", place))
                adds = (("at", way.to), ("away", place), ("visited", way.to))
                lines = (*typed("way", way=way.name), *typed("travel", place=self.name(way.to)))
                yield from _typed_move(needs, adds, lines)

    def _turned(self, door_id: str, place: str) -> Formula:
        """Return the formula of a door that is not locked, or can be unlocked from a place."""
        door = self.start.doors[door_id]
        key = () if door.key_id is None else (("has", door.key_id),)
        return ALWAYS if door.bolt_at == place else ("any", ("open", door_id), *key)

    def _doors(self) -> Iterator[SolverMove]:
        """Yield a move for each door and side; opening a door unlocks it, too."""
        for place, ways in self.start.exits.items():
            for way in ways:
                door = self.start.doors.get(way.via or "")
                if door is not None and way.via is not None and door.shut_bars:
                    needs = ("all", ("at", place), self._turned(way.via, place))
                    adds = (("ajar", way.via), ("open", way.via))
                    yield from _typed_move(needs, adds, typed("try_door", door=the(self.name(way.via))))

    def _things(self) -> Iterator[SolverMove]:
        """Yield moves that take each thing wherever it may come to lie, and drop it."""
        places = dict.fromkeys((*self.places, *sorted(place for _, place in self._put)))
        for thing in (entity for entity in self.start.entities.values() if entity.type == "item"):
            for place in places:
                if thing.id in self.start.held_by(place) or (thing.id, place) in self._put:
                    needs = ("all", ("lies", thing.id, place), ("at", place))
                    adds = (("near", thing.id), ("has", thing.id))
                    yield from _typed_move(needs, adds, typed("grab", thing=the(thing.name)))
            lines = typed("put_down", thing=the(thing.name))
            yield from _typed_move(("has", thing.id), (("lacks", thing.id),), lines)
            yield SolverMove(("has", thing.id), (("near", thing.id),))

    def _inquiries(self) -> Iterator[SolverMove]:
        for inquiry in self.rules.inquiries.values():
            clues = [("learned", clue) for clue in inquiry.clues]
            enough: Formula = ("any", *clues)
            if comb(len(clues), inquiry.needed) <= _MOST_COMBINATIONS:
                enough = ("any", *(("all", *known) for known in combinations(clues, inquiry.needed)))
            yield self._happening(enough, inquiry.effects)

    def _own_acts(self) -> Iterator[SolverMove]:
        """Yield moves for the verbs of the ruleset's own: with each thing and person where a rule of the scenario names
        such a target, else by the shortest line that does anything."""
        bands = tuple(band.name for band in self.rules.ruleset.bands)
        aimed = {act for rule in self.rules.rules if rule.on.target is not None for act in rule.on.acts}
        targets = [entity for entity in self.start.entities.values() if entity.type in ("item", "npc")]
        for act in dict.fromkeys(self.rules.ruleset.verbs().values()):
            lines = {target.id: f"{self._typed(act)} {the(target.name)}" for target in targets}
            if act in aimed:
                for target, line in lines.items():
                    yield SolverMove(self._reached(target, must_carry=False), (), lines=(line,), bands=bands)
            else:
                yield SolverMove(ALWAYS, (), lines=_lines(self._typed(act), *lines.values()), bands=bands)

    def _typed(self, act: str) -> str:
        """Return the verb that a player types for a type of action."""
        return next((verb for verb, kind in self.rules.ruleset.verbs().items() if kind == act), act)

    def _departed(self) -> Iterator[SolverMove]:
        for effects in self._all_effects():
            for atom in added(effects, self.start.player_id):
                if atom[0] == "stands" and atom[2] != OFFSTAGE:
                    yield SolverMove(("all", atom, ("at", atom[2])), (("present", atom[1]),))

    def _all_effects(self) -> Iterator[tuple[Effect, ...]]:
        yield from self.rules.on_find.values()
        yield from (effects for at in self.rules.clock_effects.values() for effects in at.values())
        for rule in self.rules.rules:
            yield from (rule.critical, rule.success, rule.mixed, rule.fail)

    def _asked(self, who: str, item: SceneItem) -> Iterator[SolverMove]:
        name = self.name(who)
        lines = [line for phrase in phrases(item) for line in typed("question", person=name, topic=phrase)]
        needs = ("all", ("present", who), self.when(item))
        yield from _typed_move(needs, (("learned", item.id),), lines, bands=_BANDS, item=item.id)

    def _searched(self, place: str, item: SceneItem) -> Iterator[SolverMove]:
        needs = ("all", ("at", place), self.when(item))
        yield from _typed_move(needs, (("learned", item.id),), searches(item), bands=_BANDS, item=item.id)

    def _happening(self, needs: Formula, effects: Sequence[Effect]) -> SolverMove:
        return SolverMove(needs, tuple(added(effects, self.start.player_id)), ticked(effects))

    def _ruled(self, rule: Rule) -> Iterator[SolverMove]:
        """Yield a move for each act and band of a rule, with the effects of that band and the ruleset's for a check."""
        bands: dict[BandName, tuple[Effect, ...]] = {"success": rule.success}
        if rule.check is not None:
            bands |= {"critical": rule.critical, "mixed": rule.mixed, "fail": rule.fail}
        follows = self.rules.ruleset.consequences if rule.check is not None else {}
        told = self.known_by.get(rule.on.target or "", ())
        for act in rule.on.acts:
            items = self._items_of(rule, act)
            spent = ("unspent", rule.id) if rule.once else ALWAYS
            needs = ("all", self._trigger(rule, act, items), formula(rule.when), spent)
            lines = _lines(*rule_lines(rule, self._typed(act), self.start, places=self.places, items=items, told=told))
            for band, effects in bands.items():
                if band != "critical" or effects:
                    adds = (*added(effects, self.start.player_id), ("fired", rule.id, band), ("by", rule.id, act))
                    adds = (*adds, ("applied", rule.id))
                    ticks = ticked((*effects, *follows.get(band, ())))
                    yield SolverMove(needs, adds, ticks, lines=lines, bands=(band,), rule=rule.id)
                    ways = alternatives(formula(rule.when))
                    for number, way in enumerate(ways if len(ways) > 1 else ()):
                        here = ("all", self._trigger(rule, act, items), way, spent)
                        adds = (("way", rule.id, number),)
                        yield SolverMove(here, adds, lines=lines, bands=(band,), rule=rule.id)

    def _items_of(self, rule: Rule, act: str) -> list[SceneItem]:
        """Return the items that a rule's topic may name: those of its target and place; for what the actor knows
        those of anybody."""
        holders = [holder for holder in (rule.on.target, rule.on.at) if holder is not None]
        grounding = _grounding(act)
        if grounding == "own" or (grounding == "hidden" and not holders):
            holders = [*self.people, *self.places]
        found = [(*self.known_by.get(holder, ()), *self.found_at.get(holder, ())) for holder in holders]
        return [item for item in chain.from_iterable(found) if item.name in rule.on.topics]

    def _trigger(self, rule: Rule, act: str, items: Sequence[SceneItem]) -> Formula:
        on = rule.on
        parts: list[Formula] = [] if on.at is None else [("at", on.at)]
        verb = verb_of(act)
        in_hand = verb is None or not verb.reaches_item
        for named in filter(None, (on.target, on.item)):
            parts.append(self._reached(named, must_carry=named == on.item and in_hand))
        if items and _grounding(act) == "own":
            # A topic that is a word, not an item, may be told without having learned anything.
            parts.append(
                ("any", *(("learned", item.id) for item in items))
                if any("_" in topic for topic in on.topics)
                else ALWAYS
            )
        elif items:
            parts.append(("any", *(self._offered(item, act) for item in items)))
        return ("all", *parts)

    def _offered(self, item: SceneItem, act: str) -> Formula:
        """Return the formula of an item's conditions and, for a search, of the places where it is found."""
        hidden = _grounding(act) == "hidden"
        places = [place for place, items in self.found_at.items() if item in items] if hidden else []
        return ("all", self.when(item), ("any", *(("at", place) for place in places)) if places else ALWAYS)

    def _reached(self, entity_id: str, *, must_carry: bool) -> Formula:
        """Return the formula of an entity that is in sight; with `must_carry` a thing must be in hand."""
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

    def _waits(self) -> Iterator[SolverMove]:
        wanted = {atom for rule in self.rules.rules for atom in _minutes(formula(rule.when))}
        wanted |= {atom for ending in self.rules.endings for atom in _minutes(formula(ending.when))}
        for atom in sorted(wanted):
            minutes = min(atom[1], LONGEST_WAIT)
            yield from _typed_move(ALWAYS, (atom,), typed("pass_minutes", minutes=str(minutes)))

    def _timers(self) -> Iterator[SolverMove]:
        """Yield a wait for the clocks and for the numbers of the ruleset's scene that move with time."""
        for clock_id, every in sorted(self.rules.clock_every.items()):
            yield from _typed_move(ALWAYS, (), typed("pass_minutes", minutes=str(every)), ticks=((clock_id, 1),))
        ruleset, line = self.rules.ruleset, typed_line("pass_time")
        row = None if line is None else ruleset.actions.get(line.verb)
        minutes = 0 if row is None else row.minutes
        ticks = tuple((gauge(path), by * minutes) for path, by in ruleset.timers.items() if by * minutes)
        if ticks and line is not None:
            yield SolverMove(ALWAYS, (), ticks, lines=(line.text,))

    def _blunders(self) -> Iterator[SolverMove]:
        """Yield a move whose check can fail: by the ruleset's own rules that counts on a clock, too."""
        clock = cost_clock(self.start)
        if clock is not None:
            lines = [line for place in self.places for line in typed("sneak_to", place=self.name(place))]
            yield from _typed_move(ALWAYS, (), lines, ticks=((clock.id, 1),), bands=("fail", "mixed"))


def _effects_of(rules: CampaignRules) -> Iterator[Sequence[Effect]]:
    """Yield the effects of all that happens by itself: of threats, inquiries, escalation, and of the ruleset."""
    ruleset = rules.ruleset
    yield from (threat.effects for threat in rules.threats.values())
    yield from (inquiry.effects for inquiry in rules.inquiries.values())
    for profile in (ruleset.escalation, *rules.escalation.values()):
        yield from (step.effects for step in profile.values())
    yield from (effects for kind in ruleset.actions.values() for effects in kind.effects.values())
    yield from (effects for stat in ruleset.stats.values() for effects in stat.effects.values())
    yield from ruleset.consequences.values()
    yield ruleset.streak.effects if ruleset.streak is not None else ()
    for trigger in ruleset.triggers:
        yield trigger.effects
        yield from (turning.effects for turning in trigger.turnings)
    for rule in rules.rules:
        # Only paths that are set, which are no steps of a clock.
        effects = (*rule.critical, *rule.success, *rule.mixed, *rule.fail)
        yield [effect for effect in effects if isinstance(effect, PathEffect)]


def _conditions(generations: Iterable[Generation]) -> Iterator[tuple[str, tuple[Formula, ...]]]:
    """Yield each item or chunk that has conditions, with their formulas."""
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


def _grounding(act: str) -> str:
    verb = verb_of(act)
    return "" if verb is None else verb.grounding


def _typed_move(
    needs: Formula,
    adds: tuple[Atom, ...],
    lines: Iterable[str],
    *,
    ticks: tuple[tuple[str, int], ...] = (),
    bands: tuple[BandName, ...] = ("success",),
    item: str | None = None,
) -> Iterator[SolverMove]:
    """Yield a move of the player, unless no verb has a line for it: without lines it would happen by itself."""
    if typed_lines := _lines(*lines):
        yield SolverMove(needs, adds, ticks, lines=typed_lines, bands=bands, item=item)


def _lines(*lines: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))
