"""Lines of the notes as what people say: of whom, by whom, and each of them once."""

from __future__ import annotations

from lorewright.builtin.narrator import narrate
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
