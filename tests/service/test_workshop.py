"""The workshop: packs that are sent, jobs, findings, laboratories; all of it the owner's alone."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App
from lorewright.service.web.access import Caller
from lorewright.service.web.api.workshop import look_again
from lorewright.service.web.jobs import SENT
from lorewright.service.web.pack_job import install
from support import harbour as h
from support.sent_packs import BROKEN, PACK, zipped
from support.table_service import Browser, Hall, hall

PATHS = ("/packs/harbour/lint", "/packs/harbour/stats", "/packs/harbour/tests", "/jobs", "/jobs/x")
PAGES = ("", "/jobs/x", "/packs/harbour", "/packs/harbour/entity?id=harbour:osk", "/query?q=osk", "/scene?place=quay")


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Hall]:
    with hall(h.harbour(tmp_path)) as opened:
        yield opened


@pytest.fixture
def app(tmp_path: Path) -> App:
    """A workspace, with a folder for a job."""
    (tmp_path / "job").mkdir()
    return h.harbour(tmp_path)


def send(browser: Browser, files: Mapping[str, str], name: str = "island") -> Any:
    """The job of a pack that is sent."""
    headers = {"X-CSRF-Token": browser.csrf, "Content-Type": "application/zip"}
    answer = browser.client.post(f"/v1/packs?name={name}", content=zipped(files), headers=headers)
    assert answer.status_code == 202, answer.text
    return answer.json()


def ended(browser: Browser, job: Any) -> Any:
    """The job when it has ended."""
    until = time.monotonic() + 240
    while job["state"] in ("queued", "running"):
        assert time.monotonic() < until
        time.sleep(0.1)
        job = browser.get(f"/v1/jobs/{job['id']}").json()
    return job


def test_a_pack_with_mistakes_is_refused_with_their_places_and_leaves_nothing(app: App, tmp_path: Path) -> None:
    folder = tmp_path / "job"
    (folder / SENT).write_bytes(zipped(BROKEN))
    found = install(app, folder, "island")
    assert found["state"] == "refused"
    first = found["result"]["findings"][0]
    assert (first["file"], first["severity"]) == ("npcs/nan.md", "error")
    assert first["line"] > 1
    assert [pack.id for pack in app.library.packs()] == ["harbour"]
    assert not (app.workspace.content_packs / "island").exists()


def test_a_mended_pack_is_installed(app: App, tmp_path: Path) -> None:
    folder = tmp_path / "job"
    (folder / SENT).write_bytes(zipped(PACK))
    found = install(app, folder, "island")
    assert (found["state"], found["result"]["pack_id"]) == ("done", "island")
    assert "island" in [pack.id for pack in app.library.packs()]


@pytest.mark.parametrize("name", ["../evil.md", "/etc/evil.md", "a/../../evil.md"])
def test_a_hostile_archive_is_refused_and_leaves_nothing(app: App, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "job"
    (folder / SENT).write_bytes(zipped({**PACK, name: "evil"}))
    found = install(app, folder, "island")
    if found["state"] == "refused":
        assert str(tmp_path) not in found["problem"]
    assert not list(tmp_path.rglob("evil.md"))


def test_what_is_no_archive_is_refused_in_words(app: App, tmp_path: Path) -> None:
    folder = tmp_path / "job"
    (folder / SENT).write_bytes(b"no zip")
    found = install(app, folder, "island")
    assert found["state"] == "refused"
    assert found["problem"]


@pytest.mark.campaign
def test_a_pack_is_sent_and_installed_and_its_progress_is_told(room: Hall) -> None:
    owner = room.owner()
    job = ended(owner, send(owner, PACK))
    assert (job["state"], job["result"]["pack_id"]) == ("done", "island")
    assert owner.get("/v1/packs/island/stats").json()["open_share"] == 1.0
    with owner.client.stream("GET", f"/v1/jobs/{job['id']}", headers={"Accept": "text/event-stream"}) as told:
        assert '"state": "done"' in "".join(told.iter_text())
    refused = ended(owner, send(owner, BROKEN, "other"))
    assert (refused["state"], refused["result"]["findings"][0]["file"]) == ("refused", "npcs/nan.md")
    page = owner.get(f"/workshop/jobs/{refused['id']}").text
    assert "npcs/nan.md:" in page
    # Others know of no job.
    ben = room.guest("Ben", "game")
    assert ben.get(f"/v1/jobs/{job['id']}").content == ben.get("/v1/campaigns/nothing").content


@pytest.mark.campaign
def test_a_job_is_cancelled_whether_it_waits_or_runs_and_installs_nothing(room: Hall) -> None:
    owner = room.owner()
    first, second = send(owner, PACK), send(owner, {**PACK, "pack.yaml": "id: other\nname: Other\nversion: 1.0.0\n"})
    assert owner.delete(f"/v1/jobs/{second['id']}").json()["state"] == "cancelled"
    assert owner.delete(f"/v1/jobs/{first['id']}").json()["state"] in ("cancelled", "done")
    assert "other" not in owner.get("/v1/packs").text


def test_jobs_of_a_service_that_was_stopped_are_told_as_failed(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    with hall(app) as room:
        values = (
            "left",
            "install",
            "island",
            room.service.accounts.owner().id,
            "running",
            "",
            0,
            0,
            None,
            "",
            "now",
            "",
        )
        room.service.accounts.write(("INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values))
    with hall(app) as room:
        job = room.owner().get("/v1/jobs/left").json()
        assert (job["state"], "send it again" in job["problem"]) == ("failed", True)


def test_the_workshop_is_nowhere_for_others(room: Hall) -> None:
    ben = room.guest("Ben", "game", "gm")
    nothing = ben.get("/v1/campaigns/nothing").content
    for path in PATHS[:3]:
        assert ben.get(f"/v1{path}").content == nothing, path
    for path in PATHS[3:]:
        assert ben.get(f"/v1{path}").status_code in (403, 404), path
    missing = ben.get("/table/nothing").text.replace("/table/nothing", "")
    for path in PAGES:
        assert ben.get(f"/workshop{path}").status_code == 404, path
        assert ben.get(f"/workshop{path}").text == missing, path
    assert "Workshop" not in ben.get("/").text


def test_findings_shares_and_tests_of_a_pack_are_answered(room: Hall) -> None:
    owner = room.owner()
    assert isinstance(owner.get("/v1/packs/harbour/lint").json(), list)
    stats = owner.get("/v1/packs/harbour/stats").json()
    assert 0 < stats["open_share"] < 1
    assert stats["campaigns"] == ["game"]
    assert owner.get("/v1/packs/nothing/lint").status_code == 404


def test_a_question_is_asked_with_several_eyes_and_says_why_a_section_does_not_come(room: Hall) -> None:
    owner = room.owner()
    secret = "harbour:osk:withholds"
    page = owner.get(f"/workshop/query?q=what+of+the+{h.WITHHOLDS}&as=gm,player&section={secret}").text
    gm, _, player = page.partition('aria-label="As player"')
    assert h.WITHHOLDS in gm.partition('aria-label="As gm"')[2]
    assert h.WITHHOLDS not in player.partition("<h2>")[2].partition('name="q"')[0].replace(f"the {h.WITHHOLDS}", "")
    assert "there is no such chunk for player" in player
    wrong = owner.get("/workshop/query?q=osk&as=king").text
    assert 'role="alert"' in wrong


def test_a_scene_is_seen_as_a_player_and_as_an_npc(room: Hall) -> None:
    page = room.owner().get("/workshop/scene?place=tavern&present=osk&as=player,npc:osk").text
    player, _, osk = page.partition('aria-label="As npc:osk"')
    assert h.WITHHOLDS in osk
    assert h.WITHHOLDS not in player


def test_a_golden_test_is_written_from_a_question_and_run(room: Hall, tmp_path: Path) -> None:
    owner = room.owner()
    fields = {"pack": "harbour", "q": "who keeps the tavern", "viewer": "player", "expect": "harbour:osk:overview"}
    page = owner.submit("/workshop/query/golden", **fields).text
    (written,) = tmp_path.rglob("tests/workshop.yaml")
    assert "who keeps the tavern" in written.read_text(encoding="utf-8")
    assert "who keeps the tavern" in page
    owner.submit("/workshop/query/golden", **{**fields, "q": "what is on the quay"})
    assert written.read_text(encoding="utf-8").count("query:") == 2


def test_a_section_says_who_may_see_it(room: Hall) -> None:
    page = room.owner().get("/workshop/packs/harbour/entity?id=harbour:osk").text
    assert "the game master; others as it is revealed" in page
    assert "everybody" in page


def test_a_pack_that_is_followed_is_indexed_after_each_save_and_what_was_found_is_told(room: Hall) -> None:
    owner = room.owner()
    assert owner.account is not None
    folder = Path(room.service.open_app().library.get("harbour").path)
    note, caller = folder / "npcs" / "osk.md", Caller(owner.account, frozenset({"gm", "admin"}))
    whole = note.read_text(encoding="utf-8")

    async def follow() -> list[dict[str, Any]]:
        looks = []

        async def next_look() -> None:
            while True:
                told = await asyncio.wait_for(anext(stream), 60)
                if told.startswith("event: looked"):
                    looks.append(json.loads(told.partition("data: ")[2]))
                    return

        stream = look_again(room.service, caller, "harbour", folder)
        await next_look()
        for text in (f"{whole}\n## Rumours\n\nOsk whistles zydeco.\n", "---\nid: osk\n# Osk\n\nText.\n", whole):
            note.write_text(text, encoding="utf-8")
            await next_look()
            if "zydeco" in text:
                assert "Osk whistles" in owner.get("/workshop/query?q=zydeco&as=gm").text
        await stream.aclose()
        return looks

    first, added, broken, mended = asyncio.run(follow())
    assert (first["indexed"], first["failing"]) == (True, [])
    assert added["indexed"]
    assert not broken["indexed"]
    wrong = [found["code"] for found in broken["findings"] if found["severity"] == "error"]
    assert wrong == ["unterminated-frontmatter"]
    assert "osk.md" in broken["problem"]
    assert mended["indexed"]
    assert not [found for found in mended["findings"] if found["severity"] == "error"]
