"""The API of the workshop: packs that are sent, what is found in them, their tests; and jobs. All of it is the owner's:
who reads a pack's findings reads its secrets."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from pathlib import Path as FilePath
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Header, Path, Query, Request
from starlette.responses import StreamingResponse

from lorewright.authoring.pack_suite import SuiteOptions
from lorewright.authoring.saves import FileSaves
from lorewright.bootstrap import App
from lorewright.errors import NotFound, PackError
from lorewright.service.web.access import Caller
from lorewright.service.web.accounts import Scope
from lorewright.service.web.api.requests import REFUSALS, Asker, Here
from lorewright.service.web.jobs import ENDED, Job
from lorewright.service.web.service import Service
from lorewright.service.web.shapes import CaseShown, FindingShown, JobShown, PackLook, PackStats
from lorewright.service.web.stream import KEEP_ALIVE_S, message

T = TypeVar("T")

workshop_api = APIRouter(prefix="/v1", responses=REFUSALS, tags=["workshop"])

_LOOKED_EVERY_S = 0.5


def as_author(scope: Scope) -> Any:
    """Return a dependency that refuses everybody but the owner, and then requests without a scope."""

    async def check(caller: Asker) -> None:
        require_author(caller)
        caller.needs(scope)

    return Depends(check)


def require_author(caller: Caller) -> None:
    """Refuse everybody but the owner, as if there was nothing.

    Raises:
        NotFound: it is another account, or a token of one table.
    """
    if not caller.account.is_owner or caller.campaign_id is not None:
        raise NotFound("there is no such thing, or you may not see it")


async def at_work(service: Service, work: Callable[[App], T]) -> T:
    """Return what a function makes of an app of its own, in a thread: what takes long blocks nobody's turn."""
    return await asyncio.to_thread(lambda: work(service.open_app()))


def show_job(job: Job) -> JobShown:
    """Return a job without its account."""
    return JobShown(**{name: value for name, value in asdict(job).items() if name != "account_id"})


def name_pack(text: str) -> str:
    """Return a folder's name for a pack that was sent as a file of some name."""
    return re.sub(r"[^a-z0-9]+", "_", text.casefold().removesuffix(".zip")).strip("_")[:60] or "pack"


@workshop_api.post(
    "/packs",
    status_code=202,
    dependencies=[as_author("admin")],
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def send_pack(
    request: Request,
    service: Here,
    caller: Asker,
    name: Annotated[str, Query(max_length=100, description="The folder's name, for a pack without a pack.yaml.")] = "",
) -> JobShown:
    """Install a pack from a .zip, which is the request's body: it is checked, and installed if it has no errors. The
    job says how it goes, and then what was found."""
    return show_job(await service.jobs.add(caller.account, "install", name_pack(name), request.stream()))


@workshop_api.get("/jobs", dependencies=[as_author("admin")])
async def list_jobs(service: Here, caller: Asker) -> list[JobShown]:
    """Your jobs, the newest first."""
    return [show_job(job) for job in service.jobs.jobs(caller.account)]


JobId = Annotated[str, Path(alias="job", max_length=40)]


@workshop_api.get(
    "/jobs/{job}",
    dependencies=[as_author("admin")],
    response_model=JobShown,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def get_job(
    service: Here, caller: Asker, job_id: JobId, accept: Annotated[str | None, Header(max_length=300)] = None
) -> Any:
    """A job; with `Accept: text/event-stream` its progress as server-sent events, `job`, until it has ended."""
    found = service.jobs.job(caller.account, job_id)
    if "text/event-stream" not in (accept or ""):
        return show_job(found)
    return StreamingResponse(_progress(service, caller, job_id), media_type="text/event-stream")


async def _progress(service: Service, caller: Caller, job_id: str) -> AsyncIterator[str]:
    last = None
    while not service.hub.is_closing:
        job = service.jobs.job(caller.account, job_id)
        if job != last:
            yield message("job", show_job(job).model_dump(mode="json"))
        if job.state in ENDED:
            return
        last = job
        await asyncio.sleep(_LOOKED_EVERY_S)


@workshop_api.delete("/jobs/{job}", dependencies=[as_author("admin")])
async def cancel_job(service: Here, caller: Asker, job_id: JobId) -> JobShown:
    """End a job that has not ended; nothing of it is left."""
    return show_job(await service.jobs.cancel(caller.account, job_id))


PackId = Annotated[str, Path(alias="pack", max_length=200)]


@workshop_api.get(
    "/packs/{pack}/lint",
    dependencies=[as_author("gm")],
    response_model=list[FindingShown],
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def lint_pack(
    service: Here, caller: Asker, pack_id: PackId, accept: Annotated[str | None, Header(max_length=300)] = None
) -> Any:
    """What is found in a pack's files as they lie there now, errors first. With `Accept: text/event-stream` (and the
    scope `admin`) they are followed: after each save they are indexed, and an event `looked` tells what was found and
    which golden tests fail."""
    if "text/event-stream" not in (accept or ""):
        return await at_work(service, lambda app: findings_of(app, pack_id))
    caller.needs("admin")
    folder = await at_work(service, lambda app: FilePath(app.library.get(pack_id).path))
    return StreamingResponse(look_again(service, caller, pack_id, folder), media_type="text/event-stream")


async def look_again(service: Service, caller: Caller, pack_id: str, folder: FilePath) -> AsyncIterator[str]:
    """Yield an event for each look at a pack whose files have changed, the first at once, until the service stops or
    the session or token ends."""
    saves = await asyncio.to_thread(lambda: FileSaves(folder, poll=True))
    is_saved, quiet_s = True, 0.0
    while not service.hub.is_closing and caller.is_still_let_in(service.accounts):
        if is_saved:
            quiet_s = 0.0
            look = await at_work(service, lambda app: look_at(app, pack_id))
            yield message("looked", look.model_dump(mode="json"))
        elif quiet_s >= KEEP_ALIVE_S:
            quiet_s = 0.0
            yield ": still here\n\n"
        is_saved = bool(await asyncio.to_thread(saves.wait, _LOOKED_EVERY_S))
        quiet_s += _LOOKED_EVERY_S


def look_at(app: App, pack_id: str) -> PackLook:
    """Index an installed pack as its files lie there now, unless they have errors; return what was found, and the
    golden tests that fail."""
    findings: list[FindingShown] = []
    try:
        findings = findings_of(app, pack_id)
        app.indexer.reindex(pack_id)
        failing = [case for case in cases_of(app, pack_id) if case.status != "passed"]
    except PackError as error:
        return PackLook(findings=tuple(findings), indexed=False, problem=error.message, failing=())
    return PackLook(findings=tuple(findings), indexed=True, problem="", failing=tuple(failing))


def findings_of(app: App, pack_id: str) -> list[FindingShown]:
    """Return what is found in an installed pack's folder, errors first, then by file and line.

    Raises:
        NotFound: no pack of that ID is installed.
    """
    pack = app.packs.check(FilePath(app.library.get(pack_id).path))
    order = {"error": 0, "warning": 1, "info": 2}
    found = sorted(pack.findings, key=lambda one: (order[one.severity], one.file, one.line))
    return [FindingShown(**asdict(finding)) for finding in found]


@workshop_api.get("/packs/{pack}/stats", dependencies=[as_author("gm")])
async def get_stats(service: Here, caller: Asker, pack_id: PackId) -> PackStats:
    """What a pack holds, and how much of it is open to players."""
    return await at_work(service, lambda app: stats_of(app, pack_id))


def stats_of(app: App, pack_id: str) -> PackStats:
    """Return what an installed pack holds.

    Raises:
        NotFound: no pack of that ID is installed.
    """
    pack = app.library.get(pack_id)
    generation = app.library.open(pack.key)
    try:
        sections = len(generation.all_chunks())
        open_sections = sections - len(generation.hidden_chunks())
    finally:
        generation.close()
    return PackStats(
        pack_id=pack.id,
        version=pack.version,
        sections=sections,
        open_sections=open_sections,
        open_share=round(open_sections / sections, 3) if sections else 1.0,
        campaigns=tuple(app.packs.needed_by(pack_id)),
    )


@workshop_api.get("/packs/{pack}/tests", dependencies=[as_author("gm")])
async def run_tests(service: Here, caller: Asker, pack_id: PackId) -> list[CaseShown]:
    """Run the golden tests of a pack, and return how they came out."""
    return await at_work(service, lambda app: cases_of(app, pack_id))


def cases_of(app: App, pack_id: str) -> list[CaseShown]:
    """Run the golden tests of an installed pack.

    Raises:
        NotFound: no pack of that ID is installed.
        PackError: its folder cannot be read, or has errors.
    """
    found = app.pack_tests.run(app.library.get(pack_id).path, SuiteOptions(only=frozenset({"golden"})))
    return [CaseShown(**{name: getattr(case, name) for name in CaseShown.model_fields}) for case in found.report.cases]
