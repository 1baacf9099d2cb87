"""The tools of a turn and of programs outside: who may write what, and what of a state and a stream each may read."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.bootstrap import App
from lorewright.errors import NotFound
from lorewright.rules.patch import Patch
from lorewright.rules.rulesets import OWNERS
from lorewright.turn.checks.tools import (
    BOOKKEEPING,
    OUTSIDE_OPS,
    PARTS,
    focus_of,
    not_by,
    refused,
    state_seen,
    transcript_seen,
    viewer_id,
    write,
)
from lorewright.values.records import Message
from lorewright.world import ops as o
from lorewright.world.apply import apply
from lorewright.world.state import OFFSTAGE, Entity, WorldState
from support import harbour as h

PLAYER, OSK, BEA, TAVERN, QUAY = "game:player", "harbour:osk", "harbour:bea", "harbour:tavern", "harbour:quay"
OBSERVE = o.Observe(who=OSK, content="It rained.", importance=2)
UNKNOWN = o.TickClock(clock_id="nothing", delta=1)


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


@pytest.fixture
def state(app: App) -> WorldState:
    with app.campaigns.reading("game") as store:
        return store.head().state


def test_ops_of_any_writer_are_done_all_or_none(app: App, state: WorldState) -> None:
    with app.campaigns.open("game") as campaign:
        ruleset = campaign.setting.rules.ruleset
    patch = Patch(state)
    refusal = write(patch, [o.AdvanceTime(minutes=3), UNKNOWN], by="outside", ruleset=ruleset)
    assert refusal is not None
    assert (refusal.index, refusal.reason) == (1, "unknown_clock")
    assert (patch.ops, patch.state) == ([], state)
    assert write(patch, [o.AdvanceTime(minutes=3)], by="outside", ruleset=ruleset) is None
    assert patch.state.minutes == 3


def test_what_is_another_owners_is_refused_before_anything_is_done(app: App, state: WorldState) -> None:
    with app.campaigns.open("game") as campaign:
        ruleset = campaign.setting.rules.ruleset
    patch = Patch(state)
    stage = write(patch, [OBSERVE, o.Move(entity_id=BEA, to=TAVERN)], by="extract", ruleset=ruleset)
    assert stage is not None
    assert (stage.index, stage.reason) == (1, "op_not_allowed")
    assert patch.ops == []
    for kind in sorted(BOOKKEEPING - {"reshape", "streak"}):
        op = o.Recall(key="x") if kind == "recall" else o.PassTurn()
        outside = refused(state, [OBSERVE, op], by="outside", ruleset=ruleset)
        assert outside is not None
        assert (outside.index, outside.reason) == (1, "bookkeeping")


def test_who_is_outside_may_whatever_some_owner_may_but_for_bookkeeping(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        ruleset = campaign.setting.rules.ruleset
    allowed = {kind for owner in OWNERS for kind in ruleset.allowed_ops.get(owner, ())}
    assert allowed - BOOKKEEPING <= set(OUTSIDE_OPS)
    assert not_by([OBSERVE], "outside", ruleset) is None


def test_a_character_sees_its_own_place_and_memories_and_nothing_of_the_story(state: WorldState) -> None:
    after = apply(state, [o.Observe(who=BEA, content="A gull fell.", importance=3), OBSERVE]).state
    seen = state_seen(after, f"npc:{BEA}", turn_no=0)
    assert seen.place is not None
    assert (seen.place.id, seen.remembered) == (QUAY, ("A gull fell.",))
    assert (seen.clocks, seen.threads, seen.facts, seen.world) == ((), (), (), None)
    assert [way.id for way in seen.ways] == [TAVERN]


def test_a_player_and_a_game_master_see_where_the_player_is(state: WorldState) -> None:
    player, gm = (state_seen(state, viewer, turn_no=0) for viewer in ("player", "gm"))
    assert player.place == gm.place
    assert [one.id for one in player.present] == [OSK]
    assert [clock["id"] for clock in player.clocks] == ["dread"]
    assert player.world is None
    assert gm.world is not None
    assert set(gm.world) <= set(PARTS)
    assert "recall" not in PARTS


def test_somebody_offstage_is_nowhere_and_in_no_scene(state: WorldState) -> None:
    after = apply(state, [o.Move(entity_id=BEA, to=OFFSTAGE)]).state
    seen = state_seen(after, f"npc:{BEA}", turn_no=0)
    assert (seen.place, seen.present, seen.ways) == (None, (), ())
    with pytest.raises(NotFound, match="nowhere"):
        focus_of(after, f"npc:{BEA}")


@pytest.mark.parametrize("viewer", ["npc:harbour:lin", "npc:game:player", "npc:nobody", "pc:harbour:osk"])
def test_who_is_not_in_the_cast_has_no_eyes(state: WorldState, viewer: str) -> None:
    with pytest.raises(NotFound):
        viewer_id(state, viewer)


def test_a_player_reads_what_their_own_persona_was_there_for(state: WorldState) -> None:
    other = Entity(id="game:other", type="player", name="Otto")
    two = state.with_fields(
        entities={**state.entities, other.id: other},
        positions={**state.positions, other.id: QUAY},
        personas=(PLAYER, other.id),
    )

    def message(seq: int, kind: str, owner: str, *audience: str) -> tuple[int, Message]:
        fields = {"owner": owner, "type": kind, "turn_id": "t", "seq": seq, "content": f"{seq}", "audience": audience}
        return 1, Message.model_validate(fields)

    stream = [
        message(0, "narration", "narrator", PLAYER, OSK),
        message(1, "narration", "narrator", other.id, BEA),
        message(2, "narration", "narrator", BEA),
        message(3, "thought", other.id),
        message(4, "thought", BEA),
        message(5, "intention", PLAYER),
        message(6, "scene_marker", "system"),
    ]

    def seqs(viewer: str) -> list[int]:
        return [one.seq for one in transcript_seen(stream, two, viewer)]

    assert seqs("player") == seqs(f"pc:{PLAYER}") == [0, 5]
    assert seqs("pc:game:other") == [1, 3]
    assert seqs(f"npc:{BEA}") == [1, 2, 4]
    assert seqs(f"npc:{OSK}") == [0]
    assert seqs("gm") == [0, 1, 2, 3, 4, 5, 6]
    assert focus_of(two, f"npc:{BEA}").present_ids == (BEA,)
