"""Who may see what: a secret that was not revealed is in no text, trace, count, score or ID."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from lorewright.errors import SettingsError
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.generation import Generation
from lorewright.index.lore_indexer import LoreIndexer
from lorewright.retrieval.view import LoreView, may_see
from support.pack_builder import PIER, TOWN, Files, as_bytes, ask, found, opened_packs, write_pack
from support.shared_build import embedding_library

Town = tuple[Generation, ...]
PIER9, DEBT, LEDGER = "town:viktor:knows#pier9", "town:viktor:withholds#debt", "town:bar:discoverable#ledger"
HIDDEN = ("disposition", "knows", "withholds", "capabilities", "discoverable", "threads", "secret")
QUERIES: tuple[dict[str, object], ...] = (
    {"words": "Viktor"},
    {"words": "debt zenith forty thousand Pier 9 ledger courier"},
    {"words": "silver hand"},
    {"words": "the drowned choir below the pier"},
    {"words": "What does the barman know of the stallholders?"},
    {"words": "bar", "location_id": "bar", "entity_ids": ("viktor", "mara")},
    {"words": "", "location_id": "pier"},
    {"words": "", "entity_ids": ("cult", "viktor"), "faction_ids": ("cult",)},
    {"words": "polishes a glass, rain, radio, badge, jukebox, cellar, shotgun"},
)


def everything(town: Town, viewer: str, *revealed: str) -> dict[str, str]:
    """All that a viewer can find, with every word and tie there is."""
    texts: dict[str, str] = {}
    for query in QUERIES:
        retrieval = ask(town, viewer=viewer, revealed=frozenset(revealed), limit=1000, max_tokens=10**6, **query)
        texts |= {chunk.chunk_id.removeprefix("town:"): chunk.text for chunk in retrieval.result.chunks}
    return texts


def test_the_game_master_sees_all_roles(town: Town) -> None:
    roles = {chunk.rpartition(":")[2] for chunk in everything(town, "gm")}
    assert {"disposition", "knows", "withholds", "capabilities", "discoverable", "threads", "overview"} <= roles


def test_a_player_sees_open_lore_and_nothing_else(town: Town) -> None:
    assert set(everything(town, "player")) == {
        "bar:overview",
        "bar:atmosphere",
        "bar:history",
        "pier:overview",
        "pier:access",
        "viktor:overview",
        "mara:overview",
        "guild:overview",
        "hand:overview",
    }


def test_a_character_sees_its_own_sheet_and_nobody_elses(town: Town) -> None:
    seen = everything(town, "npc:town:viktor")
    own = {"viktor:disposition", "viktor:knows", "viktor:withholds", "viktor:capabilities"}
    assert set(seen) == set(everything(town, "player")) | own
    assert not any("mara:" in name and name != "mara:overview" for name in seen)


def test_an_item_that_was_revealed_is_shown_and_its_neighbours_are_not(town: Town) -> None:
    seen = everything(town, "player", PIER9, LEDGER)
    assert seen["viktor:knows"] == "Jin's last run went to Pier 9."
    assert seen["bar:discoverable"] == "A ledger lists every courier by nickname."
    assert "viktor:withholds" not in seen


def test_a_part_of_a_secret_section_does_not_show_its_tags(town: Town) -> None:
    (chunk,) = ask(town, "courier nickname", viewer="player", revealed=frozenset({LEDGER})).result.chunks
    assert (chunk.chunk_id, chunk.metadata["tags"]) == ("town:bar:discoverable", [])


def test_what_was_revealed_is_found_by_its_words(town: Town) -> None:
    assert found(ask(town, "who bought his debt", viewer="player")) == []
    assert found(ask(town, "who bought his debt", viewer="player", revealed=frozenset({DEBT}))) == ["viktor:withholds"]


def test_what_was_revealed_to_one_character_adds_to_its_own_sheet(town: Town) -> None:
    seen = everything(town, "npc:town:mara", DEBT)
    assert seen["viktor:withholds"] == "Zenith bought his debt of forty thousand."
    assert "The police band" in seen["mara:knows"]


def test_a_part_of_a_secret_section_does_not_say_what_the_rest_is_tied_to(town: Town) -> None:
    retrieval = ask(town, "Pier 9", viewer="player", revealed=frozenset({PIER9}), faction_ids=("guild",))
    chunk = next(chunk for chunk in retrieval.result.chunks if chunk.chunk_id == "town:viktor:knows")
    assert (chunk.metadata["faction_ids"], chunk.metadata["entity_ids"]) == ([], ["viktor"])
    why = retrieval.trace.why("town:viktor:knows")
    assert why is not None
    assert why.filters == ()


@pytest.mark.parametrize("viewer", ["player", "npc:town:viktor"])
def test_a_file_for_the_game_master_does_not_exist(town: Town, viewer: str) -> None:
    for query in QUERIES:
        retrieval = ask(town, viewer=viewer, revealed=frozenset({PIER9}), limit=1000, max_tokens=10**6, **query)
        said = as_bytes(retrieval).decode().casefold()
        assert not any(secret in said for secret in ("cult", "choir", "drown", "silver"))


def test_a_tag_that_says_a_hidden_name_is_no_tag_for_who_may_not_know_it(tmp_path: Path) -> None:
    tagged = {**TOWN, "locations/pier.md": without(PIER, "tags: [harbour]", "tags: [harbour, cult]")}
    with opened_packs(tmp_path, {"town": tagged}) as town:
        guesses = [("cult",), ("no_such_tag",), ("harbour",)]
        asked = [found(ask(town, viewer="player", tags=tags)) for tags in guesses]
        assert (asked[0], asked[1]) == ([], [])
        assert asked[2]
        assert found(ask(town, viewer="gm", tags=("cult",)))


def without(text: str | bytes, secret: str, instead: str = "") -> str:
    assert isinstance(text, str)
    assert secret in text
    return text.replace(secret, instead)


BAR, VIKTOR = TOWN["locations/bar.md"], TOWN["npcs/viktor.md"]
TIED_PIER = PIER.replace("tags: [harbour]", "tags: [harbour]\nrelated_factions: [cult]\nrelated_entities: [hand]")
CHANGES: dict[str, tuple[Files, Files]] = {
    "an item is removed": (
        TOWN,
        {**TOWN, "npcs/viktor.md": without(VIKTOR, "- {#debt} Zenith bought his debt of forty thousand.\n")},
    ),
    "an item says something else": (
        TOWN,
        {**TOWN, "npcs/viktor.md": without(VIKTOR, "Rain comes", "The [[Hand]] and Mara's [[pier]] come " * 9)},
    ),
    "a section is removed": (
        TOWN,
        {**TOWN, "npcs/viktor.md": without(VIKTOR, str(VIKTOR)[str(VIKTOR).index("## Withholds") :])},
    ),
    "a disposition changes": (
        TOWN,
        {**TOWN, "npcs/viktor.md": without(VIKTOR, "polishes one glass", "fears [[mara]] and the drowned choir")},
    ),
    "a discoverable is removed": (
        TOWN,
        {
            **TOWN,
            "locations/bar.md": without(BAR, "- {#stain} examine the jukebox: Dried blood marks the coin slot.\n"),
        },
    ),
    "a hint changes": (TOWN, {**TOWN, "locations/bar.md": without(BAR, "The shelf behind", "The jukebox near")}),
    "a thread is removed": (
        TOWN,
        {**TOWN, "locations/bar.md": without(BAR, "- {#side_case} The rent is three months late.\n")},
    ),
    "a gm file is removed": (TOWN, {path: text for path, text in TOWN.items() if "cult" not in path}),
    "a gm file that open lore refers to is removed": (
        {**TOWN, "locations/pier.md": TIED_PIER},
        {**{path: text for path, text in TOWN.items() if "cult" not in path}, "locations/pier.md": TIED_PIER},
    ),
    "a comment changes": (
        {**TOWN, "items/hand.md": "---\nid: hand\ntype: item\n---\n# Hand\n\nA hand. %%It is [[viktor]]'s.%%\n"},
        {**TOWN, "items/hand.md": "---\nid: hand\ntype: item\n---\n# Hand\n\nA hand. %%A debt.%%\n"},
    ),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("viewer", ["player", "npc:town:mara"])
def test_what_a_viewer_may_not_see_changes_no_byte_for_them(tmp_path: Path, change: str, viewer: str) -> None:
    answers = []
    for number, files in enumerate(CHANGES[change]):
        with opened_packs(tmp_path / str(number), {"town": files}) as town:
            revealed = frozenset({PIER9, LEDGER})
            answers.append([as_bytes(ask(town, viewer=viewer, revealed=revealed, **query)) for query in QUERIES])
    assert answers[0] == answers[1]


@pytest.mark.campaign
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("viewer", ["player", "npc:town:mara"])
def test_nor_where_meaning_is_asked(tmp_path: Path, change: str, viewer: str) -> None:
    answers = []
    for number, files in enumerate(CHANGES[change]):
        library = embedding_library(tmp_path / str(number) / "indexes", HashingEmbedder())
        key = LoreIndexer(library).index_pack(write_pack(tmp_path / str(number), files)).pack.key
        with closing(library.open(key)) as town:
            asked = [{"words": "somebody old who pours drinks and never smiles"}, *QUERIES]
            found = [ask((town,), viewer=viewer, revealed=frozenset({PIER9, LEDGER}), **query) for query in asked]
            answers.append([as_bytes(one) for one in found])
            assert any(chunk.vector_score is not None for one in found for chunk in one.trace.chunks)
    assert answers[0] == answers[1]


@pytest.mark.parametrize("change", [change for change in CHANGES if change != "a comment changes"])
def test_the_game_master_sees_each_of_these_changes(tmp_path: Path, change: str) -> None:
    answers = []
    for number, files in enumerate(CHANGES[change]):
        with opened_packs(tmp_path / str(number), {"town": files}) as town:
            answers.append([as_bytes(ask(town, **query)) for query in QUERIES])
    assert answers[0] != answers[1]


@pytest.mark.parametrize("role", HIDDEN)
def test_the_predicate_opens_a_secret_to_the_game_master_and_by_a_reveal(role: str) -> None:
    player = LoreView((), viewer="player", revealed=frozenset({"p:a:x#1"}))
    assert may_see(LoreView(()), role=role, owner_id="p:a")
    assert not may_see(player, role=role, owner_id="p:a")
    assert may_see(player, role=role, owner_id="p:a", item_id="p:a:x#1")
    assert not may_see(player, role=role, owner_id="p:a", item_id="p:a:x#2")


@pytest.mark.parametrize("role", HIDDEN)
def test_the_predicate_opens_a_sheet_to_its_owner(role: str) -> None:
    own = role in ("disposition", "knows", "withholds", "capabilities")
    assert may_see(LoreView((), viewer="npc:p:a"), role=role, owner_id="p:a") is own
    assert not may_see(LoreView((), viewer="npc:p:b"), role=role, owner_id="p:a")


@pytest.mark.parametrize("role", ["lore", "atmosphere"])
@pytest.mark.parametrize("viewer", ["gm", "player", "npc:p:b"])
def test_open_lore_is_everyones(role: str, viewer: str) -> None:
    assert may_see(LoreView((), viewer=viewer), role=role, owner_id="p:a")


@pytest.mark.parametrize("viewer", ["", "GM", "npc:", "npc: x", "players", "npc"])
def test_an_unknown_viewer_is_refused(viewer: str) -> None:
    with pytest.raises(SettingsError):
        LoreView((), viewer=viewer)
