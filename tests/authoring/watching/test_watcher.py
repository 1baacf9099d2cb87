"""What is seen of a pack after each save: findings, answers, golden queries; and what others get to see of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lorewright.authoring.watcher import Look, PackWatcher, Watched, WatchedQuestion
from lorewright.errors import NotFound
from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.index.embedding_cache import EmbeddingCache
from lorewright.index.library import Library
from lorewright.index.lore_indexer import LoreIndexer
from lorewright.index.vector_building import VectorBuilder
from lorewright.packs.loader import load_pack
from lorewright.settings import LoreSettings
from support.pack_builder import MANIFEST, TOWN, as_bytes, ask, write_pack

GOLDEN = "- query: who owns the bar\n  include: [town:viktor:overview]\n"
PARROT = "\n## Parrot\n\nThe ledger parrot counts every courier and every ledger.\n"


class Town:
    """A pack in a folder, the library of its workspace, and a watcher that asks about the ledger and of a scene."""

    def __init__(self, parent: Path, *, lenient: bool = False, install_as: str | None = "town") -> None:
        self.folder = write_pack(parent, {**TOWN, "tests/golden.yaml": GOLDEN})
        vectors = VectorBuilder(HashingEmbedder(), EmbeddingCache(parent / "embeddings.db"), bool)
        self.library = Library(parent / "indexes", vectors)
        self.questions = (WatchedQuestion(words="who has the ledger"), WatchedQuestion("player", location="bar"))
        self.pinned: set[str] = set()
        watched = Watched(self.folder, self.questions, True, lenient, install_as)
        self.watcher = PackWatcher(watched, self.library, LoreSettings(), lambda key: key.content_hash in self.pinned)

    def save(self, path: str, text: str) -> Look | None:
        """Write a file and look."""
        (self.folder / path).write_text(text, encoding="utf-8")
        return self.watcher.look()

    def append(self, path: str, text: str) -> Look:
        """Write more into a file and look, where there must be something new."""
        look = self.save(path, (self.folder / path).read_text(encoding="utf-8") + text)
        assert look is not None
        return look


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    made = Town(tmp_path)
    assert made.watcher.look() is not None
    yield made
    made.watcher.close()


def test_the_first_look_sees_all_of_it_and_nothing_moved(tmp_path: Path) -> None:
    town = Town(tmp_path)
    look = town.watcher.look()
    assert look is not None
    assert (look.files, look.indexed, look.changed, look.problem) == (len(TOWN), True, look.chunks, None)
    assert [one.question for one in look.answers] == list(town.questions)
    assert [one.changes for one in look.answers] == [None, None]
    assert all(one.answer.texts for one in look.answers)
    assert look.golden is not None
    assert (look.golden.asked, look.golden.failing) == (1, ())
    town.watcher.close()


def test_where_nothing_is_different_there_is_nothing_to_see(town: Town) -> None:
    assert town.watcher.look() is None
    assert town.save("npcs/mara.md", str(TOWN["npcs/mara.md"])) is None
    assert town.save("notes.txt", "no content") is None


def test_an_edit_moves_an_answer_with_its_reason_and_leaves_the_other(town: Town) -> None:
    look = town.append("npcs/mara.md", PARROT)
    # The parrot's section, and the one before it, which ends in a line more.
    assert (look.changed, look.embedded) == (3, 1)
    asked, scene = look.answers
    assert asked.changes is not None
    first = asked.changes.moves[0]
    assert (first.chunk_id, first.kind, first.why[0]) == ("town:mara:parrot", "entered", "a new section")
    assert scene.changes is not None


def test_the_answers_are_those_of_an_installed_pack(town: Town) -> None:
    town.append("npcs/mara.md", PARROT)
    installed = LoreIndexer(town.library).index_pack(town.folder).pack
    generation = town.library.open(installed.key)
    for question in town.questions[:1]:
        expected = ask((generation,), question.words, viewer=question.viewer)
        look = town.append("npcs/mara.md", "\n")
        assert look.answers[0].answer.traces == {one.chunk_id: one for one in expected.trace.chunks}
        assert list(look.answers[0].answer.texts) == [one.chunk_id for one in expected.result.chunks]
        assert as_bytes(expected)
    generation.close()


def test_errors_are_told_and_what_was_indexed_is_kept(town: Town) -> None:
    mara = str(TOWN["npcs/mara.md"])
    broken = town.save("npcs/mara.md", mara.replace("id: mara", "id: [mara"))
    assert broken is not None
    assert (broken.indexed, broken.answers, broken.problem) == (
        False,
        (),
        "errors keep it from being indexed; what was indexed before is kept",
    )
    assert [finding.code for finding in broken.findings.new] == ["invalid-yaml"]
    assert town.watcher.indexed is not None
    assert any(entity.id == "town:mara" for entity in town.watcher.indexed.entities)
    mended = town.save("npcs/mara.md", mara)
    assert mended is not None
    assert [finding.code for finding in mended.findings.solved] == ["invalid-yaml"]
    assert (mended.findings.new, mended.changed) == ((), 0)
    assert not any(one.changes for one in mended.answers)


def test_errors_that_were_there_from_the_start_leave_out_what_has_them_and_hold_nothing_else_back(
    tmp_path: Path,
) -> None:
    town = Town(tmp_path)
    (town.folder / "old.md").write_text("---\nid: [\n---\n# Old\n")
    first = town.watcher.look()
    assert first is not None
    assert (first.indexed, first.problem, len(first.findings.errors)) == (True, "what has errors is left out", 1)
    assert town.append("npcs/mara.md", PARROT).indexed
    assert town.watcher.install() is None
    another = town.save("new.md", "---\nid: [\n---\n# New\n")
    assert another is not None
    assert (another.indexed, [finding.file for finding in another.findings.new]) == (False, ["new.md"])
    (town.folder / "new.md").unlink()
    (town.folder / "old.md").unlink()
    mended = town.watcher.look()
    assert mended is not None
    assert (mended.indexed, mended.problem) == (True, None)
    assert town.watcher.install() is not None
    town.watcher.close()


def test_a_lenient_pack_is_indexed_without_what_has_errors(tmp_path: Path) -> None:
    town = Town(tmp_path, lenient=True)
    town.watcher.look()
    look = town.save("npcs/mara.md", "---\nid: [\n---\n# Mara\n")
    assert look is not None
    assert look.indexed
    assert "invalid-yaml" in {finding.code for finding in look.findings.new}
    town.watcher.close()


def test_a_finding_is_new_once_and_solved_once_wherever_its_line_goes(town: Town) -> None:
    new = town.append("npcs/mara.md", "\nShe knows [[Nobody]].\n")
    assert [finding.code for finding in new.findings.new] == ["dangling-reference"]
    moved = town.save("npcs/mara.md", (town.folder / "npcs/mara.md").read_text().replace("# Mara\n", "# Mara\n\n\n"))
    assert moved is not None
    assert (moved.findings.new, moved.findings.solved, len(moved.findings.now)) == ((), (), 1)
    solved = town.save("npcs/mara.md", str(TOWN["npcs/mara.md"]))
    assert solved is not None
    assert [finding.code for finding in solved.findings.solved] == ["dangling-reference"]


def test_golden_queries_break_and_are_mended_and_their_file_may_be_wrong(town: Town) -> None:
    broken = town.save("npcs/viktor.md", "---\nid: viktor\ntype: npc\n---\n# Viktor\n\n## Knows\n\n- nothing\n")
    assert broken is not None
    assert broken.golden is not None
    assert [one.place for one in broken.golden.broken] == ["tests/golden.yaml:1"]
    still = town.append("npcs/mara.md", PARROT)
    assert still.golden is not None
    assert (len(still.golden.failing), still.golden.broken) == (1, ())
    mended = town.save("npcs/viktor.md", str(TOWN["npcs/viktor.md"]))
    assert mended is not None
    assert mended.golden is not None
    assert (len(mended.golden.mended), mended.golden.failing) == (1, ())
    wrong = town.save("tests/golden.yaml", "- query: [\n")
    assert wrong is not None
    assert wrong.golden is not None
    assert "tests/golden.yaml" in str(wrong.golden.fault)
    more = town.save("tests/golden.yaml", GOLDEN + GOLDEN.replace("bar", "market"))
    assert more is not None
    assert more.golden is not None
    assert more.golden.asked == 2


def test_the_place_of_a_scene_may_go_and_come_back(town: Town) -> None:
    (town.folder / "locations/bar.md").unlink()
    gone = town.watcher.look()
    assert gone is not None
    assert gone.answers[1].answer.texts == {}
    back = town.save("locations/bar.md", str(TOWN["locations/bar.md"]))
    assert back is not None
    assert back.answers[1].answer.texts


def test_a_scene_in_no_place_is_refused_at_once(tmp_path: Path) -> None:
    town = Town(tmp_path)
    watched = Watched(town.folder, (WatchedQuestion(location="nowhere"),))
    watcher = PackWatcher(watched, town.library, LoreSettings(), lambda key: False)
    with pytest.raises(NotFound, match="nowhere"):
        watcher.look()
    watcher.close()


def test_a_folder_without_markdown_is_told_once_and_seen_again_when_it_is_back(town: Town) -> None:
    aside = town.folder.with_name("aside")
    town.folder.rename(aside)
    gone = town.watcher.look()
    assert gone is not None
    assert (gone.indexed, town.watcher.look()) == (False, None)
    assert "is not a folder" in str(gone.problem)
    aside.rename(town.folder)
    back = town.watcher.look()
    assert back is not None
    assert (back.indexed, back.changed) == (True, 0)


def test_others_see_what_was_installed_and_what_the_watch_made_before_is_deleted(town: Town) -> None:
    first = LoreIndexer(town.library).index_pack(town.folder).pack
    town.append("npcs/mara.md", PARROT)
    second = town.watcher.install()
    assert second is not None
    assert town.library.get("town").content_hash == second.pack.content_hash != first.content_hash
    town.append("npcs/mara.md", PARROT)
    third = town.watcher.install()
    assert third is not None
    assert town.library.spaces(first.key)
    assert not town.library.spaces(second.pack.key)
    assert town.library.spaces(third.pack.key)


def test_what_a_campaign_was_begun_with_is_kept(town: Town) -> None:
    town.append("npcs/mara.md", PARROT)
    second = town.watcher.install()
    assert second is not None
    town.pinned.add(second.pack.content_hash)
    town.append("npcs/mara.md", PARROT)
    town.watcher.install()
    assert town.library.spaces(second.pack.key)


def test_a_pack_that_came_to_have_another_id_is_not_installed(town: Town) -> None:
    town.save("pack.yaml", MANIFEST.format(id="town2"))
    assert town.watcher.install() is None
    assert town.library.packs() == []


def test_what_is_only_watched_is_not_installed(tmp_path: Path) -> None:
    town = Town(tmp_path, install_as=None)
    town.watcher.look()
    assert town.watcher.install() is None
    assert not (tmp_path / "indexes").exists()
    town.watcher.close()


def test_packs_that_it_depends_on_are_asked_too_as_they_are_installed_now(tmp_path: Path) -> None:
    library = Library(tmp_path / "indexes")
    core = write_pack(tmp_path / "elsewhere", {"a.md": "# Core\n\nThe zeppelin is old.\n"}, pack_id="core")
    LoreIndexer(library).index_pack(core)
    manifest = MANIFEST.format(id="town") + "depends_on: [core]\n"
    folder = write_pack(tmp_path, {**TOWN, "pack.yaml": manifest})
    watched = Watched(folder, (WatchedQuestion(words="zeppelin"),))
    watcher = PackWatcher(watched, library, LoreSettings(), lambda key: False)
    first = watcher.look()
    assert first is not None
    assert list(first.answers[0].answer.texts) == ["core:a:overview"]
    (core / "a.md").write_text("# Core\n\nThe airship is old.\n")
    LoreIndexer(library).index_pack(core)
    (folder / "npcs/mara.md").write_text(str(TOWN["npcs/mara.md"]) + PARROT)
    second = watcher.look()
    assert second is not None
    assert second.answers[0].answer.texts == {}
    watcher.close()


def test_a_pack_that_it_depends_on_is_asked_as_it_is_written_now(tmp_path: Path) -> None:
    library = Library(tmp_path / "indexes")
    core = write_pack(tmp_path / "elsewhere", {"a.md": "# Core\n\nThe zeppelin is old.\n"}, pack_id="core")
    LoreIndexer(library).index_pack(core)
    folder = write_pack(tmp_path, {**TOWN, "pack.yaml": MANIFEST.format(id="town") + "depends_on: [core]\n"})
    watcher = PackWatcher(
        Watched(folder, (WatchedQuestion(words="zeppelin"),)), library, LoreSettings(), lambda key: False
    )
    assert watcher.needed_folders() == (core,)
    assert watcher.look() is not None

    (core / "a.md").write_text("# Core\n\nThe zeppelin is new, and the zeppelin flies.\n")
    assert watcher.look() is None
    edited = watcher.look(needed=True)
    assert edited is not None
    assert "flies" in "".join(edited.answers[0].answer.texts.values())
    assert [move.kind for move in edited.answers[0].changes.moves] == ["edited"]  # type: ignore[union-attr]
    # Nobody else sees it: that pack is not the one that is watched.
    assert library.packs()[0].content_hash != load_pack(core).content_hash

    (core / "a.md").write_text("---\nid: [\n---\n# Core\n")
    held = watcher.look(needed=True)
    assert held is not None
    assert "core is asked as it was" in str(held.problem)
    (core / "a.md").write_text("# Core\n\nThe zeppelin is old.\n")
    back = watcher.look(needed=True)
    assert back is not None
    assert (back.problem, "is old" in "".join(back.answers[0].answer.texts.values())) == (None, True)
    watcher.close()
