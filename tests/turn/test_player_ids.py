"""Who a scenario stages under another name than the pack's keeps it: no text, no ID, no file and no command that a
player has undoes the disguise, and nothing of it depends on what is behind it."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from lorewright.authoring.leaks.twin_worlds import same_dice
from lorewright.bootstrap import App
from lorewright.campaigns.checks import check
from lorewright.campaigns.exchange import export
from lorewright.campaigns.lore import ask_lore, explain_last_turn, support_of
from lorewright.campaigns.viewers import scene_of, state_of, transcript_of
from lorewright.cli.game.slash import run_command
from lorewright.errors import LorewrightError
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.service.queries import Queries
from lorewright.storage.containers import open_container
from lorewright.turn.views.player_ids import PlayerIds
from lorewright.visibility import Viewer
from lorewright.world.ops import UpdateEntity
from lorewright.world.state import Entity
from support import harbour as h
from support import hidden_people as folk

# ID, name, alias and the name of the file of a person and of a place, in two worlds.
LODE = (("lode", "Ansgar Lode", "the Weeper"), ("crypt_9", "Crypt of the Drowned King", "the wet grave"))
HAX = (("haxgrob", "Quil Haxgrob Thul", "Jodwyx"), ("prenkvok", "Zur Prenkvok", "yibyib"))
ALL = [name for one in LODE for name in one]
LINES = (
    "look around",
    "talk to the stranger",
    "ask the stranger about the ford",
    "go other way",
    "go up",
    "/whisper the_stranger hi",
)


def _files(world: tuple[tuple[str, str, str], ...]) -> dict[str, str]:
    (person, name, alias), (place, place_name, place_alias) = world
    return {
        f"npcs/{person}.md": f"""
            ---
            id: {person}
            type: npc
            name: {name}
            aliases: [{alias}]
            pronoun: he
            visibility: gm
            ---
            # {name}

            {name} drowned the king.

            ## Disposition

            - He turns his cup and says nothing.

            ## Knows

            - {{#ford}} The ford is shallow at noon.
        """,
        f"locations/{place}.md": f"""
            ---
            id: {place}
            type: location
            name: {place_name}
            aliases: [{place_alias}]
            visibility: gm
            ---
            # {place_name}

            The king lies here.
        """,
    }


def _staged(world: tuple[tuple[str, str, str], ...]) -> str:
    person, place = world[0][0], world[1][0]
    text = folk.scenario()
    text = text.replace(
        "vik: {at: taproom}", f"vik: {{at: taproom}}\n          {person}: {{at: taproom, name: the stranger}}"
    )
    text = text.replace("{yard: {to: yard},", f"{{yard: {{to: yard}}, cellar: {{to: {place}}},")
    return text.replace(
        "yard: {exits:", f"{place}: {{name: The Cellar, exits: {{up: {{to: taproom}}}}}}\n          yard: {{exits:", 1
    )


def _app(root: Path, world: tuple[tuple[str, str, str], ...] = LODE) -> App:
    return folk.inn(root, text=_staged(world), more=_files(world))


def _play(app: App) -> list[str]:
    """Everything that a player's programs are answered while the lines are played."""
    answers: list[str] = []
    with app.campaigns.open("game") as campaign:
        campaign.change_setting(dice=same_dice)
        ids = campaign.player_ids()
        for line in LINES:
            if line.startswith("/"):
                run_command(campaign, line)
            else:
                answers.append(ids.told_json(asyncio.run(campaign.submit(line))))
            answers += [
                state_of(campaign, "player").model_dump_json(),
                scene_of(campaign, "player").model_dump_json(),
                transcript_of(campaign, "player", last=9).model_dump_json(),
                repr(explain_last_turn(campaign)),
                ask_lore(campaign, "ford king cup stranger").model_dump_json(),
            ]
    return answers


@pytest.mark.campaign
def test_no_answer_to_a_players_program_names_who_is_in_disguise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = _app(tmp_path)
    said = "\n".join((*_play(app), capsys.readouterr().out))
    assert "The ford is shallow at noon" in said
    assert "game:the_stranger" in said
    assert "game:the_cellar" in said
    assert [name for name in ALL if name.casefold() in said.casefold()] == []


@pytest.mark.campaign
def test_what_is_behind_a_disguise_changes_no_answer(tmp_path: Path) -> None:
    one, other = (_play(_app(tmp_path / world[0][0], world)) for world in (LODE, HAX))
    # A turn's ID is made of what is stored.
    assert [_without_hashes(text) for text in one] == [_without_hashes(text) for text in other]


def _without_hashes(text: str) -> str:
    return re.sub(r"turn_[0-9a-f]{16}|(?<=\"seed\":\")[^\"]+", "…", text)


@pytest.mark.parametrize("line", ["/why", "/who", "/map", "/lore ford", "/lore the stranger", "/recap", "/redo"])
def test_the_prompt_cites_who_is_in_disguise_by_the_name_on_stage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    app = _app(tmp_path)
    h.say(app, "talk to the stranger")
    with app.campaigns.open("game") as campaign:
        if line == "/redo":
            run_command(campaign, "/undo")
        run_command(campaign, line)
    shown = capsys.readouterr().out
    assert [name for name in ALL if name.casefold() in shown.casefold()] == []
    if line == "/why":
        assert "[the_stranger] the stranger" in shown


def test_what_a_player_exports_and_asks_the_service_names_nobody_either(tmp_path: Path) -> None:
    app = _app(tmp_path)
    h.say(app, *LINES[:4])
    export(app.campaigns, "game", tmp_path / "story", audience="player")
    with open_container(tmp_path / "story") as container:
        said = container.read("story.json").decode()
    desk = Queries(app, Viewer("player"), "game")
    query = LoreRetrievalQuery(keywords="ford stranger cup king", viewer="player", corpus="all", limit=50)
    answers = (
        said,
        desk.state().model_dump_json(),
        desk.scene().model_dump_json(),
        desk.transcript().model_dump_json(),
        desk.entities().model_dump_json(),
        desk.lore("ford stranger cup king").model_dump_json(),
        app.lore.retrieve(query, campaign_id="game").result.model_dump_json(),
    )
    for text in answers:
        assert [name for name in ALL if name.casefold() in text.casefold()] == []
    assert "game:the_stranger" in said
    for name in ("lode", "inn:lode", "nobody", "game:the_stranger"):
        with pytest.raises(LorewrightError, match="there is no entity"):
            desk.entity(name)


def test_what_a_narration_rests_on_is_told_without_the_file_of_who_is_in_disguise(tmp_path: Path) -> None:
    app = _app(tmp_path)
    h.say(app, "talk to the stranger")
    said = repr(support_of(app.campaigns, "game", 1))
    assert "the_stranger" in said
    assert [name for name in ALL if name.casefold() in said.casefold()] == []


def test_the_game_master_is_told_the_packs_own_ids_and_the_file_keeps_them(tmp_path: Path) -> None:
    app = _app(tmp_path)
    (said,) = h.say(app, "talk to the stranger")
    assert "inn:lode" in json.dumps(said)
    with app.campaigns.open("game") as campaign:
        assert "inn:lode" in state_of(campaign, "gm").model_dump_json()
        assert "inn:lode" in scene_of(campaign, "gm").model_dump_json()
        assert "inn:lode" in transcript_of(campaign, "gm", last=1).model_dump_json() + json.dumps(said)
    assert check(app.campaigns.path("game"), app.campaigns.kept).findings == ()


@pytest.mark.parametrize("name", ["the stranger", "stranger", "the_stranger", "game:the_stranger", "The Stranger"])
def test_a_player_may_use_the_id_that_they_were_told(tmp_path: Path, name: str) -> None:
    with _app(tmp_path).campaigns.open("game") as campaign:
        assert campaign.somebody_called(name) == "inn:lode"


@pytest.mark.campaign
def test_a_guess_at_who_is_behind_it_is_answered_as_a_made_up_name(tmp_path: Path) -> None:
    app = _app(tmp_path)
    h.say(app, "talk to the stranger", "go other way", "go up")
    with app.campaigns.open("game") as campaign:
        for guess in (*ALL, "inn:lode", "inn:crypt_9"):
            with pytest.raises(LorewrightError, match=f"nobody called {guess}"):
                campaign.somebody_called(guess)
    for sentence in ("go to {}", "look at {}", "{}, where are you?", "{}"):
        for guess, invented in (("Lode", "Zork"), ("inn:lode", "inn:zork"), ("crypt_9", "zorkz_9")):
            one, other = h.say(app, sentence.format(guess), sentence.format(invented))
            assert (one["clarification_question"] or "").replace("lode", "zork").replace("Lode", "Zork").replace(
                "crypt", "zorkz"
            ) == (other["clarification_question"] or ""), sentence
            assert one["validation"]["results"] == other["validation"]["results"]


def test_the_id_stays_when_the_disguise_falls(tmp_path: Path) -> None:
    app = _app(tmp_path)
    with app.campaigns.open("game") as campaign:
        before = campaign.player_ids().ids
        campaign.edit([UpdateEntity(entity_id="inn:lode", name="Ansgar Lode")], action_id="unmask")
        assert (
            campaign.player_ids().ids
            == before
            == {
                "inn:lode": "game:the_stranger",
                "inn:crypt_9": "game:the_cellar",
                "inn:widow_maker": "game:bread_knife",
            }
        )
        assert "Ansgar Lode" in state_of(campaign, "player").model_dump_json()


def _entity(entity_id: str, name: str) -> Entity:
    return Entity(id=entity_id, type="npc", name=name, origin="pack", pack_id="p", pack_entity_id=entity_id)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("p:lode", "c:the_man"),
        ("p:lode:knows#ford", "c:the_man"),
        ("p:lode|c:player", "c:the_man|c:player"),
        ("p:lodes", "p:lodes"),
        ("xp:lode", "xp:lode"),
        ({"p:lode": ["p:lode", 1, None]}, {"c:the_man": ["c:the_man", 1, None]}),
        ({"content": "p:lode", "player_text": "p:lode", "topic": "p:lode"},) * 2,
    ],
)
def test_ids_are_exchanged_and_words_are_not(value: Any, told: Any) -> None:
    ids = PlayerIds("c", {"p:lode": _entity("p:lode", "The Man")})
    assert ids.told(value) == told


def test_two_of_a_name_and_one_of_the_campaigns_own_have_three_ids() -> None:
    staged = {"p:a": _entity("p:a", "a man"), "p:b": _entity("p:b", "A Man")}
    ids = PlayerIds("c", staged, frozenset({"c:a_man", "p:a"})).ids
    assert sorted(ids.values()) == ["c:a_man_2", "c:a_man_3"]


def test_a_question_about_the_id_behind_a_disguise_is_one_about_nobody(tmp_path: Path) -> None:
    app = _app(tmp_path)
    h.say(app, *LINES[:4], "go up")
    desk = Queries(app, Viewer("player"), "game")

    def asked(person: str, place: str) -> list[str]:
        return [
            desk.lore("who was there", entities=(person,)).model_dump_json(),
            desk.lore("who was there", location=place, corpus="history").model_dump_json(),
            desk.lore("", entities=(person,), corpus="history").model_dump_json(),
        ]

    assert asked("inn:lode", "inn:crypt_9") == asked("inn:zork", "inn:zork_9") == asked("zork", "zork_9")
