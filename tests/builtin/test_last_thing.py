"""Lines with `it` after what was served, found, shown or given away."""

import pytest

from lorewright.builtin.words.last_thing import LastThing, gives
from lorewright.builtin.words.noun_phrases import Nouns, nouns_of
from lorewright.values.scope import Named, Scope


@pytest.fixture
def nouns() -> Nouns:
    return nouns_of(
        Scope(player=Named(id="you", name="you", kind="person"), place=Named(id="bar", name="bar", kind="place"))
    )


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("drink it", "drink my beer"),
        ("give it to Lund", "offer my beer to lund"),
        ("give beer to lund", "offer my beer to lund"),
        ("give lund the beer", "offer my beer to lund"),
        ("pay", "pay Viktor for the beer"),
        ("forget it", "forget it"),
        ("give credstick to lund", "give credstick to lund"),
    ],
)
def test_what_was_served_last_is_meant(line: str, meant: str, nouns: Nouns) -> None:
    assert LastThing(served=("beer",), host="Viktor", is_served_last=True).named_in(line, nouns) == meant


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("take it", "take the card"),
        ("put it in my pocket", "hide the card"),
        ("ask viktor about it", "ask viktor about the card"),
        ("is it late", "is it late"),
        ("stop it", "stop it"),
    ],
)
def test_what_was_found_is_meant(line: str, meant: str, nouns: Nouns) -> None:
    assert LastThing(found="card", shown="hat").named_in(line, nouns) == meant


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("take it back", "ask Bao to give back the credstick"),
        ("take credstick from bao", "ask Bao to give back the credstick"),
        ("bao, give it back", "ask Bao to give back the credstick"),
        ("take credstick from lund", "take credstick from lund"),
        ("take crown back", "take crown back"),
    ],
)
def test_what_was_given_is_asked_of_who_has_it(line: str, meant: str, nouns: Nouns) -> None:
    assert LastThing(given=(("credstick", "Bao", True),)).named_in(line, nouns) == meant


def test_what_is_demanded_was_not_given() -> None:
    assert gives("give credstick to Bao", ("credstick",), "Captain Bao")
    assert not gives("give me the credstick, Bao", ("credstick",), "Captain Bao")
