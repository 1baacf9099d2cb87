"""A scenario that is being written -> what each save changes: its findings, and what the lines played so far answer.

After a save the scenario is checked; where it has no error, the lines that were played are played again in a fresh
rehearsal with the same dice, and play goes on from there. With an error the game before goes on.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.packs.files import Finding
from lorewright.values.records import TurnResult
from lorewright.workspace.scenarios import Scenarios

_WATCHED = (".md", ".markdown", ".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """A line that was played again, and what it answered before and answers now."""

    line: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ScenarioLook:
    """What a save changed: findings that are new or solved, the first words and lines that are answered otherwise, and
    whether the scenario could be played (else the game before goes on)."""

    new: tuple[Finding, ...]
    solved: tuple[Finding, ...]
    answers: tuple[ChangedAnswer, ...] = ()
    is_played: bool = True
    left: int = 0

    @property
    def is_quiet(self) -> bool:
        """Return True if nothing that is told of has changed."""
        return not (self.new or self.solved or self.answers)


@dataclass(slots=True)
class _Game:
    """A rehearsal that is open, and the answers to its lines."""

    stack: ExitStack
    campaign: OpenCampaign
    opening: str
    answers: list[str] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        return self.campaign.store.head().state.ended is not None


class ScenarioWatch:
    """Watches a scenario's file and the folders of its packs, and plays in it."""

    def __init__(
        self, path: Path, scenarios: Scenarios, rehearsal: Callable[[Path], Campaigns], *, seed: int | None = None
    ) -> None:
        """`rehearsal` makes campaigns in a folder that is thrown away."""
        self.path = path
        self.lines: list[str] = []
        self._scenarios = scenarios
        self._rehearsal = rehearsal
        self._seed = seed
        self._findings: tuple[Finding, ...] = ()
        self._game: _Game | None = None
        self._seen = self._snapshot()

    @property
    def campaign(self) -> OpenCampaign | None:
        """The rehearsal that is played, or None while the scenario has never been without errors."""
        return self._game.campaign if self._game else None

    @property
    def is_over(self) -> bool:
        """Return True if the story has ended."""
        return self._game is not None and self._game.is_over

    def has_changed(self) -> bool:
        """Return True if a watched file was saved since the last look."""
        return self._snapshot() != self._seen

    def look(self) -> ScenarioLook:
        """Check the scenario as it is now, and play the lines again in it."""
        self._seen = self._snapshot()
        found = tuple(self._scenarios.findings(self.path))
        new = tuple(finding for finding in found if finding not in self._findings)
        solved = tuple(finding for finding in self._findings if finding not in found)
        self._findings = found
        if any(finding.severity == "error" for finding in found):
            return ScenarioLook(new, solved, is_played=False)
        before, self._game = self._game, self._begin()
        answers = [] if before is None else [*self._replayed(before, self._game)]
        if before is not None:
            before.stack.close()
        left = len(self.lines) - len(self._game.answers)
        del self.lines[len(self._game.answers) :]
        return ScenarioLook(new, solved, tuple(answers), left=left)

    def play(self, line: str) -> TurnResult | None:
        """Play a line and return its result; None where there is nothing to play in, or the story has ended."""
        if self._game is None or self._game.is_over:
            return None
        result = _answered(self._game.campaign, line)
        self.lines.append(line)
        self._game.answers.append(_told(result))
        return result

    def take_back(self) -> None:
        """Take the last line back: the others are played again."""
        if self.lines and self._game is not None:
            self.lines.pop()
            self._game.stack.close()
            self._game = self._begin()
            for line in self.lines:
                self._game.answers.append(_told(_answered(self._game.campaign, line)))

    def close(self) -> None:
        """Throw the rehearsal away."""
        if self._game is not None:
            self._game.stack.close()
            self._game = None

    def _begin(self) -> _Game:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            campaigns = self._rehearsal(folder)
            row = self._scenarios.begin_rehearsal(self.path, campaigns, seed=self._seed)
            campaign = stack.enter_context(campaigns.open(row.id))
            opening = str(row.scenario.get("intro_seed", ""))
            return _Game(stack.pop_all(), campaign, opening)

    def _replayed(self, before: _Game, now: _Game) -> Iterator[ChangedAnswer]:
        if before.opening != now.opening:
            yield ChangedAnswer("", before.opening, now.opening)
        for line, told in zip(self.lines, before.answers, strict=True):
            if now.is_over:
                return
            now.answers.append(_told(_answered(now.campaign, line)))
            if now.answers[-1] != told:
                yield ChangedAnswer(line, told, now.answers[-1])

    def _snapshot(self) -> dict[Path, tuple[int, int]]:
        found: dict[Path, tuple[int, int]] = {}
        for path in self._files():
            try:
                stat = path.stat()
            except OSError:
                continue
            found[path] = (stat.st_mtime_ns, stat.st_size)
        return found

    def _files(self) -> Iterator[Path]:
        yield self.path
        for folder in self._scenarios.folders_of(self.path):
            yield from (path for path in folder.rglob("*") if path.suffix in _WATCHED)


def _answered(campaign: OpenCampaign, line: str) -> TurnResult:
    return TurnResult.model_validate_json(asyncio.run(campaign.submit(line)))


def _told(result: TurnResult) -> str:
    return result.clarification_question or result.final_text


def said_of(answers: Sequence[ChangedAnswer]) -> Iterator[tuple[str, str]]:
    """Yield the changed answers as (mark, text): the line, what it answered before, what it answers now."""
    for answer in answers:
        yield ">", answer.line or "(the opening)"
        yield "-", answer.before
        yield "+", answer.after
