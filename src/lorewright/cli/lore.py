"""lorewright lore …: ask the packs, and see why the answer is what it is."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from typer.core import TyperGroup

from lorewright.authoring.budget_steps import budget_steps
from lorewright.bounded_files import read_lines
from lorewright.cli.absences import show_absence
from lorewright.cli.budgets import read_budgets, show_steps
from lorewright.cli.lore_desk import Desk, open_desk, warn_of_words_alone
from lorewright.cli.output import console, note, say, show_json
from lorewright.cli.pages.query_page import query_page
from lorewright.cli.pages.rendering import write_page
from lorewright.cli.passages import show_passages
from lorewright.cli.tracing import show_trace
from lorewright.errors import SettingsError
from lorewright.retrieval.absence import why_absent
from lorewright.retrieval.desk import explained_now
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve


class Commands(TyperGroup):
    """The commands; `scene` is imported when it is called, so that no question waits for it."""

    def list_commands(self, ctx: Any) -> list[str]:
        """All names, in order."""
        return [*super().list_commands(ctx), "scene"]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name, or None."""
        if cmd_name != "scene":
            return super().get_command(ctx, cmd_name)
        module = import_module("lorewright.cli.scene")
        alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        alone.command("scene", epilog=module.EXAMPLE)(module.scene)
        command = typer.main.get_command(alone)
        command.name = cmd_name
        return command


app = typer.Typer(
    cls=Commands,
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
    location: Annotated[str | None, typer.Option(help="The place of the scene.")] = None,
    entity: Annotated[list[str] | None, typer.Option(help="Someone or something there (may be repeated).")] = None,
    faction: Annotated[list[str] | None, typer.Option(help="A faction (may be repeated).")] = None,
    thread: Annotated[list[str] | None, typer.Option(help="A thread of the story (may be repeated).")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A tag (may be repeated).")] = None,
    corpus: Annotated[str, typer.Option(help="authored, history or all.")] = "all",
    campaign: Annotated[str | None, typer.Option(help="With what was revealed in this campaign.")] = None,
    viewer: Annotated[str, typer.Option("--as", help="With whose eyes: gm, player or npc:ID.")] = "gm",
    limit: Annotated[int | None, typer.Option(help="At most so many sections.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="At most so much text.")] = None,
    explain: Annotated[bool, typer.Option(help="Show why each chunk is there and others are not.")] = False,
    why_not: Annotated[str | None, typer.Option(help="Say why this chunk was left out.")] = None,
    diff_budget: Annotated[
        str | None, typer.Option(metavar="A,B…", help="Show what each of these budgets of tokens gives.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write answer and explanation to this file, as a page.")] = None,
    batch: Annotated[Path | None, typer.Option(help="Answer each line of this file of JSON lines.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Find lore for a question.

    What matches its words and its meaning is weighed with what belongs to the scene.
    """
    desk = open_desk(campaign)
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
        _answer_batch(desk, batch, fields, pack or [])
        return
    asked = _query(desk, fields)
    if why_not is not None:
        with desk.asking(asked, pack or []) as (view, put):
            absence = why_absent(view, put, why_not)
        if as_json:
            show_json(absence.model_dump(mode="json"))
        else:
            show_absence(absence, asked)
        return
    budgets = None if diff_budget is None else read_budgets(diff_budget)
    with desk.asking(asked, pack or []) as (view, put):
        found = retrieve(view, put)
        if explain or html is not None or budgets is not None:
            explained_now(found)
        foreign = {one.pack_id for one in view.generations if not one.english}
    warn_of_words_alone(desk, found)
    if budgets is not None:
        steps = budget_steps(found, budgets, limit=asked.limit)
        if as_json:
            show_json([step.model_dump(mode="json") for step in steps])
        else:
            show_steps(steps, limit=asked.limit)
        return
    if html is not None:
        write_page(html, query_page(asked, found, foreign=foreign))
        note(f"written to {html}")
    if as_json:
        answer = found.result.model_dump(mode="json")
        show_json({**answer, "trace": found.trace.model_dump(mode="json")} if explain else answer)
    else:
        show_passages(found.result)
        if explain:
            say()
            show_trace(found.trace)


def _query(desk: Desk, fields: dict[str, Any]) -> LoreRetrievalQuery:
    defaults = desk.settings.model_dump()
    given = {key: value for key, value in fields.items() if value is not None}
    try:
        asked = LoreRetrievalQuery.model_validate({**defaults, **given})
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        raise SettingsError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}", hint="see --help") from None
    if not asked.keywords.strip() and not asked.has_filters:
        raise SettingsError("nothing was asked", hint='give words or a filter: lorewright lore query "Jin"')
    return asked


def _answer_batch(desk: Desk, batch: Path, fields: dict[str, Any], packs: list[str]) -> None:
    """One JSON object a line in, one a line out, in order."""
    if not batch.is_file():
        raise SettingsError(f"there is no file {batch}", hint="one JSON object a line: {id, query, …}")
    with batch.open(encoding="utf-8") as file, desk.sharing():
        _answer_lines(desk, batch, read_lines(file, str(batch), SettingsError), fields, packs)


def _answer_lines(desk: Desk, batch: Path, lines: Iterable[str], fields: dict[str, Any], packs: list[str]) -> None:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            asked = json.loads(line)
            known = {key: value for key, value in asked.items() if key in LoreRetrievalQuery.model_fields}
            one = {**fields, "keywords": asked.get("query", asked.get("keywords", "")), **known}
        except (ValueError, AttributeError) as problem:
            raise SettingsError(f"{batch}:{number}: not a JSON object ({problem})", hint="one object a line") from None
        found = desk.query(_query(desk, one), packs=packs)
        answer = {"id": asked.get("id"), **found.result.model_dump(mode="json")}
        console().file.write(json.dumps(answer, ensure_ascii=False) + "\n")


@app.command(epilog="Example: lorewright lore entity neon_dragon --as player")
def entity(
    entity_id: Annotated[str, typer.Argument(metavar="ID", help="The entity's ID, with or without its pack.")],
    campaign: Annotated[str | None, typer.Option(help="With what was revealed in this campaign.")] = None,
    viewer: Annotated[str, typer.Option("--as", help="With whose eyes: gm, player or npc:ID.")] = "gm",
    max_tokens: Annotated[int | None, typer.Option(help="At most so much text.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """All that tells of one person, place or thing.

    Its own file comes first, then what mentions it.
    """
    desk = open_desk(campaign)
    budget = desk.settings.max_tokens if max_tokens is None else max_tokens
    found = desk.entity(entity_id, viewer=viewer, max_tokens=budget)
    told = found.entity
    if as_json:
        show_json({"entity": asdict(told), **found.lore.result.model_dump(mode="json")})
        return
    say(f"{told.name}  [{told.id}]  {told.type}", style="bold")
    for what, values in (("also called", told.aliases), ("tags", told.tags)):
        if values:
            say(f"{what}: {', '.join(values)}", style="dim")
    say(f"from {told.file_path}", style="dim")
    say()
    show_passages(found.lore.result)
