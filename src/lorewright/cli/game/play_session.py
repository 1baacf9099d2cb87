"""The play session of a player at a terminal or behind a script. It submits and shows their turns, asks about models
that cost money, and offers ways to go on when a model fails."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol

from rich.cells import cell_len

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.estimate import (
    PaidModel,
    agree_to,
    awaiting,
    format_dollars,
    require_agreement,
    require_trust,
)
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.sessions import active_or_new_session, recap_of
from lorewright.campaigns.solver.hints import HintLadder
from lorewright.campaigns.viewers import table_of
from lorewright.cli.game.turn_output import (
    show_debug,
    show_end,
    show_intentions,
    show_last,
    show_options_of,
    show_result,
    take_back,
    usage_line,
)
from lorewright.cli.output import can_redraw, complain, has_dim, note, page_width, rub_out, say, spinner, write
from lorewright.errors import LorewrightError, NotAgreed, NotTrusted, PromptError, ProviderError, SettingsError
from lorewright.packs.markdown.text_layout import clean
from lorewright.replay.last_act import without_last_act
from lorewright.rules.verbs import typed_line
from lorewright.storage.heads import head_row
from lorewright.storage.model_rows import last_attempt, usage_of_turn, usage_since
from lorewright.values.records import TurnListener, TurnResult
from lorewright.world.events import CampaignEnded

# A turn is shown while it runs. A narration streams as provisional: when the turn is committed it is printed again as
# what happened, else it is said that it did not happen. Its pieces are wrapped by words at the width of a page; each
# word is printed when it is whole, and rows are counted, so that they can be replaced.

_PARAGRAPH = re.compile(r"[ \t]*\n\s*\n\s*")
_WORD = re.compile(r"(\s+)|(\S+)")


class Flow:
    """A text that is printed while it comes. `margin` stands before each of its lines.

    `rows` is how many line ends were printed; `words` are all printed words.
    """

    def __init__(self, width: int, *, margin: str = "") -> None:
        self._width = max(width - len(margin), 1)
        self._margin = margin
        self._column = 0
        self._word = ""
        self._gap = ""
        self.rows = 0
        self.words: list[str] = []

    def feed(self, piece: str) -> str:
        """Return what to print now that this piece has come; a word that may not be complete is kept back."""
        return "".join(self._fed(clean(piece)))

    def close(self) -> str:
        """Return the last word and the end of its line; nothing where nothing was printed."""
        last = self._taken()
        if not self._column:
            return last
        self._column = 0
        self.rows += 1
        return f"{last}\n"

    def _fed(self, piece: str) -> Iterator[str]:
        for blank, letters in _WORD.findall(piece):
            if blank:
                yield self._taken()
                self._gap += blank
                continue
            self._word += letters
            while cell_len(self._word) > self._width:
                # A word that is wider than a line is broken at the end of the line.
                head = _fitting(self._word, self._width)
                rest, self._word = self._word[len(head) :], head
                yield self._taken(broken=True)
                self._word = rest

    def _taken(self, *, broken: bool = False) -> str:
        """Return the word that was kept back, on this line or the next."""
        word, gap = self._word, self._gap
        if not word:
            return ""
        self._word, self._gap = "", ""
        if broken and self.words and not gap:
            self.words[-1] += word
        else:
            self.words.append(word)
        before = self._before(word, gap)
        self._column += cell_len(word)
        return before + word

    def _before(self, word: str, gap: str) -> str:
        if not self._column:
            # No space before the first word of a line.
            return self._margin
        if _PARAGRAPH.search(gap):
            return self._lines(2)
        if self._column + bool(gap) + cell_len(word) > self._width:
            return self._lines(1)
        self._column += bool(gap)
        return " " if gap else ""

    def _lines(self, number: int) -> str:
        self.rows += number
        self._column = 0
        empty = f"\n{self._margin.rstrip()}" * (number - 1)
        return f"{empty}\n{self._margin}"


def _fitting(word: str, width: int) -> str:
    """Return as much of a word as a line holds, at least a letter."""
    end = min(len(word), width)
    while end > 1 and cell_len(word[:end]) > width:
        end -= 1
    return word[:end]


# The mark of provisional lines where the screen has no dim text.
_MARGIN = "| "

_ANEW = "  — that did not happen: it is told anew —"
_NOT_SO = "  — that did not happen —"


class TerminalListener:
    """Shows a turn's progress at a terminal. With `streams` it prints the narration as it comes."""

    def __init__(self, show: Callable[[str], None], *, streams: bool) -> None:
        self._show = show
        self._streams = streams
        self._size = shutil.get_terminal_size()
        self._flow = self._new_flow()

    def stage_began(self, stage: str, model_key: str) -> None:
        """Show a spinner with the stage's name, on a line of its own."""
        self._write(self._flow.close())
        self._show(f"{stage.replace('_', ' ')} ({model_key}) …")

    def told(self, text: str) -> None:
        """Print a piece of the narration, as provisional."""
        if self._streams and (shown := self._flow.feed(text)):
            self._show("")
            self._write(shown)

    def not_so(self, reason: str) -> None:
        """Say that the narration did not happen, where any of it was printed. The reason is only for the record: it
        says what was wrong with an output."""
        self._close(_ANEW)

    def did_not_happen(self) -> None:
        """Say that the turn did not happen."""
        self._close(_NOT_SO)

    def happened(self, told: str) -> bool:
        """End the turn, which is committed with this narration; return True if the player has read it as it was
        committed."""
        self._show("")
        self._write(self._flow.close())
        flow, self._flow = self._flow, self._new_flow()
        if not flow.rows:
            return False
        final = Flow(self._width)
        text = final.feed(told) + final.close()
        if self._can_redraw(flow.rows):
            rub_out(flow.rows)
            write(text)
            return True
        return flow.words == final.words

    def _close(self, what: str) -> None:
        self._show("")
        self._write(self._flow.close())
        if self._flow.rows:
            say(what, style="bold")
        self._flow = self._new_flow()

    def _write(self, text: str) -> None:
        if text:
            write(text, style="dim")

    @property
    def _width(self) -> int:
        # A row that is filled to its last column is two rows on some screens.
        return min(page_width(), self._size.columns - 1)

    def _new_flow(self) -> Flow:
        return Flow(self._width, margin="" if has_dim() else _MARGIN)

    def _can_redraw(self, rows: int) -> bool:
        # Rows that have left the screen, or were wrapped anew with it, cannot be removed.
        return can_redraw() and shutil.get_terminal_size() == self._size and rows < self._size.lines - 1


@contextmanager
def terminal_listener(*, streams: bool) -> Iterator[TerminalListener]:
    """Give a listener for a turn; its spinner stops when the block ends, however it ends."""
    with spinner() as show:
        yield TerminalListener(show, streams=streams and can_redraw())


# The session: it submits and shows turns, and asks about models that cost money.

# Errors that concern a model, its prompt or its settings: the turn can be played without them.
_OF_MODELS = (ProviderError, PromptError, SettingsError)

_OFFER = "[r]etry · [b]uilt-in for this turn · [u]ndo · Enter: leave it "
_HINT = (
    "  say it again to retry · /builtin plays your last words without a model · /undo takes back the turn before · "
    "nothing was lost"
)


class Ask(Protocol):
    """Runs a turn."""

    def __call__(self, *, builtin: bool, listener: TurnListener) -> Coroutine[Any, Any, str]:
        """Return the TurnResult as JSON."""
        ...


class PlaySession:
    """A play session in a campaign.

    With `at_terminal` there is somebody to be asked; `verbose` shows what models took; `streams` shows a narration
    while it is written, where there is a screen for it; `debug` shows what others thought and intended, `sandbox` what
    everybody intended.
    """

    def __init__(
        self,
        campaign: OpenCampaign,
        *,
        at_terminal: bool = False,
        verbose: bool = False,
        streams: bool = True,
        builtin: bool = False,
        debug: bool = False,
        sandbox: bool = False,
    ) -> None:
        self.campaign = campaign
        # Who speaks with the next words, where it is another persona than before, and what they think to themselves.
        self.persona: str | None = None
        self.thought = ""
        # What is offered when the story ends: what each of the numbers from 1 on does.
        self.ways_on: Sequence[str] = ()
        # How plainly the player was told how to go on where they are.
        self.hints = HintLadder()
        # The campaigns of the workspace, where it is known which they are: to export this one.
        self.campaigns: Campaigns | None = None
        # Whether the player can be given a line to edit; and the line that they are given next, to be played instead of
        # their last one.
        self.can_edit = False
        self.given = ""
        self._debug = debug
        self._sandbox = sandbox
        self._at_terminal = at_terminal
        self._verbose = verbose
        self._streams = streams
        self._builtin = builtin
        self._declined: tuple[str, ...] = ()
        self._untrusted = False
        self._failed_words: str | None = None
        self._failed_whisper: str | None = None

    def somebody_called(self, name: str) -> str:
        """Return the ID, as the player knows it, of the person with a name, as the next speaker's persona knows them.

        Raises:
            CampaignError: nobody has that ID or name.
        """
        found = self.campaign.somebody_called(name, persona=self.persona)
        return self.campaign.player_ids().ids.get(found, found)

    def submit(self, words: str, *, whisper_to: str | None = None) -> None:
        """Play a turn and show it. A failure of a model is printed, with the ways to go on.

        Raises:
            LorewrightError: anything else that is wrong; nothing was changed.
        """
        self._failed_words, self._failed_whisper = words, whisper_to
        self._play(self._said(words, whisper_to))

    def _said(self, words: str, whisper_to: str | None) -> Ask:
        return partial(self.campaign.submit, words, persona=self.persona, thought=self.thought, whisper_to=whisper_to)

    def undo_npc(self) -> None:
        """Play the last turn again without the last act of the cast's; otherwise as `submit`."""

        self._play(partial(without_last_act, self.campaign))

    def retry(self) -> None:
        """Play the last turn again, with other dice; otherwise as `submit`."""
        self._play(self.campaign.retry)

    def last_words(self) -> str:
        """Return the words that the player said last, understood or not; empty where they said none yet."""
        turns = reversed(self.campaign.store.turns())
        return next((str(turn["player_text"]) for turn in turns if turn["player_text"]), "")

    def play_instead(self, words: str) -> None:
        """Play words in place of the last ones: the turn that these made is taken back, if they made one; otherwise as
        `submit`."""
        if self.campaign.store.turns()[-1]["kind"] in ("clarification", "aside"):
            self.submit(words)
        else:
            self._play(partial(self.campaign.retry, words=words))

    def go_on(self) -> None:
        """Play what an empty line stands for: that one waits. Where the player was asked something, or the ruleset has
        no waiting, what can be said is shown instead."""
        waiting = typed_line("pass_time")
        asked = self.campaign.store.turns()[-1]["kind"] in ("clarification", "aside")
        if asked or waiting is None or self.campaign.setting.rules.ruleset.find_row(waiting.verb) is None:
            say("Answer with a number, or in your own words." if asked else "Say what you do.", style="dim")
            show_options_of(self.campaign)
            return
        say(f"> {waiting.text}", style="bold")
        self.submit(waiting.text)

    def submit_builtin(self, words: str) -> None:
        """Play a turn without a model; without words, the last words whose turn failed.

        Raises:
            LorewrightError: it cannot be played; nothing was changed.
        """
        to = None if words else self._failed_whisper
        words = words or self._failed_words or ""
        if not words:
            say("There is nothing to play without a model: say /builtin and your words")
            say()
            return
        self._failed_words, self._failed_whisper = words, to
        self._play(self._said(words, to), builtin=True)

    def reconsider(self) -> None:
        """Forget that the player declined to pay, because other models were chosen: they are asked again."""
        self._declined = ()

    def _play(self, ask: Ask, *, builtin: bool = False) -> None:
        before = last_attempt(self.campaign.store.database)
        while True:
            try:
                self._thought(ask, builtin=builtin or self._builtin or self._declines())
                return
            except (NotAgreed, NotTrusted):
                raise
            except _OF_MODELS as error:
                complain(error)
                if self._verbose and (used := usage_since(self.campaign.store.database, before)).calls:
                    say(f"  {usage_line(used)}", style="dim")
                choice = self._choice()
            if choice == "u":
                take_back(self.campaign)
            if choice not in ("r", "b"):
                return
            builtin = choice == "b"

    def _thought(self, ask: Ask, *, builtin: bool) -> None:
        """Run a turn, and show what was committed."""
        session = active_or_new_session(self.campaign)
        head = head_row(self.campaign.store.database).turn_id
        with terminal_listener(streams=self._streams) as turn_listener:
            try:
                stored = asyncio.run(ask(builtin=builtin, listener=turn_listener))
            except LorewrightError:
                turn_listener.did_not_happen()
                raise
            except KeyboardInterrupt:
                if not self._at_terminal:
                    raise
                self._stopped(head, turn_listener.did_not_happen)
                return
            result = TurnResult.model_validate_json(self.campaign.player_ids().told_json(stored))
            is_told = turn_listener.happened(result.final_text)
        self._failed_words = self._failed_whisper = self.persona = None
        self.thought = ""
        usage = usage_of_turn(self.campaign.store.database, result.turn_id) if self._verbose else None
        show_result(result, campaign=self.campaign, table=table_of(self.campaign), is_told=is_told, usage=usage)
        if self._debug:
            show_debug(self.campaign.store, result.turn_id, self.campaign.setting.rules)
            say()
        elif self._sandbox:
            show_intentions(self.campaign.store, result.turn_id)
        if any(isinstance(event, CampaignEnded) for event in result.engine_events):
            show_end(recap_of(self.campaign, session), self.ways_on)

    def _stopped(self, head: str, did_not_happen: Callable[[], None]) -> None:
        """Say that an interrupted turn was stopped; a turn that was just committed stands and is shown."""
        if head_row(self.campaign.store.database).turn_id != head:
            show_last(self.campaign)
            return
        did_not_happen()
        say("Stopped. Nothing of it happened, and nothing was lost.", style="dim")
        say()

    def _declines(self) -> bool:
        """Tell whether the turn is played without a model because the player does not want to pay for it, or trust it.

        Raises:
            NotTrusted: the settings that name the models are not trusted, and there is no terminal at which to ask.
            NotAgreed: there is no terminal at which to ask.
        """
        try:
            require_trust(self.campaign)
        except NotTrusted as error:
            if not self._at_terminal:
                raise
            if not self._untrusted:
                self._untrusted = True
                complain(error)
                say("Then it goes on without a model, until you leave.", style="dim")
            return True
        models = awaiting(self.campaign)
        if not models:
            return False
        if not self._at_terminal:
            require_agreement(self.campaign)
        keys = tuple(model.key for model in models)
        if keys == self._declined:
            return True
        if agrees(models):
            agree_to(self.campaign, models)
            return False
        self._declined = keys
        say(
            "Then it goes on without a model, until you leave; /model says which are set, and sets others.", style="dim"
        )
        return True

    def _choice(self) -> str:
        """Return how to go on after a model failed: `r`, `b`, `u`, or empty."""
        if not self._at_terminal:
            note(_HINT)
            return ""
        while (answer := answered(_OFFER)) not in ("", "r", "b", "u"):
            pass
        say()
        return answer


def agrees(models: tuple[PaidModel, ...]) -> bool:
    """Name models with their prices, ask whether they may be paid for, and return the answer."""
    known = all(model.usd_a_turn is not None for model in models)
    say("This asks models that cost money:" if known else "This asks models that may cost money:")
    show_prices(models)
    return answered("Play with them? [y/N] " if len(models) > 1 else "Play with it? [y/N] ") == "y"


def show_prices(models: tuple[PaidModel, ...], *, tell: Callable[[str], None] = say) -> None:
    """Print what each of some models is likely to cost."""
    for model in models:
        stages = ", ".join(stage.replace("_", " ") for stage in model.stages)
        price = "price unknown" if model.usd_a_turn is None else f"about {format_dollars(model.usd_a_turn)} a turn"
        tell(f"  {model.key}: {price} ({stages}), at {model.shown_address}")
    if len(models) > 1:
        total = sum(model.usd_a_turn or 0.0 for model in models)
        tell(f"  together: about {format_dollars(total)} a turn{_beside(models)}")


def _beside(models: tuple[PaidModel, ...]) -> str:
    return ", and what is unknown" if any(model.usd_a_turn is None for model in models) else ""


def answered(question: str) -> str:
    """Return the first letter of an answer, in lower case; empty where there is none."""
    try:
        return input(question).strip().casefold()[:1]
    except (EOFError, KeyboardInterrupt):
        say()
        return ""
