"""Two tables that differ in hidden lore alone: who may not know it gets the same status, headers, ETag and bytes from
both at every door, and the same events; their accounts have the same IDs, so that their turns have, too."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import product
from pathlib import Path

import pytest

from lorewright.service.web.access import Caller, RateLimit
from lorewright.service.web.stream import follow
from lorewright.world import ops as o
from lorewright.world.state import Fact
from support import harbour_crew as c
from support import planted_harbour as p
from support.scale import scaled
from support.table_doors import GAME, Asking, events_of
from support.table_service import Browser, Hall, hall

pytestmark = [pytest.mark.campaign, pytest.mark.trust]

UNLIMITED = {name: RateLimit(10**9, at_once=10**9) for name in ("turns", "requests")}
LINES = (
    (c.ADA, "look around"),
    (c.ADA, "ask Osk about the boat"),
    (c.ADA, "search under the counter"),
    (c.BO, "look at everybody"),
    (c.BO, "ask Bea about the cellar"),
    (c.BO, "go to pier ja"),
    (c.BO, "look around"),
    (c.ADA, "wait"),
)
# Random, or of this moment.
PASSING = ("date", "x-request-id", "server")
# What a page's forms carry, and the times at which a campaign was played.
_RANDOM = re.compile(
    r'(?:name="(?:csrf|key)" value=|"csrf_token":)"[^"]*"|20\d\d-\d\d-\d\d[T ][\d:.]+(?:Z|\+00:00| UTC)'
)


def asking(world: p.World) -> Asking:
    # Names of both worlds alike, of what is hidden, too.
    names = sorted({Path(file).stem for file in p.plant("one").files if file != "pack.yaml"})
    return Asking(
        fields={
            "campaign": ("game", "nothing"),
            "turn": [str(turn) for turn in range(len(LINES) + 3)],
            "entity": [*names, "harbour:zz_de", "nobody at all"],
            "pack": ("harbour",),
            "pack_id": ("harbour",),
            "job": ("nothing",),
            "job_id": ("nothing",),
            "secret": ("nothing",),
        },
        viewers=("gm", "player", "watcher", f"pc:{c.ADA}", f"pc:{c.BO}", "npc:osk"),
        questions=("keeper", "Osk", "crate", "who counts the boats at dusk", "secret", "灯台守", *_words(world)),
        chunks=[
            f"harbour:{name}:{section}"
            for name in names[:: max(1, 4 // scaled(1))]
            for section in ("withholds", "secrets", "more", "nothing")
        ],
    )


def _words(world: p.World) -> Iterator[str]:
    """Yield hidden words of the one world, which both are asked for."""
    forms = {secret.form: secret.word for secret in p.plant("one").secrets}
    yield from (forms[form] for form in ("withheld", "hidden name", "hidden alias", "comment", "told to ada"))


def told_alone(world: p.World) -> Iterator[o.StateOp]:
    """Yield what Ada alone is told, in the words of the world."""
    for number, word in enumerate(world.facts["ada"]):
        yield o.RevealItem(item_id=f"harbour:osk:knows#only{number}", to=c.ADA, how="told")
        fact = Fact(id=f"game:ada_{number}", subject_id=c.OSK, predicate="likes", object=word)
        yield o.AddFact(fact=fact.model_copy(update={"known_to": (c.ADA,)}))
    for word in world.memories["ada"]:
        yield o.Observe(who=c.ADA, content=f"It was {word}.", importance=5)


Answer = tuple[int, str, Mapping[str, str]]


def told_in(root: Path, role: str | None, salt: p.Salt) -> dict[str, Answer]:
    """What a seat is answered in a world, by what was asked: status, body, headers."""
    world = p.plant(salt)
    app = p.begin(root, world)
    if role != "player":
        with app.campaigns.open("game") as campaign:
            campaign.edit(tuple(told_alone(world)), action_id="planted")
    with hall(app, is_counted=True, **UNLIMITED) as room:
        seat = room.stranger() if role == "" else room.guest("Ann", "game", role) if role else room.guest("Ann")
        players = {who: room.guest(who, "game", f"pc:{who}") for who in (c.ADA, c.BO)}
        for number, (who, line) in enumerate(LINES):
            assert players[who].say("game", line, key=f"line {number}").status_code == 200
        # The worlds do differ.
        assert next(p.words_shown(world.secrets, room.owner().get(f"{GAME}/desk").text), None) is not None
        found: dict[str, Answer] = {}
        for asked, status, headers, text in asking(world).answers(seat):
            shown = {name: value for name, value in headers.items() if name not in PASSING}
            body = _RANDOM.sub("RANDOM", text)
            if body != text and (tag := shown.pop("etag", None)) is not None:
                # It says no more than the body does.
                assert tag == f'"{sha256(text.encode()).hexdigest()[:32]}"'
            found[asked] = (status, body, shown)
        turn_no = players[c.ADA].get(GAME).json()["turn_no"]
        if role and seat.get(GAME).status_code == 200:
            headers, text = events_of(seat, last=turn_no)
            shown = {name: value for name, value in headers.items() if name not in PASSING}
            found["events"] = (200, text, shown)
            found["live events"] = (200, live_events(room, seat, players[c.ADA]), {})
    return found


def live_events(room: Hall, seat: Browser, player: Browser) -> str:
    """Return the bytes of a stream while a turn is played that somebody else plays, and one that fails."""
    service = room.service
    assert seat.account is not None and seat.client.portal is not None
    caller = Caller(seat.account, frozenset({"read"}))
    own = caller.seat(service.accounts, "game")

    def act() -> None:
        assert player.say("game", "ask Osk about the weather", key="live").status_code == 200
        assert player.say("game", "", key="empty").status_code != 200

    async def read() -> str:
        told, playing = [], None
        async for text in follow(service, caller, own, after=None, keep_alive_s=20):
            # Whether a reader hears that a turn has begun before it is over depends on who is faster.
            if not text.startswith("event: begun"):
                told.append(text)
            if playing is None:
                playing = asyncio.create_task(asyncio.to_thread(act))
            if text.startswith("id: "):
                break
        assert playing is not None
        await playing
        return "".join(told)

    return seat.client.portal.call(read)


def where_they_differ(first: Answer, second: Answer) -> tuple[object, object] | None:
    """Return what of two answers is not alike, as far as it is needed to understand it."""
    if first[0] != second[0] or first[2] != second[2]:
        return (first[0], first[2]), (second[0], second[2])
    one, other = first[1], second[1]
    if one == other:
        return None
    at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[max(0, at - 80) : at + 80], other[max(0, at - 80) : at + 80]


@pytest.mark.parametrize(
    ("role", "other"),
    [
        *product(("player", f"pc:{c.BO}", "watcher"), ("two", "bare")),
        # An account without a seat, and nobody at all.
        (None, "two"),
        ("", "two"),
    ],
)
def test_hidden_lore_changes_no_byte_of_what_a_seat_is_answered(
    tmp_path: Path, role: str | None, other: p.Salt
) -> None:
    first, second = told_in(tmp_path / "one", role, "one"), told_in(tmp_path / "other", role, other)
    assert first.keys() == second.keys()
    differing = {asked: where_they_differ(answer, second[asked]) for asked, answer in first.items()}
    differing = {asked: places for asked, places in differing.items() if places is not None}
    assert differing == {}
    # Most of what is answered as JSON has an ETag that was compared.
    if role:
        assert sum("etag" in headers for _, _, headers in first.values()) > 50
