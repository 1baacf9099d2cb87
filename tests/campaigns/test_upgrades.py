"""What newer packs and rulesets would change is told; moving to them is a turn, which is taken back as any other."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.campaigns import exchange
from lorewright.campaigns.branches import branch, rollback, switch
from lorewright.campaigns.checks import check
from lorewright.campaigns.upgrade_changes import UpgradePlan
from lorewright.errors import CampaignError, HeadMoved, NotFound, PackError
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.storage import database
from lorewright.storage import tables as migrations
from lorewright.turn.store.turn_store import redo, undo, undo_played
from support import harbour as h

Change = Callable[[Path], object]

# A ruleset of one's own, with a scene.
RULES = """
    extends: freeform
    id: tides
    scene_state_schema:
      type: object
      required: [water]
      additionalProperties: false
      properties: {water: {type: integer, minimum: 0, maximum: 9, default: 4}}
    owners: {scene.water: resolve, stats.*: resolve}
"""


def edit(name: str, old: str, new: str) -> Change:
    """A change of a file of the harbour pack."""

    def done(pack: Path) -> None:
        text = (pack / name).read_text(encoding="utf-8")
        assert old in text
        (pack / name).write_text(text.replace(old, new), encoding="utf-8")

    return done


def newer(app: App, *changes: Change, version: str = "2.0.0") -> App:
    """The app with another text of the harbour pack installed."""
    pack = app.workspace.root / "content_packs" / "harbour"
    for one in (edit("pack.yaml", "version: 1.0.0", f"version: {version}"), *changes):
        one(pack)
    app.packs.install(pack)
    return app


def remarks(plan: UpgradePlan) -> set[tuple[str, str]]:
    return {(one.kind, one.about) for one in plan.remarks}


def pins(app: App) -> list[str]:
    with app.campaigns.reading("game") as store:
        return [pin.version for pin in store.campaign().pins]


def sound(app: App, campaign_id: str = "game") -> bool:
    return check(app.campaigns.path(campaign_id), app.campaigns.kept).findings == ()


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


def test_where_all_is_as_it_is_pinned_nothing_is_needed_and_nothing_done(app: App) -> None:
    plan = app.upgrades.plan("game")
    assert (plan.is_needed, plan.remarks, plan.prompts) == (False, (), ())
    assert app.upgrades.upgrade("game").turn_no is None
    with app.campaigns.reading("game") as store:
        assert len(store.turns()) == 1


def test_a_plan_names_versions_and_texts_and_changes_nothing(app: App) -> None:
    before = app.campaigns.path("game").read_bytes()
    (pack,) = newer(app).upgrades.plan("game").packs
    assert (pack.id, pack.version_then, pack.version_now, pack.is_other) == ("harbour", "1.0.0", "2.0.0", True)
    assert app.campaigns.path("game").read_bytes() == before
    assert pins(app) == ["1.0.0"]


@pytest.mark.parametrize(
    ("change", "kind", "about"),
    [
        (edit("locations/quay.md", "## Atmosphere", "## The air there"), "section-renamed", "harbour:quay:atmosphere"),
        (
            lambda pack: (pack / "npcs" / "bea.md").write_text("---\nid: bea\ntype: npc\n---\n# Bea\n\nShe mends.\n"),
            "section-gone",
            "harbour:bea:knows",
        ),
        (edit("npcs/osk.md", "## Withholds\n\n", ""), "secret-opened", "harbour:osk:withholds#debt"),
        (edit("npcs/bea.md", "## Knows", "## Withholds"), "secret-closed", "harbour:bea:knows#cellar"),
        (edit("npcs/osk.md", "## Withholds", "## Keeps to himself"), "secret-opened", "harbour:osk:withholds"),
        (edit("locations/quay.md", "## Atmosphere", "## Discoverable"), "secret-closed", "harbour:quay:atmosphere"),
    ],
)
def test_what_would_be_another_is_told(app: App, change: Change, kind: str, about: str) -> None:
    assert (kind, about) in remarks(newer(app, change).upgrades.plan("game"))


def test_a_section_whose_text_was_edited_too_is_found_by_likeness(app: App) -> None:
    newer(
        app,
        edit("locations/quay.md", "## Atmosphere", "## Birds"),
        edit("locations/quay.md", "like bailiffs", "like two bailiffs"),
    )
    (one,) = (one for one in app.upgrades.plan("game").remarks if one.kind == "section-renamed")
    assert one.what == "the section is 'Birds' now (harbour:quay:birds), and its text is another one"


def test_an_item_that_was_revealed_and_is_gone_is_told(app: App) -> None:
    h.say(app, "ask Osk about Lin")
    newer(app, edit("npcs/osk.md", "{#boat}", "{#tuesday}"))
    (one,) = app.upgrades.plan("game").remarks
    assert (one.kind, one.about, one.blocks) == ("item-gone", "harbour:osk:knows#boat", False)
    assert "is osk/knows#tuesday now" in one.what


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("npcs/osk.md", "Osk is one of the cast and has no file any more"),
        ("locations/quay.md", "The Quay is a place and has no file any more"),
        ("locations/tavern.md", "The Tavern is the place of the scene and has no file any more"),
        ("npcs/lin.md", "Lin is what the thread 'Where is Lin?' is about and has no file any more"),
    ],
)
def test_who_or_what_the_state_stands_on_may_not_go(app: App, file: str, says: str) -> None:
    newer(app, lambda pack: (pack / file).unlink(), edit("npcs/osk.md", "related_entities: [lin]", "x: 1")) if (
        file == "npcs/lin.md"
    ) else newer(app, lambda pack: (pack / file).unlink())
    before = app.campaigns.path("game").read_bytes()
    assert app.upgrades.plan("game").blocking[0].what == says
    with pytest.raises(CampaignError, match="cannot be upgraded") as caught:
        app.upgrades.upgrade("game")
    assert says in caught.value.message
    assert "has a file" in (caught.value.hint or "") or "a file for it again" in (caught.value.hint or "")
    assert app.campaigns.path("game").read_bytes() == before
    assert h.say(app, "look")


def test_a_rule_of_the_scenario_that_names_what_is_no_more_blocks(app: App) -> None:
    newer(app, edit("npcs/osk.md", "{#debt}", "{#sale}"))
    (one,) = app.upgrades.plan("game").blocking
    assert (one.kind, one.about) == ("scenario", "rules.owning_up")
    assert "no pack has an item osk/withholds#debt" in one.what


def test_an_upgrade_is_a_turn_after_which_the_new_text_is_told(app: App) -> None:
    h.say(app, "look", "go door")
    newer(app, edit("npcs/bea.md", "She mends nets and hears everything.", "She mends sails now."))
    with app.campaigns.reading("game") as store:
        options = store.head().options
    done = app.upgrades.upgrade("game")
    assert done.turn_no == 3
    with app.campaigns.reading("game") as store:
        turn, head = store.turns()[-1], store.head()
        (record,) = store.stage_records(turn["turn_id"])
        row = store.campaign()
    assert (turn["kind"], turn["player_text"], turn["result"]["messages"]) == ("upgrade", "", [])
    assert turn["result"]["final_text"] == "From here on the story goes by harbour 2.0.0."
    assert head.options == options
    assert (record["stage"], row.upgrade_id, pins(app)) == ("upgrade", turn["turn_id"], ["2.0.0"])
    assert "sails" in h.query(app, "Bea mends", "player")
    assert "nets" not in h.query(app, "Bea mends", "player")
    (result,) = h.say(app, "look")
    assert result["turn_no"] == 4
    assert sound(app)


def test_the_marker_of_a_move_is_not_lost_in_an_upgrade(app: App) -> None:
    h.say(app, "go door")
    newer(app)
    app.upgrades.upgrade("game")
    h.say(app, "look")
    with app.campaigns.reading("game") as store:
        kinds = [[m.type for _, m in store.messages(turn["turn_id"], last=1)] for turn in store.turns()[2:]]
    assert kinds == [["scene_marker"], ["intention", "narration"]]


def test_a_rollback_goes_back_to_the_old_texts_and_redo_and_branches_follow(app: App) -> None:
    h.say(app, "look")
    newer(app, edit("npcs/bea.md", "She mends nets", "She mends sails"))
    app.upgrades.upgrade("game")
    h.say(app, "wait")
    with app.campaigns.reading("game") as store:
        branch(store, turn="1", name="old_ways")
        rollback(store, to="1")
        assert [pin.version for pin in store.campaign().pins] == ["1.0.0"]
        redo(store)
        assert [pin.version for pin in store.campaign().pins] == ["2.0.0"]
        undo(store)
        assert [pin.version for pin in store.campaign().pins] == ["1.0.0"]
        switch(store, "main-turn3")
        assert [pin.version for pin in store.campaign().pins] == ["2.0.0"]
        switch(store, "old_ways")
    assert "nets" in h.query(app, "Bea mends", "player")
    h.say(app, "wait")
    assert sound(app)


def test_an_open_campaign_follows_the_head_over_an_upgrade(app: App) -> None:
    import asyncio

    with app.campaigns.open("game") as campaign:
        asyncio.run(campaign.submit("look"))
        newer(app, edit("npcs/osk.md", "a poor one", "a proud one"))
        open_app(app.workspace.root).upgrades.upgrade("game")
        told = json.loads(asyncio.run(campaign.submit("wait")))
        assert told["turn_no"] == 3
        assert [pin.version for pin in campaign.row.pins] == ["2.0.0"]
        assert campaign.setting.generations[0].manifest.version == "2.0.0"
        undo_played(campaign.store)
        undo_played(campaign.store)
        assert campaign.setting.generations[0].manifest.version == "1.0.0"
        asyncio.run(campaign.submit("look"))
    assert pins(app) == ["1.0.0"]
    assert sound(app)


def test_an_upgrade_that_another_turn_overtook_changes_nothing(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    newer(app)
    upgrades = app.upgrades
    keep = app.campaigns.kept.keep

    def played_meanwhile(root: Path, content_hash: str) -> None:
        keep(root, content_hash)
        h.say(app, "wait")

    monkeypatch.setattr(app.campaigns.kept, "keep", played_meanwhile)
    with pytest.raises(HeadMoved):
        upgrades.upgrade("game")
    assert pins(app) == ["1.0.0"]
    assert sound(app)


def test_an_export_holds_the_texts_of_every_branch(app: App, tmp_path: Path) -> None:
    h.say(app, "look")
    newer(app)
    app.upgrades.upgrade("game")
    h.say(app, "wait")
    with app.campaigns.reading("game") as store:
        rollback(store, to="1")
    exchange.export(app.campaigns, "game", tmp_path / "game.lorewright")
    make_empty_workspace(tmp_path / "away")
    away = open_app(tmp_path / "away")
    exchange.import_campaign(away.campaigns, tmp_path / "game.lorewright")
    assert sound(away)
    assert pins(away) == ["1.0.0"]
    with away.campaigns.reading("game") as store:
        switch(store, "main-turn3")
    assert pins(away) == ["2.0.0"]
    assert h.say(away, "look")


def test_texts_of_every_branch_are_needed_and_missed_when_they_are_gone(app: App) -> None:
    newer(app)
    app.upgrades.upgrade("game")
    with app.campaigns.reading("game") as store:
        undo(store)
    assert {pin.version for pin in app.campaigns.pins().texts} == {"1.0.0", "2.0.0"}
    assert app.packs.needed_by("harbour") == ["game"]
    (newest,) = (pin for pin in app.campaigns.pins().texts if pin.version == "2.0.0")
    (app.campaigns.folder / "packs-kept" / f"{newest.content_hash}.zip").unlink()
    found = check(app.campaigns.path("game"), app.campaigns.kept).findings
    assert [one.code for one in found] == ["text-lost"]


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM upgrade_pins; DELETE FROM upgrades",
        "UPDATE turns SET kind = 'clarification' WHERE kind = 'upgrade'",
    ],
)
def test_an_upgrade_that_does_not_fit_its_turn_is_found(app: App, damage: str) -> None:
    newer(app)
    app.upgrades.upgrade("game")
    with sqlite3.connect(app.campaigns.path("game")) as connection:
        connection.executescript(damage)
    assert "upgrade-turn" in [one.code for one in check(app.campaigns.path("game")).findings]


def test_rules_of_an_upgrade_that_cannot_be_read_are_found(app: App) -> None:
    newer(app)
    app.upgrades.upgrade("game")
    with sqlite3.connect(app.campaigns.path("game")) as connection:
        connection.execute("UPDATE upgrades SET rules_json = '{}'")
    assert [one.code for one in check(app.campaigns.path("game")).findings] == ["rules-unreadable"]


def test_a_pack_that_is_not_installed_stays_and_one_whose_folder_has_moved_on_is_refused(app: App) -> None:
    pack = app.workspace.root / "content_packs" / "harbour"
    newer(app)
    edit("pack.yaml", "version: 2.0.0", "version: 3.0.0")(pack)
    with pytest.raises(PackError, match="holds another text than what is installed"):
        app.upgrades.plan("game")
    app.indexer.remove("harbour")
    plan = app.upgrades.plan("game")
    assert (plan.is_needed, remarks(plan)) == (False, {("pack-missing", "harbour")})
    with pytest.raises(NotFound):
        app.upgrades.plan("nowhere")


def test_a_scenario_file_that_has_changed_is_told_and_stays_out(app: App) -> None:
    path = app.workspace.root / "scenarios" / "night_boat.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("start: tavern", "start: cellar"), encoding="utf-8")
    told = [one.what for one in app.upgrades.plan("game").remarks]
    assert told[0] == "the file is another than the campaign's own, which stays"
    assert any("the file fits no more: start" in one for one in told)
    newer(app)
    assert app.upgrades.upgrade("game").turn_no == 1


def tides(tmp_path: Path) -> App:
    """The harbour by a ruleset of one's own."""
    root = h.write_workspace(tmp_path / "workspace")
    (root / "rulesets").mkdir(exist_ok=True)
    (root / "rulesets" / "tides.yaml").write_text(h.dedent(RULES), encoding="utf-8")
    scenario = root / "scenarios" / "night_boat.yaml"
    scenario.write_text(f"{scenario.read_text(encoding='utf-8')}\nruleset: tides\n", encoding="utf-8")
    app = open_app(root)
    app.campaigns.new("night_boat", campaign_id="game", seed=1)
    return app


def rewritten(app: App, old: str, new: str) -> None:
    path = app.workspace.root / "rulesets" / "tides.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_ruleset_that_describes_more_moves_with_the_state_and_goes_back_with_it(tmp_path: Path) -> None:
    app = tides(tmp_path)
    rewritten(app, "properties: {water", "properties: {wind: {type: integer, default: 2}, water")
    rewritten(app, "scene.water: resolve", "scene.*: resolve")
    plan = app.upgrades.plan("game")
    assert (plan.ruleset.is_other, plan.blocking, remarks(plan)) == (True, (), {("schema", "scene.wind")})
    app.upgrades.upgrade("game")
    with app.campaigns.reading("game") as store:
        held = store.head().state.ruleset
        assert held is not None
        assert (held.value("wind"), held.value("water")) == (2, 4)
        assert "wind" in store.campaign().rules.ruleset.scene_state_schema["properties"]
    assert h.say(app, "look")
    assert sound(app)
    with app.campaigns.reading("game") as store:
        rollback(store, to="0")
        held = store.head().state.ruleset
        assert held is not None
        assert held.value("wind") is None
    assert h.say(app, "look")


def test_a_ruleset_that_the_stored_scene_does_not_fit_is_refused_by_the_field(tmp_path: Path) -> None:
    app = tides(tmp_path)
    rewritten(app, "maximum: 9, default: 4", "maximum: 3, default: 1")
    blocking = app.upgrades.plan("game").blocking
    assert {(one.kind, one.about) for one in blocking} >= {("state-misfit", "scene.water")}
    with pytest.raises(CampaignError, match=r"scene\.water: what is stored does not fit"):
        app.upgrades.upgrade("game")


def test_bands_and_actions_that_are_others_are_told(tmp_path: Path) -> None:
    app = tides(tmp_path)
    rewritten(app, "id: tides", "id: tides\nbands: [{name: success, minimum: 9}, {name: fail, minimum: 0}]")
    assert ("bands", "bands") in remarks(app.upgrades.plan("game"))
    (app.workspace.root / "rulesets" / "tides.yaml").unlink()
    assert remarks(app.upgrades.plan("game")) == {("ruleset-missing", "tides")}


def test_a_campaign_without_packs_is_up_to_date(tmp_path: Path) -> None:
    from support import bare_workspace as b

    app = b.bare_house(tmp_path)
    assert app.upgrades.plan("game").remarks == ()
    assert app.upgrades.upgrade("game").turn_no is None


@pytest.mark.parametrize("table", ["turns", "world_states", "upgrades", "upgrade_pins"])
def test_an_upgrade_that_the_file_refuses_half_way_leaves_it_as_it_was_and_the_next_works(
    app: App, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The file refuses by a trigger, with which it would not be opened.
    monkeypatch.setattr(database, "refuse_foreign_schema", lambda *_, **__: None)
    monkeypatch.setattr(migrations, "_schema", lambda _: {})
    monkeypatch.setattr(migrations, "_made_by", lambda _: {})

    def dump() -> str:
        with closing(sqlite3.connect(app.campaigns.path("game"))) as connection:
            return "\n".join(connection.iterdump())

    def run(sql: str) -> None:
        with closing(sqlite3.connect(app.campaigns.path("game"))) as connection, connection:
            connection.execute(sql)

    h.say(app, "look")
    newer(app)
    run(f"CREATE TRIGGER refuses BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'no'); END")
    before = dump()
    with pytest.raises(sqlite3.IntegrityError):
        app.upgrades.upgrade("game")
    assert dump() == before
    run("DROP TRIGGER refuses")
    assert app.upgrades.upgrade("game").turn_no == 2
    assert sound(app)
