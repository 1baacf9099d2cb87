"""Lines from a player at a terminal: edited, completed and remembered by prompt_toolkit, or plainly read.

The library is imported when a prompt that needs it is opened, and by nothing else: a pipe, a plain prompt and every
other command do without.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

from lorewright.cli.game.completion import LineCompleter
from lorewright.cli.game.line_history import LineHistory
from lorewright.cli.output import bold, note, say

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

PROMPT = "> "
# With any value in it, lines are read plainly: for screen readers, and terminals that only look like one.
PLAIN_VARIABLE = "LOREWRIGHT_PLAIN"

_CONTINUED = "  "


class LinePrompt(Protocol):
    """Asks a player for lines."""

    @property
    def can_edit(self) -> bool:
        """Return whether a line can be given to the player to be edited."""
        ...

    def ask(self, given: str = "") -> str | None:
        """Return the next line, its line ends as blanks; None where the player leaves. It begins with `given`, where
        lines can be edited.

        Raises:
            KeyboardInterrupt: the player interrupts an empty line.
        """
        ...


def open_prompt(history: LineHistory, completer: LineCompleter, *, plain: bool = False) -> LinePrompt:
    """Return a prompt with history and completion, or a plain one: where `plain` or the environment asks for it, where
    the terminal is a dumb one, or where the library is missing."""
    if plain or os.environ.get(PLAIN_VARIABLE) or os.environ.get("TERM") == "dumb" or not _are_terminals():
        return PlainLinePrompt()
    try:
        return EditedLinePrompt(history, completer)
    except ImportError:
        return PlainLinePrompt()


def _are_terminals() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


class PlainLinePrompt:
    """Reads lines as Python does, with the history and editing keys of the platform where it has them."""

    can_edit = False

    def __init__(self) -> None:
        import contextlib

        with contextlib.suppress(ImportError):
            import readline  # noqa: F401

    def ask(self, given: str = "") -> str | None:
        """Return the next line; see `LinePrompt.ask`."""
        try:
            with bold():
                return input(PROMPT)
        except EOFError:
            say()
            return None
        except KeyboardInterrupt:
            say()
            raise


class EditedLinePrompt:
    """Reads lines that can be edited over several rows. Tab completes, Up and Down go through the history. Alt-Enter,
    or Enter after a backslash, begins another row. Ctrl-C clears what was typed, and leaves an empty line."""

    can_edit = True

    def __init__(
        self,
        history: LineHistory,
        completer: LineCompleter,
        *,
        keys: Input | None = None,
        screen: Output | None = None,
    ) -> None:
        """`keys` and `screen` are the terminal's, if no others are given.

        Raises:
            ImportError: prompt_toolkit is not installed.
        """
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import InMemoryHistory
        from prompt_toolkit.output import create_output
        from prompt_toolkit.shortcuts import CompleteStyle
        from prompt_toolkit.styles import Style

        self._history = history
        if screen is None:
            screen = create_output()
            # Else the terminal is asked for its cursor's place, and one that does not answer is waited for.
            if hasattr(screen, "enable_cpr"):
                screen.enable_cpr = False
        self._session: PromptSession[str] = PromptSession(
            PROMPT,
            history=InMemoryHistory(history.lines),
            completer=_tab_completer(completer),
            complete_style=CompleteStyle.READLINE_LIKE,
            complete_while_typing=False,
            reserve_space_for_menu=0,
            multiline=True,
            prompt_continuation=_CONTINUED,
            key_bindings=_key_bindings(),
            style=Style([] if os.environ.get("NO_COLOR") else [("", "bold")]),
            enable_suspend=True,
            input=keys,
            output=screen,
        )

    def ask(self, given: str = "") -> str | None:
        """Return the next line; see `LinePrompt.ask`."""
        try:
            line = self._session.prompt(default=given)
        except EOFError:
            return None
        self._history.add(line)
        return " ".join(line.split())


def _tab_completer(lines: LineCompleter) -> Any:
    from prompt_toolkit.completion import Completer, Completion
    from prompt_toolkit.document import Document

    class TabCompleter(Completer):
        def get_completions(self, document: Document, complete_event: object) -> Iterable[Completion]:
            """Yield the ways to go on."""
            for ending in lines.complete(document.text_before_cursor):
                yield Completion(ending.text, start_position=-ending.replaced)

    return TabCompleter()


def _key_bindings() -> Any:
    from prompt_toolkit.application import run_in_terminal
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("enter")
    def _enter(event: Any) -> None:
        buffer = event.current_buffer
        if buffer.document.text_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.newline(copy_margin=False)
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def _another_row(event: Any) -> None:
        event.current_buffer.newline(copy_margin=False)

    @keys.add("c-c")
    def _interrupt(event: Any) -> None:
        if not event.current_buffer.text:
            event.app.exit(exception=KeyboardInterrupt())
            return
        event.current_buffer.reset()
        run_in_terminal(lambda: note("Ctrl-C once more leaves; everything is saved"))

    return keys
