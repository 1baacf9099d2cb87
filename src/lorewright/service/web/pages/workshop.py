"""The pages of the workshop: packs and what is found in them, sending one, and the laboratories in which a question or
a scene is asked with several viewers' eyes. They are the owner's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar
from urllib.parse import quote, urlencode

import yaml
from fastapi import APIRouter, Depends, Form, Query, Request
from starlette.datastructures import UploadFile
from starlette.responses import Response

from lorewright.authoring.explanations import told_of
from lorewright.authoring.query_page import found_values
from lorewright.bootstrap import App
from lorewright.errors import LorewrightError, SettingsError
from lorewright.packs.files import MAX_MANIFEST_BYTES, TESTS_FOLDER
from lorewright.packs.models import OPEN_ROLES
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.why_not import explain_why_not
from lorewright.scene_lore.scene_trace import find_scene
from lorewright.service.web.api.workshop import (
    at_work,
    cases_of,
    findings_of,
    name_pack,
    require_author,
    show_job,
    stats_of,
)
from lorewright.service.web.engine import Tables, in_engine
from lorewright.service.web.jobs import ENDED
from lorewright.service.web.pages.rendering import render_page
from lorewright.service.web.pages.requests import Asker, Here, redirect_to, session_values, show_time
from lorewright.service.web.service import Service
from lorewright.storage.enclosure import Enclosure

T = TypeVar("T")


async def author(caller: Asker) -> None:
    """Refuse everybody but the owner, as if there was nothing.

    Raises:
        NotFound: it is another account.
    """
    require_author(caller)


workshop_pages = APIRouter(prefix="/workshop", include_in_schema=False, dependencies=[Depends(author)])

# So many viewers are shown side by side.
_MOST_VIEWERS = 4
# Golden tests that were written here stand in a file of their own.
_GOLDEN_FILE = "workshop.yaml"
_GOLDEN_HEAD = "# Questions of the workshop's query laboratory, and the section that answers each.\n"
_PIECE_BYTES = 256 * 1024
_MARKS = {"error": "✖ error", "warning": "▲ warning", "info": "· note"}


async def _ask(service: Service, work: Callable[[App], T]) -> T:
    """Return what a function makes of the packs, in the engine thread."""

    def ask(tables: Tables) -> T:
        return work(tables.app)

    return await service.engine.run(in_engine(ask))


@workshop_pages.get("")
async def workshop(service: Here, caller: Asker) -> Response:
    """The packs that are installed, and what was sent."""
    return await _workshop(service, caller)


async def _workshop(service: Service, caller: Asker, *, problem: str = "", status: int = 200) -> Response:
    packs = await at_work(service, lambda app: [stats_of(app, pack.id) for pack in app.library.packs()])
    names = await _ask(service, lambda app: {pack.id: pack.name for pack in app.library.packs()})
    jobs = service.jobs.jobs(caller.account)[:20]
    values = {
        "title": "Workshop",
        **session_values(caller),
        "packs": [
            {**pack.model_dump(), "name": names[pack.pack_id], "percent": f"{pack.open_share:.0%}"} for pack in packs
        ],
        "jobs": [{**show_job(job).model_dump(), "at": show_time(job.created_at)} for job in jobs],
        "problem": problem,
    }
    return render_page("workshop", values, status=status)


@workshop_pages.post("/send")
async def send(request: Request, service: Here, caller: Asker) -> Response:
    """Send a pack: it is checked, and installed if it has no errors."""
    form = await request.form()
    sent = form.get("pack")
    if not isinstance(sent, UploadFile) or not sent.filename:
        return await _workshop(service, caller, problem="choose the .zip of a pack first", status=422)

    async def pieces() -> AsyncIterator[bytes]:
        while piece := await sent.read(_PIECE_BYTES):
            yield piece

    try:
        job = await service.jobs.add(caller.account, "install", name_pack(sent.filename), pieces())
    finally:
        await form.close()
    return redirect_to(f"/workshop/jobs/{job.id}")


@workshop_pages.get("/jobs/{job_id}")
async def job_page(service: Here, caller: Asker, job_id: str) -> Response:
    """How a job stands, and what was found in the pack."""
    job = service.jobs.job(caller.account, job_id)
    findings = (job.result or {}).get("findings", [])
    values = {
        "title": f"Sent: {job.name}",
        **session_values(caller),
        "job": show_job(job).model_dump(),
        "ended": job.state in ENDED,
        "findings": [{**finding, "mark": _MARKS[finding["severity"]]} for finding in findings],
        "errors": sum(finding["severity"] == "error" for finding in findings),
        "pack_id": (job.result or {}).get("pack_id", ""),
    }
    return render_page("job", values)


@workshop_pages.post("/jobs/{job_id}/cancel")
async def cancel(service: Here, caller: Asker, job_id: str) -> Response:
    """End a job."""
    await service.jobs.cancel(caller.account, job_id)
    return redirect_to(f"/workshop/jobs/{job_id}")


@workshop_pages.get("/packs/{pack_id}")
async def pack_page(
    service: Here,
    caller: Asker,
    pack_id: str,
    tests: Annotated[bool, Query()] = False,
    watch: Annotated[bool, Query()] = False,
) -> Response:
    """A pack: what is found in its files, what share of it is open, its entities, its golden tests. With `watch` its
    files are followed."""
    stats = await at_work(service, lambda app: stats_of(app, pack_id))
    findings, problem = [], ""
    try:
        findings = await at_work(service, lambda app: findings_of(app, pack_id))
        cases = await at_work(service, lambda app: cases_of(app, pack_id)) if tests else []
    except LorewrightError as error:
        # Its folder may be gone; the pack is there all the same.
        problem, cases = error.message, []
    values = {
        "title": pack_id,
        **session_values(caller),
        "pack": {**stats.model_dump(), "percent": f"{stats.open_share:.0%}"},
        "findings": [{**found.model_dump(), "mark": _MARKS[found.severity]} for found in findings],
        "entities": await _ask(service, lambda app: _entities(app, pack_id)),
        "tests": tests,
        "watch": watch,
        "cases": [case.model_dump() for case in cases],
        "problem": problem,
    }
    return render_page("pack", values)


def _entities(app: App, pack_id: str) -> list[dict[str, str]]:
    generation = app.library.open(app.library.get(pack_id).key)
    try:
        return [
            {"id": entity.id, "name": entity.name, "type": entity.type, "query": urlencode({"id": entity.id})}
            for entity in generation.entities().values()
        ]
    finally:
        generation.close()


@workshop_pages.get("/packs/{pack_id}/entity")
async def entity_page(
    service: Here, caller: Asker, pack_id: str, entity_id: Annotated[str, Query(alias="id", max_length=300)]
) -> Response:
    """A person, place or thing, section by section, with who may see each."""

    def read(app: App) -> dict[str, Any]:
        generation = app.library.open(app.library.get(pack_id).key)
        try:
            found = generation.entity(entity_id)
            sections = [
                {
                    "section": chunk.section_path,
                    "place": f"{chunk.file_path}:{chunk.line}",
                    "role": chunk.role.replace("_", " "),
                    "who": "everybody" if chunk.role in OPEN_ROLES else "the game master; others as it is revealed",
                    "text": chunk.text,
                }
                for chunk in generation.chunks_of(entity_id)
            ]
            return {"name": entity_id if found is None else found.name, "sections": sections}
        finally:
            generation.close()

    values = {"title": entity_id, **session_values(caller), "pack_id": pack_id, **await _ask(service, read)}
    return render_page("pack_entity", values)


# The laboratories.

Viewers = Annotated[str, Query(alias="as", max_length=400)]


def _viewers(text: str) -> list[str]:
    return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))[:_MOST_VIEWERS] or ["gm"]


@workshop_pages.get("/query")
async def query_lab(
    service: Here,
    caller: Asker,
    q: Annotated[str, Query(max_length=2_000)] = "",
    pack: Annotated[str, Query(max_length=200)] = "",
    viewers: Viewers = "gm, player",
    section: Annotated[str, Query(max_length=300)] = "",
) -> Response:
    """A question to the lore with several viewers' eyes side by side: what comes and why, what does not and why."""
    return await _lab(
        service,
        caller,
        "query_lab",
        {"q": q, "pack": pack, "section": section},
        viewers,
        lambda app, viewer: _answer(app, viewer, q, pack, section) if q.strip() else None,
    )


@workshop_pages.get("/scene")
async def scene_lab(
    service: Here,
    caller: Asker,
    place: Annotated[str, Query(max_length=300)] = "",
    present: Annotated[str, Query(max_length=600)] = "",
    pack: Annotated[str, Query(max_length=200)] = "",
    viewers: Viewers = "gm, player",
) -> Response:
    """The lore of a scene with several viewers' eyes side by side."""
    people = [name.strip() for name in present.split(",") if name.strip()]
    return await _lab(
        service,
        caller,
        "scene_lab",
        {"place": place, "present": present, "pack": pack},
        viewers,
        lambda app, viewer: _scene(app, viewer, place, people, pack) if place.strip() else None,
    )


async def _lab(
    service: Service,
    caller: Asker,
    template: str,
    asked: dict[str, str],
    viewers: str,
    answer: Callable[[App, str], dict[str, Any] | None],
) -> Response:
    columns, problem = [], ""
    for viewer in _viewers(viewers):
        try:
            found = await _ask(service, lambda app, viewer=viewer: answer(app, viewer))  # type: ignore[misc]
        except LorewrightError as error:
            problem = f"{viewer}: {error.message}" + (f" ({error.hint})" if error.hint else "")
            continue
        if found is not None:
            columns.append({"viewer": viewer, **found})
    names = await _ask(service, lambda app: [pack.id for pack in app.library.packs()])
    values = {
        "title": "Scene laboratory" if template == "scene_lab" else "Query laboratory",
        **session_values(caller),
        **asked,
        "viewers": ", ".join(_viewers(viewers)),
        "packs": [{"id": name, "chosen": name == asked["pack"]} for name in names],
        "columns": columns,
        "problem": problem,
    }
    return render_page(template, values)


def _answer(app: App, viewer: str, text: str, pack: str, section: str) -> dict[str, Any]:
    settings = app.workspace.settings.lore
    query = LoreRetrievalQuery(keywords=text, viewer=viewer, limit=settings.limit, max_tokens=settings.max_tokens)
    packs: Sequence[str] = [pack] if pack else []
    with app.lore.asking(query, packs) as (view, put):
        foreign = {generation.pack_id for generation in view.generations if not generation.english}
        found = app.lore.retrieve(put, packs=packs)
        values = found_values(put, found, foreign)
        why = told_of(explain_why_not(view, put, section.strip()), put) if section.strip() else []
    first = found.result.chunks[0].chunk_id.partition("~")[0] if found.result.chunks else ""
    own = first.partition(":")[0]
    return {**values, "why_not": why, "first": first, "own": own, "golden": _golden(text, viewer, [first])}


def _golden(text: str, viewer: str, expected: Sequence[str]) -> str:
    """Return a golden test of a question, as it stands in a pack's `tests/` folder."""
    sections = [chunk_id.partition("~")[0] for chunk_id in expected]
    test = {"query": text, "viewer": viewer, "include": sections}
    return str(yaml.safe_dump([test], allow_unicode=True, sort_keys=False)).strip()


def _write_golden(app: App, pack_id: str, test: str) -> None:
    """Write a golden test behind those that the workshop wrote into a pack's folder before.

    Raises:
        NotFound: no pack of that ID is installed.
        SettingsError: its folder is not of this workspace.
        FileUnavailable: it cannot be written.
    """
    root = Path(app.library.get(pack_id).path)
    if not root.resolve().is_relative_to(app.workspace.root.resolve()):
        raise SettingsError(f"the folder of {pack_id} is not of this workspace", hint="put the lines into its tests/")
    place, home = root / TESTS_FOLDER / _GOLDEN_FILE, Enclosure(root)
    before = home.read(place, limit=MAX_MANIFEST_BYTES).decode("utf-8") if place.is_file() else _GOLDEN_HEAD
    home.make_folder(place.parent)
    home.write(place, f"{before.rstrip()}\n{test.strip()}\n".encode())


def _scene(app: App, viewer: str, place: str, present: Sequence[str], pack: str) -> dict[str, Any]:
    settings = app.workspace.settings.lore
    with app.lore.view(viewer, [pack] if pack else []) as view:
        found = find_scene(
            view, location=place, present=present, threads=[], limit=settings.limit, max_tokens=settings.max_tokens
        )
        beside = [{"section": chunk.section_path, "text": chunk.text} for chunk in found.beside.result.chunks]
        lines = [{"role": line.role.replace("_", " "), "of": line.of, "text": line.text} for line in found.lines]
    return {
        "place_name": found.place.name,
        "people": ", ".join(entity.name for entity in found.present),
        "lines": lines,
        "beside": beside,
        "left": [
            {"section": chunk.section_path, "reason": (chunk.reason or "").replace("_", " ")}
            for chunk in found.trace.by_retrieval.chunks
            if chunk.reason is not None
        ][:20],
    }


@workshop_pages.post("/query/golden")
async def write_golden(
    service: Here,
    caller: Asker,
    pack: Annotated[str, Form(max_length=200)],
    q: Annotated[str, Form(max_length=2_000)],
    viewer: Annotated[str, Form(max_length=200)],
    expect: Annotated[str, Form(max_length=400)],
) -> Response:
    """Write a golden test into the folder of a pack, and run its tests."""
    await _ask(service, lambda app: _write_golden(app, pack, _golden(q, viewer, [expect])))
    return redirect_to(f"/workshop/packs/{quote(pack)}?tests=true")
