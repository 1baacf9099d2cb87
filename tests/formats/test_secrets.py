"""No export for players holds anything that is kept from them, wherever in a pack it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.authoring.leaks.planting import plant
from lorewright.formats.shown import Audience
from lorewright.packs.conditions import LoreConditions
from lorewright.packs.loader import load_pack
from lorewright.retrieval.view import LoreView
from support.secretive_pack import CANARIES, OUTS, exported, secretive

OWN_PACKS = Path(__file__).parents[2] / "content_packs"

NOBODY = "Somebody comes here: someone, somewhere, someone, the tall one, someone and them."


def canaries_in(text: str) -> list[str]:
    folded = text.casefold()
    return [f"{word} ({place})" for place, word in CANARIES.items() if word in folded]


def test_no_format_holds_a_secret_for_players(tmp_path: Path) -> None:
    texts = exported(secretive(tmp_path / "pack"), Audience.of("player"), tmp_path / "out", card="Osk")
    assert texts.keys() == OUTS.keys()
    assert {out: canaries_in(text) for out, text in texts.items()} == {key: [] for key in OUTS}


def test_what_is_open_is_in_every_format_and_hidden_people_are_nobody(tmp_path: Path) -> None:
    texts = exported(secretive(tmp_path / "pack"), Audience.of("player"), tmp_path / "out")
    for text in texts.values():
        assert "Wet stone and rope" in text
        assert NOBODY in text.replace("\\n", " ").replace("\n", " ")
        assert "Landlord of nothing much." in text
        assert "A rope." in text


def test_the_game_master_gets_all_of_it_and_the_files_say_so(tmp_path: Path) -> None:
    texts = exported(secretive(tmp_path / "pack"), Audience.of("gm"), tmp_path / "out", card="Osk")
    for word in ("marmoset", "caracal", "pangolin", "numbat", "zorilla", "aardwolf", "fossa", "dhole"):
        assert all(word in text.casefold() for text in texts.values())
    for out in ("book.json", "card.json", "handout.html", "handout.md", "vault"):
        assert "what players must not read" in texts[out]
    vault = texts["vault"].casefold()
    # The vault is a whole copy: what an import left over is not lore, and what `provides` counts is counted anew.
    missing = {"solenodon", "bandicoot"}
    assert {word for word in CANARIES.values() if word not in vault} <= missing | {
        "saiga",
        "kinkajou",
        "margay",
        "coati",
    }


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(one, marks=pytest.mark.campaign)
        for one in ("orme_house", "cyberpunk_core", "motel_verse", "neo_seattle")
    ],
)
def test_a_word_planted_in_every_secret_of_an_own_pack_is_in_no_export(name: str, tmp_path: Path) -> None:
    _, canaries = plant(OWN_PACKS / name, tmp_path / name)
    planted = load_pack(tmp_path / name)
    texts = exported(planted, Audience.of("player"), tmp_path / "out")
    assert canaries.words
    assert {out: [one.id for one in canaries.found_in(text)] for out, text in texts.items()} == {
        key: [] for key in texts
    }
    told = exported(planted, Audience.of("gm"), tmp_path / "gm")
    assert all(canaries.found_in(text) for text in told.values())


def test_what_was_learned_is_told_and_nothing_beside_it(tmp_path: Path) -> None:
    pack = secretive(tmp_path / "pack")
    learned = frozenset({"secretive:osk:withholds#quagga", "secretive:zorilla:secrets#1"})
    view = LoreView((), viewer="player", revealed=learned, conditions=LoreConditions(threads={"eland": "open"}))
    for out, text in exported(pack, Audience(view, story="a game"), tmp_path / "out").items():
        found = {word for word in CANARIES.values() if word in text.casefold()}
        # Zorilla exists now, by her names; what holds is there; and of what she and Osk keep, what was told.
        known = {"marmoset", "zorilla", "binturong", "fossa", "dhole", "zebu", "aye-aye"}
        assert found <= known, out
        assert {"marmoset", "zorilla", "fossa", "dhole", "zebu"} <= found
        assert "the hand behind it" in text


def test_what_another_pack_stands_for_is_left_out(tmp_path: Path) -> None:
    pack = secretive(tmp_path / "pack")
    view = LoreView((), viewer="player", conditions=LoreConditions())
    audience = Audience(view, not_in_force=frozenset({"secretive:quay:what-lies-about"}))
    for text in exported(pack, audience, tmp_path / "out").values():
        assert "A rope." not in text
        assert "Wet stone" in text
