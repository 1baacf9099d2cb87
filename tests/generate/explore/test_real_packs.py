"""Walks in what real authors wrote: a first prompt, forty lines, nothing told that must not be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lorewright.bootstrap import open_app
from lorewright.campaigns.scenarios.scenario import load_scenario
from lorewright.generate.explore.writing import write_scenario
from lorewright.lore_bootstrap import make_workspace
from lorewright.packs.markdown.chunking import plain_text
from support import walking_player
from support.corpora import SOME_PACKS, corpus_pack

pytestmark = [pytest.mark.campaign, pytest.mark.corpora]


def words_of(text: str) -> str:
    """The words alone, as they follow on each other: what is left of a text without its markup."""
    return " ".join(re.findall(r"[^\W_]+", text))


# The other two with CAMPAIGN_SCALE=3.
@pytest.mark.parametrize("name", SOME_PACKS)
def test_a_walk_of_forty_lines_in_a_real_pack(name: str, tmp_path: Path) -> None:
    folder = corpus_pack(name)
    make_workspace(tmp_path / "workspace")
    app = open_app(tmp_path / "workspace")
    pack, findings = app.explorer.pack(str(folder))
    found = app.explorer.walk(pack, findings, seed=3)
    assert found.scenario == app.explorer.walk(pack, findings, seed=3).scenario
    assert len(found.lines) <= 12
    campaigns = walking_player.begun(app, found, tmp_path / "games", seed=3)
    with campaigns.reading("game") as store:
        state = store.head().state
    assert len(state.exits) >= 50
    assert walking_player.reachable(state) == set(state.exits)
    assert max(map(len, state.exits.values())) <= 6
    played = walking_player.walk(campaigns, turns=40, seed=3)
    assert [(line, bad) for line, told in played if (bad := walking_player.untold(told["final_text"]))] == []
    assert [line for line, told in played if line.startswith("go to") and told["clarification_question"]] == []
    cited = [citation for _, told in played for citation in told["citations"]]
    assert len(cited) >= 10
    generation = app.library.open(pack.key)
    for citation in cited:
        chunk = generation.chunk(citation["chunk_id"])
        assert chunk is not None
        assert words_of(citation["quote"]) in words_of(plain_text(chunk.text))
    generation.close()


def test_the_walk_in_a_real_pack_is_written_and_read_again(tmp_path: Path) -> None:
    make_workspace(tmp_path / "workspace")
    app = open_app(tmp_path / "workspace")
    found = app.explorer.walk(*app.explorer.pack(str(corpus_pack("asis-dnd-srd"))), seed=1)
    write_scenario(found.scenario, tmp_path / "walk.yaml")
    assert load_scenario(tmp_path / "walk.yaml") == found.scenario
