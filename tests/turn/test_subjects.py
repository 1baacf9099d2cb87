"""Of whom and of what a turn may tell: whom it was about, what was asked about and belongs here, what is here."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.lore_bootstrap import make_empty_workspace
from support import harbour as h
from support import walking_player
from support.island_vault import write_island
from support.small_vault import RULES, write_vault


def walk_in(folder: Path, pack: Path) -> App:
    make_empty_workspace(folder / "workspace")
    app = open_app(folder / "workspace")
    found = app.explorer.walk(*app.explorer.pack(str(pack)), seed=1)
    app.explorer.begin(found, app.campaigns, campaign_id="game", seed=1)
    return app


def test_people_without_a_knows_section_pass_on_what_their_notes_tie_them_to_and_nothing_else(tmp_path: Path) -> None:
    app = walk_in(tmp_path, write_island(tmp_path))
    *_, tied, untied = h.say(app, "go ferry house", "ask Jonna about Bell Rock", "ask Jonna about the Church Field")
    assert tied["citations"][0]["chunk_id"].startswith("island:bell-rock")
    assert not any("church" in one["chunk_id"] for one in untied["citations"])


def test_what_is_told_of_a_note_stands_in_it_word_for_word(tmp_path: Path) -> None:
    app = walk_in(tmp_path, write_island(tmp_path))
    results = h.say(app, "look", "look", "look", "look", "go salt works", "talk to Old Per", "look at Old Per")
    texts = {path.stem: " ".join(path.read_text().split()) for path in (tmp_path / "island").rglob("*.md")}
    cited = [one for result in results for one in result["citations"]]
    assert len(cited) >= 7
    for one in cited:
        assert one["quote"] in texts[Path(one["file_path"]).stem].replace("[[", "").replace("]]", "")


def test_a_shelf_suggests_looking_at_its_notes_and_a_look_at_it_quotes_one(tmp_path: Path) -> None:
    app = walk_in(tmp_path, write_vault(tmp_path, RULES))
    with app.campaigns.reading("game") as store:
        offered = next(line for line in store.head().options if line.startswith("look at "))
    looked, again = h.say(app, offered, "look")
    assert looked["citations"]
    assert not any(line.startswith("take ") for result in (looked, again) for line in result["suggested_actions"])
    # What there is to read was read.
    assert offered not in again["suggested_actions"]


def test_a_way_reads_as_locked_only_for_whoever_lacks_the_key(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    assert "(locked)" in h.say(app, "look")[0]["final_text"]
    h.say(app, "search under the counter")
    with app.campaigns.reading("game") as store:
        state = store.head().state
        has_key = "game:hatch_key" in state.held_by(state.player_id)
    assert has_key
    told = h.say(app, *["wait"] * 6, "go door", "go tavern", "look")
    assert not any("(locked)" in result["final_text"] for result in told)


@pytest.mark.campaign
def test_a_walk_through_every_place_tells_no_id_or_markup(tmp_path: Path) -> None:
    app = walk_in(tmp_path, write_island(tmp_path))
    bad = [
        walking_player.untold(told["final_text"]) for _, told in walking_player.walk(app.campaigns, turns=30, seed=4)
    ]
    assert [one for one in bad if one] == []
