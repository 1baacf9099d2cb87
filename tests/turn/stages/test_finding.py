"""What an author writes before the colon of a discoverable finds it when it is typed."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App
from lorewright.builtin.parser.interpreter import interpret
from lorewright.packs.loader import load_pack
from lorewright.replay.metrics import ALL_TURNS
from lorewright.scene_lore.models import SceneItem
from lorewright.turn.stages.interpret.finding import as_searches, lint_triggers
from lorewright.values.records import InterpreterInput
from lorewright.values.scope import Named, Scope
from support import harbour as h

TRIGGERS = (
    *("read the diary", "examine the portrait", "open the sea chest", "lift the loose plank", "push the dresser"),
    *("touch the stove", "listen at the keyhole", "smell the candle", "study the chart", "inspect the barometer"),
    *("move the rug", "climb the ladder", "taste the soup", "pray at the shrine", "talk to the parrot"),
    *("search the coat", "check the drawer", "dig in the sawdust", "look through the ledger", "DC 15 Perception"),
)
LETTER = "    finds:\n      tavern/discoverable#letter: [{give: hatch_key}]\n"


def tavern_with(*triggers: str) -> dict[str, str]:
    """Return the harbour's files; in its tavern one item lies behind each trigger."""
    tavern = h.dedent(h.FILES["locations/tavern.md"])
    items = "\n".join(f"- {{#i{n}}} {trigger}: This is number {n}." for n, trigger in enumerate(triggers))
    return {**h.FILES, "locations/tavern.md": f"{tavern.partition('## Discoverable')[0]}## Discoverable\n\n{items}\n"}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> App:
    folder = tmp_path_factory.mktemp("finds")
    return h.harbour(folder, scenario=h.SCENARIO.replace(LETTER, ""), files=tavern_with(*TRIGGERS))


def played(app: App, *lines: str) -> list[dict[str, Any]]:
    with app.campaigns.open("game") as campaign:
        return [json.loads(asyncio.run(campaign.submit(line))) for line in lines]


@pytest.mark.campaign
def test_every_trigger_is_found_by_typing_it(app: App) -> None:
    results = played(app, *TRIGGERS)
    assert [line for n, line in enumerate(TRIGGERS) if f"number {n}." not in results[n]["final_text"]] == []


def test_words_that_another_version_read_as_a_search_are_read_as_one(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, scenario=h.SCENARIO.replace(LETTER, ""), files=tavern_with("read the diary"))
    played(app, "read the diary")
    for version in (77, 1):
        with closing(sqlite3.connect(app.campaigns.path("game"))) as connection, connection:
            connection.execute(f"UPDATE stage_records SET builtin_version = {version} WHERE stage = 'interpreter'")
        assert asyncio.run(app.replays.rerun_turns("game", ALL_TURNS, None)).is_identical


def test_no_trigger_is_reported_that_a_line_finds(tmp_path: Path) -> None:
    pack = load_pack(h.write_pack(tmp_path / "harbour", tavern_with(*TRIGGERS)))
    assert list(lint_triggers(pack)) == []


def test_a_trigger_that_finds_something_else_is_reported_with_its_line(tmp_path: Path) -> None:
    pack = load_pack(h.write_pack(tmp_path / "harbour", tavern_with("here it is", "read the diary")))
    (found,) = lint_triggers(pack)
    assert (found.code, found.file, found.severity) == ("trigger-finds-nothing", "locations/tavern.md", "warning")
    assert "here it is" in str(found)
    assert (tmp_path / "harbour" / found.file).read_text().splitlines()[found.line - 1].startswith("- {#i0}")


SCOPE = Scope(
    player=Named(id="p", name="Ada", kind="person"),
    place=Named(id="t", name="The Tavern", kind="place"),
    people=(Named(id="osk", name="Osk", kind="person"),),
    here=(Named(id="rope", name="coil of rope", aliases=("rope",), kind="thing"),),
)


def searched(line: str, *triggers: str, learned: tuple[str, ...] = ()) -> str | None:
    """Return what the line is read as, where items with these triggers are hidden."""
    items = [SceneItem(id=trigger, chunk_id="c", name="i", text="Found.", trigger=trigger) for trigger in triggers]
    return as_searches(InterpreterInput(player_text=line, scope=SCOPE), items, learned)


@pytest.mark.parametrize(
    "line",
    ("read the diary", "Read my diary!", "please read the diary", "I want to read the diary", "open the diary"),
)
def test_what_is_done_to_the_thing_of_a_trigger_finds_it(line: str) -> None:
    assert searched(line, "read the diary") in ("search the diary", "search my diary")


@pytest.mark.parametrize(
    "line",
    (
        *("ask Osk about the diary", "go to the diary", "the diary", "read the letter", "attack the diary"),
        *("is there a diary?", '"read the diary"', "look", "search the diary"),
    ),
)
def test_other_words_are_read_as_they_are(line: str) -> None:
    assert searched(line, "read the diary") is None


def test_only_a_search_finds_what_is_to_be_searched_for() -> None:
    assert searched("look at the bar", "search the bar") is None
    assert searched("kick the bar", "search behind the bar") is None


def test_each_clause_is_read_by_itself() -> None:
    line = "go to the quay, then open the diary and take the rope"
    assert searched(line, "read the diary") == "go to the quay. search the diary. take the rope"


def test_two_triggers_of_one_thing_are_told_apart() -> None:
    assert searched("read the diary", "read the diary", "burn the diary") == "search read the diary"


def test_the_very_words_of_a_trigger_go_before_what_is_here_until_it_is_found() -> None:
    assert searched("look at the rope", "look at the rope") == "search the rope"
    assert searched("look at the rope", "look at the rope", learned=("look at the rope",)) is None
    assert searched("take the rope", "look at the rope") is None


def test_a_search_that_is_made_of_it_can_be_read() -> None:
    text = searched("read the diary", "read the diary")
    assert text is not None
    (action,) = interpret(InterpreterInput(player_text=text, scope=SCOPE)).proposed_actions
    assert action.words == "the diary" or action.words == "diary"
