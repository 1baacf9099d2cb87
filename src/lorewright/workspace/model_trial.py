"""Campaigns that are thrown away, and the key of a model -> a few scripted turns, and what became of the answers of the
model in them."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.stage_models import ModelKeys
from lorewright.errors import LorewrightError
from lorewright.storage.model_rows import usage
from lorewright.turn.stages.narrate.stage import Narrate, is_told
from lorewright.values.records import Evidence, NarratorOutput

# A look, two ways to a clue, words that the grammar cannot read, and a walk.
SCENARIO = "dead_drop"
LINES = (
    "look around",
    "ask Viktor about Jin",
    "search behind the bar",
    "reminisce about somebody or other, perhaps",
    "go to the street",
)
_SEED = 1
# Is told a line and what became of it: None where its turn was committed, else why it was not.
OnTurn = Callable[[str, str | None], None]


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """What became of a model's turns. `answers` are the runs of stages that asked it, `repaired` those of them that
    were valid only when asked for again, `fell_back` the stages that went on without it, with the number of turns.

    `learned` counts the clues that the player learned, `told` those that the narration tells, `told_by_model` those of
    them that needed no sentence of the built-in narrator.
    """

    key: str
    scenario: str
    turns: int
    committed: int
    refused: tuple[str, ...]
    answers: int
    repaired: int
    fell_back: Mapping[str, int]
    learned: int
    told: int
    told_by_model: int
    seconds: float
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float


@dataclass(slots=True)
class _Counts:
    answers: int = 0
    repaired: int = 0
    learned: int = 0
    told: int = 0
    told_by_model: int = 0
    fell_back: Counter[str] = field(default_factory=Counter)

    def count_answers(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Count the answers of models in the records of a turn, or of one that was refused."""
        for record in (record for record in records if record["calls"]):
            self.answers += 1
            is_valid = record["output"] is not None
            self.repaired += is_valid and any(call["problem"] for call in record["calls"])

    def count_clues(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Count the clues that a turn brought, and those that its last narration tells."""
        told = [record for record in records if record["stage"] == Narrate.name and record["output"] is not None]
        if not told:
            return
        record = told[-1]
        output = NarratorOutput.model_validate(record["output"])
        added = {item for sentence in output.support if sentence.sentence == output.added for item in sentence.ids}
        evidence = (Evidence.model_validate(shown) for shown in record["input"]["evidence"])
        for learned in (item for item in evidence if not item.known_before):
            tells = is_told(learned, output.final_text, output.support)
            self.learned += 1
            self.told += tells
            self.told_by_model += tells and bool(record["calls"]) and not (output.added and learned.item_id in added)


def try_model(
    campaigns: Campaigns, key: str, *, lines: Sequence[str] = LINES, on_turn: OnTurn = lambda line, why: None
) -> ModelTrial:
    """Play lines in a new campaign with the model of a key, and return what became of them. A turn that is refused does
    not end it.

    Raises:
        SettingsError: there is no such model, or it cannot be asked.
        NotTrusted: the settings that name it are not trusted; nothing was sent.
    """
    row = campaigns.new(SCENARIO, campaign_id="trial", seed=_SEED, keys=ModelKeys(key, key))
    with campaigns.open(row.id) as campaign:
        began = perf_counter()
        counts, refused = _play(campaign, lines, on_turn)
        used = usage(campaign.store.database)
        return ModelTrial(
            key=key,
            scenario=SCENARIO,
            turns=len(lines),
            committed=len(lines) - len(refused),
            refused=tuple(refused),
            answers=counts.answers,
            repaired=counts.repaired,
            fell_back=dict(counts.fell_back),
            learned=counts.learned,
            told=counts.told,
            told_by_model=counts.told_by_model,
            seconds=round(perf_counter() - began, 1),
            calls=used.calls,
            input_tokens=used.input_tokens,
            output_tokens=used.output_tokens,
            cost_usd=used.usd,
        )


def _play(campaign: OpenCampaign, lines: Sequence[str], on_turn: OnTurn) -> tuple[_Counts, list[str]]:
    """Play lines; return the counts, and why turns were refused."""
    counts, refused = _Counts(), []
    for line in lines:
        why = None
        try:
            result = json.loads(asyncio.run(campaign.submit(line)))
        except LorewrightError as error:
            why = f"{error.code}: {error.message}"
            refused.append(why)
        else:
            counts.fell_back.update(result.get("fell_back", ()))
            records = campaign.store.stage_records(result["turn_id"])
            counts.count_answers(records)
            counts.count_clues(records)
        on_turn(line, why)
    for attempt in campaign.store.attempts():
        counts.count_answers(attempt["records_json"])
    return counts, refused
