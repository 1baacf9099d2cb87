"""What a note tells of, where nobody gave it a type: by its name, its words, and the notes that link it."""

from __future__ import annotations

import pytest

from lorewright.generate.explore.guessing import NoteSection, find_homes, guess_types, is_told, where_of
from lorewright.packs.models import Manifest, PackEntity

MANIFEST = Manifest(id="pack", name="Pack")


def note(
    name: str, *, kind: str = "culture", path: str = "", tags: tuple[str, ...] = (), **attrs: object
) -> PackEntity:
    return PackEntity(id=f"pack:{name}", type=kind, name=name, file_path=path or f"{name}.md", tags=tags, attrs=attrs)


def guessed(subject: PackEntity, text: str = "", *, title: str = "", by: dict[str, str] | None = None) -> str | None:
    """The type that a note is taken for; `by` are texts of other notes that link it, by the titles of their sections."""
    entities = {subject.id: subject}
    texts = {subject.id: [NoteSection(title, text)]}
    for number, (of_section, said) in enumerate((by or {}).items()):
        other = note(f"Other {number}", kind="history")
        entities[other.id] = other
        texts[other.id] = [NoteSection(of_section, said, (subject.id,))]
    found = guess_types(entities, texts, [subject.id], {}).get(subject.id)
    return found.type if found is not None else None


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("Tollin", "A village of forty chimneys on the wrong bank.", "location"),
        ("Tollin", "Tollin is the last free port on the coast.", "location"),
        ("Scriptorium", "Cold light and nine desks.", "location"),
        ("Abbey of St Ambrose", "Nobody rings.", "location"),
        ("Kaltenhafen", "Eine Hafenstadt mit zweitausend Seelen.", "location"),
        ("Val-Ombre", "Un petit village au bord de la rivière.", "location"),
        ("Dos Ríos", "Un pueblo tranquilo entre montañas.", "location"),
        ("Zum Roten Aal", "Aal, Brot, Bier.", "location"),
        ("Oswin", "Copies the same page. He says the ink is wrong.", "npc"),
        ("Marta", "Marta is the innkeeper at the bridge.", "npc"),
        ("Vasquez", "Engineer, second class.", "npc"),
        ("The baker", "Her name is Ilse.", "npc"),
        ("Inspector Quill", "There is a limp.", "npc"),
        ("Grete Harms", "Grete Harms ist die Wirtin.", "npc"),
        ("Bastien", "Bastien est un forgeron taciturne.", "npc"),
        ("Inés", "Inés es la molinera del valle.", "npc"),
        ("Salt Psalter", "A book bound in fish skin.", "item"),
        ("Hallow", "A pair of boots that squeak.", "item"),
        ("Messingschlüssel", "So lang wie eine Hand.", "item"),
        ("The Drowned Court", "They meet when the river is highest.", None),
        ("The Night of Two Bells", "Seventeen years ago, at Tollin.", None),
        ("The Lotsen", "A guild that pilots nobody any more.", None),
        ("House rules", "We use two dice.", None),
        ("Torque", "Opens any lock from the outside.", None),
        ("Tollin", "The inn is shut. Her brother was a smith.", None),
    ],
)
def test_a_note_is_taken_for_what_its_name_and_its_first_sentences_call_it(
    name: str, text: str, kind: str | None
) -> None:
    assert guessed(note(name), text) == kind


@pytest.mark.parametrize(
    ("title", "text", "kind"),
    [
        ("", "They met in Varn and never left.", "location"),
        ("", "Walk to Varn. It is near Varn.", "location"),
        ("", "The innkeeper Varn waters the wine.", "npc"),
        ("", "- owner: Varn", "npc"),
        ("", "Ask Varn.", "npc"),
        ("", "Varn says little. Varn sells rope.", "npc"),
        ("", "It burned down in the village of Varn.", "location"),
        ("Rooms", "- Varn", "location"),
        ("Personen", "- Varn", "npc"),
        ("", "Nobody speaks of it, see Varn.", None),
        ("", "Nothing grew since Varn. It was before Varn.", None),
    ],
)
def test_a_note_is_taken_for_what_the_notes_that_link_it_treat_it_as(title: str, text: str, kind: str | None) -> None:
    assert guessed(note("Varn"), by={title: text}) == kind


def test_keys_tags_and_headings_speak_for_a_kind() -> None:
    assert guessed(note("Roe", occupation="surgeon")) == "npc"
    assert guessed(note("Roe", population="300")) == "location"
    assert guessed(note("Roe", tags=("harbour",))) == "location"
    assert guessed(note("Roe"), "Smells of coolant.", title="Rooms") == "location"


def test_a_pronoun_after_somebody_else_was_named_says_nothing_of_the_note() -> None:
    inn, marta = note("The Eel"), note("Marta", kind="npc")
    sections = {inn.id: [NoteSection("", "Marta pours. She waters the wine. She knows why.", (marta.id,))]}
    assert guess_types({inn.id: inn, marta.id: marta}, sections, [inn.id], {}) == {}


def test_a_type_a_tag_and_a_folder_tell_what_a_note_is() -> None:
    assert is_told(note("A", kind="faction"), MANIFEST)
    assert is_told(note("A", path="Lore/A.md"), MANIFEST)
    assert is_told(note("A", tags=("religion",)), MANIFEST)
    assert is_told(note("A", path="x/A.md"), MANIFEST.model_copy(update={"types": {"x": "culture"}}))
    assert not is_told(note("A", path="x/A.md"), MANIFEST)


def test_where_a_phrase_in_the_name_of_a_folder_of_people_disagrees_the_text_decides() -> None:
    path = "NPCs/Families of the Upper Terrace/{}.md"
    person = note("Lorna Harding", kind="faction", path=path.format("Lorna Harding"))
    league = note("The Salt League", kind="faction", path=path.format("The Salt League"))
    assert not is_told(person, MANIFEST)
    assert guessed(person) == "npc"
    assert guessed(league, "A league of carters.") is None
    assert is_told(note("A", kind="faction", path="NPCs/Factions/A.md"), MANIFEST)


def test_somebody_is_where_their_keys_or_a_text_say_that_they_live() -> None:
    assert where_of(note("Teo", location="[[The Long Bar]]", age=3)) == ["The Long Bar"]
    assert where_of(note("Teo", Home=[["Ring Two"]])) == ["Ring Two"]
    bar, ring = note("The Long Bar", kind="location"), note("Ring Two", kind="location")
    teo, ada = note("Teo", kind="npc"), note("Ada", kind="npc")
    texts = {
        teo.id: [NoteSection("", "He lost a coat in Ring Two. Now he works in the The Long Bar.", (ring.id, bar.id))],
        ada.id: [],
        ring.id: [NoteSection("", "Ada sleeps here. Teo was here once.", (ada.id, teo.id))],
    }
    homes = find_homes({one.id: one for one in (bar, ring, teo, ada)}, texts)
    assert homes[teo.id] == (bar.id,)
    assert homes[ada.id] == (ring.id,)
    assert homes[ring.id] == ()
