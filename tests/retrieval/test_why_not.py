"""Why a chunk is not in an answer: where it stands, what it lacks, what would bring it in; and for whom it exists."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.cli.tracing import told_of
from lorewright.index.generation import Generation
from lorewright.packs.conditions import LoreConditions
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from lorewright.retrieval.why_not import WhyNot, explain_why_not
from support.pack_builder import TOWN, ask, opened_packs
from support.scale import scaled

Town = tuple[Generation, ...]


def absent(generations: Town, words: str, chunk_id: str, *, viewer: str = "gm", **fields: object) -> WhyNot:
    query = LoreRetrievalQuery.model_validate({"keywords": words, "viewer": viewer, **fields})
    return explain_why_not(LoreView(generations, viewer=viewer), query, chunk_id)


def test_it_stands_against_the_last_one_chosen(town: Town) -> None:
    found = absent(town, "laundry boilers of the barman", "viktor:overview", limit=1)
    assert found.chunk is not None
    assert found.chunk.reason == "below_the_cut"
    assert found.last is not None
    assert found.last.rank == 1
    assert found.ranked >= found.chunk.rank


def test_it_says_which_of_the_words_asked_it_holds_stems_included(town: Town) -> None:
    found = absent(town, "who owned the laundries of Jin", "town:viktor:overview")
    assert found.holds == ("owned",)
    assert found.lacks == ("laundries", "jin")


@settings(max_examples=scaled(25), deadline=None)
@given(
    words=st.sampled_from(["the barman and the laundry", "Night Guild market", "pier gulls door", "shotgun jukebox"]),
    budget=st.integers(min_value=0, max_value=200),
    limit=st.integers(min_value=1, max_value=6),
    pick=st.integers(min_value=0),
)
def test_what_would_bring_it_in_does_and_one_less_does_not(
    town: Town, words: str, budget: int, limit: int, pick: int
) -> None:
    trace = ask(town, words, max_tokens=budget, limit=limit).trace
    left = [one.chunk_id for one in trace.chunks if one.reason in ("over_budget", "below_the_cut")]
    if not left:
        return
    chunk_id = left[pick % len(left)]
    found = absent(town, words, chunk_id, max_tokens=budget, limit=limit)

    def holds(max_tokens: int, sections: int) -> bool:
        answer = ask(town, words, max_tokens=max_tokens, limit=sections).result
        return chunk_id in {chunk.chunk_id for chunk in answer.chunks}

    assert found.from_tokens is not None or found.from_limit is not None
    tokens, sections = found.from_tokens or budget, found.from_limit or limit
    assert holds(tokens, sections)
    assert found.from_tokens is None or not holds(tokens - 1, sections)
    assert found.from_limit is None or not holds(tokens, sections - 1)


def test_a_duplicate_names_the_chunk_that_says_the_same(tmp_path: Path) -> None:
    text = "The lamp in the tower burns whale oil and is trimmed at dusk by the keeper's daughter."
    files = {"a.md": f"# Tower\n\n{text}\n", "b.md": f"# Beacon\n\n{text}\n", "c.md": "# Oil\n\nWhale oil is dear.\n"}
    with opened_packs(tmp_path, {"town": files}) as generations:
        trace = ask(generations, "whale oil lamp tower").trace
        (double,) = [one.chunk_id for one in trace.chunks if one.reason == "duplicate"]
        found = absent(generations, "whale oil lamp tower", double)
        assert {double, found.by} == {"town:a:overview", "town:b:overview"}
        assert (found.from_tokens, found.from_limit) == (None, None)


def test_what_a_later_pack_stands_for_is_named_even_if_nothing_asked_for_it(tmp_path: Path) -> None:
    base = "# Guard\n\nA guard.\n\n## Post\n\nAt the gate.\n"
    later = "---\nid: guard2\noverrides: core:guard\n---\n# Guard\n\n## Post\n\nOn the wall.\n"
    manifests = {
        "core": {"guard.md": base, "pack.yaml": "id: core\nname: core\nversion: 1.0.0\nlayer: core\n"},
        "home": {
            "guard2.md": later,
            "pack.yaml": "id: home\nname: home\nversion: 1.0.0\nlayer: homebrew\ndepends_on: [{id: core}]\n",
        },
    }
    with opened_packs(tmp_path, manifests) as generations:
        found = absent(generations, "unrelated", "core:guard:post")
        assert found.chunk is not None
        assert (found.chunk.reason, found.by) == ("overridden", "home:guard2:post")


def test_a_condition_is_told_to_the_game_master_and_exists_for_nobody_else(tmp_path: Path) -> None:
    text = "---\nwhen: {thread: heist, status: open}\n---\n# Vault\n\nThe vault door hums.\n"
    with opened_packs(tmp_path, {"town": {"vault.md": text}}) as generations:
        query = LoreRetrievalQuery(keywords="vault")
        view = LoreView(generations, conditions=LoreConditions())
        found = explain_why_not(view, query, "vault:overview")
        assert found.chunk is not None
        assert (found.chunk.reason, found.condition) == ("condition", "thread heist is open")
        player = LoreView(generations, viewer="player", conditions=LoreConditions())
        assert explain_why_not(player, query, "vault:overview").chunk is None


def test_an_unknown_id_gets_those_that_are_nearly_it(town: Town) -> None:
    assert absent(town, "jin", "viktor:witholds").similar[0] == "town:viktor:withholds"
    assert absent(town, "jin", "town:viktor:witholds").similar[0] == "town:viktor:withholds"
    assert absent(town, "jin", "zzz").similar == ()


@pytest.mark.parametrize("viewer", ["player", "npc:town:mara"])
@pytest.mark.parametrize("chunk_id", ["viktor:withholds", "town:viktor:withholds", "cult:overview", "viktor:withhold"])
def test_what_a_viewer_may_not_see_is_told_of_as_if_nobody_had_written_it(
    town: Town, tmp_path: Path, viewer: str, chunk_id: str
) -> None:
    """To the byte what is told where the secret is not in the pack at all."""
    head, _, rest = str(TOWN["npcs/viktor.md"]).partition("## Withholds")
    without: dict[str, str | bytes] = {
        **TOWN,
        "npcs/viktor.md": f"{head}## {rest.partition('## ')[2]}",
    }
    del without["factions/cult.md"]
    with opened_packs(tmp_path, {"town": without}) as generations:
        bare = absent(generations, "who owes Zenith", chunk_id, viewer=viewer)
    assert absent(town, "who owes Zenith", chunk_id, viewer=viewer).model_dump() == bare.model_dump()
    assert bare.chunk is None


def test_what_is_in_the_answer_is_told_to_be_there(town: Town) -> None:
    query = LoreRetrievalQuery(keywords="laundry")
    first = retrieve(LoreView(town), query).result.chunks[0].chunk_id
    found = absent(town, "laundry", first)
    assert found.chunk is not None
    assert found.chunk.reason is None
    assert found.chunk.given > 0


RULED: dict[str, str | bytes] = {
    "law.md": "---\nid: law\nlore: {always: true}\n---\n# Law\n\nNobody may carry iron after dark.\n",
    "gate.md": "---\nid: gate\nlore: {group: doors, priority: 5}\n---\n# Gate\n\nThe lantern gate is shut at dusk.\n",
    "hatch.md": "---\nid: hatch\nlore: {group: doors}\n---\n# Hatch\n\nThe lantern hatch is never shut.\n",
}


def test_a_rule_that_keeps_an_entry_out_or_in_is_told(tmp_path: Path) -> None:
    with opened_packs(tmp_path, {"town": RULED}) as generations:
        lost = absent(generations, "lantern", "hatch:overview")
        assert lost.chunk is not None
        assert (lost.chunk.reason, lost.chunk.rule) == ("group", "group doors: town:gate:overview is there")
        assert (lost.from_tokens, lost.from_limit) == (None, None)
        kept = absent(generations, "lantern", "law:overview")
        assert kept.chunk is not None
        assert (kept.chunk.reason, kept.chunk.rank, kept.chunk.rule) == (None, 0, "always")
        assert kept.chunk.given == kept.chunk.tokens
        told = [told_of(one, LoreRetrievalQuery(keywords="lantern"))[0] for one in (lost, kept)]
        assert told[0].endswith("for a rule of its entry keeps it out: group doors: town:gate:overview is there.")
        assert told[1] == "town:law:overview was chosen: always."
