"""Doors that bar the way while they are shut, and bolts: what lets whom by, and from which side."""

from __future__ import annotations

from typing import Any

import pytest

from lorewright.rules.reach import barrier
from lorewright.rules.validate import validate
from lorewright.rules.verbs import verbs
from lorewright.world.state import Door, Scene, WorldState
from support import small_world as w


def world(*, at: str = w.BAR, carried: str | None = None, **door: Any) -> WorldState:
    held = {w.JO: {carried: 1}} if carried else {}
    return w.small_world(
        scene=Scene(location_id=at),
        positions={w.JO: at},
        inventory=held,
        doors={w.DOOR: Door(shut_bars=True, **door)},
    )


def reasons(state: WorldState, *kinds: str) -> list[str | None]:
    other = w.ALLEY if state.scene.location_id == w.BAR else w.BAR
    turn = tuple(w.go(other) if kind == "go" else w.attempt(kind, w.DOOR) for kind in kinds)
    return [result.reason for result in validate(turn, state, w.campaign_rules()).results]


def test_a_shut_door_that_bars_has_to_be_opened_first() -> None:
    assert reasons(world(), "go") == ["door_closed"]
    assert reasons(world(), "open", "go") == [None, None]
    assert reasons(world(open=True), "go") == [None]
    assert reasons(world(open=True), "close", "go") == [None, "door_closed"]


@pytest.mark.parametrize("kind", ["go", "sneak"])
def test_a_player_opens_a_shut_door_on_the_way_and_no_locked_one(kind: str) -> None:
    steps_of = verbs()[kind].steps
    assert steps_of is not None
    walk = w.attempt(kind, to=w.ALLEY).action
    assert [(step.type, step.target_id) for step in steps_of(walk, world())] == [("open", w.DOOR), (kind, None)]
    assert steps_of(walk, world(open=True)) == ()
    assert steps_of(walk, world(locked=True, key_id=w.KEY, carried=w.KEY)) == ()


def test_a_key_in_hand_does_not_open_a_door_by_walking() -> None:
    locked = world(locked=True, key_id=w.KEY, carried=w.KEY)
    assert reasons(locked, "go") == ["door_closed"]
    assert reasons(locked, "unlock", "go") == [None, "door_closed"]
    assert reasons(locked, "open", "go") == [None, None]


def test_a_locked_door_says_so_to_whoever_has_no_key() -> None:
    assert reasons(world(locked=True, key_id=w.KEY), "go", "open", "unlock") == [
        "door_locked",
        "depends_on_failed",
        "depends_on_failed",
    ]


@pytest.mark.parametrize("kind", ["go", "open", "unlock"])
def test_a_bolt_holds_against_the_other_side(kind: str) -> None:
    assert reasons(world(locked=True, bolt_at=w.ALLEY), kind) == ["door_bolted"]


def test_a_bolt_needs_no_key_from_its_own_side() -> None:
    inside = world(at=w.ALLEY, locked=True, bolt_at=w.ALLEY)
    assert reasons(inside, "unlock", "open", "go") == [None, None, None]
    assert reasons(inside, "open", "close", "lock", "open") == [None, None, None, None]


def test_nobody_bolts_a_door_from_without() -> None:
    assert reasons(world(bolt_at=w.ALLEY), "lock") == ["no_lock"]


def test_a_door_with_a_key_and_a_bolt_asks_for_the_key_from_without() -> None:
    both = {"locked": True, "key_id": w.KEY, "bolt_at": w.ALLEY}
    assert reasons(world(**both), "open") == ["door_locked"]
    assert reasons(world(**both), "unlock") == ["no_key"]
    assert reasons(world(**both, carried=w.KEY), "open") == [None]
    assert reasons(world(at=w.ALLEY, **both), "open") == [None]


def test_a_door_that_says_nothing_of_it_lets_by_as_it_always_did() -> None:
    shut = w.small_world(doors={w.DOOR: Door(key_id=w.KEY)})
    (way_out, _) = shut.exits[w.BAR]
    assert barrier(way_out, w.JO, shut) is None
    locked = w.small_world(doors={w.DOOR: Door(key_id=w.KEY, locked=True)}, inventory={w.JO: {w.KEY: 1}})
    assert barrier(way_out, w.JO, locked) is None


def test_what_opened_a_door_leaves_it_open() -> None:
    opened = w.after(world(), *w.play(w.attempt("open", w.DOOR), state=world()).ops)
    assert opened.doors[w.DOOR] == Door(shut_bars=True, open=True)


def test_only_a_door_that_bars_is_written_as_one() -> None:
    plain = Door(locked=True, key_id=w.KEY)
    assert plain.model_dump(mode="json") == {"locked": True, "key_id": w.KEY}
    barring = Door(shut_bars=True, bolt_at=w.ALLEY)
    written = {"locked": False, "key_id": None, "shut_bars": True, "bolt_at": w.ALLEY}
    assert barring.model_dump(mode="json") == written
    assert Door.model_validate(written) == barring
