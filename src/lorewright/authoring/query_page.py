"""A query and its answer -> a page: what was chosen and why, what the budget cut, what was excluded and why.

It is made from the answer and its trace alone, so it holds nothing that its viewer may not see.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from lorewright.authoring.explanations import REASONS, cut_of, reason_in_words, why
from lorewright.errors import SettingsError
from lorewright.index.keywords import content_words, matching_words
from lorewright.packs.markdown.text_layout import clean, unwrapped
from lorewright.retrieval.explain import ChunkTrace, RetrievalTrace
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.ranking import PARTS
from lorewright.retrieval.retriever import Retrieval
from lorewright.scene_lore.scene_trace import SceneFound, SceneLine
from lorewright.scripts import is_unspaced

# A page is made from a template and plain values; it loads nothing, runs nothing and escapes everything.

# With it every page begins: only a page is written over.
_BEGINS = b"<!doctype html>"
_TEMPLATES = Path(__file__).with_name("templates")


def rendered(template: str, values: Mapping[str, Any]) -> str:
    """Return a whole page: the template's body in the frame that all pages share. `values` has a `title`; every text in
    it is escaped, and control characters are removed."""
    body = _filled(f"{template}.hbs", values)
    frame = {"title": values["title"], "style": (_TEMPLATES / "style.css").read_text(encoding="utf-8"), "body": body}
    return _filled("frame.hbs", frame)


def write_page(path: Path, page: str) -> None:
    """Write a page to its file, over an earlier page where there is one.

    Raises:
        SettingsError: the path is a folder, its folder does not exist, or the file there is no page.
    """
    if path.is_dir() or not path.parent.is_dir():
        raise SettingsError(f"{path} cannot be written", hint="name a file in a folder that is there: --html page.html")
    if path.exists():
        with path.open("rb") as old:
            begins = old.read(len(_BEGINS))
        if begins and begins.lower() != _BEGINS:
            raise SettingsError(f"{path} is there and is no page: it was left as it is", hint="name another file")
    path.write_text(page, encoding="utf-8")


def _filled(name: str, values: Mapping[str, Any]) -> str:
    return fill_template(_TEMPLATES / name, values)


def fill_template(template: Path, values: Mapping[str, Any]) -> str:
    """Return a template with values filled in; every text in them is escaped, and control characters are removed."""
    return str(_compiled(template).render(_cleaned(values)))


@cache
def _compiled(template: Path) -> Any:
    # Takes a tenth of a second to import, so only commands that write a page wait for it.
    from pydantic_handlebars import HandlebarsEnvironment

    environment = HandlebarsEnvironment(auto_escape=True, strict=True, max_output_size=100_000_000)
    return environment.compile(template.read_text(encoding="utf-8"))


def _cleaned(value: Any) -> Any:
    """Return the value with texts rid of control characters and unpaired surrogates."""
    if isinstance(value, str):
        return clean(value).encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Mapping):
        return {key: _cleaned(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(part) for part in value]
    return value


# Texts are split into pieces, with those marked that the query matched.

_WORD = re.compile(r"\w+")


def pieces(text: str, matched: Collection[str]) -> list[dict[str, Any]]:
    """Return `{piece, marked}` in order; joined they are the text. `matched` are words in lower case, or parts of words
    in scripts without spaces."""
    found: list[dict[str, Any]] = []
    done = 0
    for start, end in _matched_spans(text, matched):
        if start > done:
            found.append({"piece": text[done:start], "marked": False})
        found.append({"piece": text[start:end], "marked": True})
        done = end
    if done < len(text) or not found:
        found.append({"piece": text[done:], "marked": False})
    return found


def _matched_spans(text: str, matched: Collection[str]) -> Iterator[tuple[int, int]]:
    parts = sorted(filter(is_unspaced, matched), key=len, reverse=True)
    inside = re.compile("|".join(map(re.escape, parts))) if parts else None
    for word in _WORD.finditer(text):
        if word[0].casefold() in matched:
            yield word.span()
        elif inside is not None:
            yield from (part.span() for part in inside.finditer(text, word.start(), word.end()))


def matched_words(
    retrieval: Retrieval, asked: Iterable[str], texts: Mapping[str, Sequence[str]], *, foreign: Collection[str] = ()
) -> dict[str, frozenset[str]]:
    """Return pack -> the words of its texts that any of the asked words finds; packs in `foreign` are not in English.

    Words that named something count, too.
    """
    named = {hit.name for hit in retrieval.at_hand if hit.name}
    words = sorted({*asked, *(word for name in named for word in content_words(name))})
    return {
        pack: frozenset().union(*matching_words(words, texts_of_pack, english=pack not in foreign).values())
        for pack, texts_of_pack in texts.items()
    }


# The page of a query: what was chosen and why, what the budget cut, what was excluded and why.

# At most this many excluded chunks are shown for each reason; the others are counted.
_LEFT_SHOWN = 25
_LANE_SHOWN = 10


def query_page(
    asked: LoreRetrievalQuery,
    found: Retrieval,
    *,
    foreign: Collection[str] = (),
    folders: Mapping[str, Path] = MappingProxyType({}),
) -> str:
    """Return the whole page. `foreign` are the packs that are not in English. The game master's page names file and
    line of each section; they are links that open in VS Code for the packs whose `folders` are given."""
    title = asked.keywords.strip() or "what belongs here"
    return rendered("query", {"title": title, **found_values(asked, found, foreign, folders)})


def found_values(
    asked: LoreRetrievalQuery,
    found: Retrieval,
    foreign: Collection[str] = (),
    folders: Mapping[str, Path] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the values that the template shows of an answer."""
    trace = found.trace
    chosen = [chunk for chunk in trace.chunks if chunk.reason is None]
    page = _Page(asked, found, foreign, folders)
    return {
        "asked": _asked(asked, trace),
        "any": bool(chosen),
        "cut": cut_of(trace, chosen) if chosen else "nothing was found",
        "counts": f"meaning counts {trace.vector_weight:.0%}, words {1 - trace.vector_weight:.0%}"
        if trace.vector_weight
        else "",
        "max_tokens": f"{trace.max_tokens:,}",
        "budget": _budget(trace, chosen),
        "legend": [{"part": part} for part in PARTS if any(part in chunk.parts for chunk in trace.chunks)],
        "chosen": page.chosen(chosen),
        "left": page.left(trace),
        "lanes": _lanes(trace),
    }


class _Page:
    """Texts as the viewer reads them, with the words that found them; bars of one scale."""

    def __init__(
        self, asked: LoreRetrievalQuery, found: Retrieval, foreign: Collection[str], folders: Mapping[str, Path]
    ) -> None:
        # A file's name may tell what it is about: others than the game master do not see it.
        self._files = {} if asked.viewer != "gm" else {hit.chunk.id: hit.chunk for hit in found.at_hand}
        self._folders = folders
        self._texts = {hit.chunk.id: hit.text for hit in found.at_hand}
        self._given = {chunk.chunk_id: chunk.text for chunk in found.result.chunks}
        by_pack: dict[str, list[str]] = {}
        for chunk_id, text in self._texts.items():
            by_pack.setdefault(_pack(chunk_id), []).append(text)
        self._matched = matched_words(found, content_words(asked.keywords), by_pack, foreign=foreign)
        self._full = max((chunk.score for chunk in found.trace.chunks), default=0.0)

    def chosen(self, chunks: Sequence[ChunkTrace]) -> list[dict[str, Any]]:
        so_far = 0
        rows = []
        for chunk in chunks:
            so_far += chunk.given
            cut = (
                f"{chunk.given:,} of {chunk.tokens:,} tokens"
                if chunk.given < chunk.tokens
                else f"{chunk.given:,} tokens"
            )
            rows.append({**self._row(chunk, self._given.get(chunk.chunk_id)), "tokens": cut, "so_far": f"{so_far:,}"})
        return rows

    def left(self, trace: RetrievalTrace) -> list[dict[str, Any]]:
        by_reason: dict[str, list[ChunkTrace]] = {}
        for chunk in trace.chunks:
            if chunk.reason is not None:
                by_reason.setdefault(chunk.reason, []).append(chunk)
        return [
            {
                "reason": reason_in_words(reason),
                "because": REASONS[reason],
                "count": f"{len(chunks)} section{'s' if len(chunks) > 1 else ''}",
                "chunks": [self._row(chunk, self._texts.get(chunk.chunk_id)) for chunk in chunks[:_LEFT_SHOWN]],
                "more": f"and {len(chunks) - _LEFT_SHOWN} more" if len(chunks) > _LEFT_SHOWN else "",
            }
            for reason, chunks in by_reason.items()
        ]

    def _row(self, chunk: ChunkTrace, text: str | None) -> dict[str, Any]:
        return {
            "rank": str(chunk.rank) if chunk.rank else "–",
            "section": chunk.section_path,
            "id": chunk.chunk_id,
            **self._place(chunk.chunk_id),
            "score": f"{chunk.score:.3f}",
            "scored": ", ".join(part["hint"] for part in bar_of(chunk.parts, full=self._full)),
            "bar": bar_of(chunk.parts, full=self._full),
            "tokens": f"{chunk.tokens:,} tokens",
            "why": " · ".join(why(chunk)) or "nothing but its place",
            "text": pieces(unwrapped(text), self._matched.get(_pack(chunk.chunk_id), frozenset())) if text else [],
        }

    def _place(self, chunk_id: str) -> dict[str, str]:
        """Return file and line of a section, and the address that opens them; empty for those who may not know."""
        chunk = self._files.get(chunk_id)
        if chunk is None or not chunk.file_path:
            return {"file": "", "link": ""}
        folder = self._folders.get(chunk.pack_id)
        link = "" if folder is None else f"vscode://file{quote((folder / chunk.file_path).as_posix())}:{chunk.line}"
        return {"file": f"{chunk.file_path}:{chunk.line}", "link": link}


def bar_of(parts: Mapping[str, float], *, full: float) -> list[dict[str, str]]:
    """Return `{part, width, hint}` for each part of a score; the best score of the page is as wide as the bar."""
    return [
        {"part": part, "width": f"{100 * parts[part] / full:.2f}", "hint": f"{part} {parts[part]:.3f}"}
        for part in PARTS
        if full > 0 and parts.get(part, 0.0) > 0
    ]


def _asked(asked: LoreRetrievalQuery, trace: RetrievalTrace) -> str:
    filters = {
        "place": [asked.location_id] if asked.location_id else [],
        "with": asked.entity_ids,
        "factions": asked.faction_ids,
        "threads": (*asked.thread_ids, *asked.thread_tags),
        "tags": asked.tags,
    }
    scene = [f"{what}: {', '.join(map(str, ids))}" for what, ids in filters.items() if ids]
    return "; ".join([f"as {asked.viewer}", f"of {', '.join(trace.packs) or 'nothing'}", *scene])


def _budget(trace: RetrievalTrace, chosen: Sequence[ChunkTrace]) -> list[dict[str, str]]:
    room = max(trace.max_tokens, sum(chunk.given for chunk in chosen), 1)
    return [
        {
            "kind": "part" if chunk.given < chunk.tokens else "whole",
            "width": f"{100 * chunk.given / room:.2f}",
            "hint": f"{chunk.section_path}: {chunk.given:,} of {chunk.tokens:,} tokens",
        }
        for chunk in chosen
    ]


def _lanes(trace: RetrievalTrace) -> list[dict[str, Any]]:
    """Return the best hits of each lane, each with whether it was chosen or why not."""
    words = sorted((chunk for chunk in trace.chunks if chunk.keyword_rank), key=lambda chunk: chunk.keyword_rank or 0)
    meaning = sorted((chunk for chunk in trace.chunks if chunk.vector_rank), key=lambda chunk: chunk.vector_rank or 0)
    lanes = {
        "words": [(word, word.keyword_rank, f"{sum(word.terms.values()):.1f}") for word in words],
        "meaning": [(chunk, chunk.vector_rank, f"{chunk.vector_score or 0:.2f}") for chunk in meaning],
    }
    return [
        {
            "lane": f"By {lane}",
            "hits": [
                {
                    "rank": str(rank),
                    "section": chunk.section_path,
                    "score": score,
                    "fate": reason_in_words(chunk.reason or "chosen"),
                }
                for chunk, rank, score in hits[:_LANE_SHOWN]
            ],
        }
        for lane, hits in lanes.items()
        if hits
    ]


def _pack(chunk_id: str) -> str:
    return chunk_id.partition(":")[0]


# The page of a scene: what is there by its ID, what was found besides, and why. It holds what its viewer may read.


def scene_page(
    found: SceneFound, *, foreign: Collection[str] = (), folders: Mapping[str, Path] = MappingProxyType({})
) -> str:
    """Return the whole page. `foreign` are the packs that are not in English; `folders` are as in `query_page`."""
    trace = found.trace
    values = found_values(found.query.model_copy(update={"keywords": ""}), found.beside, foreign, folders)
    room = max(trace.max_tokens, trace.by_id_tokens, 1)
    own = [
        {
            "kind": "part" if section.kept else "whole",
            "width": f"{100 * section.tokens / room:.2f}",
            "hint": f"{section.chunk_id}: {section.tokens:,} tokens, for the {section.why} {section.of}",
        }
        for section in trace.by_id
    ]
    return rendered(
        "scene",
        {
            **values,
            "title": found.place.name,
            "company": ", ".join(thing.name for thing in found.present),
            "who": f"as {trace.viewer}",
            "spent": f"{trace.by_id_tokens:,} of {trace.max_tokens:,} tokens are the scene's own",
            "own": own,
            "is_gm": trace.viewer == "gm",
            "groups": _groups(found),
            "sections": [
                {
                    **section.model_dump(),
                    "tokens": f"{section.tokens:,}",
                    "lines": str(section.lines),
                    "kept": str(section.kept or ""),
                }
                for section in trace.by_id
            ],
            "conditions": [
                {
                    "what": condition.item_id or condition.chunk_id,
                    "condition": condition.condition,
                    "holds": {True: "holds", False: "does not hold: left out", None: "is judged in a campaign"}[
                        condition.holds
                    ],
                }
                for condition in trace.conditions
            ],
        },
    )


def _groups(found: SceneFound) -> list[dict[str, Any]]:
    """Return the lines of the scene in groups by entity and role."""
    names = {entry.id: entry.name for entry in (found.place, *found.present)}
    groups: dict[tuple[str, str], list[SceneLine]] = {}
    for line in found.lines:
        groups.setdefault((line.of, line.role), []).append(line)
    return [
        {
            "whose": names.get(of, of),
            "role": "overview" if role == "lore" else role,
            "lines": [{"text": line.text, "kept": line.kept and found.trace.viewer == "gm"} for line in lines],
        }
        for (of, role), lines in groups.items()
    ]
