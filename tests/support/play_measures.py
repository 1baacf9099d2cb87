"""A play of many turns -> how well it reads: what repeats, what is ugly, what is grounded; each with the sentences.

`python tests/play_measures.py [PLAY…] [--text]` prints the report for whoever writes the grammar.
"""

from __future__ import annotations

import html
import itertools
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from lorewright.builtin.narrator.authored import plain, reminder
from lorewright.generate.explore.survey import display_name
from lorewright.packs.markdown.chunking import plain_text
from support.scripted_player import Play, Told, play, plays

WINDOW = 12
# An answer in vain or a civil word stands alone, and may be short.
FEWEST_WORDS, MOST_WORDS = 4, 110
MOST_SEEN_BEFORE = 0.12
LEAST_CITED = 0.45

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[.!?…]”)\s+")
_WORD = re.compile(r"[\w'’-]+")
_UGLY = re.compile(
    r"[*`#{}\[\]|<>]|\w:\w|[a-z]_[a-z]|(?<!\.)\.\.(?!\.)|[?!:,;]\.|  | [.,;:?!]|“”|\bNone\b|[.,;:!?]{2,}(?!\.)"
)
# What only our own words answer for.
_UNGRAMMATICAL = re.compile(r"\b(?:the|a|an) (?:the|The|a|an)\b|\b[Aa] [aeio]\w|\bthat [A-Z](?:e|ere|here|t|is|hat)\b")


@dataclass(slots=True)
class Report:
    """What a play measures; a finding is (turn number, words that offend)."""

    name: str
    turns: int
    repeated: list[tuple[int, str]] = field(default_factory=list)
    lore_twice: list[tuple[int, str]] = field(default_factory=list)
    openings: list[tuple[int, str]] = field(default_factory=list)
    you_openings: list[tuple[int, str]] = field(default_factory=list)
    lengths: list[tuple[int, str]] = field(default_factory=list)
    ugly: list[tuple[int, str]] = field(default_factory=list)
    unfounded: list[tuple[int, str]] = field(default_factory=list)
    seen_before: float = 0.0
    worn: list[tuple[str, int]] = field(default_factory=list)
    cited: float = 0.0

    def findings(self) -> list[str]:
        """What is not as it should be, in words; empty for a play that holds every measure."""
        lists = {
            "told again too soon": self.repeated,
            "lore told twice": self.lore_twice,
            "opens as the last turn did": self.openings,
            "You opens twice running": self.you_openings,
            "too short or too long": self.lengths,
            "ugly": self.ugly,
            "cited but not in its chunk": self.unfounded,
        }
        found = [f"{self.name}, turn {no}: {what}: {text}" for what, rows in lists.items() for no, text in rows]
        if self.seen_before > MOST_SEEN_BEFORE:
            worn = ", ".join(f"{words} ({count})" for words, count in self.worn[:12])
            found.append(f"{self.name}: {self.seen_before:.0%} of four-word runs were seen before: {worn}")
        if self.cited < LEAST_CITED:
            found.append(f"{self.name}: only {self.cited:.0%} of turns cite lore")
        return found


def measure(name: str, told: Sequence[Told], authored: Authored) -> Report:
    """All measures of a play, its turns in order; questions that were asked back are no turns."""
    report = Report(name, len(told))
    own = [(one.turn_no, sentences(authored.without(one))) for one in told]
    report.repeated = list(_repeated(own))
    report.lore_twice = list(_lore_twice(told, authored))
    report.openings = [
        (after.turn_no, after.text[:60])
        for before, after in itertools.pairwise(told)
        if _words(before.text)[:2] == _words(after.text)[:2]
    ]
    report.you_openings = [
        (after.turn_no, after.text[:60])
        for before, after in itertools.pairwise(told)
        if _words(before.text)[:1] == _words(after.text)[:1] == ["you"]
    ]
    for one in told:
        count = len(one.body.split())
        fewest = FEWEST_WORDS if one.body == one.text else 1  # an ending is enough to read
        if not fewest <= count <= MOST_WORDS:
            report.lengths.append((one.turn_no, f"{count} words: {one.body}"))
        ugly = [*_UGLY.finditer(one.text), *_UNGRAMMATICAL.finditer(authored.without(one))]
        report.ugly += [(one.turn_no, f"{found.group()!r} in {one.text}") for found in ugly]
    report.unfounded = list(_unfounded(told, authored))
    report.seen_before, report.worn = _seen_before(authored.without(one) for one in told)
    report.cited = sum(1 for one in told if one.result.citations) / max(len(told), 1)
    return report


class Authored:
    """The sentences of the packs and the scenario of a play, to be told apart from ours."""

    def __init__(self, chunks: dict[str, str], says: Iterable[str], titles: Iterable[str] = ()) -> None:
        # As the narrator reads a text and as the pack's own reader does: links within links only the second takes apart.
        self.chunks = {
            chunk_id: f"{plain(html.unescape(text))}\n{' '.join(plain_text(text).split())}"
            for chunk_id, text in chunks.items()
        }
        lore = {one for text in self.chunks.values() for one in sentences(text)}
        self.says = {one for text in says for one in (plain(text), *sentences(plain(text)))}
        self.lore = lore
        # What is as long as a run is one whenever it is named; the words are not ours.
        self._titles = sorted((one for one in titles if len(one.split()) >= 4), key=len, reverse=True)
        self._longest_first = sorted((one for one in lore | self.says if len(one.split()) > 2), key=len, reverse=True)

    def without(self, told: Told) -> str:
        """Our own words of a turn; a mark stands where authored text stood."""
        text = told.text
        for citation in told.result.citations:
            quote = plain(citation.quote)
            for part in (quote, quote.rstrip("."), reminder(quote)):
                text = text.replace(part, "‹›") if part else text
        for sentence in self._longest_first:
            if sentence in text:
                text = text.replace(sentence, "‹›")
        for title in self._titles:
            text = text.replace(title, "‹›")
        return text

    def quoted_in(self, text: str) -> list[str]:
        """The lore sentences that a turn tells in full."""
        return sorted(one for one in self.lore if len(one.split()) > 2 and one in text)


def authored_of(app: object, scenario: Path | None) -> Authored:
    """What was authored for a play: every installed pack, and the strings that a scenario says."""
    chunks: dict[str, str] = {}
    titles: list[str] = []
    library = app.library  # type: ignore[attr-defined]
    for pack in library.packs():
        generation = library.open(pack.key)
        titles += [display_name(entity.name) for entity in generation.entities().values()]
        chunks |= {chunk.id: chunk.text for chunk in generation.all_chunks()}
        generation.close()
    written = yaml.safe_load(scenario.read_text(encoding="utf-8")) if scenario else {}
    # What a scenario adds to the grammar is drawn as ours is, and measured as ours is.
    texts = _strings({key: value for key, value in written.items() if key != "grammar"})
    return Authored(chunks, [text for text in texts if len(text.split()) > 4], titles)


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    rows = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for row in rows for text in _strings(row)]


def sentences(text: str) -> list[str]:
    """The sentences of a text; a frame before a colon is one of its own."""
    return [part.strip() for line in text.split("\n") for part in _SENTENCE_END.split(line) if part.strip()]


def _repeated(own: Sequence[tuple[int, list[str]]]) -> Iterator[tuple[int, str]]:
    last: dict[str, int] = {}
    for turn_no, found in own:
        for sentence in found:
            if len(_WORD.findall(sentence)) < 2:
                continue
            if turn_no - last.get(sentence, -WINDOW - 1) <= WINDOW:
                yield turn_no, f"{sentence} (turn {last[sentence]})"
            last[sentence] = turn_no


def _lore_twice(told: Sequence[Told], authored: Authored) -> Iterator[tuple[int, str]]:
    """Lore sentences told in full a second time; asked for again they are only reminded of."""
    last: dict[str, int] = {}
    for one in told:
        for sentence in (*authored.quoted_in(one.text), *sorted(s for s in authored.says if s in one.text)):
            if sentence in last and last[sentence] != one.turn_no and not _is_reminder(one, sentence):
                yield one.turn_no, f"{sentence} (turn {last[sentence]})"
            last.setdefault(sentence, one.turn_no)


def _is_reminder(told: Told, sentence: str) -> bool:
    """Whether the turn cites the sentence as something that was known before, or it was looked at again: it was asked for."""
    if told.line.startswith(("look at ", "examine ")):
        return True
    return any(reminder(plain(citation.quote)) in sentence for citation in told.result.citations if citation.item_id)


def _unfounded(told: Sequence[Told], authored: Authored) -> Iterator[tuple[int, str]]:
    for one in told:
        for citation in one.result.citations:
            if plain(citation.quote) not in authored.chunks.get(citation.chunk_id, ""):
                yield one.turn_no, f"{citation.cite}: {citation.quote}"


def _seen_before(texts: Iterable[str]) -> tuple[float, list[tuple[str, int]]]:
    """The share of four-word runs that stood in an earlier turn, and those that come oftenest."""
    seen: set[tuple[str, ...]] = set()
    worn: Counter[tuple[str, ...]] = Counter()
    total = again = 0
    for text in texts:
        runs = [run for part in re.split(r"‹›|\n", text) for run in _fours(_words(part))]
        total += len(runs)
        again += sum(1 for run in runs if run in seen)
        worn.update(run for run in runs if run in seen)
        seen.update(runs)
    return again / max(total, 1), [(" ".join(run), count) for run, count in worn.most_common(40)]


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _fours(words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + 4]) for at in range(len(words) - 3)]


def report_of(one: Play, folder: Path) -> tuple[Report, list[Told]]:
    """Play it in a workspace below the folder and measure it."""
    app, campaign_id, scenario = one.begin(folder)
    told = play(app, campaign_id, one)
    return measure(one.name, told, authored_of(app, scenario)), told


def transcript(told: Sequence[Told]) -> str:
    """The play as one reads it: what was typed, and what was told."""
    return "\n\n".join(f"> {one.line}\n\n{one.text}" for one in told)


def main(names: Sequence[str]) -> None:
    """Print the report of the named plays, or of all; `--text` prints what was told, too, `--seeds=N` plays N of each."""
    seeds = next((int(name[8:]) for name in names if name.startswith("--seeds=")), 1)
    wanted = [name for name in names if not name.startswith("-")]
    for seed in range(1, seeds + 1):
        for one in plays(seed):
            if wanted and one.name not in wanted:
                continue
            with tempfile.TemporaryDirectory() as folder:
                report, told = report_of(one, Path(folder))
            if "--text" in names:
                sys.stdout.write(f"{transcript(told)}\n\n")
            shares = f"{report.cited:.0%} cite lore, {report.seen_before:.1%} seen before"
            findings = "\n".join(report.findings()) or "every measure holds"
            sys.stdout.write(f"== {one.name}, seed {seed}: {report.turns} turns, {shares}\n{findings}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
