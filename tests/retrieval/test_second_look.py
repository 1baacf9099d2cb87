"""What the best sections name comes along in the last places of an answer, for whoever may read the name."""

from __future__ import annotations

from pathlib import Path

from lorewright.retrieval.query import DEFAULT_LIMIT
from lorewright.retrieval.ranking import NAMED_PLACES
from support.pack_builder import Files, ask, found, opened_packs

MILL = "---\nid: mill\ntype: location\n---\n\n# Tarn Mill\n\nA wheel turns under ice.\n"
SECRET = "---\nid: mill\ntype: location\nvisibility: secret\n---\n\n# Tarn Mill\n\nA wheel turns under ice.\n"
QUESTION = "Who stole the brass lantern?"


def town(first: str, *, mill: str = MILL, houses: int = 12) -> Files:
    """A town of which some houses have a lantern; a file tells of the theft of one."""
    others = {
        f"house_{number}.md": f"---\nid: house_{number}\ntype: location\n---\n\n# House {number}\n\n"
        f"Number {number} has a {'lantern' if number < houses else 'bell'} over its door and a family of {number}.\n"
        for number in range(60)
    }
    theft = f"---\nid: theft\ntype: event\n---\n\n# The Theft\n\nThe brass lantern was stole by night.{first}\n"
    return {**others, "theft.md": theft, "mill.md": mill}


def places(parent: Path, files: Files, *, viewer: str = "gm") -> list[str]:
    with opened_packs(parent, {"town": files}) as packs:
        return found(ask(packs, QUESTION, viewer=viewer))


def test_what_the_best_section_names_has_a_place_though_no_word_of_the_question_is_in_it(tmp_path: Path) -> None:
    named = places(tmp_path / "a", town(" It went to Tarn Mill."))
    without = places(tmp_path / "b", town(" It went away."))
    assert len(named) == len(without) == DEFAULT_LIMIT
    assert not any("mill" in chunk_id for chunk_id in without)
    first = DEFAULT_LIMIT - NAMED_PLACES
    assert named[first].startswith("mill")
    assert named[:first] == without[:first]


def test_a_query_with_a_filter_has_no_second_look(tmp_path: Path) -> None:
    with opened_packs(tmp_path, {"town": town(" It went to Tarn Mill.")}) as packs:
        answer = found(ask(packs, QUESTION, location_id="house_3"))
    assert any("house_3" in chunk_id for chunk_id in answer)
    assert not any("mill" in chunk_id for chunk_id in answer)


def test_its_score_says_that_it_was_named(tmp_path: Path) -> None:
    with opened_packs(tmp_path, {"town": town(" It went to Tarn Mill.")}) as packs:
        trace = ask(packs, QUESTION).trace
    mill = next(chunk for chunk in trace.chunks if "mill" in chunk.chunk_id)
    assert mill.parts == {"mention": mill.score}
    assert [chunk.score for chunk in trace.chunks] == sorted((chunk.score for chunk in trace.chunks), reverse=True)


def test_what_has_a_place_already_takes_no_other(tmp_path: Path) -> None:
    plain = places(tmp_path / "a", town("", houses=3))
    named = places(tmp_path / "b", town(" It stood in House 1.", houses=3))
    assert sorted(plain) == sorted(named)
    assert len(set(named)) == len(named)


def test_what_a_viewer_may_not_know_of_is_not_looked_up(tmp_path: Path) -> None:
    files = town(" It went to Tarn Mill.", mill=SECRET)
    assert not any("mill" in chunk_id for chunk_id in places(tmp_path, files, viewer="player"))
