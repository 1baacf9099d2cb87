"""A section's title -> what the section is for. The one table of synonyms; `docs/authoring.md` shows it to authors."""

from __future__ import annotations

import re

from lorewright.packs.models import Role

SYNONYMS: dict[Role, tuple[str, ...]] = {
    "atmosphere": ("atmosphere", "ambience", "appearance", "first impression", "look and feel", "senses"),
    "disposition": ("disposition", "attitude", "demeanor", "demeanour", "mood"),
    "motivation": ("motivation", "motive", "personality", "psychology"),
    "knows": ("knows", "hooks", "knowledge", "plot hooks", "rumors", "rumours"),
    "withholds": (
        "withholds",
        "dm notes",
        "dm only",
        "game master notes",
        "gm notes",
        "gm only",
        "secret",
        "secrets",
    ),
    "capabilities": ("capabilities", "abilities", "combat statistics", "skills", "stat block", "stats"),
    "discoverable": ("discoverable", "discoverables", "clues", "hidden", "loot", "treasure"),
    "threads": ("threads", "open threads", "plot threads", "story threads"),
}

_ROLE_OF = {title: role for role, titles in SYNONYMS.items() for title in titles}

# A title that holds one of these, whatever else it says, is about a secret: a false one only asks for `section_roles:`.
_SECRET_WORDS = frozenset({"secret", "secrets", "withholds", "withheld"})
# What moves a person is where a plot is: any title of an NPC's section that holds one of these words, or is one of the
# titles below, is about that. Of a place or a thing the same words tell what anybody may know.
_MOTIVES = frozenset(
    "agenda agendas aim aims ambition ambitions desire desires drives goal goals ideals intentions motivation"
    " motivations motive motives objective objectives personality psychology wants".split()
)
_MOTIVE_TITLES = frozenset(
    "bonds|character|character traits|drive|fear|fears|flaw|flaws|ideal|inner life|intention|personality traits|trait"
    "|traits|bonds and flaws|ideals and bonds|bonds flaws|want".split("|")
)
_FOR_THE_MASTER = re.compile(r"\b(gm|dm|game ?master|dungeon ?master|keeper)([’']?s)?[ -]+(only|notes?|eyes)\b")
_NAME = re.compile(r"\{#[^}]*\}")
_NOT_WORDS = re.compile(r"[^\w\s]+")


def role_of(title: str, overrides: dict[str, Role] | None = None, *, of_person: bool = False) -> Role:
    """What a section with this title is for; `lore` where the title says nothing.

    `overrides` come from the file's own `section_roles:` and win. `Secrets (GM only)` and `The Secrets:` are secrets
    too. In the file of a person (`of_person`) `Goals`, `What she wants` or `Motives & Fears` is their motivation.
    """
    plain = " ".join(_NOT_WORDS.sub(" ", re.sub(r"\([^)]*\)", " ", _NAME.sub(" ", title)).casefold()).split())
    if overrides and plain in overrides:
        return overrides[plain]
    plain = plain.removeprefix("the ")
    if (_ROLE_OF.get(plain) is None and _SECRET_WORDS & set(plain.split())) or _FOR_THE_MASTER.search(title.casefold()):
        return "withholds"
    if of_person and (plain in _MOTIVE_TITLES or _MOTIVES & set(plain.split())):
        return "motivation"
    singular = plain.removesuffix("s")
    return _ROLE_OF.get(plain) or _ROLE_OF.get(singular) or "lore"
