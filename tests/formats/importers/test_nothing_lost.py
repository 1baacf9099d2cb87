"""Whatever shape a source has, each of its values stands somewhere in the pack."""

from __future__ import annotations

import re
import tempfile
from itertools import count
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from formats.importers.test_hostile import KEYS
from support.lorebook_sources import ImportedPack
from support.scale import scaled

keys = st.sampled_from(KEYS)
shapes = st.recursive(
    st.just("leaf"), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5), max_leaves=12
)
entries = st.dictionaries(keys, shapes, max_size=6)
books = st.lists(entries | st.just("leaf"), max_size=3)
sources = st.one_of(
    st.builds(lambda more, book: {**more, "entries": [{}, *book]}, entries, books),
    st.builds(
        lambda more, book: {**more, "entries": {f"k{n}": one for n, one in enumerate([{}, *book])}}, entries, books
    ),
    st.builds(
        lambda more, data, book: {**more, "data": {**data, "first_mes": "leaf", "character_book": {"entries": book}}},
        entries,
        entries,
        books,
    ),
    st.builds(lambda more: {**more, "first_mes": "leaf"}, entries),
    st.builds(lambda more, book: {**more, "scenarioVersion": 1, "lorebook": {"entries": book}}, entries, books),
    st.builds(lambda more, book: {**more, "lorebookVersion": 1, "entries": [{}, *book]}, entries, books),
    st.builds(lambda book: [{}, *book], books),
)


def numbered(shape: Any, numbers: Any) -> Any:
    """The shape with a word of its own for each leaf."""
    if isinstance(shape, dict):
        return {key: numbered(value, numbers) for key, value in shape.items()}
    if isinstance(shape, list):
        return [numbered(value, numbers) for value in shape]
    return f"word{next(numbers)}" if shape == "leaf" else shape


@settings(deadline=None, max_examples=scaled(25))
@given(sources)
def test_every_leaf_of_any_source_stands_in_the_pack(shape: Any) -> None:
    numbers = count(1)
    source = numbered(shape, numbers)
    with tempfile.TemporaryDirectory() as beside:
        pack = ImportedPack(source, Path(beside) / "pack")
        written = "\n".join(path.read_text(encoding="utf-8") for path in pack.folder.rglob("*") if path.is_file())
    found = {int(number) for number in re.findall(r"[Ww]ord(\d+)", written)}
    assert set(range(1, next(numbers))) - found == set()
