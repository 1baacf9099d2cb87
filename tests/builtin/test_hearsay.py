"""Lines of the notes as what people say: of whom, by whom, and each of them once."""

from __future__ import annotations

import pytest

from lorewright.builtin.narrator import narrate
from lorewright.builtin.narrator.outcomes import EMPTY
from lorewright.builtin.narrator.scenery import depends, wholes
from lorewright.values.leads import Lead
from lorewright.values.records import LoreLine, NarratorInput, PersonView, ThingView
from lorewright.world.state import SHELF_TAG
from support.narrator_scenes import BAR, NAMES, given, outcome, played

JIN = LoreLine(key="lore:j1", text="Jin ran packages for nine years and lost two.", chunk_id="p:jin:overview")
CHEN = LoreLine(key="lore:c1", text="Agent Chen pays in advance.", chunk_id="p:chen:overview")
QUIET = PersonView(id="p:viktor", name="Viktor", pronoun="he")
BARE = BAR.model_copy(update={"people": (QUIET,), "atmosphere": (), "things": ()})
SHELF = BARE.model_copy(update={"people": (), "things": (ThingView(id="p:unit", name="Field Guide"),), "exits": ()})
GUIDE = (
    LoreLine(key="lore:g1", text="Moss grows on the side that is wet.", chunk_id="p:guide:overview"),
    LoreLine(key="lore:g2", text="Tables: roll once for each.", chunk_id="p:guide:overview"),
    LoreLine(key="lore:g3", text="Lichen grows on every side.", chunk_id="p:guide:overview"),
)


def asked(words: str, **fields: object) -> NarratorInput:
    return given(outcome("does_not_know", target_id="p:viktor", words=words), scene=BARE, **fields)


def on_the_shelf(*codes: str) -> list[NarratorInput]:
    packet = {"entities": [{"id": "p:bar", "tags": [SHELF_TAG]}]}
    names = {**NAMES, "p:bar": "The shelf Guides", "p:unit": "Field Guide"}
    looks = {"target_id": "p:unit"}
    return [
        given(
            outcome(code, **(looks if code == "looked" else {})),
            scene=SHELF,
            packet=packet,
            names=names,
            described={"p:unit": GUIDE},
        )
        for code in codes
    ]


def test_who_does_not_know_passes_on_what_is_said_once_and_then_has_nothing() -> None:
    first, second = played([asked("jin", described={"p:jin": (JIN,)})] * 2)
    assert JIN.text in first.final_text
    assert "Viktor" in first.final_text
    assert first.cited == (JIN.chunk_id,)
    assert JIN.text not in second.final_text
    assert second.cited == ()


def test_of_what_nobody_asked_about_nothing_is_passed_on() -> None:
    told = narrate(asked("jin", described={"p:chen": (CHEN,)}))
    assert CHEN.text not in told.final_text


def test_whoever_has_no_answer_is_not_spoken_of_instead() -> None:
    own = LoreLine(key="lore:v1", text="Viktor has nine stools and one rule.", chunk_id="p:viktor:overview")
    told = narrate(asked("the moon", described={"p:viktor": (own,)}))
    assert own.text not in told.final_text and "Viktor" in told.final_text
    assert told.cited == ()


def test_a_sentence_that_two_notes_share_is_told_once() -> None:
    copy = CHEN.model_copy(update={"key": "lore:copy", "text": JIN.text})
    names = {**NAMES, "p:copy": "Ferry"}
    first, second = played(
        [
            asked("jin", described={"p:jin": (JIN,)}),
            asked("ferry", described={"p:copy": (copy,)}, names=names),
        ]
    )
    assert JIN.text in first.final_text
    assert JIN.text not in second.final_text


def test_on_a_shelf_looks_and_searches_read_on_in_the_notes_and_leave_out_table_entries() -> None:
    looked, searched, done = played(on_the_shelf("looked", "nothing_found", "looked"))
    assert GUIDE[0].text in looked.final_text
    assert GUIDE[2].text in searched.final_text
    assert "Tables" not in looked.final_text + searched.final_text + done.final_text
    assert done.cited == ()


def test_nobody_is_missed_on_a_shelf() -> None:
    (arrived,) = on_the_shelf("moved")
    scene = SHELF.model_copy(update={"first_visit": True})
    told = narrate(arrived.model_copy(update={"scene_changed": True, "scene": scene}))
    assert GUIDE[0].text in told.final_text
    for missed in ("Nobody", "nobody", "No one", "no one"):
        assert missed not in told.final_text


# Whoever does not know points on, where they can.

MIRA = Lead(asked="p:viktor", holder="p:mira")
OF_JIN = Lead(asked="p:viktor", holder="p:viktor", topic="Jin")


def pointing(*leads: Lead) -> NarratorInput:
    return asked("the moon", leads=leads, names={**NAMES, "p:mira": "Mira"})


def test_whoever_does_not_know_names_somebody_else_who_would_tell_it_then_what_they_would_tell_themselves() -> None:
    first, second = played([pointing(OF_JIN, MIRA)] * 2)
    assert "Mira" in first.final_text and "Jin" not in first.final_text
    assert "Jin" in second.final_text and "Mira" not in second.final_text


def test_a_mere_no_is_at_most_one_answer_in_four_where_there_is_more_to_say() -> None:
    told = [one.final_text for one in played([pointing(OF_JIN, MIRA)] * 40)]
    dull = [text for text in told if "Mira" not in text and "Jin" not in text]
    assert 0 < len(dull) <= 10


def test_where_there_is_nothing_to_point_to_it_is_a_mere_no() -> None:
    (told,) = played([pointing()])
    assert told.recall[0].startswith("phrase:does_not_know#")
    assert told.recall[1:] == (EMPTY,)


def test_a_refusal_by_a_friend_by_a_foe_and_after_pressure_are_told_apart() -> None:
    bags = set()
    for regard, band in (("", None), ("warm", None), ("cold", None), ("", "success")):
        scene = BARE.model_copy(update={"people": (QUIET.model_copy(update={"regard": regard}),)})
        kind = "ask" if band is None else "persuade"
        refused = outcome("deflected", type=kind, target_id="p:viktor", words="the debt", band=band)
        bags.add(narrate(given(refused, scene=scene)).recall[0].rpartition("#")[0])
    assert len(bags) == 4


def test_whoever_was_won_over_and_knows_nothing_says_so() -> None:
    names = {**NAMES, "p:jin": "Jin"}
    won = outcome("acted", type="persuade", target_id="p:viktor", words="Jin", band="success")
    told = narrate(given(won, scene=BARE, names=names))
    assert told.recall[0].startswith("phrase:pressed.nothing") and "Jin" in told.final_text


# Sentences that depend on the one before.


@pytest.mark.parametrize(
    ("text", "is_dependent"),
    [
        ("Air comes up through them with the smell of a harbour.", True),
        ("They are damp.", True),
        ("Its door is shut.", True),
        ("It is raining.", False),
        ("The tiles are damp, and they sound hollow.", False),
        ("Cats sit there, and their eyes are green.", False),
        ("A man reads out the weather.", False),
    ],
)
def test_a_sentence_depends_on_the_one_before_where_a_pronoun_has_nothing_to_stand_for(
    text: str, is_dependent: bool
) -> None:
    assert depends(text) == is_dependent


def test_a_dependent_sentence_is_told_with_the_one_before_and_never_alone() -> None:
    lines = tuple(
        LoreLine(key=f"lore:{at}", text=text, chunk_id="p:bar:atmosphere")
        for at, text in enumerate(
            ("They hum.", "The tiles are damp.", "Air comes up through them.", "A lamp hangs low.")
        )
    )
    assert [[line.text for line in told] for told in wholes(lines)] == [
        ["The tiles are damp.", "Air comes up through them."],
        ["A lamp hangs low."],
    ]
    scene = BARE.model_copy(update={"atmosphere": lines})
    told = played([given(outcome("looked"), scene=scene)] * 3)
    assert "The tiles are damp. Air comes up through them." in told[0].final_text
    assert not any("They hum" in one.final_text for one in told)
