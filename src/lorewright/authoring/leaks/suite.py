"""`pack test --leaks`: every secret of a pack x every viewer x every channel, on a copy with a canary in each secret.

Files are written only in a temporary folder, and no model is asked but parrots.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path

from lorewright.authoring.leaks.asking import Asker
from lorewright.authoring.leaks.planting import (
    SEEN_IN_PLAY,
    Blocked,
    Leak,
    LeakReport,
    Looker,
    OverBlocked,
    Secret,
    Tally,
    secrets_of,
)
from lorewright.authoring.leaks.playing import Planted, Playing, Rehearsal, parrots
from lorewright.authoring.leaks.recorded import Overlaps, SecretHit, TurnInspector, sentences_of
from lorewright.authoring.leaks.surfaces import Surface, holds, surfaces_of, surfaces_of_scenario
from lorewright.authoring.leaks.twin_worlds import LINES as TWIN_LINES
from lorewright.authoring.leaks.twin_worlds import TwinsFound, TwinWorlds
from lorewright.authoring.pack_figures import PackRoots
from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.scenarios.scenario import Scenario, read_scenario
from lorewright.errors import LorewrightError
from lorewright.ids import canonical_json
from lorewright.index.library import Library
from lorewright.llm.prompt_library import PromptLibrary
from lorewright.packs.files import Progress, no_progress
from lorewright.packs.manifest import load_manifest
from lorewright.packs.markdown.chunking import plain_text
from lorewright.packs.models import OPEN_ROLES, Item, Pack
from lorewright.rules.verbs import typed
from lorewright.turn.views.leaks import plain_words
from lorewright.turn.views.scope import ways_out
from lorewright.values.records import PackPin
from lorewright.world.state import WorldState

# The secrets in texts that authors wrote for others, by overlap of texts, word for word.

# At most so many of the worst are named.
_WORST = 10

# Several people may know the same, and the known facts of a place may be found there; withheld facts may not.
_KEPT_FROM_TALK = frozenset({"withholds", "secret", "discoverable"})

_HINTS = {
    "knows": "a character who is asked tells it: leave it to the section that withholds it, or name it there only",
    "hint": "a hint is told beforehand: say where to look, not what lies there",
    "scenario": "say it where the item is revealed, or leave it out",
}
_HINT = "everyone may read this: leave it out here, or make no secret of it"


def leaks_in_writing(surfaces: Iterable[Surface], secrets: Sequence[Secret], tally: Tally) -> None:
    """Find every sentence of a secret in a text that is shown to those who have not learned it."""
    overlaps = Overlaps(secrets)
    for surface in surfaces:
        tally.looked(surface.channel.partition(" key ")[0])
        for hit in overlaps.hits(surface.words):
            if hit.copied and _is_news(hit.secret, surface):
                tally.found(_leak(hit, surface))


def over_blocked_sentences(packs: Sequence[Pack], secrets: Sequence[Secret]) -> OverBlocked:
    """Return how many sentences of open lore a narrator could not quote while some secret is hidden, because they share
    six words with it; and which phrases cost the most."""
    items = [secret for secret in secrets if secret.item_id is not None]
    overlaps = Overlaps(items)
    count = refused = 0
    phrases: Counter[tuple[str, int, str, str]] = Counter()
    for pack in packs:
        for chunk in pack.chunks:
            for sentence in sentences_of(plain_text(chunk.text)) if chunk.role in OPEN_ROLES else ():
                count += 1
                hits = list(overlaps.hits(plain_words(sentence)))
                refused += bool(hits)
                for hit in hits:
                    phrases[chunk.file_path, chunk.line, hit.phrase, f"{hit.secret.id} at {hit.secret.place}"] += 1
    worst = sorted(phrases.items(), key=lambda entry: (-entry[1], entry[0]))[:_WORST]
    return OverBlocked(
        sentences=count,
        refused=refused,
        worst=tuple(
            Blocked(file, line, f"“{phrase}”, {times} times", "narrator", f"it stands in {secret}, too")
            for (file, line, phrase, secret), times in worst
        ),
    )


def _is_news(secret: Secret, surface: Surface) -> bool:
    if secret.item_id is not None and holds(surface, secret.item_id):
        return False
    if surface.channel == "knows":
        return secret.kind in _KEPT_FROM_TALK
    return not (secret.kind in SEEN_IN_PLAY and surface.channel == "scenario")


def _leak(hit: SecretHit, surface: Surface) -> Leak:
    return Leak(
        file=hit.secret.file,
        line=hit.secret.line,
        secret=hit.secret.id,
        viewer=surface.viewer,
        channel=surface.channel,
        where=surface.place(hit.at),
        quote=surface.quote(hit.at),
        hint=_HINTS.get(surface.channel, _HINT),
    )


# The lines that a curious player types to see as much as possible: looks, talks, questions about all secrets, searches,
# ways.

# At most so many questions to one character, and so many searches in one place.
_QUESTIONS = 5
_SEARCHES = 3


class Tour:
    """The lines of a curious player: the next line depends on the state. Names and triggers are the author's own: no
    canary is typed."""

    def __init__(self, packs: Sequence[Pack]) -> None:
        self._asked: dict[str, list[Item]] = {}
        self._found: dict[str, list[Item]] = {}
        for pack in packs:
            for chunk in pack.chunks:
                if chunk.role in ("knows", "withholds"):
                    self._asked.setdefault(chunk.entity_id, []).extend(chunk.items)
                elif chunk.role == "discoverable":
                    self._found.setdefault(chunk.entity_id, []).extend(chunk.items)
        self._done: set[str] = set()

    def lines(self, campaign: OpenCampaign, most: int) -> Iterator[str]:
        """Yield at most so many lines; end earlier where the story does."""
        for _ in range(most):
            state = campaign.store.head().state
            if state.ended is not None:
                return
            line = next((wish for wish in self._candidate_lines(state) if self._is_new(state, wish)), None)
            line = line or self._way_on(state)
            if line is None:
                return
            yield line

    def _is_new(self, state: WorldState, line: str) -> bool:
        key = f"{state.scene.location_id}\0{line}"
        new = key not in self._done
        self._done.add(key)
        return new

    def _candidate_lines(self, state: WorldState) -> Iterator[str]:
        here = state.scene.location_id
        yield from typed("glance")
        for who in state.present_npcs():
            name = state.name_of(who)
            yield from typed("examine", thing=name)
            yield from typed("meet", person=name)
            for item in _first_and_last(self._asked.get(who, ()), _QUESTIONS):
                yield from typed("question", person=name, topic=_topic(item))
        for item in self._found.get(here, ())[:_SEARCHES]:
            yield from [item.trigger] if item.trigger else typed("rummage")
        yield from typed("rummage")
        yield from typed("pass_time")

    def _way_on(self, state: WorldState) -> str | None:
        ways = sorted(ways_out(state), key=lambda way: state.visits.get(way.to, 0))
        return next(iter([*(typed("way", way=ways[0].name) if ways else ()), *typed("pass_time")]), None)


def _topic(item: Item) -> str:
    name = item.name.replace("_", " ")
    return " ".join(item.text.split()[:4]) if name.isdigit() else name


def _first_and_last(items: Sequence[Item], most: int) -> list[Item]:
    """Return the first and the last items: known ones stand first, withheld ones last."""
    return list(items) if len(items) <= most else [*items[: most - most // 2], *items[-(most // 2) :]]


# The suite: it plants, asks, plays and reports.


@dataclass(frozen=True, slots=True)
class Plays:
    """How many lines are played at most in each campaign: by the builtin stages, and by parrots, which say everything
    that they were shown and so are slow; and how many are typed in each of two worlds that differ in hidden names."""

    builtin: int = 40
    parrot: int = 8
    twins: int = TWIN_LINES


@dataclass(slots=True)
class _Found:
    tally: Tally = field(default_factory=Tally)
    refused: list[Blocked] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


class LeakSuite:
    """Tests packs for leaks. The library only says where installed packs lie."""

    def __init__(
        self,
        library: Library,
        scenarios: Path,
        content_packs: Path,
        prompts: PromptLibrary,
        *,
        plays: Plays = Plays(),
    ) -> None:
        self._roots = PackRoots(library, content_packs, scenarios)
        self._scenarios = scenarios
        self._prompts = prompts
        self._plays = plays

    def pack(self, name: str, *, progress: Progress = no_progress) -> LeakReport:
        """Test a pack, by its folder or ID, together with its dependencies and with the workspace's scenarios that use
        it.

        Raises:
            NotFound: there is no such folder or pack.
            PackError: it is no pack, or a dependency is not there.
        """
        root = self._roots.root(name)
        pack_id = load_manifest(root)[0].id
        scenarios = self._roots.scenarios_of(pack_id)
        wanted = [content_pack for _, scenario in scenarios for content_pack in scenario.content_packs]
        roots = self._roots.with_dependencies([root])
        # A pack that is tested in its folder may also lie in the workspace: each is taken once.
        there = {load_manifest(root)[0].id for root in roots}
        needed = self._roots.with_dependencies(self._roots.there(wanted, but=pack_id))
        beside = [root for root in needed if load_manifest(root)[0].id not in there]
        return self.tested(pack_id, roots, scenarios, beside=beside, progress=progress)

    def campaign(self, campaigns: Campaigns, campaign_id: str, *, progress: Progress = no_progress) -> LeakReport:
        """Test a campaign: every turn that was played, and what can be asked at its head; then the packs that it pins
        with its scenario, as `pack` does.

        Raises:
            NotFound: there is no such campaign, or a text that it pins is gone.
        """
        tally = Tally()
        with tempfile.TemporaryDirectory(prefix="lorewright-leaks-") as folder:
            with campaigns.open(campaign_id) as campaign:
                recorded = TurnInspector(campaign, tally)
                recorded.look(progress=progress)
                row = campaign.row
                roots = [_unpack(campaigns, pin, Path(folder)) for pin in row.pins]
            scenario = Scenario.model_validate(row.scenario)
            path = Path(folder) / f"{scenario.id}.yaml"
            path.write_text(canonical_json(row.scenario), encoding="utf-8")
            report = self.tested(
                campaign_id, self._roots.with_dependencies(roots), [(path, scenario)], progress=progress
            )
        checks = Counter(report.checks)
        checks.update(tally.checks)
        return replace(report, checks=dict(sorted(checks.items())), leaks=tuple(sorted({*report.leaks, *tally.leaks})))

    def tested(
        self,
        subject: str,
        roots: Sequence[Path],
        scenarios: Sequence[tuple[Path, Scenario]],
        *,
        beside: Sequence[Path] = (),
        progress: Progress = no_progress,
    ) -> LeakReport:
        """Test packs that lie in these folders (dependencies first), and play the scenarios on top of them, some of
        which need the packs `beside` them.

        Raises:
            PackError: a folder is no pack.
        """
        found = _Found()
        with tempfile.TemporaryDirectory(prefix="lorewright-leaks-") as folder:
            rehearsal = Rehearsal(Path(folder), self._prompts)
            progress("planting", 0, 1)
            planted = rehearsal.install([*roots, *beside])
            own = planted.packs[: len(roots)]
            rehearsal.add_scenarios((path for path, _ in scenarios), self._scenarios)
            looker = Looker(planted.canaries, found.tally)
            secrets = [secret for pack in own for secret in secrets_of(pack)]
            progress("reading", 0, 1)
            leaks_in_writing(_surfaces(own, scenarios), secrets, found.tally)
            blocked = over_blocked_sentences(own, secrets)
            asked = Asker(
                rehearsal.retriever,
                [pack.manifest.id for pack in own],
                looker,
                conditioned=[chunk.id for pack in own for chunk in pack.chunks if chunk.conditions],
            ).ask(progress=progress)
            self._play(rehearsal, planted, own[-1].manifest.id, scenarios, looker, found, progress)
        twins = TwinWorlds([*roots, *beside], self._prompts, found.tally, lines=self._plays.twins)
        texts = [(path.name, path.read_text(encoding="utf-8-sig")) for path, _ in scenarios]
        compared = twins.compare(texts, self._scenarios, progress=progress)
        return LeakReport(
            subject=subject,
            secrets=len(secrets),
            viewers=(*asked.viewers, "stages"),
            checks=dict(sorted(found.tally.checks.items())),
            leaks=tuple(sorted(found.tally.leaks)),
            over_blocked=_over_blocked(blocked, asked.not_shown, found.refused),
            unproven=tuple(secret.place for secret in planted.canaries.unproven),
            remarks=(
                *_remarks(planted, secrets),
                *asked.remarks,
                *dict.fromkeys(found.remarks),
                *_remarks_on_twins(compared),
            ),
        )

    def _play(
        self,
        rehearsal: Rehearsal,
        planted: Planted,
        walked: str,
        scenarios: Sequence[tuple[Path, Scenario]],
        looker: Looker,
        found: _Found,
        progress: Progress,
    ) -> None:
        plays = [("the walk", None), *((path.name, path) for path, _ in scenarios)]
        for done, (name, path) in enumerate(plays):
            for cast, most in (("builtin", self._plays.builtin), ("parrot", self._plays.parrot)):
                progress(f"playing {name}", 2 * done + (cast == "parrot"), 2 * len(plays))
                models = parrots() if cast == "parrot" else {}
                playing = Playing(rehearsal, looker, f"{name} ({cast})")
                campaigns = rehearsal.campaigns(models)
                campaign_id = f"c{done}{cast}"
                try:
                    demo = _begin(rehearsal, campaigns, campaign_id, walked, path)
                    with campaigns.open(campaign_id) as campaign:
                        lines = chain(demo[:most], Tour(planted.packs).lines(campaign, most))
                        playing.play(campaigns, campaign_id, islice(lines, most), models)
                except LorewrightError as problem:
                    found.remarks.append(f"{name} could not be played: {problem}")
                found.refused += playing.played.refused
                found.remarks += playing.played.remarks


def _unpack(campaigns: Campaigns, pin: PackPin, folder: Path) -> Path:
    root = folder / pin.pack_id
    root.mkdir()
    campaigns.kept.unpack(pin.content_hash, root)
    return root


def _begin(rehearsal: Rehearsal, campaigns: Campaigns, campaign_id: str, subject: str, path: Path | None) -> list[str]:
    """Begin a campaign of a scenario's file, or of the walk in a pack; return the lines of its demo."""
    if path is None:
        explorer = rehearsal.explorer
        walk = explorer.walk(*explorer.pack_of_id(subject), seed=1)
        explorer.begin(walk, campaigns, campaign_id=campaign_id, seed=1)
        return []
    scenario, _ = read_scenario(path)
    campaigns.new(path.stem, campaign_id=campaign_id, seed=1 if scenario is None else scenario.demo_seed)
    return [] if scenario is None else list(scenario.demo)


def _surfaces(packs: Sequence[Pack], scenarios: Sequence[tuple[Path, Scenario]]) -> Iterable[Surface]:
    for pack in packs:
        yield from surfaces_of(pack)
    for path, _ in scenarios:
        yield from surfaces_of_scenario(path)


def _over_blocked(found: OverBlocked, not_shown: Iterable[Blocked], refused: Iterable[Blocked]) -> OverBlocked:
    return replace(found, not_shown=tuple(dict.fromkeys(not_shown)), refused_in_play=tuple(dict.fromkeys(refused)))


def _remarks_on_twins(compared: TwinsFound) -> list[str]:
    if not compared.hidden:
        return []
    typed = f"{compared.hidden} hidden entities; {compared.lines} lines were typed in worlds that differ in their names"
    return [typed, *compared.remarks]


def _remarks(planted: Planted, secrets: Sequence[Secret]) -> list[str]:
    remarks = []
    if not secrets:
        remarks.append("there are no secrets: every section is open to everybody")
    if unproven := len(planted.canaries.unproven):
        remarks.append(f"in {unproven} secrets no canary could be planted; only their words were looked for")
    return remarks
