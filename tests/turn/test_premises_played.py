"""Claims put to people in two plays that ship: nothing that is not so is ever confirmed, and little that is so is denied."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import open_app
from lorewright.builtin.narrator.grammar import grammar
from lorewright.lore_bootstrap import make_workspace
from lorewright.turn.stages.variables import claims_in_words
from lorewright.values.records import Premise
from support import harbour as h
from support.labelled_claims import PLAYS, Labelled

# Of what is said in the words that were used, so many of a hundred may be denied; in other words none is promised.
MOST_DENIED = 5
SAYS_SO = {"recalled", "told_before"}


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of a claim: its premises, the outcome's code, the narration."""

    line: str
    premises: list[dict[str, Any]]
    codes: list[str]
    text: str

    @property
    def is_confirmed(self) -> bool:
        """Whether anything in the turn agrees to it. Another promise is named where this one was not given."""
        names_other = any(one["evidence"] and not one["holds"] for one in self.premises)
        says_so = not names_other and bool(SAYS_SO.intersection(self.codes))
        return any(one["holds"] for one in self.premises) or says_so or _agrees(self.text)


def _agrees(text: str) -> bool:
    """Whether a sentence stands in the text that agrees, less the name in it."""
    kept = [one.text for group, variants in grammar().items() for one in variants if group.endswith(".true")]
    pieces = [max(one.replace("{Name}", "{name}").split("{name}"), key=len).strip() for one in kept]
    return any(piece and piece in text for piece in pieces)


def played(play: Labelled, root: Path) -> dict[str, Answered]:
    make_workspace(root)
    app = open_app(root)
    app.campaigns.new(play.scenario, campaign_id="game", seed=3)
    h.say(app, *play.before)
    claims = (*play.true, *play.other_words, *play.false)
    results = h.say(app, *claims)
    with app.campaigns.reading("game") as store:
        records = [{one["stage"]: one["output"] for one in store.stage_records(told["turn_id"])} for told in results]
    return {line: _answered(line, *told) for line, *told in zip(claims, results, records, strict=True)}


def _answered(line: str, result: dict[str, Any], records: dict[str, Any]) -> Answered:
    assert result["clarification_question"] is None, line
    codes = [one["code"] for one in records["resolve"]["outcomes"]]
    return Answered(line, list(records.get("premises", [])), codes, result["final_text"])


@pytest.fixture(scope="module", params=PLAYS, ids=lambda play: play.scenario)
def answers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Labelled, dict[str, Answered]]:
    play: Labelled = request.param
    return play, played(play, tmp_path_factory.mktemp(play.scenario) / "workspace")


@pytest.mark.campaign
def test_every_claim_is_checked(answers: tuple[Labelled, dict[str, Answered]]) -> None:
    _, given = answers
    assert [one.line for one in given.values() if len(one.premises) != 1] == []


@pytest.mark.campaign
def test_nothing_that_is_not_so_is_confirmed(answers: tuple[Labelled, dict[str, Answered]]) -> None:
    play, given = answers
    assert [line for line in play.false if given[line].is_confirmed] == []


@pytest.mark.campaign
def test_little_that_is_so_is_denied(answers: tuple[Labelled, dict[str, Answered]]) -> None:
    play, given = answers
    denied = [line for line in play.true if not given[line].is_confirmed]
    assert len(denied) * 100 <= MOST_DENIED * len(play.true), denied


@pytest.mark.campaign
def test_what_is_so_is_so_by_something_that_can_be_looked_up(answers: tuple[Labelled, dict[str, Answered]]) -> None:
    _, given = answers
    for one in given.values():
        assert all(premise["evidence"] or not premise["holds"] for premise in one.premises), one.line


@pytest.mark.campaign
def test_denials_are_not_all_in_one_sentence(answers: tuple[Labelled, dict[str, Answered]]) -> None:
    play, given = answers
    first = {given[line].text.split("”")[0] for line in play.false}
    assert len(first) * 2 > len(play.false)


def test_the_set_is_large_and_about_half_of_it_is_so() -> None:
    true = sum(len(play.true) + len(play.other_words) for play in PLAYS)
    false = sum(len(play.false) for play in PLAYS)
    assert true + false >= 60
    assert abs(true - false) <= 5


@pytest.mark.campaign
def test_whoever_acts_hears_what_was_claimed_and_nothing_of_what_bears_it_out(tmp_path: Path) -> None:
    make_workspace(tmp_path / "workspace")
    app = open_app(tmp_path / "workspace")
    app.campaigns.new("seven_minutes", campaign_id="game", seed=1)
    with app.campaigns.reading("game") as store:
        state = store.head().state
    name = state.name_of(state.present_npcs()[0])
    h.say(app, f"{name}, you promised me a hundred kronen")
    inputs = [json.loads(text) for text in h.stage_inputs(app).get("npc_intent", [])]
    claims = [claim for given in inputs for claim in given["claims"]]
    assert claims
    assert all(set(one) == {"kind", "by", "to", "what", "holds"} and not one["holds"] for one in claims)


def test_a_model_that_tells_or_plans_is_told_that_nobody_agrees(tmp_path: Path) -> None:
    premise = Premise(kind="promised", by="a:v", to="a:j", what="the key", words="x", holds=False)
    (line,) = claims_in_words([premise], {"a:v": "Viktor", "a:j": "Jo"})
    assert line == (
        "The player claims that Viktor promised Jo: “the key”. "
        "Nothing bears this out: nobody agrees to it or repeats it as true."
    )
    (so,) = claims_in_words([premise.model_copy(update={"holds": True})], {})
    assert so.endswith("That is so.")
