"""The real command at a terminal of a hundred columns -> docs/pictures/*.svg, for the README and the manuals.

`make pictures` makes them anew; a test holds them to what the program prints. What is asked and typed stands in the
table below. The same packs, scenario and weights give the same bytes.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pexpect
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from lorewright.lore_bootstrap import make_workspace

SEED = 4
SCENARIO = "dead_drop"


@dataclass(frozen=True, slots=True)
class Shot:
    """A command as it is written after `lorewright`, and the lines that are typed at its prompt."""

    command: str
    typed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """A file in docs/pictures, the title of its window, and what happens in it."""

    file: str
    title: str
    shots: tuple[Shot, ...]


PICTURES = (
    Picture(
        "play.svg",
        "playing Dead Drop",
        (
            Shot(
                f"play {SCENARIO}",
                (
                    "ask Viktor about Jin",
                    "ask Captain Bao about the drain",
                    "ask Captain Lund about the drain",
                    "ask Bao about the crank",
                    "/why",
                    "search behind the bar",
                    "/quit",
                ),
            ),
        ),
    ),
    Picture(
        "explain.svg",
        "why was that found?",
        (Shot('lore query "who paid for the chair at the card table" --limit 3 --explain'),),
    ),
    Picture(
        "viewers.svg",
        "who may know what",
        (
            Shot('lore query "whose name Viktor gave away" --limit 1 --as npc:viktor'),
            Shot('lore query "whose name Viktor gave away" --limit 1 --as player'),
            Shot('lore query "whose name Viktor gave away" --as player --why-not viktor:withholds'),
        ),
    ),
)

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"

_COLUMNS = 100
_ROWS = 60
_PROMPT = "\x1b[1m> "
_PATIENCE = 120

# All that a terminal obeys but colour and weight.
_MOVES = re.compile(r"\x1b\[[?0-9;]*[A-Za-ln-z]|\x1b\][^\x07]*\x07|\r")

_DARK, _LIGHT = (24, 26, 31), (222, 221, 214)
_RED, _GREEN, _YELLOW = (224, 108, 98), (140, 190, 120), (222, 184, 110)
_BLUE, _MAGENTA, _CYAN = (110, 160, 220), (190, 140, 210), (110, 185, 185)
_THEME = TerminalTheme(_DARK, _LIGHT, [_DARK, _RED, _GREEN, _YELLOW, _BLUE, _MAGENTA, _CYAN, _LIGHT])

# Rich's own format asks a server for its font; this one is content with any that has columns.
_FORMAT = """\
<svg class="{unique_id}" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def prepared(folder: Path) -> dict[str, str]:
    """A workspace with what ships, and the campaign begun; the environment in which it is played.

    Raises:
        pexpect.ExceptionPexpect: a command failed.
    """
    make_workspace(folder)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("LOREWRIGHT_")}
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
        environment.pop(name, None)
    environment |= {
        "LOREWRIGHT_WORKSPACE": str(folder),
        "LOREWRIGHT_EMBEDDER": "minilm",
        "LOREWRIGHT_CHROMA": "never",
        "TERM": "xterm-256color",
        "INPUTRC": os.devnull,
        # The prompt of a pipe: its lines can be told apart.
        "LOREWRIGHT_PLAIN": "1",
    }
    _shown(Shot(f"campaign new {SCENARIO} --id {SCENARIO} --seed {SEED}"), environment)
    return environment


def screen(picture: Picture, environment: Mapping[str, str]) -> str:
    """All that is on the screen when a picture's commands are over, with its colours as a terminal gets them."""
    return "\n".join(
        f"\x1b[32m$\x1b[0m \x1b[1mlorewright {shot.command}\x1b[0m\n{_shown(shot, environment)}"
        for shot in picture.shots
    )


def _shown(shot: Shot, environment: Mapping[str, str]) -> str:
    said = io.StringIO()
    child = pexpect.spawn(
        sys.executable,
        ["-m", "lorewright", *shlex.split(shot.command)],
        env=dict(environment),
        encoding="utf-8",
        timeout=_PATIENCE,
        dimensions=(_ROWS, _COLUMNS),
    )
    child.logfile_read = said
    for line in shot.typed:
        child.expect_exact(_PROMPT)
        child.sendline(line)
    child.expect(pexpect.EOF)
    child.close()
    if child.exitstatus != 0:
        raise pexpect.ExceptionPexpect(f"lorewright {shot.command} failed:\n{said.getvalue()}")
    return _MOVES.sub("", said.getvalue())


def drawn(picture: Picture, shown: str) -> str:
    """A screen as SVG. It asks no server for anything, and the same screen gives the same bytes."""
    console = Console(
        record=True, width=_COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor", no_color=False
    )
    console.print(Text.from_ansi(shown.strip("\n")))
    svg = console.export_svg(
        title=picture.title, theme=_THEME, code_format=_FORMAT, unique_id=picture.file.partition(".")[0]
    )
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def main() -> None:
    """Make every picture anew."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        environment = prepared(Path(folder) / "world")
        for picture in PICTURES:
            (FOLDER / picture.file).write_text(drawn(picture, screen(picture, environment)), encoding="utf-8")
            sys.stdout.write(f"  {(FOLDER / picture.file).relative_to(FOLDER.parents[1])}\n")


if __name__ == "__main__":
    main()
