"""Structured requests: validated, repaired once, retried once, refused; and the doubles that ship."""

from __future__ import annotations

import asyncio
import json
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from lorewright.errors import OutputRejected, ProviderError
from lorewright.llm.doubles import ParrotModel, ScriptedModel
from lorewright.llm.gateway import LLMResponse, Options, run_structured
from lorewright.llm.model import Model
from lorewright.llm.prompt_template import PlainPrompt

CONTEXT = '{"text":"CONTEXT"}'


class Part(BaseModel):
    label: str
    size: int = Field(ge=1)


class Answer(BaseModel):
    text: str
    notes: list[str] = []
    mood: Literal["calm", "wild"] = "calm"
    parts: list[Part] = []
    part: Part | None = None


def ask(model: Model, check: object = None) -> LLMResponse[Answer]:
    given = {"check": check} if check else {}
    options: Options[Answer] = Options(model=model, stage="narrator", **given)  # type: ignore[arg-type]
    return asyncio.run(run_structured(PlainPrompt("narrator"), {"text": "CONTEXT"}, Answer, options))


def test_a_valid_answer_is_taken_at_once() -> None:
    model = ScriptedModel([{"text": "yes"}])
    response = ask(model)
    assert response.output.text == "yes"
    assert [(attempt, problem) for attempt, _, problem in response.log.attempts] == [("first", None)]
    assert model.requests[0].text == CONTEXT


def test_a_repair_shows_the_model_what_was_wrong() -> None:
    model = ScriptedModel(["{}", {"text": "mended"}])
    assert ask(model).output.text == "mended"
    shown, asked = model.requests[1].talk
    assert (shown.role, shown.text) == ("assistant", "{}")
    assert "text: Field required" in asked.text


def test_the_third_attempt_is_a_fresh_one() -> None:
    model = ScriptedModel(["{}", "{}", {"text": "third"}])
    assert [attempt for attempt, _, _ in ask(model).log.attempts] == ["first", "repair", "retry"]
    assert model.requests[2].talk == ()


def test_what_never_fits_is_refused_with_the_stage_and_the_reason() -> None:
    model = ScriptedModel(lambda _: "[]")
    with pytest.raises(OutputRejected, match="narrator stage gave no valid output in 3 attempts"):
        ask(model)
    assert len(model.requests) == 3


def test_a_check_refuses_what_fits_the_schema() -> None:
    model = ScriptedModel([{"text": "secret"}, {"text": "plain"}])
    response = ask(model, lambda answer: "it tells" if answer.text == "secret" else None)
    assert response.output.text == "plain"
    assert "it tells" in model.requests[1].text


def test_an_error_of_the_provider_is_not_retried_as_output() -> None:
    model = ScriptedModel([ProviderError("gone")])
    with pytest.raises(ProviderError, match="gone"):
        ask(model)


def test_a_script_at_its_end_says_so() -> None:
    with pytest.raises(ProviderError, match="at its end"):
        ask(ScriptedModel([]))


def test_the_parrot_repeats_its_whole_input_in_every_free_text_and_fits_the_schema() -> None:
    answer = ask(ParrotModel()).output
    assert (answer.text, answer.notes, answer.mood, answer.parts) == (CONTEXT, [CONTEXT], "calm", [])
    assert answer.part is not None
    assert answer.part.label == CONTEXT


def test_the_parrot_keeps_what_it_was_asked() -> None:
    parrot = ParrotModel()
    ask(parrot)
    assert json.loads(json.dumps(parrot.requests[0].schema))["title"] == "Answer"
