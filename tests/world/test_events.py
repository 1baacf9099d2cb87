"""Events: their classes, and their JSON as every version has written it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from lorewright.ids import canonical_json
from lorewright.rules.patch import Resolution
from lorewright.world.events import (
    EVENT_KINDS,
    EVENTS,
    ActionBlocked,
    CheckRolled,
    EffectRefused,
    EngineEvent,
    ItemGiven,
    PathChanged,
    SceneChanged,
    Triggered,
    UnknownEvent,
)

# One line for every kind and shape, as it was written when an event had its fields in a dict.
RECORDED = (Path(__file__).parents[1] / "fixtures" / "events.jsonl").read_text("utf-8").splitlines()


def read(*stored: Any) -> tuple[EngineEvent, ...]:
    return EVENTS.validate_python(stored)


def written(*events: EngineEvent) -> Any:
    return EVENTS.dump_python(events, mode="json")


def test_there_is_a_recorded_event_of_every_kind() -> None:
    assert len(set(EVENT_KINDS)) == len(EVENT_KINDS) == 37
    assert {json.loads(line)["type"] for line in RECORDED} == set(EVENT_KINDS)


@pytest.mark.parametrize("line", RECORDED)
def test_a_recorded_event_is_read_as_its_class_and_written_in_the_same_bytes(line: str) -> None:
    (event,) = read(json.loads(line))
    assert not isinstance(event, UnknownEvent)
    assert [json.dumps(one, ensure_ascii=False) for one in written(event)] == [line]


def test_events_stand_in_a_resolution_in_the_same_bytes() -> None:
    stored = [json.loads(line) for line in RECORDED]
    resolution = Resolution.model_validate_json(json.dumps({"events": stored}))
    assert canonical_json(resolution.model_dump(mode="json")["events"]) == canonical_json(stored)
    assert Resolution.model_validate(resolution.model_dump()) == resolution


ODD = [
    {
        "type": "moon_rose",
        "details": {"phase": {"full": True}, "heard": [1, 2.0]},
        "tags": ["sky"],
        "scope": "campaign",
    },
    {"type": "item_taken", "details": {"item": "town:coin"}, "tags": [], "scope": "campaign"},
    {"type": "item_taken", "details": {"item": "a", "quantity": 1.0}, "tags": [], "scope": "campaign"},
    {"type": "item_taken", "details": {"item": "a", "quantity": True}, "tags": [], "scope": "campaign"},
    {"type": "item_taken", "details": {"item": "a", "quantity": 1, "from": "b"}, "tags": [], "scope": "campaign"},
    {"type": "triggered", "details": {"trigger": "a", "turning": None}, "tags": [], "scope": "campaign"},
    {"type": "item_found", "details": {"item": "a", "scope": "campaign"}, "tags": [], "scope": "campaign"},
    {"type": "scene_changed", "details": {"from_id": "a", "to_id": "b"}, "tags": [], "scope": "campaign"},
]


@pytest.mark.parametrize("stored", ODD, ids=lambda stored: canonical_json(stored["details"]))
def test_an_unknown_kind_or_odd_details_are_kept_as_they_were_written(stored: dict[str, Any]) -> None:
    (event,) = read(stored)
    assert isinstance(event, UnknownEvent)
    assert json.dumps(written(event)) == json.dumps([stored])


def test_what_an_event_need_not_have_is_filled_in() -> None:
    assert written(*read({"type": "moon_rose"})) == [
        {"type": "moon_rose", "details": {}, "tags": [], "scope": "campaign"}
    ]
    assert read({"type": "item_found", "details": {"item": "a"}})[0].tags == ()


@pytest.mark.parametrize(
    "stored",
    [3, {"details": {}}, {"type": "item_found", "item": "a"}, {"type": "x", "more": 1}, {"type": "x", "scope": "moon"}],
)
def test_what_is_no_event_is_refused(stored: Any) -> None:
    with pytest.raises(ValidationError):
        read(stored)


def test_a_field_without_a_value_is_left_out_or_written_as_its_kind_always_did() -> None:
    events = (
        CheckRolled(rule="sneak", roll=0, total=7, band="fail"),
        Triggered(trigger="alarm", turning=None),
        ItemGiven(item=None, to=None),
        ActionBlocked(action=0, reason=None),
        PathChanged(path="scene.board", before=None, after={"a1": "x"}),
        SceneChanged(from_id="town:bar", to_id="town:pier"),
    )
    assert [event["details"] for event in written(*events)] == [
        {"rule": "sneak", "roll": 0, "total": 7, "band": "fail"},
        {"trigger": "alarm"},
        {"item": None, "to": None},
        {"action": 0, "reason": None},
        {"path": "scene.board", "before": None, "after": {"a1": "x"}},
        {"from": "town:bar", "to": "town:pier"},
    ]
    assert read(*written(*events)) == events


def test_an_event_reaches_everybody_or_its_audience() -> None:
    heard = EffectRefused(reason="unknown_item", effect={"give": "town:coin"})
    whispered = heard.model_copy(update={"audience": ("town:mara",)})
    assert [heard.reaches("town:jo"), whispered.reaches("town:jo"), whispered.reaches("town:mara")] == [
        True,
        False,
        True,
    ]
    assert "audience" not in written(heard)[0]
    assert written(whispered)[0]["audience"] == ["town:mara"]


def test_the_texts_of_an_event_are_those_of_its_own_fields() -> None:
    event = EffectRefused(reason="not_enough", effect={"lose": {"of": ["town:coin", 2]}}, audience=("town:mara",))
    assert list(event.texts()) == ["not_enough", "lose", "of", "town:coin"]
    assert list(UnknownEvent(type="moon_rose", details={"over": "town:bar"}).texts()) == ["over", "town:bar"]
