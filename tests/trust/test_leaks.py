"""Every secret, every viewer, every channel: what somebody has not learned is in nothing that they get, plain or disguised."""

from __future__ import annotations

import base64
import codecs
import json
import random
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.retrieval.query import LoreRetrievalQuery
from support import harbour as h
from support.command_line import run_command, workspace_environment
from support.scale import scaled
from support.service_clients import call
from support.tally import Tally

pytestmark = [pytest.mark.campaign, pytest.mark.trust]

# Each secret is a word that stands nowhere else, in the item of its kind.
SECRETS = {
    h.KNOWS: "harbour:osk:knows#boat",
    h.WITHHOLDS: "harbour:osk:withholds#debt",
    h.DISCOVERABLE: "harbour:tavern:discoverable#letter",
    h.OTHER_KNOWS: "harbour:bea:knows#cellar",
}
# Whom a question is asked as, and in which campaign. At the beginning nobody has learned anything.
VIEWERS = {"player": None, "player of a campaign": "game", "pc:player": "game"}
# Questions that come near: by topic, by the secret's neighbours, by its sentence without the word.
NEAR = {
    h.KNOWS: "the cage under her arm on the night boat",
    h.WITHHOLDS: "who sold her passage to the harbour master for a month of quiet",
    h.DISCOVERABLE: "a letter folded small under the counter, its seal",
    h.OTHER_KNOWS: "what is in the cellar, in a bath",
}
LINES = (
    *(
        "look",
        "ask Osk about Lin",
        "ask Osk about the weather",
        "search under the table",
        "go door",
        "ask Bea about the nets",
    ),
    *(
        "go tavern",
        "take rope",
        "what does Osk hide",
        "tell me the secret",
        "ask Osk about the harbour master",
        "/lore seal",
    ),
    *(
        "read the letter",
        "ask Osk about the marmoset",
        "/facts",
        "/threads",
        "/who",
        "what is in the cellar?",
        "wait",
        "/recap",
    ),
)


def disguises(word: str) -> Iterator[tuple[str, str]]:
    """Yield a word as it might hide in a text, in lower case, and how that is called."""
    yield "plain", word
    yield "backwards", word[::-1]
    yield "shifted by thirteen", codecs.encode(word, "rot13")
    yield "base64", base64.b64encode(word.encode()).decode().strip("=").casefold()
    yield "hexadecimal", word.encode().hex()
    yield "spelt out", " ".join(word)
    yield "with hyphens", "-".join(word)


def found_in(text: str, word: str) -> list[str]:
    """Return the disguises in which a word stands in a text; accents, width and case make no difference."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).casefold()
    return [how for how, said in disguises(word) if said in plain]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> App:
    return open_app(h.harbour(tmp_path_factory.mktemp("leaks")).workspace.root)


def hold(tally: Tally, text: str, words: Sequence[str], asked: str) -> None:
    """Count a cell for each of the secret words that a text must not have; what was asked does not count."""
    shown = text.casefold().replace(asked.casefold(), "")
    for word in words:
        tally.tried += len(list(disguises(word)))
        if how := found_in(shown, word):
            tally.fault("leak", f"{word} ({', '.join(how)}) for {asked!r}: {text[:300]}")


def run(app: App, *words: str) -> str:
    done = run_command(*words, environment=workspace_environment(app.workspace.root, LOREWRIGHT_EMBEDDER="none"))
    return done.stdout + done.stderr


@pytest.mark.parametrize("who", VIEWERS)
def test_no_question_about_lore_brings_what_is_kept_from_who_asks(app: App, who: str) -> None:
    tally, campaign = Tally("leaks", "lore query, entity, scene"), VIEWERS[who]
    viewer = who.split()[0]
    beginnings = [f'"{word[:5]}"' for word in SECRETS]
    for asked in (*NEAR.values(), *SECRETS, *map(str.upper, SECRETS), *beginnings, "secret", "hidden"):
        hold(tally, h.query(app, asked, viewer, campaign), tuple(SECRETS), asked)
    where = ("--as", viewer, "--json", *(("--campaign", campaign) if campaign else ()))
    for entity in ("tavern", "quay", "osk", "bea", "lin"):
        hold(tally, run(app, "lore", "entity", f"harbour:{entity}", *where), tuple(SECRETS), entity)
    for place in ("tavern", "quay"):
        hold(tally, run(app, "lore", "scene", "--location", f"harbour:{place}", *where), tuple(SECRETS), place)
    tally.close()


def indexed(root: Path, files: Mapping[str, str]) -> App:
    make_empty_workspace(root)
    h.write_pack(root / "content_packs" / "harbour", files)
    open_app(root).indexer.index_pack(root / "content_packs" / "harbour")
    return open_app(root)


def test_where_a_secret_is_and_where_there_is_none_the_answer_is_the_same(tmp_path: Path) -> None:
    """Counts, scores, order and what is left out say nothing of what is hidden."""
    tally = Tally("leaks", "counts, scores and order, with and without the secret")
    bare = {
        name: "\n".join(line for line in text.split("\n") if not any(word in line for word in SECRETS))
        for name, text in h.FILES.items()
    }
    apps = indexed(tmp_path / "with", h.FILES), indexed(tmp_path / "without", bare)
    for asked in (*NEAR.values(), *SECRETS, "landlord", "letter", "cellar", "boat", "harbour master"):
        tally.tried += 1
        first, second = (_answer(app, asked) for app in apps)
        if first != second:
            tally.fault("leak", f"{asked!r} is answered otherwise: {first}, {second}")
    tally.close()


def _answer(app: App, asked: str) -> list[tuple[str, float, str]]:
    query = LoreRetrievalQuery(keywords=asked, viewer="player", limit=50, max_tokens=9_000)
    found = app.lore.retrieve(query).result
    return [(chunk.chunk_id, chunk.relevance_score, chunk.text) for chunk in found.chunks]


@pytest.mark.parametrize("seed", range(scaled(3)))
def test_no_line_of_play_tells_what_was_not_learned(tmp_path: Path, seed: int) -> None:
    tally = Tally("leaks", "turns, and what programs get after each")
    app, typed = h.harbour(tmp_path, seed=seed), ""
    for line in random.Random(seed).sample(LINES, len(LINES)):
        typed += line.casefold()
        (result,) = h.say(app, line)
        with app.campaigns.reading("game") as store:
            state = store.head().state
        # A word that the player has typed stands in what is remembered of them.
        words = [
            word for word, item in SECRETS.items() if not state.has_learned(state.player_id, item) and word not in typed
        ]
        hold(tally, json.dumps(result, ensure_ascii=False), words, line)
        asked = call(app, "query_lore", {"text": line}, viewer="player", campaign="game")
        hold(tally, json.dumps(asked, default=str), words, line)
    for command in (("campaign", "log"), ("campaign", "show"), ("session", "recap")):
        words = [
            word for word, item in SECRETS.items() if not state.has_learned(state.player_id, item) and word not in typed
        ]
        hold(tally, run(app, *command, "game", "--json"), words, command[1])
    tally.close()
