"""Golden queries: read from a pack's folder with every fault named by its line, and judged by what is answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.errors import PackError
from lorewright.index.generation import Generation
from lorewright.retrieval.golden import Golden, GoldenQuery, misses, read_golden
from pack_builder import TOWN, opened_packs, write_pack

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
        ("- query: x\n  inclde: [a:b:c]\n", "tests/golden.yaml:2: inclde: Extra inputs are not permitted"),
        ("- query: x\n  include: [a:b:c]\n- include: [a:b:c]\n", "tests/golden.yaml:3: query: Field required"),
        ("- query: x\n", "tests/golden.yaml:1: Value error, name a chunk under include or exclude"),
        (
            "- query: x\n  include: [a:b:c]\n  exclude: [a:b:c]\n",
            "tests/golden.yaml:1: Value error, a:b:c is to be both",
        ),
        ("- query: x\n  include:\n    - a:b:c\n    - viktor\n", "tests/golden.yaml:4: include.1: String should match"),
        (
            "- query: x\n  viewer: npc:viktor\n  include: [a:b:c]\n",
            "tests/golden.yaml:2: viewer: Input should be 'gm' or",
        ),
        ("- query: x\n  budget: 0\n  include: [a:b:c]\n", "tests/golden.yaml:2: budget: Input should be greater"),
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


def test_open_lore_that_tells_what_somebody_keeps_back_is_no_answer_for_a_player(tmp_path: Path) -> None:
    blabbing = TOWN | {"history/gossip.md": "# Gossip\n\nIt is said that: Zenith bought his debt of forty thousand.\n"}
    with opened_packs(tmp_path, {"town": blabbing}) as town:
        query = {"include": ["town:history-gossip:overview"]}
        (said,) = asked(town, "who bought the debt", viewer="player", **query)
        assert said == "town:history-gossip:overview tells what is kept in town:viktor:withholds"
        assert asked(town, "who bought the debt", **query) == ()
