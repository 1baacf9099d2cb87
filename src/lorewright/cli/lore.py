"""lorewright lore …: ask the packs, and explain the answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from lorewright.authoring.changes import BudgetStep, GivenChunk, budget_steps
from lorewright.authoring.explanations import reason_in_words
from lorewright.authoring.query_page import query_page, scene_page, write_page
from lorewright.bounded_files import read_lines
from lorewright.cli.lore_sources import LoreSource, folders_of, open_source, warn_of_words_alone
from lorewright.cli.output import console, note, say, show_json, show_passages, show_table, wrapped
from lorewright.cli.tracing import show_trace, show_why_not
from lorewright.errors import SettingsError
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.why_not import explain_why_not
from lorewright.scene_lore.scene_trace import SceneFound, SceneTrace, find_scene

# lorewright lore scene: the lore of a place and the people in it, what is found besides, and why.

EXAMPLE = "Example: lorewright lore scene --location neon_dragon --present viktor --explain"


def scene(
    location: Annotated[str, typer.Option(help="The place, by ID or name.")],
    present: Annotated[list[str] | None, typer.Option(help="Who is there, by ID or name (may be repeated).")] = None,
    thread: Annotated[list[str] | None, typer.Option(help="A thread of the story (may be repeated).")] = None,
    pack: Annotated[list[str] | None, typer.Option(help="Only this pack (may be repeated).")] = None,
    campaign: Annotated[str | None, typer.Option(help="With what was revealed in this campaign.")] = None,
    viewer: Annotated[str, typer.Option("--as", help="Whose view: gm, player, npc:ID or pc:ID.")] = "gm",
    limit: Annotated[
        int | None, typer.Option(min=1, max=1000, help="At most so many sections are found beside.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(min=0, help="At most so much text, the scene's own included.")
    ] = None,
    explain: Annotated[bool, typer.Option(help="Show why each section is there and others are not.")] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write the scene and its explanation to this file, as a page.")
    ] = None,
    vscode: Annotated[
        bool, typer.Option("--vscode", help="With --html: the names of files open them in VS Code.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Gather the lore of a scene.

    What belongs to the place and to those present comes by its ID; what relates to them is found beside it, in what is
    left of the budget.
    """
    source = open_source(campaign)
    with source.lore.view(viewer, pack or [], campaign_id=campaign) as view:
        found = find_scene(
            view,
            location=location,
            present=present or [],
            threads=thread or [],
            limit=source.settings.limit if limit is None else limit,
            max_tokens=source.settings.max_tokens if max_tokens is None else max_tokens,
        )
        foreign = {generation.pack_id for generation in view.generations if not generation.english}
    words_alone = warn_of_words_alone(source, found.beside)
    if html is not None:
        write_page(html, scene_page(found, foreign=foreign, folders=folders_of(source) if vscode else {}))
        note(f"written to {html}")
    if as_json:
        beside = [chunk.model_dump(mode="json") for chunk in found.beside.result.chunks]
        answer = {**found.shown, **source.cache_of(found.place.id), "location_id": found.place.id, "beside": beside}
        answer |= words_alone
        answer |= {} if found.lore is None else {"lore": found.lore.model_dump(mode="json")}
        show_json({**answer, "trace": found.trace.model_dump(mode="json")} if explain else answer)
        return
    _show(found)
    if explain:
        say()
        _explain(found.trace)


def _show(found: SceneFound) -> None:
    say(f"{found.place.name}  [{found.place.id}]", style="bold")
    if found.present:
        say(f"with {', '.join(f'{thing.name} [{thing.id}]' for thing in found.present)}", style="dim")
    names = {thing.id: thing.name for thing in (found.place, *found.present)}
    heading = None
    for line in found.lines:
        if (line.of, line.role) != heading:
            heading = (line.of, line.role)
            say()
            say(f"{names.get(line.of, line.of)}: {_role(line.role)}", style="bold")
        say(wrapped(line.text, indent="- ", hanging="  "))
    if found.beside.result.chunks:
        say()
        say("found beside", style="bold")
        show_passages(found.beside.result)


def _explain(trace: SceneTrace) -> None:
    tokens_left = max(0, trace.max_tokens - trace.by_id_tokens)
    say("there by ID", style="bold")
    if trace.by_id:
        packs = {section.chunk_id.partition(":")[0] for section in trace.by_id}
        columns: tuple[str, ...] = ("section", "comes with the", "role", "lines", "tokens")
        rows: list[Sequence[object]] = [
            (_short(section.chunk_id, packs), section.why, _role(section.role), section.lines, section.tokens)
            for section in trace.by_id
        ]
        if trace.viewer == "gm":
            columns = (*columns, "kept back")
            rows = [(*row, section.kept or "") for row, section in zip(rows, trace.by_id, strict=True)]
        show_table(columns, rows, right=("lines", "tokens", "kept back"))
    else:
        say("nothing that this viewer may read", style="dim")
    say(
        f"{trace.by_id_tokens:,} of {trace.max_tokens:,} tokens; "
        + (
            f"{tokens_left:,} are left for what is found beside"
            if tokens_left
            else "nothing is left for what is found beside"
        ),
        style="dim",
    )
    for condition in trace.conditions:
        holds = {True: "holds", False: "does not hold: it is left out", None: "is judged in a campaign"}[
            condition.holds
        ]
        say(
            wrapped(
                f"{condition.item_id or condition.chunk_id} stands under “{condition.condition}”, which {holds}",
                whole_words=True,
            )
        )
    say()
    show_trace(trace.by_retrieval, title="found beside, and why", more="")


def _short(chunk_id: str, packs: set[str]) -> str:
    """Return the ID; without its pack where all are of one."""
    return chunk_id.partition(":")[2] if len(packs) == 1 else chunk_id


def _role(role: str) -> str:
    return "overview" if role == "lore" else reason_in_words(role)


# What a larger or smaller budget changes in an answer, step by step.

_MOST = 12
_HINT = "numbers of tokens with commas between: --diff-budget 500,1000,2000"


def read_budgets(text: str) -> list[int]:
    """Return the budgets of a text like `500,1000`, sorted.

    Raises:
        SettingsError: there are fewer than two or more than twelve, or a part is no number of tokens.
    """
    parts = [part.strip() for part in text.split(",")]
    wrong = next((part for part in parts if not (part.isascii() and part.isdigit()) or len(part) > 7), None)
    if wrong is not None:
        raise SettingsError(f'"{wrong}" is no number of tokens', hint=_HINT)
    budgets = sorted({int(part) for part in parts})
    if not 2 <= len(budgets) <= _MOST:
        raise SettingsError(f"{len(budgets)} budgets were given; compare 2 to {_MOST}", hint=_HINT)
    return budgets


def show_steps(steps: Sequence[BudgetStep], *, limit: int) -> None:
    """Print how much each budget gives; then what comes in with each, and where it is cut."""
    rows = [
        (f"{step.max_tokens:,}", step.sections, f"{step.tokens:,}", f"+{len(step.new)}", _end(step, limit))
        for step in steps
    ]
    numbers = ("budget", "sections", "tokens", "new")
    show_table((*numbers, "where it ends"), rows, right=numbers)
    for step in steps:
        say()
        say(f"with {step.max_tokens:,} tokens", style="bold")
        for chunk in step.longer:
            say(f"  ~ {_told(chunk)}: more of it")
        for chunk in step.new:
            say(f"  + {_told(chunk)}")
        if not step.new and not step.longer:
            say("  nothing more" if step is not steps[0] else "  nothing", style="dim")


def _end(step: BudgetStep, limit: int) -> str:
    if step.cut is not None:
        return f"{step.cut.chunk_id} is cut to {step.cut.given:,} of {step.cut.tokens:,}"
    if step.next is not None:
        return f"no room for {step.next.chunk_id} ({step.next.tokens:,})"
    return f"at the limit of {limit} sections" if step.sections >= limit else "all that was found is in it"


def _told(chunk: GivenChunk) -> str:
    tokens = f"{chunk.given:,} tokens" if chunk.given == chunk.tokens else f"{chunk.given:,} of {chunk.tokens:,} tokens"
    return f"#{chunk.rank} {chunk.chunk_id} ({tokens})"


# lorewright lore query and entity: ask the packs.

app = typer.Typer(
    help="Lore: ask the installed packs.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.callback()
def group() -> None:
    """Lore: ask the installed packs."""


@app.command(
    epilog='Example: lorewright lore query "where did Jin go" --location neon_dragon --explain',
)
def query(
    text: Annotated[str, typer.Argument(help="What to look for, in plain words.")] = "",
    pack: Annotated[list[str] | None, typer.Option(help="Only this pack (may be repeated).")] = None,
    location: Annotated[str | None, typer.Option(help="The place of the scene, by ID or name.")] = None,
    entity: Annotated[
        list[str] | None, typer.Option(help="Someone or something there, by ID or name (may be repeated).")
    ] = None,
    faction: Annotated[list[str] | None, typer.Option(help="A faction (may be repeated).")] = None,
    thread: Annotated[list[str] | None, typer.Option(help="A thread of the story (may be repeated).")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A tag (may be repeated).")] = None,
    corpus: Annotated[str, typer.Option(help="authored, history or all.")] = "all",
    campaign: Annotated[str | None, typer.Option(help="With what was revealed in this campaign.")] = None,
    viewer: Annotated[str, typer.Option("--as", help="Whose view: gm, player, npc:ID or pc:ID.")] = "gm",
    limit: Annotated[int | None, typer.Option(help="At most so many sections.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="At most so much text.")] = None,
    explain: Annotated[bool, typer.Option(help="Show why each chunk is there and others are not.")] = False,
    why_not: Annotated[str | None, typer.Option(help="Say why this chunk was left out.")] = None,
    diff_budget: Annotated[
        str | None, typer.Option(metavar="A,B…", help="Show what each of these budgets of tokens gives.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write answer and explanation to this file, as a page.")] = None,
    vscode: Annotated[
        bool, typer.Option("--vscode", help="With --html: the names of files open them in VS Code.")
    ] = False,
    batch: Annotated[Path | None, typer.Option(help="Answer each line of this file of JSON lines.")] = None,
    timed: Annotated[
        bool, typer.Option("--timed", help="Say how long it took; JSON differs from time to time then.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Find lore for a question.

    What matches its words and its meaning is weighed with what belongs to the scene.
    """
    source = open_source(campaign)
    fields: dict[str, Any] = {
        "keywords": text,
        "location_id": location,
        "entity_ids": entity or [],
        "faction_ids": faction or [],
        "thread_ids": thread or [],
        "tags": tag or [],
        "corpus": corpus,
        "viewer": viewer,
        "limit": limit,
        "max_tokens": max_tokens,
    }
    if batch is not None:
        _answer_batch(source, batch, fields, pack or [])
        return
    asked = _query(source, fields)
    if why_not is not None:
        with source.lore.asking(asked, pack or [], campaign_id=campaign) as (view, put):
            why_left_out = explain_why_not(view, put, why_not)
        if as_json:
            show_json(why_left_out.model_dump(mode="json"))
        else:
            show_why_not(why_left_out, asked)
        return
    budgets = None if diff_budget is None else read_budgets(diff_budget)
    with source.lore.asking(asked, pack or [], campaign_id=campaign) as (view, put):
        found = retrieve(view, put)
        if explain or html is not None or budgets is not None:
            # The trace is made while the view is open.
            _ = found.trace
        foreign = {generation.pack_id for generation in view.generations if not generation.english}
    words_alone = warn_of_words_alone(source, found)
    if budgets is not None:
        steps = budget_steps(found, budgets, limit=asked.limit)
        if as_json:
            show_json([step.model_dump(mode="json") for step in steps])
        else:
            show_steps(steps, limit=asked.limit)
        return
    if html is not None:
        write_page(html, query_page(asked, found, foreign=foreign, folders=folders_of(source) if vscode else {}))
        note(f"written to {html}")
    if as_json:
        answer = found.result.model_dump(mode="json")
        answer |= words_alone
        answer |= {"query_time_ms": found.result.query_time_ms} if timed else {}
        show_json({**answer, "trace": found.trace.model_dump(mode="json")} if explain else answer)
    else:
        show_passages(found.result)
        if timed:
            say(f"found in {found.result.query_time_ms} ms", style="dim")
        if explain:
            say()
            show_trace(found.trace)


def _query(source: LoreSource, fields: dict[str, Any]) -> LoreRetrievalQuery:
    defaults = source.settings.of_query
    given = {key: value for key, value in fields.items() if value is not None}
    try:
        parsed = LoreRetrievalQuery.model_validate({**defaults, **given})
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        raise SettingsError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}", hint="see --help") from None
    if not parsed.keywords.strip() and not parsed.has_filters:
        raise SettingsError("nothing was asked", hint='give words or a filter: lorewright lore query "Jin"')
    return parsed


def _answer_batch(source: LoreSource, batch: Path, fields: dict[str, Any], packs: list[str]) -> None:
    """Read one JSON object a line and write one a line, in order."""
    if not batch.is_file():
        raise SettingsError(f"there is no file {batch}", hint="one JSON object a line: {id, query, …}")
    with batch.open(encoding="utf-8") as file, source.library.sharing():
        _answer_lines(source, batch, read_lines(file, str(batch), SettingsError), fields, packs)


def _answer_lines(
    source: LoreSource, batch: Path, lines: Iterable[str], fields: dict[str, Any], packs: list[str]
) -> None:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            request = json.loads(line)
            known = {key: value for key, value in request.items() if key in LoreRetrievalQuery.model_fields}
            line_fields = {**fields, "keywords": request.get("query", request.get("keywords", "")), **known}
        except (ValueError, AttributeError) as problem:
            raise SettingsError(f"{batch}:{number}: not a JSON object ({problem})", hint="one object a line") from None
        query = _query(source, line_fields)
        found = source.lore.retrieve(query, packs=packs, campaign_id=source.campaign_id, explained=False)
        answer = {"id": request.get("id"), **found.result.model_dump(mode="json")}
        answer |= {"words_alone": list(found.degraded)} if found.degraded else {}
        console().file.write(json.dumps(answer, ensure_ascii=False) + "\n")


@app.command(epilog="Example: lorewright lore entity neon_dragon --as player")
def entity(
    written: Annotated[
        str, typer.Argument(metavar="NAME", help="Its name, an alias, or its ID, with or without its pack.")
    ],
    campaign: Annotated[str | None, typer.Option(help="With what was revealed in this campaign.")] = None,
    viewer: Annotated[str, typer.Option("--as", help="Whose view: gm, player, npc:ID or pc:ID.")] = "gm",
    max_tokens: Annotated[int | None, typer.Option(help="At most so much text.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """All that tells of one person, place or thing.

    Its own file comes first, then what mentions it.
    """
    source = open_source(campaign)
    budget = source.settings.max_tokens if max_tokens is None else max_tokens
    found = source.lore.entity(written, viewer=viewer, campaign_id=campaign, max_tokens=budget)
    subject = found.entity
    if as_json:
        show_json({"entity": asdict(subject), **found.lore.result.model_dump(mode="json")})
        return
    say(f"{subject.name}  [{subject.id}]  {subject.type}", style="bold")
    for what, values in (("also called", subject.aliases), ("tags", subject.tags)):
        if values:
            say(f"{what}: {', '.join(values)}", style="dim")
    say(f"from {subject.file_path}", style="dim")
    say()
    show_passages(found.lore.result)


app.command("scene", epilog=EXAMPLE)(scene)
