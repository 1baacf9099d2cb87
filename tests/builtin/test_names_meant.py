"""A line with other words for whom and what it means -> the same with their names."""

from __future__ import annotations

import pytest

from lorewright.builtin.parser.lines.names_meant import with_names
from lorewright.builtin.parser.readings import ParseContext
from lorewright.builtin.words.noun_phrases import nouns_of
from lorewright.values.scenery import SceneryNoun
from lorewright.values.scope import Named
from support.narrator_bar import SCOPES, VIKTOR

SHOWN = (
    SceneryNoun(name="lot", head="lot", text="A constable stands in the lot.", key="told:1", source="p:bar#1"),
    SceneryNoun(
        name="shelf", head="shelf", text="Mira looks up, once, at the top shelf.", key="told:3", source="p:bar#3"
    ),
    SceneryNoun(name="rules", head="rules", text="Nobody is in room 12.", key="told:2", source="p:bar#2"),
)
BARMAN = VIKTOR.model_copy(update={"pronoun": "he"})
AWAY = Named(id="p:ambrose", name="Ambrose", kind="person")


def _named(text: str) -> str:
    scope = SCOPES["bar"].model_copy(update={"topics": (AWAY,), "people": (BARMAN,)})
    return with_names(ParseContext(nouns=nouns_of(scope), verbs={}, shown=SHOWN), text)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("put it on ambroses tab", "put it on ambrose's tab"),
        ("look at the cop", "look at the constable"),
        ("call the police", "call the police"),
        ("knock on 12", "knock on room 12"),
        ("oi bar guy whats up", "oi Viktor, whats up"),
        ("hey bar guy, a beer", "hey Viktor, a beer"),
        ("hey tall lady", "hey tall lady"),
        ("wait for 12 minutes", "wait for 12 minutes"),
        ("knock on 11", "knock on 11"),
        ("these are for Ambrose, can you take me to him?", "these are for Ambrose, can you take me to Ambrose?"),
        ("can you take me to him?", "can you take me to him?"),
        ("I'm looking for Ambrose", "where is Ambrose"),
        ("I'm looking for a key", "I'm looking for a key"),
        ("see what Viktor is up to", "look at Viktor"),
        ("follow her gaze", "look at the top shelf"),
        ("follow her", "follow her"),
        ("what is a rule", "what is a rule"),
    ],
)
def test_who_is_called_otherwise_gets_a_name(typed: str, meant: str) -> None:
    assert _named(typed) == meant
