"""Real lorebooks and cards: every value of the source stands in the pack, and the pack loads without a finding."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.corpora import corpora
from support.lorebook_sources import ImportedPack

ENDINGS = (".json", ".png", ".lorebook", ".scenario")
SHORT = (
    *(f"sillytavern/{name}" for name in ("Eldoria.json", "contest_Assistant_Amy.ccv3.json")),
    *(
        f"sillytavern/{name}{ending}"
        for name in (
            "content_Assistant_CapoGPT",
            "contest_Assistant_Amy",
            "contest_Assistant_Gloria",
            "contest_Assistant_Sakana",
            "default_CodingSensei",
            "default_FluxTheCat",
            "default_Seraphina",
        )
        for ending in (".png", ".chara.json")
    ),
    *(
        f"novelai/{name}{ending}"
        for name in ("a_laboratory_assistant", "a_laboratory_assistant_interviewee", "white_samurai")
        for ending in (".lorebook", ".scenario")
    ),
)
LONG = "novelai/frankenstein.scenario"
NAMES = (*SHORT, LONG)
pytestmark = pytest.mark.corpora
every_source = pytest.mark.parametrize("name", [*SHORT, pytest.param(LONG, marks=pytest.mark.campaign)])


def lorebooks() -> Path:
    return corpora() / "lorebooks"


def source_of(name: str) -> Any:
    """The source's JSON, read apart from the importer: a picture's lies decoded beside it."""
    path = lorebooks() / name
    if path.suffix == ".png":
        v3 = path.with_suffix(".ccv3.json")
        path = v3 if v3.exists() else path.with_suffix(".chara.json")
    return json.loads(path.read_text(encoding="utf-8-sig"))


def imported(name: str, folder: Path) -> ImportedPack:
    return ImportedPack((lorebooks() / name).read_bytes(), folder / "pack", filename=Path(name).name)


def leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Every value that is no list or object, with the key that it stands under."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from leaves(member, name)
    elif isinstance(value, list):
        for member in value:
            yield from leaves(member, key)
    else:
        yield key, value


def plain(text: str, character: str) -> str:
    """The text's letters and digits, with names for placeholders."""
    text = re.sub(r"\{\{char\}\}|<bot>", lambda _: character, text, flags=re.IGNORECASE)
    text = re.sub(r"\{\{user\}\}|<user>", "the player", text, flags=re.IGNORECASE).replace("<START>", "")
    return re.sub(r"[\W_]+", " ", text).strip().casefold()


def data_of(pack: ImportedPack) -> list[Any]:
    return [pack.manifest, pack.left, *(file.metadata for file in pack.files)]


def missing(source: Any, pack: ImportedPack) -> list[tuple[str, Any]]:
    """The values of the source that the pack does not hold; repeated fields of a card are looked for once."""
    character = source["data"]["name"] if "data" in source else "the character"
    kept = [pair for data in data_of(pack) for pair in leaves(data)]
    texts = [text for _, text in kept if isinstance(text, str)] + [file.body for file in pack.files]
    said = "\n".join(plain(text, character) for text in texts)
    values = Counter((key.removeprefix("x_"), repr(value)) for key, value in kept if not isinstance(value, str))
    lost: list[tuple[str, Any]] = []
    for key, value in leaves(source):
        if isinstance(value, str):
            lost += [] if plain(value, character) in said else [(key, value)]
            continue
        values[key, repr(value)] -= 1
        lost += [] if values[key, repr(value)] >= 0 else [(key, value)]
    return lost


def test_the_list_of_sources_is_complete() -> None:
    found = {f"{path.parent.name}/{path.name}" for path in lorebooks().glob("*/*") if path.suffix in ENDINGS}
    assert found == set(NAMES)


@every_source
def test_every_value_of_the_source_stands_in_the_pack(name: str, tmp_path: Path) -> None:
    assert missing(source_of(name), imported(name, tmp_path)) == []


@every_source
def test_the_pack_loads_without_a_finding_that_could_be_avoided(name: str, tmp_path: Path) -> None:
    pack = imported(name, tmp_path).pack
    codes = {finding.code for finding in pack.findings if finding.severity != "info"}
    # A novel as one prompt is one long section; nobody can say where its chapters begin.
    assert codes <= {"large-chunk"}
    assert pack.manifest.derived is False


@every_source
def test_each_entry_is_one_entity_with_the_name_that_the_report_says(name: str, tmp_path: Path) -> None:
    pack = imported(name, tmp_path)
    shown = {f"{pack.pack.manifest.id}:{entry.id}": (entry.name, entry.type) for entry in pack.written.entries}
    assert {entity.id: (entity.name, entity.type) for entity in pack.pack.entities} == shown
    titles = {chunk.section for chunk in pack.pack.chunks}
    assert titles <= {"", "Personality", "Scenario", "Voice", "Opening"}


@pytest.mark.parametrize("name", ["sillytavern/default_Seraphina.png", "novelai/white_samurai.scenario"])
def test_a_value_taken_out_of_the_pack_would_be_missed(name: str, tmp_path: Path) -> None:
    source = source_of(name)
    pack = imported(name, tmp_path)
    path = pack.folder / pack.written.entries[1].path
    path.write_text("---\nid: gone\n---\n\n# Gone\n", encoding="utf-8")
    assert missing(source, pack)


@pytest.mark.campaign
def test_a_picture_and_its_decoded_card_give_the_same_pack(tmp_path: Path) -> None:
    for name in NAMES:
        if name.endswith(".png"):
            one = imported(name, tmp_path / name)
            other = imported(name.replace(".png", ".chara.json"), tmp_path / f"{name}-json")
            assert [file.body for file in one.files] == [file.body for file in other.files]


def test_types_are_guessed_as_a_reader_would(tmp_path: Path) -> None:
    samurai = {e.name: e.type for e in imported("novelai/white_samurai.lorebook", tmp_path / "a").written.entries}
    assert samurai["Kyoto"] == samurai["Kiyomizu Temple"] == "location"
    assert samurai["Yusa"] == samurai["Tokugawa Yoshinobu"] == "npc"
    assert samurai["Bushido"] == "culture"
    assistants = imported("novelai/a_laboratory_assistant_interviewee.lorebook", tmp_path / "b").written.entries
    assert {entry.type for entry in assistants} == {"npc"}
    eldoria = {e.name: e.type for e in imported("sillytavern/Eldoria.json", tmp_path / "c").written.entries}
    assert eldoria == {"Eldoria": "location", "Shadowfang": "culture", "Glade": "location", "Power": "culture"}
