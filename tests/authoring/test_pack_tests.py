"""`pack test`: sections that nothing finds, links without their names, answers that moved, and what a report says."""

from __future__ import annotations

import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lorewright.authoring.pack_baseline import Case, PackReport, junit_xml, read_baseline, write_baseline
from lorewright.authoring.pack_suite import PackTestRun, SuiteOptions, masked_links, sample
from lorewright.errors import PackError, SettingsError
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.lore_indexer import LoreIndexer
from lorewright.packs.loader import load_pack
from support.pack_builder import TOWN, write_pack
from support.pack_test_runs import pack_tests_in

BRIDGE = """---
id: bridge
type: location
related_locations: [bar]
---

# The Long Bridge

The long bridge crosses the harbour on eleven arches of tarred oak.

## Toll

A copper by day and three by night are taken at the wicket by a man who never looks up.
"""

CASES = {"golden": "- {query: who owns the bar, include: [viktor:overview]}\n"}


def run(folder: Path, files: dict[str, str | bytes], *kinds: str, **wanted: object) -> PackTestRun:
    """Test TOWN with some more files."""
    pack = write_pack(folder / "content_packs", TOWN | files)
    only = frozenset(kinds)
    return pack_tests_in(folder).run(str(pack), SuiteOptions(only=only, **wanted))  # type: ignore[arg-type]


def not_passed(tested: PackTestRun) -> dict[str, Case]:
    return {case.name: case for case in tested.report.cases if case.status in ("failed", "warned")}


def test_a_sound_pack_passes(tmp_path: Path) -> None:
    tested = run(tmp_path, {"locations/bridge.md": BRIDGE, "tests/a.yaml": CASES["golden"]})
    assert not_passed(tested) == {}
    assert {case.kind for case in tested.report.cases} == {"golden", "retrievable", "starved"}
    sections = [chunk for chunk in load_pack(tmp_path / "content_packs" / "town").chunks if chunk.text]
    assert len(tested.report.of_kind("retrievable")) == len(sections) == tested.report.sections


def test_a_copy_of_a_section_is_never_retrievable_and_what_stands_in_its_place_is_told(tmp_path: Path) -> None:
    copy = BRIDGE.replace("id: bridge", "id: bridge_old")
    tested = run(tmp_path, {"locations/bridge.md": BRIDGE, "locations/bridge_old.md": copy}, "retrievable")
    found = not_passed(tested)
    assert set(found) == {"town:bridge_old:overview", "town:bridge_old:toll"}
    toll = found["town:bridge_old:toll"]
    assert (toll.status, toll.file, toll.line) == ("failed", "locations/bridge_old.md", 11)
    assert "questions were asked and none did; the answer was " in toll.found
    assert toll.why == "town:bridge:toll says the same (100 % of the words) and goes before it"
    assert toll.hint == "keep one of the two, or say in this one what sets it apart"


def test_a_copy_under_a_title_of_its_own_is_found_by_that_alone(tmp_path: Path) -> None:
    text = "A copper by day and three by night are taken at the wicket by a man who never looks up."
    twice = f"# Ferry\n\nThe ferry is a raft of nine planks.\n\n## Fare\n\n{text}\n"
    tested = run(tmp_path, {"locations/bridge.md": BRIDGE, "z/ferry.md": twice}, "retrievable")
    (case,) = not_passed(tested).values()
    assert (case.name, case.status) == ("town:bridge:toll", "failed")
    assert case.found == "asked in its own words, town:ferry:fare is given in its place; only its title brings it"


@pytest.mark.parametrize(
    ("when", "section_when", "why"),
    [
        (
            "{thread: main_case, status: open}",
            "{thread: main_case, status: closed}",
            "thread main_case would have to be open and closed at once",
        ),
        (
            "{clock: heat, min: 4}",
            "{clock: heat, max: 2}",
            "clock heat would have to be at least 4 and at most 2 at once",
        ),
    ],
)
def test_a_section_under_conditions_that_cannot_hold_together_is_never_retrievable(
    tmp_path: Path, when: str, section_when: str, why: str
) -> None:
    head = f"type: location\nwhen: {when}\nsection_when:\n  Toll: {section_when}\n"
    tested = run(tmp_path, {"locations/bridge.md": BRIDGE.replace("type: location\n", head)}, "retrievable")
    (case,) = not_passed(tested).values()
    assert (case.name, case.status, case.why) == ("town:bridge:toll", "failed", why)
    assert case.found == "it is never found in a campaign: its condition never holds"


SCENARIO = """id: night
start: bar
intro_seed: It rains.
content_packs: [town]
places: {bar: {}}
threads: {main_case: {title: "Where is Jin?"}}
clocks: {heat: {max: 4}}
rules:
  - {"on": {act: persuade, target: viktor}, success: [{thread: main_case, status: solved}]}
cast: {viktor: {at: bar}}
"""


@pytest.mark.parametrize(
    ("when", "status", "why"),
    [
        ("{thread: main_cas, status: open}", "failed", "no scenario that uses the pack has a thread main_cas (night)"),
        ("{clock: cold, min: 1}", "failed", "no scenario that uses the pack has a clock cold (night)"),
        (
            "{clock: heat, min: 5}",
            "warned",
            "in no scenario that uses the pack clock heat rises to 5 (night)",
        ),
        (
            "{thread: main_case, status: lost}",
            "warned",
            "in no scenario that uses the pack thread main_case comes to be lost (night)",
        ),
        (
            "{fact: burned, subject: pier}",
            "warned",
            "no scenario that uses the pack establishes burned of pier (night)",
        ),
        ("{thread: main_case, status: solved}", "passed", ""),
        ("{clock: heat, min: 4}", "passed", ""),
    ],
)
def test_a_condition_is_held_against_the_scenarios_that_use_the_pack(
    tmp_path: Path, when: str, status: str, why: str
) -> None:
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "night.yaml").write_text(SCENARIO, encoding="utf-8")
    head = f"type: location\nsection_when:\n  Toll: {when}\n"
    tested = run(tmp_path, {"locations/bridge.md": BRIDGE.replace("type: location\n", head)}, "retrievable")
    (case,) = [case for case in tested.report.cases if case.name == "town:bridge:toll"]
    assert (case.status, case.why) == (status, why)


def test_an_item_under_a_condition_that_never_holds_is_told_with_its_line(tmp_path: Path) -> None:
    mended = str(TOWN["npcs/mara.md"]).replace(
        "{#radio} The police", "{#radio} (when clock heat > 3 and clock heat < 2) The police"
    )
    tested = run(tmp_path, {"npcs/mara.md": mended}, "retrievable")
    (case,) = not_passed(tested).values()
    assert (case.name, case.line, case.status) == ("town:mara:knows#radio", 17, "failed")


def test_a_section_whose_entry_requires_what_is_never_there_with_it_is_told_so(tmp_path: Path) -> None:
    ruled = BRIDGE.replace("type: location\n", "type: location\nlore: {requires: [tollkeeper]}\n")
    keeper = "---\nid: tollkeeper\ntype: npc\nlore: {requires: [bridge], cooldown: 1}\nwhen: {clock: heat, min: 1}\n---\n\n# Toll Keeper\n"
    tested = run(tmp_path, {"locations/bridge.md": ruled, "npcs/tollkeeper.md": keeper}, "retrievable")
    found = not_passed(tested)
    assert {"town:bridge:overview", "town:bridge:toll"} <= set(found)
    assert found["town:bridge:toll"].status == "failed"
    assert found["town:bridge:toll"].why.startswith("a rule of its entry keeps it out")


def test_an_empty_section_is_told_and_a_title_without_text_is_none(tmp_path: Path) -> None:
    bare = "# Quay\n\n## Boats\n\nNine boats lie at the quay, keel up.\n\n## Nets\n\n## Ropes\n\nTar and hemp.\n"
    tested = run(tmp_path, {"quay.md": bare}, "retrievable")
    (case,) = not_passed(tested).values()
    assert (case.name, case.status, case.line) == ("town:quay:nets", "warned", 7)
    assert case.found == "an empty section: it can never be found"
    assert [one.name for one in tested.report.cases if one.status == "skipped"] == ["town:quay:overview"]


def test_a_section_that_only_its_own_words_bring_starves(tmp_path: Path) -> None:
    """Twelve others have its title in theirs, and in their text."""
    many: dict[str, str | bytes] = {
        f"guilds/{n}.md": f"# Harbour Notes {n}\n\nHarbour notes, harbour notes: notes of the harbour, number {n}, on {word}.\n"
        for n, word in enumerate("eels oars tar rope nets salt crabs wharves sails masts keels buoys".split())
    }
    lost = (
        "# Harbour\n\nThe pilot drowned on a Tuesday.\n\n## Notes\n\nSister Agatha keeps nine hives behind the mint.\n"
    )
    tested = run(tmp_path, many | {"zz.md": lost}, "starved")
    found = not_passed(tested)
    assert "town:zz:notes" in found
    case = found["town:zz:notes"]
    assert (case.kind, case.status, case.line) == ("starved", "warned", 5)
    assert case.found.startswith("only its own words do; in its place: town:")
    assert case.why.startswith("below the cut, rank ")
    golden = {"tests/a.yaml": "- {query: who keeps nine hives behind the mint, include: [zz:notes]}\n"}
    assert "town:zz:notes" not in not_passed(run(tmp_path / "2", many | {"zz.md": lost} | golden, "starved"))


def test_a_golden_query_that_is_not_answered_says_what_stands_in_its_place(tmp_path: Path) -> None:
    golden = "- name: the hand\n  query: Viktor\n  limit: 1\n  include:\n    - hand:overview\n"
    (case,) = not_passed(run(tmp_path, {"tests/a.yaml": golden}, "golden")).values()
    assert (case.name, case.place) == ("the hand", "tests/a.yaml:5")
    assert case.expected == "town:hand:overview in the answer (as gm, 1000 tokens, 1 sections)"
    assert case.found.startswith("town:hand:overview is not in the answer, which is town:viktor:")
    assert case.why == "nothing in the query matches it: no word, name, filter or meaning"


def test_a_file_of_golden_queries_that_cannot_be_read_fails_with_its_line(tmp_path: Path) -> None:
    golden = "- query: Viktor\n  inclde: [hand:overview]\n"
    (case,) = not_passed(run(tmp_path, {"tests/a.yaml": golden}, "golden")).values()
    assert (case.place, case.status) == ("tests/a.yaml:2", "failed")
    assert "did you mean include?" in case.found


def test_a_query_that_needs_meaning_is_skipped_where_nothing_embeds(tmp_path: Path) -> None:
    golden = "- {query: Viktor, needs: meaning, include: [hand:overview]}\n"
    tested = run(tmp_path, {"tests/a.yaml": golden}, "golden")
    (case,) = tested.report.cases
    assert (case.status, case.why) == (
        "skipped",
        "it needs meaning, and nothing is embedded: packs are found by words alone",
    )


def test_the_answer_to_a_player_is_looked_through_for_secrets_whatever_was_expected(tmp_path: Path) -> None:
    blabbing = "# Gossip\n\nIt is said that: Zenith bought his debt of forty thousand.\n"
    golden = "- {query: who bought the debt, viewer: player, exclude: [viktor:withholds]}\n"
    tested = run(tmp_path, {"history/gossip.md": blabbing, "tests/a.yaml": golden}, "golden", "leaks")
    (case,) = not_passed(tested).values()
    assert (case.kind, case.name) == ("leaks", "who bought the debt (as player)")
    assert case.found == "town:gossip:overview tells what is kept in town:viktor:withholds"


GOLDEN = "- name: the toll\n  query: what is taken at the wicket of the bridge\n  include: [bridge:overview]\n"


def test_what_an_answer_lost_since_the_baseline_fails_and_says_where_it_went(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"locations/bridge.md": BRIDGE, "tests/a.yaml": GOLDEN}
    kept = tmp_path / "kept.json"
    write_baseline(kept, run(tmp_path, files, "golden").baseline)
    same = run(tmp_path, files, "golden", baseline=kept)
    assert [(case.kind, case.status, case.found) for case in same.report.cases] == [
        ("golden", "passed", ""),
        ("regression", "passed", ""),
    ]
    cut = BRIDGE[: BRIDGE.index("\n## Toll")]
    (case,) = not_passed(run(tmp_path, files | {"locations/bridge.md": cut}, "golden", baseline=kept)).values()
    assert (case.kind, case.name, case.status) == ("regression", "the toll", "failed")
    assert case.found.startswith("lost: town:bridge:toll")
    assert case.why == "town:bridge:toll was at place 1: there is no such section any more"
    assert "--save-baseline" in case.hint


def test_a_section_that_others_pushed_out_is_told_with_them(tmp_path: Path) -> None:
    golden = "- {name: the toll, query: what is taken at the wicket, limit: 1, exclude: [hand:overview]}\n"
    files: dict[str, str | bytes] = {"locations/bridge.md": BRIDGE, "tests/a.yaml": golden}
    kept = tmp_path / "content_packs" / "town" / "tests" / "baseline.json"
    write_baseline(kept, run(tmp_path, files, "golden").baseline)
    wicket = "# The Wicket\n\nAt the wicket is taken what is taken: taken at the wicket, wicket by wicket.\n"
    (case,) = not_passed(run(tmp_path, files | {"wicket.md": wicket}, "golden")).values()
    assert case.found == "lost: town:bridge:toll; gained: town:wicket:overview (now 1)"
    assert case.why == ("town:bridge:toll was at place 1: below the cut, rank 2; town:wicket:overview stands before it")


def test_a_baseline_of_another_embedder_is_not_compared(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"tests/a.yaml": CASES["golden"]}
    kept = tmp_path / "kept.json"
    write_baseline(kept, run(tmp_path, files, "golden").baseline.model_copy(update={"embedder": "other-1"}))
    tested = run(tmp_path, files, "golden", baseline=kept)
    (case,) = tested.report.of_kind("regression")
    assert (case.status, case.why) == (
        "skipped",
        "the baseline was kept with other-1, and packs are asked with words alone now",
    )


def test_a_new_query_has_no_answer_to_be_held_against(tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    write_baseline(kept, run(tmp_path, {"tests/a.yaml": CASES["golden"]}, "golden").baseline)
    more = CASES["golden"] + "- {query: gulls, include: [pier:overview]}\n"
    tested = run(tmp_path, {"tests/a.yaml": more}, "golden", baseline=kept)
    assert [case.status for case in tested.report.of_kind("regression")] == ["passed", "skipped"]


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": 2, "pack": "x", "embedder": "", "answers": {}}', "\x00"])
def test_what_is_no_baseline_is_refused_with_what_to_do(tmp_path: Path, text: str) -> None:
    path = tmp_path / "kept.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match="is no baseline") as refused:
        read_baseline(path)
    assert "--save-baseline" in str(refused.value.hint)
    with pytest.raises(SettingsError, match="cannot be read"):
        read_baseline(tmp_path / "none.json")


def test_a_link_is_asked_by_its_sentence_without_any_of_its_names(tmp_path: Path) -> None:
    text = "# Docks\n\nOf all its bars the courier likes [[viktor|the barman]]'s best, and Viktor's gin, at night.\n"
    pack = load_pack(write_pack(tmp_path, TOWN | {"docks.md": text}))
    (link,) = [one for one in masked_links(pack) if one.chunk.entity_id == "town:docks"]
    assert link.target == "town:viktor"
    assert link.asked == "Of all its bars the courier likes 's best, and 's gin, at night."


def test_the_section_with_the_link_gives_nothing_away(tmp_path: Path) -> None:
    """Its own words would bring it first, and its link would bring the answer along."""
    text = "# Docks\n\nXylophones quaver zestfully under [[Hand]] every quarter moon.\n"
    tested = run(tmp_path, {"docks.md": text}, "links")
    figures = tested.report.links
    assert figures is not None
    assert [(one.target, one.rank) for one in figures.worst] == [("town:hand", 0)]
    near = "# Docks\n\nA carved thing of wood from a window of a shop: [[Hand]].\n"
    found = run(tmp_path / "2", {"docks.md": near}, "links").report.links
    assert found is not None
    assert (found.asked, found.any_at_1, found.mrr, found.worst) == (1, 1.0, 1.0, ())


def test_the_same_links_are_asked_each_time(tmp_path: Path) -> None:
    text = "".join(f"\n## Part {n}\n\nThe {n}th story of the town begins under [[Hand]] at dusk.\n" for n in range(40))
    links = masked_links(load_pack(write_pack(tmp_path, TOWN | {"docks.md": f"# Docks\n{text}"})))
    assert len(links) == 40
    few = sample(links, 7)
    assert [one.asked for one in few] == [one.asked for one in sample(links, 7)]
    assert few == [one for one in links if one in few]
    assert sample(links, 0) == sample(links, 100) == links


def test_a_pack_without_links_has_no_figures(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "content_packs", {"a.md": "# A\n\nNothing is linked here.\n"}, pack_id="bare")
    assert pack_tests_in(tmp_path).run(str(pack), SuiteOptions(only=frozenset({"links"}))).report.links is None


def test_a_folder_that_is_not_installed_stays_not_installed_and_its_vectors_are_kept(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "elsewhere", TOWN)
    before = sorted(path.name for path in pack.rglob("*"))
    tests = pack_tests_in(tmp_path, HashingEmbedder())
    report = tests.run(str(pack)).report
    assert report.embedder == HashingEmbedder().fingerprint
    assert tests.library.packs() == []
    assert not list(tests.library.generations.glob("*"))
    assert sorted(path.name for path in pack.rglob("*")) == before
    installed = LoreIndexer(tests.library).index_pack(pack)
    assert installed.embedding is not None
    assert installed.embedding.new == 0


def test_an_installed_pack_is_tested_as_its_text_lies_there_now(tmp_path: Path) -> None:
    tests = pack_tests_in(tmp_path)
    pack = write_pack(tmp_path / "elsewhere", TOWN)
    LoreIndexer(tests.library).index_pack(pack)
    write_pack(tmp_path / "elsewhere", {"locations/bridge.md": BRIDGE, "tests/a.yaml": GOLDEN})
    assert not_passed(tests.run("town", SuiteOptions(only=frozenset({"golden"})))) == {}
    assert tests.library.get("town").files == len(TOWN)


def test_what_a_pack_depends_on_is_asked_with_it(tmp_path: Path) -> None:
    write_pack(tmp_path / "content_packs", TOWN)
    manifest = "id: {id}\nname: {id}\nversion: 1.0.0\nlicense: {{type: CC0}}\ndepends_on: [{{id: town}}]\n"
    golden = "- {query: gulls, include: ['town:pier:overview']}\n"
    files: dict[str, str | bytes] = {"a.md": "# A\n\nText of its own.\n", "tests/a.yaml": golden}
    late = write_pack(tmp_path / "content_packs", files, pack_id="late", manifest=manifest)
    tests = pack_tests_in(tmp_path)
    assert not_passed(tests.run(str(late), SuiteOptions(only=frozenset({"golden"})))) == {}
    shutil.rmtree(tmp_path / "content_packs" / "town")
    with pytest.raises(PackError, match="depends on town"):
        tests.run(str(late))


def test_a_pack_with_errors_is_not_tested(tmp_path: Path) -> None:
    pack = write_pack(tmp_path, TOWN | {"bad.md": "---\nid: [\n---\n\n# Bad\n\nText.\n"})
    with pytest.raises(PackError, match=r"town has 1 error") as refused:
        pack_tests_in(tmp_path).run(str(pack))
    assert "pack validate" in str(refused.value.hint)


HOSTILE = 'a <b> & "c" \x1b[31m \x00\ufffe ]]> é 🌊'


def report_of(*cases: Case) -> PackReport:
    return PackReport("town", "1.0.0", "/packs/town", "", 3, cases)


def test_junit_is_well_formed_whatever_stands_in_it_and_counts_what_it_holds() -> None:
    cases = (
        Case("golden", HOSTILE, "tests/a.yaml", 3, "failed", HOSTILE, HOSTILE, HOSTILE, HOSTILE),
        Case("golden", "well", "tests/a.yaml", 1),
        Case("golden", "later", "tests/a.yaml", 9, "skipped", why="it needs meaning"),
        Case("starved", "town:bar:history", "locations/bar.md", 24, "warned", found="only its own words do"),
    )
    root = ElementTree.fromstring(junit_xml(report_of(*cases)).encode())
    assert root.tag == "testsuites"
    assert [suite.get("name") for suite in root] == ["town.golden", "town.starved"]
    for element in (root, *root):
        held = element.findall(".//testcase")
        assert element.get("tests") == str(len(held))
        assert element.get("failures") == str(len(element.findall(".//failure")))
        assert element.get("skipped") == str(len(element.findall(".//skipped")))
        assert (element.get("errors"), element.get("time")) == ("0", "0")
    failed, well, later, starved = root.findall(".//testcase")
    assert (failed.get("classname"), failed.get("file"), failed.get("line")) == ("town.golden", "tests/a.yaml", "3")
    shown = 'a <b> & "c" [31m  ]]> é 🌊'
    assert failed.get("name") == shown
    (failure,) = failed
    assert failure.get("message") == shown
    assert str(failure.text) == f"tests/a.yaml:3\nexpected: {shown}\nfound: {shown}\nwhy: {shown}\nhint: {shown}"
    assert list(well) == []
    assert [(one.tag, one.get("message")) for one in later] == [("skipped", "it needs meaning")]
    assert [(one.tag, one.text) for one in starved] == [
        ("system-out", "warning: locations/bar.md:24\nfound: only its own words do")
    ]


# What readers of JUnit know: https://github.com/testmoapp/junitxml, the elements and attributes that all of them have.
KNOWN = {
    "testsuites": {"name", "tests", "failures", "errors", "skipped", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time"},
    "testcase": {"classname", "name", "file", "line", "time"},
    "failure": {"message", "type"},
    "skipped": {"message"},
    "system-out": set(),
}


def test_junit_holds_nothing_that_its_readers_do_not_know(tmp_path: Path) -> None:
    tested = run(
        tmp_path, {"tests/a.yaml": "- {query: Viktor, include: [hand:overview]}\n", "empty.md": "# E\n\n## F\n"}
    )
    for element in ElementTree.fromstring(junit_xml(tested.report.strictly()).encode()).iter():
        assert set(element.attrib) == KNOWN[element.tag]
    assert junit_xml(tested.report) == junit_xml(tested.report)


def test_strictly_a_warning_fails() -> None:
    report = report_of(Case("starved", "x", "a.md", 1, "warned"), Case("golden", "y", "b.yaml", 1))
    assert (report.count("failed"), report.strictly().count("failed")) == (0, 1)
