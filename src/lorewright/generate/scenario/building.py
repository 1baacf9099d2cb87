"""Stage, errand, words and ruleset -> an ordinary Scenario, with the lines that play it to its goal as its demo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.campaigns.scenarios.scenario import Scenario
from lorewright.errors import ScenarioError
from lorewright.generate.explore.initiative import acts_in, chattiness_by
from lorewright.generate.explore.making import exits_of
from lorewright.generate.scenario.ground import Ground
from lorewright.generate.scenario.sentences import ErrandWords, Outline
from lorewright.generate.scenario.staging import Errand, Lot, ScenarioPlaces, Speaker, Thing
from lorewright.ids import local, shown_item, slug
from lorewright.rules.rulesets import Ruleset
from lorewright.rules.verbs import typed, verb_for
from lorewright.world.schemas import clamped, filled, misfits, plain

# The rules of an errand: what persuades whom, what it costs, how it ends.

ERRAND, CLOCK, DONE, ELSEWHERE, TOO_LATE = "errand", "pressing", "done", "elsewhere", "too_late"

_Effects = Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one errand; `other_clocks` are the packs' own, which advance with every loss."""

    ruleset: Ruleset
    errand: Errand
    words: ErrandWords
    other_clocks: tuple[str, ...] = ()

    def all(self) -> Iterator[dict[str, Any]]:
        """Yield every rule, those that persuade before those that do not."""
        gets = self._gets()
        yield from self._opening_rules(gets)
        yield from self._lending_rules()
        yield from self._pressing_rules(gets)
        asked = {"target": self.errand.holder.key, "topic": list(self.errand.wanted.topics)}
        yield _make_rule("not_yet", {"act": _act("question"), **asked}, [], self.words.hint, when={"not": self._has()})
        yield from self._endings()
        yield _make_rule("walking", {"act": _act("travel")}, [{"clock": CLOCK, "by": 1}])
        if waiting := self._acts("pass_time"):
            yield _make_rule("waiting", {"act": waiting[0]}, [{"clock": CLOCK, "by": 1}, *self._others()])

    def _has(self) -> dict[str, Any]:
        return {"has": self.errand.wanted.key}

    def _gets(self) -> list[dict[str, Any]]:
        errand = self.errand
        gets: list[dict[str, Any]] = [{"give": errand.wanted.key}]
        gets.append({"relation": [errand.holder.key, "you"], "trust": 1})
        return gets + ([{"reveal": shown_item(errand.secret.id)}] if errand.secret else [])

    def _opening_rules(self, gets: _Effects) -> Iterator[dict[str, Any]]:
        errand, words = self.errand, self.words
        holder, token = errand.holder.key, errand.token.key
        if errand.gate == "token":
            yield _make_rule("trade", {"act": _act("gift"), "target": holder, "item": token}, gets, words.opened)
            return
        opened = {"all": [self._open_condition(), {"not": self._has()}]}
        on = {"act": self._acts("question", "win_over"), "target": holder, "topic": list(errand.wanted.topics)}
        yield _make_rule("handed_over", on, gets, words.opened, when=opened, once=True)
        pleased = [{"relation": [holder, "you"], "trust": 1}, {"clock": CLOCK, "by": -2}]
        yield _make_rule("a_gift", {"act": _act("gift"), "target": holder, "item": token}, pleased, once=True)

    def _open_condition(self) -> dict[str, Any]:
        """Return the condition for the holder to give the wanted thing to somebody who asks."""
        if self.errand.clue is not None:
            return {"revealed": shown_item(self.errand.clue.id)}
        return {"thread": ERRAND, "status": "vouched"}

    def _lending_rules(self) -> Iterator[dict[str, Any]]:
        """Yield what the helper does for somebody who asks."""
        errand, words, acts = self.errand, self.words, self._acts("question", "win_over")
        helper = errand.helper.key
        if errand.gate == "vouch":
            about = [local(errand.holder.id), *(slug(word) for word in errand.holder.name.split() if len(word) > 2)]
            on = {"act": acts, "target": helper, "topic": about}
            yield _make_rule("vouched", on, [{"thread": ERRAND, "status": "vouched"}], words.vouched, once=True)
        on = {"act": acts, "target": helper, "topic": list(errand.token.topics)}
        yield _make_rule("lent", on, [{"give": errand.token.key}], words.lent, once=True)

    def _pressing_rules(self, gets: _Effects) -> Iterator[dict[str, Any]]:
        """Yield the other way, by the ruleset's own dice for persuading; a failure costs."""
        pressing = next(iter(self._acts("win_over")), "")
        check = self.ruleset.actions[pressing].check if pressing else None
        if check is None:
            return
        holder, cost = self.errand.holder.key, {"clock": CLOCK, "by": 1}
        yield {
            "id": "pressed",
            "on": {"act": pressing, "target": holder, "topic": list(self.errand.wanted.topics)},
            "when": {"not": self._has()},
            "check": check.model_dump(mode="json", by_alias=True, exclude_defaults=True),
            "success": list(gets),
            "mixed": [*gets, cost],
            "fail": [cost, {"relation": [holder, "you"], "tension": 1}, *self._others()],
            "say": {"success": self.words.opened},
        }

    def _endings(self) -> Iterator[dict[str, Any]]:
        errand = self.errand
        wanted = errand.wanted.key
        if errand.taker is not None:
            ends = [{"thread": ERRAND, "status": "done"}, {"end": DONE}]
            yield _make_rule("brought", {"act": _act("gift"), "target": errand.taker.key, "item": wanted}, ends)
            telling = self._acts("pass_on")
            if errand.secret is not None and telling:
                on = {"act": telling[0], "target": errand.taker.key, "topic": errand.secret.name}
                told = {"all": [self._has(), {"revealed": shown_item(errand.secret.id)}]}
                yield _make_rule("testified", on, ends, when=told)
        if errand.rival is not None:
            ends = [{"thread": ERRAND, "status": "lost"}, {"end": ELSEWHERE}]
            yield _make_rule("sold", {"act": _act("gift"), "target": errand.rival.key, "item": wanted}, ends)

    def _others(self) -> list[dict[str, Any]]:
        return [{"clock": clock, "by": 1} for clock in self.other_clocks if clock != CLOCK]

    def _acts(self, *purposes: str) -> list[str]:
        """Return the types of action for these lines of players, as far as the ruleset has them."""
        acts = (verb_for(purpose) for purpose in purposes)
        return [verb.name for verb in acts if verb is not None and verb.name in self.ruleset.actions]


def _act(purpose: str) -> str:
    """Return the type of action for a line without which there is no errand (see NEEDED_LINES)."""
    verb = verb_for(purpose)
    assert verb is not None
    return verb.name


def _make_rule(
    rule_id: str,
    on: dict[str, Any],
    effects: Sequence[dict[str, Any]],
    say: str = "",
    *,
    when: dict[str, Any] | None = None,
    once: bool = False,
) -> dict[str, Any]:
    rule: dict[str, Any] = {"id": rule_id, "on": on, "success": list(effects), "once": once}
    rule |= {"when": when} if when else {}
    return rule | ({"say": {"success": say}} if say else {})


# Stat blocks and a first scene that fit a ruleset's schemas, by lot.

# How far a number lies from the middle at most; ordinary people are near it.
_SPREAD = (-1, 0, 0, 1, 1, 2)


def stat_block(ruleset: Ruleset, lot: Lot, who: str) -> dict[str, Any]:
    """Return numbers near the middle of the range that the schema allows; a value with a default that is no number
    keeps it.

    Raises:
        ScenarioError: the schema requires a value that cannot be made up.
    """
    schema = ruleset.character_stat_schema
    block = dict(_make_numbers(schema, lot, who))
    return _validate(block, schema, f"the stat block of {who}", ruleset)


def scene_seed(ruleset: Ruleset, *, place: str, pressure: str) -> dict[str, Any] | None:
    """Return the schema's own beginning, with the place and the pressure where it has words for them; None without a
    schema.

    Raises:
        ScenarioError: the schema requires a value that cannot be made up.
    """
    schema = ruleset.scene_state_schema
    if not schema:
        return None
    texts = {"location": place, "pressure": pressure}
    seed: dict[str, Any] = {}
    for name, part in schema.get("properties", {}).items():
        if name in texts and part.get("type") == "string" and "enum" not in part:
            seed[name] = texts[name][: part.get("maxLength", len(texts[name]))]
        elif name in schema.get("required", ()) and "default" not in part:
            seed[name] = _least(part)
    return _validate(seed, schema, "the scene", ruleset)


def _make_numbers(schema: Mapping[str, Any], lot: Lot, who: str) -> Iterator[tuple[str, Any]]:
    for name, part in schema.get("properties", {}).items():
        if part.get("type") == "integer":
            yield name, int(clamped(_middle(part) + lot.pick(f"{who} {name}", _SPREAD), part))
        elif name in schema.get("required", ()) and "default" not in part:
            yield name, _least(part)


def _middle(part: Mapping[str, Any]) -> int:
    """Return an ordinary person's number: the default, 0 where that is within the bounds, else a number between
    them."""
    low, high = part.get("minimum"), part.get("maximum")
    if "default" in part:
        return int(part["default"])
    if low is not None and high is not None:
        return 0 if low <= 0 <= high and low < 0 else int(low + (high - low) // 2)
    return int(low if low is not None else min(high or 0, 0))


def _least(part: Mapping[str, Any]) -> Any:
    """Return the plainest value of a schema that has no default."""
    if "enum" in part:
        return plain(part["enum"][0])
    if "const" in part:
        return plain(part["const"])
    kinds = {"string": "unsaid", "boolean": False, "array": [], "object": {}, "number": part.get("minimum", 0)}
    return _middle(part) if part.get("type") == "integer" else kinds.get(str(part.get("type")))


def _validate(value: dict[str, Any], schema: Mapping[str, Any], what: str, ruleset: Ruleset) -> dict[str, Any]:
    wrong = misfits(filled(value, schema), schema) if schema else []
    if wrong:
        hint = "give the field a `default` in the ruleset's schema, or write the scenario by hand"
        raise ScenarioError(f"{what} cannot be made up for the ruleset {ruleset.id}: {wrong[0]}", hint=hint)
    return value


# The scenario, with the lines that play it to its goal as its demo.

# What a player types in every errand; a ruleset without the verbs for it has no place for one.
NEEDED_LINES = ("travel", "question", "gift")
# Room for detours: as many ways again as the errand takes, and some.
_SLACK, _LONGEST_CLOCK = 6, 40
_OTHER_CLOCKS = ("Trouble", "Weather", "Strain", "Doubt")


@dataclass(frozen=True, slots=True)
class Builder:
    """Builds the scenario of one errand."""

    ground: Ground
    ruleset: Ruleset
    stage: ScenarioPlaces
    errand: Errand
    words: ErrandWords
    lot: Lot
    outline: Outline | None = None

    def scenario(self, scenario_id: str, made_by: Mapping[str, Any]) -> Scenario:
        """Return the scenario; `made_by` says how it was made and is stored with it, read by no rule.

        Raises:
            ScenarioError: the ruleset's schemas require a value that cannot be made up.
        """
        people, lines = self.stage.cast, self.lines()
        head = self._head()
        seed = scene_seed(self.ruleset, place=self._name(self.stage.start), pressure=head["clock"])
        blocks = {
            who: stat_block(self.ruleset, self.lot, who) for who in ("player", *(person.key for person in people))
        }
        return Scenario.model_validate(
            {
                "id": scenario_id,
                "name": head["name"],
                "summary": head["summary"],
                "stakes": head["stakes"],
                "goals": self._goals(),
                "tone": head["tone"],
                "intro_seed": head["intro"],
                "stat_blocks": {who: block for who, block in blocks.items() if block},
                "scene_seed": seed,
                "system": {"generated": {**made_by, "goal": DONE}},
                "content_packs": list(self.ground.pack_ids),
                "ruleset": self.ruleset.id,
                "start": self._key(self.stage.start),
                "player": {"name": "the visitor", "observations": self._memories("player")},
                "places": dict(self._places()),
                "things": {thing.key: made for thing, made in self._things()},
                "cast": {person.key: self._cast(person) for person in people},
                "entities": self._groups(),
                "threads": self._threads(),
                "clocks": self._clocks(lines),
                "rules": list(Rules(self.ruleset, self.errand, self.words, tuple(self.ground.survey.clocks)).all()),
                "endings": self._endings(),
                "demo": lines,
                "demo_seed": self.lot.seed,
            }
        )

    def _head(self) -> dict[str, str]:
        """Return title and texts, a model's where it wrote them; the goal is always described by code."""
        words, outline = self.words, self.outline
        if outline is None:
            return {
                "name": words.title,
                "summary": words.summary,
                "stakes": words.stakes,
                "tone": words.tone,
                "intro": words.opening,
                "clock": words.pressing.name,
            }
        return {
            "name": _line(outline.title),
            "summary": _line(outline.summary),
            "stakes": _line(outline.stakes) or words.stakes,
            "tone": _line(outline.tone) or words.tone,
            "intro": f"{_line(outline.opening)} {words.aim}",
            "clock": _line(outline.clock.name),
        }

    def _goals(self) -> dict[str, str]:
        found = self.words.after()
        if self.outline is not None:
            keys = {speaker.id: speaker.key for speaker in self.stage.cast} | {
                local(speaker.id): speaker.key for speaker in self.stage.cast
            }
            given = {keys[who]: _line(goal) for who, goal in self.outline.goals.items() if who in keys}
            found = {**found, **given}
        return found

    def _places(self) -> Iterator[tuple[str, dict[str, Any]]]:
        names = {place: self._name(place) for place in self.stage.places}
        for place in self.stage.places:
            exits = exits_of(self.stage.ways[place], names)
            for way in exits.values():
                way["to"] = self._key_of_target(str(way["to"]))
            yield self._key(place), {"name": names[place], "exits": exits}

    def _key_of_target(self, key: str) -> str:
        """Return a way's target by the key that its place has here."""
        return next((self._key(place) for place in self.stage.places if key in (place, local(place))), key)

    def _things(self) -> Iterator[tuple[Thing, dict[str, Any]]]:
        for thing, holder in ((self.errand.wanted, self.errand.holder), (self.errand.token, self.errand.helper)):
            entity = {"entity": thing.entity} if thing.entity else {}
            yield thing, {"name": thing.name, "held_by": holder.key, **entity}

    def _cast(self, speaker: Speaker) -> dict[str, Any]:
        member: dict[str, Any] = {"at": self._key(self.stage.at[speaker.key]), "name": speaker.name}
        member["chattiness"] = chattiness_by(f"{self.lot.seed}\nchattiness\n{speaker.key}")
        member |= acts_in(self.ruleset.profile, speaker.name)
        if speaker.speaks_for:
            member |= {"profile": {"speaks_for": speaker.speaks_for}}
        if steps := self._agenda(speaker):
            member["agenda"] = steps
        if memories := self._memories(speaker.key):
            member["observations"] = memories
        return member

    def _memories(self, key: str) -> list[dict[str, Any]]:
        content = self.words.remembered().get(key)
        return [{"content": content, "importance": 4}] if content else []

    def _agenda(self, speaker: Speaker) -> list[dict[str, Any]]:
        """Return the agenda of a speaker whom the errand does not need: they go to another place that the packs tie
        them to."""
        errand, here = self.errand, self.stage.at[speaker.key]
        if speaker in (errand.holder, errand.helper, errand.taker):
            return []
        other = next((home for home in speaker.homes if home in self.stage.places and home != here), None)
        if other is None:
            return []
        most = self._clock_max(self.lines())
        steps = [(max(most // 3, 1), other), (max(2 * most // 3, 2), here)]
        return [
            {"when": {"clock": CLOCK, "min": at}, "do": [{"depart": speaker.key, "to": self._key(to)}]}
            for at, to in steps
        ]

    def _groups(self) -> list[dict[str, Any]]:
        found = {speaker.id: speaker.speaks_for for speaker in self.stage.cast if speaker.speaks_for}
        return [{"id": self.ground.key(group_id), "type": "faction", "name": name} for group_id, name in found.items()]

    def _threads(self) -> dict[str, Any]:
        """Return the errand, a model's threads, and the threads that conditions of the packs read."""
        errand = self.errand
        about = [speaker.key for speaker in (errand.holder, errand.helper, errand.taker) if speaker is not None]
        threads: dict[str, Any] = {
            ERRAND: {"title": self.words.question, "stakes": self.words.stakes, "related": about}
        }
        for number, thread in enumerate(self.outline.threads if self.outline else (), start=1):
            related = list(dict.fromkeys(key for name in thread.about if (key := self._present(name)) is not None))
            threads[f"{ERRAND}_{number}"] = {
                "title": _line(thread.title),
                "stakes": _line(thread.stakes),
                "related": related,
            }
        openly = {thread for note in self.ground.survey.notes.values() for thread in note.threads}
        for asked_for in self.ground.survey.threads:
            title = slug(asked_for).replace("-", " ").capitalize() if asked_for in openly else "Something open"
            threads.setdefault(asked_for, {"title": title})
        return threads

    def _present(self, name: str) -> str | None:
        """Return the key of a person or a place by its name in an outline, None where it is not on the stage."""
        keys = {speaker.id: speaker.key for speaker in self.stage.cast} | {
            place: self._key(place) for place in self.stage.places
        }
        return next((key for known_id, key in keys.items() if name in (known_id, local(known_id))), None)

    def _clock_max(self, lines: Sequence[str]) -> int:
        ways = sum(line.startswith(f"{_act('travel')} ") for line in lines)
        return min(2 * ways + _SLACK, _LONGEST_CLOCK)

    def _clocks(self, lines: Sequence[str]) -> dict[str, Any]:
        """Return the clock that presses, and the clocks that conditions of the packs read; the names of those may be
        secrets."""
        most = self._clock_max(lines)
        near = {"relation": [(self.errand.taker or self.errand.holder).key, "you"], "tension": 1}
        clocks: dict[str, Any] = {
            CLOCK: {
                "name": self._head()["clock"],
                "max": most,
                "cost": True,
                "at": {2 * most // 3: [near], most: [{"end": TOO_LATE}]},
            }
        }
        for number, (clock, highest) in enumerate(self.ground.survey.clocks.items()):
            name = _OTHER_CLOCKS[number] if number < len(_OTHER_CLOCKS) else f"Clock {number + 1}"
            clocks.setdefault(clock, {"name": name, "max": highest})
        return clocks

    def _endings(self) -> dict[str, Any]:
        errand, words = self.errand, self.words
        done: dict[str, Any] = {"say": words.done}
        if errand.taker is None:
            done["when"] = {"all": [{"has": errand.wanted.key}, {"at": self._key(errand.goal_place)}]}
        elsewhere = {ELSEWHERE: {"say": words.elsewhere}} if errand.rival is not None else {}
        told = _line(self.outline.clock.when_full) if self.outline else ""
        return {DONE: done, **elsewhere, TOO_LATE: {"say": told or words.too_late}}

    def lines(self) -> list[str]:
        """Return the lines that a player types from the beginning to the goal."""
        errand, stage, lines = self.errand, self.stage, typed("glance")
        here = stage.start
        clue_at = errand.clue_place or stage.at[errand.helper.key]
        here = self._go(lines, here, clue_at)
        helper, holder = errand.helper.name, errand.holder.name
        match errand.gate:
            case "token":
                lines += typed("question", person=helper, topic=errand.token.the)
            case "word":
                lines += typed("question", person=helper, topic=errand.clue.words if errand.clue else "")
            case "find":
                lines += [errand.clue.trigger] if errand.clue and errand.clue.trigger else typed("rummage")
            case "vouch":
                lines += typed("question", person=helper, topic=holder)
        here = self._go(lines, here, stage.at[errand.holder.key])
        if errand.gate == "token":
            lines += typed("gift", thing=errand.token.the, person=holder)
        else:
            lines += typed("question", person=holder, topic=errand.wanted.the)
        self._go(lines, here, errand.goal_place)
        if errand.taker is not None:
            lines += typed("gift", thing=errand.wanted.the, person=errand.taker.name)
        return lines

    def _go(self, lines: list[str], start: str, end: str) -> str:
        for place in self.stage.route(start, end):
            lines += typed("travel", place=self._name(place))
        return end

    def _name(self, place: str) -> str:
        return self.stage.rooms.get(place) or self.ground.names[place]

    def _key(self, place: str) -> str:
        return place if place in self.stage.rooms else self.ground.key(place)


def _line(text: str) -> str:
    """Return a model's text on one line, without control characters for a terminal."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
