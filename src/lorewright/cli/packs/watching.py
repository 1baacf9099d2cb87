"""lorewright pack watch: print what each save changes, while a pack is written."""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Protocol

import typer

from lorewright.authoring.changes import ChunkMove, Kind
from lorewright.authoring.saves import FileSaves, SaveListener, log_look, watch
from lorewright.authoring.watcher import (
    Answered,
    GoldenAnswer,
    GoldenLook,
    IsPinned,
    Look,
    PackWatcher,
    Watched,
    WatchedQuestion,
)
from lorewright.bootstrap import App
from lorewright.cli.opening import open_app
from lorewright.cli.output import note, progress_bar, say, say_parts, show_json_line
from lorewright.errors import LorewrightError, NotFound
from lorewright.index.generation import GenerationKey
from lorewright.index.lore_indexer import Installed
from lorewright.logs import configure_logging, log_event
from lorewright.packs.files import Finding

EXAMPLES = {"watch": 'Example: lorewright pack watch neo_seattle --query "who owes Viktor" --golden'}

_FINDINGS_SHOWN = 12
_GOLDEN_SHOWN = 8
_FILES_SHOWN = 4
_BEST_SHOWN = 3
_MARKS: dict[Kind, tuple[str, str]] = {
    "entered": ("+", "green"),
    "left": ("-", "red"),
    "up": ("▲", "green"),
    "down": ("▼", "magenta"),
    "edited": ("~", ""),
    "shifted": ("·", "dim"),
}


def pack_watch(
    pack: Annotated[str, typer.Argument(help="An installed pack's ID, or the folder of any pack.")],
    query: Annotated[list[str] | None, typer.Option(help="Ask this after every save (may be repeated).")] = None,
    scene: Annotated[
        list[str] | None, typer.Option(help="Ask what a scene in this place asks (may be repeated).")
    ] = None,
    golden: Annotated[bool, typer.Option("--golden", help="Ask the pack's golden queries, too.")] = False,
    viewer: Annotated[str, typer.Option("--as", help="Whose view: gm, player or npc:ID.")] = "gm",
    install: Annotated[
        bool, typer.Option(help="Have other commands and games see the edits, whenever you pause.")
    ] = True,
    once: Annotated[bool, typer.Option("--once", help="End after the first save that changes anything.")] = False,
    poll: Annotated[
        bool, typer.Option("--poll", help="Look for saves again and again, as network drives and containers may need.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object on a line for every change.")] = False,
    log_level: Annotated[
        str | None,
        typer.Option(metavar="LEVEL", help="Log events to stderr: debug, info, warning or error; info:json for JSON."),
    ] = None,
) -> None:
    """See what every save changes: in what is wrong with a pack, and in what it answers.

    The pack is checked and indexed again within a second, and what is asked of it is asked again: what moved in the
    answers is told with the reason. While it has errors, what was indexed before is kept. The folders of the packs that
    it depends on are watched, too. Ctrl-C ends it.
    """
    configure_logging(log_level, os.environ)
    lorewright = open_app()
    questions = [
        *(WatchedQuestion(viewer, words) for words in query or ()),
        *(WatchedQuestion(viewer, "", place) for place in scene or ()),
    ]
    watched = _watched(lorewright, pack, tuple(dict.fromkeys(questions)), golden=golden, install=install)
    watcher = PackWatcher(watched, lorewright.library, lorewright.workspace.settings.lore, _pinned(lorewright))
    listener: _Teller = _JsonTeller() if as_json else _ScreenTeller(watched)
    try:
        saves = FileSaves(watched.folder, beside=watcher.needed_folders(), poll=poll)
        with progress_bar() as progress:
            first = watcher.look(progress=progress)
        if lorewright.without_vectors is not None:
            note(f"found by words alone: {lorewright.without_vectors.message} (lorewright doctor says more)")
        # What was read stays for good: the collector need not look through all of it again after every save.
        gc.freeze()
        log_event("started", process="watch", pack=watched.install_as or "uninstalled")
        if first is not None:
            log_look(first)
            listener.began(first)
        watch(watcher, saves, listener, once=once)
    except KeyboardInterrupt:
        listener.ended()
    finally:
        watcher.close()
        log_event("stopped", process="watch")


def _watched(
    lorewright: App, pack: str, questions: tuple[WatchedQuestion, ...], *, golden: bool, install: bool
) -> Watched:
    """Return the pack that is meant: by its ID, or by its folder, whether it is installed or not."""
    installed = {installed_pack.id: installed_pack for installed_pack in lorewright.library.packs()}
    folder = Path(pack).absolute()
    row = installed.get(pack) or next(
        (installed_pack for installed_pack in installed.values() if Path(installed_pack.path) == folder.resolve()), None
    )
    if row is not None:
        return Watched(Path(row.path), questions, golden, row.lenient, row.id if install else None)
    if not folder.is_dir():
        known = ", ".join(installed) or "none"
        raise NotFound(
            f"{pack} is neither an installed pack nor a folder (installed: {known})", hint="see: lorewright pack list"
        )
    return Watched(folder.resolve(), questions, golden)


def _pinned(lorewright: App) -> IsPinned:
    def is_pinned(key: GenerationKey) -> bool:
        pins = lorewright.campaigns.pins()
        pinned = {(pin.pack_id, pin.content_hash) for pin in pins.texts}
        return bool(pins.unreadable) or (key.pack_id, key.content_hash) in pinned

    return is_pinned


class _Teller(SaveListener, Protocol):
    def began(self, look: Look) -> None: ...

    def ended(self) -> None: ...


class _JsonTeller:
    """Prints an object on each line: `watching` at first, `change` for everything new, `installed` and
    `not_installed`."""

    def began(self, look: Look) -> None:
        show_json_line({"event": "watching", **look.as_json()})

    def seen(self, look: Look, saved: tuple[str, ...]) -> None:
        show_json_line({"event": "change", "saved": list(saved), **look.as_json()})

    def installed(self, installed: Installed) -> None:
        show_json_line({"event": "installed", "pack": asdict(installed.pack)})

    def failed(self, problem: LorewrightError) -> None:
        show_json_line({"event": "not_installed", "message": problem.message, "hint": problem.hint})

    def ended(self) -> None:
        """Print nothing: the reader sees that there are no more lines."""


class _ScreenTeller:
    """Prints for a person."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        self._problem: str | None = None

    def began(self, look: Look) -> None:
        say(f"watching {self._watched.folder}: {_counted(look)}", style="bold")
        if self._watched.install_as is None:
            say("it is only watched: no other command sees the edits", style="dim")
        self._tell_problem(look)
        for finding in look.findings.errors[:_FINDINGS_SHOWN]:
            _show_finding(finding)
        for answer in look.answers:
            best = [_short(chunk_id) for chunk_id in answer.answer.texts]
            more = f" and {len(best) - _BEST_SHOWN} more" if len(best) > _BEST_SHOWN else ""
            say_parts((answer.question.title, "bold"), (f"  {', '.join(best[:_BEST_SHOWN]) or 'nothing'}{more}", ""))
        if look.golden is not None:
            _show_golden(look.golden, look.golden.failing)
        say("Ctrl-C ends it.", style="dim")

    def seen(self, look: Look, saved: tuple[str, ...]) -> None:
        more = f" and {len(saved) - _FILES_SHOWN} more" if len(saved) > _FILES_SHOWN else ""
        say()
        took = sum(took for _, took in look.milliseconds) / 1000
        say_parts(
            (f"{datetime.now():%H:%M:%S} ", "dim"),
            (f"{', '.join(map(_shown, saved[:_FILES_SHOWN]))}{more}", "bold"),
            (f"  {_done(look)}, {took:.2f} s" if look.indexed else "", "dim"),
        )
        self._tell_problem(look)
        _show_findings(look)
        for answer in look.answers:
            _show_answer(answer)
        if look.golden is not None:
            _show_golden(look.golden, look.golden.broken)

    def installed(self, installed: Installed) -> None:
        if installed.not_embedded is not None:
            note(f"installed, found by words alone: {installed.not_embedded.message}")
        else:
            note(f"installed {installed.pack.id}: other commands see it now")

    def failed(self, problem: LorewrightError) -> None:
        note(f"not installed: {problem.message}")

    def ended(self) -> None:
        say("watching has ended", style="dim")

    def _tell_problem(self, look: Look) -> None:
        """Print the problem once, while it stays the same."""
        known, self._problem = self._problem, look.problem
        if look.problem is not None and look.problem != known:
            say(look.problem, style="red" if not look.indexed else "magenta")


def _counted(look: Look) -> str:
    wrong = f" ({_many(len(look.findings.errors), 'error')})" if look.findings.errors else ""
    counts = (look.files, "file"), (look.chunks, "chunk"), (len(look.findings.now), "finding")
    return ", ".join(_many(count, what) for count, what in counts) + wrong


def _done(look: Look) -> str:
    embedded = f", {look.embedded} embedded" if look.embedded else ""
    return f"{_many(look.changed, 'chunk')} indexed{embedded}"


def _show_findings(look: Look) -> None:
    """Print new and solved findings; while errors keep the pack from being indexed, print all errors each time."""
    new = look.findings.new if look.indexed else look.findings.errors
    for finding in new[:_FINDINGS_SHOWN]:
        _show_finding(finding)
    if len(new) > _FINDINGS_SHOWN:
        say(f"… and {len(new) - _FINDINGS_SHOWN} more: lorewright pack validate lists them", style="dim")
    for finding in look.findings.solved[:_FINDINGS_SHOWN]:
        say(f"solved: {finding}", style="green")


def _show_finding(finding: Finding) -> None:
    say(str(finding), style={"error": "red", "warning": "magenta"}.get(finding.severity, "dim"))


def _show_answer(answered: Answered) -> None:
    if not answered.changes:
        say_parts((answered.question.title, "bold"), ("  nothing moved", "dim"))
        return
    say_parts((answered.question.title, "bold"), *((f"  {reason}", "dim") for reason in answered.changes.of_all))
    moves = [move for move in answered.changes.moves if move.kind != "shifted"]
    width = max((len(_short(move.chunk_id)) for move in moves), default=0)
    for move in moves:
        mark, style = _MARKS[move.kind]
        name = _short(move.chunk_id).ljust(width)
        say_parts((f"  {mark} ", style), (f"{_place(move):<9} ", ""), (f"{name}  ", style), ("; ".join(move.why), ""))
    shifted = len(answered.changes.moves) - len(moves)
    if shifted:
        say(f"  · {shifted} {'others' if shifted > 1 else 'other'} only made room or closed up", style="dim")


def _place(move: ChunkMove) -> str:
    """Return `#3 → #1`, or the one place where there is only one."""
    return " → ".join(dict.fromkeys(f"#{place}" for place in (move.before, move.after) if place is not None))


def _show_golden(look: GoldenLook, answers: Sequence[GoldenAnswer]) -> None:
    if look.fault is not None:
        say(f"golden queries cannot be read: {look.fault}", style="red")
        if not look.asked:
            return
    for answer in answers[:_GOLDEN_SHOWN]:
        for miss in answer.misses[:2]:
            say(f"{answer.place}: “{answer.title}”: {miss}", style="red")
    for answer in look.mended[:_GOLDEN_SHOWN]:
        say(f"{answer.place}: “{answer.title}” is answered as expected again", style="green")
    say(f"golden queries: {look.asked - len(look.failing)} of {look.asked} answered as expected", style="dim")


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _shown(path: str) -> str:
    return "the folder itself" if path == "." else path


def _short(chunk_id: str) -> str:
    """Return the ID without its pack: `neo_seattle:viktor:knows` -> `viktor:knows`."""
    return chunk_id.partition(":")[2]
