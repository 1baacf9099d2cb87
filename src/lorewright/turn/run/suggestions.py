"""A state and the story so far -> lines that a player may type next, each of which brings something new.

Whether a line pays is asked of the rules: it is read, grounded and resolved as in a turn (`judged_lines`), and nothing
is left behind. So a line that is offered says that there is something to be had. Its words are those that the player
could think of: people and things that are here, what was told (`heard_topics`), ways out. What somebody keeps back is
offered to be pressed for only after they put the player off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, pairwise

from lorewright.builtin.words.clauses import lexicon, place_name
from lorewright.ids import local
from lorewright.retrieval.view import generations_in_force
from lorewright.rules.actions import Action
from lorewright.rules.patch import TriedAction, TriedRound
from lorewright.rules.reach import can_turn, holds, is_barred, known_way, open_nudges
from lorewright.rules.rulesets import Rule
from lorewright.rules.verbs import RuleNames, TypedLine, typed_line, verb_of
from lorewright.scene_lore.gather import gather_person, gather_place
from lorewright.scene_lore.models import LoreText, SceneItem, SceneLore
from lorewright.turn.run.dry_run import DryRun, Step
from lorewright.turn.run.judged_lines import Kind, LineJudge, PayingLine
from lorewright.turn.views.acquaintance import Acquaintance
from lorewright.turn.views.draft import Setting
from lorewright.turn.views.heard_topics import HeardTopic, heard_topics, words_about
from lorewright.turn.views.point import TurnPoint
from lorewright.turn.views.scope import own_offers, scope_of, ways_out
from lorewright.turn.views.story import seen_by
from lorewright.turn.views.views import TurnViews
from lorewright.values.entries import lore_conditions
from lorewright.values.scope import Scope, WayOut
from lorewright.world.state import SHELF_TAG, WorldState

# The most lines that are offered.
MOST = 3
# So many lines of a kind are tried at most; each costs some milliseconds.
_TRIES = 6
# After so many rounds of one kind the others are offered first.
_WORN = 3
# Of so many things to do the best is taken.
_PHYSICAL = 2
# So many ways to word a question about one item.
_WORDINGS = 2

_KINDS: tuple[Kind, ...] = ("social", "physical", "onward")


def suggest(
    run: DryRun,
    knows: Acquaintance,
    told: Sequence[str],
    tried: Sequence[TriedRound] = (),
    wished: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return at most three lines that bring something when they are typed, the best first: as far as there are such,
    one to somebody, one with the hands or eyes, one onward.

    First comes one that has to do with an open thread or with what the scenario's rules ask about. Where nothing is
    left to be had, a way to where something is comes last. `told` are the texts that the player was told so far, in
    their order; `tried` are the actions of the rounds that they played. Lines that the ruleset has no action for
    are omitted; its own actions take the place of what is missing.

    `wished` are lines that a model would offer. Of the lines that are made here and bring something, one that does the
    same as such a line goes before others of its kind. No word of a model is offered: its lines may tell a secret.
    """
    if knows.state.ended is not None:
        return ()
    return tuple(line.text for line in paying_lines(run, knows, told, tried, wished))


def paying_lines(
    run: DryRun,
    knows: Acquaintance,
    told: Sequence[str],
    tried: Sequence[TriedRound] = (),
    wished: Sequence[str] = (),
) -> tuple[PayingLine, ...]:
    """Return the same lines with what is known of them."""
    found = _Suggestions(run, knows, told, tried, wished)
    turned = len(tried) % len(_KINDS)
    best = {kind: found.best(kind) for kind in (*_KINDS[turned:], *_KINDS[:turned])}
    worn = _worn(tried)
    # After a while of the same something else comes first.
    lines = sorted(
        (line for line in best.values() if line is not None), key=lambda line: (line.kind == worn, *line.rank)
    )
    lines.sort(key=lambda line: (line.ends, not line.at_once))
    # A way out of the story is offered where nothing else is.
    lines = [line for line in lines if not line.ends] or lines
    lines = _nudged(run, knows.state, lines)
    state, ruleset = knows.state, run.rules.ruleset
    own = (PayingLine("physical", text) for text in own_offers(knows.shown, ruleset, limit=MOST - len(lines)))
    lines = [*lines, *own]
    if lines:
        return tuple(lines)
    waiting = typed_line("pass_time") or typed_line("view")
    is_known = waiting is not None and ruleset.find_row(waiting.verb) is not None and state.ended is None
    return (PayingLine("onward", waiting.text, at_once=False),) if waiting is not None and is_known else ()


def _nudged(run: DryRun, state: WorldState, lines: Sequence[PayingLine]) -> list[PayingLine]:
    """Return the lines with that of the most pressing nudge of the scenario before them, as far as it can be played."""
    for nudge in open_nudges(run.rules.nudges, state):
        patch = run.try_step(state, Step(nudge.line)) if nudge.line else None
        if patch is not None and patch.outcomes and patch.outcomes[-1].code != "blocked":
            nudged = PayingLine("onward", nudge.line, tied=True, ends=patch.state.ended is not None)
            done = [_done_by(attempt.action) for attempt in run.attempts(state, nudge.line) or ()]
            others = (
                line for line in lines if [_done_by(at.action) for at in run.attempts(state, line.text) or ()] != done
            )
            return [nudged, *others][:MOST]
    return list(lines)


def _worn(tried: Sequence[TriedRound]) -> Kind | None:
    """Return the kind of which all of the last rounds were, if they were of one."""
    last = [_kind_of(round_[-1]) for round_ in tried[-_WORN:] if round_]
    return last[0] if len(last) == _WORN and len(set(last)) == 1 else None


def _kind_of(action: TriedAction) -> Kind:
    verb = verb_of(action.type)
    if action.is_onward:
        return "onward"
    return "social" if verb is not None and verb.is_speech else "physical"


def player_scope(knows: Acquaintance) -> Callable[[WorldState], Scope]:
    """Return a function that gives a dry run all that the player's words can refer to in their state."""
    found: list[Scope] = []

    def scope(state: WorldState) -> Scope:
        if not found:
            found.append(scope_of(knows.shown, heard_of=knows.heard_of()))
        return found[0]

    return scope


def options_at(
    views: TurnViews, setting: Setting, at: TurnPoint, tried: Sequence[TriedRound], wished: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the suggestions at a point of a turn; see `suggest`."""
    knows = views.acquaintance(at.state)
    lore = views.scene_lore(at.state)
    run = DryRun(
        setting.rules,
        setting.generations,
        scope=player_scope(knows),
        lore=lambda state: lore if state is at.state else views.scene_lore(state),
    )
    now = seen_by("player", at.stream.messages, own_id=at.state.player_id)
    told = [exchange.told for exchange in knows.story.exchanges if exchange.told]
    heard = [*told, *(message.content for message in now if message.type == "narration")]
    return suggest(run, knows, heard, tried, wished)


class _Suggestions:
    """The candidates of one state, by kind; the likeliest come first."""

    def __init__(
        self,
        run: DryRun,
        knows: Acquaintance,
        told: Sequence[str],
        tried: Sequence[TriedRound],
        wished: Sequence[str] = (),
    ) -> None:
        self.run = run
        self._wished = wished
        self.knows = knows
        self.state = knows.state
        self.shown = knows.shown
        self.lore: SceneLore = run.lore(self.state)
        self.judge = LineJudge(run, self.state, told, tried)
        self.topics = heard_topics(told, self._names())
        self.tried = tried

    def best(self, kind: Kind) -> PayingLine | None:
        """Return the best line of a kind, or None: of a few the one that has to do with the story, else the one that
        needs no luck, else the first."""
        match kind:
            case "social":
                lines, enough = self._social(), 1
            case "physical":
                lines, enough = self._physical(), _PHYSICAL
            case "onward":
                lines, enough = self._onward(), 1
        found: list[PayingLine] = []
        sure = 0
        wished = self._wished_actions()
        for line in islice(lines, _TRIES):
            found += [] if line is None else [line]
            if line is not None and wished and self._actions(line.text) in wished:
                return line
            sure += line is not None and line.certain and line.at_once and not line.ends
            if not wished and (sure >= enough or (found and found[-1].tied and found[-1].certain)):
                break
        return min(found, key=lambda line: line.rank, default=None)

    def _wished_actions(self) -> list[tuple[object, ...]]:
        return [actions for line in self._wished[:MOST] if (actions := self._actions(line))]

    def _actions(self, line: str) -> tuple[object, ...]:
        """Return what a line does, so that two lines can be compared that do the same in other words."""
        return tuple(map(_done_by, (attempt.action for attempt in self.run.attempts(self.state, line) or ())))

    def _names(self) -> list[str]:
        heard = self.knows.heard_of()
        entities = (entity for entity in self.shown.entities.values() if entity.id in heard)
        return [
            name for entity in entities if entity.id != self.state.player_id for name in (entity.name, *entity.aliases)
        ]

    # Social: questions, news, pressure.

    def _social(self) -> Iterator[PayingLine | None]:
        people = [who for who in self.state.present_npcs() if self.shown.name_of(who)]
        if not people:
            return
        turned = len(self.tried) % len(people)
        people = [*people[turned:], *people[:turned]]
        for line in self._pressure(people):
            yield self.judge.pays("social", line)
        questions = [
            (not self.judge.is_item_tied(item), quality, nth, at, who, topic)
            for at, who in enumerate(people)
            for nth, item in enumerate(self._untold(who))
            for quality, topic in self._wordings(item, who)
        ]
        lines = chain(
            self._ruled_talk(people),
            (self._to(who, "question", topic.phrase) for *_, who, topic in sorted(questions, key=lambda q: q[:4])),
            (self._to(who, "meet") for who in people if self._untold(who)),
            self._hearsay(people),
        )
        for line in lines:
            yield self.judge.pays("social", line)

    def _untold(self, who: str) -> list[SceneItem]:
        """Return what somebody would tell and has not told yet."""
        briefing = self.lore.briefing(who)
        learned = self.state.learned_by(self.state.player_id)
        return [] if briefing is None else [item for item in briefing.knows if item.id not in learned]

    def _wordings(self, item: SceneItem, who: str) -> list[tuple[int, HeardTopic]]:
        """Return the topics that a player may ask by for an item, the nearest to its name first."""
        person = self.state.entities[who]
        own = {name.casefold() for name in (person.name, *person.aliases)}
        named, inside = words_about(item)
        found = [
            (0 if topic.words & named else 1, at, topic)
            for at, topic in enumerate(self.topics)
            if topic.words & (named | inside) and topic.phrase.casefold() not in own
        ]
        return [(quality, topic) for quality, _, topic in sorted(found, key=lambda one: one[:2])[:_WORDINGS]]

    def _to(self, who: str, purpose: str, topic: str = "") -> TypedLine | None:
        return typed_line(purpose, person=self.shown.name_of(who), topic=topic)

    def _hearsay(self, people: Sequence[str]) -> Iterator[TypedLine | None]:
        """Yield questions about what somebody has only heard of, and would pass on."""
        heard = self.knows.heard_of()
        phrases = {topic.phrase.casefold().removeprefix("the "): topic.phrase for topic in self.topics if topic.is_name}
        for entity in self.shown.entities.values():
            phrase = phrases.get(_bare(entity.name).casefold())
            if phrase is None or entity.id not in heard or entity.id == self.state.player_id:
                continue
            if self.judge.has_more_to_tell(entity.id):
                for who in people:
                    if who != entity.id and self.judge.would_pass_on(who, entity.id):
                        yield self._to(who, "question", phrase)

    def _pressure(self, people: Sequence[str]) -> Iterator[TypedLine | None]:
        """Yield that somebody be won over who put the player off, on what they would not say."""
        for who in people:
            for words in self.judge.put_off.get(who, ()):
                line = self._to(who, "win_over")
                if line is not None:
                    yield replace(line, text=f"{line.text} about {words}")

    def _ruled_talk(self, people: Sequence[str]) -> Iterator[TypedLine | None]:
        """Yield what may be said to somebody by a rule of the scenario, on a topic that was told."""
        for rule in self._rules():
            if rule.on.target not in people or not rule.on.topics:
                continue
            topic = next((topic for topic in self.topics if self._is_topic_of(topic, rule)), None)
            verbs = (verb for act in rule.on.acts if (verb := verb_of(act)) is not None)
            for verb in verbs if topic is not None else ():
                for text in verb.lines.values():
                    if "{person}" in text and "{topic}" in text and topic is not None:
                        who = self.shown.name_of(rule.on.target or "")
                        yield TypedLine(verb.name, text.format(person=who, topic=topic.phrase))

    def _is_topic_of(self, topic: HeardTopic, rule: Rule) -> bool:
        words = {word for written in rule.on.topics for word in written.casefold().split("_")}
        named = (entity for entity in self.shown.entities.values() if local(entity.id) in rule.on.topics)
        phrase = topic.phrase.casefold().removeprefix("the ")
        return bool(topic.words & words) or any(
            phrase == name.casefold().removeprefix("the ")
            for entity in named
            for name in (entity.name, *entity.aliases)
        )

    def _rules(self) -> Iterator[Rule]:
        """Yield the rules on what the player may do here now."""
        state = self.state
        for rule in self.run.rules.rules:
            on = rule.on
            is_spent = rule.once and f"rule:{rule.id}" in state.recall
            is_here = on.at in (None, state.scene.location_id) and on.by in (None, state.player_id)
            if not is_spent and is_here and (rule.when is None or holds(rule.when, state)):
                yield rule

    # Physical: doors, things, searches, looks.

    def _physical(self) -> Iterator[PayingLine | None]:
        for line in chain(self._doors(), self._things(), self._ruled_deeds(), self._searches()):
            yield self.judge.pays("physical", line)
        yield from self._looks()

    def _doors(self) -> Iterator[TypedLine | None]:
        for way in ways_out(self.shown):
            if way.door is None or not (way.locked or way.barred):
                continue
            if not way.locked or can_turn(self.state.player_id, self.state.doors[way.door], self.state):
                yield typed_line("unlock_door" if way.locked else "open_door", door=_bare(self.shown.name_of(way.door)))

    def _things(self) -> Iterator[TypedLine | None]:
        place = self.state.scene.location_id
        if SHELF_TAG not in self.state.entities[place].tags:
            for thing in islice(self.state.held_by(place), 2):
                if name := self.shown.name_of(thing):
                    yield typed_line("pick_up", thing=_bare(name))

    def _ruled_deeds(self) -> Iterator[TypedLine | None]:
        """Yield what may be done, by a rule of the scenario, with a thing in hand or here, or to somebody."""
        state = self.state
        near = {*state.held_by(state.player_id), *state.held_by(state.scene.location_id)}
        doors = {way.door for way in ways_out(self.shown) if way.door}
        people = frozenset(state.present_npcs())
        for rule in self._rules():
            on = rule.on
            named = [who for who in (on.target, on.item) if who is not None]
            if not named or on.topics or not near.union(doors, people).issuperset(named):
                continue
            for act in on.acts:
                verb = verb_of(act)
                if verb is None or verb.rule_lines is None or verb.is_free or verb.is_violent or verb.is_speech:
                    continue
                names = self._rule_names(rule, is_at_person=on.target in people)
                handed = (text for text in verb.lines.values() if "{thing}" in text and "{person}" in text)
                if names.is_at_person and names.item:
                    yield from (
                        TypedLine(verb.name, text.format(thing=names.item, person=names.target)) for text in handed
                    )
                yield from (TypedLine(verb.name, text) for text in islice(verb.rule_lines(names), 1))

    def _rule_names(self, rule: Rule, *, is_at_person: bool) -> RuleNames:
        on, name_of = rule.on, self.shown.name_of
        target = name_of(on.target) if on.target else ""
        thing = _the(name_of(on.item)) if on.item else ""
        return RuleNames(
            target=target,
            aim=_the(target),
            is_at_person=is_at_person,
            item=thing,
            along=f" with {thing}" if thing else "",
            word="",
            people=[target] if is_at_person else [],
            things=[thing] if thing else [],
            aims=[_the(target)] if target else [],
            places=[],
            topics=[],
            finds=[],
        )

    def _searches(self) -> Iterator[TypedLine | None]:
        """Yield a search of something that the place is told to have, then of all of it, if anything is left."""
        learned = self.state.learned_by(self.state.player_id)
        hidden = [item for item in self.lore.discoverable if item.id not in learned]
        if not hidden:
            return
        # What a way out is called is somewhere else.
        ways = {_the(way.name) for way in ways_out(self.shown)}
        seen = {topic.phrase for topic in heard_topics([line.text for line in self._sights()], ())} - ways
        for item in hidden:
            named, inside = words_about(item)
            topic = next((t for t in self.topics if t.phrase in seen and t.words & (named | inside)), None)
            if topic is not None:
                yield typed_line("search_at", thing=topic.phrase)
                break
        yield typed_line("find")

    def _sights(self) -> tuple[LoreText, ...]:
        return (*self.lore.atmosphere, *self.lore.overview)

    def _looks(self) -> Iterator[PayingLine | None]:
        """Yield looks that show a line which was not told yet: of somebody, of a thing here, of the place."""
        state, recall = self.state, self.state.recall
        for briefing in self.lore.briefings:
            if any(line.key not in recall for line in briefing.disposition) and self.shown.name_of(briefing.npc_id):
                line = typed_line("examine", thing=self.shown.name_of(briefing.npc_id))
                yield self.judge.shows(line, briefing.npc_id)
        things = [thing for thing in state.held_by(state.scene.location_id) if self.shown.name_of(thing)]
        turned = len(self.tried) % len(things) if things else 0
        for thing in islice((*things[turned:], *things[:turned]), _TRIES):
            if self.judge.has_more_to_tell(thing):
                yield self.judge.shows(typed_line("examine", thing=_the(self.shown.name_of(thing))), thing)
        if any(line.key not in recall for line in self.lore.atmosphere):
            yield self.judge.shows(typed_line("view"), None)

    # Onward: places that were not seen yet, then places where something is left; waiting where that brings something.

    def _onward(self) -> Iterator[PayingLine | None]:
        state = self.state
        ways = [way for way in ways_out(self.shown) if not way.barred]
        turned = len(self.tried) % len(ways) if ways else 0
        ways = [*ways[turned:], *ways[:turned]]
        new = [way for way in ways if way.to not in state.visits]
        for way in new:
            yield self._by(way, at_once=True)
        far = [place for place in state.exits if place not in {way.to for way in ways} and self._is_known(place)]
        if not new:
            for place in far:
                if place not in state.visits:
                    yield self._walk(place, at_once=True)
            yield self.judge.pays("onward", typed_line("pass_time"))
            for way in ways:
                if self._has_business(way.to):
                    yield self._by(way, at_once=False)
            for place in far:
                if place in state.visits and self._has_business(place):
                    yield self._walk(place, at_once=False)

    def _by(self, way: WayOut, *, at_once: bool) -> PayingLine | None:
        is_visited = way.to in self.state.visits and way.to_name
        label = place_name(way.to_name if is_visited else way.name)
        purpose = "way" if not is_visited and way.name.casefold() in _directions() else "travel"
        names = {"way": way.name, "place": label}
        return self.judge.leads(typed_line(purpose, **names), way.to, at_once=at_once) or self.judge.leads(
            typed_line("way", way=way.name), way.to, at_once=at_once
        )

    def _walk(self, place: str, *, at_once: bool) -> PayingLine | None:
        name = place_name(self.shown.name_of(place))
        return self.judge.leads(typed_line("travel", place=name), place, at_once=at_once) if name else None

    def _is_known(self, place: str) -> bool:
        """Tell whether the player knows a way to a place, and no door in it bars them."""
        state, here = self.state, self.state.scene.location_id
        line = typed_line("travel", place=place)
        if place == here or line is None:
            return False
        steps = known_way(Action(actor_id=state.player_id, type=line.verb, location_id=place), state)
        return bool(steps) and all(
            any(way.to == to and not is_barred(way, state.player_id, state) for way in state.exits.get(from_, ()))
            for from_, to in pairwise((here, *steps))
        )

    def _has_business(self, place: str) -> bool:
        """Tell whether anything is left at a place that could be found there, or that somebody there would tell."""
        state, packs = self.state, generations_in_force(self.run.generations, lore_conditions(self.state))
        learned = state.learned_by(state.player_id)
        people = (who for who, where in state.positions.items() if where == place and not state.is_players(who))
        items = (item for who in people for item in gather_person(packs, who).briefing.knows)
        left = (*gather_place(packs, place).discoverable, *items)
        return bool(state.held_by(place)) or any(item.id not in learned for item in left)


def _done_by(action: Action) -> tuple[object, ...]:
    said = (f"{key}={_bare(value).casefold()}" for key, value in action.metadata.items() if isinstance(value, str))
    return action.type, action.target_id, action.location_id, tuple(sorted(said))


def _bare(name: str) -> str:
    return name[4:] if name.casefold().startswith("the ") else name


def _the(name: str) -> str:
    """Return a name as it is typed after a verb."""
    return name if not name or name[:1].isupper() or name.startswith(("the ", "a ", "an ")) else f"the {name}"


def _directions() -> frozenset[str]:
    """Return the labels of ways that are no places."""
    return frozenset({*lexicon().directions, *lexicon().directions.values(), "out", "back", "in", "outside", "inside"})
