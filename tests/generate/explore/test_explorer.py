"""Walks in small vaults: where everything is, what is never shown, and that a walk is an ordinary scenario."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.scenarios.scenario import load_scenario
from lorewright.errors import NotFound, PackError, SettingsError
from lorewright.generate.explore.explorer import ReadyPack, latest_walk
from lorewright.generate.explore.writing import write_scenario
from lorewright.lore_bootstrap import make_workspace
from support import small_vault as x
from support import walking_player
from support.pack_builder import TOWN, write_pack
from support.scale import scaled


def app_in(folder: Path) -> App:
    make_workspace(folder / "workspace")
    return open_app(folder / "workspace")


def found_in(
    folder: Path, files: dict[str, str | bytes], *, seed: int = 1, name: str = "vault"
) -> tuple[App, ReadyPack]:
    app = app_in(folder)
    pack, findings = app.explorer.pack(str(x.write_vault(folder, files, name=name)))
    return app, app.explorer.walk(pack, findings, seed=seed)


def test_places_are_joined_by_their_links_and_people_and_things_stand_where_notes_put_them(tmp_path: Path) -> None:
    _, found = found_in(tmp_path, x.VAULT)
    scenario = found.scenario
    names = {key: place.name for key, place in scenario.places.items()}
    ways = {names[key]: set(place.exits) for key, place in scenario.places.items()}
    assert "Gull Rock" in ways["The Lighthouse"]
    assert "Harbour" in ways["Gull Rock"]
    assert "Chapel" in ways["Mill"], "they share a tag that nobody else has"
    at = {one.name: names[one.at] for one in scenario.cast.values()}
    assert at["Ada"] == "Harbour"
    assert at["Bo"] in names.values()
    lying = {thing.name: thing.at and names[str(thing.at)] for thing in scenario.things.values()}
    assert lying == {"Rope": "Harbour", "Silver Whistle": None, "the note on the Wreck": "The Lighthouse"}
    assert scenario.rules == ()
    assert not scenario.endings


@pytest.mark.campaign
def test_what_is_for_the_game_master_is_in_no_walk(tmp_path: Path) -> None:
    app, found = found_in(tmp_path, x.VAULT)
    campaigns = walking_player.begun(app, found, tmp_path / "games")
    played = walking_player.walk(campaigns, turns=40)
    shown = [found.scenario.model_dump_json(exclude={"finds", "things"}), *found.lines]
    shown += [json.dumps(result, ensure_ascii=False) for line, result in played if not line.startswith("search")]
    assert [canary for canary in x.CANARIES if any(canary in text for text in shown)] == []
    assert "1 note without text" not in found.lines


def test_what_a_search_brings_to_light_lies_there_afterwards(tmp_path: Path) -> None:
    app, found = found_in(tmp_path, x.VAULT)
    campaigns = walking_player.begun(app, found, tmp_path / "games")
    lighthouse = next(key for key, place in found.scenario.places.items() if place.name == "The Lighthouse")
    with campaigns.open("game") as opened:
        route = _route(opened.store.head().state, f"vault:{lighthouse}")
        for line in (*route, "search the lamp room", "take the silver whistle"):
            result = json.loads(asyncio.run(opened.submit(line)))
        state = opened.store.head().state
    assert "whistle" in result["final_text"].lower()
    assert [state.name_of(one) for one in state.held_by(state.player_id)] == ["Silver Whistle"]


def _route(state: object, goal: str) -> list[str]:
    """The lines that lead to a place."""
    paths: dict[str, list[str]] = {state.scene.location_id: []}  # type: ignore[attr-defined]
    todo = list(paths)
    while todo:
        here = todo.pop(0)
        for way in state.exits[here]:  # type: ignore[attr-defined]
            if way.to not in paths:
                paths[way.to] = [*paths[here], f"go to {state.name_of(way.to)}"]  # type: ignore[attr-defined]
                todo.append(way.to)
    return paths[goal]


@pytest.mark.campaign
@pytest.mark.parametrize(
    "files",
    [x.VAULT, x.HOSTILE, x.RULES, x.CONDITIONAL, TOWN],
    ids=["vault", "hostile", "rules", "conditional", "town"],
)
def test_a_walk_of_forty_lines_goes_everywhere_and_tells_nothing_that_must_not_be_told(
    tmp_path: Path, files: dict[str, str | bytes]
) -> None:
    app, found = found_in(tmp_path, files)
    campaigns = walking_player.begun(app, found, tmp_path / "games")
    with campaigns.reading("game") as store:
        state = store.head().state
    assert walking_player.reachable(state) == set(state.exits)
    assert max(map(len, state.exits.values())) <= 6
    played = walking_player.walk(campaigns, turns=40)
    told = [(line, wrong) for line, result in played if (wrong := walking_player.untold(result["final_text"]))]
    assert told == []
    refused = [line for line, result in played if line.startswith("go to") and not _moved(result)]
    assert refused == []


def _moved(result: dict[str, object]) -> bool:
    return result["clarification_question"] is None and all(
        one["success"]
        for one in result["validation"]["results"]  # type: ignore[index]
    )


@pytest.mark.campaign
def test_each_line_from_a_note_names_it_and_stands_in_it(tmp_path: Path) -> None:
    app, found = found_in(tmp_path, x.VAULT)
    played = walking_player.walk(walking_player.begun(app, found, tmp_path / "games"), turns=40)
    cited = [citation for _, result in played for citation in result["citations"]]
    assert len({citation["file_path"] for citation in cited}) >= 5
    for citation in cited:
        text = " ".join(str(x.VAULT[citation["file_path"]]).replace("[[", "").replace("]]", "").split())
        assert citation["quote"] in text


def test_a_rules_book_is_shelves_with_its_notes_on_them(tmp_path: Path) -> None:
    app, found = found_in(tmp_path, x.RULES)
    scenario = found.scenario
    assert scenario.cast == {}
    assert {place.name for place in scenario.places.values()} >= {
        "The front shelf",
        "The shelf Spells",
        "The shelf Spells G",
        "The shelf Lost",
    }
    assert len(scenario.things) == len(x.RULES) - 1, "all but the empty one"
    campaigns = walking_player.begun(app, found, tmp_path / "games")
    with campaigns.open("game") as opened:
        told = json.loads(asyncio.run(opened.submit("look at The Rules")))
    assert "These rules fit on a page, and fill eleven." in told["final_text"]
    assert [one["file_path"] for one in told["citations"]] == ["Rules.md"]


def test_what_holds_when_the_walk_begins_is_in_it_and_what_does_not_is_not(tmp_path: Path) -> None:
    _, found = found_in(tmp_path, x.CONDITIONAL)
    assert set(found.scenario.places) == {"hall", "yard"}
    assert set(found.scenario.cast) == set()
    assert (found.scenario.threads["feast"].title, found.scenario.clocks["anger"].value) == ("Feast", 0)


def test_the_same_pack_and_seed_give_the_same_scenario_and_another_seed_moves_only_whom_no_note_places(
    tmp_path: Path,
) -> None:
    app, found = found_in(tmp_path, x.VAULT)
    again = app.explorer.walk(found.pack, (), seed=1).scenario
    assert again == found.scenario
    others = [app.explorer.walk(found.pack, (), seed=seed).scenario for seed in range(2, 12)]
    assert {one.cast["ada"].at for one in others} == {found.scenario.cast["ada"].at}
    assert len({one.cast["bo"].at for one in others}) > 1
    assert {one.model_dump_json(include={"places", "start"}) for one in others} == {
        found.scenario.model_dump_json(include={"places", "start"})
    }


def test_a_saved_walk_is_a_scenario_like_any_other(tmp_path: Path) -> None:
    app, found = found_in(tmp_path, x.HOSTILE)
    path = tmp_path / "walk.yaml"
    write_scenario(found.scenario, path)
    assert load_scenario(path) == found.scenario
    assert app.campaigns.new(str(path), seed=1).scenario_id == "explore_vault"
    with pytest.raises(SettingsError, match="there already"):
        write_scenario(found.scenario, path)


def test_a_walk_goes_on_and_a_changed_vault_keeps_the_text_that_it_began_with(tmp_path: Path) -> None:
    app, found = found_in(tmp_path, x.VAULT)
    assert latest_walk("vault", app.campaigns) is None
    first = app.explorer.begin(found, app.campaigns, seed=1)
    assert first.id == "explore_vault"
    (tmp_path / "vault" / "npcs" / "Cy.md").write_text("# Cy\n\nCy is new here.\n", encoding="utf-8")
    pack, findings = app.explorer.pack(str(tmp_path / "vault"))
    there = latest_walk("vault", app.campaigns)
    assert there is not None
    assert there.pins[0].content_hash != pack.content_hash
    second = app.explorer.begin(app.explorer.walk(pack, findings, seed=1), app.campaigns, seed=1)
    assert second.id == "explore_vault_2"
    with app.campaigns.reading(second.id) as store:
        assert "Cy" in {entity.name for entity in store.head().state.entities.values()}


def test_the_demo_is_about_ten_lines_that_work(tmp_path: Path) -> None:
    app, found = found_in(tmp_path, x.VAULT)
    campaigns = walking_player.begun(app, found, tmp_path / "games")
    lines = found.scenario.demo
    assert 8 <= len(lines) <= 11
    assert {line.split()[0] for line in lines} >= {"look", "go", "search"}
    with campaigns.open("game") as opened:
        results = [json.loads(asyncio.run(opened.submit(line))) for line in lines]
    assert [line for line, result in zip(lines, results, strict=True) if not _moved(result)] == []


def test_the_report_says_in_about_ten_lines_what_was_found(tmp_path: Path) -> None:
    _, found = found_in(tmp_path, {**x.VAULT, "history/Lost.md": "# Lost\n\nSee [[Nowhere]] and [[Nobody]].\n"})
    assert len(found.lines) <= 12
    text = "\n".join(found.lines)
    for line in (
        "2 links without target",
        "3 sections taken for secrets",
        "2 notes for the game master alone",
        "every note can be reached on foot",
    ):
        assert line in text


def test_what_cannot_be_walked_in_is_said(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    with pytest.raises(NotFound, match="no folder or pack nowhere"):
        app.explorer.pack("nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(PackError, match="no markdown"):
        app.explorer.pack(str(tmp_path / "empty"))
    folder = write_pack(tmp_path, {"a.md": "---\nvisibility: gm\n---\n# A\n\nMine.\n"}, pack_id="closed", manifest=None)
    pack, findings = app.explorer.pack(str(folder))
    with pytest.raises(NotFound, match="no note that a player may read"):
        app.explorer.walk(pack, findings, seed=1)


def test_files_with_errors_are_left_out_and_the_rest_is_walked_in(tmp_path: Path) -> None:
    _, found = found_in(tmp_path, {**x.VAULT, "npcs/bad.md": "---\nname: a: b\n---\n# Bad\n\nText.\n"})
    assert "1 file left out: see lorewright pack validate" in found.lines
    assert "Bad" not in {one.name for one in found.scenario.cast.values()}


WORDS = st.sampled_from(
    ["Mill", "old", "Harbour", "of", "the", "[[Mill]]", "[[a|b]]", "**x**", "east", "#", "|", "é", "東"]
)
TEXTS = st.lists(WORDS, max_size=12).map(" ".join)


@st.composite
def packs(draw: st.DrawFn) -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = {}
    for number in range(draw(st.integers(1, 12))):
        kind = draw(st.sampled_from(["locations", "npcs", "items", "factions", "lore", "locations/deep", ""]))
        section = draw(st.sampled_from(["", "## Secrets", "## Clues", "## Rumours", "## Threads", "## Atmosphere"]))
        head = draw(st.sampled_from(["", "---\nvisibility: gm\n---\n", "---\ntags: [a]\nrelated_threads: [t]\n---\n"]))
        files[f"{kind}/n{number}.md".lstrip("/")] = (
            f"{head}# {draw(TEXTS)}\n\n{draw(TEXTS)}\n\n{section}\n\n- {draw(TEXTS)}\n"
        )
    return files


@pytest.mark.campaign
@settings(
    max_examples=scaled(4),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
)
@given(files=packs())
def test_any_pack_with_an_open_note_makes_a_campaign(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, str | bytes]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    app = app_in(folder)
    pack, findings = app.explorer.pack(str(x.write_vault(folder, files)))
    try:
        found = app.explorer.walk(pack, findings, seed=1)
    except NotFound:
        assert all("visibility: gm" in str(text) for text in files.values())
        return
    campaigns = walking_player.begun(app, found, folder / "games")
    with campaigns.reading("game") as store:
        state = store.head().state
    assert walking_player.reachable(state) == set(state.exits)
    assert [
        wrong
        for _, result in walking_player.walk(campaigns, turns=4)
        for wrong in walking_player.untold(result["final_text"])
    ] == []
