"""The answers to golden queries, kept in a file -> what moved since: the regression test of a pack."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lorewright.authoring.golden import Golden, GoldenFault
from lorewright.authoring.judging import Judged, Miss, judged
from lorewright.authoring.pack_tests.results import Case
from lorewright.bounded_files import read_bytes
from lorewright.errors import SettingsError
from lorewright.index.generation import Generation
from lorewright.packs.loader import Progress
from lorewright.retrieval.left_out import left_out
from lorewright.storage.enclosure import FOR_ALL, Enclosure

# The golden queries of a pack -> a case for each, and for each that is not the game master's whether it tells a
# secret.


@dataclass(frozen=True, slots=True)
class Asked:
    """A golden query, its answer, and whether it was passed over because nothing is embedded."""

    golden: Golden
    judged: Judged
    skipped: bool = False


def ask_all(
    goldens: Sequence[Golden], generations: Sequence[Generation], *, embedded: bool, progress: Progress
) -> list[Asked]:
    """Ask golden queries in their order."""
    asked = []
    for done, golden in enumerate(goldens):
        progress("asking golden queries", done, len(goldens))
        skipped = golden.query.needs == "meaning" and not embedded
        asked.append(Asked(golden, judged(generations, golden.query), skipped))
    return asked


def golden_cases(asked: Sequence[Asked], faults: Sequence[GoldenFault]) -> list[Case]:
    """A case for each query, and for each that cannot be read."""
    unread = [
        Case("golden", str(one), one.file, one.line, "failed", "a golden query", one.message, hint=_HINT)
        for one in faults
    ]
    return [*unread, *map(_case, asked)]


_HINT = "docs/testing_packs.md has every key"


def leak_cases(asked: Sequence[Asked]) -> list[Case]:
    """A case for each query of a player or character: does its answer tell a secret?"""
    return [_leak(one) for one in asked if one.golden.query.viewer != "gm"]


def named(golden: Golden) -> str:
    """What a query is called in reports: its name, else what it asks and who; not where, so that it stays the same when
    another is written above it."""
    query = golden.query
    return query.name or (query.title if query.viewer == "gm" else f"{query.title} (as {query.viewer})")


def _case(one: Asked) -> Case:
    golden = one.golden
    name = named(golden)
    if one.skipped:
        why = "it needs meaning, and nothing is embedded: packs are found by words alone"
        return Case("golden", name, golden.file, golden.line, "skipped", why=why, hint="see: lorewright doctor")
    misses = [miss for miss in one.judged.misses if not miss.secret]
    if not misses:
        return Case("golden", name, golden.file, golden.line)
    first = misses[0]
    return Case(
        "golden",
        name,
        golden.file,
        golden.line_of(first.key, first.number),
        "failed",
        expected=_expected(golden),
        found="; ".join(miss.message for miss in misses),
        why="; ".join(dict.fromkeys(_miss_reason(miss, len(misses)) for miss in misses if miss.why)),
        hint="; ".join(dict.fromkeys(miss.hint for miss in misses if miss.hint)),
    )


def _miss_reason(miss: Miss, of: int) -> str:
    return miss.why if of == 1 else f"{miss.message.partition(' is ')[0]}: {miss.why}"


def _expected(golden: Golden) -> str:
    query = golden.query
    there = f"{', '.join(query.include)} in the answer" if query.include else ""
    if query.top and there:
        there += f", among the first {query.top}"
    parts = [
        there,
        f"{', '.join(query.exclude)} not in it" if query.exclude else "",
        " and ".join(f"“{text}” told" for text in query.include_text),
        " and ".join(f"“{text}” not told" for text in query.exclude_text),
    ]
    return f"{'; '.join(filter(None, parts))} (as {query.viewer}, {query.budget} tokens, {query.limit} sections)"


def _leak(one: Asked) -> Case:
    golden, secrets = one.golden, [miss for miss in one.judged.misses if miss.secret]
    name = named(golden)
    if not secrets:
        return Case("leaks", name, golden.file, golden.line)
    return Case(
        "leaks",
        name,
        golden.file,
        golden.line,
        "failed",
        expected=f"nothing that {golden.query.viewer} may not know",
        found="; ".join(miss.message for miss in secrets),
        why=secrets[0].why,
        hint=secrets[0].hint,
    )


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
