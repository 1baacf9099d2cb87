"""Packs, a ruleset, a seed and a brief -> a scenario that was played to its goal before anybody is given it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.scenarios.checks import play_demo
from lorewright.campaigns.scenarios.names import PLAYER_NAMES
from lorewright.campaigns.scenarios.rulesets import load_ruleset, rulesets_beside
from lorewright.campaigns.scenarios.scenario import Scenario, with_profile
from lorewright.errors import ScenarioError
from lorewright.generate.explore.explorer import Explorer
from lorewright.generate.scenario.building import DONE, NEEDED_LINES, Builder
from lorewright.generate.scenario.ground import Ground, ground_of, sentences_on
from lorewright.generate.scenario.sentences import (
    MAX_PEOPLE,
    MAX_PLACES,
    ErrandWords,
    Outline,
    PackBrief,
    PersonBrief,
    PlaceBrief,
    RulesetBrief,
    ScenarioContext,
)
from lorewright.generate.scenario.staging import (
    FEWEST_PEOPLE,
    Lot,
    ScenarioPlaces,
    Speaker,
    plan_errand,
    score,
    set_stage,
    speakers,
    too_little,
    words_of_brief,
)
from lorewright.ids import is_id, local
from lorewright.index.generation import Generation
from lorewright.index.installed_packs import InstalledPack
from lorewright.index.library import Library
from lorewright.llm.gateway import Options, run_structured
from lorewright.llm.model import CallLog, Model
from lorewright.llm.prompt_template import PlainPrompts, Prompts
from lorewright.packs.files import Progress, no_progress
from lorewright.retrieval.view import generations_in_force
from lorewright.rules.rulesets import Ruleset, TurnProfile
from lorewright.rules.verbs import verb_for
from lorewright.turn.stages.stage import REPAIR
from lorewright.values.records import BUILTIN

# The choice of a place and a cast by ground, seed and brief; and the check of a model's choice against the ground.

# More people are too many for one errand.
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
        """Return a chooser who knows everybody that there is."""
        return cls(ground, lot, tuple(speakers(ground, lot)), brief)

    def stage(self) -> ScenarioPlaces:
        """Return a stage by lot: those whom the brief names first, then people who live near the beginning.

        Raises:
            ScenarioError: the packs have too few places or people.
        """
        everybody = self._by_brief(self.everybody)
        if len(everybody) < FEWEST_PEOPLE or not self.ground.ways:
            raise too_little(self.ground, places=len(self.ground.ways), people=len(everybody))
        start = self._start(everybody)
        near = {
            start,
            *(two for neighbour in self.ground.neighbours(start) for two in self.ground.neighbours(neighbour)),
        }
        near |= set(self.ground.neighbours(start))
        ranked = sorted(everybody, key=lambda speaker: (-self._score(speaker.id), self._rank(speaker, near)))
        wanted = 3 + self.lot.number("how many people", below=_MOST_CAST - 2)
        # Whatever the brief says, holder and helper should have something to tell.
        tellers = [speaker for speaker in ranked if not _silent(speaker)][:FEWEST_PEOPLE]
        cast = [*tellers, *(speaker for speaker in ranked if speaker not in tellers)][:wanted]
        return set_stage(self.ground, start, cast, self.lot)

    def _by_brief(self, everybody: Sequence[Speaker]) -> list[Speaker]:
        return sorted(
            self.lot.order("people", everybody, lambda speaker: speaker.id),
            key=lambda speaker: (-self._score(speaker.id), _silent(speaker), bool(speaker.speaks_for)),
        )

    def _start(self, everybody: Sequence[Speaker]) -> str:
        """Return a place that the brief names, else one where somebody lives who has something to tell."""
        lived_in = {home for speaker in everybody for home in speaker.homes[:1]}
        order = self.lot.order("start", list(self.ground.ways), str)
        return min(order, key=lambda place: (-self._score(place), place not in lived_in and bool(lived_in)))

    def _rank(self, speaker: Speaker, near: set[str]) -> tuple[bool, bool, bool]:
        """Return the rank of a speaker whom the brief does not name: the packs' own people before made-up members of
        their groups."""
        return (_silent(speaker), bool(speaker.speaks_for), not near.intersection(speaker.homes))

    def _score(self, note_id: str) -> int:
        return score(words_of_brief(self.brief), self.ground.about.get(note_id, ()))

    def unheard(self) -> list[str]:
        """Return the words of the brief that no note of the packs is about."""
        known = set().union(*self.ground.about.values()) if self.ground.about else set()
        return [word for word in words_of_brief(self.brief) if word not in known]

    def stage_of(self, outline: Outline) -> ScenarioPlaces:
        """Return the stage that an outline chose.

        Raises:
            ScenarioError: the packs have too few places.
        """
        by_id = {speaker.id: speaker for speaker in self.everybody}
        cast = [by_id[self.note_id(name)] for name in dict.fromkeys(map(self.note_id, outline.cast)) if name in by_id]
        return set_stage(self.ground, self.note_id(outline.location_id), cast, self.lot)

    def wrong_with(self, outline: Outline) -> str | None:
        """Return what an outline names that the packs do not have, or None."""
        people = {speaker.id for speaker in self.everybody}
        if self.note_id(outline.location_id) not in self.ground.ways:
            return f"location_id: there is no place {outline.location_id} among the places given"
        unknown = [name for name in outline.cast if self.note_id(name) not in people]
        if unknown:
            return f"cast: there is nobody {unknown[0]} among the people given"
        if len({self.note_id(name) for name in outline.cast}) < FEWEST_PEOPLE:
            return f"cast: name at least {FEWEST_PEOPLE} different people"
        cast = {self.note_id(name) for name in outline.cast}
        stray = [goal for goal in outline.goals if goal not in PLAYER_NAMES and self.note_id(goal) not in cast]
        if stray:
            return f"goals: {stray[0]} is neither player nor in the cast"
        about = [name for thread in outline.threads for name in thread.about if self.note_id(name) not in self._known()]
        return f"threads: nothing given is called {about[0]}" if about else None

    def _known(self) -> set[str]:
        return {*self.ground.ways, *(speaker.id for speaker in self.everybody)}

    def note_id(self, name: str) -> str:
        """Return the ID of a note by its ID, with its pack or without; a name that is no note is returned as it is."""
        if name in self.ground.survey.notes:
            return name
        return next((note for note in self.ground.survey.notes if local(note) == name), name)

    def context(self, ruleset: Ruleset, said: Mapping[str, str]) -> ScenarioContext:
        """Return what a model is shown of the ground, notes that the brief names first; `said` is a sentence on each
        note."""
        people = self._by_brief(self.everybody)[:MAX_PEOPLE]
        places = sorted(self.ground.ways, key=lambda place_id: -self._score(place_id))[:MAX_PLACES]
        return ScenarioContext(
            ruleset=RulesetBrief(
                name=ruleset.name,
                summary=" ".join((ruleset.rulebook_summary or ruleset.summary).split()),
            ),
            packs=tuple(
                PackBrief(id=pack_id, name=name)
                for pack_id, name in zip(self.ground.pack_ids, self.ground.pack_names, strict=True)
            ),
            brief=self.brief,
            places=tuple(self._place_brief(place, said) for place in places),
            people=tuple(_person_brief(person, said) for person in people),
            cast_wanted=min(3, len(people)) if len(people) > FEWEST_PEOPLE else FEWEST_PEOPLE,
        )

    def _place_brief(self, place_id: str, said: Mapping[str, str]) -> PlaceBrief:
        return PlaceBrief(
            id=place_id,
            name=self.ground.names[place_id],
            about=said.get(place_id, ""),
            ways_to=tuple(self.ground.neighbours(place_id)),
        )


def _person_brief(speaker: Speaker, said: Mapping[str, str]) -> PersonBrief:
    return PersonBrief(
        id=speaker.id,
        name=speaker.speaks_for or speaker.name,
        about=said.get(speaker.id, ""),
        knows=len(speaker.knows),
        withholds=len(speaker.withholds),
        speaks_for=bool(speaker.speaks_for),
    )


def _silent(speaker: Speaker) -> bool:
    return not (speaker.knows or speaker.withholds)


# The generator: a scenario is played to its goal before anybody is given it.

PROMPT = "scenario_generator"
# The packs' own rules may break a draft; so many are tried.
_ATTEMPTS = 12
MAX_BRIEF = 1_000

# Temporary campaigns in a folder.
Rehearsal = Callable[[Path], Campaigns]


@dataclass(frozen=True, slots=True)
class Generated:
    """A scenario, how many typed lines bring it to its goal, the words of the brief that nothing in the packs is about,
    and the calls to the model that outlined it (none where none was asked)."""

    scenario: Scenario
    lines: int
    unheard: tuple[str, ...]
    log: CallLog | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """Packs that were read, and the ground that they give."""

    installed: tuple[InstalledPack, ...]
    ground: Ground


class Generator:
    """Makes scenarios. Its library searches by words alone: nothing is embedded here."""

    def __init__(self, folder: Path, library: Library, explorer: Explorer, rehearsal: Rehearsal) -> None:
        self._folder = folder
        self._library = library
        self._explorer = explorer
        self._rehearsal = rehearsal

    def prepare(self, packs: Sequence[str], *, progress: Progress = no_progress) -> Prepared:
        """Read packs (by ID or folder), for one scenario or many.

        Raises:
            NotFound: there is no such pack.
            PackError: a folder cannot be installed.
            ScenarioError: no pack is named.
        """
        if not packs:
            raise ScenarioError("a scenario is made from at least one pack", hint="name one: --pack PACK")
        installed = tuple(self._explorer.pack(name, progress=progress)[0] for name in dict.fromkeys(packs))
        with self._opened(installed) as generations:
            return Prepared(installed, ground_of(generations))

    def id_for(self, prepared: Prepared, given: str | None, seed: int) -> str:
        """Return the given ID of a scenario, else the first pack's with the seed.

        Raises:
            ScenarioError: the given text can be no ID.
        """
        found = given or default_id(prepared.installed[0].id, seed)
        if not is_id(found):
            raise ScenarioError(f"{found!r} cannot be a scenario ID", hint="use letters, digits, _ and -")
        return found

    def generate(
        self,
        prepared: Prepared,
        ruleset_id: str,
        *,
        seed: int = 1,
        brief: str = "",
        scenario_id: str | None = None,
        profile: TurnProfile | None = None,
        model: Model | None = None,
        prompts: Prompts | None = None,
    ) -> Generated:
        """Return a scenario by seed, played to its goal in a profile (the ruleset's, if not given); with a model its
        outline is the model's. The same packs, seed and brief (and outline) give the same scenario. Nothing is written.

        Raises:
            NotFound: there is no such ruleset.
            ScenarioError: the packs have too little, or the ruleset no place for it; the hint says what to do.
            ProviderError: the model could not be asked, or its outline stayed invalid.
        """
        ruleset, _ = load_ruleset(ruleset_id, rulesets_beside(self._folder))
        ruleset = ruleset.model_copy(update={"profile": profile or ruleset.profile})
        scenario_id = self.id_for(prepared, scenario_id, seed)
        _check(ruleset, brief)
        chooser = Chooser.of(prepared.ground, Lot(seed), brief)
        outline, log = (None, None) if model is None else self._ask_outline(prepared, chooser, ruleset, model, prompts)
        made_by = {
            "seed": seed,
            "brief": brief,
            "model": model.key if model is not None else BUILTIN,
            "packs": {pack.id: pack.content_hash for pack in prepared.installed},
        }
        problem = ""
        for attempt in range(_ATTEMPTS):
            lot = Lot(seed, attempt)
            scenario = draft(prepared.ground, ruleset, lot, scenario_id, brief=brief, outline=outline, made_by=made_by)
            scenario = with_profile(scenario, profile)
            problem = self._try_out(scenario, prepared.installed)
            if not problem:
                return Generated(scenario, len(scenario.demo), tuple(chooser.unheard()), log)
        raise ScenarioError(
            f"no scenario of seed {seed} plays to its end: {problem}", hint="try another --seed, or another --ruleset"
        )

    @contextmanager
    def _opened(self, installed: Sequence[InstalledPack]) -> Iterator[list[Generation]]:
        with ExitStack() as stack:
            generations = [self._library.open(pack.key) for pack in installed]
            for generation in generations:
                stack.callback(generation.close)
            yield generations

    def _ask_outline(
        self, prepared: Prepared, chooser: Chooser, ruleset: Ruleset, model: Model, prompts: Prompts | None
    ) -> tuple[Outline, CallLog]:
        """Return a model's outline that names only existing notes, and the calls that it took."""
        prompts = prompts or PlainPrompts()
        with self._opened(prepared.installed) as generations:
            said = sentences_on(prepared.ground.survey, generations_in_force(generations))
        options: Options[Outline] = Options(
            model=model, stage=PROMPT, repair=prompts.prompt(REPAIR), check=chooser.wrong_with
        )
        context = chooser.context(ruleset, said).model_dump(mode="json")
        response = asyncio.run(run_structured(prompts.prompt(PROMPT), context, Outline, options))
        return response.output, response.log

    def _try_out(self, scenario: Scenario, installed: Sequence[InstalledPack]) -> str:
        """Return what keeps the demo from its goal; an empty text where it gets there."""
        with tempfile.TemporaryDirectory() as folder:
            campaigns = self._rehearsal(Path(folder))
            demo_id = f"{scenario.id}_demo"
            source = f"the scenario {scenario.id}"
            row = campaigns.begin(
                scenario, installed, self._library, source=source, campaign_id=demo_id, seed=scenario.demo_seed
            )
            with campaigns.open(row.id) as campaign:
                doubts = list(play_demo(campaign, scenario.demo))
                ended = campaign.store.head().state.ended
        return doubts[0].message if doubts else "" if ended == DONE else "its lines do not come to its goal"


def draft(
    ground: Ground,
    ruleset: Ruleset,
    lot: Lot,
    scenario_id: str,
    *,
    brief: str = "",
    outline: Outline | None = None,
    made_by: dict[str, Any] | None = None,
) -> Scenario:
    """Return the scenario of a lot (or an outline) on a ground, not yet played.

    Raises:
        ScenarioError: there is too little ground, or the ruleset's schemas require a value that cannot be made up.
    """
    chooser = Chooser.of(ground, lot, brief)
    stage = chooser.stage() if outline is None else chooser.stage_of(outline)
    errand, stage = plan_errand(ground, stage, lot, brief)
    words = ErrandWords(errand, stage, {**ground.names, **stage.rooms}, lot)
    return Builder(ground, ruleset, stage, errand, words, lot, outline).scenario(scenario_id, made_by or {})


def default_id(pack_id: str, seed: int) -> str:
    """Return the ID of a scenario that was given none."""
    return f"{pack_id.replace('-', '_')[:80]}_{seed}"


def _check(ruleset: Ruleset, brief: str) -> None:
    for purpose in NEEDED_LINES:
        verb = verb_for(purpose)
        if verb is None or ruleset.find_row(verb.name) is None:
            missing = purpose if verb is None else verb.name
            hint = "choose another ruleset: lorewright ruleset list"
            raise ScenarioError(f"the ruleset {ruleset.id} has no `{missing}`, and an errand needs it", hint=hint)
    if len(brief) > MAX_BRIEF:
        raise ScenarioError(f"the brief is longer than {MAX_BRIEF} characters", hint="say it in a sentence or two")
