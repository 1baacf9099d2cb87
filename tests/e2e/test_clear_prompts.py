"""From the prompt of a stage alone one can read who is wary of whom, how long is left, and what was promised."""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import open_app
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelRequest
from lorewright.lore_bootstrap import make_workspace
from support.prompted_campaigns import campaigns

pytestmark = pytest.mark.campaign

PLAYS = {
    "dead_drop": (
        *("look", "promise Viktor to pay his debt", "threaten Viktor", "attack Viktor", "ask Viktor about Mira"),
        *("go to the night market", "look"),
    ),
    "night_desk": ("go lot", "promise Bram the key", "threaten Bram", "attack Bram", "wait", "go office", "look"),
    "seven_minutes": ("promise Teo to stay", "threaten Teo", "attack Teo", "kiss Teo", "wait"),
}
THOUGHT = "Nobody must see my hands."
TOLD = "Your hand is seen, and nothing is said about it"
Asked = Mapping[str, list[str]]


def played(folder: Path, scenario: str) -> Asked:
    """Stage -> the prompts that it was asked with, in order."""
    asked: defaultdict[str, list[str]] = defaultdict(list)

    def answering(answer: Any) -> ScriptedModel:
        def answer_to(request: ModelRequest) -> Any:
            asked[request.stage].append(request.prompt.text)
            return answer

        return ScriptedModel(answer_to)

    intends = {"action_text": "A glass is wiped, and it is said to be late.", "thought": THOUGHT}
    inner = ("persona_extractor", "character_extractor", "lore_extractor")
    models = {
        "narrator": answering(f"{TOLD}."),
        "planner": answering({"beats": ["show the rain"], "tension_move": "let it tighten"}),
        "npc_intent": answering(intends),
        "resolution": answering({"resolved_outcome": "no roll"}),
        **{stage: answering({}) for stage in inner},
    }
    make_workspace(folder / "w")
    stories = campaigns(open_app(folder / "w"), models, folder / "played")
    stories.new(scenario, campaign_id="game", seed=1)
    with stories.open("game") as campaign:
        for line in PLAYS[scenario]:
            asyncio.run(campaign.submit(line))
    return asked


@pytest.fixture(scope="module")
def prompts(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Asked]:
    return {scenario: played(tmp_path_factory.mktemp(scenario), scenario) for scenario in PLAYS}


def any_has(texts: list[str], pattern: str) -> bool:
    return any(re.search(pattern, text, re.M) for text in texts)


@pytest.mark.parametrize("stage", ["narrator", "planner"])
def test_who_is_wary_of_whom_is_said(prompts: Mapping[str, Asked], stage: str) -> None:
    after = prompts["dead_drop"][stage][4:]
    assert any_has(
        after, r"^Viktor mistrusts Jo and is (wary of|near to a quarrel with) Jo \(trust -\d, tension \+\d\)"
    )
    assert any_has(prompts["night_desk"][stage], r"^Bram .*(wary of|quarrel with) Ash")


def test_a_character_is_told_how_it_stands_to_those_who_are_there(prompts: Mapping[str, Asked]) -> None:
    assert any_has(
        prompts["night_desk"]["npc_intent"], r"^- Ash \(the player's character\): you .*(wary|quarrel).* them"
    )
    assert any_has(prompts["seven_minutes"]["npc_intent"], r"^- (Teo|Lena): your friend")


@pytest.mark.parametrize("stage", ["narrator", "planner", "npc_intent"])
def test_how_long_is_left_is_said_with_its_bounds(prompts: Mapping[str, Asked], stage: str) -> None:
    left = [re.search(r"^Minutes left: (\d), from 0 to 7 \(at 0 the door opens", text, re.M)
            for text in prompts["seven_minutes"][stage]]  # fmt: skip
    assert all(left)
    shown = [int(found[1]) for found in left if found is not None]
    assert shown == sorted(shown, reverse=True) and shown[-1] < shown[0]
    assert any_has(prompts["seven_minutes"][stage], r"^Comfort: \d, from 0 to 5 \(how much at ease")
    assert any_has(prompts["night_desk"][stage], r"^Pressure: \d, from 0 to 6 \(how much presses")


def test_what_was_promised_and_to_whom_is_said(prompts: Mapping[str, Asked]) -> None:
    assert any_has(prompts["dead_drop"]["narrator"], r"Jo promised Viktor: “pay his debt”")
    assert any_has(prompts["dead_drop"]["planner"], r"^Jo promised Viktor: “pay his debt”")
    assert any_has(prompts["seven_minutes"]["npc_intent"], r"^- Robin promised you: “stay”")
    # As long as both are there, and whatever else there is room for.
    for text in prompts["seven_minutes"]["narrator"][1:]:
        assert re.search(r"Robin promised Teo: “?stay", text)
    assert any_has(prompts["night_desk"]["npc_intent"], r"^- Ash gave Bram a promise: “.*key.*”\. \(weight \d\.\d")


@pytest.mark.parametrize("stage", ["narrator", "planner", "npc_intent"])
def test_tone_and_stakes_are_said(prompts: Mapping[str, Asked], stage: str) -> None:
    for text in prompts["seven_minutes"][stage]:
        assert "Tone of this story: tense, awkward, intimate" in text
        assert "At stake: If this goes wrong, trust collapses" in text


def test_a_thought_does_not_stand_like_a_narration(prompts: Mapping[str, Asked]) -> None:
    texts = [text for scenario in ("night_desk", "seven_minutes") for text in prompts[scenario]["npc_intent"]]
    assert any_has(texts, re.escape(THOUGHT))
    lines = [line for text in texts for line in text.splitlines()]
    for line in (line for line in lines if THOUGHT in line):
        assert re.match(r"\[[^\]]+, a thought that nobody hears(; feeling: [^\]]+)?\] ", line)
    for line in (line for line in lines if TOLD in line):
        assert re.match(r"\[narrator, to (Ash|Robin), who is “you” in it[^\]]*\] ", line)


def test_no_line_to_the_player_is_what_a_character_saw(prompts: Mapping[str, Asked]) -> None:
    for scenario in ("night_desk", "seven_minutes"):
        for text in prompts[scenario]["npc_intent"]:
            seen = re.search(r"<just_now>(.*?)</just_now>", text, re.S)
            assert seen is None or not re.search(r"\b(you|your|yours)\b", seen[1], re.I)


def test_the_persona_is_shown_what_it_remembers(prompts: Mapping[str, Asked]) -> None:
    assert any_has(prompts["night_desk"]["persona_extractor"], r"^- Ash threatened Bram.* \(weight \d\.\d\)")


def test_who_is_in_a_prompt_has_a_profile(prompts: Mapping[str, Asked]) -> None:
    assert any_has(prompts["night_desk"]["character_extractor"], r"<profile>Bram Oakes is forty-four")
    assert any_has(prompts["dead_drop"]["narrator"], r"^What Viktor can do: Viktor is no threat in a fight")


def test_no_prompt_has_json_and_ids_only_where_an_answer_names_them(prompts: Mapping[str, Asked]) -> None:
    for asked in prompts.values():
        for stage, texts in asked.items():
            for text in texts:
                shown = text.partition("=== stable")[2] or text.partition("\n\n")[2]
                body = "\n".join(line for line in shown.splitlines() if not line.startswith(("{", "- `")))
                assert not re.search(r'\{"\w+":|\[\{|": \[', body), stage
                for line in body.splitlines():
                    if re.search(r"\b(game|motel_verse|neo_seattle|cyberpunk_core):\w+", line):
                        assert stage in ("npc_intent", "lore_extractor", "resolution"), (stage, line)


def test_a_source_has_a_title_and_no_sentence_stands_twice(prompts: Mapping[str, Asked]) -> None:
    assert any_has(prompts["dead_drop"]["narrator"], r"^\[\d+\] Mira, Background: She trained")
    for text in prompts["dead_drop"]["narrator"]:
        lore = re.findall(r"^\[\d+\] (.*)$", text, re.M)
        lore = [line for line in lore if TOLD not in line]
        sentences = [part for line in lore for part in re.split(r"(?<=[.!?]) ", line) if len(part.split()) > 5]
        assert len(sentences) == len(set(sentences))


def test_markers_of_earlier_turns_are_said(prompts: Mapping[str, Asked]) -> None:
    assert any_has(prompts["night_desk"]["narrator"], r"^(Before the last turn|\d turns ago): They have come from The")


def test_the_model_may_leave_nothing_out_that_was_learned(tmp_path: Path) -> None:
    make_workspace(tmp_path / "w")
    models = {"narrator": ScriptedModel(lambda _: "He looks at the door and says something.")}
    stories = campaigns(open_app(tmp_path / "w"), models, tmp_path / "played")
    stories.new("dead_drop", campaign_id="game", seed=1)
    with stories.open("game") as campaign:
        result = json.loads(asyncio.run(campaign.submit("ask Viktor about Jin")))
    assert "Jin's last run went to Pier 9" in result["final_text"]
    # The second ties him to the thread that the question touches.
    cited = [citation["item_id"].removeprefix("neo_seattle:viktor:") for citation in result["citations"]]
    assert cited == ["knows#pier9", "threads#main_case"]
