"""Over two hundred planted secrets, in seven languages and every form, asked for at each door of a service from each
seat: none comes where it may not be known, each comes where it may."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lorewright.service.web.access import RateLimit
from lorewright.world import ops as o
from lorewright.world.state import Fact
from support import harbour_crew as c
from support import planted_harbour as p
from support.scale import scaled
from support.table_doors import EVENTS, GAME, Asking, events_of, paths_of_service
from support.table_service import Browser, Hall, hall

pytestmark = [pytest.mark.campaign, pytest.mark.trust]

UNLIMITED = {name: RateLimit(10**9, at_once=10**9) for name in ("turns", "requests")}
SECRETS = 200
PERSONAS: Mapping[str, str] = {"ada": c.ADA, "bo": c.BO}
# Role of a seat -> the persona whose secrets it may read; the last turn is Ada's.
ROLES = {f"pc:{c.ADA}": "ada", f"pc:{c.BO}": "bo", "player": "ada"}
LINES = {
    "ada": ("look around", "ask Osk about the keeper", "look at everybody", "wait"),
    "bo": ("look around", "ask Bea about the keeper", "go to pier de", "search the crate", "go to quay"),
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its planted secrets, each of them with what was said only at that place."""

    room: Hall
    secrets: tuple[p.Planted, ...]
    asking: Asking
    turns: int
    # Questions that quote a secret up to its word.
    quoted: tuple[str, ...]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    world = p.plant("one")
    app = p.begin(tmp_path_factory.mktemp("planted"), world)
    with app.campaigns.open("game") as campaign:
        campaign.edit(tuple(told_alone(world)), action_id="planted")
    with hall(app, **UNLIMITED) as room:
        seats = {who: room.guest(f"player of {who}", "game", f"pc:{PERSONAS[who]}") for who in PERSONAS}
        played = list(play(seats))
        secrets = (*world.secrets, *played)
        turns = seats["ada"].get(GAME).json()["turn_no"]
        # A clue that Bo found is his.
        found = {
            item["text"]
            for entry in seats["bo"].get(f"{GAME}/codex").json()["entries"]
            for item in entry["items"]
            if "pier_de" in entry["id"]
        }
        secrets = tuple(
            p.Planted(secret.word, secret.form, secret.language, frozenset({"gm", "bo"}))
            if secret.form == "clue" and any(p.words_shown((secret,), "\n".join(found)))
            else secret
            for secret in secrets
        )
        yield Table(room, secrets, asking(world, turns), turns, tuple(quotes(world))[:: max(1, 4 // scaled(1))])


def told_alone(world: p.World) -> Iterator[Any]:
    """Yield the ops by which each persona comes to know what the other does not."""
    for who, full in PERSONAS.items():
        holder = {"ada": "osk", "bo": "bea"}[who]
        for number in range(p.REVEALED):
            yield o.RevealItem(item_id=f"harbour:{holder}:knows#only{number}", to=full, how="told")
        for number, word in enumerate(world.facts[who]):
            fact = Fact(id=f"game:{who}_{number}", subject_id=c.OSK, predicate="likes", object=word)
            yield o.AddFact(fact=fact.model_copy(update={"known_to": (full,)}))
        for word in world.memories[who]:
            yield o.Observe(who=full, content=f"It was {word}.", importance=5)


def play(seats: Mapping[str, Browser]) -> Iterator[p.Planted]:
    """Play at both places, Ada last; yield what was thought and whispered."""
    for who, other in (("bo", "Bea"), ("ada", "Osk")):
        for line in LINES[who]:
            assert seats[who].say("game", line).status_code == 200
        for number in range(2):
            thought, whispered = (p.make_word(f"{form} {who} {number}", "one", "en") for form in ("thinks", "whispers"))
            sent = {"text": f"ask {other} about the boat", "thought": f"Is it {thought}?"}
            assert seats[who].post(f"{GAME}/turns", sent).status_code == 200
            sent = {"text": f"ask about the {whispered}", "whisper_to": other}
            assert seats[who].post(f"{GAME}/turns", sent).status_code == 200
            for word, form in ((thought, "thought"), (whispered, "whisper")):
                yield p.Planted(word, form, "en", frozenset({"gm", who}))  # type: ignore[arg-type]


def asking(world: p.World, turns: int) -> Asking:
    names = sorted(Path(file).stem for file in world.files if file != "pack.yaml")
    sections = ("overview", "knows", "withholds", "secrets", "discoverable", "motivation", "more")
    return Asking(
        fields={
            "campaign": ("game", "nothing"),
            "turn": [str(turn) for turn in range(turns + 2)],
            "entity": [*names, "harbour:osk", "game:player", "nobody at all"],
            "pack": ("harbour", "nothing"),
            "pack_id": ("harbour", "nothing"),
            "job": ("nothing",),
            "job_id": ("nothing",),
            "secret": ("nothing",),
        },
        viewers=("gm", "player", "watcher", f"pc:{c.ADA}", f"pc:{c.BO}", "npc:osk", "npc:keeper_de"),
        questions=("keeper", "Osk", "crate", "secret", "灯台守", "Wärter zählt"),
        chunks=[f"harbour:{name}:{section}" for name in names for section in sections][:: max(1, 6 // scaled(1))],
    )


def quotes(world: p.World) -> Iterator[str]:
    """Yield each line that holds a secret, without its word."""
    for text in world.files.values():
        for line in text.splitlines():
            for secret in world.secrets:
                if secret.word in line:
                    yield line.replace(secret.word, "").strip(" -*#>|%")[:300] or "keeper"


def read_by(table: Table, client: Browser) -> dict[p.Planted, list[str]]:
    """Return the secrets that come to a client, each with where."""
    found: dict[p.Planted, list[str]] = defaultdict(list)

    def look(where: str, text: str) -> None:
        for secret in p.words_shown(table.secrets, text):
            found[secret].append(where)

    for where, _, headers, text in table.asking.answers(client):
        look(where, text + json.dumps(dict(headers)))
    for where, text in table.asking.answered_in_packs(client, table.quoted):
        look(where, text)
    if client.get(GAME).status_code == 200:
        headers, text = events_of(client, last=table.turns)
        look("events", text + json.dumps(dict(headers)))
    else:
        look("events", client.get(EVENTS).text)
    return found


def leaks(found: Mapping[p.Planted, list[str]], *, may_know: frozenset[str]) -> dict[str, list[str]]:
    return {
        f"{secret.form} ({secret.language}): {secret.word}": where[:5]
        for secret, where in found.items()
        if not secret.knowers & may_know
    }


def missing(table: Table, found: Mapping[p.Planted, list[str]], who: str) -> list[str]:
    return [
        f"{secret.form} ({secret.language})"
        for secret in table.secrets
        if who in secret.knowers and secret not in found
    ]


def test_there_are_two_hundred_secrets_and_every_path_is_asked(table: Table) -> None:
    assert len({secret.word for secret in table.secrets}) == len(table.secrets) >= SECRETS
    assert len({secret.form for secret in table.secrets}) > 20
    asked = set(table.asking.paths())
    assert len(paths_of_service()) > 40
    assert len(asked) > len(paths_of_service())


@pytest.mark.parametrize("role", ROLES)
def test_a_persona_reads_all_that_it_alone_knows_and_no_other_secret(table: Table, role: str) -> None:
    who = ROLES[role]
    found = read_by(table, table.room.guest(f"guest as {role}", "game", role))
    assert leaks(found, may_know=frozenset({who})) == {}
    assert missing(table, found, who) == []


def test_who_watches_reads_no_secret_of_the_lore_nor_of_a_persona(table: Table) -> None:
    assert read_by(table, table.room.guest("Wat", "game", "watcher")) == {}


def test_who_has_no_seat_reads_no_secret(table: Table) -> None:
    assert read_by(table, table.room.guest("nobody's guest")) == {}
    assert read_by(table, table.room.stranger()) == {}


def test_the_game_master_reads_every_secret_but_those_that_nobody_reads(table: Table) -> None:
    owner = table.room.owner()
    found = read_by(table, owner)
    assert missing(table, found, "gm") == []


def test_a_guest_who_is_game_master_reads_the_tables_secrets(table: Table) -> None:
    found = read_by(table, table.room.guest("Gwen", "game", "gm"))
    assert missing(table, found, "gm") == []
