"""A turn as it was played -> its figures. A figure that was not counted is None or absent; nothing is made up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from lorewright.rules.actions import Attempt
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.validate import validate
from lorewright.world.state import WorldState

# The reason for refusing a proposal of a narrator or an extractor that contradicts what is established.
CONTRADICTION = "contradicts_fact"


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A turn with its inputs: `before` is the state that it began in, `rules` the rules at that time, `packs` the
    packs that were pinned then, `scene` the scene that it ended in. Records are as `CampaignStore.stage_records`
    gives them."""

    turn_no: int
    turn_id: str
    kind: str
    session_id: str | None
    lore_cached: bool | None
    scene: str
    result: Mapping[str, Any]
    records: Sequence[Mapping[str, Any]]
    before: WorldState
    rules: CampaignRules
    packs: frozenset[str]


@dataclass(frozen=True, slots=True)
class ModelRun:
    """A run of a stage by a model, its repair and retry included. Times are in milliseconds, costs in millionths of a
    dollar; the sizes of the prompt are estimated tokens, 0 where no prompt was stored."""

    stage: str
    model_key: str
    calls: int
    repaired: bool
    retried: bool
    milliseconds: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_microusd: int
    prefix_hash: str = ""
    prefix_tokens: int = 0
    changing_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Proposals:
    """The outcome of the extractors' proposals: how many became true, were refused, or wait to be reviewed. Those that
    were refused because they contradict what is established are `flagged` in the lorebook as well."""

    accepted: int = 0
    refused: int = 0
    waiting: int = 0
    flagged: int = 0

    def __add__(self, other: Proposals) -> Proposals:
        return Proposals(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """The figures of one turn. `words` and `characters` are of its narration, None where it has none; `contradicts`
    tells whether a proposal was refused as a contradiction, None where nothing was proposed; `sentences` are those of a
    model's narration, `unsupported` those of them that no source supports."""

    turn_no: int
    turn_id: str
    kind: str
    scene: str
    lore_cached: bool | None = None
    words: int | None = None
    characters: int | None = None
    contradicts: bool | None = None
    refused_actions: int = 0
    wrongly_accepted: int = 0
    sentences: int = 0
    unsupported: int = 0
    proposals: Proposals = Proposals()
    retrieved: frozenset[str] = frozenset()
    cited: frozenset[str] = frozenset()
    runs: tuple[ModelRun, ...] = ()

    def sum_of(self, name: str) -> int:
        """Return the sum of a figure of its model runs."""
        return sum(getattr(run, name) for run in self.runs)

    def milliseconds(self) -> dict[str, int]:
        """Return how long models took, by stage in the order in which they ran."""
        found: dict[str, int] = {}
        for run in self.runs:
            found[run.stage] = found.get(run.stage, 0) + run.milliseconds
        return found


def figures_of(turn: PlayedTurn) -> TurnFigures:
    """Return all figures of a turn."""
    told = narration_of(turn.result) if turn.kind == "play" else None
    refused, wrongly_accepted = _judge_again(turn)
    sentences, unsupported = _count_supported(turn.records)
    return TurnFigures(
        turn_no=turn.turn_no,
        turn_id=turn.turn_id,
        kind=turn.kind,
        scene=turn.scene,
        lore_cached=turn.lore_cached,
        words=None if told is None else len(told.split()),
        characters=None if told is None else len(told),
        contradicts=_contradicts(turn.records),
        refused_actions=refused,
        wrongly_accepted=wrongly_accepted,
        sentences=sentences,
        unsupported=unsupported,
        proposals=_proposals(turn.records),
        retrieved=frozenset(_retrieved_chunks(turn)),
        cited=frozenset(_cited_chunks(turn)),
        runs=tuple(run for record in turn.records if (run := model_run(record)) is not None),
    )


def narration_of(result: Mapping[str, Any]) -> str:
    """Return the narration of a turn: its narrations as they stand in the stream, or all of its text where there are
    none."""
    told = [message["content"] for message in result["messages"] if message["type"] == "narration"]
    return "\n\n".join(told) if told else str(result["final_text"])


def model_run(record: Mapping[str, Any]) -> ModelRun | None:
    """Return the model run in a stage's record; None where no model was asked."""
    calls = record.get("calls") or ()
    if not calls:
        return None
    prompt = record.get("prompt") or {}
    attempts = {call["attempt"] for call in calls}
    return ModelRun(
        stage=record["stage"],
        model_key=record["model_key"],
        calls=len(calls),
        repaired="repair" in attempts,
        retried="retry" in attempts,
        milliseconds=sum(call.get("milliseconds", 0) for call in calls),
        input_tokens=sum(call.get("input_tokens", 0) for call in calls),
        output_tokens=sum(call.get("output_tokens", 0) for call in calls),
        cache_read_tokens=sum(call.get("cache_read_tokens", 0) for call in calls),
        cache_write_tokens=sum(call.get("cache_write_tokens", 0) for call in calls),
        cost_microusd=sum(call.get("cost_microusd", 0) for call in calls),
        prefix_hash=prompt.get("prefix_hash", ""),
        prefix_tokens=prompt.get("prefix_tokens", 0),
        changing_tokens=prompt.get("changing_tokens", 0),
    )


def _records_of(records: Sequence[Mapping[str, Any]], stage: str) -> Iterator[Mapping[str, Any]]:
    return (record for record in records if record["stage"] == stage)


def _contradicts(records: Sequence[Mapping[str, Any]]) -> bool | None:
    """Tell whether any proposal was refused as a contradiction; None where no proposals were judged."""
    judged = [record["output"] for record in _records_of(records, "accept") if isinstance(record["output"], dict)]
    if not judged:
        return None
    return any(refusal.get("reason") == CONTRADICTION for output in judged for refusal in output.get("refused", ()))


def _proposals(records: Sequence[Mapping[str, Any]]) -> Proposals:
    """Return the outcome of all proposals of a turn; those of a narration that was then rewritten do not count."""
    found, of_narration = Proposals(), Proposals()
    told_of: Any = None
    for record in records:
        output = record["output"] if isinstance(record["output"], dict) else {}
        if record["stage"] == "narrator":
            if record["input"] != told_of:
                found += of_narration
            told_of, of_narration = record["input"], Proposals()
        elif record["stage"] == "accept":
            of_narration += _count_proposals(output, true="accepted", waiting="waiting")
        elif record["stage"] == "inner_writes":
            found += _count_proposals(output, true="ops", waiting="reviews")
    return found + of_narration


def _count_proposals(output: Mapping[str, Any], *, true: str, waiting: str) -> Proposals:
    return Proposals(
        accepted=len(output.get(true, ())),
        refused=len(output.get("refused", ())),
        waiting=sum(len(review["ops"]) for review in output.get(waiting, ())),
        flagged=sum(entry.get("flag") is not None for entry in output.get("lorebook", ())),
    )


def _judge_again(turn: PlayedTurn) -> tuple[int, int]:
    """Return (refused actions, accepted actions that the same rules refuse when they judge them again on the same
    state)."""
    refused = accepted = 0
    for record in _records_of(turn.records, "validate"):
        results = record["output"]["results"]
        refused += sum(not result["success"] for result in results)
        try:
            attempts = [Attempt.model_validate(attempt) for attempt in record["input"]]
        except ValidationError:
            # An attempt in an old format: it cannot be judged again.
            continue
        again = validate(attempts, turn.before, turn.rules).results
        accepted += sum(was["success"] and not now.success for was, now in zip(results, again, strict=False))
    return refused, accepted


def _count_supported(records: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Return (sentences of the final narration, those that no source supports); none of a builtin narration."""
    told = [record["output"] for record in _records_of(records, "narrator") if record["output"]]
    support = told[-1].get("support", ()) if told else ()
    return len(support), sum(not sentence["ids"] for sentence in support)


def _retrieved_chunks(turn: PlayedTurn) -> Iterator[str]:
    """Yield the chunks of the packs that the narrator was given; passages of the play itself are no lore."""
    for record in _records_of(turn.records, "narrator"):
        yield from (
            chunk_entity_id
            for chunk_entity_id in _chunk_ids(record["input"])
            if chunk_entity_id.partition(":")[0] in turn.packs
        )


def _chunk_ids(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("chunk_id"), str):
            yield value["chunk_id"]
        for inner in value.values():
            yield from _chunk_ids(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _chunk_ids(inner)


def _cited_chunks(turn: PlayedTurn) -> Iterator[str]:
    """Yield the chunks that the narration quotes or names as its sources: of an item, the chunk that holds it."""
    yield from (citation["chunk_id"] for citation in turn.result["citations"])
    for record in _records_of(turn.records, "narrator"):
        output = record["output"] or {}
        named = [
            *output.get("cited", ()),
            *(source for sentence in output.get("support", ()) for source in sentence["ids"]),
        ]
        yield from (source.partition("#")[0] for source in named)
