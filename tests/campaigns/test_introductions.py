"""Whom nobody described the packs introduce: in the rules, in prompts, in SQL; and nothing hidden is in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lorewright.bootstrap import App
from support import harbour as h


def profile_in_sql(app: App) -> dict[str, str]:
    with app.campaigns.reading("game") as store:
        rows = store.database.rows("SELECT id, base_profile FROM characters")
    return {row["id"]: json.loads(row["base_profile"]).get("description", "") for row in rows}


def introduced(app: App) -> dict[str, str]:
    with app.campaigns.open("game") as campaign:
        return {who: found.text for who, found in campaign.setting.rules.introductions.items()}


def test_a_pack_introduces_whom_the_scenario_does_not_describe(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    said = introduced(app)["harbour:osk"]
    assert said == "Landlord of the tavern, and a poor one."
    assert profile_in_sql(app)["harbour:osk"] == said
    assert not any(secret in text for text in introduced(app).values() for secret in h.CANARIES)


def test_it_stays_when_the_character_changes_and_the_file_is_sound(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look", "attack Osk", "wait")
    assert profile_in_sql(app)["harbour:osk"] == "Landlord of the tavern, and a poor one."
    with app.campaigns.reading("game") as store:
        assert [row["base_profile"] for row in store.database.rows("SELECT base_profile FROM characters")].count(
            "{}"
        ) < 2


@pytest.mark.parametrize("cast", ["{at: tavern, profile: {description: A liar.}}", "{at: tavern, name: The stranger}"])
def test_what_the_author_says_goes_before_it_and_another_name_is_not_betrayed(tmp_path: Path, cast: str) -> None:
    scenario = h.dedent(h.SCENARIO).replace("osk: {at: tavern}", f"osk: {cast}")
    assert "harbour:osk" not in introduced(h.harbour(tmp_path, scenario=scenario))
