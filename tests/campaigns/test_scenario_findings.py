"""What a compiler would say of a scenario."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lorewright.bootstrap import open_app
from lorewright.campaigns.scenarios.checks import find_doubts
from lorewright.campaigns.scenarios.opening import compose
from lorewright.campaigns.scenarios.rulesets import load_ruleset
from lorewright.campaigns.scenarios.scenario import Scenario, load_scenario
from lorewright.errors import NotFound, ScenarioError
from lorewright.packs.files import Finding
from support import harbour as h
from support import hidden_people as folk

PROJECT = Path(__file__).parents[2]
PLAIN = {
    "id": "plain",
    "intro_seed": "Here.",
    "start": "tavern",
    "content_packs": ["harbour"],
    "places": {"tavern": {}},
}


def write(folder: Path, text: str, *, name: str = "night_boat") -> Path:
    root = h.write_workspace(folder / "workspace")
    path = root / "scenarios" / f"{name}.yaml"
    path.write_text(h.dedent(text), encoding="utf-8")
    return path


def found(path: Path) -> list[Finding]:
    return open_app(path.parents[1]).scenarios.findings(path)


def changed(old: str, new: str) -> str:
    assert old in h.SCENARIO
    return h.SCENARIO.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        (
            "at: quay}\n    threads",
            "at: moon}\n    threads",
            "bea:",
            "cast.bea: nothing in the scenario or in harbour is called moon",
        ),
        (
            "mixed: [{reveal: osk/withholds#debt}",
            "mixed: [{reveal: osk/withholds#loan}",
            "mixed:",
            "no pack has an item osk/withholds#loan",
        ),
        ("fail: [{clock: dread}]", "fail: [{clock: dreadful}]", "fail:", "there is no clock dreadful"),
        ("3: [{end: fled}]", "3: [{end: fledd}]", "dread:", "there is no ending fledd"),
        ("key: hatch_key", "key: golden_key", "hatch:", "nothing in the scenario or in harbour is called golden_key"),
        ("content_packs: [harbour]", "content_packs: [ghost]", "content_packs:", "no folder or pack ghost"),
        ("Dread, max: 3", "Dread, max: lots", "dread:", "clocks.dread.max"),
        ("fail: [{clock: dread}]", "fail: [{explode: dread}]", "fail:", "rules.owning_up.fail.1"),
        ("start: tavern", "start: tavern\n    bad: [", "bad:", "column"),
        ("id: night_boat", "id: night_boat\n    ruleset: chess", "ruleset:", "no ruleset chess"),
        ("start: tavern", "start: cellar", "start:", "start: cellar is not among the places"),
    ],
)
def test_what_a_campaign_would_refuse_is_an_error_on_its_line(
    tmp_path: Path, old: str, new: str, line: str, says: str
) -> None:
    path = write(tmp_path, changed(old, new))
    errors = [one for one in found(path) if one.severity == "error"]
    (one,) = [one for one in errors if says in one.message]
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[one.line - 1].strip().startswith(line) or line == "bad:"
    assert one.hint


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("fail: [{clock: dread}]", "fial: [{clock: dread}]", "rules.owning_up.fial: there is no such key; did you mean fail?"),
        ("fail: [{clock: dread}]", "outcome: [{clock: dread}]", "there is no such key; there are check, critical, fail, id,"),
        ("start: tavern", "strat: tavern", "strat: there is no such key; did you mean start?"),
        ("fail: [{clock: dread}]", "fail: [{ending: fled}]", "there is nothing of the kind {ending} (there are announce, "),
        ("fail: [{clock: dread}]", "fail: [{ending: fled}]", "; did you mean end?"),
        ("fail: [{clock: dread}]", "fail: [dread]", "write `{key: value}`, with a key that says the kind"),
        ("fail: [{clock: dread}]", "fail: [{reveal: osk/withholds#debt, sya: x}]", "there is no such key"),
        ("name: Night Boat", "name: Night: Boat", 'a text with a colon needs quotes: key: "a: b"'),
        ("Dread, max: 3", "Dread, and fear, max: 3", "there is no such key; a text with a comma or a colon needs quotes"),
    ],
)  # fmt: skip
def test_a_fault_of_the_form_says_what_was_probably_meant(tmp_path: Path, old: str, new: str, says: str) -> None:
    told = " ".join(f"{one.message} ({one.hint})" for one in found(write(tmp_path, changed(old, new))))
    assert says in told


# What authors wrote when they tried, and what they are told: a part of the line, of the message, of what to do.
SLIPS = [
    ("success: [{reveal", "sucess: [{reveal", "sucess:", "rules.owning_up.sucess: there is no such key; did you mean success?", "scenario_reference"),
    ("3: [{end: fled}]", "3: [{ending: fled}]", "dread:", "there is nothing of the kind {ending}", "as in `at:"),
    ("target: osk,", "target: oskk,", "on: {act: ask", "nothing in the scenario or in harbour is called oskk; did you mean osk (Osk)?", "mend the name"),
    ("at: quay}\n    threads", "at: quai}\n    threads", "bea:", "did you mean quay (The Quay)?", "mend the name"),
    ("fail: [{clock: dread}]", "fail: [{clock: draed}]", "fail:", "there is no clock draed (there are dread); did you mean dread?", "clocks:"),
    ("3: [{end: fled}]", "3: [{end: flde}]", "dread:", "there is no ending flde (there are fled); did you mean fled?", "endings:"),
    ("act: ask", "act: asks", "on:", "did you mean ask?", "use one of them"),
    ("dice: 2d6", "dice: 2dd6", "check:", "write NdM, NdM+K or NdM-K, as in 2d6+1", "mend the dice"),
    ("add: charm", "add: charisma", "check:", "nobody has the trait charisma", "player: {traits: {charisma: 1}}"),
    ("start: tavern", "start: tavern\n    start: tavern", "start:", "the key start comes twice", "leave one of them out"),
    ("say: \"You run, and the fiddle stops behind you.\"", "say: You run, and the fiddle stops behind you.", "fled:", "a text with a comma or a colon needs quotes", ""),
    ("intro_seed: The rain", "intro_seed: The rain: it", "intro_seed:", "a value has a colon in it", "needs quotes"),
    ("start: tavern", "start tavern", "player:", "this line, or the one before it, has no colon", "write `key: value`"),
    ("name: Night Boat", "name: 'Night Boat", "name:", "a quotation mark is opened and never closed", "close it"),
    ("max: 3, at", "max: lots, at", "dread:", "write a whole number", "every: 10 minutes"),
    ("max: 3, at", "max: 3, every: soon, at", "dread:", "write a whole number", "every: 10 minutes"),
    ("on: {act: ask, target: osk, topic: debt}", "on: ask Osk", "on:", "write `key: value` lines", "on: {act: ask"),
    ("check: {dice: 2d6, add: charm}", "check: 2d6", "check:", "write `key: value` lines", "check: {dice: 2d6"),
    ("fail: [{clock: dread}]", "fail: {clock: dread}", "fail:", "write a list", "fail: [{clock: storm"),
    ("on: {act: ask, target: osk, topic: debt}", "on: {act: ask}\n        target: osk", "target:", "it belongs below `on:`", ""),
    ("when: {not: {revealed: osk/withholds#debt}}", "when: {at: quay, has: lantern}", "when:", "there are two conditions in one: write {all: [", ""),
    ("id: night_boat", "id: Night Boat", "id:", "Night Boat is no ID", "night_boat"),
    ("osk: {at: tavern}", "osk: {at: tavern, trust: much}", "osk:", "write a whole number", "cast:"),
    ("rope: {name: coil of rope,", "rope: {name: coil of rope, kind: dor,", "rope:", "write item or door, not dor; did you mean door?", ""),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "says", "hint"), SLIPS)
def test_a_slip_is_answered_with_its_line_what_it_is_and_what_to_do(
    tmp_path: Path, old: str, new: str, line: str, says: str, hint: str
) -> None:
    path = write(tmp_path, changed(old, new))
    lines = path.read_text(encoding="utf-8").splitlines()
    told = [one for one in found(path) if says in one.message]
    assert told, [one.message for one in found(path)]
    assert lines[told[0].line - 1].strip().removeprefix("- ").startswith(line)
    assert told[0].hint
    assert hint in told[0].hint


def test_an_item_is_named_by_the_title_or_the_role_of_its_section(tmp_path: Path) -> None:
    assert [
        one for one in found(write(tmp_path, h.SCENARIO.replace("/withholds#", "/secrets#"))) if one.severity == "error"
    ] == []


def test_a_key_that_comes_twice_is_a_warning_on_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, changed("start: tavern", "start: quay\n    start: tavern"))
    (twice,) = [one for one in found(path) if one.code == "duplicate-yaml-key"]
    assert path.read_text(encoding="utf-8").splitlines()[twice.line - 1] == "start: tavern"
    assert "the key start comes twice" in twice.message


def test_all_errors_of_the_form_are_told_at_once(tmp_path: Path) -> None:
    text = changed("max: 3", "max: lots").replace("minutes: 3", "minutes: -1")
    assert len([one for one in found(write(tmp_path, text)) if one.severity == "error"]) == 3


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        ({"places": {"tavern": {}, "quay": {}}}, "unreachable-place", "no way leads from the start to quay"),
        ({"cast": {"bea": {"at": "offstage"}}}, "offstage", "bea is offstage and never arrives"),
        ({"things": {"d": {"name": "door", "kind": "door", "key": "k"}, "k": {"name": "key", "at": "tavern"}}}, "idle-door", "no way leads through d, so k opens nothing"),
        ({"things": {"k": {"name": "key"}}}, "absent-thing", "k is nowhere, and nothing gives or puts it"),
        ({"rules": [{"on": {"act": "ask", "target": "bea"}, "success": []}]}, "absent-target", "the rule 1 is about bea, which is not in the scenario"),
        ({"rules": [{"on": {"act": "go", "at": "quay"}, "success": []}]}, "absent-target", "is about quay"),
        ({"clocks": {"dread": {"max": 3}}}, "still-clock", "nothing moves the clock dread"),
        ({"clocks": {"dread": {"max": 3, "at": {5: [{"clock": "dread"}]}}}}, "clock-mark", "the clock dread never rises to 5"),
        ({"gauges": {"dread": "What you fear."}}, "gauge-unknown", "the ruleset's scene shows no number dread"),
        ({"endings": {"won": {"say": "Won."}}}, "unreached-ending", "nothing leads to the ending won"),
        (
            {"clocks": {"dread": {"max": 3}}, "endings": {"won": {"say": "Won.", "when": {"not": {"clock": "dread", "min": 4}}}}},
            "clock-mark",
            "the clock dread never rises to 4",
        ),
        (
            {"rules": [{"on": {"act": "wait"}, "check": {"dice": "2d6", "add": "charms"}, "success": []}]},
            "unknown-trait",
            "nobody has the trait charms, so the check adds nothing; did you mean charm?",
        ),
        (
            {"threads": {"t": {"title": "T"}}, "endings": {"won": {"say": "Won.", "when": {"all": [{"thread": "t", "status": "done"}]}}}},
            "unreached-ending",
            "waits for t to be done",
        ),
        ({"deeds": {"leave": []}}, "idle-deed", "no agenda names the deed leave"),
        ({"threats": {"gang": {"title": "They come"}}}, "idle-threat", "nothing announces the threat gang"),
        ({"situations": {"rain": {}}}, "idle-situation", "nothing begins the situation rain"),
        (
            {"threads": {"who": {"title": "Who?", "inquiry": {"needed": 2}}}},
            "open-inquiry",
            "who needs 2 steps, and there are 0 clues",
        ),
        ({}, "no-demo", "there is no demo"),
    ],
)  # fmt: skip
def test_what_is_probably_not_meant_is_a_warning(change: dict[str, object], code: str, says: str) -> None:
    ruleset, _ = load_ruleset("freeform")
    told = find_doubts(Scenario.model_validate({**PLAIN, **change}), ruleset)
    assert says in " ".join(one.message for one in told if one.code == code)
    unchanged = find_doubts(Scenario.model_validate({**PLAIN, "demo": ["look"]}), ruleset)
    assert unchanged == []


def test_a_locked_door_without_key_is_told_unless_something_unlocks_it() -> None:
    ruleset, _ = load_ruleset("freeform")
    doors = {
        "places": {"tavern": {"exits": {"out": {"to": "quay", "via": "d"}}}, "quay": {}},
        "things": {"d": {"name": "door", "kind": "door", "locked": True}},
        "demo": ["look"],
    }
    assert [one.code for one in find_doubts(Scenario.model_validate({**PLAIN, **doors}), ruleset)] == ["shut-door"]
    opened = {"rules": [{"on": {"act": "wait"}, "success": [{"unlock": "d"}]}]}
    assert find_doubts(Scenario.model_validate({**PLAIN, **doors, **opened}), ruleset) == []


@pytest.mark.campaign
def test_the_scenario_that_ships_has_no_findings_and_its_demo_plays(tmp_path: Path) -> None:
    app = open_app(PROJECT)
    path = PROJECT / "scenarios" / "dead_drop.yaml"
    assert app.scenarios.findings(path) == []
    assert app.scenarios.demo_findings(path, app.rehearsal(tmp_path)) == []


def test_lines_of_a_demo_that_do_not_work_are_told(tmp_path: Path) -> None:
    path = write(tmp_path, h.SCENARIO + '    demo: [look, "ask Bea about Lin", "frobnicate quietly"]\n')
    app = open_app(path.parents[1])
    told = app.scenarios.demo_findings(path, app.rehearsal(tmp_path / "demo"))
    assert [one.code for one in told] == ["demo-line", "demo-line"]
    assert "line 2 is refused" in told[0].message
    assert "line 3 is asked back" in told[1].message


@pytest.mark.campaign
def test_scenarios_are_listed_with_whether_their_packs_are_here(tmp_path: Path) -> None:
    path = write(tmp_path, h.SCENARIO.replace("[harbour]", "[harbour, ghost]"), name="far")
    (path.parent / "broken.yaml").write_text("id: [", encoding="utf-8")
    listed, broken = open_app(path.parents[1]).scenarios.listed()
    by_file = {one.file: one for one in listed}
    assert (by_file["night_boat.yaml"].packs, by_file["night_boat.yaml"].packs_here) == (("harbour",), True)
    assert by_file["far.yaml"].packs_here is False
    assert [one.name for one in broken] == ["broken.yaml"]


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no scenario at"):
        found(tmp_path / "nowhere.yaml")


def test_the_fields_of_the_seed_are_kept_with_the_campaign(tmp_path: Path) -> None:
    more = """
    stakes: Her life, and a cage.
    goals: {player: find her}
    scene_seed: {weather: rain}
    calibration: {tone: grim}
    genre_rules: {magic: none}
    system: {dice: 2d6}
    entities:
      - {id: lin, type: npc, name: Lin of the birds, tags: [missing], attrs: {cage: empty}}
      - {id: captain, type: npc, name: the captain}
    """
    path = write(tmp_path, h.SCENARIO + more[1:])
    app = open_app(path.parents[1])
    assert [one for one in found(path) if one.severity == "error"] == []
    row = app.campaigns.new("night_boat", campaign_id="game", seed=1)
    kept = row.scenario
    assert (kept["scene_seed"], kept["calibration"], kept["genre_rules"]) == (
        {"weather": "rain"},
        {"tone": "grim"},
        {"magic": "none"},
    )
    with app.campaigns.reading("game") as store:
        entities = store.head().state.entities
    lin, captain = entities["harbour:lin"], entities["game:captain"]
    assert (lin.name, lin.attrs["cage"], lin.pack_entity_id) == ("Lin of the birds", "empty", "harbour:lin")
    assert "Lin" in lin.aliases
    assert (captain.type, captain.origin) == ("npc", "campaign")


def test_places_people_and_things_may_be_the_scenarios_own_or_a_packs(tmp_path: Path) -> None:
    text = h.SCENARIO.replace(
        "quay: {exits: {tavern: {to: tavern, minutes: 3}}}",
        "quay: {exits: {tavern: {to: tavern, minutes: 3}, boat: {to: boat}}}\n      boat: {name: The Night Boat, exits: {ashore: {to: quay}}}",
    )
    text = text.replace("cast:\n", "cast:\n      mate: {at: boat, name: The Mate, pronoun: she}\n").replace(
        "rope: {name: coil of rope,", "rope: {name: coil of rope, entity: lin,"
    )
    path = write(tmp_path, text)
    app = open_app(path.parents[1])
    app.campaigns.new("night_boat", campaign_id="game", seed=1)
    told = h.say(app, "take the rope", "go door", "go boat", "look at the mate", "look at the rope")
    assert "The Night Boat" in told[2]["final_text"].replace("the Night Boat", "The Night Boat")
    assert "A bird seller who has not been seen for a week." in told[4]["final_text"]
    assert [one["file_path"] for one in told[4]["citations"]] == ["npcs/lin.md"]


def test_a_map_joins_places_both_ways_unless_it_says_otherwise(tmp_path: Path) -> None:
    start = h.SCENARIO.index("    places:")
    end = h.SCENARIO.index("    things:")
    mapped = "    places: {tavern: {}, quay: {}}\n    map:\n      - {from: tavern, to: quay, name: door, back: tavern, minutes: 3}\n      - {from: tavern, to: quay, name: cellar, via: hatch, one_way: true}\n"
    by_map = write(tmp_path / "a", h.SCENARIO[:start] + mapped + h.SCENARIO[end:])
    by_exits = write(tmp_path / "b", h.SCENARIO)
    states = []
    for path in (by_map, by_exits):
        app = open_app(path.parents[1])
        app.campaigns.new("night_boat", campaign_id="game", seed=1)
        with app.campaigns.reading("game") as store:
            states.append(store.head().state)
    assert states[0].exits == states[1].exits


def test_what_the_cast_has_set_out_to_do_happens_when_a_clock_has_risen(tmp_path: Path) -> None:
    text = h.SCENARIO.replace(
        "bea: {at: quay}", "bea: {at: offstage, agenda: [{when: {clock: dread, min: 1}, do: come_in}]}"
    )
    text = text.replace("2: [{arrive: bea}], ", "").replace(
        "    threads:", "    deeds: {come_in: [{arrive: bea}]}\n    threads:"
    )
    text = text.replace("rules:\n", "rules:\n      - {id: dawdling, on: {act: wait}, success: [{clock: dread}]}\n")
    path = write(tmp_path, text)
    app = open_app(path.parents[1])
    assert [one.code for one in found(path)] == ["no-demo"]
    app.campaigns.new("night_boat", campaign_id="game", seed=1)
    (told,) = h.say(app, "wait")
    assert "Bea" in told["final_text"]


@pytest.mark.parametrize(
    ("agenda", "says"),
    [
        ("{when: {clock: dread, min: 1}, do: dance}", "cast.bea.agenda.1: there is no deed dance"),
        ("{when: {clock: hope, min: 1}, do: []}", "cast.bea.agenda.1: there is no clock hope"),
        ("{when: {clock: dread, min: 1}, do: [{arrive: nobody}]}", "called nobody"),
    ],
)
def test_an_agenda_that_names_what_is_not_there_is_refused(tmp_path: Path, agenda: str, says: str) -> None:
    path = write(tmp_path, h.SCENARIO.replace("bea: {at: quay}", f"bea: {{at: quay, agenda: [{agenda}]}}"))
    with pytest.raises(ScenarioError) as caught:
        open_app(path.parents[1]).campaigns.new("night_boat")
    assert says in caught.value.message
    assert says in " ".join(one.message for one in found(path))


def test_what_is_composed_does_not_depend_on_the_order_of_the_cast(tmp_path: Path) -> None:
    scenario = load_scenario(write(tmp_path, h.SCENARIO))
    app = open_app(tmp_path / "workspace")
    pack, _ = app.explorer.pack_of_id("harbour")
    generation = app.library.open(pack.key)
    ruleset, _ = load_ruleset("freeform")
    turned = scenario.model_copy(update={"cast": dict(reversed(scenario.cast.items()))})
    states = [compose(one, ruleset, [generation], campaign_id="c", source="s").state for one in (scenario, turned)]
    generation.close()
    assert states[0].content_hash() == states[1].content_hash()
    assert json.loads(states[0].to_json())["positions"]["harbour:osk"] == "harbour:tavern"


DOOR = "hatch: {name: hatch, kind: door, at: [tavern, quay], locked: true, key: hatch_key}"


@pytest.mark.parametrize(
    ("door", "says"),
    [
        (DOOR.replace("key: hatch_key", "bolt_at: cellar"), "things.hatch: nothing in the scenario"),
        (DOOR.replace("key: hatch_key", "bolt_at: bea"), "things.hatch: bea is not among the places"),
        (DOOR.replace("kind: door", "kind: item, shut_bars: true"), "only a door can bar the way or have a bolt"),
    ],
)
def test_a_bolt_is_in_a_place_and_only_a_door_bars(door: str, says: str, tmp_path: Path) -> None:
    errors = [one for one in found(write(tmp_path, changed(DOOR, door))) if one.severity == "error"]
    assert any(says in one.message for one in errors)


def test_a_door_with_nothing_but_a_bolt_can_be_opened(tmp_path: Path) -> None:
    bolted = found(write(tmp_path, changed(DOOR, DOOR.replace("key: hatch_key", "shut_bars: true, bolt_at: quay"))))
    assert "shut-door" not in {one.code for one in bolted}


def test_a_bolt_where_its_door_is_not_is_remarked_on(tmp_path: Path) -> None:
    text = changed(DOOR, DOOR.replace("key: hatch_key", "bolt_at: loft"))
    places = "quay: {exits: {tavern: {to: tavern, minutes: 3}}}"
    text = text.replace(places, f"{places}\n      loft: {{name: the loft, exits: {{down: {{to: tavern}}}}}}")
    assert "idle-bolt" in {one.code for one in found(write(tmp_path, text))}


@pytest.mark.campaign
def test_somebody_hidden_who_stands_on_stage_from_the_beginning_is_remarked_on(tmp_path: Path) -> None:
    on_stage = folk.scenario().replace("wren: {at: yard}", "wren: {at: taproom}")
    renamed = folk.scenario().replace("wren: {at: yard}", "wren: {at: taproom, name: the nun}")
    told = folk.scenario().replace("It rains.", "Somebody speaks of Order of Ash.")
    assert shown_in(tmp_path / "staged", on_stage) == ["Sister Wren"]
    assert shown_in(tmp_path / "renamed", renamed) == []
    assert shown_in(tmp_path / "told", told) == ["Order of Ash"]
    assert shown_in(tmp_path / "kept", folk.scenario()) == []


def shown_in(root: Path, text: str) -> list[str]:
    folk.inn(root, text=text)
    remarks = found(root / "scenarios" / "night_at_the_inn.yaml")
    told = [one.message for one in remarks if one.code == "shows-hidden"]
    return [one.removeprefix("players know ").partition(" from the beginning")[0] for one in told]
