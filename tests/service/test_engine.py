"""The engine thread: what was begun is done to its end, campaigns stay open as long as there is room, and it drains."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.campaigns.stage_models import ModelKeys
from lorewright.errors import Busy, NotFound, SettingsError
from lorewright.service.web.engine import Engine, Tables, give_memory_back, in_engine
from support import harbour as h
from support.garbage import count_garbage


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


def engine_of(app: App, *, most_open: int = 8) -> Engine:
    engine = Engine(lambda: open_app(app.workspace.root), most_open=most_open)
    engine.start()
    return engine


def test_a_caller_who_goes_away_does_not_stop_what_was_begun(app: App) -> None:
    engine, done = engine_of(app), []

    async def slow(tables: Tables) -> None:
        async with tables.writing("game") as campaign:
            await asyncio.sleep(0.05)
            await campaign.submit("look around")
            done.append(campaign.store.position().turn_no)

    async def call() -> None:
        asked = asyncio.create_task(engine.run(slow))
        await asyncio.sleep(0.01)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked

    asyncio.run(call())
    engine.stop()
    assert done == [1]


def order_of(app: App, *works: tuple[str, str, float]) -> list[str]:
    """Write in campaigns at once, each for so many seconds; return in which order they began and ended."""
    engine, order = engine_of(app), list[str]()

    def work(campaign_id: str, name: str, pause: float) -> Any:
        async def play(tables: Tables) -> None:
            async with tables.writing(campaign_id):
                order.append(f"{name} begins")
                await asyncio.sleep(pause)
                order.append(f"{name} ends")

        return play

    async def call() -> None:
        await asyncio.gather(*(engine.run(work(*each)) for each in works))

    asyncio.run(call())
    engine.stop()
    return order


def test_turns_of_one_campaign_come_one_after_the_other_and_those_of_others_go_on_while_a_model_is_asked(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    keys = ModelKeys("claude-haiku", "claude-sonnet")
    for seed, campaign_id in enumerate(("asking", "other")):
        app.campaigns.new("night_boat", campaign_id=campaign_id, seed=seed, keys=keys)
    order = order_of(app, ("asking", "first", 0.2), ("asking", "second", 0.0), ("other", "elsewhere", 0.0))
    assert order.index("first ends") < order.index("second begins")
    assert order.index("elsewhere ends") < order.index("first ends")


def test_turns_that_ask_no_model_are_each_played_to_their_end(app: App) -> None:
    app.campaigns.new("night_boat", campaign_id="other", seed=2)
    order = order_of(app, ("game", "first", 0.05), ("other", "second", 0.0), ("game", "third", 0.0))
    assert order == [f"{name} {what}" for name in ("first", "second", "third") for what in ("begins", "ends")]


def test_a_turn_is_answered_before_the_next_one_is_played(app: App) -> None:
    app.campaigns.new("night_boat", campaign_id="other", seed=2)
    engine, answered, was_answered = engine_of(app), threading.Event(), list[bool]()

    async def first(tables: Tables) -> None:
        async with tables.writing("game"):
            await asyncio.sleep(0.05)

    async def next_one(tables: Tables) -> None:
        async with tables.writing("other"):
            # As a turn that computes: nothing else runs in the engine thread meanwhile.
            was_answered.append(answered.wait(10))

    async def ask_first() -> None:
        await engine.run(first)
        answered.set()

    async def call() -> None:
        await asyncio.gather(ask_first(), engine.run(next_one))

    asyncio.run(call())
    engine.stop()
    assert was_answered == [True]


def test_work_that_fails_leaves_nothing_to_the_garbage_collector(app: App) -> None:
    engine = engine_of(app)

    async def fail(tables: Tables) -> None:
        raise NotFound("there is nothing")

    async def call() -> None:
        with suppress(NotFound):
            await engine.run(fail)

    try:
        assert count_garbage(call) < 20
    finally:
        engine.stop()


def test_the_campaign_that_was_not_asked_for_longest_is_closed(app: App) -> None:
    for number in range(3):
        app.campaigns.new("night_boat", campaign_id=f"game{number}", seed=number)
    engine = engine_of(app, most_open=2)

    async def call() -> None:
        async def read(tables: Tables, campaign_id: str) -> int:
            async with tables.reading(campaign_id) as campaign:
                return campaign.store.position().turn_no

        for name in ("game", "game0", "game1", "game2", "game"):
            assert await engine.run(lambda tables, name=name: read(tables, name)) == 0  # type: ignore[misc]

    asyncio.run(call())
    assert engine.open_count == 2
    engine.stop()
    assert engine.open_count == 0


async def play_in_turns(tables: Tables) -> list[str]:
    """Play some turns at two tables, one after the other; return the results, with the states and the stories."""
    found = []
    for line in ("look around", "search under the counter", "go to the quay"):
        for name in ("game", "other"):
            async with tables.writing(name) as campaign:
                found.append(await campaign.submit(line))
                head = campaign.store.head()
                found += [head.state.to_json(), repr(campaign.store.story(head).exchanges)]
    return found


def test_campaigns_without_room_in_memory_are_closed_and_go_on_where_they_were(tmp_path: Path) -> None:
    def played(name: str, **options: Any) -> tuple[list[str], int]:
        app = h.harbour(tmp_path / name)
        app.campaigns.new("night_boat", campaign_id="other", seed=2)
        tables = Tables(app, **options)
        found = asyncio.run(play_in_turns(tables))
        count = tables.open_count
        tables.close()
        return found, count

    kept, both = played("kept")
    closed, one = played("closed", room_bytes=1.0)
    assert (both, one) == (2, 1)
    assert closed == kept


def test_a_campaign_takes_more_memory_as_its_story_grows(app: App) -> None:
    with app.campaigns.open("game") as campaign:
        before = campaign.memory_bytes
        asyncio.run(campaign.submit("look around"))
        asyncio.run(campaign.submit("look around"))
        assert before < campaign.memory_bytes < 2 * before


def test_a_campaign_that_nobody_has_asked_for_in_a_while_is_closed(app: App) -> None:
    app.campaigns.new("night_boat", campaign_id="other", seed=2)
    hour = 3600.0
    now = [0.0]

    async def call() -> list[int]:
        tables, counts = Tables(app, clock=lambda: now[0]), list[int]()
        for name, at in (("game", 0.0), ("other", hour / 4), ("other", hour), ("game", hour)):
            now[0] = at
            async with tables.reading(name):
                pass
            counts.append(tables.open_count)
        tables.close()
        return counts

    assert asyncio.run(call()) == [1, 2, 1, 2]


def test_free_memory_is_given_back_after_every_so_many_changes(app: App) -> None:
    given = list[int]()

    async def call() -> None:
        tables = Tables(app, trim=lambda: given.append(1), trim_every=2)
        for wanted in (0, 1, 1, 2):
            async with tables.writing("game"):
                pass
            async with tables.reading("game"):
                pass
            assert len(given) == wanted
        tables.close()

    asyncio.run(call())


def test_memory_may_be_given_back_at_any_time() -> None:
    kept = [bytes([number]) * 1_000 for number in range(100)]
    give_memory_back()
    assert [text[0] for text in kept] == list(range(100))


def test_a_campaign_in_use_cannot_be_shut(app: App) -> None:
    engine = engine_of(app)

    async def use(tables: Tables) -> str:
        async with tables.reading("game"):
            try:
                tables.shut("game")
            except Busy as problem:
                return problem.code
        return ""

    async def call() -> None:
        assert await engine.run(use) == "busy"
        await engine.run(in_engine(lambda tables: tables.shut("game")))
        assert engine.open_count == 0
        with pytest.raises(NotFound):
            await engine.run(lambda tables: tables.reading("nothing").__aenter__())

    asyncio.run(call())
    engine.stop()


def test_a_stopped_engine_refuses_and_one_that_cannot_begin_says_why(app: App) -> None:
    engine = engine_of(app)
    engine.stop()
    with pytest.raises(Busy):
        asyncio.run(engine.run(in_engine(lambda tables: None)))

    def broken() -> App:
        raise SettingsError("the settings are no good")

    with pytest.raises(SettingsError, match="no good"):
        Engine(broken).start()


def test_generations_are_shared_by_the_campaigns_that_pin_them(app: App) -> None:
    app.campaigns.new("night_boat", campaign_id="other", seed=2)
    engine = engine_of(app)

    async def opened(tables: Tables) -> bool:
        async with tables.reading("game") as first, tables.reading("other") as second:
            return first.setting.generations[0] is second.setting.generations[0]

    async def call() -> bool:
        return await engine.run(opened)

    assert asyncio.run(call())
    engine.stop()
