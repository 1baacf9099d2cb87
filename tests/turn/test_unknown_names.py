"""Names that a narration makes up are found, and ordinary prose is not taken for names."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from lorewright.bootstrap import open_app
from lorewright.lore_bootstrap import make_workspace
from lorewright.turn.run.prose import unknown_names
from support import harbour as h
from support.ordinary_narrations import MADE_UP, PLAYED, TOLD

_REPOSITORY = Path(__file__).parents[2]
SHOWN = "Osk stands in The Tavern. Lin's cage is gone. Pier 9"


@pytest.mark.parametrize(
    ("narration", "names"),
    [
        ("You see Zorilla at the bar.", ["Zorilla"]),
        ("A man called Pim nods, and Pim nods again.", ["Pim"]),
        ("Osk points to Zorilla’s coat.", ["Zorilla’s"]),
        ("“Go to the Blue Heron,” says Osk.", ["Blue", "Heron"]),
        ("Osk mentions Jean-Luc and O'Hara.", ["Jean-Luc", "O'Hara"]),
        ("It was the Ńowak boy.", ["Ńowak"]),
        ("Osk nods to Mr. Liuwan at the bar.", ["Liuwan"]),
        ("“Ask Dr. Vance,” says Osk. Mrs. Pim waits.", ["Vance", "Pim"]),
        ("Osk looks up… Zorilla comes in.", ["Zorilla"]),
        ("Osk looks up. Zorilla comes in.", ["Zorilla"]),
    ],
)
def test_a_name_that_was_not_shown_is_found(narration: str, names: list[str]) -> None:
    assert unknown_names(narration, shown=SHOWN) == names


@pytest.mark.parametrize(
    "narration",
    [
        "Osk looks at Lin's cage, and at the Tavern's door.",
        "Rain. Nobody speaks. Then everybody does.",
        "“Well,” says Osk. “Perhaps.” … Then nothing.",
        "Osk says: Wait. Lin — No, not Lin.",
        "It is Tuesday in March, and I am Captain of nothing, Sir.",
        "The sign says CLOSED and means it.",
        "Two Osks could not carry it.",
        "A victorian table; a Victorian chair.",
        "",
    ],
)
def test_what_was_shown_begins_a_sentence_or_is_ordinary_is_no_new_name(narration: str) -> None:
    assert unknown_names(narration, shown=SHOWN) == []


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the narrator is really shown, by scenario, after its lines."""
    root = tmp_path_factory.mktemp("shipped") / "workspace"
    make_workspace(root)
    for pack in ("cyberpunk_core", "neo_seattle", "orme_house"):
        shutil.copytree(_REPOSITORY / "content_packs" / pack, root / "content_packs" / pack, dirs_exist_ok=True)
    app, found = open_app(root), {}
    for name, lines in PLAYED.items():
        shutil.copy(_REPOSITORY / "scenarios" / f"{name}.yaml", root / "scenarios")
        app.campaigns.new(name, campaign_id=name, seed=1)
        h.say(app, *lines, campaign=name)
        found[name] = h.stage_inputs(app, name)["narrator"][-1]
    return found


@pytest.mark.campaign
def test_at_most_one_ordinary_sentence_in_fifty_is_rejected(shown: dict[str, str]) -> None:
    """Of a labelled set of two hundred sentences (with the made-up names below); the share is what an author pays in
    narrations that are written twice for nothing."""
    told = [(name, line) for name, lines in TOLD.items() for line in lines]
    assert len(told) + len(MADE_UP) >= 195
    rejected = [(line, unknown) for name, line in told if (unknown := unknown_names(line, shown=shown[name]))]
    assert len(rejected) <= len(told) // 50, rejected


@pytest.mark.campaign
def test_every_made_up_name_is_found_but_where_it_begins_a_sentence(shown: dict[str, str]) -> None:
    missed = [
        (name, line)
        for line, name in MADE_UP
        for scene in shown.values()
        if name not in unknown_names(line, shown=scene)
    ]
    begins = [(name, line) for name, line in missed if re.search(rf"(^|[“:] ?){re.escape(name)}", line)]
    assert missed == begins
    assert len({line for _, line in missed}) <= len(MADE_UP) // 8


@pytest.mark.campaign
def test_a_made_up_name_is_rejected_in_every_scene_that_ships(shown: dict[str, str]) -> None:
    assert all(unknown_names("You nod to Zorilla.", shown=one) == ["Zorilla"] for one in shown.values())
