"""lorewright lore …: ask the packs, and see why the answer is what it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from lorewright.cli.output import console, note, say, say_parts, show_json
from lorewright.cli.prose import laid_out, wrapped
from lorewright.cli.tracing import by_meaning, by_words, show_trace, ties
from lorewright.errors import EmbedderError, SettingsError
from lorewright.lore_bootstrap import open_lore
from lorewright.retrieval.desk import EntityLore
from lorewright.retrieval.explain import ChunkTrace
from lorewright.retrieval.query import LoreRetrievalQuery, LoreRetrievalResult
from lorewright.retrieval.retriever import Retrieval
from lorewright.settings import LoreSettings

app = typer.Typer(
    help="Lore: ask the installed packs.", no_args_is_help=True, add_completion=False, rich_markup_mode=None
)

_REASONS: dict[str, str] = {
    "filtered": "for neither words nor names, filters, links or meaning point at it",
    "overridden": "for a later pack's section stands for it",
    "condition": "for its condition does not hold",
    "duplicate": "for a better chunk says the same",
    "over_budget": "for the budget of tokens was spent",
    "below_the_cut": "for there are enough better sections",
    "not_rolled": "for the dice of the turn were against it",
    "cooldown": "for it was found a few turns ago",
    "requires": "for what it requires is not in the answer",
    "excluded": "for it may not stand beside another entry",
    "group": "for another entry of its group is there",
}


@dataclass(frozen=True, slots=True)
class Desk:
    """Who answers: for the installed packs, or for a campaign's. `without_vectors` says why words alone are asked."""

    settings: LoreSettings
    query: Callable[..., Retrieval]
    why_not: Callable[..., ChunkTrace | None]
    entity: Callable[..., EntityLore]
    without_vectors: EmbedderError | None


def _desk(campaign: str | None) -> Desk:
    if campaign is None:
        lore = open_lore()
        packs = lore.desk
        return Desk(lore.workspace.settings.lore, packs.query, packs.why_not, packs.entity, lore.without_vectors)
    # The game is imported where a campaign is asked for, and nowhere else.
    from lorewright.bootstrap import open_app

    opened = open_app()
    return Desk(
        opened.workspace.settings.lore,
        partial(opened.lore.query, campaign_id=campaign),
        partial(opened.lore.why_not, campaign_id=campaign),
        partial(opened.lore.entity, campaign_id=campaign),
        opened.without_vectors,
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
    batch: Annotated[Path | None, typer.Option(help="Answer each line of this file of JSON lines.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Find lore for a question.

    What matches its words and its meaning is weighed with what belongs to the scene.
    """
    desk = _desk(campaign)
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
        _show_why_not(desk.why_not(asked, why_not, packs=pack or []), why_not, asked)
        return
    found = desk.query(asked, packs=pack or [])
    _warn_of_words_alone(desk, found)
    if as_json:
        answer = found.result.model_dump(mode="json")
        show_json({**answer, "trace": found.trace.model_dump(mode="json")} if explain else answer)
    else:
        _show(found.result)
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
    for number, line in enumerate(batch.read_text(encoding="utf-8").splitlines(), start=1):
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


def _show(result: LoreRetrievalResult) -> None:
    if not result.chunks:
        say("Nothing was found.")
    for chunk in result.chunks:
        say_parts(
            (chunk.section_path, "bold"), (f"  [{chunk.chunk_id}]", "dim"), (f"  {chunk.relevance_score:.2f}", "")
        )
        say(laid_out(chunk.text))
        say()
    if result.chunks:
        many = f"{len(result.chunks)} chunks" if len(result.chunks) > 1 else "1 chunk"
        say(f"{many}, {result.total_tokens} tokens", style="dim")


def _warn_of_words_alone(desk: Desk, found: Retrieval) -> None:
    """Say on stderr why meaning was not asked, where it should have been."""
    problem = desk.without_vectors
    for message in found.degraded or ((problem.message,) if problem else ()):
        note(f"found by words alone: {message} (lorewright doctor says more)")


def _show_why_not(chunk: ChunkTrace | None, chunk_id: str, asked: LoreRetrievalQuery) -> None:
    if chunk is None:
        say(f"{chunk_id}: there is no such chunk for {asked.viewer} in the packs that are asked.")
        return
    lanes = [f"by words {by}" for by in [by_words(chunk)] if by] + [
        f"by meaning {by}" for by in [by_meaning(chunk)] if by
    ]
    ranked = f"rank {chunk.rank}, score {chunk.score:.3f}" if chunk.rank else "nothing found it"
    place = "; ".join([ranked, *lanes, *filter(None, [ties(chunk)])])
    if chunk.reason is None:
        say(wrapped(f"{chunk.chunk_id} was chosen: {place}."))
    else:
        where = place if chunk.rank else "it was not ranked"
        why = f"{_REASONS[chunk.reason]} ({where}; {chunk.tokens} tokens)"
        say(wrapped(f"{chunk.chunk_id} was left out, {why}."))


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
    desk = _desk(campaign)
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
    _show(found.lore.result)
