"""What is seen of a pack after a save, and what is new about it since the look before. Values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.authoring.changes import Answer, Changes
from lorewright.errors import NotFound
from lorewright.index.generation import Generation
from lorewright.packs.files import Finding
from lorewright.packs.models import Entity
from lorewright.retrieval.desk import qualified_viewer
from lorewright.retrieval.query import LoreRetrievalQuery, scene_query
from lorewright.retrieval.retriever import Retrieval, retrieve
from lorewright.retrieval.view import LoreView, qualified
from lorewright.settings import LoreSettings

# What is asked of a pack after each save: in words, or by a scene in one of its places.


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and with whose eyes: `words`, or with `location` what a scene there asks, as play would."""

    viewer: str = "gm"
    words: str = ""
    location: str | None = None

    @property
    def title(self) -> str:
        """What a person calls it."""
        asked = f"scene {self.location}" if self.location is not None else f"“{self.words}”"
        return asked if self.viewer == "gm" else f"{asked} ({self.viewer})"


def ask(question: Question, generations: Sequence[Generation], settings: LoreSettings) -> Retrieval:
    """Ask some packs, whose generations are in the order of their IDs.

    Raises:
        NotFound: there is no such character or place.
    """
    view = LoreView(tuple(generations), viewer=qualified_viewer(question.viewer, generations))
    return retrieve(view, _query(question, view).model_copy(update=settings.model_dump()))


def _query(question: Question, view: LoreView) -> LoreRetrievalQuery:
    if question.location is None:
        return LoreRetrievalQuery(keywords=question.words, viewer=view.viewer)
    place = _place(question.location, view.generations)
    return scene_query(place.id, names={place.id: place.name}, viewer=view.viewer)


def _place(location: str, generations: Sequence[Generation]) -> Entity:
    names = qualified([location], generations)
    found = [place for one in generations for name in sorted(names) if (place := one.entity(name)) is not None]
    if not found:
        raise NotFound(f"there is no place {location}", hint="see: lorewright pack show PACK")
    return found[0]


@dataclass(frozen=True, slots=True)
class Findings:
    """What is wrong with the pack now, and what of it is new, and what was and is not any more."""

    now: tuple[Finding, ...]
    new: tuple[Finding, ...] = ()
    solved: tuple[Finding, ...] = ()

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Those that keep a pack from being indexed."""
        return tuple(finding for finding in self.now if finding.severity == "error")


@dataclass(frozen=True, slots=True)
class Answered:
    """A question, its answer now, and what moved since it was last answered; None the first time."""

    question: Question
    answer: Answer
    changes: Changes | None = None


@dataclass(frozen=True, slots=True)
class GoldenAnswer:
    """A golden query that is not answered as expected, or since this look is: where it stands, what it asks, and what
    is missed."""

    place: str
    title: str
    misses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldenLook:
    """The golden queries of the pack: how many there are, which fail, which of those did not before, and which do not
    any more. `fault` says why their files cannot be read."""

    asked: int
    failing: tuple[GoldenAnswer, ...] = ()
    broken: tuple[GoldenAnswer, ...] = ()
    mended: tuple[GoldenAnswer, ...] = ()
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """A pack as it is now. `indexed` is False while new errors keep it from being asked: then what was indexed before
    is kept, and there are no answers. `changed` counts the chunks that were written and that are gone, `embedded` the
    windows that had to be. `problem` is why it is not indexed, or only in part or by words alone.
    `milliseconds` is what each part took; it is no part of what was seen.
    """

    files: int
    chunks: int
    findings: Findings
    indexed: bool
    changed: int = 0
    embedded: int = 0
    problem: str | None = None
    answers: tuple[Answered, ...] = ()
    golden: GoldenLook | None = None
    milliseconds: tuple[tuple[str, float], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "files": self.files,
            "chunks": self.chunks,
            "indexed": self.indexed,
            "changed": self.changed,
            "embedded": self.embedded,
            "problem": self.problem,
            "errors": len(self.findings.errors),
            "findings": len(self.findings.now),
            "new_findings": list(map(_finding, self.findings.new)),
            "solved_findings": list(map(_finding, self.findings.solved)),
            "answers": list(map(_answered, self.answers)),
            "golden": None if self.golden is None else _golden(self.golden),
            "milliseconds": {name: round(took, 1) for name, took in self.milliseconds},
        }


def compared(now: Sequence[Finding], before: Sequence[Finding]) -> Findings:
    """Findings now, what of them is new, and what is solved. A finding that only stands on another line is neither."""
    left, gone = Counter(map(_kind, before)), Counter(map(_kind, now))
    new = [finding for finding in now if not _taken(left, finding)]
    solved = [finding for finding in before if not _taken(gone, finding)]
    return Findings(tuple(now), tuple(new), tuple(solved))


def _kind(finding: Finding) -> tuple[str, ...]:
    return (finding.file, finding.severity, finding.code, finding.message, finding.hint)


def _taken(counts: Counter[tuple[str, ...]], finding: Finding) -> bool:
    there = counts[_kind(finding)] > 0
    counts[_kind(finding)] -= there
    return there


def _finding(finding: Finding) -> dict[str, Any]:
    return {field: getattr(finding, field) for field in Finding.__dataclass_fields__}


def _answered(one: Answered) -> dict[str, Any]:
    moves = one.changes.moves if one.changes else ()
    return {
        "query": one.question.words,
        "scene": one.question.location,
        "viewer": one.question.viewer,
        "chunks": list(one.answer.texts),
        "tokens": one.answer.total_tokens,
        "moves": [
            {"chunk": move.chunk_id, "kind": move.kind, "from": move.before, "to": move.after, "why": list(move.why)}
            for move in moves
        ],
        "of_all": list(one.changes.of_all) if one.changes else [],
    }


def _golden(look: GoldenLook) -> dict[str, Any]:
    return {
        "asked": look.asked,
        "fault": look.fault,
        **{
            name: [{"place": one.place, "title": one.title, "misses": list(one.misses)} for one in golden]
            for name, golden in (("failing", look.failing), ("broken", look.broken), ("mended", look.mended))
        },
    }
