"""The prompt: what Tab makes of a line, which lines are remembered, what its keys do."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from lorewright.bootstrap import App, open_app
from lorewright.cli.game.completion import KnownNames, LineCompleter, names_known_in
from lorewright.cli.game.line_history import LineHistory
from lorewright.cli.game.prompt import EditedLinePrompt, PlainLinePrompt, open_prompt
from lorewright.cli.game.slash import COMMANDS, TAB_ARGUMENTS
from support import harbour as h
from support.command_line import spawn_command, workspace_environment
from support.hidden_people import FIRST

KNOWN = KnownNames(
    people=("Captain Bao", "Viktor"),
    things=("credstick", "the steel door"),
    ways=("street", "The Night Market"),
    heard_of=("Jin", "Viktoria"),
    personas=("Ada", "Bo"),
    branches=("main", "before"),
    verbs=("look", "ask", "attack", "go"),
)
COMPLETER = LineCompleter(TAB_ARGUMENTS, lambda: KNOWN)


def completed(before: str) -> list[str]:
    """The lines that Tab makes of a line."""
    return [before[: len(before) - one.replaced] + one.text for one in COMPLETER.complete(before)]


@pytest.mark.parametrize(
    ("before", "lines"),
    [
        ("/w", ["/who ", "/why ", "/whisper "]),
        ("/WHI", ["/whisper "]),
        ("a", ["ask ", "attack "]),
        ("ask V", ["ask Viktor", "ask Viktoria"]),
        ("ask viktor about j", ["ask viktor about Jin"]),
        ("ask Bao", ["ask Captain Bao"]),
        ("ask captain b", ["ask Captain Bao"]),
        ("go n", ["go The Night Market"]),
        ("go ", ["go street", "go The Night Market"]),
        ("open the st", ["open the steel door"]),
        ("open st", ["open the steel door", "open street"]),
        ("use cr", ["use credstick"]),
        ("Vik", ["Viktor", "Viktoria"]),
        ("/whisper ", ["/whisper Captain Bao", "/whisper Viktor"]),
        ("/as b", ["/as Bo"]),
        ("/lore ni", ["/lore The Night Market"]),
        ("/undo ", []),
        ("ask Viktor about the zyzzyva", []),
    ],
)
def test_tab_completes_commands_verbs_and_names(before: str, lines: list[str]) -> None:
    assert [line.rstrip() for line in completed(before)] == [line.rstrip() for line in lines]
    assert all(line.endswith(" ") for line in completed(before) if len(lines) == 1)


def test_people_are_offered_first_to_whom_one_speaks() -> None:
    assert [one.text for one in COMPLETER.complete("ask ")][:2] == ["Captain Bao", "Viktor"]
    assert next(one.text for one in COMPLETER.complete("take ")) == "credstick"


def test_every_command_can_be_completed() -> None:
    assert {one.text.strip() for one in COMPLETER.complete("/")} == {*COMMANDS, "/quit"}


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


def test_the_names_are_those_of_the_place_and_of_what_was_heard(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        known = names_known_in(campaign)
    assert known.people == ("Osk",)
    assert set(known.things) == {"coil of rope", "lantern", "hatch"}
    assert known.ways == ("door", "The Quay", "cellar")
    assert known.heard_of == ("The Quay", "Lin") or set(known.heard_of) == {"Lin", "The Quay"}
    assert known.branches == ("main",)
    assert "ask" in known.verbs
    assert "Bea" not in known.all


def test_no_hidden_name_is_offered(tmp_path: Path) -> None:
    root = h.write_workspace(tmp_path / "workspace")
    pack = root / "content_packs" / "harbour"
    osk = (pack / "npcs" / "osk.md").read_text(encoding="utf-8")
    hidden = osk.replace("type: npc\n", "type: npc\nvisibility: gm\n", 1).replace("# Osk", f"# {FIRST['person'].name}")
    (pack / "npcs" / "osk.md").write_text(hidden, encoding="utf-8")
    quay = (pack / "locations" / "quay.md").read_text(encoding="utf-8")
    (pack / "locations" / "quay.md").write_text(
        quay.replace("type: location\n", "type: location\nvisibility: gm\n", 1), encoding="utf-8"
    )
    made = open_app(root)
    made.campaigns.new("night_boat", campaign_id="game", seed=1)
    with made.campaigns.open("game") as campaign:
        state = campaign.store.head().state
        moved = state.with_fields(positions={**state.positions, "harbour:osk": "harbour:quay"})
        assert moved.name_of("harbour:osk") == FIRST["person"].name
        known = names_known_in(campaign)
    assert "The Quay" not in known.all
    assert len(known.ways) == 2


def test_lines_are_kept_for_their_owner_alone_and_not_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "game.lines"
    history = LineHistory(path)
    for number in range(600):
        history.add(f"line {number}")
    history.add("line 599")
    history.add("  ")
    history.add("x" * 3_000)
    history.add("two\nrows \udcff")
    assert path.stat().st_mode & 0o777 == 0o600
    again = LineHistory(path).lines
    assert (len(again), again[0], again[-2:]) == (500, "line 101", ["line 599", "two\nrows ?"])


@pytest.mark.parametrize("bytes_", [b"\xff\xfe", b"no json\n", b'{"a": 1}\n', b"[" * 100_000])
def test_a_file_of_lines_that_is_none_is_begun_anew(tmp_path: Path, bytes_: bytes) -> None:
    path = tmp_path / "game.lines"
    path.write_bytes(bytes_)
    history = LineHistory(path)
    assert history.lines == []
    history.add("look")
    assert json.loads(path.read_text(encoding="utf-8")) == "look"


def test_where_no_line_can_be_kept_they_last_for_the_sitting(tmp_path: Path) -> None:
    (tmp_path / "link.lines").symlink_to(tmp_path / "elsewhere")
    history = LineHistory(tmp_path / "link.lines")
    history.add("look")
    assert history.lines == ["look"]
    assert not (tmp_path / "elsewhere").exists()


Typing = Callable[..., str | None]


@pytest.fixture
def typing(tmp_path: Path) -> Iterator[Typing]:
    """Press keys at a prompt whose history is kept, and return the line that it gives."""
    with create_pipe_input() as keys:

        def press(*pressed: str, given: str = "") -> str | None:
            prompt = EditedLinePrompt(LineHistory(tmp_path / "a.lines"), COMPLETER, keys=keys, screen=DummyOutput())
            keys.send_text("".join(pressed))
            return prompt.ask(given)

        yield press


ENTER, ALT_ENTER, CTRL_C, CTRL_D, UP = "\r", "\x1b\r", "\x03", "\x04", "\x1b[A"


def test_a_line_is_taken_as_it_was_typed_and_remembered(typing: Typing) -> None:
    assert typing("look", ENTER) == "look"
    assert typing("wait", ENTER) == "wait"
    assert typing(UP, UP, ENTER) == "look"


def test_tab_completes_what_was_typed(typing: Typing) -> None:
    assert typing("use cr\ton the ste\t", ENTER) == "use credstick on the steel door"


def test_a_line_goes_on_in_another_row(typing: Typing) -> None:
    assert typing("look around,", ALT_ENTER, "then \\", ENTER, "wait", ENTER) == "look around, then wait"
    assert typing(UP, UP, UP, ENTER) is not None


def test_an_interrupt_clears_what_was_typed_and_leaves_an_empty_line(typing: Typing) -> None:
    assert typing("drop ro", CTRL_C, "look", ENTER) == "look"
    with pytest.raises(KeyboardInterrupt):
        typing(CTRL_C)


def test_the_end_of_input_leaves(typing: Typing) -> None:
    assert typing(CTRL_D) is None


def test_a_line_may_be_given_to_be_edited(typing: Typing) -> None:
    assert typing(" around", ENTER, given="look") == "look around"


def test_without_a_terminal_lines_are_read_plainly() -> None:
    assert isinstance(open_prompt(LineHistory(Path("none.lines")), COMPLETER), PlainLinePrompt)


@pytest.mark.campaign
def test_what_needs_no_prompt_does_not_import_the_library(app: App) -> None:
    code = "import sys; from lorewright.cli import main; sys.argv = ['lorewright', *sys.argv[1:]]\ntry:\n main()\nexcept SystemExit: pass\nprint('prompt_toolkit' in sys.modules)"
    import subprocess

    environment = workspace_environment(app.workspace.root)
    for words in (["--help"], ["play", "game"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            input="look\n",
            capture_output=True,
            text=True,
            env=environment,
            check=True,
        )
        assert done.stdout.rstrip().endswith("False")
    assert spawn_command("--version", environment=environment).returncode == 0
