"""The points of a turn: a step begins at one and ends at another, and a leak depends on the point alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.turn.views.draft import Submission
from lorewright.turn.views.point import WHISPER, TurnPoint, TurnStream
from lorewright.turn.views.views import TurnViews
from lorewright.world.apply import apply
from lorewright.world.ops import RevealItem
from support import harbour as h

SECRET = "I sold her passage to the harbour master for a marmoset and a month of quiet."
DEBT = "harbour:osk:withholds#debt"


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[OpenCampaign]:
    with h.harbour(tmp_path).campaigns.open("game") as opened:
        yield opened


def views_of(campaign: OpenCampaign, words: str) -> tuple[TurnViews, TurnPoint]:
    head = campaign.store.head()
    stream = TurnStream.after(head, "next").with_intention(head.state.player_id, words)
    return TurnViews(head, Submission(words, "next"), campaign.setting), TurnPoint(head.state, stream)


def test_a_secret_is_a_leak_where_its_scene_was_gathered_whatever_was_asked_before(campaign: OpenCampaign) -> None:
    views, begun = views_of(campaign, "look")
    with views:
        assert views.leak(SECRET, begun) is None
        scene, at = views.at_scene(begun)
        assert DEBT in str(views.leak(SECRET, at))
        views.packet(at, scene, "planner")
        views.described(at, [])
        views.with_learned(at, [DEBT])
        assert views.leak(SECRET, begun) is None
        assert DEBT in str(views.leak(SECRET, at))


def test_what_the_player_learned_by_a_point_is_no_leak_there_and_one_before_it(campaign: OpenCampaign) -> None:
    views, begun = views_of(campaign, "look")
    with views:
        _, at = views.at_scene(begun)
        told = apply(at.state, (RevealItem(item_id=DEBT, to=at.state.player_id, how="told"),)).state
        assert views.leak(SECRET, TurnPoint(told, at.stream, at.lore)) is None
        assert DEBT in str(views.leak(SECRET, at))


def test_what_was_retrieved_for_a_packet_is_known_from_that_point_on(campaign: OpenCampaign) -> None:
    views, begun = views_of(campaign, "ask Osk about the ice")
    with views:
        scene, at = views.at_scene(begun)
        packet, after = views.packet(at, scene, "planner")
        asked = [passage.chunk_id for passage in packet.lore_context.asked]
        assert asked == [chunk.chunk_id for answer in after.lore.answers for chunk in answer.chunks] != []
        assert at.lore.answers == ()
        assert views.packet(after, scene, "narrator")[1].lore.answers == after.lore.answers


def test_a_message_makes_another_stream_and_leaves_the_one_before_it(campaign: OpenCampaign) -> None:
    head = campaign.store.head()
    empty = TurnStream.after(head, "next")
    whispered = empty.with_intention("game:player", "the hatch", thought="he knows", to="harbour:osk")
    told = whispered.with_message("narrator", "narration", "He nods.", audience=["a", "b", "a"])
    assert (len(empty.messages), len(whispered.messages), len(told.messages)) == (0, 2, 3)
    assert [(message.type, message.subtype, message.seq) for message in told.messages] == [
        ("thought", None, 0),
        ("intention", WHISPER, 1),
        ("narration", None, 2),
    ]
    assert told.messages[-1].audience == ("a", "b")
    assert [message.content for message in told.thoughts()] == ["he knows"]
