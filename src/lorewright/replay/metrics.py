"""Figures of turns -> the metrics of a campaign. The docstring of each says what is divided by what; docs/replay.md has
the same for users.

A rate is None where there was nothing to count: a campaign that never asked a model has no repair rate, which differs
from a rate of 0.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from lorewright.errors import NotFound, SettingsError
from lorewright.replay.figures import ModelRun, PlayedTurn, Proposals, TurnFigures, figures_of, model_run
from lorewright.storage.sittings import session_rows
from lorewright.turn.store.store import CampaignStore
from lorewright.values.records import CampaignRow

# The notation of a range: `3:8` is the turns from 3 to 8; either end may be left open, and one number is one turn.

_RANGE = re.compile(r"(\d{0,9}):(\d{0,9})|(\d{1,9})")


@dataclass(frozen=True, slots=True)
class TurnRange:
    """A range of turns by number, both ends included; None where an end is open."""

    first: int | None = None
    last: int | None = None

    def __contains__(self, turn_no: int) -> bool:
        return (self.first is None or turn_no >= self.first) and (self.last is None or turn_no <= self.last)

    def __str__(self) -> str:
        ends = ("" if end is None else str(end) for end in (self.first, self.last))
        return str(self.first) if self.first is not None and self.first == self.last else ":".join(ends)

    def held_to(self, last: int) -> TurnRange:
        """Return the range itself, where it holds a turn up to `last`.

        Raises:
            NotFound: it holds none.
        """
        if not any(turn_no in self for turn_no in range(last + 1)):
            raise NotFound(f"no turn is in {self}", hint=f"the last turn is {last}")
        return self


ALL_TURNS = TurnRange()


def read_range(text: str) -> TurnRange:
    """Return the range that a text denotes.

    Raises:
        SettingsError: it denotes none, or one that ends before it begins.
    """
    match = _RANGE.fullmatch(text.strip())
    if match is None:
        raise SettingsError(
            f"{text!r} is no range of turns", hint="write --turns 3:8, --turns 3:, --turns :8 or --turns 5"
        )
    if match[3]:
        return TurnRange(int(match[3]), int(match[3]))
    found = TurnRange(int(match[1]) if match[1] else None, int(match[2]) if match[2] else None)
    if found.first is not None and found.last is not None and found.last < found.first:
        raise SettingsError(f"the range {text} ends before it begins", hint=f"write --turns {found.last}:{found.first}")
    return found


# The metrics: figures of turns -> what they amount to.

# Kinds of turns that come of a submission.
_SUBMITTED = ("play", "clarification", "aside")
# Costs are counted in millionths of a dollar.
MICRO = 1_000_000


@dataclass(frozen=True, slots=True)
class Spread:
    """The least, the mean and the most of some numbers."""

    min: int
    avg: float
    max: int


@dataclass(frozen=True, slots=True)
class Latency:
    """The time that a stage took when a model ran it, its repair and retry included, in milliseconds: half of the runs
    took at most `p50`, nineteen of twenty at most `p95`."""

    runs: int
    p50: int
    p95: int


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens that models read and wrote; `cached` is the part of `input` that came from a provider's cache, and
    `cached_share` is that part as a share, None where nothing was read."""

    input: int
    output: int
    cached: int
    cached_share: float | None


@dataclass(frozen=True, slots=True)
class Prefix:
    """The part of the narrator's prompts that a provider can take from its cache, in estimated tokens.

    `share` is the mean, over all prompts, of the part before this turn's, as a share of the prompt. `changing_max` is
    the largest part of this turn among prompts that follow another one of their scene; `broken` counts those whose
    beginning is not that of the one before, byte for byte. None where no scene has two prompts.
    """

    share: float | None
    changing_max: int | None
    broken: int | None


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """A submission that failed: why, and the model runs for it. `turn_no` is the number that its turn would have
    had."""

    turn_no: int
    error_code: str
    runs: tuple[ModelRun, ...] = ()


@dataclass(frozen=True, slots=True)
class Metrics:
    """All metrics of some turns. Shares are from 0 to 1, money is in dollars by the taxonomy's prices."""

    turns: int
    contradiction_rate: float | None
    invalid_action_acceptance: float | None
    clarification_rate: float | None
    length_stats: Mapping[str, Spread | None]
    lore_relevance_rate: float | None
    lore_cache_hit_rate: float | None
    unsupported_rate: float | None
    proposals: Proposals
    repair_rate: float | None
    retry_rate: float | None
    tokens: Tokens
    cost_usd: float
    latency: Mapping[str, Latency]
    prefix: Prefix
    failed_attempts: Mapping[str, int]

    def as_dict(self) -> dict[str, Any]:
        """Return the metrics as values for JSON."""
        return asdict(self)


def metrics_of(turns: Sequence[TurnFigures], failed: Sequence[FailedAttempt] = ()) -> Metrics:
    """Return the metrics of turns and of the failed attempts between them, which cost tokens and money as well."""
    submitted = [turn for turn in turns if turn.kind in _SUBMITTED]
    runs = [run for turn in submitted for run in turn.runs] + [run for attempt in failed for run in attempt.runs]
    return Metrics(
        turns=len(submitted),
        contradiction_rate=contradiction_rate(submitted),
        invalid_action_acceptance=invalid_action_acceptance(submitted),
        clarification_rate=clarification_rate(submitted),
        length_stats=length_stats(submitted),
        lore_relevance_rate=lore_relevance_rate(submitted),
        lore_cache_hit_rate=lore_cache_hit_rate(turn.lore_cached for turn in submitted),
        unsupported_rate=unsupported_rate(submitted),
        proposals=sum((turn.proposals for turn in submitted), Proposals()),
        repair_rate=_share(run.repaired for run in runs),
        retry_rate=_share(run.retried for run in runs),
        tokens=_tokens(runs),
        cost_usd=sum(run.cost_microusd for run in runs) / MICRO,
        latency=latency(runs),
        prefix=prefix(submitted),
        failed_attempts=dict(sorted(Counter(attempt.error_code for attempt in failed).items())),
    )


def contradiction_rate(turns: Sequence[TurnFigures]) -> float | None:
    """Return the turns in which a proposal of the narrator or the extractor was refused because it contradicts what is
    established (`contradicts_fact`), as a share of all turns; None where nothing was ever proposed."""
    if all(turn.contradicts is None for turn in turns):
        return None
    return sum(turn.contradicts is True for turn in turns) / len(turns)


def invalid_action_acceptance(turns: Sequence[TurnFigures]) -> float | None:
    """Return the actions that were accepted although the rules refuse them when they judge them again on the recorded
    state, as a share of all invalid actions: those, and the ones that were refused."""
    wrongly = sum(turn.wrongly_accepted for turn in turns)
    invalid = wrongly + sum(turn.refused_actions for turn in turns)
    return wrongly / invalid if invalid else None


def clarification_rate(turns: Sequence[TurnFigures]) -> float | None:
    """Return the turns that asked back, as a share of all turns."""
    return _share(turn.kind == "clarification" for turn in turns)


def length_stats(turns: Sequence[TurnFigures]) -> dict[str, Spread | None]:
    """Return the lengths of narrations, in words and in characters."""
    return {
        "words": _spread([turn.words for turn in turns if turn.words is not None]),
        "characters": _spread([turn.characters for turn in turns if turn.characters is not None]),
    }


def lore_relevance_rate(turns: Sequence[TurnFigures]) -> float | None:
    """Return the chunks of the packs that were retrieved for a scene and that a narration of that scene cites, as a
    share of all that were retrieved: each chunk counts once a scene."""
    relevant = retrieved = 0
    for scene in _scenes(turns):
        found = {chunk for turn in scene for chunk in turn.retrieved}
        cited = {chunk for turn in scene for chunk in turn.cited}
        relevant, retrieved = relevant + len(found & cited), retrieved + len(found)
    return relevant / retrieved if retrieved else None


def lore_cache_hit_rate(cached: Iterable[bool | None]) -> float | None:
    """Return the turns that found all their scene lore in the cache, as a share of those that were counted; None where
    none was.

    Where a scene opens, or something that its lore depends on changes, the lore is gathered; that of arriving people is
    only added.
    """
    return _share(hit for hit in cached if hit is not None)


def unsupported_rate(turns: Sequence[TurnFigures]) -> float | None:
    """Return the sentences of models' narrations that no chunk, item or event supports, as a share of all their
    sentences."""
    sentences = sum(turn.sentences for turn in turns)
    return sum(turn.unsupported for turn in turns) / sentences if sentences else None


def latency(runs: Sequence[ModelRun]) -> dict[str, Latency]:
    """Return the latency by stage, in the order of their names, without stages that no model ran."""
    by_stage: dict[str, list[int]] = {}
    for run in runs:
        by_stage.setdefault(run.stage, []).append(run.milliseconds)
    return {
        stage: Latency(len(times), percentile(times, 50), percentile(times, 95))
        for stage, times in sorted(by_stage.items())
    }


def prefix(turns: Sequence[TurnFigures]) -> Prefix:
    """Return the part of the narrator's prompts that can come from a provider's cache; see `Prefix`."""
    shares, changing, broken = [], [], 0
    for scene in _scenes(turns):
        before: ModelRun | None = None
        for run in (run for turn in scene for run in _narrator_runs(turn)):
            shares.append(run.prefix_tokens / (run.prefix_tokens + run.changing_tokens))
            if before is not None:
                changing.append(run.changing_tokens)
                broken += run.prefix_hash != before.prefix_hash
            before = run
    return Prefix(fmean(shares) if shares else None, max(changing, default=None), broken if changing else None)


def prefix_share(turn: TurnFigures) -> float | None:
    """Return the share of one turn's narrator prompt that comes before the turn's own part; of the last prompt where
    there were several."""
    shares = [run.prefix_tokens / (run.prefix_tokens + run.changing_tokens) for run in _narrator_runs(turn)]
    return shares[-1] if shares else None


def changing_tokens(turn: TurnFigures) -> int | None:
    """Return the estimated tokens of one turn's narrator prompt that are the turn's own; of the last prompt where there
    were several."""
    sizes = [run.changing_tokens for run in _narrator_runs(turn)]
    return sizes[-1] if sizes else None


def percentile(values: Sequence[int], percent: int) -> int:
    """Return the smallest value that so many of a hundred do not exceed.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("no values have a percentile")
    ordered = sorted(values)
    return ordered[max(-(-len(ordered) * percent // 100) - 1, 0)]


def _narrator_runs(turn: TurnFigures) -> list[ModelRun]:
    return [run for run in turn.runs if run.stage == "narrator" and run.prefix_tokens + run.changing_tokens]


def _scenes(turns: Sequence[TurnFigures]) -> list[list[TurnFigures]]:
    scenes: dict[str, list[TurnFigures]] = {}
    for turn in turns:
        scenes.setdefault(turn.scene, []).append(turn)
    return list(scenes.values())


def _tokens(runs: Sequence[ModelRun]) -> Tokens:
    read, cached = sum(run.input_tokens for run in runs), sum(run.cache_read_tokens for run in runs)
    return Tokens(read, sum(run.output_tokens for run in runs), cached, cached / read if read else None)


def _share(of: Iterable[bool]) -> float | None:
    counted = list(of)
    return sum(counted) / len(counted) if counted else None


def _spread(values: Sequence[int]) -> Spread | None:
    return Spread(min(values), fmean(values), max(values)) if values else None


# The figures of a campaign's turns on the way to the head, and of the submissions that failed between them.


@dataclass(frozen=True, slots=True)
class Measured:
    """The metrics of some turns of a campaign, and the figures that they are made of, turn by turn."""

    campaign_id: str
    turns: tuple[TurnFigures, ...]
    failed: tuple[FailedAttempt, ...]
    metrics: Metrics

    def per_turn(self) -> list[dict[str, Any]]:
        """Return the figures of every turn, for JSON."""
        return [
            {
                "turn_no": turn.turn_no,
                "kind": turn.kind,
                "scene": turn.scene,
                "words": turn.words,
                "input_tokens": turn.sum_of("input_tokens"),
                "cached_tokens": turn.sum_of("cache_read_tokens"),
                "output_tokens": turn.sum_of("output_tokens"),
                "cost_usd": turn.sum_of("cost_microusd") / MICRO,
                "prefix_share": prefix_share(turn),
                "changing_tokens": changing_tokens(turn),
                "milliseconds": turn.milliseconds(),
            }
            for turn in self.turns
        ]


def measure(store: CampaignStore, turns: TurnRange = ALL_TURNS, *, session_id: str | None = None) -> Measured:
    """Measure the turns of a range on the way to the head; of one sitting where its ID is given. Nothing is written.

    Raises:
        NotFound: no turn is in the range, or the campaign has no such sitting.
    """
    path = store.turns()
    turns.held_to(path[-1]["turn_no"])
    sitting = None if session_id is None else _full_session_id(store, session_id)
    wanted = {
        turn["turn_id"]
        for turn in path[1:]
        if turn["turn_no"] in turns and (sitting is None or turn["session_id"] == sitting)
    }
    figures = tuple(figures_of(turn) for turn in played_turns(store, path, wanted))
    failed = tuple(_failed_attempts(store, path, turns, sitting))
    return Measured(store.campaign_id, figures, failed, metrics_of(figures, failed))


def played_turns(store: CampaignStore, path: Sequence[dict[str, Any]], wanted: Collection[str]) -> Iterator[PlayedTurn]:
    """Yield those of a path's turns that are wanted, by ID, each with its inputs; the path is as `CampaignStore.turns`
    gives it, and its first turn has no inputs. One turn is read at a time."""
    rows: dict[str | None, CampaignRow] = {}
    state, reached = None, ""
    for place, turn in enumerate(path):
        if turn["turn_id"] not in wanted or not place:
            continue
        parent = path[place - 1]["turn_id"]
        before = state if state is not None and reached == parent else store.state_at(parent)
        state, reached = store.state_after(before, turn["turn_id"]), turn["turn_id"]
        upgrade = store.upgrade_id(parent)
        if upgrade not in rows:
            rows[upgrade] = store.campaign(parent)
        row = rows[upgrade]
        yield PlayedTurn(
            turn_no=turn["turn_no"],
            turn_id=turn["turn_id"],
            kind=turn["kind"],
            session_id=turn["session_id"],
            lore_cached=turn["lore_cached"],
            scene=state.scene.id,
            result=turn["result"],
            records=store.stage_records(turn["turn_id"]),
            before=before,
            rules=row.rules,
            packs=frozenset(pin.pack_id for pin in row.pins),
        )


def _full_session_id(store: CampaignStore, session_id: str) -> str:
    """Return the full ID of a sitting, which may be given without the campaign's."""
    full = session_id if ":" in session_id else f"{store.campaign_id}:{session_id}"
    if all(row.id != full for row in session_rows(store.database)):
        raise NotFound(f"there is no sitting {session_id}", hint=f"see: lorewright session list {store.campaign_id}")
    return full


def _failed_attempts(
    store: CampaignStore, path: list[dict[str, Any]], turns: TurnRange, session_id: str | None
) -> Iterator[FailedAttempt]:
    """Yield the failed attempts on the way to the head: an attempt belongs where its turn would have been."""
    numbers = {turn["turn_id"]: turn["turn_no"] + 1 for turn in path}
    for attempt in store.attempts():
        number = numbers.get(attempt["head_turn_id"])
        if number is None or number not in turns:
            continue
        if session_id is not None and attempt["session_id"] != session_id:
            continue
        runs = tuple(run for record in attempt["records_json"] if (run := model_run(record)) is not None)
        yield FailedAttempt(number, attempt["error_code"], runs)
