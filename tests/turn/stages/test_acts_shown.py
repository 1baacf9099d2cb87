"""What others do, as the narrator's prompt shows it: numbered once, resolved, whose round it is; and a prompt of the
first version is told of it all the same."""

from __future__ import annotations

import re

import pytest

from lorewright.llm.prompt_template import RenderedPrompt
from lorewright.rules.patch import Outcome
from lorewright.tokens import count_tokens
from lorewright.turn.stages.narrate.context import narrator_context
from lorewright.turn.stages.narrate.sources import sources_of
from lorewright.values.records import NarratorInput, NpcAct
from support.narrator_company import ALLEY, COMPANY, JO, OVERHEARD, PEOPLE, UNIT, act, came_of, company, news
from support.narrator_scenes import PIER, outcome
from support.prompted_campaigns import LIBRARY

CHANGING_TOKENS = 1_500
ASKED = act("p:mara", came_of("ask", "acted", target_id=JO, words="Jin"), text="Mara asks Jo about Jin.")
BARRED = act(
    "p:viktor", came_of("go", "blocked", location_id=ALLEY, reason="door_locked"), text="Viktor makes for the alley."
)
WHISPERED = act("p:porter", hidden=True, whisper_to="p:mara")


def shown(given: NarratorInput, version: str = "v2") -> RenderedPrompt:
    template = LIBRARY.get("narrator", version)
    return template.render(narrator_context(given).model_dump(mode="json"))


def lines(prompt: RenderedPrompt) -> dict[int, str]:
    found = re.findall(r"^\[(\d+)\] (.*)$", f"{prompt.stable}\n{prompt.changing}", re.M)
    assert len({number for number, _ in found}) == len(found)
    return {int(number): line for number, line in found}


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_every_act_is_shown_once_under_its_number_whatever_the_version(version: str) -> None:
    given = company(ASKED, BARRED, WHISPERED, outcomes=(outcome("waited"),))
    numbered = lines(shown(given, version))
    sources = sources_of(given)
    assert sorted(numbered) == [one.number for one in sources]
    acts = [one for one in sources if one.id.startswith("act:")]
    assert [one.id for one in acts] == ["act:0", "act:1", "act:2"]
    assert all(numbered[one.number] == one.text for one in acts)


def test_an_act_says_what_is_intended_and_what_came_of_it() -> None:
    texts = {one.id: one.text for one in sources_of(company(ASKED, BARRED))}
    assert texts["act:0"] == (
        'Mara intends: Mara asks Jo about Jin. What comes of it: Mara tries to ask Jo ("Jin"): it is said; the answer is '
        "Jo's, and is not told."
    )
    assert "Viktor intends: Viktor makes for the alley." in texts["act:1"]
    assert "it cannot be done, and is not; the door is locked" in texts["act:1"]


def test_of_a_whisper_to_another_nothing_is_shown_but_that_there_is_one() -> None:
    heard = came_of("tell", "heard", target_id="p:mara", words="the drowned bell")
    one = act("p:porter", heard, text="“The bell has drowned.”", say=("A bell.",), hidden=True, whisper_to="p:mara")
    prompt = shown(company(one))
    assert "the night porter whispers to Mara." in prompt.changing
    assert "bell" not in prompt.text.lower()


def test_a_whisper_to_the_player_says_that_it_is_one() -> None:
    heard = came_of("tell", "heard", target_id=JO, item_ids=(PIER.item_id,))
    prompt = shown(company(act("p:viktor", heard, text="Viktor tells Jo.", whisper_to=JO), evidence=news()))
    assert "It is whispered: Jo alone hears it." in prompt.changing
    assert re.search(r"Viktor tells: Jin's last run", prompt.changing)


def test_who_is_overheard_and_who_answers_is_said_with_what_is_learned() -> None:
    answered = came_of("ask", "told", target_id="p:viktor", item_ids=(PIER.item_id,))
    prompt = shown(company(act("p:mara", answered, text="Mara asks."), evidence=(OVERHEARD,)))
    assert "Viktor tells Mara, overheard: Jin's last run" in prompt.changing


def test_a_round_of_anothers_is_told_alone_and_has_no_words_of_the_players() -> None:
    prompt = shown(company(ASKED))
    assert "It is Mara who acts." in prompt.changing
    assert "<player_words>" not in prompt.changing
    assert "Tell what happens" not in prompt.changing


def test_acts_after_the_players_outcomes_are_woven_in() -> None:
    prompt = shown(company(ASKED, BARRED, outcomes=(outcome("waited"),), player_text="wait"))
    assert "weave the acts into it" in prompt.changing
    assert "who acts." not in prompt.changing
    happened, acts = prompt.changing.index("<happened>"), prompt.changing.index("<acts>")
    assert happened < acts


def test_without_acts_nothing_of_them_is_shown() -> None:
    prompt = shown(company(outcomes=(outcome("waited"),), player_text="wait"))
    assert "<acts>" not in prompt.changing
    assert "silence" not in prompt.changing
    assert prompt.changing.rstrip().endswith("Tell what happens.")


def test_the_quiet_of_the_turn_before_is_shown_by_name() -> None:
    prompt = shown(company(outcomes=(outcome("waited"),), quiet=("p:mara", "p:gone")))
    assert "Has let the last turn pass in silence: Mara" in prompt.changing
    assert "gone" not in prompt.changing


def test_who_goes_by_an_act_is_not_listed_as_leaving_as_well() -> None:
    gone = act("p:mara", came_of("go", "moved", location_id=ALLEY), text="Mara leaves.")
    movement = {"entity_id": "p:mara", "name": "Mara", "kind": "departure"}
    sources = sources_of(NarratorInput.model_validate(company(gone).model_dump() | {"movements": (movement,)}))
    assert not [one for one in sources if one.id.startswith("departure")]


def test_the_stable_part_is_the_same_in_anybodys_round() -> None:
    mine = shown(company(outcomes=(outcome("waited"),), player_text="wait"))
    theirs = shown(company(ASKED))
    all_of_it = shown(company(ASKED, BARRED, outcomes=(outcome("waited"),)))
    assert (mine.system, mine.stable) == (theirs.system, theirs.stable) == (all_of_it.system, all_of_it.stable)


def test_the_changing_part_stays_small_with_five_wordy_acts() -> None:
    long = "Somebody says a great deal about the rain, the sign, the stairs and the lamp. " * 8
    told: list[Outcome] = [
        came_of("give", "given", target_id=JO, item_id=UNIT, words="the steel door", band="mixed"),
    ]
    acts: list[NpcAct] = [act(who, *told, text=long[:600], say=(long[:300],)) for who in [*PEOPLE, *PEOPLE][:5]]
    given = company(
        *acts, outcomes=(outcome("waited"), outcome("looked")), player_text=long, recent=(long,) * 12, scene=COMPANY,
        quiet=("p:mara",),
    )  # fmt: skip
    assert count_tokens(shown(given).changing) <= CHANGING_TOKENS
    assert count_tokens(shown(given, "v1").changing) <= CHANGING_TOKENS
