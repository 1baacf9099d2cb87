"""What authors call things, in seven languages: secrets, private notes, folders and tags."""

from __future__ import annotations

import pytest

from lorewright.packs.markdown.titles import (
    is_private_tag,
    privacy_of,
    secrecy_of,
    title_role,
    type_of_tags,
    type_of_words,
)

PLAIN = """
    Secrets|GM Notes|For the GM|Behind the Screen|What the players don't know|DM only: the vault|🤫 Secrets|1. Secrets
    Geheimnisse|Nur für die Spielleitung|Meisterinformationen|Was die Spieler nicht wissen|Hinter den Kulissen
    Réservé au MJ|Ce que les joueurs ignorent|Derrière l'écran|Notes du meneur
    Solo para el Máster|Lo que los jugadores no saben|Tras la pantalla|Secretos
    Só para o Mestre|O que os jogadores não sabem|Por trás do escudo|Segredos
    秘密|仅主持人可见|玩家不知道的事|幕后|KP须知
    GM専用|プレイヤーには非公開|秘匿情報|キーパー用メモ
"""
LOOKS = "Secret Garden|The Truth|Die Wahrheit|El secreto de María|O segredo do moinho|真の目的|GM screen"
NONE = "History|The Keeper|Hidden Valley|Mestre Tomás|Le Gardien|Master Smith|Notes for Players|The DJ|Hirten|地理|歴史"


def listed(text: str) -> list[str]:
    return [title.strip() for line in text.strip().split("\n") for title in line.split("|")]


def test_a_title_that_says_so_marks_a_secret() -> None:
    assert [title for title in listed(PLAIN) if secrecy_of(title) != "plain"] == []


def test_a_title_with_a_word_of_secrets_looks_like_one() -> None:
    assert [title for title in listed(LOOKS) if secrecy_of(title) != "looks"] == []


def test_other_titles_mark_none() -> None:
    assert [title for title in listed(NONE) if secrecy_of(title) is not None] == []


@pytest.mark.parametrize(
    ("title", "role"),
    [
        ("Gerüchte", "knows"),
        ("Rumeurs", "knows"),
        ("Tesoro", "discoverable"),
        ("線索", "discoverable"),
        ("外貌", "atmosphere"),
    ],
)
def test_the_other_roles_have_titles_in_other_languages(title: str, role: str) -> None:
    assert title_role(title).role == role


def test_a_file_says_otherwise_of_its_own_titles() -> None:
    assert title_role("Secret Garden", {"secret garden": "lore"}).role == "lore"
    assert title_role("Chapter 9", {"chapter 9": "withholds"}).hides


@pytest.mark.parametrize(
    ("key", "value", "hides"),
    [
        ("private", True, True),
        ("hidden", "yes", True),
        ("dm", True, True),
        ("publish", False, True),
        ("publish", True, False),
        ("visibilty", "gm", True),
        ("visibilty", "players", False),
        ("nur_sl", "ja", True),
        ("visível aos jogadores", "não", True),
        ("diffusion", "MJ seulement", True),
        ("公開", "いいえ", True),
        ("仅GM", True, True),
        ("secret", False, False),
    ],
)
def test_a_key_says_who_may_read_a_note(key: str, value: object, hides: bool) -> None:
    privacy = privacy_of(key, value)
    assert privacy is not None
    assert privacy[0] is hides


@pytest.mark.parametrize(
    ("key", "value"), [("status", "alive"), ("accessories", "a hat"), ("dm_notes", "He is a spy.")]
)
def test_other_keys_say_nothing_of_readers(key: str, value: object) -> None:
    assert privacy_of(key, value) is None


def test_a_tag_may_make_a_note_private() -> None:
    assert [tag for tag in ("#gm-only", "campaign/dm", "secret", "npc", "hidden") if is_private_tag(tag)] == [
        "#gm-only",
        "campaign/dm",
        "secret",
    ]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("01 NPCs", "npc"),
        ("2. Locations", "location"),
        ("Points of Interest", "location"),
        ("Factions & Guilds", "faction"),
        ("👥 People", "npc"),
        ("Magic Items", "item"),
        ("Bestiary", "culture"),
        ("Player Characters", "npc"),
        ("Städte", "location"),
        ("Personnages", "npc"),
        ("Lugares", "location"),
        ("Organizações", "faction"),
        ("人物设定", "npc"),
        ("場所", "location"),
        ("Inbox", None),
    ],
)
def test_the_words_of_a_folder_mean_a_type(words: str, kind: str | None) -> None:
    assert type_of_words(words) == kind


def test_tags_mean_a_type_where_they_agree() -> None:
    assert type_of_tags(["Location/Settlement", "wip"]) == "location"
    assert type_of_tags(["npc", "location"]) is None
