"""Texts are compared with secrets by letters, by words and by meaning; what the reader knows is no news."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.index.embedders.hashing import HashingEmbedder
from lorewright.turn.views.leaks import LeakRefusal, LiveLeakCheck, RecordedLeakCheck, quoted_secret, share
from support.disguises import DISGUISES, said_by
from support.retellings import CHOSEN_ON, HELD_AGAINST, Teller, teller
from support.written_meanings import NEAR, Meanings

ALL = (*CHOSEN_ON, *HELD_AGAINST)
DEBT = "I sold her passage to the harbour master for a marmoset and a month of quiet."
OPEN = ("The harbour master keeps small animals, and pays well for them.", "Lin took the night boat on Tuesday.")


def refused(check: LiveLeakCheck, text: str, one: Teller) -> LeakRefusal | None:
    return check.refusal(text, [("it", one.secret)], known=one.open, closely={"it"}, by_meaning=True)


def told(text: str, *, known: Sequence[str] = OPEN, check: LiveLeakCheck | None = None) -> str | None:
    found = (check or LiveLeakCheck()).refusal(text, [("debt", DEBT)], known=known, closely={"debt"}, by_meaning=True)
    return None if found is None else found.way


@pytest.mark.parametrize("name", ALL)
def test_every_disguise_of_every_secret_is_seen_through(name: str) -> None:
    one, check = teller(name), LiveLeakCheck()
    passed = [
        kind for kind, of in DISGUISES.items() if refused(check, said_by(one.speaker, of(one.secret)), one) is None
    ]
    assert passed == []


@pytest.mark.parametrize("name", ALL)
def test_hardly_an_innocent_line_is_refused(name: str) -> None:
    one, check = teller(name), LiveLeakCheck()
    refusals = [line for line in one.innocent if refused(check, line, one)]
    # One line quotes six words of its secret in a row.
    assert refusals == [line for line in one.innocent if "council did not want to share" in line]


@pytest.mark.parametrize("name", ALL)
def test_innocent_lines_are_refused_in_no_disguise_either(name: str) -> None:
    one, check = teller(name), LiveLeakCheck()
    kinds = [
        of for kind, of in DISGUISES.items() if kind in ("cyrillic", "leet", "spaced", "base64", "rot13", "fillers")
    ]
    lines = [line for line in one.innocent[::5] if "want to share" not in line]
    assert [line for line in lines for of in kinds if refused(check, of(line), one)] == []


def test_of_secrets_that_are_retold_about_half_are_found_by_their_words() -> None:
    check = LiveLeakCheck()
    found = {name: sum(refused(check, line, teller(name)) is not None for line in teller(name).retold) for name in ALL}
    assert sum(found[name] for name in CHOSEN_ON) >= 8
    assert sum(found[name] for name in HELD_AGAINST) >= 9


@pytest.mark.parametrize(
    "text",
    [
        "Osk says: “The harbour master? For a marmoset, and for a quiet month, I sold him her passage.”",
        "Osk sold (you will laugh) her dear passage away, to that harbour lord and master, for one marmoset, one month, and quiet.",
        "A month of quiet. A marmoset. That is what the harbour master paid for her passage.",
    ],
)
def test_words_are_found_in_another_order_and_between_others(text: str) -> None:
    assert told(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Osk says: “The harbour master keeps small animals, and pays well for them.”",
        "“I sold her a supper. That is all.”",
        "Osk says that he will tell nobody what he sold to the harbour master.",
        "“A marmoset? What would I do with a marmoset?”",
        "",
        "…",
    ],
)
def test_what_is_near_a_secret_and_tells_nothing_of_it_passes(text: str) -> None:
    assert told(text) is None


@pytest.mark.parametrize("kind", ["capitals", "cyrillic", "no spaces", "yes", "last word first", "base64"])
def test_what_the_reader_knows_already_is_no_leak_however_it_is_written(kind: str) -> None:
    assert told(DISGUISES[kind](DEBT), known=(*OPEN, f"Osk said: {DEBT}")) is None
    assert told(DISGUISES[kind](DEBT)) is not None


def test_only_what_somebody_keeps_back_is_looked_for_in_other_words() -> None:
    text = "For a marmoset and a quiet month the harbour master has her passage."
    assert LiveLeakCheck().refusal(text, [("debt", DEBT)], known=OPEN) is None
    assert LiveLeakCheck().refusal(text, [("debt", DEBT)], known=OPEN, closely={"debt"}) is not None


def test_the_first_of_several_secrets_is_named() -> None:
    secrets = [("boat", "The night boat has a second deck that nobody ever sees."), ("debt", DEBT)]
    found = LiveLeakCheck().refusal(DISGUISES["rot13"](DEBT), secrets)
    assert found is not None
    assert (found.secret, found.way) == ("debt", "letters")


def test_numbers_count_twice_and_known_words_half() -> None:
    words = ("safe", "behind", "map", "open", "4", "17", "32")
    much, which = share(words, ("4", "17", "32"), {"safe", "map"})
    assert (much, which) == (0.67, {"4", "17", "32"})
    assert share(words, ("safe", "map"), {"safe", "map"})[0] < 0.15


@given(st.text(max_size=120))
def test_no_text_is_too_odd_to_be_compared(text: str) -> None:
    told(text)
    told(f"{text}{DEBT}{text}")


@given(st.lists(st.sampled_from("and the a of to in he she it says nods waits then now here".split()), max_size=60))
def test_small_words_alone_tell_nothing(words: list[str]) -> None:
    assert told(" ".join(words)) is None


def test_a_paraphrase_is_found_by_its_meaning() -> None:
    check = LiveLeakCheck(Meanings(NEAR))
    assert told("“I betrayed a young thing to somebody in an office.”", check=check) == "meaning"
    assert told("“I like the sea, and the sea likes me.”", check=check) is None


def test_what_means_the_same_as_something_known_is_no_leak() -> None:
    check = LiveLeakCheck(Meanings(NEAR))
    known = (*OPEN, "Everybody says that he let down the girl.")
    assert told("“I betrayed the girl to somebody in an office.”", known=known, check=check) is None


def test_meaning_is_asked_for_only_where_somebody_was_shown_the_secret() -> None:
    embedder = Meanings(NEAR)
    check = LiveLeakCheck(embedder)
    assert check.refusal("“I betrayed somebody.”", [("debt", DEBT)], by_meaning=True) is None
    assert check.refusal("“I betrayed somebody.”", [("debt", DEBT)], closely={"debt"}) is None
    assert embedder.asked == []


def test_a_secret_is_embedded_once() -> None:
    embedder = Meanings(NEAR)
    check = LiveLeakCheck(embedder)
    for number in range(3):
        told(f"“This is line {number}, about the sea.”", check=check)
    assert embedder.asked.count(DEBT) == 1


@pytest.mark.parametrize("embedder", [None, HashingEmbedder(), Meanings(NEAR, fails=True)])
def test_without_an_embedder_that_it_has_thresholds_for_nothing_is_compared_by_meaning(
    embedder: Meanings | None,
) -> None:
    check = LiveLeakCheck(embedder)
    assert told("“I betrayed a young thing to somebody in an office.”", check=check) is None
    assert told(DISGUISES["spaced"](DEBT), check=check) == "letters"


def test_a_recorded_check_repeats_what_was_found_and_finds_nothing_else() -> None:
    text = DISGUISES["rot13"](DEBT)
    found = LiveLeakCheck().refusal(text, [("debt", DEBT)])
    assert found is not None
    assert RecordedLeakCheck([found]).refusal(text, [("debt", DEBT)]) == found
    assert RecordedLeakCheck([found]).refusal(text, [("other", DEBT)]) is None
    assert RecordedLeakCheck([]).refusal(text, [("debt", DEBT)]) is None
    assert RecordedLeakCheck([]).refusal(DEBT, [("debt", DEBT)]) is not None


def test_a_quotation_needs_six_words_in_a_row_in_whatever_letters() -> None:
    assert quoted_secret(DISGUISES["cyrillic"](DEBT), [("debt", DEBT)]) == "debt"
    assert quoted_secret("I sold her passage to nobody.", [("debt", DEBT)]) is None


HOSTILE = """
from lorewright.turn.views.leaks import LiveLeakCheck
for unit in ("<", "<!--", "[a=", "0", "a1", "%4", "\\\\u00", "4a ", "12 ", "0101010 ", "&#", "A", "(.", "“", "x. "):
    LiveLeakCheck().refusal(unit * (100_000 // len(unit)), [("it", "The baker is the king's son, they say, and more.")])
"""


@pytest.mark.campaign
def test_no_answer_of_the_largest_size_keeps_it_busy_for_long() -> None:
    subprocess.run([sys.executable, "-c", HOSTILE], check=True, timeout=300)
