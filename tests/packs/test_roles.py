"""A section's title says what it is for, and a doubtful one is rather kept secret."""

from __future__ import annotations

import pytest

from lorewright.packs.models import ALL_ROLES, OPEN_ROLES, SYNONYMS, role_of


@pytest.mark.parametrize(("title", "role"), [(title, role) for role, titles in SYNONYMS.items() for title in titles])
def test_every_synonym_means_its_role_however_it_is_written(title: str, role: str) -> None:
    for written in (title, title.title(), title.upper(), f"The {title}", f"{title}:", f"{title} (old)", f"  {title}  "):
        assert role_of(written) == role


@pytest.mark.parametrize(
    ("title", "role"),
    [
        ("Secrets", "withholds"),
        ("GM Notes", "withholds"),
        ("DM only", "withholds"),
        ("Rumours", "knows"),
        ("Hooks", "knows"),
        ("Clues", "discoverable"),
        ("Treasure", "discoverable"),
        ("Appearance", "atmosphere"),
        ("Mood", "disposition"),
        ("Personality", "motivation"),
        ("Motivation", "motivation"),
        ("Motivations", "motivation"),
    ],
)
def test_the_documented_synonyms_hold(title: str, role: str) -> None:
    assert role_of(title) == role


@pytest.mark.parametrize("title", ["History (GM only)", "DM Only: the vault", "What they know (gm only)"])
def test_a_title_that_says_gm_only_is_a_secret(title: str) -> None:
    assert role_of(title) == "withholds"


@pytest.mark.parametrize("title", ["History", "", "The Secretary of the World", "The Knowing", "…", "Statues"])
def test_any_other_title_is_open_lore(title: str) -> None:
    assert role_of(title) == "lore"


def test_the_files_own_roles_win() -> None:
    assert role_of("History", {"history": "withholds"}) == "withholds"
    assert role_of("Secrets", {"secrets": "lore"}) == "lore"


def test_no_title_means_two_things() -> None:
    titles = [title for titles in SYNONYMS.values() for title in titles]
    assert len(titles) == len(set(titles))
    assert set(SYNONYMS) <= ALL_ROLES


@pytest.mark.parametrize(
    "title",
    [
        "Motivation",
        "Motivations & Goals",
        "Goals",
        "What she wants",
        "Personality & Roleplay",
        "Agenda",
        "Ideals",
        "Bonds",
        "Flaws",
        "Traits",
        "Character",
        "Her Ambition",
        "Disposition and Goals",
    ],
)
def test_a_persons_motives_are_their_own_under_any_title_that_speaks_of_them(title: str) -> None:
    assert role_of(title, of_person=True) == "motivation"
    assert "motivation" not in OPEN_ROLES


def test_the_file_says_otherwise_where_its_author_knows_the_role() -> None:
    assert role_of("Personality", {"personality": "disposition"}, of_person=True) == "disposition"


@pytest.mark.parametrize("title", ["Character", "Goals", "Traits", "What the town wants", "Agenda"])
def test_the_same_words_are_open_where_they_are_of_no_person(title: str) -> None:
    assert role_of(title) == "lore"


@pytest.mark.parametrize(
    "title", ["Background", "History", "Reputation", "Work", "Her Rounds", "Characters of the inn"]
)
def test_what_else_is_told_of_a_person_stays_open(title: str) -> None:
    assert role_of(title, of_person=True) == "lore"
