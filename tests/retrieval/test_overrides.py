"""A later pack's section stands for an earlier one's: what is overridden counts for nothing, and says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorewright.index.generation import Generation
from lorewright.retrieval.view import find_same_things, merge_entity
from support.layered_packs import CORE_GUARD, TOWN_GUARD, core, manifest, town
from support.pack_builder import Files, as_bytes, ask, found, opened_packs

Packs = tuple[Generation, ...]
EVERYTHING = {"limit": 1000, "max_tokens": 10**6}
WORDS = "the password marmalade quince shift coin gate guard watchman edda"


def answers(parent: Path, packs: dict[str, Files], viewer: str = "gm") -> list[tuple[str, float]]:
    with opened_packs(parent, packs) as generations:
        chunks = ask(generations, WORDS, viewer=viewer, limit=1000, max_tokens=10**6).result.chunks
    return [(chunk.chunk_id, chunk.relevance_score) for chunk in chunks]


def test_an_overriding_section_replaces_and_the_rest_is_inherited(tmp_path: Path) -> None:
    ids = {chunk_id for chunk_id, _ in answers(tmp_path, {"core": core(), "town": town()})}
    assert {"town:watchman:knows", "core:guard:withholds", "core:guard:overview"} <= ids
    assert "core:guard:knows" not in ids


@pytest.mark.parametrize("viewer", ["gm", "player", "npc:core:guard", "npc:town:watchman"])
def test_what_is_overridden_changes_no_score(tmp_path: Path, viewer: str) -> None:
    without = CORE_GUARD[: CORE_GUARD.index("## Knows")] + CORE_GUARD[CORE_GUARD.index("## Withholds") :]
    packs: dict[str, Files] = {"core": core(), "town": town()}
    bare: dict[str, Files] = {"core": {**core(), "guard.md": without}, "town": town()}
    assert answers(tmp_path / "a", packs, viewer) == answers(tmp_path / "b", bare, viewer)


def test_an_open_section_that_is_overridden_changes_no_score(tmp_path: Path) -> None:
    guard = TOWN_GUARD + "\n## Atmosphere\n\nRain drips from a lantern.\n"
    without = CORE_GUARD[: CORE_GUARD.index("## Atmosphere")] + CORE_GUARD[CORE_GUARD.index("## Knows") :]
    packs: dict[str, Files] = {"core": core(), "town": town(guard=guard)}
    bare: dict[str, Files] = {"core": {**core(), "guard.md": without}, "town": town(guard=guard)}
    assert answers(tmp_path / "a", packs, "player") == answers(tmp_path / "b", bare, "player")


def test_the_trace_says_what_was_overridden(tmp_path: Path) -> None:
    with opened_packs(tmp_path, {"core": core(), "town": town()}) as packs:
        why = ask(packs, "marmalade").trace.why("core:guard:knows")
        assert why is not None
        assert (why.reason, why.rank, why.score, why.terms) == ("overridden", 0, 0.0, {})
        assert ask(packs, "halberd").trace.why("core:guard:knows") is None


def test_a_player_is_told_only_of_an_override_of_what_they_could_have_seen(tmp_path: Path) -> None:
    guard = TOWN_GUARD + "\n## Atmosphere\n\nRain drips from a lantern.\n"
    with opened_packs(tmp_path, {"core": core(), "town": town(guard=guard)}) as packs:
        trace = ask(packs, "marmalade iron", viewer="player").trace
        assert [(one.chunk_id, one.reason) for one in trace.chunks if one.reason] == [
            ("core:guard:atmosphere", "overridden")
        ]
        revealed = frozenset({"core:guard:knows#password"})
        why = ask(packs, "marmalade", viewer="player", revealed=revealed).trace.why("core:guard:knows")
        assert why is not None
        assert why.reason == "overridden"


@pytest.mark.parametrize("layer", ["core", "setting"])
def test_the_wrong_way_round_has_no_effect(tmp_path: Path, layer: str) -> None:
    with opened_packs(tmp_path, {"core": core("setting"), "town": town(layer)}) as packs:
        assert find_same_things(packs) == {}
        assert "guard:knows" in found(ask(packs, "marmalade"))


def test_alone_a_pack_overrides_nothing(tmp_path: Path) -> None:
    with opened_packs(tmp_path, {"core": core(), "town": town()}) as packs:
        assert "guard:knows" in found(ask(packs[:1], "marmalade"))
        assert found(ask(packs[1:], "quince")) == ["watchman:knows"]


def test_either_id_means_both(tmp_path: Path) -> None:
    with opened_packs(tmp_path, {"core": core(), "town": town()}) as packs:
        for entity_id in ("core:guard", "town:watchman"):
            asked = ask(packs, entity_ids=(entity_id,), **EVERYTHING)  # type: ignore[arg-type]
            assert {"watchman:knows", "guard:withholds"} <= set(found(asked))
            own = set(found(ask(packs, WORDS, viewer=f"npc:{entity_id}", **EVERYTHING)))  # type: ignore[arg-type]
            assert {"watchman:knows", "guard:withholds"} <= own


def test_a_chain_of_overrides_ends_at_the_latest(tmp_path: Path) -> None:
    tale = CORE_GUARD.replace("type: npc", "type: npc\noverrides: town:watchman").replace("marmalade", "pear")
    third: Files = {"pack.yaml": manifest("yarn", "adventure"), "guard.md": tale[: tale.index("## Withholds")]}
    with opened_packs(tmp_path, {"core": core(), "town": town(), "yarn": third}) as packs:
        seen = found(ask(packs, "password marmalade quince pear"))
        assert seen[0] == "guard:knows"
        trace = ask(packs, "password").trace
        reasons = {one.chunk_id: one.reason for one in trace.chunks}
        assert reasons["yarn:guard:knows"] is None
        assert reasons["core:guard:knows"] == reasons["town:watchman:knows"] == "overridden"


def test_an_entity_is_told_by_all_packs_together(tmp_path: Path) -> None:
    with opened_packs(tmp_path, {"core": core(), "town": town()}) as packs:
        entity = merge_entity("core:guard", packs)
        assert entity is not None
        assert (entity.id, entity.name, entity.attrs["pronoun"]) == ("core:guard", "Watchman Edda", "she")
        assert entity.aliases == ("Guard", "the sentry")


def test_asking_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    with opened_packs(tmp_path, {"core": core(), "town": town()}) as packs:
        assert as_bytes(ask(packs, WORDS)) == as_bytes(ask(packs, WORDS))
