"""The golden queries of a pack -> a case for each, and for each that is not the game master's whether it tells a
secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lorewright.authoring.golden import Golden, GoldenFault
from lorewright.authoring.judging import Judged, Miss, judged
from lorewright.authoring.pack_tests.results import Case
from lorewright.index.generation import Generation
from lorewright.packs.loader import Progress


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
        why="; ".join(dict.fromkeys(_why(miss, len(misses)) for miss in misses if miss.why)),
        hint="; ".join(dict.fromkeys(miss.hint for miss in misses if miss.hint)),
    )


def _why(miss: Miss, of: int) -> str:
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
