"""The answers to golden queries, kept in a file -> what moved since: the regression test of a pack."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lorewright.authoring.pack_tests.golden_cases import Asked, named
from lorewright.authoring.pack_tests.results import Case
from lorewright.bounded_files import read_bytes
from lorewright.errors import SettingsError
from lorewright.retrieval.left_out import left_out
from lorewright.storage.enclosure import FOR_ALL, Enclosure

BASELINE_FILE = "tests/baseline.json"
_FORMAT = 1
_TOLD = 5
_MAX_BYTES = 32 * 1024 * 1024


class KeptAnswer(BaseModel):
    """The answer to a question as it was: sections, best first. `title` is for whoever reads the file."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    title: str
    sections: tuple[str, ...]


class Baseline(BaseModel):
    """The answers to a pack's golden queries, each by what is asked. `embedder` says what they were found with beside
    words, empty where nothing."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    format: int = Field(default=_FORMAT, ge=_FORMAT, le=_FORMAT)
    pack: str
    embedder: str
    answers: dict[str, KeptAnswer]


def baseline_of(pack_id: str, embedder: str, asked: Sequence[Asked]) -> Baseline:
    """What there is to keep of some answers."""
    answers = {
        one.golden.query.asked: KeptAnswer(title=one.golden.query.title, sections=one.judged.sections)
        for one in asked
        if one.judged.retrieval is not None and not one.skipped
    }
    return Baseline(pack=pack_id, embedder=embedder, answers=dict(sorted(answers.items())))


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Keep answers; a file that is there is replaced once the new one is whole.

    Raises:
        UnsafePath: the file is a link, which may lead out of the pack.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(baseline.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n"
    folder = Enclosure(path.parent.resolve())
    folder.write(folder.path(path.name), text.encode(), mode=FOR_ALL)


def read_baseline(path: Path) -> Baseline:
    """Answers that were kept.

    Raises:
        SettingsError: the file is not there, or is no baseline.
    """
    hint = "make one: lorewright pack test PACK --save-baseline FILE"
    try:
        return Baseline.model_validate_json(read_bytes(path, _MAX_BYTES, SettingsError, hint=hint))
    except OSError as problem:
        raise SettingsError(f"{path} cannot be read: {problem.strerror}", hint=hint) from None
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise SettingsError(f"{path} is no baseline: {where}: {first['msg']}", hint=hint) from None


def regression_cases(baseline: Baseline, asked: Sequence[Asked], *, embedder: str) -> list[Case]:
    """A case for each golden query whose answer was kept: nothing that it held is lost.

    Answers that were found otherwise (by words alone, or by another embedder) are not compared.
    """
    if baseline.embedder != embedder:
        was, now = baseline.embedder or "words alone", embedder or "words alone"
        why = f"the baseline was kept with {was}, and packs are asked with {now} now"
        return [
            Case("regression", "baseline", BASELINE_FILE, 1, "skipped", why=why, hint="keep one with the same embedder")
        ]
    return [case for one in asked for case in _of_query(baseline.answers, one)]


def _of_query(answers: Mapping[str, KeptAnswer], one: Asked) -> Iterator[Case]:
    golden, name = one.golden, named(one.golden)
    kept = answers.get(golden.query.asked)
    if one.skipped or one.judged.retrieval is None:
        return
    if kept is None:
        why = "it is new: the baseline has no answer of it"
        yield Case(
            "regression", name, golden.file, golden.line, "skipped", why=why, hint="keep it with --save-baseline"
        )
        return
    now = one.judged.sections
    lost = [section for section in kept.sections if section not in now]
    moved = "; ".join(_moves(kept.sections, now))
    if not lost:
        yield Case("regression", name, golden.file, golden.line, "passed", found=moved)
        return
    yield Case(
        "regression",
        name,
        golden.file,
        golden.line,
        "failed",
        expected=f"what the answer held when the baseline was kept: {', '.join(kept.sections)}",
        found=f"lost: {', '.join(lost)}; {moved}",
        why="; ".join(_why(section, kept.sections, one) for section in lost[:_TOLD]),
        hint="mend what you changed last; where this is meant, keep the new answers with --save-baseline",
    )


def _moves(before: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    gained = [f"{one} (now {now.index(one) + 1})" for one in now if one not in before]
    changed = [
        f"{one} ({before.index(one) + 1} → {now.index(one) + 1})"
        for one in now
        if one in before and before.index(one) != now.index(one)
    ]
    if gained:
        yield f"gained: {', '.join(gained)}"
    if changed:
        yield f"moved: {', '.join(changed)}"


def _why(section: str, before: Sequence[str], one: Asked) -> str:
    was = f"{section} was at place {before.index(section) + 1}"
    judged = one.judged
    assert judged.view is not None and judged.query is not None and judged.retrieval is not None
    chunk = next((found for pack in judged.view.generations if (found := pack.chunk(section)) is not None), None)
    if chunk is None:
        return f"{was}: there is no such section any more"
    reason = left_out(judged.retrieval, judged.query, chunk)
    return f"{was}: {reason.why}" if reason else was
