"""Golden queries: read from a pack's folder with every fault named by its line, and judged by what is answered."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lorewright.authoring.golden import Golden, GoldenQuery, golden_in, golden_schema, misses, read_golden
from lorewright.authoring.judging import Judged
from lorewright.authoring.judging import judge as judge_golden
from lorewright.errors import PackError
from lorewright.index.generation import Generation
from support.pack_builder import TOWN, opened_packs, write_pack

Town = tuple[Generation, ...]
WITHHOLDS = "town:viktor:withholds"


def read(folder: Path, text: str | bytes, *, name: str = "golden.yaml") -> tuple[Golden, ...]:
    return read_golden(write_pack(folder, {f"tests/{name}": text}))


def faults(folder: Path, text: str | bytes) -> list[str]:
    with pytest.raises(PackError) as refused:
        read(folder, text)
    return refused.value.message.splitlines()


def test_a_pack_without_tests_has_none(tmp_path: Path) -> None:
    assert read_golden(write_pack(tmp_path, TOWN)) == ()
    assert read(tmp_path / "empty", "[]") == ()


def test_every_file_is_read_in_order_and_each_query_knows_its_line(tmp_path: Path) -> None:
    folder = write_pack(
        tmp_path,
        {
            "tests/b.yml": "- {query: third, include: [a:b:c]}\n",
            "tests/a.yaml": "# first\n- query: first\n  include: [a:b:c]\n\n- query: second\n  viewer: player\n  budget: 60\n  exclude: [a:b:c~2, d:e:f]\n",
            "tests/notes.md": "- query: nothing\n",
            "tests/.draft.yaml": "what",
            "tests/deeper/c.yaml": "what",
        },
    )
    assert [(one.place, one.query.query) for one in read_golden(folder)] == [
        ("tests/a.yaml:2", "first"),
        ("tests/a.yaml:5", "second"),
        ("tests/b.yml:1", "third"),
    ]
    second = read_golden(folder)[1].query
    assert (second.viewer, second.budget, second.exclude) == ("player", 60, ("a:b:c~2", "d:e:f"))
    assert read_golden(folder)[0].query == GoldenQuery(query="first", viewer="gm", budget=1000, include=("a:b:c",))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- query: x\n  inclde: [a:b:c]\n", "tests/golden.yaml:2: inclde: there is no such key; did you mean include?"),
        ("- query: x\n  include: [a:b:c]\n- include: [a:b:c]\n", "tests/golden.yaml:3: ask something: query, scene,"),
        ("- query: x\n", "tests/golden.yaml:1: name a chunk under include or exclude, or a sentence"),
        ("- query: x\n  include: [a:b:c]\n  exclude: [a:b:c]\n", "tests/golden.yaml:1: a:b:c is to be both"),
        ("- query: x\n  include: [b:c]\n  exclude: [b:c]\n", "tests/golden.yaml:1: b:c is to be both"),
        (
            "- query: x\n  include:\n    - a:b:c\n    - viktor\n",
            "tests/golden.yaml:4: include.1: viktor is none: a section's ID is ENTITY:SECTION or PACK:ENTITY:SECTION",
        ),
        (
            "- query: x\n  viewer: viktor\n  include: [a:b:c]\n",
            "tests/golden.yaml:2: viewer: viktor is none: one of gm, player, npc:ID",
        ),
        ("- query: x\n  budget: 0\n  include: [a:b:c]\n", "tests/golden.yaml:2: budget: Input should be greater"),
        ("- query: x\n  limit: 0\n  include: [a:b:c]\n", "tests/golden.yaml:2: limit: Input should be greater"),
        (
            "- query: x\n  top: 2\n  exclude: [a:b:c]\n",
            "tests/golden.yaml:1: top limits the place of the chunks under include",
        ),
        (
            "- query: x\n  top: 20\n  include: [a:b:c]\n",
            "tests/golden.yaml:1: top is 20, and the answer has at most 10",
        ),
        (
            "- scene: {location: bar, presnt: [x]}\n  include: [a:b:c]\n",
            "tests/golden.yaml:1: scene.presnt: there is no such key; did you mean present?",
        ),
        (
            "- scene: {location: bar}\n  tags: [x]\n  include: [a:b:c]\n",
            "tests/golden.yaml:1: a scene brings its filters",
        ),
        (
            "- query: x\n  viewer: player\n  revealed: [viktor:withholds]\n  include: [a:b:c]\n",
            "tests/golden.yaml:3: revealed.0: viktor:withholds is none: an item's ID is",
        ),
        ("- query: x\n  revealed: ['a:b#c']\n  include: [a:b:c]\n", "tests/golden.yaml:1: the game master knows"),
        (
            "- query: x\n  given: {clocks: {heat: hot}}\n  include: [a:b:c]\n",
            "tests/golden.yaml:2: given.clocks.heat: ",
        ),
        (
            "- {query: x, name: one, include: [a:b:c]}\n- {query: y, name: one, include: [a:b:c]}\n",
            "tests/golden.yaml:2: name: “one” is the name of tests/golden.yaml:1, too",
        ),
        ("- query: x\n  query: y\n  include: [a:b:c]\n", "tests/golden.yaml:2: query is written twice"),
        ("query: x\n", "tests/golden.yaml:1: golden queries are a list"),
        ("", "tests/golden.yaml:1: golden queries are a list"),
        ("- just words\n", "tests/golden.yaml:1: Input should be a valid dictionary"),
        ("- query: [x\n", "tests/golden.yaml:2: "),
        ("- &a {query: x}\n- *a\n", "tests/golden.yaml:1: anchors and aliases are not read"),
        (b"- query: \xff\n", "tests/golden.yaml:1: the file is not UTF-8"),
        ("#" * 300_000, "tests/golden.yaml:1: over 256 KiB"),
    ],
)
def test_a_fault_is_told_with_its_file_and_line(text: str | bytes, says: str, tmp_path: Path) -> None:
    assert any(fault.startswith(says) for fault in faults(tmp_path, text)), faults(tmp_path, text)


def test_faults_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    write_pack(tmp_path, {"tests/other.yaml": "- {query: x, quiery: y, include: [a:b:c]}\n"})
    told = faults(tmp_path, "- query: x\n  budget: much\n  viewer: me\n  include: [a:b:c]\n")
    assert [fault.split(" ")[0] for fault in told] == [
        "tests/golden.yaml:3:",
        "tests/golden.yaml:2:",
        "tests/other.yaml:1:",
    ]


def test_a_link_out_of_the_pack_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text("- {query: x, include: [a:b:c]}\n")
    folder = write_pack(tmp_path, TOWN)
    (folder / "tests").mkdir()
    (folder / "tests" / "golden.yaml").symlink_to(tmp_path / "outside.yaml")
    with pytest.raises(PackError, match=r"tests/golden\.yaml:1: the link leads out of the pack"):
        read_golden(folder)


def test_a_folder_that_is_a_link_is_not_looked_into(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "golden.yaml").write_text("what")
    folder = write_pack(tmp_path, TOWN)
    (folder / "tests").symlink_to(tmp_path / "outside")
    assert read_golden(folder) == ()


def asked(town: Town, query: str, **fields: object) -> tuple[str, ...]:
    return misses(town, GoldenQuery.model_validate({"query": query, **fields}))


def test_what_is_answered_as_expected_misses_nothing(town: Town) -> None:
    assert asked(town, "Zenith bought his debt", include=[WITHHOLDS], exclude=["town:hand:overview"]) == ()
    assert asked(town, "Zenith bought his debt", viewer="player", exclude=[WITHHOLDS]) == ()


def test_a_chunk_that_is_not_in_the_answer_is_told_with_what_is(town: Town) -> None:
    (said,) = asked(town, "wooden hand", viewer="player", include=["town:pier:access"])
    assert said == "town:pier:access is not in the answer, which is town:hand:overview"


def test_a_chunk_that_should_not_be_in_the_answer_is_told_with_its_place(town: Town) -> None:
    (said,) = asked(town, "Zenith bought his debt", exclude=[WITHHOLDS])
    assert said.startswith(f"{WITHHOLDS} is in the answer, at place 1 of ")


def test_a_chunk_beyond_the_budget_is_not_in_the_answer(town: Town) -> None:
    answer = "jukebox below the railway, boilers behind the wall"
    both = ["town:bar:overview", "town:bar:history", "town:bar:atmosphere"]
    assert asked(town, answer, include=both) == ()
    assert asked(town, answer, include=both, budget=12) != ()


@pytest.mark.parametrize("key", ["include", "exclude"])
def test_a_name_that_is_no_chunk_is_told_wherever_it_stands(town: Town, key: str) -> None:
    named = {key: ["town:viktor:witholds"]}
    assert asked(town, "Zenith", **named) == ("there is no chunk town:viktor:witholds",)
    (miss,) = judge_golden(town, GoldenQuery.model_validate({"query": "Zenith", **named})).misses
    assert miss.hint == "did you mean town:viktor:withholds?"


def test_open_lore_that_tells_what_somebody_keeps_back_is_no_answer_for_a_player(tmp_path: Path) -> None:
    blabbing = TOWN | {"history/gossip.md": "# Gossip\n\nIt is said that: Zenith bought his debt of forty thousand.\n"}
    with opened_packs(tmp_path, {"town": blabbing}) as town:
        query = {"include": ["town:gossip:overview"]}
        (said,) = asked(town, "who bought the debt", viewer="player", **query)
        assert said == "town:gossip:overview tells what is kept in town:viktor:withholds"
        assert asked(town, "who bought the debt", **query) == ()


def judge(town: Town, **fields: object) -> Judged:
    return judge_golden(town, GoldenQuery.model_validate(fields))


def test_a_bare_section_is_one_of_the_pack_of_the_file(tmp_path: Path) -> None:
    (one,) = read(tmp_path, "- {query: x, include: [viktor:knows], exclude: [other:viktor:withholds]}\n")
    assert (one.query.include, one.query.exclude) == (("town:viktor:knows",), ("other:viktor:withholds",))


def test_what_can_be_read_is_had_beside_what_is_wrong(tmp_path: Path) -> None:
    folder = write_pack(tmp_path, TOWN | {"tests/a.yaml": "what", "tests/b.yaml": "- {query: x, include: [a:b]}\n"})
    found, faults = golden_in(folder)
    assert [one.place for one in found] == ["tests/b.yaml:1"]
    assert [str(one) for one in faults] == ["tests/a.yaml:1: golden queries are a list: `- query: …`"]


def test_one_bad_query_stops_no_other_of_its_file(tmp_path: Path) -> None:
    text = "- {query: one, include: [a:b]}\n- {query: two, inclde: [a:b]}\n- {query: three, include: [a:b]}\n"
    found, faults = golden_in(write_pack(tmp_path, TOWN | {"tests/a.yaml": text}))
    assert [one.query.query for one in found] == ["one", "three"]
    assert [str(one) for one in faults] == ["tests/a.yaml:2: inclde: there is no such key; did you mean include?"]


def test_an_entry_of_a_list_knows_its_line(tmp_path: Path) -> None:
    (one,) = read(tmp_path, "- query: x\n  include:\n    - a:b\n    - c:d\n")
    assert (one.line, one.line_of("include", 1), one.line_of("include"), one.line_of("exclude")) == (1, 4, 3, 1)


def test_a_scene_asks_by_its_place_and_who_is_there(town: Town) -> None:
    there = {"location": "bar", "present": ["viktor"], "threads": ["main_case"]}
    found = judge(town, scene=there, include=["bar:overview", "viktor:knows"], exclude=["pier:access"])
    assert found.misses == ()
    assert found.query is not None
    assert found.query.keywords.startswith("Location: The Neon Dragon\nPresent: Viktor\nPlayer action: \n")
    asked_in_it = judge(town, scene=there, query="look behind the bar", include=["bar:discoverable"])
    assert asked_in_it.misses == ()


def test_filters_tie_as_they_do_for_a_query(town: Town) -> None:
    assert judge(town, tags=["nightlife"], include=["bar:history"]).misses == ()
    assert judge(town, location="pier", include=["pier:access"], exclude=["bar:history"]).misses == ()


@pytest.mark.parametrize(
    ("fields", "says", "hint"),
    [
        ({"scene": {"location": "baar"}}, "there is no entity baar", "did you mean bar?"),
        ({"scene": {"location": "bar", "present": ["vikto"]}}, "there is no entity vikto", "did you mean viktor?"),
        ({"query": "x", "entities": ["xyzzy"]}, "there is no entity xyzzy", ""),
        ({"query": "x", "tags": ["nightlive"]}, "no section is tied to the tag nightlive", "did you mean nightlife?"),
        (
            {"query": "x", "threads": ["main_cas"]},
            "no section is tied to the thread main_cas",
            "did you mean main_case?",
        ),
        ({"query": "x", "viewer": "npc:marra"}, "no searched pack has a character marra", "did you mean mara?"),
        (
            {"query": "x", "viewer": "player", "revealed": ["viktor/withholds#det"]},
            "there is no item viktor/withholds#det",
            "did you mean viktor:withholds#debt?",
        ),
    ],
)
def test_a_name_that_nothing_has_is_told_with_the_nearest(
    town: Town, fields: dict[str, object], says: str, hint: str
) -> None:
    (miss,) = judge(town, **fields, include=["bar:overview"]).misses
    assert (miss.message, miss.hint) == (says, hint)


def test_a_character_is_given_its_own_sheet_and_nobody_elses(town: Town) -> None:
    debt = {"query": "Zenith bought the debt", "viewer": "npc:viktor"}
    assert judge(town, **debt, include=[WITHHOLDS]).misses == ()
    (miss,) = judge(town, **{**debt, "viewer": "npc:mara"}, include=[WITHHOLDS]).misses
    assert miss.why == "npc:town:mara may not read it: it stands under a heading that is a secret"


def test_what_was_revealed_is_found_and_what_stands_beside_it_is_not(town: Town) -> None:
    found = judge(
        town,
        query="Zenith bought the debt",
        viewer="player",
        revealed=["viktor/withholds#debt"],
        include=[WITHHOLDS],
        include_text=["Zenith bought his debt of forty thousand."],
        exclude_text=["He gave the agent one name: Jin."],
    )
    assert found.misses == ()


def test_what_is_to_stand_first_is_told_with_what_stands_before_it(town: Town) -> None:
    (miss,) = judge(town, query="Viktor", include=["viktor:knows"], top=1).misses
    assert miss.message.startswith("viktor:knows is at place ")
    assert miss.message.endswith(", and is to be among the first 1")
    assert miss.why.startswith("before it: town:viktor:")


def test_a_sentence_is_looked_for_as_it_is_read(town: Town) -> None:
    """Without markup, however it is spaced and written large or small."""
    asked_for = {"query": "who taxes the stalls", "include_text": ["the night  guild taxes every stall."]}
    assert judge(town, **asked_for).misses == ()
    (told,) = judge(town, query="who taxes the stalls", exclude_text=["The Night Guild taxes every stall."]).misses
    assert told.message == "“The Night Guild taxes every stall.” stands in the answer, in town:viktor:knows"
    (lost,) = judge(town, query="gulls", limit=1, include_text=["The Night Guild taxes every stall."]).misses
    assert lost.why.startswith("it stands in town:viktor:knows: ")


def test_a_sentence_that_no_section_holds_is_a_mistake_of_the_test(town: Town) -> None:
    """Under exclude_text it would hold for ever."""
    for key in ("include_text", "exclude_text"):
        (miss,) = judge(town, query="Viktor", **{key: ["Viktor is a good man."]}).misses
        assert miss.message == "no section holds “Viktor is a good man.”"


def test_why_a_section_is_not_in_the_answer_is_told_in_an_authors_words(town: Town) -> None:
    (cut,) = judge(town, query="the bar", limit=1, include=["bar:history"]).misses
    assert cut.why.startswith("below the cut, rank ")
    assert "stands before it" in cut.why
    (spent,) = judge(town, query="the bar", budget=12, include=["bar:history"]).misses
    assert spent.why.startswith("over budget, rank ")
    assert spent.hint.startswith("raise budget")
    (nothing,) = judge(town, query="gulls", include=["mara:capabilities"]).misses
    assert nothing.message == "there is no chunk mara:capabilities"
    (far,) = judge(town, query="gulls", include=["hand:overview"]).misses
    assert far.why == "nothing in the query matches it: no word, name, filter or meaning"


def test_a_section_under_a_condition_is_found_where_it_holds(tmp_path: Path) -> None:
    burned = TOWN | {
        "locations/ruin.md": "---\nid: ruin\ntype: location\nwhen: {clock: heat, min: 3}\n---\n\n# Ruin\n\nCharred piles smoke.\n"
    }
    with opened_packs(tmp_path, {"town": burned}) as packs:
        smoke = {"query": "charred piles smoke", "include": ["ruin:overview"]}
        assert judge(packs, **smoke).misses == ()
        assert judge(packs, **smoke, viewer="player", given={"clocks": {"heat": 3}}).misses == ()
        (cold,) = judge(packs, **smoke, given={"clocks": {"heat": 1}}).misses
        assert cold.why == "its condition does not hold"
        assert judge(packs, **smoke, viewer="player").misses != ()


def test_a_part_stands_for_its_section(tmp_path: Path) -> None:
    long = "\n\n".join(f"Paragraph {n} speaks of lanterns and of rope number {n}." for n in range(200))
    with opened_packs(tmp_path, {"town": {"rope.md": f"# Rope\n\n{long}\n"}}) as packs:
        parts = [chunk.id for chunk in packs[0].all_chunks()]
        assert len(parts) > 2
        asked_for = {"query": "Paragraph 199 rope number 199", "limit": 1, "budget": 500}
        answer = judge(packs, **asked_for, include=["rope:overview"])
        assert answer.misses == ()
        assert judge(packs, **asked_for, exclude=["rope:overview"]).misses != ()


def test_the_schema_explains_every_key() -> None:
    schema = golden_schema()
    keys = schema["$defs"]["GoldenQuery"]["properties"]
    assert schema["type"] == "array"
    assert set(keys) == set(GoldenQuery.model_fields)
    assert [name for name, key in keys.items() if not key.get("description")] == []


def test_every_example_of_the_page_on_testing_is_a_golden_query(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "testing_packs.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```yaml[^\n]*\n(.*?)```", page, re.DOTALL)
    golden = [block for block in blocks if "run: " not in block]
    assert len(golden) >= 4
    for number, block in enumerate(golden):
        assert read(tmp_path / f"{number}", block)
    named = {key for key in GoldenQuery.model_fields if f"{key}:" in page or f"`{key}`" in page}
    assert set(GoldenQuery.model_fields) - named == set()
