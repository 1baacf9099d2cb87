"""lorewright lore …: ask the packs, and see why the answer is what it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from lorewright.bootstrap import App, open_app
from lorewright.cli.output import console, say, show_json, show_table
from lorewright.errors import SettingsError
from lorewright.ids import local
from lorewright.retrieval.explain import ChunkTrace, RetrievalTrace
from lorewright.retrieval.query import LoreRetrievalQuery, LoreRetrievalResult
from lorewright.retrieval.retriever import Retrieval

app = typer.Typer(help="Lore: ask the installed packs.", no_args_is_help=True)

_TERMS_SHOWN = 4
_LEFT_OUT_SHOWN = 8


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
    batch: Annotated[Path | None, typer.Option(help="Answer each line of this file of JSON lines.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Find lore: what matches the words, weighed with what belongs to the scene."""
    lorewright = open_app()
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
        _answer_batch(lorewright, batch, fields, pack or [], campaign)
        return
    found = lorewright.lore.query(_query(lorewright, fields), packs=pack or [], campaign_id=campaign)
    if why_not is not None:
        _show_why_not(found.trace, why_not)
    elif as_json:
        answer = found.result.model_dump(mode="json")
        show_json({**answer, "trace": found.trace.model_dump(mode="json")} if explain else answer)
    else:
        _show(found.result)
        if explain:
            _show_trace(found)


def _query(lorewright: App, fields: dict[str, Any]) -> LoreRetrievalQuery:
    defaults = lorewright.workspace.settings.lore.model_dump()
    given = {key: value for key, value in fields.items() if value is not None}
    try:
        asked = LoreRetrievalQuery.model_validate({**defaults, **given})
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        raise SettingsError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}", hint="see --help") from None
    if not asked.keywords.strip() and not asked.has_filters:
        raise SettingsError("nothing was asked", hint='give words or a filter: lorewright lore query "Jin"')
    return asked


def _answer_batch(lorewright: App, batch: Path, fields: dict[str, Any], packs: list[str], campaign: str | None) -> None:
    """One JSON object a line in, one a line out, in order."""
    if not batch.is_file():
        raise SettingsError(f"there is no file {batch}", hint="one JSON object a line: {id, query, …}")
    for number, line in enumerate(batch.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            asked = json.loads(line)
            known = {key: value for key, value in asked.items() if key in LoreRetrievalQuery.model_fields}
            one = {**fields, "keywords": asked.get("query", asked.get("keywords", "")), **known}
        except (ValueError, AttributeError) as problem:
            raise SettingsError(f"{batch}:{number}: not a JSON object ({problem})", hint="one object a line") from None
        found = lorewright.lore.query(_query(lorewright, one), packs=packs, campaign_id=campaign)
        answer = {"id": asked.get("id"), **found.result.model_dump(mode="json")}
        console().file.write(json.dumps(answer, ensure_ascii=False) + "\n")


def _show(result: LoreRetrievalResult) -> None:
    if not result.chunks:
        say("Nothing was found.")
    for chunk in result.chunks:
        say(f"{chunk.section_path}  [{chunk.chunk_id}]  {chunk.relevance_score:.2f}", style="bold")
        say(chunk.text)
        say()
    if result.chunks:
        say(f"{len(result.chunks)} chunks, {result.total_tokens} tokens", style="dim")


def _show_trace(found: Retrieval) -> None:
    """Why: what was chosen in the order of its rank, then the best of what was left out with the one reason each."""
    columns = ("rank", "score", "chunk", "words", "ties", "tokens")
    chosen = [chunk for chunk in found.trace.chunks if chunk.reason is None]
    left = [chunk for chunk in found.trace.chunks if chunk.reason is not None]
    say("why these", style="bold")
    show_table(columns, [_trace_row(chunk) for chunk in chosen])
    if left:
        say("why not those", style="bold")
        rows = [(*_trace_row(chunk), (chunk.reason or "").replace("_", " ")) for chunk in left[:_LEFT_OUT_SHOWN]]
        show_table((*columns, "reason"), rows)
        if len(left) > _LEFT_OUT_SHOWN:
            say(f"… and {len(left) - _LEFT_OUT_SHOWN} more; --why-not CHUNK answers for one", style="dim")


def _trace_row(chunk: ChunkTrace) -> tuple[object, ...]:
    terms = sorted(chunk.terms.items(), key=lambda term: -term[1])
    words = ", ".join(f"{word} {share:.1f}" for word, share in terms[:_TERMS_SHOWN])
    more = f" +{len(terms) - _TERMS_SHOWN}" if len(terms) > _TERMS_SHOWN else ""
    ties = [f"named: {chunk.name}"] if chunk.name else [f"mentions: {chunk.mention}"] if chunk.mention else []
    ties += list(chunk.filters)
    return chunk.rank, f"{chunk.score:.3f}", chunk.chunk_id, words + more, ", ".join(ties), chunk.tokens


def _show_why_not(trace: RetrievalTrace, chunk_id: str) -> None:
    chunk = trace.why(chunk_id) or next((c for c in trace.chunks if local(c.chunk_id) == chunk_id), None)
    if chunk is None:
        say(f"{chunk_id}: nothing in the query points at it, or there is no such chunk for {trace.viewer}.")
    elif chunk.reason is None:
        say(f"{chunk.chunk_id} was chosen: rank {chunk.rank}, score {chunk.score:.3f}.")
    else:
        reason = chunk.reason.replace("_", " ")
        place = f"rank {chunk.rank}, score {chunk.score:.3f}, {chunk.tokens} tokens" if chunk.rank else "never ranked"
        say(f"{chunk.chunk_id} was left out, {reason}: {place}.")
