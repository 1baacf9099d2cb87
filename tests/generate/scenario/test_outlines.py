"""Outlines by a model: it chooses and names; who holds what, what opens it and how it ends stays with code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lorewright.errors import OutputRejected
from lorewright.generate.explore.writing import scenario_text
from lorewright.generate.scenario.generating import Generated
from lorewright.generate.scenario.sentences import Outline, ScenarioContext
from lorewright.llm.doubles import ScriptedModel
from support.generated_scenarios import Workshop, proven, workshop

OUTLINE: dict[str, Any] = {
    "title": "The Wrong Clock",
    "summary": "A paper is wanted before the house is sold.",
    "tone": "dry, close",
    "stakes": "Whoever has the paper has the house.",
    "location_id": "orme_house:kitchen",
    "cast": ["orme_house:mrs_pell", "orme_house:tobias", "gaunt"],
    "goals": {"orme_house:tobias": "Find it first.", "player": "Find it at all."},
    "threads": [{"title": "What was promised?", "about": ["mrs_pell", "orme_house:study"]}],
    "clock": {"name": "Nine", "when_full": "It strikes nine, and the house is sold."},
    "opening": "The kitchen is warm, and Mrs Pell is wrapping plates.",
}


def outlined(shop: Workshop, *answers: Any, seed: int = 1) -> tuple[Generated, ScriptedModel]:
    """What is generated with a model that gives these answers."""
    model = ScriptedModel(answers)
    return shop.generator.generate(shop.prepared, "freeform", seed=seed, brief="a sale", model=model), model


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return workshop(tmp_path_factory.mktemp("outlines"), "orme_house")


@pytest.mark.campaign
def test_a_model_chooses_place_cast_and_words_and_the_scenario_is_as_sound(shop: Workshop, tmp_path: Path) -> None:
    made, model = outlined(shop, OUTLINE)
    scenario = made.scenario
    assert (scenario.name, scenario.start) == ("The Wrong Clock", "kitchen")
    assert list(scenario.cast) == ["mrs_pell", "tobias", "gaunt"]
    assert scenario.clocks["pressing"].name == "Nine"
    assert scenario.endings["too_late"].say == "It strikes nine, and the house is sold."
    assert scenario.goals["tobias"] == "Find it first."
    assert scenario.intro_seed.startswith("The kitchen is warm")
    assert "What was promised?" in {thread.title for thread in scenario.threads.values()}
    assert scenario.system["generated"]["model"] == "scripted"
    assert made.log is not None and len(made.log.calls) == 1
    assert [request.stage for request in model.requests] == ["scenario_generator"]
    assert proven(shop, made, tmp_path).holds


def test_the_model_is_shown_what_everybody_may_read_and_no_more(shop: Workshop) -> None:
    _, model = outlined(shop, OUTLINE)
    shown = ScenarioContext.model_validate(json.loads(model.requests[0].prompt.changing))
    assert shown.brief == "a sale"
    assert {one.id for one in shown.people} == {"orme_house:gaunt", "orme_house:mrs_pell", "orme_house:tobias"}
    pell = next(one for one in shown.people if one.id == "orme_house:mrs_pell")
    assert (pell.knows, pell.withholds) == (45, 1)
    assert all(one.about and one.ways_to for one in shown.places)
    generation = shop.app.by_words.open(shop.prepared.installed[0].key)
    hidden = [chunk.text for chunk in generation.hidden_chunks()]
    generation.close()
    told = [line for text in hidden for line in text.splitlines() if len(line) > 40]
    assert told
    assert [line for line in told if line in model.requests[0].text] == []


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"location_id": "orme_house:cellar"}, "there is no place orme_house:cellar"),
        ({"cast": ["orme_house:mrs_pell", "orme_house:winifred"]}, "there is nobody orme_house:winifred"),
        ({"cast": ["mrs_pell", "orme_house:mrs_pell"]}, "at least 2 different people"),
        ({"goals": {"orme_house:winifred": "Rest."}}, "neither player nor in the cast"),
        ({"threads": [{"title": "Who?", "about": ["moon"]}]}, "nothing given is called moon"),
        ({"rules": [{"end": "done"}]}, "rules"),
    ],
)
def test_an_outline_that_names_what_there_is_not_is_repaired(wrong: dict[str, Any], says: str, shop: Workshop) -> None:
    made, _ = outlined(shop, {**OUTLINE, **wrong}, OUTLINE)
    assert made.scenario.name == "The Wrong Clock"
    assert made.log is not None
    assert [call.attempt for call in made.log.calls] == ["first", "repair"]
    assert says in (made.log.calls[0].problem or "")


def test_an_outline_that_stays_wrong_is_refused(shop: Workshop) -> None:
    with pytest.raises(OutputRejected, match="scenario_generator"):
        outlined(shop, *([{**OUTLINE, "location_id": "moon"}] * 3))


def test_a_models_words_stand_on_one_line_and_hold_nothing_that_a_terminal_obeys(shop: Workshop) -> None:
    hostile = {
        **OUTLINE,
        "title": "Clear\x1b[2J me",
        "opening": "One.\n\n\x07Two {{brief}}\u202e three.",
        "tone": "\x1b]0;x\x07",
    }
    made, _ = outlined(shop, hostile)
    text = scenario_text(made.scenario)
    assert not {"\x1b", "\x07", "\u202e"} & set(made.scenario.name + made.scenario.intro_seed + made.scenario.tone)
    assert "\\e" not in text and "\\x1b" not in text
    assert made.scenario.intro_seed.startswith("One. Two {{brief}} three.")


@pytest.mark.campaign
def test_two_outlines_of_one_seed_differ_only_by_what_they_say(shop: Workshop) -> None:
    one, _ = outlined(shop, OUTLINE)
    other, _ = outlined(shop, {**OUTLINE, "title": "Another"})
    assert other.scenario == one.scenario.model_copy(update={"name": "Another"})
    assert Outline.model_validate(OUTLINE).cast == ("orme_house:mrs_pell", "orme_house:tobias", "gaunt")
