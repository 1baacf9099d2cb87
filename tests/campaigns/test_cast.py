"""What a scenario and its packs say of how the cast acts: looked up, checked, composed, taken along by an upgrade."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.packs.files import Finding
from lorewright.packs.pack_loader import PackLoader
from lorewright.rules.actions import ANYBODY, CastRule
from lorewright.rules.rulesets import CampaignRules
from support import harbour as h

BEA = "bea: {at: quay}"
OSK = "osk: {at: tavern}"
WARNING = (
    "osk: {at: tavern, chattiness: 0.6, acts: [{id: warn, when: {regard: osk, min: 1}, "
    "do: {type: tell, target: you, item: osk/knows#boat, whisper: true}, say: Osk leans over., thought: Now., once: true}, "
    "{do: {type: attempt, topic: count the coins again}, say: [One., Two.]}]}"
)


def scenario(osk: str = OSK, *, bea: str = BEA, more: str = "profile: stream") -> str:
    text = h.SCENARIO.replace(OSK, osk, 1).replace(BEA, bea, 1)
    assert osk in text and bea in text
    return text.replace("start: tavern", f"{more}\n    start: tavern", 1)


def workspace(folder: Path, text: str, **files: str) -> App:
    root = h.write_workspace(folder / "workspace")
    (root / "scenarios" / "night_boat.yaml").write_text(h.dedent(text), encoding="utf-8")
    for name, front in files.items():
        path = root / "content_packs" / "harbour" / "npcs" / f"{name}.md"
        path.write_text(
            path.read_text(encoding="utf-8").replace("type: npc\n", f"type: npc\n{front}\n"), encoding="utf-8"
        )
    return open_app(root)


def rules(app: App) -> CampaignRules:
    app.campaigns.new("night_boat", campaign_id="game", seed=1)
    with app.campaigns.reading("game") as store:
        return store.campaign().rules


def findings(app: App) -> list[Finding]:
    return [
        one
        for one in app.scenarios.findings(app.workspace.root / "scenarios" / "night_boat.yaml")
        if one.code != "no-demo"
    ]


def test_acts_have_qualified_ids_and_what_is_not_said_is_as_for_anybody(tmp_path: Path) -> None:
    found = rules(workspace(tmp_path, scenario(WARNING)))
    assert found.profile == "stream"
    assert found.of_cast("harbour:bea") == ANYBODY
    osk = found.of_cast("harbour:osk")
    warn, count = osk.acts
    assert (osk.chattiness, osk.baked, warn.id, count.id) == (0.6, False, "warn", "act_2")
    assert warn.do.model_dump(exclude_defaults=True) == {
        "type": "tell", "target": "game:player", "item": "harbour:osk:knows#boat", "whisper": True,
    }  # fmt: skip
    assert warn.when is not None and warn.when.model_dump(by_alias=True)["regard"] == "harbour:osk"
    assert (warn.say, warn.thought, warn.once) == (("Osk leans over.",), "Now.", True)
    assert count.say == ("One.", "Two.")
    assert count.do.action("harbour:osk").words == "count the coins again"


def test_a_campaign_has_the_profile_of_its_ruleset_unless_the_scenario_says_another(tmp_path: Path) -> None:
    assert rules(workspace(tmp_path / "a", scenario(more="ruleset: freeform"))).profile == "freeform"
    assert rules(workspace(tmp_path / "b", scenario(more="profile: ensemble"))).profile == "ensemble"


def test_a_note_says_how_somebody_acts_and_the_scenario_goes_before_it(tmp_path: Path) -> None:
    front = "chattiness: 0.9\nbaked: true\nagenda: Have the axolotl\n  out of the cellar."
    app = workspace(tmp_path, scenario("osk: {at: tavern, baked: false}"), bea=front, osk=front)
    found = rules(app)
    assert found.of_cast("harbour:bea") == CastRule(
        goal="Have the axolotl out of the cellar.", baked=True, chattiness=0.9
    )
    assert found.of_cast("harbour:osk").baked is False
    with app.campaigns.reading("game") as store:
        # What they are after is no part of what one sees of them.
        assert dict(store.head().state.entities["harbour:bea"].attrs) == {}


def test_a_goal_of_the_scenario_goes_before_the_agenda_of_a_note(tmp_path: Path) -> None:
    text = scenario(more="goals: {bea: Mend every net.}")
    found = rules(workspace(tmp_path, text, bea="agenda: Sleep.", osk="agenda: Sleep."))
    assert (found.of_cast("harbour:bea").goal, found.of_cast("harbour:osk").goal) == ("Mend every net.", "Sleep.")


@pytest.mark.parametrize(
    ("act", "says"),
    [
        ("{do: {type: yodel}}", "there is no act yodel (there are "),
        ("{do: {type: go}}", "to go somebody needs `to`"),
        ("{do: {type: go, to: moon}}", "nothing in the scenario or in harbour is called moon"),
        ("{do: {type: go, to: lin}}", "lin is not among the places"),
        ("{do: {type: tell, target: you}}", "to tell somebody needs `item`, what is known, or `topic`"),
        ("{do: {type: tell, target: you, item: osk/knows#moon}}", "no pack has an item osk/knows#moon"),
        ("{do: {type: tell, target: rope, topic: a secret}}", "rope is not in the cast (nor you)"),
        ("{do: {type: ask, target: you}}", "to ask somebody needs `topic`"),
        ("{do: {type: give, target: you}}", "to give somebody needs `item`"),
        ("{do: {type: use}}", "to use somebody needs `item` or `target`"),
        ("{do: {type: wait, item: rope}}", "wait takes no `item`"),
        ("{do: {type: wait, to: quay}}", "wait takes none: leave it out"),
        ("{do: {type: wait, whisper: true}}", "wait cannot be whispered"),
        ("{when: {has: sun}, do: {type: wait}}", "nothing in the scenario or in harbour is called sun"),
        ("{id: act_2, do: {type: wait}}, {do: {type: wait}}", "there is an act act_2 before it"),
    ],
)  # fmt: skip
def test_what_only_a_turn_would_find_out_is_an_error_on_its_line(tmp_path: Path, act: str, says: str) -> None:
    head = "osk:\n        at: tavern\n        acts:\n          - "
    app = workspace(tmp_path, scenario(f"{head}{act.replace('}}, {', '}}' + chr(10) + '          - {')}"))
    errors = [one for one in findings(app) if one.severity == "error"]
    (one,) = [one for one in errors if says in one.message and ".acts." in one.message]
    lines = (app.workspace.root / "scenarios" / "night_boat.yaml").read_text(encoding="utf-8").splitlines()
    assert lines[one.line - 1].strip().startswith("- {") and "do:" in lines[one.line - 1]
    assert one.hint


@pytest.mark.parametrize(
    ("osk", "says"),
    [
        ("osk: {at: tavern, chattiness: 2}", "cast.osk.chattiness"),
        ("osk: {at: tavern, chattiness: .nan}", "cast.osk.chattiness"),
        ("osk: {at: tavern, baked: loudly}", "cast.osk.baked: write true or false"),
        ("osk: {at: tavern, acts: [{do: {type: wait, why: dunno}}]}", "there is no such key"),
        ("osk: {at: tavern, acts: [{say: Hm.}]}", "is missing, and must be there"),
        ("osk: {at: tavern, acts: [{do: {type: wait}, say: ''}]}", "is empty; write text"),
    ],
)
def test_a_value_that_is_not_of_its_type_is_an_error_of_the_form(tmp_path: Path, osk: str, says: str) -> None:
    assert says in " ".join(one.message for one in findings(workspace(tmp_path, scenario(osk))))


def test_an_unknown_profile_is_an_error(tmp_path: Path) -> None:
    (one,) = findings(workspace(tmp_path, scenario(more="profile: chorus")))
    assert one.severity == "error" and "profile" in one.message


def test_acts_that_nobody_will_ever_do_are_doubted(tmp_path: Path) -> None:
    act = "acts: [{do: {type: wait}}]"
    still = workspace(tmp_path / "a", scenario(f"osk: {{at: tavern, {act}}}", more="profile: freeform"))
    mute = workspace(tmp_path / "b", scenario(f"osk: {{at: tavern, chattiness: 0, {act}}}"))
    asked = workspace(
        tmp_path / "c", scenario("osk: {at: tavern, acts: [{when: {did: wave, by: bea}, do: {type: wait}}]}")
    )
    baked = workspace(tmp_path / "d", scenario(f"osk: {{at: tavern, chattiness: 0, baked: true, {act}}}"))
    assert [[one.code for one in findings(app)] for app in (still, mute, asked, baked)] == [
        ["idle-acts"],
        ["idle-acts"],
        ["unknown-act"],
        [],
    ]


def test_a_value_of_a_note_that_cannot_be_used_is_found_and_left_out(tmp_path: Path) -> None:
    app = workspace(tmp_path, scenario(), bea="chattiness: 3\nbaked: often\nagenda: [a, b]")
    assert rules(app).of_cast("harbour:bea") == ANYBODY
    checked = PackLoader(app.workspace.root / "content_packs").check_pack(
        app.workspace.root / "content_packs" / "harbour"
    )
    told = {(one.code, one.message.split()[0]) for one in checked.findings if one.file.endswith("bea.md")}
    assert {("bad-chattiness", "chattiness"), ("wrong-type", "baked"), ("wrong-type", "agenda")} <= told


def test_an_upgrade_takes_along_how_notes_say_that_people_act_and_keeps_the_profile(tmp_path: Path) -> None:
    app = workspace(tmp_path, scenario(), bea="chattiness: 0.2")
    rules(app)
    pack = app.workspace.root / "content_packs" / "harbour"
    for name, old, new in (("pack.yaml", "1.0.0", "2.0.0"), ("npcs/bea.md", "chattiness: 0.2", "chattiness: 0.8")):
        path = pack / name
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    app.packs.install(pack)
    assert ("cast", "harbour:bea") in {(one.kind, one.about) for one in app.upgrades.plan("game").remarks}
    app.upgrades.upgrade("game")
    with app.campaigns.reading("game") as store:
        now = store.campaign().rules
    assert (now.profile, now.of_cast("harbour:bea").chattiness) == ("stream", 0.8)


def test_an_agenda_of_a_note_is_an_agenda_like_any_other(tmp_path: Path) -> None:
    app = workspace(tmp_path, scenario(), bea="agenda: Sleep until the boat is back.")
    rules(app)
    with app.campaigns.open("game") as campaign:
        assert campaign.setting.agendas["harbour:bea"].goal == "Sleep until the boat is back."
