"""The variables that the specification lists, each in the prompts that may have it."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.turn.stages.extract.context import LoreExtractorContext
from lorewright.turn.stages.inner.context import CharacterExtractorContext, PersonaExtractorContext
from lorewright.turn.stages.interpret.context import InterpreterContext
from lorewright.turn.stages.narrate.context import NarratorContext
from lorewright.turn.stages.npc_intent.context import NpcIntentContext
from lorewright.turn.stages.plan.context import PlannerContext
from lorewright.turn.stages.resolution.context import ResolutionContext
from lorewright.turn.stages.summarise.context import SummariserContext
from lorewright.turn.stages.variables import (
    CharInside,
    CharVariables,
    PlayerVariables,
    RecapContext,
    message_variables,
    state_variables,
)
from lorewright.values.records import InnerState, Message, Persona
from support.prompt_files import prompt

STATES = (
    InnerState(name="mood", value="wary", level=7),
    InnerState(name="rage", value={"at": "Osk"}, level=3),
    InnerState(name="debt", value=40, level=6),
    InnerState(name="curse", value="asleep", level=5),
)


def message(content: str, *, owner: str = "narrator", kind: str = "narration", seq: int = 0, **more: Any) -> Message:
    return Message.model_validate(
        {"owner": owner, "type": kind, "turn_id": "t", "seq": seq, "content": content, **more}
    )


MSGS = message_variables(
    [
        (1, message("Osk looks up.")),
        (2, message("“Tuesday,” says Osk.")),
        (3, message("I bolt the cellar.", owner="h:osk", kind="intention", payload={"emotion": "afraid"})),
    ],
    {"h:osk": "Osk"}.__getitem__,
)


def shown(template: str, context: Any) -> str:
    return prompt(template).render(context.model_dump(mode="json")).changing


def npc(**more: Any) -> NpcIntentContext:
    char = CharVariables(name="Osk", states=state_variables(STATES, latent=False))
    return NpcIntentContext(char=char, msgs=MSGS, **more)


def test_who_plays_without_a_name_is_the_adventurer() -> None:
    assert Persona().name == "the adventurer"
    for context in (npc(), RecapContext(), SummariserContext()):
        assert shown("{{player_name}}", context) == "the adventurer"
    assert shown("{{player_name}}", npc(player_name="Ada")) == "Ada"


def test_the_player_has_a_description_and_states() -> None:
    player = PlayerVariables(description="A courier.", states=state_variables(STATES, latent=False))
    template = "{{player.description}} {{#each player.states}}{{name}}={{value}}:{{is_manifest}} {{/each}}"
    assert shown(template, npc(player=player)) == "A courier. debt=40:true mood=wary:true"


def test_a_character_sees_its_manifest_states_with_their_flags() -> None:
    template = "{{char.name}}:{{#each char.states}} {{name}}/{{level}}/{{is_subconscious}}/{{is_manifest}}{{/each}}"
    assert shown(template, npc()) == "Osk: debt/6/false/true mood/7/false/true"


def test_extractors_see_what_is_latent_too() -> None:
    char = CharInside(
        name="Osk",
        all_states=state_variables(STATES, latent=True),
    )
    context = CharacterExtractorContext(char=char, intention="x")
    template = "{{#each char.all_states}}{{name}}={{value}}{{#if is_subconscious}}*{{/if}} {{/each}}"
    assert shown(template, context) == "curse=asleep* debt=40 mood=wary rage=at: Osk*"


def properties(context: type, *path: str) -> set[str]:
    """The names below a path of a context's schema; nothing where the path is not there."""
    schema = context.model_json_schema(mode="serialization")  # type: ignore[attr-defined]
    here = schema
    for name in path:
        here = here.get("properties", {}).get(name, {})
        here = here.get("items", here)
        here = schema["$defs"][here["$ref"].rpartition("/")[2]] if "$ref" in here else here
    return set(here.get("properties", {}))


def test_only_extractors_have_a_place_for_what_is_latent() -> None:
    others = (
        InterpreterContext, PlannerContext, NarratorContext, ResolutionContext, NpcIntentContext, LoreExtractorContext,
        SummariserContext, RecapContext,
    )  # fmt: skip
    for context in others:
        assert "all_states" not in str(context.model_json_schema(mode="serialization"))
    assert "all_states" in properties(CharacterExtractorContext, "char")
    assert "all_states" in properties(PersonaExtractorContext)


@pytest.mark.parametrize(
    ("context", "path", "name"),
    [
        (NarratorContext, (), "player_name"),
        (InterpreterContext, (), "player_name"),
        (PlannerContext, (), "player_name"),
        (ResolutionContext, (), "player_name"),
        (NarratorContext, ("player",), "description"),
        (NarratorContext, ("player",), "states"),
        (PersonaExtractorContext, ("player",), "states"),
        (NpcIntentContext, ("char",), "name"),
        (NpcIntentContext, ("char",), "states"),
        (NarratorContext, ("chars",), "summary"),
        (PlannerContext, ("chars",), "summary"),
        (NpcIntentContext, ("chars",), "summary"),
        (LoreExtractorContext, ("turn",), "narration"),
        (LoreExtractorContext, ("lore",), "text"),
        (NarratorContext, ("lore",), "text"),
        (NpcIntentContext, ("lore",), "text"),
        *((context, ("msgs",), field) for context in (NarratorContext, NpcIntentContext, PlannerContext,
          PersonaExtractorContext, CharacterExtractorContext, SummariserContext, RecapContext)
          for field in ("is_dialog", "character", "emotion")),
    ],
)  # fmt: skip
def test_a_stage_has_the_variables_that_are_listed_for_it(context: type, path: tuple[str, ...], name: str) -> None:
    assert name in properties(context, *path)


def test_messages_say_who_speaks_in_what_mood_and_whether_somebody_is_quoted() -> None:
    template = "{{#last msgs 20}}{{character}}|{{emotion}}|{{is_dialog}}|{{text}}\n{{/last}}"
    assert shown(template, npc()).splitlines() == [
        "narrator||false|Osk looks up.",
        "narrator||true|“Tuesday,” says Osk.",
        "Osk|afraid|false|I bolt the cellar.",
    ]


def test_only_the_last_messages_are_shown() -> None:
    many = message_variables([(n, message(f"m{n}")) for n in range(30)], str)
    assert shown("{{#last msgs 20}}{{text}} {{/last}}", npc().model_copy(update={"msgs": many})).split() == [
        f"m{n}" for n in range(10, 30)
    ]
