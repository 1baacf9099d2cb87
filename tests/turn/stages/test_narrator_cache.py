"""Between two turns of one scene hardly anything of the narrator's request changes, and what comes before it not at
all."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from lorewright.bootstrap import open_app
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelRequest
from lorewright.llm.prompt_template import RenderedPrompt
from lorewright.lore_bootstrap import make_workspace
from lorewright.tokens import count_tokens
from support.prompted_campaigns import campaigns

pytestmark = pytest.mark.campaign

CHANGING_TOKENS = 1_500
Prompts = list[tuple[int, RenderedPrompt]]
PromptsOf = Callable[[tuple[str, ...], str], Prompts]

# Long evenings at one place each: talk, searches, waiting, somebody coming in, a threat that goes wrong.
BAR = (
    "look", "ask Viktor about Jin", "ask Captain Bao about the drain", "ask Captain Lund about the drain",
    "ask Captain Bao about the crank", "ask Viktor about the ice", "search the ice bin", "look at Viktor",
    "ask Viktor about Zenith", "threaten Viktor", "search the bar", "wait", "wait", "ask Viktor about Mira",
    "tell Viktor about the drain", "attack Captain Lund", "inventory", "promise Viktor to come back",
)  # fmt: skip
MARKET = (
    "go to the night market", "look", "ask Mira about Jin", "ask Ottoline about the tally", "ask Mira about the tin",
    "search the market", "ask Mira about Viktor", "threaten Ottoline", "wait", "look at the board", "take the board",
    "ask Mira about Pier 9", "wait", "open the steel door",
)  # fmt: skip
LONG = " ".join(["The rain goes on above the sign, and the bar smells of wet wool and of burnt oil."] * 40)
SHORT = "Nobody moves."


@pytest.fixture(scope="module")
def prompts_of(tmp_path_factory: pytest.TempPathFactory) -> PromptsOf:
    """Return what gives (scene, prompt) of every narration of a play of dead_drop, which is played once."""
    return cache(lambda lines, told: played(tmp_path_factory.mktemp("dead_drop") / "w", lines, told))


def played(folder: Path, lines: tuple[str, ...], told: str) -> Prompts:
    asked: list[ModelRequest] = []

    def narrator(request: ModelRequest) -> str:
        asked.append(request)
        return f"{told} That makes {len(asked)}."

    make_workspace(folder)
    campaigns_of = campaigns(open_app(folder), {"narrator": ScriptedModel(narrator)}, folder / "played")
    campaigns_of.new("dead_drop", campaign_id="game", seed=1)
    found: Prompts = []
    with campaigns_of.open("game") as campaign:
        for line in lines:
            before = len(asked)
            asyncio.run(campaign.submit(line))
            scene = campaign.store.head().state.scene.number
            found += [(scene, asked[-1].prompt)] if len(asked) > before else []
    return found


def in_one_scene(prompts: Prompts) -> list[tuple[RenderedPrompt, RenderedPrompt]]:
    return [(one, two) for (scene, one), (other, two) in pairwise(prompts) if scene == other]


def in_common(one: str, two: str) -> str:
    """The beginning that two texts share."""
    pairs = enumerate(zip(one, two, strict=False))
    return one[: next((at for at, (a, b) in pairs if a != b), min(len(one), len(two)))]


def who(prompt: RenderedPrompt) -> str:
    return prompt.stable.partition("<people_here>")[2]


@pytest.mark.parametrize("told", [SHORT, LONG], ids=["short tellings", "long tellings"])
@pytest.mark.parametrize("lines", [BAR, MARKET], ids=["bar", "market"])
def test_in_a_scene_little_changes_and_nothing_before_it(
    prompts_of: PromptsOf, lines: tuple[str, ...], told: str
) -> None:
    pairs = in_one_scene(prompts_of(lines, told))
    assert len(pairs) >= 10
    for one, two in pairs:
        common = in_common(one.text, two.text)
        assert count_tokens(two.text[len(common) :]) <= CHANGING_TOKENS
        # Whatever comes before who is here is the same, byte by byte; and so are they, unless somebody came or left.
        before, _, _ = two.stable.partition("<people_here>")
        assert common.startswith(f"{one.system}\n\n{before}")
        if re.findall(r"^\w.* \((?:he|she|they|it)\)", who(one), re.M) == re.findall(
            r"^\w.* \((?:he|she|they|it)\)", who(two), re.M
        ):
            assert two.stable == one.stable


def test_where_nobody_comes_or_leaves_the_whole_stable_part_stays(prompts_of: PromptsOf) -> None:
    pairs = in_one_scene(prompts_of(BAR, LONG)[:8])
    assert {two.stable == one.stable and two.system == one.system for one, two in pairs} == {True}
    assert all(count_tokens(two.changing) <= CHANGING_TOKENS for _, two in pairs)


def test_the_story_so_far_is_told_in_order_and_the_newest_is_never_left_out(prompts_of: PromptsOf) -> None:
    prompts = [one for _, one in prompts_of(BAR, SHORT)[:8]]
    told = [int(number) for number in re.findall(r"That makes (\d+)\.", prompts[-1].changing)]
    assert told == sorted(told)
    assert told[-1] == len(prompts) - 1
    assert len(told) >= 6
