"""Plays with several characters, in which every private thing has a word of its own: over every input of every
stage none is where the specification forbids it, and each is where it allows it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from types import MappingProxyType

import pytest

from lorewright import visibility
from lorewright.authoring.leaks.planting import may_know
from lorewright.llm.doubles import ParrotModel, ScriptedModel, ThiefModel
from lorewright.service.queries import Queries
from lorewright.visibility import MESSAGES, MessageKind, MessageReader, MessageSight, Viewer
from support import stream_play as s
from support.scale import scaled

# Forty and more from CAMPAIGN_SCALE=4 on.
TURNS = scaled(12)

pytestmark = pytest.mark.campaign


def told(play: s.Play) -> str:
    """Everything that the player reads."""
    with play.app.campaigns.reading("game") as store:
        return json.dumps([turn["result"] for turn in store.turns()], ensure_ascii=False)


def private_in(play: s.Play, text: str) -> set[str]:
    """Words that the player may not read: thoughts of others, latent states, and what was not learned. Their own
    thoughts are numbered from 900."""
    with play.app.campaigns.reading("game") as store:
        state = store.head().state
    learned = state.learned_by(state.player_id)
    known = {word for word, one in play.canaries.words.items() if may_know(one, "player", learned, watched=True)}
    hidden = {word for word in s.words_in(text) - known if word.startswith(("qt", "ql", "qz", "qf"))}
    return {word for word in hidden if not word.startswith("qt9")}


def leaks_in(play: s.Play) -> dict[tuple[str, str], list[str]]:
    """(stage, who) -> the words that it was shown and may not see."""
    return {
        (f"{one.stage} in turn {one.turn_no}", one.who): one.leaked for one in s.everything_seen(play) if one.leaked
    }


def test_every_stage_sees_what_it_may_and_nothing_else(tmp_path: Path) -> None:
    honest = s.Honest()
    model = ScriptedModel(honest)
    play = s.played(s.begun(tmp_path), TURNS, dict.fromkeys(s.ASKED, model), honest)
    assert play.played == TURNS
    seen = list(s.everything_seen(play))
    assert leaks_in(play) == {}
    assert {(one.stage, one.turn_no, one.who): one.missed for one in seen if one.missed} == {}
    calls = Counter(one.stage for one in seen)
    assert calls["narrator"] == calls["npc_intent"] + TURNS
    assert calls["npc_intent"] > TURNS
    assert {one.who for one in seen if one.stage == "npc_intent"} == {
        "harbour:osk", "harbour:bea", "harbour:tam", "harbour:una",
    }  # fmt: skip
    shown = Counter(word[:2] for one in seen for word in one.found)
    assert min(shown[kind] for kind in ("qt", "qi", "qn", "qm")) > TURNS
    assert private_in(play, told(play)) == set()


def test_no_program_that_asks_as_somebody_reads_what_is_not_theirs(tmp_path: Path) -> None:
    honest = s.Honest()
    play = s.played(s.begun(tmp_path), 9, dict.fromkeys(s.ASKED, ScriptedModel(honest)), honest)
    with play.app.campaigns.reading("game") as store:
        state = store.head().state
        stream = [message for _, message in store.messages(store.head().turn_id, last=99)]
    own_words = {(one.owner, word) for one in stream if one.type != "narration" for word in s.words_in(one.content)}
    for viewer in ("player", "npc:harbour:osk", "npc:harbour:tam", "npc:harbour:una", "npc:harbour:bea"):
        who = s.PLAYER if viewer == "player" else viewer.removeprefix("npc:")
        desk = Queries(play.app, Viewer(viewer), "game")
        answers = [desk.state(), desk.scene(), desk.transcript(), desk.lore("what does anybody keep to themselves")]
        found = {word for one in answers for word in s.words_in(one.model_dump_json())}
        heard = {
            w for one in stream if one.type == "narration" and who in one.audience for w in s.words_in(one.content)
        }
        feels = {word for word, owner in s.MANIFEST.items() if owner == who}
        words = play.canaries.words.items()
        learned, own = state.learned_by(who), frozenset({who})
        known = {word for word, one in words if may_know(one, viewer, learned, own_ids=own, watched=True)}
        mine = {word for owner, word in own_words if owner == who}
        assert found <= heard | feels | known | mine, viewer
        assert found & mine


def test_whispers_are_heard_by_two(tmp_path: Path) -> None:
    honest = s.Honest()
    model = ScriptedModel(honest)
    play = s.played(s.begun(tmp_path), 8, dict.fromkeys(s.ASKED, model), honest)
    with play.app.campaigns.reading("game") as store:
        stream = [message for _, message in store.messages(store.head().turn_id, last=99)]
    whispers = [one for one in stream if one.subtype == "whisper" and one.type == "intention"]
    assert whispers
    words = {word for one in whispers for word in s.words_in(one.content)}
    for one in s.everything_seen(play):
        ends = (s.WHISPERER, s.CONFIDANTE)
        assert one.who in ends or one.stage == "lore_extractor" or not one.found & words
    assert not s.words_in(told(play)) & words


@pytest.mark.parametrize("stages", [("narrator",), ("narrator", "planner", "lore_extractor")], ids=len)
def test_a_parrot_tells_nothing_that_it_was_not_to_see(tmp_path: Path, stages: tuple[str, ...]) -> None:
    honest = s.Honest()
    models = {**dict.fromkeys(s.ASKED, ScriptedModel(honest)), **{stage: ParrotModel() for stage in stages}}
    play = s.played(s.begun(tmp_path), TURNS, models, honest)
    assert play.played == TURNS
    assert leaks_in(play) == {}
    assert private_in(play, told(play)) == set()


def test_a_character_who_says_all_that_it_knows_and_thinks_is_not_heard(tmp_path: Path) -> None:
    honest = s.Honest()
    models = {**dict.fromkeys(s.ASKED, ScriptedModel(honest)), "npc_intent": ParrotModel()}
    play = s.played(s.begun(tmp_path), 6, models, honest)
    assert play.played == 6
    assert leaks_in(play) == {}
    assert private_in(play, told(play)) == set()


def test_a_thief_gets_nothing_into_narration_ops_or_memories(tmp_path: Path) -> None:
    honest = s.Honest()
    thief = ThiefModel(honest)
    play = s.played(s.begun(tmp_path), 16, dict.fromkeys(s.ASKED, thief), honest)
    assert thief.thefts > 16
    assert play.played == 16
    assert leaks_in(play) == {}
    assert private_in(play, told(play)) == set()
    with play.app.campaigns.reading("game") as store:
        state = store.head().state
    kept = state.model_dump(mode="json", exclude={"characters"})
    assert {word for word in s.words_in(json.dumps(kept)) if word.startswith("qt")} == set()
    # What one thinks one may become: that stays one's own.
    moved = state.model_dump(mode="json", include={"characters"})
    assert {word for word in s.words_in(json.dumps(moved)) if word.startswith("qt")} == set()


# Cells that the play must notice when they say too much, and when they say too little.
FLIPS: tuple[tuple[MessageReader, MessageKind, MessageSight], ...] = (
    ("npc_intent", "thought", "all"),
    ("npc_intent", "thought", "none"),
    ("npc_intent", "intention", "all"),
    ("npc_intent", "intention", "none"),
    ("npc_intent", "narration", "none"),
    ("narrator", "narration", "none"),
    ("persona_extractor", "thought", "all"),
    ("persona_extractor", "narration", "none"),
    ("character_extractor", "thought", "all"),
    ("character_extractor", "thought", "none"),
    ("character_extractor", "narration", "none"),
    ("planner", "narration", "none"),
)


@pytest.mark.parametrize(("reader", "column", "sight"), FLIPS)
def test_a_play_by_a_flipped_table_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: MessageReader, column: MessageKind, sight: MessageSight
) -> None:
    table = MappingProxyType({**MESSAGES, reader: MappingProxyType({**MESSAGES[reader], column: sight})})
    monkeypatch.setattr(visibility, "MESSAGES", table)
    honest = s.Honest()
    play = s.played(s.begun(tmp_path), 4, dict.fromkeys(s.ASKED, ScriptedModel(honest)), honest)
    wrong = {one.stage for one in s.everything_seen(play) if one.leaked or one.missed}
    assert reader in wrong
