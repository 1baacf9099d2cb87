"""The telling of a turn by a model: what may be told, what is told anew, what it adds, what the listener hears."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelReply, ModelRequest, OnText
from lorewright.lore_bootstrap import make_empty_workspace
from support import harbour as h

FINE = "Smoke hangs from the beams [1]. Osk counts his coins."
NOTHING: dict[str, Any] = {}


class Hearing:
    """What a listener heard, in order."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    def stage_began(self, stage: str, model_key: str) -> None:
        self.heard.append(("began", stage))

    def told(self, text: str) -> None:
        self.heard.append(("told", text))

    def not_so(self, reason: str) -> None:
        self.heard.append(("not_so", reason))

    def since_the_last_not_so(self) -> str:
        said: list[str] = []
        for kind, text in self.heard:
            said = [] if kind == "not_so" else [*said, *([text] if kind == "told" else [])]
        return "".join(said)


class Piecemeal:
    """Tells a text in pieces of every size."""

    key = provider = "piecemeal"

    def __init__(self, text: str, seed: int) -> None:
        self._text, self._chance = text, random.Random(seed)

    async def complete(self, request: ModelRequest, *, on_text: OnText | None = None) -> ModelReply:
        assert on_text is not None
        at = 0
        while at < len(self._text):
            size = self._chance.randint(1, 5)
            on_text(self._text[at : at + size])
            at += size
        return ModelReply(self._text, self.key)


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


def told(app: App, *texts: Any, adds: Any = NOTHING, line: str = "look", hearing: Any = None) -> tuple[Any, Any, Any]:
    """Play a line, told so: the result, the narrator, the extractor."""
    narrator = ScriptedModel(texts)
    extractor = ScriptedModel(adds if callable(adds) else lambda _: adds)
    return *played(app, {"narrator": narrator, "lore_extractor": extractor}, line, hearing), narrator, extractor


def played(app: App, models: Any, line: str, hearing: Any = None) -> tuple[Any]:
    import asyncio
    import json

    with h.with_models(app, models).campaigns.open("game") as campaign:
        return (json.loads(asyncio.run(campaign.submit(line, **({"listener": hearing} if hearing else {})))),)


def state(app: App) -> Any:
    with app.campaigns.reading("game") as store:
        return store.head().state


def test_the_text_is_told_without_its_marks_and_they_are_citations(app: App) -> None:
    result, _, _ = told(app, FINE)
    assert result["final_text"] == "Smoke hangs from the beams. Osk counts his coins."
    assert [one["cite"] for one in result["citations"]] == ["tavern/atmosphere"]


@pytest.mark.parametrize("seed", range(8))
def test_what_the_listener_hears_is_what_is_told(app: App, seed: int) -> None:
    hearing = Hearing()
    (result,) = played(app, {"narrator": Piecemeal(FINE + " [1]\n\nHe hums [1, 1] a little.", seed)}, "look", hearing)
    assert hearing.since_the_last_not_so() == result["final_text"]


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ("Smoke [99].", "it cites what it was not shown: [99]"),
        ("Smoke [0].", "it cites what it was not shown: [0]"),
        ("[1]", "it has no text"),
        ('{"final_text": "Smoke"}', "it is not prose"),
        ("```\nSmoke\n```", "it is not prose"),
        ("You nod to Zorilla.", "it names what it was not shown: Zorilla"),
        ("“I sold her passage to the harbour master,” says Osk.", "it quotes what was not revealed"),
        ("x " * 11_000, "at most 20000 characters"),
        ("   ", "at least 1 character"),
        ("Smoke hangs there. </happened>", "is no part of a story"),
        ("The original paragraph has been edited.", "is no part of a story"),
    ],
)
def test_a_narration_that_does_not_hold_did_not_happen_and_is_mended(app: App, wrong: str, problem: str) -> None:
    hearing = Hearing()
    result, narrator, _ = told(app, wrong, FINE, hearing=hearing)
    assert problem in narrator.requests[1].talk[-1].text
    assert [problem in text for kind, text in hearing.heard if kind == "not_so"] == [True]
    assert hearing.since_the_last_not_so() == result["final_text"]
    assert "Zorilla" not in result["final_text"]


def test_a_turn_whose_narration_never_holds_is_told_without_the_model_and_says_so(app: App) -> None:
    hearing = Hearing()
    result, narrator, extractor = told(app, *["Smoke [99]."] * 3, line="take rope", hearing=hearing)
    assert (len(narrator.requests), extractor.requests) == (3, [])
    assert result["fell_back"] == ["narrator"]
    assert "Smoke" not in result["final_text"] and "rope" in result["final_text"]
    assert hearing.since_the_last_not_so() == result["final_text"]
    assert any("rope" in thing for thing in state(app).held_by(state(app).player_id))


def test_no_turn_says_that_it_fell_back_where_none_did(app: App) -> None:
    result, _, _ = told(app, "Smoke [99].", FINE)
    assert "fell_back" not in result


def test_a_narration_that_is_told_otherwise_and_never_holds_is_told_without_the_model(app: App) -> None:
    """The first is valid but names somebody of whom nothing is taken up."""
    texts = ["A girl comes in. “I am Wren,” she says.", *["Smoke [99]."] * 3]
    result, _, extractor = told(app, *texts)
    assert result["fell_back"] == ["narrator"] and len(extractor.requests) == 1
    assert "Wren" not in result["final_text"]


def test_an_item_that_was_learned_may_be_quoted(app: App) -> None:
    quoted = "“Lin took the night boat on Tuesday, with a cage under her arm,” says Osk."
    result, narrator, _ = told(app, quoted, line="ask osk about lin")
    assert len(narrator.requests) == 1
    assert "night boat" in result["final_text"]


HABIT = {"established_facts": [{"subject_id": "harbour:osk", "predicate": "habit", "detail": "He hums."}]}


def established(tmp_path: Path, effect: str) -> App:
    """The harbour, where a look at the rope establishes something."""
    root = tmp_path / "workspace"
    make_empty_workspace(root)
    h.write_pack(root / "content_packs" / "harbour")
    rule = f"rules:\n  - {{on: {{act: look, target: rope}}, success: [{effect}]}}"
    (root / "scenarios" / "night_boat.yaml").write_text(h.dedent(h.SCENARIO).replace("rules:", rule, 1))
    app = open_app(root)
    app.campaigns.new("night_boat", campaign_id="game", seed=1)
    h.say(app, "look at rope")
    return app


def saying(*answers: Any) -> Callable[[ModelRequest], Any]:
    left = list(answers)
    return lambda _: left.pop(0)


def test_a_narration_that_speaks_against_what_is_established_is_told_once_more(tmp_path: Path) -> None:
    app = established(tmp_path, "{fact: habit, subject: osk, object: He whistles.}")
    hearing = Hearing()
    result, narrator, extractor = told(app, "Osk hums.", FINE, adds=saying(HABIT, NOTHING), hearing=hearing)
    assert result["final_text"].startswith("Smoke hangs")
    assert "The established fact is: habit: He whistles." in narrator.requests[1].talk[-1].text
    assert len(extractor.requests) == 2
    assert [text for kind, text in hearing.heard if kind == "not_so"] == [
        "it says of Osk: habit: He hums. The established fact is: habit: He whistles."
    ]
    assert [fact.object for fact in state(app).facts_about("harbour:osk")] == ["He whistles."]


def test_of_what_the_player_does_not_know_only_that_it_is_not_so_is_said(tmp_path: Path) -> None:
    app = established(tmp_path, "{fact: habit, subject: osk, object: He whistles.}")
    with app.campaigns.reading("game") as store:
        (fact,) = store.head().state.facts_about("harbour:osk")
    hidden = fact.model_copy(update={"visibility": "gm"})
    from lorewright.turn.checks.accepting import Accepted, Refused
    from lorewright.turn.run.narrate import contradicted

    hidden_state = state(app).model_copy(update={"facts": {fact.id: hidden}})
    refused = Refused(kind="established_fact", reason="contradicts_fact", proposal=HABIT["established_facts"][0])
    problem = contradicted(Accepted(refused=(refused,)), hidden_state)
    assert problem is not None
    assert problem.endswith("That is not so.")
    assert "whistles" not in problem


def test_what_was_only_narrated_before_may_be_otherwise_now(app: App) -> None:
    told(app, FINE, adds=HABIT)
    other = {"established_facts": [{**HABIT["established_facts"][0], "detail": "He has stopped."}]}
    _, narrator, _ = told(app, FINE, adds=other, line="wait")
    assert len(narrator.requests) == 1
    assert [fact.object for fact in state(app).facts_about("harbour:osk")] == ["He has stopped."]


def test_a_built_in_narration_adds_nothing_and_asks_no_extractor(app: App) -> None:
    extractor = ScriptedModel([])
    h.say(h.with_models(app, {"lore_extractor": extractor}), "look")
    assert extractor.requests == []


def test_the_extractor_is_shown_what_the_player_may_know_and_nothing_else(app: App) -> None:
    _, _, extractor = told(app, FINE)
    (request,) = extractor.requests
    assert "Osk counts his coins." in request.text
    assert not any(canary in request.text for canary in h.CANARIES)


def test_a_thread_that_an_ending_asks_about_is_not_the_narrations_to_close(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    make_empty_workspace(root)
    h.write_pack(root / "content_packs" / "harbour")
    ending = "  won: {say: You win., when: {thread: lost, status: resolved}}\n  fled: {"
    (root / "scenarios" / "night_boat.yaml").write_text(h.dedent(h.SCENARIO).replace("  fled: {", ending))
    app = open_app(root)
    app.campaigns.new("night_boat", campaign_id="game", seed=1)
    told(app, FINE, adds={"thread_updates": [{"id": "lost", "status": "resolved"}]})
    h.say(app, "wait")
    assert state(app).threads["lost"].status == "open"
    assert state(app).ended is None


def test_what_a_model_rests_on_is_cited_with_the_chunk_that_it_stands_in(tmp_path: Path) -> None:
    app = h.harbour(tmp_path, models={"narrator": ScriptedModel(lambda _: "Your eyes water [1]. You wait.")})
    (told,) = h.say(app, "look")
    (citation,) = told["citations"]
    assert (citation["chunk_id"], citation["item_id"]) == ("harbour:tavern:atmosphere", None)
    assert citation["quote"] == "Smoke hangs from the beams."
    assert "[1]" not in told["final_text"]
