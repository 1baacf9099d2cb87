"""The check of a prompt names every variable that its context has not, with the line on which it stands."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from lorewright.errors import PromptError
from lorewright.llm.prompt_template import check_prompt
from support.prompt_files import prompt


class Person(BaseModel):
    name: str
    mood: str | None = None


class Told(BaseModel):
    text: str
    emotion: str = ""


class Everything(BaseModel):
    place: str
    person: Person
    people: tuple[Person, ...] = ()
    msgs: tuple[Told, ...] = ()
    text: str = ""


# The parts begin where `prompt` puts them: the stable one on line 11.
STABLE, CHANGING = 11, 13


def faults(changing: str = "", *, stable: str = "", keys: tuple[str, ...] = ("place",)) -> list[tuple[int, str]]:
    schema: dict[str, Any] = Everything.model_json_schema(mode="serialization")
    return [(one.line, one.message) for one in check_prompt(prompt(changing, stable=stable), schema, stable=keys)]


def test_a_prompt_that_asks_for_what_there_is_has_no_faults() -> None:
    whole = "{{#if person.mood}}{{person.mood}}{{/if}}{{#each people}}{{name}} {{@index}} {{../place}}{{/each}}"
    assert (
        faults(f"{whole}\n{{{{#last msgs 20}}}}{{{{text}}}}{{{{emotion}}}}{{{{else}}}}{{{{place}}}}{{{{/last}}}}") == []
    )


def test_an_unknown_variable_is_told_with_its_line() -> None:
    ((line, message),) = faults("a\n\n{{place}} {{plaice}}\n")
    assert line == CHANGING + 2
    assert "unknown variable plaice" in message


def test_an_unknown_variable_inside_of_last_is_told_with_its_line() -> None:
    ((line, message),) = faults("a\n{{#last msgs 20}}\n- {{text}}\n- {{speaker}}\n{{/last}}\n")
    assert line == CHANGING + 3
    assert "unknown variable speaker" in message


@pytest.mark.parametrize(
    "template",
    [
        "{{#last nothing 20}}x{{/last}}",
        "{{#if nothing}}x{{/if}}",
        "{{#each nothing}}x{{/each}}",
        "{{person.nothing}}",
        "{{#with person}}{{nothing}}{{/with}}",
        "{{#each people}}{{this.nothing}}{{/each}}",
        "{{#each people}}{{../nothing}}{{/each}}",
        "{{#if (lookup nothing 0)}}x{{/if}}",
        "{{#last msgs 3}}{{#if nothing}}x{{/if}}{{/last}}",
        "{{nothing place}}",
    ],
)
def test_wherever_it_stands_an_unknown_name_is_found(template: str) -> None:
    ((line, message),) = faults(f"\n{template}")
    assert line == CHANGING + 1
    assert "nothing" in message


def test_the_line_is_of_the_place_where_it_is_unknown_and_not_of_one_where_it_is_known() -> None:
    found = faults(
        "{{text}}\n{{#each people}}\n{{name}}\n{{text}}\n{{/each}}\n{{#last msgs 2}}{{text}}{{/last}}\n{{name}}"
    )
    assert [line for line, _ in found] == [CHANGING + 3, CHANGING + 6]


def test_every_place_is_told() -> None:
    assert [line for line, _ in faults("{{no}}\n{{place}}\n{{no}}")] == [CHANGING, CHANGING + 2]


def test_what_changes_with_the_turn_may_not_stand_in_the_stable_part() -> None:
    ((line, message),) = faults(stable="{{place}}\n{{#each people}}{{name}}{{/each}}".replace("{{place}}", "x"))
    assert line == STABLE + 1
    assert "people is not the same for a whole scene" in message


def test_a_block_that_is_not_closed_is_told_with_its_line() -> None:
    ((line, _),) = faults("a\n{{#each people}}\n{{name}}")
    assert line >= CHANGING + 1


@pytest.mark.parametrize("template", ["{{#each people as |one|}}{{one.x}}{{/each}}", "{{{place}}}", "{{> part}}"])
def test_what_cannot_be_checked_is_refused(template: str) -> None:
    ((line, message),) = faults(f"\n\n{template}")
    assert line == CHANGING + 2
    assert "cannot be checked" in message


@pytest.mark.campaign
@pytest.mark.parametrize(
    "deep",
    [
        "{{#if text}}" * 2_000 + "x" + "{{/if}}" * 2_000,
        "{{#each people}}" * 900 + "{{/each}}" * 900,
        "{{lookup " + "(lookup " * 3_000 + "people 0" + ")" * 3_000 + " 0}}",
    ],
    ids=["if", "each", "parentheses"],
)
def test_blocks_within_blocks_without_end_are_a_fault_and_an_error_of_ours(deep: str) -> None:
    ((line, message),) = faults(deep)
    assert line == CHANGING
    assert "too deeply" in message
    with pytest.raises(PromptError, match="too deeply"):
        prompt(deep).render({"text": "x", "people": [{"name": "Osk"}]})
