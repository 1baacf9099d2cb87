"""Character cards of versions 1, 2 and 3 <-> an NPC, and a file for each entry of the card's book."""

from __future__ import annotations

import base64
import binascii
import io
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

from lorewright.errors import NotFound, PackError
from lorewright.formats.entries import Book, fold, is_alias, read_tags, shortened, take_entries, unique
from lorewright.formats.fields import Fields
from lorewright.formats.imported import Imported, ImportedEntry, ImportReport, Part, Placeholders, contain_in_section
from lorewright.formats.mark import GM, MARK, MAX_SOURCE_BYTES, read_mark, too_large
from lorewright.formats.shown import ReadablePack, ShownEntity, ShownSection
from lorewright.formats.sillytavern import (
    NOTICE,
    as_book_entry,
    book_fields,
    book_mark,
    entries_of,
    free_number,
    kept_fields,
    numbered,
)
from lorewright.ids import local

# Export: a card of version 3 for an NPC, with the rest of the pack as the card's book.

_SPEC, _SPEC_VERSION = "chara_card_v3", "3.0"
FORMAT = "character card"

# The sections of a person that a card has fields for; any other is an entry of its book.
_FIELDS = {
    "": "description",
    "Personality": "personality",
    "Disposition": "personality",
    "Scenario": "scenario",
    "Voice": "mes_example",
}
OPENING = "Opening"
_GREETING = re.compile(r"^### (Another opening|An opening in company) \d+\n", re.MULTILINE)
_LISTS = {"Another opening": "alternate_greetings", "An opening in company": "group_only_greetings"}

# Fields that SillyTavern stores outside of a card's `data`.
_OUTER = ("spec", "spec_version", "avatar", "chat", "create_date", "talkativeness", "fav", "creatorcomment")
_TEXTS = ("description", "personality", "scenario", "first_mes", "mes_example")
_MORE_TEXTS = ("creator_notes", "system_prompt", "post_history_instructions", "creator", "character_version")
_OF_THE_BOOK = "character_book"


def character_of(pack: ReadablePack, wanted: str | None) -> ShownEntity | None:
    """Return the NPC of the card: the one named by `wanted` (ID, name or alias); without a name the character of a pack
    that was imported from a card; else None.

    Raises:
        NotFound: the reader knows nobody of that name.
        PackError: the entity is no NPC.
    """
    if wanted is None:
        was_card = pack.manifest.extra.get("x_imported_from") == FORMAT
        return next(
            (shown for shown in pack.entities if was_card and shown.entity.type == "npc" and _is_card(shown)), None
        )
    entity = pack.links.find(wanted)
    found = next((shown for shown in pack.entities if entity is not None and shown.entity.id == entity.id), None)
    if found is None:
        known = ", ".join(shown.entity.name for shown in pack.entities if shown.entity.type == "npc")
        raise NotFound(f"no entity is called {wanted}", hint=f"one of: {known}" if known else None)
    if found.entity.type != "npc":
        raise PackError(f"{found.entity.name} is a {found.entity.type}", hint="a card is for an entity of type npc")
    return found


def card(pack: ReadablePack, shown: ShownEntity) -> dict[str, Any]:
    """Return the card; its version is that of the card from which the pack was imported, else 3."""
    kept = kept_fields(pack, shown)
    outer = {key: kept.pop(key) for key in _OUTER if key in kept}
    data: dict[str, Any] = {"name": shown.entity.name, **dict.fromkeys(_TEXTS, ""), **dict.fromkeys(_MORE_TEXTS, "")}
    data |= {"alternate_greetings": [], "tags": list(shown.entity.tags)}
    if outer.get("spec", _SPEC) == _SPEC:
        data |= {"group_only_greetings": []}
    for section in shown.sections:
        fields = _fields(section, _linked_text(pack, shown, section)) if _has_field(section) else {}
        if data["personality"] and "personality" in fields:
            # Two sections are written to this field.
            fields["personality"] = f"{data['personality']}\n\n{fields['personality']}"
        data |= fields
    names = list(shown.entity.aliases)
    data |= {"nickname": names[0]} if names else {}
    extensions = kept.pop("extensions", {})
    data |= kept
    data["extensions"] = {**(extensions if isinstance(extensions, dict) else {}), MARK: _mark(pack, shown, names)}
    book = _book(pack, shown)
    data |= {_OF_THE_BOOK: book} if book["entries"] else {}
    return {"spec": _SPEC, "spec_version": _SPEC_VERSION, **outer, "data": data}


def _is_card(shown: ShownEntity) -> bool:
    """Tell whether an entity can be the imported card's character; entries of its book have other fields."""
    return not {"x_keys", "x_insertion_order", "x_id", "x_uid"} & shown.frontmatter.keys()


def _has_field(section: ShownSection) -> bool:
    return section.title in _FIELDS or section.title == OPENING


def _fields(section: ShownSection, text: str) -> dict[str, Any]:
    if section.title != OPENING:
        return {_FIELDS[section.title]: _talk(text) if section.title == "Voice" else text}
    (_, first), *greetings = greetings_in(text)
    found: dict[str, Any] = {"first_mes": first}
    for title, greeting in greetings:
        found.setdefault(_LISTS[title], []).append(greeting)
    return found


def greetings_in(text: str) -> list[tuple[str, str]]:
    """Return the greetings of a section `Opening`, each with its title: the first has none."""
    first, *others = _GREETING.split(text)
    found = zip(others[::2], others[1::2], strict=True)
    return [("", first.strip("\n")), *((title, greeting.strip("\n")) for title, greeting in found)]


def _talk(text: str) -> str:
    """Return samples of dialogue with the card's separators (`<START>`) for the rules that separate them in a pack."""
    return "<START>\n" + text.replace("\n---\n", "<START>") if text else ""


def _linked_text(pack: ReadablePack, shown: ShownEntity, section: ShownSection) -> str:
    return pack.linked(shown, section.text, lambda entity, label: label or entity.name)


def _mark(pack: ReadablePack, shown: ShownEntity, names: list[str]) -> dict[str, Any]:
    said: dict[str, Any] = {"entity": local(shown.entity.id), "name": shown.entity.name, "type": shown.entity.type}
    said |= {"aliases": names} if names else {}
    said |= {"visibility": GM} if shown.gm_only else {}
    said |= {"for": pack.audience.view.viewer}
    return said | ({"notice": NOTICE} if pack.tells_secrets else {})


def _book(pack: ReadablePack, shown: ShownEntity) -> dict[str, Any]:
    """Return the card's book: the rest of the pack, and the NPC's sections for which a card has no fields."""
    kept = book_fields(pack)
    said = kept.get(_OF_THE_BOOK)
    fields: dict[str, Any] = dict(said) if isinstance(said, dict) else {"name": pack.manifest.name, **kept}
    extensions = fields.get("extensions")
    fields["extensions"] = {**(extensions if isinstance(extensions, dict) else {}), MARK: book_mark(pack)}
    entries: list[dict[str, Any]] = []
    taken: set[int] = set()
    for entry, is_first in numbered(entries_of(pack)):
        if entry.shown.entity.id == shown.entity.id and _has_field(entry.section):
            continue
        number = free_number(entry.fields.get("id", entry.fields.get("uid")), taken)
        entries.append(as_book_entry(entry, number, is_first=is_first))
    return {**fields, "entries": sorted(entries, key=lambda entry: int(entry["id"]))}


# Containers: the card's JSON text in a picture or an archive. Bounded; nothing is unpacked to disk.

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
ZIP_SIGNATURE = b"PK\x03\x04"

# The PNG keywords of a card (version 3, version 2) and of a NovelAI lorebook, best first.
CARD_KEYWORDS = ("ccv3", "chara", "naidata")

# All exceptions of the library on damaged or encrypted archives.
_ARCHIVE_PROBLEMS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    IndexError,
    OverflowError,
)

_CARD_FILE = "card.json"
_MAX_MEMBERS = 10_000
_AGAIN = "download the file again; pictures that a chat or a forum has converted lose their card"


def card_texts(data: bytes, *, what: str) -> dict[str, bytes]:
    """Return keyword -> JSON text of a PNG; the first text of a keyword counts.

    Raises:
        PackError: the picture is damaged, or holds no card.
    """
    found: dict[str, bytes] = {}
    for kind, body in _chunks(data, what):
        if kind in (b"tEXt", b"zTXt", b"iTXt"):
            keyword, _, rest = body.partition(b"\0")
            name = keyword.decode("latin-1").casefold()
            if name in CARD_KEYWORDS and name not in found:
                found[name] = _from_base64(_text(kind, rest, what), what)
    if not found:
        raise PackError(f"{what} is a picture without a character card in it", hint=_AGAIN)
    return found


# The chunks that a picture is shown by; the others may hold the card itself, with all that a player is not to read.
_SHOWN = frozenset({b"IHDR", b"PLTE", b"tRNS", b"gAMA", b"sRGB", b"cHRM", b"IDAT", b"IEND"})


def bare_picture(data: bytes, *, what: str) -> bytes:
    """Return a PNG with nothing in it but the picture: no card, no other text.

    Raises:
        PackError: the picture is damaged.
    """
    kept = [PNG_SIGNATURE]
    for kind, body in _chunks(data, what):
        if kind in _SHOWN:
            kept.append(
                struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(body, zlib.crc32(kind)))
            )
    return b"".join(kept)


def card_of_archive(data: bytes, *, what: str) -> bytes:
    """Return the text of `card.json` in a `.charx` archive; its pictures and sounds are not read.

    Raises:
        PackError: the archive is damaged, encrypted or hostile, or holds no card.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if len(archive.infolist()) > _MAX_MEMBERS:
                raise PackError(f"{what} holds more than {_MAX_MEMBERS} files", hint="this is no character card")
            if archive.getinfo(_CARD_FILE).compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise PackError(f"{what} is packed in an unusual way", hint="pack it again as a plain zip archive")
            with archive.open(_CARD_FILE) as member:
                text = member.read(MAX_SOURCE_BYTES + 1)
    except KeyError:
        raise PackError(f"{what} holds no {_CARD_FILE}", hint="import a .charx character card") from None
    except _ARCHIVE_PROBLEMS as problem:
        raise PackError(f"{what} is a damaged or locked archive: {problem}", hint="download the file again") from None
    if len(text) > MAX_SOURCE_BYTES:
        raise too_large(f"{_CARD_FILE} in {what}", MAX_SOURCE_BYTES)
    return text


def _chunks(data: bytes, what: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield type and body of each chunk, in order, up to the picture's end."""
    start = len(PNG_SIGNATURE)
    kind = b""
    while kind != b"IEND":
        if start + 12 > len(data):
            raise PackError(f"{what} is cut off: the picture has no end", hint=_AGAIN)
        length, kind = struct.unpack_from(">I4s", data, start)
        end = start + 8 + length
        if end + 4 > len(data):
            raise PackError(f"{what} is damaged: a part is longer than the file", hint=_AGAIN)
        body = data[start + 8 : end]
        if zlib.crc32(body, zlib.crc32(kind)) != struct.unpack_from(">I", data, end)[0]:
            raise PackError(f"{what} is damaged: a checksum is wrong at byte {start}", hint=_AGAIN)
        yield kind, body
        start = end + 4


def _text(kind: bytes, rest: bytes, what: str) -> bytes:
    """Return a chunk's text after its keyword. zTXt: a method, then deflate. iTXt: flag, method, language,
    translation."""
    if kind == b"tEXt":
        return rest
    if kind == b"zTXt":
        return _inflated(rest[1:], what)
    _language, _, after = rest[2:].partition(b"\0")
    text = after.partition(b"\0")[2]
    return _inflated(text, what) if rest[:1] == b"\1" else text


def _inflated(data: bytes, what: str) -> bytes:
    # Base64 is a third longer than the bytes it encodes.
    limit = MAX_SOURCE_BYTES * 4 // 3 + 4
    inflater = zlib.decompressobj()
    try:
        text = inflater.decompress(data, limit + 1)
    except zlib.error as problem:
        raise PackError(f"{what} is damaged: {problem}", hint=_AGAIN) from None
    if len(text) > limit:
        raise too_large(f"the card in {what}", MAX_SOURCE_BYTES)
    if not inflater.eof:
        raise PackError(f"{what} is damaged: the card in it is cut off", hint=_AGAIN)
    return text


def _from_base64(text: bytes, what: str) -> bytes:
    try:
        return base64.b64decode(text)
    except binascii.Error as problem:
        raise PackError(f"{what} is damaged: the card in it is not base64 ({problem})", hint=_AGAIN) from None


# Import: a card -> an NPC, and a file for each entry of its book.

_SPEAKS = ("first_mes", "mes_example", "personality")

_START = re.compile(r"^[ \t]*<START>[ \t]*$", re.IGNORECASE | re.MULTILINE)

# The sections of an NPC, in the order in which they are written.
_SECTIONS = (("personality", "Personality"), ("scenario", "Scenario"), ("mes_example", "Voice"))
_GREETINGS = (("alternate_greetings", "Another opening"), ("group_only_greetings", "An opening in company"))
_MAX_GREETINGS = 1_000
# So many times as often as the other one a pronoun is said of whom a description is about.
_SAID_OFTEN = 3

# Fields that our export writes even if they are empty, because every card has them.
_FILLED = ("creator_notes", "system_prompt", "post_history_instructions", "creator", "character_version")

# Fields that SillyTavern repeats outside of `data` under another name, for readers of version 1.
_RENAMED = {"creatorcomment": "creator_notes"}


class Card:
    """`{"spec": "chara_card_v2", "data": {…}}`, or the fields themselves in version 1."""

    name = "character card"

    def knows(self, source: Any) -> bool:
        """Tell whether the value is an object that says so, or that has fields which only characters have."""
        if not isinstance(source, dict):
            return False
        data = source["data"] if isinstance(source.get("data"), dict) else {}
        says_so = str(source.get("spec", "")).startswith("chara_card")
        return says_so or any(key in source or key in data for key in _SPEAKS)

    def read(self, source: Any, *, stem: str) -> Imported:
        """Return the card: the character comes first, then the entries of its book."""
        report = ImportReport()
        outer = Fields(source, path="", report=report)
        data = outer.mapping("data")
        fields = Fields(data, path="data.", report=report) if data else outer
        if data:
            outer.drop_equal(data, path="data.", renamed=_RENAMED)
        name = _name(fields, report, stem)
        placeholders = Placeholders(name, report)
        book = fields.mapping("character_book")
        entries, extra = _read_book(book, placeholders, report)
        character = _character(fields, outer if data else None, name, placeholders)
        return Imported(self.name, name, "", (character, *entries), extra, report.rows())


def _name(fields: Fields, report: ImportReport, stem: str) -> str:
    """Return the character's name; a name that had to be changed or shortened stays among the fields too."""
    said = fields.peek("name")
    filled = Placeholders("", report).fill(said)
    name = shortened(fold(filled))
    if name == fold(filled):
        fields.text("name", place="the name")
    return name or fold(stem) or "Character"


def _character(fields: Fields, outer: Fields | None, name: str, placeholders: Placeholders) -> ImportedEntry:
    description = fields.text("description", place="the introduction")
    parts = [Part("", _filled_text(description, placeholders))]
    for key, title in _SECTIONS:
        text = fields.text(key, place=f"## {title}")
        parts.append(Part(title, _filled_text(text, placeholders)))
    parts.append(Part("Opening", _opening(fields, placeholders)))
    nickname = fields.text("nickname", place="aliases", accept=is_alias)
    tags = read_tags(fields)
    mark = fields.member("extensions", MARK, read_mark)
    if mark:
        fields.drop(dict.fromkeys(_FILLED, ""))
    known = mark.aliases if mark else ()
    rest = fields.rest()
    return ImportedEntry(
        name=name,
        type="npc",
        why="a character card",
        parts=tuple(parts),
        aliases=tuple(alias for alias in unique([fold(placeholders.fill(nickname)), *known]) if alias != name),
        tags=tuple(tags),
        hidden=mark is not None and mark.hidden,
        extra=outer.rest(taken=rest) if outer is not None else rest,
        mark=mark,
        pronoun=_pronoun_in(description) if mark is None else "",
    )


def _pronoun_in(description: str) -> str:
    """Return the pronoun by which an English description calls somebody throughout, or ""."""
    words = Counter(re.findall(r"[a-z]+", description.casefold()))
    counts = {"she": words["she"] + words["her"], "he": words["he"] + words["his"] + words["him"]}
    (most, often), (_, seldom) = sorted(counts.items(), key=lambda pair: -pair[1])
    return most if often >= _SAID_OFTEN * max(seldom, 1) else ""


def _filled_text(text: str, placeholders: Placeholders) -> str:
    """Return the text with names for placeholders, and with rules in place of `<START>`, which separates samples of
    dialogue."""
    return _START.sub("\n---\n", placeholders.fill(text)).strip().removeprefix("---\n")


def _opening(fields: Fields, placeholders: Placeholders) -> str:
    """Return the first message, then each other greeting below its own heading."""
    texts = [contain_in_section(_filled_text(fields.text("first_mes", place="## Opening"), placeholders))]
    for key, title in _GREETINGS:
        greetings = fields.texts(key, place=f"### {title}", accept=lambda _: True, limit=_MAX_GREETINGS)
        for number, greeting in enumerate(greetings, start=1):
            texts.append(f"### {title} {number}\n\n{contain_in_section(_filled_text(greeting, placeholders))}")
    return "\n\n".join(text for text in texts if text)


def _read_book(
    source: dict[str, Any], placeholders: Placeholders, report: ImportReport
) -> tuple[list[ImportedEntry], dict[str, Any]]:
    """Return the entries of an embedded book, and its other fields for the manifest."""
    fields = Fields(source, path="character_book.", report=report)
    entries = take_entries(fields, "entries", Book(report, placeholders, "character_book.entries[]."))
    left = fields.remainder(place="x_character_book in pack.yaml")
    return entries, {"x_character_book": left} if left else {}
