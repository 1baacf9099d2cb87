"""Ground, seed and brief -> where it begins and who is in it; and what a model chose, held against the ground."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lorewright.campaigns.names import PLAYER_NAMES
from lorewright.generate.scenario.context import (
    MAX_PEOPLE,
    MAX_PLACES,
    Outline,
    PackBrief,
    PersonBrief,
    PlaceBrief,
    RulesetBrief,
    ScenarioContext,
)
from lorewright.generate.scenario.ground import Ground
from lorewright.generate.scenario.lot import Lot
from lorewright.generate.scenario.staging import (
    FEWEST_PEOPLE,
    Speaker,
    Stage,
    score,
    set_stage,
    speakers,
    too_little,
    words_of_brief,
)
from lorewright.ids import local
from lorewright.rules.rulesets import Ruleset

# More people than this are a crowd for one errand.
_MOST_CAST = 5


@dataclass(frozen=True, slots=True)
class Chooser:
    """Chooses on one ground by one lot and brief."""

    ground: Ground
    lot: Lot
    everybody: tuple[Speaker, ...]
    brief: str = ""

    @classmethod
    def of(cls, ground: Ground, lot: Lot, brief: str = "") -> Chooser:
        """A chooser who knows everybody that there is."""
        return cls(ground, lot, tuple(speakers(ground, lot)), brief)

    def stage(self) -> Stage:
        """A stage by lot: what the brief names first, then people who live near the beginning.

        Raises:
            ScenarioError: the packs have too few places or people.
        """
        everybody = self._by_brief(self.everybody)
        if len(everybody) < FEWEST_PEOPLE or not self.ground.ways:
            raise too_little(self.ground, places=len(self.ground.ways), people=len(everybody))
        start = self._start(everybody)
        near = {start, *(two for one in self.ground.neighbours(start) for two in self.ground.neighbours(one))}
        near |= set(self.ground.neighbours(start))
        ranked = sorted(everybody, key=lambda one: (-self._score(one.id), self._rank(one, near)))
        wanted = 3 + self.lot.number("how many people", below=_MOST_CAST - 2)
        # Whatever is asked for, holder and helper should have something to tell.
        tellers = [one for one in ranked if not _silent(one)][:FEWEST_PEOPLE]
        cast = [*tellers, *(one for one in ranked if one not in tellers)][:wanted]
        return set_stage(self.ground, start, cast, self.lot)

    def _by_brief(self, everybody: Sequence[Speaker]) -> list[Speaker]:
        return sorted(
            self.lot.order("people", everybody, lambda one: one.id),
            key=lambda one: (-self._score(one.id), _silent(one)),
        )

    def _start(self, everybody: Sequence[Speaker]) -> str:
        """A place that the brief names, else one where somebody lives who has something to tell."""
        lived_in = {home for one in everybody for home in one.homes[:1]}
        order = self.lot.order("start", list(self.ground.ways), str)
        return min(order, key=lambda one: (-self._score(one), one not in lived_in and bool(lived_in)))

    def _rank(self, one: Speaker, near: set[str]) -> tuple[bool, bool]:
        return (_silent(one), not near.intersection(one.homes))

    def _score(self, note_id: str) -> int:
        return score(words_of_brief(self.brief), self.ground.about.get(note_id, ()))

    def unheard(self) -> list[str]:
        """The words of the brief that no note of the packs is about."""
        known = set().union(*self.ground.about.values()) if self.ground.about else set()
        return [word for word in words_of_brief(self.brief) if word not in known]

    def stage_of(self, outline: Outline) -> Stage:
        """The stage that an outline chose.

        Raises:
            ScenarioError: the packs have too few places.
        """
        by_id = {one.id: one for one in self.everybody}
        cast = [by_id[self.note_id(one)] for one in dict.fromkeys(map(self.note_id, outline.cast)) if one in by_id]
        return set_stage(self.ground, self.note_id(outline.location_id), cast, self.lot)

    def wrong_with(self, outline: Outline) -> str | None:
        """What an outline names that the packs do not have, or None."""
        people = {one.id for one in self.everybody}
        if self.note_id(outline.location_id) not in self.ground.ways:
            return f"location_id: there is no place {outline.location_id} among the places given"
        unknown = [one for one in outline.cast if self.note_id(one) not in people]
        if unknown:
            return f"cast: there is nobody {unknown[0]} among the people given"
        if len({self.note_id(one) for one in outline.cast}) < FEWEST_PEOPLE:
            return f"cast: name at least {FEWEST_PEOPLE} different people"
        cast = {self.note_id(one) for one in outline.cast}
        stray = [one for one in outline.goals if one not in PLAYER_NAMES and self.note_id(one) not in cast]
        if stray:
            return f"goals: {stray[0]} is neither player nor in the cast"
        about = [one for thread in outline.threads for one in thread.about if self.note_id(one) not in self._known()]
        return f"threads: nothing given is called {about[0]}" if about else None

    def _known(self) -> set[str]:
        return {*self.ground.ways, *(one.id for one in self.everybody)}

    def note_id(self, name: str) -> str:
        """The ID of a note by its ID, with its pack or without; what there is not is given back."""
        if name in self.ground.survey.notes:
            return name
        return next((one for one in self.ground.survey.notes if local(one) == name), name)

    def context(self, ruleset: Ruleset, said: Mapping[str, str]) -> ScenarioContext:
        """What a model is shown of the ground, what the brief names first; `said` is a sentence on each note."""
        people = self._by_brief(self.everybody)[:MAX_PEOPLE]
        places = sorted(self.ground.ways, key=lambda one: -self._score(one))[:MAX_PLACES]
        return ScenarioContext(
            ruleset=RulesetBrief(
                id=ruleset.id,
                name=ruleset.name,
                summary=" ".join((ruleset.rulebook_summary or ruleset.summary).split()),
            ),
            packs=tuple(
                PackBrief(id=one, name=name)
                for one, name in zip(self.ground.pack_ids, self.ground.pack_names, strict=True)
            ),
            brief=self.brief,
            places=tuple(self._place(one, said) for one in places),
            people=tuple(_person(one, said) for one in people),
            cast_wanted=min(3, len(people)) if len(people) > FEWEST_PEOPLE else FEWEST_PEOPLE,
        )

    def _place(self, place_id: str, said: Mapping[str, str]) -> PlaceBrief:
        note = self.ground.survey.notes[place_id]
        return PlaceBrief(
            id=place_id,
            name=self.ground.names[place_id],
            tags=note.entity.tags,
            about=said.get(place_id, ""),
            ways_to=tuple(self.ground.neighbours(place_id)),
        )


def _person(one: Speaker, said: Mapping[str, str]) -> PersonBrief:
    return PersonBrief(
        id=one.id,
        name=one.speaks_for or one.name,
        tags=one.note.entity.tags,
        about=said.get(one.id, ""),
        knows=len(one.knows),
        withholds=len(one.withholds),
        speaks_for=bool(one.speaks_for),
    )


def _silent(one: Speaker) -> bool:
    return not (one.knows or one.withholds)
