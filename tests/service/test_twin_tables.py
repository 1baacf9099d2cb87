"""Two tables that differ in hidden lore alone: who may not know it gets the same
status, bytes and headers from both, but for the IDs of turns and accounts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import open_app
from lorewright.lore_bootstrap import make_empty_workspace
from support import harbour as h
from support.table_service import Browser, hall

pytestmark = [pytest.mark.campaign, pytest.mark.trust]

GAME = "/v1/campaigns/game"
LINES = (
    "look around",
    "ask Osk about the boat",
    "search under the counter",
    "go to the quay",
    "ask Bea about the cellar",
)
# Nothing of the scenario names these.
HIDDEN = {
    "npcs/bea.md": "\n## Withholds\n\n- {#cage} She mended the cage herself, and kept the wombat that was in it.\n",
    "npcs/osk.md": "- {#key} Osk buried the wombat's key below the third stair.\n",
}
QUESTIONS = ("the wombat in the cage", "the key below the stair", "Bea", "Osk", "boat", "wombat")
PATHS = (
    "",
    "?as=gm",
    "/turns?last=50",
    "/state",
    "/scene",
    "/codex",
    "/recap",
    "/members",
    "/hint?step=3",
    "/entities",
    "/entities/bea",
    "/entities/osk",
    "/entities/wombat",
    "/turns/2/why",
    "/desk",
    "/stages/1",
    "/attempts",
)
# Random, of this moment, or a name of the installed bytes.
PASSING = ("date", "x-request-id", "server", "etag")
# IDs of turns and accounts, of which two tables have none in common.
_IDS = re.compile(r"turn_[0-9a-f]{16}|\b[0-9a-f]{16}\b")


def files(*, hidden: bool) -> Mapping[str, str]:
    found = {name: h.dedent(text) for name, text in h.FILES.items()}
    if hidden:
        for name, text in HIDDEN.items():
            lines = found[name]
            if text.startswith("-"):
                lines = lines.replace("\n\n## Capabilities", f"\n{text}\n## Capabilities")
            else:
                lines += text
            assert lines != found[name]
            found[name] = lines
    return found


def answers(seat: Browser) -> Iterator[tuple[str, Any]]:
    for path in PATHS:
        yield path, seat.get(f"{GAME}{path}")
    for question in QUESTIONS:
        for door in ("query", "context", "explain"):
            sent = {"text": question, "campaign_id": "game", "corpus": "all", "limit": 20}
            yield f"{door} {question}", seat.post(f"/v1/lore/{door}", sent)
    for chunk in ("bea:withholds", "osk:withholds", "bea:nothing"):
        sent = {"text": "cage", "campaign_id": "game", "chunk_id": f"harbour:{chunk}"}
        yield f"why not {chunk}", seat.post("/v1/lore/why-not", sent)


def told_in(root: Path, role: str, *, hidden: bool) -> dict[str, tuple[int, str, str]]:
    """What a seat is answered in a world, by what was asked: status, body, headers."""
    make_empty_workspace(root)
    for name, text in files(hidden=hidden).items():
        path = root / "content_packs" / "harbour" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (root / "scenarios" / "night_boat.yaml").write_text(h.dedent(h.SCENARIO), encoding="utf-8")
    app = open_app(root)
    app.packs.install(root / "content_packs" / "harbour")
    app.campaigns.new("night_boat", campaign_id="game", seed=3, library=app.by_words)
    with hall(app) as room:
        seat, owner = room.guest("Ann", "game", role), room.owner()
        player = seat if role == "player" else room.guest("Pat", "game", "player")
        for line in LINES:
            assert player.say("game", line).status_code == 200
        # The worlds do differ.
        assert ("wombat" in owner.get(f"{GAME}/desk").text) is hidden
        found = {}
        for asked, answer in answers(seat):
            headers = {name: value for name, value in answer.headers.items() if name not in PASSING}
            if tag := answer.headers.get("etag"):
                # It says no more than the body does.
                assert tag == f'"{sha256(answer.content).hexdigest()[:32]}"'
            found[asked] = (answer.status_code, _IDS.sub("ID", answer.text), json.dumps(headers))
        if role == "player":
            with seat.client.stream("GET", f"{GAME}/events?after=0") as answer:
                events = []
                for line in answer.iter_lines():
                    events.append(line)
                    if line.startswith(f"id: {len(LINES)}."):
                        break
            found["events"] = (200, _IDS.sub("ID", "\n".join(events)), "")
    return found


@pytest.mark.parametrize("role", ("player", "watcher"))
def test_hidden_lore_changes_no_byte_of_what_a_seat_is_answered(tmp_path: Path, role: str) -> None:
    first = told_in(tmp_path / "with", role, hidden=True)
    other = told_in(tmp_path / "without", role, hidden=False)
    differing = {asked: (answer, other[asked]) for asked, answer in first.items() if answer != other[asked]}
    assert differing == {}
