"""Answers that two very small models really gave, in every stage of a game: no turn is lost, and nothing that they made
up becomes true."""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict, deque
from pathlib import Path

import pytest

from lorewright.campaigns.checks import check
from lorewright.errors import LorewrightError
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelRequest
from support import harbour as h
from support.corpora import corpora
from support.scale import scaled
from support.scripted_player import plays
from support.tally import counted

LINES = (
    "look",
    "ask viktor about jin",
    "search behind the bar",
    "wamble about somebody or other, perhaps",
    "ask captain bao about the tide",
    "wait",
    "press viktor about the debt",
    "take the stool by the leak and mull things over in my own way",
    "go to the street",
    "ask mira about jin",
    "buy dumplings",
    "go back to the bar",
)


class WeakModels:
    """The recorded answers by the stage that they were given in, over and over. A stage without any gets the planner's."""

    def __init__(self) -> None:
        lines = (corpora() / "weak-model" / "answers.jsonl").read_text(encoding="utf-8").splitlines()
        self._answers: defaultdict[str, deque[str]] = defaultdict(deque)
        for answer in map(json.loads, lines):
            self._answers[answer["stage"]].append(answer["answer"])

    def of_stage(self, stage: str) -> ScriptedModel:
        """Return the model of one stage."""

        def answer(request: ModelRequest) -> str:
            answers = self._answers[stage if stage in self._answers else "planner"]
            answers.rotate(-1)
            return answers[-1]

        return ScriptedModel(answer)


def share_told(quote: str, text: str) -> float:
    """Return the share of the longer words of a quotation that a text has, by their first five letters."""
    words, told = ({word[:5] for word in re.findall(r"\w{5,}", part.lower())} for part in (quote, text))
    return len(words & told) / max(1, len(words))


@pytest.mark.campaign
@pytest.mark.corpora
@pytest.mark.trust
def test_a_game_with_a_model_that_understands_nothing_loses_no_turn_and_learns_nothing_from_it(tmp_path: Path) -> None:
    dead_drop = next(play for play in plays(1) if play.name == "dead_drop_1")
    app, campaign, _ = dead_drop.begin(tmp_path)
    stages = ("interpreter", "planner", "narrator", "lore_extractor", "summariser")
    weak = WeakModels()
    app = h.with_models(app, {stage: weak.of_stage(stage) for stage in stages})
    turns = scaled(50)
    learned: set[str] = set()
    fell_back: set[str] = set()
    refused: list[str] = []
    with app.campaigns.open(campaign) as game:
        for number in range(turns):
            try:
                result = json.loads(asyncio.run(game.submit(LINES[number % len(LINES)])))
            except LorewrightError as error:
                refused.append(f"{number}: {error}")
                continue
            fell_back.update(result.get("fell_back", ()))
            for citation in result["citations"]:
                # What is found a second time was told the first time.
                if citation["item_id"] is not None and citation["item_id"] not in learned:
                    learned.add(citation["item_id"])
                    assert share_told(citation["quote"], result["final_text"]) >= 0.25, (number, citation)
        state = game.store.head().state
        committed = game.store.head().turn_no
        assert committed == turns - len(refused)
        assert len(game.store.attempts()) == len(refused)
    assert committed >= 0.9 * turns, refused
    assert check(app.campaigns.path(campaign), app.campaigns.kept).findings == ()
    assert {"interpreter", "planner", "narrator", "lore_extractor", "summariser"} <= fell_back
    assert not [fact for fact in state.facts.values() if fact.is_only_told]
    assert learned
    counted(
        "model outputs",
        "of a model of 135 million parameters, all stages",
        turns,
        committed=committed,
        learned=len(learned),
    )
