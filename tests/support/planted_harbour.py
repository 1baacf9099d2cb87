"""A harbour with two hundred planted secrets, each with a word of its own: in seven languages and several scripts, in every
form in which an author hides something, and what one persona alone knows.

A secret's word is made of a salt: worlds of two salts differ in hidden words alone, also in their length; in a bare
world whole sections, files and keys are missing whose absence no player may notice.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

from lorewright.bootstrap import App
from lorewright.service.web.chat import letters_of
from support import harbour as h
from support import harbour_crew as c

Knower = Literal["gm", "ada", "bo"]
Salt = Literal["one", "two", "bare"]

GM: frozenset[Knower] = frozenset({"gm"})
NOBODY: frozenset[Knower] = frozenset()
# So many items of people are revealed to each persona alone.
REVEALED = 12
# So many facts that each persona alone knows, and memories of each.
FACTS, MEMORIES = 8, 3


@dataclass(frozen=True, slots=True)
class Planted:
    """A secret: the word that gives it away, its form, and who may read it."""

    word: str
    form: str
    language: str
    knowers: frozenset[Knower]


@dataclass(frozen=True, slots=True)
class Tongue:
    """How authors of a language mark secrets, and a sentence of it that is open; `{}` is the word in it that a secret
    sentence has otherwise."""

    sentence: str
    usual: str
    heading: str
    knows: str
    motivation: str
    discoverable: str
    label: str
    callout: str
    private: str


TONGUES: Mapping[str, Tongue] = {
    "en": Tongue(
        "The keeper walks to the pier at dusk and counts the {}.",
        "boats",
        "Keeper's Eyes Only",
        "Rumors",
        "Motivation",
        "Clues",
        "DM eyes only",
        "[!danger]- Spoilers, GM screen side",
        "visibility: gm",
    ),
    "de": Tongue(
        "Der Wärter geht in der Dämmerung zum Steg und zählt die {}.",
        "Boote",
        "Nicht für Spieleraugen",
        "Gerüchte",
        "Beweggründe",
        "Hinweise",
        "Nur für die Spielleitung",
        "[!bug]- Meisterwissen",
        "spieler_sichtbar: nein",
    ),
    "fr": Tongue(
        "Au crépuscule, le gardien marche vers la jetée et compte les {}.",
        "bateaux",
        "Ce que les PJ ignorent",
        "Rumeurs",
        "Personnalité",
        "Indices",
        "Pour le MJ seul",
        "[!quote]- Réservé au meneur",
        "diffusion: MJ seulement",
    ),
    "es": Tongue(
        "Al anochecer el guardián camina hasta el muelle y cuenta los {}.",
        "barcos",
        "Solo para el director de juego",
        "Rumores",
        "Motivación",
        "Pistas",
        "Lo que el grupo no sabe",
        "[!example] Tras la pantalla",
        "visibilidad: solo máster",
    ),
    "pt": Tongue(
        "Ao anoitecer o guardião caminha até o cais e conta os {}.",
        "navios",
        "Só o Narrador lê",
        "Boatos",
        "Motivação",
        "Tesouro",
        "Só o Narrador sabe",
        "[!faq]- Por trás do escudo",
        "visivel_aos_jogadores: não",
    ),
    "zh": Tongue(
        "黄昏时分，守灯人走到码头，数一数 {} 。",
        "船只",
        "守秘人视角（勿念给玩家）",
        "传闻",
        "动机",
        "线索",
        "主持人自用，不公开",
        "[!abstract]- 守秘人须知",
        "玩家可见: 否",
    ),
    "ja": Tongue(
        "夕暮れ、灯台守は桟橋まで歩いて {} を数える。",
        "舟",
        "マスター用メモ（PL閲覧禁止）",
        "噂",
        "動機",
        "手がかり",
        "PLには伏せておく",
        "[!tip]- PL閲覧禁止",
        "公開範囲: GMのみ",
    ),
}

# Letters that words are made of: with accents, composed and not, in other scripts, and such as case folding changes.
_LETTERS: Mapping[str, str] = {
    "en": "abcdefghijklmnopqrstuvwxyz",
    "de": "äöüßabdeghklmnorstuwz",
    "fr": "éèêçàùïabcdelmnoprstuv",
    "es": "ñáéíóúabcdefgjlmnoprstz",
    "pt": "ãõçâêáéíabcdefglmnoprstuvxz",
    "zh": "龘靐齉麤爩灪虪龗龖鱻飝纛鼱鼟鼞鼜",
    "ja": "ヌメヨヲヰヱザズゼゾヂヅデドパピプペポ",
    "ru": "абвгджзклмнопрстуфхцчшщэюя",
    "el": "αβγδεζηθικλμνξοπρσφχψω",
    "ar": "بتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "wide": "ａｂｃｄｅｆｇｈｊｋｍｎｐｑｒｓｔｕｖｗｘｙｚ",
}
# Scripts that the words of English texts have by turns.
_FOREIGN = ("ru", "el", "ar", "wide", "en")


def make_word(name: str, salt: Salt, letters: str) -> str:
    """Return a word that nothing else has, of a length that the salt changes."""
    digest = sha256(f"{name} {salt}".encode()).digest()
    signs = _LETTERS[letters]
    length = 10 + digest[0] % 5 + (7 if salt == "two" else 0)
    return "".join(signs[digest[1 + at % 31] * (at + 7) % len(signs)] for at in range(length))


@dataclass(frozen=True, slots=True)
class World:
    """The files of a pack, the secrets in it, and what is told to one persona alone: words by persona."""

    files: Mapping[str, str]
    secrets: tuple[Planted, ...]
    told: Mapping[str, tuple[str, ...]]
    facts: Mapping[str, tuple[str, ...]]
    memories: Mapping[str, tuple[str, ...]]


class _Planting:
    """A pack that is being written."""

    def __init__(self, salt: Salt) -> None:
        self.salt = salt
        self.files: dict[str, str] = {}
        self.secrets: list[Planted] = []

    def word(self, form: str, language: str, *, knowers: frozenset[Knower] = GM, number: int = 0) -> str:
        """Return a new secret's word."""
        letters = _FOREIGN[len(self.secrets) % len(_FOREIGN)] if language == "en" else language
        found = make_word(f"{form} {language} {number}", self.salt, letters)
        if language == "fr":
            # As a Mac's editor writes it: letters and accents apart.
            found = unicodedata.normalize("NFD", found)
        self.secrets.append(Planted(found, form, language, knowers))
        return found

    def place(self, language: str) -> None:
        """Write a place in a language, with secrets in every form that a place has."""
        tongue, is_bare = TONGUES[language], self.salt == "bare"
        open_text = tongue.sentence.format(tongue.usual)

        def secret(form: str, number: int = 0, *, knowers: frozenset[Knower] = GM) -> str:
            return tongue.sentence.format(self.word(form, language, knowers=knowers, number=number))

        clues = [
            f"- {{#clue{number}}} search the {thing}: {secret('clue', number)}"
            for number, thing in enumerate(("crate", "net", "lamp"))
        ]
        # What is cut out of the midst of an open text leaves blank lines there, so a bare world has these, too.
        of = {
            "comment": f"%% {secret('comment')} %%",
            "html": f"<!-- {secret('html comment', knowers=NOBODY)} -->",
            "label": f"**{tongue.label}:** {secret('label')}",
            "item": f"- **{tongue.label}:** {secret('item label')}\n  - {secret('nested item')}",
            "callout": f"> {tongue.callout}\n> {secret('callout')}\n>\n> - {secret('callout item')}",
            "block": f"%%\n{secret('comment block')}\n\n{secret('comment block', 1)}\n%%",
        }
        hidden = (
            {}
            if is_bare
            else {
                "section": f"## {tongue.heading}\n\n{secret('section')}\n\n- {{#own}} {secret('section item')}\n",
                "below": f"### More\n\n{secret('below a section')}\n",
                "key": f"truth: {self.word('key', language)}\nx_note: {self.word('x key', language)}\n",
            }
        )
        self.files[f"locations/pier_{language}.md"] = (
            f"---\nid: pier_{language}\ntype: location\n{hidden.get('key', '')}---\n# Pier {language}\n\n"
            f"{open_text} {of['comment']}\n\n{of['html']}\n\n{of['label']}\n\nNothing more.\n\n"
            f"## Today\n\nA list.\n\n- Rope and tar.\n{of['item']}\n- Salt.\n\n{of['callout']}\n\nAn end.\n\n{of['block']}\n\n"
            f"## {tongue.discoverable}\n\n" + "\n".join(clues) + "\n\n"
            f"{hidden.get('section', '')}\n{hidden.get('below', '')}"
        )

    def person(self, language: str) -> None:
        """Write a person in a language: what they know is told to personas, what they withhold to nobody."""
        tongue, is_bare = TONGUES[language], self.salt == "bare"

        def secret(form: str, number: int = 0) -> str:
            return tongue.sentence.format(self.word(form, language, number=number))

        withheld = [f"- {{#w{number}}} {secret('withheld', number)}" for number in range(3)] if not is_bare else []
        moved = "" if is_bare else f"## {tongue.motivation}\n\n{secret('motivation')}\n\n"
        known = "\n".join(f"- {{#k{number}}} {secret('known', number)}" for number in range(2))
        hidden = "## Secrets\n\n" + "\n".join(withheld) + "\n" if withheld else ""
        self.files[f"npcs/keeper_{language}.md"] = (
            f"---\nid: keeper_{language}\ntype: npc\n---\n# Keeper {language}\n\n{tongue.sentence.format(tongue.usual)}\n\n"
            f"## {tongue.knows}\n\n{known}\n\n{moved}{hidden}"
        )

    def hidden_file(self, language: str) -> None:
        """Write a file that is the game master's alone, with secrets in its name, its alias, its tag and its texts."""
        if self.salt == "bare":
            return
        tongue = TONGUES[language]
        name, alias, tag = (self.word(form, language) for form in ("hidden name", "hidden alias", "hidden tag"))
        text = tongue.sentence.format(self.word("hidden text", language))
        self.files[f"npcs/zz_{language}.md"] = (
            f"---\nid: zz_{language}\ntype: npc\naliases: [{alias}]\ntags: [{tag}]\n{tongue.private}\n---\n"
            f"# {name}\n\n{text}\n"
        )


def plant(salt: Salt) -> World:
    """Return the world of a salt."""
    planting = _Planting(salt)
    for language in TONGUES:
        planting.place(language)
        planting.person(language)
        planting.hidden_file(language)
    told: dict[str, tuple[str, ...]] = {}
    facts: dict[str, tuple[str, ...]] = {}
    memories: dict[str, tuple[str, ...]] = {}
    knowers: Knower
    for knowers in ("ada", "bo"):
        known = frozenset({"gm", knowers})
        told[knowers] = tuple(
            planting.word(f"told to {knowers}", "en", knowers=known, number=number) for number in range(REVEALED)
        )
        facts[knowers] = tuple(
            planting.word(f"fact of {knowers}", "en", knowers=known, number=number) for number in range(FACTS)
        )
        memories[knowers] = tuple(
            planting.word(f"memory of {knowers}", "en", knowers=known, number=number) for number in range(MEMORIES)
        )
    files = {name: h.dedent(text) for name, text in h.FILES.items()} | planting.files
    for who, file in (("ada", "npcs/osk.md"), ("bo", "npcs/bea.md")):
        items = "\n".join(
            f"- {{#only{number}}} {TONGUES['en'].sentence.format(word)}" for number, word in enumerate(told[who])
        )
        files[file] = files[file].replace("## Knows\n\n", f"## Knows\n\n{items}\n")
    return World(files, tuple(planting.secrets), told, facts, memories)


def begin(tmp_path: Path, world: World) -> App:
    """Return an app with the campaign `game` begun: Ada and Osk at the tavern, Bo and Bea at the quay, and people of all
    languages at both."""
    scenario = c.scenario()
    for number, language in enumerate(TONGUES):
        scenario["places"][f"pier_{language}"] = {"exits": {"quay": {"to": "quay", "minutes": 2}}}
        scenario["places"]["quay"]["exits"][f"pier {language}"] = {"to": f"pier_{language}", "minutes": 2}
        scenario["cast"][f"keeper_{language}"] = {"at": ("tavern", "quay")[number % 2]}
    return h.harbour(tmp_path, scenario=json.dumps(scenario), files=world.files)


_CODED = re.compile(r"\\u([0-9a-fA-F]{4})")


def plain_letters(text: str) -> str:
    """Return the letters of an answer as a reader would see them: out of JSON, HTML and addresses."""
    decoded = _CODED.sub(lambda found: chr(int(found[1], 16)), text)
    return letters_of(unquote(html.unescape(decoded)))


def words_shown(secrets: tuple[Planted, ...], text: str) -> Iterator[Planted]:
    """Yield the secrets whose words a text shows."""
    letters = plain_letters(text)
    for secret in secrets:
        if letters_of(secret.word) in letters:
            yield secret
