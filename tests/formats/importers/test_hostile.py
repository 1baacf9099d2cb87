"""Sources made to break something: a pack that loads, or a PackError that says what to do. Never anything else."""

from __future__ import annotations

import base64
import json
import struct
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lorewright.errors import PackError
from lorewright.formats import character_card as containers
from lorewright.formats import json_source
from lorewright.formats import mark as bounds
from lorewright.formats.reading import read, read_file
from lorewright.formats.writer import write_pack
from lorewright.packs.loader import load_pack
from support.lorebook_sources import ImportedPack, bytes_of, card, charx, chunk, picture, png, text_chunk, world
from support.scale import scaled

KEYS = (
    *("entries", "key", "keys", "keysecondary", "content", "comment", "name", "uid", "disable", "enabled", "use_regex"),
    *("data", "spec", "description", "personality", "scenario", "first_mes", "mes_example", "alternate_greetings"),
    *("group_only_greetings", "character_book", "tags", "nickname", "creator_notes", "extensions", "creatorcomment"),
    *("lorebookVersion", "scenarioVersion", "lorebook", "context", "text", "displayName", "category", "categories"),
    *("id", "prompt", "title", "value", "entry", "type", "storyCards", "worldInfo", "x", "<<", ""),
)
NASTY = (
    *("../x", "CON", "🐉", "", " ", "a" * 500, "# h", "---", "```", "<!--", "%%", "[[a]]", "{{char}}", "{{user}}"),
    *(
        "\u0000\u001b[31m",
        "\u202eabc",
        "/a/i",
        "a\r\nb",
        "@@depth",
        "Location: x",
        "id",
        "\ud800",
        "\ufeff",
        "null",
        "1e9",
    ),
)
texts = st.one_of(st.sampled_from(NASTY), st.text(max_size=20))
anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | texts, inner, max_size=6),
    max_leaves=20,
)
entries = st.dictionaries(st.sampled_from(KEYS), anything, max_size=6)
shaped = st.one_of(
    st.builds(lambda members, more: {"entries": members, **more}, st.lists(entries, min_size=1, max_size=4), entries),
    st.builds(lambda data, more: {**more, "spec": "chara_card_v2", "data": data}, entries, entries),
    st.builds(
        lambda data, book: card(**{**data, "character_book": {"entries": book}}), entries, st.lists(entries, max_size=3)
    ),
    st.builds(
        lambda members: {"lorebookVersion": 1, "entries": members, "categories": members}, st.lists(entries, max_size=3)
    ),
    st.builds(
        lambda data, book: {**data, "scenarioVersion": 1, "lorebook": {"entries": book}},
        entries,
        st.lists(entries, max_size=3),
    ),
    st.lists(entries, max_size=4),
)


def import_and_load(data: bytes, filename: str = "source.json") -> None:
    """Import into a folder of its own; what is written must load, and nothing may lie beside it."""
    with tempfile.TemporaryDirectory() as beside:
        folder = Path(beside) / "pack"
        try:
            written = write_pack(read(data, filename), folder)
        except PackError as error:
            assert error.hint
            assert list(Path(beside).iterdir()) == []
            return
        pack = load_pack(folder)
        assert pack.errors == ()
        assert [entity.file_path for entity in pack.entities] == sorted(entry.path for entry in written.entries)
        assert {path.name for path in Path(beside).iterdir()} == {"pack"}


@pytest.mark.campaign
@settings(deadline=None, max_examples=scaled(20), suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(anything, shaped))
@example({"entries": [{"name": name, "content": name, "key": [name]} for name in NASTY]})
@example(card(name="{{char}}", nickname="{{user}}", tags=[[], {}], character_book={"entries": {"a": 1, "b": {}}}))
@example({"name": 7, "first_mes": None, "personality": [], "data": {"mes_example": 1}})
@example({"entries": [{"name": "Same", "x": 1}] * 5 + [{"name": "same 2"}, {"name": "Same-2"}]})
def test_arbitrary_json_under_the_known_keys_is_a_pack_or_a_pack_error(source: Any) -> None:
    import_and_load(json.dumps(source).encode())


@settings(deadline=None, max_examples=scaled(40))
@given(st.binary(max_size=200))
@example(b"")
@example(b"\xef\xbb\xbf{}")
@example(b"\xff\xfe{\x00")
@example(b"{" * 100_000)
@example(b"[" * 100_000)
@example(b'{"a":' * 100_000)
@example(b'{"entries": [{"content": NaN, "order": 1e999, "uid": -Infinity, "keys": [Infinity]}]}')
@example(b'{"entries": [{"uid": ' + b"9" * 5_000 + b"}]}")
@example(b'{"entries": [{"name": "\\ud800x", "content": "a\\u0000b\\udc00"}]}')
def test_arbitrary_bytes_are_a_pack_or_a_pack_error(data: bytes) -> None:
    import_and_load(data)


GOOD_PICTURE = picture(card(personality="Dry."))
GOOD_ARCHIVE = charx({"card.json": bytes_of(card(personality="Dry."))})


@settings(deadline=None, max_examples=scaled(50))
@given(st.sampled_from([GOOD_PICTURE, GOOD_ARCHIVE]), st.data())
def test_a_damaged_container_is_a_pack_or_a_pack_error(good: bytes, data: st.DataObject) -> None:
    place = data.draw(st.integers(4, len(good) - 1))
    patch = data.draw(st.binary(min_size=0, max_size=4))
    cut = data.draw(st.sampled_from([len(good), place]))
    import_and_load((good[:place] + patch + good[place + len(patch) :])[:cut], "card.png")


def error_of(data: bytes, filename: str = "card.png") -> PackError:
    with pytest.raises(PackError) as caught:
        read(data, filename)
    assert filename in caught.value.message
    assert caught.value.hint
    return caught.value


def test_a_picture_with_a_wrong_length_or_checksum_is_refused() -> None:
    start = GOOD_PICTURE.index(b"tEXt")
    huge = GOOD_PICTURE[: start - 4] + struct.pack(">I", 2**31) + GOOD_PICTURE[start:]
    assert "longer than the file" in error_of(huge).message
    flipped = GOOD_PICTURE[: start + 20] + b"!" + GOOD_PICTURE[start + 21 :]
    assert "checksum" in error_of(flipped).message
    assert "no end" in error_of(GOOD_PICTURE[:-12]).message


@pytest.mark.campaign
@pytest.mark.parametrize("kind", [b"zTXt", b"iTXt"])
def test_a_bomb_in_a_picture_is_refused_before_it_is_unpacked(kind: bytes) -> None:
    bomb = png(text_chunk("chara", b"A" * 40_000_000, kind=kind))
    assert len(bomb) < 100_000
    assert "larger than" in error_of(bomb).message


def test_a_bomb_in_an_archive_is_refused_before_it_is_unpacked() -> None:
    assert "larger than" in error_of(charx({"card.json": b" " * 40_000_000}), "card.charx").message


def test_a_picture_whose_card_is_cut_off_or_no_base64_is_refused() -> None:
    cut = zlib.compress(base64.b64encode(bytes_of(card())))[:-10]
    assert "cut off" in error_of(png(chunk(b"zTXt", b"chara\0\0" + cut))).message
    assert "base64" in error_of(png(text_chunk("chara", b"abcde"))).message


def test_an_archive_without_a_card_or_with_too_many_files_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no card.json" in error_of(charx({"other.json": b"{}", "../card.json": b"{}"}), "card.charx").message
    monkeypatch.setattr(containers, "_MAX_MEMBERS", 1)
    assert "more than" in error_of(charx({"card.json": b"{}", "b": b""}), "card.charx").message


def test_an_archive_packed_in_an_unusual_way_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "card.charx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("card.json", bytes_of(card()))
    assert "unusual" in error_of(path.read_bytes(), "card.charx").message


def test_a_source_over_a_bound_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_source, "MAX_SOURCE_BYTES", 100)
    assert "larger" in error_of(bytes_of(world({"content": "x" * 100})), "a.json").message
    monkeypatch.undo()
    monkeypatch.setattr(json_source, "MAX_JSON_VALUES", 5)
    assert "too many values" in error_of(bytes_of([1] * 9), "a.json").message


def test_too_many_entries_are_refused() -> None:
    book = {"entries": [{}] * (bounds.MAX_ENTRIES + 1)}
    with pytest.raises(PackError, match="at most 10000"):
        read(bytes_of(book), "a.json")


def test_json_nested_too_deep_is_refused() -> None:
    deep = b'{"entries":' + b"[" * 80 + b"]" * 80 + b"}"
    assert "deeper" in error_of(deep, "a.json").message


def test_a_file_that_is_not_there_or_a_folder_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent.json"):
        with pytest.raises(PackError, match="not a file"):
            read_file(path)


def test_controls_never_reach_the_pack(tmp_path: Path) -> None:
    entry = {"comment": "A\u001b[31mB", "content": "x\u0000y\u0085z\r\nnext", "key": ["k\u0007"], "note": "n\u009b"}
    pack = ImportedPack(world(entry), tmp_path / "pack")
    assert pack.sections("a-31mb") == {"": "xyz\nnext"}
    assert pack.files[0].metadata["x_note"] == "n"
    written = "".join(path.read_text(encoding="utf-8") for path in pack.folder.rglob("*.md"))
    assert json_source.clean(written) == written


def test_a_key_that_comes_twice_keeps_its_last_value_and_the_earlier_ones(tmp_path: Path) -> None:
    source = b'{"entries": [{"key": ["a"], "content": "last", "order": 1, "order": 2, "order": 3}]}'
    pack = ImportedPack(source, tmp_path / "pack")
    assert pack.files[0].metadata["lore"] == {"priority": -97}
    assert pack.files[0].metadata["x_order_earlier"] == [1, 2]


def test_numbers_that_no_pack_can_hold_are_kept_as_texts(tmp_path: Path) -> None:
    source = b'{"entries": [{"content": "x", "a": NaN, "b": 1e999, "c": 12345678901234567890123, "d": -7, "e": 0.5}]}'
    (file,) = ImportedPack(source, tmp_path / "pack").files
    assert [file.metadata[f"x_{key}"] for key in "abcde"] == ["NaN", "1e999", "12345678901234567890123", -7, 0.5]
