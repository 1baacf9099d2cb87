"""A scenario's own phrases: what fits is told, what does not is refused with a word on why."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.builtin.narrator.grammar import phrase_problems
from lorewright.campaigns.scenarios.scenario import load_scenario
from lorewright.errors import ScenarioError
from lorewright.rules.rulesets import Phrase

SCENARIO = """
id: s
intro_seed: Rain.
content_packs: [p]
start: bar
places: {bar: {}}
grammar:
"""


@pytest.mark.parametrize(
    ("group", "phrase", "problem"),
    [
        ("waitd", {"text": "It rains."}, "there is no group waitd (did you mean waited?)"),
        ("waited", {"text": "It rains on {thing}."}, "has the slot {thing}; there are minutes, place"),
        ("waited", {"text": "It rains.", "when": {"att": "bar"}}, "has the guard att (did you mean at?)"),
        ("waited", {"text": "It rains.", "when": {"long": 3}}, "the guard long is a bool, not 3"),
        ("pressure", {"text": "It rains.", "when": {"level": True}}, "the guard level is a int, not True"),
        ("waited", {"text": "It rains"}, "does not end with a stop"),
        ("waited", {"text": "It *rains*."}, "has markup"),
        ("waited", {"text": "It {rains."}, "has markup"),
        ("waited", {"text": "And so on, " * 11 + "and on."}, "has more than 30 words"),
    ],
)
def test_a_phrase_that_does_not_fit_is_named_with_its_reason(group: str, phrase: dict, problem: str) -> None:  # type: ignore[type-arg]
    found = phrase_problems({group: (Phrase.model_validate(phrase),)})
    assert len(found) == 1
    assert problem in found[0]


def test_a_phrase_with_slots_and_guards_of_its_group_fits() -> None:
    phrase = Phrase(text="At {place} the rain takes {minutes}.", when={"at": "bar", "long": True})
    assert phrase_problems({"waited": (phrase,)}) == []


def test_a_scenario_takes_bare_texts_and_guarded_ones(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(SCENARIO + "  waited: [It rains., {when: {at: bar}, text: The bucket fills.}]\n", encoding="utf-8")
    phrases = load_scenario(path).grammar["waited"]
    assert [(one.text, dict(one.when)) for one in phrases] == [("It rains.", {}), ("The bucket fills.", {"at": "bar"})]


@pytest.mark.parametrize(
    "rows", ["waited: It rains.", "waited: [3]", "waited: [{txt: It rains.}]", "wated: [It rains.]"]
)
def test_a_scenario_with_phrases_that_do_not_fit_is_refused_with_its_line(tmp_path: Path, rows: str) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(f"{SCENARIO}  {rows}\n", encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"s\.yaml:[78]: grammar"):
        load_scenario(path)
