"""Items: what of a section can be known one by one, with its name, trigger, hint and condition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.packs.items import lint_triggers, read_items
from lorewright.packs.models import Item


def items(text: str, *, discoverable: bool = False, line: int = 1) -> tuple[Item, ...]:
    return read_items(text, chunk_id="town:bar:knows", line=line, discoverable=discoverable)


def only(text: str, *, discoverable: bool = False) -> Item:
    (item,) = items(text, discoverable=discoverable)
    return item


def test_each_list_item_is_one_and_is_named_by_its_place() -> None:
    found = items("- one\n- two\n")
    assert [(item.name, item.text, item.id) for item in found] == [
        ("1", "one", "town:bar:knows#1"),
        ("2", "two", "town:bar:knows#2"),
    ]


@pytest.mark.parametrize("text", ["* one\n* two", "+ one\n+ two", "1. one\n2. two", "1) one\n2) two", "- one\n\n- two"])
def test_every_kind_of_list_is_a_list(text: str) -> None:
    assert [item.text for item in items(text)] == ["one", "two"]


def test_in_prose_each_paragraph_is_one() -> None:
    found = items("One\nline.\n\nTwo.\n", line=10)
    assert [(item.text, item.line) for item in found] == [("One line.", 10), ("Two.", 13)]


def test_a_nested_list_belongs_to_its_item() -> None:
    assert only("- one\n  - deeper\n").text == "one deeper"


def test_items_stand_on_their_lines() -> None:
    assert [item.line for item in items("\n- one\n  more\n- two\n", line=20)] == [21, 23]


def test_a_name_in_braces_names_the_item_and_is_no_part_of_its_text() -> None:
    item = only("- {#pier9} Jin went to Pier 9.")
    assert (item.id, item.name, item.text) == ("town:bar:knows#pier9", "pier9", "Jin went to Pier 9.")
    assert only("- Jin went. {#Pier-9}").name == "pier_9"


def test_a_name_that_comes_twice_is_told_apart() -> None:
    found = items("- {#a} one\n- {#a} two\n- {#a} three\n- {#a_2} four")
    assert [item.name for item in found] == ["a", "a_2", "a_3", "a_2_2"]


def test_a_name_that_is_another_items_number_is_told_apart() -> None:
    assert len({item.id for item in items("- {#2} one\n- two\n")}) == 2


def test_a_condition_at_the_start_is_taken_from_the_text() -> None:
    item = only("- {#a} (when heat is 3) They know.")
    assert (item.condition, item.text) == ("when heat is 3", "They know.")
    assert only("- (in a whisper) They know.").condition is None
    assert only("- They know (when heat is 3).").condition is None


def test_a_discoverable_is_trigger_and_content() -> None:
    item = only("- {#ledger} search behind the bar: A ledger: every courier.", discoverable=True)
    assert (item.trigger, item.text) == ("search behind the bar", "A ledger: every courier.")


@pytest.mark.parametrize(
    "text",
    ["- A ledger.", "- It is late. Note: go home.", "- at 10:30 it opens", "- a: b", "- " + "long " * 20 + ": x"],
)
def test_what_has_no_trigger_is_all_content(text: str) -> None:
    assert only(text, discoverable=True).trigger is None


def test_elsewhere_a_colon_is_text() -> None:
    item = only("- search behind the bar: A ledger.")
    assert (item.trigger, item.text) == (None, "search behind the bar: A ledger.")


@pytest.mark.parametrize(
    "hint", ["  - hint: The shelf is crooked.", "  hint: The shelf is crooked.", "  Hint:   The shelf is *crooked*."]
)
def test_a_hint_below_an_item_is_no_part_of_what_it_hides(hint: str) -> None:
    item = only(f"- search the shelf: A ledger.\n{hint}\n", discoverable=True)
    assert (item.hint, item.text) == ("The shelf is crooked.", "A ledger.")


def test_condition_trigger_and_hint_go_together() -> None:
    item = only("- {#x} (when door is open) look inside: **Gold.**\n  - hint: It glitters.\n", discoverable=True)
    assert (item.condition, item.trigger, item.text, item.hint) == (
        "when door is open",
        "look inside",
        "Gold.",
        "It glitters.",
    )


def test_text_is_plain_words() -> None:
    item = only("- See [[viktor|the *fixer*]], [the pier](pier.md) and `code` <b>now</b> %%never%%<!-- nor this -->.")
    assert item.text == "See the fixer, the pier and code now ."


@pytest.mark.parametrize("text", ["", "\n\n", "- \n-\n", "- {#a}\n", "- hint: alone\n", "- %%all of it%%\n"])
def test_what_says_nothing_is_no_item(text: str) -> None:
    assert items(text) == ()


pieces = st.sampled_from(
    ["- ", "\n", "  ", "{#a}", "{#1}", "hint: ", "(when x) ", "a: b", "1. ", "> ", "```\n", "word", "[[x|y]]", "%%"]
)


@given(st.lists(pieces, max_size=25).map("".join), st.booleans())
def test_items_of_any_text_have_text_ids_of_their_own_and_come_in_order(text: str, discoverable: bool) -> None:
    found = items(text, discoverable=discoverable)
    assert len({item.id for item in found}) == len(found)
    assert [item.line for item in found] == sorted(item.line for item in found)
    assert all(item.text and "\n" not in item.text for item in found)


def test_a_condition_after_the_colon_of_a_trigger_is_remarked_on() -> None:
    text = "- {#crown} look behind the sheet: (when clock dusk >= 2) A crown hangs there.\n"
    items = read_items(text, chunk_id="p:stage:discoverable", line=7, discoverable=True)
    (found,) = lint_triggers("stage.md", items)
    assert (found.code, found.line) == ("bad-trigger", 7)
    assert found.hint == "write it first: (when clock dusk >= 2) look behind the sheet: …"
