"""Keys of entries in an answer: what a question says names them, and what it says beside that lets them in or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.index.building import build_generation
from lorewright.index.generation import Generation
from lorewright.packs.loader import load_pack
from lorewright.retrieval import keys as keys_module
from support.pack_builder import as_bytes, ask, found, opened_packs, write_pack

Packs = tuple[Generation, ...]


def entry(entity_id: str, text: str, lore: str) -> tuple[str, str]:
    return (
        f"{entity_id}.md",
        f"---\nid: {entity_id}\ntype: event\nlore: {lore}\n---\n\n# {entity_id.title()}\n\n{text}\n",
    )


FILES = dict(
    [
        entry("gale", "The roofs fly.", "{keys: ['/wind(s|y)?/i', squall]}"),
        entry("any", "The harbour burns.", "{any: [rain, '/sto+rm/']}"),
        entry("all", "The harbour sinks.", "{all: [rain, '/sto+rm/']}"),
        entry("none", "The harbour sleeps.", "{not any: [rain, '/sto+rm/']}"),
        entry("some", "The harbour waits.", "{not all: [rain, '/sto+rm/']}"),
        entry("law", "The harbour has a law.", "{always: true, all: [never]}"),
        *((f"stone{n}.md", f"# Stone {n}\n\nCut in the year {n}.\n") for n in range(20)),
    ]
)


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packs]:
    with opened_packs(tmp_path_factory.mktemp("keys"), {"p": FILES}) as generations:
        yield generations


@pytest.mark.parametrize("question", ["what about the WINDY season", "a squall"])
def test_a_key_names_an_entry_that_holds_no_word_of_the_question(packs: Packs, question: str) -> None:
    answer = ask(packs, question)
    assert "gale:overview" in found(answer)
    traced = answer.trace.why("p:gale:overview")
    assert traced is not None
    assert traced.name in ("WINDY", "squall")


@pytest.mark.parametrize(
    ("said", "entries"),
    [
        ("", {"none", "some"}),
        ("rain", {"any", "some"}),
        ("stooorm", {"any", "some"}),
        ("rain storm", {"any", "all"}),
    ],
)
def test_secondary_keys_let_an_entry_in_or_not(packs: Packs, said: str, entries: set[str]) -> None:
    names = {section.partition(":")[0] for section in found(ask(packs, f"the harbour {said}"))}
    assert names & {"any", "all", "none", "some"} == entries
    assert "law" in names


def test_the_explanation_says_what_of_them_was_said(packs: Packs) -> None:
    trace = ask(packs, "the harbour in the rain").trace
    told = {name: trace.why(f"p:{name}:overview") for name in ("any", "all", "none", "some")}
    assert {name: (one.reason, one.rule) for name, one in told.items() if one is not None} == {
        "any": (None, "any: “rain” is said"),
        "all": ("keys", "all: not all of its words are said"),
        "none": ("keys", "not any: “rain” is said"),
        "some": (None, "not all: not all are said"),
    }


def test_without_words_nothing_is_asked_of_keys(packs: Packs) -> None:
    assert "all:overview" in found(ask(packs, entity_ids=("p:all",)))


def test_what_a_viewer_may_not_see_is_not_named_by_its_keys(tmp_path: Path) -> None:
    secret = "---\nid: plot\ntype: event\nvisibility: gm\nlore: {keys: [squall]}\n---\n\n# Plot\n\nA plan.\n"
    with opened_packs(tmp_path, {"p": {"plot.md": secret}}) as generations:
        assert found(ask(generations, "a squall", viewer="player")) == []
        assert found(ask(generations, "a squall")) == ["plot:overview"]


def test_the_keys_of_a_secret_section_change_nothing_for_those_who_may_not_read_it(tmp_path: Path) -> None:
    def answer(keys: str) -> bytes:
        rules = f"section_lore:\n  Secrets: {{keys: [{keys}]}}\n"
        inn = f"---\nid: inn\ntype: location\n{rules}---\n\n# Inn\n\nAn inn.\n\n## Secrets\n\nA squall is planned.\n"
        with opened_packs(tmp_path / keys, {"p": {**FILES, "inn.md": inn}}) as generations:
            return as_bytes(ask(generations, "the squally inn", viewer="player"))

    assert answer("squally") == answer("other")


def test_a_pack_read_by_the_first_rules_has_no_keys(tmp_path: Path) -> None:
    pack = load_pack(write_pack(tmp_path, FILES, pack_id="p"), reading=1)
    key = build_generation(pack, tmp_path / "generations")
    generation = Generation(tmp_path / "generations" / key.folder)
    try:
        assert "gale:overview" not in found(ask((generation,), "a squall"))
        assert {"all:overview", "none:overview"} <= set(found(ask((generation,), "the harbour in the rain")))
    finally:
        generation.close()


def test_patterns_beyond_the_bound_of_a_pack_are_not_tried(packs: Packs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys_module, "MAX_PATTERNS_SIZE", 5)
    assert "gale:overview" not in found(ask(packs, "a squall"))


def test_only_the_end_of_a_long_question_is_searched_for_keys(packs: Packs) -> None:
    assert "gale:overview" not in found(ask(packs, f"a squall {'x ' * keys_module.MAX_CHARS}"))
