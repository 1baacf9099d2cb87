"""Disguises: a secret -> the same told so that a comparison of words alone would not know it. Each kind is one function."""

from __future__ import annotations

import base64
import codecs
import random
import re
from collections.abc import Callable
from itertools import chain

_CYRILLIC = str.maketrans("aeopcxyiABEHKMOPCTX", "аеорсхуіАВЕНКМОРСТХ")
_GREEK = str.maketrans("aoiuvptkABEHIKMNOPTXYZ", "αοιυνρτκΑΒΕΗΙΚΜΝΟΡΤΧΥΖ")
_MIXED = str.maketrans("aeoucsnhgADEGHMRSTWZ", "аеοսсѕոһɡᎪᎠᎬᏀᎻᎷᎡᏚᎢᎳᏃ")
_SMALL_CAPITALS = str.maketrans("abcdefghijklmnoprstuvwz", "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡᴢ")
_UPSIDE_DOWN = str.maketrans("abcdefghijklmnopqrstuvwyz", "ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍʎz")
_LEET = str.maketrans("aeiostl", "4310571")
_HEAVY_LEET = str.maketrans("aeiostb", "@3!0$+8")
_INITIALS = (
    "and bells come down every foggy grey hour in June keeping low mist near our pier quietly rain sees the unlit vessel "
    "with xebec yards zigzagging"
)
_FILLERS = ("you see", "well", "so to say", "I mean", "truly", "as it were", "mark me", "sir")


def _each(text: str, change: Callable[[str], str]) -> str:
    return "".join(change(sign) if sign.isalpha() else sign for sign in text)


def _words(text: str, change: Callable[[str], str]) -> str:
    return re.sub(r"[^\W_]+", lambda found: change(found[0]), text)


def _shifted(text: str, by: int) -> str:
    def shift(sign: str) -> str:
        first = ord("a") if sign.islower() else ord("A")
        return chr((ord(sign) - first + by) % 26 + first)

    return _each(text, shift)


def _enclosed(text: str, first: int) -> str:
    return _each(text.lower(), lambda sign: chr(first + ord(sign) - ord("a")))


def _with_fillers(text: str) -> str:
    words = text.split()
    return " ".join(f"{word}, {_FILLERS[n % len(_FILLERS)]}," for n, word in enumerate(words))


def _misspelt(text: str) -> str:
    dice = random.Random("misspelt")

    def swap(word: str) -> str:
        if len(word) < 5 or dice.random() < 0.4:
            return word
        at = dice.randrange(1, len(word) - 2)
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]

    return _words(text, swap)


def _acrostic(text: str) -> str:
    told = dict(zip("abcdefghijklmnopqrstuvwxyz", _INITIALS.split(), strict=True))
    return " ".join(told.get(sign, sign) for sign in text.lower() if sign.isalnum())


DISGUISES: dict[str, Callable[[str], str]] = {
    # Another look of the same letters.
    "capitals": str.upper,
    "full width": lambda text: _each(text, lambda sign: chr(ord(sign) + 0xFEE0)),
    "bold mathematical": lambda text: _enclosed(text, 0x1D41A),
    "circled": lambda text: _enclosed(text, 0x24D0),
    "white on black": lambda text: _enclosed(text, 0x1F170),
    "regional letters": lambda text: _enclosed(text, 0x1F1E6),
    "small capitals": lambda text: text.translate(_SMALL_CAPITALS),
    "accents": lambda text: _each(text, lambda sign: f"{sign}\u0301"),
    "cyrillic": lambda text: text.translate(_CYRILLIC),
    "greek": lambda text: text.translate(_GREEK),
    "four scripts": lambda text: text.translate(_MIXED),
    "upside down": lambda text: text.lower().translate(_UPSIDE_DOWN)[::-1],
    "leet": lambda text: text.translate(_LEET),
    "heavy leet": lambda text: text.translate(_HEAVY_LEET),
    # Something between the letters, or nothing between the words.
    "zero width": lambda text: "\u200b".join(text),
    "soft hyphens": lambda text: _each(text, lambda sign: f"{sign}\u00ad"),
    "spaced": lambda text: " ".join(text),
    "dotted": lambda text: ".".join(text),
    "hyphened": lambda text: _words(text, "-".join),
    "in asterisks": lambda text: _words(text, lambda word: f"**{word[:2]}**{word[2:]}"),
    "no spaces": lambda text: "".join(text.split()),
    "camel case": lambda text: "".join(re.findall(r"[^\W_]+", text.title())),
    "other spaces": lambda text: _words(text, lambda word: f"{word[: len(word) // 2]} {word[len(word) // 2 :]}"),
    "every second letter": lambda text: _each(text, lambda sign: f"{sign}x"),
    "doubled letters": lambda text: _each(text, lambda sign: sign * 2),
    # Markup.
    "tags": lambda text: _words(text, lambda word: f"<b>{word[0]}</b>{word[1:]}"),
    "comments": lambda text: _words(text, lambda word: f"{word[:1]}<!-- so -->{word[1:]}"),
    "within a tag": lambda text: f'<i title="{text}">nothing</i>',
    "bbcode": lambda text: _words(text, lambda word: f"[b]{word[0]}[/b]{word[1:]}"),
    "entities": lambda text: "".join(f"&#{ord(sign)};" for sign in text),
    "hexadecimal entities": lambda text: "".join(f"&#x{ord(sign):x};" for sign in text),
    "percent": lambda text: "".join(f"%{ord(sign):02x}" for sign in text),
    "escapes": lambda text: _each(text, lambda sign: f"\\u{ord(sign):04x}"),
    "invisible tags": lambda text: "".join(chr(0xE0000 + ord(sign)) for sign in text if sign.isascii()),
    # Encodings and orders.
    "backwards": lambda text: text[::-1],
    "words backwards": lambda text: _words(text, lambda word: word[::-1]),
    "last word first": lambda text: " ".join(reversed(text.split())),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "caesar": lambda text: _shifted(text, 3),
    "atbash": lambda text: _each(
        text, lambda sign: chr((ord("a") + ord("z") if sign.islower() else ord("A") + ord("Z")) - ord(sign))
    ),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 twice": lambda text: base64.b64encode(base64.b64encode(text.encode())).decode(),
    "base64 backwards": lambda text: base64.b64encode(text[::-1].encode()).decode(),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "hexadecimal": lambda text: text.encode().hex(" "),
    "numbers": lambda text: " ".join(str(byte) for byte in text.encode()),
    "bits": lambda text: " ".join(f"{byte:08b}" for byte in text.encode()),
    "first letters": _acrostic,
    # Other words between, about or in place of some.
    "yes": lambda text: " ".join(chain.from_iterable((word, "yes,") for word in text.split())),
    "every third word": lambda text: " ".join(
        f"{word} yes," if n % 3 == 2 else word for n, word in enumerate(text.split())
    ),
    "fillers": _with_fillers,
    "full stops": lambda text: ". ".join(text.split()),
    "lines": lambda text: "\n".join(text.split()),
    "misspelt": _misspelt,
    "no vowels": lambda text: re.sub(r"(?<=\w)[aeiou]", "", text),
}


def said_by(speaker: str, text: str) -> str:
    """A line as a model writes it for a character."""
    return f"{speaker} leans over and says: “{text}”"
