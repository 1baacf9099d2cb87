"""The hostile corpora: every verdict and code as expected, nothing read from outside, the process lives."""

from __future__ import annotations

import json
import random
import tarfile
import time
from pathlib import Path

import pytest

from lorewright.errors import LorewrightError, PackError
from lorewright.index.library import Library
from lorewright.index.lore_indexer import LoreIndexer
from lorewright.packs.files import Finding
from lorewright.packs.loader import load_pack
from lorewright.packs.models import Pack
from lorewright.packs.pack_loader import PackLoader
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from support.corpora import corpora, corpus_pack
from support.scale import scaled
from support.tally import counted

pytestmark = [pytest.mark.campaign, pytest.mark.corpora, pytest.mark.trust]

# CAMPAIGN_SCALE=10 for five thousand.
MUTATIONS = scaled(500)


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    with tarfile.open(corpora() / "hostile.tar.gz") as archive:
        archive.extractall(folder, filter="fully_trusted")  # our own archive; its symlinks are what is tested
    return folder


@pytest.fixture(scope="module")
def hostile(unpacked: Path) -> Pack:
    return load_pack(unpacked / "hostile")


def expected(folder: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (folder / "EXPECTED.jsonl").read_text(encoding="utf-8").splitlines()]


def verdict(loaded: bool, findings: list[Finding]) -> str:
    if loaded:
        return "warn" if any(one.severity == "warning" for one in findings) else "load"
    return "skip" if findings else "ignore"


def test_every_file_has_the_verdict_and_the_code_that_is_expected(unpacked: Path, hostile: Pack) -> None:
    assert hostile.errors
    loaded = {entity.file_path for entity in hostile.entities}
    differing = []
    for one in expected(unpacked / "hostile"):
        findings = [finding for finding in hostile.findings if finding.file == one["file"]]
        wanted = "skip" if one["verdict"] == "refuse" else one["verdict"]
        got = verdict(one["file"] in loaded, findings)
        coded = wanted in ("load", "ignore") or one["code"] in {finding.code for finding in findings}
        if got != wanted or not coded:
            differing.append((one["file"], wanted, one["code"], got, [finding.code for finding in findings]))
    assert differing == []


def test_every_manifest_has_the_verdict_and_the_code_that_is_expected(unpacked: Path) -> None:
    root = unpacked / "hostile-manifests"
    differing = []
    for one in expected(root):
        findings = [
            finding
            for finding in PackLoader(root).check_pack(root / one["pack"]).findings
            if finding.file == "pack.yaml"
        ]
        severities = {finding.severity for finding in findings}
        got = "reject" if "error" in severities else "warn" if "warning" in severities else "load"
        if got != one["verdict"] or (got != "load" and one["code"] not in {finding.code for finding in findings}):
            differing.append((one["pack"], one["verdict"], one["code"], got, [finding.code for finding in findings]))
    assert differing == []


def test_the_marker_outside_is_found_by_no_query_and_nothing_is_made_outside(
    unpacked: Path, hostile: Pack, tmp_path: Path
) -> None:
    marker = "THIS-TEXT-MUST-NEVER-BE-INDEXED-7f3a"
    assert marker in (unpacked / "OUTSIDE_SECRET.md").read_text(encoding="utf-8")
    before = sorted(path.as_posix() for path in unpacked.rglob("*"))
    library = Library(tmp_path / "indexes")
    with pytest.raises(PackError, match="was not installed"):
        LoreIndexer(library).index_checked_pack(hostile)
    assert library.packs() == []
    installed = LoreIndexer(library).index_checked_pack(hostile, lenient=True).pack
    generation = library.open(installed.key)
    for words in (marker, "text must never be indexed 7f3a", "outside secret"):
        asked = LoreRetrievalQuery(keywords=words, limit=1000, max_tokens=10_000_000)
        found = retrieve(LoreView((generation,)), asked).result
        assert not any(marker in chunk.text for chunk in found.chunks)
    rows = generation.connection.execute("SELECT count(*) FROM pack_chunks WHERE instr(chunk_text, ?)", (marker,))
    assert rows.fetchone()[0] == 0
    generation.close()
    assert sorted(path.as_posix() for path in unpacked.rglob("*")) == before
    assert not list(Path.cwd().glob("PWNED*"))


def seeds(unpacked: Path) -> list[bytes]:
    """Real and hostile files to mutate, none of them long."""
    files = [path for path in sorted((unpacked / "hostile").rglob("*.md")) if path.is_file() and not path.is_symlink()]
    files += sorted(corpus_pack("eclipse-phase").rglob("*.md"))[::10]
    files += sorted(corpus_pack("asis-cairn").rglob("*.md"))[::10]
    return [data for path in files if 0 < len(data := path.read_bytes()) < 20_000]


def mutated(data: bytes, chance: random.Random) -> bytes:
    """A few bytes changed, doubled, cut, or replaced by what readers stumble over."""
    nasty = [
        b"---\n",
        b"\0",
        b"\xff",
        b"[[",
        b"```",
        b"# ",
        b"&a *a ",
        b": ",
        b"\r",
        b"{" * 30,
        b"%%",
        b"<!--",
        b"\xe2\x80\xae",
    ]
    body = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(body) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            body[at:at] = chance.choice(nasty) * chance.choice((1, 1, 1, 50))
        elif kind == 1:
            del body[at : at + chance.randint(1, 200)]
        elif kind == 2:
            body[at:at] = body[at : at + chance.randint(1, 400)] * chance.randint(1, 4)
        elif at < len(body):
            body[at] = chance.randrange(256)
    return bytes(body)


def test_thousands_of_mutated_files_give_only_findings_and_none_takes_long(unpacked: Path, tmp_path: Path) -> None:
    chance = random.Random(11)
    originals = seeds(unpacked)
    slowest = 0.0
    per_pack = 100
    for number in range(MUTATIONS // per_pack):
        folder = tmp_path / f"pack{number}"
        folder.mkdir()
        for index in range(per_pack):
            (folder / f"f{index}.md").write_bytes(mutated(chance.choice(originals), chance))
        started = time.perf_counter()
        try:
            load_pack(folder)
        except LorewrightError as error:
            pytest.fail(f"a folder of files is a pack: {error}")
        slowest = max(slowest, (time.perf_counter() - started) / per_pack)
    # No timing is asserted here but the bound that is promised: a second a file, and these are a hundred at once.
    assert slowest < 1.0
    counted("hostile input", "mutated files of packs", MUTATIONS)
