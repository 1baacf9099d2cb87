"""Whatever goes wrong with a model, at whichever stage: the turn completes by the documented retry or repair, or fails by
name and leaves nothing behind but its attempt; and the next turn works."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_socket

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.stage_models import ModelKeys
from lorewright.errors import LorewrightError
from support import harbour as h
from support import model_server as t
from support.model_apis.faults import FAULTS, Fault, FaultKind
from support.model_apis.server import ModelServer
from support.model_apis.wire import Asked, Said
from support.scale import scaled
from turn.test_commit import dump

# A line at which each stage is asked.
LINES = {
    "interpreter": "wamble about somebody or other, perhaps",
    "planner": "wait",
    "resolution": "juggle",
    "narrator": "wait",
    "lore_extractor": "wait",
}
# What docs/models.md says of each fault: what comes of it where it happens once, and where it does not pass.
PASSES, REFUSED, BUSY = (None, None), ("model_refused",) * 2, (None, "provider_busy")
OUTCOMES: dict[FaultKind, tuple[str | None, str | None]] = {
    "slow": PASSES,
    "truncated": PASSES,
    "invalid_json": PASSES,
    "wrong_schema": PASSES,
    "empty": PASSES,
    "refusal": REFUSED,
    "rate_limited": BUSY,
    "error": BUSY,
    "overloaded": BUSY,
    "dropped": BUSY,
    "dropped_midway": BUSY,
    "cut": BUSY,
    "html": BUSY,
}
# Answers that are no valid ones: where they do not pass, the built-in stage answers.
INVALID: frozenset[FaultKind] = frozenset(("truncated", "invalid_json", "wrong_schema", "empty"))
SETTINGS = '[models]\ntries = 2\npause_seconds = 0\n[models.stages]\nplanner = "large"\n'


class Struck(ModelServer):
    """A server at which so many requests of a stage go wrong."""

    def __init__(self) -> None:
        super().__init__(t.answer)
        self.stage = ""
        self.fault = Fault("empty")
        self.times = 0

    def strike(self, stage: str, kind: FaultKind, times: int) -> None:
        self.stage, self.fault, self.times = stage, Fault(kind, seconds=0.01), times

    def take(self, asked: Asked) -> tuple[Said, Fault | None]:
        if self.times and t.stage_of(asked) == self.stage:
            self.times -= 1
            self.faults.append(self.fault)
        return super().take(asked)


@pytest.fixture
def server(socket_enabled: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Struck]:
    pytest_socket.socket_allow_hosts(["127.0.0.1"])
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    struck = Struck()
    with struck.running():
        for name, value in struck.environ.items():
            monkeypatch.setenv(name, value)
        yield struck


def begun(tmp_path: Path, keys: ModelKeys) -> App:
    root = h.write_workspace(tmp_path / "workspace")
    (root / "lorewright.toml").write_text(SETTINGS, encoding="utf-8")
    app = open_app(root)
    app.campaigns.new("night_boat", campaign_id="game", seed=1, keys=keys)
    return app


def test_every_fault_of_the_server_has_an_outcome() -> None:
    assert set(OUTCOMES) == set(FAULTS)


def stages_for(kind: FaultKind, keys: ModelKeys) -> list[str]:
    """Return the stages at which a fault is tried: one of them, in turn, and all from CAMPAIGN_SCALE=5 on."""
    stages, at = list(LINES), 2 * list(FAULTS).index(kind) + (keys is t.OPENAI)
    return [stages[(at + number) % len(stages)] for number in range(min(scaled(1), len(stages)))]


@pytest.mark.campaign
@pytest.mark.parametrize("keys", [t.ANTHROPIC, t.OPENAI], ids=["anthropic", "openai"])
@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_at_any_stage_is_mended_or_leaves_nothing_behind(
    tmp_path: Path, server: Struck, kind: FaultKind, keys: ModelKeys
) -> None:
    app = begun(tmp_path, keys)
    for stage in stages_for(kind, keys):
        line = LINES[stage]
        for times, expected in zip((1, 99), OUTCOMES[kind], strict=True):
            server.strike(stage, kind, times)
            came_of_it = one_turn(app, line)
            assert came_of_it == expected, (stage, times)
            if expected is not None:
                calls = attempt_of(app, stage)
                assert calls, (stage, times)
                assert all(call["problem"] or call["error"] for call in calls)
                # One call whose tries are all on record.
                assert len(calls[-1]["tries"]) in (0, 2)
            elif times > 1 and kind in INVALID and (stage, kind) != ("narrator", "invalid_json"):
                # The first half of a narration is prose like any other.
                assert last_result(app)["fell_back"] == [stage]
            server.strike("", kind, 0)
            assert one_turn(app, line) is None, (stage, times)


def one_turn(app: App, line: str) -> str | None:
    """Play a line: None, or the code of the error by which it failed without leaving anything but its attempt."""
    before = dump(app)
    with app.campaigns.open("game") as campaign:
        head = campaign.store.head()
        try:
            t.submit(campaign, line)
        except LorewrightError as error:
            assert dump(app) == before
            assert campaign.store.head() == head
            return error.code
    return None


def attempt_of(app: App, stage: str) -> list[dict[str, Any]]:
    """The calls of a stage in the newest failed attempt."""
    with app.campaigns.reading("game") as store:
        newest = store.attempts()[-1]
    return [call for record in newest["records_json"] if record["stage"] == stage for call in record["calls"]]


def last_result(app: App) -> dict[str, Any]:
    """The result of the newest turn."""
    with app.campaigns.reading("game") as store:
        result: dict[str, Any] = store.turns()[-1]["result"]
    return result
