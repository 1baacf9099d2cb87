"""Whatever a model says at any stage: a turn is committed whole or not at all, nothing of it obeys a terminal or a template,
no op leaves the ruleset, and nothing is raised but our own errors."""

from __future__ import annotations

import asyncio
import contextlib
import io
import random
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lorewright.bootstrap import App
from lorewright.campaigns.campaigns import OpenCampaign
from lorewright.campaigns.checks import check
from lorewright.cli.game.turn_output import show_result
from lorewright.cli.output import complain
from lorewright.cli.root import app as command_line
from lorewright.errors import LorewrightError
from lorewright.rules.consequences import not_theirs
from lorewright.turn.checks.accepting import Accepted
from lorewright.turn.store.turn_store import undo
from lorewright.values.records import TurnResult
from lorewright.world.apply import apply
from lorewright.world.ops import Observe, PathOp
from lorewright.world.state import WorldState
from support import fuzzed_outputs as f
from support import harbour as h
from support.scale import scaled
from support.tally import counted

# Words that the grammar is not sure of, that only the rulebook can judge, and that anybody can.
LINES = {"interpreter": "frobnicate the gizmo", "resolution": "yodel a tune"}
SCENARIO = (
    h.dedent(h.SCENARIO)
    .replace("traits: {charm: 1}", "traits: {}")
    .replace("add: charm", "add: warmth")
    .replace("start: tavern", "start: tavern\nruleset: everyday-tension\nstat_blocks: {player: {warmth: 1}}")
    .replace("  fled: {", "  won: {say: You win., when: {fact: habit, subject: osk}}\n  fled: {")
)
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f‪-‮⁦-⁩]")
_OF_ATTEMPTS = {"attempts", "sqlite_sequence"}
# Two thousand hostile turns are played with CAMPAIGN_SCALE=14.
_SIZE, _BATCHES = 25, scaled(6)


def begun(root: Path) -> App:
    """The harbour, played by a ruleset with state of its own and a rulebook."""
    return h.harbour(root, scenario=SCENARIO)


def dump(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All that is in a campaign's file but for its attempts, which a turn that fails adds to."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {one: connection.execute(f'SELECT * FROM "{one}"').fetchall() for one in {*tables} - _OF_ATTEMPTS}


class Judge:
    """Plays a turn with a hostile model and says all that should not have come of it."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.path = app.campaigns.path("game")
        self.counts: Counter[str] = Counter()

    def play(self, number: int) -> list[str]:
        stage = f.STAGES[number % len(f.STAGES)]
        model = f.HostileModel(stage, random.Random(f"hostile {number}"))
        hostile = h.with_models(self.app, dict.fromkeys(f.STAGES, model))
        line = LINES.get(stage, ("look", "yodel a tune", "ask osk about lin")[number % 3])
        with hostile.campaigns.open("game") as campaign:
            found = list(self._played(campaign, line, number, model))
        return [f"{number} {stage}: {one}" for one in found]

    def _played(self, campaign: OpenCampaign, line: str, number: int, model: f.HostileModel) -> Iterable[str]:
        before, was = dump(self.path), campaign.store.head().state
        tried = len(campaign.store.attempts())
        printed = io.StringIO()
        try:
            stored = asyncio.run(campaign.submit(line, action_id=f"a{number}"))
        except LorewrightError as error:
            self.counts["failed"] += 1
            with contextlib.redirect_stderr(printed):
                complain(error)
            if dump(self.path) != before:
                yield "something was written of a turn that failed"
            attempts = campaign.store.attempts()
            calls = [
                call["text"] for one in attempts[tried:] for record in one["records_json"] for call in record["calls"]
            ]
            if calls != [_kept(said) for said in model.said]:
                yield "the attempt log has not all that was said"
        except Exception as error:  # whatever it is, it is what is looked for
            yield f"{type(error).__name__}: {str(error)[:300]}"
        else:
            result = TurnResult.model_validate_json(stored)
            self.counts["fell back" if result.fell_back else "held"] += 1
            with contextlib.redirect_stdout(printed):
                show_result(result)
            yield from _wrong_with(campaign, was)
            undo(campaign.store) if campaign.store.head().state != was else None
        if hit := _OBEYED.search(printed.getvalue()):
            yield f"{hit[0]!r} was printed"
        if any(f.EVALUATED in request.text for request in model.requests) or f.EVALUATED in printed.getvalue():
            yield "a template was evaluated"


def _kept(said: str) -> str:
    """As it is kept: what is no text becomes question marks."""
    return said.encode("utf-8", "replace").decode("utf-8")


def _wrong_with(campaign: OpenCampaign, was: WorldState) -> Iterable[str]:
    head = campaign.store.head()
    ruleset = campaign.setting.rules.ruleset
    records = {record["stage"]: record["output"] for record in campaign.store.stage_records(head.turn_id)}
    if "resolve" not in records:
        if head.state != was:
            yield "a question changed the state"
        return
    from lorewright.rules.patch import Resolution

    resolved = Resolution.model_validate(records["resolve"]).ops
    added = Accepted.model_validate(records["accept"]).accepted if "accept" in records else ()
    if not_theirs(resolved, "resolve", ruleset) or not_theirs(added, "extract", ruleset):
        yield "an op that the ruleset does not allow"
    if any(op.op == "end" for op in (*resolved, *added)) or head.state.ended is not None:
        yield "the game was ended"
    by_rules, told = apply(was, resolved).state, [op for op in added if not isinstance(op, Observe)]
    if {op.op for op in told} - {"fact_add", "entity_add", "thread"}:
        yield "a narration did what is the resolver's"
    for part in ("clocks", "doors", "conditions", "reveals", "scene", "ruleset", "minutes", "relations", "exits"):
        if getattr(head.state, part, None) != getattr(by_rules, part, None):
            yield f"{part} are not as the rules left them"
    if any(head.state.positions[who] != where for who, where in by_rules.positions.items()):
        yield "somebody was moved by a narration"
    ops = campaign.store._ops(head.turn_id)
    # Whatever else there is: what the telling used up, and what those who were there remember.
    if {op.op for op in ops if op not in resolved and op not in added} - {"recall", "observe", "relation"}:
        yield "something was done that nobody proposed"
    after = apply(was, ops).state
    if after != head.state:
        yield "the state is not what its ops make it"
    paths = {op.path for op in resolved if isinstance(op, PathOp)}
    if paths - {"pressure_clock", "shifts", "last_shift", "opportunity_open"}:
        yield f"paths were written that are nobody's: {sorted(paths)}"


def fuzz(root: Path, numbers: Iterable[int]) -> tuple[list[str], Counter[str]]:
    """Play so many hostile turns in one campaign, each on an honest head; all that came of them."""
    app = begun(root)
    judge = Judge(app)
    found = [wrong for number in numbers for wrong in judge.play(number)]
    played = len(h.say(app, "look", "wait", "go door"))
    if played != 3:
        found.append("the next turns did not work")
    if findings := check(judge.path).findings:
        found.append(f"the file: {findings[:3]}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOREWRIGHT_WORKSPACE", str(app.workspace.root))
        for command in (
            ["campaign", "show", "game"],
            ["campaign", "log", "game"],
            ["campaign", "log", "game", "--json"],
        ):
            result = CliRunner().invoke(command_line, command)
            if result.exit_code or _OBEYED.search(result.output):
                found.append(f"{' '.join(command)}: {result.exit_code}, {result.exception!r}")
    return found, judge.counts


@pytest.mark.campaign
@pytest.mark.trust
@pytest.mark.parametrize("batch", range(_BATCHES))
def test_no_output_of_a_model_does_what_it_must_not(tmp_path: Path, batch: int) -> None:
    found, counts = fuzz(tmp_path, range(batch * _SIZE, (batch + 1) * _SIZE))
    assert found == []
    # Both kinds of turns were seen, so that neither was held against nothing.
    assert counts["fell back"] > _SIZE // 10
    assert counts["held"] > _SIZE // 10
    counted(
        "model outputs",
        "fuzzed, through whole turns",
        _SIZE,
        **{name.replace(" ", "_"): counts[name] for name in counts},
    )


@pytest.mark.parametrize("numbers", [range(2), pytest.param(range(2, 12), marks=pytest.mark.campaign)], ids=str)
def test_the_outputs_that_are_mutated_are_valid_before(tmp_path: Path, numbers: range) -> None:
    app = begun(tmp_path)
    for number in numbers:
        honest = f.HostileModel("nobody", random.Random(number))
        told: list[dict[str, Any]] = h.say(h.with_models(app, dict.fromkeys(f.STAGES, honest)), "yodel a tune")
        assert told[0]["final_text"].startswith("Smoke hangs")
        assert list(dict.fromkeys(request.stage for request in honest.requests)) == list(f.STAGES)
        with app.campaigns.reading("game") as store:
            records = store.stage_records(store.head().turn_id)
            undo(store)
        assert {call["attempt"] for record in records for call in record["calls"]} == {"first"}
